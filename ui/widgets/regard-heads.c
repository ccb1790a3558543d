/* regard-heads.c — every head of every layer, small: three grids of thumbnails.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Thumbnails show what the large picture would, pieces or words, with special tokens or without,
 * pooled to the pixels they cover; those of a grid are one render node that lives until the
 * capture, the colours, the words or the size change. Marks are drawn on top.
 */
#include "figures/regard-raster.h"
#include "widgets/regard-head-effects.h"
#include "widgets/regard-heads-private.h"
#include <glib/gi18n.h>
#include <math.h>

#define MIN_SIDE  18.0
#define MIN_WIDTH 12.0 /* of the twelve heads of BERT, in a small window */
#define MAX_SIDE  72.0
#define BETWEEN   8.0 /* between grids */
#define ROUNDNESS 3.0

G_DEFINE_FINAL_TYPE(RegardHeads, regard_heads, GTK_TYPE_WIDGET)

static void
drop_text(RegardHeads *self)
{
  for (guint g = 0; g < MT_N_KINDS; g++)
    g_clear_pointer(&self->grids[g].text, gsk_render_node_unref);
}

static void
drop_thumbnails(RegardHeads *self)
{
  for (guint g = 0; g < MT_N_KINDS; g++)
    g_clear_pointer(&self->grids[g].pictures, gsk_render_node_unref);
  regard_heads_drop_effects(self);
}

/* ---- Layout ---------------------------------------------------------------------------------- */

static void
text_sizes(RegardHeads *self)
{
  double px = regard_theme_font_px(GTK_WIDGET(self));

  self->heading_h = ceil(px * 1.55);
  self->numbers_h = ceil(px * 0.95);
}

/* What is not thumbnails, from top to bottom; and how many rows and columns there are. */
static double
fixed_height(RegardHeads *self, guint *rows, guint *cols)
{
  double fixed = 2 * REGARD_HEADS_EDGE;

  text_sizes(self);
  *rows = *cols = 0;
  for (guint g = 0; g < MT_N_KINDS; g++) {
    if (self->grids[g].layers == 0)
      continue;
    fixed += self->heading_h + self->numbers_h + (*rows > 0 ? BETWEEN : 0) - REGARD_HEADS_GAP;
    *rows += self->grids[g].layers;
    *cols = MAX(*cols, self->grids[g].heads);
  }
  return fixed + *rows * REGARD_HEADS_GAP;
}

static void
lay_out(RegardHeads *self, int width, int height)
{
  guint rows, cols;
  double fixed = fixed_height(self, &rows, &cols), y = REGARD_HEADS_EDGE;
  double old_w = self->side_w, old_h = self->side_h;

  self->laid_out_w = width;
  self->laid_out_h = height;
  if (rows == 0)
    return;
  self->side_w = floor(
      (width - REGARD_HEADS_LEFT - 2 * REGARD_HEADS_EDGE - (cols - 1) * REGARD_HEADS_GAP) / cols);
  self->side_w = CLAMP(self->side_w, MIN_WIDTH, MAX_SIDE);
  self->side_h = floor((height - fixed) / rows);
  self->side_h = CLAMP(self->side_h, MIN(MIN_SIDE, self->side_w), self->side_w);
  /* Much wider than high reads badly; the space at the right stays free instead. */
  self->side_w = MIN(self->side_w, ceil(self->side_h * 1.7));

  for (guint g = 0; g < MT_N_KINDS; g++) {
    RegardHeadsGrid *grid = &self->grids[g];

    if (grid->layers == 0)
      continue;
    grid->y = y;
    grid->grid_y = y + self->heading_h + self->numbers_h;
    y = grid->grid_y + grid->layers * (self->side_h + REGARD_HEADS_GAP) - REGARD_HEADS_GAP +
        BETWEEN;
  }
  drop_text(self);
  if (old_w != self->side_w || old_h != self->side_h)
    drop_thumbnails(self);
}

