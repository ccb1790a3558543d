/* mt-gold.c — alignments that people made: THE list of formats, each format, and the value.
 *
 * A format is one mt_gold_kind, whose section defines it, and one row of the list behind them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-utf8.h"
#include "files/mt-file.h"
#include "mt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reading: one line of the file, and what it adds to. */
typedef struct {
  const char *label;
  size_t line;          /* from 1 */
  const char *at, *end; /* what of the line is not read */
  int base;             /* that was asked for */
  struct mt_gold *gold;
  mt_error *error;
} mt_gold_reader;

typedef struct {
  mt_gold_format about;
  /* Does the first line that is not blank look like it? [n] */
  bool (*looks_like)(const char *line, size_t n);
  /* A line, to its end. Blank lines come, too. */
  bool (*read)(mt_gold_reader *reader);
} mt_gold_kind;

#define NO_TEXT SIZE_MAX

typedef struct mt_gold_sentence {
  size_t first, n;           /* of the links; while it is read nothing */
  size_t texts[MT_N_STACKS]; /* where they begin */
} gold_sentence;

typedef struct mt_gold_entry {
  mt_gold_link link;
  uint32_t sentence;
} entry;

/* ---- For formats ----------------------------------------------------------------------------- */

static bool
fail_at(const mt_gold_reader *r, const char *expected)
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

/* Go on behind spaces; false: the line ends there. Tabs are spaces but for a format with columns.
 */
static bool
skip_spaces(mt_gold_reader *r)
{
  while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r'))
    r->at++;
  return r->at < r->end;
}

/* Digits at reader->at, at most `most`. */
static bool
read_number(mt_gold_reader *r, size_t most, size_t *number)
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

static bool
keep_text(mt_gold *gold, const char *text, size_t n, size_t *at)
{
  if (!mt_grow(&gold->texts, gold->n_texts, n + 1, &gold->text_capacity, 1))
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
  if (!mt_grow(&gold->sentences, gold->n_sentences, 1, &gold->sentence_capacity,
               sizeof *gold->sentences))
    return false;
  gold->sentences[gold->n_sentences++] = (gold_sentence){.texts = {NO_TEXT, NO_TEXT}};
  return true;
}

