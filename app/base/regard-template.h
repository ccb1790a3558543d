/* regard-template.h — classes of widgets whose children stand in a file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* A child by its name in the file, and where the widget keeps it. */
typedef struct {
  const char *name;
  gssize offset;
} RegardTemplateChild;
#define REGARD_TEMPLATE_CHILD(Type, name) \
  {                                       \
#name, G_STRUCT_OFFSET(Type, name)    \
  }

/* Reads the template of a class from the program's resources: file, as "regard-window.ui". children
 * end where a name is NULL. Call it in class_init. */
void regard_set_template(gpointer klass, const char *file, const RegardTemplateChild *children);

G_END_DECLS
