/* npz.h — captures and other numbers as NumPy archives, written and read. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_NPZ_H
#define MT_PUBLIC_NPZ_H

#include <mt/archive.h>
#include <mt/capture.h>
#include <mt/error.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Write a capture as a NumPy .npz archive (zip of .npy, float32 and int32, C order); S, T, L, H, d
 * as above. What a capture does not have is left out.
 *   encoder_attentions [L][H][S][S], decoder_attentions [L][H][T][T], cross_attentions [L][H][T][S]
 *   encoder_scores, decoder_scores, cross_scores: the same before the softmax, if kept
 *   encoder_row_lse, decoder_row_lse, cross_row_lse [L][H][rows]: log-sum-exp of each row of scores
 *     or NaN, where changes set weights
 *   encoder_positions [S][d], decoder_positions [T][d], positions (the longer of the two),
 *     position_kind: "halves", "interleaved" or "learned"
 *   encoder_first, decoder_first, cross_first [2]: of a part of a capture, numbers, from 1, of the
 *     layer and the head of the model that the first matrix of the kind is of
 *   logprobs [T]
 *   and for each list of tokens, LIST being source [S], decoder_input [T], output [T]:
 *     LIST_tokens: unicode; LIST_ids; LIST_words: number of the word; LIST_special: 0 or 1;
 *     LIST_text: the whole text; LIST_spans [n][2]: begin and end in the UTF-8 bytes of that text
 *   model: its name; naming: "translation", "sequences" or "tokens"; attention_precision and
 *     translation_precision: as mt_precision_name, if known; meta: meta_json as given, "{}" for
 *     NULL. Like position_kind and LIST_text these are 0-d unicode arrays.
 *   attention_window: 0-d integer, of a model that has one.
 *   interventions: 0-d unicode, mt_changes_text of what was changed in the model, if anything was.
 *   search_settings: 0-d unicode, mt_request_to_json of mt_capture_search, if it asks for anything.
 * Reading it again gives the same capture, bit for bit. Writes a temporary file beside path (beside
 * the file behind it, if path is a link) and renames it: an earlier file survives any failure. */
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

#ifdef __cplusplus
}
#endif
#endif
