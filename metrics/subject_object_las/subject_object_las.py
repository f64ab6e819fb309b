"""Subject-object LAS of SORTS as an evaluate module; the maths is in `scoring.py`."""

from collections.abc import Mapping
from typing import Any

import evaluate

from .._shared.columns import FloatArray
from .._shared.module import ScoringModule, TrainerScores, token_dataset, word_logits
from .inputs import INPUTS
from .options import Options
from .scoring import score

_DESCRIPTION = """\
Subject-object LAS asks of a dependency parser whether it finds the subject and the object of a
German clause, and which is which, where word order, case, animacy or meaning misleads. It is the
labeled attachment score over the subject and the object of each clause of the data set `sorts` and
over nothing else.
"""

_CITATION = "fischer-etal-2020-beards"

_KWARGS_DESCRIPTION = f"""
Args:
    predictions: one tree per clause: `heads` (1-based, 0 for the root) and `deprels`, one per word,
        and perhaps `tokens`; or the path of the parser's CoNLL file.
    references: the rows of `sorts`, config `conll`; only `heads`, `deprels`, `subject` and `object`
        are compulsory; or the path of a CoNLL file of gold clauses.
{Options.documentation()}

Returns:
    informedness: the headline: right(SVO) + right(OVS) - 1, averaged over the items none of whose
        clauses allows the reverse reading; in [-1, 1], 1 where all is right, 0 for any parser that
        goes by order alone, or that throws coins. `informedness_chance` is that 0.
    plausibility_gap: LAS of plausible minus that of implausible clauses, in [-1, 1]; 1 for whoever
        reads meaning alone; nan without twins (column `condition`).
    svo_ovs_score: share of those items that are right in subject-verb-object and in
        object-verb-subject order, in [0, 1], higher is better; 0 for any parser that goes by order
        alone, 0.5 for whoever ignores it.
    svo_ovs_score_chance: what a parser gets on it that throws a coin for the roles, 0.25.
    las: share of subjects and objects with the right head and label, as published.
    las_merged: the same with obj, iobj and obl:arg as one label; every score with a label comes in
        both forms.
    uas: share with the right head.
    label_accuracy: share with the right label.
    clause_score: share of clauses with both words right.
    swap_rate: share of clauses with both words on the right head and with each other's label; lower
        is better.
    item_score: share of items that are right in all their word orders; nan without `item_id`.
    las_unresolved: LAS of the clauses that allow the reverse reading (resolved_by none or
        plausibility): a preference for the gold reading, not a truth.
    <score>_low, <score>_high, <score>_interval: its interval over base triples and the method, or
        the reason why it is nan; wider by what triples of one noun or verb share, where references
        have `lemmas` and `upos`.
    by_word_order, by_property, by_role, by_resolved_by, by_condition, by_property_and_word_order:
        the same for parts of the suite.
    n, n_items, n_svo_ovs_items, n_unresolved, n_unresolved_items, n_clusters, version,
        options, signature; per_item, if asked for.

Examples:
    "Die Katze sieht die Maus" and "Die Maus sieht die Katze", object first. The parser takes the
    first phrase for the subject both times.

    >>> metric = evaluate.load("subject_object_las")
    >>> tree = {{"heads": [2, 3, 0, 5, 3], "deprels": ["det", "nsubj", "root", "det", "obj"]}}
    >>> other = {{"heads": [2, 3, 0, 5, 3], "deprels": ["det", "obj", "root", "det", "nsubj"]}}
    >>> gold = [tree | {{"subject": 1, "object": 4}}, other | {{"subject": 4, "object": 1}}]
    >>> result = metric.compute(predictions=[tree, tree], references=gold)
    >>> result["las"], result["uas"], result["swap_rate"]
    (0.5, 1.0, 0.5)

    A dative object that the parser labels `iobj` is right only where objects are merged.

    >>> dative = {{"heads": [2, 3, 0, 5, 3], "deprels": ["det", "nsubj", "root", "det", "iobj"]}}
    >>> result = metric.compute(predictions=[dative], references=gold[:1])
    >>> result["las"], result["las_merged"]
    (0.5, 1.0)
"""

ROLES = ("subject", "object", "verb", "other")
RELATIONS = {"subject": "nsubj", "object": "obj"}


def role_tree(logits: FloatArray) -> dict[str, list[Any]]:
    """The tree that roles make: the likeliest verb is the root, and every other word hangs on it.

    Logits have shape (tokens, 4), in the order of ROLES.
    """
    verb = int(logits[:, ROLES.index("verb")].argmax())
    roles = [ROLES[k] for k in logits.argmax(axis=1)]
    n = len(roles)
    return {
        "heads": [0 if i == verb else verb + 1 for i in range(n)],
        "deprels": ["root" if i == verb else RELATIONS.get(roles[i], "dep") for i in range(n)],
    }


def role_labels(row: Mapping[str, Any]) -> list[int]:
    """Label id of each token of a clause."""
    places = {row[role]: k for k, role in enumerate(ROLES[:3])}
    return [places.get(i, ROLES.index("other")) for i in range(len(row["tokens"]))]


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class SubjectObjectLas(ScoringModule, evaluate.Metric):
    """LAS over the subject and the object of each clause."""

    contract = INPUTS
    options = Options
    score = staticmethod(score)

    def for_trainer(self, rows: Any, tokenizer: Any = None, **options: Any) -> TrainerScores:
        """A `compute_metrics` of a tagger of roles: logits over subject, object, verb, other.

        Rows are clauses of `sorts`, config `conll`, in the order in which they are predicted; a
        fast tokenizer makes `dataset` of them. Options as in `compute`.
        """
        clauses = [dict(row) for row in rows]
        texts = [row["tokens"] for row in clauses]

        def read(given: Any, label_ids: Any) -> list[dict[str, Any]]:
            return [role_tree(logits) for logits in word_logits(given, label_ids, texts)]

        dataset = None
        if tokenizer is not None:
            dataset = token_dataset(tokenizer, texts, [role_labels(row) for row in clauses])
        return self.trainer_scores(read, clauses, clauses, dataset, options)
