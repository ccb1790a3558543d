/* test-cli-corpus.c — regard-cli corpus: its numbers against numpy, killed and gone on with,
 * merged, asked, and what is refused.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-test.h"
#include "suite.h"

#include <glib/gstdio.h>
#include <mt.h>
#include <signal.h>
#include <string.h>

#define FILE_ENDING ".regard-corpus"

static guint64
hash_of(const char *path)
{
  mt_error error = {0};
  mt_corpus *corpus = mt_corpus_open(path, &error);
  g_assert_cmpstr(error.message, ==, "");
  const guint64 hash = mt_corpus_hash(corpus, &error);
  mt_corpus_close(corpus);
  return hash;
}

/* The first n lines of a text, from line `from` on, as a file of their own. */
static char *
some_lines(const char *name, guint from, guint n)
{
  g_autofree char *source = cli_source_path("tests/data/sentences.en.txt"), *text = NULL;
  g_assert_true(g_file_get_contents(source, &text, NULL, NULL));
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  g_autoptr(GString) some = g_string_new(NULL);
  for (guint i = from; i < from + n; i++)
    g_string_append_printf(some, "%s\n", lines[i]);
  char *path = cli_scratch_path(name);
  g_assert_true(g_file_set_contents(path, some->str, -1, NULL));
  return path;
}

static void
make(const char *text, const char *path)
{
  cli_succeeds(NULL, "corpus", "--beam", "1", "-o", path, text, NULL);
}

/* tests/reference/corpus.py exports captures and adds them up with numpy. */
static void
test_numpy(void)
{
  g_autofree char *script = cli_source_path("tests/reference/corpus.py");
  g_autofree char *text = some_lines("numpy.txt", 0, 12);
  const char *const argv[] = {"/usr/bin/python3", script, cli_program(), text, cli_scratch(), NULL};
  g_autoptr(GError) error = NULL;
  g_autoptr(GSubprocess) python = g_subprocess_newv(argv, G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error);
  g_assert_no_error(error);
  g_autofree char *out = NULL;
  g_assert_true(g_subprocess_communicate_utf8(python, NULL, NULL, &out, NULL, &error));
  g_test_message("%s", out);
  g_assert_true(g_subprocess_get_successful(python));
}

static void
test_parts(void)
{
  g_autofree char *text = some_lines("text", 0, 40), *a = some_lines("a", 0, 13),
                  *b = some_lines("b", 13, 27);
  g_autofree char *whole = cli_scratch_path("whole" FILE_ENDING),
                  *one = cli_scratch_path("one" FILE_ENDING),
                  *two = cli_scratch_path("two" FILE_ENDING),
                  *both = cli_scratch_path("both" FILE_ENDING);
  make(text, whole);
  make(a, one);
  make(b, two);
  cli_succeeds(NULL, "corpus", "merge", "-o", both, one, two, NULL);
  g_assert_cmpuint(hash_of(whole), ==, hash_of(both));
  /* Made again: nothing to do. */
  cli_succeeds(NULL, "corpus", "--beam", "1", "-o", whole, text, NULL);
  g_assert_cmpuint(hash_of(whole), ==, hash_of(both));
  /* Of other work. */
  cli_refuses(1, "another search", NULL, "corpus", "--beam", "2", "-o", whole, text, NULL);
  cli_refuses(1, "is there already", NULL, "corpus", "merge", "-o", both, one, two, NULL);
}

/* Killed by a signal that no program can catch, at any time, again and again. */
static void
test_killed(void)
{
  g_autofree char *text = some_lines("long", 0, 100),
                  *path = cli_scratch_path("killed" FILE_ENDING),
                  *whole = cli_scratch_path("not-killed" FILE_ENDING);
  const char *program = g_getenv("REGARD_CLI");
  g_autoptr(GError) error = NULL;
  make(text, whole);
  for (guint i = 0; i < 4; i++) {
    g_autoptr(GSubprocess) half =
        g_subprocess_new(G_SUBPROCESS_FLAGS_STDOUT_SILENCE | G_SUBPROCESS_FLAGS_STDERR_SILENCE,
                         &error, program, "corpus", "--beam", "1", "--commit", "10", "-o", path,
                         text, NULL);
    g_assert_no_error(error);
    g_usleep((60 + 180 * i) * 1000);
    g_subprocess_send_signal(half, i % 4 == 3 ? SIGINT : SIGKILL);
    g_subprocess_wait(half, NULL, NULL);
    mt_error wrong = {0};
    mt_corpus *corpus = g_file_test(path, G_FILE_TEST_EXISTS) ? mt_corpus_open(path, &wrong) : NULL;
    /* Before the first commit there may be a file that is nothing yet. */
    if (corpus)
      g_assert_cmpuint(mt_corpus_hash(corpus, &wrong), !=, 0);
    mt_corpus_close(corpus);
  }
  cli_succeeds(NULL, "corpus", "--beam", "1", "-o", path, text, NULL);
  g_assert_cmpuint(hash_of(path), ==, hash_of(whole));
}

