/* regard-sheet.c — the steps of a small Transformer in the order of computation.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Post-norm, as the paper (3.1): each sub-layer is LayerNorm(x + Sublayer(x)). What a pass has
 * computed is taken from its trace; the products of queries and keys, means, deviations and
 * probabilities, which no site shows, are computed here from what it shows.
 */
#include "figures/regard-sheet-private.h"

#include <math.h>

#define MOST_WIDTH  8 /* d and d_ff */
#define MOST_TOKENS 8
#define MOST_LAYERS 2
#define MOST_PIECES 20
#define EPSILON     1e-5 /* of layer norms */

/* ---- What there is room for -------------------------------------------------------------------
 */

static gboolean
is_small(const mt_config *c)
{
  for (int stack = 0; stack < MT_N_STACKS; stack++)
    if (c->n_layers[stack] < 1 || c->n_layers[stack] > MOST_LAYERS || c->n_heads[stack] != 1 ||
        c->d_ffn[stack] > MOST_WIDTH || c->vocab_size[stack] > MOST_PIECES)
      return FALSE;
  return c->d_model <= MOST_WIDTH;
}

char *
regard_sheet_problem(const mt_model *model, const mt_tokens *source, const mt_tokens *target)
{
  const mt_config *c = mt_model_config(model);
  const gsize n_source = mt_tokens_count(source), n_target = mt_tokens_count(target);
  if (!is_small(c))
    return g_strdup_printf(
        "A sheet has room for models of d = %d, one head, %d layers a stack and %d pieces; %s has "
        "d = %zu, %zu heads, %zu + %zu layers and %zu pieces",
        MOST_WIDTH, MOST_LAYERS, MOST_PIECES, mt_model_name(model), c->d_model, c->n_heads[0],
        c->n_layers[0], c->n_layers[1], c->vocab_size[1]);
  if (c->normalize_before || c->normalize_embedding || c->add_final_layer_norm ||
      c->attention_window || c->activation != MT_ACTIVATION_RELU || !c->share_embeddings ||
      !c->tie_word_embeddings)
    return g_strdup_printf("A sheet shows models as the paper has them: post-norm, ReLU, one "
                           "embedding for all; %s is another",
                           mt_model_name(model));
  if (n_source > MOST_TOKENS || n_target > MOST_TOKENS)
    return g_strdup_printf("A sheet has room for %d tokens in each language; these are %zu and %zu",
                           MOST_TOKENS, n_source, n_target);
  return NULL;
}

void
regard_sheet_add_taps(mt_taps *taps)
{
  for (int site = 0; site < MT_N_SITES; site++)
    taps->taps[taps->n++] = (mt_tap){.site = (mt_site) site,
                                     .kinds = MT_ALL_KINDS,
                                     .layers = MT_ALL_LAYERS,
                                     .heads = MT_ALL_HEADS};
}

/* ---- Parts of every step ----------------------------------------------------------------------
 */

/* Where a step is: whose tokens its rows are, and how its parts are named. */
typedef struct {
  RegardSheetBuilder *b;
  mt_attention_kind kind; /* of what is not attention: that of its stack */
  int layer;
  RegardSheetAxis rows;
  const char *x; /* the stream that it reads: "X_0" */
} Step;

/* "encoder.1.query"; interned. */
static const char *
id_of(const Step *s, const char *name)
{
  g_autofree char *id =
      s->layer < 0 ? g_strdup_printf("%s.%s", regard_kind_id(s->kind), name)
                   : g_strdup_printf("%s.%d.%s", regard_kind_id(s->kind), s->layer + 1, name);
  return g_intern_string(id);
}

static mt_matrix
traced(const Step *s, mt_site site, int head)
{
  return mt_trace_get(s->b->trace, site, s->kind, s->layer, head);
}

static RegardSheetNumbers
plain(mt_matrix values)
{
  return (RegardSheetNumbers){values, FALSE};
}

/* Of the tokens of the step: a row each, dimensions as columns. */
static guint
add_rows(const Step *s, const char *name, const char *symbol, const char *formula, mt_matrix values,
         gboolean shows_rows)
{
  const RegardSheetKind kind = {.id = id_of(s, name),
                                .symbol = symbol,
                                .formula = formula,
                                .rows = s->rows,
                                .cols = REGARD_SHEET_DIMENSIONS,
                                .shows_rows = shows_rows};
  return regard_sheet_add(s->b, &kind, plain(values));
}

