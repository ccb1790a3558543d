/* test-matrix.c — how captures become matrices: combining, merging, hiding, labels, words.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-figure.h"
#include "figures/regard-matrix-attention.h"
#include "figures/regard-matrix-positions.h"
#include "figures/regard-matrix-sentence.h"
#include "figures/regard-naming.h"
#include "sample-capture.h"
#include "suite.h"
#include <math.h>
#include <string.h>

static float
weight(const mt_capture *capture, mt_attention_kind kind, gsize l, gsize h, gsize r, gsize c)
{
  mt_matrix w = mt_capture_weights(capture, kind, l, h);
  return mt_matrix_at(&w, r, c);
}

static RegardMatrix *
make(const mt_capture *capture, RegardMatrixSpec spec)
{
  RegardMatrix *m = regard_matrix_new_attention(capture, &spec);
  g_assert_nonnull(m);
  return m;
}

static gboolean
has_badge(const RegardMatrix *m, const char *badge)
{
  return g_strv_contains((const char *const *) m->badges, badge);
}

static void
test_one_head(void)
{
  mt_capture *capture = sample_capture(2);
  for (int kind = 0; kind < MT_N_KINDS; kind++) {
    mt_attention_kind k = (mt_attention_kind) kind;
    g_autoptr(RegardMatrix) m = make(capture, (RegardMatrixSpec){.kind = k, .layer = 1, .head = 6});
    g_assert_cmpuint(m->rows, ==, mt_tokens_count(mt_capture_rows(capture, k)));
    g_assert_cmpuint(m->cols, ==, mt_tokens_count(mt_capture_columns(capture, k)));
    for (guint r = 0; r < m->rows; r++) {
      for (guint c = 0; c < m->cols; c++) {
        g_assert_cmpfloat(regard_matrix_get(m, r, c), ==, weight(capture, k, 1, 6, r, c));
        g_assert_cmpint(regard_matrix_is_masked(m, r, c), ==,
                        mt_capture_is_masked(capture, k, 1, 6, r, c));
        float score = regard_matrix_score(m, r, c);
        float expected = mt_capture_score_at(capture, k, 1, 6, r, c);
        g_assert_true(score == expected || (isnan(score) && isnan(expected)));
      }
      g_assert_cmpfloat_with_epsilon(regard_matrix_row_sum(m, r), 1, 1e-5);
    }
    g_assert_true(m->rows_are_distributions);
    g_assert_null(m->removed_mass);
    g_assert_null(m->badges[0]);
    g_assert_cmpfloat(m->lo, ==, 0);
    g_assert_cmpfloat(m->hi, ==, 1);
    g_assert_cmpstr(m->model_name, ==, "en-de");
    g_assert_cmpint(m->mask.is_causal, ==, k == MT_DECODER_SELF);
    g_assert_cmpuint(m->mask.window, ==, 0);
  }
  mt_capture_unref(capture);
}

static void
test_titles(void)
{
  mt_capture *capture = sample_capture(2);
  static const char *const titles[] = {"Encoder self-attention · layer 2 · head 7",
                                       "Decoder self-attention · layer 2 · head 7",
                                       "Cross-attention · layer 2 · head 7"};
  static const char *const rows[] = {"queries: source", "queries: translation",
                                     "queries: translation"};
  static const char *const cols[] = {"keys: source", "keys: translation", "keys: source"};
  for (int kind = 0; kind < MT_N_KINDS; kind++) {
    g_autoptr(RegardMatrix) m =
        make(capture, (RegardMatrixSpec){.kind = (mt_attention_kind) kind, .layer = 1, .head = 6});
    g_assert_cmpstr(m->title, ==, titles[kind]);
    g_assert_cmpstr(m->row_title, ==, rows[kind]);
    g_assert_cmpstr(m->col_title, ==, cols[kind]);
  }
  mt_capture_unref(capture);
}

static void
test_combine(void)
{
  mt_capture *capture = sample_capture(2);
  guint8 chosen[16] = {0};
  chosen[3] = chosen[8] = chosen[15] = 1; /* 1.4, 2.1, 2.8 */
  g_autoptr(RegardMatrix) mean =
      make(capture,
           (RegardMatrixSpec){.kind = MT_CROSS, .layer = 1, .combine = REGARD_COMBINE_MEAN});
  g_autoptr(RegardMatrix) max =
      make(capture,
           (RegardMatrixSpec){.kind = MT_CROSS, .layer = 1, .combine = REGARD_COMBINE_MAX});
  g_autoptr(RegardMatrix) some = make(capture, (RegardMatrixSpec){.kind = MT_CROSS,
                                                                  .combine = REGARD_COMBINE_CHOSEN,
                                                                  .chosen = chosen});
  for (guint r = 0; r < mean->rows; r++)
    for (guint c = 0; c < mean->cols; c++) {
      double sum = 0, largest = 0;
      for (gsize h = 0; h < 8; h++) {
        sum += weight(capture, MT_CROSS, 1, h, r, c);
        largest = MAX(largest, weight(capture, MT_CROSS, 1, h, r, c));
      }
      g_assert_cmpfloat_with_epsilon(regard_matrix_get(mean, r, c), sum / 8, 1e-6);
      g_assert_cmpfloat(regard_matrix_get(max, r, c), ==, largest);
      double of_chosen = weight(capture, MT_CROSS, 0, 3, r, c) +
                         weight(capture, MT_CROSS, 1, 0, r, c) +
                         weight(capture, MT_CROSS, 1, 7, r, c);
      g_assert_cmpfloat_with_epsilon(regard_matrix_get(some, r, c), of_chosen / 3, 1e-6);
      g_assert_true(isnan(regard_matrix_score(mean, r, c)));
    }
  g_assert_true(mean->rows_are_distributions);
  g_assert_false(max->rows_are_distributions);
  g_assert_true(has_badge(mean, "mean of 8 heads"));
  g_assert_true(has_badge(max, "maximum of 8 heads"));
  g_assert_cmpstr(mean->title, ==, "Cross-attention · layer 2 · mean of 8 heads");
  g_assert_cmpstr(some->title, ==, "Cross-attention · mean of heads 1.4, 2.1, 2.8");
  g_assert_null(regard_matrix_get_attention(some)->spec.chosen);

  /* None chosen: the head; one chosen: that head, with its scores. */
  memset(chosen, 0, sizeof chosen);
  g_autoptr(RegardMatrix) none = make(capture, (RegardMatrixSpec){.kind = MT_CROSS,
                                                                  .layer = 1,
                                                                  .head = 2,
                                                                  .combine = REGARD_COMBINE_CHOSEN,
                                                                  .chosen = chosen});
  g_assert_cmpstr(none->title, ==, "Cross-attention · layer 2 · head 3");
  chosen[12] = 1;
  g_autoptr(RegardMatrix) one = make(capture, (RegardMatrixSpec){.kind = MT_CROSS,
                                                                 .combine = REGARD_COMBINE_CHOSEN,
                                                                 .chosen = chosen});
  g_assert_cmpstr(one->title, ==, "Cross-attention · layer 2 · head 5");
  g_assert_cmpfloat(regard_matrix_get(one, 2, 3), ==, weight(capture, MT_CROSS, 1, 4, 2, 3));
  g_assert_false(isnan(regard_matrix_score(one, 2, 3)));
  mt_capture_unref(capture);
}

