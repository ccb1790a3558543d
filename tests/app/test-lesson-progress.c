/* test-lesson-progress.c — the shelf of lessons, what is known of somebody's way through them, and
 * the answers that are handed in: what is kept, what is refused, and that nothing is lost.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-test.h"
#include "learn/regard-lesson-shelf.h"
#include "learn/regard-progress.h"
#include "suite.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#define BEGIN(id) "---\nregard-lesson: 1\nid: " id "\ntitle: A lesson\nminutes: 5\n---\n"
#define CHOOSE(title) \
  "\n## " title "\n\n- [ ] yes {a}\n- [ ] no {b}\n\n```regard\nask choose\nright b\n```\n"
#define NUMBER(title) \
  "\n## " title "\n\n```regard\nlet n = words\nask number\nanswer n within 0\n```\n"
#define FIND(title) "\n## " title "\n\n```regard\nask find\nfound if words > 3\n```\n"

static const char two[] = BEGIN("two") CHOOSE("First") NUMBER("Second");

static RegardLesson *
parse(const char *text)
{
  mt_error error = {0};
  RegardLesson *lesson = regard_lesson_parse("x", text, strlen(text), &error);
  g_assert_cmpstr(error.message, ==, "");
  return lesson;
}

static RegardAnswer *
say_letter(const RegardLesson *lesson, guint step, char letter)
{
  RegardAnswer *answer = regard_answer_new(lesson, step);
  answer->letter = letter;
  answer->verdict = REGARD_VERDICT_AS_MEASURED;
  return answer;
}

static RegardAnswer *
say_number(const RegardLesson *lesson, guint step, double number)
{
  RegardAnswer *answer = regard_answer_new(lesson, step);
  answer->number = number;
  regard_answer_set_text(&answer->text, "I have “two” dogs.\n");
  return answer;
}

/* ---- A folder of its own --------------------------------------------------------------------- */

static void
set_up(gpointer *folder, gconstpointer data)
{
  *folder = app_test_folder();
}

static void
tear_down(gpointer *folder, gconstpointer data)
{
  app_test_remove(*folder);
  g_free(*folder);
}

static char *
put(const char *folder, const char *name, const char *text)
{
  char *path = g_build_filename(folder, name, NULL);
  g_autoptr(GError) error = NULL;
  g_file_set_contents(path, text, -1, &error);
  g_assert_no_error(error);
  return path;
}

static char *
get(const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename(folder, name, NULL);
  char *text = NULL;
  g_file_get_contents(path, &text, NULL, NULL);
  return text;
}

static guint
count_files(const char *folder)
{
  guint n = 0;
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  while (g_dir_read_name(dir))
    n++;
  return n;
}

/* ---- The shelf ------------------------------------------------------------------------------- */

