/* test-cli-translate.c — a line in, a line out, in order, at once; and what happens to bad lines.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-test.h"
#include "suite.h"

#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define DOGS        "I have two dogs."
#define DOGS_GERMAN "Ich habe zwei Hunde."

/* The n-th line (from 0) without its newline; caller frees. */
static char *
line_of(const char *text, guint n)
{
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  g_assert_cmpuint(n, <, g_strv_length(lines));
  return g_strdup(lines[n]);
}

static guint
count_lines(const char *text)
{
  guint n = 0;
  for (; *text; text++)
    n += *text == '\n';
  return n;
}

static void
test_one_line(void)
{
  g_autoptr(CliRun) run = cli_run_ok(DOGS "\n", "translate", NULL);
  g_assert_cmpstr(run->out, ==, DOGS_GERMAN "\n");
  g_assert_cmpstr(run->err, ==, "");
}

static void
test_order_and_empty_lines(void)
{
  g_autoptr(CliRun) run = cli_run_ok("\n" DOGS "\n   \t\nThe house is small.\r\n\nThank you.",
                                     "translate", "--beam", "1", NULL);
  g_assert_cmpuint(count_lines(run->out), ==, 6);
  for (guint i = 0; i < 6; i++) {
    g_autofree char *line = line_of(run->out, i);
    if (i == 1 || i == 3 || i == 5)
      g_assert_cmpstr(line, !=, "");
    else
      g_assert_cmpstr(line, ==, "");
    g_assert_null(strchr(line, '\r'));
  }
  g_autofree char *dogs = line_of(run->out, 1), *house = line_of(run->out, 3);
  g_assert_cmpstr(dogs, ==, DOGS_GERMAN);
  g_assert_nonnull(strstr(house, "Haus"));
}

/* A multi-target model does as it is told: by --to, by the text itself, or not at all. */
static void
test_languages(void)
{
  g_autofree char *model = cli_source_path("tests/data/checkpoints/multi-target");
  g_autoptr(CliRun) told = cli_run_ok("the cat\n>>swe<< the cat\n", "translate", "--to", "zho_Hant",
                                      "--json", "--max-length", "8", "--model", model, NULL);
  g_assert_cmpstr(told->err, ==, "");
  static const char *const codes[] = {"zho_Hant", "swe"};
  g_auto(GStrv) texts = g_new0(char *, G_N_ELEMENTS(codes) + 1);
  for (guint i = 0; i < G_N_ELEMENTS(codes); i++) {
    g_autofree char *line = line_of(told->out, i);
    g_autoptr(json_object) object = cli_assert_json(line);
    g_assert_cmpstr(cli_json_string(object, "language"), ==, codes[i]);
    g_autofree char *token = g_strdup_printf(">>%s<<", codes[i]);
    g_assert_cmpstr(json_object_get_string(
                        json_object_array_get_idx(cli_json_member(object, "source_pieces"), 0)),
                    ==, token);
    texts[i] = g_strdup(json_object_to_json_string(cli_json_member(object, "hypotheses")));
  }
  g_assert_cmpstr(texts[0], !=, texts[1]);

  /* Untold it translates, and says once what is missing. */
  g_autoptr(CliRun) untold = cli_run_ok(">>deu<< the cat\nthe cat\nthe dog\n", "translate",
                                        "--max-length", "8", "--model", model, NULL);
  g_assert_cmpuint(count_lines(untold->err), ==, 1);
  g_assert_nonnull(strstr(untold->err, "multi-target translates into 12 languages (afr, nld, "));
  g_assert_nonnull(strstr(untold->err, "--to"));

  g_autoptr(CliRun) unknown = cli_run_refused(2, "found 'xyz'", "the cat\n", "translate", "--to",
                                              "xyz", "--model", model, NULL);
  g_assert_nonnull(strstr(unknown->err, "12 languages (afr, nld, "));
  g_assert_cmpstr(unknown->out, ==, "");
  /* Whatever the case, and said as the model has it. */
  g_autoptr(CliRun) loud =
      cli_run_ok("the cat\n", "translate", "--json", "--to", "zho_HANT", "--model", model, NULL);
  g_assert_nonnull(strstr(loud->out, "\"language\":\"zho_Hant\""));

  /* Codes of other conventions. */
  static const char *const same[] = {"zh_TW", "zho-hant", "__zh_Hant__"};
  for (guint i = 0; i < G_N_ELEMENTS(same); i++) {
    g_autoptr(CliRun) other =
        cli_run_ok("the cat\n", "tokenize", "--to", same[i], "--model", model, NULL);
    g_assert_true(g_str_has_prefix(other->out, ">>zho_Hant<< "));
  }

  cli_refuses(2, "found 'zh'", "the cat\n", "translate", "--to", "zh", "--model", model, NULL);

  cli_refuses(2, "en-de has one", DOGS "\n", "translate", "--to", "deu", NULL);
  cli_refuses(2, "en-de has one", DOGS "\n", "translate", "--from", "en", NULL);
  cli_refuses(2, "--from is for models with several source languages", "the cat\n", "translate",
              "--from", "eng", "--model", model, NULL);
}

