/* regard-naming.c — what kinds of attention, axes and texts of a capture are called.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-naming.h"

#include "figures/regard-visible.h"

#include <glib/gi18n.h>
#include <string.h>

const char *const regard_kind_ids[] = {
    [MT_ENCODER_SELF] = "encoder",
    [MT_DECODER_SELF] = "decoder",
    [MT_CROSS] = "cross",
    [MT_N_KINDS] = NULL,
};

const mt_attention_kind regard_kinds_in_order[] = {MT_ENCODER_SELF, MT_CROSS, MT_DECODER_SELF};

char *
regard_naming_head(mt_attention_kind kind, guint layer, guint head)
{
  return g_strdup_printf("%s %u.%u", regard_kind_id(kind), layer + 1, head + 1);
}

char *
regard_naming_head_of(const mt_capture *capture, mt_attention_kind kind, guint layer, guint head)
{
  return regard_naming_head(kind, regard_naming_layer(capture, kind, layer) - 1,
                            regard_naming_head_number(capture, kind, head) - 1);
}

guint
regard_naming_layer(const mt_capture *capture, mt_attention_kind kind, guint layer)
{
  return layer + 1 + (capture ? (guint) mt_capture_first_layer(capture, kind) : 0);
}

guint
regard_naming_head_number(const mt_capture *capture, mt_attention_kind kind, guint head)
{
  return head + 1 + (capture ? (guint) mt_capture_first_head(capture, kind) : 0);
}

const char *
regard_kind_name(mt_attention_kind kind)
{
  switch (kind) {
  case MT_ENCODER_SELF:
    return "Encoder self-attention";
  case MT_DECODER_SELF:
    return "Decoder self-attention";
  case MT_CROSS:
    return "Cross-attention";
  }
  return "Attention";
}

const char *
regard_naming_kind(const mt_capture *capture, mt_attention_kind kind)
{
  gboolean is_unknown = capture && mt_capture_naming(capture) == MT_NAMING_TOKENS;
  return is_unknown && kind == MT_ENCODER_SELF ? "Self-attention" : regard_kind_name(kind);
}

typedef enum { WORD_SOURCE, WORD_TRANSLATION, WORD_OUTPUT, WORD_TOKENS } Word;

static Word
find_word(const mt_capture *capture, mt_stack stack)
{
  if (!capture || mt_capture_naming(capture) == MT_NAMING_TRANSLATION)
    return stack == MT_STACK_ENCODER ? WORD_SOURCE : WORD_TRANSLATION;
  if (!mt_capture_source(capture) || !mt_capture_output(capture))
    return WORD_TOKENS;
  return stack == MT_STACK_ENCODER ? WORD_SOURCE : WORD_OUTPUT;
}

const char *
regard_naming_stack(const mt_capture *capture, mt_stack stack)
{
  static const char *const words[] = {"source", "translation", "output", "tokens"};
  return words[find_word(capture, stack)];
}

const char *
regard_naming_stack_title(const mt_capture *capture, mt_stack stack)
{
  static const char *const words[] = {"Source", "Translation", "Output", "Tokens"};
  return words[find_word(capture, stack)];
}

mt_stack
regard_naming_rows(mt_attention_kind kind)
{
  return kind == MT_ENCODER_SELF ? MT_STACK_ENCODER : MT_STACK_DECODER;
}

mt_stack
regard_naming_columns(mt_attention_kind kind)
{
  return kind == MT_DECODER_SELF ? MT_STACK_DECODER : MT_STACK_ENCODER;
}

int
regard_naming_input_shift(const mt_capture *capture)
{
  return !capture || (mt_capture_has_decoder_input(capture) && mt_capture_has_output(capture));
}

char *
regard_naming_pieces(const mt_tokens *tokens)
{
  guint n = tokens ? (guint) mt_tokens_count(tokens) : 0;
  return g_strdup_printf(ngettext("%u piece", "%u pieces", n), n);
}

const char *
regard_naming_precision(mt_precision precision)
{
  switch (precision) {
  case MT_PRECISION_STORED:
    return "F32";
  case MT_PRECISION_F16:
    return "F16";
  case MT_PRECISION_BF16:
    return "BF16";
  case MT_PRECISION_BF16_ALL:
    return "BF16, encoder too";
  case MT_PRECISION_INT8:
    return "int8";
  case MT_PRECISION_INT8_ALL:
    return "int8, encoder too";
  case MT_PRECISION_UNKNOWN:
    break;
  }
  return "unknown";
}

char *
regard_naming_precisions(const mt_capture *capture)
{
  mt_precision own = mt_capture_precision(capture);
  mt_precision found = mt_capture_translation_precision(capture);
  if (own == MT_PRECISION_UNKNOWN)
    return NULL;
  if (found == own || found == MT_PRECISION_UNKNOWN)
    return g_strdup(regard_naming_precision(own));
  return g_strdup_printf("%s, translation found in %s", regard_naming_precision(own),
                         regard_naming_precision(found));
}

/* The words that a translation had to begin with, and how much it must not have had. */
static void
append_constraints(const mt_capture *capture, const mt_constraints *constraints, GString *text)
{
  const mt_tokens *output = mt_capture_output(capture);
  gsize n_prefix, n;
  mt_constraints_prefix(constraints, &n_prefix);
  mt_constraints_forbidden(constraints, &n);
  n_prefix = output ? MIN(n_prefix, mt_tokens_count(output)) : 0;
  if (n_prefix)
    g_string_append_printf(text, "%sbegun with “%.*s”", text->len ? ", " : "",
                           (int) mt_tokens_get(output, n_prefix - 1)->end, mt_tokens_text(output));
  if (n)
    g_string_append_printf(text, "%s%" G_GSIZE_FORMAT " %s forbidden", text->len ? ", " : "", n,
                           n == 1 ? "choice" : "choices");
  mt_constraints_terms(constraints, &n);
  if (n)
    g_string_append_printf(text, "%s%" G_GSIZE_FORMAT " %s forced", text->len ? ", " : "", n,
                           n == 1 ? "term" : "terms");
}

