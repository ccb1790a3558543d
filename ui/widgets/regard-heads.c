/* regard-heads.c — every head of every layer, small: three grids of thumbnails, or in a simple
 * window the one of the kind that is looked at.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Thumbnails show what the large picture would, pieces or words, with special tokens or without,
 * pooled to the pixels they cover; those of a grid are one render node that lives until the
 * capture, the colours, the words or the size change. Marks are drawn on top.
 *
 * This file is long because what is drawn over a thumbnail, what it says, and what a click or a key
 * on it does read the same few numbers: where it is, and which part of it is meant.
 */
#include "widgets/regard-heads.h"

#include "figures/regard-intervention-edit.h"
#include "figures/regard-language.h"
#include "figures/regard-raster.h"
#include "figures/regard-words.h"
#include "widgets/regard-gtk.h"
#include "widgets/regard-head-ablation.h"
#include "widgets/regard-intervention-glyph.h"
#include "widgets/regard-theme.h"

#include <math.h>
#include <string.h>

typedef struct {
  guint layers, heads;
  guint first_layer, first_head; /* of the model; a file may have a part of it */
  double y;                      /* of the heading */
  double grid_y;                 /* of the first thumbnail */
  GskRenderNode *pictures;       /* all thumbnails; NULL until drawn */
  GskRenderNode *effects;        /* over them; NULL: not drawn, or there are none */
  GskRenderNode *text;           /* heading and numbers */
} RegardHeadsGrid;

typedef struct {
  int grid; /* index into order; -1: none */
  guint layer, head;
} RegardHeadsCell;

/* What is under the pointer. Numbers of layers and heads, and the corner of a thumbnail, are
 * switches. */
typedef enum {
  REGARD_HEADS_NOTHING,
  REGARD_HEADS_THUMBNAIL,
  REGARD_HEADS_CORNER,
  REGARD_HEADS_LAYER, /* number of a row … */
  REGARD_HEADS_HEAD,  /* … and of a column */
} RegardHeadsRegion;

struct _RegardHeads {
  GtkWidget parent_instance;

  RegardSelection *selection;
  RegardHeadsGrid grids[MT_N_KINDS];
  double side_w, side_h; /* of a thumbnail */
  double heading_h, numbers_h;
  double heading_px; /* font for which heading_w was measured; 0: measure anew */
  int heading_w;     /* of the longest heading */
  int laid_out_w, laid_out_h;
  RegardHeadsCell hovered; /* thumbnail */
  RegardHeadsRegion part;  /* under the pointer … */
  RegardHeadsCell at;      /* … and where */
  RegardTheme theme;
  gboolean theme_valid;
  GSimpleAction *change; /* of the menu, whose group has it */
};

static inline gboolean
place_equal(RegardHeadsCell a, RegardHeadsCell b)
{
  return a.grid == b.grid && (a.grid < 0 || (a.layer == b.layer && a.head == b.head));
}

/* In the widget, in pixels. */
#define REGARD_HEADS_LEFT 18.0 /* layer numbers */
#define REGARD_HEADS_EDGE 4.0
#define REGARD_HEADS_GAP  4.0 /* between thumbnails */

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
drop_effects(RegardHeads *self)
{
  for (guint g = 0; g < MT_N_KINDS; g++)
    g_clear_pointer(&self->grids[g].effects, gsk_render_node_unref);
}

