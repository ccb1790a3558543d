/* regard-piece-chooser.c — another piece for one of the source, found by typing.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-piece-chooser.h"

#include "figures/regard-language.h"
#include "widgets/regard-gtk.h"
#include <string.h>

#define MOST_SHOWN 40
#define WORD_MARK  "▁"

struct _RegardPieceChooser {
  GtkPopover parent_instance;
  GtkWidget *entry, *list, *note;
  mt_model *model;
};

G_DEFINE_FINAL_TYPE(RegardPieceChooser, regard_piece_chooser, GTK_TYPE_POPOVER)

static guint chosen_signal;

/* ---- Finding -----------------------------------------------------------------------------------
 */

typedef struct {
  int32_t id;
  guint badness;
} Match;

static int
compare_matches(gconstpointer a, gconstpointer b)
{
  const Match *x = a, *y = b;
  return x->badness != y->badness ? (x->badness < y->badness ? -1 : 1) : x->id - y->id;
}

/* G_MAXUINT: it does not go with it. */
static guint
judge(const char *piece, const char *typed)
{
  g_autofree char *folded = g_utf8_casefold(piece, -1);
  const gboolean begins_word = g_str_has_prefix(folded, WORD_MARK);
  const gboolean wants_mark = g_str_has_prefix(typed, WORD_MARK);
  const char *word = begins_word && !wants_mark ? folded + strlen(WORD_MARK) : folded;
  const guint length = (guint) MIN(g_utf8_strlen(word, -1), 99);
  if (g_str_equal(word, typed))
    return begins_word ? 0 : 1;
  if (g_str_has_prefix(word, typed))
    return (begins_word ? 100 : 200) + length;
  return strstr(word, typed) ? 300 + length : G_MAXUINT;
}

GArray *
regard_piece_chooser_find(const mt_model *model, const char *typed, guint most)
{
  g_autoptr(GArray) matches = g_array_new(FALSE, FALSE, sizeof(Match));
  GArray *ids = g_array_new(FALSE, FALSE, sizeof(int32_t));
  g_autofree char *stripped = g_strstrip(g_strdup(typed));
  g_autofree char *folded = g_utf8_casefold(stripped, -1);
  const gsize n = mt_model_config(model)->vocab_size[MT_STACK_ENCODER];
  if (!*folded)
    return ids;
  for (gsize i = 0; i < n; i++) {
    const char *piece = mt_model_piece(model, MT_STACK_ENCODER, (int32_t) i);
    Match match = {(int32_t) i, piece ? judge(piece, folded) : G_MAXUINT};
    if (match.badness != G_MAXUINT)
      g_array_append_val(matches, match);
  }
  g_array_sort(matches, compare_matches);
  for (guint i = 0; i < MIN(matches->len, most); i++)
    g_array_append_val(ids, g_array_index(matches, Match, i).id);
  return ids;
}

/* ---- The popover -------------------------------------------------------------------------------
 */

static void
choose(RegardPieceChooser *self, GtkListBoxRow *row)
{
  if (!row)
    return;
  const int id = GPOINTER_TO_INT(g_object_get_data(G_OBJECT(row), "id"));
  g_signal_emit(self, chosen_signal, 0, id);
  gtk_popover_popdown(GTK_POPOVER(self));
}

static void
on_activate(RegardPieceChooser *self)
{
  choose(self, gtk_list_box_get_row_at_index(GTK_LIST_BOX(self->list), 0));
}