void
regard_heads_place_rect(RegardHeads *self, RegardHeadsPlace place, graphene_rect_t *rect)
{
  *rect = GRAPHENE_RECT_INIT(REGARD_HEADS_EDGE + REGARD_HEADS_LEFT +
                                 place.head * (self->side_w + REGARD_HEADS_GAP),
                             self->grids[place.grid].grid_y +
                                 place.layer * (self->side_h + REGARD_HEADS_GAP),
                             self->side_w, self->side_h);
}

RegardHeadsPlace
regard_heads_place_at(RegardHeads *self, double x, double y)
{
  RegardHeadsPlace place = {.grid = -1};

  x -= REGARD_HEADS_EDGE + REGARD_HEADS_LEFT - REGARD_HEADS_GAP / 2;
  if (x < 0 || self->laid_out_w <= 0)
    return place;
  for (int g = 0; g < MT_N_KINDS; g++) {
    const RegardHeadsGrid *grid = &self->grids[g];
    double dy = y - grid->grid_y + REGARD_HEADS_GAP / 2;

    if (grid->layers == 0 || dy < 0)
      continue;
    place.layer = dy / (self->side_h + REGARD_HEADS_GAP);
    place.head = x / (self->side_w + REGARD_HEADS_GAP);
    if (place.layer < grid->layers && place.head < grid->heads) {
      place.grid = g;
      return place;
    }
  }
  return place;
}

gboolean
regard_heads_head_at(RegardHeads *self, double x, double y, mt_attention_kind *kind, guint *layer,
                     guint *head)
{
  RegardHeadsPlace place;

  g_return_val_if_fail(REGARD_IS_HEADS(self), FALSE);
  place = regard_heads_place_at(self, x, y);
  if (place.grid < 0)
    return FALSE;
  *kind = regard_kinds_in_order[place.grid];
  *layer = place.layer;
  *head = place.head;
  return TRUE;
}

gboolean
regard_heads_get_rect(RegardHeads *self, mt_attention_kind kind, guint layer, guint head,
                      graphene_rect_t *rect)
{
  g_return_val_if_fail(REGARD_IS_HEADS(self), FALSE);
  for (int g = 0; g < MT_N_KINDS; g++)
    if (regard_kinds_in_order[g] == kind && layer < self->grids[g].layers &&
        head < self->grids[g].heads && self->laid_out_w > 0) {
      regard_heads_place_rect(self, (RegardHeadsPlace){g, layer, head}, rect);
      return TRUE;
    }
  return FALSE;
}

/* ---- State ----------------------------------------------------------------------------------- */

RegardHeadsPlace
regard_heads_current(RegardHeads *self)
{
  RegardHeadsPlace place = {.grid = -1};

  if (!self->selection || !regard_selection_get_capture(self->selection))
    return place;
  for (int g = 0; g < MT_N_KINDS; g++)
    if (regard_kinds_in_order[g] == regard_selection_get_kind(self->selection) &&
        self->grids[g].layers > 0)
      place.grid = g;
  place.layer = regard_selection_get_layer(self->selection);
  place.head = regard_selection_get_head(self->selection);
  return place;
}

static const char *
kind_name(RegardHeads *self, int grid)
{
  return regard_naming_kind(regard_selection_get_capture(self->selection),
                            regard_kinds_in_order[grid]);
}

/* A file may have a part of the model's. */
static guint
layer_number(RegardHeads *self, int grid, guint layer)
{
  return regard_naming_layer(regard_selection_get_capture(self->selection),
                             regard_kinds_in_order[grid], layer);
}

static guint
head_number(RegardHeads *self, int grid, guint head)
{
  return regard_naming_head_number(regard_selection_get_capture(self->selection),
                                   regard_kinds_in_order[grid], head);
}

void
regard_heads_update_accessible(RegardHeads *self)
{
  /* Who has the keyboard here is told where the keyboard is, wherever the pointer rests; also while
   * another window has it for a moment. */
  gboolean is_pointed = self->hovered.grid >= 0 && !gtk_widget_is_focus(GTK_WIDGET(self));
  RegardHeadsPlace place = is_pointed ? self->hovered : regard_heads_current(self);
  g_autofree char *text = NULL, *change = NULL, *effect = regard_heads_describe_effect(self, place);

  if (place.grid >= 0)
    change = regard_heads_describe_change(self, place);
  if (place.grid < 0)
    text = g_strdup(_("no heads"));
  else
    text = g_strdup_printf(_("%s, layer %u, head %u%s%s%s%s"), kind_name(self, place.grid),
                           layer_number(self, place.grid, place.layer),
                           head_number(self, place.grid, place.head),
                           regard_selection_is_chosen(self->selection,
                                                      regard_kinds_in_order[place.grid],
                                                      place.layer, place.head)
                               ? _(", chosen")
                               : "",
                           change ? ", " : "", change ? change : "", effect);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text,
                                 GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text, -1);
}

