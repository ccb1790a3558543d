/* regard-recipe-bar.c — the settings of an alignment recipe.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One control for each row of mt_recipe_field_at: a list for a choice and for the place, a number
 * where there is one. What needs a second model is left out: there is none here.
 */
#include "widgets/regard-recipe-bar.h"

#include "figures/regard-alignment.h"
#include "figures/regard-language.h"
#include "figures/regard-words.h"
#include "widgets/regard-gtk.h"
#include "widgets/regard-wrap-layout.h"

struct _RegardRecipeBar {
  GtkWidget parent_instance;

  mt_recipe recipe;
  mt_recipe heads; /* of the place: those that can be chosen */
  guint n_layers;
  GtkWidget *wrap;
  GtkWidget **controls; /* by row; NULL: the row is left out */
  gboolean is_showing;  /* what controls say is not the user's wish */
};

G_DEFINE_FINAL_TYPE(RegardRecipeBar, regard_recipe_bar, GTK_TYPE_WIDGET)

static guint changed_signal;

/* ---- Showing ----------------------------------------------------------------------------------
 */

/* The place in the list: by its norms, layers, heads. */
static guint
place_of(const RegardRecipeBar *self)
{
  if (self->recipe.n_heads > 0)
    return self->n_layers + 1;
  return self->recipe.layer == MT_RECIPE_AUTO ? 0 : (guint) self->recipe.layer + 1;
}

/* Its entries, anew. */
static void
fill_places(RegardRecipeBar *self, GtkWidget *list)
{
  GtkStringList *places = GTK_STRING_LIST(gtk_drop_down_get_model(GTK_DROP_DOWN(list)));
  gsize place;
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);

  mt_recipe_find_field("of", &place);
  g_ptr_array_add(names, g_strdup(_("layer by its norms")));
  for (guint i = 0; i < self->n_layers; i++)
    g_ptr_array_add(names, g_strdup_printf(_("layer %u"), i + 1));
  g_ptr_array_add(names, regard_recipe_describe(&self->heads, UINT32_C(1) << place));
  g_ptr_array_add(names, NULL);
  gtk_string_list_splice(places, 0, g_list_model_get_n_items(G_LIST_MODEL(places)),
                         (const char *const *) names->pdata);
}

static void
show(RegardRecipeBar *self)
{
  self->is_showing = TRUE;
  for (gsize i = 0; i < mt_recipe_n_fields(); i++) {
    GtkWidget *control = self->controls[i];

    if (!control)
      continue;
    switch (mt_recipe_field_at(i)->type) {
    case MT_RECIPE_CHOICE:
      gtk_drop_down_set_selected(GTK_DROP_DOWN(control), (guint) mt_recipe_get(&self->recipe, i));
      break;
    case MT_RECIPE_PLACE:
      gtk_drop_down_set_selected(GTK_DROP_DOWN(control), place_of(self));
      break;
    case MT_RECIPE_NUMBER:
      gtk_spin_button_set_value(GTK_SPIN_BUTTON(control), mt_recipe_get(&self->recipe, i));
      gtk_widget_set_visible(control, self->recipe.choose == MT_RECIPE_THRESHOLD);
      break;
    }
  }
  self->is_showing = FALSE;
  regard_accessible_name_inner_buttons(GTK_WIDGET(self));
}

static void
show_places(RegardRecipeBar *self)
{
  gsize place;

  mt_recipe_find_field("of", &place);
  self->is_showing = TRUE;
  fill_places(self, self->controls[place]);
  self->is_showing = FALSE;
  show(self);
}

/* ---- Choosing ---------------------------------------------------------------------------------
 */

static void
take_heads(RegardRecipeBar *self)
{
  self->recipe.layer = MT_RECIPE_AUTO;
  self->recipe.is_chosen = FALSE;
  self->recipe.n_heads = self->heads.n_heads;
  for (gsize h = 0; h < self->heads.n_heads; h++)
    self->recipe.heads[h] = self->heads.heads[h];
}

static void
choose_place(RegardRecipeBar *self, guint at)
{
  if (at == GTK_INVALID_LIST_POSITION)
    return;
  if (at > self->n_layers) {
    take_heads(self);
    return;
  }
  self->recipe.n_heads = 0;
  self->recipe.is_chosen = FALSE;
  self->recipe.layer = at == 0 ? MT_RECIPE_AUTO : (int) at - 1;
}

static void
on_control(GtkWidget *control, GParamSpec *pspec, gpointer data)
{
  RegardRecipeBar *self = data;
  const mt_recipe before = self->recipe;

  if (self->is_showing)
    return;
  for (gsize i = 0; i < mt_recipe_n_fields(); i++) {
    if (self->controls[i] != control)
      continue;
    switch (mt_recipe_field_at(i)->type) {
    case MT_RECIPE_CHOICE:
      mt_recipe_set(&self->recipe, i, gtk_drop_down_get_selected(GTK_DROP_DOWN(control)), NULL);
      break;
    case MT_RECIPE_PLACE:
      choose_place(self, gtk_drop_down_get_selected(GTK_DROP_DOWN(control)));
      break;
    case MT_RECIPE_NUMBER:
      mt_recipe_set(&self->recipe, i, gtk_spin_button_get_value(GTK_SPIN_BUTTON(control)), NULL);
      break;
    }
  }
  show(self);
  if (!mt_recipe_equal(&before, &self->recipe))
    g_signal_emit(self, changed_signal, 0);
}

