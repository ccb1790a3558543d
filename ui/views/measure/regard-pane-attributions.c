/* regard-pane-attributions.c — one word of the translation that is looked at, and what every method
 * of attribution says of it: the same tokens in a row for each, how far methods agree, and what
 * happens when the tokens that they rate highest are hidden.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Hundreds of passes: they are made only while somebody looks, in a thread, and can be stopped. The
 * word is that of the Attention page (regard-shown.h), or the step that is chosen.
 */
#include "figures/regard-attribution.h"
#include "runner/regard-analysis.h"
#include "views/measure/regard-measure-pane.h"
#include "widgets/regard-figure-area.h"
#include "widgets/regard-shown.h"
#include "widgets/regard-work-bar.h"
#include "widgets/regard-wrap-layout.h"

#include <glib/gi18n.h>

/* Who types on need not wait for it. */
#define START_AFTER_MS 250
#define LEAST_WIDTH    760

#define REGARD_TYPE_PANE_ATTRIBUTIONS (regard_pane_attributions_get_type())
G_DECLARE_FINAL_TYPE(RegardPaneAttributions, regard_pane_attributions, REGARD, PANE_ATTRIBUTIONS,
                     RegardMeasurePane)

struct _RegardPaneAttributions {
  RegardMeasurePane parent_instance;

  RegardShown *shown; /* whose word it is */
  RegardMethodComparison *result;
  RegardWork *work;
  int word;         /* that the result is of, or will be; -1: none */
  gboolean loading; /* the list of words is told */

  GtkWidget *words, *again, *status, *stack, *message, *scroller, *area;
};

G_DEFINE_FINAL_TYPE(RegardPaneAttributions, regard_pane_attributions, REGARD_TYPE_MEASURE_PANE)

static RegardSelection *
selection(RegardPaneAttributions *self)
{
  return regard_view_get_selection(REGARD_VIEW(self));
}

static const mt_tokens *
get_output(RegardPaneAttributions *self)
{
  const mt_capture *capture = regard_selection_get_capture(selection(self));

  return capture ? mt_capture_output(capture) : NULL;
}

/* ---- Showing it ------------------------------------------------------------------------------ */

static RegardFigure *
new_figure(RegardPaneAttributions *self, RegardFigureStyle *style)
{
  style->colormap = regard_colormap_default_diverging(); /* three methods have a sign */
  if (!self->result)
    return NULL;
  const RegardAttributionText text = regard_method_comparison_text(self->result);
  return regard_figure_new_bench(self->result->bench, &text, style);
}

static void
show_figure(RegardPaneAttributions *self)
{
  RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;

  style.dark = regard_figure_area_is_dark(REGARD_FIGURE_AREA(self->area));
  style.left_out = REGARD_PART_TITLE | REGARD_PART_MODEL; /* the page says both */
  regard_figure_area_set_figure(REGARD_FIGURE_AREA(self->area), new_figure(self, &style));
  gtk_stack_set_visible_child(GTK_STACK(self->stack),
                              self->result ? self->scroller : self->message);
}

static void
show_note(RegardPaneAttributions *self)
{
  const mt_tokens *output = get_output(self);
  mt_capture *capture = regard_selection_get_capture(selection(self));
  g_autofree char *piece = NULL, *note = NULL;
  gsize n = 0;

  if (!output || self->word < 0 || (gsize) self->word >= mt_tokens_count(output)) {
    regard_measure_pane_set_note(REGARD_MEASURE_PANE(self), "");
    return;
  }
  piece = regard_token_display(output, (guint) self->word, FALSE);
  for (gsize m = 0; m < mt_attribution_count(); m++)
    n += mt_attribution_goes_with(m, mt_capture_changes(capture));
  note = g_strdup_printf(_("What %s hangs on, by %zu methods"), piece, n);
  regard_measure_pane_set_note(REGARD_MEASURE_PANE(self), note);
}

/* Lines of the changes that methods do not go with, in quotes. Caller frees. */
static char *
list_obstacles(const char *changes)
{
  g_auto(GStrv) lines = g_strsplit(changes, "\n", -1);
  GString *list = g_string_new(NULL);

  for (guint i = 0; lines[i]; i++) {
    mt_error error = {0};
    mt_changes *one = mt_changes_parse(NULL, lines[i], &error);

    for (gsize m = 0; one && m < mt_attribution_count(); m++)
      if (!mt_attribution_goes_with(m, one)) {
        g_string_append_printf(list, "%s“%s”", list->len ? ", " : "", lines[i]);
        break;
      }
    mt_changes_unref(one);
  }
  return g_string_free(list, FALSE);
}

