/* cli-animate.c — regard-cli animate: figures one after the other as one file, or as numbered ones;
 * and of those that no other command draws, a head over a training.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-animate.h"
#include "figures/regard-naming.h"

#include "base/regard-paths.h"
#include "models/regard-training-frames.h"

#define AT(member) offsetof(CliAnalysis, member)

const CliOption cli_options_animation[] = {
    {CLI_OPTION_TEXT, "output", 'o', AT(picture.output), "FILE",
     "Where to write: .gif, .png (animated), .pdf (a page a frame), or, with {n} in the name for "
     "the number, a .png or .svg of each frame"},
    CLI_OPTIONS_END,
};
const CliOption cli_options_animation_size[] = {
    CLI_OPTIONS(cli_options_dark),
    {CLI_OPTION_NUMBER, "width", 0, AT(picture.size.width_mm), "MM",
     "Width of a frame in millimetres; default 160, of beam what the tree needs", 10, 2000},
    {CLI_OPTION_NUMBER, "font", 0, AT(picture.size.font_pt), "PT", "Font size in points; default 7",
     2, 72},
    {CLI_OPTION_NUMBER, "dpi", 0, AT(picture.size.dpi), "N",
     "Pixels per inch of GIF and PNG; default 200", 10, 2400},
    {CLI_OPTION_FLAG, "no-title", 0, AT(picture.no_title), NULL, "Without the title"},
    {CLI_OPTION_FLAG, "no-numbers", 0, AT(picture.no_numbers), NULL, "Without numbers in cells"},
    {CLI_OPTION_FLAG, "no-model", 0, AT(picture.no_model), NULL, "Without the name of the model"},
    CLI_OPTIONS_END,
};

CliStatus
cli_animate_check(CliAnalysis *self)
{
  const char *output = self->picture.output;
  if (!output)
    return cli_usage(self->command, "-o FILE is missing");
  if (!regard_animation_format_find(output))
    return cli_usage(self->command,
                     "-o wants a file name that ends with one of gif, png, pdf, or, with " //
                     REGARD_ANIMATION_NUMBER " in it, png or svg, found '%s'",
                     output);
  cli_picture_make_style(&self->picture);
  return CLI_DONE;
}

/* On a terminal how far it is; anywhere, until Ctrl+C. */
static gboolean
show_progress(guint done, guint all, gpointer user)
{
  (void) user;
  cli_stop_show("%.0f %%", 100.0 * done / all);
  return !cli_stop_is_wanted();
}

CliStatus
cli_animate_write(CliAnalysis *self, RegardFrames *frames)
{
  g_autoptr(RegardFrames) owned = frames;
  g_autoptr(GError) error = NULL;
  const char *output = self->picture.output;
  cli_stop_begin(&self->engine.hooks);
  const gboolean done =
      regard_animation_write(owned, regard_animation_format_find(output), &self->picture.size,
                             output, show_progress, NULL, &error);
  cli_stop_end(&self->engine.hooks);
  if (done)
    return CLI_DONE;
  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    cli_complain(self->command, "interrupted: nothing was written");
  else
    cli_complain(self->command, "%s", error->message);
  return CLI_FAILED;
}

/* ==== A head over a training ===================================================================
 */

typedef struct {
  CliAnalysis base;
  guint kind;         /* an mt_attention_kind */
  gint64 layer, head; /* from 1; 0: not given */
  char *last;         /* the last checkpoint of the bundled training, where no model is named */
} Training;

#undef AT
#define AT(member) offsetof(Training, member)
static const Training training_defaults = {.base = CLI_ANIMATION_INIT, .kind = MT_CROSS};
static const CliOption training_options[] = {
    {CLI_OPTION_TEXT, "model", 'm', AT(base.options.model), "DIR",
     "A checkpoint, beside which the others lie; default: the last one of the training that comes "
     "with Regard"},
    CLI_OPTIONS(cli_options_animation),
    {CLI_OPTION_CHOICE, "kind", 0, AT(kind), "KIND", "Which attention; default cross", 0, 0,
     regard_kind_ids},
    {CLI_OPTION_WHOLE, "layer", 0, AT(layer), "L", "Layer, from 1; default: the last", 1, 10000},
    {CLI_OPTION_WHOLE, "head", 0, AT(head), "H", "Head, from 1; default: the mean of the layer", 1,
     10000},
    CLI_OPTIONS(cli_options_target),
    CLI_OPTIONS(cli_options_translation),
    CLI_OPTIONS(cli_options_scale),
    CLI_OPTIONS(cli_options_colormap),
    CLI_OPTIONS(cli_options_animation_size),
    CLI_OPTIONS_END,
};

static CliStatus
check_training(gpointer user)
{
  Training *self = user;
  g_autofree char *folder = regard_paths_bundled_training();
  g_autofree char *any = g_build_filename(folder, "step-00000000", NULL);
  g_autoptr(GArray) steps = self->base.options.model ? NULL : regard_training_steps(any);
  if (!self->base.options.model)
    self->base.options.model = self->last =
        g_strdup(steps ? g_array_index(steps, RegardTrainingStep, steps->len - 1).path : any);
  return cli_animate_check(&self->base);
}

static CliStatus
check_training_model(gpointer user)
{
  Training *self = user;
  const mt_config *config = mt_model_config(self->base.engine.model);
  const mt_stack stack = regard_naming_rows(self->kind);
  CliStatus status = cli_check_number(self->base.command, "layer", self->layer,
                                      config->n_layers[stack], "layers of this model");
  if (status == CLI_DONE)
    status = cli_check_number(self->base.command, "head", self->head, config->n_heads[stack],
                              "heads of this model");
  if (!self->layer)
    self->layer = (gint64) config->n_layers[stack];
  return status;
}

