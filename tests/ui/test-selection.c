/* test-selection.c — the shared selection: clamping, signals, and what a cell becomes when the
 * picture changes. Needs no display.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sample-capture.h"
#include "suite.h"
#include "widgets/regard-selection.h"
#include <string.h>

typedef struct {
  guint matrix, hover, pin, style, chosen, notify;
} Counts;

static void
count(guint *n)
{
  (*n)++;
}

static void
watch(RegardSelection *s, Counts *counts)
{
  *counts = (Counts){0};
  g_signal_connect_swapped(s, "matrix-changed", G_CALLBACK(count), &counts->matrix);
  g_signal_connect_swapped(s, "hover-changed", G_CALLBACK(count), &counts->hover);
  g_signal_connect_swapped(s, "pin-changed", G_CALLBACK(count), &counts->pin);
  g_signal_connect_swapped(s, "style-changed", G_CALLBACK(count), &counts->style);
  g_signal_connect_swapped(s, "chosen-changed", G_CALLBACK(count), &counts->chosen);
  g_signal_connect_swapped(s, "notify", G_CALLBACK(count), &counts->notify);
}

/* A selection with the sample sentence at cross-attention, layer 1, head 1. */
static RegardSelection *
new_selection(void)
{
  RegardSelection *s = regard_selection_new();
  mt_capture *capture = sample_capture(3);

  regard_selection_set_capture(s, capture);
  mt_capture_unref(capture);
  return s;
}

#define assert_cell(cell, r, c)          \
  G_STMT_START                           \
  {                                      \
    RegardCell cell_ = (cell);           \
    g_assert_cmpint(cell_.row, ==, (r)); \
    g_assert_cmpint(cell_.col, ==, (c)); \
  }                                      \
  G_STMT_END

static void
test_empty(void)
{
  g_autoptr(RegardSelection) s = regard_selection_new();

  g_assert_null(regard_selection_get_capture(s));
  g_assert_null(regard_selection_get_matrix(s));
  g_assert_nonnull(regard_selection_get_colormap(s));
  regard_selection_set_hover(s, (RegardCell){3, 4});
  assert_cell(regard_selection_get_hover(s), -1, -1);
  regard_selection_hover_source(s, 2);
  g_assert_cmpint(regard_selection_get_lit_source(s), ==, -1);
  regard_selection_set_capture(s, NULL);
  g_assert_null(regard_selection_get_matrix(s));
}

static void
test_place_is_clamped(void)
{
  g_autoptr(RegardSelection) s = new_selection();
  Counts counts;

  regard_selection_set_place(s, MT_CROSS, 99, 99);
  g_assert_cmpuint(regard_selection_get_layer(s), ==, 2);
  g_assert_cmpuint(regard_selection_get_head(s), ==, 7);
  g_assert_cmpuint(regard_matrix_get_attention(regard_selection_get_matrix(s))->spec.layer, ==, 2);

  watch(s, &counts);
  regard_selection_set_place(s, MT_CROSS, 2, 7);
  g_assert_cmpuint(counts.matrix + counts.notify, ==, 0); /* it was there already */
  regard_selection_set_place(s, MT_CROSS, 1, 7);
  g_assert_cmpuint(counts.matrix, ==, 1);
  g_assert_cmpuint(counts.notify, ==, 1); /* the layer alone */
}

static void
test_capture_with_fewer_layers(void)
{
  g_autoptr(RegardSelection) s = new_selection();
  mt_capture *small = sample_capture(1);

  regard_selection_set_place(s, MT_DECODER_SELF, 2, 5);
  regard_selection_toggle_chosen(s, MT_DECODER_SELF, 2, 5);
  g_assert_true(regard_selection_is_chosen(s, MT_DECODER_SELF, 2, 5));
  regard_selection_set_capture(s, small);
  mt_capture_unref(small);
  g_assert_cmpuint(regard_selection_get_layer(s), ==, 0);
  g_assert_cmpuint(regard_selection_get_head(s), ==, 5);
  /* a set of heads of another model means nothing here */
  g_assert_false(regard_selection_is_chosen(s, MT_DECODER_SELF, 2, 5));
  g_assert_false(regard_selection_is_chosen(s, MT_DECODER_SELF, 0, 5));
}

