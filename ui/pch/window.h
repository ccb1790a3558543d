/* window.h — headers that the parts of the window begin with; see pictures.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <adwaita.h>
#include <glib/gi18n.h>
#include <json.h>
#include <math.h>
#include <mt.h>
#include <string.h>
