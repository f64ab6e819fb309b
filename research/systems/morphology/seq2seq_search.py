"""Beam search with a stack of seq2seq networks: each cuts its own words."""

from collections.abc import Sequence

import torch
from torch import Tensor

from research.systems.morphology.seq2seq import Networks
from research.systems.morphology.seq2seq_examples import (
    BEGIN,
    END,
    PAD,
    decode_target,
    encode_source,
    pad,
)

LONGEST_OUTPUT = 100
WORDS_AT_ONCE = 32


@torch.inference_mode()  # type: ignore[untyped-decorator]
def segment(
    networks: Networks, vocabularies: Sequence[dict[str, int]], words: Sequence[Sequence[str]]
) -> list[list[list[str]]]:
    """The outputs of m networks for their words, to which they need not concatenate."""
    networks.eval()
    names = [{symbol: character for character, symbol in v.items()} for v in vocabularies]
    segmented: list[list[list[str]]] = [[] for _ in words]
    for start in range(0, max(map(len, words)), WORDS_AT_ONCE):
        parts = [
            [encode_source(word, v) for word in w[start : start + WORDS_AT_ONCE]]
            for w, v in zip(words, vocabularies, strict=True)
        ]
        source = torch.from_numpy(pad(parts)).to(networks.step.device)
        best = best_outputs(networks, source).tolist()
        for network, part in enumerate(parts):
            segmented[network] += [
                decode_target(output, names[network]) for output in best[network][: len(part)]
            ]
    return segmented


def best_outputs(networks: Networks, source: Tensor) -> Tensor:
    """Best symbols (m, words, output length) for source symbols; END at the end or nowhere."""
    m, n_words, _ = source.shape
    beam = networks.architecture.beam
    # rows that only fill up must have something to attend to
    source = torch.where(source.any(-1, keepdim=True), source, BEGIN)
    contexts, states = networks.encode(source)
    contexts = contexts.repeat_interleave(beam, dim=1)
    is_inside = (source > PAD).repeat_interleave(beam, dim=1)
    states = [tuple(s.repeat_interleave(beam, dim=1) for s in state) for state in states]
    keys, feed_weights = networks.attention_keys(contexts), networks.feed_weights()
    feed = torch.zeros_like(contexts[:, :, 0])
    symbols = torch.full((m, n_words, beam, 1), BEGIN, device=source.device)
    totals = torch.full((m, n_words, beam), -torch.inf, device=source.device)
    totals[:, :, 0] = 0.0  # all hypotheses are equal at first: only one counts
    for _ in range(LONGEST_OUTPUT):
        embedded = networks.embed_targets(symbols[..., -1:].flatten(1, 2)).squeeze(2)
        inputs = embedded + feed @ feed_weights
        feed, states = networks.decoder_step(inputs, states, contexts, keys, is_inside)
        scores = networks.scores(feed).unflatten(1, (n_words, beam))
        parents, chosen, totals = _extend(scores, totals, symbols[..., -1] == END)
        before = symbols.gather(2, parents.unsqueeze(-1).expand_as(symbols))
        symbols = torch.cat([before, chosen.unsqueeze(-1)], dim=-1)
        feed = _of_parents(feed, parents)
        states = [tuple(_of_parents(s, parents) for s in state) for state in states]
        # a hypothesis only gets worse: a finished best one stays the best
        if bool((chosen[:, :, 0] == END).all()):
            break
    return symbols[:, :, 0, 1:]


def _extend(scores: Tensor, totals: Tensor, is_finished: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Parents, symbols and totals of the best hypotheses; a finished one goes on with END."""
    n_symbols = scores.shape[-1]
    stay = torch.full_like(scores[0, 0, 0], -torch.inf)
    stay[END] = 0.0
    candidates = totals.unsqueeze(-1) + torch.where(is_finished.unsqueeze(-1), stay, scores)
    best, places = candidates.flatten(2).topk(totals.shape[-1], dim=-1)
    return places // n_symbols, places % n_symbols, best


def _of_parents(units: Tensor, parents: Tensor) -> Tensor:
    by_beam = units.unflatten(1, parents.shape[1:])
    return by_beam.gather(2, parents.unsqueeze(-1).expand_as(by_beam)).flatten(1, 2)
