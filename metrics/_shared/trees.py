"""Dependency trees: read as flat columns, aligned word by word, and compared across label schemes.

**Alignment**: which word of a predicted tree stands for which gold word, where a parser cut the
text otherwise. Both tokenizations are cut at the character positions that they share; the predicted
word of a piece whose head lies outside of it stands for the piece. Where words that a metric asks
about do not lie in pieces of their own, what is asked of them counts as wrong.

**Labels**: a label that its scheme does not have can never be right, so that a file of another
scheme, or one with blanks in its cells, would score a plausible 0. It is an error instead.

**Annotation schemes**: which label means subject or object, and where it is attached. SORTS has
Universal Dependencies. TIGER (spaCy's German models) attaches the subject to the finite auxiliary
and the infinitive to it; Alpino (Frog, for Dutch) hangs infinitive or participle on the auxiliary.
The scheme table below makes them comparable:

    Die Katze wird die Maus sehen.    UD      nsubj(sehen, Katze) aux(sehen, wird)  obj(sehen, Maus)
                                      TIGER   sb(wird, Katze)     oc(wird, sehen)   oa(sehen, Maus)
    De kat zal de muis zien.          Alpino  su(zal, kat)        vc(zal, zien)     obj1(zien, muis)

Source: https://universaldependencies.org/u/dep/ (version 2), https://universaldependencies.org/
docsv1/u/dep/ (version 1), https://universaldependencies.org/de/ and /nl/; Brants et al. (2004), the
TIGER annotation scheme; Foth (2006), the Hamburg treebank (HDT); van Noord et al. (2013), Lassy,
for the labels of Alpino, and UD_Dutch-Alpino, which is made of them, for what they are in UD.
"""

import functools
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .columns import BoolArray, IntArray, Values
from .module import Inputs, Rows
from .plain_text import cut

UNLABELLED, NO_LABEL = -1, "_"
LONGEST = 1_000_000  # words of a clause
_listed = functools.partial(Values, depth=1, keeps_arrow=True)
TREE = {
    "heads": _listed("whole", "1-based, 0 for the root", low=0, high=LONGEST, has_none=True),
    "deprels": _listed("text", "one label per word", has_none=True),
    "tokens": _listed("text", "the words", is_optional=True),
    "surfaces": _listed("text", "how each word is written", is_optional=True),
}


def tree_inputs(metric: str, texts: Mapping[str, str], fields: Mapping[str, Values]) -> Inputs:
    """Predicted trees, and gold ones with more fields; `texts` are optional names of what is told.

    Either may be a data set.
    """
    told = {
        name: Values("name", what, is_optional=True, has_none=True) for name, what in texts.items()
    }
    gold = Rows({**TREE, **fields, **told}, as_tables)
    return Inputs(metric, {"predictions": Rows(TREE, as_tables), "references": gold})


def place_of_word(what: str) -> Values:
    """Rule of a column that names a word of the sentence."""
    return Values("whole", f"0-based word{what}", low=0, high=LONGEST)


@dataclass(frozen=True, eq=False)
class Trees:
    """n sentences with t words in all.

    Attributes:
        offsets: Shape (n + 1,); sentence i is the words [offsets[i], offsets[i + 1]).
        heads: Shape (t,); 1-based within the sentence, 0 the root, -1 unlabelled.
        surfaces: How each is written, "" behind the first word of a multiword token, or None.
    """

    where: str
    offsets: IntArray
    heads: IntArray
    deprels: pa.StringArray
    tokens: pa.StringArray | None
    surfaces: pa.StringArray | None = None

    @property
    def n(self) -> int:
        """Number of sentences."""
        return len(self.offsets) - 1

    @property
    def head_positions(self) -> IntArray:
        """Heads as positions in the flat arrays: shape (t,), -1 for the root, -2 for unlabelled."""
        firsts = np.repeat(self.offsets[:-1], np.diff(self.offsets))
        return np.where(self.heads > 0, firsts + self.heads - 1, self.heads - 1)

    def words(self, sentence: int, *, are_written: bool = False) -> list[str] | None:
        """Tokens of a sentence, or how these are written; None where there are none."""
        texts = self.surfaces if are_written and self.surfaces is not None else self.tokens
        if texts is None:
            return None
        found: list[str] = texts[self.offsets[sentence] : self.offsets[sentence + 1]].to_pylist()
        return found

    def sentence_of(self, word: int) -> int:
        """Sentence in which a word is."""
        return int(np.searchsorted(self.offsets, word, side="right")) - 1


