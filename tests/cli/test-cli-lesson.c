/* test-cli-lesson.c — regard-cli lesson: what lessons claim against what the model does, their
 * texts for translators, what is refused; and all lessons that come with Regard.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-test.h"
#include "suite.h"

#include <string.h>

#define BEGIN "---\nregard-lesson: 1\nid: test\ntitle: A test\ntext: I have two dogs.\n---\n"

/* One that the frozen model answers as marked, with each of the sentences; and texts twice. */
static const char good[] = BEGIN
    "\n## Which word?\n\nWhat comes first?\n\n- [ ] Ich {a}\n      It is {said}.\n- [ ] something "
    "else {b}\n\n"
    "```regard\nlet said = translation\nask predict\nright a if translation ~ \"Ich\"\nright "
    "b\n```\n"
    "\n## How many?\n\n```regard\nask number\nanswer tokens within 0\n```\n\nWhat comes first?\n"
    "\n## Find\n\n```regard\nask find\nfound if words > 20\n```\n"
    "\n## By itself\n\n- [ ] yes {a}\n- [ ] no \"never\" {b}\n\n```regard\nask choose\nright "
    "b\n```\n";

static void
test_check(void)
{
  g_autofree char *lesson = cli_scratch_file("good.lesson.md", good);
  g_autofree char *texts =
      cli_scratch_file("texts.txt", "I have a dog.\n\nI have a cat.\nGood morning.\n");
  g_autoptr(CliRun) run =
      cli_run_ok(NULL, "lesson", "check", "--texts", texts, "--sentences", "3", lesson, NULL);
  static const char *const lines[] = {
      "good.lesson.md: A test\n",
      "1. Which word?                    predict   own text: a; marked a: right 2, other 1, "
      "unclear 0\n",
      "2. How many?                      number    own text: 7; clear 3, unclear 0\n",
      "3. Find                           find      own text: open; clear 3, unclear 0\n",
      "4. By itself                      choose    own text: b\n",
      "4 of 4 questions are clear, with 3 sentences\n",
  };
  for (guint i = 0; i < G_N_ELEMENTS(lines); i++)
    if (!strstr(run->out, lines[i]))
      g_error("expected %s found %s", lines[i], run->out);
}

static void
test_json(void)
{
  g_autofree char *lesson = cli_scratch_file("good.lesson.md", good);
  g_autofree char *texts = cli_scratch_file("texts.txt", "I have a dog.\nGood morning.\n");
  g_autoptr(CliRun) run =
      cli_run_ok(NULL, "lesson", "check", "--texts", texts, "--json", lesson, lesson, NULL);
  g_autoptr(json_object) all = cli_assert_json(run->out);
  g_assert_cmpfloat(cli_json_number(all, "sentences"), ==, 2);
  g_assert_cmpuint(cli_json_length(all, "lessons"), ==, 2);
  json_object *first = json_object_array_get_idx(cli_json_member(all, "lessons"), 1);
  g_assert_cmpstr(cli_json_string(first, "id"), ==, "test");
  g_assert_cmpuint(cli_json_length(first, "warnings"), ==, 0);
  json_object *claim = json_object_array_get_idx(cli_json_member(first, "claims"), 0);
  g_assert_cmpstr(cli_json_string(claim, "marked"), ==, "a");
  g_assert_cmpfloat(cli_json_number(claim, "right"), ==, 1);
  g_assert_cmpfloat(cli_json_number(claim, "other"), ==, 1);
  g_assert_cmpfloat(cli_json_number(cli_json_member(claim, "options"), "b"), ==, 1);
}

/* The bar: another answer than the marked one with its own text; and clear in fewer than nine of
 * ten. */
