/* regard-selection.c — what is being looked at; the one object all widgets share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every setter ends in one of three: nothing (the value was already there), a new large matrix
 * (rebuild: hover and pin are carried over by what they meant, not by their numbers), or a change
 * of style. The matrix is built at once, because carrying over needs the old and the new one.
 * Hovered and pinned cells, and what they mean in the texts, are in regard-selection-cells.c.
 */
#include "widgets/regard-selection-private.h"

#define DIM_AFTER_MS 150

G_DEFINE_FINAL_TYPE(RegardSelection, regard_selection, G_TYPE_OBJECT)

enum {
  PROP_0,
  PROP_CAPTURE,
  PROP_MODEL_NAME,
  PROP_KIND,
  PROP_LAYER,
  PROP_HEAD,
  PROP_COMBINE,
  PROP_MERGE_WORDS,
  PROP_HIDE_SPECIAL,
  PROP_LABEL_BY,
  PROP_SCALE,
  PROP_COLORMAP,
  PROP_STALE,
  PROP_DIMMED,
  PROP_STEP,
  PROP_WANTS_STEPS,
  PROP_FORM,
  PROP_LINES_SHARE,
  N_PROPS,
};
static GParamSpec *props[N_PROPS];

guint regard_selection_signals[REGARD_SELECTION_N_SIGNALS];

/* ---- Carrying a cell from one matrix to another ---------------------------------------------- */

/* How many earlier labels have the same text: with it a token is found again in another text. */
static guint
occurrence(const RegardLabel *labels, guint i)
{
  guint n = 0;

  for (guint j = 0; j < i; j++)
    n += g_str_equal(labels[j].text, labels[i].text);
  return n;
}

/* The row (column) of `to` that means what row (column) i of `from` meant, or -1. */
static int
carry_index(const RegardMatrix *from, const RegardMatrix *to, int i, gboolean column)
{
  const RegardLabel *old_labels = column ? from->col_labels : from->row_labels;
  const RegardLabel *labels = column ? to->col_labels : to->row_labels;
  guint n_old = column ? from->cols : from->rows, n = column ? to->cols : to->rows, nth;

  if (i < 0 || (guint) i >= n_old ||
      regard_matrix_axis_is_source(from, column) != regard_matrix_axis_is_source(to, column))
    return -1;
  if (regard_matrix_get_attention(from)->capture == regard_matrix_get_attention(to)->capture) {
    guint token = old_labels[i].first_token;

    return column ? regard_matrix_col_of_token(to, token) : regard_matrix_row_of_token(to, token);
  }
  if ((guint) i < n && g_str_equal(labels[i].text, old_labels[i].text))
    return i;
  nth = occurrence(old_labels, i);
  for (guint j = 0; j < n; j++)
    if (g_str_equal(labels[j].text, old_labels[i].text) && nth-- == 0)
      return j;
  return -1;
}

static RegardCell
carry_cell(const RegardMatrix *from, const RegardMatrix *to, RegardCell cell)
{
  RegardCell carried = REGARD_NO_CELL;

  if (!from || !to)
    return REGARD_NO_CELL;
  carried.row = carry_index(from, to, cell.row, FALSE);
  carried.col = carry_index(from, to, cell.col, TRUE);
  /* Half a cell is another thing than the cell that was meant. */
  if ((cell.row >= 0 && carried.row < 0) || (cell.col >= 0 && carried.col < 0))
    return REGARD_NO_CELL;
  return carried;
}

void
regard_selection_get_spec(RegardSelection *self, RegardMatrixSpec *spec)
{
  g_return_if_fail(REGARD_IS_SELECTION(self));

  *spec = (RegardMatrixSpec){
      .kind = self->kind,
      .layer = self->layer,
      .head = self->head,
      .combine = self->combine,
      .chosen = self->chosen[self->kind],
      .merge_words = self->merge_words,
      .hide_special = self->hide_special,
      .label_by = self->label_by,
  };
}

