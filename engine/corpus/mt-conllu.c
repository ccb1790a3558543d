/* mt-conllu.c — CoNLL-U, line by line.
 *
 * https://universaldependencies.org/format.html: ten columns between tabs, of which ID, FORM, HEAD,
 * DEPREL and MISC (SpaceAfter=No) are read; comments, of which "# text = …" is; multi-word tokens
 * "2-3", whose words share their bytes; empty nodes "8.1", which are left out. Forms are looked for
 * in the text one after the other; white space in between is left out.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "base/mt-utf8.h"
#include "mt.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Of one sentence. */
#define MOST_WORDS 4096
#define MOST_TEXT  ((size_t) 1024 * 1024)
#define N_COLUMNS  10

typedef struct {
  const char *at;
  size_t n;
} slice;

typedef struct {
  char *data; /* terminated */
  size_t n, capacity;
} buffer;

/* A word as its line says, with offsets into the strings of the reader. */
typedef struct {
  size_t form, form_n, relation;
  uint32_t head, begin, end;
} row;

struct mt_conllu_reader {
  const char *label;
  uint64_t line, first_line; /* the newest, and the first of the sentence */
  buffer text;               /* of the comment, or put together */
  buffer strings;            /* forms and relations, each terminated */
  bool has_lines, has_text, wants_space;
  row *rows;
  mt_conllu_word *words;
  size_t n, capacity;
  size_t token_end; /* the last word of the newest multi-word token; 0: none */
  size_t token_form, token_form_n;
  mt_conllu_tree tree;
};

mt_conllu_reader *
mt_conllu_reader_new(const char *label, mt_error *error)
{
  mt_conllu_reader *reader = mt_alloc(1, sizeof *reader);
  if (!reader)
    return mt_fail_no_memory(error), NULL;
  reader->label = label;
  return reader;
}

void
mt_conllu_reader_free(mt_conllu_reader *reader)
{
  if (!reader)
    return;
  mt_free(reader->text.data);
  mt_free(reader->strings.data);
  mt_free(reader->rows);
  mt_free(reader->words);
  mt_free(reader);
}

/* "trees.conllu:17: …" */
static bool fail_line(const mt_conllu_reader *reader, uint64_t line, mt_error *error,
                      const char *format, ...) __attribute__((format(printf, 4, 5)));

static bool
fail_line(const mt_conllu_reader *reader, uint64_t line, mt_error *error, const char *format, ...)
{
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return mt_fail(error, MT_ERROR_FORMAT, "%s:%llu: %s", reader->label, (unsigned long long) line,
                 text);
}

static bool
put(const mt_conllu_reader *reader, buffer *to, const char *bytes, size_t n, mt_error *error)
{
  if (to->n + n >= MOST_TEXT)
    return fail_line(reader, reader->line, error, "The text of a sentence is longer than 1 MiB.");
  if (!mt_grow(&to->data, to->n, n + 1, &to->capacity, 1))
    return mt_fail_no_memory(error);
  memcpy(to->data + to->n, bytes, n);
  to->n += n;
  to->data[to->n] = '\0';
  return true;
}

/* ---- A line ---------------------------------------------------------------------------------- */

/* A number without sign; false: it is none, or too large. */
static bool
number_of(slice s, uint32_t most, uint32_t *value)
{
  uint64_t v = 0;
  for (size_t i = 0; i < s.n; i++) {
    if (s.at[i] < '0' || s.at[i] > '9')
      return false;
    v = 10 * v + (uint64_t) (s.at[i] - '0');
    if (v > most)
      return false;
  }
  *value = (uint32_t) v;
  return s.n > 0;
}

static bool
is_text(slice s, const char *text)
{
  return s.n == strlen(text) && memcmp(s.at, text, s.n) == 0;
}

/* Whether MISC has SpaceAfter=No. */
static bool
has_no_space(slice misc)
{
  static const char wanted[] = "SpaceAfter=No";
  const size_t n = sizeof wanted - 1;
  for (size_t i = 0; i + n <= misc.n; i++)
    if (memcmp(misc.at + i, wanted, n) == 0 && (i == 0 || misc.at[i - 1] == '|') &&
        (i + n == misc.n || misc.at[i + n] == '|'))
      return true;
  return false;
}

