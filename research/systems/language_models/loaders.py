"""Language models of the studies.

gguf:NAME           a causal one that packages carry (`python -m research systems weights`)
unigram:LANGUAGE, bigram:LANGUAGE   counts of a free text: what a model gets that knows words, or
                    neighbours, alone

The latter are trained when loaded, on a text that `ngram_texts.toml` names: words and marks of
German and English, characters of Chinese. What a history has not shown goes to the shorter one, in
proportion to how often it showed something new (Witten & Bell 1991), an unknown word to its
characters.
"""

import hashlib
import importlib
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from garden_path.models.checkpoints import load_checkpoint
from garden_path.models.language_models import BATCH_SIZE, LanguageModelSettings, text_model
from garden_path.models.system import Loader, System
from ground.sources import read_source
from ground.tables import read_settings
from metrics._shared.language_models import CAUSAL, TokenScores, token_scores
from metrics._shared.plain_text import lines_of
from research.systems.segmenters.gold_sentences import read_sentences

TABLE = Path(__file__).parent / "ngram_texts.toml"
WORD, CHARACTER = re.compile(r"\w+|[^\w\s]"), re.compile(r"\S")
START = ""
N_CHARACTERS = 200  # that an unknown word may be made of


@dataclass(frozen=True)
class Text:
    """A text to train on."""

    name: str  # what it is, in words, with its licence
    unit: str  # `word` or `character`
    corpus: str = ""  # of `corpora.toml`
    treebanks: dict[str, str] = field(default_factory=dict)  # SHA-256 of CoNLL-U files by path
    topics: str = ""  # a module with a dict `topics` of texts

    def sentences(self) -> Iterator[str]:
        """Its sentences or paragraphs; a ValueError where a file is not the recorded one."""
        if self.corpus:
            yield from ("".join(words) for words in read_sentences(self.corpus))
        for path, sha256 in self.treebanks.items():
            lines = lines_of(read_source(path, sha256, TABLE.name).decode())
            yield from (line[9:] for line in lines if line.startswith("# text = "))
        if self.topics:
            topics = importlib.import_module(self.topics).topics
            yield from (part for name in sorted(topics) for part in topics[name].split("\n\n"))

    def units(self, text: str) -> list[tuple[int, int]]:
        """Where the units of a text stand, half open."""
        pattern = WORD if self.unit == "word" else CHARACTER
        return [match.span() for match in pattern.finditer(text)]


@cache
def texts() -> dict[str, Text]:
    """Every text by its language."""
    return {name: Text(**values) for name, values in read_settings(TABLE).items()}


@dataclass(frozen=True)
class Ngrams:
    """Counts of a text and its hash; START stands before the first unit of a sentence."""

    text: Text
    units: Counter[str]
    pairs: Counter[tuple[str, str]]  # of a unit and what follows it
    histories: Counter[str]  # how much follows a unit
    followers: Counter[str]  # how many different ones
    digest: str

    def log_probability(self, unit: str, before: str | None) -> float:
        """Natural logarithm of P(unit), or of P(unit | before)."""
        n, types = self.units.total(), len(self.units)
        unknown = (1 / N_CHARACTERS) ** (len(unit) + 1)
        alone = (self.units[unit] + types * unknown) / (n + types)
        if before is None or not self.histories[before]:
            return math.log(alone)
        new = self.followers[before]
        return math.log((self.pairs[before, unit] + new * alone) / (self.histories[before] + new))

    def tokens(self, text: str, order: int) -> list[tuple[int, int, float]]:
        """Start, end and log-probability of each unit of a text, under histories of order - 1."""
        spans = self.text.units(text)
        units = [text[start:end] for start, end in spans]
        before = [START, *units] if order > 1 else [None] * len(units)
        each = zip(spans, units, before, strict=False)
        return [(*span, self.log_probability(unit, last)) for span, unit, last in each]


def count(text: Text, sentences: Sequence[str]) -> Ngrams:
    """Counts of the units of some sentences and of their neighbours."""
    lines = [[line[start:end] for start, end in text.units(line)] for line in sentences]
    pairs = Counter(pair for line in lines for pair in zip([START, *line], line, strict=False))
    histories: Counter[str] = Counter()
    for (before, _), n in pairs.items():
        histories[before] += n
    followers = Counter(before for before, _ in pairs)
    digest = hashlib.sha256("\n".join(sentences).encode()).hexdigest()[:16]
    units = Counter(unit for line in lines for unit in line)
    return Ngrams(text, units, pairs, histories, followers, digest)


@cache
def trained(language: str) -> Ngrams:
    """The counts of a language's text; a ValueError names the languages there are."""
    if language not in texts():
        raise ValueError(f"language, got {language!r}; expected one of {', '.join(texts())}")
    return count(texts()[language], list(texts()[language].sentences()))


def load_gguf(name: str, argument: str, settings: LanguageModelSettings) -> System:
    """A causal language model by its name in `weights.toml`; errors as `gguf.packaged_folder`."""
    from research.systems import weights
    from research.systems.language_models import gguf

    checkpoint = load_checkpoint(str(gguf.packaged_folder(argument)), settings, CAUSAL)
    version = f"{weights.version(argument)} {checkpoint.version.rpartition(' ')[2]}"
    return text_model(name, argument, replace(checkpoint, version=version), settings)


def load_ngrams(name: str, argument: str, settings: LanguageModelSettings) -> System:
    """A unigram or bigram model, trained on the spot; a ValueError without text of the language."""
    order = ("unigram", "bigram").index(name.partition(":")[0]) + 1
    counts = trained(argument)

    def predict(texts: Sequence[str]) -> list[TokenScores]:
        found = [counts.tokens(text, order) for text in texts]
        return [token_scores([t[:2] for t in one], [t[2] for t in one]) for one in found]

    n = len(counts.units) + (len(counts.pairs) if order > 1 else 0)
    version = f"text {counts.digest}"
    return System(name, version, predict, n_parameters=n, batch_size=BATCH_SIZE)


LOADERS: Mapping[str, Loader] = {
    "gguf": Loader(load_gguf, "NAME", install="'.[models,real]'"),
    "unigram": Loader(load_ngrams, "LANGUAGE"),
    "bigram": Loader(load_ngrams, "LANGUAGE"),
}
