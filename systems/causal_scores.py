"""Log-probabilities of token sequences under a causal model, each shared beginning computed once.

    the goat that the horse kicked | bleated        one row of tokens:
                                   | barked today       the goat that the horse kicked
    a dog                                               bleated barked today a dog

Sequences are sorted, so that those that begin alike stand together, and are laid out as a tree in
one row: a token sees those before it in its own sequence, whatever stands between, and is at their
distance from the beginning. Nothing is computed twice and nothing filled up. A model for which that
does not give what its sequences give alone, such as a recurrent one, gets them row by row.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

Tokens = tuple[int, ...]
SCORES_AT_ONCE = 1 << 26  # logits of a batch: 256 MB
LONGEST_ROW = 512  # tokens of a tree: attention grows with the square, and most of it is masked
PROBE = ((0, 1, 2, 3), (0, 1, 4, 2, 5), (0, 5, 2, 1))
TOLERANCE = 64  # smallest steps of the number type at 1
LEAST_TOLERANCE = 1e-3  # nats


@dataclass
class Tree:
    """Sequences as one row of tokens.

    Attributes:
        tokens: The row: of every sequence all but the last token, which predicts nothing.
        parents: Place of the token before each, -1 for the first of a sequence.
        depths: Tokens before each in its own sequence.
        paths: Of each sequence, the places of its tokens but the last.
        members: The sequences, in the order of `paths`.
    """

    tokens: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    paths: list[list[int]] = field(default_factory=list)
    members: list[Tokens] = field(default_factory=list)

    def n_new(self, sequence: Tokens) -> int:
        """Tokens that the row would grow by."""
        return len(sequence) - 1 - self._n_shared(sequence)

    def add(self, sequence: Tokens) -> None:
        """Lays out one more sequence, which comes behind those that are there, as sorted."""
        n = self._n_shared(sequence)
        path = self.paths[-1][:n] if n else []
        for token in sequence[n:-1]:
            self.parents.append(path[-1] if path else -1)
            self.depths.append(len(path))
            path.append(len(self.tokens))
            self.tokens.append(token)
        self.paths.append(path)
        self.members.append(sequence)

    def _n_shared(self, sequence: Tokens) -> int:
        """Tokens that the last sequence begins with too."""
        if not self.members:
            return 0
        pairs = zip(self.members[-1][:-1], sequence[:-1], strict=False)
        return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def plan_trees(sequences: Iterable[Tokens], room: int) -> list[Tree]:
    """Trees of distinct sequences, each of at most `room` tokens or of a single sequence.

    Example:
        >>> [tree.tokens for tree in plan_trees([(1, 2, 3, 4), (1, 2, 5, 4), (7, 8)], 5)]
        [[1, 2, 3, 5, 7]]
    """
    trees: list[Tree] = []
    for sequence in sorted(set(sequences)):
        if not trees or len(trees[-1].tokens) + trees[-1].n_new(sequence) > room:
            trees.append(Tree())
        trees[-1].add(sequence)
    return trees


def score_sequences(model: Any, sequences: Sequence[Tokens]) -> list[list[float]]:
    """Natural log-probability of every token but the first, given those before it.

    Args:
        model: A causal model of transformers.
        sequences: Token numbers, at least two each.

    Raises:
        ValueError: A sequence is longer than the model's positions.
    """
    import torch

    _check_lengths(model, sequences)
    found: dict[Tokens, list[float]] = {}
    with torch.inference_mode():
        room = max(1, SCORES_AT_ONCE // int(model.config.get_text_config().vocab_size))
        reach = _reach(model) if sequences else 0
        in_trees = {sequence for sequence in sequences if len(sequence) <= reach}
        for tree in plan_trees(in_trees, min(room, LONGEST_ROW)):
            found.update(_score_tree(model, tree))
        for rows in _rows(set(sequences) - in_trees, room):
            found.update(_score_rows(model, rows))
    return [found[sequence] for sequence in sequences]


def _score_tree(model: Any, tree: Tree) -> Iterator[tuple[Tokens, list[float]]]:
    import torch

    n = len(tree.tokens)
    is_seen = torch.eye(n, dtype=torch.bool)
    for place, parent in enumerate(tree.parents):
        if parent >= 0:
            is_seen[place] |= is_seen[parent]
    mask = torch.zeros(n, n, dtype=model.dtype)
    mask.masked_fill_(~is_seen, torch.finfo(model.dtype).min)
    row, depths = (
        torch.tensor([values], device=model.device) for values in (tree.tokens, tree.depths)
    )
    logits = model(
        row,
        attention_mask=mask[None, None].to(model.device),
        position_ids=depths,
        use_cache=False,
    ).logits[0]
    places = [place for path in tree.paths for place in path]
    next_tokens = [token for member in tree.members for token in member[1:]]
    sums = logits.float().logsumexp(-1)
    chosen = logits[places, next_tokens].float() - sums[places]
    values = iter(chosen.double().clamp(max=0).cpu().tolist())
    for member in tree.members:
        yield member, [next(values) for _ in member[1:]]


def _rows(sequences: Iterable[Tokens], room: int) -> Iterator[list[Tokens]]:
    """Batches of sequences as equally long as possible, of at most `room` tokens."""
    batch: list[Tokens] = []
    for sequence in sorted(sequences, key=len):
        if batch and (len(batch) + 1) * len(sequence) > room:
            yield batch
            batch = []
        batch.append(sequence)
    if batch:
        yield batch


def _score_rows(model: Any, rows: Sequence[Tokens]) -> Iterator[tuple[Tokens, list[float]]]:
    """Each sequence in a row of its own, filled up on the right, which no token before it sees."""
    import torch

    longest = max(map(len, rows))
    filled = [(*row, *[0] * (longest - len(row))) for row in rows]
    inputs = torch.tensor(filled, device=model.device)
    logits = model(inputs, use_cache=False).logits[:, :-1].float()
    chosen = logits.gather(-1, inputs[:, 1:, None]).squeeze(-1) - logits.logsumexp(-1)
    for row, values in zip(rows, chosen.double().clamp(max=0).cpu().tolist(), strict=True):
        yield row, values[: len(row) - 1]


def _reach(model: Any) -> int:
    """Tokens of the longest sequences that may stand in a tree; 0 where none may.

    That is the window of attention, beyond which a token is not seen. Tried on three sequences,
    since nobody says of a model whether it goes by the mask and the positions it is given.
    """
    import torch

    (tree,) = plan_trees(PROBE, LONGEST_ROW)
    try:
        alone = dict(_score_rows(model, PROBE))
        together = dict(_score_tree(model, tree))
    except (AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError):
        return 0
    allowed = max(LEAST_TOLERANCE, TOLERANCE * torch.finfo(model.dtype).eps)
    pairs = ((x, y) for row in PROBE for x, y in zip(alone[row], together[row], strict=True))
    if not all(abs(x - y) <= allowed for x, y in pairs):
        return 0
    window = getattr(model.config.get_text_config(), "sliding_window", None)
    return int(window) if window else 1 << 30


def _check_lengths(model: Any, sequences: Sequence[Tokens]) -> None:
    room = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    longest = max(map(len, sequences), default=0)
    if room is not None and longest > room:
        raise ValueError(f"text, got {longest:,} tokens; expected at most the model's {room:,}")
