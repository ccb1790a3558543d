/* cli-effects.c — regard-cli effects: what each head does for a translation, as a list, a picture
 * or numbers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-analysis.h"
#include "cli/cli-lines.h"
#include "cli/cli.h"
#include "figures/regard-ablation.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

/* Heads that are listed where nobody says how many. */
#define LISTED 20

/* Microseconds between two times that what is done is written. */
#define WRITE_EVERY (2 * G_USEC_PER_SEC)

/* A larger file of --resume is none of ours. */
#define MOST_BYTES (16 * 1024 * 1024)

typedef struct {
  CliAnalysis base;
  guint with;        /* a mt_ablation_kind */
  gint64 top, token; /* 0: not given */
  const char *foil;
  const char *file, *references, *resume;
  gboolean scores;  /* BLEU and chrF, too */
  gint64 sentences; /* of the file; 0: all */
} Effects;

#define AT(member) offsetof(Effects, member)
static const Effects defaults = {.base = CLI_ANALYSIS_INIT};
static const CliOption options[] = {
    CLI_OPTIONS(cli_options_model),
    {CLI_OPTION_CHOICE, "with", 0, AT(with), "CHANGE", "How a head is taken out; default zero", 0,
     0, cli_effect_kinds},
    {CLI_OPTION_WHOLE, "token", 0, AT(token), "N",
     "Which token of the translation a contrast is about, from 1", 1, 100000},
    {CLI_OPTION_TEXT, "against", 0, AT(foil), "PIECE",
     "Also each head's part in the token's logit less that of PIECE"},
    {CLI_OPTION_WHOLE, "top", 0, AT(top), "K", "List so many heads; default 20", 1, 100000},
    {CLI_OPTION_TEXT, "file", 0, AT(file), "FILE",
     "Take the mean over the lines of FILE instead of one TEXT"},
    {CLI_OPTION_TEXT, "references", 0, AT(references), "FILE",
     "Of a file, take the lines of FILE as translations instead of searching"},
    {CLI_OPTION_FLAG, "scores", 0, AT(scores), NULL,
     "Also translate the file without each head: what BLEU and chrF lose"},
    {CLI_OPTION_WHOLE, "sentences", 0, AT(sentences), "N",
     "Take the first N sentences of the file; default: all", 1, 100000000},
    {CLI_OPTION_TEXT, "resume", 0, AT(resume), "STATE.json",
     "Keep in STATE.json what is done, and go on from there if it is there"},
    CLI_OPTIONS(cli_options_output),
    CLI_OPTIONS(cli_options_texts),
    CLI_OPTIONS(cli_options_target),
    CLI_OPTIONS(cli_options_translation),
    CLI_OPTIONS(cli_options_colormap),
    CLI_OPTIONS(cli_options_picture),
    CLI_OPTIONS_END,
};

/* ---- Of a text ------------------------------------------------------------------------------- */

/* The piece is the model's own, "▁sie", or a word that is one, "sie". */
static gboolean
find_piece(const mt_model *model, const char *text, int32_t *id)
{
  const gsize n = mt_model_config(model)->vocab_size[MT_STACK_DECODER];
  g_autofree char *marked = g_strconcat("▁", text, NULL);
  int32_t exact = -1, word = -1;
  for (gsize i = 0; i < n && exact < 0; i++) {
    const char *piece = mt_model_piece(model, MT_STACK_DECODER, (int32_t) i);
    if (g_strcmp0(piece, text) == 0)
      exact = (int32_t) i;
    else if (g_strcmp0(piece, marked) == 0)
      word = (int32_t) i;
  }
  *id = exact >= 0 ? exact : word;
  return *id >= 0;
}

