/* regard-view-steps-rows.c — the large matrix as the decoder computes it, row by row, and beside it
 * as training does, all rows at once.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "views/regard-view-steps-private.h"
#include "widgets/regard-heatmap.h"

#include <glib/gi18n.h>

static GtkWidget *
build_one(RegardViewSteps *self, guint i)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4);

  self->caption[i] = gtk_label_new(NULL);
  gtk_label_set_xalign(GTK_LABEL(self->caption[i]), 0);
  gtk_label_set_wrap(GTK_LABEL(self->caption[i]), TRUE);
  gtk_widget_add_css_class(self->caption[i], "regard-note");
  self->heatmap[i] = regard_heatmap_new();
  gtk_widget_set_hexpand(self->heatmap[i], TRUE);
  gtk_widget_set_vexpand(self->heatmap[i], TRUE);
  gtk_box_append(GTK_BOX(box), self->caption[i]);
  gtk_box_append(GTK_BOX(box), self->heatmap[i]);
  return box;
}

GtkWidget *
regard_view_steps_build_rows(RegardViewSteps *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);

  self->heatmaps = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 18);
  gtk_box_set_homogeneous(GTK_BOX(self->heatmaps), TRUE);
  gtk_box_append(GTK_BOX(self->heatmaps), build_one(self, 0));
  gtk_box_append(GTK_BOX(self->heatmaps), build_one(self, 1));
  self->training = gtk_check_button_new_with_mnemonic(_("_Training beside it"));
  gtk_widget_set_tooltip_text(self->training,
                              _("In training the whole translation is given, shifted by one, and "
                                "all rows are computed at once; the mask keeps each from seeing "
                                "what comes later"));
  g_signal_connect_swapped(self->training, "toggled", G_CALLBACK(regard_view_steps_show_rows),
                           self);
  gtk_box_append(GTK_BOX(box), self->heatmaps);
  gtk_box_append(GTK_BOX(box), self->training);
  return box;
}

/* The first words of what training is given: "start ▁Das ▁Ti …". */
static char *
dup_given(RegardSelection *s)
{
  mt_capture *capture = regard_selection_get_capture(s);
  const mt_tokens *input = capture ? mt_capture_decoder_input(capture) : NULL;
  GString *text = g_string_new(_("start"));

  for (gsize i = 1; input && i < MIN(mt_tokens_count(input), 4); i++)
    g_string_append_printf(text, " %s", mt_tokens_get(input, i)->piece);
  if (input && mt_tokens_count(input) > 4)
    g_string_append(text, " …");
  return g_string_free(text, FALSE);
}

void
regard_view_steps_show_rows(RegardViewSteps *self)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));
  RegardMatrix *m = regard_selection_get_matrix(s);
  const int step = regard_view_steps_get_step(self);
  const gboolean trains = gtk_check_button_get_active(GTK_CHECK_BUTTON(self->training));
  g_autofree char *now = NULL, *given = dup_given(s), *all = NULL;

  gtk_widget_set_visible(gtk_widget_get_parent(self->heatmap[1]), trains);
  for (guint i = 0; i < (trains ? 2 : 1); i++) {
    RegardHeatmap *heatmap = REGARD_HEATMAP(self->heatmap[i]);

    regard_heatmap_set_matrix(heatmap, m);
    regard_heatmap_set_colors(heatmap, regard_selection_get_scale(s),
                              m && m->lo < 0 ? NULL : regard_selection_get_colormap(s));
    regard_heatmap_set_computed(heatmap, i ? -1 : regard_selection_rows_computed(s, step));
  }
  if (!m)
    return;
  if (regard_selection_get_kind(s) == MT_ENCODER_SELF) {
    now =
        g_strdup_printf(_("%s: the encoder has read the source before the first step."), m->title);
    all = g_strdup(_("Training: the same."));
  } else {
    now = g_strdup_printf(_("%s: a row for each step so far; each sees only what is there."),
                          m->title);
    all = g_strdup_printf(_("Training: %u rows at once, given %s"), m->rows, given);
  }
  gtk_label_set_text(GTK_LABEL(self->caption[0]), now);
  gtk_label_set_text(GTK_LABEL(self->caption[1]), all);
}
