/* regard-alignment.c — which word of the source each word of a translation stands for: the
 * words of one above those of the other, and curves as wide as what the link is worth; and how
 * right recipes are that say so.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-alignment.h"

#include "figures/regard-figure-private.h"
#include "figures/regard-language.h"
#include "figures/regard-naming.h"
#include "figures/regard-words.h"

#include <math.h>
#include <string.h>

static char **
words_of(const mt_alignment_input *input, mt_stack side, guint *n)
{
  const char *text = input->words[side].text;
  *n = (guint) input->words[side].n;
  char **words = g_new0(char *, *n + 1);
  for (guint i = 0; i < *n; i++) {
    const mt_span word = input->words[side].words[i];
    words[i] = g_strndup(text + word.begin, word.end - word.begin);
  }
  return words;
}

/* The recipe with the layer that this sentence chooses. */
static mt_recipe
with_layer(const mt_alignment_input *input, const mt_recipe *recipe)
{
  mt_recipe own = *recipe;
  gsize n = 0;
  g_autofree double *sums = g_new0(double, input->n_layers);
  mt_alignment_input_add_norms(input, recipe->row, sums, &n);
  mt_recipe_choose_layer(&own, sums, input->n_layers);
  return own;
}

static void
clear(gpointer subject)
{
  RegardAlignment *self = subject;
  for (int side = 0; side < MT_N_STACKS; side++) {
    g_free(self->texts[side]);
    g_strfreev(self->words[side]);
  }
  g_free(self->model_name);
  g_free(self->interventions);
  g_free(self->values);
  g_free(self->links);
}

RegardAlignment *
regard_alignment_new(const mt_alignment_input *input, const mt_recipe *recipe,
                     const mt_model *model, const mt_interventions *interventions, mt_error *error)
{
  if (!mt_recipe_check(recipe, input->n_layers, input->n_heads, error))
    return NULL;
  const mt_recipe own = with_layer(input, recipe);
  gsize n = 0;
  mt_link *links = mt_alignment_input_links(input, &own, NULL, NULL, &n, error);
  float *values = links ? mt_alignment_input_matrix(input, &own, error) : NULL;
  RegardAlignment *self = NULL;
  if (values) {
    self = regard_subject_alloc(sizeof *self, clear);
    self->model_name = g_strdup(mt_model_name(model));
    self->interventions = regard_figure_dup_interventions(interventions);
    for (int side = 0; side < MT_N_STACKS; side++) {
      self->texts[side] = g_strdup(input->words[(mt_stack) side].text);
      self->words[side] = words_of(input, (mt_stack) side, &self->n_words[side]);
    }
    self->recipe = own;
    self->values = g_memdup2(values, (gsize) self->n_words[0] * self->n_words[1] * sizeof *values);
    self->links = g_memdup2(links, n * sizeof *links);
    self->n_links = n;
  }
  mt_links_free_matrix(values);
  mt_links_free(links);
  return self;
}

/* ---- Matrices ---------------------------------------------------------------------------------
 */

/* "heads 4.1 + 5.1", "layer 4". */
static char *
describe_place(const mt_recipe *recipe)
{
  g_autoptr(GString) heads = g_string_new(NULL);
  for (gsize i = 0; i < recipe->n_heads; i++)
    g_string_append_printf(heads, "%s%d.%d", i ? " + " : "", recipe->heads[i].layer + 1,
                           recipe->heads[i].head + 1);
  if (recipe->n_heads > 0)
    return g_strdup_printf(ngettext("head %s", "heads %s", recipe->n_heads), heads->str);
  if (recipe->layer == MT_RECIPE_AUTO)
    return g_strdup(_("layer with the highest mean norm"));
  return g_strdup_printf(recipe->is_chosen ? _("layer %d (highest mean norm, chosen without gold)")
                                           : _("layer %d"),
                         recipe->layer + 1);
}

char **
regard_recipe_phrases(const mt_recipe *recipe, guint32 rows)
{
  GPtrArray *phrases = g_ptr_array_new();
  gsize threshold;
  mt_recipe_find_field("threshold", &threshold);
  for (gsize i = 0; i < mt_recipe_n_fields(); i++) {
    const mt_recipe_field *about = mt_recipe_field_at(i);
    char number[MT_RECIPE_TEXT_SIZE];
    if (!(rows >> i & 1) || about->type == MT_RECIPE_NUMBER)
      continue;
    if (about->type == MT_RECIPE_PLACE)
      g_ptr_array_add(phrases, describe_place(recipe));
    else if (g_str_equal(about->key, "choose") && recipe->choose == MT_RECIPE_THRESHOLD)
      g_ptr_array_add(phrases,
                      /* Translators: links of shares of at least 0.15 of the row */
                      g_strdup_printf(_("at least %s of the row"),
                                      mt_recipe_get_text(recipe, threshold, number)));
    else
      g_ptr_array_add(phrases, g_strdup(regard_recipe_word(about, mt_recipe_get(recipe, i))));
  }
  g_ptr_array_add(phrases, NULL);
  return (char **) g_ptr_array_free(phrases, FALSE);
}

const char *
regard_recipe_word(const mt_recipe_field *field, double choice)
{
  const char *phrase = field->phrases[(gsize) choice];
  /* "norms" and "weights" alone are words of other things, too. */
  return g_str_equal(field->key, "matrix") ? regard_words_of("setting", phrase) : _(phrase);
}

char *
regard_recipe_describe(const mt_recipe *recipe, guint32 rows)
{
  g_auto(GStrv) phrases = regard_recipe_phrases(recipe, rows);
  GString *list = g_string_new(NULL);
  for (char **phrase = phrases; *phrase; phrase++)
    regard_words_add_item(list, *phrase);
  return g_string_free(list, FALSE);
}

