/* regard-lesson.c — a lesson: steps of prose, with what they show, ask and check. Files .lesson.md.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "learn/regard-lesson.h"

#include "base/regard-locale.h"
#include "figures/regard-naming.h"

#include <string.h>

/* ---- Life ------------------------------------------------------------------------------------ */

static void
option_free(gpointer data)
{
  RegardLessonOption *option = data;
  g_free(option->text);
  g_free(option->answer);
  g_free(option);
}

void
regard_directive_free(RegardDirective *directive)
{
  if (!directive)
    return;
  g_free(directive->text);
  g_free(directive->row.piece);
  g_free(directive->column.piece);
  mt_interventions_unref(directive->interventions);
  regard_term_free(directive->term);
  regard_condition_free(directive->condition);
  g_free(directive);
}

static void
step_free(gpointer data)
{
  RegardLessonStep *step = data;
  g_free(step->title);
  g_ptr_array_unref(step->paragraphs);
  g_ptr_array_unref(step->notes);
  g_ptr_array_unref(step->options);
  g_ptr_array_unref(step->directives);
  g_free(step);
}

static void
clear_name(gpointer data)
{
  RegardName *name = data;
  g_free((char *) name->name);
}

static RegardLesson *
lesson_new(void)
{
  RegardLesson *lesson = g_new0(RegardLesson, 1);
  lesson->ref_count = 1;
  lesson->steps = g_ptr_array_new_with_free_func(step_free);
  lesson->names = g_array_new(FALSE, TRUE, sizeof(RegardName));
  g_array_set_clear_func(lesson->names, clear_name);
  lesson->after = g_new0(char *, 1);
  lesson->paper = g_strdup("");
  lesson->model = g_strdup("any");
  return lesson;
}

RegardLesson *
regard_lesson_ref(RegardLesson *lesson)
{
  g_atomic_int_inc(&lesson->ref_count);
  return lesson;
}