static guint
add_vector(const Step *s, const char *name, const char *symbol, const char *formula,
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
add_linear(const Step *s, const Linear *l)
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
  const Step rows = {b, s->kind, s->layer, l->rows, s->x};
  regard_sheet_show(b, add_rows(&rows, l->y, NULL, l->formula, l->result, TRUE));
}

/* x + sub-layer, its mean and deviation by row, and what the layer norm makes of it. prefix: of
 * the names. */
static void
add_norm(const Step *s, const char *sum, const char *y, mt_norm_place place, mt_matrix input,
         mt_matrix output, gboolean is_attention)
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
  regard_sheet_show(b, add_rows(s, name[0], NULL, sum, input, TRUE));
  regard_sheet_text(b, "μ");
  regard_sheet_show(b, regard_sheet_add(b, &column, plain((mt_matrix){mean, input.rows, 1, 1})));
  column.id = id_of(s, name[2]);
  column.formula = "σ, the standard deviation of the row";
  regard_sheet_text(b, "σ");
  regard_sheet_show(b, regard_sheet_add(b, &column, plain((mt_matrix){sigma, input.rows, 1, 1})));

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
  regard_sheet_show(b, add_rows(s, name[5], NULL, formula, output, TRUE));
}

/* ---- Sub-layers -------------------------------------------------------------------------------
 */

static void
add_maps(const Step *s, const char *memory)
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
        .result = traced(s, maps[i].site, 0),
        .rows = i > 0 && s->kind == MT_CROSS ? REGARD_SHEET_SOURCE : s->rows,
    };
    add_linear(s, &linear);
  }
}

/* Equation 1: Q Kᵀ, divided by √d_k and masked, the softmax of each row, and its product with V. */
static void
add_weights(const Step *s)
{
  RegardSheetBuilder *b = s->b;
  const gboolean is_causal = s->kind == MT_DECODER_SELF;
  mt_matrix q = traced(s, MT_SITE_QUERY, 0), k = traced(s, MT_SITE_KEY, 0);
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
  regard_sheet_show(b, regard_sheet_add(b, &kind, plain(product)));
  kind.id = id_of(s, "scores");
  kind.symbol = is_causal ? "÷ √d_k, masked" : "÷ √d_k";
  kind.formula = is_causal ? "Q K^T ÷ √d_k, later tokens masked" : "Q K^T ÷ √d_k";
  kind.is_causal = is_causal;
  kind.shows_rows = FALSE;
  regard_sheet_show(b, regard_sheet_add(b, &kind, plain(traced(s, MT_SITE_SCORES, 0))));
  kind.id = id_of(s, "weights");
  kind.symbol = "softmax";
  kind.formula = "A = softmax(Q K^T ÷ √d_k)";
  kind.is_causal = FALSE;
  kind.is_share = TRUE;
  regard_sheet_show(b, regard_sheet_add(b, &kind, plain(traced(s, MT_SITE_WEIGHTS, 0))));
}

static void
add_attention(const Step *s, const char *memory, const char *y)
{
  g_autofree char *sum = g_strdup_printf("%s + O", s->x);
  add_maps(s, memory);
  add_weights(s);
  mt_matrix context = traced(s, MT_SITE_CONTEXT, 0);
  regard_sheet_begin_line(s->b);
  regard_sheet_text(s->b, "C = A V");
  regard_sheet_show(s->b, add_rows(s, "context", NULL, "C = A V", context, TRUE));
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
      .result = traced(s, MT_SITE_ATTENTION_OUTPUT, -1),
      .rows = s->rows,
  };
  add_linear(s, &linear);
  add_norm(s, sum, y, MT_NORM_ATTENTION, traced(s, MT_SITE_NORM_INPUT, -1),
           traced(s, MT_SITE_RESIDUAL, -1), TRUE);
}

