/* regard-pane-attributions.c — one word of the translation that is looked at, and what every method
 * of attribution says of it: the same tokens in a row for each, how far methods agree, and what
 * happens when the tokens that they rate highest are hidden.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Hundreds of passes: they are made only while somebody looks, in a thread, and can be stopped. The
 * word is that of the Attention page (regard-live-attribution.h), or the step that is chosen.
 */
#include "figures/regard-attribution.h"
#include "figures/regard-language.h"
#include "figures/regard-words.h"
#include "runner/regard-analysis.h"
#include "views/regard-view.h"
#include "widgets/regard-gtk.h"
#include "widgets/regard-live-attribution.h"
#include "widgets/regard-work-bar.h"
#include "widgets/regard-wrap-layout.h"

/* Who types on need not wait for it. */
#define START_AFTER_MS 250
#define LEAST_WIDTH    760

#define REGARD_TYPE_PANE_ATTRIBUTIONS (regard_pane_attributions_get_type())
G_DECLARE_FINAL_TYPE(RegardPaneAttributions, regard_pane_attributions, REGARD, PANE_ATTRIBUTIONS,
                     RegardView)

struct _RegardPaneAttributions {
  RegardView parent_instance;

  RegardLiveAttribution *shown; /* whose word it is */
  RegardMethodComparison *result;
  RegardWork *work;
  int word;         /* that the result is of, or will be; -1: none */
  gboolean loading; /* the list of words is told */

  GtkWidget *words, *again, *legend;
};

G_DEFINE_FINAL_TYPE(RegardPaneAttributions, regard_pane_attributions, REGARD_TYPE_VIEW)

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

static void
show_note(RegardPaneAttributions *self)
{
  const mt_tokens *output = get_output(self);
  g_autofree char *piece = NULL, *note = NULL;
  const gsize n = mt_attribution_count();

  if (!output || self->word < 0 || (gsize) self->word >= mt_tokens_count(output)) {
    regard_view_set_note(REGARD_VIEW(self), "");
    return;
  }
  piece = regard_token_display(output, (guint) self->word, FALSE);
  note = g_strdup_printf(ngettext("What %s hangs on, by %zu method",
                                  "What %s hangs on, by %zu methods", n),
                         piece, n);
  regard_view_set_note(REGARD_VIEW(self), note);
}

/* What the picture is. */
static void
show_legend(RegardPaneAttributions *self)
{
  const char *text = _("Coloured by the largest of each row. Curve: log p of the word when "
                       "more and more source tokens are hidden, those that the method "
                       "rates highest first; area: how much it falls on average, in "
                       "nats.");
  gtk_label_set_text(GTK_LABEL(self->legend), text);
  gtk_widget_set_tooltip_text(self->legend, text);
}

/* text NULL: nothing is wrong. can_repeat: to try again may lead further. */
static void
say(RegardPaneAttributions *self, const char *text, gboolean can_repeat)
{
  if (text)
    regard_view_set_message(REGARD_VIEW(self), text);
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
                               (guint) regard_live_attribution_get_word(self->shown));
  self->loading = FALSE;
  gtk_widget_set_sensitive(self->words, output != NULL);
}

/* ---- Computing --------------------------------------------------------------------------------
 */

static void
on_work(RegardPaneAttributions *self)
{
  RegardFigureArea *area = regard_view_get_area(REGARD_VIEW(self));

  if (area)
    regard_widget_set_pale(GTK_WIDGET(area), regard_work_is_busy(self->work));
}

static void
on_computed(gpointer owner, RegardRun *run)
{
  RegardPaneAttributions *self = owner;
  g_autoptr(GError) error = NULL;

  g_clear_pointer(&self->result, regard_method_comparison_free);
  self->result = regard_run_finish(run, &error);
  g_autofree char *why = error ? regard_analysis_explain(regard_run_get_pass(run), error) : NULL;
  say(self, why, FALSE);
  show_legend(self);
  regard_view_show_figure(REGARD_VIEW(self), 0);
  regard_view_choices_changed(REGARD_VIEW(self));
}