static void
test_cells_are_clamped(void)
{
  g_autoptr(RegardSelection) s = new_selection();
  Counts counts;

  watch(s, &counts);
  regard_selection_set_hover(s, (RegardCell){1000, 1000});
  assert_cell(regard_selection_get_hover(s), 16, 16);
  g_assert_cmpuint(counts.hover, ==, 1);
  regard_selection_set_hover(s, (RegardCell){1000, 1000});
  g_assert_cmpuint(counts.hover, ==, 1);
  regard_selection_set_pin(s, (RegardCell){3, -5});
  assert_cell(regard_selection_get_pin(s), 3, -1);
  assert_cell(regard_selection_get_focus(s), 16, 16);
  regard_selection_set_hover(s, (RegardCell){-1, -1});
  assert_cell(regard_selection_get_focus(s), 3, -1);
}

/* Typing more at the end keeps what is pinned; a text without the token lets go. */
static void
test_pin_survives_typing(void)
{
  g_autoptr(RegardSelection) s = regard_selection_new();
  mt_capture *c = sample_capture_of("▁The ▁cat ▁sat </s>", "▁Die ▁Katze ▁saß </s>", 2, 2);
  Counts counts;

  regard_selection_set_capture(s, c);
  mt_capture_unref(c);
  regard_selection_set_pin(s, (RegardCell){1, 1}); /* Katze × cat */

  watch(s, &counts);
  c = sample_capture_of("▁The ▁black ▁cat ▁sat </s>", "▁Die ▁schwarze ▁Katze ▁saß </s>", 2, 2);
  regard_selection_set_capture(s, c);
  mt_capture_unref(c);
  assert_cell(regard_selection_get_pin(s), 2, 2);
  g_assert_cmpuint(counts.pin, ==, 1);
  g_assert_cmpuint(counts.matrix, ==, 1);

  c = sample_capture_of("▁The ▁dog ▁sat </s>", "▁Der ▁Hund ▁saß </s>", 2, 2);
  regard_selection_set_capture(s, c);
  mt_capture_unref(c);
  assert_cell(regard_selection_get_pin(s), -1, -1);

  regard_selection_set_pin(s, (RegardCell){0, 0});
  regard_selection_set_capture(s, NULL);
  assert_cell(regard_selection_get_pin(s), -1, -1);
}

/* The second "the" is not the first. */
static void
test_pin_counts_occurrences(void)
{
  g_autoptr(RegardSelection) s = regard_selection_new();
  mt_capture *c = sample_capture_of("▁the ▁cat ▁the </s>", "▁a </s>", 1, 1);

  regard_selection_set_capture(s, c);
  mt_capture_unref(c);
  regard_selection_set_pin(s, (RegardCell){0, 2});
  c = sample_capture_of("▁the ▁big ▁black ▁the </s>", "▁a </s>", 1, 1);
  regard_selection_set_capture(s, c);
  mt_capture_unref(c);
  assert_cell(regard_selection_get_pin(s), 0, 3);
}

static void
test_pin_and_kind(void)
{
  g_autoptr(RegardSelection) s = new_selection();

  regard_selection_set_pin(s, (RegardCell){4, -1}); /* a decoder row */
  regard_selection_set_place(s, MT_DECODER_SELF, 0, 0);
  assert_cell(regard_selection_get_pin(s), 4, -1);
  regard_selection_set_place(s, MT_ENCODER_SELF, 0, 0);
  assert_cell(regard_selection_get_pin(s), -1, -1); /* rows are another text now */
  regard_selection_set_pin(s, (RegardCell){-1, 6});
  regard_selection_set_place(s, MT_CROSS, 2, 1);
  assert_cell(regard_selection_get_pin(s), -1, 6);
}

static void
test_pin_and_merging(void)
{
  g_autoptr(RegardSelection) s = new_selection();
  RegardMatrix *m = regard_selection_get_matrix(s);
  int token = 5; /* "quer", in the middle of a word */
  RegardCell pin;

  g_assert_cmpstr(m->row_labels[4].text, ==, "quer");
  regard_selection_set_pin(s, (RegardCell){4, 9});
  regard_selection_set_merge_words(s, TRUE);
  m = regard_selection_get_matrix(s);
  pin = regard_selection_get_pin(s);
  g_assert_cmpstr(m->row_labels[pin.row].text, ==, "überquerte");
  g_assert_cmpstr(m->col_labels[pin.col].text, ==, "street");
  /* all pieces of the word are lit */
  for (token = 3; token <= 5; token++)
    g_assert_true(regard_selection_is_target_lit(s, token));
  g_assert_false(regard_selection_is_target_lit(s, 6));
  g_assert_true(regard_selection_is_source_lit(s, 9));
}