static void
test_other_text(void)
{
  g_autofree char *text = some_lines("first", 0, 20), *other = some_lines("other", 5, 40),
                  *path = cli_scratch_path("begun" FILE_ENDING);
  cli_succeeds(NULL, "corpus", "--beam", "1", "--sentences", "10", "-o", path, text, NULL);
  mt_error error = {0};
  mt_corpus *corpus = mt_corpus_open(path, &error);
  g_assert_cmpuint(mt_corpus_get_about(corpus)->n_sentences, ==, 10);
  mt_corpus_close(corpus);
  /* As an interrupted one: the file says that there is more. */
  g_autofree char *sqlite = g_find_program_in_path("python3");
  g_autofree char *line = g_strdup_printf(
      "import sqlite3; c = sqlite3.connect('%s'); c.execute(\"UPDATE about SET value = 0 WHERE "
      "key = 'complete'\"); c.commit()",
      path);
  const char *const argv[] = {sqlite, "-c", line, NULL};
  g_assert_true(g_spawn_sync(NULL, (char **) argv, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL));
  cli_refuses(1, "begun with another text", NULL, "corpus", "--beam", "1", "-o", path, other, NULL);
  cli_succeeds(NULL, "corpus", "--beam", "1", "-o", path, text, NULL);
  g_autofree char *all = cli_scratch_path("all" FILE_ENDING);
  make(text, all);
  g_assert_cmpuint(hash_of(path), ==, hash_of(all));
}

static void
test_left_out(void)
{
  g_autofree char *path = cli_scratch_path("left-out" FILE_ENDING),
                  *text =
                      cli_scratch_file("bad",
                                       "I have two dogs.\n\nnot \xff UTF-8\nWe like our house.\n");
  cli_refuses(1, "bad:3:", NULL, "corpus", "--beam", "1", "-o", path, text, NULL);
  mt_error error = {0};
  mt_corpus *corpus = mt_corpus_open(path, &error);
  g_assert_cmpuint(mt_corpus_get_about(corpus)->n_sentences, ==, 2);
  g_assert_cmpuint(mt_corpus_get_about(corpus)->n_left_out, ==, 1);
  g_assert_true(mt_corpus_get_about(corpus)->is_complete);
  mt_corpus_sentence *s = mt_corpus_sentence_new(corpus, 2, &error);
  g_assert_cmpuint(s->line, ==, 4);
  mt_corpus_sentence_free(s);
  mt_corpus_close(corpus);
}

static void
test_show(void)
{
  g_autofree char *text = some_lines("shown", 0, 40), *path = cli_scratch_path("shown" FILE_ENDING);
  make(text, path);
  g_autoptr(CliRun) list = cli_run_ok(NULL, "corpus", "show", path, NULL);
  g_assert_nonnull(strstr(list->out, "shown, en-de: 40 sentences"));
  g_assert_nonnull(strstr(list->out, "\ncross 6.8 "));
  g_autoptr(CliRun) card =
      cli_run_ok(NULL, "corpus", "show", path, "--head", "cross 4.1", "--measure", "special", NULL);
  g_assert_nonnull(strstr(card->out, "strongest by special"));
  g_autoptr(CliRun) json = cli_run_ok(NULL, "corpus", "show", "--json", path, NULL);
  g_autoptr(json_object) all = cli_assert_json(json->out);
  g_assert_cmpuint(cli_json_length(all, "heads"), ==, 144);
  g_autoptr(CliRun) hits = cli_run_ok(NULL, "corpus", "show", "--json", path, "--head", "cross 4.1",
                                      "--measure", "special", "--least", "0.1", NULL);
  g_autoptr(json_object) found = cli_assert_json(hits->out);
  g_assert_cmpint(json_object_get_int(cli_json_member(found, "total")), >, 0);
  g_autoptr(CliRun) csv =
      cli_run_ok(NULL, "corpus", "show", "--csv", path, "--search", "the", NULL);
  g_assert_true(g_str_has_prefix(csv->out, "sentence,line,value,text,translation\n"));
}

