/* regard-matrix-attention.c — an attention matrix as it is looked at: heads combined, subwords
 * merged, special tokens hidden, rows labelled.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Order of work: 1. combine heads on tokens; 2. group tokens into rows and columns; 3. a cell is
 * the mean over the queries of its row of the sum over the keys of its column. So a row still sums
 * to 1, less what was hidden. Nothing is divided by what is left.
 */
#include "figures/regard-attention-private.h"
#include <math.h>
#include <string.h>

#define MAX_NAMED_HEADS 4
/* How far the sum of a row may be from 1 before it is worth a word: binary16 is that coarse. */
#define ROUNDING 2e-3

const char *const regard_combine_ids[] = {"head", "mean", "max", "chosen", NULL};
const char *const regard_label_by_ids[] = {"output", "input", NULL};

/* Heads to combine, as indices layer * n_heads + head. The spec is normalised on the way: what is
 * one head in the end is REGARD_COMBINE_HEAD. */
static guint *
choose_heads(const mt_capture *capture, RegardMatrixSpec *spec, guint *n)
{
  guint n_layers = (guint) mt_capture_n_layers(capture, spec->kind);
  guint n_heads = (guint) mt_capture_n_heads(capture, spec->kind);
  guint *heads = g_new0(guint, (gsize) n_layers * n_heads);
  *n = 0;
  spec->layer = MIN(spec->layer, n_layers - 1);
  spec->head = MIN(spec->head, n_heads - 1);

  if (spec->combine == REGARD_COMBINE_CHOSEN) {
    for (guint i = 0; spec->chosen && i < n_layers * n_heads; i++)
      if (spec->chosen[i])
        heads[(*n)++] = i;
    if (*n == 1) {
      spec->layer = heads[0] / n_heads;
      spec->head = heads[0] % n_heads;
    }
  } else if (spec->combine != REGARD_COMBINE_HEAD) {
    for (guint h = 0; h < n_heads; h++)
      heads[(*n)++] = spec->layer * n_heads + h;
  }
  if (*n <= 1) {
    spec->combine = REGARD_COMBINE_HEAD;
    heads[0] = spec->layer * n_heads + spec->head;
    *n = 1;
  }
  return heads;
}

/* Token weights [rows][cols] of the combined heads; *owned is to be freed, NULL if the capture's
 * own matrix serves. */
static mt_matrix
combine_heads(const mt_capture *capture, const RegardMatrixSpec *spec, const guint *heads, guint n,
              float **owned)
{
  gsize n_heads = mt_capture_n_heads(capture, spec->kind);
  mt_matrix first = mt_capture_weights(capture, spec->kind, heads[0] / n_heads, heads[0] % n_heads);
  *owned = NULL;
  if (n == 1)
    return first;

  float *sum = *owned = g_new0(float, MAX(first.rows * first.cols, 1));
  for (guint i = 0; i < n; i++) {
    mt_matrix w = mt_capture_weights(capture, spec->kind, heads[i] / n_heads, heads[i] % n_heads);
    for (gsize r = 0; r < w.rows; r++)
      for (gsize c = 0; c < w.cols; c++) {
        float value = mt_matrix_at(&w, r, c), *to = &sum[r * w.cols + c];
        *to = i == 0 ? value : spec->combine == REGARD_COMBINE_MAX ? MAX(*to, value) : *to + value;
      }
  }
  if (spec->combine != REGARD_COMBINE_MAX)
    for (gsize i = 0; i < first.rows * first.cols; i++)
      sum[i] /= (float) n;
  return (mt_matrix){sum, first.rows, first.cols, first.cols};
}

/* Cells that have no weight in any of the heads. masks [n]: room for what those hide that are not
 * masked alike; must live as long. */
