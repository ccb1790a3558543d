/* regard-view-steps-choose.c — to choose otherwise: the page asks, the document does it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "views/regard-view-steps-private.h"

#include <glib/gi18n.h>

static const mt_constraints *
constraints_of(const RegardSteps *steps)
{
  const mt_request *search = steps ? mt_translation_search(steps->translation) : NULL;
  return search ? search->constraints : NULL;
}

gboolean
regard_view_steps_is_constrained(RegardViewSteps *self)
{
  return self->steps && !mt_constraints_is_empty(constraints_of(self->steps));
}

mt_constraints *
regard_view_steps_new_constraints(RegardViewSteps *self, const int32_t *ids, gsize n,
                                  int32_t forbidden)
{
  const int step = regard_view_steps_get_step(self);
  gsize n_old;
  const mt_forbidden *old = mt_constraints_forbidden(constraints_of(self->steps), &n_old);
  g_autoptr(GArray) prefix = g_array_new(FALSE, FALSE, sizeof(int32_t));
  g_autoptr(GArray) lists = g_array_new(FALSE, FALSE, sizeof(mt_forbidden));
  const mt_forbidden own = {(gsize) step, &forbidden, 1};
  mt_error error = {0};

  if (step < 0)
    return NULL;
  for (int t = 0; t < step; t++)
    g_array_append_val(prefix,
                       mt_steps_node(self->steps->steps, (gsize) self->steps->nodes[t])->id);
  g_array_append_vals(prefix, ids, (guint) n);
  /* What is within the prefix is decided. */
  for (gsize i = 0; i < n_old; i++)
    if (old[i].step == MT_EVERY_STEP || old[i].step + old[i].n > prefix->len)
      g_array_append_val(lists, old[i]);
  if (forbidden >= 0)
    g_array_append_val(lists, own);
  return regard_view_steps_with_terms(self, mt_constraints_new((const int32_t *) prefix->data,
                                                               prefix->len,
                                                               (const mt_forbidden *) lists->data,
                                                               lists->len, &error));
}

mt_constraints *
regard_view_steps_with_terms(RegardViewSteps *self, mt_constraints *constraints)
{
  gsize n;
  const mt_term *terms = mt_constraints_terms(constraints_of(self->steps), &n);
  mt_error error = {0};
  mt_constraints *with;

  if (n == 0 || !constraints)
    return constraints;
  with = mt_constraints_with_terms(constraints, terms, n, &error);
  mt_constraints_unref(constraints);
  return with;
}

static void
want(RegardViewSteps *self, mt_constraints *constraints)
{
  if (constraints)
    regard_selection_want_constraints(regard_view_get_selection(REGARD_VIEW(self)), constraints);
  mt_constraints_unref(constraints);
}

void
regard_view_steps_go_on(RegardViewSteps *self, const int32_t *ids, gsize n)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));

  if (!self->steps)
    return;
  /* One goes on reading where one chose. */
  regard_selection_set_step(s, regard_view_steps_get_step(self));
  want(self, regard_view_steps_new_constraints(self, ids, n, -1));
}

void
regard_view_steps_forbid(RegardViewSteps *self, int32_t id)
{
  RegardSelection *s = regard_view_get_selection(REGARD_VIEW(self));

  if (!self->steps)
    return;
  regard_selection_set_step(s, regard_view_steps_get_step(self));
  want(self, regard_view_steps_new_constraints(self, NULL, 0, id));
}

void
regard_view_steps_let_go(RegardViewSteps *self)
{
  mt_error error = {0};

  want(self, mt_constraints_new(NULL, 0, NULL, 0, &error));
}

/* ---- The menu ---------------------------------------------------------------------------------
 */

static void
on_go_on(GSimpleAction *action, GVariant *id, gpointer data)
{
  const int32_t token = g_variant_get_int32(id);

  regard_view_steps_go_on(data, &token, 1);
}

static void
on_forbid(GSimpleAction *action, GVariant *id, gpointer data)
{
  regard_view_steps_forbid(data, g_variant_get_int32(id));
}

static void
on_contrast(GSimpleAction *action, GVariant *id, gpointer data)
{
  RegardViewSteps *self = data;

  regard_view_steps_set_against(self, g_variant_get_int32(id));
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(self->show_heads), TRUE);
}

static void
append(GMenu *menu, const char *format, const char *piece, const char *action, int32_t id)
{
  g_autofree char *label = g_strdup_printf(format, piece);
  g_autoptr(GMenuItem) item = g_menu_item_new(NULL, NULL);

  g_menu_item_set_label(item, label);
  g_menu_item_set_action_and_target(item, action, "i", id);
  g_menu_append_item(menu, item);
}

/* What the area's own menu has more than others, for a spot. */
static GMenuModel *
make_menu(RegardFigureArea *area, const RegardSpot *spot, RegardViewSteps *self)
{
  GMenu *menu;
  g_autofree char *piece = NULL;
  int32_t chosen;

  if (!self->steps || spot->part != REGARD_STEPS_SPOT_CANDIDATE)
    return NULL;
  chosen = mt_steps_node(self->steps->steps,
                         (gsize) self->steps->nodes[regard_view_steps_get_step(self)])
               ->id;
  menu = g_menu_new();
  piece = regard_steps_dup_piece(self->steps, spot->col);
  append(menu, _("_Go On with “%s”"), piece, "steps.go-on", spot->col);
  append(menu, _("_Forbid “%s” Here"), piece, "steps.forbid", spot->col);
  if (spot->col != chosen)
    append(menu, _("_Which Head Chose Otherwise than “%s”"), piece, "steps.contrast", spot->col);
  return G_MENU_MODEL(menu);
}

void
regard_view_steps_add_menu(RegardViewSteps *self)
{
  static const GActionEntry entries[] = {{"go-on", on_go_on, "i", NULL, NULL, {0}},
                                         {"forbid", on_forbid, "i", NULL, NULL, {0}},
                                         {"contrast", on_contrast, "i", NULL, NULL, {0}}};
  g_autoptr(GSimpleActionGroup) group = g_simple_action_group_new();

  g_action_map_add_action_entries(G_ACTION_MAP(group), entries, G_N_ELEMENTS(entries), self);
  gtk_widget_insert_action_group(GTK_WIDGET(self), "steps", G_ACTION_GROUP(group));
  g_signal_connect_object(self->candidates, "menu-wanted", G_CALLBACK(make_menu), self, 0);
}
