/* regard-worksheet.c — the whole computation of a small model for one translation on one page:
 * every matrix in the order of computation, rounded as the sheet shows it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Texts between matrices are as the paper writes them, with ^ and _ before what is raised or
 * lowered: "W^Q", "d_{ff}". Two columns, encoder and decoder, and the next piece below both.
 */
#include "figures/regard-worksheet.h"

#include "figures/regard-figure-private.h"
#include "figures/regard-language.h"
#include "figures/regard-naming.h"
#include "figures/regard-words.h"

#include <math.h>
#include <string.h>

/* What computed numbers are rounded to. Weights have as many decimals as they need, at most these.
 */
#define REGARD_SHEET_DECIMALS 3

/* One matrix. Its values are the printed ones. */
typedef struct {
  RegardMatrix *matrix; /* its id: "encoder.1.query" */
  char *symbol;         /* "W^Q"; NULL: none is printed */
  char *formula;        /* "Q = X W^Q" */
  guint decimals;
  gboolean is_weight; /* the model's; else computed */
  gboolean is_share;  /* rows sum to 1 */
  gboolean shows_rows, shows_columns;
  int *marked; /* [rows] the column that was chosen; NULL: nothing is */
} Part;

/* A text, or a matrix of the sheet and what stands below it. */
typedef struct {
  char *text; /* NULL: the matrix; may have two lines */
  guint part;
  int below; /* a part too, a bias below its weights; -1: nothing */
} Item;

typedef enum { REGARD_SHEET_LEFT, REGARD_SHEET_RIGHT, REGARD_SHEET_BELOW } Place;

typedef struct {
  char *title;
  Place place;
  GPtrArray *lines; /* of GArray of Item; a text that a line begins with names its result
                     */
} Section;

typedef struct {
  RegardSubject subject;
  char *model_name;
  char *title;         /* "“cat” → “Katze”" */
  char *subtitle;      /* sizes of the model */
  GPtrArray *parts;    /* of Part; more than the sections show: a bias of zeros, say */
  GPtrArray *sections; /* of Section, in the order of computation */
} Sheet;

/* A sheet under way. */
typedef struct {
  const mt_model *model;
  const mt_trace *trace;
  Sheet *sheet;
  GPtrArray *lines; /* of the section under way */
  GArray *line;     /* under way */
} Builder;

/* What the rows or columns of a part are. */
typedef enum {
  REGARD_SHEET_ONE, /* a vector has one row */
  REGARD_SHEET_DIMENSIONS,
  REGARD_SHEET_SOURCE,
  REGARD_SHEET_INPUT, /* what the decoder was given */
  REGARD_SHEET_PIECES,
} Axis;

/* Numbers by row and column. */
typedef struct {
  mt_matrix m;
  gboolean is_transposed; /* of a linear map, which keeps a row for each output */
} Numbers;

static inline Numbers
plain(mt_matrix values)
{
  return (Numbers){values, FALSE};
}

typedef struct {
  const char *id, *symbol, *formula;
  Axis rows, cols;
  gboolean is_weight, is_share, is_causal;
  gboolean shows_rows, shows_columns;
} Kind;

/* Where a step is: whose tokens its rows are, and how its parts are named. */
typedef struct {
  Builder *b;
  mt_attention_kind kind; /* of what is not attention: that of its stack */
  int layer;
  Axis rows;
  const char *x; /* the stream that it reads: "X_0" */
} Step;

/* ---- Rounding ---------------------------------------------------------------------------------
 */

/* As it is printed; no minus before a zero. */
static float
rounded(double value, guint decimals)
{
  const double unit = pow(10, decimals);
  return isfinite(value) ? (float) (round(value * unit) / unit + 0.0) : (float) value;
}

/* The fewest decimals that say all of them, at most those of computed numbers. */
static guint
decimals_of(const float *values, gsize n)
{
  guint decimals = 0;
  for (gsize i = 0; i < n && decimals < REGARD_SHEET_DECIMALS; i++)
    while (decimals < REGARD_SHEET_DECIMALS && rounded(values[i], decimals) != values[i])
      decimals++;
  return decimals;
}

/* ---- Parts ------------------------------------------------------------------------------------
 */

static void
append_subject(const RegardMatrix *matrix, GString *caption)
{
  regard_words_add_sentence(
      caption, _("Computed numbers are rounded to %d decimals, weights are as the model has them."),
      REGARD_SHEET_DECIMALS);
}

static const RegardOriginClass origin_class = {.append_subject = append_subject};

static const char *
piece_of(gconstpointer model, guint i)
{
  return mt_model_piece(model, MT_STACK_DECODER, (gint32) i);
}

static void
label_piece(gconstpointer model, guint i, RegardLabel *label)
{
  const char *piece = piece_of(model, i);
  label->text = g_strdup(strcmp(piece, "</s>") == 0 ? "⏎" : piece);
  label->piece = g_strdup(piece);
}

static RegardAxis
axis_of(const Builder *b, Axis axis, guint n)
{
  static const char *const one[] = {""};
  RegardAxis numbers;
  switch (axis) {
  case REGARD_SHEET_SOURCE:
    return regard_axis_tokens(mt_trace_source(b->trace), C_("text", "source"), FALSE);
  case REGARD_SHEET_INPUT:
    return regard_axis_tokens(mt_trace_decoder_input(b->trace), C_("text", "translation"), TRUE);
  case REGARD_SHEET_PIECES:
    return (RegardAxis){.n = n,
                        .title = _("pieces"),
                        .noun = _("piece"),
                        .ticks = REGARD_TICKS_WORDS,
                        .label = label_piece,
                        .data = b->model};
  case REGARD_SHEET_ONE:
    return regard_axis_texts(one, 1, "");
  case REGARD_SHEET_DIMENSIONS:
  default:
    numbers = regard_axis_numbers(n, _("dimensions"), REGARD_TICKS_DECIMAL);
    numbers.noun = _("dimension");
    return numbers;
  }
}

static void
part_free(gpointer data)
{
  Part *part = data;
  regard_matrix_unref(part->matrix);
  g_free(part->symbol);
  g_free(part->formula);
  g_free(part->marked);
  g_free(part);
}

/* Make a part, rounded, without showing it; its index. */
static guint
add_part(Builder *b, const Kind *kind, Numbers numbers)
{
  const mt_matrix *m = &numbers.m;
  const gsize rows = numbers.is_transposed ? m->cols : m->rows;
  const gsize cols = numbers.is_transposed ? m->rows : m->cols;
  Part *part = g_new0(Part, 1);
  float *values = g_new(float, rows *cols);
  for (gsize r = 0; r < rows; r++)
    for (gsize c = 0; c < cols; c++)
      values[r * cols + c] = numbers.is_transposed ? mt_matrix_at(m, c, r) : mt_matrix_at(m, r, c);
  part->decimals = kind->is_weight ? decimals_of(values, rows * cols) : REGARD_SHEET_DECIMALS;
  for (gsize i = 0; i < rows * cols; i++)
    values[i] = rounded(values[i], part->decimals);
  const RegardMatrixSource source = {
      .id = g_intern_string(kind->id),
      .title = kind->formula,
      .value_name = kind->is_share ? "weight" : "value",
      .model_name = mt_model_name(b->model),
      .rows = axis_of(b, kind->rows, (guint) rows),
      .cols = axis_of(b, kind->cols, (guint) cols),
      .values = values,
      .range = kind->is_share ? REGARD_RANGE_SHARES : REGARD_RANGE_SIGNED,
      .mask = {.is_causal = kind->is_causal},
      .origin_class = &origin_class,
  };
  part->matrix = regard_matrix_new_from(&source);
  part->symbol = g_strdup(kind->symbol);
  part->formula = g_strdup(kind->formula);
  part->is_weight = kind->is_weight;
  part->is_share = kind->is_share;
  part->shows_rows = kind->shows_rows;
  part->shows_columns = kind->shows_columns;
  g_ptr_array_add(b->sheet->parts, part);
  return b->sheet->parts->len - 1;
}

