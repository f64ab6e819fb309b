"""Tables 4, 12 and 13 of CenterBench: who reads structure in nested sentences, and how deep.

    python -m research centerbench answers
    python -m research centerbench answers --systems transformers:MODEL --device cuda
    python -m research centerbench answers --systems chat:MODEL --base-url https://api.openai.com/v1

Each question is asked once per sentence. What was answered is stored with reasoning and
token counts; `--system-prompt FILE` asks with another prompt, and stores apart. What an endpoint
refuses for good is missing: the table says how many, and why. `--failures` tabulates the kinds of
wrong answers.

Source: Madhusudan, Chen and Emami (2026), sections 4 and 5.
"""

import itertools
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from dataset_scripts.headlines import HEADLINES, Result
from dataset_scripts.registry import split_table
from garden_path.models.questions import Question
from ground.files import write_whole
from ground.markdown import markdown_table, percent, percent_with_interval
from metrics.matched_pair_accuracy import scoring
from metrics.matched_pair_accuracy.inputs import is_middle
from metrics.matched_pair_accuracy.options import Options as ScoringOptions
from research.engine.loop import Row, Stage, tasks_of
from research.engine.store import make_key
from research.studies.centerbench.failures import count_kinds, failure_text
from research.studies.headline_columns import headline_columns, headline_sentence
from research.studies.options import flag
from research.studies.report import Shown, new_figure, null_line, png, score_line
from research.studies.study import Options, Rows, Run, Study

CONDITIONS = ("plausible", "implausible")
DIFFICULTIES = ("easy", "medium", "hard")


def result_text(results: Sequence[Result]) -> str:
    """The headline, where each system leaves structure, and the paper's Tables 4, 12 and 13."""
    first = results[0]
    scorer = f"scorer: {first['options']['scorer']}"
    lines = [
        f"Accuracy in percent on {first['n']:,} questions about {2 * first['n_clusters']:,}"
        f" sentences ({scorer}); 95 % intervals over sentence pairs."
        f" {headline_sentence(HEADLINES['centerbench'])} Core: action, agent and nested dependency,"
        " which the structure alone decides; convention: causal sequence and consequence.",
        markdown_table([headline_row(result) for result in results]),
        "\n".join(f"- {verdict(result)}" for result in results),
        "By level and difficulty, as the paper has it (easy: action, agent; medium: count, nested"
        " dependency; hard: causal sequence, consequence):",
        markdown_table([row for result in results for row in level_rows(result)]),
    ]
    if any(result["n_completion_tokens"] for result in results):
        lines.append(
            markdown_table({title: r[name] for title, name in TOKENS.items()} for r in results)
        )
    lines += [missing_text(result) for result in results if result["problems"]]
    if by_system := {str(r["system"]): r["failures"] for r in results if "failures" in r}:
        lines.append(failure_text(by_system))
    return "\n\n".join(line.rstrip("\n") for line in lines) + "\n"


def headline_row(result: Result) -> dict[str, object]:
    """One line of the headline table, in percent."""
    return {
        "system": result["system"],
        **headline_columns(HEADLINES["centerbench"], result),
        "plausible": percent(result["accuracy_plausible_core"]),
        "implausible": percent(result["accuracy_implausible_core"]),
        "gap": percent_with_interval(result, "gap_core"),
        "both right": percent(result["both_correct_core"]),
        "convention": percent(result["accuracy_convention"]),
        "count": percent(result["accuracy_count"]),
        "all": percent(result["accuracy"]),
    }


def verdict(result: Result) -> str:
    """Says whether a system reads structure, and from which level on it leaves it."""
    levels = [row["level"] for row in result["by_level"]]
    level, text = result["opening_level_core"], "shows no gap that opens"
    if level != "none":
        text = f"leaves structure for plausibility at level {level}"
    text = f"{result['system']}: {text} (levels {levels[0]} to {levels[-1]})"
    if result["accuracy_plausible_core"] <= result["chance_linear_order_core"]:
        text += ", but is no better than reading the words in linear order"
    median, absolute = percent(result["median_gap"]), percent(result["median_absolute_gap"])
    return (
        f"{text}. Median gap over the cells of level and question type: {median:.1f} points,"
        f" without sign {absolute:.1f}."
    )


