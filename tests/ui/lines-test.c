/* lines-test.c — what the tests of lines share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "lines-test.h"

#include "figures/regard-matrix-attention.h"
#include "sample-capture.h"

RegardLines *
lines_of(RegardMatrix *matrix, double share)
{
  return regard_lines_new(&matrix, NULL, 1, share);
}

RegardMatrix *
small_matrix(void)
{
  static const float values[] = {0.6f, 0.3f, 0.1f, 0.2f, 0, 0.8f};
  static const char *const rows[] = {"▁Das", "▁Haus"}, *const cols[] = {"▁The", "▁big", "▁house"};
  return sample_matrix(values, 2, 3, rows, cols);
}

static mt_capture *
capture_of_size(guint n)
{
  g_autoptr(GString) pieces = g_string_new(NULL);
  for (guint i = 0; i + 1 < n; i++)
    g_string_append_printf(pieces, "▁%.*s ", (int) (2 + i * 7 % 9), "attention");
  g_string_append(pieces, "</s>");
  return sample_capture_of(pieces->str, pieces->str, 1, 2);
}

RegardMatrix *
matrix_of_size(guint n, mt_attention_kind kind)
{
  mt_capture *capture = capture_of_size(n);
  const RegardMatrixSpec spec = {.kind = kind};
  RegardMatrix *m = regard_matrix_new_attention(capture, &spec);
  mt_capture_unref(capture);
  return m;
}
