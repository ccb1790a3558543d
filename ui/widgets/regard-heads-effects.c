/* regard-heads-effects.c — what each head does for the translation, written on its thumbnail: a
 * number with its sign, and below it a bar as long as the number is large beside the largest.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-head-effects.h"
#include "widgets/regard-heads-private.h"

#include <glib/gi18n.h>
#include <math.h>

#define BAR       3.0  /* height in pixels */
#define LETTERS   0.68 /* in font sizes */
#define NO_NUMBER 0.005
/* On thumbnails lower than that, in heights of a number, only these get one: of the largest. */
#define TALL   2.4
#define LITTLE 0.05

static double
largest(const RegardEffects *effects)
{
  double most = 0;

  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    for (guint l = 0; l < effects->kinds[kind].n_layers; l++)
      for (guint h = 0; h < effects->kinds[kind].n_heads; h++)
        most = MAX(most, fabs(regard_effects_shown(effects, kind, l, h)));
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

  pango_font_description_set_absolute_size(font, px * PANGO_SCALE);
  pango_layout_set_font_description(layout, font);
  pango_font_description_free(font);
  return layout;
}

/* All of a grid as one picture, that is painted once. */
static GskRenderNode *
effects_node(RegardHeads *self, int g, const RegardEffects *effects, double most)
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

      regard_heads_place_rect(self, (RegardHeadsPlace){g, l, h}, &r);
      draw_head(&d, &r, regard_effects_shown(effects, regard_kinds_in_order[g], l, h));
    }
  return regard_node_end(d.cr);
}

/* Of the heads that are there; NULL: there are none. */
static RegardEffects *
effects_of(RegardHeads *self)
{
  RegardEffects *effects =
      regard_head_effects_get(regard_selection_get_head_effects(self->selection));

  for (int g = 0; effects && g < MT_N_KINDS; g++) {
    const RegardEffectsKind *k = &effects->kinds[regard_kinds_in_order[g]];

    if (k->n_layers != self->grids[g].layers || k->n_heads != self->grids[g].heads)
      return NULL;
  }
  return effects;
}

void
regard_heads_draw_effects(RegardHeads *self, GtkSnapshot *snapshot)
{
  RegardEffects *effects = effects_of(self);

  for (int g = 0; effects && g < MT_N_KINDS; g++) {
    RegardHeadsGrid *grid = &self->grids[g];

    if (!grid->effects)
      grid->effects = effects_node(self, g, effects, largest(effects));
    gtk_snapshot_append_node(snapshot, grid->effects);
  }
}

void
regard_heads_drop_effects(RegardHeads *self)
{
  for (guint g = 0; g < MT_N_KINDS; g++)
    g_clear_pointer(&self->grids[g].effects, gsk_render_node_unref);
}

char *
regard_heads_write_effect(RegardHeads *self, RegardHeadsPlace place)
{
  RegardEffects *effects = effects_of(self);
  char number[16];

  if (!effects)
    return g_strdup("");
  format(regard_effects_shown(effects, regard_kinds_in_order[place.grid], place.layer, place.head),
         number);
  return g_strconcat(" · ", number, NULL);
}

char *
regard_heads_describe_effect(RegardHeads *self, RegardHeadsPlace place)
{
  RegardEffects *effects = self->selection ? effects_of(self) : NULL;

  if (!effects || place.grid < 0)
    return g_strdup("");
  return g_strdup_printf(effects->against ? _(", part in the contrast %+.2f")
                                          : _(", effect %+.2f nats"),
                         regard_effects_shown(effects, regard_kinds_in_order[place.grid],
                                              place.layer, place.head));
}
