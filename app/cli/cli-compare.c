/* cli-compare.c — regard-cli attend and compare: attention of one run as a picture or a table, and
 * what is other in B than in A.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-analysis.h"
#include "figures/regard-ablation.h"
#include "figures/regard-figure-matrix.h"
#include "figures/regard-matrix-attention.h"
#include "learn/regard-targets.h"
#include <math.h>
#include <string.h>

/* Heads that are listed where nobody says how many. */
#define LISTED 20

/* ---- The reference -----------------------------------------------------------------------------
 *
 * A beside B: the same words in another model, with other changes, or at another precision.
 */

/* As typed; NULL: as B. */
typedef struct {
  const char *interventions; /* "none", or a change; NULL: none, too */
  const char *model;
  const char *precision;
  const char *text;  /* of another sentence; NULL: that of B */
  gboolean each_own; /* each its own translation, aligned; FALSE: A's, in both */
} CliReferenceOptions;

typedef struct {
  CliEngine own; /* of A, where it is another model or precision … */
  gboolean has_own;
  CliEngine *engine;               /* … and the one that A runs in */
  mt_interventions *interventions; /* of A */
} CliReference;

/* What such a command's struct begins with. */
typedef struct {
  CliAnalysis base; /* of B */
  CliReferenceOptions options;
  CliReference reference;
} CliReferenced;

const CliOption cli_options_reference[] = {
    {CLI_OPTION_TEXT, "reference", 0, offsetof(CliReferenced, options.interventions), "CHANGE",
     "A, the reference, is the model without changes (none), or with CHANGE"},
    {CLI_OPTION_TEXT, "reference-model", 0, offsetof(CliReferenced, options.model), "DIR",
     "A is another model with as many layers and heads, such as another checkpoint"},
    {CLI_OPTION_TEXT, "reference-precision", 0, offsetof(CliReferenced, options.precision), "P",
     "A reads weights as stored, or rounded to f16, bf16, bf16-all, int8 or int8-all; attention "
     "too"},
    CLI_OPTIONS_END,
};
const CliOption cli_options_reference_other[] = {
    {CLI_OPTION_TEXT, "reference-text", 0, offsetof(CliReferenced, options.text), "TEXT",
     "A reads another sentence; tokens are aligned, those of one side hatched"},
    {CLI_OPTION_FLAG, "each-own", 0, offsetof(CliReferenced, options.each_own), NULL,
     "A and B have their own translation each, aligned, instead of that of A in both"},
    CLI_OPTIONS_END,
};

static gboolean
cli_reference_is_wanted(const CliReferenceOptions *options)
{
  return options->interventions || options->model || options->precision || options->text;
}

static CliStatus
parse_changes(CliReferenced *self)
{
  mt_error error = {0};
  CliReference *reference = &self->reference;
  const char *interventions = self->options.interventions;
  const char *text = interventions && strcmp(interventions, "none") != 0 ? interventions : "";
  reference->interventions = mt_interventions_parse("--reference", text, &error);
  if (reference->interventions &&
      mt_interventions_check(reference->interventions, mt_model_config(reference->engine->model),
                             &error))
    return CLI_DONE;
  return cli_usage(self->base.command, "%s", error.message);
}

/* Anything but CLI_DONE has been reported. */
static CliStatus
cli_reference_open(CliReferenced *self)
{
  CliReference *reference = &self->reference;
  CliStatus status = CLI_DONE;
  reference->engine = &self->base.engine;
  if (self->options.model || self->options.precision) {
    CliEngineOptions own = self->base.options;
    own.interventions = NULL;
    own.changes_file = own.means = own.patch_from = NULL;
    if (self->options.model)
      own.model = self->options.model;
    own.precision = self->options.precision;
    own.caches &=
        own.precision && strcmp(own.precision, mt_precision_name(MT_PRECISION_STORED)) != 0;
    reference->has_own = TRUE;
    reference->engine = &reference->own;
    status = cli_engine_open(self->base.command, &own, &reference->own);
  }
  return status == CLI_DONE ? parse_changes(self) : status;
}

static void
cli_reference_clear(CliReferenced *self)
{
  if (self->reference.has_own)
    cli_engine_clear(&self->reference.own);
  mt_interventions_unref(self->reference.interventions);
  self->reference = (CliReference){0};
}

/* What A says. NULL: *error. */
static mt_translation *
cli_reference_translate(CliReferenced *self, const char *text, mt_error *error)
{
  CliEngine *engine = self->reference.engine;
  const mt_interventions *own = engine->hooks.interventions;
  engine->hooks.interventions = self->reference.interventions;
  mt_translation *translation =
      cli_engine_translate(self->base.command, engine, text, self->base.target, error);
  engine->hooks.interventions = own;
  return translation;
}

