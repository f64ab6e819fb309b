"""The draws of CenterBench: the space against brute force, and what holds for every row."""

import itertools
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from builders.centerbench.columns import (
    CONDITIONS,
    QUESTION_SCHEMA,
    control_table,
    members,
    question_table,
    sentence_table,
)
from builders.centerbench.draw import LEVELS, PAIRS_PER_NOUN, STRESS_LEVELS, Drawer, default_drawer
from builders.centerbench.embedding import ALSO_CHANGES, Chain, construct
from builders.centerbench.mirror import complement, patterns
from builders.centerbench.paths import choose_verb, is_compatible
from builders.centerbench.relations import DISABLING, DOMAINS, KnowledgeBase, NounEntry, VerbEntry
from builders.centerbench.validity import _order_problems, problems, sentence_problems
from dataset_scripts.centerbench import CenterBench, read_sentences
from dataset_scripts.registry import builder_for
from tests.conftest import ROOT
from tests.support.cases import cases
from tests.support.results import across

SMALL = ROOT / "tests" / "golden" / "centerbench"
# questions per level and subset in the paper
TABLE_2 = {1: 360, 2: 540, 3: 720, 4: 900, 5: 1080, 6: 1260}


@pytest.fixture(scope="module")
def drawer() -> Drawer:
    return default_drawer()


@pytest.fixture(scope="module")
def pairs(drawer):
    return [pair for level in LEVELS for pair in drawer.draw(level, 0, 30)]


@pytest.fixture(scope="module")
def questions(drawer, pairs):
    return question_table(pairs, drawer.knowledge).to_pydict()


@pytest.fixture(scope="module")
def sentences(drawer, pairs):
    return sentence_table(pairs, drawer.knowledge).to_pydict()


# --- The space of pairs
def brute_force(knowledge: KnowledgeBase, level: int) -> Iterator[Chain]:
    """Every chain of licensed events whose reversals have wrong subjects, found by trying all."""
    nouns = [noun for noun in knowledge.nouns.values() if knowledge.domain(noun) == "animals"]
    verbs = [v for v in knowledge.verbs.values() if v.verb_class != "lethal"]
    transitive = [v for v in verbs if v.frame == "transitive" and v.direction != "any"]
    finals = [v for v in verbs if v.frame == "final" and not {*v.subjects} & {*DOMAINS}]

    def licensed(verbs: list[VerbEntry], *nouns: NounEntry) -> list[VerbEntry]:
        subject, *patient = nouns
        return [v for v in verbs if knowledge.judge(subject, v, *patient).status == "licensed"]

    for chosen in itertools.product(nouns, repeat=level + 1):
        options = [licensed(finals, chosen[0])]
        options += [licensed(transitive, b, a) for a, b in itertools.pairwise(chosen)]
        for verbs in itertools.product(*options):
            chain = Chain(chosen, verbs)
            reversal = chain.reversed_nouns().relations()
            is_pair = all(knowledge.has_wrong_subject(*event) for event in reversal)
            is_alive = all(verb.verb_class != "inactivating" for verb in verbs[2:])
            if is_pair and is_alive and is_compatible(verbs[0].verb_class, verbs[1].verb_class):
                yield chain


@pytest.mark.parametrize("level", [1, 2, 3, 4])
def test_space_is_what_brute_force_finds(level):
    knowledge = KnowledgeBase(SMALL)
    space = Drawer(knowledge).space("animals")
    expected = {chain.sentence() for chain in brute_force(knowledge, level)}
    found = [chain for pattern in patterns(level) for chain in space.enumerate(pattern)]
    assert len(found) == len(expected)
    assert {chain.sentence() for chain in found} == expected
    assert sum(space.count(pattern) for pattern in patterns(level)) == len(expected)
    assert expected


def test_directions_of_a_chain_are_those_of_its_pattern():
    space = Drawer(KnowledgeBase(SMALL)).space("animals")
    for pattern in patterns(3):
        for chain in itertools.islice(space.enumerate(pattern), 50):
            ranks = [noun.rank for noun in chain.nouns]
            found = ["down" if a < b else "up" for a, b in itertools.pairwise(ranks)]
            assert tuple(found) == pattern


