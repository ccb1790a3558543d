/* fuzz-trust.c — trust.json in a model's folder: from which share on nothing is marked.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What was read is within its limits, is written again, and reads back as the same. An object is
 * read once more as one that is of the model here, which few inputs are by themselves.
 */
#include "fuzz.h"

#include <math.h>
#include <string.h>

static mt_model *
get_model(void)
{
  static mt_model *model;
  mt_error error = {0};
  if (!model)
    model = mt_model_open(fuzz_model_path(), NULL, &error);
  g_assert_nonnull(model);
  return model;
}

static gboolean
read_bytes(const void *bytes, size_t n, mt_source_contribution_thresholds *thresholds,
           mt_error *error)
{
  fuzz_model_put(MT_SOURCE_CONTRIBUTION_FILE, bytes, n);
  return mt_source_contribution_thresholds_of_model(thresholds, get_model(), error);
}

static void
check(const uint8_t *data, size_t size)
{
  mt_source_contribution_thresholds t = {0}, again = {0};
  mt_error error = {0};
  if (!read_bytes(data, size, &t, &error)) {
    g_assert_true(error.code == MT_ERROR_FORMAT || error.code == MT_ERROR_TOO_LONG ||
                  error.code == MT_ERROR_INPUT);
    g_assert_true(g_utf8_validate(error.message, -1, NULL) && error.message[0]);
    g_assert_cmpuint(t.n_sentences, ==, 0); /* nothing is half done */
    return;
  }
  g_assert_true(t.share >= 0 && t.share <= 1 && t.use >= 0 && isfinite(t.use));
  g_assert_true(t.quantile >= 0 && t.quantile <= 1 && t.n_sentences > 0);
  char *text = mt_source_contribution_thresholds_text(&t, get_model(), &error);
  g_assert_nonnull(text);
  g_assert_true(read_bytes(text, strlen(text), &again, &error));
  g_assert_true(t.share == again.share && t.use == again.use && t.quantile == again.quantile &&
                t.n_sentences == again.n_sentences);
  mt_source_contribution_text_free(text);
  fuzz_sink += t.share;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  check(data, size);
  if (size > 0 && data[0] == '{') {
    g_autoptr(GString) own = g_string_new("{");
    g_string_append_printf(own, "\"fingerprint\": \"%016" G_GINT64_MODIFIER "x\",",
                           (guint64) mt_model_fingerprint(get_model()));
    g_string_append_len(own, (const char *) data + 1, (gssize) size - 1);
    check((const uint8_t *) own->str, own->len);
  }
  return 0;
}
