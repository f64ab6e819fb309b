"""Files with bytes changed, for every reader of the project, and what must become of them."""

import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import hypothesis.strategies as st
import pyarrow as pa
import pyarrow.parquet as pq

from builders.centerbench.forms import read_replies
from builders.morphseg.sources import PARSERS, parse_analyses
from dataset_scripts.ratings import read_ratings
from garden_path.models.questions import read_prompts
from garden_path.readers.files import read_records
from ground.tables import read_raw, read_settings
from metrics._shared.treebanks import read_conll
from metrics.ranking_generalizability.score_files import read_file
from metrics.subject_object_las.inputs import read_gold
from publish.build.cards import read_card
from publish.build.manifest import read_provenance
from tests.conftest import ROOT

PIECES = [
    *(b"\r", b"\n", b"\r\n", b"\t", b" ", b"\0", b"\xff", b"\xc3", b"\xef\xbb\xbf", b'"', b"'"),
    *(b"#", b"_", b"-", b"1", b"9" * 20, b"1.5", b"nan", b":", b"|", b"[", b"{", b"\\"),
    *("\u2028".encode(), "e\u0301".encode(), b"\n\n", b"---\n", b",", b"~", b"!", b"\x1a", b"0x1f"),
    *(b"2020-13-40", b"[" * 5000, b"{" * 5000, b"a: &a *a", b"!!python/object:x", b"'" * 3),
]
TREE = (
    "1\tDie\tder\tDET\tART\torder:VF[S]LK[V]MF[O]|props:acc\t_\t_\t_\t_\n"
    "2\tKatze\tKatze\tNOUN\tNN\torder:VF[S]LK[V]MF[O]|props:acc\t3\tnsubj\t_\t_\n"
    "3\tsieht\tsehen\tVERB\tVVFIN\torder:VF[S]LK[V]MF[O]|props:acc\t0\troot\t_\t_\n"
    "4\tHunde\tHund\tNOUN\tNN\torder:VF[S]LK[V]MF[O]|props:acc\t3\tobj\t_\t_\n\n"
)
UD = (
    "# sent_id = 1\n# text = Die Katze sieht den Hund\n1\tDie\tder\tDET\t_\t_\t2\tdet\t_\t_\n"
    "2-3\tzum\t_\t_\t_\t_\t_\t_\t_\t_\n2\tKatze\tKatze\tNOUN\t_\t_\t3\tnsubj\t_\t_\n"
    "3\tsieht\tsehen\tVERB\t_\t_\t0\troot\t_\t_\n3.1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
)
RATED = [{"id": f"r{i}", "rater": "a", "question": "q", "value": i} for i in range(3)]
LINES = {
    "morpho_challenge": (ROOT / "tests" / "golden" / "morpho_challenge.txt").read_bytes(),
    "chipmunk": b"boats\tboat:ROOT|ROOT::NOMINAL s:INFL|INFL::NOUNADJ|SUFFIX\ntea\ttea:ROOT\n",
    "tikhonov": b"boats\tboat:ROOT/s:END\ntea\ttea:ROOT\n",
    "spaced_characters": b"b o a t ! s\nt e a\n",
    "persian_lexicon": b"boats boat X 0 boat s\ntea tea X 0 tea\n",
}


class Reader(NamedTuple):
    """A reader, the name of a file for it, and what a whole one holds."""

    name: str
    file: str
    content: bytes
    read: Callable[[Path], Any]
    is_binary: bool = False  # whether messages can name no line


def _parquet() -> bytes:
    held = io.BytesIO()
    pq.write_table(pa.table({"id": ["a", "b"], "p_test": [0.5, 0.25], "n": [[1], [2, 3]]}), held)
    return held.getvalue()


