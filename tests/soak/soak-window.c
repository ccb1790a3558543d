/* soak-window.c — somebody who types without end, changes models and settings, gives up, and saves
 * pictures: the real window with its worker, loader and writers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An edit is a change of the text. Around it other things happen at random; every few edits the
 * window comes to rest, and what it shows must then belong to the text. Most of the time a small
 * model runs, so that the many edits are about the worker and not about the arithmetic.
 */
#include "soak.h"
#include "window-test.h"

#include "base/regard-error.h"
#include "document/regard-sentences.h"
#include "document/regard-translator.h"
#include "export/regard-export-job.h"
#include "views/regard-view.h"
#include "widgets/regard-head-ablation.h"
#include "widgets/regard-live-attribution.h"
#include "widgets/regard-source-contribution.h"
#include <glib/gstdio.h>
#include <string.h>

/* Longest text in characters. */
#define MOST_CHARS 300
#define MOST_PAGES 16

static Soak soak;

typedef struct {
  WindowTest t;
  GRand *rand;
  char *folder;          /* exports go here */
  char *broken[3];       /* models that cannot be opened */
  GtkTextBuffer *buffer; /* of the source */
  guint n_writing;       /* exports under way */
  /* how often */
  guint n_rests, n_settings, n_cancels, n_swaps, n_broken, n_exports, n_captures, n_saved;
  guint n_left[MOST_PAGES]; /* of each page, while it computed */
} Person;

static gint32
any(Person *p, gint32 n)
{
  return g_rand_int_range(p->rand, 0, n);
}

static gboolean
once_in(Person *p, gint32 n)
{
  return any(p, n) == 0;
}

/* ---- Rest ----------------------------------------------------------------------------------- */

static gboolean
on_late(gpointer data)
{
  g_error("the window did not come to rest within 10 minutes");
  return G_SOURCE_REMOVE;
}

static void
wait_for_window(Person *p)
{
  guint late = g_timeout_add_seconds(600, on_late, NULL);
  while (regard_document_is_busy(p->t.document))
    g_main_context_iteration(NULL, TRUE);
  g_source_remove(late);
}

/* What is shown belongs to what was typed. */
static void
check(Person *p)
{
  g_autofree char *text = window_test_source(&p->t);
  RegardResult *result = regard_document_get_result(p->t.document);
  g_assert_nonnull(regard_document_get_model(p->t.document));
  g_autoptr(GArray) sentences = regard_sentences_split(text, MT_UNIT_SENTENCE);
  if (sentences->len == 0) {
    g_assert_null(result);
    return;
  }
  g_assert_nonnull(result);
  g_assert_cmpstr(result->text, ==, text);
  g_assert_true(result->complete);
  g_assert_cmpuint(result->n_sentences, ==, sentences->len);
  const RegardResultSentence *active = regard_result_active(result);
  g_assert_true(!active || active->translation || active->error);
  if (active && active->translation) {
    g_assert_nonnull(result->capture);
    g_autofree char *sentence = g_strndup(text + active->begin, active->end - active->begin);
    g_assert_cmpstr(mt_tokens_text(mt_capture_source(result->capture)), ==, sentence);
    g_assert_true(result->model == regard_document_get_model(p->t.document));
  }
}

static void
come_to_rest(Person *p)
{
  p->n_rests++;
  wait_for_window(p);
  /* A cancel from outside takes the answer away as well; ask again. */
  regard_document_ask(p->t.document);
  wait_for_window(p);
  check(p);
  if (once_in(p, 4)) {
    gtk_widget_queue_draw(GTK_WIDGET(p->t.window));
    gtk_test_widget_wait_for_draw(GTK_WIDGET(p->t.window));
  }
}

/* ---- Edits ---------------------------------------------------------------------------------- */

static void
random_place(Person *p, GtkTextIter *iter)
{
  int n = gtk_text_buffer_get_char_count(p->buffer);
  gtk_text_buffer_get_iter_at_offset(p->buffer, iter, any(p, n + 1));
}

