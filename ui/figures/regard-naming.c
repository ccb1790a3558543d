/* regard-naming.c — how what is in a capture is called, and how text that others wrote is
 * shown.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-naming.h"

#include "figures/regard-language.h"
#include "figures/regard-words.h"

#include <string.h>

/* ---- Text that people and terminals can be shown, whoever wrote it ---------------------- */

static gboolean
ends_line(gunichar c)
{
  return c == 0x85 || c == 0x2028 || c == 0x2029;
}

/* Controls without a picture of their own. */
static gboolean
is_named(gunichar c)
{
  return (c >= 0x80 && c < 0xa0) || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/* Legal in UTF-8, but promised never to stand for a character: XML and cairo refuse them. */
static gboolean
is_no_character(gunichar c)
{
  return (c & 0xfffe) == 0xfffe || (c >= 0xfdd0 && c <= 0xfdef);
}

static char *
make_visible(const char *text, const char *kept)
{
  g_autofree char *valid = g_utf8_make_valid(text ? text : "", -1);
  GString *visible = g_string_sized_new(strlen(valid));
  for (const char *p = valid; *p; p = g_utf8_next_char(p)) {
    const gunichar c = g_utf8_get_char(p);
    if (c < 0x20)
      g_string_append_unichar(visible, strchr(kept, (int) c) ? c : 0x2400 + c);
    else if (c == 0x7f)
      g_string_append_unichar(visible, 0x2421);
    else if (ends_line(c))
      g_string_append_unichar(visible, 0x2424);
    else if (is_named(c))
      g_string_append_printf(visible, "[U+%04X]", c);
    else
      g_string_append_unichar(visible, is_no_character(c) ? 0xfffd : c);
  }
  return g_string_free(visible, FALSE);
}

char *
regard_visible(const char *text)
{
  return make_visible(text, "");
}

char *
regard_visible_lines(const char *text)
{
  return make_visible(text, "\n\t");
}

/* ---- What kinds of attention, axes and texts of a capture are called --------------------------
 */

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
    return _("Encoder self-attention");
  case MT_DECODER_SELF:
    return _("Decoder self-attention");
  case MT_CROSS:
    return _("Cross-attention");
  }
  return _("Attention");
}

const char *
regard_naming_kind(const mt_capture *capture, mt_attention_kind kind)
{
  gboolean is_unknown = capture && mt_capture_naming(capture) == MT_NAMING_TOKENS;
  return is_unknown && kind == MT_ENCODER_SELF ? _("Self-attention") : regard_kind_name(kind);
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
  /* Translators: a text inside a phrase, "queries: source" */
  static const char *const words[] = {NC_("text", "source"), NC_("text", "translation"),
                                      NC_("text", "output"), NC_("text", "tokens")};
  return regard_words_of("text", words[find_word(capture, stack)]);
}

const char *
regard_naming_stack_title(const mt_capture *capture, mt_stack stack)
{
  static const char *const words[] = {N_("Source"), N_("Translation"), N_("Output"), N_("Tokens")};
  return _(words[find_word(capture, stack)]);
}

const char *
regard_naming_pieces_of(const mt_capture *capture, mt_stack stack)
{
  static const char *const names[] = {N_("Pieces of the source"), N_("Pieces of the translation"),
                                      N_("Pieces of the output"), N_("Pieces of the tokens")};
  return _(names[find_word(capture, stack)]);
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
    return _("BF16, encoder too");
  case MT_PRECISION_INT8:
    return "int8";
  case MT_PRECISION_INT8_ALL:
    return _("int8, encoder too");
  case MT_PRECISION_UNKNOWN:
    break;
  }
  /* Translators: a precision */
  return C_("precision", "unknown");
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
  /* Translators: two precisions, "F32, translation found in int8" */
  return g_strdup_printf(_("%s, translation found in %s"), regard_naming_precision(own),
                         regard_naming_precision(found));
}

/* A word of the engine's table for people in their language; as data in English, whoever is asked.
 */
static const char *
say(const char *word, gboolean is_data)
{
  return is_data ? word : regard_words_of("setting", word);
}

static void
take_item(GString *list, char *item, gboolean is_data)
{
  if (is_data)
    g_string_append_printf(list, "%s%s", list->len ? ", " : "", item);
  else
    regard_words_add_item(list, item);
  g_free(item);
}

