"""What the comparison takes, from a cell that somebody wrote to the table that is compared.

One score per system, unit and run, or item; cells as people write numbers and blanks; names of
scores that the field uses, with their direction; and the table of all, complete or not.
"""

import functools
import math
import re
import sys
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from .._shared.columns import FloatArray, IntArray, Values, shown
from .._shared.module import Inputs

Table = Mapping[str, Sequence[Any]]
"""Cells by the name of their column."""
Clusters = IntArray | None
"""Number of each unit's cluster, shape (U,) or (U, 2); None for independent units."""
Place = Callable[[str, int], str]
"""Where the cell of a column and row stands, for messages."""

METRIC = "ranking_generalizability"
INPUTS = Inputs(
    METRIC,
    {
        "system": Values("name", "name of the system"),
        "unit": Values("name", "what was resampled and scored by all systems"),
        "repeat": Values("name", "which run on that unit", is_optional=True),
        "item": Values("name", "which item of the unit the score is of", is_optional=True),
        "score": Values("number", "the score"),
        "cluster": Values("name", "which units belong together", is_optional=True),
        "crossed": Values("name", "what they share across clusters", is_optional=True),
    },
)


def refusal(where: object, got: object, expected: str) -> ValueError:
    """The error about an input: where it stands and what it is, what was found and expected."""
    return ValueError(f"{where}, got {got}; expected {expected}")


# --- Cells of a table as scores: numbers as people write them, blanks by their usual spellings
#
# What is read beyond a plain number is said; what is no number is an error with its place.

PLAIN = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
SPELLINGS = """\
nan|na|n/a|#n/a|#na|<na>|n.a.|na.|n.a|n/d|nd|n.d.|k.a.|k. a.|null|none|nil|nat|-|--|---|.|..|...|?
??|???|tbd|tba|todo|t.b.d.|oom|o.o.m.|out of memory|oot|timeout|time out|timed out|t/o|dnf|dnr
failed|fail|failure|crash|crashed|diverged|error|missing|unknown|not available|not applicable
not reported|nr|n.r.|pending|running|skipped|x|#div/0!|#ref!|#value!|#num!|#null!|#name?
not run|not tested|not evaluated|untested|unavailable|no data|tbc|in progress|killed|(none)|[none]
(-)|\\textemdash|\\textendash|\\emdash|\\texttimes|\\times|&mdash;|&ndash;|&nbsp;|_|__|***|k.a|o. a.
\u2010|\u2012|\u2e3a|\u00b7|\u30fb|\u7f3a\u5931|\u672a\u6d4b
\u2013|\u2014|\u2015|\u2212|\u2026|\u2717|\u2718|\u274c|\u00d7|\u2205|\u6ca1\u6709|\u65e0
"""
MISSING = frozenset(SPELLINGS.replace("\n", "|").split("|"))
"""Spellings of a missing score in small letters."""
SPACES = re.compile(r"[\s\u200b\u200c\u200d\u2060\ufeff]+")
WRAPPED = [
    re.compile(pattern, re.DOTALL)
    for pattern in (
        r"\*{1,3}([^*]+)\*{1,3}",
        r"_{1,3}([^_]+)_{1,3}",
        r"`+([^`]+)`+",
        r"\$+([^$]+)\$+",
        r"<(?:b|i|u|em|strong|mark|span|td|p)(?:\s[^>]*)?>(.+)</(?:b|i|u|em|strong|mark|span|td|p)>",
        r"\\(?:text(?:bf|it|rm|sc|sf|tt|sl)?|emph|underline|uline|math(?:bf|it|rm|sf)|bm|boldsymbol"
        r"|bf|num|best|second|first|textbf)\s*\{(.+)\}",
        r"\{?\\(?:bf|bfseries|it|itshape|em|boldmath|large|small)\s+([^}]+?)\s*\}?",
        r"\\(?:cellcolor|textcolor|color|rowcolor)(?:\[[^\]]*\])?\{[^}]*\}\s*\{?([^}]+)\}?",
        r"\{([^{}]+)\}",
    )
]
WITH_SPREAD = re.compile(r"(.*\d.*?)(?:\u00b1|\+/-|\+-|\\pm)(.*)", re.DOTALL)
BEFORE_SPREAD = re.compile(r"(?:\s|[$_{(]|\\(?:tiny|small|scriptsize|footnotesize))+$")
SPREAD = re.compile(r"[\s${}]*\d[\d.,]*\s*\\?%?[\s)}$]*|[\s${}]*\.\d+[\s)}$]*")
GROUPED = re.compile(r"([-+]?\d{1,3})((?:[ '\u2019]\d{3})+)([.,]\d+)?")
COMMA_GROUPS = re.compile(r"[-+]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?")
POINT_GROUPS = re.compile(r"[-+]?[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?")
COMMA = re.compile(r"[-+]?\d*,\d+(?:[eE][-+]?\d+)?")
LIKE = re.compile(
    r"[^\w\s]{0,3}\s*[-+]?\d[\d.,'\u2019\s]*(?:[eE][-+]?\d+)?[^\w]*(?:[\d.,]+[^\w]*)?"
)
DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[T ].*)?|\d{1,2}:\d\d(?::\d\d)?")
INTERVAL = re.compile(r"\s*[-+]?\d[\d.,]*\s*%?\s*[\[(]\s*[-+]?\d[^()\[\]]*\d\s*%?\s*[\])]\s*")
MARKED = re.compile(
    r"^(?:\\[A-Za-z]+|[\s{}$*_^~<>=\u2248(]+)*[-+\u2212]?(\d+[.,]?\d*|[.,]\d+)(?![^\W_]|[.,:-])"
    r"|(?<![\w.,-])(\d+[.,]\d+)(?![\d.,:/]|[BMK]\b)"
)
"""A number that a text begins with behind marks, or a decimal one that is no part of a word."""
LARGEST = sys.float_info.max
MOST_NAMED = 5
MOST_QUOTED = 3
MOST_LOOKED_AT = 5000  # cells of a column, to tell what it holds
DIGITS = frozenset("0123456789")
SAID = {
    "blank": "blank {}",
    "bold": "{} with bold or other marks",
    "spread": "{} with \u00b1: what follows is not used",
    "percent": "{} with a percent sign",
    "share": "{} with a percent sign, divided by 100 as the others are shares",
    "decimal comma": "{} with a decimal comma",
    "thousands": "{} with a thousands mark",
    "digits": "{} with digits of another script",
    "truth": "{} with truth values, as 1 and 0",
}
"""What is said of cells that are no plain numbers."""
Said = dict[str, list[tuple[str, int, str, float]]]
"""Such cells by a key of SAID: column, row, text and value."""


