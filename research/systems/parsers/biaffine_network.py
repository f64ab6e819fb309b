"""The network of `biaffine_parser`, scores of every head and label, and its training.

Cross-entropy of heads and labels, AdamW; the weights of the epoch with the best LAS on sentences
held out are kept. What is random goes by the seed.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from garden_path.models.arrays import IntArray
from research.systems.parsers.biaffine_parser import BiaffineParser, padded_batch
from research.systems.parsers.hidden_states import States, batches

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


LARGEST_GRADIENT = 5.0
NO_HEAD = -100  # behind a sentence's end


@dataclass(frozen=True)
class ParsedExample:
    """States of a sentence's words, heads (0 the root) and numbers of labels, shape (words,)."""

    states: States
    heads: IntArray
    labels: IntArray


class BiaffineTraining:
    """Trains a network on sentences, some of which are held out."""

    def __init__(
        self,
        examples: Sequence[ParsedExample],
        names: Sequence[str],
        settings: Mapping[str, Any],
        seed: int,
    ) -> None:
        """Fresh weights; `names` are labels by number, `settings` are of `biaffine_parser.toml`."""
        self.options = settings["training"]
        every = int(self.options["held_out"])
        self.held_out = examples[::every]
        self.examples = [one for i, one in enumerate(examples) if i % every]
        lengths = [len(one.heads) for one in self.examples]
        self.batches = list(batches(lengths, int(self.options["batch_words"])))
        self.seed = seed
        self.random = np.random.default_rng(seed)
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            layers, width = examples[0].states.shape[1:]
            self.network = BiaffineNetwork(layers, width, len(names), settings["network"])
        words = np.concatenate([one.states for one in self.examples]).astype(np.float32)
        self.network.center.copy_(torch.from_numpy(words.mean(axis=0)))
        self.network.scale.copy_(torch.from_numpy(words.std(axis=0) + 1e-6))
        self.parser = BiaffineParser(self.network, names, settings["states"]["layers"])

    def run(self) -> BiaffineParser:
        """Trains; the parser has the weights of the best epoch."""
        rate, decay = (float(self.options[name]) for name in ("rate", "weight_decay"))
        optimizer = torch.optim.AdamW(
            self.network.parameters(), lr=rate, betas=(0.9, 0.95), weight_decay=decay
        )
        n_epochs = int(self.options["epochs"])
        n_steps = n_epochs * len(self.batches)
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda i: self._rate(i / n_steps))
        best, kept, since = -1.0, self._weights(), 0
        with torch.random.fork_rng():
            torch.manual_seed(self.seed)
            for _ in range(n_epochs):
                self._epoch(optimizer, schedule)
                reached = self.las()
                since += 1
                if reached > best:
                    best, kept, since = reached, self._weights(), 0
                if since >= int(self.options["patience"]):
                    break
        self.network.load_state_dict(kept)
        self.network.eval()
        return self.parser

    def las(self) -> float:
        """Share of the held-out words with the right head and label, in [0, 1]."""
        self.network.eval()
        trees = self.parser.parse_states([one.states for one in self.held_out])
        right = [
            (head, label) == (own_head, self.parser.labels[own])
            for one, tree in zip(self.held_out, trees, strict=True)
            for (head, label), own_head, own in zip(tree, one.heads, one.labels, strict=True)
        ]
        return float(np.mean(right))

    def _rate(self, done: float) -> float:
        """Rises over the first part of the steps, then falls along a half wave to 0."""
        warmup = float(self.options["warmup"])
        if done < warmup:
            return max(done / warmup, 1e-3)
        return (1 + math.cos(math.pi * (done - warmup) / (1 - warmup))) / 2

    def _weights(self) -> dict[str, Tensor]:
        return {name: one.detach().clone() for name, one in self.network.state_dict().items()}

    def _epoch(self, optimizer: Any, schedule: Any) -> None:
        self.network.train()
        for i in self.random.permutation(len(self.batches)):
            loss = self._loss([self.examples[place] for place in self.batches[i]])
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.network.parameters(), LARGEST_GRADIENT)
            optimizer.step()
            schedule.step()

    def _loss(self, batch: Sequence[ParsedExample]) -> Tensor:
        """Cross-entropy per word of heads and of labels below the right heads."""
        states, lengths = padded_batch([one.states for one in batch])
        heads = torch.full(states.shape[:2], NO_HEAD, dtype=torch.long)
        labels = heads.clone()
        for i, one in enumerate(batch):
            heads[i, : len(one.heads)] = torch.from_numpy(one.heads)
            labels[i, : len(one.labels)] = torch.from_numpy(one.labels)
        scores = self.network(states, lengths)
        of_labels = self.network.label_scores(scores, heads.clamp(min=0))
        loss: Tensor = nn.functional.cross_entropy(scores.heads.flatten(0, 1), heads.flatten())
        return loss + nn.functional.cross_entropy(of_labels.flatten(0, 1), labels.flatten())
