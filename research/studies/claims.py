"""What four papers claim, and what of it holds on what we measured.

    python -m research claims            prints the ledger
    python -m research claims --write    writes cards/results/claims.md

`cards/claims.tsv` has one row per claim: where the paper says it, how we test it, and a comparison
of figures that runs wrote into `cards/results`. The verdict is computed from these, never typed:

    holds             every comparison is settled as the paper says: the intervals do not touch
    fails             one is settled the other way
    open              the intervals leave it open
    cannot be tested  there is no comparison; the row says why

A figure is named `FILE:KEY:...:FIELD`, as `eras/segmentation:jieba/simplified_lite:difference`;
`*` stands for every key that fits, and `NAME=VALUE` chooses a row of a list. A comparison is
`FIGURE > FIGURE`, `<`, or `~` (the first one's interval holds the second), where a figure may be a
number; several are joined by `and`.
"""

import argparse
import fnmatch
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ground.files import write_whole
from ground.markdown import markdown_table
from ground.paths import RESULTS, ROOT
from ground.tables import read_table
from research.studies.report import headings

LEDGER = ROOT / "cards" / "claims.tsv"
PAGE = RESULTS / "claims.md"
VERDICTS = ("holds", "fails", "open", "cannot be tested")
CONCLUSIONS = "morphseg/conclusions.md"
"""The ledger of the fourth paper, which its own study judges from scores of 82 settings."""
PAPERS = headings("claims")


@dataclass(frozen=True)
class Figure:
    """A figure with the ends of its interval, which are its value where it has none."""

    name: str
    value: float
    low: float
    high: float

    def __str__(self) -> str:
        if self.low == self.high:
            return f"{self.value:.3g}"
        return f"{self.value:.3g} [{self.low:.3g}, {self.high:.3g}]"


@dataclass(frozen=True)
class LedgerRow:
    """A row of the ledger; `comparison` is missing where the claim cannot be tested."""

    id: str
    paper: Literal["centerbench", "eras", "morphseg", "sorts"]
    where: str
    claim: str
    test: str
    command: str | None
    comparison: str | None
    note: str | None


@dataclass(frozen=True)
class JudgedClaim:
    """A claim, its verdict, and the comparisons behind it as text."""

    claim: LedgerRow
    verdict: str
    ours: str


def findings() -> list[JudgedClaim]:
    """Every row of the ledger with its verdict."""
    return [judged(row) for row in read_table(LEDGER, LedgerRow)]


def judged(claim: LedgerRow) -> JudgedClaim:
    """The verdict on one claim."""
    if not claim.comparison:
        if not claim.note:
            raise ValueError(f"{LEDGER}: {claim.id}: got no comparison and no reason why")
        return JudgedClaim(claim, VERDICTS[3], "")
    files = {name.split(":")[0] for name in re.split(r" (?:and|[<>~]) ", claim.comparison)}
    files = {one for one in files if "/" in one}
    if missing := sorted(one for one in files if not (RESULTS / f"{one}.json").exists()):
        return JudgedClaim(claim, "open", f"{missing[0]} was not run for this version")
    told = [compare(part.strip()) for part in claim.comparison.split(" and ")]
    each = [one for part in told for one in part]
    verdicts = {verdict for verdict, _ in each}
    worst = next(one for one in ("fails", "open", "holds") if one in verdicts)
    shown = [text for verdict, text in each if verdict == worst]
    more = f" and {len(shown) - 2} more" if len(shown) > 2 else ""
    return JudgedClaim(claim, worst, "; ".join(shown[:2]) + more)


def compare(text: str) -> list[tuple[str, str]]:
    """Verdict and text of each pair of figures that a comparison names."""
    left, sign, right = next(
        (text.partition(f" {sign} ") for sign in (">", "<", "~") if f" {sign} " in text),
        (text, "", ""),
    )
    if not sign:
        raise ValueError(f"{LEDGER}: comparison, got {text!r}; expected FIGURE > FIGURE, < or ~")
    return [
        (_verdict(a, sign.strip(), b), f"{a} {sign.strip()} {b}")
        for a in figures(left.strip())
        for b in figures(right.strip())
    ]