static const char *
piece_at(json_object *pieces, gsize i)
{
  return json_object_get_string(json_object_array_get_idx(pieces, i));
}

/* NLLB reads the source's language and begins with the target's; it has one of its own for the
 * source only. */
static void
test_two_languages(void)
{
  g_autofree char *model = cli_source_path("tests/data/checkpoints/nllb-tiny");
  g_autoptr(CliRun) untold = cli_run_refused(2, "say which one with --to", "the cat\n", "translate",
                                             "--from", "en", "--model", model, NULL);
  g_assert_nonnull(strstr(untold->err, "nllb-tiny translates into 202 languages (ace_Arab, "));
  g_assert_cmpstr(untold->out, ==, "");

  static const struct {
    const char *from, *source, *prefix;
  } cases[] = {{"fr", "fra_Latn", NULL}, {"fra", "fra_Latn", "the dog"}, {NULL, "eng_Latn", NULL}};
  for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
    g_autoptr(CliRun) run =
        cli_run_ok("the cat\n", "translate", "--json", "--to", "de", "--max-length", "8", "--model",
                   model, cases[k].from ? "--from" : "--beam", cases[k].from ? cases[k].from : "2",
                   cases[k].prefix ? "--prefix" : NULL, cases[k].prefix, NULL);
    g_autoptr(json_object) object = cli_assert_json(run->out);
    json_object *best = json_object_array_get_idx(cli_json_member(object, "hypotheses"), 0);
    json_object *pieces = cli_json_member(best, "pieces");
    g_assert_cmpstr(cli_json_string(object, "source_language"), ==, cases[k].source);
    g_assert_cmpstr(cli_json_string(object, "language"), ==, "deu_Latn");
    g_assert_cmpstr(piece_at(cli_json_member(object, "source_pieces"), 0), ==, cases[k].source);
    g_assert_cmpstr(piece_at(pieces, 0), ==, "deu_Latn");
    if (cases[k].prefix)
      g_assert_cmpstr(piece_at(pieces, 1), ==, "▁the");
    /* Its own language is not taken in silence. */
    const char *said = strstr(run->err, "translates from eng_Latn, its own source language");
    g_assert_true((said != NULL) == (cases[k].from == NULL));
  }
  cli_refuses(2, "--from wants a language of nllb-tiny, found 'xyz'", "the cat\n", "translate",
              "--from", "xyz", "--to", "de", "--model", model, NULL);
}

static void
test_task(void)
{
  g_autofree char *model = cli_source_path("tests/data/checkpoints/t5-tiny");
  static const struct {
    const char *typed, *task, *prefix;
    gint64 beams;
  } cases[] = {{"summarization", "summarization", "summarize: ", 3}, {"say: ", NULL, "say: ", 1}};
  for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
    g_autoptr(CliRun) run = cli_run_ok("a cat\n", "translate", "--json", "--task", cases[k].typed,
                                       "--model", model, NULL);
    g_autoptr(json_object) object = cli_assert_json(run->out);
    json_object *task = cli_json_member(object, "task");
    json_object *settings = cli_json_member(object, "settings");
    g_assert_cmpstr(json_object_get_string(task), ==, cases[k].task);
    g_assert_cmpstr(cli_json_string(object, "task_prefix"), ==, cases[k].prefix);
    g_assert_cmpint(json_object_get_int64(cli_json_member(settings, "beam_size")), ==,
                    cases[k].beams);
    g_assert_cmpstr(cli_json_string(object, "text"), ==, "a cat");
    g_assert_cmpstr(run->err, ==, "");
  }
  /* An option goes before the task. A word that is no task may be a mistake. */
  g_autoptr(CliRun) wide = cli_run_ok("a cat\n", "translate", "--json", "--task", "summarization",
                                      "--beam", "2", "--model", model, NULL);
  g_assert_nonnull(strstr(wide->out, "\"beam_size\":2"));
  g_autoptr(CliRun) odd =
      cli_run_ok("a cat\n", "translate", "--task", "summary", "--model", model, NULL);
  g_assert_nonnull(strstr(odd->err,
                          "has no task 'summary', which is put before the text; its tasks "
                          "are summarization, translation_en_to_de"));
  cli_refuses(2, "en-de has no task 'x: '", "a\n", "translate", "--task", "x: ", NULL);
  g_autofree char *x = g_strnfill(257, 'x');
  cli_refuses(2, "it can have 256", "a\n", "translate", "--task", x, "--model", model, NULL);

  g_autoptr(CliRun) pieces =
      cli_run_ok("a cat\n", "tokenize", "--json", "--task", "say: ", "--model", model, NULL);
  g_autoptr(json_object) object = cli_assert_json(pieces->out);
  json_object *tokens = cli_json_member(object, "tokens");
  json_object *first = json_object_array_get_idx(tokens, 0);
  json_object *last = json_object_array_get_idx(tokens, json_object_array_length(tokens) - 1);
  g_assert_true(json_object_get_boolean(cli_json_member(first, "prefix")));
  g_assert_false(json_object_object_get_ex(last, "prefix", NULL));
  cli_refuses(2, "go with a source text", "a\n", "tokenize", "--target", "--task",
              "say: ", "--model", model, NULL);
}

