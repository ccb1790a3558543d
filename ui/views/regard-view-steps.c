/* regard-view-steps.c — the loop of the decoder: what there was to choose from at each step, and
 * what became of what was not chosen.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is shown was traced while the translation was found, so nothing is computed here. While the
 * page is on screen it says so (regard_selection_set_wants_steps), and searches are traced.
 *
 * This file is long because the list, the curve, the rows and the bar of steps are one reading of
 * one trace: each is drawn for the step that another one chose.
 */
#include "figures/regard-ablation.h"
#include "figures/regard-figure-tree.h"
#include "figures/regard-language.h"
#include "figures/regard-naming.h"
#include "figures/regard-steps.h"
#include "runner/regard-failure.h"
#include "runner/regard-work.h"
#include "views/regard-view-steps-private.h"
#include "views/regard-view.h"
#include "widgets/regard-dials.h"
#include "widgets/regard-gtk.h"
#include "widgets/regard-heatmap.h"
#include "widgets/regard-theme.h"
#include "widgets/regard-wrap-layout.h"

#include <math.h>
#include <string.h>

#define REGARD_TYPE_STEP_HEADS (regard_step_heads_get_type())

G_DECLARE_FINAL_TYPE(RegardStepHeads, regard_step_heads, REGARD, STEP_HEADS, GtkWidget)

/* ---- Which head chose it ---------------------------------------------------------------- */

/* What each head adds to the token of the step, and takes from another one.
 *
 * The other one is the candidate that was pointed at; else what stood there before one chose
 * otherwise; else the best that was not chosen. All heads are weighed in a thread, when the step
 * and the pointer have come to rest. */

#define REST 160 /* milliseconds */

typedef struct {
  RegardSteps *steps;
  guint step;
  int32_t foil;
} Question;

struct _RegardStepHeads {
  GtkWidget parent_instance;

  RegardView *page;
  RegardAblation *effects; /* NULL: not known yet */
  Question *question;      /* that they answer, or will */
  RegardWork *weighing;    /* busy: they are another question's */
  int32_t foil;            /* what somebody pointed at, at that step; -1: nothing */
  int against_step;

  GtkWidget *note, *contrast, *grids;
};

G_DEFINE_FINAL_TYPE(RegardStepHeads, regard_step_heads, GTK_TYPE_WIDGET)

static void
question_free(Question *question)
{
  regard_steps_unref(question->steps);
  g_free(question);
}

/* ---- What is asked ----------------------------------------------------------------------------
 */

static int32_t
token_at(const RegardSteps *steps, int step)
{
  return steps->steps->nodes[(gsize) steps->nodes[step]].id;
}

/* What was there before one chose otherwise, at this very step; -1: the same, or nothing. */
static int32_t
token_before(const RegardSteps *steps, const RegardSteps *before, int step)
{
  if (!before || step >= (int) before->n)
    return -1;
  for (int t = 0; t < step; t++)
    if (token_at(before, t) != token_at(steps, t))
      return -1;
  return token_at(before, step);
}

/* -1: the model has one token only, or nothing is known of others. */
static int32_t
other_token(RegardStepHeads *self, RegardSteps *steps, RegardSteps *old, int step)
{
  const int32_t chosen = token_at(steps, step), before = token_before(steps, old, step);
  const int row_at = steps->rows[step];

  if (self->against_step == step && self->foil >= 0 && self->foil != chosen)
    return self->foil;
  if (before >= 0 && before != chosen)
    return before;
  if (row_at >= 0) {
    const mt_step_row row = steps->steps->rows[(gsize) row_at];

    for (gsize i = 0; i < row.n; i++)
      if (row.options[i].id != chosen)
        return row.options[i].id;
  }
  return -1;
}

static gboolean
is_same(const Question *a, const RegardSteps *steps, int step, int32_t foil)
{
  return a && a->steps == steps && (int) a->step == step && a->foil == foil;
}

/* ---- Weighing ---------------------------------------------------------------------------------
 */

static void
say_row(RegardStepHeads *self, const char *text)
{
  gtk_label_set_text(GTK_LABEL(self->note), text);
  gtk_widget_set_visible(self->note, *text != '\0');
}

static void
draw(RegardStepHeads *self)
{
  RegardFigureStyle style = regard_view_get_style(self->page, REGARD_FIGURE_AREA(self->contrast));
  const gboolean is_pale = regard_work_is_busy(self->weighing); /* they are of another question */

  style.colormap = NULL; /* of both signs, whatever is chosen */
  regard_figure_area_set_figure(REGARD_FIGURE_AREA(self->contrast),
                                self->effects ? regard_figure_new_contrast(self->effects, &style)
                                              : NULL);
  regard_figure_area_set_figure(REGARD_FIGURE_AREA(self->grids),
                                self->effects ? regard_figure_new_ablation(self->effects, &style)
                                              : NULL);
  regard_widget_set_pale(self->contrast, is_pale);
  regard_widget_set_pale(self->grids, is_pale);
}

static void
on_weighed(gpointer owner, RegardRun *run)
{
  RegardStepHeads *self = owner;
  g_autoptr(GError) error = NULL;

  g_clear_pointer(&self->effects, regard_ablation_unref);
  self->effects = regard_run_finish(run, &error);
  say_row(self, error ? error->message : "");
  draw(self);
  regard_view_choices_changed(self->page);
}

static void
start(gpointer owner)
{
  RegardStepHeads *self = owner;
  const Question *q = self->question;
  const RegardAblationParams params = {
      .params = {.kind = MT_ABLATION_ZERO, .has_contrast = true, .token = q->step, .foil = q->foil},
      .foil = regard_steps_dup_piece(q->steps, q->foil),
  };
  g_autoptr(RegardPass) pass =
      regard_pass_new(NULL, q->steps->model, q->steps->translation, q->steps->hypothesis);

  regard_work_run(self->weighing, &regard_analysis_ablation, pass, &params, on_weighed);
}

/* Nothing is shown any more. */
static void
step_heads_forget(RegardStepHeads *self)
{
  regard_work_drop(self->weighing);
  g_clear_pointer(&self->question, question_free);
  g_clear_pointer(&self->effects, regard_ablation_unref);
}

/* Weigh heads for a step; before: what stood there until one chose otherwise, or NULL. Draws what
 * there is if the question is the same. */
static void
step_heads_show(RegardStepHeads *self, RegardSteps *steps, RegardSteps *before, int step)
{
  const int32_t foil = step >= 0 ? other_token(self, steps, before, step) : -1;

  if (is_same(self->question, steps, step, foil)) {
    draw(self); /* the window may be dark now */
    return;
  }
  regard_work_drop(self->weighing);
  g_clear_pointer(&self->question, question_free);
  if (foil < 0) {
    g_clear_pointer(&self->effects, regard_ablation_unref);
    say_row(self, _("There is no other token to set it against."));
    draw(self);
    return;
  }
  Question *question = g_new(Question, 1);
  *question = (Question){regard_steps_ref(steps), (guint) step, foil};
  self->question = question;
  regard_work_wait(self->weighing, REST, start);
  say_row(self, self->effects ? "" : _("All heads are weighed…"));
  draw(self);
}

/* Set what was chosen at this step against that token, when it is shown next. */
static void
step_heads_set_foil(RegardStepHeads *self, int step, int32_t id)
{
  self->foil = id;
  self->against_step = step;
}

/* NULL: not known yet. Borrowed. */
static RegardAblation *
step_heads_get_ablation(RegardStepHeads *self)
{
  return self->effects;
}

