/* mt-capture-npz.c — the layout of a capture as .npz, and writing it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "capture/mt-capture-npz.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "capture/mt-capture.h"
#include "text/mt-tokens.h"

#include <assert.h>

const mt_kind_names mt_npz_kinds[MT_N_KINDS] = {
    [MT_ENCODER_SELF] = {"encoder", "encoder_attentions", "encoder_scores", "encoder_row_lse",
                         "encoder_first"},
    [MT_DECODER_SELF] = {"decoder", "decoder_attentions", "decoder_scores", "decoder_row_lse",
                         "decoder_first"},
    [MT_CROSS] = {"cross", "cross_attentions", "cross_scores", "cross_row_lse", "cross_first"},
};

#define LIST(prefix)                                                                \
  {                                                                                 \
    prefix "tokens", prefix "ids", prefix "words", prefix "special", prefix "text", \
        prefix "spans",                                                             \
  }
const mt_list_names mt_npz_lists[MT_N_LISTS] = {
    [MT_LIST_SOURCE] = LIST("source_"),
    [MT_LIST_DECODER_INPUT] = LIST("decoder_input_"),
    [MT_LIST_OUTPUT] = LIST("output_"),
};
const mt_list_names mt_npz_only_list = LIST("");

const char *const mt_npz_stack_positions[MT_N_STACKS] = {
    [MT_STACK_ENCODER] = "encoder_positions",
    [MT_STACK_DECODER] = "decoder_positions",
};
const char *const mt_npz_position_kinds[] = {
    [MT_POSITIONS_SINUSOIDAL_HALVES] = "halves",
    [MT_POSITIONS_SINUSOIDAL_INTERLEAVED] = "interleaved",
    [MT_POSITIONS_LEARNED] = "learned",
    NULL,
};
const char *const mt_npz_namings[] = {
    [MT_NAMING_TRANSLATION] = "translation",
    [MT_NAMING_SEQUENCES] = "sequences",
    [MT_NAMING_TOKENS] = "tokens",
    NULL,
};
const char mt_npz_precision[] = "attention_precision";
const char mt_npz_translation_precision[] = "translation_precision";
const char mt_npz_attention_window[] = "attention_window";
const char mt_npz_changes[] = "interventions";
const char mt_npz_search[] = "search_settings";

enum { MAX_ARRAYS = 48 };

/* The arrays collected so far, and what was made for them. */
typedef struct {
  mt_npz_array arrays[MAX_ARRAYS];
  size_t n;
  const char *texts[MAX_ARRAYS]; /* what the 0-d arrays point at */
  int32_t firsts[MT_N_KINDS][2];
  void *owned[2 * MT_N_LISTS];
  size_t n_owned;
} archive;

static mt_npz_array *
add(archive *out, const char *name, size_t n_dims, const size_t *shape)
{
  assert(out->n < MAX_ARRAYS);
  mt_npz_array *array = &out->arrays[out->n++];
  *array = (mt_npz_array){.name = name, .n_dims = n_dims};
  for (size_t i = 0; i < n_dims; i++)
    array->shape[i] = shape[i];
  return array;
}

static void
add_floats(archive *out, const char *name, const float *data, size_t n_dims, const size_t *shape)
{
  if (data)
    add(out, name, n_dims, shape)->f32 = data;
}

static void
add_text(archive *out, const char *name, const char *text)
{
  out->texts[out->n] = text;
  add(out, name, 0, NULL)->strings = &out->texts[out->n];
}

static void
add_kind(archive *out, const mt_capture_kind *kind, const mt_kind_names *names, int32_t first[2])
{
  if (!kind->n_layers)
    return;
  size_t shape[4] = {kind->n_layers, kind->n_heads, kind->rows, kind->cols};
  add_floats(out, names->weights, kind->weights, 4, shape);
  add_floats(out, names->scores, kind->scores, 4, shape);
  add_floats(out, names->row_lse, kind->row_lse, 3, shape);
  if (!kind->is_part)
    return;
  first[0] = (int32_t) kind->first_layer + 1;
  first[1] = (int32_t) kind->first_head + 1;
  add(out, names->first, 1, (const size_t[]){2})->i32 = first;
}

