"""What PP attachment accuracy takes: a tree and a row of `pp_attachment` for each sentence."""

from ..contract import Inputs, Rows
from ..trees import LONGEST, TREE, as_tables
from ..values import Values

METRIC = "pp_attachment_accuracy"
NAMES = {
    name: Values("name", what, is_optional=True, has_none=True)
    for name, what in {
        "id": "id of the row",
        "item_id": "its base item",
        "family": "the frame that the item fills",
        "group": "the table that the frame is of",
        "pair_id": "what both members of a pair have",
        "pair_factor": "what the members differ in",
        "resolved_by": "what decides which head is right",
        "position": "where the phrase stands",
        "preposition": "its lemma",
        "definiteness": "of the noun in the phrase",
    }.items()
}


def word(what: str) -> Values:
    """Rule of a column that names a word of the sentence."""
    return Values("whole", f"0-based word: {what}", low=0, high=LONGEST)


INPUTS = Inputs(
    METRIC,
    {
        "predictions": Rows(TREE, as_tables),
        "references": Rows(
            {
                **TREE,
                "pp": word("the noun in the phrase"),
                "adposition": word("its preposition"),
                "verb": word("the main verb"),
                "candidates": Values(
                    "whole", "0-based words that can be its head", depth=1, low=0, high=LONGEST
                ),
                **NAMES,
            },
            as_tables,
        ),
    },
)
