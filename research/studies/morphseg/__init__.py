"""The studies of morphseg."""

ABSENT = {
    "contamination": (
        "another draw is another invented language, so that a difference of two draws is one of"
        " languages, and a segmenter is trained on whichever it is given; redraw shows how far"
        " languages differ"
    )
}
"""Studies that other suites have and this one cannot have, and why."""