static mt_capture *
capture(const CliCommand *command, CliEngine *engine, const mt_interventions *interventions,
        const CliEngineOptions *options, const mt_translation *translation, unsigned flags)
{
  mt_error error = {0};
  const mt_interventions *own = engine->hooks.interventions;
  engine->hooks.interventions = interventions;
  mt_capture *result =
      cli_engine_capture(command, engine, options, translation, NULL, flags, NULL, &error);
  engine->hooks.interventions = own;
  if (!result)
    cli_failed(command, &error);
  return result;
}

/* The attention of A and of B, each of a translation. FALSE, which has been reported. */
static gboolean
cli_reference_capture(CliReferenced *self, const mt_translation *translation_a,
                      const mt_translation *translation_b, mt_capture **of_a, mt_capture **of_b)
{
  CliReference *reference = &self->reference;
  CliEngine *b = &self->base.engine;
  const unsigned flags = cli_engine_capture_flags(&self->base.options);
  /* A precision that was asked for is one of its attention, too: else there is nothing to see. */
  const unsigned flags_a =
      reference->has_own && mt_model_precision(reference->engine->model) != MT_PRECISION_STORED
          ? flags | MT_CAPTURE_ROUNDED
          : flags;
  const CliEngineOptions *options = &self->base.options;
  *of_a = capture(self->base.command, reference->engine, reference->interventions, options,
                  translation_a, flags_a);
  *of_b =
      *of_a ? capture(self->base.command, b, b->hooks.interventions, options, translation_b, flags)
            : NULL;
  if (!*of_b)
    g_clear_pointer(of_a, mt_capture_unref);
  return *of_b != NULL;
}

/* ---- The command ----------------------------------------------------------------------------- */

/* By how far they moved, in bits, the farthest first. */
static GArray *
sorted(const mt_config *config, const mt_capture *a, const mt_capture *b)
{
  GArray *heads = cli_heads_new(config);
  for (guint i = 0; i < heads->len; i++) {
    CliHead *head = &g_array_index(heads, CliHead, i);
    head->value = mt_capture_divergence(a, b, head->kind, head->layer, head->head);
  }
  cli_heads_sort(heads);
  return heads;
}

static double
sum_logprobs(const mt_capture *capture)
{
  const float *logprobs = mt_capture_logprobs(capture);
  double sum = 0;
  for (gsize t = 0; logprobs && t < mt_tokens_count(mt_capture_output(capture)); t++)
    sum += (double) logprobs[t];
  return sum;
}

typedef struct {
  const char *a, *b; /* what each says by itself */
  const mt_capture *of_a, *of_b;
} Both;

static CliStatus
put_json(const CliCommand *command, const Both *both, const GArray *rows)
{
  json_object *object = json_object_new_object(), *heads = json_object_new_array();
  regard_json_add(object, {"a", cli_json_text(both->a)}, {"b", cli_json_text(both->b)},
                  {"logprob_a", regard_json_float((float) sum_logprobs(both->of_a))},
                  {"logprob_b", regard_json_float((float) sum_logprobs(both->of_b))});
  for (guint i = 0; i < rows->len; i++) {
    const CliHead *row = &g_array_index(rows, CliHead, i);
    g_autofree char *name = regard_ablation_head_name(row->kind, row->layer, row->head);
    json_object_array_add(heads,
                          regard_json_object({"head", cli_json_text(name)},
                                             {"bits", regard_json_float((float) row->value)}));
  }
  json_object_object_add(object, "heads", heads);
  return cli_json_put(command, object, FALSE) ? CLI_DONE : CLI_FAILED;
}

static CliStatus
print_list(const CliCommand *command, const Both *both, const GArray *rows, guint top)
{
  GString *out = g_string_new(NULL);
  const double a = sum_logprobs(both->of_a), b = sum_logprobs(both->of_b);
  const guint n = MIN(top, rows->len);
  g_string_append_printf(out, "A  %s\nB  %s\n", both->a, both->b);
  g_string_append_printf(out, "log p of A's words: %.4f nats in A, %.4f in B, %+.4f\n", a, b,
                         b - a);
  g_string_append(out, "\n  moved  head\n");
  for (guint i = 0; i < n; i++) {
    const CliHead *row = &g_array_index(rows, CliHead, i);
    g_autofree char *name = regard_ablation_head_name(row->kind, row->layer, row->head);
    g_string_append_printf(out, "%7.4f  %s\n", row->value, name);
  }
  if (n < rows->len)
    g_string_append_printf(out, "and %u other heads\n", rows->len - n);
  return cli_print(command, out);
}

