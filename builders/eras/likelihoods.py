"""Pairs for language models: a site in two sentences, with and without its outer character.

    这位|护士服|从未打听过的居民     test: before, site, the text after it
    这位|护士长|从未打听过的居民     control: the same text after another site
    这位|护士□|从未打听过的居民      the occluded site: a fixed character for [MASK]

Whoever reads the canary word goes on otherwise after the test site than after the control, and no
longer where the canary word is broken up. What sign the difference has is not said.

Source: Li & Hao (2025), section 4.1, for occlusion.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

import pyarrow as pa

from builders.eras.assembly import MASK
from builders.eras.columns import LIKELIHOOD_SCHEMA
from metrics._shared.paradigms import PARADIGMS

OCCLUDERS = ("□", "某", "×")  # a character that cannot be read, "a certain", a cross
N_REPEATED = 10  # pairs of each paradigm that are there with all occluders, not the first alone
MEMBERS = ("test", "control", "occluded_test", "occluded_control")


def likelihood_table(pairs: pa.Table) -> pa.Table:
    """Rows of `LIKELIHOOD_SCHEMA` from rows of `PAIR_SCHEMA`: the first pairs, every occluder."""
    families = {paradigm.paradigm_id: paradigm.family for paradigm in PARADIGMS}
    seen: Counter[int] = Counter()
    rows = []
    for pair in pairs.to_pylist():
        ends = zip(pair["test"][::-1], pair["control"][::-1], strict=True)
        n_same = len([*takewhile(lambda two: two[0] == two[1], ends)])
        start, after = pair["site_start"], len(pair["test"]) - n_same
        n_occluders = len(OCCLUDERS) if seen[pair["paradigm_id"]] < N_REPEATED else 1
        seen[pair["paradigm_id"]] += 1
        sentiments = f"{pair['true_sentiment']}/{pair['canary_sentiment']}"
        shared = pair | {
            "pair_id": pair["id"],
            "cluster": families[pair["paradigm_id"]],
            "construction": f"{pair['branching']} {sentiments}",
            "after_start": max(after, start + len(pair["test_site"])),
        }
        for number, occluder in enumerate(OCCLUDERS[:n_occluders], 1):
            own = {"id": f"{pair['id']}-{number}", "occluder": occluder}
            own |= {name: pair[name].replace(MASK, occluder) for name in MEMBERS}
            rows.append(shared | own)
    return pa.Table.from_pylist(rows, schema=LIKELIHOOD_SCHEMA)


def likelihood_problems(columns: Mapping[str, Sequence[Any]]) -> Iterator[str]:
    """Rows whose members are not equally long, or differ outside the site."""
    names = ("id", "occluder", "site_start", "after_start", *MEMBERS)
    rows = zip(*(columns[name] for name in names), strict=True)
    for identifier, occluder, start, after, *members in rows:
        if len({len(text) for text in members}) > 1:
            yield f"{identifier}: members, got several lengths; expected one"
        if len({(text[:start], text[after:]) for text in members}) > 1:
            yield f"{identifier}: members, got other text around the site; expected the same"
        if not 0 <= start < after < len(members[0]):
            yield f"{identifier}: regions, got {(start, after)}; expected a site and text after it"
        if any((occluder in text) != (place > 1) for place, text in enumerate(members)):
            yield f"{identifier}: occluder, got {occluder!r}; expected it in the occluded members"