/* What is asked of each checkpoint. */
typedef struct {
  Training *training;
  const char *target;
  guint n;
} Asking;

static mt_capture *
capture_checkpoint(const RegardTrainingStep *step, guint i, const mt_capture_place *place,
                   gpointer user, mt_error *error)
{
  const Asking *asking = user;
  const CliAnalysis *base = &asking->training->base;
  CliEngineOptions options = base->options;
  g_auto(CliEngine) engine = {0};
  options.model = step->path;
  cli_stop_show("checkpoint %u of %u", i + 1, asking->n);
  if (cli_stop_is_wanted() || cli_engine_open(base->command, &options, &engine) != CLI_DONE)
    return NULL;
  engine.hooks.should_stop = base->engine.hooks.should_stop;
  g_autoptr(mt_translation) translation =
      cli_engine_translate(base->command, &engine, base->text, asking->target, error);
  return translation ? cli_engine_capture(base->command, &engine, &base->options, translation,
                                          place, 0, NULL, error)
                     : NULL;
}

static CliStatus
compute_training(gpointer user, mt_error *error)
{
  Training *self = user;
  CliAnalysis *base = &self->base;
  g_autoptr(GArray) steps = regard_training_steps(base->engine.path);
  if (!steps || steps->len > REGARD_ANIMATION_MOST_FRAMES) {
    cli_complain(base->command,
                 "%s: expected a checkpoint called step-N and 1 to %d others beside it, found %u",
                 base->engine.path, REGARD_ANIMATION_MOST_FRAMES - 1, steps ? steps->len - 1 : 0);
    return CLI_FAILED;
  }
  Asking asking = {self,
                   base->target ? base->target
                                : mt_translation_hypothesis(base->translation, 0)->text,
                   steps->len};
  const RegardMatrixSpec spec = {.kind = (mt_attention_kind) self->kind,
                                 .layer = (guint) self->layer - 1,
                                 .head = self->head ? (guint) self->head - 1 : 0,
                                 .combine = self->head ? REGARD_COMBINE_HEAD : REGARD_COMBINE_MEAN};
  cli_stop_begin(&base->engine.hooks);
  base->result = regard_training_frames(steps, &spec, &base->picture.style, capture_checkpoint,
                                        &asking, error);
  const gboolean interrupted = cli_stop_is_wanted();
  cli_stop_end(&base->engine.hooks);
  if (interrupted) {
    error->message[0] = '\0';
    cli_complain(base->command, "interrupted: nothing was written");
    return CLI_FAILED;
  }
  return base->result ? CLI_DONE : CLI_FAILED;
}

static CliStatus
write_training(gpointer user)
{
  Training *self = user;
  return cli_animate_write(&self->base, regard_frames_ref(self->base.result));
}

static void
free_frames(gpointer frames)
{
  regard_frames_unref(frames);
}

static void
clear_training(gpointer user)
{
  Training *self = user;
  g_free(self->last);
}

static const CliAnalysisSteps training_steps = {
    .takes = CLI_TAKES_TEXT,
    .check = check_training,
    .check_model = check_training_model,
    .translates = TRUE,
    .compute = compute_training,
    .print = write_training,
    .free_result = free_frames,
    .clear = clear_training,
};

/* ==== The commands =============================================================================
 */

const char cli_animate_details[] =
    "Translates TEXT and writes what the model computed, one frame after the other:\n"
    "  steps      the steps of the translation: what there was to choose from, and what was\n"
    "             looked at\n"
    "  beam       the tree of hypotheses as it grows, without what is only known later\n"
    "  inside     the eight steps from a stream to what a head adds to it\n"
    "  training   one head, or the mean of a layer, at all checkpoints of a training, given the\n"
    "             translation of the one that --model names, or --target\n"
    "\n"
    "All frames have the same size, layout and scale; no frame stands between two that were\n"
    "computed. The first is seen for 1.5 s, the last for 3 s, others for 0.8 s, again and again.\n"
    "GIF has one palette of 255 colours, a pixel of another colour the nearest of them; PNG has\n"
    "every pixel as it is. At most 500 frames of 4096 pixels a side. Nothing is written before "
    "all\n"
    "frames are drawn: Ctrl+C leaves nothing behind.\n"
    "\n"
    "'animate steps --help' lists the options of steps, and so with the others.\n";

static const CliCommand training = {
    CLI_ANIMATE_ABOUT,
    .second = "training",
    CLI_ANALYSIS(training_options, training_defaults, training_steps),
};
static const CliCommand *const seconds[] = {&cli_animate_steps, &cli_animate_beam,
                                            &cli_animate_inside, &training, NULL};

static CliStatus
run(const CliCommand *command, gpointer user, GPtrArray *arguments)
{
  static const char expected[] = "expected steps, beam, inside or training, found";
  (void) user;
  return arguments->len
             ? cli_usage(command, "%s '%s'", expected, (const char *) arguments->pdata[0])
             : cli_usage(command, "%s nothing", expected);
}

static const CliOption no_options[] = {CLI_OPTIONS_END};
const CliCommand cli_animate = {
    CLI_ANIMATE_ABOUT, .options = no_options, .size = 1, .run = run, .seconds = seconds,
};
