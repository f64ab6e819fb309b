"""Minimal pair preference, as an evaluate metric; the maths is in `scoring.py`."""

from typing import Any

import evaluate

from ..columns import DirectCompute
from .inputs import INPUTS
from .options import Options, read_options
from .scoring import score

_DESCRIPTION = """\
Which member of a minimal pair a language model prefers: share of pairs and effect in nats, with
intervals over what was sampled together, by construction, beside chance and nulls. Who knows
nothing prefers one half.
"""
_CITATION = "warstadt-etal-2020-blimp"
_INPUTS = f"""
Args:
    predictions: log-probabilities of a pair's members, natural logarithms: two, of which the first
        should be the larger; or four, of which the difference of the first two should be larger
        than that of the last two.
    references: rows of a suite's config `pairs`, or any with `construction` and `cluster`.
    n_tokens (same shape, optional): number of tokens of each member.
    nulls (by name, optional): log-probabilities under models that know no structure.
{Options.documentation()}

Returns:
    accuracy: share of pairs with a positive effect, ties half, in [0, 1]; effect: its mean in nats,
        and effect_p; both with `_low`, `_high` and `_interval`, over all pairs and in
        by_construction (there with effect_p_holm).
    accuracy_sum, accuracy_per_token, accuracy_slln, accuracy_uncrossed, effect_of_first_half: nan
        where they do not apply.
    by_null: one row per null, with accuracy_above, what the model has more.
    chance, n, n_clusters, n_ties, version, options, signature.

Examples:
    >>> import evaluate
    >>> preference = evaluate.load("minimal_pair_preference")
    >>> rows = [{{"construction": "case", "cluster": name}} for name in ("a", "b", "c")]
    >>> result = preference.compute(predictions=[[-9, -12], [-8, -8], [-7, -9]], references=rows)
    >>> round(result["accuracy"], 3), round(result["effect"], 3)
    (0.833, 1.667)
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _INPUTS)
class MinimalPairPreference(DirectCompute, evaluate.Metric):
    """Which member of a minimal pair a language model prefers."""

    contract = INPUTS

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=INPUTS.features(),
        )

    def _compute(
        self,
        predictions: Any,
        references: Any,
        n_tokens: Any = None,
        nulls: Any = None,
        **options: Any,
    ) -> dict[str, Any]:
        inputs = {"predictions": predictions, "references": references, "n_tokens": n_tokens}
        return score(inputs, read_options(**options), nulls)
