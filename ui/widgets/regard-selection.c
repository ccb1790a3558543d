/* regard-selection.c — what is being looked at; the one object all widgets share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every setter ends in one of three: nothing (the value was already there), a new large matrix
 * (rebuild: hover and pin are carried over by what they meant, not by their numbers), or a change
 * of style. The matrix is built at once, because carrying over needs the old and the new one.
 *
 * This file is long because everything in it is the state of one object; it is a setter, a getter
 * and a signal many times over.
 */
#include "widgets/regard-selection.h"
#include "figures/regard-naming.h"

#include "widgets/regard-head-ablation.h"

struct _RegardSelection {
  GObject parent_instance;

  mt_capture *capture;
  RegardPass *pass;   /* that the capture is of; NULL: no capture */
  RegardSteps *steps; /* of all that, made when it is asked for; NULL: not yet, or there are none */
  int step, preset, peek;
  gboolean wants_steps;
  RegardBatchFunc batch_func;       /* NULL: there is none */
  RegardQualityFunc quality_func;   /* likewise */
  RegardCorpusFunc corpus_func;     /* likewise */
  RegardHeadAblation *head_effects; /* NULL: nobody has asked for them yet */
  RegardPass *pair[2];              /* A and B; NULL: nothing is compared */
  gboolean is_pair_coming;
  char *why_no_pair;
  guint n_pair_wanted;
  RegardCorpus *corpus; /* NULL: none is open */
  char *why_no_corpus;
  mt_model *model;
  mt_attention_kind kind;
  guint layer, head; /* of the model */
  RegardCombine combine;
  gboolean merge_words, hide_special, received, simple, stale, dimmed;
  gboolean by_pieces; /* also while it is simple */
  guint dim_source;
  RegardLabelBy label_by;
  RegardScale scale;
  const RegardColormap *colormap;
  RegardForm form;
  double lines_share;
  guint8 *chosen[MT_N_KINDS];           /* [L * H] of each kind; NULL: none chosen yet */
  RegardHeadExtent extents[MT_N_KINDS]; /* of the capture */
  guint rest_layers[MT_N_KINDS], rest_heads[MT_N_KINDS]; /* of the model; 0: there is no rest */
  gsize whole_bytes;

  RegardMatrix *matrix;
  RegardCell hover, pin;
  RegardSumAxis sum_axis;
  guint8 *summed; /* [n_summed] of that axis; NULL: nothing is added up */
  char **summed_pieces;
  guint n_summed;
};

enum {
  MATRIX_CHANGED,
  CHOSEN_CHANGED,
  HOVER_CHANGED,
  PIN_CHANGED,
  STYLE_CHANGED,
  REACHED_CHANGED,
  PAIR_CHANGED,
  PAIR_WANTED,
  CORPUS_CHANGED,
  SUMMED_CHANGED,
  CONSTRAINTS_WANTED, /* from here on they have a value */
  CHANGES_WANTED,
  PLACE_WANTED,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

static const RegardCell NO_CELL = {-1, -1};

static gboolean
cell_equal(RegardCell a, RegardCell b)
{
  return a.row == b.row && a.col == b.col;
}

/* TRUE if an axis is about the source text; else it is about the decoder's input. */
static gboolean
axis_is_source(const RegardMatrix *matrix, gboolean column)
{
  mt_attention_kind kind = regard_matrix_get_attention(matrix)->spec.kind;

  return kind == MT_ENCODER_SELF || (kind == MT_CROSS && column);
}

static void check_summed(RegardSelection *self);

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
  PROP_RECEIVED,
  PROP_LABEL_BY,
  PROP_SIMPLE,
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

  if (i < 0 || (guint) i >= n_old || axis_is_source(from, column) != axis_is_source(to, column))
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
  RegardCell carried = NO_CELL;

  if (!from || !to)
    return NO_CELL;
  carried.row = carry_index(from, to, cell.row, FALSE);
  carried.col = carry_index(from, to, cell.col, TRUE);
  /* Half a cell is another thing than the cell that was meant. */
  if ((cell.row >= 0 && carried.row < 0) || (cell.col >= 0 && carried.col < 0))
    return NO_CELL;
  return carried;
}

/* What a simple window does not ask about. */
static RegardCombine
combine_of(RegardSelection *self)
{
  return self->simple ? REGARD_COMBINE_HEAD : self->combine;
}

static RegardLabelBy
label_by_of(RegardSelection *self)
{
  return self->simple ? REGARD_LABEL_BY_OUTPUT : self->label_by;
}

void
regard_selection_get_full_spec(RegardSelection *self, RegardMatrixSpec *spec)
{
  const RegardHeadExtent *extent = &self->extents[self->kind];

  *spec = (RegardMatrixSpec){
      .kind = self->kind,
      .layer = self->layer - MIN(extent->first_layer, self->layer),
      .head = self->head - MIN(extent->first_head, self->head),
      .combine = self->combine,
      .chosen = self->chosen[self->kind],
      .merge_words = self->merge_words,
      .hide_special = self->hide_special,
      .label_by = self->label_by,
  };
}

void
regard_selection_get_spec(RegardSelection *self, RegardMatrixSpec *spec)
{
  regard_selection_get_full_spec(self, spec);
  spec->combine = combine_of(self);
  spec->label_by = label_by_of(self);
  if (self->simple) {
    spec->merge_words = !self->by_pieces;
    spec->is_plain = TRUE;
    spec->hide_special = FALSE;
  }
}

