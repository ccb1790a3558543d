/* regard-talk-panel.c — the slides of a talk in a list.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The pictures are unpacked one after the other, while nothing else is to be done, and kept as long
 * as their slides are there.
 */
#include "talk/regard-talk-panel.h"

#include "talk/regard-talk-texture.h"
#include "widgets/regard-gtk.h"

#include <glib/gi18n.h>

#define WIDTH          220
#define PICTURE        176
#define PICTURE_HEIGHT 116

struct _RegardTalkPanel {
  GtkWidget parent_instance;
  GtkWidget *box, *empty, *record, *give;
  GtkLabel *title;
  GtkListBox *list;
  GtkWidget *scroller;
  RegardTalk *talk;     /* NULL: none was set yet */
  GHashTable *textures; /* GBytes of a state to GdkTexture */
  guint loading;        /* idle */
};

G_DEFINE_FINAL_TYPE(RegardTalkPanel, regard_talk_panel, GTK_TYPE_WIDGET)

/* ---- Rows ------------------------------------------------------------------------------------ */

static GMenuModel *
new_menu(guint slide, guint n)
{
  const struct {
    const char *label, *action;
    GVariant *target;
    gboolean is_there;
  } items[] = {
      {N_("_Edit…"), "win.edit-slide", g_variant_new_uint32(slide), TRUE},
      {N_("Move _Up"), "win.move-slide", g_variant_new("(uu)", slide, slide - 1), slide > 0},
      {N_("Move _Down"), "win.move-slide", g_variant_new("(uu)", slide, slide + 1), slide + 1 < n},
      {N_("_Delete"), "win.remove-slide", g_variant_new_uint32(slide), TRUE},
  };
  GMenu *menu = g_menu_new();
  for (guint i = 0; i < G_N_ELEMENTS(items); i++) {
    g_autoptr(GVariant) target = g_variant_ref_sink(items[i].target);
    g_autoptr(GMenuItem) item = g_menu_item_new(_(items[i].label), NULL);
    g_menu_item_set_action_and_target_value(item, items[i].action, target);
    if (items[i].is_there)
      g_menu_append_item(menu, item);
  }
  return G_MENU_MODEL(menu);
}

/* A row that is drawn onto another takes its place. */
static GdkContentProvider *
on_drag(GtkDragSource *source, double x, double y, GtkWidget *row)
{
  return gdk_content_provider_new_typed(G_TYPE_INT,
                                        gtk_list_box_row_get_index(GTK_LIST_BOX_ROW(row)));
}

static gboolean
on_drop(GtkDropTarget *target, const GValue *value, double x, double y, GtkWidget *row)
{
  const int from = g_value_get_int(value), to = gtk_list_box_row_get_index(GTK_LIST_BOX_ROW(row));
  if (from != to)
    gtk_widget_activate_action(row, "win.move-slide", "(uu)", (guint) from, (guint) to);
  return TRUE;
}

static void
add_drag(GtkWidget *row)
{
  GtkDragSource *source = gtk_drag_source_new();
  GtkDropTarget *target = gtk_drop_target_new(G_TYPE_INT, GDK_ACTION_MOVE);
  gtk_drag_source_set_actions(source, GDK_ACTION_MOVE);
  g_signal_connect(source, "prepare", G_CALLBACK(on_drag), row);
  g_signal_connect(target, "drop", G_CALLBACK(on_drop), row);
  gtk_widget_add_controller(row, GTK_EVENT_CONTROLLER(source));
  gtk_widget_add_controller(row, GTK_EVENT_CONTROLLER(target));
}

