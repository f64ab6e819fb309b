"""Garden path accuracy inside a Trainer: tags of characters in, words of `score` out."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..trainer import Compute, TrainerScores, cut_words, tags_of_words, token_dataset, word_logits


def trainer_scores(
    compute: Compute, rows: Any, tokenizer: Any, labels: Sequence[str], options: Mapping[str, Any]
) -> TrainerScores:
    """The metric's `for_trainer`, with its `compute`."""
    pairs = [dict(row) for row in rows]
    names = ("test", "control")
    inputs = [
        {"id": f"{row.get('id', i)}/{name}", "tokens": list(row[name])}
        for i, row in enumerate(pairs)
        for name in names
    ]
    texts = [row["tokens"] for row in inputs]

    def read(given: Any, label_ids: Any) -> list[list[list[str]]]:
        found = [
            cut_words(text, [labels[k] for k in logits.argmax(axis=1)])
            for text, logits in zip(texts, word_logits(given, label_ids, texts), strict=True)
        ]
        return [found[i : i + 2] for i in range(0, len(found), 2)]

    def score_pairs(words: Any) -> dict[str, Any]:
        settings = {**options, "scalars": True}
        found: dict[str, Any] = compute(predictions=words, references=pairs, **settings)
        return found

    dataset = None
    if tokenizer is not None:
        golds = [row.get(f"{name}_words") or row[name] for row in pairs for name in names]
        gold_ids = [[labels.index(tag) for tag in tags_of_words(gold)] for gold in golds]
        dataset = token_dataset(tokenizer, texts, gold_ids)
    return TrainerScores(score_pairs, read, inputs, dataset)
