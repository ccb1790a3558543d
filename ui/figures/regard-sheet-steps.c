/* regard-sheet-steps.c — the sub-layers of a small Transformer, step by step.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Post-norm, as the paper (3.1): each sub-layer is LayerNorm(x + Sublayer(x)). What a pass has
 * computed is taken from its trace; products of queries and keys, means and deviations, which no
 * site shows, are computed here from what it shows.
 */
#include "figures/regard-sheet-private.h"

#include <math.h>

#define EPSILON 1e-5 /* of layer norms */

/* ---- Parts of every step ----------------------------------------------------------------------
 */

/* "encoder.1.query"; interned. */
static const char *
id_of(const RegardSheetStep *s, const char *name)
{
  g_autofree char *id =
      s->layer < 0 ? g_strdup_printf("%s.%s", regard_kind_id(s->kind), name)
                   : g_strdup_printf("%s.%d.%s", regard_kind_id(s->kind), s->layer + 1, name);
  return g_intern_string(id);
}

mt_matrix
regard_sheet_traced(const RegardSheetStep *s, mt_site site, int head)
{
  return mt_trace_get(s->b->trace, site, s->kind, s->layer, head);
}

/* Of the tokens of the step: a row each, dimensions as columns. */
guint
regard_sheet_add_rows(const RegardSheetStep *s, const char *name, const char *symbol,
                      const char *formula, mt_matrix values, gboolean shows_rows)
{
  const RegardSheetKind kind = {.id = id_of(s, name),
                                .symbol = symbol,
                                .formula = formula,
                                .rows = s->rows,
                                .cols = REGARD_SHEET_DIMENSIONS,
                                .shows_rows = shows_rows};
  return regard_sheet_add(s->b, &kind, regard_sheet_plain(values));
}

static guint
add_vector(const RegardSheetStep *s, const char *name, const char *symbol, const char *formula,
           const float *values, gsize n, float usual, gboolean *is_told)
{
  const RegardSheetKind kind = {.id = id_of(s, name),
                                .symbol = symbol,
                                .formula = formula,
                                .rows = REGARD_SHEET_ONE,
                                .cols = REGARD_SHEET_DIMENSIONS,
                                .is_weight = TRUE};
  return regard_sheet_add_vector(s->b, &kind, values, n, usual, is_told);
}

/* One linear map: [W] over [b] = [Y]. The bias is there in files, and printed unless it is all 0.
 */
typedef struct {
  const char *text;                                            /* "Q = X_0 W^Q" */
  const char *w, *w_symbol, *bias, *bias_symbol, *y, *formula; /* names, and what they are */
  mt_matrix weights, result;
  RegardSheetAxis rows; /* of the result */
  const float *bias_values;
} Linear;

static void
add_linear(const RegardSheetStep *s, const Linear *l)
{
  RegardSheetBuilder *b = s->b;
  const RegardSheetKind weights = {.id = id_of(s, l->w),
                                   .formula = l->w_symbol,
                                   .rows = REGARD_SHEET_DIMENSIONS,
                                   .cols = REGARD_SHEET_DIMENSIONS,
                                   .is_weight = TRUE};
  gboolean has_bias;
  guint w = regard_sheet_add(b, &weights, (RegardSheetNumbers){l->weights, TRUE});
  guint bias =
      add_vector(s, l->bias, NULL, l->bias_symbol, l->bias_values, l->weights.rows, 0, &has_bias);
  regard_sheet_begin_line(b);
  regard_sheet_text(b, l->text);
  if (has_bias)
    regard_sheet_show_both(b, w, bias);
  else
    regard_sheet_show(b, w);
  regard_sheet_text(b, "=");
  const RegardSheetStep rows = {b, s->kind, s->layer, l->rows, s->x};
  regard_sheet_show(b, regard_sheet_add_rows(&rows, l->y, NULL, l->formula, l->result, TRUE));
}

/* x + sub-layer, its mean and deviation by row, and what the layer norm makes of it. prefix: of
 * the names. */