def _verdict(left: Figure, sign: str, right: Figure) -> str:
    if sign == "~":
        return "holds" if left.low <= right.value <= left.high else "fails"
    above, below = (left, right) if sign == ">" else (right, left)
    if above.low > below.high:
        return "holds"
    return "fails" if above.high < below.low else "open"


def figures(name: str) -> list[Figure]:
    """The figures that a name means; a number means itself; a ValueError where there is none."""
    try:
        number = float(name)
    except ValueError:
        pass
    else:
        return [Figure(name, number, number, number)]
    file, *path = name.split(":")
    held = json.loads((RESULTS / f"{file}.json").read_text("utf-8"))["figures"]
    found = list(_found(held, path, file))
    if not found:
        raise ValueError(f"{LEDGER}: figure, got {name!r}; expected one of {RESULTS}")
    return found


def _found(held: Any, path: Sequence[str], name: str) -> Iterator[Figure]:
    if isinstance(held, Mapping) and len(path) == 1 and path[0] in held:
        yield _figure(held, path[0], name)
        return
    if not path:
        return
    if isinstance(held, Mapping):
        inner = [(key, held[key]) for key in held if fnmatch.fnmatchcase(key, path[0])]
    else:
        wanted = dict(one.split("=", 1) for one in path[0].split(","))
        inner = [
            (path[0], row)
            for row in held
            if all(fnmatch.fnmatchcase(str(row.get(k)), v) for k, v in wanted.items())
        ]
    for key, value in inner:
        yield from _found(value, path[1:], f"{name}:{key}")


def _figure(held: Mapping[str, Any], field: str, name: str) -> Figure:
    value = held[field]
    if isinstance(value, Mapping):  # a value beside the ends of its interval
        held, name, field, value = value, f"{name}:{field}", "value", value["value"]
        ends = [held.get(end, value) for end in ("low", "high")]
    else:
        ends = [held.get(f"{field}_{end}", held.get(end, value)) for end in ("low", "high")]
    low, high = (value if one is None or math.isnan(one) else one for one in ends)
    return Figure(f"{name}:{field}", float(value), float(low), float(high))


def page(found: Sequence[JudgedClaim]) -> str:
    """The ledger as Markdown: a summary, then a table per paper."""
    conclusions = (RESULTS / CONCLUSIONS).read_text("utf-8").strip()
    verdicts = {
        paper: [one.verdict for one in found if one.claim.paper == paper] for paper in PAPERS
    }
    verdicts["morphseg"] += re.findall(r"\| \*\*(holds|fails|open)", conclusions)
    counts = [
        {"paper": PAPERS[paper]} | {one: told.count(one) for one in VERDICTS}
        for paper, told in verdicts.items()
    ]
    parts = [INTRODUCTION, markdown_table(counts).rstrip()]
    for paper, title in PAPERS.items():
        rows = [_shown(one) for one in found if one.claim.paper == paper]
        parts += [f"## {title}", markdown_table(rows).rstrip() if rows else conclusions]
    return "\n\n".join(parts) + "\n"


INTRODUCTION = """# What four papers claim, and what holds

Each verdict is computed from figures that runs of this project wrote. *Holds* and *fails* say that
the 95 % intervals do not touch. *Open* says that they do, or that the study was not run for this
version."""


def _shown(one: JudgedClaim) -> dict[str, str]:
    return {
        "where": one.claim.where,
        "the paper says": one.claim.claim,
        "our test": one.claim.test,
        "ours": one.ours or str(one.claim.note),
        "verdict": f"**{one.verdict}**",
        "command": f"`{one.claim.command}`" if one.claim.command else "–",
    }


def show_claims(given: Sequence[str]) -> int:
    """Prints the ledger, or writes its page."""
    parser = argparse.ArgumentParser(prog="research claims", description="The ledger of claims.")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(ROOT)}")
    text = page(findings())
    if parser.parse_args(given).write:
        write_whole(PAGE, text)
    else:
        print(text)
    return 0