static void
drop_thumbnails(RegardHeads *self)
{
  for (guint g = 0; g < MT_N_KINDS; g++)
    g_clear_pointer(&self->grids[g].pictures, gsk_render_node_unref);
  drop_effects(self);
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

static void
place_rect(RegardHeads *self, RegardHeadsCell place, graphene_rect_t *rect)
{
  *rect = GRAPHENE_RECT_INIT(REGARD_HEADS_EDGE + REGARD_HEADS_LEFT +
                                 place.head * (self->side_w + REGARD_HEADS_GAP),
                             self->grids[place.grid].grid_y +
                                 place.layer * (self->side_h + REGARD_HEADS_GAP),
                             self->side_w, self->side_h);
}

static RegardHeadsCell
place_at(RegardHeads *self, double x, double y)
{
  RegardHeadsCell place = {.grid = -1};

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
  RegardHeadsCell place = place_at(self, x, y);

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
  for (int g = 0; g < MT_N_KINDS; g++)
    if (regard_kinds_in_order[g] == kind && layer < self->grids[g].layers &&
        head < self->grids[g].heads && self->laid_out_w > 0) {
      place_rect(self, (RegardHeadsCell){g, layer, head}, rect);
      return TRUE;
    }
  return FALSE;
}

gboolean
regard_heads_get_kind_rect(RegardHeads *self, mt_attention_kind kind, graphene_rect_t *rect)
{
  for (guint g = 0; g < MT_N_KINDS; g++) {
    const RegardHeadsGrid *grid = &self->grids[g];
    graphene_rect_t last;

    if (regard_kinds_in_order[g] != kind || grid->layers == 0 ||
        !regard_heads_get_rect(self, kind, grid->layers - 1, grid->heads - 1, &last))
      continue;
    *rect = GRAPHENE_RECT_INIT((float) REGARD_HEADS_EDGE, (float) grid->y,
                               graphene_rect_get_x(&last) + graphene_rect_get_width(&last) -
                                   (float) REGARD_HEADS_EDGE,
                               graphene_rect_get_y(&last) + graphene_rect_get_height(&last) -
                                   (float) grid->y);
    return TRUE;
  }
  return FALSE;
}

/* ---- State ----------------------------------------------------------------------------------- */
static RegardHeadsCell
current(RegardHeads *self)
{
  RegardHeadsCell place = {.grid = -1};

  if (!self->selection || !regard_selection_get_capture(self->selection))
    return place;
  for (int g = 0; g < MT_N_KINDS; g++)
    if (regard_kinds_in_order[g] == regard_selection_get_kind(self->selection) &&
        self->grids[g].layers > 0)
      place.grid = g;
  if (place.grid >= 0) {
    place.layer = regard_selection_get_layer(self->selection) - self->grids[place.grid].first_layer;
    place.head = regard_selection_get_head(self->selection) - self->grids[place.grid].first_head;
  }
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
  return self->grids[grid].first_layer + layer + 1;
}

static guint
head_number(RegardHeads *self, int grid, guint head)
{
  return self->grids[grid].first_head + head + 1;
}

/* As the capture counts them; FALSE: it is not there, but can be computed. */
static gboolean
find(RegardHeads *self, RegardHeadsCell place, guint *layer, guint *head)
{
  *layer = self->grids[place.grid].first_layer + place.layer;
  *head = self->grids[place.grid].first_head + place.head;
  return regard_selection_find_head(self->selection, regard_kinds_in_order[place.grid], layer,
                                    head);
}

static gboolean
is_computed(RegardHeads *self, RegardHeadsCell place)
{
  guint layer, head;

  return find(self, place, &layer, &head);
}

static gboolean
is_chosen(RegardHeads *self, RegardHeadsCell place)
{
  guint layer, head;

  return find(self, place, &layer, &head) &&
         regard_selection_is_chosen(self->selection, regard_kinds_in_order[place.grid], layer,
                                    head);
}

static void
toggle_chosen(RegardHeads *self, RegardHeadsCell place)
{
  guint layer, head;

  if (find(self, place, &layer, &head))
    regard_selection_toggle_chosen(self->selection, regard_kinds_in_order[place.grid], layer, head);
}

/* What is not there is asked for. */
static void
look_at(RegardHeads *self, RegardHeadsCell place)
{
  const RegardHeadsGrid *grid = &self->grids[place.grid];

  regard_selection_set_place(self->selection, regard_kinds_in_order[place.grid],
                             grid->first_layer + place.layer, grid->first_head + place.head);
}

/* ---- What in the grids of heads is a switch --------------------------------------------- */

/* Where it is, what it says, and the change that it stands for. */

static void
get_corner(RegardHeads *self, RegardHeadsCell place, graphene_rect_t *rect)
{
  const double side = CLAMP(0.5 * MIN(self->side_w, self->side_h), 8, 13);

  place_rect(self, place, rect);
  *rect = GRAPHENE_RECT_INIT(rect->origin.x - 2, rect->origin.y - 2, (float) side, (float) side);
}

static RegardHeadsRegion
part_at(RegardHeads *self, double x, double y, RegardHeadsCell *place)
{
  const double left = REGARD_HEADS_EDGE + REGARD_HEADS_LEFT - REGARD_HEADS_GAP / 2;
  const double col = (x - left) / (self->side_w + REGARD_HEADS_GAP);
  graphene_rect_t corner;

  *place = place_at(self, x, y);
  /* What a file holds cannot be computed otherwise. */
  const mt_capture *capture =
      self->selection ? regard_selection_get_capture(self->selection) : NULL;
  const gboolean can_switch = capture && !*mt_capture_file_name(capture);
  if (place->grid >= 0 && !can_switch)
    return REGARD_HEADS_THUMBNAIL;
  if (!can_switch)
    return REGARD_HEADS_NOTHING;
  if (place->grid >= 0) {
    get_corner(self, *place, &corner);
    graphene_rect_inset(&corner, -1, -1);
    return graphene_rect_contains_point(&corner, &GRAPHENE_POINT_INIT((float) x, (float) y))
               ? REGARD_HEADS_CORNER
               : REGARD_HEADS_THUMBNAIL;
  }
  for (int g = 0; g < MT_N_KINDS && self->laid_out_w > 0; g++) {
    const RegardHeadsGrid *grid = &self->grids[g];
    const double row =
        (y - grid->grid_y + REGARD_HEADS_GAP / 2) / (self->side_h + REGARD_HEADS_GAP);

    if (grid->layers == 0)
      continue;
    if (x >= 0 && x < left && row >= 0 && row < grid->layers) {
      *place = (RegardHeadsCell){g, (guint) row, 0};
      return REGARD_HEADS_LAYER;
    }
    if (y >= grid->grid_y - self->numbers_h - 1 && row < 0 && col >= 0 && col < grid->heads) {
      *place = (RegardHeadsCell){g, 0, (guint) col};
      return REGARD_HEADS_HEAD;
    }
  }
  return REGARD_HEADS_NOTHING;
}

static gboolean
on_tooltip(RegardHeads *self, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  g_autofree char *text = NULL;

  if (keyboard || self->at.grid < 0 || regard_theme_is_presented(GTK_WIDGET(self)))
    return FALSE;
  if (self->part == REGARD_HEADS_CORNER)
    text = g_strdup(_("Switch the head off, or on again (X)"));
  else if (self->part == REGARD_HEADS_LAYER)
    text = g_strdup_printf(_("Switch all heads of layer %u off, or on again (Shift+X)"),
                           self->at.layer + 1);
  else if (self->part == REGARD_HEADS_HEAD)
    text = g_strdup_printf(_("Switch head %u of all layers off, or on again (Ctrl+Shift+X)"),
                           self->at.head + 1);
  gtk_tooltip_set_text(tooltip, text);
  return text != NULL;
}

static char *
intervention_line(RegardHeadsCell place, int layer, int head, const char *how)
{
  g_autofree char *layers = layer < 0 ? g_strdup("*") : g_strdup_printf("%d", layer + 1);
  g_autofree char *heads = head < 0 ? g_strdup("*") : g_strdup_printf("%d", head + 1);
  return g_strdup_printf("%s %s.%s %s", regard_kind_id(regard_kinds_in_order[place.grid]), layers,
                         heads, how);
}

/* The line that a part stands for, "cross 4.* zero". Caller frees; NULL: it is no switch. */
static char *
switch_line(RegardHeadsRegion part, RegardHeadsCell at)
{
  switch (part) {
  case REGARD_HEADS_CORNER:
    return intervention_line(at, (int) at.layer, (int) at.head, "zero");
  case REGARD_HEADS_LAYER:
    return intervention_line(at, (int) at.layer, -1, "zero");
  case REGARD_HEADS_HEAD:
    return intervention_line(at, -1, (int) at.head, "zero");
  default:
    return NULL;
  }
}

/* ---- What each head does for the translation -------------------------------------------- */

/* Written on its thumbnail: a number with its sign, and below it a bar as long as the number is
 * large beside the largest. */

#define BAR       3.0  /* height in pixels */
#define LETTERS   0.68 /* in font sizes */
#define NO_NUMBER 0.005
/* On thumbnails lower than that, in heights of a number, only these get one: of the largest. */
#define TALL   2.4
#define LITTLE 0.05

static double
largest(const RegardAblation *effects)
{
  double most = 0;

  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    for (guint l = 0; l < effects->kinds[kind].n_layers; l++)
      for (guint h = 0; h < effects->kinds[kind].n_heads; h++)
        most = MAX(most, fabs(regard_ablation_shown(effects, kind, l, h)));
  return MAX(most, 1e-6);
}

/* "+2.8", "−.31", "+12": three digits at most, for a thumbnail is small. */
static void
format(double value, char out[16])
{
  const double size = fabs(value);
  char digits[16];

  g_ascii_formatd(digits, sizeof digits,
                  size >= 9.95    ? "%.0f"
                  : size >= 0.995 ? "%.1f"
                                  : "%.2f",
                  size);
  regard_number_localize(digits, sizeof digits);
  g_snprintf(out, 16, "%s%s",
             size < NO_NUMBER ? ""
             : value < 0      ? "−"
                              : "+",
             size < 0.995 ? digits + 1 : digits);
}

/* Warm speaks for the translation, cool against; the ends of the map that differences have. */
static GdkRGBA
colour_of(double value, gboolean dark)
{
  const guint32 c = regard_colormap_lookup(regard_colormap_default_diverging(),
                                           value < 0 ? (dark ? 0.25 : 0.12) : (dark ? 0.75 : 0.88));

  return (GdkRGBA){(float) (c >> 16 & 0xff) / 255, (float) (c >> 8 & 0xff) / 255,
                   (float) (c & 0xff) / 255, 1};
}

typedef struct {
  RegardHeads *heads;
  cairo_t *cr;
  PangoLayout *layout;
  double most;
  int text_height;
} Drawing;

static void
draw_head(const Drawing *d, const graphene_rect_t *r, double value)
{
  const double x = r->origin.x, width = r->size.width, bottom = r->origin.y + r->size.height;
  const double bar = MIN(BAR, r->size.height / 3), length = width * fabs(value) / d->most;
  GdkRGBA plate = d->heads->theme.bg, colour = colour_of(value, d->heads->theme.dark);
  int text_width;
  char number[16];

  plate.alpha = 0.88f;
  format(value, number);
  pango_layout_set_text(d->layout, number, -1);
  pango_layout_get_pixel_size(d->layout, &text_width, NULL);
  gdk_cairo_set_source_rgba(d->cr, &plate);
  cairo_rectangle(d->cr, x, bottom - bar, width, bar);
  cairo_fill(d->cr);
  gdk_cairo_set_source_rgba(d->cr, &colour);
  cairo_rectangle(d->cr, x, bottom - bar, length, bar);
  cairo_fill(d->cr);
  const gboolean is_little = fabs(value) < LITTLE * d->most;
  if (text_width > width || (is_little && r->size.height < TALL * d->text_height))
    return; /* the bar alone says it */
  const double left = floor(x + width - text_width - 2), top = floor(bottom - bar - d->text_height);
  gdk_cairo_set_source_rgba(d->cr, &plate);
  cairo_rectangle(d->cr, MAX(left - 2, x), top, x + width - MAX(left - 2, x), d->text_height);
  cairo_fill(d->cr);
  gdk_cairo_set_source_rgba(d->cr, is_little ? &d->heads->theme.dim : &d->heads->theme.fg);
  cairo_move_to(d->cr, MAX(left, x), top);
  pango_cairo_show_layout(d->cr, d->layout);
}

static PangoLayout *
new_layout(RegardHeads *self)
{
  PangoLayout *layout = gtk_widget_create_pango_layout(GTK_WIDGET(self), "+.00");
  PangoFontDescription *font = pango_font_description_copy_static(
      pango_context_get_font_description(gtk_widget_get_pango_context(GTK_WIDGET(self))));
  /* As large as the thumbnails let it be. */
  const double px = MIN(regard_theme_font_px(GTK_WIDGET(self)) * LETTERS, self->side_w / 2.3);

  pango_font_description_set_absolute_size(font, MAX(px, REGARD_LEAST_TEXT) * PANGO_SCALE);
  pango_layout_set_font_description(layout, font);
  pango_font_description_free(font);
  return layout;
}

/* All of a grid as one picture, that is painted once. */
static GskRenderNode *
effects_node(RegardHeads *self, int g, const RegardAblation *effects, double most)
{
  const RegardHeadsGrid *grid = &self->grids[g];
  g_autoptr(PangoLayout) layout = new_layout(self);
  Drawing d = {
      .heads = self,
      .cr = regard_node_begin(GTK_WIDGET(self), REGARD_HEADS_EDGE + REGARD_HEADS_LEFT, grid->grid_y,
                              grid->heads * (self->side_w + REGARD_HEADS_GAP) - REGARD_HEADS_GAP,
                              grid->layers * (self->side_h + REGARD_HEADS_GAP) - REGARD_HEADS_GAP),
      .layout = layout,
      .most = most,
  };

  pango_layout_get_pixel_size(layout, NULL, &d.text_height);
  for (guint l = 0; l < grid->layers; l++)
    for (guint h = 0; h < grid->heads; h++) {
      graphene_rect_t r;

      place_rect(self, (RegardHeadsCell){g, l, h}, &r);
      draw_head(&d, &r, regard_ablation_shown(effects, regard_kinds_in_order[g], l, h));
    }
  return regard_node_end(d.cr);
}

/* Of the heads that are there; NULL: there are none. */
static RegardAblation *
effects_of(RegardHeads *self)
{
  RegardAblation *effects =
      regard_head_ablation_get(regard_selection_get_head_ablation(self->selection));

  for (int g = 0; effects && g < MT_N_KINDS; g++) {
    const RegardAblationKind *k = &effects->kinds[regard_kinds_in_order[g]];

    if (self->grids[g].layers == 0 && regard_selection_get_simple(self->selection))
      continue; /* not shown */
    if (k->n_layers != self->grids[g].layers || k->n_heads != self->grids[g].heads)
      return NULL;
  }
  return effects;
}

static void
draw_effects(RegardHeads *self, GtkSnapshot *snapshot)
{
  RegardAblation *effects = effects_of(self);

  for (int g = 0; effects && g < MT_N_KINDS; g++) {
    RegardHeadsGrid *grid = &self->grids[g];

    if (grid->layers == 0)
      continue;
    if (!grid->effects)
      grid->effects = effects_node(self, g, effects, largest(effects));
    gtk_snapshot_append_node(snapshot, grid->effects);
  }
}

/* " · +.31", or ""; "effect +0.31 nats", or NULL. Caller frees. */
static char *
write_effect(RegardHeads *self, RegardHeadsCell place)
{
  RegardAblation *effects = effects_of(self);
  char number[16];

  if (!effects)
    return g_strdup("");
  format(regard_ablation_shown(effects, regard_kinds_in_order[place.grid], place.layer, place.head),
         number);
  return g_strconcat(" · ", number, NULL);
}

static char *
describe_effect(RegardHeads *self, RegardHeadsCell place)
{
  RegardAblation *effects = self->selection ? effects_of(self) : NULL;

  if (!effects || place.grid < 0)
    return NULL;
  return regard_strdup_printf(_("effect %+.2f nats"),
                              regard_ablation_shown(effects, regard_kinds_in_order[place.grid],
                                                    place.layer, place.head));
}

/* ---- What is drawn over the thumbnails -------------------------------------------------- */

/* The head that is looked at, the one that is pointed at, chosen heads, and those that were
 * changed in the model. */

static const mt_interventions *
changes_of(RegardHeads *self)
{
  const mt_capture *capture =
      self->selection ? regard_selection_get_capture(self->selection) : NULL;
  return capture ? mt_capture_interventions(capture) : NULL;
}

/* What is drawn for it. Changes of the model around it, such as a window or a layer that stands
 * elsewhere, are those that have no sign of their own. */
static RegardInterventionGlyph
glyph_of(RegardHeads *self, RegardHeadsCell place)
{
  const mt_interventions *interventions = changes_of(self);
  const mt_attention_kind kind = regard_kinds_in_order[place.grid];
  mt_intervention_row row;

  if (regard_interventions_of_head(interventions, kind, place.layer, place.head, &row))
    return regard_intervention_glyph(row.how);
  if (regard_interventions_has_cells(interventions, kind, place.layer, place.head))
    return REGARD_GLYPH_CELLS;
  if (kind != MT_CROSS && regard_interventions_window(interventions, kind) > 0)
    return REGARD_GLYPH_WINDOW;
  return mt_interventions_touch(interventions, kind, place.layer, place.head) ? REGARD_GLYPH_OTHER
                                                                              : REGARD_GLYPH_NONE;
}

/* "off", "uniform", "changed": what was done in the model; NULL: nothing. Caller frees. */
static char *
describe_change(RegardHeads *self, RegardHeadsCell place)
{
  const mt_attention_kind kind = regard_kinds_in_order[place.grid];
  mt_intervention_row row;

  if (regard_interventions_of_head(changes_of(self), kind, place.layer, place.head, &row))
    return regard_change_describe(&row);
  return glyph_of(self, place) == REGARD_GLYPH_NONE ? NULL : g_strdup(_("changed"));
}

/* A head that says nothing is pale, and crossed out. */
static void
draw_off(RegardHeads *self, GtkSnapshot *snapshot, const graphene_rect_t *at)
{
  GdkRGBA veil = self->theme.bg;

  veil.alpha = 0.72f;
  gtk_snapshot_append_color(snapshot, &veil, at);
  cairo_t *cr = gtk_snapshot_append_cairo(snapshot, at);
  gdk_cairo_set_source_rgba(cr, &self->theme.mark);
  cairo_set_line_width(cr, 2);
  cairo_move_to(cr, at->origin.x + 2, at->origin.y + at->size.height - 2);
  cairo_line_to(cr, at->origin.x + at->size.width - 2, at->origin.y + 2);
  cairo_stroke(cr);
  cairo_destroy(cr);
}

/* In the corner that a chosen head's dot leaves free. */
static void
draw_change(RegardHeads *self, GtkSnapshot *snapshot, RegardHeadsCell place)
{
  const RegardInterventionGlyph glyph = glyph_of(self, place);
  graphene_rect_t r, corner;

  if (glyph == REGARD_GLYPH_NONE)
    return;
  place_rect(self, place, &r);
  get_corner(self, place, &corner);
  if (glyph == REGARD_GLYPH_ZERO)
    draw_off(self, snapshot, &r);
  regard_intervention_glyph_draw(snapshot, glyph, &corner, &self->theme.mark, &self->theme.bg);
}

/* Where the pointer can switch something. */
static void
draw_switch(RegardHeads *self, GtkSnapshot *snapshot)
{
  const RegardHeadsGrid *grid = self->at.grid >= 0 ? &self->grids[self->at.grid] : NULL;
  GdkRGBA light = self->theme.accent;
  graphene_rect_t r, corner;

  if (!grid)
    return;
  light.alpha = 0.25f;
  place_rect(self, self->at, &r);
  switch (self->part) {
  case REGARD_HEADS_THUMBNAIL:
  case REGARD_HEADS_CORNER:
    get_corner(self, self->at, &corner);
    if (glyph_of(self, self->at) == REGARD_GLYPH_NONE)
      regard_intervention_glyph_draw(snapshot, REGARD_GLYPH_SWITCH, &corner,
                                     self->part == REGARD_HEADS_CORNER ? &self->theme.mark
                                                                       : &self->theme.fg,
                                     &self->theme.bg);
    return;
  case REGARD_HEADS_LAYER:
    gtk_snapshot_append_color(snapshot, &light,
                              &GRAPHENE_RECT_INIT(1, r.origin.y,
                                                  REGARD_HEADS_EDGE + REGARD_HEADS_LEFT - 3,
                                                  r.size.height));
    return;
  case REGARD_HEADS_HEAD:
    gtk_snapshot_append_color(snapshot, &light,
                              &GRAPHENE_RECT_INIT(r.origin.x,
                                                  (float) (grid->grid_y - self->numbers_h - 1),
                                                  r.size.width, (float) self->numbers_h));
    return;
  case REGARD_HEADS_NOTHING:
    return;
  }
}

/* What the decoder has yet to compute at the step that is looked at. */
static void
draw_veils(RegardHeads *self, GtkSnapshot *snapshot)
{
  const int step = regard_selection_get_step(self->selection);
  GdkRGBA veil = self->theme.bg;

  veil.alpha = 0.85f;
  for (int g = 0; g < MT_N_KINDS && step >= 0; g++) {
    const RegardHeadsGrid *grid = &self->grids[g];
    const double share =
        grid->layers > 0
            ? regard_selection_share_computed(self->selection, regard_kinds_in_order[g], step)
            : 1;

    for (guint l = 0; share < 1 && l < grid->layers; l++)
      for (guint h = 0; h < grid->heads; h++) {
        graphene_rect_t r;

        place_rect(self, (RegardHeadsCell){g, l, h}, &r);
        r.origin.y += (float) (share * r.size.height);
        r.size.height *= (float) (1 - share);
        gtk_snapshot_append_color(snapshot, &veil, &r);
      }
  }
}

static void
draw_marks(RegardHeads *self, GtkSnapshot *snapshot)
{
  RegardHeadsCell here = current(self);
  RegardCombine combine = regard_selection_get_combine(self->selection);
  graphene_rect_t r;

  for (int g = 0; g < MT_N_KINDS; g++)
    for (guint l = 0; l < self->grids[g].layers; l++)
      for (guint h = 0; h < self->grids[g].heads; h++) {
        GskRoundedRect dot;

        draw_change(self, snapshot, (RegardHeadsCell){g, l, h});
        if (!is_chosen(self, (RegardHeadsCell){g, l, h}))
          continue;
        place_rect(self, (RegardHeadsCell){g, l, h}, &r);
        gsk_rounded_rect_init_from_rect(
            &dot, &GRAPHENE_RECT_INIT(r.origin.x + r.size.width - 9, r.origin.y - 2, 10, 10), 5);
        gtk_snapshot_push_rounded_clip(snapshot, &dot);
        gtk_snapshot_append_color(snapshot, &self->theme.bg, &dot.bounds);
        gtk_snapshot_pop(snapshot);
        gsk_rounded_rect_shrink(&dot, 2, 2, 2, 2);
        gtk_snapshot_push_rounded_clip(snapshot, &dot);
        gtk_snapshot_append_color(snapshot, &self->theme.accent, &dot.bounds);
        gtk_snapshot_pop(snapshot);
      }

  if (here.grid >= 0) {
    place_rect(self, here, &r);
    if (combine == REGARD_COMBINE_MEAN || combine == REGARD_COMBINE_MAX) {
      /* The whole layer is what is seen large. */
      double width =
          self->grids[here.grid].heads * (self->side_w + REGARD_HEADS_GAP) - REGARD_HEADS_GAP;

      regard_snapshot_outline(snapshot, REGARD_HEADS_EDGE + REGARD_HEADS_LEFT - 3, r.origin.y - 3,
                              width + 6, r.size.height + 6, 1, 5, &self->theme.accent);
    }
    regard_snapshot_outline(snapshot, r.origin.x - 3, r.origin.y - 3, r.size.width + 6,
                            r.size.height + 6, gtk_widget_has_focus(GTK_WIDGET(self)) ? 3 : 2, 5,
                            &self->theme.accent);
  }
  if (self->hovered.grid >= 0 && !place_equal(self->hovered, here)) {
    place_rect(self, self->hovered, &r);
    regard_snapshot_outline(snapshot, r.origin.x - 2, r.origin.y - 2, r.size.width + 4,
                            r.size.height + 4, 2, 4, &self->theme.dim);
  }
  draw_switch(self, snapshot);
}

/* ---- What can be done to a head, its layer, and its number in all layers ---------------- */
static char *
how_of(const RegardHeadIntervention *change)
{
  return g_strdup_printf("%s%s%s", change->how, *change->number ? " " : "", change->number);
}

/* Chosen in the menu: the state of the action is what the head is, so that the menu shows it. */
static void
set_change(GSimpleAction *action, GVariant *value, gpointer heads)
{
  const char *line = g_variant_get_string(value, NULL);
  const gboolean is_on = g_str_has_suffix(line, " on");
  g_autofree char *any =
      is_on ? g_strdup_printf("%.*s zero", (int) strlen(line) - 3, line) : g_strdup(line);
  gtk_widget_activate_action(GTK_WIDGET(heads), is_on ? "win.restore-change" : "win.make-change",
                             "s", any);
}

static GMenu *
create_choices(RegardHeadsCell place, int layer, int head)
{
  const gboolean is_one = layer >= 0 && head >= 0;
  GMenu *menu = g_menu_new();
  guint n;
  const RegardHeadIntervention *interventions = regard_head_interventions(&n);
  for (guint i = 0; i <= n; i++) {
    g_autofree char *how = i ? how_of(&interventions[i - 1]) : g_strdup("on");
    g_autofree char *line = intervention_line(place, layer, head, how);
    g_autoptr(GMenuItem) item = g_menu_item_new(i ? _(interventions[i - 1].label) : _("_On"), NULL);
    /* The mean of a text is there where a file of means is. */
    const gboolean is_mean = i && g_str_equal(interventions[i - 1].how, "mean");
    /* A decoder's mask has no next token. */
    if (i && g_str_equal(interventions[i - 1].how, "next") &&
        regard_kinds_in_order[place.grid] == MT_DECODER_SELF)
      continue;
    g_menu_item_set_action_and_target(item,
                                      is_mean  ? "win.make-mean"
                                      : is_one ? "heads.change"
                                               : "heads.change-all",
                                      "s", line);
    if (is_mean)
      g_menu_item_set_attribute(item, "hidden-when", "s", "action-disabled");
    g_menu_append_item(menu, item);
  }
  return menu;
}

static void
append_all(GMenu *menu, const char *label, RegardHeadsCell place, int layer, int head)
{
  g_autoptr(GMenu) choices = create_choices(place, layer, head);
  g_menu_append_submenu(menu, label, G_MENU_MODEL(choices));
}

/* "cross 4.1 scale 0.5", as the items of the menu have it; "… on" for one that is as trained. */
static char *
line_now(RegardHeads *self, RegardHeadsCell place)
{
  const mt_interventions *interventions =
      mt_capture_interventions(regard_selection_get_capture(self->selection));
  g_autofree char *how = NULL;
  mt_intervention_row row;
  if (!regard_interventions_of_head(interventions, regard_kinds_in_order[place.grid], place.layer,
                                    place.head, &row))
    how = g_strdup("on");
  else if (row.n_numbers > 0)
    how = g_strdup_printf("%s %g", row.how, row.numbers[0]);
  else
    how = g_strdup(row.how);
  return intervention_line(place, (int) place.layer, (int) place.head, how);
}

static void
open_menu(RegardHeads *self, RegardHeadsCell place, double x, double y)
{
  g_autoptr(GMenu) menu = g_menu_new(), all = g_menu_new(), more = g_menu_new();
  g_autoptr(GMenu) here = create_choices(place, (int) place.layer, (int) place.head);
  g_autofree char *now = line_now(self, place);
  g_autofree char *layer = g_strdup_printf(_("All Heads of _Layer %u"), place.layer + 1);
  g_autofree char *head = g_strdup_printf(_("Head %u of _All Layers"), place.head + 1);

  g_simple_action_set_state(self->change, g_variant_new_string(now));
  append_all(all, layer, place, (int) place.layer, -1);
  append_all(all, head, place, -1, (int) place.head);
  g_menu_append(all, _("_Reset All Changes"), "win.reset-changes");
  g_menu_append(more, _("_Copy Picture"), "win.copy");
  g_menu_append(more, _("_Export…"), "win.export");
  g_menu_append(more, _("_What Does This Show?"), "win.legend");
  g_menu_append_section(menu, NULL, G_MENU_MODEL(here));
  g_menu_append_section(menu, NULL, G_MENU_MODEL(all));
  g_menu_append_section(menu, NULL, G_MENU_MODEL(more));
  regard_menu_popup_at(GTK_WIDGET(self), x, y, G_MENU_MODEL(menu));
}

static void
set_all(GSimpleAction *action, GVariant *parameter, gpointer heads)
{
  set_change(action, parameter, heads);
}

static void
add_menu(RegardHeads *self)
{
  const GActionEntry entries[] = {{"change", NULL, "s", "''", set_change, {0}},
                                  {"change-all", set_all, "s", NULL, NULL, {0}}};
  g_autoptr(GSimpleActionGroup) group = g_simple_action_group_new();
  g_action_map_add_action_entries(G_ACTION_MAP(group), entries, G_N_ELEMENTS(entries), self);
  self->change = G_SIMPLE_ACTION(g_action_map_lookup_action(G_ACTION_MAP(group), "change"));
  gtk_widget_insert_action_group(GTK_WIDGET(self), "heads", G_ACTION_GROUP(group));
}

/* ---- Pointer and keys on the grids of heads --------------------------------------------- */

static void
update_accessible(RegardHeads *self)
{
  /* Who has the keyboard here is told where the keyboard is, wherever the pointer rests; also while
   * another window has it for a moment. */
  gboolean is_pointed = self->hovered.grid >= 0 && !gtk_widget_is_focus(GTK_WIDGET(self));
  RegardHeadsCell place = is_pointed ? self->hovered : current(self);
  g_autofree char *text = NULL, *change = NULL, *effect = describe_effect(self, place);

  if (place.grid >= 0)
    change = describe_change(self, place);
  if (place.grid < 0)
    text = g_strdup(_("no heads"));
  else {
    GString *list = g_string_new(NULL);

    /* Translators: a kind of attention, and numbers */
    g_string_printf(list, _("%s, layer %u, head %u"), kind_name(self, place.grid),
                    layer_number(self, place.grid, place.layer),
                    head_number(self, place.grid, place.head));
    if (!is_computed(self, place))
      regard_words_add_item(list, _("not computed"));
    else if (is_chosen(self, place))
      /* Translators: of a head */
      regard_words_add_item(list, C_("head", "chosen"));
    if (change)
      regard_words_add_item(list, change);
    if (effect)
      regard_words_add_item(list, effect);
    text = g_string_free(list, FALSE);
  }
  gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text,
                                 GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text, -1);
}

