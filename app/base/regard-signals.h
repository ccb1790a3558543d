/* regard-signals.h — signals of objects: how they are declared and observed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

/* Declares a signal of a class, of n parameters whose types follow. It is emitted by its name. */
void regard_add_signal(gpointer klass, const char *name, guint n, ...);

/* Calls handler(observer, what the signal passes on …) at each of these signals of an object, as
 * long as both live. */
#define regard_observe(object, observer, handler, ...) \
  regard_observe_signals((object), (observer), G_CALLBACK(handler), __VA_ARGS__, NULL)
void regard_observe_signals(gpointer object, gpointer observer, GCallback handler,
                            ...) G_GNUC_NULL_TERMINATED;

G_END_DECLS