void
regard_lesson_unref(RegardLesson *lesson)
{
  if (!lesson || !g_atomic_int_dec_and_test(&lesson->ref_count))
    return;
  g_free(lesson->id);
  g_free(lesson->title);
  g_free(lesson->paper);
  g_free(lesson->model);
  g_free(lesson->text);
  g_free(lesson->original);
  g_strfreev(lesson->after);
  g_ptr_array_unref(lesson->steps);
  g_array_unref(lesson->names);
  g_free(lesson);
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Where a line of the body belongs. */
typedef enum {
  IN_NOTHING,
  IN_PARAGRAPH,
  IN_NOTE,
  IN_OPTION, /* an answer, or a further line of it, may follow */
  IN_FENCE,
} Place;

typedef struct {
  RegardLesson *lesson;
  const char *label;
  guint line;
  mt_error *error;
  Place place;
  RegardLessonStep *step; /* the newest; NULL: none yet */
  gboolean has_fence;     /* the step has its fence */
  guint fence_line;
  GString *open; /* a paragraph, a note or an answer that may go on */
} Reader;

static gboolean fail(Reader *r, mt_error_code code, const char *format, ...) G_GNUC_PRINTF(3, 4);
static gboolean
fail(Reader *r, mt_error_code code, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *what = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  r->error->code = code;
  g_snprintf(r->error->message, sizeof r->error->message, "%s, line %u: %s.", r->label, r->line,
             what);
  /* A message is one line; what it quotes may have been cut within a letter. */
  g_autofree char *valid = g_utf8_make_valid(r->error->message, -1);
  g_strlcpy(r->error->message, valid, sizeof r->error->message);
  return FALSE;
}

/* A word or a line as messages quote it: at most 40 characters. */
static char *
quote(const char *text)
{
  const glong n = g_utf8_strlen(text, -1);
  return n > 40 ? g_utf8_substring(text, 0, 40) : g_strdup(text);
}

static gboolean
refuse(Reader *r, const char *expected, const char *found)
{
  g_autofree char *quoted = quote(found);
  return *quoted ? fail(r, MT_ERROR_FORMAT, "expected %s, found '%s'", expected, quoted)
                 : fail(r, MT_ERROR_FORMAT, "expected %s, found nothing", expected);
}

static gboolean
is_too_long(Reader *r, gsize n, gsize most, const char *what)
{
  return n > most && !fail(r, MT_ERROR_TOO_LONG,
                           "%s of at most %zu bytes is expected, this has %zu", what, most, n);
}

static gboolean
has_too_many(Reader *r, gsize n, gsize most, const char *what)
{
  return n >= most && !fail(r, MT_ERROR_TOO_LONG, "at most %zu %s are expected", most, what);
}

/* "positions", "no-2". */
static gboolean
is_plain_name(const char *text, gsize most)
{
  const gsize n = strlen(text);
  return n > 0 && n <= most && g_ascii_isalnum(*text) &&
         strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-") == n;
}

gboolean
regard_lesson_is_model_name(const char *text)
{
  const gsize n = strlen(text);
  return n > 0 && n <= 64 && g_ascii_isalnum(*text) &&
         strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") == n;
}

/* ---- Prose ----------------------------------------------------------------------------------- */

static gboolean
find_name(const RegardLesson *lesson, const char *text, gsize n, guint *number)
{
  for (guint i = 0; i < lesson->names->len; i++) {
    const char *name = g_array_index(lesson->names, RegardName, i).name;
    if (strlen(name) == n && memcmp(name, text, n) == 0) {
      *number = i;
      return TRUE;
    }
  }
  return FALSE;
}

/* A target of the window, or "term ID" of the glossary, which the window knows. */
static gboolean
is_link(const char *link)
{
  g_auto(GStrv) words = g_strsplit(link, " ", 2);
  const char *id = words[0] ? words[1] : NULL;
  if (!words[0] || !g_str_has_prefix(words[0], "regard:"))
    return FALSE;
  if (g_str_equal(words[0], "regard:" REGARD_LESSON_TERM))
    return id && *id && strspn(id, "abcdefghijklmnopqrstuvwxyz-") == strlen(id);
  return regard_target_find(words[0] + strlen("regard:")) != NULL;
}

/* {names} have values, and links lead somewhere. */
static gboolean
check_prose(Reader *r, const char *text)
{
  for (const char *at = strchr(text, '{'); at; at = strchr(at + 1, '{')) {
    const gsize n = strcspn(at + 1, "}");
    guint number;
    if (at[1 + n] != '}' || !find_name(r->lesson, at + 1, n, &number))
      return refuse(r, "behind '{' a name that stands behind 'let', and '}'", at + 1);
  }
  for (const char *at = strstr(text, "]("); at; at = strstr(at + 1, "](")) {
    const gsize n = strcspn(at + 2, ")");
    g_autofree char *link = g_strndup(at + 2, n);
    if (at[2 + n] != ')' || !is_link(link))
      return refuse(r, "a link to a target or a term, 'regard:matrix', 'regard:term nat'", link);
  }
  return TRUE;
}

static gboolean
check_step_prose(Reader *r, const RegardLessonStep *step)
{
  gboolean ok = TRUE;
  for (guint i = 0; ok && i < step->paragraphs->len; i++)
    ok = check_prose(r, step->paragraphs->pdata[i]);
  for (guint i = 0; ok && i < step->options->len; i++) {
    const RegardLessonOption *option = step->options->pdata[i];
    ok = check_prose(r, option->text) && check_prose(r, option->answer);
  }
  return ok;
}

/* What was begun is whole. */
static gboolean
close_open(Reader *r)
{
  RegardLessonStep *step = r->step;
  const Place place = r->place;
  r->place = IN_NOTHING;
  if (place == IN_OPTION) {
    RegardLessonOption *option = step->options->pdata[step->options->len - 1];
    if (is_too_long(r, r->open->len, REGARD_LESSON_MOST_PARAGRAPH, "an answer"))
      return FALSE;
    g_free(option->answer);
    option->answer = g_strdup(r->open->str);
  }
  if (place == IN_PARAGRAPH || place == IN_NOTE) {
    GPtrArray *list = place == IN_NOTE ? step->notes : step->paragraphs;
    if (is_too_long(r, r->open->len, REGARD_LESSON_MOST_PARAGRAPH, "a paragraph") ||
        has_too_many(r, list->len, REGARD_LESSON_MOST_PARAGRAPHS, "paragraphs in a step"))
      return FALSE;
    g_ptr_array_add(list, g_strdup(r->open->str));
  }
  g_string_truncate(r->open, 0);
  return TRUE;
}

/* A line goes on with what is open, or begins it. */
static gboolean
add_line(Reader *r, Place place, const char *text)
{
  if (r->place != place && !close_open(r))
    return FALSE;
  r->place = place;
  if (r->open->len)
    g_string_append_c(r->open, ' ');
  g_string_append(r->open, text);
  return TRUE;
}

/* "- [ ] text {a}" */
static gboolean
read_option(Reader *r, const char *text)
{
  RegardLessonStep *step = r->step;
  const gsize n = strlen(text);
  if (!close_open(r) ||
      has_too_many(r, step->options->len, REGARD_LESSON_MOST_OPTIONS, "options in a step"))
    return FALSE;
  if (n < 5 || text[n - 1] != '}' || text[n - 3] != '{' || text[n - 4] != ' ' ||
      text[n - 2] < 'a' || text[n - 2] >= 'a' + REGARD_LESSON_MOST_OPTIONS)
    return refuse(r, "a letter in braces at the end of an option, such as {a}",
                  n > 4 ? g_utf8_find_prev_char(text, text + n - 3) : text);
  for (guint i = 0; i < step->options->len; i++)
    if (((RegardLessonOption *) step->options->pdata[i])->letter == text[n - 2])
      return refuse(r, "another letter than that of an option before", text + n - 3);
  if (step->options->len == 0)
    step->n_before_options = step->paragraphs->len;
  RegardLessonOption *option = g_new0(RegardLessonOption, 1);
  option->letter = text[n - 2];
  option->text = g_strndup(text, n - 4);
  g_strstrip(option->text);
  option->answer = g_strdup("");
  g_ptr_array_add(step->options, option);
  r->place = IN_OPTION;
  return *option->text || refuse(r, "words in an option", "");
}

/* ---- Directives ------------------------------------------------------------------------------ */

typedef gboolean (*ReadDirective)(Reader *r, RegardScanner *scanner, RegardDirective *directive);

static gboolean
read_end(RegardScanner *scanner)
{
  return regard_scanner_is_at_end(scanner) || regard_scanner_refuse(scanner, "the end of the line");
}

static gboolean
read_words(Reader *r, RegardScanner *scanner, RegardDirective *directive)
{
  if (regard_scanner_is_at_end(scanner))
    return regard_scanner_refuse(scanner, "a sentence");
  directive->text = g_strstrip(g_strdup(scanner->at));
  return !is_too_long(r, strlen(directive->text), REGARD_LESSON_MOST_TEXT, "a sentence");
}

static gboolean
read_own(Reader *r, RegardScanner *scanner, RegardDirective *directive)
{
  return read_end(scanner);
}

/* A word that is one of a list, or what is expected. */
static gboolean
read_listed(RegardScanner *scanner, const char *const *list, const char *expected, char **word)
{
  const char *begin = scanner->at;
  *word = regard_scanner_word(scanner);
  if (*word && g_strv_contains(list, *word))
    return TRUE;
  scanner->at = begin;
  return regard_scanner_refuse(scanner, expected);
}

static gboolean
read_model(Reader *r, RegardScanner *scanner, RegardDirective *directive)
{
  const char *begin = scanner->at;
  g_autofree char *word = regard_scanner_word(scanner);
  g_auto(GStrv) parts = g_strsplit(word ? word : "", "/", 2);
  directive->number = -1;
  if (parts[0] && regard_lesson_is_model_name(parts[0]) &&
      (!parts[1] ||
       g_ascii_string_to_signed(parts[1], 10, 0, G_MAXINT32, &directive->number, NULL))) {
    directive->text = g_strdup(parts[0]);
    return read_end(scanner);
  }
  scanner->at = begin;
  return regard_scanner_refuse(scanner, "the name of a model, or NAME/STEP of a training");
}

/* "03.regard", from 01 to 99. */
static gboolean
is_state_name(const char *text)
{
  return g_ascii_isdigit(text[0]) && g_ascii_isdigit(text[1]) && strcmp(text + 2, ".regard") == 0 &&
         strncmp(text, "00", 2) != 0;
}

const RegardDirective *
regard_lesson_find_state(const RegardLessonStep *step)
{
  for (guint i = 0; i < step->directives->len; i++) {
    const RegardDirective *directive = step->directives->pdata[i];
    if (directive->type == REGARD_DIRECTIVE_STATE && directive->text)
      return directive;
  }
  return NULL;
}

static gboolean
read_state(Reader *r, RegardScanner *scanner, RegardDirective *directive)
{
  const char *begin = scanner->at;
  g_autofree char *word = regard_scanner_word(scanner);
  if (regard_lesson_find_state(r->step))
    return fail(r, MT_ERROR_FORMAT, "expected one state in a step, found a second one");
  if (word && is_state_name(word)) {
    directive->text = g_steal_pointer(&word);
    return read_end(scanner);
  }
  scanner->at = begin;
  return regard_scanner_refuse(scanner, "a state of a talk, from 01.regard to 99.regard");
}

static gboolean
read_page(Reader *r, RegardScanner *scanner, RegardDirective *directive)
{
  return read_listed(scanner, regard_target_pages, "a page such as 'inside' or 'positions/bench'",
                     &directive->text) &&
         read_end(scanner);
}

static gboolean
read_head(Reader *r, RegardScanner *scanner, RegardDirective *directive)
{
  const char *begin = scanner->at;
  g_autofree char *kind = regard_scanner_word(scanner), *number = regard_scanner_word(scanner);
  if (kind && number &&
      regard_target_parse_head(kind, number, &directive->kind, &directive->layer, &directive->head))
    return read_end(scanner);
  scanner->at = begin;
  return regard_scanner_refuse(scanner, "a head such as 'cross 4.1'");
}

static gboolean
read_token(RegardScanner *scanner, RegardLessonToken *token)
{
  const char *begin = scanner->at;
  g_autofree char *word = regard_scanner_next(scanner);
  gint64 number;
  if (word && g_ascii_string_to_signed(word, 10, 1, 100000, &number, NULL)) {
    token->number = (guint) number;
    return TRUE;
  }
  scanner->at = begin;
  if (word && *word == '"') {
    token->piece = regard_scanner_text(scanner);
    return token->piece != NULL;
  }
  return regard_scanner_refuse(scanner, "the number of a token, from 1, or its piece in quotes");
}

static gboolean
read_cell(Reader *r, RegardScanner *scanner, RegardDirective *directive)
{
  return read_token(scanner, &directive->row) && read_token(scanner, &directive->column) &&
         read_end(scanner);
}

static gboolean
read_step_number(Reader *r, RegardScanner *scanner, RegardDirective *directive)
{
  const char *begin = scanner->at;
  g_autofree char *word = regard_scanner_word(scanner);
  if (word && g_ascii_string_to_signed(word, 10, 1, 100000, &directive->number, NULL))
    return read_end(scanner);
  scanner->at = begin;
  return regard_scanner_refuse(scanner, "the number of a step, from 1");
}

static gboolean
read_form(Reader *r, RegardScanner *scanner, RegardDirective *directive)
{
  static const char *const forms[] = {"matrix", "lines", NULL};
  return read_listed(scanner, forms, "'matrix' or 'lines'", &directive->text) && read_end(scanner);
}

static gboolean
read_panes(Reader *r, RegardScanner *scanner, RegardDirective *directive)
{
  static const char *const panes[] = {"heads", "details", "received", NULL};
  g_autofree char *rest = g_strstrip(g_strdup(scanner->at));
  g_auto(GStrv) names = g_strsplit(rest, " ", -1);
  gboolean is_known = *names != NULL;
  for (guint i = 0; names[i]; i++) /* each once */
    is_known = is_known && g_strv_contains(panes, names[i]) &&
               !g_strv_contains((const char *const *) names + i + 1, names[i]);
  if (!is_known && strcmp(rest, "none") != 0)
    return regard_scanner_refuse(scanner, "some of 'heads', 'details' and 'received', or 'none'");
  directive->text = g_steal_pointer(&rest);
  return TRUE;
}

static gboolean
read_change(Reader *r, RegardScanner *scanner, RegardDirective *directive)
{
  g_autofree char *rest = g_strstrip(g_strdup(scanner->at));
  /* "changes none" */
  if (strcmp(directive->text, "changes") == 0 && strcmp(rest, "none") != 0)
    return regard_scanner_refuse(scanner, "'none'; for a change: 'change CHANGE'");
  g_clear_pointer(&directive->text, g_free);
  if (!*rest)
    return regard_scanner_refuse(scanner, "a change");
  directive->interventions = regard_scanner_parse_changes(scanner, rest);
  return directive->interventions != NULL;
}

static gboolean
read_reference(Reader *r, RegardScanner *scanner, RegardDirective *directive)
{
  return regard_scanner_takes(scanner, "keep") ? read_end(scanner)
                                               : regard_scanner_refuse(scanner, "'keep'");
}

static gboolean
read_compare(Reader *r, RegardScanner *scanner, RegardDirective *directive)
{
  return regard_scanner_takes(scanner, "difference")
             ? read_end(scanner)
             : regard_scanner_refuse(scanner, "'difference'");
}

/* What follows the name of a target. */
static gboolean
read_place(Reader *r, RegardScanner *scanner, RegardDirective *directive)
{
  const char *begin;
  switch (directive->target->place) {
  case REGARD_PLACE_NONE:
    return read_end(scanner);
  case REGARD_PLACE_KIND: {
    if (regard_scanner_is_at_end(scanner))
      return TRUE;
    begin = scanner->at;
    g_autofree char *word = regard_scanner_word(scanner);
    directive->has_kind = regard_target_parse_kind(word, &directive->kind);
    if (directive->has_kind)
      return read_end(scanner);
    scanner->at = begin;
    return regard_scanner_refuse(scanner, "encoder, decoder or cross");
  }
  case REGARD_PLACE_HEAD:
    return read_head(r, scanner, directive);
  case REGARD_PLACE_LINE:
    return read_token(scanner, &directive->row) && read_end(scanner);
  case REGARD_PLACE_CELL:
    return read_cell(r, scanner, directive);
  case REGARD_PLACE_PAGE:
    return read_page(r, scanner, directive);
  case REGARD_PLACE_CONTROL:
    return read_listed(scanner, regard_target_controls, "the name of a control",
                       &directive->text) &&
           read_end(scanner);
  }
  g_assert_not_reached();
}

static gboolean
read_point(Reader *r, RegardScanner *scanner, RegardDirective *directive)
{
  const char *begin = scanner->at;
  g_autofree char *word = regard_scanner_word(scanner);
  directive->target = word ? regard_target_find(word) : NULL;
  if (directive->target)
    return read_place(r, scanner, directive);
  scanner->at = begin;
  return regard_scanner_refuse(scanner, "a target such as 'matrix', 'row 3' or 'page steps'");
}

RegardDirective *
regard_directive_new_point(const char *target, mt_error *error)
{
  Reader r = {.label = "target", .line = 1, .error = error};
  g_auto(RegardScanner) scanner = {.at = target};
  g_autoptr(RegardDirective) directive = g_new0(RegardDirective, 1);
  directive->type = REGARD_DIRECTIVE_POINT;
  if (read_point(&r, &scanner, directive))
    return g_steal_pointer(&directive);
  if (scanner.problem)
    fail(&r, MT_ERROR_FORMAT, "%s", scanner.problem);
  return NULL;
}

/* ---- Waiting --------------------------------------------------------------------------------- */

static const char *const events[] = {
    [REGARD_WAIT_CONDITION] = "",
    [REGARD_WAIT_CELL] = "cell",
    [REGARD_WAIT_TEXT] = "text",
    [REGARD_WAIT_HEAD] = "head",
    [REGARD_WAIT_SWITCHED] = "switched",
    [REGARD_WAIT_CHANGE] = "change",
    [REGARD_WAIT_PAGE] = "page",
    [REGARD_WAIT_STEP] = "step",
    [REGARD_WAIT_CHECKPOINT] = "checkpoint",
};

static gboolean
read_condition(Reader *r, RegardScanner *scanner, RegardDirective *directive)
{
  directive->condition = regard_condition_read(scanner);
  return directive->condition && read_end(scanner);
}

static gboolean
read_event(Reader *r, RegardScanner *scanner, RegardDirective *directive)
{
  switch (directive->event) {
  case REGARD_WAIT_SWITCHED:
    return read_head(r, scanner, directive);
  case REGARD_WAIT_CHANGE: {
    g_autofree char *change = regard_scanner_text(scanner);
    if (change)
      directive->interventions = regard_scanner_parse_changes(scanner, change);
    return directive->interventions && read_end(scanner);
  }
  case REGARD_WAIT_PAGE:
    return read_page(r, scanner, directive);
  case REGARD_WAIT_CONDITION:
    return read_condition(r, scanner, directive);
  case REGARD_WAIT_CELL:
  case REGARD_WAIT_TEXT:
  case REGARD_WAIT_HEAD:
  case REGARD_WAIT_STEP:
  case REGARD_WAIT_CHECKPOINT:
    break;
  }
  return read_end(scanner);
}

static gboolean
read_wait(Reader *r, RegardScanner *scanner, RegardDirective *directive)
{
  const char *begin = scanner->at;
  g_autofree char *word = regard_scanner_word(scanner);
  for (guint i = 1; word && i < G_N_ELEMENTS(events); i++)
    if (strcmp(word, events[i]) == 0)
      directive->event = (RegardWait) i;
  if (directive->event == REGARD_WAIT_CONDITION)
    scanner->at = begin;
  return read_event(r, scanner, directive);
}

/* ---- Questions ------------------------------------------------------------------------------- */

static gboolean
read_let(Reader *r, RegardScanner *scanner, RegardDirective *directive)
{
  static const char *const kept[] = {"of",     "with", "and",  "own", "reversed",
                                     "within", "if",   "none", NULL};
  const char *begin = scanner->at;
  g_autofree char *name = regard_scanner_word(scanner);
  guint number;
  if (!name || !is_plain_name(name, 40) || !g_ascii_isalpha(*name) || g_strv_contains(kept, name) ||
      regard_measure_find(name) || find_name(r->lesson, name, strlen(name), &number)) {
    scanner->at = begin;
    return regard_scanner_refuse(
        scanner, "a new name, in small letters, digits and dashes, that is none of a measure");
  }
  if (has_too_many(r, r->lesson->names->len, REGARD_LESSON_MOST_NAMES, "names in a lesson"))
    return FALSE;
  if (!regard_scanner_takes(scanner, "="))
    return regard_scanner_refuse(scanner, "'='");
  directive->term = regard_term_read(scanner);
  if (!directive->term || !read_end(scanner))
    return FALSE;
  directive->number = r->lesson->names->len;
  const RegardName row = {g_steal_pointer(&name), regard_term_is_text(directive->term)};
  g_array_append_val(r->lesson->names, row);
  return TRUE;
}

static const char *const questions[] = {
    [REGARD_ASK_NOTHING] = "",      [REGARD_ASK_PREDICT] = "predict",
    [REGARD_ASK_CHOOSE] = "choose", [REGARD_ASK_NUMBER] = "number",
    [REGARD_ASK_FIND] = "find",
};

const char *
regard_lesson_question_name(RegardQuestion question)
{
  return questions[question];
}

static gboolean
read_ask(Reader *r, RegardScanner *scanner, RegardDirective *directive)
{
  for (guint i = 1; i < G_N_ELEMENTS(questions); i++)
    if (regard_scanner_takes(scanner, questions[i]))
      directive->question = (RegardQuestion) i;
  if (!directive->question)
    return regard_scanner_refuse(scanner, "predict, choose, number or find");
  if (r->step->question)
    return fail(r, MT_ERROR_FORMAT, "expected one question in a step, found a second one");
  r->step->question = directive->question;
  return read_end(scanner);
}

static gboolean
read_if(Reader *r, RegardScanner *scanner, RegardDirective *directive)
{
  return regard_scanner_takes(scanner, "if") ? read_condition(r, scanner, directive)
                                             : regard_scanner_refuse(scanner, "'if'");
}

static gboolean
read_right(Reader *r, RegardScanner *scanner, RegardDirective *directive)
{
  g_autoptr(GString) letters = g_string_new(NULL);
  const char *begin = scanner->at;
  g_autofree char *word = NULL;
  while ((word = regard_scanner_word(scanner)) && strlen(word) == 1 && *word >= 'a' &&
         *word < 'a' + REGARD_LESSON_MOST_OPTIONS && letters->len < REGARD_LESSON_MOST_OPTIONS) {
    g_string_append_c(letters, *word);
    begin = scanner->at;
    g_clear_pointer(&word, g_free);
  }
  scanner->at = begin;
  if (letters->len == 0)
    return regard_scanner_refuse(scanner, "the letter of an option");
  directive->text = g_strdup(letters->str);
  return regard_scanner_is_at_end(scanner) || read_if(r, scanner, directive);
}

static gboolean
read_answer(Reader *r, RegardScanner *scanner, RegardDirective *directive)
{
  const char *begin = scanner->at;
  directive->term = regard_term_read(scanner);
  if (!directive->term)
    return FALSE;
  if (regard_term_is_text(directive->term)) {
    scanner->at = begin;
    return regard_scanner_refuse(scanner, "a number");
  }
  if (!regard_scanner_takes(scanner, "within"))
    return regard_scanner_refuse(scanner, "'within' and how far from it is right");
  begin = scanner->at;
  g_autofree char *word = regard_scanner_next(scanner);
  directive->within = word && g_ascii_isdigit(*word) ? g_ascii_strtod(word, NULL) : -1;
  if (directive->within >= 0 && directive->within <= 1e6)
    return read_end(scanner);
  scanner->at = begin;
  return regard_scanner_refuse(scanner, "a number from 0 to 1000000");
}

/* ---- Writing directives ---------------------------------------------------------------------- */

static void
write_token(const RegardLessonToken *token, GString *out)
{
  if (token->piece)
    g_string_append_printf(out, " \"%s\"", token->piece);
  else
    g_string_append_printf(out, " %u", token->number);
}

static void
write_head(const RegardDirective *directive, GString *out)
{
  g_autofree char *head = regard_naming_head(directive->kind, directive->layer, directive->head);
  g_string_append_printf(out, " %s", head);
}

static void
write_cell(const RegardDirective *directive, GString *out)
{
  write_token(&directive->row, out);
  write_token(&directive->column, out);
}

static void
write_place(const RegardDirective *directive, GString *out)
{
  switch (directive->target->place) {
  case REGARD_PLACE_NONE:
    break;
  case REGARD_PLACE_KIND:
    if (directive->has_kind)
      g_string_append_printf(out, " %s", regard_kind_id(directive->kind));
    break;
  case REGARD_PLACE_HEAD:
    write_head(directive, out);
    break;
  case REGARD_PLACE_LINE:
    write_token(&directive->row, out);
    break;
  case REGARD_PLACE_CELL:
    write_cell(directive, out);
    break;
  case REGARD_PLACE_PAGE:
  case REGARD_PLACE_CONTROL:
    g_string_append_printf(out, " %s", directive->text);
    break;
  }
}

static void
write_if(const RegardDirective *directive, GString *out)
{
  if (!directive->condition)
    return;
  g_string_append(out, " if ");
  regard_condition_write(directive->condition, out);
}

static void
write_wait(const RegardDirective *directive, GString *out)
{
  g_string_append_printf(out, " %s", events[directive->event]);
  if (directive->event == REGARD_WAIT_CONDITION)
    regard_condition_write(directive->condition, out);
  else if (directive->event == REGARD_WAIT_SWITCHED)
    write_head(directive, out);
  else if (directive->event == REGARD_WAIT_CHANGE)
    g_string_append_printf(out, " \"%s\"",
                           mt_interventions_count(directive->interventions)
                               ? mt_interventions_text(directive->interventions)
                               : "none");
  else if (directive->event == REGARD_WAIT_PAGE)
    g_string_append_printf(out, " %s", directive->text);
}

static void
write_change(const RegardDirective *directive, GString *out)
{
  if (mt_interventions_count(directive->interventions))
    g_string_append_printf(out, " %s", mt_interventions_text(directive->interventions));
  else
    g_string_append(out, " none");
}

/* Without an exponent, which terms do not have, and without zeros at the end. Caller frees. */
static char *
write_decimals(double number)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  g_ascii_formatd(digits, sizeof digits, "%.10f", number);
  gsize n = strlen(digits);
  while (digits[n - 1] == '0')
    n--;
  return g_strndup(digits, digits[n - 1] == '.' ? n - 1 : n);
}

