/* test-capture-read.c — captures read from files: what we wrote comes back bit for bit, what others
 * wrote is understood.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "few-allocations.h"
#include "sentences.h"
#include "suite.h"

#include "capture-file.h"
#include "hand-capture.h"

#include <math.h>
#include <string.h>

/* ---- Two captures compared --------------------------------------------------------------------
 */

static void
assert_same_floats(const float *a, const float *b, size_t n)
{
  g_assert_true((a == NULL) == (b == NULL));
  if (a)
    g_assert_cmpmem(a, n * sizeof *a, b, n * sizeof *b);
}

static void
assert_same_tokens(const mt_tokens *a, const mt_tokens *b)
{
  g_assert_true((a == NULL) == (b == NULL));
  if (!a)
    return;
  g_assert_cmpuint(mt_tokens_count(a), ==, mt_tokens_count(b));
  g_assert_cmpstr(mt_tokens_text(a), ==, mt_tokens_text(b));
  g_assert_cmpint(mt_tokens_word_mark(a), ==, mt_tokens_word_mark(b));
  for (size_t i = 0; i < mt_tokens_count(a); i++) {
    const mt_token *s = mt_tokens_get(a, i), *t = mt_tokens_get(b, i);
    g_assert_cmpint(s->id, ==, t->id);
    g_assert_cmpstr(s->piece, ==, t->piece);
    g_assert_cmpuint(s->begin, ==, t->begin);
    g_assert_cmpuint(s->end, ==, t->end);
    g_assert_cmpint(s->word, ==, t->word);
    g_assert_cmpint(s->is_special, ==, t->is_special);
  }
}

static void
assert_same_capture(const mt_capture *a, const mt_capture *b)
{
  assert_same_tokens(mt_capture_source(a), mt_capture_source(b));
  assert_same_tokens(mt_capture_decoder_input(a), mt_capture_decoder_input(b));
  assert_same_tokens(mt_capture_output(a), mt_capture_output(b));
  g_assert_cmpint(mt_capture_has_decoder_input(a), ==, mt_capture_has_decoder_input(b));
  g_assert_cmpint(mt_capture_has_output(a), ==, mt_capture_has_output(b));
  g_assert_cmpstr(mt_capture_model_name(a), ==, mt_capture_model_name(b));
  g_assert_cmpint(mt_capture_naming(a), ==, mt_capture_naming(b));
  g_assert_cmpint(mt_capture_precision(a), ==, mt_capture_precision(b));
  g_assert_cmpint(mt_capture_translation_precision(a), ==, mt_capture_translation_precision(b));
  g_assert_cmpint(mt_capture_has_scores(a), ==, mt_capture_has_scores(b));
  for (mt_attention_kind k = 0; k < MT_N_KINDS; k++) {
    size_t n_layers = mt_capture_n_layers(a, k), n_heads = mt_capture_n_heads(a, k);
    g_assert_cmpuint(n_layers, ==, mt_capture_n_layers(b, k));
    if (!n_layers)
      continue;
    g_assert_cmpuint(n_heads, ==, mt_capture_n_heads(b, k));
    for (size_t i = 0; i < n_layers * n_heads; i++) {
      size_t l = i / n_heads, h = i % n_heads;
      mt_matrix v = mt_capture_weights(a, k, l, h), w = mt_capture_weights(b, k, l, h);
      g_assert_cmpuint(v.rows, ==, w.rows);
      g_assert_cmpuint(v.cols, ==, w.cols);
      assert_same_floats(v.data, w.data, v.rows * v.cols);
      assert_same_floats(mt_capture_scores(a, k, l, h).data, mt_capture_scores(b, k, l, h).data,
                         v.rows * v.cols);
      for (size_t r = 0; r < v.rows; r++)
        for (size_t c = 0; c < v.cols; c++) {
          float s = mt_capture_score_at(a, k, l, h, r, c),
                t = mt_capture_score_at(b, k, l, h, r, c);
          g_assert_cmpmem(&s, sizeof s, &t, sizeof t);
          g_assert_cmpint(mt_capture_is_masked(a, k, l, h, r, c), ==,
                          mt_capture_is_masked(b, k, l, h, r, c));
        }
    }
  }
  for (mt_stack s = 0; s < MT_N_STACKS; s++) {
    mt_matrix p = mt_capture_positions(a, s), q = mt_capture_positions(b, s);
    g_assert_cmpuint(p.cols, ==, q.cols);
    assert_same_floats(p.data, q.data, p.rows * p.cols);
    if (p.data)
      g_assert_cmpint(mt_capture_position_kind(a), ==, mt_capture_position_kind(b));
  }
  size_t n = mt_capture_output(a) ? mt_tokens_count(mt_capture_output(a)) : 0;
  assert_same_floats(mt_capture_logprobs(a), mt_capture_logprobs(b), n);
  g_assert_cmpstr(mt_interventions_text(mt_capture_interventions(a)), ==,
                  mt_interventions_text(mt_capture_interventions(b)));
}

