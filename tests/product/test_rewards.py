"""The reward for reinforcement learning: what counts as the solution, and what does not."""

from typing import Any

import pytest

from garden_path.rewards import answer_reward


@pytest.mark.parametrize(
    ("reply", "solution", "reward"),
    [
        ("the cat", "the cat", 1.0),
        ("The cat.", "the cat", 1.0),
        (" the cat\nQuestion: What did the dog do?\nAnswer: bark", "the cat", 1.0),
        ("<think>The dog, or the cat?</think>\n**Answer:** the cat", "the cat", 1.0),
        ("It was the cat, not the dog.", "the cat", 1.0),
        ([{"role": "assistant", "content": "Answer: chase the dog"}], "chase the dog", 1.0),
        ("three", "3", 1.0),
        ("the dog", "the cat", 0.0),
        ("the cat or the dog", "the cat", 0.0),
        ("chase the mouse", "chase the dog", 0.0),
        ("chase", "chase the dog", 0.0),
        ("", "none", 0.0),
        ("<think>the cat", "the cat", 0.0),
        ([{"role": "assistant", "content": None}], "the cat", 0.0),
    ],
)
def test_a_reply_is_rewarded_where_it_gives_the_solution(
    reply: Any, solution: str, reward: float
) -> None:
    assert answer_reward([reply], [solution], prompts=["?"]) == [reward]


def test_as_many_solutions_as_replies() -> None:
    with pytest.raises(ValueError, match="solution, got 1; expected 2"):
        answer_reward(["a", "b"], ["a"])
