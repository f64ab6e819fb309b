"""What GPER takes: a model's values for the sentences of each pair, and the pair's paradigm.

A row of values belongs to one pair, in this order: test, control, occluded test, occluded control,
and two placebo sentences, in which a character outside the site is masked instead. Trainer has the
sentences one by one: `sentences_of` lists them, `pairs_of` brings their log-odds together again.
"""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._shared.columns import FloatArray, IntArray, Values, by_name, field_names, rows_of, shown
from .._shared.module import Inputs, Rows, positive_logits
from .._shared.paradigms import HAS_SENTIMENT, LAST_ID, check_distinct, check_one_script, kept_of

METRIC = "gper"
SIDES = ("test", "control")
SENTENCES = tuple(f"{kind}{side}" for kind in ("", "occluded_", "placebo_") for side in SIDES)
WIDTHS = (2, 4, 6)
PARTS = {"branching": ("left", "right"), "sentiment": ("+/-", "+/0", "-/0", "-/+")}
"""Parts of the suite that have a table of their own, in the order of its rows."""
SEPARATOR = "/"  # between pair and sentence, in the id of a single one
SMALLEST_PROBABILITY = 1e-6
ROUNDING = 1e-3  # of a probability in float16
LARGEST_CLIPPED_SHARE = 0.05
PARADIGM = Values("whole", "paradigm of the pair", low=1, high=LAST_ID)


def by_sentence(where: str, given: Any) -> Any:
    """Rows of numbers, from named columns in the order of `SENTENCES` where there are names."""
    expected = f"{', '.join(SENTENCES[:4])}, or rows of numbers in this order"
    return by_name(where, given, [SENTENCES[:n] for n in reversed(WIDTHS)], expected)


def alone(where: str, given: Any) -> Any:
    """Rows, from a column of paradigm ids where that is given."""
    return given if field_names(given) else {"paradigm_id": given}


INPUTS = Inputs(
    METRIC,
    {
        "predictions": Values(
            "number", "P(positive) of each sentence, or raw scores", 1, WIDTHS, adapt=by_sentence
        ),
        "references": Rows(
            {
                "paradigm_id": PARADIGM,
                "id": Values("name", "id of the pair", is_optional=True),
                "test": Values("text", "the test sentence", is_optional=True),
                "site_start": Values("whole", "where its site starts", low=0, is_optional=True),
            },
            alone,
        ),
    },
)


class RatedPairs(NamedTuple):
    """Sentence pairs: P(positive), shape (n, 2), (n, 4) or (n, 6), the log-odds, and paradigms.

    `clipped_share` of the probabilities were too near to 0 or 1 for their log-odds.
    """

    probabilities: FloatArray
    logits: FloatArray
    paradigm_ids: IntArray
    clipped_share: float

    @property
    def has_occlusion(self) -> bool:
        """Whether the occluded sentences were scored."""
        return bool(self.probabilities.shape[1] >= 4)

    @property
    def has_placebo(self) -> bool:
        """Whether sentences with a mask outside the site were scored."""
        return bool(self.probabilities.shape[1] == 6)


def read_pairs(
    predictions: Any, references: Any, scale: str = "probability", exclude: Sequence[int] = ()
) -> RatedPairs:
    """Reads and checks predictions and references, see `INPUTS`; some paradigms are left out.

    Those of `exclude`, and those without a true sentiment. The scale "logit" is that of scores
    whose sigmoid is P(positive).

    Raises:
        ValueError: Lengths differ, a row has another width, a value is nan or no probability, an id
            is unknown or occurs twice, both scripts are pooled, or nothing is left.
    """
    found = INPUTS.read({"predictions": predictions, "references": references})
    values, rows = found["predictions"], found["references"]
    paradigm_ids, where = rows["paradigm_id"], f"{METRIC}: references"
    if "test" in rows and "site_start" in rows:
        starts = rows["site_start"].tolist()
        check_one_script(where, paradigm_ids.tolist(), rows["test"], starts)
    check_distinct(where, rows.get("id"), rows.get("test", ()))
    _check_odd_values(values, scale)
    has_sentiment = HAS_SENTIMENT[paradigm_ids - 1]
    if not has_sentiment.any():
        raise ValueError(f"{where}, got no pair of a paradigm with a sentiment; expected some")
    values, paradigm_ids = values[has_sentiment], paradigm_ids[has_sentiment]
    is_kept = kept_of(METRIC, paradigm_ids, exclude)
    values, paradigm_ids = values[is_kept], paradigm_ids[is_kept]
    probabilities = to_probabilities(values, scale)
    if scale == "logit":
        return RatedPairs(probabilities, values, paradigm_ids, 0.0)
    logits, clipped_share = _log_odds(probabilities)
    return RatedPairs(probabilities, logits, paradigm_ids, clipped_share)


