/* regard-complexity.c — the complexity card: what the layers of a model cost for one sentence, as
 * tables and as a plot over the length of the sentence.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-complexity.h"

#include "figures/regard-figure-private.h"
#include "figures/regard-language.h"
#include "figures/regard-words.h"

#include <math.h>
#include <string.h>

#define LONGEST 1e4 /* of the plot, unless the sentence is longer */

/* Lines of the table of parts: those of mt_cost, then what is no product, then the whole pass. */
enum { REGARD_COMPLEXITY_OTHER = MT_N_COSTS, REGARD_COMPLEXITY_PASS, REGARD_COMPLEXITY_N_LINES };

/* Columns of table 1. */
enum {
  REGARD_COMPLEXITY_OPERATIONS,
  REGARD_COMPLEXITY_SEQUENTIAL,
  REGARD_COMPLEXITY_PATH,
  REGARD_COMPLEXITY_N_COLUMNS,
};

/* Columns of the table of parts, and whether the last two have anything. */
enum {
  REGARD_COMPLEXITY_MULTIPLY_ADDS,
  REGARD_COMPLEXITY_SHARE,
  REGARD_COMPLEXITY_TIME,
  REGARD_COMPLEXITY_SPEED,
  REGARD_COMPLEXITY_N_PART_COLUMNS,
};
static inline gboolean
is_timed(const RegardComplexity *c)
{
  return c->times.n_passes > 0;
}
/* The parts of spots: of the tables rows and columns are those of the table; of the plot the row is
 * a type of layer. */
enum { REGARD_COMPLEXITY_TYPES, REGARD_COMPLEXITY_PLOT, REGARD_COMPLEXITY_PARTS };
/* Columns of the plot. */
enum { REGARD_COMPLEXITY_AT_SENTENCE, REGARD_COMPLEXITY_AT_CROSSING };

static gsize
inner_of(const mt_config *config, mt_stack stack)
{
  return config->d_head[stack] ? config->d_head[stack] * config->n_heads[stack] : config->d_model;
}

RegardComplexity
regard_complexity_count(const mt_config *config, gsize n_source, gsize n_target, gsize kernel,
                        gsize restricted)
{
  const mt_costs steps = mt_costs_count(config, n_source, n_target, MT_DECODING_STEPS);
  return (RegardComplexity){
      .n_source = n_source,
      .n_target = n_target,
      .d_model = config->d_model,
      .d_ffn = {config->d_ffn[0], config->d_ffn[1]},
      .n_layers = {config->n_layers[0], config->n_layers[1]},
      .vocab_size = config->vocab_size[MT_STACK_DECODER],
      .inner = {inner_of(config, MT_STACK_ENCODER), inner_of(config, MT_STACK_DECODER)},
      .is_pre_norm = config->normalize_before,
      .is_rms = config->norm_kind == MT_NORM_RMS,
      .is_gated = config->feed_forward_kind == MT_FEED_FORWARD_GATED,
      .sizes = {.n = n_source, .d = config->d_model, .k = kernel, .r = restricted},
      .costs = mt_costs_count(config, n_source, n_target, MT_DECODING_PARALLEL),
      .unmasked = mt_costs_unmasked(config, n_source, n_target),
      .step_scores = steps.of[MT_COST_DECODER_SCORES],
  };
}

/* ---- Words ------------------------------------------------------------------------------------
 */

/* All of these are English in files, and said and drawn as _() has them. */
static const char *const type_names[] = {N_("Self-attention"), N_("Recurrent"), N_("Convolutional"),
                                         N_("Self-attention, restricted")};
static const char *const column_names[] = {N_("operations per layer"), N_("sequential operations"),
                                           N_("longest path")};
static const char *const type_formulas[MT_N_LAYER_TYPES][REGARD_COMPLEXITY_N_COLUMNS] = {
    [MT_LAYER_SELF_ATTENTION] = {"n² · d", "1", "1"},
    [MT_LAYER_RECURRENT] = {"n · d²", "n", "n"},
    [MT_LAYER_CONVOLUTIONAL] = {"k · n · d²", "1", "log n / log k"},
    [MT_LAYER_RESTRICTED] = {"r · n · d", "1", "n / r"},
};
static const char *const line_names[] = {
    [MT_COST_ENCODER_PROJECTIONS] = N_("Encoder: projections"),
    [MT_COST_ENCODER_SCORES] = N_("Encoder: scores"),
    [MT_COST_ENCODER_FEED_FORWARD] = N_("Encoder: feed-forward"),
    [MT_COST_DECODER_PROJECTIONS] = N_("Decoder: projections"),
    [MT_COST_DECODER_SCORES] = N_("Decoder: scores"),
    [MT_COST_DECODER_FEED_FORWARD] = N_("Decoder: feed-forward"),
    [MT_COST_OUTPUT] = N_("Output matrix"),
    [REGARD_COMPLEXITY_OTHER] = N_("Everything else"),
    [REGARD_COMPLEXITY_PASS] = N_("Whole pass"),
};
/* E and D: layers of encoder and decoder; f and g: the inner widths of their networks; i and j: the
 * columns of their heads together, where that is not d. */
static const char *const line_formulas[] = {
    [MT_COST_ENCODER_PROJECTIONS] = "4 · E · n · d²",
    [MT_COST_ENCODER_SCORES] = "2 · E · n² · d",
    [MT_COST_ENCODER_FEED_FORWARD] = "2 · E · n · d · f",
    [MT_COST_DECODER_PROJECTIONS] = "(6 m + 2 n) · D · d²",
    [MT_COST_DECODER_SCORES] = "2 · D · (m² + m · n) · d",
    [MT_COST_DECODER_FEED_FORWARD] = "2 · D · m · d · g",
    [MT_COST_OUTPUT] = "m · d · V",
    [REGARD_COMPLEXITY_OTHER] = "",
    /* Translators: in place of a formula: this is the sum of the others */
    [REGARD_COMPLEXITY_PASS] = N_("sum"),
};

/* Whether heads have a width of their own, so that all together are not as wide as the stream. */
static gboolean
has_own_width(const RegardComplexity *c)
{
  return c->inner[MT_STACK_ENCODER] != c->d_model || c->inner[MT_STACK_DECODER] != c->d_model;
}

static const char *
line_formula(const RegardComplexity *c, guint line)
{
  static const char *const wide[] = {
      [MT_COST_ENCODER_PROJECTIONS] = "4 · E · n · d · i",
      [MT_COST_ENCODER_SCORES] = "2 · E · n² · i",
      [MT_COST_DECODER_PROJECTIONS] = "(6 m + 2 n) · D · d · j",
      [MT_COST_DECODER_SCORES] = "2 · D · (m² + m · n) · j",
  };
  if (c->is_gated && line == MT_COST_ENCODER_FEED_FORWARD)
    return "3 · E · n · d · f";
  if (c->is_gated && line == MT_COST_DECODER_FEED_FORWARD)
    return "3 · D · m · d · g";
  if (line == REGARD_COMPLEXITY_PASS)
    return _(line_formulas[line]);
  return has_own_width(c) && line < G_N_ELEMENTS(wide) && wide[line] ? wide[line]
                                                                     : line_formulas[line];
}

