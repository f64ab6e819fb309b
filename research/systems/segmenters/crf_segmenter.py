"""A CRF segmenter trained here, on a standard that the user has: `crf:msr`, `crf:daily` ...

One tag per character (B, M, E, S), by the characters and the lexicon's words around it. F1 on every
tenth sentence, held out, is part of the record. A model is trained when it is first asked for and
kept in the weights folder, under a name that holds a hash of everything it rests on.

Source: the character tagging of Xue (2003); attributes after Tseng et al. (2005).
"""

import ctypes
import hashlib
import itertools
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from builders.morphseg.sources import bmes
from ground.files import whole, write_whole
from ground.hashes import N_HEX
from research.systems.segmenters.gold_sentences import corpus, read_sentences, read_word_list
from research.systems.weights import folder

LONGEST_WORD = 5  # characters of a lexicon word that are told apart
HELD_OUT = 10  # every tenth sentence
FEATURES = "1"  # another set of attributes needs another number
SETTINGS = {"algorithm": "ap", "max_iterations": 12}
SEED = 1  # that of a fresh process
OUTSIDE = "#"


@dataclass(frozen=True)
class TrainedCRF:
    """A trained segmenter: what it was trained on, F1 on the held-out sentences, its words."""

    version: str
    f1: float
    n_sentences: int
    lexicon: frozenset[str]
    tagger: Any

    def segment(self, sentences: Sequence[str]) -> list[list[str]]:
        """Words of each sentence."""
        return [
            list(words_of(text, self.tagger.tag(attributes(text, self.lexicon))))
            for text in sentences
        ]


def load_crf(name: str) -> TrainedCRF:
    """The CRF of a corpus of `corpora.toml`, trained if there is none yet."""
    entry = corpus(name)
    rests_on = [entry.text_sha256, entry.lexicon_sha256, FEATURES, SETTINGS, HELD_OUT, SEED]
    digest = hashlib.sha256(json.dumps(rests_on).encode()).hexdigest()[:N_HEX]
    path = folder() / f"crf-{name}-{digest}.model"
    lexicon = read_word_list(name)
    about = path.with_suffix(".json")
    if not about.is_file():
        write_whole(about, json.dumps(_train(name, lexicon, path)))
    tagger = _tagger(path)
    held_out = json.loads(about.read_text(encoding="utf-8"))
    version = f"{entry.name}, {held_out['n_sentences']:,} sentences {digest}"
    return TrainedCRF(version, held_out["f1"], held_out["n_sentences"], lexicon, tagger)


def attributes(text: str, lexicon: frozenset[str]) -> list[list[str]]:
    """What a CRF sees at each character of a sentence.

    Characters and pairs of characters up to two places away, and the lengths of the longest
    lexicon words that begin, end and lie around the character.
    """
    begin, end, around = lexicon_lengths(text, lexicon)
    padded = OUTSIDE * 2 + text + OUTSIDE * 2
    found = []
    for i in range(len(text)):
        a, b, c, d, e = list(padded[i : i + 5])
        single = ["C" + c, "L" + b, "R" + d, "l" + a, "r" + e]
        pairs = ["LC" + b + c, "CR" + c + d, "lL" + a + b, "Rr" + d + e, "LR" + b + d]
        found.append([*single, *pairs, f"b{begin[i]}", f"e{end[i]}", f"i{around[i]}"])
    return found


def lexicon_lengths(text: str, lexicon: frozenset[str]) -> tuple[list[int], list[int], list[int]]:
    """Length of the longest lexicon word that begins, ends and lies around each character.

    One where only the character itself does, 0 for none around; at most `LONGEST_WORD`.
    """
    n = len(text)
    begin, end, around = [1] * n, [1] * n, [0] * n
    for i in range(n):
        for length in range(2, min(LONGEST_WORD, n - i) + 1):
            if text[i : i + length] in lexicon:
                begin[i] = length
                end[i + length - 1] = max(end[i + length - 1], length)
                for j in range(i + 1, i + length - 1):
                    around[j] = max(around[j], length)
    return begin, end, around


def words_of(text: str, tags: Sequence[str]) -> Iterator[str]:
    """The words that tags cut a sentence into: one begins at each B and S, and at the start."""
    starts = [i for i, tag in enumerate(tags) if i == 0 or tag in "BS"]
    for a, b in itertools.pairwise([*starts, len(text)]):
        yield text[a:b]


def word_f1(gold: Sequence[Sequence[str]], found: Sequence[Sequence[str]]) -> float:
    """F1 of words, a word right if both its ends are; nan without any word."""
    n_right = n_words = 0
    for one, other in zip(gold, found, strict=True):
        spans = [set(_spans(words)) for words in (one, other)]
        n_right += 2 * len(spans[0] & spans[1])
        n_words += len(one) + len(other)
    return n_right / n_words if n_words else float("nan")


def seed_shuffling() -> None:
    """Starts C's random numbers over, by which CRFsuite shuffles, whatever was trained before."""
    library = None if os.name == "posix" else "msvcrt"
    ctypes.CDLL(library).srand(SEED)


def _spans(words: Sequence[str]) -> Iterator[tuple[int, int]]:
    return itertools.pairwise([0, *itertools.accumulate(map(len, words))])


def _tagger(path: Path) -> Any:
    import pycrfsuite

    tagger = pycrfsuite.Tagger()
    tagger.open(str(path))
    return tagger


def _train(name: str, lexicon: frozenset[str], path: Path) -> dict[str, Any]:
    import pycrfsuite

    sentences = read_sentences(name)
    how = dict(SETTINGS)
    trainer = pycrfsuite.Trainer(verbose=False, algorithm=how.pop("algorithm"), params=how)
    for i, words in enumerate(sentences):
        if (i + 1) % HELD_OUT:
            trainer.append(attributes("".join(words), lexicon), list(bmes(words)))
    with whole(path) as part:
        seed_shuffling()
        trainer.train(str(part))
    tagger = _tagger(path)
    gold = sentences[HELD_OUT - 1 :: HELD_OUT]
    texts = ["".join(words) for words in gold]
    found = [list(words_of(text, tagger.tag(attributes(text, lexicon)))) for text in texts]
    return {"f1": word_f1(gold, found), "n_sentences": len(sentences) - len(gold)}