typedef struct {
  CliReferenced side;
  gint64 top;
  gboolean json;
} Compare;

#define AT(member) offsetof(Compare, member)
static const Compare defaults = {.side.base = CLI_ANALYSIS_INIT};
static const CliOption options[] = {
    CLI_OPTIONS(cli_options_model),
    CLI_OPTIONS(cli_options_reference),
    {CLI_OPTION_TEXT, "target", 0, AT(side.base.target), "TEXT",
     "Take TEXT as A's translation instead of searching for one"},
    {CLI_OPTION_WHOLE, "top", 0, AT(top), "K", "List so many heads; default 20", 1, 100000},
    {CLI_OPTION_FLAG, "json", 0, AT(json), NULL, "Print a JSON object, with all heads"},
    CLI_OPTIONS(cli_options_translation),
    CLI_OPTIONS(cli_options_precision),
    CLI_OPTIONS(cli_options_capture_precision),
    CLI_OPTIONS(cli_options_said_memory),
    CLI_OPTIONS_END,
};

static CliStatus
check(gpointer user)
{
  const CliReferenced *self = user;
  const CliEngineOptions *b = &self->base.options;
  if (!b->interventions && !b->changes_file && !b->precision &&
      !cli_reference_is_wanted(&self->options))
    return cli_usage(self->base.command,
                     "A and B are the same: give a --change or --precision of B, or "
                     "--reference, --reference-model or --reference-precision of A");
  return CLI_DONE;
}

static CliStatus
check_model(gpointer self)
{
  return cli_reference_open(self);
}

static CliStatus
compute(gpointer user, mt_error *error)
{
  Compare *self = user;
  const CliAnalysis *base = &self->side.base;
  CliStatus status = CLI_FAILED;
  g_autoptr(mt_capture) a = NULL, b = NULL;
  g_autoptr(mt_translation) of_a = cli_reference_translate(&self->side, base->text, error);
  g_autoptr(mt_translation) of_b =
      of_a ? cli_engine_translate(base->command, &self->side.base.engine, base->text, NULL, error)
           : NULL;
  if (of_b && cli_reference_capture(&self->side, of_a, of_a, &a, &b)) {
    mt_error why = {0};
    const Both both = {mt_translation_hypothesis(of_a, 0)->text,
                       mt_translation_hypothesis(of_b, 0)->text, a, b};
    if (!mt_capture_check_alike(a, b, &why))
      cli_complain(base->command, "A and B: %s", why.message);
    else {
      g_autoptr(GArray) rows = sorted(mt_model_config(base->engine.model), a, b);
      status = self->json
                   ? put_json(base->command, &both, rows)
                   : print_list(base->command, &both, rows, self->top ? (guint) self->top : LISTED);
    }
  }
  return status;
}

static void
clear(gpointer self)
{
  cli_reference_clear(self);
}

static const CliAnalysisSteps steps = {
    .takes = CLI_TAKES_TEXT,
    .check = check,
    .check_model = check_model,
    .compute = compute,
    .clear = clear,
};

const CliCommand cli_compare = {
    .name = "compare",
    .summary = "Say what is other in a changed model, or another: words, log p, heads that moved",
    .arguments = "TEXT",
    .details =
        "B is the model with --change or --precision; A, the reference, is the same without\n"
        "changes, or with --reference CHANGE, or another model of the same shape, such as another\n"
        "checkpoint (--reference-model), or the same weights read otherwise\n"
        "(--reference-precision). Prints what both translate, how likely A's words are in both,\n"
        "and all heads by how far they moved on A's words: the Jensen-Shannon divergence of their\n"
        "rows, a mean over rows, in bits, from 0 (the same) to 1 (no key in common).\n"
        "\n"
        "regard-cli attend draws the difference of one head, or of all, with the same options.\n",
    CLI_ANALYSIS(options, defaults, steps),
};

/* ==== regard-cli attend ======================================================================= */

typedef struct {
  CliReferenced side;
  const char *file;  /* a capture, instead of a TEXT */
  guint kind;        /* an mt_attention_kind, or ALL_KINDS; CLI_NO_CHOICE: not given */
  gint64 layer;      /* from 1; 0: not given */
  const char *heads; /* as typed */
  gint64 head;       /* from 1, if heads is a number */
  gboolean all;
  GArray *list;               /* of CliHead, if heads is a list; NULL: it is none */
  guint8 *chosen[MT_N_KINDS]; /* the same as the capture counts them; NULL: none of the kind */
  RegardCombine combine;
  const char *sum; /* as typed; NULL: not given */
  guint label;     /* a RegardLabelBy */
  RegardMatrixSpec spec;
  mt_capture *capture; /* that is drawn */
} Attend;

