"""Gold-segmented text as the JSON lines that `run_ner.py` reads: a token and a tag a character.

    python -m examples.segmented_to_json msr_training.utf8 --out msr
    python -m examples.segmented_to_json pku --out pku

takes a file with blanks between words, as the Bakeoff of 2005 has them, or the name of a corpus of
`builders/eras/corpora.toml` that is at hand, and writes train.json and validation.json: `tokens`
(characters) and `tags` (B, M, E, S) of each sentence. Of every forty lines the last goes into
validation.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from builders.morphseg.sources import bmes
from ground.files import write_whole
from research.systems.classifiers.joint_texts import divide_sentences, read_segmented


def main() -> None:
    """Writes the two files."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("text", help="the file, or the name of a corpus")
    parser.add_argument("--out", type=Path, required=True, help="where the two files go")
    options = parser.parse_args()
    parts = divide_sentences(read_segmented(options.text))
    for name, sentences in zip(("train", "validation"), parts, strict=True):
        write_whole(options.out / f"{name}.json", as_lines(sentences))
        print(f"{options.out / name}.json: {len(sentences):,} sentences")


def as_lines(sentences: Sequence[Sequence[str]]) -> str:
    r"""One JSON object a line for each sentence of words.

    Example:
        >>> as_lines([["留心", "的"]])
        '{"tokens": ["留", "心", "的"], "tags": ["B", "E", "S"]}\n'
    """
    rows = [{"tokens": list("".join(words)), "tags": list(bmes(words))} for words in sentences]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


if __name__ == "__main__":
    main()
