/* mt-recipe.c — how links are read from cross-attention: one row for each setting.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Defaults, text, JSON, the options of the command line, the controls of the window and what a grid
 * varies go through the rows.
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "files/mt-json.h"
#include "mt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Layers and heads, as text --------------------------------------------------------------- */

/* Of which layer or heads a recipe takes its matrix, as text. */

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

/* The place: "auto", "4", "4.1", "4.1+5.1". False: it is not one, and nothing is changed. */
static bool
read_place(mt_recipe *recipe, const char *text, size_t n)
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

/* out [MT_RECIPE_TEXT_SIZE] */
static void
write_place(const mt_recipe *recipe, char *out)
{
  if (recipe->n_heads > 0)
    write_heads(recipe, "+", out, MT_RECIPE_TEXT_SIZE);
  else if (recipe->layer == MT_RECIPE_AUTO)
    snprintf(out, MT_RECIPE_TEXT_SIZE, "auto");
  else
    snprintf(out, MT_RECIPE_TEXT_SIZE, "%d", recipe->layer + 1);
}

/* "layer 4", "heads 4.1 + 5.1", for people. */
static void
describe_place(const mt_recipe *recipe, char *out)
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

/* ---- Rows ------------------------------------------------------------------------------------ */

static const char *const matrices[] = {"norms", "weights", NULL};
static const char *const rows[] = {"input", "output", NULL};
static const char *const row_phrases[] = {"input row", "output row", NULL};
static const char *const pieces[] = {"sum", "mean", NULL};
static const char *const source_phrases[] = {"source pieces summed", "source pieces averaged",
                                             NULL};
static const char *const target_phrases[] = {"target pieces summed", "target pieces averaged",
                                             NULL};
static const char *const specials[] = {"drop", "keep", NULL};
static const char *const special_phrases[] = {"</s> dropped", "</s> kept", NULL};
static const char *const choices[] = {"argmax", "threshold", NULL};
static const char *const choose_phrases[] = {"arg max", "at least", NULL};
static const char *const symmetries[] = {"none", "intersection", "union", "grow-diag-final", NULL};
static const char *const symmetry_phrases[] = {"one direction", "intersection of both directions",
                                               "union of both directions", "grow-diag-final", NULL};
static const char *const switches[] = {"off", "on", NULL};
static const char *const punctuation_phrases[] = {"punctuation rule off", "punctuation rule on",
                                                  NULL};

enum { ROW_MATRIX, ROW_PLACE, ROW_CHOOSE = 6, ROW_THRESHOLD };

