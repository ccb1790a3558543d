/* regard-window-slider.c — restricted self-attention by a slider.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts/regard-window-slider.h"

#include <glib/gi18n.h>

/* What is dragged without a longer rest is one step of the history. */
#define REST_US 1000000

struct _RegardWindowSlider {
  GtkWidget parent_instance;
  GtkWidget *box, *range, *stacks, *value;
  RegardDocument *document;
  gboolean is_setting; /* the program moves it */
  guint64 gesture;
  gint64 moved_at;
};

G_DEFINE_FINAL_TYPE(RegardWindowSlider, regard_window_slider, GTK_TYPE_WIDGET)

/* In the order of the list: which of the self-attentions. */
static const gboolean stacks[][2] = {{TRUE, TRUE}, {TRUE, FALSE}, {FALSE, TRUE}};
static const char *const ids[] = {"encoder", "decoder"};
static const mt_attention_kind kinds[] = {MT_ENCODER_SELF, MT_DECODER_SELF};

GtkRange *
regard_window_slider_get_range(RegardWindowSlider *self)
{
  return GTK_RANGE(self->range);
}

static guint
get_width(RegardWindowSlider *self)
{
  return (guint) (gtk_range_get_value(GTK_RANGE(self->range)) + 0.5);
}

static void
say(RegardWindowSlider *self)
{
  const guint r = get_width(self);
  g_autofree char *text =
      r >= REGARD_NO_WINDOW
          ? g_strdup(_("not restricted"))
          : g_strdup_printf(ngettext("r = %u: a query sees keys at most %u token away",
                                     "r = %u: a query sees keys at most %u tokens away", r),
                            r, r);
  gtk_label_set_text(GTK_LABEL(self->value), text);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->range), GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT,
                                 text, -1);
}

static void
apply(RegardWindowSlider *self)
{
  const guint r = get_width(self);
  const guint which = gtk_drop_down_get_selected(GTK_DROP_DOWN(self->stacks));
  const gint64 now = g_get_monotonic_time();
  if (self->is_setting || which >= G_N_ELEMENTS(stacks))
    return;
  if (now - self->moved_at > REST_US)
    self->gesture = (guint64) now;
  self->moved_at = now;
  self->is_setting = TRUE;
  regard_document_set_gesture(self->document, self->gesture);
  for (guint i = 0; i < G_N_ELEMENTS(ids); i++) {
    const gboolean is_made = stacks[which][i] && r < REGARD_NO_WINDOW;
    g_autofree char *line = g_strdup_printf("%s window %u", ids[i], r);
    if (is_made || regard_changes_window(regard_document_get_changes(self->document), kinds[i]))
      regard_document_edit_changes(self->document, line,
                                   is_made ? REGARD_CHANGE_MAKE : REGARD_CHANGE_RESTORE, NULL);
  }
  regard_document_set_gesture(self->document, 0);
  self->is_setting = FALSE;
  say(self);
}

static void
update(RegardWindowSlider *self)
{
  const mt_changes *changes = regard_document_get_changes(self->document);
  const guint encoder = regard_changes_window(changes, MT_ENCODER_SELF),
              decoder = regard_changes_window(changes, MT_DECODER_SELF);
  if (self->is_setting)
    return;
  self->is_setting = TRUE;
  if (!encoder != !decoder)
    gtk_drop_down_set_selected(GTK_DROP_DOWN(self->stacks), encoder ? 1 : 2);
  else if (encoder)
    gtk_drop_down_set_selected(GTK_DROP_DOWN(self->stacks), 0);
  gtk_range_set_value(GTK_RANGE(self->range), encoder   ? encoder
                                              : decoder ? decoder
                                                        : REGARD_NO_WINDOW);
  self->is_setting = FALSE;
  say(self);
}

static void
regard_window_slider_dispose(GObject *object)
{
  RegardWindowSlider *self = REGARD_WINDOW_SLIDER(object);
  g_clear_pointer(&self->box, gtk_widget_unparent);
  g_clear_object(&self->document);
  G_OBJECT_CLASS(regard_window_slider_parent_class)->dispose(object);
}

static void
regard_window_slider_class_init(RegardWindowSliderClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = regard_window_slider_dispose;
  gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(klass), GTK_TYPE_BIN_LAYOUT);
}

static GtkWidget *
new_label(const char *text, const char *css)
{
  GtkWidget *label = gtk_label_new(text);
  gtk_label_set_xalign(GTK_LABEL(label), 0);
  gtk_label_set_wrap(GTK_LABEL(label), TRUE);
  gtk_label_set_max_width_chars(GTK_LABEL(label), 56);
  gtk_widget_add_css_class(label, css);
  return label;
}

static void
regard_window_slider_init(RegardWindowSlider *self)
{
  const char *const choices[] = {_("Encoder and decoder"), _("Encoder"), _("Decoder"), NULL};
  GtkWidget *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
  self->box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4);
  self->range = gtk_scale_new_with_range(GTK_ORIENTATION_HORIZONTAL, 1, REGARD_NO_WINDOW, 1);
  gtk_scale_set_draw_value(GTK_SCALE(self->range), FALSE);
  gtk_widget_set_hexpand(self->range, TRUE);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->range), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Width r of restricted self-attention"), -1);
  self->stacks = gtk_drop_down_new_from_strings(choices);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->stacks), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Restricted where"), -1);
  self->value = new_label("", "caption");
  g_signal_connect_swapped(self->range, "value-changed", G_CALLBACK(apply), self);
  g_signal_connect_swapped(self->stacks, "notify::selected", G_CALLBACK(apply), self);
  gtk_box_append(GTK_BOX(row), self->range);
  gtk_box_append(GTK_BOX(row), self->stacks);
  gtk_box_append(GTK_BOX(self->box), new_label(_("Restricted self-attention"), "heading"));
  gtk_box_append(GTK_BOX(self->box), row);
  gtk_box_append(GTK_BOX(self->box), self->value);
  gtk_box_append(
      GTK_BOX(self->box),
      new_label(_("The paper, section 4: for very long sequences self-attention “could be "
                  "restricted to considering only a neighborhood of size r”, which “would increase "
                  "the maximum path length to O(n/r)”; left for future work there. What a model "
                  "that was trained without loses says how far its heads look."),
                "regard-hint"));
  gtk_widget_set_parent(self->box, GTK_WIDGET(self));
}

GtkWidget *
regard_window_slider_new(RegardDocument *document)
{
  RegardWindowSlider *self = g_object_new(REGARD_TYPE_WINDOW_SLIDER, NULL);
  self->document = g_object_ref(document);
  g_signal_connect_object(document, "changed::changes", G_CALLBACK(update), self,
                          G_CONNECT_SWAPPED);
  update(self);
  return GTK_WIDGET(self);
}
