"""The picture of the README: a pair of sentences, how two readers read it, what each scores.

    python docs/pictures.py    writes docs/pictures/pair-light.svg and pair-dark.svg

The scores are those of the committed run of CenterBench, lite.
"""

import json
from html import escape
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCORES = HERE.parent / "cards" / "results" / "centerbench" / "answers_lite.json"
WIDTH, HEIGHT = 960, 262
COLUMNS = (320, 630, 880)  # where the plausible, the implausible and the score stand, centred
SENTENCES = (
    ("The duck that the fox", "stalked flew off."),
    ("The fox that the duck", "stalked flew off."),
)
KINDS = ("plausible", "implausible: the same words")
READERS = (
    ("reads structure", "structure", ("the fox", True), ("the duck", True)),
    ("takes a shortcut", "plausibility", ("the fox", True), ("the fox", False)),
)
COLOURS = {
    "light": {"ink": "#1b1f24", "soft": "#57606a", "line": "#d0d7de"},
    "dark": {"ink": "#e6edf3", "soft": "#9198a1", "line": "#3d444d"},
}
MARKS = {"light": ("#1a7f37", "#b42318"), "dark": ("#4ac26b", "#ff8073")}  # right, wrong


def picture(scheme: str) -> str:
    """The picture as SVG for light or dark pages."""
    colour = {**COLOURS[scheme], **dict(zip(("yes", "no"), MARKS[scheme], strict=True))}
    held = json.loads(SCORES.read_text("utf-8"))["figures"]

    def text(x: float, y: float, said: str, size: int, fill: str, more: str = "") -> str:
        place = f'x="{x}" y="{y}" font-size="{size}" fill="{colour[fill]}"'
        return f'<text {place} text-anchor="middle" {more}>{escape(said)}</text>'

    bold = 'font-weight="600"'
    parts = [
        text(88, 42, "Who stalked whom?", 16, "ink", 'font-style="italic"'),
        text(COLUMNS[2], 42, "score", 15, "ink", bold),
        text(COLUMNS[2], 64, "of all questions", 13, "soft"),
    ]
    for x, lines, kind in zip(COLUMNS, SENTENCES, KINDS, strict=False):
        parts += [
            text(x, y, line, 17, "ink", bold) for y, line in zip((30, 53), lines, strict=True)
        ]
        parts.append(text(x, 76, kind, 13, "soft"))
    for row, (name, system, *answers) in enumerate(READERS):
        y = 142 + 80 * row
        parts += [
            f'<path d="M20 {y - 40} H{WIDTH - 20}" stroke="{colour["line"]}"/>',
            text(88, y + 5, name, 15, "ink", bold),
        ]
        for x, (answer, is_right) in zip(COLUMNS, answers, strict=False):
            mark, fill = ("✓", "yes") if is_right else ("✗", "no")
            parts.append(text(x, y + 5, f"{mark} {answer}", 17, fill))
        score = held[system]["accuracy_core"]
        parts.append(text(COLUMNS[2], y + 8, f"{100 * score:.1f} %", 21, "ink", bold))
    font = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"
    title = "A reader of structure answers both sentences; a shortcut answers one"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
        f' font-family="{font}">\n<title>{title}</title>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def main() -> None:
    """Writes both."""
    for scheme in COLOURS:
        path = HERE / "pictures" / f"pair-{scheme}.svg"
        path.write_text(picture(scheme), encoding="utf-8")


if __name__ == "__main__":
    main()