/* Characters that the model does not know are named, from a pipe and of a file; it is no error. */
static void
test_unknown_characters(void)
{
  static const char text[] = DOGS "\nna\xc3\xafve dogs, 3,5 \xe2\x82\xac, na\xc3\xafve\n";
  g_autofree char *path = cli_scratch_path("unknown.txt");
  g_assert_true(g_file_set_contents(path, text, -1, NULL));
  g_autoptr(CliRun) piped = cli_run(text, "translate", "--json", NULL);
  g_autoptr(CliRun) file = cli_run(NULL, "translate", "--json", path, NULL);
  CliRun *const runs[] = {piped, file};
  for (guint i = 0; i < G_N_ELEMENTS(runs); i++) {
    cli_assert_status(runs[i], 0);
    g_assert_cmpuint(count_lines(runs[i]->err), ==, 1);
    g_assert_nonnull(strstr(runs[i]->err, ":2: the model does not know: \xc3\xaf \xe2\x82\xac\n"));
    static const char *const wanted[] = {"[]", "[\"\xc3\xaf\",\"\xe2\x82\xac\"]"};
    for (guint k = 0; k < 2; k++) {
      g_autofree char *line = line_of(runs[i]->out, k);
      g_autoptr(json_object) object = cli_assert_json(line);
      g_assert_cmpstr(json_object_to_json_string_ext(cli_json_member(object, "unknown"),
                                                     JSON_C_TO_STRING_PLAIN),
                      ==, wanted[k]);
    }
  }
}

/* However many they are, the message is one that can be read; JSON has them all. */
static void
test_many_unknown_characters(void)
{
  g_autoptr(GString) text = g_string_new("dogs ");
  for (guint i = 0; i < (suite_is_watched() ? 3000 : 33000); i++)
    g_string_append_unichar(text, 0x4e00 + i % 20000);
  for (guint i = 0; i < 40; i++) {
    g_string_append(text, " dogs ");
    g_string_append_unichar(text, 0x4e00 + i);
  }
  g_string_append_c(text, '\n');
  g_autoptr(CliRun) run = cli_run_ok(text->str, "translate", "--json", NULL);
  g_assert_cmpuint(strlen(run->err), <, 300);
  g_assert_nonnull(strstr(run->err, "the model does not know: \u4e00\u4e01\u4e02"));
  g_assert_nonnull(strstr(run->err, "… \u4e00 \u4e01"));
  g_assert_true(g_str_has_suffix(run->err, " and more\n"));
  g_autoptr(json_object) answer = cli_assert_json(run->out);
  g_assert_cmpuint(json_object_array_length(cli_json_member(answer, "unknown")), ==, 41);
}

static void
test_nothing(void)
{
  g_autoptr(CliRun) run = cli_run_ok("", "translate", NULL);
  g_assert_cmpstr(run->out, ==, "");
}

/* Each bad line is named, leaves an empty line, and the next one is translated. */
static void
test_bad_lines(void)
{
  g_autoptr(GString) in = g_string_new("caf\xE9\n" DOGS "\n");
  g_string_append_len(in, "a\0b\n", 4);
  for (guint i = 0; i < 600; i++)
    g_string_append(in, "one two three ");
  g_string_append(in, "\n");
  for (guint i = 0; i < 1100 * 1024; i++)
    g_string_append_c(in, 'a');
  g_string_append(in, "\n" DOGS "\n");

  g_autoptr(CliRun) run = cli_run_bytes(in->str, in->len, "translate", "-", NULL);
  cli_assert_status(run, 1);
  g_assert_cmpstr(run->out, ==, "\n" DOGS_GERMAN "\n\n\n\n" DOGS_GERMAN "\n");
  g_assert_cmpuint(count_lines(run->err), ==, 4);
  g_assert_nonnull(strstr(run->err, "-:1: "));
  g_assert_nonnull(strstr(run->err, "UTF-8"));
  g_assert_nonnull(strstr(run->err, "-:3: the line holds a NUL byte"));
  g_assert_nonnull(strstr(run->err, "-:4: "));
  g_assert_nonnull(strstr(run->err, "512"));
  g_assert_nonnull(strstr(run->err, "-:5: the line is longer than 1 MiB"));
}

