/* test-window-log.c — the log of a session: what it says, that its commands do it again, and that
 * nothing that is typed breaks it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "export/regard-command.h"
#include "export/regard-exporter.h"
#include "export/regard-log.h"
#include "export/regard-sheet-file.h"
#include "runner/regard-analysis.h"
#include "suite.h"
#include "widgets/regard-head-ablation.h"
#include "widgets/regard-head-list.h"
#include "window-test.h"
#include "window/regard-composer.h"
#include "window/regard-log-dialog.h"
#include "window/regard-window-talk.h"

#include <adwaita.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Reading Markdown ------------------------------------------------------------------------ */

/* A fenced block, or a line outside of all. */
typedef struct {
  char *info; /* of a block; NULL: a line */
  char *text;
} Piece;

static void
piece_free(gpointer data)
{
  Piece *p = data;
  g_free(p->info);
  g_free(p->text);
  g_free(p);
}

/* As CommonMark has it: a fence ends with as many backticks as it began with, or more, and nothing
 * else on the line. */
static GPtrArray *
read_markdown(const char *text)
{
  GPtrArray *pieces = g_ptr_array_new_with_free_func(piece_free);
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  GString *block = NULL;
  gsize fence = 0;
  for (char **line = lines; *line; line++) {
    const gsize ticks = strspn(*line, "`");
    if (block && ticks >= fence && (*line)[ticks] == '\0') {
      ((Piece *) pieces->pdata[pieces->len - 1])->text = g_string_free(block, FALSE);
      block = NULL;
    } else if (block)
      g_string_append_printf(block, "%s%s", block->len ? "\n" : "", *line);
    else {
      Piece *p = g_new0(Piece, 1);
      fence = ticks;
      if (ticks >= 3) {
        g_assert_null(strchr(*line + ticks, '`'));
        p->info = g_strdup(*line + ticks);
        block = g_string_new(NULL);
      } else
        p->text = g_strdup(*line);
      g_ptr_array_add(pieces, p);
    }
  }
  g_assert_null(block);
  return pieces;
}

/* The log as it is saved. */
static char *
save_log(WindowTest *t, const char *folder)
{
  g_autofree char *path = g_build_filename(folder, "log.md", NULL);
  char *text = NULL;
  g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
  window_test_act(t, "win.write-log", "s", path);
  app_test_until(g_file_get_contents(path, &text, NULL, NULL));
  g_assert_true(g_utf8_validate(text, -1, NULL));
  g_assert_cmpint(g_unlink(path), ==, 0);
  return text;
}

/* ---- Doing it again -------------------------------------------------------------------------- */

/* As a person pastes it; what it prints. */
static char *
run_in_shell(const char *command)
{
  const char *argv[] = {"sh", "-e", "-c", command, NULL};
  g_autofree char *programs = g_path_get_dirname(g_getenv("REGARD_CLI"));
  g_autofree char *path = g_strconcat(programs, ":", g_getenv("PATH"), NULL);
  g_autofree char *err = NULL;
  g_auto(GStrv) env = g_environ_setenv(g_get_environ(), "PATH", path, TRUE);
  g_autoptr(GError) error = NULL;
  char *out = NULL;
  int status;
  g_assert_true(g_spawn_sync(NULL, (char **) argv, env, G_SPAWN_SEARCH_PATH, NULL, NULL, &out, &err,
                             &status, &error));
  g_assert_no_error(error);
  if (status != 0)
    g_error("%s\nended with %d: %s", command, status, err);
  return out;
}

typedef struct {
  GtkWindow *dialog; /* weak */
  gboolean is_done;
} Export;

static void
on_exported(Export *e)
{
  e->is_done = TRUE;
}

static gpointer
find_dialog(GType type)
{
  g_autoptr(GList) windows = gtk_window_list_toplevels();
  for (GList *w = windows; w; w = w->next)
    if (G_TYPE_CHECK_INSTANCE_TYPE(w->data, type) && gtk_widget_get_visible(w->data))
      return w->data;
  return NULL;
}

/* By the window's own dialog; key: the setting that has the format. */
static void
export_in(WindowTest *t, const char *key, const char *format, const char *choice,
          const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename(folder, name, NULL);
  g_autoptr(GFile) file = g_file_new_for_path(path);
  Export e = {0};
  g_settings_set_string(t->settings, key, format);
  window_test_act(t, "win.export-choice", "s", choice);
  RegardExportDialog *dialog = find_dialog(REGARD_TYPE_EXPORT_DIALOG);
  g_assert_nonnull(dialog);
  g_signal_connect_swapped(dialog, "exported", G_CALLBACK(on_exported), &e);
  e.dialog = GTK_WINDOW(dialog);
  g_object_add_weak_pointer(G_OBJECT(dialog), (gpointer *) &e.dialog);
  GObject *save =
      gtk_widget_get_template_child(GTK_WIDGET(dialog), REGARD_TYPE_EXPORT_DIALOG, "save");
  app_test_until(gtk_widget_get_sensitive(GTK_WIDGET(save)));
  regard_export_dialog_save(dialog, file);
  app_test_until(e.is_done && !e.dialog);
  g_assert_true(g_file_test(path, G_FILE_TEST_EXISTS));
}

