"""Metrics that ask a model themselves: by name, as a function; answers by id and from a file."""

import json
from pathlib import Path

import evaluate
import pytest

from dataset_scripts.registry import split_table
from metrics._shared.language_models import load_scorer
from metrics.minimal_pair_preference.members import likelihoods, measures
from tests.support.tiny_models import make_byte_model, make_masked_model


def loaded(staged_metrics: Path, name: str) -> object:
    return evaluate.load(str(staged_metrics / name))


def test_a_language_model_is_scored_by_its_name(staged_metrics, tmp_path):
    folder, metric = make_byte_model(tmp_path), loaded(staged_metrics, "minimal_pair_preference")
    for suite, config in (("sorts", "pairs"), ("morphseg", "pairs")):
        rows = split_table(suite, config, "test").slice(0, 40)
        result = metric.compute(model_id=folder, references=rows)
        scorer, given = load_scorer(folder), {"predictions": [], "n_tokens": []}
        for members in (measures(row)["whole"] for row in rows.to_pylist()):
            texts = [member.text for member in members]
            scores = likelihoods(members, dict(zip(texts, scorer(texts), strict=True))).likelihoods
            given["predictions"].append([one.total for one in scores])
            given["n_tokens"].append([one.n_tokens for one in scores])
        expected = metric.compute(**given, references=rows)
        for name in ("accuracy", "effect", "accuracy_slln", "effect_low"):
            # float32: batches of other sizes add in another order, up to 1e-5 of a sum
            assert result[name] == pytest.approx(expected[name], abs=1e-5, nan_ok=True)
        assert result["dtype"] == "float32"
        assert f"system:{folder}" in result["signature"]


def test_every_config_for_language_models_has_measures(staged_metrics, tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)  # no waiting for no/such
    folder, metric = make_byte_model(tmp_path), loaded(staged_metrics, "minimal_pair_preference")
    eras = split_table("eras", "pairs", "test").slice(0, 6)
    effects = {
        name: metric.compute(model_id=folder, references=eras, measure=name)["effect"]
        for name in ("after", "site", "total")
    }
    assert len(set(effects.values())) == 3
    assert metric.compute(model_id=folder, references=eras)["effect"] == effects["after"]
    for suite, config in (("centerbench", "pairs"), ("pp_attachment", "pairs")):
        rows = split_table(suite, config, "test").slice(0, 6)
        assert 0 <= metric.compute(model_id=folder, references=rows)["accuracy"] <= 1
    with pytest.raises(ValueError, match="measure, got 'before'; expected one of after, site"):
        metric.compute(model_id=folder, references=eras, measure="before")
    with pytest.raises(ValueError, match="model_id, got it and predictions; expected one"):
        metric.compute(model_id=folder, predictions=[[-1, -2]], references=eras)
    with pytest.raises(ValueError, match="transformers:no/such: model, got"):
        metric.compute(model_id="no/such", references=eras)


def test_a_masked_model_is_told_by_its_configuration(staged_metrics, tmp_path):
    folder, metric = make_masked_model(tmp_path), loaded(staged_metrics, "minimal_pair_preference")
    rows = [
        {"grammatical": "the dogs barked", "violated": "the dog bark", **told}
        for told in ({"construction": "number", "cluster": name} for name in "ab")
    ]
    assert load_scorer(str(folder)).told == "within-word left-to-right"
    result = metric.compute(model_id=str(folder), references=rows, confidence=None)
    assert result["n"] == 2
    assert result["effect"] != 0


def test_a_segmenter_is_scored_as_a_function(staged_metrics):
    metric = loaded(staged_metrics, "garden_path_accuracy")
    rows = split_table("eras", "simplified_lite", "test").slice(0, 60)
    asked = []

    def by_character(sentence: str) -> list[str]:
        asked.append(sentence)
        return list(sentence)

    result = metric.compute(model=by_character, references=rows)
    words = [[list(row["test"]), list(row["control"])] for row in rows.to_pylist()]
    assert result == metric.compute(predictions=words, references=rows)
    assert len(asked) == len(set(asked))
    with pytest.raises(ValueError, match="model, got 'jieba'; expected a function of a text"):
        metric.compute(model="jieba", references=rows)


def test_answers_come_from_a_function_by_id_or_from_a_file(staged_metrics, tmp_path):
    metric = loaded(staged_metrics, "matched_pair_accuracy")
    rows = split_table("centerbench", "questions_lite", "test").slice(0, 60).to_pylist()
    answers = [row["answer"] if i % 3 else "nothing" for i, row in enumerate(rows)]
    expected = metric.compute(predictions=answers, references=rows)
    assert 0 < expected["accuracy"] < 1

    by_prompt = {
        f"{row['sentence']}\nQuestion: {row['question']}\nAnswer:": answer
        for row, answer in zip(rows, answers, strict=True)
    }
    by_id = {row["id"]: answer for row, answer in zip(rows, answers, strict=True)}
    records = [{"id": name, "answer": answer} for name, answer in reversed(by_id.items())]
    files = {
        "object.json": json.dumps(by_id),
        "records.json": json.dumps(records),
        "records.jsonl": "".join(f"{json.dumps(record)}\n" for record in records),
        "array.json": json.dumps(answers),
        "lines.txt": "\n".join(answers) + "\n",
    }
    given = [{"model": by_prompt.__getitem__}, {"predictions": by_id}]
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        given += [{"predictions": tmp_path / name}, {"predictions": str(tmp_path / name)}]
    for one in given:
        found = metric.compute(**one, references=rows)
        assert found["accuracy"] == expected["accuracy"], one
    some = dict(list(by_id.items())[:-2])
    assert metric.compute(predictions=some, references=rows)["n_missing"] == 2
    with pytest.raises(ValueError, match="id, got 'x', and 1 in all that no row has; expected"):
        metric.compute(predictions=by_id | {"x": "y"}, references=rows)
    (tmp_path / "short.txt").write_text("one\n", encoding="utf-8")
    with pytest.raises(ValueError, match="got 1 answers; expected 60, or ids"):
        metric.compute(predictions=tmp_path / "short.txt", references=rows)


def test_rows_of_morphseg_are_their_golds(staged_metrics):
    metric = loaded(staged_metrics, "morpheme_segmentation")
    table = split_table("morphseg", "synthetic", "pool").slice(0, 50)
    told = (text.split(" | ") for text in table["alternatives"].to_pylist())
    golds = [[one.split(" ") for one in texts] for texts in told]
    predictions = [list(word) for word in table["word"].to_pylist()]
    expected = metric.compute(predictions=predictions, references=golds)
    assert metric.compute(predictions=predictions, references=table) == expected
    rows = [{"morphemes": row["morphemes"]} for row in table.to_pylist()]
    assert metric.compute(predictions=table["morphemes"], references=rows)["f1"] == 1