def to_probabilities(values: FloatArray, scale: str) -> FloatArray:
    """P(positive) in [0, 1]: the sigmoid of logits; a ValueError for a probability outside."""
    if scale == "logit":
        return np.exp(-np.logaddexp(0.0, -values))
    if values.min() >= -ROUNDING and values.max() <= 1 + ROUNDING:
        return np.clip(values, 0, 1)  # what a softmax in float16 makes of 1
    row, column = np.argwhere((values < 0) | (values > 1))[0].tolist()
    got = f"got {values[row, column]}; expected a probability in [0, 1]"
    raise ValueError(f"{METRIC}: predictions[{row}, {column}]: {got}; logits need scale='logit'")


def _log_odds(probabilities: FloatArray) -> tuple[FloatArray, float]:
    clipped = np.clip(probabilities, SMALLEST_PROBABILITY, 1 - SMALLEST_PROBABILITY)
    share = float(np.mean(clipped != probabilities))
    if share > LARGEST_CLIPPED_SHARE:
        warnings.warn(
            f"{METRIC}: predictions: {share:.0%} are within {SMALLEST_PROBABILITY} of 0 or 1, "
            "where differences say little; expected raw scores with scale='logit'",
            stacklevel=4,
        )
    odds = 1 - clipped  # exact above .5, and below it to 1e-16: one logarithm, not two
    np.divide(clipped, odds, out=odds)
    return np.log(odds, out=odds), share


def _check_odd_values(values: FloatArray, scale: str) -> None:
    told = ""
    is_of_classes = len(values) > 2 and bool((np.abs(values[:, :2].sum(1) - 1) < ROUNDING).all())
    if scale == "logit" and values.min() >= 0 and values.max() <= 1:
        told = "all in [0, 1] with scale='logit'; expected raw scores, or scale='probability'"
    elif (
        scale != "logit" and is_of_classes and len(np.unique(values[:, 0])) > 2
    ):  # two may sum to 1
        raise ValueError(
            f"{METRIC}: predictions, got two values that sum to 1 in every row, as P(negative) and"
            " P(positive) of one sentence do; expected P(positive) of test and control"
        )
    elif scale != "logit" and ((values == 0) | (values == 1)).all():
        told = "all 0 or 1; expected probabilities: with hard labels nearly every pair is a tie"
    if told:
        warnings.warn(f"{METRIC}: predictions, {told}", stacklevel=4)


def sentences_of(rows: Any) -> list[dict[str, Any]]:
    """Every sentence of pairs as a row of its own, `id` naming pair and sentence.

    Rows are those of `eras`, or single sentences already, with an `id` such as `07-00042/test`, a
    `text` and a `paradigm_id`, in any order; a ValueError for an id of no sentence.
    """
    listed = rows_of(rows) if isinstance(rows, Mapping) else [dict(row) for row in rows]
    if listed and "test" not in listed[0]:
        for row in listed:
            if row["id"].rpartition(SEPARATOR)[2] not in SENTENCES:
                ends = ", ".join(SEPARATOR + name for name in SENTENCES[:4])
                got = shown(row["id"])
                raise ValueError(f"gper: id, got {got}; expected one that ends in {ends}")
        return listed
    return [
        {
            "id": f"{row['id']}{SEPARATOR}{name}",
            "text": row[name],
            "paradigm_id": row["paradigm_id"],
            "label": int(row.get("true_sentiment") == "+"),
        }
        for row in listed
        for name in SENTENCES[:4]
        if name in row
    ]


def pairs_of(sentences: Sequence[Mapping[str, Any]], given: Any) -> tuple[FloatArray, list[int]]:
    """Log-odds of the sentences of each pair, found by `id`, and the pairs' paradigms.

    Shape (pairs, 4), or (pairs, 2) where no occluded sentences were scored; a ValueError for a pair
    that lacks a sentence which others have.
    """
    by_pair: dict[str, dict[str, float]] = {}
    paradigms: dict[str, int] = {}
    for row, value in zip(sentences, positive_logits(given), strict=True):
        pair, _, name = row["id"].rpartition(SEPARATOR)
        by_pair.setdefault(pair, {})[name] = float(value)
        paradigms[pair] = int(row["paradigm_id"])
    present = set().union(*by_pair.values())
    names = SENTENCES[: 4 if len(present) > 2 else 2]
    for pair, values in by_pair.items():
        if missing := [name for name in names if name not in values]:
            raise ValueError(f"gper: pair {pair}, got no {missing[0]}; expected {', '.join(names)}")
    matrix = np.array([[values[name] for name in names] for values in by_pair.values()])
    return matrix, list(paradigms.values())
