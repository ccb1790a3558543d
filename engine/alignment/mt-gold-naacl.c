/* mt-gold-naacl.c — a link a line: sentence, source word, target word, S or P, and maybe a
 * confidence (Mihalcea & Pedersen 2003). Everything counts from 1; word 0 is none.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "alignment/mt-gold.h"

#include <string.h>

static bool
is_space(char c)
{
  return c == ' ' || c == '\t' || c == '\r';
}

/* A number and what divides it from the next word. */
static bool
field(mt_gold_reader *r, size_t most, size_t *number)
{
  return mt_gold_skip(r) && mt_gold_number(r, most, number) &&
         (r->at == r->end || is_space(*r->at));
}

/* S or P, a confidence, both in this order, or nothing. */
static bool
rest(mt_gold_reader *r, bool *is_sure)
{
  *is_sure = true;
  if (!mt_gold_skip(r))
    return true;
  if (*r->at == 'S' || *r->at == 'P') {
    *is_sure = *r->at++ == 'S';
    if (r->at < r->end && !is_space(*r->at))
      return mt_gold_fail(r, "S or P");
    if (!mt_gold_skip(r))
      return true;
  }
  const mt_gold_reader begin = *r;
  size_t n_points = 0, n_digits = 0;
  for (; r->at < r->end && !is_space(*r->at); r->at++) {
    n_points += *r->at == '.';
    n_digits += *r->at >= '0' && *r->at <= '9';
    if (*r->at != '.' && !(*r->at >= '0' && *r->at <= '9'))
      return mt_gold_fail(&begin, "S, P or a confidence such as 0.9");
  }
  if (n_digits == 0 || n_points > 1)
    return mt_gold_fail(&begin, "S, P or a confidence such as 0.9");
  return !mt_gold_skip(r) || mt_gold_fail(r, "the end of the line");
}

static bool
read(mt_gold_reader *r)
{
  size_t sentence, source, target;
  bool is_sure;
  if (!mt_gold_skip(r))
    return true;
  const mt_gold_reader begin = *r;
  if (!field(r, MT_GOLD_MOST_SENTENCES, &sentence) || sentence == 0 ||
      !field(r, MT_GOLD_MOST_WORDS, &source) || !field(r, MT_GOLD_MOST_WORDS, &target))
    return mt_gold_fail(&begin,
                        "the number of a sentence from 1 to 1000000, a source word, a target word "
                        "and S or P, such as 0001 1 2 S");
  if (!rest(r, &is_sure))
    return false;
  return source == 0 || target == 0 || mt_gold_add(r, sentence - 1, source, target, is_sure);
}

static bool
looks_like(const char *line, size_t n)
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

static void
write(const mt_gold *gold, size_t i, unsigned base, mt_gold_writer *w)
{
  size_t n;
  const mt_gold_link *links = mt_gold_links(gold, i, &n);
  (void) base;
  for (size_t l = 0; l < n; l++) {
    mt_gold_put_number(w, i + 1);
    mt_gold_put(w, " ", 1);
    mt_gold_put_number(w, links[l].source + (size_t) 1);
    mt_gold_put(w, " ", 1);
    mt_gold_put_number(w, links[l].target + (size_t) 1);
    mt_gold_put(w, links[l].is_sure ? " S\n" : " P\n", 3);
  }
}

const mt_gold_kind mt_gold_naacl = {
    .about = {.id = "naacl", .name = "NAACL: 0001 1 2 S", .base = 1},
    .looks_like = looks_like,
    .read = read,
    .write = write,
};
