/* test-golden-steps.c — what a traced search considered, and searches with constraints, against
 * Hugging Face generate: step by step, token for token.
 *
 * tests/data/steps-*.safetensors (written by tests/reference/make_steps.py, which says what is in
 * them) has, of every step, all continuations that generate considered, with their sums, which of
 * them ran on or ended, and the distributions behind them, for greedy and beam search, lengths,
 * penalties and stopping rules, prefixes and forbidden tokens. Cases that rounding decides are not
 * in there, so order and ids have to be the same.
 *
 * Under AddressSanitizer the bundled model runs every 20th case only; the plain build runs all.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <glib.h>
#include <math.h>
#include <mt.h>

#include "engine-test.h"
#include "golden.h"
#include "sentences.h"
#include "suite.h"

#define TOLERANCE 1e-4
#define TOP       20

/* "node_flags" of make_steps.py */
enum { RUNS_ON = 1, FINISHED = 2, STAYS = 4, ENDS = 8, CUT = 16, FORCED = 32, NO_PARENT = 255 };

/* One row of "cases". */
typedef struct {
  int32_t sentence, beam_size, n_best, max_length, early_stopping, language;
} steps_case;

/* One row of "forbidden". */
typedef struct {
  int32_t step, n, ids[3];
} forbidden_row;

typedef struct {
  const char *name;
  mt_session *session;
  const steps_case *cases;
  size_t n_cases, n_option_rows;
  const float *length_penalty;
  const int32_t *case_step, *case_result, *case_prefix, *case_forbidden, *step_node, *step_row;
  const uint16_t *node_id, *option_id;
  const uint8_t *node_parent, *node_flags, *row_parent, *option_rule;
  const float *node_sum, *row_entropy, *option_logprob, *result_score, *prefix_logprob,
      *forced_logprob;
  const int32_t *option_row, *result_node, *prefix;
  const forbidden_row *forbidden;

  size_t i;                                  /* the case that is compared */
  const mt_steps *steps;                     /* what was traced */
  size_t next_option, next_forced;           /* in the golden lists */
  double worst;                              /* distance of a number */
  size_t n_nodes, n_rows, n_options, n_pref; /* compared */
} steps_golden;

static const uint8_t *
golden_u8(const golden *g, const char *name)
{
  const golden_tensor *t = golden_find(g, name);
  g_assert_nonnull(t);
  g_assert_cmpstr(t->dtype, ==, "U8");
  return t->data;
}

/* Absolute up to 1, relative above. */
static void
near(steps_golden *s, const char *what, size_t at, double found, double expected)
{
  double distance = golden_distance(found, expected, 1);
  if (!(distance <= TOLERANCE))
    g_error("%s, case %zu: %s %zu is %.9g, expected %.9g", s->name, s->i, what, at, found,
            expected);
  s->worst = fmax(s->worst, distance);
}

static void
same(const steps_golden *s, const char *what, size_t at, intmax_t found, intmax_t expected)
{
  const steps_case *c = &s->cases[s->i];
  if (found != expected)
    g_error("%s, case %zu (sentence %d, beam %d): %s %zu is %jd, expected %jd", s->name, s->i,
            c->sentence, c->beam_size, what, at, found, expected);
}

/* ---- One case -------------------------------------------------------------------------------- */

/* The place of a hypothesis of the step before as index among the nodes of the case. */
static int32_t
node_of(const steps_golden *s, int32_t step, uint8_t place)
{
  int32_t first = s->step_node[s->case_step[s->i]];
  return place == NO_PARENT ? -1 : s->step_node[step - 1] - first + place;
}

/* Of those that end, only the best beam_size are considered for a place among the finished. */
static bool
may_finish(const steps_golden *s, int32_t step, int32_t k)
{
  return s->node_flags[k] & ENDS && k - s->step_node[step] < s->cases[s->i].beam_size;
}

/* Does a node of the next step go on from this one, and stay or end? */
static bool
has_child(const steps_golden *s, int32_t step, size_t place)
{
  if (step + 1 >= s->case_step[s->i + 1])
    return false;
  for (int32_t k = s->step_node[step + 1]; k < s->step_node[step + 2]; k++)
    if (s->node_parent[k] == place && (s->node_flags[k] & RUNS_ON || may_finish(s, step + 1, k)))
      return true;
  return false;
}

