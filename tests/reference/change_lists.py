"""The changes and sentences of make_changes.py.

SPDX-License-Identifier: GPL-3.0-or-later
"""

import itertools

FROZEN = ["The children are playing in the garden.", "I have two dogs.", "Where is the train station?",
          "She did not want to go home, but it was already late.", "It rains.",
          "My brother bought an old house.", "The old man gave his dog a piece of bread.",
          "He asked me whether I had seen his keys.", "We will meet tomorrow at nine.",
          "The book on the table is not mine.", "Nobody knew the answer.", "Yes."]
TINY = ["the cat sat on the mat .", "two dogs eat bread and the sun is warm today", "where"]
# First with six layers of eight heads, then with what the small checkpoints have at least.
CHANGES = ["cross 4.1 zero", "encoder 2 zero", "decoder *.3 zero", "cross 5-6.2-4 zero",
           "encoder *.3 scale -0.5", "decoder 2 scale 1.75", "encoder window 2",
           "decoder window 1", "source 2 hide", "cross 6.1-3 key 1-2 hide",
           "decoder 3 query 3 key 1 hide",
           "cross 4.1 zero\ncross 6 scale 0.25\nencoder 1.2 window 1\nsource 2 hide\n"
           "decoder 2.1-4 zero",
           "cross 4.1-3 uniform", "encoder 1 uniform\nencoder 1 window 2",
           "decoder *.2-5 uniform\ncross 5 query 2-3 uniform\nsource 2 hide"]
# In a file of their own, with fewer sentences; sentences have at least three source tokens.
MORE = ["encoder 2.3 diagonal\nencoder 3 previous\nencoder 4.1-4 next",
        "decoder 2 diagonal\ndecoder 3.2 previous\ncross 5.3 diagonal\ncross 6.1-2 previous",
        "cross 4 temperature 0.5\nencoder *.3 temperature 2.5\ndecoder 6 query 2 temperature 10",
        "cross 4-6 query 3 key 2 add 1.5\nencoder 1 key 1-2 add -3\ndecoder 2 key 1 add 0.75",
        "cross 6 query 2-3 key 2 set 0.6\nencoder 3 key 1-3 set 0.25\ndecoder 4 key 1 set 0.1",
        "cross 6.1-4 key 2 put 0.5\nencoder 3.2 key 1 put 0\ndecoder 4 key 2 put 1",
        "source 2 hide\ncross 6 key 1-2 set 0.3",
        "cross 6.1-3 copy 4\nencoder 2.1 copy 2\nencoder 2.2 copy 1\ndecoder 3.2 copy 3",
        "encoder 2 unscaled\ncross 6.1 unscaled\ndecoder 3 unscaled",
        "encoder 2.1-4 cosine\ncross 5 cosine\ndecoder 3 cosine",
        "source 2 zero", "source 1 piece 17\nsource 3 piece 25", "source position * zero",
        "source position 2 zero\ntarget position 3 zero",
        "source position 2 shift 3\ntarget position 2-4 shift -2",
        "source position 3 as 1\nsource position 1 swap 2\nsource position 3 shift 1",
        "target position * shift 5\ntarget position 2 as 9\ntarget position 2 swap 3",
        "source position * interleave", "target position * interleave\ntarget position 1 zero",
        "encoder attention 2 skip\ndecoder feed-forward 3 skip",
        "encoder feed-forward 2 scale 0.5\ndecoder attention 2 scale 1.5\ncross attention 3 scale 0.8",
        "encoder layer 2 swap 4", "decoder layer 3 swap 5\ndecoder layer 5 swap 6\ncross 5.1 zero",
        "cross 4.1 temperature 2\nencoder 2.3 diagonal\nsource 2 piece 30\nsource position 3 shift 1\n"
        "decoder attention 6 scale 0.5",
        "encoder layer 1 swap 2\ncross 6 copy 1\ncross 6 query 2 key 1 set 0.4\nsource 2 zero\n"
        "target position 2 swap 3"]
# Of one encoder layer and three of the decoder, pre-norm, with positions that were learned.
LEARNED = ["source position 2 shift 3\ntarget position 2 zero\nsource position 1 swap 2\n"
           "target position 3 as 1",
           "encoder attention 1 skip\ndecoder feed-forward 3 skip\ncross attention 2 scale 0.5",
           "source 2 zero\nsource 1 piece 7\nencoder 1.1 copy 2\ncross 3 cosine\ndecoder 2 previous",
           "cross 2 key 2 set 0.6\nencoder 1.2 unscaled\nsource position * zero"]