/* ---- What we wrote ------------------------------------------------------------------------- */

static void
check_round_trip(const mt_capture *capture, const char *meta)
{
  mt_error error = {0};
  char *read_meta;
  g_assert_true(mt_capture_write_npz(capture, capture_file_path, meta, &error));
  g_autoptr(mt_capture) read = capture_file_read(&read_meta);
  assert_same_capture(capture, read);
  g_assert_cmpstr(read_meta, ==, meta ? meta : "{}");
  g_assert_cmpstr(mt_capture_file_name(read), ==, "x.npz");
  g_assert_cmpstr(mt_capture_file_name(capture), ==, "");
  mt_string_free(read_meta);
}

/* Parts of a capture: numbers, masks and scores are those of the whole, also when read again, and
 * of a part of a part. */
static void
check_parts(const mt_capture *whole)
{
  static const struct {
    int kind, layer, head;
  } parts[] = {{MT_CROSS, 0, 0}, {MT_ENCODER_SELF, 2, 1}, {MT_CROSS, 1, -1}, {-1, -1, 1}};
  mt_error error = {0};
  for (gsize i = 0; i < G_N_ELEMENTS(parts); i++) {
    const int layer = MAX(parts[i].layer, 0), head = MAX(parts[i].head, 0);
    g_autoptr(mt_capture) part =
        mt_capture_part(whole, parts[i].kind, parts[i].layer, parts[i].head, &error);
    g_assert_cmpstr(error.message, ==, "");
    check_round_trip(part, NULL);
    g_assert_true(mt_capture_write_npz(part, capture_file_path, NULL, &error));
    g_autoptr(mt_capture) read = capture_file_read(NULL);
    for (mt_attention_kind k = 0; k < MT_N_KINDS; k++) {
      if (parts[i].kind >= 0 && parts[i].kind != (int) k) {
        g_assert_cmpuint(mt_capture_n_layers(read, k), ==, 0);
        continue;
      }
      g_assert_true(mt_capture_is_part(read, k));
      g_assert_cmpuint(mt_capture_first_layer(read, k), ==, layer);
      g_assert_cmpuint(mt_capture_first_head(read, k), ==, head);
      g_assert_cmpuint(mt_capture_n_layers(read, k), ==,
                       parts[i].layer < 0 ? mt_capture_n_layers(whole, k) : 1);
      const size_t last = mt_capture_n_layers(read, k) - 1;
      mt_matrix found = mt_capture_weights(read, k, last, 0),
                expected = mt_capture_weights(whole, k, last + (size_t) layer, (size_t) head);
      assert_same_floats(found.data, expected.data, expected.rows * expected.cols);
      for (size_t r = 0; r < found.rows; r++)
        for (size_t c = 0; c < found.cols; c++) {
          float s = mt_capture_score_at(read, k, last, 0, r, c),
                t = mt_capture_score_at(whole, k, last + (size_t) layer, (size_t) head, r, c);
          g_assert_cmpmem(&s, sizeof s, &t, sizeof t);
          g_assert_cmpint(mt_capture_is_masked(read, k, last, 0, r, c), ==,
                          mt_capture_is_masked(whole, k, last + (size_t) layer, (size_t) head, r,
                                               c));
        }
    }
    assert_same_floats(mt_capture_logprobs(read), mt_capture_logprobs(whole),
                       mt_tokens_count(mt_capture_output(whole)));
  }

  mt_capture *layer = mt_capture_part(whole, MT_CROSS, 1, -1, &error);
  mt_capture *inner = mt_capture_part(layer, -1, 0, 2, &error);
  g_assert_cmpuint(mt_capture_first_layer(inner, MT_CROSS), ==, 1);
  g_assert_cmpuint(mt_capture_first_head(inner, MT_CROSS), ==, 2);
  /* Only the same parts can be compared. */
  mt_capture *other = mt_capture_part(whole, MT_CROSS, 2, -1, &error);
  g_assert_null(mt_capture_difference(layer, other, &error));
  g_assert_cmpstr(error.message, ==,
                  "One has cross-attention from layer 2 and head 1 on, the other from 3 and 1.");
  error = (mt_error){0};
  mt_capture *difference = mt_capture_difference(layer, layer, &error);
  g_assert_cmpuint(mt_capture_first_layer(difference, MT_CROSS), ==, 1);
  mt_capture *const all[] = {layer, inner, other, difference};
  for (gsize i = 0; i < G_N_ELEMENTS(all); i++)
    mt_capture_unref(all[i]);

  g_assert_null(mt_capture_part(whole, MT_CROSS, 99, 0, &error));
  g_assert_cmpint(error.code, ==, MT_ERROR_INPUT);
  g_assert_null(mt_capture_part(whole, MT_CROSS, 0, 99, &error));
  g_autoptr(mt_capture) encoder = mt_capture_part(whole, MT_ENCODER_SELF, 0, 0, NULL);
  g_assert_null(mt_capture_part(encoder, MT_CROSS, 0, 0, NULL));
}

