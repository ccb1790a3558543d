/* test-widgets.c — chips, thumbnails, numbers, colour bar, each against the shared
 * selection.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-raster.h"
#include "formats/regard-export.h"
#include "sample-capture.h"
#include "suite.h"
#include "views/regard-view.h"
#include "widget-find.h"
#include "widget-test.h"
#include "widgets/regard-cell-panel.h"
#include "widgets/regard-colorbar.h"
#include "widgets/regard-controls.h"
#include "widgets/regard-gtk.h"
#include "widgets/regard-heads.h"
#include "widgets/regard-heatmap.h"
#include "widgets/regard-token-strip.h"
#include "widgets/regard-wrap-layout.h"
#include <glib/gstdio.h>
#include <math.h>

/* ---- Chips -------------------------------------------------------------------------------------
 */

static void
test_strip_lights_and_pins(void)
{
  g_autoptr(RegardSelection) s = new_selection();
  GtkWidget *strip = regard_token_strip_new(REGARD_SIDE_SOURCE), *window;
  RegardTokenStrip *self = REGARD_TOKEN_STRIP(strip);
  graphene_rect_t r;

  gtk_widget_set_valign(strip, GTK_ALIGN_START);
  regard_token_strip_set_selection(self, s);
  window = show_in_window(strip);
  g_assert_cmpstr(regard_token_strip_get_summary(self), ==, "17 pieces");

  g_assert_true(regard_token_strip_get_chip(self, 9, &r));
  g_assert_cmpint(regard_token_strip_token_at(self, middle_x(&r), middle_y(&r)), ==, 9);
  move_pointer(strip, middle_x(&r), middle_y(&r));
  g_assert_cmpint(regard_selection_get_hover(s).col, ==, 9);
  g_assert_nonnull(strstr(regard_token_strip_get_summary(self), "▁street"));
  click_at(strip, middle_x(&r), middle_y(&r));
  g_assert_cmpint(regard_selection_get_pin(s).col, ==, 9);
  leave(strip);
  g_assert_cmpint(regard_selection_get_hover(s).col, ==, -1);
  g_assert_cmpint(regard_selection_get_pin(s).col, ==, 9);
  click_at(strip, middle_x(&r), middle_y(&r));
  g_assert_cmpint(regard_selection_get_pin(s).col, ==, -1);

  /* Somebody else points at a cell: its source token is named here. */
  regard_selection_set_hover(s, (RegardCell){4, 2});
  g_assert_nonnull(strstr(regard_token_strip_get_summary(self), "▁man"));
  g_assert_false(regard_token_strip_get_chip(self, 17, &r));
  g_assert_cmpint(regard_token_strip_token_at(self, -5, -5), ==, -1);
  gtk_window_destroy(GTK_WINDOW(window));
}

/* What words mean stands below them, and lines are higher by it; without a gloss nothing changes.
 */
static void
test_strip_meanings(void)
{
  g_autoptr(RegardSelection) s = new_selection();
  GtkWidget *strip = regard_token_strip_new(REGARD_SIDE_TARGET), *window;
  RegardTokenStrip *self = REGARD_TOKEN_STRIP(strip);
  g_autofree char *path = NULL;
  graphene_rect_t before, r, next;

  g_close(g_file_open_tmp("gloss-XXXXXX.tsv", &path, NULL), NULL);
  g_assert_true(g_file_set_contents(
      path, "word\ten\nalte\told\nüberquerte\tcrossed\nnicht\tnot at all, as it were, never\n", -1,
      NULL));
  g_autoptr(RegardGloss) gloss = regard_gloss_read(path, "en", NULL);
  g_unlink(path);
  gtk_widget_set_valign(strip, GTK_ALIGN_START);
  regard_token_strip_set_selection(self, s);
  window = show_in_window(strip);
  const int height = gtk_widget_get_height(strip);
  g_assert_true(regard_token_strip_get_chip(self, 7, &before));
  g_assert_null(regard_token_strip_get_meaning(self, 1));

  regard_token_strip_set_gloss(self, gloss);
  wait_for_draw(strip);
  g_assert_cmpstr(regard_token_strip_get_meaning(self, 1), ==, "old");
  g_assert_null(regard_token_strip_get_meaning(self, 0));
  for (int piece = 3; piece <= 5; piece++)
    g_assert_cmpstr(regard_token_strip_get_meaning(self, piece), ==, "crossed");
  g_assert_null(regard_token_strip_get_meaning(self, -1));
  g_assert_null(regard_token_strip_get_meaning(self, 17));
  g_assert_cmpint(gtk_widget_get_height(strip), >, height + 8);
  /* Below "alte", and still hers; then somebody reads it out. */
  g_assert_true(regard_token_strip_get_chip(self, 1, &r));
  g_assert_cmpint(regard_token_strip_token_at(self, middle_x(&r), r.origin.y + r.size.height + 5),
                  ==, 1);
  move_pointer(strip, middle_x(&r), middle_y(&r));
  g_assert_nonnull(strstr(regard_token_strip_get_summary(self), "▁alte (meaning: old) · p "));
  gtk_test_accessible_assert_property(strip, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                      regard_token_strip_get_summary(self));
  cairo_surface_t *picture = paint(strip);
  guint32 plain = pixel(picture, (int) r.origin.x - 2, (int) (r.origin.y + r.size.height) + 8);
  guint inked = 0;
  for (int y = (int) (r.origin.y + r.size.height) + 2; y < r.origin.y + r.size.height + 12; y++)
    for (int x = (int) r.origin.x; x < r.origin.x + r.size.width; x++)
      inked += pixel(picture, x, y) != plain;
  g_assert_cmpuint(inked, >, 10);
  cairo_surface_destroy(picture);
  /* A word has room for what it means. */
  g_assert_true(regard_token_strip_get_chip(self, 8, &r));
  g_assert_cmpfloat(r.size.width, >, 2 * before.size.width);
  g_assert_true(regard_token_strip_get_chip(self, 3, &r));
  g_assert_true(regard_token_strip_get_chip(self, 4, &next));
  g_assert_cmpfloat(r.size.height, ==, before.size.height);

  regard_token_strip_set_gloss(self, NULL);
  wait_for_draw(strip);
  g_assert_cmpint(gtk_widget_get_height(strip), ==, height);
  g_assert_true(regard_token_strip_get_chip(self, 7, &r));
  g_assert_true(graphene_rect_equal(&r, &before));
  gtk_window_destroy(GTK_WINDOW(window));
}

