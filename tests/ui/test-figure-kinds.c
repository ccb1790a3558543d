/* test-figure-kinds.c — pictures of models that are not as the paper has them: RMS norms, gated
 * networks, relative positions, scores without a divisor, no biases, a norm after the embedding.
 * What they do not have is nowhere, what they have instead is there, and the numbers are theirs.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../engine/sentences.h"
#include "canvas-recorder.h"
#include "figures/regard-complexity.h"
#include "figures/regard-embedding.h"
#include "figures/regard-equations.h"
#include "figures/regard-naming.h"
#include "figures/regard-relative.h"
#include "figures/regard-token-card.h"
#include "figures/regard-walkthrough.h"
#include "suite.h"

#include <math.h>
#include <string.h>

#define TEXT "The small dog sees a house"

/* ---- Helpers ----------------------------------------------------------------------------------
 */

static RegardFigureStyle
plain_style(void)
{
  const RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;
  return style;
}

/* All words of a figure, a line each. Caller frees. */
static char *
words_of(RegardFigure *figure)
{
  GString *words = g_string_new(NULL);
  Recorder *r = record(figure, 700, 7);
  assert_on_page(r, figure, 700, 7);
  for (guint i = 0; i < r->texts->len; i++)
    g_string_append_printf(words, "%s\n", g_array_index(r->texts, Written, i).text);
  regard_canvas_free(&r->parent);
  return g_string_free(words, FALSE);
}

static void
assert_says(const char *words, const char *part, gboolean does)
{
  if ((strstr(words, part) != NULL) != does)
    g_error("expected %s“%s” in:\n%s", does ? "" : "no ", part, words);
}

/* What the spots of a part say, each with the number that is copied. */
static GPtrArray *
describe_all(RegardFigure *figure, int part)
{
  g_autoptr(GArray) spots = regard_figure_spots(figure, 700, 7, NULL);
  GPtrArray *all = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < spots->len; i++) {
    const RegardSpot *spot = &g_array_index(spots, RegardSpot, i);
    if (spot->part == part)
      g_ptr_array_add(all, regard_figure_describe_spot(figure, spot));
  }
  return all;
}

