/* regard-matrix-file.c — matrices on their own, and their form in a file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Numbers are written so that the same float is read; null is none. A label that is its text and
 * stands for one token is that text, any other an object.
 */
#include "figures/regard-matrix-file.h"

#include "figures/regard-figure-private.h"
#include "figures/regard-language.h"

#include <math.h>
#include <string.h>

/* ---- Without an origin ------------------------------------------------------------------------
 */

static RegardAxis
axis_of(guint n, RegardLabel *labels, const char *title, const char *noun, RegardTicks ticks)
{
  return (RegardAxis){.n = n, .title = title, .noun = noun, .ticks = ticks, .labels = labels};
}

/* What is hidden is what these two say of it, and nothing else. */
static gboolean
is_mask_plain(const RegardMatrix *m)
{
  return !m->mask.interventions && !m->mask.other && !m->mask.rows && !m->mask.cols;
}

static float *
copy_numbers(const float *numbers, gsize n)
{
  return numbers ? g_memdup2(numbers, MAX(n, 1) * sizeof *numbers) : NULL;
}

RegardMatrix *
regard_matrix_new_frozen(const RegardMatrix *m)
{
  const gsize n = (gsize) m->rows * m->cols;
  RegardAxis rows = axis_of(m->rows, m->row_labels, m->row_title, m->row_noun, m->row_ticks);
  RegardAxis cols = axis_of(m->cols, m->col_labels, m->col_title, m->col_noun, m->col_ticks);
  if (n > REGARD_MATRIX_MOST_CELLS || n == 0 || m->rows > REGARD_MATRIX_MOST_SIDE ||
      m->cols > REGARD_MATRIX_MOST_SIDE || !is_mask_plain(m) || !m->title || !m->value_name ||
      !m->row_title || !m->col_title)
    return NULL;
  cols.split = m->col_split;
  memcpy(cols.parts, m->col_parts, sizeof cols.parts);
  RegardMatrix *frozen = regard_matrix_new_from(&(RegardMatrixSource){
      .id = m->id,
      .title = m->title,
      .value_name = m->value_name,
      .model_name = m->model_name,
      .badges = (const char *const *) m->badges,
      .rows = rows,
      .cols = cols,
      .values = copy_numbers(m->values, n),
      .is_square = m->is_square,
      .aspect = m->aspect,
      .is_ranked = m->is_ranked,
      .mask = {.is_causal = m->mask.is_causal, .window = m->mask.window},
  });
  frozen->removed_mass = copy_numbers(m->removed_mass, m->rows);
  frozen->received = copy_numbers(m->received, m->cols);
  frozen->rows_are_distributions = m->rows_are_distributions;
  frozen->diverging = m->diverging;
  frozen->lo = m->lo;
  frozen->hi = m->hi;
  return frozen;
}

/* ---- Writing ---------------------------------------------------------------------------------
 */

static const char *const ticks_ids[] = {"words", "decimal", "binary", NULL};

static void
add(json_object *object, const char *key, json_object *value)
{
  json_object_object_add(object, key, value);
}

static json_object *
text(const char *string)
{
  return string ? json_object_new_string(string) : NULL;
}

static json_object *
number(float value)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  return isfinite(value)
             ? json_object_new_double_s((double) value, regard_exact_number(digits, value))
             : NULL;
}

static json_object *
numbers(const float *values, gsize n)
{
  json_object *list = values ? json_object_new_array() : NULL;
  for (gsize i = 0; values && i < n; i++)
    json_object_array_add(list, number(values[i]));
  return list;
}

static json_object *
write_label(const RegardLabel *label, guint i)
{
  if (g_strcmp0(label->piece, label->text) == 0 && !label->other && !label->prefix &&
      !label->suffix && !label->special && !label->is_task && label->first_token == i &&
      label->n_tokens == 1)
    return text(label->text);
  json_object *object = json_object_new_object();
  add(object, "text", text(label->text));
  add(object, "piece", text(label->piece));
  add(object, "other", text(label->other));
  add(object, "prefix", text(label->prefix));
  add(object, "suffix", text(label->suffix));
  add(object, "special", json_object_new_boolean(label->special));
  add(object, "task", json_object_new_boolean(label->is_task));
  add(object, "first", json_object_new_int64(label->first_token));
  add(object, "tokens", json_object_new_int64(label->n_tokens));
  return object;
}

