/* test-training-steps.c — which folders are checkpoints of one training.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-test.h"
#include "models/regard-training-steps.h"
#include "suite.h"

#include <glib/gstdio.h>

static char *root;

static void
put(const char *name, const char *file)
{
  g_autofree char *folder = g_build_filename(root, name, NULL);
  g_assert_cmpint(g_mkdir_with_parents(folder, 0700), ==, 0);
  g_autofree char *path = g_build_filename(folder, file, NULL);
  g_assert_true(g_file_set_contents(path, "{}", -1, NULL));
}

static void
start(void)
{
  root = app_test_folder();
}

static void
end(void)
{
  app_test_remove(root);
  g_clear_pointer(&root, g_free);
}

static GArray *
steps_of(const char *name, guint *at)
{
  g_autofree char *path = g_build_filename(root, name, NULL);
  g_autoptr(GArray) steps = regard_training_steps(path);
  return regard_training_steps_find(steps, path, at) ? g_steal_pointer(&steps) : NULL;
}

static void
check_step(const GArray *steps, guint i, guint64 step, const char *name)
{
  const RegardTrainingStep *s = &g_array_index(steps, RegardTrainingStep, i);
  g_autofree char *path = g_build_filename(root, name, NULL);
  g_assert_cmpuint(s->step, ==, step);
  g_assert_cmpstr(s->path, ==, path);
}

/* By number, not by name; what only looks like one is left out. */
static void
test_order(void)
{
  guint at = 99;
  start();
  put("step-00000020", "config.json");
  put("step-00000000", "config.json");
  put("step-3", "config.json");
  put("step-100000000", "config.json");
  put("step-00000050", "model.safetensors"); /* half written */
  put("step-", "config.json");
  put("step-1x", "config.json");
  put("step--4", "config.json");
  put("step-99999999999999999999", "config.json");
  put("model", "config.json");
  put("Step-00000030", "config.json");
  g_autoptr(GArray) steps = steps_of("step-00000020", &at);
  g_assert_nonnull(steps);
  g_assert_cmpuint(steps->len, ==, 4);
  g_assert_cmpuint(at, ==, 2);
  check_step(steps, 0, 0, "step-00000000");
  check_step(steps, 1, 3, "step-3");
  check_step(steps, 2, 20, "step-00000020");
  check_step(steps, 3, 100000000, "step-100000000");
  end();
}

static void
test_none(void)
{
  guint at;
  start();
  put("step-00000020", "config.json");
  put("model", "config.json");
  g_assert_null(steps_of("step-00000020", &at)); /* alone */
  put("step-00000030", "config.json");
  g_assert_null(steps_of("model", &at));
  g_assert_null(steps_of("step-00000040", &at));
  /* One that is gone was of that training all the same. */
  g_autofree char *gone = g_build_filename(root, "step-00000040", NULL);
  g_autoptr(GArray) others = regard_training_steps(gone);
  g_assert_cmpuint(others->len, ==, 2);
  g_assert_false(regard_training_steps_find(others, gone, NULL));
  g_assert_false(regard_training_steps_find(NULL, gone, &at));
  g_assert_null(regard_training_steps("/no/such/folder/step-1"));
  g_assert_null(regard_training_steps("step-1"));
  end();
}

TESTS()
{
  g_test_add_func("/training-steps/order", test_order);
  g_test_add_func("/training-steps/none", test_none);
}
