/* fuzz-changes.c — changes to a model as text, and a request with changes as JSON.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Both are read from the same bytes. What was printed has to read back as the same.
 */
#include "engine-test.h"
#include "fuzz.h"

#include <string.h>

#define N_LAYERS 3
#define N_HEADS  4
#define N_TOKENS 6

/* What is asked of one head has to agree with what is asked of its cells. */
static void
look_at_head(const mt_interventions *interventions, mt_attention_kind kind, size_t layer,
             size_t head)
{
  gboolean hides = FALSE, differs = FALSE;
  for (size_t query = 0; query < N_TOKENS; query++)
    for (size_t key = 0; key < N_TOKENS; key++) {
      gboolean hidden = mt_interventions_hide(interventions, kind, layer, head, query, key);
      hides |= hidden;
      differs |= hidden != mt_interventions_hide(interventions, kind, 0, 0, query, key);
    }
  g_assert_true(!hides || mt_interventions_may_hide(interventions, kind, layer, head));
  /* "source 5 hide" is in every head and names none. */
  g_assert_true(!hides || mt_interventions_touch(interventions, kind, layer, head) ||
                strstr(mt_interventions_text(interventions), "source "));
  g_assert_true(mt_interventions_hide_alike(interventions, kind, layer, head, layer, head));
  g_assert_true(!differs || !mt_interventions_hide_alike(interventions, kind, layer, head, 0, 0));
}

static void
look_at(const mt_interventions *interventions)
{
  static const mt_config config = {
      .d_model = 8,
      .n_layers = {N_LAYERS, N_LAYERS},
      .n_heads = {N_HEADS, N_HEADS},
  };
  mt_error error = {0};
  size_t n = mt_interventions_count(interventions);
  g_assert_cmpuint(n, <=, MT_MAX_CHANGES);
  g_assert_true((n == 0) == (*mt_interventions_text(interventions) == '\0'));
  if (!mt_interventions_check(interventions, &config, &error))
    g_assert_true(error.code == MT_ERROR_INPUT && error.message[0]);
  for (int kind = 0; kind < MT_N_KINDS; kind++)
    for (size_t layer = 0; layer < N_LAYERS; layer++)
      for (size_t head = 0; head < N_HEADS; head++)
        look_at_head(interventions, (mt_attention_kind) kind, layer, head);
}

static void
read_text(const char *text)
{
  mt_error error = {0};
  g_autoptr(mt_interventions) interventions = mt_interventions_parse("input", text, &error);
  if (!interventions) {
    g_assert_true(error.code == MT_ERROR_INPUT || error.code == MT_ERROR_TOO_LONG);
    g_assert_true(g_utf8_validate(error.message, -1, NULL) && error.message[0]);
    return;
  }
  look_at(interventions);
  mt_interventions *again =
      mt_interventions_parse("printed", mt_interventions_text(interventions), &error);
  g_assert_nonnull(again);
  g_assert_true(mt_interventions_equal(interventions, again));
  g_assert_cmpuint(mt_interventions_hash(interventions), ==, mt_interventions_hash(again));
  g_assert_cmpstr(mt_interventions_text(interventions), ==, mt_interventions_text(again));
  mt_interventions_unref(again);
}

static void
read_json(const char *text, size_t n)
{
  mt_request request = {0}, again = {0};
  mt_error error = {0};
  if (!mt_request_from_json(&request, "input", text, n, &error)) {
    g_assert_true(error.code == MT_ERROR_FORMAT || error.code == MT_ERROR_TOO_LONG);
    g_assert_true(error.message[0] && !request.set && !request.interventions &&
                  !request.language[0]);
    return;
  }
  if (request.interventions)
    look_at(request.interventions);
  char *printed = mt_request_to_json(&request, &error);
  g_assert_nonnull(printed);
  g_assert_true(mt_request_from_json(&again, "printed", printed, strlen(printed), &error));
  g_assert_true(mt_request_equal(&request, &again));
  char *twice = mt_request_to_json(&again, &error);
  g_assert_cmpstr(printed, ==, twice);
  mt_string_free(twice);
  mt_string_free(printed);
  mt_request_clear(&again);
  mt_request_clear(&request);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  g_autofree char *text = g_strndup((const char *) data, size);
  read_text(text);
  read_json((const char *) data, size);
  return 0;
}
