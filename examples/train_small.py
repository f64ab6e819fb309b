"""A small real training on the views, one CPU core, some minutes: does it beat a constant?

    python examples/train_small.py --data FOLDER [--suites eras] [--steps 400] [--rows 4000]

FOLDER holds the built data sets (`hub`). An encoder of characters or words (bidirectional GRU, 64
wide; for `lm` one from the left) learns from the first rows of `train` and is scored on the first
rows of `test`, as a script with `--max_train_samples` would. Beside each score stands that of a
constant: the most frequent class or tag of `train`, its characters' frequencies, a coin, or the
sentence as it is.
"""

import argparse
import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import torch
from datasets import get_dataset_config_names, load_dataset
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

KINDS = ("items", "words", "constructions")
WIDTH, BATCH, SEED = 64, 32, 0
IGNORED = -100
Rows = dict[str, list[Any]]
Scores = tuple[str, float, float]


class Encoder(nn.Module):
    """Characters or words in, a vector for each of them."""

    def __init__(self, characters: Sequence[str], n_out: int, *, is_causal: bool = False) -> None:
        super().__init__()
        self.place = {character: i for i, character in enumerate(characters, 2)}  # 0 pad, 1 unknown
        self.embed = nn.Embedding(len(characters) + 2, WIDTH, padding_idx=0)
        self.read = nn.GRU(WIDTH, WIDTH, batch_first=True, bidirectional=not is_causal)
        self.out = nn.Linear(WIDTH if is_causal else 2 * WIDTH, n_out)

    def forward(self, texts: Sequence[Sequence[str]]) -> tuple[Tensor, Tensor]:
        """Outputs of shape (texts, longest, n_out), and which characters there are."""
        ids = padded([[self.place.get(c, 1) for c in text] for text in texts], 0)
        return self.out(self.read(self.embed(ids))[0]), ids != 0

    def means(self, texts: Sequence[Sequence[str]]) -> Tensor:
        """Mean output of each text."""
        values, there = self(texts)
        weights = there.unsqueeze(-1).float()
        return (values * weights).sum(1) / weights.sum(1)


def padded(rows: Sequence[Sequence[int]], value: int) -> Tensor:
    """Rows of numbers as a matrix."""
    tensors = [torch.tensor(list(row)) for row in rows]
    return pad_sequence(tensors, batch_first=True, padding_value=value)


def characters_of(texts: Sequence[Sequence[str]]) -> list[str]:
    """The characters of some texts, or the words of some lists, each once."""
    return sorted({character for text in texts for character in text})


def fit(model: nn.Module, n_rows: int, steps: int, loss: Callable[[list[int]], Tensor]) -> None:
    """Adam over random batches of rows."""
    torch.manual_seed(SEED)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(steps):
        optimizer.zero_grad()
        loss(torch.randint(n_rows, (BATCH,)).tolist()).backward()
        optimizer.step()
    model.eval()


def share(right: Tensor) -> float:
    """Share of what is right."""
    return float(right.float().mean())


def sequence_loss(
    model: Encoder, texts: Sequence[Any], labels: Sequence[Sequence[int]], ignored: int = IGNORED
) -> Tensor:
    """Cross entropy of a label for each character or word."""
    values, wanted = model(texts)[0].flatten(0, 1), padded(labels, ignored).flatten()
    return nn.functional.cross_entropy(values, wanted, ignore_index=ignored)


def sentiment(train: Rows, test: Rows, steps: int) -> Scores:
    """Accuracy, and that of the more frequent class of `train`."""
    texts, labels = train["text"], torch.tensor(train["label"])
    model, entropy = Encoder(characters_of(texts), 2), nn.CrossEntropyLoss()
    fit(model, len(texts), steps, lambda b: entropy(model.means([texts[i] for i in b]), labels[b]))
    gold = torch.tensor(test["label"])
    found = model.means(test["text"]).argmax(-1)
    return "accuracy", share(found == gold), share(gold == labels.mode().values)


def attachment(train: Rows, test: Rows, steps: int) -> Scores:
    """As `sentiment`, of a sentence and the phrase in it, in words."""
    joined = [
        one
        | {"text": [f"{t} | {p}".split() for t, p in zip(one["text"], one["phrase"], strict=True)]}
        for one in (train, test)
    ]
    return sentiment(*joined, steps)


def choice(train: Rows, test: Rows, steps: int) -> Scores:
    """Accuracy of the answer that scores best, and that of the more frequent place."""

    def texts(rows: Rows, place: int) -> list[list[str]]:
        pairs = zip(rows["question"], rows["choices"], strict=True)
        return [f"{question} | {choices[place]}".split() for question, choices in pairs]

    asked, labels = [texts(train, place) for place in (0, 1)], torch.tensor(train["label"])
    model, entropy = Encoder(characters_of(asked[0] + asked[1]), 1), nn.CrossEntropyLoss()

    def scores(members: Sequence[Sequence[Sequence[str]]], batch: Sequence[int]) -> Tensor:
        return torch.cat([model.means([texts[i] for i in batch]) for texts in members], 1)

    fit(model, len(labels), steps, lambda b: entropy(scores(asked, b), labels[b]))
    gold = torch.tensor(test["label"])
    found = scores([texts(test, place) for place in (0, 1)], range(len(gold))).argmax(-1)
    return "accuracy", share(found == gold), share(gold == labels.mode().values)