static void
export_as(WindowTest *t, const char *choice, const char *folder, const char *name)
{
  export_in(t, "export-format", strrchr(name, '.') + 1, choice, folder, name);
}

static char *
read_bytes(const char *path, gsize *n)
{
  char *bytes = NULL;
  g_assert_true(g_file_get_contents(path, &bytes, n, NULL));
  return bytes;
}

/* Sentence by sentence, one behind the other. */
static void
assert_within(const char *translation, char *printed)
{
  g_auto(GStrv) lines = g_strsplit(g_strchomp(printed), "\n", -1);
  const char *rest = translation;
  for (char **line = lines; *line; line++) {
    rest = strstr(rest, *line);
    if (!rest)
      g_error("“%s” is not in “%s”", *line, translation);
    rest += strlen(*line);
  }
}

/* A command writes the file of its name, which is the newest that is written, byte for byte. */
static void
check_file(const char *command, const char *folder)
{
  const char *name = strrchr(command, '/') + 1;
  g_autofree char *rest = g_strndup(name, strcspn(name, "' "));
  g_autofree char *path = g_build_filename(folder, rest, NULL);
  gsize n, m;
  g_autofree char *before = read_bytes(path, &n);
  g_assert_cmpint(g_unlink(path), ==, 0);
  g_autofree char *out = run_in_shell(command);
  g_autofree char *after = read_bytes(path, &m);
  if (n != m || memcmp(before, after, n) != 0)
    g_error("%s\nwrites %zu bytes where there were %zu:\n%.2000s\n---\n%.2000s", command, m, n,
            before, after);
}

/* Every command of a log gives the translation that stands before it, or the bytes of the file that
 * it names. folder NULL: files are written over each other, and the commands only run. Returns how
 * many of both. */
static void
run_log(const char *text, const char *folder, guint *n_translations, guint *n_files)
{
  g_autoptr(GPtrArray) pieces = read_markdown(text);
  const char *translation = NULL;
  *n_translations = *n_files = 0;
  for (guint i = 0; i < pieces->len; i++) {
    const Piece *p = pieces->pdata[i];
    if (g_strcmp0(p->info, "text") == 0)
      translation = p->text;
    if (g_strcmp0(p->info, "sh") != 0)
      continue;
    const gboolean is_translation = strstr(p->text, "regard-cli translate") != NULL;
    const gboolean is_file =
        !is_translation && strstr(p->text, " -o ") && !strstr(p->text, "regard-cli capture");
    *n_translations += is_translation;
    *n_files += is_file;
    if (is_file && folder) {
      check_file(p->text, folder);
      continue;
    }
    g_autofree char *out = run_in_shell(p->text);
    if (is_translation)
      assert_within(translation, out);
  }
}

static gboolean
has_effects(gpointer selection)
{
  return regard_head_ablation_get(regard_selection_get_head_ablation(selection)) != NULL;
}

static gboolean
is_offered(WindowTest *t, const char *picture)
{
  guint n = 0;
  RegardView *view = regard_window_get_view(t->window);
  const RegardPicture *choices = view ? regard_view_get_export_choices(view, &n) : NULL;
  for (guint i = 0; i < n; i++)
    if (g_str_equal(choices[i].id, picture))
      return TRUE;
  return FALSE;
}

static gboolean
has_heads(gpointer t)
{
  return is_offered(t, "heads-table") && is_offered(t, "effects");
}

static gboolean
has_matrices(gpointer t)
{
  return is_offered(t, "heads-matrices");
}

/* A session: text, settings, changes, a prefix, exports of many sorts, effects; and all of it once
 * more by the commands. */
