/* regard-comparer.c — what is compared, and by which side it is looked at.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/regard-comparer.h"

#include "base/regard-paths.h"
#include "document/regard-sentences.h"
#include "document/regard-translator.h"
#include "models/regard-model-loader.h"
#include "runner/regard-work.h"

/* ==== A pass of now beside one of a reference, computed by the runner ========================= */

static void
comparison_free(RegardComparison *comparison)
{
  for (guint i = 0; i < 2; i++)
    regard_pass_set(&comparison->passes[i], NULL);
  mt_capture_unref(comparison->difference);
  g_free(comparison);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RegardComparison, comparison_free)

/* What a pass, which has the words that the model chose by itself and need not have a capture, is
 * compared with. */
typedef struct {
  RegardPass *reference;           /* A; NULL: the untouched run, which is searched for */
  mt_search_params params;         /* with a reference to their constraints */
  mt_interventions *interventions; /* reference; of B, NULL: none */
  /* Both are of this kind and layer alone, as what is shown is. */
  gboolean is_part;
  mt_capture_place place;
} RegardComparisonParams;

/* ---- In a thread ------------------------------------------------------------------------------
 */

/* A pass with what was made of a translation; both are taken. NULL without a capture. */
static RegardPass *
take_pass(mt_capture *capture, mt_model *model, mt_translation *translation, gsize hypothesis)
{
  RegardPass *pass = capture ? regard_pass_new(capture, model, translation, hypothesis) : NULL;
  mt_capture_unref(capture);
  mt_translation_unref(translation);
  return pass;
}

/* NULL: all is compared. */
static const mt_capture_place *
place_of(const RegardComparisonParams *given)
{
  return given->is_part ? &given->place : NULL;
}

/* The untouched run, A. */
static RegardPass *
search_reference(RegardRun *run, mt_session *session, mt_error *error)
{
  const RegardPass *own = regard_run_get_pass(run);
  const RegardComparisonParams *given = regard_run_get_params(run);
  const mt_hooks hooks = regard_run_hooks(run, NULL);
  mt_translation *found =
      mt_session_translate_tokens(session, mt_translation_source(own->translation), &given->params,
                                  &hooks, error);
  mt_capture *capture = found ? mt_session_capture_part(session, found, 0, place_of(given),
                                                        MT_CAPTURE_POSITIONS, &hooks, error)
                              : NULL;
  return take_pass(capture, own->model, found, 0);
}

/* Captures use the weights as they are stored, and would hide what rounding does. */
static gboolean
is_of_precisions(const RegardPass *a, const RegardPass *b)
{
  return mt_model_precision(a->model) != mt_model_precision(b->model);
}

/* Whether a capture is of what is compared: one that was kept may be of another layer. */
static gboolean
has_place(const mt_capture *capture, const mt_capture_place *place)
{
  for (mt_attention_kind k = 0; k < MT_N_KINDS; k++) {
    const gboolean is_wanted = !place || place->kind == (int) k;
    const gsize n_layers = mt_capture_n_layers(capture, k);
    if (is_wanted != (n_layers > 0))
      return FALSE;
    if (is_wanted &&
        (place ? n_layers != 1 || mt_capture_first_layer(capture, k) != (gsize) place->layer
               : mt_capture_is_part(capture, k)))
      return FALSE;
  }
  return TRUE;
}

/* A once more: as its model computes it, where what is compared is the precision, or of the place
 * that is compared. */
static RegardPass *
capture_again(RegardRun *run, const RegardPass *a, unsigned flags, mt_error *error)
{
  const mt_hooks hooks = regard_run_hooks(run, a->interventions);
  g_autoptr(mt_session) session = mt_session_new(a->model, NULL, error);
  mt_capture *again = session ? mt_session_capture_part(session, a->translation, a->hypothesis,
                                                        place_of(regard_run_get_params(run)),
                                                        flags | MT_CAPTURE_POSITIONS, &hooks, error)
                              : NULL;
  return take_pass(again, a->model, mt_translation_ref(a->translation), a->hypothesis);
}

