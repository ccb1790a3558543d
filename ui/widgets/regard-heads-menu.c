/* regard-heads-menu.c — what can be done to a head, its layer, and its number in all layers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-change-edit.h"
#include "widgets/regard-figure-menu.h"
#include "widgets/regard-heads-private.h"

#include <glib/gi18n.h>
#include <string.h>

char *
regard_heads_line(RegardHeadsPlace place, int layer, int head, const char *how)
{
  g_autofree char *layers = layer < 0 ? g_strdup("*") : g_strdup_printf("%d", layer + 1);
  g_autofree char *heads = head < 0 ? g_strdup("*") : g_strdup_printf("%d", head + 1);
  return g_strdup_printf("%s %s.%s %s", regard_kind_id(regard_kinds_in_order[place.grid]), layers,
                         heads, how);
}

static char *
how_of(const RegardHeadChange *change)
{
  return g_strdup_printf("%s%s%s", change->how, *change->number ? " " : "", change->number);
}

/* Chosen in the menu: the state of the action is what the head is, so that the menu shows it. */
static void
set_change(GSimpleAction *action, GVariant *value, gpointer heads)
{
  const char *line = g_variant_get_string(value, NULL);
  const gboolean is_on = g_str_has_suffix(line, " on");
  g_autofree char *any =
      is_on ? g_strdup_printf("%.*s zero", (int) strlen(line) - 3, line) : g_strdup(line);
  gtk_widget_activate_action(GTK_WIDGET(heads), is_on ? "win.restore-change" : "win.make-change",
                             "s", any);
}

static GMenu *
create_choices(RegardHeadsPlace place, int layer, int head)
{
  const gboolean is_one = layer >= 0 && head >= 0;
  GMenu *menu = g_menu_new();
  guint n;
  const RegardHeadChange *changes = regard_head_changes(&n);
  for (guint i = 0; i <= n; i++) {
    g_autofree char *how = i ? how_of(&changes[i - 1]) : g_strdup("on");
    g_autofree char *line = regard_heads_line(place, layer, head, how);
    g_autoptr(GMenuItem) item = g_menu_item_new(i ? _(changes[i - 1].label) : _("_On"), NULL);
    /* The mean of a text is there where a file of means is. */
    const gboolean is_mean = i && g_str_equal(changes[i - 1].how, "mean");
    /* A decoder's mask has no next token. */
    if (i && g_str_equal(changes[i - 1].how, "next") &&
        regard_kinds_in_order[place.grid] == MT_DECODER_SELF)
      continue;
    g_menu_item_set_action_and_target(item,
                                      is_mean  ? "win.make-mean"
                                      : is_one ? "heads.change"
                                               : "heads.change-all",
                                      "s", line);
    if (is_mean)
      g_menu_item_set_attribute(item, "hidden-when", "s", "action-disabled");
    g_menu_append_item(menu, item);
  }
  return menu;
}

static void
append_all(GMenu *menu, const char *label, RegardHeadsPlace place, int layer, int head)
{
  g_autoptr(GMenu) choices = create_choices(place, layer, head);
  g_menu_append_submenu(menu, label, G_MENU_MODEL(choices));
}

/* "cross 4.1 scale 0.5", as the items of the menu have it; "… on" for one that is as trained. */
static char *
line_now(RegardHeads *self, RegardHeadsPlace place)
{
  const mt_changes *changes = mt_capture_changes(regard_selection_get_capture(self->selection));
  g_autofree char *how = NULL;
  mt_change_row row;
  if (!regard_changes_of_head(changes, regard_kinds_in_order[place.grid], place.layer, place.head,
                              &row))
    how = g_strdup("on");
  else if (row.n_numbers > 0)
    how = g_strdup_printf("%s %g", row.how, row.numbers[0]);
  else
    how = g_strdup(row.how);
  return regard_heads_line(place, (int) place.layer, (int) place.head, how);
}

void
regard_heads_open_menu(RegardHeads *self, RegardHeadsPlace place, double x, double y)
{
  g_autoptr(GMenu) menu = g_menu_new(), all = g_menu_new(), more = g_menu_new();
  g_autoptr(GMenu) here = create_choices(place, (int) place.layer, (int) place.head);
  g_autofree char *now = line_now(self, place);
  g_autofree char *layer = g_strdup_printf(_("All Heads of _Layer %u"), place.layer + 1);
  g_autofree char *head = g_strdup_printf(_("Head %u of _All Layers"), place.head + 1);

  g_simple_action_set_state(self->change, g_variant_new_string(now));
  append_all(all, layer, place, (int) place.layer, -1);
  append_all(all, head, place, -1, (int) place.head);
  g_menu_append(all, _("_Reset All Changes"), "win.reset-changes");
  g_menu_append(more, _("_Copy Picture"), "win.copy");
  g_menu_append(more, _("_Export…"), "win.export");
  g_menu_append(more, _("_What Does This Show?"), "win.legend");
  g_menu_append_section(menu, NULL, G_MENU_MODEL(here));
  g_menu_append_section(menu, NULL, G_MENU_MODEL(all));
  g_menu_append_section(menu, NULL, G_MENU_MODEL(more));
  regard_menu_popup_at(GTK_WIDGET(self), x, y, G_MENU_MODEL(menu));
}

static void
set_all(GSimpleAction *action, GVariant *parameter, gpointer heads)
{
  set_change(action, parameter, heads);
}

void
regard_heads_add_menu(RegardHeads *self)
{
  const GActionEntry entries[] = {{"change", NULL, "s", "''", set_change, {0}},
                                  {"change-all", set_all, "s", NULL, NULL, {0}}};
  g_autoptr(GSimpleActionGroup) group = g_simple_action_group_new();
  g_action_map_add_action_entries(G_ACTION_MAP(group), entries, G_N_ELEMENTS(entries), self);
  self->change = G_SIMPLE_ACTION(g_action_map_lookup_action(G_ACTION_MAP(group), "change"));
  gtk_widget_insert_action_group(GTK_WIDGET(self), "heads", G_ACTION_GROUP(group));
}