#define ALL_KINDS MT_N_KINDS
/* As regard_kind_ids, and the word for all. */
static const char *const attend_kinds[] = {[MT_ENCODER_SELF] = "encoder",
                                           [MT_DECODER_SELF] = "decoder",
                                           [MT_CROSS] = "cross",
                                           [ALL_KINDS] = "all",
                                           NULL};

#define ATTEND_AT(member) offsetof(Attend, member)
static const Attend attend_defaults = {.side.base = CLI_ANALYSIS_INIT,
                                       .kind = CLI_NO_CHOICE,
                                       .heads = "mean"};
static const CliOption attend_options[] = {
    CLI_OPTIONS(cli_options_model),
    {CLI_OPTION_CHOICE, "kind", 0, ATTEND_AT(kind), "KIND",
     "Which attention, or with --head all the three of them; default cross", 0, 0, attend_kinds},
    {CLI_OPTION_WHOLE, "layer", 0, ATTEND_AT(layer), "L",
     "Layer, from 1; default: the last but one, or every layer with --head all", 1, G_MAXINT},
    {CLI_OPTION_TEXT, "head", 0, ATTEND_AT(heads), "H",
     "Head, from 1, or mean, max or all, or a list of any layers, such as 4.1,5.5 or 'encoder "
     "2.3,cross 4.1'; default mean"},
    {CLI_OPTION_TEXT, "sum", 0, ATTEND_AT(sum), "AXIS:TOKENS",
     "Add up keys or queries, such as keys:2,5-7 or keys:animal,street"},
    CLI_OPTIONS(cli_options_output_attention),
    CLI_OPTIONS(cli_options_texts),
    CLI_OPTIONS(cli_options_target),
    {CLI_OPTION_TEXT, "capture", 0, ATTEND_AT(file), "FILE",
     "Draw a capture (.npz), or that of a session (.regard), instead of translating a TEXT"},
    CLI_OPTIONS(cli_options_reference),
    CLI_OPTIONS(cli_options_reference_other),
    CLI_OPTIONS(cli_options_translation),
    CLI_OPTIONS(cli_options_precision),
    CLI_OPTIONS(cli_options_capture_precision),
    CLI_OPTIONS(cli_options_said_memory),
    {CLI_OPTION_FLAG, "as-searched", 0, ATTEND_AT(side.base.options.as_searched), NULL,
     "Draw what the search computed, as the window does, not a pass over all tokens: last digits "
     "differ"},
    {CLI_OPTION_FLAG, "words", 0, ATTEND_AT(spec.merge_words), NULL, "Merge the pieces of a word"},
    {CLI_OPTION_FLAG, "hide-special", 0, ATTEND_AT(spec.hide_special), NULL,
     "Leave out </s>, <pad> and language tokens"},
    {CLI_OPTION_CHOICE, "label-by", 0, ATTEND_AT(label), "TOKEN",
     "Token that names a decoder row; default output", 0, 0, regard_label_by_ids},
    CLI_OPTIONS(cli_options_scale),
    CLI_OPTIONS(cli_options_colormap),
    CLI_OPTIONS(cli_options_picture),
    CLI_OPTIONS_END,
};

/* "4.1", or "encoder 4.1" for one that is not of --kind. FALSE: it is neither. */
static gboolean
parse_listed(const char *text, guint kind, CliHead *head)
{
  g_auto(GStrv) words = g_strsplit(text, " ", 2);
  const guint n = g_strv_length(words);
  return n > 0 && (n == 2 || kind < MT_N_KINDS) &&
         regard_target_parse_head(n == 2 ? words[0] : regard_kind_ids[kind], words[n - 1],
                                  &head->kind, &head->layer, &head->head);
}

