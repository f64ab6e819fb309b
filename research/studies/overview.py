"""Who reads structure: every system on every suite, from the committed results.

python -m research overview           prints the page
python -m research overview --write   writes cards/results/overview.* and the README's table
"""

import argparse
import json
import math
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from builders.shallow import ABOVE
from dataset_scripts.headlines import HEADLINES, NOT_ABOVE
from ground.files import write_whole
from ground.markdown import fixed, format_cell, interval, markdown_table, percent
from ground.paths import RESULTS, ROOT
from ground.tables import read_table
from research.studies.headline_quality import followings, quality_text
from research.studies.report import headings, named_panels, png
from research.studies.result_lines import Diagnosis, Gathered, Line, gather

NAME = "overview"
TASKS = Path(__file__).resolve().parent / "data" / "overview_tasks.tsv"
README = ROOT / "README.md"
BEGIN = "<!-- python -m research overview --write -->"
END = "<!-- end of the overview -->"
SHOWN, DRAWN = 2, 5  # systems of a task in the README's table, in the figure
LAST = 99  # rank of a task that the table does not name
KINDS = headings("overview")
REAL = ("others", "trained")
REFERENCES = ("ceiling", "rule", "shortcut", "null")


@dataclass(frozen=True)
class TaskRow:
    """A line of `overview_tasks.tsv`."""

    task: str
    title: str
    rank: int
    first: Literal["yes", "no"]


def show_overview(arguments: Sequence[str]) -> int:
    """Prints the page, or writes it with its figure and the README's table."""
    parser = argparse.ArgumentParser(prog="python -m research overview", description=__doc__)
    parser.add_argument("--write", action="store_true", help="into cards/results and the README")
    options = parser.parse_args(arguments)
    found = gather()
    text = page_text(found)
    if not options.write:
        print(text)
        return 0
    figures = json.dumps(asdict(found), ensure_ascii=False, indent=1, sort_keys=True)
    write_whole(RESULTS / f"{NAME}.json", f"{figures}\n")
    drawn = {task: lines[:DRAWN] for task, lines in first_tasks(found).items()}
    write_whole(RESULTS / f"{NAME}.png", overview_plot(drawn))
    write_whole(RESULTS / f"{NAME}.md", text)
    write_whole(README, with_first_screen(README.read_text(encoding="utf-8"), found))
    print(f"written: {RESULTS / NAME}.md", file=sys.stderr)
    return 0


def page_text(found: Gathered) -> str:
    """The whole page: a table for each task of each suite, diagnoses, and what is left out."""
    parts = [
        "# Who reads structure\n",
        "The tables show every system on every suite that it was run on: the score in percent with"
        " its 95 % interval, and NULL, the score of a baseline that ignores what is asked."
        f" {ABOVE} The rest is marked “{NOT_ABOVE}”. NULLs, shortcuts, rules and ceilings are"
        " references. They are below the systems and are never ranked among them. If a record does"
        " not name a system's version, the pinned one is given. No record holds seconds, since it"
        " is the same on any machine; the studies print them. Each table names the command that"
        " makes its figures again.\n",
        "![Systems that were made by others or trained here, with their intervals and"
        f" NULL]({NAME}.png)\n",
    ]
    for suite in HEADLINES:
        parts += [f"## {suite}\n", f"{field_text(found, suite)}\n"]
        for (title, _), lines in tasks_of_suite(found, suite).items():
            parts += [f"### {title[0].upper()}{title[1:]}\n", task_text(lines)]
        if suite == "eras" and found.diagnoses:
            parts.append(diagnosis_text(found.diagnoses))
    parts.append(quality_text(followings()))
    if found.left_out:
        rows = [{"record": name, "measured on": why} for name, why in found.left_out.items()]
        parts += ["## Left out, of other versions or draws\n", markdown_table(rows)]
    return "\n".join(parts)