/* "1,234,567"; "2.33" where it is not whole. Caller frees. */
static char *
number_text(double value)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  if (value == floor(value) && value < 1e19)
    return regard_dup_count((guint64) value);
  return g_strdup(regard_formatd(digits, sizeof digits, value < 1e4 ? "%.2f" : "%.3g", value));
}

static void
append_size(GString *text, const char *name, guint64 value)
{
  g_autofree char *number = regard_dup_count(value);
  g_string_append_printf(text, "%s%s = %s", text->len ? ", " : "", name, number);
}

/* "n = 13, d = 512, k = 3, r = 13 of 16". Caller frees. */
static char *
sizes_text(const RegardComplexity *c)
{
  const mt_layer_sizes *s = &c->sizes;
  GString *text = g_string_new(NULL);
  append_size(text, "n", s->n);
  append_size(text, "d", s->d);
  append_size(text, "k", s->k);
  append_size(text, "r", MIN(s->r, s->n));
  if (s->r <= s->n)
    return g_string_free(text, FALSE);
  g_autoptr(GString) sizes = text;
  g_autofree char *asked = regard_dup_count(s->r);
  /* Translators: sizes, the last of which is r: "n = 13, …, r = 13", and what r was asked to be */
  return g_strdup_printf(_("%s (%s is more than the sentence)"), sizes->str, asked);
}

static char *
model_sizes_text(const RegardComplexity *c)
{
  GString *text = g_string_new(NULL);
  append_size(text, "n", c->n_source);
  append_size(text, "m", c->n_target);
  append_size(text, "d", c->d_model);
  if (has_own_width(c)) {
    append_size(text, "i", c->inner[MT_STACK_ENCODER]);
    append_size(text, "j", c->inner[MT_STACK_DECODER]);
  }
  append_size(text, "E", c->n_layers[MT_STACK_ENCODER]);
  append_size(text, "D", c->n_layers[MT_STACK_DECODER]);
  append_size(text, "f", c->d_ffn[MT_STACK_ENCODER]);
  append_size(text, "g", c->d_ffn[MT_STACK_DECODER]);
  append_size(text, "V", c->vocab_size);
  return g_string_free(text, FALSE);
}

/* What was timed: "one parallel pass over 13 + 15 tokens …, median of 9, 4 threads". Caller frees.
 */
static char *
timing_text(const RegardComplexity *c)
{
  const mt_cost_times *t = &c->times;
  if (!is_timed(c))
    return g_strdup_printf(_("one parallel pass over %zu + %zu tokens, not timed"), c->n_source,
                           c->n_target);
  return g_strdup_printf(
      /* Translators: tokens of both languages, passes, threads */
      ngettext("one parallel pass over %zu + %zu tokens, median of %zu, %u thread",
               "one parallel pass over %zu + %zu tokens, median of %zu, %u threads", t->n_threads),
      t->n_source, t->n_target, t->n_passes, t->n_threads);
}

/* ---- Numbers ----------------------------------------------------------------------------------
 */

static double
column_of(mt_layer_complexity row, guint column)
{
  return column == REGARD_COMPLEXITY_OPERATIONS   ? row.operations
         : column == REGARD_COMPLEXITY_SEQUENTIAL ? row.sequential
                                                  : row.path;
}

/* The numbers of table 1. */
static double
cell_value(const RegardComplexity *c, mt_layer_type type, guint column)
{
  return column_of(mt_complexity(type, &c->sizes), column);
}

/* Multiply-adds of a line, 0 for what is no product; its milliseconds. */
static guint64
multiply_adds_of(const RegardComplexity *c, guint line)
{
  return line < MT_N_COSTS                ? c->costs.of[line]
         : line == REGARD_COMPLEXITY_PASS ? mt_costs_sum(&c->costs)
                                          : 0;
}

static double
milliseconds_of(const RegardComplexity *c, guint line)
{
  return !is_timed(c)                     ? NAN
         : line < MT_N_COSTS              ? c->times.of[line]
         : line == REGARD_COMPLEXITY_PASS ? c->times.pass
                                          : c->times.other;
}

/* Thousand millions of multiply-adds in a second; NAN where there are none, or no time. */
static double
speed_of(const RegardComplexity *c, guint line)
{
  const double ms = milliseconds_of(c, line);
  const double n = (double) multiply_adds_of(c, line);
  return n > 0 && ms > 0 ? n / ms / 1e6 : NAN;
}

/* Shares of the whole pass: of its multiply-adds, and of its time. */
static double
share_of(const RegardComplexity *c, guint line)
{
  return (double) multiply_adds_of(c, line) / (double) multiply_adds_of(c, REGARD_COMPLEXITY_PASS);
}

static double
time_share_of(const RegardComplexity *c, guint line)
{
  return milliseconds_of(c, line) / c->times.pass;
}

/* A number of that table as it is drawn; NULL: there is none. Caller frees. */
static char *
part_text(const RegardComplexity *c, guint line, guint column)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  const double ms = milliseconds_of(c, line);
  const double speed = speed_of(c, line);
  /* As many decimals in all lines, so that they can be compared. */
  const double pass = c->times.pass;
  const char *format = pass < 1 ? "%.4f" : pass < 10 ? "%.3f" : pass < 1000 ? "%.2f" : "%.1f";
  switch (column) {
  case REGARD_COMPLEXITY_MULTIPLY_ADDS:
    return line == REGARD_COMPLEXITY_OTHER ? NULL : regard_dup_count(multiply_adds_of(c, line));
  case REGARD_COMPLEXITY_TIME:
    return isnan(ms) ? NULL : g_strdup(regard_formatd(text, sizeof text, format, ms));
  case REGARD_COMPLEXITY_SPEED:
    return isnan(speed) ? NULL : g_strdup(regard_formatd(text, sizeof text, "%.1f", speed));
  default:
    return NULL;
  }
}

/* The length up to which the plot goes: 10,000, or the next power of ten above the sentence's. */
static double
longest_length(const RegardComplexity *c)
{
  double longest = LONGEST;
  while (longest < (double) c->n_source)
    longest *= 10;
  return longest;
}

/* ---- Matrices ---------------------------------------------------------------------------------
 */

/* Whole numbers as they are: values of a matrix have seven digits. */
static void
tell(const RegardMatrix *m, gboolean of_grid, RegardFacts *facts)
{
  const RegardComplexity *c = m->origin;
  facts->text(facts, "model", m->model_name);
  facts->number(facts, "source_tokens", c->n_source);
  facts->number(facts, "target_tokens", c->n_target);
  facts->number(facts, "d_model", c->d_model);
  facts->number(facts, "kernel", c->sizes.k);
  facts->number(facts, "restricted", MIN(c->sizes.r, c->sizes.n));
  for (int i = 0; i < MT_N_COSTS; i++) {
    g_autofree char *name = g_strconcat("multiply_adds_", mt_cost_name((mt_cost) i), NULL);
    facts->number(facts, name, c->costs.of[i]);
  }
  facts->number(facts, "multiply_adds", mt_costs_sum(&c->costs));
  facts->number(facts, "multiply_adds_scores_unmasked", c->unmasked);
  facts->number(facts, "multiply_adds_decoder_scores_in_steps", c->step_scores);
  facts->number(facts, "timed_passes", c->times.n_passes);
  if (is_timed(c))
    facts->number(facts, "threads", c->times.n_threads);
}