/* Every merged cell is the mean over its queries of the sum over its keys, computed here from the
 * labels alone. */
static void
assert_merged(const RegardMatrix *m, const mt_capture *capture, mt_attention_kind kind)
{
  for (guint r = 0; r < m->rows; r++) {
    const RegardLabel *row = &m->row_labels[r];
    for (guint c = 0; c < m->cols; c++) {
      const RegardLabel *col = &m->col_labels[c];
      double sum = 0;
      gboolean any_allowed = FALSE;
      for (guint i = row->first_token; i < row->first_token + row->n_tokens; i++)
        for (guint j = col->first_token; j < col->first_token + col->n_tokens; j++) {
          sum += weight(capture, kind, 0, 0, i, j);
          any_allowed |= !mt_capture_is_masked(capture, kind, 0, 0, i, j);
        }
      g_assert_cmpfloat_with_epsilon(regard_matrix_get(m, r, c), sum / row->n_tokens, 1e-6);
      g_assert_cmpint(regard_matrix_is_masked(m, r, c), ==, !any_allowed);
    }
  }
}

/* Under a window, words that some of their tokens can see. */
static void
test_merge_restricted(void)
{
  for (gsize window = 1; window <= 16; window += 3) {
    mt_capture *capture = sample_restricted_capture(1, window);
    for (int kind = 0; kind < MT_N_KINDS; kind++) {
      g_autoptr(RegardMatrix) m =
          make(capture, (RegardMatrixSpec){.kind = (mt_attention_kind) kind, .merge_words = TRUE});
      g_assert_cmpuint(m->mask.window, ==, kind == MT_CROSS ? 0 : window);
      assert_merged(m, capture, (mt_attention_kind) kind);
    }
    mt_capture_unref(capture);
  }
}

static void
test_merge(void)
{
  mt_capture *capture = sample_capture(1);
  for (int kind = 0; kind < MT_N_KINDS; kind++)
    for (int by = 0; by < 2; by++) {
      mt_attention_kind k = (mt_attention_kind) kind;
      g_autoptr(RegardMatrix) m =
          make(capture,
               (RegardMatrixSpec){.kind = k, .merge_words = TRUE, .label_by = (RegardLabelBy) by});
      assert_merged(m, capture, k);
      guint row_tokens = 0, col_tokens = 0;
      for (guint r = 0; r < m->rows; r++) {
        g_assert_cmpuint(m->row_labels[r].first_token, ==, row_tokens);
        row_tokens += m->row_labels[r].n_tokens;
        g_assert_cmpfloat_with_epsilon(regard_matrix_row_sum(m, r), 1, 1e-5);
      }
      for (guint c = 0; c < m->cols; c++)
        col_tokens += m->col_labels[c].n_tokens;
      g_assert_cmpuint(row_tokens, ==, mt_tokens_count(mt_capture_rows(capture, k)));
      g_assert_cmpuint(col_tokens, ==, mt_tokens_count(mt_capture_columns(capture, k)));
      g_assert_true(has_badge(m, "merged"));
      g_assert_true(m->rows_are_distributions);
    }

  g_autoptr(RegardMatrix) m =
      make(capture, (RegardMatrixSpec){.kind = MT_CROSS, .merge_words = TRUE});
  g_assert_cmpstr(m->row_labels[3].text, ==, "überquerte");
  g_assert_cmpstr(m->row_labels[3].piece, ==, "▁überquerte");
  g_assert_cmpstr(m->row_labels[3].prefix, ==, "Mann → ");
  g_assert_cmpuint(m->row_labels[3].n_tokens, ==, 3);
  g_assert_cmpstr(m->col_labels[3].text, ==, "didn't");
  g_assert_cmpstr(m->row_labels[4].other, ==, "überquerte");
  g_assert_cmpint(regard_matrix_row_of_token(m, 5), ==, 3);
  g_assert_cmpint(regard_matrix_col_of_token(m, 6), ==, 3);
  g_assert_cmpint(regard_matrix_col_of_token(m, 99), ==, -1);
  g_assert_true(isnan(regard_matrix_score(m, 3, 0)));
  mt_capture_unref(capture);
}

