/* regard-attribution.c — attributions of the engine as matrices.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-attribution-origin.h"
#include "figures/regard-naming.h"

#include <math.h>

/* Of sums of floats. */
#define ROUNDING 0.005

/* ---- Axes -------------------------------------------------------------------------------------
 */

/* Source tokens, then what the decoder read: the start, and the output shifted behind it. */
static void
label_column(gconstpointer data, guint i, RegardLabel *label)
{
  const RegardAttributionText *text = data;
  const guint n_source = (guint) mt_tokens_count(text->source);
  if (i == n_source) {
    label->text = g_strdup("start");
    label->piece = g_strdup(mt_model_piece(text->model, MT_STACK_DECODER,
                                           mt_model_config(text->model)->decoder_start_id));
    label->special = TRUE;
    label->first_token = 0; /* the first that the decoder reads */
    label->n_tokens = 1;
    return;
  }
  const mt_tokens *tokens = i < n_source ? text->source : text->output;
  const guint at = i < n_source ? i : i - n_source - 1;
  const mt_token *token = mt_tokens_get(tokens, at);
  label->text = regard_token_display(tokens, at, FALSE);
  label->piece = g_strdup(token->piece);
  label->special = token->is_special;
  label->first_token = i < n_source ? i : i - n_source;
  label->n_tokens = 1;
}

static RegardAxis
columns(const RegardAttributionText *text, guint n_prefix)
{
  const guint n_source = (guint) mt_tokens_count(text->source);
  return (RegardAxis){.n = n_source + n_prefix,
                      .title = "tokens",
                      .noun = "token",
                      .split = n_source,
                      .parts = {"source", "translation"},
                      .label = label_column,
                      .data = text};
}

typedef struct {
  const mt_tokens *output;
  guint first;
} Rows;

static void
label_row(gconstpointer data, guint i, RegardLabel *label)
{
  const Rows *rows = data;
  const mt_token *token = mt_tokens_get(rows->output, rows->first + i);
  label->text = regard_token_display(rows->output, rows->first + i, FALSE);
  label->piece = g_strdup(token->piece);
  label->special = token->is_special;
  label->first_token = rows->first + i;
  label->n_tokens = 1;
}

/* Methods that a bench has, by their numbers. */
typedef struct {
  gsize *methods;
  guint n;
} Methods;

static void
label_method(gconstpointer data, guint i, RegardLabel *label)
{
  const mt_attribution_method *method = mt_attribution_at(((const Methods *) data)->methods[i]);
  label->text = g_strdup(method->name);
  label->piece = g_strdup(method->id);
}

static RegardAxis
axis_of(const Methods *methods)
{
  return (RegardAxis){.n = methods->n,
                      .title = "methods",
                      .noun = "method",
                      .label = label_method,
                      .data = methods};
}

/* ---- Matrices ---------------------------------------------------------------------------------
 */

/* method mt_attribution_count(): of all. */
static RegardMatrix *
new_matrix(const RegardAttributionText *text, gsize method, const char *id, const char *title,
           const char *value_name, RegardAxis rows, RegardAxis cols, float *values,
           RegardRange range, const char *sums)
{
  const char *changes = text->changes ? mt_changes_text(text->changes) : NULL;
  g_autofree char *joined = changes && *changes ? regard_naming_joined(changes) : NULL;
  g_autofree char *badge = joined ? g_strdup_printf("changed: %s", joined) : NULL;
  return regard_matrix_new_from(&(RegardMatrixSource){
      .id = id,
      .title = title,
      .value_name = value_name,
      .model_name = mt_model_name(text->model),
      .badges = (const char *const[]){badge ? badge : sums, badge ? sums : NULL, NULL},
      .rows = rows,
      .cols = cols,
      .values = values,
      .range = range,
      .is_square = TRUE,
      .is_ranked = method < mt_attribution_count() && range == REGARD_RANGE_VALUES,
      .origin_class = &regard_attribution_origin,
      .origin = regard_attribution_origin_new(text, method, g_str_equal(id, "attribution-encoder")),
  });
}

/* What rows sum to, where that is not 1; of the weights of both attentions it is 1 each. NULL: it
 * is, or numbers have a sign. Caller frees. */