/* A device without an end, and a paragraph without one: an error, and the next file is read. */
static void
test_endless(void)
{
  g_autofree char *paragraph = cli_scratch_path("paragraph.txt"),
                  *dogs = cli_scratch_file("dogs.txt", DOGS "\n");
  g_autoptr(CliRun) run = cli_run(NULL, "translate", "/dev/zero", dogs, NULL);
  cli_assert_status(run, 1);
  g_assert_cmpstr(run->out, ==, "\n" DOGS_GERMAN "\n");
  g_assert_cmpuint(count_lines(run->err), ==, 1);
  g_assert_nonnull(strstr(run->err, "/dev/zero:1: the line is longer than 64 MiB"));

  const gsize n = 1 << 20, n_lines = 65;
  FILE *file = fopen(paragraph, "w");
  g_autofree char *line = g_strnfill(n - 2, 'a');
  for (gsize i = 0; i < n_lines; i++)
    fprintf(file, "%s\n", line);
  fprintf(file, "\n" DOGS "\n");
  g_assert_cmpint(fclose(file), ==, 0);
  g_autoptr(CliRun) joined = cli_run(NULL, "translate", "--join-lines", paragraph, dogs, NULL);
  cli_assert_status(joined, 1);
  g_assert_cmpstr(joined->out, ==, "\n" DOGS_GERMAN "\n");
  g_assert_nonnull(strstr(joined->err, ":1: the paragraph is longer than 64 MiB"));
  g_assert_cmpint(unlink(paragraph), ==, 0);
}

static void
test_files(void)
{
  g_autofree char *a = cli_scratch_file("a.txt", "\xEF\xBB\xBF" DOGS "\n"),
                  *b = cli_scratch_file("b.txt", "caf\xE9\n" DOGS);
  g_autofree char *missing = cli_scratch_path("missing.txt");
  /* A byte order mark is not part of the sentence. */

  g_autoptr(CliRun) run = cli_run(DOGS "\n", "translate", a, "-", missing, cli_scratch(), b, NULL);
  cli_assert_status(run, 1);
  g_assert_cmpstr(run->out, ==, DOGS_GERMAN "\n" DOGS_GERMAN "\n\n" DOGS_GERMAN "\n");
  g_autofree char *where = g_strdup_printf("%s:1: ", b);
  g_assert_nonnull(strstr(run->err, where));
  g_assert_nonnull(strstr(run->err, "cannot open"));
  g_assert_nonnull(strstr(run->err, missing));
  g_assert_nonnull(strstr(run->err, "cannot read"));
}

static void
test_nbest(void)
{
  g_autoptr(CliRun) run = cli_run_ok(DOGS "\n\n" DOGS "\n", "translate", "--nbest", "3", NULL);
  g_assert_cmpuint(count_lines(run->out), ==, 9);
  double last = INFINITY;
  for (guint i = 0; i < 3; i++) {
    g_autofree char *line = line_of(run->out, i), *again = line_of(run->out, 6 + i);
    g_autofree char *empty = line_of(run->out, 3 + i);
    char *tab;
    double score = g_ascii_strtod(line, &tab);
    g_assert_cmpint(*tab, ==, '\t');
    g_assert_cmpfloat(score, <=, last);
    g_assert_cmpfloat(score, <, 0);
    last = score;
    g_assert_cmpstr(line, ==, again);
    g_assert_cmpstr(empty, ==, "");
    if (i == 0)
      g_assert_cmpstr(tab + 1, ==, DOGS_GERMAN);
  }
}

