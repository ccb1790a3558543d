/* regard-answers.c — what somebody said to the questions of lessons. Files .regard-answers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "learn/regard-answers.h"

#include "base/regard-error.h"
#include "base/regard-json.h"
#include "figures/regard-naming.h"
#include "formats/regard-export.h"

#include <glib/gi18n.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define FORMAT      "regard-answers"
#define VERSION     1
#define MOST_DEPTH  10
#define MOST_LINE   200
#define MOST_NUMBER 1e300

/* ---- Verdicts -------------------------------------------------------------------------------- */

static const char *const verdicts[REGARD_N_VERDICTS] = {
    [REGARD_VERDICT_UNANSWERED] = "not answered",
    [REGARD_VERDICT_AS_MEASURED] = "as measured",
    [REGARD_VERDICT_NOT] = "not",
    [REGARD_VERDICT_NOT_CLEAR] = "not clear",
};

const char *
regard_verdict_name(RegardVerdict verdict)
{
  return verdicts[verdict];
}

/* ---- One answer ------------------------------------------------------------------------------ */

static void
answer_free(RegardAnswer *answer)
{
  if (!answer)
    return;
  g_free(answer->title);
  g_free(answer->text);
  g_free(answer->changes);
  g_free(answer->right);
  g_free(answer);
}

RegardAnswer *
regard_answer_new(const RegardLesson *lesson, guint step)
{
  const RegardLessonStep *of = lesson->steps->pdata[step];
  RegardAnswer *answer = g_new0(RegardAnswer, 1);
  answer->step = step;
  answer->title = g_strdup(of->title);
  answer->question = of->question;
  answer->number = answer->measured = NAN;
  answer->changes = g_strdup("");
  answer->right = g_strdup("");
  answer->checkpoint = -1;
  return answer;
}

RegardAnswer *
regard_answer_copy(const RegardAnswer *answer)
{
  RegardAnswer *copy = g_memdup2(answer, sizeof *answer);
  copy->title = g_strdup(answer->title);
  copy->text = g_strdup(answer->text);
  copy->changes = g_strdup(answer->changes);
  copy->right = g_strdup(answer->right);
  return copy;
}

static gpointer
copy_answer(gconstpointer answer, gpointer user)
{
  return regard_answer_copy(answer);
}

void
regard_answer_set_text(char **member, const char *text)
{
  g_free(*member);
  *member = text && strlen(text) <= REGARD_ANSWERS_MOST_TEXT ? g_strdup(text) : NULL;
}

/* ---- One lesson ------------------------------------------------------------------------------ */

char *
regard_lesson_hash(const RegardLesson *lesson)
{
  g_autofree char *text = regard_lesson_write(lesson);
  return g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
}

static void
free_value(gpointer data)
{
  RegardNamedValue *value = data;
  g_free(value->name);
  regard_value_clear(&value->value);
  g_free(value);
}

static gpointer
copy_value(gconstpointer data, gpointer user)
{
  const RegardNamedValue *value = data;
  RegardNamedValue *copy = g_new0(RegardNamedValue, 1);
  copy->name = g_strdup(value->name);
  copy->value = (RegardValue){value->value.number, g_strdup(value->value.text)};
  return copy;
}

static RegardLessonRecord *
record_new(void)
{
  RegardLessonRecord *record = g_new0(RegardLessonRecord, 1);
  record->answers = g_ptr_array_new_with_free_func((GDestroyNotify) answer_free);
  record->values = g_ptr_array_new_with_free_func(free_value);
  return record;
}

RegardLessonRecord *
regard_lesson_record_new(const RegardLesson *lesson)
{
  RegardLessonRecord *record = record_new();
  record->id = g_strdup(lesson->id);
  record->hash = regard_lesson_hash(lesson);
  record->title = g_strdup("");
  return record;
}

