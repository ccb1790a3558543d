/* cli-compare.c — regard-cli compare: what is other in B than in A, and which heads moved.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-json.h"
#include "cli/cli-reference.h"
#include "figures/regard-effects.h"

#include <math.h>

/* Heads that are listed where nobody says how many. */
#define LISTED 20

typedef struct {
  mt_attention_kind kind;
  guint layer, head;
  double bits;
} Row;

/* The farthest first; where two are the same, as they stand in the model. */
static gint
compare_rows(gconstpointer a, gconstpointer b)
{
  const Row *x = a, *y = b;
  if (x->bits != y->bits)
    return x->bits < y->bits ? 1 : -1;
  if (x->kind != y->kind)
    return x->kind < y->kind ? -1 : 1;
  return x->layer != y->layer ? (x->layer < y->layer ? -1 : 1) : (x->head < y->head ? -1 : 1);
}

static GArray *
sorted(const mt_capture *a, const mt_capture *b)
{
  GArray *rows = g_array_new(FALSE, FALSE, sizeof(Row));
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    for (guint l = 0; l < mt_capture_n_layers(a, kind); l++)
      for (guint h = 0; h < mt_capture_n_heads(a, kind); h++) {
        const Row row = {kind, l, h, mt_capture_divergence(a, b, kind, l, h)};
        g_array_append_val(rows, row);
      }
  g_array_sort(rows, compare_rows);
  return rows;
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
    const Row *row = &g_array_index(rows, Row, i);
    g_autofree char *name = regard_effects_head_name(row->kind, row->layer, row->head);
    json_object *head = json_object_new_object();
    json_object_object_add(head, "head", cli_json_text(name));
    json_object_object_add(head, "bits", cli_json_float((float) row->bits));
    json_object_array_add(heads, head);
  }
  json_object_object_add(object, "heads", heads);
  return cli_json_put(command, object, FALSE) ? CLI_DONE : CLI_FAILED;
}

static CliStatus
print_list(const CliCommand *command, const Both *both, const GArray *rows, guint top)
{
  g_autoptr(GString) out = g_string_new(NULL);
  const double a = sum_logprobs(both->of_a), b = sum_logprobs(both->of_b);
  const guint n = MIN(top, rows->len);
  g_string_append_printf(out, "A  %s\nB  %s\n", both->a, both->b);
  g_string_append_printf(out, "log p of A's words: %.4f nats in A, %.4f in B, %+.4f\n", a, b,
                         b - a);
  g_string_append(out, "\n  moved  head\n");
  for (guint i = 0; i < n; i++) {
    const Row *row = &g_array_index(rows, Row, i);
    g_autofree char *name = regard_effects_head_name(row->kind, row->layer, row->head);
    g_string_append_printf(out, "%7.4f  %s\n", row->bits, name);
  }
  if (n < rows->len)
    g_string_append_printf(out, "and %u other heads\n", rows->len - n);
  return cli_put(command, out->str, out->len) ? CLI_DONE : CLI_FAILED;
}

static CliStatus
compare(const CliCommand *command, CliEngine *engine, CliReference *reference, const char *text,
        const char *target, unsigned flags, guint top, gboolean json)
{
  mt_error error = {0};
  CliStatus status = CLI_FAILED;
  Both both = {0};
  mt_capture *a = NULL, *b = NULL;
  mt_translation *of_a = cli_reference_translate(command, reference, text, target, &error);
  mt_translation *of_b = of_a ? cli_engine_translate(command, engine, text, NULL, &error) : NULL;
  if (!of_b)
    cli_complain(command, "%s", error.message);
  else if (cli_reference_capture(command, reference, engine, of_a, flags, &a, &b)) {
    both = (Both){mt_translation_hypothesis(of_a, 0)->text,
                  mt_translation_hypothesis(of_b, 0)->text, a, b};
    if (!mt_capture_check_alike(a, b, &error))
      cli_complain(command, "A and B: %s", error.message);
    else {
      g_autoptr(GArray) rows = sorted(a, b);
      status = json ? put_json(command, &both, rows) : print_list(command, &both, rows, top);
    }
  }
  mt_capture_unref(a);
  mt_capture_unref(b);
  mt_translation_unref(of_a);
  mt_translation_unref(of_b);
  return status;
}

static CliStatus
run(const CliCommand *command, int argc, char **argv)
{
  g_autoptr(GPtrArray) changes = g_ptr_array_new(), forbid = g_ptr_array_new(),
                       force = g_ptr_array_new();
  CliEngineOptions engine_options = {.changes = changes, .forbid = forbid, .force = force};
  CliReferenceOptions reference_options = {0};
  gint64 top = 0;
  gboolean json = FALSE;
  const char *target = NULL;
  const CliOption options[] = {
      CLI_ENGINE_OPTIONS_MODEL(engine_options),
      CLI_REFERENCE_OPTIONS(reference_options),
      {CLI_OPTION_TEXT, "target", 0, &target, "TEXT",
       "Take TEXT as A's translation instead of searching for one"},
      {CLI_OPTION_WHOLE, "top", 0, &top, "K", "List so many heads; default 20", 1, 100000},
      {CLI_OPTION_FLAG, "json", 0, &json, NULL, "Print a JSON object, with all heads"},
      CLI_ENGINE_OPTIONS_SEARCH(engine_options, FALSE),
      CLI_ENGINE_OPTIONS_CONSTRAINTS(engine_options),
      CLI_ENGINE_OPTIONS_RUN(engine_options),
      CLI_ENGINE_OPTION_PRECISION(engine_options),
      CLI_ENGINE_OPTION_CAPTURE_PRECISION(engine_options),
      CLI_OPTIONS_END,
  };
  g_auto(CliEngine) engine = {0};
  g_auto(CliReference) reference = {0};
  CliStatus status;
  const char *text = cli_options_parse_text(command, options, argc, argv, &status);
  if (!text)
    return status;
  if (!changes->len && !engine_options.changes_file && !engine_options.precision &&
      !cli_reference_is_wanted(&reference_options))
    return cli_usage(command, "A and B are the same: give a --change or --precision of B, or "
                              "--reference, --reference-model or --reference-precision of A");
  if ((status = cli_engine_open(command, &engine_options, &engine)) != CLI_DONE ||
      (status = cli_reference_open(command, &reference_options, &engine_options, &engine,
                                   &reference)) != CLI_DONE)
    return status;
  return compare(command, &engine, &reference, text, target,
                 cli_engine_capture_flags(&engine_options), top ? (guint) top : LISTED, json);
}

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
    .run = run,
};
