/* regard-matrix-attention.c — an attention matrix as it is looked at: heads combined, subwords
 * merged, special tokens hidden, rows labelled.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Order of work: 1. combine heads on tokens; 2. group tokens into rows and columns; 3. a cell is
 * the mean over the queries of its row of the sum over the keys of its column. So a row still sums
 * to 1, less what was hidden. Nothing is divided by what is left.
 */
#include "figures/regard-matrix-private.h"
#include "figures/regard-words.h"
#include <math.h>
#include <string.h>

#define MAX_NAMED_HEADS 4
/* How far the sum of a row may be from 1 before it is worth a word: binary16 is that coarse. */
#define ROUNDING 2e-3

/* Consecutive tokens that make one row or column. */
typedef struct {
  guint first, n;
  gboolean special;
} Group;

/* Text outside the vocabulary is read as <unk>, which tells people nothing: show what they wrote,
 * in brackets because the model did not see it. */
static gboolean
is_unknown(const mt_token *token)
{
  return token->piece && strcmp(token->piece, "<unk>") == 0 && token->end > token->begin;
}

static char *
piece_display(const mt_tokens *tokens, gsize i)
{
  const mt_token *token = mt_tokens_get(tokens, i);
  if (is_unknown(token))
    return g_strdup_printf("‹%.*s›", (int) (token->end - token->begin),
                           mt_tokens_text(tokens) + token->begin);
  return regard_naming_visible(token->piece ? token->piece : "");
}

char *
regard_token_display(const mt_tokens *tokens, gsize i, gboolean is_start)
{
  const mt_token *token = mt_tokens_get(tokens, i);
  if (is_start && token->is_special)
    return g_strdup("start");
  if (token->is_special && token->piece && strcmp(token->piece, "</s>") == 0)
    return g_strdup("⏎");
  return piece_display(tokens, i);
}

/* Groups of tokens; *n of them. Without merge each token is its own. */
static Group *
group_tokens(const mt_tokens *tokens, gboolean merge, guint *n)
{
  guint count = (guint) mt_tokens_count(tokens);
  g_autofree guint *begins = merge ? regard_words_find(tokens, n) : NULL;
  if (!merge)
    *n = count;
  Group *groups = g_new0(Group, MAX(*n, 1));
  for (guint g = 0; g < *n; g++) {
    guint first = merge ? begins[g] : g, end = merge ? begins[g + 1] : g + 1;
    groups[g] = (Group){first, end - first, mt_tokens_get(tokens, first)->is_special};
  }
  return groups;
}

/* The word or piece of a group for people (display) or for files. Only the decoder's input begins
 * with a start token. */
static char *
group_text(const mt_tokens *tokens, Group group, gboolean merge, gboolean display, gboolean starts)
{
  if (group.n == 1 && (!merge || group.special)) {
    const mt_token *token = mt_tokens_get(tokens, group.first);
    return display ? regard_token_display(tokens, group.first, starts && group.first == 0)
                   : g_strdup(token->piece ? token->piece : "");
  }
  const mt_word_mark mark = mt_tokens_word_mark(tokens);
  GString *text = g_string_new(NULL);
  for (guint i = 0; i < group.n; i++) {
    const mt_token *token = mt_tokens_get(tokens, group.first + i);
    g_autofree char *shown = display ? piece_display(tokens, group.first + i) : NULL;
    const char *part = shown ? shown : token->piece ? token->piece : "";
    /* BERT's mark of a word that goes on. */
    gboolean goes_on =
        display && i > 0 && mark == MT_WORD_MARK_HASHES && g_str_has_prefix(part, "##") && part[2];
    g_string_append(text, goes_on ? part + 2 : part);
  }
  const char *begins = mark == MT_WORD_MARK_LOWER_BAR ? "▁" : mark == MT_WORD_MARK_SPACE ? "Ġ" : "";
  if (display && g_str_has_prefix(text->str, begins) && text->len > strlen(begins))
    g_string_erase(text, 0, (gssize) strlen(begins));
  return g_string_free(text, FALSE);
}

/* The word (or piece) that token i of a list belongs to, for the grey half of a decoder row. */
static char *
word_around(const mt_tokens *tokens, guint i, gboolean merge, gboolean starts)
{
  guint n;
  g_autofree Group *groups = group_tokens(tokens, merge, &n);
  for (guint g = 0; g < n; g++)
    if (i >= groups[g].first && i < groups[g].first + groups[g].n)
      return group_text(tokens, groups[g], merge, TRUE, starts);
  return NULL;
}

static void
fill_label(RegardLabel *label, const mt_tokens *tokens, Group group, gboolean merge,
           gboolean starts)
{
  label->text = group_text(tokens, group, merge, TRUE, starts);
  label->piece = group_text(tokens, group, merge, FALSE, starts);
  label->first_token = group.first;
  label->n_tokens = group.n;
  label->special = group.special;
}

