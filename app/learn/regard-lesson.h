/* regard-lesson.h — a lesson: steps of prose, with what they show, ask and check. Files .lesson.md.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * docs/teaching.md describes the format. A lesson may be a stranger's: reading one opens no file,
 * and what it can have computed is bounded by the limits below.
 */
#pragma once

#include "learn/regard-targets.h"
#include "learn/regard-term.h"

G_BEGIN_DECLS

#define REGARD_LESSON_SUFFIX          ".lesson.md"
#define REGARD_LESSON_TERM            "term" /* "regard:term nat" leads to the glossary */
#define REGARD_LESSON_MOST_BYTES      (256 * 1024)
#define REGARD_LESSON_MOST_LINE       2000
#define REGARD_LESSON_MOST_STEPS      60
#define REGARD_LESSON_MOST_DIRECTIVES 40   /* of a step */
#define REGARD_LESSON_MOST_OPTIONS    8    /* of a question */
#define REGARD_LESSON_MOST_NAMES      64   /* behind `let`, of a lesson */
#define REGARD_LESSON_MOST_PASSES     20   /* searches and passes, of a step */
#define REGARD_LESSON_MOST_PARAGRAPHS 20   /* of a step, and as many notes */
#define REGARD_LESSON_MOST_TEXT       400  /* bytes of a sentence */
#define REGARD_LESSON_MOST_PARAGRAPH  1500 /* bytes */

/* ---- Directives ------------------------------------------------------------------------------ */

typedef enum {
  /* What is shown. */
  REGARD_DIRECTIVE_TEXT,   /* text: a sentence; NULL: the person's own */
  REGARD_DIRECTIVE_MODEL,  /* text: "by-hand"; number: the step of a training, or -1 */
  REGARD_DIRECTIVE_STATE,  /* text: "03.regard", of a talk (talk/regard-talk.h) */
  REGARD_DIRECTIVE_PAGE,   /* text: "positions/bench" */
  REGARD_DIRECTIVE_HEAD,   /* place */
  REGARD_DIRECTIVE_CELL,   /* place */
  REGARD_DIRECTIVE_STEP,   /* number: of the translation, or of the page, from 1 */
  REGARD_DIRECTIVE_FORM,   /* text: "matrix" or "lines" */
  REGARD_DIRECTIVE_PANES,  /* text: some of "heads", "details", "received", by spaces; or "none" */
  REGARD_DIRECTIVE_CHANGE, /* interventions: one more; or none of all */
  REGARD_DIRECTIVE_REFERENCE, /* what is shown is kept, to be compared with */
  REGARD_DIRECTIVE_COMPARE,   /* the difference from it is shown */
  REGARD_DIRECTIVE_POINT,     /* target, place, text */
  /* What the person does. */
  REGARD_DIRECTIVE_WAIT, /* event, place, text, interventions, or condition */
  /* What is measured and asked. */
  REGARD_DIRECTIVE_LET,     /* number: of the name; term */
  REGARD_DIRECTIVE_ASK,     /* question */
  REGARD_DIRECTIVE_RIGHT,   /* text: letters of options; condition; NULL: always */
  REGARD_DIRECTIVE_UNCLEAR, /* condition */
  REGARD_DIRECTIVE_ANSWER,  /* term; within */
  REGARD_DIRECTIVE_FOUND,   /* condition */
} RegardDirectiveType;

typedef enum {
  REGARD_ASK_NOTHING,
  REGARD_ASK_PREDICT, /* an option, which is compared with what is measured then */
  REGARD_ASK_CHOOSE,  /* an option, which is right or wrong */
  REGARD_ASK_NUMBER,
  REGARD_ASK_FIND, /* to make something so */
} RegardQuestion;

typedef enum {
  REGARD_WAIT_CONDITION,  /* until it holds */
  REGARD_WAIT_CELL,       /* a cell was chosen */
  REGARD_WAIT_TEXT,       /* the text was changed */
  REGARD_WAIT_HEAD,       /* another head was chosen */
  REGARD_WAIT_SWITCHED,   /* place: this head was switched off */
  REGARD_WAIT_CHANGE,     /* this change was made */
  REGARD_WAIT_PAGE,       /* text: this page is shown */
  REGARD_WAIT_STEP,       /* another step was chosen */
  REGARD_WAIT_CHECKPOINT, /* another checkpoint was chosen */
} RegardWait;