static mt_attention_mask
join_masks(const mt_capture *capture, mt_attention_kind kind, const guint *heads, guint n,
           mt_attention_mask *masks)
{
  const gsize n_heads = mt_capture_n_heads(capture, kind);
  guint n_masks = 0;
  for (guint i = 0; i < n; i++) {
    mt_attention_mask mask = mt_capture_mask(capture, kind, heads[i] / n_heads, heads[i] % n_heads);
    gboolean is_new = TRUE;
    for (guint k = 0; k < n_masks && is_new; k++)
      is_new = !mt_attention_mask_equal(masks[k], mask);
    if (is_new)
      masks[n_masks++] = mask;
  }
  for (guint k = 0; k + 1 < n_masks; k++)
    masks[k].other = &masks[k + 1];
  return masks[0];
}

/* out [rows->n][cols->n]: the mean over the tokens of a row of the sum over those of a column.
 * all [rows->n]: the same over every column there is; or NULL. */
static void
reduce(const mt_matrix *w, const RegardAttentionAxis *rows, const RegardAttentionAxis *cols,
       float *out, double *all)
{
  g_autofree double *sums = g_new(double, MAX(cols->n, 1));
  for (guint row = 0; row < rows->n; row++) {
    const RegardTokenGroup group = rows->groups[row];
    double whole = 0;
    memset(sums, 0, cols->n * sizeof *sums);
    for (guint r = group.first; r < group.first + group.n; r++) {
      const float *values = w->data + r * w->stride;
      for (guint col = 0; col < cols->n; col++) {
        const RegardTokenGroup key = cols->groups[col];
        for (guint c = key.first; c < key.first + key.n; c++)
          sums[col] += values[c];
      }
      for (gsize c = 0; all && c < w->cols; c++)
        whole += values[c];
    }
    for (guint col = 0; col < cols->n; col++)
      out[(gsize) row * cols->n + col] = (float) (sums[col] / group.n);
    if (all)
      all[row] = whole / group.n;
  }
}

/* "mean of 8 heads", "mean of heads 4.4, 5.1"; NULL for one head. */
static char *
describe_combination(const mt_capture *capture, const RegardMatrixSpec *spec, const guint *heads,
                     guint n, guint n_heads)
{
  if (spec->combine == REGARD_COMBINE_HEAD)
    return NULL;
  if (spec->combine == REGARD_COMBINE_MEAN)
    return g_strdup_printf("mean of %u heads", n);
  if (spec->combine == REGARD_COMBINE_MAX)
    return g_strdup_printf("maximum of %u heads", n);
  if (n > MAX_NAMED_HEADS)
    return g_strdup_printf("mean of %u chosen heads", n);
  GString *text = g_string_new("mean of heads ");
  for (guint i = 0; i < n; i++)
    g_string_append_printf(text, "%s%u.%u", i ? ", " : "",
                           regard_naming_layer(capture, spec->kind, heads[i] / n_heads),
                           regard_naming_head_number(capture, spec->kind, heads[i] % n_heads));
  return g_string_free(text, FALSE);
}

/* Weights of a session lie between 0 and 1 and each row sums to 1. In a capture from elsewhere they
 * need not: then a badge (for the caller to free) says how far the rows are off. NULL: they are as
 * they should be. */
static char *
measure_rows(RegardMatrix *m, const mt_matrix *w)
{
  if (mt_capture_difference_a(regard_matrix_get_attention(m)->capture))
    return NULL; /* they sum to 0, and its badge says what they are */
  double least = INFINITY, largest = -INFINITY;
  for (gsize r = 0; r < w->rows; r++) {
    double sum = 0;
    for (gsize c = 0; c < w->cols; c++)
      sum += mt_matrix_at(w, r, c);
    least = MIN(least, sum);
    largest = MAX(largest, sum);
  }
  if (regard_matrix_get_attention(m)->spec.combine == REGARD_COMBINE_MAX)
    return NULL; /* its badge says that already */
  m->rows_are_distributions = !m->diverging && least >= 1 - ROUNDING && largest <= 1 + ROUNDING;
  return m->rows_are_distributions ? NULL
                                   : g_strdup_printf("rows sum to %.2f…%.2f", least, largest);
}