/* Right-to-left words on both sides of an arrow would swap places; left-to-right marks keep the
 * order "in → out" and are left out where they are not needed. */
static gboolean
is_right_to_left(const char *text)
{
  for (const char *p = text; p && *p; p = g_utf8_next_char(p)) {
    GUnicodeScript script = g_unichar_get_script(g_utf8_get_char(p));
    if (script == G_UNICODE_SCRIPT_ARABIC || script == G_UNICODE_SCRIPT_HEBREW ||
        script == G_UNICODE_SCRIPT_SYRIAC || script == G_UNICODE_SCRIPT_THAANA ||
        script == G_UNICODE_SCRIPT_NKO)
      return TRUE;
  }
  return FALSE;
}

static void
fill_other(RegardLabel *label, const mt_capture *capture, const RegardMatrixSpec *spec)
{
  const gboolean by_output = spec->label_by == REGARD_LABEL_BY_OUTPUT;
  if (by_output)
    label->other =
        word_around(mt_capture_decoder_input(capture), label->first_token, spec->merge_words, TRUE);
  else
    label->other = word_around(mt_capture_output(capture), label->first_token + label->n_tokens - 1,
                               spec->merge_words, FALSE);
  if (!label->other)
    return;
  const char *mark =
      is_right_to_left(label->other) || is_right_to_left(label->text) ? "\u200e" : "";
  if (by_output)
    label->prefix = g_strdup_printf("%s%s → %s", label->other, mark, mark);
  else
    label->suffix = g_strdup_printf("%s → %s%s", mark, mark, label->other);
}

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

/* Cells that have no weight in any of the heads, as far as the heads are masked alike. */
static mt_attention_mask
common_mask(const mt_capture *capture, mt_attention_kind kind, const guint *heads, guint n)
{
  gsize n_heads = mt_capture_n_heads(capture, kind);
  mt_attention_mask mask = mt_capture_mask(capture, kind, heads[0] / n_heads, heads[0] % n_heads);
  for (guint i = 1; i < n; i++)
    mask = mt_attention_mask_common(mask, mt_capture_mask(capture, kind, heads[i] / n_heads,
                                                          heads[i] % n_heads));
  return mask;
}

static double
sum_cell(const mt_matrix *w, Group row, Group col)
{
  double sum = 0;
  for (guint r = row.first; r < row.first + row.n; r++)
    for (guint c = col.first; c < col.first + col.n; c++)
      sum += mt_matrix_at(w, r, c);
  return sum / row.n;
}

/* "mean of 8 heads", "mean of heads 4.4, 5.1"; NULL for one head. */
static char *
describe_combination(const RegardMatrixSpec *spec, const guint *heads, guint n, guint n_heads)
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
    g_string_append_printf(text, "%s%u.%u", i ? ", " : "", heads[i] / n_heads + 1,
                           heads[i] % n_heads + 1);
  return g_string_free(text, FALSE);
}

/* Weights of a session lie between 0 and 1 and each row sums to 1. In a capture from elsewhere they
 * need not: then the scale covers what there is, and a badge (for the caller to free) says how far
 * the rows are off. NULL: they are as they should be. */
static char *
measure_rows(RegardMatrix *m, const mt_matrix *w)
{
  double least = INFINITY, largest = -INFINITY;
  for (gsize r = 0; r < w->rows; r++) {
    double sum = 0;
    for (gsize c = 0; c < w->cols; c++)
      sum += mt_matrix_at(w, r, c);
    least = MIN(least, sum);
    largest = MAX(largest, sum);
  }
  float max = 0;
  for (gsize i = 0; i < (gsize) m->rows * m->cols; i++) {
    m->diverging |= m->values[i] < 0;
    max = MAX(max, fabsf(m->values[i]));
  }
  if (m->diverging || max > 1 + ROUNDING)
    regard_matrix_set_range_from_values(m);
  if (m->spec.combine == REGARD_COMBINE_MAX)
    return NULL; /* its badge says that already */
  m->rows_are_distributions = !m->diverging && least >= 1 - ROUNDING && largest <= 1 + ROUNDING;
  return m->rows_are_distributions ? NULL
                                   : g_strdup_printf("rows sum to %.2f…%.2f", least, largest);
}

