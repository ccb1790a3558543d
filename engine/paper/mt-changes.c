/* mt-changes.c — a list of changes: read from its text, compared, made.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-changes.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-hash.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* THE list of kinds of change. */
static const mt_change_kind *const kinds[] = {&mt_change_window};
#define N_KINDS (sizeof kinds / sizeof kinds[0])

static const char *const wheres[MT_N_KINDS] = {"encoder", "decoder", "cross"};

/* Characters of one change at most: three words and five numbers. */
#define MOST_TEXT 256

struct mt_changes {
  _Atomic(int) ref_count;
  size_t n;
  mt_change *changes;
  char *text;
};

/* ---- Reading ---------------------------------------------------------------------------------
 */

/* Where reading is: a line of the text, and the next word in it. */
typedef struct {
  const char *next, *end; /* of the line */
  size_t line;            /* from 1 */
  const char *word;       /* the newest, [n] */
  size_t n;
} reader;

static bool
is_space(char c)
{
  return c == ' ' || c == '\t' || c == '\r';
}

/* False: there is no further word. */
static bool
next_word(reader *r)
{
  while (r->next < r->end && is_space(*r->next))
    r->next++;
  r->word = r->next;
  while (r->next < r->end && !is_space(*r->next))
    r->next++;
  r->n = (size_t) (r->next - r->word);
  return r->n > 0;
}

static bool
is_word(const reader *r, const char *word)
{
  return r->n == strlen(word) && memcmp(r->word, word, r->n) == 0;
}

static bool
fail(const reader *r, const char *expected, mt_error *error)
{
  int n = r->n < 80 ? (int) r->n : 80;
  if (n == 0)
    return mt_fail(error, MT_ERROR_INPUT, "Line %zu of the changes: expected %s, found its end.",
                   r->line, expected);
  return mt_fail(error, MT_ERROR_INPUT, "Line %zu of the changes: expected %s, found \"%.*s\".",
                 r->line, expected, n, r->word);
}

/* A number from 1 to most at *at; moves it behind. */
static bool
read_number(const char **at, const char *end, size_t most, size_t *number)
{
  const char *begin = *at;
  *number = 0;
  for (; *at < end && **at >= '0' && **at <= '9'; (*at)++) {
    *number = *number * 10 + (size_t) (**at - '0');
    if (*number > most)
      return false;
  }
  return *at > begin && *number > 0;
}

/* "*", "3" or "2-4", from 1. */
static bool
read_range(const char **at, const char *end, mt_change_range *range)
{
  if (*at < end && **at == '*') {
    (*at)++;
    return true;
  }
  size_t first, last;
  if (!read_number(at, end, UINT32_MAX, &first))
    return false;
  last = first;
  if (*at < end && **at == '-') {
    (*at)++;
    if (!read_number(at, end, UINT32_MAX, &last) || last < first)
      return false;
  }
  *range = (mt_change_range){first - 1, last - 1};
  return true;
}

static bool
read_change(reader *r, mt_change *change, mt_error *error)
{
  size_t where = 0, kind = 0;
  while (where < MT_N_KINDS && !is_word(r, wheres[where]))
    where++;
  if (where == MT_N_KINDS)
    return fail(r, "encoder, decoder or cross", error);
  *change = (mt_change){.where = (mt_attention_kind) where,
                        .layers = {0, SIZE_MAX},
                        .heads = {0, SIZE_MAX}};
  next_word(r);
  if (r->n > 0 && (*r->word == '*' || (*r->word >= '0' && *r->word <= '9'))) {
    const char *at = r->word, *end = r->word + r->n;
    bool ok = read_range(&at, end, &change->layers);
    if (ok && at < end && *at == '.') {
      at++;
      ok = read_range(&at, end, &change->heads);
    }
    if (!ok || at < end)
      return fail(r, "layers and heads such as 4.1, 2-3 or *.3, counted from 1", error);
    next_word(r);
  }
  while (kind < N_KINDS && !is_word(r, kinds[kind]->name))
    kind++;
  if (kind == N_KINDS)
    return fail(r, "a change such as \"window 2\"", error);
  change->kind = kinds[kind];
  if (!(change->kind->wheres & MT_KIND_BIT(where)))
    return fail(r, "a change that can be made there", error);
  if (change->kind->most > 0) {
    next_word(r);
    const char *at = r->word;
    if (!read_number(&at, r->word + r->n, change->kind->most, &change->number) ||
        at < r->word + r->n)
      return fail(r, "a whole number from 1 on", error);
  }
  return !next_word(r) || fail(r, "the end of the line", error);
}

/* ---- Writing ---------------------------------------------------------------------------------
 */

static void
write_range(char *out, mt_change_range range)
{
  if (range.last == SIZE_MAX)
    snprintf(out, MOST_TEXT / 4, "*");
  else if (range.last == range.first)
    snprintf(out, MOST_TEXT / 4, "%zu", range.first + 1);
  else
    snprintf(out, MOST_TEXT / 4, "%zu-%zu", range.first + 1, range.last + 1);
}