/* What the picture is; and which methods it lacks, and why. */
static void
show_legend(RegardPaneAttributions *self)
{
  mt_capture *capture = regard_selection_get_capture(selection(self));
  const mt_changes *changes = capture && self->result ? mt_capture_changes(capture) : NULL;
  g_autoptr(GString) left_out = g_string_new(NULL);
  g_autofree char *obstacles = NULL, *text = NULL;

  for (gsize m = 0; changes && m < mt_attribution_count(); m++)
    if (!mt_attribution_goes_with(m, changes))
      g_string_append_printf(left_out, "%s%s", left_out->len ? ", " : "",
                             mt_attribution_at(m)->name);
  obstacles = left_out->len ? list_obstacles(mt_changes_text(changes)) : NULL;
  text = obstacles
             ? g_strdup_printf(_("Without %s: these go with changes that hide tokens only. Put "
                                 "%s aside to see them."),
                               left_out->str, obstacles)
             : g_strdup(_("Coloured by the largest of each row. Curve: log p of the word when "
                          "more and more source tokens are hidden, those that the method "
                          "rates highest first; area: how much it falls on average, in "
                          "nats."));
  gtk_label_set_text(GTK_LABEL(self->status), text);
  gtk_widget_set_tooltip_text(self->status, text);
}

/* text NULL: nothing is wrong. can_repeat: to try again may lead further. */
static void
say(RegardPaneAttributions *self, const char *text, gboolean can_repeat)
{
  if (text)
    gtk_label_set_text(GTK_LABEL(self->message), text);
  gtk_widget_set_visible(self->again, can_repeat && get_output(self) != NULL);
}

static void
show_words(RegardPaneAttributions *self)
{
  const mt_tokens *output = get_output(self);
  g_autoptr(GtkStringList) list = gtk_string_list_new(NULL);

  for (guint i = 0; output && i < mt_tokens_count(output); i++) {
    g_autofree char *piece = regard_token_display(output, i, FALSE);
    g_autofree char *text = g_strdup_printf("%u  %s", i + 1, piece);

    gtk_string_list_append(list, text);
  }
  self->loading = TRUE;
  gtk_drop_down_set_model(GTK_DROP_DOWN(self->words), G_LIST_MODEL(list));
  if (output)
    gtk_drop_down_set_selected(GTK_DROP_DOWN(self->words),
                               (guint) regard_shown_get_word(self->shown));
  self->loading = FALSE;
  gtk_widget_set_sensitive(self->words, output != NULL);
}

/* ---- Computing --------------------------------------------------------------------------------
 */

static void
on_work(RegardPaneAttributions *self)
{
  if (self->area)
    gtk_widget_set_opacity(self->area, regard_work_is_busy(self->work) ? 0.62 : 1);
}

static void
on_computed(gpointer owner, RegardRun *run)
{
  RegardPaneAttributions *self = owner;
  g_autoptr(GError) error = NULL;
  g_autofree char *why = NULL;

  g_clear_pointer(&self->result, regard_method_comparison_free);
  self->result = regard_run_finish(run, &error);
  why = error ? regard_analysis_explain(regard_run_get_pass(run), error) : NULL;
  say(self, why, FALSE);
  show_legend(self);
  show_figure(self);
  regard_view_choices_changed(REGARD_VIEW(self));
}

static void
on_stopped(RegardPaneAttributions *self)
{
  say(self, _("Stopped before it was done"), TRUE);
  show_figure(self);
}

static void
start(gpointer owner)
{
  RegardPaneAttributions *self = owner;
  mt_attribution_params params = mt_attribution_params_default();

  params.token = self->word;
  regard_work_run(self->work, &regard_analysis_methods, regard_selection_get_pass(selection(self)),
                  &params, on_computed);
}

/* Another text, or another word; the picture that is there stays until the new one is. */
static void
begin_anew(RegardPaneAttributions *self)
{
  const gboolean has_text = get_output(self) != NULL;

  if (!self->area)
    return;
  self->word = has_text ? regard_shown_get_word(self->shown) : -1;
  if (!has_text) {
    regard_work_drop(self->work);
    g_clear_pointer(&self->result, regard_method_comparison_free);
    show_figure(self);
    say(self, _("There is no translation to look into."), FALSE);
    regard_view_choices_changed(REGARD_VIEW(self));
  } else {
    say(self, NULL, FALSE);
    if (!self->result)
      gtk_label_set_text(GTK_LABEL(self->message), _("Computing attributions by all methods"));
    regard_work_wait(self->work, START_AFTER_MS, start);
  }
  show_note(self);
}

