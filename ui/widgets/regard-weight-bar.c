/* regard-weight-bar.c — weights of the large picture set by hand.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-weight-bar.h"

#include "figures/regard-intervention-edit.h"
#include "figures/regard-language.h"
#include "widgets/regard-gtk.h"

#include <gtk/gtk.h>

#define REGARD_TYPE_WEIGHT_ENTRY (regard_weight_entry_get_type())

G_DECLARE_FINAL_TYPE(RegardWeightEntry, regard_weight_entry, REGARD, WEIGHT_ENTRY, GtkPopover)

/* ---- A weight that is typed ------------------------------------------------------------- */

struct _RegardWeightEntry {
  GtkPopover parent_instance;
  GtkWidget *title, *spin, *rescales;
};

G_DEFINE_FINAL_TYPE(RegardWeightEntry, regard_weight_entry, GTK_TYPE_POPOVER)

static guint entered_signal;

static void
on_enter(RegardWeightEntry *self)
{
  gtk_spin_button_update(GTK_SPIN_BUTTON(self->spin));
  g_signal_emit(self, entered_signal, 0, gtk_spin_button_get_value(GTK_SPIN_BUTTON(self->spin)),
                gtk_check_button_get_active(GTK_CHECK_BUTTON(self->rescales)));
  gtk_popover_popdown(GTK_POPOVER(self));
}

static void
regard_weight_entry_class_init(RegardWeightEntryClass *klass)
{
  entered_signal = regard_signal_new(klass, "entered", 2, G_TYPE_DOUBLE, G_TYPE_BOOLEAN);
}

static void
regard_weight_entry_init(RegardWeightEntry *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8), *row, *set;
  row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
  self->title = regard_label_new(NULL, REGARD_LABEL_START, "heading");
  self->spin = gtk_spin_button_new_with_range(0, 1, 0.01);
  gtk_spin_button_set_digits(GTK_SPIN_BUTTON(self->spin), 3);
  regard_spin_take_comma(GTK_SPIN_BUTTON(self->spin));
  gtk_widget_set_hexpand(self->spin, TRUE);
  regard_accessible_set_label(self->spin, _("Weight"));
  self->rescales = gtk_check_button_new_with_mnemonic(_("_Rescale the rest of the row"));
  set = gtk_button_new_with_mnemonic(_("_Set"));
  gtk_widget_add_css_class(set, "suggested-action");
  g_signal_connect_swapped(set, "clicked", G_CALLBACK(on_enter), self);
  g_signal_connect_swapped(gtk_editable_get_delegate(GTK_EDITABLE(self->spin)), "activate",
                           G_CALLBACK(on_enter), self);
  regard_box_append(row, self->spin, set, NULL);
  regard_box_append(box, self->title, row, self->rescales, NULL);
  gtk_popover_set_child(GTK_POPOVER(self), box);
}

/* At a cell of a widget, with the keyboard in it. "entered" (double value, gboolean rescales) when
 * Enter is pressed; Escape closes it. */
static RegardWeightEntry *
weight_entry_open(GtkWidget *widget, const graphene_rect_t *cell, const char *title, double value,
                  gboolean rescales)
{
  RegardWeightEntry *self = g_object_new(REGARD_TYPE_WEIGHT_ENTRY, NULL);
  const GdkRectangle place = {(int) cell->origin.x, (int) cell->origin.y, (int) cell->size.width,
                              (int) cell->size.height};
  gtk_label_set_text(GTK_LABEL(self->title), title);
  gtk_spin_button_set_value(GTK_SPIN_BUTTON(self->spin), value);
  gtk_check_button_set_active(GTK_CHECK_BUTTON(self->rescales), rescales);
  regard_popover_attach(GTK_WIDGET(self), widget);
  gtk_popover_set_pointing_to(GTK_POPOVER(self), &place);
  gtk_popover_popup(GTK_POPOVER(self));
  gtk_widget_grab_focus(self->spin);
  return self;
}

/* ---- The bar ----------------------------------------------------------------------------------
 */

#define STEP 0.05 /* of plus and minus */

struct _RegardWeightBar {
  GtkWidget parent_instance;
  GtkWidget *toggle, *line, *rescales, *hint;
  RegardHeatmap *heatmap; /* borrowed */
  RegardSelection *selection;
  int row, col; /* of the weight that is typed */
};

G_DEFINE_FINAL_TYPE(RegardWeightBar, regard_weight_bar, GTK_TYPE_WIDGET)

/* ---- Cells and lines ---------------------------------------------------------------------------
 */

static void
say(RegardWeightBar *self, const char *message)
{
  gtk_widget_activate_action(GTK_WIDGET(self), "win.say", "s", message);
}

