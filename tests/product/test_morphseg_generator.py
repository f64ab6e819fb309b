"""Invented languages: every dial moves its characteristic, a draw is a function of its seed."""

import dataclasses
import random
import re
import statistics
from collections import Counter
from itertools import chain
from typing import Any

import pyarrow as pa
import pytest

from builders.morphseg import generator
from builders.morphseg.columns import POOL_SCHEMA, pool_table
from builders.morphseg.draw import draw, pool_hash
from builders.morphseg.generator import (
    AffixSlot,
    InventedLanguage,
    Profile,
    generate_batches,
    profiles,
)
from builders.morphseg.sampling import Setting, split_indices
from builders.morphseg.sources import Word
from builders.morphseg.validity import problems
from ground.tables import DataFileError
from metrics.split_characteristics.scoring import characteristics
from tests.support.cases import cases

PLAIN = Profile(
    name="plain",
    morphology="agglutinative",
    consonants=("p", "t", "k", "s", "l", "n", "r", "m"),
    vowels=("a", "i", "u"),
    harmony=(),
    phoneme_slope=0.0,
    n_roots=400,
    root_shapes={"CVCV": 1.0},
    root_slope=0.5,
    affix_slope=0.5,
    compounds=0.0,
    harmony_share=0.0,
    liaison=0.0,
    stem_alternation=0.0,
    lexicalised=0.0,
    slots=(
        AffixSlot("FIRST", "suffix", 20, 0.5, {"CV": 1.0, "VC": 1.0}),
        AffixSlot("LAST", "suffix", 10, 0.5, {"CV": 1.0}),
    ),
)


def words_from(profile: Profile, size: int) -> list[Word]:
    return list(chain.from_iterable(generate_batches(profile, size, 0)))


def words_of(size: int = 1500, **dials: Any) -> list[Word]:
    return words_from(dataclasses.replace(PLAIN, **dials), size)


def overlap(words: list[Word]) -> float:
    setting = Setting("dial", len(words), 500, "without")
    overlaps = []
    for split in (split_indices(setting, k, "A") for k in range(1, 6)):
        train, test = ([words[i].morphemes for i in part] for part in (split.train, split.test))
        overlaps.append(characteristics(train, test).unit_overlap)
    return statistics.mean(overlaps)


def morphemes_per_word(words: list[Word]) -> float:
    return statistics.mean(len(w.morphemes) for w in words)


@pytest.mark.parametrize("name", ["synthetic", "synthetic_fusional", "synthetic_polysynthetic"])
def test_pools_keep_the_schema(name):
    words = draw(size=2000, pool=name)
    assert len(words) == 2000
    assert problems(pool_table(name, words)) == []
    names = {slot.name for slot in profiles()[name].slots}
    assert {tag for w in words for tag in w.tags} == {"ROOT", *names}
    assert 2 < morphemes_per_word(words) < 4


def test_problems_are_named():
    good = pool_table("x", [Word("boats", ("boat", "s"), (("boat", "s"),), ("ROOT", "NUM"))])
    assert problems(good) == []
    row = {**good.to_pylist()[0], "tags": ["ROOT"], "bmes": "BMMMM", "word": "boat"}
    assert problems(pa.Table.from_pylist([row], schema=POOL_SCHEMA)) == [
        "x-00000: morphemes do not concatenate to the word",
        "x-00000: tags and morphemes differ in number",
        "x-00000: labels do not fit the morphemes",
    ]
    assert problems(pa.concat_tables([good, good])) == ["x-00000: the word occurs twice"]


def test_a_longer_list_starts_with_the_shorter():
    longer = draw(size=600)
    for short, long in zip(draw(size=300), longer, strict=False):
        assert (short.word, short.morphemes) == (long.word, long.morphemes)


def test_seed_is_another_language():
    assert draw(0, 50) != draw(1, 50)


def test_phonotactics_dial():
    shapes = {"CVC": 1.0}
    words = words_of(60, root_shapes=shapes, slots=(), n_roots=70)
    assert all(re.fullmatch("[ptkslnrm][aiu][ptkslnrm]", w.word) for w in words)
    even, steep = (
        Counter("".join(w.word for w in words_of(phoneme_slope=slope))) for slope in (0.0, 1.0)
    )
    assert even["m"] / even["p"] > 0.6
    assert steep["m"] / steep["p"] < 0.4


def test_inventory_dial_moves_overlap():
    assert overlap(words_of(n_roots=100)) > overlap(words_of(n_roots=400)) + 0.05


def test_zipf_dial_moves_overlap():
    flat, steep = words_of(root_slope=0.0), words_of(root_slope=1.2)
    assert overlap(steep) > overlap(flat) + 0.03
    share = [
        Counter(w.morphemes[0] for w in words).most_common(1)[0][1] / len(words)
        for words in (flat, steep)
    ]
    assert share[1] > 3 * share[0]


def test_morphemes_per_word_dial():
    few = words_of(slots=tuple(dataclasses.replace(s, probability=0.3) for s in PLAIN.slots))
    many = words_of(slots=tuple(dataclasses.replace(s, probability=0.9) for s in PLAIN.slots))
    # word types favour long words a little, so the mean lies above 1 + the probabilities
    assert 1.6 < morphemes_per_word(few) < 2.1
    assert 2.75 < morphemes_per_word(many) < 3
    assert morphemes_per_word(words_of(compounds=0.5)) > morphemes_per_word(words_of()) + 0.4