static void
test_again(WindowTest *t, gconstpointer data)
{
  g_autofree char *scratch = app_test_folder();
  /* As people name folders. */
  g_autofree char *folder = g_build_filename(scratch, "it's \"mine\" $HOME 🙂", NULL);
  g_autoptr(GError) error = NULL;
  RegardSelection *s = t->selection;
  guint n_translations, n_files;
  g_assert_cmpint(g_mkdir(folder, 0700), ==, 0);
  window_test_translate(t, "I have two dogs. It's \"raining\"; $HOME isn't `here`.");
  regard_selection_set_place(s, MT_CROSS, 3, 0);
  export_as(t, "head", folder, "head.csv");
  export_as(t, "head", folder, "head.svg");
  export_as(t, "layer", folder, "layer.png");
  export_as(t, "all", folder, "all.npz");
  regard_selection_toggle_chosen(s, MT_CROSS, 4, 4);
  regard_selection_toggle_chosen(s, MT_CROSS, 1, 2);
  regard_selection_set_combine(s, REGARD_COMBINE_CHOSEN);
  export_as(t, "chosen", folder, "chosen.csv");
  export_as(t, "head", folder, "mean-of-chosen.csv"); /* which no command makes */
  regard_selection_set_combine(s, REGARD_COMBINE_MAX);
  regard_selection_set_merge_words(s, TRUE);
  regard_selection_set_scale(s, REGARD_SCALE_SQRT);
  g_settings_set_double(t->settings, "export-width", 77);
  g_settings_set_boolean(t->settings, "export-title", FALSE);
  export_as(t, "head", folder, "max.svg");
  export_as(t, "head", folder, "max.json");

  g_assert_true(regard_document_set_interventions_text(t->document,
                                                       "cross 4.1 zero\nencoder 2.3 uniform",
                                                       &error));
  window_test_settle(t);
  export_as(t, "kind", folder, "kind.csv");
  mt_request search = mt_request_copy(regard_document_get_search(t->document));
  gsize row;
  g_assert_true(mt_search_find_field("beam_size", &row));
  g_assert_true(mt_request_set(&search, row, 2, NULL));
  g_assert_true(mt_search_find_field("length_penalty", &row));
  g_assert_true(mt_request_set(&search, row, 0.3, NULL));
  regard_document_set_search(t->document, &search);
  mt_request_clear(&search);
  window_test_settle(t);
  export_as(t, "head", folder, "changed.csv");
  g_autofree char *capture = g_build_filename(folder, "all of it.npz", NULL);
  window_test_act(t, "win.save-capture", "s", capture);
  app_test_until(g_file_test(capture, G_FILE_TEST_EXISTS));

  /* A beginning of one's own, and undo, which appears as what it does. */
  g_autoptr(mt_tokens) words =
      mt_constraints_cut(regard_document_get_model(t->document), "Wir", NULL);
  g_autofree int32_t *ids = g_new0(int32_t, mt_tokens_count(words));
  mt_tokens_copy_ids(words, mt_tokens_count(words), ids);
  g_autoptr(mt_constraints) constraints =
      mt_constraints_new(ids, mt_tokens_count(words), NULL, 0, NULL);
  regard_document_constrain(t->document, constraints);
  window_test_settle(t);
  export_as(t, "head", folder, "forced.csv");
  regard_document_undo(t->document);
  window_test_settle(t);
  regard_document_undo(t->document);
  window_test_settle(t);
  g_autofree char *undone = save_log(t, scratch);
  g_assert_nonnull(strstr(undone, "The search is free again."));
  window_test_act(t, "win.effects", NULL);
  app_test_wait(has_effects, s);
  window_test_act(t, "win.show-view", "s", "heads");
  app_test_wait(has_heads, t);
  export_as(t, "effects", folder, "effects.csv");
  GtkWidget *list = window_test_find(regard_window_get_view(t->window), REGARD_TYPE_HEAD_LIST);
  gtk_editable_set_text(GTK_EDITABLE(regard_head_list_get_entry(REGARD_HEAD_LIST(list))), "*.3");
  app_test_wait(has_matrices, t);
  export_as(t, "heads-matrices", folder, "filtered.csv");

  g_autofree char *text = save_log(t, scratch);
  /* One entry, or, where a machine is slow, two. */
  g_assert_true(strstr(text, "· Model, text\n") || strstr(text, "· Text\n"));
  g_assert_nonnull(strstr(text, "· Changes in the model\n"));
  g_assert_nonnull(strstr(text, "```\ncross 4.1 zero\nencoder 2.3 uniform\n```"));
  g_assert_nonnull(strstr(text, "Search: `beam 2, length-penalty 0.3`."));
  g_assert_nonnull(strstr(text, "begin with `Wir`"));
  g_assert_nonnull(strstr(text, "· Data exported\n"));
  g_assert_nonnull(strstr(text, "· Picture exported\n"));
  g_assert_nonnull(strstr(text, "· Capture saved\n"));
  g_assert_nonnull(strstr(text, "· Effects of heads\n"));
  g_assert_nonnull(strstr(text, "each of chosen heads, not their mean"));
  run_log(text, folder, &n_translations, &n_files);
  g_assert_cmpuint(n_translations, >=, 4);
  g_assert_cmpuint(n_files, ==, 12);
  app_test_remove(folder);
  app_test_remove(scratch);
}

