/* regard-pane-heads.c — all heads over a text: what each does in general.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "views/measure/regard-measure-pane.h"

#include <glib/gi18n.h>

#define REGARD_TYPE_PANE_HEADS (regard_pane_heads_get_type())
G_DECLARE_FINAL_TYPE(RegardPaneHeads, regard_pane_heads, REGARD, PANE_HEADS, RegardMeasurePane)

struct _RegardPaneHeads {
  RegardMeasurePane parent_instance;

  GtkWidget *message;
};

G_DEFINE_FINAL_TYPE(RegardPaneHeads, regard_pane_heads, REGARD_TYPE_MEASURE_PANE)

static void
build(RegardPaneHeads *self)
{
  self->message = regard_view_new_message();
  gtk_label_set_text(GTK_LABEL(self->message),
                     _("No corpus is open: what heads do over a text is not known."));
  gtk_widget_set_parent(self->message, GTK_WIDGET(self));
}

static void
regard_pane_heads_map(GtkWidget *widget)
{
  RegardPaneHeads *self = REGARD_PANE_HEADS(widget);

  if (!self->message)
    build(self);
  GTK_WIDGET_CLASS(regard_pane_heads_parent_class)->map(widget);
}

static void
regard_pane_heads_class_init(RegardPaneHeadsClass *klass)
{
  GTK_WIDGET_CLASS(klass)->map = regard_pane_heads_map;
  gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(klass), "headspane");
}

static void
regard_pane_heads_init(RegardPaneHeads *self)
{
}
