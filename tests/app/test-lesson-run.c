/* test-lesson-run.c — lessons as somebody goes through them, on a stage without a window.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/regard-paths.h"
#include "document-test.h"
#include "learn/regard-lesson-run.h"
#include "suite.h"
#include "window-test.h"

#include <math.h>
#include <string.h>

/* ---- A stage --------------------------------------------------------------------------------- */

/* It has a page, and goes where it is told. */
#define TEST_TYPE_STAGE (test_stage_get_type())
G_DECLARE_FINAL_TYPE(TestStage, test_stage, TEST, STAGE, GtkWidget)
struct _TestStage {
  GtkWidget parent_instance;
  RegardDocument *document;
  char *page;
};

static RegardDocument *
stage_get_document(RegardStage *stage)
{
  return TEST_STAGE(stage)->document;
}

static gboolean
stage_show(RegardStage *stage, const RegardDirective *directive, GError **error)
{
  TestStage *self = TEST_STAGE(stage);
  if (directive->type == REGARD_DIRECTIVE_PAGE) {
    g_free(self->page);
    self->page = g_strdup(directive->text);
  } else if (directive->type == REGARD_DIRECTIVE_HEAD)
    regard_document_set_place(self->document,
                              (RegardHeadRef){directive->kind, directive->layer, directive->head});
  else if (directive->type == REGARD_DIRECTIVE_REFERENCE)
    regard_document_keep_reference(self->document);
  return TRUE;
}

static char *
stage_dup_page(RegardStage *stage)
{
  return g_strdup(TEST_STAGE(stage)->page);
}

static void
stage_init(RegardStageInterface *interface)
{
  interface->get_document = stage_get_document;
  interface->show = stage_show;
  interface->dup_page = stage_dup_page;
}

G_DEFINE_FINAL_TYPE_WITH_CODE(TestStage, test_stage, GTK_TYPE_WIDGET,
                              G_IMPLEMENT_INTERFACE(REGARD_TYPE_STAGE, stage_init))

static void
test_stage_finalize(GObject *object)
{
  g_free(TEST_STAGE(object)->page);
  G_OBJECT_CLASS(test_stage_parent_class)->finalize(object);
}

static void
test_stage_class_init(TestStageClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = test_stage_finalize;
}

static void
test_stage_init(TestStage *self)
{
  self->page = g_strdup("attention");
}

/* ---- What the tests share -------------------------------------------------------------------- */

typedef struct {
  DocumentTest of;
  RegardDocument *document;
  TestStage *stage;
  RegardLessonRun *run;
  const RegardLessonRunState *state;
  GString *told; /* names of its signals but "changed" */
} Test;

static void
on_point(RegardLessonRun *run, const RegardDirective *point, Test *t)
{
  g_string_append(t->told, point ? "point " : "nothing ");
}

static void
on_answered(RegardLessonRun *run, Test *t)
{
  g_string_append(t->told, "answered ");
}

static void
on_finished(RegardLessonRun *run, Test *t)
{
  g_string_append(t->told, "finished ");
}

static void
set_up(Test *t, gconstpointer data)
{
  document_test_set_up(&t->of, NULL);
  t->document = t->of.document;
  t->stage = g_object_ref_sink(g_object_new(TEST_TYPE_STAGE, NULL));
  t->stage->document = t->document;
  t->run = regard_lesson_run_new(REGARD_STAGE(t->stage));
  t->state = regard_lesson_run_get_state(t->run);
  t->told = g_string_new(NULL);
  g_signal_connect(t->run, "point", G_CALLBACK(on_point), t);
  g_signal_connect(t->run, "answered", G_CALLBACK(on_answered), t);
  g_signal_connect(t->run, "finished", G_CALLBACK(on_finished), t);
}

static void
tear_down(Test *t, gconstpointer data)
{
  regard_lesson_run_close(t->run);
  document_test_settle(&t->of);
  g_object_add_weak_pointer(G_OBJECT(t->run), (gpointer *) &t->run);
  g_object_unref(t->run);
  g_assert_null(t->run);
  g_object_unref(t->stage);
  g_string_free(t->told, TRUE);
  document_test_tear_down(&t->of, NULL);
}

#define RUN_TEST(path, run) g_test_add(path, Test, NULL, set_up, run, tear_down)

static void
begin(Test *t, const char *keys, const char *steps)
{
  g_autofree char *text =
      g_strdup_printf("---\nregard-lesson: 1\nid: tried\ntitle: Tried\n%s---\n\n%s", keys, steps);
  mt_error error = {0};
  g_autoptr(RegardLesson) lesson = regard_lesson_parse("tried", text, strlen(text), &error);
  if (!lesson)
    g_error("%s", error.message);
  regard_lesson_run_start(t->run, lesson);
}

static void
wait_until_set_up(Test *t)
{
  app_test_until(t->state->phase != REGARD_LESSON_SETTING_UP);
}

static void
wait_until_done(Test *t)
{
  app_test_until(t->state->phase == REGARD_LESSON_DONE);
}

static void
go(Test *t, guint step)
{
  regard_lesson_run_go(t->run, step);
  wait_until_set_up(t);
}

static void
answer(Test *t, const char *number)
{
  regard_lesson_run_answer(t->run, number);
  app_test_until(t->state->phase != REGARD_LESSON_MEASURING);
}