def field_text(found: Gathered, suite: str) -> str:
    """Which of the systems that can be had offline are above, by task of the first screen."""
    told = []
    for (title, is_first), lines in tasks_of_suite(found, suite).items():
        real = [line for line in best_of_families(lines) if line.is_above is not None]
        if not (is_first and real):
            continue
        title = title[0].upper() + title[1:]
        if names := [line.system for line in real if line.is_above]:
            told.append(f"{title}: {', '.join(names)}, of {len(real)}")
        else:
            told.append(f"{title}: none of {', '.join(line.system for line in real)}")
    if not told:
        return "No system of this version was measured with an interval."
    listed = ". ".join(told)
    return (
        "The list names the systems that are above, among those that could be had offline. Variants"
        f" and seeds of one system count once. {listed}."
    )


def tasks_of_suite(found: Gathered, suite: str) -> dict[tuple[str, bool], list[Line]]:
    """Lines by title of their task and whether it is on the first screen, best system first."""
    named = {row.task: row for row in read_table(TASKS, TaskRow)}
    tasks: dict[str, list[Line]] = {}
    for line in found.lines:
        if line.suite == suite:
            tasks.setdefault(line.task, []).append(line)
    rows = [named.get(task) or TaskRow(task, _title(task), LAST, "no") for task in tasks]
    return {
        (row.title, row.first == "yes"): sorted(tasks[row.task], key=_place)
        for row in sorted(rows, key=lambda row: (row.rank, row.task))
    }


def _title(task: str) -> str:
    return task.partition("/")[2].replace(": ", ":").replace(":", ", ").replace("_", " ")


def _place(line: Line) -> tuple[int, float, str]:
    return list(KINDS).index(line.origin.kind), -line.value, line.system


def task_text(lines: Sequence[Line]) -> str:
    """The table of a task and its command."""
    rows = []
    for line in lines:
        what = ", ".join(filter(None, (KINDS[line.origin.kind], line.origin.says)))
        version = f"`{line.version}`" if line.version else "–"
        row: dict[str, object] = {"system": line.system, "what it is": what}
        row |= {line.score: score_cell(line), "NULL": percent(line.null), "version": version}
        rows.append(row | {"parameters": line.n_parameters})
    return f"{markdown_table(rows)}\n`{lines[0].command}`\n"


def score_cell(line: Line) -> str:
    """A score in percent with its interval, and whether a system is not above."""
    value, low, high = (percent(share) for share in (line.value, line.low, line.high))
    text = f"{value:.1f}{interval(low, high)}"
    is_reference = line.origin.kind in REFERENCES
    return f"{text}, {NOT_ABOVE}" if line.is_above is False and not is_reference else text


def diagnosis_text(diagnoses: Sequence[Diagnosis]) -> str:
    """The table of classifiers, which have no headline."""
    rows = [
        {"system": one.system, "task": one.task.partition("/")[2], "GPER": percent(one.gper)}
        | {"excess over the reverse": _with_interval(map(percent, one.gper_excess))}
        | {"occlusion effect, logits": _with_interval(one.occlusion_effect, digits=2)}
        for one in diagnoses
    ]
    return (
        "### Sentiment: a diagnosis, without a winner\n\n"
        "GPER has no zero; its excess over the reverse rate and the occlusion effect have: where"
        f" the interval holds 0, no garden path is shown.\n\n{markdown_table(rows)}"
    )


def _with_interval(ends: Iterable[float], digits: int = 1) -> str:
    value, low, high = ends
    return f"{format_cell(value, digits)}{interval(low, high, digits)}"


def first_tasks(found: Gathered) -> dict[tuple[str, str], list[Line]]:
    """The real systems of each task of the first screen, best first, by suite and title.

    A family, such as a segmenter with and without an option, is shown by its best member. Their
    `shortcut` is the best of the task, searched or measured.
    """
    return {
        (suite, title): [replace(line, shortcut=best_shortcut(lines)) for line in real]
        for suite in HEADLINES
        for (title, is_first), lines in tasks_of_suite(found, suite).items()
        if is_first and (real := best_of_families(lines))
    }