def read_scores(
    columns: Table, place: Place, is_european: bool
) -> tuple[dict[str, list[float]], list[str]]:
    """Columns of scores as floats, nan where a cell is blank; and what is said of their cells.

    `is_european`: a comma that may be a thousands or a decimal mark is a decimal one, as in a file
    with semicolons. A ValueError for a cell that is no number and no blank, or has two readings.
    """
    mark = decimal_mark(columns, place, is_european)
    _check_signs(columns, place)
    found: dict[str, list[float]] = {name: [] for name in columns}
    said: Said = {"blank": []}
    expected = "a number, or nothing or such as NA where there is none"
    for name, cells in columns.items():
        for i, cell in enumerate(cells):
            value, kinds = _value(cell, mark)
            if "blank" not in kinds and not math.isfinite(value):
                raise refusal(f"{METRIC}: {place(name, i)}", shown(cell), expected)
            found[name].append(value)
            text = "" if "blank" in kinds and not isinstance(cell, str) else str(cell)
            for kind in sorted(kinds):
                said.setdefault(kind, []).append((name, i, text, value))
    _settle_percent(found, said)
    return found, [_remark(kind, of_kind, place) for kind, of_kind in said.items() if of_kind]


def _remark(kind: str, cells: Sequence[tuple[str, int, str, float]], place: Place) -> str:
    ends = ["" if kind == "blank" else f" as {value:.12g}" for *_, value in cells]
    named = [f"{place(n, i)} {shown(t)}{e}" for (n, i, t, _), e in zip(cells, ends, strict=True)]
    what = SAID[kind].format("cell" if len(cells) == 1 else "cells")
    return f"{len(cells):,} {what}: {some_of(named)}."


def _check_signs(columns: Table, place: Place) -> None:
    """Refuses `+1.2` beside 80.1: it says how far it is from another score."""
    signed, plain = "", ""
    for name, cells in columns.items():
        for i, cell in enumerate(cells):
            if isinstance(cell, str) and (text := cell.strip())[:1] == "+" and text[1:2].isdigit():
                signed = signed or f"{place(name, i)}, got {shown(cell)}"
            elif not plain and _is_like_number(cell) and re.search("[1-9]", str(cell)):
                plain = "" if str(cell).strip()[:1] in "-\u2212" else str(cell).strip()
    if signed and plain:
        expected = "scores, and no differences from another score"
        raise ValueError(f"{METRIC}: {signed} beside {shown(plain)}; expected {expected}")


def kind_of(cells: Sequence[Any]) -> str:
    """`number` where half of a column's cells look like it, `mixed` where some, `text`, `empty`."""
    step = 1 + len(cells) // MOST_LOOKED_AT
    filled = [cell for cell in cells[::step] if not is_blank(cell)]
    if not filled:
        return "empty"
    n = sum(map(_is_like_number, filled))
    return "number" if 2 * n >= len(filled) else "mixed" if n else "text"


def counts_rows(cells: Sequence[Any]) -> bool:
    """Whether the cells that are not blank are the whole numbers from 0 or 1 on."""
    numbers = [str(cell).strip() for cell in cells if not is_blank(cell)]
    return numbers[:1] in (["0"], ["1"]) and numbers == [
        str(i + int(numbers[0])) for i in range(len(numbers))
    ]


def check_intervals(table: Table, names: Iterable[str]) -> None:
    """Refuses columns of numbers with an interval in the cell; a ValueError names the first."""
    for name in names:
        cell = next((c for c in table[name] if isinstance(c, str) and INTERVAL.fullmatch(c)), None)
        if cell is not None:
            raise refusal(f"{METRIC}: data: {name}", shown(cell), "a number alone")


def check_marked(table: Table, names: Sequence[str], scores: Sequence[str]) -> None:
    """Refuses columns of text, but of counts and costs, whose cells mostly are like `95.9 F1`."""
    plain = [str(cell).strip() for name in scores for cell in table[name]]
    sizes = [abs(float(text)) for text in plain if PLAIN.fullmatch(text)] or [0, LARGEST]
    low, high = min(sizes) / 2, min(2 * max(sizes), LARGEST)
    for name in names:
        filled = [(i, cell) for i, cell in enumerate(table[name]) if not is_blank(cell)]
        marked = [
            (i, cell)
            for i, cell in filled
            for match in MARKED.finditer(str(cell))
            if low <= float((match[1] or match[2]).replace(",", ".")) <= high
        ]
        if 2 * len(dict(marked)) > len(filled) and meaning_of(name).kind in ("", "score"):
            (place, cell), ignoring = marked[0], f"columns={{'ignored': {name!r}}}"
            expected = f"a number alone, or to ignore the column: {ignoring}"
            raise refusal(f"{METRIC}: data: row {place + 1}: {name}", shown(cell), expected)


def is_blank(cell: Any) -> bool:
    """Whether a cell holds no score: nothing, nan, or a usual spelling of missing."""
    if isinstance(cell, str):
        if cell[:1] in DIGITS:
            return False
        return _bare(cell).casefold() in MISSING or _unwrapped(cell)[0].casefold() in MISSING
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(cell, float) and math.isnan(cell)


def decimal_mark(columns: Table, place: Place, is_european: bool) -> str:
    """The decimal mark of texts, a comma where one cell shows it; a ValueError if none tells."""
    seen: dict[str, tuple[str, str]] = {}
    for name, cells in columns.items():
        for i, cell in enumerate(cells):
            if isinstance(cell, str) and ("," in cell or "." in cell):
                kind = _mark_of(_unwrapped(cell)[0], is_european)
                if kind and kind not in seen:
                    seen[kind] = (place(name, i), cell)
    if "," in seen and "." in seen:
        (first, a), (second, b) = seen[","], seen["."]
        raise ValueError(
            f"{METRIC}: {first}, got {shown(a)}, but {second} {shown(b)}; expected one decimal mark"
        )
    # a cell without a mark, as 998 beside `1.081`: decimals would all have one
    has_whole = any(str(cell).strip().isdecimal() for of in columns.values() for cell in of)
    unclear = seen.get("groups" if is_european and has_whole else "unclear")
    if unclear and not {",", "."} & set(seen) and (not is_european or "groups" in seen):
        mark = "point" if is_european else "comma"
        got = f"{shown(unclear[1])}, where the {mark} may be a thousands or a decimal mark"
        expected = "a number without it, or another cell that tells"
        raise refusal(f"{METRIC}: {unclear[0]}", got, expected)
    return "," if "," in seen or ("unclear" in seen and "." not in seen) else "."


def _mark_of(text: str, is_european: bool = False) -> str:
    """Which decimal mark a number shows: `.`, `,`, `unclear`, `groups` by a point, or none."""
    text = text.strip("%")
    if COMMA_GROUPS.fullmatch(text):
        return "." if text.count(",") > 1 or "." in text else "unclear"
    if POINT_GROUPS.fullmatch(text) and (text.count(".") > 1 or "," in text):
        return ","
    if COMMA.fullmatch(text):
        return ","
    if not PLAIN.fullmatch(text) or "." not in text:
        return ""
    return "." if not POINT_GROUPS.fullmatch(text) else "groups" if is_european else ""


