/* regard-help-topics.c — what help says of pages, pictures and controls: the list.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two sentences each: what it is, and what one does with it or reads from it. They are for somebody
 * who sees the window for the first time.
 */
#include "parts/regard-help-topics.h"

#include <glib/gi18n.h>
#include <string.h>

#define TERMS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* ==== THE list of topics ====================================================================== */

static const RegardHelpTopic topics[] = {
    /* ---- Pages ---- */
    {"start", N_("A sentence to begin with"),
     N_("Type a sentence at the top left, or choose an example, and it is translated while you "
        "type. What the model does meanwhile is then shown in the place of this list."),
     "one-minute", TERMS("attention", "piece")},
    {"attention", N_("Attention"),
     N_("The page shows where each head of the model looks: all heads small at the left, one of "
        "them large, and numbers at the right. Click a head to see it large, and a cell to read "
        "it."),
     "row", TERMS("attention", "head", "weight")},
    {"inside", N_("Inside"),
     N_("The page computes one head for one token in front of you, number by number, as in "
        "equation 1 of the paper. Space goes through it in eight steps, from the query to what the "
        "head adds."),
     "qkv", TERMS("query", "key", "value", "softmax")},
    {"layers", N_("Layers"),
     N_("The page follows each token through the layers: what every sub-layer adds, and which word "
        "its state would already say. A list at the top right chooses what is shown."),
     "layers", TERMS("layer", "stream", "residual")},
    {"steps", N_("Steps"),
     N_("The page shows how the translation is written, one piece at a time: what there was to "
        "choose from, and how sure the model was. Click another candidate, and the translation "
        "goes on from there."),
     "words", TERMS("autoregression", "beam-search", "probability")},
    {"positions", N_("Positions"),
     N_("The page shows the numbers that tell the model which word comes first. On the Bench you "
        "can move them between words, or switch them off, and watch the translation."),
     "positions", TERMS("position-encoding", "relative-position")},
    {"heads", N_("All Heads"),
     N_("The page lists every head with its numbers on this sentence, a line each. Click the title "
        "of a column to sort by it, and type above to see only some heads."),
     "heads", TERMS("head", "role", "confidence", "entropy")},
    {"measure", N_("Over Many Sentences"),
     N_("The page asks of a whole text what the other pages show of one sentence. One sentence "
        "proves little, and here you can see what holds in general."),
     "proof", TERMS("role", "alignment", "attribution", "bleu")},

    /* ---- Panes of Over Many Sentences ---- */
    {"measure/heads", N_("Heads over a text"),
     N_("The list says what each head did over all sentences of a text, and the small picture puts "
        "heads that do alike near each other. Choose a head to see the sentences in which it is "
        "strongest."),
     "proof", TERMS("role", "head", "confidence")},
    {"measure/alignment", N_("Word alignment"),
     N_("Lines join each word of the translation with the word that it stands for, as it is read "
        "from cross-attention. The lists above choose how it is read, and a file of links that "
        "people made says how often that is right."),
     "row", TERMS("alignment", "cross-attention")},
    {"measure/attributions", N_("One word by all methods"),
     N_("Each row is a method that says what one word of the translation depends on. Where the "
        "rows differ the methods disagree, so do not believe a single one."),
     "proof", TERMS("attribution", "contribution", "gradient")},
    {"measure/quality", N_("Quality by length"),
     N_("A file is translated and compared with a good translation of it, for short sentences and "
        "for long ones. While something is changed in the model it is done twice, so you see what "
        "the change costs."),
     "learning", TERMS("bleu", "change")},

    /* ---- Pictures of Attention ---- */
    {"matrix", N_("The matrix of one head"),
     N_("A row is a token that looks, a column is a token that is looked at, and the colour of a "
        "cell says how large the weight is. The weights of a row sum to 1, those of a column need "
        "not."),
     "row", TERMS("weight", "query", "key")},
    {"lines", N_("Attention as lines"),
     N_("Each line goes from a token that looks to one that is looked at, and the stronger it is "
        "the larger the weight. Click a token to see its lines alone."),
     "row", TERMS("weight", "query", "key")},
    {"side-by-side", N_("Chosen heads side by side"),
     N_("Each picture is one of the heads that you chose, all for the same sentence and in the "
        "same colours. Click the name above one to see it alone."),
     "heads", TERMS("head", "multi-head")},
    {"heads-grid", N_("All heads, small"),
     N_("Each small picture is one head: a line of them is a layer, and there is a block for each "
        "of the three attentions. Click one to see it large; X, or its upper left corner, "
        "switches it off."),
     "heads", TERMS("head", "layer", "effect")},

    /* ---- Pictures of Inside ---- */
    {"inside/row", N_("One head for one token"),
     N_("From left to right: the query is compared with each key, the scores become weights, and "
        "the weighted values are summed. Point at any number to read how it was computed."),
     "qkv", TERMS("query", "score", "softmax", "context")},
    {"inside/all", N_("Equation 1 for all queries"),
     N_("The same steps as matrices: a row of each is one query, and a frame marks the one that "
        "you "
        "chose. From left to right stand the products, the scores, the weights and what comes "
        "out."),
     "qkv", TERMS("attention", "score", "weight")},

    /* ---- Pictures of Layers ---- */
    {"layers/lens", N_("Logit lens"),
     N_("Each cell is the word that would come out if the model stopped at this layer. Bold words "
        "are those that come out in the end, so you see in which layer each is decided."),
     "words", TERMS("logit-lens", "logits", "layer")},
    {"layers/norm", N_("Norm of the stream"),
     N_("Each cell says how long the vector of a token is after this sub-layer. The longer it is, "
        "the less it is turned by what is added."),
     "layers", TERMS("norm", "stream", "layer-norm")},
    {"layers/added", N_("What each sub-layer adds"),
     N_("Each cell says how much a sub-layer added to a token: self and cross are attentions, ffn "
        "is the feed-forward network. The bars below are the means of the columns."),
     "layers", TERMS("residual", "norm", "feed-forward")},
    {"layers/cosine", N_("Direction of what is added"),
     N_("Each cell compares what a sub-layer adds with what was there: 1 goes the same way, 0 at a "
        "right angle, −1 the opposite way. Below 0 something is taken away."),
     "layers", TERMS("cosine", "residual")},
    {"layers/active", N_("Active neurons"),
     N_("Each cell says which share of the neurons of a feed-forward network is not 0 for this "
        "token. Usually they are few, and other ones for other words."),
     "layers", TERMS("neuron", "feed-forward")},
    {"layers/collapse", N_("How alike the tokens have become"),
     N_("Each bar is the mean cosine between the tokens of the sentence after a sub-layer. Near 1 "
        "no word can be told from another any more."),
     "layers", TERMS("collapse", "cosine")},
    {"layers/graph", N_("Who gave what to whom"),
     N_("A line goes from a token to one that it gave something to, and the wider it is the larger "
        "the share. Click a node to keep only its own lines."),
     "layers", TERMS("contribution", "stream")},
    {"layers/embedding", N_("Embedding and position"),
     N_("For each token: its row of the embedding, its position, and their sum, which the first "
        "layer reads. Click a token to see which pieces have the most similar rows."),
     "pieces", TERMS("embedding", "position-encoding", "cosine")},
    {"layers/complexity", N_("What the layers cost"),
     N_("Table 1 of the paper for this sentence: how many multiplications each kind of layer "
        "needs, and how long the way from one word to another is at most. n is the number of "
        "pieces, d the width."),
     "costs", TERMS("complexity", "restricted-attention")},
    {"layers/decided", N_("Where it is decided"),
     N_("Each cell copies one state of the reference run into the run that you changed, and says "
        "how much of what was lost comes back. A bright cell is where the word is decided."),
     "words", TERMS("patching", "reference", "change")},

    /* ---- Pictures of Steps ---- */
    {"steps/tree", N_("The tree of the search"),
     N_("Each branch is a translation that the search has tried, from left to right, a piece a "
        "step. The upper way is the translation, and a cross is where a branch was given up."),
     "beams", TERMS("beam-search", "hypothesis", "length-penalty")},
    {"steps/rows", N_("Rows, step by step"),
     N_("The same matrices as on the page Attention, but only as far as the translation is "
        "written: a row comes with each step. What is not written yet is not there, and nothing "
        "stands in its place."),
     "three-uses", TERMS("mask", "autoregression", "teacher-forcing")},
    {"steps/heads", N_("Which head chose it"),
     N_("A bar to the right is a head that speaks for the piece that was chosen, one to the left "
        "speaks for the other piece. Click a bar to see where that head looked."),
     "heads", TERMS("effect", "logits", "head")},
    {"candidates", N_("Candidates of this step"),
     N_("The pieces that could have come here, the likeliest first, with their probabilities; all "
        "together would be 100 %. Enter or a click goes on with one of them, Delete forbids it."),
     "words", TERMS("probability", "entropy", "vocabulary")},
    {"looked", N_("What the step looked at"),
     N_("The source pieces with the largest weights in this step. The strong bar is the head that "
        "is selected, the pale bar is the mean of its layer."),
     "words", TERMS("cross-attention", "weight")},

    /* ---- Pictures of Positions ---- */
    {"positions/table", N_("Table of positions"),
     N_("A row is a position in the sentence, a column is one of the numbers that are added to the "
        "token there. Each column is a wave, some quick and some slow, so that no two positions "
        "have the same row."),
     "positions", TERMS("position-encoding", "dimension")},
    {"positions/similarity", N_("Similarity of positions"),
     N_("Each cell is the dot product of the rows of two positions. Of sines and cosines it "
        "depends "
        "on their distance only, so that near positions look alike."),
     "positions", TERMS("position-encoding", "score")},
    {"positions/waves", N_("Two columns as waves"),
     N_("A sine and a cosine of the same wavelength, over the positions. The pair chosen above "
        "says "
        "which: low pairs are quick, high pairs slow."),
     "positions", TERMS("position-encoding")},
    {"positions/shift", N_("A shift is one matrix"),
     N_("Multiplied by this matrix, the row of any position becomes that of the position k later. "
        "So the model can learn to look a fixed distance away, wherever it is."),
     "positions", TERMS("position-encoding", "relative-position")},
    {"positions/distance", N_("Numbers for distances"),
     N_("This model adds no positions to its tokens; each head adds a number to its scores, by how "
        "far apart query and key are. Each small curve is one head."),
     "positions", TERMS("relative-position", "score")},
    {"positions/bench", N_("The Bench"),
     N_("The encodings that each token gets, and buttons to move them, while the translation "
        "follows. Drag one token onto another, and they exchange their places for the model."),
     "positions", TERMS("position-encoding", "change")},

    /* ---- Texts and header ---- */
    {"source", N_("Source text"),
     N_("The text that is translated while you type. In a text of several sentences the one at the "
        "caret is shown."),
     "one-minute", TERMS("piece", "encoder")},
    {"source-pieces", N_("Pieces of the source"),
     N_("What the model really reads: pieces from its list, where ▁ begins a word. Click one to "
        "mark it in the pictures; Delete hides it from the model."),
     "pieces", TERMS("piece", "vocabulary")},
    {"translation", N_("Translation"),
     N_("What the model makes of the source. The pen, or Ctrl+T, lets you type a translation of "
        "your own, and the pictures then show the model reading that."),
     "one-minute", TERMS("decoder", "teacher-forcing")},
    {"translation-pieces", N_("Pieces of the translation"),
     N_("What the model wrote, piece by piece; the stronger the colour, the surer it was. Click "
        "one to mark it in the pictures."),
     "pieces", TERMS("piece", "probability")},
    {"own-translation", N_("A translation of your own"),
     N_("Press it and type what the translation should be. Regard then says how likely the model "
        "finds that, and shows the attention for your words."),
     "words", TERMS("teacher-forcing", "probability")},
    {"search", N_("How the translation is searched for"),
     N_("Beam says how many beginnings are tried at the same time, and the length penalty how "
        "strongly short translations are held back. More beams find better scores, not always "
        "better translations."),
     "beams", TERMS("beam-search", "length-penalty")},
    {"alternatives", N_("Other translations"),
     N_("The translations that the search found, the best score first. Choose one, and all "
        "pictures are of that one."),
     "beams", TERMS("beam-search", "hypothesis", "length-penalty")},
    {"language", N_("Languages"),
     N_("A model for several languages is told here which one to write, and some which one they "
        "read. The languages are those that this model has learned."),
     NULL, TERMS("special-token")},
    {"task", N_("Task of the model"),
     N_("Some models read before the text what to do with it, such as to translate or to "
        "summarise. The words that it reads can be changed in the list."),
     NULL, NULL},
    {"model", N_("The model"),
     N_("The name of the model that translates, and behind it the models of this machine. By hand "
        "is small enough to compute with a pencil, and Collapsed shows what goes wrong when all "
        "tokens become alike."),
     "qkv", TERMS("layer", "head", "collapse")},
    {"export", N_("Export"),
     N_("Saves what you see as a picture or as numbers, drawn anew from the data. Below a picture "
        "stands a caption that says what it shows and of which model."),
     NULL, NULL},
    {"copy", N_("Copy"),
     N_("Puts the picture of this page on the clipboard. Ctrl+C does the same while the picture "
        "has the keyboard."),
     NULL, NULL},
    {"panes", N_("Parts of the window"),
     N_("Shows and hides the small heads, the numbers at the right and the texts. What is hidden "
        "gives its room to the picture."),
     NULL, NULL},
    {"main-menu", N_("Main menu"),
     N_("Files, examples, colours, preferences, and everything else that has no button. F10 opens "
        "it."),
     NULL, NULL},
    {"pages", N_("Pages"),
     N_("Each button is another way to look at the same translation. Alt with a digit does the "
        "same."),
     NULL, NULL},

    /* ---- Controls of Attention ---- */
    {"combine", N_("What the large picture is of"),
     N_("One head, or several heads together: their mean, their largest weight, or those that you "
        "choose. The formula beside it says which: A₄,₁ is the matrix of layer 4, head 1."),
     "heads", TERMS("head", "multi-head", "weight")},
    {"effects", N_("Missed if off"),
     N_("Each head is taken out once, and the number on it says how much less likely the "
        "translation is then, in nats. Zero, uniform and mean are three things to put in its "
        "place."),
     "proof", TERMS("effect", "nat")},
    {"show", N_("Show: weights or attributions"),
     N_("Weights are where a head looks; the other entries are published methods that estimate "
        "what each word depends on. They often disagree, and what a number is stands below the "
        "picture."),
     "proof", TERMS("attribution", "weight", "contribution")},
    {"weights", N_("Weights by hand"),
     N_("While it is pressed, drag a cell to the right for more weight and to the left for less, "
        "and the translation follows. Ctrl+Z takes each of these changes back."),
     "row", TERMS("weight", "change")},
    {"form-switch", N_("Matrix or lines"),
     N_("Two drawings of the same weights: a cell for each, or a line for each. L changes from one "
        "to the other."),
     "row", TERMS("weight")},
    {"scale", N_("How weights become colours"),
     N_("With faint ones visible, small weights get more of the colours than they would by their "
        "size. Numbers that you read are always the weights themselves."),
     "row", TERMS("weight")},
    {"colours", N_("Colours"),
     N_("Which colours stand for small and for large weights. Printed in grey, larger weights are "
        "still told from smaller ones."),
     NULL, TERMS("weight")},
    {"pieces-or-words", N_("Pieces or words"),
     N_("As words, the pieces of a word are one row and one column: weights of keys are added, "
        "those of queries averaged. The model itself only knows pieces."),
     "pieces", TERMS("piece", "weight")},
    {"label-rows", N_("Names of decoder rows"),
     N_("A row of the decoder belongs to two words: the one that goes in, and the one that comes "
        "out of it. Choose which of them is written beside it."),
     "words", TERMS("autoregression", "decoder")},
    {"hide-special", N_("Hide special tokens"),
     N_("Leaves out rows and columns of tokens such as ⏎, the end of the sentence, where many "
        "heads rest. Nothing is scaled up for it, and bars beside the rows say how much is "
        "hidden."),
     "row", TERMS("special-token", "weight")},
    {"strong-lines", N_("How many lines are strong"),
     N_("The fewest lines that together hold this share of a row are drawn strongly, the others "
        "are pale. At 100 all lines are strong."),
     "row", TERMS("weight")},
    {"attribution-choice", N_("Of what, and of which part"),
     N_("The lists choose of which words the attributions are, and of which layer or head where "
        "the method has them. What the numbers are stands beside them."),
     "proof", TERMS("attribution", "contribution")},
    {"numbers", N_("Numbers of the cell and of the head"),
     N_("Above stand the numbers of the cell that is pointed at or pinned, below those of the "
        "whole head. Point at a name to read what it means."),
     "row", TERMS("weight", "score", "entropy", "confidence")},
    {"step", N_("Step of the decoder"),
     N_("The translation is written piece by piece, and the slider goes through that. Space plays "
        "it."),
     "words", TERMS("autoregression", "decoder")},
    {"changes", N_("Changes in the model"),
     N_("What is changed in the model now: heads that are off, weights that were dragged, "
        "positions that were moved. Each can be switched off, edited or removed."),
     "heads", TERMS("change", "effect")},
    {"reset", N_("Reset"),
     N_("Takes all changes away, and the model is again as it was trained. Ctrl+Z brings them "
        "back."),
     NULL, TERMS("change")},
    {"compare-with-this", N_("Compare with This"),
     N_("Keeps what there is now as A; whatever you change from now on is B and is compared with "
        "it. A bar with A, B and their difference appears below the picture."),
     "heads", TERMS("reference", "change")},
    {"compare-sides", N_("Now, A, B, and the difference"),
     N_("A is what was kept, Now is the translation as it is found now, and B is the model of now "
        "with the words of A, so that both have the same rows. B − A says where it looks more, or "
        "less, than before."),
     "heads", TERMS("reference", "change")},
    {"learn", N_("Learn"),
     N_("Fifteen lessons beside the pictures: each shows something, asks what you expect, and "
        "measures "
        "it in the model that runs. Your text and your changes are back when a lesson is left."),
     "one-minute", TERMS("attention")},
    {"talk", N_("Talk"),
     N_("Slides, each of which is what was on the screen when it was recorded, and is live again "
        "when it is shown. F5 gives the talk; the handbook says which keys a clicker has."),
     "one-minute", TERMS("attention")},
    {"simple-or-full", N_("Simple and Full"),
     N_("Simple has few controls: one head, its picture, and a sentence that says what it shows. "
        "Full "
        "has all of them, as you left them."),
     "one-minute", TERMS("head")},
    {"sentence", N_("What the picture shows"),
     N_("The sentence names the cell that is pointed at, or else the strongest one. Its arrow "
        "opens an "
        "explanation of the picture."),
     "row", TERMS("weight", "query", "key")},
    {"kinds", N_("Whose heads"),
     N_("In the encoder, words of the source look at each other; in the decoder, words of the "
        "translation look at those before them. Cross-attention looks from the translation at the "
        "source."),
     "three-uses", TERMS("self-attention", "cross-attention")},
    {"switch-head", N_("Switch Head Off"),
     N_("Nothing that this head found reaches the rest of the model any more. The line beside it "
        "says "
        "which words of the translation have changed."),
     "heads", TERMS("head", "change")},
    {"question", N_("The question of this example"),
     N_("What to look for in this sentence. It goes when you type another one, or close it."),
     "row", TERMS("attention")},
    {"curve", N_("How sure the model was"),
     N_("One bar for each step: the probability of the piece that was taken. A low bar is a step "
        "at "
        "which other pieces were nearly as likely; click it to see them."),
     "words", TERMS("probability", "beam-search")},
    {"beams", N_("Beams of the other search"),
     N_("How many beginnings the search beside this one keeps at the same time. With one it always "
        "takes the likeliest piece; with more it can give up a good piece for a better sentence."),
     "beams", TERMS("beam-search")},
    {"penalty", N_("Length penalty of the other search"),
     N_("The score of a translation is its log p divided by its length to this power. The larger "
        "the number, the longer the translations that win."),
     "beams", TERMS("length-penalty", "beam-search")},
    {"training-beside", N_("Training beside it"),
     N_("In training the decoder is given the whole translation, and all rows are computed at "
        "once, "
        "behind a mask. Here it writes one piece after the other, and the rows are the same."),
     "words", TERMS("teacher-forcing", "mask")},
    {"positions-of", N_("Whose positions"),
     N_("The source and the translation are counted each from its own first piece. Choose whose "
        "encodings are shown."),
     "positions", TERMS("position-encoding")},
    {"n-positions", N_("How many positions"),
     N_("The table has a row for each position, from 0. A sentence uses the first of them, and the "
        "rest are there for longer texts."),
     "positions", TERMS("position-encoding")},
    {"pair", N_("Pair of dimensions"),
     N_("Two dimensions belong together: a sine and a cosine of the same wavelength. Pair 0 is the "
        "quickest of them."),
     "positions", TERMS("position-encoding")},
    {"shift", N_("By how much positions are shifted"),
     N_("One matrix turns the encoding of every position into that of the position so many "
        "further. "
        "It is the same matrix wherever one begins."),
     "positions", TERMS("position-encoding")},
    {"interleaved", N_("Interleaved"),
     N_("The paper writes sine and cosine in turns; most programs write all sines first. The same "
        "numbers stand in another order, and the model has to be trained with the one that it "
        "gets."),
     "positions", TERMS("position-encoding")},
    {"swap", N_("Swap"),
     N_("Two pieces change their encodings while they stay where they are. The model takes the one "
        "for the other as far as order goes."),
     "positions", TERMS("position-encoding", "change")},
    {"reset-positions", N_("Reset of the bench"),
     N_("Every piece gets its own encoding back. Other changes of the model stay."), "positions",
     TERMS("position-encoding", "change")},
    {"order", N_("Does order count?"),
     N_("The sentence is read once more with its pieces backwards. The card says how far the "
        "encoder's outputs move: without encodings they do not."),
     "positions", TERMS("position-encoding")},
    {"root", N_("Made-up d_k"),
     N_("Random queries and keys with as many dimensions as you choose. The larger d_k, the larger "
        "the scores, and without the division the largest takes nearly all the weight."),
     "why-root", TERMS("softmax", "scaling")},
    {"play-training", N_("Play the training"),
     N_("Goes from checkpoint to checkpoint by itself, with the same sentence. Press it again to "
        "stop."),
     "learning", TERMS("checkpoint")},
    {"checkpoint", N_("Checkpoint of the training"),
     N_("The model as it was at one step of its training. Drag the slider, or play it, and the "
        "same head learns in front of you."),
     "learning", TERMS("checkpoint", "learning-rate", "loss")},
    {"keep-translation", N_("Keep the translation"),
     N_("Every checkpoint reads the translation that stands here, instead of finding one of its "
        "own. So rows and columns stay the same while the model learns."),
     "learning", TERMS("teacher-forcing", "checkpoint")},

    /* ---- Controls of the other pages ---- */
    {"query", N_("The query"),
     N_("Which token looks: the page computes its row. Ctrl+Up and Ctrl+Down go to the one before "
        "and after."),
     "qkv", TERMS("query")},
    {"rows", N_("One row, or all"),
     N_("One Row computes a single query number by number. All Rows shows the same steps as "
        "matrices, for all queries at once."),
     "qkv", TERMS("query", "attention")},
    {"inside-step", N_("Step of the computation"),
     N_("The eight steps of equation 1: query, products, division, mask, exp, weights, weighted "
        "values, W_O. Columns of later steps are still empty."),
     "qkv", TERMS("score", "softmax", "context")},
    {"inside-more", N_("What is drawn"),
     N_("Shows the matrix W_Q as well, and sets what the cards below compare: other similarities, "
        "and another divisor. None of it changes the model."),
     "why-root", TERMS("scaling", "additive-attention")},
    {"stack", N_("Encoder or decoder"),
     N_("The encoder reads the source, the decoder writes the translation; each has layers of its "
        "own. Choose whose tokens are the rows of the picture."),
     "three-uses", TERMS("encoder", "decoder")},
    {"shown", N_("What the picture shows"),
     N_("Ten ways to look at the same layers, from the word that each state would say to what it "
        "all costs. Ctrl+Page Up and Ctrl+Page Down go through them."),
     "layers", TERMS("logit-lens", "norm", "collapse")},
    {"lens-colours", N_("What colours say"),
     N_("The words of the lens stay; their colour can say how sure they are, how widely the "
        "probabilities are spread, or how near they are to the end. The list says which."),
     "words", TERMS("logit-lens", "entropy", "probability")},
    {"threshold", N_("The least share that has a line"),
     N_("Shares smaller than this have no line in the graph. A small number shows more lines and "
        "less order."),
     "layers", TERMS("contribution")},
    {"neighbours", N_("A piece and its neighbours"),
     N_("Type a piece of the vocabulary to see which others have the most similar rows of the "
        "embedding. Similar rows mostly are similar words."),
     "pieces", TERMS("embedding", "cosine")},
    {"steps-switch", N_("Tree, Rows, Heads"),
     N_("Tree shows all translations that the search has tried, Rows the attention as far as it is "
        "written, Heads which head chose this piece. They share the step above."),
     "beams", TERMS("beam-search", "mask", "effect")},
    {"another-word", N_("Another word"),
     N_("Type a word that the translation should go on with at this step. It is cut into pieces, "
        "and beside it stands how likely the model finds it."),
     "words", TERMS("probability", "piece")},
    {"tree-options", N_("How the tree is drawn"),
     N_("Fold joins what does not branch, Held only leaves out what was never kept, Matrix puts "
        "the attention beside it. Compare searches once more with other settings."),
     "beams", TERMS("beam-search", "hypothesis")},
    {"compare", N_("Compare two searches"),
     N_("Searches again with the beams and the length penalty that stand beside it, and draws that "
        "tree as well. It says at which step the two part."),
     "beams", TERMS("beam-search", "length-penalty")},
    {"positions-switch", N_("What the page shows"),
     N_("Table, Similarity, Waves and Shift are four views of the same numbers. On the Bench you "
        "move them between the words of your sentence."),
     "positions", TERMS("position-encoding")},
    {"positions-settings", N_("Which positions"),
     N_("Source and Translation choose whose positions are shown. The numbers choose how many "
        "positions, which pair of columns, or how far the shift goes."),
     "positions", TERMS("position-encoding")},
    {"chips", N_("Tokens and their positions"),
     N_("Each token with the position whose encoding it gets. Drag one onto another, or mark two "
        "with Space and press S, to exchange them; Delete switches one off."),
     "positions", TERMS("position-encoding")},
    {"all-off", N_("All Off"),
     N_("No encoding is added to any token, so the encoder cannot know their order. The card "
        "beside "
        "it measures that."),
     "positions", TERMS("position-encoding", "self-attention")},
    {"bench-buttons", N_("Buttons of the Bench"),
     N_("They move all tokens by one position, exchange two, change the layout of sines and "
        "cosines, or put everything back. The translation follows each of them."),
     "positions", TERMS("position-encoding", "change")},
    {"head-filter", N_("Only some heads"),
     N_("Type which heads the list has: a kind such as cross, a role such as monotone, a place "
        "such as 4.1, or a number such as confidence > 0.4. Everything that you type must hold."),
     "heads", TERMS("head", "role", "confidence")},
    {"head-columns", N_("What the columns are"),
     N_("Opens an explanation of every column, and why one may not be there. Numbers are of this "
        "sentence only."),
     "heads", TERMS("confidence", "entropy", "role")},
    {"head-list", N_("List of heads"),
     N_("A line is a head: its place, the role that it has earned, and its numbers. Enter shows "
        "the head on the page Attention."),
     "heads", TERMS("head", "role", "confidence", "entropy")},
    {"measure-panes", N_("What is asked of the text"),
     N_("Heads: what each does over a text; Alignment: which word stands for which; Attributions: "
        "what one word depends on; Quality: how good translations are. Ctrl+Page Up and Ctrl+Page "
        "Down go through them."),
     "proof", TERMS("role", "alignment", "attribution", "bleu")},
    {"recipe", N_("How links are read"),
     N_("The lists say how an alignment is read from cross-attention: weights or norms, of which "
        "heads, from which row, and what becomes of the pieces of a word. They change half of all "
        "links, so say which ones you used."),
     "row", TERMS("alignment", "norm", "cross-attention")},
    {"links-form", N_("Links or matrix"),
     N_("Links are curves between both texts, as wide as the share of the source word. The matrix "
        "has the same numbers, a cell each."),
     "row", TERMS("alignment")},
    {"gold", N_("Links that people made"),
     N_("Choose a file of such links, and every layer and every head is measured against it. Error "
        "rate 0 means that no link is wrong and no sure one is missing."),
     "row", TERMS("alignment")},
    {"corpus", N_("A text, and its heads"),
     N_("Opens a corpus file, and chooses the measure that histograms and sentences are of. The "
        "bundled model comes with a file of everyday sentences."),
     "proof", TERMS("role", "confidence")},
    {"corpus-making", N_("A corpus of your own"),
     N_("Choose a text with a sentence in each line, and where its numbers go. Measuring goes on "
        "behind your work; what was measured before you stop is kept, and Resume goes on."),
     "proof", TERMS("role", "head")},
    {"corpus-sentences", N_("Sentences of the text"),
     N_("The sentences in which the selected head has the most of the measure, ten groups of them, "
        "or those that have your words. Enter opens one in the window."),
     "proof", TERMS("role", "head")},
    {"attribution-word", N_("The word"),
     N_("Which word of the translation the methods are asked about. N and P go to the next and the "
        "one before."),
     "proof", TERMS("attribution")},
    {"quality-files", N_("A text and its translations"),
     N_("Choose a text with a sentence in each line, and a second file with a good translation of "
        "each line. Then press Translate and Score."),
     "learning", TERMS("bleu")},
};