/* Why no weight of the picture can be set; NULL: they can. */
static const char *
get_obstacle(RegardWeightBar *self)
{
  RegardMatrix *m = regard_heatmap_get_matrix(self->heatmap);
  const RegardAttention *from = m ? regard_matrix_get_attention(m) : NULL;
  if (!from)
    return _("There is no attention to change.");
  if (*mt_capture_file_name(from->capture))
    return _("This attention is from a file: there is no model to compute it otherwise.");
  if (m->diverging)
    return _("This is a difference: weights are set in Now, or B.");
  if (from->spec.combine != REGARD_COMBINE_HEAD)
    return _("Several heads are shown as one: weights are set in a single head.");
  return NULL;
}

/* Query and key of a cell. FALSE, and it is said: it has none. */
static gboolean
find_cell(RegardWeightBar *self, int row, int col, guint *query, guint *key)
{
  RegardMatrix *m = regard_heatmap_get_matrix(self->heatmap);
  const char *obstacle = get_obstacle(self);
  if (obstacle) {
    say(self, obstacle);
    return FALSE;
  }
  if (row < 0 || col < 0 || (guint) row >= m->rows || (guint) col >= m->cols)
    return FALSE;
  const RegardLabel *r = &m->row_labels[row], *c = &m->col_labels[col];
  if (r->n_tokens != 1 || c->n_tokens != 1) {
    say(self, _("The pieces of this word are merged: weights are set by pieces."));
    return FALSE;
  }
  *query = r->first_token;
  *key = c->first_token;
  return TRUE;
}

/* "cross 4.1 query 3 key 5 hide"; query -1: all. Caller frees. */
static char *
line_of(RegardWeightBar *self, int query, guint key, const char *how)
{
  const RegardAttention *from =
      regard_matrix_get_attention(regard_heatmap_get_matrix(self->heatmap));
  g_autofree char *head =
      regard_naming_head_of(from->capture, from->spec.kind, from->spec.layer, from->spec.head);
  g_autofree char *of_query = query >= 0 ? g_strdup_printf(" query %d", query + 1) : g_strdup("");
  return g_strdup_printf("%s%s key %u %s", head, of_query, key + 1, how);
}

/* Whether a change is made to the cell. */
static gboolean
is_changed(const RegardAttention *from, guint query, guint key)
{
  const mt_attention_kind kind = from->spec.kind;
  mt_intervention_row found;
  return regard_interventions_of_cell(mt_capture_interventions(from->capture), kind,
                                      mt_capture_first_layer(from->capture, kind) +
                                          from->spec.layer,
                                      mt_capture_first_head(from->capture, kind) + from->spec.head,
                                      query, key, &found);
}

/* Whether there is a weight at all: a decoder's query never sees what comes later. What a change
 * hides can be set. */
static gboolean
is_seen(RegardWeightBar *self, int row, int col, guint query, guint key)
{
  RegardMatrix *m = regard_heatmap_get_matrix(self->heatmap);
  const RegardAttention *from = regard_matrix_get_attention(m);
  if (!regard_matrix_is_masked(m, (guint) row, (guint) col) || is_changed(from, query, key))
    return TRUE;
  say(self, _("This query does not see this key: there is no weight to set."));
  return FALSE;
}

static void
set_weight(RegardWeightBar *self, int row, int col, double value, gboolean rescales,
           guint64 gesture)
{
  guint query, key;
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  if (!find_cell(self, row, col, &query, &key) || !is_seen(self, row, col, query, key))
    return;
  g_autofree char *how = g_strdup_printf("%s %s", rescales ? "set" : "put",
                                         g_ascii_formatd(number, sizeof number, "%.3f", value));
  g_autofree char *line = line_of(self, (int) query, key, how);
  gtk_widget_activate_action(GTK_WIDGET(self), "win.drag-change", "(st)", line, gesture);
}

static void
hide(RegardWeightBar *self, int row, int col, gboolean from_all)
{
  guint query, key;
  if (!find_cell(self, row, col, &query, &key) || !is_seen(self, row, col, query, key))
    return;
  g_autofree char *line = line_of(self, from_all ? -1 : (int) query, key, "hide");
  gtk_widget_activate_action(GTK_WIDGET(self), "win.toggle-change", "s", line);
}

static void
restore(RegardWeightBar *self, int row, int col)
{
  RegardMatrix *m = regard_heatmap_get_matrix(self->heatmap);
  const RegardAttention *from = m ? regard_matrix_get_attention(m) : NULL;
  guint query, key;
  if (!from || get_obstacle(self) || !find_cell(self, row, col, &query, &key) ||
      !is_changed(from, query, key))
    return;
  g_autofree char *line = line_of(self, (int) query, key, "hide");
  gtk_widget_activate_action(GTK_WIDGET(self), "win.restore-change", "s", line);
}