static void
append_subject(const RegardMatrix *m, GString *caption)
{
  const RegardComplexity *c = m->origin;
  g_autofree char *sizes = sizes_text(c), *timing = timing_text(c);
  regard_words_add_sentence(caption, _("Table 1 of the paper: %s."), sizes);
  regard_words_add_sentence(caption, _("Multiply-adds and time: %s."), timing);
}

static const RegardOriginClass origin_class = {.append_subject = append_subject,
                                               .tell = tell,
                                               .free = g_free};

/* What all three have in common. */
static RegardMatrixSource
source_of(const RegardComplexity *c, const char *model_name)
{
  return (RegardMatrixSource){
      .model_name = model_name,
      .range = REGARD_RANGE_VALUES,
      .origin_class = &origin_class,
      .origin = g_memdup2(c, sizeof *c),
  };
}

static RegardMatrix *
types_matrix(const RegardComplexity *c, const char *model_name, const char *const *badges)
{
  RegardMatrixSource source = source_of(c, model_name);
  g_autofree char *title =
      g_strdup_printf(_("Complexity · %zu source and %zu target tokens"), c->n_source, c->n_target);
  source.id = "layer_types";
  source.title = title;
  source.value_name = "number";
  source.badges = badges;
  source.rows = regard_axis_texts(type_names, MT_N_LAYER_TYPES, _("layer type"));
  source.cols = regard_axis_texts(column_names, REGARD_COMPLEXITY_N_COLUMNS, _("complexity"));
  source.values = g_new(float, MT_N_LAYER_TYPES *REGARD_COMPLEXITY_N_COLUMNS);
  for (guint t = 0; t < MT_N_LAYER_TYPES; t++)
    for (guint i = 0; i < REGARD_COMPLEXITY_N_COLUMNS; i++)
      source.values[t * REGARD_COMPLEXITY_N_COLUMNS + i] =
          (float) cell_value(c, (mt_layer_type) t, i);
  return regard_matrix_new_from(&source);
}

static RegardMatrix *
over_n_matrix(const RegardComplexity *c, const char *model_name)
{
  static const gsize steps[] = {1, 2, 5};
  RegardMatrixSource source = source_of(c, model_name);
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GArray) lengths = g_array_new(FALSE, FALSE, sizeof(gsize));
  const double longest = longest_length(c);
  gboolean has_own = FALSE;
  for (gsize decade = 1; (double) decade <= longest; decade *= 10)
    for (guint i = 0; i < G_N_ELEMENTS(steps) && (double) (decade * steps[i]) <= longest; i++) {
      gsize n = decade * steps[i];
      if (!has_own && n >= c->n_source) {
        has_own = TRUE;
        if (n > c->n_source)
          g_array_append_val(lengths, c->n_source);
      }
      g_array_append_val(lengths, n);
    }
  source.values = g_new(float, lengths->len *MT_N_LAYER_TYPES);
  for (guint r = 0; r < lengths->len; r++) {
    mt_layer_sizes sizes = c->sizes;
    sizes.n = g_array_index(lengths, gsize, r);
    g_ptr_array_add(names, g_strdup_printf("%zu", sizes.n));
    for (guint t = 0; t < MT_N_LAYER_TYPES; t++)
      source.values[r * MT_N_LAYER_TYPES + t] =
          (float) mt_complexity((mt_layer_type) t, &sizes).operations;
  }
  source.id = "over_n";
  source.title = "Operations per layer over the length n";
  source.value_name = "operations";
  source.rows = regard_axis_texts((const char *const *) names->pdata, names->len, "n");
  source.cols = regard_axis_texts(type_names, MT_N_LAYER_TYPES, "layer type");
  return regard_matrix_new_from(&source);
}

static RegardMatrix *
parts_matrix(const RegardComplexity *c, const char *model_name)
{
  static const char *const columns[] = {"million multiply-adds", "share of multiply-adds",
                                        "milliseconds", "thousand million multiply-adds a second"};
  enum { N = G_N_ELEMENTS(columns) };
  RegardMatrixSource source = source_of(c, model_name);
  source.id = "parts";
  source.title = "Parts of a pass";
  source.value_name = "number";
  source.rows = regard_axis_texts(line_names, REGARD_COMPLEXITY_N_LINES, "part");
  source.cols = regard_axis_texts(columns, N, "cost");
  source.values = g_new(float, REGARD_COMPLEXITY_N_LINES *N);
  for (guint i = 0; i < REGARD_COMPLEXITY_N_LINES; i++) {
    const gboolean counts = i != REGARD_COMPLEXITY_OTHER;
    float *row = source.values + i * N;
    row[0] = counts ? (float) ((double) multiply_adds_of(c, i) / 1e6) : NAN;
    row[1] = counts ? (float) share_of(c, i) : NAN;
    row[2] = (float) milliseconds_of(c, i);
    row[3] = (float) speed_of(c, i);
  }
  return regard_matrix_new_from(&source);
}

/* ---- The plot -------------------------------------------------------------------------------- */

#define NAME_PITCH 1.25 /* between two names at the ends, font sizes */
#define DOT        1.9  /* radius of a mark, points */

typedef struct {
  RegardCanvas *canvas;
  const RegardPalette *palette;
  const RegardFigureStyle *style;
  const RegardComplexity *c;
  RegardRect plot;
  double font;
  double longest;     /* n at the right; 1 at the left */
  double bottom, top; /* powers of ten at the lower and the upper edge */
  const char *short_names[MT_N_LAYER_TYPES];
} Plot;

/* How the line of a type is drawn, in the plot and beside its name. */
static RegardPen
pen_of(const RegardFigureStyle *style, mt_layer_type type)
{
  static const RegardPen light[MT_N_LAYER_TYPES] = {
      [MT_LAYER_SELF_ATTENTION] = {1.6, 0, 0, 0xff1c71d8},
      [MT_LAYER_RECURRENT] = {1.3, 6, 3, 0xffc64600},
      [MT_LAYER_CONVOLUTIONAL] = {1.3, 1.2, 2.4, 0xff1f7a4d},
      [MT_LAYER_RESTRICTED] = {1.3, 3, 2, 0xff813d9c},
  };
  static const guint32 dark[MT_N_LAYER_TYPES] = {0xff78aeed, 0xffffa34d, 0xff6fd39a, 0xffd59be8};
  RegardPen pen = light[type];
  if (style->dark)
    pen.argb = dark[type];
  return pen;
}

static double
operations(const Plot *p, mt_layer_type type, double n)
{
  mt_layer_sizes sizes = p->c->sizes;
  sizes.n = (gsize) n;
  return mt_complexity(type, &sizes).operations;
}

static double
x_of(const Plot *p, double n)
{
  return p->plot.x + p->plot.width * log10(n) / log10(p->longest);
}

