/* test-cli-steps.c — regard-cli steps, and what is forced and forbidden: numbers against logits, a
 * capture and `translate --json`; files, pictures, and what is refused.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli-test.h"
#include "npy.h"
#include "suite.h"

#include <math.h>
#include <string.h>

#define DOGS "I have two dogs."

enum { ID, LOGPROB, RANK, ENTROPY, FORCED, N_STEP };               /* columns of `steps` */
enum { STEP, O_ID, O_LOGPROB, O_AFTER, O_RULE, O_RANK, N_OPTION }; /* … of `all_options` */
enum { RULE_PREFIX = 1, RULE_FORBIDDEN = 2 };                      /* mt_rule */

/* The first hypothesis of a line of `translate --json`. Borrowed. */
static json_object *
hypothesis_of(json_object *line, gsize i)
{
  return json_object_array_get_idx(json_object_object_get(line, "hypotheses"), i);
}

static double
number_of(json_object *object, const char *key, gsize i)
{
  return json_object_get_double(json_object_array_get_idx(json_object_object_get(object, key), i));
}

/* ---- Numbers --------------------------------------------------------------------------------- */

/* Logits of a pass over the same translation say all that the search says of its steps. */
static void
test_logits(void)
{
  g_autofree char *path = cli_scratch_path("steps.npz"), *trace = cli_scratch_path("logits.npz");
  cli_succeeds(NULL, "steps", "--show", "step", "--top", "7", "-o", path, DOGS, NULL);
  cli_succeeds(NULL, "trace", "--site", "logits", "-o", trace, DOGS, NULL);
  g_autoptr(Npy) steps = npy_read(path, "steps"), options = npy_read(path, "all_options");
  g_autoptr(Npy) logits = npy_read(trace, "decoder.logits");
  const gsize n_steps = steps->shape[0], n = logits->shape[1];
  gsize o = 0;
  g_assert_cmpuint(steps->shape[1], ==, N_STEP);
  g_assert_cmpuint(options->shape[1], ==, N_OPTION);
  g_assert_cmpuint(logits->shape[0], ==, n_steps);
  for (gsize t = 0; t < n_steps; t++) {
    double sum = 0, entropy = 0, largest = -INFINITY;
    for (gsize v = 0; v < n; v++)
      largest = MAX(largest, (double) npy_float(logits, t * n + v));
    for (gsize v = 0; v < n; v++)
      sum += exp((double) npy_float(logits, t * n + v) - largest);
    const double lse = largest + log(sum);
    for (gsize v = 0; v < n; v++) {
      const double logprob = (double) npy_float(logits, t * n + v) - lse;
      entropy -= exp(logprob) * logprob / G_LN2;
    }
    g_assert_cmpfloat_with_epsilon(npy_float(steps, t * N_STEP + ENTROPY), entropy, 1e-3);
    g_assert_cmpfloat(npy_float(steps, t * N_STEP + FORCED), ==, 0);
    gsize of_step = 0;
    gboolean has_chosen = FALSE;
    for (; o < options->shape[0] && npy_float(options, o * N_OPTION) == (float) (t + 1);
         o++, of_step++) {
      const float *option = (const float *) (const void *) options->data + o * N_OPTION;
      const double logit = (double) npy_float(logits, t * n + (gsize) option[O_ID]);
      gsize before = 0;
      for (gsize v = 0; v < n; v++)
        before += (double) npy_float(logits, t * n + v) > logit + 1e-3;
      g_assert_cmpfloat_with_epsilon(option[O_LOGPROB], logit - lse, 1e-3);
      if (option[O_RANK] > 0) {
        g_assert_cmpuint((gsize) option[O_RANK], ==, of_step + 1);
        g_assert_cmpuint(before, <=, of_step);
      }
      has_chosen |= option[O_ID] == npy_float(steps, t * N_STEP + ID);
    }
    g_assert_cmpuint(of_step, >=, 7);
    g_assert_true(has_chosen);
  }
  g_assert_cmpuint(o, ==, options->shape[0]);
}