/* Pieces, and the words that they make: | between two of them. */
static void
test_words(void)
{
  static const char *const cases[][2] = {
      {"▁the ▁vill age . </s>", "▁the|▁vill age|.|</s>"},
      {"▁didn ' t ▁cost ▁3 , 5 ▁€", "▁didn ' t|▁cost|▁3 , 5|▁€"},
      {"▁( ▁ today ! ) </s>", "▁(|▁ today|! )|</s>"},
      {"▁„ Ja “ , ▁sagte ▁er ▁– ▁...", "▁„|Ja|“ ,|▁sagte|▁er|▁–|▁..."},
      {"▁z . B . ▁heute ▁Tag .", "▁z . B .|▁heute|▁Tag|."},
      {"▁ ( x )", "▁ (|x|)"},
      {"<pad> ▁ge. ▁well - known", "<pad>|▁ge.|▁well - known"},
      {"▁ . </s> </s>", "▁ .|</s>|</s>"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    mt_tokens *tokens = sample_tokens(cases[i][0]);
    guint n;
    g_autofree guint *begins = regard_words_find(tokens, &n);
    g_autoptr(GString) found = g_string_new(NULL);
    g_assert_cmpuint(begins[n], ==, mt_tokens_count(tokens));
    for (guint w = 0; w < n; w++)
      for (guint k = begins[w]; k < begins[w + 1]; k++)
        g_string_append_printf(found, "%s%s",
                               k > begins[w] ? " "
                               : w > 0       ? "|"
                                             : "",
                               mt_tokens_get(tokens, k)->piece);
    g_assert_cmpstr(found->str, ==, cases[i][1]);
    mt_tokens_unref(tokens);
  }
}

/* Of heads that are masked in different ways a cell is masked where it is in each of them, and
 * nowhere else; whatever order they come in. */
static void
test_joined_masks(void)
{
  static const char *const interventions[] = {
      "encoder 1.2 window 1\nencoder 1.5 window 3",
      "encoder 1.2 window 2\nencoder 1.5 window 2",
      "encoder 1.2 window 1",
      "encoder 1.2 window 1\nencoder 1.5 key 4 hide\nsource 6 hide",
  };
  guint8 chosen[8] = {0};
  chosen[1] = chosen[4] = 1;
  for (guint i = 0; i < G_N_ELEMENTS(interventions); i++) {
    mt_capture *capture = sample_changed_capture(1, interventions[i]);
    g_autoptr(RegardMatrix) m = make(capture, (RegardMatrixSpec){.kind = MT_ENCODER_SELF,
                                                                 .combine = REGARD_COMBINE_CHOSEN,
                                                                 .chosen = chosen});
    g_autoptr(RegardMatrix) words =
        make(capture, (RegardMatrixSpec){.kind = MT_ENCODER_SELF,
                                         .combine = REGARD_COMBINE_CHOSEN,
                                         .chosen = chosen,
                                         .merge_words = TRUE});
    guint n_masked = 0;
    for (guint r = 0; r < m->rows; r++)
      for (guint c = 0; c < m->cols; c++) {
        gboolean masked = mt_capture_is_masked(capture, MT_ENCODER_SELF, 0, 1, r, c) &&
                          mt_capture_is_masked(capture, MT_ENCODER_SELF, 0, 4, r, c);
        g_assert_cmpint(regard_matrix_is_masked(m, r, c), ==, masked);
        g_assert_true(!masked || regard_matrix_get(m, r, c) == 0);
        n_masked += masked;
      }
    /* Only the third leaves one of the two heads whole. */
    g_assert_cmpint(n_masked > 0, ==, i != 2);
    g_assert_cmpint(mt_attention_mask_is_empty(m->mask), ==, i == 2);
    for (guint r = 0; r < words->rows; r++)
      for (guint c = 0; c < words->cols; c++)
        g_assert_true(!regard_matrix_is_masked(words, r, c) || regard_matrix_get(words, r, c) == 0);
    mt_capture_unref(capture);
  }
}

static void
test_hide_special(void)
{
  mt_capture *capture = sample_capture(1);
  g_autoptr(RegardMatrix) m =
      make(capture, (RegardMatrixSpec){.kind = MT_CROSS, .hide_special = TRUE});
  g_assert_cmpuint(m->rows, ==, 16);
  g_assert_cmpuint(m->cols, ==, 16);
  g_assert_nonnull(m->removed_mass);
  for (guint r = 0; r < m->rows; r++) {
    g_assert_cmpfloat_with_epsilon(m->removed_mass[r], weight(capture, MT_CROSS, 0, 0, r, 16),
                                   1e-6);
    /* Nothing is renormalised: the rest is what it was. */
    g_assert_cmpfloat(regard_matrix_get(m, r, 2), ==, weight(capture, MT_CROSS, 0, 0, r, 2));
    g_assert_cmpfloat_with_epsilon(regard_matrix_row_sum(m, r) + m->removed_mass[r], 1, 1e-5);
  }
  g_assert_true(has_badge(m, "special tokens hidden"));
  for (guint r = 0; r < m->rows; r++) {
    g_autofree char *cell = regard_matrix_describe_cell(m, r, 2);
    g_autofree char *hidden =
        g_strdup_printf(", %.0f %% of the row hidden", 100 * m->removed_mass[r]);
    g_assert_cmpint(g_str_has_suffix(cell, hidden), ==, m->removed_mass[r] >= 0.005f);
  }
  g_assert_cmpint(regard_matrix_col_of_token(m, 16), ==, -1);

  /* Decoder: the start column goes; rows go by the token that names them. */
  g_autoptr(RegardMatrix) by_output =
      make(capture, (RegardMatrixSpec){.kind = MT_DECODER_SELF, .hide_special = TRUE});
  g_assert_cmpuint(by_output->row_labels[0].first_token, ==, 0);
  g_assert_cmpuint(by_output->col_labels[0].first_token, ==, 1);
  g_assert_cmpfloat_with_epsilon(by_output->removed_mass[0], 1, 1e-6);
  g_autoptr(RegardMatrix) by_input =
      make(capture, (RegardMatrixSpec){.kind = MT_DECODER_SELF,
                                       .hide_special = TRUE,
                                       .label_by = REGARD_LABEL_BY_INPUT});
  g_assert_cmpuint(by_input->row_labels[0].first_token, ==, 1);
  g_assert_cmpuint(by_input->rows, ==, 16);
  mt_capture_unref(capture);
}

/* What each key receives is the mean of its column over all heads of the kind; a merged word has
 * the sum of its pieces, and what is hidden has none. Values files have it, and captions say what
 * it is. */
static void
test_received(void)
{
  mt_capture *capture = sample_capture(1);
  for (guint how = 0; how < 4; how++) {
    const RegardMatrixSpec spec = {.kind = MT_CROSS,
                                   .merge_words = how & 1,
                                   .hide_special = how >> 1 & 1};
    g_autoptr(RegardMatrix) m = make(capture, spec);
    g_assert_null(m->received);
    regard_matrix_measure_received(m);
    double all = 0;
    for (guint c = 0; c < m->cols; c++) {
      double sum = 0;
      gsize n = 0;
      for (gsize l = 0; l < mt_capture_n_layers(capture, MT_CROSS); l++)
        for (gsize h = 0; h < mt_capture_n_heads(capture, MT_CROSS); h++) {
          const gsize rows = mt_tokens_count(mt_capture_rows(capture, MT_CROSS));
          for (gsize r = 0; r < rows; r++)
            for (guint t = 0; t < m->col_labels[c].n_tokens; t++)
              sum += (double) weight(capture, MT_CROSS, l, h, r, m->col_labels[c].first_token + t);
          n += rows;
        }
      g_assert_cmpfloat_with_epsilon(m->received[c], sum / (double) n, 1e-6);
      all += (double) m->received[c];
    }
    g_assert_cmpint(all > 0.999, ==, !spec.hide_special);
    g_autofree char *said = regard_matrix_describe_received(m, 0),
                    *most = regard_matrix_describe_received(m, -1);
    g_assert_nonnull(strstr(said, " on average over "));
    g_assert_true(g_str_has_prefix(most, "most is received, on average over "));
    const RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;
    g_autoptr(RegardFigure) figure = regard_figure_new_matrix(m, &style);
    g_autofree char *caption = regard_figure_caption(figure);
    g_assert_nonnull(strstr(caption, "the weight that each key receives, the mean over all "));
    g_autoptr(RegardMatrix) plain = make(capture, spec);
    g_autoptr(RegardFigure) without = regard_figure_new_matrix(plain, &style);
    g_assert_cmpfloat(regard_figure_height(figure, 200, 8), >,
                      regard_figure_height(without, 200, 8) + 8);
  }
  mt_capture_unref(capture);
}

static void
test_decoder_labels(void)
{
  mt_capture *capture = sample_capture(1);
  g_autoptr(RegardMatrix) out = make(capture, (RegardMatrixSpec){.kind = MT_CROSS});
  g_assert_cmpstr(out->row_labels[0].text, ==, "▁Der");
  g_assert_cmpstr(out->row_labels[0].prefix, ==, "start → ");
  g_assert_cmpstr(out->row_labels[16].text, ==, "⏎");
  g_assert_cmpstr(out->row_labels[16].piece, ==, "</s>");
  g_assert_cmpstr(out->row_labels[16].other, ==, ".");
  g_assert_null(out->row_labels[0].suffix);
  g_assert_null(out->col_labels[0].other);

  g_autoptr(RegardMatrix) in =
      make(capture, (RegardMatrixSpec){.kind = MT_DECODER_SELF, .label_by = REGARD_LABEL_BY_INPUT});
  g_assert_cmpstr(in->row_labels[0].text, ==, "start");
  g_assert_cmpstr(in->row_labels[0].piece, ==, "<pad>");
  g_assert_cmpstr(in->row_labels[0].suffix, ==, " → ▁Der");
  g_assert_cmpstr(in->row_labels[16].suffix, ==, " → ⏎");
  /* Columns of decoder self-attention are what went in, however rows are labelled. */
  g_autoptr(RegardMatrix) self = make(capture, (RegardMatrixSpec){.kind = MT_DECODER_SELF});
  for (guint c = 0; c < self->cols; c++)
    g_assert_cmpstr(self->col_labels[c].text, ==, in->col_labels[c].text);
  g_assert_cmpstr(self->col_labels[0].text, ==, "start");
  g_assert_cmpstr(self->col_labels[1].text, ==, "▁Der");
  mt_capture_unref(capture);

  /* Right-to-left words on both sides of the arrow keep their order. */
  capture = sample_capture_of("▁a </s>", "▁مرحبا ▁عالم </s>", 1, 1);
  g_autoptr(RegardMatrix) arabic = make(capture, (RegardMatrixSpec){.kind = MT_CROSS});
  g_assert_cmpstr(arabic->row_labels[1].prefix, ==, "▁مرحبا\u200e → \u200e");
  mt_capture_unref(capture);
}

/* What the vocabulary does not have is shown as it was written, and stays <unk> in files. */
static void
test_unknown_pieces(void)
{
  const mt_token items[] = {
      {.id = 1, .piece = "▁", .begin = 0, .end = 0, .word = 0},
      {.id = 2, .piece = "<unk>", .begin = 0, .end = 6, .word = 0},
      {.id = 0, .piece = "</s>", .begin = 6, .end = 6, .word = 1, .is_special = true},
  };
  mt_tokens *tokens = mt_tokens_new("世界", items, G_N_ELEMENTS(items), NULL);
  mt_capture_spec spec = {.source = tokens, .n_layers = {1}, .n_heads = {1}};
  mt_capture *capture = mt_capture_new(&spec, NULL);
  g_assert_nonnull(capture);
  for (int merge = 0; merge < 2; merge++) {
    const RegardMatrixSpec how = {.kind = MT_ENCODER_SELF, .merge_words = merge};
    RegardMatrix *m = regard_matrix_new_attention(capture, &how);
    const RegardLabel *label = &m->col_labels[merge ? 0 : 1];
    g_assert_cmpstr(label->text, ==, "‹世界›");
    g_assert_cmpstr(label->piece, ==, merge ? "▁<unk>" : "<unk>");
    regard_matrix_unref(m);
  }
  mt_capture_unref(capture);
  mt_tokens_unref(tokens);
}

static void
test_bounds_and_life(void)
{
  mt_capture *capture = sample_capture(2);
  RegardMatrix *m = make(capture, (RegardMatrixSpec){.kind = MT_CROSS, .layer = 99, .head = 99});
  g_assert_cmpstr(m->title, ==, "Cross-attention · layer 2 · head 8");
  mt_capture_unref(capture);
  /* The matrix keeps what it needs. */
  g_assert_false(isnan(regard_matrix_score(m, 0, 0)));
  g_assert_true(isnan(regard_matrix_score(m, 1000, 0)));
  RegardMatrix *copy = regard_matrix_ref(m);
  regard_matrix_unref(m);
  g_assert_cmpuint(copy->rows, ==, 17);
  regard_matrix_unref(copy);

  mt_tokens *source = sample_tokens("▁a </s>");
  mt_capture_spec only_encoder = {.model_name = "x",
                                  .source = source,
                                  .n_layers = {1},
                                  .n_heads = {1}};
  mt_error error = {0};
  mt_capture *encoder = mt_capture_new(&only_encoder, &error);
  g_assert_cmpstr(error.message, ==, "");
  RegardMatrixSpec spec = {.kind = MT_CROSS};
  g_assert_null(regard_matrix_new_attention(encoder, &spec));
  mt_capture_unref(encoder);
  mt_tokens_unref(source);
}

static void
assert_described(const RegardMatrix *m, guint row, guint col, const char *expected)
{
  g_autofree char *text = regard_matrix_describe_cell(m, row, col);
  g_assert_cmpstr(text, ==, expected);
}

static void
test_describe(void)
{
  const float values[] = {0.41f, 0.5f, 0.09f, 0.0312f, 0.9688f, 0};
  const char *rows[] = {"▁es", "</s>"}, *cols[] = {"▁animal", "▁", "⏎"};
  g_autoptr(RegardMatrix) m = sample_matrix(values, 2, 3, rows, cols);
  assert_described(m, 0, 0, "row es, column animal, 0.41, rank 2 of 3");
  assert_described(m, 0, 1, "row es, column ▁, 0.50, highest of 3");
  assert_described(m, 1, 0, "row </s>, column animal, 0.031, rank 2 of 3");
  assert_described(m, 1, 2, "row </s>, column end of sentence, 0.000, rank 3 of 3");

  mt_capture *capture = sample_capture(1);
  g_autoptr(RegardMatrix) causal = make(capture, (RegardMatrixSpec){.kind = MT_DECODER_SELF});
  assert_described(causal, 0, 2, "row Der, column alte, masked: the row cannot see later tokens");
  assert_described(causal, 0, 0, "row Der, column start, 1.00, highest of 1");
  mt_capture_unref(capture);

  capture = sample_restricted_capture(1, 2);
  g_autoptr(RegardMatrix) near = make(capture, (RegardMatrixSpec){.kind = MT_DECODER_SELF});
  assert_described(near, 0, 2, "row Der, column alte, masked: the row cannot see later tokens");
  assert_described(near, 3, 0,
                   "row über, column start, masked: the row can see 2 tokens to each side");
  mt_capture_unref(capture);
}

static void
assert_said(const RegardMatrix *m, int row, int col, const char *expected)
{
  g_autofree char *text = regard_matrix_sentence(m, row, col);
  g_assert_cmpstr(text, ==, expected);
}

/* Sentences of weights: percent, words without marks, and the strongest cell that is about words.
 */
static void
test_sentences(void)
{
  mt_capture *capture = sample_capture_of("▁a ▁b </s>", "▁x ▁y </s>", 1, 1);
  g_autoptr(RegardMatrix) m = make(capture, (RegardMatrixSpec){.kind = MT_CROSS});
  const guint n = m->cols;
  for (guint r = 0; r < m->rows; r++) /* .2 .5 .3, .6 .3 .1, 0 .004 .996 */
    for (guint c = 0; c < n; c++)
      m->values[r * n + c] =
          (const float[]){.2f, .5f, .3f, .6f, .3f, .1f, 0, .004f, .996f}[r * 3 + c];
  assert_said(m, 0, 1, "Row “x”: looks most at “b”, 50 %");
  assert_said(m, 0, 0, "Row “x”: looks at “a”, 20 %; most at “b”, 50 %");
  assert_said(m, 2, 1, "Row “end”: looks at “b”, less than 1 %; most at “end”, 100 %");
  assert_said(m, 2, 0, "Row “end”: looks at “a”, 0 %; most at “end”, 100 %");
  assert_said(m, 1, -1, "Row “y”: looks most at “a”, 60 %, and then at “b”, 30 %");
  assert_said(m, -1, 1, "Column “b”: “x” looks at it most, 50 %; all rows together give it 0.80");
  assert_said(m, -1, -1, "Strongest here: row “y” looks at “a”, 60 %");

  g_autoptr(RegardMatrix) causal = make(capture, (RegardMatrixSpec){.kind = MT_DECODER_SELF});
  assert_said(causal, 0, 2, "row x, column y, masked: the row cannot see later tokens");
  mt_capture_unref(capture);

  const float values[] = {-0.5f, 0.25f};
  const char *rows[] = {"▁es"}, *cols[] = {"▁it", "⏎"};
  g_autoptr(RegardMatrix) other = sample_matrix(values, 1, 2, rows, cols);
  assert_said(other, -1, -1, "Largest here: row “es”, column “it”, -0.5");
  assert_said(other, 0, -1, NULL);
}

/* For who has not met pieces: words, "end", and of a step only what comes out. */
static void
test_plain(void)
{
  mt_capture *capture = sample_capture_of("▁un like ly </s>", "▁x y </s>", 1, 1);
  g_autoptr(RegardMatrix) m =
      make(capture, (RegardMatrixSpec){.kind = MT_CROSS, .merge_words = TRUE, .is_plain = TRUE});
  g_assert_cmpuint(m->cols, ==, 2);
  g_assert_cmpstr(m->col_labels[0].text, ==, "unlikely");
  g_assert_cmpstr(m->col_labels[1].text, ==, "end");
  g_assert_cmpstr(m->col_labels[1].piece, ==, "</s>"); /* files have it as it is */
  g_assert_cmpstr(m->row_labels[0].text, ==, "xy");
  g_assert_null(m->row_labels[0].prefix);
  g_assert_cmpstr(m->row_labels[0].other, ==, "start");
  mt_capture_unref(capture);
}

static void
test_positions(void)
{
  enum { N = 40, D = 16 };
  static float table[N * D];
  mt_positions_sinusoidal(table, N, D, MT_POSITIONS_SINUSOIDAL_HALVES);
  mt_matrix view = {table, N, D, D};
  mt_tokens *tokens = sample_tokens("▁one ▁two </s>");

  g_autoptr(RegardMatrix) m =
      regard_matrix_new_positions(view, 5, MT_POSITIONS_SINUSOIDAL_HALVES, tokens, "toy");
  g_assert_cmpuint(m->rows, ==, 5);
  g_assert_cmpuint(m->cols, ==, D);
  g_assert_cmpfloat(regard_matrix_get(m, 3, 7), ==, table[3 * D + 7]);
  g_assert_true(m->diverging);
  g_assert_cmpfloat(m->hi, ==, 1);
  g_assert_cmpfloat(m->lo, ==, -1);
  g_assert_cmpstr(m->row_labels[1].text, ==, "▁two");
  g_assert_cmpstr(m->row_labels[1].suffix, ==, "  1");
  g_assert_cmpstr(m->row_labels[4].text, ==, "4");
  g_assert_false(m->rows_are_distributions);
  assert_described(m, 4, 0, "position 4, dimension 0, -0.76");
  g_autoptr(RegardMatrix) all =
      regard_matrix_new_positions(view, 1000, MT_POSITIONS_LEARNED, NULL, NULL);
  g_assert_cmpuint(all->rows, ==, N);

  g_autoptr(RegardMatrix) s = regard_matrix_new_similarity(view, 12, tokens, "toy");
  for (guint r = 0; r < 12; r++)
    for (guint c = 0; c < 12; c++) {
      double dot = 0;
      for (guint i = 0; i < D; i++)
        dot += (double) table[r * D + i] * table[c * D + i];
      g_assert_cmpfloat_with_epsilon(regard_matrix_get(s, r, c), dot, 1e-4);
    }
  g_assert_cmpfloat_with_epsilon(s->hi, D / 2, 1e-4);

  /* What the shift map is for: PE(p + k) = M PE(p). */
  for (int interleaved = 0; interleaved < 2; interleaved++) {
    mt_position_kind kind =
        interleaved ? MT_POSITIONS_SINUSOIDAL_INTERLEAVED : MT_POSITIONS_SINUSOIDAL_HALVES;
    mt_positions_sinusoidal(table, N, D, kind);
    g_autoptr(RegardMatrix) shift = regard_matrix_new_shift(D, 7, kind, "toy");
    for (guint p = 0; p + 7 < N; p += 5)
      for (guint r = 0; r < D; r++) {
        double sum = 0;
        for (guint c = 0; c < D; c++)
          sum += (double) regard_matrix_get(shift, r, c) * table[p * D + c];
        g_assert_cmpfloat_with_epsilon(sum, table[(p + 7) * D + r], 1e-4);
      }
  }
  g_autoptr(RegardMatrix) back =
      regard_matrix_new_shift(D, -2, MT_POSITIONS_SINUSOIDAL_HALVES, NULL);
  g_assert_cmpstr(back->title, ==, "Shift by −2 · PE(p − 2) = M · PE(p)");
  g_assert_null(regard_matrix_new_shift(D, 1, MT_POSITIONS_LEARNED, NULL));
  g_assert_null(regard_matrix_new_positions((mt_matrix){0}, 5, MT_POSITIONS_LEARNED, NULL, NULL));
  g_assert_null(regard_matrix_new_similarity(view, 0, NULL, NULL));
  mt_tokens_unref(tokens);
}

/* A head made like another one is the head, with the other's labels. */
static void
test_like(void)
{
  mt_capture *capture = sample_capture(3);
  for (guint how = 0; how < 8; how++) {
    RegardMatrixSpec spec = {.kind = how & 1 ? MT_DECODER_SELF : MT_CROSS,
                             .combine = REGARD_COMBINE_MEAN,
                             .merge_words = how >> 1 & 1,
                             .hide_special = how >> 2 & 1};
    RegardMatrix *first = make(capture, spec);
    g_autoptr(RegardMatrix) like = regard_matrix_new_head(first, 2, 5);
    spec.combine = REGARD_COMBINE_HEAD;
    spec.layer = 2;
    spec.head = 5;
    g_autoptr(RegardMatrix) alone = make(capture, spec);
    g_assert_true(like->row_labels == first->row_labels);
    regard_matrix_unref(first);
    g_assert_cmpstr(like->title, ==, alone->title);
    g_assert_cmpmem(like->values, sizeof(float) * like->rows * like->cols, alone->values,
                    sizeof(float) * alone->rows * alone->cols);
    for (guint r = 0; r < alone->rows; r++) {
      g_assert_cmpstr(like->row_labels[r].text, ==, alone->row_labels[r].text);
      g_assert_cmpstr(like->row_labels[r].prefix, ==, alone->row_labels[r].prefix);
      if (spec.hide_special)
        g_assert_cmpfloat(like->removed_mass[r], ==, alone->removed_mass[r]);
    }
    g_assert_cmpint(g_strv_length(like->badges), ==, g_strv_length(alone->badges));
  }
  mt_capture_unref(capture);
}

/* ---- Any source ------------------------------------------------------------------------------ */

static float
product(gconstpointer data, guint row, guint col)
{
  return *(const float *) data * (float) (row * col);
}

static void
append_subject(const RegardMatrix *m, GString *caption)
{
  g_string_append_printf(caption, " About %s.", m->title);
}

static guint n_freed;

static void
free_origin(gpointer origin)
{
  n_freed++;
  g_free(origin);
}

/* Numbers that no capture has, on axes of tokens and of numbers, with a range of their own. */
static void
test_source(void)
{
  static const RegardOriginClass origin_class = {.append_subject = append_subject,
                                                 .free = free_origin};
  const char *badges[] = {"made up", NULL};
  const float factor = 2;
  mt_tokens *tokens = sample_tokens("▁one ▁two </s>");
  RegardMatrixSource source = {
      .id = "products",
      .title = "Products",
      .value_name = "product",
      .model_name = "toy",
      .badges = badges,
      .rows = regard_axis_tokens(tokens, "tokens", TRUE),
      .cols = regard_axis_numbers(4, "factor", REGARD_TICKS_DECIMAL),
      .value = product,
      .data = &factor,
      .range = REGARD_RANGE_VALUES,
      .aspect = 3,
      .origin_class = &origin_class,
      .origin = g_malloc(1),
  };
  RegardMatrix *m = regard_matrix_new_from(&source);
  g_assert_cmpuint(m->rows, ==, 3);
  g_assert_cmpuint(m->cols, ==, 4);
  g_assert_cmpfloat(regard_matrix_get(m, 2, 3), ==, 12);
  g_assert_cmpfloat(m->lo, ==, 0);
  g_assert_cmpfloat(m->hi, ==, 12);
  g_assert_false(m->diverging);
  g_assert_cmpfloat(m->aspect, ==, 3);
  g_assert_cmpstr(m->row_labels[2].text, ==, "⏎");
  g_assert_cmpstr(m->row_labels[2].piece, ==, "</s>");
  g_assert_true(m->row_labels[2].special);
  g_assert_cmpint(regard_matrix_row_of_token(m, 1), ==, 1);
  g_assert_cmpstr(m->col_labels[3].text, ==, "3");
  g_assert_cmpstr(m->badges[0], ==, "made up");
  g_assert_null(regard_matrix_get_attention(m));
  g_assert_true(isnan(regard_matrix_score(m, 1, 1)));
  assert_described(m, 1, 3, "token two, column 3, 6.00");
  {
    g_autoptr(RegardFigure) figure = regard_figure_new_matrix(m, NULL);
    g_autofree char *caption = regard_figure_caption(figure);
    g_assert_cmpstr(caption, ==,
                    "Products. About Products. Made up. Colour scale: linear. Model: toy. Drawn "
                    "with Regard " MT_VERSION ".");
  }
  regard_matrix_unref(m);
  g_assert_cmpuint(n_freed, ==, 1);

  /* The three ranges. */
  source.origin_class = NULL;
  source.origin = NULL;
  source.range = REGARD_RANGE_SHARES;
  const float small = 0.1f, negative = -1;
  source.data = &small;
  g_autoptr(RegardMatrix) shares = regard_matrix_new_from(&source);
  g_assert_cmpfloat(shares->hi, ==, 1);
  source.data = &negative;
  g_autoptr(RegardMatrix) beyond = regard_matrix_new_from(&source);
  g_assert_true(beyond->diverging);
  g_assert_cmpfloat(beyond->lo, ==, -6);
  source.range = REGARD_RANGE_SIGNED;
  source.data = &small;
  g_autoptr(RegardMatrix) symmetric = regard_matrix_new_from(&source);
  g_assert_cmpfloat(symmetric->lo, ==, -symmetric->hi);
  mt_tokens_unref(tokens);
}

/* ---- Sums ---------------------------------------------------------------------------------- */

/* Of each kind, over every third key and over every other query: the weights of the capture. */
static void
test_sum(void)
{
  mt_capture *capture = sample_capture(2);
  for (int kind = 0; kind < MT_N_KINDS; kind++) {
    mt_attention_kind k = (mt_attention_kind) kind;
    g_autoptr(RegardMatrix) m = make(capture, (RegardMatrixSpec){.kind = k, .layer = 1, .head = 6});
    for (int axis = REGARD_SUM_QUERIES; axis <= REGARD_SUM_KEYS; axis++) {
      const gboolean keys = axis == REGARD_SUM_KEYS;
      const guint n = regard_sum_axis_length(m, (RegardSumAxis) axis);
      g_autofree guint8 *chosen = g_new0(guint8, n);
      g_assert_null(regard_matrix_new_sum(m, (RegardSumAxis) axis, chosen));
      guint n_chosen = 0;
      for (guint i = 0; i < n; i += keys ? 3 : 2, n_chosen++)
        chosen[i] = 1;
      g_autoptr(RegardMatrix) sum = regard_matrix_new_sum(m, (RegardSumAxis) axis, chosen);
      g_assert_cmpuint(sum->rows, ==, 1);
      g_assert_cmpuint(sum->cols, ==, keys ? m->rows : m->cols);
      double all = 0;
      for (guint i = 0; i < sum->cols; i++) {
        double expected = 0;
        for (guint j = 0; j < n; j++)
          if (chosen[j])
            expected +=
                (double) (keys ? weight(capture, k, 1, 6, i, j) : weight(capture, k, 1, 6, j, i));
        g_assert_cmpfloat_with_epsilon((double) regard_matrix_get(sum, 0, i), expected, 1e-6);
        g_assert_cmpstr(sum->col_labels[i].text, ==,
                        (keys ? m->row_labels : m->col_labels)[i].text);
        all += (double) regard_matrix_get(sum, 0, i);
      }
      if (!keys) /* each row is a distribution */
        g_assert_cmpfloat_with_epsilon(all, n_chosen, 1e-4);
      g_autofree char *title =
          g_strdup_printf("%s · sum of %u %s", m->title, n_chosen, keys ? "keys" : "queries");
      g_assert_cmpstr(sum->title, ==, title);
      g_assert_true(g_str_has_prefix(sum->row_labels[0].text,
                                     regard_sum_axis_labels(m, (RegardSumAxis) axis)[0].text));
      RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;
      RegardFigure *figure = regard_figure_new_matrix(sum, &style);
      g_autofree char *caption = regard_figure_caption(figure);
      g_assert_nonnull(strstr(caption, "The row is the sum of the weights of "));
      regard_figure_free(figure);
    }
  }
  mt_capture_unref(capture);
}

static void
test_sum_parse(void)
{
  static const float values[] = {.1f, .2f, .3f, .4f, .4f, .3f, .2f, .1f};
  static const char *const rows[] = {"one", "two", NULL};
  static const char *const cols[] = {"▁the", "▁cat", "▁the", "s", NULL};
  static const struct {
    const char *typed, *chosen, *missing;
  } cases[] = {
      {"2", "0100", NULL},        {"1, 3-4", "1011", NULL}, {"the", "1010", NULL},
      {"▁cat,s,4", "0101", NULL}, {"dog", NULL, "dog"},     {"5", NULL, "5"},
      {"0", NULL, "0"},           {"3-2", NULL, "3-2"},     {"2-", NULL, "2-"},
      {"cat,", NULL, ""},
  };
  g_autoptr(RegardMatrix) m = sample_matrix(values, 2, 4, rows, cols);
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    guint8 chosen[4];
    char found[5] = "";
    g_autofree char *missing = regard_sum_parse(m, REGARD_SUM_KEYS, cases[i].typed, chosen);
    g_assert_cmpstr(missing, ==, cases[i].missing);
    for (guint c = 0; c < 4; c++)
      found[c] = (char) ('0' + chosen[c]);
    if (!missing)
      g_assert_cmpstr(found, ==, cases[i].chosen);
  }
  guint8 chosen[4] = {1, 0, 1, 0};
  g_autoptr(RegardMatrix) sum = regard_matrix_new_sum(m, REGARD_SUM_KEYS, chosen);
  g_assert_cmpuint(sum->cols, ==, 2);
  g_assert_cmpstr(sum->col_labels[1].text, ==, "two");
  g_assert_cmpfloat_with_epsilon(regard_matrix_get(sum, 0, 0), 0.4, 1e-6);
  g_assert_cmpfloat_with_epsilon(regard_matrix_get(sum, 0, 1), 0.6, 1e-6);
}

