/* cli-capture.c — regard-cli capture, trace and means: attention, tensors and means as NumPy
 * arrays.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-analysis.h"
#include "cli/cli-lines.h"
#include "export/regard-capture-meta.h"
#include "figures/regard-naming.h"

#include <string.h>

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
    CLI_OPTIONS(cli_options_texts),
    CLI_OPTIONS(cli_options_target),
    {CLI_OPTION_CHOICE, "kind", 0, AT(kind), "KIND", "One kind of attention; default all", 0, 0,
     regard_kind_ids},
    {CLI_OPTION_WHOLE, "layer", 0, AT(layer), "L", "One layer, from 1; default all", 1, G_MAXINT},
    {CLI_OPTION_WHOLE, "head", 0, AT(head), "H", "One head, from 1; default all", 1, G_MAXINT},
    CLI_OPTIONS(cli_options_translation),
    CLI_OPTIONS(cli_options_precision),
    CLI_OPTIONS(cli_options_capture_precision),
    CLI_OPTIONS(cli_options_said_memory),
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
    const mt_stack stack = regard_naming_rows(k);
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

static CliStatus
compute(gpointer user, mt_error *error)
{
  Capture *self = user;
  CliEngine *engine = &self->base.engine;
  const mt_translation *translation = self->base.translation;
  const unsigned flags = MT_CAPTURE_SCORES | cli_engine_capture_flags(&self->base.options);
  const mt_capture_place place = {self->kind == CLI_NO_CHOICE ? -1 : (int) self->kind,
                                  (int) self->layer - 1, (int) self->head - 1};
  const gboolean is_part = place.kind >= 0 || place.layer >= 0 || place.head >= 0;
  g_autoptr(mt_capture) capture =
      cli_engine_capture(self->base.command, engine, &self->base.options, translation,
                         is_part ? &place : NULL, flags, "--kind, --layer and --head make it less.",
                         error);
  if (!capture)
    return CLI_FAILED;
  g_autofree char *meta =
      regard_capture_meta("regard-cli " MT_VERSION, engine->model, translation, 0,
                          self->base.target ? NULL : &engine->params, mt_capture_precision(capture),
                          mt_capture_interventions(capture));
  const bool done = mt_capture_write_npz(capture, self->base.picture.output, meta, error);
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
        "what of it is unknown, languages, translation, precisions, changes, search settings.\n"
        "L layers, H heads, S source tokens, T target tokens, d dimensions of the model.\n"
        "\n"
        "With --kind, --layer or --head it computes and writes these matrices alone, and no\n"
        "positions; the numbers of the first layer and head of each kind are in encoder_first,\n"
        "decoder_first and cross_first. attend --capture draws such a file, inspect says what it\n"
        "has.\n"
        "\n"
        "With --target the search settings (--beam, --min-length, --max-length) do nothing.\n"
        "\n"
        "--precision is for the search: attention is computed with the weights as stored, unless\n"
        "--capture-precision same asks for rounded ones.\n",
    CLI_ANALYSIS(options, defaults, steps),
};

/* ==== regard-cli trace: what one pass computed, tensor by tensor ============================== */

/* More is refused: a name, a layer or a head makes it less. */
#define MOST_BYTES ((gsize) 2 << 30)

typedef struct {
  CliAnalysis base;
  GPtrArray *hook_points;          /* names; NULL: all but the logits */
  guint kind;                      /* CLI_NO_CHOICE: all */
  gint64 layer, head;              /* from 1; 0: all */
  gint64 token;                    /* from 1; 0: all rows */
  mt_activation_requests requests; /* that say so */
} Trace;

#define TRACE_AT(member) offsetof(Trace, member)
static const Trace trace_defaults = {.base = CLI_ANALYSIS_INIT, .kind = CLI_NO_CHOICE};
static const CliOption trace_options[] = {
    CLI_OPTIONS(cli_options_model),
    CLI_OPTIONS(cli_options_output_npz),
    {CLI_OPTION_LIST, "site", 0, TRACE_AT(hook_points), "SITE",
     "A site of those below; repeatable; default: all but logits"},
    {CLI_OPTION_CHOICE, "kind", 0, TRACE_AT(kind), "KIND", "Of one attention, or its stack", 0, 0,
     regard_kind_ids},
    {CLI_OPTION_WHOLE, "layer", 0, TRACE_AT(layer), "L", "Of one layer, from 1", 1, 10000},
    {CLI_OPTION_WHOLE, "head", 0, TRACE_AT(head), "H", "Of one head, from 1", 1, 10000},
    {CLI_OPTION_WHOLE, "token", 0, TRACE_AT(token), "N", "Only the row of this token, from 1", 1,
     100000},
    CLI_OPTIONS(cli_options_texts),
    CLI_OPTIONS(cli_options_target),
    CLI_OPTIONS(cli_options_translation),
    CLI_OPTIONS_END,
};

