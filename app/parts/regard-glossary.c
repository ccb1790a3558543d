/* regard-glossary.c — the terms of the paper and of the program, in a window and as links.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "parts/regard-glossary.h"

#include "base/regard-locale.h"
#include "parts/regard-help-topics.h"
#include "parts/regard-help.h"
#include "widgets/regard-gtk.h"
#include "widgets/regard-wrap-layout.h"

#include <glib/gi18n.h>
#include <string.h>

/* ==== The terms =============================================================================== */

#define TERMS "/io/github/regard/Regard/glossary.ini"

static char *
dup_local(GKeyFile *file, const char *id, const char *key)
{
  g_autofree char *text = g_key_file_get_string(file, id, key, NULL);
  return g_strdup(regard_locale_text(text));
}

static int
compare_terms(gconstpointer a, gconstpointer b)
{
  const RegardGlossaryTerm *const *first = a, *const *second = b;
  g_autofree char *one = g_utf8_casefold((*first)->term, -1);
  g_autofree char *other = g_utf8_casefold((*second)->term, -1);
  return g_utf8_collate(one, other);
}

static GPtrArray *
read_terms(void)
{
  GPtrArray *terms = g_ptr_array_new();
  g_autoptr(GBytes) bytes = g_resources_lookup_data(TERMS, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  g_autoptr(GKeyFile) file = g_key_file_new();
  if (!bytes || !g_key_file_load_from_bytes(file, bytes, G_KEY_FILE_NONE, NULL))
    return terms;
  g_auto(GStrv) ids = g_key_file_get_groups(file, NULL);
  for (guint i = 0; ids[i]; i++) {
    RegardGlossaryTerm *term = g_new(RegardGlossaryTerm, 1);
    *term = (RegardGlossaryTerm){
        .id = g_strdup(ids[i]),
        .term = dup_local(file, ids[i], "term"),
        .text = dup_local(file, ids[i], "text"),
        .symbol = dup_local(file, ids[i], "symbol"),
        .equation = dup_local(file, ids[i], "equation"),
        .paper = g_key_file_get_string(file, ids[i], "paper", NULL),
        .from = dup_local(file, ids[i], "from"),
        .lesson = g_key_file_get_string(file, ids[i], "lesson", NULL),
        .see = g_key_file_get_string_list(file, ids[i], "see", NULL, NULL),
    };
    g_ptr_array_add(terms, term);
  }
  g_ptr_array_sort(terms, compare_terms);
  return terms;
}

const GPtrArray *
regard_glossary_terms(void)
{
  static GPtrArray *terms; /* for as long as the program runs */
  if (!terms)
    terms = read_terms();
  return terms;
}

const RegardGlossaryTerm *
regard_glossary_find(const char *id)
{
  const GPtrArray *terms = regard_glossary_terms();
  for (guint i = 0; i < terms->len; i++) {
    const RegardGlossaryTerm *term = terms->pdata[i];
    if (g_strcmp0(term->id, id) == 0)
      return term;
  }
  return NULL;
}

/* ==== Links =================================================================================== */

static GtkWidget *
new_link(const char *label, const char *tooltip)
{
  GtkWidget *button = gtk_button_new_with_label(label);
  gtk_label_set_wrap(GTK_LABEL(gtk_button_get_child(GTK_BUTTON(button))), TRUE);
  gtk_widget_set_tooltip_text(button, tooltip);
  gtk_widget_add_css_class(button, "regard-link");
  return button;
}

static void
on_term(GtkWidget *button, const RegardGlossaryTerm *term)
{
  regard_glossary_show(GTK_WINDOW(gtk_widget_get_root(button)), term->id);
}

GtkWidget *
regard_glossary_new_link(const char *id)
{
  const RegardGlossaryTerm *term = regard_glossary_find(id);
  if (!term)
    return NULL;
  GtkWidget *button = new_link(term->term, term->text);
  g_signal_connect(button, "clicked", G_CALLBACK(on_term), (gpointer) term);
  return button;
}

/* The program's own, which others stand above. */
static GtkWindow *
find_lowest(GtkWindow *window)
{
  while (gtk_window_get_transient_for(window))
    window = gtk_window_get_transient_for(window);
  return window;
}

static gboolean
has_action(GtkWindow *window, const char *wanted)
{
  GtkWidgetClass *klass = GTK_WIDGET_GET_CLASS(window);
  const GVariantType *type;
  const char *name, *property;
  GType owner;
  for (guint i = 0; gtk_widget_class_query_action(klass, i, &owner, &name, &type, &property); i++)
    if (g_str_equal(name, wanted))
      return TRUE;
  return G_IS_ACTION_GROUP(window) &&
         g_action_group_has_action(G_ACTION_GROUP(window), strchr(wanted, '.') + 1);
}

static void
on_lesson(GtkWidget *button, const char *lesson)
{
  GtkWindow *above = GTK_WINDOW(gtk_widget_get_root(button)), *lowest = find_lowest(above);
  g_autofree char *id = g_strdup(lesson); /* the button goes with its window */
  while (above != lowest) {
    GtkWindow *below = gtk_window_get_transient_for(above);
    gtk_window_destroy(above);
    above = below;
  }
  gtk_widget_activate_action(GTK_WIDGET(lowest), "win.lesson", "s", id);
}

GtkWidget *
regard_lesson_new_link(GtkWindow *above, const char *lesson)
{
  const char *title = lesson ? regard_help_lesson_title(lesson) : NULL;
  if (!title || !has_action(find_lowest(above), "win.lesson"))
    return NULL;
  g_autofree char *label = g_strdup_printf(_("Lesson: %s"), _(title));
  GtkWidget *button = new_link(label, _("Begins this lesson in the window; your text and your "
                                        "changes come back when you leave it"));
  g_signal_connect_data(button, "clicked", G_CALLBACK(on_lesson), g_strdup(lesson),
                        (GClosureNotify) (void (*)(void)) g_free, 0);
  return button;
}

/* ==== The window ============================================================================== */

#define KEY    "regard-glossary"
#define WIDTH  780
#define HEIGHT 600

typedef struct {
  GtkWidget *window, *entry, *list, *detail; /* borrowed: the window has the others */
  char *wanted;                              /* what is searched for, folded; "": nothing */
} Glossary;

static void
glossary_free(gpointer data)
{
  Glossary *self = data;
  g_free(self->wanted);
  g_free(self);
}

static const RegardGlossaryTerm *
term_of(GtkListBoxRow *row)
{
  return g_object_get_data(G_OBJECT(row), KEY);
}

static GtkWidget *
append_text(Glossary *self, const char *text, const char *css)
{
  GtkWidget *label = regard_label_new(text, REGARD_LABEL_START | REGARD_LABEL_WRAP, css);
  gtk_label_set_wrap_mode(GTK_LABEL(label), PANGO_WRAP_WORD_CHAR);
  gtk_box_append(GTK_BOX(self->detail), label);
  return label;
}

static void
append_links(Glossary *self, const RegardGlossaryTerm *term)
{
  GtkWidget *lesson = regard_lesson_new_link(GTK_WINDOW(self->window), term->lesson);
  if (lesson) {
    gtk_widget_set_halign(lesson, GTK_ALIGN_START);
    gtk_box_append(GTK_BOX(self->detail), lesson);
  }
  GtkWidget *wrap = regard_wrap_new(6);
  for (guint i = 0; term->see && term->see[i]; i++) {
    GtkWidget *link = regard_glossary_new_link(term->see[i]);
    if (link)
      regard_wrap_append(wrap, link);
  }
  append_text(self, _("See also"), "regard-card-title");
  gtk_box_append(GTK_BOX(self->detail), wrap);
}

static void
show_term(Glossary *self, const RegardGlossaryTerm *term)
{
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child(self->detail)))
    gtk_box_remove(GTK_BOX(self->detail), child);
  append_text(self, term->term, "title-2");
  if (term->symbol) {
    g_autofree char *symbol = g_strdup_printf(_("Written %s"), term->symbol);
    append_text(self, symbol, "regard-note");
  }
  if (term->equation)
    append_text(self, term->equation, "regard-equation");
  append_text(self, term->text, NULL);
  g_autofree char *from =
      term->paper ? g_strdup_printf(_("“Attention Is All You Need”, section %s"), term->paper)
                  : g_strdup_printf(_("Not a term of the paper: %s"), term->from);
  append_text(self, from, "regard-note");
  append_links(self, term);
}

