/* cli-attend.c — regard-cli attend: the attention of one translation as a picture or a table.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-engine.h"
#include "cli/cli-foreign.h"
#include "cli/cli-picture.h"
#include "cli/cli-reference.h"
#include "figures/regard-figure-attention.h"
#include "figures/regard-matrix-attention.h"

#include <string.h>

typedef struct {
  guint kind;        /* an mt_attention_kind; CLI_NO_CHOICE: not given */
  gint64 layer;      /* from 1; 0: not given */
  const char *heads; /* as typed */
  gint64 head;       /* from 1, if heads is a number */
  gboolean all;
  RegardCombine combine;
  const char *sum; /* as typed; NULL: not given */
} Choice;

/* --head H|mean|max|all. */
static CliStatus
parse_heads(const CliCommand *command, Choice *choice)
{
  if (strcmp(choice->heads, "mean") == 0)
    choice->combine = REGARD_COMBINE_MEAN;
  else if (strcmp(choice->heads, "max") == 0)
    choice->combine = REGARD_COMBINE_MAX;
  else if (strcmp(choice->heads, "all") == 0)
    choice->all = TRUE;
  else if (g_ascii_string_to_signed(choice->heads, 10, 1, G_MAXINT, &choice->head, NULL))
    choice->combine = REGARD_COMBINE_HEAD;
  else
    return cli_usage(command, "--head wants a number from 1, mean, max or all, found '%s'",
                     choice->heads);
  return CLI_DONE;
}

/* Layer and head against what there is; a layer that was not given becomes the last but one, where
 * cross-attention follows the words most closely. */
static CliStatus
check_place(const CliCommand *command, gint64 n_layers, gint64 n_heads, const char *what,
            Choice *choice)
{
  if (choice->layer > n_layers)
    return cli_usage(command,
                     "--layer wants 1 to %" G_GINT64_FORMAT
                     ", the layers of this %s, found %" G_GINT64_FORMAT,
                     n_layers, what, choice->layer);
  if (choice->head > n_heads)
    return cli_usage(command,
                     "--head wants 1 to %" G_GINT64_FORMAT
                     ", the heads of this %s, found %" G_GINT64_FORMAT,
                     n_heads, what, choice->head);
  if (!choice->layer && !choice->all)
    choice->layer = MAX(n_layers - 1, 1);
  return CLI_DONE;
}

static CliStatus
check_choice(const CliCommand *command, const mt_config *config, Choice *choice)
{
  if (choice->kind == CLI_NO_CHOICE)
    choice->kind = MT_CROSS;
  mt_stack stack = choice->kind == MT_ENCODER_SELF ? MT_STACK_ENCODER : MT_STACK_DECODER;
  return check_place(command, (gint64) config->n_layers[stack], (gint64) config->n_heads[stack],
                     "model", choice);
}

/* One of the numbers that a part of a capture has, as the index that it has there. */
static gboolean
find_in_part(const CliCommand *command, const char *option, gsize first, gsize n, gint64 *number)
{
  if (*number == 0)
    return TRUE;
  if (*number > (gint64) first && *number <= (gint64) (first + n)) {
    *number -= (gint64) first;
    return TRUE;
  }
  if (n == 1)
    cli_usage(command, "--%s wants %zu, the only one of this capture, found %" G_GINT64_FORMAT,
              option, first + 1, *number);
  else
    cli_usage(command, "--%s wants %zu to %zu, those of this capture, found %" G_GINT64_FORMAT,
              option, first + 1, first + n, *number);
  return FALSE;
}