/* "changed: cross 4.1 scale 0.5"; of several, how many, since a badge is a few words. NULL: none.
 */
static char *
describe_changes(const mt_capture *capture)
{
  gsize n = mt_changes_count(mt_capture_changes(capture));
  g_autofree char *text = regard_naming_changes(capture);
  if (n > 1)
    return g_strdup_printf("%zu changes", n);
  return text ? g_strdup_printf("changed: %s", text) : NULL;
}

static char *
make_title(const mt_capture *capture, const RegardMatrixSpec *spec, const char *combination)
{
  const char *name = regard_naming_kind(capture, spec->kind);
  const guint layer = regard_naming_layer(capture, spec->kind, spec->layer),
              head = regard_naming_head_number(capture, spec->kind, spec->head);
  if (!combination)
    return g_strdup_printf("%s · layer %u · head %u", name, layer, head);
  if (spec->combine == REGARD_COMBINE_CHOSEN)
    return g_strdup_printf("%s · %s", name, combination);
  return g_strdup_printf("%s · layer %u · %s", name, layer, combination);
}

static char **
make_badges(const mt_capture *capture, const RegardMatrixSpec *spec, const char *combination,
            const char *row_sums)
{
  g_autoptr(GStrvBuilder) badges = g_strv_builder_new();
  const mt_capture *a = mt_capture_difference_a(capture);
  g_autofree char *changes = describe_changes(capture), *of_a = a ? describe_changes(a) : NULL;
  if (a) {
    g_autofree char *difference = g_strdup_printf("B − A, A: %s", of_a ? of_a : "without changes");
    g_strv_builder_add(badges, difference);
    if (mt_capture_mask(capture, spec->kind, 0, 0).rows)
      g_strv_builder_add(badges, "tokens aligned");
  }
  if (changes)
    g_strv_builder_add(badges, changes);
  if (combination)
    g_strv_builder_add(badges, combination);
  if (spec->merge_words)
    g_strv_builder_add(badges, "merged");
  if (spec->hide_special)
    g_strv_builder_add(badges, "special tokens hidden");
  if (row_sums)
    g_strv_builder_add(badges, row_sums);
  return g_strv_builder_end(badges);
}

/* ---- Making one ------------------------------------------------------------------------------ */

