/* test-document-session.c — sessions in files: what is saved comes back, what is missing is said,
 * and what is no session changes nothing.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document-test.h"
#include "suite.h"

#include "figures/regard-naming.h"
#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

typedef struct {
  char *folder, *path;
  char *lacks[2]; /* title and detail of the newest "session-lacks" */
  char *failed;   /* message of the newest "read-failed" */
  guint n_opened;
} Scene;

static void
on_lacks(RegardDocument *document, const char *title, const char *detail, Scene *s)
{
  g_free(s->lacks[0]);
  g_free(s->lacks[1]);
  s->lacks[0] = g_strdup(title);
  s->lacks[1] = g_strdup(detail);
}

static void
on_failed(RegardDocument *document, const GError *error, Scene *s)
{
  g_free(s->failed);
  s->failed = g_strdup(error->message);
}

static void
on_opened(RegardDocument *document, RegardSession *session, Scene *s)
{
  s->n_opened++;
}

static void
watch(Scene *s, RegardDocument *document)
{
  g_signal_connect(document, "session-lacks", G_CALLBACK(on_lacks), s);
  g_signal_connect(document, "read-failed", G_CALLBACK(on_failed), s);
  g_signal_connect(document, "session-opened", G_CALLBACK(on_opened), s);
}

static void
scene_init(Scene *s)
{
  *s = (Scene){.folder = app_test_folder()};
  s->path = g_build_filename(s->folder, "dogs.regard", NULL);
}

static void
scene_clear(Scene *s)
{
  app_test_remove(s->folder);
  g_free(s->folder);
  g_free(s->path);
  g_free(s->lacks[0]);
  g_free(s->lacks[1]);
  g_free(s->failed);
}

/* ---- Saving and opening -------------------------------------------------------------------- */

static void
on_saved(gpointer data, RegardRun *run)
{
  GError *error = NULL;
  char **message = data;
  regard_run_finish(run, &error);
  *message = g_strdup(error ? error->message : "");
  g_clear_error(&error);
}

static RegardViewState
look_at(RegardDocument *d)
{
  return (RegardViewState){.page = g_strdup("attention"),
                           .form = REGARD_FORM_LINES,
                           .lines_share = 0.55,
                           .colormap = regard_colormap_find("magma"),
                           .scale = REGARD_SCALE_LOG,
                           .zoom = 1.5,
                           .top = 0.25,
                           .row = 1,
                           .col = -1,
                           .step = -1,
                           .merge_words = TRUE,
                           .compare = (int) regard_document_get_compared(d)->side};
}

/* The error, "" for none. Caller frees. */
static char *
save(RegardDocument *d, const char *path)
{
  char *message = NULL;
  g_auto(RegardViewState) look = look_at(d);
  regard_document_save_session(d, path, &look, on_saved, &message);
  app_test_until(message != NULL);
  return message;
}

static void
save_well(RegardDocument *d, const char *path)
{
  g_autofree char *message = save(d, path);
  g_assert_cmpstr(message, ==, "");
}

/* Another document that opens it, settled. */
static RegardDocument *
open_other(Scene *s)
{
  RegardDocument *other = regard_document_new();
  watch(s, other);
  regard_document_open_model(other, "");
  document_test_settle_other(other);
  regard_document_open_session(other, s->path, NULL);
  document_test_settle_other(other);
  return other;
}

static void
assert_same(const mt_capture *a, const mt_capture *b)
{
  g_assert_true(a && b);
  for (mt_attention_kind k = 0; k < MT_N_KINDS; k++)
    for (gsize l = 0; l < mt_capture_n_layers(a, k); l++)
      for (gsize h = 0; h < mt_capture_n_heads(a, k); h++) {
        const mt_matrix x = mt_capture_weights(a, k, l, h), y = mt_capture_weights(b, k, l, h);
        g_assert_true(x.rows == y.rows && x.cols == y.cols);
        for (gsize i = 0; i < x.rows * x.cols; i++)
          if (fabs((double) x.data[i] - (double) y.data[i]) > 1e-6)
            g_error("%s %zu.%zu: %g and %g", regard_kind_ids[k], l + 1, h + 1, (double) x.data[i],
                    (double) y.data[i]);
      }
}