/* The phrases of some settings as badges, and one more. */
static char **
make_badges(const mt_recipe *recipe, guint32 rows, const char *more)
{
  char **badges = regard_recipe_phrases(recipe, rows);
  if (more) {
    const guint n = g_strv_length(badges);
    badges = g_renew(char *, badges, n + 2);
    badges[n] = g_strdup(more);
    badges[n + 1] = NULL;
  }
  return badges;
}

RegardMatrix *
regard_alignment_matrix(const RegardAlignment *self, gboolean of_links)
{
  const guint rows = self->n_words[MT_STACK_DECODER], cols = self->n_words[MT_STACK_ENCODER];
  const gsize n = (gsize) rows * cols;
  g_autofree char *recipe = regard_recipe_describe(&self->recipe, 7);
  g_autofree char *title = g_strdup_printf(_("Alignment · %s"), recipe);
  g_auto(GStrv) badges = make_badges(&self->recipe, ~UINT32_C(7),
                                     self->interventions ? _("the model is changed") : NULL);
  float *values = g_new0(float, MAX(n, 1));
  if (of_links)
    for (gsize i = 0; i < self->n_links; i++)
      values[(gsize) self->links[i].target * cols + self->links[i].source] = self->links[i].weight;
  else if (n > 0)
    memcpy(values, self->values, n * sizeof *values);
  const RegardMatrixSource source = {
      .id = of_links ? "links" : "alignment",
      .title = title,
      .value_name = of_links                                   ? _("share")
                    : self->recipe.matrix == MT_RECIPE_WEIGHTS ? _("weight")
                                                               : _("norm"),
      .model_name = self->model_name,
      .badges = (const char *const *) badges,
      .rows = regard_axis_texts((const char *const *) self->words[MT_STACK_DECODER], rows,
                                _("words of the translation")),
      .cols = regard_axis_texts((const char *const *) self->words[MT_STACK_ENCODER], cols,
                                _("words of the source")),
      .values = values,
      .range = REGARD_RANGE_VALUES,
      .is_ranked = TRUE,
      .aspect = 3,
  };
  return regard_matrix_new_from(&source);
}

/* ---- Words ------------------------------------------------------------------------------------
 */

/* "street: Straße 0.62" */
static char *
describe_word(const RegardAlignment *self, mt_stack side, guint i)
{
  const gboolean is_source = side == MT_STACK_ENCODER;
  g_autoptr(GString) links = g_string_new(NULL);
  for (gsize l = 0; l < self->n_links; l++) {
    const mt_link *link = &self->links[l];
    if ((is_source ? link->source : link->target) != i)
      continue;
    g_autofree char *one = g_strdup_printf("%s %.2f",
                                           is_source ? self->words[MT_STACK_DECODER][link->target]
                                                     : self->words[MT_STACK_ENCODER][link->source],
                                           (double) link->weight);
    regard_words_add_item(links, one);
  }
  /* Translators: a word, and a list of words with numbers: "street: Straße 0.62" */
  return links->len > 0 ? g_strdup_printf(_("%s: %s"), self->words[side][i], links->str)
                        : g_strdup_printf(_("%s: no link"), self->words[side][i]);
}

double
regard_alignment_least_width(const RegardAlignment *self, double font)
{
  return font * (4 + 1.3 * MAX(self->n_words[0], self->n_words[1]));
}

/* In font sizes. */
#define HEIGHT   8.5 /* of the curves */
#define SIZE     1.2 /* of words on a level line */
#define LEAST    0.7 /* between two of them */
#define MOST     4.5
#define UPRIGHT  9.0 /* the most room for words that stand */
#define THINNEST 0.08
#define WIDEST   0.5
#define POINTS   25

/* Blue, as what is chosen is everywhere; the accent of figures marks what is pinned. */
#define LIGHT_CURVE 0xff3584e4u
#define DARK_CURVE  0xff62a0eau

typedef struct {
  RegardCanvas *canvas;
  const RegardPalette *palette;
  const RegardAlignment *alignment;
  guint32 curve;
  double font, top, bottom; /* of the curves */
  gboolean is_upright;
  double *at[MT_N_STACKS];  /* [words] middle of each */
  double room[MT_N_STACKS]; /* height of the words */
} Links;

/* ---- Where words are --------------------------------------------------------------------------
 */

static double
width_of(const Links *g, const char *word)
{
  const RegardSpan span = {word, 0xff000000, FALSE};
  return regard_canvas_text_width(g->canvas, &span, 1, SIZE * g->font);
}

/* Widths of a side on a level line; returns what they take with the least between two. */
static double
measure(const Links *g, mt_stack side, double *widths)
{
  const guint n = g->alignment->n_words[side];
  double sum = 0;
  for (guint i = 0; i < n; i++)
    sum += widths[i] = width_of(g, g->alignment->words[side][i]);
  return sum + n * LEAST * g->font;
}

/* Level: as much between two of a side everywhere; upright: as far from word to word. Both sides
 * begin and end at the same places as far as words allow. */
static void
place_level(Links *g, mt_stack side, const double *widths, double x, double width)
{
  const guint n = g->alignment->n_words[side];
  double sum = 0;
  for (guint i = 0; i < n; i++)
    sum += widths[i];
  const double between = n > 1 ? (width - sum) / (n - 1) : 0;
  for (guint i = 0; i < n; i++) {
    g->at[side][i] = n > 1 ? x + widths[i] / 2 : x + width / 2;
    x += widths[i] + between;
  }
}

