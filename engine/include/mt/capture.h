/* capture.h — captures: attention of a translation, its metrics, files and differences. Part of
 * mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_CAPTURE_H
#define MT_PUBLIC_CAPTURE_H

#include <mt/error.h>
#include <mt/files.h>
#include <mt/hooks.h>
#include <mt/matrix.h>
#include <mt/model.h>
#include <mt/search.h>
#include <mt/session.h>
#include <mt/tokens.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Captures -------------------------------------------------------------------------------- */

enum {
  MT_CAPTURE_SCORES = 1 << 0, /* also keep all scores before the softmax (doubles the memory) */
  /* Compute it in the model's own precision, to see what rounding does to attention. Without it a
   * capture uses unrounded weights, however the translation was found. */
  MT_CAPTURE_ROUNDED = 1 << 1,
  MT_CAPTURE_POSITIONS = 1 << 2, /* a part of one (see below) has positions, too */
};

/* Everything one translation attended to: immutable, atomically reference-counted, one allocation
 * for the matrices. It carries its own tokens, so an axis cannot be mislabelled. */
typedef struct mt_capture mt_capture;

/* Run hypothesis `index` of a translation once, teacher-forced, in one parallel pass, and keep all
 * attention weights. Hooks see (and may change) the tensors first; what they left is captured.
 * Errors: MT_ERROR_INPUT for an index or ids that are not there, or no tokens; MT_ERROR_TOO_LONG;
 * MT_ERROR_CANCELLED; MT_ERROR_NO_MEMORY. */
mt_capture *mt_session_capture(mt_session *session, const mt_translation *translation, size_t index,
                               unsigned flags, const mt_hooks *hooks, mt_error *error);
/* Of which attention a part of a capture is: of one kind (mt_attention_kind), layer and head, each
 * counted from 0, or of all of them (-1). */
typedef struct {
  int kind, layer, head;
} mt_capture_place;
/* What mt_capture_part gives of a whole capture, bit for bit, computed without it: only what the
 * part has takes memory. With MT_CAPTURE_POSITIONS it has the positions of the whole. place NULL:
 * the whole. Errors as those of mt_session_capture, and MT_ERROR_INPUT for a place that is not
 * there. */
mt_capture *mt_session_capture_part(mt_session *session, const mt_translation *translation,
                                    size_t index, const mt_capture_place *place, unsigned flags,
                                    const mt_hooks *hooks, mt_error *error);
/* What mt_capture_bytes says of such a capture, before it is computed, for so many tokens of source
 * and output; place NULL: the whole; changes are those of the hooks, NULL: none. SIZE_MAX: more
 * than can be addressed; 0: there is no such place. */
size_t mt_capture_bytes_of(const mt_model *model, size_t n_source, size_t n_target,
                           const mt_capture_place *place, unsigned flags,
                           const mt_interventions *changes);
/* Captures of the first hypothesis of n translations that this model made with the same changes,
 * whose rows go through the model together, which is two or three times as fast as one after the
 * other: captures [n], yours, each what mt_session_capture gives, bit for bit on processors with
 * vector kernels. Of hooks only changes and should_stop count. All at once take memory: some
 * hundred tokens are enough. False: errors as above, or MT_ERROR_INPUT for a translation that is
 * not so, and there are no captures. */
bool mt_session_capture_many(mt_session *session, const mt_translation *const *translations,
                             size_t n, const mt_hooks *hooks, mt_capture **captures,
                             mt_error *error);
mt_capture *mt_capture_ref(mt_capture *capture);
void mt_capture_unref(mt_capture *capture);

/* Axes. Encoder self-attention: source × source. Decoder self-attention: input × input. Cross:
 * input × source. Row t of the decoder has decoder input t (what goes in, y(t-1), <pad> first)
 * and output t (what comes out, y(t)); all three lists of the decoder have T tokens. */