/* A text of two sentences, an own translation, a reference with another text, a difference that is
 * looked at. */
static void
test_round_trip(DocumentTest *t, gconstpointer data)
{
  RegardDocument *d = t->document;
  Scene s;
  scene_init(&s);
  regard_document_set_copy_unknown(d, TRUE);
  document_test_set_text(t, "It rains. I have two dogs.");
  regard_document_give_translation(d, "Es regnet.");
  document_test_settle(t);
  regard_document_step_sentence(d, 1);
  regard_document_set_place(d, (RegardHeadRef){MT_CROSS, 3, 5});
  document_test_settle(t);
  regard_document_keep_reference(d);
  regard_document_edit_interventions(d, "cross 4.1 zero", REGARD_INTERVENTION_TOGGLE, NULL);
  regard_document_edit_interventions(d, "source 2 hide", REGARD_INTERVENTION_TOGGLE, NULL);
  document_test_settle(t);
  regard_document_set_compare(d, REGARD_COMPARE_DIFFERENCE);
  app_test_until(!regard_document_is_busy(d) && regard_document_get_compared(d)->comparison);
  g_autofree char *json = document_test_describe(d);
  save_well(d, s.path);

  g_autoptr(RegardDocument) other = open_other(&s);
  app_test_until(!regard_document_is_busy(other) &&
                 regard_document_get_compared(other)->comparison);
  g_autofree char *again = document_test_describe(other);
  g_assert_cmpstr(again, ==, json);
  g_assert_cmpuint(s.n_opened, ==, 1);
  g_assert_cmpstr(s.lacks[0], ==, "");
  g_assert_true(regard_document_get_copy_unknown(other));
  assert_same(regard_document_get_result(other)->capture, regard_document_get_result(d)->capture);
  assert_same(regard_document_get_compared(other)->reference->result->capture,
              regard_document_get_compared(d)->reference->result->capture);
  g_assert_cmpint(regard_document_get_compared(other)->side, ==, REGARD_COMPARE_DIFFERENCE);
  const RegardComparison *a = regard_document_get_compared(d)->comparison;
  const RegardComparison *b = regard_document_get_compared(other)->comparison;
  assert_same(a->passes[1]->capture, b->passes[1]->capture);
  g_assert_true(regard_selection_get_capture(regard_document_get_selection(other)) ==
                b->difference);

  /* What is in the file, read without a document. */
  g_autoptr(RegardSession) session = regard_session_read(s.path, NULL);
  assert_same(session->captures[REGARD_SESSION_CAPTURE], regard_document_get_result(d)->capture);
  assert_same(session->captures[REGARD_SESSION_A], a->passes[0]->capture);
  assert_same(session->captures[REGARD_SESSION_B], a->passes[1]->capture);
  g_assert_null(session->captures[REGARD_SESSION_FILE]);
  g_autoptr(mt_capture) difference = regard_session_take_shown(session);
  g_assert_nonnull(mt_capture_difference_a(difference));
  g_assert_cmpstr(session->look.colormap->id, ==, "magma");
  g_assert_cmpint(session->look.scale, ==, REGARD_SCALE_LOG);
  g_assert_cmpfloat(session->look.zoom, ==, 1.5);
  g_assert_cmpint(session->look.form, ==, REGARD_FORM_LINES);
  g_assert_cmpfloat(session->look.lines_share, ==, 0.55);
  g_assert_cmpfloat(session->look.top, ==, 0.25);
  g_assert_true(session->look.row == 1 && session->look.col == -1 && session->look.step == -1);
  g_assert_true(session->look.merge_words && !session->look.hide_special);
  g_assert_cmpstr(session->program, ==, "regard " MT_VERSION);
  g_assert_null(session->state->model);
  scene_clear(&s);
}