static void
choose(Test *t, char letter)
{
  regard_lesson_run_choose(t->run, letter);
  app_test_until(t->state->phase != REGARD_LESSON_MEASURING);
}

static void
assert_says(Test *t, const char *expected)
{
  g_autofree char *said = regard_lesson_run_say_verdict(t->run);
  g_assert_cmpstr(said, ==, expected);
}

static const char *
changes(Test *t)
{
  const mt_interventions *changes = regard_document_get_search(t->document)->interventions;
  return changes ? mt_interventions_text(changes) : "";
}

/* Pieces of a text, with its end. */
static double
count(Test *t, const char *text)
{
  mt_error error = {0};
  g_autoptr(mt_tokens) tokens =
      mt_model_tokenize(regard_document_get_model(t->document), MT_STACK_ENCODER, text, &error);
  g_assert_nonnull(tokens);
  return (double) mt_tokens_count(tokens);
}

static double
value(Test *t, guint i)
{
  g_assert_null(t->state->values[i].text);
  return t->state->values[i].number;
}

#define OWN          "I have two dogs."
#define GIVEN        "text: I love my dog.\n"
#define FENCE(lines) "```regard\n" lines "```\n\n"
/* All marks of the prose, and a name in it. */
#define OPTIONS \
  "- [ ] *Less* {a}\n      It is {n}.\n- [ ] `More` than <b>9</b> {b}\n      So it is.\n\n"

/* ---- Setting up ------------------------------------------------------------------------------ */

/* Text, changes, page and head of a step are there when it waits for somebody, its names are
 * measured, and all of it is one step of undo. */
static void
test_set_up(Test *t, gconstpointer data)
{
  document_test_set_text(&t->of, OWN);
  begin(t, GIVEN,
        "## One\n\n" FENCE("changes none\nlet n = tokens\nlet said = translation\n"
                           "change cross 4.1 zero\nlet m = tokens of own\npage steps\n"
                           "head encoder 4.6\npoint matrix\nwait cell\n"));
  g_assert_cmpint(t->state->phase, ==, REGARD_LESSON_SETTING_UP);
  g_assert_true(regard_document_is_aside(t->document));
  g_assert_cmpstr(regard_document_get_own_text(t->document), ==, OWN);
  wait_until_set_up(t);
  g_assert_cmpint(t->state->phase, ==, REGARD_LESSON_DOING);
  g_assert_null(t->state->problem);
  g_assert_cmpstr(regard_document_get_text(t->document), ==, "I love my dog.");
  g_assert_cmpstr(changes(t), ==, "cross 4.1 zero");
  g_assert_cmpstr(t->stage->page, ==, "steps");
  g_assert_cmpint(regard_document_get_place(t->document)->kind, ==, MT_ENCODER_SELF);
  g_assert_cmpuint(regard_document_get_place(t->document)->head, ==, 5);
  g_assert_cmpfloat(value(t, 0), ==, count(t, "I love my dog."));
  g_assert_nonnull(strstr(t->state->values[1].text, "Hund"));
  g_assert_cmpfloat(value(t, 2), ==, count(t, OWN));
  g_assert_cmpstr(t->told->str, ==, "nothing point ");

  g_assert_true(regard_document_can_undo(t->document));
  regard_document_undo(t->document);
  g_assert_false(regard_document_can_undo(t->document));
  g_assert_cmpstr(regard_document_get_text(t->document), ==, OWN);
  g_assert_cmpstr(changes(t), ==, "");
}

/* What the model does not have is said, and the lesson goes on. */
static void
test_lacking(Test *t, gconstpointer data)
{
  begin(t, GIVEN, "## One\n\n" FENCE("change cross 9.1 zero\n") "## Two\n\nNothing.\n");
  wait_until_done(t);
  g_assert_nonnull(strstr(t->state->problem, "9"));
  go(t, 1);
  wait_until_done(t);
  g_assert_null(t->state->problem);
}

/* Another model, and back to the one before; what is measured is of the one that the step names. */
static void
test_models(Test *t, gconstpointer data)
{
  document_test_set_text(&t->of, OWN);
  begin(t, "",
        "## One\n\n" FENCE("model by-hand\ntext cat\nlet wide = width\n") "## Two\n\n" FENCE(
            "model any\nown\nhead cross 4.6\nlet other = width\n"));
  wait_until_done(t);
  g_assert_nonnull(strstr(regard_document_get_model_dir(t->document), "by-hand"));
  const double width = value(t, 0);
  go(t, 1);
  wait_until_done(t);
  g_assert_cmpstr(regard_document_get_model_dir(t->document), ==, "");
  g_assert_cmpstr(regard_document_get_text(t->document), ==, OWN);
  g_assert_cmpfloat(value(t, 1), ==,
                    (double) mt_model_config(regard_document_get_model(t->document))->d_model);
  g_assert_cmpfloat(width, <, value(t, 1));
  /* A head of the model that came, not the nearest of the one before it. */
  g_assert_cmpuint(regard_selection_get_layer(regard_document_get_selection(t->document)), ==, 3);
  g_assert_cmpuint(regard_selection_get_head(regard_document_get_selection(t->document)), ==, 5);
}

