/* mt-capture-read.c — a capture out of an .npz, whatever wrote it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * In this order, so that a file that lies costs nothing: names and shapes of all weights, against
 * each other and the limits; tokens, against the shapes; then the block of the capture; then the
 * numbers, straight into it.
 */
#include "capture/mt-capture-npz.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "capture/mt-capture.h"
#include "files/mt-file.h"
#include "text/mt-tokens.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
  MAX_STACK = 512, /* layers, and heads of a layer */
  MAX_WIDTH = 4096,
  MAX_NAME = 256,
};
#define MAX_FLOATS   ((size_t) 1 << 27) /* of weights and positions in all */
#define MAX_INFLATED ((size_t) 1 << 30)
#define MAX_FILE     ((size_t) 1 << 40)
/* Weights times changes that are looked at to see if they agree. */
#define MAX_COMPARED ((size_t) 1 << 30)

typedef struct {
  bool found;
  size_t i; /* array of the npz */
  size_t n_layers, n_heads, rows, cols;
} found_kind;

typedef struct {
  mt_npz *npz;
  const char *label; /* of the file */
  found_kind kinds[MT_N_KINDS];
  mt_naming naming;
  size_t n_tokens[MT_N_LISTS]; /* 0: no kind says */
  mt_tokens *lists[MT_N_LISTS];
  size_t d_model;
  mt_position_kind position_kind;
  char *model_name;
  mt_precision precision, translation_precision;
  mt_changes *changes;
  mt_request search;
  bool is_searched;
} reader;

/* ---- Weights: which, and of what shape ----------------------------------------------------- */

/* The index of a word in a NULL-terminated list; *value is left alone if there is no such text. */
static bool
read_word(reader *r, const char *name, const char *const *words, int *value, bool *found,
          mt_error *error)
{
  char *text;
  if (!mt_npz_read_text(r->npz, name, &text, error))
    return false;
  *found = text != NULL;
  if (!text)
    return true;
  int i = 0;
  while (words[i] && strcmp(words[i], text) != 0)
    i++;
  if (words[i])
    *value = i;
  else {
    char known[128] = "";
    for (i = 0; words[i]; i++)
      snprintf(known + strlen(known), sizeof known - strlen(known), "%s\"%s\"",
               i == 0         ? ""
               : words[i + 1] ? ", "
                              : " or ",
               words[i]);
    mt_fail(error, MT_ERROR_FORMAT, "%s/%s.npy: expected %s, found \"%.80s\".", r->label, name,
            known, text);
  }
  bool ok = words[i] != NULL;
  mt_free(text);
  return ok;
}

/* "attentions": which kind it is. */
static bool
find_unnamed(reader *r, bool *is_named, mt_error *error)
{
  size_t i;
  const char *words[MT_N_KINDS + 1] = {NULL};
  for (int k = 0; k < MT_N_KINDS; k++)
    words[k] = mt_npz_kinds[k].kind;
  int kind = MT_ENCODER_SELF;
  *is_named = true;
  if (!mt_npz_find(r->npz, "attentions", &i))
    return true;
  if (!read_word(r, "kind", words, &kind, is_named, error))
    return false;
  if (r->kinds[kind].found)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected the attention of each kind once, found \"attentions\" beside "
                   "\"%s\".",
                   r->label, mt_npz_kinds[kind].weights);
  r->kinds[kind].found = true;
  r->kinds[kind].i = i;
  return true;
}

static bool
fail_no_weights(const reader *r, mt_error *error)
{
  char names[256] = "";
  for (size_t i = 0; i < mt_npz_count(r->npz); i++)
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s%.40s", i ? ", " : "",
             mt_npz_name(r->npz, i));
  return mt_fail(error, MT_ERROR_FORMAT,
                 "%s: expected attention weights: \"attentions\" (with \"tokens\"), or "
                 "\"encoder_attentions\" (with \"source_tokens\"), \"decoder_attentions\", "
                 "\"cross_attentions\" (with \"output_tokens\"); found %s%s.",
                 r->label, names[0] ? "only the arrays " : "no array", names);
}

