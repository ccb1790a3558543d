/* regard-template.c — classes of widgets whose children stand in a file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/regard-template.h"

void
regard_set_template(gpointer klass, const char *file, const RegardTemplateChild *children)
{
  g_autofree char *path = g_strconcat("/io/github/regard/Regard/", file, NULL);
  gtk_widget_class_set_template_from_resource(klass, path);
  for (; children->name; children++)
    gtk_widget_class_bind_template_child_full(klass, children->name, FALSE, children->offset);
}