/* What would tell the answer is shown when the question has come out, and what is asked of another
 * model is measured in it, while this one stays. */
static void
test_after(Test *t, gconstpointer data)
{
  document_test_set_text(&t->of, OWN);
  begin(t, "",
        "## One\n\nHow?\n\n" OPTIONS FENCE(
            "page attention\nmodel by-hand\nlet n = width\nmodel any\nask predict\n"
            "right a if n = 4\nthen page steps\nthen point matrix\n"));
  wait_until_set_up(t);
  g_assert_cmpfloat(value(t, 0), ==, 4);
  g_assert_cmpstr(regard_document_get_model_dir(t->document), ==, "");
  g_assert_cmpstr(t->stage->page, ==, "attention");
  g_assert_cmpstr(t->told->str, ==, "nothing nothing ");
  document_test_set_text(&t->of, "We have two dogs and a cat.");
  app_test_run_for(600);
  g_assert_cmpfloat(value(t, 0), ==, 4);
  choose(t, 'b');
  g_assert_cmpstr(t->stage->page, ==, "steps");
  g_assert_cmpstr(t->told->str, ==, "nothing nothing point answered finished ");
  g_assert_false(t->state->is_away);
  wait_until_done(t);
}

/* ---- Questions ------------------------------------------------------------------------------- */

/* A prediction is neither right nor wrong. */
static void
test_predict(Test *t, gconstpointer data)
{
  begin(t, GIVEN,
        "## One\n\nHow?\n\n" OPTIONS FENCE("let n = tokens\nask predict\nright b if n > 9\n"
                                           "right a\n"));
  regard_lesson_run_choose(t->run, 'b'); /* before it is set up: it is measured then */
  wait_until_done(t);
  g_assert_cmpint(t->state->verdict, ==, REGARD_SAID_MEASURED);
  assert_says(t, "You said: More than <b>9</b>\nMeasured: Less");
  g_assert_cmpint(t->state->measured, ==, 'a');
  g_assert_nonnull(strstr(t->told->str, "answered finished "));

  /* Another sentence: it is measured again. */
  document_test_set_text(&t->of, "We have two small dogs and one old cat in this house.");
  app_test_until(t->state->measured == 'b');
  g_assert_cmpfloat(value(t, 0), >, 9);
  assert_says(t, "You said: More than <b>9</b>\nMeasured: More than <b>9</b>\n"
                 "Measured in: We have two small dogs and one old cat in this house.");
}

/* What was said of another text or other changes does not stay: it is measured again, and who was
 * wrong about them is asked again. */
static void
test_stale(Test *t, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  begin(t, GIVEN, "## One\n\nHow many?\n\n" FENCE("ask number\nanswer tokens within 0\n"));
  wait_until_set_up(t);
  answer(t, "1");
  assert_says(t, "Too small. Try again.");
  document_test_set_text(&t->of, "We see it.");
  app_test_until(t->state->verdict == REGARD_SAID_NONE);
  g_assert_cmpuint(t->state->n_wrong, ==, 0);
  g_autofree char *n = g_strdup_printf("%.0f", count(t, "We see it."));
  answer(t, n);
  g_autofree char *right = g_strdup_printf("Right: %s.\nMeasured in: We see it.", n);
  assert_says(t, right);
  wait_until_done(t);
  regard_document_set_text(t->document, "We see two small dogs.");
  assert_says(t, "That was of something else. It is measured again.");
  app_test_until(t->state->verdict == REGARD_SAID_NONE); /* the number is another one */
  g_assert_true(t->state->done[0]);
  document_test_set_text(&t->of, "We see it.");
  answer(t, n);
  assert_says(t, right);
  g_assert_true(regard_document_set_interventions_text(t->document, "cross 1.1 zero", &error));
  g_assert_true(t->state->is_stale);
  app_test_until(!t->state->is_stale);
  assert_says(t, right);
}

/* A wrong choice is made again; the second time its place is shown. */
static void
test_choose(Test *t, gconstpointer data)
{
  begin(t, GIVEN,
        "## One\n\nWhich?\n\n" OPTIONS FENCE("let n = tokens\npoint translation\nask choose\n"
                                             "right b if n < 9\n"));
  wait_until_set_up(t);
  g_assert_cmpint(t->state->phase, ==, REGARD_LESSON_ASKED);
  choose(t, 'a');
  assert_says(t, "That is not so. Choose again.");
  g_assert_cmpint(t->state->phase, ==, REGARD_LESSON_ANSWERED);
  g_assert_cmpstr(t->told->str, ==, "nothing point answered ");
  choose(t, 'a');
  g_assert_cmpstr(t->told->str, ==, "nothing point answered point answered ");
  g_assert_false(t->state->done[0]);
  choose(t, 'b');
  assert_says(t, "Right.");
  wait_until_done(t);
  regard_lesson_run_choose(t->run, 'z'); /* there is no such option */
  g_assert_cmpint(t->state->chosen, ==, 'b');
}

/* Inside the margin it is not clear, which counts as done, and is measured again in another
 * sentence. */
