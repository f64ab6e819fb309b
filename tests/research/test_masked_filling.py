"""The published slot filling on a tiny BERT: the survivors of a plain re-statement of it."""

import itertools
import math
from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from builders.eras.columns import PAIR_SCHEMA
from builders.eras.paradigms import TemplateParadigm, TemplateSlot, read_paradigms
from builders.eras.validity import problems
from builders.eras.words import SlotWord, paradigm_words, read_words
from research.engine.store import Store
from research.studies.eras.masked_filling import (
    THRESHOLD,
    THRESHOLD_STEP,
    CharacterModel,
    SlotFilling,
    fill_paradigm,
    main,
)
from tests.support.tiny_models import characters, tiny_bert

SCHEMA = pa.schema([("kept", pa.list_(pa.int64()))])


@pytest.fixture(scope="module")
def model_name(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("mlm")
    words = [str(word) for paradigm in read_paradigms() for word in paradigm.control]
    letters = characters([*words, *(word.word for word in read_words())])
    tiny_bert(folder, "ForMaskedLM", letters, seed=1, initializer_range=0.3)
    return str(folder)


@pytest.fixture(scope="module")
def model(model_name: str) -> object:
    return CharacterModel(model_name, batch_size=64)


def plain_scores(
    model: Any,
    paradigm: TemplateParadigm,
    lists: list[list[SlotWord]],
    prefix: tuple[int, ...],
    method: str,
) -> list[float]:
    """Score of every word of the next slot: one sequence at a time, no batches, no log space."""
    import torch

    tokenizer = model.tokenizer
    place, scores = len(prefix), []
    before = [lists[i][pick].word for i, pick in enumerate(prefix)]
    for candidate in lists[place]:
        # where each token stands: in the context, the candidate, or a mask of a later slot
        tokens, roles, slot = ["[CLS]"], ["mark"], 0
        for piece in paradigm.control:
            parts, role = list(str(piece)), "context"
            if isinstance(piece, TemplateSlot):
                filled = [*before, candidate.word][slot] if slot <= place else ""
                later = ["[MASK]"] if method == "mlm" else ["[MASK]", "[MASK]"]
                parts = list(filled) or later
                role = "context" if slot < place else "candidate" if slot == place else "mark"
                slot += 1
            tokens += parts
            roles += [role] * len(parts)
        seen, scored = list(tokens), "context"
        if method == "mlm-mask":
            seen = ["[MASK]" if r == "candidate" else t for t, r in zip(tokens, roles, strict=True)]
            seen, scored = [*seen, "[SEP]"], "candidate"
        ids = tokenizer.convert_tokens_to_ids(seen)
        with torch.inference_mode():
            table = model.model(torch.tensor([ids])).logits[0].double().softmax(dim=1)
        wanted = tokenizer.convert_tokens_to_ids(tokens)
        scores.append(
            math.prod(float(table[i, wanted[i]]) for i, role in enumerate(roles) if role == scored)
        )
    return scores


def plain_survivors(
    model: Any, paradigm: TemplateParadigm, lists: list[list[SlotWord]], method: str
) -> list[tuple[int, ...]]:
    """The procedure in words: one prefix at a time."""
    prefixes: list[tuple[int, ...]] = [()]
    for place, words in enumerate(lists):
        kept = []
        for prefix in prefixes:
            scores = plain_scores(model, paradigm, lists, prefix, method)
            before = [lists[i][pick].word for i, pick in enumerate(prefix)]
            for n, candidate in enumerate(words):
                if candidate.word in before:
                    continue
                rivals = [
                    score
                    for score, word in zip(scores, words, strict=True)
                    if len(word.word) == len(candidate.word)
                    and (method == "mlm" or word.word not in before)
                ]
                if scores[n] / max(rivals) > THRESHOLD + THRESHOLD_STEP * place:
                    kept.append((*prefix, n))
        prefixes = kept
    return prefixes


def small_lists(paradigm: TemplateParadigm, n: int) -> list[list[SlotWord]]:
    """A few words of every slot, of either length where a slot takes both."""
    lists = paradigm_words(paradigm, read_words())
    return [
        sorted(words, key=lambda w: (w.word[::-1], w.class_))[:n]
        + [w for w in words if len(w.word) == 1][:2]
        for words in lists
    ]


@pytest.mark.parametrize("method", ["mlm", "mlm-mask"])
@pytest.mark.parametrize("paradigm_id", [1, 3, 14, 15, 16, 27])
def test_the_same_words_survive_as_in_the_plain_procedure(model, tmp_path, method, paradigm_id):
    paradigm = read_paradigms()[paradigm_id - 1]
    lists = small_lists(paradigm, 6)
    kept = fill_paradigm(model, method, Store(tmp_path, SCHEMA), paradigm, lists, 10**6)  # type: ignore[arg-type]
    assert kept == plain_survivors(model, paradigm, lists, method)
    assert 0 < len(kept) < math.prod(map(len, lists))


def test_a_repeated_word_sets_the_measure_and_is_not_kept(model):
    paradigm = read_paradigms()[0]
    lists = small_lists(paradigm, 6)
    pairs = {word.word: word for word in paradigm_words(paradigm, read_words())[0]}
    lists[0] = lists[1] = [word for word in pairs.values() if len(word.word) == 2][:5]
    assert len(lists[1]) > 2
    slot = SlotFilling(model, "mlm", paradigm, lists, 1)  # type: ignore[arg-type]
    slot.scores = lambda prefixes, length, group: np.where(group == 0, 0.0, -1.0)[None]  # type: ignore[method-assign]
    assert not slot.kept([(0,)]).any()  # the best is there already, the others are far below it
    assert slot.kept([(1,)])[0].tolist() == [True] + [False] * (len(lists[1]) - 1)
    slot.method = "mlm-mask"  # a word that stands there is no candidate
    assert slot.kept([(0,)])[0].tolist() == [False] + [True] * (len(lists[1]) - 1)


def test_a_score_at_the_threshold_is_not_kept(model):
    paradigm = read_paradigms()[0]
    lists = small_lists(paradigm, 6)
    slot = SlotFilling(model, "mlm", paradigm, lists, 0)  # type: ignore[arg-type]
    at, above = slot.log_threshold, np.nextafter(slot.log_threshold, 0)

    def scores(prefixes: object, length: int, group: np.ndarray) -> np.ndarray:
        return np.array([[0.0, at, above, *[-9.0] * (len(group) - 3)][: len(group)]])

    slot.scores = scores  # type: ignore[assignment,method-assign]
    group = slot.groups[2]
    assert slot.kept([()])[0, group[:3]].tolist() == [True, False, True]


def test_the_cap_keeps_the_first_in_nested_order(model, tmp_path):
    paradigm = read_paradigms()[0]
    lists = small_lists(paradigm, 6)
    stores = (Store(tmp_path / name, SCHEMA) for name in "ab")
    everything, first = (
        fill_paradigm(model, "mlm-mask", store, paradigm, lists, most)  # type: ignore[arg-type]
        for store, most in zip(stores, (10**6, 5), strict=True)
    )
    assert first == everything[:5]
    assert everything == sorted(everything)


def test_batches_do_not_change_a_score(model_name):
    alone, together = (CharacterModel(model_name, batch_size=n) for n in (1, 100))
    ids = np.array([together.encode("老师留意机动的车。"), together.encode("学生留意机动的船。")])
    places = np.array([2, 3, 4])
    assert alone.context_scores(ids, places) == pytest.approx(
        together.context_scores(ids, places), abs=1e-5
    )
    words = np.array([together.encode(word) for word in ("留意", "机动", "车船")])
    first = together.candidate_scores(ids, np.array([2, 3]), words)
    assert alone.candidate_scores(ids, np.array([2, 3]), words) == pytest.approx(first, abs=1e-5)


def test_an_interrupted_filling_goes_on_where_it_was(model, tmp_path, monkeypatch):
    paradigm = read_paradigms()[0]
    lists = small_lists(paradigm, 6)
    plain = fill_paradigm(model, "mlm", Store(tmp_path / "a", SCHEMA), paradigm, lists, 10**6)  # type: ignore[arg-type]
    calls = itertools.count()
    scored = SlotFilling.kept
    monkeypatch.setattr("research.studies.eras.masked_filling.SEQUENCES_AT_ONCE", 20)

    def interrupted(self: SlotFilling, prefixes: list[tuple[int, ...]]) -> object:
        if next(calls) == 3:
            raise KeyboardInterrupt
        return scored(self, prefixes)

    monkeypatch.setattr(SlotFilling, "kept", interrupted)
    store = Store(tmp_path / "b", SCHEMA)
    with pytest.raises(KeyboardInterrupt):
        fill_paradigm(model, "mlm", store, paradigm, lists, 10**6)  # type: ignore[arg-type]
    assert len(store.keys()) == 3
    assert fill_paradigm(model, "mlm", store, paradigm, lists, 10**6) == plain  # type: ignore[arg-type]
    done = len(store.keys())
    again = next(calls)
    assert fill_paradigm(model, "mlm", store, paradigm, lists, 10**6) == plain  # type: ignore[arg-type]
    assert (len(store.keys()), next(calls)) == (done, again + 1)  # nothing was scored again


@pytest.mark.slow
def test_the_command_writes_the_pairs_of_both_scripts(model_name, tmp_path):
    main([model_name, "--out", str(tmp_path), "--most", "2"])
    simplified, traditional = (
        pq.read_table(tmp_path / f"{script}.parquet") for script in ("simplified", "traditional")
    )
    assert simplified.schema == traditional.schema == PAIR_SCHEMA
    assert set(Counter(simplified["paradigm_id"].to_pylist()).values()) <= {1, 2}
    assert len(set(simplified["paradigm_id"].to_pylist())) == 39
    assert simplified["id"] == traditional["id"]
    assert problems(simplified) == problems(traditional) == []


def test_the_revision_of_a_model_is_loaded_and_on_record(model_name, monkeypatch):
    import transformers

    asked = []

    def answering(kind: Any) -> Any:
        usual = kind.from_pretrained

        def load(name: str, *, revision: str | None = None, **options: Any) -> Any:
            asked.append((name, revision))
            return usual(model_name, **options)

        return load

    for kind in (transformers.AutoTokenizer, transformers.AutoModelForMaskedLM):
        monkeypatch.setattr(kind, "from_pretrained", answering(kind))
    assert CharacterModel("a/model@c0ffee").name == "a/model@c0ffee float32"
    assert asked == [("a/model", "c0ffee")] * 2
    assert CharacterModel("a/model").name == "a/model float32"
    assert asked[2:] == [("a/model", None)] * 2


def test_a_model_of_word_pieces_is_refused(model_name):
    model = CharacterModel(model_name)
    model.tokenizer.tokenize = lambda text: ["[", text, "]"]
    message = r"tokens of '甲', got \['\[', '甲', '\]'\]; expected one: a model of characters"
    with pytest.raises(ValueError, match=message):
        model.encode("甲")
