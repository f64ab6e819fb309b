"""The authors' edition: checks against the files; kinds of difference on rows made by hand."""

import gzip
import hashlib
import itertools
import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any, get_args

import pytest

from builders.centerbench.events import CenterVerb, Event
from builders.centerbench.parser import CenterLexicon, CenterReading
from builders.centerbench.questions import QUESTION_TYPES
from builders.centerbench.released import (
    Kind,
    classify_difference,
    downloadable_files,
    inflect_phrases,
    read_sentences,
    released_tables,
)
from dataset_scripts.centerbench import CenterBench
from dataset_scripts.registry import builder_for
from ground.tables import DataFileError
from tests.support.cases import cases
from tests.support.results import across

CONDITIONS = ("plausible", "implausible")
LEVELS = (1, 2, 3, 4, 5, 6)


@pytest.fixture(scope="module")
def folder(released: Path, sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The authors' two whole files."""
    pytest.importorskip("lemminflect")
    copies = tmp_path_factory.mktemp("centerbench")
    for place, name in ((released, "plausible"), (sources, "implausible")):
        file = place / "centerbench" / f"{name}_subset.json.gz"
        if not file.is_file():
            pytest.skip(f"the authors' files are not at hand: {file}")
        shutil.copyfile(file, copies / file.name)
    return copies


@pytest.fixture(scope="module")
def content(folder: Path) -> bytes:
    """The plausible file, unpacked."""
    return gzip.decompress((folder / "plausible_subset.json.gz").read_bytes())


@pytest.fixture(scope="module")
def questions(folder: Path) -> dict[str, list[Any]]:
    return released_tables(folder)["released_questions"]["test"].to_pydict()


# --- The parser
LEXICON = CenterLexicon(
    {"cat", "dog", "police officer", "officer"},
    {"chased", "ran", "ran after", "after dark", "meowed", "dark", "read rights to", "wound",
     "wound up"},
)  # fmt: skip


@pytest.mark.parametrize(*cases("centerbench_released/parser_gives_every_reading"))
def test_parser_gives_every_reading(sentence, readings):
    found = LEXICON.parse(sentence)
    assert sorted(found) == sorted(CenterReading(*map(tuple, one)) for one in readings)


def test_all_but_two_sentences_have_one_reading(folder):
    sentences = read_sentences(folder)
    unread = [sentence.sentence_id for sentence in sentences if sentence.reading is None]
    # eight verbs for seven nouns
    assert (len(sentences), unread) == (360, ["6-00004-p", "6-00027-p"])


# --- The rows
def test_rows_are_complete(questions):
    assert len(questions["id"]) == len(set(questions["id"])) == 9_720
    counts = Counter(across(questions, "condition", "level", "question_type"))
    cells = itertools.product(CONDITIONS, LEVELS, QUESTION_TYPES)
    assert counts == {cell: 30 * (cell[1] + 1) for cell in cells}
    assert Counter(questions["depth"])[6] == 2 * 30 * 6


def test_regenerated_strings_equal_the_released_ones(questions):
    shares = {
        name: questions[f"{name}_difference"].count("") / 9_720 for name in ("question", "answer")
    }
    assert shares["question"] >= 0.991
    assert shares["answer"] >= 0.967
    kinds = Counter(questions["question_difference"] + questions["answer_difference"])
    assert set(kinds) <= {"", *get_args(Kind)} - {"ours"}


def test_originals_are_kept_and_only_differences_are_repaired(questions):
    for name in ("question", "answer"):
        columns = (name, f"original_{name}", f"{name}_difference")
        for text, original, kind in across(questions, *columns):
            assert text == original or kind
            tidy = " ".join(original.split()).replace(" ?", "?")
            assert kind != "variant" or text == tidy
            assert text == " ".join(text.split())
    assert all(question.endswith("?") for question in questions["question"])


def test_originals_are_those_of_the_file(content, questions):
    expected = Counter(
        (row["question"], row["answer"], "plausible")
        for block in json.loads(content).values()
        for sentence in block["sentences"]
        for rows in sentence["questions_by_entity"].values()
        for row in rows
    )
    ours = across(questions, "original_question", "original_answer", "condition")
    assert Counter(row for row in ours if row[2] == "plausible") == expected


def test_events_follow_the_sentence(questions):
    for sentence_id, sentence, events in across(questions, "sentence_id", "sentence", "events"):
        verbs = [event["verb"] for event in events]
        verbs = " ".join(f"{verb['past']} {verb['tail']}".strip() for verb in verbs)
        if sentence_id not in ("6-00004-p", "6-00027-p"):
            assert sentence.endswith(f" {verbs}.")


def test_builder_gives_the_released_configs(folder, tmp_path):
    def tables(config: str, **options: Any) -> Any:
        return builder_for(
            CenterBench, "centerbench", config, options, str(tmp_path)
        ).split_tables()

    for config, n in (("released_questions", 9_720), ("released_sentences", 360)):
        assert tables(config, released=folder)["test"].num_rows == n
    message = "released, got None; expected the folder of the authors' files"
    with pytest.raises(ValueError, match=message):
        tables("released_questions")


def test_downloads_are_pinned(content):
    files = downloadable_files()
    assert [file.name for file in files] == ["plausible_subset.json", "implausible_subset.json"]
    commit = "52bd1838f27835dc20ca692198a91a1881c7b0e2"
    place = f"https://raw.githubusercontent.com/Sangmitra-06/CENTERBENCH/{commit}/Dataset/"
    assert all(file.url.startswith(place) for file in files)
    assert hashlib.sha256(content).hexdigest() == files[0].sha256
    assert CenterBench.released_sources() == files


def test_unknown_files_are_refused(folder, tmp_path):
    message = r"got no file of the authors; expected .*plausible_subset\.json"
    with pytest.raises(DataFileError, match=message):
        released_tables(tmp_path)
    shutil.copy(folder / "plausible_subset.json.gz", tmp_path)
    assert len(read_sentences(tmp_path)) == 180
    (tmp_path / "plausible_subset.json").write_text("{}", encoding="utf-8")
    message = r"plausible_subset\.json: sha256, got 44136fa355b3.*; expected a version listed"
    with pytest.raises(DataFileError, match=message):
        released_tables(tmp_path)


# --- Differences
CHASE = CenterVerb("chase", "chased", "chased", "chasing", "chases")
CARRY = CenterVerb("carry", "carried", "carried", "carrying", "carries", "out", is_separable=True)
LECTURE = CenterVerb("lecture", "lectured", "lectured", "lecturing", "lectures", "to")
MEOW = CenterVerb("meow", "meowed", "meowed", "meowing", "meows")
EVENTS = [
    Event("delivery man", CARRY, "dog"),
    Event("dog", LECTURE, "CEO"),
    Event("CEO", CHASE, "cat"),
    Event("cat", MEOW, None),
]


@pytest.mark.parametrize(*cases("centerbench_released/differences"))
def test_classify_difference(released_string, expected, kind):
    flags = {"is_erratum": False, "has_structure": True}
    assert classify_difference(released_string, expected, EVENTS, **flags) == kind


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        ("the cat", {"is_erratum": True, "has_structure": True}),
        ("meowed the cat", {"is_erratum": False, "has_structure": False}),
    ],
)
def test_what_contradicts_a_known_erratum_is_structure(text, flags):
    assert classify_difference(text, "chase the cat", EVENTS, **flags) == "structure"


def test_inflection_follows_the_table_and_lemminflect():
    pytest.importorskip("lemminflect")
    verbs = inflect_phrases(
        ["cross-examined", "delivered mail to", "stung", "woke up", "wheelied at"]
    )
    forms = [f"cross-{form}" for form in ("examine", "examined", "examined", "examining")]
    assert verbs["cross-examined"][:6] == (*forms, "cross-examines", "")
    assert verbs["delivered mail to"].relative_clause == "that was delivered mail"
    assert verbs["stung"].gerund == "stinging"
    assert verbs["woke up"].relative_clause == "that was woken up"
    found = verbs["wheelied at"].phrase(verbs["wheelied at"].gerund, "bus")
    assert found == "doing a wheelie at the bus"