static CliStatus
compute_text(Effects *self, mt_error *error)
{
  const CliCommand *command = self->base.command;
  const CliEngine *engine = &self->base.engine;
  const mt_translation *translation = self->base.translation;
  const mt_tokens *output = mt_translation_hypothesis(translation, 0)->tokens;
  mt_ablation_params params = {.kind = (mt_ablation_kind) self->with, .means = engine->means};
  const char *foil = NULL;
  if (self->foil) {
    if (cli_check_number(command, "token", self->token, mt_tokens_count(output),
                         "tokens of this translation") != CLI_DONE)
      return CLI_USAGE;
    if (!find_piece(engine->model, self->foil, &params.foil))
      return cli_usage(command, "--against: the vocabulary has no piece '%s'", self->foil);
    params.has_contrast = true;
    params.token = (gsize) self->token - 1;
    foil = mt_model_piece(engine->model, MT_STACK_DECODER, params.foil);
  }
  g_autoptr(mt_ablation) effects =
      mt_ablation_new(engine->session, translation, 0, &params, &engine->hooks, error);
  if (effects)
    self->base.result =
        regard_ablation_new(engine->model, effects, mt_translation_source(translation), output,
                            engine->hooks.interventions, (guint) params.token, foil);
  return self->base.result ? CLI_DONE : CLI_FAILED;
}

static const char *const kind_names[MT_N_KINDS] = {"encoder", "decoder", "cross"};

/* Sizes and times of a model's files tell whether it is the same, without reading it. */
static void
add_file(GChecksum *sum, const char *path)
{
  GStatBuf info;
  if (g_stat(path, &info) != 0)
    return;
  g_autofree char *line = g_strdup_printf("%s %" G_GINT64_FORMAT " %" G_GINT64_FORMAT "\n", path,
                                          (gint64) info.st_size, (gint64) info.st_mtime);
  g_checksum_update(sum, (const guchar *) line, -1);
}

static gint
compare_names(gconstpointer a, gconstpointer b)
{
  return strcmp(*(char *const *) a, *(char *const *) b);
}

static void
add_model(GChecksum *sum, const char *path)
{
  g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  const char *name;
  if (!dir)
    add_file(sum, path);
  while (dir && (name = g_dir_read_name(dir)))
    if (!mt_means_is_name(name))
      g_ptr_array_add(names, g_build_filename(path, name, NULL));
  g_ptr_array_sort(names, compare_names);
  for (guint i = 0; i < names->len; i++)
    add_file(sum, names->pdata[i]);
}

/* What all results depend on, as a text: model, sentences, changes, search. Caller frees. */
static char *
make_key(const CliEngine *engine, const CliCorpus *corpus, const char *what)
{
  g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
  mt_error error = {0};
  char *request = mt_request_to_json(&engine->request, &error);
  g_autoptr(mt_interventions) none = mt_interventions_with_means(NULL, engine->means, &error);
  g_autofree char *line =
      g_strdup_printf("%s\n%" G_GUINT64_FORMAT " %u\n%s\n%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT
                      "\n",
                      what, corpus->hash, corpus->texts->len, request ? request : "",
                      (guint64) mt_interventions_hash(engine->hooks.interventions),
                      (guint64) mt_interventions_hash(none));
  g_checksum_update(sum, (const guchar *) line, -1);
  add_model(sum, engine->path);
  mt_string_free(request);
  return g_strdup(g_checksum_get_string(sum));
}

/* ---- What is done, in a file: writing
 * --------------------------------------------------------------------------------- */

/* All digits; null: not known yet. */
static json_object *
numbers(const double *values, gsize n)
{
  json_object *array = json_object_new_array();
  for (gsize i = 0; i < n; i++)
    json_object_array_add(array, regard_json_double(values[i]));
  return array;
}

/* FALSE, which has been reported. */
static gboolean
write_state(const CliCommand *command, const char *path, const char *key,
            const RegardAblationSum *sum, guint n_read)
{
  json_object *object = json_object_new_object();
  const double rest[] = {sum->logprob, sum->bleu, sum->chrf};
  g_autoptr(GError) error = NULL;
  regard_json_add(object, {"regard_effects", json_object_new_int(1)}, {"key", cli_json_text(key)},
                  {"read", cli_json_size(n_read)}, {"sentences", cli_json_size(sum->n)},
                  {"sums", numbers(rest, G_N_ELEMENTS(rest))});
  for (guint kind = 0; kind < MT_N_KINDS; kind++) {
    const RegardAblationKind *k = &sum->kinds[kind];
    const gsize n = (gsize) k->n_layers * k->n_heads;
    const double *const tables[] = {k->effects, k->bleu, k->chrf};
    json_object *all = json_object_new_array();
    for (guint t = 0; t < G_N_ELEMENTS(tables); t++)
      json_object_array_add(all, tables[t] ? numbers(tables[t], n) : json_object_new_array());
    json_object_object_add(object, kind_names[kind], all);
  }
  const char *text = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN);
  const gboolean ok = g_file_set_contents(path, text, -1, &error);
  if (!ok)
    cli_complain(command, "--resume: %s", error->message);
  json_object_put(object);
  return ok;
}

