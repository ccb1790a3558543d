/* tests.h — headers that tests without a window begin with; see ui/pch/pictures.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <math.h>
#include <mt.h>
#include <string.h>