static void rebuild(RegardSelection *self);

void
regard_selection_set_by_pieces(RegardSelection *self, gboolean by_pieces)
{
  if (self->by_pieces == by_pieces)
    return;
  self->by_pieces = by_pieces;
  if (self->simple)
    rebuild(self);
}

/* The large matrix anew, after what it is made from has changed. */
static void
rebuild(RegardSelection *self)
{
  RegardMatrix *old = self->matrix;
  RegardCell hover = self->hover, pin = self->pin;
  RegardMatrixSpec spec;

  regard_selection_get_spec(self, &spec);
  self->matrix = self->capture ? regard_matrix_new_attention(self->capture, &spec) : NULL;
  if (self->matrix && self->received)
    regard_matrix_measure_received(self->matrix);
  self->hover = carry_cell(old, self->matrix, hover);
  self->pin = carry_cell(old, self->matrix, pin);
  g_clear_pointer(&old, regard_matrix_unref);

  g_signal_emit(self, signals[MATRIX_CHANGED], 0);
  check_summed(self);
  /* The numbers under the same cell are others now, so these are due even where cells stayed. */
  if (!cell_equal(hover, self->hover))
    g_signal_emit(self, signals[HOVER_CHANGED], 0);
  if (!cell_equal(pin, self->pin))
    g_signal_emit(self, signals[PIN_CHANGED], 0);
}

/* ---- Capture and model ------------------------------------------------------------------------
 */

static RegardHeadExtent
extent_of(const mt_capture *capture, mt_attention_kind kind)
{
  const guint n_layers = (guint) mt_capture_n_layers(capture, kind);

  if (n_layers == 0)
    return (RegardHeadExtent){0};
  return (RegardHeadExtent){(guint) mt_capture_first_layer(capture, kind), n_layers,
                            (guint) mt_capture_first_head(capture, kind),
                            (guint) mt_capture_n_heads(capture, kind)};
}

static guint
clamp_number(guint number, guint first, guint n)
{
  return CLAMP(number, first, first + MAX(n, 1) - 1);
}

static void
clamp_to(const RegardHeadExtent *extent, guint *layer, guint *head)
{
  *layer = clamp_number(*layer, extent->first_layer, extent->n_layers);
  *head = clamp_number(*head, extent->first_head, extent->n_heads);
}

/* Kind, layer and head that the capture has; a chosen set of another shape is forgotten. */
static void
clamp_place(RegardSelection *self)
{
  if (!self->capture)
    return;
  for (guint k = 0; k < MT_N_KINDS; k++) {
    const RegardHeadExtent now = extent_of(self->capture, k);

    if (memcmp(&now, &self->extents[k], sizeof now) != 0)
      g_clear_pointer(&self->chosen[k], g_free);
    self->extents[k] = now;
  }
  if (self->extents[self->kind].n_layers == 0) {
    static const mt_attention_kind order[] = {MT_CROSS, MT_ENCODER_SELF, MT_DECODER_SELF};

    for (guint i = 0; i < G_N_ELEMENTS(order); i++)
      if (self->extents[order[i]].n_layers > 0) {
        self->kind = order[i];
        g_object_notify_by_pspec(G_OBJECT(self), props[PROP_KIND]);
        break;
      }
  }
  guint layer = self->layer, head = self->head;
  clamp_to(&self->extents[self->kind], &layer, &head);
  if (layer != self->layer) {
    self->layer = layer;
    g_object_notify_by_pspec(G_OBJECT(self), props[PROP_LAYER]);
  }
  if (head != self->head) {
    self->head = head;
    g_object_notify_by_pspec(G_OBJECT(self), props[PROP_HEAD]);
  }
}

/* Capture without its pass. */
static void
take_capture(RegardSelection *self, mt_capture *capture)
{
  if (capture == self->capture)
    return;

  mt_capture *old = self->capture;
  self->capture = capture ? mt_capture_ref(capture) : NULL;
  g_object_freeze_notify(G_OBJECT(self));
  clamp_place(self);
  regard_selection_set_step(self, self->step); /* there may be less to look at */
  rebuild(self);
  g_object_notify_by_pspec(G_OBJECT(self), props[PROP_CAPTURE]);
  g_object_notify_by_pspec(G_OBJECT(self), props[PROP_MODEL_NAME]);
  g_object_thaw_notify(G_OBJECT(self));
  mt_capture_unref(old);
}

void
regard_selection_set_model(RegardSelection *self, mt_model *model)
{
  if (model == self->model)
    return;
  mt_model *old = self->model;
  self->model = model ? mt_model_ref(model) : NULL;
  g_object_notify_by_pspec(G_OBJECT(self), props[PROP_MODEL_NAME]);
  mt_model_unref(old);
}

/* ---- Place and chosen heads --------------------------------------------------------------------
 */

RegardHeadExtent
regard_selection_get_extent(RegardSelection *self, mt_attention_kind kind)
{
  if (!self->capture)
    return (RegardHeadExtent){0};
  return self->rest_layers[kind]
             ? (RegardHeadExtent){0, self->rest_layers[kind], 0, self->rest_heads[kind]}
             : self->extents[kind];
}