def _value(cell: Any, mark: str) -> tuple[float, Collection[str]]:
    """Value of a cell and what it shows beyond a number; not finite where it is none."""
    if isinstance(cell, float | int) and not isinstance(cell, bool) and abs(cell) <= LARGEST:
        return float(cell), set()
    if isinstance(cell, str) and mark == "." and cell.isascii() and PLAIN.fullmatch(cell):
        return float(cell), set()
    if is_blank(cell):
        return math.nan, {"blank"}
    if not isinstance(cell, str):
        is_truth = type(cell).__name__ == "bool"
        is_number = _is_like_number(cell) and (is_truth or not isinstance(cell, int))  # no huge one
        return (float(cell) if is_number else math.nan), {"truth"} if is_truth else set()
    if cell.strip().casefold() in ("true", "false"):
        return float(cell.strip().casefold() == "true"), {"truth"}
    text, kinds = _unwrapped(cell)
    if text.endswith("%"):
        text, kinds = text[:-1].rstrip().rstrip("\\").rstrip(), kinds | {"percent"}
    if GROUPED.fullmatch(text):
        text, kinds = re.sub(r"[ '\u2019]", "", text), kinds | {"thousands"}
    groups = POINT_GROUPS if mark == "," else COMMA_GROUPS
    if groups.fullmatch(text):
        text, kinds = text.replace("." if mark == "," else ",", ""), kinds | {"thousands"}
    if mark == "," and "," in text:
        text, kinds = text.replace(",", "."), kinds | {"decimal comma"}
    return (float(text) if PLAIN.fullmatch(text) else math.nan), kinds


@functools.lru_cache(maxsize=65536)
def _unwrapped(cell: str) -> tuple[str, frozenset[str]]:
    """Text of a number without marks of text, and what follows a plus-minus sign; their kinds."""
    text, kinds = _bare(cell), set[str]()
    if any(not c.isascii() and c.isdecimal() for c in text):
        text = "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in text)
        kinds.add("digits")
    text = text.translate({0xFF0E: ".", 0xFF0C: ",", 0xFF05: "%", 0x066B: "."})
    text = re.sub("^[\u2212\ufe63\uff0d](?=[\\d.,])", "-", text)
    for _ in range(8):
        if (parts := WITH_SPREAD.fullmatch(text)) and SPREAD.fullmatch(parts[2]):
            text, found = BEFORE_SPREAD.sub("", parts[1]), "spread"
            text = text.lstrip("$") if text.count("$") % 2 else text
        elif match := next(filter(None, (rule.fullmatch(text) for rule in WRAPPED)), None):
            text, found = match[1].strip(), "bold"
        else:
            break
        kinds.add(found)
    return text, frozenset(kinds)


def _bare(cell: str) -> str:
    """A cell without blanks around it and with one blank for several."""
    return SPACES.sub(" ", unicodedata.normalize("NFC", cell)).strip()


def _is_like_number(cell: Any) -> bool:
    if not isinstance(cell, str):
        return hasattr(cell, "__float__") and getattr(cell, "ndim", 0) == 0
    if PLAIN.fullmatch(cell) or cell.strip().casefold() in ("true", "false"):
        return True
    text = _unwrapped(cell)[0]
    return bool(LIKE.fullmatch(text)) and not DATE.fullmatch(text)


def _settle_percent(found: dict[str, list[float]], said: Said) -> None:
    """Divides by 100 what has a percent sign where all that have none are shares."""
    signed = {(name, i) for name, i, *_ in said.get("percent", ())}
    others = [
        value
        for name, column in (found if signed else {}).items()
        for i, value in enumerate(column)
        if not math.isnan(value) and (name, i) not in signed
    ]
    if others and all(0 <= value <= 1 for value in others):
        for name, i in signed:
            found[name][i] /= 100
        moved = said.pop("percent")
        said["share"] = [(name, i, text, value / 100) for name, i, text, value in moved]


TURNS = re.compile(r"[\u200e\u200f\u202a-\u202e\u2066-\u2069]")  # marks of Unicode's bidi


def on_one_line(name: str) -> str:
    """A name on one line; marks that turn text around are spelt."""
    return TURNS.sub(lambda mark: f"U+{ord(mark[0]):04X}", " ".join(name.split()))


def in_code(name: object) -> str:
    """A name as code in a sentence of Markdown, which no name of a file can leave."""
    return "`{}`".format(on_one_line(str(name)).replace("`", "'"))


def some_of(named: Sequence[str], most: int = MOST_NAMED) -> str:
    """As many texts as a sentence holds, and how many more there are."""
    more = len(named) - most
    return ", ".join(named[:most]) + (f" and {more:,} more" if more > 0 else "")


def quoted(names: Sequence[Any]) -> str:
    """Some names as code, as many as a sentence holds."""
    return some_of([in_code(name) for name in names], MOST_QUOTED)


# --- What names of columns, metrics and rows mean: a score and its direction, a count, an average
#
# The table stands here as text, since only Python files travel with a metric. A name is compared as
# words: `macro-F1`, `eval/f1_macro` and `F1 (macro)` are all `f1`.

