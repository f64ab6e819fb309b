"""The Transformer segmenter trained here: tiny encoders that learn for seconds."""

import itertools
from pathlib import Path

import numpy as np
import pytest

from research.systems.registry import load
from research.systems.segmenters import encoder_segmenter
from research.systems.segmenters.encoder_segmenter import (
    STATE,
    EncoderSchedule,
    EncoderTraining,
    Learner,
    read_name,
    tagged,
    tagged_text,
)
from research.systems.segmenters.encoder_texts import EncoderTexts, TrainingText, pieces_of

WORDS = [["我们", "走", "了"], ["他们", "来", "了", "。"], ["我", "来"]] * 20
SCHEDULE = EncoderSchedule(pretraining_steps=4, steps=8, n_tokens=256, hidden_size=48)


def training(folder: Path) -> EncoderTraining:
    """A tiny training on one standard with a word list and one without."""
    gold = [TrainingText("msr", WORDS, ["咱们", "你们"]), TrainingText("daily", WORDS, [])]
    return EncoderTraining(EncoderTexts(gold, ["来了"], {"msr": WORDS[:3]}), SCHEDULE, folder)


def test_a_stopped_training_goes_on_to_the_same_weights(tmp_path, monkeypatch):
    pytest.importorskip("torch")
    whole = training(tmp_path / "whole").model("msr", 1)
    step = Learner._make_step

    def stops(self: Learner, batch: dict[str, np.ndarray]) -> object:
        if self.step == 6:
            raise KeyboardInterrupt
        return step(self, batch)

    monkeypatch.setattr(encoder_segmenter, "SAVED_EVERY", 2)
    monkeypatch.setattr(Learner, "_make_step", stops)
    stopped = training(tmp_path / "stopped")
    with pytest.raises(KeyboardInterrupt):
        stopped.model("msr", 1)
    assert list((tmp_path / "stopped").glob(f"*/{STATE}"))
    monkeypatch.setattr(Learner, "_make_step", step)
    resumed = stopped.model("msr", 1)
    files = [path / "model.safetensors" for path in (whole, resumed)]
    assert files[0].read_bytes() == files[1].read_bytes()
    assert not list((tmp_path / "stopped").glob(f"*/{STATE}"))
    segmenter = load("segmenter", f"transformers:{resumed}")
    assert ["".join(words) for words in segmenter.predict(["我们来了", "走"])] == ["我们来了", "走"]


def test_words_give_way_to_those_of_the_list_and_tags_stay(tmp_path):
    pytest.importorskip("torch")
    made = training(tmp_path)
    text = tagged_text(made.texts.gold[0], made.tokenizer)
    batches = list(itertools.islice(tagged([text], made.tokenizer, 256, 1), 6))
    seen = {i for batch in batches for i in batch["input_ids"].ravel().tolist()}
    known = made.tokenizer.get_vocab()
    assert known["[msr]"] in seen
    assert known["[UNK]"] in seen  # 咱 and 你 are in no text, and some tokens are made unknown
    again = next(tagged([text], made.tokenizer, 256, 1, start=4))
    assert all(np.array_equal(again[name], batches[4][name]) for name in again)


def test_pieces_are_of_whole_sentences_where_they_fit():
    # what stood on both sides of a word that is left out does not meet
    words = ["好", "。", "我们", "走走走", "x" * 9, "a"]
    assert list(pieces_of(words, 4)) == [["好", "。", "我们"], ["走走走"], ["a"]]


def test_a_name_is_a_standard_and_perhaps_a_seed():
    assert read_name("as") == ("as", 1)
    assert read_name("cityu/3") == ("cityu", 3)
    with pytest.raises(ValueError, match=r"encoder, got 'ctb/1'; expected STANDARD or"):
        read_name("ctb/1")


def test_a_diverged_training_leaves_no_model(tmp_path, monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(Learner, "_make_step", lambda self, batch: torch.tensor(float("nan")))
    with pytest.raises(ValueError, match="loss, got nan; expected a finite one"):
        training(tmp_path).model("msr", 1)
    assert not list(tmp_path.glob("*/record.json"))