/* Behind the name of the directive. */
static void
write_rest(const RegardLesson *lesson, const RegardDirective *d, GString *out)
{
  switch (d->type) {
  case REGARD_DIRECTIVE_MODEL:
    g_string_append_printf(out, " %s", d->text);
    if (d->number >= 0)
      g_string_append_printf(out, "/%" G_GINT64_FORMAT, d->number);
    break;
  case REGARD_DIRECTIVE_TEXT:
    if (!d->text) /* own */
      break;
    G_GNUC_FALLTHROUGH;
  case REGARD_DIRECTIVE_STATE:
  case REGARD_DIRECTIVE_PAGE:
  case REGARD_DIRECTIVE_FORM:
  case REGARD_DIRECTIVE_PANES:
    g_string_append_printf(out, " %s", d->text);
    break;
  case REGARD_DIRECTIVE_HEAD:
    write_head(d, out);
    break;
  case REGARD_DIRECTIVE_CELL:
    write_cell(d, out);
    break;
  case REGARD_DIRECTIVE_STEP:
    g_string_append_printf(out, " %" G_GINT64_FORMAT, d->number);
    break;
  case REGARD_DIRECTIVE_CHANGE:
    write_change(d, out);
    break;
  case REGARD_DIRECTIVE_REFERENCE:
    g_string_append(out, " keep");
    break;
  case REGARD_DIRECTIVE_COMPARE:
    g_string_append(out, " difference");
    break;
  case REGARD_DIRECTIVE_POINT:
    g_string_append_printf(out, " %s", d->target->name);
    write_place(d, out);
    break;
  case REGARD_DIRECTIVE_WAIT:
    write_wait(d, out);
    break;
  case REGARD_DIRECTIVE_LET:
    g_string_append_printf(out, " %s = ", g_array_index(lesson->names, RegardName, d->number).name);
    regard_term_write(d->term, out);
    break;
  case REGARD_DIRECTIVE_ASK:
    g_string_append_printf(out, " %s", questions[d->question]);
    break;
  case REGARD_DIRECTIVE_RIGHT:
    for (const char *letter = d->text; *letter; letter++)
      g_string_append_printf(out, " %c", *letter);
    write_if(d, out);
    break;
  case REGARD_DIRECTIVE_ANSWER: {
    g_autofree char *within = write_decimals(d->within);
    g_string_append_c(out, ' ');
    regard_term_write(d->term, out);
    g_string_append_printf(out, " within %s", within);
    break;
  }
  case REGARD_DIRECTIVE_UNCLEAR:
  case REGARD_DIRECTIVE_FOUND:
    write_if(d, out);
    break;
  }
}

