"""A character encoder of two layers that segments by four standards: `encoder:msr`, `encoder:as/2`.

It is pre-trained as a masked language model, then learns the tags of all standards together: a
token in the place of [CLS] names the standard. A model is trained when it is first asked for and
kept under a name that holds a hash of all it rests on; training that is stopped goes on where it
was. On a GPU it computes in bfloat16; weights are kept in 16 bits.

Source: two-layer encoder with rotary positions and local attention after Warner et al. (2024),
ModernBERT; a token for the standard after Huang et al. (2020) and Ke et al. (2020).
"""

import copy
import functools
import itertools
import json
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from garden_path.models.arrays import IntArray
from ground.files import write_whole
from ground.hashes import N_HEX, make_key
from research.systems import weights
from research.systems.classifiers.joint_examples import (
    IGNORED,
    N_HIDDEN,
    N_KEPT,
    N_MASKED,
    TAGS,
    Batch,
    Example,
    Random,
    as_tensors,
    character_tokenizer,
    collate,
    draw_batches,
    padded,
)
from research.systems.classifiers.joint_models import load_model, new_model, quietly, small_config
from research.systems.segmenters.encoder_texts import (
    STANDARDS,
    EncoderTexts,
    TrainingText,
    read_encoder_texts,
    script_of,
)

N_UNKNOWN = 0.05  # share of the tokens of every second batch that are made unknown
N_EXCHANGED = 0.4  # share of the words of a text that give way to one of the word list
LENGTHS = (2, 3, 4)  # characters of the words that do
N_REPEATED = 3  # times that a text with a word list is read where a larger one without is read once
B, M, E, S = range(len(TAGS))


@dataclass(frozen=True)
class TaggedText:
    """The examples of one gold text, each behind the token of its standard, and its word list."""

    examples: Sequence[Example]
    lists: Mapping[int, IntArray]  # token ids of the words of each length, shape (words, length)


def tagged_text(text: TrainingText, tokenizer: Any) -> TaggedText:
    """A gold text in tokens."""
    ids = _ids(tokenizer)
    first = tokenizer.convert_tokens_to_ids(standard_token(text.standard))
    examples = [_example(ids, words, first) for words in text.pieces]
    lists: dict[int, list[list[int]]] = {}
    for word in text.word_list:
        if len(word) in LENGTHS:
            lists.setdefault(len(word), []).append(list(map(ids, word)))
    return TaggedText(examples, {length: np.array(lists[length]) for length in sorted(lists)})


def unlabelled_examples(texts: EncoderTexts, tokenizer: Any) -> list[Example]:
    """All pieces of all texts in tokens, each between [CLS] and [SEP]."""
    ids = _ids(tokenizer)
    first = tokenizer.cls_token_id
    gold = (piece for text in texts.gold for piece in text.pieces)
    return [_example(ids, words, first) for words in itertools.chain(gold, texts.unlabelled)]


def standard_token(standard: str) -> str:
    """The token that stands in the place of [CLS] before a text of a standard."""
    return f"[{standard}]"


def masked(
    examples: Sequence[Example], tokenizer: Any, n_tokens: int, seed: int, start: int = 0
) -> Iterator[Batch]:
    """Batches of a masked language model, from number `start` on: single characters are hidden."""
    for chosen, random in _drawn(examples, n_tokens, [seed, 0], start):
        batch = collate(chosen, tokenizer.pad_token_id)
        ids = batch["input_ids"]
        is_text = padded([example.words for example in chosen], -1) >= 0
        is_hidden = is_text & (random.random(ids.shape) < N_HIDDEN)
        batch["labels"] = np.where(is_hidden, ids, IGNORED)
        draw = random.random(ids.shape)
        drawn = random.integers(len(tokenizer), size=ids.shape)
        ids[is_hidden & (draw < N_MASKED)] = tokenizer.mask_token_id
        is_other = is_hidden & (draw >= N_MASKED + N_KEPT)
        ids[is_other] = drawn[is_other]
        yield batch


