/* test-lesson.c — lessons as files: what they say, what is refused and with which words, and that
 * what is written reads back as the same.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "learn/regard-lesson-check.h"
#include "learn/regard-lesson-lint.h"
#include "suite.h"

#include <math.h>
#include <string.h>

#define HEAD                                         \
  "---\nregard-lesson: 1\nid: positions\n"           \
  "title: What positions are for\npaper: 3.5\n"      \
  "minutes: 8\nmodel: any\ntext: The sun is warm.\n" \
  "after: row, qkv\n---\n"
#define STEP         "\n## One\n\nWords.\n\n"
#define FENCE(lines) STEP "```regard\n" lines "```\n"

/* Everything that a lesson can say. */
static const char whole[] =
    HEAD "\n## A sum has no order\n"
         "\n"
         "Each row is a weighted sum over *all* pieces,\n"
         "and a [sum](regard:matrix) knows no order.\n"
         "\n"
         "```regard\n"
         "text The train goes from Berlin to Paris.\n"
         "changes none\n"
         "model learning/50\n"
         "state 03.regard\n"
         "page attention\n"
         "head encoder 1.5\n"
         "cell 3 \"dog\"\n"
         "step 2\n"
         "form lines\n"
         "panes heads details received\n"
         "change cross 4.1 zero\n"
         "reference keep\n"
         "compare difference\n"
         "point row 3\n"
         "point heads cross\n"
         "point heads\n"
         "point cell 3 \"dog\"\n"
         "point control all-off\n"
         "point page steps/tree\n"
         "point head decoder 6.8\n"
         "wait cell\n"
         "wait switched encoder 4.6\n"
         "wait change \"source position zero\"\n"
         "wait page inside\n"
         "wait text\n"
         "wait head\n"
         "wait step\n"
         "wait checkpoint\n"
         "wait translation ~ \"Zug\" and tokens > 3\n"
         "own\n"
         "```\n"
         "\n"
         "> Ask the room before clicking.\n"
         "> Most are wrong.\n"
         "\n"
         "## Predict\n"
         "\n"
         "What will come out?\n"
         "\n"
         "- [ ] The same words {a}\n"
         "      So one would think.\n"
         "      But no.\n"
         "- [ ] One translation: {before} {b}\n"
         "- [ ] Something else {c}\n"
         "\n"
         "```regard\n"
         "let before = translation\n"
         "let zero = translation with \"source position * zero\"\n"
         "let turned = translation of reversed with \"encoder window 2\" with \"cross 1.1 zero\"\n"
         "ask predict\n"
         "unclear if zero = before\n"
         "right b c if zero = turned and 3 ≥ 2\n"
         "right a\n"
         "then page positions/bench\n"
         "then point row 2\n"
         "```\n"
         "\n"
         "Think first.\n"
         "\n"
         "## See\n"
         "\n"
         "```regard\n"
         "let n = (tokens - 1) * (tokens of \"A cat.\" + 2) / 2 - -3\n"
         "ask number\n"
         "answer n × weight(cross 4.1, 1, \"dog\") within 0.001\n"
         "```\n"
         "\n"
         "How many? It is {n}.\n"
         "\n"
         "## Find\n"
         "\n"
         "```regard\n"
         "ask find\n"
         "found if changes ~ \"swap\" and translation != translation with \"none\"\n"
         "found if pieces(longest-word of own) > 4\n"
         "```\n";

static RegardLesson *
parse(const char *text)
{
  mt_error error = {0};
  RegardLesson *lesson = regard_lesson_parse("x.lesson.md", text, strlen(text), &error);
  g_assert_cmpstr(error.message, ==, "");
  g_assert_nonnull(lesson);
  return lesson;
}

static const RegardLessonStep *
step_at(const RegardLesson *lesson, guint i)
{
  g_assert_cmpuint(i, <, lesson->steps->len);
  return lesson->steps->pdata[i];
}