static void
on_capture(RegardPaneAttributions *self)
{
  if (!self->area)
    return;
  /* Nobody looks, and a model is too large to be kept for a picture that comes anew. */
  if (self->result && !gtk_widget_get_mapped(GTK_WIDGET(self)) &&
      self->result->pass->model != regard_selection_get_pass_model(selection(self))) {
    g_clear_pointer(&self->result, regard_method_comparison_free);
    show_figure(self);
    regard_view_choices_changed(REGARD_VIEW(self));
  }
  show_words(self);
  begin_anew(self);
}

static void
on_word(RegardPaneAttributions *self)
{
  if (!self->area || regard_shown_get_word(self->shown) == self->word || !get_output(self))
    return;
  self->loading = TRUE;
  gtk_drop_down_set_selected(GTK_DROP_DOWN(self->words),
                             (guint) regard_shown_get_word(self->shown));
  self->loading = FALSE;
  begin_anew(self);
}

static void
on_user_word(RegardPaneAttributions *self)
{
  const guint word = gtk_drop_down_get_selected(GTK_DROP_DOWN(self->words));

  if (self->loading || word == GTK_INVALID_LIST_POSITION)
    return;
  if (regard_selection_get_step(selection(self)) >= 0)
    regard_selection_set_step(selection(self), (int) word);
  regard_shown_set_word(self->shown, (int) word);
  on_word(self);
}

/* ---- RegardView -------------------------------------------------------------------------------
 */

static const RegardPicture *
regard_pane_attributions_get_export_choices(RegardView *view, guint *n)
{
  static const RegardPicture bench = {"bench", N_("One Word, All Methods")};

  *n = REGARD_PANE_ATTRIBUTIONS(view)->result ? 1 : 0;
  return &bench;
}

static char *
regard_pane_attributions_name_choice(RegardView *view, const char *choice_id)
{
  RegardPaneAttributions *self = REGARD_PANE_ATTRIBUTIONS(view);

  return self->result ? g_strdup_printf("bench-word-%u", (guint) self->result->params.token + 1)
                      : NULL;
}

static RegardFigure *
regard_pane_attributions_create_figure(RegardView *view, const char *choice_id)
{
  RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;

  return new_figure(REGARD_PANE_ATTRIBUTIONS(view), &style);
}

static gboolean
regard_pane_attributions_handle_key(RegardView *view, guint keyval, GdkModifierType state)
{
  RegardPaneAttributions *self = REGARD_PANE_ATTRIBUTIONS(view);

  if (!self->area)
    return FALSE;
  if (!(state & gtk_accelerator_get_default_mod_mask()) &&
      (keyval == GDK_KEY_n || keyval == GDK_KEY_p)) {
    const int at = regard_shown_get_word(self->shown) + (keyval == GDK_KEY_n ? 1 : -1);

    if (get_output(self) && at >= 0 && (gsize) at < mt_tokens_count(get_output(self)))
      gtk_drop_down_set_selected(GTK_DROP_DOWN(self->words), (guint) at);
    return TRUE;
  }
  return regard_figure_area_handle_key(REGARD_FIGURE_AREA(self->area), keyval, state);
}

