"""The draws of CenterBench: the space against brute force, and what holds for every row."""

import itertools
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from builders.centerbench.admission import paired_space
from builders.centerbench.columns import question_table, sentence_table
from builders.centerbench.draw import LEVELS, STRESS_LEVELS, Drawer, SentencePair
from builders.centerbench.embedding import Chain
from builders.centerbench.parser import Lexicon
from builders.centerbench.paths import is_compatible
from builders.centerbench.relations import DOMAINS, Domain, KnowledgeBase, VerbEntry
from builders.centerbench.validity import question_problems, sentence_problems
from dataset_scripts.centerbench import CenterBench, read_sentences
from dataset_scripts.registry import builder_for
from ground.tables import read_table
from publish.build import build_suite
from publish.check import check_suite
from tests.conftest import ROOT

SMALL = ROOT / "tests" / "golden" / "centerbench"
TABLE_2 = {
    1: 360,
    2: 540,
    3: 720,
    4: 900,
    5: 1080,
    6: 1260,
}  # questions per level and subset in the paper


@pytest.fixture(scope="module")
def drawer() -> Drawer:
    return Drawer(KnowledgeBase())


@pytest.fixture(scope="module")
def pairs(drawer: Drawer) -> list[SentencePair]:
    return [pair for level in LEVELS for pair in drawer.draw(level, 0, 30)]


@pytest.fixture(scope="module")
def questions(drawer: Drawer, pairs: list[SentencePair]) -> dict[str, list[Any]]:
    return question_table(pairs, drawer.knowledge).to_pydict()  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def sentences(drawer: Drawer, pairs: list[SentencePair]) -> dict[str, list[Any]]:
    return sentence_table(pairs, drawer.knowledge).to_pydict()  # type: ignore[no-any-return]


# The space of pairs


def brute_force(knowledge: KnowledgeBase, domain: Domain, level: int) -> Iterator[Chain]:
    """Every chain of licensed events whose reversals have wrong subjects, found by trying all."""
    nouns = [noun for noun in knowledge.nouns.values() if knowledge.domain(noun) == domain]
    transitive = [
        v
        for v in knowledge.verbs.values()
        if v.frame == "transitive" and v.direction != "any" and v.verb_class != "lethal"
    ]
    finals = [
        v
        for v in knowledge.verbs.values()
        if v.frame == "final" and not set(v.subjects) & set(DOMAINS)
    ]
    for chosen in itertools.product(nouns, repeat=level + 1):
        options: list[list[VerbEntry]] = [
            [f for f in finals if knowledge.judge(chosen[0], f).status == "licensed"]
        ]
        for subject, patient in itertools.pairwise(reversed(chosen)):
            options.insert(
                1,
                [
                    v
                    for v in transitive
                    if knowledge.judge(subject, v, patient).status == "licensed"
                ],
            )
        for verbs in itertools.product(*options):
            chain = Chain(chosen, verbs)
            disables = [verb.verb_class == "inactivating" for verb in verbs]
            reversal = chain.reversed_nouns().judgements(knowledge)
            is_pair = all(
                {"rank", "subject_sort"} & set(judgement.restrictions) for judgement in reversal
            )
            if (
                is_pair
                and not any(disables[2:])
                and is_compatible(verbs[0].verb_class, verbs[1].verb_class)
            ):
                yield chain


@pytest.mark.parametrize("level", [1, 2, 3, 4])
def test_space_is_what_brute_force_finds(level: int) -> None:
    knowledge = KnowledgeBase(SMALL)
    space = paired_space(knowledge, "animals")
    expected = {chain.sentence() for chain in brute_force(knowledge, "animals", level)}
    assert {chain.sentence() for chain in space.enumerate(level)} == expected
    assert space.count(level) == len(expected)
    assert (level < 4) == bool(expected)  # four ranks make chains of at most three relations