/* `translate --json` found the same tokens with the same log-probabilities; the table writes out
 * the same scores. */
static void
test_translation(void)
{
  g_autofree char *path = cli_scratch_path("same.npz");
  cli_succeeds(NULL, "steps", "--show", "step", "--beam", "4", "-o", path, DOGS, NULL);
  g_autoptr(CliRun) table = cli_run_ok(NULL, "steps", "--beam", "4", DOGS, NULL);
  g_autoptr(CliRun) other =
      cli_run_ok(DOGS "\n", "translate", "--json", "--beam", "4", "--nbest", "4", NULL);
  g_autoptr(Npy) steps = npy_read(path, "steps");
  g_autoptr(json_object) line = cli_assert_json(other->out);
  json_object *best = hypothesis_of(line, 0);
  g_assert_cmpuint(json_object_array_length(json_object_object_get(best, "ids")), ==,
                   steps->shape[0]);
  for (gsize t = 0; t < steps->shape[0]; t++) {
    g_assert_cmpfloat(npy_float(steps, t * N_STEP + ID), ==, (float) number_of(best, "ids", t));
    g_assert_cmpfloat_with_epsilon(npy_float(steps, t * N_STEP + LOGPROB),
                                   number_of(best, "logprobs", t), 1e-6);
  }
  for (gsize i = 0; i < 4; i++) {
    json_object *h = hypothesis_of(line, i);
    char sum[32], score[32];
    g_ascii_formatd(sum, sizeof sum, "%.4f",
                    json_object_get_double(json_object_object_get(h, "sum_logprob")));
    g_ascii_formatd(score, sizeof score, "%.4f",
                    json_object_get_double(json_object_object_get(h, "score")));
    g_autofree char *formula =
        g_strdup_printf("%s / %d^1 = %s ", sum,
                        (int) json_object_array_length(json_object_object_get(h, "ids")), score);
    g_assert_nonnull(strstr(table->out, formula));
    g_assert_nonnull(strstr(table->out, json_object_get_string(json_object_object_get(h, "text"))));
  }
}

/* What it looked at is a row of the capture; the mean is that of all heads. */
static void
test_attention(void)
{
  static const char *const kinds[][2] = {{"cross", "cross_attentions"},
                                         {"decoder", "decoder_attentions"}};
  enum { LAYER = 3, HEAD = 2, AT = 2 };
  g_autofree char *path = cli_scratch_path("attention.npz"), *all = cli_scratch_path("all.npz");
  cli_succeeds(NULL, "capture", "-o", all, DOGS, NULL);
  for (gsize k = 0; k < G_N_ELEMENTS(kinds); k++) {
    cli_succeeds(NULL, "steps", "--show", "step", "--kind", kinds[k][0], "--layer", "4", "--head",
                 "3", "--step", "3", "-o", path, DOGS, NULL);
    g_autoptr(Npy) shown = npy_read(path, "attention"), weights = npy_read(all, kinds[k][1]);
    const gsize heads = weights->shape[1], rows = weights->shape[2], cols = weights->shape[3];
    g_assert_cmpuint(shown->shape[0], ==, 2);
    g_assert_cmpuint(shown->shape[1], ==, k == 0 ? cols : AT + 1); /* itself and those before */
    for (gsize j = 0; j < shown->shape[1]; j++) {
      double mean = 0;
      for (gsize h = 0; h < heads; h++) {
        const float w = npy_float(weights, ((LAYER * heads + h) * rows + AT) * cols + j);
        mean += (double) w / (double) heads;
        if (h == HEAD)
          g_assert_cmpfloat_with_epsilon(npy_float(shown, j), w, 1e-6);
      }
      g_assert_cmpfloat_with_epsilon(npy_float(shown, shown->shape[1] + j), mean, 1e-6);
    }
  }
}

/* ---- Forced and forbidden -------------------------------------------------------------------- */