RegardLessonRecord *
regard_lesson_record_copy(const RegardLessonRecord *record)
{
  RegardLessonRecord *copy = g_memdup2(record, sizeof *record);
  copy->id = g_strdup(record->id);
  copy->hash = g_strdup(record->hash);
  copy->title = g_strdup(record->title);
  copy->answers = g_ptr_array_copy(record->answers, copy_answer, NULL);
  g_ptr_array_set_free_func(copy->answers, (GDestroyNotify) answer_free);
  copy->values = g_ptr_array_copy(record->values, (GCopyFunc) copy_value, NULL);
  g_ptr_array_set_free_func(copy->values, free_value);
  return copy;
}

void
regard_lesson_record_free(RegardLessonRecord *record)
{
  if (!record)
    return;
  g_free(record->id);
  g_free(record->hash);
  g_free(record->title);
  g_ptr_array_unref(record->answers);
  g_ptr_array_unref(record->values);
  g_free(record);
}

/* ---- Steps of a lesson that may have changed ------------------------------------------------- */

static gboolean
has_option(const RegardLessonStep *step, char letter)
{
  for (guint i = 0; i < step->options->len; i++)
    if (((const RegardLessonOption *) step->options->pdata[i])->letter == letter)
      return TRUE;
  return letter == 0;
}

static gboolean
fits(const RegardAnswer *answer, const RegardLesson *lesson, guint i)
{
  const RegardLessonStep *step = i < lesson->steps->len ? lesson->steps->pdata[i] : NULL;
  return step && step->question == answer->question && strcmp(step->title, answer->title) == 0 &&
         has_option(step, answer->letter);
}

/* FALSE: the lesson has no such step any more. */
static gboolean
find_step(const RegardAnswer *answer, const RegardLesson *lesson, guint *step)
{
  *step = answer->step;
  if (fits(answer, lesson, *step))
    return TRUE;
  for (*step = 0; *step < lesson->steps->len; (*step)++)
    if (fits(answer, lesson, *step))
      return TRUE;
  return FALSE;
}

const RegardAnswer *
regard_lesson_record_find(const RegardLessonRecord *record, const RegardLesson *lesson, guint step)
{
  for (guint i = 0; i < record->answers->len; i++) {
    guint found;
    if (find_step(record->answers->pdata[i], lesson, &found) && found == step)
      return record->answers->pdata[i];
  }
  return NULL;
}

void
regard_lesson_record_take(RegardLessonRecord *record, RegardAnswer *answer)
{
  guint i = 0;
  while (i < record->answers->len &&
         ((const RegardAnswer *) record->answers->pdata[i])->step < answer->step)
    i++;
  while (i < record->answers->len &&
         ((const RegardAnswer *) record->answers->pdata[i])->step == answer->step)
    g_ptr_array_remove_index(record->answers, i);
  g_ptr_array_insert(record->answers, (int) i, answer);
}

guint
regard_lesson_record_step(const RegardLessonRecord *record, const RegardLesson *lesson)
{
  const RegardLessonStep *same =
      record->step < lesson->steps->len ? lesson->steps->pdata[record->step] : NULL;
  if (same && strcmp(same->title, record->title) == 0)
    return record->step;
  for (guint i = 0; i < lesson->steps->len; i++)
    if (strcmp(((const RegardLessonStep *) lesson->steps->pdata[i])->title, record->title) == 0)
      return i;
  return 0;
}

guint
regard_lesson_record_fit(RegardLessonRecord *record, const RegardLesson *lesson)
{
  g_autoptr(GPtrArray) before = g_steal_pointer(&record->answers);
  guint n_dropped = 0, step;
  record->answers = g_ptr_array_new_with_free_func((GDestroyNotify) answer_free);
  for (guint i = 0; i < before->len; i++) {
    const RegardAnswer *answer = before->pdata[i];
    if (!find_step(answer, lesson, &step) || regard_lesson_record_find(record, lesson, step)) {
      n_dropped++;
      continue;
    }
    RegardAnswer *moved = regard_answer_copy(answer);
    moved->step = step;
    regard_lesson_record_take(record, moved);
  }
  record->step = regard_lesson_record_step(record, lesson);
  g_free(record->title);
  record->title = g_strdup(((const RegardLessonStep *) lesson->steps->pdata[record->step])->title);
  g_free(record->hash);
  record->hash = regard_lesson_hash(lesson);
  return n_dropped;
}

