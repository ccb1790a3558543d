/* regard-window-corpus.c — the corpus file of the page Measure: the model's own, or one that was
 * opened.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A file that lies in the model's folder is opened by itself when the page is looked at. One that a
 * person opened, or that is being read for one, stays until another is, whatever the model. One
 * that cannot be opened is said, whatever is there instead.
 */
#include "window/regard-window-private.h"

#include "document/regard-corpus-file.h"
#include "widgets/regard-gtk.h"

#include <glib/gi18n.h>

static void find(RegardWindow *self);

/* What a person chose cannot be had: it is said, and what there is otherwise is shown. */
static void
say_failure(RegardWindow *self, const char *why)
{
  const gboolean has_any = regard_selection_get_corpus(self->selection) != NULL;
  if (!has_any)
    regard_selection_set_corpus(self->selection, NULL, why);
  regard_messages_file_failed(self->messages, why,
                              has_any ? _("The corpus before stays open.") : NULL);
  find(self);
}

static void
on_loaded(gpointer owner, RegardRun *run)
{
  RegardWindow *self = owner;
  g_autoptr(GError) error = NULL;
  RegardCorpus *corpus = regard_run_finish(run, &error);
  self->corpus_is_asked = FALSE;
  if (corpus) {
    self->corpus_was_asked = TRUE;
    regard_selection_set_corpus(self->selection, corpus, NULL);
    regard_messages_file_stands(self->messages);
  } else
    say_failure(self, error->message);
  g_clear_pointer(&corpus, regard_corpus_unref);
}

static gpointer
open_corpus(RegardRun *run, mt_error *error)
{
  return regard_corpus_open(*(char **) regard_run_get_params(run), error);
}

static void
unref_corpus(gpointer corpus)
{
  regard_corpus_unref(corpus);
}

/* The file beside a model, opened unless it is the one that is open already. */
typedef struct {
  char *folder, *open_path;
  char *path; /* that was found; NULL: there is none */
} Finding;

static gpointer
find_corpus(RegardRun *run, mt_error *error)
{
  Finding *finding = regard_run_get_params(run);
  finding->path = regard_corpus_find_beside(finding->folder);
  return finding->path && g_strcmp0(finding->path, finding->open_path) != 0
             ? (gpointer) regard_corpus_open(finding->path, error)
             : run;
}

static void
finding_clear(gpointer data)
{
  Finding *finding = data;
  g_free(finding->folder);
  g_free(finding->open_path);
  g_free(finding->path);
}

static const RegardTask finding_task = {
    .priority = REGARD_RUN_READING,
    .params_size = sizeof(Finding),
    .compute = find_corpus,
    .clear_params = finding_clear,
    .free_result = unref_corpus,
};

static void
on_found(gpointer owner, RegardRun *run)
{
  RegardWindow *self = owner;
  const Finding *finding = regard_run_get_params(run);
  g_autoptr(GError) error = NULL;
  gpointer corpus = regard_run_finish(run, &error);
  if (corpus == run && finding->path) /* it is open */
    return;
  if (corpus != run || regard_selection_get_corpus(self->selection))
    regard_selection_set_corpus(self->selection, corpus == run ? NULL : corpus,
                                error ? error->message : NULL);
  if (corpus && corpus != run)
    regard_corpus_unref(corpus);
}

static const RegardTask opening = {
    .priority = REGARD_RUN_READING,
    .params_size = sizeof(char *),
    .compute = open_corpus,
    .clear_params = regard_task_free_parameter,
    .free_result = unref_corpus,
};

static void
load(RegardWindow *self, const char *path)
{
  char *own = g_strdup(path);
  self->corpus_is_asked = TRUE;
  regard_work_run(self->corpus_opening, &opening, NULL, &own, on_loaded);
}

/* The model's own, once the page is looked at. */
static void
find(RegardWindow *self)
{
  const mt_model *model = regard_document_get_model(self->document);
  if (!model || self->corpus_was_asked || self->corpus_is_asked ||
      g_strcmp0(adw_view_stack_get_visible_child_name(self->views), "measure") != 0)
    return;
  const RegardCorpus *corpus = regard_selection_get_corpus(self->selection);
  const Finding finding = {.folder = g_strdup(mt_model_directory(model)),
                           .open_path = corpus ? g_strdup(corpus->path) : NULL};
  regard_work_run(self->corpus_opening, &finding_task, NULL, &finding, on_found);
}

void
regard_window_observe_corpus(RegardWindow *self)
{
  self->corpus_opening = regard_work_new(self);
  g_signal_connect_object(self->document, "changed::model", G_CALLBACK(find), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(self->views, "notify::visible-child", G_CALLBACK(find), self,
                          G_CONNECT_SWAPPED);
}

/* ---- Actions ------------------------------------------------------------------------------- */

static void
choose(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_choose_file(widget, _("Open Corpus"), _("_Open"), _("Corpus Files"), "regard-corpus", TRUE,
                     "win.read-corpus");
}

/* What the file chooser and a drop lead to; an action of its own so that it can be driven without.
 * The page is shown: that is what it was opened for. */
static void
open_(GtkWidget *widget, const char *name, GVariant *parameter)
{
  load(REGARD_WINDOW(widget), g_variant_get_string(parameter, NULL));
  gtk_widget_activate_action(widget, "win.show-view", "s", "measure");
}

/* A sentence of the corpus; the keyboard stays in the list of them. */
static void
show_text(GtkWidget *widget, const char *name, GVariant *parameter)
{
  regard_document_set_text(REGARD_WINDOW(widget)->document, g_variant_get_string(parameter, NULL));
}

void
regard_window_install_corpus_actions(GtkWidgetClass *klass)
{
  gtk_widget_class_install_action(klass, "win.open-corpus", NULL, choose);
  gtk_widget_class_install_action(klass, "win.read-corpus", "s", open_);
  gtk_widget_class_install_action(klass, "win.show-text", "s", show_text);
}