static void
place(Links *g, double x, double width)
{
  const guint *n = g->alignment->n_words;
  g_autofree double *source = g_new0(double, MAX(n[MT_STACK_ENCODER], 1));
  g_autofree double *target = g_new0(double, MAX(n[MT_STACK_DECODER], 1));
  double *const widths[MT_N_STACKS] = {[MT_STACK_ENCODER] = source, [MT_STACK_DECODER] = target};
  const double wanted = MAX(measure(g, 0, widths[0]), measure(g, 1, widths[1]));
  g->is_upright = wanted > width;
  if (!g->is_upright) {
    const double most = wanted + MAX(n[0], n[1]) * (MOST - LEAST) * g->font;
    const double used = MIN(width, most);
    for (int side = 0; side < MT_N_STACKS; side++) {
      place_level(g, (mt_stack) side, widths[side], x + (width - used) / 2, used);
      g->room[side] = 1.6 * g->font;
    }
    return;
  }
  for (int side = 0; side < MT_N_STACKS; side++) {
    double longest = 0;
    for (guint i = 0; i < n[side]; i++) {
      g->at[side][i] = x + width * (i + 0.5) / n[side];
      longest = MAX(longest, widths[side][i] / SIZE);
    }
    g->room[side] = MIN(longest + 0.2 * g->font, UPRIGHT * g->font);
  }
}

/* ---- Drawing ----------------------------------------------------------------------------------
 */

static gboolean
has_link(const RegardAlignment *a, mt_stack side, guint i)
{
  for (gsize l = 0; l < a->n_links; l++)
    if ((side == MT_STACK_ENCODER ? a->links[l].source : a->links[l].target) == i)
      return TRUE;
  return FALSE;
}

static void
draw_word(const Links *g, mt_stack side, guint i)
{
  const gboolean is_source = side == MT_STACK_ENCODER;
  const char *word = g->alignment->words[side][i];
  const guint32 colour = has_link(g->alignment, side, i) ? g->palette->text : g->palette->dim;
  const double f = g->font, x = g->at[side][i], gap = 0.45 * f;
  const double y = is_source ? g->top - gap : g->bottom + gap;
  if (!g->is_upright) {
    const double width = width_of(g, word), size = SIZE * f;
    const double baseline = is_source ? y : y + 0.95 * size;
    regard_canvas_spot(g->canvas,
                       (RegardRect){x - width / 2 - 3, baseline - 0.95 * size, width + 6,
                                    1.3 * size},
                       (int) side, (int) i, -1);
    if (regard_figure_draws(g->canvas))
      regard_figure_text(g->canvas, x, baseline, word, colour, FALSE, size, REGARD_ANCHOR_MIDDLE,
                         0);
    return;
  }
  const guint n = g->alignment->n_words[side];
  const double pitch = n > 1 ? fabs(g->at[side][1] - g->at[side][0]) : 2 * f;
  const double room = g->room[side], size = MIN(f, 0.92 * pitch);
  regard_canvas_spot(g->canvas, (RegardRect){x - pitch / 2, is_source ? y - room : y, pitch, room},
                     (int) side, (int) i, -1);
  if (!regard_figure_draws(g->canvas) || size < 0.3 * f)
    return;
  g_autofree char *fits = regard_canvas_ellipsize(g->canvas, word, FALSE, size, room);
  regard_figure_text(g->canvas, x + 0.35 * size, y, fits, colour, FALSE, size,
                     is_source ? REGARD_ANCHOR_START : REGARD_ANCHOR_END, -90);
}

static guint32
with_opacity(guint32 argb, double opacity)
{
  return (argb & 0x00ffffffu) | (guint32) lround(255 * CLAMP(opacity, 0, 1)) << 24;
}

static void
draw_curve(const Links *g, const mt_link *link)
{
  const double a = g->at[MT_STACK_ENCODER][link->source], b = g->at[MT_STACK_DECODER][link->target];
  const double weight = CLAMP((double) link->weight, 0, 1), f = g->font;
  const RegardPen pen = {.width = f * (THINNEST + (WIDEST - THINNEST) * weight),
                         .argb = with_opacity(g->curve, 0.45 + 0.55 * weight)};
  RegardPoint points[POINTS];
  regard_canvas_spot(g->canvas,
                     (RegardRect){(a + b) / 2 - 0.6 * f, (g->top + g->bottom) / 2 - 0.6 * f,
                                  1.2 * f, 1.2 * f},
                     MT_N_STACKS, (int) link->target, (int) link->source);
  if (!regard_figure_draws(g->canvas))
    return;
  for (guint i = 0; i < POINTS; i++) {
    const double u = i / (POINTS - 1.0);
    points[i] =
        (RegardPoint){a + (b - a) * (3 * u * u - 2 * u * u * u), g->top + (g->bottom - g->top) * u};
  }
  regard_canvas_polyline(g->canvas, points, POINTS, &pen);
}

/* What a width means, in so much room. */
static void
draw_legend(const Links *g, double x, double baseline, double width)
{
  static const double weights[] = {0.25, 0.5, 1};
  const double f = g->font, end = x + width;
  for (guint i = 0; i < G_N_ELEMENTS(weights) && x + 4 * f < end; i++) {
    char number[32];
    const RegardPoint line[] = {{x + 0.3 * f, baseline - 0.3 * f},
                                {x + 1.8 * f, baseline - 0.3 * f}};
    const RegardPen pen = {.width = f * (THINNEST + (WIDEST - THINNEST) * weights[i]),
                           .argb = with_opacity(g->curve, 0.45 + 0.55 * weights[i])};
    regard_canvas_polyline(g->canvas, line, 2, &pen);
    g_snprintf(number, sizeof number, "%g", weights[i]);
    regard_figure_text(g->canvas, x + 2.3 * f, baseline, number, g->palette->dim, FALSE, 0.86 * f,
                       REGARD_ANCHOR_START, 0);
    x += 5.2 * f;
  }
  if (end - x > 4 * f)
    regard_figure_text_within(g->canvas, x, baseline, end - x,
                              _("share of the row of the target word"), g->palette->dim, FALSE,
                              0.86 * f, REGARD_ANCHOR_START);
}

