/* cli-patch.c — regard-cli patch: where a word is decided, by states copied from another run.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-engine.h"
#include "cli/cli-picture.h"
#include "cli/cli-stop.h"
#include "figures/regard-patching.h"

#include <string.h>

/* Places that are listed where nobody says how many. */
#define LISTED 20

typedef struct {
  const char *reference, *target;
  gint64 token, top; /* 0: not given */
} Wanted;

/* ---- Computing ------------------------------------------------------------------------------- */

/* The reference run: its own text, or the same one, without changes. */
static mt_translation *
translate_reference(const CliCommand *command, CliEngine *engine, const char *text,
                    const Wanted *wanted, mt_error *error)
{
  const mt_changes *own = engine->hooks.changes;
  engine->hooks.changes = NULL;
  mt_translation *translation =
      cli_engine_translate(command, engine, wanted->reference ? wanted->reference : text,
                           wanted->target, error);
  engine->hooks.changes = own;
  return translation;
}

static RegardPatching *
compute(const CliCommand *command, CliEngine *engine, const char *text, const Wanted *wanted,
        CliStatus *status)
{
  mt_error error = {0};
  RegardPatching *result = NULL;
  mt_patching *patching = NULL;
  mt_tokens *source = NULL;
  mt_translation *a = translate_reference(command, engine, text, wanted, &error);
  const mt_tokens *output = a ? mt_translation_hypothesis(a, 0)->tokens : NULL;
  *status = CLI_FAILED;
  if (a && wanted->token > (gint64) mt_tokens_count(output)) {
    *status = cli_usage(command,
                        "--token wants 1 to %zu, the tokens of this translation, found "
                        "%" G_GINT64_FORMAT,
                        mt_tokens_count(output), wanted->token);
    mt_translation_unref(a);
    return NULL;
  }
  if (a && wanted->reference)
    source = mt_model_tokenize_to(engine->model, text, engine->params.language, &error);
  if (a && (source || !wanted->reference)) {
    const mt_patching_params params = {.source = source,
                                       .on_progress = cli_stop_show_share,
                                       .user = NULL};
    cli_stop_begin(&engine->hooks);
    patching = mt_patching_new(engine->session, a, 0, &params, &engine->hooks, &error);
    cli_stop_end(&engine->hooks);
  }
  if (patching) {
    const RegardPatchingOf of = {.model = engine->model,
                                 .translation = a,
                                 .source_b = source,
                                 .text_a = wanted->reference ? wanted->reference : text,
                                 .text_b = wanted->reference ? text : NULL,
                                 .changes_b = engine->hooks.changes};
    result = regard_patching_new(patching, &of, (int) wanted->token - 1);
    *status = CLI_DONE;
  } else
    cli_complain(command, "%s", error.message);
  mt_patching_unref(patching);
  mt_tokens_unref(source);
  mt_translation_unref(a);
  return result;
}

/* ---- The list -------------------------------------------------------------------------------- */

typedef struct {
  RegardPatched map;
  guint row, col;
  double value;
} Row;

/* The largest first; where two are the same, as they stand in the model. */
static gint
compare(gconstpointer a, gconstpointer b)
{
  const Row *x = a, *y = b;
  if (x->value != y->value)
    return x->value < y->value ? 1 : -1;
  if (x->map != y->map)
    return x->map < y->map ? -1 : 1;
  return x->row != y->row ? (x->row < y->row ? -1 : 1) : (x->col < y->col ? -1 : x->col > y->col);
}

static GArray *
sorted(const RegardPatching *patching)
{
  GArray *rows = g_array_new(FALSE, FALSE, sizeof(Row));
  for (RegardPatched map = 0; map < REGARD_N_PATCHED; map++)
    for (guint r = 0; r < patching->maps[map].n_rows; r++)
      for (guint c = 0; c < patching->maps[map].n_cols; c++) {
        const double value =
            patching->maps[map].recovered[(gsize) r * patching->maps[map].n_cols + c];
        const Row row = {map, r, c, value};
        g_array_append_val(rows, row);
      }
  g_array_sort(rows, compare);
  return rows;
}

static CliStatus
print_list(const CliCommand *command, const RegardPatching *patching, gint64 top)
{
  g_autoptr(GString) out = g_string_new(NULL);
  g_autoptr(GArray) rows = sorted(patching);
  const guint n = MIN(top ? (guint) top : LISTED, rows->len);
  for (guint t = 0; t < patching->n_target; t++)
    g_string_append_printf(out, "%s%s", t ? " " : "", patching->target_texts[t]);
  if (patching->token >= 0)
    g_string_append_printf(out, "\nlog p of token %d, %s", patching->token + 1,
                           patching->target_texts[patching->token]);
  else
    g_string_append(out, "\nlog p");
  g_string_append_printf(out,
                         ": %.4f nats in the reference run, %.4f without\n\nrecovered  state\n",
                         patching->a, patching->b);
  for (guint i = 0; i < n; i++) {
    const Row *row = &g_array_index(rows, Row, i);
    g_autofree char *name = regard_patching_place_name(row->map, row->row, row->col);
    const char *piece = row->map == REGARD_PATCHED_ENCODER_STREAM ? patching->source_texts[row->col]
                        : row->map == REGARD_PATCHED_DECODER_STREAM
                            ? patching->target_texts[row->col]
                            : NULL;
    g_string_append_printf(out, piece ? "%+9.4f  %s  %s\n" : "%+9.4f  %s\n", row->value, name,
                           piece);
  }
  if (n < rows->len)
    g_string_append_printf(out, "and %u other states\n", rows->len - n);
  return cli_put(command, out->str, out->len) ? CLI_DONE : CLI_FAILED;
}

