/* regard-live-attribution.c — attributions, or biases of distances, instead of weights, kept up to
 * date.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-live-attribution.h"

#include "figures/regard-language.h"
#include "figures/regard-words.h"
#include "runner/regard-analysis.h"
#include "widgets/regard-gtk.h"
#include "widgets/regard-work-bar.h"
#include "widgets/regard-wrap-layout.h"

#include <math.h>

/* Who types on need not wait for it. */
#define START_AFTER_MS 120

struct _RegardLiveAttribution {
  GObject parent_instance;

  RegardSelection *selection; /* weak: it owns this */
  int method, word;
  RegardAbout about;
  RegardAttributionScope part;

  RegardAttributed *attributed;
  RegardMatrix *bias; /* of the selected head; NULL: not shown, or there is none */
  gboolean is_stale;
  char *error;
  RegardWork *work;
};

G_DEFINE_FINAL_TYPE(RegardLiveAttribution, regard_live_attribution, G_TYPE_OBJECT)

static guint changed_signal;

static void
emit_changed(RegardLiveAttribution *self)
{
  g_signal_emit(self, changed_signal, 0);
}

/* ---- What is asked for ------------------------------------------------------------------------
 */

const mt_attribution_method *
regard_live_attribution_get_about_method(RegardLiveAttribution *self)
{
  return self->method >= 0 ? mt_attribution_at((gsize) self->method) : NULL;
}

gboolean
regard_live_attribution_can_be_about(RegardLiveAttribution *self, RegardAbout about)
{
  const mt_attribution_method *method = regard_live_attribution_get_about_method(self);

  return method && (about != REGARD_ABOUT_ENCODER || method->has_encoder);
}

RegardAbout
regard_live_attribution_get_about(RegardLiveAttribution *self)
{
  return regard_live_attribution_can_be_about(self, self->about) ? self->about : REGARD_ABOUT_WORDS;
}

static gboolean
can_be_of(RegardLiveAttribution *self, RegardAttributionScope part)
{
  const mt_attribution_method *method = regard_live_attribution_get_about_method(self);

  return method && (part == REGARD_ATTRIBUTION_ALL_LAYERS ||
                    (part == REGARD_ATTRIBUTION_LAYER && method->has_layers) ||
                    (part == REGARD_ATTRIBUTION_HEAD && method->has_layers && method->has_heads));
}

/* The nearest that there is. */
RegardAttributionScope
regard_live_attribution_get_part(RegardLiveAttribution *self)
{
  RegardAttributionScope part = self->part;

  while (part > REGARD_ATTRIBUTION_ALL_LAYERS && !can_be_of(self, part))
    part--;
  return part;
}

int
regard_live_attribution_get_word(RegardLiveAttribution *self)
{
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
  RegardLiveAttribution *self = owner;
  g_autoptr(GError) error = NULL;

  g_clear_pointer(&self->attributed, regard_attributed_free);
  self->attributed = regard_run_finish(run, &error);
  self->is_stale = FALSE;
  self->error = error ? regard_analysis_explain(regard_run_get_pass(run), error) : NULL;
  emit_changed(self);
}

static gboolean
is_difference(RegardLiveAttribution *self)
{
  const mt_capture *capture = regard_selection_get_capture(self->selection);

  return capture && mt_capture_difference_a(capture);
}

/* A, where a difference is looked at; *b: what it is taken from. NULL: there is none. */
static RegardPass *
find_reference(RegardLiveAttribution *self, RegardPass **b)
{
  RegardPass *a, *of_b;

  if (!is_difference(self) || !regard_selection_get_pair_passes(self->selection, &a, &of_b) ||
      !regard_pass_has_model(a) || !regard_pass_has_model(of_b))
    return NULL;
  *b = of_b;
  return a;
}

static void
start(gpointer owner)
{
  RegardLiveAttribution *self = owner;
  const RegardAttributionScope part = regard_live_attribution_get_part(self);
  RegardPass *pass = regard_selection_get_pass(self->selection);
  RegardPass *a = find_reference(self, &pass);
  const mt_attribution_params of = {
      .method = (gsize) self->method,
      .token = regard_live_attribution_get_about(self) == REGARD_ABOUT_WORD
                   ? regard_live_attribution_get_word(self)
                   : -1,
      .layer =
          part >= REGARD_ATTRIBUTION_LAYER ? (int) regard_selection_get_layer(self->selection) : -1,
      .head =
          part == REGARD_ATTRIBUTION_HEAD ? (int) regard_selection_get_head(self->selection) : -1,
  };

  const RegardAttributionParams params = {of, a ? regard_pass_ref(a) : NULL};
  regard_work_run(self->work, &regard_analysis_attribution, pass, &params, on_computed);
}