/* The darker, the surer: as the legend says. */
static void
test_strip_shades(void)
{
  g_autoptr(RegardSelection) s = regard_selection_new();
  GtkWidget *strip = regard_token_strip_new(REGARD_SIDE_TARGET), *window;
  mt_capture *capture = sample_capture(1);
  float *logprobs = mt_capture_fill_logprobs(capture);
  guint light[3];

  for (guint i = 0; i < G_N_ELEMENTS(light); i++)
    logprobs[i] = logf((float[]){0.98f, 0.5f, 0.05f}[i]);
  gtk_widget_set_valign(strip, GTK_ALIGN_START);
  regard_selection_set_capture(s, capture);
  regard_token_strip_set_selection(REGARD_TOKEN_STRIP(strip), s);
  window = show_in_window(strip);
  cairo_surface_t *picture = paint(strip);
  for (int i = 0; i < (int) G_N_ELEMENTS(light); i++) {
    graphene_rect_t r;

    g_assert_true(regard_token_strip_get_chip(REGARD_TOKEN_STRIP(strip), i, &r));
    const guint32 argb = pixel(picture, middle_x(&r), r.origin.y + 2); /* above the letters */
    light[i] = (argb >> 16 & 0xff) + (argb >> 8 & 0xff) + (argb & 0xff);
  }
  g_assert_cmpuint(light[0] + 20, <, light[1]);
  g_assert_cmpuint(light[1] + 20, <, light[2]);
  cairo_surface_destroy(picture);
  mt_capture_unref(capture);
  gtk_window_destroy(GTK_WINDOW(window));
}

static void
test_strip_target(void)
{
  g_autoptr(RegardSelection) s = new_selection();
  GtkWidget *strip = regard_token_strip_new(REGARD_SIDE_TARGET), *window;
  RegardTokenStrip *self = REGARD_TOKEN_STRIP(strip);

  regard_token_strip_set_selection(self, s);
  window = show_in_window(strip);
  g_assert_true(press_key(strip, GDK_KEY_Home, 0));
  g_assert_true(press_key(strip, GDK_KEY_Right, 0));
  g_assert_cmpint(regard_selection_get_hover(s).row, ==, 1);
  g_assert_nonnull(strstr(regard_token_strip_get_summary(self), "▁alte"));
  g_assert_nonnull(strstr(regard_token_strip_get_summary(self), "log p"));
  gtk_test_accessible_assert_property(strip, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT,
                                      regard_token_strip_get_summary(self));
  g_assert_true(press_key(strip, GDK_KEY_Return, 0));
  g_assert_cmpint(regard_selection_get_pin(s).row, ==, 1);
  g_assert_true(press_key(strip, GDK_KEY_End, 0));
  g_assert_cmpint(regard_selection_get_hover(s).row, ==, 16);
  g_assert_false(press_key(strip, GDK_KEY_x, 0));
  gtk_window_destroy(GTK_WINDOW(window));
}

/* 512 tokens take three lines, and the lit one is scrolled to. */
static void
test_strip_of_512(void)
{
  g_autoptr(RegardSelection) s = regard_selection_new();
  GString *pieces = g_string_new(NULL);
  GtkWidget *strip = regard_token_strip_new(REGARD_SIDE_SOURCE), *window;
  graphene_rect_t r;
  mt_capture *c;
  int three;

  for (int i = 0; i < 511; i++)
    g_string_append_printf(pieces, "▁word%d ", i);
  g_string_append(pieces, "</s>");
  c = sample_capture_of(pieces->str, "▁a </s>", 1, 1);
  g_string_free(pieces, TRUE);
  regard_selection_set_capture(s, c);
  mt_capture_unref(c);

  gtk_widget_set_valign(strip, GTK_ALIGN_START);
  regard_token_strip_set_selection(REGARD_TOKEN_STRIP(strip), s);
  window = show_in_window(strip);
  three = gtk_widget_get_height(strip);
  g_assert_cmpint(three, <, 120);
  g_assert_true(regard_token_strip_get_chip(REGARD_TOKEN_STRIP(strip), 500, &r));
  g_assert_cmpfloat(r.origin.y, >, three); /* far below */
  regard_selection_set_hover(s, (RegardCell){-1, 500});
  regard_token_strip_get_chip(REGARD_TOKEN_STRIP(strip), 500, &r);
  g_assert_cmpfloat(r.origin.y, >=, 0);
  g_assert_cmpfloat(r.origin.y + r.size.height, <=, three);
  regard_token_strip_set_max_lines(REGARD_TOKEN_STRIP(strip), 1);
  wait_for_draw(strip);
  g_assert_cmpint(gtk_widget_get_height(strip), <, three);
  gtk_window_destroy(GTK_WINDOW(window));
}

static void
test_strip_empty(void)
{
  g_autoptr(RegardSelection) s = regard_selection_new();
  GtkWidget *strip = regard_token_strip_new(REGARD_SIDE_SOURCE), *window;
  mt_capture *capture = sample_capture(1);

  regard_token_strip_set_selection(REGARD_TOKEN_STRIP(strip), s);
  window = show_in_window(strip);
  g_assert_cmpstr(regard_token_strip_get_summary(REGARD_TOKEN_STRIP(strip)), ==, "");
  move_pointer(strip, 10, 10);
  g_assert_false(press_key(strip, GDK_KEY_Right, 0));
  regard_selection_set_capture(s, capture);
  mt_capture_unref(capture);
  wait_for_draw(strip);
  g_assert_cmpstr(regard_token_strip_get_summary(REGARD_TOKEN_STRIP(strip)), ==, "17 pieces");
  regard_selection_set_capture(s, NULL);
  g_assert_cmpstr(regard_token_strip_get_summary(REGARD_TOKEN_STRIP(strip)), ==, "");
  gtk_window_destroy(GTK_WINDOW(window));
}