static RegardWalkthrough *
walk(mt_model *model, mt_attention_kind kind, guint query)
{
  mt_error error = {0};
  mt_activation_requests requests = {0};
  mt_session *session = sentences_session(model, 1, false);
  mt_translation *translation = sentences_translate(session, TEXT, 1, NULL);
  regard_walkthrough_requests(kind, 1, &requests);
  const mt_hooks hooks = {.requests = &requests};
  mt_trace *trace = mt_trace_new(model, translation, 0, &hooks, &error);
  g_assert_nonnull(trace);
  RegardWalkthrough *in = regard_walkthrough_new(model, trace, kind, 1, 2, query, -1, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  mt_trace_unref(trace);
  mt_translation_unref(translation);
  mt_session_free(session);
  return in;
}

static RegardLayers *
layers_of(mt_model *model)
{
  mt_error error = {0};
  mt_activation_requests requests = {0};
  mt_session *session = sentences_session(model, 1, false);
  mt_translation *translation = sentences_translate(session, TEXT, 1, NULL);
  regard_layers_requests(&requests, FALSE);
  const mt_hooks hooks = {.requests = &requests};
  mt_trace *trace = mt_trace_new(model, translation, 0, &hooks, &error);
  g_assert_nonnull(trace);
  RegardLayers *layers = regard_layers_new(model, trace, NULL, FALSE, NULL, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  mt_trace_unref(trace);
  mt_translation_unref(translation);
  mt_session_free(session);
  return layers;
}

/* ---- Equations --------------------------------------------------------------------------------
 */

static void
test_equations(void)
{
  mt_config c = {.score_divisor = {8, 8}, .scale_embedding = true};
  g_assert_cmpstr(regard_equation_attention(&c, MT_CROSS, FALSE), ==, "softmax(Q Kᵀ / √d_k) V");
  g_assert_cmpstr(regard_equation_scores(&c, MT_CROSS), ==, "Q Kᵀ ÷ √d_k + mask");
  g_assert_cmpstr(regard_equation_embedding(&c), ==, "√d · e + p");
  g_assert_cmpstr(regard_equation_norm(&c), ==, "γ (x − μ) ÷ σ + β");
  g_assert_cmpstr(regard_norm_title(&c), ==, "Layer norm");

  c = (mt_config){.score_divisor = {1, 1},
                  .position_kind = MT_POSITIONS_RELATIVE,
                  .norm_kind = MT_NORM_RMS};
  g_assert_cmpstr(regard_equation_attention(&c, MT_ENCODER_SELF, FALSE), ==, "softmax(Q Kᵀ + B) V");
  g_assert_cmpstr(regard_equation_attention(&c, MT_DECODER_SELF, TRUE), ==, "softmax(q Kᵀ + b) V");
  g_assert_cmpstr(regard_equation_attention(&c, MT_CROSS, FALSE), ==, "softmax(Q Kᵀ) V");
  g_assert_cmpstr(regard_equation_scores(&c, MT_ENCODER_SELF), ==, "Q Kᵀ + B + mask");
  g_assert_cmpstr(regard_equation_embedding(&c), ==, "e");
  g_assert_cmpstr(regard_equation_norm(&c), ==, "γ x ÷ σ");
  g_assert_cmpstr(regard_norm_name(&c), ==, "RMS norm");
}

/* ---- Inside -----------------------------------------------------------------------------------
 */

/* Scores are q·k and the bias of the distance, weights their softmax, parts add up to the score. */
static void
assert_scores(const RegardWalkthrough *in)
{
  const mt_stack stack = regard_naming_rows(in->kind);
  const mt_config *config = mt_model_config(in->model);
  g_assert_false(in->is_changed);
  for (guint j = 0; j < in->cols; j++) {
    const long distance = (long) j - (long) in->query;
    const double bias = mt_model_score_bias(in->model, in->kind, in->layer, in->head, distance);
    const double score = in->product[j] / config->score_divisor[stack] + bias;
    g_assert_cmpfloat_with_epsilon(in->scaled[j], score, 1e-5);
    if (!in->allowed[j])
      continue;
    g_assert_cmpfloat_with_epsilon(in->scaled[j], mt_matrix_at(&in->scores, in->query, j), 1e-4);
    if (in->score_bias.data)
      g_assert_cmpuint(regard_walkthrough_bucket(in, j), ==,
                       mt_relative_bucket(config, stack, distance));
  }
  double sum = 0;
  for (gsize i = 0; i < in->parts.n; i++)
    sum += in->parts.parts[i].score;
  g_assert_cmpfloat_with_epsilon(sum, in->scaled[in->key], 1e-3);
}

/* One of the divisors is the model's own, and gives its weights. */
static void
assert_divisors(const RegardWalkthrough *in)
{
  const RegardWalkthroughOptions look = REGARD_WALKTHROUGH_OPTIONS_INIT;
  g_autofree double *weights = g_new(double, in->cols);
  double divisors[3];
  g_assert_cmpuint(regard_walkthrough_divisors(in, &look, divisors), ==, 2);
  g_assert_cmpfloat(divisors[0], ==, 1);
  g_assert_cmpfloat_with_epsilon(divisors[1], sqrt(in->d_head), 1e-9);
  regard_walkthrough_divided(in, divisors[in->is_divided ? 1 : 0], weights);
  for (guint j = 0; j < in->cols; j++)
    g_assert_cmpfloat_with_epsilon(weights[j], in->weight[j], 1e-9);
}

static void
test_inside(void)
{
  mt_model *model = sentences_model("toy/t5");
  const RegardFigureStyle style = plain_style();
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++) {
    RegardWalkthrough *in = walk(model, kind, 3);
    const gboolean has_bias = kind != MT_CROSS;
    g_assert_false(in->is_divided);
    g_assert_cmpint(in->score_bias.data != NULL, ==, has_bias);
    assert_scores(in);
    assert_divisors(in);
    for (int all_rows = 0; all_rows < 2; all_rows++) {
      RegardWalkthroughOptions look = REGARD_WALKTHROUGH_OPTIONS_INIT;
      look.all_rows = all_rows;
      g_autoptr(RegardFigure) figure = regard_figure_new_walkthrough(in, &look, &style);
      g_autofree char *words = words_of(figure);
      assert_says(words, "This model has no divisor", TRUE);
      assert_says(words, "layer norm", FALSE);
      assert_says(words, "b_O", FALSE);
      assert_says(words, "pairs with a bias", FALSE);
      assert_says(words, "position, distance ", has_bias);
      assert_says(words, all_rows ? "Q Kᵀ + B + mask" : "+ position", has_bias);
      if (!all_rows)
        assert_says(words, "RMS norm", TRUE);
      g_autoptr(GPtrArray) scores = describe_all(figure, REGARD_SPOT_BIAS);
      g_assert_cmpuint(scores->len, ==, has_bias && !all_rows ? in->cols : 0);
      if (scores->len)
        g_assert_nonnull(strstr(scores->pdata[1], "distance -2, bucket "));
    }
    RegardWalkthroughOptions scale = REGARD_WALKTHROUGH_OPTIONS_INIT;
    scale.step = REGARD_STEP_SCALE;
    g_assert_cmpint(g_str_has_prefix(regard_walkthrough_step_text(in, &scale),
                                     "A number for the distance"),
                    ==, has_bias);
    regard_walkthrough_unref(in);
  }
  mt_model_unref(model);
}

/* With a divisor and a bias. */
static void
test_inside_divided(void)
{
  mt_model *model = sentences_model("toy/relative");
  const RegardFigureStyle style = plain_style();
  const RegardWalkthroughOptions look = REGARD_WALKTHROUGH_OPTIONS_INIT;
  RegardWalkthrough *in = walk(model, MT_ENCODER_SELF, 2);
  g_assert_true(in->is_divided);
  assert_scores(in);
  assert_divisors(in);
  g_autoptr(RegardFigure) figure = regard_figure_new_walkthrough(in, &look, &style);
  g_autofree char *words = words_of(figure);
  assert_says(words, "This model has no divisor", FALSE);
  assert_says(words, "+ position", TRUE);
  g_autoptr(GPtrArray) scores = describe_all(figure, REGARD_SPOT_SCALED);
  g_assert_nonnull(strstr(scores->pdata[0], " ÷ √"));
  g_assert_nonnull(strstr(scores->pdata[0], " + "));
  regard_walkthrough_unref(in);
  mt_model_unref(model);
}

/* ---- Layers -----------------------------------------------------------------------------------
 */

static void
test_token_card(void)
{
  mt_error error = {0};
  mt_model *model = sentences_model("toy/t5");
  RegardLayers *layers = layers_of(model);
  const RegardFigureStyle style = plain_style();
  /* In an encoder the second point behind the embedding is a network. */
  RegardTokenCard *card = regard_token_card_new(layers, MT_STACK_ENCODER, 2, 1, NULL, 0, &error);
  g_assert_nonnull(card);
  g_assert_null(card->bias);
  double squares = 0;
  for (guint i = 0; i < card->d; i++)
    squares += pow(card->read[i], 2) / card->d;
  const double sigma = sqrt(squares + mt_model_config(model)->norm_epsilon);
  g_assert_cmpfloat_with_epsilon(card->numbers.sigma, sigma, 1e-5);
  for (guint i = 0; i < card->d; i++)
    g_assert_cmpfloat_with_epsilon(card->by_layer[i], card->gain[i] * card->read[i] / sigma, 1e-4);
  for (guint i = 0; i < card->n_neurons; i++) {
    const RegardCardNeuron *n = &card->neurons[i];
    g_assert_cmpfloat_with_epsilon(n->activated * n->gate, n->neuron.activation, 1e-5);
  }
  g_autoptr(RegardFigure) figure = regard_figure_new_token_card(card, &style);
  g_autofree char *words = words_of(figure), *caption = regard_figure_caption(figure);
  assert_says(words, "RMS norm", TRUE);
  assert_says(words, "γ x ÷ σ", TRUE);
  assert_says(words, "bias", FALSE);
  assert_says(words, "μ", FALSE);
  assert_says(words, "gate G x", TRUE);
  assert_says(caption, "RMS norm, the gated feed-forward network", TRUE);
  /* read, gain, rms_norm, activated, gate, hidden, neurons. */
  g_assert_cmpuint(regard_figure_n_matrices(figure), ==, 7);
  g_assert_cmpstr(regard_figure_matrix(figure, 2)->id, ==, "rms_norm");
  g_assert_cmpuint(regard_figure_matrix(figure, 4)->cols, ==, card->d_ffn);
  regard_token_card_unref(card);
  regard_layers_unref(layers);
  mt_model_unref(model);
}

/* What stands before the first layer: no position, or a norm of the sum. */
static void
test_embedding(void)
{
  static const struct {
    const char *model, *has, *has_not;
  } cases[] = {{"toy/t5", "√d · e", "+ p"}, {"toy/relative", "after the layer norm", "+ p"}};
  const RegardFigureStyle style = plain_style();
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    mt_model *model = sentences_model(cases[i].model);
    RegardLayers *layers = layers_of(model);
    const RegardEmbeddingOptions look = {.stack = MT_STACK_ENCODER, .piece = 5};
    g_autoptr(RegardFigure) figure = regard_figure_new_embedding(layers, &look, &style);
    g_autofree char *words = words_of(figure);
    assert_says(words, cases[i].has, TRUE);
    assert_says(words, cases[i].has_not, FALSE);
    /* embedding, sum, norms, nearest */
    g_assert_cmpuint(regard_figure_n_matrices(figure), ==, 4);
    g_assert_cmpuint(regard_figure_matrix(figure, 2)->cols, ==, 2);
    g_autoptr(GPtrArray) tokens = describe_all(figure, REGARD_EMBEDDING_SPOT_TOKEN);
    assert_says(tokens->pdata[0], "‖p‖", FALSE);
    regard_layers_unref(layers);
    mt_model_unref(model);
  }
}