static double
y_of(const Plot *p, double value)
{
  return p->plot.y + p->plot.height * (p->top - log10(value)) / (p->top - p->bottom);
}

/* "10⁶". Caller frees. */
static char *
power_of_ten(int exponent)
{
  static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  if (exponent >= 10)
    return g_strconcat("10", digits[exponent / 10 % 10], digits[exponent % 10], NULL);
  return g_strconcat("10", digits[exponent], NULL);
}

static void
find_range(Plot *p)
{
  double least = INFINITY, most = 1;
  for (int t = 0; t < MT_N_LAYER_TYPES; t++) {
    least = MIN(least, operations(p, (mt_layer_type) t, 1));
    most = MAX(most, operations(p, (mt_layer_type) t, p->longest));
  }
  p->bottom = floor(log10(least));
  p->top = MAX(ceil(log10(most)), p->bottom + 1);
}

static void
draw_axes(const Plot *p)
{
  const double size = p->font * 0.9, below = p->plot.y + p->plot.height;
  const double decade = p->plot.height / (p->top - p->bottom);
  const int step = (int) ceil(size * 1.6 / MAX(decade, 1e-3));
  for (int e = (int) p->bottom; e <= (int) p->top; e++) {
    const double y = y_of(p, pow(10, e));
    regard_canvas_stroke_line(p->canvas, p->plot.x, y, p->plot.x + p->plot.width, y, 0.4,
                              p->palette->grid);
    if ((e - (int) p->bottom) % step != 0)
      continue;
    g_autofree char *text = power_of_ten(e);
    regard_figure_text(p->canvas, p->plot.x - size * 0.5, y + size * 0.35, text, p->palette->text,
                       FALSE, size, REGARD_ANCHOR_END, 0);
  }
  g_autofree char *longest = number_text(p->longest);
  const RegardSpan widest = {longest, p->palette->text, FALSE};
  const double room = x_of(p, 10) - x_of(p, 1);
  const int every = (int) ceil(
      (regard_canvas_text_width(p->canvas, &widest, 1, size) + size * 0.5) / MAX(room, 1e-3));
  int decade_of_n = 0;
  for (double n = 1; n <= p->longest; n *= 10, decade_of_n++) {
    g_autofree char *text = number_text(n);
    const double x = x_of(p, n);
    regard_canvas_stroke_line(p->canvas, x, p->plot.y, x, below, 0.4, p->palette->grid);
    if (decade_of_n % every != 0)
      continue;
    regard_figure_text(p->canvas, x, below + size * 1.3, text, p->palette->text, FALSE, size,
                       REGARD_ANCHOR_MIDDLE, 0);
  }
  regard_canvas_stroke_rect(p->canvas, p->plot, 0.5, p->palette->frame);
  regard_figure_text(p->canvas, p->plot.x + p->plot.width / 2, below + size * 2.7,
                     _("n, positions in the sequence"), p->palette->text, FALSE, size,
                     REGARD_ANCHOR_MIDDLE, 0);
}

/* Straight, but for the neighbourhood: no longer than the sequence, it bends at n = r. */
static void
draw_line(const Plot *p, mt_layer_type type)
{
  const RegardPen pen = pen_of(p->style, type);
  const double bend = (double) p->c->sizes.r;
  const double at[] = {1, type == MT_LAYER_RESTRICTED ? CLAMP(bend, 1, p->longest) : 1, p->longest};
  RegardPoint points[G_N_ELEMENTS(at)];
  for (guint i = 0; i < G_N_ELEMENTS(at); i++)
    points[i] = (RegardPoint){x_of(p, at[i]), y_of(p, operations(p, type, at[i]))};
  const guint first = points[0].x == points[1].x ? 1 : 0;
  regard_canvas_polyline(p->canvas, points + first, G_N_ELEMENTS(points) - first, &pen);
}

/* Names at the ends of the lines, in the order of the ends, moved apart where they would touch. */
static void
draw_names(const Plot *p)
{
  const double size = p->font * 0.9, pitch = size * NAME_PITCH, x = p->plot.x + p->plot.width;
  int order[MT_N_LAYER_TYPES];
  double ends[MT_N_LAYER_TYPES], at[MT_N_LAYER_TYPES];
  for (int t = 0; t < MT_N_LAYER_TYPES; t++) {
    ends[t] = y_of(p, operations(p, (mt_layer_type) t, p->longest));
    int i = t;
    for (; i > 0 && ends[order[i - 1]] > ends[t]; i--)
      order[i] = order[i - 1];
    order[i] = t;
  }
  double above = -INFINITY;
  for (int i = 0; i < MT_N_LAYER_TYPES; i++)
    above = at[i] = MAX(ends[order[i]], above + pitch);
  /* Pushed beyond the lower edge: up again. */
  double limit = p->plot.y + p->plot.height - size * 0.3;
  for (int i = MT_N_LAYER_TYPES - 1; i >= 0; i--) {
    at[i] = MIN(at[i], limit);
    limit = at[i] - pitch;
  }
  for (int i = 0; i < MT_N_LAYER_TYPES; i++) {
    const mt_layer_type type = (mt_layer_type) order[i];
    const guint32 argb = pen_of(p->style, type).argb;
    regard_canvas_stroke_line(p->canvas, x, ends[type], x + size * 0.7, at[i], 0.6, argb);
    regard_figure_text(p->canvas, x + size, at[i] + size * 0.35, p->short_names[type],
                       p->palette->text, FALSE, size, REGARD_ANCHOR_START, 0);
  }
}

static void
mark(const Plot *p, double x, double y, guint32 argb, int row, int col)
{
  const double reach = MAX(p->font * 0.5, 3);
  regard_canvas_fill_rect(p->canvas,
                          (RegardRect){x - DOT - 0.8, y - DOT - 0.8, 2 * DOT + 1.6, 2 * DOT + 1.6},
                          DOT + 0.8, p->palette->background);
  regard_canvas_fill_rect(p->canvas, (RegardRect){x - DOT, y - DOT, 2 * DOT, 2 * DOT}, DOT, argb);
  regard_canvas_spot(p->canvas, (RegardRect){x - reach, y - reach, 2 * reach, 2 * reach},
                     REGARD_COMPLEXITY_PLOT, row, col);
}

/* A vertical line at n that says what is there, to its left or its right as is wanted, where that
 * has no room on the other side, and where neither has, across it. */
static void
draw_upright(const Plot *p, double n, const char *text, guint32 argb, double dash, double baseline,
             gboolean is_left)
{
  const double size = p->font * 0.9, gap = size * 0.5, x = x_of(p, n);
  const RegardSpan span = {text, p->palette->text, FALSE};
  const double width = regard_canvas_text_width(p->canvas, &span, 1, size);
  const double first = p->plot.x + gap, last = p->plot.x + p->plot.width - gap - width;
  const double left = x - gap - width, right = x + gap;
  const RegardPoint ends[] = {{x, p->plot.y}, {x, p->plot.y + p->plot.height}};
  const RegardPen pen = {0.9, dash, dash, argb};
  double at = is_left ? left : right;
  if (at < first || at > last)
    at = is_left ? right : left;
  regard_canvas_polyline(p->canvas, ends, 2, &pen);
  regard_canvas_text(p->canvas, MAX(MIN(at, last), first), baseline, &span, 1, size,
                     REGARD_ANCHOR_START, 0);
}

