"""LAS of two CoNLL files, against the UD scorer, a loop over `conllu`, and evaluate's path.

The files are sanitised for the UD scorer, which takes full trees with one root and plain features
only: words that the authors left unlabelled depend on the main verb, order and properties are
dropped. The system file is the gold one with every fifth subject and object exchanged.

By word order a profile is flat: reading both files is two thirds of it, of which the check that
text is in one normal form is the largest part, a tenth. Two runs gave 18.8 and 17.7 times the loop,
so that the goal is 16.
"""

import functools
import tempfile
from pathlib import Path

import conllu
import pyarrow as pa
import pyarrow.compute as pc
from udtools import udeval

from builders.sorts.columns import Columns
from builders.sorts.writers import paper_conll
from dataset_scripts.registry import split_table
from ground.files import write_whole
from metrics._shared.treebanks import read_conll
from metrics._shared.trees import read_trees
from metrics.subject_object_las.inputs import gold_arrays
from metrics.subject_object_las.options import read_options
from metrics.subject_object_las.scoring import attachment_scores, score
from research.benchmarks.timing import Goal, at_most, growth, load_staged, measure, scaled, used

LOOP = "conllu and a loop"
TREE = ("tokens", "heads", "deprels")
AS_TEXT = dict.fromkeys(("feats", "head", "deprel"), lambda line, i: line[i])
SPLITS = ("part_amb", "amb")
EXCHANGED = 5
SIZES = (20_000, 100_000, 500_000)


def run(share: float) -> list[Goal]:
    """Scores both splits from files and through evaluate, and up to half a million clauses."""
    columns = clauses(share)
    with tempfile.TemporaryDirectory() as folder:
        gold, system = (Path(folder) / f"{name}.conllu" for name in ("gold", "system"))
        write_whole(gold, trees_text(columns))
        write_whole(system, trees_text(exchanged(columns)))
        labelled = Path(folder) / "labelled.conll"
        write_whole(labelled, paper_conll(columns))
        goals = file_goals(gold, system) + clause_goals(labelled, system) + evaluate_goals(columns)
    sizes = [scaled(n, share, 20) for n in SIZES]
    return goals + growth("clauses scored", score_many, sizes, (None, 2.0, 10.0))


@functools.cache
def suite() -> tuple[pa.Table, ...]:
    """The clauses of both splits."""
    return tuple(split_table("sorts", "conll", split) for split in SPLITS)


def clauses(share: float = 1) -> Columns:
    """A share of both splits, in one."""
    parts = [part.slice(0, scaled(part.num_rows, share, 200)) for part in suite()]
    columns: Columns = pa.concat_tables(parts).to_pydict()
    return columns


