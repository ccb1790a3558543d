/* cli-corpus.c — regard-cli corpus: what every head does over a text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-analysis.h"
#include "cli/cli-lines.h"
#include "cli/cli.h"
#include "figures/regard-naming.h"
#include "measure/regard-corpus-run.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* ---- Making one --------------------------------------------------------------------------------
 *
 * A text goes through the model, sentence after sentence, into a corpus file; until the end or
 * Ctrl+C, and on from there another time. */

typedef struct {
  CliAnalysis base; /* its text: a file of lines, or of trees */
  const char *trees;
  gboolean has_effects;
  guint with;       /* a mt_ablation_kind */
  gint64 sentences; /* 0: all */
  gint64 commit;    /* sentences between two commits; 0: as many as ten seconds take */
} Corpus;

#define AT(member) offsetof(Corpus, member)
static const Corpus defaults = {.base = CLI_ANALYSIS_INIT, .with = CLI_NO_CHOICE};
static const CliOption options[] = {
    CLI_OPTIONS(cli_options_model),
    {CLI_OPTION_TEXT, "output", 'o', AT(base.picture.output), "FILE.regard-corpus",
     "Where to write, or what to go on with"},
    {CLI_OPTION_TEXT, "conllu", 0, AT(trees), "TREES.conllu",
     "Take the sentences of TREES instead of FILE, and which heads follow relations"},
    {CLI_OPTION_CHOICE, "importance", 0, AT(with), "CHANGE",
     "Also the effect of each head, taken out like this, which takes many times as long", 0, 0,
     cli_effect_kinds},
    {CLI_OPTION_WHOLE, "sentences", 0, AT(sentences), "N",
     "Take the first N sentences; default: all", 1, 1000000000},
    {CLI_OPTION_WHOLE, "commit", 0, AT(commit), "N",
     "Keep what is done every N sentences; default: every ten seconds", 1, 1000000},
    CLI_OPTIONS(cli_options_search),
    CLI_OPTIONS(cli_options_run),
    CLI_OPTIONS_END,
};

static CliStatus
check(gpointer user)
{
  Corpus *self = user;
  CliAnalysis *base = &self->base;
  const guint n = base->arguments->len;
  if (self->trees ? n > 0 : n != 1)
    return cli_usage(base->command,
                     self->trees ? "--conllu stands in the place of FILE, found %u"
                                 : "one FILE wanted, found %u",
                     n);
  if (!base->picture.output)
    return cli_usage(base->command, "-o FILE.regard-corpus is missing");
  if (self->trees)
    base->text = self->trees;
  self->has_effects = self->with != CLI_NO_CHOICE;
  base->options.wants_means = self->has_effects && self->with == MT_ABLATION_MEAN;
  return CLI_DONE;
}

static void
say(gpointer user, const RegardCorpusProblem *problem)
{
  const Corpus *self = user;
  const char *message = problem->error ? problem->error->message : problem->message;
  if (problem->is_left_out)
    cli_complain(self->base.command, "%s:%" G_GUINT64_FORMAT ": left out: %s", self->base.text,
                 problem->line, message);
  else if (problem->line)
    cli_complain(self->base.command, "%s:%" G_GUINT64_FORMAT ": %s", self->base.text, problem->line,
                 message);
  else
    cli_complain(self->base.command, "%s", message);
}

/* "1,234 of 5,000 lines, 98 a second, 1 min left" */
static void
show_progress(gpointer user, const RegardCorpusProgress *progress)
{
  if (progress->seconds_left >= 0)
    cli_stop_show("line %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                  ", %.3g a second; %.0f min left",
                  progress->line, progress->n_lines, progress->rate,
                  ceil(progress->seconds_left / 60));
  else
    cli_stop_show("line %" G_GUINT64_FORMAT ", %.3g a second", progress->line, progress->rate);
}

static void
ask_language(gpointer user, const mt_translation *translation)
{
  Corpus *self = user;
  cli_engine_ask_language(self->base.command, &self->base.engine, translation);
}

static CliStatus
compute(gpointer user, mt_error *error)
{
  Corpus *self = user;
  CliEngine *engine = &self->base.engine;
  const RegardCorpusRun wanted = {
      .session = engine->session,
      .model = engine->model,
      .request = &engine->request,
      .params = &engine->params,
      .hooks = &engine->hooks,
      .means = engine->means,
      .text = self->base.text,
      .path = self->base.picture.output,
      .has_trees = self->trees != NULL,
      .has_effects = self->has_effects,
      .with = (mt_ablation_kind) self->with,
      .sentences = (guint64) self->sentences,
      .commit = (guint64) self->commit,
      .n_threads = (guint) self->base.options.threads,
      .counts_lines = isatty(STDERR_FILENO) != 0,
      .say = say,
      .on_progress = show_progress,
      .on_translation = ask_language,
      .user = self,
  };
  RegardCorpusProgress progress;
  cli_stop_begin(&engine->hooks);
  const RegardCorpusOutcome outcome = regard_corpus_run(&wanted, &progress);
  const gboolean interrupted = outcome == REGARD_CORPUS_BROKEN_OFF && cli_stop_is_wanted();
  cli_stop_end(&engine->hooks);
  if (interrupted)
    cli_complain(self->base.command,
                 "interrupted after %" G_GUINT64_FORMAT
                 " sentences; the same command goes on from there",
                 progress.n_sentences);
  if (outcome == REGARD_CORPUS_MADE && !progress.has_problems) {
    g_autofree char *said = g_strdup_printf("%s: %" G_GUINT64_FORMAT " sentences\n",
                                            self->base.picture.output, progress.n_sentences);
    if (!cli_put(self->base.command, said, strlen(said)))
      return CLI_FAILED;
  }
  return outcome == REGARD_CORPUS_BROKEN_OFF || progress.has_problems ? CLI_FAILED : CLI_DONE;
}