MORE_SMALL = ["encoder 2.1 diagonal\nencoder 1.2 previous\ncross 1.1 next",
              "decoder 2 previous\ncross 2 temperature 0.5\nencoder 1 key 1-2 add -3",
              "cross 2 key 2 set 0.6\nencoder 1 key 1-2 put 0.25",
              "cross 2.1 copy 2\nencoder 1.2 copy 1\ndecoder 1.2 copy 1",
              "encoder 2 unscaled\ncross 1 cosine\ndecoder 2.1 cosine",
              "source 2 zero\nsource 1 piece 7",
              "source position 2 shift 3\ntarget position 2 zero\nsource position 1 swap 2\n"
              "target position 3 as 1",
              "encoder attention 2 skip\ncross attention 1 scale 0.5\ndecoder feed-forward 2 skip",
              "encoder layer 1 swap 2\ndecoder layer 2 swap 1\ncross 2.1 uniform\n"
              "source position * zero\nencoder feed-forward 1 scale 2"]
SINUSOIDAL = ["source position * interleave\ntarget position 2-3 interleave",
              "source position * shift -2\ntarget position * shift 500"]
SMALL = ["cross 2.1 zero", "encoder 1 zero", "decoder *.2 zero", "encoder *.1 scale -0.5",
         "encoder window 1", "source 2 hide", "cross 2.1 key 1 hide",
         "cross 1.1 zero\ndecoder 2 scale 0.25\nencoder 1.2 window 1\nsource 2 hide\n"
         "encoder 2 zero",
         "cross 2.1 uniform", "encoder 1 window 1\nencoder *.2 uniform",
         "decoder 2 uniform\ncross query 2-3 uniform\nsource 2 hide"]


# Every kind of change once, and five together.
FIFTY = ["encoder *.3 uniform\ncross 5 uniform", "cross 4 zero\ndecoder *.2 zero",
         "cross 4.1-5 mean\nencoder 2 mean\ndecoder 6.3 mean", "encoder 2.3 diagonal\ncross 6.5 diagonal",
         "decoder 2 previous\nencoder 3 previous", "encoder 4.1-4 next\ncross 6.2 next",
         "cross 6.1-3 copy 4\ndecoder 2.1 copy 7", "decoder 2.* scale 0.5\ncross 5 scale 1.5",
         "cross 4-6 temperature 0.5\nencoder *.3 temperature 2.5", "encoder window 2\ndecoder window 3",
         "source 2 hide\ncross 6 key 4-5 hide\nencoder 2 query 3 key 1 hide",
         "cross 4-6 query 2-3 key 3 add 1.5\nencoder 1 key 1-2 add -3",
         "cross 6 query 2-3 key 2 set 0.6\nencoder 3 key 1-3 set 0.25",
         "cross 6.1-4 key 2 put 0.5\ndecoder 4 key 1 put 0.25",
         "encoder 2 unscaled\ncross 6.1 unscaled\ndecoder 3.1-4 unscaled",
         "encoder 2.1-4 cosine\ncross 5 cosine", "source 3 zero", "source 2 piece 17\nsource 4 piece 435",
         "source position 3 zero\ntarget position 2 zero",
         "source position 2 shift 3\ntarget position 2-4 shift -1",
         "source position 3 as 1\ntarget position 2 as 5",
         "source position 2 swap 5\ntarget position 2 swap 3",
         "source position 2-4 interleave\ntarget position 3 interleave",
         "encoder attention 2 skip\ndecoder feed-forward 3 skip",
         "cross attention 3 scale 0.5\nencoder feed-forward 4 scale 1.5",
         "encoder layer 2 swap 4\ndecoder layer 5 swap 6",
         "cross 4.1 zero\nencoder *.3 uniform\nsource 4 hide\nsource position 2 swap 3\n"
         "decoder feed-forward 2 scale 0.5",
         "decoder 2.3 patch\ncross 5.1-4 patch\ncross attention 6 token 3 patch\n"
         "decoder stream 3 token 2 patch\ndecoder attention 5 token 4 patch"]
# For sentences of as many tokens as the reference.
PATCHES = ["encoder 3.2 patch\nencoder 5 query 2-3 patch", "cross 5-6 patch\ndecoder 2.1 query 3 patch",
           "encoder stream 3 token 3-4 patch", "decoder stream 4 token 3 patch",
           "encoder attention 2 token 2 patch\ncross attention 4 token 2-3 patch",
           "decoder attention 5 token 2 patch", "encoder input token 4 patch", "encoder input patch",
           "encoder stream 2 token 4 patch\ncross 4.1 zero\nencoder 5.1 uniform\n"
           "cross 6.3 patch\ndecoder feed-forward 2 scale 0.5"]
