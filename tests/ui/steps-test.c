/* steps-test.c — searches with a trace, for tests of what is drawn and written of them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "steps-test.h"

#include <glib/gstdio.h>
#include <json.h>
#include <unistd.h>

static void
open_path(StepsTest *t, const char *path)
{
  mt_error error = {0};
  t->model = mt_model_open(path, NULL, &error);
  if (!t->model)
    g_error("%s", error.message);
  t->session = mt_session_new(t->model, &(mt_session_options){.n_threads = 1}, &error);
  g_assert_nonnull(t->session);
}

void
steps_test_open(StepsTest *t, const char *folder)
{
  g_autofree char *path = g_test_build_filename(G_TEST_DIST, "..", "data", folder, NULL);
  open_path(t, path);
}

/* Pieces that are not special get other names; the ids stay. */
static char *
break_vocabulary(const char *path)
{
  static const char *const pieces[] = {
      "\"",
      "\\",
      "\\\"]; x [label=\"",
      "\n",
      "a\tb\r\n",
      "</text><script>",
      "&amp;",
      "😀👩‍👩‍👧",
      "\u202eabc",
      "\u0301",
      "%s%n",
      "{|}<>",
      "\x01\x1f",
      "*/ //#",
      "',;=[]",
      "\u200b",
      "−0.5",
      "▁\"",
  };
  json_object *old = json_object_from_file(path), *new = json_object_new_object();
  g_assert_nonnull(old);
  guint n = 0;
  json_object_object_foreach(old, piece, id)
  {
    gboolean is_kept = *piece == '<' || g_str_has_prefix(piece, "▁");
    g_autofree char *other = is_kept ? g_strdup(piece)
                             : n < G_N_ELEMENTS(pieces)
                                 ? g_strdup(pieces[n])
                                 : g_strdup_printf("%s%u", pieces[n % G_N_ELEMENTS(pieces)], n);
    n += !is_kept;
    json_object_object_add(new, other, json_object_get(id));
  }
  g_assert_cmpuint(n, >, G_N_ELEMENTS(pieces));
  char *text = g_strdup(json_object_to_json_string(new));
  json_object_put(old);
  json_object_put(new);
  return text;
}

void
steps_test_open_hostile(StepsTest *t)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *good =
      g_test_build_filename(G_TEST_DIST, "..", "data", "checkpoints", "post-norm-relu", NULL);
  g_autofree char *folder = g_dir_make_tmp("regard-hostile-XXXXXX", &error);
  g_assert_no_error(error);
  g_autoptr(GDir) dir = g_dir_open(good, 0, &error);
  g_assert_no_error(error);
  g_autoptr(GPtrArray) made = g_ptr_array_new_with_free_func(g_free);
  const char *name;
  while ((name = g_dir_read_name(dir))) {
    g_autofree char *from = g_build_filename(good, name, NULL);
    char *to = g_build_filename(folder, name, NULL);
    g_ptr_array_add(made, to);
    if (g_str_equal(name, "vocab.json")) {
      g_autofree char *text = break_vocabulary(from);
      g_assert_true(g_file_set_contents(to, text, -1, NULL));
    } else
      g_assert_cmpint(symlink(from, to), ==, 0);
  }
  open_path(t, folder);
  for (guint i = 0; i < made->len; i++)
    g_unlink(made->pdata[i]);
  g_rmdir(folder);
}

void
steps_test_close(StepsTest *t)
{
  mt_session_free(t->session);
  mt_model_unref(t->model);
  *t = (StepsTest){0};
}

mt_search_params
steps_test_params(const StepsTest *t, size_t beam)
{
  mt_search_params params = mt_search_params_default(t->model);
  params.beam_size = params.n_best = beam;
  params.trace = 12;
  return params;
}

RegardSteps *
steps_test_search(const StepsTest *t, const char *text, const mt_search_params *params)
{
  mt_error error = {0};
  mt_translation *translation = mt_session_translate(t->session, text, params, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  RegardSteps *steps = regard_steps_new(t->model, translation, 0, NULL);
  g_assert_nonnull(steps);
  mt_translation_unref(translation);
  return steps;
}

mt_constraints *
steps_test_prefix(const StepsTest *t, const char *words)
{
  mt_error error = {0};
  mt_tokens *tokens = mt_model_tokenize(t->model, MT_STACK_DECODER, words, &error);
  g_assert_nonnull(tokens);
  const size_t n = mt_tokens_count(tokens) - 1;
  g_autofree int32_t *ids = g_new(int32_t, n + 1);
  for (size_t i = 0; i < n; i++)
    ids[i] = mt_tokens_get(tokens, i)->id;
  mt_tokens_unref(tokens);
  mt_constraints *constraints = mt_constraints_new(ids, n, NULL, 0, &error);
  g_assert_nonnull(constraints);
  return constraints;
}
