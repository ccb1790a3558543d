/* train-report.c — what became of the lines of each source.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/train-report.h"

static TrainCounts
sum(const TrainPlan *plan, const TrainCounts *counts)
{
  TrainCounts all = {0};
  for (guint i = 0; i < plan->sources->len; i++) {
    all.n_read += counts[i].n_read;
    all.n_heldout += counts[i].n_heldout;
    for (int d = 0; d < TRAIN_N_DROPS; d++)
      all.dropped[d] += counts[i].dropped[d];
    for (int s = 0; s < MT_N_STACKS; s++) {
      all.n_tokens[s] += counts[i].n_tokens[s];
      all.n_unknown[s] += counts[i].n_unknown[s];
    }
  }
  return all;
}

/* Columns of a text, not of its bytes. */
static void
put_name(GString *out, const char *name, glong width)
{
  g_string_append(out, name);
  for (glong n = g_utf8_strlen(name, -1); n < width; n++)
    g_string_append_c(out, ' ');
}

static void
put_row(GString *out, glong width, const char *name, const char *weight, const TrainCounts *counts,
        const TrainCounts *all)
{
  put_name(out, name, width);
  g_string_append_printf(out,
                         " %7s %9" G_GUINT64_FORMAT " %9" G_GUINT64_FORMAT " %8" G_GUINT64_FORMAT
                         " %10" G_GUINT64_FORMAT,
                         weight, counts->n_read, counts->dropped[TRAIN_KEPT], counts->n_heldout,
                         counts->n_tokens[0] + counts->n_tokens[1]);
  for (int d = TRAIN_KEPT + 1; d < TRAIN_N_DROPS; d++)
    if (all->dropped[d])
      g_string_append_printf(out, " %9" G_GUINT64_FORMAT, counts->dropped[d]);
  g_string_append_c(out, '\n');
}

void
train_report_table(GString *out, const TrainPlan *plan, const TrainCounts *counts)
{
  TrainCounts all = sum(plan, counts);
  glong width = 6;
  double epoch = 0;
  for (guint i = 0; i < plan->sources->len; i++) {
    const TrainSource *source = g_ptr_array_index(plan->sources, i);
    width = MAX(width, g_utf8_strlen(source->name, -1));
    epoch += source->weight * (double) (counts[i].n_tokens[0] + counts[i].n_tokens[1]) /
             (double) train_plan_count_segmentations(plan, source);
  }
  put_name(out, "source", width);
  g_string_append_printf(out, " %7s %9s %9s %8s %10s", "weight", "lines", "train", "heldout",
                         "tokens");
  for (int d = TRAIN_KEPT + 1; d < TRAIN_N_DROPS; d++)
    if (all.dropped[d])
      g_string_append_printf(out, " %9s", train_drop_name((TrainDrop) d));
  g_string_append_c(out, '\n');
  for (guint i = 0; i < plan->sources->len; i++) {
    const TrainSource *source = g_ptr_array_index(plan->sources, i);
    g_autofree char *weight =
        source->heldout ? g_strdup("heldout") : g_strdup_printf("%.4g", source->weight);
    put_row(out, width, source->name, weight, &counts[i], &all);
  }
  put_row(out, width, "all", "", &all, &all);
  g_string_append_printf(out,
                         "\nAn epoch by these weights: %.1f million tokens. Unknown tokens: "
                         "%.3f %% of the source, %.3f %% of the target.\n",
                         epoch / 1e6,
                         100.0 * (double) all.n_unknown[0] / (double) MAX(all.n_tokens[0], 1),
                         100.0 * (double) all.n_unknown[1] / (double) MAX(all.n_tokens[1], 1));
}

static void
add_counts(json_object *object, const TrainCounts *counts)
{
  static const char *const tokens[] = {"source_tokens", "target_tokens"};
  static const char *const unknown[] = {"source_unknown", "target_unknown"};
  json_object_object_add(object, "lines", cli_json_size(counts->n_read));
  json_object_object_add(object, "train", cli_json_size(counts->dropped[TRAIN_KEPT]));
  json_object_object_add(object, "heldout", cli_json_size(counts->n_heldout));
  for (int s = 0; s < MT_N_STACKS; s++) {
    json_object_object_add(object, tokens[s], cli_json_size(counts->n_tokens[s]));
    json_object_object_add(object, unknown[s], cli_json_size(counts->n_unknown[s]));
  }
  json_object *dropped = json_object_new_object();
  for (int d = TRAIN_KEPT + 1; d < TRAIN_N_DROPS; d++)
    json_object_object_add(dropped, train_drop_name((TrainDrop) d),
                           cli_json_size(counts->dropped[d]));
  json_object_object_add(object, "dropped", dropped);
}

json_object *
train_report_json(const TrainPlan *plan, const TrainCounts *counts)
{
  json_object *report = json_object_new_object();
  json_object *sources = json_object_new_array();
  for (guint i = 0; i < plan->sources->len; i++) {
    const TrainSource *source = g_ptr_array_index(plan->sources, i);
    json_object *row = json_object_new_object();
    json_object_object_add(row, "name", cli_json_text(source->name));
    json_object_object_add(row, "weight", json_object_new_double(source->weight));
    json_object_object_add(row, "segmentations",
                           cli_json_size(train_plan_count_segmentations(plan, source)));
    json_object_object_add(row, "all_heldout", json_object_new_boolean(source->heldout));
    add_counts(row, &counts[i]);
    json_object_array_add(sources, row);
  }
  json_object_object_add(report, "sources", sources);
  TrainCounts all = sum(plan, counts);
  json_object *total = json_object_new_object();
  add_counts(total, &all);
  json_object_object_add(report, "all", total);
  json_object *limits = json_object_new_object();
  json_object_object_add(limits, "max_chars", json_object_new_int64(plan->max_chars));
  json_object_object_add(limits, "max_tokens", json_object_new_int64(plan->max_tokens));
  json_object_object_add(limits, "max_ratio", json_object_new_double(plan->max_ratio));
  json_object_object_add(report, "limits", limits);
  json_object *drawing = json_object_new_object();
  json_object_object_add(drawing, "segmented", cli_json_text(train_segmented[plan->segmented]));
  json_object_object_add(drawing, "nbest_size", json_object_new_int64(plan->nbest_size));
  json_object_object_add(drawing, "alpha", json_object_new_double(plan->alpha));
  json_object_object_add(report, "drawing", drawing);
  return report;
}
