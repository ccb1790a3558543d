/* regard-view-layers.c — what each layer does to each token: the word it would already say, norms,
 * what is added, collapse.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Numbers of the stream are there at once, the logit lens when it has been computed; both in
 * threads, and only while the page is on screen. The graph of contributions reads weights and
 * values of every layer, which is more than all else on the page, so it is asked for only when
 * somebody looks; so are the hundreds of passes that say where words are decided, and not for every
 * letter that is typed. They give log p of every token: another token is another picture at once.
 */
#include "figures/regard-complexity.h"
#include "figures/regard-embedding.h"
#include "figures/regard-equations.h"
#include "figures/regard-graph.h"
#include "figures/regard-language.h"
#include "figures/regard-layers.h"
#include "figures/regard-patching.h"
#include "figures/regard-token-card.h"
#include "runner/regard-analysis.h"
#include "runner/regard-work.h"
#include "views/regard-view.h"
#include "widgets/regard-gtk.h"
#include "widgets/regard-theme.h"
#include "widgets/regard-wrap-layout.h"

#include <math.h>

#define REGARD_TYPE_VIEW_LAYERS (regard_view_layers_get_type())
G_DECLARE_FINAL_TYPE(RegardViewLayers, regard_view_layers, REGARD, VIEW_LAYERS, RegardView)

/* Narrower, it is scrolled sideways. */
#define LEAST_WIDTH  720
#define LEAST_CURVES 560 /* without words in cells */
#define LEAST_HEIGHT 160
/* What can be shown behind the pictures of RegardLayersShow. */
enum { SHOW_GRAPH = REGARD_N_LAYERS_SHOWN, SHOW_EMBEDDING, SHOW_COMPLEXITY, SHOW_DECIDED, N_SHOWN };

struct _RegardViewLayers {
  RegardView parent_instance;

  RegardWork *work;
  mt_capture *asked;    /* that layers are of, or will be; NULL: of none */
  RegardLayers *layers; /* NULL: nothing is shown */
  RegardPass *pass;     /* that layers are of; NULL: no layers */
  RegardLayersOptions look;
  guint shown_page; /* look.show, or one of those behind it */
  RegardWork *graph_work;
  RegardGraph *graph; /* of the pass; NULL: not made yet */
  RegardGraphOptions graph_look;
  RegardEmbeddingOptions embedding_look;
  RegardWork *time_work;
  mt_cost_times times; /* of the pass; n_passes 0: not to be had */
  gboolean is_timed;   /* they have been taken */
  RegardWork *card_work;
  RegardTokenCard *card; /* of the marked cell; NULL: none */
  GPtrArray *batch;      /* of mt_trace; NULL: not made yet, or there is none */
  mt_model *batch_model;

  gboolean wants_pair;     /* where words are decided is on screen */
  RegardPatching *decided; /* of the selection's pair; NULL: not there yet, or there is none */
  char *decided_error;
  RegardWork *deciding;
  gboolean decided_stands; /* the picture of the pair before */

  char *message; /* in the place of layers; never NULL */

  GtkWidget *stacks[3], *shown, *color, *threshold, *search, *details;
};

/* Who types on need not wait for states. */
#define START_AFTER_MS 180

G_DEFINE_FINAL_TYPE(RegardViewLayers, regard_view_layers, REGARD_TYPE_VIEW)

static void show(RegardViewLayers *self);
static void load_card(RegardViewLayers *self);

/* ---- The card of the cell that is marked ------------------------------------------------------
 */

static void
show_card(RegardViewLayers *self)
{
  RegardFigureArea *area = REGARD_FIGURE_AREA(self->details);
  RegardFigureStyle style = regard_view_get_style(REGARD_VIEW(self), area);

  style.left_out = REGARD_PART_MODEL; /* its title says which cell it is */
  gtk_widget_set_visible(self->details, self->card && self->shown_page < REGARD_N_LAYERS_SHOWN);
  regard_figure_area_set_figure(area, self->card ? regard_figure_new_token_card(self->card, &style)
                                                 : NULL);
}

static void
on_card(gpointer owner, RegardRun *run)
{
  RegardViewLayers *self = owner;
  const RegardCardParams *params = regard_run_get_params(run);
  g_autoptr(GError) error = NULL;
  RegardTokenCard *card = regard_run_finish(run, &error);

  if (params->batch && !self->batch) {
    self->batch = g_ptr_array_ref(params->batch);
    self->batch_model = mt_model_ref(params->layers->model);
  }
  regard_token_card_unref(self->card);
  self->card = card;
  show_card(self);
  regard_view_choices_changed(REGARD_VIEW(self));
}

/* Of the cell that is marked; the embedding has no norm, and so no card. */
static void
load_card(RegardViewLayers *self)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));

  regard_work_drop(self->card_work);
  if (self->batch_model && self->layers && self->batch_model != self->layers->model) {
    g_clear_pointer(&self->batch, g_ptr_array_unref);
    g_clear_pointer(&self->batch_model, mt_model_unref);
  }
  if (!self->layers || self->look.token < 0 || self->look.point == 0) {
    g_clear_pointer(&self->card, regard_token_card_unref);
    show_card(self);
    return;
  }
  const RegardCardParams params = {
      .layers = regard_layers_ref(self->layers),
      .stack = self->look.stack,
      .point = (guint) self->look.point,
      .token = (guint) self->look.token,
      .batch_func = regard_selection_get_batch_func(s),
      .batch = self->batch ? g_ptr_array_ref(self->batch) : NULL,
  };
  regard_work_run(self->card_work, &regard_analysis_card, self->pass, &params, on_card);
}

