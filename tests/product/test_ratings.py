"""Ratings by people: one layout for every suite, joined by id, with the agreement of the raters."""

import json
import math
from pathlib import Path

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import push
from builders.columns import RATING_FIELDS
from dataset_scripts.content import content_hash
from dataset_scripts.ratings import (
    Rating,
    agreement,
    fill_ratings,
    krippendorff_alpha,
    of_question,
    read_ratings,
)
from dataset_scripts.registry import suite_builder, suite_names
from publish.build.build import build_suite
from publish.build.manifest import read_provenance
from publish.check.check import check_suite
from tests.conftest import ROOT
from tests.support.cases import cases
from tests.support.publishing import SUITE

SCHEMA = pa.schema([("id", pa.string()), ("text", pa.string()), *RATING_FIELDS])
ROWS = pa.Table.from_pylist([{"id": "a", "text": "x"}, {"id": "b"}, {"id": "c"}], SCHEMA)
WHO = "three students of linguistics, native speakers."


def rated(*lines: str) -> list[Rating]:
    """Ratings from lines such as `a r1 4`, all of one question."""
    return [
        Rating(row, rater, "acceptability", float(value))
        for row, rater, value in (line.split() for line in lines)
    ]


def test_means_and_counts_are_joined_by_id():
    found = fill_ratings(ROWS, rated("a r1 4", "a r2 5", "c r1 1"))
    assert found.column("rating_mean").to_pylist() == [4.5, None, 1.0]
    assert found.column("n_raters").to_pylist() == [2, None, 1]
    assert found.schema.equals(SCHEMA)
    assert found.drop(["rating_mean", "n_raters"]).equals(ROWS.drop(["rating_mean", "n_raters"]))


def test_rows_without_the_columns_stay_as_they_are():
    table = pa.table({"id": ["a"], "text": ["x"]})
    assert fill_ratings(table, rated("a r1 4")) is table


def test_alpha_of_the_textbook():
    """Krippendorff's own example of three coders and missing values: .811 for interval data."""
    coders = ("*****34121133*3", "1*213343*******", "**21344*21133*4")
    lines = [
        f"{unit} {coder} {value}"
        for coder, values in enumerate(coders)
        for unit, value in enumerate(values)
        if value != "*"
    ]
    assert krippendorff_alpha(rated(*lines)) == pytest.approx(0.811, abs=5e-4)


@pytest.mark.parametrize(
    "lines", [["a r1 1", "b r2 2"], ["a r1 3", "a r2 3", "b r1 3", "b r2 3"], ["a r1 1"]]
)
def test_alpha_is_undefined_without_two_ratings_or_two_values(lines):
    assert math.isnan(krippendorff_alpha(rated(*lines)))


def test_agreement_is_told_for_every_question():
    other = [Rating("a", "r9", "typicality", 2.0)]
    first, second = agreement([*rated("a r1 1", "a r2 1", "b r1 2", "b r2 3"), *other])
    assert (first.question, second.question) == ("acceptability", "typicality")
    assert (first.n_rows, first.n_raters, first.n_ratings, first.mean) == (2, 2, 4, 1.75)
    assert (second.n_rows, second.n_raters) == (1, 1)
    assert math.isnan(second.alpha)


def test_csv_and_json_lines_are_the_same(tmp_path):
    (tmp_path / "r.csv").write_text(
        "\ufeffrater,id,question,value\r\nr1,a,acceptability,4\r\nr2,a,acceptability,4.5\r\n",
        "utf-8",
    )
    records = [
        {"id": "a", "rater": "r1", "question": "acceptability", "value": 4},
        {"id": "a", "rater": "r2", "question": "acceptability", "value": "4.5"},
    ]
    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, records)) + "\n", "utf-8")
    expected = rated("a r1 4", "a r2 4.5")
    assert read_ratings(tmp_path / "r.csv") == read_ratings(tmp_path / "r.jsonl") == expected


