"""Tables of scores as people write them, and what `rank` makes of each. A row of CASES is a name,
the files, the arguments, and what must be said; an expectation that begins with `error:` is of the
one line that refuses. `A` leads in all, unless the row says else."""

import json
from collections.abc import Callable, Iterator

from ground.paths import ROOT
from ground.tables import read_settings

Case = tuple[str, object, str, str]
WRITTEN = read_settings(ROOT / "tests" / "golden" / "score_tables.toml")
NUMBERS = {"A": (80, 81, 79, 82, 80), "B": (70, 72, 71, 69, 70), "C": (60, 61, 66, 62, 59)}
SHARES = {name: tuple(v / 100 for v in column) for name, column in NUMBERS.items()}
A_WINS, C_WINS = "`A` is the best of these", "`C` is the best of these"


def wide(cell: object = 81, head: str = "dataset,A,B,C", more: tuple[str, ...] = ()) -> str:
    """A column per system; `cell` is what A has in d2."""
    rows = [[f"d{i + 1}", *column] for i, column in enumerate(zip(*NUMBERS.values(), strict=True))]
    rows[1][1] = f'"{cell}"' if "," in str(cell) else cell
    return "\n".join([head, *(",".join(map(str, row)) for row in rows), *more]) + "\n"


def with_column(name: str, values: object, place: int = 1) -> str:
    """The wide table with one more column."""
    cells = [name, *map(str, values)]
    rows = [line.split(",") for line in wide().splitlines()]
    return "\n".join(
        ",".join([*row[:place], cell, *row[place:]]) for row, cell in zip(rows, cells, strict=True)
    )


def long(score: str = "f1", separator: str = ",", **more: object) -> str:
    """One score a row; further columns are a function of the row's number."""
    rows = [separator.join(["model", "dataset", f'"{score}"', *more])]
    scores = [(s, u, v) for s, column in NUMBERS.items() for u, v in enumerate(column)]
    for i, (system, unit, value) in enumerate(scores):
        extra = [str(value_of(i)) for value_of in more.values()]
        rows.append(separator.join([system, f"d{unit + 1}", str(value), *extra]))
    return "\n".join(rows) + "\n"


def lm_eval(model: str, shift: float = 0.0, **more: object) -> str:
    """A result file of lm-eval as 0.4.13 writes it, counts first."""
    tasks = {
        f"t{i}": {"name": f"t{i}", "alias": f"t{i}", "sample_len": 900 - i, "acc,none": v - shift}
        for i, v in enumerate(SHARES["A"])
    }
    known = {task: {"acc": True} for task in tasks}
    return json.dumps(
        {"results": tasks, "higher_is_better": known, "model_name": model} | dict(more)
    )


def results(scores: dict[str, object], **more: object) -> str:
    """A result file of lm-eval with given scores by task."""
    return json.dumps({"results": scores} | more)


SIZES = (100, 900, 50, 700, 250)


def sized(name: str) -> str:
    """The wide table with sizes of its data sets, and a row that is the mean by these."""
    rows = [f"dataset,{name},A,B,C"]
    for i, column in enumerate(zip(*NUMBERS.values(), strict=True)):
        rows.append(",".join(map(str, (f"d{i + 1}", SIZES[i], *column))))
    means = [
        sum(n * v for n, v in zip(SIZES, column, strict=True)) / sum(SIZES)
        for column in NUMBERS.values()
    ]
    return "\n".join([*rows, f"GLUE,{sum(SIZES)}," + ",".join(f"{m:.2f}" for m in means)]) + "\n"


def runs(*names: str) -> str:
    """The long table once per run."""
    head, *rows = long().strip().split("\n")
    return "\n".join([f"{head},seed", *(f"{row},{name}" for name in names for row in rows)]) + "\n"