static void
test_trees(void)
{
  g_autofree char *trees = cli_scratch_path("trees.conllu"),
                  *path = cli_scratch_path("trees" FILE_ENDING);
  const char *good = "# text = I have two dogs.\n"
                     "1\tI\t_\t_\t_\t_\t2\tnsubj\t_\t_\n2\thave\t_\t_\t_\t_\t0\troot\t_\t_\n"
                     "3\ttwo\t_\t_\t_\t_\t4\tnummod\t_\t_\n4\tdogs\t_\t_\t_\t_\t2\tobj\t_\t_\n"
                     "5\t.\t_\t_\t_\t_\t2\tpunct\t_\t_\n\n";
  g_autofree char *bad = g_strconcat(good, "1\tx\t_\t_\t_\t_\t7\tnsubj\t_\t_\n\n", NULL);
  g_assert_true(g_file_set_contents(trees, bad, -1, NULL));
  cli_refuses(1, "trees.conllu:8:", NULL, "corpus", "--beam", "1", "--conllu", trees, "-o", path,
              NULL);
  g_assert_true(g_file_set_contents(trees, good, -1, NULL));
  g_unlink(path);
  cli_succeeds(NULL, "corpus", "--beam", "1", "--conllu", trees, "-o", path, NULL);
  g_autoptr(CliRun) json =
      cli_run(NULL, "corpus", "show", "--json", "--head", "encoder 1.1", path, NULL);
  g_assert_nonnull(strstr(json->out, "\"nummod\""));
}

static void
test_importance(void)
{
  g_autofree char *text = some_lines("effects", 0, 3),
                  *path = cli_scratch_path("effects" FILE_ENDING);
  cli_succeeds(NULL, "corpus", "--beam", "1", "--importance", "zero", "-o", path, text, NULL);
  g_autofree char *file = some_lines("effects2", 0, 3);
  g_autoptr(CliRun) effects =
      cli_run_ok(NULL, "effects", "--file", file, "--beam", "1", "--top", "200", NULL);
  mt_error error = {0};
  mt_corpus *corpus = mt_corpus_open(path, &error);
  mt_corpus_statistics s;
  g_assert_true(mt_corpus_get(corpus, MT_CROSS, 3, 0, MT_CORPUS_EFFECT, &s, &error));
  g_assert_cmpuint(s.n, ==, 3);
  g_autofree char *line = g_strdup_printf("%+10.4f  cross 4.1\n", s.mean);
  g_assert_nonnull(strstr(effects->out, line));
  mt_corpus_close(corpus);
}

static void
test_refused(void)
{
  g_autofree char *text = some_lines("refused", 0, 2),
                  *path = cli_scratch_path("refused" FILE_ENDING);
  static const struct {
    const char *arguments[6], *what;
    int status;
  } rows[] = {
      {{"corpus"}, "one FILE wanted", 2},
      {{"corpus", "x"}, "-o FILE", 2},
      {{"corpus", "merge", "x"}, "-o FILE", 2},
      {{"corpus", "merge", "-o", "x"}, "merge wants corpus files", 2},
      {{"corpus", "show"}, "one corpus file", 2},
      {{"corpus", "show", "/nowhere/x"}, "/nowhere/x", 1},
      {{"corpus", "--conllu", "x", "y"}, "in the place of FILE", 2},
  };
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    const char *const *a = rows[i].arguments;
    g_autoptr(CliRun) run = cli_run(NULL, a[0], a[1], a[2], a[3], a[4], NULL);
    cli_assert_complains(run, rows[i].status, rows[i].what);
  }
  cli_refuses(1, "is no corpus file", NULL, "corpus", "show", text, NULL);
  cli_refuses(1, "is no corpus file", NULL, "corpus", "-o", text, text, NULL);
  make(text, path);
  cli_refuses(2, "cross 4.1", NULL, "corpus", "show", path, "--head", "cross 9.1", NULL);
  cli_refuses(2, "have no 'next'", NULL, "corpus", "show", path, "--head", "cross 1.1", "--measure",
              "next", NULL);
}

TESTS()
{
  g_test_add_func("/cli/corpus/left-out", test_left_out);
  g_test_add_func("/cli/corpus/trees", test_trees);
  g_test_add_func("/cli/corpus/refused", test_refused);
  if (suite_is_watched()) /* what runs the engine for long, its own tests watch */
    return;
  g_test_add_func("/cli/corpus/numpy", test_numpy);
  g_test_add_func("/cli/corpus/parts", test_parts);
  g_test_add_func("/cli/corpus/killed", test_killed);
  g_test_add_func("/cli/corpus/other-text", test_other_text);
  g_test_add_func("/cli/corpus/show", test_show);
  g_test_add_func("/cli/corpus/importance", test_importance);
}