/* ---- Merging some ---------------------------------------------------------------------------- */

static bool
should_stop(void *user)
{
  (void) user;
  return cli_stop_is_wanted();
}

static const CliOption merge_options[] = {
    {CLI_OPTION_TEXT, "output", 'o', 0, "FILE", "Where to write; not there yet"},
    CLI_OPTIONS_END,
};

static CliStatus
run_merge(const CliCommand *command, gpointer self, GPtrArray *files)
{
  const char *const *output = self;
  mt_hooks hooks = {0};
  mt_error error = {0};
  if (files->len < 1)
    return cli_usage(command, "merge wants corpus files");
  if (!*output)
    return cli_usage(command, "-o FILE is missing");
  cli_stop_begin(&hooks);
  const bool done = mt_corpus_merge((const char *const *) files->pdata, files->len, *output,
                                    should_stop, NULL, &error);
  cli_stop_end(&hooks);
  return done ? CLI_DONE : cli_failed(command, &error);
}

/* ---- Showing one: a head --------------------------------------------------------------------- */

typedef struct {
  mt_attention_kind kind;
  guint layer, head; /* from 0 */
} Head;

/* "cross 4.1"; FALSE: it is no head of this corpus. */
static gboolean
parse_head(const mt_corpus *corpus, const char *text, Head *head)
{
  const mt_corpus_about *about = mt_corpus_get_about(corpus);
  for (guint k = 0; k < MT_N_KINDS; k++)
    for (guint l = 0; l < about->n_layers[k]; l++)
      for (guint h = 0; h < about->n_heads[k]; h++) {
        g_autofree char *name = regard_naming_head((mt_attention_kind) k, l, h);
        if (g_ascii_strcasecmp(name, text) == 0) {
          *head = (Head){(mt_attention_kind) k, l, h};
          return TRUE;
        }
      }
  return FALSE;
}

/* ---- A head as JSON ---------------------------------------------------------------------------
 */

static json_object *
statistics_json(const mt_corpus_statistics *s)
{
  json_object *object = json_object_new_object(), *bins = json_object_new_array();
  regard_json_add(object, {"n", cli_json_size(s->n)}, {"mean", regard_json_double(s->mean)},
                  {"sd", regard_json_double(s->sd)}, {"skewness", regard_json_double(s->skewness)},
                  {"kurtosis", regard_json_double(s->kurtosis)},
                  {"least", regard_json_double(s->least)}, {"most", regard_json_double(s->most)},
                  {"low", regard_json_double(s->low)}, {"high", regard_json_double(s->high)});
  for (guint i = 0; i < MT_CORPUS_BINS; i++)
    json_object_array_add(bins, cli_json_size(s->bins[i]));
  json_object_object_add(object, "bins", bins);
  return object;
}

static gboolean
add_measures(json_object *object, const mt_corpus *corpus, const Head *head, mt_error *error)
{
  for (mt_corpus_measure m = 0; m < MT_N_CORPUS_MEASURES; m++) {
    mt_corpus_statistics s;
    if (!mt_corpus_get(corpus, head->kind, head->layer, head->head, m, &s, error))
      return FALSE;
    if (s.n > 0)
      json_object_object_add(object, mt_corpus_measure_about(m)->id, statistics_json(&s));
  }
  return TRUE;
}

static gboolean
add_roles(json_object *object, const mt_corpus *corpus, const Head *head, mt_error *error)
{
  for (mt_corpus_role r = 0; r < MT_N_CORPUS_ROLES; r++) {
    mt_corpus_role_value v;
    if (!mt_corpus_get_role(corpus, head->kind, head->layer, head->head, r, &v, error))
      return FALSE;
    if (v.n == 0)
      continue;
    json_object_object_add(object, mt_corpus_role_about(r)->id,
                           regard_json_object({"n", cli_json_size(v.n)},
                                              {"value", regard_json_double(v.value)},
                                              {"sd", regard_json_double(v.sd)},
                                              {"share", regard_json_double(v.share)},
                                              {"p", regard_json_double(v.p)},
                                              {"holds", json_object_new_boolean(v.holds)}));
  }
  return TRUE;
}