/* A setting that is one of several words. */
#define CHOICE(member, title, says, words, said)                                      \
  {                                                                                   \
    {.key = #member, .name = title, .help = says, .choices = words, .phrases = said}, \
        offsetof(mt_recipe, member)                                                   \
  }

static const struct {
  mt_recipe_field about;
  size_t offset; /* of an enum, or a double */
} fields[] = {
    [ROW_MATRIX] =
        CHOICE(matrix, "Matrix", "Norms of what a source token gives to a target token, or weights",
               matrices, matrices),
    [ROW_PLACE] = {{.key = "of",
                    .name = "Of",
                    .help = "A layer such as 4, a head 4.1, heads 4.1+5.1, or auto: the layer with "
                            "the highest mean norm",
                    .type = MT_RECIPE_PLACE},
                   0},
    CHOICE(row, "Row", "The decoder row whose input is the word, or the one that predicts it", rows,
           row_phrases),
    CHOICE(source, "Pieces of a source word", "What becomes of the pieces of a source word", pieces,
           source_phrases),
    CHOICE(target, "Pieces of a target word", "What becomes of the pieces of a target word", pieces,
           target_phrases),
    CHOICE(special, "Special tokens",
           "Leave </s> out, or keep it: a word that is most its has no link", specials,
           special_phrases),
    [ROW_CHOOSE] =
        CHOICE(choose, "Choose", "The largest of each target word, or all above the threshold",
               choices, choose_phrases),
    [ROW_THRESHOLD] = {{.key = "threshold",
                        .name = "Threshold",
                        .help = "Least share of the row of a target word",
                        .type = MT_RECIPE_NUMBER,
                        .least = 0.001,
                        .most = 1},
                       offsetof(mt_recipe, threshold)},
    CHOICE(symmetry, "Both directions",
           "What becomes of the links of a second model of the other direction", symmetries,
           symmetry_phrases),
    CHOICE(punctuation, "Punctuation rule",
           "Whether words without letter and digit go with such only", switches,
           punctuation_phrases),
};
#define N_FIELDS (sizeof fields / sizeof *fields)
_Static_assert(N_FIELDS <= 32, "a grid has a bit for each row");
_Static_assert(sizeof(mt_recipe_matrix) == sizeof(int), "choices are read as int");

mt_recipe
mt_recipe_default(void)
{
  return (mt_recipe){.layer = MT_RECIPE_AUTO, .target = MT_RECIPE_MEAN, .threshold = 0.2};
}

size_t
mt_recipe_n_fields(void)
{
  return N_FIELDS;
}

const mt_recipe_field *
mt_recipe_field_at(size_t i)
{
  return &fields[i].about;
}

static bool
find_key(const char *key, size_t n, size_t *i)
{
  for (*i = 0; *i < N_FIELDS; (*i)++)
    if (strlen(fields[*i].about.key) == n && memcmp(fields[*i].about.key, key, n) == 0)
      return true;
  return false;
}

bool
mt_recipe_find_field(const char *key, size_t *i)
{
  return find_key(key, strlen(key), i);
}

/* ---- Values ---------------------------------------------------------------------------------- */

double
mt_recipe_get(const mt_recipe *recipe, size_t i)
{
  const char *member = (const char *) recipe + fields[i].offset;
  double number;
  int choice;
  switch (fields[i].about.type) {
  case MT_RECIPE_NUMBER:
    memcpy(&number, member, sizeof number);
    return number;
  case MT_RECIPE_CHOICE:
    memcpy(&choice, member, sizeof choice);
    return choice;
  case MT_RECIPE_PLACE:
    break;
  }
  return -1;
}

static size_t
count(const char *const *list)
{
  size_t n = 0;
  while (list[n])
    n++;
  return n;
}

bool
mt_recipe_set(mt_recipe *recipe, size_t i, double value, mt_error *error)
{
  const mt_recipe_field *about = &fields[i].about;
  char *member = (char *) recipe + fields[i].offset;
  switch (about->type) {
  case MT_RECIPE_NUMBER:
    if (!(value >= about->least && value <= about->most))
      return mt_fail(error, MT_ERROR_INPUT, "The %s of a recipe is %g; it must be %g to %g.",
                     about->key, value, about->least, about->most);
    /* As many decimals as its text has. */
    memcpy(member, &(double){round(value * 1e6) / 1e6}, sizeof value);
    return true;
  case MT_RECIPE_CHOICE:
    if (!(value >= 0 && value < (double) count(about->choices)))
      return mt_fail(error, MT_ERROR_INPUT, "There is no choice %g of %s.", value, about->key);
    memcpy(member, &(int){(int) value}, sizeof(int));
    return true;
  case MT_RECIPE_PLACE:
    break;
  }
  return mt_fail(error, MT_ERROR_INPUT, "A place is no number.");
}

static bool
fail_text(const mt_recipe_field *about, const char *value, size_t n, mt_error *error)
{
  char list[160] = "";
  const int shown = n < 80 ? (int) n : 80;
  size_t used = 0;
  switch (about->type) {
  case MT_RECIPE_CHOICE:
    for (size_t i = 0; about->choices[i] && used < sizeof list; i++)
      used += (size_t) snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "",
                                about->choices[i]);
    return mt_fail(error, MT_ERROR_INPUT, "%s: expected one of %s, found \"%.*s\".", about->key,
                   list, shown, value);
  case MT_RECIPE_NUMBER:
    return mt_fail(error, MT_ERROR_INPUT, "%s: expected a number from %g to %g, found \"%.*s\".",
                   about->key, about->least, about->most, shown, value);
  case MT_RECIPE_PLACE:
    break;
  }
  return mt_fail(error, MT_ERROR_INPUT,
                 "%s: expected a layer such as 4, a head 4.1, at most %d heads 4.1+5.1, all "
                 "different, or auto, found \"%.*s\".",
                 about->key, MT_RECIPE_MOST_HEADS, shown, value);
}