# As much of that as models of two layers of two heads have, or of one of the encoder and three.
FIFTY_SMALL = ["encoder *.2 uniform\ncross 1 uniform", "cross 1 zero\ndecoder *.2 zero",
               "cross 2.1 mean\nencoder 1 mean", "encoder 1.2 diagonal\ncross 1.1 previous",
               "encoder 1.1 next\ndecoder 2 previous", "cross 2.1 copy 2",
               "decoder 2.* scale 0.5\ncross 1 scale 1.5", "cross temperature 0.5",
               "encoder window 1\ndecoder window 2", "source 2 hide\ncross 1 key 3 hide",
               "cross query 2-3 key 2 add 1.5\nencoder 1 key 1-2 add -3",
               "cross 2 query 2-3 key 2 set 0.6\nencoder 1 key 1-3 set 0.25", "cross 1.1 key 2 put 0.5",
               "encoder 1 unscaled\ncross 2.1 cosine", "source 3 zero\nsource 2 piece 7",
               "source position 3 zero\ntarget position 2 zero",
               "source position 2 shift 2\ntarget position 2-3 shift -1",
               "source position 3 as 1\ntarget position 2 swap 3",
               "encoder attention 1 skip\ndecoder feed-forward 2 skip", "cross attention 2 scale 0.5",
               "decoder layer 1 swap 2",
               "cross 1.1 zero\nencoder *.2 uniform\nsource 4 hide\nsource position 2 swap 3\n"
               "decoder feed-forward 2 scale 0.5"]
PATCHES_SMALL = ["encoder 1.2 patch\nencoder 1.1 query 2-3 patch", "cross 2 patch\ndecoder 2.1 query 3 patch",
                 "encoder stream 1 token 3-4 patch", "decoder stream 1 token 3 patch",
                 "encoder attention 1 token 2 patch\ncross attention 2 token 2-3 patch",
                 "decoder attention 2 token 2 patch", "encoder input token 4 patch", "encoder input patch",
                 "encoder input token 2 patch\ncross 1.1 zero\nencoder 1.1 uniform\ncross 2.1 patch\n"
                 "decoder feed-forward 2 scale 0.5"]

# Of two encoder layers and two or three of the decoder, with heads of any number; the sentences are
# the reference and a longer one.
EVERY_FAMILY = [
    "cross 2.1 zero\nencoder *.1 scale -0.5", "encoder window 1\ndecoder window 2",
    "source 2 hide\ncross 2 key 1 hide", "decoder 2 uniform\ncross query 2-3 uniform",
    "encoder *.2 uniform", "encoder 1.2 diagonal\ncross 1.1 previous\ndecoder 2 previous",
    "cross temperature 0.5\nencoder 2 temperature 2", "cross query 2-3 key 2 add 1.5\n"
    "encoder 1 key 1-2 add -3", "cross 2 query 2-3 key 2 set 0.6\nencoder 1 key 1-3 set 0.25",
    "cross 1.1 key 2 put 0.5", "cross 2.1 copy 2\nencoder 1.2 copy 1\ndecoder 2.2 copy 3",
    "cross 2.1 mean\nencoder 1 mean", "encoder attention 1 skip\ndecoder feed-forward 2 scale 0.5",
    "cross attention 2 scale 0.5\nencoder feed-forward 2 skip", "source 3 zero\nsource 2 piece 17",
    "encoder stream 1 token 3-4 patch\ndecoder stream 1 token 2 patch",
    "encoder 1.2 patch\ncross 2 patch\ndecoder 2.1 query 3 patch",
    "encoder 2.1 cosine\ncross 1 cosine\ndecoder 1.2 cosine"]
FAMILIES = {"t5-gated-tiny": EVERY_FAMILY, "bart-tiny": EVERY_FAMILY + [
    "encoder 1 unscaled\ncross 2.1 unscaled",
    "source position 2 shift 3\ntarget position 2 zero\nsource position 1 swap 2",
    "encoder layer 1 swap 2\ndecoder layer 2 swap 1\ncross 2.1 uniform"]}


def fifty(name):
    """(reference, sentences of any length, sentences of as many tokens as the reference)"""
    if name != "frozen":
        words = "the cat sat on the mat two dogs eat bread and the sun is warm today where".split()
        any_length = [" ".join(words[(7 * i + (2 * (i % 5) + 1) * k) % len(words)]
                               for k in range(3 + i % 4)) for i in range(120)]
        orders = itertools.permutations("the cat sat on the mat".split())
        return "the cat sat on the mat .", any_length, [" ".join(x) + " ." for x in orders][::7]
    several = [f"{who} {verb} {n} {what}." for who in ("We", "They", "You", "I")
               for verb in ("have", "see", "want", "like") for n in ("three", "many", "some", "no")
               for what in ("dogs", "books", "keys", "friends")]
    return "I have two dogs.", several, several