static json_object *
offsets_json(const mt_corpus_offsets *offsets)
{
  json_object *object = json_object_new_object(), *hits = json_object_new_array(),
              *rows = json_object_new_array();
  regard_json_add(object, {"best", json_object_new_int(offsets->best)},
                  {"share", regard_json_double(offsets->best_share)});
  for (guint i = 0; i < G_N_ELEMENTS(offsets->hits); i++) {
    json_object_array_add(hits, cli_json_size(offsets->hits[i]));
    json_object_array_add(rows, cli_json_size(offsets->rows[i]));
  }
  regard_json_add(object, {"hits", hits}, {"rows", rows});
  return object;
}

static gboolean
add_relations(json_object *list, const mt_corpus *corpus, const Head *head, mt_error *error)
{
  for (gsize i = 0; i < mt_corpus_n_relations(corpus); i++) {
    const mt_corpus_relation relation = mt_corpus_relation_at(corpus, i);
    mt_corpus_relation_value v;
    if (!mt_corpus_get_relation(corpus, head->layer, head->head, i, &v, error))
      return FALSE;
    json_object_array_add(list, regard_json_object({"name", cli_json_text(relation.name)},
                                                   {"reverse",
                                                    json_object_new_boolean(relation.is_reverse)},
                                                   {"share", regard_json_double(v.share)},
                                                   {"p", regard_json_double(v.p)},
                                                   {"holds", json_object_new_boolean(v.holds)}));
  }
  return TRUE;
}

/* Statistics, roles, offsets and relations. NULL: *error. */
static json_object *
head_json(const mt_corpus *corpus, const Head *head, mt_error *error)
{
  g_autofree char *name = regard_naming_head(head->kind, head->layer, head->head);
  json_object *object = json_object_new_object(), *measures = json_object_new_object(),
              *roles = json_object_new_object();
  mt_corpus_offsets offsets;
  regard_json_add(object, {"head", cli_json_text(name)}, {"measures", measures}, {"roles", roles});
  gboolean ok = add_measures(measures, corpus, head, error) &&
                add_roles(roles, corpus, head, error) &&
                mt_corpus_get_offsets(corpus, head->kind, head->layer, head->head, &offsets, error);
  if (ok && head->kind != MT_CROSS)
    json_object_object_add(object, "offsets", offsets_json(&offsets));
  if (ok && head->kind == MT_ENCODER_SELF && mt_corpus_n_relations(corpus) > 0) {
    json_object *list = json_object_new_array();
    json_object_object_add(object, "relations", list);
    ok = add_relations(list, corpus, head, error);
  }
  if (ok)
    return object;
  json_object_put(object);
  return NULL;
}

static json_object *
tokens_json(const mt_corpus_sentence *sentence, mt_stack stack)
{
  json_object *list = json_object_new_array();
  for (gsize i = 0; i < sentence->n_tokens[stack]; i++) {
    const mt_corpus_token *token = &sentence->tokens[stack][i];
    json_object *bounds = json_object_new_array();
    json_object_array_add(bounds, cli_json_size(token->begin));
    json_object_array_add(bounds, cli_json_size(token->end));
    json_object_array_add(list, bounds);
  }
  return list;
}

/* A sentence with its texts and tokens; value: NAN, there is none. NULL: *error. */
static json_object *
sentence_json(const mt_corpus *corpus, guint64 id, double value, mt_error *error)
{
  g_autoptr(mt_corpus_sentence) sentence = mt_corpus_sentence_new(corpus, id, error);
  if (!sentence)
    return NULL;
  json_object *object =
      regard_json_object({"sentence", cli_json_size(id)}, {"line", cli_json_size(sentence->line)});
  if (!isnan(value))
    json_object_object_add(object, "value", regard_json_double(value));
  regard_json_add(object, {"text", cli_json_text(sentence->text[MT_STACK_ENCODER])},
                  {"translation", cli_json_text(sentence->text[MT_STACK_DECODER])},
                  {"source_tokens", tokens_json(sentence, MT_STACK_ENCODER)},
                  {"target_tokens", tokens_json(sentence, MT_STACK_DECODER)});
  return object;
}

/* FALSE: *error. */
static gboolean
add_example(json_object *list, const mt_corpus *corpus, const mt_corpus_example *example,
            mt_error *error)
{
  json_object *object = sentence_json(corpus, example->sentence, example->value, error);
  if (!object)
    return FALSE;
  if (example->n_weights > 0)
    regard_json_add(object, {"query", cli_json_size(example->query + 1)},
                    {"key", cli_json_size(example->key + 1)},
                    {"weights", cli_json_floats(example->weights, example->n_weights)});
  json_object_array_add(list, object);
  return TRUE;
}

