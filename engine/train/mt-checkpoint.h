/* mt-checkpoint.h — where a training can go on from, and the models it left on its way. Private to
 * the trainer.
 *
 * In the output folder a checkpoint is a folder "step-00012000": a Hugging Face Marian directory
 * (mt-model-write.h), and in the newest one also
 *   trainer_state.json         the step, the next batch, and the shape of the network; crc32 of
 *                              where it is and of all tensors (older ones have none)
 *   trainer_state.safetensors  parameters, Adam's m and v: F32 [n_flat]; history: F64 [n][5]
 * Both appear at once, since the folder is written under another name and renamed. The older one's
 * state goes only when the newer one is in its place.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_CHECKPOINT_H
#define MT_CHECKPOINT_H

#include "mt/train/trainer.h"
#include "train/mt-adam.h"
#include "train/mt-model-write.h"
#include "train/mt-sampler.h"

typedef struct {
  uint64_t step; /* updates made */
  mt_sampler_position position;
  /* Of the data and of what the sampler was asked for: where it changed, position means nothing. */
  uint64_t sampling;
} mt_checkpoint_state;

/* What is written and read: all but state and history are borrowed. */
typedef struct {
  mt_network *network;
  mt_adam *adam;
  mt_checkpoint_state state;
  mt_trainer_record *history; /* [n_history]; reading allocates it */
  size_t n_history;
} mt_checkpoint;

/* Write a checkpoint into the folder `output`, which exists, in the place of one of the same step.
 * A full disk or any other failure leaves all others as they were. Errors: MT_ERROR_IO and those of
 * mt_model_write_files. */
bool mt_checkpoint_write(const char *output, const mt_checkpoint *checkpoint,
                         const mt_model_write *model, mt_error *error);

/* Read the state of a step back. The network must have the shape it had. Errors: MT_ERROR_IO,
 * MT_ERROR_FORMAT, MT_ERROR_INPUT (another shape: names the key), MT_ERROR_NO_MEMORY; parameters
 * and m, v may then be half read. */
bool mt_checkpoint_read(const char *output, uint64_t step, mt_checkpoint *checkpoint,
                        mt_error *error);

/* Steps of which there is a checkpoint, rising; free *steps with mt_free. A folder that is not
 * there has none. Errors: MT_ERROR_IO, MT_ERROR_NO_MEMORY. */
bool mt_checkpoint_list(const char *output, uint64_t **steps, size_t *n, mt_error *error);
/* The newest one that a training can go on from; false: there is none. */
bool mt_checkpoint_find_last(const char *output, uint64_t *step);

/* Path of a checkpoint's folder; free with mt_free, NULL without memory. */
char *mt_checkpoint_path(const char *output, uint64_t step);

/* Remove a checkpoint, or only what is needed to go on from it. What cannot be removed stays. */
void mt_checkpoint_remove(const char *output, uint64_t step);
void mt_checkpoint_strip(const char *output, uint64_t step);
/* Remove what an earlier run left that was ended while it wrote or removed. */
void mt_checkpoint_tidy(const char *output);

#endif