/* ---- Thumbnails ------------------------------------------------------------------------------ */

static void
test_heads_click_and_keys(void)
{
  g_autoptr(RegardSelection) s = new_selection();
  GtkWidget *heads = regard_heads_new(), *window;
  mt_attention_kind kind;
  guint layer, head;
  graphene_rect_t r;

  regard_heads_set_selection(REGARD_HEADS(heads), s);
  window = show_in_window(heads);
  for (int k = 0; k < MT_N_KINDS; k++)
    for (guint l = 0; l < 6; l += 5)
      for (guint h = 0; h < 8; h += 7) {
        g_assert_true(regard_heads_get_rect(REGARD_HEADS(heads), k, l, h, &r));
        g_assert_cmpfloat(r.size.width, >=, 18);
        g_assert_true(regard_heads_head_at(REGARD_HEADS(heads), middle_x(&r), middle_y(&r), &kind,
                                           &layer, &head));
        g_assert_cmpint(kind, ==, k);
        g_assert_cmpuint(layer, ==, l);
        g_assert_cmpuint(head, ==, h);
        click_at(heads, middle_x(&r), middle_y(&r));
        g_assert_cmpint(regard_selection_get_kind(s), ==, k);
        g_assert_cmpuint(regard_selection_get_layer(s), ==, l);
        g_assert_cmpuint(regard_selection_get_head(s), ==, h);
      }
  g_assert_false(regard_heads_get_rect(REGARD_HEADS(heads), MT_CROSS, 6, 0, &r));
  g_assert_false(regard_heads_head_at(REGARD_HEADS(heads), 1, 1, &kind, &layer, &head));

  /* From the last layer of the encoder, down leads to the first of cross-attention. */
  regard_selection_set_place(s, MT_ENCODER_SELF, 5, 2);
  g_assert_true(press_key(heads, GDK_KEY_Down, 0));
  g_assert_cmpint(regard_selection_get_kind(s), ==, MT_CROSS);
  g_assert_cmpuint(regard_selection_get_layer(s), ==, 0);
  g_assert_true(press_key(heads, GDK_KEY_Right, 0));
  g_assert_cmpuint(regard_selection_get_head(s), ==, 3);
  g_assert_true(press_key(heads, GDK_KEY_space, 0));
  g_assert_true(regard_selection_is_chosen(s, MT_CROSS, 0, 3));
  gtk_test_accessible_assert_property(heads, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT,
                                      "Cross-attention, layer 1, head 4, chosen");
  /* Where the pointer rests is said only to who has the keyboard elsewhere. */
  g_assert_true(regard_heads_get_rect(REGARD_HEADS(heads), MT_CROSS, 4, 4, &r));
  gtk_widget_grab_focus(heads);
  move_pointer(heads, middle_x(&r), middle_y(&r));
  gtk_test_accessible_assert_property(heads, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT,
                                      "Cross-attention, layer 1, head 4, chosen");
  gtk_window_set_focus(GTK_WINDOW(window), NULL);
  gtk_test_accessible_assert_property(heads, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT,
                                      "Cross-attention, layer 5, head 5");

  /* Where the mean of the chosen is shown a plain click chooses, but for the first into another
   * kind. */
  regard_selection_set_combine(s, REGARD_COMBINE_CHOSEN);
  g_assert_true(regard_heads_get_rect(REGARD_HEADS(heads), MT_CROSS, 2, 1, &r));
  click_at(heads, middle_x(&r), middle_y(&r));
  g_assert_true(regard_selection_is_chosen(s, MT_CROSS, 2, 1));
  g_assert_cmpuint(regard_selection_get_layer(s), ==, 0);
  click_at(heads, middle_x(&r), middle_y(&r));
  g_assert_false(regard_selection_is_chosen(s, MT_CROSS, 2, 1));
  g_assert_true(regard_heads_get_rect(REGARD_HEADS(heads), MT_ENCODER_SELF, 2, 1, &r));
  click_at(heads, middle_x(&r), middle_y(&r));
  g_assert_cmpint(regard_selection_get_kind(s), ==, MT_ENCODER_SELF);
  g_assert_false(regard_selection_is_chosen(s, MT_ENCODER_SELF, 2, 1));
  gtk_window_destroy(GTK_WINDOW(window));
}

static void
test_heads_show_the_data(void)
{
  g_autoptr(RegardSelection) s = new_selection();
  GtkWidget *heads = regard_heads_new(), *window;
  cairo_surface_t *linear, *square_root, *hovered;
  graphene_rect_t r;
  guint differ = 0;

  regard_heads_set_selection(REGARD_HEADS(heads), s);
  window = show_in_window(heads);
  linear = paint(heads);
  g_assert_cmpuint(count_ink(linear), >, 20000);
  regard_selection_set_scale(s, REGARD_SCALE_SQRT);
  square_root = paint(heads);
  regard_heads_get_rect(REGARD_HEADS(heads), MT_ENCODER_SELF, 2, 5, &r);
  for (double y = r.origin.y; y < r.origin.y + r.size.height; y++)
    for (double x = r.origin.x; x < r.origin.x + r.size.width; x++)
      differ += pixel(linear, x, y) != pixel(square_root, x, y);
  g_assert_cmpuint(differ, >, 20);

  gtk_window_set_focus(GTK_WINDOW(window), NULL);
  move_pointer(heads, middle_x(&r), middle_y(&r));
  hovered = paint(heads);
  g_assert_cmphex(pixel(hovered, r.origin.x + 5, r.origin.y - 1), !=,
                  pixel(square_root, r.origin.x + 5, r.origin.y - 1)); /* an outline */
  gtk_test_accessible_assert_property(heads, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT,
                                      "Encoder self-attention, layer 3, head 6");
  cairo_surface_destroy(linear);
  cairo_surface_destroy(square_root);
  cairo_surface_destroy(hovered);
  gtk_window_destroy(GTK_WINDOW(window));
}