static void
test_json(void)
{
  g_autoptr(CliRun) run = cli_run(DOGS "\n\ncaf\xE9\n", "translate", "--json", "--nbest", "2",
                                  "--max-length", "30", NULL);
  cli_assert_status(run, 1);
  g_assert_cmpuint(count_lines(run->out), ==, 3);
  g_autofree char *first = line_of(run->out, 0), *second = line_of(run->out, 1),
                  *third = line_of(run->out, 2);

  json_object *object = cli_assert_json(first), *hypotheses;
  g_assert_cmpstr(cli_json_string(object, "text"), ==, DOGS);
  g_assert_cmpfloat(cli_json_number(object, "milliseconds"), >, 0);
  json_object *settings = cli_json_member(object, "settings");
  g_assert_cmpint(json_object_get_int(cli_json_member(settings, "max_length")), ==, 30);
  cli_json_member(settings, "length_penalty");
  g_assert_cmpuint(cli_json_length(object, "source_ids"), ==,
                   cli_json_length(object, "source_pieces"));
  hypotheses = cli_json_member(object, "hypotheses");
  g_assert_cmpuint(json_object_array_length(hypotheses), ==, 2);
  for (gsize i = 0; i < 2; i++) {
    json_object *h = json_object_array_get_idx(hypotheses, i), *logprobs, *score;
    const char *text = cli_json_string(h, "text");
    if (i == 0)
      g_assert_cmpstr(text, ==, DOGS_GERMAN);
    logprobs = cli_json_member(h, "logprobs");
    score = cli_json_member(h, "score");
    gsize n = cli_json_length(h, "ids");
    g_assert_cmpuint(n, >, 3);
    g_assert_cmpuint(cli_json_length(h, "pieces"), ==, n);
    g_assert_cmpuint(json_object_array_length(logprobs), ==, n);
    double sum = 0;
    for (gsize k = 0; k < n; k++) {
      double logprob = json_object_get_double(json_object_array_get_idx(logprobs, k));
      g_assert_cmpfloat(logprob, <=, 0);
      sum += logprob;
    }
    g_assert_cmpfloat_with_epsilon(cli_json_number(h, "sum_logprob"), sum, 1e-4);
    /* The length penalty of the frozen model is 1. */
    g_assert_cmpfloat_with_epsilon(json_object_get_double(score), sum / (double) n, 1e-4);
  }
  json_object_put(object);

  object = cli_assert_json(second);
  g_assert_cmpuint(cli_json_length(object, "hypotheses"), ==, 0);
  json_object_put(object);

  object = cli_assert_json(third);
  g_assert_nonnull(strstr(cli_json_string(object, "error"), "UTF-8"));
  g_assert_cmpint(json_object_get_int(cli_json_member(object, "line")), ==, 3);
  json_object_put(object);
}

static void
test_lengths(void)
{
  g_autoptr(CliRun) cut =
      cli_run(DOGS "\n", "translate", "--json", "--max-length", "4", "--beam", "1", NULL);
  g_autoptr(CliRun) stretched =
      cli_run(DOGS "\n", "translate", "--json", "--min-length", "20", "--max-length", "24", NULL);
  CliRun *runs[] = {cut, stretched};
  const gsize least[] = {1, 19}, most[] = {3, 23};
  for (gsize i = 0; i < 2; i++) {
    cli_assert_status(runs[i], 0);
    g_autoptr(json_object) object = cli_assert_json(runs[i]->out);
    json_object *ids =
        cli_json_member(json_object_array_get_idx(cli_json_member(object, "hypotheses"), 0), "ids");
    g_assert_cmpuint(json_object_array_length(ids), >=, least[i]);
    g_assert_cmpuint(json_object_array_length(ids), <=, most[i]);
  }
}

/* The number of threads changes the time, not the answer. */
static void
test_threads(void)
{
  g_autoptr(CliRun) one = cli_run_ok(DOGS "\n", "translate", "--threads", "1", NULL);
  g_autoptr(CliRun) two = cli_run_ok(DOGS "\n", "translate", "--threads", "2", NULL);
  g_assert_cmpstr(one->out, ==, two->out);
}

/* A program at the other end of the pipe gets each answer before it sends the next line. */
static void
test_conversation(void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GSubprocess) process =
      g_subprocess_new(G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error,
                       cli_program(), "translate", "--beam", "1", NULL);
  g_assert_no_error(error);
  GOutputStream *in = g_subprocess_get_stdin_pipe(process);
  g_autoptr(GDataInputStream) out = g_data_input_stream_new(g_subprocess_get_stdout_pipe(process));
  static const char *const lines[] = {DOGS, "", "Thank you.", DOGS};
  for (gsize i = 0; i < G_N_ELEMENTS(lines); i++) {
    g_autofree char *line = g_strconcat(lines[i], "\n", NULL);
    g_assert_true(g_output_stream_write_all(in, line, strlen(line), NULL, NULL, NULL));
    /* Would wait for ever if the answer stayed in a buffer; the test's timeout is the judge. */
    g_autofree char *answer = g_data_input_stream_read_line(out, NULL, NULL, NULL);
    g_assert_nonnull(answer);
    g_assert_cmpint(*answer == '\0', ==, *lines[i] == '\0');
  }
  g_assert_true(g_output_stream_close(in, NULL, NULL));
  g_assert_null(g_data_input_stream_read_line(out, NULL, NULL, NULL));
  g_assert_true(g_subprocess_wait_check(process, NULL, NULL));
}