static void
on_capture(RegardHeads *self)
{
  mt_capture *capture = self->selection ? regard_selection_get_capture(self->selection) : NULL;
  gboolean reshaped = FALSE;

  drop_thumbnails(self);
  for (guint g = 0; g < MT_N_KINDS; g++) {
    RegardHeadsGrid *grid = &self->grids[g];
    guint layers = capture ? mt_capture_n_layers(capture, regard_kinds_in_order[g]) : 0;
    guint heads = layers ? mt_capture_n_heads(capture, regard_kinds_in_order[g]) : 0;

    if (layers == grid->layers && heads == grid->heads)
      continue;
    reshaped = TRUE;
    grid->layers = layers;
    grid->heads = heads;
  }
  if (reshaped) {
    self->hovered.grid = -1;
    self->laid_out_w = 0;
    drop_text(self);
    gtk_widget_queue_resize(GTK_WIDGET(self));
  }
  regard_heads_update_accessible(self);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void
on_style(RegardHeads *self)
{
  drop_thumbnails(self);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void
on_marks(RegardHeads *self)
{
  regard_heads_update_accessible(self);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void
on_effects(RegardHeads *self)
{
  regard_heads_drop_effects(self);
  drop_text(self);
  on_marks(self);
}

/* Keys may open a head that is scrolled out of sight. */
static void
on_place(RegardHeads *self)
{
  GtkWidget *scroller = gtk_widget_get_ancestor(GTK_WIDGET(self), GTK_TYPE_SCROLLED_WINDOW);
  RegardHeadsPlace place = regard_heads_current(self);
  graphene_rect_t r;

  on_marks(self);
  if (!scroller || place.grid < 0 || self->laid_out_w <= 0)
    return;
  regard_heads_place_rect(self, place, &r);
  gtk_adjustment_clamp_page(gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(scroller)),
                            r.origin.y - REGARD_HEADS_EDGE,
                            r.origin.y + r.size.height + REGARD_HEADS_EDGE);
  gtk_adjustment_clamp_page(gtk_scrolled_window_get_hadjustment(GTK_SCROLLED_WINDOW(scroller)),
                            r.origin.x - REGARD_HEADS_EDGE,
                            r.origin.x + r.size.width + REGARD_HEADS_EDGE);
}

static void
disconnect(RegardHeads *self)
{
  if (!self->selection)
    return;
  for (guint i = 0; i < G_N_ELEMENTS(self->handlers); i++)
    g_clear_signal_handler(&self->handlers[i], self->selection);
  g_clear_signal_handler(&self->effects_handler,
                         regard_selection_get_head_effects(self->selection));
}

void
regard_heads_set_selection(RegardHeads *self, RegardSelection *selection)
{
  static const struct {
    const char *signal;
    void (*callback)(RegardHeads *self);
  } wanted[] = {
      {"notify::capture", on_capture},    {"style-changed", on_style},
      {"chosen-changed", on_marks},       {"notify::kind", on_place},
      {"notify::layer", on_place},        {"notify::head", on_place},
      {"notify::combine", on_marks},      {"notify::merge-words", on_style},
      {"notify::hide-special", on_style}, {"notify::step", on_marks},
  };

  G_STATIC_ASSERT(G_N_ELEMENTS(wanted) == G_N_ELEMENTS(((RegardHeads *) 0)->handlers));
  g_return_if_fail(REGARD_IS_HEADS(self));
  if (selection == self->selection)
    return;
  disconnect(self);
  g_set_object(&self->selection, selection);
  for (guint i = 0; selection && i < G_N_ELEMENTS(wanted); i++)
    self->handlers[i] =
        g_signal_connect_swapped(selection, wanted[i].signal, G_CALLBACK(wanted[i].callback), self);
  if (selection)
    self->effects_handler = g_signal_connect_swapped(regard_selection_get_head_effects(selection),
                                                     "changed", G_CALLBACK(on_effects), self);
  on_capture(self);
}

/* ---- Drawing --------------------------------------------------------------------------------- */

static PangoLayout *
text_layout(RegardHeads *self, const char *text, double px, gboolean bold)
{
  PangoLayout *layout = gtk_widget_create_pango_layout(GTK_WIDGET(self), text);
  PangoFontDescription *font = pango_font_description_copy_static(
      pango_context_get_font_description(gtk_widget_get_pango_context(GTK_WIDGET(self))));

  pango_font_description_set_absolute_size(font, px * PANGO_SCALE);
  if (bold)
    pango_font_description_set_weight(font, PANGO_WEIGHT_BOLD);
  pango_layout_set_font_description(layout, font);
  pango_font_description_free(font);
  return layout;
}

static int
text_width(RegardHeads *self, const char *text, double px, gboolean bold)
{
  g_autoptr(PangoLayout) layout = text_layout(self, text, px, bold);
  int width;

  pango_layout_get_pixel_size(layout, &width, NULL);
  return width;
}

/* Of the longest heading, so that all grids say their size in the same words. Measured once a font.
 */
static int
heading_width(RegardHeads *self, double px)
{
  for (int k = 0; self->heading_px != px && k < MT_N_KINDS; k++) {
    int width = text_width(self, regard_kind_name((mt_attention_kind) k), px, TRUE);

    self->heading_w = k == 0 ? width : MAX(self->heading_w, width);
  }
  self->heading_px = px;
  return self->heading_w;
}

static void
show_text(RegardHeads *self, cairo_t *cr, const char *text, double px, gboolean bold,
          const GdkRGBA *color, double x, double y, double align)
{
  g_autoptr(PangoLayout) layout = text_layout(self, text, px, bold);
  int width, height;

  pango_layout_get_pixel_size(layout, &width, &height);
  gdk_cairo_set_source_rgba(cr, color);
  cairo_move_to(cr, floor(x - width * align), floor(y - height / 2.0));
  pango_cairo_show_layout(cr, layout);
}

/* Heading, what is pointed at, numbers of layers and heads. */
static GskRenderNode *
text_node(RegardHeads *self, int g)
{
  const RegardHeadsGrid *grid = &self->grids[g];
  double px = regard_theme_font_px(GTK_WIDGET(self));
  double left = REGARD_HEADS_EDGE + REGARD_HEADS_LEFT,
         right = left + grid->heads * (self->side_w + REGARD_HEADS_GAP) - REGARD_HEADS_GAP;
  double bottom = grid->grid_y + grid->layers * (self->side_h + REGARD_HEADS_GAP);
  /* Of the heading, which may be wider than the grid, but not than the widget. */
  double room = gtk_widget_get_width(GTK_WIDGET(self)) - left - REGARD_HEADS_EDGE;
  double wide = MAX(right - left, MIN(200 * regard_theme_large_text(GTK_WIDGET(self)), room));
  double heading = heading_width(self, px * 0.95), shrink = MIN(wide / heading, 1);
  gboolean hovered = self->hovered.grid == g;
  g_autofree char *note = NULL, *short_note = NULL;
  cairo_t *cr;

  cr = regard_node_begin(GTK_WIDGET(self), 0, grid->y, left + wide + REGARD_HEADS_EDGE,
                         bottom - grid->y);
  show_text(self, cr, kind_name(self, g), px * 0.95 * shrink, TRUE, &self->theme.fg, left,
            grid->y + self->heading_h / 2, 0);
  if (hovered) {
    guint layer = layer_number(self, g, self->hovered.layer);
    guint head = head_number(self, g, self->hovered.head);

    g_autofree char *effect = regard_heads_write_effect(self, self->hovered);

    note = g_strdup_printf(_("layer %u · head %u%s"), layer, head, effect);
    short_note = g_strdup_printf("%u.%u%s", layer, head, effect);
  } else {
    note = g_strdup_printf(_("layers %u–%u × heads %u–%u"), layer_number(self, g, 0),
                           layer_number(self, g, grid->layers - 1), head_number(self, g, 0),
                           head_number(self, g, grid->heads - 1));
    short_note = g_strdup_printf("%u × %u", grid->layers, grid->heads);
  }
  /* Whole, short, or not at all: the numbers beside the grid say it too. */
  const char *shown = heading + px + text_width(self, note, px * 0.8, FALSE) <= wide ? note
                      : heading + px / 2 + text_width(self, short_note, px * 0.8, FALSE) <= wide
                          ? short_note
                          : "";
  show_text(self, cr, shown, px * 0.8, FALSE, hovered ? &self->theme.fg : &self->theme.dim,
            left + wide, grid->y + self->heading_h / 2, 1);

  for (guint h = 0; h < grid->heads; h++) {
    g_autofree char *number = g_strdup_printf("%u", head_number(self, g, h));

    show_text(self, cr, number, px * 0.72, hovered && h == self->hovered.head, &self->theme.dim,
              left + h * (self->side_w + REGARD_HEADS_GAP) + self->side_w / 2,
              grid->grid_y - self->numbers_h / 2 - 1, 0.5);
  }
  for (guint l = 0; l < grid->layers; l++) {
    g_autofree char *number = g_strdup_printf("%u", layer_number(self, g, l));

    show_text(self, cr, number, px * 0.72, hovered && l == self->hovered.layer, &self->theme.dim,
              left - 5, grid->grid_y + l * (self->side_h + REGARD_HEADS_GAP) + self->side_h / 2, 1);
  }
  return regard_node_end(cr);
}

static void
rounded_path(cairo_t *cr, double x, double y, double w, double h, double r)
{
  cairo_new_sub_path(cr);
  cairo_arc(cr, x + w - r, y + r, r, -G_PI / 2, 0);
  cairo_arc(cr, x + w - r, y + h - r, r, 0, G_PI / 2);
  cairo_arc(cr, x + r, y + h - r, r, G_PI / 2, G_PI);
  cairo_arc(cr, x + r, y + r, r, G_PI, 3 * G_PI / 2);
  cairo_close_path(cr);
}

/* Pieces of a head as they are in the capture, or words and without special tokens as in the large
 * picture, like a head of which rows and columns are known. */
static cairo_surface_t *
make_raster(RegardHeads *self, RegardHeadsPlace place, const RegardMatrix *like)
{
  mt_attention_kind kind = regard_kinds_in_order[place.grid];
  int device = gtk_widget_get_scale_factor(GTK_WIDGET(self));
  guint width = self->side_w * device, height = self->side_h * device;
  const RegardColormap *colormap = regard_selection_get_colormap(self->selection);
  RegardScale scale = regard_selection_get_scale(self->selection);

  if (like) {
    g_autoptr(RegardMatrix) m = regard_matrix_new_head(like, place.layer, place.head);

    return regard_raster_new_pooled(m, m->diverging ? NULL : colormap, scale, 0, width, height);
  }
  mt_capture *capture = regard_selection_get_capture(self->selection);
  /* Differences of all heads have one scale. */
  double most = (double) mt_capture_difference_most(capture);
  return regard_raster_new_thumbnail(mt_capture_weights(capture, kind, place.layer, place.head),
                                     mt_capture_mask(capture, kind, place.layer, place.head), -most,
                                     most > 0 ? most : 1, most > 0 ? NULL : colormap, scale, 0,
                                     width, height);
}

static void
draw_thumbnail(RegardHeads *self, cairo_t *cr, RegardHeadsPlace place, const RegardMatrix *like)
{
  const GdkRGBA *hatch = &self->theme.hatch;
  mt_attention_mask mask =
      mt_capture_mask(regard_selection_get_capture(self->selection),
                      regard_kinds_in_order[place.grid], place.layer, place.head);
  cairo_surface_t *raster = make_raster(self, place, like);
  graphene_rect_t r;

  regard_heads_place_rect(self, place, &r);
  cairo_save(cr);
  rounded_path(cr, r.origin.x, r.origin.y, r.size.width, r.size.height, ROUNDNESS);
  /* Too small for a hatch: the same grey without strokes. */
  if (!mt_attention_mask_is_empty(mask)) {
    cairo_set_source_rgba(cr, hatch->red, hatch->green, hatch->blue, hatch->alpha * 0.6);
    cairo_fill_preserve(cr);
  }
  cairo_translate(cr, r.origin.x, r.origin.y);
  cairo_scale(cr, r.size.width / MAX(cairo_image_surface_get_width(raster), 1),
              r.size.height / MAX(cairo_image_surface_get_height(raster), 1));
  cairo_set_source_surface(cr, raster, 0, 0);
  cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_NEAREST);
  cairo_pattern_set_extend(cairo_get_source(cr), CAIRO_EXTEND_PAD);
  cairo_fill(cr);
  cairo_restore(cr);
  cairo_surface_destroy(raster);
}

static GskRenderNode *
pictures_node(RegardHeads *self, int g)
{
  const RegardHeadsGrid *grid = &self->grids[g];
  cairo_t *cr =
      regard_node_begin(GTK_WIDGET(self), REGARD_HEADS_EDGE + REGARD_HEADS_LEFT, grid->grid_y,
                        grid->heads * (self->side_w + REGARD_HEADS_GAP) - REGARD_HEADS_GAP,
                        grid->layers * (self->side_h + REGARD_HEADS_GAP) - REGARD_HEADS_GAP);
  g_autoptr(RegardMatrix) like = NULL;
  RegardMatrixSpec spec;

  regard_selection_get_spec(self->selection, &spec);
  spec.kind = regard_kinds_in_order[g];
  spec.combine = REGARD_COMBINE_HEAD;
  if (spec.merge_words || spec.hide_special)
    like = regard_matrix_new_attention(regard_selection_get_capture(self->selection), &spec);
  for (guint l = 0; l < grid->layers; l++)
    for (guint h = 0; h < grid->heads; h++)
      draw_thumbnail(self, cr, (RegardHeadsPlace){g, l, h}, like);
  return regard_node_end(cr);
}

static void
regard_heads_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  RegardHeads *self = REGARD_HEADS(widget);

  if (!self->selection || self->laid_out_w <= 0)
    return;
  if (!self->theme_valid)
    regard_theme_get(widget, &self->theme);
  self->theme_valid = TRUE;

  for (int g = 0; g < MT_N_KINDS; g++) {
    RegardHeadsGrid *grid = &self->grids[g];

    if (grid->layers == 0)
      continue;
    if (!grid->text)
      grid->text = text_node(self, g);
    gtk_snapshot_append_node(snapshot, grid->text);
    if (!grid->pictures)
      grid->pictures = pictures_node(self, g);
    gtk_snapshot_append_node(snapshot, grid->pictures);
  }
  regard_heads_draw_veils(self, snapshot); /* over the pictures; numbers are of all steps */
  regard_heads_draw_effects(self, snapshot);
  regard_heads_draw_marks(self, snapshot);
}

