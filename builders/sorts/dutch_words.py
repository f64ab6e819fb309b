"""Dutch words with their tags, features and lemmas, as UD_Dutch-Alpino writes them.

    # de   rotte  appel          het  gedicht         het: definite neuter singular, else de
    # een  klein  huisje         de   kleine huisjes  -e: but in an indefinite neuter singular

Nouns and determiners have no case: gender is said of singulars only.
"""

from builders.sorts.dutch import DutchAdjective, DutchDeterminerForm, DutchNoun, DutchVerb, WordTag
from builders.sorts.lexicon import Lexicon, Number
from builders.sorts.words import HEAD, PhraseWord


def noun_word(lexicon: Lexicon, noun: DutchNoun, number: Number, form: str) -> PhraseWord:
    """The head of a noun phrase."""
    if noun.is_diminutive:
        kind = "noun_diminutive_plural" if number == "plural" else "noun_diminutive"
    else:
        kind = "noun_plural" if number == "plural" else f"noun_{noun.gender}"
    return _word(lexicon.word_tags[kind], form, noun.lemma, HEAD, "")


def determiner_word(row: DutchDeterminerForm, head: int, deprel: str) -> PhraseWord:
    """A determiner in the form that agrees with its noun."""
    return PhraseWord(
        row.form, row.lemma_of_form, row.upos, row.xpos, row.feats or "_", head, deprel
    )


def adjective_word(lexicon: Lexicon, adjective: DutchAdjective, form: str, head: int) -> PhraseWord:
    """An attributive adjective."""
    kind = "adjective_inflected" if form == adjective.inflected else "adjective_plain"
    return _word(lexicon.word_tags[kind], form, adjective.lemma, head, "amod")


def name_word(lexicon: Lexicon, name: str) -> PhraseWord:
    """A first name."""
    return _word(lexicon.word_tags["name"], name, name, HEAD, "")


def pronoun_word(lexicon: Lexicon, form: str, number: Number) -> PhraseWord:
    """A pronoun; its lemma is the form itself."""
    row = lexicon.pronoun_forms[form, number]
    return PhraseWord(form, form, "PRON", row.xpos, row.feats, HEAD, "")


def finite_word(
    lexicon: Lexicon, verb: DutchVerb, form: str, number: Number, deprel: str
) -> PhraseWord:
    """A finite verb, main verb or auxiliary."""
    # hij leest: with -t    ik lees, lees jij, hij eet: without    wij lezen
    has_t = form in (verb.second_singular, verb.third_singular) and form != verb.first_singular
    singular = "finite_with_t" if has_t else "finite_singular"
    tag = lexicon.word_tags["finite_plural" if number == "plural" else singular]
    word = _word(tag, form, verb.infinitive, HEAD, deprel)
    return word._replace(upos="AUX") if deprel == "aux" else word


def last_finite_word(word: PhraseWord, verb: DutchVerb) -> PhraseWord:
    """The finite verb at the end of its clause, where a separable verb is one word."""
    # Omdat de advocaat een contract  opstelt .
    return word._replace(form=(verb.particle or "") + word.form)


def particle_word(lexicon: Lexicon, particle: str) -> PhraseWord:
    """The particle of a separable verb, apart from it."""
    # De advocaat  stelt  een contract  op .
    #              root                 compound:prt
    return _word(lexicon.word_tags["particle"], particle, particle, HEAD, "compound:prt")


def nonfinite_word(lexicon: Lexicon, verb: DutchVerb, *, is_participle: bool) -> PhraseWord:
    """The main verb under an auxiliary: infinitive or participle."""
    form = str(verb.participle) if is_participle else verb.infinitive
    kind = "participle" if is_participle else "infinitive"
    return _word(lexicon.word_tags[kind], form, verb.infinitive, HEAD, "root")


def _word(tag: WordTag, form: str, lemma: str, head: int, deprel: str) -> PhraseWord:
    return PhraseWord(form, lemma, tag.upos, tag.xpos, tag.feats or "_", head, deprel)