static bool
take_comment(mt_conllu_reader *reader, const char *line, size_t n, mt_error *error)
{
  static const char key[] = "text";
  size_t at = 1;
  while (at < n && line[at] == ' ')
    at++;
  if (n - at < sizeof key - 1 || memcmp(line + at, key, sizeof key - 1) != 0)
    return true;
  at += sizeof key - 1;
  while (at < n && line[at] == ' ')
    at++;
  if (at >= n || line[at] != '=')
    return true; /* "# text_en = …" */
  at++;
  while (at < n && line[at] == ' ')
    at++;
  if (reader->has_text || reader->n > 0)
    return fail_line(reader, reader->line, error, "The sentence has a text already.");
  reader->has_text = true;
  return put(reader, &reader->text, line + at, n - at, error);
}

/* Words without "# text" make one. */
static bool
append_form(mt_conllu_reader *reader, slice form, slice misc, mt_error *error)
{
  if (reader->has_text)
    return true;
  const bool ok = (!reader->wants_space || put(reader, &reader->text, " ", 1, error)) &&
                  put(reader, &reader->text, form.at, form.n, error);
  reader->wants_space = !has_no_space(misc);
  return ok;
}

/* "2-3" */
static bool
take_token(mt_conllu_reader *reader, slice id, const char *dash, const slice *columns,
           mt_error *error)
{
  uint32_t first, last;
  const slice left = {id.at, (size_t) (dash - id.at)};
  const slice right = {dash + 1, id.n - left.n - 1};
  if (!number_of(left, MOST_WORDS, &first) || !number_of(right, MOST_WORDS, &last) ||
      first != reader->n + 1 || last < first || reader->token_end > reader->n)
    return fail_line(reader, reader->line, error,
                     "Expected a token of the words from %zu on, found \"%.*s\".", reader->n + 1,
                     (int) (id.n < 40 ? id.n : 40), id.at);
  reader->token_end = last;
  reader->token_form = reader->strings.n;
  reader->token_form_n = columns[1].n;
  return put(reader, &reader->strings, columns[1].at, columns[1].n, error) &&
         put(reader, &reader->strings, "", 1, error) &&
         append_form(reader, columns[1], columns[9], error);
}

static bool
make_room(mt_conllu_reader *reader, mt_error *error)
{
  if (reader->n < reader->capacity)
    return true;
  if (reader->n == MOST_WORDS)
    return mt_fail(error, MT_ERROR_TOO_LONG, "%s:%llu: A sentence has more than %d words.",
                   reader->label, (unsigned long long) reader->line, MOST_WORDS);
  size_t capacity = reader->capacity; /* of both */
  return (mt_grow(&reader->rows, reader->n, 1, &capacity, sizeof *reader->rows) &&
          mt_grow(&reader->words, reader->n, 1, &reader->capacity, sizeof *reader->words)) ||
         mt_fail_no_memory(error);
}

/* A subtype is left out. */
static slice
relation_of(slice relation)
{
  const char *colon = memchr(relation.at, ':', relation.n);
  return colon ? (slice){relation.at, (size_t) (colon - relation.at)} : relation;
}

