"""Matched-pair accuracy: reads answers and rows, matches the pairs, decides, and sums up."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..columns import BoolArray, IntArray, to_list
from .decisions import SCORER_FIELDS, Decisions, Replies, check_runs, decide_all
from .inputs import CONDITIONS, INPUTS
from .options import WHERE, Options, read_options
from .pairing import MatchedPairs, match_pairs
from .summary import Scored, summarize

VERSION = "2.0.0"


def score(inputs: Mapping[str, Any], options: Options | None = None) -> dict[str, Any]:
    """Scores of answers to question rows; the metric's card describes each field.

    Args:
        inputs: `predictions`, one answer per row, or a list of answers from several runs, whose
            decisions are averaged, None where there is none; `references`, question rows, the
            answers in their order. Compulsory fields of a row: `answer`, `pair_id`, `condition`,
            and what the scorer needs (strict: `events`, `depth`, `question_type`; paper:
            `question_type`). `level`, `sentence_id` and `domain` are used if there.
        options: What `read_options` returns; its defaults if None.

    Returns:
        Flat: scores in [0, 1] and gaps in [-1, 1], nan where undefined; tables under `by_...`.

    Raises:
        ValueError: Rows do not pair up, lack a field, an answer is no text, or there are more or
            fewer predictions than rows.
    """
    options = options or read_options()
    found = INPUTS.read(inputs)
    columns, replies = found["references"], found["predictions"]
    _check_fields(columns, options)
    check_runs(f"{WHERE}: predictions", replies)
    pairs = match_pairs(
        f"{WHERE}: references", {name: columns[name] for name in columns if name != "events"}
    )
    first = _decide(options.scorer, replies, columns, options)
    is_there = pairs.rows >= 0
    answers = np.array([*to_list(columns["answer"]), None], dtype=object)[pairs.rows]
    correct = np.where(is_there[:, :, None], first.correct[pairs.rows].astype(float), np.nan)
    result = {
        **_provenance(replies, pairs, first, options),
        **_unparsed(first, columns),
        **summarize(Scored(pairs, correct, answers, options, _strata(pairs))),
    }
    if options.compare_with is not None:
        second = _decide(options.compare_with, replies, columns, options)
        result |= _disagreement(first, second, columns, options)
    return result | ({"per_item": _items(replies, first, columns)} if options.per_item else {})


def _check_fields(columns: Mapping[str, Any], options: Options) -> None:
    """Raises a ValueError where the rows lack a field that a scorer reads."""
    for scorer in filter(None, (options.scorer, options.compare_with)):
        fields = SCORER_FIELDS[scorer]
        if missing := [field for field in fields if field not in columns]:
            raise ValueError(
                f"{WHERE}: references: scorer={scorer!r}, got rows without {missing[0]!r}; expected"
                f" rows with {', '.join(fields)}, or scorer='exact', which needs none"
            )


def _decide(scorer: str, replies: Replies, columns: dict[str, Any], options: Options) -> Decisions:
    settings = {"accept_full_chain": options.accept_full_chain, "paper": options.paper_scorer()}
    return decide_all(WHERE, scorer, replies, columns, settings)


def _provenance(
    replies: Replies, pairs: MatchedPairs, decisions: Decisions, options: Options
) -> dict[str, Any]:
    given = [reply is not None for runs in replies for reply in runs]
    empty = [reply is not None and not reply.strip() for runs in replies for reply in runs]
    return {
        "n": len(replies),
        "n_pairs": len(pairs.rows),
        "n_complete_pairs": int((pairs.rows >= 0).all(axis=1).sum()),
        "pair_coverage": float((pairs.rows >= 0).all(axis=1).mean()),
        "n_clusters": pairs.n_clusters,
        "n_runs": len(replies[0]),
        "n_missing": len(given) - sum(given),
        "n_empty": sum(empty),
        "coverage": sum(given) / len(given),
        **options.provenance(VERSION, **decisions.options),
    }


def _unparsed(decisions: Decisions, columns: dict[str, Any]) -> dict[str, float]:
    """Share of replies in which nothing could be read, overall and by condition; nan if unread."""
    conditions = np.array(columns["condition"], dtype=object)
    masks = {"": np.ones(len(conditions), dtype=bool)}
    masks |= {f"_{name}": conditions == name for name in CONDITIONS}
    return {
        f"unparsed_rate{end}": math.nan
        if decisions.is_parsed is None or not mask.any()
        else float((~decisions.is_parsed[mask]).mean())
        for end, mask in masks.items()
    }


def _strata(pairs: MatchedPairs) -> IntArray:
    """Level of each sentence pair as a number; one stratum where rows have no level."""
    strata = np.zeros(pairs.n_clusters, np.int64)
    if "level" in pairs.labels:
        strata[pairs.cluster] = np.unique(pairs.labels["level"].tolist(), return_inverse=True)[1]
    return strata


def _disagreement(
    first: Decisions, second: Decisions, columns: dict[str, Any], options: Options
) -> dict[str, Any]:
    """How often two scorers differ, and which of them is the one that accepts."""
    kinds = np.array(columns.get("question_type", ["all"] * len(first.correct)), dtype=object)
    conditions = np.array(columns["condition"], dtype=object)

    def shares(mask: BoolArray) -> dict[str, Any]:
        one, other = first.correct[mask], second.correct[mask]
        return {
            "n": int(mask.sum()),
            "disagreement": float((one != other).mean()),
            f"only_{options.scorer}": float((one & ~other).mean()),
            f"only_{options.compare_with}": float((other & ~one).mean()),
        }

    table = [
        {"question_type": kind, "condition": condition, **shares(mask)}
        for kind in dict.fromkeys(kinds.tolist())
        for condition in CONDITIONS
        if (mask := (kinds == kind) & (conditions == condition)).any()
    ]
    overall = shares(np.ones(len(first.correct), dtype=bool))
    return {
        "disagreement": overall["disagreement"],
        "compared_options": second.options,
        "by_disagreement": table,
    }


def _items(replies: Replies, decisions: Decisions, columns: dict[str, Any]) -> list[dict[str, Any]]:
    names = [name for name in columns if name != "events"]
    rows = zip(*(to_list(columns[name]) for name in names), strict=True)
    shares = decisions.correct.mean(axis=1).tolist()
    return [
        {
            **dict(zip(names, row, strict=True)),
            "prediction": runs[0] if len(runs) == 1 else runs,
            "correct": share,
        }
        for row, runs, share in zip(rows, replies, shares, strict=True)
    ]
