/* small-training.c — trainings of a moment, and what they leave on the disk.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "small-training.h"
#include "engine-test.h"

#include <string.h>

mt_trainer_config
small_training(const char *data, const char *output, guint64 steps)
{
  mt_trainer_config c = mt_trainer_config_default();
  c.data = data;
  c.output = output;
  c.network.d_model = 12;
  c.network.n_heads = 2;
  c.network.d_ffn = 20;
  c.network.n_layers[MT_STACK_ENCODER] = 1;
  c.network.n_layers[MT_STACK_DECODER] = 2;
  c.network.max_positions = 32;
  c.batch_tokens = 100;
  c.sort_batches = 3;
  c.schedule.steps = steps;
  c.schedule.warmup = 4;
  c.n_threads = 2;
  c.save_every = 10;
  c.validate_every = 10;
  c.translate_pairs = 0;
  c.dtype = MT_DTYPE_F32;
  return c;
}

void
small_train(const mt_trainer_config *config, const mt_trainer_events *events)
{
  mt_error error = {0};
  g_autoptr(mt_trainer) t = mt_trainer_new(config, events, NULL, &error);
  if (!t || !mt_trainer_run(t, &error))
    g_error("%s", error.message);
}

void
small_train_fails(const mt_trainer_config *config, const mt_trainer_events *events,
                  mt_error_code code, const char *words)
{
  mt_error error = {0};
  g_autoptr(mt_trainer) t = mt_trainer_new(config, events, NULL, &error);
  g_assert_false(t && mt_trainer_run(t, &error));
  g_auto(GStrv) list = g_strsplit(words, "|", -1);
  for (guint i = 0; list[i]; i++)
    if (!strstr(error.message, list[i]))
      g_error("expected \"%s\" in \"%s\"", list[i], error.message);
  g_assert_cmpint(error.code, ==, code);
}

static int
compare(gconstpointer a, gconstpointer b)
{
  return strcmp(*(char *const *) a, *(char *const *) b);
}

char *
small_list(const char *folder)
{
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GDir) list = g_dir_open(folder, 0, NULL);
  g_assert_nonnull(list);
  for (const char *name; (name = g_dir_read_name(list));)
    g_ptr_array_add(names, g_strdup(name));
  g_ptr_array_sort(names, compare);
  g_ptr_array_add(names, NULL);
  return g_strjoinv(" ", (char **) names->pdata);
}

void
small_assert_same_checkpoint(const char *a, const char *b)
{
  g_autofree char *names_a = small_list(a);
  g_autofree char *names_b = small_list(b);
  g_assert_cmpstr(names_a, ==, names_b);
  g_auto(GStrv) names = g_strsplit(names_a, " ", -1);
  for (guint i = 0; names[i]; i++)
    small_assert_same_file(a, b, names[i]);
}

mt_network *
small_load(const char *folder)
{
  mt_error error = {0};
  g_autoptr(mt_model) model = mt_model_open(folder, NULL, &error);
  mt_network_config config;
  mt_network *network = NULL;
  if (model && mt_network_config_of_model(&config, model, &error))
    network = mt_network_new(&config, &error);
  if (!network || !mt_network_load(network, model, &error))
    g_error("%s", error.message);
  return network;
}

void
small_change_file(const char *path, const char *from, const char *to)
{
  g_autofree char *text = NULL;
  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  g_auto(GStrv) parts = g_strsplit(text, from, 2);
  g_assert_cmpuint(g_strv_length(parts), ==, 2);
  g_autofree char *changed = g_strjoinv(to, parts);
  g_assert_true(g_file_set_contents(path, changed, -1, NULL));
}
