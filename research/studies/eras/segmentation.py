"""Table 1 of ERAS: how word segmenters cut ambiguous sentences and their unambiguous controls.

    python -m research eras segmentation --systems jieba
    python -m research eras segmentation --systems jieba pkuseg --config traditional
    python -m research eras segmentation --systems transformers:ckiplab/bert-base-chinese-ws
    python -m research eras segmentation --rows FOLDER   # pairs of another version, as built

The published rows stand beside ours.

Source: Li & Hao (2025), section 3 and Table 1.
"""

import functools
import hashlib
import itertools
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from dataset_scripts.headlines import HEADLINES
from dataset_scripts.registry import split_table
from ground.markdown import markdown_table, percent, percent_with_interval
from metrics.garden_path_accuracy import scoring
from metrics.garden_path_accuracy.inputs import Sites, read_sites
from metrics.garden_path_accuracy.options import read_options
from research.engine.loop import Row
from research.studies.answer_batches import Batches
from research.studies.eras.pairs import ROWS, SEED, built_pairs, configs, script_of
from research.studies.headline_columns import headline_columns, headline_sentence
from research.studies.published_tables import segmentation_rows
from research.studies.report import Shown, new_figure, numbers, png
from research.studies.seed_intervals import mover
from research.studies.study import Options, Run, Study

BRANCH_SIDES = ("left", "right")
SIDE_SCORES = ("test_accuracy", "control_accuracy")


def preference(result: dict[str, Any]) -> dict[str, float]:
    """Shares of right sentences on each side with their intervals, and `left_minus_right`.

    That is of test sentences, above 0 where left is easier, as the paper says of three of its four
    Transformers (section 3.2). A paradigm has one branching: the two are of different families, and
    MOVER gives the difference's interval.
    """
    of_side = {row["branching"]: row for row in result["by_branching"]}
    found = {}
    for side in BRANCH_SIDES:
        for score, name in zip(SIDE_SCORES, (side, f"{side}_control"), strict=True):
            for end in ("", "_low", "_high"):
                found[name + end] = of_side[side][score + end]
    ends = [(found[side], found[f"{side}_low"], found[f"{side}_high"]) for side in BRANCH_SIDES]
    found["left_minus_right"] = found["left"] - found["right"]
    return found | mover(*ends).as_fields("left_minus_right")


def show_preference(results: Sequence[dict[str, Any]], options: Options) -> list[Shown]:
    """The table of the results, how to read it, and figures."""
    rows, figures = [], {}
    for result in results:
        found = preference(result)
        figures[f"{result['system']}/{result['config']}"] = found
        row: dict[str, object] = {"system": result["system"], "config": result["config"]}
        row["pair accuracy"] = percent_with_interval(result, "pair_accuracy")
        for side in BRANCH_SIDES:
            row[f"{side} test"] = percent_with_interval(found, side)
            row[f"{side} control"] = percent(found[f"{side}_control"])
        rows.append(row | {"left minus right": percent_with_interval(found, "left_minus_right")})
    text = (
        "### Do Transformers prefer the left word?\n\n"
        "Percent of right sentences, paradigms of equal weight; a sentence is right unless it is"
        " cut as the canary word wants it. encoder: STANDARD/SEED, a Transformer of two layers that"
        " was trained here. Left minus right: test sentences of left- and of right-branching"
        " paradigms; above 0, left ones are easier. The paper says so of AS, MSR and PKU and not"
        f" of CityU.\n\n{markdown_table(rows)}"
    )
    return [Shown(text, figures)]


Numbers = npt.NDArray[np.uint16]