/* Of one layer there is no other to draw, and of one head no mean. */
static CliStatus
check_part(const CliCommand *command, const mt_capture *capture, mt_attention_kind kind,
           Choice *choice)
{
  const gsize n_layers = mt_capture_n_layers(capture, kind),
              n_heads = mt_capture_n_heads(capture, kind);
  if (!find_in_part(command, "layer", mt_capture_first_layer(capture, kind), n_layers,
                    &choice->layer) ||
      !find_in_part(command, "head", mt_capture_first_head(capture, kind), n_heads, &choice->head))
    return CLI_USAGE;
  if (!choice->layer && !choice->all)
    choice->layer = MAX((gint64) n_layers - 1, 1);
  if (n_heads == 1 && !choice->all) {
    choice->combine = REGARD_COMBINE_HEAD;
    choice->head = 1;
  }
  return CLI_DONE;
}

/* The same against a capture, which need not have every kind. */
static CliStatus
check_capture(const CliCommand *command, const mt_capture *capture, Choice *choice)
{
  static const mt_attention_kind order[] = {MT_CROSS, MT_ENCODER_SELF, MT_DECODER_SELF};
  for (guint i = 0; choice->kind == CLI_NO_CHOICE && i < G_N_ELEMENTS(order); i++)
    if (mt_capture_n_layers(capture, order[i]))
      choice->kind = order[i];
  gsize n_layers = mt_capture_n_layers(capture, (mt_attention_kind) choice->kind);
  if (!n_layers) {
    cli_complain(command, "%s: --kind %s wants attention that this capture does not have.",
                 mt_capture_file_name(capture), regard_kind_ids[choice->kind]);
    return CLI_FAILED;
  }
  const mt_attention_kind kind = (mt_attention_kind) choice->kind;
  if (mt_capture_is_part(capture, kind))
    return check_part(command, capture, kind, choice);
  return check_place(command, (gint64) n_layers, (gint64) mt_capture_n_heads(capture, kind),
                     "capture", choice);
}

/* keys:TOKENS or queries:TOKENS. */
static const char *
parse_sum_axis(const char *typed, RegardSumAxis *axis)
{
  static const struct {
    const char *name;
    RegardSumAxis axis;
  } axes[] = {{"keys:", REGARD_SUM_KEYS}, {"queries:", REGARD_SUM_QUERIES}};
  for (guint i = 0; i < G_N_ELEMENTS(axes); i++)
    if (g_str_has_prefix(typed, axes[i].name) && typed[strlen(axes[i].name)]) {
      *axis = axes[i].axis;
      return typed + strlen(axes[i].name);
    }
  return NULL;
}

static CliStatus
check_sum(const CliCommand *command, const Choice *choice)
{
  RegardSumAxis axis;
  if (choice->sum && !parse_sum_axis(choice->sum, &axis))
    return cli_usage(command,
                     "--sum wants keys: or queries: and tokens, such as keys:2,5-7 or "
                     "keys:animal,street, found '%s'",
                     choice->sum);
  return choice->sum && choice->all
             ? cli_usage(command, "--sum is of one matrix: --head all has many")
             : CLI_DONE;
}

/* The chosen rows or columns of the matrix, added up. NULL: reported. */
static RegardFigure *
make_sum(const CliCommand *command, const mt_capture *capture, const Choice *choice,
         const RegardMatrixSpec *spec, const RegardFigureStyle *style)
{
  RegardSumAxis axis = REGARD_SUM_KEYS;
  const char *tokens = parse_sum_axis(choice->sum, &axis);
  g_autoptr(RegardMatrix) m = regard_matrix_new_attention(capture, spec);
  const guint n = regard_sum_axis_length(m, axis);
  g_autofree guint8 *chosen = g_new0(guint8, n + 1);
  g_autofree char *missing = regard_sum_parse(m, axis, tokens, chosen);
  if (missing) {
    cli_usage(command, "--sum: there is no %s '%s'; the picture has %u, from 1",
              axis == REGARD_SUM_KEYS ? "key" : "query", missing, n);
    return NULL;
  }
  g_autoptr(RegardMatrix) sum = regard_matrix_new_sum(m, axis, chosen);
  return sum ? regard_figure_new_matrix(sum, style) : NULL;
}

