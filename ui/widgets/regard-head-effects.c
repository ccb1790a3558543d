/* regard-head-effects.c — what each head does for the translation on the screen, kept up to date.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-head-effects.h"

#include "runner/regard-analysis.h"
#include "widgets/regard-selection-private.h"

#include <glib/gi18n.h>
#include <math.h>

/* Who types on need not wait for heads. */
#define START_AFTER_MS 180

struct _RegardHeadEffects {
  GObject parent_instance;

  RegardSelection *selection; /* weak */
  int with;                   /* -1: off */
  mt_means *means;
  char *why_no_means;
  int token;
  gint32 against;

  RegardEffects *effects;
  char *error;
  RegardWork *work;
};

G_DEFINE_FINAL_TYPE(RegardHeadEffects, regard_head_effects, G_TYPE_OBJECT)

static guint changed_signal;

static void
emit_changed(RegardHeadEffects *self)
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
  RegardHeadEffects *self = owner;
  g_autoptr(GError) error = NULL;

  self->effects = regard_run_finish(run, &error);
  self->error = error ? explain(regard_run_get_pass(run), error) : NULL;
  emit_changed(self);
}

static void
start(gpointer owner)
{
  RegardHeadEffects *self = owner;
  const RegardEffectsParams params = {{
      .kind = (mt_effect_kind) self->with,
      .means = self->means ? mt_means_ref(self->means) : NULL,
      .has_contrast = self->token >= 0,
      .token = (size_t) MAX(self->token, 0),
      .against = self->against,
  }};

  regard_work_run(self->work, &regard_analysis_effects, regard_selection_get_pass(self->selection),
                  &params, on_computed);
}

/* What is there now is not of what is looked at. */
static void
begin_anew(RegardHeadEffects *self)
{
  const gboolean is_on = self->with >= 0 && regard_selection_get_capture(self->selection);
  const gboolean lacks_means = self->with == MT_EFFECT_MEAN && !self->means;

  g_clear_pointer(&self->effects, regard_effects_unref);
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
on_capture(RegardHeadEffects *self)
{
  self->token = -1; /* it was of another translation */
  if (self->with >= 0)
    begin_anew(self);
}

/* ---- The interface ----------------------------------------------------------------------------
 */

void
regard_head_effects_set_with(RegardHeadEffects *self, int with)
{
  g_return_if_fail(REGARD_IS_HEAD_EFFECTS(self) && with >= -1 && with < MT_N_EFFECTS);
  if (with == self->with)
    return;
  self->with = with;
  begin_anew(self);
}

int
regard_head_effects_get_with(RegardHeadEffects *self)
{
  g_return_val_if_fail(REGARD_IS_HEAD_EFFECTS(self), -1);
  return self->with;
}

void
regard_head_effects_set_means(RegardHeadEffects *self, mt_means *means, const char *why_not)
{
  g_return_if_fail(REGARD_IS_HEAD_EFFECTS(self));
  if (means)
    mt_means_ref(means);
  mt_means_unref(self->means);
  self->means = means;
  g_free(self->why_no_means);
  self->why_no_means = g_strdup(why_not);
  if (self->with == MT_EFFECT_MEAN)
    begin_anew(self);
}

void
regard_head_effects_set_contrast(RegardHeadEffects *self, int token, gint32 against)
{
  g_return_if_fail(REGARD_IS_HEAD_EFFECTS(self));
  if (token == self->token && (token < 0 || against == self->against))
    return;
  self->token = token;
  self->against = against;
  if (self->with >= 0)
    begin_anew(self);
}

RegardEffects *
regard_head_effects_get(RegardHeadEffects *self)
{
  g_return_val_if_fail(REGARD_IS_HEAD_EFFECTS(self), NULL);
  return self->effects;
}

RegardWork *
regard_head_effects_get_work(RegardHeadEffects *self)
{
  g_return_val_if_fail(REGARD_IS_HEAD_EFFECTS(self), NULL);
  return self->work;
}

const char *
regard_head_effects_get_error(RegardHeadEffects *self)
{
  g_return_val_if_fail(REGARD_IS_HEAD_EFFECTS(self), NULL);
  return self->error;
}

char *
regard_head_effects_describe(const RegardEffects *effects)
{
  static const char *const without[MT_N_EFFECTS] = {
      [MT_EFFECT_ZERO] = N_("without the head"),
      [MT_EFFECT_UNIFORM] = N_("with the head uniform"),
      [MT_EFFECT_MEAN] = N_("with the head at its mean"),
  };

  if (effects->against)
    return g_strdup_printf(_("logit %s − logit %s, less the same %s: + speaks for %s, − for %s"),
                           effects->token_texts[effects->contrast_token], effects->against,
                           _(without[effects->with]), effects->token_texts[effects->contrast_token],
                           effects->against);
  return g_strdup_printf(_("log p − log p %s, in nats: + speaks for this translation"),
                         _(without[effects->with]));
}

/* ---- The object -------------------------------------------------------------------------------
 */

static void
regard_head_effects_dispose(GObject *object)
{
  RegardHeadEffects *self = REGARD_HEAD_EFFECTS(object);

  g_clear_object(&self->work);
  g_clear_weak_pointer(&self->selection);
  g_clear_pointer(&self->effects, regard_effects_unref);
  g_clear_pointer(&self->error, g_free);
  g_clear_pointer(&self->why_no_means, g_free);
  g_clear_pointer(&self->means, mt_means_unref);
  G_OBJECT_CLASS(regard_head_effects_parent_class)->dispose(object);
}

static void
regard_head_effects_class_init(RegardHeadEffectsClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = regard_head_effects_dispose;
  changed_signal = g_signal_new("changed", G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                NULL, NULL, G_TYPE_NONE, 0);
}

static void
regard_head_effects_init(RegardHeadEffects *self)
{
  self->with = self->token = -1;
  self->work = regard_work_new(self);
}

RegardHeadEffects *
regard_head_effects_new(RegardSelection *selection)
{
  RegardHeadEffects *self = g_object_new(REGARD_TYPE_HEAD_EFFECTS, NULL);

  g_set_weak_pointer(&self->selection, selection);
  g_signal_connect_object(selection, "notify::capture", G_CALLBACK(on_capture), self,
                          G_CONNECT_SWAPPED);
  return self;
}

RegardHeadEffects *
regard_selection_get_head_effects(RegardSelection *selection)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(selection), NULL);
  if (!selection->head_effects)
    selection->head_effects = regard_head_effects_new(selection);
  return selection->head_effects;
}