/* The place of a name in the list of hook points; MT_N_HOOK_POINTS: there is none. */
static mt_hook_point
hook_point_from_name(const char *name)
{
  int hook_point = 0;
  while (hook_point < MT_N_HOOK_POINTS &&
         !g_str_equal(mt_hook_point_name((mt_hook_point) hook_point), name))
    hook_point++;
  return (mt_hook_point) hook_point;
}

static CliStatus
trace_check_model(gpointer user)
{
  Trace *self = user;
  const CliCommand *command = self->base.command;
  const mt_config *config = mt_model_config(self->base.engine.model);
  mt_activation_requests *requests = &self->requests;
  const gsize layers = MAX(config->n_layers[0], config->n_layers[1]);
  const gsize heads = MAX(config->n_heads[0], config->n_heads[1]);
  if (self->layer > (gint64) layers)
    return cli_usage(command, "--layer wants 1 to %" G_GSIZE_FORMAT ", found %" G_GINT64_FORMAT,
                     layers, self->layer);
  if (self->head > (gint64) heads)
    return cli_usage(command, "--head wants 1 to %" G_GSIZE_FORMAT ", found %" G_GINT64_FORMAT,
                     heads, self->head);
  const mt_activation_request places = {
      .kinds = self->kind == CLI_NO_CHOICE ? MT_ALL_KINDS : MT_KIND_BIT(self->kind),
      .layers = self->layer ? UINT64_C(1) << MIN(self->layer - 1, 63) : MT_ALL_LAYERS,
      .heads = self->head ? UINT64_C(1) << MIN(self->head - 1, 63) : MT_ALL_HEADS,
  };
  for (guint i = 0; self->hook_points && i < self->hook_points->len; i++) {
    const char *name = self->hook_points->pdata[i];
    mt_activation_request request = places;
    request.hook_point = hook_point_from_name(name);
    if (request.hook_point == MT_N_HOOK_POINTS)
      return cli_usage(command, "--site wants one of the names below --help, found '%s'", name);
    if (requests->n < MT_MAX_ACTIVATION_REQUESTS)
      requests->requests[requests->n++] = request;
  }
  for (int hook_point = 0; !self->hook_points && hook_point < MT_N_HOOK_POINTS; hook_point++)
    if (hook_point != MT_HOOK_LOGITS) {
      requests->requests[requests->n] = places;
      requests->requests[requests->n++].hook_point = (mt_hook_point) hook_point;
    }
  return CLI_DONE;
}

/* ---- The archive ------------------------------------------------------------------------------
 */

typedef struct {
  GArray *arrays;   /* mt_npz_array */
  GPtrArray *owned; /* names, lists of strings */
} Archive;

static gpointer
own(Archive *archive, gpointer memory)
{
  g_ptr_array_add(archive->owned, memory);
  return memory;
}

/* "cross.4.1.query", "encoder.2.hidden", "decoder.logits". */
static char *
name_tensor(const mt_trace_tensor *t)
{
  GString *name = g_string_new(regard_kind_id(t->kind));
  if (t->layer >= 0)
    g_string_append_printf(name, ".%d", t->layer + 1);
  if (t->head >= 0)
    g_string_append_printf(name, ".%d", t->head + 1);
  g_string_append_printf(name, ".%s", mt_hook_point_name(t->hook_point));
  return g_string_free(name, FALSE);
}

/* All rows, or the one of a token; where there is no such row, nothing. */
static void
add_tensor(Archive *archive, const mt_trace_tensor *t, gsize token)
{
  if (token > t->values.rows)
    return;
  mt_npz_array array = {.name = own(archive, name_tensor(t)),
                        .n_dims = 2,
                        .shape = {token ? 1 : t->values.rows, t->values.cols},
                        .f32 = t->values.data + (token ? (token - 1) * t->values.cols : 0)};
  g_array_append_val(archive->arrays, array);
}

static void
add_tokens(Archive *archive, const char *name, const mt_tokens *tokens)
{
  const gsize n = mt_tokens_count(tokens);
  const char **pieces = own(archive, g_new0(const char *, MAX(n, 1)));
  for (gsize i = 0; i < n; i++)
    pieces[i] = mt_tokens_get(tokens, i)->piece;
  mt_npz_array array = {.name = name, .n_dims = 1, .shape = {n}, .strings = pieces};
  g_array_append_val(archive->arrays, array);
}

