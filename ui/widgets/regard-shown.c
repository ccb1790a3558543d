/* regard-shown.c — attributions instead of weights, kept up to date.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-shown.h"

#include "runner/regard-analysis.h"

#include <glib/gi18n.h>

/* Who types on need not wait for it. */
#define START_AFTER_MS 120

struct _RegardShown {
  GObject parent_instance;

  RegardSelection *selection; /* weak: it owns this */
  int method, word;
  RegardAbout about;
  RegardModelPart part;

  RegardAttributed *attributed;
  gboolean is_stale;
  char *error;
  RegardWork *work;
};

G_DEFINE_FINAL_TYPE(RegardShown, regard_shown, G_TYPE_OBJECT)

enum { PROP_0, PROP_METHOD_ID, N_PROPS };
static GParamSpec *props[N_PROPS];
static guint changed_signal;

static void
emit_changed(RegardShown *self)
{
  g_signal_emit(self, changed_signal, 0);
}

/* ---- What is asked for ------------------------------------------------------------------------
 */

const mt_attribution_method *
regard_shown_get_about_method(RegardShown *self)
{
  g_return_val_if_fail(REGARD_IS_SHOWN(self), NULL);
  return self->method >= 0 ? mt_attribution_at((gsize) self->method) : NULL;
}

gboolean
regard_shown_can_be_about(RegardShown *self, RegardAbout about)
{
  const mt_attribution_method *method = regard_shown_get_about_method(self);

  return method && (about != REGARD_ABOUT_ENCODER || method->has_encoder);
}

RegardAbout
regard_shown_get_about(RegardShown *self)
{
  return regard_shown_can_be_about(self, self->about) ? self->about : REGARD_ABOUT_WORDS;
}

gboolean
regard_shown_can_be_of(RegardShown *self, RegardModelPart part)
{
  const mt_attribution_method *method = regard_shown_get_about_method(self);

  return method &&
         (part == REGARD_PART_ALL_LAYERS || (part == REGARD_PART_LAYER && method->has_layers) ||
          (part == REGARD_PART_HEAD && method->has_layers && method->has_heads));
}

/* The nearest that there is. */
RegardModelPart
regard_shown_get_part(RegardShown *self)
{
  RegardModelPart part = self->part;

  while (part > REGARD_PART_ALL_LAYERS && !regard_shown_can_be_of(self, part))
    part--;
  return part;
}

int
regard_shown_get_word(RegardShown *self)
{
  g_return_val_if_fail(REGARD_IS_SHOWN(self), 0);
  const mt_capture *capture =
      self->selection ? regard_selection_get_capture(self->selection) : NULL;
  const mt_tokens *output = capture ? mt_capture_output(capture) : NULL;
  const int n = output ? (int) mt_tokens_count(output) : 0;
  const int step = self->selection ? regard_selection_get_step(self->selection) : -1;

  return CLAMP(step >= 0 ? step : self->word, 0, MAX(n - 1, 0));
}

/* ---- Computing --------------------------------------------------------------------------------
 */

static void
on_computed(gpointer owner, RegardRun *run)
{
  RegardShown *self = owner;
  g_autoptr(GError) error = NULL;

  g_clear_pointer(&self->attributed, regard_attributed_free);
  self->attributed = regard_run_finish(run, &error);
  self->is_stale = FALSE;
  self->error = error ? regard_analysis_explain(regard_run_get_pass(run), error) : NULL;
  emit_changed(self);
}

static void
start(gpointer owner)
{
  RegardShown *self = owner;
  const RegardModelPart part = regard_shown_get_part(self);
  const mt_attribution_params params = {
      .method = (gsize) self->method,
      .token = regard_shown_get_about(self) == REGARD_ABOUT_WORD ? regard_shown_get_word(self) : -1,
      .layer = part >= REGARD_PART_LAYER ? (int) regard_selection_get_layer(self->selection) : -1,
      .head = part == REGARD_PART_HEAD ? (int) regard_selection_get_head(self->selection) : -1,
  };

  regard_work_run(self->work, &regard_analysis_attribution,
                  regard_selection_get_pass(self->selection), &params, on_computed);
}

