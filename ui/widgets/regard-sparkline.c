/* regard-sparkline.c — a histogram as small as a word.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-sparkline.h"

#include <math.h>

/* Pixels. */
#define WIDTH  100
#define HEIGHT 18

struct _RegardSparkline {
  GtkWidget parent_instance;

  guint64 *bins;
  guint n;
};

G_DEFINE_FINAL_TYPE(RegardSparkline, regard_sparkline, GTK_TYPE_WIDGET)

GtkWidget *
regard_sparkline_new(void)
{
  return g_object_new(REGARD_TYPE_SPARKLINE, NULL);
}

void
regard_sparkline_set(RegardSparkline *self, const guint64 *bins, guint n, const char *said)
{
  g_free(self->bins);
  self->bins = bins ? g_memdup2(bins, n * sizeof *bins) : NULL;
  self->n = bins ? n : 0;
  gtk_widget_set_tooltip_text(GTK_WIDGET(self), said);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 said ? said : "", -1);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void
regard_sparkline_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
  RegardSparkline *self = REGARD_SPARKLINE(widget);
  const int width = gtk_widget_get_width(widget), height = gtk_widget_get_height(widget);
  guint64 most = 0;
  GdkRGBA color;

  for (guint i = 0; i < self->n; i++)
    most = MAX(most, self->bins[i]);
  if (most == 0)
    return;
  gtk_style_context_get_color(gtk_widget_get_style_context(widget), &color);
  for (guint i = 0; i < self->n; i++) {
    const int left = (int) i * width / (int) self->n, right = (int) (i + 1) * width / (int) self->n;
    const double share = (double) self->bins[i] / (double) most;
    const int tall = self->bins[i] ? MAX((int) lround(share * height), 1) : 0;

    gtk_snapshot_append_color(snapshot, &color,
                              &GRAPHENE_RECT_INIT((float) left, (float) (height - tall),
                                                  (float) (right - left), (float) tall));
  }
}

static void
regard_sparkline_measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                         int *natural, int *minimum_baseline, int *natural_baseline)
{
  *minimum = *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? WIDTH : HEIGHT;
  *minimum_baseline = *natural_baseline = -1;
}

static void
regard_sparkline_finalize(GObject *object)
{
  g_free(REGARD_SPARKLINE(object)->bins);
  G_OBJECT_CLASS(regard_sparkline_parent_class)->finalize(object);
}

static void
regard_sparkline_class_init(RegardSparklineClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->finalize = regard_sparkline_finalize;
  widget_class->snapshot = regard_sparkline_snapshot;
  widget_class->measure = regard_sparkline_measure;
  gtk_widget_class_set_css_name(widget_class, "sparkline");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
regard_sparkline_init(RegardSparkline *self)
{
}
