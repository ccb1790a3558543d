/* test-zero-pad.c — the embedding of <pad> in a training: 0 from the beginning to the end.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "small-training.h"
#include "suite.h"

#include <string.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_network, mt_network_free)

static void
on_note(void *user, const char *sentence)
{
  g_string_append(user, sentence);
}

/* Whether the embedding of <pad>, the last piece of the vocabulary, is 0 in a model's folder. */
static gboolean
has_zero_pad(const char *model)
{
  g_autoptr(mt_network) network = small_load(model);
  const mt_parameter *t = &network->table[0];
  g_assert_cmpstr(t->name, ==, "model.shared.weight");
  gboolean zero = TRUE;
  for (gsize i = t->count - t->shape[1]; i < t->count; i++)
    zero = zero && network->parameters[t->offset + i] == 0;
  return zero;
}

/* By default it is 0 from the beginning to the end, also where a model or a checkpoint that had
 * trained it goes on. */
static void
test_zero_pad(void)
{
  char *folder = small_temporary();
  g_autofree char *data = g_build_filename(folder, "prepared", NULL);
  small_write(data, 30, 6);
  g_autofree char *zero = g_build_filename(folder, "zero", NULL),
                  *trained = g_build_filename(folder, "trained", NULL),
                  *further = g_build_filename(folder, "further", NULL);
  g_autofree char *zero_model = g_build_filename(zero, "model", NULL);
  g_autofree char *trained_model = g_build_filename(trained, "model", NULL);
  g_autofree char *further_model = g_build_filename(further, "model", NULL);
  mt_trainer_config c = small_training(data, zero, 10);
  c.average = 1;
  small_train(&c, NULL);
  g_assert_true(has_zero_pad(zero_model));

  c.output = trained;
  c.network.zero_pad = false;
  small_train(&c, NULL);
  g_assert_false(has_zero_pad(trained_model));

  g_autoptr(GString) notes = g_string_new(NULL);
  const mt_trainer_events events = {.on_note = on_note, .user = notes};
  c = small_training(data, further, 10);
  c.start_from = trained_model;
  small_train(&c, &events);
  g_assert_true(has_zero_pad(further_model));
  g_assert_nonnull(strstr(notes->str, "<pad> was not zero"));

  g_string_truncate(notes, 0);
  c = small_training(data, trained, 20);
  c.resume = true;
  small_train(&c, &events);
  g_assert_true(has_zero_pad(trained_model));
  g_assert_nonnull(strstr(notes->str, "<pad> was not zero"));

  /* Where it was zero there is nothing to say. */
  g_string_truncate(notes, 0);
  c = small_training(data, zero, 20);
  c.resume = true;
  small_train(&c, &events);
  g_assert_true(has_zero_pad(zero_model));
  g_assert_nonnull(strstr(notes->str, "Going on"));
  g_assert_null(strstr(notes->str, "<pad>"));
  small_remove(folder);
}

TESTS()
{
  g_test_add_func("/zero-pad/trainings", test_zero_pad);
}
