/* regard-head-ablation.c — what each head does for the translation on the screen, kept up to date.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-head-ablation.h"

#include "figures/regard-language.h"
#include "runner/regard-analysis.h"
#include "widgets/regard-gtk.h"
#include "widgets/regard-work-bar.h"
#include "widgets/regard-wrap-layout.h"

#include <math.h>

/* Who types on need not wait for heads. */
#define START_AFTER_MS 180

struct _RegardHeadAblation {
  GObject parent_instance;

  RegardSelection *selection; /* weak */
  int with;                   /* -1: off */
  mt_means *means;
  char *why_no_means;

  RegardAblation *effects;
  char *error;
  RegardWork *work;
};

G_DEFINE_FINAL_TYPE(RegardHeadAblation, regard_head_ablation, G_TYPE_OBJECT)

static guint changed_signal;

static void
emit_changed(RegardHeadAblation *self)
{
  g_signal_emit(self, changed_signal, 0);
}

/* ---- Computing --------------------------------------------------------------------------------
 */

/* In words for who does not see why. */
static char *
explain(const RegardPass *pass, const GError *error)
{
  const mt_capture *capture = regard_pass_capture(pass);

  if (!g_error_matches(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND))
    return g_strdup(error->message);
  return g_strdup(capture && mt_capture_difference_a(capture)
                      ? _("A difference has no effects: look at A or B")
                      : _("This attention is from a file: what a head does only a model can say"));
}

static void
on_computed(gpointer owner, RegardRun *run)
{
  RegardHeadAblation *self = owner;
  g_autoptr(GError) error = NULL;

  self->effects = regard_run_finish(run, &error);
  self->error = error ? explain(regard_run_get_pass(run), error) : NULL;
  emit_changed(self);
}

static void
start(gpointer owner)
{
  RegardHeadAblation *self = owner;
  const RegardAblationParams params = {{
      .kind = (mt_ablation_kind) self->with,
      .means = self->means ? mt_means_ref(self->means) : NULL,
  }};

  regard_work_run(self->work, &regard_analysis_ablation, regard_selection_get_pass(self->selection),
                  &params, on_computed);
}

/* What is there now is not of what is looked at. */
static void
begin_anew(RegardHeadAblation *self)
{
  const gboolean is_on = self->with >= 0 && regard_selection_get_capture(self->selection);
  const gboolean lacks_means = self->with == MT_ABLATION_MEAN && !self->means;

  g_clear_pointer(&self->effects, regard_ablation_unref);
  g_clear_pointer(&self->error, g_free);
  if (is_on && lacks_means)
    self->error = g_strdup(self->why_no_means ? self->why_no_means
                                              : _("There are no means of this model over a text"));
  if (is_on && !lacks_means)
    regard_work_wait(self->work, START_AFTER_MS, start);
  else
    regard_work_drop(self->work);
  emit_changed(self);
}

static void
on_capture(RegardHeadAblation *self)
{
  if (self->with >= 0)
    begin_anew(self);
}

/* ---- The interface ----------------------------------------------------------------------------
 */

void
regard_head_ablation_set_with(RegardHeadAblation *self, int with)
{
  g_return_if_fail(with >= -1 && with < MT_N_ABLATIONS);
  if (with == self->with)
    return;
  self->with = with;
  begin_anew(self);
}

int
regard_head_ablation_get_with(RegardHeadAblation *self)
{
  return self->with;
}

void
regard_head_ablation_set_means(RegardHeadAblation *self, mt_means *means, const char *why_not)
{
  if (means)
    mt_means_ref(means);
  mt_means_unref(self->means);
  self->means = means;
  g_free(self->why_no_means);
  self->why_no_means = g_strdup(why_not);
  if (self->with == MT_ABLATION_MEAN)
    begin_anew(self);
}

RegardAblation *
regard_head_ablation_get(RegardHeadAblation *self)
{
  return self->effects;
}

RegardWork *
regard_head_ablation_get_work(RegardHeadAblation *self)
{
  return self->work;
}

const char *
regard_head_ablation_get_error(RegardHeadAblation *self)
{
  return self->error;
}

/* What the numbers are and what their sign says, for a legend. Caller frees. */
static char *
describe(const RegardAblation *effects)
{
  static const char *const without[MT_N_ABLATIONS] = {
      [MT_ABLATION_ZERO] =
          N_("log p − log p without the head, in nats: + speaks for this translation"),
      [MT_ABLATION_UNIFORM] =
          N_("log p − log p with the head uniform, in nats: + speaks for this translation"),
      [MT_ABLATION_MEAN] =
          N_("log p − log p with the head at its mean, in nats: + speaks for this translation"),
  };

  return g_strdup(_(without[effects->with]));
}

/* ---- The object -------------------------------------------------------------------------------
 */

static void
dispose(GObject *object)
{
  RegardHeadAblation *self = REGARD_HEAD_ABLATION(object);

  g_clear_object(&self->work);
  g_clear_weak_pointer(&self->selection);
  g_clear_pointer(&self->effects, regard_ablation_unref);
  g_clear_pointer(&self->error, g_free);
  g_clear_pointer(&self->why_no_means, g_free);
  g_clear_pointer(&self->means, mt_means_unref);
  G_OBJECT_CLASS(regard_head_ablation_parent_class)->dispose(object);
}