TABLE = """\
# source: directions in lm-eval 0.4.13, torchmetrics 1.8 and scikit-learn 1.7; other usual names
# licence: Apache-2.0
# notes: things are counts where all are whole; cost is a score where a table has no other
kind	better	names
average	_	aggregate|aggregated|all|ave|average|avg|combined|composite|durchschnitt|\
durchschnittlich|gemiddeld|gemiddelde|geomean|gesamt|grand total|macro|mean|means|media general|\
median|micro|mittel|mittelwert|moyenne|overall|promedio|schnitt|summary|totaal|unweighted|\
weighted|ø|合计|均值|平均|平均值|平均分|平均数|总体|总分|总计|整体|整體|綜合|総合|總分|總體|综合
cost	higher	examples per second|fps|it s|qps|rps|samples per second|sentences per second|\
speed|speedup|throughput|tok s|tokens per second|tokens s|tps|words per second
cost	lower	carbon|co2|cost|costs|cpu time|delay|duration|elapsed|emissions|energy|\
evaluation time|gpu hours|gpu memory|gpu time|hours|inference time|kwh|latency|memory|\
memory usage|milliseconds|minutes|ms|peak memory|price|ram|response time|run time|s it|sec|\
seconds|secs|time|tpot|train time|training time|ttft|usd|vram|wall clock|walltime
count	_	anno|année|año|beam|beams|bypass|citations|completed samples|context|context length|\
context window|contexte|contexto|count|counts|created|date|dim|dimension|dimensions|dims|\
downloads|dropout|examples|flop|flops|gflops|hidden dim|hub likes|instances|jaar|jahr|kontext|\
kontextlänge|learning rate|length|likes|lr|macs|max tokens|param|parameters|params|population|\
records|release date|release year|rows|sample count|sample len|samples|scored samples|shots|size|\
stars|support|temperature|tflops|timestamp|top k|top p|total samples|trainable params|\
training examples|unscored samples|vocab|votes|weight decay|year|\u5e74\u4efd
difference	_	abs diff|abs difference|absolute diff|absolute difference|change|decrease|delta|\
diff|difference|drop|gain|gains|gap|improvement|improvements|increase|reduction|\
relative improvement|δ
extreme	_	best|max|maximum|min|minimum|top|worst
index	_	id|idx|index|no|nr|number|place|position|rank|ranking|ranks|row|row number
score	higher	acc|acc bytes|acc mutual info|acc norm|accuracies|accuracy|accuracy core|\
agreement|ari|attachment score|auc|auprc|auroc|average precision|balanced accuracy|bert score|\
bleu|bleurt|blex|c index|chrf|cider|clas|cohen kappa|comet|commitment|completeness|concordance|\
correct|correctness|correlation|cosine similarity|coverage|dice|elo|elo rating|em|exact match|\
exactitud|exactitude|explained variance|extractive match|f beta|f measure|f05|f1|f2|faithfulness|\
fluency|fscore|genauigkeit|gini|gleu|helpfulness|hit|hit rate|hits|homogeneity|hypervolume|\
inception score|index of agreement|informedness|iou|is correct|jaccard|kappa|kendall|kendall tau|\
kge|labeled attachment score|las|lift|likelihood|loglikelihood|logprob|macro f1|main score|map|\
match|matthews correlation|mc1|mc2|mcc|mean average precision|mean iou|mean reciprocal rank|\
meteor|micro f1|miou|mlas|mos|moverscore|mrr|nauwkeurigheid|ndcg|neg brier score|neg log loss|\
neg max error|neg mean absolute error|neg mean absolute percentage error|neg mean squared error|\
neg mean squared log error|neg median absolute error|neg perplexity|neg root mean squared error|\
nist|nmi|nse|pair accuracy|pass|pass rate|pearson|pearsonr|percent correct|percentage correct|\
performance|pesq|points|pr auc|precisie|precision|precisión|prefix exact match|précision|psnr|\
purity|quadratic kappa|quality|quasi exact match|quasi prefix exact match|r squared|r2|rand index|\
rank correlation|rating|recall|relevance|resolution|resolved|return|reward|roc auc|rouge|rouge l|\
rouge lsum|rouge1|rouge2|sacrebleu|score|sdr|sensitivity|share correct|si sdr|silhouette|\
similarity|snr|solve rate|spearman|spearmanr|specificity|spice|ssim|stoi|string match|success|\
success rate|svo ovs score|tnr|topology pair accuracy|tpr|true negative rate|true positive rate|\
uas|unlabeled attachment score|upos|usefulness|utility|v measure|winrate|wins|word accuracy|xpos|\
\u51c6\u786e\u7387|\u5206\u6570|\u5f97\u5206|\u6b63\u786e\u7387|\u7cbe\u5ea6
score	_	adversarial success|adversarial success rate|self bleu
score	lower	absolute error|attack success rate|ave rank|average displacement error|\
average rank|average ranking|avg rank|avg ranking|bits per byte|bits per char|bits per character|\
bits per dim|bits per token|bits per word|bpb|bpc|bpd|bpt|brier|brier score|byte perplexity|\
calibration error|ce loss|cer|char error rate|character error rate|classification error|\
crash rate|crossentropy|crps|davies bouldin|der|deviance|diarization error rate|distance|\
distortion|divergence|earth movers distance|ece|edit distance|eer|energy score|equal error rate|\
err|error|error rate|errors|expected calibration error|expected regret|fad|fail rate|failure rate|\
failures|false acceptance rate|false alarm rate|false discovery rate|false negative rate|\
false positive rate|false rejection rate|far|fdr|fid|fnr|fpr|fpr95|frechet inception distance|frr|\
fvd|garden path error rate|gper|hallucination|hallucination rate|hallucinations|hamming loss|\
hausdorff|hausdorff distance|hinge loss|hter|inertia|jailbreak rate|jer|js divergence|kid|kl|\
kl divergence|levenshtein|levenshtein distance|log perplexity|logloss|loss|losses|lpips|mae|mape|\
mase|match error rate|max error|mcd|mce|mean absolute error|mean absolute percentage error|\
mean error|mean rank|mean squared error|medae|median absolute error|median rank|\
mel cepstral distortion|mer|mindcf|miss rate|misses|mse|msle|neg log likelihood|\
negative loglikelihood|nll|perplexities|perplexity|phone error rate|phoneme error rate|\
pinball loss|ppl|regret|relative error|risk|rmsd|rmse|rmsle|root mean square error|\
root mean squared error|sentence error rate|ser|smape|squared error|stress|surprisal|swap rate|\
ter|test error|token error rate|token perplexity|toxicity|translation edit rate|\
translation error rate|unparsed rate|violation rate|violations|wasserstein|wer|wil|\
word error rate|word perplexity|zero one loss
spread	_	ci|ci 95|conf int|confidence interval|iqr|margin of error|p val|pvalue|s d|sem|sig|\
significance|significant|standard deviation|standard error|std|std dev|std error|stde|stderr|\
stdev|t stat|variance|z score
step	_	batch|batches|checkpoint step|epoch|epochs|global step|iter|iteration|iterations|\
iters|step|steps|train step|train steps|training step|training steps|update|updates
things	_	bytes|characters|chars|docs|documents|folds|heads|items|layers|queries|questions|\
repeats|runs|seeds|sentences|sum|tokens|total|trials|utterances|words
"""


def words_in(text: str) -> frozenset[str]:
    """Words of a text, as a set."""
    return frozenset(text.split())


QUALIFIERS = words_in(
    "test dev val valid validation eval evaluation train final overall mean avg average macro micro"
    " weighted none at of the in on best max strict flexible extract percent percentage pct raw"
    " normalized normalised norm unnormalized metric metrics name value cv top w roc median"
)
"""Words beside the name of a score that do not change its direction."""
TURNING = words_in(
    "delta diff difference gap gain gains drop reduction improvement increase decrease change loss"
    " inverse inverted inv negated minus no non without one ratio attack attacker backdoor"
    " membership mia leakage memorization memorisation"
)
"""Words that may turn a direction: beside a known name, the direction is asked for."""
COMPARING = words_in("vs over against")
PLUS_MINUS = re.compile(r"\s*(?:\u00b1|\+/-).*|.*(?:\u00b1|\+/-)\s*")
NEGATING = words_in("neg negative")
"""Words that may turn a cost; of a higher score they are a class, such as that of F1."""
COUNTING = words_in("n num nb nr number count counts counter # total")
COUNTED_LAST = words_in("count counts size length len dim dims dimension dimensions")
UNITS_OF_MEASURE = words_in("b m k g gb mb tb s ms h min sec bn billion billions million millions")
WEAK_SPREADS = words_in(
    "min max sd se var err low high lower upper lb ub l u lo hi lcl ucl lci uci q025 q975"
)
ALSO_UNITS = words_in("drop gap top")
"""Names of differences and extremes that benchmarks have as well: arithmetic tells."""
WHY = {
    "average": "an average by its name",
    "count": "a count by its name",
    "things": "a count by its name",
    "difference": "a difference by its name",
    "extreme": "an extreme by its name",
    "index": "a rank or number by its name",
    "spread": "a spread by its name",
    "step": "steps of training by its name",
}
"""Why a column of such a kind is no score."""
MOST_WORDS = 6


