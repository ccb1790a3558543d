/* widgets.h — headers that widgets begin with; see pictures.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gtk/gtk.h>
#include <json.h>
#include <math.h>
#include <mt.h>
#include <string.h>