/* What is pointed at, in one line; NULL: nothing. Caller frees. */
static char *
step_heads_describe(RegardStepHeads *self)
{
  char *text = regard_view_describe_spot(REGARD_FIGURE_AREA(self->contrast));

  return text ? text : regard_view_describe_spot(REGARD_FIGURE_AREA(self->grids));
}

/* ---- Widgets ----------------------------------------------------------------------------------
 */

/* The head that is clicked is the one whose attention is looked at. */
static void
on_row_activated(RegardStepHeads *self, RegardFigureArea *area)
{
  const RegardSpot *spot = regard_figure_area_get_spot(area);

  if (spot)
    regard_selection_set_place(regard_view_get_selection(self->page),
                               (mt_attention_kind) spot->part, (guint) spot->row,
                               (guint) spot->col);
}

static GtkWidget *
build_row_area(RegardStepHeads *self, int least_width, const char *name)
{
  GtkWidget *area = regard_view_new_part(self->page, least_width, name);

  g_signal_connect_swapped(area, "spot-activated", G_CALLBACK(on_row_activated), self);
  return area;
}

static void
step_heads_dispose(GObject *object)
{
  RegardStepHeads *self = REGARD_STEP_HEADS(object);
  GtkWidget *child = gtk_widget_get_first_child(GTK_WIDGET(self));

  g_clear_object(&self->weighing);
  step_heads_forget(self);
  g_clear_pointer(&child, gtk_widget_unparent);
  G_OBJECT_CLASS(regard_step_heads_parent_class)->dispose(object);
}

static void
regard_step_heads_class_init(RegardStepHeadsClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = step_heads_dispose;
  gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(klass), GTK_TYPE_BIN_LAYOUT);
}

static void
regard_step_heads_init(RegardStepHeads *self)
{
  self->weighing = regard_work_new(self);
  self->foil = self->against_step = -1;
}

/* A part of a page, which is borrowed and outlives it: its colours, status and choices follow what
 * is weighed. */
static GtkWidget *
step_heads_new(RegardView *page)
{
  RegardStepHeads *self = g_object_new(REGARD_TYPE_STEP_HEADS, NULL);
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 2), *scroller;
  GtkWidget *title = gtk_label_new(_("Which head chose it"));

  self->page = page;
  gtk_label_set_xalign(GTK_LABEL(title), 0);
  gtk_widget_add_css_class(title, "heading");
  gtk_widget_set_margin_start(title, 8);
  gtk_widget_set_margin_top(title, 4);
  self->note = regard_label_new(NULL, REGARD_LABEL_START | REGARD_LABEL_WRAP, "regard-note");
  gtk_widget_set_margin_start(self->note, 8);
  self->contrast = build_row_area(self, 330, _("Heads that speak for one token and for another"));
  self->grids = build_row_area(self, 380, _("What each head does"));
  regard_box_append(box, title, self->note, self->contrast, self->grids, NULL);
  scroller = regard_view_new_scroller(box, -1);
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroller), GTK_POLICY_NEVER,
                                 GTK_POLICY_AUTOMATIC);
  gtk_widget_set_vexpand(scroller, TRUE);
  gtk_widget_set_parent(scroller, GTK_WIDGET(self));
  return GTK_WIDGET(self);
}

/* ---- The page ---------------------------------------------------------------------------------
 */

/* The loop of the decoder: what there was to choose from at each step, and what became of what
 * was not chosen.
 *
 * What is shown was traced while the translation was found, so nothing is computed here. While
 * the page is on screen it says so (regard_selection_set_wants_steps), and searches are traced. */

/* The list of candidates beside the tree; narrower, both are scrolled. */
#define LIST_WIDTH       300
#define USUAL_LIST_WIDTH 400
#define NARROW           760
#define CURVE_WIDTH      400
/* What a step looked at stands beside the curve: as many bars as the curve is high, and more where
 * the page is. In pixels, with letters of the usual size. */
#define LOOKED_WIDTH 340
#define LEAST_BARS   2
#define MOST_BARS    6
#define LOW_PAGE     410
#define BAR_MORE     80
/* Candidates that are drawn; files have all that are kept. */
#define TOP 9

G_DEFINE_FINAL_TYPE(RegardViewSteps, regard_view_steps, REGARD_TYPE_VIEW)

static RegardSelection *
selection(RegardViewSteps *self)
{
  return regard_view_get_selection(REGARD_VIEW(self));
}

int
regard_view_steps_get_step(RegardViewSteps *self)
{
  int step = self->steps && self->bar ? regard_step_bar_get_step(REGARD_STEP_BAR(self->bar)) : -1;

  return self->steps ? MIN(step, (int) self->steps->n - 1) : -1;
}

static const mt_constraints *
constraints_of(const RegardSteps *steps)
{
  return steps ? mt_translation_search(steps->translation)->constraints : NULL;
}

RegardPass *
regard_view_steps_pass_of(const RegardSteps *steps)
{
  return regard_pass_new(NULL, steps->model, steps->translation, steps->hypothesis);
}

/* ---- To choose otherwise: the page asks, the document does it ---------------------------------
 */

/* Whether anything is forced or forbidden in what is shown. */
static gboolean
is_constrained(RegardViewSteps *self)
{
  return self->steps && !mt_constraints_is_empty(constraints_of(self->steps));
}

mt_constraints *
regard_view_steps_with_terms(RegardViewSteps *self, mt_constraints *constraints)
{
  gsize n;
  const mt_term *terms = mt_constraints_terms(constraints_of(self->steps), &n);
  mt_error error = {0};

  if (n == 0 || !constraints)
    return constraints;
  mt_constraints *with = mt_constraints_with_terms(constraints, terms, n, &error);
  mt_constraints_unref(constraints);
  return with;
}

/* Constraints of the tokens before the step, and these behind them; what is forbidden later stays.
 * Caller unrefs; NULL: there is nothing to go on from. */
static mt_constraints *
new_constraints(RegardViewSteps *self, const int32_t *ids, gsize n, int32_t forbidden)
{
  const int step = regard_view_steps_get_step(self);
  gsize n_old;
  const mt_forbidden *old = mt_constraints_forbidden(constraints_of(self->steps), &n_old);
  g_autoptr(GArray) prefix = g_array_new(FALSE, FALSE, sizeof(int32_t));
  g_autoptr(GArray) lists = g_array_new(FALSE, FALSE, sizeof(mt_forbidden));
  const mt_forbidden own = {(gsize) step, &forbidden, 1};
  mt_error error = {0};

  if (step < 0)
    return NULL;
  for (int t = 0; t < step; t++)
    g_array_append_val(prefix, self->steps->steps->nodes[(gsize) self->steps->nodes[t]].id);
  g_array_append_vals(prefix, ids, (guint) n);
  /* What is within the prefix is decided. */
  for (gsize i = 0; i < n_old; i++)
    if (old[i].step == MT_EVERY_STEP || old[i].step + old[i].n > prefix->len)
      g_array_append_val(lists, old[i]);
  if (forbidden >= 0)
    g_array_append_val(lists, own);
  return regard_view_steps_with_terms(self, mt_constraints_new((const int32_t *) prefix->data,
                                                               prefix->len,
                                                               (const mt_forbidden *) lists->data,
                                                               lists->len, &error));
}

static void
want(RegardViewSteps *self, mt_constraints *constraints)
{
  if (constraints)
    regard_selection_want_constraints(regard_view_get_selection(REGARD_VIEW(self)), constraints);
  mt_constraints_unref(constraints);
}

/* With these tokens at that step and behind it. */
static void
go_on(RegardViewSteps *self, const int32_t *ids, gsize n)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));

  if (!self->steps)
    return;
  /* One goes on reading where one chose. */
  regard_selection_set_step(s, regard_view_steps_get_step(self));
  want(self, new_constraints(self, ids, n, -1));
}

