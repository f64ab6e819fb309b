"""Tables 4, 12 and 13 of CenterBench: who reads structure in center-embedded sentences, who goes by plausibility, and from which level on.

    python -m studies.center_embedding
    python -m studies.center_embedding --systems transformers:MODEL --device cuda --dtype bfloat16
    python -m studies.center_embedding --systems chat:MODEL --base-url https://api.openai.com/v1
    --concurrency 16

Each question is asked once per run and sentence. What was answered is stored (`--store`) with
reasoning and token counts, so that a run that was stopped goes on where it was; `--system-prompt
FILE` asks with another prompt, and stores apart.

Source: Madhusudan, Chen and Emami (2026), sections 4 and 5.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from tqdm import tqdm

from dataset_scripts.registry import split_table, suite_builder, suite_stamp
from ground.store import Store, make_key
from metrics.matched_pair_accuracy.decisions import SCORERS
from metrics.matched_pair_accuracy.options import Options
from metrics.matched_pair_accuracy.scoring import score
from studies.center_embedding_report import plot, result_text
from studies.command_line import run_study
from studies.report import write_result
from systems.answerers import NAMES, AnswererSettings, load_answerer
from systems.questions import Answer, Answerer, Question

NAME = "center_embedding"
STORE_SCHEMA = pa.schema(
    [
        ("text", pa.string()),
        ("reasoning", pa.string()),
        ("n_prompt_tokens", pa.int64()),
        ("n_completion_tokens", pa.int64()),
        ("n_reasoning_tokens", pa.int64()),
        ("finish_reason", pa.string()),
        ("problem", pa.string()),
    ]
)
SHARD = 512
SHARD_SECONDS = 20.0
SAMPLE = 32
TOKEN_COUNTS = ("n_prompt_tokens", "n_completion_tokens", "n_reasoning_tokens")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the study; gives the exit code."""
    options = _parser().parse_args(arguments)
    rows = read_rows(options)
    store = Store(options.store, STORE_SCHEMA)
    results = [
        study_system(load_answerer(name, _settings(options)), rows, store, options)
        for name in options.systems
    ]
    text = result_text(results)
    print(text)
    if options.plot:
        options.plot.write_bytes(plot(results))
    if options.write:
        write(results, text, options)
    return 0


