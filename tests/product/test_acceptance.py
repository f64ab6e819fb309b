"""Every tool, unmodified: a table of tool and view, each at the version that constraints.txt pins.
What a tool is asked is in its own words (a command line, or the few lines of its tutorial), on rows
as they are built; a tool that is not installed is skipped by name. The rows without `slow` are in
`make test`, all in `make slow`. Training scripts that no wheel ships are run by hand, see
`examples/README.md`; lm-eval, inspect-ai and lighteval have tests of their own."""

import importlib
import importlib.metadata
import json
import math
import runpy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import datasets
import pyarrow.parquet as pq
import pytest
from datasets import DatasetDict, IterableDataset, load_dataset

from builders.sorts.writers import FORMATS
from builders.views import PARTS
from publish.hub.export import named_labels
from tests.conftest import ROOT

N_ROWS = 120  # spaCy drops a label that it meets less than 30 times on either side of its head
N_STEPS = 3
VIEWS = {
    "centerbench": ["messages_items", "completion_words", "preference_items", "solution_items"],
    "eras": ["similarity_items", "sentiment_items", "segmentation_items", "lm_items"],
    "sorts": ["parsing_items"],
    "morphseg": ["tags_items", "text2text_items"],
    "pp_attachment": ["attachment_items"],
}


