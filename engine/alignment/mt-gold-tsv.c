/* mt-gold-tsv.c — a sentence a line, with its texts: source, target, sure links, and maybe further
 * links that are possible only, tabs between.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "alignment/mt-gold.h"

#include "base/mt-utf8.h"

#include <string.h>

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
read(mt_gold_reader *r)
{
  const char *begin[N_COLUMNS], *end[N_COLUMNS];
  const size_t n = (size_t) (r->end - r->at), columns = split(r->at, n, begin, end);
  if (is_blank(r->at, r->end))
    return true;
  if (columns == 0 || memchr(r->at, '\0', n))
    return mt_gold_fail(r, "source, target, sure links and possible links with tabs between");
  for (size_t c = 0; c < 2; c++)
    if (is_blank(begin[c], end[c]) ||
        !mt_utf8_valid(begin[c], (size_t) (end[c] - begin[c]), NULL)) {
      r->at = begin[c];
      return mt_gold_fail(r, c == 0 ? "a source text in UTF-8" : "a target text in UTF-8");
    }
  if (!mt_gold_begin_sentence(r, begin[0], (size_t) (end[0] - begin[0]), begin[1],
                              (size_t) (end[1] - begin[1])))
    return false;
  for (size_t c = 2; c < columns; c++) {
    mt_gold_reader column = *r;
    column.at = begin[c];
    column.end = end[c];
    if (!mt_gold_read_links(&column, mt_gold_n_begun(r->gold) - 1, c == 2))
      return false;
  }
  return true;
}

static bool
looks_like(const char *line, size_t n)
{
  const char *begin[N_COLUMNS], *end[N_COLUMNS];
  const size_t columns = split(line, n, begin, end);
  for (size_t c = 2; c < columns; c++)
    if (!is_blank(begin[c], end[c]) && !mt_gold_are_links(begin[c], (size_t) (end[c] - begin[c])))
      return false;
  return columns > 0 && !mt_gold_are_links(line, n);
}

static void
write(const mt_gold *gold, size_t i, unsigned base, mt_gold_writer *w)
{
  for (int side = 0; side < MT_N_STACKS; side++) {
    const char *text = mt_gold_text(gold, i, (mt_stack) side);
    mt_gold_put(w, text, strlen(text));
    mt_gold_put(w, "\t", 1);
  }
  mt_gold_put_links(w, gold, i, base, MT_GOLD_SURE, 'p');
  mt_gold_put(w, "\t", 1);
  mt_gold_put_links(w, gold, i, base, MT_GOLD_REST, '-');
  mt_gold_put(w, "\n", 1);
}

const mt_gold_kind mt_gold_tsv = {
    .about = {.id = "tsv",
              .name = "Texts and links: source, target, 1-1 2-3, 4-4",
              .base = 1,
              .has_texts = true},
    .looks_like = looks_like,
    .read = read,
    .write = write,
};
