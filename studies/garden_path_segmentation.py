"""Table 1 of ERAS: how word segmenters cut ambiguous sentences and their unambiguous controls, beside the published rows.

    python -m studies.garden_path_segmentation --systems jieba
    python -m studies.garden_path_segmentation --systems jieba pkuseg thulac snownlp maxmatch
    --write python -m studies.garden_path_segmentation --systems
    transformers:ckiplab/bert-base-chinese-ws --scripts traditional --device cuda

Segmentations are stored as they are made (`--store`), so that a run that was stopped goes on where
it was.

Source: Li & Hao (2025), section 3 and Table 1.
"""

import argparse
import itertools
import sys
import time
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from tqdm import tqdm

from dataset_scripts.content import content_hash
from dataset_scripts.eras import PAIR_FEATURES
from dataset_scripts.registry import suite_stamp
from ground.markdown import interval, markdown_table, percent
from ground.store import Store, make_key
from metrics.garden_path_accuracy.options import read_options
from metrics.garden_path_accuracy.scoring import score
from studies.command_line import run_study
from studies.eras_pairs import SCRIPTS, parser, read_pairs
from studies.published import segmentation_rows
from studies.report import png, write_result
from systems.segmenters import Segmenter, load_segmenter

NAME = "garden_path_segmentation"
STORE_SCHEMA = pa.schema([("words", pa.list_(pa.list_(pa.string()))), ("seconds", pa.float64())])
PUBLISHED_NAMES = {"jieba": "Jieba", "pkuseg": "PKUSEG", "maxmatch": "MaxMatch"}
SAMPLE = 100  # sentences that are segmented first to tell how long the rest will take


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the study; gives the exit code."""
    options = _parser().parse_args(arguments)
    pairs = {
        script: read_pairs(script, is_lite=options.lite, seed=options.seed)
        for script in options.scripts
    }
    results = []
    for name in options.systems:
        segmenter = load_segmenter(name, device=options.device, dtype=options.dtype)
        for script, table in pairs.items():
            results.append(
                score_system(segmenter, script, table, Store(options.store, STORE_SCHEMA))
            )
    text = result_text(results, is_lite=options.lite)
    print(text)
    if options.write:
        write(results, text, options)
    return 0


def score_system(
    segmenter: Segmenter, script: str, table: pa.Table, store: Store
) -> dict[str, Any]:
    """Segments all sentences of a script and scores them.

    Returns:
        The result of the metric, with `system`, `system_version`, `script`, `canary_share` (the
        share of paradigms whose canary word the segmenter's lexicon holds, nan without one) and
        `sentences_per_second`.
    """
    identity = {
        "system": segmenter.name,
        "version": segmenter.version,
        "pairs": content_hash(table, PAIR_FEATURES),
    }
    sides: dict[str, list[list[str]]] = {}
    speeds = []
    for side in ("test", "control"):
        title = f"{segmenter.name}, {script}, {side}"
        sides[side], speed = segment_all(
            segmenter, title, table[side].to_pylist(), identity | {"side": side}, store
        )
        speeds.append(speed)
    lexicon = (
        segmenter.lexicon if script == "simplified" else None
    )  # the lexicons at hand are in simplified script
    words = list(zip(sides["test"], sides["control"], strict=True))
    result = score({"predictions": words, "references": table}, read_options(lexicon=lexicon))
    return result | {
        "system": segmenter.name,
        "system_version": segmenter.version,
        "script": script,
        "canary_share": canary_share(segmenter, table),
        "sentences_per_second": sum(speeds) / len(speeds),
    }


def segment_all(
    segmenter: Segmenter, title: str, sentences: list[str], identity: dict[str, str], store: Store
) -> tuple[list[list[str]], float]:
    """Segments sentences batch by batch through the store; gives the words of each, and sentences per second.

    Raises:
        ValueError: The segmenter gives words that do not make up a sentence.
    """
    size = segmenter.batch_size
    batches = [sentences[i : i + size] for i in range(0, len(sentences), size)]
    keys = [make_key(batch=i, size=size, **identity) for i in range(len(batches))]
    done = {key: (row["words"], row["seconds"]) for key, row in store.rows(keys).items()}
    todo = [(key, batch) for key, batch in zip(keys, batches, strict=True) if key not in done]
    if todo:
        _announce(segmenter, title, todo[0][1][:SAMPLE], sum(len(batch) for _, batch in todo))
    for key, batch in tqdm(todo, desc=title, unit="batch", leave=False, disable=None):
        start = time.perf_counter()
        words = segmenter.segment(batch)
        done[key] = words, time.perf_counter() - start
        store.append([key], {"words": [words], "seconds": [done[key][1]]})
    speed = len(sentences) / sum(done[key][1] for key in keys)
    return [words for key in keys for words in done[key][0]], speed


def canary_share(segmenter: Segmenter, table: pa.Table) -> float:
    """Gives the share of paradigms whose canary word stands in the segmenter's lexicon; nan for a segmenter without one."""
    if segmenter.lexicon is None:
        return float("nan")
    canaries = set(
        zip(table["paradigm_id"].to_pylist(), table["canary_word"].to_pylist(), strict=True)
    )
    return sum(word in segmenter.lexicon for _, word in canaries) / len(canaries)


def result_text(results: Sequence[dict[str, Any]], *, is_lite: bool = False) -> str:
    """Gives the table of the results, each above its published row, and what one has to know to read it."""
    rows = []
    for system, of_system in itertools.groupby(results, key=lambda result: result["system"]):
        rows += [table_row(result) for result in of_system]
        rows += [
            published_row(row)
            for row in segmentation_rows()
            if row.system == PUBLISHED_NAMES.get(system)
        ]
    others = [published_row(row) for row in segmentation_rows() if not row.is_consistent]
    pairs = f"{results[0]['n']:,} {'lite ' if is_lite else ''}pairs"
    return (
        f"Accuracy in percent over 39 paradigms ({pairs} in each script): a sentence is right unless"
        " it is cut as the canary word wants it. Difference: control minus test, with its 95 % interval over paradigms. Garden path: test"
        " wrong and control right. Crossing: a word crosses the true word. Canary known: paradigms whose canary word is in the lexicon.\n\n"
        f"{markdown_table(rows)}\n"
        "Published Transformer rows, printed for completeness: their overall figures do not follow from their left and right ones, so they"
        f" are no reference values.\n\n{markdown_table(others, columns=list(rows[0])[:9])}"
    )


def table_row(result: dict[str, Any]) -> dict[str, object]:
    """Gives one line of the table, in percent."""
    row: dict[str, object] = {"system": result["system"], "script": result["script"]}
    row |= {
        "test": percent(result["test_accuracy"]),
        "control": percent(result["control_accuracy"]),
    }
    low, high = percent(result["difference_low"]), percent(result["difference_high"])
    row["difference"] = f"{percent(result['difference']):z.1f}{interval(low, high)}"
    for branch in result["by_branching"]:
        side = branch["branching"]
        row |= {
            f"{side} test": percent(branch["test_accuracy"]),
            f"{side} control": percent(branch["control_accuracy"]),
        }
    row |= {
        "garden path": percent(result["garden_path_rate"]),
        "crossing": percent(result["crossing_rate"]),
    }
    row |= {
        "canary known": percent(result["canary_share"]),
        "sentences/s": round(result["sentences_per_second"]),
    }
    return row


def published_row(row: Any) -> dict[str, object]:
    """Gives a published row in the columns of ours."""
    script = row.script or "not said"
    figures = {"test": row.test, "control": row.control, "difference": f"{row.difference:.1f}"}
    sides = {
        f"{s} {c}": getattr(row, f"{s}_{c}") for s in ("left", "right") for c in ("test", "control")
    }
    return {"system": f"{row.system} (published)", "script": script, **figures, **sides}


def gap_plot(results: Sequence[dict[str, Any]]) -> bytes:
    """Draws control minus test, in points, for left- and right-branching paradigms, with intervals."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 0.45 * len(results) + 1.4), layout="constrained")
    axes = figure.subplots()
    for k, side in enumerate(("left", "right")):
        branches = [
            next(branch for branch in result["by_branching"] if branch["branching"] == side)
            for result in results
        ]
        gaps = [percent(branch["difference"]) for branch in branches]
        ends = [
            [percent(branch[f"difference_{end}"]) for branch in branches] for end in ("low", "high")
        ]
        errors = [
            [max(0.0, g - e) for g, e in zip(gaps, ends[0], strict=True)],
            [max(0.0, e - g) for g, e in zip(gaps, ends[1], strict=True)],
        ]
        places = [i + 0.4 * k for i in range(len(results))]
        axes.barh(
            places,
            gaps,
            height=0.36,
            xerr=errors,
            capsize=2,
            label=f"{side}-branching",
            color=("#4477aa", "#ee6677")[k],
        )
    axes.set_yticks(
        [i + 0.2 for i in range(len(results))],
        [f"{result['system']}, {result['script']}" for result in results],
    )
    axes.invert_yaxis()
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_xlabel("accuracy on control minus test sentences, points")
    axes.legend()
    return png(figure)


def write(results: Sequence[dict[str, Any]], text: str, options: argparse.Namespace) -> None:
    """Writes table, figures and plot for the card."""
    figures = {
        f"{r['system']}/{r['script']}": {
            key: value for key, value in r.items() if isinstance(value, float)
        }
        for r in results
    }
    command = f"python -m studies.{NAME} --systems {' '.join(options.systems)} {'--lite ' if options.lite else ''}--write"
    name, title = (
        (f"{NAME}_lite", "on the lite pairs") if options.lite else (NAME, "on the whole suite")
    )
    text = f"### Word segmentation (Table 1), {title}\n\n{text}"
    path = write_result(
        "eras",
        name,
        text,
        **suite_stamp("eras"),
        command=command,
        figures=figures,
        plot=gap_plot(results),
    )
    print(f"written: {path}", file=sys.stderr)


def _announce(segmenter: Segmenter, title: str, sample: list[str], n: int) -> None:
    start = time.perf_counter()
    words = segmenter.segment(sample)
    for sentence, parts in zip(sample, words, strict=True):
        if "".join(parts) != sentence:
            raise ValueError(
                f"{segmenter.name}: words, got {parts}; expected words that make up {sentence}"
            )
    expected = (time.perf_counter() - start) / len(words) * n
    print(f"{title}: {n:,} sentences, about {expected:.0f} s", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    return parser(NAME, __doc__, default_system="jieba", default_scripts=SCRIPTS)


if __name__ == "__main__":
    sys.exit(run_study(main))