/* LAYER.HEAD[,LAYER.HEAD…]. */
static CliStatus
parse_list(const CliCommand *command, Attend *choice)
{
  g_auto(GStrv) items = g_strsplit(choice->heads, ",", -1);
  const guint kind = choice->kind == CLI_NO_CHOICE ? MT_CROSS : choice->kind;
  choice->list = g_array_new(FALSE, FALSE, sizeof(CliHead));
  for (char **item = items; *item; item++) {
    CliHead head = {0};
    if (!parse_listed(g_strstrip(*item), kind, &head))
      return cli_usage(command,
                       "--head wants LAYER.HEAD with commas between, each with its kind before it "
                       "where it is not of --kind, such as 'encoder 2.3,cross 4.1', found '%s'",
                       *item);
    g_array_append_val(choice->list, head);
  }
  return choice->layer
             ? cli_usage(command, "--head %s names layers: it wants no --layer", choice->heads)
             : CLI_DONE;
}

/* --head H|mean|max|all, or a list. */
static CliStatus
parse_heads(const CliCommand *command, Attend *choice)
{
  if (strchr(choice->heads, '.'))
    return parse_list(command, choice);
  if (strcmp(choice->heads, "mean") == 0)
    choice->combine = REGARD_COMBINE_MEAN;
  else if (strcmp(choice->heads, "max") == 0)
    choice->combine = REGARD_COMBINE_MAX;
  else if (strcmp(choice->heads, "all") == 0)
    choice->all = TRUE;
  else if (g_ascii_string_to_signed(choice->heads, 10, 1, G_MAXINT, &choice->head, NULL))
    choice->combine = REGARD_COMBINE_HEAD;
  else
    return cli_usage(
        command,
        "--head wants a number from 1, mean, max, all or a list such as 4.1,5.5, found "
        "'%s'",
        choice->heads);
  return CLI_DONE;
}

/* A head of the list, by the model's numbers, against what there is of its kind: the first layer
 * and head, from 0, and so many. */
static CliStatus
check_listed(const CliCommand *command, const CliHead *head, gsize first_layer, gsize n_layers,
             gsize first_head, gsize n_heads, const char *what)
{
  if (n_layers && head->layer >= first_layer && head->layer < first_layer + n_layers &&
      head->head >= first_head && head->head < first_head + n_heads)
    return CLI_DONE;
  if (!n_layers)
    return cli_usage(command, "--head: there is no %s attention in this %s",
                     regard_kind_ids[head->kind], what);
  return cli_usage(command,
                   "--head wants %s heads of layers %zu to %zu and heads %zu to %zu, those of this "
                   "%s, found '%s %u.%u'",
                   regard_kind_ids[head->kind], first_layer + 1, first_layer + n_layers,
                   first_head + 1, first_head + n_heads, what, regard_kind_ids[head->kind],
                   head->layer + 1, head->head + 1);
}

/* What is marked of the capture that is drawn. */
static CliStatus
mark_list(Attend *self)
{
  const mt_capture *capture = self->capture;
  for (guint i = 0; i < self->list->len; i++) {
    const CliHead *head = &g_array_index(self->list, CliHead, i);
    const gsize n_layers = mt_capture_n_layers(capture, head->kind),
                n_heads = mt_capture_n_heads(capture, head->kind),
                first_layer = mt_capture_first_layer(capture, head->kind),
                first_head = mt_capture_first_head(capture, head->kind);
    const CliStatus status = check_listed(self->side.base.command, head, first_layer, n_layers,
                                          first_head, n_heads, "capture");
    if (status != CLI_DONE)
      return status;
    if (!self->chosen[head->kind])
      self->chosen[head->kind] = g_new0(guint8, n_layers * n_heads);
    self->chosen[head->kind][(head->layer - first_layer) * n_heads + head->head - first_head] = 1;
  }
  return CLI_DONE;
}

/* Layer and head against what there is; a layer that was not given becomes the last but one, where
 * cross-attention follows the words most closely. */
static CliStatus
check_place(const CliCommand *command, gsize n_layers, gsize n_heads, const char *what,
            Attend *choice)
{
  g_autofree char *layers = g_strdup_printf("layers of this %s", what);
  g_autofree char *heads = g_strdup_printf("heads of this %s", what);
  CliStatus status = cli_check_number(command, "layer", choice->layer, n_layers, layers);
  if (status == CLI_DONE)
    status = cli_check_number(command, "head", choice->head, n_heads, heads);
  if (!choice->layer && !choice->all)
    choice->layer = MAX((gint64) n_layers - 1, 1);
  return status;
}