/* Everything a session captures, of the bundled model: German umlauts, words of several pieces. */
static void
test_session(void)
{
  mt_error error = {0};
  g_autoptr(mt_model) model = mt_model_open(REGARD_SOURCE_ROOT "/models/en-de", NULL, &error);
  g_autoptr(mt_session) session = model ? mt_session_new(model, NULL, &error) : NULL;
  mt_translation *t =
      session ? mt_session_translate(session, "The 3 naïve dogs don’t bite, unbelievably.", NULL,
                                     NULL, &error)
              : NULL;
  g_assert_cmpstr(error.message, ==, "");
  for (unsigned flags = 0; flags <= MT_CAPTURE_SCORES; flags++) {
    mt_capture *capture = mt_session_capture(session, t, 0, flags, NULL, &error);
    g_assert_nonnull(capture);
    check_round_trip(capture, "{\"text\": \"ü 😀\"}");
    sentences_check_parts(session, t, flags, NULL);
    mt_capture_unref(capture);
  }
  /* What was changed, too; of a query that sees nothing the log-sum-exp is -infinity. */
  static const char lines[] = "cross 2.3 scale -0.5\nencoder window 2\ncross 1.1 key 1-4 hide\n"
                              "encoder 3.2 query 2 hide";
  g_autoptr(mt_interventions) interventions = sentences_parse(lines);
  const mt_hooks hooks = {.interventions = interventions};
  for (unsigned flags = 0; flags <= MT_CAPTURE_SCORES; flags++) {
    mt_capture *capture = mt_session_capture(session, t, 0, flags, &hooks, &error);
    g_assert_true(mt_capture_is_masked(capture, MT_ENCODER_SELF, 2, 1, 1, 1));
    g_assert_false(mt_capture_is_masked(capture, MT_ENCODER_SELF, 1, 1, 1, 1));
    g_assert_true(mt_capture_is_masked(capture, MT_ENCODER_SELF, 1, 1, 1, 4));
    g_assert_true(mt_capture_is_masked(capture, MT_CROSS, 0, 0, 1, 3));
    check_parts(capture);
    sentences_check_parts(session, t, flags, &hooks);
    g_assert_cmpfloat(mt_capture_score_at(capture, MT_CROSS, 0, 0, 1, 3), ==, -INFINITY);
    check_round_trip(capture, NULL);
    mt_capture_unref(capture);
  }
  mt_translation_unref(t);
}

