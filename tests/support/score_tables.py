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


def by_unit(names: str, columns: tuple[str, ...]) -> str:
    """A row per system; `columns` are further cells of A, B, C, by place."""
    rows = [
        ",".join(["m", *map(str, values)]).replace("m", name, 1) for name, values in NUMBERS.items()
    ]
    return "\n".join([names, *(f"{row},{more}" for row, more in zip(rows, columns, strict=True))])


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


def of_two(
    scores: Callable[[float], dict[str, object]], of_lighteval: bool = False
) -> dict[str, str]:
    """A result file for each of two models, the first of which is better."""
    files = []
    for model, value in (("A", 0.5), ("B", 0.4)):
        named = {"model_name": model}
        more = {"config_general": named} if of_lighteval else named
        files.append(results(scores(value), **more))
    return both(*files)


def of_arguments(
    scores: Callable[[float], dict[str, object]], *models: tuple[str, float]
) -> dict[str, str]:
    """The same where the model stands in the arguments that it was loaded with."""
    return both(*(results(scores(v), config={"model_args": name}) for name, v in models))


def units(*names: str) -> str:
    """The long table with other names of units."""
    table = long("score")
    for i, name in enumerate(names, 1):
        table = table.replace(f"d{i}", name)
    return table


def twice(first: str, second: str) -> str:
    """The rows of two long tables under one heading."""
    return first + second.split("\n", 1)[1]


