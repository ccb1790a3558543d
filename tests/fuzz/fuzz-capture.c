/* fuzz-capture.c — a capture from elsewhere: an .npz that is opened, looked at, and written again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "fuzz.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

static void
look_at_tokens(const mt_tokens *tokens)
{
  for (size_t i = 0; tokens && i < mt_tokens_count(tokens); i++)
    g_assert(g_utf8_validate(mt_tokens_get(tokens, i)->piece, -1, NULL));
}

static void
look_at_kind(const mt_capture *capture, mt_attention_kind kind)
{
  size_t n_layers = mt_capture_n_layers(capture, kind);
  if (n_layers == 0)
    return;
  size_t rows = mt_tokens_count(mt_capture_rows(capture, kind));
  size_t cols = mt_tokens_count(mt_capture_columns(capture, kind));
  for (size_t l = 0; l < n_layers; l++)
    for (size_t h = 0; h < mt_capture_n_heads(capture, kind); h++) {
      mt_matrix weights = mt_capture_weights(capture, kind, l, h);
      g_assert(weights.rows == rows && weights.cols == cols);
      for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < cols; c++)
          g_assert(isfinite(mt_matrix_at(&weights, r, c)));
      fuzz_sink += mt_head_metrics_compute(capture, kind, l, h).mean_entropy;
      if (rows > 0 && cols > 0)
        fuzz_sink += (double) mt_capture_score_at(capture, kind, l, h, rows - 1, cols - 1);
    }
}

static void
write_again(const mt_capture *capture, const char *path, const char *meta)
{
  mt_error error = {0};
  if (!mt_capture_write_npz(capture, path, meta ? meta : "{}", &error))
    g_error("%s", error.message);
  g_autoptr(mt_capture) again = mt_capture_read_npz(path, NULL, &error);
  if (!again)
    g_error("what was written cannot be read: %s", error.message);
  for (int kind = 0; kind < MT_N_KINDS; kind++)
    g_assert(mt_capture_n_layers(again, (mt_attention_kind) kind) ==
             mt_capture_n_layers(capture, (mt_attention_kind) kind));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static char *path, *copy;
  if (!path) {
    path = g_build_filename(fuzz_model_path(), "capture.npz", NULL);
    copy = g_build_filename(fuzz_model_path(), "copy.npz", NULL);
  }
  fuzz_model_put("capture.npz", data, size);
  mt_error error = {0};
  char *meta = NULL;
  g_autoptr(mt_capture) capture = mt_capture_read_npz(path, &meta, &error);
  g_assert((capture != NULL) == (error.code == MT_OK));
  g_assert(capture || g_utf8_validate(error.message, -1, NULL));
  if (capture) {
    look_at_tokens(mt_capture_source(capture));
    look_at_tokens(mt_capture_decoder_input(capture));
    look_at_tokens(mt_capture_output(capture));
    for (int kind = 0; kind < MT_N_KINDS; kind++)
      look_at_kind(capture, (mt_attention_kind) kind);
    write_again(capture, copy, meta);
  }
  mt_string_free(meta);
  return 0;
}