/* Changes are read, and believed as far as the weights say so: what they hide has none. */
static void
test_changes(void)
{
  static const struct {
    const char *text;
    bool is_believed;
  } rows[] = {
      {"encoder 1.1 key 3 hide", false},
      {"encoder 2.1 key 3 hide", false}, /* of a layer that the file does not have */
      {"encoder 1.1 window 2\ncross 9.9 scale 2", false},
      {"encoder 1.1 key 4 hide", true},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    static const float weights[] = {0.5f, 0.25f, 0.25f, 0, 0.5f, 0.25f, 0.25f, 0,
                                    0.5f, 0.25f, 0.25f, 0, 0.5f, 0.25f, 0.25f, 0};
    BUILD({"attentions.npy", npy_bytes("<f4", "(1, 1, 4, 4)", weights, sizeof weights)},
          {"interventions.npy", npy_scalar_text(rows[i].text)});
    g_autoptr(mt_capture) c = capture_file_read(NULL);
    g_assert_cmpstr(mt_interventions_text(mt_capture_interventions(c)), ==, rows[i].text);
    g_assert_cmpint(mt_capture_is_masked(c, MT_ENCODER_SELF, 0, 0, 1, 3), ==, rows[i].is_believed);
    g_assert_false(mt_capture_is_masked(c, MT_ENCODER_SELF, 0, 0, 1, 2));
  }
}

/* Only some kinds, each of another size; lists of which one is not known. */
static void
test_parts(void)
{
  g_autoptr(mt_tokens) five = hand_tokens(5), three = hand_tokens(3);
  const mt_capture_spec specs[] = {
      {.source = five, .n_layers = {2, 0, 0}, .n_heads = {3, 0, 0}, .naming = MT_NAMING_TOKENS},
      {.decoder_input = three,
       .n_layers = {0, 1, 0},
       .n_heads = {0, 4, 0},
       .naming = MT_NAMING_SEQUENCES,
       .precision = MT_PRECISION_UNKNOWN,
       .translation_precision = MT_PRECISION_UNKNOWN,
       .model_name = "gpt"},
      {.source = five,
       .output = three,
       .n_layers = {0, 0, 3},
       .n_heads = {0, 0, 2},
       .precision = MT_PRECISION_BF16,
       .translation_precision = MT_PRECISION_INT8,
       .flags = MT_CAPTURE_SCORES},
      {.source = five,
       .decoder_input = three,
       .output = three,
       .n_layers = {1, 2, 3},
       .n_heads = {3, 2, 1},
       .d_model = 6,
       .position_kind = MT_POSITIONS_SINUSOIDAL_INTERLEAVED},
      {.source = five,
       .decoder_input = three,
       .output = three,
       .n_layers = {1, 1, 1},
       .n_heads = {2, 2, 2},
       .attention_window = 1},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(specs); i++) {
    mt_error error = {0};
    g_autoptr(mt_capture) capture = mt_capture_new(&specs[i], &error);
    g_assert_cmpstr(error.message, ==, "");
    float next = 0;
    for (mt_attention_kind k = 0; k < MT_N_KINDS; k++)
      for (size_t l = 0; l < specs[i].n_layers[k]; l++)
        for (size_t h = 0; h < specs[i].n_heads[k]; h++) {
          mt_matrix m = mt_capture_weights(capture, k, l, h);
          for (size_t r = 0; r < m.rows; r++)
            for (size_t c = 0; c < m.cols; c++)
              if (!mt_capture_is_masked(capture, k, l, h, r, c))
                mt_capture_fill_weights(capture, k, l, h)[r * m.cols + c] = next += 0.01f;
        }
    check_round_trip(capture, NULL);
  }
}

/* ---- What others wrote --------------------------------------------------------------------- */