static void
on_stopped(RegardLiveAttribution *self)
{
  self->error = g_strdup(_("Stopped before it was done"));
  emit_changed(self);
}

gboolean
regard_live_attribution_has_bias(RegardLiveAttribution *self)
{
  const mt_capture *capture =
      self->selection ? regard_selection_get_capture(self->selection) : NULL;

  return capture && ((mt_capture_n_layers(capture, MT_ENCODER_SELF) > 0 &&
                      mt_capture_score_bias(capture, MT_ENCODER_SELF, 0, 0).data) ||
                     (mt_capture_n_layers(capture, MT_DECODER_SELF) > 0 &&
                      mt_capture_score_bias(capture, MT_DECODER_SELF, 0, 0).data));
}

/* It is at hand, so that there is nothing to wait for. */
static void
make_bias(RegardLiveAttribution *self)
{
  const mt_capture *capture = regard_selection_get_capture(self->selection);

  const mt_attention_kind kind = regard_selection_get_kind(self->selection);
  guint layer = regard_selection_get_layer(self->selection),
        head = regard_selection_get_head(self->selection);

  g_clear_pointer(&self->bias, regard_matrix_unref);
  if (self->method == REGARD_SHOW_BIAS &&
      regard_selection_find_head(self->selection, kind, &layer, &head))
    self->bias = regard_matrix_new_score_bias(capture, kind, layer, head);
}