static GtkWidget *
new_row(RegardTalkPanel *self, guint slide)
{
  const RegardLessonStep *step = regard_talk_slide(self->talk, slide);
  const guint n = regard_talk_n_slides(self->talk);
  GtkWidget *row = gtk_list_box_row_new(), *column = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4);
  GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *picture = gtk_picture_new(), *menu = gtk_menu_button_new();
  g_autofree char *number = g_strdup_printf("%u", slide + 1);
  g_autofree char *said = g_strdup_printf(_("Slide %u of %u: %s"), slide + 1, n, step->title);
  g_autofree char *menu_said = g_strdup_printf(_("What to do with slide %u"), slide + 1);
  g_autoptr(GMenuModel) model = new_menu(slide, n);
  GtkWidget *title =
      regard_label_new(step->title, REGARD_LABEL_START | REGARD_LABEL_ELLIPSIZE, NULL);
  gtk_label_set_wrap(GTK_LABEL(title), TRUE);
  gtk_label_set_wrap_mode(GTK_LABEL(title), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_lines(GTK_LABEL(title), 2);
  gtk_widget_set_hexpand(title, TRUE);
  gtk_widget_set_tooltip_text(title, step->title);
  gtk_picture_set_can_shrink(GTK_PICTURE(picture), FALSE);
  gtk_widget_set_halign(picture, GTK_ALIGN_CENTER);
  gtk_widget_set_visible(picture, FALSE);
  gtk_widget_add_css_class(picture, "talk-picture");
  gtk_menu_button_set_icon_name(GTK_MENU_BUTTON(menu), "view-more-symbolic");
  gtk_menu_button_set_menu_model(GTK_MENU_BUTTON(menu), model);
  gtk_widget_add_css_class(menu, "flat");
  gtk_widget_set_tooltip_text(menu, menu_said);
  GtkWidget *which = regard_label_new(number, 0, "dim-label");
  gtk_widget_set_valign(which, GTK_ALIGN_BASELINE);
  gtk_widget_set_valign(title, GTK_ALIGN_BASELINE);
  gtk_widget_set_valign(menu, GTK_ALIGN_START);
  regard_box_append(line, which, title, menu, NULL);
  regard_box_append(column, line, picture, NULL);
  gtk_list_box_row_set_child(GTK_LIST_BOX_ROW(row), column);
  g_object_set_data(G_OBJECT(row), "picture", picture);
  regard_accessible_set_label(row, said);
  add_drag(row);
  return row;
}

/* ---- Pictures -------------------------------------------------------------------------------- */

static void
show_selected(RegardTalkPanel *self)
{
  GtkListBoxRow *row = gtk_list_box_get_selected_row(self->list);
  graphene_rect_t bounds;
  if (row && gtk_widget_compute_bounds(GTK_WIDGET(row), GTK_WIDGET(row), &bounds))
    regard_widget_scroll_to(GTK_WIDGET(row), &bounds);
}

static gboolean
load_next(gpointer data)
{
  RegardTalkPanel *self = data;
  for (guint i = 0; i < regard_talk_n_slides(self->talk); i++) {
    GtkListBoxRow *row = gtk_list_box_get_row_at_index(self->list, (int) i);
    GtkWidget *picture = g_object_get_data(G_OBJECT(row), "picture");
    GBytes *state = regard_talk_get_state(self->talk, i);
    if (!state || gtk_picture_get_paintable(GTK_PICTURE(picture)))
      continue;
    GdkTexture *texture = g_hash_table_lookup(self->textures, state);
    const gboolean is_new = !texture;
    if (is_new && !g_hash_table_contains(self->textures, state)) {
      texture = regard_talk_create_texture(self->talk, i, PICTURE, PICTURE_HEIGHT);
      g_hash_table_insert(self->textures, g_bytes_ref(state), texture);
    }
    if (!texture)
      continue;
    gtk_picture_set_paintable(GTK_PICTURE(picture), GDK_PAINTABLE(texture));
    gtk_widget_set_visible(picture, TRUE);
    if (is_new)
      return G_SOURCE_CONTINUE;
  }
  self->loading = 0;
  show_selected(self);
  return G_SOURCE_REMOVE;
}

static gboolean
is_gone(gpointer state, gpointer texture, gpointer user)
{
  const RegardTalk *talk = user;
  for (guint i = 0; i < regard_talk_n_slides(talk); i++)
    if (regard_talk_get_state(talk, i) == state)
      return FALSE;
  return TRUE;
}

static void
texture_free(gpointer texture)
{
  if (texture)
    g_object_unref(texture);
}

/* ---- The list -------------------------------------------------------------------------------- */

guint
regard_talk_panel_get_selected(RegardTalkPanel *self)
{
  GtkListBoxRow *row = gtk_list_box_get_selected_row(self->list);
  return row ? (guint) gtk_list_box_row_get_index(row) : 0;
}

