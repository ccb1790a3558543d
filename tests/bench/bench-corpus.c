/* bench-corpus.c — FILE.regard-corpus [ROUNDS]: how long what is asked of a corpus file takes.
 *
 * Every query is asked anew, of heads that take turns; the table shows the median, the 95th
 * percentile, the least and the most, in milliseconds.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <mt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_ROUNDS 1000

typedef struct {
  const char *path;
  mt_corpus *corpus;
  unsigned round;
} bench;

static double
now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec * 1e3 + (double) t.tv_nsec * 1e-6;
}

static void
stop(const mt_error *error)
{
  fprintf(stderr, "bench-corpus: %s\n", error->message);
  exit(1);
}

/* ---- Queries -----------------------------------------------------------------------------------
 */

static void
open_again(bench *b)
{
  mt_error error = {0};
  mt_corpus_close(b->corpus);
  b->corpus = mt_corpus_open(b->path, &error);
  if (!b->corpus)
    stop(&error);
}

/* What a table of all heads shows, from a file that was just opened. */
static void
all_heads(bench *b)
{
  mt_error error = {0};
  open_again(b);
  const mt_corpus_about *about = mt_corpus_get_about(b->corpus);
  for (mt_attention_kind k = 0; k < MT_N_KINDS; k++)
    for (size_t l = 0; l < about->n_layers[k]; l++)
      for (size_t h = 0; h < about->n_heads[k]; h++) {
        for (mt_corpus_measure m = 0; m < MT_N_CORPUS_MEASURES; m++) {
          mt_corpus_statistics s;
          if (!mt_corpus_get(b->corpus, k, l, h, m, &s, &error))
            stop(&error);
        }
        for (mt_corpus_role r = 0; r < MT_N_CORPUS_ROLES; r++) {
          mt_corpus_role_value v;
          if (!mt_corpus_get_role(b->corpus, k, l, h, r, &v, &error))
            stop(&error);
        }
      }
}

static void
look_at(const bench *b, mt_corpus_examples *examples, const mt_error *wrong)
{
  mt_error error = {0};
  if (!examples)
    stop(wrong);
  for (size_t i = 0; i < examples->n; i++)
    if (examples->items[i].sentence > 0) {
      mt_corpus_sentence *s =
          mt_corpus_sentence_new(b->corpus, examples->items[i].sentence, &error);
      if (!s)
        stop(&error);
      mt_corpus_sentence_free(s);
    }
  mt_corpus_examples_free(examples);
}

static void
place(const bench *b, size_t *layer, size_t *head)
{
  const mt_corpus_about *about = mt_corpus_get_about(b->corpus);
  *layer = b->round % about->n_layers[MT_CROSS];
  *head = b->round / about->n_layers[MT_CROSS] % about->n_heads[MT_CROSS];
}

static void
strongest(bench *b)
{
  size_t l, h;
  mt_error error = {0};
  place(b, &l, &h);
  mt_corpus_measure m = b->round % 2 ? MT_CORPUS_SPECIAL : MT_CORPUS_CONFIDENCE;
  look_at(b, mt_corpus_strongest(b->corpus, MT_CROSS, l, h, m, &error), &error);
}

static void
quantiles(bench *b)
{
  size_t l, h;
  mt_error error = {0};
  place(b, &l, &h);
  look_at(b, mt_corpus_quantiles(b->corpus, MT_CROSS, l, h, MT_CORPUS_SPECIAL, &error), &error);
}

/* The first time, when texts are sorted. */
static void
first_quantiles(bench *b)
{
  open_again(b);
  quantiles(b);
}

static void
search(const bench *b, mt_corpus_query query)
{
  mt_error error = {0};
  query.limit = 100;
  mt_corpus_hits *hits = mt_corpus_search(b->corpus, &query, &error);
  if (!hits)
    stop(&error);
  for (size_t i = 0; i < hits->n; i++) {
    mt_corpus_sentence *s = mt_corpus_sentence_new(b->corpus, hits->items[i].sentence, &error);
    if (!s)
      stop(&error);
    mt_corpus_sentence_free(s);
  }
  mt_corpus_hits_free(hits);
}

static void
common_word(bench *b)
{
  search(b, (mt_corpus_query){.words = "the"});
}

static void
prefix(bench *b)
{
  search(b, (mt_corpus_query){.words = "t*"});
}

static void
behaviour(bench *b)
{
  mt_corpus_query query = {.has_head = true,
                           .kind = MT_CROSS,
                           .measure = MT_CORPUS_SPECIAL,
                           .least = 0.2,
                           .most = 1,
                           .is_descending = true};
  place(b, &query.layer, &query.head);
  search(b, query);
}

static void
both(bench *b)
{
  mt_corpus_query query = {.words = "the",
                           .has_head = true,
                           .kind = MT_CROSS,
                           .measure = MT_CORPUS_SPECIAL,
                           .least = 0.1,
                           .most = 1,
                           .is_descending = true};
  place(b, &query.layer, &query.head);
  search(b, query);
}

/* ---- The table ---------------------------------------------------------------------------------
 */

static int
compare(const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

int
main(int argc, char **argv)
{
  static const struct {
    const char *name;
    void (*ask)(bench *b);
  } queries[] = {{"open", open_again},
                 {"open, all heads", all_heads},
                 {"20 strongest", strongest},
                 {"quantiles, the first", first_quantiles},
                 {"quantiles, the next", quantiles},
                 {"search: the", common_word},
                 {"search: t*", prefix},
                 {"search: a head does this", behaviour},
                 {"search: both", both}};
  if (argc < 2) {
    fprintf(stderr, "usage: bench-corpus FILE.regard-corpus [ROUNDS]\n");
    return 2;
  }
  bench b = {.path = argv[1]};
  long rounds = argc > 2 ? atol(argv[2]) : 40;
  rounds = rounds < 1 ? 1 : rounds > MOST_ROUNDS ? MOST_ROUNDS : rounds;
  open_again(&b);
  printf("%llu sentences\n%-26s%9s%9s%9s%9s  ms\n",
         (unsigned long long) mt_corpus_get_about(b.corpus)->n_sentences, "", "median", "95 %",
         "least", "most");
  for (size_t q = 0; q < sizeof queries / sizeof *queries; q++) {
    static double times[MOST_ROUNDS];
    for (b.round = 0; b.round < (unsigned) rounds; b.round++) {
      const double begin = now();
      queries[q].ask(&b);
      times[b.round] = now() - begin;
    }
    const size_t n = (size_t) rounds;
    qsort(times, n, sizeof *times, compare);
    printf("%-26s%9.2f%9.2f%9.2f%9.2f\n", queries[q].name, times[n / 2], times[n * 95 / 100],
           times[0], times[n - 1]);
  }
  mt_corpus_close(b.corpus);
  return 0;
}
