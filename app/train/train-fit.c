/* train-fit.c — regard-train fit: train a Transformer on prepared text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli.h"
#include "train/fit-config.h"
#include "train/fit-plot.h"
#include "train/train.h"

#include <errno.h>
#include <math.h>
#include <mt-train.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* ==== How it tells how it goes ================================================================ */

typedef struct {
  const CliCommand *command;
  gboolean json;
  guint64 steps, report_every;
  char *log_path; /* NULL: none, or it was opened */
  FILE *log;
  gboolean log_failed;
  /* Since the last line. */
  double loss, smoothed_loss, n_target, n_tokens, norm;
  guint64 n_steps;
  gint64 since; /* of g_get_monotonic_time; without what was no training */
  gint64 last;  /* event */
} FitProgress;

/* log: a file that JSON lines are appended to, opened with the first one; NULL: none. */
static FitProgress *
fit_progress_new(const CliCommand *command, gboolean json, guint64 steps, guint64 report_every,
                 const char *log)
{
  FitProgress *self = g_new0(FitProgress, 1);
  self->command = command;
  self->json = json;
  self->steps = steps;
  self->report_every = report_every;
  self->since = self->last = g_get_monotonic_time();
  self->log_path = g_strdup(log);
  return self;
}

static void
fit_progress_free(FitProgress *self)
{
  if (self->log)
    fclose(self->log);
  g_free(self->log_path);
  g_free(self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(FitProgress, fit_progress_free)

/* A line that nobody can be given is no reason to end a training: it is in the log. */
static void
put(FitProgress *self, const char *line)
{
  g_autofree char *whole = g_strconcat(line, "\n", NULL);
  cli_put(self->command, whole, strlen(whole));
}

/* With the first line, since its folder is there only when the trainer has made it. */
static void
open_log(FitProgress *self)
{
  g_autofree char *path = g_steal_pointer(&self->log_path);
  if (!path)
    return;
  self->log = fopen(path, "ae");
  if (!self->log)
    cli_complain(self->command, "%s: the file cannot be written (%s)", path, g_strerror(errno));
}

/* Takes the object. */
static void
put_json(FitProgress *self, json_object *object)
{
  const char *text = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN |
                                                                JSON_C_TO_STRING_NOSLASHESCAPE);
  open_log(self);
  if (self->log && (fprintf(self->log, "%s\n", text) < 0 || fflush(self->log) != 0) &&
      !self->log_failed) {
    self->log_failed = TRUE;
    cli_complain(self->command, "the log cannot be written (%s)", g_strerror(errno));
  }
  if (self->json)
    put(self, text);
  json_object_put(object);
}

static json_object *
event(const char *name, guint64 step)
{
  return regard_json_object({"event", json_object_new_string(name)},
                            {"step", json_object_new_int64((gint64) step)});
}

static void
add_number(json_object *object, const char *key, double value)
{
  json_object_object_add(object, key, regard_json_float((float) value));
}

/* "2 h 05 min", "5 min 07 s", "7 s" */
static char *
format_time(double seconds)
{
  guint64 s = (guint64) seconds;
  if (s >= 3600)
    return g_strdup_printf("%" G_GUINT64_FORMAT " h %02u min", s / 3600, (guint) (s / 60 % 60));
  if (s >= 60)
    return g_strdup_printf("%u min %02u s", (guint) (s / 60), (guint) (s % 60));
  return g_strdup_printf("%u s", (guint) s);
}

/* Before the first step. */
static void
fit_progress_begin(FitProgress *self, const mt_trainer *trainer)
{
  gsize n_parameters = mt_trainer_count_parameters(trainer);
  const mt_dataset *dataset = mt_trainer_get_dataset(trainer);
  gsize n_pairs = mt_dataset_count(dataset, MT_DATASET_TRAIN);
  gsize n_batches = mt_trainer_count_batches(trainer);
  json_object *object = event("begin", mt_trainer_get_step(trainer));
  regard_json_add(object, {"steps", json_object_new_int64((gint64) self->steps)},
                  {"parameters", cli_json_size(n_parameters)}, {"pairs", cli_json_size(n_pairs)},
                  {"batches_per_epoch", cli_json_size(n_batches)});
  bool is_emulated = false;
  const char *bf16 = mt_trainer_get_shape(trainer)->products == MT_PRODUCTS_BF16
                         ? mt_products_bf16_name(&is_emulated)
                         : NULL;
  json_object_object_add(object, "products", json_object_new_string(bf16 ? "bf16" : "f32"));
  if (bf16)
    json_object_object_add(object, "bf16", json_object_new_string(bf16));
  put_json(self, object);
  if (!self->json) {
    g_autofree char *line = g_strdup_printf(
        "%zu parameters, %zu pairs of sentences, %zu batches in an epoch; step %" G_GUINT64_FORMAT
        " of %" G_GUINT64_FORMAT,
        n_parameters, n_pairs, n_batches, mt_trainer_get_step(trainer), self->steps);
    put(self, line);
    if (bf16) {
      g_autofree char *how =
          g_strdup_printf(is_emulated
                              ? "Products of bf16, without an instruction for them (%s): no faster "
                                "than F32."
                              : "Products of bf16 by %s.",
                          bf16);
      put(self, how);
    }
  }
  self->since = self->last = g_get_monotonic_time();
}

/* What happened since the last event was no training, and is not its speed. */
static void
leave_out(FitProgress *self)
{
  gint64 now = g_get_monotonic_time();
  self->since += now - self->last;
  self->last = now;
}

static void
fit_progress_step(FitProgress *self, const mt_trainer_step *step)
{
  gint64 now = self->last = g_get_monotonic_time();
  double n_target = (double) step->n_target;
  self->loss += step->loss * n_target;
  self->smoothed_loss += step->smoothed_loss * n_target;
  self->n_target += n_target;
  self->n_tokens += n_target + (double) step->n_source;
  self->norm += step->gradient_norm;
  self->n_steps++;
  if (step->step % self->report_every != 0 && step->step != self->steps)
    return;

  double seconds = MAX((double) (now - self->since) / G_USEC_PER_SEC, 1e-6);
  double loss = self->loss / self->n_target;
  double left = seconds / (double) self->n_steps * (double) (self->steps - step->step);
  double speed = self->n_tokens / seconds;
  json_object *object = event("step", step->step);
  regard_json_add(object, {"steps", json_object_new_int64((gint64) self->steps)},
                  {"epoch", json_object_new_int64((gint64) step->epoch + 1)});
  add_number(object, "loss", loss);
  add_number(object, "perplexity", exp(loss));
  add_number(object, "smoothed_loss", self->smoothed_loss / self->n_target);
  add_number(object, "learning_rate", step->learning_rate);
  add_number(object, "gradient_norm", self->norm / (double) self->n_steps);
  add_number(object, "tokens_per_second", speed);
  add_number(object, "seconds_left", left);
  put_json(self, object);
  if (!self->json) {
    g_autofree char *time = format_time(left);
    g_autofree char *line =
        g_strdup_printf("step %" G_GUINT64_FORMAT "/%" G_GUINT64_FORMAT
                        "  loss %.4f  perplexity %.2f  rate %.2e  %.0f tokens/s  %s left",
                        step->step, self->steps, loss, exp(loss), step->learning_rate, speed, time);
    put(self, line);
  }
  self->loss = self->smoothed_loss = self->n_target = self->n_tokens = self->norm = 0;
  self->n_steps = 0;
  self->since = now;
}

static void
fit_progress_validation(FitProgress *self, const mt_trainer_validation *v)
{
  json_object *object = event(v->is_average ? "final" : "validation", v->step);
  add_number(object, "loss", v->loss);
  add_number(object, "perplexity", exp(v->loss));
  add_number(object, "bleu", v->bleu);
  add_number(object, "chrf", v->chrf);
  json_object_object_add(object, "translated", cli_json_size(v->n_translated));
  json_object *cosines = json_object_new_array();
  g_autoptr(GString) cosine_text = g_string_new(NULL);
  for (gsize i = 0; i <= v->n_encoder_layers; i++) {
    json_object_array_add(cosines, regard_json_float((float) v->health.cosine[i]));
    g_string_append_printf(cosine_text, " %.2f", v->health.cosine[i]);
  }
  json_object_object_add(object, "encoder_cosines", cosines);
  add_number(object, "sharpness", v->health.sharpness);
  add_number(object, "uniform_sharpness", v->health.uniform);
  regard_json_add(object, {"sharpest_layer", cli_json_size(v->health.layer + 1)},
                  {"sharpest_head", cli_json_size(v->health.head + 1)});
  put_json(self, object);
  if (!self->json) {
    g_autoptr(GString) line = g_string_new(NULL);
    g_string_append_printf(line, "%s %" G_GUINT64_FORMAT "  loss %.4f  perplexity %.2f",
                           v->is_average ? "final model, step" : "validation, step", v->step,
                           v->loss, exp(v->loss));
    if (v->n_translated > 0)
      g_string_append_printf(line, "  BLEU %.2f  chrF2 %.2f (%zu sentences, greedy)", v->bleu,
                             v->chrf, v->n_translated);
    g_string_append_printf(line,
                           "\n  encoder cosines%s  best cross-attention head %zu.%zu: sharpness "
                           "%.2f, uniform %.2f",
                           cosine_text->str, v->health.layer + 1, v->health.head + 1,
                           v->health.sharpness, v->health.uniform);
    put(self, line->str);
  }
  leave_out(self);
}

static void
fit_progress_checkpoint(FitProgress *self, guint64 step, const char *path)
{
  json_object *object = event("checkpoint", step);
  json_object_object_add(object, "path", cli_json_text(path));
  put_json(self, object);
  if (!self->json) {
    g_autofree char *line = g_strdup_printf("checkpoint %s", path);
    put(self, line);
  }
  leave_out(self);
}

static void
fit_progress_note(FitProgress *self, const char *sentence)
{
  json_object *object = regard_json_object({"event", json_object_new_string("note")},
                                           {"text", cli_json_text(sentence)});
  put_json(self, object);
  if (!self->json)
    put(self, sentence);
}

/* ==== The command ============================================================================= */

/* Somebody wants it to end: with a checkpoint, after the step that runs. A second signal ends it at
 * once. */
static volatile sig_atomic_t is_to_stop;

static void
on_signal(int number)
{
  is_to_stop = 1;
}

static void
catch_signals(void)
{
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  is_to_stop = 0;
  for (gsize i = 0; i < G_N_ELEMENTS(numbers); i++) {
    struct sigaction old, action = {.sa_handler = on_signal, .sa_flags = (int) SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    /* What nohup ignores stays ignored. */
    if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
      sigaction(numbers[i], &action, NULL);
  }
}

static bool
should_stop(void *user)
{
  return is_to_stop != 0;
}

/* What the events are about. */
typedef struct {
  FitProgress *progress;
  char *plot, *title; /* the picture's file; its heading, the name of the output folder */
} Fit;

static void
on_step(void *user, const mt_trainer_step *step)
{
  fit_progress_step(((const Fit *) user)->progress, step);
}

static void
on_validation(void *user, const mt_trainer_validation *validation)
{
  fit_progress_validation(((const Fit *) user)->progress, validation);
}

static void
on_checkpoint(void *user, uint64_t step, const char *path)
{
  fit_progress_checkpoint(((const Fit *) user)->progress, step, path);
}

static void
on_note(void *user, const char *sentence)
{
  fit_progress_note(((const Fit *) user)->progress, sentence);
}

static bool
on_history(void *user, const mt_trainer_record *records, size_t n, mt_error *error)
{
  const Fit *fit = user;
  return fit_plot_write(fit->plot, fit->title, records, n, error);
}

/* How many processes mpirun started; 1 without it. */
static gint64
count_ranks(void)
{
  static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    const char *text = g_getenv(names[i]);
    gint64 n;
    if (text && g_ascii_string_to_signed(text, 10, 1, G_MAXINT, &n, NULL))
      return n;
  }
  return 1;
}

static gboolean
train(const mt_trainer_config *config, const FitConfig *options, const CliCommand *command,
      mt_comm *comm, mt_error *error)
{
  gboolean first = mt_comm_rank(comm) == 0;
  g_autofree char *log = g_build_filename(config->output, "log.jsonl", NULL);
  g_autoptr(FitProgress) progress =
      fit_progress_new(command, options->json, config->schedule.steps,
                       (guint64) options->report_every, first ? log : NULL);
  g_autofree char *plot = g_build_filename(config->output, "training.svg", NULL);
  g_autofree char *title = g_path_get_basename(config->output);
  Fit fit = {progress, plot, title};
  const mt_trainer_events events = {
      .on_step = on_step,
      .on_validation = on_validation,
      .on_checkpoint = on_checkpoint,
      .on_history = on_history,
      .on_note = on_note,
      .should_stop = should_stop,
      .user = &fit,
  };
  mt_trainer *trainer = mt_trainer_new(config, &events, comm, error);
  if (trainer && first)
    fit_progress_begin(progress, trainer);
  gboolean ok = trainer && mt_trainer_run(trainer, error);
  mt_trainer_free(trainer);
  return ok;
}

static CliStatus
run(const CliCommand *command, gpointer self, GPtrArray *arguments)
{
  g_auto(FitConfig) options = *(FitConfig *) self;
  mt_trainer_config config;
  CliStatus status = CLI_USAGE;
  (void) arguments;
  if (!fit_config_parse_lists(&options, command) ||
      !fit_config_to_trainer(&options, command, &config, &status))
    return status;

  mt_error error = {0};
  mt_comm *comm = NULL;
  if (count_ranks() > 1 && !(comm = mt_comm_join(&error)))
    return cli_failed(command, &error);
  catch_signals();
  gboolean ok = train(&config, &options, command, comm, &error);
  if (!ok) {
    cli_complain(command, "%s", error.message);
    /* The others may wait for this one; all stop together only if they were asked to. */
    if (error.code != MT_ERROR_CANCELLED)
      mt_comm_abort(comm);
  }
  mt_comm_leave(comm);
  return ok ? CLI_DONE : CLI_FAILED;
}

const CliCommand train_fit = {
    .name = "fit",
    .summary = "Train a Transformer on prepared text",
    .arguments = "",
    .details =
        "A configuration is a JSON object whose keys are the options' names with '_' for '-':\n"
        "{\"data\": \"prepared\", \"output\": \"run\", \"steps\": 20000, \"weights\": {\"a\": "
        "8}}.\n"
        "\n"
        "The output folder holds checkpoints (step-00001000, …), each a model that opens in\n"
        "Regard; training.svg, the loss and the learning rate; log.jsonl; and at the end the\n"
        "folder model. Ctrl-C or SIGTERM ends the run with a checkpoint, --resume goes on.\n"
        "mpirun -np N regard-train fit … divides each step among N processes.\n",
    .options = fit_options,
    .size = sizeof(FitConfig),
    .begin = fit_config_begin,
    .read_config = fit_config_read,
    .run = run,
};