static void
test_hidden_special(void)
{
  g_autoptr(RegardSelection) s = new_selection();

  regard_selection_set_pin(s, (RegardCell){2, 16}); /* </s> */
  regard_selection_set_hide_special(s, TRUE);
  assert_cell(regard_selection_get_pin(s), -1, -1);
  regard_selection_hover_source(s, 16);
  g_assert_cmpint(regard_selection_get_hover(s).col, ==, -1);
  regard_selection_hover_source(s, 15);
  g_assert_cmpint(regard_selection_get_hover(s).col, ==, 15);
}

static void
test_texts_and_cells(void)
{
  g_autoptr(RegardSelection) s = new_selection();

  regard_selection_hover_source(s, 3);
  assert_cell(regard_selection_get_hover(s), -1, 3);
  g_assert_cmpint(regard_selection_get_lit_source(s), ==, 3);
  g_assert_cmpint(regard_selection_get_lit_target(s), ==, -1);
  regard_selection_hover_target(s, 3);
  assert_cell(regard_selection_get_hover(s), 3, -1);
  g_assert_cmpint(regard_selection_get_lit_target(s), ==, 3);

  /* Labelled by input, output token 3 is the row that it goes into: the next one. */
  regard_selection_set_label_by(s, REGARD_LABEL_BY_INPUT);
  regard_selection_hover_target(s, 3);
  assert_cell(regard_selection_get_hover(s), 4, -1);
  g_assert_cmpint(regard_selection_get_lit_target(s), ==, 3);
  regard_selection_set_hover(s, (RegardCell){0, -1});
  g_assert_cmpint(regard_selection_get_lit_target(s), ==, -1); /* the start is no output */
  regard_selection_set_label_by(s, REGARD_LABEL_BY_OUTPUT);

  /* Keys of the decoder are its inputs: column 4 is output token 3. */
  regard_selection_set_place(s, MT_DECODER_SELF, 0, 0);
  regard_selection_set_hover(s, (RegardCell){7, 4});
  g_assert_true(regard_selection_is_target_lit(s, 7));
  g_assert_true(regard_selection_is_target_lit(s, 3));
  g_assert_false(regard_selection_is_target_lit(s, 4));
  regard_selection_hover_source(s, 2);
  assert_cell(regard_selection_get_hover(s), -1, -1); /* no source in this picture */

  regard_selection_set_place(s, MT_ENCODER_SELF, 0, 0);
  regard_selection_set_hover(s, (RegardCell){7, 4});
  g_assert_cmpint(regard_selection_get_lit_source(s), ==, 4);
  g_assert_true(regard_selection_is_source_lit(s, 7));
}

/* A decoder from elsewhere has one list of tokens: what a row or column is called is what is lit.
 */
static void
test_decoder_alone(void)
{
  g_autoptr(RegardSelection) s = regard_selection_new();
  mt_capture *c = sample_decoder_capture("▁The ▁dog s ▁sleep .", 1, 1);

  regard_selection_set_capture(s, c);
  mt_capture_unref(c);
  for (int by = 0; by <= REGARD_LABEL_BY_INPUT; by++) {
    regard_selection_set_label_by(s, (RegardLabelBy) by);
    RegardMatrix *m = regard_selection_get_matrix(s);

    g_assert_cmpstr(m->row_labels[3].text, ==, "▁sleep");
    g_assert_cmpstr(m->col_labels[1].text, ==, "▁dog");
    g_assert_null(m->row_labels[3].other);
    regard_selection_set_hover(s, (RegardCell){3, 1});
    for (int token = 0; token < 5; token++)
      g_assert_cmpint(regard_selection_is_target_lit(s, token), ==, token == 3 || token == 1);
    regard_selection_set_hover(s, (RegardCell){-1, 0});
    g_assert_cmpint(regard_selection_get_lit_target(s), ==, 0);
    regard_selection_hover_target(s, 4);
    assert_cell(regard_selection_get_hover(s), 4, -1);
  }
}