static void
clear_card(RegardViewLayers *self)
{
  regard_work_drop(self->card_work);
  g_clear_pointer(&self->card, regard_token_card_unref);
  g_clear_pointer(&self->batch, g_ptr_array_unref);
  g_clear_pointer(&self->batch_model, mt_model_unref);
}

/* ---- The graph of contributions ---------------------------------------------------------------
 */

static void
on_graph(gpointer owner, RegardRun *run)
{
  RegardViewLayers *self = owner;
  g_autoptr(GError) error = NULL;
  RegardGraph *graph = regard_run_finish(run, &error);

  if (!graph) { /* the other pictures of the page may need less, and stay */
    regard_view_show_message(REGARD_VIEW(self), error->message);
    return;
  }
  regard_graph_unref(self->graph);
  self->graph = graph;
  self->graph_look.token = -1;
  show(self);
  regard_view_choices_changed(REGARD_VIEW(self));
}

/* A node that is clicked shows only its own lines; clicked again, all. */
static void
activate_graph(RegardViewLayers *self, const RegardSpot *spot)
{
  RegardGraphOptions *look = &self->graph_look;
  const gboolean is_same =
      look->token == spot->row && look->point == spot->col && (int) look->stack == spot->part;

  if (spot->part > MT_STACK_DECODER) /* a line */
    return;
  look->stack = (mt_stack) spot->part;
  look->point = spot->col;
  look->token = is_same ? -1 : spot->row;
  show(self);
}

/* Neither what there is nor what is under way is wanted any more. */
static void
clear_graph(RegardViewLayers *self)
{
  regard_work_drop(self->graph_work);
  g_clear_pointer(&self->graph, regard_graph_unref);
}

/* ---- Embedding ------------------------------------------------------------------------------- */

static mt_stack
embedding_stack(RegardViewLayers *self)
{
  return self->look.stacks == REGARD_STACK_BIT(MT_STACK_DECODER) ? MT_STACK_DECODER
                                                                 : MT_STACK_ENCODER;
}

static RegardFigure *
new_embedding(RegardViewLayers *self, const RegardFigureStyle *style)
{
  RegardEmbeddingOptions look = self->embedding_look;

  look.stack = embedding_stack(self);
  if (look.stack != self->embedding_look.stack &&
      !mt_model_config(self->layers->model)->share_embeddings)
    look.piece = -1; /* of the other vocabulary */
  return regard_figure_new_embedding(self->layers, &look, style);
}

/* A token or a neighbour that is clicked has its neighbours listed. */
static void
activate_embedding(RegardViewLayers *self, const RegardSpot *spot)
{
  if (spot->part != REGARD_EMBEDDING_SPOT_TOKEN && spot->part != REGARD_EMBEDDING_SPOT_NEIGHBOUR)
    return;
  self->embedding_look.stack = embedding_stack(self);
  self->embedding_look.piece = regard_figure_embedding_piece(
      regard_figure_area_get_figure(regard_view_get_area(REGARD_VIEW(self))), spot);
  show(self);
}

/* What was typed into the search box. */
static void
search(RegardViewLayers *self)
{
  g_autofree char *word = g_strstrip(g_strdup(gtk_editable_get_text(GTK_EDITABLE(self->search))));

  if (!self->layers)
    return;
  self->embedding_look.stack = embedding_stack(self);
  self->embedding_look.piece =
      regard_embedding_find_piece(self->layers->model, self->embedding_look.stack, word);
  if (*word && self->embedding_look.piece < 0)
    gtk_widget_add_css_class(self->search, "error");
  else
    gtk_widget_remove_css_class(self->search, "error");
  show(self);
}

/* ---- Complexity ------------------------------------------------------------------------------ */

/* Without times the card is right too. */
static void
on_timed(gpointer owner, RegardRun *run)
{
  RegardViewLayers *self = owner;
  g_autofree mt_cost_times *times = regard_run_finish(run, NULL);

  self->times = times ? *times : (mt_cost_times){0};
  self->is_timed = TRUE;
  if (times && self->shown_page == SHOW_COMPLEXITY)
    show(self);
}

static RegardFigure *
new_complexity(RegardViewLayers *self, const RegardFigureStyle *style)
{
  const mt_trace *trace = self->layers->trace;
  RegardComplexity complexity =
      regard_complexity_count(mt_model_config(self->layers->model),
                              mt_tokens_count(mt_trace_source(trace)),
                              mt_tokens_count(mt_trace_output(trace)), REGARD_COMPLEXITY_KERNEL,
                              REGARD_COMPLEXITY_RESTRICTED);
  g_autofree char *changed = self->layers->interventions
                                 ? g_strdup_printf(_("changed: %s"), self->layers->interventions)
                                 : NULL;
  const char *const badges[] = {changed, NULL};

  complexity.times = self->times;
  return regard_figure_new_complexity(&complexity, mt_model_name(self->layers->model), badges,
                                      style);
}

static void
clear_times(RegardViewLayers *self)
{
  regard_work_drop(self->time_work);
  self->is_timed = FALSE;
  self->times = (mt_cost_times){0};
}

/* ---- Where words are decided ------------------------------------------------------------------
 */