def _doors() -> list[Reader]:
    """The readers of predictions and of tables of scores."""
    answers = b'{"id": "1-00000-p-0-entity_count", "prediction": "2"}\n' * 2
    results = {"model_name": "m", "results": {"boolq": {"acc,none": 0.5, "alias": "boolq"}}}
    scores = b"model,task,acc\na,x,0.5\nb,x,0.25\n"
    rank = lambda path: read_file(path, path.read_bytes(), None, [])  # noqa: E731
    predictions = lambda path: read_records(path, ("id", "prediction"))  # noqa: E731
    return [
        Reader("predictions, JSON lines", "x.jsonl", answers, predictions),
        Reader("predictions, Parquet", "x.parquet", _parquet(), predictions, True),
        Reader("scores, CSV", "x.csv", scores, rank),
        Reader("scores, Parquet", "x.parquet", _parquet(), rank, True),
        Reader("results of lm-eval", "results_x.json", json.dumps(results).encode(), rank),
    ]


def _words_of(kind: str) -> Callable[[Path], Any]:
    return lambda path: parse_analyses(path, kind, "utf-8")


def _data(place: str) -> bytes:
    return b"\n".join((ROOT / place).read_bytes().split(b"\n")[:40]) + b"\n"


def readers() -> list[Reader]:
    """Every reader of a file that a person may bring or edit."""
    card = b"---\ntitle: x\nlicense: mit\ntags: [a, b]\n---\n# x\ntext\n"
    provenance = {"version": "1", "content_hash": "a", "source_hash": "b"}
    reply = {"id": "1-00000-p-0-entity_count", "system": "invented", "answer": "2"}
    replies = f"{json.dumps(reply)}\n{json.dumps(reply | {'system': 'other'})}\n".encode()
    ratings = "".join(f"{json.dumps(row)}\n" for row in RATED).encode()
    csv = "id,rater,question,value\n" + "".join(f"{r['id']},a,q,{r['value']}\n" for r in RATED)
    written = json.dumps(provenance, indent=1).encode()
    packed = gzip.compress(LINES["chipmunk"])
    return [
        Reader("CoNLL-U", "x.conllu", UD.encode(), lambda path: read_conll(path).trees()),
        Reader("trees", "x.conllu", UD.encode(), lambda path: read_conll(path, is_tree=True)),
        Reader("gold clauses", "x.conll", TREE.encode() * 2, read_gold),
        Reader("packed CoNLL", "x.conll.gz", gzip.compress(UD.encode()), read_conll, True),
        Reader("table", "x.tsv", _data("builders/eras/data/paradigms.tsv"), read_raw),
        Reader("settings", "x.toml", _data("builders/morphseg/data/languages.toml"), read_settings),
        Reader("system prompt", "x.txt", b"Answer briefly.\n", read_prompts),
        Reader("ratings, JSONL", "x.jsonl", ratings, read_ratings),
        Reader("ratings, CSV", "x.csv", csv.encode(), read_ratings),
        Reader("replies", "x.jsonl", replies, read_replies),
        Reader("card", "README.md", card, read_card),
        Reader("provenance", "provenance.json", written, lambda path: read_provenance(path.parent)),
        *(Reader(kind, "words", LINES[kind], _words_of(kind)) for kind in PARSERS),
        Reader("packed words", "words.gz", packed, _words_of("chipmunk"), True),
        *_doors(),
    ]


@st.composite
def broken(draw: st.DrawFn, content: bytes) -> bytes:
    """A file's bytes with one to four changes."""
    found = content
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, max(len(found), 1)))
        length = draw(st.sampled_from([0, 0, 1, 1, 2, 8, 1000]))
        piece = draw(st.sampled_from([b"", *PIECES]) | st.binary(max_size=3))
        kind = draw(st.integers(0, 3))
        if kind == 0:
            found = found[:start]
        elif kind == 1:
            lines = found.split(b"\n")
            at = draw(st.integers(0, len(lines) - 1))
            found = b"\n".join([*lines[: at + 1], *lines[at:]])
        else:
            found = found[:start] + piece + found[start + length :]
    return found