@pytest.mark.parametrize("level", [1, 2])
def test_every_order_of_nouns_is_as_likely_plausible_as_implausible(level):
    """What is drawn of nouns in one order is in proportion to the rarer of the two orders."""
    space = Drawer(KnowledgeBase(SMALL)).space("animals")
    rng = Random("orders")
    for pattern in patterns(level):
        orders = Counter(chain.nouns for chain in space.enumerate(pattern))
        turned = Counter(chain.nouns[::-1] for chain in space.enumerate(complement(pattern)))
        weights = {nouns: min(n, turned[nouns]) for nouns, n in orders.items() if turned[nouns]}
        chains = (space.sample(pattern, rng, Counter()) for _ in range(4_000))
        drawn = Counter(chain.nouns for chain in chains if chain)
        assert set(drawn) == set(weights)
        for nouns, weight in weights.items():
            expected = drawn.total() * weight / sum(weights.values())
            assert abs(drawn[nouns] - expected) < 5 * expected**0.5  # the seed is fixed


def test_verbs_that_were_used_least_come_first():
    verbs = KnowledgeBase().verbs
    options = [verbs[name] for name in ("chased", "pursued", "stalked", "tracked")]
    used = Counter({"pursuit": 1, "chased": 1, "stalking": 2, "stalked": 2})
    assert choose_verb(options, (), Random(0), used) == verbs["pursued"]
    # what repeats the meaning of a chosen verb is passed over, as long as there is another
    assert choose_verb(options, [verbs["chased"]], Random(0), used) == verbs["tracked"]
    assert choose_verb(options[:2], [verbs["chased"]], Random(0), used) == verbs["pursued"]


@pytest.mark.parametrize(*cases("centerbench_suite/temporal_rules"))
def test_temporal_rules(verb, final, expected):
    assert is_compatible(final, verb) == expected


# --- The default draw
def test_counts_are_those_of_the_papers_table_2(questions):
    assert len(questions["id"]) == 9_720
    assert len(set(questions["sentence"])) == 360
    for condition in CONDITIONS:
        rows = [i for i, other in enumerate(questions["condition"]) if other == condition]
        assert Counter(questions["level"][i] for i in rows) == TABLE_2
        by_difficulty = Counter((questions["level"][i], questions["difficulty"][i]) for i in rows)
        assert by_difficulty == {
            (level, d): n // 3 for level, n in TABLE_2.items() for d in ("easy", "medium", "hard")
        }
        assert set(Counter(questions["question_type"][i] for i in rows).values()) == {810}


def test_ids_are_unique_and_name_their_place(questions, sentences):
    assert len(set(questions["id"])) == len(questions["id"])
    assert questions["id"][0] == "1-00000-p-0-action_performed"
    assert set(questions["sentence_id"]) == set(sentences["id"])
    for id_, sentence_id, pair_id in across(questions, "id", "sentence_id", "pair_id"):
        assert id_.startswith(f"{sentence_id}-")
        assert sentence_id in (f"{pair_id}-p", f"{pair_id}-i")
    assert set(sentences["rating_mean"]) == set(sentences["n_raters"]) == {None}


def test_every_pair_is_minimal(questions, sentences):
    assert sentence_problems(sentences) == []
    assert problems(pa.Table.from_pydict(questions, schema=QUESTION_SCHEMA)) == []


def test_every_event_is_licensed_or_wrong_for_its_subject(pairs, drawer):
    knowledge = drawer.knowledge
    for pair in pairs:
        assert {one.status for one in pair.plausible.judgements(knowledge)} == {"licensed"}
        assert pair.implausible == pair.plausible.reversed_nouns()
        assert all(knowledge.has_wrong_subject(*event) for event in pair.implausible.relations())


def test_a_chain_repeats_nothing_and_disables_its_outermost_entity_alone(pairs, drawer):
    for pair in pairs:
        nouns, verbs = pair.plausible
        assert {drawer.knowledge.domain(noun) for noun in nouns} == {DOMAINS[pair.number % 3]}
        words, meanings = {v.verb.split()[0] for v in verbs}, {v.meaning for v in verbs}
        heads = {noun.head for noun in nouns}
        assert len(words) == len(meanings) == len(heads) == pair.level + 1
        assert {verb.verb_class for verb in verbs[2:]}.isdisjoint(DISABLING)
        assert is_compatible(verbs[0].verb_class, verbs[1].verb_class)
        assert drawer.is_sound(pair.plausible)  # has one reading
        assert drawer.is_sound(pair.implausible)