/* Why there is no picture, or how far it is. Caller frees. */
static char *
explain(RegardViewLayers *self)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  const char *why = regard_selection_get_why_no_pair(s);
  mt_capture *a, *b;

  if (self->decided)
    return regard_strdup_printf(
        _("Both runs say the same: log p is −%.4f nats, and nothing is lost that "
          "could come back."),
        fabs(self->decided->a));
  if (self->decided_error)
    return g_strdup(self->decided_error);
  if (why)
    return g_strdup_printf(_("This and the reference cannot be compared: %s"), why);
  if (regard_selection_get_pair(s, &a, &b) && regard_work_get_share(self->deciding) >= 0)
    return g_strdup_printf(_("Copying states of the reference run … %.0f %%"),
                           floor(100 * regard_work_get_share(self->deciding)));
  if (regard_selection_is_pair_coming(s))
    return g_strdup(_("Computing the reference run …"));
  return g_strdup(_("Change something in the model, or keep a reference (Ctrl+R) and change the "
                    "text: then this says how much of what was lost comes back with each single "
                    "state of the reference run, and so where each word is decided."));
}

/* What is looked at, and what was lost of it. */
static void
note_decided(RegardViewLayers *self)
{
  const RegardPatching *p = self->decided;
  g_autofree char *word =
      p->token < 0 ? g_strdup(_("All words (click a column of the decoder for one)"))
                   : g_strdup_printf(_("%s, token %d"), p->target_texts[p->token], p->token + 1);
  g_autofree char *note =
      regard_patching_has_loss(p)
          ? regard_strdup_printf(_("%s: log p −%.3f in the reference run, −%.3f without"), word,
                                 fabs(p->a), fabs(p->b))
          : g_strdup_printf(_("%s: nothing of it is lost"), word);

  regard_view_set_note(REGARD_VIEW(self), note);
}

static void
show_decided(RegardViewLayers *self)
{
  if (!self->decided && self->decided_stands && regard_work_get_share(self->deciding) == 0)
    return; /* what comes next may be there soon */
  /* Of one token nothing may be lost, and of another much: there is something to click. */
  if (!self->decided || (self->decided->token < 0 && !regard_patching_has_loss(self->decided))) {
    g_autofree char *text = explain(self);

    self->decided_stands = FALSE;
    regard_view_show_message(REGARD_VIEW(self), text);
    return;
  }
  note_decided(self);
  regard_view_show_figure(REGARD_VIEW(self), 0);
  self->decided_stands = TRUE;
}

static void
look_at(RegardViewLayers *self, int token)
{
  RegardPatching *old = self->decided;

  if (!old || token == old->token)
    return;
  self->decided = regard_patching_new_of_token(old, token);
  regard_patching_unref(old);
  show(self);
  regard_view_choices_changed(REGARD_VIEW(self));
}

static void
follow_token(RegardViewLayers *self)
{
  look_at(self, regard_selection_get_pair_token(regard_view_get_selection(REGARD_VIEW(self))));
}

/* A column of the decoder that is clicked is looked at alone; clicked again, all are. */
static void
activate_decided(RegardViewLayers *self, const RegardSpot *spot)
{
  if (self->decided && spot->part == REGARD_PATCHED_DECODER_STREAM)
    look_at(self, spot->col == self->decided->token ? -1 : spot->col);
}

static void
forget_decided(RegardViewLayers *self)
{
  g_clear_pointer(&self->decided, regard_patching_unref);
  g_clear_pointer(&self->decided_error, g_free);
}

static void
clear_decided(RegardViewLayers *self)
{
  g_clear_object(&self->deciding);
  forget_decided(self);
}

static void
on_work(RegardViewLayers *self)
{
  if (self->wants_pair)
    show_decided(self);
}

static void
on_decided(gpointer owner, RegardRun *run)
{
  RegardViewLayers *self = owner;
  g_autoptr(GError) error = NULL;

  self->decided = regard_run_finish(run, &error);
  self->decided_error = error ? g_strdup(error->message) : NULL;
  follow_token(self);
  regard_view_choices_changed(REGARD_VIEW(self));
}

static void
start_patching(gpointer owner)
{
  RegardViewLayers *self = owner;
  RegardPass *a, *b;

  if (!regard_selection_get_pair_passes(regard_view_get_selection(REGARD_VIEW(self)), &a, &b))
    return;
  regard_pass_ref(b);
  regard_work_run(self->deciding, &regard_analysis_patching, a, &b, on_decided);
}

/* What is there now is not of what is compared. */
static void
begin_anew(RegardViewLayers *self)
{
  if (!self->wants_pair)
    return;
  forget_decided(self);
  regard_work_wait(self->deciding, START_AFTER_MS, start_patching);
  regard_view_choices_changed(REGARD_VIEW(self));
}

/* Computes it while it is on screen, and only then. */
static void
follow_decided(RegardViewLayers *self, gboolean is_mapped)
{
  const gboolean wants = is_mapped && self->shown_page == SHOW_DECIDED;
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));

  if (wants == self->wants_pair || !s)
    return;
  self->wants_pair = wants;
  self->decided_stands = FALSE;
  forget_decided(self);
  regard_work_drop(self->deciding);
  regard_selection_set_wants_pair(s, wants);
  begin_anew(self);
}

static void
connect_decided(RegardViewLayers *self, RegardSelection *s)
{
  self->deciding = regard_work_new(self);
  regard_connect(self->deciding, "changed", G_CALLBACK(on_work), self);
  regard_connect(s, "pair-changed", G_CALLBACK(begin_anew), self);
  regard_connect(s, "pin-changed", G_CALLBACK(follow_token), self);
  regard_connect(s, "notify::step", G_CALLBACK(follow_token), self);
}

/* ---- All of them ------------------------------------------------------------------------------
 */

static char *
describe(RegardView *view)
{
  RegardFigureArea *details = REGARD_FIGURE_AREA(REGARD_VIEW_LAYERS(view)->details);

  return regard_view_describe_spot(gtk_widget_has_focus(GTK_WIDGET(details)) &&
                                           regard_figure_area_get_spot(details)
                                       ? details
                                       : regard_view_get_area(view));
}