@dataclass(frozen=True)
class Cuts:
    """Where some sentences are cut: words of each, characters of all words one after the other."""

    counts: Numbers
    lengths: Numbers
    seconds: float

    @cached_property
    def _starts(self) -> npt.NDArray[np.int64]:
        return np.concatenate([[0], np.cumsum(self.counts, dtype=np.int64)])

    def words(self, first: int, sentences: Sequence[str]) -> list[list[str]]:
        """Words of some of the sentences, from the first on.

        Example:
            >>> cuts_of({"words": [["学生"], ["留心", "机"]], "seconds": 1}).words(1, ["留心机"])
            [['留心', '机']]
        """
        begin, end = self._starts[[first, first + len(sentences)]]
        lengths = iter(self.lengths[begin:end].tolist())
        counts = self.counts[first : first + len(sentences)].tolist()
        return [
            _cut(sentence, list(islice(lengths, count)))
            for sentence, count in zip(sentences, counts, strict=True)
        ]

    def key(self) -> str:
        """The same for the same cuts, in 32 hex digits."""
        digest = hashlib.sha256()
        for values in (self.counts, self.lengths):
            digest.update(values.astype("<u2").tobytes())
        return digest.hexdigest()[:32]


def cuts_of(row: Row) -> Cuts:
    """The cuts in the stored row of a batch: `words` of each sentence, and `seconds`."""
    counts = np.array([len(parts) for parts in row["words"]], np.uint16)
    lengths = np.array([len(word) for parts in row["words"] for word in parts], np.uint16)
    return Cuts(counts, lengths, row["seconds"])


def join_cuts(parts: Sequence[Cuts]) -> Cuts:
    """The cuts of all parts, one after the other."""
    counts, lengths = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("counts", "lengths")
    )
    return Cuts(counts, lengths, sum(part.seconds for part in parts))


def _cut(sentence: str, lengths: Sequence[int]) -> list[str]:
    ends = list(itertools.accumulate(lengths, initial=0))
    return [sentence[start:end] for start, end in itertools.pairwise(ends)]


PUBLISHED_NAMES = {"jieba": "Jieba", "pkuseg": "PKUSEG", "maxmatch": "MaxMatch"}
SIDES = ("test", "control")
COLUMNS = ("id", "paradigm_id", "site_start", *SIDES, "canary_word")
PAIRS_AT_ONCE = 8192  # whose words are in memory while they are scored
HEADLINE = HEADLINES["eras"]
PAPER = "simplified_lite/test"  # where the 39 paradigms were searched for shallow readers
Twins = Sequence[tuple[dict[str, Any], dict[str, Any]]]
OTHERS = ("resolution", "commitment", "test_accuracy", "control_accuracy", "garden_path_rate")
WHOLE_COLUMNS = (
    *("system", "pairs", HEADLINE.title, "NULL", "resolution", "commitment"),
    *("test", "control", "difference", "garden path"),
)


def pairs(options: Options) -> dict[str, pa.Table]:
    """The pairs of each config that was chosen, of the draw or as built into `--rows`."""
    return {
        name: built_pairs(options.rows, name, COLUMNS)
        if options.rows
        else split_table("eras", name, "test", {"seed": options.seed}, COLUMNS)
        for name in options.config
    }


def sentences(segmenter: Any, table: pa.Table) -> pa.ChunkedArray:
    """Test sentences of all pairs, then their controls."""
    return pa.chunked_array([chunk for side in SIDES for chunk in table[side].chunks], pa.string())


def segment(segmenter: Any, batch: Sequence[str]) -> Row:
    """Words of each sentence, and the seconds; a ValueError where they do not make it up."""
    start = time.perf_counter()
    words = segmenter.predict(batch)
    for sentence, parts in zip(batch, words, strict=True):
        if "".join(parts) != sentence:
            raise ValueError(
                f"{segmenter.name}: words, got {parts}; expected words that make up {sentence}"
            )
    return {"words": words, "seconds": time.perf_counter() - start}


def is_of_script(segmenter: Any, config: str) -> bool:
    """Whether a segmenter is made for the script of a config, or for both."""
    return segmenter.script in (None, script_of(config))


BATCHES = Batches(
    pa.schema([("words", pa.list_(pa.list_(pa.string()))), ("seconds", pa.float64())]),
    sentences,
    segment,
    takes=is_of_script,
)


