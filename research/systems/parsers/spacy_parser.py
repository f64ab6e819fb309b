"""spaCy's parser, trained here: the kinds `spacy` and `spacy-vectors` of `trained:`.

`spacy_parser.cfg` is its configuration. With vectors, every word has one besides its hashed
features, made of the input embeddings of a language model (`piece_vectors`).
"""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from research.systems.parsers import piece_vectors

CONFIG = Path(__file__).parent / "spacy_parser.cfg"
N_DEV = 20  # spaCy wants sentences to score on; nothing is chosen by them


def settings() -> str:
    """What a parser rests on besides its sentences and its seed."""
    return CONFIG.read_text(encoding="utf-8")


def settings_with_vectors() -> str:
    """The same of a parser with vectors."""
    return f"{settings()}\n{piece_vectors.settings()}"


def train(sentences: Sequence[str], language: str, seed: int, path: Path) -> None:
    """Trains a pipeline on sentences in CoNLL-U, into a folder."""
    work = _folder_beside(path)
    _train_in(work, sentences, {"system.seed": seed, "nlp.lang": language})
    shutil.rmtree(path, ignore_errors=True)
    (work / "model-last").rename(path)
    shutil.rmtree(work)


def train_with_vectors(sentences: Sequence[str], language: str, seed: int, path: Path) -> None:
    """Trains a pipeline whose first component gives words their vectors."""
    import spacy

    piece_vectors.register()
    work = _folder_beside(path)
    bare = spacy.blank(language)
    found: Any = bare.add_pipe(piece_vectors.COMPONENT)
    rows = (line.split("\t") for sentence in sentences for line in sentence.split("\n"))
    found.learn(sorted({row[1] for row in rows if len(row) > 1}))
    bare.to_disk(work / "vectors")
    options = {"system.seed": seed, "nlp.lang": language, "paths.vectors": str(work / "vectors")}
    options["components.tok2vec.model.embed.include_static_vectors"] = True
    _train_in(work, sentences, options)
    pipeline = spacy.load(work / "model-last")
    first: Any = pipeline.add_pipe(piece_vectors.COMPONENT, first=True)
    first.mean, first.directions = found.mean, found.directions
    pipeline.to_disk(path)
    shutil.rmtree(work)


def _folder_beside(path: Path) -> Path:
    work = path.with_name(f"{path.name}.part")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    return work


def _train_in(work: Path, sentences: Sequence[str], options: Mapping[str, Any]) -> None:
    """Trains a pipeline in a folder, as `model-last`."""
    from spacy import util
    from spacy.tokens import DocBin
    from spacy.training.converters import conllu_to_docs
    from spacy.training.initialize import init_nlp
    from spacy.training.loop import train as train_pipeline

    for name, chosen in (("train", sentences), ("dev", sentences[:N_DEV])):
        how = {"n_sents": 1, "append_morphology": False, "no_print": True}
        documents = conllu_to_docs("".join(chosen), **how)
        DocBin(docs=documents, store_user_data=True).to_disk(work / f"{name}.spacy")
    paths = {f"paths.{name}": str(work / f"{name}.spacy") for name in ("train", "dev")}
    config = util.load_config(CONFIG, overrides={**paths, **options}, interpolate=False)
    with open(work / "log", "w", encoding="utf-8") as log:
        train_pipeline(init_nlp(config), work, stdout=log, stderr=log)