/* The model's name at the right; returns how wide it is. */
static double
draw_model(const Links *g, double right, double baseline, double most)
{
  const char *name = g->alignment->model_name;
  const RegardSpan span = {name, 0xff000000, FALSE};
  regard_figure_text_within(g->canvas, right, baseline, most, name, g->palette->dim, FALSE,
                            0.86 * g->font, REGARD_ANCHOR_END);
  return MIN(most, regard_canvas_text_width(g->canvas, &span, 1, 0.86 * g->font));
}

static RegardMatrix *
new_matrix(RegardFigure *figure, guint i)
{
  return regard_alignment_matrix(figure->subject, i == 0);
}

static double
draw(RegardFigure *figure, RegardCanvas *canvas, double width, double font)
{
  const RegardAlignment *a = figure->subject;
  const double margin = font * REGARD_FIGURE_MARGIN, inner = width - 2 * margin;
  Links g = {.canvas = canvas,
             .palette = regard_figure_palette(&figure->style),
             .alignment = a,
             .curve = figure->style.dark ? DARK_CURVE : LIGHT_CURVE,
             .font = font,
             .at = {g_new0(double, MAX(a->n_words[0], 1)), g_new0(double, MAX(a->n_words[1], 1))}};
  const RegardMatrix *m = regard_figure_matrix(figure, 0);
  double y = margin;
  if (regard_figure_has(&figure->style, REGARD_PART_TITLE))
    y += regard_figure_header(canvas, g.palette, margin, y, inner, m->title, m->badges, font);
  place(&g, margin, inner);
  g.top = y + g.room[MT_STACK_ENCODER] + 0.6 * font;
  g.bottom = g.top + HEIGHT * font * figure->stretch;
  regard_canvas_begin_group(canvas, "words");
  for (int side = 0; side < MT_N_STACKS; side++)
    for (guint i = 0; i < a->n_words[side]; i++)
      draw_word(&g, (mt_stack) side, i);
  regard_canvas_end_group(canvas);
  regard_canvas_begin_group(canvas, "links");
  for (gsize i = 0; i < a->n_links; i++)
    draw_curve(&g, &a->links[i]);
  regard_canvas_end_group(canvas);
  y = g.bottom + g.room[MT_STACK_DECODER] + 1.6 * font;
  if (regard_figure_draws(canvas)) {
    const gboolean has_model =
        regard_figure_has(&figure->style, REGARD_PART_MODEL) && a->model_name;
    const double model = has_model ? draw_model(&g, margin + inner, y, inner / 3) + font : 0;
    draw_legend(&g, margin, y, inner - model);
  }
  g_free(g.at[0]);
  g_free(g.at[1]);
  return y + 0.4 * font + margin;
}

static void
append_what(RegardFigure *figure, GString *caption)
{
  const RegardAlignment *a = figure->subject;
  g_autofree char *recipe = regard_recipe_describe(&a->recipe, MT_RECIPE_ALL_ROWS);
  regard_words_add_sentence(caption, _("Links from “%s” to “%s” by a recipe: %s."),
                            a->texts[MT_STACK_ENCODER], a->texts[MT_STACK_DECODER], recipe);
  regard_words_add_sentence(caption, _("The width of a curve is the share that the source word has "
                                       "of the row of the target word."));
  if (a->interventions) {
    g_autofree char *line = regard_naming_joined(a->interventions);
    regard_words_add_sentence(caption, _("Changed in the model: %s."), line);
  }
}

static const mt_link *
link_at(const RegardAlignment *a, const RegardSpot *spot)
{
  for (gsize i = 0; i < a->n_links; i++)
    if ((int) a->links[i].target == spot->row && (int) a->links[i].source == spot->col)
      return &a->links[i];
  return NULL;
}

static char *
describe(RegardFigure *figure, const RegardSpot *spot)
{
  const RegardAlignment *a = figure->subject;
  if (spot->part < MT_N_STACKS)
    return describe_word(a, (mt_stack) spot->part, (guint) spot->row);
  const mt_link *link = link_at(a, spot);
  const float value =
      a->values[(gsize) spot->row * a->n_words[MT_STACK_ENCODER] + (guint) spot->col];
  return g_strdup_printf(a->recipe.matrix == MT_RECIPE_WEIGHTS
                             /* Translators: two words, and how strong their link is */
                             ? _("%s – %s: share %.3f, weight %.4g")
                             : _("%s – %s: share %.3f, norm %.4g"),
                         a->words[MT_STACK_ENCODER][spot->col],
                         a->words[MT_STACK_DECODER][spot->row], link ? (double) link->weight : 0,
                         (double) value);
}

static char *
copy(RegardFigure *figure, const RegardSpot *spot)
{
  const RegardAlignment *a = figure->subject;
  if (spot->part < MT_N_STACKS)
    return g_strdup(a->words[spot->part][spot->row]);
  const mt_link *link = link_at(a, spot);
  return regard_exact_copy(link ? link->weight : 0);
}

RegardFigure *
regard_figure_new_links(RegardAlignment *alignment, const RegardFigureStyle *style)
{
  static const RegardFigureClass klass = {
      .draw = draw,
      .n = 2,
      .new_matrix = new_matrix,
      .append_what = append_what,
      .has_no_scale = TRUE,
      .has_parts = TRUE,
      .describe_spot = describe,
      .copy_spot = copy,
  };
  return regard_figure_new(&klass, regard_alignment_ref(alignment), NULL, FALSE, style);
}

/* ---- Recipes beside each other on a gold file ------------------------------------------- */