/* NULL: reported. */
static RegardFigure *
make_figure(const CliCommand *command, const mt_capture *capture, const Choice *choice,
            RegardMatrixSpec *spec, const RegardFigureStyle *style)
{
  spec->kind = (mt_attention_kind) choice->kind;
  spec->layer = choice->layer ? (guint) choice->layer - 1 : 0;
  spec->head = choice->head ? (guint) choice->head - 1 : 0;
  spec->combine = choice->combine;
  if (choice->sum)
    return make_sum(command, capture, choice, spec, style);
  RegardScope scope = !choice->all    ? REGARD_SCOPE_HEAD
                      : choice->layer ? REGARD_SCOPE_LAYER
                                      : REGARD_SCOPE_KIND;
  return regard_figure_new_grid(capture, scope, spec, style);
}

/* b - a; takes both. On aligned tokens where each has its own, and where another text cannot be
 * compared place by place. NULL: there is nothing to compare, which is reported. */
static mt_capture *
subtract(const CliCommand *command, const CliReferenceOptions *options, mt_capture *a,
         mt_capture *b)
{
  mt_error error = {0};
  const gboolean aligned =
      options->each_own || (options->text && !mt_capture_check_alike(a, b, &error));
  mt_capture *difference =
      aligned ? mt_capture_difference_aligned(a, b, &error) : mt_capture_difference(a, b, &error);
  if (!difference)
    cli_complain(command, "%s: %s", options->text ? "--reference-text" : "--reference",
                 error.message);
  mt_capture_unref(a);
  mt_capture_unref(b);
  return difference;
}

/* Takes the capture. */
static CliStatus
draw(const CliCommand *command, mt_capture *capture, const Choice *choice, RegardMatrixSpec *spec,
     const CliPicture *picture)
{
  RegardFigure *figure = make_figure(command, capture, choice, spec, &picture->style);
  mt_capture_unref(capture);
  return figure ? cli_picture_write(command, picture, figure) : CLI_USAGE;
}

/* A picture of a capture from a file, or of the difference of two: no model is opened. */
static CliStatus
draw_file(const CliCommand *command, const char *path, const CliReferenceOptions *reference,
          Choice *choice, RegardMatrixSpec *spec, const CliPicture *picture)
{
  mt_capture *capture = cli_foreign_read(command, path);
  if (capture && reference->changes) {
    mt_capture *a = cli_foreign_read(command, reference->changes);
    if (a)
      capture = subtract(command, reference, a, capture);
    else
      g_clear_pointer(&capture, mt_capture_unref);
  }
  if (!capture)
    return CLI_FAILED;
  CliStatus status = check_capture(command, capture, choice);
  if (status == CLI_DONE)
    return draw(command, capture, choice, spec, picture);
  mt_capture_unref(capture);
  return status;
}

/* The text's attention. */
static mt_capture *
capture_text(const CliCommand *command, CliEngine *engine, const char *text, const char *target,
             unsigned flags)
{
  mt_error error = {0};
  mt_translation *translation = cli_engine_translate_text(command, engine, text, target);
  if (!translation)
    return NULL;
  mt_capture *capture =
      mt_session_capture(engine->session, translation, 0, flags, &engine->hooks, &error);
  if (!capture)
    cli_complain(command, "%s", error.message);
  mt_translation_unref(translation);
  return capture;
}

/* What B attends to more or less than A: for A's words, or for its own. */
static mt_capture *
capture_difference(const CliCommand *command, CliEngine *engine, CliReference *reference,
                   const CliReferenceOptions *options, const char *text, const char *target,
                   unsigned flags)
{
  mt_error error = {0};
  mt_capture *a, *b, *difference = NULL;
  mt_translation *of_b = NULL, *of_a = cli_reference_translate(command, reference,
                                                               options->text ? options->text : text,
                                                               target, &error);
  if (of_a)
    of_b = options->each_own ? cli_engine_translate(command, engine, text, NULL, &error)
           : options->text   ? cli_reference_force(engine, text, of_a, &error)
                             : mt_translation_ref(of_a);
  if (!of_b)
    cli_complain(command, "%s", error.message);
  else {
    cli_engine_remark(command, "", of_a);
    if (of_b != of_a)
      cli_engine_remark(command, "", of_b);
    if (cli_reference_capture_each(command, reference, engine, of_a, of_b, flags, &a, &b))
      difference = subtract(command, options, a, b);
  }
  mt_translation_unref(of_a);
  mt_translation_unref(of_b);
  return difference;
}