const mt_tokens *mt_capture_source(const mt_capture *capture);        /* S tokens */
const mt_tokens *mt_capture_decoder_input(const mt_capture *capture); /* T tokens */
const mt_tokens *mt_capture_output(const mt_capture *capture);        /* T tokens */
/* Queries (for decoder rows the decoder input), and keys. */
const mt_tokens *mt_capture_rows(const mt_capture *capture, mt_attention_kind kind);
const mt_tokens *mt_capture_columns(const mt_capture *capture, mt_attention_kind kind);

size_t mt_capture_n_layers(const mt_capture *capture, mt_attention_kind kind); /* 0: kind absent */
size_t mt_capture_n_heads(const mt_capture *capture, mt_attention_kind kind);
bool mt_capture_has_scores(const mt_capture *capture);

/* A part of a capture: of one kind, layer and head, each counted from 0, or of all of them (-1).
 * mt_session_capture_part computes one without the whole. It has the tokens and log-probabilities
 * of the whole, no positions, and counts its own layers and heads from 0; these say which of the
 * model the first ones are. Errors: MT_ERROR_INPUT for what is not there, MT_ERROR_NO_MEMORY. */
mt_capture *mt_capture_part(const mt_capture *capture, int kind, int layer, int head,
                            mt_error *error);
bool mt_capture_is_part(const mt_capture *capture, mt_attention_kind kind);
size_t mt_capture_first_layer(const mt_capture *capture, mt_attention_kind kind);
size_t mt_capture_first_head(const mt_capture *capture, mt_attention_kind kind);
/* Whether it is known that each layer has all heads that the model has there: not of a part that
 * was read from a file. */
bool mt_capture_has_all_heads(const mt_capture *capture, mt_attention_kind kind);

/* [rows][cols] weights of one head; layer and head must be in range. The whole kind is one
 * contiguous [L][H][rows][cols] block starting at head (0, 0). */
mt_matrix mt_capture_weights(const mt_capture *capture, mt_attention_kind kind, size_t layer,
                             size_t head);
/* Likewise the scores; data NULL unless captured with MT_CAPTURE_SCORES. */
mt_matrix mt_capture_scores(const mt_capture *capture, mt_attention_kind kind, size_t layer,
                            size_t head);
/* One score before the softmax. Exact if scores were kept; else recovered from the weight and the
 * row's log-sum-exp, which is always kept: ln w + lse. NaN where neither is known (weight
 * underflowed to 0, or changes set weights of the row), -INFINITY where masked. */
float mt_capture_score_at(const mt_capture *capture, mt_attention_kind kind, size_t layer,
                          size_t head, size_t row, size_t col);

/* On which side of an aligned difference (mt_capture_difference_aligned) a token is. */
typedef enum {
  MT_SIDE_BOTH,
  MT_SIDE_A,
  MT_SIDE_B,
  MT_SIDE_EACH, /* both have one there, but another */
} mt_side;

/* Which cells cannot have weight. Tokens are counted from 0 on both axes. */
typedef struct mt_attention_mask mt_attention_mask;
struct mt_attention_mask {
  bool is_causal; /* column > row */
  size_t window;  /* |column - row| > window; 0: any distance is allowed */
  const mt_interventions
      *interventions; /* keys that they hide in this head; NULL: none; the capture's */
  mt_attention_kind kind;
  size_t layer, head;
  /* mt_side of every row and column: only what is on both has a value; NULL: all is; the
   * capture's */
  const unsigned char *rows, *cols;
  const mt_attention_mask *other; /* only what that one hides too; borrowed; NULL: no other */
};
/* That of one head. Decoder self-attention is causal (but not in a capture from elsewhere that has
 * weights there), self-attention keeps to the model's attention_window, if it has one, and changes
 * may hide more. */
mt_attention_mask mt_capture_mask(const mt_capture *capture, mt_attention_kind kind, size_t layer,
                                  size_t head);
/* Whether it leaves everything. */
bool mt_attention_mask_is_empty(mt_attention_mask mask);
/* Whether two heads of a kind are masked alike, whatever others they are joined with. */
bool mt_attention_mask_equal(mt_attention_mask a, mt_attention_mask b);
/* True if it leaves none of the cells of rows [row, row_end) and columns [col, col_end). */
bool mt_attention_mask_hides(mt_attention_mask mask, size_t row, size_t row_end, size_t col,
                             size_t col_end);