static Part *
made_part(const Builder *b, guint i)
{
  return b->sheet->parts->pdata[i];
}

/* A vector; whether it is anything but `usual` throughout. */
static guint
sheet_add_vector(Builder *b, const Kind *kind, const float *values, gsize n, float usual,
                 gboolean *is_told)
{
  g_autofree float *none = g_new(float, MAX(n, 1));
  for (gsize i = 0; i < n; i++)
    none[i] = usual;
  const Numbers numbers = {{values ? values : none, 1, n, n}, FALSE};
  guint part = add_part(b, kind, numbers);
  *is_told = FALSE;
  for (gsize i = 0; i < n; i++)
    *is_told |= made_part(b, part)->matrix->values[i] != usual;
  return part;
}

/* ---- Sections ---------------------------------------------------------------------------------
 */

static void
item_clear(gpointer data)
{
  g_free(((Item *) data)->text);
}

static void
section_free(gpointer data)
{
  Section *section = data;
  g_free(section->title);
  g_ptr_array_unref(section->lines);
  g_free(section);
}

/* Sections, lines in them, and what stands in a line. */
static void
begin_section(Builder *b, Place place, const char *title)
{
  Section *section = g_new0(Section, 1);
  section->title = g_strdup(title);
  section->place = place;
  section->lines = b->lines = g_ptr_array_new_with_free_func((GDestroyNotify) g_array_unref);
  g_ptr_array_add(b->sheet->sections, section);
}

static void
begin_line(Builder *b)
{
  b->line = g_array_new(FALSE, TRUE, sizeof(Item));
  g_array_set_clear_func(b->line, item_clear);
  g_ptr_array_add(b->lines, b->line);
}

static void
add_text(Builder *b, const char *text)
{
  const Item item = {.text = g_strdup(text), .below = -1};
  g_array_append_val(b->line, item);
}

static void
sheet_show(Builder *b, guint part)
{
  const Item item = {.part = part, .below = -1};
  g_array_append_val(b->line, item);
}

static void
show_both(Builder *b, guint part, guint below)
{
  const Item item = {.part = part, .below = (int) below};
  g_array_append_val(b->line, item);
}

/* ---- Life -------------------------------------------------------------------------------------
 */

static void
clear(gpointer subject)
{
  Sheet *sheet = subject;
  g_ptr_array_unref(sheet->sections);
  g_ptr_array_unref(sheet->parts);
  g_free(sheet->title);
  g_free(sheet->subtitle);
  g_free(sheet->model_name);
}

/* Empty. */
static Sheet *
alloc_sheet(void)
{
  Sheet *sheet = regard_subject_alloc(sizeof *sheet, clear);
  sheet->parts = g_ptr_array_new_with_free_func(part_free);
  sheet->sections = g_ptr_array_new_with_free_func(section_free);
  return sheet;
}

/* ---- Steps ----------------------------------------------------------------------------------- */

#define EPSILON 1e-5 /* of layer norms */

/* ---- Parts of every step ----------------------------------------------------------------------
 */

/* "encoder.1.query"; interned. */
static const char *
id_of(const Step *s, const char *name)
{
  g_autofree char *id =
      s->layer < 0 ? g_strdup_printf("%s.%s", regard_kind_id(s->kind), name)
                   : g_strdup_printf("%s.%d.%s", regard_kind_id(s->kind), s->layer + 1, name);
  return g_intern_string(id);
}

/* A tensor of the trace there. head -1: it belongs to none. */
static mt_matrix
traced(const Step *s, mt_hook_point hook_point, int head)
{
  return mt_trace_get(s->b->trace, hook_point, s->kind, s->layer, head);
}

/* Of the tokens of the step: a row each, dimensions as columns. */
static guint
add_rows(const Step *s, const char *name, const char *symbol, const char *formula, mt_matrix values,
         gboolean shows_rows)
{
  const Kind kind = {.id = id_of(s, name),
                     .symbol = symbol,
                     .formula = formula,
                     .rows = s->rows,
                     .cols = REGARD_SHEET_DIMENSIONS,
                     .shows_rows = shows_rows};
  return add_part(s->b, &kind, plain(values));
}

static guint
add_vector(const Step *s, const char *name, const char *symbol, const char *formula,
           const float *values, gsize n, float usual, gboolean *is_told)
{
  const Kind kind = {.id = id_of(s, name),
                     .symbol = symbol,
                     .formula = formula,
                     .rows = REGARD_SHEET_ONE,
                     .cols = REGARD_SHEET_DIMENSIONS,
                     .is_weight = TRUE};
  return sheet_add_vector(s->b, &kind, values, n, usual, is_told);
}

/* One linear map: [W] over [b] = [Y]. The bias is there in files, and printed unless it is all 0.
 */
typedef struct {
  const char *text;                                            /* "Q = X_0 W^Q" */
  const char *w, *w_symbol, *bias, *bias_symbol, *y, *formula; /* names, and what they are */
  mt_matrix weights, result;
  Axis rows; /* of the result */
  const float *bias_values;
} Linear;

static void
add_linear(const Step *s, const Linear *l)
{
  Builder *b = s->b;
  const Kind weights = {.id = id_of(s, l->w),
                        .formula = l->w_symbol,
                        .rows = REGARD_SHEET_DIMENSIONS,
                        .cols = REGARD_SHEET_DIMENSIONS,
                        .is_weight = TRUE};
  gboolean has_bias;
  guint w = add_part(b, &weights, (Numbers){l->weights, TRUE});
  guint bias =
      add_vector(s, l->bias, NULL, l->bias_symbol, l->bias_values, l->weights.rows, 0, &has_bias);
  begin_line(b);
  add_text(b, l->text);
  if (has_bias)
    show_both(b, w, bias);
  else
    sheet_show(b, w);
  add_text(b, "=");
  const Step rows = {b, s->kind, s->layer, l->rows, s->x};
  sheet_show(b, add_rows(&rows, l->y, NULL, l->formula, l->result, TRUE));
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
  Builder *b = s->b;
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
  Kind column = {.id = id_of(s, name[1]),
                 .formula = _("μ, the mean of the row"),
                 .rows = s->rows,
                 .cols = REGARD_SHEET_ONE};
  begin_line(b);
  add_text(b, sum);
  sheet_show(b, add_rows(s, name[0], NULL, sum, input, TRUE));
  add_text(b, "μ");
  sheet_show(b, add_part(b, &column, plain((mt_matrix){mean, input.rows, 1, 1})));
  column.id = id_of(s, name[2]);
  column.formula = _("σ, the standard deviation of the row");
  add_text(b, "σ");
  sheet_show(b, add_part(b, &column, plain((mt_matrix){sigma, input.rows, 1, 1})));

  mt_model_norm(b->model, place, s->kind, (gsize) s->layer, &gain, &bias);
  guint gains = add_vector(s, name[3], NULL, "γ", gain, input.cols, 1, &has_gain);
  guint biases = add_vector(s, name[4], NULL, "β", bias, input.cols, 0, &has_bias);
  begin_line(b);
  add_text(b, text);
  if (has_gain || has_bias) {
    add_text(b, "γ");
    sheet_show(b, gains);
    add_text(b, "β");
    sheet_show(b, biases);
    add_text(b, "=");
  }
  sheet_show(b, add_rows(s, name[5], NULL, formula, output, TRUE));
}

