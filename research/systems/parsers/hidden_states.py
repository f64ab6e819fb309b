"""States that a language model has for words in their sentence, for parsers trained here.

A causal model has read nothing of what stands behind a word, so each sentence is read twice in a
row. A word has the second reading's states of its first and its last piece in the layers asked for.
They are kept in the folder `states` of the weights folder, which may be deleted at any time.

Source: Springer et al. (2025), Repetition improves language model embeddings, ICLR.
"""

import functools
import hashlib
import itertools
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ground.files import whole
from ground.hashes import N_HEX
from research.systems import weights
from research.systems.classifiers.joint_examples import of_like_length
from research.systems.language_models import gguf

MODEL = "gemma"  # of `weights.toml`: it has read many languages
BATCH_PIECES = 2048  # with padding
FORMAT = 1  # of what is kept; raised when states are made otherwise
LARGEST = 65504  # of 16 bits: a word in tens of thousands has more, and one infinity spoils a mean

States = npt.NDArray[np.float16]
"""Shape (words, two of each layer, width of the model): the first pieces, then the last ones."""


def version() -> str:
    """The model with its checksum, and how it is read."""
    return f"{weights.version(MODEL)}, read twice, first and last piece, format {FORMAT}"


def states_of(sentences: Sequence[Sequence[str]], layers: Sequence[int]) -> list[States]:
    """States of sentences' words in layers (from 1), each read once; a ValueError without model."""
    distinct = sorted({tuple(words) for words in sentences})
    told = json.dumps([version(), list(layers), distinct])
    digest = hashlib.sha256(told.encode()).hexdigest()[:N_HEX]
    path = weights.folder() / "states" / f"{digest}.npy"
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        found = reader(gguf.packaged_folder(MODEL), tuple(layers)).read(distinct)
        with whole(path) as part, part.open("wb") as file:
            np.save(file, np.concatenate(found) if found else np.zeros(0))
    kept = np.load(path, mmap_mode="r")
    ends = np.cumsum([len(words) for words in distinct])
    places = {words: (end - len(words), end) for words, end in zip(distinct, ends, strict=True)}
    return [kept[slice(*places[tuple(words)])] for words in sentences]


@functools.lru_cache(maxsize=1)
def reader(folder: Path, layers: tuple[int, ...]) -> "StateReader":
    """The reader of a model, loaded once."""
    return StateReader(folder, layers)


class StateReader:
    """A language model of transformers in a folder, cut off above the highest layer asked for."""

    def __init__(self, folder: Path, layers: Sequence[int]) -> None:
        """Loads tokenizer and model."""
        import torch
        from tokenizers import Tokenizer
        from transformers import AutoModel

        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.model: Any = AutoModel.from_pretrained(folder, dtype=torch.float32).eval()
        self.model.layers = self.model.layers[: max(layers)]
        self.model.norm = torch.nn.Identity()
        self.start = int(self.model.config.bos_token_id)
        self.found: dict[int, Any] = {}
        self.layers = list(layers)
        for layer in self.layers:
            self.model.layers[layer - 1].register_forward_hook(functools.partial(self._keep, layer))

    def _keep(self, layer: int, module: Any, given: Any, state: Any) -> None:
        self.found[layer] = state[0] if isinstance(state, tuple) else state

    def read(self, sentences: Sequence[Sequence[str]]) -> list[States]:
        """States of the words of every sentence, in the order given."""
        pieces = [[self._pieces(word) for word in words] for words in sentences]
        found: list[States] = [np.zeros(0, np.float16)] * len(sentences)
        for batch in batches([2 * sum(map(len, own)) + 1 for own in pieces], BATCH_PIECES):
            for i, states in zip(batch, self._read([pieces[i] for i in batch]), strict=True):
                found[i] = states
        return found

    def _pieces(self, word: str) -> list[int]:
        ids: list[int] = self.tokenizer.encode(f" {word}", add_special_tokens=False).ids
        return ids or [self.start]

    def _read(self, sentences: Sequence[Sequence[Sequence[int]]]) -> Iterator[States]:
        import torch

        rows = [[self.start, *2 * list(itertools.chain(*own))] for own in sentences]
        filled = torch.zeros(len(rows), max(map(len, rows)), dtype=torch.long)
        for line, row in zip(filled, rows, strict=True):
            line[: len(row)] = torch.tensor(row)
        with torch.inference_mode():
            self.model(input_ids=filled, use_cache=False)
        state = torch.stack([self.found[layer] for layer in self.layers], dim=2)
        state = state.clamp(-LARGEST, LARGEST).half().numpy()
        for line, own, row in zip(state, sentences, rows, strict=True):
            lengths = [len(word) for word in own]
            ends = len(row) - sum(lengths) + np.cumsum(lengths)
            yield np.concatenate([line[ends - lengths], line[ends - 1]], axis=1)


def batches(lengths: Sequence[int], most: int) -> Iterator[list[int]]:
    """Which sentences go together: of like length, at most `most` pieces or words with padding."""
    return of_like_length(range(len(lengths)), lengths, most)