/* Their error rates, bars of these, best first, and a map of the rate of each head. */

/* ---- Which recipes ----------------------------------------------------------------------------
 */

/* Rows of a recipe that are varied: matrix, place, row. */
static guint32
varied(void)
{
  static const char *const keys[] = {"matrix", "of", "row"};
  guint32 rows = 0;
  for (guint i = 0; i < G_N_ELEMENTS(keys); i++) {
    gsize row;
    if (mt_recipe_find_field(keys[i], &row))
      rows |= UINT32_C(1) << row;
  }
  return rows;
}

/* Is it a recipe of the grid by itself? Several heads are not, nor is a layer that is left open. */
static gboolean
is_in_grid(const mt_recipe *recipe)
{
  return recipe->n_heads == 1 || (recipe->n_heads == 0 && recipe->layer != MT_RECIPE_AUTO);
}

/* The grid, and the present recipe behind it if it is not among them. */
static mt_recipe *
make_recipes(const mt_config *config, const mt_recipe *present, gsize *n, mt_error *error)
{
  mt_recipe *grid = mt_recipe_grid(present, varied(), config->n_layers[MT_STACK_DECODER],
                                   config->n_heads[MT_STACK_DECODER], false, n, error);
  if (!grid)
    return NULL;
  const gboolean more = present->n_heads > 1;
  mt_recipe *all = g_new(mt_recipe, *n + more);
  for (gsize i = 0; i < *n; i++)
    all[i] = grid[i];
  if (more)
    all[(*n)++] = *present;
  mt_recipes_free(grid);
  return all;
}

/* ---- What came of them ------------------------------------------------------------------------
 */

static gboolean
is_present(const mt_evaluated *one, const mt_recipe *present)
{
  if (is_in_grid(present) || present->n_heads > 1)
    return mt_recipe_equal(&one->recipe, present);
  return one->recipe.matrix == present->matrix && one->recipe.row == present->row &&
         one->recipe.n_heads == 0;
}

static void
fill_ranking(RegardAlignmentScores *self, const mt_evaluation *evaluation, const mt_recipe *present)
{
  const gboolean is_open = present->n_heads == 0 && present->layer == MT_RECIPE_AUTO;
  const gsize chosen = mt_evaluation_chosen_layer(evaluation, present->row);
  self->n = (guint) evaluation->n;
  self->ranked = g_new0(RegardScored, self->n);
  for (guint i = 0; i < self->n; i++) {
    const mt_evaluated *one = &evaluation->ranked[i];
    RegardScored *scored = &self->ranked[i];
    *scored = (RegardScored){.recipe = one->recipe,
                             .is_chosen = one->is_chosen,
                             .is_present = is_present(one, present) &&
                                           (!is_open || (gsize) one->recipe.layer == chosen),
                             .aer = one->aer,
                             .low = one->low,
                             .high = one->high,
                             .precision = one->precision,
                             .recall = one->recall};
    if (one->recipe.n_heads == 1 && one->recipe.matrix == present->matrix &&
        one->recipe.row == present->row)
      self->heads[one->recipe.heads[0].layer * self->n_heads + one->recipe.heads[0].head] =
          one->aer;
  }
}

static void
clear_scores(gpointer subject)
{
  RegardAlignmentScores *self = subject;
  g_free(self->ranked);
  g_free(self->heads);
  g_free(self->gold_name);
  g_free(self->model_name);
}

static RegardAlignmentScores *
new_scores(const mt_model *model, const mt_gold *gold, const mt_evaluation *evaluation,
           const mt_recipe *present)
{
  const mt_config *config = mt_model_config(model);
  RegardAlignmentScores *self = regard_subject_alloc(sizeof *self, clear_scores);
  self->model_name = g_strdup(mt_model_name(model));
  self->gold_name = g_strdup(gold->label);
  self->n_sentences = (guint) evaluation->n_sentences;
  self->n_sure = (guint) gold->n_sure;
  self->n_possible = (guint) (gold->n_links - gold->n_sure);
  self->present = *present;
  self->n_layers = (guint) config->n_layers[MT_STACK_DECODER];
  self->n_heads = (guint) config->n_heads[MT_STACK_DECODER];
  self->heads = g_new(double, (gsize) self->n_layers * self->n_heads);
  for (guint i = 0; i < self->n_layers * self->n_heads; i++)
    self->heads[i] = NAN;
  fill_ranking(self, evaluation, present);
  return self;
}

RegardAlignmentScores *
regard_alignment_scores_new(mt_model *model, const mt_evaluation_params *params,
                            const mt_recipe *present, const mt_hooks *hooks, mt_error *error)
{
  const mt_bootstrap bootstrap = {.n_samples = REGARD_SCORES_SAMPLES, .seed = REGARD_SCORES_SEED};
  mt_evaluation_params own = *params;
  gsize n;
  g_autofree mt_recipe *recipes = make_recipes(mt_model_config(model), present, &n, error);
  if (!recipes)
    return NULL;
  own.bootstrap = &bootstrap;
  own.n_intervals = n;
  mt_evaluation *evaluation = mt_model_evaluate(model, NULL, &own, recipes, n, hooks, error);
  RegardAlignmentScores *self =
      evaluation ? new_scores(model, params->gold, evaluation, present) : NULL;
  mt_evaluation_free(evaluation);
  return self;
}

/* ---- Names, in the language of the figure ------------------------------------------------------
 */

/* In what a recipe differs from the others. */
static char *
name_of(const RegardScored *one)
{
  return regard_recipe_describe(&one->recipe, varied());
}

/* What all have, as a list. */
static char *
common_of(const RegardAlignmentScores *self)
{
  return regard_recipe_describe(&self->present, ~varied());
}