/* Whether the thumbnail of a head has the colours of a matrix in the middle of its cells. */
static gboolean
thumbnail_shows(GtkWidget *heads, const RegardMatrix *m, const RegardMatrixSpec *spec)
{
  cairo_surface_t *painted = paint(heads);
  graphene_rect_t r;
  gboolean same = TRUE;

  g_assert_true(
      regard_heads_get_rect(REGARD_HEADS(heads), spec->kind, spec->layer, spec->head, &r));
  g_assert_cmpfloat(r.size.width, >, m->cols);
  g_assert_cmpfloat(r.size.height, >, m->rows);
  for (guint row = 1; row + 1 < m->rows; row++)
    for (guint col = 1; col + 1 < m->cols; col++)
      if (!regard_matrix_is_masked(m, row, col))
        same &= pixel(painted, r.origin.x + (col + 0.5) * r.size.width / m->cols,
                      r.origin.y + (row + 0.5) * r.size.height / m->rows) ==
                regard_raster_cell_color(m, NULL, REGARD_SCALE_LINEAR, row, col, 1);
  cairo_surface_destroy(painted);
  return same;
}

/* Words, and hidden special tokens, are what the large picture shows: the thumbnails too. */
static void
test_heads_follow_words(void)
{
  g_autoptr(RegardSelection) s = new_selection();
  GtkWidget *heads = regard_heads_new(), *window;

  regard_heads_set_selection(REGARD_HEADS(heads), s);
  window = show_in_window(heads);
  for (guint how = 0; how < 4; how++)
    for (guint kind = 0; kind < MT_N_KINDS; kind++) {
      RegardMatrixSpec spec;
      g_autoptr(RegardMatrix) wanted = NULL, raw = NULL;

      regard_selection_set_merge_words(s, how & 1);
      regard_selection_set_hide_special(s, how >> 1);
      regard_selection_get_spec(s, &spec);
      spec.kind = kind;
      spec.layer = 1;
      spec.head = 3;
      wanted = regard_matrix_new_attention(regard_selection_get_capture(s), &spec);
      g_assert_true(thumbnail_shows(heads, wanted, &spec));
      spec.merge_words = spec.hide_special = FALSE;
      raw = regard_matrix_new_attention(regard_selection_get_capture(s), &spec);
      g_assert_true(thumbnail_shows(heads, raw, &spec) == (how == 0));
    }
  gtk_window_destroy(GTK_WINDOW(window));
}

static void
test_heads_other_shapes(void)
{
  g_autoptr(RegardSelection) s = regard_selection_new();
  GtkWidget *heads = regard_heads_new(), *scroller = gtk_scrolled_window_new(), *window;
  mt_capture *c = sample_capture_of("▁a ▁b </s>", "▁c </s>", 12, 16);
  graphene_rect_t r;

  regard_heads_set_selection(REGARD_HEADS(heads), s);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), heads);
  window = show_in_window(scroller);
  g_assert_false(press_key(heads, GDK_KEY_Right, 0)); /* nothing there yet */
  regard_selection_set_capture(s, c);
  mt_capture_unref(c);
  wait_for_draw(heads);
  g_assert_true(regard_heads_get_rect(REGARD_HEADS(heads), MT_DECODER_SELF, 11, 15, &r));
  g_assert_cmpfloat(r.size.width, >=, 18);
  g_assert_cmpfloat(r.size.height, >=, 18);
  g_assert_cmpfloat(r.origin.y, >, WINDOW_HEIGHT); /* scrolls … */
  regard_selection_set_place(s, MT_DECODER_SELF, 11, 15);
  g_assert_cmpfloat(gtk_adjustment_get_value(
                        gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(scroller))),
                    >, r.origin.y + r.size.height - WINDOW_HEIGHT); /* … to what is opened */
  regard_selection_set_capture(s, NULL);
  wait_for_draw(heads);
  g_assert_false(regard_heads_get_rect(REGARD_HEADS(heads), MT_CROSS, 0, 0, &r));
  gtk_window_destroy(GTK_WINDOW(window));
}

/* ---- Numbers --------------------------------------------------------------------------------- */

static void
assert_silent(GtkWidget *panel, const char *name)
{
  g_autofree char *text = regard_cell_panel_get_text(REGARD_CELL_PANEL(panel), FALSE);

  if (strstr(text, name))
    g_error("the panel speaks of \"%s\":\n%s", name, text);
}

/* A capture whose numbers can be worked out by hand: one head, two rows, two columns. */
static mt_capture *
tiny_capture(void)
{
  mt_capture_spec spec = {
      .model_name = "tiny",
      .source = sample_tokens("▁a ▁b </s>"),
      .decoder_input = sample_tokens("<pad> ▁x"),
      .output = sample_tokens("▁x </s>"),
      .n_layers = {[MT_CROSS] = 1},
      .n_heads = {[MT_CROSS] = 1},
      .flags = MT_CAPTURE_SCORES,
  };
  const float weights[] = {0.5f, 0.25f, 0.25f, 0.1f, 0.2f, 0.7f};
  const float scores[] = {3.5f, 2.8068f, 2.8068f, 1, 1.6931f, 2.9459f};
  mt_capture *c = mt_capture_new(&spec, NULL);

  g_assert_nonnull(c);
  memcpy(mt_capture_fill_weights(c, MT_CROSS, 0, 0), weights, sizeof weights);
  memcpy(mt_capture_fill_scores(c, MT_CROSS, 0, 0), scores, sizeof scores);
  mt_capture_fill_logprobs(c)[0] = -0.5f;
  mt_capture_fill_logprobs(c)[1] = -2;
  mt_tokens_unref(spec.source);
  mt_tokens_unref(spec.decoder_input);
  mt_tokens_unref(spec.output);
  return c;
}