/* The words that a translation had to begin with, and how much it must not have had. */
static void
append_constraints(const mt_capture *capture, const mt_constraints *constraints, gboolean is_data,
                   GString *text)
{
  const mt_tokens *output = mt_capture_output(capture);
  gsize n_prefix, n_forbidden, n_terms;
  mt_constraints_prefix(constraints, &n_prefix);
  mt_constraints_forbidden(constraints, &n_forbidden);
  mt_constraints_terms(constraints, &n_terms);
  n_prefix = output ? MIN(n_prefix, mt_tokens_count(output)) : 0;
  static const char *const forbidden[] = {"%zu choice forbidden", "%zu choices forbidden"};
  static const char *const forced[] = {"%zu term forced", "%zu terms forced"};
  if (n_prefix)
    take_item(
        text,
        /* Translators: in a list of what a search was asked: the translation had to begin so */
        g_strdup_printf(is_data ? "begun with “%.*s”" : _("begun with “%.*s”"),
                        (int) mt_tokens_get(output, n_prefix - 1)->end, mt_tokens_text(output)),
        is_data);
  if (n_forbidden)
    take_item(text,
              g_strdup_printf(is_data ? forbidden[n_forbidden != 1]
                                      : ngettext("%zu choice forbidden", "%zu choices forbidden",
                                                 n_forbidden),
                              n_forbidden),
              is_data);
  if (n_terms)
    take_item(text,
              g_strdup_printf(is_data ? forced[n_terms != 1]
                                      : ngettext("%zu term forced", "%zu terms forced", n_terms),
                              n_terms),
              is_data);
}

char *
regard_naming_search(const mt_capture *capture, gboolean is_data)
{
  const mt_request *search = mt_capture_search(capture);
  GString *text = g_string_new(NULL);
  for (gsize i = 0; search && i < mt_search_n_fields(); i++) {
    const mt_search_field *field = mt_search_field_at(i);
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    double value;
    if (!mt_request_get(search, i, &value))
      continue;
    take_item(text,
              g_strdup_printf("%s %s", say(field->name, is_data),
                              field->type == MT_SEARCH_CHOICE
                                  ? say(field->choices[(gsize) value], is_data)
                              : is_data ? g_ascii_formatd(number, sizeof number, "%g", value)
                                        : regard_formatd(number, sizeof number, "%g", value)),
              is_data);
  }
  if (search)
    append_constraints(capture, search->constraints, is_data, text);
  return g_string_free(text, text->len == 0);
}

char *
regard_naming_joined(const char *interventions)
{
  g_auto(GStrv) lines = g_strsplit(interventions, "\n", -1);
  return g_strjoinv("; ", lines);
}

