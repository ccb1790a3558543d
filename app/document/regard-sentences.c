/* regard-sentences.c — a text as a row of sentences.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "document/regard-sentences.h"

#include <pango/pango.h>
#include <string.h>

/* Abbreviations that are followed by a capital in the middle of a sentence: titles before names
 * and references before numbers. Those that may as well end a sentence ("etc.", "Inc.") are left
 * to the standard: a wrong join would hide a boundary, a wrong cut only shows two short pictures.
 */
static const char *const abbreviations[] = {
    "Adm", "Capt", "Cmdr", "Col", "Dr",  "Eq",  "Eqs", "Ex",  "Fig", "Figs", "Fr",   "Gen",  "Gov",
    "Hon", "Lt",   "Maj",  "Mr",  "Mrs", "Ms",  "Mt",  "No",  "Nos", "Nr",   "Pres", "Prof", "Rep",
    "Rev", "Sec",  "Sen",  "Sgt", "St",  "Str", "Vol", "al",  "bzw", "ca",   "cf",   "e.g",  "ff",
    "i.e", "pp",   "resp", "viz", "vs",  "z.B", "d.h", "u.a", "vgl", "Hr",   "Fa",   NULL,
};

/* The run of characters without white space that ends at `end` (exclusive), without the full stop:
 * "Dr." gives "Dr". */
static gboolean
ends_with_abbreviation(const char *text, gsize begin, gsize end)
{
  if (end <= begin || text[end - 1] != '.')
    return FALSE;
  gsize stop = end - 1, start = stop;
  while (start > begin && !g_ascii_isspace(text[start - 1]))
    start--;
  /* Opening quotes and brackets do not belong to the word. */
  while (start < stop && strchr("([{\"'", text[start]))
    start++;
  gsize length = stop - start;
  if (length == 0)
    return FALSE;
  /* An initial, "J." or "U.S."; "I." more often ends a sentence than it shortens a name. */
  if (g_ascii_isupper(text[stop - 1]) && (length == 1 || text[stop - 2] == '.'))
    return !(length == 1 && text[stop - 1] == 'I');
  for (guint i = 0; abbreviations[i]; i++)
    if (strlen(abbreviations[i]) == length &&
        g_ascii_strncasecmp(text + start, abbreviations[i], length) == 0)
      /* "no." in lower case is an answer, "No. 5" a number. */
      return g_ascii_isupper(abbreviations[i][0]) <= g_ascii_isupper(text[start]);
  return FALSE;
}

/* Only "vs. Xyz"-like cuts are mended: the next sentence must begin on the same line. "No." and its
 * kin must be followed by a digit, or "No. He left." would be joined. */
static gboolean
should_join(const char *text, const RegardSentence *a, const RegardSentence *b)
{
  for (gsize i = a->end; i < b->begin; i++)
    if (text[i] == '\n' || text[i] == '\r')
      return FALSE;
  if (!ends_with_abbreviation(text, a->begin, a->end))
    return FALSE;
  static const char *const before_numbers[] = {"No.", "Nos.", "Nr.", "Eq.", "Eqs.", "Ex.", "Str."};
  for (guint i = 0; i < G_N_ELEMENTS(before_numbers); i++) {
    gsize n = strlen(before_numbers[i]);
    if (a->end - a->begin >= n && strncmp(text + a->end - n, before_numbers[i], n) == 0 &&
        (a->end - a->begin == n || !g_ascii_isalpha(text[a->end - n - 1])))
      return g_ascii_isdigit(text[b->begin]);
  }
  return TRUE;
}

/* Shrink to the visible part; FALSE if there is none. */
static gboolean
trim(const char *text, RegardSentence *s)
{
  while (s->begin < s->end) {
    gunichar c = g_utf8_get_char(text + s->begin);
    if (!g_unichar_isspace(c) && !g_unichar_iscntrl(c))
      break;
    s->begin = (gsize) (g_utf8_next_char(text + s->begin) - text);
  }
  while (s->end > s->begin) {
    const char *last = g_utf8_prev_char(text + s->end);
    gunichar c = g_utf8_get_char(last);
    if (!g_unichar_isspace(c) && !g_unichar_iscntrl(c))
      break;
    s->end = (gsize) (last - text);
  }
  return s->begin < s->end;
}