/* The model as it is now is given the words of the reference: B. */
static RegardPass *
force(RegardRun *run, mt_session *session, const RegardPass *a, mt_error *error)
{
  const RegardPass *own = regard_run_get_pass(run);
  const RegardComparisonParams *given = regard_run_get_params(run);
  const unsigned flags = is_of_precisions(a, own) ? MT_CAPTURE_ROUNDED : 0;
  const mt_hooks hooks = regard_run_hooks(run, given->interventions);
  const mt_tokens *words = regard_pass_output(a);
  const gsize n = mt_tokens_count(words);
  g_autofree int32_t *ids = g_new(int32_t, n);
  mt_search_params params = given->params;
  mt_tokens_copy_ids(words, n, ids);
  g_autoptr(mt_constraints) all = mt_constraints_new(ids, n, NULL, 0, error);
  if (!all)
    return NULL;
  params.constraints = all;
  params.beam_size = params.n_best = 1;
  params.min_length = 0;
  mt_translation *found =
      mt_session_translate_tokens(session, mt_translation_source(own->translation), &params, &hooks,
                                  error);
  mt_capture *capture = found ? mt_session_capture_part(session, found, 0, place_of(given),
                                                        flags | MT_CAPTURE_POSITIONS, &hooks, error)
                              : NULL;
  return take_pass(capture, own->model, found, 0);
}

/* Both passes, where they can be had. */
static void
make_passes(RegardRun *run, mt_session *session, RegardPass *passes[2], mt_error *error)
{
  const RegardPass *own = regard_run_get_pass(run);
  const RegardComparisonParams *given = regard_run_get_params(run);
  g_autoptr(RegardPass) a =
      given->reference ? regard_pass_ref(given->reference) : search_reference(run, session, error);
  if (a && (is_of_precisions(a, own) || !has_place(a->capture, place_of(given))))
    passes[0] = capture_again(run, a, is_of_precisions(a, own) ? MT_CAPTURE_ROUNDED : 0, error);
  else
    passes[0] = g_steal_pointer(&a);
  if (passes[0])
    passes[1] = force(run, session, passes[0], error);
}

static gpointer
compare(RegardRun *run, mt_error *error)
{
  g_autoptr(RegardComparison) made = g_new0(RegardComparison, 1);
  g_autoptr(mt_session) session = mt_session_new(regard_run_get_pass(run)->model, NULL, error);
  if (session)
    make_passes(run, session, made->passes, error);
  if (made->passes[1])
    made->difference =
        mt_capture_difference(made->passes[0]->capture, made->passes[1]->capture, error);
  if (!made->difference)
    return NULL;
  for (guint i = 0; i < 2; i++)
    made->logprobs[i] = (double) mt_translation_hypothesis(made->passes[i]->translation,
                                                           made->passes[i]->hypothesis)
                            ->sum_logprob;
  return g_steal_pointer(&made);
}

static void
clear_params(gpointer data)
{
  RegardComparisonParams *params = data;
  regard_pass_set(&params->reference, NULL);
  mt_constraints_unref((mt_constraints *) params->params.constraints);
  mt_interventions_unref(params->interventions);
}

/* RegardComparisonParams → RegardComparison. An error, too, where tokens or layers are not alike.
 */
static const RegardTask comparison_task = {
    .priority = REGARD_RUN_SHOWN,
    .needs_model = TRUE,
    .params_size = sizeof(RegardComparisonParams),
    .compute = compare,
    .clear_params = clear_params,
    .free_result = (GDestroyNotify) comparison_free,
};

/* ==== The comparer ============================================================================ */

struct _RegardComparer {
  GObject parent_instance;

  RegardSelection *selection; /* borrowed */
  RegardComparerState state;
  RegardWork *comparing;

  gboolean is_reviving;         /* the reference is answered again */
  RegardWork *loading;          /* of its model */
  RegardTranslator *translator; /* NULL: not begun */
  gsize most_captured;          /* of its answer; bytes, 0: no limit */
};

G_DEFINE_FINAL_TYPE(RegardComparer, regard_comparer, G_TYPE_OBJECT)

const RegardComparerState *
regard_comparer_get_state(RegardComparer *self)
{
  return &self->state;
}

gboolean
regard_comparer_set_reference(RegardComparer *self, RegardSnapshot *state)
{
  RegardSnapshot *old = self->state.reference;
  if (old == state)
    return FALSE;
  regard_comparer_stop_reviving(self);
  self->state.reference = state ? regard_snapshot_ref(state) : NULL;
  g_clear_pointer(&old, regard_snapshot_unref);
  return TRUE;
}

void
regard_comparer_set_most_captured(RegardComparer *self, gsize bytes)
{
  self->most_captured = bytes;
}

gboolean
regard_comparer_has_answer(RegardComparer *self)
{
  return self->state.reference && self->state.reference->result;
}

gboolean
regard_comparer_set_side(RegardComparer *self, RegardCompare side)
{
  if (self->state.side == side)
    return FALSE;
  self->state.side = side;
  return TRUE;
}

/* ---- Comparing ----------------------------------------------------------------------------- */

