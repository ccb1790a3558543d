/* cli-compare.c — regard-cli compare: what is other in B than in A, and which heads moved.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-compare.h"

#include "cli/cli-json.h"
#include "figures/regard-effects.h"

#include <math.h>
#include <string.h>

/* Heads that are listed where nobody says how many. */
#define LISTED 20

/* ---- The reference --------------------------------------------------------------------------- */

const CliOption cli_options_reference[] = {
    {CLI_OPTION_TEXT, "reference", 0, offsetof(CliReferenced, options.changes), "CHANGE",
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

gboolean
cli_reference_is_wanted(const CliReferenceOptions *options)
{
  return options->changes || options->model || options->precision || options->text;
}

static CliStatus
parse_changes(CliReferenced *self)
{
  mt_error error = {0};
  CliReference *reference = &self->reference;
  const char *changes = self->options.changes;
  const char *text = changes && strcmp(changes, "none") != 0 ? changes : "";
  reference->changes = mt_changes_parse("--reference", text, &error);
  if (reference->changes &&
      mt_changes_check(reference->changes, mt_model_config(reference->engine->model), &error))
    return CLI_DONE;
  return cli_usage(self->base.command, "%s", error.message);
}

CliStatus
cli_reference_open(CliReferenced *self)
{
  CliReference *reference = &self->reference;
  CliStatus status = CLI_DONE;
  reference->engine = &self->base.engine;
  if (self->options.model || self->options.precision) {
    CliEngineOptions own = self->base.options;
    own.changes = NULL;
    own.changes_file = own.means = own.patch_from = NULL;
    if (self->options.model)
      own.model = self->options.model;
    own.precision = self->options.precision;
    reference->has_own = TRUE;
    reference->engine = &reference->own;
    status = cli_engine_open(self->base.command, &own, &reference->own);
  }
  return status == CLI_DONE ? parse_changes(self) : status;
}

void
cli_reference_clear(CliReferenced *self)
{
  if (self->reference.has_own)
    cli_engine_clear(&self->reference.own);
  mt_changes_unref(self->reference.changes);
  self->reference = (CliReference){0};
}

mt_translation *
cli_reference_translate(CliReferenced *self, const char *text, mt_error *error)
{
  CliEngine *engine = self->reference.engine;
  const mt_changes *own = engine->hooks.changes;
  engine->hooks.changes = self->reference.changes;
  mt_translation *translation =
      cli_engine_translate(self->base.command, engine, text, self->base.target, error);
  engine->hooks.changes = own;
  return translation;
}

static mt_capture *
capture(const CliCommand *command, CliEngine *engine, const mt_changes *changes,
        const mt_translation *translation, unsigned flags)
{
  mt_error error = {0};
  mt_hooks hooks = engine->hooks;
  hooks.changes = changes;
  mt_capture *result = mt_session_capture(engine->session, translation, 0, flags, &hooks, &error);
  if (!result)
    cli_failed(command, &error);
  return result;
}

gboolean
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
  *of_a =
      capture(self->base.command, reference->engine, reference->changes, translation_a, flags_a);
  *of_b = *of_a ? capture(self->base.command, b, b->hooks.changes, translation_b, flags) : NULL;
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
  json_object_object_add(object, "a", cli_json_text(both->a));
  json_object_object_add(object, "b", cli_json_text(both->b));
  json_object_object_add(object, "logprob_a", cli_json_float((float) sum_logprobs(both->of_a)));
  json_object_object_add(object, "logprob_b", cli_json_float((float) sum_logprobs(both->of_b)));
  for (guint i = 0; i < rows->len; i++) {
    const CliHead *row = &g_array_index(rows, CliHead, i);
    g_autofree char *name = regard_effects_head_name(row->kind, row->layer, row->head);
    json_object *head = json_object_new_object();
    json_object_object_add(head, "head", cli_json_text(name));
    json_object_object_add(head, "bits", cli_json_float((float) row->value));
    json_object_array_add(heads, head);
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
    g_autofree char *name = regard_effects_head_name(row->kind, row->layer, row->head);
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
    CLI_OPTIONS_END,
};

static CliStatus
check(gpointer user)
{
  const CliReferenced *self = user;
  const CliEngineOptions *b = &self->base.options;
  if (!b->changes && !b->changes_file && !b->precision && !cli_reference_is_wanted(&self->options))
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
  mt_capture *a = NULL, *b = NULL;
  mt_translation *of_a = cli_reference_translate(&self->side, base->text, error);
  mt_translation *of_b =
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
  mt_capture_unref(a);
  mt_capture_unref(b);
  mt_translation_unref(of_a);
  mt_translation_unref(of_b);
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