/* like: a matrix of the same kind that differs in layer, head or combination only; or NULL. */
static RegardMatrix *
make(const mt_capture *capture, const RegardMatrixSpec *wanted, const RegardMatrix *like)
{
  RegardMatrixSpec spec = *wanted;
  guint n_combined;
  g_autofree guint *heads = choose_heads(capture, &spec, &n_combined);
  g_autofree float *owned = NULL;
  mt_matrix w = combine_heads(capture, &spec, heads, n_combined, &owned);
  spec.chosen = NULL; /* belongs to the caller */

  const gboolean decoder_rows = spec.kind != MT_ENCODER_SELF;
  const gboolean by_output = decoder_rows && spec.label_by == REGARD_LABEL_BY_OUTPUT;
  /* Of a decoder from elsewhere maybe only what goes in is known, or only what comes out. */
  const gboolean knows_both = regard_naming_input_shift(capture) > 0;
  RegardAttentionAxis rows = {.capture = capture,
                              .spec = &spec,
                              .tokens = by_output ? mt_capture_output(capture)
                                                  : mt_capture_rows(capture, spec.kind),
                              .starts = decoder_rows && !by_output && knows_both,
                              .has_other = decoder_rows && knows_both};
  RegardAttentionAxis cols = {.capture = capture,
                              .spec = &spec,
                              .tokens = mt_capture_columns(capture, spec.kind),
                              .starts = spec.kind == MT_DECODER_SELF && knows_both};
  if (like) {
    regard_attention_axis_copy(&rows, like->row_labels, like->rows);
    regard_attention_axis_copy(&cols, like->col_labels, like->cols);
  } else {
    regard_attention_axis_group(&rows);
    regard_attention_axis_group(&cols);
  }
  g_autofree RegardTokenGroup *row_groups = rows.groups, *col_groups = cols.groups;
  g_assert(w.rows == mt_tokens_count(rows.tokens) && w.cols == mt_tokens_count(cols.tokens));

  float *values = g_new0(float, MAX((gsize) rows.n * cols.n, 1));
  g_autofree double *all = spec.hide_special ? g_new0(double, MAX(rows.n, 1)) : NULL;
  reduce(&w, &rows, &cols, values, all);

  g_autofree char *combination =
      describe_combination(capture, &spec, heads, n_combined,
                           (guint) mt_capture_n_heads(capture, spec.kind));
  g_autofree char *title = make_title(capture, &spec, combination);
  g_autofree char *row_title =
      g_strdup_printf("queries: %s", regard_naming_stack(capture, regard_naming_rows(spec.kind)));
  g_autofree char *col_title =
      g_strdup_printf("keys: %s", regard_naming_stack(capture, regard_naming_columns(spec.kind)));
  g_autofree char *model_name = regard_naming_origin(capture);
  RegardAttention *origin = g_new(RegardAttention, 1);
  *origin = (RegardAttention){spec, mt_capture_ref((mt_capture *) capture),
                              g_new(mt_attention_mask, n_combined)};
  RegardMatrix *m = regard_matrix_new_from(&(RegardMatrixSource){
      .id = "attention",
      .title = title,
      .value_name = mt_capture_difference_a(capture) ? "difference" : "weight",
      .model_name = model_name,
      .rows = regard_attention_axis_named(&rows, row_title),
      .cols = regard_attention_axis_named(&cols, col_title),
      .values = values,
      .range = REGARD_RANGE_SHARES,
      .is_square = spec.kind != MT_CROSS,
      .is_ranked = TRUE,
      .aspect = spec.kind == MT_CROSS ? 1.4 : 1,
      .mask = join_masks(capture, spec.kind, heads, n_combined, origin->masks),
      .origin_class = &regard_attention_origin,
      .origin = origin,
  });
  /* Nobody has seen it yet. */
  if (mt_capture_difference_a(capture)) {
    m->diverging = TRUE;
    /* Of all heads, so that they have one scale, and can be compared. */
    m->hi = mt_capture_difference_most(capture);
    m->hi = m->hi > 0 ? m->hi : 1;
    m->lo = -m->hi;
    m->rows_are_distributions = FALSE;
  }
  if (all && !m->diverging) {
    m->removed_mass = g_new0(float, MAX(rows.n, 1));
    for (guint r = 0; r < rows.n; r++)
      m->removed_mass[r] = (float) MAX(0, all[r] - regard_matrix_row_sum(m, r));
  }
  g_autofree char *row_sums = measure_rows(m, &w);
  g_strfreev(m->badges);
  m->badges = make_badges(capture, &spec, combination, row_sums);
  return m;
}

RegardMatrix *
regard_matrix_new_attention(const mt_capture *capture, const RegardMatrixSpec *spec)
{
  g_return_val_if_fail(capture && spec, NULL);
  if (mt_capture_n_layers(capture, spec->kind) == 0 || mt_capture_n_heads(capture, spec->kind) == 0)
    return NULL;
  return make(capture, spec, NULL);
}

RegardMatrix *
regard_matrix_new_head(const RegardMatrix *like, guint layer, guint head)
{
  const RegardAttention *from = regard_matrix_get_attention(like);
  g_return_val_if_fail(from, NULL);
  RegardMatrixSpec spec = from->spec;
  spec.combine = REGARD_COMBINE_HEAD;
  spec.layer = layer;
  spec.head = head;
  return make(from->capture, &spec, like);
}