gboolean
regard_selection_find_head(RegardSelection *self, mt_attention_kind kind, guint *layer, guint *head)
{
  const RegardHeadExtent *extent = &self->extents[kind];

  if (!self->capture || *layer < extent->first_layer ||
      *layer - extent->first_layer >= extent->n_layers || *head < extent->first_head ||
      *head - extent->first_head >= extent->n_heads)
    return FALSE;
  *layer -= extent->first_layer;
  *head -= extent->first_head;
  return TRUE;
}

void
regard_selection_set_rest(RegardSelection *self, const mt_model *model, gsize whole_bytes)
{
  const mt_config *config = model ? mt_model_config(model) : NULL;

  for (guint k = 0; k < MT_N_KINDS; k++) {
    const mt_stack stack = regard_naming_rows(k);

    self->rest_layers[k] = config ? (guint) config->n_layers[stack] : 0;
    self->rest_heads[k] = config ? (guint) config->n_heads[stack] : 0;
  }
  self->whole_bytes = config ? whole_bytes : 0;
}

/* TRUE: somebody has been told that this is wanted. */
static gboolean
want_place(RegardSelection *self, mt_attention_kind kind, guint layer, guint head)
{
  const RegardHeadExtent rest = {0, self->rest_layers[kind], 0, self->rest_heads[kind]};

  if (rest.n_layers == 0)
    return FALSE;
  clamp_to(&rest, &layer, &head);
  mt_capture_place place = {kind, (int) layer, (int) head};
  if (regard_selection_find_head(self, kind, &layer, &head))
    return FALSE;
  g_signal_emit(self, signals[PLACE_WANTED], 0, &place);
  return TRUE;
}

void
regard_selection_set_place(RegardSelection *self, mt_attention_kind kind, guint layer, guint head)
{
  g_return_if_fail((guint) kind < MT_N_KINDS);

  if (self->capture) {
    if (want_place(self, kind, layer, head) || self->extents[kind].n_layers == 0)
      return; /* the capture has no such attention */
    clamp_to(&self->extents[kind], &layer, &head);
  }
  if (kind == self->kind && layer == self->layer && head == self->head)
    return;

  const mt_attention_kind old_kind = self->kind;
  const guint old_layer = self->layer, old_head = self->head;
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
  rebuild(self);
  g_object_thaw_notify(G_OBJECT(self));
}

gboolean
regard_selection_step(RegardSelection *self, int layers, int heads)
{
  const RegardHeadExtent extent = regard_selection_get_extent(self, self->kind);

  if (!self->capture)
    return FALSE;
  guint layer = (guint) MAX((int) self->layer + layers, 0),
        head = (guint) MAX((int) self->head + heads, 0);
  clamp_to(&extent, &layer, &head);
  regard_selection_set_place(self, self->kind, layer, head);
  return TRUE;
}

/* ---- Options ----------------------------------------------------------------------------------
 */

/* How the matrix is made, and how it is shown: whole numbers below n. */
static const struct {
  gsize offset;
  guint n;
  gboolean makes; /* another matrix; else it is drawn otherwise */
} options[N_PROPS] = {
    [PROP_COMBINE] = {offsetof(RegardSelection, combine), REGARD_N_COMBINES, TRUE},
    [PROP_MERGE_WORDS] = {offsetof(RegardSelection, merge_words), 2, TRUE},
    [PROP_HIDE_SPECIAL] = {offsetof(RegardSelection, hide_special), 2, TRUE},
    [PROP_RECEIVED] = {offsetof(RegardSelection, received), 2, TRUE},
    [PROP_LABEL_BY] = {offsetof(RegardSelection, label_by), REGARD_N_LABEL_BYS, TRUE},
    [PROP_SIMPLE] = {offsetof(RegardSelection, simple), 2, TRUE},
    [PROP_SCALE] = {offsetof(RegardSelection, scale), REGARD_N_SCALES, FALSE},
    [PROP_FORM] = {offsetof(RegardSelection, form), REGARD_N_FORMS, FALSE},
};

static int *
field_of(RegardSelection *self, guint id)
{
  return (int *) (void *) ((char *) self + options[id].offset);
}

static void
set_option(RegardSelection *self, guint id, int value)
{
  if ((guint) value >= options[id].n || value == *field_of(self, id))
    return;
  *field_of(self, id) = value;
  if (options[id].makes)
    rebuild(self);
  g_object_notify_by_pspec(G_OBJECT(self), props[id]);
  if (!options[id].makes)
    g_signal_emit(self, signals[STYLE_CHANGED], 0);
}

#define OPTION(Type, name, ID)                                       \
  void regard_selection_set_##name(RegardSelection *self, Type name) \
  {                                                                  \
    set_option(self, ID, (int) name);                                \
  }                                                                  \
  GETTER(Type, name)
#define GETTER(Type, name)                                \
  Type regard_selection_get_##name(RegardSelection *self) \
  {                                                       \
    return self->name;                                    \
  }
OPTION(RegardCombine, combine, PROP_COMBINE)
OPTION(gboolean, merge_words, PROP_MERGE_WORDS)
OPTION(gboolean, hide_special, PROP_HIDE_SPECIAL)
OPTION(gboolean, received, PROP_RECEIVED)
OPTION(RegardLabelBy, label_by, PROP_LABEL_BY)
OPTION(gboolean, simple, PROP_SIMPLE)
OPTION(RegardScale, scale, PROP_SCALE)
OPTION(RegardForm, form, PROP_FORM)