/* Without this one at that step. */
static void
forbid(RegardViewSteps *self, int32_t id)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));

  if (!self->steps)
    return;
  regard_selection_set_step(s, regard_view_steps_get_step(self));
  want(self, new_constraints(self, NULL, 0, id));
}

/* As the model alone would have it. */
static void
let_go(RegardViewSteps *self)
{
  mt_error error = {0};

  want(self, mt_constraints_new(NULL, 0, NULL, 0, &error));
}

/* ---- A word that is no candidate, scored piece by piece while it is typed ---------------------
 */

static void
say(RegardViewSteps *self, const char *text)
{
  gtk_label_set_text(GTK_LABEL(self->pieces), text);
  gtk_widget_set_tooltip_text(self->pieces, text);
  gtk_widget_set_visible(self->pieces, *text != '\0');
}

/* The ids of the pieces of what is typed. Caller unrefs; NULL, and it is said: there are none that
 * can be had. */
static GArray *
cut(RegardViewSteps *self)
{
  const char *text = gtk_editable_get_text(GTK_EDITABLE(self->word));
  g_autofree char *words = g_strstrip(g_strdup(text));
  mt_error error = {0};

  if (!self->steps || !*words) {
    say(self, "");
    return NULL;
  }
  mt_tokens *tokens = mt_constraints_cut(self->steps->model, words, &error);
  if (!tokens) {
    g_autofree char *said = regard_failure_say(&error);

    say(self, said);
    return NULL;
  }
  GArray *ids = g_array_new(FALSE, FALSE, sizeof(int32_t));
  for (gsize i = 0; i < mt_tokens_count(tokens); i++)
    g_array_append_val(ids, mt_tokens_get(tokens, i)->id);
  mt_tokens_unref(tokens);
  return ids;
}

static void
on_scored(gpointer owner, RegardRun *run)
{
  RegardViewSteps *self = owner;
  g_autoptr(GError) error = NULL;
  g_autoptr(RegardSteps) scored = regard_run_finish(run, &error);
  g_autoptr(GString) text = g_string_new(NULL);
  g_autofree char *part = NULL, *whole = NULL;
  double sum = 0;

  if (!scored) {
    say(self, error->message);
    return;
  }
  for (guint t = (guint) MAX(self->scored_step, 0); t < scored->n; t++) {
    const mt_step_node *node = &scored->steps->nodes[(gsize) scored->nodes[t]];
    g_autofree char *piece = regard_steps_dup_piece(scored, node->id);
    char percent[32];

    if (!node->is_forced)
      break;
    sum += node->logprob;
    g_string_append_printf(text, "%s%s %s", text->len ? "  " : "", piece,
                           regard_steps_percent(percent, exp((double) node->logprob)));
  }
  regard_string_append_printf(text, _("\ntogether log p %s%.2f · Enter goes on with it"),
                              sum < 0 ? "−" : "", fabs(sum));
  if (regard_words_continued(mt_translation_hypothesis(scored->translation, scored->hypothesis),
                             &part, &whole))
    g_string_append_printf(text, _("\nthe model goes on with this word: %s"), whole);
  say(self, text->str);
}

/* Another step is looked at. */
static void
score_word(RegardViewSteps *self)
{
  g_autoptr(RegardPass) pass = NULL;
  g_autoptr(GArray) ids = NULL;

  regard_work_drop(self->scoring);
  ids = self->word ? cut(self) : NULL;
  if (!ids)
    return;
  mt_constraints *constraints = new_constraints(self, (const int32_t *) ids->data, ids->len, -1);
  if (!constraints)
    return;
  const mt_model *model = self->steps->model;
  const char *task = mt_translation_task(self->steps->translation);
  mt_search_params params = mt_search_params_of_task(model, mt_model_find_task(model, task));
  params.beam_size = 1;
  params.trace = 1;
  params.constraints = constraints;
  self->scored_step = regard_view_steps_get_step(self);
  pass = regard_view_steps_pass_of(self->steps);
  regard_work_run(self->scoring, &regard_analysis_search, pass, &params, on_scored);
}

static void
on_activate(RegardViewSteps *self)
{
  g_autoptr(GArray) ids = cut(self);

  if (!ids)
    return;
  gtk_editable_set_text(GTK_EDITABLE(self->word), "");
  gtk_widget_grab_focus(self->candidates); /* there Ctrl+Z takes it back, not letters */
  go_on(self, (const int32_t *) ids->data, ids->len);
}

static GtkWidget *
build_word(RegardViewSteps *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4);

  self->word = gtk_entry_new();
  gtk_widget_set_name(self->word, "another-word");
  g_autofree char *key = regard_key_that_finds();
  /* Translators: %s is the key that goes there, "/" or "Ctrl+F" */
  g_autofree char *hint = g_strdup_printf(_("another word… (%s)"), key);
  gtk_entry_set_placeholder_text(GTK_ENTRY(self->word), hint);
  gtk_widget_set_tooltip_text(self->word,
                              _("A word to go on with at this step; it is cut into pieces"));
  regard_accessible_set_label(self->word, _("Another word at this step"));
  g_signal_connect_swapped(self->word, "changed", G_CALLBACK(score_word), self);
  g_signal_connect_swapped(self->word, "activate", G_CALLBACK(on_activate), self);
  /* A word that the model goes on with can have any length, and must not move the divider. */
  self->pieces = regard_label_new(NULL, REGARD_LABEL_START | REGARD_LABEL_ELLIPSIZE, "regard-note");
  gtk_widget_set_visible(self->pieces, FALSE);
  regard_box_append(box, self->word, self->pieces, NULL);
  return box;
}

/* ---- The matrix of the decoder, row by row, and beside it as training has it ------------------
 */

static GtkWidget *
build_one(RegardViewSteps *self, guint i)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4);

  self->caption[i] = regard_label_new(NULL, REGARD_LABEL_START | REGARD_LABEL_WRAP, "regard-note");
  self->heatmap[i] = regard_heatmap_new();
  gtk_widget_set_hexpand(self->heatmap[i], TRUE);
  gtk_widget_set_vexpand(self->heatmap[i], TRUE);
  regard_box_append(box, self->caption[i], self->heatmap[i], NULL);
  return box;
}

/* The first words of what training is given: "start ▁Das ▁Ti …". */
static char *
dup_given(RegardSelection *s)
{
  mt_capture *capture = regard_selection_get_capture(s);
  const mt_tokens *input = capture ? mt_capture_decoder_input(capture) : NULL;
  GString *text = g_string_new(_("start"));

  for (gsize i = 1; input && i < MIN(mt_tokens_count(input), 4); i++)
    g_string_append_printf(text, " %s", mt_tokens_get(input, i)->piece);
  if (input && mt_tokens_count(input) > 4)
    g_string_append(text, " …");
  return g_string_free(text, FALSE);
}