def missing_text(result: Result) -> str:
    """How much of the suite a system answered, and why not all; what is missing counts as wrong."""
    reasons = ", ".join(f"{n:,} times {why}" for why, n in result["problems"].most_common())
    coverage, n = percent(result["coverage"]), result["n_missing"]
    return (
        f"{result['system']}: coverage {coverage:.1f} %; {n:,} answers are missing and counted as"
        f" wrong ({reasons})."
    )


def level_rows(result: Result) -> list[dict[str, object]]:
    """The lines of a system in the layout of Tables 4, 12 and 13, in percent."""
    cells = {(row["level"], row["difficulty"]): row for row in result["by_level_difficulty"]}
    rows = []
    for of_level in result["by_level"]:
        row = {"level": of_level["level"], "system": result["system"]}
        for d, c in itertools.product(DIFFICULTIES, CONDITIONS):
            row[f"{d} {c}"] = percent(cells[of_level["level"], d][f"accuracy_{c}"])
        rows.append(row | {"gap": percent(of_level["gap"])})
    return rows


def plot(results: Sequence[Result]) -> bytes:
    """Core accuracy by level and condition, and the gap by question type, of each system."""
    figure = new_figure(11, 3.4 * len(results))
    axes = figure.subplots(len(results), 2, squeeze=False)
    for row, result in zip(axes, results, strict=True):
        _draw_accuracies(row[0], result)
        _draw_gaps(row[1], result)
    return png(figure)


def _draw_accuracies(axes: Any, result: Result) -> None:
    levels = [row["level"] for row in result["by_level"]]
    for condition, marker in zip(CONDITIONS, "os", strict=True):
        score, look = f"accuracy_{condition}_core", {"marker": marker, "label": condition}
        score_line(axes, levels, result["by_level"], score, **look)
    null_line(axes, HEADLINES["centerbench"].null(result))
    level = result["opening_level_core"]
    if isinstance(level, int):
        axes.axvline(level, color="black", linestyle=":", linewidth=1, label="gap opens")
    axes.set(title=result["system"], xlabel="level", ylabel="accuracy, core questions (%)")
    axes.set(ylim=(-3, 103), xticks=levels)
    axes.legend()


def _draw_gaps(axes: Any, result: Result) -> None:
    rows = result["by_question_type"][::-1]
    gaps, low, high = (
        np.array([100 * row[key] for row in rows]) for key in ("gap", "gap_low", "gap_high")
    )
    errors = np.maximum(np.nan_to_num(np.stack([gaps - low, high - gaps])), 0)
    axes.barh(range(len(rows)), gaps, xerr=errors, capsize=3, color="tab:gray")
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_yticks(range(len(rows)), [row["question_type"].replace("_", " ") for row in rows])
    axes.set(xlabel="gap, plausible minus implausible (points)", xlim=(-105, 105))


TOKENS = {"system": "system", "asked": "n_asked", "prompt tokens": "n_prompt_tokens"}
TOKENS |= {"completion tokens": "n_completion_tokens", "of them reasoning": "n_reasoning_tokens"}
TOKENS |= {"cut off": "n_cut"}
TOKEN_COUNTS = ("n_prompt_tokens", "n_completion_tokens", "n_reasoning_tokens")
STORE_SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("text", "reasoning")),
        *((name, pa.int64()) for name in TOKEN_COUNTS),
        *((name, pa.string()) for name in ("finish_reason", "problem")),
    ]
)
AT_ONCE = 512  # questions that one process claims


def rows(options: Options) -> list[dict[str, Any]]:
    """Question rows of a draw; of `--limit` sentence pairs per level, of the `--middle`."""
    table = split_table("centerbench", options.config, "test", {"seed": options.seed})
    found: list[dict[str, Any]] = table.to_pylist()
    pairs: dict[int, dict[str, None]] = {}
    for row in found:
        pairs.setdefault(row["level"], {})[row["pair_id"]] = None
    kept = {pair for of_level in pairs.values() for pair in islice(of_level, options.limit)}
    return [
        row for row in found if row["pair_id"] in kept and (not options.middle or is_middle(row))
    ]


def work(questions: Rows, run: Run) -> None:
    """Asks every system every question."""
    for name in run.options.systems:
        run.fill(stage(name, questions, run))