def as_bools(values: pa.Array) -> BoolArray:
    """Truth values of an Arrow array, shape (n,)."""
    found: BoolArray = values.to_numpy(zero_copy_only=False)
    return found


def as_tables(where: str, given: Any) -> Any:
    """A data set's rows as an Arrow table; other rows as they are."""
    return given.with_format("arrow")[:] if hasattr(given, "with_format") else given


def read_trees(where: str, columns: Mapping[str, Any]) -> Trees:
    """Trees of columns `heads`, `deprels` and perhaps `tokens`, one list per sentence each.

    A head is 1-based, 0 the root, None unlabelled; a ValueError where lists differ in length, or a
    head is outside the sentence or the word itself.
    """
    offsets, heads = _flatten(where, "heads", columns["heads"], pa.int32())
    label_offsets, deprels = _flatten(where, "deprels", columns["deprels"], pa.string())
    _check_offsets(where, "deprels", label_offsets, offsets)
    texts = (
        flat_texts(where, name, columns[name], offsets) if name in columns else None
        for name in ("tokens", "surfaces")
    )
    heads = heads.fill_null(UNLABELLED).to_numpy().astype(np.int64)
    trees = Trees(where, offsets, heads, deprels.fill_null(NO_LABEL), *texts)
    _check_heads(trees)
    return trees


def flat_texts(where: str, field: str, column: Any, offsets: IntArray) -> pa.Array:
    """A text of each word, flat; a ValueError where a sentence has more or fewer than words."""
    text_offsets, texts = _flatten(where, field, column, pa.string())
    _check_offsets(where, field, text_offsets, offsets)
    return texts


def check_parsed(trees: Trees, words: IntArray, roles: Sequence[str]) -> None:
    """Raises a ValueError where a scored word has no head or label; `words` have shape (n, k)."""
    has_label = as_bools(pc.not_equal(trees.deprels, NO_LABEL))
    for is_bad, field, got, expected in (
        (trees.heads < 0, "heads", "None", "the number of a word, or 0"),
        (~has_label, "deprels", "no label", "a relation"),
    ):
        if len(bad := np.argwhere(is_bad[words])):
            i, role = bad[0]
            got = f"{field}, got {got} for the {roles[role]}"
            raise ValueError(f"{trees.where}[{i}]: {got}; expected {expected}")


def _flatten(where: str, field: str, column: Any, kind: pa.DataType) -> tuple[IntArray, pa.Array]:
    lists = to_lists(column, kind)
    offsets = lists.offsets.to_numpy().astype(np.int64)
    if len(empty := np.flatnonzero(np.diff(offsets) == 0)):
        raise ValueError(f"{where}[{empty[0]}]: {field}, got no words; expected at least one")
    return offsets - offsets[0], lists.flatten()