static void
test_shelf(gpointer *fixture, gconstpointer data)
{
  const char *folder = *fixture;
  g_free(put(folder, "02-b.lesson.md", BEGIN("b") CHOOSE("One")));
  g_free(put(folder, "02-b.zh_CN.lesson.md", BEGIN("b") CHOOSE("一")));
  g_free(put(folder, "01-a.lesson.md", BEGIN("a") CHOOSE("One")));
  g_free(put(folder, "01-a.zh_CN.lesson.md", "no lesson"));
  g_free(put(folder, "03-c.lesson.md", "no lesson"));
  g_free(put(folder, "04-d.v2.lesson.md", BEGIN("d") CHOOSE("One")));
  g_free(put(folder, "notes.md", "no lesson"));
  static const char *const chinese[] = {"zh_CN.UTF-8", "zh_CN", "zh", "C", NULL},
                           *const english[] = {"en_GB", "en", "zh_CN", "C", NULL};
  g_autoptr(GPtrArray) shelf = regard_lesson_shelf_read(folder, chinese);
  g_assert_cmpuint(shelf->len, ==, 4);
  const RegardShelfRow *a = shelf->pdata[0], *b = shelf->pdata[1], *c = shelf->pdata[2],
                       *d = shelf->pdata[3];
  /* A translation that is broken does not hide its lesson, and says what is wrong. */
  g_assert_cmpstr(a->name, ==, "01-a");
  g_assert_cmpstr(a->lesson->id, ==, "a");
  g_assert_true(g_str_has_suffix(a->path, "/01-a.lesson.md"));
  g_assert_nonnull(strstr(a->problem, "01-a.zh_CN.lesson.md, line 1"));
  g_assert_true(g_str_has_suffix(b->path, "/02-b.zh_CN.lesson.md"));
  g_assert_null(b->problem);
  g_assert_null(c->lesson);
  g_assert_nonnull(strstr(c->problem, "03-c.lesson.md, line 1: expected '---'"));
  g_assert_cmpstr(d->lesson->id, ==, "d");
  g_assert_true(regard_lesson_shelf_find(shelf, "b") == b);
  g_assert_null(regard_lesson_shelf_find(shelf, "c"));
  g_autoptr(GPtrArray) plain = regard_lesson_shelf_read(folder, english);
  g_assert_true(g_str_has_suffix(((RegardShelfRow *) plain->pdata[1])->path, "/02-b.lesson.md"));
  g_autoptr(GPtrArray) all = regard_lesson_shelf_read_all(folder);
  g_assert_cmpuint(all->len, ==, 6);
  g_autoptr(GPtrArray) none = regard_lesson_shelf_read("/nonexistent", chinese);
  g_assert_cmpuint(none->len, ==, 0);
}

/* The window's own: all that come with the program, in their order. */
static void
on_shelf(gpointer data, RegardRun *run)
{
  *(GPtrArray **) data = regard_run_finish(run, NULL);
}

static void
test_bundled(void)
{
  GPtrArray *shelf = NULL;
  regard_runner_start(&regard_lesson_shelf_task, NULL, NULL, on_shelf, &shelf);
  app_test_until(shelf);
  g_assert_cmpuint(shelf->len, ==, 15);
  g_assert_cmpstr(((RegardShelfRow *) shelf->pdata[0])->name, ==, "00-one-minute");
  for (guint i = 0; i < shelf->len; i++) {
    const RegardShelfRow *row = shelf->pdata[i];
    g_assert_null(row->problem);
    for (guint k = 0; row->lesson->after[k]; k++)
      g_assert_nonnull(regard_lesson_shelf_find(shelf, row->lesson->after[k]));
  }
  g_ptr_array_unref(shelf);
}

/* ---- Progress -------------------------------------------------------------------------------- */

static RegardProgress *
open_progress(const char *folder)
{
  g_autofree char *path = g_build_filename(folder, "lessons.json", NULL);
  RegardProgress *progress = regard_progress_new(path);
  app_test_until(regard_progress_is_loaded(progress));
  return progress;
}

static void
test_kept(gpointer *fixture, gconstpointer data)
{
  g_autoptr(RegardLesson) lesson = parse(two);
  g_autofree char *deep = g_build_filename(*fixture, "not", "there", NULL);
  g_autoptr(RegardProgress) first = open_progress(deep);
  const RegardValue values[] = {{.number = 4}};
  g_assert_null(regard_progress_get(first, "two"));
  regard_progress_note_step(first, lesson, 1, values, 1);
  regard_progress_note_answer(first, lesson, say_letter(lesson, 0, 'b'));
  regard_progress_note_answer(first, lesson, say_number(lesson, 1, 4));
  regard_progress_note_answer(first, lesson, say_number(lesson, 1, 5));
  g_assert_false(regard_progress_is_done(first, "two"));
  regard_progress_note_done(first, lesson);
  g_assert_true(regard_progress_flush(first, NULL));
  g_assert_null(regard_progress_get_message(first));

  g_autoptr(RegardProgress) second = open_progress(deep);
  const RegardLessonRecord *record = regard_progress_get(second, "two");
  g_assert_nonnull(record);
  g_assert_true(regard_progress_is_done(second, "two"));
  g_assert_cmpuint(regard_lesson_record_step(record, lesson), ==, 1);
  g_assert_cmpuint(record->answers->len, ==, 2);
  g_assert_cmpint(regard_lesson_record_find(record, lesson, 0)->letter, ==, 'b');
  const RegardAnswer *answer = regard_lesson_record_find(record, lesson, 1);
  g_assert_cmpfloat(answer->number, ==, 5);
  g_assert_true(isnan(answer->measured));
  g_assert_cmpstr(answer->text, ==, "I have “two” dogs.\n");
  RegardValue value = {0};
  regard_lesson_record_get_values(record, lesson, &value, 1);
  g_assert_cmpfloat(value.number, ==, 4);
  g_assert_null(regard_progress_begin(second, lesson));
  regard_progress_forget(second, "two");
  g_assert_null(regard_progress_get(second, "two"));
  g_assert_true(regard_progress_flush(second, NULL));
  g_autoptr(RegardProgress) third = open_progress(deep);
  g_assert_null(regard_progress_get(third, "two"));
  /* Neither a time nor a path is in it. */
  g_autofree char *text = get(deep, "lessons.json");
  g_assert_null(strstr(text, *fixture));
}