/* Two sessions before the first model runs, and back: there is nothing yet that runs. */
static void
test_undo_at_start(DocumentTest *t, gconstpointer data)
{
  Scene s;
  scene_init(&s);
  g_autofree char *second = g_build_filename(s.folder, "rain.regard", NULL);
  g_autofree char *small = app_test_checkpoint("post-norm-relu");
  document_test_set_text(t, "I have two dogs.");
  save_well(t->document, s.path);
  regard_document_open_model(t->document, small);
  document_test_set_text(t, "It rains.");
  save_well(t->document, second);
  const char *const recent[] = {small, NULL};
  const char *const paths[] = {s.path, second, s.path};
  g_autoptr(RegardDocument) other = regard_document_new();
  watch(&s, other);
  for (guint i = 0; i < G_N_ELEMENTS(paths); i++) {
    const guint before = s.n_opened;
    regard_document_open_session(other, paths[i], recent);
    app_test_until(s.n_opened != before);
    g_assert_null(regard_document_get_model(other)); /* it is being opened */
  }
  g_assert_true(regard_document_can_undo(other));
  while (regard_document_can_undo(other))
    regard_document_undo(other);
  while (regard_document_can_redo(other))
    regard_document_redo(other);
  document_test_settle_other(other);
  g_assert_cmpstr(regard_document_get_text(other), ==, "I have two dogs.");
  g_assert_nonnull(regard_document_get_model(other));
  regard_document_undo(other);
  document_test_settle_other(other);
  g_assert_cmpstr(regard_document_get_text(other), ==, "It rains.");
  g_assert_cmpstr(regard_document_get_model_dir(other), ==, small);
  scene_clear(&s);
}

/* What was there before comes back. */
static void
test_undo(DocumentTest *t, gconstpointer data)
{
  Scene s;
  scene_init(&s);
  document_test_set_text(t, "I have two dogs.");
  g_autofree char *small = app_test_checkpoint("post-norm-relu");
  regard_document_open_model(t->document, small);
  document_test_settle(t);
  save_well(t->document, s.path);
  g_autoptr(RegardDocument) other = regard_document_new();
  regard_document_open_model(other, "");
  regard_document_set_text(other, "It rains.");
  document_test_settle_other(other);
  const char *const recent[] = {small, NULL};
  regard_document_open_session(other, s.path, recent);
  document_test_settle_other(other);
  g_assert_cmpstr(regard_document_get_text(other), ==, "I have two dogs.");
  g_assert_cmpstr(regard_document_get_model_dir(other), ==, small);
  regard_document_undo(other);
  document_test_settle_other(other);
  g_assert_cmpstr(regard_document_get_text(other), ==, "It rains.");
  g_assert_cmpstr(regard_document_get_model_dir(other), ==, "");
  regard_document_redo(other);
  document_test_settle_other(other);
  g_assert_cmpstr(regard_document_get_text(other), ==, "I have two dogs.");
  g_assert_cmpstr(regard_document_get_model_dir(other), ==, small);
  scene_clear(&s);
}

/* A capture from a file is shown again, above the text. */
static void
test_shown_file(DocumentTest *t, gconstpointer data)
{
  Scene s;
  scene_init(&s);
  g_autofree char *file = document_test_data_file("foreign-translation.npz");
  document_test_set_text(t, "I have two dogs.");
  regard_document_open_capture(t->document, file);
  document_test_settle(t);
  save_well(t->document, s.path);
  g_autoptr(RegardDocument) other = open_other(&s);
  assert_same(regard_document_get_imported_capture(other),
              regard_document_get_imported_capture(t->document));
  g_assert_cmpstr(mt_capture_file_name(regard_document_get_imported_capture(other)), ==,
                  "dogs.regard/file.npz");
  regard_document_close_capture(other);
  g_assert_cmpstr(regard_document_get_text(other), ==, "I have two dogs.");
  scene_clear(&s);
}

/* ---- What is missing ----------------------------------------------------------------------- */