static CliStatus
check_config(const CliCommand *command, const mt_config *config, Attend *choice)
{
  if (choice->kind == CLI_NO_CHOICE)
    choice->kind = MT_CROSS;
  for (guint i = 0; choice->list && i < choice->list->len; i++) {
    const CliHead *head = &g_array_index(choice->list, CliHead, i);
    const mt_stack of = regard_naming_rows(head->kind);
    const CliStatus status =
        check_listed(command, head, 0, config->n_layers[of], 0, config->n_heads[of], "model");
    if (status != CLI_DONE)
      return status;
  }
  if (choice->kind == ALL_KINDS || choice->list)
    return CLI_DONE;
  const mt_stack stack = regard_naming_rows((mt_attention_kind) choice->kind);
  return check_place(command, config->n_layers[stack], config->n_heads[stack], "model", choice);
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
           Attend *choice)
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
check_capture(const CliCommand *command, const mt_capture *capture, Attend *choice)
{
  static const mt_attention_kind order[] = {MT_CROSS, MT_ENCODER_SELF, MT_DECODER_SELF};
  if (choice->list)
    return mark_list(choice);
  for (guint i = 0; choice->kind == CLI_NO_CHOICE && i < G_N_ELEMENTS(order); i++)
    if (mt_capture_n_layers(capture, order[i]))
      choice->kind = order[i];
  if (choice->kind == ALL_KINDS)
    return CLI_DONE;
  gsize n_layers = mt_capture_n_layers(capture, (mt_attention_kind) choice->kind);
  if (!n_layers) {
    cli_complain(command, "%s: --kind %s wants attention that this capture does not have.",
                 mt_capture_file_name(capture), regard_kind_ids[choice->kind]);
    return CLI_FAILED;
  }
  const mt_attention_kind kind = (mt_attention_kind) choice->kind;
  if (mt_capture_is_part(capture, kind))
    return check_part(command, capture, kind, choice);
  return check_place(command, n_layers, mt_capture_n_heads(capture, kind), "capture", choice);
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
check_sum(const CliCommand *command, const Attend *choice)
{
  RegardSumAxis axis;
  if (choice->sum && !parse_sum_axis(choice->sum, &axis))
    return cli_usage(command,
                     "--sum wants keys: or queries: and tokens, such as keys:2,5-7 or "
                     "keys:animal,street, found '%s'",
                     choice->sum);
  return choice->sum && (choice->all || choice->list)
             ? cli_usage(command, "--sum is of one matrix: --head %s has many",
                         choice->all ? "all" : "with a list")
             : CLI_DONE;
}

/* The chosen rows or columns of the matrix, added up. NULL: reported. */
static RegardFigure *
draw_sum(Attend *self)
{
  RegardSumAxis axis = REGARD_SUM_KEYS;
  const char *tokens = parse_sum_axis(self->sum, &axis);
  g_autoptr(RegardMatrix) m = regard_matrix_new_attention(self->capture, &self->spec);
  const guint n = regard_sum_axis_length(m, axis);
  g_autofree guint8 *chosen = g_new0(guint8, n + 1);
  g_autofree char *missing = regard_sum_parse(m, axis, tokens, chosen);
  if (missing) {
    self->side.base.status =
        cli_usage(self->side.base.command, "--sum: there is no %s '%s'; the picture has %u, from 1",
                  axis == REGARD_SUM_KEYS ? "key" : "query", missing, n);
    return NULL;
  }
  g_autoptr(RegardMatrix) sum = regard_matrix_new_sum(m, axis, chosen);
  return sum ? regard_figure_new_matrix(sum, &self->side.base.picture.style) : NULL;
}

static RegardFigure *
draw(gpointer user, mt_error *error)
{
  Attend *self = user;
  RegardMatrixSpec *spec = &self->spec;
  const gboolean is_all_kinds = self->kind == ALL_KINDS;
  const RegardScope scope = !self->all     ? REGARD_SCOPE_HEAD
                            : is_all_kinds ? REGARD_SCOPE_ALL
                            : self->layer  ? REGARD_SCOPE_LAYER
                                           : REGARD_SCOPE_KIND;
  if (self->list)
    return regard_figure_new_heads(self->capture, (const guint8 *const *) self->chosen, spec,
                                   &self->side.base.picture.style);
  spec->kind = MT_CROSS; /* of all kinds the figure asks for none */
  while (is_all_kinds && mt_capture_n_layers(self->capture, spec->kind) == 0)
    spec->kind = (spec->kind + 1) % MT_N_KINDS;
  if (!is_all_kinds)
    spec->kind = (mt_attention_kind) self->kind;
  spec->layer = self->layer ? (guint) self->layer - 1 : 0;
  spec->head = self->head ? (guint) self->head - 1 : 0;
  spec->combine = self->combine;
  return self->sum
             ? draw_sum(self)
             : regard_figure_new_grid(self->capture, scope, spec, &self->side.base.picture.style);
}

/* ---- What is drawn --------------------------------------------------------------------------- */

/* b - a; takes both. On aligned tokens where each has its own, and where another text cannot be
 * compared place by place. NULL: there is nothing to compare, which is reported. */
static mt_capture *
subtract(const Attend *self, mt_capture *a, mt_capture *b)
{
  const CliReferenceOptions *wanted = &self->side.options;
  mt_error error = {0};
  const gboolean aligned =
      wanted->each_own || (wanted->text && !mt_capture_check_alike(a, b, &error));
  mt_capture *difference =
      aligned ? mt_capture_difference_aligned(a, b, &error) : mt_capture_difference(a, b, &error);
  if (!difference)
    cli_complain(self->side.base.command, "%s: %s",
                 wanted->text ? "--reference-text" : "--reference", error.message);
  mt_capture_unref(a);
  mt_capture_unref(b);
  return difference;
}

/* A capture from a file, or the difference of two: no model is opened. */
static CliStatus
read_files(Attend *self)
{
  const CliCommand *command = self->side.base.command;
  const char *reference = self->side.options.interventions;
  self->capture = cli_capture_read(command, self->file);
  if (self->capture && reference) {
    mt_capture *a = cli_capture_read(command, reference);
    if (a)
      self->capture = subtract(self, a, self->capture);
    else
      g_clear_pointer(&self->capture, mt_capture_unref);
  }
  return self->capture ? check_capture(command, self->capture, self) : CLI_FAILED;
}

/* Of which a list is: one kind, and perhaps one layer of it; -1: several. */
static mt_capture_place
place_of_list(const GArray *list)
{
  const CliHead *first = &g_array_index(list, CliHead, 0);
  mt_capture_place place = {(int) first->kind, (int) first->layer, -1};
  for (guint i = 1; i < list->len; i++) {
    const CliHead *head = &g_array_index(list, CliHead, i);
    if (head->kind != first->kind)
      place.kind = -1;
    if (head->layer != first->layer)
      place.layer = -1;
  }
  if (place.kind < 0)
    place.layer = -1;
  return place;
}

static CliStatus
capture_text(Attend *self, mt_error *error)
{
  CliAnalysis *base = &self->side.base;
  g_autoptr(mt_translation) translation =
      cli_engine_translate(base->command, &base->engine, base->text, base->target, error);
  if (!translation)
    return CLI_FAILED;
  cli_engine_remark(base->command, "", translation);
  /* All heads of the layer, for what several say together. */
  const mt_capture_place place =
      self->list ? place_of_list(self->list)
                 : (mt_capture_place){self->kind == ALL_KINDS ? -1 : (int) self->kind,
                                      (int) self->layer - 1, (int) self->head - 1};
  self->capture =
      cli_engine_capture(base->command, &base->engine, &base->options, translation,
                         place.kind < 0 ? NULL : &place, cli_engine_capture_flags(&base->options),
                         self->layer  ? NULL
                         : self->list ? "Heads of one layer take less."
                                      : "--layer makes it less.",
                         error);
  if (!self->capture)
    return CLI_FAILED;
  if (self->list)
    return mark_list(self);
  /* It counts its own layers and heads. */
  self->layer = self->layer ? 1 : 0;
  self->head = self->head ? 1 : 0;
  return CLI_DONE;
}

/* What B says when it is given the words of A, piece by piece, for another text. NULL: *error. */
static mt_translation *
force(const CliEngine *b, const char *text, const mt_translation *of_a, mt_error *error)
{
  const mt_tokens *words = mt_translation_hypothesis(of_a, 0)->tokens;
  const gsize n = mt_tokens_count(words);
  g_autofree int32_t *ids = g_new(int32_t, MAX(n, 1));
  mt_tokens_copy_ids(words, n, ids);
  g_autoptr(mt_constraints) all = mt_constraints_new(ids, n, NULL, 0, error);
  if (!all)
    return NULL;
  mt_search_params params = b->params;
  params.constraints = all;
  params.beam_size = params.n_best = 1;
  params.min_length = 0;
  return mt_session_translate(b->session, text, &params, &b->hooks, error);
}

/* What B attends to more or less than A: for A's words, or for its own. */
static CliStatus
capture_difference(Attend *self, mt_error *error)
{
  CliAnalysis *base = &self->side.base;
  const CliReferenceOptions *wanted = &self->side.options;
  mt_capture *a, *b;
  g_autoptr(mt_translation) of_b = NULL;
  g_autoptr(mt_translation) of_a =
      cli_reference_translate(&self->side, wanted->text ? wanted->text : base->text, error);
  if (of_a)
    of_b = wanted->each_own
               ? cli_engine_translate(base->command, &base->engine, base->text, NULL, error)
           : wanted->text ? force(&base->engine, base->text, of_a, error)
                          : mt_translation_ref(of_a);
  if (of_b) {
    cli_engine_remark(base->command, "", of_a);
    if (of_b != of_a)
      cli_engine_remark(base->command, "", of_b);
    if (cli_reference_capture(&self->side, of_a, of_b, &a, &b))
      self->capture = subtract(self, a, b);
  }
  if (!self->capture)
    return CLI_FAILED;
  return self->list ? mark_list(self) : CLI_DONE;
}

/* ---- The command ----------------------------------------------------------------------------- */

static CliStatus
attend_check(gpointer user)
{
  Attend *self = user;
  CliAnalysis *base = &self->side.base;
  const CliCommand *command = base->command;
  const CliEngineOptions *b = &base->options;
  const CliReferenceOptions *a = &self->side.options;
  if (self->file && (base->arguments->len || base->target || b->model || b->from || b->to ||
                     b->precision || b->caches || b->capture_precision || b->as_searched ||
                     b->interventions || b->changes_file || a->model || a->precision || a->text))
    return cli_usage(command, "--capture wants no TEXT, --target, --model, --from, --to, change or "
                              "precision beside it");
  if (!self->file && cli_options_check_text(command, base->arguments) != CLI_DONE)
    return CLI_USAGE;
  if (a->each_own && !cli_reference_is_wanted(a))
    return cli_usage(command, "--each-own wants a reference: --reference, --reference-text, "
                              "--reference-model or --reference-precision");
  if (a->each_own && base->target)
    return cli_usage(command, "--each-own wants no --target: B has its own translation");
  self->spec.label_by = (RegardLabelBy) self->label;
  base->needs_no_model = self->file != NULL;
  base->picture.figure = CLI_FIGURE_ATTENTION;
  const CliStatus status = parse_heads(command, self);
  if (status == CLI_DONE && self->kind == ALL_KINDS && !self->list && (!self->all || self->layer))
    return cli_usage(command, "--kind all wants --head all, and no --layer");
  return status == CLI_DONE ? check_sum(command, self) : status;
}

static CliStatus
attend_check_model(gpointer user)
{
  Attend *self = user;
  const CliStatus status =
      check_config(self->side.base.command, mt_model_config(self->side.base.engine.model), self);
  return status == CLI_DONE && cli_reference_is_wanted(&self->side.options)
             ? cli_reference_open(&self->side)
             : status;
}

static CliStatus
attend_compute(gpointer user, mt_error *error)
{
  Attend *self = user;
  return self->file                                     ? read_files(self)
         : cli_reference_is_wanted(&self->side.options) ? capture_difference(self, error)
                                                        : capture_text(self, error);
}

static void
attend_clear(gpointer user)
{
  Attend *self = user;
  g_clear_pointer(&self->capture, mt_capture_unref);
  g_clear_pointer(&self->list, g_array_unref);
  for (guint k = 0; k < MT_N_KINDS; k++)
    g_clear_pointer(&self->chosen[k], g_free);
  cli_reference_clear(&self->side);
}

static const CliAnalysisSteps attend_steps = {
    .check = attend_check,
    .writes = CLI_WRITES_PICTURE,
    .check_model = attend_check_model,
    .compute = attend_compute,
    .draw = draw,
    .clear = attend_clear,
};

const CliCommand cli_attend = {
    .name = "attend",
    .summary = "Write the attention of a translation as a picture or a table",
    .arguments = "-o FILE (TEXT | --capture FILE.npz)",
    .details =
        "Translates TEXT and writes one attention matrix: rows are queries, columns are keys.\n"
        "With --head all it writes all heads of the layer, or of every layer if no --layer is\n"
        "given, and with --kind all those of the encoder, the decoder and between them. With\n"
        "--head 4.1,5.5 it writes these heads, of any layers, and with 'encoder 2.3,cross 4.1' of\n"
        "any kinds; as .csv, one table with a line for each cell: kind, layer, head, query_index,\n"
        "query, key_index, key, weight, where tokens count from 0.\n"
        "Layers and heads count from 1, as in the window. As .html they become one page for a\n"
        "browser, in which heads are chosen and cells pointed at; it asks no network.\n"
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
        "No more is computed than is drawn, but for a difference, whose colours are those of all\n"
        "heads: one layer of a long text takes little memory.\n"
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
    CLI_ANALYSIS(attend_options, attend_defaults, attend_steps),
};