@dataclass(frozen=True)
class Meaning:
    """What a name means."""

    kind: str  # `score`, `cost`, a key of WHY, or empty where a name says nothing
    is_higher_better: bool | None = None  # of a score or cost; None where it is not known
    is_whole: bool = True  # whether the name says nothing else, such as `f1` and not `f1 of A`

    def is_just(self, *kinds: str) -> bool:
        """Whether it is of one of the kinds, and the name says nothing else."""
        return self.is_whole and self.kind in kinds


NOTHING = Meaning("", is_whole=False)


@functools.cache
def known_names() -> dict[str, Meaning]:
    """Meaning by name, written without blanks."""
    lines = [line.split("\t") for line in TABLE.split("\n") if line and not line.startswith("#")]
    return {
        name.replace(" ", ""): Meaning(kind, {"higher": True, "lower": False}.get(better))
        for kind, better, names in lines[1:]
        for name in names.split("|")
    }


def words_of(name: str, splits_case: bool = False) -> list[str]:
    """Words of a name in small letters; `BERTScore` is two where case splits."""
    text = unicodedata.normalize("NFKC", str(name))
    if splits_case:
        text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", text)
    return re.findall(r"[^\W_]+|#", text.casefold().replace("%", " percent "))


UP = frozenset("\u2191\u2b06\u21e7\u21d1\u25b2\u2197\U0001f53c")
DOWN = frozenset("\u2193\u2b07\u21e9\u21d3\u25bc\u2198\U0001f53d")


def arrows_of(name: str) -> set[bool]:
    """Whether arrows in a name say that higher is better."""
    return {mark in UP for mark in str(name) if mark in UP | DOWN}


@functools.lru_cache(maxsize=4096)
def meaning_of(name: str, others: frozenset[str] = frozenset()) -> Meaning:
    """What a name of a column or metric means; NOTHING where it says nothing.

    A name such as `d1_min` is a spread only beside `d1`, one of the `others`.

    Example:
        >>> meaning_of("eval/WER (%)")
        Meaning(kind='score', is_higher_better=False, is_whole=True)
        >>> meaning_of("n_examples").kind
        'count'
        >>> meaning_of("WER reduction").is_higher_better
    """
    ways = (words_of(name, splits_case) for splits_case in (False, True))
    found = next(filter(None, (_meaning(words, str(name), others) for words in ways)), None)
    said = arrows_of(name)
    if len(said) != 1 or (found and found.kind not in ("score", "cost")):
        return found or NOTHING
    if found is None:
        return Meaning("score", said.pop(), is_whole=False)
    is_same = found.is_higher_better in (None, *said)
    return Meaning(found.kind, said.pop() if is_same else None, found.is_whole)


def _kind(*words: str) -> str:
    """Kind of what these words together are known as, if of anything."""
    return known_names().get("".join(words), NOTHING).kind


def _joined_words(names: Iterable[object]) -> set[str]:
    return {"".join(words_of(str(name))) for name in names}


def _meaning(words: list[str], name: str, others: frozenset[str]) -> Meaning | None:
    measured = words[:-1] if words[1:] and words[-1] in UNITS_OF_MEASURE else words
    known, bases = known_names(), _joined_words(others)
    if PLUS_MINUS.fullmatch(name) and "".join(words) in {"", *bases}:
        return Meaning("spread")
    whole = known.get("".join(words)) or _before_bracket(name, "index")
    if whole is None and _kind(*measured) != "score":
        whole = known.get("".join(measured))  # `score_b` is no score in b, but the score of b
    if whole and not (whole.kind == "index" and len(words) > 1 and "(" not in name):
        return _turned(whole, name)
    if _is_spread(words, bases):
        return Meaning("spread")
    is_counted = len(measured) > 1 and measured[-1] in COUNTED_LAST
    if is_counted or (measured and measured[0] in COUNTING):
        return Meaning("count")
    if re.search(r"[$\u20ac\u00a3]", name):
        return Meaning("cost", False, is_whole=False)
    if words and _kind(words[0]) == "difference":
        pairs = [("".join(words[1:i]), "".join(words[i:])) for i in range(2, len(words))]
        if COMPARING & set(words) or any(bases.issuperset(pair) for pair in pairs):
            return known[words[0]]
    return _score_in(words, name)


def _before_bracket(name: str, kind: str) -> Meaning | None:
    """What a name means by all that stands before its bracket, as in `Rank* (UB)`; of one kind."""
    words = words_of(name.partition("(")[0]) if name.rstrip()[-1:] == ")" else []
    is_of_kind = words not in (["id"], ["no"]) and _kind(*words) == kind
    return known_names()["".join(words)] if is_of_kind else None


def _is_spread(words: Sequence[str], bases: set[str]) -> bool:
    """Whether a name is that of a spread: a strong word anywhere, or a weak one beside a base."""
    pairs = [*words, *("".join(pair) for pair in pairwise(words))]
    parts = {*pairs} - {"sd"} if "semeval" not in pairs else ()  # data sets are called so
    if any(_kind(part) == "spread" for part in parts):
        return True
    ends = [(words[-1:], words[:-1]), (words[:1], words[1:])]
    return any(end and end[0] in WEAK_SPREADS and "".join(rest) in bases for end, rest in ends)


def is_spread_of(name: object, names: Sequence[Any]) -> bool:
    """Whether a name is that of a spread of another one of the names, as `A std` beside `A`."""
    words, bases = words_of(str(name)), _joined_words(names)
    halves = [("".join(words[:n]), "".join(words[n:])) for n in range(1, len(words))]
    ends = [end for pair in halves for end in (pair, pair[::-1])]
    return any(_kind(spread) == "spread" and base in bases for spread, base in ends)


def _score_in(words: list[str], name: str) -> Meaning | None:
    """A score among the words of a longer name, such as `f1` in `run-a eval/f1`."""
    found, rest, start = [], [], 0
    while start < len(words):
        for stop in range(min(len(words), start + MOST_WORDS), start, -1):
            if _kind(*words[start:stop]) in ("score", "cost"):
                found.append("".join(words[start:stop]))
                start = stop
                break
        else:
            rest.append(words[start])
            start += 1
    extra = [w for w in rest if w not in QUALIFIERS and not w.isdigit()]
    named = [part for part in found if part != "score"]
    if not named and not extra:  # a `bias score` may be a bad one
        named = found
    if not named:
        return None
    kind = "score" if any(_kind(part) == "score" for part in named) else "cost"
    directions = {known_names()[part].is_higher_better for part in named}
    better = directions.pop() if len(directions) == 1 else None
    if TURNING & set(rest) or (better is False and NEGATING & set(rest)):
        better = None
    return _turned(Meaning(kind, better, not extra), name)


