/* regard-spotlight.c — a ring around what a lesson points at.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "learn/regard-spotlight.h"

#include "widgets/regard-gtk.h"
#include "widgets/regard-theme.h"

#include <adwaita.h>
#include <glib/gi18n.h>

/* Of the ring, px: its line, between it and the place, a light edge on both sides of the line, and
 * how round it is. */
#define LINE      3.0F
#define GAP       4.0F
#define EDGE      1.0F
#define ROUNDNESS 8.0F
/* What is around the place is so much darker, for so long, and then less and less. */
#define DARKER      0.33F
#define DARK_MS     1200
#define DARK_END_MS 250

struct _RegardSpotlight {
  GtkWidget parent_instance;

  RegardStage *stage;           /* borrowed */
  const RegardDirective *point; /* borrowed; NULL: nothing is pointed at */
  gboolean is_reveal_due;       /* it is to be scrolled to once it has its room */
  gboolean is_there;            /* the place is seen … */
  graphene_rect_t place;        /* … there, in the coordinates of the stage */
  double darkness;              /* 0 to 1 */
  guint dark_timeout;
  AdwAnimation *brightening; /* NULL: not under way */
  GdkFrameClock *clock;      /* whose frames are followed; NULL: none */
};

G_DEFINE_FINAL_TYPE(RegardSpotlight, regard_spotlight, GTK_TYPE_WIDGET)

gboolean
regard_spotlight_get_place(RegardSpotlight *self, graphene_rect_t *place)
{
  if (self->is_there)
    *place = self->place;
  return self->is_there;
}

/* ---- Where the place is ------------------------------------------------------------------------
 */