static void
test_unclear(Test *t, gconstpointer data)
{
  begin(t, GIVEN,
        "## One\n\nWhich?\n\n" OPTIONS FENCE("let n = tokens\nask choose\nunclear if n < 8\n"
                                             "right b if n > 9\n"));
  wait_until_set_up(t);
  choose(t, 'b');
  g_assert_cmpint(t->state->verdict, ==, REGARD_SAID_UNCLEAR);
  wait_until_done(t);
  document_test_set_text(&t->of, "We have two small dogs and one old cat in this house.");
  app_test_until(t->state->verdict == REGARD_SAID_RIGHT);
  g_assert_true(t->state->done[0]);
}

/* With a comma or a point; the wrong number hears on which side of it it is. */
static void
test_number(Test *t, gconstpointer data)
{
  begin(t, GIVEN,
        "## One\n\nHow much?\n\n" FENCE("point row 2\nask number\n"
                                        "answer row-sum(encoder 4.6, 2) within 0.01\n"));
  wait_until_set_up(t);
  answer(t, "many");
  assert_says(t, "Write a number, such as 12 or 0.35.");
  answer(t, "1,5");
  assert_says(t, "Too large. Try again.");
  answer(t, "0.5");
  assert_says(t, "Too small. Look where the orange frame is.");
  g_assert_cmpstr(t->told->str, ==, "nothing point answered point answered ");
  answer(t, "0,995");
  assert_says(t, "Right: 1.");
  wait_until_done(t);
}

static void
test_numbers(void)
{
  static const struct {
    const char *text;
    double measured, number;
  } cases[] = {
      {"12", 0, 12},
      {" 0,35 ", 0.35, 0.35},
      {"0.35", 0.35, 0.35},
      {"−3,5", 0, -3.5},
      {"-0.5", 0, -0.5},
      {"24,001", 24001, 24001},
      {"24.001", 24001, 24001},
      {"24,001", 24, 24.001},
      {"24 001", 24001, 24001},
      {"1,234,567", 0, 1234567},
      {"1e3", 0, 1000},
      {"0,125", 125, 0.125},
  };
  static const char *const none[] = {"", "many", "1,2,3", "12 dogs", "0x10", "nan", "inf", "1,,2"};
  double number;
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_assert_true(regard_lesson_read_number(cases[i].text, cases[i].measured, &number));
    g_assert_cmpfloat(number, ==, cases[i].number);
  }
  for (guint i = 0; i < G_N_ELEMENTS(none); i++)
    g_assert_false(regard_lesson_read_number(none[i], 0, &number));
}

/* What is to be found is found when it is there, whether somebody says so or not. */
static void
test_find(Test *t, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  begin(t, GIVEN,
        "## One\n\n" FENCE("changes none\nask find\nfound if changes ~ \"zero\" and tokens < 9\n"));
  wait_until_set_up(t);
  regard_lesson_run_check(t->run);
  app_test_until(t->state->verdict == REGARD_SAID_NOT_FOUND);
  g_assert_false(t->state->done[0]);
  assert_says(t, "Not yet: nothing is changed. Wanted is a change with “zero”.\n"
                 "It is measured again when you change something.");
  g_assert_true(regard_document_set_interventions_text(t->document, "cross 1.1 uniform", &error));
  app_test_run_for(600);
  g_assert_cmpint(t->state->verdict, ==, REGARD_SAID_NOT_FOUND);
  assert_says(t, "Not yet: “cross 1.1 uniform”. Wanted is a change with “zero”.\n"
                 "It is measured again when you change something.");
  g_assert_true(regard_document_set_interventions_text(t->document, "cross 1.1 zero", &error));
  wait_until_done(t);
  g_autofree char *said = regard_lesson_run_say_verdict(t->run);
  g_assert_true(g_str_has_prefix(said, "Found: with “cross 1.1 zero” it is “"));

  /* It stays done, but is not said of what it does not hold for. */
  g_assert_true(regard_document_set_interventions_text(t->document, "", &error));
  app_test_until(t->state->verdict == REGARD_SAID_NONE);
  g_assert_true(t->state->done[0]);
}

/* What was there before counts only with what else is to be done. */
static void
test_find_anew(Test *t, gconstpointer data)
{
  begin(t, GIVEN, "## One\n\n" FENCE("wait text\nask find\nfound if tokens > 2\n"));
  wait_until_set_up(t);
  regard_lesson_run_check(t->run);
  app_test_until(t->state->verdict == REGARD_SAID_NOT_FOUND);
  assert_says(t, "That holds. Still to do: Change the text.\n"
                 "It is measured again when you change something.");
  g_assert_false(t->state->done[0]);
  document_test_set_text(&t->of, "We see it.");
  wait_until_done(t);
  g_assert_cmpint(t->state->verdict, ==, REGARD_SAID_FOUND);
  g_autofree char *said = regard_lesson_run_say_verdict(t->run);
  g_assert_true(g_str_has_suffix(said, "\nMeasured in: We see it."));
}