/* What else is asked for. */
GETTER(mt_capture *, capture)
GETTER(RegardPass *, pass)
GETTER(mt_model *, model)
GETTER(mt_attention_kind, kind)
GETTER(guint, layer)
GETTER(guint, head)
GETTER(gsize, whole_bytes)
GETTER(RegardMatrix *, matrix)
GETTER(RegardCell, hover)
GETTER(RegardCell, pin)
GETTER(const RegardColormap *, colormap)
GETTER(double, lines_share)
GETTER(gboolean, stale)
GETTER(gboolean, dimmed)
GETTER(gboolean, wants_steps)
GETTER(int, step)
GETTER(const char *, why_no_pair)
GETTER(RegardCorpus *, corpus)
GETTER(const char *, why_no_corpus)
GETTER(RegardBatchFunc, batch_func)
GETTER(RegardQualityFunc, quality_func)
GETTER(RegardCorpusFunc, corpus_func)

gboolean
regard_selection_is_pair_coming(RegardSelection *self)
{
  return self->is_pair_coming;
}

/* ---- Style ----------------------------------------------------------------------------------- */

void
regard_selection_set_colormap(RegardSelection *self, const char *id)
{
  const RegardColormap *colormap = id ? regard_colormap_find(id) : NULL;

  if (!colormap) /* a map that a later version had, in the settings: the default serves */
    colormap = regard_colormap_default();
  if (colormap == self->colormap)
    return;
  self->colormap = colormap;
  g_object_notify_by_pspec(G_OBJECT(self), props[PROP_COLORMAP]);
  g_signal_emit(self, signals[STYLE_CHANGED], 0);
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

/* ---- GObject --------------------------------------------------------------------------------- */

static void
get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
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
  case PROP_LABEL_BY:
  case PROP_SCALE:
  case PROP_FORM:
    g_value_set_int(value, *field_of(self, id));
    break;
  case PROP_MERGE_WORDS:
  case PROP_HIDE_SPECIAL:
  case PROP_RECEIVED:
  case PROP_SIMPLE:
    g_value_set_boolean(value, *field_of(self, id));
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
  case PROP_LINES_SHARE:
    g_value_set_double(value, self->lines_share);
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
  }
}

static void
forget_pass(RegardSelection *self)
{
  regard_pass_set(&self->pass, NULL);
  g_clear_pointer(&self->steps, regard_steps_unref);
}

static void
finalize(GObject *object)
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
  forget_pass(self);
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
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
  const char *names[N_SIGNALS] = {"matrix-changed", "chosen-changed",     "hover-changed",
                                  "pin-changed",    "style-changed",      "reached-changed",
                                  "pair-changed",   "pair-wanted",        "corpus-changed",
                                  "summed-changed", "constraints-wanted", "changes-wanted",
                                  "place-wanted"};

  object_class->get_property = get_property;
  object_class->finalize = finalize;

  props[PROP_CAPTURE] = g_param_spec_boxed("capture", NULL, NULL, REGARD_TYPE_CAPTURE, flags);
  props[PROP_MODEL_NAME] = g_param_spec_string("model-name", NULL, NULL, NULL, flags);
  props[PROP_KIND] = g_param_spec_int("kind", NULL, NULL, 0, MT_N_KINDS - 1, MT_CROSS, flags);
  props[PROP_LAYER] = g_param_spec_uint("layer", NULL, NULL, 0, G_MAXUINT, 0, flags);
  props[PROP_HEAD] = g_param_spec_uint("head", NULL, NULL, 0, G_MAXUINT, 0, flags);
  props[PROP_COMBINE] = g_param_spec_int("combine", NULL, NULL, 0, REGARD_N_COMBINES - 1, 0, flags);
  props[PROP_MERGE_WORDS] = g_param_spec_boolean("merge-words", NULL, NULL, FALSE, flags);
  props[PROP_HIDE_SPECIAL] = g_param_spec_boolean("hide-special", NULL, NULL, FALSE, flags);
  props[PROP_RECEIVED] = g_param_spec_boolean("received", NULL, NULL, FALSE, flags);
  props[PROP_LABEL_BY] =
      g_param_spec_int("label-by", NULL, NULL, 0, REGARD_N_LABEL_BYS - 1, 0, flags);
  props[PROP_SIMPLE] = g_param_spec_boolean("simple", NULL, NULL, FALSE, flags);
  props[PROP_SCALE] = g_param_spec_int("scale", NULL, NULL, 0, REGARD_N_SCALES - 1, 0, flags);
  props[PROP_COLORMAP] = g_param_spec_string("colormap", NULL, NULL, NULL, flags);
  props[PROP_STALE] = g_param_spec_boolean("stale", NULL, NULL, FALSE, flags);
  props[PROP_DIMMED] = g_param_spec_boolean("dimmed", NULL, NULL, FALSE, flags);
  props[PROP_STEP] = g_param_spec_int("step", NULL, NULL, -1, G_MAXINT, -1, flags);
  props[PROP_WANTS_STEPS] = g_param_spec_boolean("wants-steps", NULL, NULL, FALSE, flags);
  props[PROP_FORM] = g_param_spec_int("form", NULL, NULL, 0, REGARD_N_FORMS - 1, 0, flags);
  props[PROP_LINES_SHARE] =
      g_param_spec_double("lines-share", NULL, NULL, 0, 1, REGARD_LINES_SHARE, flags);
  g_object_class_install_properties(object_class, N_PROPS, props);

  for (guint i = 0; i < N_SIGNALS; i++)
    signals[i] = g_signal_new(names[i], G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                              NULL, G_TYPE_NONE, i >= CONSTRAINTS_WANTED, G_TYPE_POINTER);
}

