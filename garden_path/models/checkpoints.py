"""Models of `transformers` by name or folder, with revision and weights on record."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from garden_path.models.system import SHORT_DTYPES, SHORT_DTYPES_SAY, Settings
from ground.hashes import N_HEX, fingerprint
from ground.revisions import split_revision
from metrics._shared.language_models import load_model, loaded, run_batches


@dataclass(frozen=True)
class Checkpoint:
    """A loaded model, in evaluation mode on its device, with its tokenizer.

    `version`: name and commit on the Hub, or folder and a hash of its files; and number type.
    """

    model: Any
    tokenizer: Any
    version: str
    n_parameters: int


def load_checkpoint(
    argument: str,
    settings: Settings,
    architecture: str,
    *,
    encoder_decoder: str = "",
    **tokenizer_options: Any,
) -> Checkpoint:
    """Loads a model, `NAME[@REVISION]` on the Hub or a folder, and its tokenizer.

    `architecture` is the class of transformers that loads it, `encoder_decoder` that for models
    with encoder and decoder, where it is another.
    """
    name, revision = split_revision(argument, settings.revision)
    if encoder_decoder:
        import transformers

        configured = loaded(transformers.AutoConfig, name, revision=revision)
        architecture = encoder_decoder if configured.is_encoder_decoder else architecture
    options = tokenizer_options | {"device": settings.device, "dtype": settings.dtype}
    model, tokenizer = load_model(name, architecture, revision=revision, **options)
    weights = fingerprint_of(name, getattr(model.config, "_commit_hash", None))
    number_type = str(model.dtype).removeprefix("torch.")
    if settings.dtype == "auto" and number_type in SHORT_DTYPES:
        print(f"{name}: dtype auto is {number_type}, {SHORT_DTYPES_SAY}", file=sys.stderr)
    n_parameters = sum(parameter.numel() for parameter in model.parameters())
    return Checkpoint(model, tokenizer, f"{weights} {number_type}", n_parameters)


def distinct_answers(
    checkpoint: Checkpoint,
    texts: Sequence[str],
    read: Callable[[Any, list[int], Sequence[str], Any], Sequence[Any]],
    most: int | None,
    **tokenizer_options: Any,
) -> list[Any]:
    """What a network says of each text: distinct ones once, at most `most` in a batch.

    `read` tells it of logits, places in the batch, all texts and their encoding.
    """
    if not (distinct := list(dict.fromkeys(texts))):
        return []
    model, tokenizer = checkpoint.model, checkpoint.tokenizer
    encoded = tokenizer(distinct, **tokenizer_options)

    def of_batch(logits: Any, places: list[int]) -> Sequence[Any]:
        return read(logits, places, distinct, encoded)

    said = run_batches(model, tokenizer, distinct, of_batch, encoded, most)
    by_text = dict(zip(distinct, said, strict=True))
    return [by_text[text] for text in texts]


def output_version(path: str) -> str:
    """Hash of a file that holds the output of another system; FileNotFoundError for none."""
    if not Path(path).is_file():
        raise FileNotFoundError(f"file:{path}: predictions, got no such file; expected one")
    return fingerprint(Path(path))


def fingerprint_of(name: str, commit: str | None) -> str:
    """What tells a model by name or folder from another: its commit, or the hash of its files."""
    folder = Path(name)
    if folder.is_dir():
        return f"{folder.name} {fingerprint(folder)}"
    return f"{name}@{commit[:N_HEX]}" if commit else name