static mt_fate
fate_of(const steps_golden *s, int32_t step, int32_t k)
{
  uint8_t flags = s->node_flags[k];
  if (flags & FINISHED)
    return flags & STAYS ? MT_FATE_FINISHED : MT_FATE_OUTDONE;
  if (flags & RUNS_ON)
    return step + 1 == s->case_step[s->i + 1]                      ? MT_FATE_STOPPED
           : has_child(s, step, (size_t) (k - s->step_node[step])) ? MT_FATE_WENT_ON
                                                                   : MT_FATE_PRUNED;
  return may_finish(s, step, k) ? MT_FATE_OUTDONE : MT_FATE_PRUNED;
}

static void
check_nodes(steps_golden *s, int32_t step)
{
  int32_t first_step = s->case_step[s->i], first = s->step_node[first_step];
  size_t n_prefix = (size_t) (s->case_prefix[s->i + 1] - s->case_prefix[s->i]);
  for (int32_t k = s->step_node[step]; k < s->step_node[step + 1]; k++, s->n_nodes++) {
    size_t at = (size_t) (k - first), number = (size_t) (step - first_step);
    g_assert_cmpuint(at, <, s->steps->n_nodes);
    const mt_step_node *node = &s->steps->nodes[at];
    uint8_t flags = s->node_flags[k];
    int32_t parent = node_of(s, step, s->node_parent[k]);
    same(s, "the step of node", at, (intmax_t) node->step, (intmax_t) number);
    same(s, "the id of node", at, node->id, s->node_id[k]);
    same(s, "the parent of node", at, node->parent, parent);
    same(s, "the rank of node", at, node->rank, k - s->step_node[step]);
    near(s, "the sum of node", at, node->sum, s->node_sum[k]);
    near(s, "the score of node", at, node->score,
         s->node_sum[k] / pow((double) number + 1, s->length_penalty[s->i]));
    same(s, "whether it ends, node", at, node->is_end, (flags & ENDS) != 0);
    same(s, "whether it is cut, node", at, node->is_cut, (flags & CUT) != 0);
    same(s, "whether it is held, node", at, node->is_held, (flags & (RUNS_ON | FINISHED)) != 0);
    same(s, "whether it is forced, node", at, node->is_forced, number < n_prefix || flags & FORCED);
    same(s, "the fate of node", at, node->fate, fate_of(s, step, k));
    /* What comes after the rules is what is counted. */
    double before = parent >= 0 ? s->steps->nodes[(size_t) parent].sum : 0;
    double logprob = s->node_sum[k] - before;
    if (flags & FORCED)
      logprob = s->forced_logprob[s->next_forced++];
    near(s, "the log-probability of node", at, node->logprob, logprob);
    if (number < n_prefix) {
      near(s, "the log-probability of prefix token", number, node->logprob,
           s->prefix_logprob[(size_t) s->case_prefix[s->i] + number]);
      s->n_pref++;
    }
  }
}

static void
check_options(steps_golden *s, mt_step_row row, size_t at)
{
  const uint16_t *ids = s->option_id + s->next_option * TOP;
  const float *logprobs = s->option_logprob + s->next_option * TOP;
  const uint8_t *rules = s->option_rule + s->next_option * TOP;
  g_assert_cmpuint(row.n, >=, TOP);
  for (size_t i = 0; i < TOP; i++, s->n_options++) {
    const mt_option *option = &row.options[i];
    same(s, "an option's id of row", at, option->id, ids[i]);
    near(s, "an option's log-probability of row", at, option->logprob, logprobs[i]);
    same(s, "whether an option is a choice of row", at, option->rule == MT_RULE_NONE,
         rules[i] != 1);
    float after = rules[i] == 0 ? logprobs[i] : rules[i] == 1 ? -INFINITY : 0;
    near(s, "what counts of an option of row", at, option->after, after);
  }
  s->next_option++;
}

static void
check_rows(steps_golden *s, int32_t step)
{
  int32_t first_step = s->case_step[s->i], first = s->step_row[first_step];
  for (int32_t k = s->step_row[step]; k < s->step_row[step + 1]; k++, s->n_rows++) {
    size_t at = (size_t) (k - first);
    g_assert_cmpuint(at, <, s->steps->n_rows);
    mt_step_row row = s->steps->rows[at];
    int32_t node = node_of(s, step, s->row_parent[k]);
    same(s, "the step of row", at, (intmax_t) row.step, step - first_step);
    same(s, "the hypothesis of row", at, row.node, node);
    same(s, "the row behind node", at, mt_steps_row_of(s->steps, node), (intmax_t) at);
    near(s, "the entropy of row", at, row.entropy, s->row_entropy[k]);
    if (s->next_option < s->n_option_rows && s->option_row[s->next_option] == k)
      check_options(s, row, at);
  }
}