void
regard_lesson_record_get_values(const RegardLessonRecord *record, const RegardLesson *lesson,
                                RegardValue *values, guint n)
{
  for (guint i = 0; i < n; i++) {
    const RegardName *name = &g_array_index(lesson->names, RegardName, i);
    values[i] = (RegardValue){.number = NAN, .text = name->is_text ? g_strdup("") : NULL};
    for (guint k = 0; k < record->values->len; k++) {
      const RegardNamedValue *known = record->values->pdata[k];
      if (strcmp(known->name, name->name) != 0 || (known->value.text != NULL) != name->is_text)
        continue;
      g_free(values[i].text);
      values[i] = (RegardValue){known->value.number, g_strdup(known->value.text)};
    }
  }
}

void
regard_lesson_record_set_values(RegardLessonRecord *record, const RegardLesson *lesson,
                                const RegardValue *values, guint n)
{
  g_ptr_array_set_size(record->values, 0);
  for (guint i = 0; i < n; i++) {
    RegardNamedValue *value;
    if (values[i].text && strlen(values[i].text) > REGARD_ANSWERS_MOST_TEXT)
      continue;
    value = g_new0(RegardNamedValue, 1);
    value->name = g_strdup(g_array_index(lesson->names, RegardName, i).name);
    value->value = (RegardValue){values[i].number, g_strdup(values[i].text)};
    g_ptr_array_add(record->values, value);
  }
}

/* ---- Writing --------------------------------------------------------------------------------- */

static json_object *
text_or_null(const char *text)
{
  return text ? json_object_new_string(text) : NULL;
}

static json_object *
write_cell(const RegardAnswer *answer)
{
  if (!answer->has_cell)
    return NULL;
  g_autofree char *head = regard_naming_head(answer->kind, answer->layer, answer->head);
  return regard_json_object({"head", json_object_new_string(head)},
                            {"row", json_object_new_int64(answer->row + 1)},
                            {"column", json_object_new_int64(answer->column + 1)});
}

static json_object *
write_answer(const RegardAnswer *answer)
{
  const char letter[] = {answer->letter, '\0'};
  json_object *checkpoint =
      answer->checkpoint >= 0 ? json_object_new_int64(answer->checkpoint) : NULL;
  return regard_json_object(
      {"step", json_object_new_int64(answer->step + 1)},
      {"title", json_object_new_string(answer->title)},
      {"question", json_object_new_string(regard_lesson_question_name(answer->question))},
      {"letter", *letter ? json_object_new_string(letter) : NULL},
      {"number", regard_json_double(answer->number)}, {"text", text_or_null(answer->text)},
      {"changes", json_object_new_string(answer->changes ? answer->changes : "")},
      {"checkpoint", checkpoint}, {"cell", write_cell(answer)},
      {"verdict", json_object_new_string(regard_verdict_name(answer->verdict))},
      {"right", json_object_new_string(answer->right)},
      {"measured", regard_json_double(answer->measured)});
}

static json_object *
write_record(const RegardLessonRecord *record)
{
  json_object *answers = json_object_new_array(), *values = json_object_new_object();
  for (guint i = 0; i < record->answers->len; i++)
    json_object_array_add(answers, write_answer(record->answers->pdata[i]));
  for (guint i = 0; i < record->values->len; i++) {
    const RegardNamedValue *value = record->values->pdata[i];
    json_object_object_add(values, value->name,
                           value->value.text ? json_object_new_string(value->value.text)
                                             : regard_json_double(value->value.number));
  }
  return regard_json_object({"id", json_object_new_string(record->id)},
                            {"hash", json_object_new_string(record->hash)},
                            {"step", json_object_new_int64(record->step + 1)},
                            {"title", json_object_new_string(record->title)},
                            {"done", json_object_new_boolean(record->is_done)},
                            {"answers", answers}, {"values", values});
}

