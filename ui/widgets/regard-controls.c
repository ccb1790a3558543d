/* regard-controls.c — the controls under the large matrix: colour bar, scale, colours, pieces,
 * labels, special tokens.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each control is tied to one property of the selection, both ways. A control that would have no
 * effect (labels of a matrix without decoder rows) cannot be used, rather than vanish.
 */
#include "widgets/regard-controls.h"
#include "figures/regard-language.h"
#include "widgets/regard-colorbar.h"
#include "widgets/regard-gtk.h"
#include "widgets/regard-wrap-layout.h"

struct _RegardControls {
  GtkWidget parent_instance;

  RegardSelection *selection;
  GtkWidget *wrap;
  GtkWidget *colorbar, *scale, *colors, *pieces, *label_by, *special; /* of a simple window the
                                                                         first */
  GPtrArray *maps;     /* RegardColormap, as listed */
  RegardMatrix *other; /* than the selection's; NULL: it is */
  gboolean is_other;
  gboolean loading;
};

G_DEFINE_FINAL_TYPE(RegardControls, regard_controls, GTK_TYPE_WIDGET)

static void
load_colorbar(RegardControls *self)
{
  RegardMatrix *m = self->is_other ? self->other : regard_selection_get_matrix(self->selection);
  RegardScale scale = regard_selection_get_scale(self->selection);
  const RegardColormap *colormap = m && m->diverging
                                       ? regard_colormap_default_diverging()
                                       : regard_selection_get_colormap(self->selection);
  RegardCell cell = regard_selection_get_focus(self->selection);
  double mark = -1;

  /* Lines have one of their own. */
  gtk_widget_set_visible(self->colorbar,
                         regard_selection_get_form(self->selection) == REGARD_FORM_MATRIX);
  regard_colorbar_set(REGARD_COLORBAR(self->colorbar), colormap, scale, m ? m->lo : 0,
                      m ? m->hi : 1);
  if (m && !self->is_other && cell.row >= 0 && cell.col >= 0 &&
      !regard_matrix_is_masked(m, cell.row, cell.col))
    mark = regard_scale_apply(scale, regard_matrix_get(m, cell.row, cell.col), m->lo, m->hi,
                              regard_matrix_row_max(m, cell.row));
  regard_colorbar_set_mark(REGARD_COLORBAR(self->colorbar), mark);
}

static void
load_all(RegardControls *self)
{
  self->loading = TRUE;
  gtk_drop_down_set_selected(GTK_DROP_DOWN(self->scale),
                             regard_selection_get_scale(self->selection));
  for (guint i = 0; i < self->maps->len; i++)
    if (self->maps->pdata[i] == regard_selection_get_colormap(self->selection))
      gtk_drop_down_set_selected(GTK_DROP_DOWN(self->colors), i);
  gtk_drop_down_set_selected(GTK_DROP_DOWN(self->pieces),
                             regard_selection_get_merge_words(self->selection));
  gtk_drop_down_set_selected(GTK_DROP_DOWN(self->label_by),
                             regard_selection_get_label_by(self->selection));
  /* There is nothing to choose where input and output are one list. */
  const mt_capture *capture = regard_selection_get_capture(self->selection);
  gtk_widget_set_sensitive(self->label_by,
                           !self->is_other &&
                               regard_selection_get_kind(self->selection) != MT_ENCODER_SELF &&
                               regard_naming_input_shift(capture) > 0);
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(self->special),
                               regard_selection_get_hide_special(self->selection));
  gtk_widget_set_sensitive(self->pieces, !self->is_other);
  gtk_widget_set_sensitive(self->special, !self->is_other);
  self->loading = FALSE;
  load_colorbar(self);
}

static void
on_simple(RegardControls *self)
{
  GtkWidget *const full[] = {self->scale, self->colors, self->pieces, self->label_by,
                             self->special};

  for (guint i = 0; i < G_N_ELEMENTS(full); i++)
    gtk_widget_set_visible(full[i], !regard_selection_get_simple(self->selection));
}

void
regard_controls_set_matrix(RegardControls *self, RegardMatrix *matrix, gboolean is_weights)
{
  g_clear_pointer(&self->other, regard_matrix_unref);
  self->other = matrix && !is_weights ? regard_matrix_ref(matrix) : NULL;
  if (self->is_other != !is_weights) {
    self->is_other = !is_weights;
    if (self->selection)
      load_all(self);
  } else if (self->selection)
    load_colorbar(self);
}

static void
store(RegardControls *self)
{
  if (self->loading || !self->selection)
    return;
  regard_selection_set_scale(self->selection,
                             gtk_drop_down_get_selected(GTK_DROP_DOWN(self->scale)));
  guint color = gtk_drop_down_get_selected(GTK_DROP_DOWN(self->colors));
  if (color < self->maps->len)
    regard_selection_set_colormap(self->selection,
                                  ((const RegardColormap *) self->maps->pdata[color])->id);
  regard_selection_set_merge_words(self->selection,
                                   gtk_drop_down_get_selected(GTK_DROP_DOWN(self->pieces)) == 1);
  regard_selection_set_label_by(self->selection,
                                gtk_drop_down_get_selected(GTK_DROP_DOWN(self->label_by)));
  regard_selection_set_hide_special(self->selection,
                                    gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(self->special)));
}

