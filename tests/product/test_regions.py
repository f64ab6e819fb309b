"""Regions of texts: which tokens belong, where a region grows, what of it is reported."""

import math
from pathlib import Path

import numpy as np
import pytest

from garden_path.models.registry import USERS
from metrics._shared.language_models import TokenScores
from metrics.minimal_pair_preference.members import RegionScores, Stretch, likelihoods
from tests.support.tiny_models import make_byte_model, tiny_llama


def tokens(*spans: tuple[int, int, float]) -> TokenScores:
    starts, ends, values = zip(*spans, strict=True)
    return TokenScores(np.array(starts), np.array(ends), np.array(values, dtype=float))


def region_scores(texts, scores, regions) -> RegionScores:
    members = [Stretch(text, *region) for text, region in zip(texts, regions, strict=True)]
    return likelihoods(members, dict(zip(texts, scores, strict=True)))


def test_a_region_on_boundaries_is_the_sum_of_its_tokens():
    text = "the dog barked"
    scores = tokens((0, 3, -1), (3, 7, -2), (7, 12, -4), (12, 14, -8))
    found = region_scores([text], [scores], [(4, 7)])
    (one,) = found.likelihoods
    assert (one.total, one.n_tokens, one.n_characters) == (-2, 1, 3)
    assert not found.is_extended, "the blank in front of a word belongs to no region"
    behind = region_scores([text], [scores], [(8, 14)]).likelihoods[0]
    assert (behind.total, behind.n_tokens) == (-12, 2)
    assert behind.slln == pytest.approx(-12 / math.sqrt(2))


def test_a_region_grows_to_the_next_boundary_of_all_members():
    # 甲|乙丙|丁 and 甲乙|丙|丁: nothing ends alike before 丙 but the text's beginning
    first = tokens((0, 1, -1), (1, 3, -2), (3, 4, -4))
    second = tokens((0, 2, -1), (2, 3, -2), (3, 4, -4))
    found = region_scores(["甲乙丙丁", "甲乙丙戊"], [first, second], [(2, 3), (2, 3)])
    assert found.is_extended
    assert [one.total for one in found.likelihoods] == [-3, -3]
    assert [one.n_characters for one in found.likelihoods] == [3, 3]


def test_regions_at_different_places_grow_by_equal_steps():
    first = tokens((0, 1, -1), (1, 3, -2), (3, 4, -4))
    second = tokens((0, 1, -9), (1, 2, -1), (2, 4, -2), (4, 5, -4))
    found = region_scores(["甲乙丙丁", "子甲乙丙丁"], [first, second], [(2, 4), (3, 5)])
    assert [one.total for one in found.likelihoods] == [-6, -6]


def test_several_tokens_of_one_character_belong_together():
    scores = tokens((0, 1, -1), (1, 2, -1), (1, 2, -1), (1, 2, -1), (2, 3, -1))
    found = region_scores(["一二三"], [scores], [(1, 2)])
    assert (found.likelihoods[0].total, found.is_extended) == (-3, False)


def test_the_first_token_without_a_score_still_is_one_token():
    scores = tokens((2, 3, -1), (3, 4, -1))  # the first two characters were the first token
    found = region_scores(["一二三四"], [scores], [(1, 3)])
    assert found.is_extended
    assert (found.likelihoods[0].total, found.likelihoods[0].n_characters) == (-1, 3)


def test_undefined_and_refused():
    empty = TokenScores(np.array([], int), np.array([], int), np.array([]))
    assert math.isnan(region_scores([""], [empty], [(0, 0)]).likelihoods[0].slln)
    with pytest.raises(ValueError, match=r"region, got \(1, 5\); expected a part of 'abc'"):
        region_scores(["abc"], [tokens((0, 3, -1))], [(1, 5)])


def make_sentence_pieces(folder: Path) -> str:
    """Saves a tiny causal model whose tokenizer puts a blank in front of words, as ▁."""
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    from tokenizers import Tokenizer, models, pre_tokenizers

    known = ["▁the", "▁goat", "▁", "分词", *"分词goathebrkd"]
    pieces = [("<unk>", 0.0), ("<s>", 0.0), *((piece, -float(i)) for i, piece in enumerate(known))]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=0))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", unk_token="<unk>"
    ).save_pretrained(folder)
    tiny_llama(folder, len(pieces), num_hidden_layers=1, initializer_range=0.3)
    return str(folder)


@pytest.mark.parametrize("make", [make_byte_model, make_sentence_pieces])
def test_a_region_is_what_the_text_is_less_likely_by_than_its_beginning(make, tmp_path):
    """Whatever the tokens: bytes, three to a Chinese character, or pieces with their blank."""
    model = USERS.load("language_model", f"transformers:{make(tmp_path)}", start_token="always")
    text = "the goat 分词 bark"
    scores = model.predict([text])[0]
    for part in ("the", "goat", "分词", "bark"):
        start = text.index(part)
        end = start + len(part)
        ends = model.predict([text[:start].rstrip(), text[:end]])
        before, behind = (one.log_probabilities.sum() for one in ends)
        blank = make is make_byte_model and start > 0  # there the blank is a token of its own
        found = region_scores([text], [scores], [(start - blank, end)])
        assert not found.is_extended
        assert found.likelihoods[0].total == pytest.approx(behind - before, abs=1e-4)
