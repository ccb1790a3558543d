/* head-statistics.h — THE table of what is said of a head in numbers. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A row is a statistic: what it is called, and where its numbers are from, of one sentence and over
 * a text. Lists, filters, files and corpus files follow from it.
 */
#ifndef MT_PUBLIC_HEAD_STATISTICS_H
#define MT_PUBLIC_HEAD_STATISTICS_H

#include <mt/capture.h>
#include <mt/model.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The name of a statistic that is large: of a head that has at least `from` on one sentence. */
typedef struct {
  const char *id;  /* "sink", which people read, too; NULL: none */
  const char *why; /* a sentence: what the number is */
  double from;
  double confidence; /* and at least so much of this; 0: any */
} mt_head_role;

typedef struct {
  const char *id;    /* "entropy", in files, filters and on the command line */
  const char *title; /* "Entropy" */
  const char *unit;  /* "bit", "token", "nat"; "" for shares */
  const char *what;  /* a sentence */
  /* MT_KIND_BIT of those that it is defined for: on one sentence, and over a text; 0: none. Those
   * whose numbers have the unit; 0: all. */
  uint32_t kinds, text_kinds, unit_kinds;
  /* Of the double in mt_head_metrics; MT_HEAD_OTHER: it is computed from something else. */
  size_t offset;
  int measure; /* mt_corpus_measure, under which corpus files keep it; -1: they do not */
  /* Range of the histogram, by kind; what is outside is counted in the first or the last bin. */
  double low[MT_N_KINDS], high[MT_N_KINDS];
  /* A sentence: why heads may have none, which is said where none has one. NULL: all heads of its
   * kinds have one. */
  const char *absent;
  int n_decimals;
  bool has_sign; /* + is written, too */
  mt_head_role role;
} mt_head_statistic;
#define MT_HEAD_OTHER SIZE_MAX
/* More there never are. */
#define MT_MOST_HEAD_STATISTICS 32

/* *n rows, in the order in which they are listed. */
const mt_head_statistic *mt_head_statistics(size_t *n);
/* For a kind that it is defined for. NAN: it is none of mt_head_metrics. */
double mt_head_statistic_of(const mt_head_statistic *statistic, const mt_head_metrics *metrics);
/* Whether a head has earned the name of the statistic. */
bool mt_head_statistic_has_role(const mt_head_statistic *statistic, mt_attention_kind kind,
                                const mt_head_metrics *metrics);

#ifdef __cplusplus
}
#endif
#endif