/* Tokens are added up by keys on their chips, and the panel says what comes of it. */
static void
test_sum(void)
{
  g_autoptr(RegardSelection) s = regard_selection_new();
  GtkWidget *panel = regard_cell_panel_new(), *window;
  GtkWidget *strip = regard_token_strip_new(REGARD_SIDE_SOURCE);
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  mt_capture *c = tiny_capture();

  gtk_box_append(GTK_BOX(box), strip);
  gtk_box_append(GTK_BOX(box), panel);
  regard_cell_panel_set_selection(REGARD_CELL_PANEL(panel), s);
  regard_token_strip_set_selection(REGARD_TOKEN_STRIP(strip), s);
  window = show_in_window(box);
  regard_selection_set_capture(s, c);
  mt_capture_unref(c);
  g_autofree char *none = regard_cell_panel_get_sum_text(REGARD_CELL_PANEL(panel), FALSE);
  g_assert_cmpstr(none, ==, "");
  press_key(strip, GDK_KEY_Home, 0);
  g_assert_true(press_key(strip, GDK_KEY_space, GDK_SHIFT_MASK));
  press_key(strip, GDK_KEY_Right, 0);
  g_assert_true(press_key(strip, GDK_KEY_Return, GDK_SHIFT_MASK));
  g_autofree char *text = regard_cell_panel_get_sum_text(REGARD_CELL_PANEL(panel), FALSE);
  g_assert_true(g_str_has_prefix(text, "Sum of 2 keys\t▁a + ▁b\n▁x\t0.7500\n"));
  g_assert_cmpint(regard_selection_get_pin(s).col, ==, -1);
  regard_selection_set_summed(s, REGARD_SUM_KEYS, NULL);
  g_autofree char *gone = regard_cell_panel_get_sum_text(REGARD_CELL_PANEL(panel), FALSE);
  g_assert_cmpstr(gone, ==, "");
  gtk_window_destroy(GTK_WINDOW(window));
}

static void
test_panel_numbers(void)
{
  g_autoptr(RegardSelection) s = regard_selection_new();
  GtkWidget *panel = regard_cell_panel_new(), *window;
  mt_capture *c = tiny_capture();

  regard_cell_panel_set_selection(REGARD_CELL_PANEL(panel), s);
  window = show_in_window(panel);
  regard_selection_set_capture(s, c);
  mt_capture_unref(c);
  assert_silent(panel, "weight");
  assert_says(panel, "Head 1.1");

  regard_selection_set_hover(s, (RegardCell){0, 1});
  assert_says(panel, "▁x → ▁b\tquery 1 · key 2");
  assert_says(panel, "weight\t0.250");
  assert_says(panel, "rank in row\t2 of 3");
  assert_says(panel, "score before softmax\t2.81");
  assert_says(panel, "row entropy\t1.50 bit");
  assert_silent(panel, "row sum"); /* it is 1 */
  assert_says(panel, "token in\tstart");
  assert_says(panel, "token out\t▁x");
  assert_says(panel, "its probability\t0.607");
  assert_says(panel, "its log p\t−0.50");
  assert_says(panel, "Row ▁x");
  assert_says(panel, "▁a\t0.500");

  /* Hidden special tokens: the sum is less than 1 and the rest is named. */
  regard_selection_set_hide_special(s, TRUE);
  regard_selection_set_hover(s, (RegardCell){0, 1});
  assert_says(panel, "row sum\t0.750");
  assert_says(panel, "hidden mass\t0.250");
  assert_silent(panel, "row entropy"); /* of no distribution */
  regard_selection_set_hide_special(s, FALSE);

  regard_selection_set_hover(s, (RegardCell){-1, 2});
  assert_says(panel, "sum of the column\t0.950");
  assert_silent(panel, "rank in row");
  regard_selection_set_hover(s, (RegardCell){1, -1});
  assert_says(panel, "row entropy\t1.16 bit");
  assert_silent(panel, "weight");
  regard_selection_set_hover(s, (RegardCell){-1, -1});
  assert_silent(panel, "Row");

  /* A small weight is not shown as none. */
  c = tiny_capture();
  mt_capture_fill_weights(c, MT_CROSS, 0, 0)[1] = 0.0002f;
  regard_selection_set_capture(s, c);
  mt_capture_unref(c);
  regard_selection_set_hover(s, (RegardCell){0, 1});
  assert_says(panel, "weight\t2.0e-04");
  gtk_window_destroy(GTK_WINDOW(window));
}

static void
on_clipboard(GObject *clipboard, GAsyncResult *result, gpointer text)
{
  *(char **) text = gdk_clipboard_read_text_finish(GDK_CLIPBOARD(clipboard), result, NULL);
  g_assert_nonnull(*(char **) text);
}

static GtkWidget *
find_button(GtkWidget *widget)
{
  GtkWidget *found = GTK_IS_BUTTON(widget) ? widget : NULL;

  for (GtkWidget *child = gtk_widget_get_first_child(widget); child && !found;
       child = gtk_widget_get_next_sibling(child))
    found = find_button(child);
  return found;
}

/* What is copied is all of each number, with a point whatever the language, not what there is room
 * to show. */
static void
test_panel_copy(void)
{
  static const char *const wanted[] = {"weight\t0.0002",
                                       "score before softmax\t2.8068",
                                       "its probability\t0.6065306597126334",
                                       "its log p\t-0.5",
                                       "▁a\t0.12345678\n",
                                       "confidence\t0.1617283932864666",
                                       "mean entropy\t1.0159100748350012\tbit"};
  g_autoptr(RegardSelection) s = regard_selection_new();
  GtkWidget *panel = regard_cell_panel_new(), *window;
  mt_capture *c = tiny_capture();

  mt_capture_fill_weights(c, MT_CROSS, 0, 0)[0] = 0.123456784f;
  mt_capture_fill_weights(c, MT_CROSS, 0, 0)[1] = 0.0002f;
  regard_cell_panel_set_selection(REGARD_CELL_PANEL(panel), s);
  window = show_in_window(panel);
  regard_selection_set_capture(s, c);
  mt_capture_unref(c);
  regard_selection_set_hover(s, (RegardCell){0, 1});
  assert_says(panel, "▁a\t0.123");
  char *copied = NULL;
  g_signal_emit_by_name(find_button(panel), "clicked");
  gdk_clipboard_read_text_async(gtk_widget_get_clipboard(panel), NULL, on_clipboard, &copied);
  while (!copied)
    g_main_context_iteration(NULL, TRUE);
  for (gsize i = 0; i < G_N_ELEMENTS(wanted); i++)
    if (!strstr(copied, wanted[i]))
      g_error("\"%s\" is not copied, but:\n%s", wanted[i], copied);
  g_free(copied);

  /* 0.123456784 + 0.0002, added up in double. */
  const guint8 chosen[] = {1, 1, 0};
  regard_selection_set_summed(s, REGARD_SUM_KEYS, chosen);
  g_autofree char *sum = regard_cell_panel_get_sum_text(REGARD_CELL_PANEL(panel), TRUE);
  g_autofree char *shown = regard_cell_panel_get_sum_text(REGARD_CELL_PANEL(panel), FALSE);
  g_autoptr(RegardMatrix) m = regard_selection_new_sum(s);
  const char *number = strstr(sum, "\n▁x\t");
  g_assert_nonnull(strstr(shown, "▁x\t0.1237\n"));
  g_assert_nonnull(number);
  g_assert_true((float) g_ascii_strtod(number + strlen("\n▁x\t"), NULL) ==
                regard_matrix_get(m, 0, 0));
  gtk_window_destroy(GTK_WINDOW(window));
}