static void
show_page(WindowTest *t, const char *page)
{
  guint n = 0;
  window_test_act(t, "win.show-view", "s", page);
  window_test_settle(t);
  app_test_until((regard_view_get_export_choices(regard_window_get_view(t->window), &n), n > 0));
}

/* The newest command of a log that begins so. Caller frees. */
static char *
find_command(const char *log, const char *begin)
{
  g_autoptr(GPtrArray) pieces = read_markdown(log);
  for (guint i = pieces->len; i-- > 0;) {
    const Piece *p = pieces->pdata[i];
    if (g_strcmp0(p->info, "sh") == 0 && g_str_has_prefix(p->text, begin))
      return g_strdup(p->text);
  }
  g_error("no command begins with “%s” in\n%s", begin, log);
}

/* Nobody takes what it found. */
static void
on_run(gpointer n_left, RegardRun *run)
{
  --*(guint *) n_left;
}

/* What pages ask for is logged, whoever asks; and its command measures the same. */
static void
test_measured(WindowTest *t, gconstpointer data)
{
  g_autofree char *folder = app_test_folder();
  const gboolean with_thresholds = FALSE;
  RegardAttributionParams one = {mt_attribution_params_default(), NULL};
  mt_attribution_params all = mt_attribution_params_default();
  guint n_left = 4, n_translations, n_files;
  g_autofree char *file = g_build_filename(folder, "two.en", NULL),
                  *references = g_build_filename(folder, "two.de", NULL);
  g_assert_true(g_file_set_contents(file, "I have two dogs.\nWe see it.\n", -1, NULL));
  g_assert_true(g_file_set_contents(references, "Ich habe zwei Hunde.\nWir sehen.\n", -1, NULL));
  window_test_translate(t, "I have two dogs.");
  RegardPass *pass = regard_selection_get_pass(t->selection);
  one.params.method = mt_attribution_find("norms");
  one.params.layer = 4;
  one.params.head = 2;
  all.token = 2;
  all.n_steps = 3;
  regard_runner_start(&regard_analysis_trust, pass, &with_thresholds, on_run, &n_left);
  regard_runner_start(&regard_analysis_attribution, pass, &one, on_run, &n_left);
  regard_runner_start(&regard_analysis_methods, pass, &all, on_run, &n_left);
  const RegardQualityParams quality = {
      .func = regard_selection_get_quality_func(t->selection),
      .model = mt_model_ref(regard_document_get_model(t->document)),
      .file = g_strdup(file),
      .references = g_strdup(references),
  };
  regard_runner_start(&regard_analysis_quality, pass, &quality, on_run, &n_left);
  app_test_until(n_left == 0);
  g_autofree char *log = save_log(t, folder), *trust = find_command(log, "regard-cli trust");
  g_assert_nonnull(strstr(log, "· From the source, or invented\n"));
  g_assert_nonnull(strstr(log, "· What words hang on\n"));
  g_assert_nonnull(strstr(log, "· Quality by length\n"));
  /* BLEU as the command prints it. */
  g_autofree char *scores = find_command(log, "regard-cli quality"),
                  *printed = run_in_shell(scores);
  char bleu[16];
  g_assert_cmpint(sscanf(strstr(log, "\nBLEU "), "\nBLEU %15[0-9.]", bleu), ==, 1);
  if (!strstr(printed, bleu))
    g_error("no BLEU of %s is in %s", bleu, printed);
  g_assert_nonnull(strstr(log, "--method norms --layer 5 --head 3"));
  g_assert_nonnull(strstr(log, "Of token 3 of the translation."));
  g_assert_nonnull(strstr(log, "--method all --token 3 --steps 3"));
  /* The share of all words is that of the command. */
  const char *text = g_strrstr(trust, " 'I have");
  g_autofree char *asked = g_strdup_printf("%.*s --json%s", (int) (text - trust), trust, text);
  g_autofree char *out = run_in_shell(asked);
  double said, mean;
  g_assert_cmpint(sscanf(strstr(log, "Share of words from the source: mean "),
                         "Share of words from the source: mean %lf", &said),
                  ==, 1);
  g_assert_cmpint(sscanf(strstr(out, "\"mean_share\":"), "\"mean_share\":%lf", &mean), ==, 1);
  g_assert_cmpfloat_with_epsilon(said, mean, 1e-4);
  run_log(log, NULL, &n_translations, &n_files);
  g_assert_cmpuint(n_translations, ==, 1);
  app_test_remove(folder);
}

