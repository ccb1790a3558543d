/* hand-capture.h — captures with known numbers in them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "mt.h"

#include <glib.h>

/* n tokens "a", "b", … of which the last is special (</s>); ids 10, 11, … */
static inline mt_tokens *
hand_tokens(size_t n)
{
  mt_token items[64];
  char names[64][2];
  g_assert_cmpuint(n, <=, G_N_ELEMENTS(items));
  for (size_t i = 0; i < n; i++) {
    names[i][0] = (char) ('a' + i % 26), names[i][1] = '\0';
    items[i] = (mt_token){.id = (int32_t) (10 + i),
                          .piece = i + 1 == n ? "</s>" : names[i],
                          .word = (int32_t) i,
                          .is_special = i + 1 == n};
  }
  return mt_tokens_new("", items, n, NULL);
}

/* One layer and one head of every kind over S source and T target tokens; all cells zero. */
static inline mt_capture *
hand_capture(size_t n_source, size_t n_target, unsigned flags)
{
  mt_tokens *source = hand_tokens(n_source), *target = hand_tokens(n_target);
  mt_capture_spec spec = {.model_name = "by hand",
                          .source = source,
                          .decoder_input = target,
                          .output = target,
                          .n_layers = {1, 1, 1},
                          .n_heads = {1, 1, 1},
                          .d_model = 4,
                          .flags = flags};
  mt_error error = {0};
  mt_capture *capture = mt_capture_new(&spec, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_assert_nonnull(capture);
  mt_tokens_unref(source), mt_tokens_unref(target);
  return capture;
}
