"""Tables 6 to 10 of SORTS for any parsers: subject-object LAS by word order and property, a heat map, and who is better than whom.

    python -m studies.subject_object conll/amb subject-first spacy:de_core_news_sm --write
    python -m studies.subject_object released_paper/amb subject-first --released DIR
    python -m studies.subject_object gold.conll parser1.conllu parser2.conllu --plot heat.png

GOLD is a config and split of the suite, a Parquet file of it, or a CoNLL file in the authors'
layout or this project's CoNLL-U; a SYSTEM is a parser by name (`systems/parsers.py`) or its output
as a file. Trees of models are stored as they are made, so that a run that was stopped goes on where
it was.

Source: Fischer et al. (2020), section 4.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from tqdm import tqdm

from ground.markdown import markdown_table
from ground.store import Store, make_key
from metrics.subject_object_las.annotation import ANNOTATION_SCHEMES
from metrics.subject_object_las.options import read_options
from metrics.subject_object_las.scoring import score
from studies.command_line import run_study
from studies.parser_tables import heat_map, overall_rows, paired_rows, part_rows
from studies.report import write_result
from studies.sorts_clauses import GoldClauses, read_gold
from systems.parsers import Parser, Trees, load_parser

NAME = "subject_object"
STORE_SCHEMA = pa.schema(
    [("heads", pa.list_(pa.list_(pa.int32()))), ("deprels", pa.list_(pa.list_(pa.string())))]
)
SAMPLE = 32  # clauses that are parsed first to tell how long the rest will take
Result = dict[str, Any]


def main(arguments: Sequence[str] | None = None) -> int:
    """Scores all systems, then prints and writes what was asked for; nothing is written where one of them fails.

    Raises:
        ValueError: The input cannot be scored.
        FileNotFoundError: A file is not there.
        ModuleNotFoundError: The package of a parser is not installed.
    """
    options = _parser().parse_args(arguments)
    gold = read_gold(options.gold, released=options.released, seed=options.seed)
    if gold.note:
        print(f"{gold.name}: {gold.note}", file=sys.stderr)
    results = [score_system(load_parser(name), gold, options) for name in options.systems]
    text = result_text(gold, results)
    print(text)
    if options.plot:
        options.plot.write_bytes(heat_map(results))
        print(f"written: {options.plot}", file=sys.stderr)
    if options.write:
        write(gold, results, text, options)
    return 0


def score_system(parser: Parser, gold: GoldClauses, options: argparse.Namespace) -> Result:
    """Parses the gold clauses and scores the trees.

    Returns:
        The result of the metric with a row per clause, `system` and `system_version`.
    """
    trees = parse_all(parser, gold, Store(options.store, STORE_SCHEMA))
    chosen = read_options(
        mode=options.mode,
        scheme=options.scheme or parser.scheme,
        alignment=options.alignment,
        unresolved=options.unresolved,
        n_resamples=options.resamples,
        per_item=True,
    )
    result = score({"predictions": trees, "references": gold.columns}, chosen)
    return result | {
        "system": Path(parser.name).name if Path(parser.name).exists() else parser.name,
        "system_version": parser.version,
    }


def parse_all(parser: Parser, gold: GoldClauses, store: Store) -> Trees:
    """Parses all clauses batch by batch through the store; a parser without batches is asked once and not stored."""
    if parser.batch_size is None:
        return parser.parse(gold.columns)
    n, size = len(gold.columns["tokens"]), parser.batch_size
    keys = [
        make_key(
            system=parser.name, version=parser.version, clauses=gold.fingerprint, start=i, size=size
        )
        for i in range(0, n, size)
    ]
    done = store.rows(keys)
    todo = [(key, i) for key, i in zip(keys, range(0, n, size), strict=True) if key not in done]
    if todo:
        _announce(parser, gold, min(n, len(todo) * size))
    for key, start in tqdm(todo, desc=parser.name, unit="batch", leave=False, disable=None):
        trees = parser.parse(gold.part(start, start + size))
        done[key] = {name: trees[name] for name in STORE_SCHEMA.names}
        store.append([key], {name: [trees[name]] for name in STORE_SCHEMA.names})
    parsed: Trees = {
        name: [tree for key in keys for tree in done[key][name]] for name in STORE_SCHEMA.names
    }
    return parsed | {"tokens": gold.columns["tokens"]}


def result_text(gold: GoldClauses, results: Sequence[Result]) -> str:
    """Gives the tables of the paper for these systems, and what one has to know to read them."""
    n, unresolved = results[0]["n"], results[0]["n_unresolved"]
    apart = (
        f" {unresolved:,} clauses that nothing settles stand apart (las unresolved)."
        if unresolved
        else ""
    )
    head = (
        f"Subject-object LAS in percent on {gold.name}, {n:,} clauses, with 95 % intervals over base triples; merged: obj, iobj and obl:arg"
        f" are one label; swap: subject and object exchanged; item: right in all word orders.{apart}"
    )
    parts = [
        f"{head}\n\n{markdown_table(overall_rows(results))}",
        f"By word order:\n\n{markdown_table(part_rows(results, 'word_order', gold.split))}",
        f"By property (acc: no variation):\n\n{markdown_table(part_rows(results, 'property', gold.split))}",
    ]
    if len(results) > 1:
        parts.append(
            "Differences in points, with 95 % intervals; p of a sign-flip test over base triples, and after Holm's correction:\n\n"
            + markdown_table(paired_rows(results), digits=2)
        )
    return "\n".join(parts)


def write(
    gold: GoldClauses, results: Sequence[Result], text: str, options: argparse.Namespace
) -> None:
    """Writes tables, figures and heat map for the card.

    Raises:
        ValueError: The clauses are not the suite's default draw, whose stamp a result carries.
    """
    from dataset_scripts.registry import suite_stamp

    if not gold.is_default_draw:
        raise ValueError(
            f"--write: GOLD, got {gold.name}; expected a split of the default draw, such as conll/amb"
        )
    figures = {
        r["system"]: {key: value for key, value in r.items() if isinstance(value, float)}
        for r in results
    }
    command = f"python -m studies.{NAME} {options.gold} {' '.join(options.systems)} --write"
    name = f"{NAME}_{gold.split}"
    text = f"### Subject-object LAS of parsers, `{gold.split}`\n\n{text}"
    path = write_result(
        "sorts",
        name,
        text,
        **suite_stamp("sorts"),
        command=command,
        figures=figures,
        plot=heat_map(results),
    )
    print(f"written: {path}", file=sys.stderr)


def _announce(parser: Parser, gold: GoldClauses, n: int) -> None:
    sample = gold.part(0, SAMPLE)
    start = time.perf_counter()
    parser.parse(sample)
    expected = (time.perf_counter() - start) / len(sample["tokens"]) * n
    print(f"{parser.name}: {n:,} clauses, about {expected:.0f} s", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    style = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog=f"python -m studies.{NAME}", description=__doc__, formatter_class=style
    )
    parser.add_argument(
        "gold",
        metavar="GOLD",
        help="config/split of the suite, or a .parquet, .conll or .conllu file",
    )
    parser.add_argument(
        "systems",
        nargs="+",
        metavar="SYSTEM",
        help="parser by name, or a CoNLL file with its output",
    )
    parser.add_argument(
        "--released",
        type=Path,
        metavar="DIR",
        help="folder of the authors' files, for configs released_*",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=0,
        help="which draw of the suite (default: 0, the published one)",
    )
    parser.add_argument(
        "--scheme",
        choices=tuple(ANNOTATION_SCHEMES),
        help="annotation scheme of all systems (default: told from their labels)",
    )
    parser.add_argument(
        "--mode",
        default="default",
        choices=("default", "paper"),
        help="paper: subtypes count, and unresolved clauses do",
    )
    parser.add_argument(
        "--alignment",
        default="tokens",
        choices=("tokens", "text"),
        help="text: a system may have other tokens",
    )
    parser.add_argument(
        "--unresolved",
        choices=("apart", "included"),
        help="whether clauses that nothing settles are counted (default: apart)",
    )
    parser.add_argument(
        "--resamples", type=int, default=2000, metavar="N", help="bootstrap samples (default: 2000)"
    )
    parser.add_argument(
        "--store",
        type=Path,
        default=Path("store") / NAME,
        metavar="DIR",
        help="where finished batches lie",
    )
    parser.add_argument(
        "--plot", type=Path, metavar="PNG", help="write the heat map of property and word order"
    )
    parser.add_argument(
        "--write",
        action="store_true",
        help="write tables and heat map to cards/results/sorts/ for the card",
    )
    return parser


if __name__ == "__main__":
    sys.exit(run_study(main))