static gboolean
write_trace(const mt_trace *trace, gsize token, const char *path,
            const mt_interventions *interventions, const char *meta, mt_error *error)
{
  Archive archive = {g_array_new(FALSE, TRUE, sizeof(mt_npz_array)),
                     g_ptr_array_new_with_free_func(g_free)};
  for (gsize i = 0; i < mt_trace_count(trace); i++) {
    mt_trace_tensor t = mt_trace_at(trace, i);
    add_tensor(&archive, &t, token);
  }
  add_tokens(&archive, "source_tokens", mt_trace_source(trace));
  add_tokens(&archive, "decoder_input_tokens", mt_trace_decoder_input(trace));
  add_tokens(&archive, "output_tokens", mt_trace_output(trace));
  const char *lines = mt_interventions_text(interventions);
  mt_npz_array changed = {.name = "interventions", .strings = &lines};
  if (mt_interventions_count(interventions) > 0)
    g_array_append_val(archive.arrays, changed);
  mt_npz_array told = {.name = "meta", .strings = &meta};
  g_array_append_val(archive.arrays, told);
  gboolean ok = mt_npz_write(path, (const mt_npz_array *) (void *) archive.arrays->data,
                             archive.arrays->len, error);
  g_array_unref(archive.arrays);
  g_ptr_array_unref(archive.owned);
  return ok;
}

/* ---- The command ----------------------------------------------------------------------------- */

static CliStatus
trace_compute(gpointer user, mt_error *error)
{
  Trace *self = user;
  const CliEngine *engine = &self->base.engine;
  const mt_translation *translation = self->base.translation;
  const gsize n_source = mt_tokens_count(mt_translation_source(translation)),
              n_target = mt_tokens_count(mt_translation_hypothesis(translation, 0)->tokens),
              rows = MAX(n_target, n_source),
              bytes = mt_trace_bytes(engine->model, n_source, n_target, &self->requests);
  g_autofree char *size = g_format_size(bytes), *most = g_format_size(MOST_BYTES);
  if (self->token > (gint64) rows) {
    cli_complain(self->base.command,
                 "--token wants 1 to %" G_GSIZE_FORMAT
                 ", the tokens of this text, found %" G_GINT64_FORMAT,
                 rows, self->token);
    return CLI_FAILED;
  }
  if (bytes > MOST_BYTES) {
    cli_complain(self->base.command,
                 "The trace would take %s; at most %s are written. --site, --kind, --layer and "
                 "--head make it less.",
                 size, most);
    return CLI_FAILED;
  }
  mt_hooks hooks = engine->hooks;
  hooks.requests = &self->requests;
  g_autoptr(mt_trace) trace = mt_trace_new(engine->model, translation, 0, &hooks, error);
  if (!trace)
    return CLI_FAILED;
  g_autofree char *meta = regard_capture_meta("regard-cli " MT_VERSION, engine->model, translation,
                                              0, self->base.target ? NULL : &engine->params,
                                              MT_PRECISION_STORED, hooks.interventions);
  const char *output = self->base.picture.output;
  const gboolean ok =
      write_trace(trace, (gsize) self->token, output, hooks.interventions, meta, error);
  if (ok)
    cli_complain(self->base.command, "%s: %" G_GSIZE_FORMAT " tensors, %s",
                 self->base.picture.passing ? "-" : output, mt_trace_count(trace), size);
  return ok ? CLI_DONE : CLI_FAILED;
}

static const CliAnalysisSteps trace_steps = {
    .takes = CLI_TAKES_TEXT,
    .writes = CLI_WRITES_ARRAYS,
    .check_model = trace_check_model,
    .translates = TRUE,
    .compute = trace_compute,
};

const CliCommand cli_trace = {
    .name = "trace",
    .summary = "Write what a pass computes, tensor by tensor, as NumPy arrays",
    .arguments = "-o FILE.npz TEXT",
    .details =
        "Translates TEXT, runs the translation through the model once more, and writes an\n"
        "archive for numpy.load: an array for each tensor, named by kind, layer, head and site,\n"
        "counted from 1: cross.4.1.query, encoder.2.hidden, decoder.logits; a row is a token of\n"
        "source_tokens (encoder, and keys and values of cross) or of decoder_input_tokens. And\n"
        "output_tokens, interventions, meta as of capture. With --token arrays have that one\n"
        "row; those without it are left out. What the trace takes is said, and refused beyond\n"
        "2 GB.\n"
        "\n"
        "Sites, in the order of computation, d the width of the model, d_head of a head:\n"
        "  embedding, position (d)        what is added up to be the stream\n"
        "  stream (d)                     as the first layer finds it\n"
        "  query, key, value (d_head)     per head; not divided, as scores may be\n"
        "  score_bias (keys)              per head; only of models with relative positions\n"
        "  scores, weights (keys)         per head, before and after the softmax\n"
        "  context (d_head)               per head: weights times values\n"
        "  attention_output (d)           after the output projection\n"
        "  norm_input (d)                 what the sub-layer's norm reads\n"
        "  residual (d)                   the stream after an attention sub-layer\n"
        "  gate (d_ffn)                   only of gated networks: what hidden is multiplied with\n"
        "  hidden (d_ffn)                 feed-forward network, after the non-linearity\n"
        "  feed_forward (d)               its output\n"
        "  feed_forward_norm_input (d)    what its norm reads\n"
        "  layer_output (d)               the stream after a layer\n"
        "  stack_output (d)               what encoder or decoder hands on\n"
        "  logits (vocabulary)            before the softmax; only if asked for\n",
    CLI_ANALYSIS(trace_options, trace_defaults, trace_steps),
};