const RegardHelpTopic *
regard_help_topics(guint *n)
{
  *n = G_N_ELEMENTS(topics);
  return topics;
}

const RegardHelpTopic *
regard_help_topic_find(const char *id)
{
  for (guint i = 0; i < G_N_ELEMENTS(topics); i++)
    if (g_str_equal(topics[i].id, id))
      return &topics[i];
  return NULL;
}

/* ==== Lessons by their titles ================================================================= */

static const struct {
  const char *id, *title;
} lessons[] = {
    {"one-minute", N_("One minute")},
    {"pieces", N_("Pieces")},
    {"row", N_("A row")},
    {"qkv", N_("Query, key, value")},
    {"why-root", N_("Why the square root")},
    {"heads", N_("Many heads")},
    {"three-uses", N_("Three uses, one mask")},
    {"positions", N_("What positions are for")},
    {"layers", N_("What a layer does")},
    {"words", N_("From state to word")},
    {"beams", N_("Beam search")},
    {"costs", N_("What it costs")},
    {"learning", N_("Learning")},
    {"smoothing", N_("Label smoothing")},
    {"proof", N_("What attention does not prove")},
};

const char *
regard_help_lesson_title(const char *id)
{
  for (guint i = 0; i < G_N_ELEMENTS(lessons); i++)
    if (g_str_equal(lessons[i].id, id))
      return lessons[i].title;
  return NULL;
}

