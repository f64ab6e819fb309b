"""What goes into the seq2seq networks: dimensions, words as symbols, order of examples.

Source: the characters of a word. Target: BEGIN, its characters with a SEPARATOR between morphemes,
END. PAD is 0.
"""

import itertools
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from garden_path.models.arrays import IntArray

Morphemes = Sequence[str]
Cell = Literal["gru", "lstm"]
PAD, BEGIN, END, SEPARATOR, UNKNOWN = range(5)
N_SPECIAL = 5
UNKNOWN_CHARACTER = "\N{REPLACEMENT CHARACTER}"
LENGTH_STEP = 4  # lengths are rounded up to multiples, so that few shapes of batches occur


@dataclass(frozen=True)
class Architecture:
    """What a network is and how it is trained."""

    cell: Cell = "gru"  # as the paper says, or "lstm" as its program did
    embedding: int = 300
    hidden: int = 100  # each direction of the encoder has half of it
    dropout: float = 0.3  # share of units dropped between layers and after the attention
    n_steps: int = 10_000  # batches, whatever the size of the data set
    batch_size: int = 16
    beam: int = 5  # hypotheses kept in decoding


@dataclass(frozen=True)
class Examples:
    """The training words of m networks, which may have different numbers of words.

    Attributes:
        vocabularies: The symbol of each character, for each network; one vocabulary for both sides.
        sources: Symbols, shape (m, words, length), PAD after the end.
        targets: Symbols with BEGIN and END, shape (m, words, length + 1).
        source_lengths, target_lengths: Numbers of symbols of each word, BEGIN not counted.
    """

    vocabularies: list[dict[str, int]]
    sources: IntArray
    targets: IntArray
    source_lengths: list[IntArray]
    target_lengths: list[IntArray]

    @classmethod
    def of(cls, trainings: Sequence[Sequence[Morphemes]]) -> "Examples":
        """Encodes each network's training words; a ValueError where one has none."""
        if not trainings or not all(trainings):
            raise ValueError(
                f"seq2seq: training words, got {[len(t) for t in trainings]}; expected at least"
                " one for each network"
            )
        vocabularies = list(map(vocabulary, trainings))
        both = list(zip(trainings, vocabularies, strict=True))
        sources = [[encode_source("".join(m), v) for m in training] for training, v in both]
        targets = [[encode_target(m, v) for m in training] for training, v in both]
        source_lengths = [np.array(list(map(len, words))) for words in sources]
        target_lengths = [np.array(list(map(len, words))) - 1 for words in targets]
        longest = round_up(max(int(lengths.max()) for lengths in target_lengths))
        symbols = pad(sources), pad(targets, longest + 1)
        return cls(vocabularies, *symbols, source_lengths, target_lengths)

    def shape_of(self, chosen: IntArray) -> tuple[int, int]:
        """Rounded lengths of source and target that hold the words (m, batch), -1 for none."""
        words = [indices[indices >= 0] for indices in chosen]
        source, target = (
            round_up(max(int(own[w].max()) for own, w in zip(lengths, words, strict=True)))
            for lengths in (self.source_lengths, self.target_lengths)
        )
        return source, target


def vocabulary(training: Sequence[Morphemes]) -> dict[str, int]:
    """A symbol for each character of the words, by code point; those below N_SPECIAL are taken."""
    characters = sorted(set().union(*(morph for morphemes in training for morph in morphemes)))
    return {character: number for number, character in enumerate(characters, N_SPECIAL)}


def encode_source(word: str, symbols: Mapping[str, int]) -> list[int]:
    """Symbols of a word's characters, UNKNOWN for those never seen."""
    return [symbols.get(character, UNKNOWN) for character in word]


def encode_target(morphemes: Morphemes, symbols: Mapping[str, int]) -> list[int]:
    """BEGIN, the symbols of the morphemes with SEPARATOR between them, END."""
    parts = [encode_source(morph, symbols) for morph in morphemes]
    inner = [symbol for part in parts for symbol in (SEPARATOR, *part)][1:]
    return [BEGIN, *inner, END]


def decode_target(symbols: Sequence[int], characters: Mapping[int, str]) -> list[str]:
    """Morphemes of an output up to its END; they need not be parts of the word, or may be empty."""
    morphemes = [""]
    for symbol in itertools.takewhile(lambda symbol: symbol != END, symbols):
        if symbol == SEPARATOR:
            morphemes.append("")
        else:
            morphemes[-1] += characters.get(symbol, UNKNOWN_CHARACTER)
    return morphemes


def pad(words: Sequence[Sequence[Sequence[int]]], length: int = 0) -> IntArray:
    """Symbol lists as one array (m, words, length), PAD where a word or a list ends."""
    length = length or round_up(max(len(symbols) for network in words for symbols in network))
    padded = np.full((len(words), max(map(len, words)), length), PAD, dtype=np.int64)
    for network, lists in enumerate(words):
        for word, symbols in enumerate(lists):
            padded[network, word, : len(symbols)] = symbols
    return padded


def batches(lengths: IntArray, seed: int, batch_size: int) -> Iterator[IntArray]:
    """Yields one network's batches without end: indices of its words, filled up with -1.

    In each epoch words of equal length are shuffled and neighbours in length form a batch, as
    OpenNMT does it. The order of the batches depends on their number alone, so that networks in one
    stack have short words at the same time.
    """
    for epoch in itertools.count():
        shuffled = np.random.default_rng([seed % 2**63, epoch]).permutation(len(lengths))
        by_length = shuffled[np.argsort(lengths[shuffled], kind="stable")]
        n_batches = -(-len(by_length) // batch_size)
        filled = np.full((n_batches, batch_size), -1)
        filled.flat[: len(by_length)] = by_length
        yield from filled[np.random.default_rng([n_batches, epoch]).permutation(n_batches)]


def round_up(length: int) -> int:
    """Rounds a length up to a multiple of LENGTH_STEP."""
    return -(-length // LENGTH_STEP) * LENGTH_STEP


SECONDS_BETWEEN_CHECKPOINTS = 120.0


@dataclass(frozen=True)
class Stack:
    """Networks of one architecture that are trained together on their own words as morphemes."""

    key: str  # of everything its results depend on
    architecture: Architecture
    seeds: Sequence[int]
    trainings: Sequence[Sequence[Morphemes]]
    words: Sequence[Sequence[str]]  # what each is to segment


def run_stack(
    stack: Stack, device: str = "cpu", *, checkpoint: Path | None = None
) -> list[list[list[str]]]:
    """Trains a stack, or goes on from `checkpoint`; what each network makes of its words."""
    from research.systems.morphology.seq2seq import Training, segment

    training = Training(stack.trainings, stack.seeds, stack.architecture, device)
    if checkpoint is not None and checkpoint.exists():
        training.restore(checkpoint)
    saved = time.monotonic()
    for _ in training.run():
        if checkpoint is not None and time.monotonic() - saved > SECONDS_BETWEEN_CHECKPOINTS:
            checkpoint.parent.mkdir(parents=True, exist_ok=True)
            training.save(checkpoint)
            saved = time.monotonic()
    segmented: list[list[list[str]]] = segment(
        training.networks, training.examples.vocabularies, stack.words
    )
    if checkpoint is not None:
        checkpoint.unlink(missing_ok=True)
    return segmented