static void
on_stopped(RegardPaneAttributions *self)
{
  say(self, _("Stopped before it was done"), TRUE);
  regard_view_show_figure(REGARD_VIEW(self), 0);
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

  if (!self->words) /* not built yet */
    return;
  self->word = has_text ? regard_live_attribution_get_word(self->shown) : -1;
  if (!has_text) {
    regard_work_drop(self->work);
    g_clear_pointer(&self->result, regard_method_comparison_free);
    regard_view_show_figure(REGARD_VIEW(self), 0);
    say(self, _("There is no translation to look into."), FALSE);
    regard_view_choices_changed(REGARD_VIEW(self));
  } else {
    say(self, NULL, FALSE);
    if (!self->result)
      regard_view_set_message(REGARD_VIEW(self), _("Computing attributions by all methods"));
    regard_work_wait(self->work, START_AFTER_MS, start);
  }
  show_note(self);
}

static void
load(RegardView *view, gboolean is_seen)
{
  RegardPaneAttributions *self = REGARD_PANE_ATTRIBUTIONS(view);

  if (!self->words) /* not built yet */
    return;
  /* Nobody looks, and a model is too large to be kept for a picture that comes anew. */
  if (self->result && !is_seen &&
      self->result->pass->model != regard_selection_get_pass_model(selection(self))) {
    g_clear_pointer(&self->result, regard_method_comparison_free);
    regard_view_show_figure(view, 0);
    regard_view_choices_changed(view);
  }
  show_words(self);
  begin_anew(self);
}

static void
on_word(RegardPaneAttributions *self)
{
  if (!self->words || regard_live_attribution_get_word(self->shown) == self->word ||
      !get_output(self))
    return;
  self->loading = TRUE;
  gtk_drop_down_set_selected(GTK_DROP_DOWN(self->words),
                             (guint) regard_live_attribution_get_word(self->shown));
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
  regard_live_attribution_set_word(self->shown, (int) word);
  on_word(self);
}

/* ---- RegardView -------------------------------------------------------------------------------
 */

static const RegardPicture pictures[] = {{"bench", N_("One Word, All Methods")}};

static gboolean
has_picture(RegardView *view, guint picture)
{
  return REGARD_PANE_ATTRIBUTIONS(view)->result != NULL;
}

static RegardFigure *
new_figure(RegardView *view, guint picture, RegardFigureStyle *style)
{
  RegardMethodComparison *result = REGARD_PANE_ATTRIBUTIONS(view)->result;

  style->colormap = regard_colormap_default_diverging(); /* three methods have a sign */
  if (!result)
    return NULL;
  const RegardAttributionText text = regard_method_comparison_text(result);
  return regard_figure_new_method_comparison(result->bench, &text, style);
}

static char *
name_choice(RegardView *view, const char *choice_id)
{
  RegardPaneAttributions *self = REGARD_PANE_ATTRIBUTIONS(view);

  return self->result ? g_strdup_printf("bench-word-%u", (guint) self->result->params.token + 1)
                      : NULL;
}

static gboolean
handle_key(RegardView *view, guint keyval, GdkModifierType state)
{
  RegardPaneAttributions *self = REGARD_PANE_ATTRIBUTIONS(view);

  if (!self->words)
    return FALSE;
  if (!(state & gtk_accelerator_get_default_mod_mask()) &&
      (keyval == GDK_KEY_n || keyval == GDK_KEY_p)) {
    const int at = regard_live_attribution_get_word(self->shown) + (keyval == GDK_KEY_n ? 1 : -1);

    if (get_output(self) && at >= 0 && (gsize) at < mt_tokens_count(get_output(self)))
      gtk_drop_down_set_selected(GTK_DROP_DOWN(self->words), (guint) at);
    return TRUE;
  }
  return regard_figure_area_handle_key(regard_view_get_area(view), keyval, state);
}

static void
set_selection(RegardView *view, RegardSelection *s)
{
  RegardPaneAttributions *self = REGARD_PANE_ATTRIBUTIONS(view);

  self->shown = g_object_ref(regard_live_attribution_of(s));
  regard_connect(s, "notify::capture", G_CALLBACK(regard_view_load), self);
  regard_connect(s, "notify::step", G_CALLBACK(on_word), self);
  regard_connect(self->shown, "changed", G_CALLBACK(on_word), self);
}