/* Where self-attention begins to cost more than recurrence: n² d = n d² at n = d. What it says
 * stands away from the sentence. */
static void
draw_crossing(const Plot *p, gboolean draws)
{
  const double d = (double) p->c->sizes.d;
  if (d > p->longest)
    return;
  g_autofree char *number = number_text(d);
  g_autofree char *text = g_strdup_printf("n = d = %s", number);
  if (draws)
    draw_upright(p, d, text, p->palette->frame, 1.5, p->plot.y + p->plot.height - p->font * 0.7,
                 p->c->n_source > p->c->sizes.d);
  mark(p, x_of(p, d), y_of(p, operations(p, MT_LAYER_RECURRENT, d)), p->palette->text, -1,
       REGARD_COMPLEXITY_AT_CROSSING);
}

static void
draw_sentence(const Plot *p, gboolean draws)
{
  const double n = (double) p->c->n_source;
  g_autofree char *number = number_text(n);
  g_autofree char *text = g_strdup_printf(_("this sentence, n = %s"), number);
  if (draws)
    draw_upright(p, n, text, p->palette->accent, 0, p->plot.y + p->font * 1.2,
                 p->c->n_source <= p->c->sizes.d);
  for (int t = 0; t < MT_N_LAYER_TYPES; t++)
    mark(p, x_of(p, n), y_of(p, operations(p, (mt_layer_type) t, n)),
         pen_of(p->style, (mt_layer_type) t).argb, t, REGARD_COMPLEXITY_AT_SENTENCE);
}

/* Draws over rect, labels and all. */
static void
draw_plot(RegardCanvas *canvas, const RegardPalette *palette, const RegardFigureStyle *style,
          const RegardComplexity *c, RegardRect rect, double font)
{
  Plot p = {.canvas = canvas,
            .palette = palette,
            .style = style,
            .c = c,
            .font = font,
            .longest = longest_length(c),
            /* Translators: kinds of layers, at the ends of their lines */
            .short_names = {_("self-attention"), _("recurrent"), _("convolutional"),
                            _("restricted")}};
  const double size = font * 0.9, left = size * 2.8;
  double right = 0;
  for (int t = 0; t < MT_N_LAYER_TYPES; t++) {
    RegardSpan span = {p.short_names[t], palette->text, FALSE};
    right = MAX(right, regard_canvas_text_width(canvas, &span, 1, size));
  }
  right += size * 1.2;
  p.plot = (RegardRect){rect.x + left, rect.y, MAX(rect.width - left - right, font),
                        MAX(rect.height - size * 3.1, font)};
  find_range(&p);
  const gboolean draws = regard_figure_draws(canvas);
  if (draws) {
    regard_canvas_begin_group(canvas, "axes");
    draw_axes(&p);
    regard_canvas_end_group(canvas);
    regard_canvas_begin_group(canvas, "lines");
    for (int t = MT_N_LAYER_TYPES - 1; t >= 0; t--)
      draw_line(&p, (mt_layer_type) t);
    draw_names(&p);
    regard_canvas_end_group(canvas);
  }
  regard_canvas_begin_group(canvas, "marks");
  draw_crossing(&p, draws);
  draw_sentence(&p, draws);
  regard_canvas_end_group(canvas);
}

/* ---- The tables ------------------------------------------------------------------------------ */

#define PITCH         1.75 /* of lines of a table, font sizes */
#define STACKED_PITCH 2.9
#define STACK_BELOW   0.85 /* formulas go below their numbers rather than to shrink more */
#define SAMPLE        2.6  /* of a line, and the gap behind it */
#define GAP           1.9  /* before a heading */
#define COLUMN_GAP    1.6  /* before a column of a table */
#define PLOT_HEIGHT   0.34 /* of the width */

typedef struct {
  RegardSubject subject;
  RegardComplexity numbers;
  RegardMatrix *matrices[3];
} Complexity;

typedef struct {
  RegardCanvas *canvas;
  const RegardPalette *palette;
  const RegardFigureStyle *style;
  const RegardComplexity *c;
  double x, width, font;
} Card;

static double
text_width(const Card *card, const char *text, gboolean bold, double size)
{
  RegardSpan span = {text, 0xff000000, bold};
  return regard_canvas_text_width(card->canvas, &span, 1, size);
}

static void
text_at(const Card *card, double x, double baseline, const char *text, guint32 argb, double size,
        RegardAnchor anchor)
{
  regard_figure_text(card->canvas, x, baseline, text, argb, FALSE, size, anchor, 0);
}

/* Words one after the other, as many on a line as have room. Returns the height. */
static double
draw_words(const Card *card, double y, const char *text, guint32 argb, double size)
{
  const double line = size * 1.45;
  g_auto(GStrv) words = g_strsplit(text, " ", -1);
  g_autoptr(GString) shown = g_string_new(NULL);
  double baseline = y + size;
  for (char **word = words; *word; word++) {
    g_autofree char *longer = g_strconcat(shown->str, shown->len ? " " : "", *word, NULL);
    if (shown->len > 0 && text_width(card, longer, FALSE, size) > card->width) {
      text_at(card, card->x, baseline, shown->str, argb, size, REGARD_ANCHOR_START);
      baseline += line;
      g_string_assign(shown, *word);
    } else {
      g_string_assign(shown, longer);
    }
  }
  text_at(card, card->x, baseline, shown->str, argb, size, REGARD_ANCHOR_START);
  return baseline - y + size * 0.45;
}

/* What follows, and the sizes that its formulas speak of, beside it or below. */
static double
draw_heading(const Card *card, double y, const char *name, const char *says)
{
  /* "n = 15" stays on one line. */
  g_auto(GStrv) parts = g_strsplit(says, " = ", -1);
  g_autofree char *sizes = g_strjoinv("\u00a0=\u00a0", parts);
  const double at = card->x + text_width(card, name, TRUE, card->font) + card->font;
  const double size = card->font * 0.9, baseline = y + card->font;
  regard_figure_text(card->canvas, card->x, baseline, name, card->palette->text, TRUE, card->font,
                     REGARD_ANCHOR_START, 0);
  if (at + text_width(card, sizes, FALSE, size) <= card->x + card->width) {
    text_at(card, at, baseline, sizes, card->palette->dim, size, REGARD_ANCHOR_START);
    return card->font * 1.5;
  }
  return card->font * 1.5 + draw_words(card, y + card->font * 1.4, sizes, card->palette->dim, size);
}

static void
draw_rule(const Card *card, double y)
{
  regard_canvas_stroke_line(card->canvas, card->x, y, card->x + card->width, y, 0.4,
                            card->palette->grid);
}

/* ---- Table 1 ----------------------------------------------------------------------------------
 */

/* Where columns begin and end, as shares of the width; the first is the name's. Then the same with
 * formulas below their numbers. */
static const double type_edges[2][4] = {{0.27, 0.57, 0.77, 1}, {0.45, 0.65, 0.83, 1}};

typedef struct {
  double x, width; /* of a column, without the gap before it */
} Column;

