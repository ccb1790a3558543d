/* train-average.c — regard-train average: the mean of several models.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli.h"
#include "train/train-plan.h"
#include "train/train.h"

#include <mt-train.h>

/* The models that were named: paths borrowed from `arguments`, from which the weights are cut. */
static gboolean
read_parts(const GPtrArray *arguments, mt_average_part *parts, mt_error *error)
{
  for (guint i = 0; i < arguments->len; i++) {
    char *argument = g_ptr_array_index(arguments, i);
    parts[i] = (mt_average_part){.path = argument, .weight = 1};
    if (!train_split_weight(argument, &parts[i].weight, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
put_answer(const CliCommand *command, const mt_average_part *parts, guint n, const char *output,
           gboolean json)
{
  double sum = 0;
  for (guint i = 0; i < n; i++)
    sum += parts[i].weight;
  if (!json) {
    g_autoptr(GString) out = g_string_new(NULL);
    for (guint i = 0; i < n; i++)
      g_string_append_printf(out, "%6.2f %%  %s\n", 100 * parts[i].weight / sum, parts[i].path);
    g_string_append_printf(out, "Written to %s.\n", output);
    return cli_put(command, out->str, out->len);
  }
  json_object *answer = json_object_new_object(), *models = json_object_new_array();
  for (guint i = 0; i < n; i++) {
    json_object_array_add(models, regard_json_object({"model", cli_json_text(parts[i].path)},
                                                     {"share", json_object_new_double(
                                                                   parts[i].weight / sum)}));
  }
  regard_json_add(answer, {"folder", cli_json_text(output)}, {"models", models});
  return cli_json_put(command, answer, FALSE);
}

typedef struct {
  const char *output;
  gboolean replace, json;
} Average;

static const CliOption options[] = {
    {CLI_OPTION_TEXT, "output", 'o', offsetof(Average, output), "DIR", "Write this folder"},
    {CLI_OPTION_FLAG, "replace", 0, offsetof(Average, replace), NULL,
     "Replace it if it is a model"},
    {CLI_OPTION_FLAG, "json", 0, offsetof(Average, json), NULL, "Print a JSON object"},
    CLI_OPTIONS_END,
};

static CliStatus
run(const CliCommand *command, gpointer user, GPtrArray *arguments)
{
  const Average *self = user;
  if (!self->output)
    return cli_usage(command, "--output wants DIR, found nothing");
  if (arguments->len < 2)
    return cli_usage(command, "two models or more wanted, found %u", arguments->len);
  g_autofree mt_average_part *parts = g_new(mt_average_part, arguments->len);
  mt_error error = {0};
  if (!read_parts(arguments, parts, &error))
    return cli_usage(command, "%s", error.message);
  if (!train_check_place(command, self->output, self->replace, "config.json", "model"))
    return CLI_FAILED;
  if (!mt_average_write(parts, arguments->len, self->output, self->replace, &error))
    return cli_failed(command, &error);
  return put_answer(command, parts, arguments->len, self->output, self->json) ? CLI_DONE
                                                                              : CLI_FAILED;
}

const CliCommand train_average = {
    .name = "average",
    .summary = "Make the mean of several models",
    .arguments = "MODEL[:WEIGHT]…",
    .details =
        "Writes a folder that is the first MODEL with other numbers: each is the mean of that\n"
        "number in all MODELs, by their WEIGHTs (1). The models must have the same shape and the\n"
        "same vocabulary, and should come from one beginning: by other seeds, other text, or\n"
        "more steps. Then their mean often translates better than each of them; the mean of\n"
        "strangers translates nothing. Folders, or zip archives of them; Marian's own format is\n"
        "not averaged.\n",
    .options = options,
    .size = sizeof(Average),
    .run = run,
};
