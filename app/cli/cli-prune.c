/* cli-prune.c — regard-cli prune: which heads can go, and how many are enough.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-analysis.h"
#include "cli/cli-lines.h"
#include "figures/regard-ablation.h"
#include "figures/regard-pruning.h"

#include <math.h>
#include <string.h>

typedef struct {
  CliAnalysis base;
  guint with; /* a mt_ablation_kind */
  guint kind; /* an mt_attention_kind; CLI_NO_CHOICE: all */
  gint64 keep, step, sentences;
  const char *file, *references;
  gboolean scores;
} Prune;

#define AT(member) offsetof(Prune, member)
static const Prune defaults = {.base = CLI_ANALYSIS_INIT, .kind = CLI_NO_CHOICE};
static const CliOption options[] = {
    CLI_OPTIONS(cli_options_model),
    {CLI_OPTION_CHOICE, "with", 0, AT(with), "CHANGE", "How a head is taken out; default zero", 0,
     0, cli_effect_kinds},
    {CLI_OPTION_CHOICE, "kind", 0, AT(kind), "KIND",
     "Take out heads of one attention alone; default: of all", 0, 0, regard_kind_ids},
    {CLI_OPTION_WHOLE, "keep", 0, AT(keep), "N", "Stop when so many are kept; default 0", 0,
     1000000},
    {CLI_OPTION_WHOLE, "step", 0, AT(step), "K", "Take out so many at a time; default 1", 1,
     1000000},
    {CLI_OPTION_TEXT, "file", 0, AT(file), "FILE", "Over the lines of FILE instead of one TEXT"},
    {CLI_OPTION_TEXT, "references", 0, AT(references), "FILE",
     "Of a file, take the lines of FILE as translations instead of searching"},
    {CLI_OPTION_FLAG, "scores", 0, AT(scores), NULL,
     "Also translate the file at every step: BLEU and chrF"},
    {CLI_OPTION_WHOLE, "sentences", 0, AT(sentences), "N",
     "Take the first N sentences of the file; default: all", 1, 100000000},
    CLI_OPTIONS(cli_options_output),
    CLI_OPTIONS(cli_options_target),
    CLI_OPTIONS(cli_options_translation),
    CLI_OPTIONS(cli_options_picture),
    CLI_OPTIONS_END,
};

typedef struct {
  const CliCommand *command;
  CliEngine *engine;
  const Prune *wanted;
  CliCorpus *corpus;               /* NULL: one text */
  GPtrArray *translations;         /* of mt_translation */
  GArray *heads;                   /* of CliHead, with effects summed over the translations */
  guint n_candidates;              /* of those, the ones that may go and are there */
  bool *is_candidate;              /* [heads] */
  mt_interventions *interventions; /* those that were asked for, and the heads that are gone */
  GArray *steps;                   /* of RegardPruningStep */
  gint64 begun;
} Work;