static void
test_attentions_and_tokens(void)
{
  BUILD({"attentions.npy", npy_even_weights("(2, 3, 4, 4)", 96, 4)},
        {"tokens.npy", npy_words(4, "[CLS]", "play", "##ing", "[SEP]")});
  char *meta = (char *) "?";
  g_autoptr(mt_capture) c = capture_file_read(&meta);
  g_assert_null(meta);
  g_assert_cmpuint(mt_capture_n_layers(c, MT_ENCODER_SELF), ==, 2);
  g_assert_cmpuint(mt_capture_n_heads(c, MT_ENCODER_SELF), ==, 3);
  g_assert_cmpuint(mt_capture_n_layers(c, MT_DECODER_SELF), ==, 0);
  g_assert_cmpuint(mt_capture_n_layers(c, MT_CROSS), ==, 0);
  g_assert_cmpint(mt_capture_naming(c), ==, MT_NAMING_TOKENS);
  g_assert_cmpint(mt_capture_precision(c), ==, MT_PRECISION_UNKNOWN);
  g_assert_cmpint(mt_capture_translation_precision(c), ==, MT_PRECISION_UNKNOWN);
  g_assert_null(mt_capture_output(c));
  g_assert_null(mt_capture_logprobs(c));
  g_assert_null(mt_capture_positions(c, MT_STACK_ENCODER).data);
  g_assert_true(isnan(mt_capture_score_at(c, MT_ENCODER_SELF, 0, 0, 1, 1)));
  const mt_tokens *tokens = mt_capture_source(c);
  g_assert_cmpstr(mt_tokens_text(tokens), ==, "playing");
  g_assert_cmpint(mt_tokens_word_mark(tokens), ==, MT_WORD_MARK_HASHES);
  g_assert_true(mt_tokens_get(tokens, 0)->is_special);
  g_assert_cmpint(mt_tokens_get(tokens, 0)->id, ==, -1);
  g_assert_cmpint(mt_tokens_get(tokens, 1)->word, ==, 1);
  g_assert_cmpint(mt_tokens_get(tokens, 2)->word, ==, 1);
  g_assert_cmpuint(mt_tokens_get(tokens, 2)->begin, ==, 4);
  g_assert_cmpuint(mt_tokens_get(tokens, 2)->end, ==, 7);
  g_assert_cmpint(mt_tokens_get(tokens, 3)->word, ==, 2);
}

/* A decoder alone: causal if it looks so, and shown whole if not. */
static void
test_decoder_alone(void)
{
  float weights[9] = {1, 0, 0, 0.5f, 0.5f, 0, 0.25f, 0.25f, 0.5f};
  for (int causal = 1; causal >= 0; causal--) {
    weights[2] = causal ? 0 : 0.125f;
    BUILD({"attentions.npy", npy_bytes("<f4", "(1, 1, 3, 3)", weights, sizeof weights)},
          {"kind.npy", npy_scalar_text("decoder")},
          {"tokens.npy", npy_words(3, "<|endoftext|>", "Two", "Ġdogs")});
    g_autoptr(mt_capture) c = capture_file_read(NULL);
    g_assert_cmpuint(mt_capture_n_layers(c, MT_DECODER_SELF), ==, 1);
    g_assert_cmpint(mt_capture_naming(c), ==, MT_NAMING_SEQUENCES);
    g_assert_cmpint(mt_capture_is_masked(c, MT_DECODER_SELF, 0, 0, 0, 2), ==, causal);
    g_assert_true(mt_capture_has_decoder_input(c));
    g_assert_false(mt_capture_has_output(c));
    g_assert_cmpstr(mt_tokens_text(mt_capture_decoder_input(c)), ==, "Two dogs");
    g_assert_true(mt_tokens_get(mt_capture_decoder_input(c), 0)->is_special);
    g_assert_cmpint(mt_capture_score_at(c, MT_DECODER_SELF, 0, 0, 0, 2) == -INFINITY, ==, causal);
  }
}

/* A window that the weights keep to, and one that they do not. */
static void
test_window(void)
{
  for (int window = 2; window >= 1; window--) {
    const int64_t number = window;
    BUILD({"attentions.npy", npy_even_weights("(1, 1, 3, 3)", 9, 3)},
          {"attention_window.npy", npy_bytes("<i8", "()", &number, sizeof number)});
    g_autoptr(mt_capture) c = capture_file_read(NULL);
    g_assert_cmpuint(mt_capture_mask(c, MT_ENCODER_SELF, 0, 0).window, ==, window == 2 ? 2 : 0);
    g_assert_cmpuint(mt_capture_mask(c, MT_CROSS, 0, 0).window, ==, 0);
    g_assert_false(mt_capture_is_masked(c, MT_ENCODER_SELF, 0, 0, 0, 2));
  }
}