static void
test_not_clear(void)
{
  static const struct {
    const char *lesson, *said;
  } cases[] = {
      {BEGIN "\n## Wrong\n\n- [ ] a {a}\n- [ ] b {b}\n\n```regard\nask predict\n"
             "right a if translation ~ \"Katze\"\nright b\n```\n",
       "own text: b; marked a: right 0, other 2, unclear 0  NOT CLEAR\n"},
      {BEGIN "\n## Seldom\n\n- [ ] a {a}\n- [ ] b {b}\n\n```regard\nask predict\n"
             "right a if translation ~ \"zwei\"\n```\n",
       "own text: a; marked a: right 0, other 0, unclear 2  NOT CLEAR\n"},
      {BEGIN "\n## There\n\n```regard\nask find\nfound if words > 2\n```\n",
       "own text: there already; clear 1, unclear 1  NOT CLEAR\n"},
      {BEGIN "\n## Changed\n\n- [ ] a {a}\n- [ ] b {b}\n\n```regard\nchange cross zero\n"
             "ask predict\nunclear if translation != translation with \"none\"\nright a\n```\n",
       "own text: -; marked a: right 0, other 0, unclear 2  NOT CLEAR\n"},
  };
  g_autofree char *texts = cli_scratch_file("texts.txt", "I have a dog.\nGood morning.\n");
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *lesson = cli_scratch_file("bad.lesson.md", cases[i].lesson);
    g_autoptr(CliRun) run = cli_run(NULL, "lesson", "check", "--texts", texts, lesson, NULL);
    if (run->status != 1 || !strstr(run->out, cases[i].said))
      g_error("expected %s found %d %s%s", cases[i].said, run->status, run->out, run->err);
  }
}

/* It can be measured, and is hard to follow all the same. */
static void
test_warnings(void)
{
  g_autofree char *lesson =
      cli_scratch_file("hard.lesson.md",
                       BEGIN "\n## One\n\nLook.\n\n```regard\npoint matrix\npoint row 1\n```\n");
  g_autoptr(CliRun) run = cli_run_ok(NULL, "lesson", "check", "--sentences", "1", lesson, NULL);
  static const char *const said[] = {
      "\nline 8: The step “One” points at 2 things; one looks at one at a time.\n",
      "\nline 8: The step “One” has nothing to do: it asks nothing, and waits for nothing.\n",
      "\nline 1: The lesson has no question: who only watches learns little.\n",
      "\n0 of 0 questions are clear, with 1 sentence\n",
  };
  for (guint i = 0; i < G_N_ELEMENTS(said); i++)
    if (!strstr(run->out, said[i]))
      g_error("expected %s found %s", said[i], run->out);
  g_autoptr(CliRun) json =
      cli_run_ok(NULL, "lesson", "check", "--sentences", "0", "--json", lesson, NULL);
  g_autoptr(json_object) all = cli_assert_json(json->out);
  json_object *first = json_object_array_get_idx(cli_json_member(all, "lessons"), 0);
  json_object *warning = json_object_array_get_idx(cli_json_member(first, "warnings"), 0);
  g_assert_cmpfloat(cli_json_number(warning, "line"), ==, 8);
}

static void
test_strings(void)
{
  g_autofree char *lesson = cli_scratch_file("good.lesson.md", good);
  g_autoptr(CliRun) run = cli_run_ok(NULL, "lesson", "strings", lesson, NULL);
  g_assert_true(g_str_has_prefix(run->out, "msgid \"\"\nmsgstr \"\"\n\"Project-Id-Version: "));
  g_assert_nonnull(strstr(run->out, "\"Content-Type: text/plain; charset=UTF-8\\n\"\n"));
  g_assert_nonnull(strstr(run->out, "8bit\\n\"\n\n#: good.lesson.md:1\n"
                                    "msgid \"A test\"\nmsgstr \"\"\n"));
  /* Once, with both places; and quotes. */
  g_assert_nonnull(strstr(run->out, "#: good.lesson.md:8\n#: good.lesson.md:23\n"
                                    "msgid \"What comes first?\"\nmsgstr \"\"\n"));
  g_assert_nonnull(strstr(run->out, "msgid \"no \\\"never\\\"\"\n"));
  g_assert_null(strstr(run->out, "translation"));
}

/* The lessons that come with Regard, by their names. */
static GPtrArray *
list_lessons(void)
{
  g_autofree char *folder = cli_source_path("assets/lessons");
  GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  g_assert_nonnull(dir);
  for (const char *name; (name = g_dir_read_name(dir));)
    g_ptr_array_add(paths, g_build_filename(folder, name, NULL));
  g_assert_cmpuint(paths->len, ==, 15);
  return paths;
}

/* The program with these words, and all of these files. */
static char *
run_with(const char *const *words, const GPtrArray *files)
{
  g_autoptr(GPtrArray) line = g_ptr_array_new();
  for (guint i = 0; words[i]; i++)
    g_ptr_array_add(line, (char *) words[i]);
  for (guint i = 0; i < files->len; i++)
    g_ptr_array_add(line, files->pdata[i]);
  g_ptr_array_add(line, NULL);
  char *out = NULL;
  g_autofree char *err = NULL;
  int status = -1;
  g_assert_true(g_spawn_sync(NULL, (char **) line->pdata, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL,
                             &out, &err, &status, NULL));
  if (status != 0 || *err)
    g_error("%s%s", out, err);
  return out;
}