static void
test_combine_and_chosen(void)
{
  g_autoptr(RegardSelection) s = new_selection();
  RegardMatrixSpec spec;
  Counts counts;

  watch(s, &counts);
  regard_selection_toggle_chosen(s, MT_CROSS, 1, 2);
  g_assert_cmpuint(counts.chosen, ==, 1);
  g_assert_cmpuint(counts.matrix, ==, 0); /* not what is seen */
  regard_selection_set_combine(s, REGARD_COMBINE_CHOSEN);
  regard_selection_toggle_chosen(s, MT_CROSS, 2, 3);
  g_assert_cmpuint(counts.matrix, ==, 2);
  g_assert_cmpint(regard_matrix_get_attention(regard_selection_get_matrix(s))->spec.combine, ==,
                  REGARD_COMBINE_CHOSEN);
  regard_selection_get_spec(s, &spec);
  g_assert_nonnull(spec.chosen);
  g_assert_cmpint(spec.chosen[1 * 8 + 2], !=, 0);
  g_assert_cmpint(spec.chosen[2 * 8 + 3], !=, 0);
  g_assert_cmpint(spec.chosen[0], ==, 0);
  regard_selection_toggle_chosen(s, MT_CROSS, 9, 9); /* out of range: nothing */
  g_assert_cmpuint(counts.chosen, ==, 2);
  regard_selection_clear_chosen(s);
  g_assert_cmpuint(counts.chosen, ==, 3);
  g_assert_cmpuint(counts.matrix, ==, 3);
  g_assert_false(regard_selection_is_chosen(s, MT_CROSS, 1, 2));
  regard_selection_clear_chosen(s);
  g_assert_cmpuint(counts.chosen, ==, 3);
}

static void
test_style(void)
{
  g_autoptr(RegardSelection) s = regard_selection_new();
  g_autofree char *id = NULL;
  Counts counts;

  watch(s, &counts);
  regard_selection_set_scale(s, REGARD_SCALE_SQRT);
  regard_selection_set_scale(s, REGARD_SCALE_SQRT);
  regard_selection_set_scale(s, (RegardScale) 77);
  g_assert_cmpuint(counts.style, ==, 1);
  regard_selection_set_colormap(s, "magma");
  g_assert_cmpuint(counts.style, ==, 2);
  g_assert_cmpstr(regard_selection_get_colormap(s)->id, ==, "magma");
  regard_selection_set_colormap(s, "no such map");
  g_object_get(s, "colormap", &id, NULL);
  g_assert_cmpstr(id, ==, regard_colormap_default()->id);
}

static void
test_properties(void)
{
  g_autoptr(RegardSelection) s = new_selection();
  g_autofree char *name = NULL;
  mt_capture *capture = NULL;
  guint layer;
  int kind;

  regard_selection_set_place(s, MT_ENCODER_SELF, 1, 3);
  g_object_get(s, "kind", &kind, "layer", &layer, "model-name", &name, "capture", &capture, NULL);
  g_assert_cmpint(kind, ==, MT_ENCODER_SELF);
  g_assert_cmpuint(layer, ==, 1);
  g_assert_true(capture == regard_selection_get_capture(s));
  g_assert_cmpstr(name, ==, mt_capture_model_name(capture));
  mt_capture_unref(capture);
}

/* A short moment of staleness is not shown. */
static void
test_dimmed_later(void)
{
  g_autoptr(RegardSelection) s = new_selection();

  regard_selection_set_stale(s, TRUE);
  g_assert_true(regard_selection_get_stale(s));
  g_assert_false(regard_selection_get_dimmed(s));
  regard_selection_set_stale(s, FALSE);
  regard_selection_set_stale(s, TRUE);
  while (!regard_selection_get_dimmed(s))
    g_main_context_iteration(NULL, TRUE);
  regard_selection_set_stale(s, FALSE);
  g_assert_false(regard_selection_get_dimmed(s));
  regard_selection_set_stale(s, TRUE); /* its timer must die with it */
}

