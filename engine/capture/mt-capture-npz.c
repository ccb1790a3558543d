/* mt-capture-npz.c — a capture as .npz: its layout, writing it, and reading one, whatever wrote it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-utf8.h"
#include "capture/mt-capture.h"
#include "files/mt-file.h"
#include "files/mt-npz.h"
#include "mt.h"
#include "text/mt-tokens.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  const char *kind; /* "encoder", … */
  const char *weights, *scores, *row_lse;
  const char *first; /* of a part: numbers of its first layer and head */
  const char *bias;  /* of relative positions; NULL: there is none of this kind */
} mt_kind_names;

static const mt_kind_names npz_kinds[MT_N_KINDS] = {
    [MT_ENCODER_SELF] = {"encoder", "encoder_attentions", "encoder_scores", "encoder_row_lse",
                         "encoder_first", "encoder_score_bias"},
    [MT_DECODER_SELF] = {"decoder", "decoder_attentions", "decoder_scores", "decoder_row_lse",
                         "decoder_first", "decoder_score_bias"},
    [MT_CROSS] = {"cross", "cross_attentions", "cross_scores", "cross_row_lse", "cross_first",
                  NULL},
};

typedef struct {
  const char *tokens, *ids, *words, *special, *prefixed, *text, *spans;
} mt_list_names;

typedef enum { MT_LIST_SOURCE, MT_LIST_DECODER_INPUT, MT_LIST_OUTPUT } mt_list;
#define MT_N_LISTS 3

#define LIST(prefix)                                                                  \
  {                                                                                   \
    prefix "tokens", prefix "ids", prefix "words", prefix "special", prefix "prefix", \
        prefix "text", prefix "spans",                                                \
  }
static const mt_list_names npz_lists[MT_N_LISTS] = {
    [MT_LIST_SOURCE] = LIST("source_"),
    [MT_LIST_DECODER_INPUT] = LIST("decoder_input_"),
    [MT_LIST_OUTPUT] = LIST("output_"),
};

/* The same without a prefix, for a file with one list only. */
static const mt_list_names npz_only_list = LIST("");

static const char *const stack_positions[MT_N_STACKS] = {
    [MT_STACK_ENCODER] = "encoder_positions",
    [MT_STACK_DECODER] = "decoder_positions",
};

/* Words for enumerations, NULL-terminated, by their values. */
static const char *const position_kinds[] = {
    [MT_POSITIONS_SINUSOIDAL_HALVES] = "halves",
    [MT_POSITIONS_SINUSOIDAL_INTERLEAVED] = "interleaved",
    [MT_POSITIONS_LEARNED] = "learned",
    [MT_POSITIONS_RELATIVE] = "relative",
    [MT_POSITIONS_SINUSOIDAL_FAIRSEQ] = "fairseq",
    NULL,
};

static const char *const namings[] = {
    [MT_NAMING_TRANSLATION] = "translation",
    [MT_NAMING_SEQUENCES] = "sequences",
    [MT_NAMING_TOKENS] = "tokens",
    NULL,
};

/* Names of other arrays. */
#define PRECISION             "attention_precision"
#define TRANSLATION_PRECISION "translation_precision"
#define ATTENTION_WINDOW      "attention_window"
#define INTERVENTIONS         "interventions"
#define SEARCH                "search_settings"