def score_many(n: int) -> float:
    """Seconds to score n clauses: the suite again and again, with triples of their own."""
    table = pa.concat_tables(suite())
    copies = []
    for number in range(-(-n // table.num_rows)):
        copy = table.slice(0, n)
        for name in ("id", "item_id", "triple_id"):
            place, end = copy.column_names.index(name), pa.scalar(f".{number}", pa.string())
            renamed = pc.binary_join_element_wise(copy[name].cast(pa.string()), end, "")
            copy = copy.set_column(place, name, renamed)
        copies.append(copy)
    gold = pa.concat_tables(copies).slice(0, n).combine_chunks()
    labels = exchanged(gold.select(["deprels", "subject", "object"]).to_pydict())["deprels"]
    predictions = gold.select(["tokens", "heads"]).append_column("deprels", pa.array(labels))
    return used(lambda: score({"predictions": predictions, "references": gold}))


def exchanged(columns: Columns) -> Columns:
    """Every fifth clause with the labels of subject and object exchanged."""
    deprels = [list(labels) for labels in columns["deprels"]]
    for i in range(0, len(deprels), EXCHANGED):
        subject, object_ = columns["subject"][i], columns["object"][i]
        deprels[i][subject], deprels[i][object_] = deprels[i][object_], deprels[i][subject]
    return columns | {"deprels": deprels}


def trees_text(columns: Columns) -> str:
    """Writes full trees; an unlabelled word becomes a `dep` of the main verb."""
    lines = []
    for *words, verb in zip(*(columns[n] for n in (*TREE, "verb")), strict=True):
        for i, (token, head, label) in enumerate(zip(*words, strict=True), 1):
            arc = f"{verb + 1}\tdep" if head is None else f"{head}\t{label}"
            lines.append(f"{i}\t{token}\t_\t_\t_\t_\t{arc}\t_\t_\n")
        lines.append("\n")
    return "".join(lines)


def file_goals(gold: Path, system: Path) -> list[Goal]:
    """Compares LAS and UAS over all words of two files."""

    files = (gold, system)

    def ours() -> dict[str, float]:
        trees = [read_conll(path, is_tree=True).trees() for path in files]
        return attachment_scores(*map(read_trees, ("gold", "system"), trees))

    def official() -> dict[str, float]:
        scores = udeval.evaluate(*(udeval.load_conllu_file(str(path), {}) for path in files))
        return {"las": scores["LAS"].f1, "uas": scores["UAS"].f1}

    def with_loop() -> dict[str, float]:
        pairs = zip(
            *(conllu.parse(path.read_text(encoding="utf-8")) for path in files), strict=True
        )
        words = [two for first, second in pairs for two in zip(first, second, strict=True)]
        heads = [one["head"] == other["head"] for one, other in words]
        labels = [len({word["deprel"].split(":")[0] for word in two}) == 1 for two in words]
        return {"las": sum(map(min, heads, labels)) / len(words), "uas": sum(heads) / len(words)}

    results = [ours(), official(), with_loop()]
    apart = [abs(one[name] - results[0][name]) for one in results for name in ("las", "uas")]
    if max(apart) > 1e-12:
        raise ValueError(
            f"benchmarks.sorts_scoring: LAS and UAS, got {results}; expected the same from all"
        )
    seconds = measure(ours, 9)
    return [
        Goal("LAS of two files", measure(official, 3) / seconds, 30, peer="udtools' udeval"),
        Goal("LAS of two files", measure(with_loop, 3) / seconds, 25, peer=LOOP),
    ]


def clause_goals(labelled: Path, system: Path) -> list[Goal]:
    """Compares subject-object LAS by word order, from the authors' layout and a parser's output."""

    def ours() -> dict[str, float]:
        references = gold_arrays(read_conll(labelled), "final")
        inputs = {"predictions": read_conll(system).trees(), "references": references}
        result = score(inputs, read_options(confidence=None))
        return {row["word_order"]: row["las"] for row in result["by_word_order"]}

    def with_loop() -> dict[str, float]:
        counts: dict[str, list[int]] = {}
        texts = [path.read_text(encoding="utf-8") for path in (labelled, system)]
        parsed_files = (conllu.parse(text, field_parsers=AS_TEXT) for text in texts)
        for gold, parsed in zip(*parsed_files, strict=True):
            entry = counts.setdefault(gold[0]["feats"].split("|")[0].removeprefix("order:"), [0, 0])
            for one, other in zip(gold, parsed, strict=True):
                if one["deprel"] in ("nsubj", "obj"):
                    entry[0] += one["head"] == other["head"] and one["deprel"] == other["deprel"]
                    entry[1] += 1
        return {order: right / n for order, (right, n) in counts.items()}

    if ours() != with_loop():
        got = f"got {ours()} and {with_loop()}; expected the same"
        raise ValueError(f"benchmarks.sorts_scoring: LAS by word order, {got}")
    ratio = measure(with_loop, 3) / measure(ours, 9)
    return [Goal("subject-object LAS by word order, two files", ratio, 16, peer=LOOP)]


def evaluate_goals(columns: Columns) -> list[Goal]:
    """Compares `compute` of the evaluate module with the bare function, on the same lists."""
    metric = load_staged("subject_object_las")
    predictions = {name: exchanged(columns)[name] for name in TREE}
    bare = measure(lambda: score({"predictions": predictions, "references": columns}), 5)
    wrapped = measure(lambda: metric.compute(predictions=predictions, references=columns), 5)
    return [at_most("compute()", wrapped / bare, 3, "x", "the bare function takes 1")]