static void
show_rows(RegardViewSteps *self)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  RegardMatrix *m = regard_selection_get_matrix(s);
  const int step = regard_view_steps_get_step(self);
  const gboolean trains = gtk_check_button_get_active(GTK_CHECK_BUTTON(self->training));
  g_autofree char *now = NULL, *given = dup_given(s), *all = NULL;

  gtk_widget_set_visible(gtk_widget_get_parent(self->heatmap[1]), trains);
  for (guint i = 0; i < (trains ? 2 : 1); i++) {
    RegardHeatmap *heatmap = REGARD_HEATMAP(self->heatmap[i]);

    regard_heatmap_set_matrix(heatmap, m);
    regard_heatmap_set_colors(heatmap, regard_selection_get_scale(s),
                              m && m->lo < 0 ? NULL : regard_selection_get_colormap(s));
    regard_heatmap_set_computed(heatmap, i ? -1 : regard_selection_rows_computed(s, step));
  }
  if (!m)
    return;
  if (regard_selection_get_kind(s) == MT_ENCODER_SELF) {
    now =
        g_strdup_printf(_("%s: the encoder has read the source before the first step."), m->title);
    all = g_strdup(_("Training: the same."));
  } else {
    now = g_strdup_printf(_("%s: a row for each step so far; each sees only what is there."),
                          m->title);
    all = g_strdup_printf(ngettext("Training: %u row at once, given %s",
                                   "Training: %u rows at once, given %s", m->rows),
                          m->rows, given);
  }
  gtk_label_set_text(GTK_LABEL(self->caption[0]), now);
  gtk_label_set_text(GTK_LABEL(self->caption[1]), all);
}

static GtkWidget *
build_rows(RegardViewSteps *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);

  self->heatmaps = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 18);
  gtk_box_set_homogeneous(GTK_BOX(self->heatmaps), TRUE);
  gtk_box_append(GTK_BOX(self->heatmaps), build_one(self, 0));
  gtk_box_append(GTK_BOX(self->heatmaps), build_one(self, 1));
  self->training = gtk_check_button_new_with_mnemonic(_("_Training beside it"));
  gtk_widget_set_name(self->training, "training-beside");
  gtk_widget_set_tooltip_text(self->training,
                              _("In training the whole translation is given, shifted by one, and "
                                "all rows are computed at once; the mask keeps each from seeing "
                                "what comes later"));
  g_signal_connect_swapped(self->training, "toggled", G_CALLBACK(show_rows), self);
  regard_box_append(box, self->heatmaps, self->training, NULL);
  return box;
}

/* ---- Showing it ------------------------------------------------------------------------------ */

/* The tree, rows of attention, or heads. */
static const char *
shown_page(RegardViewSteps *self)
{
  return gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(self->show_rows))    ? "rows"
         : gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(self->show_heads)) ? "heads"
                                                                             : "tree";
}

static char *
describe(RegardView *view)
{
  RegardViewSteps *self = REGARD_VIEW_STEPS(view);
  GtkWidget *const areas[] = {self->trees[0],   self->trees[1], NULL,
                              self->candidates, self->curve,    self->looked};
  char *text = NULL;

  for (guint i = 0; i < G_N_ELEMENTS(areas) && !text; i++)
    text = areas[i] ? regard_view_describe_spot(REGARD_FIGURE_AREA(areas[i]))
                    : step_heads_describe(REGARD_STEP_HEADS(self->heads));
  return text;
}

/* As people say a piece. Caller frees. */
static char *
say_piece(const RegardSteps *steps, int32_t id)
{
  char *text = regard_steps_dup_piece(steps, id);
  regard_plain_text(&text);
  return text;
}

/* What came out in the step, and what nearly did. */
static char *
summarize(RegardView *view)
{
  RegardViewSteps *self = REGARD_VIEW_STEPS(view);
  const RegardSteps *steps = self->steps;
  const int step = regard_view_steps_get_step(self);

  if (step < 0)
    return NULL;
  const mt_step_node *node = &steps->steps->nodes[(gsize) steps->nodes[step]];
  g_autofree char *word = say_piece(steps, node->id);
  const double p = 100 * exp((double) node->logprob);
  const mt_option *next = NULL;
  if (steps->rows[step] >= 0) {
    const mt_step_row *row = &steps->steps->rows[(gsize) steps->rows[step]];
    for (gsize i = 0; i < row->n && !next; i++)
      if (row->options[i].id != node->id)
        next = &row->options[i];
  }
  if (!next)
    return g_strdup_printf(_("Step %d of %u: the model says “%s”, %.0f %% sure"), step + 1,
                           steps->n, word, p);
  g_autofree char *other = say_piece(steps, next->id);
  return g_strdup_printf(_("Step %d of %u: the model says “%s”, %.0f %% sure; it could have said "
                           "“%s”, %.0f %%"),
                         step + 1, steps->n, word, p, other, 100 * exp((double) next->logprob));
}

/* In the tree with what its signs mean, which stays while the tree is scrolled. */
static char *
explain(RegardView *view)
{
  const char *page = shown_page(REGARD_VIEW_STEPS(view));

  if (g_str_equal(page, "rows"))
    return g_strdup(
        _("The model writes one piece after the other, and in each step looks once more "
          "at the source and at what it has written. These are the rows of attention of "
          "this step alone; those of later steps are not there yet."));
  if (g_str_equal(page, "heads"))
    return g_strdup(
        _("Each head adds a little to the chance of the piece that was chosen, and a "
          "little to that of the other one. The bars say which of the two a head speaks "
          "for, and how strongly. What is small in every head can be decided by many of "
          "them together."));
  return g_strdup_printf(_("The model writes one piece after the other, and keeps several "
                           "beginnings at once, the beams. Each branch is such a beginning; those "
                           "whose product of probabilities is too small are given up. Signs: %s."),
                         regard_tree_signs());
}

static RegardStepsOptions
look_of(RegardViewSteps *self, guint parts)
{
  RegardStepsOptions look = REGARD_STEPS_OPTIONS_INIT;
  RegardSelection *s = selection(self);
  const mt_attention_kind kind = regard_selection_get_kind(s);

  look.parts = parts;
  look.step = (guint) MAX(regard_view_steps_get_step(self), 0);
  look.top = TOP;
  look.kind = kind == MT_ENCODER_SELF ? MT_CROSS : kind;
  look.layer = regard_selection_get_layer(s);
  look.head = (int) regard_selection_get_head(s);
  return look;
}

static void
show_part(RegardViewSteps *self, GtkWidget *area, guint parts)
{
  RegardStepsOptions look = look_of(self, parts);
  RegardFigureStyle style = regard_view_get_style(REGARD_VIEW(self), REGARD_FIGURE_AREA(area));

  look.no_badges = area != self->curve; /* once is enough */
  look.bars = area == self->looked ? self->bars : 0;
  regard_figure_area_set_figure(REGARD_FIGURE_AREA(area),
                                regard_figure_new_steps(self->steps, &look, &style));
}

/* "goes in er, comes out ▁über". */
static void
show_place(RegardViewSteps *self)
{
  const int step = regard_view_steps_get_step(self);
  g_autofree char *in = NULL, *out = NULL, *text = NULL;

  if (step < 0) {
    gtk_label_set_text(GTK_LABEL(self->place), "");
    return;
  }
  in = step == 0
           ? g_strdup(_("start"))
           : regard_steps_dup_piece(
                 self->steps, self->steps->steps->nodes[(gsize) self->steps->nodes[step - 1]].id);
  out = regard_steps_dup_piece(self->steps,
                               self->steps->steps->nodes[(gsize) self->steps->nodes[step]].id);
  if (regard_selection_get_simple(selection(self))) {
    regard_plain_text(&in);
    regard_plain_text(&out);
  }
  text = g_strdup_printf(_("goes in %s, comes out %s"), in, out);
  gtk_label_set_text(GTK_LABEL(self->place), text);
}

void
regard_view_steps_set_note(RegardViewSteps *self, const char *markup, const char *tooltip)
{
  gtk_label_set_markup(GTK_LABEL(self->note), markup);
  gtk_widget_set_tooltip_text(self->note, tooltip);
}