static void
check_results(steps_golden *s, const mt_translation *t)
{
  size_t first = (size_t) s->case_result[s->i], n = (size_t) s->case_result[s->i + 1] - first;
  size_t n_prefix = (size_t) (s->case_prefix[s->i + 1] - s->case_prefix[s->i]);
  same(s, "hypotheses", 0, (intmax_t) mt_translation_count(t), (intmax_t) n);
  for (size_t h = 0; h < n; h++) {
    const mt_hypothesis *hypothesis = mt_translation_hypothesis(t, h);
    int32_t node = mt_steps_result(s->steps, h);
    same(s, "the end of hypothesis", h, node, s->result_node[first + h]);
    near(s, "the score of hypothesis", h, hypothesis->score, s->result_score[first + h]);
    same(s, "forced tokens of hypothesis", h, (intmax_t) hypothesis->n_forced, (intmax_t) n_prefix);
    for (size_t k = mt_tokens_count(hypothesis->tokens); k-- > 0;) {
      const mt_step_node *at = &s->steps->nodes[(size_t) node];
      same(s, "a token of hypothesis", h, mt_tokens_get(hypothesis->tokens, k)->id, at->id);
      node = at->parent;
    }
    same(s, "the start of hypothesis", h, node, -1);
  }
}

static mt_constraints *
constraints_of(const steps_golden *s)
{
  size_t n = (size_t) (s->case_forbidden[s->i + 1] - s->case_forbidden[s->i]);
  size_t n_prefix = (size_t) (s->case_prefix[s->i + 1] - s->case_prefix[s->i]);
  g_autofree mt_forbidden *lists = g_new(mt_forbidden, n + 1);
  for (size_t k = 0; k < n; k++) {
    const forbidden_row *row = &s->forbidden[(size_t) s->case_forbidden[s->i] + k];
    lists[k] = (mt_forbidden){.step = row->step < 0 ? MT_EVERY_STEP : (size_t) row->step,
                              .ids = row->ids,
                              .n = (size_t) row->n};
  }
  mt_error error = {0};
  mt_constraints *constraints =
      mt_constraints_new(s->prefix + s->case_prefix[s->i], n_prefix, lists, n, &error);
  g_assert_cmpstr(error.message, ==, "");
  return constraints;
}

static void
check_case(steps_golden *s, const char *text)
{
  const steps_case *c = &s->cases[s->i];
  mt_error error = {0};
  g_autoptr(mt_constraints) constraints = constraints_of(s);
  mt_search_params params = mt_search_params_default(mt_session_model(s->session));
  params.beam_size = (size_t) c->beam_size;
  params.n_best = (size_t) c->n_best;
  params.min_length = 0;
  params.max_length = (size_t) c->max_length;
  params.early_stopping = (mt_early_stopping) c->early_stopping;
  params.length_penalty = s->length_penalty[s->i];
  params.language = c->language;
  params.constraints = constraints;
  params.prefix_score = MT_PREFIX_COUNTED; /* as with prefix_allowed_tokens_fn */
  params.trace = TOP;
  g_autoptr(mt_translation) t = mt_session_translate(s->session, text, &params, NULL, &error);
  if (!t)
    g_error("%s, case %zu: %s", s->name, s->i, error.message);
  s->steps = mt_translation_steps(t);
  g_assert_nonnull(s->steps);
  same(s, "steps", 0, (intmax_t) s->steps->n_steps, s->case_step[s->i + 1] - s->case_step[s->i]);
  for (int32_t step = s->case_step[s->i]; step < s->case_step[s->i + 1]; step++) {
    check_rows(s, step);
    check_nodes(s, step);
  }
  same(s, "nodes", 0, (intmax_t) s->steps->n_nodes,
       s->step_node[s->case_step[s->i + 1]] - s->step_node[s->case_step[s->i]]);
  same(s, "rows", 0, (intmax_t) s->steps->n_rows,
       s->step_row[s->case_step[s->i + 1]] - s->step_row[s->case_step[s->i]]);
  check_results(s, t);
}

/* ---- All of a model -------------------------------------------------------------------------- */

/* A case that is not run has its numbers in the lists all the same. */
static void
pass_over(steps_golden *s)
{
  int32_t from = s->case_step[s->i], to = s->case_step[s->i + 1];
  while (s->next_option < s->n_option_rows && s->option_row[s->next_option] < s->step_row[to])
    s->next_option++;
  for (int32_t k = s->step_node[from]; k < s->step_node[to]; k++)
    s->next_forced += s->node_flags[k] & FORCED ? 1 : 0;
}