/* ---- GtkWidget ------------------------------------------------------------------------------- */

static void
regard_heads_measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                     int *natural, int *minimum_baseline, int *natural_baseline)
{
  RegardHeads *self = REGARD_HEADS(widget);
  guint rows, cols;
  double fixed = fixed_height(self, &rows, &cols);

  if (orientation == GTK_ORIENTATION_HORIZONTAL) {
    cols = MAX(cols, 6);
    *minimum = 2 * REGARD_HEADS_EDGE + REGARD_HEADS_LEFT + cols * (MIN_WIDTH + REGARD_HEADS_GAP) -
               REGARD_HEADS_GAP;
    *natural = 2 * REGARD_HEADS_EDGE + REGARD_HEADS_LEFT + cols * (38 + REGARD_HEADS_GAP) -
               REGARD_HEADS_GAP;
  } else {
    *minimum = fixed + rows * MIN_SIDE;
    *natural = fixed + rows * 28;
  }
}

static void
regard_heads_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
  RegardHeads *self = REGARD_HEADS(widget);

  if (width != self->laid_out_w || height != self->laid_out_h)
    lay_out(self, width, height);
}

static void
restyle(RegardHeads *self)
{
  self->theme_valid = FALSE;
  self->heading_px = 0;
  self->laid_out_w = 0;
  drop_text(self);
  drop_thumbnails(self);
  gtk_widget_queue_resize(GTK_WIDGET(self));
}