/* A forced translation has the log-probabilities of the same one when it is scored. */
static void
test_prefix(void)
{
  g_autofree char *path = cli_scratch_path("forced.npz"), *scored = cli_scratch_path("scored.npz");
  g_autoptr(CliRun) forced =
      cli_run_ok(DOGS "\n", "translate", "--json", "--prefix", "Ich habe keine Zeit", NULL);
  g_autoptr(json_object) line = cli_assert_json(forced->out);
  json_object *best = hypothesis_of(line, 0);
  json_object *constraints = json_object_object_get(line, "constraints");
  const char *text = json_object_get_string(json_object_object_get(best, "text"));
  const gsize n = (gsize) json_object_get_int(json_object_object_get(best, "forced"));
  g_assert_true(g_str_has_prefix(text, "Ich habe keine Zeit"));
  g_assert_cmpuint(n, >=, 4);
  g_assert_cmpuint(json_object_array_length(json_object_object_get(constraints, "prefix")), ==, n);
  for (gsize i = 0; i < n; i++)
    g_assert_cmpfloat(number_of(constraints, "prefix", i), ==, number_of(best, "ids", i));
  cli_succeeds(NULL, "capture", "--target", "Ich habe keine Zeit", "-o", scored, DOGS, NULL);
  g_autoptr(Npy) logprobs = npy_read(scored, "logprobs");
  for (gsize i = 0; i < n; i++)
    g_assert_cmpfloat_with_epsilon(npy_float(logprobs, i), number_of(best, "logprobs", i), 1e-4);

  cli_succeeds(NULL, "steps", "--show", "step", "--prefix", "Ich habe keine Zeit", "-o", path, DOGS,
               NULL);
  g_autoptr(Npy) steps = npy_read(path, "steps"), options = npy_read(path, "all_options");
  for (gsize t = 0; t < steps->shape[0]; t++)
    g_assert_cmpfloat(npy_float(steps, t * N_STEP + FORCED), ==, t < n);
  for (gsize o = 0; o < options->shape[0]; o++) {
    const float *option = (const float *) (const void *) options->data + o * N_OPTION;
    const gsize t = (gsize) option[STEP] - 1;
    const gboolean is_other = option[O_ID] != npy_float(steps, t * N_STEP + ID);
    if (t < n) {
      g_assert_cmpfloat(option[O_RULE], ==, is_other ? RULE_PREFIX : 0);
      g_assert_true(is_other ? option[O_AFTER] == -INFINITY : option[O_AFTER] == option[O_LOGPROB]);
    } else
      g_assert_cmpfloat(option[O_RULE], !=, RULE_PREFIX);
  }
}

static void
test_forbid(void)
{
  g_autofree char *path = cli_scratch_path("forbidden.npz");
  g_autoptr(CliRun) plain = cli_run_ok(DOGS "\n", "translate", NULL);
  g_autoptr(CliRun) without = cli_run_ok(DOGS "\n", "translate", "--forbid", "zwei", NULL);
  g_autoptr(CliRun) here =
      cli_run_ok(DOGS "\n", "translate", "--json", "--forbid", "3:zwei", "--forbid", ":7:8", NULL);
  g_autoptr(CliRun) elsewhere = cli_run(DOGS "\n", "translate", "--forbid", "1:zwei", NULL);
  g_assert_cmpstr(plain->out, ==, "Ich habe zwei Hunde.\n");
  g_assert_cmpstr(elsewhere->out, ==, plain->out);
  g_assert_null(strstr(without->out, " zwei "));
  g_autoptr(json_object) line = cli_assert_json(here->out);
  json_object *forbidden =
      json_object_object_get(json_object_object_get(line, "constraints"), "forbidden");
  json_object *first = json_object_array_get_idx(forbidden, 0);
  g_assert_cmpuint(json_object_array_length(forbidden), ==, 2);
  g_assert_cmpint(json_object_get_int(json_object_object_get(first, "step")), ==, 3);
  g_assert_null(json_object_object_get(json_object_array_get_idx(forbidden, 1), "step"));
  const float id = (float) number_of(first, "ids", 0);

  cli_succeeds(NULL, "steps", "--show", "step", "--step", "3", "--prefix", "Ich habe", "--forbid",
               "3:zwei", "-o", path, DOGS, NULL);
  g_autoptr(Npy) options = npy_read(path, "options");
  guint n = 0;
  for (gsize o = 0; o < options->shape[0]; o++) {
    const gboolean is_it = npy_float(options, o * 5) == id;
    g_assert_cmpfloat(npy_float(options, o * 5 + 3) == RULE_FORBIDDEN, ==, is_it);
    n += is_it;
  }
  g_assert_cmpuint(n, ==, 1);
}