static bool
take_word(mt_conllu_reader *reader, const slice *columns, mt_error *error)
{
  const slice id = columns[0], relation = relation_of(columns[7]);
  uint32_t number, head;
  if (!number_of(id, MOST_WORDS + 1, &number) || number != reader->n + 1)
    return fail_line(reader, reader->line, error, "Expected word %zu, found \"%.*s\".",
                     reader->n + 1, (int) (id.n < 40 ? id.n : 40), id.at);
  if (!number_of(columns[6], MOST_WORDS, &head) || head == number)
    return fail_line(reader, reader->line, error,
                     "Expected the number of another word as its head, found \"%.*s\".",
                     (int) (columns[6].n < 40 ? columns[6].n : 40), columns[6].at);
  if (relation.n == 0 || relation.n >= 64 || is_text(relation, "_"))
    return fail_line(reader, reader->line, error,
                     "Expected a relation, such as nsubj, found \"%.*s\".",
                     (int) (relation.n < 40 ? relation.n : 40), relation.at);
  if ((head == 0) != is_text(relation, "root"))
    return fail_line(reader, reader->line, error,
                     "Head 0 and the relation root belong together; found %u and \"%.*s\".", head,
                     (int) relation.n, relation.at);
  if (!make_room(reader, error))
    return false;
  row *r = &reader->rows[reader->n];
  *r = (row){.form = reader->strings.n, .form_n = columns[1].n, .head = head};
  if (!put(reader, &reader->strings, columns[1].at, columns[1].n, error) ||
      !put(reader, &reader->strings, "", 1, error))
    return false;
  r->relation = reader->strings.n;
  if (!put(reader, &reader->strings, relation.at, relation.n, error) ||
      !put(reader, &reader->strings, "", 1, error))
    return false;
  const bool is_inside = reader->token_end > reader->n;
  if (is_inside) {
    r->form = reader->token_form;
    r->form_n = reader->token_form_n;
  } else if (!append_form(reader, columns[1], columns[9], error)) {
    return false;
  }
  reader->n++;
  return true;
}

static bool
take_row(mt_conllu_reader *reader, const char *line, size_t n, mt_error *error)
{
  slice columns[N_COLUMNS];
  size_t n_columns = 0, at = 0;
  for (size_t i = 0; i <= n; i++)
    if (i == n || line[i] == '\t') {
      if (n_columns < N_COLUMNS)
        columns[n_columns] = (slice){line + at, i - at};
      n_columns++;
      at = i + 1;
    }
  if (n_columns != N_COLUMNS)
    return fail_line(reader, reader->line, error, "Expected %d columns between tabs, found %zu.",
                     N_COLUMNS, n_columns);
  const slice id = columns[0];
  const char *dash = memchr(id.at, '-', id.n);
  if (columns[1].n == 0)
    return fail_line(reader, reader->line, error, "A word has no form.");
  if (memchr(id.at, '.', id.n))
    return true; /* an empty node */
  return dash ? take_token(reader, id, dash, columns, error) : take_word(reader, columns, error);
}

/* ---- A sentence ------------------------------------------------------------------------------ */

static bool
is_space_at(const char *text, size_t n, size_t *length)
{
  *length = mt_utf8_length_at(text, n);
  return *length > 0 && mt_utf8_is_space(text, *length);
}

/* Where the forms are in the text. */
static bool
place_words(mt_conllu_reader *reader, mt_error *error)
{
  const char *text = reader->text.data;
  size_t at = 0, length;
  for (size_t i = 0; i < reader->n; i++) {
    row *r = &reader->rows[i];
    const char *form = reader->strings.data + r->form;
    if (i > 0 && reader->rows[i - 1].form == r->form) {
      r->begin = reader->rows[i - 1].begin; /* of one multi-word token */
      r->end = reader->rows[i - 1].end;
      continue;
    }
    while (at < reader->text.n && is_space_at(text + at, reader->text.n - at, &length))
      at += length;
    if (reader->text.n - at < r->form_n || memcmp(text + at, form, r->form_n) != 0)
      return fail_line(reader, reader->first_line, error,
                       "The text does not have word %zu, \"%.40s\", behind the %zu before it.",
                       i + 1, form, i);
    r->begin = (uint32_t) at;
    at += r->form_n;
    r->end = (uint32_t) at;
  }
  return true;
}

/* Each word comes to the root. */
static bool
check_heads(const mt_conllu_reader *reader, mt_error *error)
{
  size_t n_roots = 0;
  for (size_t i = 0; i < reader->n; i++) {
    if (reader->rows[i].head > reader->n)
      return fail_line(reader, reader->first_line, error,
                       "Word %zu has the head %u; the sentence has %zu words.", i + 1,
                       reader->rows[i].head, reader->n);
    n_roots += reader->rows[i].head == 0;
  }
  if (n_roots != 1)
    return fail_line(reader, reader->first_line, error, "Expected one root, found %zu.", n_roots);
  for (size_t i = 0; i < reader->n; i++) {
    size_t word = i, n_steps = 0;
    while (reader->rows[word].head > 0 && n_steps++ <= reader->n)
      word = reader->rows[word].head - 1;
    if (reader->rows[word].head > 0)
      return fail_line(reader, reader->first_line, error,
                       "The heads of word %zu go round in a circle.", i + 1);
  }
  return true;
}