/* How the rows of a table are drawn: as wide as they are, or formulas below their numbers, and
 * smaller, where there is little room. */
typedef struct {
  gboolean is_stacked;
  double size, pitch;
} Rows;

static Column
column_between(const Card *card, const double *edges, guint i)
{
  const double gap = MIN(card->font * COLUMN_GAP, card->width * 0.03);
  return (Column){card->x + card->width * edges[i] + gap,
                  card->width * (edges[i + 1] - edges[i]) - gap};
}

/* What a formula and a number take in a row. */
static double
cell_width(const Card *card, const char *formula, const char *number, gboolean bold,
           gboolean is_stacked)
{
  const double first = text_width(card, formula, FALSE, card->font * 0.9);
  const double second = text_width(card, number, bold, card->font);
  return is_stacked ? MAX(first, second) : first + second + card->font * 0.8;
}

/* scale: how much smaller than usual text must be to fit side by side, and stacked. */
static Rows
rows_of(const Card *card, const double scale[2])
{
  const gboolean is_stacked = scale[0] < STACK_BELOW;
  return (Rows){is_stacked, card->font * CLAMP(scale[is_stacked], 0.3, 1),
                card->font * (is_stacked ? STACKED_PITCH : PITCH)};
}

static Rows
fit_types(const Card *card)
{
  double scale[2] = {1, 1};
  for (guint t = 0; t < MT_N_LAYER_TYPES; t++)
    for (int stacked = 0; stacked < 2; stacked++) {
      const double name = text_width(card, _(type_names[t]), FALSE, card->font);
      scale[stacked] =
          MIN(scale[stacked], (card->width * type_edges[stacked][0] - card->font * SAMPLE) / name);
      for (guint i = 0; i < REGARD_COMPLEXITY_N_COLUMNS; i++) {
        g_autofree char *number = number_text(cell_value(card->c, (mt_layer_type) t, i));
        const double need = cell_width(card, type_formulas[t][i], number, FALSE, stacked);
        scale[stacked] =
            MIN(scale[stacked], column_between(card, type_edges[stacked], i).width / need);
      }
    }
  return rows_of(card, scale);
}

/* A formula in grey, and its number at the end of the column; only the number if they are the same.
 */
static void
draw_cell(const Card *card, const Rows *rows, Column column, double baseline, const char *formula,
          const char *number, gboolean bold)
{
  const double end = column.x + column.width;
  regard_figure_text(card->canvas, end, baseline, number, card->palette->text, bold, rows->size,
                     REGARD_ANCHOR_END, 0);
  if (g_str_equal(formula, number))
    return;
  if (rows->is_stacked)
    text_at(card, end, baseline + card->font * 1.1, formula, card->palette->dim, rows->size * 0.9,
            REGARD_ANCHOR_END);
  else
    text_at(card, column.x, baseline, formula, card->palette->dim, rows->size * 0.9,
            REGARD_ANCHOR_START);
}

static double
draw_types(const Card *card, double y)
{
  static const char *const short_columns[] = {N_("operations"), N_("sequential"), N_("path")};
  const Rows rows = fit_types(card);
  const double head = PITCH * card->font - card->font * 0.3;
  for (guint i = 0; i < REGARD_COMPLEXITY_N_COLUMNS; i++) {
    const Column column = column_between(card, type_edges[rows.is_stacked ? 1 : 0], i);
    text_at(card, column.x + column.width, y + card->font,
            _(rows.is_stacked ? short_columns[i] : column_names[i]), card->palette->dim,
            rows.size * 0.9, REGARD_ANCHOR_END);
  }
  for (guint t = 0; t < MT_N_LAYER_TYPES; t++) {
    const double top = y + head + rows.pitch * t, baseline = top + card->font * 1.2;
    const double middle = baseline - card->font * 0.35;
    const RegardPen pen = pen_of(card->style, (mt_layer_type) t);
    const RegardPoint sample[] = {{card->x, middle},
                                  {card->x + card->font * (SAMPLE - 0.6), middle}};
    draw_rule(card, top);
    regard_canvas_polyline(card->canvas, sample, 2, &pen);
    text_at(card, card->x + card->font * SAMPLE, baseline, _(type_names[t]), card->palette->text,
            rows.size, REGARD_ANCHOR_START);
    for (guint i = 0; i < REGARD_COMPLEXITY_N_COLUMNS; i++) {
      const Column column = column_between(card, type_edges[rows.is_stacked ? 1 : 0], i);
      g_autofree char *number = number_text(cell_value(card->c, (mt_layer_type) t, i));
      draw_cell(card, &rows, column, baseline, type_formulas[t][i], number, FALSE);
      regard_canvas_spot(card->canvas, (RegardRect){column.x, top, column.width, rows.pitch},
                         REGARD_COMPLEXITY_TYPES, (int) t, (int) i);
    }
  }
  return head + rows.pitch * MT_N_LAYER_TYPES;
}

/* ---- Parts ------------------------------------------------------------------------------------
 */

/* Name, formula and number, share, milliseconds, speed. */
static const double part_edges[2][5] = {{0.22, 0.57, 0.79, 0.88, 1}, {0.32, 0.60, 0.74, 0.87, 1}};

static const char *const part_titles[] = {N_("multiply-adds"), NULL, N_("ms"), N_("10⁹ per s")};

static Rows
fit_parts(const Card *card)
{
  double scale[2] = {1, 1};
  for (guint l = 0; l < REGARD_COMPLEXITY_N_LINES; l++)
    for (int stacked = 0; stacked < 2; stacked++) {
      const gboolean bold = l == REGARD_COMPLEXITY_PASS;
      const double name = text_width(card, _(line_names[l]), bold, card->font);
      scale[stacked] = MIN(scale[stacked], card->width * part_edges[stacked][0] / name);
      for (guint i = 0; i < G_N_ELEMENTS(part_titles); i++) {
        g_autofree char *number = part_text(card->c, l, i);
        const char *formula =
            i == REGARD_COMPLEXITY_MULTIPLY_ADDS ? line_formula(card->c, l) : NULL;
        if (!number)
          continue;
        const double need = formula ? cell_width(card, formula, number, bold, stacked)
                                    : text_width(card, number, bold, card->font);
        scale[stacked] =
            MIN(scale[stacked], column_between(card, part_edges[stacked], i).width / need);
      }
    }
  return rows_of(card, scale);
}

static guint32
bar_colour(const Card *card, gboolean of_time)
{
  return of_time ? card->palette->bar : card->palette->badge_text;
}

/* Above, the share of all multiply-adds, below, that of the time. */
static void
draw_bars(const Card *card, guint line, RegardRect area)
{
  const gboolean two = is_timed(card->c);
  const double shares[] = {share_of(card->c, line), two ? time_share_of(card->c, line) : 0};
  const double height = area.height / (two ? 2 : 1);
  regard_canvas_fill_rect(card->canvas, area, 0, card->palette->bar_background);
  for (guint i = 0; i < (two ? 2 : 1); i++)
    if (shares[i] > 0)
      regard_canvas_fill_rect(card->canvas,
                              (RegardRect){area.x, area.y + i * height,
                                           area.width * MIN(shares[i], 1), height},
                              0, bar_colour(card, i == 1));
}