static gboolean
get_rescales(RegardWeightBar *self)
{
  return gtk_check_button_get_active(GTK_CHECK_BUTTON(self->rescales));
}

/* ---- Typing one --------------------------------------------------------------------------------
 */

static void
on_entered(RegardWeightEntry *entry, double value, gboolean rescales, RegardWeightBar *self)
{
  regard_weight_bar_set_rescales(self, rescales);
  set_weight(self, self->row, self->col, value, rescales, 0);
  gtk_widget_grab_focus(GTK_WIDGET(self->heatmap));
}

static void
open_entry(RegardWeightBar *self, int row, int col)
{
  RegardMatrix *m = regard_heatmap_get_matrix(self->heatmap);
  guint query, key;
  graphene_rect_t cell;
  if (!find_cell(self, row, col, &query, &key) || !is_seen(self, row, col, query, key) ||
      !regard_heatmap_get_cell_rect(self->heatmap, row, col, &cell))
    return;
  g_autofree char *title =
      g_strdup_printf("%s → %s", m->row_labels[row].text, m->col_labels[col].text);
  self->row = row;
  self->col = col;
  RegardWeightEntry *entry =
      weight_entry_open(GTK_WIDGET(self->heatmap), &cell, title,
                        CLAMP((double) regard_matrix_get(m, (guint) row, (guint) col), 0, 1),
                        get_rescales(self));
  g_signal_connect_object(entry, "entered", G_CALLBACK(on_entered), self, 0);
}

/* ---- What is done ------------------------------------------------------------------------------
 */

static void
on_dragged(RegardWeightBar *self, int row, int col, double value, guint64 gesture)
{
  set_weight(self, row, col, value, get_rescales(self), gesture);
}

static void
on_double_click(RegardWeightBar *self, int row, int col)
{
  restore(self, row, col);
}

static void
on_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  const char *name = g_action_get_name(G_ACTION(action));
  int row, col;
  g_variant_get(parameter, "(ii)", &row, &col);
  if (g_str_equal(name, "set"))
    open_entry(data, row, col);
  else if (g_str_equal(name, "restore"))
    restore(data, row, col);
  else
    hide(data, row, col, g_str_equal(name, "hide-key"));
}

static gboolean
step(RegardWeightBar *self, int row, int col, double by)
{
  RegardMatrix *m = regard_heatmap_get_matrix(self->heatmap);
  if (!m || !regard_weight_bar_get_active(self))
    return FALSE;
  const double now = (double) regard_matrix_get(m, (guint) row, (guint) col);
  set_weight(self, row, col, CLAMP(now + by, 0, 1), get_rescales(self), 0);
  return TRUE;
}

gboolean
regard_weight_bar_handle_key(RegardWeightBar *self, guint keyval, GdkModifierType state)
{
  const GdkModifierType modifiers = state & (GDK_CONTROL_MASK | GDK_ALT_MASK);
  int row, col;
  if (modifiers || !regard_heatmap_get_matrix(self->heatmap))
    return FALSE;
  if (keyval == GDK_KEY_e) {
    regard_weight_bar_set_active(self, !regard_weight_bar_get_active(self));
    return TRUE;
  }
  regard_heatmap_get_pin(self->heatmap, &row, &col);
  if (row < 0 || col < 0)
    return FALSE;
  switch (regard_plain_key(keyval)) {
  case GDK_KEY_w:
    open_entry(self, row, col);
    return TRUE;
  case GDK_KEY_Delete:
    hide(self, row, col, (state & GDK_SHIFT_MASK) != 0);
    return TRUE;
  case GDK_KEY_BackSpace:
    restore(self, row, col);
    return TRUE;
  case GDK_KEY_plus:
  case GDK_KEY_equal:
    return step(self, row, col, STEP);
  case GDK_KEY_minus:
    return step(self, row, col, -STEP);
  default:
    return FALSE;
  }
}

/* ---- The widget --------------------------------------------------------------------------------
 */

static void
update(RegardWeightBar *self)
{
  const gboolean active = regard_weight_bar_get_active(self), can = get_obstacle(self) == NULL;
  gtk_widget_set_visible(self->line, active && gtk_widget_get_visible(GTK_WIDGET(self)));
  regard_heatmap_set_editing(self->heatmap, !can     ? REGARD_HEATMAP_FIXED
                                            : active ? REGARD_HEATMAP_EDITED
                                                     : REGARD_HEATMAP_EDITABLE);
  gtk_label_set_text(GTK_LABEL(self->hint),
                     can ? _("drag a cell right or left · Delete hides · double click restores")
                         : get_obstacle(self));
  gtk_widget_set_tooltip_text(self->hint, gtk_label_get_text(GTK_LABEL(self->hint)));
}