/* Digits, a point, digits: whatever the locale of the program is. */
static bool
read_number(const char *text, size_t n, double *number)
{
  double value = 0, scale = 1;
  size_t n_digits = 0;
  bool is_behind = false;
  for (size_t i = 0; i < n; i++) {
    if (text[i] == '.' && !is_behind) {
      is_behind = true;
    } else if (text[i] >= '0' && text[i] <= '9' && n_digits < 12) {
      value = value * 10 + (text[i] - '0');
      scale *= is_behind ? 10 : 1;
      n_digits++;
    } else {
      return false;
    }
  }
  *number = value / scale;
  return n_digits > 0;
}

static bool
set_text(mt_recipe *recipe, size_t i, const char *value, size_t n, mt_error *error)
{
  const mt_recipe_field *about = &fields[i].about;
  double number;
  switch (about->type) {
  case MT_RECIPE_CHOICE:
    for (size_t c = 0; about->choices[c]; c++)
      if (strlen(about->choices[c]) == n && memcmp(about->choices[c], value, n) == 0)
        return mt_recipe_set(recipe, i, (double) c, error);
    break;
  case MT_RECIPE_NUMBER:
    if (read_number(value, n, &number) && number >= about->least && number <= about->most)
      return mt_recipe_set(recipe, i, number, error);
    break;
  case MT_RECIPE_PLACE:
    if (read_place(recipe, value, n))
      return true;
    break;
  }
  return fail_text(about, value, n, error);
}

/* The fewest decimals that are read back as the same number. Nothing here has more than twelve. */
static void
write_number(double number, char *out)
{
  for (int decimals = 0; decimals <= 11; decimals++) {
    const double scale = pow(10, decimals);
    const double whole = floor(number), rest = round((number - whole) * scale);
    double back;
    if (decimals == 0)
      snprintf(out, MT_RECIPE_TEXT_SIZE, "%.0f", round(number));
    else
      snprintf(out, MT_RECIPE_TEXT_SIZE, "%.0f.%0*.0f", whole + (rest == scale), decimals,
               rest == scale ? 0 : rest);
    if (read_number(out, strlen(out), &back) && back == number)
      return;
  }
}

const char *
mt_recipe_get_text(const mt_recipe *recipe, size_t i, char *out)
{
  switch (fields[i].about.type) {
  case MT_RECIPE_CHOICE:
    snprintf(out, MT_RECIPE_TEXT_SIZE, "%s",
             fields[i].about.choices[(size_t) mt_recipe_get(recipe, i)]);
    break;
  case MT_RECIPE_NUMBER:
    write_number(mt_recipe_get(recipe, i), out);
    break;
  case MT_RECIPE_PLACE:
    write_place(recipe, out);
    break;
  }
  return out;
}

/* A threshold that nobody looks at is no part of a recipe. */
static bool
counts(const mt_recipe *recipe, size_t i)
{
  return i != ROW_THRESHOLD || recipe->choose == MT_RECIPE_THRESHOLD;
}

bool
mt_recipe_equal(const mt_recipe *a, const mt_recipe *b)
{
  for (size_t i = 0; i < N_FIELDS; i++) {
    if (fields[i].about.type == MT_RECIPE_PLACE) {
      if (a->n_heads != b->n_heads || (a->n_heads == 0 && a->layer != b->layer) ||
          memcmp(a->heads, b->heads, a->n_heads * sizeof *a->heads) != 0)
        return false;
    } else if (counts(a, i) && mt_recipe_get(a, i) != mt_recipe_get(b, i)) {
      return false;
    }
  }
  return true;
}

/* ---- Text ------------------------------------------------------------------------------------ */

const char *
mt_recipe_text(const mt_recipe *recipe, char *out)
{
  char value[MT_RECIPE_TEXT_SIZE];
  size_t n = 0;
  *out = '\0';
  for (size_t i = 0; i < N_FIELDS && n < MT_RECIPE_TEXT_SIZE; i++)
    if (counts(recipe, i))
      n += (size_t) snprintf(out + n, MT_RECIPE_TEXT_SIZE - n, "%s%s=%s", n ? " " : "",
                             fields[i].about.key, mt_recipe_get_text(recipe, i, value));
  return out;
}