static json_object *
write_axis(guint n, const RegardLabel *labels, const char *title, const char *noun,
           RegardTicks ticks)
{
  json_object *object = json_object_new_object(), *list = json_object_new_array();
  for (guint i = 0; i < n; i++)
    json_object_array_add(list, write_label(&labels[i], i));
  add(object, "title", text(title));
  add(object, "noun", text(noun));
  add(object, "ticks", text(ticks_ids[ticks]));
  add(object, "labels", list);
  return object;
}

json_object *
regard_matrix_write(const RegardMatrix *m)
{
  json_object *object = json_object_new_object(), *badges = json_object_new_array();
  json_object *columns =
      write_axis(m->cols, m->col_labels, m->col_title, m->col_noun, m->col_ticks);
  for (char **badge = m->badges; *badge; badge++)
    json_object_array_add(badges, text(*badge));
  add(columns, "split", json_object_new_int64(m->col_split));
  add(columns, "first_part", text(m->col_parts[0]));
  add(columns, "second_part", text(m->col_parts[1]));
  add(object, "id", text(m->id));
  add(object, "title", text(m->title));
  add(object, "quantity", text(m->value_name));
  add(object, "model", text(m->model_name));
  add(object, "badges", badges);
  add(object, "rows", write_axis(m->rows, m->row_labels, m->row_title, m->row_noun, m->row_ticks));
  add(object, "columns", columns);
  add(object, "square", json_object_new_boolean(m->is_square));
  add(object, "aspect", number((float) m->aspect));
  add(object, "ranked", json_object_new_boolean(m->is_ranked));
  add(object, "signed", json_object_new_boolean(m->diverging));
  add(object, "distributions", json_object_new_boolean(m->rows_are_distributions));
  add(object, "causal", json_object_new_boolean(m->mask.is_causal));
  add(object, "window", json_object_new_int64((gint64) m->mask.window));
  add(object, "least", number(m->lo));
  add(object, "most", number(m->hi));
  add(object, "values", numbers(m->values, (gsize) m->rows * m->cols));
  add(object, "hidden_mass", numbers(m->removed_mass, m->rows));
  add(object, "received", numbers(m->received, m->cols));
  return object;
}

/* ---- Reading ---------------------------------------------------------------------------------
 */

static json_object *
get(json_object *object, const char *key)
{
  json_object *value = NULL;
  json_object_object_get_ex(object, key, &value);
  return value;
}

/* FALSE: it is no text of ours; *found is NULL where it may be missing and is. Borrowed. */
static gboolean
get_text(json_object *object, const char *key, gboolean may_miss, const char **found)
{
  json_object *value = get(object, key);
  *found = NULL;
  if (!value)
    return may_miss;
  if (!json_object_is_type(value, json_type_string))
    return FALSE;
  const gsize n = (gsize) json_object_get_string_len(value);
  *found = json_object_get_string(value);
  return n <= REGARD_MATRIX_MOST_TEXT && strlen(*found) == n && g_utf8_validate(*found, -1, NULL);
}

/* Names of quantities and nouns live as long as the program, as those of the program do. */
static gboolean
get_name(json_object *object, const char *key, gboolean may_miss, const char **found)
{
  if (!get_text(object, key, may_miss, found) || (*found && strlen(*found) > 64))
    return FALSE;
  *found = g_intern_string(*found);
  return TRUE;
}

static gboolean
get_flag(json_object *object, const char *key, gboolean *flag)
{
  json_object *value = get(object, key);
  *flag = value && json_object_get_boolean(value);
  return json_object_is_type(value, json_type_boolean);
}

static gboolean
get_count(json_object *object, const char *key, gint64 most, guint *count)
{
  json_object *value = get(object, key);
  const gint64 n = json_object_is_type(value, json_type_int) ? json_object_get_int64(value) : -1;
  *count = (guint) CLAMP(n, 0, most);
  return n >= 0 && n <= most;
}