/* What was there before it was made to go on otherwise. */
void
regard_view_steps_show_before(RegardViewSteps *self)
{
  g_autofree char *text = NULL, *markup = NULL;

  gtk_widget_set_visible(self->model_way, is_constrained(self));
  text = self->before
             ? g_strdup_printf(_("before: %s"), mt_translation_hypothesis(self->before->translation,
                                                                          self->before->hypothesis)
                                                    ->text)
             : g_strdup(_("Click a candidate to go on with it"));
  markup = g_markup_escape_text(text, -1);
  regard_view_steps_set_note(self, markup, text);
}

static void
show(RegardViewSteps *self)
{
  if (!self->steps || !gtk_widget_get_mapped(GTK_WIDGET(self)))
    return; /* drawn, and what is drawn computed, when somebody looks */
  show_place(self);
  if (!self->path_of)
    regard_view_steps_show_before(self);
  show_part(self, self->curve, REGARD_STEPS_ENTROPY);
  gtk_widget_set_visible(gtk_widget_get_ancestor(self->looked, GTK_TYPE_SCROLLED_WINDOW),
                         self->bars > 0);
  if (self->bars)
    show_part(self, self->looked, REGARD_STEPS_ATTENTION);
  show_part(self, self->candidates,
            REGARD_STEPS_CANDIDATES | (self->bars ? 0 : REGARD_STEPS_ATTENTION));
  gtk_stack_set_visible_child_name(GTK_STACK(self->pages), shown_page(self));
  if (g_str_equal(shown_page(self), "rows"))
    show_rows(self);
  else if (g_str_equal(shown_page(self), "heads"))
    step_heads_show(REGARD_STEP_HEADS(self->heads), self->steps, self->before,
                    regard_view_steps_get_step(self));
  else
    regard_view_steps_show_tree(self);
  regard_view_show_message(REGARD_VIEW(self), "");
  regard_view_show_status(REGARD_VIEW(self));
}

/* Another step: the word is scored there. */
static void
on_step(RegardViewSteps *self)
{
  show(self);
  if (gtk_widget_get_mapped(GTK_WIDGET(self)))
    score_word(self);
}

static void
show_message(RegardViewSteps *self, const char *text)
{
  regard_figure_area_set_figure(REGARD_FIGURE_AREA(self->curve), NULL);
  regard_figure_area_set_figure(REGARD_FIGURE_AREA(self->looked), NULL);
  regard_figure_area_set_figure(REGARD_FIGURE_AREA(self->candidates), NULL);
  for (guint i = 0; i < G_N_ELEMENTS(self->trees); i++)
    regard_figure_area_set_figure(REGARD_FIGURE_AREA(self->trees[i]), NULL);
  step_heads_forget(REGARD_STEP_HEADS(self->heads));
  regard_view_steps_forget_path(self);
  regard_view_show_message(REGARD_VIEW(self), text);
  gtk_label_set_text(GTK_LABEL(self->place), "");
  regard_view_steps_set_note(self, "", "");
  gtk_widget_set_visible(self->model_way, FALSE);
}

/* ---- What is shown ----------------------------------------------------------------------------
 */

static const char *
source_of(const RegardSteps *steps)
{
  return mt_tokens_text(mt_translation_source(steps->translation));
}

/* Keep what it was, as long as one goes on with the same sentence and the same model. */
static void
remember(RegardViewSteps *self, RegardSteps *now)
{
  if (!self->steps || !now || self->steps->model != now->model ||
      strcmp(source_of(self->steps), source_of(now)) != 0 ||
      mt_constraints_is_empty(constraints_of(now))) {
    g_clear_pointer(&self->before, regard_steps_unref);
    return;
  }
  if (mt_constraints_equal(constraints_of(self->steps), constraints_of(now)))
    return;
  g_clear_pointer(&self->before, regard_steps_unref);
  self->before = regard_steps_ref(self->steps);
}

/* What is under way is of a text before, whether anybody looks or not. */
static void
stop_working(RegardViewSteps *self)
{
  regard_work_drop(self->comparing);
  regard_work_drop(self->scoring);
  step_heads_forget(REGARD_STEP_HEADS(self->heads));
  regard_view_steps_forget_path(self);
}

/* Nobody looks, and a model is too large to be kept for a picture that comes anew. */
static void
forget_steps(RegardViewSteps *self)
{
  g_clear_pointer(&self->steps, regard_steps_unref);
  g_clear_pointer(&self->before, regard_steps_unref);
  g_clear_pointer(&self->other, regard_steps_unref);
  show_message(self, "");
  regard_view_choices_changed(REGARD_VIEW(self));
}

static void
load(RegardView *view, gboolean is_seen)
{
  RegardViewSteps *self = REGARD_VIEW_STEPS(view);
  RegardSelection *s = selection(self);
  gboolean had_any = self->steps != NULL;

  if (!regard_view_is_built(view) || !s)
    return;
  /* Nobody looks; but without a text there may be nothing left to export. */
  if (!is_seen && regard_selection_get_capture(s)) {
    stop_working(self);
    if (self->steps && self->steps->model != regard_selection_get_pass_model(s))
      forget_steps(self);
    return;
  }
  RegardSteps *now = regard_selection_get_steps(s);
  /* A trace is on its way: what was there stays until it has come. */
  if (!now && regard_selection_get_pass_model(s) && self->steps && regard_selection_get_stale(s))
    return;
  if (now != self->steps) {
    remember(self, now);
    regard_view_steps_forget_path(self);
    g_clear_pointer(&self->steps, regard_steps_unref);
    self->steps = now ? regard_steps_ref(now) : NULL;
    self->followed[0] = NULL;
    regard_view_steps_compare(self);
  }
  /* The loop is read from its start; the curve says where the model was least sure. */
  regard_selection_set_preset(s, now ? 0 : -1);
  if (now)
    on_step(self);
  else if (!regard_selection_get_capture(s))
    show_message(self, _("Steps appear here with the first translation."));
  else if (!regard_selection_get_pass_model(s))
    show_message(self,
                 _("This file has attention only. How words were chosen can be seen of what a "
                   "model translates here."));
  else
    show_message(self, "");
  if (had_any != (now != NULL))
    regard_view_choices_changed(REGARD_VIEW(self));
}

/* ---- Asking ---------------------------------------------------------------------------------- */

/* A candidate is chosen, a step is gone to. */
static void
on_activated(RegardViewSteps *self, RegardFigureArea *area)
{
  const RegardSpot *spot = regard_figure_area_get_spot(area);

  if (!spot || !self->steps)
    return;
  if (spot->part == REGARD_STEPS_SPOT_CANDIDATE) {
    const int32_t id = spot->col;

    go_on(self, &id, 1);
  } else if (spot->part == REGARD_STEPS_SPOT_STEP) {
    regard_selection_set_step(selection(self), spot->col);
    gtk_widget_grab_focus(self->candidates); /* where one goes on from there */
  }
}

/* The candidate that is pointed at; -1: none. */
static int32_t
pointed_at(RegardViewSteps *self)
{
  const RegardSpot *spot = regard_figure_area_get_spot(REGARD_FIGURE_AREA(self->candidates));

  return spot && spot->part == REGARD_STEPS_SPOT_CANDIDATE ? spot->col : -1;
}

/* What was chosen at the step is set against that token, where heads are shown. */
static void
set_against(RegardViewSteps *self, int32_t id)
{
  const int step = regard_view_steps_get_step(self);

  if (step < 0 || id < 0 || id == self->steps->steps->nodes[(gsize) self->steps->nodes[step]].id)
    return;
  step_heads_set_foil(REGARD_STEP_HEADS(self->heads), step, id);
  if (g_str_equal(shown_page(self), "heads"))
    step_heads_show(REGARD_STEP_HEADS(self->heads), self->steps, self->before, step);
}