/* A length of a shape against its limit. */
static bool
check_length(size_t n, size_t most, const char *what, const char *label, mt_error *error)
{
  if (n > 0 && n <= most)
    return true;
  return mt_fail(error, n ? MT_ERROR_TOO_LONG : MT_ERROR_FORMAT,
                 "%s: expected 1 to %zu %s, found %zu.", label, most, what, n);
}

/* [L][H][rows][cols], or [L][1][H][rows][cols]. */
static bool
check_kind(reader *r, mt_attention_kind kind, mt_error *error)
{
  found_kind *k = &r->kinds[kind];
  const char *label = mt_npz_label(r->npz, k->i);
  mt_npy npy;
  char shape[96];
  if (!mt_npz_peek(r->npz, k->i, &npy, error))
    return false;
  if (npy.type != MT_NPY_FLOAT)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected weights as '<f2', '<f4' or '<f8', found '%s'.", label, npy.descr);
  size_t skip = npy.n_dims == 5 && npy.shape[1] == 1 ? 1 : 0;
  if (npy.n_dims != 4 + skip)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected the shape (layers, heads, rows, columns), or (layers, 1, heads, "
                   "rows, columns), found %s.",
                   label, mt_npy_shape(&npy, shape, sizeof shape));
  k->n_layers = npy.shape[0];
  k->n_heads = npy.shape[1 + skip];
  k->rows = npy.shape[2 + skip];
  k->cols = npy.shape[3 + skip];
  if (!check_length(k->n_layers, MAX_STACK, "layers", label, error) ||
      !check_length(k->n_heads, MAX_STACK, "heads", label, error) ||
      !check_length(k->rows, MT_NPZ_MAX_TOKENS, "rows", label, error) ||
      !check_length(k->cols, MT_NPZ_MAX_TOKENS, "columns", label, error))
    return false;
  if (kind != MT_CROSS && k->rows != k->cols)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected as many columns as rows in self-attention, found %s; if it is "
                   "cross-attention, call it \"cross_attentions\".",
                   label, mt_npy_shape(&npy, shape, sizeof shape));
  return true;
}

/* An axis of a kind, against what other kinds said about that list. */
static bool
set_length(reader *r, mt_list list, size_t n, mt_attention_kind kind, const char *axis,
           mt_error *error)
{
  if (r->n_tokens[list] && r->n_tokens[list] != n)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected %zu %s, as many as the other attentions have %s tokens, found "
                   "%zu.",
                   mt_npz_label(r->npz, r->kinds[kind].i), r->n_tokens[list], axis,
                   list == MT_LIST_SOURCE ? "source" : "output", n);
  r->n_tokens[list] = n;
  return true;
}

static bool
find_kinds(reader *r, mt_error *error)
{
  bool is_named, is_said, any = false;
  for (int k = 0; k < MT_N_KINDS; k++)
    r->kinds[k].found = mt_npz_find(r->npz, mt_npz_kinds[k].weights, &r->kinds[k].i);
  if (!find_unnamed(r, &is_named, error))
    return false;

  size_t n_floats = 0;
  for (int k = 0; k < MT_N_KINDS; k++) {
    const found_kind *found = &r->kinds[k];
    if (!found->found)
      continue;
    any = true;
    if (!check_kind(r, k, error) ||
        (k != MT_DECODER_SELF &&
         !set_length(r, MT_LIST_SOURCE, found->cols, k, "columns", error)) ||
        (k != MT_ENCODER_SELF && !set_length(r, MT_LIST_OUTPUT, found->rows, k, "rows", error)))
      return false;
    /* Within the limits of the lengths: 2^9 * 2^9 * 2^12 * 2^12 = 2^42, three times. */
    n_floats += found->n_layers * found->n_heads * found->rows * found->cols;
    if (n_floats > MAX_FLOATS)
      return mt_fail(error, MT_ERROR_TOO_LONG,
                     "%s: expected at most %zu weights in all, found %zu or more.", r->label,
                     MAX_FLOATS, n_floats);
  }
  if (!any)
    return fail_no_weights(r, error);

  bool only_encoder = !r->kinds[MT_DECODER_SELF].found && !r->kinds[MT_CROSS].found;
  int naming = is_named ? MT_NAMING_SEQUENCES : MT_NAMING_TOKENS;
  if (!read_word(r, "naming", mt_npz_namings, &naming, &is_said, error))
    return false;
  /* Where there is a decoder, it is known which tokens are whose. */
  r->naming =
      naming == MT_NAMING_TOKENS && !only_encoder ? MT_NAMING_SEQUENCES : (mt_naming) naming;
  return true;
}