/* A lesson that was changed keeps what it still asks. */
static void
test_changed(gpointer *fixture, gconstpointer data)
{
  g_autoptr(RegardLesson) before =
      parse(BEGIN("two") CHOOSE("First") NUMBER("Second") CHOOSE("Third"));
  g_autoptr(RegardLesson) prose =
      parse(BEGIN("two") "\n## New\n\n```regard\nwait cell\n```\n" CHOOSE("First") FIND("Second")
                CHOOSE("Third"));
  g_autoptr(RegardProgress) progress = open_progress(*fixture);
  regard_progress_note_step(progress, before, 2, NULL, 0);
  regard_progress_note_answer(progress, before, say_letter(before, 0, 'b'));
  regard_progress_note_answer(progress, before, say_number(before, 1, 3));
  regard_progress_note_answer(progress, before, say_letter(before, 2, 'a'));
  g_autofree char *said = regard_progress_begin(progress, prose);
  g_assert_cmpstr(said, ==,
                  "This lesson was changed since you began it: 1 of your answers is to a question "
                  "that it does not ask any more.");
  g_assert_null(regard_progress_begin(progress, prose));
  const RegardLessonRecord *record = regard_progress_get(progress, "two");
  g_assert_cmpuint(regard_lesson_record_step(record, prose), ==, 3);
  g_assert_cmpuint(record->answers->len, ==, 2);
  g_assert_cmpint(regard_lesson_record_find(record, prose, 1)->letter, ==, 'b');
  g_assert_null(regard_lesson_record_find(record, prose, 2));
  g_assert_cmpint(regard_lesson_record_find(record, prose, 3)->letter, ==, 'a');
  /* An option that is gone cannot have been chosen. */
  g_autoptr(RegardLesson) fewer = parse(BEGIN(
      "two") "\n## First\n\n- [ ] yes {a}\n- [ ] no {c}\n\n```regard\nask choose\nright a\n```\n");
  g_assert_null(regard_lesson_record_find(record, fewer, 0));
}

/* Two that were opened before either wrote. */
static void
test_two(gpointer *fixture, gconstpointer data)
{
  g_autoptr(RegardLesson) lesson = parse(two);
  g_autoptr(RegardLesson) other = parse(BEGIN("other") CHOOSE("First"));
  g_autoptr(RegardProgress) a = open_progress(*fixture), b = open_progress(*fixture);
  regard_progress_note_answer(a, lesson, say_letter(lesson, 0, 'a'));
  regard_progress_note_answer(b, lesson, say_number(lesson, 1, 7));
  regard_progress_note_done(b, other);
  g_assert_true(regard_progress_flush(a, NULL));
  g_assert_true(regard_progress_flush(b, NULL));
  regard_progress_note_step(a, lesson, 1, NULL, 0);
  g_assert_true(regard_progress_flush(a, NULL));
  g_autoptr(RegardProgress) both = open_progress(*fixture);
  const RegardLessonRecord *record = regard_progress_get(both, "two");
  g_assert_cmpint(regard_lesson_record_find(record, lesson, 0)->letter, ==, 'a');
  g_assert_cmpfloat(regard_lesson_record_find(record, lesson, 1)->number, ==, 7);
  g_assert_true(regard_progress_is_done(both, "other"));
  /* And it is here, too, without being opened again. */
  g_assert_true(regard_progress_is_done(a, "other"));
  /* In the order in which they were touched. */
  const GPtrArray *all = regard_progress_get_all(both);
  g_assert_cmpuint(all->len, ==, 2);
  g_assert_cmpstr(((RegardLessonRecord *) all->pdata[1])->id, ==, "two");
}

