"""Language models that come as GGUF files, made into a folder that transformers takes.

A GGUF file holds quantised weights, vocabulary and configuration. `transformers` reads it (with the
packages gguf and accelerate) but refuses to save what it read, since the configuration names the
quantisation; so the weights are put into a fresh model of the same configuration, as fp32, and that
is saved. What comes out is what every adapter takes: `transformers:FOLDER`.
"""

import hashlib
import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from filelock import FileLock

from research.systems import weights

MAGIC = b"GGUF"
SOURCE = "source.json"  # what a folder was made of; written last
CHUNK = 1 << 20
FORMAT = 1  # of the folder; another one is made anew


def packaged_folder(name: str) -> Path:
    """A folder of transformers made of a packaged model; a ValueError where it is no GGUF file."""
    return folder_of(weights.paths(name), weights.folder() / "converted" / name)


def folder_of(parts: Sequence[Path], folder: Path) -> Path:
    """A folder of transformers made of a GGUF file in parts, once: what is there is kept.

    Another process that asks for it waits. A ValueError says what is no GGUF file.
    """
    missing = [part for part in parts if not part.is_file()]
    if missing or next(_content(parts), b"")[:4] != MAGIC:
        raise ValueError(f"{(missing or parts)[0]}: weights, got no GGUF file; expected one")
    digest = hashlib.sha256()
    for piece in _content(parts):
        digest.update(piece)
    made_of = {"sha256": digest.hexdigest(), "format": FORMAT}
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        if not _is_made_of(folder, made_of):
            shutil.rmtree(folder, ignore_errors=True)
            _join_and_convert(parts, folder)
            (folder / SOURCE).write_text(json.dumps(made_of) + "\n", encoding="utf-8")
    return folder


def _content(parts: Sequence[Path]) -> Iterator[bytes]:
    for part in parts:
        with part.open("rb") as content:
            while piece := content.read(CHUNK):
                yield piece


def _is_made_of(folder: Path, made_of: dict[str, Any]) -> bool:
    path = folder / SOURCE
    return path.is_file() and json.loads(path.read_text(encoding="utf-8")) == made_of


def _join_and_convert(parts: Sequence[Path], folder: Path) -> None:
    if len(parts) == 1:
        _convert(parts[0], folder)
        return
    joined = folder.with_suffix(".gguf")
    with joined.open("wb") as file:
        file.writelines(_content(parts))
    try:
        _convert(joined, folder)
    finally:
        joined.unlink()


def _convert(file: Path, folder: Path) -> None:
    import torch
    import transformers

    where = {"pretrained_model_name_or_path": str(file.parent), "gguf_file": file.name}
    tokenizer = transformers.AutoTokenizer.from_pretrained(**where)
    read = transformers.AutoModelForCausalLM.from_pretrained(**where, dtype=torch.float32)
    values = read.config.to_dict()
    values.pop("quantization_config", None)
    fresh = type(read)(type(read.config)(**values))
    fresh.load_state_dict(read.state_dict())
    fresh.tie_weights()
    fresh.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