/* For each picture what it shows, and what it is. */
static const struct {
  const char *shows, *explains;
} said[N_SHOWN] = {
    [REGARD_LAYERS_LENS] =
        {N_("Each cell is the word that would come out if the model stopped there"),
         N_("Each row is a word on its way through the layers, from left to right. The cell is the "
            "word that the last layer would make of what is there already, and its colour how sure "
            "that is. Often the final word is there some layers before the end.")},
    [REGARD_LAYERS_NORM] =
        {N_("How long the vector of each word is at each place between two layers"),
         N_("Each word is a vector that goes through the layers, which add to it one after the "
            "other. Its length, the norm, grows where they add in its own direction, and stays "
            "where "
            "they turn it.")},
    [REGARD_LAYERS_ADDED] =
        {N_("How much each layer adds to each word: the large cells are where most happens"),
         N_("Each layer adds something to the vector of every word, first from attention and then "
            "from a small network of its own. The colour is the length of what is added. A row "
            "of small numbers is a word that stays much as it was.")},
    [REGARD_LAYERS_COSINE] =
        {N_("Whether each layer goes on in the direction that a word has, or turns it"),
         N_("What a layer adds can point where the vector points already (1), across it (0), or "
            "against it (−1), which takes something away again.")},
    [REGARD_LAYERS_ACTIVE] =
        {N_("How many neurons of each network answer to each word"),
         N_("Every layer has a network of neurons behind its attention. The colour is the share of "
            "them that is not zero for this word.")},
    [REGARD_LAYERS_COLLAPSE] =
        {N_("How alike all words have become at each place between two layers"),
         N_("The curve is the mean cosine between the vectors of two words. At 1 all words are the "
            "same, and attention could not tell them apart any more.")},
    [SHOW_GRAPH] =
        {N_("Who gave what to whom: the thicker a line, the more a word got from there"),
         N_("Nodes are words, once for each layer. A line says that the "
            "attention of the layer carried something from one word to the other; how much counts "
            "the weights and also how long the carried vectors are.")},
    [SHOW_EMBEDDING] =
        {N_("The numbers that each word begins with, before it has looked at any other"),
         N_("A piece of the vocabulary has a vector of its own, the embedding, wherever it stands. "
            "Pieces that are used alike have vectors that point the same way. The encoding of the "
            "place is added, and with that the first layer begins.")},
    [SHOW_COMPLEXITY] =
        {N_("What one layer costs for this sentence, by the kind of layer"),
         N_("Attention compares every word with every other one, so that its cost grows with the "
            "square of the length, but all at once. A recurrent layer goes word by word, and each "
            "step has to wait for the one before it.")},
    [SHOW_DECIDED] =
        {N_("Which single state, put in place of the other run's, brings the word back"),
         N_("There are two runs, one of them changed. For each word and layer the state of the "
            "reference is put into the changed run, alone. The stronger the colour of a cell, the "
            "more of "
            "the word that was lost comes back by it: it is decided there.")},
};

static char *
summarize(RegardView *view)
{
  return g_strdup(_(said[REGARD_VIEW_LAYERS(view)->shown_page].shows));
}

static char *
explain_picture(RegardView *view)
{
  return g_strdup(_(said[REGARD_VIEW_LAYERS(view)->shown_page].explains));
}

/* What the header offers for this picture. */
static void
show_choices(RegardViewLayers *self)
{
  static const char *const notes[] = {
      [SHOW_GRAPH] = N_("who gave what to whom; click a node for its own lines"),
      [SHOW_EMBEDDING] = N_("click a token for its neighbours, or look one up"),
      [SHOW_COMPLEXITY] = N_("what layers cost for this sentence: the paper’s table 1"),
      [SHOW_DECIDED] = N_("what each state of the reference run alone brings back"),
  };
  const guint page = self->shown_page;
  const char *note =
      page < REGARD_N_LAYERS_SHOWN ? regard_layers_show_name(self->look.show) : _(notes[page]);
  g_autofree char *with_sum =
      page == SHOW_EMBEDDING && self->layers
          ? g_strdup_printf(/* Translators: an equation, and what one can do */
                            _("%s; %s"),
                            regard_equation_embedding(mt_model_config(self->layers->model)), note)
          : NULL;

  regard_view_set_note(REGARD_VIEW(self), with_sum ? with_sum : note);
  gtk_widget_set_visible(self->color, page == REGARD_LAYERS_LENS);
  gtk_widget_set_visible(self->threshold, page == SHOW_GRAPH);
  gtk_widget_set_visible(self->search, page == SHOW_EMBEDDING);
  gtk_widget_set_visible(gtk_widget_get_parent(self->stacks[0]),
                         page != SHOW_GRAPH && page != SHOW_COMPLEXITY && page != SHOW_DECIDED);
  gtk_widget_set_visible(self->details, self->card && page < REGARD_N_LAYERS_SHOWN);
}

/* What is told in a few bars, or in a table and curves, is whole beside a lesson. */
static gboolean
has_cells(RegardViewLayers *self)
{
  return self->shown_page != REGARD_LAYERS_COLLAPSE && self->shown_page != SHOW_COMPLEXITY;
}