def _turned(meaning: Meaning, name: str) -> Meaning:
    """Without a direction where the name says that the score was turned: `1 - WER`, `-loss`."""
    found = re.search(r"(?:^|[\s(=\[:])1(?:00)?\s*%?\s*[-\u2212\u2013]\s*(\w.*)", name)
    words = words_of(found[1]) if found else []
    is_rest = any(_kind(*words[:n]) in ("score", "cost") for n in range(1, MOST_WORDS))
    is_negated = re.match(r"\s*(1\s*)?[-\u2212\u2013]\s*\w", name) or re.match(r"\s*1\s*/", name)
    return replace(meaning, is_higher_better=None) if is_rest or is_negated else meaning


WAYS_OF_AVERAGING = words_in("macro micro weighted unweighted")
BESIDE_AVERAGE = words_in(
    "total sum grand global simple arithmetic geometric harmonic w tasks task datasets dataset data"
    " sets languages language corpora domains benchmarks subsets units sd std score scores of the"
)
"""Words that an average may be named with."""


ALSO_SYSTEMS = words_in(
    "all combined composite overall macro micro weighted unweighted median mean means summary"
    " gesamt aggregate aggregated total sum"
)
"""Names of averages that a system may have as well."""


def is_average(name: object, surely: bool = False) -> bool:
    """Whether a unit or system is an average of others by its name; surely, if it says no more."""
    text = re.sub(r"\\[a-z]+\s*(?=\{)", " ", str(name)).replace("\u2205", "\u00f8")
    words = [word for word in words_of(text) if not word.isdigit()]
    named = [word for word in words if _kind(word) == "average"]
    if surely and set(named) <= ALSO_SYSTEMS:
        return False
    is_of_ways = bool(set(named) & WAYS_OF_AVERAGING)
    # macro F1 is a score
    is_score = any(_kind(w) == "score" for w in words) and not set(named) - WAYS_OF_AVERAGING
    is_all = all(_kind(w) in ("average", "score") or w in BESIDE_AVERAGE for w in words)
    is_first = words[:1] == named[:1] and not is_of_ways  # Mean (TaskType)
    is_first = is_first and _before_bracket(text, "average") is not None
    return words in (["total"], ["sum"]) or (
        not is_score and (is_first or (bool(named) and is_all))
    )


def is_average_of(name: object) -> bool:
    """Whether a unit is by its name an average of some others, such as `Avg English`."""
    words, meaning = words_of(str(name)), meaning_of(str(name))
    ends = {word for word in (*words[:1], *words[-1:]) if _kind(word) == "average"}
    is_score = meaning.is_just("score")  # average precision
    return len(words) > 1 and bool(ends - ALSO_SYSTEMS) and not is_score


LANGUAGE = r"[a-z]{2,3}(?:[-_][A-Za-z]{2,4})?"  # its code


def is_language(name: str, names: Sequence[Any], cells: Sequence[Any] = ()) -> bool:
    """Whether a column such as `no` or `ms` is a language, as most are, and no row number."""
    codes = [n for n in map(str, names) if re.fullmatch(LANGUAGE, n)]
    is_code = len(name) == 2 and name in codes and 2 * len(codes) > len(names)
    return is_code and not counts_rows(cells)


def may_be_unit(name: str, cells: Sequence[Any] = ()) -> bool:
    """Whether a name such as GAP is also that of a benchmark, and no cell has a sign."""
    is_signed = any(str(cell).strip()[:1] in ("+", "-") for cell in cells)
    return "".join(words_of(name)) in ALSO_UNITS and not is_signed


def is_summary(name: Any, role: str, names: Sequence[Any]) -> bool:
    """Whether a name is that of a spread, a cost, an extreme, a difference or a rank of others."""
    meaning = meaning_of(name) if isinstance(name, str) else NOTHING
    kinds = {"spread", "extreme", "difference"} | ({"count", "cost"} if role == "unit" else set())
    word = "".join(words_of(str(name)))
    if role == "system":  # one may be called `std-parser`
        is_p = name == "p" and len(re.findall(r"(?m)^[a-z]$", "\n".join(map(str, names)))) == 1
        is_known = meaning.kind in ("spread", "difference") and word in known_names()
        return is_p or is_known or is_spread_of(name, names)
    is_rank = role == "unit" and word in ("rank", "ranks", "ranking", "wins")
    return meaning.is_just(*kinds) or is_rank or (role == "repeat" and is_average(name))


# --- Rows of scores (system, unit, repeat, score) as one complete table
#
# Every system is scored in every repeat of every unit.

MOST_CELLS = 60
MOST_UNITS = 400


class Cells(NamedTuple):
    """Scores one by one: numbers of system, unit and repeat, and the score; all of shape (n,)."""

    system: IntArray
    unit: IntArray
    repeat: IntArray
    score: FloatArray

    def chosen(self, rows: Any) -> "Cells":
        """Some of them."""
        return Cells(*(column[rows] for column in self))


class ItemCells(NamedTuple):
    """The same of items."""

    system: IntArray
    unit: IntArray
    repeat: IntArray
    item: IntArray
    score: FloatArray


class ScoreTable(NamedTuple):
    """Scores of S systems in U units, each with its own repeats, in the order of `ordered`."""

    systems: tuple[str, ...]
    units: tuple[Any, ...]  # those that all systems scored
    runs: FloatArray  # (S, C): one column per repeat, those of a unit side by side
    starts: IntArray  # first column of each unit, (U,)
    unit_scores: FloatArray  # (U, S): mean over repeats, exactly rounded, so that equal ones tie
    cells: Cells  # all scores given, those of incomplete runs too
    # where every score counts, (all units, S): mean over a system's own repeats, nan for none; None
    # where the units above are all there is
    partial: FloatArray | None = None
    items: ItemCells | None = None  # where `cells` are means over these
    all_units: tuple[Any, ...] = ()
    # number of each unit's cluster, (units,) or (units, 2), of those that are compared, and whole
    clusters: IntArray | None = None
    whole_clusters: IntArray | None = None

    @property
    def compared(self) -> FloatArray:
        """Unit scores by which systems are compared: `partial` where there is one."""
        return self.unit_scores if self.partial is None else self.partial

    @property
    def by_name(self) -> list[int]:
        """Numbers of the systems in the order of their names."""
        return sorted(range(len(self.systems)), key=self.systems.__getitem__)

    @property
    def coverage(self) -> IntArray:
        """Number of units in which each system has a score, shape (S,)."""
        seen = np.zeros((len(self.systems), len(self.all_units)), bool)
        seen[self.cells.system, self.cells.unit] = True
        counts: IntArray = seen.sum(axis=1)
        return counts

    @property
    def n_repeats(self) -> IntArray:
        """Number of repeats of each unit, shape (U,)."""
        return np.diff(np.append(self.starts, self.runs.shape[1]))