/* Its strongest sentences and quantile groups by a measure. NULL: *error. */
static json_object *
examples_json(const mt_corpus *corpus, const Head *head, mt_corpus_measure measure, mt_error *error)
{
  json_object *object = json_object_new_object(), *strongest = json_object_new_array(),
              *groups = json_object_new_array();
  regard_json_add(object, {"measure", cli_json_text(mt_corpus_measure_about(measure)->id)},
                  {"strongest", strongest}, {"quantiles", groups});
  mt_corpus_examples *best =
      mt_corpus_strongest(corpus, head->kind, head->layer, head->head, measure, error);
  mt_corpus_examples *all =
      best ? mt_corpus_quantiles(corpus, head->kind, head->layer, head->head, measure, error)
           : NULL;
  gboolean ok = all != NULL;
  for (gsize i = 0; ok && i < best->n; i++)
    ok = add_example(strongest, corpus, &best->items[i], error);
  for (gsize g = 0; ok && g < MT_CORPUS_GROUPS; g++) {
    json_object *group = json_object_new_array();
    json_object_array_add(groups, group);
    for (gsize i = 0; ok && i < MT_CORPUS_PER_GROUP; i++) {
      const mt_corpus_example *example = &all->items[g * MT_CORPUS_PER_GROUP + i];
      ok = example->sentence == 0 || add_example(group, corpus, example, error);
    }
  }
  mt_corpus_examples_free(best);
  mt_corpus_examples_free(all);
  if (ok)
    return object;
  json_object_put(object);
  return NULL;
}

/* ---- For people ------------------------------------------------------------------------------ */

/* "special 4.6, previous 3.2": the roles that it holds, with their values. FALSE: *error. */
static gboolean
append_roles(const mt_corpus *corpus, const Head *head, GString *out, mt_error *error)
{
  gboolean any = FALSE;
  for (mt_corpus_role r = 0; r < MT_N_CORPUS_ROLES; r++) {
    mt_corpus_role_value v;
    if (!mt_corpus_get_role(corpus, head->kind, head->layer, head->head, r, &v, error))
      return FALSE;
    if (!v.holds)
      continue;
    g_string_append_printf(out, "%s%s %.1f", any ? ", " : "", mt_corpus_role_about(r)->name,
                           v.value);
    any = TRUE;
  }
  return TRUE;
}

static gboolean
print_measures(const mt_corpus *corpus, const Head *head, GString *out, mt_error *error)
{
  g_string_append(out, "\nmeasure          mean      sd   least    most  unit\n");
  for (mt_corpus_measure m = 0; m < MT_N_CORPUS_MEASURES; m++) {
    mt_corpus_statistics s;
    const mt_head_statistic *info = mt_corpus_measure_about(m);
    if (!mt_corpus_get(corpus, head->kind, head->layer, head->head, m, &s, error))
      return FALSE;
    if (s.n > 0)
      g_string_append_printf(out, "%-13s %7.3f %7.3f %7.3f %7.3f  %s\n", info->id, s.mean, s.sd,
                             s.least, s.most,
                             info->unit_kinds && !(info->unit_kinds & MT_KIND_BIT(head->kind))
                                 ? ""
                                 : info->unit);
  }
  return TRUE;
}

static gboolean
print_roles(const mt_corpus *corpus, const Head *head, GString *out, mt_error *error)
{
  g_string_append(out, "\nrole            value   share       n        p\n");
  for (mt_corpus_role r = 0; r < MT_N_CORPUS_ROLES; r++) {
    mt_corpus_role_value v;
    if (!mt_corpus_get_role(corpus, head->kind, head->layer, head->head, r, &v, error))
      return FALSE;
    if (v.n > 0)
      g_string_append_printf(out, "%-13s %7.2f %7.3f %7" G_GUINT64_FORMAT " %8.2g%s\n",
                             mt_corpus_role_about(r)->id, v.value, v.share, (guint64) v.n, v.p,
                             v.holds ? "  holds" : "");
  }
  mt_corpus_offsets offsets;
  if (!mt_corpus_get_offsets(corpus, head->kind, head->layer, head->head, &offsets, error))
    return FALSE;
  if (!isnan(offsets.best_share))
    g_string_append_printf(out, "best offset %+d: the largest weight of %.1f %% of rows\n",
                           offsets.best, 100 * offsets.best_share);
  return TRUE;
}

static gboolean
print_relations(const mt_corpus *corpus, const Head *head, GString *out, mt_error *error)
{
  gboolean any = FALSE;
  for (gsize i = 0; head->kind == MT_ENCODER_SELF && i < mt_corpus_n_relations(corpus); i++) {
    const mt_corpus_relation relation = mt_corpus_relation_at(corpus, i);
    mt_corpus_relation_value v;
    if (!mt_corpus_get_relation(corpus, head->layer, head->head, i, &v, error))
      return FALSE;
    if (!v.holds)
      continue;
    if (!any)
      g_string_append(out, "\nrelation           share  offset alone       n        p\n");
    any = TRUE;
    g_string_append_printf(out, "%s %-15s %5.1f %%  %5.1f %% (%+d)  %7" G_GUINT64_FORMAT " %8.2g\n",
                           relation.is_reverse ? "←" : "→", relation.name, 100 * v.share,
                           100 * relation.offset_share, relation.offset, (guint64) relation.n, v.p);
  }
  return TRUE;
}

