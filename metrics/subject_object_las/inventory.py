"""The closed sets of SORTS: word orders, property tags, what settles a clause.

Names are the final ones of the authors' repository; `builders/sorts/data/label_schemes.tsv` maps
the older ones.

Source: Fischer et al. (2020), section 3 and tables 7 and 9.
"""

# Subject before object, then object before subject, in the order of the paper's tables.
WORD_ORDERS = (
    "LK[V]MF[SO]",
    "VF[S]LK[V]MF[O]",
    "VF[ADV]LK[V]MF[SO]",
    "MF[SO]VC[V]",
    "LK[V]MF[OS]",
    "VF[O]LK[V]MF[S]",
    "VF[ADV]LK[V]MF[OS]",
    "MF[OS]VC[V]",
)
SVO, OVS = "VF[S]LK[V]MF[O]", "VF[O]LK[V]MF[S]"

# `base` fills the place of a second property and is no class; `acc` is the clause without
# variation.
NO_PROPERTY = "base"
MORPHO_SYNTACTIC = ("acc", "dat", "amb", "spron", "opron", "oneg", "aux", "pp")
SEMANTIC = (
    "sinan",
    "oan",
    "invan",
    "regpol",
    "sname",
    "semas",
    "noref",
    "psy",
    "vlight",
    "syn",
    "prov",
)
PROPERTIES = MORPHO_SYNTACTIC + SEMANTIC

# The reverse reading is grammatical: possible but not what a reader takes, or as good as the other.
UNDECIDED = ("plausibility", "none")
# `order`, in Dutch: the reverse reading has an order of phrases that is not grammatical.
RESOLVED_BY = ("case", "agreement", "animacy", "selection", "lexicalised", "order", *UNDECIDED)

# Forms that only pronouns of the first or second person have, in German and Dutch: *ihr* can be of
# the third.
LOCAL_PRONOUNS = (
    *("ich", "du", "wir", "mich", "mir", "dich", "dir", "uns", "euch"),
    *("ik", "jij", "je", "wij", "we", "mij", "me", "jou", "ons", "jullie"),
)