static void
regard_head_ablation_class_init(RegardHeadAblationClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = dispose;
  changed_signal = regard_signal_new(klass, "changed", 0);
}

static void
regard_head_ablation_init(RegardHeadAblation *self)
{
  self->with = -1;
  self->work = regard_work_new(self);
}

RegardHeadAblation *
regard_head_ablation_new(RegardSelection *selection)
{
  RegardHeadAblation *self = g_object_new(REGARD_TYPE_HEAD_ABLATION, NULL);

  g_set_weak_pointer(&self->selection, selection);
  regard_connect(selection, "notify::capture", G_CALLBACK(on_capture), self);
  return self;
}

/* ---- The switch of the heads' effects, how far they are, and what they say -------------- */

struct _RegardAblationBar {
  GtkWidget parent_instance;
  RegardHeadAblation *effects; /* NULL: no selection yet */
  GtkWidget *wrap, *choice, *legend, *progress;
  gboolean following;
};

G_DEFINE_FINAL_TYPE(RegardAblationBar, regard_ablation_bar, GTK_TYPE_WIDGET)

static void
follow(RegardAblationBar *self)
{
  const RegardAblation *effects = regard_head_ablation_get(self->effects);
  const char *error = regard_head_ablation_get_error(self->effects);
  g_autofree char *text = effects ? describe(effects) : error ? g_strdup(error) : NULL;

  self->following = TRUE;
  gtk_drop_down_set_selected(GTK_DROP_DOWN(self->choice),
                             (guint) (regard_head_ablation_get_with(self->effects) + 1));
  self->following = FALSE;
  gtk_label_set_text(GTK_LABEL(self->legend), text ? text : "");
  gtk_widget_set_tooltip_text(self->legend, text);
  gtk_widget_set_visible(self->legend, text != NULL);
  if (error)
    gtk_widget_add_css_class(self->legend, "error");
  else
    gtk_widget_remove_css_class(self->legend, "error");
}

static void
on_user_choice(RegardAblationBar *self)
{
  if (!self->following && self->effects)
    regard_head_ablation_set_with(self->effects,
                                  (int) gtk_drop_down_get_selected(GTK_DROP_DOWN(self->choice)) -
                                      1);
}

void
regard_ablation_bar_set_selection(RegardAblationBar *self, RegardSelection *selection)
{
  g_return_if_fail(!self->effects);
  self->effects = g_object_ref(regard_selection_get_head_ablation(selection));
  regard_connect(self->effects, "changed", G_CALLBACK(follow), self);
  regard_work_bar_set_work(REGARD_WORK_BAR(self->progress),
                           regard_head_ablation_get_work(self->effects));
  follow(self);
}

static void
ablation_bar_dispose(GObject *object)
{
  RegardAblationBar *self = REGARD_ABLATION_BAR(object);
  g_clear_object(&self->effects);
  g_clear_pointer(&self->wrap, gtk_widget_unparent);
  G_OBJECT_CLASS(regard_ablation_bar_parent_class)->dispose(object);
}

static void
regard_ablation_bar_class_init(RegardAblationBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = ablation_bar_dispose;
  gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name(widget_class, "effectsbar");
}

static void
regard_ablation_bar_init(RegardAblationBar *self)
{
  /* In the order of mt_ablation_kind, behind "off". */
  const char *const items[] = {_("Missed if off: not measured"), _("Missed if off: zero"),
                               _("Missed if off: uniform"), _("Missed if off: mean"), NULL};
  self->wrap = regard_wrap_new(8); /* in a narrow pane the words have a line of their own */
  gtk_widget_add_css_class(GTK_WIDGET(self), "regard-combine");
  self->choice = gtk_drop_down_new_from_strings(items);
  regard_drop_down_let_shrink(GTK_DROP_DOWN(self->choice));
  gtk_widget_set_valign(self->choice, GTK_ALIGN_CENTER);
  gtk_widget_set_name(self->choice, "effects");
  regard_widget_explain(self->choice, _("Missed if off: effects of heads"),
                        _("How much less likely this translation is when one head is taken out, in "
                          "nats: with zeros, uniform weights or its mean in its place (F)"));
  g_signal_connect_swapped(self->choice, "notify::selected", G_CALLBACK(on_user_choice), self);
  self->legend =
      regard_label_new(NULL, REGARD_LABEL_START | REGARD_LABEL_WRAP | REGARD_LABEL_ELLIPSIZE,
                       "regard-hint");
  gtk_label_set_lines(GTK_LABEL(self->legend), 3);
  self->progress = regard_work_bar_new(_("Computing the effects of heads"), FALSE);
  gtk_widget_set_visible(self->legend, FALSE);
  regard_box_append(self->wrap, self->choice, self->legend, self->progress, NULL);
  gtk_widget_set_parent(self->wrap, GTK_WIDGET(self));
}

GtkWidget *
regard_ablation_bar_new(void)
{
  return g_object_new(REGARD_TYPE_ABLATION_BAR, NULL);
}