static gboolean
print_example(const mt_corpus *corpus, const mt_corpus_example *example, GString *out,
              mt_error *error)
{
  g_autoptr(mt_corpus_sentence) sentence = mt_corpus_sentence_new(corpus, example->sentence, error);
  if (!sentence)
    return FALSE;
  g_autofree char *text = regard_visible(sentence->text[MT_STACK_ENCODER]);
  g_string_append_printf(out, "%8.3f  %7" G_GUINT64_FORMAT "  %s\n", example->value,
                         (guint64) example->sentence, text);
  return TRUE;
}

static gboolean
print_examples(const mt_corpus *corpus, const Head *head, mt_corpus_measure measure, GString *out,
               mt_error *error)
{
  mt_corpus_examples *best =
      mt_corpus_strongest(corpus, head->kind, head->layer, head->head, measure, error);
  mt_corpus_examples *all =
      best ? mt_corpus_quantiles(corpus, head->kind, head->layer, head->head, measure, error)
           : NULL;
  gboolean ok = all != NULL;
  if (ok)
    g_string_append_printf(out, "\nstrongest by %s, with the number of the sentence\n",
                           mt_corpus_measure_about(measure)->id);
  for (gsize i = 0; ok && i < best->n; i++)
    ok = print_example(corpus, &best->items[i], out, error);
  if (ok)
    g_string_append(out, "\none of each tenth of the sentences, the least first\n");
  for (gsize g = 0; ok && g < MT_CORPUS_GROUPS; g++)
    if (all->items[g * MT_CORPUS_PER_GROUP].sentence > 0)
      ok = print_example(corpus, &all->items[g * MT_CORPUS_PER_GROUP], out, error);
  mt_corpus_examples_free(best);
  mt_corpus_examples_free(all);
  return ok;
}

/* All of it for people; measure: of the examples. FALSE: *error. */
static gboolean
append_all(const mt_corpus *corpus, const Head *head, mt_corpus_measure measure, GString *out,
           mt_error *error)
{
  g_autofree char *name = regard_naming_head(head->kind, head->layer, head->head);
  g_string_append_printf(out, "%s over %" G_GUINT64_FORMAT " sentences\n", name,
                         (guint64) mt_corpus_get_about(corpus)->n_sentences);
  return print_measures(corpus, head, out, error) && print_roles(corpus, head, out, error) &&
         print_relations(corpus, head, out, error) &&
         print_examples(corpus, head, measure, out, error);
}

/* ---- All of it ------------------------------------------------------------------------------- */

#define LISTED 20

typedef struct {
  const CliCommand *command;
  mt_corpus *corpus;
  const char *head_text, *measure_text, *words;
  double least, most;
  gint64 limit;
  gboolean json, csv;
  gboolean has_head;
  Head head;
  mt_corpus_measure measure;
} Show;

static const Show show_defaults = {.least = NAN, .most = NAN};
static const CliOption show_options[] = {
    {CLI_OPTION_TEXT, "head", 0, offsetof(Show, head_text), "HEAD",
     "Of one head, such as 'cross 4.1'"},
    {CLI_OPTION_TEXT, "measure", 0, offsetof(Show, measure_text), "MEASURE",
     "By which examples and sentences are chosen; default confidence"},
    {CLI_OPTION_WORDS, "search", 0, offsetof(Show, words), "WORDS",
     "Sentences that have WORDS, in either text; \"quotes\" and prefix* as usual"},
    {CLI_OPTION_NUMBER, "least", 0, offsetof(Show, least), "X",
     "Sentences in which the measure of the head is at least X", -1e6, 1e6},
    {CLI_OPTION_NUMBER, "most", 0, offsetof(Show, most), "X",
     "Sentences in which the measure of the head is at most X", -1e6, 1e6},
    {CLI_OPTION_WHOLE, "limit", 0, offsetof(Show, limit), "N", "List so many sentences; default 20",
     1, 100000},
    {CLI_OPTION_FLAG, "json", 0, offsetof(Show, json), NULL, "All numbers, as JSON"},
    {CLI_OPTION_FLAG, "csv", 0, offsetof(Show, csv), NULL, "Statistics, or sentences, as CSV"},
    CLI_OPTIONS_END,
};

typedef gboolean (*EachHead)(Show *self, const Head *head, gpointer user, mt_error *error);

/* Encoder, cross, decoder, as everywhere. */
static gboolean
each_head(Show *self, EachHead func, gpointer user, mt_error *error)
{
  const mt_corpus_about *about = mt_corpus_get_about(self->corpus);
  for (guint k = 0; k < MT_N_KINDS; k++) {
    const mt_attention_kind kind = regard_kinds_in_order[k];
    for (guint l = 0; l < about->n_layers[kind]; l++)
      for (guint h = 0; h < about->n_heads[kind]; h++) {
        const Head head = {kind, l, h};
        if (!func(self, &head, user, error))
          return FALSE;
      }
  }
  return TRUE;
}

/* ---- All heads ------------------------------------------------------------------------------- */

