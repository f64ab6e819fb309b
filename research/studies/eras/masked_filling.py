"""The published way to fill slots: keep words that a masked language model finds likely enough.

Slots are filled from left to right. For every combination kept so far, each word of the next slot's
list is judged, apart for each length, in the control template with the later slots masked. `mlm`
scores as the authors' code does: each later slot is one mask, whatever its length, and the sequence
has no end mark.

    [CLS] 老 师 有 自 信 机 动 的 卡 车 可 以 [MASK] 。      candidate 卡车
    score = product of P(x) over all characters x outside the candidate and the masks, relative to
    the best candidate of its length

`mlm-mask` is what the paper's wording says, words by their own probability: the slot is masked, and
one sequence scores every candidate.

    [CLS] 老 师 有 自 信 机 动 的 [MASK] [MASK] 可 以 [MASK] [MASK] 。 [SEP]
    score = P(卡) P(车), relative to the best candidate of its length

A candidate is kept where its score is above .74 in the first slot, .05 more in every later one;
the first 40,000 combinations in nested order are the paradigm's pairs. A word that stands in the
sentence already is not kept. In `mlm` it may be the best candidate nevertheless, as in the authors'
code, which keeps it, too (学生 beside 学生): there we depart from it.

Source: Li & Hao (2025), section 2.3 and footnote 3, for slots, order and thresholds; score, masks
and cap as in the authors' code. All in log space: that code multiplies float32 probabilities.

python -m research.studies.eras.masked_filling bert-base-chinese --out filled [--method mlm-mask]

It is no part of the data set, whose draw needs no model.
"""

import argparse
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from builders.columns import BoolArray, FloatArray, IntArray
from builders.eras import paradigms
from builders.eras.assembly import Script, pair_table
from builders.eras.draw import ParadigmDraw, seeded_order
from builders.eras.words import SlotWord, paradigm_words, read_words
from ground.hashes import make_key
from ground.revisions import split_revision
from research.engine.store import Store


class CharacterModel:
    """A masked language model by name or path, whose tokens are characters.

    `bfloat16` is faster than `float32` and may turn decisions close to the threshold.
    """

    def __init__(
        self, name: str, *, device: str = "cpu", dtype: str = "float32", batch_size: int = 512
    ) -> None:
        import torch
        from transformers import AutoModelForMaskedLM, AutoTokenizer

        place, revision = split_revision(name)
        tokenizer = AutoTokenizer.from_pretrained(place, revision=revision)
        self.tokenizer = tokenizer
        self.mask_id = int(tokenizer.mask_token_id)
        given = {"revision": revision, "dtype": getattr(torch, dtype)}
        self.model = AutoModelForMaskedLM.from_pretrained(place, **given).to(device).eval()
        commit = getattr(self.model.config, "_commit_hash", None)  # what a branch's name meant
        self.name = f"{place}@{commit or revision} {dtype}" if revision else f"{name} {dtype}"
        self.head = getattr(self.model, "cls", None) or getattr(self.model, "lm_head", None)
        self.device, self.batch_size = device, batch_size
        self._ids: dict[str, int] = {}

    def encode(self, text: str) -> list[int]:
        """One id per character."""
        for character in text:
            if character not in self._ids:
                tokens = self.tokenizer.tokenize(character)
                if len(tokens) != 1:
                    raise ValueError(
                        f"{self.name}: tokens of {character!r}, got {tokens}; "
                        "expected one: a model of characters"
                    )
                self._ids[character] = int(self.tokenizer.convert_tokens_to_ids(tokens[0]))
        return [self._ids[character] for character in text]

    def context_scores(self, ids: IntArray, places: IntArray) -> FloatArray:
        """Sum over `places` of log P(the id there), (n,), for ids (n, length) without [SEP]."""
        scores = []
        for batch, logs in self._log_probabilities(ids, places, has_end=False):
            found = logs.gather(2, batch[:, places + 1].unsqueeze(2)).squeeze(2).sum(dim=1)
            scores.append(found.double().cpu().numpy())
        return np.concatenate(scores)

    def candidate_scores(self, ids: IntArray, places: IntArray, candidates: IntArray) -> FloatArray:
        """Sum over `places` of log P(candidate's id), shape (n, candidates).

        `candidates` has the shape (candidates, places). The sequences have [CLS] and [SEP].
        """
        import torch

        wanted = torch.from_numpy(candidates).to(self.device)
        columns = range(candidates.shape[1])
        scores = [
            sum(logs[:, k, wanted[:, k]].double() for k in columns)
            for _, logs in self._log_probabilities(ids, places, has_end=True)
        ]
        return np.concatenate([score.cpu().numpy() for score in scores])

    def _log_probabilities(
        self, ids: IntArray, places: IntArray, *, has_end: bool
    ) -> Iterator[tuple[Any, Any]]:
        """Yields batches of ids and log probabilities (batch, places, vocabulary) at `places`."""
        import torch

        n = len(ids)
        pieces = [np.full((n, 1), self.tokenizer.cls_token_id), ids]
        if has_end:
            pieces.append(np.full((n, 1), self.tokenizer.sep_token_id))
        whole = torch.from_numpy(np.concatenate(pieces, axis=1))
        for start in range(0, n, self.batch_size):
            batch = whole[start : start + self.batch_size].to(self.device)
            with torch.inference_mode():
                logits = self._logits(batch, torch.from_numpy(places + 1))
                yield batch, logits.float().log_softmax(dim=2)

    def _logits(self, batch: Any, places: Any) -> Any:
        """Runs the head at the places asked for only; the vocabulary is most of its work."""
        if self.head is None:
            return self.model(batch).logits[:, places]
        return self.head(self.model.base_model(batch).last_hidden_state[:, places])