/* The model is in a folder that goes away, and comes back. */
static void
test_model_missing(DocumentTest *t, gconstpointer data)
{
  Scene s;
  scene_init(&s);
  RegardDocument *d = t->document;
  g_autofree char *models = app_test_folder();
  g_autofree char *good = app_test_broken_model(models, "README.md", "# A copy\n");
  g_autofree char *away = g_strconcat(good, "-away", NULL);
  regard_document_open_model(d, good);
  document_test_set_text(t, "I have two dogs.");
  regard_document_edit_interventions(d, "cross 1.1 zero", REGARD_INTERVENTION_TOGGLE, NULL);
  document_test_settle(t);
  save_well(d, s.path);
  g_autoptr(mt_capture) saved = mt_capture_ref(regard_document_get_result(d)->capture);
  g_assert_cmpint(g_rename(good, away), ==, 0);

  g_autoptr(RegardDocument) other = open_other(&s);
  regard_document_close_capture(other);
  regard_document_set_text(other, "It rains.");
  document_test_settle_other(other);
  regard_document_open_session(other, s.path, NULL);
  document_test_settle_other(other);
  assert_same(regard_document_get_imported_capture(other), saved);
  g_assert_cmpstr(mt_interventions_text(
                      mt_capture_interventions(regard_document_get_imported_capture(other))),
                  ==, "cross 1.1 zero");
  g_assert_cmpstr(regard_document_get_text(other), ==, "It rains."); /* the person's own */
  g_autoptr(RegardSession) session = regard_session_read(s.path, NULL);
  const RegardModelFile *file = regard_model_identity_largest(session->model);
  g_assert_true(g_str_has_prefix(s.lacks[0], "dogs.regard: "));
  g_assert_true(g_str_has_suffix(s.lacks[0], " is not on this machine"));
  g_assert_nonnull(strstr(s.lacks[0], session->model->name));
  g_assert_nonnull(strstr(s.lacks[1], file->name));
  g_assert_nonnull(strstr(s.lacks[1], file->sha256));
  g_assert_nonnull(strstr(s.lacks[1], "regard/models"));

  /* Saved again it is what it was. */
  g_autofree char *copy = g_build_filename(s.folder, "copy.regard", NULL);
  save_well(other, copy);
  g_autoptr(RegardSession) passed = regard_session_read(copy, NULL);
  g_assert_cmpstr(passed->state->text, ==, "I have two dogs.");
  g_assert_cmpstr(regard_model_identity_largest(passed->model)->sha256, ==, file->sha256);

  /* A file that is no session does not change that. */
  g_autofree char *bad = g_build_filename(s.folder, "bad.regard", NULL);
  g_assert_true(g_file_set_contents(bad, "no archive", -1, NULL));
  regard_document_open_session(other, bad, NULL);
  document_test_settle_other(other);
  g_assert_nonnull(s.failed);
  g_assert_true(g_str_has_suffix(s.lacks[0], " is not on this machine"));

  /* When the model runs it goes on. */
  regard_document_open_model(other, away);
  document_test_settle_other(other);
  g_assert_null(regard_document_get_imported_capture(other));
  g_assert_cmpstr(regard_document_get_text(other), ==, "I have two dogs.");
  g_assert_cmpstr(s.lacks[0], ==, "");
  assert_same(regard_document_get_result(other)->capture, saved);
  app_test_remove(away);
  g_rmdir(models);
  scene_clear(&s);
}

/* One of the same name is named, and not taken. */
static void
test_other_of_that_name(DocumentTest *t, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *models = app_test_folder();
  g_autofree char *copy = app_test_broken_model(models, "README.md", "# A copy\n");
  g_autoptr(mt_model) model = app_test_open(copy);
  g_autoptr(RegardModelIdentity) identity = regard_model_identity_new(model, "A → B");
  g_assert_true(regard_model_identity_fits(identity, copy));
  const char *const first[] = {copy, NULL};
  char *other = NULL;
  g_autofree char *found = regard_model_identity_find(identity, first, NULL, &other);
  g_assert_cmpstr(found, ==, copy);
  g_assert_null(other);
  /* A byte of the weights is another: sizes agree, hashes do not. */
  RegardModelFile *file = (RegardModelFile *) regard_model_identity_largest(identity);
  file->sha256[0] = file->sha256[0] == 'a' ? 'b' : 'a';
  g_assert_false(regard_model_identity_fits(identity, copy));
  g_free(identity->name);
  identity->name = g_path_get_basename(copy);
  g_autofree char *none = regard_model_identity_find(identity, first, NULL, &other);
  g_assert_null(none);
  g_assert_cmpstr(other, ==, copy);
  g_free(other);
  app_test_remove(copy);
  g_rmdir(models);
}