static gboolean
append_head(Show *self, const Head *head, gpointer user, mt_error *error)
{
  static const mt_corpus_measure shown[] = {MT_CORPUS_ENTROPY, MT_CORPUS_CONFIDENCE,
                                            MT_CORPUS_SPECIAL, MT_CORPUS_PUNCTUATION,
                                            MT_CORPUS_EFFECT};
  GString *out = user;
  g_autofree char *name = regard_naming_head(head->kind, head->layer, head->head);
  g_string_append_printf(out, "%-13s", name);
  for (guint i = 0; i < G_N_ELEMENTS(shown); i++) {
    mt_corpus_statistics s;
    if (!mt_corpus_get(self->corpus, head->kind, head->layer, head->head, shown[i], &s, error))
      return FALSE;
    if (s.n > 0)
      g_string_append_printf(out, "%12.3f", s.mean);
    else if (shown[i] != MT_CORPUS_EFFECT)
      g_string_append_printf(out, "%12s", "");
  }
  g_string_append(out, "  ");
  const gboolean ok = append_roles(self->corpus, head, out, error);
  g_string_append_c(out, '\n');
  return ok;
}

static void
append_about(GString *out, const mt_corpus *corpus)
{
  const mt_corpus_about *about = mt_corpus_get_about(corpus);
  g_autofree char *text = regard_visible(about->text_name);
  g_autofree char *model = regard_visible(about->model_name);
  g_string_append_printf(out,
                         "%s, %s: %" G_GUINT64_FORMAT " sentences, %" G_GUINT64_FORMAT
                         " source tokens, %" G_GUINT64_FORMAT " of translations%s\n",
                         text, model, (guint64) about->n_sentences, (guint64) about->n_tokens[0],
                         (guint64) about->n_tokens[1], about->is_complete ? "" : "; not complete");
  if (about->n_left_out > 0)
    g_string_append_printf(out, "%" G_GUINT64_FORMAT " lines were left out\n",
                           (guint64) about->n_left_out);
}

static gboolean
print_heads(Show *self, GString *out, mt_error *error)
{
  append_about(out, self->corpus);
  g_string_append_printf(out, "\n%-13s%12s%12s%12s%12s%s  roles\n", "mean of", "entropy",
                         "confidence", "special", "punctuation",
                         mt_corpus_get_about(self->corpus)->has_effects ? "      effect" : "");
  return each_head(self, append_head, out, error);
}

static gboolean
add_head_json(Show *self, const Head *head, gpointer user, mt_error *error)
{
  json_object *object = head_json(self->corpus, head, error);
  if (object)
    json_object_array_add(user, object);
  return object != NULL;
}

static json_object *
about_json(const mt_corpus *corpus)
{
  const mt_corpus_about *about = mt_corpus_get_about(corpus);
  g_autofree char *fingerprint = g_strdup_printf("%016" G_GINT64_MODIFIER "x", about->fingerprint);
  return regard_json_object(
      {"model", cli_json_text(about->model_name)}, {"fingerprint", cli_json_text(fingerprint)},
      {"text", cli_json_text(about->text_name)}, {"search", cli_json_text(about->search)},
      {"changes", cli_json_text(about->interventions)},
      {"complete", json_object_new_boolean(about->is_complete)},
      {"importance", about->has_effects ? cli_json_text(mt_ablation_kind_name(about->with)) : NULL},
      {"sentences", cli_json_size(about->n_sentences)},
      {"left_out", cli_json_size(about->n_left_out)},
      {"source_tokens", cli_json_size(about->n_tokens[0])},
      {"target_tokens", cli_json_size(about->n_tokens[1])});
}

/* [L*H][L*H] of each kind. */
static json_object *
distances_json(const mt_corpus *corpus)
{
  const mt_corpus_about *about = mt_corpus_get_about(corpus);
  json_object *object = json_object_new_object();
  for (guint k = 0; k < MT_N_KINDS; k++) {
    const gsize heads = about->n_heads[k], n = about->n_layers[k] * heads;
    json_object *rows = json_object_new_array();
    for (gsize i = 0; i < n; i++) {
      json_object *row = json_object_new_array();
      for (gsize j = 0; j < n; j++)
        json_object_array_add(row, regard_json_double(
                                       mt_corpus_distance(corpus, (mt_attention_kind) k, i / heads,
                                                          i % heads, j / heads, j % heads)));
      json_object_array_add(rows, row);
    }
    json_object_object_add(object, regard_kind_ids[k], rows);
  }
  return object;
}

static json_object *
relations_json(const mt_corpus *corpus)
{
  json_object *list = json_object_new_array();
  for (gsize i = 0; i < mt_corpus_n_relations(corpus); i++) {
    const mt_corpus_relation relation = mt_corpus_relation_at(corpus, i);
    json_object_array_add(
        list, regard_json_object({"name", cli_json_text(relation.name)},
                                 {"reverse", json_object_new_boolean(relation.is_reverse)},
                                 {"n", cli_json_size(relation.n)},
                                 {"offset", json_object_new_int(relation.offset)},
                                 {"offset_share", regard_json_double(relation.offset_share)}));
  }
  return list;
}