THRESHOLD = 0.74
THRESHOLD_STEP = 0.05
LARGEST_PARADIGM = 40_000
RULE = 2  # of scoring; part of the key of finished work
SEQUENCES_AT_ONCE = 8_192  # handed to the model together; it cuts them into its own batches

Method = Literal["mlm", "mlm-mask"]
Prefix = tuple[int, ...]


def fill(
    model: CharacterModel,
    method: Method,
    store: Store,
    *,
    seed: int = 0,
    most: int = LARGEST_PARADIGM,
) -> list[ParadigmDraw]:
    """Fills all paradigms; one draw each, its combinations in nested order."""
    from tqdm import tqdm

    drawn, words = [], read_words()
    for paradigm in tqdm(
        paradigms.read_paradigms(), desc=f"filling by {method}", unit="paradigm", leave=False
    ):
        lists = [
            seeded_order(seed, paradigm.row.paradigm_id, place, kept)
            for place, kept in enumerate(paradigm_words(paradigm, words))
        ]
        kept = fill_paradigm(model, method, store, paradigm, lists, most)
        if not kept:
            raise ValueError(
                f"eras: paradigm {paradigm.row.paradigm_id}: "
                f"pairs kept by {model.name}, got none; expected some"
            )
        drawn.append(ParadigmDraw(paradigm, lists, np.array(kept, dtype=np.int64)))
    return drawn


def fill_paradigm(
    model: CharacterModel,
    method: Method,
    store: Store,
    paradigm: paradigms.TemplateParadigm,
    lists: Sequence[Sequence[SlotWord]],
    most: int,
) -> list[Prefix]:
    """First `most` combinations that are kept; no more prefixes are judged than that needs."""
    prefixes: Iterator[Prefix] = iter([()])
    for place in range(len(lists)):
        prefixes = _extend(SlotFilling(model, method, paradigm, lists, place), prefixes, store)
    return list(itertools.islice(prefixes, most))