def tagged(
    texts: Sequence[TaggedText], tokenizer: Any, n_tokens: int, seed: int, start: int = 0
) -> Iterator[Batch]:
    """Batches with tags, from number `start` on: some words give way to others of as many letters.

    In every second batch a share of the tokens is made unknown.
    """
    every = [one for text in texts for one in [*text.examples] * (N_REPEATED if text.lists else 1)]
    source = {id(example): text for text in texts for example in text.examples}
    for number, (chosen, random) in enumerate(_drawn(every, n_tokens, [seed, 1], start), start):
        batch = collate(chosen, tokenizer.pad_token_id)
        _exchange(batch, [source[id(example)] for example in chosen], random)
        if number % 2:
            is_text = batch["labels"] != IGNORED
            is_unknown = is_text & (random.random(is_text.shape) < N_UNKNOWN)
            batch["input_ids"][is_unknown] = tokenizer.unk_token_id
        yield batch


def _drawn(
    examples: Sequence[Example], n_tokens: int, key: Sequence[int], start: int
) -> Iterator[tuple[list[Example], Random]]:
    places = draw_batches(examples, n_tokens, np.random.default_rng(key))
    for number, some in enumerate(itertools.islice(places, start, None), start):
        yield [examples[i] for i in some], np.random.default_rng([*key, number])


def _exchange(batch: Batch, sources: Sequence[TaggedText], random: Random) -> None:
    """Exchanges words in place."""
    rows, starts = np.nonzero(batch["labels"] == B)
    ends = np.nonzero(batch["labels"] == E)[1]  # one for each start, in the same order
    lengths = ends - starts + 1
    is_drawn = random.random(len(rows)) < N_EXCHANGED
    for text in {id(one): one for one in sources}.values():
        is_own = np.array([one is text for one in sources])
        for length, words in text.lists.items():
            chosen = np.flatnonzero(is_drawn & (lengths == length) & is_own[rows])
            places = starts[chosen, None] + np.arange(length)
            new = words[random.integers(len(words), size=len(chosen))]
            batch["input_ids"][rows[chosen, None], places] = new


def _ids(tokenizer: Any) -> Any:
    known, unknown = tokenizer.get_vocab(), tokenizer.unk_token_id
    return lambda character: known.get(character, unknown)


def _example(ids: Any, words: Sequence[str], first: int) -> Example:
    """Words in tokens, [SEP] being the one behind [CLS]; a string is one of single characters."""
    lengths = np.array([len(word) for word in words])
    ends = np.cumsum(lengths)
    tags = np.full(ends[-1], M)
    tags[ends - 1] = E
    tags[ends - lengths] = B
    tags[(ends - lengths)[lengths == 1]] = S
    text = [ids(character) for word in words for character in word]
    of_word = np.repeat(np.arange(len(words)), lengths)
    return Example(
        np.array([first, *text, ids("[SEP]")]),
        np.concatenate([[-1], of_word, [-1]]),
        np.concatenate([[IGNORED], tags, [IGNORED]]),
    )


RECORD, STATE = "record.json", "state.pt"
FORMAT = "2"  # another way of training needs another number
WARM_UP = 0.05  # share of the steps in which the learning rate rises
LARGEST_GRADIENT = 1.0
SAVED_EVERY = 250  # steps
STEPS_ALONE = 2000  # of another kind of model; the digest of all that are recorded holds it
ARCHITECTURE = {
    "hidden_size": 384,
    "num_hidden_layers": 2,
    "num_attention_heads": 6,
    "intermediate_size": 1008,
    "global_attn_every_n_layers": 2,
    "local_attention": 16,
    "embedding_dropout": 0.2,
    "mlp_dropout": 0.1,
    "classifier_dropout": 0.1,
}


@dataclass(frozen=True)
class EncoderSchedule:
    """How long and how fast an encoder learns.

    By default seven minutes of an H200 on which three learn side by side, or two days of a
    processor with two cores (14 seconds a step).
    """

    pretraining_steps: int = 2000
    steps: int = 11000  # of the tags of all standards
    n_tokens: int = 32768  # of a batch, padding included
    learning_rate: float = 2e-3  # the highest one of pre-training; half of it for tags
    hidden_size: int = ARCHITECTURE["hidden_size"]  # type: ignore[assignment]