def test_space_of_the_real_knowledge_base_at_level_1(drawer: Drawer) -> None:
    """Of each two people: verbs licensed one way and wrong the other, times the final verbs."""
    knowledge = drawer.knowledge
    people = [noun for noun in knowledge.nouns.values() if knowledge.domain(noun) == "people"]
    verbs = [
        verb
        for verb in knowledge.verbs.values()
        if verb.direction in ("down", "role") and verb.verb_class != "lethal"
    ]
    finals = [
        verb
        for verb in knowledge.verbs.values()
        if verb.frame == "final" and not set(verb.subjects) & set(DOMAINS)
    ]
    n = 0
    for agent, patient in itertools.permutations(people, 2):
        acts = [
            v
            for v in knowledge.licensed_verbs(agent, patient, verbs)
            if knowledge.has_wrong_subject(patient, v, agent)
        ]
        ends = (
            [
                f
                for f in finals
                if knowledge.can_act(patient, f) and knowledge.judge(agent, f).status == "violates"
            ]
            if acts
            else []
        )
        ends = [f for f in ends if knowledge.judge(patient, f).status == "licensed"]
        n += sum(
            is_compatible(final.verb_class, verb.verb_class) for verb in acts for final in ends
        )
    assert (
        drawer.space("people").count(1)
        == n
        == sum(1 for _ in drawer.space("people").enumerate(1))
        > 9_000
    )


@pytest.mark.parametrize("level", [1, 2, 3])
def test_every_pair_is_equally_likely(level: int) -> None:
    space = paired_space(KnowledgeBase(SMALL), "animals")
    rng, n = Random("uniform"), 300 * space.count(level)
    drawn = Counter(space.sample(level, rng).sentence() for _ in range(n))
    assert len(drawn) == space.count(level)
    chi_square = sum((count - 300) ** 2 / 300 for count in drawn.values())
    degrees = len(drawn) - 1
    assert (
        chi_square < degrees + 4 * (2 * degrees) ** 0.5 + 4
    )  # four standard deviations of its distribution; the seed is fixed


FINALS = [
    # verb's class, final verb's class, whether the one can follow the other
    ("pursuit", "motion", True),  # chased ... ran
    ("inactivating", "motion", False),  # caught ... ran
    ("inactivating", "cry", True),  # caught ... squeaked
    ("inactivating", "plight", True),  # caught ... wriggled
    ("inactivating", "skill", False),  # arrested ... juggled
    ("lethal", "death", True),  # ate ... died
    ("lethal", "cry", False),  # ate ... squeaked: the release has four of these
    ("pursuit", "death", False),  # chased ... died
]


@pytest.mark.parametrize(("verb", "final", "expected"), FINALS)
def test_temporal_rules(verb: Any, final: Any, expected: bool) -> None:
    assert is_compatible(final, verb) == expected


# The default draw


def test_counts_are_those_of_the_papers_table_2(questions: dict[str, list[Any]]) -> None:
    assert len(questions["id"]) == 9_720
    assert len(set(questions["sentence"])) == 360
    for condition in ("plausible", "implausible"):
        rows = [i for i, other in enumerate(questions["condition"]) if other == condition]
        assert Counter(questions["level"][i] for i in rows) == TABLE_2
        by_difficulty = Counter((questions["level"][i], questions["difficulty"][i]) for i in rows)
        assert by_difficulty == {
            (level, d): n // 3 for level, n in TABLE_2.items() for d in ("easy", "medium", "hard")
        }
        assert set(Counter(questions["question_type"][i] for i in rows).values()) == {810}


def test_ids_are_unique_and_name_their_place(
    questions: dict[str, list[Any]], sentences: dict[str, list[Any]]
) -> None:
    assert len(set(questions["id"])) == len(questions["id"])
    assert questions["id"][0] == "1-00000-p-0-action_performed"
    assert set(questions["sentence_id"]) == set(sentences["id"])
    for id_, sentence_id, pair_id in zip(
        questions["id"], questions["sentence_id"], questions["pair_id"], strict=True
    ):
        assert id_.startswith(f"{sentence_id}-")
        assert sentence_id in (f"{pair_id}-p", f"{pair_id}-i")


def test_domains_take_turns(pairs: list[SentencePair], drawer: Drawer) -> None:
    for pair in pairs:
        assert {drawer.knowledge.domain(noun) for noun in pair.plausible.nouns} == {
            DOMAINS[pair.number % 3]
        }


def test_every_pair_is_minimal(
    questions: dict[str, list[Any]], sentences: dict[str, list[Any]]
) -> None:
    assert sentence_problems(sentences) == []
    assert question_problems(questions) == []