static void
on_row(Glossary *self, GtkListBoxRow *row)
{
  if (row)
    show_term(self, term_of(row));
}

/* ---- Search ---------------------------------------------------------------------------------- */

static gboolean
has(const char *text, const char *wanted)
{
  g_autofree char *folded = text ? g_utf8_casefold(text, -1) : NULL;
  return folded && strstr(folded, wanted);
}

static gboolean
is_found(GtkListBoxRow *row, gpointer data)
{
  const Glossary *self = data;
  const RegardGlossaryTerm *term = term_of(row);
  return has(term->term, self->wanted) || has(term->symbol, self->wanted) ||
         has(term->text, self->wanted);
}

/* Among those that are found one whose name has it, rather than one whose text does. */
static GtkListBoxRow *
find_best(Glossary *self)
{
  GtkListBoxRow *best = NULL, *row;
  for (int i = 0; (row = gtk_list_box_get_row_at_index(GTK_LIST_BOX(self->list), i)); i++) {
    if (!is_found(row, self))
      continue;
    if (has(term_of(row)->term, self->wanted))
      return row;
    best = best ? best : row;
  }
  return best;
}

static void
on_search(Glossary *self)
{
  g_free(self->wanted);
  self->wanted = g_utf8_casefold(gtk_editable_get_text(GTK_EDITABLE(self->entry)), -1);
  gtk_list_box_invalidate_filter(GTK_LIST_BOX(self->list));
  GtkListBoxRow *best = *self->wanted ? find_best(self) : NULL;
  if (best)
    gtk_list_box_select_row(GTK_LIST_BOX(self->list), best);
}

