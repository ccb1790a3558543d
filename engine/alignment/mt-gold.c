/* mt-gold.c — alignments that people made: THE list of formats, and the value.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "alignment/mt-gold.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "files/mt-file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first of which a file looks like it is read so. */
static const mt_gold_kind *const kinds[] = {&mt_gold_pharaoh, &mt_gold_talp, &mt_gold_naacl,
                                            &mt_gold_tsv};
#define N_KINDS (sizeof kinds / sizeof *kinds)

#define NO_TEXT SIZE_MAX

typedef struct {
  size_t first, n;           /* of the links; while it is read nothing */
  size_t texts[MT_N_STACKS]; /* where they begin */
} sentence;

typedef struct {
  mt_gold_link link;
  uint32_t sentence;
} entry;

struct mt_gold {
  int ref_count;
  char *label;
  size_t format;
  unsigned base;
  sentence *sentences;
  size_t n_sentences, sentence_capacity;
  mt_gold_link *links;
  size_t n_links, n_sure;
  char *texts; /* each with its end */
  size_t n_texts, text_capacity;
  entry *entries; /* while it is read, as the file counts */
  size_t n_entries, entry_capacity;
};

size_t
mt_gold_n_formats(void)
{
  return N_KINDS;
}

const mt_gold_format *
mt_gold_format_at(size_t i)
{
  return &kinds[i]->about;
}

size_t
mt_gold_find_format(const char *id)
{
  size_t i = 0;
  while (i < N_KINDS && strcmp(kinds[i]->about.id, id) != 0)
    i++;
  return i;
}

/* ---- For formats ----------------------------------------------------------------------------- */

bool
mt_gold_fail(const mt_gold_reader *r, const char *expected)
{
  size_t n = 0;
  while (r->at + n < r->end && r->at[n] != ' ' && r->at[n] != '\t' && r->at[n] != '\r' && n < 40)
    n++;
  if (n == 0)
    return mt_fail(r->error, MT_ERROR_FORMAT, "%s, line %zu: expected %s, found its end.", r->label,
                   r->line, expected);
  return mt_fail(r->error, MT_ERROR_FORMAT, "%s, line %zu: expected %s, found \"%.*s\".", r->label,
                 r->line, expected, (int) n, r->at);
}

bool
mt_gold_skip(mt_gold_reader *r)
{
  while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r'))
    r->at++;
  return r->at < r->end;
}

bool
mt_gold_number(mt_gold_reader *r, size_t most, size_t *number)
{
  const char *begin = r->at;
  *number = 0;
  for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
    *number = *number * 10 + (size_t) (*r->at - '0');
    if (*number > most)
      return false;
  }
  return r->at > begin;
}

/* Room for `more` behind n. */
static bool
reserve(void **items, size_t size, size_t n, size_t more, size_t *capacity)
{
  if (n + more <= *capacity)
    return true;
  const size_t wanted = 2 * (n + more) + 16;
  void *grown = mt_realloc(*items, wanted, size);
  if (!grown)
    return false;
  *items = grown;
  *capacity = wanted;
  return true;
}

static bool
keep_text(mt_gold *gold, const char *text, size_t n, size_t *at)
{
  if (!reserve((void **) &gold->texts, 1, gold->n_texts, n + 1, &gold->text_capacity))
    return false;
  *at = gold->n_texts;
  memcpy(gold->texts + gold->n_texts, text, n);
  gold->texts[gold->n_texts + n] = '\0';
  gold->n_texts += n + 1;
  return true;
}

static bool
add_sentence(mt_gold *gold)
{
  if (!reserve((void **) &gold->sentences, sizeof *gold->sentences, gold->n_sentences, 1,
               &gold->sentence_capacity))
    return false;
  gold->sentences[gold->n_sentences++] = (sentence){.texts = {NO_TEXT, NO_TEXT}};
  return true;
}