/* What all in the map of heads have beside that: "norms, input row". */
static char *
heads_name_of(const RegardAlignmentScores *self)
{
  gsize place = 0;
  mt_recipe_find_field("of", &place);
  return regard_recipe_describe(&self->present, varied() & ~(UINT32_C(1) << place));
}

/* ---- Matrices ---------------------------------------------------------------------------------
 */

static RegardMatrix *
rates_matrix(const RegardAlignmentScores *self, const char *id, const char *title, RegardAxis rows,
             RegardAxis cols, float *values)
{
  g_auto(GStrv) settings = regard_recipe_phrases(&self->present, ~varied());
  const RegardMatrixSource source = {
      .id = id,
      .title = title,
      .value_name = _("alignment error rate"),
      .model_name = self->model_name,
      .badges = (const char *const *) settings,
      .rows = rows,
      .cols = cols,
      .values = values,
      .range = REGARD_RANGE_SHARES,
      .aspect = 3,
  };
  return regard_matrix_new_from(&source);
}

static RegardMatrix *
ranking_matrix(const RegardAlignmentScores *self)
{
  static const char *const columns[] = {"aer", "low", "high", "precision", "recall"};
  const guint n_columns = G_N_ELEMENTS(columns);
  g_auto(GStrv) names = g_new0(char *, (gsize) self->n + 1);
  float *values = g_new(float, MAX(self->n, 1) * n_columns);
  for (guint i = 0; i < self->n; i++) {
    const RegardScored *one = &self->ranked[i];
    const double numbers[] = {one->aer, one->low, one->high, one->precision, one->recall};
    names[i] = name_of(one);
    for (guint c = 0; c < n_columns; c++)
      values[i * n_columns + c] = (float) numbers[c];
  }
  g_autofree char *title =
      g_strdup_printf(ngettext("Alignment error rate on %s · %u sentence",
                               "Alignment error rate on %s · %u sentences", self->n_sentences),
                      self->gold_name, self->n_sentences);
  return rates_matrix(self, "ranking", title,
                      regard_axis_texts((const char *const *) names, self->n, _("recipes")),
                      regard_axis_texts(columns, n_columns, _("rates")), values);
}

static RegardMatrix *
heads_matrix(const RegardAlignmentScores *self)
{
  const gsize n = (gsize) self->n_layers * self->n_heads;
  const guint most = MAX(self->n_layers, self->n_heads);
  g_auto(GStrv) numbers = g_new0(char *, most + 1);
  float *values = g_new(float, MAX(n, 1));
  for (guint i = 0; i < most; i++)
    numbers[i] = g_strdup_printf("%u", i + 1);
  for (gsize i = 0; i < n; i++)
    values[i] = (float) self->heads[i];
  g_autofree char *heads_name = heads_name_of(self);
  g_autofree char *title = g_strdup_printf(_("Alignment error rate of each head · %s, on %s"),
                                           heads_name, self->gold_name);
  return rates_matrix(self, "heads", title,
                      regard_axis_texts((const char *const *) numbers, self->n_layers, _("layers")),
                      regard_axis_texts((const char *const *) numbers, self->n_heads, _("heads")),
                      values);
}

RegardMatrix *
regard_alignment_scores_matrix(const RegardAlignmentScores *self, RegardScoresPart part)
{
  return part == REGARD_SCORES_RANKING ? ranking_matrix(self) : heads_matrix(self);
}

/* In font sizes. */
#define GAP     2.4  /* between the two */
#define BESIDE  56.0 /* from this width on they stand beside each other */
#define ROW     1.75
#define BAR     0.75
#define NUMBERS 8.6 /* of a bar: its rate and the interval */
#define CELL    1.9

/* Bars that are drawn; all are in files. */
#define MOST_BARS 10

#define BAR_COLOR 0xffe66100u

typedef struct {
  RegardCanvas *canvas;
  const RegardPalette *palette;
  const RegardFigureStyle *style;
  const RegardAlignmentScores *scores;
  double font;
} Parts;

static const char *
percent(char text[32], double rate)
{
  return regard_figure_number(text, 100 * rate, 1);
}

/* Bold title, and dim text behind it, at the top of a part. Returns the height. */
static double
draw_head(const Parts *g, double x, double y, double width, const char *title, const char *more)
{
  const RegardSpan span = {title, 0xff000000, TRUE};
  const double used = regard_canvas_text_width(g->canvas, &span, 1, g->font) + 0.6 * g->font;
  regard_figure_text_within(g->canvas, x, y + g->font, width, title, g->palette->text, TRUE,
                            g->font, REGARD_ANCHOR_START);
  if (width - used > 4 * g->font)
    regard_figure_text_within(g->canvas, x + used, y + g->font, width - used, more, g->palette->dim,
                              FALSE, 0.86 * g->font, REGARD_ANCHOR_START);
  return 2 * g->font;
}

/* ---- Bars -------------------------------------------------------------------------------------
 */

/* Rows that are drawn: the best, and the present one wherever it is. */
static guint
shown_rows(const RegardAlignmentScores *s, guint rows[MOST_BARS + 1])
{
  guint n = 0;
  for (guint i = 0; i < s->n; i++)
    if (i < MOST_BARS || s->ranked[i].is_present)
      rows[n++] = i;
  return n;
}

static void
draw_interval(const Parts *g, double left, double scale, double middle, const RegardScored *one)
{
  if (!isfinite(one->low))
    return;
  const double a = left + scale * one->low, b = left + scale * one->high, tick = 0.22 * g->font;
  regard_canvas_stroke_line(g->canvas, a, middle, b, middle, 0.8, g->palette->text);
  regard_canvas_stroke_line(g->canvas, a, middle - tick, a, middle + tick, 0.8, g->palette->text);
  regard_canvas_stroke_line(g->canvas, b, middle - tick, b, middle + tick, 0.8, g->palette->text);
}