static gboolean
put_all_json(Show *self, mt_error *error)
{
  json_object *object = json_object_new_object(), *heads = json_object_new_array();
  regard_json_add(object, {"about", about_json(self->corpus)}, {"heads", heads},
                  {"distances", distances_json(self->corpus)},
                  {"relations", relations_json(self->corpus)});
  if (each_head(self, add_head_json, heads, error))
    return cli_json_put(self->command, object, FALSE);
  json_object_put(object);
  return FALSE;
}

/* ---- CSV ------------------------------------------------------------------------------------- */

static void
append_number(GString *out, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  g_string_append_c(out, ',');
  if (isfinite(value))
    g_string_append(out, g_ascii_dtostr(text, sizeof text, value));
}

static gboolean
append_head_csv(Show *self, const Head *head, gpointer user, mt_error *error)
{
  GString *out = user;
  for (mt_corpus_measure m = 0; m < MT_N_CORPUS_MEASURES; m++) {
    mt_corpus_statistics s;
    if (!mt_corpus_get(self->corpus, head->kind, head->layer, head->head, m, &s, error))
      return FALSE;
    if (s.n == 0)
      continue;
    g_string_append_printf(out, "%s,%u,%u,%s,%" G_GUINT64_FORMAT, regard_kind_id(head->kind),
                           head->layer + 1, head->head + 1, mt_corpus_measure_about(m)->id,
                           (guint64) s.n);
    const double numbers[] = {s.mean, s.sd, s.skewness, s.kurtosis, s.least, s.most};
    for (guint i = 0; i < G_N_ELEMENTS(numbers); i++)
      append_number(out, numbers[i]);
    g_string_append_c(out, '\n');
  }
  return TRUE;
}

/* ---- Search ---------------------------------------------------------------------------------- */

static gboolean
append_hit(Show *self, const mt_corpus_hit *hit, GString *out, mt_error *error)
{
  g_autoptr(mt_corpus_sentence) sentence =
      mt_corpus_sentence_new(self->corpus, hit->sentence, error);
  if (!sentence)
    return FALSE;
  g_string_append_printf(out, "%" G_GUINT64_FORMAT, (guint64) hit->sentence);
  if (self->csv) {
    g_string_append_printf(out, ",%" G_GUINT64_FORMAT, (guint64) sentence->line);
    append_number(out, hit->value);
    for (guint s = 0; s < MT_N_STACKS; s++) {
      g_string_append_c(out, ',');
      cli_csv_append_field(out, sentence->text[s]);
    }
  } else {
    g_autofree char *source = regard_visible(sentence->text[MT_STACK_ENCODER]);
    g_autofree char *target = regard_visible(sentence->text[MT_STACK_DECODER]);
    if (!isnan(hit->value))
      g_string_append_printf(out, "\t%.3f", hit->value);
    g_string_append_printf(out, "\t%s\t%s", source, target);
  }
  g_string_append_c(out, '\n');
  return TRUE;
}

static gboolean
put_hits_json(Show *self, const mt_corpus_hits *hits, mt_error *error)
{
  json_object *object = json_object_new_object(), *list = json_object_new_array();
  regard_json_add(object, {"total", cli_json_size(hits->total)}, {"hits", list});
  for (gsize i = 0; i < hits->n; i++) {
    json_object *hit =
        sentence_json(self->corpus, hits->items[i].sentence, hits->items[i].value, error);
    if (!hit) {
      json_object_put(object);
      return FALSE;
    }
    json_object_array_add(list, hit);
  }
  return cli_json_put(self->command, object, FALSE);
}

static gboolean
put_hits(Show *self, mt_error *error)
{
  const mt_corpus_query query = {
      .words = self->words,
      .has_head = self->has_head,
      .kind = self->head.kind,
      .layer = self->head.layer,
      .head = self->head.head,
      .measure = self->measure,
      .least = isnan(self->least) ? -INFINITY : self->least,
      .most = isnan(self->most) ? INFINITY : self->most,
      .is_descending = TRUE,
      .limit = self->limit ? (gsize) self->limit : LISTED,
  };
  mt_corpus_hits *hits = mt_corpus_search(self->corpus, &query, error);
  if (!hits)
    return FALSE;
  g_autoptr(GString) out = g_string_new(self->csv ? "sentence,line,value,text,translation\n" : "");
  gboolean ok = TRUE;
  if (self->json)
    ok = put_hits_json(self, hits, error);
  for (gsize i = 0; ok && !self->json && i < hits->n; i++)
    ok = append_hit(self, &hits->items[i], out, error);
  if (!self->json && !self->csv)
    g_string_append_printf(out, "%" G_GSIZE_FORMAT " of %" G_GUINT64_FORMAT " sentences\n", hits->n,
                           (guint64) hits->total);
  mt_corpus_hits_free(hits);
  return ok && (self->json || cli_put(self->command, out->str, out->len));
}

/* ---- The command ----------------------------------------------------------------------------- */

