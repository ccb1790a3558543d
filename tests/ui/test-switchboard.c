/* test-switchboard.c — thumbnails, their numbers, chips and cells as switches: what they ask of the
 * window, what they say, and that kinds of change differ by shape.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sample-capture.h"
#include "suite.h"
#include "widget-find.h"
#include "widget-test.h"
#include "widgets/regard-heads.h"
#include "widgets/regard-heatmap.h"
#include "widgets/regard-intervention-glyph.h"
#include "widgets/regard-token-strip.h"
#include "widgets/regard-weight-bar.h"

#include <string.h>

/* ---- A window that writes down what it is asked ------------------------------------------------
 */

static GString *asked;

static void
on_asked(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  const char *name = g_action_get_name(G_ACTION(action));
  if (g_variant_is_of_type(parameter, G_VARIANT_TYPE("(st)"))) {
    const char *line;
    g_variant_get(parameter, "(&st)", &line, NULL);
    g_string_append_printf(asked, "%s %s|", name, line);
  } else
    g_string_append_printf(asked, "%s %s|", name, g_variant_get_string(parameter, NULL));
}

static void
assert_asked(const char *text)
{
  g_assert_cmpstr(asked->str, ==, text);
  g_string_truncate(asked, 0);
}

static GtkWidget *
show(GtkWidget *child)
{
  const GActionEntry entries[] = {{"make-change", on_asked, "s", NULL, NULL, {0}},
                                  {"restore-change", on_asked, "s", NULL, NULL, {0}},
                                  {"toggle-change", on_asked, "s", NULL, NULL, {0}},
                                  {"drag-change", on_asked, "(st)", NULL, NULL, {0}},
                                  {"say", on_asked, "s", NULL, NULL, {0}}};
  g_autoptr(GSimpleActionGroup) group = g_simple_action_group_new();
  g_action_map_add_action_entries(G_ACTION_MAP(group), entries, G_N_ELEMENTS(entries), NULL);
  gtk_widget_insert_action_group(child, "win", G_ACTION_GROUP(group));
  g_string_truncate(asked, 0);
  return show_in_window(child);
}

static RegardSelection *
new_changed_selection(const char *interventions)
{
  RegardSelection *s = regard_selection_new();
  mt_capture *capture = sample_changed_capture(6, interventions);
  regard_selection_set_capture(s, capture);
  mt_capture_unref(capture);
  return s;
}

static void
activate(GtkWidget *widget, const char *action, const char *line)
{
  g_assert_true(gtk_widget_activate_action(widget, action, "s", line));
}

/* ---- Heads -------------------------------------------------------------------------------------
 */

static void
test_corner_and_numbers(void)
{
  g_autoptr(RegardSelection) s = new_selection();
  GtkWidget *heads = regard_heads_new(), *window;
  graphene_rect_t r;

  regard_heads_set_selection(REGARD_HEADS(heads), s);
  window = show(heads);
  regard_selection_set_place(s, MT_CROSS, 0, 0);
  g_assert_true(regard_heads_get_rect(REGARD_HEADS(heads), MT_CROSS, 3, 1, &r));
  /* The corner switches, and opens nothing; the rest opens, and switches nothing. */
  click_at(heads, r.origin.x + 2, r.origin.y + 2);
  assert_asked("toggle-change cross 4.2 zero|");
  g_assert_cmpuint(regard_selection_get_layer(s), ==, 0);
  click_at(heads, middle_x(&r), middle_y(&r));
  assert_asked("");
  g_assert_cmpuint(regard_selection_get_layer(s), ==, 3);
  g_assert_cmpuint(regard_selection_get_head(s), ==, 1);
  /* With Ctrl a head is chosen, in the corner and beside it. */
  g_assert_true(regard_heads_get_rect(REGARD_HEADS(heads), MT_CROSS, 2, 4, &r));
  regard_heads_press(REGARD_HEADS(heads), r.origin.x + 2, r.origin.y + 2, GDK_CONTROL_MASK);
  g_assert_true(regard_selection_is_chosen(s, MT_CROSS, 2, 4));
  regard_heads_press(REGARD_HEADS(heads), middle_x(&r), middle_y(&r), GDK_CONTROL_MASK);
  g_assert_false(regard_selection_is_chosen(s, MT_CROSS, 2, 4));
  assert_asked("");
  g_assert_cmpuint(regard_selection_get_layer(s), ==, 3);
  /* Numbers of layers and heads. */
  g_assert_true(regard_heads_get_rect(REGARD_HEADS(heads), MT_CROSS, 3, 1, &r));
  click_at(heads, 8, middle_y(&r));
  assert_asked("toggle-change cross 4.* zero|");
  g_assert_true(regard_heads_get_rect(REGARD_HEADS(heads), MT_DECODER_SELF, 0, 4, &r));
  click_at(heads, middle_x(&r), r.origin.y - 6);
  assert_asked("toggle-change decoder *.5 zero|");
  g_assert_cmpuint(regard_selection_get_layer(s), ==, 3);
  /* Beside everything. */
  click_at(heads, 8, 1);
  assert_asked("");
  gtk_window_destroy(GTK_WINDOW(window));
}

