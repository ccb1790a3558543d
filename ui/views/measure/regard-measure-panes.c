/* regard-measure-panes.c — the list of the panes of the page Measure, in the order of its switcher.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Adding a pane: write ui/views/measure/regard-pane-<id>.c, name it in ui/meson.build, add one row
 * here.
 */
#include "views/measure/regard-measure-pane.h"
#include <glib/gi18n.h>

/*        id       title        icon                     type */
#define REGARD_MEASURE_PANES(P)                                                                  \
  P("heads", N_("Heads"), "view-list-symbolic", regard_pane_heads_get_type)                      \
  P("alignment", N_("Alignment"), "insert-link-symbolic", regard_pane_alignment_get_type)        \
  P("attributions", N_("Attributions"), "view-list-symbolic", regard_pane_attributions_get_type) \
  P("quality", N_("Quality"), "x-office-document-symbolic", regard_pane_quality_get_type)

#define DECLARE(id, title, icon, type) GType type(void);
REGARD_MEASURE_PANES(DECLARE)

const RegardViewInfo *
regard_measure_panes(guint *n)
{
#define ROW(id, title, icon, type) {id, title, icon, type},
  static const RegardViewInfo panes[] = {REGARD_MEASURE_PANES(ROW)};

  *n = G_N_ELEMENTS(panes);
  return panes;
}
