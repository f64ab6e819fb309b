"""Deep biaffine attention over states of words: scores of every head and of every label.

Source: Dozat and Manning (2017), Deep biaffine attention for neural dependency parsing, ICLR.
"""

from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import Tensor, nn

ROOT = 1  # places before a sentence's words: the root


class BiaffineScores(NamedTuple):
    """What the network says of a batch; a sentence's places are the root and then its words.

    Attributes:
        heads: Log-odds of each place as the head of each word, shape (sentences, words, places);
            minus infinity for places behind the sentence's end and for a word itself.
        dependents, governors: Features of words below heads and of places as heads, for labels,
            shapes (sentences, words, d + 1) and (sentences, places, d + 1).
    """

    heads: Tensor
    dependents: Tensor
    governors: Tensor


class BiaffineNetwork(nn.Module):
    """A network that reads states of words and scores arcs and labels."""

    def __init__(self, n_layers: int, width: int, n_labels: int, sizes: Mapping[str, float]):
        """Fresh weights by torch's seed; `sizes` is table `network` of `biaffine_parser.toml`."""
        super().__init__()
        hidden, arc, label = (int(sizes[name]) for name in ("hidden", "arc", "label"))
        self.register_buffer("center", torch.zeros(n_layers, width))
        self.register_buffer("scale", torch.ones(n_layers, width))
        self.project = nn.Linear(n_layers * width, hidden)
        self.dropout = nn.Dropout(sizes["dropout"])
        self.input_dropout = nn.Dropout(sizes["input_dropout"])
        self.reader = nn.LSTM(hidden, hidden // 2, batch_first=True, bidirectional=True)
        self.root = nn.Parameter(torch.zeros(hidden))
        parts = {"arc_word": arc, "arc_head": arc, "label_word": label, "label_head": label}
        self.parts = nn.ModuleDict({name: nn.Linear(hidden, n) for name, n in parts.items()})
        self.arcs = nn.Parameter(torch.zeros(arc + 1, arc))
        self.labels = nn.Parameter(torch.zeros(n_labels, label + 1, label + 1))

    def forward(self, states: Tensor, lengths: Tensor) -> BiaffineScores:
        """Scores of states (sentences, words, layers, width), padded behind their lengths."""
        read = self._read(states, lengths)
        root = self.root.expand(len(read), ROOT, -1)
        places = torch.cat([root, read], dim=1)
        word, head = self._part("arc_word", read), self._part("arc_head", places)
        scores = _with_one(word) @ self.arcs @ head.transpose(1, 2)
        n_words = read.shape[1]
        number = torch.arange(n_words + ROOT)
        behind = number[None, :] > lengths[:, None]
        itself = number[None, :] == torch.arange(n_words)[:, None] + ROOT
        scores = scores.masked_fill(behind[:, None, :] | itself[None], -torch.inf)
        dependents = _with_one(self._part("label_word", read))
        return BiaffineScores(scores, dependents, _with_one(self._part("label_head", places)))

    def label_scores(self, scores: BiaffineScores, heads: Tensor) -> Tensor:
        """Log-odds (sentences, words, labels) of labels below heads, places (sentences, words)."""
        size = scores.governors.shape[-1]
        chosen = scores.governors.gather(1, heads[..., None].expand(-1, -1, size))
        return torch.einsum("bwi,lij,bwj->bwl", scores.dependents, self.labels, chosen)

    def _read(self, states: Tensor, lengths: Tensor) -> Tensor:
        found = self.project(self.input_dropout((states - self.center) / self.scale).flatten(2))
        packed = nn.utils.rnn.pack_padded_sequence(
            self.dropout(found), lengths, batch_first=True, enforce_sorted=False
        )
        read, _ = nn.utils.rnn.pad_packed_sequence(
            self.reader(packed)[0], batch_first=True, total_length=states.shape[1]
        )
        return self.dropout(found + read)

    def _part(self, name: str, places: Tensor) -> Tensor:
        part: Tensor = self.dropout(nn.functional.leaky_relu(self.parts[name](places), 0.1))
        return part


def _with_one(features: Tensor) -> Tensor:
    return torch.cat([features, features.new_ones(*features.shape[:-1], 1)], dim=-1)