/* What moves is written by the commands once more, with the choices of the page and the dialog. */
static void
test_animations(WindowTest *t, gconstpointer data)
{
  g_autofree char *folder = app_test_folder(), *scratch = app_test_folder();
  guint n_translations, n_files;
  window_test_translate(t, "I have two dogs.");
  g_assert_true(regard_document_set_interventions_text(t->document, "cross 4.1 zero", NULL));
  window_test_settle(t);
  regard_selection_set_place(t->selection, MT_CROSS, 1, 2);
  show_page(t, "steps");
  export_in(t, "export-animation", "gif", "steps", folder, "steps.gif");
  g_settings_set_double(t->settings, "export-animation-dpi", 72);
  g_settings_set_double(t->settings, "export-width", 120);
  g_settings_set_boolean(t->settings, "export-title", FALSE);
  export_in(t, "export-animation", "apng", "beam", folder, "beam.png");
  show_page(t, "inside");
  export_in(t, "export-animation", "gif", "inside-steps", folder, "inside.gif");
  g_autofree char *log = save_log(t, scratch);
  g_assert_nonnull(strstr(log, "· Animation exported\n"));
  g_assert_nonnull(strstr(log, "\n8 frames.\n"));
  run_log(log, folder, &n_translations, &n_files);
  g_assert_cmpuint(n_files, ==, 3);
  app_test_remove(folder);
  app_test_remove(scratch);
}

static gboolean
is_compared(gpointer document)
{
  return regard_document_get_compared(document)->comparison != NULL;
}

/* The numbers of A and B are those of the command. */
static void
check_compared(const char *log)
{
  g_autofree char *command = find_command(log, "regard-cli compare"), *out = run_in_shell(command);
  const char *said = g_strrstr(log, "log p of the translation of the reference: "),
             *printed = strstr(out, "log p of A's words: ");
  double a, b, of_a, of_b;
  g_assert_cmpint(sscanf(said, "log p of the translation of the reference: %lf in A, %lf", &a, &b),
                  ==, 2);
  g_assert_cmpint(sscanf(printed, "log p of A's words: %lf nats in A, %lf", &of_a, &of_b), ==, 2);
  g_assert_cmpfloat_with_epsilon(a, of_a, 2e-4);
  g_assert_cmpfloat_with_epsilon(b, of_b, 2e-4);
  g_assert_cmpfloat(fabs(a - b), >, 1e-3);
}

/* B − A, against the same without changes and against what was kept. */
static void
test_compared(WindowTest *t, gconstpointer data)
{
  g_autofree char *folder = app_test_folder();
  window_test_translate(t, "I have two dogs.");
  g_assert_true(regard_document_set_interventions_text(t->document, "cross 5 uniform", NULL));
  window_test_settle(t);
  regard_document_set_compare(t->document, REGARD_COMPARE_DIFFERENCE);
  app_test_wait(is_compared, t->document);
  g_autofree char *bare = save_log(t, folder);
  g_assert_nonnull(strstr(bare, "· A and B compared\n"));
  g_assert_null(strstr(bare, "· Kept as reference"));
  check_compared(bare);
  const RegardComparison *both = regard_document_get_compared(t->document)->comparison;
  RegardPass *b = regard_pass_ref(both->passes[1]);
  guint n_left = 1;
  regard_runner_start(&regard_analysis_patching, both->passes[0], &b, on_run, &n_left);
  app_test_until(n_left == 0);
  g_autofree char *patched = save_log(t, folder),
                  *patch = find_command(patched, "regard-cli patch");
  g_assert_nonnull(strstr(patched, "· Where it is decided\n\nlog p in the reference run "));
  g_autofree char *shown = run_in_shell(patch);
  g_assert_nonnull(strstr(patch, "--change 'cross 5 uniform'"));
  window_test_act(t, "win.keep-reference", NULL);
  g_assert_true(
      regard_document_set_interventions_text(t->document, "cross 4.1 zero\ncross 6 uniform", NULL));
  window_test_settle(t);
  regard_document_set_compare(t->document, REGARD_COMPARE_B);
  app_test_wait(is_compared, t->document);
  g_autofree char *kept = save_log(t, folder);
  g_assert_nonnull(strstr(kept, "· Kept as reference, A\n\n```text\nI have two dogs.\n```"));
  g_assert_nonnull(strstr(kept, "--reference 'cross 5 uniform"));
  check_compared(kept);
  window_test_act(t, "win.drop-reference", NULL);
  g_autofree char *dropped = save_log(t, folder);
  g_assert_nonnull(strstr(dropped, "· Reference dropped\n"));
  app_test_remove(folder);
}

