"""Segmenters: rjieba against jieba with the same output, a trie against a set and slices."""

import sys

import jieba

from benchmarks.timing import Goal, measure, report
from dataset_scripts.registry import split_table
from systems.registry import load


def match_slices(lexicon: frozenset[str], longest: int, text: str) -> list[str]:
    """Longest match from the left as a textbook has it: slices looked up in a set."""
    words, start = [], 0
    while start < len(text):
        end = next(
            (
                e
                for e in range(min(len(text), start + longest), start + 1, -1)
                if text[start:e] in lexicon
            ),
            start + 1,
        )
        words.append(text[start:end])
        start = end
    return words


def main() -> int:
    """Runs the benchmark; gives the exit code."""
    sentences = split_table("eras", "simplified", "test")["test"].to_pylist()[::10]
    jieba.initialize()
    rjieba, maxmatch = load("segmenter", "jieba"), load("segmenter", "maxmatch")
    lexicon = maxmatch.lexicon or frozenset()
    longest = max(map(len, lexicon))
    same = rjieba.predict(sentences) == [jieba.lcut(sentence) for sentence in sentences]
    also = maxmatch.predict(sentences) == [
        match_slices(lexicon, longest, sentence) for sentence in sentences
    ]
    jieba_seconds = measure(lambda: [jieba.lcut(sentence) for sentence in sentences], 3)
    rjieba_seconds = measure(lambda: rjieba.predict(sentences), 3)
    slices_seconds = measure(
        lambda: [match_slices(lexicon, longest, sentence) for sentence in sentences], 3
    )
    trie_seconds = measure(lambda: maxmatch.predict(sentences), 3)
    print(
        f"{len(sentences):,} sentences; rjieba {len(sentences) / rjieba_seconds:,.0f} a second,"
        f" trie {len(sentences) / trie_seconds:,.0f}\n"
    )
    return report(
        "Segmenters",
        [
            Goal("rjieba, times jieba", jieba_seconds / rjieba_seconds, 8),
            Goal("rjieba, output equal to jieba's", float(same), 1),
            Goal("longest match by trie, times set and slices", slices_seconds / trie_seconds, 2),
            Goal("longest match, output equal", float(also), 1),
        ],
    )


if __name__ == "__main__":
    sys.exit(main())