/* gettext takes the template of all lessons, and of one with all that has to be quoted, without a
 * word. */
static void
test_template(void)
{
  g_autofree char *msgfmt = g_find_program_in_path("msgfmt");
  if (!msgfmt) {
    g_test_skip("gettext is not installed");
    return;
  }
  g_autoptr(GPtrArray) files = list_lessons(), po = g_ptr_array_new_with_free_func(g_free);
  g_ptr_array_add(files, cli_scratch_file("odd.lesson.md",
                                          BEGIN "\n## A \\ and \"b\" and \\n\n\n%s, 100 %d: “…”\n"
                                                "\n> \\\"\\\n"));
  const char *strings[] = {cli_program(), "lesson", "strings", NULL};
  g_autofree char *text = run_with(strings, files);
  g_assert_nonnull(strstr(text, "msgid \"A \\\\ and \\\"b\\\" and \\\\n\"\n"));
  /* What a translator begins with. */
  static const char *const filled[][2] = {
      {"YEAR-MO-DA HO:MI+ZONE", "2026-01-31 12:00+0000"},
      {"FULL NAME <EMAIL@ADDRESS>", "A <a@b.org>"},
      {"LANGUAGE <LL@li.org>", "B <b@b.org>"},
      {"Language: ", "Language: de"},
  };
  g_autoptr(GString) begun = g_string_new(text);
  for (guint i = 0; i < G_N_ELEMENTS(filled); i++)
    g_assert_cmpuint(g_string_replace(begun, filled[i][0], filled[i][1], 0), ==, 1);
  g_ptr_array_add(po, cli_scratch_file("all.po", begun->str));
  const char *check[] = {msgfmt, "--check", "--output-file=/dev/null", NULL};
  g_autofree char *said = run_with(check, po);
}

/* ---- lesson grade ---------------------------------------------------------------------------- */

/* As lessons are written, so that its hash is that of the text. */
static const char graded[] =
    "---\nregard-lesson: 1\nid: graded\ntitle: Graded\nmodel: any\ntext: I have two dogs.\n---\n"
    "\n## Word\n\n- [ ] Ich {a}\n- [ ] another {b}\n- [ ] a word {c}\n\n"
    "```regard\nask predict\nright a c if translation ~ \"Ich\"\nright b\n```\n"
    "\n## Count\n\n```regard\nlet n = tokens\nask number\nanswer n within 1\n```\n"
    "\n## Change\n\n```regard\nown\nask find\n"
    "found if changes ~ \"zero\" and translation != translation with \"none\"\n```\n"
    "\n## Cell\n\n```regard\nask find\n"
    "found if chosen-kind = \"cross\" and chosen-weight > 0\n```\n"
    "\n## Never\n\n- [ ] x {a}\n- [ ] y {b}\n\n"
    "```regard\nask choose\nright a if words > 100\n```\n"
    "\n## Checkpoint\n\n```regard\nmodel learning/0\ntext today the small cat has seen the old "
    "dog\nask find\n"
    "found if translation = \"heute hat die kleine Katze den alten Hund gesehen\"\n```\n";

