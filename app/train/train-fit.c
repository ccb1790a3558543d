/* train-fit.c — regard-train fit: train a Transformer on prepared text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/fit-config.h"
#include "train/fit-plot.h"
#include "train/fit-progress.h"
#include "train/train.h"

#include <signal.h>

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