@pytest.mark.parametrize(("domain", "least"), [("animals", 60), ("people", 60), ("vehicles", 40)])
def test_verbs_are_many_and_no_class_stands_out(pairs, drawer, domain, least):
    relations = [
        (subject, verb, patient)
        for pair in pairs
        for subject, verb, patient in pair.plausible.relations()
        if patient and drawer.knowledge.domain(subject) == domain
    ]
    assert len(relations) == 210
    assert len({verb.verb for _, verb, _ in relations}) >= least
    classes = Counter(verb.verb_class for _, verb, _ in relations)
    assert max(classes.values()) <= 0.15 * len(relations)
    upward = sum(subject.rank < patient.rank for subject, _, patient in relations)
    assert 0.4 <= upward / len(relations) <= 0.6


def test_events_are_those_of_the_sentence(questions):
    for sentence, events in dict(across(questions, "sentence", "events")).items():
        subjects = [event["subject"] for event in events]
        verbs = [f"{e['verb']['past']} {e['verb']['tail']}".strip() for e in events]
        assert sentence == f"The {' that the '.join(reversed(subjects))} {' '.join(verbs)}."
        assert [event["object"] for event in events] == [*subjects[1:], None]


def test_damage_is_found(questions, sentences):
    without = {name: values[1:] for name, values in sentences.items()}
    assert sentence_problems(without) == [
        "1-00000: members, got 1; expected one plausible and one implausible"
    ]
    shuffled = {name: [*values[2:], *values[:2]] for name, values in questions.items()}
    assert _order_problems(shuffled) == []
    shuffled = {name: [*values[1:], values[0]] for name, values in questions.items()}
    assert len(_order_problems(shuffled)) == 4_860

    def changed(columns: dict[str, list[Any]], name: str, first: object) -> dict[str, list[Any]]:
        return columns | {name: [first, *columns[name][1:]]}

    other_word = changed(sentences, "sentence", "The cat that the dog chased ran.")
    assert sentence_problems(other_word) == ["1-00000: words, got two bags; expected one"]
    [problem] = sentence_problems(changed(sentences, "violated", ["rank", ""]))
    assert "expected no violation" in problem
    other_question = changed(questions, "question", "What did the dog chase?")
    got = "1-00000: questions, got different ones for the two members"
    found = problems(pa.Table.from_pydict(other_question, schema=QUESTION_SCHEMA))
    assert found == [f"{got}; expected the same but for the nouns"]


# --- Other draws
def test_a_smaller_size_gives_the_first_pairs(drawer, pairs):
    assert drawer.draw(3, 0, 7) == [pair for pair in pairs if pair.level == 3][:7]


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("level", [1, 2, 3])
def test_a_noun_that_came_often_waits(level, domain, drawer, pairs):
    used = Counter[str]()
    drawn = [pair.plausible.nouns for pair in pairs if pair.level == level]
    drawn = [nouns for nouns in drawn if drawer.knowledge.domain(nouns[0]) == domain]
    assert len(drawn) == 10
    for n_taken, nouns in enumerate(drawn):
        assert max(used[noun] for noun in nouns) <= (n_taken + level) // PAIRS_PER_NOUN
        used.update(nouns)


def test_another_seed_gives_other_sentences(drawer, pairs):
    known = {pair.plausible.sentence() for pair in pairs}
    other = [pair.plausible.sentence() for level in LEVELS for pair in drawer.draw(level, 1, 30)]
    assert len(known & set(other)) <= 4


def test_excluded_sentences_are_not_drawn(drawer, pairs):
    of_level = pairs[:30]
    excluded = {of_level[0].plausible.sentence(), of_level[1].implausible.sentence()}
    drawn = drawer.draw(1, 0, 30, excluded)
    assert not excluded & {chain.sentence() for *_, chain in members(drawn)}
    assert [pair.plausible for pair in drawn[2::3]] == [pair.plausible for pair in of_level[2::3]]


DEEPEST = max(STRESS_LEVELS)