static void
assert_share(const mt_capture *capture, gsize head, double least, double most)
{
  const double share = mt_head_metrics_compute(capture, MT_ENCODER_SELF, 0, head).position_share;

  g_assert_cmpfloat(share, >=, least);
  g_assert_cmpfloat(share, <=, most);
}

/* Of relative positions the score is split, of others nothing is said of it. */
static void
test_panel_positions(void)
{
  g_autoptr(RegardSelection) s = regard_selection_new();
  GtkWidget *panel = regard_cell_panel_new(), *window;
  mt_capture *relative = sample_relative_capture(2), *other = sample_capture(2);

  regard_cell_panel_set_selection(REGARD_CELL_PANEL(panel), s);
  window = show_in_window(panel);
  regard_selection_set_capture(s, relative);
  regard_selection_set_place(s, MT_ENCODER_SELF, 1, 2);
  regard_selection_set_hover(s, (RegardCell){3, 5});
  const RegardMatrix *m = regard_selection_get_matrix(s);
  const double bias = 1.5 - 0.125 * 2 * 2, score = regard_matrix_score(m, 3, 5);
  g_autofree char *content =
      g_strdup_printf("of it content, q·k\t%s%.2f", score < bias ? "−" : "", fabs(score - bias));
  assert_says(panel, content);
  assert_says(panel, "of it position\t+1.00");
  g_autofree char *text = regard_cell_panel_get_text(REGARD_CELL_PANEL(panel), FALSE);
  g_assert_nonnull(strstr(text, "\nposition’s share\t"));
  g_assert_cmpfloat(regard_matrix_score_bias(m, 3, 5), ==, (float) bias);

  double of_content[17], of_position[17], sum[2] = {0, 0};
  g_assert_true(regard_matrix_split_row(m, 3, of_content, of_position));
  for (guint c = 0; c < m->cols; c++) {
    sum[0] += of_content[c];
    sum[1] += of_position[c];
  }
  g_assert_cmpfloat_with_epsilon(sum[0], 1, 1e-9);
  g_assert_cmpfloat_with_epsilon(sum[1], 1, 1e-9);
  g_assert_cmpfloat_with_epsilon(of_position[5] / of_position[3], exp(-0.5), 1e-6);
  /* The first head's biases are all alike, and so are nothing of what varies. */
  assert_share(relative, 0, 0, 0);
  assert_share(relative, 1, DBL_MIN, 1);
  assert_share(relative, 7, DBL_MIN, 1);

  /* Words together have no one score; cross-attention has no biases. */
  regard_selection_set_merge_words(s, TRUE);
  g_assert_false(
      regard_matrix_split_row(regard_selection_get_matrix(s), 3, of_content, of_position));
  regard_selection_set_merge_words(s, FALSE);
  regard_selection_set_place(s, MT_CROSS, 1, 2);
  regard_selection_set_hover(s, (RegardCell){3, 5});
  assert_silent(panel, "position");
  regard_selection_set_capture(s, other);
  regard_selection_set_place(s, MT_ENCODER_SELF, 1, 2);
  regard_selection_set_hover(s, (RegardCell){3, 5});
  assert_silent(panel, "position");
  mt_capture_unref(relative);
  mt_capture_unref(other);
  gtk_window_destroy(GTK_WINDOW(window));
}

/* Each name of a number says in its tooltip what it is, and not its name again. */
static gboolean
names_have_tips(GtkWidget *widget)
{
  const char *tip = gtk_widget_get_tooltip_text(widget);

  if (gtk_widget_has_css_class(widget, "regard-name") && GTK_IS_LABEL(widget) &&
      GTK_IS_GRID(gtk_widget_get_parent(widget)) &&
      (!tip || strlen(tip) < 20 || g_str_equal(tip, gtk_label_get_text(GTK_LABEL(widget)))))
    return FALSE;
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
       child = gtk_widget_get_next_sibling(child))
    if (!names_have_tips(child))
      return FALSE;
  return TRUE;
}

/* A badge names a role only where it was measured. */
static void
test_panel_role(void)
{
  g_autoptr(RegardSelection) s = regard_selection_new();
  GtkWidget *panel = regard_cell_panel_new(), *window, *badge;
  mt_tokens *source = sample_tokens("▁a ▁b ▁c ▁d </s>");
  mt_capture_spec spec = {.model_name = "roles",
                          .source = source,
                          .n_layers = {[MT_ENCODER_SELF] = 1},
                          .n_heads = {[MT_ENCODER_SELF] = 2}};
  mt_capture *c = mt_capture_new(&spec, NULL);
  float *previous = mt_capture_fill_weights(c, MT_ENCODER_SELF, 0, 0);
  float *even = mt_capture_fill_weights(c, MT_ENCODER_SELF, 0, 1);

  for (int i = 0; i < 5; i++) {
    previous[5 * i + MAX(i - 1, 0)] = 1;
    for (int j = 0; j < 5; j++)
      even[5 * i + j] = 0.2f;
  }
  regard_cell_panel_set_selection(REGARD_CELL_PANEL(panel), s);
  window = show_in_window(panel);
  regard_selection_set_capture(s, c);
  badge = find_class(panel, "regard-badge");
  g_assert_nonnull(badge);
  g_assert_true(gtk_widget_get_visible(badge));
  g_assert_cmpstr(gtk_label_get_text(GTK_LABEL(badge)), ==, "looks at the token before, 100 %");
  g_assert_nonnull(strstr(gtk_widget_get_tooltip_text(badge), "0.90"));
  g_assert_true(names_have_tips(panel));
  regard_selection_set_place(s, MT_ENCODER_SELF, 0, 1);
  g_assert_false(gtk_widget_get_visible(badge));
  mt_capture_unref(c);
  mt_tokens_unref(source);
  gtk_window_destroy(GTK_WINDOW(window));
}

