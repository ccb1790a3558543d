/* regard-matrix-attention.c — matrices that are made from a capture: the attention of heads, chosen
 * rows or columns of one added up, and heads with their numbers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Order of work of attention: 1. combine heads on tokens; 2. group tokens into rows and columns;
 * 3. a cell is the mean over the queries of its row of the sum over the keys of its column. So a
 * row still sums to 1, less what was hidden. Nothing is divided by what is left.
 */
#include "figures/regard-matrix-attention.h"

#include "figures/regard-head-statistics.h"
#include "figures/regard-language.h"
#include "figures/regard-naming.h"
#include "figures/regard-words.h"

#include <math.h>
#include <string.h>

/* ---- Axes ------------------------------------------------------------------------------------ */

/* Consecutive tokens that make one row or column. */
typedef struct {
  guint first, n;
  gboolean special;
} TokenGroup;

/* The rows or the columns of a kind. */
typedef struct {
  const mt_capture *capture;
  const RegardMatrixSpec *spec;
  const mt_tokens *tokens;
  TokenGroup *groups; /* [n] whoever made the axis frees them */
  guint n;
  RegardLabel *labels; /* made already: those of another head; else NULL */
  gboolean starts;     /* the first token is what the decoder begins with */
  gboolean has_other;  /* a row is one token in and one token out */
} Axis;

/* Groups of tokens; *n of them. Without merge each token is its own. */
static TokenGroup *
group_tokens(const mt_tokens *tokens, gboolean merge, guint *n)
{
  guint count = (guint) mt_tokens_count(tokens);
  g_autofree guint *begins = merge ? regard_words_find(tokens, n) : NULL;
  if (!merge)
    *n = count;
  TokenGroup *groups = g_new0(TokenGroup, MAX(*n, 1));
  for (guint g = 0; g < *n; g++) {
    guint first = merge ? begins[g] : g, end = merge ? begins[g + 1] : g + 1;
    groups[g] = (TokenGroup){first, end - first, mt_tokens_get(tokens, first)->is_special};
  }
  return groups;
}

/* The word or piece of a group for people (display) or for files. Only the decoder's input begins
 * with a start token. */
static char *
group_text(const mt_tokens *tokens, TokenGroup group, gboolean merge, gboolean display,
           gboolean starts)
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
  g_autofree TokenGroup *groups = group_tokens(tokens, merge, &n);
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
  if (!label->other || spec->is_plain)
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
  const TokenGroup group = axis->groups[i];
  const gboolean merge = axis->spec->merge_words;
  label->text = group_text(axis->tokens, group, merge, TRUE, axis->starts);
  label->piece = group_text(axis->tokens, group, merge, FALSE, axis->starts);
  label->first_token = group.first;
  label->n_tokens = group.n;
  label->special = group.special;
  label->is_task = mt_tokens_get(axis->tokens, group.first + group.n - 1)->is_prefix;
  if (axis->spec->is_plain)
    regard_plain_text(&label->text);
  if (axis->has_other)
    fill_other(label, axis->capture, axis->spec);
}

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

/* The same from the labels [n] of another head. */
static void
copy_axis(Axis *axis, RegardLabel *labels, guint n)
{
  axis->groups = g_new(TokenGroup, MAX(n, 1));
  for (guint i = 0; i < n; i++)
    axis->groups[i] = (TokenGroup){labels[i].first_token, labels[i].n_tokens, labels[i].special};
  axis->n = n;
  axis->labels = labels;
}

/* As the source of a matrix wants it; the axis must live as long. */
static RegardAxis
named_axis(const Axis *axis, const char *title)
{
  return (RegardAxis){
      .n = axis->n, .title = title, .label = fill_label, .data = axis, .labels = axis->labels};
}

/* ---- Origin ---------------------------------------------------------------------------------- */

static void
append_sentence(GString *text, const char *name, const mt_tokens *tokens)
{
  const char *sentence = tokens ? mt_tokens_text(tokens) : NULL;
  if (!sentence || !*sentence)
    return;
  regard_words_add_quoted(text, name, sentence);
}

/* The code in the token of a language, as models of several families spell it: ">>deu<<", "__de__",
 * "deu_Latn", "de_DE". NULL: token i is none. Caller frees. */
static char *
dup_language(const mt_tokens *tokens, gsize i)
{
  if (!tokens || i >= mt_tokens_count(tokens) || !mt_tokens_get(tokens, i)->is_special)
    return NULL;
  const char *piece = mt_tokens_get(tokens, i)->piece;
  const gsize n = strlen(piece);
  if (n > 4 && ((g_str_has_prefix(piece, ">>") && g_str_has_suffix(piece, "<<")) ||
                (g_str_has_prefix(piece, "__") && g_str_has_suffix(piece, "__"))))
    return g_strndup(piece + 2, n - 4);
  return g_regex_match_simple("^[a-z]{2,3}_([A-Z]{2}|[A-Z][a-z]{3})$", piece, 0, 0)
             ? g_strdup(piece)
             : NULL;
}

/* "Source (eng_Latn)", "Translation (deu)": the languages as far as tokens say them. A source of
 * Marian begins with that of the translation. Others begin or end with their own, and the
 * translation begins with its language, or the decoder starts with it. */