void
regard_selection_rebuild(RegardSelection *self)
{
  RegardMatrix *old = self->matrix;
  RegardCell hover = self->hover, pin = self->pin;
  RegardMatrixSpec spec;

  regard_selection_get_spec(self, &spec);
  self->matrix = self->capture ? regard_matrix_new_attention(self->capture, &spec) : NULL;
  self->hover = carry_cell(old, self->matrix, hover);
  self->pin = carry_cell(old, self->matrix, pin);
  g_clear_pointer(&old, regard_matrix_unref);

  g_signal_emit(self, regard_selection_signals[REGARD_SELECTION_MATRIX_CHANGED], 0);
  regard_selection_check_summed(self);
  /* The numbers under the same cell are others now, so these are due even where cells stayed. */
  if (!regard_cell_equal(hover, self->hover))
    g_signal_emit(self, regard_selection_signals[REGARD_SELECTION_HOVER_CHANGED], 0);
  if (!regard_cell_equal(pin, self->pin))
    g_signal_emit(self, regard_selection_signals[REGARD_SELECTION_PIN_CHANGED], 0);
}

/* ---- Capture and model ------------------------------------------------------------------------
 */

/* Kind, layer and head that the capture has; a chosen set of another shape is forgotten. */
static void
clamp_place(RegardSelection *self)
{
  guint n_layers, n_heads;

  if (!self->capture)
    return;
  for (guint k = 0; k < MT_N_KINDS; k++) {
    n_layers = mt_capture_n_layers(self->capture, k);
    n_heads = n_layers ? mt_capture_n_heads(self->capture, k) : 0;
    if (n_layers != self->n_layers[k] || n_heads != self->n_heads[k])
      g_clear_pointer(&self->chosen[k], g_free);
    self->n_layers[k] = n_layers;
    self->n_heads[k] = n_heads;
  }
  if (self->n_layers[self->kind] == 0) {
    static const mt_attention_kind order[] = {MT_CROSS, MT_ENCODER_SELF, MT_DECODER_SELF};

    for (guint i = 0; i < G_N_ELEMENTS(order); i++)
      if (self->n_layers[order[i]] > 0) {
        self->kind = order[i];
        g_object_notify_by_pspec(G_OBJECT(self), props[PROP_KIND]);
        break;
      }
  }
  n_layers = MAX(self->n_layers[self->kind], 1);
  n_heads = MAX(self->n_heads[self->kind], 1);
  if (self->layer >= n_layers) {
    self->layer = n_layers - 1;
    g_object_notify_by_pspec(G_OBJECT(self), props[PROP_LAYER]);
  }
  if (self->head >= n_heads) {
    self->head = n_heads - 1;
    g_object_notify_by_pspec(G_OBJECT(self), props[PROP_HEAD]);
  }
}

void
regard_selection_take_capture(RegardSelection *self, mt_capture *capture)
{
  mt_capture *old;

  if (capture == self->capture)
    return;

  old = self->capture;
  self->capture = capture ? mt_capture_ref(capture) : NULL;
  g_object_freeze_notify(G_OBJECT(self));
  clamp_place(self);
  regard_selection_set_step(self, self->step); /* there may be less to look at */
  regard_selection_rebuild(self);
  g_object_notify_by_pspec(G_OBJECT(self), props[PROP_CAPTURE]);
  g_object_notify_by_pspec(G_OBJECT(self), props[PROP_MODEL_NAME]);
  g_object_thaw_notify(G_OBJECT(self));
  mt_capture_unref(old);
}

mt_capture *
regard_selection_get_capture(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), NULL);
  return self->capture;
}

void
regard_selection_set_model(RegardSelection *self, mt_model *model)
{
  mt_model *old;

  g_return_if_fail(REGARD_IS_SELECTION(self));
  if (model == self->model)
    return;
  old = self->model;
  self->model = model ? mt_model_ref(model) : NULL;
  g_object_notify_by_pspec(G_OBJECT(self), props[PROP_MODEL_NAME]);
  mt_model_unref(old);
}

