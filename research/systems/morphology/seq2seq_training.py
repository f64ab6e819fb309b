"""Training of a stack of seq2seq networks: a step is one batch for each network.

On a GPU the steps of one shape are replayed as a CUDA graph, which saves most of a small kernel's
cost.
"""

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from garden_path.models.arrays import IntArray
from ground.files import whole
from research.systems.morphology.seq2seq import Networks
from research.systems.morphology.seq2seq_examples import (
    N_SPECIAL,
    Architecture,
    Examples,
    Morphemes,
    batches,
)

LARGEST_GRADIENT = 5.0


class Training:
    """Trains a stack of networks; one step is one batch for each network."""

    def __init__(
        self,
        trainings: Sequence[Sequence[Morphemes]],
        seeds: Sequence[int],
        architecture: Architecture,
        device: str = "cpu",
    ) -> None:
        self.architecture, self.seeds = architecture, list(seeds)
        self.examples = Examples.of(trainings)
        n_symbols = [N_SPECIAL + len(v) for v in self.examples.vocabularies]
        self.networks = Networks(n_symbols, seeds, architecture).to(device)
        is_cuda = torch.device(device).type == "cuda"
        self.optimizer = torch.optim.Adadelta(
            self.networks.parameters(), lr=1.0, capturable=is_cuda, foreach=is_cuda
        )
        self.sources = torch.from_numpy(self.examples.sources).to(device)
        self.targets = torch.from_numpy(self.examples.targets).to(device)
        self.losses = torch.zeros(len(seeds), device=device)
        size = (len(seeds), architecture.batch_size)
        self.chosen = torch.zeros(size, dtype=torch.int64, device=device)
        self.n_done = 0
        self.graphs: dict[tuple[int, int], Any] = {}
        # one for all shapes: graphs run one after the other
        self.pool = torch.cuda.graph_pool_handle() if is_cuda else None

    def run(self) -> Iterator[int]:
        """Trains from where it stands; yields the number of steps done after each."""
        for chosen in itertools.islice(self.batches(), self.n_done, None):
            self.step(chosen)
            self.n_done += 1
            yield self.n_done

    def save(self, path: Path) -> None:
        """Writes all that the rest of the training depends on, whole or not at all."""
        state = {"n_done": self.n_done, "networks": self.networks.state_dict()}
        with whole(path) as part:
            torch.save({**state, "optimizer": self.optimizer.state_dict()}, part)

    def restore(self, path: Path) -> None:
        """Goes on from a file that `save` wrote for the same stack."""
        saved = torch.load(path, map_location=self.losses.device, weights_only=True)
        self.networks.load_state_dict(saved["networks"])
        self.optimizer.load_state_dict(saved["optimizer"])
        self.n_done = saved["n_done"]

    def batches(self) -> Iterator[IntArray]:
        """Yields for every step which examples each network sees, (m, batch_size); -1 for none."""
        streams = [
            batches(lengths, seed, self.architecture.batch_size)
            for lengths, seed in zip(self.examples.source_lengths, self.seeds, strict=True)
        ]
        for _ in range(self.architecture.n_steps):
            yield np.stack([next(stream) for stream in streams])

    def step(self, chosen: IntArray) -> None:
        """Makes one step of all networks; `losses` then has the loss of each, per word."""
        self.networks.train()
        self.chosen.copy_(torch.from_numpy(chosen))
        shape = self.examples.shape_of(chosen)
        if self.pool is None:
            self._step(shape)
        elif shape in self.graphs:
            self.graphs[shape].replay()
        else:
            # the first step of a shape is made as it is, which warms up what a capture needs
            self._step_beside(shape)
            self.graphs[shape] = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graphs[shape], pool=self.pool):
                self._step(shape)

    def _step_beside(self, shape: tuple[int, int]) -> None:
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            self._step(shape)
        torch.cuda.current_stream().wait_stream(stream)

    def _step(self, shape: tuple[int, int]) -> None:
        parameters = list(self.networks.parameters())
        losses = self._batch_losses(*shape)
        gradients = torch.autograd.grad(losses.sum(), parameters)
        for parameter, gradient in zip(parameters, _clip(gradients), strict=True):
            parameter.grad = gradient
        self.optimizer.step()
        self.losses.copy_(losses.detach())
        self.networks.step.add_(1)

    def _batch_losses(self, source_length: int, target_length: int) -> Tensor:
        """Cross-entropy of each network on its chosen examples, summed over symbols, per word."""
        networks = torch.arange(len(self.seeds), device=self.chosen.device)[:, None]
        is_word = self.chosen >= 0
        chosen = self.chosen.clamp(min=0)
        source = self.sources[networks, chosen, :source_length]
        target = self.targets[networks, chosen, : target_length + 1]
        contexts, states = self.networks.encode(source)
        scores = self.networks.decode(target[:, :, :-1], contexts, states, source > 0)
        right = scores.gather(-1, target[:, :, 1:, None]).squeeze(-1)
        right = torch.where((target[:, :, 1:] > 0) & is_word[:, :, None], right, 0.0)
        return -right.sum((1, 2)) / is_word.sum(1)


def _clip(gradients: Sequence[Tensor]) -> list[Tensor]:
    """Scales each network's gradient to a norm of at most LARGEST_GRADIENT."""
    squares = torch.stack([gradient.square().flatten(1).sum(1) for gradient in gradients]).sum(0)
    scale = (LARGEST_GRADIENT / (squares.sqrt() + 1e-6)).clamp(max=1.0)
    return [gradient * scale.view(-1, *[1] * (gradient.dim() - 1)) for gradient in gradients]
