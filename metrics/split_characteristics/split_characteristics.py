"""How a training and a test part differ, as an evaluate measurement; maths in `scoring.py`."""

from typing import Any

import evaluate

from .._shared.module import ScoringModule
from .inputs import INPUTS
from .options import Options
from .scoring import as_columns, score

_DESCRIPTION = """\
Measures how a training and a test part differ: how many test items and units are known from
training, and how the number and the length of units per item compare. For words and morphemes these
are the five data characteristics of Liu & Prud'hommeaux (2022); any item will do.
"""
_CITATION = "liu-prudhommeaux-2022-data"
_REFERENCE_URLS = ["https://doi.org/10.1162/tacl_a_00467"]
_KWARGS_DESCRIPTION = f"""
Args:
    train: items of the training part: lists of units, such as ["paper", "s"], or strings that
        `units` divides.
    test: items of the test part.
    data, part: instead of train and test, and for add_batch: all items, and "train" or "test" for
        each.
{Options.documentation()}

Returns:
    item_overlap, unit_overlap: shares in [0, 1] of what is tested that is known from training.
    units_per_item_ratio, unit_length_ratio: training over test.
    units_per_item_distance: Wasserstein distance, in units.
    <name>_types: each of these five over distinct items.
    unit_divergence: Jensen-Shannon, bits. unit_length_distance: Wasserstein, characters.
    n_train, n_test, n_train_types, ...: numbers of items, of distinct items and of distinct units.
    word_overlap, morph_overlap (percent), ave_num_morph_ratio, dist_ave_num_morph,
        ave_morph_len_ratio: as published, two decimals.
    version, options, signature.

Examples:
    >>> import evaluate
    >>> measure = evaluate.load("split_characteristics", module_type="measurement")
    >>> result = measure.compute(train=[["un", "do"], ["do"]], test=[["re", "do"], ["do"]])
    >>> result["item_overlap"], round(result["unit_overlap"], 3), result["morph_overlap"]
    (0.5, 0.667, 66.67)
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class SplitCharacteristics(ScoringModule, evaluate.Measurement):
    """Measures a pair of parts."""

    contract = INPUTS
    options = Options
    score = staticmethod(score)

    def compute(
        self,
        *,
        train: Any = None,
        test: Any = None,
        data: Any = None,
        part: Any = None,
        **options: Any,
    ) -> Any:
        """Measures whole columns: `train` and `test`, or `data` with its `part`."""
        data, part = as_columns(train, test, data, part)
        return super().compute(data=data, part=part, **options)