static void
run_all(const char *dir, const char *golden_name, const char *const *sentences, size_t n_sentences,
        size_t stride)
{
  mt_error error = {0};
  g_autoptr(mt_model) model = sentences_model(dir);
  g_autoptr(mt_session) session = model ? mt_session_new(model, NULL, &error) : NULL;
  if (!session)
    g_error("%s", error.message);
  g_autoptr(golden) g = golden_open(golden_name);
  size_t n_values, n_forced;
  steps_golden s = {
      .name = golden_name,
      .session = session,
      .cases = (const steps_case *) golden_i32(g, "cases", &n_values),
      .length_penalty = golden_f32(g, "length_penalty", NULL),
      .case_step = golden_i32(g, "case_step", NULL),
      .case_result = golden_i32(g, "case_result", NULL),
      .case_prefix = golden_i32(g, "case_prefix", NULL),
      .case_forbidden = golden_i32(g, "case_forbidden", NULL),
      .step_node = golden_i32(g, "step_node", NULL),
      .step_row = golden_i32(g, "step_row", NULL),
      .node_id = golden_u16(g, "node_id", NULL),
      .node_parent = golden_u8(g, "node_parent"),
      .node_flags = golden_u8(g, "node_flags"),
      .node_sum = golden_f32(g, "node_sum", NULL),
      .row_parent = golden_u8(g, "row_parent"),
      .row_entropy = golden_f32(g, "row_entropy", NULL),
      .option_id = golden_u16(g, "option_id", NULL),
      .option_logprob = golden_f32(g, "option_logprob", NULL),
      .option_rule = golden_u8(g, "option_rule"),
      .result_node = golden_i32(g, "result_node", NULL),
      .result_score = golden_f32(g, "result_score", NULL),
      .prefix = golden_i32(g, "prefix", NULL),
      .prefix_logprob = golden_f32(g, "prefix_logprob", NULL),
      .forced_logprob = golden_f32(g, "forced_logprob", &n_forced),
      .forbidden = (const forbidden_row *) golden_i32(g, "forbidden", NULL),
  };
  s.option_row = golden_i32(g, "option_row", &s.n_option_rows);
  s.n_cases = n_values * sizeof(int32_t) / sizeof(steps_case);
  size_t n_run = 0;
  for (; s.i < s.n_cases; s.i++) {
    g_assert_cmpint(s.cases[s.i].sentence, <, (int) n_sentences);
    if (s.i % stride != 0) {
      pass_over(&s);
      continue;
    }
    check_case(&s, sentences[s.cases[s.i].sentence]);
    n_run++;
  }
  g_assert_cmpuint(s.next_option, ==, s.n_option_rows);
  g_assert_cmpuint(s.next_forced, ==, n_forced);
  g_test_message("%s: %zu of %zu cases, %zu nodes, %zu rows, %zu options, %zu tokens of prefixes; "
                 "largest difference %.2g",
                 s.name, n_run, s.n_cases, s.n_nodes, s.n_rows, s.n_options, s.n_pref, s.worst);
}

static void
test_tiny(const void *data)
{
  /* TINY of make_search.py */
  static const char *const sentences[] = {
      "the cat sat on the mat .",
      "two dogs eat bread and the sun is warm today",
      "where",
  };
  const char *name = data;
  g_autofree char *dir = g_strconcat("tests/data/checkpoints/", name, NULL);
  g_autofree char *golden_name = g_strdup_printf("steps-%s.safetensors", name);
  run_all(dir, golden_name, sentences, G_N_ELEMENTS(sentences), 1);
}

static void
test_bundled(void)
{
  g_autofree char *path = golden_path("tests/data/sentences.en.txt"), *content = NULL;
  GError *error = NULL;
  if (!g_file_get_contents(path, &content, NULL, &error))
    g_error("%s", error->message);
  g_auto(GStrv) lines = g_strsplit(g_strchomp(content), "\n", -1);
  run_all("models/en-de", "steps-en-de.safetensors", (const char *const *) lines,
          g_strv_length(lines), suite_stride(7, 20));
}

TESTS()
{
  static const char *const tiny[] = {
      "post-norm-relu",
      "odd-sizes-swish",
      "pre-norm-gelu-learned",
      "pre-norm-plain",
      "interleaved-positions",
      "post-norm-final-norm",
      "separate-vocabularies",
      "separate-embeddings-tied",
      "multi-target",
      "bart-tiny",
      "nllb-tiny",
      "t5-gated-tiny",
  };
  for (size_t i = 0; i < G_N_ELEMENTS(tiny); i++)
    suite_add(tiny[i], test_tiny, "/golden/steps/%s", tiny[i]);
  g_test_add_func("/golden/steps/en-de", test_bundled);
}
