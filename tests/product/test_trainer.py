"""`for_trainer` and `scalars`: from logits and label ids to the scores of `compute`."""

import json
import sys
from pathlib import Path

import datasets
import evaluate
import numpy as np
import pyarrow.parquet as pq
import pytest

from dataset_scripts.registry import split_table
from metrics._shared.module import HIDDEN, cut_words, generated_texts, tags_of_words, word_logits
from tests.conftest import ROOT
from tests.support.cases import cases, golden
from tests.support.processes import captured

# two pairs as rows of `eras`
PAIRS = golden("trainer/pairs")


def load(staged: Path, name: str) -> evaluate.Metric:
    return evaluate.load(str(staged / name))


def one_hot(ids: list[list[int]], n: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Logits that say these labels, and label ids, with a hidden position before and after."""
    logits = np.zeros((len(ids), width, n))
    labels = np.full((len(ids), width), HIDDEN)
    for i, row in enumerate(ids):
        for k, label in enumerate(row, 1):
            logits[i, k, label], labels[i, k] = 5.0, 0
    return logits, labels


def test_words_are_cut_at_b_and_s_and_after_e_and_s():
    words = ["他", "留心", "机动车", "。"]
    assert cut_words("".join(words), tags_of_words(words)) == words
    assert cut_words("abc", ["M", "E", "M"]) == ["ab", "c"]  # what no gold has is cut all the same


def test_a_sentence_that_is_cut_off_is_refused():
    logits, labels = one_hot([[0, 1]], 4, 5)
    with pytest.raises(ValueError, match="labelled positions, got 2; expected 3"):
        list(word_logits(logits, labels, [["a", "b", "c"]]))


def test_gper_finds_the_occluded_sentences_by_id(staged_metrics):
    gper = load(staged_metrics, "gper")
    scorer = gper.for_trainer(PAIRS, confidence=None)
    values = {  # log-odds by pair and sentence, put in another order below
        "04-00000": (-1.0, -2.0, -1.5, -1.6),
        "05-00000": (0.3, 1.0, 0.9, 1.1),
    }
    first = [row["id"] for row in scorer.inputs[:3]]
    assert first == [f"04-00000/{name}" for name in ("test", "control", "occluded_test")]
    flat = [value for row in values.values() for value in row]
    logits = np.stack([np.zeros(8), np.array(flat)], axis=1)
    got = scorer((logits, np.zeros(8)))
    given = {"predictions": list(values.values()), "references": [4, 5], "confidence": None}
    expected = gper.compute(**given, scale="logit")
    for name in ("occlusion_effect", "gper"):
        assert got[name] == pytest.approx(expected[name], nan_ok=True)
    shuffled = [scorer.inputs[i] for i in (5, 0, 3, 6, 1, 7, 2, 4)]
    other = gper.for_trainer(shuffled, confidence=None)
    assert other((logits[[5, 0, 3, 6, 1, 7, 2, 4]], None)) == pytest.approx(got, nan_ok=True)


def test_gper_says_which_sentence_is_missing(staged_metrics):
    gper = load(staged_metrics, "gper")
    scorer = gper.for_trainer(gper.for_trainer(PAIRS).inputs[:7])
    with pytest.raises(ValueError, match="pair 05-00000, got no occluded_control"):
        scorer((np.zeros((7, 2)), None))
    with pytest.raises(ValueError, match="predictions, got 3; expected 7"):
        scorer((np.zeros((3, 2)), None))
    with pytest.raises(ValueError, match="got 3 a row; expected 2"):
        scorer((np.zeros((7, 3)), None))


def test_garden_path_accuracy_reads_tags(staged_metrics):
    metric = load(staged_metrics, "garden_path_accuracy")
    scorer = metric.for_trainer(PAIRS, confidence=None)
    words = [row[f"{name}_words"] for row in PAIRS for name in ("test", "control")]
    words[0] = ["他", "留心", "机", "处理", "。"]  # led down the garden path
    ids = [["BMES".index(tag) for tag in tags_of_words(sentence)] for sentence in words]
    got = scorer(one_hot(ids, 4, 10))
    assert got["pair_accuracy"] == 0.5  # one of two pairs, one a paradigm
    assert got["garden_path_rate"] == 0.5


CLAUSE = {
    "tokens": ["Die", "Katze", "beobachtet", "eine", "Spitzmaus", "."],
    "heads": [2, 3, 0, 5, 3, 3],
    "deprels": ["det", "nsubj", "root", "det", "obj", "punct"],
    **{"subject": 1, "verb": 2, "object": 4, "id": "a"},
}


def test_roles_make_trees(staged_metrics):
    metric = load(staged_metrics, "subject_object_las")
    scorer = metric.for_trainer([CLAUSE, CLAUSE | {"id": "b"}], confidence=None)
    right, swapped = [3, 0, 2, 3, 1, 3], [3, 1, 2, 3, 0, 3]
    got = scorer(one_hot([right, swapped], 4, 8))
    assert (got["las"], got["uas"], got["swap_rate"]) == (0.5, 1.0, 0.5)


def test_choices_and_generated_answers(staged_metrics):
    table = split_table("centerbench", "questions_lite", "test").slice(0, 240)
    rows = [row for row in table.to_pylist() if row["question_type"] == "agent_identification"]
    metric = load(staged_metrics, "matched_pair_accuracy")
    scorer = metric.for_trainer(rows, task="choice", confidence=None)
    logits = np.full((len(rows), 8), 9.0)  # columns past a sentence's nouns do not count
    for i, row in enumerate(rows):
        nouns = [f"the {event['subject']}" for event in reversed(row["events"])]
        logits[i, : len(nouns)] = 0.0
        logits[i, nouns.index(row["answer"])] = 1.0
    assert scorer((logits, None))["accuracy"] == 1.0
    with pytest.raises(ValueError, match="task, got 'guess'"):
        metric.for_trainer(rows, task="guess")


def test_letters_and_texts_of_words(staged_metrics):
    rows = [{"morphemes": ["paper", "s"]}, {"morphemes": ["un", "do"]}]
    metric = load(staged_metrics, "morpheme_segmentation")
    ids = [["BMES".index(t) for t in tags_of_words(row["morphemes"])] for row in rows]
    ids[1] = [0, 1, 1, 2]  # undo as one morpheme
    got = metric.for_trainer(rows, confidence=None)(one_hot(ids, 4, 9))
    assert got["accuracy"] == 0.5


def scored_by_script(metric: evaluate.Metric, logits: np.ndarray, labels: np.ndarray) -> dict:
    """What `compute_metrics` of transformers' run_classification.py does for `--metric_name`."""
    result = metric.compute(predictions=np.argmax(logits, axis=1), references=labels)
    if len(result) > 1:
        result["combined_score"] = np.mean(list(result.values())).item()
    return result


def logits_of(labels: np.ndarray) -> np.ndarray:
    return np.eye(2)[labels]


def labels_of_view(hub: Path, suite: str, config: str, part: str) -> np.ndarray:
    (file,) = sorted((hub / suite / config).glob(f"{part}-*.parquet"))
    return pq.read_table(file, columns=["label"])["label"].to_numpy()


def test_gper_finds_the_rows_of_sentiment_labels(staged_metrics, hub, monkeypatch):
    monkeypatch.setenv("GARDEN_PATH_HUB", str(hub))
    metric = load(staged_metrics, "gper")
    labels = labels_of_view(hub, "eras", "sentiment_items", "validation")
    assert scored_by_script(metric, logits_of(labels), labels)["pair_accuracy"] == 1.0
    (file,) = (hub / "eras" / "sentiment_rows_items").glob("validation-*.parquet")
    is_test = np.array(pq.read_table(file)["condition"].to_pylist()) == "test"
    misled = np.where(is_test, 1 - labels, labels)
    got = scored_by_script(metric, logits_of(misled), labels)
    assert (got["test_accuracy"], got["control_accuracy"], got["difference"]) == (0.0, 1.0, 1.0)
    assert (got["n"], got["n_pairs"], got["pair_accuracy"]) == (len(labels), len(labels) // 2, 0.0)
    some = np.where(np.arange(len(labels)) % 5 == 0, 1 - labels, labels)
    got = scored_by_script(metric, logits_of(some), labels)
    assert got["pair_accuracy_low"] < got["pair_accuracy"] < got["pair_accuracy_high"]
    constant = scored_by_script(metric, logits_of(np.ones_like(labels)), labels)
    assert constant["pair_accuracy"] == constant["accuracy"] == labels.mean()
    with pytest.raises(ValueError, match="gper: references, got 64 labels, with which no view"):
        scored_by_script(metric, logits_of(labels[:64]), 1 - labels[:64])


def test_attachment_labels_have_the_scores_of_the_trees_that_they_mean(
    staged_metrics, hub, monkeypatch
):
    monkeypatch.setenv("GARDEN_PATH_HUB", str(hub))
    metric = load(staged_metrics, "pp_attachment_accuracy")
    labels = labels_of_view(hub, "pp_attachment", "attachment_items", "test")
    wrong = np.arange(len(labels)) % 4 == 0
    got = scored_by_script(metric, logits_of(np.where(wrong, 1 - labels, labels)), labels)
    rows = {row["id"]: row for row in split_table("pp_attachment", "lite", "test").to_pylist()}
    (file,) = (hub / "pp_attachment" / "parsing_items").glob("test-*.parquet")
    golds = [rows[one] for one in pq.read_table(file)["id"].to_pylist()]
    trees = []
    for gold, is_wrong in zip(golds, wrong, strict=True):
        heads = list(gold["heads"])
        if is_wrong:  # of a candidate of the other kind
            on_verb = gold["head"] == gold["verb"]
            other = [one for one in gold["candidates"] if (one == gold["verb"]) != on_verb]
            heads[gold["pp"]] = other[0] + 1
        trees.append({"heads": heads, "deprels": gold["deprels"]})
    wanted = metric.compute(predictions=trees, references=golds, scalars=True)
    scores = [name for name in wanted if name.startswith(("beyond", "contrast", "topology"))]
    assert 0.4 < got["beyond_order_pair_accuracy"] < 0.8
    assert {name: got[name] for name in scores} == pytest.approx({n: wanted[n] for n in scores})
    assert got["n_undecided"] == wanted["n_undecided"]


class Words:
    """A tokenizer that knows two words."""

    pad_token_id = 0

    def batch_decode(self, ids: np.ndarray, skip_special_tokens: bool) -> list[str]:
        assert skip_special_tokens
        return [{0: "", 1: "paper", 2: "s"}[row[0]] + f" {len(row)} " for row in ids.tolist()]


def test_hidden_positions_of_generated_texts_are_padding():
    ids = np.array([[1, 2, HIDDEN], [HIDDEN, HIDDEN, HIDDEN]])
    assert generated_texts(Words(), ids) == ["paper 3", "3"]
    with pytest.raises(ValueError, match="expected token ids: evaluate with predict_with_generate"):
        generated_texts(Words(), np.zeros((2, 3, 4)))


@pytest.mark.parametrize(*cases("trainer/scalars_are_numbers_only"))
def test_scalars_are_numbers_only(staged_metrics, name, given):
    metric = load(staged_metrics, name)
    whole, numbers = metric.compute(**given), metric.compute(**given, scalars=True)
    assert numbers
    assert all(type(value) in (int, float) for value in numbers.values())
    assert numbers == pytest.approx({key: whole[key] for key in numbers}, nan_ok=True)
    left = set(whole) - set(numbers)
    assert not any(type(whole[key]) in (int, float) for key in left)


def test_metrics_of_the_same_inputs_combine(staged_metrics):
    one, other = (load(staged_metrics, "gper") for _ in range(2))
    both = evaluate.combine({"first": one, "second": other})
    p = [[0.2, 0.6, 0.5, 0.6], [0.7, 0.6, 0.5, 0.1]]
    result = both.compute(predictions=p, references=[1, 2], scalars=True)
    assert result["first_gper"] == pytest.approx(result["second_gper"], nan_ok=True)


def test_metrics_of_other_inputs_say_why_they_do_not_combine(staged_metrics):
    modules = [load(staged_metrics, name) for name in ("gper", "garden_path_accuracy")]
    p = [[0.2, 0.6, 0.5, 0.6]]
    with pytest.raises(ValueError, match=r"garden_path_accuracy: predictions.*expected"):
        evaluate.combine(modules).compute(predictions=p, references=PAIRS[:1])


EVALUATE = """
import json, sys
import evaluate, torch
from transformers import AutoTokenizer, BertForTokenClassification, Trainer, TrainingArguments
from transformers import DataCollatorForTokenClassification
from examples.tiny_models import tiny_bert
staged, model, rows, out = sys.argv[1:]
tokenizer = AutoTokenizer.from_pretrained(model)
rows = json.load(open(rows))
scorer = evaluate.load(staged).for_trainer(rows, tokenizer, confidence=None)
torch.manual_seed(0)
network = BertForTokenClassification(tiny_bert(len(tokenizer), num_labels=4))
arguments = TrainingArguments(out, per_device_eval_batch_size=4, use_cpu=True, report_to=[])
trainer = Trainer(
    network, arguments, eval_dataset=scorer.dataset, compute_metrics=scorer,
    data_collator=DataCollatorForTokenClassification(tokenizer),
)
found = trainer.evaluate()
if trainer.is_world_process_zero():
    kept = {k: v for k, v in found.items() if "accuracy" in k or "rate" in k}
    print("FOUND", json.dumps(kept))
"""


@pytest.mark.clock
@pytest.mark.slow
def test_two_processes_give_the_number_of_one(staged_metrics, tmp_path):
    from examples.tiny_models import save_tokenizer

    table = split_table("eras", "simplified_lite", "test", {"size": 390})
    columns = [name for name in PAIRS[0] if name in table.column_names]
    rows = table.select(columns).slice(0, 39).to_pylist()  # not a multiple of two batches
    (tmp_path / "rows.json").write_text(json.dumps(rows), encoding="utf-8")
    save_tokenizer(tmp_path / "model", [row["test"] for row in rows])
    script = tmp_path / "evaluate_tiny.py"
    script.write_text(EVALUATE, encoding="utf-8")
    found = []
    for n in (1, 2):
        launch = ["-m", "accelerate.commands.launch", "--cpu", "--num_processes", str(n)]
        launch += ["--num_machines", "1", "--mixed_precision", "no", "--dynamo_backend", "no"]
        command = [sys.executable, *launch, str(script)]
        paths = [staged_metrics / "garden_path_accuracy", tmp_path / "model"]
        paths += [tmp_path / "rows.json", tmp_path / f"out{n}"]
        kept = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "HF_HUB_OFFLINE": "1"}
        run = captured([*command, *map(str, paths)], cwd=ROOT, env=kept)
        assert run.returncode == 0, run.stderr[-2000:]
        line = next(line for line in run.stdout.splitlines() if line.startswith("FOUND"))
        found.append(json.loads(line.removeprefix("FOUND ")))
    assert found[0] == found[1]
    assert 0 <= found[0]["eval_word_accuracy"] <= 1


def test_subwords_are_aligned(staged_metrics, tmp_path):
    """A word of several subwords has one label, on the first; a perfect model scores 1."""
    from examples.tiny_models import save_tokenizer

    tokenizer = save_tokenizer(tmp_path / "model", ["Die Katze . eine Maus Spitz be obachtet"], 40)
    metric = load(staged_metrics, "subject_object_las")
    scorer = metric.for_trainer([CLAUSE], tokenizer, confidence=None)
    labels = np.array([scorer.dataset[0]["labels"]])
    assert len(labels[0]) > len(CLAUSE["tokens"]) + 2  # some words are several subwords
    assert (labels != HIDDEN).sum() == len(CLAUSE["tokens"])
    logits = np.eye(4)[np.where(labels == HIDDEN, 3, labels)]
    assert scorer((logits, labels))["las"] == 1.0


def test_spans_of_the_sentence_are_answers(staged_metrics, tmp_path):
    from examples.tiny_models import save_tokenizer

    table = split_table("centerbench", "questions_lite", "test").slice(0, 120)
    rows = [row for row in table.to_pylist() if row["question_type"] == "agent_identification"]
    tokenizer = save_tokenizer(tmp_path / "model", [row["sentence"] for row in rows], 200)
    metric = load(staged_metrics, "matched_pair_accuracy")
    scorer = metric.for_trainer(rows, tokenizer, task="span", confidence=None)
    width = max(map(len, scorer.dataset["input_ids"]))
    start, end = np.zeros((len(rows), width)), np.zeros((len(rows), width))
    for i, row in enumerate(scorer.dataset):
        start[i, row["start_positions"]] = end[i, row["end_positions"]] = 5.0
    assert scorer(((start, end), None))["accuracy"] == 1.0


def test_rows_of_different_lengths_pass_a_data_loader_as_the_card_says():
    loader = pytest.importorskip("torch.utils.data", reason="torch is not installed").DataLoader
    rows = datasets.Dataset.from_list([{"heads": [2, 0]}, {"heads": [0]}, {"heads": [2, 0, 2]}])
    card = (ROOT / "cards" / "datasets" / "sorts.md").read_text(encoding="utf-8")
    assert "DataLoader(ds, batch_size=8, collate_fn=list)" in card
    batches = list(loader(rows, batch_size=2, collate_fn=list))
    assert batches == [[rows[0], rows[1]], [rows[2]]]
    with pytest.raises(RuntimeError, match="equal size"):
        list(loader(rows, batch_size=2))