/* ==== regard-cli means: what each head finds in the mean over a file ========================== */

typedef struct {
  CliAnalysis base;
  mt_means_sum *sum;
} Means;

static const Means means_defaults = {.base = CLI_ANALYSIS_INIT};
static const CliOption means_options[] = {
    CLI_OPTIONS(cli_options_model),
    CLI_OPTIONS(cli_options_output_npz),
    CLI_OPTIONS(cli_options_search),
    CLI_OPTIONS(cli_options_threads),
    CLI_OPTIONS_END,
};

static CliLineResult
add_line(const CliLine *line, gpointer user)
{
  Means *self = user;
  CliEngine *engine = &self->base.engine;
  mt_error error = {0};
  if (line->blank)
    return CLI_LINE_DONE;
  g_autoptr(mt_translation) translation =
      line->text ? cli_engine_translate(self->base.command, engine, line->text, NULL, &error)
                 : NULL;
  const gboolean done =
      translation && mt_means_sum_add(self->sum, translation, 0, &engine->hooks, &error);
  if (!done)
    cli_complain(self->base.command, "%s:%" G_GUINT64_FORMAT ": %s", line->file, line->number,
                 line->text ? error.message : line->error);
  return done ? CLI_LINE_DONE : CLI_LINE_FAILED;
}

static CliStatus
means_compute(gpointer user, mt_error *error)
{
  Means *self = user;
  self->sum = mt_means_sum_new(self->base.engine.session, error);
  if (!self->sum)
    return CLI_FAILED;
  self->base.status =
      cli_lines_foreach(self->base.command, self->base.arguments, FALSE, add_line, NULL, self);
  g_autofree char *name = g_path_get_basename(self->base.text);
  g_autoptr(mt_means) means = mt_means_sum_finish(self->sum, name, error);
  CliStatus status = CLI_FAILED;
  if (means && mt_means_write(means, self->base.picture.output, error)) {
    GString *said = g_string_new(NULL);
    g_string_append_printf(said,
                           "means of %zu sentences, %zu source tokens and %zu of translations\n",
                           means->n_sentences, means->n_tokens[MT_STACK_ENCODER],
                           means->n_tokens[MT_STACK_DECODER]);
    /* Beside an archive there, which would have it in its middle. */
    if (self->base.picture.passing) {
      cli_complain(self->base.command, "%.*s", (int) said->len - 1, said->str);
      g_string_free(said, TRUE);
      status = CLI_DONE;
    } else
      status = cli_print(self->base.command, said);
  }
  return status;
}

static void
clear(gpointer self)
{
  mt_means_sum_free(((Means *) self)->sum);
}

static const CliAnalysisSteps means_steps = {
    .takes = CLI_TAKES_FILE,
    .writes = CLI_WRITES_ARRAYS,
    .compute = means_compute,
    .clear = clear,
};

const CliCommand cli_means = {
    .name = "means",
    .summary = "Write what each head finds in the mean over a text, for the change 'mean'",
    .arguments = "-o FILE.npz FILE",
    .details =
        "Translates the lines of FILE ('-': standard input) and takes for every head of every\n"
        "layer the mean of its context over all tokens, the translations given to the model as\n"
        "they are (teacher forcing). Changes such as 'cross 4.1 mean' want that file: --means.\n"
        "\n"
        "The archive holds encoder, decoder and cross, layers by heads by dimensions of a head;\n"
        "counts: sentences, source tokens, tokens of translations; text, the name of FILE; model\n"
        "and fingerprint, by which another model refuses it. A line that cannot be translated is\n"
        "told and left out.\n",
    CLI_ANALYSIS(means_options, means_defaults, means_steps),
};