/* What is written in tasks, from several at once. */
static void
test_many(gpointer *fixture, gconstpointer data)
{
  RegardProgress *several[4];
  for (guint i = 0; i < G_N_ELEMENTS(several); i++)
    several[i] = open_progress(*fixture);
  for (guint n = 0; n < 10; n++)
    for (guint i = 0; i < G_N_ELEMENTS(several); i++) {
      g_autofree char *text = g_strdup_printf(BEGIN("of-%u-%u") CHOOSE("First"), i, n);
      g_autoptr(RegardLesson) lesson = parse(text);
      regard_progress_note_done(several[i], lesson);
      g_main_context_iteration(NULL, FALSE);
    }
  for (guint i = 0; i < G_N_ELEMENTS(several); i++)
    g_assert_true(regard_progress_flush(several[i], NULL));
  g_autoptr(RegardProgress) all = open_progress(*fixture);
  g_assert_cmpuint(regard_progress_get_all(all)->len, ==, 40);
  for (guint i = 0; i < G_N_ELEMENTS(several); i++)
    g_object_unref(several[i]);
}

/* ---- Files that are no good ------------------------------------------------------------------ */

static const struct {
  const char *text;
  gboolean is_newer;
} unknown[] = {
    {"", FALSE},
    {"{", FALSE},
    {"[]", FALSE},
    {"{\"format\": \"regard-lessons\", \"version\": 1}", FALSE},
    {"{\"format\": \"regard-answers\", \"version\": 1, \"lessons\": []}", FALSE},
    {"{\"format\": \"regard-lessons\", \"version\": 1, \"lessons\": [], \"lessons\": []}", FALSE},
    {"{\"format\": \"regard-lessons\", \"version\": 2, \"lessons\": 3}", TRUE},
    {"\xff\xfe", FALSE},
};

static void
test_set_aside(gpointer *fixture, gconstpointer data)
{
  g_autoptr(RegardLesson) lesson = parse(two);
  for (guint i = 0; i < G_N_ELEMENTS(unknown); i++) {
    g_autofree char *path = put(*fixture, "lessons.json", unknown[i].text);
    g_autoptr(RegardProgress) progress = open_progress(*fixture);
    g_autofree char *kept = g_strdup_printf("lessons-%u.json", i + 1), *held = get(*fixture, kept);
    g_assert_cmpstr(held, ==, unknown[i].text);
    g_assert_nonnull(strstr(regard_progress_get_message(progress), kept));
    g_assert_true((strstr(regard_progress_get_message(progress), "later Regard") != NULL) ==
                  unknown[i].is_newer);
    regard_progress_clear_message(progress);
    regard_progress_note_done(progress, lesson);
    g_assert_true(regard_progress_flush(progress, NULL));
    g_autoptr(RegardProgress) again = open_progress(*fixture);
    g_assert_true(regard_progress_is_done(again, "two"));
    g_assert_null(regard_progress_get_message(again));
  }
  g_autofree char *big = g_malloc0(REGARD_ANSWERS_MOST_BYTES + 2);
  memset(big, ' ', REGARD_ANSWERS_MOST_BYTES + 1);
  g_autofree char *path = put(*fixture, "lessons.json", big);
  g_autoptr(RegardProgress) progress = open_progress(*fixture);
  g_assert_nonnull(regard_progress_get_message(progress));
  /* All of them, the lock, and no other. */
  g_assert_cmpuint(count_files(*fixture), ==, G_N_ELEMENTS(unknown) + 2);
}

