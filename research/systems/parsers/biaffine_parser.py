"""A biaffine parser on frozen states of a language model: the kind `biaffine` of `trained:`.

`biaffine_parser.toml` says which layers of Gemma 3 270M are read and how the network above them is
trained. The tree of a sentence is the best of all with one root (Chu and Liu, Edmonds). With the
same seed and the same number of threads a training gives the same weights.

Source: Dozat and Manning (2017), Deep biaffine attention for neural dependency parsing, ICLR.
"""

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from garden_path.models.arrays import FloatArray, IntArray
from ground.files import write_whole
from ground.tables import read_settings
from research.systems.parsers import hidden_states
from research.systems.parsers.hidden_states import States, batches

if TYPE_CHECKING:
    import torch

    from research.systems.parsers.biaffine_network import BiaffineNetwork

SETTINGS = Path(__file__).parent / "biaffine_parser.toml"
WEIGHTS, ABOUT = "network.safetensors", "parser.json"
PARSED_WORDS = 4000  # of a batch that is parsed, with padding
Tree = list[tuple[int, str]]
"""Head (1-based, 0 the root) and label of every word."""


@dataclass(frozen=True)
class BiaffineParser:
    """A trained network, in evaluation mode, its labels, and the layers of states that it reads."""

    network: "BiaffineNetwork"
    labels: Sequence[str]
    layers: Sequence[int]

    def parse(self, sentences: Sequence[Sequence[str]]) -> list[Tree]:
        """The tree of every sentence, each parsed once; a ValueError without the language model."""
        distinct = [list(words) for words in dict.fromkeys(map(tuple, sentences)) if words]
        trees = self.parse_states(hidden_states.states_of(distinct, self.layers))
        found: dict[tuple[str, ...], Tree] = {(): []}
        found |= zip(map(tuple, distinct), trees, strict=True)
        return [list(found[tuple(words)]) for words in sentences]

    def parse_states(self, states: Sequence[States]) -> list[Tree]:
        """The tree of every sentence whose words have these states."""
        import torch

        trees: list[Tree] = [[]] * len(states)
        for batch in batches([len(one) for one in states], PARSED_WORDS):
            with torch.inference_mode():
                own = self._parse_batch([states[i] for i in batch])
            for i, tree in zip(batch, own, strict=True):
                trees[i] = tree
        return trees

    def _parse_batch(self, states: Sequence[States]) -> list[Tree]:
        import torch

        padded, lengths = padded_batch(states)
        scores = self.network(padded, lengths)
        logs = torch.log_softmax(scores.heads, dim=-1).double().numpy()
        heads = torch.zeros(logs.shape[:2], dtype=torch.long)
        for line, log, n in zip(heads, logs, lengths.tolist(), strict=True):
            line[:n] = torch.from_numpy(best_tree(log[:n, : n + 1]))
        is_root = (heads == 0)[..., None]
        named = torch.tensor([label == "root" for label in self.labels])
        of_labels = self.network.label_scores(scores, heads)
        chosen = of_labels.masked_fill(is_root != named, -torch.inf).argmax(dim=-1)
        found = zip(heads.tolist(), chosen.tolist(), lengths.tolist(), strict=True)
        return [[(own[i], self.labels[j[i]]) for i in range(n)] for own, j, n in found]


def best_tree(logs: FloatArray) -> IntArray:
    """Heads in the best tree with one root, by log-probabilities (words, words + 1)."""
    from stanza.models.common.chuliu_edmonds import chuliu_edmonds_one_root

    square = np.vstack([np.full(len(logs) + 1, -np.inf), logs])
    return np.asarray(chuliu_edmonds_one_root(square)[1:])


def settings() -> str:
    """What a parser rests on besides its sentences and its seed."""
    return f"{SETTINGS.read_text(encoding='utf-8')}\n{hidden_states.version()}"


def train(sentences: Sequence[str], language: str, seed: int, path: Path) -> None:
    """Trains on sentences in CoNLL-U, into a folder; a ValueError without the language model."""
    from safetensors.torch import save_file

    from research.systems.parsers.biaffine_network import BiaffineTraining, ParsedExample

    chosen = read_settings(SETTINGS)
    rows = [[line.split("\t") for line in one.split("\n") if line] for one in sentences]
    names = sorted({row[7] for own in rows for row in own})
    words = [[row[1] for row in own] for own in rows]
    states = hidden_states.states_of(words, chosen["states"]["layers"])
    heads = [np.array([int(row[6]) for row in own]) for own in rows]
    labels = [np.array([names.index(row[7]) for row in own]) for own in rows]
    examples = list(map(ParsedExample, states, heads, labels))
    parser = BiaffineTraining(examples, names, chosen, seed).run()
    work = path.with_name(f"{path.name}.part")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    save_file(parser.network.state_dict(), work / WEIGHTS)
    about = {"labels": names, "layers": list(parser.layers), "sizes": chosen["network"]}
    write_whole(work / ABOUT, json.dumps(about))
    shutil.rmtree(path, ignore_errors=True)
    work.rename(path)


def load(path: Path) -> BiaffineParser:
    """The parser in a folder that `train` has left."""
    from safetensors.torch import load_file

    from research.systems.parsers.biaffine_network import BiaffineNetwork

    about = json.loads((path / ABOUT).read_text(encoding="utf-8"))
    weights = load_file(path / WEIGHTS)
    n_states, width = weights["center"].shape
    network = BiaffineNetwork(n_states, width, len(about["labels"]), about["sizes"])
    network.load_state_dict(weights)
    return BiaffineParser(network.eval(), about["labels"], about["layers"])


def padded_batch(states: Sequence[States]) -> "tuple[torch.Tensor, torch.Tensor]":
    """States as 32-bit numbers, shape (sentences, words, layers, width), and lengths."""
    import torch

    lengths = [len(one) for one in states]
    padded = np.zeros((len(states), max(lengths), *states[0].shape[1:]), np.float32)
    for line, one in zip(padded, states, strict=True):
        line[: len(one)] = one
    return torch.from_numpy(padded), torch.tensor(lengths)
