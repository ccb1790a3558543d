/* mt-checkpoint-files.h — what the files of a trainer's state are called. Private to
 * mt-checkpoint*.c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_CHECKPOINT_FILES_H
#define MT_CHECKPOINT_FILES_H

#define MT_CHECKPOINT_JSON    "trainer_state.json"
#define MT_CHECKPOINT_TENSORS "trainer_state.safetensors"

#endif