def make_table(
    system: Sequence[Any],
    unit: Sequence[Any],
    repeat: Sequence[Any],
    score: FloatArray,
    missing: str = "refuse",
    ways: Sequence[Mapping[Any, Any]] = (),
) -> ScoreTable:
    """Builds the table from rows in any order; none changes a digit of what follows.

    All systems have the same repeats of a unit, as they are compared run by run; what becomes of
    one that lacks a system, `missing` says: "refuse", an error; "drop", it is kept in `cells`
    alone; "model", it counts in `partial`, and the systems of a unit need not have the same
    repeats. `ways` has the cluster of each unit, in one way or two. A ValueError, with the name,
    for fewer than two systems or units, and a run that was scored twice or lacks a system.
    """
    system_codes, systems = encoded([str(name) for name in system])
    unit_codes, units = encoded(unit)
    repeat_codes, repeats = encoded(repeat)
    for what, found in (("systems", systems), ("units", units)):
        _check_two(what, len(found))
    system_codes, systems = _renumbered(system_codes, systems, _by_name(systems))
    runs, run = np.unique(unit_codes * len(repeats) + repeat_codes, return_inverse=True)
    places = system_codes * len(runs) + run
    is_partial = missing == "model" and len(np.unique(places)) == len(places)
    is_partial = is_partial and len(places) < len(systems) * len(runs)
    if not is_partial:
        _check_complete(places, (systems, units, repeats), runs, missing)
    orders = ordered(system_codes, unit_codes, score, units, ways)
    system_codes, systems = _renumbered(system_codes, systems, orders[0])
    unit_codes, units = _renumbered(unit_codes, units, orders[1])
    repeat_codes, repeats = _renumbered(repeat_codes, repeats, _by_name(repeats))
    run = unit_codes * len(repeats) + repeat_codes
    rows = np.argsort(run * len(systems) + system_codes)
    cells, run = Cells(system_codes, unit_codes, repeat_codes, score).chosen(rows), run[rows]
    names, (runs, run) = tuple(systems), np.unique(run, return_inverse=True)
    if is_partial:
        return _partial_table(names, units, cells)
    table = np.full((len(names), len(runs)), np.nan)
    table[cells.system, run] = cells.score
    is_complete = ~np.isnan(table).any(axis=0)
    kept = np.unique(runs[is_complete] // len(repeats))
    _check_two("units that all systems scored", len(kept))
    starts = np.searchsorted(runs[is_complete], kept * len(repeats))
    complete = np.ascontiguousarray(table[:, is_complete])
    chosen = tuple(units[i] for i in kept.tolist())
    means = _unit_means(complete, starts)
    return ScoreTable(names, chosen, complete, starts, means, cells, all_units=tuple(units))


def _check_two(what: str, n: int) -> None:
    if n < 2:
        raise refusal(f"{METRIC}: {what}", n, "at least 2")


def _partial_table(names: tuple[str, ...], units: Sequence[Any], cells: Cells) -> ScoreTable:
    """Table in which a system has its own repeats in a unit, or none."""
    shape = (len(units), len(names))
    place = cells.unit * len(names) + cells.system
    counts = np.bincount(place, minlength=shape[0] * shape[1]).reshape(shape)
    sums = np.bincount(place, cells.score, shape[0] * shape[1]).reshape(shape)
    partial = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    kept = np.flatnonzero((counts > 0).all(axis=1))
    whole = partial[kept]
    starts, runs = np.arange(len(kept)), np.ascontiguousarray(whole.T)
    chosen = tuple(units[i] for i in kept.tolist())
    return ScoreTable(names, chosen, runs, starts, whole, cells, partial, None, tuple(units))


# --- One order and one notion of a tie, so that neither names nor the order of rows tell
#
# Sums of floats depend on the order of what is added, and draws on which system comes first. So all
# is computed in an order that the scores alone decide: systems by their sorted scores, units by the
# scores of these systems and by what else is in their clusters, then shuffled under a fixed seed,
# since a fit may read the first of many. Names part systems and units only where all else is alike.

ROUNDING = 1e-12  # of the largest score: what differs by less is equal


def ordered(
    system: IntArray,
    unit: IntArray,
    score: FloatArray,
    units: Sequence[Any],
    ways: Sequence[Mapping[Any, Any]] = (),
) -> tuple[IntArray, IntArray]:
    """Systems, numbered by name, and units in the order of scores, whatever that of the rows."""
    matrix = np.full((len(units), int(system.max()) + 1), np.nan)
    cell = unit * matrix.shape[1] + system
    counts = np.bincount(cell)
    if counts.max() > 1:  # means, whose sums are those of any order of the rows
        rows = np.lexsort((score, cell))
        starts = np.append(0, np.cumsum(counts[counts > 0])[:-1])
        means = np.add.reduceat(score[rows], starts) / counts[counts > 0]
        matrix.reshape(-1)[np.flatnonzero(counts)] = means
    else:
        matrix.reshape(-1)[cell] = score
    systems = drawing_order(matrix)
    order = np.argsort(matrix[:, systems[0]], kind="stable")
    if (np.diff(matrix[order, systems[0]]) == 0).any() or np.isnan(matrix[:, systems[0]]).any():
        rows = np.nan_to_num(matrix[:, systems], nan=np.inf)
        codes = np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)
        if len(np.unique(codes)) < len(codes) and ways:
            codes = _told_by_clusters(codes, [encoded([of[u] for u in units])[0] for of in ways])
        order = np.lexsort((np.argsort(_by_name(units)), codes))
    return systems, order[np.random.default_rng(0).permutation(len(order))]


def _told_by_clusters(codes: IntArray, ways: Sequence[IntArray]) -> IntArray:
    """Numbers of rows, equal ones parted by what else their clusters hold, in the same order.

    What is equal still can be exchanged: clusters of equal contents get numbers, one after the
    other, and the units that share them follow.
    """
    for way in ways[:-1]:  # each number may tell clusters of the other way apart
        while True:
            codes, contents = _stable(codes, ways, way)
            tied = np.flatnonzero(np.bincount(contents) > 1)
            if not len(tied):
                break
            chosen = int(np.flatnonzero(contents == tied[0])[0])
            codes = row_codes(codes, (way != chosen).astype(np.int64))
    codes, contents = _stable(codes, ways, ways[-1])
    return row_codes(codes, np.argsort(np.argsort(contents, kind="stable"))[ways[-1]])


def _stable(codes: IntArray, ways: Sequence[IntArray], last: IntArray) -> tuple[IntArray, IntArray]:
    """Numbers of units that their clusters' contents part no further, and those of clusters."""
    n = 0
    while n < (n := int(codes.max()) + 1):
        for way in ways:
            codes = row_codes(codes, _contents(codes, way)[way])
    return codes, _contents(codes, last)