/* Limits of what is read, see mt.h. */
enum { MAX_TOKENS = 4096, MAX_PIECE = 256, MAX_TEXT = 1 << 20 };

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
  if (names->bias)
    add_floats(out, names->bias, kind->bias, 3,
               (size_t[]){kind->n_bias_layers, kind->n_heads, 2 * kind->cols - 1});
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
  int32_t *numbers = mt_alloc(n, 5 * sizeof *numbers);
  if (!pieces || !numbers) {
    mt_free(pieces);
    mt_free(numbers);
    return false;
  }
  out->owned[out->n_owned++] = pieces;
  out->owned[out->n_owned++] = numbers;
  int32_t *words = numbers, *special = numbers + n, *spans = numbers + 2 * n;
  int32_t *prefixed = numbers + 4 * n;
  bool has_prefix = false;
  for (size_t i = 0; i < n; i++) {
    const mt_token *token = mt_tokens_get(tokens, i);
    pieces[i] = token->piece;
    words[i] = token->word;
    special[i] = token->is_special;
    prefixed[i] = token->is_prefix;
    has_prefix |= token->is_prefix;
    spans[2 * i] = (int32_t) token->begin;
    spans[2 * i + 1] = (int32_t) token->end;
  }
  const size_t shape[2] = {n, 2};
  add(out, names->tokens, 1, shape)->strings = pieces;
  add(out, names->ids, 1, shape)->i32 = mt_tokens_ids(tokens);
  add(out, names->words, 1, shape)->i32 = words;
  add(out, names->special, 1, shape)->i32 = special;
  if (has_prefix)
    add(out, names->prefixed, 1, shape)->i32 = prefixed;
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
    add_floats(out, stack_positions[s], m.data, 2, (size_t[]){m.rows, m.cols});
    if (m.data && m.rows > longer.rows)
      longer = m;
  }
  if (!longer.data && capture->position_kind != MT_POSITIONS_RELATIVE)
    return;
  add_floats(out, "positions", longer.data, 2, (size_t[]){longer.rows, longer.cols});
  add_text(out, "position_kind", position_kinds[capture->position_kind]);
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
    add_kind(&out, &capture->kinds[k], &npz_kinds[k], out.firsts[k]);
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
    ok = !lists[i] || add_list(&out, lists[i], &npz_lists[i]);
  if (capture->model_name[0])
    add_text(&out, "model", capture->model_name);
  add_text(&out, "naming", namings[capture->naming]);
  add_precision(&out, PRECISION, capture->precision);
  add_precision(&out, TRANSLATION_PRECISION, capture->translation_precision);
  const int32_t window = (int32_t) capture->attention_window;
  if (window > 0)
    add(&out, ATTENTION_WINDOW, 0, NULL)->i32 = &window;
  if (capture->interventions)
    add_text(&out, INTERVENTIONS, mt_interventions_text(capture->interventions));
  bool is_asked = capture->search.set || capture->search.constraints;
  char *search = is_asked ? mt_request_to_json(&capture->search, NULL) : NULL;
  ok = ok && (search || !is_asked);
  if (search)
    add_text(&out, SEARCH, search);
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

/* ---- Reading: tokens ------------------------------------------------------------------------- */

/* A list of tokens out of an .npz: as much of it as the file says, the rest
 * found by convention.
 *
 * Everything in the file is a stranger's: text becomes valid UTF-8 without a NUL inside, spans lie
 * within the text and between its characters, lists are as long as the matrices they name. */

/* ---- Reading its parts; of a batch of one, the one ------------------------------------------- */

/* Array `name`, if the file has it. False on failure; *found says if it is there. */
static bool
find_array(mt_npz *npz, const char *name, mt_npy *npy, size_t *i, bool *found, mt_error *error)
{
  *found = mt_npz_find(npz, name, i);
  return !*found || mt_npz_get(npz, *i, npy, error);
}

/* One element as UTF-8 in memory that is large enough. */
static bool
to_utf8(const mt_npy *npy, size_t i, const char *label, char *out, mt_error *error)
{
  uint32_t code = 0;
  if (mt_npy_to_utf8(npy, i, out, &code))
    return true;
  return mt_fail(error, MT_ERROR_FORMAT,
                 "%s: expected Unicode text, found U+%04X in element %zu, which is no character.",
                 label, (unsigned) code, i);
}

