"""Batches of the character encoder: masked characters, and tags with words exchanged.

Batch number n of a seed is always the same, so that training can stop and go on anywhere.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from garden_path.models.arrays import IntArray
from research.systems.classifiers.joint_examples import (
    IGNORED,
    N_HIDDEN,
    N_KEPT,
    N_MASKED,
    TAGS,
    Batch,
    Example,
    Random,
    collate,
    draw_batches,
    padded,
)
from research.systems.segmenters.encoder_texts import EncoderTexts, TrainingText

N_UNKNOWN = 0.05  # share of the tokens of every second batch that are made unknown
N_EXCHANGED = 0.4  # share of the words of a text that give way to one of the word list
LENGTHS = (2, 3, 4)  # characters of the words that do
N_REPEATED = 3  # times that a text with a word list is read where a larger one without is read once
B, M, E, S = range(len(TAGS))


@dataclass(frozen=True)
class TaggedText:
    """The examples of one gold text, each behind the token of its standard, and its word list.

    `lists` has token ids of the words of each length, shape (words, length).
    """

    examples: Sequence[Example]
    lists: Mapping[int, IntArray]


def tagged_text(text: TrainingText, tokenizer: Any) -> TaggedText:
    """A gold text in tokens."""
    ids = _ids(tokenizer)
    first = tokenizer.convert_tokens_to_ids(standard_token(text.standard))
    examples = [_example(ids, words, first) for words in text.pieces]
    lists = {}
    for length in LENGTHS:
        words = [[ids(c) for c in word] for word in text.word_list if len(word) == length]
        if words:
            lists[length] = np.array(words)
    return TaggedText(examples, lists)


def unlabelled_examples(texts: EncoderTexts, tokenizer: Any) -> list[Example]:
    """All pieces of all texts in tokens, each between [CLS] and [SEP]."""
    ids = _ids(tokenizer)
    first = tokenizer.cls_token_id
    gold = (piece for text in texts.gold for piece in text.pieces)
    return [_example(ids, words, first) for words in itertools.chain(gold, texts.unlabelled)]


def standard_token(standard: str) -> str:
    """The token that stands in the place of [CLS] before a text of a standard."""
    return f"[{standard}]"


def masked(
    examples: Sequence[Example], tokenizer: Any, n_tokens: int, seed: int, start: int = 0
) -> Iterator[Batch]:
    """Batches of a masked language model, from number `start` on: single characters are hidden."""
    for chosen, random in _drawn(examples, n_tokens, [seed, 0], start):
        batch = collate(chosen, tokenizer.pad_token_id)
        ids = batch["input_ids"]
        is_text = padded([example.words for example in chosen], -1) >= 0
        is_hidden = is_text & (random.random(ids.shape) < N_HIDDEN)
        batch["labels"] = np.where(is_hidden, ids, IGNORED)
        draw = random.random(ids.shape)
        drawn = random.integers(len(tokenizer), size=ids.shape)
        ids[is_hidden & (draw < N_MASKED)] = tokenizer.mask_token_id
        is_other = is_hidden & (draw >= N_MASKED + N_KEPT)
        ids[is_other] = drawn[is_other]
        yield batch


def tagged(
    texts: Sequence[TaggedText], tokenizer: Any, n_tokens: int, seed: int, start: int = 0
) -> Iterator[Batch]:
    """Batches with tags, from number `start` on.

    Of the words with tags B to E a share gives way to words of the same length from the standard's
    list, and in every second batch a share of the tokens is made unknown.
    """
    every = [one for text in texts for one in [*text.examples] * (N_REPEATED if text.lists else 1)]
    source = {id(example): text for text in texts for example in text.examples}
    for number, (chosen, random) in enumerate(_drawn(every, n_tokens, [seed, 1], start), start):
        batch = collate(chosen, tokenizer.pad_token_id)
        _exchange(batch, [source[id(example)] for example in chosen], random)
        if number % 2:
            is_text = batch["labels"] != IGNORED
            is_unknown = is_text & (random.random(is_text.shape) < N_UNKNOWN)
            batch["input_ids"][is_unknown] = tokenizer.unk_token_id
        yield batch


def _drawn(
    examples: Sequence[Example], n_tokens: int, key: Sequence[int], start: int
) -> Iterator[tuple[list[Example], Random]]:
    places = draw_batches(examples, n_tokens, np.random.default_rng(key))
    for number, some in enumerate(itertools.islice(places, start, None), start):
        yield [examples[i] for i in some], np.random.default_rng([*key, number])


def _exchange(batch: Batch, sources: Sequence[TaggedText], random: Random) -> None:
    """Exchanges words in place."""
    rows, starts = np.nonzero(batch["labels"] == B)
    ends = np.nonzero(batch["labels"] == E)[1]  # one for each start, in the same order
    lengths = ends - starts + 1
    is_drawn = random.random(len(rows)) < N_EXCHANGED
    for text in {id(one): one for one in sources}.values():
        is_own = np.array([one is text for one in sources])
        for length, words in text.lists.items():
            chosen = np.flatnonzero(is_drawn & (lengths == length) & is_own[rows])
            places = starts[chosen, None] + np.arange(length)
            new = words[random.integers(len(words), size=len(chosen))]
            batch["input_ids"][rows[chosen, None], places] = new


def _ids(tokenizer: Any) -> Any:
    known, unknown = tokenizer.get_vocab(), tokenizer.unk_token_id
    return lambda character: known.get(character, unknown)


def _example(ids: Any, words: Sequence[str], first: int) -> Example:
    """Words in tokens, [SEP] being the one behind [CLS]; a string is one of single characters."""
    lengths = np.array([len(word) for word in words])
    ends = np.cumsum(lengths)
    tags = np.full(ends[-1], M)
    tags[ends - 1] = E
    tags[ends - lengths] = B
    tags[(ends - lengths)[lengths == 1]] = S
    text = [ids(character) for word in words for character in word]
    of_word = np.repeat(np.arange(len(words)), lengths)
    return Example(
        np.array([first, *text, ids("[SEP]")]),
        np.concatenate([[-1], of_word, [-1]]),
        np.concatenate([[IGNORED], tags, [IGNORED]]),
    )
