/* regard-model-slot.c — opening models: the bundled one, a chosen, dropped or recent one.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/regard-model-slot.h"

#include "base/regard-paths.h"
#include "models/regard-model-info.h"
#include "models/regard-model-loader.h"
#include "runner/regard-work.h"

/* What comes with a model. */
typedef struct {
  char *dir, *title; /* NULL: none */
  GArray *steps;
  mt_means *means;
  char *why_no_means;
} Belongings;

struct _RegardModelSlot {
  GObject parent_instance;

  RegardTranslator *translator; /* borrowed; NULL: closed */
  mt_model *model;
  Belongings own;   /* of the model that runs */
  Belongings ready; /* of the one that was opened, and handed to the worker */
  mt_precision precision;
  RegardWork *loading;
  char *loading_dir; /* NULL: none is opened */
  double share;
  gboolean is_swapping; /* no other model may be opened before this one has its place */
};

G_DEFINE_FINAL_TYPE(RegardModelSlot, regard_model_slot, G_TYPE_OBJECT)

enum { LOADING, SHARE, LOAD_FAILED, CHANGED, FAILED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
belongings_clear(Belongings *b)
{
  g_clear_pointer(&b->dir, g_free);
  g_clear_pointer(&b->title, g_free);
  g_clear_pointer(&b->steps, g_array_unref);
  g_clear_pointer(&b->means, mt_means_unref);
  g_clear_pointer(&b->why_no_means, g_free);
}

/* ---- What there is ------------------------------------------------------------------------- */

mt_model *
regard_model_slot_get_model(RegardModelSlot *self)
{
  return self->model;
}

const char *
regard_model_slot_get_dir(RegardModelSlot *self)
{
  return self->own.dir;
}

const char *
regard_model_slot_get_title(RegardModelSlot *self)
{
  return self->own.title;
}

GArray *
regard_model_slot_get_steps(RegardModelSlot *self)
{
  return self->own.steps;
}

mt_means *
regard_model_slot_get_means(RegardModelSlot *self, const char **why_not)
{
  if (why_not)
    *why_not = self->own.why_no_means;
  return self->own.means;
}

const char *
regard_model_slot_get_loading(RegardModelSlot *self)
{
  return self->loading_dir;
}

double
regard_model_slot_get_share(RegardModelSlot *self)
{
  return self->share;
}

gboolean
regard_model_slot_is_ready(RegardModelSlot *self)
{
  return self->ready.dir != NULL;
}

gboolean
regard_model_slot_is_opening(RegardModelSlot *self)
{
  return regard_work_is_busy(self->loading) || self->ready.dir;
}

const char *
regard_model_slot_get_newest(RegardModelSlot *self)
{
  return self->loading_dir ? self->loading_dir : self->ready.dir ? self->ready.dir : self->own.dir;
}

char **
regard_model_slot_list(RegardModelSlot *self)
{
  g_autoptr(GStrvBuilder) paths = g_strv_builder_new();
  const char *const all[] = {self->own.dir, self->loading_dir, self->ready.dir};
  for (guint i = 0; i < G_N_ELEMENTS(all); i++)
    if (all[i])
      g_strv_builder_add(paths, all[i]);
  return g_strv_builder_end(paths);
}

mt_precision
regard_model_slot_get_precision(RegardModelSlot *self)
{
  return self->precision;
}

void
regard_model_slot_set_precision(RegardModelSlot *self, mt_precision precision)
{
  self->precision = precision;
}

/* ---- Loading ------------------------------------------------------------------------------- */

static void
end_loading(RegardModelSlot *self)
{
  regard_work_drop(self->loading);
  g_clear_pointer(&self->loading_dir, g_free);
}

void
regard_model_slot_cancel(RegardModelSlot *self)
{
  end_loading(self);
  g_signal_emit(self, signals[LOADING], 0);
}

static void
on_progress(RegardModelSlot *self)
{
  const double share = regard_work_get_share(self->loading);
  if (share <= self->share)
    return;
  self->share = share;
  g_signal_emit(self, signals[SHARE], 0);
}

static void
on_loaded(gpointer owner, RegardRun *run)
{
  RegardModelSlot *self = owner;
  RegardModelLoad *load = regard_run_get_params(run);
  g_autoptr(GError) error = NULL;
  mt_model *model = regard_model_load_finish(run, &error);
  g_autofree char *dir = g_steal_pointer(&self->loading_dir);
  if (!model) {
    regard_model_slot_cancel(self);
    g_signal_emit(self, signals[LOAD_FAILED], 0, dir, load->steps, error);
    return;
  }
  /* Goes on in on_model_changed(), when the worker has made room for it. */
  belongings_clear(&self->ready);
  self->ready = (Belongings){.dir = g_steal_pointer(&dir),
                             .title = g_strdup(load->title),
                             .steps = load->steps ? g_array_ref(load->steps) : NULL,
                             .means = g_steal_pointer(&load->means),
                             .why_no_means = g_steal_pointer(&load->why_no_means)};
  regard_model_slot_cancel(self);
  self->is_swapping = TRUE;
  regard_translator_set_model(self->translator, model);
  mt_model_unref(model);
}

void
regard_model_slot_open(RegardModelSlot *self, const char *dir)
{
  g_autofree char *chosen = *dir ? g_canonicalize_filename(dir, NULL) : NULL;
  g_autofree char *path = chosen ? regard_model_path(chosen) : regard_paths_bundled_model();
  const gboolean is_bundled = *dir == '\0';
  end_loading(self);
  self->loading_dir = is_bundled ? g_strdup("") : g_strdup(path);
  self->share = 0;
  const RegardModelLoad load = {.dir = g_steal_pointer(&path), .precision = self->precision};
  regard_work_run(self->loading, &regard_model_load_task, NULL, &load, on_loaded);
  g_signal_emit(self, signals[LOADING], 0);
}

void
regard_model_slot_end_swap(RegardModelSlot *self)
{
  if (!self->is_swapping || self->ready.dir)
    return;
  self->is_swapping = FALSE;
  regard_model_load_done();
}

/* ---- The worker ---------------------------------------------------------------------------- */

static void
on_model_changed(RegardTranslator *translator, mt_model *model, RegardModelSlot *self)
{
  mt_model *old = self->model;
  self->model = mt_model_ref(model);
  mt_model_unref(old);
  belongings_clear(&self->own);
  self->own = self->ready;
  self->ready = (Belongings){0};
  if (!self->own.dir)
    self->own.dir = g_strdup("");
  if (!self->own.title)
    self->own.title = g_strdup(mt_model_name(model));
  g_signal_emit(self, signals[CHANGED], 0);
}

static void
on_model_failed(RegardTranslator *translator, const GError *error, RegardModelSlot *self)
{
  belongings_clear(&self->ready);
  g_signal_emit(self, signals[FAILED], 0, error);
}

/* ---- The object ---------------------------------------------------------------------------- */

void
regard_model_slot_close(RegardModelSlot *self)
{
  end_loading(self);
  self->translator = NULL;
  belongings_clear(&self->ready);
  regard_model_slot_end_swap(self);
}

static void
regard_model_slot_finalize(GObject *object)
{
  RegardModelSlot *self = REGARD_MODEL_SLOT(object);
  g_object_unref(self->loading);
  g_free(self->loading_dir);
  belongings_clear(&self->ready);
  belongings_clear(&self->own);
  mt_model_unref(self->model);
  G_OBJECT_CLASS(regard_model_slot_parent_class)->finalize(object);
}

static void
regard_model_slot_class_init(RegardModelSlotClass *klass)
{
  const GType type = G_TYPE_FROM_CLASS(klass);
  G_OBJECT_CLASS(klass)->finalize = regard_model_slot_finalize;
  signals[LOADING] =
      g_signal_new("loading", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SHARE] =
      g_signal_new("share", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[LOAD_FAILED] = g_signal_new("load-failed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                      G_TYPE_NONE, 3, G_TYPE_STRING, G_TYPE_ARRAY, G_TYPE_ERROR);
  signals[CHANGED] =
      g_signal_new("changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[FAILED] = g_signal_new("failed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                 G_TYPE_NONE, 1, G_TYPE_ERROR);
}

static void
regard_model_slot_init(RegardModelSlot *self)
{
  self->loading = regard_work_new(self);
  g_signal_connect_object(self->loading, "changed", G_CALLBACK(on_progress), self,
                          G_CONNECT_SWAPPED);
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