/* One answer each, and the end of its line. */
static const struct {
  guint step;
  const char *title, *question, *letter, *number, *text, *changes, *cell, *checkpoint;
  const char *said;
} grades[] = {
    {1, "Word", "predict", "c", .said = "predict,c,ac,as measured"},
    {1, "Word", "predict", "b", .said = "predict,b,ac,not"},
    {1, "Word", "predict", "a", .text = "Good morning.", .said = "predict,a,b,not"},
    {1, "Word", "predict", .said = "predict,,ac,not answered"},
    {1, "Word", "choose", "a", .said = "predict,,ac,not answered"},
    {3, "Word", "predict", "a", .said = "predict,a,ac,as measured"},
    {2, "Count", "number", .number = "8", .said = "number,8,7,as measured"},
    {2, "Count", "number", .number = "5.99", .said = "number,5.99,7,not"},
    {2, "Count", "number", .number = "-3", .text = "Good morning.", .said = "number,-3,4,not"},
    {2, "Count", "number", .said = "number,,7,not answered"},
    {3, "Change", "find", .text = "I have a dog.", .changes = "cross zero\\ncross 1 zero",
     .said = "find,\"I have a dog. | cross zero | cross 1 zero\",found,as measured"},
    {3, "Change", "find", .text = "I have a dog.", .said = "find,\"I have a dog.\",not found,not"},
    {3, "Change", "find", .changes = "cross zero", .said = "find,\" | cross zero\",,not clear"},
    {3, "Change", "find", .text = "=2+3", .changes = "explode",
     .said = "find,\"'=2+3 | explode\",,not clear"},
    /* What would read a file, or take another run. */
    {3, "Change", "find", .text = "A cat.", .changes = "cross 4.1 mean",
     .said = "find,\"A cat. | cross 4.1 mean\",,not clear"},
    {4, "Cell", "find", .text = "A cat.",
     .cell = "{\"head\": \"cross 1.1\", \"row\": 1, \"column\": 1}",
     .said = "find,\"A cat.\",found,as measured"},
    {4, "Cell", "find", .text = "A cat.",
     .cell = "{\"head\": \"decoder 1.1\", \"row\": 1, \"column\": 1}",
     .said = "find,\"A cat.\",not found,not"},
    {4, "Cell", "find", .text = "A cat.",
     .cell = "{\"head\": \"cross 99.1\", \"row\": 1, \"column\": 1}",
     .said = "find,\"A cat.\",not found,not"},
    {5, "Never", "choose", "a", .said = "choose,a,,not clear"},
    {6, "Checkpoint", "find", .text = "today the small cat has seen the old dog",
     .checkpoint = "1000",
     .said = "find,\"today the small cat has seen the old dog\",found,as measured"},
    {6, "Checkpoint", "find", .text = "today the small cat has seen the old dog", .checkpoint = "0",
     .said = "find,\"today the small cat has seen the old dog\",not found,not"},
    {6, "Checkpoint", "find", .text = "today the small cat has seen the old dog", .checkpoint = "3",
     .said = "find,\"today the small cat has seen the old dog\",,not clear"},
};

static void
append_member(GString *out, const char *name, const char *value, gboolean is_text)
{
  const char *quote = value && is_text ? "\"" : "";
  g_string_append_printf(out, ", \"%s\": %s%s%s", name, quote, value ? value : "null", quote);
}

/* A file of these answers. */
static char *
hand_in(const char *name, const char *hash, const char *model, const guint *rows, guint n)
{
  g_autoptr(GString) text = g_string_new(NULL);
  g_string_printf(text,
                  "{\"format\": \"regard-answers\", \"version\": 1, \"program\": \"x\", "
                  "\"model\": %s, \"lessons\": [{\"id\": \"graded\", \"hash\": \"%s\", "
                  "\"step\": 1, \"title\": \"\", \"done\": false, \"values\": {}, \"answers\": [",
                  model, hash);
  for (guint i = 0; i < n; i++) {
    g_string_append_printf(text, "%s{\"step\": %u", i ? ", " : "", grades[rows[i]].step);
    append_member(text, "title", grades[rows[i]].title, TRUE);
    append_member(text, "question", grades[rows[i]].question, TRUE);
    append_member(text, "letter", grades[rows[i]].letter, TRUE);
    append_member(text, "number", grades[rows[i]].number, FALSE);
    append_member(text, "text", grades[rows[i]].text, TRUE);
    append_member(text, "changes", grades[rows[i]].changes ? grades[rows[i]].changes : "", TRUE);
    append_member(text, "cell", grades[rows[i]].cell, FALSE);
    append_member(text, "checkpoint", grades[rows[i]].checkpoint, FALSE);
    g_string_append(text, ", \"verdict\": \"not\", \"right\": \"\", \"measured\": null}");
  }
  g_string_append(text, "]}]}");
  return cli_scratch_file(name, text->str);
}

static void
test_grades(void)
{
  g_autofree char *lesson = cli_scratch_file("graded.lesson.md", graded);
  g_autofree char *hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, graded, -1);
  const char *words[] = {cli_program(), "lesson", "grade", "--lesson", lesson, NULL};
  g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < G_N_ELEMENTS(grades); i++) {
    g_autofree char *name = g_strdup_printf("%u.regard-answers", i);
    g_ptr_array_add(files, hand_in(name, hash, "null", &i, 1));
  }
  g_autofree char *out = run_with(words, files);
  g_auto(GStrv) lines = g_strsplit(out, "\n", -1);
  g_assert_cmpstr(lines[0], ==, "file,lesson,step,title,question,said,measured,verdict");
  /* Six questions each. */
  g_assert_cmpuint(g_strv_length(lines), ==, 6 * G_N_ELEMENTS(grades) + 2);
  for (guint i = 0; i < G_N_ELEMENTS(grades); i++) {
    g_autofree char *begin = g_strdup_printf("/%u.regard-answers\",\"graded\",", i);
    g_autofree char *end = g_strdup_printf(",\"%s\",%s", grades[i].title, grades[i].said);
    gboolean is_there = FALSE;
    for (guint k = 1 + 6 * i; k < 7 + 6 * i; k++)
      is_there = is_there || (strstr(lines[k], begin) && g_str_has_suffix(lines[k], end));
    if (!is_there)
      g_error("%u: expected %s, found:\n%s", i, end, out);
  }
}