def _contents(codes: IntArray, way: IntArray) -> IntArray:
    """Number of each cluster by the sorted numbers of its units, equal for equal ones."""
    order = np.argsort(codes, kind="stable")
    held = grouped(zip(way[order].tolist(), codes[order].tolist(), strict=True))
    contents = [tuple(held.get(cluster, ())) for cluster in range(int(way.max()) + 1)]
    return numbers_of(contents, sorted(set(contents)))


def drawing_order(unit_scores: FloatArray) -> IntArray:
    """Systems by sorted scores, (U, S), nan last, and then by those of others in the same units."""
    filled = np.nan_to_num(unit_scores, nan=np.inf)
    columns = np.sort(filled, axis=0).T.tolist()
    order = sorted(range(len(columns)), key=columns.__getitem__)
    if any(columns[a] == columns[b] for a, b in pairwise(order)):
        beside = np.unique(np.sort(filled, axis=1), axis=0, return_inverse=True)[1].reshape(-1)
        for place, column in enumerate(filled.T):
            columns[place] += beside[np.lexsort((beside, column))].tolist()
        order = sorted(range(len(columns)), key=columns.__getitem__)
    return np.array(order, dtype=np.int64)


def rounding_of(scores: FloatArray) -> float:
    """The difference of means up to which they tie."""
    return ROUNDING * float(np.nanmax(np.abs(scores), initial=0.0))


def _by_name(names: Sequence[Any]) -> IntArray:
    texts = [str(name) for name in names]
    return np.array(sorted(range(len(texts)), key=texts.__getitem__), dtype=np.int64)


def _renumbered(
    codes: IntArray, names: Sequence[Any], order: IntArray
) -> tuple[IntArray, list[Any]]:
    """Numbers and names, if those of the order come one after the other."""
    return np.argsort(order)[codes], [names[i] for i in order.tolist()]


def thinned(cells: Cells) -> Cells:
    """The first MOST_UNITS units, MOST_CELLS scores of each: a fit takes the cube of these."""
    cells = cells.chosen(cells.unit < MOST_UNITS)
    n_kept = max(2, MOST_CELLS // (int(cells.system.max()) + 1))
    order = np.lexsort((cells.repeat, cells.system, cells.unit))
    unit, system = cells.unit[order], cells.system[order]
    is_new = np.append(True, (unit[1:] != unit[:-1]) | (system[1:] != system[:-1]))
    starts = np.maximum.accumulate(np.where(is_new, np.arange(len(order)), 0))
    return cells.chosen(np.sort(order[np.arange(len(order)) - starts < n_kept]))


def clusters_of(units: Sequence[Any], named: Sequence[Any]) -> dict[Any, Any]:
    """The cluster of each unit, from those of the rows."""
    of: dict[Any, Any] = {}
    for unit, name in zip(units, named, strict=True):
        if of.setdefault(unit, name) != name:
            raise refusal(f"{METRIC}: unit {unit!r}: cluster", f"{of[unit]!r} and {name!r}", "one")
    return of


def with_clusters(table: ScoreTable, ways: Sequence[Mapping[Any, Any]]) -> ScoreTable:
    """The table with the clusters of its units, in one way or two."""
    compared = table.units if table.partial is None else table.all_units
    found = []
    for chosen in (compared, table.units):
        codes = [encoded([of[unit] for unit in chosen])[0] for of in ways]
        found.append(codes[0] if len(codes) == 1 else np.stack(codes, axis=1))
    for way in found[0].reshape(len(compared), -1).T:
        _check_two("clusters", len(np.unique(way)))
    return table._replace(clusters=found[0], whole_clusters=found[1])


def row_codes(*columns: IntArray) -> IntArray:
    """Number of each distinct row of columns of numbers from 0, by their order, shape (n,)."""
    codes = columns[0]
    for column in columns[1:]:  # by one key, which is far faster than np.unique of rows
        codes = np.unique(codes * (int(column.max()) + 1) + column, return_inverse=True)[1]
    return np.unique(codes, return_inverse=True)[1]


def codes_of_sets(sets: IntArray, members: IntArray) -> IntArray:
    """A number of each set, the same for those of equal members, by rows of a set and a member."""
    weights = np.random.default_rng(0).integers(0, 2**63, int(members.max()) + 1, np.uint64)
    sums = np.zeros(int(sets.max()) + 1, np.uint64)  # of random numbers
    np.add.at(sums, sets, weights[members])
    return np.unique(sums, return_inverse=True)[1]


def encoded(values: Sequence[Any]) -> tuple[IntArray, list[Any]]:
    """Numbers for names, from 0 in order of first appearance, and the names."""
    distinct = list(dict.fromkeys(values))
    return numbers_of(values, distinct), distinct


def grouped(pairs: Iterable[tuple[Any, Any]]) -> dict[Any, list[Any]]:
    """Values by their key, both in the order in which they come."""
    found: dict[Any, list[Any]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def numbers_of(values: Iterable[Any], names: Sequence[Any]) -> IntArray:
    """Place of each value among the names."""
    place = {name: i for i, name in enumerate(names)}
    return np.fromiter(map(place.__getitem__, values), np.int64)


def _check_complete(
    places: IntArray, names: Sequence[Sequence[Any]], runs: IntArray, missing: str
) -> None:
    systems, units, repeats = names
    counts = np.bincount(places, minlength=len(systems) * len(runs))
    gaps = counts == 0 if missing == "refuse" else np.zeros_like(counts)
    advice = "one, since all systems are compared in every run; missing='drop' leaves the run out"
    for wrong, expected in ((counts > 1, "one"), (gaps, advice)):
        if wrong.any():
            cell = int(np.argmax(wrong))
            unit, repeat = (int(of) for of in divmod(runs[cell % len(runs)], len(repeats)))
            place = f"system {systems[cell // len(runs)]!r}, unit {units[unit]!r}"
            place += f", repeat {repeats[repeat]!r}"
            raise ValueError(f"{METRIC}: {place}: got {counts[cell]} scores; expected {expected}")


def _unit_means(runs: FloatArray, starts: IntArray) -> FloatArray:
    """Mean over the repeats of each unit, shape (U, S), rounded once from the exact value."""
    if len(starts) == runs.shape[1]:
        return runs.T.copy()
    rows, ends = runs.tolist(), pairwise([*starts.tolist(), runs.shape[1]])
    return np.array([[_exact_mean(row[a:b]) for row in rows] for a, b in ends])


def _exact_mean(values: Sequence[float]) -> float:
    """As `statistics.mean` has it, ten times as fast: by whole numbers over a power of 2."""
    ratios = [value.as_integer_ratio() for value in values]
    power = max(below for _, below in ratios)
    return sum(above * (power // below) for above, below in ratios) / (power * len(values))