/* What was found, or by how much it is missed, in every kind of condition. */
static void
test_found(Test *t, gconstpointer data)
{
  static const struct {
    const char *condition, *said;
  } cases[] = {
      {"words > 4", "Not yet: 4. Wanted is more than 4 (words of the text)."},
      {"words >= 5", "Not yet: 4. Wanted is 5 or more (words of the text)."},
      {"words < 4", "Not yet: 4. Wanted is less than 4 (words of the text)."},
      {"words <= 3", "Not yet: 4. Wanted is 3 at most (words of the text)."},
      {"words = 3", "Not yet: 4. Wanted is 3 (words of the text)."},
      {"words != 2 + 2", "Not yet: 4. Wanted is anything but 4 (words of the text)."},
      {"1 > 2", "Not yet: 1. Wanted is more than 2 (what is measured)."},
      {"source = \"A cat.\"", "Not yet: “I love my dog.”. Wanted is “A cat.”."},
      {"source != source",
       "Not yet: it is “I love my dog.” both times, and wanted is a difference."},
      {"words = 4 and words > 4", "Not yet: 4. Wanted is more than 4 (words of the text)."},
      {"chosen-weight > 2", "Not yet: no cell is chosen. Click the one that you mean."},
      {"words = 4", "Found: 4 (words of the text)."},
      {"words < tokens and source ~ \"dog\"", "Found: 4 (words of the text)."},
      {"source ~ \"dog\"", "Found: “I love my dog.”."},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *step =
        g_strdup_printf("## One\n\n```regard\nask find\nfound if %s\n```\n", cases[i].condition);
    begin(t, GIVEN, step);
    wait_until_set_up(t);
    regard_lesson_run_check(t->run);
    app_test_until(t->state->verdict != REGARD_SAID_NONE);
    g_autofree char *said = regard_lesson_run_say_verdict(t->run);
    g_auto(GStrv) lines = g_strsplit(said, "\n", 2);
    g_assert_cmpstr(lines[0], ==, cases[i].said);
  }
}

/* Of a cell: its head, its row and its weight. */
static void
test_found_cell(Test *t, gconstpointer data)
{
  begin(t, GIVEN,
        "## One\n\n" FENCE("head cross 1.1\nask find\n"
                           "found if chosen-kind = \"cross\" and chosen-weight >= 0\n"));
  wait_until_set_up(t);
  regard_selection_set_pin(regard_document_get_selection(t->document), (RegardCell){1, 1});
  wait_until_done(t);
  g_autofree char *said = regard_lesson_run_say_verdict(t->run);
  const RegardMatrix *shown =
      regard_selection_get_matrix(regard_document_get_selection(t->document));
  g_autofree char *expected =
      g_strdup_printf("Found: cross 1.1, row “%s”, %.0f %%.",
                      regard_naming_token(
                          mt_tokens_get(mt_capture_output(regard_selection_get_capture(
                                            regard_document_get_selection(t->document))),
                                        1)),
                      100 * (double) regard_matrix_get(shown, 1, 1));
  g_assert_cmpstr(said, ==, expected);
}

/* ---- Waiting --------------------------------------------------------------------------------- */

/* Each event that is waited for, and none of them before it is. */
static void
test_waits(Test *t, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  RegardSelection *selection = regard_document_get_selection(t->document);
  begin(t, GIVEN,
        "## One\n\n" FENCE("head cross 5.5\nchanges none\nwait cell\nwait text\nwait head\n"
                           "wait switched cross 5.5\nwait change \"source position zero\"\n"
                           "wait page steps\nwait step\nwait words > 4\n"));
  wait_until_set_up(t);
  app_test_run_for(600);
  for (guint i = 0; i < 10; i++)
    g_assert_false(t->state->waits[i]);
  regard_selection_set_pin(selection, (RegardCell){1, 1});
  regard_document_edit(t->document, "I love my old dog.", 0);
  document_test_settle(&t->of);
  regard_document_set_place(t->document, (RegardHeadRef){MT_CROSS, 1, 1});
  g_assert_true(regard_document_set_interventions_text(t->document, "cross 5 zero\n", &error));
  app_test_until(t->state->waits[2] && t->state->waits[3] && t->state->waits[4] &&
                 t->state->waits[5] && t->state->waits[9]);
  g_assert_false(t->state->waits[6]);
  g_assert_true(regard_document_set_interventions_text(t->document,
                                                       "source position zero\ncross 1.1 zero\n",
                                                       &error));
  app_test_until(t->state->waits[6]);
  g_assert_false(t->state->waits[7]);
  g_free(t->stage->page);
  t->stage->page = g_strdup("steps/tree");
  regard_lesson_run_look(t->run);
  regard_selection_set_step(selection, 2);
  wait_until_done(t);
}

/* On pages that have steps and cells of their own. */
static void
test_noted(Test *t, gconstpointer data)
{
  begin(t, GIVEN, "## One\n\n" FENCE("wait step\nwait cell\n"));
  regard_lesson_run_note(t->run, REGARD_WAIT_STEP); /* nobody did that */
  wait_until_set_up(t);
  g_assert_false(t->state->waits[0]);
  regard_lesson_run_note(t->run, REGARD_WAIT_STEP);
  regard_lesson_run_note(t->run, REGARD_WAIT_CELL);
  wait_until_done(t);
}

/* ---- Going ----------------------------------------------------------------------------------- */

#define THREE                                                                                      \
  "## One\n\n" FENCE(                                                                              \
      "changes none\npage steps\nlet n = tokens\nchange cross 1.1 zero\n"                          \
      "wait switched cross 2.2\n") "## Two\n\n" FENCE("text We see it.\nlet m = tokens\nwait "     \
                                                      "text\n") "## Three\n\nHow many? "           \
                                                                "{n}\n\n" FENCE("ask "             \
                                                                                "number\nanswer "  \
                                                                                "n + m within "    \
                                                                                "0\n") "## "       \
                                                                                       "Four\n\nT" \
                                                                                       "hat was "  \
                                                                                       "it.\n"

