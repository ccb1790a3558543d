/* pictures.h — headers that what draws, and what is a command, begins with: read once for a whole
 * library.
 *
 * Every file includes what it needs all the same: without -Db_pch=true this is not there.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <json.h>
#include <math.h>
#include <mt.h>
#include <pango/pangocairo.h>
#include <string.h>
