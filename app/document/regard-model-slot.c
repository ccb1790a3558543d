/* regard-model-slot.c — opening models: the bundled one, a chosen, dropped or recent one.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/regard-model-slot.h"

#include "base/regard-paths.h"
#include "models/regard-model-loader.h"
#include "runner/regard-work.h"

struct _RegardModelSlot {
  GObject parent_instance;

  RegardTranslator *translator; /* borrowed; NULL: closed */
  RegardModelSlotState state;
  RegardWork *loading;
  gboolean is_swapping; /* no other model may be opened before this one has its place */
};

G_DEFINE_FINAL_TYPE(RegardModelSlot, regard_model_slot, G_TYPE_OBJECT)

static void
slot_model_clear(RegardSlotModel *model)
{
  g_clear_pointer(&model->model, mt_model_unref);
  g_clear_pointer(&model->dir, g_free);
  g_clear_pointer(&model->title, g_free);
  g_clear_pointer(&model->steps, g_array_unref);
  g_clear_pointer(&model->means, mt_means_unref);
  g_clear_pointer(&model->why_no_means, g_free);
}

/* ---- What there is ------------------------------------------------------------------------- */

const RegardModelSlotState *
regard_model_slot_get_state(RegardModelSlot *self)
{
  return &self->state;
}

gboolean
regard_model_slot_is_opening(RegardModelSlot *self)
{
  return regard_work_is_busy(self->loading) || self->state.ready.dir;
}

const char *
regard_model_slot_get_newest(RegardModelSlot *self)
{
  const RegardModelSlotState *state = &self->state;
  return state->loading ? state->loading : state->ready.dir ? state->ready.dir : state->own.dir;
}

char **
regard_model_slot_list(RegardModelSlot *self)
{
  g_autoptr(GStrvBuilder) paths = g_strv_builder_new();
  const char *const all[] = {self->state.own.dir, self->state.loading, self->state.ready.dir};
  for (guint i = 0; i < G_N_ELEMENTS(all); i++)
    if (all[i])
      g_strv_builder_add(paths, all[i]);
  return g_strv_builder_end(paths);
}

void
regard_model_slot_set_precision(RegardModelSlot *self, mt_precision precision)
{
  self->state.precision = precision;
}

void
regard_model_slot_set_caches(RegardModelSlot *self, gboolean caches)
{
  self->state.caches = caches;
}

/* ---- Changes ------------------------------------------------------------------------------- */

mt_interventions *
regard_model_slot_with_means(RegardModelSlot *self, const mt_interventions *interventions)
{
  mt_error error = {0};
  mt_means *means = mt_interventions_need_means(interventions) ? self->state.own.means : NULL;
  mt_interventions *with = means && mt_interventions_means(interventions) != means
                               ? mt_interventions_with_means(interventions, means, &error)
                               : NULL;
  return with ? with : mt_interventions_ref((mt_interventions *) interventions);
}

mt_interventions *
regard_model_slot_parse_interventions(RegardModelSlot *self, const char *text, mt_error *error)
{
  const RegardSlotModel *own = &self->state.own;
  g_autoptr(mt_interventions) parsed = mt_interventions_parse("change", text, error);
  if (!parsed)
    return NULL;
  if (mt_interventions_need_means(parsed) && !own->means && own->why_no_means) {
    error->code = MT_ERROR_INPUT;
    g_strlcpy(error->message, own->why_no_means, sizeof error->message);
    return NULL;
  }
  g_autoptr(mt_interventions) interventions = regard_model_slot_with_means(self, parsed);
  return !own->model || mt_interventions_check(interventions, mt_model_config(own->model), error)
             ? g_steal_pointer(&interventions)
             : NULL;
}

/* ---- Loading ------------------------------------------------------------------------------- */

static void
end_loading(RegardModelSlot *self)
{
  regard_work_drop(self->loading);
  g_clear_pointer(&self->state.loading, g_free);
}

void
regard_model_slot_cancel(RegardModelSlot *self)
{
  end_loading(self);
  g_signal_emit_by_name(self, "loading");
}

static void
on_progress(RegardModelSlot *self)
{
  const double share = regard_work_get_share(self->loading);
  if (share <= self->state.share)
    return;
  self->state.share = share;
  g_signal_emit_by_name(self, "share");
}