static void
show(RegardViewLayers *self)
{
  RegardView *view = REGARD_VIEW(self);

  if (!regard_view_get_area(view) || !gtk_widget_get_mapped(GTK_WIDGET(self)))
    return; /* drawn, and what is drawn computed, when somebody looks */
  if (self->shown_page != SHOW_DECIDED && !self->layers) {
    regard_view_show_message(view, self->message); /* an empty picture will be filled */
    return;
  }
  show_choices(self);
  regard_figure_area_set_least_width(
      regard_view_get_area(view),
      has_cells(self) ? (int) (LEAST_WIDTH * regard_theme_large_text(GTK_WIDGET(self))) : 0);
  switch (self->shown_page) {
  case SHOW_DECIDED: /* of two runs, whatever else there is */
    show_decided(self);
    return;
  case SHOW_GRAPH:
    if (!self->graph) {
      regard_work_run(self->graph_work, &regard_analysis_graph, self->pass, NULL, on_graph);
      return;
    }
    break;
  case SHOW_COMPLEXITY: /* at once, and with its times when they have been taken */
    if (!self->is_timed && !regard_work_is_busy(self->time_work))
      regard_work_run(self->time_work, &regard_analysis_times, self->pass,
                      &(gsize){REGARD_COMPLEXITY_PASSES}, on_timed);
    break;
  default:
    break;
  }
  regard_view_show_figure(view, 0);
}

static void
show_message(RegardViewLayers *self, const char *text)
{
  g_clear_pointer(&self->layers, regard_layers_unref);
  regard_pass_set(&self->pass, NULL);
  load_card(self);
  g_free(self->message);
  self->message = g_strdup(text);
  regard_view_show_message(REGARD_VIEW(self), text);
  self->decided_stands = FALSE;
  show(self);
  regard_view_choices_changed(REGARD_VIEW(self));
}

/* ---- Numbers --------------------------------------------------------------------------------- */

static void on_computed(gpointer owner, RegardRun *run);

/* trace NULL: it is made first. */
static void
start_computing(RegardViewLayers *self, RegardPass *pass, mt_trace *trace, gboolean with_lens)
{
  const RegardLayersParams params = {trace ? mt_trace_ref(trace) : NULL, with_lens};

  regard_work_run(self->work, &regard_analysis_layers, pass, &params, on_computed);
}

static void
on_computed(gpointer owner, RegardRun *run)
{
  RegardViewLayers *self = owner;
  RegardPass *pass = regard_run_get_pass(run);
  const gboolean with_lens = ((RegardLayersParams *) regard_run_get_params(run))->with_lens;
  g_autoptr(GError) error = NULL;
  RegardLayers *layers = regard_run_finish(run, &error);

  if (!layers) {
    show_message(self, g_error_matches(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND)
                           ? _("This file has attention only. What layers do can be seen of what "
                               "a model translates here.")
                           : error->message);
    return;
  }
  if (pass != self->pass) {
    clear_times(self); /* what is being timed is the text before */
    clear_graph(self);
    regard_work_drop(self->card_work);
  }
  if (self->layers)
    regard_layers_unref(self->layers);
  self->layers = layers;
  regard_pass_set(&self->pass, pass);
  /* The same place in another sentence, if it has one. */
  if (self->look.token >= (int) layers->stacks[self->look.stack].n_tokens ||
      self->look.point >= (int) layers->stacks[self->look.stack].n_points)
    self->look.token = -1;
  /* What is there is shown; who looks at the lens keeps the sentence before until it is there. */
  if (with_lens || self->look.show != REGARD_LAYERS_LENS ||
      self->shown_page != REGARD_LAYERS_LENS ||
      !regard_figure_area_get_figure(regard_view_get_area(REGARD_VIEW(self))))
    show(self);
  regard_view_choices_changed(REGARD_VIEW(self));
  if (!with_lens)
    start_computing(self, pass, layers->trace, TRUE);
  else
    load_card(self);
}

/* Nobody looks, and a model is too large to be kept for a picture that comes anew. */
static void
forget_model(RegardViewLayers *self)
{
  if (self->layers)
    show_message(self, "");
  clear_card(self);
  clear_graph(self);
}

static void
load(RegardView *view, gboolean is_seen)
{
  RegardViewLayers *self = REGARD_VIEW_LAYERS(view);
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  RegardPass *pass = s ? regard_selection_get_pass(s) : NULL;
  mt_capture *capture = regard_pass_capture(pass);
  mt_model *model = pass ? pass->model : NULL;

  if (capture != self->asked) { /* what is under way is of another text, whoever looks */
    regard_work_drop(self->work);
    g_clear_pointer(&self->asked, mt_capture_unref);
    regard_work_drop(self->graph_work);
    clear_times(self);
  }
  if (!pass && regard_view_is_built(view))
    show_message(self, _("Layers appear here with the first translation."));
  if (!is_seen && ((self->layers && model != self->pass->model) ||
                   (self->batch_model && model != self->batch_model)))
    forget_model(self);
  if (!is_seen || !pass || capture == self->asked)
    return;
  self->asked = mt_capture_ref(capture);
  start_computing(self, pass, NULL, FALSE);
}

/* ---- Asking ---------------------------------------------------------------------------------- */

/* Help knows the picture by its name. */
static void
name_picture(RegardViewLayers *self)
{
  static const char *const names[N_SHOWN] = {
      "layers/lens",     "layers/norm",  "layers/added",     "layers/cosine",     "layers/active",
      "layers/collapse", "layers/graph", "layers/embedding", "layers/complexity", "layers/decided",
  };

  gtk_widget_set_name(GTK_WIDGET(regard_view_get_area(REGARD_VIEW(self))), names[self->shown_page]);
}

static void
on_stack(RegardViewLayers *self)
{
  static const guint stacks[] = {REGARD_STACK_BIT(MT_STACK_ENCODER),
                                 REGARD_STACK_BIT(MT_STACK_DECODER), REGARD_BOTH_STACKS};

  for (guint i = 0; i < G_N_ELEMENTS(stacks); i++)
    if (gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(self->stacks[i])))
      self->look.stacks = stacks[i];
  show(self);
}

