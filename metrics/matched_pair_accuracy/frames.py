"""What stands around an answer and says nothing of it: introductions, closing words, small talk.

Texts are in lower case here. A cue is different: it says that what follows replaces, or sums up,
what came before.
"""

import re

_SENTENCE = (
    r"(?:the|this) (?:given |provided |above |original )?(?:sentence|text|passage|statement)"
)
_STRUCTURE = (
    rf"(?:the |its )?(?:(?:nested |embedded |syntactic |grammatical )?(?:structure|parse|syntax)"
    rf" of {_SENTENCE}|(?:given |provided )?(?:structure|parse|context|information))"
)
_EVENTS = r"(?:the )?(?:full |complete |whole )?(?:series|sequence|chain|order) of events\b"

# Before an answer; the answer itself must follow.
LEAD = re.compile(
    r"^(?:"
    # so, ... / well, ...
    r"(?:so|thus|therefore|hence|okay|ok|sure|certainly|well|yes|hmm|alright|and|now|here)\b"
    r"[,.!:]?\s+(?=\S)"
    # based on the sentence, ... / given its structure, ... / as stated in the sentence, ...
    rf"|(?:based on|according to|given|looking at|from|in|per|analy[sz]ing|following)"
    rf" (?:{_STRUCTURE}|{_SENTENCE}|the question)(?: structure)?\s*[,:]?\s+"
    rf"|as (?:stated|described|given|mentioned|indicated|shown) (?:in|by) {_SENTENCE}\s*[,:]?\s+"
    # the sentence says that ... / it appears that ... / i think ... / we can see that ...
    rf"|{_SENTENCE} (?:says|states|tells us|indicates|shows|implies|means|suggests|describes)"
    r"(?: that)?[,:]?\s+"
    r"|(?:it|this) (?:appears|seems|is clear|is stated|follows|looks like|can be seen|means)"
    r"(?: that)?[,:]?\s+"
    r"|(?:i|we)(?: would|'d| can| will|'ll| could)?"
    r" (?:think|believe|say|conclude|see|find|guess|know|infer|get|understand|answer)"
    r"(?: that)?[,:]?\s+"
    # in conclusion, ... / to summarize, ... / in other words, ...
    r"|(?:in (?:conclusion|summary|short|other words|the end|total|all)"
    r"|to (?:summari[sz]e|conclude|sum up|put it simply|answer the question|be precise)"
    r"|(?:simply|clearly|specifically|overall|finally|ultimately|basically)"
    r"|that (?:is|means)|this means)(?: that)?\s*[,:]\s*(?=\S)"
    # the consequence of ... is that ... / the series of events that ... is: ...
    r"|(?:the )?(?:direct |immediate )?(?:consequence|result|outcome|effect)\b"
    r"[^.]{0,60}?\b(?:is|was)\b(?: that)?[,:]?\s+"
    rf"|{_EVENTS}[^.]{{0,60}}?\b(?:is|was|were|are)\b(?: as follows| that)?[,:]?\s+"
    rf"|{_EVENTS}[^.]{{0,60}}?:\s*"
    r"|(?:it|this|that|[^.,;:]{1,40}'s involvement)"
    r" (?:(?:led|leads) to|(?:resulted|results) in|caused|causes)\s+"
    r"|(?:the )?(?:prior |following )?events\b[^.:]{0,40}:\s*"
    r")"
)

# After an answer.
TRAIL = re.compile(
    rf"[\s,;(-]*(?:as (?:stated|described|given|mentioned|indicated|shown|per) (?:(?:in|by) )?"
    rf"{_SENTENCE}|(?:based on|according to|given|in|from|per) (?:{_STRUCTURE}|{_SENTENCE})"
    r"(?: structure)?|in this (?:case|scenario|context)|here|final answer|as a result)[\s).]*$"
)

# A unit that only announces what follows.
CHATTER = re.compile(
    r"^(?:let me|let's|let us|first, (?:let|i|we)|i need to|we need to|i will|i'll|to answer"
    r"|to find|to determine|looking at|okay|ok|sure|certainly|hmm|well|of course|great question"
    r"|here is|here's|here are|step \d|based on the sentence:?$)\b[^\n]*[.!:,]?$"
    r"|^.*\b(?:events|sequence|series|chain|follows|steps|order|answer|response|consequence"
    r"|analysis|breakdown|explanation)\b[^\n]*:$"
)

# Words of talk about the sentence: a unit with one of them states nothing.
_TALK = (
    "sentence question clause clauses phrase verb verbs noun nouns subject object structure parse"
    " relative embedded nested means meaning refers asks asked asking need needs identify determine"
    " break down analyze analyse look looking find step because since understand understanding"
    " modifies describes main reading word words innermost outermost passive"
)
TALK = frozenset(_TALK.split())

# What follows sums up.
CONCLUSION = re.compile(
    r"^(?:so|thus|therefore|hence|consequently|accordingly|overall|finally|ultimately"
    r"|in (?:conclusion|summary|short|the end)|to (?:conclude|summari[sz]e|sum up)"
    r"|(?:this|that|which) means)\b[,:]?\s*(?:that\b)?\s*"
)
# What follows takes back what was said.
CORRECTION = re.compile(
    r"^(?:(?:no|nope|wait|actually|sorry|apologies|oops|correction|scratch that|hold on"
    r"|on second thoughts?|i mean|or rather|rather|i was wrong|that's wrong|that is wrong"
    r"|my mistake|let me correct (?:that|myself)|strike that|i take that back)\b[\s,.:;!-]*)+"
    r"(?:it (?:is|was|should be|must be)\s+|the (?:correct|right) (?:one|answer) is\s+)?"
)
# The answer is left open.
HEDGE = re.compile(
    r"\b(?:or|maybe|perhaps|alternatively|possibly|could|might|either|unsure|uncertain|unless)\b"
)
