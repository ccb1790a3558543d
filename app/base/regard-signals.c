/* regard-signals.c — signals of objects: how they are declared and observed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/regard-signals.h"

void
regard_add_signal(gpointer klass, const char *name, guint n, ...)
{
  va_list types;
  va_start(types, n);
  g_signal_new_valist(name, G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, NULL, NULL, NULL, NULL,
                      G_TYPE_NONE, n, types);
  va_end(types);
}

void
regard_observe_signals(gpointer object, gpointer observer, GCallback handler, ...)
{
  va_list names;
  const char *name;
  va_start(names, handler);
  while ((name = va_arg(names, const char *)))
    g_signal_connect_object(object, name, handler, observer, G_CONNECT_SWAPPED);
  va_end(names);
}