static void
on_row(RegardTalkPanel *self, GtkListBoxRow *row)
{
  gtk_widget_activate_action(GTK_WIDGET(self), "win.show-slide", "u",
                             (guint) gtk_list_box_row_get_index(row));
}

static gboolean
move_by(RegardTalkPanel *self, guint slide, int by)
{
  const guint n = regard_talk_n_slides(self->talk);
  if (by < 0 ? slide == 0 : slide + 1 >= n)
    return TRUE;
  gtk_widget_activate_action(GTK_WIDGET(self), "win.move-slide", "(uu)", slide,
                             by < 0 ? slide - 1 : slide + 1);
  return TRUE;
}

static gboolean
on_key(RegardTalkPanel *self, guint keyval, guint keycode, GdkModifierType state)
{
  const GdkModifierType modifiers = state & gtk_accelerator_get_default_mod_mask();
  GtkListBoxRow *row = gtk_list_box_get_selected_row(self->list);
  const guint slide = regard_talk_panel_get_selected(self), key = regard_plain_key(keyval);
  if (!row)
    return FALSE;
  if (modifiers == GDK_CONTROL_MASK && (key == GDK_KEY_Up || key == GDK_KEY_Down))
    return move_by(self, slide, key == GDK_KEY_Up ? -1 : 1);
  if (modifiers || (key != GDK_KEY_Delete && key != GDK_KEY_F2))
    return FALSE;
  gtk_widget_activate_action(GTK_WIDGET(self),
                             key == GDK_KEY_F2 ? "win.edit-slide" : "win.remove-slide", "u", slide);
  return TRUE;
}

void
regard_talk_panel_set_talk(RegardTalkPanel *self, RegardTalk *talk, const char *name,
                           guint selected)
{
  const guint n = regard_talk_n_slides(talk);
  GtkWidget *row, *focus = gtk_root_get_focus(gtk_widget_get_root(GTK_WIDGET(self)));
  const gboolean had_focus = focus && gtk_widget_is_ancestor(focus, GTK_WIDGET(self->list));
  regard_talk_ref(talk);
  regard_talk_unref(self->talk);
  self->talk = talk;
  g_hash_table_foreach_remove(self->textures, is_gone, talk);
  while ((row = gtk_widget_get_first_child(GTK_WIDGET(self->list))))
    gtk_list_box_remove(self->list, row);
  for (guint i = 0; i < n; i++)
    gtk_list_box_append(self->list, new_row(self, i));
  regard_accessible_name_inner_buttons(GTK_WIDGET(self->list));
  gtk_label_set_label(self->title, name ? name : _("New Talk"));
  gtk_widget_set_visible(self->scroller, n > 0);
  gtk_widget_set_visible(self->empty, n == 0);
  gtk_widget_set_sensitive(self->give, n > 0);
  GtkListBoxRow *chosen =
      n ? gtk_list_box_get_row_at_index(self->list, (int) MIN(selected, n - 1)) : NULL;
  if (chosen)
    gtk_list_box_select_row(self->list, chosen);
  if (had_focus)
    regard_talk_panel_focus(self);
  if (!self->loading)
    self->loading = g_idle_add_full(G_PRIORITY_LOW, load_next, self, NULL);
}

void
regard_talk_panel_focus(RegardTalkPanel *self)
{
  GtkListBoxRow *row = gtk_list_box_get_selected_row(self->list);
  gtk_widget_grab_focus(row ? GTK_WIDGET(row) : self->record);
}

/* ---- The object ------------------------------------------------------------------------------ */

static GtkWidget *
new_talk_menu(void)
{
  static const struct {
    const char *label, *action;
  } items[] = {
      {N_("_Open Talk…"), "win.open-talk"},
      {N_("_Save Talk As…"), "win.save-talk-as"},
      {N_("_Handout as PDF…"), "win.save-handout"},
      {N_("_Close Talk"), "win.close-talk"},
  };
  GtkWidget *button = gtk_menu_button_new();
  g_autoptr(GMenu) menu = g_menu_new();
  for (guint i = 0; i < G_N_ELEMENTS(items); i++)
    g_menu_append(menu, _(items[i].label), items[i].action);
  gtk_menu_button_set_icon_name(GTK_MENU_BUTTON(button), "view-more-symbolic");
  gtk_menu_button_set_menu_model(GTK_MENU_BUTTON(button), G_MENU_MODEL(menu));
  gtk_widget_add_css_class(button, "flat");
  gtk_widget_set_tooltip_text(button, _("Talk: open, save, handout"));
  return button;
}