/* The text is live, and the reference is left out. */
static void
test_reference_missing(DocumentTest *t, gconstpointer data)
{
  Scene s;
  scene_init(&s);
  g_autofree char *small = app_test_checkpoint("post-norm-relu");
  regard_document_open_model(t->document, small);
  document_test_set_text(t, "I have two dogs.");
  regard_document_keep_reference(t->document);
  regard_document_open_model(t->document, "");
  document_test_settle(t);
  save_well(t->document, s.path);
  g_autoptr(RegardDocument) other = open_other(&s);
  g_assert_null(regard_document_get_imported_capture(other));
  g_assert_cmpstr(regard_document_get_text(other), ==, "I have two dogs.");
  g_assert_null(regard_document_get_compared(other)->reference);
  g_assert_nonnull(strstr(s.lacks[0], "its reference is left out, since post-norm-relu"));
  g_assert_nonnull(strstr(s.lacks[1], "SHA-256"));
  /* With it, it is there, by its own model. */
  const char *const recent[] = {small, NULL};
  regard_document_open_session(other, s.path, recent);
  document_test_settle_other(other);
  const RegardSnapshot *reference = regard_document_get_compared(other)->reference;
  g_assert_cmpstr(reference->model, ==, small);
  assert_same(reference->result->capture,
              regard_document_get_compared(t->document)->reference->result->capture);
  g_assert_cmpstr(s.lacks[0], ==, "");
  scene_clear(&s);
}

/* ---- What is no session -------------------------------------------------------------------- */

static void
refuse(Scene *s, RegardDocument *d, const char *words)
{
  g_autofree char *before = document_test_describe(d);
  g_clear_pointer(&s->failed, g_free);
  regard_document_open_session(d, s->path, NULL);
  document_test_settle_other(d);
  g_autofree char *after = document_test_describe(d);
  g_assert_cmpstr(after, ==, before);
  if (!s->failed || !strstr(s->failed, words) || !strstr(s->failed, "dogs.regard"))
    g_error("expected \"%s\", found \"%s\"", words, s->failed);
}

static void
put(Scene *s, const char *json)
{
  const mt_archive_file file = {.name = "session.json", .data = json, .size = strlen(json)};
  mt_error error = {0};
  g_assert_true(mt_archive_write(s->path, &file, 1, &error));
}

/* The description, with one text in it replaced, whatever blanks json-c puts into it. Caller frees.
 */
static char *
replace(const char *json, const char *from, const char *to)
{
  g_auto(GStrv) words = g_strsplit_set(from, " \n", -1);
  g_autoptr(GString) pattern = g_string_new(NULL);
  for (guint i = 0; words[i]; i++) {
    g_autofree char *word = g_regex_escape_string(words[i], -1);
    g_string_append_printf(pattern, "%s%s", i ? "\\s*" : "", word);
  }
  g_autoptr(GRegex) regex = g_regex_new(pattern->str, 0, 0, NULL);
  g_auto(GStrv) parts = g_regex_split_full(regex, json, -1, 0, 0, 2, NULL);
  if (g_strv_length(parts) != 2)
    g_error("no %s in %s", from, json);
  return g_strjoinv(to, parts);
}

static char *
dup_description(const char *path)
{
  const mt_archive_rule rules[] = {{"session.json", 1 << 20}, {"capture.npz", 1 << 28}};
  g_autoptr(mt_archive) archive = mt_archive_read(path, "a session", rules, 2, 1 << 28, NULL);
  gsize n;
  const char *bytes = (const char *) mt_archive_get(archive, "session.json", &n);
  return g_strndup(bytes, n);
}

/* A session as other programs pack one, with an entry for a folder. */
static void
copy_with_folder(const char *json, const char *path)
{
  const char *const argv[] = {"python3",
                              "-c",
                              "import sys, zipfile\n"
                              "z = zipfile.ZipFile(sys.argv[1], 'w')\n"
                              "z.writestr('session.json', sys.argv[2])\n"
                              "z.writestr(zipfile.ZipInfo('dir/'), '')\n"
                              "z.close()",
                              path,
                              json,
                              NULL};
  int status = 0;
  g_assert_true(g_spawn_sync(NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
                             NULL, &status, NULL));
  g_assert_cmpint(status, ==, 0);
}