bool
mt_gold_begin_sentence(mt_gold_reader *r, const char *source, size_t n_source, const char *target,
                       size_t n_target)
{
  if (r->gold->n_sentences == MT_GOLD_MOST_SENTENCES)
    return mt_fail(r->error, MT_ERROR_TOO_LONG, "%s, line %zu: more than %d sentences.", r->label,
                   r->line, MT_GOLD_MOST_SENTENCES);
  if (!add_sentence(r->gold))
    return mt_fail_no_memory(r->error);
  size_t *texts = r->gold->sentences[r->gold->n_sentences - 1].texts;
  if (source && !(keep_text(r->gold, source, n_source, &texts[MT_STACK_ENCODER]) &&
                  keep_text(r->gold, target, n_target, &texts[MT_STACK_DECODER])))
    return mt_fail_no_memory(r->error);
  return true;
}

bool
mt_gold_add(mt_gold_reader *r, size_t i, size_t source, size_t target, bool is_sure)
{
  mt_gold *gold = r->gold;
  if (r->base == 1 && (source == 0 || target == 0))
    return mt_fail(r->error, MT_ERROR_FORMAT,
                   "%s, line %zu: expected words counted from 1, found %zu-%zu.", r->label, r->line,
                   source, target);
  while (gold->n_sentences <= i)
    if (!add_sentence(gold))
      return mt_fail_no_memory(r->error);
  if (!reserve((void **) &gold->entries, sizeof *gold->entries, gold->n_entries, 1,
               &gold->entry_capacity))
    return mt_fail_no_memory(r->error);
  gold->entries[gold->n_entries++] =
      (entry){{(uint32_t) source, (uint32_t) target, (uint32_t) r->line, is_sure}, (uint32_t) i};
  return true;
}