static void
edit(Person *p)
{
  g_autoptr(GString) text = g_string_new(NULL);
  GtkTextIter from, to;
  if (once_in(p, 6)) {
    random_place(p, &from);
    gtk_text_buffer_place_cursor(p->buffer, &from);
  }
  gint32 kind = any(p, 20);
  if (gtk_text_buffer_get_char_count(p->buffer) > MOST_CHARS || kind == 0) {
    soak_append_text(text, p->rand); /* pasted over everything */
    gtk_text_buffer_set_text(p->buffer, text->str, -1);
  } else if (kind == 1) {
    gtk_text_buffer_set_text(p->buffer, "", -1);
  } else if (kind < 5) {
    random_place(p, &from);
    to = from;
    gtk_text_iter_forward_chars(&to, 1 + any(p, 12));
    gtk_text_buffer_delete_interactive(p->buffer, &from, &to, TRUE);
  } else {
    soak_append_word(text, p->rand);
    if (kind < 16) /* a key, not a word */
      g_string_truncate(text, (gsize) (g_utf8_next_char(text->str) - text->str));
    if (once_in(p, 5))
      g_string_append_c(text, " .\n"[any(p, 3)]);
    gtk_text_buffer_insert_interactive_at_cursor(p->buffer, text->str, -1, TRUE);
  }
}

/* ---- Everything else ------------------------------------------------------------------------ */

static void
change_settings(Person *p)
{
  static const char *const kinds[] = {"encoder", "cross", "decoder"};
  static const char *const combines[] = {"head", "mean", "max", "chosen"};
  static const char *const scales[] = {"linear", "sqrt", "log", "row"};
  GSettings *s = p->t.settings;
  RegardSelection *selection = regard_document_get_selection(p->t.document);
  guint n_views;
  const RegardViewInfo *views = regard_view_registry(&n_views);
  p->n_settings++;
  switch (any(p, 12)) {
  case 0:
    g_settings_set_uint(s, "beam-size", (guint) any(p, 6));
    break;
  case 1:
    g_settings_set_uint(s, "max-length", (guint) any(p, 40));
    break;
  case 2:
    g_settings_set_double(s, "length-penalty", any(p, 3) - 1);
    break;
  case 3:
    g_settings_set_string(s, "kind", kinds[any(p, 3)]);
    break;
  case 4:
    g_settings_set_string(s, "combine", combines[any(p, 4)]);
    break;
  case 5:
    g_settings_set_string(s, "scale", scales[any(p, 4)]);
    break;
  case 6:
    g_settings_set_boolean(s, "merge-words", (gboolean) any(p, 2));
    break;
  case 7:
    g_settings_set_boolean(s, "show-tokens", (gboolean) any(p, 2));
    break;
  case 8:
    g_settings_set_boolean(s, "hide-special", (gboolean) any(p, 2));
    break;
  case 9:
    adw_view_stack_set_visible_child_name(window_test_child(&p->t, "views"),
                                          views[any(p, (gint32) n_views)].id);
    break;
  case 10:
    regard_selection_set_place(selection, (mt_attention_kind) any(p, 3), (guint) any(p, 6),
                               (guint) any(p, 8));
    regard_selection_set_hover(selection, (RegardCell){any(p, 8) - 1, any(p, 8) - 1});
    break;
  default:
    regard_document_choose_alternative(p->t.document, (guint) any(p, 5));
  }
}

static void
change_model(Person *p)
{
  static const char *const small[] = {
      "post-norm-relu",        "post-norm-relu-f16",          "pre-norm-gelu-learned",
      "separate-vocabularies", "post-norm-relu-bf16-sharded", "odd-sizes-swish"};
  p->n_swaps++;
  if (once_in(p, 4)) {
    p->n_broken++;
    regard_document_open_model(p->t.document, p->broken[any(p, G_N_ELEMENTS(p->broken))]);
  } else if (once_in(p, 6)) {
    regard_document_open_model(p->t.document, app_test_model_dir());
  } else {
    g_autofree char *dir = app_test_checkpoint(small[any(p, G_N_ELEMENTS(small))]);
    regard_document_open_model(p->t.document, dir);
  }
  if (once_in(p, 4)) {
    p->n_cancels++;
    regard_document_cancel_loading(p->t.document);
  }
}