static char *
sentence_name(const mt_capture *capture, mt_stack side)
{
  const char *title = regard_naming_stack_title(capture, side);
  const mt_tokens *source = mt_capture_source(capture);
  if (mt_capture_naming(capture) != MT_NAMING_TRANSLATION || !source)
    return g_strdup(title);
  g_autofree char *first = dup_language(source, 0);
  g_autofree char *last = dup_language(source, mt_tokens_count(source) - 1);
  g_autofree char *begins = dup_language(mt_capture_output(capture), 0);
  g_autofree char *starts = dup_language(mt_capture_decoder_input(capture), 0);
  const gboolean is_marian = first && g_str_has_prefix(mt_tokens_get(source, 0)->piece, ">>");
  const char *target = is_marian ? first : begins ? begins : starts;
  const char *from = is_marian || !target ? NULL : first ? first : last;
  const char *code = side == MT_STACK_ENCODER ? from : target;
  if (side == MT_STACK_DECODER)
    title = _("Translation");
  return code ? g_strdup_printf("%s (%s)", title, code) : g_strdup(title);
}

/* What captions and files say of a capture, whatever of it is shown: both sentences, each with a
 * space before it; model or file (name), precision, search, changes. */
static void
append_sentences(const mt_capture *capture, GString *text)
{
  g_autofree char *source = sentence_name(capture, MT_STACK_ENCODER);
  g_autofree char *translation = sentence_name(capture, MT_STACK_DECODER);
  append_sentence(text, source, mt_capture_source(capture));
  append_sentence(text, translation, mt_capture_output(capture));
}

/* Whether A and B are of two sentences. */
static gboolean
is_other_sentence(const mt_capture *difference, const mt_capture *a)
{
  const mt_tokens *x = mt_capture_source(a), *y = mt_capture_source(difference);
  return x && y && !g_str_equal(mt_tokens_text(x), mt_tokens_text(y));
}

/* Whether A and B have their tokens in common only. */
static gboolean
is_aligned(const mt_capture *difference)
{
  return mt_capture_mask(difference, MT_CROSS, 0, 0).rows ||
         mt_capture_mask(difference, MT_ENCODER_SELF, 0, 0).rows;
}

static gboolean
is_other_translation(const mt_capture *difference, const mt_capture *a)
{
  const mt_tokens *x = mt_capture_output(a), *y = mt_capture_output(difference);
  return x && y && !g_str_equal(mt_tokens_text(x), mt_tokens_text(y));
}

/* "3:▁dog→" of each token that is not on both sides, as CSV counts and names them. */
static void
tell_unmatched(RegardFacts *facts, const char *name, const mt_tokens *tokens,
               const unsigned char *sides)
{
  g_autoptr(GString) all = g_string_new(NULL);
  for (guint i = 0; tokens && sides && i < mt_tokens_count(tokens); i++)
    if (sides[i] != MT_SIDE_BOTH)
      g_string_append_printf(all, "%s%u:%s", all->len ? "\n" : "", i,
                             mt_tokens_get(tokens, i)->piece);
  if (all->len)
    facts->lines(facts, name, all->str);
}

/* No picture of a difference can be mistaken for one of weights. */
static void
append_difference(const mt_capture *capture, GString *text)
{
  const mt_capture *a = mt_capture_difference_a(capture);
  if (!a)
    return;
  g_autofree char *precisions = regard_naming_precisions(a),
                  *interventions = regard_naming_interventions(a);
  const gboolean has_own = is_other_translation(capture, a), aligned = is_aligned(capture);
  regard_words_add_sentence(
      text,
      /* Translators: of A: its model, its precision, its changes */
      has_own ? _("Difference: weights of this model (B) minus those of the reference (A: %s, %s, "
                  "%s), each for its own translation.")
              : _("Difference: weights of this model (B) minus those of the reference (A: %s, %s, "
                  "%s), both for the words of the reference."),
      mt_capture_model_name(a), precisions ? precisions : _("precision not known"),
      interventions ? interventions : _("without changes"));
  if (is_other_sentence(capture, a)) {
    g_autofree char *source = regard_words_quoted(regard_naming_stack_title(a, MT_STACK_ENCODER),
                                                  mt_tokens_text(mt_capture_source(a)));
    regard_words_add_sentence(text,
                              /* Translators: %s is “Source: “…”.”, with its full stop */
                              aligned ? _("The sentence of the reference: %s")
                                      : _("The sentence of the reference, compared place by place: "
                                          "%s"),
                              source);
  }
  if (has_own)
    append_sentence(text, _("Translation of the reference"), mt_capture_output(a));
  if (aligned)
    regard_words_add_sentence(text,
                              _("Tokens are aligned: what only A has is named “token→”, what only "
                                "B has “→token”, and has no value (hatched)."));
}

static void
tell_difference(const mt_capture *capture, RegardFacts *facts)
{
  const mt_capture *a = mt_capture_difference_a(capture);
  if (!a)
    return;
  facts->flag(facts, "difference", TRUE);
  facts->text(facts, "reference_model", mt_capture_model_name(a));
  if (is_other_sentence(capture, a))
    facts->text(facts, "reference_source", mt_tokens_text(mt_capture_source(a)));
  if (is_other_translation(capture, a))
    facts->text(facts, "reference_translation", mt_tokens_text(mt_capture_output(a)));
  tell_unmatched(facts, "unmatched_source", mt_capture_source(capture),
                 mt_capture_mask(capture, MT_ENCODER_SELF, 0, 0).rows);
  tell_unmatched(facts, "unmatched_output", mt_capture_output(capture),
                 mt_capture_mask(capture, MT_CROSS, 0, 0).rows);
  tell_unmatched(facts, "unmatched_input", mt_capture_decoder_input(capture),
                 mt_capture_mask(capture, MT_DECODER_SELF, 0, 0).cols);
  if (mt_capture_precision(a) != MT_PRECISION_UNKNOWN)
    facts->text(facts, "reference_precision", mt_precision_name(mt_capture_precision(a)));
  if (mt_interventions_count(mt_capture_interventions(a)) > 0)
    facts->lines(facts, "reference_changes", mt_interventions_text(mt_capture_interventions(a)));
}