/* A row or column: its number, from 1, or its piece. */
typedef struct {
  guint number; /* 0: it is named by its piece */
  char *piece;
} RegardLessonToken;

typedef struct {
  RegardDirectiveType type;
  guint line;
  gboolean is_after; /* of what is shown: only when the question of its step has come out */
  char *text;
  gint64 number;
  const RegardTargetName *target;
  gboolean has_kind; /* of a target that may have one */
  mt_attention_kind kind;
  guint layer, head; /* from 0 */
  RegardLessonToken row, column;
  mt_interventions *interventions;
  RegardQuestion question;
  RegardWait event;
  RegardTerm *term;
  double within;
  RegardCondition *condition;
} RegardDirective;

/* A target as it stands behind `point` and in a link behind "regard:", as "row 3". NULL: *error. */
RegardDirective *regard_directive_new_point(const char *target, mt_error *error);
void regard_directive_free(RegardDirective *directive);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RegardDirective, regard_directive_free)

/* ---- Lessons --------------------------------------------------------------------------------- */

typedef struct {
  char letter;  /* 'a' … */
  char *text;   /* Markdown, with {names} */
  char *answer; /* what is said of it after measuring; "": nothing */
} RegardLessonOption;

typedef struct {
  guint line;
  char *title;
  GPtrArray *paragraphs; /* of char *: Markdown (*, **, `, [text](regard:TARGET) or regard:term ID),
                            {names} */
  guint n_before_options; /* paragraphs that stand before the options */
  GPtrArray *notes;       /* of char *: for who presents */
  GPtrArray *options;     /* of RegardLessonOption * */
  GPtrArray *directives;  /* of RegardDirective * */
  RegardQuestion question;
  guint n_names; /* names that have values behind this step */
} RegardLessonStep;

/* Never changed once it is read and translated; counted. */
typedef struct {
  int ref_count;  /* private */
  char *original; /* private: the file in its own language, once it is translated */
  char *id, *title;
  char *paper; /* section of the paper; "" */
  guint minutes;
  char *model;      /* "any", or a name */
  char *text;       /* that it begins with; NULL: the person's own */
  GStrv after;      /* ids of lessons that go before */
  GPtrArray *steps; /* of RegardLessonStep * */
  GArray *names;    /* of RegardName: all that stand behind `let`, in their order */
} RegardLesson;

/* Reads a lesson from n bytes. label: what errors call it; they name the line, what was expected
 * and the word that was found. NULL: MT_ERROR_FORMAT; MT_ERROR_TOO_LONG for what is beyond the
 * limits. On any thread. */
RegardLesson *regard_lesson_parse(const char *label, const char *text, gsize n, mt_error *error);
/* The same of a file, which may be a pipe. MT_ERROR_IO, too. */
RegardLesson *regard_lesson_read(const char *path, mt_error *error);
/* Puts the reader's language in the place of all texts that there is a translation of, and returns
 * the lesson, or NULL for NULL. What is written and measured stays what it was. To be called before
 * anybody else knows the lesson. On any thread. */
RegardLesson *regard_lesson_translate(RegardLesson *lesson);
RegardLesson *regard_lesson_ref(RegardLesson *lesson);
void regard_lesson_unref(RegardLesson *lesson);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RegardLesson, regard_lesson_unref)

/* The lesson as a file, which reads back as the same, in its own language. Caller frees. */
char *regard_lesson_write(const RegardLesson *lesson);
/* A text of it with the values of its names in place of {names}; values [n] by number. Caller
 * frees. */
char *regard_lesson_fill(const RegardLesson *lesson, const char *text, const RegardValue *values,
                         guint n);

/* Whether it can be the name of a model as a list of models has it: never a path. */
gboolean regard_lesson_is_model_name(const char *text);
/* The directive of a step that names a state of a talk. Borrowed; NULL: there is none. */
const RegardDirective *regard_lesson_find_state(const RegardLessonStep *step);
/* "predict", …; "" of a step without a question. */
const char *regard_lesson_question_name(RegardQuestion question);

/* What has to be translated, in the order of the file: titles, paragraphs, notes, options and their
 * answers. line: where the step or the file begins that it is of. */
typedef void (*RegardLessonStringFunc)(const char *text, guint line, gpointer user);
void regard_lesson_foreach_string(const RegardLesson *lesson, RegardLessonStringFunc func,
                                  gpointer user);

G_END_DECLS