static void
regard_pane_attributions_set_selection(RegardView *view, RegardSelection *s)
{
  RegardPaneAttributions *self = REGARD_PANE_ATTRIBUTIONS(view);

  self->shown = g_object_ref(regard_shown_of(s));
  g_signal_connect_object(s, "notify::capture", G_CALLBACK(on_capture), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(s, "notify::step", G_CALLBACK(on_word), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->shown, "changed", G_CALLBACK(on_word), self, G_CONNECT_SWAPPED);
}

/* ---- Widgets ----------------------------------------------------------------------------------
 */

static GtkWidget *
build_line(RegardPaneAttributions *self)
{
  GtkWidget *line = regard_wrap_new(8);
  GtkWidget *progress = regard_work_bar_new(_("Computing attributions"), TRUE);
  const char *name = _("Word (N, P)");

  self->words = gtk_drop_down_new(NULL, NULL);
  gtk_widget_set_tooltip_text(self->words, name);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->words), GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                 -1);
  g_signal_connect_swapped(self->words, "notify::selected", G_CALLBACK(on_user_word), self);
  regard_work_bar_set_work(REGARD_WORK_BAR(progress), self->work);
  self->again = gtk_button_new_with_label(_("Compute"));
  gtk_widget_add_css_class(self->again, "flat");
  g_signal_connect_swapped(self->again, "clicked", G_CALLBACK(begin_anew), self);
  self->status = gtk_label_new(NULL);
  gtk_label_set_wrap(GTK_LABEL(self->status), TRUE);
  gtk_label_set_xalign(GTK_LABEL(self->status), 0);
  gtk_label_set_lines(GTK_LABEL(self->status), 2);
  gtk_label_set_max_width_chars(GTK_LABEL(self->status), 40); /* or what its line has left */
  gtk_label_set_ellipsize(GTK_LABEL(self->status), PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand(self->status, TRUE);
  gtk_widget_add_css_class(self->status, "regard-hint");
  regard_wrap_append(line, self->words);
  regard_wrap_append(line, progress);
  regard_wrap_append(line, self->again);
  regard_wrap_append(line, self->status);
  show_legend(self);
  return line;
}

static void
build(RegardPaneAttributions *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);

  self->area = regard_figure_area_new(LEAST_WIDTH);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->area), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("One word by all methods of attribution"), -1);
  g_signal_connect_swapped(self->area, "look-changed", G_CALLBACK(show_figure), self);
  self->scroller = gtk_scrolled_window_new();
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(self->scroller), self->area);
  self->message = regard_view_new_message();
  self->stack = gtk_stack_new();
  gtk_widget_set_vexpand(self->stack, TRUE);
  gtk_stack_add_child(GTK_STACK(self->stack), self->message);
  gtk_stack_add_child(GTK_STACK(self->stack), self->scroller);
  gtk_box_append(GTK_BOX(box), build_line(self));
  gtk_box_append(GTK_BOX(box), self->stack);
  gtk_widget_set_parent(box, GTK_WIDGET(self));
}

static void
regard_pane_attributions_map(GtkWidget *widget)
{
  RegardPaneAttributions *self = REGARD_PANE_ATTRIBUTIONS(widget);
  const gboolean is_first = !self->area;

  if (is_first)
    build(self);
  GTK_WIDGET_CLASS(regard_pane_attributions_parent_class)->map(widget);
  if (is_first)
    on_capture(self);
  /* Who heard that there is nothing to export may have taken the page away. */
  regard_work_set_seen(self->work, gtk_widget_get_mapped(widget));
}

/* Nobody looks any more. */
static void
regard_pane_attributions_unmap(GtkWidget *widget)
{
  RegardPaneAttributions *self = REGARD_PANE_ATTRIBUTIONS(widget);

  if (self->work)
    regard_work_set_seen(self->work, FALSE);
  GTK_WIDGET_CLASS(regard_pane_attributions_parent_class)->unmap(widget);
}

static void
regard_pane_attributions_dispose(GObject *object)
{
  RegardPaneAttributions *self = REGARD_PANE_ATTRIBUTIONS(object);

  g_clear_object(&self->work);
  g_clear_object(&self->shown);
  g_clear_pointer(&self->result, regard_method_comparison_free);
  G_OBJECT_CLASS(regard_pane_attributions_parent_class)->dispose(object);
}

static void
regard_pane_attributions_class_init(RegardPaneAttributionsClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  RegardViewClass *view_class = REGARD_VIEW_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = regard_pane_attributions_dispose;
  widget_class->map = regard_pane_attributions_map;
  widget_class->unmap = regard_pane_attributions_unmap;
  view_class->set_selection = regard_pane_attributions_set_selection;
  view_class->get_export_choices = regard_pane_attributions_get_export_choices;
  view_class->name_choice = regard_pane_attributions_name_choice;
  view_class->create_figure = regard_pane_attributions_create_figure;
  view_class->handle_key = regard_pane_attributions_handle_key;
  gtk_widget_class_set_css_name(widget_class, "attributionspane");
}

static void
regard_pane_attributions_init(RegardPaneAttributions *self)
{
  self->word = -1;
  self->work = regard_work_new(self);
  regard_work_set_seen(self->work, FALSE);
  g_signal_connect_object(self->work, "changed", G_CALLBACK(on_work), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->work, "stopped", G_CALLBACK(on_stopped), self, G_CONNECT_SWAPPED);
}