static void
append_model(const mt_capture *capture, const char *name, GString *text)
{
  if (name && *name)
    regard_words_add_sentence(text,
                              *mt_capture_file_name(capture) ? _("From the file %s.")
                                                             : _("Model: %s."),
                              name);
  g_autofree char *precisions = regard_naming_precisions(capture);
  if (precisions)
    regard_words_add_sentence(text, _("Precision: %s."), precisions);
  g_autofree char *search = regard_naming_search(capture, FALSE);
  if (search)
    regard_words_add_sentence(text, _("Search: %s."), search);
  g_autofree char *interventions = regard_naming_interventions(capture);
  if (interventions)
    regard_words_add_sentence(text, _("Changed in the model: %s."), interventions);
  append_difference(capture, text);
}

static void
tell_model(const mt_capture *capture, RegardFacts *facts)
{
  const mt_precision own = mt_capture_precision(capture);
  const mt_precision found = mt_capture_translation_precision(capture);
  facts->text(facts, "model", mt_capture_model_name(capture));
  if (*mt_capture_file_name(capture))
    facts->text(facts, "file", mt_capture_file_name(capture));
  if (own != MT_PRECISION_UNKNOWN)
    facts->text(facts, "attention_precision", mt_precision_name(own));
  if (found != MT_PRECISION_UNKNOWN)
    facts->text(facts, "translation_precision", mt_precision_name(found));
  g_autofree char *search = regard_naming_search(capture, TRUE);
  if (search)
    facts->text(facts, "search", search);
  if (mt_interventions_count(mt_capture_interventions(capture)) > 0)
    facts->lines(facts, "changes", mt_interventions_text(mt_capture_interventions(capture)));
  tell_difference(capture, facts);
}

static void
tell_sentences(const mt_capture *capture, RegardFacts *facts)
{
  if (mt_capture_source(capture))
    facts->text(facts, "source", mt_tokens_text(mt_capture_source(capture)));
  if (mt_capture_output(capture))
    facts->text(facts,
                mt_capture_naming(capture) == MT_NAMING_TRANSLATION ? "translation" : "output",
                mt_tokens_text(mt_capture_output(capture)));
}

static guint
n_heads_of_kind(const RegardMatrix *m)
{
  const RegardAttention *from = regard_matrix_get_attention(m);
  return (guint) (mt_capture_n_layers(from->capture, from->spec.kind) *
                  mt_capture_n_heads(from->capture, from->spec.kind));
}

static void
append_subject(const RegardMatrix *m, GString *text)
{
  append_sentences(regard_matrix_get_attention(m)->capture, text);
  regard_words_add_sentence(text, _("Rows are queries, columns are keys."));
  if (m->received)
    regard_words_add_sentence(text,
                              ngettext("Below: the weight that each key receives, the mean over %u "
                                       "head of the kind and their rows.",
                                       "Below: the weight that each key receives, the mean over "
                                       "all %u heads of the kind and their rows.",
                                       n_heads_of_kind(m)),
                              n_heads_of_kind(m));
}

static void
append_origin(const RegardMatrix *m, GString *text)
{
  append_model(regard_matrix_get_attention(m)->capture, m->model_name, text);
}

static void
tell(const RegardMatrix *m, gboolean of_grid, RegardFacts *facts)
{
  const RegardAttention *from = regard_matrix_get_attention(m);
  const RegardMatrixSpec *spec = &from->spec;
  const mt_capture *capture = from->capture;
  tell_model(capture, facts);
  if (!of_grid) {
    facts->text(facts, "kind", regard_kind_id(spec->kind));
    facts->number(facts, "layer", regard_naming_layer(capture, spec->kind, spec->layer));
    facts->number(facts, "head", regard_naming_head_number(capture, spec->kind, spec->head));
    facts->text(facts, "combine", regard_combine_ids[spec->combine]);
  }
  facts->flag(facts, "merged", spec->merge_words);
  facts->flag(facts, "special_hidden", spec->hide_special);
  facts->text(facts, "label_by", regard_label_by_ids[spec->label_by]);
  gsize window = mt_capture_mask(capture, MT_ENCODER_SELF, 0, 0).window;
  if (window > 0)
    facts->number(facts, "attention_window", window);
  tell_sentences(capture, facts);
}

static void
attention_free(gpointer origin)
{
  RegardAttention *attention = origin;
  mt_capture_unref(attention->capture);
  g_free(attention->chosen);
  g_free(attention->masks);
  g_free(attention);
}

static RegardMatrix *remake(const RegardMatrix *matrix);

static const RegardOriginClass attention_origin = {
    .append_subject = append_subject,
    .append_origin = append_origin,
    .tell = tell,
    .free = attention_free,
    .remake = remake,
};