static void
on_stopped(RegardShown *self)
{
  self->error = g_strdup(_("Stopped before it was done"));
  emit_changed(self);
}

/* Something else is wanted. keeps: the picture that is there stays until then. */
static void
begin_anew(RegardShown *self, gboolean keeps)
{
  if (!self->selection)
    return;
  g_clear_pointer(&self->error, g_free);
  if (!keeps || self->method < 0 || !regard_selection_get_capture(self->selection))
    g_clear_pointer(&self->attributed, regard_attributed_free);
  self->is_stale = self->attributed != NULL;
  if (self->method >= 0 && regard_selection_get_capture(self->selection))
    regard_work_wait(self->work, START_AFTER_MS, start);
  else
    regard_work_drop(self->work);
  emit_changed(self);
}

void
regard_shown_again(RegardShown *self)
{
  g_return_if_fail(REGARD_IS_SHOWN(self));
  begin_anew(self, TRUE);
}

/* ---- The interface ----------------------------------------------------------------------------
 */

void
regard_shown_set_method(RegardShown *self, int method)
{
  g_return_if_fail(REGARD_IS_SHOWN(self) && method >= -1 && method < (int) mt_attribution_count());
  if (method == self->method)
    return;
  self->method = method;
  begin_anew(self, FALSE); /* other numbers under the same name would be a lie */
  g_object_notify_by_pspec(G_OBJECT(self), props[PROP_METHOD_ID]);
}

int
regard_shown_get_method(RegardShown *self)
{
  g_return_val_if_fail(REGARD_IS_SHOWN(self), -1);
  return self->method;
}

void
regard_shown_set_about(RegardShown *self, RegardAbout about)
{
  g_return_if_fail(REGARD_IS_SHOWN(self) && about < REGARD_N_ABOUTS);
  const RegardAbout before = regard_shown_get_about(self);

  self->about = about;
  if (regard_shown_get_about(self) == before)
    return;
  /* Words and the encoder are computed together. */
  if (before != REGARD_ABOUT_WORD && regard_shown_get_about(self) != REGARD_ABOUT_WORD)
    emit_changed(self);
  else
    begin_anew(self, FALSE);
}

void
regard_shown_set_part(RegardShown *self, RegardModelPart part)
{
  g_return_if_fail(REGARD_IS_SHOWN(self) && part < REGARD_N_MODEL_PARTS);
  const RegardModelPart before = regard_shown_get_part(self);

  self->part = part;
  if (regard_shown_get_part(self) != before)
    begin_anew(self, FALSE);
}

void
regard_shown_set_word(RegardShown *self, int token)
{
  g_return_if_fail(REGARD_IS_SHOWN(self));
  const int before = regard_shown_get_word(self);

  self->word = token;
  if (regard_shown_get_word(self) != before && regard_shown_get_about(self) == REGARD_ABOUT_WORD)
    begin_anew(self, TRUE);
}

RegardMatrix *
regard_shown_get_matrix(RegardShown *self)
{
  g_return_val_if_fail(REGARD_IS_SHOWN(self), NULL);
  if (!self->attributed)
    return NULL;
  return regard_shown_get_about(self) == REGARD_ABOUT_ENCODER ? self->attributed->encoder
                                                              : self->attributed->words;
}

gboolean
regard_shown_is_stale(RegardShown *self)
{
  g_return_val_if_fail(REGARD_IS_SHOWN(self), FALSE);
  return self->is_stale;
}

RegardWork *
regard_shown_get_work(RegardShown *self)
{
  g_return_val_if_fail(REGARD_IS_SHOWN(self), NULL);
  return self->work;
}

const char *
regard_shown_get_error(RegardShown *self)
{
  g_return_val_if_fail(REGARD_IS_SHOWN(self), NULL);
  return self->error;
}

