/* regard-corpus-maker.c — a corpus file is made: of which text, where, how far it is.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The text is measured in a thread, behind what is typed and looked at, by the model that was open
 * when it was begun. What was measured stays in the file, whatever ends it, and the same button
 * goes on from there.
 */
#include "views/measure/regard-corpus-maker.h"

#include "figures/regard-language.h"
#include "runner/regard-work.h"
#include "widgets/regard-gtk.h"
#include "widgets/regard-work-bar.h"
#include "widgets/regard-wrap-layout.h"

#include <math.h>
#include <string.h>

#define ENDING ".regard-corpus"

enum { TEXT, CORPUS, N_FILES };

struct _RegardCorpusMaker {
  GtkWidget parent_instance;

  RegardSelection *selection; /* no reference */
  char *paths[N_FILES];       /* NULL: not chosen */
  gboolean is_place_chosen;   /* else the corpus lies beside its text */
  RegardWork *work;
  RegardCorpusMaking *making; /* of the newest run; NULL: there was none */
  gboolean is_stopping;
  char *model_name; /* that measures */
  char *resumable;  /* a corpus that was stopped here; NULL: none */

  GtkWidget *files[N_FILES], *start, *progress, *said;
};

G_DEFINE_FINAL_TYPE(RegardCorpusMaker, regard_corpus_maker, GTK_TYPE_WIDGET)

/* ---- What can be done now -------------------------------------------------------------------- */

static void
say(RegardCorpusMaker *self, const char *text)
{
  if (!g_str_equal(gtk_label_get_text(GTK_LABEL(self->said)), text))
    gtk_label_set_text(GTK_LABEL(self->said), text);
}

/* A file of which there is a part: what was stopped here, or what is open and was not made to its
 * end. */
static gboolean
can_resume(RegardCorpusMaker *self)
{
  const RegardCorpus *open = self->selection ? regard_selection_get_corpus(self->selection) : NULL;

  return self->paths[CORPUS] &&
         (g_strcmp0(self->resumable, self->paths[CORPUS]) == 0 ||
          (open && !open->about.is_complete && g_strcmp0(open->path, self->paths[CORPUS]) == 0));
}

static void
update(RegardCorpusMaker *self)
{
  static const char *const titles[] = {N_("Text…"), N_("Corpus File…")};
  const gboolean runs = regard_work_is_busy(self->work);

  for (guint i = 0; i < N_FILES; i++) {
    g_autofree char *name = self->paths[i] ? g_filename_display_basename(self->paths[i]) : NULL;

    gtk_button_set_label(GTK_BUTTON(self->files[i]), name ? name : _(titles[i]));
    gtk_widget_set_sensitive(self->files[i], !runs);
  }
  gtk_button_set_label(GTK_BUTTON(self->start),
                       can_resume(self) ? C_("corpus", "Resume") : _("Measure Heads"));
  gtk_widget_set_sensitive(self->start, self->paths[TEXT] && self->paths[CORPUS]);
  gtk_widget_set_visible(self->start, !runs);
}

/* "3 min left"; caller frees. */
static char *
dup_time_left(double seconds)
{
  const double minutes = ceil(seconds / 60);

  if (minutes > 90)
    return regard_strdup_printf(_("%.1f hours left"), seconds / 3600);
  if (minutes > 1)
    return g_strdup_printf(ngettext("%u minute left", "%u minutes left", (guint) minutes),
                           (guint) minutes);
  return g_strdup(_("less than a minute left"));
}

static char *
dup_sentences(guint64 n)
{
  g_autofree char *count = regard_dup_count(n);

  return g_strdup_printf(ngettext("%s sentence", "%s sentences", (gulong) n), count);
}

