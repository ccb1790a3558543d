/* sample-capture.c — invented attention that looks like the real thing: diagonals of some width at
 * some offset, one sharpness per head, a share on the last token, noise.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sample-capture.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#define SOURCE "▁The ▁old ▁man ▁did n ' t ▁cross ▁the ▁street ▁because ▁he ▁was ▁too ▁tired . </s>"
#define TARGET \
  "▁Der ▁alte ▁Mann ▁über quer te ▁die ▁Straße ▁nicht , ▁weil ▁er ▁zu ▁müde ▁war . </s>"

mt_tokens *
sample_tokens(const char *pieces)
{
  g_auto(GStrv) parts = g_strsplit(pieces, " ", -1);
  gsize n = g_strv_length(parts);
  g_autofree mt_token *items = g_new0(mt_token, n + 1);
  g_autoptr(GString) text = g_string_new(NULL);
  int word = -1;
  for (gsize i = 0; i < n; i++) {
    gboolean special = strcmp(parts[i], "</s>") == 0 || strcmp(parts[i], "<pad>") == 0;
    gboolean begins = g_str_has_prefix(parts[i], "▁");
    items[i] = (mt_token){.id = (int32_t) i, .piece = parts[i], .is_special = special};
    if (special || begins || i == 0 || items[i - 1].is_special)
      word++;
    items[i].word = word;
    if (begins && text->len > 0)
      g_string_append_c(text, ' ');
    items[i].begin = (uint32_t) text->len;
    if (!special)
      g_string_append(text, begins ? parts[i] + strlen("▁") : parts[i]);
    items[i].end = (uint32_t) text->len;
  }
  mt_error error = {0};
  mt_tokens *tokens = mt_tokens_new(text->str, items, n, &error);
  g_assert_cmpstr(error.message, ==, "");
  return tokens;
}

/* xorshift, so that no C library decides. */
static double
next_random(guint32 *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return (*state >> 8) / 16777216.0;
}

static void
fill_head(float *w, gsize rows, gsize cols, mt_attention_mask mask, guint32 seed, float *lse)
{
  guint32 state = seed * 2654435761u + 12345;
  for (int i = 0; i < 8; i++)
    next_random(&state);
  double offset = floor(next_random(&state) * 4) - 2, sharpness = 0.15 + 3 * next_random(&state);
  double sink = next_random(&state) * 3 - 2, noise = 0.3 + 2.2 * next_random(&state);
  for (gsize r = 0; r < rows; r++) {
    double sum = 0, centre = (double) r * (double) (cols - 1) / (double) MAX(rows - 1, 1) + offset;
    for (gsize c = 0; c < cols; c++) {
      double distance = fabs((double) c - centre);
      double score = -sharpness * distance + noise * next_random(&state);
      if (c == cols - 1)
        score += sink;
      double e = mt_attention_mask_hides(mask, r, r + 1, c, c + 1) ? 0 : exp(score);
      w[r * cols + c] = (float) e;
      sum += e;
    }
    for (gsize c = 0; c < cols; c++)
      w[r * cols + c] = (float) (w[r * cols + c] / sum);
    lse[r] = (float) log(sum);
  }
}

/* Near tokens have more, every head to another degree. */
static void
fill_biases(mt_capture *capture, gsize n_heads)
{
  for (int kind = 0; kind < MT_CROSS; kind++) /* cross-attention, the last one, has none */
    for (gsize h = 0; h < n_heads; h++) {
      float *bias = mt_capture_fill_score_bias(capture, (mt_attention_kind) kind, 0, h);
      const gsize n = mt_capture_score_bias(capture, (mt_attention_kind) kind, 0, h).cols;
      for (gsize i = 0; i < n; i++)
        bias[i] = (float) (1.5 - 0.125 * (double) h * fabs((double) i - (double) (n / 2)));
    }
}

static mt_capture *
make_capture(const char *source, const char *target, gsize n_layers, gsize n_heads,
             gsize attention_window, const mt_interventions *interventions, gboolean is_relative)
{
  /* What goes in is what came out one step before. */
  g_auto(GStrv) pieces = g_strsplit(target, " ", -1);
  g_autoptr(GString) input = g_string_new("<pad>");
  for (gsize i = 0; pieces[i] && pieces[i + 1]; i++)
    g_string_append_printf(input, " %s", pieces[i]);

  mt_capture_spec spec = {
      .model_name = "en-de",
      .source = sample_tokens(source),
      .decoder_input = sample_tokens(input->str),
      .output = sample_tokens(target),
      .n_layers = {n_layers, n_layers, n_layers},
      .n_heads = {n_heads, n_heads, n_heads},
      .d_model = is_relative ? 0 : 64,
      .attention_window = attention_window,
      .interventions = interventions,
      .position_kind = is_relative ? MT_POSITIONS_RELATIVE : MT_POSITIONS_SINUSOIDAL_HALVES,
  };
  if (is_relative)
    spec.n_bias_layers[MT_ENCODER_SELF] = spec.n_bias_layers[MT_DECODER_SELF] = 1;
  mt_error error = {0};
  mt_capture *capture = mt_capture_new(&spec, &error);
  g_assert_cmpstr(error.message, ==, "");
  for (int kind = 0; kind < MT_N_KINDS; kind++) {
    mt_attention_kind k = (mt_attention_kind) kind;
    gsize rows = mt_tokens_count(mt_capture_rows(capture, k));
    gsize cols = mt_tokens_count(mt_capture_columns(capture, k));
    for (gsize l = 0; l < n_layers; l++)
      for (gsize h = 0; h < n_heads; h++)
        fill_head(mt_capture_fill_weights(capture, k, l, h), rows, cols,
                  mt_capture_mask(capture, k, l, h),
                  (guint32) (1 + h + 8 * l + 64 * (guint32) kind),
                  mt_capture_fill_row_lse(capture, k, l, h));
  }
  gsize n[MT_N_STACKS] = {mt_tokens_count(spec.source), mt_tokens_count(spec.output)};
  if (is_relative)
    fill_biases(capture, n_heads);
  for (int stack = 0; !is_relative && stack < MT_N_STACKS; stack++)
    mt_positions_sinusoidal(mt_capture_fill_positions(capture, (mt_stack) stack), n[stack],
                            spec.d_model, spec.position_kind);
  mt_tokens_unref(spec.source);
  mt_tokens_unref(spec.decoder_input);
  mt_tokens_unref(spec.output);
  return capture;
}