static void
append(GArray *sentences, const char *text, RegardSentence s)
{
  if (!trim(text, &s))
    return;
  if (sentences->len) {
    RegardSentence *last = &g_array_index(sentences, RegardSentence, sentences->len - 1);
    if (should_join(text, last, &s)) {
      last->end = s.end;
      return;
    }
  }
  g_array_append_val(sentences, s);
}

/* One line, [begin, end) without its line break. */
static void
split_line(GArray *sentences, const char *text, gsize begin, gsize end)
{
  RegardSentence whole = {begin, end};
  if (!trim(text, &whole))
    return;
  const char *line = text + whole.begin;
  int n_bytes = (int) (whole.end - whole.begin);
  int n_chars = (int) g_utf8_strlen(line, n_bytes);
  g_autofree PangoLogAttr *attrs = g_new0(PangoLogAttr, n_chars + 1);
  pango_get_log_attrs(line, n_bytes, -1, pango_language_get_default(), attrs, n_chars + 1);

  const char *p = line, *start = line;
  for (int i = 0; i < n_chars; i++, p = g_utf8_next_char(p))
    if (i && attrs[i].is_sentence_boundary) {
      append(sentences, text, (RegardSentence){(gsize) (start - text), (gsize) (p - text)});
      start = p;
    }
  append(sentences, text, (RegardSentence){(gsize) (start - text), whole.end});
}

GArray *
regard_sentences_split(const char *text, mt_text_unit unit)
{
  GArray *sentences = g_array_new(FALSE, FALSE, sizeof(RegardSentence));
  RegardSentence whole = {0, strlen(text)};
  if (unit == MT_UNIT_TEXT) {
    if (trim(text, &whole))
      g_array_append_val(sentences, whole);
    return sentences;
  }
  gsize begin = 0;
  for (gsize i = 0;; i++)
    if (text[i] == '\n' || text[i] == '\r' || text[i] == '\0') {
      split_line(sentences, text, begin, i);
      begin = i + 1;
      if (text[i] == '\0')
        break;
    }
  return sentences;
}

int
regard_sentences_at(const GArray *sentences, const char *text, gsize at)
{
  for (guint i = 0; i < sentences->len; i++) {
    const RegardSentence *s = &g_array_index(sentences, RegardSentence, i);
    if (at > s->end)
      continue;
    if (at >= s->begin || i == 0)
      return (int) i;
    /* In the gap before sentence i: a caret behind a full stop is still at the sentence just
     * typed, one on a new line is not. */
    const RegardSentence *before = &g_array_index(sentences, RegardSentence, i - 1);
    for (gsize k = before->end; k < at; k++)
      if (text[k] == '\n' || text[k] == '\r')
        return (int) i;
    return (int) i - 1;
  }
  return (int) sentences->len - 1;
}

/* ---- A text -------------------------------------------------------------------------------- */

char **
regard_sentences_dup(const char *text, const GArray *sentences)
{
  g_autoptr(GStrvBuilder) all = g_strv_builder_new();
  for (guint i = 0; i < sentences->len; i++) {
    const RegardSentence *s = &g_array_index(sentences, RegardSentence, i);
    g_autofree char *sentence = g_strndup(text + s->begin, s->end - s->begin);
    g_strv_builder_add(all, sentence);
  }
  return g_strv_builder_end(all);
}

void
regard_text_init(RegardText *self)
{
  *self = (RegardText){.text = g_strdup(""),
                       .sentences = regard_sentences_split("", MT_UNIT_SENTENCE),
                       .active = -1};
}

void
regard_text_clear(RegardText *self)
{
  g_free(self->text);
  g_free(self->sentence);
  g_array_unref(self->sentences);
}

void
regard_text_set(RegardText *self, const char *text, GArray *sentences, gsize caret)
{
  RegardText old = *self;
  self->text = g_strdup(text);
  self->sentences = g_array_ref(sentences);
  self->caret = MIN(caret, strlen(self->text));
  self->active = regard_sentences_at(self->sentences, self->text, self->caret);
  const RegardSentence *s =
      self->active < 0 ? NULL : &g_array_index(self->sentences, RegardSentence, self->active);
  self->sentence = s ? g_strndup(self->text + s->begin, s->end - s->begin) : NULL;
  regard_text_clear(&old);
}
