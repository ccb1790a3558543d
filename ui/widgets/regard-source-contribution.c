/* regard-source-contribution.c — how much of each word on the screen comes from the source, kept up
 * to date.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-source-contribution.h"

#include "figures/regard-language.h"
#include "figures/regard-words.h"
#include "runner/regard-analysis.h"
#include "runner/regard-work.h"
#include "widgets/regard-gtk.h"

#include <math.h>

struct _RegardSourceContribution {
  GObject parent_instance;

  RegardSelection *selection; /* weak: it owns this */
  gboolean is_on;
  mt_source_contribution *trust;
  char *error;
  mt_model *model; /* that the thresholds are of; NULL: none yet */
  mt_source_contribution_thresholds thresholds;
  char *no_thresholds; /* what is wrong with their file; NULL: nothing */
  RegardWork *work;
};

G_DEFINE_FINAL_TYPE(RegardSourceContribution, regard_source_contribution, G_TYPE_OBJECT)

enum { PROP_0, PROP_ON, N_PROPS };
static GParamSpec *props[N_PROPS];
static guint changed_signal;

static void
emit_changed(RegardSourceContribution *self)
{
  g_signal_emit(self, changed_signal, 0);
}

/* ---- Computing --------------------------------------------------------------------------------
 */

/* Thresholds are a file of the model, read once for it. */
static void
take_thresholds(RegardSourceContribution *self, mt_model *model, RegardTokenContribution *trusted)
{
  mt_model_unref(self->model);
  self->model = mt_model_ref(model);
  self->thresholds = trusted->thresholds;
  g_free(self->no_thresholds);
  self->no_thresholds = g_steal_pointer(&trusted->no_thresholds);
}

static void
on_computed(gpointer owner, RegardRun *run)
{
  RegardSourceContribution *self = owner;
  const RegardPass *pass = regard_run_get_pass(run);
  g_autoptr(GError) error = NULL;
  RegardTokenContribution *trusted = regard_run_finish(run, &error);

  self->error = error ? regard_analysis_explain(pass, error) : NULL;
  if (trusted) {
    if (trusted->has_thresholds)
      take_thresholds(self, pass->model, trusted);
    self->trust = g_steal_pointer(&trusted->trust);
    regard_trusted_free(trusted);
  }
  emit_changed(self);
}

/* Numbers of other tokens would be wrong: they go at once. */
static void
begin_anew(RegardSourceContribution *self)
{
  RegardPass *pass = self->selection ? regard_selection_get_pass(self->selection) : NULL;
  const gboolean with_thresholds = pass && pass->model != self->model;

  regard_work_drop(self->work);
  g_clear_pointer(&self->trust, mt_source_contribution_unref);
  g_clear_pointer(&self->error, g_free);
  if (self->is_on && pass)
    regard_work_run(self->work, &regard_analysis_trust, pass, &with_thresholds, on_computed);
  emit_changed(self);
}

static void
on_capture(RegardSourceContribution *self)
{
  if (self->is_on)
    begin_anew(self);
  else /* a model is too large to be kept for what is not looked at */
    g_clear_pointer(&self->model, mt_model_unref);
}

/* ---- Asking -----------------------------------------------------------------------------------
 */

gboolean
regard_source_contribution_is_on(RegardSourceContribution *self)
{
  return self->is_on;
}

const mt_source_contribution *
regard_source_contribution_get(RegardSourceContribution *self)
{
  return self->trust;
}

double
regard_source_contribution_value(RegardSourceContribution *self, gboolean is_source, gsize token)
{
  const mt_source_contribution *trust = self->trust;

  if (!trust || token >= (is_source ? trust->n_source : trust->n_target))
    return NAN;
  return (is_source ? trust->uses : trust->shares)[token];
}

gboolean
regard_source_contribution_is_marked(RegardSourceContribution *self, gboolean is_source,
                                     gsize token)
{
  if (isnan(regard_source_contribution_value(self, is_source, token)))
    return FALSE;
  return is_source ? mt_source_contribution_is_left_out(self->trust, &self->thresholds, token)
                   : mt_source_contribution_is_weak(self->trust, &self->thresholds, token);
}