/* A panel is made again by its command, and the sheet drawn by its own. */
static void
test_figure(WindowTest *t, gconstpointer data)
{
  g_autofree char *folder = app_test_folder(), *here = g_get_current_dir(),
                  *sheet = g_build_filename(folder, "two.regard-figure", NULL),
                  *svg = g_build_filename(folder, "two.svg", NULL),
                  *again = g_build_filename(folder, "panel-a.regard-figure", NULL);
  RegardComposer *composer = regard_composer_get(GTK_APPLICATION(t->application), t->settings);
  g_autoptr(GError) error = NULL;
  gtk_widget_activate_action(GTK_WIDGET(composer), "figure.clear", NULL);
  window_test_translate(t, "I have two dogs.");
  regard_selection_set_place(t->selection, MT_CROSS, 3, 0);
  window_test_act(t, "win.add-to-figure", NULL);
  show_page(t, "positions");
  window_test_act(t, "win.add-to-figure", NULL);
  regard_composer_export(composer, svg);
  app_test_until(!regard_composer_is_busy(composer));
  g_autofree char *before = save_log(t, folder);
  g_assert_nonnull(strstr(before, "· Added to the figure\n\nIt is panel A.\n"));
  g_assert_nonnull(strstr(before, "It is panel B.\n"));
  g_assert_nonnull(strstr(before, "the figure has no file, or was changed since it was saved"));
  regard_composer_save(composer, sheet);
  app_test_until(!regard_composer_is_busy(composer));
  regard_composer_export(composer, svg);
  app_test_until(!regard_composer_is_busy(composer));
  g_autofree char *log = save_log(t, folder);
  g_assert_nonnull(strstr(log, "· Figure saved\n"));
  g_autofree char *draw = find_command(log, "regard-cli figure"),
                  *make = find_command(log, "regard-cli attend");
  check_file(draw, folder);
  g_assert_cmpint(g_chdir(folder), ==, 0);
  g_autofree char *out = run_in_shell(make);
  g_assert_cmpint(g_chdir(here), ==, 0);
  g_autoptr(RegardSheet) made = regard_sheet_read(again, &error);
  g_assert_no_error(error);
  const RegardPanel *a = regard_sheet_find(regard_composer_get_sheet(composer), 'A'),
                    *b = regard_sheet_find(made, 'A');
  g_assert_cmpstr(regard_panel_text(a), ==, regard_panel_text(b));
  g_assert_cmpint(a->look.spec.kind, ==, b->look.spec.kind);
  const mt_matrix x = mt_capture_weights(a->look.capture, MT_CROSS, 3, 0),
                  y = mt_capture_weights(b->look.capture, MT_CROSS, b->look.spec.layer,
                                         b->look.spec.head);
  for (gsize r = 0; r < x.rows; r++)
    g_assert_cmpmem(x.data + r * x.stride, x.cols * sizeof(float), y.data + r * y.stride,
                    y.cols * sizeof(float));
  gtk_window_destroy(GTK_WINDOW(composer));
  app_test_remove(folder);
}

/* Recorded, saved, printed and given. */
static void
test_talk(WindowTest *t, gconstpointer data)
{
  g_autofree char *folder = app_test_folder(),
                  *path = g_build_filename(folder, "one.regard-talk", NULL),
                  *pdf = g_build_filename(folder, "one.pdf", NULL);
  const WindowTalk *talk = t->window->talk;
  g_setenv("SOURCE_DATE_EPOCH", "1764201600", TRUE); /* else a PDF says when it was made */
  window_test_translate(t, "I have two dogs.");
  window_test_act(t, "win.record-slide", NULL);
  app_test_until(regard_talk_n_slides(talk->talk) == 1);
  window_test_act(t, "win.write-handout", "s", pdf);
  app_test_until(!regard_work_is_busy(talk->printing));
  window_test_act(t, "win.write-talk", "s", path);
  app_test_until(g_file_test(path, G_FILE_TEST_EXISTS) && !talk->is_named);
  window_test_act(t, "win.write-handout", "s", pdf);
  app_test_until(!regard_work_is_busy(talk->printing));
  window_test_act(t, "win.give-talk", NULL);
  window_test_settle(t);
  regard_window_end_talk(t->window);
  window_test_settle(t);
  window_test_act(t, "win.read-talk", "s", path);
  app_test_until(!regard_work_is_busy(talk->reading));
  g_autofree char *log = save_log(t, folder);
  static const char *const entries[] = {"· Slide recorded\n\n`1 · cross 4.1 · I have two "
                                        "dogs.`\n\nNo command does this again: slides",
                                        "· Handout saved\n",
                                        "No command does this again: the talk has no file.",
                                        "· Talk saved\n",
                                        "· Talk given\n",
                                        "`one · 1 slide, from slide 1`",
                                        "· Talk ended\n",
                                        "· Talk opened\n"};
  const char *rest = log;
  for (gsize i = 0; i < G_N_ELEMENTS(entries); i++) {
    rest = strstr(rest, entries[i]);
    if (!rest)
      g_error("“%s” is not in, or stands before\n%s", entries[i], log);
  }
  g_autofree char *command = find_command(log, "regard-cli talk"),
                  *open = find_command(log, "regard "), *word = regard_command_quote_path(path);
  g_assert_true(g_str_has_suffix(open, word));
  gsize n, m;
  g_autofree char *bytes = read_bytes(pdf, &n);
  g_assert_cmpint(g_unlink(pdf), ==, 0);
  g_autofree char *out = run_in_shell(command), *same = read_bytes(pdf, &m);
  g_assert_cmpmem(bytes, n, same, m);
  app_test_remove(folder);
}