static void
on_shown(RegardViewLayers *self)
{
  self->shown_page = gtk_drop_down_get_selected(GTK_DROP_DOWN(self->shown));
  if (self->shown_page < REGARD_N_LAYERS_SHOWN)
    self->look.show = (RegardLayersShow) self->shown_page;
  self->graph_look.threshold = gtk_spin_button_get_value(GTK_SPIN_BUTTON(self->threshold));
  self->look.color = gtk_drop_down_get_selected(GTK_DROP_DOWN(self->color));
  follow_decided(self, gtk_widget_get_mapped(GTK_WIDGET(self)));
  name_picture(self);
  show(self);
}

/* A cell that is clicked stays marked; clicked again, it is not. */
static void
activate(RegardView *view, const RegardSpot *spot)
{
  RegardViewLayers *self = REGARD_VIEW_LAYERS(view);

  if (self->shown_page == SHOW_GRAPH)
    activate_graph(self, spot);
  else if (self->shown_page == SHOW_DECIDED)
    activate_decided(self, spot);
  else if (self->shown_page == SHOW_EMBEDDING)
    activate_embedding(self, spot);
  if (self->shown_page >= REGARD_N_LAYERS_SHOWN || spot->part / 2 != REGARD_LAYERS_SPOT_CELL)
    return;
  if (self->look.token == spot->row && self->look.point == spot->col &&
      self->look.stack == regard_layers_spot_stack(spot))
    self->look.token = -1;
  else {
    self->look.token = spot->row;
    self->look.point = spot->col;
    self->look.stack = regard_layers_spot_stack(spot);
  }
  show(self);
  load_card(self);
}

/* ---- RegardView ------------------------------------------------------------------------------ */

static void
set_selection(RegardView *view, RegardSelection *s)
{
  regard_connect(s, "notify::capture", G_CALLBACK(regard_view_load), view);
  regard_connect(s, "style-changed", G_CALLBACK(show), view);
  connect_decided(REGARD_VIEW_LAYERS(view), s);
  regard_view_load(view);
}

/* What the eye is on, and each picture; those of RegardLayersShow are in its order. */
enum {
  PICTURE_SHOWN,
  PICTURE_LAYERS,
  PICTURE_GRAPH = PICTURE_LAYERS + SHOW_GRAPH,
  PICTURE_EMBEDDING,
  PICTURE_COMPLEXITY,
  PICTURE_CARD,
  PICTURE_DECIDED
};

static const RegardPicture pictures[] = {
    {"layers", N_("This Picture")},         {"layers-lens", N_("Logit Lens")},
    {"layers-norm", N_("Norms")},           {"layers-added", N_("What Is Added")},
    {"layers-cosine", N_("Cosines")},       {"layers-active", N_("Active Neurons")},
    {"layers-collapse", N_("Collapse")},    {"layers-graph", N_("Graph of Contributions")},
    {"layers-embedding", N_("Embedding")},  {"layers-complexity", N_("Complexity")},
    {"layers-cell", N_("The Marked Cell")}, {"layers-decided", N_("Where It Is Decided")},
};

/* What "this picture" is. */
static guint
picture_of(RegardViewLayers *self, guint picture)
{
  return picture != PICTURE_SHOWN           ? picture
         : self->shown_page == SHOW_DECIDED ? PICTURE_DECIDED
                                            : PICTURE_LAYERS + self->shown_page;
}

/* The graph and the card are there when they have been looked at. */
static gboolean
has_picture(RegardView *view, guint picture)
{
  RegardViewLayers *self = REGARD_VIEW_LAYERS(view);

  picture = picture_of(self, picture);
  if (picture == PICTURE_DECIDED)
    return self->decided && regard_patching_has_loss(self->decided);
  if (!self->layers)
    return FALSE;
  return picture == PICTURE_GRAPH                         ? self->graph != NULL
         : picture == PICTURE_CARD                        ? self->card != NULL
         : picture == PICTURE_LAYERS + REGARD_LAYERS_LENS ? self->layers->stacks[0].lens != NULL
                                                          : TRUE;
}

static RegardFigure *
new_figure(RegardView *view, guint picture, RegardFigureStyle *style)
{
  RegardViewLayers *self = REGARD_VIEW_LAYERS(view);
  RegardLayersOptions look = self->look;

  picture = picture_of(self, picture);
  switch (picture) {
  case PICTURE_GRAPH:
    return regard_figure_new_graph(self->graph, &self->graph_look, style);
  case PICTURE_EMBEDDING:
    return new_embedding(self, style);
  case PICTURE_COMPLEXITY:
    return new_complexity(self, style);
  case PICTURE_CARD:
    return regard_figure_new_token_card(self->card, style);
  case PICTURE_DECIDED:
    return regard_figure_new_patching(self->decided, style);
  default:
    look.show = (RegardLayersShow) (picture - PICTURE_LAYERS);
    return regard_figure_new_layers(self->layers, &look, style);
  }
}

/* "layers-lens-decoder". */
static char *
name_choice(RegardView *view, const char *choice_id)
{
  RegardViewLayers *self = REGARD_VIEW_LAYERS(view);
  const char *stack = self->look.stacks == REGARD_BOTH_STACKS                   ? "both"
                      : self->look.stacks == REGARD_STACK_BIT(MT_STACK_ENCODER) ? "encoder"
                                                                                : "decoder";

  if (g_str_equal(choice_id, "layers") && self->shown_page >= REGARD_N_LAYERS_SHOWN)
    return g_strdup(pictures[picture_of(self, PICTURE_SHOWN)].id);
  if (g_str_equal(choice_id, "layers-decided")) /* it has both stacks */
    return g_strdup(choice_id);
  return g_str_equal(choice_id, "layers")
             ? g_strdup_printf("layers-%s-%s", regard_layers_show_ids[self->look.show], stack)
             : g_strdup_printf("%s-%s", choice_id, stack);
}

