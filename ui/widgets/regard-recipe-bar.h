/* regard-recipe-bar.h — the settings of an alignment recipe, a control for each row of its list.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Signal: "changed", by the user.
 */
#pragma once

#include <gtk/gtk.h>
#include <mt.h>

G_BEGIN_DECLS

#define REGARD_TYPE_RECIPE_BAR (regard_recipe_bar_get_type())
G_DECLARE_FINAL_TYPE(RegardRecipeBar, regard_recipe_bar, REGARD, RECIPE_BAR, GtkWidget)

GtkWidget *regard_recipe_bar_new(void);
/* Of the decoder. */
void regard_recipe_bar_set_layers(RegardRecipeBar *self, guint n_layers);
/* The heads that can be chosen as a place besides layers; the recipe follows if it is of heads, and
 * TRUE then: it is another one. */
gboolean regard_recipe_bar_set_heads(RegardRecipeBar *self, const mt_recipe_head *heads, guint n);
void regard_recipe_bar_set_recipe(RegardRecipeBar *self, const mt_recipe *recipe);
const mt_recipe *regard_recipe_bar_get_recipe(RegardRecipeBar *self);

G_END_DECLS
