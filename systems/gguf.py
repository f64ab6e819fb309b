"""Language models that come as one GGUF file, made into a folder that transformers takes.

A GGUF file holds quantised weights, vocabulary and configuration. `transformers` reads it (with the
packages gguf and accelerate) but refuses to save what it read, since the configuration names the
quantisation; so the weights are put into a fresh model of the same configuration, as fp32, and that
is saved. What comes out is what every adapter takes: `transformers:FOLDER`.
"""

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

from filelock import FileLock

SOURCE = "source.json"  # what a folder was made of; written last
CHUNK = 1 << 20
FORMAT = 1  # of the folder; another one is made anew


def folder_of(file: Path, folder: Path) -> Path:
    """A folder of transformers made of a GGUF file, once: what is there already is kept.

    Args:
        file: The weights.
        folder: Where the model comes to lie; another process that asks for it waits.

    Raises:
        ValueError: The file is not there, or is no GGUF file.
    """
    if not file.is_file() or file.read_bytes()[:4] != b"GGUF":
        raise ValueError(f"{file}: weights, got no GGUF file; expected one")
    made_of = {"file": file.name, "sha256": sha256(file), "format": FORMAT}
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        if not _is_made_of(folder, made_of):
            shutil.rmtree(folder, ignore_errors=True)
            _convert(file, folder)
            (folder / SOURCE).write_text(json.dumps(made_of) + "\n", encoding="utf-8")
    return folder


def sha256(file: Path) -> str:
    """Checksum of a file, read piece by piece."""
    digest = hashlib.sha256()
    with file.open("rb") as content:
        while piece := content.read(CHUNK):
            digest.update(piece)
    return digest.hexdigest()


def _is_made_of(folder: Path, made_of: dict[str, Any]) -> bool:
    path = folder / SOURCE
    return path.is_file() and json.loads(path.read_text(encoding="utf-8")) == made_of


def _convert(file: Path, folder: Path) -> None:
    import torch
    import transformers

    where = {"pretrained_model_name_or_path": str(file.parent), "gguf_file": file.name}
    tokenizer = transformers.AutoTokenizer.from_pretrained(**where)
    read = transformers.AutoModelForCausalLM.from_pretrained(**where, dtype=torch.float32)
    config = type(read.config)(
        **{k: v for k, v in read.config.to_dict().items() if k != "quantization_config"}
    )
    fresh = type(read)(config)
    fresh.load_state_dict(read.state_dict())
    fresh.tie_weights()
    fresh.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