static void
test_refused(DocumentTest *t, gconstpointer data)
{
  static const struct {
    const char *from, *to, *words;
  } rows[] = {
      {"regard-session", "something-else", "“format”: expected \"regard-session\"."},
      {"\"version\": 1", "\"version\": 2", "expected version 1 of the format"},
      {"\"version\": 1", "\"version\": 2", "found 2, written by regard " MT_VERSION "."},
      {"\"version\": 1", "\"version\": -1", "“version”: expected a whole number from 1."},
      {"\"version\": 1", "\"version\": \"1\"", "“version”: expected a whole number from 1."},
      {"\"program\": \"", "\"programme\": \"", "“program”: expected the name of a program."},
      {"\"caret\": 4", "\"caret\": 400", "“caret”: expected a whole number from 0 to 16."},
      {"\"sha256\": \"", "\"sha256\": \"g", "“model”: expected a model's name, its title"},
      {"\"name\": \"config.json\"", "\"name\": \"../config.json\"", "“model”: expected"},
      {"\"name\": \"config.json\"", "\"name\": \"..\"", "“model”: expected"},
      {"\"name\": \"config.json\"", "\"name\": \"a\\u0000b\"", "“model”: expected"},
      {"\"name\": \"config.json\"", "\"name\": \"a\\nb\"", "“model”: expected"},
      {"\"archive\": false", "\"archive\": true", "“model”: expected"},
      {"\"archive\": false", "\"archive\": -1", "“model”: expected"},
      {"\"archive\": false", "\"archive\": null", "“model”: expected"},
      {"\"archive\": false", "\"archive_\": false", "“model”: expected"},
      {"\"title\": \"", "\"title\": 5, \"more\": \"", "“model”: expected"},
      {"\"caret\": 4", "\"caret\": 4, \"caret\": 3", "expected each key once in its object"},
      {"\"row\": 2", "\"row\": 2, \"r\\\"o:w\": [{\"a\": 1}, {\"a\": 1, \"a\": {\"b\": 1}}]",
       "expected each key once in its object"},
      {"\"colormap\": \"magma\"", "\"colormap\": \"no\"", "“colormap”: expected the name"},
      {"\"zoom\": 1.5", "\"zoom\": 0.5", "“zoom”: expected a number from 1 to 1000."},
      {"\"zoom\": 1.5", "\"zoom\": NaN", "“zoom”: expected a number from 1 to 1000."},
      {"\"compare\": \"off\"", "\"compare\": \"c\"", "expected one of off, a, b, difference."},
      {"\"row\": 2", "\"row\": 70000", "“row”: expected a whole number from 1, or null."},
      {"\"chosen\": [\n    ]", "\"chosen\": [[1]]", "“chosen”: expected pairs"},
      {"{", "[", "expected JSON, found: "},
      {"\"text\"", "\"test\"", "“text”: expected a string."},
      {"\"text\": \"I", "\"text\": \"\\u0000I", "“text”: expected UTF-8 without zero bytes."},
      {"\"caret\": 4", "\"caret\": -1", "“caret”: expected"},
      {"\"caret\": 4", "\"caret\": \"4\"", "“caret”: expected"},
      {"\"request\": {", "\"request\": [], \"r\": {", "“request”: expected an object."},
      {"\"search\"", "\"search\": [], \"s\"", "“search”: expected an object."},
      {"\"search\"", "\"search\": {\"beam_size\": 1.5}, \"s\"", "beam_size"},
      {"\"search\"", "\"search\": {\"changes\": [\"cross hid\"]}, \"s\"", "\"hid\""},
      {"\"search\"", "\"search\": {\"max_length\": 9999999999}, \"s\"", "max_length"},
      {"\"search\"", "\"search\": {\"length_penalty\": \"x\"}, \"s\"", "length_penalty"},
      {"\"search\"", "\"search\": {\"length_penalty\": 1e300}, \"s\"", "length_penalty"},
      {"\"search\"",
       "\"search\": {\"language\": \"a code that is longer than any code of a language can be\"}, "
       "\"s\"",
       "language"},
      {"\"search\"", "\"search\": {\"beams\": 3}, \"s\"", "beams"},
      {"\"precision\": \"stored\"", "\"precision\": \"f99\"", "“precision”: expected"},
      {"\"alternative\": 0", "\"alternative\": null", "“alternative”: expected"},
      {"\"copy_unknown\": false", "\"copy_unknown\": 1", "“copy_unknown”: expected true or false"},
      {"\"translations\": {", "\"translations\": [], \"t\": {", "“translations”: expected"},
      {"\"translations\": {", "\"translations\": {\"It rains.\": 3", "“translations”: expected"},
      {"\"kind\": \"", "\"kind\": \"de", "“kind”: expected"},
      {"\"layer\": 4", "\"layer\": 0", "“layer”: expected"},
      {"\"head\": 1", "\"head\": true", "“head”: expected"},
      {"\"text\"", "\"constraints\": [], \"text\"", "“constraints”: expected an object."},
      {"\"text\"", "\"constraints\": {\"a\": 3}, \"text\"", "constraints"},
      {"\"text\"", "\"constraints\": {\"a\": {\"prefix\": \"x\"}}, \"text\"", "prefix"},
      {"\"text\"", "\"constraints\": {\"a\": {\"prefix\": [-1]}}, \"text\"", "prefix"},
      {"\"text\"", "\"constraints\": {\"a\": {\"prefix\": [1.5]}}, \"text\"", "prefix"},
      {"\"text\"",
       "\"constraints\": {\"a\": {\"forbidden\": [{\"step\": 0, \"ids\": [3]}]}}, \"text\"",
       "step"},
      {"\"text\"", "\"constraints\": {\"a\": {\"forbidden\": [{\"ids\": []}]}}, \"text\"", "ids"},
      {"\"text\"", "\"constraints\": {\"a\": {\"suffix\": [1]}}, \"text\"", "suffix"},
      {"\"reference\": null", "\"reference\": 1", "“reference”: expected an object, or null."},
      {"\"reference\": null", "\"reference\": {}", "“reference”: “text”: expected a string."},
      {"\"reference\": null", "\"reference\": [[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]",
       "expected JSON, found: "},
  };
  RegardDocument *d = t->document;
  Scene s;
  scene_init(&s);
  watch(&s, d);
  document_test_set_text(t, "I have two dogs.");
  regard_document_set_caret(d, 4);
  document_test_settle(t);
  save_well(d, s.path);
  g_autofree char *json = dup_description(s.path);
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *changed = replace(json, rows[i].from, rows[i].to);
    put(&s, changed);
    refuse(&s, d, rows[i].words);
  }
  put(&s, "{");
  refuse(&s, d, "session.json: expected JSON, found:");
  g_autofree char *twice = g_strconcat(json, "{}", NULL);
  put(&s, twice);
  refuse(&s, d, "expected JSON, found:");
  /* A folder is not one of the five names. */
  copy_with_folder(json, s.path);
  refuse(&s, d, "found the folder \"dir/\" in it");
  put(&s, json); /* and this one is good, with more that has signs of JSON in it */
  g_autofree char *more =
      replace(json, "\"row\": 2",
              "\"row\": 2, \"r\\\"o:w\": [{\"a:b\": \"c\\\\\"}, {\"a:b\": \":\"}]");
  put(&s, more);
  regard_document_set_text(d, "It rains.");
  regard_document_open_session(d, s.path, NULL);
  document_test_settle(t);
  g_assert_cmpstr(regard_document_get_text(d), ==, "I have two dogs.");

  /* Older ones do not say whether words are copied: that stays as it is. */
  g_autofree char *older = replace(json, "\"copy_unknown\": false", "\"nothing\": 1");
  const char *const texts[] = {older, json};
  for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
    put(&s, texts[i]);
    regard_document_set_copy_unknown(d, TRUE);
    regard_document_open_session(d, s.path, NULL);
    document_test_settle(t);
    g_assert_cmpint(regard_document_get_copy_unknown(d), ==, i == 0);
  }
  scene_clear(&s);
}

