"""Regions of texts: which tokens belong, where a region grows, what of it is reported."""

import math
from pathlib import Path

import numpy as np
import pytest

from garden_path.models.registry import USERS
from metrics._shared.language_models import TokenScores
from metrics.minimal_pair_preference.members import Likelihood, RegionScores, Stretch, likelihoods
from tests.support.cases import cases
from tests.support.tiny_models import make_byte_model, tiny_llama


def tokens(spans: list[list[float]]) -> TokenScores:
    starts, ends, values = np.array(spans, float).reshape(-1, 3).T
    return TokenScores(starts.astype(int), ends.astype(int), values)


def region_scores(texts, scores, regions) -> RegionScores:
    members = [Stretch(text, *region) for text, region in zip(texts, regions, strict=True)]
    return likelihoods(members, dict(zip(texts, scores, strict=True)))


@pytest.mark.parametrize(*cases("regions/members_of_a_pair"))
def test_members_of_a_pair(texts, spans, regions, totals, n_tokens, n_characters, is_extended):
    found = region_scores(texts, map(tokens, spans), regions)
    assert [one.total for one in found.likelihoods] == totals
    assert [one.n_tokens for one in found.likelihoods] == n_tokens
    assert [one.n_characters for one in found.likelihoods] == n_characters
    assert found.is_extended == is_extended


def test_a_mean_of_no_token_is_undefined():
    assert Likelihood(-12, 2, 6).slln == pytest.approx(-12 / math.sqrt(2))
    assert math.isnan(region_scores([""], [tokens([])], [(0, 0)]).likelihoods[0].slln)


def test_a_region_outside_its_text_is_refused():
    with pytest.raises(ValueError, match=r"region, got \(1, 5\); expected a part of 'abc'"):
        region_scores(["abc"], [tokens([[0, 3, -1]])], [(1, 5)])


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