static void
on_loaded(gpointer owner, RegardRun *run)
{
  RegardModelSlot *self = owner;
  RegardModelLoad *load = regard_run_get_params(run);
  g_autoptr(GError) error = NULL;
  g_autoptr(mt_model) model = regard_model_load_finish(run, &error);
  /* A file of a model may have been chosen for it. */
  g_autofree char *dir = g_strdup(*self->state.loading ? load->dir : "");
  g_clear_pointer(&self->state.loading, g_free);
  if (!model) {
    regard_model_slot_cancel(self);
    g_signal_emit_by_name(self, "load-failed", dir, load->steps, error);
    return;
  }
  /* Goes on in on_model_changed(), when the worker has made room for it. */
  slot_model_clear(&self->state.ready);
  self->state.ready = (RegardSlotModel){.dir = g_steal_pointer(&dir),
                                        .title = g_strdup(load->title),
                                        .steps = load->steps ? g_array_ref(load->steps) : NULL,
                                        .means = g_steal_pointer(&load->means),
                                        .why_no_means = g_steal_pointer(&load->why_no_means),
                                        .first_head = load->first_head};
  regard_model_slot_cancel(self);
  self->is_swapping = TRUE;
  regard_translator_set_model(self->translator, model);
}

void
regard_model_slot_open(RegardModelSlot *self, const char *dir)
{
  end_loading(self);
  self->state.loading = *dir ? g_canonicalize_filename(dir, NULL) : g_strdup("");
  self->state.share = 0;
  const RegardModelLoad load = {.dir = *dir ? g_strdup(self->state.loading)
                                            : regard_paths_bundled_model(),
                                .precision = self->state.precision,
                                .caches = self->state.caches};
  regard_work_run(self->loading, &regard_model_load_task, NULL, &load, on_loaded);
  g_signal_emit_by_name(self, "loading");
}

void
regard_model_slot_end_swap(RegardModelSlot *self)
{
  if (!self->is_swapping || self->state.ready.dir)
    return;
  self->is_swapping = FALSE;
  regard_model_load_done();
}

/* ---- The worker ---------------------------------------------------------------------------- */

static void
on_model_changed(RegardTranslator *translator, mt_model *model, RegardModelSlot *self)
{
  RegardSlotModel old = self->state.own;
  self->state.own = self->state.ready;
  self->state.own.model = mt_model_ref(model);
  self->state.ready = (RegardSlotModel){0};
  slot_model_clear(&old);
  if (!self->state.own.dir)
    self->state.own.dir = g_strdup("");
  if (!self->state.own.title)
    self->state.own.title = g_strdup(mt_model_name(model));
  g_signal_emit_by_name(self, "changed");
}

static void
on_model_failed(RegardTranslator *translator, const GError *error, RegardModelSlot *self)
{
  slot_model_clear(&self->state.ready);
  g_signal_emit_by_name(self, "failed", error);
}

/* ---- The object ---------------------------------------------------------------------------- */

void
regard_model_slot_close(RegardModelSlot *self)
{
  end_loading(self);
  self->translator = NULL;
  slot_model_clear(&self->state.ready);
  regard_model_slot_end_swap(self);
}

static void
regard_model_slot_finalize(GObject *object)
{
  RegardModelSlot *self = REGARD_MODEL_SLOT(object);
  g_object_unref(self->loading);
  g_free(self->state.loading);
  slot_model_clear(&self->state.ready);
  slot_model_clear(&self->state.own);
  G_OBJECT_CLASS(regard_model_slot_parent_class)->finalize(object);
}

static void
regard_model_slot_class_init(RegardModelSlotClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = regard_model_slot_finalize;
  regard_add_signal(klass, "loading", 0);
  regard_add_signal(klass, "share", 0);
  regard_add_signal(klass, "load-failed", 3, G_TYPE_STRING, G_TYPE_ARRAY, G_TYPE_ERROR);
  regard_add_signal(klass, "changed", 0);
  regard_add_signal(klass, "failed", 1, G_TYPE_ERROR);
}

static void
regard_model_slot_init(RegardModelSlot *self)
{
  self->loading = regard_work_new(self);
  regard_observe(self->loading, self, on_progress, "changed");
}

RegardModelSlot *
regard_model_slot_new(RegardTranslator *translator)
{
  RegardModelSlot *self = g_object_new(REGARD_TYPE_MODEL_SLOT, NULL);
  self->translator = translator;
  g_signal_connect_object(translator, "model-changed", G_CALLBACK(on_model_changed), self, 0);
  g_signal_connect_object(translator, "model-failed", G_CALLBACK(on_model_failed), self, 0);
  return self;
}