gboolean
regard_recipe_bar_set_heads(RegardRecipeBar *self, const mt_recipe_head *heads, guint n)
{
  const mt_recipe before = self->recipe;

  g_return_val_if_fail(n > 0, FALSE);
  self->heads.n_heads = MIN(n, MT_RECIPE_MOST_HEADS);
  for (gsize h = 0; h < self->heads.n_heads; h++)
    self->heads.heads[h] = heads[h];
  if (self->recipe.n_heads > 0)
    take_heads(self);
  show_places(self);
  return !mt_recipe_equal(&before, &self->recipe);
}

void
regard_recipe_bar_set_layers(RegardRecipeBar *self, guint n_layers)
{
  if (n_layers == self->n_layers)
    return;
  self->n_layers = n_layers;
  if (self->recipe.layer >= (int) n_layers)
    self->recipe.layer = MT_RECIPE_AUTO;
  show_places(self);
}

void
regard_recipe_bar_set_recipe(RegardRecipeBar *self, const mt_recipe *recipe)
{
  self->recipe = *recipe;
  if (recipe->n_heads > 0) {
    self->heads.n_heads = recipe->n_heads;
    for (gsize h = 0; h < recipe->n_heads; h++)
      self->heads.heads[h] = recipe->heads[h];
  }
  show_places(self);
}

const mt_recipe *
regard_recipe_bar_get_recipe(RegardRecipeBar *self)
{
  return &self->recipe;
}

/* ---- Life -------------------------------------------------------------------------------------
 */

#define MOST_CHOICES 8 /* of a setting */

static GtkWidget *
new_control(RegardRecipeBar *self, const mt_recipe_field *field)
{
  GtkWidget *control;

  if (field->type == MT_RECIPE_NUMBER) {
    control = gtk_spin_button_new_with_range(MAX(field->least, 0.01), field->most, 0.05);
    gtk_spin_button_set_digits(GTK_SPIN_BUTTON(control), 2);
    regard_spin_take_comma(GTK_SPIN_BUTTON(control));
    g_signal_connect(control, "notify::value", G_CALLBACK(on_control), self);
  } else {
    const char *words[MOST_CHOICES + 1] = {NULL};

    for (guint i = 0; field->phrases && i < MOST_CHOICES && field->phrases[i]; i++)
      words[i] = regard_recipe_word(field, i);
    control = gtk_drop_down_new_from_strings(words);
    g_signal_connect(control, "notify::selected", G_CALLBACK(on_control), self);
  }
  gtk_widget_set_tooltip_text(control, _(field->help));
  regard_accessible_set_label(control, regard_words_of("recipe", field->name));
  return control;
}

static void
dispose(GObject *object)
{
  RegardRecipeBar *self = REGARD_RECIPE_BAR(object);

  self->is_showing = TRUE;
  g_clear_pointer(&self->wrap, gtk_widget_unparent);
  g_clear_pointer(&self->controls, g_free);
  G_OBJECT_CLASS(regard_recipe_bar_parent_class)->dispose(object);
}

static void
regard_recipe_bar_class_init(RegardRecipeBarClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = dispose;
  changed_signal = regard_signal_new(klass, "changed", 0);
  gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(klass), GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role(GTK_WIDGET_CLASS(klass), GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(klass), "recipebar");
}

static void
regard_recipe_bar_init(RegardRecipeBar *self)
{
  gsize symmetry;

  self->recipe = self->heads = mt_recipe_default();
  self->heads.n_heads = 1;
  self->controls = g_new0(GtkWidget *, mt_recipe_n_fields());
  self->wrap = regard_wrap_new(6);
  regard_wrap_set_balanced(self->wrap);
  mt_recipe_find_field("symmetry", &symmetry);
  for (gsize i = 0; i < mt_recipe_n_fields(); i++)
    if (i != symmetry) {
      self->controls[i] = new_control(self, mt_recipe_field_at(i));
      regard_wrap_append(self->wrap, self->controls[i]);
    }
  gtk_widget_set_parent(self->wrap, GTK_WIDGET(self));
  gtk_widget_set_name(GTK_WIDGET(self), "recipe");
  regard_accessible_set_label(GTK_WIDGET(self), _("How links are read from cross-attention"));
  show_places(self);
}

GtkWidget *
regard_recipe_bar_new(void)
{
  return g_object_new(REGARD_TYPE_RECIPE_BAR, NULL);
}