/* One string of at most MAX_TEXT bytes: a copy for mt_free, or NULL if there is none. */
static bool
npz_read_text(mt_npz *npz, const char *name, char **text, mt_error *error)
{
  mt_npy npy;
  size_t i;
  bool found;
  char shape[64];
  *text = NULL;
  if (!find_array(npz, name, &npy, &i, &found, error) || !found)
    return !found;
  const char *label = npz->arrays[i].label;
  if (npy.type != MT_NPY_STRING || npy.n_elements != 1 || npy.n_dims > 1)
    return mt_fail(error, MT_ERROR_FORMAT, "%s: expected one text ('<U…'), found '%s' of shape %s.",
                   label, npy.descr, mt_npy_shape(&npy, shape, sizeof shape));
  if (npy.item_size > MAX_TEXT)
    return mt_fail(error, MT_ERROR_TOO_LONG,
                   "%s: expected a text of at most %d characters, found %zu.", label, MAX_TEXT / 4,
                   npy.item_size / 4);
  char *copy = mt_alloc(npy.item_size + 1, 1);
  if (!copy)
    return mt_fail_no_memory(error);
  if (!to_utf8(&npy, 0, label, copy, error)) {
    mt_free(copy);
    return false;
  }
  *text = copy;
  return true;
}

/* A list as it comes together. */
typedef struct {
  mt_token *items; /* [n] */
  size_t n;
  char *pieces; /* what the items point into */
  char *text;
  bool has_ids, has_words, has_special, has_prefixed, has_spans;
} token_list;

static void
list_clear(token_list *list)
{
  mt_free(list->items);
  mt_free(list->pieces);
  mt_free(list->text);
}

/* ---- What the file says ---------------------------------------------------------------------- */

/* [n], or [1][n] for a batch of one; `width` numbers for each. */
static bool
check_list(const mt_npy *npy, size_t n, size_t width, bool is_type, const char *type,
           const char *label, mt_error *error)
{
  char shape[64];
  size_t first = npy->n_dims > (width > 1 ? 2u : 1u) && npy->shape[0] == 1 ? 1 : 0;
  bool ok = is_type && npy->n_dims == first + (width > 1 ? 2 : 1) && npy->shape[first] == n &&
            (width == 1 || npy->shape[first + 1] == width);
  if (ok)
    return true;
  return mt_fail(error, MT_ERROR_FORMAT,
                 "%s: expected %s of shape (%zu,%s), one for each token, found '%s' of shape %s.",
                 label, type, n, width > 1 ? "2" : "", npy->descr,
                 mt_npy_shape(npy, shape, sizeof shape));
}

/* How many tokens the file names, if nothing else says how many there are. */
static bool
count_tokens(const mt_npy *npy, const char *label, size_t *n, mt_error *error)
{
  *n = npy->n_elements;
  if (*n > 0 && *n <= MAX_TOKENS)
    return true;
  return mt_fail(error, *n ? MT_ERROR_TOO_LONG : MT_ERROR_FORMAT,
                 "%s: expected 1 to %d tokens, found %zu.", label, MAX_TOKENS, *n);
}

static bool
read_pieces(token_list *list, const mt_npy *npy, const char *label, mt_error *error)
{
  if (!check_list(npy, list->n, 1, npy->type == MT_NPY_STRING, "text ('<U…')", label, error))
    return false;
  if (npy->item_size / 4 > MAX_PIECE)
    return mt_fail(error, MT_ERROR_TOO_LONG,
                   "%s: expected tokens of at most %d characters, found '%s'.", label, MAX_PIECE,
                   npy->descr);
  list->pieces = mt_alloc(list->n, npy->item_size + 1);
  if (!list->pieces)
    return mt_fail_no_memory(error);
  for (size_t i = 0; i < list->n; i++) {
    char *piece = list->pieces + i * (npy->item_size + 1);
    if (!to_utf8(npy, i, label, piece, error))
      return false;
    list->items[i].piece = piece;
  }
  return true;
}

/* Tokens called by their number, from 1 as people count. */
static bool
number_pieces(token_list *list, mt_error *error)
{
  enum { WIDTH = 24 };
  list->pieces = mt_alloc(list->n, WIDTH);
  if (!list->pieces)
    return mt_fail_no_memory(error);
  for (size_t i = 0; i < list->n; i++) {
    char *piece = list->pieces + i * WIDTH;
    snprintf(piece, WIDTH, "%zu", i + 1);
    list->items[i].piece = piece;
  }
  return true;
}