def languages(head: str) -> str:
    rows = (
        [model, *(str(base + i % 3) for i in range(head.count(",")))]
        for model, base in (("A", 80), ("B", 70))
    )
    return "".join(",".join(row) + "\n" for row in [[head], *rows])


def both(a: str, b: str) -> dict[str, str]:
    return {"x/results_1.json": a, "y/results_1.json": b}


def inspect_log(model: str, task: str, value: float) -> str:
    """A log of inspect in JSON, as 0.3 writes it."""
    metrics = {"accuracy": {"name": "accuracy", "value": value}, "stderr": {"value": 0.1}}
    said = {"task": task, "model": model, "model_args": {}, "task_args": {}}
    scores = [{"name": "match", "scorer": "match", "metrics": metrics}]
    results = {"total_samples": 9, "scores": scores}
    return json.dumps({"version": 2, "status": "success", "eval": said, "results": results})


def mteb(task: str, value: float) -> str:
    rows = [{"main_score": value, "hf_subset": "default", "ndcg_at_10": 0.1}]
    return json.dumps({"task_name": task, "mteb_version": "2.1", "scores": {"test": rows}})


def helm(value: float) -> str:
    names = {"num_prompt_tokens": 900.0, "exact_match": value, "f1_score": 0.1}
    rows = [{"name": {"name": n, "split": "test"}, "count": 1, "mean": v} for n, v in names.items()]
    return json.dumps(rows)


def per_task(write: Callable[[str, str, float], str], place: str) -> dict[str, str]:
    """Files of two models, one a task."""
    return {
        place.format(model=model, task=task): write(model, task, value)
        for model in "AB"
        for task, value in zip("uvwxy", SHARES[model], strict=True)
    }


def units(*names: str) -> str:
    """The long table with other names of units."""
    table = long("score")
    for i, name in enumerate(names, 1):
        table = table.replace(f"d{i}", name)
    return table


def twice(first: str, second: str) -> str:
    """The rows of two long tables under one heading."""
    return first + second.split("\n", 1)[1]