static void
draw_part(const Card *card, const Rows *rows, guint line, double top)
{
  const gboolean is_sum = line == REGARD_COMPLEXITY_PASS;
  const double baseline = top + card->font * 1.2;
  regard_figure_text(card->canvas, card->x, baseline, _(line_names[line]), card->palette->text,
                     is_sum, rows->size, REGARD_ANCHOR_START, 0);
  for (guint i = 0; i < G_N_ELEMENTS(part_titles); i++) {
    const Column column = column_between(card, part_edges[rows->is_stacked ? 1 : 0], i);
    const RegardRect cell = {column.x, top, column.width, rows->pitch};
    g_autofree char *number = part_text(card->c, line, i);
    if (i == REGARD_COMPLEXITY_SHARE && !is_sum)
      draw_bars(card, line,
                (RegardRect){cell.x, top + card->font * 0.38, cell.width, card->font * 0.98});
    else if (!number)
      continue;
    else
      draw_cell(card, rows, column, baseline,
                i == REGARD_COMPLEXITY_MULTIPLY_ADDS ? line_formula(card->c, line) : "", number,
                is_sum);
    regard_canvas_spot(card->canvas, cell, REGARD_COMPLEXITY_PARTS, (int) line, (int) i);
  }
}

/* What the bars are, each in its colour where that has room. */
static void
draw_bar_title(const Card *card, Column column, double baseline, double size)
{
  const char *const names[] = {_("multiply-adds"), _("time")};
  const guint n = is_timed(card->c) ? G_N_ELEMENTS(names) : 1;
  const double box = size * 0.7, behind = size * 0.4, gap = size;
  double need = -gap, x = column.x;
  for (guint i = 0; i < n; i++)
    need += box + behind + text_width(card, names[i], FALSE, size) + gap;
  if (need > column.width) {
    text_at(card, x, baseline, _("share"), card->palette->dim, size, REGARD_ANCHOR_START);
    return;
  }
  for (guint i = 0; i < n; i++) {
    regard_canvas_fill_rect(card->canvas, (RegardRect){x, baseline - box, box, box}, 0,
                            bar_colour(card, i == 1));
    text_at(card, x + box + behind, baseline, names[i], card->palette->dim, size,
            REGARD_ANCHOR_START);
    x += box + behind + text_width(card, names[i], FALSE, size) + gap;
  }
}

static double
draw_parts(const Card *card, double y)
{
  const Rows rows = fit_parts(card);
  const double head = PITCH * card->font - card->font * 0.3;
  for (guint i = 0; i < G_N_ELEMENTS(part_titles); i++) {
    const Column column = column_between(card, part_edges[rows.is_stacked ? 1 : 0], i);
    const gboolean is_time = i == REGARD_COMPLEXITY_TIME || i == REGARD_COMPLEXITY_SPEED;
    if (i == REGARD_COMPLEXITY_SHARE)
      draw_bar_title(card, column, y + card->font, rows.size * 0.9);
    else if (!is_time || is_timed(card->c))
      text_at(card, column.x + column.width, y + card->font, _(part_titles[i]), card->palette->dim,
              rows.size * 0.9, REGARD_ANCHOR_END);
  }
  for (guint l = 0; l < REGARD_COMPLEXITY_N_LINES; l++) {
    draw_rule(card, y + head + rows.pitch * l);
    draw_part(card, &rows, l, y + head + rows.pitch * l);
  }
  return head + rows.pitch * REGARD_COMPLEXITY_N_LINES + card->font * 0.3;
}

/* What was timed, and what belongs to which part. */
static double
draw_what(const Card *card, double y)
{
  const RegardComplexity *c = card->c;
  g_autofree char *timing = timing_text(c);
  g_autoptr(GString) text = g_string_new(NULL);
  g_autofree char *pass =
      /* Translators: "one parallel pass over …", which begins the sentence and gets a capital */
      g_strdup_printf(is_timed(c) ? _("%s: the encoder, the decoder with the whole translation at "
                                      "once, the output matrix. Bars are shares of the whole pass: "
                                      "above of its multiply-adds, below of its time")
                                  : _("%s: the encoder, the decoder with the whole translation at "
                                      "once, the output matrix. Bars are shares of the whole pass"),
                      timing);
  regard_words_take_sentence(text, regard_words_as_sentence(pass));
  if (is_timed(c)) {
    regard_words_add_sentence(text, _("Every time is a median of its own."));
    regard_words_add_sentence(
        text, "%s",
        !c->is_pre_norm
            ? _("Scores are timed with their softmax; everything else is embedding, layer norms, "
                "residuals and the softmax over the vocabulary.")
        : c->is_rms
            ? _("Scores are timed with their softmax, projections and feed-forward with their RMS "
                "norm; everything else is embedding, last RMS norms, residuals and the softmax "
                "over the vocabulary.")
            : _("Scores are timed with their softmax, projections and feed-forward with their "
                "layer norm; everything else is embedding, last layer norms, residuals and the "
                "softmax over the vocabulary."));
  }
  return draw_words(card, y, text->str, card->palette->dim, card->font * 0.9);
}

/* What else scores could cost. */
static double
draw_scores(const Card *card, double y)
{
  const RegardComplexity *c = card->c;
  const guint64 scores = c->costs.of[MT_COST_ENCODER_SCORES] + c->costs.of[MT_COST_DECODER_SCORES];
  g_autofree char *all = regard_dup_count(scores);
  g_autofree char *seen = regard_dup_count(c->unmasked);
  g_autofree char *own = regard_dup_count(c->costs.of[MT_COST_DECODER_SCORES]);
  g_autofree char *steps = regard_dup_count(c->step_scores);
  g_autofree char *text = g_strdup_printf(
      _("Of the %s multiply-adds of scores %s are of pairs that no mask forbids. Token by token, "
        "with keys and values kept, the decoder's scores take %s instead of %s, and all else the "
        "same."),
      all, seen, steps, own);
  return draw_words(card, y, text, card->palette->dim, card->font * 0.9);
}

/* ---- The card ----------------------------------------------------------------------------------
 */