/* What is said beside the table: another text of the lesson, another model; and what is left out.
 */
static void
test_graded(void)
{
  static const guint rows[] = {0, 6, 10};
  static const char other[] =
      "{\"name\": \"opus\", \"title\": null, \"archive\": false, \"files\": [{\"name\": \"a\", "
      "\"bytes\": 1, \"sha256\": "
      "\"0000000000000000000000000000000000000000000000000000000000000000\"}]}";
  g_autofree char *hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, graded, -1);
  g_autofree char *lesson = cli_scratch_file("graded.lesson.md", graded);
  g_autofree char *shorter =
      cli_scratch_file("shorter.lesson.md",
                       "---\nregard-lesson: 1\nid: graded\ntitle: Graded\ntext: A cat.\n---\n"
                       "\n## New\n\n```regard\nwait cell\n```\n"
                       "\n## Count\n\n```regard\nask number\nanswer tokens within 0\n```\n");
  g_autofree char *same = hand_in("same.regard-answers", hash, other, rows, G_N_ELEMENTS(rows));
  g_autofree char *broken = cli_scratch_file("broken.regard-answers", "{");
  g_autoptr(CliRun) run =
      cli_run(NULL, "lesson", "grade", "--json", "--lesson", lesson, broken, same, NULL);
  cli_assert_status(run, 1); /* since one is broken */
  g_assert_nonnull(strstr(run->err, "broken.regard-answers: expected JSON"));
  g_assert_nonnull(strstr(run->err, "the model that was asked, 'opus', is not this one"));
  g_assert_null(strstr(run->err, "was changed"));
  g_autoptr(json_object) all = cli_assert_json(run->out);
  g_assert_cmpuint(cli_json_length(all, "files"), ==, 1);
  json_object *file = json_object_array_get_idx(cli_json_member(all, "files"), 0);
  g_assert_cmpstr(cli_json_string(file, "model"), ==, "opus");
  json_object *of = json_object_array_get_idx(cli_json_member(file, "lessons"), 0);
  g_assert_true(json_object_get_boolean(cli_json_member(of, "is_same_text")));
  g_assert_cmpuint(cli_json_length(of, "questions"), ==, 6);
  json_object *change = json_object_array_get_idx(cli_json_member(of, "questions"), 2);
  g_assert_cmpstr(cli_json_string(change, "verdict"), ==, "as measured");
  g_assert_cmpstr(cli_json_string(change, "text"), ==, "I have a dog.");

  g_autoptr(CliRun) changed = cli_run_ok(NULL, "lesson", "grade", "--lesson", shorter, same, NULL);
  g_assert_nonnull(strstr(changed->err,
                          "the lesson 'graded' was changed since it was answered: steps "
                          "are found by their titles, and 2 of 3 answers fit none."));
  g_assert_nonnull(strstr(changed->out, "\"graded\",2,\"Count\",number,8,"));
  g_assert_null(strstr(changed->out, "Word"));
  cli_refuses(1, "no lesson 'graded' comes with Regard; --lesson FILE gives it", NULL, "lesson",
              "grade", same, NULL);
  cli_refuses(1, "broken.regard-answers: expected JSON", NULL, "lesson", "grade", broken, NULL);
  cli_refuses(1, "/nonexistent", NULL, "lesson", "grade", "/nonexistent", NULL);
  cli_refuses(1, "broken.regard-answers, line 1", NULL, "lesson", "grade", "--lesson", broken, same,
              NULL);
  cli_refuses(2, "grade wants FILE.regard-answers", NULL, "lesson", "grade", NULL);
}