char *
regard_naming_interventions(const mt_capture *capture)
{
  const mt_interventions *interventions = mt_capture_interventions(capture);
  return mt_interventions_count(interventions)
             ? regard_naming_joined(mt_interventions_text(interventions))
             : NULL;
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
  if (n <= MOST_UNKNOWN)
    return g_string_free(line, FALSE);
  g_autoptr(GString) first = line; /* how many more nobody counted: see mt_tokens_unknown */
  /* Translators: %s are some words of a text, with blanks between them */
  return g_strdup_printf(_("%s and more"), first->str);
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

const char *
regard_naming_token(const mt_token *token)
{
  static const char mark[] = "▁";
  if (strcmp(token->piece, "</s>") == 0)
    return "end";
  return g_str_has_prefix(token->piece, mark) && token->piece[sizeof mark - 1]
             ? token->piece + sizeof mark - 1
             : token->piece;
}

gboolean
regard_naming_find_token(const mt_tokens *tokens, guint number, const char *name, gsize *found)
{
  const gsize n = mt_tokens_count(tokens);
  for (gsize i = 0; name && i < n; i++)
    if (strcmp(regard_naming_token(mt_tokens_get(tokens, i)), name) == 0) {
      *found = i;
      return TRUE;
    }
  *found = number ? number - 1 : 0;
  return !name && number >= 1 && number <= n;
}

char *
regard_token_display(const mt_tokens *tokens, gsize i, gboolean is_start)
{
  const mt_token *token = mt_tokens_get(tokens, i);
  if (is_start && token->is_special)
    return g_strdup(_("start"));
  if (token->is_special && token->piece && strcmp(token->piece, "</s>") == 0)
    return g_strdup("⏎");
  return regard_piece_display(tokens, i);
}

/* A piece without the mark that says where words begin. */
static const char *
without_mark(const char *piece)
{
  static const char *const marks[] = {"▁", "Ġ", "##"};
  for (guint i = 0; i < G_N_ELEMENTS(marks); i++)
    if (g_str_has_prefix(piece, marks[i]))
      return piece + strlen(marks[i]);
  return piece;
}

char *
regard_plain_words(const char *text)
{
  GString *plain = g_string_new(text);
  g_string_replace(plain, "⏎", _("end"), 0);
  g_string_replace(plain, "▁", "", 0);
  if (*plain->str == '\0')
    g_string_assign(plain, text); /* a mark alone is all there is to see */
  return g_string_free(plain, FALSE);
}

void
regard_plain_text(char **text)
{
  const char *bare = without_mark(*text);
  char *plain = strcmp(*text, "⏎") == 0 ? g_strdup(_("end")) : *bare ? g_strdup(bare) : NULL;
  if (plain) { /* a mark alone is all there is to see */
    g_free(*text);
    *text = plain;
  }
}

/* ---- Which pieces make one word for people ---------------------------------------------- */

typedef enum {
  PIECE_TEXT,        /* letters, digits, anything else */
  PIECE_PUNCTUATION, /* nothing but punctuation */
  PIECE_EMPTY,       /* the mark where a word begins, alone */
} PieceKind;

static gboolean
is_punctuation(gunichar c)
{
  switch (g_unichar_type(c)) {
  case G_UNICODE_CONNECT_PUNCTUATION:
  case G_UNICODE_DASH_PUNCTUATION:
  case G_UNICODE_CLOSE_PUNCTUATION:
  case G_UNICODE_FINAL_PUNCTUATION:
  case G_UNICODE_INITIAL_PUNCTUATION:
  case G_UNICODE_OTHER_PUNCTUATION:
  case G_UNICODE_OPEN_PUNCTUATION:
    return TRUE;
  default:
    return FALSE;
  }
}

static PieceKind
piece_kind(const mt_tokens *tokens, guint i)
{
  const mt_token *token = mt_tokens_get(tokens, i);
  const char *text = without_mark(token->piece ? token->piece : "");
  if (!*text)
    return PIECE_EMPTY;
  for (const char *p = text; *p; p = g_utf8_next_char(p))
    if (!is_punctuation(g_utf8_get_char(p)))
      return PIECE_TEXT;
  return PIECE_PUNCTUATION;
}

/* Whether tokens [from, to) are the body of an abbreviation with points inside, as "z.B" is. */
static gboolean
has_point(const mt_tokens *tokens, guint from, guint to)
{
  for (guint i = from; i < to; i++) {
    const mt_token *token = mt_tokens_get(tokens, i);
    if (token->piece && strchr(token->piece, '.'))
      return TRUE;
  }
  return FALSE;
}

/* Divide [from, to), which is between white space: the ends of the punctuation before it and of the
 * word itself. Equal to from, or to, where there is none. */
static void
divide(const mt_tokens *tokens, guint from, guint to, guint *body, guint *behind)
{
  *body = from;
  gboolean opens = FALSE;
  while (*body < to && piece_kind(tokens, *body) != PIECE_TEXT) {
    opens |= piece_kind(tokens, *body) == PIECE_PUNCTUATION;
    (*body)++;
  }
  *behind = to;
  if (*body == to || !opens) {
    gboolean has_text = *body < to;
    *body = from;
    if (!has_text) /* nothing but punctuation is one word */
      return;
  }
  while (piece_kind(tokens, *behind - 1) == PIECE_PUNCTUATION)
    (*behind)--;
  gboolean is_point = to - *behind == 1 && strcmp(mt_tokens_get(tokens, *behind)->piece, ".") == 0;
  if (is_point && has_point(tokens, *body, *behind))
    *behind = to;
}

guint *
regard_words_find(const mt_tokens *tokens, guint *n)
{
  guint count = (guint) mt_tokens_count(tokens), n_begins = 0;
  guint *begins = g_new(guint, count + 1);
  for (guint i = 0; i < count;) {
    const mt_token *first = mt_tokens_get(tokens, i);
    guint end = i + 1;
    while (!first->is_special && end < count && !mt_tokens_get(tokens, end)->is_special &&
           mt_tokens_get(tokens, end)->word == first->word)
      end++;
    guint body = i, behind = end;
    if (!first->is_special)
      divide(tokens, i, end, &body, &behind);
    begins[n_begins++] = i;
    if (body > i)
      begins[n_begins++] = body;
    if (behind < end)
      begins[n_begins++] = behind;
    i = end;
  }
  begins[n_begins] = count;
  *n = n_begins;
  return begins;
}

/* ---- A word that goes on ----------------------------------------------------------------------
 */

/* Letters that words are made of where words are told apart by spaces. */
static gboolean
is_of_word(gunichar c)
{
  const GUnicodeBreakType type = g_unichar_break_type(c);
  return g_unichar_isalnum(c) && type != G_UNICODE_BREAK_IDEOGRAPHIC &&
         type != G_UNICODE_BREAK_COMPLEX_CONTEXT &&
         type != G_UNICODE_BREAK_CONDITIONAL_JAPANESE_STARTER;
}

gboolean
regard_words_continued(const mt_hypothesis *h, char **part, char **whole)
{
  const gsize n = h->n_forced;
  guint n_words, word = 0;
  if (n == 0 || n >= mt_tokens_count(h->tokens))
    return FALSE;
  g_autofree guint *begins = regard_words_find(h->tokens, &n_words);
  while (word < n_words && begins[word + 1] <= n - 1)
    word++;
  if (word >= n_words || begins[word + 1] <= n) /* it ends there */
    return FALSE;
  const char *first = h->text + mt_tokens_get(h->tokens, begins[word])->begin;
  const char *cut_at = h->text + mt_tokens_get(h->tokens, n - 1)->end;
  const char *end = h->text + mt_tokens_get(h->tokens, begins[word + 1] - 1)->end;
  if (cut_at <= first || end <= cut_at ||
      !is_of_word(g_utf8_get_char(g_utf8_find_prev_char(h->text, cut_at))) ||
      !is_of_word(g_utf8_get_char(cut_at)))
    return FALSE;
  *part = g_strstrip(g_strndup(first, (gsize) (cut_at - first)));
  *whole = g_strstrip(g_strndup(first, (gsize) (end - first)));
  return TRUE;
}
