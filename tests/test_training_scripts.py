"""Training scripts, unmodified, on the training views: those that a wheel ships are run here.

What scripts read that only a repository ships stands in CONTRACTS: they are run by hand, see
`examples/README.md`, and their reading of a data set is repeated here.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from datasets import ClassLabel, DatasetDict, List, Value, load_dataset

from builders.eras.views import read_sentence
from tests.conftest import ROOT

KINDS = ("items", "words", "constructions")
TEXTS = Value("string")


def view(hub: Path, suite: str, config: str) -> DatasetDict:
    return load_dataset(str(hub / suite), config)


def text_column(names: list[str]) -> str:
    """What `run_mlm.py` and `run_clm.py` (transformers 4.57 to 5) take for the text."""
    return "text" if "text" in names else names[0]


@pytest.mark.parametrize("kind", KINDS)
def test_language_modelling_sees_sentences_and_not_ids(hub: Path, kind: str) -> None:
    data = view(hub, "eras", f"lm_{kind}")
    assert set(data) == {"train", "validation", "test"}
    name = text_column(data["train"].column_names)
    for text in data["train"][name][:200]:
        assert read_sentence(text)  # a sentence of a template, as no id is


@pytest.mark.parametrize("suite", ["eras", "sorts", "centerbench", "morphseg"])
def test_the_first_column_of_every_view_is_text(hub: Path, suite: str) -> None:
    from dataset_scripts.registry import suite_builder

    for config in suite_builder(suite).BUILDER_CONFIGS:
        if config.is_training and (hub / suite / config.name).is_dir():
            first = next(iter(config.features))
            row = load_dataset(str(hub / suite), config.name, split="validation")[0]
            assert first not in ("id", "label")
            text = row[first]
            text = text[0]["content"] if first == "messages" else "".join(text)
            assert len(text) > 2
            assert not text.startswith(("items-", "words-", "constructions-"))


@pytest.mark.parametrize(
    ("suite", "config"), [("eras", "segmentation"), ("sorts", "roles"), ("morphseg", "tags")]
)
@pytest.mark.parametrize("kind", KINDS)
def test_token_classification_finds_its_columns(
    hub: Path, suite: str, config: str, kind: str
) -> None:
    """`run_ner.py` reads train and validation, lists of texts, and a list of class labels."""
    data = view(hub, suite, f"{config}_{kind}")
    features = data["train"].features
    assert features["tokens"] == List(TEXTS)
    assert isinstance(features["tags"].feature, ClassLabel)
    assert all(isinstance(label, int) for label in data["validation"][0]["tags"])


@pytest.mark.parametrize("kind", KINDS)
def test_glue_finds_a_label_and_one_sentence_column(hub: Path, kind: str) -> None:
    """`run_glue.py` takes all columns but `label` for sentences, two at most."""
    data = view(hub, "eras", f"sentiment_{kind}")
    names = [name for name in data["train"].column_names if name != "label"]
    assert names == ["text"]
    assert data["train"].features["label"].names == ["negative", "positive"]


@pytest.mark.parametrize("kind", KINDS)
def test_extractive_answers_are_those_of_squad(hub: Path, kind: str) -> None:
    """`run_qa.py` reads `question`, `context`, `answers` with both lists, and `id`."""
    row = view(hub, "centerbench", f"squad_{kind}")["train"][0]
    (text,), (start,) = row["answers"]["text"], row["answers"]["answer_start"]
    assert row["context"][start : start + len(text)] == text
    assert row["question"].endswith("?")
    assert row["id"]


@pytest.mark.parametrize("kind", KINDS)
def test_multiple_choice_has_the_columns_of_swag(hub: Path, kind: str) -> None:
    """`run_swag.py` reads `sent1`, `sent2`, `ending0` to `ending3` and a `label` from 0."""
    data = view(hub, "centerbench", f"swag_{kind}")["train"]
    assert set(data["label"]) == {0, 1, 2, 3}
    assert all(data[0][name] for name in ("sent1", "sent2", "ending0", "ending3"))


@pytest.mark.parametrize("kind", KINDS)
def test_summarization_finds_text_and_target(hub: Path, kind: str) -> None:
    """`run_summarization.py --text_column text --summary_column target`."""
    row = view(hub, "morphseg", f"text2text_{kind}")["train"][0]
    assert row["target"].replace(" ", "") == row["text"]


def run_script(hub: Path, folder: Path, *arguments: str) -> str:
    """Runs a module of a wheel where the suites lie; gives what it printed."""
    for suite in hub.iterdir():
        if not (folder / suite.name).exists():
            (folder / suite.name).symlink_to(suite)
    offline = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(folder / "home"), "OMP_NUM_THREADS": "1"}
    run = subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=folder,
        env={**os.environ, **offline, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, (run.stdout + run.stderr)[-3000:]
    return run.stdout + run.stderr


TRL = (
    *("--model_name_or_path", "tiny/gpt", "--max_steps", "20", "--use_cpu", "--report_to", "none"),
    *("--per_device_train_batch_size", "2", "--dataset_name", "centerbench", "--bf16", "False"),
)


@pytest.fixture(scope="module")
def tiny(hub: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tiny models of `examples/tiny_models.py`."""
    folder = tmp_path_factory.mktemp("scripts")
    run_script(hub, folder, "examples.tiny_models", "--data", str(hub), "--out", "tiny")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("config", ["messages_items", "completion_words"])
def test_trl_sft(hub: Path, tiny: Path, config: str) -> None:
    arguments = (*TRL, "--dataset_config", config, "--output_dir", f"out-{config}")
    assert "train_loss" in run_script(hub, tiny, "trl.scripts.sft", *arguments)


@pytest.mark.slow
def test_trl_dpo(hub: Path, tiny: Path) -> None:
    arguments = (*TRL, "--dataset_config", "preference_items", "--output_dir", "out-dpo")
    assert "train_loss" in run_script(hub, tiny, "trl.scripts.dpo", *arguments)


@pytest.mark.slow
def test_spacy_train(hub: Path, tiny: Path) -> None:
    from publish.export import export

    for split, name in (("train", "train"), ("validation", "dev")):
        text = export("sorts", "conllu", "parsing_items", split)
        clauses = text.split("\n\n")[:200]
        (tiny / f"{name}.conllu").write_text("\n\n".join(clauses) + "\n\n", encoding="utf-8")
        run_script(hub, tiny, "spacy", "convert", f"{name}.conllu", ".", "-c", "conllu", "-n", "10")
    setting = ("--lang", "de", "--pipeline", "parser", "--optimize", "efficiency", "--force")
    run_script(hub, tiny, "spacy", "init", "config", "spacy.cfg", *setting)
    paths = ("--paths.train", "train.spacy", "--paths.dev", "dev.spacy")
    steps = ("--training.max_steps", "20", "--training.eval_frequency", "20")
    printed = run_script(hub, tiny, "spacy", "train", "spacy.cfg", *paths, *steps)
    assert "DEP_LAS" in printed


@pytest.mark.slow
def test_sentence_transformers_trainer(hub: Path, tiny: Path) -> None:
    code = (ROOT / "examples" / "train_similarity.py").read_text(encoding="utf-8")
    (tiny / "train_similarity.py").write_text(code, encoding="utf-8")
    assert "train_loss" in run_script(hub, tiny, "train_similarity")
