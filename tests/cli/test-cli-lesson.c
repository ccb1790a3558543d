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
  cli_refuses(2, "expected check or strings, found nothing", NULL, "lesson", NULL);
  cli_refuses(2, "expected check or strings, found 'mark'", NULL, "lesson", "mark", NULL);
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
  g_test_add_func("/cli-lesson/refused", test_refused);
  g_test_add_func("/cli-lesson/written", test_written);
  g_test_add_func("/cli-lesson/bundled", test_bundled);
}