static double
draw(RegardFigure *figure, RegardCanvas *canvas, double width, double font)
{
  const Complexity *self = figure->subject;
  const RegardComplexity *c = &self->numbers;
  const RegardMatrix *m = self->matrices[0];
  const double margin = REGARD_FIGURE_MARGIN * font;
  const Card card = {canvas,
                     regard_figure_palette(&figure->style),
                     &figure->style,
                     c,
                     margin,
                     MAX(width - 2 * margin, font),
                     font};
  g_autofree char *sizes = sizes_text(c);
  g_autofree char *model_sizes = model_sizes_text(c);
  double y = margin;
  y += regard_figure_header(canvas, card.palette, card.x, y, card.width,
                            regard_figure_title(&figure->style, m->title), m->badges, font);
  y += font * 0.4;

  regard_canvas_begin_group(canvas, "table-1");
  y += draw_heading(&card, y, _("What a layer costs (the paper, table 1)"), sizes);
  y += draw_types(&card, y);
  regard_canvas_end_group(canvas);

  y += font * GAP;
  y += draw_heading(&card, y, _("Operations per layer over the length"), "");
  y += font * 0.6;
  const RegardRect plot = {card.x, y, card.width, width * PLOT_HEIGHT * figure->stretch};
  draw_plot(canvas, card.palette, card.style, c, plot, font);
  y += MAX(plot.height, font * 3.8);

  y += font * GAP;
  regard_canvas_begin_group(canvas, "parts");
  y += draw_heading(&card, y, _("What this model costs, part by part"), model_sizes);
  y += draw_parts(&card, y);
  y += draw_words(&card, y,
                  _("n, m: tokens of source and translation. d: width of the model. E, D: layers "
                    "of encoder and decoder. f, g: width of their feed-forward networks. V: "
                    "vocabulary."),
                  card.palette->dim, font * 0.9);
  y += draw_what(&card, y + font * 0.4) + font * 0.4;
  y += draw_scores(&card, y + font * 0.4) + font * 0.4;
  regard_canvas_end_group(canvas);
  if (m->model_name && *m->model_name && regard_figure_has(&figure->style, REGARD_PART_MODEL)) {
    y += font * 1.3;
    text_at(&card, card.x + card.width, y, m->model_name, card.palette->dim, font * 0.9,
            REGARD_ANCHOR_END);
  }
  return y + margin;
}

/* ---- The figure ------------------------------------------------------------------------------ */

static RegardMatrix *
new_matrix(RegardFigure *figure, guint i)
{
  return regard_matrix_ref(((const Complexity *) figure->subject)->matrices[i]);
}

static char *
describe_type(const RegardComplexity *c, const RegardSpot *spot)
{
  const char *formula = type_formulas[spot->row][spot->col];
  g_autofree char *number =
      number_text(cell_value(c, (mt_layer_type) spot->row, (guint) spot->col));
  g_autofree char *sizes = sizes_text(c);
  /* Translators: a kind of layer, what of it, its formula, its number, and the sizes: "Recurrent,
   * longest path: n = 13 with n = 13, d = 512, …" */
  return g_strdup_printf(_("%s, %s: %s = %s with %s"), _(type_names[spot->row]),
                         _(column_names[spot->col]), formula, number, sizes);
}

static char *
describe_part(const RegardComplexity *c, const RegardSpot *spot)
{
  const guint line = (guint) spot->row;
  const char *name = _(line_names[line]), *formula = line_formula(c, line);
  g_autofree char *number = part_text(c, line, (guint) spot->col);
  char share[G_ASCII_DTOSTR_BUF_SIZE], time[G_ASCII_DTOSTR_BUF_SIZE];
  regard_formatd(share, sizeof share, "%.1f", 100 * share_of(c, line));
  switch (spot->col) {
  case REGARD_COMPLEXITY_MULTIPLY_ADDS:
    return g_strdup_printf(_("%s: %s multiply-adds, %s"), name, number, formula);
  case REGARD_COMPLEXITY_TIME: {
    g_autofree char *timing = timing_text(c);
    return g_strdup_printf(_("%s: %s ms; %s"), name, number, timing);
  }
  case REGARD_COMPLEXITY_SPEED:
    return g_strdup_printf(_("%s: %s thousand million multiply-adds a second"), name, number);
  default:
    if (!is_timed(c))
      return g_strdup_printf(_("%s: %s %% of all multiply-adds"), name, share);
    regard_formatd(time, sizeof time, "%.1f", 100 * time_share_of(c, line));
    return g_strdup_printf(_("%s: %s %% of all multiply-adds, %s %% of the time"), name, share,
                           time);
  }
}

static double
crossing(const RegardComplexity *c)
{
  return (double) c->sizes.d * (double) c->sizes.d * (double) c->sizes.d;
}

static char *
describe_spot(RegardFigure *figure, const RegardSpot *spot)
{
  const RegardComplexity *c = &((const Complexity *) figure->subject)->numbers;
  if (spot->part == REGARD_COMPLEXITY_TYPES)
    return describe_type(c, spot);
  if (spot->part == REGARD_COMPLEXITY_PARTS)
    return describe_part(c, spot);
  if (spot->col == REGARD_COMPLEXITY_AT_SENTENCE)
    return describe_type(c, &(RegardSpot){.row = spot->row, .col = REGARD_COMPLEXITY_OPERATIONS});
  g_autofree char *length = regard_dup_count(c->sizes.d);
  g_autofree char *cost = number_text(crossing(c));
  return g_strdup_printf(_("n = d = %s: self-attention and a recurrent layer take the same number "
                           "of operations, %s; self-attention fewer in shorter sentences"),
                         length, cost);
}

/* A plain number that other programs read. */
static char *
copy_spot(RegardFigure *figure, const RegardSpot *spot)
{
  const RegardComplexity *c = &((const Complexity *) figure->subject)->numbers;
  const guint line = (guint) spot->row;
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  double value;
  if (spot->part == REGARD_COMPLEXITY_PARTS && spot->col == REGARD_COMPLEXITY_MULTIPLY_ADDS)
    return g_strdup_printf("%" G_GUINT64_FORMAT, multiply_adds_of(c, line));
  if (spot->part == REGARD_COMPLEXITY_PARTS)
    value = spot->col == REGARD_COMPLEXITY_SHARE  ? share_of(c, line)
            : spot->col == REGARD_COMPLEXITY_TIME ? milliseconds_of(c, line)
                                                  : speed_of(c, line);
  else if (spot->part == REGARD_COMPLEXITY_TYPES)
    value = cell_value(c, (mt_layer_type) spot->row, (guint) spot->col);
  else if (spot->col == REGARD_COMPLEXITY_AT_SENTENCE)
    value = cell_value(c, (mt_layer_type) spot->row, REGARD_COMPLEXITY_OPERATIONS);
  else
    value = crossing(c);
  return g_strdup(g_ascii_dtostr(text, sizeof text, value));
}

static void
clear(gpointer subject)
{
  Complexity *self = subject;
  for (guint i = 0; i < G_N_ELEMENTS(self->matrices); i++)
    regard_matrix_unref(self->matrices[i]);
}

RegardFigure *
regard_figure_new_complexity(const RegardComplexity *complexity, const char *model_name,
                             const char *const *badges, const RegardFigureStyle *style)
{
  static const RegardFigureClass klass = {
      .draw = draw,
      .n = 3,
      .new_matrix = new_matrix,
      .has_no_scale = TRUE,
      .has_parts = TRUE,
      .describe_spot = describe_spot,
      .copy_spot = copy_spot,
  };
  g_return_val_if_fail(complexity->sizes.n > 0 && complexity->sizes.k > 1 &&
                           complexity->sizes.r > 0,
                       NULL);
  Complexity *self = regard_subject_alloc(sizeof *self, clear);
  self->numbers = *complexity;
  self->matrices[0] = types_matrix(complexity, model_name, badges);
  self->matrices[1] = over_n_matrix(complexity, model_name);
  self->matrices[2] = parts_matrix(complexity, model_name);
  return regard_figure_new(&klass, self, NULL, FALSE, style);
}