/* The same for one cell of a capture. */
bool mt_capture_is_masked(const mt_capture *capture, mt_attention_kind kind, size_t layer,
                          size_t head, size_t row, size_t col);

/* [S][d] or [T][d]: the position encoding that was added to each token. */
mt_matrix mt_capture_positions(const mt_capture *capture, mt_stack stack);
mt_position_kind mt_capture_position_kind(const mt_capture *capture);
/* Of relative positions: what was added to the scores of a head, by distance: [1][2n - 1] for n
 * columns, where what a key at column j gets from row i stands at n - 1 + j - i. data NULL: there
 * is nothing, as in cross-attention, or it is not by distance, since changes moved positions. */
mt_matrix mt_capture_score_bias(const mt_capture *capture, mt_attention_kind kind, size_t layer,
                                size_t head);
/* The same for one cell; NaN where mt_capture_score_bias has nothing. */
float mt_capture_score_bias_at(const mt_capture *capture, mt_attention_kind kind, size_t layer,
                               size_t head, size_t row, size_t col);
/* [T] log-probability of each output token given those before it: what the translation found, and
 * in its precision, if the capture is of a translation that the same model made without hooks; else
 * computed with the capture. NULL: not known. */
const float *mt_capture_logprobs(const mt_capture *capture);
const char *mt_capture_model_name(const mt_capture *capture); /* "": not known */
/* The precision in which the capture itself was computed, and the one in which its translation was
 * found. */
mt_precision mt_capture_precision(const mt_capture *capture);
mt_precision mt_capture_translation_precision(const mt_capture *capture);
/* Its weights were kept while the translation was made (keeps_attention), token by token; else they
 * are of a pass over all tokens, whose sums have another order, so that last digits differ. */
bool mt_capture_is_recorded(const mt_capture *capture);
/* How its translation was searched for, as mt_translation_search; NULL: it was given, or nobody
 * knows. Borrowed. */
const mt_request *mt_capture_search(const mt_capture *capture);
/* The changes that it was computed with; NULL: none. Borrowed. */
const mt_interventions *mt_capture_interventions(const mt_capture *capture);
/* The file that mt_capture_read_npz read it from, without its folders; "" for all others. */
const char *mt_capture_file_name(const mt_capture *capture);

/* What is known about the texts, so that nothing is called what it may not be. */
typedef enum {
  MT_NAMING_TRANSLATION, /* a source and its translation: what a session captures */
  MT_NAMING_SEQUENCES,   /* what an encoder reads and what a decoder writes, whatever the task */
  MT_NAMING_TOKENS,      /* tokens that attend to each other; in which stack is not known: kept
                            as encoder self-attention */
} mt_naming;
mt_naming mt_capture_naming(const mt_capture *capture);
/* True if both lists of the decoder are known. Else the one that is known stands for both: a
 * decoder alone (GPT) has inputs, cross-attention from elsewhere often just the output. */
bool mt_capture_has_decoder_input(const mt_capture *capture);
bool mt_capture_has_output(const mt_capture *capture);

/* Numbers that hold for every row of attention as the paper has it (each sums to 1, weights from 0
 * to 1), and need not hold in a capture from elsewhere. */
typedef struct {
  double least_sum, largest_sum; /* over all rows of a kind */
  float least, largest;          /* over all weights of a kind */
} mt_weight_range;
mt_weight_range mt_capture_weight_range(const mt_capture *capture, mt_attention_kind kind);

size_t mt_capture_bytes(const mt_capture *capture); /* memory held */

/* ---- Captures from elsewhere ----------------------------------------------------------------- */

/* Build a capture by hand (from another framework, or for tests). Matrices start as zeros; fill
 * them through mt_capture_fill_* before the capture is shared, never after. */
