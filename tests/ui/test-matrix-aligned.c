/* test-matrix-aligned.c — the matrix of a difference whose sides have other tokens.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-matrix-attention.h"
#include "sample-capture.h"
#include "suite.h"
#include <math.h>

static RegardMatrix *
make(const mt_capture *capture, RegardMatrixSpec spec)
{
  RegardMatrix *m = regard_matrix_new_attention(capture, &spec);
  g_assert_nonnull(m);
  return m;
}

static gboolean
has_badge(const RegardMatrix *m, const char *badge)
{
  return g_strv_contains((const char *const *) m->badges, badge);
}

/* What only one side of a difference has is masked and says whose it is; a word is never of both
 * and of one, so merged words have a value or none; rows keep their maximum. */
static void
test_aligned(void)
{
  mt_error error = {0};
  mt_capture *a = sample_capture_of("▁I ▁walk ing ▁here </s>", "▁Ich ▁da . </s>", 2, 2);
  mt_capture *b = sample_capture_of("▁I ▁walk ed ▁here ▁now </s>", "▁Ich ▁jetzt ▁da . </s>", 2, 2);
  mt_capture *d = mt_capture_difference_aligned(a, b, &error);
  g_assert_cmpstr(error.message, ==, "");
  for (guint merge = 0; merge < 2; merge++)
    for (int kind = 0; kind < MT_N_KINDS; kind++) {
      g_autoptr(RegardMatrix) m = make(d, (RegardMatrixSpec){.kind = (mt_attention_kind) kind,
                                                             .combine = REGARD_COMBINE_MAX,
                                                             .merge_words = merge});
      g_assert_true(has_badge(m, "tokens aligned"));
      g_assert_true(m->diverging);
      for (guint r = 0; r < m->rows; r++) {
        double most = 0;
        for (guint c = 0; c < m->cols; c++) {
          const float value = regard_matrix_get(m, r, c);
          if (isnan(value))
            g_assert_true(regard_matrix_is_masked(m, r, c));
          else
            most = MAX(most, fabs((double) value));
        }
        g_assert_cmpfloat(regard_matrix_row_max(m, r), ==, most);
      }
    }
  g_autoptr(RegardMatrix) m = make(d, (RegardMatrixSpec){.kind = MT_CROSS});
  static const struct {
    guint row, col;
    const char *words;
  } cells[] = {{0, 2, "masked: only A has the column"},
               {0, 3, "masked: only B has the column"},
               {1, 0, "masked: only B has the row"},
               {1, 3, "masked: only B has the row"},
               {1, 2, "masked: A and B do not both have the row, nor the column"}};
  g_assert_cmpstr(m->col_labels[2].piece, ==, "ing→");
  g_assert_cmpstr(m->col_labels[3].piece, ==, "→ed");
  g_assert_cmpstr(m->row_labels[1].piece, ==, "▁→jetzt");
  for (guint i = 0; i < G_N_ELEMENTS(cells); i++) {
    g_autofree char *text = regard_matrix_describe_cell(m, cells[i].row, cells[i].col);
    g_assert_true(g_str_has_suffix(text, cells[i].words));
  }
  /* "▁da" is written in both, after another word. */
  g_autoptr(RegardMatrix) decoder = make(d, (RegardMatrixSpec){.kind = MT_DECODER_SELF});
  g_assert_cmpstr(decoder->col_labels[2].piece, ==, "▁Ich→jetzt");
  g_autofree char *each = regard_matrix_describe_cell(decoder, 3, 2);
  g_assert_true(g_str_has_suffix(each, "masked: A and B have other tokens there"));
  mt_capture_unref(a);
  mt_capture_unref(b);
  mt_capture_unref(d);
}

TESTS()
{
  g_test_add_func("/matrix-aligned/sides", test_aligned);
}
