"""CenterBench: center-embedded sentences, plausible and implausible, with six questions about each of their entities.

A knowledge base of nouns, verbs and licensed relations (`relations`) spans a space of chains of
relations (`embedding`); a chain gives the sentence, its events and, by reversing the noun order,
its implausible partner. `questions` asks and answers; `draw` makes whole suites; `parser` finds the
events of a sentence; `released` converts the authors' own rows.

Source: Madhusudan, Chen and Emami, "The Dog the Cat Chased Stumped the Model", EACL 2026.
"""