/* THE list of directives. */
static const struct {
  const char *name;
  RegardDirectiveType type;
  ReadDirective read;
} directives[] = {
    {"text", REGARD_DIRECTIVE_TEXT, read_words},
    {"own", REGARD_DIRECTIVE_TEXT, read_own},
    {"model", REGARD_DIRECTIVE_MODEL, read_model},
    {"state", REGARD_DIRECTIVE_STATE, read_state},
    {"page", REGARD_DIRECTIVE_PAGE, read_page},
    {"head", REGARD_DIRECTIVE_HEAD, read_head},
    {"cell", REGARD_DIRECTIVE_CELL, read_cell},
    {"step", REGARD_DIRECTIVE_STEP, read_step_number},
    {"form", REGARD_DIRECTIVE_FORM, read_form},
    {"panes", REGARD_DIRECTIVE_PANES, read_panes},
    {"change", REGARD_DIRECTIVE_CHANGE, read_change},
    {"changes", REGARD_DIRECTIVE_CHANGE, read_change},
    {"reference", REGARD_DIRECTIVE_REFERENCE, read_reference},
    {"compare", REGARD_DIRECTIVE_COMPARE, read_compare},
    {"point", REGARD_DIRECTIVE_POINT, read_point},
    {"wait", REGARD_DIRECTIVE_WAIT, read_wait},
    {"let", REGARD_DIRECTIVE_LET, read_let},
    {"ask", REGARD_DIRECTIVE_ASK, read_ask},
    {"right", REGARD_DIRECTIVE_RIGHT, read_right},
    {"unclear", REGARD_DIRECTIVE_UNCLEAR, read_if},
    {"answer", REGARD_DIRECTIVE_ANSWER, read_answer},
    {"found", REGARD_DIRECTIVE_FOUND, read_if},
};