static void
regard_selection_init(RegardSelection *self)
{
  self->kind = MT_CROSS;
  self->step = self->preset = self->peek = -1;
  self->colormap = regard_colormap_default();
  self->lines_share = REGARD_LINES_SHARE;
  self->hover = self->pin = NO_CELL;
}

RegardSelection *
regard_selection_new(void)
{
  return g_object_new(REGARD_TYPE_SELECTION, NULL);
}

RegardHeadAblation *
regard_selection_get_head_ablation(RegardSelection *selection)
{
  if (!selection->head_effects)
    selection->head_effects = regard_head_ablation_new(selection);
  return selection->head_effects;
}

/* ---- Hover and pin --------------------------------------------------------------------------- */

static RegardCell
clamp_cell(RegardSelection *self, RegardCell cell)
{
  int rows = self->matrix ? (int) self->matrix->rows : 0;
  int cols = self->matrix ? (int) self->matrix->cols : 0;

  cell.row = CLAMP(cell.row, -1, rows - 1);
  cell.col = CLAMP(cell.col, -1, cols - 1);
  return cell;
}

void
regard_selection_set_hover(RegardSelection *self, RegardCell cell)
{
  cell = clamp_cell(self, cell);
  if (cell_equal(cell, self->hover))
    return;
  self->hover = cell;
  g_signal_emit(self, signals[HOVER_CHANGED], 0);
}

void
regard_selection_set_pin(RegardSelection *self, RegardCell cell)
{
  cell = clamp_cell(self, cell);
  if (cell_equal(cell, self->pin))
    return;
  self->pin = cell;
  g_signal_emit(self, signals[PIN_CHANGED], 0);
}

void
regard_selection_let_go(RegardSelection *self)
{
  regard_selection_set_pin(self, NO_CELL);
  regard_selection_set_hover(self, NO_CELL);
}

RegardCell
regard_selection_get_focus(RegardSelection *self)
{
  return cell_equal(self->hover, NO_CELL) ? self->pin : self->hover;
}

/* ---- Between texts and cells ----------------------------------------------------------------- */

/* Output token t is the row t when rows are named by output; by input it is the row that it goes
 * into, t + 1. */
static int
decoder_position(RegardSelection *self, int output_token)
{
  return output_token + (label_by_of(self) == REGARD_LABEL_BY_INPUT
                             ? regard_naming_input_shift(self->capture)
                             : 0);
}

RegardCell
regard_selection_cell_of_source(RegardSelection *self, int token)
{
  RegardCell cell = NO_CELL;

  if (self->matrix && token >= 0 && axis_is_source(self->matrix, TRUE))
    cell.col = regard_matrix_col_of_token(self->matrix, token);
  return cell;
}

RegardCell
regard_selection_cell_of_target(RegardSelection *self, int token)
{
  RegardCell cell = NO_CELL;

  if (self->matrix && token >= 0 && !axis_is_source(self->matrix, FALSE))
    cell.row = regard_matrix_row_of_token(self->matrix, decoder_position(self, token));
  return cell;
}

void
regard_selection_hover_source(RegardSelection *self, int token)
{
  regard_selection_set_hover(self, regard_selection_cell_of_source(self, token));
}

void
regard_selection_hover_target(RegardSelection *self, int token)
{
  regard_selection_set_hover(self, regard_selection_cell_of_target(self, token));
}

/* First token (of the source, or of the output) that a row or column of a cell stands for, and how
 * many; FALSE if it is about the other text. */
static gboolean
cell_tokens(RegardSelection *self, RegardCell cell, gboolean column, gboolean source, int *first,
            int *n)
{
  int i = column ? cell.col : cell.row;

  if (!self->matrix || i < 0 || axis_is_source(self->matrix, column) != source)
    return FALSE;
  const RegardLabel *label = column ? &self->matrix->col_labels[i] : &self->matrix->row_labels[i];
  *first = label->first_token;
  *n = label->n_tokens;
  /* Keys of the decoder are its inputs, and the input at position t is the output t - 1. */
  if (!source && (column || label_by_of(self) == REGARD_LABEL_BY_INPUT))
    *first -= regard_naming_input_shift(self->capture);
  return *first + *n > 0;
}

static gboolean
axis_tokens(RegardSelection *self, gboolean column, gboolean source, int *first, int *n)
{
  return cell_tokens(self, regard_selection_get_focus(self), column, source, first, n);
}

static gboolean
is_lit(RegardSelection *self, gboolean source, int token)
{
  int first, n;

  for (int column = 0; column < 2; column++)
    if (axis_tokens(self, column, source, &first, &n) && token >= first && token < first + n)
      return token >= 0;
  for (guint i = 0; token >= 0 && i < self->n_summed; i++) {
    const gboolean column = self->sum_axis == REGARD_SUM_KEYS;
    const RegardCell cell = {column ? -1 : (int) i, column ? (int) i : -1};

    if (self->summed[i] && cell_tokens(self, cell, column, source, &first, &n) && token >= first &&
        token < first + n)
      return TRUE;
  }
  return FALSE;
}

