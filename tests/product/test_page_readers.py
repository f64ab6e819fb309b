"""What a page reads: every format alike, and nothing that is too large, too deep or broken."""

import io
import json
import random
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from publish.build.pages import TEMPLATE
from tests.support.cases import cases, golden
from tests.support.processes import captured
from tests.support.staged_pages import load_part

SETTINGS = golden("page_readers/settings")


@pytest.fixture(scope="module")
def readers() -> ModuleType:
    return load_part(TEMPLATE, "app_readers")


@pytest.fixture(scope="module")
def inputs() -> ModuleType:
    return load_part(TEMPLATE, "app_inputs")


@pytest.mark.parametrize(*cases("page_readers/every_format_gives_the_same_inputs"))
def test_every_format_gives_the_same_inputs(readers, inputs, name, content, numbers):
    columns = readers.read_upload(name, content.encode("latin-1"), SETTINGS)
    expected = {"predictions": [numbers], "references": [{"words": ["x", "y"]}]}
    assert inputs.metric_inputs(columns, "", SETTINGS) == expected


def as_parquet(table: pa.Table) -> bytes:
    file = io.BytesIO()
    pq.write_table(table, file, compression="zstd")
    return file.getvalue()


def test_parquet_and_an_optional_column(readers, inputs):
    content = as_parquet(pa.table({"a": [0.5], "gold": [["x"]], "unused": [{"k": [1]}]}))
    columns = readers.read_upload("x.parquet", content, SETTINGS)
    assert columns == {"a": [0.5], "gold": [["x"]], "unused": [None]}
    assert inputs.metric_inputs(columns, "", SETTINGS) == {
        "predictions": [[0.5]],
        "references": [{"words": ["x"]}],
    }


DEEP = pytest.param(
    "x.json", "[" * 100_000, "x.json: nesting, got more than 50 levels; expected fewer"
)
COLUMNS, ERRORS = cases("page_readers/errors_say_what_a_person_can_do")


@pytest.mark.parametrize(COLUMNS, [*ERRORS, DEEP])
def test_errors_say_what_a_person_can_do(readers, inputs, name, content, message, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    upload = (name, content.encode("latin-1"), SETTINGS)
    with pytest.raises(ValueError, match="x") as error:
        inputs.metric_inputs(readers.read_upload(*upload), "none", SETTINGS)
    assert type(error.value).__name__ == "InputError"
    assert message in str(error.value)


def nested_json(levels: int) -> bytes:
    """A row of so many levels: the row itself and lists in it."""
    return json.dumps({"a": json.loads("[" * (levels - 1) + "]" * (levels - 1))}).encode()


def test_nesting_of_50_is_read_and_51_is_not(readers):
    assert len(readers.read_upload("x.jsonl", nested_json(50), SETTINGS)["a"]) == 1
    with pytest.raises(readers.InputError, match="row 1: nesting, got more than 50 levels"):
        readers.read_upload("x.jsonl", nested_json(51), SETTINGS)


def test_so_many_rows_are_read_and_one_more_is_not(readers, monkeypatch):
    assert (readers.MAX_ROWS, readers.MAX_BYTES) == (1_000_000, 20 * 2**20)
    monkeypatch.setattr(readers, "MAX_ROWS", 1_000)
    rows = "1\n" * 1_000
    assert len(readers.read_upload("x.csv", f"a\n{rows}".encode(), SETTINGS)["a"]) == 1_000
    for name, content in (("x.csv", f"a\n{rows}1\n".encode()), ("x.jsonl", b"{}\n" * 1_001)):
        with pytest.raises(readers.InputError, match=r"rows, got 1,001 or more; expected at most"):
            readers.read_upload(name, content, SETTINGS)


def test_20_mb_are_read_and_one_byte_more_is_not(readers):
    row = b'{"a": "' + b"x" * (20 * 2**20 - 9) + b'"}'
    assert len(row) == 20_971_520
    assert readers.read_upload("x.jsonl", row, SETTINGS)["a"][0][-1] == "x"
    message = r"x.jsonl: size, got 20.0 MB; expected at most 20"
    with pytest.raises(readers.InputError, match=message):
        readers.read_upload("x.jsonl", row + b"\n", SETTINGS)


def test_a_header_of_ten_million_columns_is_refused(readers):
    with pytest.raises(readers.InputError, match=r"columns, got 9,000,001; expected at most 1,000"):
        readers.read_upload("x.csv", b"," * 9_000_000 + b"\n", SETTINGS)


def repeated(text: str, n: int) -> pa.DictionaryArray:
    """The same text n times, which Parquet stores once."""
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, dtype="int32")), pa.array([text]))


def in_one_list(values: pa.Array) -> pa.Array:
    return pa.ListArray.from_arrays(pa.array([0, len(values)], pa.int32()), values)


def in_structs(levels: int, values: pa.Array | None = None) -> pa.Array:
    values = pa.array([1]) if values is None else values
    for _ in range(levels):
        values = pa.StructArray.from_arrays([values], ["z"])
    return values


def zeros(n: int) -> pa.Array:
    return pa.array(np.zeros(n, dtype="int8"))