static GtkWidget *
new_button(const char *label, const char *action, const char *tooltip)
{
  GtkWidget *button = gtk_button_new_with_mnemonic(label);
  gtk_actionable_set_action_name(GTK_ACTIONABLE(button), action);
  gtk_widget_set_tooltip_text(button, tooltip);
  gtk_widget_set_hexpand(button, TRUE);
  return button;
}

static void
regard_talk_panel_dispose(GObject *object)
{
  RegardTalkPanel *self = REGARD_TALK_PANEL(object);
  g_clear_handle_id(&self->loading, g_source_remove);
  g_clear_pointer(&self->box, gtk_widget_unparent);
  g_clear_pointer(&self->textures, g_hash_table_unref);
  g_clear_pointer(&self->talk, regard_talk_unref);
  G_OBJECT_CLASS(regard_talk_panel_parent_class)->dispose(object);
}

static void
regard_talk_panel_class_init(RegardTalkPanelClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
  G_OBJECT_CLASS(klass)->dispose = regard_talk_panel_dispose;
  gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name(widget_class, "talkpanel");
}

static void
regard_talk_panel_init(RegardTalkPanel *self)
{
  GtkWidget *header = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *buttons = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
  self->textures = g_hash_table_new_full(g_direct_hash, g_direct_equal,
                                         (GDestroyNotify) g_bytes_unref, texture_free);
  self->box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  self->title = GTK_LABEL(
      regard_label_new(_("New Talk"), REGARD_LABEL_START | REGARD_LABEL_ELLIPSIZE, "heading"));
  gtk_widget_set_hexpand(GTK_WIDGET(self->title), TRUE);
  self->record = new_button(_("_Record"), "win.record-slide",
                            _("Add what is on the screen to the talk (Ctrl+Shift+R)"));
  self->give =
      new_button(_("_Present"), "win.give-talk", _("Give the talk from its first slide (F5)"));
  gtk_widget_add_css_class(self->record, "suggested-action");
  self->empty = regard_label_new(_("Show something, and record it. A talk is made of what you "
                                   "record: each slide is the text, the model, the picture and "
                                   "what you changed, and is live again when you show it."),
                                 REGARD_LABEL_START | REGARD_LABEL_WRAP, "dim-label");
  gtk_widget_add_css_class(self->empty, "talk-empty");
  gtk_widget_set_vexpand(self->empty, TRUE);
  gtk_widget_set_valign(self->empty, GTK_ALIGN_START);
  self->list = GTK_LIST_BOX(gtk_list_box_new());
  gtk_list_box_set_activate_on_single_click(self->list, FALSE);
  gtk_widget_add_css_class(GTK_WIDGET(self->list), "navigation-sidebar");
  regard_accessible_set_label(GTK_WIDGET(self->list), _("Slides"));
  g_signal_connect_swapped(self->list, "row-activated", G_CALLBACK(on_row), self);
  GtkEventController *keys = gtk_event_controller_key_new();
  gtk_event_controller_set_name(keys, "keys");
  gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
  g_signal_connect_swapped(keys, "key-pressed", G_CALLBACK(on_key), self);
  gtk_widget_add_controller(GTK_WIDGET(self->list), keys);
  self->scroller = gtk_scrolled_window_new();
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(self->scroller), GTK_POLICY_NEVER,
                                 GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(self->scroller), GTK_WIDGET(self->list));
  gtk_widget_set_vexpand(self->scroller, TRUE);
  gtk_widget_set_visible(self->scroller, FALSE);
  gtk_widget_add_css_class(header, "talk-header");
  gtk_widget_add_css_class(buttons, "talk-footer");
  regard_box_append(header, GTK_WIDGET(self->title), new_talk_menu(), NULL);
  regard_box_append(buttons, self->record, self->give, NULL);
  regard_box_append(self->box, header, self->scroller, self->empty, buttons, NULL);
  gtk_widget_set_parent(self->box, GTK_WIDGET(self));
  gtk_widget_set_size_request(GTK_WIDGET(self), WIDTH, -1);
  regard_accessible_name_inner_buttons(header);
}