static void
add_norm(const RegardSheetStep *s, const char *sum, const char *y, mt_norm_place place,
         mt_matrix input, mt_matrix output, gboolean is_attention)
{
  static const char *const names[][6] = {
      {"feed_forward_norm_input", "feed_forward_mean", "feed_forward_sigma", "feed_forward_gain",
       "feed_forward_bias", "layer_output"},
      {"norm_input", "mean", "sigma", "gain", "bias", "residual"},
  };
  const char *const *name = names[is_attention];
  RegardSheetBuilder *b = s->b;
  g_autofree float *mean = g_new0(float, input.rows), *sigma = g_new0(float, input.rows);
  const float *gain, *bias;
  gboolean has_gain, has_bias;
  for (gsize r = 0; r < input.rows; r++) {
    double total = 0, square = 0;
    for (gsize c = 0; c < input.cols; c++)
      total += mt_matrix_at(&input, r, c);
    for (gsize c = 0; c < input.cols; c++)
      square += pow(mt_matrix_at(&input, r, c) - total / (double) input.cols, 2);
    mean[r] = (float) (total / (double) input.cols);
    sigma[r] = (float) sqrt(square / (double) input.cols + EPSILON);
  }
  g_autofree char *formula = g_strdup_printf("%s = (%s − μ) ÷ σ", y, sum);
  g_autofree char *text = g_strdup_printf("%s =\n(x − μ) ÷ σ", y);
  RegardSheetKind column = {.id = id_of(s, name[1]),
                            .formula = "μ, the mean of the row",
                            .rows = s->rows,
                            .cols = REGARD_SHEET_ONE};
  regard_sheet_begin_line(b);
  regard_sheet_text(b, sum);
  regard_sheet_show(b, regard_sheet_add_rows(s, name[0], NULL, sum, input, TRUE));
  regard_sheet_text(b, "μ");
  regard_sheet_show(b, regard_sheet_add(b, &column,
                                        regard_sheet_plain((mt_matrix){mean, input.rows, 1, 1})));
  column.id = id_of(s, name[2]);
  column.formula = "σ, the standard deviation of the row";
  regard_sheet_text(b, "σ");
  regard_sheet_show(b, regard_sheet_add(b, &column,
                                        regard_sheet_plain((mt_matrix){sigma, input.rows, 1, 1})));

  mt_model_norm(b->model, place, s->kind, (gsize) s->layer, &gain, &bias);
  guint gains = add_vector(s, name[3], NULL, "γ", gain, input.cols, 1, &has_gain);
  guint biases = add_vector(s, name[4], NULL, "β", bias, input.cols, 0, &has_bias);
  regard_sheet_begin_line(b);
  regard_sheet_text(b, text);
  if (has_gain || has_bias) {
    regard_sheet_text(b, "γ");
    regard_sheet_show(b, gains);
    regard_sheet_text(b, "β");
    regard_sheet_show(b, biases);
    regard_sheet_text(b, "=");
  }
  regard_sheet_show(b, regard_sheet_add_rows(s, name[5], NULL, formula, output, TRUE));
}

/* ---- Sub-layers -------------------------------------------------------------------------------
 */

static void
add_maps(const RegardSheetStep *s, const char *memory)
{
  static const struct {
    mt_site site;
    const char *w, *w_symbol, *bias, *bias_symbol, *y, *symbol;
  } maps[] = {
      {MT_SITE_QUERY, "w_query", "W^Q", "b_query", "b^Q", "query", "Q"},
      {MT_SITE_KEY, "w_key", "W^K", "b_key", "b^K", "key", "K"},
      {MT_SITE_VALUE, "w_value", "W^V", "b_value", "b^V", "value", "V"},
  };
  const mt_model *model = s->b->model;
  for (guint i = 0; i < G_N_ELEMENTS(maps); i++) {
    const char *x = i == 0 ? s->x : memory;
    g_autofree char *formula = g_strdup_printf("%s = %s %s", maps[i].symbol, x, maps[i].w_symbol);
    const Linear linear = {
        .text = formula,
        .w = maps[i].w,
        .w_symbol = maps[i].w_symbol,
        .bias = maps[i].bias,
        .bias_symbol = maps[i].bias_symbol,
        .y = maps[i].y,
        .formula = formula,
        .weights = mt_model_head_map(model, s->kind, (gsize) s->layer, 0, (mt_map) i),
        .bias_values = mt_model_head_bias(model, s->kind, (gsize) s->layer, 0, (mt_map) i),
        .result = regard_sheet_traced(s, maps[i].site, 0),
        .rows = i > 0 && s->kind == MT_CROSS ? REGARD_SHEET_SOURCE : s->rows,
    };
    add_linear(s, &linear);
  }
}