static void
say_progress(RegardCorpusMaker *self)
{
  RegardCorpusProgress progress;
  g_autofree char *text = NULL;

  if (self->is_stopping)
    text = g_strdup(_("Stopping: what was measured is written into the file."));
  else if (!regard_corpus_making_get(self->making, &progress))
    text = g_strdup_printf(_("%s begins with the text."), self->model_name);
  else {
    g_autofree char *sentences = dup_sentences(progress.n_sentences);
    g_autofree char *left =
        progress.seconds_left >= 0 ? dup_time_left(progress.seconds_left) : NULL;

    /* Translators: sentences that are done, the name of a model, and how long it will take */
    text = left ? g_strdup_printf(_("%s measured by %s · %s"), sentences, self->model_name, left)
                : g_strdup_printf(_("%s measured by %s"), sentences, self->model_name);
  }
  say(self, text);
}

static void
on_work(RegardCorpusMaker *self)
{
  update(self);
  if (regard_work_is_busy(self->work))
    say_progress(self);
}

static void
on_stopped(RegardCorpusMaker *self)
{
  self->is_stopping = TRUE;
}

/* ---- Measuring ------------------------------------------------------------------------------- */

static void
say_end(RegardCorpusMaker *self, const RegardCorpusMakingParams *params, const GError *error)
{
  RegardCorpusProgress progress;
  g_autofree char *name = g_filename_display_basename(params->path);
  const gboolean was_stopped = g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  const gboolean has_begun = regard_corpus_making_get(params->making, &progress);
  g_autofree char *sentences = dup_sentences(progress.n_sentences);
  const char *why = regard_corpus_making_get_left_out(params->making);
  g_autoptr(GString) text = g_string_new(NULL);

  if (error && !was_stopped)
    g_string_append(text, error->message);
  else if (was_stopped && has_begun && progress.n_sentences > 0)
    g_string_printf(text, _("Stopped: %s are in %s, and Resume goes on from there."), sentences,
                    name);
  else if (was_stopped)
    g_string_append(text, _("Stopped before a sentence was measured."));
  else if (!has_begun)
    g_string_printf(text, _("%s is whole already: there was nothing to do."), name);
  else
    g_string_printf(text, _("%s is whole: %s."), name, sentences);
  if (why && progress.n_left_out > 0) {
    g_autofree char *count = regard_dup_count(progress.n_left_out);
    g_autofree char *left_out =
        g_strdup_printf(ngettext("%s line was left out. %s",
                                 "%s lines were left out, the first one for this: %s",
                                 (gulong) progress.n_left_out),
                        count, why);

    g_string_append_printf(text, "\n%s", left_out);
  }
  say(self, text->str);
}

static void
on_ended(gpointer owner, RegardRun *run)
{
  RegardCorpusMaker *self = owner;
  g_autoptr(GError) error = NULL;
  const RegardCorpusMakingParams *params = regard_run_get_params(run);
  const gboolean is_whole = regard_run_finish(run, &error) != NULL;
  RegardCorpusProgress progress;
  const gboolean has_part =
      regard_corpus_making_get(params->making, &progress) && progress.n_sentences > 0;

  g_free(self->resumable);
  self->resumable = !is_whole && has_part ? g_strdup(params->path) : NULL;
  self->is_stopping = FALSE;
  update(self);
  say_end(self, params, error);
  if (is_whole || has_part)
    gtk_widget_activate_action(GTK_WIDGET(self), "win.take-corpus", "s", params->path);
  if (gtk_widget_get_mapped(self->start) && gtk_widget_has_focus(self->progress))
    gtk_widget_grab_focus(self->start);
}

static void
on_start(RegardCorpusMaker *self)
{
  mt_model *model = self->selection ? regard_selection_get_model(self->selection) : NULL;

  g_clear_pointer(&self->making, regard_corpus_making_unref);
  self->making = regard_corpus_making_new();
  self->is_stopping = FALSE;
  g_free(self->model_name);
  self->model_name = g_strdup(model ? mt_model_name(model) : "");
  const RegardCorpusMakingParams params = {
      .func = self->selection ? regard_selection_get_corpus_func(self->selection) : NULL,
      .model = model ? mt_model_ref(model) : NULL,
      .making = regard_corpus_making_ref(self->making),
      .text = g_strdup(self->paths[TEXT]),
      .path = g_strdup(self->paths[CORPUS]),
  };
  regard_work_run(self->work, &regard_analysis_corpus,
                  self->selection ? regard_selection_get_pass(self->selection) : NULL, &params,
                  on_ended);
  gtk_widget_grab_focus(self->progress);
}