THREE = list(enumerate("xyz"))
MADE = {
    "a doubled name in JSON": (
        {"s.json": '[{"system": "A", "unit": "x", "f1": 90, "f1": 10}]'},
        "error:'f1' twice in one object",
    ),
    "a score in the corner": (wide(head="WER,A,B,C"), f"{C_WINS}|lower score is|`WER` by its"),
    "units that are metrics": (
        units("wiki_ppl", "lambada_ppl", "ptb_ppl", "c4_ppl", "pile_ppl"),
        f"{C_WINS}|A lower score is the better one (`wiki_ppl`",
    ),
    "one unit of another direction": (
        long("score").replace("d2", "lambada_ppl"),
        "error:higher_is_better, got none for the unit `lambada_ppl`",
    ),
    "codes of languages that are metrics too": (units("wer", "deu", "nld", "ter", "cer"), A_WINS),
    "a column that says the direction": (
        long("score", higher_is_better=lambda i: False),
        f"{C_WINS}|`higher_is_better` (says which scores are better)|(`higher_is_better` of the",
    ),
    "a column that says two directions": (
        long("score", lower_is_better=lambda i: i % 2),
        "error:lower_is_better, got 0, 1; expected true or false, the same in all rows",
    ),
    "systems called as units of measure": (
        wide(head="dataset,score_A,score_B,score_C"),
        "`score_A` is the best",
    ),
    # cells that are no plain numbers
    "no-break blank": (wide("81\u00a0"), A_WINS),
    "minus sign": (wide("−81"), "`B` leads with"),
    "unclear comma": (wide("1,081"), "error:where the comma may be a thousands or a decimal"),
    "clear thousands": (wide("1,081.5"), "a thousands mark: s.csv:3: A '1,081.5' as 1081.5"),
    "two decimal marks": (wide("81,5").replace("72", "72.5"), "error:expected one decimal mark"),
    "one bad cell in a long table": (
        long().replace("A,d2,81", "A,d2,81*"),
        "error:s.csv:3: f1, got '81*'; expected a number",
    ),
    "a column of starred numbers": (
        wide().replace("60", "60*").replace("61", "61*"),
        "error:s.csv:2: C, got '60*'",
    ),
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
    "systems named by a loss": (
        wide(head="dataset,A loss,B loss,C loss"),
        "`C loss` is the best|A lower score",
    ),
    # columns that are no scores
    "a count without a name": (
        with_column("zork", (1000, 2000, 3000, 4000, 5000)),
        "error:column 'zork', got 1000 to 5000 beside scores from 59 to 82",
    ),
    "a metric among systems": (with_column("loss", (1, 2, 3, 4, 5)), "error:got loss of dataset"),
    "scores beside counts": (
        long(params=lambda i: 7, step=lambda i: i),
        f"`params` (a count|{A_WINS}",
    ),
    "a text among numbers": (
        with_column("D", ("x", "y", "z", "v", 5)),
        "error:column 'D', got a few",
    ),
    "pandas' index": (
        "\n".join(f"{i - 1 if i else ''},{row}" for i, row in enumerate(long().splitlines())),
        A_WINS,
    ),
    "a rank per system": (
        by_unit("model,d1,d2,d3,d4,d5,Rank", ("1", "2", "3")),
        f"5 units|{A_WINS}",
    ),
    "spreads per unit": (
        by_unit("model,d1,d2,d3,d4,d5,d1_stderr", ("1", "2", "3")),
        "3 systems on 5",
    ),
    "parameters per system": (
        by_unit("model,d1,d2,d3,d4,d5,#Params (B)", ("7", "70", "700")),
        "3 systems on 5",
    ),
    "an average per system": (
        by_unit("model,d1,d2,d3,d4,d5,Average ⬆️", ("80.4", "70.4", "61.6")),
        "3 systems on 5",
    ),
    # averages
    "a row Average": (
        wide(more=("Average,80.4,70.4,61.6",)),
        f"`Average` left out|{A_WINS}|over 5 data",
    ),
    "a row all": (wide(more=("all,80,70,62",)), "`all` left out: an average by name"),
    "a mean under another name": (
        wide(more=("GLUE,80.4,70.4,61.6",)),
        "`GLUE` left out: equal to the mean of all others for every system|over 5 data sets",
    ),
    "a mean of a part": (
        wide(more=("part,80.33,70.00,62.33",)),
        "`part` left out: equal to the mean of those next",
    ),
    "a system Mean": (
        long() + "Mean,d1,70\nMean,d2,71.3\nMean,d3,72\nMean,d4,71\nMean,d5,69.7\n",
        "`Mean` left out",
    ),
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
    "two metrics": (
        twice(long("value", metric=lambda i: "acc"), long("value", metric=lambda i: "err")),
        "error:they differ in metric (acc, err)",
    ),
    "two prompts": (
        twice(long(prompt=lambda i: "p"), long(prompt=lambda i: "q")),
        "error:they differ in prompt (p, q)",
    ),
    "a row twice": (
        long() + "A,d1,80\n",
        "error:got 2 scores (80 and 80; s.csv:2 and s.csv:17); expected one; no column",
    ),
    "a unit twice in a wide table": (
        wide(more=("d1,80,70,60",)),
        "error:system 'A', unit 'd1': got 2 scores",
    ),
    # result files
    "lm-eval 0.4.13": (both(lm_eval("A"), lm_eval("B", 0.1)), "`A` is|Score: acc,none."),
    "bypass": (
        of_two(lambda v: {"t": {"bypass,none": 999, "acc,none": v}, "u": {"acc,none": v}}),
        "Score: acc,none.",
    ),
    "old perplexities": (
        of_arguments(
            lambda v: {t: {"word_perplexity": v + i, "byte_perplexity": 2} for i, t in THREE},
            ("pretrained=A", 40),
            ("pretrained=B", 50),
        ),
        "`A` is|A lower score is the better one (`word_perplexity` by its name)",
    ),
    "revisions": (
        both(
            *(
                lm_eval("A", v, config={"model_args": {"pretrained": "A", "revision": r}})
                for r, v in (("step1", 0.1), ("step2", 0))
            )
        ),
        "`A` is 2 systems, told apart by revision",
    ),
    "two adapters": (
        of_arguments(
            lambda v: {t: {"acc,none": v + i / 10} for i, t in THREE},
            ("pretrained=A,peft=p", 0.3),
            ("pretrained=A,peft=q", 0.4),
        ),
        "`q` is",
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
    "a group by its alias": (
        of_two(
            lambda v: {
                "g": {"alias": "g", "acc,none": v},
                "a": {"alias": " - a", "acc,none": v},
                "b": {"alias": " - b", "acc,none": v - 0.1},
            }
        ),
        "Groups of tasks, left out: g.|on 2 units",
    ),
    "a task that is null": (
        of_two(lambda v: {"t": {"acc": v}, "u": {"acc": v - 0.1}, "x": None}),
        "x left out: no scores",
    ),
    "two metrics of two models": (
        both(
            results({"t": {"acc": 1.0}, "u": {"acc": 0.5}}, model_name="A"),
            results({"t": {"f1": 1.0}, "u": {"acc": 0.5}}, model_name="B"),
        ),
        "error:t, got f1 where",
    ),
    "an unknown metric": (
        of_two(lambda v: {"t": {"zork": v}, "u": {"zork": v}}),
        "error:got none for `zork`",
    ),
    "lighteval": (
        of_two(
            lambda v: {
                "lighteval|a|0": {"acc": v, "acc_stderr": 9},
                "lighteval|b|0": {"acc": v - 0.1},
                "lighteval|c:_average|0": {"acc": v},
                "all": {"acc": v},
            },
            of_lighteval=True,
        ),
        "2 systems on 2 units|Score: acc.",
    ),
    "inspect": (
        per_task(inspect_log, "logs/{model}-{task}.json"),
        "Score: accuracy,match.|`A` is",
    ),
    "HELM": (
        per_task(lambda model, task, v: helm(v), "runs/{task}:model={model}/stats.json"),
        "Score: exact_match.|`A` is",
    ),
    "HELM without a model": (
        {"x/stats.json": helm(0.5)},
        "error:model, got none; expected run_spec.json",
    ),
    "MTEB": (
        per_task(lambda model, task, v: mteb(task, v), "{model}/0123456789abcdef0123/{task}.json"),
        "Score: main_score.|`A` is",
    ),
    "foreign JSON": (
        {"a.json": '{"x": {"y": 1}}'},
        "error:a.json: JSON, got dict; expected a list of rows",
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
    "a role named twice": (
        long(),
        "--columns system=model,system=dataset",
        "error:columns, got 'system' twice; expected every role once",
    ),
    "unknown, asked higher": (
        long("zork"),
        "--higher-is-better",
        f"{A_WINS}|better one, as asked.",
    ),
    "unknown, asked lower": (long("zork"), "--lower-is-better", f"{C_WINS}|better one, as asked."),
    "known, asked otherwise": (
        long("loss"),
        "--higher-is-better",
        "as asked, against `loss` by its",
    ),
    "no name at all, asked": (wide(), "--higher-is-better", "better one, as asked."),
    "ignored as asked": (
        with_column("zork", (1000, 2000, 3000, 4000, 5000)),
        "--columns ignored=zork",
        f"Ignored: `zork` (as asked)|{A_WINS}",
    ),
    "two metrics, one asked": (
        twice(long("value", metric=lambda i: "acc"), long("value", metric=lambda i: "err")),
        "--metric err",
        f"{C_WINS}|A lower score is the better one (`err` by its name)",
    ),
    "prompts as runs": (
        twice(long(prompt=lambda i: "p"), long(prompt=lambda i: "q")),
        "--repeat prompt",
        A_WINS,
    ),
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
    *((case["name"], case["table"], "", case["said"]) for case in WRITTEN["case"]),
    *((name, files, "", said) for name, (files, said) in MADE.items()),
    *((name, *asked) for name, asked in ASKED.items()),
    *of_cells(),
    *of_names(),
    *of_columns(),
]