static bool
finish(mt_conllu_reader *reader, mt_error *error)
{
  if (reader->token_end > reader->n)
    return fail_line(reader, reader->first_line, error,
                     "A token goes to word %zu; the sentence has %zu words.", reader->token_end,
                     reader->n);
  if (!check_heads(reader, error) || !place_words(reader, error))
    return false;
  for (size_t i = 0; i < reader->n; i++)
    reader->words[i] =
        (mt_conllu_word){.begin = reader->rows[i].begin,
                         .end = reader->rows[i].end,
                         .head = reader->rows[i].head,
                         .relation = reader->strings.data + reader->rows[i].relation};
  reader->tree = (mt_conllu_tree){.text = reader->text.data,
                                  .n_words = reader->n,
                                  .words = reader->words,
                                  .line = reader->first_line};
  return true;
}

/* Ready for the next one. */
static void
begin(mt_conllu_reader *reader)
{
  reader->text.n = reader->strings.n = reader->n = 0;
  reader->token_end = 0;
  reader->has_lines = reader->has_text = reader->wants_space = false;
  reader->first_line = reader->line;
}

mt_conllu_result
mt_conllu_reader_add(mt_conllu_reader *reader, const char *line, size_t n,
                     const mt_conllu_tree **tree, mt_error *error)
{
  bool ok = true;
  size_t offset;
  reader->line += line != NULL;
  /* The tree that was handed out stays until now. */
  if (reader->tree.text) {
    reader->tree.text = NULL;
    begin(reader);
  }
  if (line && memchr(line, '\0', n))
    ok = fail_line(reader, reader->line, error, "The line holds a NUL byte.");
  else if (line && !mt_utf8_valid(line, n, &offset))
    ok = fail_line(reader, reader->line, error, "Byte %zu is not UTF-8.", offset + 1);
  else if (!line || n == 0) {
    if (reader->n == 0 && !reader->has_text && reader->token_end == 0) {
      begin(reader);
      return MT_CONLLU_MORE;
    }
    if (reader->n == 0)
      ok = fail_line(reader, reader->first_line, error, "The sentence has no words.");
    else if (finish(reader, error)) {
      *tree = &reader->tree;
      return MT_CONLLU_TREE;
    } else
      ok = false;
  } else {
    if (!reader->has_lines)
      reader->first_line = reader->line;
    reader->has_lines = true;
    ok = line[0] == '#' ? take_comment(reader, line, n, error) : take_row(reader, line, n, error);
  }
  return ok ? MT_CONLLU_MORE : MT_CONLLU_FAILED;
}

/* ---- A tree that stays ----------------------------------------------------------------------- */

/* A copy of text, at *at, which goes on behind it. */
static const char *
put_tree(char **at, const char *text)
{
  const size_t n = strlen(text) + 1;
  char *copy = memcpy(*at, text, n);
  *at += n;
  return copy;
}

mt_conllu_tree *
mt_conllu_tree_copy(const mt_conllu_tree *tree, mt_error *error)
{
  size_t n = strlen(tree->text) + 1;
  for (size_t i = 0; i < tree->n_words; i++)
    n += strlen(tree->words[i].relation) + 1;
  mt_conllu_tree *copy = mt_alloc(sizeof *copy + tree->n_words * sizeof *copy->words + n, 1);
  if (!copy)
    return mt_fail_no_memory(error), NULL;
  mt_conllu_word *words = (mt_conllu_word *) (copy + 1);
  char *at = (char *) (words + tree->n_words);
  *copy = *tree;
  copy->words = words;
  copy->text = put_tree(&at, tree->text);
  for (size_t i = 0; i < tree->n_words; i++) {
    words[i] = tree->words[i];
    words[i].relation = put_tree(&at, tree->words[i].relation);
  }
  return copy;
}

void
mt_conllu_tree_free(mt_conllu_tree *tree)
{
  mt_free(tree);
}