/* What is added up is of one axis, follows heads, and ends with the sentence. */
static void
test_summed(void)
{
  g_autoptr(RegardSelection) s = new_selection();
  RegardSumAxis axis;
  guint n, changed = 0;

  g_signal_connect_swapped(s, "summed-changed", G_CALLBACK(count), &changed);
  g_assert_false(regard_selection_toggle_summed(s, (RegardCell){2, 3}));
  g_assert_false(regard_selection_toggle_summed(s, (RegardCell){-1, -1}));
  g_assert_false(regard_selection_toggle_summed(s, (RegardCell){-1, 99}));
  g_assert_null(regard_selection_new_sum(s));
  g_assert_true(regard_selection_toggle_summed(s, (RegardCell){-1, 2}));
  g_assert_true(regard_selection_toggle_summed(s, (RegardCell){-1, 9}));
  g_assert_cmpuint(changed, ==, 2);
  const guint8 *chosen = regard_selection_get_summed(s, &axis, &n);
  g_assert_cmpint(axis, ==, REGARD_SUM_KEYS);
  g_assert_cmpuint(n, ==, regard_selection_get_matrix(s)->cols);
  g_assert_true(chosen[2] && chosen[9] && !chosen[3]);
  g_assert_true(regard_selection_is_source_lit(s, 2) && regard_selection_is_source_lit(s, 9));
  g_assert_false(regard_selection_is_source_lit(s, 3));

  for (guint head = 0; head < 3; head++) {
    regard_selection_set_place(s, MT_CROSS, 1, head);
    const RegardMatrix *m = regard_selection_get_matrix(s);
    g_autoptr(RegardMatrix) sum = regard_selection_new_sum(s);
    for (guint r = 0; r < m->rows; r++)
      g_assert_cmpfloat_with_epsilon(regard_matrix_get(sum, 0, r),
                                     regard_matrix_get(m, r, 2) + regard_matrix_get(m, r, 9), 1e-6);
  }
  g_assert_cmpuint(changed, ==, 5); /* the numbers are others each time */

  /* A row begins anew; the second time it is taken out, and there is nothing left. */
  g_assert_true(regard_selection_toggle_summed(s, (RegardCell){4, -1}));
  regard_selection_get_summed(s, &axis, &n);
  g_assert_cmpint(axis, ==, REGARD_SUM_QUERIES);
  g_assert_true(regard_selection_is_target_lit(s, 4));
  g_assert_false(regard_selection_is_source_lit(s, 2));
  g_assert_true(regard_selection_toggle_summed(s, (RegardCell){4, -1}));
  g_assert_null(regard_selection_get_summed(s, &axis, &n));

  g_assert_true(regard_selection_toggle_summed(s, (RegardCell){-1, 2}));
  regard_selection_set_place(s, MT_DECODER_SELF, 1, 0); /* other tokens */
  g_assert_null(regard_selection_get_summed(s, &axis, &n));
  g_assert_true(regard_selection_toggle_summed(s, (RegardCell){1, -1}));
  regard_selection_set_capture(s, NULL);
  g_assert_null(regard_selection_new_sum(s));
}

TESTS()
{
  g_test_add_func("/selection/empty", test_empty);
  g_test_add_func("/selection/place-is-clamped", test_place_is_clamped);
  g_test_add_func("/selection/fewer-layers", test_capture_with_fewer_layers);
  g_test_add_func("/selection/cells-are-clamped", test_cells_are_clamped);
  g_test_add_func("/selection/pin-survives-typing", test_pin_survives_typing);
  g_test_add_func("/selection/pin-counts-occurrences", test_pin_counts_occurrences);
  g_test_add_func("/selection/pin-and-kind", test_pin_and_kind);
  g_test_add_func("/selection/pin-and-merging", test_pin_and_merging);
  g_test_add_func("/selection/hidden-special", test_hidden_special);
  g_test_add_func("/selection/texts-and-cells", test_texts_and_cells);
  g_test_add_func("/selection/decoder-alone", test_decoder_alone);
  g_test_add_func("/selection/combine-and-chosen", test_combine_and_chosen);
  g_test_add_func("/selection/style", test_style);
  g_test_add_func("/selection/properties", test_properties);
  g_test_add_func("/selection/dimmed-later", test_dimmed_later);
  g_test_add_func("/selection/summed", test_summed);
}