char *
regard_naming_search(const mt_capture *capture)
{
  const mt_request *search = mt_capture_search(capture);
  GString *text = g_string_new(NULL);
  for (gsize i = 0; search && i < mt_search_n_fields(); i++) {
    const mt_search_field *field = mt_search_field_at(i);
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    double value;
    if (!mt_request_get(search, i, &value))
      continue;
    g_string_append_printf(text, "%s%s %s", text->len ? ", " : "", field->name,
                           field->type == MT_SEARCH_CHOICE
                               ? field->choices[(gsize) value]
                               : g_ascii_formatd(number, sizeof number, "%g", value));
  }
  if (search)
    append_constraints(capture, search->constraints, text);
  return g_string_free(text, text->len == 0);
}

char *
regard_naming_joined(const char *changes)
{
  g_auto(GStrv) lines = g_strsplit(changes, "\n", -1);
  return g_strjoinv("; ", lines);
}

char *
regard_naming_changes(const mt_capture *capture)
{
  const mt_changes *changes = mt_capture_changes(capture);
  return mt_changes_count(changes) ? regard_naming_joined(mt_changes_text(changes)) : NULL;
}

char *
regard_naming_origin(const mt_capture *capture)
{
  const char *file = mt_capture_file_name(capture), *model = mt_capture_model_name(capture);
  if (!*file)
    return g_strdup(model);
  g_autofree char *both = *model ? g_strdup_printf("%s (%s)", file, model) : g_strdup(file);
  return regard_visible(both);
}

#define MOST_UNKNOWN         16 /* texts */
#define MOST_UNKNOWN_LETTERS 24 /* of each */

char *
regard_naming_unknown(const char *const *texts)
{
  GString *line = g_string_new(NULL);
  const guint n = g_strv_length((char **) texts);
  for (guint i = 0; i < MIN(n, MOST_UNKNOWN); i++) {
    g_autofree char *visible = regard_visible(texts[i]);
    const gboolean is_long = g_utf8_strlen(visible, -1) > MOST_UNKNOWN_LETTERS;
    const char *end = is_long ? g_utf8_offset_to_pointer(visible, MOST_UNKNOWN_LETTERS)
                              : visible + strlen(visible);
    g_string_append_printf(line, "%s%.*s%s", i ? " " : "", (int) (end - visible), visible,
                           is_long ? "…" : "");
  }
  if (n > MOST_UNKNOWN) /* how many nobody counted: see mt_tokens_unknown */
    g_string_append(line, _(" and more"));
  return g_string_free(line, FALSE);
}

/* Text outside the vocabulary is read as <unk>, which tells people nothing: show what they wrote,
 * in brackets because the model did not see it. */
char *
regard_piece_display(const mt_tokens *tokens, gsize i)
{
  const mt_token *token = mt_tokens_get(tokens, i);
  if (mt_token_is_unknown(token) && token->end > token->begin) {
    g_autofree char *text =
        g_strndup(mt_tokens_text(tokens) + token->begin, token->end - token->begin);
    g_autofree char *shown = regard_visible(text);
    return g_strdup_printf("‹%s›", shown);
  }
  return regard_visible(token->piece);
}

char *
regard_token_display(const mt_tokens *tokens, gsize i, gboolean is_start)
{
  const mt_token *token = mt_tokens_get(tokens, i);
  if (is_start && token->is_special)
    return g_strdup("start");
  if (token->is_special && token->piece && strcmp(token->piece, "</s>") == 0)
    return g_strdup("⏎");
  return regard_piece_display(tokens, i);
}