void
regard_controls_set_selection(RegardControls *self, RegardSelection *selection)
{
  static const struct {
    const char *signal;
    void (*callback)(RegardControls *self);
  } wanted[] = {
      {"style-changed", load_all},        {"notify::kind", load_all},
      {"notify::capture", load_all},      {"notify::merge-words", load_all},
      {"notify::hide-special", load_all}, {"notify::label-by", load_all},
      {"matrix-changed", load_colorbar},  {"hover-changed", load_colorbar},
      {"pin-changed", load_colorbar},     {"notify::simple", on_simple},
  };

  g_return_if_fail(!self->selection);
  self->selection = g_object_ref(selection);
  for (guint i = 0; i < G_N_ELEMENTS(wanted); i++)
    regard_connect(selection, wanted[i].signal, G_CALLBACK(wanted[i].callback), self);
  load_all(self);
  on_simple(self);
}

/* ---- Widgets --------------------------------------------------------------------------------- */

/* id: by which help knows it. */
static GtkWidget *
add_drop_down(RegardControls *self, const char *id, const char *const *items, const char *name,
              const char *tooltip)
{
  GtkWidget *drop_down = gtk_drop_down_new_from_strings(items);

  gtk_widget_set_name(drop_down, id);
  regard_widget_explain(drop_down, name, tooltip);
  g_signal_connect_swapped(drop_down, "notify::selected", G_CALLBACK(store), self);
  regard_wrap_append(self->wrap, drop_down);
  return drop_down;
}

static GtkWidget *
add_scales(RegardControls *self)
{
  const char *items[REGARD_N_SCALES + 1] = {NULL};

  for (guint i = 0; i < REGARD_N_SCALES; i++)
    items[i] = _(regard_scale_info(i)->name);
  return add_drop_down(self, "scale", items, _("Scale"),
                       _("How weights become colours: by their size, or so that faint ones are "
                         "visible. Numbers stay the weights themselves."));
}

static GtkWidget *
add_colors(RegardControls *self)
{
  guint n;
  const RegardColormap *const *maps = regard_colormaps(&n);
  g_autofree const char **items = g_new0(const char *, n + 1);

  self->maps = g_ptr_array_new();
  for (guint i = 0; i < n; i++)
    if (!maps[i]->diverging) { /* attention has no sign */
      items[self->maps->len] = _(maps[i]->name);
      g_ptr_array_add(self->maps, (gpointer) maps[i]);
    }
  return add_drop_down(self, "colours", items, _("Colours"),
                       _("Which colours stand for small and for large weights"));
}

static void
dispose(GObject *object)
{
  RegardControls *self = REGARD_CONTROLS(object);

  g_clear_object(&self->selection);
  g_clear_pointer(&self->other, regard_matrix_unref);
  g_clear_pointer(&self->wrap, gtk_widget_unparent);
  g_clear_pointer(&self->maps, g_ptr_array_unref);
  G_OBJECT_CLASS(regard_controls_parent_class)->dispose(object);
}

static void
regard_controls_class_init(RegardControlsClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = dispose;
  gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(klass), GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(klass), "controls");
}

static void
regard_controls_init(RegardControls *self)
{
  const char *const pieces[] = {_("Pieces"), _("Words"), NULL};
  const char *const label_by[] = {_("Rows: word that comes out"), _("Rows: word that goes in"),
                                  NULL};

  self->wrap = regard_wrap_new(6);
  regard_wrap_set_balanced(self->wrap);
  gtk_widget_set_parent(self->wrap, GTK_WIDGET(self));
  self->colorbar = regard_colorbar_new();
  gtk_widget_set_valign(self->colorbar, GTK_ALIGN_CENTER);
  regard_wrap_append(self->wrap, self->colorbar);
  self->scale = add_scales(self);
  self->colors = add_colors(self);
  self->pieces =
      add_drop_down(self, "pieces-or-words", pieces, _("Pieces as the model sees them, or words"),
                    _("As words, the pieces of a word are one row and one column: weights "
                      "of keys are added, those of queries averaged"));
  self->label_by =
      add_drop_down(self, "label-rows", label_by,
                    _("Name decoder rows by the token that comes out, or that goes in"),
                    _("A row of the decoder has two words: one goes in, one comes out of it. This "
                      "chooses which of them is written beside the row."));
  self->special = gtk_toggle_button_new_with_label(_("Hide ⏎"));
  gtk_widget_set_name(self->special, "hide-special");
  gtk_widget_set_tooltip_text(
      self->special, _("Leaves out ⏎, the end of the sentence, and other special tokens. Bars "
                       "beside the rows say how much weight is hidden."));
  regard_accessible_set_label(self->special, _("Hide special tokens"));
  g_signal_connect_swapped(self->special, "toggled", G_CALLBACK(store), self);
  regard_wrap_append(self->wrap, self->special);
}

GtkWidget *
regard_controls_new(void)
{
  return g_object_new(REGARD_TYPE_CONTROLS, NULL);
}
