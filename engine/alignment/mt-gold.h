/* mt-gold.h — how a format of gold files is read and written. Private to the engine.
 *
 * A format is one file (mt-gold-NAME.c) that defines one mt_gold_kind, and one row of the list in
 * mt-gold.c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_GOLD_H
#define MT_GOLD_H

#include "mt.h"

/* Reading: one line of the file, and what it adds to. */
typedef struct {
  const char *label;
  size_t line;          /* from 1 */
  const char *at, *end; /* what of the line is not read */
  int base;             /* that was asked for */
  struct mt_gold *gold;
  mt_error *error;
} mt_gold_reader;

/* Writing. */
typedef struct {
  char *text;
  size_t n, capacity;
  bool failed;
} mt_gold_writer;

typedef struct {
  mt_gold_format about;
  /* Does the first line that is not blank look like it? [n] */
  bool (*looks_like)(const char *line, size_t n);
  /* A line, to its end. Blank lines come, too. */
  bool (*read)(mt_gold_reader *reader);
  /* Sentence i, and the end of its line. */
  void (*write)(const mt_gold *gold, size_t i, unsigned base, mt_gold_writer *writer);
} mt_gold_kind;

extern const mt_gold_kind mt_gold_pharaoh, mt_gold_talp, mt_gold_naacl, mt_gold_tsv;

/* ---- For formats ------------------------------------------------------------------------------
 */

/* "gold.txt, line 3: expected …, found "…"." of what is at reader->at. False. */
bool mt_gold_fail(const mt_gold_reader *reader, const char *expected);
/* Go on behind spaces; false: the line ends there. Tabs are spaces but for a format with columns.
 */
bool mt_gold_skip(mt_gold_reader *reader);
/* Digits at reader->at, at most `most`. */
bool mt_gold_number(mt_gold_reader *reader, size_t most, size_t *number);

/* A further sentence; NULL: no texts. */
bool mt_gold_begin_sentence(mt_gold_reader *reader, const char *source, size_t n_source,
                            const char *target, size_t n_target);
/* A link of sentence i, which may be beyond those that were begun, counted as in the file. */
bool mt_gold_add(mt_gold_reader *reader, size_t i, size_t source, size_t target, bool is_sure);
size_t mt_gold_n_begun(const struct mt_gold *gold);

/* Links "0-0 1p2" up to reader->end; a sign among `possible` says a link is so, and 's' and '-'
 * that it is sure. is_sure: what '-' means. */
bool mt_gold_read_links(mt_gold_reader *reader, size_t i, bool is_sure);
/* Are words of the line such links, at least one? */
bool mt_gold_are_links(const char *line, size_t n);

void mt_gold_put(mt_gold_writer *writer, const char *text, size_t n);
void mt_gold_put_number(mt_gold_writer *writer, size_t number);
/* Links of sentence i that are sure, that are not, or all; `possible` stands between the words of
 * those that are not sure. */
typedef enum { MT_GOLD_ALL, MT_GOLD_SURE, MT_GOLD_REST } mt_gold_which;
void mt_gold_put_links(mt_gold_writer *writer, const mt_gold *gold, size_t i, unsigned base,
                       mt_gold_which which, char possible);

#endif