/* ---- Sides that have other tokens ------------------------------------------------------------ */

/* What only one side of a difference has is masked and says whose it is; a word is never of both
 * and of one, so merged words have a value or none; rows keep their maximum. */
static void
test_aligned(void)
{
  mt_error error = {0};
  mt_capture *a = sample_capture_of("▁I ▁walk ing ▁here </s>", "▁Ich ▁da . </s>", 2, 2);
  mt_capture *b = sample_capture_of("▁I ▁walk ed ▁here ▁now </s>", "▁Ich ▁jetzt ▁da . </s>", 2, 2);
  mt_capture *d = mt_capture_difference_aligned(a, b, &error);
  g_assert_cmpstr(error.message, ==, "");
  for (guint merge = 0; merge < 2; merge++)
    for (int kind = 0; kind < MT_N_KINDS; kind++) {
      g_autoptr(RegardMatrix) m = make(d, (RegardMatrixSpec){.kind = (mt_attention_kind) kind,
                                                             .combine = REGARD_COMBINE_MAX,
                                                             .merge_words = merge});
      g_assert_true(has_badge(m, "tokens aligned"));
      g_assert_true(m->diverging);
      for (guint r = 0; r < m->rows; r++) {
        double most = 0;
        for (guint c = 0; c < m->cols; c++) {
          const float value = regard_matrix_get(m, r, c);
          if (isnan(value))
            g_assert_true(regard_matrix_is_masked(m, r, c));
          else
            most = MAX(most, fabs((double) value));
        }
        g_assert_cmpfloat(regard_matrix_row_max(m, r), ==, most);
      }
    }
  g_autoptr(RegardMatrix) m = make(d, (RegardMatrixSpec){.kind = MT_CROSS});
  static const struct {
    guint row, col;
    const char *words;
  } cells[] = {{0, 2, "masked: only A has the column"},
               {0, 3, "masked: only B has the column"},
               {1, 0, "masked: only B has the row"},
               {1, 3, "masked: only B has the row"},
               {1, 2, "masked: A and B do not both have the row, nor the column"}};
  g_assert_cmpstr(m->col_labels[2].piece, ==, "ing→");
  g_assert_cmpstr(m->col_labels[3].piece, ==, "→ed");
  g_assert_cmpstr(m->row_labels[1].piece, ==, "▁→jetzt");
  for (guint i = 0; i < G_N_ELEMENTS(cells); i++) {
    g_autofree char *text = regard_matrix_describe_cell(m, cells[i].row, cells[i].col);
    g_assert_true(g_str_has_suffix(text, cells[i].words));
  }
  /* "▁da" is written in both, after another word. */
  g_autoptr(RegardMatrix) decoder = make(d, (RegardMatrixSpec){.kind = MT_DECODER_SELF});
  g_assert_cmpstr(decoder->col_labels[2].piece, ==, "▁Ich→jetzt");
  g_autofree char *each = regard_matrix_describe_cell(decoder, 3, 2);
  g_assert_true(g_str_has_suffix(each, "masked: A and B have other tokens there"));
  mt_capture_unref(a);
  mt_capture_unref(b);
  mt_capture_unref(d);
}