def stage(name: str, questions: Rows, run: Run) -> Stage:
    """The work of one system; questions that are the same for several rows are asked once."""
    answerer = run.system(name)
    by_key = {key_of(answerer, row): row for row in questions}
    asked = {key: Question(*(row[n] for n in Question._fields)) for key, row in by_key.items()}
    tasks = tasks_of(asked, AT_ONCE, answerer)
    store = run.store("answers", STORE_SCHEMA)
    return Stage(name, store, lambda: tasks, ask, load=run.loader(name), is_costly=True)


def ask(answerer: Any, questions: Sequence[Question]) -> Iterator[tuple[int, Row]]:
    """Answers as they are ready, each with the place of its question."""
    for place, answer in answerer.stream(questions):
        yield place, answer._asdict()


def key_of(answerer: Any, row: Mapping[str, Any]) -> str:
    """Key of an answer: all that it depends on; it is the first of several that there could be."""
    asked = {name: row[name] for name in Question._fields}
    return make_key(system=answerer.name, version=answerer.version, run=0, **asked)


def score(questions: Rows, run: Run) -> list[dict[str, Any]]:
    """Results of the metric for every system; `--replies` writes what an audit asks about."""
    if run.options.replies:
        write_whole(run.options.replies, "".join(f"{line}\n" for line in replies(questions, run)))
    return [score_system(run.system(name), questions, run) for name in run.options.systems]


def replies(questions: Rows, run: Run) -> Iterator[str]:
    """The stored answers as JSON Lines: `id`, `system`, `answer`."""
    store = run.store("answers", STORE_SCHEMA)
    for answerer in map(run.system, run.options.systems):
        keys = [key_of(answerer, row) for row in questions]
        found = store.rows(keys)
        for key, row in zip(keys, questions, strict=True):
            reply = {"id": row["id"], "system": answerer.name, "answer": found[key]["text"]}
            yield json.dumps(reply, ensure_ascii=False)


def score_system(answerer: Any, questions: Rows, run: Run) -> dict[str, Any]:
    """Scores a system's answers; the metric's result with the system's name and token counts."""
    store, options = run.store("answers", STORE_SCHEMA), run.options
    is_whole = options.limit is None and not options.middle
    keys = [key_of(answerer, row) for row in questions]
    found = store.rows(keys)
    chosen = ScoringOptions(run=run.about(answerer, options.config if is_whole else ""))
    answers = [found[key] for key in keys]
    # None counts as missing
    texts = [[None if answer["problem"] else str(answer["text"])] for answer in answers]
    failures = {"failures": count_kinds(answers, questions)} if options.failures else {}
    counts = {name: _total(answer[name] for answer in found.values()) for name in TOKEN_COUNTS}
    return scoring.score({"predictions": texts, "references": questions}, chosen) | {
        "system": answerer.name,
        "system_version": answerer.version,
        "n_asked": len(found),
        "n_cut": sum(answer["finish_reason"] == "length" for answer in found.values()),
        "problems": Counter(a["problem"] for a in found.values() if a["problem"]),
        **counts,
        **failures,
    }


def show(results: Sequence[Mapping[str, Any]], options: Options) -> list[Shown]:
    """Tables, figures and plot."""
    figures = {}
    for result in results:
        levels = map(numbers_of, result["by_level"])
        # of a level what the core questions gave, which a claim may compare
        core = [{k: v for k, v in one.items() if k == "level" or "_core" in k} for one in levels]
        figures[str(result["system"])] = numbers_of(result) | {"by_level": core}
    text = f"### Who reads structure\n\n{result_text(results)}"
    return [Shown(text, figures, lambda: plot(results))]


def numbers_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """The scores and counts of a row."""
    return {key: value for key, value in row.items() if isinstance(value, float | int)}


def _total(counts: Iterable[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


CONFIGS = ("questions", "questions_lite", "stress")
ROW_OPTIONS = (
    flag("config", "which questions", "questions", choices=CONFIGS),
    flag("limit", "only the first N sentence pairs of each level", kind=int, low=1),
    flag("middle", "only the questions that the headline counts", kind=bool),
    flag("seed", "which draw of the suite", 0, low=0),
)
FAILURES = flag("failures", "tabulate how answers fail, as section 5.5 does", kind=bool)
REPLIES = flag("replies", "write the answers here, for people to audit", role="machine", parse=Path)
STUDY = Study.of(
    __name__,
    metrics=("matched_pair_accuracy",),
    options=(*ROW_OPTIONS, FAILURES, REPLIES),
    kind="answerer",
    systems=("structure", "plausibility", "linear-order", "next-noun"),
).with_variants()