/* Who skips finds what the steps would have left: text, changes and page, and what they measure. */
static void
test_skip(Test *t, gconstpointer data)
{
  begin(t, GIVEN, THREE);
  wait_until_set_up(t);
  regard_lesson_run_go_to_last(t->run);
  wait_until_set_up(t);
  g_assert_cmpuint(t->state->step, ==, 2);
  const double n = count(t, "I love my dog."), m = count(t, "We see it.");
  g_autofree char *sum = g_strdup_printf("%.0f", n + m);
  g_assert_cmpfloat(value(t, 0), ==, n);
  g_assert_cmpfloat(value(t, 1), ==, m);
  g_assert_cmpstr(regard_document_get_text(t->document), ==, "We see it.");
  g_assert_cmpstr(changes(t), ==, "cross 1.1 zero\ncross 2.2 zero");
  g_assert_cmpstr(t->stage->page, ==, "steps");
  answer(t, sum);
  wait_until_done(t);
  g_assert_null(strstr(t->told->str, "finished"));
  go(t, 3);
  wait_until_done(t);
  g_assert_nonnull(strstr(t->told->str, "finished"));
  go(t, 0); /* and back, as it was */
  g_assert_cmpstr(regard_document_get_text(t->document), ==, "I love my dog.");
  g_assert_cmpstr(changes(t), ==, "cross 1.1 zero");
  regard_lesson_run_go(t->run, 4); /* there is none */
  g_assert_cmpuint(t->state->step, ==, 0);
}

/* What somebody did in a step that is done stays in the next, which says nothing of it. */
static void
test_follow(Test *t, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  begin(t, GIVEN,
        "## One\n\n" FENCE("changes none\nwait text\n") "## Two\n\n" FENCE("let n = tokens\n"));
  wait_until_set_up(t);
  document_test_set_text(&t->of, OWN " So.");
  g_assert_true(regard_document_set_interventions_text(t->document, "cross 1.1 zero", &error));
  wait_until_done(t);
  go(t, 1);
  wait_until_done(t);
  g_assert_cmpstr(regard_document_get_text(t->document), ==, OWN " So.");
  g_assert_cmpstr(changes(t), ==, "cross 1.1 zero");
  /* of the sentence that is looked at */
  g_assert_cmpfloat(value(t, 0), ==, count(t, OWN));
}

/* Elsewhere nothing is locked, and there is a way back. */
static void
test_away(Test *t, gconstpointer data)
{
  begin(t, GIVEN, THREE);
  wait_until_set_up(t);
  g_assert_false(t->state->is_away);
  g_free(t->stage->page);
  t->stage->page = g_strdup("heads");
  regard_lesson_run_look(t->run);
  g_assert_true(t->state->is_away);
  document_test_set_text(&t->of, "Elsewhere.");
  regard_lesson_run_return(t->run);
  wait_until_set_up(t);
  g_assert_false(t->state->is_away);
  g_assert_cmpstr(t->stage->page, ==, "steps");
  g_assert_cmpstr(regard_document_get_text(t->document), ==, "I love my dog.");
  /* Another model is elsewhere, too. */
  g_autofree char *other = regard_lesson_model_path("by-hand", -1);
  regard_document_open_model(t->document, other);
  document_test_settle(&t->of);
  g_assert_true(t->state->is_away);
  regard_lesson_run_return(t->run);
  wait_until_set_up(t);
  g_assert_cmpstr(regard_document_get_model_dir(t->document), ==, "");
}

/* ---- Leaving --------------------------------------------------------------------------------- */

/* All that is the person's is back: text, caret, model, changes, search, reference, place, page,
 * and what they could undo. */
static void
test_leave(Test *t, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  document_test_set_text(&t->of, "Earlier.");
  document_test_set_text(&t->of, OWN);
  g_assert_true(regard_document_set_interventions_text(t->document, "cross 6.6 zero", &error));
  document_test_settle(&t->of);
  regard_document_keep_reference(t->document);
  regard_document_set_place(t->document, (RegardHeadRef){MT_DECODER_SELF, 2, 3});
  regard_document_set_caret(t->document, 3);
  document_test_settle(&t->of);
  g_autofree char *before = document_test_describe(t->document);

  begin(t, GIVEN,
        "## One\n\n" FENCE("model collapsed\ntext cat dog bird fish\nchanges none\npage layers\n"));
  wait_until_done(t);
  g_autofree char *within = document_test_describe(t->document);
  g_assert_cmpstr(within, !=, before);
  regard_lesson_run_leave(t->run);
  g_assert_null(t->state->lesson);
  document_test_settle(&t->of);
  g_autofree char *after = document_test_describe(t->document);
  g_assert_cmpstr(after, ==, before);
  g_assert_cmpuint(regard_document_get_caret(t->document), ==, 3);
  g_assert_cmpstr(t->stage->page, ==, "attention");
  g_assert_cmpuint(regard_document_get_place(t->document)->layer, ==, 2);
  g_assert_nonnull(regard_document_get_compared(t->document)->reference);
  g_assert_false(regard_document_is_aside(t->document));
  regard_document_undo(t->document);
  g_assert_cmpstr(changes(t), ==, "");
  regard_document_undo(t->document);
  g_assert_cmpstr(regard_document_get_text(t->document), ==, "Earlier.");
}

