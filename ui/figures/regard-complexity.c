/* regard-complexity.c — the numbers of the complexity card, and how they are named and written.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-complexity-private.h"
#include <math.h>
#include <string.h>

#define LONGEST 1e4 /* of the plot, unless the sentence is longer */

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
      .is_pre_norm = config->normalize_before,
      .sizes = {.n = n_source, .d = config->d_model, .k = kernel, .r = restricted},
      .costs = mt_costs_count(config, n_source, n_target, MT_DECODING_PARALLEL),
      .unmasked = mt_costs_unmasked(config, n_source, n_target),
      .step_scores = steps.of[MT_COST_DECODER_SCORES],
  };
}

/* ---- Words ------------------------------------------------------------------------------------
 */

const char *const regard_complexity_types[] = {"Self-attention", "Recurrent", "Convolutional",
                                               "Self-attention, restricted"};
const char *const regard_complexity_columns[] = {"operations per layer", "sequential operations",
                                                 "longest path"};
const char *const regard_complexity_formulas[MT_N_LAYER_TYPES][REGARD_COMPLEXITY_N_COLUMNS] = {
    [MT_LAYER_SELF_ATTENTION] = {"n² · d", "1", "1"},
    [MT_LAYER_RECURRENT] = {"n · d²", "n", "n"},
    [MT_LAYER_CONVOLUTIONAL] = {"k · n · d²", "1", "log n / log k"},
    [MT_LAYER_RESTRICTED] = {"r · n · d", "1", "n / r"},
};
const char *const regard_complexity_lines[] = {
    [MT_COST_ENCODER_PROJECTIONS] = "Encoder: projections",
    [MT_COST_ENCODER_SCORES] = "Encoder: scores",
    [MT_COST_ENCODER_FEED_FORWARD] = "Encoder: feed-forward",
    [MT_COST_DECODER_PROJECTIONS] = "Decoder: projections",
    [MT_COST_DECODER_SCORES] = "Decoder: scores",
    [MT_COST_DECODER_FEED_FORWARD] = "Decoder: feed-forward",
    [MT_COST_OUTPUT] = "Output matrix",
    [REGARD_COMPLEXITY_OTHER] = "Everything else",
    [REGARD_COMPLEXITY_PASS] = "Whole pass",
};
/* E and D: layers of encoder and decoder; f and g: the inner widths of their networks. */
const char *const regard_complexity_line_formulas[] = {
    [MT_COST_ENCODER_PROJECTIONS] = "4 · E · n · d²",
    [MT_COST_ENCODER_SCORES] = "2 · E · n² · d",
    [MT_COST_ENCODER_FEED_FORWARD] = "2 · E · n · d · f",
    [MT_COST_DECODER_PROJECTIONS] = "(6 m + 2 n) · D · d²",
    [MT_COST_DECODER_SCORES] = "2 · D · (m² + m · n) · d",
    [MT_COST_DECODER_FEED_FORWARD] = "2 · D · m · d · g",
    [MT_COST_OUTPUT] = "m · d · V",
    [REGARD_COMPLEXITY_OTHER] = "",
    [REGARD_COMPLEXITY_PASS] = "sum",
};

char *
regard_complexity_whole(guint64 value)
{
  g_autofree char *digits = g_strdup_printf("%" G_GUINT64_FORMAT, value);
  const gsize n = strlen(digits);
  GString *text = g_string_new(NULL);
  for (gsize i = 0; i < n; i++) {
    if (i > 0 && (n - i) % 3 == 0)
      g_string_append_c(text, ',');
    g_string_append_c(text, digits[i]);
  }
  return g_string_free(text, FALSE);
}

char *
regard_complexity_number(double value)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  if (value == floor(value) && value < 1e19)
    return regard_complexity_whole((guint64) value);
  return g_strdup(g_ascii_formatd(digits, sizeof digits, value < 1e4 ? "%.2f" : "%.3g", value));
}