/* One change; returns its length. */
static size_t
write_change(const mt_change *change, char out[MOST_TEXT])
{
  char layers[MOST_TEXT / 4], heads[MOST_TEXT / 4], place[MOST_TEXT / 2 + 4] = "", number[24] = "";
  write_range(layers, change->layers);
  write_range(heads, change->heads);
  if (change->heads.last != SIZE_MAX)
    snprintf(place, sizeof place, " %s.%s", layers, heads);
  else if (change->layers.last != SIZE_MAX)
    snprintf(place, sizeof place, " %s", layers);
  if (change->number > 0)
    snprintf(number, sizeof number, " %zu", change->number);
  snprintf(out, MOST_TEXT, "%s%s %s%s", wheres[change->where], place, change->kind->name, number);
  return strlen(out);
}

/* ---- A list ------------------------------------------------------------------------------------
 */

/* Fill in the changes, and the text that says them. */
static bool
read_all(mt_changes *changes, const char *text, mt_error *error)
{
  char *out = changes->text;
  reader r = {.line = 1};
  for (const char *line = text;; line = r.end + 1, r.line++) {
    r.next = line;
    r.end = line + strcspn(line, "\n");
    if (next_word(&r)) {
      mt_change *change = &changes->changes[changes->n];
      if (!read_change(&r, change, error))
        return false;
      if (changes->n++ > 0)
        *out++ = '\n';
      out += write_change(change, out);
    }
    if (!*r.end)
      break;
  }
  return true;
}

mt_changes *
mt_changes_parse(const char *text, mt_error *error)
{
  size_t n_lines = 1;
  for (const char *c = text; *c; c++)
    n_lines += *c == '\n';
  size_t most = strlen(text) / 8 + 1; /* none is so short */
  if (n_lines > most)
    n_lines = most;
  mt_changes *changes = mt_alloc(1, sizeof *changes);
  if (!changes)
    return mt_fail_no_memory(error), NULL;
  atomic_init(&changes->ref_count, 1);
  changes->changes = mt_alloc(n_lines, sizeof *changes->changes);
  changes->text = mt_alloc(n_lines, MOST_TEXT + 1);
  bool ok = changes->changes && changes->text;
  if (!ok)
    mt_fail_no_memory(error);
  if (!ok || !read_all(changes, text, error)) {
    mt_changes_unref(changes);
    return NULL;
  }
  return changes;
}

mt_changes *
mt_changes_ref(mt_changes *changes)
{
  if (changes)
    atomic_fetch_add_explicit(&changes->ref_count, 1, memory_order_relaxed);
  return changes;
}

void
mt_changes_unref(mt_changes *changes)
{
  if (!changes || atomic_fetch_sub_explicit(&changes->ref_count, 1, memory_order_acq_rel) != 1)
    return;
  mt_free(changes->changes);
  mt_free(changes->text);
  mt_free(changes);
}

size_t
mt_changes_count(const mt_changes *changes)
{
  return changes ? changes->n : 0;
}

const char *
mt_changes_text(const mt_changes *changes)
{
  return changes ? changes->text : "";
}

bool
mt_changes_equal(const mt_changes *a, const mt_changes *b)
{
  return strcmp(mt_changes_text(a), mt_changes_text(b)) == 0;
}

uint64_t
mt_changes_hash(const mt_changes *changes)
{
  const char *text = mt_changes_text(changes);
  return mt_hash_bytes(MT_HASH_BEGIN, text, strlen(text));
}

/* ---- In the model ------------------------------------------------------------------------------
 */

static bool
check_range(mt_change_range range, size_t n, const char *what, const mt_change *change,
            mt_error *error)
{
  if (range.last == SIZE_MAX || range.last < n)
    return true;
  char text[MOST_TEXT];
  write_change(change, text);
  return mt_fail(error, MT_ERROR_INPUT,
                 "The change \"%s\" is for %s %zu; this model has %zu of them there.", text, what,
                 range.last + 1, n);
}

bool
mt_changes_check(const mt_changes *changes, const mt_config *config, mt_error *error)
{
  for (size_t i = 0; i < mt_changes_count(changes); i++) {
    const mt_change *change = &changes->changes[i];
    mt_stack stack = change->where == MT_ENCODER_SELF ? MT_STACK_ENCODER : MT_STACK_DECODER;
    if (!check_range(change->layers, config->n_layers[stack], "layer", change, error) ||
        !check_range(change->heads, config->n_heads[stack], "head", change, error))
      return false;
  }
  return true;
}

uint32_t
mt_changes_sites(const mt_changes *changes)
{
  uint32_t sites = 0;
  for (size_t i = 0; i < mt_changes_count(changes); i++)
    sites |= MT_SITE_BIT(changes->changes[i].kind->site);
  return sites;
}

static bool
is_in(mt_change_range range, int i)
{
  return i >= 0 && (size_t) i >= range.first && (size_t) i <= range.last;
}

void
mt_changes_apply(const mt_changes *changes, mt_site site, mt_attention_kind kind, int layer,
                 int head, const mt_change_tensor *tensor)
{
  for (size_t i = 0; i < mt_changes_count(changes); i++) {
    const mt_change *change = &changes->changes[i];
    if (change->kind->site == site && change->where == kind && is_in(change->layers, layer) &&
        is_in(change->heads, head))
      change->kind->apply(change, tensor);
  }
}