/* No switch where no model can compute it otherwise. */
static void
test_file(void)
{
  g_autoptr(RegardSelection) s = regard_selection_new();
  GtkWidget *heads = regard_heads_new(), *window;
  mt_capture *capture = sample_capture_through_file(sample_capture(6));
  graphene_rect_t r;

  regard_selection_set_capture(s, capture);
  mt_capture_unref(capture);
  regard_heads_set_selection(REGARD_HEADS(heads), s);
  window = show(heads);
  g_assert_true(regard_heads_get_rect(REGARD_HEADS(heads), MT_CROSS, 3, 1, &r));
  click_at(heads, r.origin.x + 2, r.origin.y + 2);
  click_at(heads, 8, middle_y(&r));
  assert_asked("");
  gtk_window_destroy(GTK_WINDOW(window));
}

static void
test_menu_actions(void)
{
  g_autoptr(RegardSelection) s = new_selection();
  GtkWidget *heads = regard_heads_new(), *window;

  regard_heads_set_selection(REGARD_HEADS(heads), s);
  window = show(heads);
  activate(heads, "heads.change", "cross 4.1 scale 0.5");
  assert_asked("make-change cross 4.1 scale 0.5|");
  activate(heads, "heads.change", "cross 4.1 on");
  assert_asked("restore-change cross 4.1 zero|");
  activate(heads, "heads.change-all", "cross *.1 uniform");
  assert_asked("make-change cross *.1 uniform|");
  g_assert_true(press_key(heads, GDK_KEY_Menu, 0));
  g_assert_nonnull(find(heads, GTK_TYPE_POPOVER_MENU));
  gtk_window_destroy(GTK_WINDOW(window));
}

static void
test_heads_say(void)
{
  g_autoptr(RegardSelection) s = new_changed_selection(
      "cross 4.1 zero\ncross 4.2 uniform\ncross 4.3 scale 0.5\ncross 4.4 query 1 key 2 set 0.5\n"
      "encoder window 2");
  static const struct {
    mt_attention_kind kind;
    guint layer, head;
    const char *text;
  } rows[] = {
      {MT_CROSS, 3, 0, "Cross-attention, layer 4, head 1, off"},
      {MT_CROSS, 3, 1, "Cross-attention, layer 4, head 2, uniform"},
      {MT_CROSS, 3, 2, "Cross-attention, layer 4, head 3, scale 0.5"},
      {MT_CROSS, 3, 3, "Cross-attention, layer 4, head 4, changed"},
      {MT_CROSS, 3, 4, "Cross-attention, layer 4, head 5"},
      {MT_ENCODER_SELF, 0, 0, "Encoder self-attention, layer 1, head 1, changed"},
  };
  GtkWidget *heads = regard_heads_new(), *window;

  regard_heads_set_selection(REGARD_HEADS(heads), s);
  window = show(heads);
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    regard_selection_set_place(s, rows[i].kind, rows[i].layer, rows[i].head);
    gtk_test_accessible_assert_property(heads, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, rows[i].text);
  }
  gtk_window_destroy(GTK_WINDOW(window));
}

/* Black on white, as on a screen without colours. Caller destroys. */
static cairo_surface_t *
draw_glyph(RegardInterventionGlyph glyph)
{
  const GdkRGBA black = {0, 0, 0, 1}, white = {1, 1, 1, 1};
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 12, 12);
  cairo_t *cr = cairo_create(surface);
  GtkSnapshot *snapshot = gtk_snapshot_new();
  GskRenderNode *node;

  cairo_set_source_rgb(cr, 1, 1, 1);
  cairo_paint(cr);
  regard_intervention_glyph_draw(snapshot, glyph, &GRAPHENE_RECT_INIT(0, 0, 12, 12), &black,
                                 &white);
  node = gtk_snapshot_free_to_node(snapshot);
  if (node) {
    gsk_render_node_draw(node, cr);
    gsk_render_node_unref(node);
  }
  cairo_destroy(cr);
  cairo_surface_flush(surface);
  return surface;
}

