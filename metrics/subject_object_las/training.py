"""Subject-object LAS inside a Trainer: roles of tokens in, trees of `score` out."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..columns import FloatArray
from ..trainer import Compute, TrainerScores, token_dataset, word_logits

ROLES = ("subject", "object", "verb", "other")
RELATIONS = {"subject": "nsubj", "object": "obj"}


def role_tree(logits: FloatArray) -> dict[str, list[Any]]:
    """The tree that roles make: the likeliest verb is the root, and every other word hangs on it.

    Args:
        logits: Shape (tokens, 4), in the order of ROLES.
    """
    verb = int(logits[:, ROLES.index("verb")].argmax())
    roles = [ROLES[k] for k in logits.argmax(axis=1)]
    n = len(roles)
    return {
        "heads": [0 if i == verb else verb + 1 for i in range(n)],
        "deprels": ["root" if i == verb else RELATIONS.get(roles[i], "dep") for i in range(n)],
    }


def role_labels(tokens: Sequence[str], subject: int, verb: int, object_: int) -> list[int]:
    """Label id of each token of a clause."""
    places = {subject: 0, object_: 1, verb: 2}
    return [places.get(i, ROLES.index("other")) for i in range(len(tokens))]


def trainer_scores(
    compute: Compute, rows: Any, tokenizer: Any, options: Mapping[str, Any]
) -> TrainerScores:
    """The metric's `for_trainer`, with its `compute`."""
    clauses = [dict(row) for row in rows]
    texts = [row["tokens"] for row in clauses]

    def score_trees(trees: Any) -> dict[str, Any]:
        settings = {**options, "scalars": True}
        found: dict[str, Any] = compute(predictions=trees, references=clauses, **settings)
        return found

    def read(given: Any, label_ids: Any) -> list[dict[str, Any]]:
        return [role_tree(logits) for logits in word_logits(given, label_ids, texts)]

    dataset = None
    if tokenizer is not None:
        places = [(r["tokens"], r["subject"], r["verb"], r["object"]) for r in clauses]
        dataset = token_dataset(tokenizer, texts, [role_labels(*place) for place in places])
    return TrainerScores(score_trees, read, clauses, dataset)