static void
focus_list(Glossary *self)
{
  GtkListBoxRow *row = gtk_list_box_get_selected_row(GTK_LIST_BOX(self->list));
  if (row && gtk_widget_get_child_visible(GTK_WIDGET(row)))
    gtk_widget_grab_focus(GTK_WIDGET(row));
}

static gboolean
on_entry_key(Glossary *self, guint keyval)
{
  if (keyval != GDK_KEY_Down && keyval != GDK_KEY_KP_Down)
    return FALSE;
  focus_list(self);
  return TRUE;
}

/* ---- Widgets --------------------------------------------------------------------------------- */

static GtkWidget *
build_list(Glossary *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new();
  const GPtrArray *terms = regard_glossary_terms();
  self->list = gtk_list_box_new();
  gtk_widget_add_css_class(self->list, "navigation-sidebar");
  regard_accessible_set_label(self->list, _("Terms"));
  for (guint i = 0; i < terms->len; i++) {
    const RegardGlossaryTerm *term = terms->pdata[i];
    GtkWidget *row = gtk_list_box_row_new();
    GtkWidget *label = regard_label_new(term->term, REGARD_LABEL_START | REGARD_LABEL_WRAP, NULL);
    gtk_label_set_max_width_chars(GTK_LABEL(label), 22);
    gtk_list_box_row_set_child(GTK_LIST_BOX_ROW(row), label);
    g_object_set_data(G_OBJECT(row), KEY, (gpointer) term);
    gtk_list_box_append(GTK_LIST_BOX(self->list), row);
  }
  gtk_list_box_set_filter_func(GTK_LIST_BOX(self->list), is_found, self, NULL);
  g_signal_connect_swapped(self->list, "row-selected", G_CALLBACK(on_row), self);
  gtk_list_box_set_placeholder(GTK_LIST_BOX(self->list),
                               regard_label_new(_("No term has this"), 0, "regard-note"));
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), self->list);
  g_object_set(scroller, "hscrollbar-policy", GTK_POLICY_NEVER, "width-request", 220, NULL);
  return scroller;
}