/* null is NAN. */
static gboolean
get_number(json_object *value, float *number)
{
  *number = NAN;
  if (!value)
    return TRUE;
  if (!json_object_is_type(value, json_type_double) && !json_object_is_type(value, json_type_int))
    return FALSE;
  *number = (float) json_object_get_double(value);
  return isfinite(*number);
}

/* So many, or NULL where it may be missing and is; the caller frees them. */
static gboolean
get_numbers(json_object *object, const char *key, gsize n, gboolean may_miss, float **read)
{
  json_object *list = get(object, key);
  if (!list)
    return may_miss;
  if (!json_object_is_type(list, json_type_array) || json_object_array_length(list) != n)
    return FALSE;
  *read = g_new(float, MAX(n, 1));
  for (gsize i = 0; i < n; i++)
    if (!get_number(json_object_array_get_idx(list, i), &(*read)[i]))
      return FALSE;
  return TRUE;
}

/* What label_read takes labels of. */
typedef struct {
  json_object *labels;
} Listed;

static gboolean
is_label(json_object *label)
{
  static const char *const texts[] = {"piece", "other", "prefix", "suffix"};
  const char *found;
  gboolean flag;
  guint count;
  if (json_object_is_type(label, json_type_string)) {
    const gsize n = (gsize) json_object_get_string_len(label);
    const char *string = json_object_get_string(label);
    return n <= REGARD_MATRIX_MOST_TEXT && strlen(string) == n && g_utf8_validate(string, -1, NULL);
  }
  if (!json_object_is_type(label, json_type_object) || !get_text(label, "text", FALSE, &found))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS(texts); i++)
    if (!get_text(label, texts[i], TRUE, &found))
      return FALSE;
  return get_flag(label, "special", &flag) && get_flag(label, "task", &flag) &&
         get_count(label, "first", REGARD_MATRIX_MOST_SIDE, &count) &&
         get_count(label, "tokens", REGARD_MATRIX_MOST_SIDE, &count);
}

/* Of one that is_label. */
static void
label_read(gconstpointer data, guint i, RegardLabel *label)
{
  json_object *from = json_object_array_get_idx(((const Listed *) data)->labels, i);
  const char *found;
  if (json_object_is_type(from, json_type_string)) {
    label->text = g_strdup(json_object_get_string(from));
    label->piece = g_strdup(label->text);
    return;
  }
  get_text(from, "text", FALSE, &found);
  label->text = g_strdup(found);
  get_text(from, "piece", TRUE, &found);
  label->piece = g_strdup(found ? found : label->text);
  get_text(from, "other", TRUE, &found);
  label->other = g_strdup(found);
  get_text(from, "prefix", TRUE, &found);
  label->prefix = g_strdup(found);
  get_text(from, "suffix", TRUE, &found);
  label->suffix = g_strdup(found);
  get_flag(from, "special", &label->special);
  get_flag(from, "task", &label->is_task);
  get_count(from, "first", REGARD_MATRIX_MOST_SIDE, &label->first_token);
  get_count(from, "tokens", REGARD_MATRIX_MOST_SIDE, &label->n_tokens);
}

static gboolean
read_axis(json_object *object, Listed *listed, RegardAxis *axis)
{
  const char *ticks = NULL;
  guint n = 0;
  if (!json_object_is_type(object, json_type_object) ||
      !get_text(object, "title", FALSE, &axis->title) ||
      !get_name(object, "noun", TRUE, &axis->noun) || !get_text(object, "ticks", FALSE, &ticks))
    return FALSE;
  while (ticks_ids[n] && !g_str_equal(ticks_ids[n], ticks))
    n++;
  if (!ticks_ids[n])
    return FALSE;
  axis->ticks = (RegardTicks) n;
  listed->labels = get(object, "labels");
  if (!json_object_is_type(listed->labels, json_type_array))
    return FALSE;
  const gsize length = json_object_array_length(listed->labels);
  if (length == 0 || length > REGARD_MATRIX_MOST_SIDE)
    return FALSE;
  for (gsize i = 0; i < length; i++)
    if (!is_label(json_object_array_get_idx(listed->labels, i)))
      return FALSE;
  axis->n = (guint) length;
  axis->label = label_read;
  axis->data = listed;
  return TRUE;
}

