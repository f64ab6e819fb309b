"""The likelihood studies of all suites, `data/likelihoods.toml`: texts out, token scores in.

A config of a suite is a part; every row of it has measures (of `members`), each a
comparison of stretches of text. A text is scored once, whatever rows it stands in.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import pyarrow as pa

from builders.eras.likelihoods import N_REPEATED, OCCLUDERS
from dataset_scripts.registry import split_table
from garden_path.models.arrays import BoolArray
from ground.markdown import format_cell, interval, markdown_table, percent_with_interval
from ground.tables import read_settings
from metrics._shared.language_models import TokenScores
from metrics._shared.uncertainty import holm
from metrics.minimal_pair_preference import scoring as minimal_pair_preference
from metrics.minimal_pair_preference.members import Measures, Stretch, likelihoods, measures
from metrics.minimal_pair_preference.options import read_options
from metrics.minimal_pair_preference.scoring import best_choices, share
from research.engine.loop import Row, Stage, tasks_of
from research.engine.store import make_key
from research.studies.options import flag
from research.studies.published_tables import DATA
from research.studies.report import Shown, headings
from research.studies.study import Run, Study

MODELS = ("gguf:gemma", "gguf:smollm2")
CHOICE = "choice"  # the measure whose members are choices, the right one first
OPTIONS = read_options()
GROUPED = ("question_type", "construction", "condition")  # what choices are told apart by
COLUMNS = headings("likelihoods")
IN_PERCENT = ("accuracy", "accuracy_per_token", "accuracy_slln", "accuracy_uncrossed", "extended")
FIELDS = {"starts": pa.int64(), "ends": pa.int64(), "log_probabilities": pa.float64()}
TOKENS = pa.schema([(name, pa.list_(kind)) for name, kind in FIELDS.items()])


@dataclass(frozen=True)
class Part:
    """A config for language models, or a `subset` of its rows, by one measure where it is named."""

    suite: str
    config: str
    subset: str = ""
    is_kept: Callable[[Mapping[str, Any]], bool] = lambda row: True
    measure: str = ""

    @property
    def title(self) -> str:
        """Config and subset."""
        return f"{self.config}, {self.subset}" if self.subset else self.config

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """Its rows, of the default draw."""
        found: list[dict[str, Any]] = split_table(self.suite, self.config, "test").to_pylist()
        return [row for row in found if self.is_kept(row)]

    @cached_property
    def compared(self) -> list[Measures]:
        """The measures of each row."""
        every = map(measures, self.rows)
        return [{self.measure: one[self.measure]} if self.measure else one for one in every]

    @cached_property
    def texts(self) -> list[str]:
        """All texts, each once; what begins alike stands together."""
        every = (members for one in self.compared for members in one.values())
        return sorted({stretch.text for members in every for stretch in members})


@dataclass(frozen=True)
class ComparedLikelihoods:
    """One measure of all rows of a part under one system.

    `values` are log-probability in nats, tokens and characters of each member, by row: shape (rows,
    members, 3), a list where rows differ in members; `is_extended` is whether a token crossed an
    end of the stretch, by row.
    """

    rows: list[dict[str, Any]]
    values: Any
    is_extended: BoolArray


def stage(part: Part, system: Any, run: Run) -> Stage:
    """Scores every text of a part once, whatever else it is scored for."""
    size = system.batch_size or len(part.texts)
    shared = {"system": system.name, "version": system.version}
    tasks = tasks_of({make_key(text=text, **shared): text for text in part.texts}, size, system)
    return Stage(
        f"{system.name}, {part.config}",
        run.store("tokens", TOKENS),
        lambda: tasks,
        score_texts,
        load=run.loader(system.name),
    )


def score_texts(system: Any, texts: Sequence[str]) -> Iterator[tuple[int, Row]]:
    """Token scores of a batch of texts."""
    for place, found in enumerate(system.predict(texts)):
        yield place, {name: getattr(found, name).tolist() for name in TOKENS.names}


def work(parts: Mapping[str, Part], run: Run) -> None:
    """Scores all texts under all systems."""
    for part in parts.values():
        for name in run.options.systems:
            run.fill(stage(part, run.system(name), run))


def compare(part: Part, system: Any, run: Run) -> dict[str, ComparedLikelihoods]:
    """Every measure of a part under a system."""
    scores = {
        text: TokenScores(*(np.array(row[name]) for name in TOKENS.names))
        for text, row in run.done(stage(part, system, run)).items()
    }
    return {
        name: _compared(part, [one[name] for one in part.compared], scores)
        for name in part.compared[0]
    }


def _compared(
    part: Part, rows: Sequence[Sequence[Stretch]], scores: Mapping[str, TokenScores]
) -> ComparedLikelihoods:
    values, is_extended = [], []
    for members in rows:
        found = likelihoods(members, scores)
        values.append([[one.total, one.n_tokens, one.n_characters] for one in found.likelihoods])
        is_extended.append(found.is_extended)
    is_even = len({len(members) for members in values}) == 1
    return ComparedLikelihoods(
        part.rows, np.array(values) if is_even else values, np.array(is_extended)
    )


def _is_repeated(occluder: str, row: Mapping[str, Any]) -> bool:
    """Whether a row has this occluder and its pair is there with all of them."""
    return bool(row["occluder"] == occluder and int(row["pair_id"][3:]) < N_REPEATED)


ERAS = (
    Part("eras", "pairs", f"occluder {OCCLUDERS[0]}", lambda row: row["occluder"] == OCCLUDERS[0]),
    *(
        Part("eras", "pairs", f"10 of each, occluder {one}", partial(_is_repeated, one), "after")
        for one in OCCLUDERS
    ),
)


def _studies(suite: str, entries: Sequence[Mapping[str, Any]]) -> Study:
    """The study of a suite, the first entry, with the others as its variants."""
    first, *others = (_study(suite, **entry) for entry in entries)
    return first.having(**{e["variant"]: one for e, one in zip(entries[1:], others, strict=True)})


def _study(
    suite: str, asks: str, configs: list[str], reading: str, nulls: str = "", variant: str = ""
) -> Study:
    parts = ERAS if suite == "eras" else [Part(suite, config) for config in configs]
    line = f"    python -m research {suite} likelihoods" + (variant and f" --variant {variant}")
    title, more = asks.strip().split("\n", maxsplit=1)
    chosen = flag("configs", "which configs", configs, choices=configs, many="+")
    ngrams = (f"unigram:{nulls}", f"bigram:{nulls}") if nulls else ()
    return Study(
        f"research.studies.{suite}.likelihoods",
        f"{title}\n\n{line}\n{line} --systems transformers:NAME\n{more}",
        lambda options: {
            part.title: part
            for part in parts
            if part.config in getattr(options, "configs", configs)
        },
        score,
        lambda scored, options: show(scored, reading.strip(), variant),
        work,
        options=(chosen,) if len(configs) > 1 else (),
        kind="language_model",
        systems=(*MODELS, *ngrams, "uniform"),
        metrics=("minimal_pair_preference",),
        configs=lambda options: getattr(options, "configs", configs),
    )


def score(parts: Mapping[str, Part], run: Run) -> dict[str, Any]:
    """Under each config and measure a list of rows, one per system and construction."""
    found: dict[str, Any] = {}
    for part in parts.values():
        by_system = {name: compare(part, run.system(name), run) for name in run.options.systems}
        for measure in part.compared[0]:
            compared = {name: own[measure] for name, own in by_system.items()}
            abouts = {name: run.about(run.system(name), part.title) for name in compared}
            found[f"{part.title}: {measure}"] = (
                choice_rows(compared) if measure == CHOICE else pair_rows(compared, abouts)
            )
        if len(part.compared[0]) > 1:
            correct([found[f"{part.title}: {measure}"] for measure in part.compared[0]])
    return found


def correct(tables: Sequence[list[dict[str, Any]]]) -> None:
    """Adds to the overall rows of one system p values that are right for several measures."""
    for rows in zip(*tables, strict=True):
        if rows[0]["construction"] == "all":
            for row, p in zip(rows, holm([row["effect_p"] for row in rows]), strict=True):
                row["effect_p_holm"] = p


def pair_rows(
    compared: Mapping[str, ComparedLikelihoods], abouts: Mapping[str, Mapping[str, str]]
) -> list[dict[str, Any]]:
    """What the metric says of two or four members, per system, signed with `abouts`; with nulls."""
    table = []
    sums = {name: one.values[..., 0] for name, one in compared.items()}
    for name, one in compared.items():
        nulls = {other: sums[other] for other in sums if other not in (name, *MODELS)}
        inputs = {
            "predictions": one.values[..., 0],
            "references": one.rows,
            "n_tokens": np.maximum(one.values[..., 1], 1),
        }
        options = replace(OPTIONS, run=abouts[name])
        result = minimal_pair_preference.score(inputs, options, nulls if name in MODELS else {})
        extended = {"extended": float(one.is_extended.mean())}
        table.append({"system": name, "construction": "all", **scalars(result), **extended})
        table[-1] |= {f"above {row['null']}": row["accuracy_above"] for row in result["by_null"]}
        table += [{"system": name, **scalars(row)} for row in result["by_construction"]]
    return table


def scalars(result: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers and names of a result, without tables and options."""
    return {name: value for name, value in result.items() if not isinstance(value, list | dict)}