static GtkWidget *
build_detail(Glossary *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new();
  self->detail = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12);
  g_object_set(self->detail, "margin-start", 24, "margin-end", 24, "margin-top", 12,
               "margin-bottom", 24, NULL);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), self->detail);
  g_object_set(scroller, "hscrollbar-policy", GTK_POLICY_NEVER, "hexpand", TRUE, NULL);
  return scroller;
}

static GtkWidget *
build_entry(Glossary *self)
{
  GtkEventController *keys = gtk_event_controller_key_new();
  self->entry = gtk_search_entry_new();
  g_object_set(self->entry, "hexpand", TRUE, "placeholder-text", _("a term, a symbol, a word"),
               NULL);
  regard_accessible_set_label(self->entry, _("Search the glossary"));
  g_signal_connect_swapped(self->entry, "search-changed", G_CALLBACK(on_search), self);
  g_signal_connect_swapped(self->entry, "activate", G_CALLBACK(focus_list), self);
  gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
  g_signal_connect_swapped(keys, "key-pressed", G_CALLBACK(on_entry_key), self);
  gtk_widget_add_controller(self->entry, keys);
  return self->entry;
}

static Glossary *
build(GtkWindow *parent)
{
  Glossary *self = g_new0(Glossary, 1);
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0), *entry = build_entry(self);
  self->wanted = g_strdup("");
  regard_box_append(box, build_list(self), gtk_separator_new(GTK_ORIENTATION_VERTICAL),
                    build_detail(self), NULL);
  self->window = GTK_WIDGET(regard_small_window_new(parent, _("Glossary"), entry, box));
  g_object_set(self->window, "modal", gtk_window_get_modal(parent), "default-width",
               MIN(WIDTH, MAX(gtk_widget_get_width(GTK_WIDGET(parent)), 640)), "default-height",
               HEIGHT, NULL);
  g_object_set_data_full(G_OBJECT(self->window), KEY, self, glossary_free);
  gtk_search_entry_set_key_capture_widget(GTK_SEARCH_ENTRY(self->entry), self->window);
  return self;
}

static void
select_term(Glossary *self, const RegardGlossaryTerm *term)
{
  GtkListBoxRow *row;
  gtk_editable_set_text(GTK_EDITABLE(self->entry), "");
  on_search(self); /* the entry tells of it later only */
  for (int i = 0; (row = gtk_list_box_get_row_at_index(GTK_LIST_BOX(self->list), i)); i++)
    if (!term || term_of(row) == term) {
      gtk_list_box_select_row(GTK_LIST_BOX(self->list), row);
      gtk_widget_grab_focus(GTK_WIDGET(row));
      return;
    }
}

void
regard_glossary_show(GtkWindow *parent, const char *id)
{
  Glossary *self = g_object_get_data(G_OBJECT(parent), KEY); /* a link within the glossary */
  GList *windows = gtk_window_list_toplevels();
  for (GList *it = windows; it && !self; it = it->next)
    if (GTK_IS_WINDOW(it->data) && gtk_window_get_transient_for(it->data) == parent)
      self = g_object_get_data(it->data, KEY);
  g_list_free(windows);
  if (!self)
    self = build(parent);
  select_term(self, regard_glossary_find(regard_glossary_find(id) ? id : "attention"));
  gtk_window_present(GTK_WINDOW(self->window));
}