const RegardAttention *
regard_matrix_get_attention(const RegardMatrix *matrix)
{
  return matrix->origin_class == &attention_origin ? matrix->origin : NULL;
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

/* ---- What each key receives over all heads ----------------------------------------------------
 */

double *
regard_received(const mt_capture *capture, mt_attention_kind kind, gsize *n)
{
  const gsize layers = mt_capture_n_layers(capture, kind),
              heads = mt_capture_n_heads(capture, kind);
  *n = mt_tokens_count(mt_capture_columns(capture, kind));
  double *received = g_new0(double, *n + 1);
  gsize n_rows = 0;
  for (gsize l = 0; l < layers; l++)
    for (gsize h = 0; h < heads; h++) {
      const mt_matrix weights = mt_capture_weights(capture, kind, l, h);
      for (gsize r = 0; r < weights.rows; r++)
        for (gsize c = 0; c < weights.cols; c++)
          received[c] += (double) mt_matrix_at(&weights, r, c);
      n_rows += weights.rows;
    }
  for (gsize c = 0; n_rows > 0 && c < *n; c++)
    received[c] /= (double) n_rows;
  return received;
}

void
regard_matrix_measure_received(RegardMatrix *matrix)
{
  const RegardAttention *from = regard_matrix_get_attention(matrix);
  if (!from || matrix->received || mt_capture_difference_a(from->capture))
    return;
  gsize n;
  g_autofree double *received = regard_received(from->capture, from->spec.kind, &n);
  matrix->received = g_new0(float, MAX(matrix->cols, 1));
  for (guint c = 0; c < matrix->cols; c++) {
    const RegardLabel *label = &matrix->col_labels[c];
    double sum = 0;
    for (guint t = label->first_token; t < label->first_token + label->n_tokens && t < n; t++)
      sum += received[t];
    matrix->received[c] = (float) sum;
  }
}

/* Those of the most, largest first. */
static char *
list_most_received(const RegardMatrix *m)
{
  GString *text = g_string_new(NULL);
  g_autofree gboolean *is_listed = g_new0(gboolean, MAX(m->cols, 1));
  for (guint i = 0; i < MIN(m->cols, 3); i++) {
    guint best = G_MAXUINT;
    for (guint c = 0; c < m->cols; c++)
      if (!is_listed[c] && (best == G_MAXUINT || m->received[c] > m->received[best]))
        best = c;
    is_listed[best] = TRUE;
    g_autofree char *one =
        regard_strdup_printf("%s %.3f", regard_matrix_spoken(m->col_labels[best].text),
                             (double) m->received[best]);
    regard_words_add_item(text, one);
  }
  return g_string_free(text, FALSE);
}

char *
regard_matrix_describe_received(const RegardMatrix *m, int col)
{
  const RegardAttention *from = regard_matrix_get_attention(m);
  if (!m->received || !from || col >= (int) m->cols)
    return NULL;
  const guint n = n_heads_of_kind(m);
  if (col < 0) {
    g_autofree char *most = list_most_received(m);
    return g_strdup_printf(ngettext("most is received, on average over %u head, by %s",
                                    "most is received, on average over %u heads, by %s", n),
                           n, most);
  }
  return regard_strdup_printf(
      ngettext("%s receives %.3f on average over %u head, %u rows each",
               "%s receives %.3f on average over %u heads, %u rows each", n),
      regard_matrix_spoken(m->col_labels[col].text), (double) m->received[col], n,
      (guint) mt_tokens_count(mt_capture_rows(from->capture, from->spec.kind)));
}

/* ---- Content and position -------------------------------------------------------------------- */

/* A score is q·k, scaled, plus what relative positions add to it. */

static gboolean
has_score_bias(const mt_capture *capture, mt_attention_kind kind, guint layer, guint head)
{
  return mt_capture_score_bias(capture, kind, layer, head).data != NULL;
}

float
regard_matrix_score_bias(const RegardMatrix *matrix, guint row, guint col)
{
  const RegardAttention *from = regard_matrix_get_attention(matrix);
  if (isnan(regard_matrix_score(matrix, row, col)))
    return NAN;
  return mt_capture_score_bias_at(from->capture, from->spec.kind, from->spec.layer, from->spec.head,
                                  matrix->row_labels[row].first_token,
                                  matrix->col_labels[col].first_token);
}

typedef struct {
  const mt_capture *capture;
  mt_attention_kind kind;
  guint layer, head;
} BiasOf;

static float
bias_value(gconstpointer data, guint row, guint col)
{
  const BiasOf *of = data;
  return mt_capture_score_bias_at(of->capture, of->kind, of->layer, of->head, row, col);
}

RegardMatrix *
regard_matrix_new_score_bias(const mt_capture *capture, mt_attention_kind kind, guint layer,
                             guint head)
{
  const BiasOf of = {capture, kind, layer, head};
  if (layer >= mt_capture_n_layers(capture, kind) || head >= mt_capture_n_heads(capture, kind) ||
      !has_score_bias(capture, kind, layer, head))
    return NULL;
  const gboolean starts = kind == MT_DECODER_SELF && regard_naming_input_shift(capture) > 0;
  g_autofree char *model_name = regard_naming_origin(capture);
  g_autofree char *title =
      /* Translators: %s is a kind of attention */
      g_strdup_printf(_("Bias of distance · %s · layer %u · head %u"),
                      regard_naming_kind(capture, kind), regard_naming_layer(capture, kind, layer),
                      regard_naming_head_number(capture, kind, head));
  return regard_matrix_new_from(&(RegardMatrixSource){
      .id = "score_bias",
      .title = title,
      .value_name = _("bias"),
      .model_name = model_name,
      .rows = regard_axis_tokens(mt_capture_columns(capture, kind), _("queries"), starts),
      .cols =
          regard_axis_tokens(mt_capture_columns(capture, kind), C_("attention", "keys"), starts),
      .value = bias_value,
      .data = &of,
      .range = REGARD_RANGE_SIGNED,
      .is_square = TRUE,
      .mask = {.is_causal = kind == MT_DECODER_SELF},
  });
}

/* Of every key of a query: what it has of both; -INFINITY where it is masked, and of content where
 * nobody knows, since its weight is too small to have a score. */
static void
split_scores(const mt_capture *capture, const RegardMatrixSpec *spec, guint query, guint n,
             double *content, double *position)
{
  for (guint j = 0; j < n; j++) {
    const float score = mt_capture_score_at(capture, spec->kind, spec->layer, spec->head, query, j);
    const float bias =
        mt_capture_score_bias_at(capture, spec->kind, spec->layer, spec->head, query, j);
    content[j] = isnan(score) ? -INFINITY : (double) score - bias;
    position[j] = isinf(score) ? -INFINITY : bias;
  }
}

static void
softmax(double *x, guint n)
{
  double largest = -INFINITY, sum = 0;
  for (guint i = 0; i < n; i++)
    largest = MAX(largest, x[i]);
  for (guint i = 0; i < n; i++)
    sum += x[i] = isinf(largest) ? 0 : exp(x[i] - largest);
  for (guint i = 0; i < n; i++)
    x[i] = sum > 0 ? x[i] / sum : 0;
}

gboolean
regard_matrix_split_row(const RegardMatrix *matrix, guint row, double *content, double *position)
{
  const RegardAttention *from = regard_matrix_get_attention(matrix);
  if (!from || from->spec.combine != REGARD_COMBINE_HEAD || row >= matrix->rows ||
      matrix->row_labels[row].n_tokens != 1 ||
      !has_score_bias(from->capture, from->spec.kind, from->spec.layer, from->spec.head))
    return FALSE;
  for (guint c = 0; c < matrix->cols; c++)
    if (matrix->col_labels[c].n_tokens != 1)
      return FALSE;
  /* Of all keys, for those that are hidden have weight, too. */
  const guint n = (guint) mt_tokens_count(mt_capture_columns(from->capture, from->spec.kind));
  g_autofree double *of_content = g_new(double, n), *of_position = g_new(double, n);
  split_scores(from->capture, &from->spec, matrix->row_labels[row].first_token, n, of_content,
               of_position);
  softmax(of_content, n);
  softmax(of_position, n);
  for (guint c = 0; c < matrix->cols; c++) {
    content[c] = of_content[matrix->col_labels[c].first_token];
    position[c] = of_position[matrix->col_labels[c].first_token];
  }
  return TRUE;
}

/* ---- Attention ------------------------------------------------------------------------------- */

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
reduce(const mt_matrix *w, const Axis *rows, const Axis *cols, float *out, double *all)
{
  g_autofree double *sums = g_new(double, MAX(cols->n, 1));
  for (guint row = 0; row < rows->n; row++) {
    const TokenGroup group = rows->groups[row];
    double whole = 0;
    memset(sums, 0, cols->n * sizeof *sums);
    for (guint r = group.first; r < group.first + group.n; r++) {
      const float *values = w->data + r * w->stride;
      for (guint col = 0; col < cols->n; col++) {
        const TokenGroup key = cols->groups[col];
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
    return g_strdup_printf(ngettext("mean of %u head", "mean of %u heads", n), n);
  if (spec->combine == REGARD_COMBINE_MAX)
    return g_strdup_printf(ngettext("maximum of %u head", "maximum of %u heads", n), n);
  if (n > MAX_NAMED_HEADS)
    return g_strdup_printf(ngettext("mean of %u chosen head", "mean of %u chosen heads", n), n);
  g_autoptr(GString) names = g_string_new(NULL);
  for (guint i = 0; i < n; i++) {
    g_autofree char *name =
        g_strdup_printf("%u.%u", regard_naming_layer(capture, spec->kind, heads[i] / n_heads),
                        regard_naming_head_number(capture, spec->kind, heads[i] % n_heads));
    regard_words_add_item(names, name);
  }
  /* Translators: %s is a list, "1.4, 2.1" */
  return g_strdup_printf(_("mean of heads %s"), names->str);
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
  return m->rows_are_distributions
             ? NULL
             : regard_strdup_printf(_("rows sum to %.2f…%.2f"), least, largest);
}

/* "changed: cross 4.1 scale 0.5"; of several, how many, since a badge is a few words. NULL: none.
 */
static char *
describe_changes(const mt_capture *capture)
{
  gsize n = mt_interventions_count(mt_capture_interventions(capture));
  g_autofree char *text = regard_naming_interventions(capture);
  if (n > 1)
    return g_strdup_printf(ngettext("%zu change", "%zu changes", n), n);
  return text ? g_strdup_printf(_("changed: %s"), text) : NULL;
}

static char *
make_title(const mt_capture *capture, const RegardMatrixSpec *spec, const char *combination)
{
  const char *name = regard_naming_kind(capture, spec->kind);
  const guint layer = regard_naming_layer(capture, spec->kind, spec->layer),
              head = regard_naming_head_number(capture, spec->kind, spec->head);
  if (!combination)
    return g_strdup_printf(_("%s · layer %u · head %u"), name, layer, head);
  if (spec->combine == REGARD_COMBINE_CHOSEN)
    return g_strdup_printf("%s · %s", name, combination);
  /* Translators: a kind of attention; the last is "mean of 8 heads" or the like */
  return g_strdup_printf(_("%s · layer %u · %s"), name, layer, combination);
}

static char **
make_badges(const mt_capture *capture, const RegardMatrixSpec *spec, const char *combination,
            const char *row_sums)
{
  g_autoptr(GStrvBuilder) badges = g_strv_builder_new();
  const mt_capture *a = mt_capture_difference_a(capture);
  g_autofree char *interventions = describe_changes(capture),
                  *of_a = a ? describe_changes(a) : NULL;
  if (a) {
    g_autofree char *difference =
        g_strdup_printf(_("B − A, A: %s"), of_a ? of_a : _("without changes"));
    g_strv_builder_add(badges, difference);
    if (mt_capture_mask(capture, spec->kind, 0, 0).rows)
      g_strv_builder_add(badges, _("tokens aligned"));
  }
  if (interventions)
    g_strv_builder_add(badges, interventions);
  if (combination)
    g_strv_builder_add(badges, combination);
  if (spec->merge_words)
    g_strv_builder_add(badges, _("merged"));
  if (spec->hide_special)
    g_strv_builder_add(badges, _("special tokens hidden"));
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
  /* What is chosen belongs to the caller. */
  guint8 *chosen = spec.combine == REGARD_COMBINE_CHOSEN
                       ? g_memdup2(spec.chosen, mt_capture_n_layers(capture, spec.kind) *
                                                    mt_capture_n_heads(capture, spec.kind))
                       : NULL;
  spec.chosen = NULL;

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
  g_autofree TokenGroup *row_groups = rows.groups, *col_groups = cols.groups;
  g_assert(w.rows == mt_tokens_count(rows.tokens) && w.cols == mt_tokens_count(cols.tokens));

  float *values = g_new0(float, MAX((gsize) rows.n * cols.n, 1));
  g_autofree double *all = spec.hide_special ? g_new0(double, MAX(rows.n, 1)) : NULL;
  reduce(&w, &rows, &cols, values, all);

  g_autofree char *combination =
      describe_combination(capture, &spec, heads, n_combined,
                           (guint) mt_capture_n_heads(capture, spec.kind));
  g_autofree char *title = make_title(capture, &spec, combination);
  g_autofree char *row_title =
      g_strdup_printf(_("queries: %s"),
                      regard_naming_stack(capture, regard_naming_rows(spec.kind)));
  g_autofree char *col_title =
      g_strdup_printf(_("keys: %s"),
                      regard_naming_stack(capture, regard_naming_columns(spec.kind)));
  g_autofree char *model_name = regard_naming_origin(capture);
  RegardAttention *origin = g_new(RegardAttention, 1);
  *origin = (RegardAttention){spec, mt_capture_ref((mt_capture *) capture), chosen,
                              g_new(mt_attention_mask, n_combined)};
  RegardMatrix *m = regard_matrix_new_from(&(RegardMatrixSource){
      .id = "attention",
      .title = title,
      .value_name = mt_capture_difference_a(capture) ? _("difference") : _("weight"),
      .model_name = model_name,
      .rows = named_axis(&rows, row_title),
      .cols = named_axis(&cols, col_title),
      .values = values,
      .range = REGARD_RANGE_SHARES,
      .is_square = spec.kind != MT_CROSS,
      .is_ranked = TRUE,
      .aspect = spec.kind == MT_CROSS ? 1.4 : 1,
      .mask = join_masks(capture, spec.kind, heads, n_combined, origin->masks),
      .origin_class = &attention_origin,
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

static RegardMatrix *
remake(const RegardMatrix *matrix)
{
  const RegardAttention *from = regard_matrix_get_attention(matrix);
  RegardMatrixSpec spec = from->spec;
  spec.chosen = from->chosen;
  RegardMatrix *other = make(from->capture, &spec, NULL);
  if (matrix->received)
    regard_matrix_measure_received(other);
  return other;
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
  RegardMatrixSpec spec = from->spec;
  spec.combine = REGARD_COMBINE_HEAD;
  spec.layer = layer;
  spec.head = head;
  return make(from->capture, &spec, like);
}

/* ---- Sums ------------------------------------------------------------------------------------ */

/* Names of what is added up in a title and a label; of more, how many. */
#define MOST_NAMES 4

typedef struct {
  RegardMatrix *of; /* a reference */
  RegardSumAxis axis;
  char *pieces; /* of what is added up, one a line */
  guint8 *chosen;
} Sum;

guint
regard_sum_axis_length(const RegardMatrix *matrix, RegardSumAxis axis)
{
  return axis == REGARD_SUM_KEYS ? matrix->cols : matrix->rows;
}

const RegardLabel *
regard_sum_axis_labels(const RegardMatrix *matrix, RegardSumAxis axis)
{
  return axis == REGARD_SUM_KEYS ? matrix->col_labels : matrix->row_labels;
}

/* ---- Where it is from --------------------------------------------------------------------------
 */

static void
append_sum(const RegardMatrix *m, GString *caption)
{
  const Sum *sum = m->origin;
  const RegardAttention *from = regard_matrix_get_attention(sum->of);
  if (from)
    append_sentences(from->capture, caption);
  /* Translators: tokens that are added up, and "keys: source" or the like */
  regard_words_add_sentence(caption, _("The row is the sum of the weights of %s; columns are %s."),
                            m->row_labels[0].text, m->col_title);
}

static void
append_sum_origin(const RegardMatrix *m, GString *caption)
{
  const Sum *sum = m->origin;
  if (sum->of->origin_class && sum->of->origin_class->append_origin)
    sum->of->origin_class->append_origin(sum->of, caption);
}

static void
tell_sum(const RegardMatrix *m, gboolean of_grid, RegardFacts *facts)
{
  const Sum *sum = m->origin;
  if (sum->of->origin_class && sum->of->origin_class->tell)
    sum->of->origin_class->tell(sum->of, of_grid, facts);
  facts->text(facts, "sum_of", sum->axis == REGARD_SUM_KEYS ? "keys" : "queries");
  facts->lines(facts, "summed", sum->pieces);
}

static void
sum_free(gpointer origin)
{
  Sum *sum = origin;
  regard_matrix_unref(sum->of);
  g_free(sum->pieces);
  g_free(sum->chosen);
  g_free(sum);
}

static RegardMatrix *
remake_sum(const RegardMatrix *matrix)
{
  const Sum *sum = matrix->origin;
  g_autoptr(RegardMatrix) of = regard_matrix_in_language(sum->of);
  return regard_matrix_new_sum(of, sum->axis, sum->chosen);
}

static const RegardOriginClass origin_class = {
    .append_subject = append_sum,
    .append_origin = append_sum_origin,
    .tell = tell_sum,
    .free = sum_free,
    .remake = remake_sum,
};

/* ---- Numbers ------------------------------------------------------------------------------------
 */

/* What the sum has a number for. */
static void
label_of_other(gconstpointer data, guint i, RegardLabel *label)
{
  const Sum *sum = data;
  const RegardLabel *from =
      &regard_sum_axis_labels(sum->of, sum->axis == REGARD_SUM_KEYS ? REGARD_SUM_QUERIES
                                                                    : REGARD_SUM_KEYS)[i];
  *label = *from;
  label->text = g_strdup(from->text);
  label->piece = g_strdup(from->piece);
  label->other = g_strdup(from->other);
  label->prefix = label->suffix = NULL; /* one row has no room for both tokens of a step */
}

/* "▁animal + ▁street". */
static char *
name_chosen(const RegardMatrix *of, RegardSumAxis axis, const guint8 *chosen, gboolean pieces)
{
  const RegardLabel *labels = regard_sum_axis_labels(of, axis);
  GString *text = g_string_new(NULL);
  guint n = 0;
  for (guint i = 0; i < regard_sum_axis_length(of, axis); i++) {
    if (!chosen[i])
      continue;
    if (pieces || n < MOST_NAMES)
      g_string_append_printf(text, "%s%s",
                             n == 0   ? ""
                             : pieces ? "\n"
                                      : " + ",
                             pieces ? labels[i].piece : labels[i].text);
    n++;
  }
  if (pieces || n <= MOST_NAMES)
    return g_string_free(text, FALSE);
  g_autoptr(GString) first = text;
  /* Translators: the first tokens of a sum, "a + b + c + d", and how many more there are */
  return g_strdup_printf(ngettext("%s + %u more", "%s + %u more", n - MOST_NAMES), first->str,
                         n - MOST_NAMES);
}

static float *
add_up(const RegardMatrix *of, RegardSumAxis axis, const guint8 *chosen, guint n)
{
  g_autofree double *sums = g_new0(double, MAX(n, 1));
  for (guint r = 0; r < of->rows; r++)
    for (guint c = 0; c < of->cols; c++)
      if (chosen[axis == REGARD_SUM_KEYS ? c : r] && !regard_matrix_is_masked(of, r, c))
        sums[axis == REGARD_SUM_KEYS ? r : c] += (double) regard_matrix_get(of, r, c);
  float *values = g_new(float, MAX(n, 1));
  for (guint i = 0; i < n; i++)
    values[i] = (float) sums[i];
  return values;
}

RegardMatrix *
regard_matrix_new_sum(RegardMatrix *of, RegardSumAxis axis, const guint8 *chosen)
{
  const gboolean keys = axis == REGARD_SUM_KEYS;
  const guint n = keys ? of->rows : of->cols;
  guint n_chosen = 0;
  for (guint i = 0; i < regard_sum_axis_length(of, axis); i++)
    n_chosen += chosen[i];
  if (n_chosen == 0 || n == 0)
    return NULL;
  g_autofree char *name = name_chosen(of, axis, chosen, FALSE);
  g_autofree char *title =
      g_strdup_printf(keys ? ngettext("%s · sum of %u key", "%s · sum of %u keys", n_chosen)
                           : ngettext("%s · sum of %u query", "%s · sum of %u queries", n_chosen),
                      of->title, n_chosen);
  const char *names[] = {name};
  Sum *sum = g_new(Sum, 1);
  *sum = (Sum){regard_matrix_ref(of), axis, name_chosen(of, axis, chosen, TRUE),
               g_memdup2(chosen, regard_sum_axis_length(of, axis))};
  return regard_matrix_new_from(&(RegardMatrixSource){
      .id = "sum",
      .title = title,
      .value_name = _("sum of weights"),
      .model_name = of->model_name,
      .badges = (const char *const *) of->badges,
      .rows = regard_axis_texts(names, 1, keys ? of->col_title : of->row_title),
      .cols = {.n = n,
               .title = keys ? of->row_title : of->col_title,
               .noun = keys ? of->row_noun : of->col_noun,
               .label = label_of_other,
               .data = sum},
      .values = add_up(of, axis, chosen, n),
      .range = of->diverging ? REGARD_RANGE_SIGNED : REGARD_RANGE_SHARES,
      .is_square = TRUE,
      .origin_class = &origin_class,
      .origin = sum,
  });
}

/* ---- What is typed ------------------------------------------------------------------------------
 */

/* "3", "2-4"; FALSE: it is no number. */
static gboolean
choose_numbers(const char *typed, guint n, guint8 *chosen, gboolean *is_there)
{
  g_auto(GStrv) ends = g_strsplit(typed, "-", 2);
  guint64 first, last;
  if (!ends[0] || !g_ascii_string_to_unsigned(ends[0], 10, 0, G_MAXUINT, &first, NULL) ||
      (ends[1] && !g_ascii_string_to_unsigned(ends[1], 10, 0, G_MAXUINT, &last, NULL)))
    return FALSE;
  if (!ends[1])
    last = first;
  *is_there = first >= 1 && first <= last && last <= n;
  for (guint64 i = first; *is_there && i <= last; i++)
    chosen[i - 1] = 1;
  return TRUE;
}

char *
regard_sum_parse(const RegardMatrix *of, RegardSumAxis axis, const char *typed, guint8 *chosen)
{
  const RegardLabel *labels = regard_sum_axis_labels(of, axis);
  const guint n = regard_sum_axis_length(of, axis);
  g_auto(GStrv) items = g_strsplit(typed, ",", -1);
  memset(chosen, 0, n);
  for (char **item = items; *item; item++) {
    gboolean is_there = FALSE;
    g_strstrip(*item);
    if (!choose_numbers(*item, n, chosen, &is_there))
      for (guint i = 0; i < n; i++)
        if (g_str_equal(*item, labels[i].text) || g_str_equal(*item, labels[i].piece) ||
            g_str_equal(*item, regard_matrix_spoken(labels[i].text)))
          chosen[i] = is_there = TRUE;
    if (!is_there)
      return g_strdup(*item);
  }
  return NULL;
}

/* ---- Heads ----------------------------------------------------------------------------------- */

static void
label_head(gconstpointer data, guint i, RegardLabel *label)
{
  const RegardHeadRow *const *rows = data;
  g_autofree char *roles = regard_head_row_roles(rows[i]);
  label->text = regard_head_row_name(rows[i]);
  label->piece = g_strdup(label->text);
  if (*roles)
    label->suffix = g_strdup_printf("  %s", roles);
}

/* Those that have numbers. */
typedef struct {
  const RegardHeadRow *const *rows;
  const mt_head_statistic *statistics[MT_MOST_HEAD_STATISTICS];
  guint n;
} Columns;

static void
label_measure(gconstpointer data, guint i, RegardLabel *label)
{
  const mt_head_statistic *statistic = ((const Columns *) data)->statistics[i];
  label->text = regard_head_statistic_title(statistic, FALSE);
  label->piece = g_strdup(statistic->id);
}

static float
value(gconstpointer data, guint row, guint col)
{
  const Columns *columns = data;
  return (float) regard_head_row_get(columns->rows[row], columns->statistics[col]);
}

static void
append_heads(const RegardMatrix *m, GString *caption)
{
  append_sentences(m->origin, caption);
  regard_words_add_sentence(caption, _("Rows are heads, columns are measures on this sentence."));
}

static void
append_heads_origin(const RegardMatrix *m, GString *caption)
{
  append_model(m->origin, m->model_name, caption);
}

static void
tell_heads(const RegardMatrix *m, gboolean of_grid, RegardFacts *facts)
{
  tell_model(m->origin, facts);
  tell_sentences(m->origin, facts);
}

static void
release(gpointer origin)
{
  mt_capture_unref(origin);
}

RegardMatrix *
regard_matrix_new_heads(const mt_capture *capture, const RegardHeadRow *const *rows, guint n,
                        const char *title)
{
  static const RegardOriginClass heads_class = {
      .append_subject = append_heads,
      .append_origin = append_heads_origin,
      .tell = tell_heads,
      .free = release,
  };
  gsize n_statistics;
  const mt_head_statistic *statistics = mt_head_statistics(&n_statistics);
  Columns columns = {.rows = rows};
  for (gsize i = 0; i < n_statistics; i++)
    if (regard_head_statistic_is_there(&statistics[i], rows, n))
      columns.statistics[columns.n++] = &statistics[i];
  g_autofree char *model_name = regard_naming_origin(capture);
  g_autofree char *with =
      n > 0 && rows[0]->with
          ? g_strdup_printf(_("effects with %s"), regard_words_of("replaced with", rows[0]->with))
          : NULL;
  const char *const badges[] = {with, NULL};
  return regard_matrix_new_from(&(RegardMatrixSource){
      .id = "heads",
      .title = title,
      .value_name = C_("number", "value"),
      .model_name = model_name,
      .badges = badges,
      .rows = {.n = n, .title = _("heads"), .noun = _("head"), .label = label_head, .data = rows},
      .cols = {.n = columns.n,
               .title = _("measures"),
               .noun = _("measure"),
               .label = label_measure,
               .data = &columns},
      .value = value,
      .data = &columns,
      .range = REGARD_RANGE_VALUES,
      .origin_class = &heads_class,
      .origin = mt_capture_ref((mt_capture *) capture),
  });
}
