/* regard-attention-origin.c — what a matrix of attention knows of where it came from: captions,
 * facts for files, scores.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-attention-private.h"
#include <math.h>
#include <string.h>

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

void
regard_attention_append_sentences(const mt_capture *capture, GString *text)
{
  append_sentence(text, regard_naming_stack_title(capture, MT_STACK_ENCODER),
                  mt_capture_source(capture));
  g_autofree char *translation = translation_name(capture);
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
  g_autofree char *precisions = regard_naming_precisions(a), *changes = regard_naming_changes(a);
  const gboolean has_own = is_other_translation(capture, a), aligned = is_aligned(capture);
  g_string_append_printf(text,
                         " Difference: weights of this model (B) minus those of the reference "
                         "(A: %s, %s, %s), %s.",
                         mt_capture_model_name(a), precisions ? precisions : "precision not known",
                         changes ? changes : "without changes",
                         has_own ? "each for its own translation"
                                 : "both for the words of the reference");
  if (is_other_sentence(capture, a)) {
    g_string_append_printf(text, " The sentence of the reference%s:",
                           aligned ? "" : ", compared place by place");
    append_sentence(text, regard_naming_stack_title(a, MT_STACK_ENCODER), mt_capture_source(a));
  }
  if (has_own)
    append_sentence(text, "Translation of the reference", mt_capture_output(a));
  if (aligned)
    g_string_append(text, " Tokens are aligned: what only A has is named “token→”, what only B has "
                          "“→token”, and has no value (hatched).");
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
  if (mt_changes_count(mt_capture_changes(a)) > 0)
    facts->lines(facts, "reference_changes", mt_changes_text(mt_capture_changes(a)));
}

void
regard_attention_append_model(const mt_capture *capture, const char *name, GString *text)
{
  if (name && *name)
    g_string_append_printf(text,
                           *mt_capture_file_name(capture) ? " From the file %s." : " Model: %s.",
                           name);
  g_autofree char *precisions = regard_naming_precisions(capture);
  if (precisions)
    g_string_append_printf(text, " Precision: %s.", precisions);
  g_autofree char *search = regard_naming_search(capture);
  if (search)
    g_string_append_printf(text, " Search: %s.", search);
  g_autofree char *changes = regard_naming_changes(capture);
  if (changes)
    g_string_append_printf(text, " Changed in the model: %s.", changes);
  append_difference(capture, text);
}

void
regard_attention_tell_model(const mt_capture *capture, RegardFacts *facts)
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
  g_autofree char *search = regard_naming_search(capture);
  if (search)
    facts->text(facts, "search", search);
  if (mt_changes_count(mt_capture_changes(capture)) > 0)
    facts->lines(facts, "changes", mt_changes_text(mt_capture_changes(capture)));
  tell_difference(capture, facts);
}

void
regard_attention_tell_sentences(const mt_capture *capture, RegardFacts *facts)
{
  if (mt_capture_source(capture))
    facts->text(facts, "source", mt_tokens_text(mt_capture_source(capture)));
  if (mt_capture_output(capture))
    facts->text(facts,
                mt_capture_naming(capture) == MT_NAMING_TRANSLATION ? "translation" : "output",
                mt_tokens_text(mt_capture_output(capture)));
}

static void
append_subject(const RegardMatrix *m, GString *text)
{
  regard_attention_append_sentences(regard_matrix_get_attention(m)->capture, text);
  g_string_append(text, " Rows are queries, columns are keys.");
}

static void
append_origin(const RegardMatrix *m, GString *text)
{
  regard_attention_append_model(regard_matrix_get_attention(m)->capture, m->model_name, text);
}

static void
tell(const RegardMatrix *m, gboolean of_grid, RegardFacts *facts)
{
  const RegardAttention *from = regard_matrix_get_attention(m);
  const RegardMatrixSpec *spec = &from->spec;
  const mt_capture *capture = from->capture;
  regard_attention_tell_model(capture, facts);
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
  regard_attention_tell_sentences(capture, facts);
}

static void
attention_free(gpointer origin)
{
  RegardAttention *attention = origin;
  mt_capture_unref(attention->capture);
  g_free(attention->masks);
  g_free(attention);
}

const RegardOriginClass regard_attention_origin = {
    .append_subject = append_subject,
    .append_origin = append_origin,
    .tell = tell,
    .free = attention_free,
};

const RegardAttention *
regard_matrix_get_attention(const RegardMatrix *matrix)
{
  return matrix->origin_class == &regard_attention_origin ? matrix->origin : NULL;
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