/* Something else is wanted. keeps: the picture that is there stays until then. */
static void
begin_anew(RegardLiveAttribution *self, gboolean keeps)
{
  if (!self->selection)
    return;
  make_bias(self);
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
regard_live_attribution_again(RegardLiveAttribution *self)
{
  begin_anew(self, TRUE);
}

/* ---- The interface ----------------------------------------------------------------------------
 */

void
regard_live_attribution_set_method(RegardLiveAttribution *self, int method)
{
  g_return_if_fail(method >= REGARD_SHOW_BIAS && method < (int) mt_attribution_count());
  if (method == self->method)
    return;
  self->method = method;
  begin_anew(self, FALSE); /* other numbers under the same name would be a lie */
}

int
regard_live_attribution_get_method(RegardLiveAttribution *self)
{
  return self->method;
}

void
regard_live_attribution_set_about(RegardLiveAttribution *self, RegardAbout about)
{
  g_return_if_fail(about < REGARD_N_ABOUTS);
  const RegardAbout before = regard_live_attribution_get_about(self);

  self->about = about;
  if (regard_live_attribution_get_about(self) == before)
    return;
  /* Words and the encoder are computed together. */
  if (before != REGARD_ABOUT_WORD && regard_live_attribution_get_about(self) != REGARD_ABOUT_WORD)
    emit_changed(self);
  else
    begin_anew(self, FALSE);
}

void
regard_live_attribution_set_part(RegardLiveAttribution *self, RegardAttributionScope part)
{
  g_return_if_fail(part < REGARD_N_ATTRIBUTION_SCOPES);
  const RegardAttributionScope before = regard_live_attribution_get_part(self);

  self->part = part;
  if (regard_live_attribution_get_part(self) != before)
    begin_anew(self, FALSE);
}

void
regard_live_attribution_set_word(RegardLiveAttribution *self, int token)
{
  const int before = regard_live_attribution_get_word(self);

  self->word = token;
  if (regard_live_attribution_get_word(self) != before &&
      regard_live_attribution_get_about(self) == REGARD_ABOUT_WORD)
    begin_anew(self, TRUE);
}

RegardMatrix *
regard_live_attribution_get_matrix(RegardLiveAttribution *self)
{
  if (self->method == REGARD_SHOW_BIAS)
    return self->bias;
  if (!self->attributed)
    return NULL;
  return regard_live_attribution_get_about(self) == REGARD_ABOUT_ENCODER ? self->attributed->encoder
                                                                         : self->attributed->words;
}

gboolean
regard_live_attribution_is_stale(RegardLiveAttribution *self)
{
  return self->is_stale;
}

RegardWork *
regard_live_attribution_get_work(RegardLiveAttribution *self)
{
  return self->work;
}

const char *
regard_live_attribution_get_error(RegardLiveAttribution *self)
{
  return self->error;
}

char *
regard_live_attribution_describe(RegardLiveAttribution *self)
{
  const mt_attribution_method *method = regard_live_attribution_get_about_method(self);

  if (self->method == REGARD_SHOW_BIAS && self->bias)
    return g_strdup_printf(_("%s, head %u.%u: what it adds to q·k, by the distance of the key from "
                             "the query (Raffel 2020); the same number along each diagonal."),
                           regard_naming_kind(regard_selection_get_capture(self->selection),
                                              regard_selection_get_kind(self->selection)),
                           regard_selection_get_layer(self->selection) + 1,
                           regard_selection_get_head(self->selection) + 1);
  if (self->method == REGARD_SHOW_BIAS)
    return g_strdup(_("Nothing is added for positions to scores of cross-attention."));
  if (!method || !self->selection)
    return g_strdup("");
  GString *text = g_string_new(NULL);
  /* Translators: where a method was published, and what its numbers are */
  regard_words_add_sentence(text, _("%s: %s."), _(method->source), _(method->gives));
  if (is_difference(self))
    regard_words_add_sentence(text, "%s", _("B − A, with the words of A in both."));
  switch (regard_live_attribution_get_part(self)) {
  case REGARD_ATTRIBUTION_ALL_LAYERS:
    regard_words_add_sentence(
        text, "%s",
        method->has_layers ? _("Mean over all layers.")
                           : _("It is of the whole model: the selected head changes nothing."));
    break;
  case REGARD_ATTRIBUTION_LAYER:
    regard_words_add_sentence(
        text,
        method->has_heads ? _("Layer %u of both stacks, all heads.")
                          : _("Layer %u of both stacks; the selected head changes nothing."),
        regard_selection_get_layer(self->selection) + 1);
    break;
  default:
    regard_words_add_sentence(text, _("Head %u of layer %u in every attention."),
                              regard_selection_get_head(self->selection) + 1,
                              regard_selection_get_layer(self->selection) + 1);
  }
  return g_string_free(text, FALSE);
}

/* ---- The object -------------------------------------------------------------------------------
 */

static void
on_capture(RegardLiveAttribution *self)
{
  const gboolean is_bias = self->method == REGARD_SHOW_BIAS;

  if (is_bias && regard_selection_get_capture(self->selection) &&
      !regard_live_attribution_has_bias(self))
    self->method = -1; /* of another model, which has no such thing */
  if (self->method >= 0 || is_bias)
    begin_anew(self, TRUE);
}

static void
on_place(RegardLiveAttribution *self)
{
  if (self->method == REGARD_SHOW_BIAS ||
      (self->method >= 0 &&
       regard_live_attribution_get_part(self) != REGARD_ATTRIBUTION_ALL_LAYERS))
    begin_anew(self, TRUE);
}

static void
on_kind(RegardLiveAttribution *self)
{
  if (self->method == REGARD_SHOW_BIAS)
    begin_anew(self, TRUE);
}

static void
on_step(RegardLiveAttribution *self)
{
  if (self->method >= 0 && regard_live_attribution_get_about(self) == REGARD_ABOUT_WORD)
    begin_anew(self, TRUE);
}

static void
dispose(GObject *object)
{
  RegardLiveAttribution *self = REGARD_LIVE_ATTRIBUTION(object);

  g_clear_object(&self->work);
  g_clear_weak_pointer(&self->selection);
  g_clear_pointer(&self->attributed, regard_attributed_free);
  g_clear_pointer(&self->bias, regard_matrix_unref);
  g_clear_pointer(&self->error, g_free);
  G_OBJECT_CLASS(regard_live_attribution_parent_class)->dispose(object);
}

static void
regard_live_attribution_class_init(RegardLiveAttributionClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = dispose;
  changed_signal = regard_signal_new(klass, "changed", 0);
}

static void
regard_live_attribution_init(RegardLiveAttribution *self)
{
  self->method = -1;
  self->work = regard_work_new(self);
  regard_work_set_seen(self->work, FALSE); /* nobody looks yet */
  regard_connect(self->work, "stopped", G_CALLBACK(on_stopped), self);
}

RegardLiveAttribution *
regard_live_attribution_of(RegardSelection *selection)
{
  RegardLiveAttribution *self = g_object_get_data(G_OBJECT(selection), "regard-shown");

  if (self)
    return self;
  self = g_object_new(REGARD_TYPE_LIVE_ATTRIBUTION, NULL);
  g_set_weak_pointer(&self->selection, selection);
  regard_connect(selection, "notify::capture", G_CALLBACK(on_capture), self);
  regard_connect(selection, "notify::layer", G_CALLBACK(on_place), self);
  regard_connect(selection, "notify::head", G_CALLBACK(on_place), self);
  regard_connect(selection, "notify::kind", G_CALLBACK(on_kind), self);
  regard_connect(selection, "notify::step", G_CALLBACK(on_step), self);
  g_object_set_data_full(G_OBJECT(selection), "regard-shown", self, g_object_unref);
  return self;
}

/* ---- The bar --------------------------------------------------------------------------------- */

/* Chooses what the large picture shows, weights, attributions or biases, and ties their cells to
 * the selection. */

struct _RegardShowBar {
  GtkWidget parent_instance;

  RegardHeatmap *heatmap; /* the page's */
  RegardSelection *selection;
  RegardLiveAttribution *shown; /* the selection's */
  GtkWidget *line, *menu, *wrap, *about, *part, *progress, *again, *caption, *cell;
  gboolean following; /* widgets are told, or the heatmap tells */
};

G_DEFINE_FINAL_TYPE(RegardShowBar, regard_show_bar, GTK_TYPE_WIDGET)

static guint bar_changed_signal;

gboolean
regard_show_bar_is_on(RegardShowBar *self)
{
  return self->shown && regard_live_attribution_get_method(self->shown) != -1;
}

static gboolean
shows_bias(RegardShowBar *self)
{
  return self->shown && regard_live_attribution_get_method(self->shown) == REGARD_SHOW_BIAS;
}

RegardMatrix *
regard_show_bar_get_matrix(RegardShowBar *self)
{
  if (!self->selection)
    return NULL;
  return regard_show_bar_is_on(self) ? regard_live_attribution_get_matrix(self->shown)
                                     : regard_selection_get_matrix(self->selection);
}

gboolean
regard_show_bar_is_stale(RegardShowBar *self)
{
  return regard_show_bar_is_on(self) && regard_live_attribution_is_stale(self->shown);
}

char *
regard_show_bar_name(RegardShowBar *self)
{
  const guint layer = regard_selection_get_layer(self->selection) + 1;

  if (shows_bias(self))
    return g_strdup_printf("bias-%s-%u.%u",
                           regard_kind_id(regard_selection_get_kind(self->selection)), layer,
                           regard_selection_get_head(self->selection) + 1);
  GString *name = g_string_new(regard_live_attribution_get_about_method(self->shown)->id);
  if (regard_live_attribution_get_part(self->shown) == REGARD_ATTRIBUTION_LAYER)
    g_string_append_printf(name, "-%u", layer);
  else if (regard_live_attribution_get_part(self->shown) == REGARD_ATTRIBUTION_HEAD)
    g_string_append_printf(name, "-%u.%u", layer, regard_selection_get_head(self->selection) + 1);
  if (is_difference(self->shown))
    g_string_append(name, "-difference");
  if (regard_live_attribution_get_about(self->shown) == REGARD_ABOUT_WORD)
    g_string_append_printf(name, "-word-%d", regard_live_attribution_get_word(self->shown) + 1);
  else if (regard_live_attribution_get_about(self->shown) == REGARD_ABOUT_ENCODER)
    g_string_append(name, "-encoder");
  return g_string_free(name, FALSE);
}

/* ---- Cells ------------------------------------------------------------------------------------
 */

/* Which tokens a cell is about: of the source and of the output, from 0; -1: none. */
static void
tokens_of_cell(RegardShowBar *self, int row, int col, int *source, int *target)
{
  const RegardMatrix *m = regard_show_bar_get_matrix(self);
  const gboolean is_encoder =
      regard_live_attribution_get_about(self->shown) == REGARD_ABOUT_ENCODER;

  *source = *target = -1;
  if (!m)
    return;
  if (row >= 0 && (guint) row < m->rows && !is_encoder)
    *target = (int) m->row_labels[row].first_token;
  if (col >= 0 && (guint) col < m->cols && (is_encoder || (guint) col < m->col_split))
    *source = (int) m->col_labels[col].first_token;
}

/* The selection's cell of the same tokens, as far as its matrix has them. */
static RegardCell
selection_cell(RegardShowBar *self, int row, int col)
{
  const RegardMatrix *weights = regard_selection_get_matrix(self->selection);
  int source, target;

  if (shows_bias(self)) /* rows and columns are those of the weights, token by token */
    return (RegardCell){weights && row >= 0 ? regard_matrix_row_of_token(weights, (guint) row) : -1,
                        weights && col >= 0 ? regard_matrix_col_of_token(weights, (guint) col)
                                            : -1};
  tokens_of_cell(self, row, col, &source, &target);
  RegardCell cell = regard_selection_cell_of_target(self->selection, target);
  cell.col = regard_selection_cell_of_source(self->selection, source).col;
  return cell;
}

static void
show_cell(RegardShowBar *self)
{
  const RegardMatrix *m = regard_show_bar_is_on(self) ? regard_show_bar_get_matrix(self) : NULL;
  int row = -1, col = -1;
  g_autofree char *text = NULL;

  if (m)
    regard_heatmap_get_hover(self->heatmap, &row, &col);
  if (m && (row < 0 || col < 0))
    regard_heatmap_get_pin(self->heatmap, &row, &col);
  if (m && row >= 0 && col >= 0 && (guint) row < m->rows && (guint) col < m->cols)
    text = regard_strdup_printf("%s ← %s%s  %.4g", m->row_labels[row].text,
                                m->col_split && (guint) col >= m->col_split ? "→ " : "",
                                m->col_labels[col].text,
                                regard_matrix_get(m, (guint) row, (guint) col));
  gtk_label_set_text(GTK_LABEL(self->cell), text ? text : "");
}

static void
on_heatmap_hover(RegardShowBar *self, int row, int col)
{
  if (!regard_show_bar_is_on(self))
    return;
  self->following = TRUE;
  regard_selection_set_hover(self->selection, selection_cell(self, row, col));
  self->following = FALSE;
  show_cell(self);
}

static void
on_heatmap_pin(RegardShowBar *self, int row, int col)
{
  int source, target;

  if (!regard_show_bar_is_on(self))
    return;
  self->following = TRUE;
  regard_selection_set_pin(self->selection, selection_cell(self, row, col));
  self->following = FALSE;
  tokens_of_cell(self, row, col, &source, &target);
  if (!shows_bias(self) && target >= 0 &&
      regard_live_attribution_get_about(self->shown) == REGARD_ABOUT_WORDS)
    regard_live_attribution_set_word(self->shown, target);
  show_cell(self);
}

/* The first token of a row or a column; -1: there is none. */
static int
token_of(const RegardMatrix *m, int at, gboolean is_row)
{
  if (!m || at < 0 || (guint) at >= (is_row ? m->rows : m->cols))
    return -1;
  return (int) (is_row ? m->row_labels : m->col_labels)[at].first_token;
}

/* A text, or another widget, points at tokens: the cell of both. */
static void
on_selection_cells(RegardShowBar *self)
{
  RegardMatrix *m = regard_show_bar_is_on(self) ? regard_show_bar_get_matrix(self) : NULL;
  const int source = m ? regard_selection_get_lit_source(self->selection) : -1;
  const int target = m ? regard_selection_get_lit_target(self->selection) : -1;
  const gboolean is_encoder =
      m && regard_live_attribution_get_about(self->shown) == REGARD_ABOUT_ENCODER;

  if (!m || self->following)
    return;
  if (shows_bias(self)) {
    const RegardMatrix *weights = regard_selection_get_matrix(self->selection);
    const RegardCell hover = regard_selection_get_hover(self->selection);
    const RegardCell pin = regard_selection_get_pin(self->selection);

    regard_heatmap_set_hover(self->heatmap, token_of(weights, hover.row, TRUE),
                             token_of(weights, hover.col, FALSE));
    regard_heatmap_set_pin(self->heatmap, token_of(weights, pin.row, TRUE),
                           token_of(weights, pin.col, FALSE));
    show_cell(self);
    return;
  }
  regard_heatmap_set_hover(self->heatmap,
                           target >= 0 && !is_encoder
                               ? regard_matrix_row_of_token(m, (guint) target)
                               : -1,
                           source >= 0 ? regard_matrix_col_of_token(m, (guint) source) : -1);
  if (regard_selection_get_pin(self->selection).row < 0 &&
      regard_selection_get_pin(self->selection).col < 0)
    regard_heatmap_set_pin(self->heatmap, -1, -1);
  show_cell(self);
}

/* ---- What is said -----------------------------------------------------------------------------
 */

static void
say_choices(RegardShowBar *self)
{
  const mt_capture *capture = regard_selection_get_capture(self->selection);
  const mt_tokens *output = capture ? mt_capture_output(capture) : NULL;
  const int word = regard_live_attribution_get_word(self->shown);
  g_autofree char *piece = output && (gsize) word < mt_tokens_count(output)
                               ? regard_token_display(output, (guint) word, FALSE)
                               : NULL;
  g_autofree char *one =
      piece ? g_strdup_printf(_("One word: %s"), piece) : g_strdup(_("One word"));
  g_autofree char *layer =
      g_strdup_printf(_("Layer %u"), regard_selection_get_layer(self->selection) + 1);
  g_autofree char *head =
      g_strdup_printf(_("Head %u.%u"), regard_selection_get_layer(self->selection) + 1,
                      regard_selection_get_head(self->selection) + 1);
  const char *const abouts[] = {_("All words"), one,
                                regard_live_attribution_can_be_about(self->shown,
                                                                     REGARD_ABOUT_ENCODER)
                                    ? _("Encoder tokens")
                                    : NULL,
                                NULL};
  const char *const parts[] = {_("All layers"),
                               can_be_of(self->shown, REGARD_ATTRIBUTION_LAYER) ? layer : NULL,
                               can_be_of(self->shown, REGARD_ATTRIBUTION_HEAD) ? head : NULL, NULL};
  g_autoptr(GtkStringList) about_list = gtk_string_list_new(abouts);
  g_autoptr(GtkStringList) part_list = gtk_string_list_new(parts);

  gtk_drop_down_set_model(GTK_DROP_DOWN(self->about), G_LIST_MODEL(about_list));
  gtk_drop_down_set_selected(GTK_DROP_DOWN(self->about),
                             regard_live_attribution_get_about(self->shown));
  gtk_drop_down_set_model(GTK_DROP_DOWN(self->part), G_LIST_MODEL(part_list));
  gtk_drop_down_set_selected(GTK_DROP_DOWN(self->part),
                             regard_live_attribution_get_part(self->shown));
  gtk_widget_set_sensitive(self->part, parts[1] != NULL);
}

static void
follow(RegardShowBar *self)
{
  const gboolean on = regard_show_bar_is_on(self);
  const char *error = regard_live_attribution_get_error(self->shown);
  g_autofree char *text = error ? g_strdup(error) : regard_live_attribution_describe(self->shown);

  const guint n = (guint) mt_attribution_count() + 1;
  GtkStringList *items = GTK_STRING_LIST(gtk_drop_down_get_model(GTK_DROP_DOWN(self->menu)));
  const gboolean has_bias = regard_live_attribution_has_bias(self->shown) || shows_bias(self);

  self->following = TRUE;
  if (has_bias != (g_list_model_get_n_items(G_LIST_MODEL(items)) > n)) {
    if (has_bias)
      gtk_string_list_append(items, _("Bias of distance"));
    else
      gtk_string_list_remove(items, n);
  }
  gtk_drop_down_set_selected(GTK_DROP_DOWN(self->menu),
                             shows_bias(self)
                                 ? n
                                 : (guint) (regard_live_attribution_get_method(self->shown) + 1));
  gtk_widget_set_visible(GTK_WIDGET(self), on);
  gtk_widget_set_visible(self->wrap, on);
  gtk_widget_set_visible(self->about, on && !shows_bias(self));
  gtk_widget_set_visible(self->part, on && !shows_bias(self));
  if (on && !shows_bias(self))
    say_choices(self);
  self->following = FALSE;
  gtk_label_set_text(GTK_LABEL(self->caption), text);
  gtk_widget_set_tooltip_text(self->caption, text);
  (error ? gtk_widget_add_css_class : gtk_widget_remove_css_class)(self->caption, "error");
  gtk_widget_set_visible(self->again, on && error);
}

static void
on_shown(RegardShowBar *self)
{
  follow(self);
  g_signal_emit(self, bar_changed_signal, 0);
  show_cell(self);
}

/* ---- What the person does ---------------------------------------------------------------------
 */

static void
on_user_menu(RegardShowBar *self)
{
  const int chosen = (int) gtk_drop_down_get_selected(GTK_DROP_DOWN(self->menu));

  if (!self->following && self->shown)
    regard_live_attribution_set_method(self->shown, chosen > (int) mt_attribution_count()
                                                        ? REGARD_SHOW_BIAS
                                                        : chosen - 1);
}

static void
on_user_about(RegardShowBar *self)
{
  const guint chosen = gtk_drop_down_get_selected(GTK_DROP_DOWN(self->about));

  if (!self->following && self->shown && chosen < REGARD_N_ABOUTS)
    regard_live_attribution_set_about(self->shown, (RegardAbout) chosen);
}

static void
on_user_part(RegardShowBar *self)
{
  const guint chosen = gtk_drop_down_get_selected(GTK_DROP_DOWN(self->part));

  if (!self->following && self->shown && chosen < REGARD_N_ATTRIBUTION_SCOPES)
    regard_live_attribution_set_part(self->shown, (RegardAttributionScope) chosen);
}

static void
on_user_again(RegardShowBar *self)
{
  regard_live_attribution_again(self->shown);
}

/* Round, with attention itself among the methods. */
static void
step_method(RegardShowBar *self, int by)
{
  const int methods = (int) mt_attribution_count();
  const int n = methods + 1 + regard_live_attribution_has_bias(self->shown);
  const int now =
      shows_bias(self) ? methods + 1 : regard_live_attribution_get_method(self->shown) + 1;
  const int next = (now + by + n) % n;

  regard_live_attribution_set_method(self->shown, next > methods ? REGARD_SHOW_BIAS : next - 1);
}

gboolean
regard_show_bar_handle_key(RegardShowBar *self, guint keyval, GdkModifierType state)
{
  const GdkModifierType modifiers = state & gtk_accelerator_get_default_mod_mask();
  int next;

  if (!self->shown || (modifiers & ~(GdkModifierType) GDK_SHIFT_MASK))
    return FALSE;
  if (keyval == GDK_KEY_m || keyval == GDK_KEY_M) {
    step_method(self, keyval == GDK_KEY_M || (modifiers & GDK_SHIFT_MASK) ? -1 : 1);
    return TRUE;
  }
  if (modifiers || !regard_show_bar_is_on(self) || shows_bias(self))
    return FALSE;
  if (keyval == GDK_KEY_n) {
    next = (int) regard_live_attribution_get_about(self->shown) + 1;
    regard_live_attribution_set_about(
        self->shown, next < REGARD_N_ABOUTS &&
                             regard_live_attribution_can_be_about(self->shown, (RegardAbout) next)
                         ? (RegardAbout) next
                         : REGARD_ABOUT_WORDS);
    return TRUE;
  }
  if (keyval == GDK_KEY_b) {
    next = (int) regard_live_attribution_get_part(self->shown) + 1;
    regard_live_attribution_set_part(self->shown,
                                     next < REGARD_N_ATTRIBUTION_SCOPES &&
                                             can_be_of(self->shown, (RegardAttributionScope) next)
                                         ? (RegardAttributionScope) next
                                         : REGARD_ATTRIBUTION_ALL_LAYERS);
    return TRUE;
  }
  return FALSE;
}

/* ---- Widgets ----------------------------------------------------------------------------------
 */

void
regard_show_bar_set_selection(RegardShowBar *self, RegardSelection *selection)
{
  g_return_if_fail(!self->selection);
  self->selection = g_object_ref(selection);
  self->shown = g_object_ref(regard_live_attribution_of(selection));
  regard_connect(self->shown, "changed", G_CALLBACK(on_shown), self);
  regard_connect(selection, "hover-changed", G_CALLBACK(on_selection_cells), self);
  regard_connect(selection, "pin-changed", G_CALLBACK(on_selection_cells), self);
  regard_connect(selection, "notify::capture", G_CALLBACK(follow), self);
  regard_connect(selection, "notify::layer", G_CALLBACK(follow), self);
  regard_connect(selection, "notify::head", G_CALLBACK(follow), self);
  regard_connect(self->heatmap, "hover-changed", G_CALLBACK(on_heatmap_hover), self);
  regard_connect(self->heatmap, "pin-changed", G_CALLBACK(on_heatmap_pin), self);
  regard_work_bar_set_work(REGARD_WORK_BAR(self->progress),
                           regard_live_attribution_get_work(self->shown));
  follow(self);
}

GtkWidget *
regard_show_bar_get_menu(RegardShowBar *self)
{
  return self->line;
}

static void
on_seen(RegardShowBar *self)
{
  if (self->shown)
    regard_work_set_seen(regard_live_attribution_get_work(self->shown),
                         gtk_widget_get_mapped(self->menu));
}

static GtkWidget *
add_drop_down(RegardShowBar *self, const char *name, GCallback callback)
{
  GtkWidget *drop_down = gtk_drop_down_new(NULL, NULL);

  gtk_widget_set_valign(drop_down, GTK_ALIGN_CENTER);
  regard_widget_set_name(drop_down, name);
  g_signal_connect_swapped(drop_down, "notify::selected", callback, self);
  return drop_down;
}

static void
add_menu(RegardShowBar *self)
{
  const gsize n = mt_attribution_count();
  g_autofree const char **items = g_new0(const char *, n + 2);
  g_autoptr(GtkStringList) list = NULL;

  items[0] = _("Show: Weights");
  for (gsize i = 0; i < n; i++)
    items[i + 1] = regard_attribution_name(mt_attribution_at(i));
  list = gtk_string_list_new(items);
  self->menu = g_object_ref_sink(
      add_drop_down(self, _("Show: weights of attention, or what each word hangs on (M)"),
                    G_CALLBACK(on_user_menu)));
  gtk_widget_set_name(self->menu, "show");
  self->following = TRUE;
  gtk_drop_down_set_model(GTK_DROP_DOWN(self->menu), G_LIST_MODEL(list));
  self->following = FALSE;
  g_signal_connect_swapped(self->menu, "map", G_CALLBACK(on_seen), self);
  g_signal_connect_swapped(self->menu, "unmap", G_CALLBACK(on_seen), self);
}

static void
regard_show_bar_init(RegardShowBar *self)
{
  add_menu(self);
  self->line = g_object_ref_sink(gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6));
  self->wrap = regard_wrap_new(6);
  regard_wrap_set_balanced(self->wrap);
  gtk_widget_set_hexpand(self->wrap, TRUE);
  gtk_widget_set_name(self->wrap, "attribution-choice");
  gtk_widget_set_valign(self->menu, GTK_ALIGN_START);
  regard_box_append(self->line, self->menu, self->wrap, NULL);
  gtk_widget_set_visible(self->wrap, FALSE);
  self->about = add_drop_down(self, _("Of what (N)"), G_CALLBACK(on_user_about));
  self->part = add_drop_down(self, _("Of which part of the model (B)"), G_CALLBACK(on_user_part));
  self->progress = regard_work_bar_new(_("Computing attributions"), TRUE);
  self->again = gtk_button_new_with_label(_("Compute"));
  gtk_widget_set_tooltip_text(self->again, _("Computes what was stopped, from its beginning"));
  gtk_widget_add_css_class(self->again, "flat");
  gtk_widget_set_valign(self->again, GTK_ALIGN_CENTER);
  g_signal_connect_swapped(self->again, "clicked", G_CALLBACK(on_user_again), self);
  self->cell = regard_label_new(NULL, REGARD_LABEL_ELLIPSIZE, "regard-place");
  regard_accessible_set_label(self->cell, _("Cell"));
  self->caption =
      regard_label_new(NULL, REGARD_LABEL_START | REGARD_LABEL_WRAP | REGARD_LABEL_ELLIPSIZE,
                       "regard-hint");
  gtk_label_set_lines(GTK_LABEL(self->caption), 2);
  regard_box_append(self->wrap, self->about, self->part, self->progress, self->again, self->cell,
                    NULL);
  gtk_widget_set_parent(self->caption, GTK_WIDGET(self));
  gtk_widget_set_visible(GTK_WIDGET(self), FALSE);
}

static void
show_bar_dispose(GObject *object)
{
  RegardShowBar *self = REGARD_SHOW_BAR(object);

  if (self->menu)
    g_signal_handlers_disconnect_by_data(self->menu, self);
  g_clear_object(&self->menu);
  g_clear_object(&self->line);
  g_clear_pointer(&self->caption, gtk_widget_unparent);
  g_clear_object(&self->shown);
  g_clear_object(&self->selection);
  G_OBJECT_CLASS(regard_show_bar_parent_class)->dispose(object);
}

static void
regard_show_bar_class_init(RegardShowBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = show_bar_dispose;
  gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_css_name(widget_class, "showbar");
  bar_changed_signal = regard_signal_new(klass, "changed", 0);
}

GtkWidget *
regard_show_bar_new(RegardHeatmap *heatmap)
{
  RegardShowBar *self = g_object_new(REGARD_TYPE_SHOW_BAR, NULL);

  gtk_orientable_set_orientation(GTK_ORIENTABLE(gtk_widget_get_layout_manager(GTK_WIDGET(self))),
                                 GTK_ORIENTATION_VERTICAL);
  self->heatmap = heatmap;
  return GTK_WIDGET(self);
}