/* ---- Bar, wrapping -------------------------------------------------------------------- */

static void
test_colorbar(void)
{
  GtkWidget *bar = regard_colorbar_new(), *window;
  const RegardColormap *map = regard_colormap_find("cividis");
  cairo_surface_t *picture, *marked;

  gtk_widget_set_halign(bar, GTK_ALIGN_START);
  gtk_widget_set_valign(bar, GTK_ALIGN_START);
  regard_colorbar_set(REGARD_COLORBAR(bar), map, REGARD_SCALE_LOG, 0, 1);
  window = show_in_window(bar);
  picture = paint(bar);
  g_assert_cmphex(pixel(picture, 12 + 75, 8), ==, regard_colormap_lookup(map, 75.5 / 150));
  regard_colorbar_set_mark(REGARD_COLORBAR(bar), 0.5);
  marked = paint(bar);
  g_assert_cmphex(pixel(marked, 12 + 75 - 3, 8), !=, pixel(picture, 12 + 75 - 3, 8));
  regard_colorbar_set_mark(REGARD_COLORBAR(bar), NAN); /* no value, no mark */
  cairo_surface_destroy(marked);
  marked = paint(bar);
  g_assert_cmphex(pixel(marked, 12 + 75 - 3, 8), ==, pixel(picture, 12 + 75 - 3, 8));
  cairo_surface_destroy(picture);
  cairo_surface_destroy(marked);
  /* In large letters the numbers have room beside each other. */
  int usual, large;
  gtk_widget_measure(bar, GTK_ORIENTATION_HORIZONTAL, -1, &usual, NULL, NULL, NULL);
  g_autoptr(GtkCssProvider) css = gtk_css_provider_new();
  gtk_css_provider_load_from_data(css, "* { font-size: 30px; }", -1);
  gtk_style_context_add_provider(gtk_widget_get_style_context(bar), GTK_STYLE_PROVIDER(css), 900);
  gtk_test_widget_wait_for_draw(bar);
  gtk_widget_measure(bar, GTK_ORIENTATION_HORIZONTAL, -1, &large, NULL, NULL, NULL);
  g_assert_cmpint(large, >, usual + 150);
  gtk_window_destroy(GTK_WINDOW(window));
}

static void
test_wrap(void)
{
  GtkWidget *wrap = regard_wrap_new(6), *window;
  int one, two;

  g_object_ref_sink(wrap);
  for (int i = 0; i < 4; i++)
    regard_wrap_append(wrap, gtk_button_new_with_label("a button"));
  gtk_widget_measure(wrap, GTK_ORIENTATION_VERTICAL, 1000, &one, NULL, NULL, NULL);
  gtk_widget_measure(wrap, GTK_ORIENTATION_VERTICAL, 200, &two, NULL, NULL, NULL);
  g_assert_cmpint(two, >=, 2 * one + 6);
  window = show_in_window(wrap);
  g_assert_cmpint(gtk_widget_get_width(gtk_widget_get_first_child(wrap)), >, 40);
  gtk_window_destroy(GTK_WINDOW(window));
  g_object_unref(wrap);
}

static int
top_of(GtkWidget *wrap, GtkWidget *child)
{
  graphene_rect_t r;

  g_assert_true(gtk_widget_compute_bounds(child, wrap, &r));
  return (int) r.origin.y;
}

/* Five controls of which four have room on the first line: balanced, none is alone on the second
 * one. And what expands gets what its line has left. */
static void
test_wrap_balanced(void)
{
  GtkWidget *wrap = regard_wrap_new(6), *window, *children[5];

  for (guint i = 0; i < G_N_ELEMENTS(children); i++) {
    children[i] = gtk_drawing_area_new();
    gtk_widget_set_size_request(children[i], 100, 20);
    regard_wrap_append(wrap, children[i]);
  }
  window = show_in_window(wrap);
  gtk_widget_allocate(wrap, 450, 60, -1, NULL);
  g_assert_cmpint(top_of(wrap, children[3]), ==, 0);
  g_assert_cmpint(top_of(wrap, children[4]), >, 0);
  g_assert_cmpint(gtk_widget_get_width(children[0]), ==, 100);
  regard_wrap_set_balanced(wrap);
  gtk_widget_allocate(wrap, 450, 60, -1, NULL);
  g_assert_cmpint(top_of(wrap, children[2]), ==, 0);
  g_assert_cmpint(top_of(wrap, children[3]), >, 0);
  gtk_widget_set_hexpand(children[4], TRUE);
  gtk_widget_allocate(wrap, 450, 60, -1, NULL);
  g_assert_cmpint(gtk_widget_get_width(children[4]), ==, 450 - 106);
  gtk_window_destroy(GTK_WINDOW(window));
}

/* ---- Controls -------------------------------------------------------------------------------- */