/* Heads of their own width, and three maps in a network. */
static void
test_complexity(void)
{
  mt_model *model = sentences_model("toy/t5");
  const mt_config *config = mt_model_config(model);
  const RegardComplexity c = regard_complexity_count(config, 7, 9, 3, 16);
  g_assert_cmpuint(c.inner[MT_STACK_ENCODER], ==, 40);
  g_assert_cmpuint(c.costs.of[MT_COST_ENCODER_PROJECTIONS], ==, 2 * 4 * 7 * 32 * 40);
  g_assert_cmpuint(c.costs.of[MT_COST_ENCODER_FEED_FORWARD], ==, 2 * 3 * 7 * 32 * 37);
  const RegardFigureStyle style = plain_style();
  g_autoptr(RegardFigure) figure = regard_figure_new_complexity(&c, "toy", NULL, &style);
  g_autofree char *words = words_of(figure);
  assert_says(words, "4 · E · n · d · i", TRUE);
  assert_says(words, "3 · D · m · d · g", TRUE);
  assert_says(words,
              "i\302\240=\302\240"
              "40",
              TRUE);
  assert_says(words,
              "j\302\240=\302\240"
              "20",
              TRUE);
  assert_says(words, "layer norm", FALSE);
  mt_model_unref(model);
}

/* ---- Positions --------------------------------------------------------------------------------
 */