void
regard_weight_bar_set_active(RegardWeightBar *self, gboolean active)
{
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(self->toggle), active);
}

gboolean
regard_weight_bar_get_active(RegardWeightBar *self)
{
  return gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(self->toggle));
}

void
regard_weight_bar_set_rescales(RegardWeightBar *self, gboolean rescales)
{
  gtk_check_button_set_active(GTK_CHECK_BUTTON(self->rescales), rescales);
}

void
regard_weight_bar_set_selection(RegardWeightBar *self, RegardSelection *selection)
{
  g_return_if_fail(!self->selection);
  self->selection = g_object_ref(selection);
  g_signal_connect_object(selection, "matrix-changed", G_CALLBACK(update), self,
                          G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  update(self);
}

static void
dispose(GObject *object)
{
  RegardWeightBar *self = REGARD_WEIGHT_BAR(object);
  g_clear_pointer(&self->toggle, gtk_widget_unparent);
  g_clear_object(&self->line);
  g_clear_object(&self->selection);
  G_OBJECT_CLASS(regard_weight_bar_parent_class)->dispose(object);
}

static void
regard_weight_bar_class_init(RegardWeightBarClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = dispose;
  gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(klass), "weightbar");
  gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(klass), GTK_TYPE_BIN_LAYOUT);
}

static void
regard_weight_bar_init(RegardWeightBar *self)
{
  gtk_widget_set_name(GTK_WIDGET(self), "weights");
  self->toggle = gtk_toggle_button_new();
  gtk_button_set_icon_name(GTK_BUTTON(self->toggle), "document-edit-symbolic");
  gtk_widget_set_tooltip_text(self->toggle,
                              _("Set weights by hand: drag a cell right or left (E; or Shift and "
                                "drag). W types one."));
  regard_accessible_set_label(self->toggle, _("Set weights by hand"));
  gtk_widget_add_css_class(self->toggle, "flat");
  gtk_widget_add_css_class(self->toggle, "regard-copy");
  gtk_widget_set_valign(self->toggle, GTK_ALIGN_CENTER);
  self->rescales = gtk_check_button_new_with_label(_("rescale the rest"));
  gtk_widget_set_tooltip_text(self->rescales,
                              _("The other weights of the row are scaled so that it sums to 1; "
                                "else they stay, and it does not"));
  gtk_check_button_set_active(GTK_CHECK_BUTTON(self->rescales), TRUE);
  self->hint = regard_label_new(NULL, REGARD_LABEL_START | REGARD_LABEL_WRAP, "regard-hint");
  gtk_widget_set_hexpand(self->hint, TRUE);
  g_signal_connect_swapped(self->toggle, "toggled", G_CALLBACK(update), self);
  g_signal_connect(self, "notify::visible", G_CALLBACK(update), NULL);
  self->line = g_object_ref_sink(gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 10));
  gtk_widget_set_name(self->line, "weights");
  gtk_widget_set_visible(self->line, FALSE);
  gtk_widget_add_css_class(self->line, "weight-line");
  regard_box_append(self->line, self->rescales, self->hint, NULL);
  gtk_widget_set_parent(self->toggle, GTK_WIDGET(self));
}

GtkWidget *
regard_weight_bar_get_line(RegardWeightBar *self)
{
  return self->line;
}

GtkWidget *
regard_weight_bar_new(RegardHeatmap *heatmap)
{
  RegardWeightBar *self = g_object_new(REGARD_TYPE_WEIGHT_BAR, NULL);
  const GActionEntry entries[] = {{"set", on_action, "(ii)", NULL, NULL, {0}},
                                  {"hide", on_action, "(ii)", NULL, NULL, {0}},
                                  {"hide-key", on_action, "(ii)", NULL, NULL, {0}},
                                  {"restore", on_action, "(ii)", NULL, NULL, {0}}};
  g_autoptr(GSimpleActionGroup) group = g_simple_action_group_new();
  self->heatmap = heatmap;
  g_action_map_add_action_entries(G_ACTION_MAP(group), entries, G_N_ELEMENTS(entries), self);
  gtk_widget_insert_action_group(GTK_WIDGET(heatmap), "weights", G_ACTION_GROUP(group));
  regard_connect(heatmap, "value-dragged", G_CALLBACK(on_dragged), self);
  regard_connect(heatmap, "cell-double-clicked", G_CALLBACK(on_double_click), self);
  return GTK_WIDGET(self);
}