static void
append_size(GString *text, const char *name, guint64 value)
{
  g_autofree char *number = regard_complexity_whole(value);
  g_string_append_printf(text, "%s%s = %s", text->len ? ", " : "", name, number);
}

char *
regard_complexity_sizes(const RegardComplexity *c)
{
  const mt_layer_sizes *s = &c->sizes;
  GString *text = g_string_new(NULL);
  append_size(text, "n", s->n);
  append_size(text, "d", s->d);
  append_size(text, "k", s->k);
  append_size(text, "r", MIN(s->r, s->n));
  if (s->r > s->n) {
    g_autofree char *asked = regard_complexity_whole(s->r);
    g_string_append_printf(text, " (%s is more than the sentence)", asked);
  }
  return g_string_free(text, FALSE);
}

char *
regard_complexity_model_sizes(const RegardComplexity *c)
{
  GString *text = g_string_new(NULL);
  append_size(text, "n", c->n_source);
  append_size(text, "m", c->n_target);
  append_size(text, "d", c->d_model);
  append_size(text, "E", c->n_layers[MT_STACK_ENCODER]);
  append_size(text, "D", c->n_layers[MT_STACK_DECODER]);
  append_size(text, "f", c->d_ffn[MT_STACK_ENCODER]);
  append_size(text, "g", c->d_ffn[MT_STACK_DECODER]);
  append_size(text, "V", c->vocab_size);
  return g_string_free(text, FALSE);
}

char *
regard_complexity_timing(const RegardComplexity *c)
{
  const mt_cost_times *t = &c->times;
  if (!regard_complexity_is_timed(c))
    return g_strdup_printf("one parallel pass over %zu + %zu tokens, not timed", c->n_source,
                           c->n_target);
  return g_strdup_printf("one parallel pass over %zu + %zu tokens, median of %zu, %u %s",
                         t->n_source, t->n_target, t->n_passes, t->n_threads,
                         t->n_threads == 1 ? "thread" : "threads");
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

double
regard_complexity_cell(const RegardComplexity *c, mt_layer_type type, guint column)
{
  return column_of(mt_complexity(type, &c->sizes), column);
}

guint64
regard_complexity_multiply_adds(const RegardComplexity *c, guint line)
{
  return line < MT_N_COSTS                ? c->costs.of[line]
         : line == REGARD_COMPLEXITY_PASS ? mt_costs_sum(&c->costs)
                                          : 0;
}

double
regard_complexity_milliseconds(const RegardComplexity *c, guint line)
{
  return !regard_complexity_is_timed(c)   ? NAN
         : line < MT_N_COSTS              ? c->times.of[line]
         : line == REGARD_COMPLEXITY_PASS ? c->times.pass
                                          : c->times.other;
}

double
regard_complexity_speed(const RegardComplexity *c, guint line)
{
  const double ms = regard_complexity_milliseconds(c, line);
  const double n = (double) regard_complexity_multiply_adds(c, line);
  return n > 0 && ms > 0 ? n / ms / 1e6 : NAN;
}

double
regard_complexity_share(const RegardComplexity *c, guint line)
{
  return (double) regard_complexity_multiply_adds(c, line) /
         (double) regard_complexity_multiply_adds(c, REGARD_COMPLEXITY_PASS);
}

double
regard_complexity_time_share(const RegardComplexity *c, guint line)
{
  return regard_complexity_milliseconds(c, line) / c->times.pass;
}

char *
regard_complexity_part(const RegardComplexity *c, guint line, guint column)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  const double ms = regard_complexity_milliseconds(c, line);
  const double speed = regard_complexity_speed(c, line);
  /* As many decimals in all lines, so that they can be compared. */
  const double pass = c->times.pass;
  const char *format = pass < 1 ? "%.4f" : pass < 10 ? "%.3f" : pass < 1000 ? "%.2f" : "%.1f";
  switch (column) {
  case REGARD_COMPLEXITY_MULTIPLY_ADDS:
    return line == REGARD_COMPLEXITY_OTHER
               ? NULL
               : regard_complexity_whole(regard_complexity_multiply_adds(c, line));
  case REGARD_COMPLEXITY_TIME:
    return isnan(ms) ? NULL : g_strdup(g_ascii_formatd(text, sizeof text, format, ms));
  case REGARD_COMPLEXITY_SPEED:
    return isnan(speed) ? NULL : g_strdup(g_ascii_formatd(text, sizeof text, "%.1f", speed));
  default:
    return NULL;
  }
}