/* ---- And reading
 * --------------------------------------------------------------------------------- */

static gboolean
read_numbers(json_object *array, double *values, gsize n)
{
  if (!json_object_is_type(array, json_type_array) || json_object_array_length(array) != n)
    return FALSE;
  for (gsize i = 0; i < n; i++) {
    json_object *value = json_object_array_get_idx(array, i);
    if (value && !json_object_is_type(value, json_type_double) &&
        !json_object_is_type(value, json_type_int))
      return FALSE;
    values[i] = value ? json_object_get_double(value) : (double) NAN;
  }
  return TRUE;
}

static gboolean
read_count(json_object *object, const char *name, guint *count)
{
  json_object *value;
  if (!json_object_object_get_ex(object, name, &value) ||
      !json_object_is_type(value, json_type_int) || json_object_get_int64(value) < 0 ||
      json_object_get_int64(value) > G_MAXINT)
    return FALSE;
  *count = (guint) json_object_get_int64(value);
  return TRUE;
}

static gboolean
read_kind(json_object *object, const char *name, RegardAblationKind *k)
{
  const gsize n = (gsize) k->n_layers * k->n_heads;
  double *tables[] = {k->effects, k->bleu, k->chrf};
  json_object *all;
  if (!json_object_object_get_ex(object, name, &all) ||
      !json_object_is_type(all, json_type_array) ||
      json_object_array_length(all) != G_N_ELEMENTS(tables))
    return FALSE;
  for (guint t = 0; t < G_N_ELEMENTS(tables); t++)
    if (!read_numbers(json_object_array_get_idx(all, t), tables[t], tables[t] ? n : 0))
      return FALSE;
  return TRUE;
}

static gboolean
read_object(json_object *object, RegardAblationSum *sum, guint *n_read)
{
  double rest[3];
  json_object *sums;
  gboolean ok = json_object_object_get_ex(object, "sums", &sums) &&
                read_numbers(sums, rest, G_N_ELEMENTS(rest)) &&
                read_count(object, "read", n_read) && read_count(object, "sentences", &sum->n) &&
                sum->n <= *n_read;
  for (guint kind = 0; ok && kind < MT_N_KINDS; kind++)
    ok = read_kind(object, kind_names[kind], &sum->kinds[kind]);
  if (ok) {
    sum->logprob = rest[0];
    sum->bleu = rest[1];
    sum->chrf = rest[2];
  }
  return ok;
}

/* Fill sum with what a file has, if it is there; n_read: sentences that are in it. FALSE, which has
 * been reported: it is no such file, or one of other work. */
static gboolean
read_state(const CliCommand *command, const char *path, const char *key, RegardAblationSum *sum,
           guint *n_read)
{
  mt_bytes text;
  mt_error error = {0};
  GStatBuf info;
  json_object *version = NULL, *own = NULL;
  if (g_stat(path, &info) != 0)
    return TRUE; /* the work begins */
  if (!mt_file_read_whole(path, MOST_BYTES, false, &text, &error)) {
    cli_complain(command, "--resume: %s", error.message);
    return FALSE;
  }
  json_object *object = json_tokener_parse((const char *) text.data);
  mt_bytes_clear(&text);
  gboolean ok = json_object_is_type(object, json_type_object) &&
                json_object_object_get_ex(object, "regard_effects", &version) &&
                json_object_get_int(version) == 1 &&
                json_object_object_get_ex(object, "key", &own) &&
                json_object_is_type(own, json_type_string);
  if (!ok)
    cli_complain(command, "--resume: %s is no file that this command wrote", path);
  else if (strcmp(json_object_get_string(own), key) != 0) {
    cli_complain(command, "--resume: %s is of other work: another model, text, change or search",
                 path);
    ok = FALSE;
  } else if (!read_object(object, sum, n_read)) {
    cli_complain(command, "--resume: %s is damaged", path);
    ok = FALSE;
  }
  json_object_put(object);
  return ok;
}