static void
test_controls_both_ways(void)
{
  g_autoptr(RegardSelection) s = new_selection();
  GtkWidget *controls = regard_controls_new(), *window, *scale;

  regard_controls_set_selection(REGARD_CONTROLS(controls), s);
  window = show_in_window(controls);
  scale = find(controls, GTK_TYPE_DROP_DOWN);
  g_assert_cmpuint(gtk_drop_down_get_selected(GTK_DROP_DOWN(scale)), ==, REGARD_SCALE_LINEAR);
  regard_selection_set_scale(s, REGARD_SCALE_LOG);
  g_assert_cmpuint(gtk_drop_down_get_selected(GTK_DROP_DOWN(scale)), ==, REGARD_SCALE_LOG);
  gtk_drop_down_set_selected(GTK_DROP_DOWN(scale), REGARD_SCALE_ROW);
  g_assert_cmpint(regard_selection_get_scale(s), ==, REGARD_SCALE_ROW);
  /* Setting one thing must not reset another. */
  regard_selection_set_colormap(s, "magma");
  regard_selection_set_merge_words(s, TRUE);
  gtk_drop_down_set_selected(GTK_DROP_DOWN(scale), REGARD_SCALE_SQRT);
  g_assert_cmpstr(regard_selection_get_colormap(s)->id, ==, "magma");
  g_assert_true(regard_selection_get_merge_words(s));
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(find(controls, GTK_TYPE_TOGGLE_BUTTON)), TRUE);
  gtk_window_destroy(GTK_WINDOW(window));
}

static gboolean
has_label_choice(GtkWidget *controls)
{
  for (GtkWidget *child = gtk_widget_get_first_child(controls); child;
       child = gtk_widget_get_next_sibling(child)) {
    if (GTK_IS_DROP_DOWN(child)) {
      GListModel *names = gtk_drop_down_get_model(GTK_DROP_DOWN(child));

      if (g_str_equal(gtk_string_list_get_string(GTK_STRING_LIST(names), 0),
                      "Rows: word that comes out"))
        return gtk_widget_get_sensitive(child);
    } else if (has_label_choice(child))
      return TRUE;
  }
  return FALSE;
}

/* Rows are called by input or by output where both are known. */
static void
test_controls_label_by(void)
{
  g_autoptr(RegardSelection) s = new_selection();
  GtkWidget *controls = g_object_ref_sink(regard_controls_new());
  mt_capture *c = sample_decoder_capture("▁a ▁b", 1, 1);

  regard_controls_set_selection(REGARD_CONTROLS(controls), s);
  g_assert_true(has_label_choice(controls));
  regard_selection_set_place(s, MT_ENCODER_SELF, 0, 0);
  g_assert_false(has_label_choice(controls));
  regard_selection_set_place(s, MT_DECODER_SELF, 0, 0);
  g_assert_true(has_label_choice(controls));
  regard_selection_set_capture(s, c);
  mt_capture_unref(c);
  g_assert_false(has_label_choice(controls));
  g_object_unref(controls);
}

/* Opening another head moves marks and makes no thumbnail anew; a new sentence makes all. */
static void
test_thumbnails_are_kept(void)
{
  g_autoptr(RegardSelection) s = new_selection();
  GtkWidget *heads = regard_heads_new(), *window;
  GskRenderNode *before, *after;
  mt_capture *c = sample_capture(6);

  regard_heads_set_selection(REGARD_HEADS(heads), s);
  window = show_in_window(heads);
  before = snapshot_widget(heads);
  regard_selection_set_place(s, MT_DECODER_SELF, 3, 3);
  regard_selection_toggle_chosen(s, MT_DECODER_SELF, 1, 1);
  after = snapshot_widget(heads);
  g_assert_cmpuint(count_kept(before, after), ==, 6); /* pictures and numbers, each three */
  gsk_render_node_unref(after);
  regard_selection_set_capture(s, c);
  after = snapshot_widget(heads);
  g_assert_cmpuint(count_kept(before, after), <=, 3); /* headings and numbers */
  gsk_render_node_unref(before);
  gsk_render_node_unref(after);
  mt_capture_unref(c);
  gtk_window_destroy(GTK_WINDOW(window));
}

/* A point or a comma; what is no number leaves the one before. */
static void
test_spin(void)
{
  GtkWidget *spin = g_object_ref_sink(gtk_spin_button_new_with_range(0, 5, 0.1));
  static const struct {
    const char *typed;
    double value;
  } cases[] = {{"0,5", 0.5}, {" 1.25 ", 1.25}, {"x", 1.25}, {"2,", 2}, {"1,2,3", 2}, {"", 2}};
  gtk_spin_button_set_digits(GTK_SPIN_BUTTON(spin), 2);
  regard_spin_take_comma(GTK_SPIN_BUTTON(spin));
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    gtk_editable_set_text(GTK_EDITABLE(spin), cases[i].typed);
    gtk_spin_button_update(GTK_SPIN_BUTTON(spin));
    g_assert_cmpfloat_with_epsilon(gtk_spin_button_get_value(GTK_SPIN_BUTTON(spin)), cases[i].value,
                                   1e-9);
  }
  g_object_unref(spin);
}

TESTS(.begin = gtk_init_check)
{
  g_test_add_func("/strip/lights-and-pins", test_strip_lights_and_pins);
  g_test_add_func("/spin/comma", test_spin);
  g_test_add_func("/strip/shades", test_strip_shades);
  g_test_add_func("/strip/meanings", test_strip_meanings);
  g_test_add_func("/strip/target", test_strip_target);
  g_test_add_func("/strip/512-tokens", test_strip_of_512);
  g_test_add_func("/strip/empty", test_strip_empty);
  g_test_add_func("/heads/click-and-keys", test_heads_click_and_keys);
  g_test_add_func("/heads/show-the-data", test_heads_show_the_data);
  g_test_add_func("/heads/follow-words", test_heads_follow_words);
  g_test_add_func("/heads/other-shapes", test_heads_other_shapes);
  g_test_add_func("/heads/thumbnails-are-kept", test_thumbnails_are_kept);
  g_test_add_func("/panel/numbers", test_panel_numbers);
  g_test_add_func("/panel/copy", test_panel_copy);
  g_test_add_func("/panel/positions", test_panel_positions);
  g_test_add_func("/widgets/sum", test_sum);
  g_test_add_func("/panel/role", test_panel_role);
  g_test_add_func("/colorbar/pixels-and-mark", test_colorbar);
  g_test_add_func("/wrap/lines", test_wrap);
  g_test_add_func("/wrap/balanced", test_wrap_balanced);
  g_test_add_func("/controls/label-by", test_controls_label_by);
  g_test_add_func("/controls/both-ways", test_controls_both_ways);
}
