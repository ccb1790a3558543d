/* mt-trainer-private.h — a trainer, as its tests see it, too. Private to mt-trainer.c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_TRAINER_PRIVATE_H
#define MT_TRAINER_PRIVATE_H

#include "mt/train/trainer.h"
#include "train/mt-adam.h"
#include "train/mt-checkpoint.h"
#include "train/mt-comm.h"
#include "train/mt-sampler.h"

struct mt_trainer {
  mt_trainer_config config;
  mt_trainer_events events;
  mt_comm *comm;
  mt_dataset *dataset;
  double *weights; /* [sources] */
  mt_sampler *sampler;
  mt_network *network;
  mt_workspace *workspace;
  mt_adam adam;
  uint64_t step;
  uint64_t sampling; /* mt_checkpoint_state */
  mt_trainer_record *history;
  size_t n_history, history_room;
  bool saved; /* the state of `step` is in a checkpoint */
};

/* For tests: what is trained. */
const mt_network *mt_trainer_get_network(const mt_trainer *trainer);

#endif