gboolean
regard_corpus_maker_is_busy(RegardCorpusMaker *self)
{
  return regard_work_is_busy(self->work);
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Where the corpus of a text goes, if nobody says where: into what is open of it, or beside it.
 * Caller frees. */
static char *
dup_place(RegardCorpusMaker *self, const char *text)
{
  const RegardCorpus *open = self->selection ? regard_selection_get_corpus(self->selection) : NULL;
  g_autofree char *name = g_path_get_basename(text);
  const char *dot = strrchr(text, '.');

  if (open && !open->about.is_complete && open->path && g_strcmp0(open->about.text_name, name) == 0)
    return g_strdup(open->path);
  const gsize n =
      dot && dot > strrchr(text, G_DIR_SEPARATOR) + 1 ? (gsize) (dot - text) : strlen(text);
  return g_strdup_printf("%.*s" ENDING, (int) n, text);
}

static void
say_plan(RegardCorpusMaker *self)
{
  g_autofree char *text = self->paths[TEXT] ? g_filename_display_basename(self->paths[TEXT]) : NULL;
  g_autofree char *folder = self->paths[CORPUS] ? g_path_get_dirname(self->paths[CORPUS]) : NULL;
  g_autofree char *display = folder ? g_filename_display_name(folder) : NULL;
  g_autofree char *said =
      text && folder
          ? g_strdup_printf(_("What every head does in each sentence of %s goes into the corpus "
                              "file in %s. A file that is there is gone on with."),
                            text, display)
          : g_strdup(_("Choose a text with a sentence in each line. What every head does in each "
                       "of them goes into a corpus file."));

  say(self, said);
}

static void
take_path(RegardCorpusMaker *self, guint i, char *path)
{
  g_free(self->paths[i]);
  self->paths[i] = path;
  if (i == CORPUS)
    self->is_place_chosen = TRUE;
  else if (!self->is_place_chosen) {
    g_free(self->paths[CORPUS]);
    self->paths[CORPUS] = dup_place(self, path);
  }
  update(self);
  say_plan(self);
}

static void
on_choose_text(RegardCorpusMaker *self)
{
  regard_choose_file(GTK_WIDGET(self), _("Choose a Text"), _("_Choose"), NULL, NULL, FALSE,
                     "corpus.text");
}

/* Of a file that is there the dialog asks whether it is to be replaced, which it never is; so one
 * that was begun is chosen by its text, or opened before. */
static void
on_choose_place(RegardCorpusMaker *self)
{
  GtkFileChooserNative *dialog =
      gtk_file_chooser_native_new(_("Corpus File"),
                                  GTK_WINDOW(gtk_widget_get_root(GTK_WIDGET(self))),
                                  GTK_FILE_CHOOSER_ACTION_SAVE, _("_Choose"), _("_Cancel"));

  if (self->paths[CORPUS]) {
    g_autofree char *folder = g_path_get_dirname(self->paths[CORPUS]);
    g_autofree char *name = g_filename_display_basename(self->paths[CORPUS]);
    g_autoptr(GFile) file = g_file_new_for_path(folder);

    gtk_file_chooser_set_current_folder(GTK_FILE_CHOOSER(dialog), file, NULL);
    gtk_file_chooser_set_current_name(GTK_FILE_CHOOSER(dialog), name);
  }
  regard_chooser_show(dialog, GTK_WIDGET(self), "corpus.place");
}

/* What the file choosers lead to; actions of their own so that they can be driven without. */
static void
set_text(GtkWidget *widget, const char *name, GVariant *parameter)
{
  take_path(REGARD_CORPUS_MAKER(widget), TEXT, g_variant_dup_string(parameter, NULL));
}

static void
set_place(GtkWidget *widget, const char *name, GVariant *parameter)
{
  const char *path = g_variant_get_string(parameter, NULL);

  take_path(REGARD_CORPUS_MAKER(widget), CORPUS,
            g_str_has_suffix(path, ENDING) ? g_strdup(path) : g_strconcat(path, ENDING, NULL));
}

void
regard_corpus_maker_set_selection(RegardCorpusMaker *self, RegardSelection *selection)
{
  self->selection = selection;
  if (selection)
    regard_connect(selection, "corpus-changed", G_CALLBACK(update), self);
  update(self);
}

/* ---- Widgets --------------------------------------------------------------------------------- */

static GtkWidget *
new_button(RegardCorpusMaker *self, const char *what, void (*clicked)(RegardCorpusMaker *self))
{
  GtkWidget *button = gtk_button_new_with_label("");

  gtk_widget_set_tooltip_text(button, what);
  gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, what,
                                 -1);
  g_signal_connect_swapped(button, "clicked", G_CALLBACK(clicked), self);
  return button;
}