MADE = {
    "a score in the corner": (wide(head="WER,A,B,C"), f"{C_WINS}|lower score is|`WER` by its"),
    "codes of languages that are metrics too": (units("wer", "deu", "nld", "ter", "cer"), A_WINS),
    # cells that are no plain numbers
    "no-break blank": (wide("81\u00a0"), A_WINS),
    "minus sign": (wide("−81"), "`B` leads with"),
    "unclear comma": (wide("1,081"), "error:where the comma may be a thousands or a decimal"),
    "clear thousands": (wide("1,081.5"), "a thousands mark: s.csv:3: A '1,081.5' as 1081.5"),
    "two decimal marks": (wide("81,5").replace("72", "72.5"), "error:expected one decimal mark"),
    "semicolons": (long(separator=";").replace("81", "81,5"), f"a decimal comma|{A_WINS}"),
    "sep= of spreadsheets": ("sep=;\n" + long(separator=";"), A_WINS),
    "UTF-16": (wide().encode("utf-16"), A_WINS),
    "BOM": (wide().encode("utf-8-sig"), A_WINS),
    "latin-1": (wide().replace("A,", "Ä,").encode("latin-1"), "error:s.csv:1: text, got"),
    "CR LF and blank lines": (wide().replace("\n", "\r\n") + "\r\n,,,\r\n", A_WINS),
    "a short row": (wide() + "d6,80\n", "error:s.csv:7: not readable as a table: got 2 cells"),
    # names
    "a blank behind a name": (long().replace("A,d3", "A ,d3"), A_WINS),
    "two cases of a name": (long().replace("A,d3", "a,d3"), "`A`, `a`: one system or 2?"),
    "NFD and NFC": (long().replace("A,", "é,").replace("é,d3", "e\u0301,d3"), "`é` is the best"),
    "a unit NA": (long().replace("d2", "NA"), A_WINS),
    "a system None": (long().replace("B,", "None,"), "better than `C` and `None`"),
    "a row without a name": (long().replace("B,d3", ",d3"), "error:s.csv:9: model, got ''"),
    # the direction
    "no name at all": (wide(), "(assumed, since no name says what the scores are)"),
    # columns that are no scores
    "a metric among systems": (with_column("loss", (1, 2, 3, 4, 5)), "error:got loss of dataset"),
    # averages
    "a row all": (wide(more=("all,80,70,62",)), "`all` left out: an average by name"),
    # averages by sizes, names of averages, rows and runs that are no scores
    "runs and their mean": (runs("1", "2", "mean"), f"`mean` left out: no repeat by name|{A_WINS}"),
    "runs and their spread": (runs("1", "2", "std"), "`std` left out: no repeat by name"),
    "parts of the data": (runs("dev", "test").replace("seed", "split"), "error:split (dev, test)"),
    "languages no and id": (languages("model,de,en,no,id,is"), "2 systems on 5 units"),
    "languages ms and nr": (languages("model,de,fr,ms,nr,en"), "2 systems on 5 units"),
    "beyond all numbers": (wide("1e999"), "error:s.csv:3: A, got '1e999'"),
    "an arrow down": (long("Zork ↓"), f"{C_WINS}|A lower score"),
    "an arrow up": (long("Zork ↑"), f"{A_WINS}|A higher score"),
    "an arrow against a name": (long("acc ↓"), "error:got none for `acc ↓`"),
    "a score of something": (long("bias score"), "error:got none for `bias score`"),
    # several scores of one cell
    # result files
    "lm-eval 0.4.13": (both(lm_eval("A"), lm_eval("B", 0.1)), "`A` is|Score: acc,none."),
    "revisions": (
        both(
            *(
                lm_eval("A", v, config={"model_args": {"pretrained": "A", "revision": r}})
                for r, v in (("step1", 0.1), ("step2", 0))
            )
        ),
        "`A` is 2 systems, told apart by revision",
    ),
    "few shots": (
        {
            f"{m}/results_{n}.json": lm_eval(m, d, **{"n-shot": {f"t{i}": n for i in range(5)}})
            for m in "AB"
            for n, d in ((0, 0.1), (5, 0))
        },
        "error:they differ in n_shot (0, 5)",
    ),
    "runs of a model": (
        {f"{m}/results_{n}.json": lm_eval(m, n / 10) for m in "AB" for n in (0, 1)},
        "error:they differ in file",
    ),
    "inspect": (
        per_task(inspect_log, "logs/{model}-{task}.json"),
        "Score: accuracy,match.|`A` is",
    ),
    "HELM": (
        per_task(lambda model, task, v: helm(v), "runs/{task}:model={model}/stats.json"),
        "Score: exact_match.|`A` is",
    ),
    "MTEB": (
        per_task(lambda model, task, v: mteb(task, v), "{model}/0123456789abcdef0123/{task}.json"),
        "Score: main_score.|`A` is",
    ),
    "a list of numbers": ({"a.json": "[1, 2]"}, "error:a.json: JSON, got list; expected"),
    "foreign JSON beside results": (
        both(lm_eval("A"), lm_eval("B", 0.1)) | {"x/results_meta.json": '{"a": 1}'},
        "No result files, left out",
    ),
}
# the same with arguments
ASKED = {
    "a score named twice": (long(), "--score f1,f1", "error:columns: score, got 'f1' twice"),
    "no score": (long(), "--columns score=", "error:columns: score, got none"),
    "unknown, asked lower": (long("zork"), "--lower-is-better", f"{C_WINS}|better one, as asked."),
    "no name at all, asked": (wide(), "--higher-is-better", "better one, as asked."),
}


