"""ERAS: slot filling by a model of bert-base size (random weights), against the published calls.

Published is one call per prefix and length.

python -m benchmarks.eras_filling [--device cuda] [--words 16]
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow as pa

from benchmarks.timing import Goal, report
from builders.eras.masked_filling import Method, SlotFilling, fill_paradigm
from builders.eras.masked_model import CharacterModel
from builders.eras.paradigms import read_paradigms
from builders.eras.words import SlotWord, paradigm_words, read_words
from ground.store import Store

SCHEMA = pa.schema([("kept", pa.list_(pa.int64()))])
PARADIGMS = (3, 28)  # two slots and three, the last of one and two characters


def make_model(folder: Path) -> str:
    """BERT of bert-base size over the suite's characters, with random weights."""
    import torch
    from transformers import BertConfig, BertForMaskedLM, BertTokenizerFast

    paradigms = read_paradigms()
    characters = sorted(
        {c for word in read_words() for c in word.word}
        | {c for p in paradigms for w in p.control for c in str(w)}
    )
    rest = [f"[unused{i}]" for i in range(21_128 - 5 - len(characters))]
    (folder / "vocab.txt").write_text(
        "\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *characters, *rest]),
        encoding="utf-8",
    )
    tokenizer = BertTokenizerFast(str(folder / "vocab.txt"), do_lower_case=False)
    torch.manual_seed(0)
    BertForMaskedLM(BertConfig(vocab_size=len(tokenizer))).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


def run(
    model: CharacterModel, method: Method, lists: dict[int, list[list[SlotWord]]]
) -> dict[str, float]:
    """Fills the paradigms from an empty store and counts.

    Returns:
        Calls, sequences, pairs kept, seconds, and the calls that the published code makes.

    The published procedure makes one call for every prefix and every length of the next slot's
    words.
    """
    model.n_calls = model.n_sequences = published = n_kept = 0
    start, kept = time.perf_counter(), SlotFilling.kept

    def counted(slot: SlotFilling, prefixes: Sequence[tuple[int, ...]]) -> Any:
        nonlocal published
        published += len(prefixes) * len(slot.groups)
        return kept(slot, prefixes)

    with tempfile.TemporaryDirectory() as store, mock.patch.object(SlotFilling, "kept", counted):
        for paradigm_id, words in lists.items():
            paradigm = read_paradigms()[paradigm_id - 1]
            n_kept += len(
                fill_paradigm(model, method, Store(Path(store), SCHEMA), paradigm, words, 40_000)
            )
    seconds = time.perf_counter() - start
    return {
        "calls": model.n_calls,
        "sequences": model.n_sequences,
        "pairs": n_kept,
        "seconds": seconds,
        "published_calls": published,
    }


def main() -> int:
    """Runs the benchmark; gives the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--words", type=int, default=16, help="words of each list")
    options = parser.parse_args()
    lists = {
        i: [
            words[: options.words]
            for words in paradigm_words(read_paradigms()[i - 1], read_words())
        ]
        for i in PARADIGMS
    }
    with tempfile.TemporaryDirectory() as folder:
        model = CharacterModel(make_model(Path(folder)), device=options.device)
        code, mask = run(model, "mlm", lists), run(model, "mlm-mask", lists)
    for name, made in (("mlm", code), ("mlm-mask", mask)):
        rate = made["sequences"] / made["seconds"]
        print(
            f"{name}: {made['pairs']:,} pairs, {made['sequences']:,} sequences "
            f"in {made['calls']} calls, {rate:.0f} a second"
        )
    return report(
        f"Slot filling of paradigms {PARADIGMS} from lists of {options.words} words, "
        f"bert-base size on {options.device}",
        [
            Goal(
                "mlm: published calls per call of ours",
                code["published_calls"] / code["calls"],
                10,
            ),
            Goal(
                "mlm-mask: sequences of mlm per sequence",
                code["sequences"] / mask["sequences"],
                10,
            ),
        ],
    )


if __name__ == "__main__":
    sys.exit(main())