/* `width` numbers for each token, each from least to INT32_MAX, given to `put`. */
static bool
read_numbers(token_list *list, mt_npz *npz, const char *name, size_t width, int64_t least,
             void (*put)(mt_token *token, size_t which, int32_t value), bool *found,
             mt_error *error)
{
  mt_npy npy;
  size_t at;
  if (!find_array(npz, name, &npy, &at, found, error) || !*found)
    return !*found;
  const char *label = npz->arrays[at].label;
  bool is_type = npy.type == MT_NPY_INT || npy.type == MT_NPY_UINT || npy.type == MT_NPY_BOOL;
  if (!check_list(&npy, list->n, width, is_type, "integers", label, error))
    return false;
  for (size_t i = 0; i < list->n * width; i++) {
    int64_t value = INT64_MAX;
    if (!mt_npy_to_int(&npy, i, &value) || value < least || value > INT32_MAX)
      return mt_fail(error, MT_ERROR_FORMAT,
                     "%s: expected integers from %lld to %d, found %lld%s in element %zu.", label,
                     (long long) least, INT32_MAX, (long long) value,
                     value == INT64_MAX ? " or more" : "", i);
    put(&list->items[i / width], i % width, (int32_t) value);
  }
  return true;
}

static void
put_id(mt_token *token, size_t which, int32_t value)
{
  token->id = value;
}

static void
put_word(mt_token *token, size_t which, int32_t value)
{
  token->word = value;
}

static void
put_special(mt_token *token, size_t which, int32_t value)
{
  token->is_special = value != 0;
}

static void
put_prefixed(mt_token *token, size_t which, int32_t value)
{
  token->is_prefix = value != 0;
}

static void
put_span(mt_token *token, size_t which, int32_t value)
{
  if (which == 0)
    token->begin = (uint32_t) value;
  else
    token->end = (uint32_t) value;
}

/* The text and where the tokens are in it. */
static bool
read_text(token_list *list, mt_npz *npz, const mt_list_names *names, mt_error *error)
{
  if (!npz_read_text(npz, names->text, &list->text, error) ||
      !read_numbers(list, npz, names->spans, 2, 0, put_span, &list->has_spans, error))
    return false;
  if (!list->has_spans)
    return true;
  size_t at = 0, length = list->text ? strlen(list->text) : 0;
  mt_npz_find(npz, names->spans, &at);
  for (size_t i = 0; i < list->n; i++) {
    const mt_token *t = &list->items[i];
    bool ok = t->begin <= t->end && t->end <= length &&
              (t->begin == length || mt_utf8_length_at(list->text + t->begin, length - t->begin)) &&
              (t->end == length || mt_utf8_length_at(list->text + t->end, length - t->end));
    if (!ok)
      return mt_fail(
          error, MT_ERROR_FORMAT,
          "%s: expected whole characters of a text of %zu bytes, found bytes %u to %u for "
          "token %zu.",
          npz->arrays[at].label, length, (unsigned) t->begin, (unsigned) t->end, i);
  }
  return true;
}

/* ---- What it does not say -------------------------------------------------------------------- */

static bool
is_special_name(const char *piece)
{
  static const char *const names[] = {"</s>",  "<s>",   "<pad>", "<bos>",
                                      "<eos>", "[CLS]", "[SEP]", "[PAD]"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(piece, names[i]) == 0)
      return true;
  size_t n = strlen(piece);
  return n > 4 && ((memcmp(piece, ">>", 2) == 0 && memcmp(piece + n - 2, "<<", 2) == 0) ||
                   (memcmp(piece, "<|", 2) == 0 && memcmp(piece + n - 2, "|>", 2) == 0));
}

