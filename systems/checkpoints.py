"""Models of `transformers` by name or folder, with revision and weights on record.

Needs torch and transformers, imported when a model is loaded.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ground.revisions import split_revision
from systems.system import Settings

N_HEX = 16  # digits of a hash that are kept: no two models of one study meet by chance


@dataclass(frozen=True)
class Checkpoint:
    """A loaded model with its tokenizer.

    Attributes:
        model: In evaluation mode, on its device.
        tokenizer: Its tokenizer.
        version: Name and commit on the Hub, or folder and a hash of its files; and number type.
        n_parameters: Weights of the model.
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
    """Loads a model and its tokenizer.

    Args:
        argument: `NAME[@REVISION]` on the Hub, or a folder.
        settings: Device, number type, revision.
        architecture: Class of transformers that loads it, such as `AutoModelForCausalLM`.
        encoder_decoder: The class for models with encoder and decoder, where it is another.
        tokenizer_options: Further arguments of the tokenizer.

    Raises:
        ValueError: The model is not there, or two revisions are named.
    """
    import torch
    import transformers

    name, revision = split_revision(argument, settings.revision)
    dtype = settings.dtype if settings.dtype == "auto" else getattr(torch, settings.dtype)
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(
            name, revision=revision, **tokenizer_options
        )
        config = transformers.AutoConfig.from_pretrained(name, revision=revision)
        is_encoder_decoder = bool(encoder_decoder and config.is_encoder_decoder)
        kind = getattr(transformers, encoder_decoder if is_encoder_decoder else architecture)
        model = kind.from_pretrained(name, revision=revision, dtype=dtype)
    except (OSError, ValueError) as error:
        raise ValueError(
            f"transformers:{argument}: model, got {str(error).splitlines()[0]}; expected a folder"
            " of this machine or a model of the Hub"
        ) from error
    model = model.to(settings.device).eval()
    weights = _weights_version(name, getattr(config, "_commit_hash", None))
    number_type = str(model.dtype).removeprefix("torch.")
    n_parameters = sum(parameter.numel() for parameter in model.parameters())
    return Checkpoint(model, tokenizer, f"{weights} {number_type}", n_parameters)


def fingerprint(path: Path) -> str:
    """Hash of a file, or of all files below a folder with their names.

    It makes another model at the same place another system.
    """
    digest = hashlib.sha256()
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
    for file in files:
        digest.update(f"{file.relative_to(path).as_posix()}\0{file.stat().st_size}\0".encode())
        with file.open("rb") as content:
            while chunk := content.read(1 << 20):
                digest.update(chunk)
    return digest.hexdigest()[:N_HEX]


def _weights_version(name: str, commit: str | None) -> str:
    folder = Path(name)
    if folder.is_dir():
        return f"{folder.name} {fingerprint(folder)}"
    return f"{name}@{commit[:N_HEX]}" if commit else name