static void
test_whole(void)
{
  g_autoptr(RegardLesson) lesson = parse(whole);
  g_assert_cmpstr(lesson->id, ==, "positions");
  g_assert_cmpstr(lesson->title, ==, "What positions are for");
  g_assert_cmpstr(lesson->text, ==, "The sun is warm.");
  g_assert_cmpuint(lesson->minutes, ==, 8);
  g_assert_cmpstr(lesson->after[1], ==, "qkv");
  g_assert_cmpuint(lesson->steps->len, ==, 4);
  g_assert_cmpuint(lesson->names->len, ==, 4);

  const RegardLessonStep *first = step_at(lesson, 0);
  g_assert_cmpuint(first->line, ==, 12);
  g_assert_cmpstr(first->paragraphs->pdata[0], ==,
                  "Each row is a weighted sum over *all* pieces, and a [sum](regard:matrix) knows "
                  "no order.");
  g_assert_cmpstr(first->notes->pdata[0], ==, "Ask the room before clicking. Most are wrong.");
  const RegardDirective *model = first->directives->pdata[2];
  g_assert_cmpint(model->type, ==, REGARD_DIRECTIVE_MODEL);
  g_assert_cmpstr(model->text, ==, "learning");
  g_assert_cmpint(model->number, ==, 50);
  g_assert_cmpuint(model->line, ==, 20);
  const RegardDirective *head = first->directives->pdata[5];
  g_assert_cmpint(head->kind, ==, MT_ENCODER_SELF);
  g_assert_cmpuint(head->layer, ==, 0);
  g_assert_cmpuint(head->head, ==, 4);

  const RegardLessonStep *second = step_at(lesson, 1);
  g_assert_cmpint(second->question, ==, REGARD_ASK_PREDICT);
  g_assert_cmpuint(second->options->len, ==, 3);
  g_assert_cmpuint(second->n_before_options, ==, 1);
  g_assert_cmpuint(second->n_names, ==, 3);
  const RegardLessonOption *option = second->options->pdata[0];
  g_assert_cmpstr(option->text, ==, "The same words");
  g_assert_cmpstr(option->answer, ==, "So one would think. But no.");
  const RegardDirective *right = second->directives->pdata[5];
  g_assert_cmpstr(right->text, ==, "bc");
  g_assert_nonnull(right->condition);

  RegardValue values[4] = {{.text = (char *) "Der Zug"}, {0}, {0}, {.number = 0.12345}};
  g_autofree char *said =
      regard_lesson_fill(lesson, ((const RegardLessonOption *) second->options->pdata[1])->text,
                         values, 4);
  g_assert_cmpstr(said, ==, "One translation: Der Zug");
  g_autofree char *number =
      regard_lesson_fill(lesson, step_at(lesson, 2)->paragraphs->pdata[0], values, 4);
  g_assert_cmpstr(number, ==, "How many? It is 0.123.");
}

static void
test_written(void)
{
  g_autoptr(RegardLesson) lesson = parse(whole);
  g_autofree char *once = regard_lesson_write(lesson);
  g_autoptr(RegardLesson) again = parse(once);
  g_autofree char *twice = regard_lesson_write(again);
  g_assert_cmpstr(once, ==, twice);
  /* Nothing was lost on the way. */
  static const char *const kept[] = {
      "- [ ] The same words {a}\n      So one would think. But no.\n",
      "wait translation ~ \"Zug\" and tokens > 3\n",
      "right b c if zero = turned and 3 >= 2\n",
      "let n = (tokens - 1) * (tokens of \"A cat.\" + 2) / 2 - -3\n",
      "answer n * weight(cross 4.1, 1, \"dog\") within 0.001\n",
      "let turned = translation of reversed with \"encoder window 2\" with \"cross 1.1 zero\"\n",
      "found if pieces(longest-word of own) > 4\n",
      "point cell 3 \"dog\"\n",
      "then page positions/bench\nthen point row 2\n",
      "\nThink first.\n",
      "\n> Ask the room before clicking. Most are wrong.\n",
  };
  for (guint i = 0; i < G_N_ELEMENTS(kept); i++)
    if (!strstr(once, kept[i]))
      g_error("not written: %s in\n%s", kept[i], once);
}