def score(rows: Mapping[str, pa.Table], run: Run) -> list[dict[str, Any]]:
    """Results of the metric for every system and config, one after the other.

    A system that is made for one script is scored on that one; where both scripts are cut alike,
    characters mapped, they are one observation.
    """
    found = []
    for segmenter in map(run.system, run.options.systems):
        results = [
            score_system(segmenter, config, table, run)
            for config, table in rows.items()
            if is_of_script(segmenter, config)
        ]
        scripts, cuts = ({result[part] for result in results} for part in ("script", "cuts"))
        if len(scripts) > 1 and len(cuts) == 1:
            results = [results[0] | {"script": "both"}]
        found += results
    return found


def score_system(segmenter: Any, config: str, table: pa.Table, run: Run) -> dict[str, Any]:
    """The metric's result on a config, with what was scored; `cuts`: a key of where all are cut."""
    cuts = join_cuts(BATCHES.answers(segmenter, table, run, keep=cuts_of))
    speed = len(cuts.counts) / cuts.seconds
    print(f"{segmenter.name}, {config}: {speed:,.0f} sentences a second", file=sys.stderr)
    # a lexicon is in simplified script unless it is made for the other
    is_in_script = script_of(config) == (segmenter.script or "simplified")
    lexicon = segmenter.lexicon if is_in_script else None
    of_draw = "" if run.options.rows else config
    options = read_options(lexicon=lexicon, run=run.about(segmenter, of_draw))
    columns = zip(*sites_of(cuts, table, options.lexicon), strict=True)
    joined = (None if one[0] is None else np.concatenate(one) for one in columns)
    sites = Sites(*joined)  # type: ignore[arg-type]
    return scoring.score_sites(sites, options) | {
        "system": segmenter.name,
        "system_version": segmenter.version,
        "config": config,
        "script": script_of(config),
        "cuts": cuts.key(),
        "canary_share": canary_share(segmenter, table),
    }


def sites_of(cuts: Cuts, table: pa.Table, lexicon: Any) -> Iterator[Sites]:
    """What the metric reads of the words of all pairs, some thousand pairs at a time."""
    for start, some in parts_of(table):
        words = (
            cuts.words(side * table.num_rows + start, some[name].to_pylist())
            for side, name in enumerate(SIDES)
        )
        yield read_sites(list(zip(*words, strict=True)), some, lexicon)


def parts_of(table: pa.Table) -> Iterator[tuple[int, pa.Table]]:
    """Pairs that are in memory together, each part with the place of its first."""
    for start in range(0, table.num_rows, PAIRS_AT_ONCE):
        yield start, table.slice(start, PAIRS_AT_ONCE)


def canary_share(segmenter: Any, table: pa.Table) -> float:
    """Share of paradigms whose canary word is in the segmenter's lexicon; nan without one."""
    if segmenter.lexicon is None:
        return float("nan")
    names = ["paradigm_id", "canary_word"]
    found = [some.group_by(names).aggregate([]) for _, some in parts_of(table)]
    canaries = pa.concat_tables(found).group_by(names).aggregate([])["canary_word"]
    known = [word in segmenter.lexicon for word in canaries.to_pylist()]
    return sum(known) / len(known)


def result_text(results: Sequence[dict[str, Any]]) -> str:
    """The table of the results, each above its published row, and how to read it."""
    rows = []
    for system, of_system in itertools.groupby(results, key=lambda result: result["system"]):
        rows += [table_row(result) for result in of_system]
        rows += [
            published_row(row)
            for row in segmentation_rows()
            if row.system == PUBLISHED_NAMES.get(system)
        ]
    others = [published_row(row) for row in segmentation_rows() if not row.is_consistent]
    return (
        "### Word segmentation (Table 1)\n\n"
        f"Percent of {results[0]['n']:,} pairs of 39 paradigms in each script; intervals over"
        f" {results[0]['n_clusters']} families. {headline_sentence(HEADLINE, PAPER)} A pair is"
        " right if the true word comes out in the test sentence and the control word in the control"
        " sentence."
        " Resolution: the true word, of the sentences in which it or the canary word comes out;"
        " commitment: their share. As published: a sentence is right unless it is cut as the canary"
        " word wants it; difference: control minus test. Garden path: test wrong and control right."
        " Canary known: paradigms whose canary word is in the lexicon. Both: the system maps"
        " characters and cuts both scripts alike. crf: trained here on the gold test text of a"
        " standard, with the word list of its training text; daily: the People's Daily.\n\n"
        f"{markdown_table(rows, list(table_row(results[0])))}\n"
        "Published Transformer rows, printed for completeness: their overall figures do not follow"
        " from their left and right ones, so they are no reference values.\n\n"
        f"{markdown_table(others)}"
    )


