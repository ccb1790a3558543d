/* regard-matrix-attention.c — an attention matrix as it is looked at: heads combined, subwords
 * merged, special tokens hidden, rows labelled.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Order of work: 1. combine heads on tokens; 2. group tokens into rows and columns; 3. a cell is
 * the mean over the queries of its row of the sum over the keys of its column. So a row still sums
 * to 1, less what was hidden. Nothing is divided by what is left.
 */
#include "figures/regard-matrix-attention.h"
#include "figures/regard-words.h"
#include <math.h>
#include <string.h>

#define MAX_NAMED_HEADS 4
/* How far the sum of a row may be from 1 before it is worth a word: binary16 is that coarse. */
#define ROUNDING 2e-3

const char *const regard_combine_ids[] = {"head", "mean", "max", "chosen", NULL};
const char *const regard_label_by_ids[] = {"output", "input", NULL};

/* Consecutive tokens that make one row or column. */
typedef struct {
  guint first, n;
  gboolean special;
} Group;

/* The rows or the columns of a kind. */
typedef struct {
  const mt_capture *capture;
  const RegardMatrixSpec *spec;
  const mt_tokens *tokens;
  Group *groups;
  guint n;
  RegardLabel *labels; /* made already: those of another head; else NULL */
  gboolean starts;     /* the first token is what the decoder begins with */
  gboolean has_other;  /* a row is one token in and one token out */
} Axis;

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
    g_autofree char *shown = display ? regard_piece_display(tokens, group.first + i) : NULL;
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