mt_model *
regard_selection_get_model(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), NULL);
  return self->model;
}

/* ---- Place and chosen heads --------------------------------------------------------------------
 */

void
regard_selection_set_place(RegardSelection *self, mt_attention_kind kind, guint layer, guint head)
{
  mt_attention_kind old_kind;
  guint old_layer, old_head;

  g_return_if_fail(REGARD_IS_SELECTION(self));
  g_return_if_fail((guint) kind < MT_N_KINDS);

  if (self->capture) {
    if (self->n_layers[kind] == 0)
      return; /* the capture has no such attention */
    layer = MIN(layer, self->n_layers[kind] - 1);
    head = MIN(head, self->n_heads[kind] - 1);
  }
  if (kind == self->kind && layer == self->layer && head == self->head)
    return;

  old_kind = self->kind, old_layer = self->layer, old_head = self->head;
  self->kind = kind;
  self->layer = layer;
  self->head = head;
  g_object_freeze_notify(G_OBJECT(self));
  if (kind != old_kind)
    g_object_notify_by_pspec(G_OBJECT(self), props[PROP_KIND]);
  if (layer != old_layer)
    g_object_notify_by_pspec(G_OBJECT(self), props[PROP_LAYER]);
  if (head != old_head)
    g_object_notify_by_pspec(G_OBJECT(self), props[PROP_HEAD]);
  regard_selection_rebuild(self);
  g_object_thaw_notify(G_OBJECT(self));
}

gboolean
regard_selection_step(RegardSelection *self, int layers, int heads)
{
  int layer, head;

  g_return_val_if_fail(REGARD_IS_SELECTION(self), FALSE);
  if (!self->capture)
    return FALSE;
  layer = (int) self->layer + layers;
  head = (int) self->head + heads;
  regard_selection_set_place(self, self->kind,
                             CLAMP(layer, 0, (int) self->n_layers[self->kind] - 1),
                             CLAMP(head, 0, (int) self->n_heads[self->kind] - 1));
  return TRUE;
}

mt_attention_kind
regard_selection_get_kind(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), MT_CROSS);
  return self->kind;
}

guint
regard_selection_get_layer(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), 0);
  return self->layer;
}

guint
regard_selection_get_head(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), 0);
  return self->head;
}

/* ---- How the matrix is made --------------------------------------------------------------------
 */

void
regard_selection_set_combine(RegardSelection *self, RegardCombine combine)
{
  g_return_if_fail(REGARD_IS_SELECTION(self));
  combine = MIN((guint) combine, (guint) REGARD_COMBINE_CHOSEN);
  if (combine == self->combine)
    return;
  self->combine = combine;
  regard_selection_rebuild(self);
  g_object_notify_by_pspec(G_OBJECT(self), props[PROP_COMBINE]);
}

RegardCombine
regard_selection_get_combine(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), REGARD_COMBINE_HEAD);
  return self->combine;
}

void
regard_selection_set_merge_words(RegardSelection *self, gboolean merge_words)
{
  g_return_if_fail(REGARD_IS_SELECTION(self));
  if (!merge_words == !self->merge_words)
    return;
  self->merge_words = !!merge_words;
  regard_selection_rebuild(self);
  g_object_notify_by_pspec(G_OBJECT(self), props[PROP_MERGE_WORDS]);
}

gboolean
regard_selection_get_merge_words(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), FALSE);
  return self->merge_words;
}

void
regard_selection_set_hide_special(RegardSelection *self, gboolean hide_special)
{
  g_return_if_fail(REGARD_IS_SELECTION(self));
  if (!hide_special == !self->hide_special)
    return;
  self->hide_special = !!hide_special;
  regard_selection_rebuild(self);
  g_object_notify_by_pspec(G_OBJECT(self), props[PROP_HIDE_SPECIAL]);
}

gboolean
regard_selection_get_hide_special(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), FALSE);
  return self->hide_special;
}