static void
test_cross_alone(void)
{
  BUILD({"cross_attentions.npy", npy_even_weights("(2, 1, 4, 3, 5)", 120, 5)},
        {"source_tokens.npy", npy_words(5, ">>deu<<", "▁two", "▁do", "gs", "</s>")},
        {"output_tokens.npy", npy_words(3, "▁zwei", "▁Hunde", "</s>")});
  g_autoptr(mt_capture) c = capture_file_read(NULL);
  g_assert_cmpuint(mt_capture_n_layers(c, MT_CROSS), ==, 2);
  g_assert_cmpuint(mt_capture_n_heads(c, MT_CROSS), ==, 4);
  mt_matrix m = mt_capture_weights(c, MT_CROSS, 1, 3);
  g_assert_cmpuint(m.rows, ==, 3);
  g_assert_cmpuint(m.cols, ==, 5);
  g_assert_cmpfloat(mt_matrix_at(&m, 2, 4), ==, 0.2f);
  g_assert_false(mt_capture_has_decoder_input(c));
  g_assert_true(mt_capture_has_output(c));
  g_assert_cmpstr(mt_tokens_text(mt_capture_source(c)), ==, "two dogs");
  g_assert_true(mt_tokens_get(mt_capture_source(c), 0)->is_special);
  g_assert_cmpint(mt_tokens_get(mt_capture_source(c), 3)->word, ==, 2);
}

/* Without any tokens they are numbers; half precision, doubles, Fortran order. */
static void
test_number_types(void)
{
  const guint16 halves[] = {0x3c00, 0, 0x3800, 0x3800}; /* 1, 0; 0.5, 0.5 */
  const double doubles[] = {1, 0, 0.5, 0.5};
  const float columns[] = {1, 0.5f, 0, 0.5f};
  GBytes *all[] = {npy_bytes("<f2", "(1, 1, 2, 2)", halves, sizeof halves),
                   npy_bytes("<f8", "(1, 1, 2, 2)", doubles, sizeof doubles),
                   npy_bytes_raw(2,
                                 "{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1, 2, 2)}",
                                 columns, sizeof columns)};
  for (gsize i = 0; i < G_N_ELEMENTS(all); i++) {
    BUILD({"attentions.npy", all[i], TRUE});
    g_autoptr(mt_capture) c = capture_file_read(NULL);
    const float expected[] = {1, 0, 0.5f, 0.5f};
    mt_matrix m = mt_capture_weights(c, MT_ENCODER_SELF, 0, 0);
    g_assert_cmpmem(m.data, sizeof expected, expected, sizeof expected);
    g_assert_cmpstr(mt_tokens_get(mt_capture_source(c), 1)->piece, ==, "2");
    g_assert_cmpstr(mt_tokens_text(mt_capture_source(c)), ==, "1 2");
  }
}

/* Words, specials, ids and places as the file says, in whatever integers it has. */
static void
test_stated_tokens(void)
{
  const gint64 ids[] = {7, -1, 2147483647}, numbers[] = {0, 0, 5};
  const guint8 special[] = {0, 1, 0};
  const gint32 spans[] = {0, 3, 3, 3, 3, 7};
  BUILD({"attentions.npy", npy_even_weights("(1, 1, 3, 3)", 9, 3)},
        {"kind.npy", npy_scalar_text("encoder")}, {"tokens.npy", npy_words(3, "Ä.", "MASK", "x")},
        {"ids.npy", npy_bytes("<i8", "(1, 3)", ids, sizeof ids)},
        {"words.npy", npy_bytes("<i8", "(3,)", numbers, sizeof numbers)},
        {"special.npy", npy_bytes("|b1", "(3,)", special, sizeof special)},
        {"spans.npy", npy_bytes("<i4", "(3, 2)", spans, sizeof spans)},
        {"text.npy", npy_scalar_text("Ä.😀")}, {"model.npy", npy_scalar_text("bert")});
  g_autoptr(mt_capture) c = capture_file_read(NULL);
  const mt_tokens *tokens = mt_capture_source(c);
  g_assert_cmpint(mt_capture_naming(c), ==, MT_NAMING_SEQUENCES);
  g_assert_cmpstr(mt_capture_model_name(c), ==, "bert");
  g_assert_cmpstr(mt_tokens_text(tokens), ==, "Ä.😀");
  for (size_t i = 0; i < 3; i++) {
    const mt_token *t = mt_tokens_get(tokens, i);
    g_assert_cmpint(t->id, ==, ids[i]);
    g_assert_cmpint(t->word, ==, numbers[i]);
    g_assert_cmpint(t->is_special, ==, special[i]);
    g_assert_cmpuint(t->begin, ==, spans[2 * i]);
    g_assert_cmpuint(t->end, ==, spans[2 * i + 1]);
  }
}

