/* mt-gold-links.c — links as "0-0 1-2 3p4", which several formats have: Pharaoh, which counts from
 * 0, and TALP, which counts from 1; in both p stands in a link that is only possible.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "alignment/mt-gold.h"

#include <string.h>

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

bool
mt_gold_read_links(mt_gold_reader *r, size_t i, bool is_sure)
{
  while (mt_gold_skip(r)) {
    mt_gold_reader begin = *r;
    size_t source, target;
    bool sure;
    if (!mt_gold_number(r, MT_GOLD_MOST_WORDS, &source) || r->at == r->end ||
        !read_sign(*r->at++, &sure) || !mt_gold_number(r, MT_GOLD_MOST_WORDS, &target) ||
        (r->at < r->end && !is_space(*r->at)))
      return mt_gold_fail(&begin, EXPECTED);
    if (!mt_gold_add(r, i, source, target, sure && is_sure))
      return false;
  }
  return true;
}

bool
mt_gold_are_links(const char *line, size_t n)
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

void
mt_gold_put_links(mt_gold_writer *w, const mt_gold *gold, size_t i, unsigned base,
                  mt_gold_which which, char possible)
{
  size_t n;
  const mt_gold_link *links = mt_gold_links(gold, i, &n);
  bool is_first = true;
  for (size_t l = 0; l < n; l++) {
    if ((which == MT_GOLD_SURE && !links[l].is_sure) || (which == MT_GOLD_REST && links[l].is_sure))
      continue;
    if (!is_first)
      mt_gold_put(w, " ", 1);
    is_first = false;
    mt_gold_put_number(w, links[l].source + (size_t) base);
    mt_gold_put(w, links[l].is_sure ? "-" : &possible, 1);
    mt_gold_put_number(w, links[l].target + (size_t) base);
  }
}

/* ---- Pharaoh and TALP ------------------------------------------------------------------------ */

static bool
read(mt_gold_reader *r)
{
  return mt_gold_begin_sentence(r, NULL, 0, NULL, 0) &&
         mt_gold_read_links(r, mt_gold_n_begun(r->gold) - 1, true);
}

static void
write(const mt_gold *gold, size_t i, unsigned base, mt_gold_writer *w)
{
  mt_gold_put_links(w, gold, i, base, MT_GOLD_ALL, 'p');
  mt_gold_put(w, "\n", 1);
}

static bool
never(const char *line, size_t n)
{
  (void) line;
  (void) n;
  return false;
}

const mt_gold_kind mt_gold_pharaoh = {
    .about = {.id = "pharaoh", .name = "Pharaoh: 0-0 1p2", .base = 0},
    .looks_like = mt_gold_are_links,
    .read = read,
    .write = write,
};

/* The same but for what its writers count from; a guess takes Pharaoh. */
const mt_gold_kind mt_gold_talp = {
    .about = {.id = "talp", .name = "TALP: 1-1 2p3", .base = 1},
    .looks_like = never,
    .read = read,
    .write = write,
};