void
regard_selection_set_label_by(RegardSelection *self, RegardLabelBy label_by)
{
  g_return_if_fail(REGARD_IS_SELECTION(self));
  label_by = MIN((guint) label_by, (guint) REGARD_LABEL_BY_INPUT);
  if (label_by == self->label_by)
    return;
  self->label_by = label_by;
  regard_selection_rebuild(self);
  g_object_notify_by_pspec(G_OBJECT(self), props[PROP_LABEL_BY]);
}

RegardLabelBy
regard_selection_get_label_by(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), REGARD_LABEL_BY_OUTPUT);
  return self->label_by;
}

/* ---- Style ----------------------------------------------------------------------------------- */

void
regard_selection_set_scale(RegardSelection *self, RegardScale scale)
{
  g_return_if_fail(REGARD_IS_SELECTION(self));
  if ((guint) scale >= REGARD_N_SCALES || scale == self->scale)
    return;
  self->scale = scale;
  g_object_notify_by_pspec(G_OBJECT(self), props[PROP_SCALE]);
  g_signal_emit(self, regard_selection_signals[REGARD_SELECTION_STYLE_CHANGED], 0);
}

RegardScale
regard_selection_get_scale(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), REGARD_SCALE_LINEAR);
  return self->scale;
}

void
regard_selection_set_colormap(RegardSelection *self, const char *id)
{
  const RegardColormap *colormap = id ? regard_colormap_find(id) : NULL;

  g_return_if_fail(REGARD_IS_SELECTION(self));
  if (!colormap) /* a map that a later version had, in the settings: the default serves */
    colormap = regard_colormap_default();
  if (colormap == self->colormap)
    return;
  self->colormap = colormap;
  g_object_notify_by_pspec(G_OBJECT(self), props[PROP_COLORMAP]);
  g_signal_emit(self, regard_selection_signals[REGARD_SELECTION_STYLE_CHANGED], 0);
}

const RegardColormap *
regard_selection_get_colormap(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), NULL);
  return self->colormap;
}

static void
set_dimmed(RegardSelection *self, gboolean dimmed)
{
  if (dimmed == self->dimmed)
    return;
  self->dimmed = dimmed;
  g_object_notify_by_pspec(G_OBJECT(self), props[PROP_DIMMED]);
}

static gboolean
dim_later(gpointer user_data)
{
  RegardSelection *self = user_data;

  self->dim_source = 0;
  set_dimmed(self, TRUE);
  return G_SOURCE_REMOVE;
}

void
regard_selection_set_stale(RegardSelection *self, gboolean stale)
{
  g_return_if_fail(REGARD_IS_SELECTION(self));
  if (!stale == !self->stale)
    return;
  self->stale = !!stale;
  g_clear_handle_id(&self->dim_source, g_source_remove);
  if (stale)
    self->dim_source = g_timeout_add(DIM_AFTER_MS, dim_later, self);
  else
    set_dimmed(self, FALSE);
  g_object_notify_by_pspec(G_OBJECT(self), props[PROP_STALE]);
}

gboolean
regard_selection_get_stale(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), FALSE);
  return self->stale;
}

gboolean
regard_selection_get_dimmed(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), FALSE);
  return self->dimmed;
}

RegardMatrix *
regard_selection_get_matrix(RegardSelection *self)
{
  g_return_val_if_fail(REGARD_IS_SELECTION(self), NULL);
  return self->matrix;
}

/* ---- GObject --------------------------------------------------------------------------------- */