static const char *
name_of(const RegardDirective *directive)
{
  if (directive->type == REGARD_DIRECTIVE_TEXT && !directive->text)
    return "own";
  if (directive->type == REGARD_DIRECTIVE_CHANGE &&
      mt_interventions_count(directive->interventions) == 0)
    return "changes";
  for (guint i = 0; i < G_N_ELEMENTS(directives); i++)
    if (directives[i].type == directive->type)
      return directives[i].name;
  g_assert_not_reached();
}

/* What neither measures nor is measured: it can come after the answer. */
static gboolean
only_shows(RegardDirectiveType type)
{
  return (type >= REGARD_DIRECTIVE_PAGE && type <= REGARD_DIRECTIVE_PANES) ||
         (type >= REGARD_DIRECTIVE_REFERENCE && type <= REGARD_DIRECTIVE_POINT);
}

static gboolean
read_directive(Reader *r, const char *line)
{
  g_auto(RegardScanner) scanner = {.at = line, .names = r->lesson->names};
  g_autofree char *name = regard_scanner_word(&scanner);
  const gboolean is_after = strcmp(name, "then") == 0;
  guint row = 0;
  if (is_after) {
    g_free(name);
    name = regard_scanner_word(&scanner);
  }
  while (name && row < G_N_ELEMENTS(directives) && strcmp(directives[row].name, name) != 0)
    row++;
  if (is_after && (!name || row == G_N_ELEMENTS(directives) || !only_shows(directives[row].type)))
    return refuse(r, "what is shown after the answer, such as 'page' or 'point'", name ? name : "");
  if (row == G_N_ELEMENTS(directives))
    return refuse(r, "a directive such as 'page', 'let' or 'ask'", name);
  if (has_too_many(r, r->step->directives->len, REGARD_LESSON_MOST_DIRECTIVES,
                   "directives in a step"))
    return FALSE;
  RegardDirective *directive = g_new0(RegardDirective, 1);
  g_ptr_array_add(r->step->directives, directive);
  directive->type = directives[row].type;
  directive->line = r->line;
  directive->is_after = is_after;
  /* Which of two words it is. */
  if (directive->type == REGARD_DIRECTIVE_CHANGE)
    directive->text = g_strdup(name);
  if (directives[row].read(r, &scanner, directive))
    return TRUE;
  return scanner.problem ? fail(r, MT_ERROR_FORMAT, "%s: %s", name, scanner.problem) : FALSE;
}

