/* regard-view-registry.c — the lists of the window's pages and of the panes of the page
 * Measure, in the order of their switchers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Adding a view: write ui/views/regard-view-<id>.c, or ui/views/measure/regard-pane-<id>.c for a
 * pane of the page Measure; name it in ui/meson.build, and add one row here.
 */
#include "views/regard-view.h"
#include <glib/gi18n.h>

/*        id            title              icon                     type */
#define REGARD_VIEWS(V)                                                                       \
  V("attention", N_("Attention"), "view-grid-symbolic", regard_view_attention_get_type)       \
  V("inside", N_("Inside"), "accessories-calculator-symbolic", regard_view_inside_get_type)   \
  V("layers", N_("Layers"), "view-paged-symbolic", regard_view_layers_get_type)               \
  V("steps", N_("Steps"), "media-seek-forward-symbolic", regard_view_steps_get_type)          \
  V("positions", N_("Positions"), "view-continuous-symbolic", regard_view_positions_get_type) \
  V("heads", N_("Heads"), "view-list-symbolic", regard_view_heads_get_type)                   \
  V("measure", N_("Measure"), "regard-measure-symbolic", regard_view_measure_get_type)

#define REGARD_MEASURE_PANES(P)                                                                  \
  P("heads", N_("Heads"), "view-list-symbolic", regard_pane_heads_get_type)                      \
  P("alignment", N_("Alignment"), "insert-link-symbolic", regard_pane_alignment_get_type)        \
  P("attributions", N_("Attributions"), "view-list-symbolic", regard_pane_attributions_get_type) \
  P("quality", N_("Quality"), "x-office-document-symbolic", regard_pane_quality_get_type)

#define DECLARE(id, title, icon, type) GType type(void);
REGARD_VIEWS(DECLARE)
REGARD_MEASURE_PANES(DECLARE)

#define ROW(id, title, icon, type) {id, title, icon, type},

const RegardViewInfo *
regard_view_registry(guint *n)
{
  static const RegardViewInfo views[] = {REGARD_VIEWS(ROW)};

  *n = G_N_ELEMENTS(views);
  return views;
}

const RegardViewInfo *
regard_measure_panes(guint *n)
{
  static const RegardViewInfo panes[] = {REGARD_MEASURE_PANES(ROW)};

  *n = G_N_ELEMENTS(panes);
  return panes;
}