def choice_rows(compared: Mapping[str, ComparedLikelihoods]) -> list[dict[str, Any]]:
    """Shares of right choices per system and construction; chance is a system, too."""
    first = next(iter(compared.values()))
    right = {
        name: best_choices(
            [[total for total, *_ in members] for members in one.values],
            [[n for _, n, _ in members] for members in one.values],
            OPTIONS.exponent,
        )
        for name, one in compared.items()
    }
    if "chance" in first.rows[0]:
        right["chance"] = np.array([row["chance"] for row in first.rows], float)
    told = ([str(row[name]) for name in GROUPED if name in row] for row in first.rows)
    groups = np.array([" ".join(names) for names in told])
    clusters = np.unique([row["cluster"] for row in first.rows], return_inverse=True)[1]
    return [
        {
            "system": name,
            "construction": group,
            "n": int(is_in.sum()),
            **share(values[is_in], clusters[is_in], OPTIONS, "accuracy"),
        }
        for name, values in right.items()
        for group in ("all", *dict.fromkeys(groups.tolist()))
        for is_in in [(groups == group) | (group == "all")]
    ]


def show(scored: Mapping[str, Any], reading: str, name: str = "") -> list[Shown]:
    """A table per config and measure, under the name of a variant."""
    blocks = []
    for title, rows in scored.items():
        shown = [key for key in COLUMNS if any(_is_defined(row.get(key)) for row in rows)]
        table = [{COLUMNS[key]: _cell(row, key) for key in shown} for row in rows]
        blocks.append(f"**{title}**\n\n{markdown_table(table)}")
    return [Shown("\n".join([*blocks, reading]), dict(scored), name=name)]


def _is_defined(value: object) -> bool:
    return value is not None and value == value


def _cell(row: Mapping[str, Any], name: str) -> object:
    value: Any = row.get(name)
    if not _is_defined(value) or not isinstance(value, float):
        return value
    if name in IN_PERCENT:
        return percent_with_interval(row, name)
    if name == "effect":
        return format_cell(value, 2) + interval(row["effect_low"], row["effect_high"], 2)
    return format_cell(value, 2 if name.startswith("effect_of") else 3)


STUDIES = {
    suite: _studies(suite, entries)
    for suite, entries in read_settings(DATA / "likelihoods.toml").items()
}