gboolean
regard_selection_is_source_lit(RegardSelection *self, int token)
{
  return is_lit(self, TRUE, token);
}

gboolean
regard_selection_is_target_lit(RegardSelection *self, int token)
{
  return is_lit(self, FALSE, token);
}

int
regard_selection_get_lit_source(RegardSelection *self)
{
  int first, n;

  if (axis_tokens(self, TRUE, TRUE, &first, &n) || axis_tokens(self, FALSE, TRUE, &first, &n))
    return first;
  return -1;
}

int
regard_selection_get_lit_target(RegardSelection *self)
{
  int first, n;

  if (axis_tokens(self, FALSE, FALSE, &first, &n) || axis_tokens(self, TRUE, FALSE, &first, &n))
    return MAX(first, 0);
  return -1;
}

/* The output token whose row is pinned, the first of a merged word; -1: none. */
static int
get_pinned_target(RegardSelection *self)
{
  int first, n;

  return cell_tokens(self, self->pin, FALSE, FALSE, &first, &n) ? MAX(first, 0) : -1;
}

/* ---- Tokens whose rows or columns of the large matrix are added up ---------------------- */

static void
changed(RegardSelection *self)
{
  g_signal_emit(self, signals[SUMMED_CHANGED], 0);
}

static void
forget(RegardSelection *self)
{
  g_clear_pointer(&self->summed, g_free);
  g_clear_pointer(&self->summed_pieces, g_strfreev);
  self->n_summed = 0;
}

/* What is chosen of the matrix that there is; the array is taken. */
static void
take(RegardSelection *self, RegardSumAxis axis, guint8 *chosen)
{
  const RegardLabel *labels = regard_sum_axis_labels(self->matrix, axis);
  const guint n = regard_sum_axis_length(self->matrix, axis);
  gboolean any = FALSE;

  forget(self);
  self->sum_axis = axis;
  self->summed = chosen;
  self->n_summed = n;
  self->summed_pieces = g_new0(char *, n + 1);
  for (guint i = 0; i < n; i++) {
    self->summed_pieces[i] = g_strdup(labels[i].piece);
    any = any || chosen[i];
  }
  if (!any)
    forget(self);
}

gboolean
regard_selection_toggle_summed(RegardSelection *self, RegardCell cell)
{
  const RegardSumAxis axis = cell.row >= 0 ? REGARD_SUM_QUERIES : REGARD_SUM_KEYS;
  const int i = cell.row >= 0 ? cell.row : cell.col;

  if (!self->matrix || (cell.row >= 0) == (cell.col >= 0) ||
      (guint) i >= regard_sum_axis_length(self->matrix, axis))
    return FALSE;
  guint8 *chosen = g_new0(guint8, regard_sum_axis_length(self->matrix, axis));
  if (self->summed && self->sum_axis == axis) /* else it begins anew */
    memcpy(chosen, self->summed, self->n_summed);
  chosen[i] ^= 1;
  take(self, axis, chosen);
  changed(self);
  return TRUE;
}

void
regard_selection_set_summed(RegardSelection *self, RegardSumAxis axis, const guint8 *chosen)
{
  if (self->matrix && chosen)
    take(self, axis, g_memdup2(chosen, regard_sum_axis_length(self->matrix, axis)));
  else if (self->summed)
    forget(self);
  else
    return;
  changed(self);
}

const guint8 *
regard_selection_get_summed(RegardSelection *self, RegardSumAxis *axis, guint *n)
{
  *axis = self->sum_axis;
  *n = self->n_summed;
  return self->summed;
}

RegardMatrix *
regard_selection_new_sum(RegardSelection *self)
{
  return self->matrix && self->summed
             ? regard_matrix_new_sum(self->matrix, self->sum_axis, self->summed)
             : NULL;
}

/* Another head of the same sentence is summed over the same tokens; of another one there are none.
 */
static void
check_summed(RegardSelection *self)
{
  gboolean same =
      self->matrix && regard_sum_axis_length(self->matrix, self->sum_axis) == self->n_summed;

  if (!self->summed)
    return;
  for (guint i = 0; same && i < self->n_summed; i++)
    same = g_str_equal(regard_sum_axis_labels(self->matrix, self->sum_axis)[i].piece,
                       self->summed_pieces[i]);
  if (!same)
    forget(self);
  changed(self); /* the numbers are others in any case */
}

/* ---- The heads of a kind that are chosen, to be looked at together ---------------------- */

gboolean
regard_selection_is_chosen(RegardSelection *self, mt_attention_kind kind, guint layer, guint head)
{
  const RegardHeadExtent *extent = (guint) kind < MT_N_KINDS ? &self->extents[kind] : NULL;

  return extent && self->chosen[kind] && layer < extent->n_layers && head < extent->n_heads &&
         self->chosen[kind][layer * extent->n_heads + head];
}

