"""LAS from two CoNLL files.

Against the official UD scorer and against the `conllu` package with a loop; and through evaluate.

    python -m benchmarks.sorts_scoring                       both splits of the generated suite
    python -m benchmarks.sorts_scoring --released DIRECTORY  the authors' 18,502 clauses of 2020

The files are sanitised for the UD scorer, which takes full trees with one root and plain features
only: words that the authors left unlabelled depend on the main verb, order and properties are
dropped. The system file is the gold one with every fifth subject and object exchanged.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import conllu
from udtools import udeval

from benchmarks.staged import load_staged
from benchmarks.timing import Goal, measure, report
from builders.sorts.columns import Columns
from builders.sorts.released import released_tables
from builders.sorts.writers import paper_conll
from dataset_scripts.registry import split_table
from ground.files import write_whole
from metrics.subject_object_las.conll import read_conll
from metrics.subject_object_las.gold import gold_arrays
from metrics.subject_object_las.options import read_options
from metrics.subject_object_las.scoring import attachment_scores, score
from metrics.trees import read_trees

SPLITS = ("part_amb", "amb")
EXCHANGED = 5


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the benchmark; gives the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.sorts_scoring",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--released",
        type=Path,
        metavar="DIR",
        help="folder of the authors' files (default: the generated suite)",
    )
    options = parser.parse_args(arguments)
    columns = clauses(options.released)
    with tempfile.TemporaryDirectory() as folder:
        gold, system = (Path(folder) / f"{name}.conllu" for name in ("gold", "system"))
        write_whole(gold, trees_text(columns))
        write_whole(system, trees_text(exchanged(columns)))
        labelled = Path(folder) / "labelled.conll"
        write_whole(labelled, paper_conll(columns))
        goals = file_goals(gold, system) + clause_goals(labelled, system) + evaluate_goals(columns)
    return report(f"LAS of {len(columns['tokens']):,} clauses", goals)


def clauses(released: Path | None) -> Columns:
    """Both splits in one."""
    if released is not None:
        splits = released_tables(released)["released_paper"]
    else:
        splits = {split: split_table("sorts", "conll", split).to_pydict() for split in SPLITS}
    return {
        name: [value for split in SPLITS for value in splits[split][name]] for name in splits["amb"]
    }


def exchanged(columns: Columns) -> Columns:
    """Every fifth clause with the labels of subject and object exchanged."""
    deprels = [list(labels) for labels in columns["deprels"]]
    for i in range(0, len(deprels), EXCHANGED):
        subject, object_ = columns["subject"][i], columns["object"][i]
        deprels[i][subject], deprels[i][object_] = deprels[i][object_], deprels[i][subject]
    return columns | {"deprels": deprels}


def trees_text(columns: Columns) -> str:
    """Writes full trees; an unlabelled word becomes a `dep` of the main verb."""
    rows = zip(*(columns[name] for name in ("tokens", "heads", "deprels", "verb")), strict=True)
    return "".join(
        _tree_text(tokens, heads, labels, verb + 1) for tokens, heads, labels, verb in rows
    )


def _tree_text(tokens: list[str], heads: list[int | None], labels: list[str], verb: int) -> str:
    words = zip(tokens, heads, labels, strict=True)
    filled = [
        (token, verb if head is None else head, "dep" if head is None else label)
        for token, head, label in words
    ]
    return (
        "".join(
            f"{i}\t{token}\t_\t_\t_\t_\t{head}\t{label}\t_\t_\n"
            for i, (token, head, label) in enumerate(filled, 1)
        )
        + "\n"
    )


def file_goals(gold: Path, system: Path) -> list[Goal]:
    """Compares LAS and UAS over all words of two files."""

    def ours() -> dict[str, float]:
        return attachment_scores(
            *(
                read_trees(path.stem, read_conll(path, is_tree=True).trees())
                for path in (gold, system)
            )
        )

    def official() -> dict[str, float]:
        scores = udeval.evaluate(
            *(udeval.load_conllu_file(str(path), {}) for path in (gold, system))
        )
        return {"las": scores["LAS"].f1, "uas": scores["UAS"].f1}

    def with_loop() -> dict[str, float]:
        pairs = zip(
            *(conllu.parse(path.read_text(encoding="utf-8")) for path in (gold, system)),
            strict=True,
        )
        words = [
            (one, other)
            for first, second in pairs
            for one, other in zip(first, second, strict=True)
        ]
        heads = [one["head"] == other["head"] for one, other in words]
        labels = [
            one["deprel"].split(":")[0] == other["deprel"].split(":")[0] for one, other in words
        ]
        return {"las": sum(map(min, heads, labels)) / len(words), "uas": sum(heads) / len(words)}

    results = [ours(), official(), with_loop()]
    if any(
        abs(result[name] - results[0][name]) > 1e-12
        for result in results
        for name in ("las", "uas")
    ):
        raise ValueError(
            f"benchmarks.sorts_scoring: LAS and UAS, got {results}; expected the same from all "
            f"three"
        )
    seconds = measure(ours, 9)
    return [
        Goal("LAS of two files: udeval / ours", measure(official, 3) / seconds, 30),
        Goal("LAS of two files: conllu and a loop / ours", measure(with_loop, 3) / seconds, 25),
    ]


def clause_goals(labelled: Path, system: Path) -> list[Goal]:
    """Compares subject-object LAS by word order, from the authors' layout and a parser's output."""

    def ours() -> dict[str, float]:
        inputs = {
            "predictions": read_conll(system).trees(),
            "references": gold_arrays(read_conll(labelled), "final"),
        }
        result = score(inputs, read_options(confidence=None))
        return {row["word_order"]: row["las"] for row in result["by_word_order"]}

    def with_loop() -> dict[str, float]:
        counts: dict[str, list[int]] = {}
        pairs = zip(
            *(
                conllu.parse(path.read_text(encoding="utf-8"), field_parsers=AS_TEXT)
                for path in (labelled, system)
            ),
            strict=True,
        )
        for gold, parsed in pairs:
            entry = counts.setdefault(gold[0]["feats"].split("|")[0].removeprefix("order:"), [0, 0])
            for one, other in zip(gold, parsed, strict=True):
                if one["deprel"] in ("nsubj", "obj"):
                    entry[0] += one["head"] == other["head"] and one["deprel"] == other["deprel"]
                    entry[1] += 1
        return {order: right / n for order, (right, n) in counts.items()}

    if ours() != with_loop():
        raise ValueError(
            f"benchmarks.sorts_scoring: LAS by word order, got {ours()} and {with_loop()}; "
            f"expected the same"
        )
    return [
        Goal(
            "subject-object LAS by order, two files: conllu and a loop / ours",
            measure(with_loop, 3) / measure(ours, 9),
            25,
        )
    ]


def evaluate_goals(columns: Columns) -> list[Goal]:
    """Compares `compute` of the evaluate module with the bare function, on the same lists."""
    metric = load_staged("subject_object_las")
    predictions = {name: exchanged(columns)[name] for name in ("tokens", "heads", "deprels")}
    bare = measure(lambda: score({"predictions": predictions, "references": columns}), 5)
    wrapped = measure(lambda: metric.compute(predictions=predictions, references=columns), 5)
    return [Goal("through evaluate / bare function", wrapped / bare, 3, larger_is_better=False)]


AS_TEXT = {
    "feats": lambda line, i: line[i],
    "head": lambda line, i: line[i],
    "deprel": lambda line, i: line[i],
}


if __name__ == "__main__":
    sys.exit(main())