static void
test_relative(void)
{
  mt_model *model = sentences_model("toy/relative");
  const RegardFigureStyle style = plain_style();
  const RegardRelativeOptions look = {.head = 1};
  for (int stack = 0; stack < MT_N_STACKS; stack++) {
    const mt_attention_kind kind = stack == MT_STACK_ENCODER ? MT_ENCODER_SELF : MT_DECODER_SELF;
    g_autoptr(RegardMatrix) m = regard_matrix_new_relative(model, (mt_stack) stack, 1, 30);
    g_assert_cmpuint(m->cols, ==, stack == MT_STACK_ENCODER ? 59 : 30);
    for (guint h = 0; h < m->rows; h++)
      for (guint c = 0; c < m->cols; c++)
        g_assert_cmpfloat(regard_matrix_get(m, h, c), ==,
                          mt_model_score_bias(model, kind, 1, h, (long) c - 29));
    g_assert_cmpstr(m->col_labels[0].text, ==, "-29");
    g_autoptr(RegardFigure) figure = regard_figure_new_relative(m, &look, &style);
    g_autofree char *words = words_of(figure);
    assert_says(words, "layer 2", TRUE);
    assert_says(words, "head 4", TRUE);
    g_autoptr(GPtrArray) places = describe_all(figure, 0);
    g_assert_cmpuint(places->len, ==, m->rows * m->cols);
    assert_says(places->pdata[0], "head 1, distance -29: ", TRUE);
    assert_says(places->pdata[0], ", as from -29 to ", TRUE);
  }
  /* A capture has those of its sentence, and they are the same. */
  mt_session *session = sentences_session(model, 1, true);
  mt_translation *translation = sentences_translate(session, TEXT, 1, NULL);
  mt_capture *capture = sentences_capture(session, translation, NULL);
  g_autoptr(RegardMatrix) own = regard_matrix_new_relative_of(capture, MT_STACK_DECODER, 1);
  const guint n = (guint) mt_tokens_count(mt_capture_output(capture));
  g_autoptr(RegardMatrix) same = regard_matrix_new_relative(model, MT_STACK_DECODER, 1, n);
  g_assert_cmpuint(own->cols, ==, same->cols);
  g_assert_cmpmem(own->values, own->rows * own->cols * sizeof(float), same->values,
                  same->rows * same->cols * sizeof(float));
  g_assert_cmpstr(own->title, ==, same->title);
  mt_capture_unref(capture);
  mt_translation_unref(translation);
  mt_session_free(session);
  mt_model_unref(model);

  model = sentences_model("tests/data/checkpoints/post-norm-relu");
  g_assert_null(regard_matrix_new_relative(model, MT_STACK_ENCODER, 0, 30));
  mt_model_unref(model);
}

TESTS()
{
  g_test_add_func("/figure-kinds/equations", test_equations);
  g_test_add_func("/figure-kinds/inside", test_inside);
  g_test_add_func("/figure-kinds/inside-divided", test_inside_divided);
  g_test_add_func("/figure-kinds/token-card", test_token_card);
  g_test_add_func("/figure-kinds/embedding", test_embedding);
  g_test_add_func("/figure-kinds/complexity", test_complexity);
  g_test_add_func("/figure-kinds/relative", test_relative);
}
