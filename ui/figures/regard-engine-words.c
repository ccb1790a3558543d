/* regard-engine-words.c — THE list of words of the engine that people read, for their translators.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The engine has tables (statistics of heads, roles, methods of attribution, settings of searches
 * and recipes) whose words the window shows. It is English and free of gettext, and xgettext does
 * not read it; so every such word stands here once more. A test compares the two.
 */
#include "figures/regard-language.h"
#include "figures/regard-words.h"

const char *const regard_engine_words[] = {
    /* Translators: Statistics of heads: the heading of a column (a measure), what it is of, and
     * why there may be none. */
    NC_("measure", "Entropy"),
    NC_("unit", "bit"),
    N_("Mean entropy of the rows in bits: 0 looks at one token, log₂ n at all n alike"),
    NC_("measure", "Confidence"),
    N_("Mean of the rows' largest weights, special tokens left out (Voita et al. 2019)"),
    NC_("measure", "Special"),
    N_("Mean weight on special tokens, such as ⏎ (Clark et al. 2019)"),
    NC_("role", "sink"),
    N_("Share of the attention that goes to special tokens"),
    NC_("measure", "Distance"),
    NC_("unit", "token"),
    N_("Mean distance between query and key, weighted: in tokens, in cross-attention as a share "
       "of the sentences (Vig and Belinkov 2019)"),
    NC_("measure", "Previous"),
    N_("Share of rows that look most at the token before"),
    NC_("role", "previous"),
    NC_("measure", "Same"),
    N_("Share of rows that look most at their own token"),
    NC_("role", "same"),
    NC_("measure", "Next"),
    N_("Share of rows that look most at the next token"),
    NC_("role", "next"),
    NC_("measure", "Monotone"),
    N_("Share of steps in which the largest weight does not move back; that is about order "
       "alone, it does not say that a word looks at the word it translates"),
    NC_("role", "monotone"),
    N_("Share of steps in which the largest weight does not move back, with mean confidence of "
       "at least 0.40. That is about order alone: it does not say that a word looks at the word "
       "it translates"),
    NC_("measure", "Punctuation"),
    N_("Share of the weights on punctuation"),
    NC_("measure", "First"),
    N_("Share of the weights on the first token"),
    NC_("measure", "Rare"),
    N_("Share of rows that look most at the rarest token of the sentence, the last in the "
       "vocabulary"),
    NC_("measure", "Position"),
    N_("Share of a row's variation that is position: the variance of the biases of distance over "
       "the keys, divided by the sum of theirs and that of q·k; mean over the rows"),
    N_("There is none here: the scores have no part that is position, or changes moved positions"),
    NC_("measure", "Effect"),
    NC_("unit", "nat"),
    N_("How much more likely the translation is with the head than without: log p − log p with "
       "the head changed; + speaks for this translation"),
    N_("There is none yet: effects were not asked for"),
    NC_("measure", "Moved"),
    N_("How far the head is from the reference: Jensen–Shannon divergence of its rows, mean over "
       "them, from 0 to 1 (Lin 1991)"),
    N_("There is none here: nothing is compared with a reference"),

    /* Translators: Roles of heads over a text: which key, and how often a head looks at it. */
    N_("The token before"),
    N_("The query's own token"),
    N_("The next token"),
    NC_("role", "diagonal"),
    N_("The source token at the same share of the length"),
    NC_("role", "special"),
    N_("Special tokens, such as </s>"),
    NC_("role", "punctuation"),
    N_("Tokens that are nothing but punctuation"),
    NC_("role", "first"),
    N_("The first token"),
    NC_("role", "rare"),
    N_("The rarest token of the sentence, the last in the vocabulary"),

    /* Translators: Methods of attribution, where they were published, and what their numbers
     * are. */
    NC_("method", "Weights"),
    N_("Bahdanau et al. 2015"),
    N_("Bahdanau et al. 2015"),
    N_("attention weight of cross-attention and of the decoder's, mean over heads"),
    NC_("method", "Norms"),
    N_("Kobayashi et al. 2020, equation 3"),
    N_("Kobayashi et al. 2020, equation 3"),
    N_("Euclidean length of what the token gave in cross-attention and in the decoder's, all "
       "heads together"),
    NC_("method", "Rollout"),
    N_("Abnar & Zuidema 2020, section 3"),
    N_("Abnar & Zuidema 2020, section 3"),
    N_("share of the token, by weights of all layers multiplied, each with half of the identity; "
       "it leans to the first tokens of the decoder"),
    NC_("method", "ALTI+"),
    N_("Ferrando et al. 2022, arXiv 2205.11631, section 3"),
    N_("Ferrando et al. 2022, arXiv 2205.11631, section 3"),
    N_("share of the token in the state that the word is made of; feed-forward networks are left "
       "out"),
    NC_("method", "Value zeroing"),
    N_("Mohebbi et al. 2023, equation 2"),
    N_("Mohebbi et al. 2023, equation 2"),
    N_("how far the output of the layer turns without the token's value in cross-attention and "
       "in the decoder's, as a share of all tokens"),
    NC_("method", "Occlusion"),
    N_("Li, Monroe & Jurafsky 2016, section 3.1"),
    N_("Li, Monroe & Jurafsky 2016, section 3.1"),
    N_("nats of log p that the word loses when the token's embedding is 0"),
    NC_("method", "Gradient × input"),
    N_("Denil et al. 2014; Shrikumar et al. 2017"),
    N_("Denil et al. 2014; Shrikumar et al. 2017"),
    N_("derivative of log p of the word by the token's embedding, times it, in nats"),
    NC_("method", "Integrated gradients"),
    N_("Sundararajan et al. 2017, equation 1"),
    N_("Sundararajan et al. 2017, equation 1"),
    N_("the token's part in log p of the word less that with all embeddings at 0, in nats"),
    NC_("method", "Chefer"),
    N_("Chefer, Gur & Wolf 2021, arXiv 2103.15679, equations 5 to 11"),
    N_("Chefer, Gur & Wolf 2021, arXiv 2103.15679, equations 5 to 11"),
    N_("relevance by weights times the gradient of the word's logit, of all layers"),

    /* Translators: Settings of a search, in captions; with _ in the popover, where the key after
     * it chooses. */
    NC_("setting", "beam size"),
    N_("_Beams"),
    NC_("setting", "number of best hypotheses"),
    NC_("setting", "minimum length"),
    NC_("setting", "maximum length"),
    N_("_Most pieces"),
    NC_("setting", "length penalty"),
    N_("Length _penalty"),
    NC_("setting", "early stopping"),
    NC_("setting", "false"),
    NC_("setting", "true"),
    NC_("setting", "never"),
    NC_("setting", "size of n-grams that are not repeated"),
    N_("No _repeated n-grams"),
    NC_("setting", "repetition penalty"),
    N_("Repetition penalt_y"),
    NC_("setting", "score of a prefix"),
    NC_("setting", "counted"),
    NC_("setting", "left-out"),

    /* Translators: Settings of a recipe that reads word links from attention. */
    NC_("recipe", "Matrix"),
    N_("Norms of what a source token gives to a target token, or weights"),
    NC_("setting", "norms"),
    NC_("setting", "weights"),
    NC_("recipe", "Of"),
    N_("A layer such as 4, a head 4.1, heads 4.1+5.1, or auto: the layer with the highest mean "
       "norm"),
    NC_("recipe", "Row"),
    N_("The decoder row whose input is the word, or the one that predicts it"),
    N_("input row"),
    N_("output row"),
    NC_("recipe", "Pieces of a source word"),
    N_("What becomes of the pieces of a source word"),
    N_("source pieces summed"),
    N_("source pieces averaged"),
    NC_("recipe", "Pieces of a target word"),
    N_("What becomes of the pieces of a target word"),
    N_("target pieces summed"),
    N_("target pieces averaged"),
    NC_("recipe", "Special tokens"),
    N_("Leave </s> out, or keep it: a word that is most its has no link"),
    N_("</s> dropped"),
    N_("</s> kept"),
    NC_("recipe", "Choose"),
    N_("The largest of each target word, or all above the threshold"),
    N_("arg max"),
    N_("at least"),
    NC_("recipe", "Threshold"),
    N_("Least share of the row of a target word"),
    NC_("recipe", "Both directions"),
    N_("What becomes of the links of a second model of the other direction"),
    N_("one direction"),
    N_("intersection of both directions"),
    N_("union of both directions"),
    N_("grow-diag-final"),
    NC_("recipe", "Punctuation rule"),
    N_("Whether words without letter and digit go with such only"),
    N_("punctuation rule off"),
    N_("punctuation rule on"),

    /* Translators: What a head is replaced with when it is taken out: with zero, with uniform
     * weights, with its mean. */
    NC_("replaced with", "zero"),
    NC_("replaced with", "uniform"),
    NC_("replaced with", "mean"),
    NULL,
};