typedef struct {
  const char *model_name;
  mt_tokens *source; /* S; NULL only if both encoder kinds are absent */
  /* T each. Of these two one may be NULL: it is not known, nothing is guessed, and the other one
   * stands for it. Both NULL: there is no decoder kind. */
  mt_tokens *decoder_input, *output;
  size_t n_layers[MT_N_KINDS], n_heads[MT_N_KINDS]; /* 0 layers: kind absent */
  size_t d_model;                                   /* 0: no positions */
  /* Of relative positions: 1, the same biases in all layers, or as many as there are layers; 0:
   * none. */
  size_t n_bias_layers[MT_N_KINDS];
  size_t attention_window;               /* of the model, if it is restricted */
  const mt_interventions *interventions; /* it is computed with these; or NULL */
  mt_position_kind position_kind;
  unsigned flags;
  mt_naming naming;
  mt_precision precision, translation_precision;
  const mt_request *search; /* that led to the output; NULL: none that is known */
} mt_capture_spec;
mt_capture *mt_capture_new(const mt_capture_spec *spec, mt_error *error);
float *mt_capture_fill_weights(mt_capture *capture, mt_attention_kind kind, size_t layer,
                               size_t head); /* [rows][cols] contiguous */
float *mt_capture_fill_scores(mt_capture *capture, mt_attention_kind kind, size_t layer,
                              size_t head); /* NULL without MT_CAPTURE_SCORES */
float *mt_capture_fill_row_lse(mt_capture *capture, mt_attention_kind kind, size_t layer,
                               size_t head); /* [rows] */
float *mt_capture_fill_score_bias(mt_capture *capture, mt_attention_kind kind, size_t layer,
                                  size_t head);                        /* [2n - 1], or NULL */
float *mt_capture_fill_positions(mt_capture *capture, mt_stack stack); /* [n][d] */
float *mt_capture_fill_logprobs(mt_capture *capture);                  /* [T] */

/* ---- Files ----------------------------------------------------------------------------------- */

/* Write a capture as a NumPy .npz archive (zip of .npy, float32 and int32, C order); S, T, L, H, d
 * as above. What a capture does not have is left out.
 *   encoder_attentions [L][H][S][S], decoder_attentions [L][H][T][T], cross_attentions [L][H][T][S]
 *   encoder_scores, decoder_scores, cross_scores: the same before the softmax, if kept
 *   encoder_row_lse, decoder_row_lse, cross_row_lse [L][H][rows]: log-sum-exp of each row of scores
 *     or NaN, where changes set weights
 *   encoder_positions [S][d], decoder_positions [T][d], positions (the longer of the two),
 *     position_kind: "halves", "interleaved", "fairseq", "learned" or "relative"
 *   encoder_score_bias [1 or L][H][2S - 1], decoder_score_bias [1 or L][H][2T - 1]: of relative
 *     positions, what was added to the scores by the distance of key and query, -(S - 1) … S - 1
 *   encoder_first, decoder_first, cross_first [2]: of a part of a capture, numbers, from 1, of the
 *     layer and the head of the model that the first matrix of the kind is of
 *   logprobs [T]
 *   and for each list of tokens, LIST being source [S], decoder_input [T], output [T]:
 *     LIST_tokens: unicode; LIST_ids; LIST_words: number of the word; LIST_special: 0 or 1;
 *     LIST_prefix: 0 or 1, if there are tokens of a task's prefix;
 *     LIST_text: the whole text; LIST_spans [n][2]: begin and end in the UTF-8 bytes of that text
 *   model: its name; naming: "translation", "sequences" or "tokens"; attention_precision and
 *     translation_precision: as mt_precision_name, if known; meta: meta_json as given, "{}" for
 *     NULL. Like position_kind and LIST_text these are 0-d unicode arrays.
 *   attention_window: 0-d integer, of a model that has one.
 *   interventions: 0-d unicode, mt_interventions_text of what was changed in the model, if anything
 * was. search_settings: 0-d unicode, mt_request_to_json of mt_capture_search, if it asks for
 * anything. Reading it again gives the same capture, bit for bit. Writes a temporary file beside
 * path (beside the file behind it, if path is a link) and renames it: an earlier file survives any
 * failure. */
