"""Writes config `pairs` as a test suite of SyntaxGym, and as the table of its regions.

    这位|护士服|从未打听过的居民      before, site, after: regions 1, 2, 3

A text is its regions without anything between them; SyntaxGym's own reader puts blanks there. In
surprisals, the effect is positive where the test sentence exceeds the control sentence by less than
the occluded sentences do.

Source: Gauthier et al. (2020), https://github.com/cpllab/syntaxgym-core, docs/suite_json.rst.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping

from builders.columns import Columns
from builders.eras.likelihoods import MEMBERS

REGIONS = ("before", "site", "after")
FORMULA = "((({n};%test%) - ({n};%control%)) < (({n};%occluded_test%) - ({n};%occluded_control%)))"
TABLE_HEADER = ("item", "condition", "region_number", "region", "content")


def syntaxgym(columns: Columns) -> str:
    """One line of SyntaxGym's JSON; predictions are of regions 3 and 2, and of all three."""
    comment = "regions are joined without blanks; no sign is claimed"
    items = []
    for number, (identifier, members) in enumerate(_items(columns), 1):
        conditions = [
            {"condition_name": member, "regions": _numbered(regions)} for member, regions in members
        ]
        items.append({"item_number": number, "id": identifier, "conditions": conditions})
    suite = {
        "meta": {"name": "eras", "metric": "sum", "comment": comment},
        "predictions": [{"type": "formula", "formula": FORMULA.format(n=n)} for n in "32*"],
        "region_meta": {str(number): name for number, name in enumerate(REGIONS, 1)},
        "items": items,
    }
    return json.dumps(suite, ensure_ascii=False) + "\n"


def _numbered(regions: Iterable[str]) -> list[dict[str, object]]:
    return [{"region_number": i, "content": text} for i, text in enumerate(regions, 1)]


def region_table(columns: Columns) -> str:
    """A row per item, condition and region, tab-separated, to put surprisals beside."""
    lines = ["\t".join(TABLE_HEADER)]
    for identifier, members in _items(columns):
        for member, regions in members:
            for number, (name, text) in enumerate(zip(REGIONS, regions, strict=True), 1):
                lines.append("\t".join((identifier, member, str(number), name, text)))
    return "\n".join(lines) + "\n"


def _items(columns: Columns) -> Iterator[tuple[str, list[tuple[str, tuple[str, str, str]]]]]:
    names = ("id", "site_start", "after_start", *MEMBERS)
    for identifier, start, after, *texts in zip(*(columns[name] for name in names), strict=True):
        cut = [(text[:start], text[start:after], text[after:]) for text in texts]
        yield identifier, list(zip(MEMBERS, cut, strict=True))


# of `push.py export`, for config `pairs`
FORMATS: Mapping[str, Callable[[Columns], str]] = {"syntaxgym": syntaxgym, "regions": region_table}