static bool
starts_with(const char *text, const char *prefix)
{
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Whether token i begins a word, and how many bytes of its piece are the mark. */
static bool
begins_word(const token_list *list, size_t i, mt_word_mark mark, size_t *n_mark)
{
  static const char *const prefixes[] = {[MT_WORD_MARK_LOWER_BAR] = "▁",
                                         [MT_WORD_MARK_SPACE] = "Ġ",
                                         [MT_WORD_MARK_HASHES] = MT_WORD_HASHES};
  const mt_token *token = &list->items[i];
  bool is_first = i == 0 || token->is_special || list->items[i - 1].is_special;
  bool marked = mark != MT_WORD_MARK_NONE && !token->is_special &&
                starts_with(token->piece, prefixes[mark]) &&
                (mark != MT_WORD_MARK_HASHES || (i > 0 && token->piece[2]));
  *n_mark = marked ? strlen(prefixes[mark]) : 0;
  if (is_first || mark == MT_WORD_MARK_NONE)
    return true;
  return mark == MT_WORD_MARK_HASHES ? !marked : marked;
}

/* Words by their marks, where the file did not number them. */
static void
number_words(token_list *list, mt_word_mark mark)
{
  int32_t word = -1;
  for (size_t i = 0; i < list->n; i++) {
    size_t n_mark;
    word += begins_word(list, i, mark, &n_mark);
    list->items[i].word = word;
  }
}

/* The text that the pieces spell: a space before each word but the first, marks and specials left
 * out. As SentencePiece counts, a space belongs to the word after it. */
static bool
spell_text(token_list *list, mt_word_mark mark, mt_error *error)
{
  size_t n_bytes = 1;
  for (size_t i = 0; i < list->n; i++)
    n_bytes += 1 + strlen(list->items[i].piece);
  char *text = list->text = mt_alloc(n_bytes, 1);
  if (!text)
    return mt_fail_no_memory(error);
  size_t at = 0;
  for (size_t i = 0; i < list->n; i++) {
    mt_token *token = &list->items[i];
    token->begin = token->end = (uint32_t) at;
    if (token->is_special)
      continue;
    size_t n_mark;
    bool begins = begins_word(list, i, mark, &n_mark);
    const char *rest = token->piece + n_mark;
    size_t n = strlen(rest);
    if (begins && at > 0)
      text[at++] = ' ';
    memcpy(text + at, rest, n);
    at += n;
    /* What stands for unknown text is not that text. */
    token->end = (uint32_t) at;
    if (mt_token_is_unknown(token))
      token->begin = token->end;
  }
  return true;
}

static bool
complete(token_list *list, mt_error *error)
{
  for (size_t i = 0; i < list->n; i++) {
    mt_token *token = &list->items[i];
    token->id = list->has_ids ? token->id : -1;
    token->is_special = list->has_special ? token->is_special : is_special_name(token->piece);
  }
  mt_word_mark mark = mt_tokens_find_mark(list->items, list->n);
  if (!list->has_words)
    number_words(list, mark);
  return list->text || spell_text(list, mark, error);
}

/* A list of tokens that you own. n: how many there have to be, or 0 if nothing else says so.
 * Where the file has no such list *tokens is NULL, or if is_needed (then n is not 0) a list of
 * numbers. */
static bool
read_tokens(mt_npz *npz, const mt_list_names *names, size_t n, bool is_needed, mt_tokens **tokens,
            mt_error *error)
{
  token_list list = {.n = n};
  mt_npy npy;
  size_t at;
  bool found;
  *tokens = NULL;
  if (!find_array(npz, names->tokens, &npy, &at, &found, error))
    return false;
  if (!found && !is_needed)
    return true;
  if (!n && !count_tokens(&npy, npz->arrays[at].label, &list.n, error))
    return false;

  list.items = mt_alloc(list.n, sizeof *list.items);
  bool ok = list.items || mt_fail_no_memory(error);
  ok = ok && (found ? read_pieces(&list, &npy, npz->arrays[at].label, error)
                    : number_pieces(&list, error));
  ok = ok && read_numbers(&list, npz, names->ids, 1, INT32_MIN, put_id, &list.has_ids, error) &&
       read_numbers(&list, npz, names->words, 1, INT32_MIN, put_word, &list.has_words, error) &&
       read_numbers(&list, npz, names->special, 1, INT32_MIN, put_special, &list.has_special,
                    error) &&
       read_numbers(&list, npz, names->prefixed, 1, INT32_MIN, put_prefixed, &list.has_prefixed,
                    error) &&
       read_text(&list, npz, names, error) && complete(&list, error);
  if (ok) {
    *tokens = mt_tokens_new(list.text, list.items, list.n, error);
    ok = *tokens != NULL;
  }
  list_clear(&list);
  return ok;
}

/* ---- Reading: the capture -------------------------------------------------------------------- */

/* A capture out of an .npz, whatever wrote it.
 *
 * In this order, so that a file that lies costs nothing: names and shapes of all weights, against
 * each other and the limits; tokens, against the shapes; then the block of the capture; then the
 * numbers, straight into it. */

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
  size_t n_bias_layers;
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
  mt_interventions *interventions;
  mt_request search;
  bool is_searched;
} reader;