/* ---- Tokens -------------------------------------------------------------------------------- */

/* The list that "tokens" without a prefix is, if there can be no doubt. */
static bool
find_only_list(const reader *r, mt_list *only, bool *has_only, mt_error *error)
{
  size_t i;
  bool encoder = r->kinds[MT_ENCODER_SELF].found, decoder = r->kinds[MT_DECODER_SELF].found;
  *has_only = mt_npz_find(r->npz, mt_npz_only_list.tokens, &i);
  if (!*has_only)
    return true;
  if (r->kinds[MT_CROSS].found || encoder == decoder)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected \"source_tokens\" and \"output_tokens\" for attention between two "
                   "texts, found \"tokens\", which could be either.",
                   r->label);
  *only = encoder ? MT_LIST_SOURCE : MT_LIST_DECODER_INPUT;
  if (mt_npz_find(r->npz, mt_npz_lists[*only].tokens, &i))
    return mt_fail(error, MT_ERROR_FORMAT, "%s: expected each list once, found \"%s\" and \"%s\".",
                   r->label, mt_npz_only_list.tokens, mt_npz_lists[*only].tokens);
  return true;
}

static bool
read_lists(reader *r, mt_error *error)
{
  mt_list only = MT_LIST_SOURCE;
  bool has_only;
  size_t ignored;
  if (!find_only_list(r, &only, &has_only, error))
    return false;
  r->n_tokens[MT_LIST_DECODER_INPUT] = r->n_tokens[MT_LIST_OUTPUT];
  /* Of the decoder's lists one is needed, under whatever name. */
  bool has_input = mt_npz_find(r->npz, mt_npz_lists[MT_LIST_DECODER_INPUT].tokens, &ignored) ||
                   (has_only && only == MT_LIST_DECODER_INPUT);
  for (int l = 0; l < MT_N_LISTS; l++) {
    size_t n = r->n_tokens[l];
    bool is_needed = l == MT_LIST_SOURCE ? n > 0 : l == MT_LIST_OUTPUT && n > 0 && !has_input;
    const mt_list_names *names = has_only && l == (int) only ? &mt_npz_only_list : &mt_npz_lists[l];
    if (!mt_npz_read_tokens(r->npz, names, n, is_needed, &r->lists[l], error))
      return false;
    /* Without decoder attention the first of its lists says how long the other is. */
    if (l == MT_LIST_DECODER_INPUT && !n && r->lists[l])
      r->n_tokens[MT_LIST_OUTPUT] = mt_tokens_count(r->lists[l]);
  }
  return true;
}

/* ---- Numbers ------------------------------------------------------------------------------- */

typedef enum {
  FINITE,
  MASKED,  /* or -infinity: masked scores */
  UNKNOWN, /* or NaN, too: of a row whose weights changes set */
} allowed;

/* Fills `out` with the array of a name, if there is one of that shape (or of a batch of one, whose
 * length of 1 is before dimension `batch`). */