static void
on_written(gpointer data, RegardRun *run)
{
  Person *p = data;
  g_autoptr(GError) error = NULL;
  p->n_writing--;
  if (regard_run_finish(run, &error))
    p->n_saved++;
  else if (!g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    g_error("%s", error->message);
}

static void
on_captured(gpointer data, RegardRun *run)
{
  Person *p = data;
  g_autoptr(GError) error = NULL;
  p->n_writing--;
  if (regard_run_finish(run, &error))
    p->n_saved++;
  else if (!regard_error_is_cancelled(error))
    g_error("%s", error->message);
}

static void export(Person *p)
{
  RegardWindow *window = p->t.window;
  RegardResult *result = regard_document_get_result(p->t.document);
  RegardView *view = regard_window_get_view(window);
  g_autofree char *name = g_strdup_printf("export-%d", any(p, 4));
  g_autofree char *path = g_build_filename(p->folder, name, NULL);
  RegardRun *run = NULL;
  guint n_choices = 0, n_formats;
  const RegardPicture *choices = view ? regard_view_get_export_choices(view, &n_choices) : NULL;
  if (once_in(p, 3) && result && result->capture) {
    p->n_captures++;
    p->n_writing++;
    const RegardCaptureJob job = {regard_result_ref(result), g_strdup(path)};
    run = regard_runner_start(&regard_export_capture_task, NULL, &job, on_captured, p);
  } else if (n_choices) {
    const RegardExportFormat *const *formats = regard_export_formats(&n_formats);
    RegardFigure *figure = regard_view_create_figure(view, choices[any(p, (gint32) n_choices)].id);
    if (!figure)
      return;
    const RegardExportFormat *format = formats[any(p, (gint32) n_formats)];
    while (!regard_export_format_fits(format, figure)) /* as the dialog offers them */
      format = formats[any(p, (gint32) n_formats)];
    const RegardExportJob job = {figure, format, {80, 7, 72}, g_file_new_for_path(path)};
    p->n_exports++;
    p->n_writing++;
    run = regard_runner_start(&regard_export_write_task, NULL, &job, on_written, p);
  }
  if (once_in(p, 5) && run)
    regard_run_cancel(run);
}

/* What is computed beside a translation, or not. */
static void
ask_for_more(Person *p)
{
  RegardSelection *s = regard_document_get_selection(p->t.document);
  switch (any(p, 6)) {
  case 0:
    regard_live_attribution_set_method(regard_live_attribution_of(s),
                                       any(p, (gint32) mt_attribution_count() + 1) - 1);
    break;
  case 1:
    regard_head_ablation_set_with(regard_selection_get_head_ablation(s), any(p, 2) - 1);
    break;
  case 2:
    g_object_set(regard_source_contribution_of(s), "on", (gboolean) any(p, 2), NULL);
    break;
  case 3:
    regard_document_keep_reference(p->t.document);
    break;
  default:
    regard_document_set_compare(p->t.document,
                                (RegardCompare) any(p, REGARD_COMPARE_DIFFERENCE + 1));
  }
}

static void
ask_for_nothing_more(Person *p)
{
  RegardSelection *s = regard_document_get_selection(p->t.document);
  regard_live_attribution_set_method(regard_live_attribution_of(s), -1);
  regard_head_ablation_set_with(regard_selection_get_head_ablation(s), -1);
  g_object_set(regard_source_contribution_of(s), "on", FALSE, NULL);
  regard_document_set_compare(p->t.document, REGARD_COMPARE_OFF);
  regard_document_drop_reference(p->t.document);
}

/* A page is looked at, one of its pictures or panes, and left as soon, before it is done; and then
 * the text is gone, or another one, or the model is. */
static void
leave_a_page(Person *p)
{
  guint n;
  const RegardViewInfo *views = regard_view_registry(&n);
  AdwViewStack *stack = window_test_child(&p->t, "views");
  const guint page = (guint) any(p, (gint32) n),
              next = (page + 1 + (guint) any(p, (gint32) n - 1)) % n;
  adw_view_stack_set_visible_child_name(stack, views[page].id);
  RegardView *view = regard_window_get_view(p->t.window);
  for (gint32 i = any(p, 4); i > 0 && view; i--)
    regard_view_handle_key(view, once_in(p, 2) ? GDK_KEY_Page_Down : GDK_KEY_Page_Up,
                           GDK_CONTROL_MASK);
  if (once_in(p, 8)) /* what waits for somebody to stop typing begins */
    app_test_run_for((guint) any(p, 350));
  else
    for (gint32 i = any(p, 20); i > 0; i--)
      g_main_context_iteration(NULL, FALSE);
  adw_view_stack_set_visible_child_name(stack, views[next].id);
  p->n_left[page]++;
  g_autoptr(GString) text = g_string_new(NULL);
  switch (any(p, 8)) {
  case 0:
  case 1:
    gtk_text_buffer_set_text(p->buffer, "", -1);
    break;
  case 2:
  case 3:
    soak_append_text(text, p->rand);
    gtk_text_buffer_set_text(p->buffer, text->str, -1);
    break;
  case 4:
    change_model(p);
    break;
  default:
    break;
  }
  if (once_in(p, 3)) /* and back at once */
    adw_view_stack_set_visible_child_name(stack, views[page].id);
}

static void
something_else(Person *p)
{
  if (once_in(p, 8))
    change_settings(p);
  if (once_in(p, 20))
    ask_for_more(p);
  if (once_in(p, 8))
    leave_a_page(p);
  if (once_in(p, 60))
    change_model(p);
  if (once_in(p, 30))
    export(p);
  if (once_in(p, 40)) {
    p->n_cancels++;
    regard_document_stop(p->t.document);
  }
  /* As long as a key takes, or much less. */
  for (gint32 n = any(p, 6); n > 0; n--)
    g_main_context_iteration(NULL, FALSE);
  if (once_in(p, 8))
    come_to_rest(p);
}

/* ---- The soak ------------------------------------------------------------------------------- */

static void
type(Person *p, guint n)
{
  while (n-- > 0) {
    edit(p);
    something_else(p);
  }
}

/* The same state whenever memory is looked at: one sentence, the small model, settings as new. */
static void
tidy(Person *p)
{
  static const char *const keys[] = {"beam-size",   "max-length",  "length-penalty",
                                     "kind",        "combine",     "scale",
                                     "merge-words", "show-tokens", "hide-special"};
  wait_for_window(p);
  ask_for_nothing_more(p);
  g_autofree char *dir = app_test_checkpoint("post-norm-relu");
  regard_document_open_model(p->t.document, dir);
  for (guint i = 0; i < G_N_ELEMENTS(keys); i++)
    g_settings_reset(p->t.settings, keys[i]);
  adw_view_stack_set_visible_child_name(window_test_child(&p->t, "views"), "attention");
  while (p->n_writing)
    g_main_context_iteration(NULL, TRUE);
  gtk_text_buffer_set_text(p->buffer, "I have two dogs.", -1);
  come_to_rest(p);
  g_assert_cmpstr(mt_model_name(regard_document_get_model(p->t.document)), ==, "post-norm-relu");
  /* The threads of exports have fonts of their own, which live until 15 s after the last. */
  g_thread_pool_stop_unused_threads();
  app_test_run_for(1000); /* and what was left alone is over */
}

static void
soak_window(void)
{
  Person p = {.rand = g_rand_new_with_seed(soak.seed), .folder = app_test_folder()};
  static const char *const spoilt[] = {"config.json", "model.safetensors", "source.spm"};
  for (guint i = 0; i < G_N_ELEMENTS(spoilt); i++)
    p.broken[i] = app_test_broken_model(p.folder, spoilt[i], i ? "nonsense" : NULL);
  g_autofree char *dir = app_test_checkpoint("post-norm-relu");
  window_test_set_up(&p.t, dir);
  p.buffer = gtk_text_view_get_buffer(regard_text_card_get_view(window_test_card(&p.t, "source")));

  /* Fonts, glyphs, icons and what else libraries keep: the longer the run, the more of it is met.
   */
  type(&p, soak.warm ? soak.warm : CLAMP(soak.n / 2, 30, 5000));
  tidy(&p);
  soak_warm(&soak);
  const guint n_parts = soak.n >= 1000 ? 10 : 2;
  guint done = 0;
  for (guint i = 0; i < n_parts; i++) {
    guint n = soak.n / n_parts + (i < soak.n % n_parts);
    type(&p, n);
    tidy(&p);
    done += n;
    soak_progress(&soak, done, "edits");
  }
  g_print("# %u rests, %u settings, %u cancels, %u models (%u broken), %u pictures and tables, %u "
          "captures, %u files written\n",
          p.n_rests, p.n_settings, p.n_cancels, p.n_swaps, p.n_broken, p.n_exports, p.n_captures,
          p.n_saved);
  guint n_views;
  const RegardViewInfo *views = regard_view_registry(&n_views);
  g_assert_cmpuint(n_views, <=, MOST_PAGES);
  for (guint i = 0; i < n_views; i++)
    g_print("# %s left %u times\n", views[i].id, p.n_left[i]);
  soak_finish(&soak, "edits in the window");
  if (soak.n >= 1000) {
    /* Else it would not have been what it says. */
    g_assert_cmpuint(MIN(MIN(p.n_cancels, p.n_broken), MIN(p.n_exports, p.n_captures)), >, 0);
    g_assert_cmpuint(p.n_saved, >, 0);
    for (guint i = 0; i < n_views; i++)
      g_assert_cmpuint(p.n_left[i], >, 0);
  }
  window_test_tear_down(&p.t, NULL);
  for (guint i = 0; i < G_N_ELEMENTS(p.broken); i++)
    g_free(p.broken[i]);
  app_test_remove(p.folder);
  g_free(p.folder);
  g_rand_free(p.rand);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  if (!window_test_begin()) {
    g_print("1..0 # SKIP no display\n");
    return 0;
  }
  soak_init(&soak, argc, argv, 200);
  g_test_add_func("/soak/window", soak_window);
  return g_test_run();
}