/* Cut off, another archive, no archive, nothing. */
static void
test_other_files(DocumentTest *t, gconstpointer data)
{
  RegardDocument *d = t->document;
  Scene s;
  scene_init(&s);
  watch(&s, d);
  document_test_set_text(t, "I have two dogs.");
  save_well(d, s.path);
  g_autofree char *whole = NULL;
  gsize n;
  g_assert_true(g_file_get_contents(s.path, &whole, &n, NULL));
  g_assert_true(g_file_set_contents(s.path, whole, (gssize) n / 2, NULL));
  refuse(&s, d, "expected a zip archive, found another file, or one that is damaged or cut off.");
  whole[n / 2] ^= 1; /* somewhere in the capture, whose check sum says so */
  g_assert_true(g_file_set_contents(s.path, whole, (gssize) n, NULL));
  refuse(&s, d, "capture.npz");
  g_assert_true(g_file_set_contents(s.path, "no archive", -1, NULL));
  refuse(&s, d, "expected a zip archive");
  mt_error error = {0};
  const float one = 1;
  const mt_npz_array array = {.name = "attentions", .n_dims = 1, .shape = {1}, .f32 = &one};
  g_assert_true(mt_npz_write(s.path, &array, 1, &error));
  refuse(&s, d, "expected a session of Regard, found a zip archive without \"session.json\"");
  g_remove(s.path);
  refuse(&s, d, "dogs.regard");
  scene_clear(&s);
}