static bool
read_floats(reader *r, const char *name, size_t n_dims, const size_t *shape, size_t batch,
            allowed allows, float *out, bool *found, mt_error *error)
{
  mt_npy npy;
  size_t at;
  char text[96], wanted[96];
  if (!mt_npz_find_array(r->npz, name, &npy, &at, found, error) || !*found)
    return !*found;
  const char *label = mt_npz_label(r->npz, at);
  size_t skip = npy.n_dims == n_dims + 1 && npy.shape[batch] == 1 ? 1 : 0;
  bool ok = npy.type == MT_NPY_FLOAT && npy.n_dims == n_dims + skip;
  mt_npy expected = {.n_dims = n_dims};
  for (size_t i = 0; i < n_dims; i++) {
    ok = ok && npy.shape[i + (i >= batch ? skip : 0)] == shape[i];
    expected.shape[i] = shape[i];
  }
  if (!ok)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected floats of shape %s, found '%s' of shape %s.", label,
                   mt_npy_shape(&expected, wanted, sizeof wanted), npy.descr,
                   mt_npy_shape(&npy, text, sizeof text));
  if (!mt_npy_to_float(&npy, 0, npy.n_elements, out))
    for (size_t i = 0; i < npy.n_elements; i++) {
      if (isfinite(out[i]) || (allows != FINITE && out[i] == -INFINITY) ||
          (allows == UNKNOWN && isnan(out[i])))
        continue;
      char *end = text;
      for (size_t d = 0, stride = npy.n_elements; d < n_dims; d++) {
        stride /= shape[d];
        end += snprintf(end, (size_t) (text + sizeof text - end), "%s%zu", d ? ", " : "",
                        i / stride % shape[d]);
      }
      return mt_fail(error, MT_ERROR_FORMAT, "%s: expected finite numbers, found %s at [%s].",
                     label, isnan(out[i]) ? "NaN" : "infinity or a number beyond float32", text);
    }
  mt_npz_drop(r->npz, at);
  return true;
}

/* Which of the arrays beside the weights there are decides what the capture is laid out for. */
static bool
check_positions(reader *r, mt_error *error)
{
  mt_npy npy;
  size_t at;
  bool found;
  char shape[96];
  for (int s = 0; s < MT_N_STACKS; s++) {
    if (!mt_npz_find_array(r->npz, mt_npz_stack_positions[s], &npy, &at, &found, error))
      return false;
    if (!found)
      continue;
    const char *label = mt_npz_label(r->npz, at);
    if (npy.n_dims < 2)
      return mt_fail(error, MT_ERROR_FORMAT,
                     "%s: expected floats of shape (tokens, dimensions), found '%s' of shape %s.",
                     label, npy.descr, mt_npy_shape(&npy, shape, sizeof shape));
    size_t d = npy.shape[npy.n_dims - 1];
    if (!check_length(d, MAX_WIDTH, "dimensions", label, error))
      return false;
    if (r->d_model && d != r->d_model)
      return mt_fail(error, MT_ERROR_FORMAT,
                     "%s: expected %zu dimensions, as in \"%s\", found %zu.", label, r->d_model,
                     mt_npz_stack_positions[MT_STACK_ENCODER], d);
    r->d_model = d;
  }
  int kind = MT_POSITIONS_LEARNED;
  if (!read_word(r, "position_kind", mt_npz_position_kinds, &kind, &found, error))
    return false;
  if (kind != MT_POSITIONS_LEARNED && r->d_model % 2)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected an even number of dimensions, sines and cosines, found %zu.",
                   r->label, r->d_model);
  r->position_kind = (mt_position_kind) kind;
  return true;
}

