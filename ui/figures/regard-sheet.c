/* regard-sheet.c — what stands on a sheet, in the order of computation.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-sheet-private.h"

#include <math.h>

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
  regard_sheet_show(b, regard_sheet_add(b, &embedding, regard_sheet_plain(table)));
  regard_sheet_show(b, regard_sheet_add(b, &biases,
                                        regard_sheet_plain(
                                            (mt_matrix){bias ? bias : zeros, table.rows, 1, 1})));
}

/* √d · E + P, the paper's section 3.4 and 3.5. */
static void
add_embedding(const RegardSheetStep *s, gboolean is_scaled)
{
  RegardSheetBuilder *b = s->b;
  const char *scaled = is_scaled ? "√d · E" : "E";
  g_autofree char *formula = g_strdup_printf("%s = %s + P", s->x, scaled);
  g_autofree char *text = g_strdup_printf("%s =\n%s + P", s->x, scaled);
  regard_sheet_begin_line(b);
  regard_sheet_text(b, text);
  regard_sheet_show(b, regard_sheet_add_rows(s, "embedding", NULL, scaled,
                                             regard_sheet_traced(s, MT_SITE_EMBEDDING, -1), TRUE));
  regard_sheet_text(b, "+");
  regard_sheet_show(b,
                    regard_sheet_add_rows(s, "position", NULL, "P, the encoding of each position",
                                          regard_sheet_traced(s, MT_SITE_POSITION, -1), FALSE));
  regard_sheet_text(b, "=");
  regard_sheet_show(b, regard_sheet_add_rows(s, "stream", NULL, formula,
                                             regard_sheet_traced(s, MT_SITE_STREAM, -1), FALSE));
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
  RegardSheetStep s = {b, decodes ? MT_DECODER_SELF : MT_ENCODER_SELF, -1,
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
        regard_sheet_add_feed_forward(&s, y);
      else
        regard_sheet_add_attention(&s, crosses ? memory : x, y);
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
  RegardSheetKind kind = {.id = "decoder.logits",
                          .formula = formula,
                          .rows = REGARD_SHEET_INPUT,
                          .cols = REGARD_SHEET_PIECES,
                          .shows_rows = TRUE,
                          .shows_columns = TRUE};
  regard_sheet_begin(b, REGARD_SHEET_BELOW, "The next piece");
  regard_sheet_begin_line(b);
  regard_sheet_text(b, text);
  regard_sheet_show(b, regard_sheet_add(b, &kind, regard_sheet_plain(logits)));
  kind.id = "decoder.probabilities";
  kind.formula = "p = softmax(logits)";
  kind.is_share = TRUE;
  kind.shows_columns = FALSE;
  const mt_matrix p = {shares, logits.rows, logits.cols, logits.cols};
  guint part = regard_sheet_add(b, &kind, regard_sheet_plain(p));
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