/* On the page of heads the choice is set against what is pointed at. */
static void
on_candidate(RegardViewSteps *self)
{
  if (self->steps)
    set_against(self, pointed_at(self));
}

static gboolean
handle_key(RegardView *view, guint keyval, GdkModifierType state)
{
  RegardViewSteps *self = REGARD_VIEW_STEPS(view);
  const GdkModifierType modifiers = state & gtk_accelerator_get_default_mod_mask();

  if (!self->steps)
    return FALSE;
  if (regard_key_finds(keyval, state)) {
    gtk_widget_grab_focus(self->word);
    return TRUE;
  }
  if (!modifiers && regard_plain_key(keyval) == GDK_KEY_Delete && pointed_at(self) >= 0) {
    forbid(self, pointed_at(self));
    return TRUE;
  }
  if (!modifiers && keyval == GDK_KEY_w) {
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(self->show_heads), TRUE);
    return TRUE;
  }
  GtkWidget *area = gtk_widget_has_focus(self->looked) ? self->looked : self->candidates;
  return regard_step_bar_handle_key(REGARD_STEP_BAR(self->bar), keyval, state) ||
         regard_figure_area_handle_key(REGARD_FIGURE_AREA(area), keyval, state);
}

/* The list that is chosen from. */
static GtkWidget *
get_picture(RegardView *view)
{
  GtkWidget *candidates = REGARD_VIEW_STEPS(view)->candidates;

  return candidates && gtk_widget_get_mapped(candidates) ? candidates : NULL;
}

/* ---- Parts and places ------------------------------------------------------------------------ */

static gboolean
show_part_(RegardView *view, const char *part)
{
  RegardViewSteps *self = REGARD_VIEW_STEPS(view);
  GtkWidget *button = !part || g_str_equal(part, "tree") ? self->show_tree
                      : g_str_equal(part, "rows")        ? self->show_rows
                      : g_str_equal(part, "heads")       ? self->show_heads
                                                         : NULL;

  if (button && part)
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(button), TRUE);
  return button != NULL;
}

static const char *
get_part(RegardView *view)
{
  return shown_page(REGARD_VIEW_STEPS(view));
}

/* A column is a step of the curve, but where rows of attention are shown. */
static GtkWidget *
locate(RegardView *view, const RegardViewPlace *place, graphene_rect_t *rect)
{
  RegardViewSteps *self = REGARD_VIEW_STEPS(view);
  RegardHeatmap *heatmap = REGARD_HEATMAP(self->heatmap[0]);
  RegardMatrix *m = regard_heatmap_get_matrix(heatmap);
  const char *page = shown_page(self);
  RegardCell cell;

  if (!self->steps)
    return NULL;
  if (g_str_equal(page, "rows"))
    return m &&
                   (place->type == REGARD_VIEW_PLACE_PICTURE ||
                    place->type == REGARD_VIEW_PLACE_CELL) &&
                   regard_view_find_cell(view, place, m, &cell) &&
                   regard_heatmap_get_seen_rect(heatmap, cell.row, cell.col, rect)
               ? self->heatmap[0]
               : NULL;
  if (place->type == REGARD_VIEW_PLACE_PICTURE) {
    GtkWidget *shown = g_str_equal(page, "tree") ? self->trees[0] : self->heads;

    *rect = GRAPHENE_RECT_INIT(0, 0, (float) gtk_widget_get_width(shown),
                               (float) gtk_widget_get_height(shown));
    return shown;
  }
  return place->type == REGARD_VIEW_PLACE_CELL && place->column.number > 0 &&
                 regard_figure_area_find(REGARD_FIGURE_AREA(self->curve), REGARD_STEPS_SPOT_STEP,
                                         REGARD_STEPS_SPOT_STEP + 1, -1,
                                         (int) place->column.number - 1, rect)
             ? self->curve
             : NULL;
}

/* ---- RegardView ------------------------------------------------------------------------------ */

static void
set_selection(RegardView *view, RegardSelection *s)
{
  RegardViewSteps *self = REGARD_VIEW_STEPS(view);

  regard_connect(s, "notify::capture", G_CALLBACK(regard_view_load), self);
  regard_connect(s, "notify::step", G_CALLBACK(on_step), self);
  regard_connect(s, "matrix-changed", G_CALLBACK(show), self);
  regard_connect(s, "style-changed", G_CALLBACK(show), self);
  regard_connect(s, "notify::simple", G_CALLBACK(show), self);
}

enum {
  PICTURE_TREE,
  PICTURE_STEP,
  PICTURE_CANDIDATES,
  PICTURE_ENTROPY,
  PICTURE_CONTRAST,
  PICTURE_HEADS
};

static const RegardPicture pictures[] = {
    [PICTURE_TREE] = {"tree", N_("Beam Tree")},
    [PICTURE_STEP] = {"step", N_("This Step")},
    [PICTURE_CANDIDATES] = {"candidates", N_("Candidates")},
    [PICTURE_ENTROPY] = {"entropy", N_("Entropy of All Steps")},
    [PICTURE_CONTRAST] = {"contrast", N_("Which Head Chose It")},
    [PICTURE_HEADS] = {"heads", N_("What Each Head Does")},
};

static RegardAblation *
effects_of(RegardViewSteps *self)
{
  return step_heads_get_ablation(REGARD_STEP_HEADS(self->heads));
}

/* Heads are there when they were weighed. */
static gboolean
has_picture(RegardView *view, guint picture)
{
  RegardViewSteps *self = REGARD_VIEW_STEPS(view);

  return self->steps && (picture < PICTURE_CONTRAST ||
                         (effects_of(self) && g_str_equal(shown_page(self), "heads")));
}

static RegardFigure *
new_figure(RegardView *view, guint picture, RegardFigureStyle *style)
{
  static const guint parts[] = {[PICTURE_STEP] = REGARD_STEPS_ALL,
                                [PICTURE_CANDIDATES] = REGARD_STEPS_CANDIDATES,
                                [PICTURE_ENTROPY] = REGARD_STEPS_ENTROPY};
  RegardViewSteps *self = REGARD_VIEW_STEPS(view);

  switch (picture) {
  case PICTURE_TREE:
    return regard_view_steps_new_tree(self, style);
  case PICTURE_CONTRAST:
    return regard_figure_new_contrast(effects_of(self), style);
  case PICTURE_HEADS:
    style->colormap = NULL; /* of both signs, whatever is chosen */
    return regard_figure_new_ablation(effects_of(self), style);
  default: {
    const RegardStepsOptions look = look_of(self, parts[picture]);

    return regard_figure_new_steps(self->steps, &look, style);
  }
  }
}

static const RegardViewAnimation animations[] = {
    {{"steps", N_("Steps, One by One")}, PICTURE_STEP},
    {{"beam", N_("Beam Tree as It Grows")}, PICTURE_TREE},
};

static RegardFrames *
new_frames(RegardView *view, guint animation, const RegardFigureStyle *style)
{
  RegardViewSteps *self = REGARD_VIEW_STEPS(view);
  const RegardStepsOptions look = look_of(self, REGARD_STEPS_ALL);

  return animations[animation].of == PICTURE_STEP
             ? regard_frames_new_steps(self->steps, &look, style)
             : regard_view_steps_new_growing_tree(self, style);
}

