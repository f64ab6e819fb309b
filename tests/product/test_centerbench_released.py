"""The authors' edition: checks against the files; kinds of difference on rows made by hand."""

import gzip
import hashlib
import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from builders.centerbench.events import CenterVerb, Event
from builders.centerbench.parser import CenterLexicon, CenterReading
from builders.centerbench.questions import QUESTION_TYPES
from builders.centerbench.released import (
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
    files = [
        released / "centerbench" / "plausible_subset.json.gz",
        sources / "centerbench" / "implausible_subset.json.gz",
    ]
    for file in files:
        if not file.is_file():
            pytest.skip(f"the authors' files are not at hand: {file}")
    folder = tmp_path_factory.mktemp("centerbench")
    for file in files:
        shutil.copyfile(file, folder / file.name)
    return folder


@pytest.fixture(scope="module")
def questions(folder: Path) -> dict[str, list[Any]]:
    return released_tables(folder)["released_questions"]["test"].to_pydict()


# --- The parser
LEXICON = CenterLexicon(
    {"cat", "dog", "police officer", "officer"},
    {
        "chased",
        "ran",
        "ran after",
        "after dark",
        "meowed",
        "dark",
        "read rights to",
        "wound",
        "wound up",
    },
)


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
    counts = Counter(
        zip(questions["condition"], questions["level"], questions["question_type"], strict=True)
    )
    assert counts == {
        (c, level, t): 30 * (level + 1)
        for c in CONDITIONS
        for level in LEVELS
        for t in QUESTION_TYPES
    }
    assert Counter(questions["depth"])[6] == 2 * 30 * 6


def test_regenerated_strings_equal_the_released_ones(questions):
    shares = {
        name: questions[f"{name}_difference"].count("") / 9_720 for name in ("question", "answer")
    }
    assert shares["question"] >= 0.991
    assert shares["answer"] >= 0.967
    kinds = Counter(questions["question_difference"] + questions["answer_difference"])
    # and none is ours
    assert set(kinds) <= {
        "",
        "whitespace",
        "punctuation",
        "case",
        "wh_word",
        "modifier",
        "tense",
        "variant",
        "lost_word",
        "added_word",
        "spelling",
        "structure",
    }


def test_originals_are_kept_and_only_differences_are_repaired(questions):
    for name in ("question", "answer"):
        for text, original, kind in zip(
            questions[name],
            questions[f"original_{name}"],
            questions[f"{name}_difference"],
            strict=True,
        ):
            assert text == original or kind
            tidy = " ".join(original.split()).replace(" ?", "?")
            assert kind != "variant" or text == tidy
            assert text == " ".join(text.split())
    assert all(question.endswith("?") for question in questions["question"])


def test_originals_are_those_of_the_file(folder, questions):
    path = next(folder.rglob("plausible_subset.json*"))
    raw = json.loads(
        gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    )
    expected = Counter(
        (row["question"], row["answer"])
        for block in raw.values()
        for sentence in block["sentences"]
        for rows in sentence["questions_by_entity"].values()
        for row in rows
    )
    ours = Counter(
        (question, answer)
        for question, answer, condition in across(
            questions, "original_question", "original_answer", "condition"
        )
        if condition == "plausible"
    )
    assert ours == expected


def test_events_follow_the_sentence(questions):
    for sentence_id, sentence, events in across(questions, "sentence_id", "sentence", "events"):
        verbs = " ".join(
            f"{event['verb']['past']} {event['verb']['tail']}".strip() for event in events
        )
        if sentence_id not in ("6-00004-p", "6-00027-p"):
            assert sentence.endswith(f" {verbs}.")


def test_builder_gives_the_released_configs(folder, tmp_path):
    for config, n in (("released_questions", 9_720), ("released_sentences", 360)):
        instance = builder_for(
            CenterBench, "centerbench", config, {"released": folder}, str(tmp_path)
        )
        assert instance.split_tables()["test"].num_rows == n
    message = "released, got None; expected the folder of the authors' files"
    with pytest.raises(ValueError, match=message):
        builder_for(
            CenterBench, "centerbench", "released_questions", {}, str(tmp_path)
        ).split_tables()


def test_downloads_are_pinned(folder):
    files = downloadable_files()
    assert [file.name for file in files] == ["plausible_subset.json", "implausible_subset.json"]
    commit = "52bd1838f27835dc20ca692198a91a1881c7b0e2"
    assert all(
        file.url.startswith(
            f"https://raw.githubusercontent.com/Sangmitra-06/CENTERBENCH/{commit}/Dataset/"
        )
        for file in files
    )
    path = next(folder.rglob("plausible_subset.json*"))
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    assert hashlib.sha256(content).hexdigest() == files[0].sha256
    assert CenterBench.released_sources() == files


def test_unknown_files_are_refused(folder, tmp_path):
    message = r"got no file of the authors; expected .*plausible_subset\.json"
    with pytest.raises(DataFileError, match=message):
        released_tables(tmp_path)
    path = next(folder.rglob("plausible_subset.json*"))
    shutil.copyfile(path, tmp_path / path.name)
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
    assert (
        classify_difference(released_string, expected, EVENTS, is_erratum=False, has_structure=True)
        == kind
    )


def test_what_contradicts_a_known_erratum_is_structure():
    assert (
        classify_difference("the cat", "chase the cat", EVENTS, is_erratum=True, has_structure=True)
        == "structure"
    )
    assert (
        classify_difference(
            "meowed the cat", "chase the cat", EVENTS, is_erratum=False, has_structure=False
        )
        == "structure"
    )


def test_inflection_follows_the_table_and_lemminflect():
    pytest.importorskip("lemminflect")
    verbs = inflect_phrases(
        ["cross-examined", "delivered mail to", "stung", "woke up", "wheelied at"]
    )
    assert verbs["cross-examined"][:6] == (
        "cross-examine",
        "cross-examined",
        "cross-examined",
        "cross-examining",
        "cross-examines",
        "",
    )
    assert verbs["delivered mail to"].relative_clause == "that was delivered mail"
    assert verbs["stung"].gerund == "stinging"
    assert verbs["woke up"].relative_clause == "that was woken up"
    found = verbs["wheelied at"].phrase(verbs["wheelied at"].gerund, "bus")
    assert found == "doing a wheelie at the bus"