static void
count_string(const char *text, guint line, gpointer user)
{
  g_string_append_printf(user, "%u %s\n", line, text);
}

static void
test_strings(void)
{
  g_autoptr(RegardLesson) lesson =
      parse(HEAD "\n## One\n\nA *word*.\n\n- [ ] yes {a}\n  Why?\n- [ ] no {b}\n\n"
                 "```regard\nask choose\nright a\n```\n\n> Note.\n");
  g_autoptr(GString) found = g_string_new(NULL);
  regard_lesson_foreach_string(lesson, count_string, found);
  g_assert_cmpstr(found->str, ==,
                  "1 What positions are for\n12 One\n12 A *word*.\n12 yes\n12 Why?\n12 no\n"
                  "12 Note.\n");
}

/* ---- What is refused ------------------------------------------------------------------------- */

static void
refuse(const char *text, gsize n, mt_error_code code, const char *message)
{
  mt_error error = {0};
  g_autoptr(RegardLesson) lesson = regard_lesson_parse("x.lesson.md", text, n, &error);
  if (lesson || error.code != code || !strstr(error.message, message)) {
    g_test_message("expected '%s', found '%s'", message, error.message);
    g_test_fail();
  }
}

static const struct {
  const char *text, *message;
} refused[] = {
    {"", "line 1: expected '---', found nothing."},
    {"# Lesson\n", "line 1: expected '---', found '# Lesson'"},
    {"---\nregard-lesson: 2\n", "line 2: expected 'regard-lesson: 1', found 'regard-lesson: 2'"},
    {"---\nregard-lesson: 1\nid: a", "expected --- at the end of the keys"},
    {"---\nregard-lesson: 1\nid: a\n---\n", "found no title"},
    {"---\nregard-lesson: 1\nid: ../a\n---\n", "line 3: expected small letters"},
    {"---\nregard-lesson: 1\nid: a\nid: b\n---\n", "line 4: expected each key once, found 'id'"},
    {"---\nregard-lesson: 1\nauthor: me\n---\n", "found 'author'"},
    {"---\nregard-lesson: 1\nmodel: /etc/passwd\n---\n", "found '/etc/passwd'"},
    {"---\nregard-lesson: 1\nmodel: ..\n---\n", "line 3: expected 'any'"},
    {"---\nregard-lesson: 1\nminutes: 0\n---\n", "line 3: expected minutes from 1 to 600"},
    {"---\nregard-lesson: 1\nwords\n---\n", "line 3: expected 'key: value'"},
    {HEAD, "expected ## and the title of the first step"},
    {HEAD "Words.\n", "line 11: expected ## and the title of the first step, found 'Words.'"},
    {HEAD "## \n", "expected a title behind ##"},
    {HEAD STEP "# Big\n", "line 16: expected ## and the title of a step, found '# Big'"},
    {HEAD STEP "```sh\nrm\n```\n", "line 16: expected ```regard, the only kind of fence"},
    {HEAD STEP "```regard\npage steps\n", "line 16: expected a line ``` that ends"},
    {HEAD FENCE("") "```regard\n```\n", "expected one fence in a step"},
    {HEAD FENCE("open file\n"), "line 17: expected a directive such as"},
    {HEAD FENCE("then page steps\n"), "line 17: 'then' wants a question in its step"},
    {HEAD FENCE("then\n"), "line 17: expected what is shown after the answer, such as 'page' or"},
    {HEAD FENCE("then then page steps\n"), "expected what is shown after the answer"},
    {HEAD FENCE("then text Hello\n"), "expected what is shown after the answer"},
    {HEAD FENCE("page Steps\n"), "line 17: page: expected a page such as"},
    {HEAD FENCE("page steps/../x\n"), "found 'steps/../x'"},
    {HEAD FENCE("head cross 4\n"), "head: expected a head such as 'cross 4.1', found 'cross'"},
    {HEAD FENCE("head cross 0.1\n"), "expected a head such as"},
    {HEAD FENCE("cell 0 1\n"), "expected the number of a token, from 1"},
    {HEAD FENCE("form circles\n"), "expected 'matrix' or 'lines', found 'circles'"},
    {HEAD FENCE("panes all\n"), "panes: expected some of 'heads'"},
    {HEAD FENCE("model learning/x\n"), "expected the name of a model"},
    {HEAD FENCE("model ../en-de\n"), "expected the name of a model"},
    {HEAD FENCE("model a/b/c\n"), "expected the name of a model"},
    {HEAD FENCE("changes zero\n"), "changes: expected 'none'"},
    {HEAD FENCE("change cross 4.1 explode\n"), "change: expected a change, but"},
    {HEAD FENCE("change cross 4.1 mean\n"), "needs neither a file nor another run"},
    {HEAD FENCE("change encoder stream 3 patch\n"), "needs neither a file nor another run"},
    {HEAD FENCE("point moon\n"), "point: expected a target such as 'matrix'"},
    {HEAD FENCE("point matrix 3\n"), "expected the end of the line, found '3'"},
    {HEAD FENCE("point control launch\n"), "expected the name of a control, found 'launch'"},
    {HEAD FENCE("wait for it\n"), "wait: expected a measure"},
    {HEAD FENCE("wait switched 4.6\n"), "expected a head"},
    {HEAD FENCE("text\n"), "text: expected a sentence, found the end of the line"},
    {HEAD FENCE("let Zero = 1\n"), "let: expected a new name"},
    {HEAD FENCE("let tokens = 1\n"), "let: expected a new name"},
    {HEAD FENCE("let with = 1\n"), "let: expected a new name"},
    {HEAD FENCE("let a = 1\nlet a = 2\n"), "line 18: let: expected a new name"},
    {HEAD FENCE("let a 1\n"), "let: expected '=', found '1'"},
    {HEAD FENCE("let a = \n"), "let: expected a term, found the end of the line"},
    {HEAD FENCE("let a = run\n"), "expected a measure, or a name"},
    {HEAD FENCE("let a = b\nlet b = 1\n"), "line 17: let: expected a measure, or a name"},
    {HEAD FENCE("let a = \"x\" + 1\n"), "expected numbers on both sides of a sign"},
    {HEAD FENCE("let a = (1 + 2\n"), "expected ')'"},
    {HEAD FENCE("let a = 1 2\n"), "expected the end of the line, found '2'"},
    {HEAD FENCE("let a = 1234567890123\n"), "a number of at most 12 digits"},
    {HEAD FENCE("let a = \"x\n"), "expected a text in quotes, found '\"x'"},
    {HEAD FENCE("let a = weight(cross 4.1, 1)\n"), "expected ',' and another argument, found ')'"},
    {HEAD FENCE("let a = sharpness(all)\n"), "expected encoder, decoder or cross, found 'all)'"},
    {HEAD FENCE("let a = pieces(3)\n"), "expected a text, found '3)'"},
    {HEAD FENCE("let a = beam-score(\"x\")\n"), "expected a number, found '\"x\")'"},
    {HEAD FENCE("let a = vocabulary of own\n"), "nothing more, since this measure is of no text"},
    {HEAD FENCE("let a = fall with \"rm -rf\"\n"), "expected a change, but"},
    {HEAD FENCE("let a = translation of mine\n"), "expected a text in quotes, found 'mine'"},
    {HEAD FENCE("ask number\n"), "line 12: 'ask number' and one line 'answer' belong together"},
    {HEAD FENCE("answer 1 within 0\n"), "'ask number' and one line 'answer' belong together"},
    {HEAD FENCE("ask number\nanswer 1\n"), "answer: expected 'within'"},
    {HEAD FENCE("ask number\nanswer translation within 1\n"), "answer: expected a number"},
    {HEAD FENCE("ask number\nanswer 1 within x\n"), "expected a number from 0 to 1000000"},
    {HEAD FENCE("ask why\n"), "ask: expected predict, choose, number or find, found 'why'"},
    {HEAD FENCE("ask find\nask find\nfound if 1 = 1\n"), "expected one question in a step"},
    {HEAD FENCE("ask find\n"), "'ask find' and a line 'found if' belong together"},
    {HEAD FENCE("ask find\nfound when 1 = 1\n"), "found: expected 'if', found 'when'"},
    {HEAD FENCE("ask find\nfound if 1\n"), "expected one of < <= = != >= > ~"},
    {HEAD FENCE("ask find\nfound if 1 ~ 2\n"), "expected texts on both sides of ~"},
    {HEAD FENCE("ask find\nfound if translation < 2\n"), "expected numbers on both sides"},
    {HEAD FENCE("ask find\nfound if translation = 2\n"), "expected two numbers, or two texts"},
    {HEAD FENCE("ask choose\nright a\n"), "wants two options or more"},
    {HEAD FENCE("right a\n"), "want a question, 'ask predict' or 'ask choose'"},
    {HEAD STEP "- [ ] yes {a}\n- [ ] no {b}\n\n```regard\nask choose\n```\n",
     "wants a line 'right'"},
    {HEAD STEP "- [ ] yes {a}\n- [ ] no {b}\n\n```regard\nask choose\nright c\n```\n",
     "line 21: expected the letter of an option of this step, found 'c'"},
    {HEAD STEP "- [ ] yes {a}\n- [ ] no {b}\n\n```regard\nask choose\nright z\n```\n",
     "right: expected the letter of an option, found 'z'"},
    {HEAD STEP "- [ ] yes {a}\n", "options, 'right' and 'unclear' want a question"},
    {HEAD STEP "- [ ] yes\n", "expected a letter in braces"},
    {HEAD STEP "- [ ] yes {a}\n- [ ] no {a}\n", "expected another letter"},
    {HEAD STEP "It is {n}.\n", "expected behind '{' a name"},
    {HEAD STEP "It is {.\n", "expected behind '{' a name"},
    {HEAD STEP "[here](https://example.org)\n", "expected a link to a target"},
    {HEAD STEP "[here](regard:../../x)\n", "expected a link to a target"},
    {HEAD STEP "[here](regard:term ../x)\n", "expected a link to a target"},
    {HEAD STEP "[here](regard:term)\n", "expected a link to a target"},
    {HEAD STEP "\tIndented.\n",
     "line 16: expected letters, signs and spaces, found the character U+0009"},
    {HEAD STEP "\033[31mRed.\n", "the character U+001B"},
    {HEAD STEP "\342\200\256Turned.\n", "the character U+202E"},
    {HEAD STEP "\xff\n", "expected UTF-8"},
};

