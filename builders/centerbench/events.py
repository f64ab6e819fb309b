"""Events: who did what to whom, the structure behind every sentence and every question.

An event joins a subject, a verb and, unless it is the outermost, an object. The events of a
sentence stand innermost first: the object of each is the subject of the next.
"""

from typing import Any, NamedTuple

VERB_FORMS = ("base", "past", "participle", "gerund", "third", "tail")


class CenterVerb(NamedTuple):
    """The forms of a verb's first word ("swoop", "swooped", ...), and its tail ("down on").

    `relative` is the relative clause of whoever undergoes it, where that is not the regular one
    ("whose temperature was taken"); of a separable verb the object stands before the tail in an
    answer ("carry the judge out").
    """

    base: str
    past: str
    participle: str
    gerund: str
    third: str
    tail: str = ""
    relative: str = ""
    is_separable: bool = False

    def phrase(self, form: str, object_: str | None = None) -> str:
        """The verb phrase around one of the verb's own forms.

        Example:
            >>> swoop = CenterVerb("swoop", "swooped", "swooped", "swooping", "swoops", "down on")
            >>> swoop.phrase("swooping", "vole")
            'swooping down on the vole'
        """
        patient = f"the {object_}" if object_ else ""
        parts = (form, patient, self.tail) if self.is_separable else (form, self.tail, patient)
        return " ".join(filter(None, parts))

    @property
    def past_phrase(self) -> str:
        """The past form with its tail, as it stands in the sentence."""
        return f"{self.past} {self.tail}" if self.tail else self.past

    @property
    def relative_clause(self) -> str:
        """The relative clause of whoever undergoes it: "that was swooped down on"."""
        return self.relative or " ".join(filter(None, ("that was", self.participle, self.tail)))

    def as_row(self) -> dict[str, str]:
        """The forms as a row of the dataset."""
        return {name: getattr(self, name) for name in VERB_FORMS}


class Event(NamedTuple):
    """One event; `object` is None in the outermost."""

    subject: str
    verb: CenterVerb
    object: str | None

    def clause(self) -> str:
        """The event as a finite clause: "the owl swooped down on the vole"."""
        return f"the {self.subject} {self.verb.phrase(self.verb.past, self.object)}"

    def nominalization(self) -> str:
        """The event as a gerund clause: "the owl swooping down on the vole"."""
        return f"the {self.subject} {self.verb.phrase(self.verb.gerund, self.object)}"

    def as_row(self) -> dict[str, Any]:
        """The event as a row of the dataset."""
        return {"subject": self.subject, "verb": self.verb.as_row(), "object": self.object}