/* Marks are conventions: none of them is seen where it is not one. */
static void
test_marks(void)
{
  static const struct {
    const char *pieces[3], *text;
    int words[3];
    mt_word_mark mark;
  } cases[] = {
      {{"▁a", "b", "▁c"}, "ab c", {0, 0, 1}, MT_WORD_MARK_LOWER_BAR},
      {{"a", "b", "Ġc"}, "ab c", {0, 0, 1}, MT_WORD_MARK_SPACE},
      {{"a", "##b", "c"}, "ab c", {0, 0, 1}, MT_WORD_MARK_HASHES},
      {{"▁a", "##b", "▁c"}, "a##b c", {0, 0, 1}, MT_WORD_MARK_LOWER_BAR},
      {{"##a", "b", "##"}, "##a b ##", {0, 1, 2}, MT_WORD_MARK_NONE},
      {{"a", "<unk>", "c"}, "a <unk> c", {0, 1, 2}, MT_WORD_MARK_NONE},
      {{"<s>", "▁", "<|x|>"}, "", {0, 1, 2}, MT_WORD_MARK_LOWER_BAR},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    BUILD({"attentions.npy", npy_even_weights("(1, 1, 3, 3)", 9, 3)},
          {"tokens.npy", npy_strings(cases[i].pieces, 3, 5)});
    g_autoptr(mt_capture) c = capture_file_read(NULL);
    const mt_tokens *tokens = mt_capture_source(c);
    g_assert_cmpstr(mt_tokens_text(tokens), ==, cases[i].text);
    g_assert_cmpint(mt_tokens_word_mark(tokens), ==, cases[i].mark);
    for (size_t k = 0; k < 3; k++)
      g_assert_cmpint(mt_tokens_get(tokens, k)->word, ==, cases[i].words[k]);
  }
}

/* Kept as they are, and told. */
static void
test_unusual_weights(void)
{
  const float weights[] = {0.5f, 0.25f, -0.5f, 3};
  BUILD({"attentions.npy", npy_bytes("<f4", "(1, 1, 2, 2)", weights, sizeof weights)});
  g_autoptr(mt_capture) c = capture_file_read(NULL);
  mt_matrix m = mt_capture_weights(c, MT_ENCODER_SELF, 0, 0);
  g_assert_cmpmem(m.data, sizeof weights, weights, sizeof weights);
  mt_weight_range range = mt_capture_weight_range(c, MT_ENCODER_SELF);
  g_assert_cmpfloat(range.least_sum, ==, 0.75);
  g_assert_cmpfloat(range.largest_sum, ==, 2.5);
  g_assert_cmpfloat(range.least, ==, -0.5f);
  g_assert_cmpfloat(range.largest, ==, 3);
}

/* ---- Memory that runs out ------------------------------------------------------------------ */

static void
test_no_memory(void)
{
  mt_error error = {0};
  mt_capture *capture = hand_capture(5, 3, MT_CAPTURE_SCORES);
  g_assert_true(mt_capture_write_npz(capture, capture_file_path, "{}", &error));
  mt_capture_unref(capture);
  for (int n = 0;; n++) {
    char *meta = NULL;
    error = (mt_error){0};
    few_then_all_fail(n);
    capture = mt_capture_read_npz(capture_file_path, &meta, &error);
    few_end();
    if (capture) {
      g_assert_cmpint(n, >, 20);
      mt_string_free(meta);
      mt_capture_unref(capture);
      break;
    }
    g_assert_cmpint(error.code, ==, MT_ERROR_NO_MEMORY);
    g_assert_null(meta);
  }
}

static void
tear_down(void)
{
  capture_file_tear_down();
}

TESTS(.end = tear_down)
{
  capture_file_set_up();
  g_test_add_func("/capture-read/session", test_session);
  g_test_add_func("/capture-read/changes", test_changes);
  g_test_add_func("/capture-read/parts", test_parts);
  g_test_add_func("/capture-read/attentions-and-tokens", test_attentions_and_tokens);
  g_test_add_func("/capture-read/decoder-alone", test_decoder_alone);
  g_test_add_func("/capture-read/cross-alone", test_cross_alone);
  g_test_add_func("/capture-read/window", test_window);
  g_test_add_func("/capture-read/number-types", test_number_types);
  g_test_add_func("/capture-read/stated-tokens", test_stated_tokens);
  g_test_add_func("/capture-read/marks", test_marks);
  g_test_add_func("/capture-read/unusual-weights", test_unusual_weights);
  g_test_add_func("/capture-read/no-memory", test_no_memory);
}