/* ---- Weights: which, and of what shape ------------------------------------------------------- */

/* The index of a word in a NULL-terminated list; *value is left alone if there is no such text. */
static bool
read_word(reader *r, const char *name, const char *const *words, int *value, bool *found,
          mt_error *error)
{
  char *text;
  if (!npz_read_text(r->npz, name, &text, error))
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
    words[k] = npz_kinds[k].kind;
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
                   r->label, npz_kinds[kind].weights);
  r->kinds[kind].found = true;
  r->kinds[kind].i = i;
  return true;
}

static bool
fail_no_weights(const reader *r, mt_error *error)
{
  char names[256] = "";
  for (size_t i = 0; i < r->npz->n; i++)
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s%.40s", i ? ", " : "",
             r->npz->arrays[i].name);
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
  const char *label = r->npz->arrays[k->i].label;
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
      !check_length(k->rows, MAX_TOKENS, "rows", label, error) ||
      !check_length(k->cols, MAX_TOKENS, "columns", label, error))
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
                   r->npz->arrays[r->kinds[kind].i].label, r->n_tokens[list], axis,
                   list == MT_LIST_SOURCE ? "source" : "output", n);
  r->n_tokens[list] = n;
  return true;
}

static bool
find_kinds(reader *r, mt_error *error)
{
  bool is_named, is_said, any = false;
  for (int k = 0; k < MT_N_KINDS; k++)
    r->kinds[k].found = mt_npz_find(r->npz, npz_kinds[k].weights, &r->kinds[k].i);
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
  if (!read_word(r, "naming", namings, &naming, &is_said, error))
    return false;
  /* Where there is a decoder, it is known which tokens are whose. */
  r->naming =
      naming == MT_NAMING_TOKENS && !only_encoder ? MT_NAMING_SEQUENCES : (mt_naming) naming;
  return true;
}

/* ---- Tokens ---------------------------------------------------------------------------------- */

/* The list that "tokens" without a prefix is, if there can be no doubt. */
static bool
find_only_list(const reader *r, mt_list *only, bool *has_only, mt_error *error)
{
  size_t i;
  bool encoder = r->kinds[MT_ENCODER_SELF].found, decoder = r->kinds[MT_DECODER_SELF].found;
  *has_only = mt_npz_find(r->npz, npz_only_list.tokens, &i);
  if (!*has_only)
    return true;
  if (r->kinds[MT_CROSS].found || encoder == decoder)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected \"source_tokens\" and \"output_tokens\" for attention between two "
                   "texts, found \"tokens\", which could be either.",
                   r->label);
  *only = encoder ? MT_LIST_SOURCE : MT_LIST_DECODER_INPUT;
  if (mt_npz_find(r->npz, npz_lists[*only].tokens, &i))
    return mt_fail(error, MT_ERROR_FORMAT, "%s: expected each list once, found \"%s\" and \"%s\".",
                   r->label, npz_only_list.tokens, npz_lists[*only].tokens);
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
  bool has_input = mt_npz_find(r->npz, npz_lists[MT_LIST_DECODER_INPUT].tokens, &ignored) ||
                   (has_only && only == MT_LIST_DECODER_INPUT);
  for (int l = 0; l < MT_N_LISTS; l++) {
    size_t n = r->n_tokens[l];
    bool is_needed = l == MT_LIST_SOURCE ? n > 0 : l == MT_LIST_OUTPUT && n > 0 && !has_input;
    const mt_list_names *names = has_only && l == (int) only ? &npz_only_list : &npz_lists[l];
    if (!read_tokens(r->npz, names, n, is_needed, &r->lists[l], error))
      return false;
    /* Without decoder attention the first of its lists says how long the other is. */
    if (l == MT_LIST_DECODER_INPUT && !n && r->lists[l])
      r->n_tokens[MT_LIST_OUTPUT] = mt_tokens_count(r->lists[l]);
  }
  return true;
}

