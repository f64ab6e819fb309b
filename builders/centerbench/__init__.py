"""CenterBench: center-embedded sentences, plausible and not, with six questions about each entity.

A knowledge base of nouns, verbs and licensed relations (`relations`) spans a space of chains of
relations (`embedding`); a chain gives the sentence, its events and, by reversing the noun order,
its implausible partner. Other constructions say the same events otherwise. `questions` asks and
answers; `draw` makes whole suites, `columns` their tables, `validity` checks them; `parser` finds
the events of a sentence; `released` converts the authors' own rows. A change of tables or code
that changes a row changes VERSION, which the config then names; DRAW, the VERSION that all other
rows came with, is part of every draw.

Source: Madhusudan, Chen and Emami, "The Dog the Cat Chased Stumped the Model", EACL 2026.
"""

VERSION = "3.2.0"
DRAW = "3.0.0"
