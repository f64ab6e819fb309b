"""The reward for reinforcement learning: what counts as the solution, and what does not."""

import pytest

from garden_path.rewards import answer_reward
from tests.support.cases import cases


@pytest.mark.parametrize(*cases("rewards/a_reply_is_rewarded_where_it_gives_the_solution"))
def test_a_reply_is_rewarded_where_it_gives_the_solution(reply, solution, reward):
    assert answer_reward([reply], [solution], prompts=["?"]) == [reward]


def test_as_many_solutions_as_replies():
    with pytest.raises(ValueError, match="solution, got 1; expected 2"):
        answer_reward(["a", "b"], ["a"])