def test_every_event_is_licensed_or_wrong_for_its_subject(
    pairs: list[SentencePair], drawer: Drawer
) -> None:
    for pair in pairs:
        assert {judgement.status for judgement in pair.plausible.judgements(drawer.knowledge)} == {
            "licensed"
        }
        assert pair.implausible == pair.plausible.reversed_nouns()
        for judgement in pair.implausible.judgements(drawer.knowledge):
            assert {"rank", "subject_sort"} & set(judgement.restrictions)


def test_no_noun_head_and_no_first_word_of_a_verb_twice(pairs: list[SentencePair]) -> None:
    for pair in pairs:
        assert len({noun.head for noun in pair.plausible.nouns}) == pair.level + 1
        assert len({verb.verb.split()[0] for verb in pair.plausible.verbs}) == pair.level + 1


def test_only_the_outermost_entity_is_disabled(pairs: list[SentencePair]) -> None:
    for pair in pairs:
        assert not {"inactivating", "lethal"} & {
            verb.verb_class for verb in pair.plausible.verbs[2:]
        }
        assert is_compatible(pair.plausible.verbs[0].verb_class, pair.plausible.verbs[1].verb_class)


def test_every_sentence_has_one_reading(pairs: list[SentencePair], drawer: Drawer) -> None:
    lexicon = Lexicon(drawer.knowledge.nouns, drawer.knowledge.verbs)
    for pair in pairs:
        for chain in (pair.plausible, pair.implausible):
            assert lexicon.parse(chain.sentence()) == [chain.reading()]


def test_events_are_those_of_the_sentence(questions: dict[str, list[Any]]) -> None:
    for sentence, events in dict(
        zip(questions["sentence"], questions["events"], strict=True)
    ).items():
        subjects = " that the ".join(event["subject"] for event in reversed(events))
        verbs = " ".join(
            f"{event['verb']['past']} {event['verb']['tail']}".strip() for event in events
        )
        assert sentence == f"The {subjects} {verbs}."
        assert [event["object"] for event in events] == [
            *(event["subject"] for event in events[1:]),
            None,
        ]


def test_covariates(sentences: dict[str, list[Any]]) -> None:
    for sentence, n_words, n_characters in zip(
        sentences["sentence"], sentences["n_words"], sentences["n_characters"], strict=True
    ):
        assert (n_words, n_characters) == (len(sentence.split()), len(sentence))
    assert set(sentences["rating_mean"]) == set(sentences["n_raters"]) == {None}
    assert all(0 < zipf < 7 for name in ("noun_zipf", "verb_zipf") for zipf in sentences[name])


def test_damage_is_found(questions: dict[str, list[Any]], sentences: dict[str, list[Any]]) -> None:
    without = {name: values[1:] for name, values in sentences.items()}
    assert sentence_problems(without) == [
        "1-00000: members, got 1; expected one plausible and one implausible"
    ]
    other_word = sentences | {
        "sentence": ["The cat that the dog chased ran.", *sentences["sentence"][1:]]
    }
    assert sentence_problems(other_word) == ["1-00000: words, got two bags; expected one"]
    violated = sentences | {"violated": [["rank", ""], *sentences["violated"][1:]]}
    assert len(sentence_problems(violated)) == 1
    assert "expected no violation" in sentence_problems(violated)[0]
    other_question = questions | {
        "question": ["What did the dog chase?", *questions["question"][1:]]
    }
    expected = (
        "1-00000: questions, got different ones for the two members; "
        "expected the same but for the nouns"
    )
    assert question_problems(other_question) == [expected]


# The second reading


@dataclass(frozen=True)
class ReviewEntry:
    id: str
    sentence: str
    reader: Literal["person", "model"]
    judgement: Literal["accepted", "objection"]
    remark: str | None


def test_second_reading_is_of_this_draw_and_objects_to_few(sentences: dict[str, list[Any]]) -> None:
    entries = read_table(ROOT / "builders" / "centerbench" / "data" / "review.tsv", ReviewEntry)
    drawn = {
        row[0]: row[1:]
        for row in zip(
            *(sentences[n] for n in ("id", "sentence", "condition", "level", "domain")), strict=True
        )
    }
    assert all(drawn[entry.id][0] == entry.sentence for entry in entries)
    places = Counter(drawn[entry.id][1:] for entry in entries)
    assert set(places) == {
        (c, level, d) for c in ("plausible", "implausible") for level in LEVELS for d in DOMAINS
    }
    for condition in ("plausible", "implausible"):
        read = [entry for entry in entries if drawn[entry.id][1] == condition]
        objections = [entry for entry in read if entry.judgement == "objection"]
        assert len(read) == 100
        assert len(objections) <= 2
        assert all(entry.remark for entry in objections)


