/* cli-effects-file.c — effects of heads over the sentences of a file: of each the log-probability,
 * then the scores of all of them once more for each head; until the end or Ctrl+C, and on from
 * there another time.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-effects-state.h"
#include "cli/cli-effects.h"
#include "cli/cli-stop.h"

#include <math.h>

/* Microseconds between two times that what is done is written. */
#define WRITE_EVERY (2 * G_USEC_PER_SEC)

typedef struct {
  const CliCommand *command;
  CliEngine *engine;
  const CliEffectsWanted *wanted;
  const CliCorpus *corpus;
  char *key;
  RegardEffectsSum *sum;
  guint n_read; /* sentences that were tried */
  gint64 written, begun;
  gboolean failed;
} Work;

/* What is done so far goes to the file of --resume, now or now and then. */
static void
keep(Work *self, gboolean now)
{
  const gint64 time = g_get_monotonic_time();
  if (!self->wanted->resume || (!now && time - self->written < WRITE_EVERY))
    return;
  self->written = time;
  if (!cli_effects_state_write(self->command, self->wanted->resume, self->key, self->sum,
                               self->n_read))
    self->failed = TRUE;
}

/* ---- log p ----------------------------------------------------------------------------------- */

/* FALSE: interrupted. */
static gboolean
add_sentence(Work *self)
{
  const mt_effects_params params = {.kind = (mt_effect_kind) self->wanted->with,
                                    .means = self->engine->means};
  const guint i = self->n_read;
  const GPtrArray *references = self->corpus->references;
  mt_error error = {0};
  mt_translation *translation =
      cli_engine_translate(self->command, self->engine, self->corpus->texts->pdata[i],
                           references ? references->pdata[i] : NULL, &error);
  mt_effects *effects = translation ? mt_effects_new(self->engine->session, translation, 0, &params,
                                                     &self->engine->hooks, &error)
                                    : NULL;
  mt_translation_unref(translation);
  if (!effects && error.code == MT_ERROR_CANCELLED)
    return FALSE;
  if (effects)
    regard_effects_sum_add(self->sum, effects);
  else {
    cli_complain(self->command, "sentence %u: %s", i + 1, error.message);
    self->failed = TRUE;
  }
  mt_effects_unref(effects);
  self->n_read++;
  return TRUE;
}

static gboolean
add_sentences(Work *self)
{
  while (self->n_read < self->corpus->texts->len) {
    if (cli_stop_is_wanted() || !add_sentence(self))
      return FALSE;
    cli_stop_show("log p: %u of %u sentences", self->n_read, self->corpus->texts->len);
    keep(self, FALSE);
  }
  return TRUE;
}

/* ---- Scores ---------------------------------------------------------------------------------- */

static gboolean
score_all(Work *self)
{
  CliScores scores;
  if (isfinite(self->sum->bleu))
    return TRUE;
  if (!cli_corpus_score(self->command, self->engine, self->corpus, self->engine->hooks.changes,
                        &scores))
    return FALSE;
  self->sum->bleu = scores.bleu;
  self->sum->chrf = scores.chrf;
  keep(self, TRUE);
  return TRUE;
}

static gboolean
score_without(Work *self, mt_attention_kind kind, guint layer, guint head)
{
  RegardEffectsKind *k = &self->sum->kinds[kind];
  const gsize at = (gsize) layer * k->n_heads + head;
  g_autofree char *name = regard_effects_head_name(kind, layer, head);
  CliScores scores;
  mt_error error = {0};
  if (isfinite(k->bleu[at]))
    return TRUE;
  mt_changes *changes =
      cli_corpus_without(self->engine, name, (mt_effect_kind) self->wanted->with, &error);
  const gboolean done =
      changes && cli_corpus_score(self->command, self->engine, self->corpus, changes, &scores);
  if (!changes)
    cli_complain(self->command, "%s", error.message);
  mt_changes_unref(changes);
  if (!done)
    return FALSE;
  k->bleu[at] = scores.bleu;
  k->chrf[at] = scores.chrf;
  keep(self, FALSE);
  return TRUE;
}

/* "head 17 of 144, cross 1.1; 3 min left": of those of this time. */
static void
show_head(const Work *self, mt_attention_kind kind, guint layer, guint head, guint n_done, guint n,
          guint n_here)
{
  g_autofree char *name = regard_effects_head_name(kind, layer, head);
  const double passed = (double) (g_get_monotonic_time() - self->begun) / G_USEC_PER_SEC;
  if (n_here == 0)
    cli_stop_show("BLEU and chrF: head %u of %u, %s", n_done + 1, n, name);
  else
    cli_stop_show("BLEU and chrF: head %u of %u, %s; %.0f min left", n_done + 1, n, name,
                  ceil(passed / n_here * (n - n_done) / 60));
}

static gboolean
score_heads(Work *self)
{
  guint n = 0, n_done = 0, n_here = 0;
  for (guint kind = 0; kind < MT_N_KINDS; kind++)
    n += self->sum->kinds[kind].n_layers * self->sum->kinds[kind].n_heads;
  self->begun = g_get_monotonic_time();
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    for (guint l = 0; l < self->sum->kinds[kind].n_layers; l++)
      for (guint h = 0; h < self->sum->kinds[kind].n_heads; h++, n_done++) {
        const gsize at = (gsize) l * self->sum->kinds[kind].n_heads + h;
        const gboolean is_known = isfinite(self->sum->kinds[kind].bleu[at]);
        if (!is_known)
          show_head(self, kind, l, h, n_done, n, n_here);
        if (cli_stop_is_wanted() || !score_without(self, kind, l, h))
          return FALSE;
        n_here += !is_known;
      }
  return TRUE;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static RegardEffects *
compute(Work *self)
{
  const gboolean is_scored = self->wanted->scores;
  cli_stop_begin(&self->engine->hooks);
  const gboolean done =
      add_sentences(self) && (!is_scored || (score_all(self) && score_heads(self)));
  const gboolean interrupted = cli_stop_is_wanted();
  cli_stop_end(&self->engine->hooks);
  keep(self, TRUE);
  if (interrupted)
    cli_complain(self->command, "interrupted after %u sentences", self->sum->n);
  self->failed = self->failed || !done;
  return regard_effects_sum_mean(self->sum, self->engine->model, self->engine->hooks.changes);
}

RegardEffects *
cli_effects_compute_file(const CliCommand *command, CliEngine *engine,
                         const CliEffectsWanted *wanted, CliStatus *status)
{
  RegardEffects *effects = NULL;
  *status = CLI_FAILED;
  g_autoptr(CliCorpus) corpus =
      cli_corpus_open(command, engine, wanted->file, wanted->references, wanted->sentences);
  if (!corpus)
    return NULL;
  g_autofree char *what =
      g_strdup_printf("effects %s%s", mt_effect_kind_name((mt_effect_kind) wanted->with),
                      wanted->scores ? " scored" : "");
  Work work = {.command = command,
               .engine = engine,
               .wanted = wanted,
               .corpus = corpus,
               .key = cli_effects_key(engine, corpus, what),
               .sum = regard_effects_sum_new(engine->model, (mt_effect_kind) wanted->with,
                                             wanted->scores)};
  if (!wanted->resume ||
      cli_effects_state_read(command, wanted->resume, work.key, work.sum, &work.n_read)) {
    effects = compute(&work);
    if (effects && !work.failed && !corpus->n_left_out)
      *status = CLI_DONE;
  }
  regard_effects_sum_free(work.sum);
  g_free(work.key);
  return effects;
}