/* FFN(x) = max(0, x W_1 + b_1) W_2 + b_2, the paper's equation 2. */
static void
add_feed_forward(const Step *s, const char *y)
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
                   .result = traced(s, MT_SITE_HIDDEN, -1),
                   .rows = s->rows};
  linear.weights = mt_model_feed_forward(s->b->model, stack, (gsize) s->layer, MT_FEED_FORWARD_IN,
                                         &linear.bias_values);
  add_linear(s, &linear);
  linear = (Linear){.text = "F = H W_2 + b_2",
                    .w = "w_2",
                    .w_symbol = "W_2",
                    .bias = "b_2",
                    .bias_symbol = "b_2",
                    .y = "feed_forward",
                    .formula = "F = H W_2 + b_2",
                    .result = traced(s, MT_SITE_FEED_FORWARD, -1),
                    .rows = s->rows};
  linear.weights = mt_model_feed_forward(s->b->model, stack, (gsize) s->layer, MT_FEED_FORWARD_OUT,
                                         &linear.bias_values);
  add_linear(s, &linear);
  add_norm(s, sum, y, MT_NORM_FEED_FORWARD, traced(s, MT_SITE_FEED_FORWARD_NORM_INPUT, -1),
           traced(s, MT_SITE_LAYER_OUTPUT, -1), FALSE);
}

/* ---- The whole --------------------------------------------------------------------------------
 */

/* Every piece with its embedding, and the bias of its logit. */
static void
add_pieces(RegardSheetBuilder *b)
{
  const float *bias;
  mt_matrix table = mt_model_output_map(b->model, &bias);
  g_autofree float *zeros = g_new0(float, table.rows);
  const RegardSheetKind embedding = {.id = "embedding",
                                     .symbol = "E",
                                     .formula = "E, the embedding of each piece",
                                     .rows = REGARD_SHEET_PIECES,
                                     .cols = REGARD_SHEET_DIMENSIONS,
                                     .is_weight = TRUE,
                                     .shows_rows = TRUE};
  const RegardSheetKind biases = {.id = "output_bias",
                                  .symbol = "b",
                                  .formula = "b, the bias of each piece's logit",
                                  .rows = REGARD_SHEET_PIECES,
                                  .cols = REGARD_SHEET_ONE,
                                  .is_weight = TRUE};
  regard_sheet_begin(b, REGARD_SHEET_LEFT, "The pieces");
  regard_sheet_begin_line(b);
  regard_sheet_show(b, regard_sheet_add(b, &embedding, plain(table)));
  regard_sheet_show(b, regard_sheet_add(b, &biases,
                                        plain((mt_matrix){bias ? bias : zeros, table.rows, 1, 1})));
}

/* √d · E + P, the paper's section 3.4 and 3.5. */
static void
add_embedding(const Step *s, gboolean is_scaled)
{
  RegardSheetBuilder *b = s->b;
  const char *scaled = is_scaled ? "√d · E" : "E";
  g_autofree char *formula = g_strdup_printf("%s = %s + P", s->x, scaled);
  g_autofree char *text = g_strdup_printf("%s =\n%s + P", s->x, scaled);
  regard_sheet_begin_line(b);
  regard_sheet_text(b, text);
  regard_sheet_show(b,
                    add_rows(s, "embedding", NULL, scaled, traced(s, MT_SITE_EMBEDDING, -1), TRUE));
  regard_sheet_text(b, "+");
  regard_sheet_show(b, add_rows(s, "position", NULL, "P, the encoding of each position",
                                traced(s, MT_SITE_POSITION, -1), FALSE));
  regard_sheet_text(b, "=");
  regard_sheet_show(b, add_rows(s, "stream", NULL, formula, traced(s, MT_SITE_STREAM, -1), FALSE));
}

/* One stack; returns what it hands on is called. Caller frees. */
static char *
add_stack(RegardSheetBuilder *b, mt_stack stack, const char *memory)
{
  const mt_config *config = mt_model_config(b->model);
  const gboolean decodes = stack == MT_STACK_DECODER;
  const RegardSheetPlace place = decodes ? REGARD_SHEET_RIGHT : REGARD_SHEET_LEFT;
  const char *name = decodes ? "Decoder" : "Encoder";
  const char letter = decodes ? 'Y' : 'X';
  char *x = g_strdup_printf("%c_0", letter);
  Step s = {b, decodes ? MT_DECODER_SELF : MT_ENCODER_SELF, -1,
            decodes ? REGARD_SHEET_INPUT : REGARD_SHEET_SOURCE, x};
  guint n = 0;
  regard_sheet_begin(b, place, decodes ? "The translation so far" : "The source");
  add_embedding(&s, config->scale_embedding);
  for (gsize l = 0; l < config->n_layers[stack]; l++)
    for (int part = decodes ? 0 : 1; part < 3; part++) {
      static const char *const titles[] = {"self-attention", "self-attention",
                                           "feed-forward network"};
      g_autofree char *number =
          config->n_layers[stack] > 1 ? g_strdup_printf(", layer %zu", l + 1) : g_strdup("");
      /* An encoder has two sub-layers, a decoder three. */
      const gboolean crosses = decodes && part == 1;
      g_autofree char *title =
          g_strdup_printf("%s%s: %s", name, number, crosses ? "cross-attention" : titles[part]);
      char *y = g_strdup_printf("%c_%u", letter, ++n);
      s.layer = (int) l;
      s.x = x;
      s.kind = crosses ? MT_CROSS : decodes ? MT_DECODER_SELF : MT_ENCODER_SELF;
      regard_sheet_begin(b, place, title);
      if (part == 2)
        add_feed_forward(&s, y);
      else
        add_attention(&s, crosses ? memory : x, y);
      g_free(x);
      x = y;
    }
  return x;
}