def of_columns() -> Iterator[Case]:
    """Columns that are no scores, by their names."""
    shares, falling = (0.1, 0.2, 0.3, 0.4, 0.5), (9, 8, 7, 6, 5)
    columns = {
        "n_examples": ((1000, 2000, 3000, 4000, 5000), "a count by its name"),
        "#samples": (falling, "a count by its name"),
        "train_size": ((99, 98, 97, 96, 95), "a count by its name"),
        "tokens": ((9000, 8000, 7000, 6000, 5000), "a count by its name"),
        "Params (B)": ((6.9,) * 5, "a count by its name"),
        "A_std": (shares, "a spread by its name"),
        "std(B)": (shares, "a spread by its name"),
        "p-value": (shares, "a spread by its name"),
        "Average": ((70, 71, 72, 71, 70), "an average by its name"),
        "max": ((80, 81, 79, 82, 80), "an extreme by its name"),
        "Δ": ((10, 9, 8, 13, 10), "a difference by its name"),
        "rank": ((1, 2, 3, 4, 5), "a rank or number by its name"),
        "runtime": ((900, 910, 920, 930, 940), "a cost by its name"),
        "notes": (("",) * 5, "no cell holds anything"),
        "comment": ("vwxyz", "text that is not needed"),
    }
    for name, (values, why) in columns.items():
        yield (
            f"ignored {name}",
            with_column(name, values),
            "",
            f"Ignored: `{name}` ({why})|{A_WINS}",
        )


def of_cells() -> Iterator[Case]:
    """One cell of a wide table, A's in d2, is written otherwise."""
    cells, place = WRITTEN["cells"], "s.csv:3: A"
    for cell in cells["refused"]:
        yield f"cell {cell}", wide(cell), "", f"error:{place}, got '{cell}'; expected a number"
    for cell in cells["blank"]:
        yield f"blank {cell}", wide(cell), "", f"1 blank cell: {place} {cell!r}.|{A_WINS}"
    for cell in cells["blank_in_marks"]:
        yield f"blank {cell}", wide(cell), "", f"1 blank cell: {place}|{A_WINS}"
    for cell, how in cells["read"].items():
        yield f"read {cell}", wide(cell), "", f"1 cell with {how}|{place}|{A_WINS}"
    for code in (-999, 9999, -9999):
        said = f"error:{place}, got {code} beside scores from 59 to 82"
        yield f"code {code}", wide(code), "", said
    for cell in (-1, 0, 0.81):
        said = f"{place} is {cell}, all others 59 to 82: is it a score?"
        yield f"lonely {cell}", wide(cell), "", said


def of_names() -> Iterator[Case]:
    """Names of scores, which say the direction; of rows and of systems."""
    scores, names = WRITTEN["scores"], WRITTEN["names"]
    for name in scores["lower"]:
        said = f"{C_WINS}|A lower score is the better one (`{name}` by its"
        yield f"lower {name}", long(name), "", said
    for name in scores["higher"]:
        said = f"{A_WINS}|A higher score is the better one (`{name}` by its"
        yield f"higher {name}", long(name), "", said
    for name in scores["unknown"]:
        said = f"error:higher_is_better, got none for `{name}`"
        yield f"unknown {name}", long(name), "", said
    for name in names["averages"]:
        said = f"left out|{A_WINS}|over 5 data"
        yield f"a row {name}", wide(more=(f"{name},77.7,70.7,60.7",)), "", said
    for name in names["second"]:
        table = long().replace("A,d3", f"{name},d3")
        yield f"A and {name}", table, "", "one system or 2?"
    for name in ("n_examples", "#", "sentences"):
        said = f"`GLUE` left out: equal to the mean of all others, weighted by `{name}`|over 5 data"
        yield f"sized by {name}", sized(name), "", said


CASES: list[Case] = [
    *(
        (case["name"], case["table"], case.get("asked", ""), case["said"])
        for case in WRITTEN["case"]
    ),
    *((name, files, "", said) for name, (files, said) in MADE.items()),
    *((name, *asked) for name, asked in ASKED.items()),
    *of_cells(),
    *of_names(),
    *of_columns(),
]