/* ---- Whole steps ----------------------------------------------------------------------------- */

static guint
count(const RegardLessonStep *step, RegardDirectiveType type)
{
  guint n = 0;
  for (guint i = 0; i < step->directives->len; i++)
    n += ((const RegardDirective *) step->directives->pdata[i])->type == type;
  return n;
}

/* What comes after the answer wants a question. */
static gboolean
check_order(Reader *r, const RegardLessonStep *step)
{
  for (guint i = 0; i < step->directives->len && !step->question; i++) {
    const RegardDirective *directive = step->directives->pdata[i];
    if (directive->is_after) {
      r->line = directive->line;
      return fail(r, MT_ERROR_FORMAT, "'then' wants a question in its step, such as 'ask predict'");
    }
  }
  return TRUE;
}

/* A question has what it takes, and nothing else. */
static gboolean
check_question(Reader *r, const RegardLessonStep *step)
{
  const gboolean chooses =
      step->question == REGARD_ASK_PREDICT || step->question == REGARD_ASK_CHOOSE;
  const guint n_right = count(step, REGARD_DIRECTIVE_RIGHT),
              n_unclear = count(step, REGARD_DIRECTIVE_UNCLEAR),
              n_answers = count(step, REGARD_DIRECTIVE_ANSWER),
              n_found = count(step, REGARD_DIRECTIVE_FOUND);
  if (chooses && step->options->len < 2)
    return fail(r, MT_ERROR_FORMAT,
                "the question of this step wants two options or more, '- [ ] text {a}'");
  if (chooses && n_right == 0)
    return fail(r, MT_ERROR_FORMAT, "the question of this step wants a line 'right'");
  if (!chooses && (step->options->len > 0 || n_right > 0 || n_unclear > 0))
    return fail(r, MT_ERROR_FORMAT,
                "options, 'right' and 'unclear' want a question, 'ask predict' or 'ask choose'");
  if ((step->question == REGARD_ASK_NUMBER) != (n_answers == 1) || n_answers > 1)
    return fail(r, MT_ERROR_FORMAT, "'ask number' and one line 'answer' belong together");
  if ((step->question == REGARD_ASK_FIND) != (n_found > 0))
    return fail(r, MT_ERROR_FORMAT, "'ask find' and a line 'found if' belong together");
  return TRUE;
}

static gboolean
has_option(const RegardLessonStep *step, char letter)
{
  for (guint i = 0; i < step->options->len; i++)
    if (((const RegardLessonOption *) step->options->pdata[i])->letter == letter)
      return TRUE;
  return FALSE;
}

static gboolean
check_letters(Reader *r, const RegardLessonStep *step)
{
  for (guint i = 0; i < step->directives->len; i++) {
    const RegardDirective *directive = step->directives->pdata[i];
    for (const char *letter = directive->text; directive->type == REGARD_DIRECTIVE_RIGHT && *letter;
         letter++)
      if (!has_option(step, *letter)) {
        const char found[] = {*letter, '\0'};
        r->line = directive->line;
        return refuse(r, "the letter of an option of this step", found);
      }
  }
  return TRUE;
}

static gboolean
check_cost(Reader *r, const RegardLessonStep *step)
{
  guint cost = 0;
  for (guint i = 0; i < step->directives->len; i++) {
    const RegardDirective *directive = step->directives->pdata[i];
    cost += regard_term_cost(directive->term) + regard_condition_cost(directive->condition);
  }
  return cost <= REGARD_LESSON_MOST_PASSES ||
         fail(r, MT_ERROR_TOO_LONG,
              "the measures of a step take at most %d searches and passes, these take %u",
              REGARD_LESSON_MOST_PASSES, cost);
}

static gboolean
end_step(Reader *r)
{
  RegardLessonStep *step = r->step;
  if (!step)
    return TRUE;
  if (r->place == IN_FENCE) {
    r->line = r->fence_line;
    return fail(r, MT_ERROR_FORMAT, "expected a line ``` that ends what begins here, found none");
  }
  if (!close_open(r))
    return FALSE;
  if (step->options->len == 0)
    step->n_before_options = step->paragraphs->len;
  step->n_names = r->lesson->names->len;
  r->line = step->line;
  return check_question(r, step) && check_order(r, step) && check_letters(r, step) &&
         check_cost(r, step) && check_step_prose(r, step);
}