/* ---- Numbers --------------------------------------------------------------------------------- */

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
  if (!find_array(r->npz, name, &npy, &at, found, error) || !*found)
    return !*found;
  const char *label = r->npz->arrays[at].label;
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
    if (!find_array(r->npz, stack_positions[s], &npy, &at, &found, error))
      return false;
    if (!found)
      continue;
    const char *label = r->npz->arrays[at].label;
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
                     stack_positions[MT_STACK_ENCODER], d);
    r->d_model = d;
  }
  int kind = MT_POSITIONS_LEARNED;
  if (!read_word(r, "position_kind", position_kinds, &kind, &found, error))
    return false;
  if (kind == MT_POSITIONS_RELATIVE && r->d_model)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected no encodings of positions where they are relative, found those of "
                   "%zu dimensions.",
                   r->label, r->d_model);
  if (kind != MT_POSITIONS_LEARNED && r->d_model % 2)
    return mt_fail(error, MT_ERROR_FORMAT,
                   "%s: expected an even number of dimensions, sines and cosines, found %zu.",
                   r->label, r->d_model);
  r->position_kind = (mt_position_kind) kind;
  return true;
}

/* Biases of relative positions, of all layers or of each. */
static bool
check_biases(reader *r, mt_error *error)
{
  mt_npy npy;
  size_t at;
  bool has_it;
  char shape[96];
  for (int k = 0; k < MT_N_KINDS; k++) {
    found_kind *found = &r->kinds[k];
    if (!found->found || !npz_kinds[k].bias)
      continue;
    if (!find_array(r->npz, npz_kinds[k].bias, &npy, &at, &has_it, error))
      return false;
    if (!has_it)
      continue;
    const bool is_one = npy.n_dims == 3 && npy.shape[0] == 1;
    if (npy.n_dims != 3 || (!is_one && npy.shape[0] != found->n_layers) ||
        npy.shape[1] != found->n_heads || npy.shape[2] != 2 * found->cols - 1)
      return mt_fail(error, MT_ERROR_FORMAT,
                     "%s: expected floats of shape (1 or %zu, %zu, %zu), one for each distance, "
                     "found '%s' of shape %s.",
                     r->npz->arrays[at].label, found->n_layers, found->n_heads, 2 * found->cols - 1,
                     npy.descr, mt_npy_shape(&npy, shape, sizeof shape));
    found->n_bias_layers = npy.shape[0];
  }
  return true;
}

/* Which layer and head of the model the first ones are, of a part. */
static bool
read_first(reader *r, mt_capture_kind *kind, const char *name, mt_error *error)
{
  mt_npy npy;
  size_t at;
  bool found;
  if (!find_array(r->npz, name, &npy, &at, &found, error) || !found)
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
                   r->npz->arrays[at].label, MAX_STACK);
  kind->is_part = kind->lacks_heads = true;
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
  if (!read_floats(r, names->row_lse, 3, shape, 1, r->interventions ? UNKNOWN : MASKED,
                   kind->row_lse, &found, error))
    return false;
  if (!found)
    kind->row_lse = NULL;
  const size_t biases[] = {kind->n_bias_layers, kind->n_heads, 2 * kind->cols - 1};
  return !kind->bias ||
         read_floats(r, names->bias, 3, biases, 3, FINITE, kind->bias, &found, error);
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
  if (!find_array(r->npz, ATTENTION_WINDOW, &npy, &at, &found, error) || !found)
    return !found;
  bool is_type = npy.type == MT_NPY_INT || npy.type == MT_NPY_UINT;
  int64_t value;
  if (!is_type || npy.n_elements != 1 || !mt_npy_to_int(&npy, 0, &value) || value < 0 ||
      value > INT32_MAX)
    return mt_fail(error, MT_ERROR_FORMAT, "%s: expected one integer from 0 to %d.",
                   r->npz->arrays[at].label, INT32_MAX);
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
      if (!mt_interventions_may_hide(capture->interventions, k, layer, head))
        continue;
      for (size_t row = 0; row < w.rows; row++)
        for (size_t col = 0; col < w.cols; col++)
          if (mt_matrix_at(&w, row, col) != 0 &&
              mt_interventions_hide(capture->interventions, k, layer, head, row, col))
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
      MAX_COMPARED / (mt_interventions_count(capture->interventions) + 1))
    return;
  for (int k = 0; k < MT_N_KINDS; k++)
    if (!keeps_to_changes(capture, (mt_attention_kind) k))
      return;
  capture->hiding = capture->interventions;
}

