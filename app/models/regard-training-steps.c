/* regard-training-steps.c — the checkpoints of a training, which lie beside each other.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "models/regard-training-steps.h"

#include <string.h>

#define PREFIX "step-"
/* A training that keeps all its checkpoints has a few dozen. */
#define MOST_NAMES 4096

static gboolean
parse_name(const char *name, guint64 *step)
{
  return g_str_has_prefix(name, PREFIX) &&
         g_ascii_string_to_unsigned(name + strlen(PREFIX), 10, 0, G_MAXINT64, step, NULL);
}

static gboolean
has_config(const char *path)
{
  g_autofree char *config = g_build_filename(path, "config.json", NULL);
  return g_file_test(config, G_FILE_TEST_IS_REGULAR);
}

static void
step_clear(gpointer data)
{
  g_free(((RegardTrainingStep *) data)->path);
}

static int
by_step(gconstpointer a, gconstpointer b)
{
  const RegardTrainingStep *x = a, *y = b;
  if (x->step != y->step)
    return x->step < y->step ? -1 : 1;
  return strcmp(x->path, y->path); /* step-1 and step-01 */
}

GArray *
regard_training_steps(const char *path)
{
  g_autofree char *folder = g_path_get_dirname(path), *own = g_path_get_basename(path);
  guint64 step;
  g_autoptr(GDir) dir = parse_name(own, &step) ? g_dir_open(folder, 0, NULL) : NULL;
  if (!dir)
    return NULL;
  g_autoptr(GArray) steps = g_array_new(FALSE, FALSE, sizeof(RegardTrainingStep));
  g_array_set_clear_func(steps, step_clear);
  const char *name;
  for (guint n = 0; n < MOST_NAMES && (name = g_dir_read_name(dir)); n++) {
    g_autofree char *whole = g_build_filename(folder, name, NULL);
    if (parse_name(name, &step) && has_config(whole)) {
      RegardTrainingStep found = {step, g_steal_pointer(&whole)};
      g_array_append_val(steps, found);
    }
  }
  g_array_sort(steps, by_step);
  return steps->len > 1 ? g_steal_pointer(&steps) : NULL;
}

gboolean
regard_training_steps_find(const GArray *steps, const char *path, guint *at)
{
  for (guint i = 0; steps && i < steps->len; i++)
    if (g_strcmp0(g_array_index(steps, RegardTrainingStep, i).path, path) == 0) {
      if (at)
        *at = i;
      return TRUE;
    }
  return FALSE;
}
