"""What do other tools say of their own examples, and what does `ranking_generalizability` say?

    python -m research coverage peers

Examples of autorank, baycomp, deepsig and reuben: their data, what each of them answers (run once,
`research/studies/data/peer_answers.tsv`), what ours answers, where they differ and why.

Source: Herbold (2020), autorank; Benavoli et al. (2017), baycomp; Ulmer et al. (2022), deepsig;
the repository of reuben.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ground.markdown import markdown_table
from ground.tables import read_table
from metrics.ranking_generalizability.options import read_options
from metrics.ranking_generalizability.scoring import VERSION, system_table
from metrics.ranking_generalizability.scoring import score as compare
from research.studies.published_tables import DATA
from research.studies.report import Shown
from research.studies.study import Options, Run, Study

ROPES = {"autorank": 0.05, "baycomp": 1.0}  # as in their examples


@dataclass(frozen=True)
class PeerScore:
    """A score of an example, a row of `peer_scores.tsv`."""

    example: str
    system: str
    unit: str
    repeat: str | None
    score: float


@dataclass(frozen=True)
class PeerAnswer:
    """What a tool says of its example, a row of `peer_answers.tsv`."""

    example: str
    peer: str
    said: str
    why: str


def examples(options: Options) -> dict[str, list[PeerScore]]:
    """Scores by example."""
    found: dict[str, list[PeerScore]] = {}
    for row in read_table(DATA / "peer_scores.tsv", PeerScore):
        found.setdefault(row.example, []).append(row)
    return found


def score(scores: Mapping[str, Sequence[PeerScore]], run: Run | None) -> dict[str, Any]:
    """What ours says of each example."""
    return {name: answer(name, rows) for name, rows in scores.items()}


def answer(name: str, rows: Sequence[PeerScore]) -> dict[str, Any]:
    """The result of one example; repeats of different systems are not paired."""
    columns: dict[str, Any] = {
        field: [getattr(row, field) for row in rows] for field in ("system", "unit", "score")
    }
    if rows[0].repeat is not None:
        columns["repeat"] = [row.repeat for row in rows]
    return compare(columns, read_options(missing="model", rope=ROPES.get(name, 0.0)))


def show(results: Mapping[str, Any], options: Options) -> list[Shown]:
    """A section per example, and our numbers."""
    peers = {row.example: row for row in read_table(DATA / "peer_answers.tsv", PeerAnswer)}
    text = "\n".join(section(peers[name], result) for name, result in results.items())
    kept = ("winner", "certainty", "expected_regret", "n_units_to_settle", "by_pair", "by_system")
    figures = {name: {field: result[field] for field in kept} for name, result in results.items()}
    return [Shown(text, figures)]


def section(peer: PeerAnswer, result: Mapping[str, Any]) -> str:
    """What the tool says, what ours says, and why they differ."""
    titles = {"better": "p_better", "equal": "p_equivalent", "worse": "p_worse"}
    titles |= {"p (Holm)": "p_holm", "shown": "decision"}
    rows = [
        {"pair": f"{row['system']}, {row['other']}"} | {t: row[n] for t, n in titles.items()}
        for row in result["by_pair"]
    ]
    rope = result["options"]["rope"]
    region = f"Pairs with a region of practical equivalence of {rope:g}:\n\n" if rope else ""
    return (
        f"**{peer.peer}** says: {peer.said}.\n\n**Ours** says: {result['verdict']}\n\n"
        f"{system_table(result)}\n{region}{markdown_table(rows, digits=2)}\n"
        f"Where they differ: {peer.why}.\n"
    )


STUDY = Study.of(
    __name__, rows=examples, stamp=lambda: {"versions": {"ranking_generalizability": VERSION}}
)