def to_lists(column: Any, kind: pa.DataType) -> pa.ListArray:
    """Lists as one Arrow array; their values were checked when they were read."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if isinstance(column, pa.Array):
        return column if column.type == pa.list_(kind) else column.cast(pa.list_(kind))
    return pa.array(column, pa.list_(kind))


def _check_offsets(where: str, field: str, offsets: IntArray, head_offsets: IntArray) -> None:
    if len(bad := np.flatnonzero(np.diff(offsets) != np.diff(head_offsets))):
        i = bad[0]
        n, n_heads = np.diff(offsets)[i], np.diff(head_offsets)[i]
        got = f"{field}, got {n} but {n_heads} heads"
        raise ValueError(f"{where}[{i}]: {got}; expected one of each per word")


def _check_heads(trees: Trees) -> None:
    lengths = np.diff(trees.offsets)
    ids = np.arange(len(trees.heads)) - np.repeat(trees.offsets[:-1], lengths) + 1
    limits = np.repeat(lengths, lengths)
    is_bad = (trees.heads > limits) | (trees.heads < UNLABELLED) | (trees.heads == ids)
    if len(bad := np.flatnonzero(is_bad)):
        i, word = trees.sentence_of(bad[0]), ids[bad[0]]
        got = f"heads, got {trees.heads[bad[0]]} for word {word}"
        expected = f"0 to {limits[bad[0]]}, 0 for the root, not the word itself"
        raise ValueError(f"{trees.where}[{i}]: {got}; expected {expected}")


LONGEST_SHOWN = 300  # characters of a sentence that an error shows
ALIGNMENTS = ("tokens", "text")


class Alignment(NamedTuple):
    """How t gold and u predicted words correspond.

    The predicted word that stands for each gold one, shape (t,), and the first gold word of the
    piece that each gold word, shape (t,), and each predicted word, shape (u,), is in.
    """

    representatives: IntArray
    gold_pieces: IntArray
    predicted_pieces: IntArray


def align(gold: Trees, predicted: Trees, alignment: str) -> Alignment:
    """Aligns the words of n gold and n predicted sentences.

    With "tokens" both must have the same tokens, with "text" only the same text without blanks;
    without tokens the numbers of words are compared. A ValueError names the first that differs.
    """
    words = np.arange(len(gold.heads))
    different = _different_sentences(gold, predicted)
    if not len(different):
        return Alignment(words, words, words)
    written = {i: predicted.words(i, are_written=True) for i in different.tolist()}
    is_alike = [own and [*filter(None, own)] == gold.words(i) for i, own in written.items()]
    other = different[[not is_it for is_it in is_alike]]
    is_bare = gold.tokens is None or predicted.tokens is None
    if len(other) and (alignment == "tokens" or is_bare):
        raise _token_error(gold, predicted, int(other[0]))
    # word by word from each sentence's first on: right where the tokens are the same
    shift = predicted.offsets[:-1] - gold.offsets[:-1]
    shifted = words + np.repeat(shift, np.diff(gold.offsets))
    pieces = np.arange(len(predicted.heads)) - np.repeat(shift, np.diff(predicted.offsets))
    result = Alignment(shifted, words.copy(), pieces)
    for sentence in different.tolist():
        _align_sentence(gold, predicted, sentence, result)
    return result


def _different_sentences(gold: Trees, predicted: Trees) -> IntArray:
    lengths, predicted_lengths = np.diff(gold.offsets), np.diff(predicted.offsets)
    if gold.tokens is None or predicted.tokens is None:
        return np.flatnonzero(lengths != predicted_lengths)
    if np.array_equal(lengths, predicted_lengths):
        words = np.flatnonzero(~as_bools(pc.equal(gold.tokens, predicted.tokens)))
        return np.unique(np.searchsorted(gold.offsets, words, side="right") - 1)
    return np.array([i for i in range(gold.n) if gold.words(i) != predicted.words(i)], np.int64)


def _token_error(gold: Trees, predicted: Trees, sentence: int) -> ValueError:
    place = f"{predicted.where}[{sentence}]: tokens, got"
    found, expected = predicted.words(sentence), gold.words(sentence)
    if found is None or expected is None:
        lengths = [int(np.diff(trees.offsets)[sentence]) for trees in (predicted, gold)]
        advice = "align by text only with tokens on both sides"
        return ValueError(f"{place} {lengths[0]} words; expected {lengths[1]}; {advice}")
    advice = "pass alignment='text' where only the cuts differ"
    return _text_error(place, found, expected, advice)


def _text_error(place: str, found: list[str], expected: list[str], advice: str) -> ValueError:
    got, wanted = " ".join(found), " ".join(expected)
    advice = _of_form(got, wanted) or advice
    said = f"; {advice}" if advice else ""
    shown = [repr(cut(text, LONGEST_SHOWN)) for text in (got, wanted)]
    return ValueError(f"{place} {shown[0]}; expected {shown[1]}{said}")


def _of_form(got: str, wanted: str) -> str:
    """What to do about two texts that are one text in two Unicode forms; "" for other texts."""
    for form in ("NFC", "NFD"):
        if unicodedata.normalize(form, got) == wanted:
            return f"they differ in their Unicode form alone: normalize predictions by {form}"
    return ""


def _align_sentence(gold: Trees, predicted: Trees, sentence: int, result: Alignment) -> None:
    words, predicted_words = gold.words(sentence) or [], predicted.words(sentence) or []
    if _text(words) != _text(predicted_words):
        predicted_words = predicted.words(sentence, are_written=True) or []
    if _text(words) != _text(predicted_words):
        place = f"{predicted.where}[{sentence}]: text, got"
        raise _text_error(place, predicted_words, words, "")
    ends, predicted_ends = (
        np.cumsum([len(_text([word])) for word in own]) for own in (words, predicted_words)
    )
    cuts = np.intersect1d(ends, predicted_ends)
    first, predicted_first = gold.offsets[sentence], predicted.offsets[sentence]
    own = slice(first, first + len(words))
    others = slice(predicted_first, predicted_first + len(predicted_words))
    pieces, predicted_pieces = np.searchsorted(cuts, ends), np.searchsorted(cuts, predicted_ends)
    first_words = first + np.searchsorted(pieces, np.arange(len(cuts)))
    result.gold_pieces[own] = first_words[pieces]
    result.predicted_pieces[others] = first_words[predicted_pieces]
    heads = predicted.heads[others]
    standing = np.array([_standing_word(predicted_pieces, heads, k) for k in range(len(cuts))])
    result.representatives[own] = predicted_first + standing[pieces]


def _text(words: list[str]) -> str:
    return "".join("".join(words).split())


def _standing_word(pieces: IntArray, heads: IntArray, piece: int) -> int:
    """First word of a piece whose head is the root or lies in another piece."""
    members = np.flatnonzero(pieces == piece).tolist()
    outer = (word for word in members if heads[word] <= 0 or pieces[heads[word] - 1] != piece)
    return next(outer, members[0])


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# `verb` is the main verb of a released file of SORTS, `ROOT` what spaCy says for UD's `root`.
UD = _words(
    "acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det"
    " discourse dislocated expl fixed flat goeswith iobj list mark nmod nsubj nummod obj obl"
    " orphan parataxis punct reparandum root vocative xcomp ROOT verb"
)
UD_1 = _words("dobj nsubjpass csubjpass auxpass neg mwe name foreign remnant")
TIGER = _words(
    "ac adc ag ams app avc cc cd cj cm cp cvc da dep dh dm ep hd ju mnr mo ng nk nmc oa oa2 oc"
    " og op par pd pg ph pm pnc punct rc re root rs sb sbp sp subtok svp uc vo ROOT -- ---"
)
HDT = _words(
    "adv app attr aux avz cj det eth expl gmod grad kom kon konj koord neb ngmod npp obja obja2"
    " objc objd objg obji objp par part pn pp pred rel s subj subjc vok zeit"
)
ALPINO = _words(
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
    """Raises a ValueError where subjects or objects have labels that a scheme does not have."""
    known, is_ud = LABELS[scheme], scheme == "ud"
    strange = sorted({x for x in labels if x not in known and not (is_ud and _plain(x) in known)})
    if not strange:
        return
    got = ", ".join(map(repr, strange[:5])) + (" ..." if len(strange) > 5 else "")
    counts = [sum(map(fits, strange)) for fits, _ in _LOOKS]
    look = _LOOKS[counts.index(max(counts))][1] if any(counts) else ""  # the earliest of most
    if "upper case" in look and look.startswith("TIGER") and scheme != "tiger":
        look += ", and pass scheme='tiger'"
    raise ValueError(
        f"{where}: deprels, got {got}; expected labels of the scheme {scheme!r}"
        + (f"; they look like {look}" if look else "")
    )


def check_scheme(predicted: Trees, scheme: str, needed: Collection[str] = ()) -> None:
    """Refuses trees of UD version 1 by any of their labels, and several without a needed label."""
    labels = set(pc.unique(predicted.deprels).to_pylist())
    if scheme == "ud" and (older := labels & UD_1):
        check_labels(predicted.where, scheme, older)
    if needed and predicted.n > 2 and not {*map(_plain, labels)} & {*needed}:
        got = f"none of {', '.join(needed)} in {predicted.n:,} sentences"
        raise ValueError(f"{predicted.where}: deprels, got {got}; expected labels of relations")


def _plain(label: str) -> str:
    """A UD label without its subtype."""
    return label.split(":")[0]


SUBJECT, OBJECT = "nsubj", "obj"
# What the merged scores hold equal: a parser that calls a dative or a selected oblique by its own
# name has understood the clause.
MERGED_OBJECTS = ("obj", "iobj", "obl:arg")
# Closed classes, needed to know an auxiliary in a predicted tree.
WERDEN = _words("werde wirst wird werden werdet")
# The verbs that the Dutch UD treebanks call aux or aux:pass.
DUTCH_AUXILIARIES = _words(
    "heb hebt heeft hebben had hadden gehad ben bent is zijn was waren geweest word wordt worden"
    " werd werden geworden zal zult zul zullen zou zouden kan kunt kun kunnen kon konden moet"
    " moeten moest moesten mag mogen mocht mochten krijg krijgt krijgen kreeg kregen"
)


class AnnotationScheme(NamedTuple):
    """How a parser's labels are read.

    Attributes:
        relations: The parser's label of an argument, and the UD relation that it means.
        clause_complement: The label of an infinitive or participle under its auxiliary, to which
            arguments of the auxiliary move; empty for none.
        auxiliaries: The forms of verbs whose arguments move, in lower case.
        subject: The parser's label of a subject; its absence tells that another scheme was meant.
        phrases: The parser's label of a preposition that heads its phrase, and the UD relations of
            the noun that it may mean; empty where the noun is the head.
    """

    relations: Mapping[str, str]
    clause_complement: str
    auxiliaries: frozenset[str]
    subject: str
    phrases: Mapping[str, tuple[str, ...]]


ANNOTATION_SCHEMES = {
    "ud": AnnotationScheme({}, "", frozenset(), SUBJECT, {}),
    "tiger": AnnotationScheme(
        {"sb": SUBJECT, "oa": OBJECT, "da": "iobj"},
        "oc",
        WERDEN,
        "sb",
        {
            "mo": ("obl",),  # sieht mit dem Fernglas
            "op": ("obl:arg", "nmod"),  # wartet auf den Bericht; das Interesse an der Frau
            "mnr": ("nmod",),  # die Frau mit dem Fernglas
            "pg": ("nmod",),  # die Frau von dem Mann
            "cvc": ("obl", "obl:arg"),  # kommt zur Sprache
            "sbp": ("obl",),  # wird von dem Mann gesehen
        },
    ),
    "alpino": AnnotationScheme(
        {"su": SUBJECT, "obj1": OBJECT, "obj2": "iobj"},
        "vc",
        DUTCH_AUXILIARIES,
        "su",
        {
            "mod": ("obl", "nmod"),  # ziet met de kijker; de vrouw met de kijker
            "pc": ("obl:arg", "nmod"),  # wacht op het rapport; de vraag naar het rapport
            "ld": ("obl:arg", "obl"),  # woont in de stad
        },
    ),
}


def relation(label: str, scheme: AnnotationScheme, *, with_subtypes: bool) -> str:
    """UD relation that a parser's label means, by default without its subtype."""
    label = scheme.relations.get(label, label)
    return label if with_subtypes else label.split(":")[0]