static void
draw_bar(const Parts *g, RegardRect place, double names, double most, guint row)
{
  const RegardScored *one = &g->scores->ranked[row];
  const double f = g->font, left = place.x + names, room = place.width - names - NUMBERS * f;
  const double middle = place.y + place.height / 2, scale = room / most;
  char rate[32], low[32], high[32];
  regard_canvas_spot(g->canvas, place, REGARD_SCORES_RANKING, (int) row, 0);
  if (!regard_figure_draws(g->canvas))
    return;
  g_autofree char *recipe = name_of(one);
  g_autofree char *name =
      /* Translators: the place among recipes, and the recipe */
      g_strdup_printf(one->is_chosen ? _("%u  %s · highest mean norm") : "%u  %s", row + 1, recipe);
  regard_figure_text_within(g->canvas, place.x, middle + 0.33 * f, names - 0.6 * f, name,
                            g->palette->text, one->is_present, 0.92 * f, REGARD_ANCHOR_START);
  if (isfinite(one->aer))
    regard_canvas_fill_rect(g->canvas,
                            (RegardRect){left, middle - BAR * f / 2, MAX(scale * one->aer, 0.5),
                                         BAR * f},
                            0.15 * f, BAR_COLOR);
  draw_interval(g, left, scale, middle, one);
  const double at = left + room + 0.7 * f;
  regard_figure_text(g->canvas, at + 2.3 * f, middle + 0.33 * f, percent(rate, one->aer),
                     g->palette->text, one->is_present, 0.92 * f, REGARD_ANCHOR_END, 0);
  g_autofree char *interval =
      g_strdup_printf("%s … %s", percent(low, one->low), percent(high, one->high));
  if (isfinite(one->low))
    regard_figure_text(g->canvas, at + 3 * f, middle + 0.33 * f, interval, g->palette->dim, FALSE,
                       0.8 * f, REGARD_ANCHOR_START, 0);
}

/* Returns the height. */
static double
draw_bars(const Parts *g, double x, double y, double width)
{
  const RegardAlignmentScores *s = g->scores;
  guint rows[MOST_BARS + 1];
  const guint n = shown_rows(s, rows);
  const double top = y, names = 0.46 * width;
  double most = 0.01;
  g_autofree char *title = g_strdup_printf(_("AER on %s"), s->gold_name);
  g_autofree char *more = g_strdup_printf(
      ngettext("%u sentence, %u sure and %u further possible links; best of %u recipes",
               "%u sentences, %u sure and %u further possible links; best of %u recipes",
               s->n_sentences),
      s->n_sentences, s->n_sure, s->n_possible, s->n);
  y += draw_head(g, x, y, width, title, more);
  for (guint i = 0; i < n; i++) {
    const RegardScored *one = &s->ranked[rows[i]];
    most = isfinite(one->aer) ? MAX(most, isfinite(one->high) ? one->high : one->aer) : most;
  }
  for (guint i = 0; i < n; i++, y += ROW * g->font)
    draw_bar(g, (RegardRect){x, y, width, ROW * g->font}, names, most, rows[i]);
  g_autofree char *common = common_of(s);
  regard_figure_text_within(g->canvas, x, y + 1.3 * g->font, width, common, g->palette->dim, FALSE,
                            0.86 * g->font, REGARD_ANCHOR_START);
  g_autofree char *note = g_strdup_printf(_("per cent; intervals: 95 %% of %d bootstrap samples, "
                                            "seed %d; bold: the present recipe"),
                                          REGARD_SCORES_SAMPLES, REGARD_SCORES_SEED);
  regard_figure_text_within(g->canvas, x, y + 2.7 * g->font, width, note, g->palette->dim, FALSE,
                            0.86 * g->font, REGARD_ANCHOR_START);
  return y + 3 * g->font - top;
}

/* ---- Heads ------------------------------------------------------------------------------------
 */

static void
draw_cell(const Parts *g, RegardRect box, guint layer, guint head, double lo, double hi)
{
  const double aer = g->scores->heads[(gsize) layer * g->scores->n_heads + head];
  char text[32];
  regard_canvas_spot(g->canvas, box, REGARD_SCORES_HEADS, (int) layer, (int) head);
  if (!regard_figure_draws(g->canvas) || !isfinite(aer))
    return;
  /* The best stands out: the lowest rate has the far end of the map. */
  regard_figure_cell(g->canvas, g->style, box, 0.2 * g->font,
                     hi > lo ? (hi - aer) / (hi - lo) : 0.5,
                     regard_figure_number(text, 100 * aer, 0),
                     box.y + box.height / 2 + 0.3 * g->font, 0.84 * g->font, 1.7 * g->font);
}