void
regard_comparer_clear(RegardComparer *self)
{
  regard_work_drop(self->comparing);
  g_clear_pointer(&self->state.comparison, comparison_free);
  g_clear_pointer(&self->state.error, g_free);
  regard_selection_set_no_pair(self->selection, FALSE, NULL);
}

static void
on_made(gpointer owner, RegardRun *run)
{
  RegardComparer *self = owner;
  g_autoptr(GError) error = NULL;
  RegardComparison *made = regard_run_finish(run, &error);
  g_clear_pointer(&self->state.comparison, comparison_free);
  self->state.comparison = made;
  self->state.error = error ? g_strdup(error->message) : NULL;
  if (made)
    regard_selection_set_pair(self->selection, made->passes[0], made->passes[1]);
  else
    regard_selection_set_no_pair(self->selection, FALSE, self->state.error);
  g_signal_emit_by_name(self, "compared");
}

/* A, where a state was kept; NULL: it is another sentence, or has no answer. Caller unrefs. */
static RegardPass *
find_reference(RegardComparer *self)
{
  const RegardResult *kept = self->state.reference ? self->state.reference->result : NULL;
  const RegardResultSentence *active = kept ? regard_result_active(kept) : NULL;
  return active && kept->capture
             ? regard_pass_new(kept->capture, kept->model, active->translation, active->chosen)
             : NULL;
}

/* The kind and layer of a capture that is a part; FALSE: it is all there is. */
static gboolean
find_place(const mt_capture *capture, mt_capture_place *place)
{
  for (mt_attention_kind k = 0; k < MT_N_KINDS; k++)
    if (mt_capture_n_layers(capture, k) > 0 && mt_capture_is_part(capture, k)) {
      *place = (mt_capture_place){(int) k, (int) mt_capture_first_layer(capture, k), -1};
      return TRUE;
    }
  return FALSE;
}

/* Shown, or wanted by somebody who shows something of both. */
static gboolean
is_wanted(RegardComparer *self, gboolean can)
{
  return self->state.side != REGARD_COMPARE_OFF ||
         (regard_selection_get_wants_pair(self->selection) && can);
}

void
regard_comparer_update(RegardComparer *self, const RegardResult *result, gboolean can)
{
  const RegardResultSentence *active = result ? regard_result_active(result) : NULL;
  if (!is_wanted(self, can)) {
    regard_comparer_clear(self);
    return;
  }
  if (!active || !active->translation || !result->capture)
    return;
  const mt_request *search = mt_translation_search(active->translation);
  RegardComparisonParams params = {.reference = find_reference(self), .params = result->params};
  regard_comparer_clear(self);
  if (!params.reference && mt_interventions_count(result->interventions) == 0)
    return;
  params.params.trace = 0;
  params.params.constraints =
      search && search->constraints ? mt_constraints_ref(search->constraints) : NULL;
  /* Terms may have wanted a wider beam. */
  size_t row;
  double beam_size;
  if (search && mt_search_find_field("beam_size", &row) && mt_request_get(search, row, &beam_size))
    mt_search_params_put(&params.params, row, beam_size);
  params.interventions = result->interventions ? mt_interventions_ref(result->interventions) : NULL;
  params.is_part = find_place(result->capture, &params.place);
  g_autoptr(RegardPass) own = regard_pass_new(NULL, result->model, active->translation, 0);
  regard_selection_set_no_pair(self->selection, TRUE, NULL);
  regard_work_run(self->comparing, &comparison_task, own, &params, on_made);
}

void
regard_comparer_begin(RegardComparer *self, const RegardResult *result, gboolean can)
{
  const gboolean is_there = self->state.comparison || regard_work_is_busy(self->comparing);
  if (!is_there || !is_wanted(self, can))
    regard_comparer_update(self, result, can);
}

gboolean
regard_comparer_show(RegardComparer *self)
{
  const RegardComparison *c = self->state.comparison;
  if (self->state.side == REGARD_COMPARE_OFF)
    return FALSE;
  if (!c)
    return regard_work_is_busy(self->comparing); /* it comes */
  if (self->state.side == REGARD_COMPARE_DIFFERENCE)
    regard_selection_show(self->selection, c->difference, NULL, NULL, 0);
  else
    regard_selection_show_pass(self->selection, c->passes[self->state.side == REGARD_COMPARE_B]);
  regard_selection_set_stale(self->selection, FALSE);
  return TRUE;
}

/* ---- A reference without an answer ------------------------------------------------------------
 */

gboolean
regard_comparer_is_reviving(RegardComparer *self)
{
  return self->is_reviving;
}

void
regard_comparer_stop_reviving(RegardComparer *self)
{
  self->is_reviving = FALSE;
  regard_work_drop(self->loading);
  g_clear_object(&self->translator);
}

