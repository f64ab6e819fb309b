"""A masked language model of transformers as a scorer of fillings.

It must read one character per token, as bert-base-chinese does.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from builders.columns import FloatArray, IntArray
from ground.revisions import split_revision


class CharacterModel:
    """A model by name or path; counts the calls and sequences that it is given.

    Args:
        name: Name or path of a masked language model.
        device: Where it runs.
        dtype: `float32`, or `bfloat16` for speed: that may turn decisions close to the threshold.
        batch_size: Sequences of one forward pass.

    Raises:
        ValueError: Its tokenizer does not read one character per token.
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
        self.model = (
            AutoModelForMaskedLM.from_pretrained(
                place, revision=revision, dtype=getattr(torch, dtype)
            )
            .to(device)
            .eval()
        )
        commit = getattr(self.model.config, "_commit_hash", None)  # what a branch's name meant
        self.name = f"{place}@{commit or revision} {dtype}" if revision else f"{name} {dtype}"
        self.head = getattr(self.model, "cls", None) or getattr(self.model, "lm_head", None)
        self.device, self.batch_size = device, batch_size
        self.n_calls = self.n_sequences = 0
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
        """Sum over `places` of log P(the id that stands there), shape (n,), for ids (n, length).

        The sequences have [CLS], but no [SEP].
        """
        scores = [
            logs.gather(2, batch[:, places + 1].unsqueeze(2))
            .squeeze(2)
            .sum(dim=1)
            .double()
            .cpu()
            .numpy()
            for batch, logs in self._log_probabilities(ids, places, has_end=False)
        ]
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
        """Yields batches of ids with [CLS], and [SEP] if so, and the log probabilities at `places`.

        These have the shape (batch, places, vocabulary).
        """
        import torch

        n = len(ids)
        pieces = [np.full((n, 1), self.tokenizer.cls_token_id), ids]
        if has_end:
            pieces.append(np.full((n, 1), self.tokenizer.sep_token_id))
        whole = torch.from_numpy(np.concatenate(pieces, axis=1))
        for start in range(0, n, self.batch_size):
            batch = whole[start : start + self.batch_size].to(self.device)
            self.n_calls, self.n_sequences = self.n_calls + 1, self.n_sequences + len(batch)
            with torch.inference_mode():
                yield (
                    batch,
                    self._logits(batch, torch.from_numpy(places + 1)).float().log_softmax(dim=2),
                )

    def _logits(self, batch: Any, places: Any) -> Any:
        """Runs the head at the places asked for only; the vocabulary is most of its work."""
        if self.head is None:
            return self.model(batch).logits[:, places]
        return self.head(self.model.base_model(batch).last_hidden_state[:, places])
