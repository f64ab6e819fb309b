"""PP attachment accuracy as an evaluate module; the maths is in `scoring.py`."""

from typing import Any

import evaluate

from .._shared.module import ScoringModule, class_labels, score_labelled
from .inputs import INPUTS, METRIC, VIEWS, attachment_of_view, labelled_tree
from .options import Options
from .scoring import score

_DESCRIPTION = """\
PP attachment accuracy asks of a dependency parser where it hangs a German prepositional phrase: on
the verb, or on which of the nouns. It looks at head and label of one phrase of each sentence of the
data set `pp_attachment` and at nothing else, and leads with pairs of sentences that differ in their
order or in one word, of which both must be right.
"""

_CITATION = "de-kok-etal-2017-pp"

_KWARGS_DESCRIPTION = f"""
Args:
    predictions: one tree per sentence: `heads` (1-based, 0 for the root) and `deprels`, one per
        word, and perhaps `tokens`; or the path of the parser's CoNLL file.
    references: the rows of `pp_attachment`, config `conll`; only `heads`, `deprels`, `adposition`,
        `pp`, `verb` and `candidates` are compulsory.
    Or both are labels, 0 noun and 1 verb, of the first rows of a view `attachment_*`, as
        `run_classification.py` passes them. The noun that is meant is taken for found, and the
        result has numbers only.
{Options.documentation()}

Returns:
    topology_pair_accuracy: share of topology pairs both of whose members are right in
        head and label, in [0, 1], higher is better; 0 for a parser that always takes the verb, or
        always the nearest noun.
    contrast_pair_accuracy: the same over all pairs one of whose members hangs on the verb, the
        other on a noun.
    beyond_order_pair_accuracy: the headline: the same over those of them whose members differ in a
        word and not in order, as the mean of the shares by that word (verb, noun, preposition), so
        that one cue alone has a third. What no pair differs in is left out of the mean, and so are
        pairs without `pair_factor`.
    <pairs>_accuracy_chance: the best that these pairs are worth to a reader of word order, or to
        one who draws a candidate: the null.
    <pairs>_head_accuracy: the same without labels; n_<pairs>s: how many pairs.
    accuracy: share of phrases on the right head; accuracy_chance: what a candidate drawn has.
    labelled_accuracy: share with the right head and label; subtypes do not count.
    labelled_accuracy_strict: the same where obl:arg differs from obl.
    outside_rate: share on a word that is no candidate; lower is better.
    verb_rate, verb_rate_gold: share on the verb, as parsed and as it should be.
    accuracy_undecided, labelled_accuracy_undecided, verb_rate_undecided: of the sentences that
        nothing, or plausibility alone decides: a preference, not a truth.
    <score>_low, <score>_high, <score>_interval: its interval over base items and the method, or the
        reason why it is nan.
    by_position, by_resolved_by, by_n_candidates, by_preposition, by_dependent, by_distance,
        by_definiteness, by_pair_factor: the same for parts of the suite.
    n, n_clusters, n_undecided, n_undecided_pairs, version, options, signature; per_item, if asked
        for.

Examples:
    "Mit dem Fernglas sieht der Mann die Frau" and "Die Frau mit dem Fernglas sieht der Mann". The
    parser hangs the phrase on the verb both times.

    >>> metric = evaluate.load("pp_attachment_accuracy")
    >>> pair = {{"pair_id": "1", "pair_factor": "topology"}}
    >>> verb = pair | {{
    ...     "heads": [3, 3, 4, 0, 6, 4, 8, 4],
    ...     "deprels": ["case", "det", "obl", "root", "det", "nsubj", "det", "obj"],
    ...     "adposition": 0, "pp": 2, "verb": 3, "candidates": [3, 5, 7],
    ... }}
    >>> noun = pair | {{
    ...     "heads": [2, 6, 5, 5, 2, 0, 8, 6],
    ...     "deprels": ["det", "obj", "case", "det", "nmod", "root", "det", "nsubj"],
    ...     "adposition": 2, "pp": 4, "verb": 5, "candidates": [1, 5, 7],
    ... }}
    >>> heads, deprels = [2, 6, 5, 5, 6, 0, 8, 6], [*noun["deprels"][:4], "obl"]
    >>> parsed = {{"heads": heads, "deprels": deprels + noun["deprels"][5:]}}
    >>> result = metric.compute(predictions=[verb, parsed], references=[verb, noun])
    >>> result["topology_pair_accuracy"], result["accuracy"], result["verb_rate"]
    (0.0, 0.5, 1.0)
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class PpAttachmentAccuracy(ScoringModule, evaluate.Metric):
    """Head and label of one prepositional phrase of each sentence."""

    contract = INPUTS
    options = Options
    score = staticmethod(score)

    def compute(self, *, predictions: Any = None, references: Any = None, **options: Any) -> Any:
        """Scores trees, or the classes and labels (0 and 1) of the rows of a view."""
        classes, labels = class_labels(predictions), class_labels(references)
        score = super().compute
        if classes is None or labels is None or len(classes) != len(labels):
            return score(predictions=predictions, references=references, **options)

        def score_rows(rows: list[dict[str, Any]]) -> Any:
            golds = [attachment_of_view(row) for row in rows]
            trees = [
                labelled_tree(gold, is_verb=bool(one))
                for gold, one in zip(golds, classes, strict=True)
            ]
            return score(predictions=trees, references=golds, **(options | {"scalars": True}))

        return score_labelled(METRIC, type(self).__module__, labels, VIEWS, score_rows)