static void
on_typed(RegardPieceChooser *self)
{
  const char *typed = gtk_editable_get_text(GTK_EDITABLE(self->entry));
  g_autoptr(GArray) ids = regard_piece_chooser_find(self->model, typed, MOST_SHOWN);
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child(self->list)))
    gtk_list_box_remove(GTK_LIST_BOX(self->list), child);
  for (guint i = 0; i < ids->len; i++) {
    const int32_t id = g_array_index(ids, int32_t, i);
    GtkWidget *row = gtk_list_box_row_new(),
              *label = gtk_label_new(mt_model_piece(self->model, MT_STACK_ENCODER, id));
    gtk_label_set_xalign(GTK_LABEL(label), 0);
    gtk_list_box_row_set_child(GTK_LIST_BOX_ROW(row), label);
    g_object_set_data(G_OBJECT(row), "id", GINT_TO_POINTER(id));
    gtk_list_box_append(GTK_LIST_BOX(self->list), row);
  }
  gtk_label_set_text(GTK_LABEL(self->note), *typed && ids->len == 0
                                                ? _("The vocabulary has no such piece")
                                                : _("Enter takes the first one"));
}

static gboolean
on_key(RegardPieceChooser *self, guint keyval, guint keycode, GdkModifierType state)
{
  GtkListBoxRow *first = gtk_list_box_get_row_at_index(GTK_LIST_BOX(self->list), 0);
  if (keyval != GDK_KEY_Down || !first)
    return FALSE;
  gtk_list_box_select_row(GTK_LIST_BOX(self->list), first);
  gtk_widget_grab_focus(GTK_WIDGET(first));
  return TRUE;
}

static void
finalize(GObject *object)
{
  mt_model_unref(REGARD_PIECE_CHOOSER(object)->model);
  G_OBJECT_CLASS(regard_piece_chooser_parent_class)->finalize(object);
}

static void
regard_piece_chooser_class_init(RegardPieceChooserClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = finalize;
  chosen_signal = regard_signal_new(klass, "chosen", 1, G_TYPE_INT);
}

static void
regard_piece_chooser_init(RegardPieceChooser *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6), *scroller = gtk_scrolled_window_new();
  GtkEventController *keys = gtk_event_controller_key_new();
  self->entry = gtk_entry_new();
  self->list = gtk_list_box_new();
  self->note = regard_label_new(NULL, REGARD_LABEL_START, "regard-hint");
  gtk_widget_add_css_class(self->list, "boxed-list");
  regard_accessible_set_label(self->entry, _("Another piece"));
  regard_accessible_set_label(self->list, _("Pieces of the vocabulary"));
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), self->list);
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroller), GTK_POLICY_NEVER,
                                 GTK_POLICY_AUTOMATIC);
  gtk_widget_set_size_request(scroller, 230, 190);
  regard_box_append(box, self->entry, scroller, self->note, NULL);
  gtk_popover_set_child(GTK_POPOVER(self), box);
  g_signal_connect_swapped(self->entry, "changed", G_CALLBACK(on_typed), self);
  g_signal_connect_swapped(self->entry, "activate", G_CALLBACK(on_activate), self);
  g_signal_connect_swapped(self->list, "row-activated", G_CALLBACK(choose), self);
  gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
  g_signal_connect_swapped(keys, "key-pressed", G_CALLBACK(on_key), self);
  gtk_widget_add_controller(self->entry, keys);
}

RegardPieceChooser *
regard_piece_chooser_open(GtkWidget *widget, const graphene_rect_t *at, mt_model *model,
                          const char *instead_of)
{
  RegardPieceChooser *self = g_object_new(REGARD_TYPE_PIECE_CHOOSER, NULL);
  const GdkRectangle place = {(int) at->origin.x, (int) at->origin.y, (int) at->size.width,
                              (int) at->size.height};
  g_autofree char *text = g_strdup_printf(_("Instead of %s"), instead_of);
  self->model = mt_model_ref(model);
  gtk_entry_set_placeholder_text(GTK_ENTRY(self->entry), text);
  regard_popover_attach(GTK_WIDGET(self), widget);
  gtk_popover_set_pointing_to(GTK_POPOVER(self), &place);
  on_typed(self);
  gtk_popover_popup(GTK_POPOVER(self));
  gtk_widget_grab_focus(self->entry);
  return self;
}