static void
test_glyphs_differ(void)
{
  cairo_surface_t *drawn[REGARD_GLYPH_OTHER + 1];

  for (guint i = 0; i <= REGARD_GLYPH_OTHER; i++)
    drawn[i] = draw_glyph((RegardInterventionGlyph) i);
  for (guint i = 0; i <= REGARD_GLYPH_OTHER; i++)
    for (guint k = 0; k < i; k++) {
      guint n = 0;
      for (int y = 0; y < 12; y++)
        for (int x = 0; x < 12; x++)
          n += ((pixel(drawn[i], x, y) & 0xff) > 128) != ((pixel(drawn[k], x, y) & 0xff) > 128);
      g_assert_cmpuint(n, >=, 4);
    }
  for (guint i = 0; i <= REGARD_GLYPH_OTHER; i++)
    cairo_surface_destroy(drawn[i]);
}

/* ---- Chips -------------------------------------------------------------------------------------
 */

static void
test_chips(void)
{
  g_autoptr(RegardSelection) s =
      new_changed_selection("source 1 hide\nsource 2 zero\nsource 3 piece 7");
  GtkWidget *strip = regard_token_strip_new(REGARD_SIDE_SOURCE), *window;
  static const char *const said[] = {"hidden from the model · 1 of", "its embedding is zero · 2 of",
                                     "replaced by № 7 · 3 of", "4 of"};

  regard_token_strip_set_selection(REGARD_TOKEN_STRIP(strip), s);
  window = show(strip);
  press_key(strip, GDK_KEY_Home, 0);
  for (guint i = 0; i < G_N_ELEMENTS(said); i++) {
    const char *summary = regard_token_strip_get_summary(REGARD_TOKEN_STRIP(strip));
    g_assert_nonnull(strstr(summary, said[i]));
    press_key(strip, GDK_KEY_Right, 0);
  }
  press_key(strip, GDK_KEY_Home, 0);
  g_assert_true(press_key(strip, GDK_KEY_Delete, 0));
  assert_asked("toggle-change source 1 hide|");
  g_assert_true(press_key(strip, GDK_KEY_Delete, GDK_SHIFT_MASK));
  assert_asked("toggle-change source 1 zero|");
  g_assert_true(press_key(strip, GDK_KEY_Menu, 0));
  g_assert_nonnull(find(strip, GTK_TYPE_POPOVER_MENU));
  gtk_window_destroy(GTK_WINDOW(window));

  /* Of a translation nothing is hidden. */
  strip = regard_token_strip_new(REGARD_SIDE_TARGET);
  regard_token_strip_set_selection(REGARD_TOKEN_STRIP(strip), s);
  window = show(strip);
  press_key(strip, GDK_KEY_Home, 0);
  g_assert_false(press_key(strip, GDK_KEY_Delete, 0));
  g_assert_false(press_key(strip, GDK_KEY_Menu, 0));
  g_assert_false(press_key(strip, GDK_KEY_F2, 0));
  assert_asked("");
  gtk_window_destroy(GTK_WINDOW(window));
}

/* ---- Cells -------------------------------------------------------------------------------------
 */

typedef struct {
  RegardSelection *selection;
  GtkWidget *window, *heatmap, *bar;
} Cells;

static Cells
show_cells(RegardSelection *s, mt_attention_kind kind)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  Cells c = {.selection = s, .heatmap = regard_heatmap_new()};

  regard_selection_set_place(s, kind, 3, 0);
  c.bar = regard_weight_bar_new(REGARD_HEATMAP(c.heatmap));
  regard_heatmap_set_matrix(REGARD_HEATMAP(c.heatmap), regard_selection_get_matrix(s));
  regard_weight_bar_set_selection(REGARD_WEIGHT_BAR(c.bar), s);
  gtk_box_append(GTK_BOX(box), c.bar);
  gtk_box_append(GTK_BOX(box), c.heatmap);
  c.window = show(box);
  return c;
}

static void
drag(const Cells *c, int row, int col, double dx)
{
  graphene_rect_t r;
  g_assert_true(regard_heatmap_get_cell_rect(REGARD_HEATMAP(c->heatmap), row, col, &r));
  g_signal_emit_by_name(controller(c->heatmap, "click"), "pressed", 1, middle_x(&r), middle_y(&r));
  g_signal_emit_by_name(controller(c->heatmap, "drag"), "drag-begin", middle_x(&r), middle_y(&r));
  g_signal_emit_by_name(controller(c->heatmap, "drag"), "drag-update", dx, 0.0);
  g_signal_emit_by_name(controller(c->heatmap, "drag"), "drag-end", dx, 0.0);
  g_signal_emit_by_name(controller(c->heatmap, "click"), "released", 1, middle_x(&r), middle_y(&r));
}

static gboolean
key(const Cells *c, guint keyval, GdkModifierType state)
{
  return regard_weight_bar_handle_key(REGARD_WEIGHT_BAR(c->bar), keyval, state);
}