/* A further sentence; NULL: no texts. */
static bool
begin_sentence(mt_gold_reader *r, const char *source, size_t n_source, const char *target,
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

/* A link of sentence i, which may be beyond those that were begun, counted as in the file. */
static bool
add_link(mt_gold_reader *r, size_t i, size_t source, size_t target, bool is_sure)
{
  mt_gold *gold = r->gold;
  if (r->base == 1 && (source == 0 || target == 0))
    return mt_fail(r->error, MT_ERROR_FORMAT,
                   "%s, line %zu: expected words counted from 1, found %zu-%zu.", r->label, r->line,
                   source, target);
  while (gold->n_sentences <= i)
    if (!add_sentence(gold))
      return mt_fail_no_memory(r->error);
  if (!mt_grow(&gold->entries, gold->n_entries, 1, &gold->entry_capacity, sizeof *gold->entries))
    return mt_fail_no_memory(r->error);
  gold->entries[gold->n_entries++] =
      (entry){{(uint32_t) source, (uint32_t) target, (uint32_t) r->line, is_sure}, (uint32_t) i};
  return true;
}

static size_t
n_begun(const mt_gold *gold)
{
  return gold->n_sentences;
}

/* ---- Links in a line ------------------------------------------------------------------------- */

/* Links as "0-0 1-2 3p4", which several formats have: Pharaoh, which counts from
 * 0, and TALP, which counts from 1; in both p stands in a link that is only possible. */

#define EXPECTED "links such as 0-0 or 1p2"

static bool
is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static bool
is_space(char c)
{
  return c == ' ' || c == '\t' || c == '\r';
}

/* '-' and s: sure; p and the question mark of some corpora: possible. */
static bool
read_sign(char c, bool *is_sure)
{
  *is_sure = c == '-' || c == 's' || c == 'S';
  return *is_sure || c == 'p' || c == 'P' || c == '?';
}

/* Links "0-0 1p2" up to reader->end; a sign among `possible` says a link is so, and 's' and '-'
 * that it is sure. is_sure: what '-' means. */
static bool
read_links(mt_gold_reader *r, size_t i, bool is_sure)
{
  while (skip_spaces(r)) {
    mt_gold_reader begin = *r;
    size_t source, target;
    bool sure;
    if (!read_number(r, MT_GOLD_MOST_WORDS, &source) || r->at == r->end ||
        !read_sign(*r->at++, &sure) || !read_number(r, MT_GOLD_MOST_WORDS, &target) ||
        (r->at < r->end && !is_space(*r->at)))
      return fail_at(&begin, EXPECTED);
    if (!add_link(r, i, source, target, sure && is_sure))
      return false;
  }
  return true;
}

/* Are words of the line such links, at least one? */
static bool
are_links(const char *line, size_t n)
{
  size_t at = 0, words = 0;
  bool sure;
  for (;; words++) {
    while (at < n && is_space(line[at]))
      at++;
    if (at == n)
      return words > 0;
    const size_t begin = at;
    while (at < n && is_digit(line[at]))
      at++;
    if (at == begin || at == n || !read_sign(line[at++], &sure))
      return false;
    const size_t second = at;
    while (at < n && is_digit(line[at]))
      at++;
    if (at == second || (at < n && !is_space(line[at])))
      return false;
  }
}

/* ---- Pharaoh and TALP ------------------------------------------------------------------------ */

static bool
read(mt_gold_reader *r)
{
  return begin_sentence(r, NULL, 0, NULL, 0) && read_links(r, n_begun(r->gold) - 1, true);
}

static bool
never(const char *line, size_t n)
{
  (void) line;
  (void) n;
  return false;
}

static const mt_gold_kind pharaoh = {
    .about = {.id = "pharaoh", .name = "Pharaoh: 0-0 1p2", .base = 0},
    .looks_like = are_links,
    .read = read,
};

/* The same but for what its writers count from; a guess takes Pharaoh. */
static const mt_gold_kind talp = {
    .about = {.id = "talp", .name = "TALP: 1-1 2p3", .base = 1},
    .looks_like = never,
    .read = read,
};

/* ---- NAACL ----------------------------------------------------------------------------------- */

/* A link a line: sentence, source word, target word, S or P, and maybe a
 * confidence (Mihalcea & Pedersen 2003). Everything counts from 1; word 0 is none. */

/* A number and what divides it from the next word. */
static bool
field(mt_gold_reader *r, size_t most, size_t *number)
{
  return skip_spaces(r) && read_number(r, most, number) && (r->at == r->end || is_space(*r->at));
}

/* S or P, a confidence, both in this order, or nothing. */
static bool
rest(mt_gold_reader *r, bool *is_sure)
{
  *is_sure = true;
  if (!skip_spaces(r))
    return true;
  if (*r->at == 'S' || *r->at == 'P') {
    *is_sure = *r->at++ == 'S';
    if (r->at < r->end && !is_space(*r->at))
      return fail_at(r, "S or P");
    if (!skip_spaces(r))
      return true;
  }
  const mt_gold_reader begin = *r;
  size_t n_points = 0, n_digits = 0;
  for (; r->at < r->end && !is_space(*r->at); r->at++) {
    n_points += *r->at == '.';
    n_digits += *r->at >= '0' && *r->at <= '9';
    if (*r->at != '.' && !(*r->at >= '0' && *r->at <= '9'))
      return fail_at(&begin, "S, P or a confidence such as 0.9");
  }
  if (n_digits == 0 || n_points > 1)
    return fail_at(&begin, "S, P or a confidence such as 0.9");
  return !skip_spaces(r) || fail_at(r, "the end of the line");
}

static bool
read_naacl(mt_gold_reader *r)
{
  size_t sentence, source, target;
  bool is_sure;
  if (!skip_spaces(r))
    return true;
  const mt_gold_reader begin = *r;
  if (!field(r, MT_GOLD_MOST_SENTENCES, &sentence) || sentence == 0 ||
      !field(r, MT_GOLD_MOST_WORDS, &source) || !field(r, MT_GOLD_MOST_WORDS, &target))
    return fail_at(&begin,
                   "the number of a sentence from 1 to 1000000, a source word, a target word "
                   "and S or P, such as 0001 1 2 S");
  if (!rest(r, &is_sure))
    return false;
  return source == 0 || target == 0 || add_link(r, sentence - 1, source, target, is_sure);
}

static bool
looks_like_naacl(const char *line, size_t n)
{
  size_t at = 0;
  for (size_t f = 0; f < 3; f++) {
    while (at < n && is_space(line[at]))
      at++;
    const size_t begin = at;
    while (at < n && line[at] >= '0' && line[at] <= '9')
      at++;
    if (at == begin || (at < n && !is_space(line[at])))
      return false;
  }
  return true;
}

static const mt_gold_kind naacl = {
    .about = {.id = "naacl", .name = "NAACL: 0001 1 2 S", .base = 1},
    .looks_like = looks_like_naacl,
    .read = read_naacl,
};

/* ---- Tables ---------------------------------------------------------------------------------- */

/* A sentence a line, with its texts: source, target, sure links, and maybe further
 * links that are possible only, tabs between. */

#define N_COLUMNS 4

/* Where each column begins and ends; 0: there are less than three, or more than four. */
static size_t
split(const char *line, size_t n, const char *begin[N_COLUMNS], const char *end[N_COLUMNS])
{
  size_t columns = 0;
  for (const char *at = line;; at++) {
    const char *tab = memchr(at, '\t', (size_t) (line + n - at));
    if (columns == N_COLUMNS)
      return 0;
    begin[columns] = at;
    end[columns++] = tab ? tab : line + n;
    if (!tab)
      break;
    at = tab;
  }
  return columns >= 3 ? columns : 0;
}

static bool
is_blank(const char *begin, const char *end)
{
  for (; begin < end; begin++)
    if (*begin != ' ' && *begin != '\r')
      return false;
  return true;
}

static bool
read_tsv(mt_gold_reader *r)
{
  const char *begin[N_COLUMNS], *end[N_COLUMNS];
  const size_t n = (size_t) (r->end - r->at), columns = split(r->at, n, begin, end);
  if (is_blank(r->at, r->end))
    return true;
  if (columns == 0 || memchr(r->at, '\0', n))
    return fail_at(r, "source, target, sure links and possible links with tabs between");
  for (size_t c = 0; c < 2; c++)
    if (is_blank(begin[c], end[c]) ||
        !mt_utf8_valid(begin[c], (size_t) (end[c] - begin[c]), NULL)) {
      r->at = begin[c];
      return fail_at(r, c == 0 ? "a source text in UTF-8" : "a target text in UTF-8");
    }
  if (!begin_sentence(r, begin[0], (size_t) (end[0] - begin[0]), begin[1],
                      (size_t) (end[1] - begin[1])))
    return false;
  for (size_t c = 2; c < columns; c++) {
    mt_gold_reader column = *r;
    column.at = begin[c];
    column.end = end[c];
    if (!read_links(&column, n_begun(r->gold) - 1, c == 2))
      return false;
  }
  return true;
}

static bool
looks_like_tsv(const char *line, size_t n)
{
  const char *begin[N_COLUMNS], *end[N_COLUMNS];
  const size_t columns = split(line, n, begin, end);
  for (size_t c = 2; c < columns; c++)
    if (!is_blank(begin[c], end[c]) && !are_links(begin[c], (size_t) (end[c] - begin[c])))
      return false;
  return columns > 0 && !are_links(line, n);
}

static const mt_gold_kind tsv = {
    .about = {.id = "tsv",
              .name = "Texts and links: source, target, 1-1 2-3, 4-4",
              .base = 1,
              .has_texts = true},
    .looks_like = looks_like_tsv,
    .read = read_tsv,
};

/* ---- THE list of formats --------------------------------------------------------------------- */

/* The first of which a file looks like it is read so. */
static const mt_gold_kind *const kinds[] = {&pharaoh, &talp, &naacl, &tsv};
#define N_KINDS (sizeof kinds / sizeof *kinds)

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

/* ---- Reading --------------------------------------------------------------------------------- */

static bool
looks_like_kind(const mt_gold_kind *kind, const char *text, size_t n)
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
    if (looks_like_kind(kinds[gold->format], text, n))
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
  if (ok && kinds[gold->format] == &naacl) {
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

/* Room for a link of two numbers of 20 digits, with what stands between them and before them. */
#define LINK_SIZE 48

char *
mt_links_to_text(const mt_link *links, size_t n, unsigned base, mt_error *error)
{
  char *text = mt_alloc(n + 1, LINK_SIZE), *end = text; /* zeros: no link is the empty text */
  if (!text)
    return mt_fail_no_memory(error), NULL;
  for (size_t i = 0; i < n; i++)
    end += snprintf(end, LINK_SIZE, "%s%zu-%zu", i > 0 ? " " : "", links[i].source + (size_t) base,
                    links[i].target + (size_t) base);
  return text;
}
