/* regard-badges.c — what was done to a matrix, word by word beside its title.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-badges.h"

#include <glib/gi18n.h>

/* What a badge means, where a word is not enough; NULL: it says all. */
static const char *
explain_badge(const char *badge)
{
  static const struct {
    const char *beginning, *meaning;
  } meanings[] = {
      {"merged",
       N_("The pieces of a word are one row or one column: the weights of keys are added, "
          "those of queries averaged")},
      {"special tokens hidden", N_("Rows and columns of special tokens, such as ⏎, are left out. "
                                   "Nothing is renormalised: bars beside the rows say how much of "
                                   "each is hidden")},
      {"mean of", N_("Each cell is the mean of these heads")},
      {"maximum of", N_("Each cell is the largest of these heads, so that rows need not sum to 1")},
      {"rows sum to 2:",
       N_("Each word looks at the source and at the translation before it, by two "
          "attentions whose weights sum to 1 each")},
      {"rows sum", N_("Rows of attention sum to 1; these do not, and are shown as they are")},
      {"changed:", N_("The model computed with this change, in all its layers that follow")},
  };

  for (guint i = 0; i < G_N_ELEMENTS(meanings); i++)
    if (g_str_has_prefix(badge, meanings[i].beginning))
      return _(meanings[i].meaning);
  return NULL;
}

void
regard_badges_show(GtkWidget *box, char **badges)
{
  GtkWidget *child;

  gtk_widget_set_visible(box, badges && *badges); /* an empty box would have room beside it */
  while ((child = gtk_widget_get_first_child(box)))
    gtk_box_remove(GTK_BOX(box), child);
  for (; badges && *badges; badges++) {
    child = gtk_label_new(*badges);
    gtk_widget_add_css_class(child, "regard-badge");
    gtk_widget_set_valign(child, GTK_ALIGN_CENTER);
    gtk_label_set_ellipsize(GTK_LABEL(child), PANGO_ELLIPSIZE_END);
    gtk_widget_set_tooltip_text(child, explain_badge(*badges));
    gtk_box_append(GTK_BOX(box), child);
  }
}