/* Terms are in all results, whose log-probabilities are those of the same text when it is given. */
static void
test_force(void)
{
  g_autofree char *scored = cli_scratch_path("terms.npz");
  g_autoptr(CliRun) run = cli_run_ok(DOGS "\n", "translate", "--json", "--nbest", "3", "--force",
                                     "Zeit", "--force", "keine", "--prefix", "Ich", NULL);
  g_autoptr(json_object) line = cli_assert_json(run->out);
  json_object *constraints = json_object_object_get(line, "constraints");
  g_assert_cmpuint(json_object_array_length(json_object_object_get(constraints, "terms")), ==, 2);
  for (gsize i = 0; i < 3; i++) {
    const char *text =
        json_object_get_string(json_object_object_get(hypothesis_of(line, i), "text"));
    g_assert_true(strstr(text, "Zeit") && strstr(text, "keine") && g_str_has_prefix(text, "Ich"));
  }
  json_object *best = hypothesis_of(line, 0);
  cli_succeeds(NULL, "capture", "--target",
               json_object_get_string(json_object_object_get(best, "text")), "-o", scored, DOGS,
               NULL);
  g_autoptr(Npy) logprobs = npy_read(scored, "logprobs");
  for (gsize i = 0; i < logprobs->shape[0]; i++)
    g_assert_cmpfloat_with_epsilon(npy_float(logprobs, i), number_of(best, "logprobs", i), 1e-4);

  /* Many lines together give what each gives alone; and an end that is none yet is said. */
  g_autofree char *file = cli_scratch_file("force.txt", DOGS "\n\n" DOGS "\n");
  g_autoptr(CliRun) alone = cli_run(DOGS "\n", "translate", "--force", "Zeit", NULL);
  g_autoptr(CliRun) many = cli_run_ok(NULL, "translate", "--force", "Zeit", file, NULL);
  g_autofree char *expected = g_strconcat(alone->out, "\n", alone->out, NULL);
  g_assert_cmpstr(many->out, ==, expected);
  g_autoptr(CliRun) steps = cli_run(NULL, "steps", "--force", "Zeit", DOGS, NULL);
  g_assert_nonnull(strstr(steps->out, "(term)"));

  static const char *const wrong[][2] = {
      {"", "found nothing"},
      {"  ", "wants a term"},
      {"世", "no piece for: 世"},
      {"Ich habe keine Zeit und Hunde", "with a maximum length of 6 there is room for 4"},
      {"zwei", "Term 1 has what is forbidden"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
    g_autoptr(CliRun) bad = cli_run_refused(2, wrong[i][1], DOGS "\n", "translate", "--max-length",
                                            "6", "--forbid", "zwei", "--force", wrong[i][0], NULL);
    g_assert_cmpstr(bad->out, ==, "");
  }
}

/* Said, and done all the same; or said, and nothing done. */
static void
test_odd_constraints(void)
{
  g_autoptr(CliRun) inside = cli_run_ok(DOGS "\n", "translate", "--prefix", "Ich habe Hund", NULL);
  g_autoptr(CliRun) words = cli_run_ok(DOGS "\n", "translate", "--prefix", "Ich habe", NULL);
  g_autoptr(CliRun) empty = cli_run_refused(0, "--prefix is empty: nothing is forced", DOGS "\n",
                                            "translate", "--prefix", "", NULL);
  g_autoptr(CliRun) blank = cli_run_refused(0, "--prefix is empty: nothing is forced", DOGS "\n",
                                            "translate", "--prefix", " \t", NULL);
  cli_refuses(2, "no piece for: 世界", DOGS "\n", "translate", "--prefix", "Ich 世界", NULL);
  cli_refuses(2, "--prefix", DOGS "\n", "translate", "--prefix", "Ich \xff", NULL);
  cli_refuses(2, "there is room for 3", DOGS "\n", "translate", "--max-length", "5", "--prefix",
              "Ich habe zwei Hunde und", NULL);
  g_autofree char *multi = cli_source_path("tests/data/checkpoints/multi-target");
  cli_refuses(2, ">>fra<< is no part of a translation", "an\n", "translate", "--model", multi,
              "--to", "deu", "--prefix", ">>fra<< an", NULL);
  g_autoptr(CliRun) coded = cli_run_ok("an\n", "translate", "--model", multi, "--to", "deu",
                                       "--max-length", "8", "--prefix", "an in", NULL);
  g_assert_true(g_str_has_prefix(coded->out, "an in"));
  g_assert_cmpstr(inside->out, ==, "Ich habe Hunde.\n");
  g_assert_nonnull(strstr(inside->err, "'Hund' became 'Hunde'"));
  g_assert_cmpstr(words->err, ==, "");
  g_assert_cmpstr(empty->out, ==, "Ich habe zwei Hunde.\n");
  g_assert_cmpstr(blank->out, ==, "Ich habe zwei Hunde.\n");
  static const char *const wrong[][2] = {
      {"0:zwei", "a step from 1"}, {"3:", "a step from 1"},
      {" ", "wants a word"},       {"世", "no piece for: 世"},
      {"", "found nothing"},       {"99999999999999999999:zwei", "a step from 1"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
    g_autoptr(CliRun) run =
        cli_run_refused(2, wrong[i][1], DOGS "\n", "translate", "--forbid", wrong[i][0], NULL);
    g_assert_cmpstr(run->out, ==, "");
  }
}

/* ---- The tree -------------------------------------------------------------------------------- */

/* All nodes of a search, in their order: (json_object *), borrowed. */
static GPtrArray *
nodes_of(json_object *search)
{
  GPtrArray *nodes = g_ptr_array_new();
  json_object *steps = cli_json_member(search, "steps");
  for (gsize t = 0; t < json_object_array_length(steps); t++) {
    json_object *of_step = cli_json_member(json_object_array_get_idx(steps, t), "nodes");
    for (gsize i = 0; i < json_object_array_length(of_step); i++) {
      json_object *node = json_object_array_get_idx(of_step, i);
      g_assert_cmpint(json_object_get_int(cli_json_member(node, "node")), ==, (int) nodes->len);
      g_ptr_array_add(nodes, node);
    }
  }
  return nodes;
}

/* From the last node of a result back to the start: the ids and the sum of `translate --json`. */
static void
check_result(GPtrArray *nodes, json_object *result, json_object *translated)
{
  json_object *ids = cli_json_member(translated, "ids"), *node = NULL;
  gsize n = json_object_array_length(ids);
  double sum = 0;
  json_object *at = cli_json_member(result, "node");
  while (at) {
    node = nodes->pdata[json_object_get_int(at)];
    g_assert_cmpuint(n, >, 0);
    n--;
    g_assert_cmpint(json_object_get_int(cli_json_member(node, "id")), ==,
                    json_object_get_int(json_object_array_get_idx(ids, n)));
    sum += json_object_get_double(cli_json_member(node, "logprob"));
    at = cli_json_member(node, "parent");
  }
  g_assert_cmpuint(n, ==, 0);
  g_assert_cmpfloat_with_epsilon(sum,
                                 json_object_get_double(cli_json_member(translated, "sum_logprob")),
                                 1e-4);
  g_assert_cmpfloat_with_epsilon(json_object_get_double(cli_json_member(result, "score")),
                                 json_object_get_double(cli_json_member(translated, "score")),
                                 1e-6);
}

static void
test_tree(void)
{
  g_autofree char *json_path = cli_scratch_path("tree.json"), *text = NULL;
  g_autofree char *npz_path = cli_scratch_path("tree.npz"),
                  *dot_path = cli_scratch_path("tree.dot");
  g_autofree char *svg_path = cli_scratch_path("tree.svg"), *svg = NULL, *dot = NULL;
  cli_succeeds(NULL, "steps", "--beam", "4", "--against", "beam=6", "-o", json_path, DOGS, NULL);
  cli_succeeds(NULL, "steps", "--beam", "4", "--against", "beam=6", "-o", npz_path, DOGS, NULL);
  g_assert_true(g_file_get_contents(json_path, &text, NULL, NULL));
  g_autoptr(json_object) root = cli_assert_json(text);
  json_object *searches = cli_json_member(root, "searches");
  g_assert_cmpuint(json_object_array_length(searches), ==, 2);
  for (gsize i = 0; i < 2; i++) {
    const char *beams = i ? "6" : "4";
    g_autoptr(CliRun) other =
        cli_run_ok(DOGS "\n", "translate", "--json", "--beam", beams, "--nbest", beams, NULL);
    g_autoptr(json_object) line = cli_assert_json(other->out);
    json_object *search = json_object_array_get_idx(searches, i);
    json_object *results = cli_json_member(search, "hypotheses");
    g_autoptr(GPtrArray) nodes = nodes_of(search);
    g_autoptr(Npy) table = npy_read(npz_path, i ? "nodes2" : "nodes");
    g_assert_cmpuint(json_object_array_length(results), ==, (gsize) atoi(beams));
    for (gsize k = 0; k < json_object_array_length(results); k++)
      check_result(nodes, json_object_array_get_idx(results, k), hypothesis_of(line, k));
    g_assert_cmpuint(table->shape[0], ==, nodes->len);
  }

  cli_succeeds(NULL, "steps", "--beam", "2", "-o", dot_path, "Say \"yes\"!", NULL);
  cli_succeeds(NULL, "steps", "--fold", "--held-only", "--caption", "-o", svg_path, DOGS, NULL);
  g_assert_true(g_file_get_contents(dot_path, &dot, NULL, NULL));
  g_assert_true(g_str_has_prefix(dot, "digraph beams {\n"));
  g_assert_true(g_str_has_suffix(dot, "}\n"));
  g_auto(GStrv) lines = g_strsplit(dot, "\n", -1);
  for (char **l = lines; *l; l++) { /* every string ends in its line */
    guint n_quotes = 0;
    for (const char *c = *l; *c; c++) {
      c += *c == '\\';
      n_quotes += *c == '"';
    }
    g_assert_cmpuint(n_quotes % 2, ==, 0);
  }
  g_assert_true(g_file_get_contents(svg_path, &svg, NULL, NULL));
  g_assert_nonnull(strstr(svg, "Beam tree"));
}

/* A file says what was asked for, what was forced, and what the greatest length cut off. */
static void
test_cut(void)
{
  g_autofree char *json_path = cli_scratch_path("cut.json"),
                  *npz_path = cli_scratch_path("cut.npz");
  g_autofree char *text = NULL;
  const char *const paths[] = {json_path, npz_path};
  /* The model does not force </s> at the end. */
  g_autofree char *model = cli_source_path("tests/data/checkpoints/post-norm-final-norm");
  for (gsize i = 0; i < G_N_ELEMENTS(paths); i++) {
    cli_succeeds(NULL, "steps", "--model", model, "--beam", "3", "--max-length", "5", "--prefix",
                 "an", "--change", "cross 1.1 scale 0.5", "-o", paths[i], "an in", NULL);
  }
  g_autoptr(CliRun) table = cli_run(NULL, "steps", "--model", model, "--beam", "3", "--max-length",
                                    "5", "--prefix", "an", "an in", NULL);
  g_assert_nonnull(strstr(table->out, " (cut off at the greatest length)\n"));

  g_assert_true(g_file_get_contents(json_path, &text, NULL, NULL));
  g_autoptr(json_object) root = cli_assert_json(text);
  json_object *search = json_object_array_get_idx(cli_json_member(root, "searches"), 0);
  json_object *request = cli_json_member(search, "request"),
              *prefix = cli_json_member(request, "prefix");
  g_assert_cmpint(json_object_get_int(cli_json_member(request, "beam_size")), ==, 3);
  g_assert_cmpint(json_object_get_int(cli_json_member(request, "max_length")), ==, 5);
  g_assert_cmpuint(json_object_array_length(cli_json_member(search, "changes")), ==, 1);
  g_assert_cmpstr(json_object_get_string(cli_json_member(search, "precision")), !=, "");
  g_autoptr(GPtrArray) nodes = nodes_of(search);
  g_autoptr(Npy) numbers = npy_read(npz_path, "nodes");
  g_assert_cmpuint(numbers->shape[0], ==, nodes->len);
  g_assert_cmpuint(numbers->shape[1], ==, 15);
  guint n_cut = 0, n_forced = 0;
  for (guint i = 0; i < nodes->len; i++) {
    const gboolean is_cut = json_object_get_boolean(cli_json_member(nodes->pdata[i], "cut"));
    const gsize row = (gsize) i * 15;
    g_assert_true(npy_float(numbers, row + 6) == (is_cut ? 1.0F : 0.0F));
    g_assert_true(!is_cut || json_object_get_boolean(cli_json_member(nodes->pdata[i], "end")));
    if (json_object_get_boolean(cli_json_member(nodes->pdata[i], "forced"))) {
      g_assert_cmpint(json_object_get_int(cli_json_member(nodes->pdata[i], "id")), ==,
                      json_object_get_int(json_object_array_get_idx(prefix, n_forced)));
      g_assert_true(npy_float(numbers, row + 4) == 1.0F);
      n_forced++;
    }
    n_cut += (guint) is_cut;
  }
  g_assert_cmpuint(n_cut, >=, 1);
  g_assert_cmpuint(n_forced, ==, json_object_array_length(prefix));
}

/* ---- Output ---------------------------------------------------------------------------------- */

static void
test_against(void)
{
  g_autoptr(CliRun) same = cli_run_ok(NULL, "steps", "--against", "beam=5", DOGS, NULL);
  g_autoptr(CliRun) other =
      cli_run_ok(NULL, "steps", "--beam", "2", "--against",
                 "beam=3,alpha=0.6,early-stopping=never,max-length=9", DOGS, NULL);
  g_assert_nonnull(strstr(same->out, "beam size 4, length penalty 1, early stopping false"));
  g_assert_nonnull(strstr(same->out, "beam size 5, length penalty 1, early stopping false"));
  g_assert_nonnull(strstr(other->out, "beam size 3, length penalty 0.6, early stopping never"));
  g_assert_nonnull(strstr(other->out, "^0.6 = "));
  g_assert_nonnull(strstr(other->out, "\n  against  log p "));
  static const char *const wrong[][2] = {
      {"beam", "wants settings"},    {"width=3", "wants settings"},
      {"beam=0", "is no beam size"}, {"beam=many", "is no beam size"},
      {"alpha=", "is no length"},    {"early-stopping=0", "is no early stopping"},
      {"nbest=3", "wants settings"}, {"beam=2.5", "beam size"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
    cli_refuses(2, wrong[i][1], NULL, "steps", "--against", wrong[i][0], DOGS, NULL);
  }
}

static void
test_files(void)
{
  g_autofree char *json_path = cli_scratch_path("x.json"), *csv_path = cli_scratch_path("x.csv");
  g_autofree char *svg_path = cli_scratch_path("x.svg");
  g_autofree char *json_text = NULL, *csv = NULL, *svg = NULL;
  cli_succeeds(NULL, "steps", "--show", "step", "-o", json_path, DOGS, NULL);
  cli_succeeds(NULL, "steps", "--show", "step", "-o", csv_path, DOGS, NULL);
  g_assert_true(g_file_get_contents(json_path, &json_text, NULL, NULL));
  g_autoptr(json_object) object = cli_assert_json(json_text);
  g_assert_cmpuint(json_object_array_length(json_object_object_get(object, "matrices")), ==, 4);
  g_assert_true(g_file_get_contents(csv_path, &csv, NULL, NULL));
  g_assert_true(g_str_has_prefix(csv, "matrix,row_index,row,column_index,column,value\r\n"));
  g_assert_nonnull(strstr(csv, "\r\nsteps,0,▁Ich,3,entropy_bits,"));
  g_assert_nonnull(strstr(csv, "\r\noptions,0,"));
  g_autoptr(CliRun) picture =
      cli_run_ok(NULL, "steps", "--show", "step", "--step", "3", "--prefix", "Ich habe", "--forbid",
                 "zwei", "--dark", "--caption", "-o", svg_path, DOGS, NULL);
  g_assert_nonnull(strstr(picture->out, "Step 3 of "));
  g_assert_true(g_file_get_contents(svg_path, &svg, NULL, NULL));
  static const char *const words[] = {"Candidates", "Entropy",   "Looks at",
                                      "chosen",     "forbidden", "begins with: Ich habe"};
  for (gsize i = 0; i < G_N_ELEMENTS(words); i++)
    g_assert_nonnull(strstr(svg, words[i]));
  cli_succeeds(NULL, "steps", "--show", "steps", "-o", svg_path, DOGS, NULL);
  g_free(g_steal_pointer(&svg));
  g_assert_true(g_file_get_contents(svg_path, &svg, NULL, NULL));
  g_assert_nonnull(strstr(svg, "Entropy"));
  g_assert_null(strstr(svg, "Candidates"));
}

static void
test_refused(void)
{
  g_autofree char *path = cli_scratch_path("refused.svg");
  static const char *const wrong[][3] = {
      {"--top", "0", "1 to 100"},
      {"--top", "101", "1 to 100"},
      {"--step", "400", "1 to 7"},
      {"--layer", "7", "1 to 6"},
      {"--head", "9", "1 to 8"},
      {"--kind", "encoder", "cross, decoder"},
      {"--show", "beams", "tree, step, steps"},
      {"--beam", "65", "1 to 64"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
    cli_refuses(2, wrong[i][2], NULL, "steps", wrong[i][0], wrong[i][1], "-o", path, DOGS, NULL);
    g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
  }
  cli_refuses(2, "one TEXT wanted", NULL, "steps", NULL);
  cli_refuses(2, "-o FILE is missing", NULL, "steps", "--show", "step", DOGS, NULL);
  cli_refuses(2, "a step is of one search", NULL, "steps", "--against", "beam=2", "--step", "2",
              "-o", path, DOGS, NULL);
  cli_refuses(2, "are for one step", NULL, "steps", "--show", "tree", "--layer", "2", "-o", path,
              DOGS, NULL);
  cli_refuses(2, "are for the tree", NULL, "steps", "--fold", "--step", "2", "-o", path, DOGS,
              NULL);
  cli_refuses(1, "", NULL, "steps", " ", NULL);
}

TESTS()
{
  g_test_add_func("/cli-steps/force", test_force);
  g_test_add_func("/cli-steps/forbid", test_forbid);
  g_test_add_func("/cli-steps/odd-constraints", test_odd_constraints);
  g_test_add_func("/cli-steps/refused", test_refused);
  if (suite_is_watched()) /* what runs the engine for long, its own tests watch */
    return;
  g_test_add_func("/cli-steps/logits", test_logits);
  g_test_add_func("/cli-steps/translation", test_translation);
  g_test_add_func("/cli-steps/attention", test_attention);
  g_test_add_func("/cli-steps/prefix", test_prefix);
  g_test_add_func("/cli-steps/against", test_against);
  g_test_add_func("/cli-steps/files", test_files);
  g_test_add_func("/cli-steps/tree", test_tree);
  g_test_add_func("/cli-steps/cut", test_cut);
}