json_object *
regard_lesson_records_write(const GPtrArray *records)
{
  json_object *list = json_object_new_array();
  for (guint i = 0; i < records->len; i++)
    json_object_array_add(list, write_record(records->pdata[i]));
  return list;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static gboolean
get_text(json_object *object, const char *key, gboolean has_null, gsize most, char **text,
         GError **error)
{
  const char *found;
  if (!regard_json_get_string(object, key, has_null, &found, error))
    return FALSE;
  if (found && strlen(found) > most) {
    g_autofree char *expected = g_strdup_printf(_("a text of at most %zu bytes"), most);
    return regard_json_refuse(error, key, expected);
  }
  g_free(*text);
  *text = g_strdup(found);
  return TRUE;
}

/* A text of one line, which may be shown anywhere. */
static gboolean
get_line(json_object *object, const char *key, char **line, GError **error)
{
  if (!get_text(object, key, FALSE, MOST_LINE, line, error))
    return FALSE;
  for (const char *p = *line; *p; p = g_utf8_next_char(p))
    if (g_unichar_iscntrl(g_utf8_get_char(p)))
      return regard_json_refuse(error, key, _("one line"));
  return TRUE;
}

/* Letters of options; NULL is none. */
static gboolean
get_letters(json_object *object, const char *key, gboolean has_null, gsize most, char **letters,
            GError **error)
{
  if (!get_text(object, key, has_null, most, letters, error))
    return FALSE;
  if (!*letters)
    *letters = g_strdup("");
  for (const char *p = *letters; *p; p++)
    if (*p < 'a' || *p >= 'a' + REGARD_LESSON_MOST_OPTIONS)
      return regard_json_refuse(error, key, _("letters of options"));
  return TRUE;
}

/* Null is NaN. */
static gboolean
get_number(json_object *object, const char *key, double *number, GError **error)
{
  json_object *found = NULL;
  *number = NAN;
  return (json_object_object_get_ex(object, key, &found) && !found) ||
         regard_json_get_number(object, key, -MOST_NUMBER, MOST_NUMBER, number, error);
}

/* A member that may be null, and then is as it was. */
static gboolean
is_null(json_object *object, const char *key)
{
  json_object *found = NULL;
  return json_object_object_get_ex(object, key, &found) && !found;
}

static gboolean
read_head(json_object *cell, RegardAnswer *answer, GError **error)
{
  const char *head;
  if (!regard_json_get_string(cell, "head", FALSE, &head, error))
    return FALSE;
  g_auto(GStrv) words = g_strsplit(head, " ", 3);
  return (g_strv_length(words) == 2 && regard_target_parse_head(words[0], words[1], &answer->kind,
                                                                &answer->layer, &answer->head)) ||
         regard_json_refuse(error, "head", _("a head such as “cross 4.1”"));
}

static gboolean
read_cell(json_object *object, RegardAnswer *answer, GError **error)
{
  json_object *cell;
  gint64 row, column;
  if (is_null(object, "cell"))
    return TRUE;
  if (!regard_json_get_object(object, "cell", &cell, error) || !read_head(cell, answer, error) ||
      !regard_json_get_whole(cell, "row", 1, 100000, &row, error) ||
      !regard_json_get_whole(cell, "column", 1, 100000, &column, error))
    return FALSE;
  answer->has_cell = TRUE;
  answer->row = (guint) row - 1;
  answer->column = (guint) column - 1;
  return TRUE;
}

static gboolean
read_question(json_object *object, RegardAnswer *answer, GError **error)
{
  const char *name;
  if (!regard_json_get_string(object, "question", FALSE, &name, error))
    return FALSE;
  for (guint i = REGARD_ASK_PREDICT; i <= REGARD_ASK_FIND; i++)
    if (strcmp(name, regard_lesson_question_name((RegardQuestion) i)) == 0)
      answer->question = (RegardQuestion) i;
  return answer->question ||
         regard_json_refuse(error, "question", _("predict, choose, number or find"));
}

static gboolean
read_verdict(json_object *object, RegardAnswer *answer, GError **error)
{
  const char *name;
  if (!regard_json_get_string(object, "verdict", FALSE, &name, error))
    return FALSE;
  for (guint i = 0; i < REGARD_N_VERDICTS; i++)
    if (strcmp(name, verdicts[i]) == 0) {
      answer->verdict = (RegardVerdict) i;
      return TRUE;
    }
  return regard_json_refuse(error, "verdict",
                            _("“as measured”, “not”, “not clear” or “not answered”"));
}

static gboolean
read_said(json_object *object, RegardAnswer *answer, GError **error)
{
  g_autofree char *letter = NULL;
  if (!get_letters(object, "letter", TRUE, 1, &letter, error) ||
      !get_number(object, "number", &answer->number, error))
    return FALSE;
  answer->letter = *letter;
  return TRUE;
}

static gboolean
read_answer(json_object *object, RegardAnswer *answer, GError **error)
{
  gint64 step;
  answer->checkpoint = -1;
  answer->measured = NAN;
  if (!json_object_is_type(object, json_type_object))
    return regard_json_refuse(error, "answers", _("a list of objects"));
  if (!regard_json_get_whole(object, "step", 1, REGARD_LESSON_MOST_STEPS, &step, error) ||
      !get_line(object, "title", &answer->title, error) || !read_question(object, answer, error) ||
      !read_said(object, answer, error) ||
      !get_text(object, "text", TRUE, REGARD_ANSWERS_MOST_TEXT, &answer->text, error) ||
      !get_text(object, "changes", FALSE, REGARD_ANSWERS_MOST_TEXT, &answer->changes, error) ||
      !read_cell(object, answer, error) || !read_verdict(object, answer, error) ||
      !get_letters(object, "right", FALSE, REGARD_LESSON_MOST_OPTIONS, &answer->right, error) ||
      !get_number(object, "measured", &answer->measured, error))
    return FALSE;
  answer->step = (guint) step - 1;
  return is_null(object, "checkpoint") ||
         regard_json_get_whole(object, "checkpoint", 0, G_MAXINT32, &answer->checkpoint, error);
}

static gboolean
read_answers(json_object *object, RegardLessonRecord *record, GError **error)
{
  json_object *list = NULL;
  json_object_object_get_ex(object, "answers", &list);
  if (!json_object_is_type(list, json_type_array) ||
      json_object_array_length(list) > REGARD_LESSON_MOST_STEPS)
    return regard_json_refuse(error, "answers", _("a list of at most 60 objects"));
  for (gsize i = 0; i < json_object_array_length(list); i++) {
    RegardAnswer *answer = g_new0(RegardAnswer, 1);
    const gboolean ok = read_answer(json_object_array_get_idx(list, i), answer, error);
    if (!ok) {
      answer_free(answer);
      return FALSE;
    }
    regard_lesson_record_take(record, answer);
  }
  return TRUE;
}

static gboolean
read_values(json_object *object, RegardLessonRecord *record, GError **error)
{
  json_object *values;
  if (!regard_json_get_object(object, "values", &values, error))
    return FALSE;
  if (json_object_object_length(values) > REGARD_LESSON_MOST_NAMES)
    return regard_json_refuse(error, "values", _("at most 64 numbers and texts"));
  json_object_object_foreach(values, name, found)
  {
    RegardNamedValue *value = g_new0(RegardNamedValue, 1);
    g_ptr_array_add(record->values, value);
    value->name = g_strdup(name);
    value->value.number = NAN;
    if (strlen(name) > MOST_LINE || !g_utf8_validate(name, -1, NULL))
      return regard_json_refuse(error, "values", _("names of at most 200 bytes"));
    if (json_object_is_type(found, json_type_string)
            ? !get_text(values, name, FALSE, REGARD_ANSWERS_MOST_TEXT, &value->value.text, error)
            : !get_number(values, name, &value->value.number, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
read_record(json_object *object, RegardLessonRecord *record, GError **error)
{
  gint64 step;
  if (!json_object_is_type(object, json_type_object))
    return regard_json_refuse(error, "lessons", _("a list of objects"));
  if (!get_line(object, "id", &record->id, error) ||
      !get_line(object, "hash", &record->hash, error) ||
      !get_line(object, "title", &record->title, error) ||
      !regard_json_get_whole(object, "step", 1, REGARD_LESSON_MOST_STEPS, &step, error) ||
      !regard_json_get_boolean(object, "done", &record->is_done, error))
    return FALSE;
  record->step = (guint) step - 1;
  return read_answers(object, record, error) && read_values(object, record, error);
}

GPtrArray *
regard_lesson_records_read(json_object *list, GError **error)
{
  g_autoptr(GPtrArray) records =
      g_ptr_array_new_with_free_func((GDestroyNotify) regard_lesson_record_free);
  g_autoptr(GHashTable) ids = g_hash_table_new(g_str_hash, g_str_equal);
  if (!json_object_is_type(list, json_type_array) ||
      json_object_array_length(list) > REGARD_ANSWERS_MOST_LESSONS) {
    regard_json_refuse(error, "lessons", _("a list of at most 500 lessons"));
    return NULL;
  }
  for (gsize i = 0; i < json_object_array_length(list); i++) {
    RegardLessonRecord *record = record_new();
    g_ptr_array_add(records, record);
    if (!read_record(json_object_array_get_idx(list, i), record, error))
      return NULL;
    if (!g_hash_table_add(ids, record->id)) {
      regard_json_refuse(error, "lessons", _("each lesson once"));
      return NULL;
    }
  }
  return g_steal_pointer(&records);
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Behind the name of the file. */
static gboolean
check_format(json_object *root, const char *format, gboolean *is_newer, GError **error)
{
  const char *found;
  gint64 version;
  if (!json_object_is_type(root, json_type_object)) {
    g_set_error(error, REGARD_ERROR, REGARD_ERROR_FORMAT, _("expected a JSON object."));
    return FALSE;
  }
  if (!regard_json_get_string(root, "format", FALSE, &found, error))
    return FALSE;
  if (strcmp(found, format) != 0) {
    g_autofree char *quoted = g_strdup_printf("“%s”", format);
    return regard_json_refuse(error, "format", quoted);
  }
  if (!regard_json_get_whole(root, "version", 1, G_MAXINT32, &version, error))
    return FALSE;
  *is_newer = version > VERSION;
  if (*is_newer)
    g_set_error(error, REGARD_ERROR, REGARD_ERROR_UNSUPPORTED,
                _("expected version %d of the format, which is the newest that Regard %s knows; "
                  "found %" PRId64 "."),
                VERSION, MT_VERSION, version);
  return !*is_newer;
}

json_object *
regard_answers_parse_object(const char *label, const char *format, const char *text, gsize n,
                            gboolean *is_newer, GError **error)
{
  const char *reason = NULL;
  json_object *root = regard_json_parse(text, n, MOST_DEPTH, &reason, NULL);
  gboolean ok = !reason;
  *is_newer = FALSE;
  if (!ok)
    g_set_error(error, REGARD_ERROR, REGARD_ERROR_FORMAT, _("expected JSON, found: %s."), reason);
  if (ok && !regard_json_has_each_key_once(root, text)) {
    ok = FALSE;
    g_set_error(error, REGARD_ERROR, REGARD_ERROR_FORMAT,
                _("expected each key once in its object, found one twice."));
  }
  if (ok && check_format(root, format, is_newer, error))
    return root;
  g_prefix_error(error, "%s: ", label);
  json_object_put(root);
  return NULL;
}

RegardAnswers *
regard_answers_new(RegardModelIdentity *model, const GPtrArray *records)
{
  RegardAnswers *answers = g_new0(RegardAnswers, 1);
  answers->program = g_strdup("regard " MT_VERSION);
  answers->model = model;
  answers->records = g_ptr_array_new_with_free_func((GDestroyNotify) regard_lesson_record_free);
  for (guint i = 0; records && i < records->len; i++)
    g_ptr_array_add(answers->records, regard_lesson_record_copy(records->pdata[i]));
  return answers;
}

void
regard_answers_free(RegardAnswers *answers)
{
  if (!answers)
    return;
  g_free(answers->program);
  if (answers->model)
    regard_model_identity_free(answers->model);
  g_ptr_array_unref(answers->records);
  g_free(answers);
}

char *
regard_answers_to_json(const RegardAnswers *answers)
{
  json_object *root =
      regard_json_object({"format", json_object_new_string(FORMAT)},
                         {"version", json_object_new_int(VERSION)},
                         {"program", json_object_new_string(answers->program)},
                         {"model",
                          answers->model ? regard_model_identity_write(answers->model) : NULL},
                         {"lessons", regard_lesson_records_write(answers->records)});
  char *text = g_strconcat(json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY |
                                                                    JSON_C_TO_STRING_SPACED |
                                                                    JSON_C_TO_STRING_NOSLASHESCAPE),
                           "\n", NULL);
  json_object_put(root);
  return text;
}

static gboolean
read_members(json_object *root, RegardAnswers *answers, GError **error)
{
  json_object *model = NULL, *lessons = NULL;
  GPtrArray *records;
  json_object_object_get_ex(root, "model", &model);
  json_object_object_get_ex(root, "lessons", &lessons);
  if (!get_line(root, "program", &answers->program, error))
    return FALSE;
  if (!is_null(root, "model")) {
    answers->model = regard_model_identity_read(model, error);
    if (!answers->model)
      return FALSE;
  }
  records = regard_lesson_records_read(lessons, error);
  if (!records)
    return FALSE;
  g_ptr_array_unref(answers->records);
  answers->records = records;
  return TRUE;
}

RegardAnswers *
regard_answers_parse(const char *label, const char *text, gsize n, GError **error)
{
  gboolean is_newer;
  json_object *root = regard_answers_parse_object(label, FORMAT, text, n, &is_newer, error);
  if (!root)
    return NULL;
  g_autoptr(RegardAnswers) answers = regard_answers_new(NULL, NULL);
  const gboolean ok = read_members(root, answers, error);
  json_object_put(root);
  if (ok)
    return g_steal_pointer(&answers);
  g_prefix_error(error, "%s: ", label);
  return NULL;
}

RegardAnswers *
regard_answers_read(const char *path, GError **error)
{
  mt_bytes bytes = {0};
  mt_error failure = {0};
  if (!mt_file_read_whole(path, REGARD_ANSWERS_MOST_BYTES, true, &bytes, &failure)) {
    regard_error_set_from_mt(error, &failure);
    return NULL;
  }
  g_autofree char *base = g_path_get_basename(path), *label = g_utf8_make_valid(base, -1);
  RegardAnswers *answers =
      regard_answers_parse(label, (const char *) bytes.data, bytes.size, error);
  mt_bytes_clear(&bytes);
  return answers;
}

gboolean
regard_answers_write(const RegardAnswers *answers, const char *path, GError **error)
{
  char *text = regard_answers_to_json(answers);
  g_autoptr(GBytes) bytes = g_bytes_new_take(text, strlen(text));
  if (g_bytes_get_size(bytes) <= REGARD_ANSWERS_MOST_BYTES)
    return regard_export_write_bytes(bytes, path, error);
  g_set_error(error, REGARD_ERROR, REGARD_ERROR_TOO_LONG,
              _("%s: cannot be written: the answers are more than a megabyte."), path);
  return FALSE;
}

/* ---- For the window -------------------------------------------------------------------------- */

static gpointer
save(RegardRun *run, mt_error *error)
{
  const RegardAnswersSaving *saving = regard_run_get_params(run);
  GError *failure = NULL;
  g_autoptr(RegardAnswers) answers =
      regard_answers_new(saving->model
                             ? regard_model_identity_new(saving->model, saving->model_title)
                             : NULL,
                         saving->records);
  if (regard_answers_write(answers, saving->path, &failure))
    return run;
  regard_run_take_error(run, failure);
  return NULL;
}

static void
clear_saving(gpointer data)
{
  RegardAnswersSaving *saving = data;
  g_free(saving->path);
  g_free(saving->model_title);
  mt_model_unref(saving->model);
  g_ptr_array_unref(saving->records);
}

const RegardTask regard_answers_saving_task = {
    .priority = REGARD_RUN_READING,
    .params_size = sizeof(RegardAnswersSaving),
    .compute = save,
    .clear_params = clear_saving,
};