def test_card_says_what_the_tables_hold(drawer: Drawer) -> None:
    card = " ".join(
        (ROOT / "cards" / "datasets" / "centerbench.md").read_text(encoding="utf-8").split()
    )
    entries = read_table(ROOT / "builders" / "centerbench" / "data" / "review.tsv", ReviewEntry)
    plausible, implausible = (
        sum(e.judgement == "objection" for e in entries if e.id.endswith(m)) for m in ("-p", "-i")
    )
    assert f"to {plausible} of 100 plausible and {implausible} of 100 implausible ones" in card
    assert f"{len(drawer.knowledge.nouns)} nouns and {len(drawer.knowledge.verbs)} verbs" in card
    assert "> The duck that the fox stalked flew off." in card
    assert "The duck that the fox stalked flew off." in {entry.sentence for entry in entries}


# Other draws


def test_a_smaller_size_gives_the_first_pairs(drawer: Drawer, pairs: list[SentencePair]) -> None:
    assert drawer.draw(3, 0, 7) == [pair for pair in pairs if pair.level == 3][:7]


def test_another_seed_gives_other_sentences(drawer: Drawer, pairs: list[SentencePair]) -> None:
    known = {pair.plausible.sentence() for pair in pairs}
    other = [pair.plausible.sentence() for level in LEVELS for pair in drawer.draw(level, 1, 30)]
    assert len(known & set(other)) <= 2


def test_excluded_sentences_are_not_drawn(drawer: Drawer, pairs: list[SentencePair]) -> None:
    of_level = [pair for pair in pairs if pair.level == 1]
    excluded = {of_level[0].plausible.sentence(), of_level[1].implausible.sentence()}
    drawn = drawer.draw(1, 0, 30, excluded)
    assert not excluded & {
        chain.sentence() for pair in drawn for chain in (pair.plausible, pair.implausible)
    }
    assert [pair.plausible for pair in drawn if pair.number % 3 == 2] == [
        p.plausible for p in of_level if p.number % 3 == 2
    ]


@pytest.mark.parametrize("level", STRESS_LEVELS)
def test_stress_levels_are_filled(drawer: Drawer, level: int) -> None:
    drawn = drawer.draw(level, 0, 30)
    assert len({pair.plausible.sentence() for pair in drawn}) == 30
    assert sentence_problems(sentence_table(drawn, drawer.knowledge).to_pydict()) == []


def test_a_draw_that_the_ranks_do_not_reach_fails_with_the_capacity(drawer: Drawer) -> None:
    with pytest.raises(
        ValueError,
        match=r"centerbench: animals pairs of level 25, got 10; expected at most the capacity, 0$",
    ):
        drawer.draw(25, 0, 30)


def test_a_draw_that_exhausts_its_space_gives_everything_and_then_fails_with_the_capacity() -> None:
    drawer = Drawer(KnowledgeBase(SMALL))
    space = paired_space(drawer.knowledge, "animals")
    n = sum(1 for chain in space.enumerate(1) if drawer.is_minimal_pair(chain))
    rng = Random(0)
    assert len(list(drawer._chains(space, 1, rng, drawer.is_minimal_pair))) == n > 5
    with pytest.raises(
        ValueError,
        match=f"animals pairs of level 1, got {n + 1}; expected at most the capacity, {n}$",
    ):
        drawer.draw(1, 0, 3 * n + 1)


