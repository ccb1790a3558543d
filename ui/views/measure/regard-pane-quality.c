/* regard-pane-quality.c — quality over a file: BLEU and chrF2 by length, with the present changes
 * and without.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two files are chosen; measuring runs in a thread, is shown how far it is, and can be
 * stopped. What was measured stays until something else is, and says of what it is.
 */
#include "figures/regard-language.h"
#include "runner/regard-analysis.h"
#include "views/regard-view.h"
#include "widgets/regard-gtk.h"
#include "widgets/regard-work-bar.h"
#include "widgets/regard-wrap-layout.h"

#define LEAST_WIDTH 760

#define REGARD_TYPE_PANE_QUALITY (regard_pane_quality_get_type())
G_DECLARE_FINAL_TYPE(RegardPaneQuality, regard_pane_quality, REGARD, PANE_QUALITY, RegardView)

enum { TEXT, REFERENCES, N_FILES };

struct _RegardPaneQuality {
  RegardView parent_instance;

  char *paths[N_FILES]; /* NULL: not chosen */
  RegardQuality *quality;
  RegardWork *work;

  GtkWidget *files[N_FILES], *start, *progress;
};

G_DEFINE_FINAL_TYPE(RegardPaneQuality, regard_pane_quality, REGARD_TYPE_VIEW)

/* ---- Showing it ------------------------------------------------------------------------------ */

static void
show(RegardView *view)
{
  if (REGARD_PANE_QUALITY(view)->quality)
    regard_view_show_figure(view, 0);
}

/* What can be done now. */
static void
update(RegardPaneQuality *self)
{
  static const char *const titles[] = {N_("Text…"), N_("References…")};
  const gboolean runs = regard_work_is_busy(self->work);

  if (!self->start) /* not built yet */
    return;
  for (guint i = 0; i < N_FILES; i++) {
    g_autofree char *name = self->paths[i] ? g_filename_display_basename(self->paths[i]) : NULL;

    gtk_button_set_label(GTK_BUTTON(self->files[i]), name ? name : _(titles[i]));
    gtk_widget_set_sensitive(self->files[i], !runs);
  }
  gtk_widget_set_sensitive(self->start, self->paths[TEXT] && self->paths[REFERENCES]);
  gtk_widget_set_visible(self->start, !runs);
}

static void
show_note(RegardPaneQuality *self)
{
  g_autofree char *note = NULL;

  if (self->quality)
    note =
        g_strdup_printf(ngettext("quality over %s · %u sentence · %s",
                                 "quality over %s · %u sentences · %s", self->quality->rows[0].n),
                        self->quality->file, self->quality->rows[0].n, self->quality->model_name);
  regard_view_set_note(REGARD_VIEW(self), note ? note : _("quality over a file, by length"));
}

/* ---- Measuring ------------------------------------------------------------------------------- */

static void
on_measured(gpointer owner, RegardRun *run)
{
  RegardPaneQuality *self = owner;
  g_autoptr(GError) error = NULL;
  RegardQuality *quality = regard_run_finish(run, &error);

  if (quality) {
    g_clear_pointer(&self->quality, regard_quality_unref);
    self->quality = quality;
    show(REGARD_VIEW(self));
    show_note(self);
    regard_view_choices_changed(REGARD_VIEW(self));
  } else
    regard_view_show_message(REGARD_VIEW(self), error->message);
  update(self);
  if (gtk_widget_get_mapped(self->start)) /* else the eye is elsewhere */
    gtk_widget_grab_focus(self->start);
}

static void
on_stopped(RegardPaneQuality *self)
{
  if (!self->quality)
    regard_view_show_message(REGARD_VIEW(self),
                             _("Stopped before it was done: nothing was measured."));
  update(self);
  if (gtk_widget_get_mapped(self->start)) /* else the eye is elsewhere */
    gtk_widget_grab_focus(self->start);
}

static void
on_start(RegardPaneQuality *self)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  mt_model *model = regard_selection_get_model(s);
  const RegardQualityParams params = {
      .func = regard_selection_get_quality_func(s),
      .model = model ? mt_model_ref(model) : NULL,
      .file = g_strdup(self->paths[TEXT]),
      .references = g_strdup(self->paths[REFERENCES]),
  };

  if (!self->quality)
    regard_view_show_message(REGARD_VIEW(self), _("The file is being translated."));
  regard_work_run(self->work, &regard_analysis_quality, regard_selection_get_pass(s), &params,
                  on_measured);
  gtk_widget_grab_focus(self->progress);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static void
set_path(RegardPaneQuality *self, guint i, const char *path)
{
  g_free(self->paths[i]);
  self->paths[i] = g_strdup(path);
  update(self);
}

static void
on_choose(GtkWidget *button, RegardPaneQuality *self)
{
  const gboolean is_text = button == self->files[TEXT];

  regard_choose_file(GTK_WIDGET(self), is_text ? _("Choose a Text") : _("Choose Its References"),
                     _("_Choose"), NULL, NULL, FALSE,
                     is_text ? "quality.text" : "quality.references");
}