static gboolean
begin_step(Reader *r, const char *title)
{
  const guint line = r->line;
  if (!end_step(r))
    return FALSE;
  r->line = line;
  if (has_too_many(r, r->lesson->steps->len, REGARD_LESSON_MOST_STEPS, "steps in a lesson") ||
      is_too_long(r, strlen(title), 120, "a title"))
    return FALSE;
  if (!*title)
    return refuse(r, "a title behind ##", title);
  RegardLessonStep *step = g_new0(RegardLessonStep, 1);
  step->line = line;
  step->title = g_strdup(title);
  step->paragraphs = g_ptr_array_new_with_free_func(g_free);
  step->notes = g_ptr_array_new_with_free_func(g_free);
  step->options = g_ptr_array_new_with_free_func(option_free);
  step->directives = g_ptr_array_new_with_free_func((GDestroyNotify) regard_directive_free);
  g_ptr_array_add(r->lesson->steps, step);
  r->step = step;
  r->has_fence = FALSE;
  r->place = IN_NOTHING;
  return TRUE;
}

static gboolean
begin_fence(Reader *r, const char *line)
{
  if (strcmp(line, "```regard") != 0)
    return refuse(r, "```regard, the only kind of fence", line);
  if (r->has_fence)
    return fail(r, MT_ERROR_FORMAT, "expected one fence in a step, found a second one");
  if (!close_open(r))
    return FALSE;
  r->place = IN_FENCE;
  r->has_fence = TRUE;
  r->fence_line = r->line;
  return TRUE;
}

static gboolean
read_fence_line(Reader *r, const char *line)
{
  if (strcmp(line, "```") == 0) {
    r->place = IN_NOTHING;
    return TRUE;
  }
  g_autofree char *stripped = g_strstrip(g_strdup(line));
  return *stripped == '\0' || read_directive(r, stripped);
}

static gboolean
read_body_line(Reader *r, char *line)
{
  if (r->place == IN_FENCE)
    return read_fence_line(r, g_strchomp(line));
  g_strchomp(line);
  if (!*line)
    /* An option keeps its answer open over no empty line, either. */
    return !r->step || close_open(r);
  char *text = line + strspn(line, " ");
  if (r->place == IN_OPTION && text >= line + 2)
    return add_line(r, IN_OPTION, text);
  if (g_str_has_prefix(text, "## ") || strcmp(text, "##") == 0)
    return begin_step(r, g_strstrip(text + 2));
  if (!r->step)
    return refuse(r, "## and the title of the first step", text);
  if (*text == '#')
    return refuse(r, "## and the title of a step", text);
  if (g_str_has_prefix(text, "```"))
    return begin_fence(r, text);
  if (*text == '>')
    return add_line(r, IN_NOTE, g_strstrip(text + 1));
  if (g_str_has_prefix(text, "- [ ] "))
    return read_option(r, g_strstrip(text + 6));
  return add_line(r, IN_PARAGRAPH, text);
}

/* ---- Front matter ---------------------------------------------------------------------------- */

static gboolean
read_after(Reader *r, const char *value)
{
  g_auto(GStrv) ids = g_strsplit(value, ",", 20);
  for (guint i = 0; ids[i]; i++)
    if (!is_plain_name(g_strstrip(ids[i]), 40))
      return refuse(r, "ids of lessons with commas between", value);
  g_strfreev(r->lesson->after);
  r->lesson->after = g_steal_pointer(&ids);
  return TRUE;
}

static gboolean
set_text(Reader *r, char **member, const char *value, gsize most)
{
  if (is_too_long(r, strlen(value), most, "a value"))
    return FALSE;
  g_free(*member);
  *member = g_strdup(value);
  return *value || refuse(r, "a value", value);
}

static gboolean
read_key(Reader *r, const char *key, const char *value)
{
  RegardLesson *lesson = r->lesson;
  gint64 minutes;
  if (strcmp(key, "id") == 0)
    return is_plain_name(value, 40) ? set_text(r, &lesson->id, value, 40)
                                    : refuse(r, "small letters, digits and dashes", value);
  if (strcmp(key, "title") == 0)
    return set_text(r, &lesson->title, value, 120);
  if (strcmp(key, "paper") == 0)
    return set_text(r, &lesson->paper, value, 60);
  if (strcmp(key, "text") == 0)
    return set_text(r, &lesson->text, value, REGARD_LESSON_MOST_TEXT);
  if (strcmp(key, "model") == 0)
    return regard_lesson_is_model_name(value) ? set_text(r, &lesson->model, value, 64)
                                              : refuse(r, "'any', or the name of a model", value);
  if (strcmp(key, "after") == 0)
    return read_after(r, value);
  if (strcmp(key, "minutes") != 0)
    return refuse(r, "id, title, paper, minutes, model, text or after", key);
  if (!g_ascii_string_to_signed(value, 10, 1, 600, &minutes, NULL))
    return refuse(r, "minutes from 1 to 600", value);
  lesson->minutes = (guint) minutes;
  return TRUE;
}

/* *at is behind it then. */
static gboolean
read_front_matter(Reader *r, char *const *lines, guint *at)
{
  g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
  static const char *const begin[] = {"---", "regard-lesson: 1"};
  guint i = 0;
  for (; i < G_N_ELEMENTS(begin); i++) {
    r->line = i + 1;
    if (!lines[i] || strcmp(g_strchomp(lines[i]), begin[i]) != 0) {
      g_autofree char *expected = g_strdup_printf("'%s'", begin[i]);
      return refuse(r, expected, lines[i] ? lines[i] : "");
    }
  }
  for (; lines[i] && strcmp(g_strchomp(lines[i]), "---") != 0; i++) {
    char *colon = strchr(lines[i], ':');
    r->line = i + 1;
    if (!colon)
      return refuse(r, "'key: value', or --- at the end of the keys", lines[i]);
    *colon = '\0';
    if (!g_hash_table_add(seen, lines[i]))
      return refuse(r, "each key once", lines[i]);
    if (!read_key(r, lines[i], g_strstrip(colon + 1)))
      return FALSE;
  }
  r->line = i + 1;
  if (!lines[i])
    return refuse(r, "--- at the end of the keys", "");
  *at = i + 1;
  if (!r->lesson->id || !r->lesson->title)
    return fail(r, MT_ERROR_FORMAT, "expected the keys 'id' and 'title', found %s",
                r->lesson->id ? "no title" : "no id");
  return TRUE;
}

/* ---- The file -------------------------------------------------------------------------------- */

/* UTF-8 without characters that command a terminal or turn a line around. */
static gboolean
check_characters(Reader *r, const char *text, gsize n)
{
  if (!g_utf8_validate(text, (gssize) n, NULL))
    return fail(r, MT_ERROR_FORMAT, "expected UTF-8 without zero bytes, found other bytes");
  r->line = 1;
  for (const char *at = text; at < text + n; at = g_utf8_next_char(at)) {
    const gunichar c = g_utf8_get_char(at);
    r->line += c == '\n';
    if ((c < ' ' && c != '\n' && c != '\r') || c == 0x7f || (c >= 0x80 && c < 0xa0) ||
        (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069))
      return fail(r, MT_ERROR_FORMAT,
                  "expected letters, signs and spaces, found the character U+%04X", c);
  }
  r->line = 1;
  return TRUE;
}