/* Which layer and head of the model the first ones are, of a part. */
static bool
read_first(reader *r, mt_capture_kind *kind, const char *name, mt_error *error)
{
  mt_npy npy;
  size_t at;
  bool found;
  if (!mt_npz_find_array(r->npz, name, &npy, &at, &found, error) || !found)
    return !found;
  const size_t n[2] = {kind->n_layers, kind->n_heads};
  int64_t values[2] = {0};
  bool ok = (npy.type == MT_NPY_INT || npy.type == MT_NPY_UINT) && npy.n_elements == 2;
  for (size_t i = 0; ok && i < 2; i++)
    ok = mt_npy_to_int(&npy, i, &values[i]) && values[i] >= 1 && values[i] <= MAX_STACK &&
         (size_t) values[i] - 1 + n[i] <= MAX_STACK;
  if (!ok)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected two integers, of a layer and a head from 1, none beyond %d.",
                   mt_npz_label(r->npz, at), MAX_STACK);
  kind->is_part = true;
  kind->first_layer = (size_t) values[0] - 1;
  kind->first_head = (size_t) values[1] - 1;
  return true;
}

static bool
fill_kind(reader *r, mt_capture_kind *kind, const mt_kind_names *names, const char *weights_name,
          mt_error *error)
{
  const size_t shape[] = {kind->n_layers, kind->n_heads, kind->rows, kind->cols};
  bool found;
  if (!read_floats(r, weights_name, 4, shape, 1, FINITE, kind->weights, &found, error))
    return false;
  if (kind->scores) {
    if (!read_floats(r, names->scores, 4, shape, 1, MASKED, kind->scores, &found, error))
      return false;
    if (!found)
      kind->scores = NULL;
  }
  if (!read_first(r, kind, names->first, error))
    return false;
  if (!read_floats(r, names->row_lse, 3, shape, 1, r->changes ? UNKNOWN : MASKED, kind->row_lse,
                   &found, error))
    return false;
  if (!found)
    kind->row_lse = NULL;
  return true;
}

/* Whether there is no weight where it leaves none. */
static bool
keeps_to(const mt_capture_kind *kind, mt_attention_mask mask)
{
  for (size_t head = 0; head < kind->n_layers * kind->n_heads; head++)
    for (size_t row = 0; row < kind->rows; row++) {
      const float *w = kind->weights + (head * kind->rows + row) * kind->cols;
      for (size_t col = 0; col < kind->cols; col++)
        if (w[col] != 0 && mt_attention_mask_hides(mask, row, row + 1, col, col + 1))
          return false;
    }
  return true;
}

static bool
read_window(reader *r, mt_capture *capture, mt_error *error)
{
  mt_npy npy;
  size_t at;
  bool found;
  if (!mt_npz_find_array(r->npz, mt_npz_attention_window, &npy, &at, &found, error) || !found)
    return !found;
  bool is_type = npy.type == MT_NPY_INT || npy.type == MT_NPY_UINT;
  int64_t value;
  if (!is_type || npy.n_elements != 1 || !mt_npy_to_int(&npy, 0, &value) || value < 0 ||
      value > INT32_MAX)
    return mt_fail(error, MT_ERROR_FORMAT, "%s: expected one integer from 0 to %d.",
                   mt_npz_label(r->npz, at), INT32_MAX);
  mt_attention_mask mask = {.window = (size_t) value};
  if (keeps_to(&capture->kinds[MT_ENCODER_SELF], mask) &&
      keeps_to(&capture->kinds[MT_DECODER_SELF], mask))
    capture->attention_window = mask.window;
  return true;
}

/* Whether no head has weight where its changes leave none. */
static bool
keeps_to_changes(const mt_capture *capture, mt_attention_kind k)
{
  const mt_capture_kind *kind = &capture->kinds[k];
  for (size_t l = 0; l < kind->n_layers; l++)
    for (size_t h = 0; h < kind->n_heads; h++) {
      mt_matrix w = mt_capture_weights(capture, k, l, h);
      size_t layer = kind->first_layer + l, head = kind->first_head + h;
      if (!mt_changes_may_hide(capture->changes, k, layer, head))
        continue;
      for (size_t row = 0; row < w.rows; row++)
        for (size_t col = 0; col < w.cols; col++)
          if (mt_matrix_at(&w, row, col) != 0 &&
              mt_changes_hide(capture->changes, k, layer, head, row, col))
            return false;
    }
  return true;
}