/* A reader that goes away ends the program with status 1, by no signal and without a word. */
static void
test_reader_gone(void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GSubprocess) process =
      g_subprocess_new(G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE |
                           G_SUBPROCESS_FLAGS_STDERR_PIPE,
                       &error, cli_program(), "translate", "--beam", "1", NULL);
  g_assert_no_error(error);
  g_assert_true(g_input_stream_close(g_subprocess_get_stdout_pipe(process), NULL, NULL));
  GOutputStream *in = g_subprocess_get_stdin_pipe(process);
  for (guint i = 0; i < 3; i++)
    g_output_stream_write_all(in, DOGS "\n", strlen(DOGS) + 1, NULL, NULL, NULL);
  g_output_stream_close(in, NULL, NULL);
  char text[4096];
  gsize n = 0;
  g_input_stream_read_all(g_subprocess_get_stderr_pipe(process), text, sizeof text - 1, &n, NULL,
                          NULL);
  text[n] = '\0';
  g_subprocess_wait(process, NULL, NULL);
  g_assert_true(g_subprocess_get_if_exited(process));
  g_assert_cmpint(g_subprocess_get_exit_status(process), ==, 1);
  g_assert_cmpstr(text, ==, "");
}

/* A file is translated many lines at a time: the same answers, in the same order, with the same
 * complaints. */
static void
test_file_as_input(void)
{
  g_autofree char *path = cli_source_path("tests/data/sentences.en.txt"), *all = NULL;
  g_assert_true(g_file_get_contents(path, &all, NULL, NULL));
  g_auto(GStrv) sentences = g_strsplit(all, "\n", -1);
  g_autoptr(GString) in = g_string_new("\n \t\n");
  for (guint i = 0; i < (suite_is_watched() ? 10 : 30); i++) {
    g_string_append_printf(in, "%s\n", sentences[i * 5]);
    if (i == 7)
      for (guint k = 0; k < 600; k++)
        g_string_append(in, "one two three ");
    if (i % 7 == 0)
      g_string_append(in, "\ncaf\xE9\n\n");
  }
  g_string_append_len(in, "a\0b\n", 4);
  g_string_append(in, "\nThank you.\r\n\n" DOGS);
  g_autofree char *file = cli_scratch_path("lines.txt");
  g_assert_true(g_file_set_contents(file, in->str, (gssize) in->len, NULL));

  static const char *const more[][2] = {{"--beam", "1"},
                                        {"--nbest", "3"},
                                        {"--precision", "int8"},
                                        {"--batch-tokens", "7"}};
  const char *length = suite_is_watched() ? "16" : "40";
  for (gsize i = 0; i < G_N_ELEMENTS(more); i++) {
    g_autoptr(CliRun) lines = cli_run_bytes(in->str, in->len, "translate", "--max-length", length,
                                            more[i][0], more[i][1], NULL);
    g_autoptr(CliRun) whole =
        cli_run(NULL, "translate", "--max-length", length, more[i][0], more[i][1], file, NULL);
    cli_assert_status(lines, 1);
    cli_assert_status(whole, 1);
    g_assert_cmpstr(whole->out, ==, lines->out);
    g_auto(GStrv) parts = g_strsplit(lines->err, " -:", -1);
    g_autofree char *name = g_strdup_printf(" %s:", file), *expected = g_strjoinv(name, parts);
    g_assert_cmpstr(whole->err, ==, expected);
  }
}

/* Two objects of --json with the same keys, and the same values but for the file and the time. */
static void
assert_same_json(const char *a, const char *b)
{
  g_autoptr(json_object) x = cli_assert_json(a);
  g_autoptr(json_object) y = cli_assert_json(b);
  for (guint i = 0; i < 2; i++) {
    json_object_object_del(i ? x : y, "milliseconds");
    json_object_object_del(i ? x : y, "file");
  }
  g_assert_cmpstr(json_object_to_json_string(x), ==, json_object_to_json_string(y));
}

static void
test_file_json(void)
{
  static const char in[] = DOGS "\n\ncaf\xE9\nThank you very much, my friend.\n  \n";
  g_autofree char *file = cli_scratch_path("json.txt");
  g_assert_true(g_file_set_contents(file, in, -1, NULL));
  g_autoptr(CliRun) lines = cli_run(in, "translate", "--json", "--nbest", "2", NULL);
  g_autoptr(CliRun) whole = cli_run(NULL, "translate", "--json", "--nbest", "2", file, NULL);
  cli_assert_status(lines, 1);
  cli_assert_status(whole, 1);
  g_assert_cmpuint(count_lines(whole->out), ==, 5);
  for (guint i = 0; i < 5; i++) {
    g_autofree char *a = line_of(lines->out, i), *b = line_of(whole->out, i);
    assert_same_json(a, b);
  }
  cli_refuses(2, "batch-tokens", NULL, "translate", "--batch-tokens", "0", file, NULL);
}