static void
fill_label(gconstpointer data, guint i, RegardLabel *label)
{
  const Axis *axis = data;
  const Group group = axis->groups[i];
  const gboolean merge = axis->spec->merge_words;
  label->text = group_text(axis->tokens, group, merge, TRUE, axis->starts);
  label->piece = group_text(axis->tokens, group, merge, FALSE, axis->starts);
  label->first_token = group.first;
  label->n_tokens = group.n;
  label->special = group.special;
  if (axis->has_other)
    fill_other(label, axis->capture, axis->spec);
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

/* out [rows->n][cols->n]: the mean over the tokens of a row of the sum over those of a column.
 * all [rows->n]: the same over every column there is; or NULL. */
static void
reduce(const mt_matrix *w, const Axis *rows, const Axis *cols, float *out, double *all)
{
  g_autofree double *sums = g_new(double, MAX(cols->n, 1));
  for (guint row = 0; row < rows->n; row++) {
    const Group group = rows->groups[row];
    double whole = 0;
    memset(sums, 0, cols->n * sizeof *sums);
    for (guint r = group.first; r < group.first + group.n; r++) {
      const float *values = w->data + r * w->stride;
      for (guint col = 0; col < cols->n; col++) {
        const Group key = cols->groups[col];
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
 * need not: then a badge (for the caller to free) says how far the rows are off. NULL: they are as
 * they should be. */
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
  if (!combination)
    return g_strdup_printf("%s · layer %u · head %u", name, spec->layer + 1, spec->head + 1);
  if (spec->combine == REGARD_COMBINE_CHOSEN)
    return g_strdup_printf("%s · %s", name, combination);
  return g_strdup_printf("%s · layer %u · %s", name, spec->layer + 1, combination);
}

static char **
make_badges(const mt_capture *capture, const RegardMatrixSpec *spec, const char *combination,
            const char *row_sums)
{
  g_autoptr(GStrvBuilder) badges = g_strv_builder_new();
  g_autofree char *changes = describe_changes(capture);
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

/* ---- What is kept ---------------------------------------------------------------------------- */

static void
append_sentence(GString *text, const char *name, const mt_tokens *tokens)
{
  const char *sentence = tokens ? mt_tokens_text(tokens) : NULL;
  if (!sentence || !*sentence)
    return;
  /* A sentence that ends itself needs no second full stop. */
  gboolean ends = strchr(".!?", sentence[strlen(sentence) - 1]) != NULL;
  g_string_append_printf(text, " %s: “%s”%s", name, sentence, ends ? "" : ".");
}

/* A multi-target model reads first into which language it translates; "Translation (deu)". */
static char *
translation_name(const mt_capture *capture)
{
  const mt_tokens *source = mt_capture_source(capture);
  if (mt_capture_naming(capture) != MT_NAMING_TRANSLATION)
    return g_strdup(regard_naming_stack_title(capture, MT_STACK_DECODER));
  const mt_token *first = source && mt_tokens_count(source) ? mt_tokens_get(source, 0) : NULL;
  gsize n = first && first->is_special ? strlen(first->piece) : 0;
  if (n <= 4 || !g_str_has_prefix(first->piece, ">>") || !g_str_has_suffix(first->piece, "<<"))
    return g_strdup("Translation");
  return g_strdup_printf("Translation (%.*s)", (int) (n - 4), first->piece + 2);
}

static void
append_subject(const RegardMatrix *m, GString *text)
{
  const mt_capture *capture = regard_matrix_get_attention(m)->capture;
  append_sentence(text, regard_naming_stack_title(capture, MT_STACK_ENCODER),
                  mt_capture_source(capture));
  g_autofree char *translation = translation_name(capture);
  append_sentence(text, translation, mt_capture_output(capture));
  g_string_append(text, " Rows are queries, columns are keys.");
}

static void
append_origin(const RegardMatrix *m, GString *text)
{
  const mt_capture *capture = regard_matrix_get_attention(m)->capture;
  if (m->model_name && *m->model_name)
    g_string_append_printf(text,
                           *mt_capture_file_name(capture) ? " From the file %s." : " Model: %s.",
                           m->model_name);
  g_autofree char *precisions = regard_naming_precisions(capture);
  if (precisions)
    g_string_append_printf(text, " Precision: %s.", precisions);
  g_autofree char *search = regard_naming_search(capture);
  if (search)
    g_string_append_printf(text, " Search: %s.", search);
  g_autofree char *changes = regard_naming_changes(capture);
  if (changes)
    g_string_append_printf(text, " Changed in the model: %s.", changes);
}

static void
tell(const RegardMatrix *m, gboolean of_grid, RegardFacts *facts)
{
  const RegardAttention *from = regard_matrix_get_attention(m);
  const RegardMatrixSpec *spec = &from->spec;
  const mt_capture *capture = from->capture;
  const mt_precision own = mt_capture_precision(capture);
  const mt_precision found = mt_capture_translation_precision(capture);
  facts->text(facts, "model", mt_capture_model_name(capture));
  if (*mt_capture_file_name(capture))
    facts->text(facts, "file", mt_capture_file_name(capture));
  if (own != MT_PRECISION_UNKNOWN)
    facts->text(facts, "attention_precision", mt_precision_name(own));
  if (found != MT_PRECISION_UNKNOWN)
    facts->text(facts, "translation_precision", mt_precision_name(found));
  g_autofree char *search = regard_naming_search(capture);
  if (search)
    facts->text(facts, "search", search);
  if (mt_changes_count(mt_capture_changes(capture)) > 0)
    facts->lines(facts, "changes", mt_changes_text(mt_capture_changes(capture)));
  if (!of_grid) {
    facts->text(facts, "kind", regard_kind_id(spec->kind));
    facts->number(facts, "layer", spec->layer + 1);
    facts->number(facts, "head", spec->head + 1);
    facts->text(facts, "combine", regard_combine_ids[spec->combine]);
  }
  facts->flag(facts, "merged", spec->merge_words);
  facts->flag(facts, "special_hidden", spec->hide_special);
  facts->text(facts, "label_by", regard_label_by_ids[spec->label_by]);
  gsize window = mt_capture_mask(capture, MT_ENCODER_SELF, 0, 0).window;
  if (window > 0)
    facts->number(facts, "attention_window", window);
  if (mt_capture_source(capture))
    facts->text(facts, "source", mt_tokens_text(mt_capture_source(capture)));
  if (mt_capture_output(capture))
    facts->text(facts,
                mt_capture_naming(capture) == MT_NAMING_TRANSLATION ? "translation" : "output",
                mt_tokens_text(mt_capture_output(capture)));
}

static void
attention_free(gpointer origin)
{
  RegardAttention *attention = origin;
  mt_capture_unref(attention->capture);
  g_free(attention);
}

static const RegardOriginClass origin_class = {
    .append_subject = append_subject,
    .append_origin = append_origin,
    .tell = tell,
    .free = attention_free,
};

const RegardAttention *
regard_matrix_get_attention(const RegardMatrix *matrix)
{
  return matrix->origin_class == &origin_class ? matrix->origin : NULL;
}

float
regard_matrix_score(const RegardMatrix *matrix, guint row, guint col)
{
  const RegardAttention *from = regard_matrix_get_attention(matrix);
  if (!from || from->spec.combine != REGARD_COMBINE_HEAD || row >= matrix->rows ||
      col >= matrix->cols)
    return NAN;
  const RegardLabel *r = &matrix->row_labels[row], *c = &matrix->col_labels[col];
  if (r->n_tokens != 1 || c->n_tokens != 1)
    return NAN;
  return mt_capture_score_at(from->capture, from->spec.kind, from->spec.layer, from->spec.head,
                             r->first_token, c->first_token);
}

/* ---- Making one ------------------------------------------------------------------------------ */

/* Groups of an axis; special ones are left out where that is asked for. */
static void
group_axis(Axis *axis)
{
  guint n, kept = 0;
  axis->groups = group_tokens(axis->tokens, axis->spec->merge_words, &n);
  for (guint i = 0; i < n; i++)
    if (!axis->spec->hide_special || !axis->groups[i].special)
      axis->groups[kept++] = axis->groups[i];
  axis->n = kept;
}

/* The same from the labels of another head. */
static void
copy_axis(Axis *axis, RegardLabel *labels, guint n)
{
  axis->groups = g_new(Group, MAX(n, 1));
  for (guint i = 0; i < n; i++)
    axis->groups[i] = (Group){labels[i].first_token, labels[i].n_tokens, labels[i].special};
  axis->n = n;
  axis->labels = labels;
}

static RegardAxis
named_axis(const Axis *axis, const char *title)
{
  return (RegardAxis){
      .n = axis->n, .title = title, .label = fill_label, .data = axis, .labels = axis->labels};
}

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
  Axis rows = {.capture = capture,
               .spec = &spec,
               .tokens =
                   by_output ? mt_capture_output(capture) : mt_capture_rows(capture, spec.kind),
               .starts = decoder_rows && !by_output && knows_both,
               .has_other = decoder_rows && knows_both};
  Axis cols = {.capture = capture,
               .spec = &spec,
               .tokens = mt_capture_columns(capture, spec.kind),
               .starts = spec.kind == MT_DECODER_SELF && knows_both};
  if (like) {
    copy_axis(&rows, like->row_labels, like->rows);
    copy_axis(&cols, like->col_labels, like->cols);
  } else {
    group_axis(&rows);
    group_axis(&cols);
  }
  g_autofree Group *row_groups = rows.groups, *col_groups = cols.groups;
  g_assert(w.rows == mt_tokens_count(rows.tokens) && w.cols == mt_tokens_count(cols.tokens));

  float *values = g_new0(float, MAX((gsize) rows.n * cols.n, 1));
  g_autofree double *all = spec.hide_special ? g_new0(double, MAX(rows.n, 1)) : NULL;
  reduce(&w, &rows, &cols, values, all);

  g_autofree char *combination =
      describe_combination(&spec, heads, n_combined,
                           (guint) mt_capture_n_heads(capture, spec.kind));
  g_autofree char *title = make_title(capture, &spec, combination);
  g_autofree char *row_title =
      g_strdup_printf("queries: %s", regard_naming_stack(capture, regard_naming_rows(spec.kind)));
  g_autofree char *col_title =
      g_strdup_printf("keys: %s", regard_naming_stack(capture, regard_naming_columns(spec.kind)));
  g_autofree char *model_name = regard_naming_origin(capture);
  RegardAttention *origin = g_new(RegardAttention, 1);
  *origin = (RegardAttention){spec, mt_capture_ref((mt_capture *) capture)};
  RegardMatrix *m = regard_matrix_new_from(&(RegardMatrixSource){
      .id = "attention",
      .title = title,
      .value_name = "weight",
      .model_name = model_name,
      .rows = named_axis(&rows, row_title),
      .cols = named_axis(&cols, col_title),
      .values = values,
      .range = REGARD_RANGE_SHARES,
      .is_square = spec.kind != MT_CROSS,
      .is_ranked = TRUE,
      .aspect = spec.kind == MT_CROSS ? 1.4 : 1,
      .mask = common_mask(capture, spec.kind, heads, n_combined),
      .origin_class = &origin_class,
      .origin = origin,
  });
  /* Nobody has seen it yet. */
  if (all) {
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