LARGE = "x" * 100_000
BOMBS = {  # what a few kilobytes decode to
    "60 million rows": (lambda: zeros(60_000_000), "rows, got 60,000,000; expected at most 1,000"),
    "a list of 21 million": (lambda: in_one_list(zeros(21_000_000)), "values, got 21,000,000; exp"),
    "a text of 210 MB": (lambda: pa.array([b"x" * 210_000_000]), "decoded size in MB, got 210"),
    "a long text 900,000 times": (lambda: repeated(LARGE, 900_000), "texts, got more than 200 MB"),
    "the same in a list": (lambda: in_one_list(repeated(LARGE, 900_000)), "texts, got more than"),
    "the same in a struct": (lambda: in_structs(1, repeated(LARGE, 900_000)), "texts, got more"),
    "51 levels": (lambda: in_structs(50), "nesting in levels, got 51; expected at most 50"),
}
QUICK = ("60 million rows", "the same in a list", "51 levels")  # each is a process
REFUSES = """
import re, resource, sys
sys.path[:0] = [sys.argv[1], sys.argv[1] + "/../../metrics/_shared"]
import app_readers
settings = {"formats": ["Parquet"], "inputs": [{"columns": ["a"]}]}
content = open(sys.argv[2], "rb").read()
try:
    app_readers.read_upload("x.parquet", content, settings)
except app_readers.InputError as error:
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    peak = int(re.search("VmHWM: *[\t ]*(\\d+)", open("/proc/self/status").read())[1])
    seconds = sum(usage.ru_utime + usage.ru_stime for usage in usages)
    print(seconds, peak // 1024, usages[1].ru_maxrss // 1024, error, sep="\\n")
"""


@pytest.mark.parametrize(
    "bomb", [pytest.param(one, marks=() if one in QUICK else pytest.mark.slow) for one in BOMBS]
)
def test_a_bomb_is_refused_in_seconds_and_300_mb(bomb, tmp_path):
    if not Path("/proc/self/status").exists():
        pytest.skip("no /proc on this system: a process cannot say what memory it took")
    values, message = BOMBS[bomb]
    path = tmp_path / "bomb.parquet"
    path.write_bytes(as_parquet(pa.table({"a": values()})))
    assert path.stat().st_size < 300_000
    run = captured([sys.executable, "-c", REFUSES, str(TEMPLATE), str(path)], check=True)
    seconds, own, child, error = run.stdout.splitlines()
    assert message in error
    assert float(seconds) < 5  # of the processor, in both processes; half a second on a quiet one
    assert int(own) + int(child) < 300


def test_a_footer_that_ends_the_process_that_decodes_it_is_refused(readers):
    """One byte changed: pyarrow 26 aborts on the first two, says so on the third."""
    lists = [["u", "v"], ["z"]] * 50
    whole = as_parquet(pa.table({"a": ["x", "y"] * 50, "w": lists, "b": [0.5, 1] * 50}))
    settings = {"formats": ["Parquet"], "inputs": [{"columns": ["a", "w", "b"]}]}
    for seed in (247, 832, 1):
        drawn = random.Random(f"parquet {seed}")
        changed = bytearray(whole)
        changed[drawn.randrange(len(whole))] = drawn.randrange(256)
        with pytest.raises(readers.InputError, match=r"x.parquet: not readable as Parquet: "):
            readers.read_upload("x.parquet", bytes(changed), settings)


@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.jsonl"])
def test_a_mutated_file_is_read_or_refused(readers, name):
    whole = {
        "x.csv": "a;b;gold\nä;0,5;q r\n" * 3,
        "x.tsv": "a\tb\tgold\n1\t0.5\tq r\n" * 3,
        "x.jsonl": '{"a": "x", "b": 0.5, "gold": ["u", {"v": null}]}\n' * 3,
    }[name].encode()
    refused = 0
    for seed in range(300):
        drawn = random.Random(f"{name} {seed}")
        changed = bytearray(whole)
        for _ in range(drawn.randint(1, 3)):
            place = drawn.randrange(len(changed))
            changed[place : place + drawn.randrange(5)] = drawn.choice(
                [b"", b"\n", b",", b";", b'"', b"\t", b"}", b"[", b"\0", b"\r", b"1", b"\xff"]
            )
        try:
            columns = readers.read_upload(name, bytes(changed), SETTINGS)
        except readers.InputError:
            refused += 1
        else:
            assert len({len(cells) for cells in columns.values()}) == 1
    assert 30 < refused < 300


@pytest.mark.parametrize(*cases("page_readers/the_format_of_pasted_text_is_seen"))
def test_the_format_of_pasted_text_is_seen(readers, text, name):
    assert readers.guess_format(text) == f"pasted{name}"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"text,kind\na,010\nb,\nc,000\n", ["010", None, "000"]),  # no number, and none at all
        (b"text\na\nb\nc\n", None),
    ],
)
def test_a_column_that_may_be_missing_may_have_gaps(readers, inputs, content, expected):
    entries = [
        {"name": "predictions", "form": "column", "columns": ["text"]},
        {"name": "category", "form": "column", "columns": ["kind"], "optional": ["kind"]},
    ]
    settings = SETTINGS | {"inputs": entries}
    columns = readers.read_upload("x.csv", content, settings)
    found = inputs.metric_inputs(columns, "", settings)
    assert found == {"predictions": ["a", "b", "c"], "category": expected}


def test_columns_that_a_person_names_are_read(inputs):
    roles = inputs.read_roles("system=model, unit = corpus + year,repeat=, ")
    assert roles == {"system": ["model"], "unit": ["corpus", "year"], "repeat": []}
    assert inputs.read_roles(" ") == {}
    with pytest.raises(inputs.InputError, match="columns, got 'model'; expected such as"):
        inputs.read_roles("model")