def test_harmony_dial_gives_two_allomorphs():
    dials: dict[str, Any] = {"vowels": ("a", "ä", "i"), "harmony": ("aä",)}
    for share, expected in ((0.0, False), (1.0, True)):
        words = words_of(harmony_share=share, **dials)
        harmonious = [not ({"a", "ä"} <= set(w.word)) for w in words]
        assert all(harmonious) == expected
    language = InventedLanguage(dataclasses.replace(PLAIN, harmony_share=1.0, **dials), 0)
    assert all(not ({"a", "ä"} <= set(root.form)) for root in language.roots)


def test_liaison_dial_drops_or_adds_a_vowel():
    without, every = (
        [re.search("[aiu] [aiu]", " ".join(w.morphemes)) for w in words_of(liaison=share)]
        for share in (0.0, 1.0)
    )
    assert sum(map(bool, without)) > 100
    assert not any(every)


def test_stem_alternation_dial():
    shapes = {"CVC": 1.0}
    none, most = (
        dataclasses.replace(PLAIN, stem_alternation=share, root_shapes=shapes, n_roots=40)
        for share in (0.0, 1.0)
    )
    assert all(root.form == root.before_vowel for root in InventedLanguage(none, 0).roots)
    changed = [root.form != root.before_vowel for root in InventedLanguage(most, 0).roots]
    assert sum(changed) > 25  # a fifth of the new consonants are the old ones


def test_lexicalised_dial_merges_root_and_affix():
    assert morphemes_per_word(words_of(lexicalised=0.5)) < morphemes_per_word(words_of()) - 0.3
    # a pair is lexicalised everywhere or nowhere
    gold: dict[str, set[int]] = {}
    for w in words_of(lexicalised=0.5, slots=PLAIN.slots[:1], root_slope=0.0):
        gold.setdefault(w.word, set()).add(len(w.morphemes))
    assert all(len(lengths) == 1 for lengths in gold.values())


def test_two_origins_of_a_form_are_alternatives():
    words = words_of(500, root_shapes={"CV": 1.0, "CVCV": 2.0}, n_roots=200)  # pa ta, pata
    ambiguous = [w for w in words if len(w.alternatives) > 1]
    assert ambiguous
    assert all(w.alternatives[0] == w.morphemes for w in ambiguous)
    assert all(len(set(w.alternatives)) == len(w.alternatives) for w in ambiguous)


def test_words_in_parts_are_the_same_words(monkeypatch):
    """A later part may hold another origin of a word of an earlier one."""
    profile = dataclasses.replace(PLAIN, root_shapes={"CV": 1.0, "CVCV": 2.0}, n_roots=200)
    whole = words_from(profile, 500)
    monkeypatch.setattr(generator, "WORDS_PER_BATCH", 60)
    parts = list(generate_batches(profile, 500, 0))
    assert [len(part) for part in parts] == [60] * 8 + [20]
    assert [word for part in parts for word in part] == whole
    assert len({word.word for word in whole}) == 500


def test_dials_that_cannot_fill_a_list_are_refused():
    message = r"plain: inventory, got 24 forms of shapes CV; expected 400"
    with pytest.raises(ValueError, match=message):
        words_of(root_shapes={"CV": 1.0})
    small = dataclasses.replace(PLAIN, root_shapes={"CV": 1.0}, n_roots=15, slots=())
    with pytest.raises(ValueError, match="plain: size, got 20; expected at most about 15 words"):
        words_from(small, 20)
    for size in (0, 10**12):  # the second at once
        message = f"synthetic: size, got {size}; expected 1 to 10,000,000"
        with pytest.raises(ValueError, match=message):
            draw(size=size)


def test_unknown_dial_is_named(tmp_path, monkeypatch):
    path = tmp_path / "synthetic.toml"
    path.write_text("# source: x\n# licence: y\n[odd]\nslots = []\nvolume = 11\n", encoding="utf-8")
    monkeypatch.setattr(generator, "PROFILES", path)
    message = r"odd, got .*volume.*; expected the dials of a profile"
    with pytest.raises(DataFileError, match=message):
        generator.profiles.__wrapped__()


def test_pools_of_the_study_need_a_folder():
    message = "pool eng: folder, got None; expected the folder of its source files"
    with pytest.raises(ValueError, match=message):
        draw(pool="eng")
    with pytest.raises(ValueError, match="language, got 'xyz'"):
        draw(pool="xyz")


def test_words_of_a_language_are_drawn_with_its_own_stream():
    state = random.getstate()
    draw(size=20)
    assert random.getstate() == state


@pytest.mark.parametrize(
    *cases("morphseg_generator/the_words_are_those_that_the_figures_were_measured_on")
)
def test_the_words_are_those_that_the_figures_were_measured_on(name, expected):
    """Version 1.1.0 changed columns, not words: the figures of 1.0.0 hold."""
    assert pool_hash(draw(pool=name)) == expected