/* In the middle of opening a model, of translating and of measuring; and closed with it. */
static void
test_leave_early(Test *t, gconstpointer data)
{
  static const char lesson[] =
      "## One\n\n" FENCE("model by-hand\ntext cat\nlet n = width\n") "## Two\n\n" FENCE(
          "model any\ntext We see two small dogs and one old cat in this house.\n"
          "let n2 = effect-rank(sharpest)\n");
  document_test_set_text(&t->of, OWN);
  begin(t, "", lesson);
  regard_lesson_run_leave(t->run); /* the model is on its way */
  document_test_settle(&t->of);
  g_assert_cmpstr(regard_document_get_text(t->document), ==, OWN);
  g_assert_cmpstr(regard_document_get_model_dir(t->document), ==, "");
  begin(t, "", lesson);
  regard_lesson_run_go(t->run, 1);
  app_test_run_for(200);
  regard_lesson_run_leave(t->run); /* it translates, or measures */
  document_test_settle(&t->of);
  g_assert_cmpstr(regard_document_get_text(t->document), ==, OWN);
  begin(t, "", lesson);
  regard_lesson_run_go(t->run, 1);
  app_test_run_for(200);
}

/* What belongs to another sentence is dropped: the value is of the one that is there in the end. */
static void
test_changed_meanwhile(Test *t, gconstpointer data)
{
  begin(t, GIVEN, "## One\n\n" FENCE("let rank = effect-rank(sharpest)\nlet n = tokens\n"));
  app_test_until(!regard_document_is_busy(t->document));
  regard_document_set_text(t->document, OWN " And a cat.");
  regard_document_set_text(t->document, "We see it.");
  wait_until_done(t);
  app_test_until(value(t, 1) == count(t, "We see it."));
  g_assert_cmpfloat(value(t, 0), >=, 1);
}

/* The file is saved while somebody is in it: the same step, what was done stays. */
static void
test_replace(Test *t, gconstpointer data)
{
  mt_error error = {0};
  static const char anew[] =
      "---\nregard-lesson: 1\nid: tried\ntitle: Better\n" GIVEN "---\n\n" THREE;
  begin(t, GIVEN, THREE "## Five\n\nMore.\n");
  go(t, 3);
  wait_until_done(t);
  g_autoptr(RegardLesson) lesson = regard_lesson_parse("anew", anew, strlen(anew), &error);
  regard_lesson_run_replace(t->run, lesson);
  wait_until_done(t);
  g_assert_cmpuint(t->state->step, ==, 3);
  g_assert_cmpstr(t->state->lesson->title, ==, "Better");
  go(t, 3);
  regard_lesson_run_start(t->run, lesson); /* anew, from its beginning, on the same copy */
  wait_until_set_up(t);
  g_assert_cmpuint(t->state->step, ==, 0);
  regard_lesson_run_leave(t->run);
  document_test_settle(&t->of);
  g_assert_cmpstr(regard_document_get_text(t->document), ==, "");
}

/* A session that is opened takes the place of what the person had, not of the lesson's text. */
static void
test_session(Test *t, gconstpointer data)
{
  g_autofree char *folder = app_test_folder(), *path = g_strdup_printf("%s/a.regard", folder);
  g_auto(RegardViewState) look = {.page = g_strdup("attention"),
                                  .row = -1,
                                  .col = -1,
                                  .step = -1,
                                  .colormap = regard_colormap_find("viridis"),
                                  .zoom = 1};
  document_test_set_text(&t->of, "A session.");
  regard_document_save_session(t->document, path, &look, NULL, NULL);
  app_test_until(g_file_test(path, G_FILE_TEST_EXISTS));
  document_test_set_text(&t->of, OWN);
  begin(t, GIVEN, THREE);
  wait_until_set_up(t);
  regard_document_open_session(t->document, path, NULL);
  app_test_until(t->state->lesson == NULL);
  document_test_settle(&t->of);
  g_assert_cmpstr(regard_document_get_text(t->document), ==, "A session.");
  regard_document_undo(t->document);
  g_assert_cmpstr(regard_document_get_text(t->document), ==, OWN);
  app_test_remove(folder);
}

/* ---- The lessons that come with the program -------------------------------------------------- */

/* What is waited for is done. */
static void
do_waits(Test *t)
{
  const RegardLessonStep *step = regard_lesson_run_get_step(t->run);
  for (guint i = 0; i < step->directives->len; i++) {
    const RegardDirective *wait = step->directives->pdata[i];
    g_autoptr(GError) error = NULL;
    g_autoptr(GString) lines = g_string_new(changes(t));
    if (wait->type != REGARD_DIRECTIVE_WAIT)
      continue;
    if (wait->event == REGARD_WAIT_TEXT)
      document_test_set_text(&t->of, "We have unbelievably small dogs.");
    else if (wait->event == REGARD_WAIT_SWITCHED || wait->event == REGARD_WAIT_CHANGE) {
      if (wait->event == REGARD_WAIT_CHANGE)
        g_string_append_printf(lines, "\n%s", mt_interventions_text(wait->interventions));
      else
        g_string_append_printf(lines, "\n%s %u.%u zero", regard_kind_id(wait->kind),
                               wait->layer + 1, wait->head + 1);
      g_assert_true(regard_document_set_interventions_text(t->document, lines->str, &error));
    } else if (wait->event == REGARD_WAIT_CONDITION)
      g_assert_true(regard_document_set_interventions_text(t->document, "", &error));
    else
      regard_lesson_run_note(t->run, wait->event);
  }
}

