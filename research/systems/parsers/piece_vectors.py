"""Vectors of words from the input embeddings of a language model, for parsers trained here.

A word's vector is the mean of the embeddings of its pieces, less the mean of the training words, in
the directions in which these differ most. None of the model's layers runs. A trained pipeline
begins with the component below, which spaCy knows once it is registered.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from garden_path.models.arrays import FloatArray
from research.systems import weights
from research.systems.language_models import gguf

MODEL = "gemma"  # of `weights.toml`: it has read many languages
N_DIMENSIONS = 128
LENGTH = 5.0  # of a training word's vector, on average
EMBEDDINGS = "model.embed_tokens.weight"
COMPONENT = "piece_vectors"
FILE = "directions.npz"


def settings() -> str:
    """What a parser with these vectors rests on besides spaCy's configuration."""
    return f"{weights.version(MODEL)}, {N_DIMENSIONS} dimensions, length {LENGTH}"


class Embeddings:
    """Mean input embeddings of words, read from a folder of transformers row by row."""

    def __init__(self, folder: Path) -> None:
        """Opens the folder's tokenizer."""
        from tokenizers import Tokenizer

        self.weights = folder / "model.safetensors"
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))

    def of(self, words: Sequence[str]) -> FloatArray:
        """Shape (words, width of the model); zeros for a word without pieces."""
        from safetensors import safe_open

        pieces = [self.tokenizer.encode(f" {w}", add_special_tokens=False).ids for w in words]
        places = {piece: i for i, piece in enumerate(sorted({p for own in pieces for p in own}))}
        with safe_open(self.weights, "np") as file:
            matrix = file.get_slice(EMBEDDINGS)
            width = matrix.get_shape()[1]
            rows = np.array([matrix[p : p + 1][0] for p in places], float).reshape(-1, width)
        found = np.zeros((len(words), width))
        for vector, own in zip(found, pieces, strict=True):
            if own:
                vector[:] = rows[[places[piece] for piece in own]].mean(axis=0)
        return found


class PieceVectors:
    """The component: gives every word of a text its vector before the parser looks for it.

    `mean` is of the training words' embeddings, shape (width,); a difference from it is multiplied
    with `directions`, shape (width, dimensions).
    """

    def __init__(self, vocab: Any) -> None:
        """An empty one over a vocabulary of spaCy, which makes it before it reads one from disk."""
        self.vocab = vocab
        self.mean, self.directions = np.zeros(0), np.zeros((0, 0))
        self._embeddings: Embeddings | None = None

    def learn(self, words: Sequence[str]) -> None:
        """Finds the directions of the training words, and gives them their vectors."""
        found = self._of(words)
        self.mean = found.mean(axis=0)
        _, _, axes = np.linalg.svd(found - self.mean, full_matrices=False)
        directions = axes[:N_DIMENSIONS].T
        lengths = np.linalg.norm((found - self.mean) @ directions, axis=1)
        self.directions = directions * LENGTH / lengths.mean()
        self._add(words)

    def __call__(self, document: Any) -> Any:
        """Adds the vectors of the words that have none yet."""
        known = self.vocab.vectors
        self._add(sorted({token.text for token in document if token.orth not in known}))
        return document

    def to_disk(self, path: Path, *, exclude: Sequence[str] = ()) -> None:
        """Writes the directions into a folder."""
        path.mkdir(parents=True, exist_ok=True)
        np.savez(path / FILE, mean=self.mean, directions=self.directions)

    def from_disk(self, path: Path, *, exclude: Sequence[str] = ()) -> "PieceVectors":
        """Reads what `to_disk` wrote."""
        with np.load(path / FILE) as found:
            self.mean, self.directions = found["mean"], found["directions"]
        return self

    def _of(self, words: Sequence[str]) -> FloatArray:
        if self._embeddings is None:
            self._embeddings = Embeddings(gguf.packaged_folder(MODEL))
        return self._embeddings.of(words)

    def _add(self, words: Sequence[str]) -> None:
        if not words:
            return
        vectors = (self._of(words) - self.mean) @ self.directions
        for word, vector in zip(words, vectors.astype(np.float32), strict=True):
            self.vocab.set_vector(word, vector)


def register() -> None:
    """Makes the component known to spaCy; a second call does nothing."""
    from spacy.language import Language

    def make(nlp: Any, name: str) -> PieceVectors:
        return PieceVectors(nlp.vocab)

    if not Language.has_factory(COMPONENT):
        Language.factory(COMPONENT, func=make)