void
regard_selection_toggle_chosen(RegardSelection *self, mt_attention_kind kind, guint layer,
                               guint head)
{
  const RegardHeadExtent *extent = (guint) kind < MT_N_KINDS ? &self->extents[kind] : NULL;

  if (!extent || layer >= extent->n_layers || head >= extent->n_heads)
    return;

  if (!self->chosen[kind])
    self->chosen[kind] = g_new0(guint8, (gsize) extent->n_layers * extent->n_heads);
  self->chosen[kind][layer * extent->n_heads + head] ^= 1;
  g_signal_emit(self, signals[CHOSEN_CHANGED], 0);
  if (kind == self->kind && combine_of(self) == REGARD_COMBINE_CHOSEN)
    rebuild(self);
}

void
regard_selection_clear_chosen(RegardSelection *self)
{
  if (!self->chosen[self->kind])
    return;
  g_clear_pointer(&self->chosen[self->kind], g_free);
  g_signal_emit(self, signals[CHOSEN_CHANGED], 0);
  if (combine_of(self) == REGARD_COMBINE_CHOSEN)
    rebuild(self);
}

/* ---- In which form the large picture is shown: as a matrix, or as lines ----------------- */

void
regard_selection_set_lines_share(RegardSelection *self, double share)
{
  share = CLAMP(share, 0, 1);
  if (share == self->lines_share)
    return;
  self->lines_share = share;
  g_object_notify_by_pspec(G_OBJECT(self), props[PROP_LINES_SHARE]);
  g_signal_emit(self, signals[STYLE_CHANGED], 0);
}

/* ---- How the translation was found, how far it is looked at, how it is to go on ------------- */

RegardSteps *
regard_selection_get_steps(RegardSelection *self)
{
  if (!self->steps && regard_pass_has_model(self->pass))
    self->steps = regard_steps_new(self->pass->model, self->pass->translation,
                                   (guint) self->pass->hypothesis, self->capture);
  return self->steps;
}

void
regard_selection_set_wants_steps(RegardSelection *self, gboolean wants)
{
  if (!wants == !self->wants_steps)
    return;
  self->wants_steps = !!wants;
  g_object_notify(G_OBJECT(self), "wants-steps");
  g_signal_emit(self, signals[REACHED_CHANGED], 0);
}

void
regard_selection_set_step(RegardSelection *self, int step)
{
  const mt_tokens *output = self->capture ? mt_capture_output(self->capture) : NULL;

  step = CLAMP(step, -1, output ? (int) mt_tokens_count(output) - 1 : -1);
  if (step == self->step)
    return;
  self->step = step;
  g_object_notify(G_OBJECT(self), "step");
}

void
regard_selection_set_preset(RegardSelection *self, int step)
{
  if (step == self->preset)
    return;
  self->preset = step;
  if (self->step < 0)
    g_object_notify(G_OBJECT(self), "step");
}

int
regard_selection_get_shown_step(RegardSelection *self)
{
  const mt_tokens *output = self->capture ? mt_capture_output(self->capture) : NULL;

  return self->step >= 0 ? self->step
                         : MIN(self->preset, output ? (int) mt_tokens_count(output) - 1 : -1);
}

void
regard_selection_set_peek(RegardSelection *self, int n)
{
  if (n == self->peek)
    return;
  self->peek = n;
  g_signal_emit(self, signals[REACHED_CHANGED], 0);
}

int
regard_selection_get_reached(RegardSelection *self)
{
  /* A step that is held while other pages are looked at leaves the translation whole there. */
  const int step = self->wants_steps ? regard_selection_get_shown_step(self) : -1;

  return self->peek >= 0 && self->capture ? self->peek : step >= 0 ? step + 1 : -1;
}

static int
rows_up_to(const RegardMatrix *m, int step)
{
  int n = 0;

  for (guint r = 0; r < m->rows; r++)
    n += m->row_labels[r].first_token <= (guint) step;
  return n;
}

int
regard_selection_rows_computed(RegardSelection *self, int step)
{
  if (step < 0 || !self->matrix || self->kind == MT_ENCODER_SELF)
    return -1;
  return rows_up_to(self->matrix, step);
}

double
regard_selection_share_computed(RegardSelection *self, mt_attention_kind kind, int step)
{
  g_autoptr(RegardMatrix) made = NULL;
  const RegardMatrix *m = self->matrix;

  if (step < 0 || !self->capture || kind == MT_ENCODER_SELF)
    return 1;
  if (!m || self->kind == MT_ENCODER_SELF) { /* both kinds of the decoder have the same rows */
    RegardMatrixSpec spec;

    regard_selection_get_spec(self, &spec);
    spec.kind = kind;
    spec.layer = spec.head = 0;
    spec.combine = REGARD_COMBINE_HEAD;
    m = made = regard_matrix_new_attention(self->capture, &spec);
  }
  return m && m->rows > 0 ? (double) rows_up_to(m, step) / m->rows : 1;
}

void
regard_selection_want_constraints(RegardSelection *self, mt_constraints *constraints)
{
  g_signal_emit(self, signals[CONSTRAINTS_WANTED], 0, constraints);
}

/* ---- The pass that the capture is of, and what the program does for pages --------------- */

void
regard_selection_show_pass(RegardSelection *self, RegardPass *pass)
{
  if (pass == self->pass)
    return;
  forget_pass(self);
  regard_pass_set(&self->pass, pass);
  take_capture(self, regard_pass_capture(pass));
}

