"""Chinese word segmenters: sentences in, words out, the words of a sentence concatenating to it.

jieba, jieba-no-hmm     the dictionary segmenter, through rjieba, whose output is jieba's own
file:PATH               what another segmenter gave: words between blanks, a sentence a line, or
                        a table or JSON; see `garden_path.readers`
transformers:NAME       any token classification model with tags B M E S, B I E S or B I
python:package.module:function   your own: a list of sentences in, their lists of words out
"""

import functools
import importlib.metadata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from garden_path.models.checkpoints import output_version
from garden_path.models.system import Loader, Settings, System, as_list
from garden_path.readers.predictions import read_words

Segment = Callable[[Sequence[str]], list[list[str]]]
Words = Callable[[], frozenset[str]]
BATCH_SIZE = 4096


@dataclass(frozen=True)
class Segmenter(System):
    """A word segmenter ready to run.

    Attributes:
        predict: Words of each sentence.
        words: Gives the words it knows, where it goes by a dictionary; None where it does not.
        script: The script that it is made for, `simplified` or `traditional`; None for both.
    """

    predict: Segment
    batch_size: int | None = field(default=BATCH_SIZE, kw_only=True)
    words: Words | None = field(default=None, kw_only=True)
    script: str | None = field(default=None, kw_only=True)

    @functools.cached_property
    def lexicon(self) -> frozenset[str] | None:
        """The words it knows, None without a dictionary; read when first asked for."""
        return self.words() if self.words else None


SETTINGS = Settings


def make_segmenter(
    name: str,
    version: str,
    segment: Callable[[Sequence[str]], Sequence[Sequence[str]]],
    *,
    batch_size: int | None = BATCH_SIZE,
    n_parameters: int | None = None,
    words: Words | None = None,
    script: str | None = None,
) -> Segmenter:
    """A segmenter whose words are checked: those of each sentence make it up."""
    return Segmenter(
        name,
        version,
        functools.partial(_segment_checked, name, segment),
        batch_size=batch_size,
        n_parameters=n_parameters,
        words=words,
        script=script,
    )


def of_function(
    name: str,
    version: str,
    function: Callable[[list[str]], Sequence[Sequence[str]]],
    settings: Settings,
) -> Segmenter:
    """A segmenter of a user's function: a list of sentences in, a list of words for each out."""
    return make_segmenter(name, version, lambda sentences: function(list(sentences)))


def load_jieba(name: str, argument: str, settings: Settings) -> Segmenter:
    """Loads rjieba, jieba in Rust; with HMM it also finds words that it does not know."""
    import rjieba

    from builders.eras.dictionary import dictionary_words

    uses_hmm = name == "jieba"
    return make_segmenter(
        name,
        _version("rjieba"),
        lambda sentences: [rjieba.cut(s, uses_hmm) for s in sentences],
        words=dictionary_words,
    )


def load_output(name: str, argument: str, settings: Settings) -> Segmenter:
    """Reads another segmenter's words from a file."""
    version = output_version(argument)
    return make_segmenter(
        name, version, lambda batch: read_words(argument, batch).told(), batch_size=None
    )


def load_tagger(name: str, argument: str, settings: Settings) -> Segmenter:
    """Loads a token classification model of transformers."""
    from garden_path.models.tagged_segmentation import load_tagged_segmenter

    checkpoint, segment = load_tagged_segmenter(argument, settings)
    return make_segmenter(
        name,
        checkpoint.version,
        segment,
        batch_size=1024,
        n_parameters=checkpoint.n_parameters,
    )


def _segment_checked(
    name: str,
    segment: Callable[[Sequence[str]], Sequence[Sequence[str]]],
    sentences: Sequence[str],
) -> list[list[str]]:
    found = as_list(name, "words of sentences", segment(sentences), len(sentences))
    cut = [as_list(name, "words", words) for words in found]
    for sentence, words in zip(sentences, cut, strict=True):
        if "".join(map(str, words)) != sentence:
            raise ValueError(
                f"{name}: words, got {words!r}; expected words that make up {sentence}"
            )
    return cut


def _version(package: str) -> str:
    return importlib.metadata.version(package)


LOADERS: Mapping[str, Loader] = {
    "jieba": Loader(load_jieba, install="rjieba"),
    "jieba-no-hmm": Loader(load_jieba, install="rjieba"),
    "file": Loader(load_output, "PATH"),
    "transformers": Loader(load_tagger, "NAME[@REVISION]", install="'.[models]'"),
}
