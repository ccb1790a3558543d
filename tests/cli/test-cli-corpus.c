/* test-cli-corpus.c — regard-cli corpus: its numbers against numpy, killed and gone on with,
 * merged, asked, and what is refused; and that the window makes the same file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-test.h"
#include "measure/regard-corpus-run.h"
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

/* ---- As the window makes it -------------------------------------------------------------------
 */

typedef struct {
  mt_model *model;
  mt_request request;
  guint64 stop_at; /* sentences; 0: never */
  RegardCorpusProgress progress;
} Window;

static void
on_progress(void *user, const RegardCorpusProgress *progress)
{
  ((Window *) user)->progress = *progress;
}

static bool
should_stop(void *user)
{
  const Window *w = user;
  return w->stop_at > 0 && w->progress.n_sentences >= w->stop_at;
}

static Window
open_window(const char *dir)
{
  mt_error error = {0};
  Window w = {.model = mt_model_open(dir, NULL, &error)};
  g_assert_cmpstr(error.message, ==, "");
  gsize row;
  g_assert_true(mt_search_find_field("beam_size", &row));
  g_assert_true(mt_request_set(&w.request, row, 1, &error));
  return w;
}

static gboolean
order(Window *w, const char *text, const char *path, char **left_out, GError **error)
{
  const RegardCorpusOrder wanted = {.model = w->model,
                                    .request = &w->request,
                                    .text = text,
                                    .path = path,
                                    .on_progress = on_progress,
                                    .should_stop = should_stop,
                                    .user = w};
  w->progress = (RegardCorpusProgress){0};
  return regard_corpus_run_order(&wanted, left_out, error);
}

static void
refuse_order(Window *w, const char *text, const char *path, const char *words)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *left_out = NULL;
  g_assert_false(order(w, text, path, &left_out, &error));
  if (!strstr(error->message, words))
    g_error("expected “%s” in “%s”", words, error->message);
}

/* The same numbers as the command's, also after it was stopped; and the command goes on with what
 * the window began. */
static void
test_window(void)
{
  g_autofree char *text = some_lines("shared", 0, 60), *other = some_lines("not-shared", 3, 60),
                  *of_cli = cli_scratch_path("of-cli" FILE_ENDING),
                  *path = cli_scratch_path("of-window" FILE_ENDING),
                  *mixed = cli_scratch_path("mixed" FILE_ENDING), *left_out = NULL;
  g_autoptr(GError) error = NULL;
  make(text, of_cli);
  Window w = open_window(g_getenv("REGARD_MODEL_DIR"));
  w.stop_at = 1;
  g_assert_false(order(&w, text, path, &left_out, &error));
  g_assert_true(g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED));
  const guint64 n = w.progress.n_sentences;
  g_assert_cmpuint(n, >=, 1);
  g_assert_cmpuint(n, <, 60);
  g_assert_cmpuint(w.progress.n_lines, ==, 60);
  mt_error wrong = {0};
  mt_corpus *part = mt_corpus_open(path, &wrong); /* what there is can be looked at */
  g_assert_false(mt_corpus_get_about(part)->is_complete);
  g_assert_cmpuint(mt_corpus_get_about(part)->n_sentences, ==, n);
  mt_corpus_close(part);
  w.stop_at = 0;
  refuse_order(&w, other, path, "was begun with another text");
  g_autofree char *dir = cli_source_path("models/learning/checkpoints/step-00001000");
  Window foreign = open_window(dir);
  refuse_order(&foreign, text, path, "another model");
  mt_model_unref(foreign.model);
  g_clear_error(&error);
  g_assert_true(order(&w, text, path, &left_out, &error));
  g_assert_no_error(error);
  g_assert_null(left_out);
  g_assert_cmpuint(w.progress.n_sentences, ==, 60);
  g_assert_cmpuint(hash_of(path), ==, hash_of(of_cli));
  /* Whole: there is nothing to do, for the same text only. */
  g_assert_true(order(&w, text, path, &left_out, &error));
  refuse_order(&w, other, path, "was begun with another text");
  /* Begun here, ended by the command. */
  w.stop_at = 1;
  g_assert_false(order(&w, text, mixed, &left_out, &error));
  make(text, mixed);
  g_assert_cmpuint(hash_of(mixed), ==, hash_of(of_cli));
  mt_model_unref(w.model);
}

