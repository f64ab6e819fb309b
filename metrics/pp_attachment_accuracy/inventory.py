"""The closed sets of the suite `pp_attachment`: where a phrase stands, what decides, what differs.

Source: written for this project; topological fields as in de Kok et al. (2017), "PP Attachment:
Where do We Stand?", EACL, and in SORTS.
"""

# Mit dem Fernglas sieht der Mann die Frau .            before_verb
# Die Frau mit dem Fernglas sieht der Mann .            inside_np
# Der Mann sieht die Frau mit dem Fernglas .            next_to_noun
# Der Mann sieht die Frau heute mit dem Fernglas .      away_from_noun
# Der Mann hat die Frau gesehen mit dem Fernglas .      after_bracket
POSITIONS = ("before_verb", "inside_np", "next_to_noun", "away_from_noun", "after_bracket")

# Another head is grammatical: possible but not what a reader takes, or as good as the gold one.
UNDECIDED = ("plausibility", "none")
RESOLVED_BY = ("topology", "selection_verb", "selection_noun", "exclusion", *UNDECIDED)

# What alone differs between the two members of a pair.
TOPOLOGY = "topology"
PAIR_FACTORS = (
    TOPOLOGY,
    "position",
    "verb",
    "noun",
    "preposition",
    "filler",
    "definiteness",
    "pronoun",
)
