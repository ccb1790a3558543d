/* mt-recipe.h — parts of a recipe's text. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_RECIPE_H
#define MT_RECIPE_H

#include "mt.h"

/* The place: "auto", "4", "4.1", "4.1+5.1". False: it is not one, and nothing is changed. */
bool mt_recipe_read_place(mt_recipe *recipe, const char *text, size_t n);
/* out [MT_RECIPE_TEXT_SIZE] */
void mt_recipe_write_place(const mt_recipe *recipe, char *out);
/* "layer 4", "heads 4.1 + 5.1", for people. */
void mt_recipe_describe_place(const mt_recipe *recipe, char *out);

#endif
