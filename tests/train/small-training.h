/* small-training.h — trainings of a moment, and what they leave on the disk, for tests.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "small-dataset.h"

#include "mt/train/trainer.h"
#include "train/mt-network.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(mt_trainer, mt_trainer_free)

/* A training of `steps` steps of a tiny network: d 12, 2 heads, 1 + 2 layers, in F32, with
 * everything else as by default but for no translations. data and output are borrowed. */
mt_trainer_config small_training(const char *data, const char *output, guint64 steps);

/* Run it; ends the test program if it fails. */
void small_train(const mt_trainer_config *config, const mt_trainer_events *events);
/* Run it, which must fail with this code and all of these words, separated by |. */
void small_train_fails(const mt_trainer_config *config, const mt_trainer_events *events,
                       mt_error_code code, const char *words);

/* The names in a folder, sorted and separated by spaces; hidden ones too. Caller frees. */
char *small_list(const char *folder);

/* As small_assert_same_file, of all files that a checkpoint has. */
void small_assert_same_checkpoint(const char *a, const char *b);

/* Replace the only `from` in a file of text. */
void small_change_file(const char *path, const char *from, const char *to);

/* The parameters of a model's folder, as the network has them; free with mt_network_free. */
mt_network *small_load(const char *folder);