/* ---- What is typed --------------------------------------------------------------------------- */

/* One entry for a text that was typed key by key; and none for what was in between. */
static void
test_typed(WindowTest *t, gconstpointer data)
{
  static const char typed[] = "I have two dogs.";
  g_autofree char *folder = app_test_folder();
  g_autofree char *empty = save_log(t, folder);
  g_assert_null(strstr(empty, "```text"));
  for (gsize n = 1; n <= strlen(typed); n++) {
    g_autofree char *text = g_strndup(typed, n);
    regard_document_edit(t->document, text, n);
    app_test_run_for(5);
  }
  window_test_settle(t);
  g_autofree char *log = save_log(t, folder);
  g_assert_nonnull(strstr(log, "```text\nI have two dogs.\n```\n\nTranslation:\n\n```text\n"
                               "Ich habe zwei Hunde.\n```\n\nScore "));
  g_assert_null(strstr(log, "```text\nI have\n"));
  /* Another word, and what became of it; once, however often it is saved. */
  g_assert_true(regard_document_set_interventions_text(t->document, "decoder input 3 zero", NULL) ||
                regard_document_set_interventions_text(t->document, "cross 4 zero", NULL));
  window_test_settle(t);
  g_autofree char *changed = save_log(t, folder), *again = save_log(t, folder);
  g_assert_cmpstr(changed, ==, again);
  g_assert_true(strstr(changed, "Words that ") || strstr(changed, "The translation stayed"));
  app_test_remove(folder);
}

/* Nothing in a text is Markdown, or a command. */
static void
test_hostile(WindowTest *t, gconstpointer data)
{
  static const char *const texts[] = {
      "```\n# Not a heading\n```sh\ntouch pwned\n```\n````\n- no list",
      "$(touch pwned) `touch pwned` 'touch' \"pwned\" \\ ; touch pwned & | < > * ? [a] ~ ! # %s",
      "-o pwned",
      "--help",
      "a\x1b[31mb\x01 c\\d'e",
      "<script>&amp;</script> \t[x](y) **z** 🙂 \u202e"};
  g_autofree char *folder = app_test_folder(), *here = g_get_current_dir();
  guint n_translations, n_files;
  g_assert_cmpint(g_chdir(folder), ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
    window_test_translate(t, texts[i]);
    export_as(t, "head", folder, "head.csv");
    g_autofree char *log = save_log(t, folder);
    g_autoptr(GPtrArray) pieces = read_markdown(log);
    for (guint k = 0; k < pieces->len; k++) {
      const Piece *p = pieces->pdata[k];
      if (!p->info && *p->text == '#')
        g_assert_true(g_str_has_prefix(p->text, "# Log of a session") ||
                      (g_str_has_prefix(p->text, "## ") && strstr(p->text, " · ")));
      g_assert_null(p->info ? NULL : strstr(p->text, "pwned"));
    }
  }
  /* All that was typed is done again; each sentence of the last text but those before it is there
   * once. Of files the last one stands. */
  g_autofree char *log = save_log(t, folder);
  const char *last = g_strrstr(log, "## ");
  g_assert_nonnull(last);
  run_log(log, NULL, &n_translations, &n_files);
  g_assert_cmpuint(n_translations, ==, G_N_ELEMENTS(texts));
  g_assert_cmpuint(n_files, ==, G_N_ELEMENTS(texts));
  g_assert_false(g_file_test("pwned", G_FILE_TEST_EXISTS));
  g_assert_cmpint(g_chdir(here), ==, 0);
  app_test_remove(folder);
}