/* ---- The command ----------------------------------------------------------------------------- */

static CliStatus
run(const CliCommand *command, int argc, char **argv)
{
  g_autoptr(GPtrArray) changes = g_ptr_array_new(), forbid = g_ptr_array_new(),
                       force = g_ptr_array_new();
  CliEngineOptions engine_options = {.changes = changes, .forbid = forbid, .force = force};
  CliPicture picture = CLI_PICTURE_INIT;
  Wanted wanted = {0};
  const CliOption options[] = {
      CLI_ENGINE_OPTIONS_MODEL(engine_options),
      {CLI_OPTION_TEXT, "reference", 0, &wanted.reference, "TEXT",
       "The reference run is that of another TEXT, with as many tokens"},
      {CLI_OPTION_WHOLE, "token", 0, &wanted.token, "N",
       "Look at token N of the reference's translation alone, from 1", 1, 100000},
      {CLI_OPTION_WHOLE, "top", 0, &wanted.top, "K", "List so many states; default 20", 1, 1000000},
      CLI_PICTURE_OPTION_OUTPUT(picture),
      {CLI_OPTION_TEXT, "target", 0, &wanted.target, "TEXT",
       "Take TEXT as the reference's translation instead of searching for one"},
      CLI_ENGINE_OPTIONS_SEARCH(engine_options, FALSE),
      CLI_ENGINE_OPTIONS_CONSTRAINTS(engine_options),
      CLI_ENGINE_OPTIONS_RUN(engine_options),
      CLI_PICTURE_OPTION_COLORMAP(picture),
      CLI_PICTURE_OPTIONS_LOOK(picture),
      CLI_OPTIONS_END,
  };
  g_auto(CliEngine) engine = {0};
  CliStatus status;

  const char *text = cli_options_parse_text(command, options, argc, argv, &status);
  if (!text)
    return status;
  if (!wanted.reference && !changes->len && !engine_options.changes_file)
    return cli_usage(command, "two different runs wanted: give a --change, or another text as "
                              "--reference");
  if (picture.output && wanted.top)
    return cli_usage(command, "--top is for the list, and -o FILE is given");
  if ((picture.output && (status = cli_picture_check(command, &picture)) != CLI_DONE) ||
      (status = cli_engine_open(command, &engine_options, &engine)) != CLI_DONE)
    return status;

  RegardPatching *patching = compute(command, &engine, text, &wanted, &status);
  if (!patching)
    return status;
  if (!regard_patching_has_loss(patching)) {
    cli_complain(command,
                 "both runs say the same: log p is %.4f nats, and nothing is lost that "
                 "could come back",
                 patching->a);
    status = CLI_FAILED;
  } else if (picture.output)
    status =
        cli_picture_write(command, &picture, regard_figure_new_patching(patching, &picture.style));
  else
    status = print_list(command, patching, wanted.top);
  regard_patching_unref(patching);
  return status;
}

const CliCommand cli_patch = {
    .name = "patch",
    .summary = "Say where a word is decided: what comes back with single states of another run",
    .arguments = "[-o FILE] (--change CHANGE | --reference TEXT) TEXT",
    .details =
        "Two runs have the same translation given to them (teacher forcing): the reference, of\n"
        "TEXT without changes, or of another one (--reference); and that of TEXT with --change.\n"
        "The translation is the reference's, or --target. Then single states are copied from the\n"
        "first run into the second: the stream of a token before the first layer or behind a\n"
        "layer, and the context of a head, all tokens. The share of the log-probability that was\n"
        "lost, and comes back with it, is\n"
        "    (log p patched - log p changed) / (log p reference - log p changed)\n"
        "1: this state alone carries it; 0: it does not. Below 0 it makes things worse.\n"
        "\n"
        "With --token it is that of one token: where is this word decided? Lists states, the\n"
        "largest share first, as the changes that copy them are called.\n"
        "\n"
        "With -o it writes five maps: encoder_stream and decoder_stream, layers from 0 by tokens,\n"
        "and encoder_heads, cross_heads and decoder_heads, layers by heads. CSV, JSON and NPZ "
        "hold\n"
        "them as they are.\n",
    .run = run,
};