/* ---- Widgets ----------------------------------------------------------------------------------
 */

static GtkWidget *
build_line(RegardPaneAttributions *self)
{
  GtkWidget *line = regard_wrap_new(8);
  GtkWidget *progress = regard_work_bar_new(_("Computing attributions"), TRUE);

  self->words = gtk_drop_down_new(NULL, NULL);
  gtk_widget_set_name(line, "attribution-word");
  regard_widget_explain(self->words, _("Word (N, P)"),
                        _("The word of the translation that the methods are asked about (N, P)"));
  g_signal_connect_swapped(self->words, "notify::selected", G_CALLBACK(on_user_word), self);
  regard_work_bar_set_work(REGARD_WORK_BAR(progress), self->work);
  self->again = gtk_button_new_with_label(_("Compute"));
  gtk_widget_set_tooltip_text(self->again, _("Computes what was stopped, from its beginning"));
  gtk_widget_add_css_class(self->again, "flat");
  g_signal_connect_swapped(self->again, "clicked", G_CALLBACK(begin_anew), self);
  self->legend = regard_label_new(NULL, REGARD_LABEL_START | REGARD_LABEL_WRAP, NULL);
  gtk_label_set_lines(GTK_LABEL(self->legend), 2);
  gtk_label_set_max_width_chars(GTK_LABEL(self->legend), 40); /* or what its line has left */
  gtk_label_set_ellipsize(GTK_LABEL(self->legend), PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand(self->legend, TRUE);
  gtk_widget_add_css_class(self->legend, "regard-hint");
  regard_box_append(line, self->words, progress, self->again, self->legend, NULL);
  show_legend(self);
  return line;
}

static char *
summarize(RegardView *view)
{
  return g_strdup(_("What one word depends on, by every method side by side: look for where they "
                    "agree"));
}

static char *
explain(RegardView *view)
{
  return g_strdup(
      _("Each row is a method that says how much the word depends on each word of the "
        "source and of the translation before it. Methods ask different questions, and so "
        "they differ; attention is only one of them. What several of them say alike is "
        "better founded than what one says alone."));
}

static GtkWidget *
build(RegardView *view)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *area =
      regard_view_new_area(view, LEAST_WIDTH, _("One word by all methods of attribution"));

  gtk_box_append(GTK_BOX(box), build_line(REGARD_PANE_ATTRIBUTIONS(view)));
  gtk_box_append(GTK_BOX(box), regard_view_new_stack(view, regard_view_new_scroller(area, -1)));
  gtk_box_append(GTK_BOX(box), regard_view_new_status(view));
  regard_view_show_figure(view, 0);
  return box;
}

static void
show(RegardView *view)
{
  regard_view_show_figure(view, 0);
}

static void
set_seen(RegardView *view, gboolean is_seen)
{
  if (REGARD_PANE_ATTRIBUTIONS(view)->work)
    regard_work_set_seen(REGARD_PANE_ATTRIBUTIONS(view)->work, is_seen);
}

static void
dispose(GObject *object)
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

  G_OBJECT_CLASS(klass)->dispose = dispose;
  view_class->build = build;
  view_class->set_selection = set_selection;
  view_class->set_seen = set_seen;
  view_class->load = load;
  view_class->show = show;
  view_class->summarize = summarize;
  view_class->explain = explain;
  view_class->pictures = pictures;
  view_class->n_pictures = G_N_ELEMENTS(pictures);
  view_class->has_picture = has_picture;
  view_class->new_figure = new_figure;
  view_class->name_choice = name_choice;
  view_class->handle_key = handle_key;
  gtk_widget_class_set_css_name(widget_class, "attributionspane");
}

static void
regard_pane_attributions_init(RegardPaneAttributions *self)
{
  self->word = -1;
  self->work = regard_work_new(self);
  regard_work_set_seen(self->work, FALSE);
  regard_connect(self->work, "changed", G_CALLBACK(on_work), self);
  regard_connect(self->work, "stopped", G_CALLBACK(on_stopped), self);
}