/* What a shell makes of a word is the word. */
static void
test_quote(void)
{
  static const char *const texts[] = {"plain",         "",   "a b", "it's",  "'",         "''",
                                      "a\nb",          "\t", "\\n", "$HOME", "a\x1b'\\0", "\x7f",
                                      "ä🙂 \u2028", "-n", "~/x", "%s"};
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
    g_autofree char *word = regard_command_quote(texts[i]);
    g_autofree char *command = g_strconcat("printf '[%s]' ", word, NULL);
    g_autofree char *out = run_in_shell(command), *wanted = g_strconcat("[", texts[i], "]", NULL);
    g_assert_cmpstr(out, ==, wanted);
  }
  g_autofree char *path = g_build_filename(g_get_home_dir(), "my figures", "a.csv", NULL);
  g_autofree char *word = regard_command_quote_path(path);
  g_assert_cmpstr(word, ==, "~/'my figures/a.csv'");
  g_autofree char *command = g_strconcat("HOME=/nowhere; printf %s ", word, NULL);
  g_autofree char *out = run_in_shell(command);
  g_assert_cmpstr(out, ==, "/nowhere/my figures/a.csv");
  g_autofree char *dash = regard_command_quote_path("-x.csv");
  g_assert_cmpstr(dash, ==, "./-x.csv");
}

/* ---- Its size, and the dialog ---------------------------------------------------------------- */

static void
test_bounds(WindowTest *t, gconstpointer data)
{
  g_autoptr(RegardLog) log = regard_log_new(t->document);
  for (guint i = 0; i < REGARD_LOG_MOST_ENTRIES + 7; i++) {
    g_autofree char *path = g_strdup_printf("/somewhere/%u.regard", i);
    regard_log_add_file(log, REGARD_LOG_SESSION_OPENED, path);
  }
  g_assert_cmpuint(regard_log_count(log), ==, REGARD_LOG_MOST_ENTRIES);
  g_autofree char *text = regard_log_dup_markdown(log);
  g_assert_nonnull(strstr(text, " entries were dropped."));
  g_assert_null(strstr(text, "/somewhere/6.regard"));
  g_assert_nonnull(strstr(text, "/somewhere/1006.regard"));

  /* A very long path is long nine times, and then there is room for fewer. */
  g_autofree char *name = g_strnfill(REGARD_LOG_MOST_BYTES / 8, 'x');
  for (guint i = 0; i < 20; i++)
    regard_log_add_file(log, REGARD_LOG_SESSION_OPENED, name);
  g_assert_cmpuint(regard_log_count(log), <, 8);
}

/* It is read in a window of its own, which follows, and copied. */
static void
test_dialog(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, "I have two dogs.");
  window_test_act(t, "win.show-log", NULL);
  RegardLogDialog *dialog = find_dialog(REGARD_TYPE_LOG_DIALOG);
  g_assert_nonnull(dialog);
  GtkTextView *view = window_test_find(dialog, GTK_TYPE_TEXT_VIEW);
  GtkTextBuffer *buffer = gtk_text_view_get_buffer(view);
  g_autofree char *name = window_test_name(view);
  g_assert_nonnull(strstr(name, "What was done"));
  g_assert_false(gtk_text_view_get_editable(view));
  g_autofree char *before = NULL, *after = NULL;
  g_object_get(buffer, "text", &before, NULL);
  g_assert_nonnull(strstr(before, "Ich habe zwei Hunde."));
  g_assert_true(regard_document_set_interventions_text(t->document, "cross 4.1 zero", NULL));
  window_test_settle(t);
  app_test_until((g_free(after), after = NULL, g_object_get(buffer, "text", &after, NULL),
                  strstr(after, "cross 4.1 zero") != NULL));
  gtk_window_destroy(GTK_WINDOW(dialog));
}

TESTS(.begin = window_test_begin)
{
  g_test_add_func("/window-log/quote", test_quote);
  WINDOW_TEST("/window-log/typed", test_typed);
  WINDOW_TEST("/window-log/again", test_again);
  WINDOW_TEST("/window-log/measured", test_measured);
  WINDOW_TEST("/window-log/animations", test_animations);
  WINDOW_TEST("/window-log/compared", test_compared);
  WINDOW_TEST("/window-log/figure", test_figure);
  WINDOW_TEST("/window-log/talk", test_talk);
  WINDOW_TEST("/window-log/hostile", test_hostile);
  WINDOW_TEST("/window-log/bounds", test_bounds);
  WINDOW_TEST("/window-log/dialog", test_dialog);
}