static void
test_drag(void)
{
  g_autoptr(RegardSelection) s = new_selection();
  const Cells c = show_cells(s, MT_CROSS);

  drag(&c, 1, 2, 1000); /* not by accident */
  assert_asked("");
  g_assert_true(key(&c, GDK_KEY_e, 0));
  g_assert_true(regard_weight_bar_get_active(REGARD_WEIGHT_BAR(c.bar)));
  drag(&c, 1, 2, 1000);
  assert_asked("drag-change cross 4.1 query 2 key 3 set 1.000|");
  drag(&c, 1, 2, -1000);
  assert_asked("drag-change cross 4.1 query 2 key 3 set 0.000|");
  drag(&c, 1, 2, 3); /* a click */
  assert_asked("");
  regard_weight_bar_set_rescales(REGARD_WEIGHT_BAR(c.bar), FALSE);
  drag(&c, 0, 0, 1000);
  assert_asked("drag-change cross 4.1 query 1 key 1 put 1.000|");
  g_assert_true(key(&c, GDK_KEY_e, 0));
  drag(&c, 1, 2, 1000);
  assert_asked("");
  gtk_window_destroy(GTK_WINDOW(c.window));
}

static void
test_cell_keys(void)
{
  g_autoptr(RegardSelection) s = new_changed_selection("cross 4.1 query 3 key 5 hide");
  const Cells c = show_cells(s, MT_CROSS);

  g_assert_false(key(&c, GDK_KEY_Delete, 0)); /* of no cell */
  regard_heatmap_set_pin(REGARD_HEATMAP(c.heatmap), 1, 2);
  g_assert_true(key(&c, GDK_KEY_Delete, 0));
  assert_asked("toggle-change cross 4.1 query 2 key 3 hide|");
  g_assert_true(key(&c, GDK_KEY_Delete, GDK_SHIFT_MASK));
  assert_asked("toggle-change cross 4.1 key 3 hide|");
  g_assert_true(key(&c, GDK_KEY_BackSpace, 0)); /* nothing to restore */
  assert_asked("");
  g_assert_false(key(&c, GDK_KEY_plus, 0)); /* while it is off */
  regard_weight_bar_set_active(REGARD_WEIGHT_BAR(c.bar), TRUE);
  g_assert_true(key(&c, GDK_KEY_plus, 0));
  g_assert_nonnull(strstr(asked->str, "drag-change cross 4.1 query 2 key 3 set 0."));
  g_string_truncate(asked, 0);
  g_assert_true(key(&c, GDK_KEY_w, 0));
  g_assert_nonnull(find(c.heatmap, GTK_TYPE_SPIN_BUTTON));

  /* Back by key, and by double click; what is hidden can be set. */
  regard_heatmap_set_pin(REGARD_HEATMAP(c.heatmap), 2, 4);
  g_assert_true(key(&c, GDK_KEY_BackSpace, 0));
  assert_asked("restore-change cross 4.1 query 3 key 5 hide|");
  g_signal_emit_by_name(c.heatmap, "cell-double-clicked", 2, 4);
  assert_asked("restore-change cross 4.1 query 3 key 5 hide|");
  drag(&c, 2, 4, 1000);
  assert_asked("drag-change cross 4.1 query 3 key 5 set 1.000|");
  gtk_window_destroy(GTK_WINDOW(c.window));
}

/* What cannot be set says why. */
static void
test_obstacles(void)
{
  g_autoptr(RegardSelection) s = new_selection();
  const Cells c = show_cells(s, MT_DECODER_SELF);

  regard_heatmap_set_pin(REGARD_HEATMAP(c.heatmap), 1, 4); /* later than the query */
  g_assert_true(key(&c, GDK_KEY_Delete, 0));
  assert_asked("say This query does not see this key: there is no weight to set.|");
  regard_selection_set_combine(s, REGARD_COMBINE_MEAN);
  regard_heatmap_set_matrix(REGARD_HEATMAP(c.heatmap), regard_selection_get_matrix(s));
  regard_heatmap_set_pin(REGARD_HEATMAP(c.heatmap), 2, 1);
  g_assert_true(key(&c, GDK_KEY_Delete, 0));
  assert_asked("say Several heads are shown as one: weights are set in a single head.|");
  gtk_window_destroy(GTK_WINDOW(c.window));
}

TESTS(.begin = gtk_init_check)
{
  asked = g_string_new(NULL);
  g_test_add_func("/switchboard/corner-and-numbers", test_corner_and_numbers);
  g_test_add_func("/switchboard/file", test_file);
  g_test_add_func("/switchboard/menu-actions", test_menu_actions);
  g_test_add_func("/switchboard/heads-say", test_heads_say);
  g_test_add_func("/switchboard/glyphs-differ", test_glyphs_differ);
  g_test_add_func("/switchboard/chips", test_chips);
  g_test_add_func("/switchboard/drag", test_drag);
  g_test_add_func("/switchboard/cell-keys", test_cell_keys);
  g_test_add_func("/switchboard/obstacles", test_obstacles);
}