/* Logits of each position, their softmax, and what was chosen. */
static void
add_output(RegardSheetBuilder *b, const char *y)
{
  const mt_tokens *output = mt_trace_output(b->trace);
  mt_matrix logits = mt_trace_get(b->trace, MT_SITE_LOGITS, MT_DECODER_SELF, -1, -1);
  g_autofree float *shares = g_new0(float, logits.rows *logits.cols);
  for (gsize r = 0; r < logits.rows; r++) {
    double most = -INFINITY, sum = 0;
    for (gsize c = 0; c < logits.cols; c++)
      most = fmax(most, mt_matrix_at(&logits, r, c));
    for (gsize c = 0; c < logits.cols; c++)
      sum += exp(mt_matrix_at(&logits, r, c) - most);
    for (gsize c = 0; c < logits.cols; c++)
      shares[r * logits.cols + c] = (float) (exp(mt_matrix_at(&logits, r, c) - most) / sum);
  }
  g_autofree char *text = g_strdup_printf("logits =\n%s E^T + b", y);
  g_autofree char *formula = g_strdup_printf("logits = %s E^T + b", y);
  RegardSheetKind kind = {.id = "decoder.logits",
                          .formula = formula,
                          .rows = REGARD_SHEET_INPUT,
                          .cols = REGARD_SHEET_PIECES,
                          .shows_rows = TRUE,
                          .shows_columns = TRUE};
  regard_sheet_begin(b, REGARD_SHEET_BELOW, "The next piece");
  regard_sheet_begin_line(b);
  regard_sheet_text(b, text);
  regard_sheet_show(b, regard_sheet_add(b, &kind, plain(logits)));
  kind.id = "decoder.probabilities";
  kind.formula = "p = softmax(logits)";
  kind.is_share = TRUE;
  kind.shows_columns = FALSE;
  const mt_matrix p = {shares, logits.rows, logits.cols, logits.cols};
  guint part = regard_sheet_add(b, &kind, plain(p));
  int *marked = g_new0(int, logits.rows);
  for (gsize r = 0; r < logits.rows; r++)
    marked[r] = mt_tokens_get(output, r)->id;
  regard_sheet_part(b, part)->marked = marked;
  regard_sheet_begin_line(b);
  regard_sheet_text(b, "p =\nsoftmax(logits)");
  regard_sheet_show(b, part);
}

RegardSheet *
regard_sheet_new(const mt_model *model, const mt_trace *trace, const char *source,
                 const char *translation)
{
  const mt_config *c = mt_model_config(model);
  RegardSheetBuilder b = {.model = model, .trace = trace, .sheet = regard_sheet_alloc()};
  b.sheet->title = g_strdup_printf("“%s” → “%s”", source, translation);
  b.sheet->subtitle = g_strdup_printf(
      "%zu + %zu layers, one head · d = d_k = %zu, √d = √d_k = %.4g · d_{ff} = %zu · %zu pieces",
      c->n_layers[0], c->n_layers[1], c->d_model, sqrt((double) c->d_model), c->d_ffn[0],
      c->vocab_size[1]);
  add_pieces(&b);
  g_autofree char *memory = add_stack(&b, MT_STACK_ENCODER, NULL);
  g_autofree char *last = add_stack(&b, MT_STACK_DECODER, memory);
  add_output(&b, last);
  return b.sheet;
}
