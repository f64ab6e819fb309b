"""Training scripts, unmodified, on the training views: those that a wheel ships are run here.

What scripts read that only a repository ships is repeated here; they themselves are run by hand,
see `examples/README.md`.
"""

import importlib
import json
import math
import runpy
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from datasets import ClassLabel, DatasetDict, List, Value, load_dataset

from builders.eras.views import read_sentence
from builders.sorts.writers import FORMATS
from builders.views import PARTS
from publish.export import json_lines, named_labels
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


def part_file(hub: Path, suite: str, config: str, part: str) -> Path:
    return hub / suite / config / f"{part}-00000-of-00001.parquet"


@pytest.mark.parametrize("kind", KINDS)
def test_multiple_choice_reads_the_json_files(hub: Path, tmp_path: Path, kind: str) -> None:
    """`run_swag.py` reads files named `.csv` or `.json` with train and validation.

    It joins `sent2` to `ending0` to `ending3`, and `label` is a number from 0.
    """
    files = {}
    for part in ("train", "validation"):
        columns = pq.read_table(part_file(hub, "centerbench", f"swag_{kind}", part)).to_pydict()
        files[part] = str(tmp_path / f"{part}.json")
        Path(files[part]).write_text(json_lines(columns), encoding="utf-8")
    data = load_dataset("json", data_files=files, cache_dir=str(tmp_path / "cache"))
    for rows in data.values():
        assert set(rows["label"]) == {0, 1, 2, 3}
        for row in rows.select(range(100)):
            assert row["sent1"].endswith(".")
            assert len({f"{row['sent2']} {row[f'ending{i}']}" for i in range(4)}) == 4


@pytest.mark.parametrize("kind", KINDS)
def test_summarization_finds_text_and_target(hub: Path, kind: str) -> None:
    """`run_summarization.py --text_column text --summary_column target` leaves out empty rows."""
    data = view(hub, "morphseg", f"text2text_{kind}")
    assert data["train"].column_names[:2] == ["text", "target"]
    for part in ("train", "validation"):
        for row in data[part].select(range(200)):
            assert row["text"]
            assert row["target"].replace(" ", "") == row["text"]


N_ROWS = 120  # spaCy drops a label that it meets less than 30 times on either side of its head
N_STEPS = 3
FEW = (
    ("centerbench", "messages_items"),
    ("centerbench", "completion_words"),
    ("centerbench", "preference_items"),
    ("eras", "similarity_items"),
    ("sorts", "parsing_items"),
)


@pytest.fixture(scope="module")
def few(hub: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a few rows of some views under their suites' names, and the tiny models."""
    from examples import tiny_models

    folder = tmp_path_factory.mktemp("scripts")
    for suite, config in FEW:
        (folder / suite / config).mkdir(parents=True)
        for part in PARTS:
            rows = pq.read_table(part_file(hub, suite, config, part)).slice(0, N_ROWS)
            pq.write_table(rows, part_file(folder, suite, config, part))
    for suite in {suite for suite, _ in FEW}:
        configs = [{"config_name": c, "data_dir": c} for owner, c in FEW if owner == suite]
        card = f"---\n{json.dumps({'configs': configs})}\n---\n"
        (folder / suite / "README.md").write_text(card, encoding="utf-8")
    tiny_models.main(["--data", str(hub), "--out", str(folder / "tiny")])
    return folder


@pytest.mark.parametrize(
    ("script", "config"),
    [("sft", "messages_items"), ("sft", "completion_words"), ("dpo", "preference_items")],
)
def test_trl(few: Path, monkeypatch: pytest.MonkeyPatch, script: str, config: str) -> None:
    """`trl sft` and `trl dpo` as its command line runs them."""
    module = importlib.import_module(f"trl.scripts.{script}")
    monkeypatch.chdir(few)
    arguments = (
        f"--model_name_or_path tiny/gpt --dataset_name centerbench --dataset_config {config}"
        f" --output_dir out/{config} --max_steps {N_STEPS} --per_device_train_batch_size 2"
        " --use_cpu --bf16 False --report_to none --logging_steps 1"
    )
    parser = module.make_parser()
    module.main(*parser.parse_args_and_config(arguments.split(), fail_with_unknown_args=False))
    state = few / "out" / config / f"checkpoint-{N_STEPS}" / "trainer_state.json"
    logged = json.loads(state.read_text(encoding="utf-8"))["log_history"]
    assert len(logged) == N_STEPS
    assert all(math.isfinite(step["loss"]) for step in logged)


def write_conllu(few: Path) -> None:
    """What `push.py export sorts --format conllu` writes of the few clauses."""
    features = load_dataset(str(few / "sorts"), "parsing_items")["train"].features
    for part in ("train", "validation"):
        table = pq.read_table(part_file(few, "sorts", "parsing_items", part))
        text = FORMATS["conllu"](named_labels(table, features))
        (few / f"{part}.conllu").write_text(text, encoding="utf-8")


def spacy_command(line: str, *more: str) -> None:
    import spacy.cli
    from typer.main import get_command

    get_command(spacy.cli.app)([*line.split(), *more], standalone_mode=False)


def test_spacy_train(few: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import spacy

    monkeypatch.chdir(few)
    write_conllu(few)
    for part in ("train", "validation"):
        spacy_command(f"convert {part}.conllu . -c conllu -n 10")
    spacy_command("init config spacy.cfg --lang de --pipeline parser --optimize efficiency --force")
    paths = ("--paths.train", "train.spacy", "--paths.dev", "validation.spacy")
    steps = ("--training.max_steps", str(N_STEPS), "--training.eval_frequency", str(N_STEPS))
    spacy_command("train spacy.cfg --output out/spacy", *paths, *steps)
    parser = spacy.load("out/spacy/model-last")
    assert {"nsubj", "obj"} <= set(parser.get_pipe("parser").labels)
    assert 0 <= parser.meta["performance"]["dep_las"] <= 1


SIZES = ("hidden", "deep_biaff_hidden", "word_emb", "char_emb", "char_hidden", "transformed")


def test_stanza_train(few: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from stanza.models import parser

    monkeypatch.chdir(few)
    write_conllu(few)
    arguments = (
        "--mode train --train_file train.conllu --eval_file validation.conllu --lang de"
        " --shorthand de_sorts --no_pretrain --word_cutoff 0 --batch_size 100 --cpu"
        f" --max_steps {N_STEPS} --eval_interval {N_STEPS} --save_dir out/stanza --num_layers 1"
    )
    sizes = [word for size in SIZES for word in (f"--{size}_dim", "8")]
    trainer, _ = parser.main([*arguments.split(), *sizes])
    assert {"nsubj", "obj"} <= set(trainer.vocab["deprel"])
    assert (few / "out" / "stanza" / "de_sorts_nopretrain_parser.pt").is_file()


def test_sentence_transformers_trainer(
    few: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(few)
    runpy.run_path(str(ROOT / "examples" / "train_similarity.py"))
    assert "train_loss" in capsys.readouterr().out