/* What the file choosers lead to; actions of their own so that they can be driven without. */
static void
set_text(GtkWidget *widget, const char *name, GVariant *parameter)
{
  set_path(REGARD_PANE_QUALITY(widget), TEXT, g_variant_get_string(parameter, NULL));
}

static void
set_references(GtkWidget *widget, const char *name, GVariant *parameter)
{
  set_path(REGARD_PANE_QUALITY(widget), REFERENCES, g_variant_get_string(parameter, NULL));
}

/* ---- RegardView ------------------------------------------------------------------------------ */

static const RegardPicture pictures[] = {{"quality", N_("Quality by Length")}};

static gboolean
has_picture(RegardView *view, guint picture)
{
  return REGARD_PANE_QUALITY(view)->quality != NULL;
}

static RegardFigure *
new_figure(RegardView *view, guint picture, RegardFigureStyle *style)
{
  return regard_figure_new_quality(REGARD_PANE_QUALITY(view)->quality, style);
}

/* ---- Widgets --------------------------------------------------------------------------------- */

static GtkWidget *
new_file_button(RegardPaneQuality *self, const char *name)
{
  GtkWidget *button = gtk_button_new_with_label("");

  gtk_widget_set_tooltip_text(button, name);
  gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, name,
                                 -1);
  g_signal_connect(button, "clicked", G_CALLBACK(on_choose), self);
  return button;
}

static GtkWidget *
build_line(RegardPaneQuality *self)
{
  GtkWidget *line = regard_wrap_new(8);

  self->files[TEXT] = new_file_button(self, _("What is translated: a sentence a line"));
  self->files[REFERENCES] =
      new_file_button(self, _("What it should be translated to: a line for each"));
  self->start = gtk_button_new_with_label(_("Translate and Score"));
  gtk_widget_set_tooltip_text(self->start, _("Translates the text, and compares each line with its "
                                             "reference by BLEU and chrF"));
  gtk_widget_set_name(line, "quality-files");
  gtk_widget_add_css_class(self->start, "suggested-action");
  g_signal_connect_swapped(self->start, "clicked", G_CALLBACK(on_start), self);
  self->progress = regard_work_bar_new(_("How much is translated"), TRUE);
  regard_work_bar_set_work(REGARD_WORK_BAR(self->progress), self->work);
  regard_box_append(line, self->files[TEXT], self->files[REFERENCES], self->start, self->progress,
                    NULL);
  gtk_widget_add_css_class(line, "measure-line");
  return line;
}

static char *
summarize(RegardView *view)
{
  return g_strdup(_("How good the translations are, for short sentences and for long ones"));
}

static char *
explain(RegardView *view)
{
  return g_strdup(
      _("Each translation is compared with one that a person wrote, the reference: BLEU "
        "counts the words and groups of words that both have, 0 to 100, and chrF the "
        "letters. Sentences are sorted by their length. Where the model was changed, both "
        "curves are there, with the change and without."));
}

static GtkWidget *
build(RegardView *view)
{
  RegardPaneQuality *self = REGARD_PANE_QUALITY(view);
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);
  GtkWidget *area =
      regard_view_new_area(view, LEAST_WIDTH, _("Quality by the length of the sentences"));

  gtk_box_append(GTK_BOX(box), build_line(self));
  gtk_box_append(GTK_BOX(box), regard_view_new_stack(view, regard_view_new_scroller(area, -1)));
  gtk_box_append(GTK_BOX(box), regard_view_new_status(view));
  regard_view_show_message(
      view, _("Choose a text, a sentence a line, and its references in a second file. Both "
              "are scored by the length of the sentences; with the changes that are made "
              "in the model, and without."));
  update(self);
  return box;
}

static void
dispose(GObject *object)
{
  RegardPaneQuality *self = REGARD_PANE_QUALITY(object);

  g_clear_object(&self->work);
  g_clear_pointer(&self->quality, regard_quality_unref);
  for (guint i = 0; i < N_FILES; i++)
    g_clear_pointer(&self->paths[i], g_free);
  G_OBJECT_CLASS(regard_pane_quality_parent_class)->dispose(object);
}

static void
regard_pane_quality_class_init(RegardPaneQualityClass *klass)
{
  RegardViewClass *view_class = REGARD_VIEW_CLASS(klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = dispose;
  view_class->build = build;
  view_class->show = show;
  view_class->summarize = summarize;
  view_class->explain = explain;
  view_class->pictures = pictures;
  view_class->n_pictures = G_N_ELEMENTS(pictures);
  view_class->has_picture = has_picture;
  view_class->new_figure = new_figure;
  gtk_widget_class_install_action(widget_class, "quality.text", "s", set_text);
  gtk_widget_class_install_action(widget_class, "quality.references", "s", set_references);
  gtk_widget_class_set_css_name(widget_class, "qualitypane");
}

static void
regard_pane_quality_init(RegardPaneQuality *self)
{
  self->work = regard_work_new(self);
  regard_connect(self->work, "changed", G_CALLBACK(update), self);
  regard_connect(self->work, "stopped", G_CALLBACK(on_stopped), self);
  show_note(self);
}