def read_rows(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Gives the question rows: of a Parquet file, or of a draw; of `--limit` sentence pairs per level, if asked."""
    if options.rows:
        rows = pq.read_table(options.rows).to_pylist()
    else:
        config = "questions_lite" if options.lite else "questions"
        rows = split_table("centerbench", config, "test", {"seed": options.seed}).to_pylist()
    if options.limit is None:
        return list(rows)
    pairs: dict[int, dict[str, None]] = {}
    for row in rows:
        pairs.setdefault(row["level"], {})[row["pair_id"]] = None
    kept = {pair for found in pairs.values() for pair in islice(found, options.limit)}
    return [row for row in rows if row["pair_id"] in kept]


def study_system(
    answerer: Answerer, rows: Sequence[Mapping[str, Any]], store: Store, options: argparse.Namespace
) -> dict[str, Any]:
    """Asks a system every question and scores its answers; gives the metric's result with the system's name and token counts."""
    answers = [ask(answerer, rows, store, run) for run in range(options.runs)]
    scoring = Options(
        scorer=options.scorer, compare_with=options.compare_with, embedder=options.embedder
    )
    replies = [[run[i]["text"] for run in answers] for i in range(len(rows))]
    result = score({"predictions": replies, "references": rows}, scoring)
    given = [
        answer for run in answers for answer in {id(answer): answer for answer in run}.values()
    ]
    counts = {name: _total(answer[name] for answer in given) for name in TOKEN_COUNTS}
    n_cut = sum(answer["finish_reason"] == "length" for answer in given)
    return result | {
        "system": answerer.name,
        "system_version": answerer.version,
        "n_asked": len(given),
        "n_cut": n_cut,
        **counts,
    }


def ask(
    answerer: Answerer, rows: Sequence[Mapping[str, Any]], store: Store, run: int
) -> list[dict[str, Any]]:
    """Gives one answer per row, through the store; questions that are the same for several rows are asked once."""
    keys = [_key(answerer, row, run) for row in rows]
    questions = {
        key: Question(*(row[name] for name in Question._fields))
        for key, row in zip(keys, rows, strict=True)
    }
    done = store.rows(list(questions))
    todo = [key for key in questions if key not in done]
    title = f"{answerer.name}, run {run + 1}"
    start = time.perf_counter()
    with tqdm(total=len(todo), desc=title, unit="question", leave=False, disable=None) as bar:
        for part in (todo[:SAMPLE], todo[SAMPLE:]):
            if part and bar.n:
                expected = (time.perf_counter() - start) / bar.n * len(part)
                print(
                    f"{title}: {len(part):,} more questions, about {expected:.0f} s",
                    file=sys.stderr,
                )
            for shard in _shards(answerer.stream([questions[key] for key in part])):
                columns = {
                    name: [getattr(answer, name) for _, answer in shard]
                    for name in STORE_SCHEMA.names
                }
                store.append([part[i] for i, _ in shard], columns)
                done.update({part[i]: answer._asdict() for i, answer in shard})
                bar.update(len(shard))
    return [done[key] for key in keys]


def write(results: Sequence[Mapping[str, Any]], text: str, options: argparse.Namespace) -> None:
    """Writes table, figures and plot for the cards."""
    figures = {
        str(r["system"]): {key: value for key, value in r.items() if isinstance(value, float | int)}
        for r in results
    }
    command = f"python -m studies.{NAME} --systems {' '.join(options.systems)} --write"
    text = f"### Who reads structure\n\n{text}"
    path = write_result(
        "centerbench",
        NAME,
        text,
        **suite_stamp("centerbench"),
        command=command,
        figures=figures,
        plot=plot(results),
    )
    print(f"written: {path}", file=sys.stderr)


def _key(answerer: Answerer, row: Mapping[str, Any], run: int) -> str:
    asked = {"sentence": row["sentence"], "question": row["question"]}
    return make_key(system=answerer.name, version=answerer.version, run=run, **asked)


def _shards(answers: Iterator[tuple[int, Answer]]) -> Iterator[list[tuple[int, Answer]]]:
    """Gathers answers to be stored together; what was gathered when the answers stop is given too, before the error goes on."""
    gathered: list[tuple[int, Answer]] = []
    start = time.monotonic()
    try:
        for found in answers:
            gathered.append(found)
            if len(gathered) == SHARD or time.monotonic() - start > SHARD_SECONDS:
                yield gathered
                gathered, start = [], time.monotonic()
    except (Exception, KeyboardInterrupt):
        yield gathered
        raise
    yield gathered


def _total(counts: Iterator[int | None]) -> int | None:
    found = list(counts)
    known = [count for count in found if count is not None]
    return sum(known) if known else None


def _settings(options: argparse.Namespace) -> AnswererSettings:
    return AnswererSettings(
        suite_version=str(suite_builder("centerbench").VERSION),
        system_prompt=options.system_prompt,
        batch_size=options.batch_size,
        max_new_tokens=options.max_new_tokens,
        device=options.device,
        dtype=options.dtype,
        base_url=options.base_url,
        key_variable=options.key_variable,
        concurrency=options.concurrency,
        request=json.loads(options.request),
    )


def _parser() -> argparse.ArgumentParser:
    style = argparse.RawDescriptionHelpFormatter
    made = argparse.ArgumentParser(
        prog=f"python -m studies.{NAME}", description=__doc__, formatter_class=style
    )
    made.add_argument(
        "--systems",
        nargs="+",
        default=["structure", "linear-order", "plausibility"],
        metavar="NAME",
        help=", ".join(NAMES),
    )
    made.add_argument("--lite", action="store_true", help="only the pairs of questions_lite")
    made.add_argument(
        "--limit", type=int, metavar="N", help="only the first N sentence pairs of each level"
    )
    made.add_argument(
        "--seed", type=int, default=0, help="which draw (default: 0, the published one)"
    )
    made.add_argument(
        "--rows",
        type=Path,
        metavar="FILE",
        help="question rows from a Parquet file instead, such as the authors' own",
    )
    made.add_argument(
        "--runs",
        type=int,
        default=1,
        help="how often each question is asked (default: 1; the paper: 10)",
    )
    made.add_argument("--scorer", default="strict", choices=SCORERS)
    made.add_argument("--compare-with", choices=SCORERS, help="a second scorer")
    made.add_argument(
        "--embedder",
        default=Options().embedder,
        help="embedding model of the paper scorer, name or folder",
    )
    made.add_argument("--system-prompt", type=Path, metavar="FILE", help="another system prompt")
    made.add_argument(
        "--batch-size", type=int, default=16, help="questions per batch of a transformers model"
    )
    made.add_argument(
        "--max-new-tokens",
        type=int,
        default=96,
        help="where an answer of a transformers model is cut",
    )
    made.add_argument("--device", default="cpu", help="device of a transformers model")
    made.add_argument(
        "--dtype",
        default="auto",
        choices=("auto", "float32", "bfloat16", "float16"),
        help="its number type",
    )
    made.add_argument(
        "--base-url", metavar="URL", help="chat endpoint, up to and without /chat/completions"
    )
    made.add_argument(
        "--key-variable",
        default="OPENAI_API_KEY",
        metavar="NAME",
        help="environment variable with its key",
    )
    made.add_argument("--concurrency", type=int, default=8, help="requests under way at once")
    made.add_argument(
        "--request",
        default='{"temperature": 0}',
        metavar="JSON",
        help="further fields, such as '{\"max_tokens\": 16000}'",
    )
    made.add_argument(
        "--store", type=Path, default=Path("store") / NAME, metavar="DIR", help="where answers lie"
    )
    made.add_argument("--plot", type=Path, metavar="FILE", help="write the plot there")
    made.add_argument(
        "--write",
        action="store_true",
        help="write table and plot to cards/results/centerbench/ for the cards",
    )
    return made


if __name__ == "__main__":
    sys.exit(run_study(main))