double
regard_complexity_longest(const RegardComplexity *c)
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
  if (regard_complexity_is_timed(c))
    facts->number(facts, "threads", c->times.n_threads);
}

static void
append_subject(const RegardMatrix *m, GString *caption)
{
  const RegardComplexity *c = m->origin;
  g_autofree char *sizes = regard_complexity_sizes(c), *timing = regard_complexity_timing(c);
  g_string_append_printf(caption, " Table 1 of the paper: %s. Multiply-adds and time: %s.", sizes,
                         timing);
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

RegardMatrix *
regard_complexity_matrix_types(const RegardComplexity *c, const char *model_name,
                               const char *const *badges)
{
  RegardMatrixSource source = source_of(c, model_name);
  g_autofree char *title =
      g_strdup_printf("Complexity · %zu source and %zu target tokens", c->n_source, c->n_target);
  source.id = "layer_types";
  source.title = title;
  source.value_name = "number";
  source.badges = badges;
  source.rows = regard_axis_texts(regard_complexity_types, MT_N_LAYER_TYPES, "layer type");
  source.cols =
      regard_axis_texts(regard_complexity_columns, REGARD_COMPLEXITY_N_COLUMNS, "complexity");
  source.values = g_new(float, MT_N_LAYER_TYPES *REGARD_COMPLEXITY_N_COLUMNS);
  for (guint t = 0; t < MT_N_LAYER_TYPES; t++)
    for (guint i = 0; i < REGARD_COMPLEXITY_N_COLUMNS; i++)
      source.values[t * REGARD_COMPLEXITY_N_COLUMNS + i] =
          (float) regard_complexity_cell(c, (mt_layer_type) t, i);
  return regard_matrix_new_from(&source);
}

RegardMatrix *
regard_complexity_matrix_over_n(const RegardComplexity *c, const char *model_name)
{
  static const gsize steps[] = {1, 2, 5};
  RegardMatrixSource source = source_of(c, model_name);
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GArray) lengths = g_array_new(FALSE, FALSE, sizeof(gsize));
  const double longest = regard_complexity_longest(c);
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
  source.cols = regard_axis_texts(regard_complexity_types, MT_N_LAYER_TYPES, "layer type");
  return regard_matrix_new_from(&source);
}

RegardMatrix *
regard_complexity_matrix_parts(const RegardComplexity *c, const char *model_name)
{
  static const char *const columns[] = {"million multiply-adds", "share of multiply-adds",
                                        "milliseconds", "thousand million multiply-adds a second"};
  enum { N = G_N_ELEMENTS(columns) };
  RegardMatrixSource source = source_of(c, model_name);
  source.id = "parts";
  source.title = "Parts of a pass";
  source.value_name = "number";
  source.rows = regard_axis_texts(regard_complexity_lines, REGARD_COMPLEXITY_N_LINES, "part");
  source.cols = regard_axis_texts(columns, N, "cost");
  source.values = g_new(float, REGARD_COMPLEXITY_N_LINES *N);
  for (guint i = 0; i < REGARD_COMPLEXITY_N_LINES; i++) {
    const gboolean counts = i != REGARD_COMPLEXITY_OTHER;
    float *row = source.values + i * N;
    row[0] = counts ? (float) ((double) regard_complexity_multiply_adds(c, i) / 1e6) : NAN;
    row[1] = counts ? (float) regard_complexity_share(c, i) : NAN;
    row[2] = (float) regard_complexity_milliseconds(c, i);
    row[3] = (float) regard_complexity_speed(c, i);
  }
  return regard_matrix_new_from(&source);
}