/* "step-4". */
static char *
name_choice(RegardView *view, const char *choice_id)
{
  RegardViewSteps *self = REGARD_VIEW_STEPS(view);

  for (guint i = 0; i < G_N_ELEMENTS(animations); i++)
    if (g_str_equal(choice_id, animations[i].as.id))
      return NULL; /* of all steps */

  return self->steps ? g_strdup_printf("%s-%d", choice_id, regard_view_steps_get_step(self) + 1)
                     : NULL;
}

/* ---- The menu ---------------------------------------------------------------------------------
 */

static void
on_go_on(GSimpleAction *action, GVariant *id, gpointer data)
{
  const int32_t token = g_variant_get_int32(id);

  go_on(data, &token, 1);
}

static void
on_forbid(GSimpleAction *action, GVariant *id, gpointer data)
{
  forbid(data, g_variant_get_int32(id));
}

static void
on_contrast(GSimpleAction *action, GVariant *id, gpointer data)
{
  RegardViewSteps *self = data;

  set_against(self, g_variant_get_int32(id));
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(self->show_heads), TRUE);
}

static void
append_entry(GMenu *menu, const char *format, const char *piece, const char *action, int32_t id)
{
  g_autofree char *label = g_strdup_printf(format, piece);
  g_autoptr(GMenuItem) item = g_menu_item_new(NULL, NULL);

  g_menu_item_set_label(item, label);
  g_menu_item_set_action_and_target(item, action, "i", id);
  g_menu_append_item(menu, item);
}

/* What the area's own menu has more than others, for a spot. */
static GMenuModel *
make_menu(RegardFigureArea *area, const RegardSpot *spot, RegardViewSteps *self)
{
  if (!self->steps || spot->part != REGARD_STEPS_SPOT_CANDIDATE)
    return NULL;
  int32_t chosen =
      self->steps->steps->nodes[(gsize) self->steps->nodes[regard_view_steps_get_step(self)]].id;
  GMenu *menu = g_menu_new();
  g_autofree char *piece = regard_steps_dup_piece(self->steps, spot->col);
  append_entry(menu, _("_Go On with “%s”"), piece, "steps.go-on", spot->col);
  append_entry(menu, _("_Forbid “%s” Here"), piece, "steps.forbid", spot->col);
  if (spot->col != chosen)
    append_entry(menu, _("_Which Head Chose Otherwise than “%s”"), piece, "steps.contrast",
                 spot->col);
  return G_MENU_MODEL(menu);
}

/* A menu for what is pointed at in the list of candidates. */
static void
add_menu(RegardViewSteps *self)
{
  static const GActionEntry entries[] = {{"go-on", on_go_on, "i", NULL, NULL, {0}},
                                         {"forbid", on_forbid, "i", NULL, NULL, {0}},
                                         {"contrast", on_contrast, "i", NULL, NULL, {0}}};
  g_autoptr(GSimpleActionGroup) group = g_simple_action_group_new();

  g_action_map_add_action_entries(G_ACTION_MAP(group), entries, G_N_ELEMENTS(entries), self);
  gtk_widget_insert_action_group(GTK_WIDGET(self), "steps", G_ACTION_GROUP(group));
  g_signal_connect_object(self->candidates, "menu-wanted", G_CALLBACK(make_menu), self, 0);
}

/* ---- Widgets --------------------------------------------------------------------------------- */

static GtkWidget *
append_toggle(RegardViewSteps *self, GtkWidget *box, GtkWidget *group, const char *label,
              const char *tooltip)
{
  GtkWidget *toggle = gtk_toggle_button_new_with_label(label);

  gtk_widget_set_tooltip_text(toggle, tooltip);
  if (group)
    gtk_toggle_button_set_group(GTK_TOGGLE_BUTTON(toggle), GTK_TOGGLE_BUTTON(group));
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(toggle), !group);
  gtk_box_append(GTK_BOX(box), toggle);
  return toggle;
}

static void
on_page(RegardViewSteps *self)
{
  show(self);
  regard_view_choices_changed(REGARD_VIEW(self));
}

/* What stands beside the candidates. */
static GtkWidget *
build_switch(RegardViewSteps *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0), *tree;

  gtk_widget_set_name(box, "steps-switch");
  gtk_widget_add_css_class(box, "linked");
  tree = self->show_tree =
      append_toggle(self, box, NULL, _("Tree"), _("All hypotheses of the search"));
  self->show_rows = append_toggle(self, box, tree, _("Rows"), _("Attention, a row for each step"));
  self->show_heads =
      append_toggle(self, box, tree, _("Heads"),
                    _("Which head chose this token, and not the candidate that is pointed at (W)"));
  g_signal_connect_swapped(self->show_rows, "toggled", G_CALLBACK(on_page), self);
  g_signal_connect_swapped(self->show_heads, "toggled", G_CALLBACK(on_page), self);
  return box;
}

static GtkWidget *
build_header(RegardViewSteps *self)
{
  GtkWidget *line = regard_wrap_new(10);

  self->place = regard_view_new_place();
  self->note = regard_view_new_note(REGARD_VIEW(self));
  self->model_way = gtk_button_new_with_mnemonic(_("The Mode_l’s Own Way"));
  gtk_widget_set_tooltip_text(self->model_way,
                              _("Nothing forced and nothing forbidden (Ctrl+Z takes back one "
                                "choice)"));
  gtk_widget_set_visible(self->model_way, FALSE);
  g_signal_connect_swapped(self->model_way, "clicked", G_CALLBACK(let_go), self);
  regard_wrap_append(line, regard_view_new_title(_("Steps")));
  regard_box_append(line, self->place, self->note, self->model_way, build_switch(self),
                    regard_view_new_help(REGARD_VIEW(self)), NULL);
  return line;
}

static GtkWidget *
build_area(RegardViewSteps *self, int least_width, const char *name)
{
  GtkWidget *area = regard_view_new_part(REGARD_VIEW(self), least_width, name);

  g_signal_connect_swapped(area, "spot-activated", G_CALLBACK(on_activated), self);
  return area;
}

/* In a narrow window the list has what it needs at least, and what stands beside it the rest, until
 * somebody moves the divider. */
static void
divide_room(RegardViewSteps *self)
{
  GtkPaned *paned = GTK_PANED(gtk_widget_get_ancestor(self->pages, GTK_TYPE_PANED));
  const int at = gtk_paned_get_position(paned);
  const int wanted =
      gtk_widget_get_width(GTK_WIDGET(paned)) < NARROW ? LIST_WIDTH : USUAL_LIST_WIDTH;
  if ((at == LIST_WIDTH || at == USUAL_LIST_WIDTH) && at != wanted)
    gtk_paned_set_position(paned, wanted);
}

/* Where what was looked at has its place, and how much of it. */
static gboolean
follow_room(gpointer data)
{
  RegardViewSteps *self = data;
  const double large = regard_theme_large_text(GTK_WIDGET(self));
  const double width = gtk_widget_get_width(GTK_WIDGET(self)) / large;
  const double height = gtk_widget_get_height(GTK_WIDGET(self)) / large;
  const double more = MAX(height - LOW_PAGE, 0) / BAR_MORE;
  const guint bars = width < CURVE_WIDTH + LOOKED_WIDTH + 40
                         ? 0
                         : LEAST_BARS + (guint) MIN(more, MOST_BARS - LEAST_BARS);

  self->room_idle = 0;
  if (bars != self->bars) {
    self->bars = bars;
    show(self);
  }
  divide_room(self);
  return G_SOURCE_REMOVE;
}

/* Not while room is being given away. */
static void
on_room(RegardViewSteps *self)
{
  if (!self->room_idle)
    self->room_idle = g_idle_add_full(GTK_PRIORITY_RESIZE - 1, follow_room, self, NULL);
}