TESTS()
{
  g_test_add_func("/matrix/one-head", test_one_head);
  g_test_add_func("/matrix/titles", test_titles);
  g_test_add_func("/matrix/combine", test_combine);
  g_test_add_func("/matrix/merge", test_merge);
  g_test_add_func("/matrix/merge-restricted", test_merge_restricted);
  g_test_add_func("/matrix/words", test_words);
  g_test_add_func("/matrix/joined-masks", test_joined_masks);
  g_test_add_func("/matrix/hide-special", test_hide_special);
  g_test_add_func("/matrix/received", test_received);
  g_test_add_func("/matrix/decoder-labels", test_decoder_labels);
  g_test_add_func("/matrix/unknown-pieces", test_unknown_pieces);
  g_test_add_func("/matrix/bounds-and-life", test_bounds_and_life);
  g_test_add_func("/matrix/describe", test_describe);
  g_test_add_func("/matrix/sentences", test_sentences);
  g_test_add_func("/matrix/plain", test_plain);
  g_test_add_func("/matrix/positions", test_positions);
  g_test_add_func("/matrix/like", test_like);
  g_test_add_func("/matrix/source", test_source);
  g_test_add_func("/matrix/sum", test_sum);
  g_test_add_func("/matrix/sum-parse", test_sum_parse);
  g_test_add_func("/matrix/aligned", test_aligned);
}