static bool
is_space(char c)
{
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool
mt_recipe_parse(mt_recipe *recipe, const char *label, const char *text, mt_error *error)
{
  mt_recipe read = mt_recipe_default();
  for (const char *at = text;;) {
    while (is_space(*at))
      at++;
    if (!*at)
      break;
    const char *end = at;
    while (*end && !is_space(*end))
      end++;
    const char *is = memchr(at, '=', (size_t) (end - at));
    const int shown = end - at < 80 ? (int) (end - at) : 80;
    size_t i;
    mt_error own = {0};
    if (!is || !find_key(at, (size_t) (is - at), &i))
      return mt_fail(error, MT_ERROR_INPUT,
                     "%s: expected a setting of a recipe such as row=input, found \"%.*s\".", label,
                     shown, at);
    if (!set_text(&read, i, is + 1, (size_t) (end - is - 1), &own))
      return mt_fail(error, own.code, "%s: %s", label, own.message);
    at = end;
  }
  *recipe = read;
  return true;
}

const char *
mt_recipe_describe(const mt_recipe *recipe, uint32_t rows_wanted, char *out)
{
  char part[MT_RECIPE_TEXT_SIZE], number[MT_RECIPE_TEXT_SIZE];
  size_t n = 0;
  *out = '\0';
  for (size_t i = 0; i < N_FIELDS && n < MT_RECIPE_TEXT_SIZE; i++) {
    const mt_recipe_field *about = &fields[i].about;
    if (!(rows_wanted >> i & 1) || about->type == MT_RECIPE_NUMBER)
      continue;
    if (about->type == MT_RECIPE_PLACE)
      describe_place(recipe, part);
    else
      snprintf(part, sizeof part, "%s", about->phrases[(size_t) mt_recipe_get(recipe, i)]);
    n += (size_t) snprintf(out + n, MT_RECIPE_TEXT_SIZE - n, "%s%s", n ? ", " : "", part);
    if (i == ROW_CHOOSE && recipe->choose == MT_RECIPE_THRESHOLD && n < MT_RECIPE_TEXT_SIZE)
      n += (size_t) snprintf(out + n, MT_RECIPE_TEXT_SIZE - n, " %s of the row",
                             mt_recipe_get_text(recipe, ROW_THRESHOLD, number));
  }
  return out;
}

/* ---- Does it fit ----------------------------------------------------------------------------- */

bool
mt_recipe_check(const mt_recipe *recipe, size_t n_layers, size_t n_heads, mt_error *error)
{
  if (recipe->n_heads == 0 && recipe->layer >= 0 && (size_t) recipe->layer >= n_layers)
    return mt_fail(error, MT_ERROR_INPUT, "There is no layer %d; the decoder has %zu.",
                   recipe->layer + 1, n_layers);
  for (size_t i = 0; i < recipe->n_heads; i++)
    if (recipe->heads[i].layer >= n_layers || recipe->heads[i].head >= n_heads)
      return mt_fail(error, MT_ERROR_INPUT,
                     "There is no head %d.%d; the decoder has %zu layers of %zu heads.",
                     recipe->heads[i].layer + 1, recipe->heads[i].head + 1, n_layers, n_heads);
  return true;
}

void
mt_recipe_choose_layer(mt_recipe *recipe, const double *sums, size_t n_layers)
{
  if (recipe->n_heads > 0 || recipe->layer != MT_RECIPE_AUTO || n_layers == 0)
    return;
  recipe->layer = 0;
  recipe->is_chosen = true;
  for (size_t l = 1; l < n_layers; l++)
    if (sums[l] > sums[recipe->layer])
      recipe->layer = (int) l;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

char *
mt_recipe_to_json(const mt_recipe *recipe, mt_error *error)
{
  mt_json_out out = {0};
  char value[MT_RECIPE_TEXT_SIZE];
  mt_json_begin(&out, NULL, '{');
  for (size_t i = 0; i < mt_recipe_n_fields(); i++) {
    const mt_recipe_field *field = mt_recipe_field_at(i);
    if (field->type != MT_RECIPE_NUMBER)
      mt_json_put_string(&out, field->key, mt_recipe_get_text(recipe, i, value));
    else if (recipe->choose == MT_RECIPE_THRESHOLD) /* the one number, as in the text */
      mt_json_put_number(&out, field->key, mt_recipe_get(recipe, i));
  }
  mt_json_end(&out);
  return mt_json_take(&out, "", error);
}

typedef struct {
  mt_recipe *recipe;
  const char *label;
  mt_error *error;
} reading;

static bool
read_member(void *user, const char *key, const mt_json_value *value)
{
  reading *r = user;
  size_t i;
  mt_error own = {0};
  char found[MT_JSON_DESCRIPTION_SIZE];
  const mt_json_kind kind = mt_json_kind_of(value);
  if (!mt_recipe_find_field(key, &i))
    return mt_fail(r->error, MT_ERROR_FORMAT, "%s: \"%s\" is no setting of a recipe.", r->label,
                   key);
  if (kind == MT_JSON_NULL)
    return true;
  const bool wants_number = mt_recipe_field_at(i)->type == MT_RECIPE_NUMBER;
  const char *text = kind == MT_JSON_STRING ? mt_json_string(value) : NULL;
  if (wants_number ? kind != MT_JSON_NUMBER && kind != MT_JSON_INTEGER : !text)
    return mt_fail(r->error, MT_ERROR_FORMAT, "%s: %s: expected a %s, found %s.", r->label, key,
                   wants_number ? "number" : "text", mt_json_describe(value, found));
  if (wants_number ? mt_recipe_set(r->recipe, i, mt_json_number(value), &own)
                   : set_text(r->recipe, i, text, strlen(text), &own))
    return true;
  return mt_fail(r->error, MT_ERROR_FORMAT, "%s: %s", r->label, own.message);
}

bool
mt_recipe_from_json(mt_recipe *recipe, const char *label, const char *text, size_t n,
                    mt_error *error)
{
  mt_json json = {0};
  mt_recipe read = mt_recipe_default();
  reading r = {&read, label, error};
  const bool ok =
      mt_json_parse(&json, label, text, n, error) && mt_json_each(json.root, read_member, &r);
  mt_json_clear(&json);
  if (ok)
    *recipe = read;
  return ok;
}

/* ---- Grids ----------------------------------------------------------------------------------- */

/* All recipes that differ in what one wants to compare. */

typedef struct {
  uint32_t vary;
  size_t n_layers, n_heads;
  bool has_reverse;
} grid;

/* How many values row i takes. */
static size_t
n_values(const grid *g, size_t i)
{
  const mt_recipe_field *field = mt_recipe_field_at(i);
  size_t n = 0;
  if (!(g->vary >> i & 1) || field->type == MT_RECIPE_NUMBER)
    return 1;
  if (field->type == MT_RECIPE_PLACE)
    return g->n_layers * (1 + g->n_heads);
  size_t symmetry;
  if (!g->has_reverse && mt_recipe_find_field("symmetry", &symmetry) && symmetry == i)
    return 1;
  while (field->choices[n])
    n++;
  return n;
}

/* Layers first, then heads. */
static void
put_place(const grid *g, mt_recipe *recipe, size_t value)
{
  recipe->n_heads = value >= g->n_layers;
  recipe->is_chosen = false;
  recipe->layer = recipe->n_heads ? MT_RECIPE_AUTO : (int) value;
  if (recipe->n_heads)
    recipe->heads[0] = (mt_recipe_head){(uint16_t) ((value - g->n_layers) / g->n_heads),
                                        (uint16_t) ((value - g->n_layers) % g->n_heads)};
}

mt_recipe *
mt_recipe_grid(const mt_recipe *base, uint32_t vary, size_t n_layers, size_t n_heads,
               bool has_reverse, size_t *n, mt_error *error)
{
  const grid g = {vary, n_layers, n_heads, has_reverse};
  const size_t n_fields = mt_recipe_n_fields();
  *n = 1;
  for (size_t i = 0; i < n_fields; i++)
    *n *= n_values(&g, i);
  mt_recipe *recipes = mt_alloc(*n, sizeof *recipes);
  if (!recipes)
    return mt_fail_no_memory(error), NULL;

  for (size_t r = 0; r < *n; r++) {
    size_t rest = r;
    recipes[r] = *base;
    for (size_t i = n_fields; i-- > 0;) {
      const size_t values = n_values(&g, i), value = rest % values;
      rest /= values;
      if (values == 1 || !(vary >> i & 1))
        continue;
      if (mt_recipe_field_at(i)->type == MT_RECIPE_PLACE)
        put_place(&g, &recipes[r], value);
      else
        mt_recipe_set(&recipes[r], i, (double) value, NULL);
    }
  }
  return recipes;
}

void
mt_recipes_free(mt_recipe *recipes)
{
  mt_free(recipes);
}