static CliHead *
head_at(const Work *self, guint i)
{
  return &g_array_index(self->heads, CliHead, i);
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* All effects with those gone that are; and log p. FALSE: interrupted, or told. */
static gboolean
add_effects(Work *self, double *logprob)
{
  const mt_ablation_params params = {.kind = (mt_ablation_kind) self->wanted->with,
                                     .means = self->engine->means,
                                     .wanted = self->is_candidate};
  mt_hooks hooks = self->engine->hooks;
  hooks.interventions = self->interventions;
  *logprob = 0;
  for (guint h = 0; h < self->heads->len; h++)
    head_at(self, h)->value = 0;
  for (guint i = 0; i < self->translations->len; i++) {
    mt_error error = {0};
    g_autoptr(mt_ablation) effects =
        mt_ablation_new(self->engine->session, self->translations->pdata[i], 0, &params, &hooks,
                        &error);
    if (!effects) {
      if (error.code != MT_ERROR_CANCELLED)
        cli_complain(self->command, "%s", error.message);
      return FALSE;
    }
    for (guint h = 0; h < self->heads->len; h++) {
      CliHead *head = head_at(self, h);
      head->value += mt_ablation_get(effects, head->kind, head->layer, head->head);
    }
    for (gsize t = 0; t < effects->n_tokens; t++)
      *logprob += (double) effects->logprobs[t];
  }
  *logprob /= self->translations->len;
  return TRUE;
}

/* The point of the curve where it stands. FALSE: interrupted, or told. */
static gboolean
add_step(Work *self, const char *removed)
{
  CliScores scores = {(double) NAN, (double) NAN};
  double logprob;
  if (!add_effects(self, &logprob) ||
      (self->wanted->scores &&
       !cli_corpus_score(self->command, self->engine, self->corpus, self->interventions, &scores)))
    return FALSE;
  const RegardPruningStep step = {.removed = g_strdup(removed),
                                  .kept = self->n_candidates,
                                  .logprob = logprob,
                                  .bleu = scores.bleu,
                                  .chrf = scores.chrf};
  g_array_append_val(self->steps, step);
  return TRUE;
}

/* The head that is missed least goes. FALSE: told. */
static gboolean
remove_one(Work *self, GString *removed)
{
  guint least = self->heads->len;
  for (guint i = 0; i < self->heads->len; i++)
    if (self->is_candidate[i] &&
        (least == self->heads->len || head_at(self, i)->value < head_at(self, least)->value))
      least = i;
  g_assert(least < self->heads->len);
  const CliHead *head = head_at(self, least);
  g_autofree char *name = regard_ablation_head_name(head->kind, head->layer, head->head);
  CliEngine so_far = *self->engine;
  mt_error error = {0};
  so_far.hooks.interventions = self->interventions;
  mt_interventions *interventions =
      cli_corpus_without(&so_far, name, (mt_ablation_kind) self->wanted->with, &error);
  if (!interventions) {
    cli_complain(self->command, "%s", error.message);
    return FALSE;
  }
  mt_interventions_unref(self->interventions);
  self->interventions = interventions;
  self->is_candidate[least] = false;
  self->n_candidates--;
  g_string_append_printf(removed, "%s%s", removed->len ? " " : "", name);
  return TRUE;
}

static void
show(const Work *self, guint n_all)
{
  const guint n_gone = n_all - self->n_candidates, n_left = self->n_candidates;
  const double passed = (double) (g_get_monotonic_time() - self->begun) / G_USEC_PER_SEC;
  if (n_gone == 0)
    cli_stop_show("%u heads kept", n_left);
  else /* a step takes longer, the more heads there are to choose from */
    cli_stop_show("%u heads kept; at most %.0f min left", n_left,
                  ceil(passed / n_gone * (n_left - (guint) MIN(self->wanted->keep, n_left)) / 60));
}

/* FALSE: interrupted, or told. */
static gboolean
prune(Work *self)
{
  const guint n_all = self->n_candidates;
  g_autoptr(GString) removed = g_string_new(NULL);
  self->begun = g_get_monotonic_time();
  if (!add_step(self, ""))
    return FALSE;
  while (self->n_candidates > self->wanted->keep) {
    g_string_truncate(removed, 0);
    show(self, n_all);
    for (gint64 i = 0; i < MAX(self->wanted->step, 1) && self->n_candidates > self->wanted->keep;
         i++)
      if (!remove_one(self, removed))
        return FALSE;
    if (cli_stop_is_wanted() || !add_step(self, removed->str))
      return FALSE;
  }
  return TRUE;
}

/* ---- Translations ---------------------------------------------------------------------------- */

static gboolean
add_translation(Work *self, const char *text, const char *target)
{
  mt_error error = {0};
  mt_translation *translation =
      cli_engine_translate(self->command, self->engine, text, target, &error);
  if (translation)
    g_ptr_array_add(self->translations, translation);
  else if (error.code != MT_ERROR_CANCELLED)
    cli_complain(self->command, "%s", error.message);
  return translation != NULL;
}

static gboolean
add_translations(Work *self)
{
  if (!self->corpus)
    return add_translation(self, self->wanted->base.text, self->wanted->base.target);
  for (guint i = 0; i < self->corpus->texts->len; i++) {
    cli_stop_show("translating %u of %u", i + 1, self->corpus->texts->len);
    if (!add_translation(self, self->corpus->texts->pdata[i],
                         self->corpus->references ? self->corpus->references->pdata[i] : NULL))
      return FALSE;
  }
  return TRUE;
}

/* What was done until it was interrupted. */
static CliStatus
prune_with(Prune *self, CliCorpus *corpus)
{
  CliEngine *engine = &self->base.engine;
  Work work = {.command = self->base.command,
               .engine = engine,
               .wanted = self,
               .corpus = corpus,
               .translations =
                   g_ptr_array_new_with_free_func((GDestroyNotify) mt_translation_unref),
               .heads = cli_heads_new(mt_model_config(engine->model)),
               .interventions =
                   mt_interventions_ref((mt_interventions *) engine->hooks.interventions),
               .steps = g_array_new(FALSE, FALSE, sizeof(RegardPruningStep))};
  work.is_candidate = g_new0(bool, work.heads->len);
  for (guint i = 0; i < work.heads->len; i++) {
    work.is_candidate[i] = self->kind == CLI_NO_CHOICE || self->kind == head_at(&work, i)->kind;
    work.n_candidates += work.is_candidate[i];
  }
  const guint n_candidates = work.n_candidates;
  cli_stop_begin(&engine->hooks);
  const gboolean done = add_translations(&work) && prune(&work);
  const gboolean interrupted = cli_stop_is_wanted();
  cli_stop_end(&engine->hooks);
  if (interrupted)
    cli_complain(self->base.command, "interrupted with %u heads kept", work.n_candidates);
  const guint n_steps = work.steps->len;
  RegardPruningStep *steps = (RegardPruningStep *) (void *) g_array_free(work.steps, FALSE);
  if (n_steps)
    self->base.result = regard_pruning_new(engine->model, engine->hooks.interventions,
                                           (mt_ablation_kind) self->with, n_candidates,
                                           work.translations->len, self->scores, steps, n_steps);
  else
    g_free(steps);
  if (!done || (corpus && corpus->n_left_out))
    self->base.status = CLI_FAILED;
  g_ptr_array_unref(work.translations);
  mt_interventions_unref(work.interventions);
  g_free(work.is_candidate);
  g_array_unref(work.heads);
  return self->base.result ? CLI_DONE : CLI_FAILED;
}

static CliStatus
compute(gpointer user, mt_error *error)
{
  Prune *self = user;
  g_autoptr(CliCorpus) corpus = NULL;
  if (self->file && !(corpus = cli_corpus_open(self->base.command, &self->base.engine, self->file,
                                               self->references, self->sentences)))
    return CLI_FAILED;
  return prune_with(self, corpus);
}

/* ---- The list -------------------------------------------------------------------------------- */

static CliStatus
print(gpointer user)
{
  const Prune *self = user;
  const RegardPruning *pruning = self->base.result;
  GString *out = g_string_new(NULL);
  const double whole = pruning->steps[0].logprob;
  g_string_append_printf(out, "kept      log p      lost%s  taken out\n",
                         pruning->is_scored ? "    BLEU   chrF2" : "");
  for (guint i = 0; i < pruning->n_steps; i++) {
    const RegardPruningStep *step = &pruning->steps[i];
    g_string_append_printf(out, "%4u %10.4f %9.4f", step->kept, step->logprob,
                           whole - step->logprob);
    if (pruning->is_scored)
      g_string_append_printf(out, " %7.2f %7.2f", step->bleu, step->chrf);
    g_string_append_printf(out, "%s%s\n", *step->removed ? "  " : "", step->removed);
  }
  return cli_print(self->base.command, out);
}

/* ---- The command ----------------------------------------------------------------------------- */

static CliStatus
check(gpointer user)
{
  Prune *self = user;
  CliAnalysis *base = &self->base;
  if (self->file && (base->arguments->len > 0 || base->target))
    return cli_usage(base->command,
                     "--file stands in the place of TEXT, and goes without --target");
  if ((self->references || self->scores || self->sentences) && !self->file)
    return cli_usage(base->command, "--references, --scores and --sentences want --file");
  if (self->scores && !self->references)
    return cli_usage(base->command, "--scores wants --references");
  base->options.wants_means = self->with == MT_ABLATION_MEAN;
  return self->file ? CLI_DONE : cli_options_check_text(base->command, base->arguments);
}

static const CliAnalysisSteps steps = {
    .check = check,
    .writes = CLI_WRITES_ON_DEMAND,
    .compute = compute,
    .figure = (CliFigureFunc) regard_figure_new_pruning,
    .print = print,
    .free_result = (GDestroyNotify) regard_pruning_unref,
};

const CliCommand cli_prune = {
    .name = "prune",
    .summary = "Take out heads one after the other: which can go, and how many are enough",
    .arguments = "[-o FILE] (TEXT | --file FILE)",
    .details =
        "Translates TEXT, or the lines of FILE, and takes out heads greedily: at every step the\n"
        "one whose loss costs the translations the least log-probability, all those being gone\n"
        "that went before. Prints for each step how many heads are kept, the mean log-probability\n"
        "of a translation in nats, what is lost of it, and which head was taken out. What was\n"
        "taken out last is what is enough. It is a greedy search: another set of the same size\n"
        "may do better.\n"
        "\n"
        "With --scores and --references the file is translated anew at every step, and compared.\n"
        "Ctrl+C ends it early; what is there is printed or written.\n"
        "\n"
        "With -o it draws quality against the number of heads kept, as Michel et al. 2019 and\n"
        "Voita et al. 2019 do. CSV, JSON and NPZ have a row for each step, named by the heads\n"
        "taken out, with heads kept, log p, BLEU and chrF2.\n",
    CLI_ANALYSIS(options, defaults, steps),
};
