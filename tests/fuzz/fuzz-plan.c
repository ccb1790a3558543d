/* fuzz-plan.c — a configuration of regard-train prepare, and one of its arguments.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz.h"
#include "train/train-plan.h"

#include <string.h>

static void
look_at(const TrainPlan *plan)
{
  for (guint i = 0; i < plan->sources->len; i++) {
    const TrainSource *source = g_ptr_array_index(plan->sources, i);
    g_assert(source->name && source->files[0]);
    g_assert(source->weight > 0 && source->weight <= 1e6);
    g_assert(source->first >= 1 && source->first <= source->last);
    g_assert(source->columns[0] < 1000 && source->columns[1] < 1000);
  }
  g_assert(plan->max_tokens >= 2 && plan->max_ratio >= 1 && plan->coverage <= 1);
  g_assert(train_segmentations[plan->segmentation] && train_normalizations[plan->normalization]);
  fuzz_sink += (double) strlen(plan->languages[0]) + (double) plan->exclude->len;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  g_autofree char *path = g_build_filename(fuzz_model_path(), "plan.json", NULL);
  g_autoptr(TrainPlan) plan = train_plan_new();
  mt_error error = {0};
  fuzz_model_put("plan.json", data, size);
  if (train_plan_load(plan, path, NULL, &error))
    look_at(plan);
  else
    g_assert(error.message[0]);
  g_autofree char *argument = g_strndup((const char *) data, size);
  g_autoptr(TrainPlan) other = train_plan_new();
  error = (mt_error){0};
  if (train_plan_add_argument(other, argument, &error))
    look_at(other);
  else
    g_assert(error.message[0]);
  return 0;
}