/* A disk that takes nothing leaves what was there, and the next note writes what could not be. */
static void
test_full(gpointer *fixture, gconstpointer data)
{
  g_autoptr(RegardLesson) lesson = parse(two);
  g_autoptr(GError) error = NULL;
  g_autoptr(RegardProgress) progress = open_progress(*fixture);
  regard_progress_note_answer(progress, lesson, say_letter(lesson, 0, 'a'));
  g_assert_true(regard_progress_flush(progress, NULL));
  g_autofree char *before = get(*fixture, "lessons.json");
  /* Files of this process have room for 100 bytes. */
  struct rlimit room, little;
  g_assert_cmpint(getrlimit(RLIMIT_FSIZE, &room), ==, 0);
  signal(SIGXFSZ, SIG_IGN);
  little = (struct rlimit){.rlim_cur = 100, .rlim_max = room.rlim_max};
  g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &little), ==, 0);
  regard_progress_note_answer(progress, lesson, say_number(lesson, 1, 2));
  const gboolean is_written = regard_progress_flush(progress, &error);
  g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &room), ==, 0);
  g_assert_false(is_written);
  g_assert_nonnull(strstr(error->message, "lessons.json"));
  g_autofree char *between = get(*fixture, "lessons.json");
  g_assert_cmpstr(between, ==, before);
  g_assert_cmpuint(count_files(*fixture), ==, 2); /* it, and the lock */
  regard_progress_note_done(progress, lesson);
  g_assert_true(regard_progress_flush(progress, NULL));
  g_autoptr(RegardProgress) again = open_progress(*fixture);
  g_assert_cmpuint(regard_progress_get(again, "two")->answers->len, ==, 2);
}

/* The lessons that were not touched for longest go first. */
static void
test_limits(gpointer *fixture, gconstpointer data)
{
  g_autoptr(RegardProgress) progress = open_progress(*fixture);
  for (guint i = 0; i < REGARD_ANSWERS_MOST_LESSONS + 2; i++) {
    g_autofree char *text = g_strdup_printf(BEGIN("of-%u") CHOOSE("First"), i);
    g_autoptr(RegardLesson) lesson = parse(text);
    regard_progress_note_done(progress, lesson);
  }
  g_assert_true(regard_progress_flush(progress, NULL));
  g_assert_nonnull(strstr(regard_progress_get_message(progress), "2 lessons"));
  g_assert_cmpuint(regard_progress_get_all(progress)->len, ==, REGARD_ANSWERS_MOST_LESSONS);
  g_assert_false(regard_progress_is_done(progress, "of-1"));
  g_assert_true(regard_progress_is_done(progress, "of-2"));
  /* A text that is too long for the file is left out, not cut. */
  g_autofree char *endless = g_strnfill(REGARD_ANSWERS_MOST_TEXT + 1, 'x');
  g_autofree char *text = g_strdup("before");
  regard_answer_set_text(&text, endless);
  g_assert_null(text);
}

/* ---- Answers that are handed in -------------------------------------------------------------- */

static RegardAnswers *
make_answers(const RegardLesson *lesson)
{
  g_autoptr(GPtrArray) records =
      g_ptr_array_new_with_free_func((GDestroyNotify) regard_lesson_record_free);
  RegardLessonRecord *record = regard_lesson_record_new(lesson);
  RegardAnswer *answer = say_number(lesson, 1, -0.25);
  const RegardValue value = {.number = 4};
  g_ptr_array_add(records, record);
  regard_lesson_record_set_values(record, lesson, &value, 1);
  answer->has_cell = TRUE;
  answer->kind = MT_CROSS;
  answer->layer = 3;
  answer->row = 2;
  answer->checkpoint = 300;
  regard_answer_set_text(&answer->changes, "cross 4.1 zero\n");
  regard_lesson_record_take(record, answer);
  regard_lesson_record_take(record, say_letter(lesson, 0, 'a'));
  return regard_answers_new(NULL, records);
}