/* The right answer, where there is one that holds for any sentence; what is to be found is left. */
static void
do_question(Test *t)
{
  const RegardLessonStep *step = regard_lesson_run_get_step(t->run);
  const char marked = regard_lesson_step_marked(step);
  g_autofree char *number = NULL;
  switch (step->question) {
  case REGARD_ASK_NOTHING:
  case REGARD_ASK_FIND:
    break;
  case REGARD_ASK_PREDICT:
    choose(t, 'a');
    g_assert_true(t->state->verdict == REGARD_SAID_MEASURED ||
                  t->state->verdict == REGARD_SAID_UNCLEAR);
    break;
  case REGARD_ASK_CHOOSE:
    choose(t, marked);
    /* What is seen in the small model of the tests may be another option. */
    if (t->state->verdict == REGARD_SAID_WRONG)
      choose(t, t->state->measured);
    g_assert_cmpint(t->state->verdict, ==, REGARD_SAID_RIGHT);
    break;
  case REGARD_ASK_NUMBER:
    answer(t, "-12345");
    g_assert_cmpint(t->state->verdict, ==, REGARD_SAID_TOO_SMALL);
    number = g_strdup_printf("%.6f", t->state->number);
    answer(t, g_strdelimit(number, ".", ','));
    g_assert_cmpint(t->state->verdict, ==, REGARD_SAID_RIGHT);
    break;
  }
}

static void
walk(Test *t, const char *path)
{
  mt_error error = {0};
  g_autoptr(RegardLesson) lesson = regard_lesson_read(path, &error);
  g_assert_nonnull(lesson);
  regard_lesson_run_start(t->run, lesson);
  for (guint i = 0; i < lesson->steps->len; i++) {
    if (i > 0)
      regard_lesson_run_go(t->run, i);
    wait_until_set_up(t);
    if (t->state->problem)
      g_error("%s, step %u: %s", lesson->id, i + 1, t->state->problem);
    g_assert_false(t->state->is_away);
    g_test_message("step %u", i + 1);
    do_waits(t);
    do_question(t);
    if (regard_lesson_run_get_step(t->run)->question != REGARD_ASK_FIND)
      wait_until_done(t);
    if (t->state->problem)
      g_error("%s, step %u: %s", lesson->id, i + 1, t->state->problem);
  }
  /* Whatever somebody did before: the last question is set up alone, too. */
  regard_lesson_run_leave(t->run);
  document_test_settle(&t->of);
  g_assert_cmpstr(regard_document_get_text(t->document), ==, OWN);
  g_assert_cmpstr(regard_document_get_model_dir(t->document), ==, "");
}

static void
test_bundled(Test *t, gconstpointer data)
{
  g_autofree char *folder = g_build_filename(REGARD_SOURCE_ROOT, "assets", "lessons", NULL);
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  const char *name;
  guint n = 0;
  document_test_set_text(&t->of, OWN);
  for (; (name = g_dir_read_name(dir)); n++) {
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_test_message("%s", name);
    walk(t, path);
  }
  g_assert_cmpuint(n, >=, 15);
}

TESTS(.begin = window_test_begin)
{
  g_test_add_func("/lesson-run/numbers", test_numbers);
  RUN_TEST("/lesson-run/set-up", test_set_up);
  RUN_TEST("/lesson-run/lacking", test_lacking);
  RUN_TEST("/lesson-run/models", test_models);
  RUN_TEST("/lesson-run/predict", test_predict);
  RUN_TEST("/lesson-run/stale", test_stale);
  RUN_TEST("/lesson-run/choose", test_choose);
  RUN_TEST("/lesson-run/unclear", test_unclear);
  RUN_TEST("/lesson-run/number", test_number);
  RUN_TEST("/lesson-run/after", test_after);
  RUN_TEST("/lesson-run/find", test_find);
  RUN_TEST("/lesson-run/find-anew", test_find_anew);
  RUN_TEST("/lesson-run/found", test_found);
  RUN_TEST("/lesson-run/found-cell", test_found_cell);
  RUN_TEST("/lesson-run/waits", test_waits);
  RUN_TEST("/lesson-run/noted", test_noted);
  RUN_TEST("/lesson-run/skip", test_skip);
  RUN_TEST("/lesson-run/follow", test_follow);
  RUN_TEST("/lesson-run/away", test_away);
  RUN_TEST("/lesson-run/leave", test_leave);
  RUN_TEST("/lesson-run/leave-early", test_leave_early);
  RUN_TEST("/lesson-run/changed-meanwhile", test_changed_meanwhile);
  RUN_TEST("/lesson-run/replace", test_replace);
  RUN_TEST("/lesson-run/session", test_session);
  RUN_TEST("/lesson-run/bundled", test_bundled);
}
