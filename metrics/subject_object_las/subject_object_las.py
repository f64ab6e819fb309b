"""Subject-object LAS of SORTS as an evaluate module; the maths is in `scoring.py`."""

from typing import Any

import datasets
import evaluate

from ..columns import DirectCompute
from ..uncertainty import Interval
from .alignment import align
from .annotation import ANNOTATION_SCHEMES
from .arguments import read_options
from .clauses import read_clauses
from .conll import read_conll
from .inventory import WORD_ORDERS
from .scoring import score_rows
from .tables import Tables
from .trees import read_trees

# evaluate's loader fetches only the files that this one imports from
FETCHED = (
    align,
    ANNOTATION_SCHEMES,
    read_clauses,
    read_conll,
    WORD_ORDERS,
    Tables,
    read_trees,
    Interval,
)

_DESCRIPTION = """\
Subject-object LAS asks of a dependency parser whether it finds the subject and the object of a German clause, and which is which, where
word order, case, animacy or meaning mislead. It is the labeled attachment score over the subject and the object of each clause of the data
set `sorts` and over nothing else.
"""

_CITATION = "fischer-etal-2020-beards"

_KWARGS_DESCRIPTION = """
Args:
    predictions: one tree per clause: `heads` (1-based, 0 for the root) and `deprels`, one per word, and perhaps `tokens`.
    references: the rows of `sorts`, config `conll`; only `heads`, `deprels`, `subject` and `object` are compulsory.
    mode: "default"; "paper": labels with subtypes, and clauses that nothing settles are counted, as in the published figures.
    scheme: the parser's annotation scheme: "ud" (default), or "tiger" for sb, oa and da with the subject at the auxiliary.
    subtypes: whether `nsubj:pass` differs from `nsubj`; False.
    alignment: "tokens" (default): the parser's tokens must be the gold ones; "text": only the text must be the same.
    unresolved: "apart" (default): clauses with `resolved_by` "none" are left out of all scores but `las_unresolved` and
        `by_resolved_by`, since either reading is right; "included": they are counted as the others.
    confidence: level of the intervals, 0.95; None for none.
    n_resamples: bootstrap samples, 2000.
    seed: seed of the bootstrap, 0.
    per_item: whether to add a row for every clause.

Returns:
    las: share of subjects and objects with the right head and label, in [0, 1], higher is better.
    las_merged: the same with obj, iobj and obl:arg as one label; every score with a label comes in both forms.
    uas: share with the right head.
    label_accuracy: share with the right label.
    clause_score: share of clauses with both words right.
    swap_rate: share of clauses with both words on the right head and with each other's label; lower is better.
    item_score: share of items that are right in all their word orders; nan without `item_id`.
    svo_ovs_score: share of items that are right in subject-verb-object and in object-verb-subject order.
    las_unresolved: LAS of the clauses that nothing settles: a preference for the gold reading, not a truth.
    <score>_low, <score>_high, <score>_interval: its interval over base triples and the method, or the reason why it is nan.
    by_word_order, by_property, by_role, by_resolved_by, by_property_and_word_order: the same for parts of the suite.
    n, n_items, n_svo_ovs_items, n_unresolved, n_clusters, version, options; per_item, if asked for.

Examples:
    "Die Katze sieht die Maus" and "Die Maus sieht die Katze", object first. The parser takes the first phrase for the subject both times.

    >>> metric = evaluate.load("subject_object_las")
    >>> gold = [
    ...     {"heads": [2, 3, 0, 5, 3], "deprels": ["det", "nsubj", "root", "det", "obj"], "subject": 1, "object": 4},
    ...     {"heads": [2, 3, 0, 5, 3], "deprels": ["det", "obj", "root", "det", "nsubj"], "subject": 4, "object": 1},
    ... ]
    >>> tree = {"heads": [2, 3, 0, 5, 3], "deprels": ["det", "nsubj", "root", "det", "obj"]}
    >>> result = metric.compute(predictions=[tree, tree], references=gold)
    >>> result["las"], result["uas"], result["swap_rate"]
    (0.5, 1.0, 0.5)

    A dative object that the parser labels `iobj` is right only where objects are merged.

    >>> dative = {"heads": [2, 3, 0, 5, 3], "deprels": ["det", "nsubj", "root", "det", "iobj"]}
    >>> result = metric.compute(predictions=[dative], references=gold[:1])
    >>> result["las"], result["las_merged"]
    (0.5, 1.0)
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class SubjectObjectLas(DirectCompute, evaluate.Metric):
    """LAS over the subject and the object of each clause."""

    def _info(self) -> evaluate.MetricInfo:
        text = datasets.Value("string")
        tree = {
            "heads": datasets.List(datasets.Value("int32")),
            "deprels": datasets.List(text),
            "tokens": datasets.List(text),
        }
        names = ("id", "item_id", "base_item_id", "triple_id", "word_order", "resolved_by")
        belongs = dict.fromkeys(names, text) | {"properties": datasets.List(text)}
        arguments = {role: datasets.Value("int32") for role in ("subject", "object")}
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=datasets.Features(
                {"predictions": tree, "references": tree | arguments | belongs}
            ),
        )

    def _compute(
        self,
        predictions: Any,
        references: Any,
        mode: str = "default",
        scheme: str = "ud",
        subtypes: bool | None = None,
        alignment: str = "tokens",
        unresolved: str | None = None,
        confidence: float | None = 0.95,
        n_resamples: int = 2000,
        seed: int = 0,
        per_item: bool = False,
    ) -> dict[str, Any]:
        options = read_options(
            mode,
            scheme=scheme,
            subtypes=subtypes,
            alignment=alignment,
            unresolved=unresolved,
            confidence=confidence,
            n_resamples=n_resamples,
            seed=seed,
        )
        return score_rows(predictions, references, options, per_item=per_item)

    def _enforce_nested_string_type(self, schema: Any, obj: Any) -> None:
        """Takes rows that leave out fields or have others, which evaluate's own check on adding refuses; types are checked when scored."""