static void
test_written(gpointer *fixture, gconstpointer data)
{
  g_autoptr(RegardLesson) lesson = parse(two);
  g_autoptr(RegardAnswers) answers = make_answers(lesson);
  g_autoptr(GError) error = NULL;
  g_autofree char *path = g_build_filename(*fixture, "a" REGARD_ANSWERS_SUFFIX, NULL);
  g_assert_true(regard_answers_write(answers, path, &error));
  g_autoptr(RegardAnswers) again = regard_answers_read(path, &error);
  g_assert_no_error(error);
  g_autofree char *once = regard_answers_to_json(answers), *twice = regard_answers_to_json(again);
  g_assert_cmpstr(once, ==, twice);
  const RegardLessonRecord *record = again->records->pdata[0];
  const RegardAnswer *answer = regard_lesson_record_find(record, lesson, 1);
  g_assert_cmpfloat(answer->number, ==, -0.25);
  g_assert_cmpint(answer->kind, ==, MT_CROSS);
  g_assert_cmpuint(answer->layer, ==, 3);
  g_assert_cmpuint(answer->row, ==, 2);
  g_assert_cmpint(answer->checkpoint, ==, 300);
  g_assert_cmpstr(answer->changes, ==, "cross 4.1 zero\n");
  g_assert_nonnull(strstr(once, "\"head\": \"cross 4.1\""));
  g_assert_false(regard_answers_write(answers, "/nonexistent/a", &error));
  g_assert_nonnull(strstr(error->message, "/nonexistent/a"));
}

/* As the window saves them: with the model's files. */
typedef struct {
  gboolean is_over;
  GError *error;
} Saved;

static void
on_saved(gpointer data, RegardRun *run)
{
  Saved *saved = data;
  regard_run_finish(run, &saved->error);
  saved->is_over = TRUE;
}

static void
test_saved(gpointer *fixture, gconstpointer data)
{
  g_autoptr(RegardLesson) lesson = parse(two);
  g_autoptr(RegardAnswers) answers = make_answers(lesson);
  g_autoptr(mt_model) model = app_test_open(app_test_model_dir());
  g_autofree char *path = g_build_filename(*fixture, "a.regard-answers", NULL);
  static const char *const folders[] = {NULL, "/nonexistent/a"};
  for (guint i = 0; i < G_N_ELEMENTS(folders); i++) {
    Saved saved = {0};
    const RegardAnswersSaving saving = {
        .path = g_strdup(folders[i] ? folders[i] : path),
        .records = g_ptr_array_ref(answers->records),
        .model = mt_model_ref(model),
    };
    regard_runner_start(&regard_answers_saving_task, NULL, &saving, on_saved, &saved);
    app_test_until(saved.is_over);
    g_assert_cmpint(saved.error != NULL, ==, i == 1);
    g_clear_error(&saved.error);
  }
  g_autoptr(RegardAnswers) read = regard_answers_read(path, NULL);
  g_assert_true(regard_model_identity_fits(read->model, app_test_model_dir()));
}