/* A paragraph is one text, read from a file or from a pipe, and is named by its first line. */
static void
test_join_lines(void)
{
  static const char in[] = "\n I have two\r\n  dogs.\n\n \t\nThank you\nvery much, my friend.\n"
                           "你好，\n世界\n\ncaf\xE9\nx\n\nend";
  static const struct {
    int line;
    const char *text; /* NULL: an error */
  } expected[] = {{1, ""},
                  {2, "I have two dogs."},
                  {4, ""},
                  {5, " \t"},
                  {6, "Thank you very much, my friend. 你好，世界"},
                  {10, ""},
                  {11, NULL},
                  {13, ""},
                  {14, "end"}};
  g_autofree char *file = cli_scratch_path("paragraphs.txt");
  g_assert_true(g_file_set_contents(file, in, -1, NULL));
  g_autoptr(CliRun) lines = cli_run(in, "translate", "--json", "--join-lines", NULL);
  g_autoptr(CliRun) whole = cli_run(NULL, "translate", "--json", "--join-lines", file, NULL);
  g_autoptr(CliRun) pieces = cli_run(NULL, "tokenize", "--json", "--join-lines", file, NULL);
  CliRun *const runs[] = {lines, whole, pieces};
  for (gsize r = 0; r < G_N_ELEMENTS(runs); r++) {
    cli_assert_status(runs[r], 1);
    g_assert_cmpuint(count_lines(runs[r]->out), ==, G_N_ELEMENTS(expected));
    for (guint i = 0; i < G_N_ELEMENTS(expected); i++) {
      g_autofree char *out = line_of(runs[r]->out, i);
      g_autoptr(json_object) object = cli_assert_json(out);
      json_object *value;
      g_assert_cmpint(json_object_get_int(cli_json_member(object, "line")), ==, expected[i].line);
      g_assert_true(json_object_object_get_ex(object, "text", &value) ==
                    (expected[i].text != NULL));
      if (expected[i].text && *expected[i].text > ' ')
        g_assert_cmpstr(json_object_get_string(value), ==, expected[i].text);
    }
    g_assert_nonnull(strstr(runs[r]->err, ":11: "));
  }
}

/* Interrupted, or when nobody reads any more: what has come out is the beginning of it all. */
static void
test_file_interrupted(void)
{
  g_autofree char *path = cli_source_path("tests/data/sentences.en.txt");
  g_autoptr(CliRun) whole = cli_run_ok(NULL, "translate", "--beam", "1", path, NULL);
  for (guint closes = 0; closes < 2; closes++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(GSubprocess) process =
        g_subprocess_new(G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE, &error,
                         cli_program(), "translate", "--beam", "1", path, path, path, NULL);
    g_assert_no_error(error);
    GInputStream *out = g_subprocess_get_stdout_pipe(process);
    char first;
    g_assert_cmpint(g_input_stream_read(out, &first, 1, NULL, NULL), ==, 1);
    g_autoptr(GString) text = g_string_new_len(&first, 1);
    if (closes) {
      g_assert_true(g_input_stream_close(out, NULL, NULL));
    } else {
      g_subprocess_send_signal(process, SIGINT);
      char part[4096];
      gssize n;
      while ((n = g_input_stream_read(out, part, sizeof part, NULL, NULL)) > 0)
        g_string_append_len(text, part, n);
    }
    g_subprocess_wait(process, NULL, NULL);
    if (closes)
      g_assert_cmpint(g_subprocess_get_exit_status(process), ==, 1);
    else
      g_assert_true(g_subprocess_get_if_signaled(process));
    gsize length = strlen(whole->out);
    g_autofree char *thrice = g_strconcat(whole->out, whole->out, whole->out, NULL);
    g_assert_cmpuint(text->len, <, 3 * length);
    g_assert_true(g_str_has_prefix(thrice, text->str));
    g_assert_true(closes || text->str[text->len - 1] == '\n');
  }
}

/* A model whose second piece is always <unk>. */
static char *
write_unknowing(void)
{
  static const char *const files[] = {"config.json", "model.safetensors",     "source.spm",
                                      "target.spm",  "tokenizer_config.json", "vocab.json"};
  char *dir = cli_scratch_path("unknowing");
  g_assert_cmpint(g_mkdir(dir, 0755), ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *name = g_strconcat("tests/data/checkpoints/zero-pad/", files[i], NULL);
    g_autofree char *from = cli_source_path(name), *to = g_build_filename(dir, files[i], NULL);
    gsize n;
    g_autofree char *bytes = cli_contents(from, &n);
    g_assert_true(g_file_set_contents(to, bytes, (gssize) n, NULL));
  }
  g_autofree char *file = g_build_filename(dir, "generation_config.json", NULL);
  g_assert_true(g_file_set_contents(file,
                                    "{\"bad_words_ids\": [[124]], \"decoder_start_token_id\": 124,"
                                    " \"eos_token_id\": 0, \"pad_token_id\": 124,"
                                    " \"max_length\": 8, \"forced_decoder_ids\": [[2, 1]]}",
                                    -1, NULL));
  return dir;
}