/* What changes hide is believed as far as the weights say so, too. */
static void
check_changes(mt_capture *capture)
{
  capture->hiding = NULL;
  if (capture->block_bytes / sizeof(float) >
      MAX_COMPARED / (mt_changes_count(capture->changes) + 1))
    return;
  for (int k = 0; k < MT_N_KINDS; k++)
    if (!keeps_to_changes(capture, (mt_attention_kind) k))
      return;
  capture->hiding = capture->changes;
}

static bool
fill(reader *r, mt_capture *capture, mt_error *error)
{
  bool found;
  for (int k = 0; k < MT_N_KINDS; k++)
    if (r->kinds[k].found && !fill_kind(r, &capture->kinds[k], &mt_npz_kinds[k],
                                        mt_npz_name(r->npz, r->kinds[k].i), error))
      return false;
  capture->is_causal =
      keeps_to(&capture->kinds[MT_DECODER_SELF], (mt_attention_mask){.is_causal = true});
  if (!read_window(r, capture, error))
    return false;
  check_changes(capture);

  const mt_tokens *axes[MT_N_STACKS] = {capture->source, capture->output};
  for (int s = 0; s < MT_N_STACKS; s++) {
    const size_t shape[] = {axes[s] ? mt_tokens_count(axes[s]) : 0, r->d_model};
    if (capture->positions[s] && !read_floats(r, mt_npz_stack_positions[s], 2, shape, 0, FINITE,
                                              capture->positions[s], &found, error))
      return false;
    if (capture->positions[s] && !found)
      capture->positions[s] = NULL;
  }
  const size_t n_target = axes[MT_STACK_DECODER] ? mt_tokens_count(axes[MT_STACK_DECODER]) : 0;
  if (!read_floats(r, "logprobs", 1, &n_target, 0, MASKED, capture->logprobs, &found, error))
    return false;
  if (!found)
    capture->logprobs = NULL;
  return true;
}

/* ---- The whole ----------------------------------------------------------------------------- */

static mt_capture *
make_capture(reader *r, mt_error *error)
{
  mt_capture_spec spec = {
      .model_name = r->model_name,
      .source = r->lists[MT_LIST_SOURCE],
      .decoder_input = r->lists[MT_LIST_DECODER_INPUT],
      .output = r->lists[MT_LIST_OUTPUT],
      .d_model = r->d_model,
      .position_kind = r->position_kind,
      .naming = r->naming,
      .precision = r->precision,
      .translation_precision = r->translation_precision,
      .changes = r->changes,
      .search = r->is_searched ? &r->search : NULL,
  };
  size_t ignored;
  for (int k = 0; k < MT_N_KINDS; k++) {
    if (!r->kinds[k].found)
      continue;
    spec.n_layers[k] = r->kinds[k].n_layers;
    spec.n_heads[k] = r->kinds[k].n_heads;
    if (mt_npz_find(r->npz, mt_npz_kinds[k].scores, &ignored))
      spec.flags = MT_CAPTURE_SCORES;
  }
  mt_capture *capture = mt_capture_new(&spec, error);
  if (!capture)
    return NULL;
  capture->file_name = mt_strdup(r->label);
  bool ok = capture->file_name ? fill(r, capture, error) : mt_fail_no_memory(error);
  if (ok)
    return capture;
  mt_capture_unref(capture);
  return NULL;
}

static bool
read_model_name(reader *r, mt_error *error)
{
  if (!mt_npz_read_text(r->npz, "model", &r->model_name, error))
    return false;
  if (r->model_name && strlen(r->model_name) > MAX_NAME)
    return mt_fail(error, MT_ERROR_TOO_LONG,
                   "%s/model.npy: expected a name of at most %d bytes, found %zu.", r->label,
                   MAX_NAME, strlen(r->model_name));
  return true;
}

