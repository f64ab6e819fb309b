"""Trains a tiny Stanza pipeline, loads it by name, parses, prints JSON; for test_parsers.py."""

import json
import os
import shutil
import sys
from pathlib import Path

CLAUSES = [
    (s, v, o)
    for s in ("Hund", "Koch", "Wolf")
    for v in ("sieht", "holt")
    for o in ("Ball", "Fisch")
]
SIZES = "hidden_dim deep_biaff_hidden_dim word_emb_dim char_emb_dim char_hidden_dim transformed_dim"


def conllu() -> str:
    sentences = []
    for subject, verb, object_ in CLAUSES:
        rows = [
            ("Der", "DET", "ART", 2, "det"),
            (subject, "NOUN", "NN", 3, "nsubj"),
            (verb, "VERB", "VVFIN", 0, "root"),
            ("den", "DET", "ART", 5, "det"),
            (object_, "NOUN", "NN", 3, "obj"),
            (".", "PUNCT", "$.", 3, "punct"),
        ]
        lines = [
            f"{i}\t{word}\t{word}\t{upos}\t{xpos}\t_\t{head}\t{label}\t_\t_"
            for i, (word, upos, xpos, head, label) in enumerate(rows, 1)
        ]
        sentences.append("\n".join(["# sent_id = x", "# text = x", *lines, "", ""]))
    return "".join(sentences)


def train(folder: Path) -> None:
    from stanza.models import parser, tagger

    data = folder / "train.conllu"
    data.write_text(conllu(), encoding="utf-8")
    options = [
        "--train_file",
        data,
        "--eval_file",
        data,
        "--output_file",
        folder / "out.conllu",
        "--save_dir",
        folder / "models",
    ]
    settings = (
        "--lang de --shorthand de_tiny --mode train --no_pretrain --cpu --word_cutoff 0"
        " --num_layers 1 --batch_size 100 --eval_interval 20"
    )
    shared = [
        *map(str, options),
        *settings.split(),
        *(part for size in SIZES.split() for part in (f"--{size}", "8")),
    ]
    tagger.main([*shared, "--max_steps", "20", "--save_name", "pos.pt"])
    extra = (
        "--max_steps 40 --save_name depparse.pt --tag_emb_dim 8 --deep_biaff_output_dim 8"
        " --no_checkpoint"
    )
    parser.main([*shared, *extra.split()])


def install(folder: Path, resources: Path) -> None:
    for processor in ("pos", "depparse"):
        (resources / "de" / processor).mkdir(parents=True)
        shutil.copy(folder / "models" / f"{processor}.pt", resources / "de" / processor / "tiny.pt")
    package = {"tokenize": "tiny", "pos": "tiny", "lemma": "identity", "depparse": "tiny"}
    models = {processor: {name: {"md5": ""}} for processor, name in package.items()}
    german = {
        "lang_name": "German",
        "packages": {"default": package},
        "default_processors": package,
        "default_dependencies": {},
        **models,
    }
    (resources / "resources.json").write_text(
        json.dumps({"de": german, "url": ""}), encoding="utf-8"
    )


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    os.environ["STANZA_RESOURCES_DIR"] = str(folder / "resources")
    train(folder)
    install(folder, folder / "resources")
    from garden_path.models.registry import USERS

    made = USERS.load("parser", "stanza:de")
    tokens = [
        ["Der", "Koch", "holt", "den", "Ball", "."],
        ["Der", "Hund", "schläft", "im", "Auto", "von", "Ida", "."],
    ]
    try:
        USERS.load("parser", "stanza:fr")
        message = ""
    except ValueError as error:
        message = str(error)
    print(
        json.dumps(
            {
                "version": made.version,
                "scheme": made.scheme,
                "trees": made.predict({"tokens": tokens}),
                "message": message,
            }
        )
    )