@pytest.mark.parametrize(
    "level", [*STRESS_LEVELS[:-1], pytest.param(DEEPEST, marks=pytest.mark.slow)]
)
def test_stress_levels_are_filled(drawer, level):
    drawn = drawer.draw(level, 0, 30)
    assert len({pair.plausible.sentence() for pair in drawn}) == 30
    assert problems(sentence_table(drawn, drawer.knowledge)) == []


def test_a_draw_that_exhausts_its_space_gives_everything_and_then_fails_with_the_capacity():
    drawer = Drawer(KnowledgeBase(SMALL))
    space = drawer.space("animals")
    chains = [chain for pattern in patterns(1) for chain in space.enumerate(pattern)]

    def is_minimal_pair(chain: Chain) -> bool:
        return drawer._is_pair(chain, chain.reversed_nouns())

    n = sum(map(is_minimal_pair, chains))
    assert n > 5
    assert len([*drawer._balanced("animals", 1, Random(0), is_minimal_pair)]) == n
    message = f"animals pairs of level 1, got {n + 1}; expected at most the capacity, {n}$"
    with pytest.raises(ValueError, match=message):
        drawer.draw(1, 0, 3 * n + 1)


def test_a_size_that_no_count_allows_is_refused_before_anything_is_drawn(drawer):
    expected = r"people pairs of level 1, got 33333; expected at most the capacity, 4543$"
    with pytest.raises(ValueError, match=expected):
        drawer.draw(1, 0, 100_000)


def test_unpaired_sentences_share_only_their_level(drawer):
    drawn = [pair for level in LEVELS for pair in drawer.draw_unpaired(level, 0, 20)]
    chains = [pair.plausible for pair in drawn]
    assert any(pair.implausible != pair.plausible.reversed_nouns() for pair in drawn)
    assert any(chain.domain(drawer.knowledge) == "mixed" for chain in chains)
    classes = {verb.verb_class for chain in chains for verb in chain.verbs}
    assert {"perception", "contact"} & classes
    for chain in chains:
        statuses = {judgement.status for judgement in chain.judgements(drawer.knowledge)}
        assert statuses <= {"licensed", "neutral"}
        assert is_compatible(chain.verbs[0].verb_class, chain.verbs[1].verb_class)
        assert drawer.is_sound(chain)


# --- The paper's swap, and the same events in other constructions
def test_circular_swap_gives_each_noun_a_verb_of_the_next(drawer):
    knowledge = drawer.knowledge
    for level in (1, 3, 6):
        for pair in drawer.draw(level, 0, 9, implausible="circular-swap"):
            nouns, verbs = pair.implausible
            assert nouns == pair.plausible.nouns
            for k, (noun, verb) in enumerate(zip(nouns, verbs, strict=True)):
                neighbour = nouns[(k + 1) % len(nouns)]
                assert knowledge.can_act(neighbour, verb)
                assert knowledge.has_wrong_subject(noun, verb, nouns[k - 1] if k else None)
            assert problems(sentence_table([pair], knowledge), "circular-swap") == []
            assert problems(question_table([pair], knowledge), "circular-swap") == []


def test_other_constructions_say_the_same(drawer):
    nouns, verbs = drawer.knowledge.nouns, drawer.knowledge.verbs
    chain = Chain(
        (nouns["vole"], nouns["owl"], nouns["lynx"]),
        (verbs["squeaked"], verbs["swooped down on"], verbs["frightened"]),
    )
    told = "The vole that the owl that the lynx frightened swooped down on squeaked."
    branching = "The lynx frightened the owl that swooped down on the vole that squeaked."
    owl = "the owl that was frightened by the lynx"
    assert chain.sentence() == told
    assert construct(chain, "right_branching") == branching
    assert construct(chain, "passive") == f"The vole that was swooped down on by {owl} squeaked."
    fled = chain._replace(verbs=(verbs["squeaked"], verbs["fled from"], verbs["frightened"]))
    assert construct(fled, "passive") is None  # no passive, no row