static void
regard_selection_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  RegardSelection *self = REGARD_SELECTION(object);

  switch (id) {
  case PROP_CAPTURE:
    g_value_set_boxed(value, self->capture);
    break;
  case PROP_MODEL_NAME:
    g_value_set_string(value, self->capture ? mt_capture_model_name(self->capture)
                              : self->model ? mt_model_name(self->model)
                                            : NULL);
    break;
  case PROP_KIND:
    g_value_set_int(value, self->kind);
    break;
  case PROP_LAYER:
    g_value_set_uint(value, self->layer);
    break;
  case PROP_HEAD:
    g_value_set_uint(value, self->head);
    break;
  case PROP_COMBINE:
    g_value_set_int(value, self->combine);
    break;
  case PROP_MERGE_WORDS:
    g_value_set_boolean(value, self->merge_words);
    break;
  case PROP_HIDE_SPECIAL:
    g_value_set_boolean(value, self->hide_special);
    break;
  case PROP_LABEL_BY:
    g_value_set_int(value, self->label_by);
    break;
  case PROP_SCALE:
    g_value_set_int(value, self->scale);
    break;
  case PROP_COLORMAP:
    g_value_set_string(value, self->colormap->id);
    break;
  case PROP_STALE:
    g_value_set_boolean(value, self->stale);
    break;
  case PROP_DIMMED:
    g_value_set_boolean(value, self->dimmed);
    break;
  case PROP_STEP:
    g_value_set_int(value, self->step);
    break;
  case PROP_WANTS_STEPS:
    g_value_set_boolean(value, self->wants_steps);
    break;
  case PROP_FORM:
    g_value_set_int(value, self->form);
    break;
  case PROP_LINES_SHARE:
    g_value_set_double(value, self->lines_share);
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
  }
}

static void
regard_selection_set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  RegardSelection *self = REGARD_SELECTION(object);

  switch (id) {
  case PROP_CAPTURE:
    regard_selection_set_capture(self, g_value_get_boxed(value));
    break;
  case PROP_KIND:
    regard_selection_set_place(self, g_value_get_int(value), self->layer, self->head);
    break;
  case PROP_LAYER:
    regard_selection_set_place(self, self->kind, g_value_get_uint(value), self->head);
    break;
  case PROP_HEAD:
    regard_selection_set_place(self, self->kind, self->layer, g_value_get_uint(value));
    break;
  case PROP_COMBINE:
    regard_selection_set_combine(self, g_value_get_int(value));
    break;
  case PROP_MERGE_WORDS:
    regard_selection_set_merge_words(self, g_value_get_boolean(value));
    break;
  case PROP_HIDE_SPECIAL:
    regard_selection_set_hide_special(self, g_value_get_boolean(value));
    break;
  case PROP_LABEL_BY:
    regard_selection_set_label_by(self, g_value_get_int(value));
    break;
  case PROP_SCALE:
    regard_selection_set_scale(self, g_value_get_int(value));
    break;
  case PROP_COLORMAP:
    regard_selection_set_colormap(self, g_value_get_string(value));
    break;
  case PROP_STALE:
    regard_selection_set_stale(self, g_value_get_boolean(value));
    break;
  case PROP_STEP:
    regard_selection_set_step(self, g_value_get_int(value));
    break;
  case PROP_WANTS_STEPS:
    regard_selection_set_wants_steps(self, g_value_get_boolean(value));
    break;
  case PROP_FORM:
    regard_selection_set_form(self, g_value_get_int(value));
    break;
  case PROP_LINES_SHARE:
    regard_selection_set_lines_share(self, g_value_get_double(value));
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
  }
}

static void
regard_selection_finalize(GObject *object)
{
  RegardSelection *self = REGARD_SELECTION(object);

  g_clear_handle_id(&self->dim_source, g_source_remove);
  g_clear_object(&self->head_effects);
  for (guint i = 0; i < G_N_ELEMENTS(self->pair); i++)
    regard_pass_set(&self->pair[i], NULL);
  g_free(self->why_no_pair);
  g_clear_pointer(&self->corpus, regard_corpus_unref);
  g_free(self->why_no_corpus);
  g_clear_pointer(&self->matrix, regard_matrix_unref);
  mt_capture_unref(self->capture);
  regard_selection_forget_pass(self);
  mt_model_unref(self->model);
  for (guint k = 0; k < MT_N_KINDS; k++)
    g_free(self->chosen[k]);
  g_free(self->summed);
  g_strfreev(self->summed_pieces);
  G_OBJECT_CLASS(regard_selection_parent_class)->finalize(object);
}