static void
hover(RegardHeads *self, RegardHeadsCell place)
{
  if (place_equal(place, self->hovered))
    return;
  for (int g = 0; g < MT_N_KINDS; g++)
    if (g == place.grid || g == self->hovered.grid)
      g_clear_pointer(&self->grids[g].text, gsk_render_node_unref);
  self->hovered = place;
  update_accessible(self);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void
point_at(RegardHeads *self, RegardHeadsRegion part, RegardHeadsCell at)
{
  const gboolean is_switch = part >= REGARD_HEADS_CORNER;

  hover(self, part == REGARD_HEADS_THUMBNAIL || part == REGARD_HEADS_CORNER
                  ? at
                  : (RegardHeadsCell){.grid = -1});
  if (part == self->part && place_equal(at, self->at))
    return;
  self->part = part;
  self->at = at;
  gtk_widget_set_cursor_from_name(GTK_WIDGET(self), is_switch ? "pointer" : NULL);
  gtk_widget_trigger_tooltip_query(GTK_WIDGET(self));
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

/* Handlers, connected in regard_heads_init(). */
static void
on_motion(RegardHeads *self, double x, double y)
{
  RegardHeadsCell at;
  const RegardHeadsRegion part = part_at(self, x, y, &at);

  point_at(self, part, at);
}

static void
on_leave(RegardHeads *self)
{
  point_at(self, REGARD_HEADS_NOTHING, (RegardHeadsCell){.grid = -1});
}

void
regard_heads_press(RegardHeads *self, double x, double y, GdkModifierType state)
{
  RegardHeadsCell place;
  const RegardHeadsRegion part = part_at(self, x, y, &place);
  /* Ctrl+click chooses, wherever on a thumbnail. */
  const gboolean is_choice = (state & GDK_CONTROL_MASK) && part == REGARD_HEADS_CORNER;
  g_autofree char *line = is_choice ? NULL : switch_line(part, place);

  gtk_widget_grab_focus(GTK_WIDGET(self));
  if (!self->selection || part == REGARD_HEADS_NOTHING)
    return;
  if (line && gtk_widget_activate_action(GTK_WIDGET(self), "win.toggle-change", "s", line))
    return;
  if (place.grid < 0 || part > REGARD_HEADS_CORNER)
    return;
  /* Where the picture is the mean of the chosen, a plain click that chose nothing would seem dead.
   */
  gboolean is_mean =
      regard_selection_get_combine(self->selection) == REGARD_COMBINE_CHOSEN &&
      regard_selection_get_kind(self->selection) == regard_kinds_in_order[place.grid];
  if (is_mean || state & GDK_CONTROL_MASK)
    toggle_chosen(self, place);
  else
    look_at(self, place);
}

static void
on_pressed(RegardHeads *self, int n_press, double x, double y, GtkGesture *gesture)
{
  regard_heads_press(self, x, y,
                     gtk_event_controller_get_current_event_state(GTK_EVENT_CONTROLLER(gesture)));
}

static void
on_secondary(RegardHeads *self, int n_press, double x, double y)
{
  RegardHeadsCell place = place_at(self, x, y);

  if (place.grid < 0 || !self->selection)
    return;
  gtk_widget_grab_focus(GTK_WIDGET(self));
  look_at(self, place);
  open_menu(self, place, x, y);
}

static gboolean
open_menu_here(RegardHeads *self)
{
  RegardHeadsCell place = current(self);
  graphene_rect_t r;

  if (place.grid < 0 || self->laid_out_w <= 0)
    return FALSE;
  place_rect(self, place, &r);
  open_menu(self, place, r.origin.x + r.size.width / 2, r.origin.y + r.size.height / 2);
  return TRUE;
}

/* The grid above or below that has heads, or the same. */
static int
next_grid(RegardHeads *self, int g, int step)
{
  for (int i = g + step; i >= 0 && i < MT_N_KINDS; i += step)
    if (self->grids[i].layers > 0)
      return i;
  return g;
}

static gboolean
on_key(RegardHeads *self, guint keyval, guint keycode, GdkModifierType state)
{
  RegardHeadsCell place = current(self);
  int g;

  if (place.grid < 0 || (state & GDK_ALT_MASK))
    return FALSE;
  const RegardHeadsGrid *grid = &self->grids[place.grid];
  switch (regard_plain_key(keyval)) {
  case GDK_KEY_Left:
    place.head -= place.head > 0;
    break;
  case GDK_KEY_Right:
    place.head += place.head + 1 < grid->heads;
    break;
  case GDK_KEY_Home:
    place.head = 0;
    break;
  case GDK_KEY_End:
    place.head = grid->heads - 1;
    break;
  case GDK_KEY_Up:
    if (place.layer > 0)
      place.layer--;
    else if ((g = next_grid(self, place.grid, -1)) != place.grid) {
      place.grid = g;
      place.layer = self->grids[g].layers - 1;
    }
    break;
  case GDK_KEY_Down:
    if (place.layer + 1 < grid->layers)
      place.layer++;
    else if ((g = next_grid(self, place.grid, 1)) != place.grid) {
      place.grid = g;
      place.layer = 0;
    }
    break;
  case GDK_KEY_Menu:
    return open_menu_here(self);
  case GDK_KEY_F10:
    return (state & GDK_SHIFT_MASK) && open_menu_here(self);
  case GDK_KEY_space:
    toggle_chosen(self, place);
    return TRUE;
  default:
    return FALSE;
  }
  look_at(self, place);
  return TRUE;
}

/* ---- What the selection says ------------------------------------------------------------ */

/* A simple window has the heads of one kind at a time. */
static gboolean
is_kind_shown(RegardHeads *self, mt_attention_kind kind)
{
  return self->selection && (!regard_selection_get_simple(self->selection) ||
                             kind == regard_selection_get_kind(self->selection));
}

static void
on_capture(RegardHeads *self)
{
  gboolean reshaped = FALSE;

  drop_thumbnails(self);
  for (guint g = 0; g < MT_N_KINDS; g++) {
    RegardHeadsGrid *grid = &self->grids[g];
    const RegardHeadExtent extent =
        is_kind_shown(self, regard_kinds_in_order[g])
            ? regard_selection_get_extent(self->selection, regard_kinds_in_order[g])
            : (RegardHeadExtent){0};

    if (extent.n_layers == grid->layers && extent.n_heads == grid->heads &&
        extent.first_layer == grid->first_layer && extent.first_head == grid->first_head)
      continue;
    reshaped = TRUE;
    grid->layers = extent.n_layers;
    grid->heads = extent.n_heads;
    grid->first_layer = extent.first_layer;
    grid->first_head = extent.first_head;
  }
  if (reshaped) {
    self->hovered.grid = -1;
    self->laid_out_w = 0;
    drop_text(self);
    gtk_widget_queue_resize(GTK_WIDGET(self));
  }
  update_accessible(self);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void
on_kind(RegardHeads *self)
{
  if (regard_selection_get_simple(self->selection))
    on_capture(self);
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
  update_accessible(self);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void
on_effects(RegardHeads *self)
{
  drop_effects(self);
  drop_text(self);
  on_marks(self);
}

/* Keys may open a head that is scrolled out of sight. */
static void
on_place(RegardHeads *self)
{
  GtkWidget *scroller = gtk_widget_get_ancestor(GTK_WIDGET(self), GTK_TYPE_SCROLLED_WINDOW);
  RegardHeadsCell place = current(self);
  graphene_rect_t r;

  on_marks(self);
  if (!scroller || place.grid < 0 || self->laid_out_w <= 0)
    return;
  place_rect(self, place, &r);
  gtk_adjustment_clamp_page(gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(scroller)),
                            r.origin.y - REGARD_HEADS_EDGE,
                            r.origin.y + r.size.height + REGARD_HEADS_EDGE);
  gtk_adjustment_clamp_page(gtk_scrolled_window_get_hadjustment(GTK_SCROLLED_WINDOW(scroller)),
                            r.origin.x - REGARD_HEADS_EDGE,
                            r.origin.x + r.size.width + REGARD_HEADS_EDGE);
}

void
regard_heads_set_selection(RegardHeads *self, RegardSelection *selection)
{
  static const struct {
    const char *signal;
    void (*callback)(RegardHeads *self);
  } wanted[] = {
      {"notify::capture", on_capture},   {"style-changed", on_style},
      {"chosen-changed", on_marks},      {"notify::kind", on_kind},
      {"notify::kind", on_place},        {"notify::layer", on_place},
      {"notify::head", on_place},        {"notify::combine", on_marks},
      {"notify::merge-words", on_style}, {"notify::hide-special", on_style},
      {"notify::step", on_marks},        {"notify::simple", on_capture},
  };

  g_return_if_fail(!self->selection);
  self->selection = g_object_ref(selection);
  for (guint i = 0; i < G_N_ELEMENTS(wanted); i++)
    regard_connect(selection, wanted[i].signal, G_CALLBACK(wanted[i].callback), self);
  regard_connect(regard_selection_get_head_ablation(selection), "changed", G_CALLBACK(on_effects),
                 self);
  on_capture(self);
}

/* ---- Drawing --------------------------------------------------------------------------------- */

static PangoLayout *
text_layout(RegardHeads *self, const char *text, double px, gboolean bold)
{
  PangoLayout *layout = gtk_widget_create_pango_layout(GTK_WIDGET(self), text);
  PangoFontDescription *font = pango_font_description_copy_static(
      pango_context_get_font_description(gtk_widget_get_pango_context(GTK_WIDGET(self))));

  pango_font_description_set_absolute_size(font, MAX(px, REGARD_LEAST_TEXT) * PANGO_SCALE);
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
  cairo_t *cr = regard_node_begin(GTK_WIDGET(self), 0, grid->y, left + wide + REGARD_HEADS_EDGE,
                                  bottom - grid->y);

  show_text(self, cr, kind_name(self, g), px * 0.95 * shrink, TRUE, &self->theme.fg, left,
            grid->y + self->heading_h / 2, 0);
  if (hovered) {
    guint layer = layer_number(self, g, self->hovered.layer);
    guint head = head_number(self, g, self->hovered.head);

    g_autofree char *effect = write_effect(self, self->hovered);

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
make_raster(RegardHeads *self, mt_attention_kind kind, guint layer, guint head,
            const RegardMatrix *like)
{
  int device = gtk_widget_get_scale_factor(GTK_WIDGET(self));
  guint width = self->side_w * device, height = self->side_h * device;
  const RegardColormap *colormap = regard_selection_get_colormap(self->selection);
  RegardScale scale = regard_selection_get_scale(self->selection);

  if (like) {
    g_autoptr(RegardMatrix) m = regard_matrix_new_head(like, layer, head);

    return regard_raster_new_pooled(m, m->diverging ? NULL : colormap, scale, 0, width, height);
  }
  mt_capture *capture = regard_selection_get_capture(self->selection);
  /* Differences of all heads have one scale. */
  double most = (double) mt_capture_difference_most(capture);
  return regard_raster_new_thumbnail(mt_capture_weights(capture, kind, layer, head),
                                     mt_capture_mask(capture, kind, layer, head), -most,
                                     most > 0 ? most : 1, most > 0 ? NULL : colormap, scale, 0,
                                     width, height);
}

static void
draw_thumbnail(RegardHeads *self, cairo_t *cr, RegardHeadsCell place, const RegardMatrix *like)
{
  const GdkRGBA *hatch = &self->theme.hatch, *dim = &self->theme.dim;
  const mt_attention_kind kind = regard_kinds_in_order[place.grid];
  guint layer, head;
  graphene_rect_t r;

  place_rect(self, place, &r);
  if (!find(self, place, &layer, &head)) { /* not computed: a frame alone */
    rounded_path(cr, r.origin.x + 0.5, r.origin.y + 0.5, r.size.width - 1, r.size.height - 1,
                 ROUNDNESS);
    cairo_set_source_rgba(cr, dim->red, dim->green, dim->blue,
                          dim->alpha * regard_theme_opacity(&self->theme, 0.35));
    cairo_set_line_width(cr, 1);
    cairo_stroke(cr);
    return;
  }
  mt_attention_mask mask =
      mt_capture_mask(regard_selection_get_capture(self->selection), kind, layer, head);
  cairo_surface_t *raster = make_raster(self, kind, layer, head, like);
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
      draw_thumbnail(self, cr, (RegardHeadsCell){g, l, h}, like);
  return regard_node_end(cr);
}

static void
snapshot_widget(GtkWidget *widget, GtkSnapshot *snapshot)
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
  draw_veils(self, snapshot); /* over the pictures; numbers are of all steps */
  draw_effects(self, snapshot);
  draw_marks(self, snapshot);
}

/* ---- GtkWidget ------------------------------------------------------------------------------- */

static void
measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
        int *minimum_baseline, int *natural_baseline)
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
size_allocate(GtkWidget *widget, int width, int height, int baseline)
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
css_changed(GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS(regard_heads_parent_class)->css_changed(widget, change);
  restyle(REGARD_HEADS(widget));
}

static void
system_setting_changed(GtkWidget *widget, GtkSystemSetting setting)
{
  GTK_WIDGET_CLASS(regard_heads_parent_class)->system_setting_changed(widget, setting);
  restyle(REGARD_HEADS(widget));
}

static void
dispose(GObject *object)
{
  RegardHeads *self = REGARD_HEADS(object);

  drop_text(self);
  drop_thumbnails(self);
  g_clear_object(&self->selection);
  G_OBJECT_CLASS(regard_heads_parent_class)->dispose(object);
}

static void
regard_heads_class_init(RegardHeadsClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = dispose;
  widget_class->measure = measure;
  widget_class->size_allocate = size_allocate;
  widget_class->snapshot = snapshot_widget;
  widget_class->css_changed = css_changed;
  widget_class->system_setting_changed = system_setting_changed;
  gtk_widget_class_set_css_name(widget_class, "heads");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
on_focus(RegardHeads *self)
{
  update_accessible(self);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

/* A focus controller hears of it in the window that is active only. */
static void
on_root(RegardHeads *self)
{
  GtkRoot *root = gtk_widget_get_root(GTK_WIDGET(self));
  if (root)
    regard_connect(root, "notify::focus-widget", G_CALLBACK(on_focus), self);
}

static void
regard_heads_init(RegardHeads *self)
{
  static const RegardInput input = {
      .motion = G_CALLBACK(on_motion),
      .leave = G_CALLBACK(on_leave),
      .pressed = G_CALLBACK(on_pressed),
      .secondary = G_CALLBACK(on_secondary),
      .key = G_CALLBACK(on_key),
  };

  self->hovered.grid = -1;
  /* What is drawn goes from left to right in every language, as in a figure. */
  gtk_widget_set_direction(GTK_WIDGET(self), GTK_TEXT_DIR_LTR);
  gtk_widget_set_focusable(GTK_WIDGET(self), TRUE);
  regard_widget_listen(GTK_WIDGET(self), &input);
  gtk_widget_set_has_tooltip(GTK_WIDGET(self), TRUE);
  g_signal_connect(self, "query-tooltip", G_CALLBACK(on_tooltip), NULL);
  add_menu(self);
  g_signal_connect(self, "notify::root", G_CALLBACK(on_root), NULL);
  g_signal_connect(self, "notify::scale-factor", G_CALLBACK(restyle), NULL);
  regard_accessible_set_label(GTK_WIDGET(self), _("Heads"));
}

GtkWidget *
regard_heads_new(void)
{
  return g_object_new(REGARD_TYPE_HEADS, NULL);
}