static void
regard_corpus_maker_init(RegardCorpusMaker *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4);
  GtkWidget *line = regard_wrap_new(8);

  self->work = regard_work_new(self);
  regard_work_set_keeps(self->work);
  self->files[TEXT] =
      new_button(self, _("What is measured: a sentence a line, or a .conllu file of trees"),
                 on_choose_text);
  self->files[CORPUS] = new_button(self, _("Where the numbers go"), on_choose_place);
  self->start =
      new_button(self, _("Translates every sentence with the model as it is now, changes included"),
                 on_start);
  gtk_widget_add_css_class(self->start, "suggested-action");
  self->progress = regard_work_bar_new(_("How much of the text is measured"), TRUE);
  regard_work_bar_set_work(REGARD_WORK_BAR(self->progress), self->work);
  self->said = regard_label_new(NULL, REGARD_LABEL_START | REGARD_LABEL_WRAP, "regard-name");
  regard_box_append(line, self->files[TEXT], self->files[CORPUS], self->start, self->progress,
                    NULL);
  gtk_widget_add_css_class(line, "measure-line");
  gtk_widget_set_name(line, "corpus-making");
  regard_box_append(box, line, self->said, NULL);
  gtk_widget_set_parent(box, GTK_WIDGET(self));
  regard_connect(self->work, "changed", G_CALLBACK(on_work), self);
  regard_connect(self->work, "stopped", G_CALLBACK(on_stopped), self);
  update(self);
  say_plan(self);
}

static void
dispose(GObject *object)
{
  RegardCorpusMaker *self = REGARD_CORPUS_MAKER(object);
  GtkWidget *child = gtk_widget_get_first_child(GTK_WIDGET(object));

  g_clear_object(&self->work);
  g_clear_pointer(&child, gtk_widget_unparent);
  self->selection = NULL;
  G_OBJECT_CLASS(regard_corpus_maker_parent_class)->dispose(object);
}

static void
finalize(GObject *object)
{
  RegardCorpusMaker *self = REGARD_CORPUS_MAKER(object);

  for (guint i = 0; i < N_FILES; i++)
    g_free(self->paths[i]);
  g_clear_pointer(&self->making, regard_corpus_making_unref);
  g_free(self->model_name);
  g_free(self->resumable);
  G_OBJECT_CLASS(regard_corpus_maker_parent_class)->finalize(object);
}

static void
regard_corpus_maker_class_init(RegardCorpusMakerClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = dispose;
  G_OBJECT_CLASS(klass)->finalize = finalize;
  gtk_widget_class_install_action(widget_class, "corpus.text", "s", set_text);
  gtk_widget_class_install_action(widget_class, "corpus.place", "s", set_place);
  gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name(widget_class, "corpusmaker");
}

GtkWidget *
regard_corpus_maker_new(void)
{
  return g_object_new(REGARD_TYPE_CORPUS_MAKER, NULL);
}
