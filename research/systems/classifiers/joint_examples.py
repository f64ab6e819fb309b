"""Texts as a joint model's batches: tokens, tags, words, and what is hidden of them.

Every text is cut into tokens once. A batch is a dict of arrays, one row per text, padded; which
texts meet in it depends on the task and the seed alone, so that models of one seed that differ in
condition see the same batches of reviews.
"""

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from builders.morphseg.sources import bmes
from garden_path.models.arrays import IntArray

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
TAGS = ("B", "M", "E", "S")
LEAST = 2  # times that a character must occur to be a token
LONGEST = 192  # tokens of a text
IGNORED = -100  # label of a token that no loss is about
POOL = 2048  # texts that are sorted by length together
N_RARE = 0.15  # share of tokens that noise makes unknown
N_HIDDEN = 0.15  # share of tokens that a masked language model has to find
N_MASKED, N_KEPT = 0.8, 0.1  # of those: shares that are masked, and that stay
Batch = dict[str, IntArray]
Random = np.random.Generator


@dataclass(frozen=True)
class Example:
    """A text in tokens, special ones included, and which word each belongs to, -1 for those.

    `labels` is the label of the text, shape (), or the tag of each token, IGNORED for special ones.
    """

    ids: IntArray
    words: IntArray
    labels: IntArray


def character_tokenizer(texts: Iterable[str]) -> Any:
    """A tokenizer of transformers whose tokens are the characters that occur at least LEAST times.

    It puts [CLS] before and [SEP] behind a text; the more frequent character has the smaller id.
    """
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    counts = Counter(itertools.chain.from_iterable(texts))
    found = sorted((c for c, n in counts.items() if n >= LEAST), key=lambda c: (-counts[c], c))
    places = {token: i for i, token in enumerate([*SPECIAL, *found])}
    tokenizer = Tokenizer(models.WordLevel(places, unk_token=SPECIAL[1]))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("."), "isolated")
    ends = [(token, places[token]) for token in SPECIAL[2:4]]
    tokenizer.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", None, ends)
    names = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, **dict(zip(names, SPECIAL, strict=True))
    )


def read_examples(
    tokenizer: Any, sentences: Sequence[Sequence[str]], labels: Sequence[int] | None = None
) -> list[Example]:
    """Texts in tokens of a fast tokenizer, cut off behind LONGEST, by the words of each.

    Without labels of the texts those are the tags of their tokens; a token of several characters
    has the tag of its first.
    """
    encoded = tokenizer(
        ["".join(words) for words in sentences],
        truncation=True,
        max_length=LONGEST,
        return_offsets_mapping=True,
    )
    found = []
    for i, words in enumerate(sentences):
        spans = encoded["offset_mapping"][i]
        of_word = [k for k, word in enumerate(words) for _ in word]
        tags = [TAGS.index(tag) for tag in bmes(words)]
        word_of_token = [of_word[a] if a < b else -1 for a, b in spans]
        own = [tags[a] if a < b else IGNORED for a, b in spans] if labels is None else labels[i]
        ids = np.array(encoded["input_ids"][i])
        found.append(Example(ids, np.array(word_of_token), np.array(own)))
    return found


def draw_batches(examples: Sequence[Example], n_tokens: int, random: Random) -> Iterator[list[int]]:
    """Places of the examples of batch after batch, without end, every example once in a round.

    A batch has at most `n_tokens` tokens, padding included, but at least one example; texts of like
    length meet.
    """
    lengths = [len(example.ids) for example in examples]
    while True:
        order = random.permutation(len(examples))
        for begin in range(0, len(order), POOL):
            pool = order[begin : begin + POOL].tolist()
            batches = list(of_like_length(pool, lengths, n_tokens))
            for k in random.permutation(len(batches)).tolist():
                yield batches[k]


def of_like_length(places: Iterable[int], lengths: Sequence[int], most: int) -> Iterator[list[int]]:
    """Which places go together: at most `most` tokens with padding, or one place."""
    batch: list[int] = []
    for place in sorted(places, key=lambda i: lengths[i]):
        if batch and (len(batch) + 1) * lengths[place] > most:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def labelled_batches(
    examples: Sequence[Example], tokenizer: Any, n_tokens: int, random: Random
) -> Iterator[Batch]:
    """Batches with labels; in every second one tokens are made unknown, as those never seen are."""
    for number, places in enumerate(draw_batches(examples, n_tokens, random)):
        chosen = [examples[i] for i in places]
        batch = collate(chosen, tokenizer.pad_token_id)
        if number % 2:
            is_text = padded([example.words for example in chosen], -1) >= 0
            is_rare = is_text & (random.random(is_text.shape) < N_RARE)
            batch["input_ids"][is_rare] = tokenizer.unk_token_id
        yield batch


def masked_batches(
    examples: Sequence[Example], tokenizer: Any, n_tokens: int, random: Random, *, is_by_word: bool
) -> Iterator[Batch]:
    """Batches in which characters, or whole words, are hidden: the same share of the tokens."""
    for places in draw_batches(examples, n_tokens, random):
        hidden = []
        for example in (examples[i] for i in places):
            is_text = example.words >= 0
            units = example.words if is_by_word else np.where(is_text, np.arange(is_text.size), -1)
            ids, labels = hide(example.ids, units, tokenizer, random)
            hidden.append(Example(ids, example.words, labels))
        yield collate(hidden, tokenizer.pad_token_id)


def hide(
    ids: IntArray, units: IntArray, tokenizer: Any, random: Random
) -> tuple[IntArray, IntArray]:
    """A text with some of it hidden, and the hidden tokens at their places, IGNORED elsewhere.

    Tokens of one unit are hidden together, those of -1 never: units are chosen until N_HIDDEN of
    the tokens, but at least one unit, are hidden.
    """
    names = np.unique(units[units >= 0])
    n_wanted = max(1, round(N_HIDDEN * int((units >= 0).sum())))
    shown, labels = ids.copy(), np.full_like(ids, IGNORED)
    for name in random.permutation(names):
        n_left = n_wanted - int((labels != IGNORED).sum())
        if n_left <= 0:
            break
        places = np.flatnonzero(units == name)
        labels[places] = ids[places]
        draw = random.random()
        if draw < N_MASKED:
            shown[places] = tokenizer.mask_token_id
        elif draw >= N_MASKED + N_KEPT:
            shown[places] = random.integers(len(tokenizer), size=len(places))
    return shown, labels


def collate(examples: Sequence[Example], pad: int) -> Batch:
    """A batch: `input_ids`, `attention_mask` and `labels`, padded to the longest."""
    labels = [example.labels for example in examples]
    return {
        "input_ids": padded([example.ids for example in examples], pad),
        "attention_mask": padded([np.ones_like(example.ids) for example in examples], 0),
        "labels": np.array(labels) if labels[0].ndim == 0 else padded(labels, IGNORED),
    }


def padded(rows: Sequence[IntArray], filling: int) -> IntArray:
    """Rows as one array, each filled up to the longest."""
    found = np.full((len(rows), max(map(len, rows))), filling, dtype=np.int64)
    for i, row in enumerate(rows):
        found[i, : len(row)] = row
    return found


def as_tensors(batch: Mapping[str, IntArray], device: Any) -> dict[str, Any]:
    """A batch as tensors of a device."""
    import torch

    return {name: torch.from_numpy(values).to(device) for name, values in batch.items()}