static bool
add_list(archive *out, const mt_tokens *tokens, const mt_list_names *names)
{
  size_t n = mt_tokens_count(tokens);
  const char **pieces = mt_alloc(n, sizeof *pieces);
  int32_t *numbers = mt_alloc(n, 4 * sizeof *numbers);
  if (!pieces || !numbers) {
    mt_free(pieces);
    mt_free(numbers);
    return false;
  }
  out->owned[out->n_owned++] = pieces;
  out->owned[out->n_owned++] = numbers;
  int32_t *words = numbers, *special = numbers + n, *spans = numbers + 2 * n;
  for (size_t i = 0; i < n; i++) {
    const mt_token *token = mt_tokens_get(tokens, i);
    pieces[i] = token->piece;
    words[i] = token->word;
    special[i] = token->is_special;
    spans[2 * i] = (int32_t) token->begin;
    spans[2 * i + 1] = (int32_t) token->end;
  }
  const size_t shape[2] = {n, 2};
  add(out, names->tokens, 1, shape)->strings = pieces;
  add(out, names->ids, 1, shape)->i32 = mt_tokens_ids(tokens);
  add(out, names->words, 1, shape)->i32 = words;
  add(out, names->special, 1, shape)->i32 = special;
  add(out, names->spans, 2, shape)->i32 = spans;
  add_text(out, names->text, mt_tokens_text(tokens));
  return true;
}

static void
add_positions(archive *out, const mt_capture *capture)
{
  mt_matrix longer = {0};
  for (int s = 0; s < MT_N_STACKS; s++) {
    mt_matrix m = mt_capture_positions(capture, (mt_stack) s);
    add_floats(out, mt_npz_stack_positions[s], m.data, 2, (size_t[]){m.rows, m.cols});
    if (m.data && m.rows > longer.rows)
      longer = m;
  }
  if (!longer.data)
    return;
  add_floats(out, "positions", longer.data, 2, (size_t[]){longer.rows, longer.cols});
  add_text(out, "position_kind", mt_npz_position_kinds[capture->position_kind]);
}

static void
add_precision(archive *out, const char *name, mt_precision precision)
{
  if (precision != MT_PRECISION_UNKNOWN)
    add_text(out, name, mt_precision_name(precision));
}

/* To a file, or, without a path, into memory. */
static bool
write_capture(const mt_capture *capture, const char *path, const char *meta_json, mt_bytes *bytes,
              mt_error *error)
{
  if (capture->a)
    return mt_fail(error, MT_ERROR_INPUT,
                   "This is the difference of two captures; each of them can be written.");
  archive out = {.n = 0};
  for (int k = 0; k < MT_N_KINDS; k++)
    add_kind(&out, &capture->kinds[k], &mt_npz_kinds[k], out.firsts[k]);
  add_positions(&out, capture);
  if (capture->output)
    add_floats(&out, "logprobs", capture->logprobs, 1,
               (size_t[]){mt_tokens_count(capture->output)});
  const mt_tokens *lists[MT_N_LISTS] = {
      [MT_LIST_SOURCE] = capture->source,
      [MT_LIST_DECODER_INPUT] = capture->has_decoder_input ? capture->decoder_input : NULL,
      [MT_LIST_OUTPUT] = capture->has_output ? capture->output : NULL,
  };
  bool ok = true;
  for (int i = 0; i < MT_N_LISTS && ok; i++)
    ok = !lists[i] || add_list(&out, lists[i], &mt_npz_lists[i]);
  if (capture->model_name[0])
    add_text(&out, "model", capture->model_name);
  add_text(&out, "naming", mt_npz_namings[capture->naming]);
  add_precision(&out, mt_npz_precision, capture->precision);
  add_precision(&out, mt_npz_translation_precision, capture->translation_precision);
  const int32_t window = (int32_t) capture->attention_window;
  if (window > 0)
    add(&out, mt_npz_attention_window, 0, NULL)->i32 = &window;
  if (capture->changes)
    add_text(&out, mt_npz_changes, mt_changes_text(capture->changes));
  bool is_asked = capture->search.set || capture->search.constraints;
  char *search = is_asked ? mt_request_to_json(&capture->search, NULL) : NULL;
  ok = ok && (search || !is_asked);
  if (search)
    add_text(&out, mt_npz_search, search);
  add_text(&out, "meta", meta_json ? meta_json : "{}");

  if (!ok)
    mt_fail_no_memory(error);
  else if (path)
    ok = mt_npz_write(path, out.arrays, out.n, error);
  else
    ok = mt_npz_make(out.arrays, out.n, bytes, error);
  for (size_t i = 0; i < out.n_owned; i++)
    mt_free(out.owned[i]);
  mt_string_free(search);
  return ok;
}

bool
mt_capture_write_npz(const mt_capture *capture, const char *path, const char *meta_json,
                     mt_error *error)
{
  return write_capture(capture, path, meta_json, NULL, error);
}

bool
mt_capture_make_npz(const mt_capture *capture, const char *meta_json, mt_bytes *bytes,
                    mt_error *error)
{
  *bytes = (mt_bytes){0};
  return write_capture(capture, NULL, meta_json, bytes, error);
}
