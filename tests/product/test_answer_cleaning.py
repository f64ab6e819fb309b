"""From a reply to the answer in it: every kind of wrapping that models put around an answer."""

import pytest

from metrics.matched_pair_accuracy.reading import answer_units


@pytest.mark.parametrize(
    ("reply", "units"),
    [
        ("The dog", ["the dog"]),
        ("", []),
        (" \n ", []),
        ("...", []),  # nothing but punctuation
        ("<think>the cat</think>the dog", ["the dog"]),
        ("<think>a</think>b<think>c</think>the dog", ["the dog"]),  # the last one counts
        # chat templates that open the tag themselves
        ("the cat...</think>\n\nthe dog", ["the dog"]),
        ("<think>the dog", []),  # never finished
        ("the dog<think>or the cat", ["the dog"]),
        ("<|channel|>analysis<|message|>hm<|end|><|channel|>final<|message|>the dog", ["the dog"]),
        ("Answer: the dog", ["the dog"]),
        ("**Answer**: the dog", ["the dog"]),
        ("**Answer:** the dog", ["the dog"]),
        ("### Answer\nthe dog", ["the dog"]),
        ("Answer: the cat\nAnswer: the dog", ["the dog"]),  # the last one counts
        ("Answer: the dog\nAnswer:", ["the dog"]),  # unless nothing follows it
        ("Answer:", []),
        ("Who did it? The answer is the dog.", ["the dog."]),
        ("so \\boxed{the dog}", ["the dog"]),
        ("<answer>the dog</answer>", ["the dog"]),
        ('{"answer": "the dog"}', ["the dog"]),
        ("$\\boxed{\\text{the dog}}$", ["the dog"]),
        ("Response: the dog", ["the dog"]),
        ("the dog \U0001f436", ["the dog"]),  # a picture
        ("It appears that the dog barked.", ["the dog barked."]),
        ("As stated in the sentence, the dog barked.", ["the dog barked."]),
        ("The dog barked, according to the sentence.", ["the dog barked"]),
        ("'the dog'", ["the dog"]),
        (
            "The 'dog' didn't bark, the dog's friend did",
            ["the dog didn't bark, the dog's friend did"],
        ),
        ("This led to the dog barking", ["the dog barking"]),
        ("The cat's involvement resulted in the dog barking", ["the dog barking"]),
        ("the *dog*", ["the dog"]),
        ("> the `dog`", ["the dog"]),
        ("the\u00a0d\u200bo\u00adg\ufeff", ["the dog"]),  # invisible characters
        ("the dog\u2019s bark", ["the dog's bark"]),
        ("dive-bombed", ["dive bombed"]),
        ("dive\u2011bombed", ["dive bombed"]),  # a hyphen that does not break
        ("ｔｈｅ ｄｏｇ", ["the dog"]),  # compatibility forms
        ("Sure!\nthe dog", ["the dog"]),
        ("What did the dog do? It barked.", ["it barked."]),  # the question again
        # the first sentence that says something
        ("Let me think. The cat is first.\nthe dog", ["the cat is first.", "the dog"]),
        ("Based on the sentence, the dog barked.", ["the dog barked."]),
        ("So the dog barked.", ["the dog barked."]),
        ("The consequence of the cat's involvement is that the dog barked", ["the dog barked"]),
        ("The series of events: the cat hissing", ["the cat hissing"]),
        ("1. the cat hissed\n2) the dog barked", ["the cat hissed", "the dog barked"]),
        ("- the cat hissed\n* the dog barked", ["the cat hissed", "the dog barked"]),
        ("1. the cat hissed 2. the dog barked", ["the cat hissed", "the dog barked"]),
        ("the cat hissed → the dog barked", ["the cat hissed  then  the dog barked"]),
        ("the cat hissed -> the dog barked", ["the cat hissed  then  the dog barked"]),
        ("So", ["so"]),  # not everything is a preface
        ("Okay.", ["okay."]),
    ],
)
def test_answers_are_found_in_replies(reply: str, units: list[str]) -> None:
    assert answer_units(reply) == units


def test_a_number_is_an_answer_where_there_are_no_items() -> None:
    assert answer_units("4. There are four.", has_items=False) == ["4.", "there are 4."]