/* ==== THE list of signs ========================================================================
 */

static const RegardHelpSign signs[] = {
    {"attention", N_("The large picture"), NULL},
    {"attention", N_("row"), N_("A query: the token that looks. Its weights sum to 1.")},
    {"attention", N_("column"),
     N_("A key: the token that is looked at. A column has no sum that it must have.")},
    {"attention", N_("a → b"),
     N_("In the decoder: a goes in, b comes out. The row belongs to both.")},
    {"attention", N_("colour"),
     N_("The weight, on the scale below the picture. The square root makes small weights visible; "
        "numbers are always the weights themselves.")},
    {"attention", N_(".56"), N_("The weight 0.56. Very small weights have no number.")},
    {"attention", N_("grey, hatched"),
     N_("Not allowed: what comes later, or is outside of a window.")},
    {"attention", N_("line"),
     N_("In the form Lines: a weight, the stronger the larger. Pale lines are the small rest of a "
        "row.")},
    {"attention", N_("Small pictures"), NULL},
    {"attention", N_("block"),
     N_("One of the three attentions. Its rows are layers, its columns are heads.")},
    {"attention", N_("+.31"),
     N_("The effect of the head in nats: the translation is so much more likely with it than "
        "without. + speaks for the translation, − against it.")},
    {"attention", N_("upper left corner"),
     N_("A click there switches the head off, or on again. A sign there says what was done to "
        "it.")},
    {"attention", N_("Below and beside them"), NULL},
    {"attention", "A = A₄,₁",
     N_("The large picture A is the matrix of weights of layer 4, head 1.")},
    {"attention", "A = 1/8 Σₕ A₄,ₕ", N_("It is the mean of the 8 heads of layer 4.")},
    {"attention", N_("diagonal distance"),
     N_("How many tokens away the head looks, in the mean; in cross-attention as a share of the "
        "sentences.")},
    {"attention", N_("on special tokens"),
     N_("How much of all weights of the head is on tokens such as ⏎, the end.")},
    {"attention", N_("Now, A, B, B − A"),
     N_("Now is the translation as it is found now, A what was kept, B the model of now with the "
        "words of A, and B − A the difference.")},

    {"inside", N_("The computation, from left to right"), NULL},
    {"inside", N_("stripe of colours"),
     N_("A vector: each small field is one of its numbers. Orange is above 0, blue below, white "
        "0.")},
    {"inside", N_("stream"),
     N_("The vector of the token before this layer, which the query is made from.")},
    {"inside", N_("‖17.12‖"),
     N_("The length of a vector: the root of the sum of its squared numbers.")},
    {"inside", N_("q·k, sum"), N_("The products of the numbers of query and key, added up.")},
    {"inside", "÷ √32", N_("The same divided by the root of d_k, here 32: the score.")},
    {"inside", N_("mask"), N_("0 for what may be seen, −∞ for what may not.")},
    {"inside", N_("exp, − max"),
     N_("e to the power of the score, after the largest score was taken away. That changes no "
        "weight.")},
    {"inside", N_("weight, ÷ Σ"), N_("The same divided by the sum of the column. They sum to 1.")},
    {"inside", N_("weight · v"),
     N_("Each value times its weight. Their sum below is the context.")},
    {"inside", N_("After W_O"), N_("What this head adds to the stream, and how long that is.")},
    {"inside", N_("Many heads"), NULL},
    {"inside", N_("‖adds‖"), N_("The length of what a head adds to the stream.")},
    {"inside", N_("along sum"),
     N_("How much of that goes the way of the sum of all heads. These numbers add up to its "
        "length.")},
    {"inside", N_("z, joined"),
     N_("The contexts of all heads one after the other: what W_O reads.")},
    {"inside", N_("bias b_O"), N_("A vector that is added whatever the heads found.")},
    {"inside", N_("Similarity"), NULL},
    {"inside", N_("scaled"), N_("q·k ÷ √d_k, as this model computes it.")},
    {"inside", N_("general"), N_("q·(W k), with one more matrix W.")},
    {"inside", N_("concatenation, perceptron"),
     N_("A small network compares q and k: v·tanh(W q + U k).")},
    {"inside", N_("W, U: identity"),
     N_("The model has no such matrices. The identity, which changes nothing, stands in for "
        "them.")},
    {"inside", N_("0.46 bit"), N_("The entropy of these weights: 0 if all is at one key.")},
    {"inside", N_("Why √d_k, and why this cell"), NULL},
    {"inside", N_("gradient"),
     N_("How much of an error would pass this softmax to what could learn from it. Near 0 nothing "
        "is learned.")},
    {"inside", N_("token × position 1"),
     N_("A part of the score: what one part of the query and one part of the key give together.")},

    {"layers", N_("Rows and columns"), NULL},
    {"layers", N_("row"), N_("A token. In the decoder a goes in, b comes out.")},
    {"layers", N_("emb"), N_("The embedding: before the first layer.")},
    {"layers", N_("1 self, 1 cross, 1 ffn"),
     N_("Layer 1: after its self-attention, its cross-attention, its feed-forward network.")},
    {"layers", N_("Logit lens"), NULL},
    {"layers", N_("bold"), N_("The piece that comes out in the end.")},
    {"layers", N_("colour"),
     N_("How probable the piece would be, or what the list beside it says.")},
    {"layers", N_("Other pictures"), NULL},
    {"layers", "‖·‖", N_("The length of a vector: of the stream, or of what is added.")},
    {"layers", N_("adds, mean"),
     N_("Bars: how much each sub-layer adds, in the mean of the tokens.")},
    {"layers", N_(".02"), N_("Of neurons: a share. Two in a hundred are not 0.")},
    {"layers", N_("blue, orange lines"),
     N_("In the graph: blue inside of one stack, orange from the encoder to the decoder.")},
    {"layers", "√d · e, + p, = x", N_("The embedding, the position, and their sum.")},
    {"layers", N_("μ, σ, γ, β"),
     N_("In the card below: mean and deviation that the layer norm takes, and its gain and bias.")},

    {"steps", N_("Above"), NULL},
    {"steps", N_("orange line"),
     N_("The entropy of each step in bits: how many pieces were likely. High is unsure.")},
    {"steps", N_("grey line"), N_("How probable the piece was that was chosen.")},
    {"steps", N_("strong bar, pale bar"),
     N_("What the step looks at: by the selected head, and in the mean of its layer.")},
    {"steps", N_("Candidates"), NULL},
    {"steps", N_("p, log p"), N_("The probability, and its natural logarithm: 0 is certain.")},
    {"steps", N_("others"), N_("All other pieces of the vocabulary together.")},
    {"steps", N_("The tree"), NULL},
    {"steps", N_("column, row"), N_("A column is a step, a row is a branch.")},
    {"steps", N_("upper way"), N_("The translation.")},
    {"steps", N_("tint"), N_("log p of a piece: the darker, the likelier.")},
    {"steps", N_("width of a line"), N_("The probability of the piece that it leads to.")},
    {"steps", N_("✕4 −0.20"),
     N_("Given up in step 4: its sum was 0.20 below the last one that was kept.")},
    {"steps", N_("underlined"), N_("Forced: you chose it.")},
    {"steps", N_("dashed"), N_("The branch that was there before you chose otherwise.")},
    {"steps", "Σ log p / length^α",
     N_("The score of a finished translation; α is the length penalty.")},
    {"steps", N_("pale"), N_("Not written yet at this step.")},

    {"positions", N_("Table, Similarity, Waves, Shift"), NULL},
    {"positions", N_("row"), N_("A position, counted from 0. Those of your sentence are marked.")},
    {"positions", N_("column"), N_("One of the numbers that are added to the token there.")},
    {"positions", N_("sine, cosine"),
     N_("Which of the two a column is. They change over with the column, not with the position.")},
    {"positions", N_("orange, blue"), N_("Above 0 and below 0; white is 0.")},
    {"positions", "PE(p + k) = M · PE(p)",
     N_("One matrix M moves every position by k. Each pair of columns is turned by an angle.")},
    {"positions", N_("The Bench"), NULL},
    {"positions", N_("token, number"), N_("A token, and the position whose encoding it gets.")},
    {"positions", N_("off"), N_("Nothing is added to this token.")},
    {"positions", N_("card"),
     N_("The encoder runs on your sentence and on its tokens in another order. If its outputs are "
        "the same, it cannot know the order.")},

    {"heads", N_("Columns"), NULL},
    {"heads", N_("Head"), N_("The attention, the layer, and the number of the head: cross 5.2.")},
    {"heads", N_("Role"), N_("A name that the head has earned by its numbers. Most have none.")},
    {"heads", N_("Entropy"),
     N_("How widely it looks, in bits, in the mean of its rows: 0 is one place.")},
    {"heads", N_("Confidence"),
     N_("The largest weight of a row, in the mean, without special tokens.")},
    {"heads", N_("Special"), N_("How much of its weights is on special tokens.")},
    {"heads", N_("Distance"),
     N_("How far away it looks; in cross-attention as a share of the sentences.")},
    {"heads", N_("Previous, Same, Next"),
     N_("The share of rows that look most at the token before, at their own, at the next.")},
    {"heads", N_("Monotone"),
     N_("The share of steps in which it does not go back in the source. That is about order, not "
        "about the right word.")},
    {"heads", N_("Effect"),
     N_("How much the translation misses it, in nats, once that is measured.")},
    {"heads", "–", N_("This number is not defined for this kind of attention.")},

    {"measure", N_("Numbers over a text"), NULL},
    {"measure", N_("mean ± deviation"),
     N_("The mean over all sentences, and how much single sentences differ from it.")},
    {"measure", "[95 %]",
     N_("Where the number would lie in 95 of 100 such texts. If it holds 0, a difference may be "
        "chance.")},

    {"measure/heads", N_("Heads over a text"), NULL},
    {"measure/heads", N_("small hill"),
     N_("In how many sentences the measure has which size: small at the left, large at the "
        "right.")},
    {"measure/heads", N_("diagonal 4.2×"),
     N_("A role: the head gives such tokens 4.2 times the weight of an average one.")},
    {"measure/heads", N_("dot of the map"),
     N_("A head. Dots near each other are heads that do alike.")},
    {"measure/heads", N_("marked words"),
     N_("The row and the column where the head had its largest value in this sentence.")},

    {"measure/alignment", N_("Alignment"), NULL},
    {"measure/alignment", N_("width of a line"),
     N_("The share that the source word has of the row of the word that it is joined to.")},
    /* xgettext:no-c-format */
    {"measure/alignment", "AER", N_("Alignment error rate: 0 % is right, 100 % is all wrong.")},
    {"measure/alignment", N_("precision, recall"),
     N_("How many of the links are right, and how many of the right links were found.")},

    {"measure/attributions", N_("Attributions"), NULL},
    {"measure/attributions", N_("row"), N_("A method. Each has its own scale of colours.")},
    {"measure/attributions", N_("curve"),
     N_("log p of the word while tokens are hidden one after the other, those first that the "
        "method rates highest.")},
    {"measure/attributions", N_("area"),
     N_("How far the curve falls in the mean, in nats. Large: the method found what matters.")},
    {"measure/attributions", N_("rank correlation"),
     N_("1: two methods put the tokens in the same order. 0: nothing in common.")},

    {"measure/quality", N_("Quality"), NULL},
    {"measure/quality", "BLEU",
     N_("Words and groups of up to four words that stand in the reference too, from 0 to 100.")},
    {"measure/quality", "chrF2",
     N_("The same with groups of letters; it counts half a word, too.")},
    {"measure/quality", N_("pieces"), N_("The length of the source sentences of this row.")},

    {"training", N_("The training strip"), NULL},
    {"training", N_("slider"),
     N_("The steps of the training that were saved, from first to last.")},
    {"training", N_("Keep Translation"),
     N_("Every checkpoint reads the translation that stands here, so that rows stay the same.")},

    {"", N_("Signs in texts"), NULL},
    {"", "▁", N_("Here a word begins: the sign stands for the blank before it.")},
    {"", "⏎", N_("The end of the sentence, a token like any other. Many heads rest on it.")},
    {"", N_("start"), N_("What the decoder is given before the first word.")},
    {"", "‹ ›", N_("Text that the model has no piece for. It sees the same token for all of it.")},
    {"", "5.2", N_("Layer 5, head 2.")},
    {"", N_("Pieces under the texts"), NULL},
    {"", N_("shading"),
     N_("Below the translation: how sure the model was of this piece where it stands. The darker, "
        "the surer; on a dark background, the brighter.")},
    {"", N_("outline"), N_("The piece of the row or column that is pointed at or kept.")},
    {"", N_("88, below a word"),
     /* xgettext:no-c-format */
     N_("Trust, below the translation: 88 % of this word comes from the source.")},
    {"", N_("158, below a word"),
     N_("Trust, below the source: what all words of the translation together have from this one, "
        "in "
        "percent of one word. It can be more than 100.")},
    {"", N_("log p −1.7"),
     N_("The logarithm of the probability of the whole translation: 0 is certain.")},
    {"", "F32, int8", N_("How exactly the numbers of the model are kept: in 32 bits, in 8.")},
};

const RegardHelpSign *
regard_help_signs(guint *n)
{
  *n = G_N_ELEMENTS(signs);
  return signs;
}