/* Equation 1: Q Kᵀ, divided by √d_k and masked, the softmax of each row, and its product with V. */
static void
add_weights(const RegardSheetStep *s)
{
  RegardSheetBuilder *b = s->b;
  const gboolean is_causal = s->kind == MT_DECODER_SELF;
  mt_matrix q = regard_sheet_traced(s, MT_SITE_QUERY, 0),
            k = regard_sheet_traced(s, MT_SITE_KEY, 0);
  g_autofree float *products = g_new0(float, q.rows *k.rows);
  for (gsize r = 0; r < q.rows; r++)
    for (gsize c = 0; c < k.rows; c++) {
      double sum = 0;
      for (gsize i = 0; i < q.cols; i++)
        sum += (double) mt_matrix_at(&q, r, i) * mt_matrix_at(&k, c, i);
      products[r * k.rows + c] = (float) sum;
    }
  RegardSheetKind kind = {.id = id_of(s, "product"),
                          .symbol = "Q K^T",
                          .formula = "Q K^T",
                          .rows = s->rows,
                          .cols = s->kind == MT_ENCODER_SELF || s->kind == MT_CROSS
                                      ? REGARD_SHEET_SOURCE
                                      : REGARD_SHEET_INPUT,
                          .shows_rows = TRUE,
                          .shows_columns = TRUE};
  regard_sheet_begin_line(b);
  regard_sheet_text(b, "A = softmax\n(Q K^T ÷ √d_k)");
  const mt_matrix product = {products, q.rows, k.rows, k.rows};
  regard_sheet_show(b, regard_sheet_add(b, &kind, regard_sheet_plain(product)));
  kind.id = id_of(s, "scores");
  kind.symbol = is_causal ? "÷ √d_k, masked" : "÷ √d_k";
  kind.formula = is_causal ? "Q K^T ÷ √d_k, later tokens masked" : "Q K^T ÷ √d_k";
  kind.is_causal = is_causal;
  kind.shows_rows = FALSE;
  regard_sheet_show(
      b, regard_sheet_add(b, &kind, regard_sheet_plain(regard_sheet_traced(s, MT_SITE_SCORES, 0))));
  kind.id = id_of(s, "weights");
  kind.symbol = "softmax";
  kind.formula = "A = softmax(Q K^T ÷ √d_k)";
  kind.is_causal = FALSE;
  kind.is_share = TRUE;
  regard_sheet_show(b, regard_sheet_add(b, &kind,
                                        regard_sheet_plain(
                                            regard_sheet_traced(s, MT_SITE_WEIGHTS, 0))));
}

void
regard_sheet_add_attention(const RegardSheetStep *s, const char *memory, const char *y)
{
  g_autofree char *sum = g_strdup_printf("%s + O", s->x);
  add_maps(s, memory);
  add_weights(s);
  mt_matrix context = regard_sheet_traced(s, MT_SITE_CONTEXT, 0);
  regard_sheet_begin_line(s->b);
  regard_sheet_text(s->b, "C = A V");
  regard_sheet_show(s->b, regard_sheet_add_rows(s, "context", NULL, "C = A V", context, TRUE));
  const Linear linear = {
      .text = "O = C W^O",
      .w = "w_output",
      .w_symbol = "W^O",
      .bias = "b_output",
      .bias_symbol = "b^O",
      .y = "attention_output",
      .formula = "O = C W^O",
      .weights = mt_model_head_map(s->b->model, s->kind, (gsize) s->layer, 0, MT_MAP_OUTPUT),
      .bias_values = mt_model_head_bias(s->b->model, s->kind, (gsize) s->layer, 0, MT_MAP_OUTPUT),
      .result = regard_sheet_traced(s, MT_SITE_ATTENTION_OUTPUT, -1),
      .rows = s->rows,
  };
  add_linear(s, &linear);
  add_norm(s, sum, y, MT_NORM_ATTENTION, regard_sheet_traced(s, MT_SITE_NORM_INPUT, -1),
           regard_sheet_traced(s, MT_SITE_RESIDUAL, -1), TRUE);
}

/* FFN(x) = max(0, x W_1 + b_1) W_2 + b_2, the paper's equation 2. */
void
regard_sheet_add_feed_forward(const RegardSheetStep *s, const char *y)
{
  const mt_stack stack = s->kind == MT_ENCODER_SELF ? MT_STACK_ENCODER : MT_STACK_DECODER;
  g_autofree char *text = g_strdup_printf("H = max(0,\n%s W_1 + b_1)", s->x);
  g_autofree char *formula = g_strdup_printf("H = max(0, %s W_1 + b_1)", s->x);
  g_autofree char *sum = g_strdup_printf("%s + F", s->x);
  Linear linear = {.text = text,
                   .w = "w_1",
                   .w_symbol = "W_1",
                   .bias = "b_1",
                   .bias_symbol = "b_1",
                   .y = "hidden",
                   .formula = formula,
                   .result = regard_sheet_traced(s, MT_SITE_HIDDEN, -1),
                   .rows = s->rows};
  linear.weights = mt_model_feed_forward_map(s->b->model, stack, (gsize) s->layer, MT_MAP_HIDDEN,
                                             &linear.bias_values);
  add_linear(s, &linear);
  linear = (Linear){.text = "F = H W_2 + b_2",
                    .w = "w_2",
                    .w_symbol = "W_2",
                    .bias = "b_2",
                    .bias_symbol = "b_2",
                    .y = "feed_forward",
                    .formula = "F = H W_2 + b_2",
                    .result = regard_sheet_traced(s, MT_SITE_FEED_FORWARD, -1),
                    .rows = s->rows};
  linear.weights = mt_model_feed_forward_map(s->b->model, stack, (gsize) s->layer, MT_MAP_BACK,
                                             &linear.bias_values);
  add_linear(s, &linear);
  add_norm(s, sum, y, MT_NORM_FEED_FORWARD,
           regard_sheet_traced(s, MT_SITE_FEED_FORWARD_NORM_INPUT, -1),
           regard_sheet_traced(s, MT_SITE_LAYER_OUTPUT, -1), FALSE);
}