/* ---- Sub-layers -------------------------------------------------------------------------------
 */

static void
add_maps(const Step *s, const char *memory)
{
  static const struct {
    mt_hook_point hook_point;
    const char *w, *w_symbol, *bias, *bias_symbol, *y, *symbol;
  } maps[] = {
      {MT_HOOK_QUERY, "w_query", "W^Q", "b_query", "b^Q", "query", "Q"},
      {MT_HOOK_KEY, "w_key", "W^K", "b_key", "b^K", "key", "K"},
      {MT_HOOK_VALUE, "w_value", "W^V", "b_value", "b^V", "value", "V"},
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
        .result = traced(s, maps[i].hook_point, 0),
        .rows = i > 0 && s->kind == MT_CROSS ? REGARD_SHEET_SOURCE : s->rows,
    };
    add_linear(s, &linear);
  }
}

/* Equation 1: Q Kᵀ, divided by √d_k and masked, the softmax of each row, and its product with V. */
static void
add_weights(const Step *s)
{
  Builder *b = s->b;
  const gboolean is_causal = s->kind == MT_DECODER_SELF;
  mt_matrix q = traced(s, MT_HOOK_QUERY, 0), k = traced(s, MT_HOOK_KEY, 0);
  g_autofree float *products = g_new0(float, q.rows *k.rows);
  for (gsize r = 0; r < q.rows; r++)
    for (gsize c = 0; c < k.rows; c++) {
      double sum = 0;
      for (gsize i = 0; i < q.cols; i++)
        sum += (double) mt_matrix_at(&q, r, i) * mt_matrix_at(&k, c, i);
      products[r * k.rows + c] = (float) sum;
    }
  Kind kind = {.id = id_of(s, "product"),
               .symbol = "Q K^T",
               .formula = "Q K^T",
               .rows = s->rows,
               .cols = s->kind == MT_ENCODER_SELF || s->kind == MT_CROSS ? REGARD_SHEET_SOURCE
                                                                         : REGARD_SHEET_INPUT,
               .shows_rows = TRUE,
               .shows_columns = TRUE};
  begin_line(b);
  add_text(b, "A = softmax\n(Q K^T ÷ √d_k)");
  const mt_matrix product = {products, q.rows, k.rows, k.rows};
  sheet_show(b, add_part(b, &kind, plain(product)));
  kind.id = id_of(s, "scores");
  kind.symbol = is_causal ? _("÷ √d_k, masked") : "÷ √d_k";
  kind.formula = is_causal ? _("Q K^T ÷ √d_k, later tokens masked") : "Q K^T ÷ √d_k";
  kind.is_causal = is_causal;
  kind.shows_rows = FALSE;
  sheet_show(b, add_part(b, &kind, plain(traced(s, MT_HOOK_SCORES, 0))));
  kind.id = id_of(s, "weights");
  kind.symbol = "softmax";
  kind.formula = "A = softmax(Q K^T ÷ √d_k)";
  kind.is_causal = FALSE;
  kind.is_share = TRUE;
  sheet_show(b, add_part(b, &kind, plain(traced(s, MT_HOOK_WEIGHTS, 0))));
}

/* A whole sub-layer, whose result is called y. memory: what keys and values are made of. */
static void
add_attention(const Step *s, const char *memory, const char *y)
{
  g_autofree char *sum = g_strdup_printf("%s + O", s->x);
  add_maps(s, memory);
  add_weights(s);
  mt_matrix context = traced(s, MT_HOOK_CONTEXT, 0);
  begin_line(s->b);
  add_text(s->b, "C = A V");
  sheet_show(s->b, add_rows(s, "context", NULL, "C = A V", context, TRUE));
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
      .result = traced(s, MT_HOOK_ATTENTION_OUTPUT, -1),
      .rows = s->rows,
  };
  add_linear(s, &linear);
  add_norm(s, sum, y, MT_NORM_ATTENTION, traced(s, MT_HOOK_NORM_INPUT, -1),
           traced(s, MT_HOOK_RESIDUAL, -1), TRUE);
}

/* FFN(x) = max(0, x W_1 + b_1) W_2 + b_2, the paper's equation 2. */
static void
add_feed_forward(const Step *s, const char *y)
{
  const mt_stack stack = regard_naming_rows(s->kind);
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
                   .result = traced(s, MT_HOOK_HIDDEN, -1),
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
                    .result = traced(s, MT_HOOK_FEED_FORWARD, -1),
                    .rows = s->rows};
  linear.weights = mt_model_feed_forward_map(s->b->model, stack, (gsize) s->layer, MT_MAP_BACK,
                                             &linear.bias_values);
  add_linear(s, &linear);
  add_norm(s, sum, y, MT_NORM_FEED_FORWARD, traced(s, MT_HOOK_FEED_FORWARD_NORM_INPUT, -1),
           traced(s, MT_HOOK_LAYER_OUTPUT, -1), FALSE);
}

/* ---- The sheet ------------------------------------------------------------------------------- */

#define MOST_WIDTH  8 /* d and d_ff */
#define MOST_TOKENS 8
#define MOST_LAYERS 2
#define MOST_PIECES 20

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

static char *
find_problem(const mt_model *model, const mt_tokens *source, const mt_tokens *target)
{
  const mt_config *c = mt_model_config(model);
  const gsize n_source = mt_tokens_count(source), n_target = mt_tokens_count(target);
  if (!is_small(c))
    return g_strdup_printf(_("A sheet has room for models of d = %d, one head, %d layers a stack "
                             "and %d pieces; %s has "
                             "d = %zu, %zu heads, %zu + %zu layers and %zu pieces"),
                           MOST_WIDTH, MOST_LAYERS, MOST_PIECES, mt_model_name(model), c->d_model,
                           c->n_heads[0], c->n_layers[0], c->n_layers[1], c->vocab_size[1]);
  if (c->normalize_before || c->normalize_embedding || c->add_final_layer_norm ||
      c->attention_window || c->activation != MT_ACTIVATION_RELU || !c->share_embeddings ||
      !c->tie_word_embeddings || c->norm_kind != MT_NORM_LAYER ||
      c->feed_forward_kind != MT_FEED_FORWARD_PLAIN || c->position_kind == MT_POSITIONS_RELATIVE ||
      c->d_head[0] != c->d_model || c->d_head[1] != c->d_model || c->output_scale != 1)
    return g_strdup_printf(_("A sheet shows models as the paper has them: post-norm, ReLU, one "
                             "embedding for all; %s is another"),
                           mt_model_name(model));
  if (n_source > MOST_TOKENS || n_target > MOST_TOKENS)
    return g_strdup_printf(
        _("A sheet has room for %d tokens in each language; these are %zu and %zu"), MOST_TOKENS,
        n_source, n_target);
  return NULL;
}