/* One place of a good file is another text; what is said names the key. */
static const struct {
  const char *from, *to, *said;
} hostile[] = {
    {"\"regard-answers\"", "\"regard-lessons\"", "“format”"},
    {"\"version\": 1", "\"version\": 0", "“version”"},
    {"\"version\": 1", "\"version\": 9", "expected version 1"},
    {"\"version\": 1", "\"version\": 1, \"version\": 1", "each key once"},
    {"\"model\": null", "\"model\": {}", "“model”"},
    {"\"model\": null", "\"model\": 3", "“model”"},
    {"\"lessons\": [", "\"lessons\": [3, ", "“lessons”"},
    {"\"id\": \"two\"", "\"id\": \"t\\u0000o\"", "“id”"},
    {"\"id\": \"two\"", "\"id\": \"t\\u001bo\"", "“id”"},
    {"\"id\": \"two\"", "\"id\": null", "“id”"},
    {"\"step\": 1,", "\"step\": 0,", "“step”"},
    {"\"step\": 2", "\"step\": 61", "“step”"},
    {"\"step\": 2", "\"step\": 1e300", "“step”"},
    {"\"title\": \"Second\"", "\"title\": [\"Second\"]", "“title”"},
    {"\"question\": \"number\"", "\"question\": \"\"", "“question”"},
    {"\"letter\": \"a\"", "\"letter\": \"z\"", "“letter”"},
    {"\"letter\": \"a\"", "\"letter\": \"ab\"", "“letter”"},
    {"\"number\": -0.25", "\"number\": \"1\"", "“number”"},
    {"\"number\": -0.25", "\"number\": 1e999", "“number”"},
    {"\"number\": -0.25,", "", "“number”"},
    {"\"changes\": \"cross 4.1 zero\\n\"", "\"changes\": null", "“changes”"},
    {"\"checkpoint\": 300", "\"checkpoint\": -2", "“checkpoint”"},
    {"\"head\": \"cross 4.1\"", "\"head\": \"cross 0.1\"", "“head”"},
    {"\"head\": \"cross 4.1\"", "\"head\": \"cross 4.1 /etc\"", "“head”"},
    {"\"row\": 3", "\"row\": 0", "“row”"},
    {"\"column\": 1", "\"column\": 4294967297", "“column”"},
    {"\"verdict\": \"as measured\"", "\"verdict\": \"right\"", "“verdict”"},
    {"\"right\": \"\"", "\"right\": \"aaaaaaaaa\"", "“right”"},
    {"\"measured\": null", "\"measured\": true", "“measured”"},
    {"\"done\": false", "\"done\": 0", "“done”"},
    {"\"values\": {", "\"others\": {", "“values”"},
    {"\"n\": 4", "\"n\": [4]", "“n”"},
    {"\"answers\": [", "\"answers\": [[], ", "“answers”"},
    {"\"answers\": [", "\"other\": [", "“answers”"},
    {"\"program\": \"", "\"program\": \"\\n", "“program”"},
};

static void
test_hostile(void)
{
  g_autoptr(RegardLesson) lesson = parse(two);
  g_autoptr(RegardAnswers) answers = make_answers(lesson);
  g_autofree char *good = regard_answers_to_json(answers);
  for (guint i = 0; i < G_N_ELEMENTS(hostile); i++) {
    g_autoptr(GString) bad = g_string_new(good);
    g_autoptr(GError) error = NULL;
    if (g_string_replace(bad, hostile[i].from, hostile[i].to, 1) != 1)
      g_error("not in the file: %s", hostile[i].from);
    g_autoptr(RegardAnswers) read = regard_answers_parse("x", bad->str, bad->len, &error);
    if (read || !g_str_has_prefix(error->message, "x: ") ||
        !strstr(error->message, hostile[i].said))
      g_error("%s: expected %s, found %s", hostile[i].to, hostile[i].said,
              error ? error->message : "nothing");
  }
  /* The same lesson twice, and more than there may be. */
  g_autoptr(GError) error = NULL;
  g_ptr_array_add(answers->records, regard_lesson_record_copy(answers->records->pdata[0]));
  g_autofree char *text = regard_answers_to_json(answers);
  g_assert_null(regard_answers_parse("x", text, strlen(text), &error));
  g_assert_nonnull(strstr(error->message, "each lesson once"));
}

/* ---- The list -------------------------------------------------------------------------------- */

static void
add(const char *path, void (*test)(gpointer *, gconstpointer))
{
  g_test_add(path, gpointer, NULL, set_up, test, tear_down);
}

TESTS()
{
  add("/lesson-progress/shelf", test_shelf);
  g_test_add_func("/lesson-progress/bundled", test_bundled);
  add("/lesson-progress/kept", test_kept);
  add("/lesson-progress/changed", test_changed);
  add("/lesson-progress/two", test_two);
  add("/lesson-progress/many", test_many);
  add("/lesson-progress/set-aside", test_set_aside);
  add("/lesson-progress/full", test_full);
  add("/lesson-progress/limits", test_limits);
  add("/lesson-progress/written", test_written);
  add("/lesson-progress/saved", test_saved);
  g_test_add_func("/lesson-progress/hostile", test_hostile);
}