static gboolean
read_columns(json_object *object, Listed *listed, RegardAxis *axis)
{
  return read_axis(object, listed, axis) && get_count(object, "split", axis->n, &axis->split) &&
         get_name(object, "first_part", axis->split == 0, &axis->parts[0]) &&
         get_name(object, "second_part", axis->split == 0, &axis->parts[1]);
}

static gboolean
read_badges(json_object *list, GPtrArray *badges)
{
  const gsize n =
      json_object_is_type(list, json_type_array) ? json_object_array_length(list) : G_MAXSIZE;
  for (gsize i = 0; n <= REGARD_MATRIX_MOST_WORDS && i < n; i++) {
    json_object *badge = json_object_array_get_idx(list, i);
    if (!json_object_is_type(badge, json_type_string) || !is_label(badge))
      return FALSE;
    g_ptr_array_add(badges, (gpointer) json_object_get_string(badge));
  }
  g_ptr_array_add(badges, NULL);
  return n <= REGARD_MATRIX_MOST_WORDS;
}

/* What is behind the numbers that a source has. */
typedef struct {
  gboolean is_signed, is_distribution;
  float *values, *removed, *received; /* owned */
  float lo, hi;
} Rest;

static void
rest_clear(Rest *rest)
{
  g_free(rest->values);
  g_free(rest->removed);
  g_free(rest->received);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Rest, rest_clear)

static gboolean
read_rest(json_object *object, RegardMatrixSource *source, Rest *rest)
{
  gboolean is_causal = FALSE;
  guint window = 0;
  float aspect = 1;
  const gsize n = (gsize) source->rows.n * source->cols.n;
  if (n > REGARD_MATRIX_MOST_CELLS || !get_flag(object, "square", &source->is_square) ||
      !get_flag(object, "ranked", &source->is_ranked) ||
      !get_flag(object, "signed", &rest->is_signed) ||
      !get_flag(object, "distributions", &rest->is_distribution) ||
      !get_flag(object, "causal", &is_causal) ||
      !get_count(object, "window", REGARD_MATRIX_MOST_SIDE, &window) ||
      !get_number(get(object, "aspect"), &aspect) || !(aspect >= 1 && aspect <= 100) ||
      !get_number(get(object, "least"), &rest->lo) || !get_number(get(object, "most"), &rest->hi) ||
      !(rest->hi > rest->lo) || (rest->is_signed ? rest->lo != -rest->hi : rest->lo < 0) ||
      !get_numbers(object, "values", n, FALSE, &rest->values) ||
      !get_numbers(object, "hidden_mass", source->rows.n, TRUE, &rest->removed) ||
      !get_numbers(object, "received", source->cols.n, TRUE, &rest->received))
    return FALSE;
  source->aspect = (double) aspect;
  source->mask = (mt_attention_mask){.is_causal = is_causal, .window = window};
  return TRUE;
}

RegardMatrix *
regard_matrix_read(json_object *object, const char **expected)
{
  RegardMatrixSource source = {0};
  Listed rows = {0}, cols = {0};
  g_auto(Rest) rest = {0};
  g_autoptr(GPtrArray) badges = g_ptr_array_new();
  *expected = _("a matrix: title, quantity, rows and columns with a label each, values, range");
  if (!json_object_is_type(object, json_type_object) || !get_name(object, "id", TRUE, &source.id) ||
      !get_text(object, "title", FALSE, &source.title) ||
      !get_text(object, "quantity", FALSE, &source.value_name) ||
      !get_text(object, "model", TRUE, &source.model_name) ||
      !read_badges(get(object, "badges"), badges) ||
      !read_axis(get(object, "rows"), &rows, &source.rows) ||
      !read_columns(get(object, "columns"), &cols, &source.cols) ||
      !read_rest(object, &source, &rest))
    return NULL;
  source.badges = (const char *const *) badges->pdata;
  source.values = g_steal_pointer(&rest.values);
  RegardMatrix *m = regard_matrix_new_from(&source);
  m->removed_mass = g_steal_pointer(&rest.removed);
  m->received = g_steal_pointer(&rest.received);
  m->rows_are_distributions = rest.is_distribution;
  m->diverging = rest.is_signed;
  m->lo = rest.lo;
  m->hi = rest.hi;
  return m;
}