def merged_relation(label: str, scheme: AnnotationScheme, *, with_subtypes: bool) -> str:
    """Same relation with `obj`, `iobj` and `obl:arg` merged into `obj`."""
    plain = relation(label, scheme, with_subtypes=with_subtypes)
    return OBJECT if plain in MERGED_OBJECTS or label in MERGED_OBJECTS else plain


def scheme_of(labels: Iterable[str]) -> str:
    """Annotation scheme of a parser, told from its label of subjects; "ud" where it has none.

    Example:
        >>> scheme_of(["ROOT", "nk", "oa", "sb"]), scheme_of(["root", "nsubj:pass"])
        ('tiger', 'ud')
    """
    names = set(map(_plain, labels))
    fitting = (name for name, scheme in ANNOTATION_SCHEMES.items() if scheme.subject in names)
    return next(fitting, "ud")


def reattach(heads: IntArray, is_complement: BoolArray, is_auxiliary: BoolArray) -> IntArray:
    """New heads: dependents of an auxiliary move to its infinitive, the first of several.

    Heads are positions, negative for none, shape (n,); those of the infinitives themselves stay.
    """
    infinitives = np.flatnonzero(is_complement & (heads >= 0))[::-1]
    infinitive_of = np.full(len(heads), -1)
    infinitive_of[heads[infinitives]] = infinitives
    target = np.where(heads >= 0, infinitive_of[heads], -1)
    moves = (target >= 0) & is_auxiliary[heads] & (target != np.arange(len(heads)))
    return np.where(moves, target, heads)