/* Where the translation has <unk>, a word of the source stands, and it is marked. */
static void
test_copy_unknown(void)
{
  static const char text[] = "an in";
  g_autofree char *model = write_unknowing(),
                  *file = cli_scratch_file("unknowing.txt", "an in\n\nan in\n");
  g_autoptr(CliRun) plain = cli_run("an in\n", "translate", "-m", model, "--json", NULL);
  g_autoptr(CliRun) json =
      cli_run_ok("an in\n", "translate", "-m", model, "--copy-unknown", "--json", NULL);
  g_autoptr(CliRun) marked =
      cli_run_ok("an in\n", "translate", "-m", model, "--copy-unknown", NULL);
  g_autoptr(CliRun) many = cli_run(NULL, "translate", "-m", model, "--copy-unknown", file, NULL);
  g_autoptr(json_object) line = cli_assert_json(json->out);
  g_autoptr(json_object) without = cli_assert_json(plain->out);
  json_object *best = json_object_array_get_idx(cli_json_member(line, "hypotheses"), 0);
  json_object *own = json_object_array_get_idx(cli_json_member(without, "hypotheses"), 0);
  g_assert_null(json_object_object_get(own, "copied"));
  g_assert_cmpstr(json_object_get_string(cli_json_member(best, "text")), ==,
                  json_object_get_string(cli_json_member(own, "text")));
  json_object *copied = cli_json_member(best, "copied"), *words = cli_json_member(copied, "words");
  g_assert_cmpuint(json_object_array_length(words), ==, 1);
  json_object *first = json_object_array_get_idx(words, 0);
  const char *word = json_object_get_string(cli_json_member(first, "word"));
  g_assert_nonnull(strstr(text, word));
  const int at = json_object_get_int(cli_json_member(first, "first_piece"));
  g_assert_true(at >= 1 && at <= 2 &&
                at + json_object_get_int(cli_json_member(first, "n_pieces")) > 2);
  g_autofree char *mark = g_strconcat("⟦", word, "⟧", NULL);
  g_auto(GStrv) parts = g_strsplit(marked->out, mark, -1);
  g_assert_cmpuint(g_strv_length(parts), ==, 2);
  g_autofree char *joined = g_strjoinv(word, parts), *expected = NULL;
  g_assert_cmpstr(g_strchomp(joined), ==, json_object_get_string(cli_json_member(copied, "text")));
  expected = g_strconcat(marked->out, "\n", marked->out, NULL);
  g_assert_cmpstr(many->out, ==, expected);
  /* With a change after which norms say nothing, the text stays, and that is said. */
  g_autoptr(CliRun) changed =
      cli_run_refused(1, "--copy-unknown: ", "an in\n", "translate", "-m", model, "--copy-unknown",
                      "--change", "cross 1.1 cosine", NULL);
  g_assert_cmpuint(count_lines(changed->out), ==, 1);
}

TESTS()
{
  g_test_set_nonfatal_assertions();
  signal(SIGPIPE, SIG_IGN); /* the program may end before it has read all that is sent to it */
  g_test_add_func("/cli/translate/one-line", test_one_line);
  g_test_add_func("/cli/translate/order-and-empty-lines", test_order_and_empty_lines);
  g_test_add_func("/cli/translate/unknown-characters", test_unknown_characters);
  g_test_add_func("/cli/translate/many-unknown-characters", test_many_unknown_characters);
  g_test_add_func("/cli/translate/nothing", test_nothing);
  g_test_add_func("/cli/translate/languages", test_languages);
  g_test_add_func("/cli/translate/two-languages", test_two_languages);
  g_test_add_func("/cli/translate/task", test_task);
  g_test_add_func("/cli/translate/bad-lines", test_bad_lines);
  g_test_add_func("/cli/translate/endless", test_endless);
  g_test_add_func("/cli/translate/files", test_files);
  g_test_add_func("/cli/translate/nbest", test_nbest);
  g_test_add_func("/cli/translate/json", test_json);
  g_test_add_func("/cli/translate/lengths", test_lengths);
  g_test_add_func("/cli/translate/threads", test_threads);
  g_test_add_func("/cli/translate/conversation", test_conversation);
  g_test_add_func("/cli/translate/reader-gone", test_reader_gone);
  g_test_add_func("/cli/translate/file-as-input", test_file_as_input);
  g_test_add_func("/cli/translate/file-json", test_file_json);
  g_test_add_func("/cli/translate/join-lines", test_join_lines);
  g_test_add_func("/cli/translate/copy-unknown", test_copy_unknown);
  g_test_add_func("/cli/translate/file-interrupted", test_file_interrupted);
}