static void
test_window_refuses(void)
{
  g_autofree char *empty = cli_scratch_file("empty", ""),
                  *bytes = cli_scratch_file("bytes", "\xff\xfe\n\xff\n"),
                  *bad = cli_scratch_file("bad", "I have two dogs.\n\nnot \xff UTF-8\n"),
                  *path = cli_scratch_path("refused-here" FILE_ENDING), *left_out = NULL;
  g_autoptr(GString) endless = g_string_new("I have two dogs.\n");
  g_autoptr(GError) error = NULL;
  for (guint i = 0; i < (1 << 20) / 8 + 1; i++)
    g_string_append(endless, "no end, ");
  g_autofree char *long_line = cli_scratch_file("long-line", endless->str);
  Window w = open_window(g_getenv("REGARD_MODEL_DIR"));
  refuse_order(&w, empty, path, "is empty");
  refuse_order(&w, bytes, path, "no line of it is text in UTF-8");
  refuse_order(&w, "/nowhere/text", path, "cannot open");
  g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS)); /* nothing was begun */
  refuse_order(&w, bad, "/nowhere/at/all" FILE_ENDING, "/nowhere/at/all");
  refuse_order(&w, bad, bytes, "is no corpus file");
  g_assert_true(order(&w, bad, path, &left_out, &error));
  g_assert_no_error(error);
  g_assert_nonnull(strstr(left_out, "Line 3: "));
  g_assert_cmpuint(w.progress.n_left_out, ==, 1);
  g_clear_pointer(&left_out, g_free);
  g_autofree char *of_long = cli_scratch_path("of-long" FILE_ENDING);
  g_assert_true(order(&w, long_line, of_long, &left_out, &error));
  g_assert_nonnull(strstr(left_out, "Line 2: the line is longer than 1 MiB"));
  mt_model_unref(w.model);
}

/* While one program writes a file, another is refused; when the first was killed, it is not. */
static void
test_two_programs(void)
{
  g_autofree char *text = some_lines("twice", 0, 100),
                  *path = cli_scratch_path("twice" FILE_ENDING),
                  *whole = cli_scratch_path("once" FILE_ENDING), *left_out = NULL;
  g_autoptr(GError) error = NULL;
  make(text, whole);
  g_autoptr(GSubprocess) first =
      g_subprocess_new(G_SUBPROCESS_FLAGS_STDOUT_SILENCE | G_SUBPROCESS_FLAGS_STDERR_SILENCE,
                       &error, g_getenv("REGARD_CLI"), "corpus", "--beam", "1", "--commit", "10",
                       "-o", path, text, NULL);
  g_assert_no_error(error);
  /* As soon as it has begun it stands still, wherever it is. */
  GStatBuf info = {0};
  while (g_stat(path, &info) != 0 || info.st_size == 0)
    g_usleep(1000);
  g_subprocess_send_signal(first, SIGSTOP);
  cli_refuses(1, "twice" FILE_ENDING ": another program is writing it", NULL, "corpus", "--beam",
              "1", "-o", path, text, NULL);
  Window w = open_window(g_getenv("REGARD_MODEL_DIR"));
  refuse_order(&w, text, path, "twice" FILE_ENDING ": another program is writing it");
  g_subprocess_send_signal(first, SIGKILL);
  g_subprocess_wait(first, NULL, NULL);
  g_assert_true(order(&w, text, path, &left_out, &error));
  g_assert_no_error(error);
  g_assert_cmpuint(hash_of(path), ==, hash_of(whole));
  mt_model_unref(w.model);
}

/* --commit: what is told to be in the file, but for the last so many sentences, is in it. */
static void
on_committed(gpointer user, const RegardCorpusProgress *progress)
{
  mt_error error = {0};
  mt_corpus *corpus = mt_corpus_open(user, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_assert_cmpuint(mt_corpus_get_about(corpus)->n_sentences, ==, progress->n_sentences);
  mt_corpus_close(corpus);
}

static void
say_nothing(gpointer user, const RegardCorpusProblem *problem)
{
}

static void
test_commit(void)
{
  g_autofree char *text = some_lines("committed", 0, 80),
                  *path = cli_scratch_path("committed" FILE_ENDING);
  Window w = open_window(g_getenv("REGARD_MODEL_DIR"));
  const mt_search_params params = mt_request_resolve(&w.request, w.model);
  const mt_hooks hooks = {0};
  mt_error error = {0};
  mt_session *session = mt_session_new(w.model, NULL, &error);
  RegardCorpusProgress progress;
  g_assert_cmpint(regard_corpus_run(&(const RegardCorpusRun){.session = session,
                                                             .model = w.model,
                                                             .request = &w.request,
                                                             .params = &params,
                                                             .hooks = &hooks,
                                                             .text = text,
                                                             .path = path,
                                                             .commit = 1,
                                                             .say = say_nothing,
                                                             .on_progress = on_committed,
                                                             .user = path},
                                    &progress),
                  ==, REGARD_CORPUS_MADE);
  g_assert_cmpuint(progress.n_sentences, ==, 80);
  mt_session_free(session);
  mt_model_unref(w.model);
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
  g_test_add_func("/cli/corpus/window", test_window);
  g_test_add_func("/cli/corpus/window-refuses", test_window_refuses);
  g_test_add_func("/cli/corpus/commit", test_commit);
  g_test_add_func("/cli/corpus/parts", test_parts);
  g_test_add_func("/cli/corpus/killed", test_killed);
  g_test_add_func("/cli/corpus/two-programs", test_two_programs);
  g_test_add_func("/cli/corpus/other-text", test_other_text);
  g_test_add_func("/cli/corpus/show", test_show);
  g_test_add_func("/cli/corpus/importance", test_importance);
}
