/* mt-trainer-private.h — what the files of the trainer share. Private to mt-trainer*.c.
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

const mt_network *mt_trainer_get_network(const mt_trainer *trainer);

/* Tell a sentence, printf-formatted. */
void mt_trainer_note(const mt_trainer *trainer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

bool mt_trainer_is_first(const mt_trainer *trainer); /* rank 0 */
bool mt_trainer_should_stop(const mt_trainer *trainer);

/* ---- mt-trainer-save.c ----------------------------------------------------------------------- */

/* Whether a checkpoint is due after a step. */
bool mt_trainer_saves_at(const mt_trainer *trainer, uint64_t step);
/* Write a checkpoint of now, then let older ones go. */
bool mt_trainer_save(mt_trainer *trainer, mt_error *error);
/* Only the newest checkpoint needs what is needed to go on, and of those of save_every (and of an
 * interruption) only the last `keep` stay. */
void mt_trainer_let_go(const mt_trainer *trainer);
/* Write the parameters of now into a folder that `dir` begins; it is the caller's to commit. */
bool mt_trainer_write_model(const mt_trainer *trainer, const mt_real *parameters, mt_new_dir *dir,
                            mt_error *error);
/* Write the folder "model": the mean of the last checkpoints, and validate it if it is one. */
bool mt_trainer_write_final(mt_trainer *trainer, mt_error *error);

/* README.md of a model; free with mt_free, NULL without memory. */
char *mt_trainer_make_card(const mt_trainer *trainer);

/* ---- mt-trainer-validate.c ------------------------------------------------------------------- */

/* Loss, health and scores of the network as it is. folder: a Marian directory with the same
 * parameters, NULL: one is written for the time it takes. */
bool mt_trainer_validate(mt_trainer *trainer, const char *folder, bool is_average, mt_error *error);

#endif
