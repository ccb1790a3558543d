/* test-quality.c — scores of groups, and their intervals against a bootstrap that scores texts.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mt-train.h"
#include "suite.h"

#include <glib.h>
#include <math.h>
#include <string.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_quality, mt_quality_free)

static const struct {
  gsize group;
  const char *a, *b, *reference;
} pairs[] = {
    {0, "Ich habe zwei Hunde.", "Ich habe zwei Hunde.", "Ich habe zwei Hunde."},
    {0, "Er kommt morgen nicht.", "Er kommt nicht.", "Er kommt morgen nicht mehr."},
    {2, "Das Haus am Ende der Straße ist sehr alt.", "Das Haus ist die alte Straße.",
     "Das Haus am Ende der Straße ist alt."},
    {2, "Wir gehen heute Abend ins Kino.", "Heute gehen wir in den Kinos.",
     "Heute Abend gehen wir ins Kino."},
    {2, "Sie las den ganzen Tag ein Buch über Vögel.", "Sie las ein Buch über den Tag der Vögel.",
     "Den ganzen Tag las sie ein Buch über Vögel."},
};

static mt_quality *
make(gsize n_systems)
{
  mt_error error = {0};
  mt_quality *q = mt_quality_new(n_systems, &error);
  for (gsize i = 0; i < G_N_ELEMENTS(pairs); i++) {
    const char *const both[] = {pairs[i].a, pairs[i].b};
    g_assert_true(mt_quality_add(q, pairs[i].group, both, pairs[i].reference, &error));
  }
  return q;
}

static double
score_texts(const gsize *which, gsize n, gboolean of_b, mt_quality_measure measure)
{
  mt_bleu bleu = {0};
  mt_chrf chrf = {0};
  for (gsize k = 0; k < n; k++) {
    const char *said = of_b ? pairs[which[k]].b : pairs[which[k]].a;
    const char *reference = pairs[which[k]].reference;
    g_assert_true(mt_bleu_add(&bleu, said, strlen(said), reference, strlen(reference), NULL));
    g_assert_true(mt_chrf_add(&chrf, said, strlen(said), reference, strlen(reference), NULL));
  }
  return measure == MT_QUALITY_BLEU ? mt_bleu_score(&bleu) : mt_chrf_score(&chrf);
}

static void
test_groups(void)
{
  static const gsize all[] = {0, 1, 2, 3, 4};
  g_autoptr(mt_quality) q = make(2);
  mt_quality_scores s;
  mt_error error = {0};
  for (mt_quality_measure m = 0; m < MT_N_QUALITIES; m++) {
    const double a = score_texts(all, 5, FALSE, m), b = score_texts(all, 5, TRUE, m);
    g_assert_true(mt_quality_compute(q, MT_QUALITY_ALL, 0, NULL, NULL, &s, &error));
    g_assert_cmpuint(s.n, ==, 5);
    g_assert_cmpfloat(s.scores[0][m].value, ==, a);
    g_assert_cmpfloat(s.scores[1][m].value, ==, b);
    g_assert_cmpfloat(s.differences[m].value, ==, b - a);
    g_assert_cmpfloat(s.differences[m].lo, ==, b - a);
    g_assert_true(mt_quality_compute(q, 2, 0, NULL, NULL, &s, &error));
    g_assert_cmpuint(s.n, ==, 3);
    g_assert_cmpfloat(s.scores[0][m].value, ==, score_texts(all + 2, 3, FALSE, m));
    /* Nobody is in this one. */
    g_assert_true(mt_quality_compute(q, 1, 50, NULL, NULL, &s, &error));
    g_assert_cmpuint(s.n, ==, 0);
    g_assert_true(isnan(s.scores[0][m].value) && isnan(s.differences[m].hi));
  }
}

/* The same draws by another way: texts are put together and scored as if they were a corpus. */
static void
test_intervals(void)
{
  enum { N_DRAWS = 41 }; /* 2.5 % of 40 steps is the second of them */
  g_autoptr(mt_quality) q = make(2);
  mt_quality_scores s;
  mt_error error = {0};
  g_assert_true(mt_quality_compute(q, 2, N_DRAWS, NULL, NULL, &s, &error));
  for (mt_quality_measure m = 0; m < MT_N_QUALITIES; m++) {
    double drawn[3][N_DRAWS];
    guint64 state = 3;
    for (int d = 0; d < N_DRAWS; d++) {
      gsize which[3];
      for (int k = 0; k < 3; k++) {
        guint64 z = state += G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
        z = (z ^ z >> 30) * G_GUINT64_CONSTANT(0xbf58476d1ce4e5b9);
        z = (z ^ z >> 27) * G_GUINT64_CONSTANT(0x94d049bb133111eb);
        which[k] = 2 + (z ^ z >> 31) % 3;
      }
      const double both[] = {score_texts(which, 3, FALSE, m), score_texts(which, 3, TRUE, m)};
      const double of[] = {both[0], both[1], both[1] - both[0]};
      for (int c = 0; c < 3; c++) { /* put in its place */
        int at = d;
        for (; at > 0 && drawn[c][at - 1] > of[c]; at--)
          drawn[c][at] = drawn[c][at - 1];
        drawn[c][at] = of[c];
      }
    }
    const mt_interval found[] = {s.scores[0][m], s.scores[1][m], s.differences[m]};
    for (int c = 0; c < 3; c++) {
      g_assert_cmpfloat_with_epsilon(found[c].lo, drawn[c][1], 1e-9);
      g_assert_cmpfloat_with_epsilon(found[c].hi, drawn[c][39], 1e-9);
      g_assert_cmpfloat(found[c].lo, <, found[c].hi);
    }
  }
}

static bool
stop(void *user)
{
  return ++*(int *) user > 3;
}

static void
test_alone(void)
{
  g_autoptr(mt_quality) q = make(1);
  mt_quality_scores s;
  mt_error error = {0};
  int asked = 0;
  g_assert_true(mt_quality_compute(q, MT_QUALITY_ALL, 20, NULL, NULL, &s, &error));
  g_assert_true(isnan(s.scores[1][MT_QUALITY_BLEU].value));
  g_assert_true(isnan(s.differences[MT_QUALITY_CHRF].value));
  g_assert_cmpfloat(s.scores[0][MT_QUALITY_CHRF].lo, <, s.scores[0][MT_QUALITY_CHRF].hi);
  g_assert_false(mt_quality_compute(q, MT_QUALITY_ALL, 20, stop, &asked, &s, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_CANCELLED);
  mt_quality_free(NULL);
}

TESTS()
{
  g_test_add_func("/quality/groups", test_groups);
  g_test_add_func("/quality/intervals", test_intervals);
  g_test_add_func("/quality/alone", test_alone);
}