def test_controls_change_what_they_say_and_nothing_else(pairs, drawer, questions):
    controls = control_table(pairs, drawer.knowledge)
    assert problems(controls) == []
    rows = controls.to_pylist()
    assert len({row["id"] for row in rows}) == len(rows)
    embedded = dict(zip(questions["id"], zip(*questions.values(), strict=True), strict=True))
    assert {row["question_id"] for row in rows} == set(embedded)
    for row in rows:
        original = dict(zip(questions, embedded[row["question_id"]], strict=True))
        for name in ("pair_id", "condition", "level", "question", "answer", "events", "depth"):
            assert row[name] == original[name]
        words, others = (r["sentence"].lower().rstrip(".").split() for r in (row, original))
        nouns = [event["subject"] for event in row["events"]]  # innermost first
        places = [row["sentence"].lower().index(f"the {noun} ") for noun in nouns]
        if row["construction"] == "right_branching":
            assert sorted(words) == sorted(others)
            assert places == sorted(places)
        else:
            assert len(words) == len(others) + 2 * row["level"]
            assert places == sorted(places, reverse=True)
        assert row["n_words"] == len(words)
        assert row["also_changes"] == ALSO_CHANGES[row["construction"]]
    passives = sum(row["construction"] == "passive" for row in rows)
    assert 500 < passives < len(rows) / 2  # most long chains have a verb without a passive


# --- The builder
def table_of(config: str, tmp_path: Path, **options: Any) -> pa.Table:
    builder = builder_for(CenterBench, "centerbench", config, options, str(tmp_path))
    return builder.split_tables()["test"]


def test_configs(tmp_path, questions):
    lite = table_of("questions_lite", tmp_path)
    assert set(lite["id"].to_pylist()) <= set(questions["id"])
    sizes = {level: 2 * 10 * 6 * (level + 1) for level in LEVELS}
    assert Counter(lite["level"].to_pylist()) == sizes
    stress = table_of("stress", tmp_path, size=3)
    assert stress.num_rows == sum(2 * 3 * 6 * (level + 1) for level in STRESS_LEVELS)
    assert table_of("questions_lite", tmp_path, size=4).num_rows == 4 * 324


def test_options_of_one_builder_are_not_those_of_the_next(tmp_path):
    given: list[dict[str, Any]] = [{"size": 3}, {}]
    built = [
        builder_for(CenterBench, "centerbench", "questions", options, str(tmp_path))
        for options in given
    ]
    assert [builder.config.size for builder in built] == [3, None]


def test_exclude_reads_parquet_and_text(tmp_path):
    first = table_of("sentences", tmp_path, size=3)
    pq.write_table(first, tmp_path / "seen.parquet")
    lines = "\n".join([*first["sentence"].to_pylist(), ""])
    (tmp_path / "seen.txt").write_text(lines, encoding="utf-8")
    fresh = table_of("sentences", tmp_path, size=3, exclude=tmp_path / "seen.parquet")
    assert not set(fresh["sentence"].to_pylist()) & set(first["sentence"].to_pylist())
    assert fresh.equals(table_of("sentences", tmp_path, size=3, exclude=tmp_path / "seen.txt"))


def test_exclude_refuses_what_holds_no_sentences(tmp_path):
    (tmp_path / "empty.txt").write_text("\n", encoding="utf-8")
    pq.write_table(pa.table({"text": ["x"]}), tmp_path / "other.parquet")
    for name, message in {
        "absent.txt": "exclude, got no file; expected one with sentences",
        "empty.txt": "exclude, got no sentence; expected at least one",
        "other.parquet": "columns, got text; expected one named sentence",
    }.items():
        with pytest.raises(ValueError, match=message):
            read_sentences(tmp_path / name)


@pytest.mark.parametrize("options", [{"implausible": "circular-swap"}, {"unpaired": True}])
def test_another_edition_is_checked_as_what_it_is(tmp_path, options):
    options = {"size": 3, **options}
    instance = builder_for(CenterBench, "centerbench", "sentences", options, str(tmp_path))
    table = instance.split_tables()["test"]
    counts = Counter(across(table.to_pydict(), "level", "condition"))
    assert counts == dict.fromkeys(itertools.product(LEVELS, CONDITIONS), 3)
    assert instance.problems(table) == []
    assert len(problems(table)) >= 15  # not the same words


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"size": 0}, "centerbench: size, got 0; expected a whole number from 1"),
        ({"implausible": "x"}, "got 'x'; expected reversed-nouns or circular-swap"),
        ({"implausible": "circular-swap", "unpaired": True}, "implausible, got it with unpaired"),
    ],
)
def test_a_wrong_option_says_what_it_takes(tmp_path, options, message):
    with pytest.raises(ValueError, match=message):
        table_of("questions", tmp_path, **options)