static bool
read_precision(reader *r, const char *name, mt_precision *precision, mt_error *error)
{
  const char *words[MT_N_PRECISIONS + 1] = {NULL};
  for (mt_precision p = 0; p < MT_N_PRECISIONS; p++)
    words[p] = mt_precision_name(p);
  bool found;
  int value = MT_PRECISION_UNKNOWN;
  if (!read_word(r, name, words, &value, &found, error))
    return false;
  *precision = (mt_precision) value;
  return true;
}

static bool
read_changes(reader *r, mt_error *error)
{
  char *text, label[2 * MAX_NAME];
  if (!mt_npz_read_text(r->npz, mt_npz_changes, &text, error))
    return false;
  if (!text)
    return true;
  snprintf(label, sizeof label, "%.*s/%s.npy", MAX_NAME, r->label, mt_npz_changes);
  mt_error own = {0};
  r->changes = mt_changes_parse(label, text, &own);
  mt_free(text);
  return r->changes ||
         mt_fail(error, own.code == MT_ERROR_INPUT ? MT_ERROR_FORMAT : own.code, "%s", own.message);
}

/* Of the model's own settings nothing is written. */
static bool
read_search(reader *r, mt_error *error)
{
  char *text, label[2 * MAX_NAME];
  if (!mt_npz_read_text(r->npz, mt_npz_search, &text, error))
    return false;
  if (!text)
    return true;
  snprintf(label, sizeof label, "%.*s/%s.npy", MAX_NAME, r->label, mt_npz_search);
  r->is_searched = mt_request_from_json(&r->search, label, text, strlen(text), error);
  mt_free(text);
  return r->is_searched;
}

static mt_capture *
read_capture(const unsigned char *bytes, size_t size, const char *label, char **meta,
             mt_error *error)
{
  reader r = {.label = label};
  mt_capture *capture = NULL;
  r.npz = mt_npz_open(bytes, size, MAX_INFLATED, label, error);
  if (r.npz && find_kinds(&r, error) && read_lists(&r, error) && check_positions(&r, error) &&
      read_model_name(&r, error) && read_precision(&r, mt_npz_precision, &r.precision, error) &&
      read_precision(&r, mt_npz_translation_precision, &r.translation_precision, error) &&
      read_changes(&r, error) && read_search(&r, error) &&
      mt_npz_read_text(r.npz, "meta", meta, error))
    capture = make_capture(&r, error);
  for (int l = 0; l < MT_N_LISTS; l++)
    mt_tokens_unref(r.lists[l]);
  mt_changes_unref(r.changes);
  mt_request_clear(&r.search);
  mt_free(r.model_name);
  mt_npz_free(r.npz);
  return capture;
}

mt_capture *
mt_capture_read_npz(const char *path, char **meta_json, mt_error *error)
{
  mt_mapping file;
  mt_fault_log faults = {0};
  char *meta = NULL, *label;
  if (!mt_file_map(path, MAX_FILE, &faults, &file, &label, error))
    return NULL;
  mt_capture *capture = read_capture(file.bytes, file.size, label, &meta, error);
  mt_unmap(&file);
  mt_free(label);
  if (!mt_fault_check(&faults, error)) {
    mt_capture_unref(capture);
    capture = NULL;
  }
  if (capture && meta_json)
    *meta_json = meta;
  else
    mt_free(meta);
  return capture;
}

mt_capture *
mt_capture_parse_npz(const void *bytes, size_t size, const char *label, char **meta_json,
                     mt_error *error)
{
  char *meta = NULL;
  mt_capture *capture = read_capture(bytes, size, label, &meta, error);
  if (capture && meta_json)
    *meta_json = meta;
  else
    mt_free(meta);
  return capture;
}

void
mt_string_free(char *string)
{
  mt_free(string);
}
