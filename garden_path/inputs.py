"""The items of a test as the field of a system writes them."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from builders.choices import pairs_of
from garden_path.models.questions import OWN, Prompts, read_prompts
from garden_path.scoring import ASKING, Row

DEFAULTS = {"parser": "conllu", "answerer": "chat", "language_model": "pairs", "chooser": "json"}
BLANKS = "\t".join(["_"] * 8)


def inputs_text(kind: str, rows: Sequence[Row], format: str = "", prompt: str = OWN) -> str:
    """What a system of a kind is to be given, in its field's format or the one that is named.

    A ValueError where the rows cannot be written so.
    """
    name = format or DEFAULTS.get(kind, "tsv")
    wanted, write = FORMATS[name]
    if wanted not in ("", kind):
        known = " or ".join(one for one, (of, _) in FORMATS.items() if of in ("", kind))
        raise ValueError(f"--format, got {name!r} for the kind {kind}; expected {known}")
    if prompt != OWN and name != "chat":
        raise ValueError(f"--prompt, got {prompt!r} for the format {name}; expected chat")
    if name == "pairs":
        return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in pairs_of(rows))
    items, prompts = ASKING[kind].items(rows), read_prompts(prompt=prompt)
    pairs = zip(items.ids, items.inputs, strict=True)
    return "".join(write(one, item, prompts) for one, item in pairs)


def _tsv(name: str, item: Any, prompts: Prompts) -> str:
    if hasattr(item, "question"):
        item = "\t".join([item.sentence, item.question, *getattr(item, "choices", ())])
    return f"{name}\t{item if isinstance(item, str) else ' '.join(item)}\n"


def _conllu(name: str, item: Any, prompts: Prompts) -> str:
    words = "".join(f"{i}\t{word}\t{BLANKS}\n" for i, word in enumerate(item, 1))
    return f"# sent_id = {name}\n# text = {' '.join(item)}\n{words}\n"


def _chat(name: str, item: Any, prompts: Prompts) -> str:
    asked = {"id": name, "messages": prompts.messages(item)}
    return json.dumps(asked, ensure_ascii=False) + "\n"


def _json(name: str, item: Any, prompts: Prompts) -> str:
    told = {"id": name, **item._asdict()}
    told.pop("entity", None)  # of who did it, it is the answer
    return json.dumps(told, ensure_ascii=False) + "\n"


FORMATS: Mapping[str, tuple[str, Callable[[str, Any, Prompts], str]]] = {
    "tsv": ("", _tsv),
    "conllu": ("parser", _conllu),
    "chat": ("answerer", _chat),
    "pairs": ("language_model", _tsv),
    "json": ("chooser", _json),
}
"""Of each format the kind of system that it is for, "" for any, and what writes an item."""