static void
test_refused(void)
{
  for (guint i = 0; i < G_N_ELEMENTS(refused); i++)
    refuse(refused[i].text, strlen(refused[i].text), MT_ERROR_FORMAT, refused[i].message);
  refuse(HEAD STEP "a\0b", sizeof(HEAD STEP "a\0b") - 1, MT_ERROR_FORMAT, "without zero bytes");
}

/* begin, n times part, end */
static char *
repeat(const char *begin, guint n, const char *part, const char *end)
{
  GString *text = g_string_new(begin);
  for (guint i = 0; i < n; i++)
    g_string_append(text, part);
  g_string_append(text, end);
  return g_string_free(text, FALSE);
}

/* As much as may be, and one more. */
static void
test_limits(void)
{
  static const struct {
    const char *begin, *part, *end;
    guint most;
    mt_error_code code;
    const char *message;
  } limits[] = {
      {HEAD, "## Step\n", "", REGARD_LESSON_MOST_STEPS, MT_ERROR_TOO_LONG, "at most 60 steps"},
      {HEAD STEP "```regard\n", "wait cell\n", "```\n", REGARD_LESSON_MOST_DIRECTIVES,
       MT_ERROR_TOO_LONG, "line 57: at most 40 directives"},
      {HEAD STEP, "Words.\n\n", "", REGARD_LESSON_MOST_PARAGRAPHS - 1, MT_ERROR_TOO_LONG,
       "at most 20 paragraphs"},
      {HEAD STEP "```regard\nlet a = ", "(", "1", REGARD_TERM_MOST_DEPTH, MT_ERROR_FORMAT,
       "fewer parentheses"},
      {HEAD STEP "```regard\nlet a = 1", " + 1", "\n```\n", (REGARD_TERM_MOST_NODES - 1) / 2,
       MT_ERROR_FORMAT, "a shorter term"},
      {HEAD STEP "```regard\nlet a = translation", " with \"cross 1.1 zero\"", "\n```\n", 8,
       MT_ERROR_FORMAT, "at most eight changes"},
      {HEAD STEP "```regard\nask find\nfound if effect(cross 1.1) > 0",
       " and effect(cross 1.1) > 0", "\n```\n", 1, MT_ERROR_TOO_LONG,
       "at most 20 searches and passes, these take 24"},
      {HEAD STEP "```regard\ntext ", "x", "\n```\n", REGARD_LESSON_MOST_TEXT, MT_ERROR_TOO_LONG,
       "a sentence of at most 400 bytes"},
      {HEAD "## ", "x", "\n", 120, MT_ERROR_TOO_LONG, "a title of at most 120 bytes"},
      {HEAD STEP, "long lines\n", "", REGARD_LESSON_MOST_PARAGRAPH / 11, MT_ERROR_TOO_LONG,
       "a paragraph of at most 1500 bytes"},
      {HEAD STEP, "x", "\n", REGARD_LESSON_MOST_PARAGRAPH, MT_ERROR_TOO_LONG,
       "a paragraph of at most"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(limits); i++) {
    g_autofree char *most = repeat(limits[i].begin, limits[i].most, limits[i].part, limits[i].end);
    mt_error error = {0};
    g_autoptr(RegardLesson) lesson = regard_lesson_parse("x", most, strlen(most), &error);
    if (strstr(error.message, limits[i].message))
      g_error("refused before the limit: %s", error.message);
    g_autofree char *more =
        repeat(limits[i].begin, limits[i].most + 1, limits[i].part, limits[i].end);
    refuse(more, strlen(more), limits[i].code, limits[i].message);
  }
  /* More than a title has is a line of its own. */
  g_autofree char *long_line = repeat(HEAD STEP, REGARD_LESSON_MOST_LINE + 1, "x", "\n");
  refuse(long_line, strlen(long_line), MT_ERROR_TOO_LONG, "a line of at most 2000 bytes");
  g_autofree char *large = repeat(HEAD STEP, REGARD_LESSON_MOST_BYTES, "\n", "");
  refuse(large, strlen(large), MT_ERROR_TOO_LONG, "a lesson of at most 262144 bytes");
}

/* Every beginning of a lesson, and every byte of it changed, is read or refused. */
static void
test_broken(void)
{
  const gsize n = sizeof whole - 1;
  g_autofree char *copy = g_strdup(whole);
  for (gsize i = 0; i < n; i += 3) {
    mt_error error = {0};
    g_autoptr(RegardLesson) cut = regard_lesson_parse("x", whole, i, &error);
    g_assert_true(!cut == (error.message[0] != '\0'));
    copy[i] = (char) (copy[i] ^ (i % 2 ? 0x10 : 0x41));
    error = (mt_error){0};
    g_autoptr(RegardLesson) changed = regard_lesson_parse("x", copy, n, &error);
    g_assert_true(!changed == (error.message[0] != '\0'));
    copy[i] = whole[i];
  }
}

static void
test_file(void)
{
  mt_error error = {0};
  g_autoptr(RegardLesson) none = regard_lesson_read("/no/such.lesson.md", &error);
  g_assert_null(none);
  g_assert_cmpint(error.code, ==, MT_ERROR_IO);
}

/* ---- Lessons that are hard to follow --------------------------------------------------------- */

static void
add_line(guint line, const char *sentence, gpointer out)
{
  g_string_append_printf(out, "%u %s\n", line, sentence);
}

static char *
lint(const char *text)
{
  g_autoptr(RegardLesson) lesson = parse(text);
  GString *out = g_string_new(NULL);
  regard_lesson_lint(lesson, add_line, out);
  return g_string_free(out, FALSE);
}

static void
test_lint(void)
{
  g_autoptr(GString) long_step = g_string_new(HEAD "\n## Long\n\n");
  for (guint i = 0; i < 57; i++)
    g_string_append(long_step, "word ");
  g_string_append(long_step, "\n\n- [ ] these two {a}\n- [ ] not {b}\n\n"
                             "```regard\nask choose\nright b\n```\n");
  g_autofree char *fits = lint(long_step->str);
  g_assert_cmpstr(fits, ==, "");
  g_string_replace(long_step, "these two", "these two words", 0);
  g_autofree char *too_long = lint(long_step->str);
  g_assert_cmpstr(too_long, ==, "12 The step “Long” has 61 words; at most 60 are read.\n");
  g_autofree char *rest = lint(HEAD "\n## One\n\nLook.\n\n```regard\npoint matrix\npoint row 1\n"
                                    "wait cell\n```\n\n## Two\n\nLook.\n");
  g_assert_cmpstr(rest, ==,
                  "12 The step “One” points at 2 things; one looks at one at a time.\n"
                  "22 The step “Two” has nothing to do: it asks nothing, and waits for nothing.\n"
                  "1 The lesson has no question: who only watches learns little.\n");
  /* A step of Chinese is not one word. */
  g_assert_cmpuint(regard_lesson_count_words("注意力是什么？"), ==, 3);
  g_assert_cmpuint(regard_lesson_count_words("Die *Wörter* – 3 sind 你好"), ==, 6);
  g_assert_cmpuint(regard_lesson_count_words(""), ==, 0);
}

/* Models that lessons name lie where they are looked for; what does not come with the program, and
 * steps of what is no training, have no folder. */
static void
test_models(void)
{
  static const struct {
    const char *name;
    gint64 step;
  } there[] = {{"by-hand", -1},    {"collapsed", -1},   {"learning", 0},     {"learning", 1000},
               {"no-warmup", 300}, {"no-warmup", 1000}, {"no-smoothing", -1}};
  for (guint i = 0; i < G_N_ELEMENTS(there); i++) {
    g_autofree char *path = regard_lesson_model_path(there[i].name, there[i].step);
    g_autofree char *config = g_build_filename(path, "config.json", NULL);
    g_test_message("%s", path);
    g_assert_true(g_file_test(config, G_FILE_TEST_IS_REGULAR));
  }
  g_assert_null(regard_lesson_model_path("no-warmup", -1));
  g_assert_null(regard_lesson_model_path("collapsed", 1));
  g_assert_null(regard_lesson_model_path("../learning", 0));
}

/* A teacher finds every name in the chapter. */
static void
test_documented(void)
{
  g_autofree char *chapter = NULL;
  g_assert_true(g_file_get_contents(REGARD_SOURCE_ROOT "/docs/teaching.md", &chapter, NULL, NULL));
  const char *const *lists[] = {regard_target_pages, regard_target_controls};
  for (guint l = 0; l < G_N_ELEMENTS(lists); l++)
    for (guint i = 0; lists[l][i]; i++) {
      g_autofree char *quoted = g_strdup_printf("`%s`", lists[l][i]);
      g_test_message("%s", quoted);
      g_assert_nonnull(strstr(chapter, quoted));
    }
  for (const RegardTargetName *target = regard_targets; target->name; target++) {
    g_autofree char *quoted =
        g_strdup_printf("`%s%s", target->name, target->place == REGARD_PLACE_NONE ? "`" : " ");
    g_test_message("%s", quoted);
    g_assert_nonnull(strstr(chapter, quoted));
  }
}

TESTS()
{
  g_test_add_func("/lesson/models", test_models);
  g_test_add_func("/lesson/whole", test_whole);
  g_test_add_func("/lesson/written", test_written);
  g_test_add_func("/lesson/strings", test_strings);
  g_test_add_func("/lesson/refused", test_refused);
  g_test_add_func("/lesson/limits", test_limits);
  g_test_add_func("/lesson/broken", test_broken);
  g_test_add_func("/lesson/file", test_file);
  g_test_add_func("/lesson/lint", test_lint);
  g_test_add_func("/lesson/documented", test_documented);
}