def best_of_families(lines: Sequence[Line]) -> list[Line]:
    """Real systems, best first, one of each family; seeds and texts of `trained:` are one."""
    families: dict[str, Line] = {}
    for line in sorted(lines, key=lambda line: -line.value):
        if line.origin.kind in REAL:
            name = line.system.rpartition("/")[0] if line.system.startswith("trained:") else ""
            families.setdefault(line.origin.family or name or line.system, line)
    return list(families.values())


def best_shortcut(lines: Sequence[Line]) -> float:
    """The best shortcut of a task's lines, measured or searched; nan where there is none."""
    values = [line.shortcut for line in lines]
    values += [line.value for line in lines if line.origin.kind == "shortcut"]
    return max((value for value in values if not math.isnan(value)), default=math.nan)


def with_first_screen(readme: str, found: Gathered) -> str:
    """The README with the table of real systems between its two marks."""
    before, begin, rest = readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end) or BEGIN in rest or END in after:
        raise ValueError(f"README.md: marks, got others; expected {BEGIN} and {END} once each")
    rows, unsolved = [], []
    for (suite, title), lines in first_tasks(found).items():
        null, shortcut = percent(lines[0].null), percent(lines[0].shortcut)
        measured = [line for line in lines if line.is_above is not None]
        n_above = sum(bool(line.is_above) for line in measured)
        row: dict[str, object] = {"suite": suite, "test": title, "score": lines[0].score}
        row |= {"NULL": null, "best shortcut": shortcut}
        row["best systems (bold: above both)"] = "<br>".join(map(_named, lines[:SHOWN]))
        rows.append(row | {"above both": f"{n_above} of {len(measured)}" if measured else "–"})
        if measured and not n_above:
            config = re.search(r"\(`\w+`\)$", title)
            unsolved.append(f"{suite} {config[0][1:-1]}" if config else suite)
    told = f"\n**Open:** no system is above both in {', '.join(unsolved)}.\n" if unsolved else ""
    return f"{before}{BEGIN}\n{markdown_table(rows)}{told}{END}{after}"


def _named(line: Line) -> str:
    name = line.system.removeprefix("trained:") + "†" * (line.origin.kind == "trained")
    text = (
        f"{name} {fixed(percent(line.value), 1)}{interval(percent(line.low), percent(line.high))}"
    )
    return f"**{text}**" if line.is_above else text


BLUE, GREY, RED, ORANGE = "#4477aa", "#bbbbbb", "#ee6677", "#cc8800"


def overview_plot(tasks: Mapping[tuple[str, str], Sequence[Line]]) -> bytes:
    """A PNG, a panel per task: points with intervals, bars at NULL and the best shortcut."""
    names = {
        f"{suite}: {title.replace('`', '')}, {lines[0].score}": [line.system for line in lines]
        for (suite, title), lines in tasks.items()
    }
    figure, panels = named_panels(names, 0.24, 0.42, 0.6)
    for axes, lines in zip(panels, tasks.values(), strict=True):
        for place, line in enumerate(lines):
            _draw(axes, place, line)
    ends = [end for lines in tasks.values() for line in lines for end in (line.value, line.low)]
    lowest = min(0.0, *(percent(end) for end in ends if end == end))
    panels[-1].set_xlim(math.floor(lowest / 10) * 10, 100)
    panels[-1].set_xlabel(
        "percent; line: 95 % interval; red: NULL; orange: the best shortcut; grey: not above"
    )
    return png(figure)


def _draw(axes: Any, place: int, line: Line) -> None:
    value, low, high, null = (percent(s) for s in (line.value, line.low, line.high, line.null))
    color = GREY if line.is_above is False else BLUE
    if low == low:
        axes.plot([low, high], [place, place], "-", color=color, linewidth=2)
    axes.plot([value], [place], "o", color=color, markersize=6)
    if line.shortcut == line.shortcut:
        _bar(axes, place, percent(line.shortcut), ORANGE)
    _bar(axes, place, null, RED)


def _bar(axes: Any, place: int, value: float, color: str) -> None:
    axes.plot([value], [place], "|", color=color, markersize=11, markeredgewidth=2)