def table_row(result: dict[str, Any]) -> dict[str, object]:
    """One line of the table, in percent."""
    row: dict[str, object] = {"system": result["system"], "script": result["script"]}
    row |= headline_columns(HEADLINE, result, f"{result['config']}/test")
    row |= {name: percent(result[name]) for name in ("resolution", "commitment")}
    row |= {side: percent(result[f"{side}_accuracy"]) for side in SIDES}
    row["difference"] = percent_with_interval(result, "difference")
    for branch in result["by_branching"]:
        side = branch["branching"]
        row |= {f"{side} {one}": percent(branch[f"{one}_accuracy"]) for one in SIDES}
    row["garden path"] = percent(result["garden_path_rate"])
    return row | {"canary known": percent(result["canary_share"])}


def published_row(row: Any) -> dict[str, object]:
    """A published row in the columns of ours."""
    script = row.script or "not said"
    figures = {"test": row.test, "control": row.control, "difference": f"{row.difference:.1f}"}
    sides = {f"{s} {c}": getattr(row, f"{s}_{c}") for s in BRANCH_SIDES for c in SIDES}
    return {"system": f"{row.system} (published)", "script": script, **figures, **sides}


def gap_plot(results: Sequence[dict[str, Any]]) -> bytes:
    """Bars of control minus test, in points, by branching, with intervals."""
    figure = new_figure(8, 0.45 * len(results) + 1.4)
    axes = figure.subplots()
    for k, side in enumerate(BRANCH_SIDES):
        branches = [
            next(branch for branch in result["by_branching"] if branch["branching"] == side)
            for result in results
        ]
        gaps, low, high = (
            np.array([percent(branch[f"difference{end}"]) for branch in branches])
            for end in ("", "_low", "_high")
        )
        places = [i + 0.4 * k for i in range(len(results))]
        errors = np.maximum(0, np.nan_to_num([gaps - low, high - gaps]))
        style: dict[str, Any] = {"label": f"{side}-branching", "color": ("#4477aa", "#ee6677")[k]}
        axes.barh(places, gaps, height=0.36, xerr=errors, capsize=2, **style)
    axes.set_yticks(
        [i + 0.2 for i in range(len(results))],
        [f"{result['system']}, {result['config']}" for result in results],
    )
    _mark_published(axes, results)
    axes.set_ylim(len(results) - 0.2, -0.6)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_xlabel("accuracy on control minus test sentences, points; diamonds: published")
    axes.legend()
    return png(figure)


def _mark_published(axes: Any, results: Sequence[dict[str, Any]]) -> None:
    """Diamonds where the paper has the difference of a system, of no said script."""
    rows = {row.system: row for row in segmentation_rows()}
    for i, result in enumerate(results):
        if row := rows.get(PUBLISHED_NAMES.get(result["system"], "")):
            gaps = [row.left_difference, row.right_difference]
            axes.plot(gaps, [i, i + 0.4], "D", color="black", markersize=4, zorder=3)


def show(results: Sequence[dict[str, Any]], options: Options) -> list[Shown]:
    """Table, figures and plot."""
    figures = numbers(results, "system", "config")
    return [Shown(result_text(results), figures, lambda: gap_plot(results))]