char *
regard_figure_worksheet_problem(const mt_model *model, const mt_translation *translation)
{
  if (mt_translation_interventions(translation))
    return g_strdup_printf(_("A sheet shows %s as it is, without changes"), mt_model_name(model));
  return find_problem(model, mt_translation_source(translation),
                      mt_translation_hypothesis(translation, 0)->tokens);
}

void
regard_figure_worksheet_add_requests(mt_activation_requests *requests)
{
  for (int hook_point = 0; hook_point < MT_N_HOOK_POINTS; hook_point++)
    requests->requests[requests->n++] =
        (mt_activation_request){.hook_point = (mt_hook_point) hook_point,
                                .kinds = MT_ALL_KINDS,
                                .layers = MT_ALL_LAYERS,
                                .heads = MT_ALL_HEADS};
}

/* ---- The whole --------------------------------------------------------------------------------
 */

/* Every piece with its embedding, and the bias of its logit. */
static void
add_pieces(Builder *b)
{
  const float *bias;
  mt_matrix table = mt_model_output_map(b->model, &bias);
  g_autofree float *zeros = g_new0(float, table.rows);
  const Kind embedding = {.id = "embedding",
                          .symbol = "E",
                          .formula = _("E, the embedding of each piece"),
                          .rows = REGARD_SHEET_PIECES,
                          .cols = REGARD_SHEET_DIMENSIONS,
                          .is_weight = TRUE,
                          .shows_rows = TRUE};
  const Kind biases = {.id = "output_bias",
                       .symbol = "b",
                       .formula = _("b, the bias of each piece's logit"),
                       .rows = REGARD_SHEET_PIECES,
                       .cols = REGARD_SHEET_ONE,
                       .is_weight = TRUE};
  begin_section(b, REGARD_SHEET_LEFT, _("The pieces"));
  begin_line(b);
  sheet_show(b, add_part(b, &embedding, plain(table)));
  sheet_show(b, add_part(b, &biases, plain((mt_matrix){bias ? bias : zeros, table.rows, 1, 1})));
}

/* √d · E + P, the paper's section 3.4 and 3.5. */
static void
add_embedding(const Step *s, gboolean is_scaled)
{
  Builder *b = s->b;
  const char *scaled = is_scaled ? "√d · E" : "E";
  g_autofree char *formula = g_strdup_printf("%s = %s + P", s->x, scaled);
  g_autofree char *text = g_strdup_printf("%s =\n%s + P", s->x, scaled);
  begin_line(b);
  add_text(b, text);
  sheet_show(b, add_rows(s, "embedding", NULL, scaled, traced(s, MT_HOOK_EMBEDDING, -1), TRUE));
  add_text(b, "+");
  sheet_show(b, add_rows(s, "position", NULL, _("P, the encoding of each position"),
                         traced(s, MT_HOOK_POSITION, -1), FALSE));
  add_text(b, "=");
  sheet_show(b, add_rows(s, "stream", NULL, formula, traced(s, MT_HOOK_STREAM, -1), FALSE));
}