class EncoderTraining:
    """Encoders of all seeds, trained as they are asked for, in a folder."""

    def __init__(
        self, texts: EncoderTexts, schedule: EncoderSchedule, folder: Path, device: str = "cpu"
    ) -> None:
        self.texts, self.schedule = texts, schedule
        self.folder, self.device = folder, device
        pieces = ("".join(piece) for text in texts.gold for piece in text.pieces)
        self.tokenizer = character_tokenizer([*pieces, *texts.unlabelled])
        names = sorted({text.standard for text in texts.gold})
        special = {"additional_special_tokens": [standard_token(name) for name in names]}
        self.tokenizer.add_special_tokens(special)

    @property
    def digest(self) -> str:
        """A key of all that a model rests on, but its seed, its device and library versions."""
        schedule = asdict(self.schedule) | {"steps_alone": STEPS_ALONE}
        rest = {"schedule": schedule, "architecture": ARCHITECTURE}
        return make_key(format=FORMAT, texts=self.texts.digest, **rest)[:N_HEX]

    def model(self, standard: str, seed: int) -> Path:
        """The folder of a segmenter, as transformers saves it, trained if there is none yet.

        Above it lies RECORD: `f1` of the words of the held-out sentences by standard, steps,
        seconds, device and last loss.
        """
        path = self._path("all", seed)
        if not (path / RECORD).is_file():
            told = (
                f"{path.name}: got no such encoder, so it is trained now; expected minutes of a"
                f" GPU or days of a processor, here {self.device}. It can be stopped and goes on."
            )
            warnings.warn(told, stacklevel=2)
            self._learn_tags(path, seed)
        return path / standard

    def held_out_f1(self, folder: Path, standard: str) -> float:
        """F1 of the words of the held-out sentences, by the adapter that everybody uses."""
        from research.systems.classifiers.joint_training import in_batches
        from research.systems.registry import load
        from research.systems.segmenters.crf_segmenter import word_f1

        gold = self.texts.held_out[standard]
        with quietly():
            segmenter = load("segmenter", f"transformers:{folder}", device=self.device)
        return word_f1(gold, in_batches(segmenter, ["".join(words) for words in gold]))

    def _path(self, name: str, seed: int) -> Path:
        return self.folder / f"encoder-{name}-{seed}-{self.digest}"

    def encoder(self, seed: int) -> Path:
        """The folder of a pre-trained encoder, trained if there is none yet."""
        path = self._path("pretrained", seed)
        if not (path / RECORD).is_file():
            import torch

            torch.manual_seed(seed)
            changes = ARCHITECTURE | {"hidden_size": self.schedule.hidden_size}
            model = new_model("language", small_config(self.tokenizer, **changes))
            model.eval()  # so little text is not learned by heart: no dropout
            examples = unlabelled_examples(self.texts, self.tokenizer)
            n_tokens, rate = self.schedule.n_tokens, self.schedule.learning_rate
            learner = Learner(model, self.schedule.pretraining_steps, rate, self.device)
            given = (examples, self.tokenizer, n_tokens, seed)
            record = learner.learn(functools.partial(masked, *given), path)
            _save(model, self.tokenizer, path)
            _record(path, record)
        return path

    def _learn_tags(self, path: Path, seed: int) -> None:
        """Learns the tags of all standards in both scripts."""
        import torch

        encoder = self.encoder(seed)
        of_gold = [tagged_text(text, self.tokenizer) for text in self.texts.gold]
        torch.manual_seed(seed)
        model = load_model("segmentation", encoder).float().train()
        n_steps, n_tokens = self.schedule.steps, self.schedule.n_tokens
        learner = Learner(model, n_steps, self.schedule.learning_rate / 2, self.device)
        given = (of_gold, self.tokenizer, n_tokens, seed)
        record = learner.learn(functools.partial(tagged, *given), path)
        for standard in self.texts.held_out:
            _save(model, with_first(self.tokenizer, standard), path / standard)
        record["f1"] = {one: self.held_out_f1(path / one, one) for one in self.texts.held_out}
        _record(path, record)


def _record(path: Path, record: Mapping[str, Any]) -> None:
    write_whole(path / RECORD, json.dumps(record, indent=1) + "\n")


