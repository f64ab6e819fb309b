"""A graph parser of Stanza, trained from words and characters: the kind `stanza` of `trained:`.

Stanza's parser reads tags where it is given some; this one reads none, so that nothing has to
predict them, and its lemmas are the words themselves. `stanza_parser.toml` has its options.

Source: Qi et al. (2018), Universal Dependency Parsing from Scratch.
"""

import contextlib
import logging
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ground.tables import read_settings
from metrics._shared.plain_text import lines_of

SETTINGS = Path(__file__).parent / "stanza_parser.toml"
FLAGS = ("no_pretrain", "no_upos", "no_xpos", "no_ufeats", "no_checkpoint", "cpu")
N_DEV = 100  # training sentences that Stanza scores itself on at each evaluation
N_WORDS = 3000  # of a batch when it parses


def settings() -> str:
    """What a parser rests on besides its sentences and its seed."""
    return SETTINGS.read_text(encoding="utf-8")


def train(sentences: Sequence[str], language: str, seed: int, path: Path) -> None:
    """Trains on sentences in CoNLL-U; leaves the model in a file."""
    from stanza.models import parser

    work = path.with_name(f"{path.name}.part")
    work.mkdir(parents=True, exist_ok=True)
    for name, chosen in (("train", sentences), ("dev", sentences[:N_DEV])):
        text = "".join(_without_lemmas(sentence) for sentence in chosen)
        (work / f"{name}.conllu").write_text(text, encoding="utf-8")
    with _quiet():
        parser.main(_arguments(work, language, seed))
    (work / "model.pt").rename(path)
    shutil.rmtree(work)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    logger = logging.getLogger("stanza")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def _arguments(work: Path, language: str, seed: int) -> list[str]:
    options = {
        "train_file": work / "train.conllu",
        "eval_file": work / "dev.conllu",
        "save_dir": work,
        "save_name": "model.pt",
        "lang": language,
        "shorthand": f"{language}_trained",
        "seed": seed,
    }
    for part in read_settings(SETTINGS).values():
        options |= part
    named = (word for name, value in options.items() for word in (f"--{name}", str(value)))
    return [*named, *(f"--{flag}" for flag in FLAGS)]


def _without_lemmas(sentence: str) -> str:
    rows = (line.split("\t") for line in lines_of(sentence) if line)
    cells = ("\t".join([row[0], row[1], row[1], *row[3:]]) for row in rows)
    return "\n".join(cells) + "\n\n"


def load_model(path: Path) -> Any:
    """The model in a file, as Stanza's trainer holds it."""
    from stanza.models.depparse.trainer import Trainer

    with _quiet():
        return Trainer.load(str(path), pretrain=None, device="cpu")


def parse(model: Any, sentences: Sequence[Sequence[str]]) -> Iterator[list[tuple[int, str]]]:
    """Head (1-based, 0 the root) and label of every word of each sentence."""
    import torch
    from stanza.models.common.doc import Document
    from stanza.models.common.utils import unsort
    from stanza.models.depparse.data import DataLoader

    words = [
        [{"id": i, "text": word, "lemma": word} for i, word in enumerate(sentence, 1)]
        for sentence in sentences
    ]
    how = {"vocab": model.vocab, "evaluation": True, "sort_during_eval": True}
    with _quiet(), torch.no_grad():
        loader = DataLoader(Document(words), N_WORDS, model.args, None, **how)
        found = [tree for batch in loader for tree in model.predict(batch)]
    for tree in unsort(found, loader.data_orig_idx):
        yield [(int(head), str(label)) for head, label in tree]