char *
regard_source_contribution_describe_token(RegardSourceContribution *self, gboolean is_source,
                                          gsize token)
{
  const double value = regard_source_contribution_value(self, is_source, token);
  const char *mark = !regard_source_contribution_is_marked(self, is_source, token) ? NULL
                     : is_source                                                   ? _("left out")
                                 : _("hardly from the source");

  if (isnan(value))
    return NULL;
  g_autofree char *number =
      is_source ? regard_strdup_printf(_("used %.2f by all words together, where 1 is one "
                                         "whole word"),
                                       value)
                : g_strdup_printf(_("%.0f %% from the source"), 100 * value);
  /* Translators: "40 % from the source, hardly from the source" */
  return mark ? g_strdup_printf(_("%s, %s"), number, mark) : g_steal_pointer(&number);
}

char *
regard_source_contribution_describe(RegardSourceContribution *self)
{
  const mt_source_contribution_thresholds *t = &self->thresholds;

  if (!self->is_on)
    return g_strdup("");
  if (self->error)
    return g_strdup(self->error);
  if (!self->trust)
    return g_strdup(_("Computing how much of each word comes from the source"));
  GString *text = g_string_new(NULL);
  if (!isnan(mt_source_contribution_mean(self->trust)))
    regard_words_add_sentence(text,
                              _("%.0f %% of the words comes from the source, of one word at least "
                                "%.0f %% (ALTI+, Ferrando et al. 2022)."),
                              100 * mt_source_contribution_mean(self->trust),
                              100 * mt_source_contribution_least(self->trust));
  if (self->no_thresholds)
    /* Translators: %s is the reason */
    regard_words_add_sentence(text, _("Nothing is marked: %s"), self->no_thresholds);
  else if (t->n_sentences == 0)
    regard_words_add_sentence(text,
                              _("Nothing is marked, since what is usual for this model is not "
                                "known: regard-cli trust --calibrate finds it out over a text"));
  else {
    regard_words_add_sentence(text,
                              _("Marked: a word below %.0f %%, hardly from the source; a source "
                                "token of which less than %.2f was used, left out."),
                              100 * t->share, t->use);
    regard_words_add_sentence(text,
                              ngettext("Over %zu sentence %.1f %% were below",
                                       "Over %zu sentences %.1f %% were below", t->n_sentences),
                              t->n_sentences, 100 * t->quantile);
  }
  return g_string_free(text, FALSE);
}

/* ---- The object -------------------------------------------------------------------------------
 */

static void
get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  g_value_set_boolean(value, REGARD_SOURCE_CONTRIBUTION(object)->is_on);
}

static void
set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  RegardSourceContribution *self = REGARD_SOURCE_CONTRIBUTION(object);

  if (g_value_get_boolean(value) == self->is_on)
    return;
  self->is_on = !self->is_on;
  begin_anew(self);
  g_object_notify_by_pspec(object, props[PROP_ON]);
}

static void
dispose(GObject *object)
{
  RegardSourceContribution *self = REGARD_SOURCE_CONTRIBUTION(object);

  g_clear_object(&self->work);
  g_clear_weak_pointer(&self->selection);
  g_clear_pointer(&self->trust, mt_source_contribution_unref);
  g_clear_pointer(&self->model, mt_model_unref);
  g_clear_pointer(&self->error, g_free);
  g_clear_pointer(&self->no_thresholds, g_free);
  G_OBJECT_CLASS(regard_source_contribution_parent_class)->dispose(object);
}

static void
regard_source_contribution_class_init(RegardSourceContributionClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS(klass);

  object_class->dispose = dispose;
  object_class->get_property = get_property;
  object_class->set_property = set_property;
  props[PROP_ON] =
      g_param_spec_boolean("on", NULL, NULL, FALSE,
                           G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties(object_class, N_PROPS, props);
  changed_signal = regard_signal_new(klass, "changed", 0);
}

static void
regard_source_contribution_init(RegardSourceContribution *self)
{
  self->work = regard_work_new(self);
}

RegardSourceContribution *
regard_source_contribution_of(RegardSelection *selection)
{
  RegardSourceContribution *self = g_object_get_data(G_OBJECT(selection), "regard-trust");

  if (self)
    return self;
  self = g_object_new(REGARD_TYPE_SOURCE_CONTRIBUTION, NULL);
  g_set_weak_pointer(&self->selection, selection);
  regard_connect(selection, "notify::capture", G_CALLBACK(on_capture), self);
  g_object_set_data_full(G_OBJECT(selection), "regard-trust", self, g_object_unref);
  return self;
}
