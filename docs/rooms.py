"""The rooms of the house and the arrows between them, read off the imports.

    python docs/rooms.py            prints the picture for ARCHITECTURE.md
    python docs/rooms.py --write    puts it there

A room is a folder at the top with Python in it. An arrow says that a file of one room imports a
file of another; arrows that others imply are left out of the picture.
"""

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "ARCHITECTURE.md"
BEGIN, END = "```mermaid\n", "```\n"
PRODUCT = {
    "push": "push.py: the makers' one command",
    "publish": "publish: build, check, install, push",
    "garden_path": "garden_path: score, report, rank; adapters for a model",
    "integrations": "integrations: lm-eval, inspect-ai, lighteval",
    "dataset_scripts": "dataset_scripts: a list of configs per suite",
    "builders": "builders: the linguistics of a suite",
    "metrics": "metrics: scoring, an evaluate module each",
    "ground": "ground: files, tables, markdown",
}
LABORATORY = {
    "research": "research: engine, systems, studies, worlds, readings, people, benchmarks"
}
ROOMS = PRODUCT | LABORATORY


def modules(room: str) -> list[Path]:
    """The Python files of a room."""
    path = ROOT / f"{room}.py"
    return [path] if path.is_file() else sorted((ROOT / room).rglob("*.py"))


def imported(path: Path) -> set[str]:
    """Dotted names of the modules that a file imports, lazily or not; relative ones left out."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(node.module or "")
    return found


def arrows() -> set[tuple[str, str]]:
    """Pairs of rooms of which the first imports the second."""
    return {
        (room, name.split(".")[0])
        for room in ROOMS
        for path in modules(room)
        for name in imported(path)
        if name.split(".")[0] in ROOMS and name.split(".")[0] != room
    }


def shown(found: set[tuple[str, str]]) -> list[tuple[str, str]]:
    """The arrows that no chain of others implies, in the order of the rooms."""
    order = list(ROOMS)
    direct = [pair for pair in found if not _reaches(found - {pair}, *pair)]
    return sorted(direct, key=lambda pair: (order.index(pair[0]), order.index(pair[1])))


def _reaches(found: set[tuple[str, str]], start: str, end: str) -> bool:
    seen, waiting = set(), [start]
    while waiting:
        room = waiting.pop()
        if room == end:
            return True
        seen.add(room)
        waiting += [b for a, b in found if a == room and b not in seen]
    return False


def picture() -> str:
    """The picture as a Mermaid flowchart."""
    lines = ["flowchart TB"]
    for title, rooms in (("Laboratory", LABORATORY), ("Product", PRODUCT)):
        lines.append(f"    subgraph {title}")
        lines += [f'        {room}["{text}"]' for room, text in rooms.items()]
        lines.append("    end")
    lines += [f"    {a} --> {b}" for a, b in shown(arrows())]
    return "\n".join(lines) + "\n"


def with_picture(text: str) -> str:
    """The page's text with the picture as it is now."""
    before, _, rest = text.partition(BEGIN)
    return before + BEGIN + picture() + END + rest.partition(END)[2]


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        PAGE.write_text(with_picture(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        print(picture())