static void
regard_heads_css_changed(GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS(regard_heads_parent_class)->css_changed(widget, change);
  restyle(REGARD_HEADS(widget));
}

static void
regard_heads_system_setting_changed(GtkWidget *widget, GtkSystemSetting setting)
{
  GTK_WIDGET_CLASS(regard_heads_parent_class)->system_setting_changed(widget, setting);
  restyle(REGARD_HEADS(widget));
}

static void
regard_heads_dispose(GObject *object)
{
  RegardHeads *self = REGARD_HEADS(object);

  drop_text(self);
  drop_thumbnails(self);
  disconnect(self);
  g_clear_object(&self->selection);
  G_OBJECT_CLASS(regard_heads_parent_class)->dispose(object);
}

static void
regard_heads_class_init(RegardHeadsClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = regard_heads_dispose;
  widget_class->measure = regard_heads_measure;
  widget_class->size_allocate = regard_heads_size_allocate;
  widget_class->snapshot = regard_heads_snapshot;
  widget_class->css_changed = regard_heads_css_changed;
  widget_class->system_setting_changed = regard_heads_system_setting_changed;
  gtk_widget_class_set_css_name(widget_class, "heads");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
add_controller(RegardHeads *self, GtkEventController *controller, const char *name)
{
  gtk_event_controller_set_name(controller, name);
  gtk_widget_add_controller(GTK_WIDGET(self), controller);
}

static void
on_focus(RegardHeads *self)
{
  regard_heads_update_accessible(self);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

/* A focus controller hears of it in the window that is active only. */
static void
on_root(RegardHeads *self)
{
  GtkRoot *root = gtk_widget_get_root(GTK_WIDGET(self));
  if (root)
    g_signal_connect_object(root, "notify::focus-widget", G_CALLBACK(on_focus), self,
                            G_CONNECT_SWAPPED);
}

static void
regard_heads_init(RegardHeads *self)
{
  GtkEventController *motion, *keys;
  GtkGesture *click;

  self->hovered.grid = -1;
  gtk_widget_set_focusable(GTK_WIDGET(self), TRUE);

  motion = gtk_event_controller_motion_new();
  g_signal_connect_swapped(motion, "enter", G_CALLBACK(regard_heads_on_motion), self);
  g_signal_connect_swapped(motion, "motion", G_CALLBACK(regard_heads_on_motion), self);
  g_signal_connect_swapped(motion, "leave", G_CALLBACK(regard_heads_on_leave), self);
  add_controller(self, motion, "motion");

  click = gtk_gesture_click_new();
  g_signal_connect_swapped(click, "pressed", G_CALLBACK(regard_heads_on_pressed), self);
  add_controller(self, GTK_EVENT_CONTROLLER(click), "click");

  click = gtk_gesture_click_new();
  gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(click), GDK_BUTTON_SECONDARY);
  g_signal_connect_swapped(click, "pressed", G_CALLBACK(regard_heads_on_secondary), self);
  add_controller(self, GTK_EVENT_CONTROLLER(click), "secondary");

  gtk_widget_set_has_tooltip(GTK_WIDGET(self), TRUE);
  g_signal_connect(self, "query-tooltip", G_CALLBACK(regard_heads_on_tooltip), NULL);
  regard_heads_add_menu(self);

  keys = gtk_event_controller_key_new();
  g_signal_connect_swapped(keys, "key-pressed", G_CALLBACK(regard_heads_on_key), self);
  add_controller(self, keys, "keys");

  g_signal_connect(self, "notify::root", G_CALLBACK(on_root), NULL);
  g_signal_connect(self, "notify::scale-factor", G_CALLBACK(restyle), NULL);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_LABEL, _("Heads"),
                                 -1);
}

GtkWidget *
regard_heads_new(void)
{
  return g_object_new(REGARD_TYPE_HEADS, NULL);
}