@dataclass
class SlotFilling:
    """One slot of a paradigm: which words of its list go on from which prefixes."""

    model: CharacterModel
    method: Method
    paradigm: paradigms.TemplateParadigm
    lists: Sequence[Sequence[SlotWord]]
    place: int

    def __post_init__(self) -> None:
        self.log_threshold = math.log(THRESHOLD + THRESHOLD_STEP * self.place)
        lengths = [len(word.word) for word in self.lists[self.place]]
        self.groups = {n: np.flatnonzero(np.array(lengths) == n) for n in sorted(set(lengths))}
        of_a_prefix = len(lengths) if self.method == "mlm" else 1
        self.prefixes_at_once = max(1, SEQUENCES_AT_ONCE // of_a_prefix)

    def key(self, prefixes: Sequence[Prefix]) -> str:
        """Key of this piece of work: all that its result depends on."""
        texts = [[word.word for word in words] for words in self.lists[: self.place + 1]]
        return make_key(
            model=self.model.name,
            method=self.method,
            template=self.paradigm.row.control_template,
            place=self.place,
            threshold=self.log_threshold,
            lists=texts,
            prefixes=prefixes,
            rule=RULE,
        )

    def kept(self, prefixes: Sequence[Prefix]) -> BoolArray:
        """Which words go on from which prefixes, shape (prefixes, words)."""
        words = [word.word for word in self.lists[self.place]]
        kept = np.zeros((len(prefixes), len(words)), dtype=bool)
        is_repeated = np.array([np.isin(words, self.words_of(prefix)) for prefix in prefixes])
        for length, group in self.groups.items():
            scores = self.scores(prefixes, length, group)
            if self.method == "mlm-mask":
                scores = np.where(is_repeated[:, group], -np.inf, scores)
            kept[:, group] = scores - scores.max(axis=1, keepdims=True) > self.log_threshold
        return np.asarray(kept & ~is_repeated)

    def words_of(self, prefix: Prefix) -> list[str]:
        """Words that a prefix has put into its slots."""
        return [self.lists[place][pick].word for place, pick in enumerate(prefix)]

    def scores(self, prefixes: Sequence[Prefix], length: int, group: IntArray) -> FloatArray:
        """Log scores of the words of one length after each prefix, shape (prefixes, words)."""
        ids, slots, context = self.sequences(prefixes, length)
        candidates = np.array(
            [self.model.encode(self.lists[self.place][i].word) for i in group.tolist()]
        )
        if self.method == "mlm-mask":
            return self.model.candidate_scores(ids, slots[self.place], candidates)
        filled = np.repeat(ids, len(group), axis=0)
        filled[:, slots[self.place]] = np.tile(candidates, (len(prefixes), 1))
        return self.model.context_scores(filled, context).reshape(len(prefixes), len(group))

    def sequences(
        self, prefixes: Sequence[Prefix], length: int
    ) -> tuple[IntArray, list[IntArray], IntArray]:
        """Control sentences with prefixes filled in and this and later slots masked.

        Ids of shape (prefixes, characters), the places of every slot, and those of the context.
        """
        lengths = [len(words[0].word) for words in self.lists[: self.place]] + [length]
        masks_of_later_slots = 1 if self.method == "mlm" else paradigms.SLOT_LENGTH
        lengths += [masks_of_later_slots] * (len(self.lists) - len(lengths))
        text, slots = self._layout(self.paradigm.control, lengths)
        ids = np.tile(np.array(text, dtype=np.int64), (len(prefixes), 1))
        for place in range(self.place):
            encoded = np.array(
                [self.model.encode(self.lists[place][prefix[place]].word) for prefix in prefixes]
            )
            ids[:, slots[place]] = encoded
        hidden = set(np.concatenate(slots[self.place :]).tolist())
        return ids, slots, np.array([i for i in range(len(text)) if i not in hidden])

    def _layout(
        self, template: paradigms.Template, lengths: Sequence[int]
    ) -> tuple[list[int], list[IntArray]]:
        text: list[int] = []
        slots: list[IntArray] = []
        for word in template:
            if isinstance(word, paradigms.TemplateSlot):
                slots.append(np.arange(len(text), len(text) + lengths[len(slots)]))
                text += [self.model.mask_id] * lengths[len(slots) - 1]
            else:
                text += self.model.encode(word)
        return text, slots


def _extend(slot: SlotFilling, prefixes: Iterator[Prefix], store: Store) -> Iterator[Prefix]:
    while chunk := list(itertools.islice(prefixes, slot.prefixes_at_once)):
        key = slot.key(chunk)
        found = store.rows([key])
        if key not in found:
            found = {key: {"kept": np.argwhere(slot.kept(chunk)).ravel().tolist()}}
            store.append_rows(found)
        for row, word in np.reshape(found[key]["kept"], (-1, 2)).astype(int).tolist():
            yield (*chunk[row], word)


def main(arguments: Sequence[str] | None = None) -> None:
    """Fills all paradigms; writes their pairs, `simplified.parquet` and `traditional.parquet`."""
    parser = argparse.ArgumentParser(description="ERAS filled by a masked language model")
    parser.add_argument("model", metavar="NAME[@REVISION]", help="bert-base-chinese, or a path")
    parser.add_argument("--out", type=Path, required=True, help="folder of the two files")
    parser.add_argument("--method", choices=get_args(Method), default="mlm")
    parser.add_argument("--seed", type=int, default=0, help="order of the word lists")
    parser.add_argument("--most", type=int, default=LARGEST_PARADIGM, help="pairs of a paradigm")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--dtype", choices=("float32", "bfloat16"), default="float32")
    given = parser.parse_args(arguments)

    model = CharacterModel(given.model, device=given.device, dtype=given.dtype)
    store = Store(given.out / "finished", pa.schema([("kept", pa.list_(pa.int64()))]))
    drawn = fill(model, given.method, store, seed=given.seed, most=given.most)
    for script in get_args(Script):
        pq.write_table(pair_table(drawn, script), given.out / f"{script}.parquet")


if __name__ == "__main__":
    main()