static CliStatus
run(const CliCommand *command, int argc, char **argv)
{
  g_autoptr(GPtrArray) changes = g_ptr_array_new(), forbid = g_ptr_array_new(),
                       force = g_ptr_array_new();
  CliEngineOptions engine_options = {.changes = changes, .forbid = forbid, .force = force};
  CliPicture picture = CLI_PICTURE_INIT;
  Choice choice = {.kind = CLI_NO_CHOICE, .heads = "mean"};
  RegardMatrixSpec spec = {0};
  guint label = 0;
  const char *target = NULL, *file = NULL;
  CliReferenceOptions reference_options = {0};
  const CliOption options[] = {
      CLI_ENGINE_OPTIONS_MODEL(engine_options),
      {CLI_OPTION_CHOICE, "kind", 0, &choice.kind, "KIND", "Which attention; default cross", 0, 0,
       regard_kind_ids},
      {CLI_OPTION_WHOLE, "layer", 0, &choice.layer, "L",
       "Layer, from 1; default: the last but one, or every layer with --head all", 1, G_MAXINT},
      {CLI_OPTION_TEXT, "head", 0, &choice.heads, "H",
       "Head, from 1, or mean, max or all; default mean"},
      {CLI_OPTION_TEXT, "sum", 0, &choice.sum, "AXIS:TOKENS",
       "Add up keys or queries, such as keys:2,5-7 or keys:animal,street"},
      CLI_PICTURE_OPTION_OUTPUT(picture),
      CLI_ENGINE_OPTION_TARGET(target),
      {CLI_OPTION_TEXT, "capture", 0, &file, "FILE",
       "Draw a capture (.npz), or that of a session (.regard), instead of translating a TEXT"},
      CLI_REFERENCE_OPTIONS(reference_options),
      CLI_REFERENCE_OPTIONS_OTHER(reference_options),
      CLI_ENGINE_OPTIONS_SEARCH(engine_options, FALSE),
      CLI_ENGINE_OPTIONS_CONSTRAINTS(engine_options),
      CLI_ENGINE_OPTIONS_RUN(engine_options),
      CLI_ENGINE_OPTION_PRECISION(engine_options),
      CLI_ENGINE_OPTION_CAPTURE_PRECISION(engine_options),
      {CLI_OPTION_FLAG, "words", 0, &spec.merge_words, NULL, "Merge the pieces of a word"},
      {CLI_OPTION_FLAG, "hide-special", 0, &spec.hide_special, NULL,
       "Leave out </s>, <pad> and language tokens"},
      {CLI_OPTION_CHOICE, "label-by", 0, &label, "TOKEN",
       "Token that names a decoder row; default output", 0, 0, regard_label_by_ids},
      CLI_PICTURE_OPTION_SCALE(picture),
      CLI_PICTURE_OPTION_COLORMAP(picture),
      CLI_PICTURE_OPTIONS_LOOK(picture),
      CLI_OPTIONS_END,
  };
  g_autoptr(GPtrArray) texts = g_ptr_array_new();
  g_auto(CliEngine) engine = {0};
  g_auto(CliReference) reference = {0};
  CliStatus status;

  if (!cli_options_parse(command, options, argc, argv, texts, &status))
    return status;
  if (file && (texts->len || target || engine_options.model || engine_options.to ||
               engine_options.precision || engine_options.capture_precision || changes->len ||
               engine_options.changes_file || reference_options.model ||
               reference_options.precision || reference_options.text))
    return cli_usage(command, "--capture wants no TEXT, --target, --model, --to, change or "
                              "precision beside it");
  if (!file && (status = cli_options_check_text(command, texts)) != CLI_DONE)
    return status;
  const gboolean is_compared = cli_reference_is_wanted(&reference_options);
  if (reference_options.each_own && !is_compared)
    return cli_usage(command, "--each-own wants a reference: --reference, --reference-text, "
                              "--reference-model or --reference-precision");
  if (reference_options.each_own && target)
    return cli_usage(command, "--each-own wants no --target: B has its own translation");
  spec.label_by = (RegardLabelBy) label;
  if (file) {
    if ((status = parse_heads(command, &choice)) != CLI_DONE ||
        (status = check_sum(command, &choice)) != CLI_DONE ||
        (status = cli_picture_check(command, &picture)) != CLI_DONE)
      return status;
    return draw_file(command, file, &reference_options, &choice, &spec, &picture);
  }
  if ((status = parse_heads(command, &choice)) != CLI_DONE ||
      (status = check_sum(command, &choice)) != CLI_DONE ||
      (status = cli_picture_check(command, &picture)) != CLI_DONE ||
      (status = cli_engine_open(command, &engine_options, &engine)) != CLI_DONE ||
      (status = check_choice(command, mt_model_config(engine.model), &choice)) != CLI_DONE)
    return status;

  const unsigned flags = cli_engine_capture_flags(&engine_options);
  if (is_compared && (status = cli_reference_open(command, &reference_options, &engine_options,
                                                  &engine, &reference)) != CLI_DONE)
    return status;
  mt_capture *capture = is_compared
                            ? capture_difference(command, &engine, &reference, &reference_options,
                                                 texts->pdata[0], target, flags)
                            : capture_text(command, &engine, texts->pdata[0], target, flags);
  if (!capture)
    return CLI_FAILED;
  return draw(command, capture, &choice, &spec, &picture);
}