/* Home and End are for steps here; the scroller would take them. */
static gboolean
on_list_key(RegardViewSteps *self, guint keyval, guint keycode, GdkModifierType state)
{
  return regard_step_bar_handle_key(REGARD_STEP_BAR(self->bar), keyval, state);
}

/* Candidates, and a place for a word that is none. */
static GtkWidget *
build_list(RegardViewSteps *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6), *scroller;
  GtkEventController *keys = gtk_event_controller_key_new();

  self->candidates = build_area(self, LIST_WIDTH, _("What there was to choose from"));
  gtk_widget_set_name(self->candidates, "candidates");
  regard_figure_area_leave_sideways(REGARD_FIGURE_AREA(self->candidates));
  g_signal_connect_swapped(self->candidates, "spot-changed", G_CALLBACK(on_candidate), self);
  g_signal_connect_swapped(keys, "key-pressed", G_CALLBACK(on_list_key), self);
  gtk_widget_add_controller(self->candidates, keys);
  scroller = regard_view_new_scroller(self->candidates, -1);
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroller), GTK_POLICY_NEVER,
                                 GTK_POLICY_AUTOMATIC);
  regard_connect(gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(scroller)),
                 "notify::page-size", G_CALLBACK(on_room), self);
  gtk_widget_set_vexpand(scroller, TRUE);
  regard_box_append(box, scroller, build_word(self), NULL);
  gtk_widget_set_size_request(box, LIST_WIDTH, -1);
  return box;
}

/* How sure the model was, and what it looked at, which keeps no window from becoming narrower. */
static GtkWidget *
build_top(RegardViewSteps *self)
{
  GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12), *scroller;

  self->curve = build_area(self, CURVE_WIDTH, _("How sure the model was of each step"));
  gtk_widget_set_name(self->curve, "curve");
  gtk_widget_set_focusable(self->curve, FALSE); /* for keys there is the slider */
  gtk_widget_set_hexpand(self->curve, TRUE);
  self->looked = build_area(self, LOOKED_WIDTH, _("What the step looked at"));
  gtk_widget_set_name(self->looked, "looked");
  scroller = regard_view_new_scroller(self->looked, -1);
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroller), GTK_POLICY_EXTERNAL,
                                 GTK_POLICY_NEVER);
  gtk_scrolled_window_set_propagate_natural_width(GTK_SCROLLED_WINDOW(scroller), TRUE);
  gtk_widget_set_visible(scroller, FALSE);
  regard_box_append(line, self->curve, scroller, NULL);
  return line;
}

static GtkWidget *
build_page(RegardViewSteps *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6),
            *paned = gtk_paned_new(GTK_ORIENTATION_HORIZONTAL), *scroller;

  self->bar = regard_step_bar_new(FALSE);
  regard_dials_leave_out(self->bar);
  self->pages = gtk_stack_new();
  gtk_stack_set_vhomogeneous(GTK_STACK(self->pages), FALSE);
  GtkWidget *tree = regard_view_steps_build_tree(self), *rows = build_rows(self);
  self->heads = step_heads_new(REGARD_VIEW(self));
  gtk_widget_set_name(tree, "steps/tree");
  gtk_widget_set_name(rows, "steps/rows");
  gtk_widget_set_name(self->heads, "steps/heads");
  gtk_stack_add_named(GTK_STACK(self->pages), tree, "tree");
  gtk_stack_add_named(GTK_STACK(self->pages), rows, "rows");
  gtk_stack_add_named(GTK_STACK(self->pages), self->heads, "heads");
  /* Two matrices beside each other are wider than a small screen. */
  scroller = regard_view_new_scroller(self->pages, -1);
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroller), GTK_POLICY_AUTOMATIC,
                                 GTK_POLICY_NEVER);
  regard_connect(gtk_scrolled_window_get_hadjustment(GTK_SCROLLED_WINDOW(scroller)),
                 "notify::page-size", G_CALLBACK(on_room), self);
  gtk_paned_set_start_child(GTK_PANED(paned), build_list(self));
  gtk_paned_set_end_child(GTK_PANED(paned), scroller);
  gtk_paned_set_resize_start_child(GTK_PANED(paned), FALSE);
  gtk_paned_set_shrink_start_child(GTK_PANED(paned), FALSE);
  gtk_paned_set_shrink_end_child(GTK_PANED(paned), FALSE);
  gtk_paned_set_position(GTK_PANED(paned), USUAL_LIST_WIDTH);
  gtk_widget_set_vexpand(paned, TRUE);
  regard_box_append(box, build_top(self), self->bar, paned, NULL);
  return box;
}

static GtkWidget *
build(RegardView *view)
{
  RegardViewSteps *self = REGARD_VIEW_STEPS(view);
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);

  gtk_box_append(GTK_BOX(box), build_header(self));
  gtk_box_append(GTK_BOX(box), regard_view_new_stack(view, build_page(self)));
  gtk_box_append(GTK_BOX(box), regard_view_new_status(view));
  gtk_widget_add_css_class(box, "regard-picture");
  /* Before what is in it: GTK 4.8 tells nobody who is there already of another group of actions. */
  add_menu(self);
  regard_step_bar_set_selection(REGARD_STEP_BAR(self->bar), selection(self));
  return box;
}

static void
set_seen(RegardView *view, gboolean is_seen)
{
  RegardViewSteps *self = REGARD_VIEW_STEPS(view);

  regard_selection_set_wants_steps(selection(self), is_seen);
  if (is_seen) {
    regard_view_load(view); /* what is wanted besides is to be said again */
  } else {
    regard_selection_set_preset(selection(self), -1);
    regard_view_steps_forget_path(self);
  }
}

static void
show_view(RegardView *view)
{
  show(REGARD_VIEW_STEPS(view));
}

static void
dispose(GObject *object)
{
  RegardViewSteps *self = REGARD_VIEW_STEPS(object);

  g_clear_handle_id(&self->room_idle, g_source_remove);
  g_clear_object(&self->comparing);
  g_clear_object(&self->attending);
  g_clear_object(&self->scoring);
  regard_view_steps_forget_path(self);
  g_clear_pointer(&self->other, regard_steps_unref);
  g_clear_pointer(&self->steps, regard_steps_unref);
  g_clear_pointer(&self->before, regard_steps_unref);
  G_OBJECT_CLASS(regard_view_steps_parent_class)->dispose(object);
}

static void
regard_view_steps_class_init(RegardViewStepsClass *klass)
{
  RegardViewClass *view_class = REGARD_VIEW_CLASS(klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = dispose;
  view_class->build = build;
  view_class->set_selection = set_selection;
  view_class->set_seen = set_seen;
  view_class->load = load;
  view_class->show = show_view;
  view_class->describe = describe;
  view_class->summarize = summarize;
  view_class->explain = explain;
  view_class->pictures = pictures;
  view_class->n_pictures = G_N_ELEMENTS(pictures);
  view_class->has_picture = has_picture;
  view_class->new_figure = new_figure;
  view_class->animations = animations;
  view_class->n_animations = G_N_ELEMENTS(animations);
  view_class->new_frames = new_frames;
  view_class->name_choice = name_choice;
  view_class->handle_key = handle_key;
  view_class->get_picture = get_picture;
  view_class->show_part = show_part_;
  view_class->get_part = get_part;
  view_class->locate = locate;
  gtk_widget_class_set_css_name(widget_class, "stepsview");
}

static void
regard_view_steps_init(RegardViewSteps *self)
{
  self->comparing = regard_work_new(self);
  self->attending = regard_work_new(self);
  self->scoring = regard_work_new(self);
}