static gboolean
read_lines(Reader *r, char *const *lines)
{
  guint i = 0;
  if (!read_front_matter(r, lines, &i))
    return FALSE;
  for (; lines[i]; i++) {
    r->line = i + 1;
    if (is_too_long(r, strlen(lines[i]), REGARD_LESSON_MOST_LINE, "a line") ||
        !read_body_line(r, lines[i]))
      return FALSE;
  }
  if (!r->step)
    return refuse(r, "## and the title of the first step", "");
  return end_step(r);
}

RegardLesson *
regard_lesson_parse(const char *label, const char *text, gsize n, mt_error *error)
{
  g_autoptr(GString) open = g_string_new(NULL);
  g_autoptr(RegardLesson) lesson = lesson_new();
  Reader r = {.lesson = lesson, .label = label, .line = 1, .error = error, .open = open};
  if (is_too_long(&r, n, REGARD_LESSON_MOST_BYTES, "a lesson") || !check_characters(&r, text, n))
    return NULL;
  g_autofree char *copy = g_strndup(text, n);
  g_auto(GStrv) lines = g_strsplit(copy, "\n", -1);
  return read_lines(&r, lines) ? g_steal_pointer(&lesson) : NULL;
}

RegardLesson *
regard_lesson_read(const char *path, mt_error *error)
{
  mt_bytes bytes = {0};
  if (!mt_file_read_whole(path, REGARD_LESSON_MOST_BYTES, true, &bytes, error))
    return NULL;
  g_autofree char *label = g_path_get_basename(path);
  RegardLesson *lesson = regard_lesson_parse(label, (const char *) bytes.data, bytes.size, error);
  mt_bytes_clear(&bytes);
  return lesson;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void
write_key(GString *out, const char *key, const char *value)
{
  if (value && *value)
    g_string_append_printf(out, "%s: %s\n", key, value);
}

static void
write_paragraphs(GString *out, const RegardLessonStep *step, guint first, guint end)
{
  for (guint i = first; i < end; i++)
    g_string_append_printf(out, "\n%s\n", (const char *) step->paragraphs->pdata[i]);
}

static void
write_step(GString *out, const RegardLesson *lesson, const RegardLessonStep *step)
{
  g_string_append_printf(out, "\n## %s\n", step->title);
  write_paragraphs(out, step, 0, step->n_before_options);
  if (step->options->len)
    g_string_append_c(out, '\n');
  for (guint i = 0; i < step->options->len; i++) {
    const RegardLessonOption *option = step->options->pdata[i];
    g_string_append_printf(out, "- [ ] %s {%c}\n", option->text, option->letter);
    if (*option->answer)
      g_string_append_printf(out, "      %s\n", option->answer);
  }
  if (step->directives->len)
    g_string_append(out, "\n```regard\n");
  for (guint i = 0; i < step->directives->len; i++) {
    const RegardDirective *directive = step->directives->pdata[i];
    g_string_append(out, directive->is_after ? "then " : "");
    g_string_append(out, name_of(directive));
    write_rest(lesson, directive, out);
    g_string_append_c(out, '\n');
  }
  if (step->directives->len)
    g_string_append(out, "```\n");
  write_paragraphs(out, step, step->n_before_options, step->paragraphs->len);
  for (guint i = 0; i < step->notes->len; i++)
    g_string_append_printf(out, "\n> %s\n", (const char *) step->notes->pdata[i]);
}

char *
regard_lesson_write(const RegardLesson *lesson)
{
  if (lesson->original)
    return g_strdup(lesson->original);
  GString *out = g_string_new("---\nregard-lesson: 1\n");
  g_autofree char *minutes = lesson->minutes ? g_strdup_printf("%u", lesson->minutes) : NULL;
  g_autofree char *after = g_strjoinv(", ", lesson->after);
  write_key(out, "id", lesson->id);
  write_key(out, "title", lesson->title);
  write_key(out, "paper", lesson->paper);
  write_key(out, "minutes", minutes);
  write_key(out, "model", lesson->model);
  write_key(out, "text", lesson->text);
  write_key(out, "after", after);
  g_string_append(out, "---\n");
  for (guint i = 0; i < lesson->steps->len; i++)
    write_step(out, lesson, lesson->steps->pdata[i]);
  return g_string_free(out, FALSE);
}

char *
regard_lesson_fill(const RegardLesson *lesson, const char *text, const RegardValue *values, guint n)
{
  GString *out = g_string_new(NULL);
  for (const char *at = text; *at;) {
    const gsize plain = strcspn(at, "{"), named = at[plain] ? strcspn(at + plain + 1, "}") : 0;
    guint number;
    g_string_append_len(out, at, (gssize) plain);
    at += plain;
    if (!*at)
      break;
    if (find_name(lesson, at + 1, named, &number) && number < n) {
      g_autofree char *said = regard_value_say(&values[number]);
      g_string_append(out, said);
    }
    at += 1 + named + (at[1 + named] == '}');
  }
  return g_string_free(out, FALSE);
}

/* Every text that has words for people, and the line of the step or the file that it is of. */
static void
foreach_text(const RegardLesson *lesson, void (*func)(char **text, guint line, gpointer user),
             gpointer user)
{
  func(&((RegardLesson *) lesson)->title, 1, user);
  for (guint i = 0; i < lesson->steps->len; i++) {
    RegardLessonStep *step = lesson->steps->pdata[i];
    func(&step->title, step->line, user);
    for (guint k = 0; k < step->paragraphs->len; k++)
      func((char **) &step->paragraphs->pdata[k], step->line, user);
    for (guint k = 0; k < step->options->len; k++) {
      RegardLessonOption *option = step->options->pdata[k];
      func(&option->text, step->line, user);
      func(&option->answer, step->line, user);
    }
    for (guint k = 0; k < step->notes->len; k++)
      func((char **) &step->notes->pdata[k], step->line, user);
  }
}

typedef struct {
  RegardLessonStringFunc func;
  gpointer user;
} Listener;

static void
say(char **text, guint line, gpointer user)
{
  const Listener *listener = user;
  if (**text)
    listener->func(*text, line, listener->user);
}

void
regard_lesson_foreach_string(const RegardLesson *lesson, RegardLessonStringFunc func, gpointer user)
{
  Listener listener = {func, user};
  foreach_text(lesson, say, &listener);
}

static void
translate(char **text, guint line, gpointer user)
{
  char *translation = g_strdup(regard_locale_text(*text));
  g_free(*text);
  *text = translation;
}

RegardLesson *
regard_lesson_translate(RegardLesson *lesson)
{
  if (lesson && !lesson->original) {
    lesson->original = regard_lesson_write(lesson);
    foreach_text(lesson, translate, NULL);
  }
  return lesson;
}