const CliCommand cli_attend = {
    .name = "attend",
    .summary = "Write the attention of a translation as a picture or a table",
    .arguments = "-o FILE (TEXT | --capture FILE.npz)",
    .details =
        "Translates TEXT and writes one attention matrix: rows are queries, columns are keys.\n"
        "With --head all it writes all heads of the layer, or of every layer if no --layer is\n"
        "given. Layers and heads count from 1, as in the window.\n"
        "\n"
        "Several heads become one matrix by their mean or by the maximum of each cell. Merged\n"
        "words average the rows of their pieces and add up the columns. Nothing is renormalised:\n"
        "what was done stands in the title of the picture.\n"
        "\n"
        "--sum writes one row instead. keys:TOKENS: how much weight each query gives to these\n"
        "keys together, the sum over their columns. queries:TOKENS: how much each key gets from\n"
        "these queries together, the sum over their rows. TOKENS have commas between: numbers "
        "from\n"
        "1, ranges, or texts; a text stands for all tokens that have it.\n"
        "\n"
        "With --target the search settings (--beam, --min-length, --max-length) do nothing.\n"
        "\n"
        "--precision is for the search: attention is computed with the weights as stored, unless\n"
        "--capture-precision same asks for rounded ones. Captions and numbers say which ran.\n"
        "\n"
        "With --reference it draws B - A: what the model, with its --change, attends to more or\n"
        "less than with other changes, or none, for the words that the reference translates.\n"
        "--reference-model and --reference-precision make A another model of the same shape, or "
        "the\n"
        "same read with other weights.\n"
        "Of two files with --capture it draws the first minus the second.\n"
        "With --reference-text A reads another sentence, and with --each-own both have their own\n"
        "translation. Then tokens are aligned; those that only A has (token→) or only B (→token)\n"
        "have no value.\n"
        "\n"
        "With --capture the weights come from a NumPy archive, whatever program wrote it, and no\n"
        "model is opened; the kind, if not given, is the first of cross, encoder and decoder that\n"
        "is in the file.\n",
    .run = run,
};