static void
fill_words(RegardMatrix *m, const guint *heads, guint n_combined, const char *row_sums)
{
  const RegardMatrixSpec *spec = &m->spec;
  guint n_heads = (guint) mt_capture_n_heads(m->capture, spec->kind);
  g_autofree char *combination = describe_combination(spec, heads, n_combined, n_heads);
  const char *name = regard_naming_kind(m->capture, spec->kind);
  if (!combination)
    m->title = g_strdup_printf("%s · layer %u · head %u", name, spec->layer + 1, spec->head + 1);
  else if (spec->combine == REGARD_COMBINE_CHOSEN)
    m->title = g_strdup_printf("%s · %s", name, combination);
  else
    m->title = g_strdup_printf("%s · layer %u · %s", name, spec->layer + 1, combination);

  m->row_title = g_strdup_printf("queries: %s",
                                 regard_naming_stack(m->capture, regard_naming_rows(spec->kind)));
  m->col_title =
      g_strdup_printf("keys: %s",
                      regard_naming_stack(m->capture, regard_naming_columns(spec->kind)));
  m->value_name = g_strdup("weight");
  m->model_name = regard_naming_origin(m->capture);

  g_autoptr(GStrvBuilder) badges = g_strv_builder_new();
  if (combination)
    g_strv_builder_add(badges, combination);
  if (spec->merge_words)
    g_strv_builder_add(badges, "merged");
  if (spec->hide_special)
    g_strv_builder_add(badges, "special tokens hidden");
  if (row_sums)
    g_strv_builder_add(badges, row_sums);
  m->badges = g_strv_builder_end(badges);
}

/* Drops special groups in place where hide; returns how many are left. */
static guint
drop_special(Group *groups, guint n, gboolean hide)
{
  guint kept = 0;
  for (guint i = 0; i < n; i++)
    if (!hide || !groups[i].special)
      groups[kept++] = groups[i];
  return kept;
}

RegardMatrix *
regard_matrix_new_attention(const mt_capture *capture, const RegardMatrixSpec *wanted)
{
  g_return_val_if_fail(capture && wanted, NULL);
  if (mt_capture_n_layers(capture, wanted->kind) == 0 ||
      mt_capture_n_heads(capture, wanted->kind) == 0)
    return NULL;

  RegardMatrixSpec spec = *wanted;
  const gboolean decoder_rows = spec.kind != MT_ENCODER_SELF;
  const gboolean by_output = decoder_rows && spec.label_by == REGARD_LABEL_BY_OUTPUT;
  /* Of a decoder from elsewhere maybe only what goes in is known, or only what comes out. */
  const gboolean knows_both = regard_naming_input_shift(capture) > 0;
  const mt_tokens *row_tokens =
      by_output ? mt_capture_output(capture) : mt_capture_rows(capture, spec.kind);
  const mt_tokens *col_tokens = mt_capture_columns(capture, spec.kind);

  guint n_combined, n_rows, n_cols;
  g_autofree guint *heads = choose_heads(capture, &spec, &n_combined);
  g_autofree float *owned = NULL;
  mt_matrix w = combine_heads(capture, &spec, heads, n_combined, &owned);
  g_autofree Group *row_groups = group_tokens(row_tokens, spec.merge_words, &n_rows);
  g_autofree Group *col_groups = group_tokens(col_tokens, spec.merge_words, &n_cols);
  g_assert(w.rows == mt_tokens_count(row_tokens) && w.cols == mt_tokens_count(col_tokens));
  guint kept_rows = drop_special(row_groups, n_rows, spec.hide_special);
  guint kept_cols = drop_special(col_groups, n_cols, spec.hide_special);

  RegardMatrix *m = regard_matrix_alloc(REGARD_MATRIX_ATTENTION, kept_rows, kept_cols);
  m->spec = spec;
  m->spec.chosen = NULL; /* belongs to the caller */
  m->capture = mt_capture_ref((mt_capture *) capture);
  m->mask = common_mask(capture, spec.kind, heads, n_combined);
  for (guint r = 0; r < kept_rows; r++) {
    fill_label(&m->row_labels[r], row_tokens, row_groups[r], spec.merge_words,
               decoder_rows && !by_output && knows_both);
    if (decoder_rows && knows_both)
      fill_other(&m->row_labels[r], capture, &spec);
  }
  for (guint c = 0; c < kept_cols; c++)
    fill_label(&m->col_labels[c], col_tokens, col_groups[c], spec.merge_words,
               spec.kind == MT_DECODER_SELF && knows_both);

  for (guint r = 0; r < kept_rows; r++)
    for (guint c = 0; c < kept_cols; c++)
      m->values[(gsize) r * kept_cols + c] = (float) sum_cell(&w, row_groups[r], col_groups[c]);
  if (spec.hide_special) {
    m->removed_mass = g_new0(float, MAX(kept_rows, 1));
    for (guint r = 0; r < kept_rows; r++) {
      double all = sum_cell(&w, row_groups[r], (Group){0, (guint) w.cols, FALSE});
      m->removed_mass[r] = (float) MAX(0, all - regard_matrix_row_sum(m, r));
    }
  }
  g_autofree char *row_sums = measure_rows(m, &w);
  fill_words(m, heads, n_combined, row_sums);
  return m;
}