bool mt_capture_write_npz(const mt_capture *capture, const char *path, const char *meta_json,
                          mt_error *error);
/* The same into memory, for mt_bytes_clear. Errors: MT_ERROR_INPUT, MT_ERROR_NO_MEMORY. */
bool mt_capture_make_npz(const mt_capture *capture, const char *meta_json, mt_bytes *bytes,
                         mt_error *error);

/* Read a capture from an .npz, whatever wrote it: the layout of mt_capture_write_npz, or any part
 * of it with weights in it. For files from elsewhere also
 *   attentions: weights of the kind that a 0-d unicode array `kind` names: "encoder", "decoder" or
 *     "cross". Without it they are kept as encoder self-attention and called just self-attention
 *     (MT_NAMING_TOKENS);
 *   tokens, ids, words, special, text, spans: the same as source_tokens …; of a decoder alone, as
 *     decoder_input_tokens …;
 *   a batch of one: [L][1][H][rows][cols], [1][n];
 *   float16, float32 and float64; any integers, for truth values also bool; C and Fortran order.
 * Tokens that are missing are called by their number from 1. Missing words are found by the marks
 * of the pieces (mt_tokens_word_mark), missing specials by name (</s>, [CLS], <|endoftext|>, …), a
 * missing text is put together from the pieces. `naming` is "sequences" if it is not said.
 * Rows need not sum to 1, nor weights lie between 0 and 1: they are kept as they are (an ablated or
 * merged map is a capture too; see mt_capture_weight_range). NaN and infinite weights are refused.
 * attention_window, and what interventions hide, is not believed where there are weights; changes
 * that are not understood are refused.
 * meta_json: receives a copy of `meta` for mt_string_free, or NULL if the file has none; may be
 * NULL. Everything is checked before anything as large is allocated: at most 4096 tokens a list, of
 * at most 256 characters, 512 layers and heads, 2^27 weights in all.
 * Errors: MT_ERROR_IO, MT_ERROR_FORMAT, MT_ERROR_UNSUPPORTED (pickled objects), MT_ERROR_TOO_LONG
 * for what is beyond those limits, MT_ERROR_NO_MEMORY. */
mt_capture *mt_capture_read_npz(const char *path, char **meta_json, mt_error *error);
/* The same from memory; label stands for the name of the file, in errors and as
 * mt_capture_file_name. */
mt_capture *mt_capture_parse_npz(const void *bytes, size_t size, const char *label,
                                 char **meta_json, mt_error *error);
void mt_string_free(char *string);

/* Named arrays to an .npz, for pictures that are not captures. */
typedef struct {
  const char *name;
  size_t n_dims;
  size_t shape[4];
  const float *f32; /* exactly one of these three is set */
  const int32_t *i32;
  const char *const *strings; /* as many as the product of shape; n_dims 0: one string */
} mt_npz_array;
/* Written as mt_capture_write_npz does. */
bool mt_npz_write(const char *path, const mt_npz_array *arrays, size_t n, mt_error *error);
/* The same into memory, for mt_bytes_clear. */
bool mt_npz_make(const mt_npz_array *arrays, size_t n, mt_bytes *bytes, mt_error *error);

/* ---- Metrics --------------------------------------------------------------------------------- */

/* Entropy in bits of a row that sums to 1: -sum a log2 a. */
double mt_row_entropy(const float *row, size_t n);

/* Summary of one head on one sentence (formulas: visualiser literature, Voita 2019, Clark 2019,
 * Vig & Belinkov 2019). */
typedef struct {
  double mean_entropy;      /* bits, mean over rows */
  double confidence;        /* mean over rows of the row's maximum, special columns left out */
  double diagonal_distance; /* self: mean |i - j| weighted; cross: mean |i/(m-1) - j/(n-1)| */
  double special_share;     /* mean mass on special tokens (</s>, <pad>, language) */
  double previous_share;    /* share of rows whose largest cell is at offset -1 (self only) */
  double same_share;        /* … 0 */
  double next_share;        /* … +1 */
  double monotone_share;    /* cross: share of rows with argmax >= that of the row before */
  /* Of relative positions: how much of the variation in a row of scores is position. NAN: there are
   * no biases, as in cross-attention, or no row has scores that differ. */
  double position_share;
} mt_head_metrics;
mt_head_metrics mt_head_metrics_compute(const mt_capture *capture, mt_attention_kind kind,
                                        size_t layer, size_t head);

