"""Chinese word segmenters: sentences in, words out, the words of a sentence concatenating to it.

jieba, jieba-no-hmm     the dictionary segmenter, through rjieba, whose output is jieba's own
file:PATH               what another segmenter gave: words between blanks, a sentence a line, or
                        a table or JSON; see `garden_path.readers`
transformers:NAME       any token classification model with tags B M E S, B I E S or B I
python:package.module:function   your own: a list of sentences in, their lists of words out
"""

import functools
import importlib.metadata
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from garden_path.models.checkpoints import distinct_answers, load_checkpoint, output_version
from garden_path.models.system import Function, Loader, Settings, System, as_list, each_checked
from garden_path.readers.predictions import read_words

BATCH_SIZE = 4096
BEGIN, INSIDE = frozenset("BS"), frozenset("MEI")


@dataclass(frozen=True)
class Segmenter(System):
    """A word segmenter; `predict` gives the words of each sentence.

    `words` gives those of its dictionary; `script` is the one that it is made for, None for both.
    """

    batch_size: int | None = field(default=BATCH_SIZE, kw_only=True)
    words: Callable[[], frozenset[str]] | None = field(default=None, kw_only=True)
    script: str | None = field(default=None, kw_only=True)

    @functools.cached_property
    def lexicon(self) -> frozenset[str] | None:
        """The words it knows, None without a dictionary; read when first asked for."""
        return self.words() if self.words else None


SETTINGS = Settings


def make_segmenter(name: str, version: str, segment: Function, **more: Any) -> Segmenter:
    """A segmenter whose words are checked: those of each sentence make it up."""
    predict = each_checked(name, "words of sentences", segment, _checked_words)
    return Segmenter(name, version, predict, **more)


def of_function(name: str, version: str, function: Function, settings: Settings) -> Segmenter:
    """A segmenter of a user's function: a list of sentences in, a list of words for each out."""
    return make_segmenter(name, version, function)


def _checked_words(name: str, sentence: str, found: object) -> list[Any]:
    words = as_list(name, "words", found)
    if "".join(map(str, words)) != sentence:
        raise ValueError(f"{name}: words, got {words!r}; expected words that make up {sentence}")
    return words


def load_jieba(name: str, argument: str, settings: Settings) -> Segmenter:
    """Loads rjieba, jieba in Rust; with HMM it also finds words that it does not know."""
    import rjieba

    from builders.eras.dictionary import dictionary_words

    def segment(sentences: Sequence[str]) -> list[list[str]]:
        return [rjieba.cut(sentence, name == "jieba") for sentence in sentences]

    version = importlib.metadata.version("rjieba")
    return make_segmenter(name, version, segment, words=dictionary_words)


def load_output(name: str, argument: str, settings: Settings) -> Segmenter:
    """Reads another segmenter's words from a file."""

    def segment(sentences: Sequence[str]) -> list[Any]:
        return read_words(argument, sentences).told()

    return make_segmenter(name, output_version(argument), segment, batch_size=None)


def load_tagger(name: str, argument: str, settings: Settings) -> Segmenter:
    """Loads a token classification model of transformers; words begin at its tags B and S.

    Tags are B M E S, B I E S or B I, with or without a type behind a hyphen.
    """
    import torch

    checkpoint = load_checkpoint(argument, settings, "AutoModelForTokenClassification")
    model, tokenizer = checkpoint.model, checkpoint.tokenizer
    if not tokenizer.is_fast:
        raise ValueError(
            f"{argument}: tokenizer, got {type(tokenizer).__name__}; expected a fast one, which"
            " tells characters' offsets"
        )
    is_begin = torch.tensor(begin_tags(argument, model.config.id2label), device=settings.device)

    def read(logits: Any, places: list[int], sentences: Sequence[str], given: Any) -> list[Any]:
        rows, offsets = is_begin[logits.argmax(-1)].tolist(), given["offset_mapping"]
        cuts = [  # what fills a batch up stands behind, so that no offset belongs to it
            begin_characters(offsets[i], row[: len(offsets[i])])
            for i, row in zip(places, rows, strict=True)
        ]
        return [split_at(sentences[i], one) for i, one in zip(places, cuts, strict=True)]

    def segment(sentences: Sequence[str]) -> list[list[str]]:
        most = settings.batch_size
        return distinct_answers(checkpoint, sentences, read, most, return_offsets_mapping=True)

    more = {"batch_size": 1024, "n_parameters": checkpoint.n_parameters}
    return make_segmenter(name, checkpoint.version, segment, **more)


def begin_tags(model_name: str, labels: dict[int, str]) -> list[bool]:
    """Whether each label begins a word; a ValueError for one that is none of B, M, E, I and S."""
    tags = {labels[i]: labels[i].split("-")[0].upper() for i in sorted(labels)}
    if wrong := [label for label, tag in tags.items() if tag not in BEGIN | INSIDE]:
        raise ValueError(
            f"{model_name}: label, got {wrong[0]!r}; expected tags B, M, E, I or S: this model"
            " does not segment words"
        )
    return [tags[labels[i]] in BEGIN for i in sorted(labels)]


def begin_characters(offsets: Sequence[Sequence[int]], begins: Sequence[bool]) -> set[int]:
    """Characters at which a word begins: those of tokens tagged so; special ones are empty."""
    return {
        start
        for (start, end), is_begin in zip(offsets, begins, strict=True)
        if is_begin and end > start
    }


def split_at(sentence: str, begins: set[int]) -> list[str]:
    """Words of a sentence that begin at these characters; the first character always begins one.

    Example:
        >>> split_at("留心机动", {0, 2})
        ['留心', '机动']
    """
    cuts = [*sorted(begins | {0}), len(sentence)]
    return [sentence[a:b] for a, b in itertools.pairwise(cuts)]


LOADERS: Mapping[str, Loader] = {
    "jieba": Loader(load_jieba, install="rjieba"),
    "jieba-no-hmm": Loader(load_jieba, install="rjieba"),
    "file": Loader(load_output, "PATH"),
    "transformers": Loader(load_tagger, "NAME[@REVISION]", install="'.[models]'"),
}
