/* mt-recipe-place.c — of which layer or heads a recipe takes its matrix, as text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "alignment/mt-recipe.h"

#include <stdio.h>
#include <string.h>

/* A number from 1, at *at; moves it behind. */
static bool
read_ordinal(const char **at, const char *end, unsigned *number)
{
  const char *begin = *at;
  *number = 0;
  for (; *at < end && **at >= '0' && **at <= '9'; (*at)++) {
    *number = *number * 10 + (unsigned) (**at - '0');
    if (*number > UINT16_MAX)
      return false;
  }
  return *at > begin && *number > 0;
}

/* Where head belongs among those that are there; SIZE_MAX: it is there already. */
static size_t
find_head(const mt_recipe *recipe, mt_recipe_head head)
{
  size_t i = 0;
  for (; i < recipe->n_heads; i++) {
    const mt_recipe_head other = recipe->heads[i];
    if (other.layer == head.layer && other.head == head.head)
      return SIZE_MAX;
    if (other.layer > head.layer || (other.layer == head.layer && other.head > head.head))
      break;
  }
  return i;
}

/* Heads in order, so that those chosen alike are the same recipe. */
static bool
add_head(mt_recipe *recipe, mt_recipe_head head)
{
  const size_t at = find_head(recipe, head);
  if (at == SIZE_MAX || recipe->n_heads == MT_RECIPE_MOST_HEADS)
    return false;
  memmove(&recipe->heads[at + 1], &recipe->heads[at],
          (recipe->n_heads - at) * sizeof *recipe->heads);
  recipe->heads[at] = head;
  recipe->n_heads++;
  return true;
}

bool
mt_recipe_read_place(mt_recipe *recipe, const char *text, size_t n)
{
  mt_recipe read = *recipe;
  const char *at = text, *end = text + n;
  read.layer = MT_RECIPE_AUTO;
  read.n_heads = 0;
  read.is_chosen = false;
  memset(read.heads, 0, sizeof read.heads);
  if (n == 4 && memcmp(text, "auto", 4) == 0) {
    *recipe = read;
    return true;
  }
  for (;;) {
    unsigned layer, head;
    if (!read_ordinal(&at, end, &layer))
      return false;
    if (at == end && read.n_heads == 0) {
      read.layer = (int) layer - 1;
      break;
    }
    if (at == end || *at++ != '.' || !read_ordinal(&at, end, &head) ||
        !add_head(&read, (mt_recipe_head){(uint16_t) (layer - 1), (uint16_t) (head - 1)}))
      return false;
    if (at == end)
      break;
    if (*at++ != '+')
      return false;
  }
  *recipe = read;
  return true;
}

static void
write_heads(const mt_recipe *recipe, const char *between, char *out, size_t size)
{
  size_t n = 0;
  for (size_t i = 0; i < recipe->n_heads && n < size; i++)
    n += (size_t) snprintf(out + n, size - n, "%s%d.%d", i ? between : "",
                           recipe->heads[i].layer + 1, recipe->heads[i].head + 1);
}

void
mt_recipe_write_place(const mt_recipe *recipe, char *out)
{
  if (recipe->n_heads > 0)
    write_heads(recipe, "+", out, MT_RECIPE_TEXT_SIZE);
  else if (recipe->layer == MT_RECIPE_AUTO)
    snprintf(out, MT_RECIPE_TEXT_SIZE, "auto");
  else
    snprintf(out, MT_RECIPE_TEXT_SIZE, "%d", recipe->layer + 1);
}

void
mt_recipe_describe_place(const mt_recipe *recipe, char *out)
{
  const int n = recipe->n_heads == 0
                    ? 0
                    : snprintf(out, MT_RECIPE_TEXT_SIZE, recipe->n_heads > 1 ? "heads " : "head ");
  if (recipe->n_heads > 0)
    write_heads(recipe, " + ", out + n, MT_RECIPE_TEXT_SIZE - (size_t) n);
  else if (recipe->layer == MT_RECIPE_AUTO)
    snprintf(out, MT_RECIPE_TEXT_SIZE, "layer with the highest mean norm");
  else
    snprintf(out, MT_RECIPE_TEXT_SIZE, "layer %d%s", recipe->layer + 1,
             recipe->is_chosen ? " (highest mean norm, chosen without gold)" : "");
}