static void
regard_selection_class_init(RegardSelectionClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS(klass);
  const GParamFlags rw = G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;
  const char *names[REGARD_SELECTION_N_SIGNALS] = {"matrix-changed",     "chosen-changed",
                                                   "hover-changed",      "pin-changed",
                                                   "style-changed",      "reached-changed",
                                                   "pair-changed",       "pair-wanted",
                                                   "corpus-changed",     "summed-changed",
                                                   "constraints-wanted", "changes-wanted"};

  object_class->get_property = regard_selection_get_property;
  object_class->set_property = regard_selection_set_property;
  object_class->finalize = regard_selection_finalize;

  props[PROP_CAPTURE] = g_param_spec_boxed("capture", NULL, NULL, REGARD_TYPE_CAPTURE, rw);
  props[PROP_MODEL_NAME] = g_param_spec_string("model-name", NULL, NULL, NULL,
                                               G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  props[PROP_KIND] = g_param_spec_int("kind", NULL, NULL, 0, MT_N_KINDS - 1, MT_CROSS, rw);
  props[PROP_LAYER] = g_param_spec_uint("layer", NULL, NULL, 0, G_MAXUINT, 0, rw);
  props[PROP_HEAD] = g_param_spec_uint("head", NULL, NULL, 0, G_MAXUINT, 0, rw);
  props[PROP_COMBINE] = g_param_spec_int("combine", NULL, NULL, 0, REGARD_N_COMBINES - 1, 0, rw);
  props[PROP_MERGE_WORDS] = g_param_spec_boolean("merge-words", NULL, NULL, FALSE, rw);
  props[PROP_HIDE_SPECIAL] = g_param_spec_boolean("hide-special", NULL, NULL, FALSE, rw);
  props[PROP_LABEL_BY] = g_param_spec_int("label-by", NULL, NULL, 0, REGARD_N_LABEL_BYS - 1, 0, rw);
  props[PROP_SCALE] = g_param_spec_int("scale", NULL, NULL, 0, REGARD_N_SCALES - 1, 0, rw);
  props[PROP_COLORMAP] = g_param_spec_string("colormap", NULL, NULL, NULL, rw);
  props[PROP_STALE] = g_param_spec_boolean("stale", NULL, NULL, FALSE, rw);
  props[PROP_DIMMED] =
      g_param_spec_boolean("dimmed", NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  props[PROP_STEP] = g_param_spec_int("step", NULL, NULL, -1, G_MAXINT, -1, rw);
  props[PROP_WANTS_STEPS] = g_param_spec_boolean("wants-steps", NULL, NULL, FALSE, rw);
  props[PROP_FORM] = g_param_spec_int("form", NULL, NULL, 0, REGARD_N_FORMS - 1, 0, rw);
  props[PROP_LINES_SHARE] =
      g_param_spec_double("lines-share", NULL, NULL, 0, 1, REGARD_LINES_SHARE, rw);
  g_object_class_install_properties(object_class, N_PROPS, props);

  for (guint i = 0; i < REGARD_SELECTION_N_SIGNALS; i++)
    regard_selection_signals[i] =
        g_signal_new(names[i], G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                     G_TYPE_NONE, i >= REGARD_SELECTION_CONSTRAINTS_WANTED, G_TYPE_POINTER);
}

static void
regard_selection_init(RegardSelection *self)
{
  self->kind = MT_CROSS;
  self->step = self->preset = self->peek = -1;
  self->colormap = regard_colormap_default();
  self->lines_share = REGARD_LINES_SHARE;
  self->hover = self->pin = REGARD_NO_CELL;
}

RegardSelection *
regard_selection_new(void)
{
  return g_object_new(REGARD_TYPE_SELECTION, NULL);
}