static gboolean
put_head(Show *self, mt_error *error)
{
  if (self->json) {
    json_object *object = head_json(self->corpus, &self->head, error);
    json_object *examples =
        object ? examples_json(self->corpus, &self->head, self->measure, error) : NULL;
    if (examples) {
      json_object_object_add(object, "examples", examples);
      return cli_json_put(self->command, object, FALSE);
    }
    json_object_put(object);
    return FALSE;
  }
  g_autoptr(GString) out = g_string_new(NULL);
  if (self->csv) {
    g_string_append(out, "kind,layer,head,measure,n,mean,sd,skewness,kurtosis,least,most\n");
    return append_head_csv(self, &self->head, out, error) &&
           cli_put(self->command, out->str, out->len);
  }
  return append_all(self->corpus, &self->head, self->measure, out, error) &&
         cli_put(self->command, out->str, out->len);
}

static gboolean
put_heads(Show *self, mt_error *error)
{
  if (self->json)
    return put_all_json(self, error);
  g_autoptr(GString) out = g_string_new(NULL);
  gboolean ok;
  if (self->csv) {
    g_string_append(out, "kind,layer,head,measure,n,mean,sd,skewness,kurtosis,least,most\n");
    ok = each_head(self, append_head_csv, out, error);
  } else {
    ok = print_heads(self, out, error);
  }
  return ok && cli_put(self->command, out->str, out->len);
}

/* CLI_DONE: they make sense together. */
static CliStatus
check_show(Show *self)
{
  const gboolean is_bounded = !isnan(self->least) || !isnan(self->most);
  self->measure = MT_CORPUS_CONFIDENCE;
  if (self->json && self->csv)
    return cli_usage(self->command, "--json and --csv do not go together");
  if (self->measure_text && !mt_corpus_measure_find(self->measure_text, &self->measure))
    return cli_usage(self->command, "--measure: there is no measure '%s'", self->measure_text);
  if ((self->measure_text || is_bounded) && !self->head_text)
    return cli_usage(self->command, "--measure, --least and --most want --head");
  if (self->head_text && !parse_head(self->corpus, self->head_text, &self->head))
    return cli_usage(self->command, "--head wants a head such as 'cross 4.1', found '%s'",
                     self->head_text);
  self->has_head = self->head_text != NULL;
  if (self->has_head &&
      !(mt_corpus_measure_about(self->measure)->text_kinds & MT_KIND_BIT(self->head.kind)))
    return cli_usage(self->command, "--measure: heads of this kind have no '%s'",
                     self->measure_text);
  return CLI_DONE;
}

static CliStatus
run_show(const CliCommand *command, gpointer user, GPtrArray *files)
{
  Show *self = user;
  mt_error error = {0};
  self->command = command;
  if (files->len != 1)
    return cli_usage(command, "show wants one corpus file, found %u", files->len);
  self->corpus = mt_corpus_open(files->pdata[0], &error);
  if (!self->corpus)
    return cli_failed(command, &error);
  CliStatus status = check_show(self);
  if (status == CLI_DONE) {
    const gboolean is_search = self->words || !isnan(self->least) || !isnan(self->most);
    const gboolean ok = is_search        ? put_hits(self, &error)
                        : self->has_head ? put_head(self, &error)
                                         : put_heads(self, &error);
    if (error.code != MT_OK)
      cli_complain(command, "%s", error.message);
    status = ok ? CLI_DONE : CLI_FAILED;
  }
  mt_corpus_close(self->corpus);
  return status;
}

/* ---- The commands ---------------------------------------------------------------------------- */

static const char details[] =
    "Translates the lines of FILE ('-': standard input) and keeps of every head of all three\n"
    "kinds statistics of its measures, roles, distances to the others, the strongest examples\n"
    "and some of every strength, in one SQLite file. Ctrl+C ends it; the same command goes on\n"
    "where it ended, whatever ended it, and does nothing when the file is complete.\n"
    "\n"
    "merge makes one file of several, that of the whole text to the last bit if they are its\n"
    "parts in order: 'split -n l/8 TEXT part.', one command for each part on whatever "
    "machine,\n"
    "and one merge.\n"
    "\n"
    "show writes what is in a file: a line for each head; with --head 'cross 4.1' all of one;\n"
    "with --search WORDS sentences with these words, and with --measure and --least or --most\n"
    "those in which the head does that: --head 'cross 4.1' --measure special --least 0.5.\n"
    "--json and --csv have everything. 'corpus show --help' lists its options.\n";

/* All of them say the same of themselves. */
#define ABOUT                                                                              \
  .name = "corpus",                                                                        \
  .summary = "Keep what every head does over a text: statistics, roles, examples, search", \
  .arguments = "-o FILE.regard-corpus FILE | merge -o FILE PART… | show FILE", .details = details

static const CliCommand merge = {
    ABOUT,
    .second = "merge",
    .options = merge_options,
    .size = sizeof(const char *),
    .run = run_merge,
};
static const CliCommand show = {
    ABOUT,
    .second = "show",
    .options = show_options,
    .defaults = &show_defaults,
    .size = sizeof show_defaults,
    .run = run_show,
};
static const CliCommand *const seconds[] = {&merge, &show, NULL};

static const CliAnalysisSteps steps = {.check = check, .compute = compute};

const CliCommand cli_corpus = {
    ABOUT,
    CLI_ANALYSIS(options, defaults, steps),
    .seconds = seconds,
};