static bool
fill(reader *r, mt_capture *capture, mt_error *error)
{
  bool found;
  for (int k = 0; k < MT_N_KINDS; k++)
    if (r->kinds[k].found &&
        !fill_kind(r, &capture->kinds[k], &npz_kinds[k], r->npz->arrays[r->kinds[k].i].name, error))
      return false;
  capture->is_causal =
      keeps_to(&capture->kinds[MT_DECODER_SELF], (mt_attention_mask){.is_causal = true});
  if (!read_window(r, capture, error))
    return false;
  check_changes(capture);

  const mt_tokens *axes[MT_N_STACKS] = {capture->source, capture->output};
  for (int s = 0; s < MT_N_STACKS; s++) {
    const size_t shape[] = {axes[s] ? mt_tokens_count(axes[s]) : 0, r->d_model};
    if (capture->positions[s] && !read_floats(r, stack_positions[s], 2, shape, 0, FINITE,
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

/* ---- The whole ------------------------------------------------------------------------------- */

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
      .interventions = r->interventions,
      .search = r->is_searched ? &r->search : NULL,
  };
  size_t ignored;
  for (int k = 0; k < MT_N_KINDS; k++) {
    if (!r->kinds[k].found)
      continue;
    spec.n_layers[k] = r->kinds[k].n_layers;
    spec.n_heads[k] = r->kinds[k].n_heads;
    spec.n_bias_layers[k] = r->kinds[k].n_bias_layers;
    if (mt_npz_find(r->npz, npz_kinds[k].scores, &ignored))
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
  if (!npz_read_text(r->npz, "model", &r->model_name, error))
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
  if (!npz_read_text(r->npz, INTERVENTIONS, &text, error))
    return false;
  if (!text)
    return true;
  snprintf(label, sizeof label, "%.*s/%s.npy", MAX_NAME, r->label, INTERVENTIONS);
  mt_error own = {0};
  r->interventions = mt_interventions_parse(label, text, &own);
  mt_free(text);
  return r->interventions ||
         mt_fail(error, own.code == MT_ERROR_INPUT ? MT_ERROR_FORMAT : own.code, "%s", own.message);
}

/* Of the model's own settings nothing is written. */
static bool
read_search(reader *r, mt_error *error)
{
  char *text, label[2 * MAX_NAME];
  if (!npz_read_text(r->npz, SEARCH, &text, error))
    return false;
  if (!text)
    return true;
  snprintf(label, sizeof label, "%.*s/%s.npy", MAX_NAME, r->label, SEARCH);
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
      check_biases(&r, error) && read_model_name(&r, error) &&
      read_precision(&r, PRECISION, &r.precision, error) &&
      read_precision(&r, TRANSLATION_PRECISION, &r.translation_precision, error) &&
      read_changes(&r, error) && read_search(&r, error) &&
      npz_read_text(r.npz, "meta", meta, error))
    capture = make_capture(&r, error);
  for (int l = 0; l < MT_N_LISTS; l++)
    mt_tokens_unref(r.lists[l]);
  mt_interventions_unref(r.interventions);
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