/* Returns the height. */
static double
draw_heads(const Parts *g, double x, double y, double width)
{
  const RegardAlignmentScores *s = g->scores;
  const double top = y, left = x + 1.6 * g->font, f = g->font;
  const double column = (x + width - left) / MAX(s->n_heads, 1), gap = MIN(0.16 * f, column / 8);
  double lo = INFINITY, hi = -INFINITY;
  char number[32], low[32], high[32];
  for (gsize i = 0; i < (gsize) s->n_layers * s->n_heads; i++) {
    lo = isfinite(s->heads[i]) ? MIN(lo, s->heads[i]) : lo;
    hi = isfinite(s->heads[i]) ? MAX(hi, s->heads[i]) : hi;
  }
  g_autofree char *heads_name = heads_name_of(s);
  g_autofree char *more = g_strdup_printf(_("%s; layers × heads, %s … %s"), heads_name,
                                          regard_figure_number(low, 100 * lo, 0),
                                          regard_figure_number(high, 100 * hi, 0));
  y += draw_head(g, x, y, width, _("AER of each head"), more);
  for (guint h = 0; regard_figure_draws(g->canvas) && h < s->n_heads; h++) {
    g_snprintf(number, sizeof number, "%u", h + 1);
    regard_figure_text_within(g->canvas, left + (h + 0.5) * column, y + 0.8 * f, column, number,
                              g->palette->dim, FALSE, 0.84 * f, REGARD_ANCHOR_MIDDLE);
  }
  y += 1.3 * f;
  for (guint l = 0; l < s->n_layers; l++, y += CELL * f) {
    g_snprintf(number, sizeof number, "%u", l + 1);
    regard_figure_text_within(g->canvas, left - 0.5 * f, y + CELL * f * 0.62, 1.6 * f, number,
                              g->palette->dim, FALSE, 0.84 * f, REGARD_ANCHOR_END);
    for (guint h = 0; h < s->n_heads; h++)
      draw_cell(g, (RegardRect){left + h * column, y, column - gap, CELL * f - gap}, l, h, lo, hi);
  }
  return y - top;
}

/* ---- The figure -------------------------------------------------------------------------------
 */

static RegardMatrix *
new_matrix_scores(RegardFigure *figure, guint i)
{
  return regard_alignment_scores_matrix(figure->subject, (RegardScoresPart) i);
}

static double
draw_scores(RegardFigure *figure, RegardCanvas *canvas, double width, double font)
{
  const RegardAlignmentScores *s = figure->subject;
  const Parts g = {canvas, regard_figure_palette(&figure->style), &figure->style, s, font};
  const double margin = font * REGARD_FIGURE_MARGIN, inner = width - 2 * margin;
  const RegardMatrix *m = regard_figure_matrix(figure, 0);
  double y = margin, height;
  if (regard_figure_has(&figure->style, REGARD_PART_TITLE))
    y += regard_figure_header(canvas, g.palette, margin, y, inner, m->title, NULL, font) +
         0.4 * font;
  if (inner >= BESIDE * font) {
    const double half = (inner - GAP * font) / 2;
    height = draw_bars(&g, margin, y, half);
    height = MAX(height, draw_heads(&g, margin + half + GAP * font, y, half));
  } else {
    height = draw_bars(&g, margin, y, inner) + 1.2 * font;
    height += draw_heads(&g, margin, y + height, inner);
  }
  y += height;
  y += regard_figure_model(canvas, g.palette, &figure->style, s->model_name, margin + inner, y,
                           1.2 * font, 0.86 * font);
  return y + 0.4 * font + margin;
}

static void
append_what_scores(RegardFigure *figure, GString *caption)
{
  const RegardAlignmentScores *s = figure->subject;
  g_autofree char *common = common_of(s), *heads_name = heads_name_of(s);
  regard_words_add_sentence(
      caption,
      ngettext("Alignment error rate (Och & Ney 2003), in per cent, of recipes on %s: %u "
               "sentence, %u sure and %u further possible links.",
               "Alignment error rate (Och & Ney 2003), in per cent, of recipes on %s: %u "
               "sentences, %u sure and %u further possible links.",
               s->n_sentences),
      s->gold_name, s->n_sentences, s->n_sure, s->n_possible);
  /* Translators: settings that all recipes have */
  regard_words_add_sentence(caption, _("All: %s."), common);
  regard_words_add_sentence(caption,
                            _("Intervals hold 95 %% of %d bootstrap samples of the sentences."),
                            REGARD_SCORES_SAMPLES);
  regard_words_add_sentence(caption, _("Right: the rate of each head (%s)."), heads_name);
}

static char *
describe_scores(RegardFigure *figure, const RegardSpot *spot)
{
  const RegardAlignmentScores *s = figure->subject;
  char rate[32], low[32], high[32], precision[32], recall[32];
  g_autofree char *heads_name = heads_name_of(s);
  if (spot->part == REGARD_SCORES_HEADS)
    return g_strdup_printf(_("head %d.%d, %s: AER %s %%"), spot->row + 1, spot->col + 1, heads_name,
                           percent(rate,
                                   s->heads[(gsize) spot->row * s->n_heads + (guint) spot->col]));
  const RegardScored *one = &s->ranked[spot->row];
  g_autofree char *name = name_of(one);
  return g_strdup_printf(one->is_present
                             /* Translators: the place, the number of recipes, the recipe, which in
                              * the first is that of the settings, and its rate with an interval */
                             ? _("%d of %u, %s, present: AER %s %% (%s … %s), precision %s, recall "
                                 "%s")
                             : _("%d of %u, %s: AER %s %% (%s … %s), precision %s, recall %s"),
                         spot->row + 1, s->n, name, percent(rate, one->aer), percent(low, one->low),
                         percent(high, one->high), percent(precision, one->precision),
                         percent(recall, one->recall));
}

static char *
copy_scores(RegardFigure *figure, const RegardSpot *spot)
{
  const RegardAlignmentScores *s = figure->subject;
  const double rate = spot->part == REGARD_SCORES_HEADS
                          ? s->heads[(gsize) spot->row * s->n_heads + (guint) spot->col]
                          : s->ranked[spot->row].aer;
  return regard_exact_copy(rate);
}

RegardFigure *
regard_figure_new_scores(RegardAlignmentScores *scores, const RegardFigureStyle *style)
{
  static const RegardFigureClass klass = {
      .draw = draw_scores,
      .n = 2,
      .new_matrix = new_matrix_scores,
      .append_what = append_what_scores,
      .has_parts = TRUE,
      .describe_spot = describe_scores,
      .copy_spot = copy_scores,
  };
  return regard_figure_new(&klass, regard_alignment_scores_ref(scores), NULL, FALSE, style);
}