def tags(train: Rows, test: Rows, steps: int) -> Scores:
    """Share of right tags, and that of the most frequent tag of `train`."""
    texts, labels = train["tokens"], train["tags"]
    model = Encoder(characters_of(texts), 1 + max(map(max, labels)))
    loss = lambda b: sequence_loss(model, [texts[i] for i in b], [labels[i] for i in b])  # noqa: E731
    fit(model, len(texts), steps, loss)
    gold = padded(test["tags"], IGNORED)
    found, is_tag = model(test["tokens"])[0].argmax(-1), gold != IGNORED
    most = Counter(tag for row in labels for tag in row).most_common(1)[0][0]
    return "tags", share((found == gold)[is_tag]), share((gold == most)[is_tag])


def lm(train: Rows, test: Rows, steps: int) -> Scores:
    """Perplexity a character, and that of the characters' frequencies in `train`."""
    texts = train["text"]
    known = characters_of(texts)
    model = Encoder(known, len(known) + 2, is_causal=True)

    def loss(some: Sequence[str]) -> Tensor:
        wanted = [[model.place.get(c, 1) for c in text[1:]] for text in some]
        return sequence_loss(model, [text[:-1] for text in some], wanted, 0)

    fit(model, len(texts), steps, lambda batch: loss([texts[i] for i in batch]))
    counts = Counter(character for text in texts for character in text[1:])
    total = sum(counts.values()) + len(known) + 1
    asked = [character for text in test["text"] for character in text[1:]]
    unigram = -sum(math.log((counts[c] + 1) / total) for c in asked) / len(asked)
    return "perplexity", math.exp(float(loss(test["text"]).detach())), math.exp(unigram)


def similarity(train: Rows, test: Rows, steps: int) -> Scores:
    """Share of anchors that are nearer to their positive than to their negative; a coin has .5."""
    names = ("anchor", "positive", "negative")
    model = Encoder(characters_of([text for name in names for text in train[name]]), WIDTH)

    def margins(rows: Rows, batch: Sequence[int]) -> Tensor:
        anchor, positive, negative = (model.means([rows[n][i] for i in batch]) for n in names)
        cosine = nn.functional.cosine_similarity
        return cosine(anchor, positive) - cosine(anchor, negative)

    softplus = nn.functional.softplus
    fit(model, len(train["anchor"]), steps, lambda b: softplus(-10 * margins(train, b)).mean())
    return "nearer", share(margins(test, range(len(test["anchor"]))) > 0), 0.5


def translation(train: Rows, test: Rows, steps: int) -> Scores:
    """Share of sentences that are wholly right, character by character; of copies."""
    pairs = [(row["zh-Hans"], row["zh-Hant"]) for row in train["translation"]]
    written = characters_of([traditional for _, traditional in pairs])
    number = {character: i for i, character in enumerate(written)}
    model = Encoder(characters_of([text for text, _ in pairs]), len(written))

    def loss(batch: list[int]) -> Tensor:
        wanted = [[number[c] for c in pairs[i][1]] for i in batch]
        return sequence_loss(model, [pairs[i][0] for i in batch], wanted)

    fit(model, len(pairs), steps, loss)
    asked = [(row["zh-Hans"], row["zh-Hant"]) for row in test["translation"]]
    places = model([text for text, _ in asked])[0].argmax(-1).tolist()
    found = [
        "".join(written[i] for i in row[: len(text)])
        for row, (text, _) in zip(places, asked, strict=True)
    ]
    right = sum(text == gold for text, (_, gold) in zip(found, asked, strict=True))
    return "whole", right / len(asked), sum(a == b for a, b in asked) / len(asked)


OF_ERAS = {"sentiment": sentiment, "segmentation": tags, "lm": lm}
VIEWS = {
    "eras": {**OF_ERAS, "similarity": similarity, "translation": translation},
    "sorts": {"roles": tags, "dutch_roles": tags},
    "pp_attachment": {"attachment": attachment},
    "centerbench": {"choice": choice},
    "morphseg": {"tags": tags},
}


def main() -> None:
    """Trains on every view and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", default=".", help="folder of the data sets")
    parser.add_argument("--suites", nargs="+", choices=VIEWS, default=list(VIEWS))
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--rows", type=int, default=4000, help="of train, and half of it of test")
    options = parser.parse_args()
    print("| suite | view | score | trained | constant |\n|---|---|---|---:|---:|")
    for suite in options.suites:
        place = f"{options.data}/{suite}"
        there = get_dataset_config_names(place)
        for name, train_and_score in VIEWS[suite].items():
            for view in (f"{name}_{kind}" for kind in KINDS if f"{name}_{kind}" in there):
                torch.manual_seed(SEED)
                train, test = (
                    load_dataset(place, view, split=f"{part}[:{n}]").to_dict()
                    for part, n in (("train", options.rows), ("test", options.rows // 2))
                )
                score, trained, constant = train_and_score(train, test, options.steps)
                told = f"| {suite} | `{view}` | {score} | {trained:.3g} | {constant:.3g} |"
                print(told, flush=True)


if __name__ == "__main__":
    main()
