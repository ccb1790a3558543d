/* regard-token-strip-trust.c — under each piece how much of it is from the source, or was used: a
 * number, a bar, and a mark where that is little.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-token-strip-private.h"

#include <glib/gi18n.h>
#include <math.h>

#define NUMBER_PX 11.0 /* height of the line of numbers, at usual letters */
#define MARK      7.0  /* a mark is so wide */

static RegardTrust *
trust_of(RegardTokenStrip *self)
{
  return self->selection ? regard_trust_of(self->selection) : NULL;
}

double
regard_token_strip_trust_height(RegardTokenStrip *self)
{
  return self->has_trust ? ceil(NUMBER_PX * regard_theme_large_text(GTK_WIDGET(self))) : 0;
}

double
regard_token_strip_trust_width(RegardTokenStrip *self)
{
  return self->has_trust ? 2.7 * regard_token_strip_trust_height(self) : 0;
}

/* Little of a word is from the source: a warning triangle. A source token was left out: a hollow
 * diamond. The shapes differ, and what they mean is said in words too. */
static void
draw_mark(const RegardTokenStrip *self, cairo_t *cr, double x, double y)
{
  gdk_cairo_set_source_rgba(cr, &self->theme.mark);
  cairo_set_line_width(cr, 1.4);
  if (self->side == REGARD_SIDE_TARGET) {
    cairo_move_to(cr, x + MARK / 2, y);
    cairo_line_to(cr, x + MARK, y + MARK);
    cairo_line_to(cr, x, y + MARK);
    cairo_close_path(cr);
    cairo_fill(cr);
    return;
  }
  cairo_move_to(cr, x + MARK / 2, y);
  cairo_line_to(cr, x + MARK, y + MARK / 2);
  cairo_line_to(cr, x + MARK / 2, y + MARK);
  cairo_line_to(cr, x, y + MARK / 2);
  cairo_close_path(cr);
  cairo_stroke(cr);
}

void
regard_token_strip_draw_trust(RegardTokenStrip *self, const RegardChip *chip, guint token,
                              GtkSnapshot *snapshot)
{
  const gboolean is_source = self->side == REGARD_SIDE_SOURCE;
  const double value = self->has_trust ? regard_trust_value(trust_of(self), is_source, token) : NAN;
  const double w = chip->rect.size.width, h = chip->rect.size.height;
  const double line = regard_token_strip_trust_height(self);
  gboolean marked;
  g_autofree char *number = NULL;
  g_autoptr(PangoLayout) layout = NULL;
  PangoFontDescription *font;
  int width, height;
  cairo_t *cr;

  if (isnan(value))
    return;
  marked = regard_trust_is_marked(trust_of(self), is_source, token);
  number = g_strdup_printf("%.0f", 100 * value);
  layout = gtk_widget_create_pango_layout(GTK_WIDGET(self), number);
  font = pango_font_description_copy(
      pango_context_get_font_description(pango_layout_get_context(layout)));
  pango_font_description_set_absolute_size(font, line * 0.86 * PANGO_SCALE);
  pango_layout_set_font_description(layout, font);
  pango_font_description_free(font);
  pango_layout_get_pixel_size(layout, &width, &height);

  cr = gtk_snapshot_append_cairo(snapshot, &GRAPHENE_RECT_INIT(0, 0, (float) w, (float) h));
  gdk_cairo_set_source_rgba(cr, marked ? &self->theme.fg : &self->theme.dim);
  cairo_move_to(cr, floor((w - width - (marked ? MARK + 2 : 0)) / 2 + (marked ? MARK + 2 : 0)),
                floor(h - 3 - line / 2 - height / 2.0));
  pango_cairo_show_layout(cr, layout);
  if (marked)
    draw_mark(self, cr, floor((w - width - MARK - 2) / 2), floor(h - 3 - line / 2 - MARK / 2));
  /* The bar: all of the chip's width is 1. */
  gdk_cairo_set_source_rgba(cr, marked ? &self->theme.mark : &self->theme.accent);
  cairo_rectangle(cr, 3, h - 2.5, (w - 6) * CLAMP(value, 0, 1), 2);
  cairo_fill(cr);
  cairo_destroy(cr);
}

char *
regard_token_strip_describe_trust(RegardTokenStrip *self, int token)
{
  if (!self->has_trust || token < 0)
    return NULL;
  return regard_trust_describe_token(trust_of(self), self->side == REGARD_SIDE_SOURCE,
                                     (gsize) token);
}

static gboolean
on_tooltip(RegardTokenStrip *self, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  const int token = keyboard ? self->cursor : regard_token_strip_token_at(self, x, y);
  g_autofree char *of_token = regard_token_strip_describe_trust(self, token);
  g_autofree char *of_all = self->has_trust ? regard_trust_describe(trust_of(self)) : NULL;
  g_autofree char *text =
      of_token && of_all ? g_strdup_printf("%s\n%s", of_token, of_all) : g_strdup(of_all);

  if (!text)
    return FALSE;
  gtk_tooltip_set_text(tooltip, text);
  return TRUE;
}

static void
on_changed(RegardTokenStrip *self)
{
  const gboolean has_trust = regard_trust_is_on(trust_of(self));

  if (has_trust != self->has_trust) {
    self->has_trust = has_trust;
    self->laid_out_width = -1;
    self->line_height = 0;
    gtk_widget_set_has_tooltip(GTK_WIDGET(self), has_trust);
    gtk_widget_queue_resize(GTK_WIDGET(self));
  }
  regard_token_strip_update_summary(self);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void
regard_token_strip_observe_trust(RegardTokenStrip *self, RegardSelection *before)
{
  if (before)
    g_signal_handlers_disconnect_by_data(regard_trust_of(before), self);
  self->has_trust = FALSE;
  if (!self->selection)
    return;
  g_signal_connect_object(trust_of(self), "changed", G_CALLBACK(on_changed), self,
                          G_CONNECT_SWAPPED);
  on_changed(self);
}

void
regard_token_strip_add_trust(RegardTokenStrip *self)
{
  g_signal_connect(self, "query-tooltip", G_CALLBACK(on_tooltip), NULL);
}