def twins(results: Sequence[dict[str, Any]]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """The results of a system on a whole config and on its lite one."""
    by_place = {(result["system"], result["config"]): result for result in results}
    return [
        (whole, by_place[system, f"{config}_lite"])
        for (system, config), whole in by_place.items()
        if (system, f"{config}_lite") in by_place
    ]


def largest_gap(pairs: Twins, scores: Sequence[str]) -> float:
    """The largest difference of whole and lite in any of the scores, in points."""
    return max(percent(abs(whole[name] - lite[name])) for whole, lite in pairs for name in scores)


def width_ratio(whole: dict[str, Any], lite: dict[str, Any]) -> float:
    """How many times as wide the whole's interval of the headline is as the lite one's."""
    low, high = (f"{HEADLINE.score}_{end}" for end in ("low", "high"))
    return float((whole[high] - whole[low]) / (lite[high] - lite[low]))


def verdict(pairs: Twins) -> str:
    """By how many points whole and lite differ, and whether intervals are narrower."""
    ratios = sorted({f"{width_ratio(*pair):.2f}" for pair in pairs})
    return (
        f"Whole and lite differ by at most {largest_gap(pairs, [HEADLINE.score]):.1f} points in"
        f" {HEADLINE.title} and by at most {largest_gap(pairs, OTHERS):.1f} in any other rate of"
        f" the table. Both have their intervals over the same families: the whole's are"
        f" {' to '.join(dict.fromkeys((ratios[0], ratios[-1])))} times as wide. "
    )


def whole_text(results: Sequence[dict[str, Any]]) -> str:
    """What differs, and the table: each whole config above its lite one."""
    rows = [table_row(result) | {"pairs": result["n"]} for result in results]
    pairs, n = twins(results), {result["n_clusters"] for result in results}
    return (
        "### Word segmentation: the whole suite beside lite\n\n"
        f"{verdict(pairs) if pairs else ''}Percent, 39 paradigms of equal weight, intervals over"
        f" {max(n)} families; the row of fewer pairs is the lite one."
        f" {headline_sentence(HEADLINE, PAPER)}\n\n"
        f"<details><summary>All {len(rows)} rows</summary>\n\n"
        f"{markdown_table(rows, WHOLE_COLUMNS)}\n</details>\n"
    )


def show_whole(results: Sequence[dict[str, Any]], options: Options) -> list[Shown]:
    """Table and figures; a lite row beside its whole one is not a figure of this record."""
    twice = [id(lite) for _, lite in twins(results)]
    own = [result for result in results if id(result) not in twice]
    return [Shown(whole_text(results), numbers(own, "system", "config"))]


def show_no_extra(results: Sequence[dict[str, Any]], options: Options) -> list[Shown]:
    """The tables of both, for the systems that no extra installs."""
    of_lite = [result for result in results if result["config"].endswith("_lite")]
    lead = [result for result in results if not result["config"].endswith("_lite")]
    found = show(of_lite, options) if of_lite else []
    extended = show_extended(lead, options) if lead else []
    return found + [replace(one, name="segmentation_extended_no_extra") for one in extended]


def show_extended(
    results: Sequence[dict[str, Any]], options: Options, title: str = "the extended paradigms"
) -> list[Shown]:
    """Table and figures of paradigms of our own."""
    rows = [table_row(result) | {"config": result["config"]} for result in results]
    columns = ("system", "config", *OPENING, *WHOLE_COLUMNS[4:])
    n = {result["n_clusters"] for result in results}
    place = f"{min(result['config'] for result in results)}/test"  # simplified, where there is any
    text = (
        f"### Word segmentation: {title}\n\n"
        f"Percent, paradigms of equal weight, intervals over {max(n)} families."
        f" {headline_sentence(HEADLINE, place)}\n\n{markdown_table(rows, columns)}"
    )
    return [Shown(text, numbers(results, "system", "config"))]


OPENING = (HEADLINE.title, "NULL", "shortcut")
STUDY = Study.of(
    __name__,
    rows=pairs,
    metrics=("garden_path_accuracy",),
    configs=lambda options: options.config,
    work=BATCHES.work,
    options=(configs("simplified_lite", "traditional_lite"), SEED, ROWS),
    kind="segmenter",
    systems=(
        *("jieba", "jieba-no-hmm", "maxmatch", "maxmatch-backward"),
        *("snownlp", "pkuseg", "thulac", "lac", "lac-small", "wapic"),
        "cut-in-twos",  # a null system
    ),
).with_variants(
    two_readings={"show": functools.partial(show_extended, title="strings with two readings")},
    extended={"show": show_extended},
    no_extra={"show": show_no_extra},
    encoder={"show": show_preference},
    whole={"show": show_whole},
)