/* Layout may have moved it, and so may what is drawn only, as the cells of a zoomed matrix. */
static void
follow(RegardSpotlight *self)
{
  graphene_rect_t place;
  const gboolean is_there = self->point && regard_stage_locate(self->stage, self->point, &place);
  if (is_there == self->is_there && (!is_there || graphene_rect_equal(&place, &self->place)))
    return;
  self->is_there = is_there;
  if (is_there)
    self->place = place;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void
on_painted(RegardSpotlight *self)
{
  if (self->is_reveal_due && self->point)
    self->is_reveal_due = !regard_stage_reveal(self->stage, self->point);
  follow(self);
}

static void
stop_following(RegardSpotlight *self)
{
  if (self->clock)
    g_signal_handlers_disconnect_by_data(self->clock, self);
  g_clear_object(&self->clock);
}

static void
map(GtkWidget *widget)
{
  RegardSpotlight *self = REGARD_SPOTLIGHT(widget);
  GTK_WIDGET_CLASS(regard_spotlight_parent_class)->map(widget);
  self->clock = g_object_ref(gtk_widget_get_frame_clock(widget));
  g_signal_connect_swapped(self->clock, "layout", G_CALLBACK(follow), self);
  g_signal_connect_swapped(self->clock, "after-paint", G_CALLBACK(on_painted), self);
}

static void
unmap(GtkWidget *widget)
{
  stop_following(REGARD_SPOTLIGHT(widget));
  GTK_WIDGET_CLASS(regard_spotlight_parent_class)->unmap(widget);
}

/* ---- Darker around it --------------------------------------------------------------------------
 */

static void
set_darkness(double darkness, gpointer data)
{
  RegardSpotlight *self = data;
  self->darkness = darkness;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void
end_darkness(RegardSpotlight *self)
{
  g_clear_handle_id(&self->dark_timeout, g_source_remove);
  if (self->brightening)
    adw_animation_pause(self->brightening);
  g_clear_object(&self->brightening);
  set_darkness(0, self);
}

static gboolean
on_dark_enough(gpointer data)
{
  RegardSpotlight *self = data;
  self->dark_timeout = 0;
  self->brightening =
      adw_timed_animation_new(GTK_WIDGET(self), 1, 0, DARK_END_MS,
                              adw_callback_animation_target_new(set_darkness, self, NULL));
  adw_animation_play(self->brightening);
  return G_SOURCE_REMOVE;
}

static void
begin_darkness(RegardSpotlight *self)
{
  end_darkness(self);
  if (!adw_get_enable_animations(GTK_WIDGET(self)))
    return;
  set_darkness(1, self);
  self->dark_timeout = g_timeout_add(DARK_MS, on_dark_enough, self);
}

void
regard_spotlight_point(RegardSpotlight *self, const RegardDirective *point)
{
  self->point = point;
  self->is_there = FALSE;
  gtk_widget_set_visible(GTK_WIDGET(self), FALSE);
  end_darkness(self);
  if (!point)
    return;
  g_autofree char *what = regard_stage_say(self->stage, point);
  g_autofree char *said = g_strdup_printf(_("Look at: %s"), what);
  regard_accessible_set_label(GTK_WIDGET(self), said);
  self->is_reveal_due = TRUE;
  begin_darkness(self);
  /* What comes to be seen is said by an alert. */
  gtk_widget_set_visible(GTK_WIDGET(self), TRUE);
  follow(self);
}

/* ---- Drawing --------------------------------------------------------------------------------- */

/* Outside of the place; where the window ends nearer, along its edge, so that it is whole. */
static graphene_rect_t
ring_around(const graphene_rect_t *place, float width, float height)
{
  const float most = GAP + LINE;
  const float room[] = {place->origin.x, place->origin.y,
                        width - place->origin.x - place->size.width,
                        height - place->origin.y - place->size.height};
  float out[4];
  /* The line lies inside of the rectangle that it is the border of. */
  for (guint i = 0; i < 4; i++)
    out[i] = MIN(room[i] - EDGE, most);
  return GRAPHENE_RECT_INIT(place->origin.x - out[0], place->origin.y - out[1],
                            place->size.width + out[0] + out[2],
                            place->size.height + out[1] + out[3]);
}

static void
append_ring(GtkSnapshot *snapshot, const graphene_rect_t *outer, float line, const GdkRGBA *color)
{
  const float widths[4] = {line, line, line, line};
  const GdkRGBA colors[4] = {*color, *color, *color, *color};
  GskRoundedRect outline;
  gsk_rounded_rect_init_from_rect(&outline, outer, ROUNDNESS);
  gtk_snapshot_append_border(snapshot, &outline, widths, colors);
}

static void
snapshot_widget(GtkWidget *widget, GtkSnapshot *snapshot)
{
  RegardSpotlight *self = REGARD_SPOTLIGHT(widget);
  const float width = (float) gtk_widget_get_width(widget);
  const float height = (float) gtk_widget_get_height(widget);
  double x, y;
  if (!self->is_there || !gtk_widget_translate_coordinates(GTK_WIDGET(self->stage), widget,
                                                           (double) self->place.origin.x,
                                                           (double) self->place.origin.y, &x, &y))
    return;
  const graphene_rect_t place =
      GRAPHENE_RECT_INIT((float) x, (float) y, self->place.size.width, self->place.size.height);
  const graphene_rect_t outer = ring_around(&place, width, height);
  RegardTheme theme;
  regard_theme_get(widget, &theme);
  if (self->darkness > 0) {
    const GdkRGBA dark = {0, 0, 0, DARKER * (float) self->darkness};
    GskRoundedRect hole;
    gsk_rounded_rect_init_from_rect(&hole, &outer, ROUNDNESS);
    gtk_snapshot_append_outset_shadow(snapshot, &hole, &dark, 0, 0, width + height, 0);
  }
  /* The light edge tells the line from a picture that happens to have its colour. */
  const graphene_rect_t edge =
      GRAPHENE_RECT_INIT(outer.origin.x - EDGE, outer.origin.y - EDGE, outer.size.width + 2 * EDGE,
                         outer.size.height + 2 * EDGE);
  append_ring(snapshot, &edge, LINE + 2 * EDGE, &theme.bg);
  append_ring(snapshot, &outer, LINE, &theme.fg);
}

/* ---- The object ------------------------------------------------------------------------------ */

static void
dispose(GObject *object)
{
  RegardSpotlight *self = REGARD_SPOTLIGHT(object);
  stop_following(self);
  end_darkness(self);
  self->point = NULL;
  self->is_there = FALSE;
  G_OBJECT_CLASS(regard_spotlight_parent_class)->dispose(object);
}

static void
regard_spotlight_class_init(RegardSpotlightClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  G_OBJECT_CLASS(klass)->dispose = dispose;
  widget_class->map = map;
  widget_class->unmap = unmap;
  widget_class->snapshot = snapshot_widget;
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_ALERT);
  gtk_widget_class_set_css_name(widget_class, "spotlight");
}

static void
regard_spotlight_init(RegardSpotlight *self)
{
  gtk_widget_set_can_target(GTK_WIDGET(self), FALSE);
  gtk_widget_set_can_focus(GTK_WIDGET(self), FALSE);
  gtk_widget_set_visible(GTK_WIDGET(self), FALSE);
  gtk_widget_set_overflow(GTK_WIDGET(self), GTK_OVERFLOW_HIDDEN);
}

GtkWidget *
regard_spotlight_new(RegardStage *stage)
{
  RegardSpotlight *self = g_object_new(REGARD_TYPE_SPOTLIGHT, NULL);
  self->stage = stage;
  return GTK_WIDGET(self);
}