typedef struct {
  const CliCommand *command;
  CliEngine *engine;
  const Effects *wanted;
  const CliCorpus *corpus;
  char *key;
  RegardAblationSum *sum;
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
  if (!write_state(self->command, self->wanted->resume, self->key, self->sum, self->n_read))
    self->failed = TRUE;
}

/* ---- Over a file: log p
 * ----------------------------------------------------------------------------------- */

/* FALSE: interrupted. */
static gboolean
add_sentence(Work *self)
{
  const mt_ablation_params params = {.kind = (mt_ablation_kind) self->wanted->with,
                                     .means = self->engine->means};
  const guint i = self->n_read;
  const GPtrArray *references = self->corpus->references;
  mt_error error = {0};
  g_autoptr(mt_translation) translation =
      cli_engine_translate(self->command, self->engine, self->corpus->texts->pdata[i],
                           references ? references->pdata[i] : NULL, &error);
  g_autoptr(mt_ablation) effects = translation
                                       ? mt_ablation_new(self->engine->session, translation, 0,
                                                         &params, &self->engine->hooks, &error)
                                       : NULL;
  if (!effects && error.code == MT_ERROR_CANCELLED)
    return FALSE;
  if (effects)
    regard_ablation_sum_add(self->sum, effects);
  else {
    cli_complain(self->command, "sentence %u: %s", i + 1, error.message);
    self->failed = TRUE;
  }
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

/* ---- Over a file: scores
 * ---------------------------------------------------------------------------------- */

static gboolean
score_all(Work *self)
{
  CliScores scores;
  if (isfinite(self->sum->bleu))
    return TRUE;
  if (!cli_corpus_score(self->command, self->engine, self->corpus,
                        self->engine->hooks.interventions, &scores))
    return FALSE;
  self->sum->bleu = scores.bleu;
  self->sum->chrf = scores.chrf;
  keep(self, TRUE);
  return TRUE;
}

static gboolean
score_without(Work *self, const CliHead *head, const char *name)
{
  RegardAblationKind *k = &self->sum->kinds[head->kind];
  const gsize at = (gsize) head->layer * k->n_heads + head->head;
  CliScores scores;
  mt_error error = {0};
  g_autoptr(mt_interventions) interventions =
      cli_corpus_without(self->engine, name, (mt_ablation_kind) self->wanted->with, &error);
  const gboolean done = interventions && cli_corpus_score(self->command, self->engine, self->corpus,
                                                          interventions, &scores);
  if (!interventions)
    cli_failed(self->command, &error);
  if (!done)
    return FALSE;
  k->bleu[at] = scores.bleu;
  k->chrf[at] = scores.chrf;
  keep(self, FALSE);
  return TRUE;
}

/* "head 17 of 144, cross 1.1; 3 min left": of those of this time. */
static void
show_head(const Work *self, const char *name, guint n_done, guint n, guint n_here)
{
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
  g_autoptr(GArray) heads = cli_heads_new(mt_model_config(self->engine->model));
  guint n_here = 0;
  self->begun = g_get_monotonic_time();
  for (guint i = 0; i < heads->len; i++) {
    const CliHead *head = &g_array_index(heads, CliHead, i);
    const RegardAblationKind *k = &self->sum->kinds[head->kind];
    g_autofree char *name = regard_ablation_head_name(head->kind, head->layer, head->head);
    if (cli_stop_is_wanted())
      return FALSE;
    if (isfinite(k->bleu[(gsize) head->layer * k->n_heads + head->head]))
      continue;
    show_head(self, name, i, heads->len, n_here++);
    if (!score_without(self, head, name))
      return FALSE;
  }
  return TRUE;
}

/* What was done until it was interrupted. */
static CliStatus
compute_file(Effects *self)
{
  CliEngine *engine = &self->base.engine;
  const CliCommand *command = self->base.command;
  const mt_ablation_kind with = (mt_ablation_kind) self->with;
  g_autoptr(CliCorpus) corpus =
      cli_corpus_open(command, engine, self->file, self->references, self->sentences);
  if (!corpus)
    return CLI_FAILED;
  g_autofree char *what =
      g_strdup_printf("effects %s%s", mt_ablation_kind_name(with), self->scores ? " scored" : "");
  g_autofree char *key = make_key(engine, corpus, what);
  Work work = {.command = command,
               .engine = engine,
               .wanted = self,
               .corpus = corpus,
               .key = key,
               .sum = regard_ablation_sum_new(engine->model, with, self->scores)};
  if (!self->resume || read_state(command, self->resume, key, work.sum, &work.n_read)) {
    cli_stop_begin(&engine->hooks);
    const gboolean done =
        add_sentences(&work) && (!self->scores || (score_all(&work) && score_heads(&work)));
    const gboolean interrupted = cli_stop_is_wanted();
    cli_stop_end(&engine->hooks);
    keep(&work, TRUE);
    if (interrupted)
      cli_complain(command, "interrupted after %u sentences", work.sum->n);
    if (work.failed || !done || corpus->n_left_out)
      self->base.status = CLI_FAILED;
    self->base.result =
        regard_ablation_sum_mean(work.sum, engine->model, engine->hooks.interventions);
  }
  regard_ablation_sum_free(work.sum);
  return self->base.result ? CLI_DONE : CLI_FAILED;
}

/* ---- The list -------------------------------------------------------------------------------- */

/* Points of a score; nothing where the work did not come so far. */
static void
append_score(GString *out, double value)
{
  if (isfinite(value))
    g_string_append_printf(out, "%+8.2f", value);
  else
    g_string_append_printf(out, "%8s", "");
}

static void
append_row(GString *out, const RegardAblation *effects, const CliHead *row)
{
  const RegardAblationKind *k = &effects->kinds[row->kind];
  const gsize i = (gsize) row->layer * k->n_heads + row->head;
  g_autofree char *name = regard_ablation_head_name(row->kind, row->layer, row->head);
  if (k->contrast)
    g_string_append_printf(out, "%+10.4f", k->contrast[i]);
  g_string_append_printf(out, "%+10.4f", k->effects[i]);
  if (k->bleu) {
    append_score(out, k->bleu[i]);
    append_score(out, k->chrf[i]);
  }
  g_string_append_printf(out, "  %-*s", k->tokens ? 14 : 0, name);
  if (k->tokens) {
    const float *tokens = k->tokens + i * effects->n_tokens;
    guint most = 0;
    for (guint t = 1; t < effects->n_tokens; t++)
      if (fabsf(tokens[t]) > fabsf(tokens[most]))
        most = t;
    g_string_append_printf(out, "%u %s %+.4f", most + 1, effects->token_texts[most],
                           (double) tokens[most]);
  }
  g_string_append_c(out, '\n');
}

static CliStatus
print(gpointer user)
{
  const Effects *self = user;
  const RegardAblation *effects = self->base.result;
  const mt_translation *translation = self->base.translation;
  GString *out = g_string_new(NULL);
  g_autoptr(GArray) rows = cli_heads_new(mt_model_config(self->base.engine.model));
  const guint n = MIN(self->top ? (guint) self->top : LISTED, rows->len);
  for (guint i = 0; i < rows->len; i++) {
    CliHead *row = &g_array_index(rows, CliHead, i);
    row->value = regard_ablation_shown(effects, row->kind, row->layer, row->head);
  }
  cli_heads_sort(rows);
  if (translation)
    g_string_append_printf(out, "%s\n", mt_translation_hypothesis(translation, 0)->text);
  else
    g_string_append_printf(out, "mean of %u sentences\n", effects->n_sentences);
  g_string_append_printf(out, "log p %.4f nats; each head alone with %s\n", effects->logprob,
                         mt_ablation_kind_name(effects->with));
  if (effects->foil)
    g_string_append_printf(out, "contrast: logit %s - logit %s = %.4f at token %u\n",
                           effects->token_texts[effects->contrast_token], effects->foil,
                           effects->margin, effects->contrast_token + 1);
  const gboolean is_scored = effects->kinds[0].bleu != NULL;
  if (is_scored && isfinite(effects->bleu))
    g_string_append_printf(out, "BLEU %.2f, chrF2 %.2f with all heads\n", effects->bleu,
                           effects->chrf);
  g_string_append_printf(out, "\n%s    effect%s  head%s\n", effects->foil ? "  contrast" : "",
                         is_scored ? "    BLEU   chrF2" : "",
                         effects->token_texts ? "          most on" : "");
  for (guint i = 0; i < n; i++)
    append_row(out, effects, &g_array_index(rows, CliHead, i));
  if (n < rows->len)
    g_string_append_printf(out, "and %u other heads\n", rows->len - n);
  return cli_print(self->base.command, out);
}

/* ---- The command ----------------------------------------------------------------------------- */

static CliStatus
check(gpointer user)
{
  Effects *self = user;
  CliAnalysis *base = &self->base;
  const CliCommand *command = base->command;
  if (self->file && (base->arguments->len > 0 || base->target || self->foil))
    return cli_usage(command, "--file stands in the place of TEXT, and goes without --target and "
                              "--against");
  if (self->references && !self->file)
    return cli_usage(command, "--references wants --file");
  if ((self->scores || self->sentences || self->resume) && !self->file)
    return cli_usage(command, "--scores, --sentences and --resume want --file");
  if (self->scores && !self->references)
    return cli_usage(command, "--scores wants --references");
  if (!self->file && cli_options_check_text(command, base->arguments) != CLI_DONE)
    return CLI_USAGE;
  base->options.wants_means = self->with == MT_ABLATION_MEAN;
  if (!self->token != !self->foil)
    return cli_usage(command, "--token and --against want each other");
  if (base->picture.output && self->top)
    return cli_usage(command, "--top is for the list, and -o FILE is given");
  return CLI_DONE;
}

static CliStatus
compute(gpointer user, mt_error *error)
{
  return ((Effects *) user)->file ? compute_file(user) : compute_text(user, error);
}

static const CliAnalysisSteps steps = {
    .check = check,
    .writes = CLI_WRITES_ON_DEMAND,
    .translates = TRUE,
    .compute = compute,
    .figure = (CliFigureFunc) regard_figure_new_ablation,
    .print = print,
    .free_result = (GDestroyNotify) regard_ablation_unref,
};

const CliCommand cli_effects = {
    .name = "effects",
    .summary = "Say what each head does for a translation: how likely it is without it",
    .arguments = "[-o FILE] (TEXT | --file FILE)",
    .details =
        "Translates TEXT and computes for every head of every layer the log-probability of the\n"
        "translation less the same with the head taken out, in nats: its context 0 (zero) or\n"
        "its mean over a text (mean), or all keys with the same weight (uniform). Positive: "
        "without the head the translation is\n"
        "less likely. Lists heads, the largest effect first, with the token that it is most\n"
        "about. Each head is taken out alone; effects of several do not add up.\n"
        "\n"
        "With --token and --against it also says how much of the difference between the logits\n"
        "of that token and of PIECE in its place each head makes, and sorts by that.\n"
        "\n"
        "With --file all numbers are means over its lines, of the model's own translations or of\n"
        "--references. Ctrl+C ends it early, and says over how many lines the numbers are; with\n"
        "--resume the same command goes on from there. With --scores the file is also translated\n"
        "once without each head, which takes long, and compared with the references: what BLEU "
        "and\n"
        "chrF2 lose, in points.\n"
        "\n"
        "With -o it writes layers by heads of all three kinds of attention; the range of the\n"
        "colours is symmetric about 0. CSV, JSON and NPZ hold encoder, decoder and cross, each\n"
        "layers by heads, encoder_contrast … where there is one, and encoder_tokens …, heads by\n"
        "output tokens; encoder_bleu and encoder_chrf … with --scores.\n",
    CLI_ANALYSIS(options, defaults, steps),
};
