"""The labels of annotation schemes: which ones a scheme has, and which scheme a strange one is of.

A label that its scheme does not have can never be right, so that a file of another scheme, or one
with blanks or line ends in its cells, would score a plausible 0. It is an error instead.

Source: https://universaldependencies.org/u/dep/ (version 2) and https://universaldependencies.org/
docsv1/u/dep/ (version 1); Brants et al. (2004), TIGER; Foth (2006), the Hamburg treebank (HDT);
van Noord et al. (2013), Alpino.
"""

from collections.abc import Callable, Collection, Iterable


def _labels(text: str) -> frozenset[str]:
    return frozenset(text.split())


# `verb` is the main verb of a released file of SORTS, `ROOT` what spaCy says for UD's `root`.
UD = _labels(
    "acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det"
    " discourse dislocated expl fixed flat goeswith iobj list mark nmod nsubj nummod obj obl"
    " orphan parataxis punct reparandum root vocative xcomp ROOT verb"
)
UD_1 = _labels("dobj nsubjpass csubjpass auxpass neg mwe name foreign remnant")
TIGER = _labels(
    "ac adc ag ams app avc cc cd cj cm cp cvc da dep dh dm ep hd ju mnr mo ng nk nmc oa oa2 oc"
    " og op par pd pg ph pm pnc punct rc re root rs sb sbp sp subtok svp uc vo ROOT -- ---"
)
HDT = _labels(
    "adv app attr aux avz cj det eth expl gmod grad kom kon konj koord neb ngmod npp obja obja2"
    " objc objd objg obji objp par part pn pp pred rel s subj subjc vok zeit"
)
ALPINO = _labels(
    "app body cmp cnj crd det dlink dp hd hdf ld me mod mwp nucl obcomp obj1 obj2 pc pobj1 predc"
    " predm punct rhd sat se su sup svp tag vc whd ROOT --"
)
LABELS = {"ud": UD, "tiger": TIGER, "alpino": ALPINO}

# What a strange label looks like, the surest sign first: a test of the labels and what to do.
_LOOKS: tuple[tuple[Callable[[str], bool], str], ...] = (
    (lambda label: not label.strip(), "an empty label: every scored word needs one"),
    (lambda label: label != label.strip(), "labels with blanks or line ends: strip them"),
    (lambda label: label in UD_1, "UD version 1: convert to version 2 (dobj is obj)"),
    (lambda label: label in TIGER, "TIGER: pass scheme='tiger'"),
    (lambda label: label in ALPINO, "Alpino: pass scheme='alpino'"),
    (lambda label: _plain(label) in UD, "UD: pass scheme='ud'"),
    (lambda label: label.isupper() and label.lower() in TIGER, "TIGER in upper case: lower them"),
    (lambda label: label.lower() in HDT, "the Hamburg treebank (HDT): convert to UD"),
    (lambda label: _plain(label.lower()) in UD, "UD in upper case: lower them"),
)


def check_labels(where: str, scheme: str, labels: Iterable[str]) -> None:
    """Raises a ValueError where subjects or objects have labels that a scheme does not have.

    Args:
        where: What has them, for the message.
        scheme: A key of `LABELS`.
        labels: The labels of the scored words.

    Example:
        >>> check_labels("predictions", "ud", ["SB", "OA", "SB"])
        Traceback (most recent call last):
            ...
        ValueError: predictions: deprels, got 'OA', 'SB'; expected labels of the scheme 'ud'; they \
look like TIGER in upper case: lower them, and pass scheme='tiger'
    """
    strange = sorted({label for label in labels if not _is_known(label, LABELS[scheme])})
    if not strange:
        return
    got = ", ".join(map(repr, strange[:5])) + (" ..." if len(strange) > 5 else "")
    look = _look(strange)
    if "upper case" in look and look.startswith("TIGER") and scheme != "tiger":
        look += ", and pass scheme='tiger'"
    raise ValueError(
        f"{where}: deprels, got {got}; expected labels of the scheme {scheme!r}"
        + (f"; they look like {look}" if look else "")
    )


def _is_known(label: str, labels: Collection[str]) -> bool:
    return label in labels or (labels is UD and _plain(label) in labels)


def _plain(label: str) -> str:
    """A UD label without its subtype."""
    return label.split(":")[0]


def _look(labels: Collection[str]) -> str:
    """What most of the labels look like, the earlier kind first; empty where nothing fits."""
    counts = [sum(map(fits, labels)) for fits, _ in _LOOKS]
    best = max(counts)
    return _LOOKS[counts.index(best)][1] if best else ""