def test_unpaired_sentences_share_only_their_level(drawer: Drawer) -> None:
    drawn = [pair for level in LEVELS for pair in drawer.draw_unpaired(level, 0, 20)]
    assert any(pair.implausible != pair.plausible.reversed_nouns() for pair in drawn)
    domains = [{drawer.knowledge.domain(noun) for noun in pair.plausible.nouns} for pair in drawn]
    assert any(len(found) > 1 for found in domains)
    classes = {verb.verb_class for pair in drawn for verb in pair.plausible.verbs}
    assert {"perception", "communication"} <= classes
    for pair in drawn:
        statuses = {judgement.status for judgement in pair.plausible.judgements(drawer.knowledge)}
        assert statuses <= {"licensed", "neutral"}
        assert is_compatible(pair.plausible.verbs[0].verb_class, pair.plausible.verbs[1].verb_class)
        assert drawer.is_sound(pair.plausible)


# The builder


def table_of(config: str, tmp_path: Path, **options: Any) -> pa.Table:
    return builder_for(CenterBench, "centerbench", config, options, str(tmp_path)).split_tables()[
        "test"
    ]


def test_configs(tmp_path: Path) -> None:
    questions = table_of("questions", tmp_path)
    lite = table_of("questions_lite", tmp_path)
    assert lite.num_rows == 3_240
    assert set(lite["id"].to_pylist()) <= set(questions["id"].to_pylist())
    assert Counter(lite["level"].to_pylist()) == {
        level: 2 * 10 * 6 * (level + 1) for level in LEVELS
    }
    assert table_of("stress", tmp_path, size=3).num_rows == sum(
        2 * 3 * 6 * (level + 1) for level in STRESS_LEVELS
    )
    assert table_of("questions_lite", tmp_path, size=4).num_rows == 4 * 324


def test_options_of_one_builder_are_not_those_of_the_next(tmp_path: Path) -> None:
    builder_for(CenterBench, "centerbench", "questions", {"size": 3}, str(tmp_path))
    assert (
        builder_for(CenterBench, "centerbench", "questions", {}, str(tmp_path)).config.size is None
    )


def test_size_must_be_positive(tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match="centerbench: size, got 0; expected a whole number from 1"
    ):
        table_of("questions", tmp_path, size=0)


def test_exclude_reads_parquet_and_text(tmp_path: Path) -> None:
    first = table_of("sentences", tmp_path, size=3)
    pq.write_table(first, tmp_path / "seen.parquet")
    (tmp_path / "seen.txt").write_text(
        "\n".join(first["sentence"].to_pylist()) + "\n", encoding="utf-8"
    )
    fresh = table_of("sentences", tmp_path, size=3, exclude=tmp_path / "seen.parquet")
    assert not set(fresh["sentence"].to_pylist()) & set(first["sentence"].to_pylist())
    assert fresh.equals(table_of("sentences", tmp_path, size=3, exclude=tmp_path / "seen.txt"))


def test_exclude_refuses_what_holds_no_sentences(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="exclude, got no file; expected one with sentences"):
        read_sentences(tmp_path / "absent.txt")
    (tmp_path / "empty.txt").write_text("\n", encoding="utf-8")
    with pytest.raises(ValueError, match="exclude, got no sentence; expected at least one"):
        read_sentences(tmp_path / "empty.txt")
    pq.write_table(pa.table({"text": ["x"]}), tmp_path / "other.parquet")
    with pytest.raises(ValueError, match="columns, got text; expected one named sentence"):
        read_sentences(tmp_path / "other.parquet")


def test_unpaired_config(tmp_path: Path) -> None:
    unpaired = table_of("sentences", tmp_path, size=4, unpaired=True)
    assert Counter(
        zip(unpaired["level"].to_pylist(), unpaired["condition"].to_pylist(), strict=True)
    ) == {(level, condition): 4 for level in LEVELS for condition in ("plausible", "implausible")}


def test_unpaired_build_is_checked_as_what_it_is(tmp_path: Path) -> None:
    build_suite("centerbench", tmp_path, {"unpaired": True, "size": 12})
    assert check_suite("centerbench", tmp_path / "centerbench") == []


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_draw_is_the_same_in_any_process(hash_seed: str, pairs: list[SentencePair]) -> None:
    script = (
        "from builders.centerbench.draw import draw\n"
        "for drawn in draw(levels=(1, 4, 6)):\n"
        "    print('\\n'.join(pair.plausible.sentence() for pair in drawn))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)}
    run = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
        cwd=ROOT,
    )
    assert run.stdout.splitlines() == [
        pair.plausible.sentence() for pair in pairs if pair.level in (1, 4, 6)
    ]
