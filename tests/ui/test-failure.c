/* test-failure.c — what a person is told of an error of the engine, with and without a translation.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "runner/regard-failure.h"
#include "runner/regard-runner.h"
#include "spoken.h"
#include "suite.h"

#include <string.h>

static const char *
in_brackets(const char *text)
{
  g_autofree char *said = g_strdup_printf("⟦%s⟧", text);

  return g_intern_string(said);
}

static const mt_error_code codes[] = {
    MT_ERROR_IO,       MT_ERROR_FORMAT,    MT_ERROR_UNSUPPORTED, MT_ERROR_INPUT,
    MT_ERROR_TOO_LONG, MT_ERROR_NO_MEMORY, MT_ERROR_CANCELLED,
};

static void
test_english(void)
{
  for (guint i = 0; i < G_N_ELEMENTS(codes); i++) {
    const mt_error error = {codes[i], "en-de/vocab.json: expected an object, found a list."};
    g_autofree char *said = regard_failure_say(&error);

    g_assert_null(regard_failure_sentence(codes[i]));
    g_assert_cmpstr(said, ==, error.message);
  }
}

static void
test_translated(void)
{
  spoken_set(in_brackets);
  for (guint i = 0; i < G_N_ELEMENTS(codes); i++) {
    const mt_error error = {codes[i], "en-de/vocab.json: expected an object, found a list."};
    g_autofree char *said = regard_failure_say(&error);
    const char *sentence = regard_failure_sentence(codes[i]);
    g_auto(GStrv) lines = g_strsplit(said, "\n", -1);

    g_assert_cmpuint(g_strv_length(lines), ==, 2);
    g_assert_cmpstr(lines[0], ==, sentence);
    g_assert_true(g_str_has_prefix(sentence, "⟦") && g_str_has_suffix(sentence, "⟧"));
    g_assert_cmpstr(lines[1], ==, "⟦Details: en-de/vocab.json: expected an object, found a list.⟧");
    for (guint k = 0; k < i; k++) /* each code says something of its own */
      g_assert_cmpstr(sentence, !=, regard_failure_sentence(codes[k]));
  }
  g_assert_null(regard_failure_sentence(MT_OK));
  g_assert_null(regard_failure_sentence((mt_error_code) 99));
  spoken_set(NULL);
}

/* A path need not be UTF-8, and what the window shows has to be. */
static void
test_bytes(void)
{
  const mt_error error = {MT_ERROR_IO, "caf\xe9/config.json is missing."};
  g_autofree char *said = regard_failure_say(&error);

  g_assert_true(g_utf8_validate(said, -1, NULL));
  g_assert_nonnull(strstr(said, "/config.json is missing."));
}

/* ---- From a thread ----------------------------------------------------------------------------
 */

static gpointer
fail(RegardRun *run, mt_error *error)
{
  *error = (mt_error){MT_ERROR_TOO_LONG, "600 pieces, at most 512."};
  return NULL;
}

static void
on_done(gpointer data, RegardRun *run)
{
  GError **error = data;

  g_assert_null(regard_run_finish(run, error));
}

static void
test_run(void)
{
  static const RegardTask task = {.priority = REGARD_RUN_READING, .compute = fail};
  g_autoptr(GError) error = NULL;

  spoken_set(in_brackets);
  regard_runner_start(&task, NULL, NULL, on_done, &error);
  while (!error)
    g_main_context_iteration(NULL, TRUE);
  spoken_set(NULL);
  g_assert_cmpstr(error->message, ==,
                  "⟦The sentence is too long for this model: make it shorter.⟧\n"
                  "⟦Details: 600 pieces, at most 512.⟧");
}

TESTS()
{
  g_test_add_func("/failure/english", test_english);
  g_test_add_func("/failure/translated", test_translated);
  g_test_add_func("/failure/bytes", test_bytes);
  g_test_add_func("/failure/run", test_run);
}
