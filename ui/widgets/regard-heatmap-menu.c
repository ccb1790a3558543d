/* regard-heatmap-menu.c — the context menu of the large picture.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-heatmap-menu.h"

#include "widgets/regard-figure-menu.h"
#include <glib/gi18n.h>
#include <string.h>

static const struct {
  const char *label, *action; /* label NULL: another section begins; numbers: of the cell */
} entries[] = {
    {N_("_Keep This Cell"), "picture.keep((%d,%d))"},
    {N_("_Let Go"), "win.let-go"},
    {NULL, NULL},
    {N_("Set the _Weight…"), "weights.set((%d,%d))"},
    {N_("_Hide This Key from This Query"), "weights.hide((%d,%d))"},
    {N_("Hide This Key from _All Queries"), "weights.hide-key((%d,%d))"},
    {N_("_Restore"), "weights.restore((%d,%d))"},
    {NULL, NULL},
    {N_("_Copy Picture"), "win.copy"},
    {N_("Copy _Values (CSV)"), "win.copy-values"},
    {N_("Copy C_aption"), "win.copy-caption"},
    {N_("_Export…"), "win.export"},
    {NULL, NULL},
    {N_("_Next Head"), "win.step-head(1)"},
    {N_("_Previous Head"), "win.step-head(-1)"},
    {N_("_Switch the Head Off, or On Again"), "win.switch-head"},
    {NULL, NULL},
    {N_("_What Does This Show?"), "win.legend"},
};

static GMenuModel *
create_menu(int row, int col, gboolean has_weights)
{
  GMenu *menu = g_menu_new(), *section = g_menu_new();
  for (guint i = 0; i < G_N_ELEMENTS(entries); i++) {
    if (!entries[i].label) {
      g_menu_append_section(menu, NULL, G_MENU_MODEL(section));
      g_object_unref(section);
      section = g_menu_new();
      continue;
    }
    const char *numbers = strchr(entries[i].action, '(');
    gboolean is_cell = numbers && g_str_has_prefix(numbers, "((");
    gboolean is_weight = g_str_has_prefix(entries[i].action, "weights.");
    g_autofree char *of_cell =
        is_cell ? g_strdup_printf("%.*s((%d,%d))", (int) (numbers - entries[i].action),
                                  entries[i].action, row, col)
                : NULL;
    if (is_weight && (row < 0 || col < 0 || !has_weights))
      continue;
    if (!is_cell || row >= 0 || col >= 0)
      g_menu_append(section, _(entries[i].label), is_cell ? of_cell : entries[i].action);
  }
  g_menu_append_section(menu, NULL, G_MENU_MODEL(section));
  g_object_unref(section);
  return G_MENU_MODEL(menu);
}

static void
open_at(RegardHeatmap *heatmap, double x, double y, int row, int col)
{
  g_autoptr(GMenuModel) menu = create_menu(row, col, regard_heatmap_is_editable(heatmap));
  GtkWidget *popover = gtk_popover_menu_new_from_model(menu);
  gtk_popover_set_has_arrow(GTK_POPOVER(popover), FALSE);
  gtk_popover_set_pointing_to(GTK_POPOVER(popover), &(GdkRectangle){(int) x, (int) y, 1, 1});
  gtk_widget_set_halign(popover, GTK_ALIGN_START);
  regard_popover_attach(popover, GTK_WIDGET(heatmap));
  gtk_popover_popup(GTK_POPOVER(popover));
}

static void
on_pressed(RegardHeatmap *heatmap, int n_press, double x, double y)
{
  int row = -1, col = -1;
  if (!regard_heatmap_get_matrix(heatmap))
    return;
  gtk_widget_grab_focus(GTK_WIDGET(heatmap));
  regard_heatmap_cell_at(heatmap, x, y, &row, &col);
  open_at(heatmap, x, y, row, col);
}

static gboolean
on_key(RegardHeatmap *heatmap, guint keyval, guint keycode, GdkModifierType state)
{
  gboolean is_menu = keyval == GDK_KEY_Menu || (keyval == GDK_KEY_F10 && (state & GDK_SHIFT_MASK));
  graphene_rect_t rect;
  int row, col;
  if (!is_menu || !regard_heatmap_get_matrix(heatmap))
    return FALSE;
  regard_heatmap_get_pin(heatmap, &row, &col);
  double x = gtk_widget_get_width(GTK_WIDGET(heatmap)) / 2.0;
  double y = gtk_widget_get_height(GTK_WIDGET(heatmap)) / 2.0;
  if (row >= 0 && col >= 0 && regard_heatmap_get_cell_rect(heatmap, row, col, &rect)) {
    x = rect.origin.x + rect.size.width / 2;
    y = rect.origin.y + rect.size.height / 2;
  }
  open_at(heatmap, x, y, row, col);
  return TRUE;
}

/* As if the person had clicked there. */
static void
keep(GSimpleAction *action, GVariant *parameter, gpointer heatmap)
{
  int row, col;
  g_variant_get(parameter, "(ii)", &row, &col);
  regard_heatmap_set_pin(heatmap, row, col);
  g_signal_emit_by_name(heatmap, "pin-changed", row, col);
}

void
regard_heatmap_add_menu(RegardHeatmap *heatmap)
{
  g_autoptr(GSimpleActionGroup) group = g_simple_action_group_new();
  const GActionEntry actions[] = {{"keep", keep, "(ii)", NULL, NULL, {0}}};
  g_action_map_add_action_entries(G_ACTION_MAP(group), actions, G_N_ELEMENTS(actions), heatmap);
  gtk_widget_insert_action_group(GTK_WIDGET(heatmap), "picture", G_ACTION_GROUP(group));

  GtkGesture *click = gtk_gesture_click_new();
  gtk_event_controller_set_name(GTK_EVENT_CONTROLLER(click), "menu");
  gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(click), GDK_BUTTON_SECONDARY);
  g_signal_connect_swapped(click, "pressed", G_CALLBACK(on_pressed), heatmap);
  gtk_widget_add_controller(GTK_WIDGET(heatmap), GTK_EVENT_CONTROLLER(click));
  GtkEventController *keys = gtk_event_controller_key_new();
  gtk_event_controller_set_name(keys, "menu-key");
  g_signal_connect_swapped(keys, "key-pressed", G_CALLBACK(on_key), heatmap);
  gtk_widget_add_controller(GTK_WIDGET(heatmap), keys);
}
