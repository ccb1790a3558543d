/* regard-answers.h — what somebody said to the questions of lessons. Files .regard-answers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A record is what is known of one person and one lesson: how far they are, and what they said,
 * with the text and the changes that the model had then, so that it can be measured again. Records
 * are in two kinds of files: those of this person in lessons.json (regard-progress.h), and those
 * that are handed in, NAME.regard-answers. Neither holds a path, a name or a time. docs/teaching.md
 * describes the second.
 */
#pragma once

#include "learn/regard-lesson.h"
#include "models/regard-model-identity.h"
#include "runner/regard-runner.h"

G_BEGIN_DECLS

#define REGARD_ANSWERS_SUFFIX       ".regard-answers"
#define REGARD_ANSWERS_MOST_BYTES   (1024 * 1024)
#define REGARD_ANSWERS_MOST_LESSONS 500
#define REGARD_ANSWERS_MOST_TEXT    4000 /* bytes of a sentence, of changes, of a value */

/* ---- One answer ------------------------------------------------------------------------------ */

typedef enum {
  REGARD_VERDICT_UNANSWERED,
  REGARD_VERDICT_AS_MEASURED,
  REGARD_VERDICT_NOT,       /* something else is measured */
  REGARD_VERDICT_NOT_CLEAR, /* this sentence does not show it, or it cannot be measured */
  REGARD_N_VERDICTS,
} RegardVerdict;
/* "as measured", "not", "not clear", "not answered": as files and tables have them. */
const char *regard_verdict_name(RegardVerdict verdict);

typedef struct {
  guint step; /* of the lesson, from 0 */
  char *title;
  RegardQuestion question;
  /* What was said. */
  char letter;   /* of an option; 0: none */
  double number; /* NaN: none */
  /* What the model had. */
  char *text;        /* NULL: it is not known */
  char *changes;     /* a line each; "" */
  gint64 checkpoint; /* step of the training that comes with the program; -1: another model */
  gboolean has_cell; /* the cell that was chosen */
  mt_attention_kind kind;
  guint layer, head, row, column; /* from 0 */
  /* What was measured then. */
  RegardVerdict verdict;
  char *right;     /* letters of the options that were; "" */
  double measured; /* NaN: nothing was */
} RegardAnswer;

/* Of a step's question, with nothing said. Caller frees. */
RegardAnswer *regard_answer_new(const RegardLesson *lesson, guint step);
RegardAnswer *regard_answer_copy(const RegardAnswer *answer);
/* Puts a text in the place of one of its texts; one that is too long for a file is left out. */
void regard_answer_set_text(char **member, const char *text);

/* ---- One lesson ------------------------------------------------------------------------------ */

/* What stands behind `let`, as it was measured. */
typedef struct {
  char *name;
  RegardValue value;
} RegardNamedValue;

typedef struct {
  char *id, *hash; /* regard_lesson_hash */
  guint step;      /* that was reached, from 0 */
  char *title;     /* of that step; "" */
  gboolean is_done;
  GPtrArray *answers; /* of RegardAnswer *, by their steps */
  GPtrArray *values;  /* of RegardNamedValue * */
} RegardLessonRecord;

/* Of what a lesson is: the same for files that read as the same. In hexadecimal; caller frees. */
char *regard_lesson_hash(const RegardLesson *lesson);

/* Empty. Caller frees. */
RegardLessonRecord *regard_lesson_record_new(const RegardLesson *lesson);
RegardLessonRecord *regard_lesson_record_copy(const RegardLessonRecord *record);
void regard_lesson_record_free(RegardLessonRecord *record);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RegardLessonRecord, regard_lesson_record_free)

/* What was said to the question of a step (from 0). Of a lesson that was changed since it is that
 * of the step of the same title with the same kind of question, and of an option that is still
 * there. Borrowed; NULL: nothing was said. */
const RegardAnswer *regard_lesson_record_find(const RegardLessonRecord *record,
                                              const RegardLesson *lesson, guint step);
/* Takes an answer in the place of one of the same step. */
void regard_lesson_record_take(RegardLessonRecord *record, RegardAnswer *answer);
/* The step (from 0) that was reached: of a lesson that was changed since, the one of the same
 * title, or the first. */
guint regard_lesson_record_step(const RegardLessonRecord *record, const RegardLesson *lesson);
/* Makes a record of an earlier text of a lesson one of this text: what regard_lesson_record_find
 * does not find is dropped. Returns how many answers that were. */
guint regard_lesson_record_fit(RegardLessonRecord *record, const RegardLesson *lesson);
/* values [n] as those of the names of a lesson, for regard_lesson_fill; what is not known is NaN.
 * regard_value_clear each. */
void regard_lesson_record_get_values(const RegardLessonRecord *record, const RegardLesson *lesson,
                                     RegardValue *values, guint n);
void regard_lesson_record_set_values(RegardLessonRecord *record, const RegardLesson *lesson,
                                     const RegardValue *values, guint n);

/* As JSON (of json-c), and back: an array of records, and NULL with an error for what is none, is
 * beyond the limits, or has a lesson twice. Caller frees. */
struct json_object;
struct json_object *regard_lesson_records_write(const GPtrArray *records);
GPtrArray *regard_lesson_records_read(struct json_object *list, GError **error);

/* ---- Files ----------------------------------------------------------------------------------- */

typedef struct {
  char *program;              /* that wrote it: "regard 0.1.0" */
  RegardModelIdentity *model; /* that was asked; NULL: it is not known */
  GPtrArray *records;         /* of RegardLessonRecord * */
} RegardAnswers;

/* records: copied; model is taken, and may be NULL. Caller frees. */
RegardAnswers *regard_answers_new(RegardModelIdentity *model, const GPtrArray *records);
void regard_answers_free(RegardAnswers *answers);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RegardAnswers, regard_answers_free)

/* Caller frees. */
char *regard_answers_to_json(const RegardAnswers *answers);
/* From n bytes that a zero byte follows; label: what errors call it. NULL: *error says what was
 * expected. On any thread. */
RegardAnswers *regard_answers_parse(const char *label, const char *text, gsize n, GError **error);
/* The same of a file, which may be a pipe. */
RegardAnswers *regard_answers_read(const char *path, GError **error);
/* In place of an earlier file only when it is whole. Takes as long as the disk does. */
gboolean regard_answers_write(const RegardAnswers *answers, const char *path, GError **error);

/* For the window: the model's files are read, and the answers written, in a thread. The result is
 * the run. */
typedef struct {
  char *path;
  GPtrArray *records; /* of RegardLessonRecord * */
  mt_model *model;    /* a reference; NULL: none is open */
  char *model_title;  /* NULL: it has none */
} RegardAnswersSaving;
extern const RegardTask regard_answers_saving_task;

/* ---- What several files of JSON have in common ----------------------------------------------- */

/* The object of a file that says of itself {"format": FORMAT, "version": 1, …}, or NULL with an
 * error that names it; *is_newer: it is of a later version. Caller puts it. */
struct json_object *regard_answers_parse_object(const char *label, const char *format,
                                                const char *text, gsize n, gboolean *is_newer,
                                                GError **error);

G_END_DECLS