static gboolean
handle_key(RegardView *view, guint keyval, GdkModifierType state)
{
  RegardViewLayers *self = REGARD_VIEW_LAYERS(view);
  const GdkModifierType modifiers = state & gtk_accelerator_get_default_mod_mask();

  if (!self->layers && self->shown_page != SHOW_DECIDED)
    return FALSE;
  if (modifiers == GDK_CONTROL_MASK && (keyval == GDK_KEY_Page_Down || keyval == GDK_KEY_Page_Up)) {
    int shown = (int) self->shown_page + (keyval == GDK_KEY_Page_Down ? 1 : -1);

    gtk_drop_down_set_selected(GTK_DROP_DOWN(self->shown), (guint) CLAMP(shown, 0, N_SHOWN - 1));
    return TRUE;
  }
  return regard_figure_area_handle_key(regard_view_get_area(view), keyval, state);
}

/* ---- Parts and places ------------------------------------------------------------------------ */

/* Those behind the pictures of RegardLayersShow. */
static const char *const more_ids[] = {"graph", "embedding", "complexity", "decided"};

static const char *
part_id(guint page)
{
  return page < REGARD_N_LAYERS_SHOWN ? regard_layers_show_ids[page]
                                      : more_ids[page - REGARD_N_LAYERS_SHOWN];
}

static gboolean
show_part(RegardView *view, const char *part)
{
  RegardViewLayers *self = REGARD_VIEW_LAYERS(view);

  for (guint page = 0; part && page < N_SHOWN; page++)
    if (g_str_equal(part_id(page), part)) {
      gtk_drop_down_set_selected(GTK_DROP_DOWN(self->shown), page);
      /* How alike tokens become is told of the source, whose tokens are all there at once. */
      if (page == REGARD_LAYERS_COLLAPSE)
        gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(self->stacks[0]), TRUE);
      /* What comes out, and what is added on the way there, is told of the translation. */
      else if (page == REGARD_LAYERS_LENS || page == REGARD_LAYERS_ADDED)
        gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(self->stacks[1]), TRUE);
      return TRUE;
    }
  return !part;
}

static const char *
get_part(RegardView *view)
{
  return part_id(REGARD_VIEW_LAYERS(view)->shown_page);
}

/* Rows are tokens, of the decoder where both stacks are shown; columns are what follows each other
 * in the stack. */
static GtkWidget *
locate(RegardView *view, const RegardViewPlace *place, graphene_rect_t *rect)
{
  RegardViewLayers *self = REGARD_VIEW_LAYERS(view);
  const mt_stack stack =
      self->look.stacks == REGARD_STACK_BIT(MT_STACK_ENCODER) ? MT_STACK_ENCODER : MT_STACK_DECODER;
  const int part = REGARD_LAYERS_SPOT_CELL * 2 + (int) stack;
  int token = -1, point = -1;
  guint found;

  if (place->type != REGARD_VIEW_PLACE_CELL || !self->layers || place->column.name)
    return NULL;
  if (regard_view_line_is_set(&place->row)) {
    const mt_trace *trace = self->layers->trace;

    if (!regard_view_find_line(&place->row,
                               stack == MT_STACK_ENCODER ? mt_trace_source(trace)
                                                         : mt_trace_output(trace),
                               &found))
      return NULL;
    token = (int) found;
  }
  if (place->column.number > 0)
    point = (int) place->column.number - 1;
  if (!regard_figure_area_find(regard_view_get_area(view), part, part + 1, token, point, rect))
    return NULL;
  if (point < 0) { /* with the name of the row */
    rect->size.width += rect->origin.x;
    rect->origin.x = 0;
  }
  return GTK_WIDGET(regard_view_get_area(view));
}

/* ---- Widgets --------------------------------------------------------------------------------- */

static GtkWidget *
new_choice(const char *const *names, guint selected, const char *name, RegardViewLayers *self)
{
  GtkWidget *choice = gtk_drop_down_new_from_strings(names);

  gtk_drop_down_set_selected(GTK_DROP_DOWN(choice), selected);
  regard_widget_set_name(choice, name);
  g_signal_connect_swapped(choice, "notify::selected", G_CALLBACK(on_shown), self);
  return choice;
}