void
regard_selection_show(RegardSelection *self, mt_capture *capture, mt_model *model,
                      mt_translation *translation, gsize hypothesis)
{
  const RegardPass *old = self->pass;
  g_autoptr(RegardPass) pass = NULL;

  if (old && old->capture == capture && old->model == model && old->translation == translation &&
      old->hypothesis == hypothesis)
    return;
  pass = capture ? regard_pass_new(capture, model, translation, hypothesis) : NULL;
  regard_selection_show_pass(self, pass);
}

void
regard_selection_set_capture(RegardSelection *self, mt_capture *capture)
{
  regard_selection_show(self, capture, NULL, NULL, 0);
}

mt_model *
regard_selection_get_pass_model(RegardSelection *self)
{
  return regard_pass_has_model(self->pass) ? self->pass->model : NULL;
}

void
regard_selection_set_batch_func(RegardSelection *self, RegardBatchFunc func)
{
  self->batch_func = func;
}

void
regard_selection_set_quality_func(RegardSelection *self, RegardQualityFunc func)
{
  self->quality_func = func;
}

void
regard_selection_set_corpus_func(RegardSelection *self, RegardCorpusFunc func)
{
  self->corpus_func = func;
}

/* ---- The two passes that are compared, and what is to be changed in the model --------------- */

static void
emit_pair_changed(RegardSelection *self)
{
  g_signal_emit(self, signals[PAIR_CHANGED], 0);
}

void
regard_selection_set_pair(RegardSelection *self, RegardPass *a, RegardPass *b)
{
  g_return_if_fail(a->capture && b->capture);
  if (a->capture == regard_pass_capture(self->pair[0]) &&
      b->capture == regard_pass_capture(self->pair[1]))
    return;
  regard_pass_set(&self->pair[0], a);
  regard_pass_set(&self->pair[1], b);
  self->is_pair_coming = FALSE;
  g_clear_pointer(&self->why_no_pair, g_free);
  emit_pair_changed(self);
}

void
regard_selection_set_no_pair(RegardSelection *self, gboolean is_coming, const char *why)
{
  if (!self->pair[0] && !self->is_pair_coming == !is_coming &&
      g_strcmp0(self->why_no_pair, why) == 0)
    return;
  for (guint i = 0; i < G_N_ELEMENTS(self->pair); i++)
    regard_pass_set(&self->pair[i], NULL);
  self->is_pair_coming = !!is_coming;
  g_free(self->why_no_pair);
  self->why_no_pair = g_strdup(why);
  emit_pair_changed(self);
}

gboolean
regard_selection_get_pair(RegardSelection *self, mt_capture **a, mt_capture **b)
{
  *a = regard_pass_capture(self->pair[0]);
  *b = regard_pass_capture(self->pair[1]);
  return *a != NULL;
}

gboolean
regard_selection_get_pair_passes(RegardSelection *self, RegardPass **a, RegardPass **b)
{
  *a = self->pair[0];
  *b = self->pair[1];
  return *a != NULL;
}

/* Two pages are there at once while one goes over into the other, so wishes are counted. */
void
regard_selection_set_wants_pair(RegardSelection *self, gboolean wants)
{
  g_return_if_fail(wants || self->n_pair_wanted > 0);
  const gboolean was_wanted = self->n_pair_wanted > 0;
  self->n_pair_wanted += wants ? 1 : -1u;
  if (was_wanted != (self->n_pair_wanted > 0))
    g_signal_emit(self, signals[PAIR_WANTED], 0);
}

gboolean
regard_selection_get_wants_pair(RegardSelection *self)
{
  return self->n_pair_wanted > 0;
}

/* Does what is shown begin with the tokens of A up to this one? */
static gboolean
is_token_of_a(RegardSelection *self, int token)
{
  const mt_tokens *shown = mt_capture_output(self->capture);
  const mt_tokens *a = mt_capture_output(self->pair[0]->capture);

  if (token < 0 || (gsize) token >= MIN(mt_tokens_count(shown), mt_tokens_count(a)))
    return FALSE;
  for (gsize i = 0; i <= (gsize) token; i++)
    if (mt_tokens_get(shown, i)->id != mt_tokens_get(a, i)->id)
      return FALSE;
  return TRUE;
}

int
regard_selection_get_pair_token(RegardSelection *self)
{
  if (!self->capture || !self->pair[0])
    return -1;
  const int token = self->step >= 0 ? self->step : get_pinned_target(self);
  return is_token_of_a(self, token) ? token : -1;
}

void
regard_selection_want_interventions(RegardSelection *self, mt_interventions *interventions)
{
  g_signal_emit(self, signals[CHANGES_WANTED], 0, interventions);
}

/* ---- The corpus file that is looked at -------------------------------------------------- */

void
regard_selection_set_corpus(RegardSelection *self, RegardCorpus *corpus, const char *why_not)
{
  if (corpus)
    regard_corpus_ref(corpus);
  g_clear_pointer(&self->corpus, regard_corpus_unref);
  self->corpus = corpus;
  g_free(self->why_no_corpus);
  self->why_no_corpus = g_strdup(why_not);
  g_signal_emit(self, signals[CORPUS_CHANGED], 0);
}

/* ---- mt_capture as a boxed type, so that it can be a property --------------------------- */

G_DEFINE_BOXED_TYPE(mt_capture, regard_capture, mt_capture_ref, mt_capture_unref)