static void
test_refused(void)
{
  g_autofree char *lesson = cli_scratch_file("good.lesson.md", good);
  g_autofree char *broken =
      cli_scratch_file("broken.lesson.md", BEGIN "\n## One\n\n```regard\nrun\n");
  g_autofree char *model =
      cli_scratch_file("model.lesson.md", BEGIN "\n## One\n\n```regard\nmodel en-fr\n```\n");
  g_autofree char *head = cli_scratch_file(
      "head.lesson.md",
      BEGIN "\n## One\n\n```regard\nask number\nanswer row-sum(cross 9.1, 1) within 1\n```\n");
  cli_refuses(2, "expected check, grade or strings, found nothing", NULL, "lesson", NULL);
  cli_refuses(2, "expected check, grade or strings, found 'mark'", NULL, "lesson", "mark", NULL);
  cli_refuses(2, "check wants FILE.lesson.md", NULL, "lesson", "check", NULL);
  cli_refuses(2, "strings wants FILE.lesson.md", NULL, "lesson", "strings", NULL);
  cli_refuses(2, "--sentences wants a whole number", NULL, "lesson", "check", "--sentences", "-1",
              lesson, NULL);
  cli_refuses(1, "line 11: expected a directive such as 'page', 'let' or 'ask', found 'run'", NULL,
              "lesson", "check", broken, NULL);
  cli_refuses(1, "line 11", NULL, "lesson", "strings", broken, NULL);
  cli_refuses(1, "No model 'en-fr' comes with Regard", NULL, "lesson", "check", model, NULL);
  cli_refuses(1, "has no head cross 9.1", NULL, "lesson", "check", head, NULL);
  cli_refuses(1, "/nonexistent", NULL, "lesson", "check", "/nonexistent", NULL);
  cli_refuses(1, "/nonexistent", NULL, "lesson", "check", "--texts", "/nonexistent", lesson, NULL);
}

/* Every claim of every lesson that comes with Regard, with the bundled model and three sentences.
 */
static void
test_bundled(void)
{
  g_autofree char *model = cli_source_path("models/en-de");
  g_autoptr(GPtrArray) files = list_lessons();
  const char *words[] = {cli_program(), "lesson",  "check", "--sentences",
                         "3",           "--model", model,   NULL};
  g_autofree char *out = run_with(words, files);
  /* None of them is hard to follow. */
  if (strstr(out, "\nline "))
    g_error("%s", out);
}

/* No lesson is measured with a sentence that it was written with, and those that go before one are
 * there. */
static void
test_written(void)
{
  g_autofree char *folder = cli_source_path("assets/lessons");
  g_autofree char *path = cli_source_path("tests/data/first-forty.en.txt");
  g_autofree char *text = cli_contents(path, NULL);
  g_auto(GStrv) sentences = g_strsplit(text, "\n", -1);
  g_autoptr(GHashTable) ids = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr(GString) after = g_string_new("one-minute");
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  for (const char *name; (name = g_dir_read_name(dir));) {
    g_autofree char *file = g_build_filename(folder, name, NULL);
    g_autofree char *lesson = cli_contents(file, NULL);
    for (guint i = 0; sentences[i]; i++)
      if (*sentences[i] && strstr(lesson, sentences[i]))
        g_error("%s has the sentence: %s", name, sentences[i]);
    const char *id = strstr(lesson, "\nid: "), *before = strstr(lesson, "\nafter: ");
    g_assert_nonnull(id);
    g_hash_table_add(ids, g_strndup(id + 5, strcspn(id + 5, "\n")));
    if (before) {
      g_string_append(after, ", ");
      g_string_append_len(after, before + 8, (gssize) strcspn(before + 8, "\n"));
    }
  }
  g_assert_cmpuint(g_hash_table_size(ids), ==, 15);
  g_auto(GStrv) names = g_strsplit(after->str, ", ", -1);
  for (guint i = 0; names[i]; i++)
    if (!g_hash_table_contains(ids, names[i]))
      g_error("no lesson has the id %s", names[i]);
}

TESTS()
{
  g_test_add_func("/cli-lesson/check", test_check);
  g_test_add_func("/cli-lesson/json", test_json);
  g_test_add_func("/cli-lesson/not-clear", test_not_clear);
  g_test_add_func("/cli-lesson/warnings", test_warnings);
  g_test_add_func("/cli-lesson/strings", test_strings);
  g_test_add_func("/cli-lesson/template", test_template);
  g_test_add_func("/cli-lesson/grades", test_grades);
  g_test_add_func("/cli-lesson/graded", test_graded);
  g_test_add_func("/cli-lesson/refused", test_refused);
  g_test_add_func("/cli-lesson/written", test_written);
  g_test_add_func("/cli-lesson/bundled", test_bundled);
}
