/* cli-capture.c — regard-cli capture: everything one translation attended to, as NumPy arrays.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-analysis.h"
#include "export/regard-capture-meta.h"
#include "figures/regard-naming.h"

typedef struct {
  CliAnalysis base;
  /* What is written, numbers from 1 and 0 for all. */
  guint kind;
  gint64 layer, head;
} Capture;

#define AT(member) offsetof(Capture, member)
static const Capture defaults = {.base = CLI_ANALYSIS_INIT, .kind = CLI_NO_CHOICE};
static const CliOption options[] = {
    CLI_OPTIONS(cli_options_model),
    CLI_OPTIONS(cli_options_output_npz),
    CLI_OPTIONS(cli_options_target),
    {CLI_OPTION_CHOICE, "kind", 0, AT(kind), "KIND", "One kind of attention; default all", 0, 0,
     regard_kind_ids},
    {CLI_OPTION_WHOLE, "layer", 0, AT(layer), "L", "One layer, from 1; default all", 1, G_MAXINT},
    {CLI_OPTION_WHOLE, "head", 0, AT(head), "H", "One head, from 1; default all", 1, G_MAXINT},
    CLI_OPTIONS(cli_options_translation),
    CLI_OPTIONS(cli_options_precision),
    CLI_OPTIONS(cli_options_capture_precision),
    CLI_OPTIONS_END,
};

/* Every kind that is written must have the layer and the head. */
static CliStatus
check_model(gpointer user)
{
  const Capture *self = user;
  const mt_config *config = mt_model_config(self->base.engine.model);
  CliStatus status = CLI_DONE;
  for (guint k = 0; status == CLI_DONE && k < MT_N_KINDS; k++) {
    const mt_stack stack = k == MT_ENCODER_SELF ? MT_STACK_ENCODER : MT_STACK_DECODER;
    g_autofree char *layers = g_strdup_printf("layers of %s", regard_kind_ids[k]);
    g_autofree char *heads = g_strdup_printf("heads of %s", regard_kind_ids[k]);
    if (self->kind != CLI_NO_CHOICE && self->kind != k)
      continue;
    status =
        cli_check_number(self->base.command, "layer", self->layer, config->n_layers[stack], layers);
    if (status == CLI_DONE)
      status =
          cli_check_number(self->base.command, "head", self->head, config->n_heads[stack], heads);
  }
  return status;
}

/* Takes the whole, gives the part. */
static mt_capture *
take_part(mt_capture *whole, const Capture *self, mt_error *error)
{
  if (!whole || (self->kind == CLI_NO_CHOICE && self->layer == 0 && self->head == 0))
    return whole;
  mt_capture *capture = mt_capture_part(whole, self->kind == CLI_NO_CHOICE ? -1 : (int) self->kind,
                                        (int) self->layer - 1, (int) self->head - 1, error);
  mt_capture_unref(whole);
  return capture;
}

static CliStatus
compute(gpointer user, mt_error *error)
{
  const Capture *self = user;
  const CliEngine *engine = &self->base.engine;
  const mt_translation *translation = self->base.translation;
  const unsigned flags = MT_CAPTURE_SCORES | cli_engine_capture_flags(&self->base.options);
  mt_capture *capture =
      take_part(mt_session_capture(engine->session, translation, 0, flags, &engine->hooks, error),
                self, error);
  if (!capture)
    return CLI_FAILED;
  g_autofree char *meta =
      regard_capture_meta("regard-cli " MT_VERSION, engine->model, translation, 0,
                          self->base.target ? NULL : &engine->params, mt_capture_precision(capture),
                          mt_capture_changes(capture));
  const bool done = mt_capture_write_npz(capture, self->base.picture.output, meta, error);
  mt_capture_unref(capture);
  return done ? CLI_DONE : CLI_FAILED;
}

static const CliAnalysisSteps steps = {
    .takes = CLI_TAKES_TEXT,
    .writes = CLI_WRITES_ARRAYS,
    .check_model = check_model,
    .translates = TRUE,
    .compute = compute,
};

const CliCommand cli_capture = {
    .name = "capture",
    .summary = "Write every attention of a translation as NumPy arrays",
    .arguments = "-o FILE.npz TEXT",
    .details =
        "Translates TEXT and writes an archive for numpy.load: encoder_attentions (L,H,S,S),\n"
        "decoder_attentions (L,H,T,T), cross_attentions (L,H,T,S); encoder_scores,\n"
        "decoder_scores, cross_scores, the same before the softmax; encoder_positions (S,d),\n"
        "decoder_positions (T,d), positions (the longer of the two); logprobs (T); source_tokens,\n"
        "decoder_input_tokens, output_tokens, each with its _ids, _words, _special, _text and\n"
        "_spans; row_lse of each kind; model, naming, position_kind,\n"
        "attention_precision, translation_precision; interventions, what was changed in the\n"
        "model, if anything was; and meta, JSON text: engine, model, SHA-256 of its files, text,\n"
        "what of it is unknown, language, translation, precisions, changes, search settings.\n"
        "L layers, H heads, S source tokens, T target tokens, d dimensions of the model.\n"
        "\n"
        "With --kind, --layer or --head it writes these matrices alone, and no positions; the\n"
        "numbers of the first layer and head of each kind are in encoder_first, decoder_first and\n"
        "cross_first. attend --capture draws such a file, inspect says what it has.\n"
        "\n"
        "With --target the search settings (--beam, --min-length, --max-length) do nothing.\n"
        "\n"
        "--precision is for the search: attention is computed with the weights as stored, unless\n"
        "--capture-precision same asks for rounded ones.\n",
    CLI_ANALYSIS(options, defaults, steps),
};