char *
regard_shown_describe(RegardShown *self)
{
  const mt_attribution_method *method = regard_shown_get_about_method(self);
  GString *text;

  if (!method || !self->selection)
    return g_strdup("");
  text = g_string_new(NULL);
  g_string_append_printf(text, "%s: %s.", method->source, method->gives);
  switch (regard_shown_get_part(self)) {
  case REGARD_PART_ALL_LAYERS:
    g_string_append_printf(text, " %s",
                           method->has_layers
                               ? _("Mean over all layers.")
                               : _("It is of the whole model: the selected head changes nothing."));
    break;
  case REGARD_PART_LAYER:
    g_string_append_c(text, ' ');
    g_string_append_printf(text,
                           method->has_heads
                               ? _("Layer %u of both stacks, all heads.")
                               : _("Layer %u of both stacks; the selected head changes nothing."),
                           regard_selection_get_layer(self->selection) + 1);
    break;
  default:
    g_string_append_c(text, ' ');
    g_string_append_printf(text, _("Head %u of layer %u in every attention."),
                           regard_selection_get_head(self->selection) + 1,
                           regard_selection_get_layer(self->selection) + 1);
  }
  return g_string_free(text, FALSE);
}

/* ---- The object -------------------------------------------------------------------------------
 */

static void
on_capture(RegardShown *self)
{
  if (self->method >= 0)
    begin_anew(self, TRUE);
}

static void
on_place(RegardShown *self)
{
  if (self->method >= 0 && regard_shown_get_part(self) != REGARD_PART_ALL_LAYERS)
    begin_anew(self, TRUE);
}

static void
on_step(RegardShown *self)
{
  if (self->method >= 0 && regard_shown_get_about(self) == REGARD_ABOUT_WORD)
    begin_anew(self, TRUE);
}

static void
regard_shown_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  const mt_attribution_method *method = regard_shown_get_about_method(REGARD_SHOWN(object));

  g_value_set_string(value, method ? method->id : "attention");
}

/* What is no id of a method is attention: settings may be of another version. */
static void
regard_shown_set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  const char *wanted = g_value_get_string(value);
  const gsize method = wanted ? mt_attribution_find(wanted) : mt_attribution_count();

  regard_shown_set_method(REGARD_SHOWN(object),
                          method < mt_attribution_count() ? (int) method : -1);
}

static void
regard_shown_dispose(GObject *object)
{
  RegardShown *self = REGARD_SHOWN(object);

  g_clear_object(&self->work);
  g_clear_weak_pointer(&self->selection);
  g_clear_pointer(&self->attributed, regard_attributed_free);
  g_clear_pointer(&self->error, g_free);
  G_OBJECT_CLASS(regard_shown_parent_class)->dispose(object);
}

static void
regard_shown_class_init(RegardShownClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS(klass);

  object_class->dispose = regard_shown_dispose;
  object_class->get_property = regard_shown_get_property;
  object_class->set_property = regard_shown_set_property;
  props[PROP_METHOD_ID] =
      g_param_spec_string("method-id", NULL, NULL, "attention",
                          G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties(object_class, N_PROPS, props);
  changed_signal = g_signal_new("changed", G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                NULL, NULL, G_TYPE_NONE, 0);
}

static void
regard_shown_init(RegardShown *self)
{
  self->method = -1;
  self->work = regard_work_new(self);
  regard_work_set_seen(self->work, FALSE); /* nobody looks yet */
  g_signal_connect_object(self->work, "stopped", G_CALLBACK(on_stopped), self, G_CONNECT_SWAPPED);
}

RegardShown *
regard_shown_of(RegardSelection *selection)
{
  RegardShown *self = g_object_get_data(G_OBJECT(selection), "regard-shown");

  if (self)
    return self;
  self = g_object_new(REGARD_TYPE_SHOWN, NULL);
  g_set_weak_pointer(&self->selection, selection);
  g_signal_connect_object(selection, "notify::capture", G_CALLBACK(on_capture), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(selection, "notify::layer", G_CALLBACK(on_place), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(selection, "notify::head", G_CALLBACK(on_place), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(selection, "notify::step", G_CALLBACK(on_step), self, G_CONNECT_SWAPPED);
  g_object_set_data_full(G_OBJECT(selection), "regard-shown", self, g_object_unref);
  return self;
}