@pytest.fixture(scope="module")
def few(hub: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a few rows of some views under their suites' names, and a cache of its own."""
    folder = tmp_path_factory.mktemp("tools")
    for suite, configs in VIEWS.items():
        for config in configs:
            (folder / suite / config).mkdir(parents=True)
            for part in PARTS:
                source = sorted((hub / suite / config).glob(f"{part}-*.parquet"))[0]
                rows = pq.read_table(source).slice(0, N_ROWS)
                pq.write_table(rows, folder / suite / config / f"{part}-00000-of-00001.parquet")
        told = [{"config_name": config, "data_dir": config} for config in configs]
        card = f"---\n{json.dumps({'configs': told})}\n---\n"
        (folder / suite / "README.md").write_text(card, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def trained(few: Path, hub: Path) -> Path:
    """The same with the tiny models of `examples`, for the tools that train."""
    from examples import tiny_models

    tiny_models.main(["--data", str(hub), "--out", str(few / "tiny")])
    return few


def read(suite: str, config: str) -> DatasetDict:
    found: DatasetDict = load_dataset(suite, config)
    return found


def file_of(suite: str, config: str, part: str = "train") -> str:
    return f"{suite}/{config}/{part}-00000-of-00001.parquet"


# --- tools that read
def stream(suite: str, config: str) -> None:
    rows: IterableDataset = load_dataset(suite, config, split="train", streaming=True)
    assert len(list(rows.shuffle(seed=0, buffer_size=16).take(64))) == 64


def frame(suite: str, config: str) -> None:
    import pandas

    found = pandas.read_parquet(file_of(suite, config))
    assert found.groupby("label").size().min() > N_ROWS / 4  # the first rows are a sample


def lazy_frame(suite: str, config: str) -> None:
    import polars

    rows = polars.scan_parquet(file_of(suite, config)).select(polars.col("tags").list.len())
    assert rows.collect().height == N_ROWS


def sql(suite: str, config: str) -> None:
    import duckdb

    asked = f"select count(distinct label) from '{file_of(suite, config)}'"
    assert duckdb.sql(asked).fetchall() == [(2,)]


def batches(suite: str, config: str) -> None:
    from torch.utils.data import DataLoader

    rows = read(suite, config)["train"]
    loader: Any = DataLoader(rows, batch_size=16)  # type: ignore[arg-type]  # a Dataset has length and items
    assert set(next(iter(loader))) == set(rows.column_names)


def classify_words(suite: str, config: str) -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    rows = read(suite, config)["train"]
    model = make_pipeline(TfidfVectorizer(analyzer="char"), LogisticRegression())
    model.fit(rows["text"], rows["label"])
    assert 0.5 < model.score(rows["text"], rows["label"]) <= 1


# --- tools that train
def finite(folder: Path, n: int = N_STEPS) -> list[dict[str, float]]:
    """What a Trainer logged, a record a step, with a loss that is a number."""
    text = (folder / f"checkpoint-{n}" / "trainer_state.json").read_text(encoding="utf-8")
    logged = [step for step in json.loads(text)["log_history"] if "loss" in step]
    assert len(logged) == n
    assert all(math.isfinite(step["loss"]) for step in logged)
    return logged


def trl(script: str, *more: str, steps: int = N_STEPS) -> Callable[[str, str], None]:
    """`trl SCRIPT` as its command line runs it."""

    def run(suite: str, config: str) -> None:
        module = importlib.import_module(f"trl.scripts.{script}")
        out = Path("out") / f"{script}-{config}"
        model = "tiny/bert" if script == "reward" else "tiny/gpt"
        arguments = (
            f"--model_name_or_path {model} --dataset_name {suite} --dataset_config {config}"
            f" --output_dir {out} --max_steps {steps} --per_device_train_batch_size 2"
            " --use_cpu --bf16 False --report_to none --logging_steps 1"
        )
        parser = module.make_parser()
        given = [*arguments.split(), *more]
        module.main(*parser.parse_args_and_config(given, fail_with_unknown_args=False))
        finite(out, steps)

    return run


def grpo(suite: str, config: str) -> None:
    """`trl grpo` gives every column but the completion to the reward, `solution` among them."""
    import garden_path.rewards as rewards

    given: list[tuple[list[str], list[str]]] = []
    reward = rewards.answer_reward

    def watched(completions: list[str], solution: list[str], **columns: object) -> list[float]:
        given.append((completions, solution))
        assert "prompts" in columns
        return reward(completions, solution, **columns)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rewards, "answer_reward", watched)
        trl(
            "grpo",
            *("--reward_funcs", "garden_path.rewards.answer_reward", "--num_generations", "2"),
            *("--max_completion_length", "8"),
            steps=2,
        )(suite, config)
    answers = set(read(suite, config)["train"]["solution"])
    assert len(given) == 2
    assert all(len(texts) == len(golds) and set(golds) <= answers for texts, golds in given)


def trainer(task: str, model: str) -> Callable[[str, str], None]:
    """transformers' Trainer with the collator of the task."""

    def run(suite: str, config: str) -> None:
        import transformers as hf

        tokenizer = hf.AutoTokenizer.from_pretrained(f"tiny/{model}")
        rows = read(suite, config)["train"]
        has_tags = task == "TokenClassification"
        sizes = {"num_labels": rows.features["tags"].feature.num_classes} if has_tags else {}
        network = getattr(hf, f"AutoModelFor{task}").from_pretrained(f"tiny/{model}", **sizes)

        def encode(row: dict[str, Any]) -> dict[str, Any]:
            if has_tags:
                found = tokenizer(row["tokens"], truncation=True, is_split_into_words=True)
                own = [-100 if one is None else row["tags"][one] for one in found.word_ids()]
                return {**found, "labels": own}
            found = tokenizer(row["text"], truncation=True)
            if "target" in row:
                return {**found, "labels": tokenizer(row["target"])["input_ids"]}
            return {**found, "labels": row["label"]} if "label" in row else dict(found)

        collators = {
            "TokenClassification": lambda: hf.DataCollatorForTokenClassification(tokenizer),
            "SequenceClassification": lambda: hf.DataCollatorWithPadding(tokenizer),
            "Seq2SeqLM": lambda: hf.DataCollatorForSeq2Seq(tokenizer, network),
            "MaskedLM": lambda: hf.DataCollatorForLanguageModeling(tokenizer),
            "CausalLM": lambda: hf.DataCollatorForLanguageModeling(tokenizer, mlm=False),
        }
        out = Path("out") / task
        how = {"use_cpu": True, "report_to": [], "logging_steps": 1}
        arguments = hf.TrainingArguments(str(out), max_steps=N_STEPS, **how)
        encoded = rows.map(encode, remove_columns=rows.column_names)
        hf.Trainer(network, arguments, collators[task](), encoded).train()
        finite(out)

    return run


def nearest(suite: str, config: str) -> None:
    runpy.run_path(str(ROOT / "examples" / "train_similarity.py"))


def cross_encoder(suite: str, config: str) -> None:
    import sentence_transformers.cross_encoder as ce

    rows = read(suite, config)["train"]
    n = rows.features["label"].num_classes
    model = ce.CrossEncoder("tiny/bert", num_labels=n, device="cpu")
    loss = ce.losses.CrossEntropyLoss(model)
    arguments = ce.CrossEncoderTrainingArguments(
        "out/cross", max_steps=N_STEPS, use_cpu=True, report_to=[], logging_steps=1
    )
    ce.CrossEncoderTrainer(model, arguments, train_dataset=rows, loss=loss).train()
    finite(Path("out/cross"))


def few_shot(suite: str, config: str) -> None:
    import setfit

    rows = read(suite, config)["train"].select(range(16))
    model = setfit.SetFitModel.from_pretrained("tiny/bert-zh")
    arguments = setfit.TrainingArguments(max_steps=N_STEPS, batch_size=4)
    setfit.Trainer(model, arguments, train_dataset=rows).train()
    assert len(model.predict(rows["text"][:4])) == 4


def low_rank(suite: str, config: str) -> None:
    trl("sft", "--use_peft", "--lora_r", "2", "--lora_target_modules", "all-linear")(suite, config)


def write_conllu(suite: str, config: str) -> None:
    """What `push.py export sorts --format conllu` writes of the few clauses."""
    found = read(suite, config)
    for part in ("train", "validation"):
        table = pq.read_table(file_of(suite, config, part))
        text = FORMATS["conllu"](named_labels(table, found["train"].features))
        Path(f"{part}.conllu").write_text(text, encoding="utf-8")


def spacy_train(suite: str, config: str) -> None:
    import spacy.cli
    from typer.main import get_command

    def command(line: str) -> None:
        get_command(spacy.cli.app)(line.split(), standalone_mode=False)

    write_conllu(suite, config)
    for part in ("train", "validation"):
        command(f"convert {part}.conllu . -c conllu -n 10")
    command("init config spacy.cfg --lang de --pipeline parser --optimize efficiency --force")
    command(
        "train spacy.cfg --output out/spacy --paths.train train.spacy --paths.dev validation.spacy"
        f" --training.max_steps {N_STEPS} --training.eval_frequency {N_STEPS}"
    )
    parser = spacy.load("out/spacy/model-last")
    assert {"nsubj", "obj"} <= set(parser.get_pipe("parser").labels)
    assert 0 <= parser.meta["performance"]["dep_las"] <= 1


def stanza_train(suite: str, config: str) -> None:
    from stanza.models import parser

    write_conllu(suite, config)
    sizes = ("hidden", "deep_biaff_hidden", "word_emb", "char_emb", "char_hidden", "transformed")
    arguments = (
        "--mode train --train_file train.conllu --eval_file validation.conllu --lang de"
        " --shorthand de_sorts --no_pretrain --word_cutoff 0 --batch_size 100 --cpu"
        f" --max_steps {N_STEPS} --eval_interval {N_STEPS} --save_dir out/stanza --num_layers 1"
    )
    widths = [word for size in sizes for word in (f"--{size}_dim", "8")]
    found, _ = parser.main([*arguments.split(), *widths])
    assert {"nsubj", "obj"} <= set(found.vocab["deprel"])
    assert Path("out/stanza/de_sorts_nopretrain_parser.pt").is_file()


class Tool(NamedTuple):
    """A row of the table: a distribution, the view, what is done, whether it needs seconds."""

    package: str
    view: str
    run: Callable[[str, str], None]
    is_slow: bool = True


TOOLS = [
    Tool("datasets", "eras/lm_items", stream, False),
    Tool("pandas", "eras/sentiment_items", frame, False),
    Tool("polars", "morphseg/tags_items", lazy_frame, False),
    Tool("duckdb", "pp_attachment/attachment_items", sql, False),
    Tool("torch", "pp_attachment/attachment_items", batches),
    Tool("torch", "centerbench/messages_items", batches),
    Tool("scikit-learn", "eras/sentiment_items", classify_words, False),
    Tool("trl", "centerbench/messages_items", trl("sft")),
    Tool("trl", "centerbench/completion_words", trl("sft")),
    Tool("trl", "centerbench/preference_items", trl("dpo")),
    Tool("trl", "centerbench/preference_items", trl("reward")),
    Tool("trl", "centerbench/preference_items", trl("kto")),
    Tool("trl", "centerbench/solution_items", grpo),
    Tool("peft", "centerbench/messages_items", low_rank),
    Tool("setfit", "eras/sentiment_items", few_shot),
    Tool("transformers", "eras/segmentation_items", trainer("TokenClassification", "bert-zh")),
    Tool("transformers", "eras/sentiment_items", trainer("SequenceClassification", "bert-zh")),
    Tool("transformers", "morphseg/text2text_items", trainer("Seq2SeqLM", "t5")),
    Tool("transformers", "eras/lm_items", trainer("MaskedLM", "bert-zh")),
    Tool("transformers", "eras/lm_items", trainer("CausalLM", "gpt")),
    Tool("sentence-transformers", "eras/similarity_items", nearest),
    Tool("sentence-transformers", "pp_attachment/attachment_items", cross_encoder),
    Tool("spacy", "sorts/parsing_items", spacy_train),
    Tool("stanza", "sorts/parsing_items", stanza_train),
]


def pinned() -> Iterator[tuple[str, str]]:
    """Distribution and version of each line of constraints.txt."""
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines():
        name, _, version = line.partition("==")
        yield name.strip().lower(), version.partition(";")[0].split("#")[0].strip()


def cases() -> Iterator[Any]:
    for i, tool in enumerate(TOOLS):
        marks = [pytest.mark.slow] if tool.is_slow else []
        yield pytest.param(tool, marks=marks, id=f"{i:02}-{tool.package}-{tool.view}")


@pytest.mark.parametrize("tool", cases())
def test_a_tool_takes_the_view_as_it_is(tool, request, monkeypatch):
    try:
        version = importlib.metadata.version(tool.package)
    except importlib.metadata.PackageNotFoundError:
        pytest.skip(f"{tool.package} is not installed")
    assert version.split("+")[0] == dict(pinned()).get(tool.package, version)
    trains = tool.is_slow and tool.run is not batches
    folder = request.getfixturevalue("trained" if trains else "few")
    monkeypatch.chdir(folder)
    # what another run left
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", folder / "cache")
    tool.run(*tool.view.split("/"))