void
regard_comparer_revive(RegardComparer *self)
{
  regard_comparer_stop_reviving(self);
  self->is_reviving = TRUE;
}

static void
fail(RegardComparer *self, const GError *error)
{
  g_signal_emit_by_name(self, "revived", NULL, error);
}

static void
on_answer(RegardTranslator *translator, RegardResult *result, RegardComparer *self)
{
  const GError *error = regard_result_error(result);
  if (!result->complete || translator != self->translator)
    return;
  if (result->capture) {
    g_autoptr(RegardSnapshot) state = regard_snapshot_copy(self->state.reference);
    state->result = regard_result_ref(result);
    g_signal_emit_by_name(self, "revived", state, NULL);
  } else if (error)
    fail(self, error);
}

static void
on_model_failed(RegardTranslator *translator, const GError *error, RegardComparer *self)
{
  if (translator == self->translator)
    fail(self, error);
}

static void
ask(RegardTranslator *translator, mt_model *model, RegardComparer *self)
{
  const RegardSnapshot *state = self->state.reference;
  if (translator != self->translator)
    return;
  const mt_search_params params = mt_request_resolve(&state->search, model);
  g_autoptr(GArray) sentences = regard_sentences_split(state->text, mt_search_unit(&params, model));
  const int active = regard_sentences_at(sentences, state->text, state->caret);
  regard_translator_set_targets(translator, state->given);
  regard_translator_set_constraints(translator, state->constraints);
  regard_translator_set_copies(translator, state->copies_unknown > 0);
  regard_translator_set_capture_wish(translator,
                                     &(RegardCaptureWish){.most_bytes = self->most_captured,
                                                          .kind = state->place.kind,
                                                          .layer = state->place.layer});
  regard_translator_request(translator, state->text, sentences, active, (int) state->alternative,
                            &state->search);
}

static void
answer(RegardComparer *self, mt_model *model)
{
  self->translator = regard_translator_new();
  g_signal_connect_object(self->translator, "model-changed", G_CALLBACK(ask), self, 0);
  g_signal_connect_object(self->translator, "model-failed", G_CALLBACK(on_model_failed), self, 0);
  g_signal_connect_object(self->translator, "result", G_CALLBACK(on_answer), self, 0);
  regard_translator_set_model(self->translator, model);
}

static void
on_loaded(gpointer owner, RegardRun *run)
{
  RegardComparer *self = owner;
  g_autoptr(GError) error = NULL;
  g_autoptr(mt_model) model = regard_model_load_finish(run, &error);
  if (model) {
    regard_model_load_done(); /* it takes nobody's place */
    answer(self, model);
  } else
    fail(self, error);
}

void
regard_comparer_continue(RegardComparer *self, mt_model *model, const char *dir,
                         mt_precision precision, gboolean caches)
{
  const RegardSnapshot *state = self->state.reference;
  if (!self->is_reviving || self->translator || regard_work_is_busy(self->loading))
    return;
  if (g_strcmp0(state->model, dir) == 0 && state->precision == precision) {
    answer(self, model);
    return;
  }
  const RegardModelLoad load = {.dir = *state->model ? g_strdup(state->model)
                                                     : regard_paths_bundled_model(),
                                .precision = state->precision,
                                .caches = caches};
  regard_work_run(self->loading, &regard_model_load_task, NULL, &load, on_loaded);
}

/* ---- The object ---------------------------------------------------------------------------- */

static void
regard_comparer_finalize(GObject *object)
{
  RegardComparer *self = REGARD_COMPARER(object);
  g_object_unref(self->comparing);
  g_object_unref(self->loading);
  g_clear_object(&self->translator);
  g_clear_pointer(&self->state.reference, regard_snapshot_unref);
  g_clear_pointer(&self->state.comparison, comparison_free);
  g_free(self->state.error);
  G_OBJECT_CLASS(regard_comparer_parent_class)->finalize(object);
}

static void
regard_comparer_class_init(RegardComparerClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = regard_comparer_finalize;
  regard_add_signal(klass, "compared", 0);
  regard_add_signal(klass, "revived", 2, REGARD_TYPE_STATE, G_TYPE_ERROR);
}

static void
regard_comparer_init(RegardComparer *self)
{
  self->comparing = regard_work_new(self);
  self->loading = regard_work_new(self);
}

RegardComparer *
regard_comparer_new(RegardSelection *selection)
{
  RegardComparer *self = g_object_new(REGARD_TYPE_COMPARER, NULL);
  self->selection = selection;
  return self;
}