static GtkWidget *
build_header(RegardViewLayers *self)
{
  const char *const shown[] = {_("Logit Lens"),
                               _("Norm"),
                               _("Added"),
                               _("Cosine"),
                               _("Neurons"),
                               _("Collapse"),
                               _("Graph"),
                               _("Embedding"),
                               _("Complexity"),
                               _("Where It Is Decided"),
                               NULL};
  const char *colors[REGARD_N_LENS_COLORS + 1] = {NULL};
  GtkWidget *line = regard_wrap_new(10);
  const char *const stacks[] = {_("Encoder"), _("Decoder"), _("Both")};
  const char *const tooltips[] = {_("The layers that read the source"),
                                  _("The layers that write the translation"),
                                  _("Both, one above the other")};
  GtkWidget *stack;

  for (guint i = 0; i < REGARD_N_LENS_COLORS; i++)
    colors[i] = regard_lens_color_name((RegardLensColor) i);
  self->shown =
      new_choice(shown, self->shown_page, _("What is shown (Ctrl+Page Up, Ctrl+Page Down)"), self);
  self->color = new_choice(colors, self->look.color, _("What colours say"), self);
  regard_wrap_append(line, regard_view_new_title(_("Layers")));
  regard_wrap_append(line, regard_view_new_note(REGARD_VIEW(self)));
  stack = regard_view_new_switch(stacks, tooltips, 3, 1, self->stacks, G_CALLBACK(on_stack), self);
  gtk_widget_set_name(stack, "stack");
  gtk_widget_set_name(self->shown, "shown");
  gtk_widget_set_name(self->color, "lens-colours");
  regard_box_append(line, stack, self->shown, self->color, NULL);
  self->threshold = gtk_spin_button_new_with_range(REGARD_GRAPH_LEAST, REGARD_GRAPH_MOST, 0.01);
  gtk_spin_button_set_value(GTK_SPIN_BUTTON(self->threshold), REGARD_GRAPH_THRESHOLD);
  regard_spin_take_comma(GTK_SPIN_BUTTON(self->threshold));
  gtk_widget_set_name(self->threshold, "threshold");
  regard_widget_set_name(self->threshold, _("The least share that has a line"));
  g_signal_connect_swapped(self->threshold, "value-changed", G_CALLBACK(on_shown), self);
  gtk_widget_set_visible(self->threshold, FALSE);
  regard_wrap_append(line, self->threshold);
  self->search = gtk_search_entry_new();
  g_object_set(self->search, "placeholder-text", _("a piece"), NULL);
  gtk_widget_set_name(self->search, "neighbours");
  regard_widget_explain(self->search, _("The piece whose neighbours are listed"),
                        _("Type a piece of the vocabulary: those with the most similar rows of the "
                          "embedding are listed"));
  g_signal_connect_swapped(self->search, "search-changed", G_CALLBACK(search), self);
  gtk_widget_set_visible(self->search, FALSE);
  regard_wrap_append(line, self->search);
  regard_wrap_append(line, regard_view_new_help(REGARD_VIEW(self)));
  return line;
}

static GtkWidget *
build(RegardView *view)
{
  RegardViewLayers *self = REGARD_VIEW_LAYERS(view);
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6),
            *areas = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);

  gtk_box_append(GTK_BOX(areas),
                 regard_view_new_area(view, LEAST_CURVES, _("What each layer does to each token")));
  name_picture(self);
  self->details = regard_view_new_part(view, LEAST_WIDTH, _("The marked cell: norms and neurons"));
  gtk_widget_set_visible(self->details, FALSE);
  gtk_box_append(GTK_BOX(areas), self->details);
  gtk_box_append(GTK_BOX(box), build_header(self));
  gtk_box_append(GTK_BOX(box),
                 regard_view_new_stack(view, regard_view_new_scroller(areas, LEAST_HEIGHT)));
  gtk_box_append(GTK_BOX(box), regard_view_new_status(view));
  gtk_widget_add_css_class(box, "regard-picture");
  return box;
}

static void
show_view(RegardView *view)
{
  show(REGARD_VIEW_LAYERS(view));
  show_card(REGARD_VIEW_LAYERS(view));
}

static void
set_seen(RegardView *view, gboolean is_seen)
{
  follow_decided(REGARD_VIEW_LAYERS(view), is_seen);
  if (is_seen)
    show(REGARD_VIEW_LAYERS(view)); /* what came, and how it is to look, while nobody did */
}

static void
dispose(GObject *object)
{
  RegardViewLayers *self = REGARD_VIEW_LAYERS(object);

  g_clear_object(&self->work);
  g_clear_object(&self->card_work);
  g_clear_object(&self->graph_work);
  g_clear_object(&self->time_work);
  clear_card(self);
  clear_graph(self);
  clear_times(self);
  clear_decided(self);
  g_clear_pointer(&self->asked, mt_capture_unref);
  g_clear_pointer(&self->layers, regard_layers_unref);
  g_clear_pointer(&self->message, g_free);
  regard_pass_set(&self->pass, NULL);
  G_OBJECT_CLASS(regard_view_layers_parent_class)->dispose(object);
}

static void
regard_view_layers_class_init(RegardViewLayersClass *klass)
{
  RegardViewClass *view_class = REGARD_VIEW_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = dispose;
  view_class->build = build;
  view_class->set_selection = set_selection;
  view_class->set_seen = set_seen;
  view_class->load = load;
  view_class->show = show_view;
  view_class->activate = activate;
  view_class->describe = describe;
  view_class->summarize = summarize;
  view_class->explain = explain_picture;
  view_class->pictures = pictures;
  view_class->n_pictures = G_N_ELEMENTS(pictures);
  view_class->has_picture = has_picture;
  view_class->new_figure = new_figure;
  view_class->name_choice = name_choice;
  view_class->handle_key = handle_key;
  view_class->show_part = show_part;
  view_class->get_part = get_part;
  view_class->locate = locate;
  gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(klass), "layersview");
}

static void
regard_view_layers_init(RegardViewLayers *self)
{
  const RegardLayersOptions look = REGARD_LAYERS_OPTIONS_INIT;

  self->message = g_strdup("");
  self->look = look;
  /* What a layer adds is understood before what the model would say there. */
  self->shown_page = REGARD_LAYERS_ADDED;
  self->look.show = REGARD_LAYERS_ADDED;
  self->embedding_look.piece = -1;
  self->work = regard_work_new(self);
  self->card_work = regard_work_new(self);
  self->graph_work = regard_work_new(self);
  self->time_work = regard_work_new(self);
  self->graph_look = (RegardGraphOptions){REGARD_GRAPH_THRESHOLD, MT_STACK_DECODER, 0, -1};
}