/* ---- Differences ----------------------------------------------------------------------------- */

/* Whether rows and columns of both mean the same: the same tokens, and as many layers and heads. Of
 * two sentences that differ in some words, such as "… because it was too tired" and "… too wide",
 * sources are compared place by place: as many tokens, at least half of them the same. Else
 * MT_ERROR_INPUT, which says what is different. */
bool mt_capture_check_alike(const mt_capture *a, const mt_capture *b, mt_error *error);

/* B - A: a capture whose weights are those of b minus those of a, from -1 to 1, rows of sum 0. It
 * has no scores (mt_capture_score_at is NaN), no log-probabilities, and hides what is hidden in
 * every sentence only; search, changes and name are those of b; where a
 * has another source token the piece is both, "▁tired→wide". References to both are taken.
 * Errors: as above; MT_ERROR_NO_MEMORY. It is for looking at: it cannot be written as NPZ. */
mt_capture *mt_capture_difference(const mt_capture *a, const mt_capture *b, mt_error *error);

/* Tokens of two lists that are the same one; of a token that only one has the other is MT_NO_TOKEN.
 */
typedef struct {
  size_t a, b;
} mt_pair;
#define MT_NO_TOKEN ((size_t) -1)
/* The union of both lists in order, as pairs by a longest common subsequence of pieces; between two
 * that are the same first what only a has, then what only b has. (b, a) has the same pairs. pairs:
 * room for as many as both have tokens. Returns how many; 0 of lists that are not empty:
 * MT_ERROR_NO_MEMORY. Time and memory are those of both counts multiplied. */
size_t mt_tokens_align(const mt_tokens *a, const mt_tokens *b, mt_pair *pairs, mt_error *error);
/* B - A of captures of other tokens, with as many layers and heads: sources and translations are
 * aligned, and rows and columns are the union. A cell has a value where both have its row and its
 * column: else it is NaN and masked (mt_attention_mask has the sides), never 0. A row of the
 * decoder is a step that writes the same piece in both, a column of its self-attention one that
 * reads the same, too. Pieces of one side are "▁dog→" of a, "▁→cat" of b, and "▁dog→cat" where both
 * read another. Merged into words they never are part of both and part of one. Rows need not have
 * the sum 0, for what goes to tokens of one side is not there; no attention window is kept.
 * Otherwise as mt_capture_difference, which it is, bit for bit, of the same tokens. Errors:
 * MT_ERROR_INPUT for other shapes, and for sources or translations that have no token in common
 * apart from special ones; MT_ERROR_NO_MEMORY. */
mt_capture *mt_capture_difference_aligned(const mt_capture *a, const mt_capture *b,
                                          mt_error *error);
/* What it is the difference of; NULL: it is none. Borrowed. */
const mt_capture *mt_capture_difference_a(const mt_capture *capture);
const mt_capture *mt_capture_difference_b(const mt_capture *capture);
/* The largest difference that any of its weights has from 0, of all heads of all kinds; 0 of a
 * capture that is none. */
float mt_capture_difference_most(const mt_capture *capture);

/* How much a head moved: the Jensen-Shannon divergence of each row, the entropy of (a + b) / 2
 * minus the mean of both entropies, mean over rows; in bits, from 0 (the same) to 1 (no key in
 * common). The captures must be alike. A row that attends to nothing counts as a distribution
 * without mass. Lin, Divergence measures based on the Shannon entropy, 1991. */
double mt_capture_divergence(const mt_capture *a, const mt_capture *b, mt_attention_kind kind,
                             size_t layer, size_t head);
double mt_row_divergence(const float *a, const float *b, size_t n);

#ifdef __cplusplus
}
#endif
#endif