mt_capture *
sample_capture_of(const char *source, const char *target, gsize n_layers, gsize n_heads)
{
  return make_capture(source, target, n_layers, n_heads, 0, NULL, FALSE);
}

mt_capture *
sample_relative_capture(gsize n_layers)
{
  return make_capture(SOURCE, TARGET, n_layers, 8, 0, NULL, TRUE);
}

mt_capture *
sample_capture(gsize n_layers)
{
  return make_capture(SOURCE, TARGET, n_layers, 8, 0, NULL, FALSE);
}

mt_capture *
sample_restricted_capture(gsize n_layers, gsize attention_window)
{
  return make_capture(SOURCE, TARGET, n_layers, 8, attention_window, NULL, FALSE);
}

mt_capture *
sample_changed_capture(gsize n_layers, const char *text)
{
  mt_error error = {0};
  mt_interventions *interventions = mt_interventions_parse("test", text, &error);
  g_assert_cmpstr(error.message, ==, "");
  mt_capture *capture = make_capture(SOURCE, TARGET, n_layers, 8, 0, interventions, FALSE);
  mt_interventions_unref(interventions);
  return capture;
}

mt_capture *
sample_decoder_capture(const char *pieces, gsize n_layers, gsize n_heads)
{
  mt_capture_spec spec = {
      .model_name = "gpt",
      .decoder_input = sample_tokens(pieces),
      .n_layers = {[MT_DECODER_SELF] = n_layers},
      .n_heads = {[MT_DECODER_SELF] = n_heads},
      .d_model = 8,
      .position_kind = MT_POSITIONS_LEARNED,
      .naming = MT_NAMING_SEQUENCES,
  };
  gsize n = mt_tokens_count(spec.decoder_input);
  mt_error error = {0};
  mt_capture *capture = mt_capture_new(&spec, &error);
  g_assert_cmpstr(error.message, ==, "");
  for (gsize i = 0; i < n_layers * n_heads; i++)
    fill_head(mt_capture_fill_weights(capture, MT_DECODER_SELF, i / n_heads, i % n_heads), n, n,
              mt_capture_mask(capture, MT_DECODER_SELF, 0, 0), (guint32) i + 1,
              mt_capture_fill_row_lse(capture, MT_DECODER_SELF, i / n_heads, i % n_heads));
  mt_positions_sinusoidal(mt_capture_fill_positions(capture, MT_STACK_DECODER), n, spec.d_model,
                          MT_POSITIONS_SINUSOIDAL_HALVES);
  mt_tokens_unref(spec.decoder_input);
  return capture;
}

mt_capture *
sample_capture_through_file(mt_capture *capture)
{
  g_autofree char *folder = g_dir_make_tmp("regard-sample-XXXXXX", NULL);
  g_autofree char *path = g_build_filename(folder, "sample.npz", NULL);
  mt_error error = {0};
  mt_capture_write_npz(capture, path, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  mt_capture *read = mt_capture_read_npz(path, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_remove(path);
  g_rmdir(folder);
  mt_capture_unref(capture);
  return read;
}

RegardMatrix *
sample_matrix(const float *values, guint rows, guint cols, const char *const *row_labels,
              const char *const *col_labels)
{
  const gsize n = (gsize) rows * cols;
  RegardMatrix *m = regard_matrix_new_from(&(RegardMatrixSource){
      .id = "values",
      .title = "Matrix",
      .value_name = "value",
      .rows = regard_axis_texts(row_labels, rows, "rows"),
      .cols = regard_axis_texts(col_labels, cols, "columns"),
      .values = n ? g_memdup2(values, n * sizeof *values) : NULL,
      .is_ranked = TRUE,
  });
  m->rows_are_distributions = rows > 0 && !m->diverging;
  for (guint r = 0; r < rows && m->rows_are_distributions; r++)
    m->rows_are_distributions = fabs(regard_matrix_row_sum(m, r) - 1) <= 1e-4;
  return m;
}