@pytest.mark.parametrize(*cases("ratings/a_wrong_file_is_told_by_its_line"))
def test_a_wrong_file_is_told_by_its_line(name, text, message, tmp_path):
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(ValueError) as error:  # noqa: PT011  # the message is compared below
        read_ratings(tmp_path / name)
    assert message in str(error.value)


def test_one_question_fills_the_columns():
    two = [*rated("a r1 4"), Rating("a", "r1", "typicality", 1.0)]
    assert of_question(two, "typicality") == two[1:]
    with pytest.raises(ValueError, match="question, got none; expected one of acceptability, typ"):
        of_question(two, None)
    with pytest.raises(ValueError, match="question, got 'taste'; expected one of acceptability"):
        of_question(two, "taste")


@pytest.fixture
def ratings_file(small: Path, tmp_path: Path) -> Path:
    builder = suite_builder(SUITE)
    config = str(builder.DEFAULT_CONFIG_NAME)
    table = pq.read_table(small / SUITE / config / "test-00000-of-00001.parquet")
    ids = table["id"].to_pylist()[:2]
    path = tmp_path / "ratings.csv"
    lines = [f"{row},{rater},acceptability,{rater}" for row in ids for rater in (1, 2, 4)]
    path.write_text("id,rater,question,value\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


def problems_of(folder: Path) -> list[str]:
    """What `check` says of a folder, without its path. Figures of another version may be among
    it."""
    return [problem.replace(str(folder), "") for problem in check_suite(SUITE, folder)]


@pytest.mark.slow
def test_a_build_with_ratings_fills_rows_and_card(ratings_file, small, tmp_path):
    options = {"size": 390, "ratings": ratings_file, "raters": WHO}
    built = build_suite(SUITE, tmp_path / "rated", options)
    plain = read_provenance(small / SUITE)
    assert built["content_hashes"] == plain["content_hashes"]  # ratings are about the suite
    assert built["options"] == plain["options"]
    assert built["ratings"]["agreement"][0]["n_ratings"] == 6
    folder = tmp_path / "rated" / SUITE
    config = str(suite_builder(SUITE).DEFAULT_CONFIG_NAME)
    table = pq.read_table(folder / config / "test-00000-of-00001.parquet")
    assert table["rating_mean"].to_pylist()[:3] == [7 / 3, 7 / 3, None]
    assert table["n_raters"].to_pylist()[:3] == [3, 3, None]
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert WHO in card
    assert "| acceptability | 2 | 3 | 6 | 2.333 | " in card
    assert "Nobody has rated these rows yet" not in card
    assert problems_of(folder) == problems_of(small / SUITE)
    plain_card = (small / SUITE / "README.md").read_text(encoding="utf-8")
    assert "Nobody has rated these rows yet" in plain_card


def test_ratings_of_no_row_and_of_nobody_are_refused(ratings_file, tmp_path, capsys):
    with ratings_file.open("a", encoding="utf-8") as file:
        file.write("99-00000,1,acceptability,3\n")
    command = ["build", SUITE, "--size", "390", "--out", str(tmp_path / "x")]
    assert push.main([*command, "--ratings", str(ratings_file)]) == 1
    assert f"{SUITE}: raters, got none; expected who rated" in capsys.readouterr().err
    assert push.main([*command, "--ratings", str(ratings_file), "--raters", WHO]) == 1
    message = "ratings.csv: id, got '99-00000'; expected that of a built row"
    assert message in capsys.readouterr().err
    assert push.main([*command, "--raters", WHO]) == 1
    assert f"{SUITE}: ratings, got none; expected the file" in capsys.readouterr().err


def test_the_hash_does_not_see_ratings():
    features = datasets.Features.from_arrow_schema(SCHEMA)
    filled = fill_ratings(ROWS, rated("a r1 4"))
    assert content_hash(filled, features) == content_hash(ROWS, features)


@pytest.mark.parametrize("suite", suite_names())
def test_cards_say_who_rated(suite):
    card = ROOT / "cards" / "datasets" / f"{suite}.md"
    assert "{{ ratings() }}" in card.read_text(encoding="utf-8"), f"{card}: expected it of ratings"