/* Where nothing can be written nothing changes. */
static void
test_unwritable(DocumentTest *t, gconstpointer data)
{
  Scene s;
  scene_init(&s);
  document_test_set_text(t, "I have two dogs.");
  g_autofree char *nowhere = g_build_filename(s.folder, "no", "such.regard", NULL);
  g_autofree char *message = save(t->document, nowhere);
  g_assert_nonnull(strstr(message, "such.regard: cannot be written"));

  /* On a full disk the earlier session is what it was, and nothing lies beside it. */
  save_well(t->document, s.path);
  g_autofree char *before = NULL, *after = NULL;
  gsize n_before, n_after;
  g_assert_true(g_file_get_contents(s.path, &before, &n_before, NULL));
  document_test_set_text(t, "I have two dogs. I have two dogs. It rains.");
  struct rlimit usual, little;
  g_assert_cmpint(getrlimit(RLIMIT_FSIZE, &usual), ==, 0);
  signal(SIGXFSZ, SIG_IGN); /* as the programs do */
  for (gsize most = 0; most < n_before; most += n_before / 3) {
    little = (struct rlimit){most, usual.rlim_max};
    g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &little), ==, 0);
    g_autofree char *full = save(t->document, s.path);
    g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &usual), ==, 0);
    g_assert_nonnull(strstr(full, "dogs.regard: cannot be written"));
    g_clear_pointer(&after, g_free);
    g_assert_true(g_file_get_contents(s.path, &after, &n_after, NULL));
    g_assert_cmpmem(after, n_after, before, n_before);
    g_autoptr(GDir) listing = g_dir_open(s.folder, 0, NULL);
    g_assert_cmpstr(g_dir_read_name(listing), ==, "dogs.regard");
    g_assert_null(g_dir_read_name(listing));
  }
  save_well(t->document, s.path);
  scene_clear(&s);
}

#define ADD(name, function) \
  g_test_add(name, DocumentTest, NULL, document_test_set_up, function, document_test_tear_down)

TESTS()
{
  ADD("/session/round-trip", test_round_trip);
  ADD("/session/undo", test_undo);
  ADD("/session/undo-at-start", test_undo_at_start);
  ADD("/session/shown-file", test_shown_file);
  ADD("/session/model-missing", test_model_missing);
  ADD("/session/other-of-that-name", test_other_of_that_name);
  ADD("/session/reference-missing", test_reference_missing);
  ADD("/session/refused", test_refused);
  ADD("/session/other-files", test_other_files);
  ADD("/session/unwritable", test_unwritable);
}