static char *
describe_sums(const mt_attribution *a, gboolean is_signed)
{
  const mt_matrix parts[] = {mt_attribution_source(a), mt_attribution_prefix(a)};
  double least[3] = {INFINITY, INFINITY, INFINITY}, most[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (gsize r = 0; r < parts[0].rows; r++) {
    double sums[3] = {0};
    for (guint p = 0; p < 2; p++)
      for (gsize c = 0; c < parts[p].cols; c++)
        sums[p] += mt_matrix_at(&parts[p], r, c);
    sums[2] = sums[0] + sums[1];
    for (guint p = 0; p < 3; p++) {
      least[p] = MIN(least[p], sums[p]);
      most[p] = MAX(most[p], sums[p]);
    }
  }
  gboolean is_one[3];
  for (guint p = 0; p < 3; p++)
    is_one[p] = least[p] > 1 - ROUNDING && most[p] < 1 + ROUNDING;
  if (is_signed || is_one[2] || parts[0].rows == 0)
    return NULL;
  if (is_one[0] && is_one[1])
    return g_strdup("rows sum to 2: 1 over the source, 1 over the translation");
  return most[2] - least[2] < ROUNDING
             ? g_strdup_printf("rows sum to %.2f", most[2])
             : g_strdup_printf("rows sum to %.2f…%.2f", least[2], most[2]);
}

static void
copy_row(float *to, const mt_attribution *a, guint row, guint n_prefix)
{
  mt_matrix source = mt_attribution_source(a), prefix = mt_attribution_prefix(a);
  for (guint j = 0; j < source.cols; j++)
    *to++ = mt_matrix_at(&source, row, j);
  for (guint j = 0; j < n_prefix; j++)
    *to++ = mt_matrix_at(&prefix, row, j);
}

RegardMatrix *
regard_attribution_matrix(const mt_attribution *a, const RegardAttributionText *text)
{
  const mt_attribution_method *method = mt_attribution_at(mt_attribution_get_method(a));
  const mt_matrix source = mt_attribution_source(a);
  const guint n_rows = (guint) source.rows, first = (guint) mt_attribution_first(a);
  const guint n_prefix = first + n_rows, n_cols = (guint) source.cols + n_prefix;
  const Rows rows = {text->output, first};
  const RegardAxis axis = {
      .n = n_rows, .title = "translation", .noun = "token", .label = label_row, .data = &rows};
  g_autofree char *title = g_strdup_printf("%s · %s", method->name, method->source);
  float *values = g_new(float, (gsize) n_rows *n_cols);
  for (guint r = 0; r < n_rows; r++)
    copy_row(values + (gsize) r * n_cols, a, r, n_prefix);
  g_autofree char *sums = describe_sums(a, method->is_signed);
  RegardMatrix *m = new_matrix(text, mt_attribution_get_method(a), "attribution", title,
                               method->gives, axis, columns(text, n_prefix), values,
                               method->is_signed ? REGARD_RANGE_SIGNED : REGARD_RANGE_VALUES, sums);
  m->mask.is_causal = TRUE; /* of the translation a word knows what is before it */
  return m;
}

RegardMatrix *
regard_attribution_encoder_matrix(const mt_attribution *a, const RegardAttributionText *text)
{
  const gsize at = mt_attribution_get_method(a);
  const mt_attribution_method *method = mt_attribution_at(at);
  const mt_matrix encoder = mt_attribution_encoder(a);
  const Rows rows = {text->source, 0};
  RegardAxis axis = {.n = (guint) encoder.rows, .noun = "token", .label = label_row, .data = &rows};
  RegardAxis keys = axis;
  if (!encoder.data)
    return NULL;
  axis.title = "states of the encoder";
  keys.title = "source";
  g_autofree char *title = g_strdup_printf("%s · %s", method->name, method->source);
  float *values = g_new(float, encoder.rows *encoder.cols);
  for (gsize i = 0; i < encoder.rows; i++)
    for (gsize j = 0; j < encoder.cols; j++)
      values[i * encoder.cols + j] = mt_matrix_at(&encoder, i, j);
  return new_matrix(text, at, "attribution-encoder", title, method->gives, axis, keys, values,
                    method->is_signed ? REGARD_RANGE_SIGNED : REGARD_RANGE_VALUES, NULL);
}

RegardMatrix *
regard_bench_matrix(const mt_attribution_bench *bench, RegardBenchMatrix which,
                    const RegardAttributionText *text)
{
  g_autofree gsize *there = g_new(gsize, mt_attribution_count());
  Methods methods = {there, 0};
  for (gsize m = 0; m < mt_attribution_count(); m++)
    if (mt_attribution_bench_get(bench, m))
      there[methods.n++] = m;
  const guint n = methods.n, all = (guint) mt_attribution_count();
  const guint n_source = (guint) mt_tokens_count(text->source);
  const guint token = (guint) mt_attribution_first(mt_attribution_bench_get(bench, there[0]));
  const guint n_prefix = token + 1;
  const guint widths[REGARD_BENCH_N_MATRICES] = {n_source + n_prefix, n, n_source + 1, 1};
  const guint width = widths[which];
  float *values = g_new(float, (gsize) n *width);
  g_autofree char *word = regard_token_display(text->output, token, FALSE);
  g_autofree char *title = g_strdup_printf("Attributions of %s · token %u", word, token + 1);
  for (guint m = 0; m < n; m++) {
    float *row = values + (gsize) m * width;
    if (which == REGARD_BENCH_VALUES)
      copy_row(row, mt_attribution_bench_get(bench, there[m]), 0, n_prefix);
    for (guint k = 0; which == REGARD_BENCH_SPEARMAN && k < n; k++)
      row[k] = (float) mt_attribution_bench_spearman(bench, there[m], there[k]);
    for (guint k = 0; which == REGARD_BENCH_DELETION && k < width; k++)
      row[k] = mt_attribution_bench_deletion(bench, there[m])[k];
    if (which == REGARD_BENCH_AREA)
      row[0] = (float) mt_attribution_bench_area(bench, there[m]);
  }
  switch (which) {
  case REGARD_BENCH_VALUES:
    return new_matrix(text, all, "attributions", title, "share of the largest of its row",
                      axis_of(&methods), columns(text, n_prefix), values, REGARD_RANGE_VALUES,
                      NULL);
  case REGARD_BENCH_SPEARMAN:
    return new_matrix(text, all, "spearman", title, "rank correlation", axis_of(&methods),
                      axis_of(&methods), values, REGARD_RANGE_SIGNED, NULL);
  case REGARD_BENCH_DELETION:
    return new_matrix(text, all, "deletion", title, "log p in nats", axis_of(&methods),
                      regard_axis_numbers(width, "source tokens hidden", REGARD_TICKS_DECIMAL),
                      values, REGARD_RANGE_VALUES, NULL);
  default:
    return new_matrix(text, all, "area", title, "mean fall of log p in nats", axis_of(&methods),
                      regard_axis_texts((const char *const[]){"area"}, 1, "curve"), values,
                      REGARD_RANGE_VALUES, NULL);
  }
}