class Learner:
    """Makes the steps of one model, in its mode, and can go on where it was stopped."""

    def __init__(self, model: Any, n_steps: int, learning_rate: float, device: str) -> None:
        import torch
        from transformers import get_linear_schedule_with_warmup

        if device.startswith("cuda"):  # a row of padding that sees nothing is nan in the others
            model.set_attn_implementation("eager")
        self.model, self.n_steps, self.device = model.to(device), n_steps, device
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate, fused=True)
        warm_up = round(WARM_UP * n_steps)
        self.rates = get_linear_schedule_with_warmup(self.optimizer, warm_up, n_steps)
        self.step, self.seconds = 0, 0.0
        self.losses: list[Any] = []

    def learn(self, batches_from: Callable[[int], Iterator[Batch]], folder: Path) -> dict[str, Any]:
        """Makes the steps that are left, with batches from a number on, and says what it took.

        Every SAVED_EVERY steps its state is kept in STATE. A ValueError says that a loss of the
        last tenth is not finite, so that nothing was learned.
        """
        import torch

        state = folder / STATE
        folder.mkdir(parents=True, exist_ok=True)
        if state.is_file():
            self._restore(state)
        batches = batches_from(self.step)
        start = time.perf_counter() - self.seconds
        while self.step < self.n_steps:
            self.losses.append(self._make_step(next(batches)))
            self.step += 1
            if self.step % SAVED_EVERY == 0 and self.step < self.n_steps:
                self.seconds = time.perf_counter() - start
                self._keep(state)
        state.unlink(missing_ok=True)
        last = torch.stack(self.losses[-max(1, self.n_steps // 10) :])
        if not last.isfinite().all():
            got = float(last.mean())
            raise ValueError(f"{folder.name}: loss, got {got}; expected a finite one")
        is_gpu = self.device.startswith("cuda")
        return {
            "steps": self.n_steps,
            "seconds": time.perf_counter() - start,
            "device": torch.cuda.get_device_name() if is_gpu else "cpu",
            "n_parameters": sum(one.numel() for one in self.model.parameters()),
            "loss": float(last.mean()),
        }

    def _make_step(self, batch: Batch) -> Any:
        import torch

        kind = self.device.partition(":")[0]
        with torch.autocast(kind, torch.bfloat16, enabled=kind != "cpu"):
            loss = self.model(**as_tensors(batch, self.device)).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), LARGEST_GRADIENT)
        self.optimizer.step()
        self.rates.step()
        self.optimizer.zero_grad()
        return loss.detach().float()

    def _keep(self, path: Path) -> None:
        import torch

        part = path.with_suffix(".part")
        kept = {name: getattr(self, name).state_dict() for name in ("model", "optimizer", "rates")}
        on_gpu = self.device.startswith("cuda")
        kept |= {"step": self.step, "seconds": self.seconds}
        kept |= {"losses": torch.stack(self.losses).cpu(), "random": torch.get_rng_state()}
        kept["random_gpu"] = torch.cuda.get_rng_state() if on_gpu else None
        torch.save(kept, part)
        part.replace(path)

    def _restore(self, path: Path) -> None:
        import torch

        kept = torch.load(path, map_location=self.device)
        for name in ("model", "optimizer", "rates"):
            getattr(self, name).load_state_dict(kept[name])
        self.step, self.seconds = kept["step"], kept["seconds"]
        self.losses = list(kept["losses"])
        torch.set_rng_state(kept["random"].cpu())
        if kept["random_gpu"] is not None:
            torch.cuda.set_rng_state(kept["random_gpu"].cpu())


def with_first(tokenizer: Any, standard: str) -> Any:
    """A tokenizer that puts the token of a standard before a text and [SEP] behind it."""
    from tokenizers.processors import TemplateProcessing

    found = copy.deepcopy(tokenizer)
    first = standard_token(standard)
    ends = [(token, found.convert_tokens_to_ids(token)) for token in (first, "[SEP]")]
    found.backend_tokenizer.post_processor = TemplateProcessing(f"{first} $A [SEP]", None, ends)
    return found


def _save(model: Any, tokenizer: Any, folder: Path) -> None:
    with quietly():
        copy.deepcopy(model).half().cpu().save_pretrained(folder)
        tokenizer.save_pretrained(folder)


def standard_model(argument: str, device: str) -> tuple[Path, str]:
    """Folder and script of the segmenter of `STANDARD[/SEED]` by the defaults."""
    standard, seed = read_name(argument)
    made = EncoderTraining(read_encoder_texts(), EncoderSchedule(), weights.folder(), device)
    return made.model(standard, seed), script_of(standard)


def read_name(argument: str) -> tuple[str, int]:
    """Standard and seed of `STANDARD[/SEED]`, the seed being 1 unless it is told."""
    standard, _, seed = argument.partition("/")
    seed = seed or "1"
    if standard not in STANDARDS or not (seed.isascii() and seed.isdigit()):
        raise ValueError(
            f"encoder, got {argument!r}; expected STANDARD or STANDARD/SEED with STANDARD one of"
            f" {', '.join(STANDARDS)}"
        )
    return standard, int(seed)