size_t
mt_gold_n_begun(const mt_gold *gold)
{
  return gold->n_sentences;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static bool
looks_like(const mt_gold_kind *kind, const char *text, size_t n)
{
  const char *at = text, *end = text + n;
  while (at < end) {
    const char *newline = memchr(at, '\n', (size_t) (end - at));
    const char *line_end = newline ? newline : end;
    for (const char *c = at; c < line_end; c++)
      if (*c != ' ' && *c != '\t' && *c != '\r')
        return kind->looks_like(at, (size_t) (line_end - at));
    at = newline ? newline + 1 : end;
  }
  return kind == kinds[0]; /* sentences without links */
}

static bool
choose_format(mt_gold *gold, const char *text, size_t n, int format, mt_error *error)
{
  if (format >= 0) {
    gold->format = (size_t) format;
    return gold->format < N_KINDS ||
           mt_fail(error, MT_ERROR_INPUT, "There is no format %d of gold files.", format);
  }
  for (gold->format = 0; gold->format < N_KINDS; gold->format++)
    if (looks_like(kinds[gold->format], text, n))
      return true;
  return mt_fail(error, MT_ERROR_FORMAT,
                 "%s: expected a gold file: links such as 0-0 1p2 (Pharaoh, TALP), lines such as "
                 "0001 1 2 S (NAACL), or source, target and links with tabs between.",
                 gold->label);
}

static bool
read_lines(mt_gold *gold, const char *text, size_t n, int base, mt_error *error)
{
  mt_gold_reader r = {.label = gold->label, .base = base, .gold = gold, .error = error};
  const char *end = text + n;
  for (const char *at = text; at < end;) {
    const char *newline = memchr(at, '\n', (size_t) (end - at));
    r.line++;
    r.at = at;
    r.end = newline ? newline : end;
    if (r.end > r.at && r.end[-1] == '\r')
      r.end--;
    if (!kinds[gold->format]->read(&r))
      return false;
    at = newline ? newline + 1 : end;
  }
  return true;
}

/* By sentence, target and source; of the same link the sure one first. */
static int
compare(const void *a, const void *b)
{
  const entry *x = a, *y = b;
  if (x->sentence != y->sentence)
    return x->sentence < y->sentence ? -1 : 1;
  if (x->link.target != y->link.target)
    return x->link.target < y->link.target ? -1 : 1;
  if (x->link.source != y->link.source)
    return x->link.source < y->link.source ? -1 : 1;
  if (x->link.is_sure != y->link.is_sure)
    return x->link.is_sure ? -1 : 1;
  return (x->link.line > y->link.line) - (x->link.line < y->link.line);
}

/* From what the file says to what holds: words from 0, each link once. */
static bool
finish(mt_gold *gold, int base, mt_error *error)
{
  bool has_zero = false;
  for (size_t i = 0; i < gold->n_entries; i++)
    has_zero = has_zero || gold->entries[i].link.source == 0 || gold->entries[i].link.target == 0;
  gold->base = base >= 0 ? (unsigned) base : !has_zero;
  gold->links = mt_alloc(gold->n_entries, sizeof *gold->links);
  if (!gold->links)
    return mt_fail_no_memory(error);
  if (gold->n_entries > 0)
    qsort(gold->entries, gold->n_entries, sizeof *gold->entries, compare);
  size_t at = 0;
  for (size_t s = 0; s < gold->n_sentences; s++) {
    gold->sentences[s].first = gold->n_links;
    for (; at < gold->n_entries && gold->entries[at].sentence == s; at++) {
      mt_gold_link link = gold->entries[at].link;
      link.source -= gold->base;
      link.target -= gold->base;
      const size_t before = gold->n_links;
      if (before > gold->sentences[s].first && gold->links[before - 1].source == link.source &&
          gold->links[before - 1].target == link.target)
        continue;
      gold->links[gold->n_links++] = link;
      gold->n_sure += link.is_sure;
    }
    gold->sentences[s].n = gold->n_links - gold->sentences[s].first;
  }
  mt_free(gold->entries);
  gold->entries = NULL;
  return true;
}

static mt_gold *
new_gold(const char *label, mt_error *error)
{
  mt_gold *gold = mt_alloc(1, sizeof *gold);
  if (gold) {
    gold->ref_count = 1;
    gold->label = mt_strdup(label);
  }
  if (gold && gold->label)
    return gold;
  mt_gold_unref(gold);
  mt_fail_no_memory(error);
  return NULL;
}

mt_gold *
mt_gold_parse(const char *label, const char *text, size_t n, int format, int base, mt_error *error)
{
  if (base > 1) {
    mt_fail(error, MT_ERROR_INPUT, "Words are counted from 0 or from 1, not from %d.", base);
    return NULL;
  }
  if (n > MT_GOLD_MOST_BYTES) {
    mt_fail(error, MT_ERROR_TOO_LONG, "%s: a gold file has at most %zu bytes, this one %zu.", label,
            MT_GOLD_MOST_BYTES, n);
    return NULL;
  }
  if (n >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
    text += 3;
    n -= 3;
  }
  mt_gold *gold = new_gold(label, error);
  bool ok = gold && choose_format(gold, text, n, format, error);
  if (ok && kinds[gold->format] == &mt_gold_naacl) {
    if (base == 0)
      ok = mt_fail(error, MT_ERROR_INPUT, "%s: the NAACL format counts from 1.", label);
    base = 1;
  }
  if (ok && read_lines(gold, text, n, base, error) && finish(gold, base, error))
    return gold;
  mt_gold_unref(gold);
  return NULL;
}

mt_gold *
mt_gold_read(const char *path, int format, int base, mt_error *error)
{
  mt_mapping mapping = {0};
  char *name = NULL;
  if (!mt_file_map(path, MT_GOLD_MOST_BYTES, NULL, &mapping, &name, error))
    return NULL;
  mt_gold *gold =
      mt_gold_parse(name, (const char *) mapping.bytes, mapping.size, format, base, error);
  mt_unmap(&mapping);
  mt_free(name);
  return gold;
}

mt_gold *
mt_gold_from_links(const mt_link *links, const size_t *n_links, size_t n_sentences, mt_error *error)
{
  mt_gold *gold = new_gold("links", error);
  mt_gold_reader r = {.label = "links", .base = 0, .gold = gold, .error = error};
  bool ok = gold != NULL;
  for (size_t s = 0; ok && s < n_sentences; s++) {
    ok = mt_gold_begin_sentence(&r, NULL, 0, NULL, 0);
    for (size_t i = 0; ok && i < n_links[s]; i++, links++)
      ok = mt_gold_add(&r, s, links->source, links->target, true);
  }
  if (ok && finish(gold, 0, error))
    return gold;
  mt_gold_unref(gold);
  return NULL;
}

/* ---- The value ------------------------------------------------------------------------------- */

static void
gold_free(mt_gold *gold)
{
  mt_free(gold->label);
  mt_free(gold->sentences);
  mt_free(gold->links);
  mt_free(gold->texts);
  mt_free(gold->entries);
  mt_free(gold);
}

MT_DEFINE_COUNTED(mt_gold, gold_free)

const char *
mt_gold_label(const mt_gold *gold)
{
  return gold->label;
}

size_t
mt_gold_get_format(const mt_gold *gold)
{
  return gold->format;
}

unsigned
mt_gold_base(const mt_gold *gold)
{
  return gold->base;
}

size_t
mt_gold_n_sentences(const mt_gold *gold)
{
  return gold->n_sentences;
}

size_t
mt_gold_n_sure(const mt_gold *gold)
{
  return gold->n_sure;
}

size_t
mt_gold_n_possible(const mt_gold *gold)
{
  return gold->n_links;
}

const mt_gold_link *
mt_gold_links(const mt_gold *gold, size_t i, size_t *n)
{
  *n = gold->sentences[i].n;
  return gold->links + gold->sentences[i].first;
}

const char *
mt_gold_text(const mt_gold *gold, size_t i, mt_stack side)
{
  const size_t at = gold->sentences[i].texts[side];
  return at == NO_TEXT ? NULL : gold->texts + at;
}

bool
mt_gold_check(const mt_gold *gold, size_t i, size_t n_source, size_t n_target, mt_error *error)
{
  size_t n;
  const mt_gold_link *links = mt_gold_links(gold, i, &n);
  for (size_t l = 0; l < n; l++)
    if (links[l].source >= n_source || links[l].target >= n_target)
      return mt_fail(error, MT_ERROR_INPUT,
                     "%s, line %u: the link %u-%u, counted from %u, of sentence %zu, which has %zu "
                     "and %zu words.",
                     gold->label, (unsigned) links[l].line, links[l].source + gold->base,
                     links[l].target + gold->base, gold->base, i + 1, n_source, n_target);
  return true;
}

/* ---- Writing --------------------------------------------------------------------------------- */

void
mt_gold_put(mt_gold_writer *w, const char *text, size_t n)
{
  if (w->failed || !reserve((void **) &w->text, 1, w->n, n + 1, &w->capacity)) {
    w->failed = true;
    return;
  }
  memcpy(w->text + w->n, text, n);
  w->n += n;
  w->text[w->n] = '\0';
}

void
mt_gold_put_number(mt_gold_writer *w, size_t number)
{
  char digits[24];
  const int n = snprintf(digits, sizeof digits, "%zu", number);
  mt_gold_put(w, digits, (size_t) n);
}

static char *
written(mt_gold_writer *w, mt_error *error)
{
  if (!w->failed)
    return w->text;
  mt_free(w->text);
  mt_fail_no_memory(error);
  return NULL;
}

char *
mt_gold_to_text(const mt_gold *gold, size_t format, int base, mt_error *error)
{
  const mt_gold_kind *kind = kinds[format];
  mt_gold_writer w = {0};
  if (kind->about.has_texts && gold->n_sentences > 0 && !mt_gold_text(gold, 0, MT_STACK_ENCODER)) {
    mt_fail(error, MT_ERROR_INPUT, "%s: this format wants the texts, and there are none.",
            gold->label);
    return NULL;
  }
  mt_gold_put(&w, "", 0);
  for (size_t i = 0; i < gold->n_sentences; i++)
    kind->write(gold, i, base >= 0 ? (unsigned) base : kind->about.base, &w);
  return written(&w, error);
}

char *
mt_links_to_text(const mt_link *links, size_t n, unsigned base, mt_error *error)
{
  mt_gold_writer w = {0};
  mt_gold_put(&w, "", 0);
  for (size_t i = 0; i < n; i++) {
    if (i > 0)
      mt_gold_put(&w, " ", 1);
    mt_gold_put_number(&w, links[i].source + (size_t) base);
    mt_gold_put(&w, "-", 1);
    mt_gold_put_number(&w, links[i].target + (size_t) base);
  }
  return written(&w, error);
}
