"""Log-probabilities of token sequences under a causal model, each shared beginning computed once.

    the goat that the horse kicked | bleated    a group: the beginning goes through the model
                                   | barked     once, its keys and values go on to the rest
    a dog                                       alone: a row of a batch of equal length

Sequences are sorted, so that those that begin alike stand together; one joins a group as long as
that leaves fewer tokens to compute. A batch holds as many rows as its scores have room.
"""

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

Tokens = tuple[int, ...]
SCORES_AT_ONCE = 1 << 26  # logits of a batch: 256 MB


class Group(NamedTuple):
    """Sequences that begin with the same tokens; 0 shared tokens for one that stands alone."""

    n_shared: int
    members: tuple[Tokens, ...]

    @property
    def width(self) -> int:
        """Tokens of the longest member behind what is shared."""
        return max(map(len, self.members)) - self.n_shared


def plan_groups(sequences: Sequence[Tokens]) -> list[Group]:
    """Groups of distinct sequences that are cheapest, joined one after the other.

    Example:
        >>> plan_groups([(1, 2, 3, 4), (1, 2, 3, 5), (7, 8)])[0]
        Group(n_shared=3, members=((1, 2, 3, 4), (1, 2, 3, 5)))
    """
    groups: list[Group] = []
    for sequence in sorted(set(sequences)):
        if groups and (joined := _join(groups[-1], sequence)):
            groups[-1] = joined
        else:
            groups.append(Group(len(sequence) - 1, (sequence,)))
    return [group if len(group.members) > 1 else group._replace(n_shared=0) for group in groups]


def _join(group: Group, sequence: Tokens) -> Group | None:
    """The group with one more, or None where that saves nothing: m rows grow by what is unshared.

    `members` are never beginnings of one another: each has at least one token behind the shared.
    """
    n, m = group.n_shared, len(group.members)
    pairs = zip(group.members[0][:n], sequence[:-1], strict=False)
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return Group(shared, (*group.members, sequence)) if shared > (n - shared) * m else None


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
        groups = plan_groups(sequences)
        if not _can_share(model, sequences):
            groups = [Group(0, (sequence,)) for sequence in sorted(set(sequences))]
        for n_shared, batch in _batches(groups, int(model.config.get_text_config().vocab_size)):
            score = _score_shared if n_shared else _score_alone
            found.update(score(model, n_shared, batch))
    return [found[sequence] for sequence in sequences]


def _batches(groups: Sequence[Group], vocabulary: int) -> Iterator[tuple[int, list[Group]]]:
    """Groups with equally long beginnings, their rows as long as possible alike."""
    room = max(1, SCORES_AT_ONCE // vocabulary)
    batch: list[Group] = []
    for group in sorted(groups, key=lambda group: (group.n_shared, group.width)):
        n_rows = sum(len(one.members) for one in (*batch, group))
        is_full = max(n_rows * group.width, (len(batch) + 1) * group.n_shared) > room
        if batch and (is_full or batch[0].n_shared != group.n_shared):
            yield batch[0].n_shared, batch
            batch = []
        batch.append(group)
    if batch:
        yield batch[0].n_shared, batch


def _score_alone(
    model: Any, _: int, batch: Sequence[Group]
) -> Iterator[tuple[Tokens, list[float]]]:
    members = [member for group in batch for member in group.members]
    inputs = _padded(model, members)
    scores = _chosen(model(inputs, use_cache=False).logits[:, :-1], inputs[:, 1:])
    for member, row in zip(members, scores, strict=True):
        yield member, row[: len(member) - 1]


def _score_shared(
    model: Any, n_shared: int, batch: Sequence[Group]
) -> Iterator[tuple[Tokens, list[float]]]:
    import torch

    inputs = _padded(model, [group.members[0][:n_shared] for group in batch])
    begun = model(inputs, use_cache=True)
    beginnings = _chosen(begun.logits[:, :-1], inputs[:, 1:])
    of_group = [i for i, group in enumerate(batch) for _ in group.members]
    places = torch.tensor(of_group, device=model.device)
    begun.past_key_values.batch_select_indices(places)
    members = [member for group in batch for member in group.members]
    rest = _padded(model, [member[n_shared:] for member in members])
    ended = model(rest, past_key_values=begun.past_key_values, use_cache=True).logits[:, :-1]
    first = _chosen(begun.logits[:, -1:].index_select(0, places), rest[:, :1])
    after = _chosen(ended, rest[:, 1:])
    for i, member in enumerate(members):
        row = [*beginnings[of_group[i]], *first[i], *after[i]]
        yield member, row[: len(member) - 1]


def _padded(model: Any, rows: Sequence[Tokens]) -> Any:
    """Rows filled up on the right, which no token before it sees; shape (rows, longest)."""
    import torch

    longest = max(map(len, rows))
    return torch.tensor([(*row, *[0] * (longest - len(row))) for row in rows], device=model.device)


def _chosen(logits: Any, tokens: Any) -> list[list[float]]:
    """Log-probabilities of tokens, shape (rows, places), of logits (rows, places, vocabulary)."""
    found = logits.float().gather(-1, tokens[..., None]).squeeze(-1) - logits.float().logsumexp(-1)
    return found.double().clamp(max=0).cpu().tolist()  # type: ignore[no-any-return]


def _can_share(model: Any, sequences: Sequence[Tokens]) -> bool:
    """Whether keys and values can be handed on: not by recurrent models."""
    from transformers.cache_utils import DynamicCache

    if not sequences:
        return False
    probe = model(_padded(model, [sequences[0][:1]]), use_cache=True)
    return type(getattr(probe, "past_key_values", None)) is DynamicCache


def _check_lengths(model: Any, sequences: Sequence[Tokens]) -> None:
    room = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    longest = max(map(len, sequences), default=0)
    if room is not None and longest > room:
        raise ValueError(f"text, got {longest:,} tokens; expected at most the model's {room:,}")