/* One stack; returns what it hands on is called. Caller frees. */
static char *
add_stack(Builder *b, mt_stack stack, const char *memory)
{
  const mt_config *config = mt_model_config(b->model);
  const gboolean decodes = stack == MT_STACK_DECODER;
  const Place place = decodes ? REGARD_SHEET_RIGHT : REGARD_SHEET_LEFT;
  const char letter = decodes ? 'Y' : 'X';
  char *x = g_strdup_printf("%c_0", letter);
  Step s = {b, decodes ? MT_DECODER_SELF : MT_ENCODER_SELF, -1,
            decodes ? REGARD_SHEET_INPUT : REGARD_SHEET_SOURCE, x};
  guint n = 0;
  begin_section(b, place, decodes ? _("The translation so far") : _("The source"));
  add_embedding(&s, config->scale_embedding);
  for (gsize l = 0; l < config->n_layers[stack]; l++)
    for (int part = decodes ? 0 : 1; part < 3; part++) {
      /* An encoder has two sub-layers, a decoder three. */
      const gboolean crosses = decodes && part == 1;
      const char *sub_layer = part == 2 ? _("feed-forward network")
                              : crosses ? _("cross-attention")
                                        : _("self-attention");
      g_autofree char *title =
          config->n_layers[stack] > 1
              /* Translators: the last %s is a sub-layer, "self-attention" */
              ? g_strdup_printf(decodes ? _("Decoder, layer %zu: %s") : _("Encoder, layer %zu: %s"),
                                l + 1, sub_layer)
              : g_strdup_printf(decodes ? _("Decoder: %s") : _("Encoder: %s"), sub_layer);
      char *y = g_strdup_printf("%c_%u", letter, ++n);
      s.layer = (int) l;
      s.x = x;
      s.kind = crosses ? MT_CROSS : decodes ? MT_DECODER_SELF : MT_ENCODER_SELF;
      begin_section(b, place, title);
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
add_output(Builder *b, const char *y)
{
  const mt_tokens *output = mt_trace_output(b->trace);
  mt_matrix logits = mt_trace_get(b->trace, MT_HOOK_LOGITS, MT_DECODER_SELF, -1, -1);
  g_autofree float *shares = g_new0(float, logits.rows *logits.cols);
  for (gsize r = 0; r < logits.rows; r++) {
    double most = -INFINITY, sum = 0;
    float *row = shares + r * logits.cols;
    for (gsize c = 0; c < logits.cols; c++)
      row[c] = mt_matrix_at(&logits, r, c);
    mt_model_leave_out(b->model, row);
    for (gsize c = 0; c < logits.cols; c++)
      most = fmax(most, row[c]);
    for (gsize c = 0; c < logits.cols; c++)
      sum += exp(row[c] - most);
    for (gsize c = 0; c < logits.cols; c++)
      row[c] = (float) (exp(row[c] - most) / sum);
  }
  g_autofree char *text = g_strdup_printf("logits =\n%s E^T + b", y);
  g_autofree char *formula = g_strdup_printf("logits = %s E^T + b", y);
  Kind kind = {.id = "decoder.logits",
               .formula = formula,
               .rows = REGARD_SHEET_INPUT,
               .cols = REGARD_SHEET_PIECES,
               .shows_rows = TRUE,
               .shows_columns = TRUE};
  begin_section(b, REGARD_SHEET_BELOW, _("The next piece"));
  begin_line(b);
  add_text(b, text);
  sheet_show(b, add_part(b, &kind, plain(logits)));
  kind.id = "decoder.probabilities";
  kind.formula = "p = softmax(logits)";
  kind.is_share = TRUE;
  kind.shows_columns = FALSE;
  const mt_matrix p = {shares, logits.rows, logits.cols, logits.cols};
  guint part = add_part(b, &kind, plain(p));
  int *marked = g_new0(int, logits.rows);
  for (gsize r = 0; r < logits.rows; r++)
    marked[r] = mt_tokens_get(output, r)->id;
  made_part(b, part)->marked = marked;
  begin_line(b);
  add_text(b, "p =\nsoftmax(logits)");
  sheet_show(b, part);
}

static Sheet *
new_sheet(const mt_model *model, const mt_trace *trace, const char *source, const char *translation)
{
  const mt_config *c = mt_model_config(model);
  Builder b = {.model = model, .trace = trace, .sheet = alloc_sheet()};
  b.sheet->title = g_strdup_printf("“%s” → “%s”", source, translation);
  b.sheet->model_name = g_strdup(mt_model_name(model));
  b.sheet->subtitle = g_strdup_printf(
      /* Translators: d_{ff} is drawn with an index */
      _("%zu + %zu layers, one head · d = d_k = %zu, √d = √d_k = %.4g · d_{ff} = %zu · %zu pieces"),
      c->n_layers[0], c->n_layers[1], c->d_model, sqrt((double) c->d_model), c->d_ffn[0],
      c->vocab_size[1]);
  add_pieces(&b);
  g_autofree char *memory = add_stack(&b, MT_STACK_ENCODER, NULL);
  g_autofree char *last = add_stack(&b, MT_STACK_DECODER, memory);
  add_output(&b, last);
  return b.sheet;
}

/* ---- Texts, numbers, one matrix -------------------------------------------------------------- */

/* Measures of several files, in font sizes. */
#define REGARD_SHEET_PITCH   1.42 /* of rows */
#define REGARD_SHEET_SECTION 1.1  /* below a section */

/* What a sheet is drawn on. All widths are in proportion to the font. */
typedef struct {
  RegardCanvas *canvas;
  const RegardPalette *palette;
  const Sheet *sheet;
  double font;
  double cell, weight_cell; /* widths of a computed number and of a weight */
  double row_labels;        /* of the labels of rows */
} Page;

static inline const Part *
part_of(const Page *p, guint index)
{
  return p->sheet->parts->pdata[index];
}

/* Measures in font sizes. */
#define SYMBOL   1.3  /* height of what stands over a matrix, and of its columns' labels */
#define CELL_GAP 0.72 /* between two numbers */
#define BRACKET  0.35
#define SMALL    0.88 /* symbols and labels, of the font */
#define RAISED   0.72 /* what is raised or lowered */
#define CHOICE   0.8  /* before what was chosen */

/* ---- Texts with raised and lowered letters ----------------------------------------------------
 */

/* The next run of a text: letters on the line, raised (1) or lowered (-1). NULL at the end. */
static char *
next_run(const char **text, int *level)
{
  const char *p = *text;
  *level = 0;
  if (*p == '^' || *p == '_') {
    *level = *p++ == '^' ? 1 : -1;
    const char *end = *p == '{' ? strchr(p, '}') : NULL;
    if (end) {
      *text = end + 1;
      return g_strndup(p + 1, (gsize) (end - p - 1));
    }
    end = *p ? g_utf8_next_char(p) : p;
    *text = end;
    return g_strndup(p, (gsize) (end - p));
  }
  gsize n = strcspn(p, "^_");
  *text = p + n;
  return n ? g_strndup(p, n) : NULL;
}

/* Draws from x on if draws, and returns how wide it is. */
static double
write_text(const Page *p, double x, double baseline, const char *text, guint32 argb, double size,
           gboolean draws)
{
  double width = 0;
  int level;
  char *run;
  while ((run = next_run(&text, &level))) {
    const double run_size = level ? size * RAISED : size;
    const RegardSpan span = {run, argb, FALSE};
    if (draws)
      regard_canvas_text(p->canvas, x + width,
                         baseline - (level > 0   ? 0.42
                                     : level < 0 ? -0.2
                                                 : 0) *
                                        size,
                         &span, 1, run_size, REGARD_ANCHOR_START, 0);
    width += regard_canvas_text_width(p->canvas, &span, 1, run_size) + (level ? 0.06 * size : 0);
    g_free(run);
  }
  return width;
}

/* A text of one line or two, about y = middle; returns how wide it is. */
static double
write_lines(const Page *p, double x, double middle, const char *text, gboolean draws)
{
  g_auto(GStrv) lines = g_strsplit(text, "\n", 2);
  const double size = p->font, pitch = REGARD_SHEET_PITCH * size;
  const guint n = g_strv_length(lines);
  double width = 0;
  for (guint i = 0; i < n; i++) {
    const double baseline = middle + 0.36 * size + (i - (n - 1) / 2.0) * pitch;
    width = MAX(width, write_text(p, x, baseline, lines[i], p->palette->text, size, draws));
  }
  return width;
}

static double
text_width(const Page *p, const char *text, double size)
{
  RegardSpan span = {text, 0xff000000, FALSE};
  return regard_canvas_text_width(p->canvas, &span, 1, size);
}

/* ---- Numbers ----------------------------------------------------------------------------------
 */

/* With a minus as long as a plus. */
static char *
print_number(const Part *part, guint row, guint col)
{
  const float value = regard_matrix_get(part->matrix, row, col);
  char number[G_ASCII_DTOSTR_BUF_SIZE], format[8];
  if (!isfinite(value))
    return g_strdup(value < 0 ? "−∞" : "∞");
  g_snprintf(format, sizeof format, "%%.%uf", value == 0 && part->is_weight ? 0 : part->decimals);
  regard_formatd(number, sizeof number, format, fabsf(value));
  return g_strconcat(value < 0 ? "−" : "", number, NULL);
}

/* ---- One matrix -------------------------------------------------------------------------------
 */

/* Of the widest of its numbers. */
static double
own_width(const Page *p, const Part *part)
{
  double width = 0;
  for (guint r = 0; r < part->matrix->rows; r++)
    for (guint c = 0; c < part->matrix->cols; c++) {
      g_autofree char *number = print_number(part, r, c);
      width = MAX(width, text_width(p, number, p->font));
    }
  return width + CELL_GAP * p->font;
}

/* Labels of columns may be wider than numbers; a column alone is as wide as its own. */
static double
cell_width(const Page *p, const Part *part)
{
  double width = part->is_weight ? p->weight_cell : p->cell;
  if (part->matrix->cols == 1)
    return own_width(p, part);
  for (guint c = 0; part->shows_columns && c < part->matrix->cols; c++)
    width = MAX(width,
                text_width(p, part->matrix->col_labels[c].text, p->font * SMALL) + 0.4 * p->font);
  return width;
}

/* Widths that all numbers and all labels of rows have. */
static void
measure(Page *p)
{
  for (guint i = 0; i < p->sheet->parts->len; i++) {
    const Part *part = p->sheet->parts->pdata[i];
    double *cell = part->is_weight ? &p->weight_cell : &p->cell;
    *cell = MAX(*cell, own_width(p, part));
    for (guint r = 0; part->shows_rows && r < part->matrix->rows; r++)
      p->row_labels =
          MAX(p->row_labels, text_width(p, part->matrix->row_labels[r].text, p->font * SMALL));
  }
  p->row_labels += 0.5 * p->font;
}

/* What was chosen in a row, as it stands behind the row. Caller frees. */
static char *
print_choice(const Part *part, guint row)
{
  return g_strconcat("→ ", part->matrix->col_labels[part->marked[row]].text, NULL);
}

/* Without the labels of its rows. */
static double
numbers_width(const Page *p, const Part *part)
{
  double choice = 0;
  for (guint r = 0; part->marked && r < part->matrix->rows; r++) {
    g_autofree char *text = print_choice(part, r);
    const RegardSpan span = {text, 0, TRUE};
    choice = MAX(choice, CHOICE * p->font + regard_canvas_text_width(p->canvas, &span, 1, p->font));
  }
  return part->matrix->cols * cell_width(p, part) + 2 * BRACKET * p->font + choice;
}

/* How wide a matrix is, with the labels of its rows and without, and how high what stands over it.
 */
static double
part_width(const Page *p, const Part *part)
{
  return (part->shows_rows ? p->row_labels : 0) + numbers_width(p, part);
}

/* Of what stands over the numbers. */
static double
part_head(const Page *p, const Part *part)
{
  return ((part->symbol ? SYMBOL : 0) + (part->shows_columns ? SYMBOL : 0)) * p->font;
}

static void
draw_brackets(const Page *p, RegardRect box)
{
  const double tick = 0.3 * p->font, line = 0.07 * p->font;
  const double sides[] = {box.x, box.x + box.width}, inward[] = {tick, -tick};
  for (int i = 0; i < 2; i++) {
    const RegardPoint points[] = {{sides[i] + inward[i], box.y},
                                  {sides[i], box.y},
                                  {sides[i], box.y + box.height},
                                  {sides[i] + inward[i], box.y + box.height}};
    regard_canvas_polyline(p->canvas, points, G_N_ELEMENTS(points),
                           &(RegardPen){line, 0, 0, p->palette->frame});
  }
}

/* How much of a share is seen behind it. */
static guint32
tint(const Page *p, double share)
{
  return (p->palette->badge_fill & 0xffffff) | (guint32) lround(255 * CLAMP(share, 0, 1)) << 24;
}

static void
draw_cell(const Page *p, const Part *part, guint index, guint row, guint col, RegardRect cell)
{
  const float value = regard_matrix_get(part->matrix, row, col);
  const gboolean is_marked = part->marked && part->marked[row] == (int) col;
  const gboolean is_dim = (part->is_weight && value == 0) || !isfinite(value);
  g_autofree char *number = print_number(part, row, col);
  if (part->is_share)
    regard_canvas_fill_rect(p->canvas,
                            (RegardRect){cell.x + 0.08 * p->font, cell.y + 0.06 * p->font,
                                         cell.width - 0.16 * p->font, cell.height - 0.12 * p->font},
                            0.2 * p->font, tint(p, value));
  regard_figure_text(p->canvas, cell.x + cell.width - CELL_GAP / 2 * p->font,
                     cell.y + (REGARD_SHEET_PITCH / 2 + 0.36) * p->font, number,
                     is_dim      ? p->palette->dim
                     : is_marked ? p->palette->badge_text
                                 : p->palette->text,
                     is_marked, p->font, REGARD_ANCHOR_END, 0);
  regard_canvas_spot(p->canvas, cell, (int) index, (int) row, (int) col);
}

/* With its first row of numbers at y = top. */
static void
draw_part(const Page *p, guint index, double x, double top)
{
  const Part *part = p->sheet->parts->pdata[index];
  const RegardMatrix *m = part->matrix;
  const double pitch = REGARD_SHEET_PITCH * p->font, cell = cell_width(p, part);
  const double left = x + (part->shows_rows ? p->row_labels : 0);
  const RegardRect box = {left, top, m->cols * cell + 2 * BRACKET * p->font, m->rows * pitch};
  regard_canvas_begin_group(p->canvas, m->id);
  if (part->is_weight)
    regard_canvas_fill_rect(p->canvas, box, 0.3 * p->font, p->palette->bar_background);
  else
    draw_brackets(p, box);
  if (part->symbol) {
    const double baseline = top - part_head(p, part) + (SYMBOL - 0.35) * p->font;
    double width = write_text(p, 0, 0, part->symbol, 0, p->font * SMALL, FALSE);
    write_text(p, left + (box.width - width) / 2, baseline, part->symbol, p->palette->dim,
               p->font * SMALL, TRUE);
  }
  for (guint c = 0; part->shows_columns && c < m->cols; c++)
    regard_figure_text(p->canvas,
                       left + BRACKET * p->font + (c + 1) * cell - CELL_GAP / 2 * p->font,
                       top - 0.35 * p->font, m->col_labels[c].text, p->palette->dim, FALSE,
                       p->font * SMALL, REGARD_ANCHOR_END, 0);
  for (guint r = 0; r < m->rows; r++) {
    const double y = top + r * pitch;
    if (part->shows_rows)
      regard_figure_text(p->canvas, left - 0.4 * p->font,
                         y + (REGARD_SHEET_PITCH / 2 + 0.33) * p->font, m->row_labels[r].text,
                         p->palette->dim, FALSE, p->font * SMALL, REGARD_ANCHOR_END, 0);
    for (guint c = 0; c < m->cols; c++)
      draw_cell(p, part, index, r, c,
                (RegardRect){left + BRACKET * p->font + c * cell, y, cell, pitch});
    if (part->marked) {
      g_autofree char *chosen = print_choice(part, r);
      regard_figure_text(p->canvas, box.x + box.width + CHOICE * p->font,
                         y + (REGARD_SHEET_PITCH / 2 + 0.36) * p->font, chosen,
                         p->palette->badge_text, TRUE, p->font, REGARD_ANCHOR_START, 0);
    }
  }
  regard_canvas_end_group(p->canvas);
}

/* ---- Lines of them --------------------------------------------------------------------------- */

/* Measures in font sizes. */
#define FIRST_TEXT 7.6  /* texts that begin a line take so much, so that matrices line up */
#define ITEM_GAP   0.55 /* between what stands in a line */
#define LINE_GAP   0.75
#define HEAD       2.5  /* a section's title */
#define BELOW      0.25 /* between weights and their bias */

static double
item_width(const Page *p, const Item *item, gboolean is_first)
{
  if (!item->text)
    return part_width(p, part_of(p, item->part));
  double width = write_lines(p, 0, 0, item->text, FALSE);
  return is_first ? MAX(width, FIRST_TEXT * p->font) : width;
}

/* Of its rows of numbers, those below too. */
static double
item_height(const Page *p, const Item *item)
{
  double height = part_of(p, item->part)->matrix->rows * REGARD_SHEET_PITCH;
  if (item->below >= 0)
    height += part_of(p, (guint) item->below)->matrix->rows * REGARD_SHEET_PITCH + BELOW;
  return height * p->font;
}

/* Items [first, end) stand beside each other: what fits, and no sign apart from what it is about.
 * How much they need above and below their middle. */
static guint
fill_line(const Page *p, const GArray *line, guint first, double room, double *above, double *below)
{
  double x = 0;
  guint end = first;
  *above = *below = REGARD_SHEET_PITCH / 2 * p->font;
  while (end < line->len) {
    double width = 0, up = 0, down = 0;
    guint next = end;
    for (gboolean is_text = TRUE; is_text && next < line->len; next++) {
      const Item *item = &g_array_index(line, Item, next);
      is_text = item->text != NULL;
      width += item_width(p, item, next == 0) + ITEM_GAP * p->font;
      if (!is_text) {
        down = item_height(p, item) / 2;
        up = down + part_head(p, part_of(p, item->part));
      }
    }
    if (end > first && x + width - ITEM_GAP * p->font > room)
      break;
    x += width;
    *above = MAX(*above, up);
    *below = MAX(*below, down);
    end = next;
  }
  return end;
}

static void
draw_item(const Page *p, const Item *item, double x, double middle)
{
  if (item->text) {
    write_lines(p, x, middle, item->text, TRUE);
    return;
  }
  const Part *part = part_of(p, item->part);
  const double top = middle - item_height(p, item) / 2;
  draw_part(p, item->part, x, top);
  if (item->below < 0)
    return;
  const double below = top + (part->matrix->rows * REGARD_SHEET_PITCH + BELOW) * p->font;
  draw_part(p, (guint) item->below, x, below);
  regard_figure_text(p->canvas, x - 0.35 * p->font,
                     below + (REGARD_SHEET_PITCH / 2 + 0.36) * p->font, "+", p->palette->text,
                     FALSE, p->font, REGARD_ANCHOR_END, 0);
}

/* Where a line goes on that did not fit: its matrix stands below the first one. */
static double
indent(const Page *p, const GArray *line, guint first)
{
  const Item *item = &g_array_index(line, Item, first);
  double x = (FIRST_TEXT + ITEM_GAP) * p->font + p->row_labels;
  if (item->text) {
    x -= item_width(p, item, FALSE) + ITEM_GAP * p->font;
    item++; /* no sign is the last item */
  }
  return part_of(p, item->part)->shows_rows ? x - p->row_labels : x;
}

/* A line, or as many as it takes in that width; returns its height. */
static double
draw_line(const Page *p, const GArray *line, double x0, double y, double width)
{
  const double start = y;
  guint first = 0;
  while (first < line->len) {
    const double left = first ? indent(p, line, first) : 0;
    double above, below, x = x0 + left;
    guint end = fill_line(p, line, first, width - left, &above, &below);
    for (guint i = first; i < end; i++) {
      const Item *item = &g_array_index(line, Item, i);
      draw_item(p, item, x, y + above);
      x += item_width(p, item, i == 0) + ITEM_GAP * p->font;
    }
    y += above + below + LINE_GAP * p->font;
    first = end;
  }
  return y - start;
}

/* Returns its height. */
static double
draw_section(const Page *p, guint number, const Section *section, double x, double y, double width)
{
  const double start = y;
  g_autofree char *label = g_strdup_printf("%u", number);
  const double disc = 1.5 * p->font;
  regard_canvas_begin_group(p->canvas, section->title);
  regard_canvas_fill_rect(p->canvas, (RegardRect){x, y + 0.1 * p->font, disc, disc}, disc / 2,
                          p->palette->badge_fill);
  regard_figure_text(p->canvas, x + disc / 2, y + 1.18 * p->font, label, p->palette->badge_text,
                     TRUE, p->font * 0.9, REGARD_ANCHOR_MIDDLE, 0);
  regard_figure_text(p->canvas, x + disc + 0.6 * p->font, y + 1.22 * p->font, section->title,
                     p->palette->text, TRUE, p->font * 1.05, REGARD_ANCHOR_START, 0);
  y += HEAD * p->font;
  for (guint i = 0; i < section->lines->len; i++)
    y += draw_line(p, section->lines->pdata[i], x, y, width);
  regard_canvas_end_group(p->canvas);
  return y - start + REGARD_SHEET_SECTION * p->font;
}

/* What the sections of a column need, or those below: a matrix behind the text of its line. */
static double
least_width(const Page *p, gboolean below)
{
  double most = 0;
  for (guint i = 0; i < p->sheet->sections->len; i++) {
    const Section *section = p->sheet->sections->pdata[i];
    if ((section->place == REGARD_SHEET_BELOW) != below)
      continue;
    for (guint l = 0; l < section->lines->len; l++) {
      const GArray *line = section->lines->pdata[l];
      for (guint k = 0; k < line->len; k++) {
        const Item *item = &g_array_index(line, Item, k);
        if (!item->text)
          most = MAX(most, (FIRST_TEXT + ITEM_GAP) * p->font + p->row_labels +
                               numbers_width(p, part_of(p, item->part)));
      }
    }
  }
  return most;
}

/* Measures in font sizes. */
#define MARGIN      3.0  /* of the page */
#define GUTTER      2.4  /* between the two columns */
#define NOTE        1.6  /* pitch of the notes */
#define MOST_FILLED 0.86 /* of a page: a sheet that is as high gets all of it */
#define MOST_OVER   1.06 /* of a page: up to this it is made to fit */

/* ---- The page ---------------------------------------------------------------------------------
 */

static double
draw_title(const Page *p, const RegardFigureStyle *style, double x, double y, double width)
{
  const double start = y;
  if (!regard_figure_has(style, REGARD_PART_TITLE))
    return 0;
  regard_canvas_begin_group(p->canvas, "title");
  y += 2.1 * p->font;
  const double subtitle = write_text(p, 0, 0, p->sheet->subtitle, 0, p->font, FALSE);
  g_autofree char *title = regard_canvas_ellipsize(p->canvas, p->sheet->title, TRUE, 2.3 * p->font,
                                                   MAX(width - subtitle - 2 * p->font, 0));
  regard_figure_text(p->canvas, x, y, title, p->palette->text, TRUE, 2.3 * p->font,
                     REGARD_ANCHOR_START, 0);
  write_text(p, x + width - subtitle, y, p->sheet->subtitle, p->palette->dim, p->font, TRUE);
  y += 1.0 * p->font;
  regard_canvas_stroke_line(p->canvas, x, y, x + width, y, 0.1 * p->font, p->palette->frame);
  regard_canvas_end_group(p->canvas);
  return y - start + 1.9 * p->font;
}

/* How the sheet is to be read, in lines. Caller frees. */
static char **
dup_notes(void)
{
  g_autofree char *notes = g_strjoin(
      "\n",
      /* Translators: these are notes at the foot of a sheet; a note may have several lines, and
       * none should be longer than in English. σ^2 and 10^{−5} are drawn with powers. */
      _("On grey: weights of the model, exact. In brackets: what is computed of them,\nrounded to "
        "three decimals. A row is a token, a column a dimension."),
      _("Biases that are not printed are 0, and gains of layer norms 1."),
      _("softmax: e^x of each number, divided by the sum of these in its row."),
      _("μ, σ: mean and standard deviation of a row, σ^2 = the mean of (x − μ)^2 + 10^{−5}."),
      _("Each number follows from printed ones, as nearly as they are rounded."), NULL);
  return g_strsplit(notes, "\n", -1);
}

static double
notes_width(const Page *p)
{
  g_auto(GStrv) notes = dup_notes();
  double most = 0;
  for (char **note = notes; *note; note++)
    most = MAX(most, write_text(p, 0, 0, *note, 0, p->font, FALSE));
  return most;
}

static double
notes_height(const Page *p)
{
  g_auto(GStrv) notes = dup_notes();
  return (g_strv_length(notes) * NOTE + REGARD_SHEET_SECTION) * p->font;
}

static void
draw_notes(const Page *p, double x, double y)
{
  g_auto(GStrv) notes = dup_notes();
  regard_canvas_begin_group(p->canvas, "notes");
  for (guint i = 0; notes[i]; i++)
    write_text(p, x, y + (i + 0.7) * NOTE * p->font, notes[i], p->palette->dim, p->font, TRUE);
  regard_canvas_end_group(p->canvas);
}

/* Everything, with so much more below each section; returns its height. */
static double
lay_out(RegardFigure *figure, RegardCanvas *canvas, double width, double font, double slack)
{
  const Sheet *sheet = figure->subject;
  Page p = {.canvas = canvas,
            .palette = regard_figure_palette(&figure->style),
            .sheet = sheet,
            .font = font};
  measure(&p);
  /* No column is narrower than a matrix: what is printed in it is smaller then. All widths are in
   * proportion to the font. */
  const double need =
      MAX(2 * MAX(least_width(&p, FALSE), notes_width(&p)) + (2 * MARGIN + GUTTER) * font,
          least_width(&p, TRUE) + 2 * MARGIN * font);
  if (need > width) {
    font *= width / need;
    p.cell *= width / need;
    p.weight_cell *= width / need;
    p.row_labels *= width / need;
    p.font = font;
  }
  const double margin = MARGIN * font, inner = width - 2 * margin;
  const double column = (inner - GUTTER * font) / 2;
  const double top = margin + draw_title(&p, &figure->style, margin, margin, inner);
  double ends[2] = {top, top};
  guint i = 0;
  for (; i < sheet->sections->len; i++) {
    const Section *section = sheet->sections->pdata[i];
    const int side = section->place == REGARD_SHEET_RIGHT;
    if (section->place == REGARD_SHEET_BELOW)
      break;
    ends[side] += slack + draw_section(&p, i + 1, section, margin + side * (column + GUTTER * font),
                                       ends[side], column);
  }
  /* At the foot of the shorter column, as a rule the encoder's. */
  double y = MAX(ends[0] + notes_height(&p), ends[1]);
  draw_notes(&p, margin, y - notes_height(&p));
  for (; i < sheet->sections->len; i++)
    y += slack + draw_section(&p, i + 1, sheet->sections->pdata[i], margin, y, inner);
  regard_figure_model(canvas, p.palette, &figure->style, sheet->model_name, width - margin, y, 0,
                      font * 0.9);
  return y + margin;
}

/* What nearly fills a page of A4, or of any size of its shape, fills it; what is a little higher
 * has letters that are as much smaller. */
static double
draw(RegardFigure *figure, RegardCanvas *canvas, double width, double font)
{
  const double page = width * G_SQRT2;
  g_autoptr(RegardCanvas) measuring = regard_canvas_new_measure();
  measuring->family = canvas->family;
  double height = lay_out(figure, measuring, width, font, 0);
  if (height > MOST_OVER * page || height < MOST_FILLED * page)
    return lay_out(figure, canvas, width, font, 0);
  while (height > page) {
    font *= 0.99;
    height = lay_out(figure, measuring, width, font, 0);
  }
  /* Sections of the longer column and those below: as tall as the page for so much a section. */
  const double one = lay_out(figure, measuring, width, font, 1) - height;
  lay_out(figure, canvas, width, font, (page - height) / one);
  return page;
}

/* ---- The figure -------------------------------------------------------------------------------
 */

static guint
n_matrices(RegardFigure *figure)
{
  return ((const Sheet *) figure->subject)->parts->len;
}

static Part *
part_at(RegardFigure *figure, guint i)
{
  return ((const Sheet *) figure->subject)->parts->pdata[i];
}

static RegardMatrix *
new_matrix(RegardFigure *figure, guint i)
{
  return regard_matrix_ref(part_at(figure, i)->matrix);
}

static void
append_what(RegardFigure *figure, GString *caption)
{
  /* Translators: a sentence and its translation, in quotation marks */
  regard_words_add_sentence(caption, _("The whole computation of %s."),
                            ((const Sheet *) figure->subject)->title);
}

/* "Q = X W Q, token cat, dimension 2: 0.500". */
static char *
describe_spot(RegardFigure *figure, const RegardSpot *spot)
{
  const Part *part = part_at(figure, (guint) spot->part);
  const RegardMatrix *m = part->matrix;
  g_autofree char *number = print_number(part, (guint) spot->row, (guint) spot->col);
  g_autoptr(GString) text = g_string_new(NULL);
  const char *formula = part->formula;
  int level;
  char *run;
  while ((run = next_run(&formula, &level))) {
    g_string_append(text, run);
    g_free(run);
  }
  const char *row = regard_matrix_spoken(m->row_labels[spot->row].text),
             *column = regard_matrix_spoken(m->col_labels[spot->col].text);
  if (m->rows > 1 && m->cols > 1)
    /* Translators: a formula, and nouns with their names: "Q = X W Q, token cat, dimension 2: 0.5"
     */
    return g_strdup_printf(_("%s, %s %s, %s %s: %s"), text->str, m->row_noun, row, m->col_noun,
                           column, number);
  if (m->rows > 1)
    return g_strdup_printf(_("%s, %s %s: %s"), text->str, m->row_noun, row, number);
  return m->cols > 1 ? g_strdup_printf(_("%s, %s %s: %s"), text->str, m->col_noun, column, number)
                     : g_strdup_printf(_("%s: %s"), text->str, number);
}

static char *
copy_spot(RegardFigure *figure, const RegardSpot *spot)
{
  const Part *part = part_at(figure, (guint) spot->part);
  const float value = regard_matrix_get(part->matrix, (guint) spot->row, (guint) spot->col);
  return isinf(value) ? g_strdup(value < 0 ? "-inf" : "inf") : regard_exact_copy(value);
}

RegardFigure *
regard_figure_new_worksheet(const mt_model *model, const mt_translation *translation,
                            const mt_trace *trace, const RegardFigureStyle *style)
{
  static const RegardFigureClass klass = {
      .draw = draw,
      .n_matrices = n_matrices,
      .new_matrix = new_matrix,
      .append_what = append_what,
      .has_no_scale = TRUE,
      .has_parts = TRUE,
      .describe_spot = describe_spot,
      .copy_spot = copy_spot,
  };
  return regard_figure_new(&klass,
                           new_sheet(model, trace,
                                     mt_tokens_text(mt_translation_source(translation)),
                                     mt_translation_hypothesis(translation, 0)->text),
                           NULL, TRUE, style);
}
