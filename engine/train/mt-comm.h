/* mt-comm.h — several machines that train one model: sums over all of them. Private to the trainer.
 *
 * Data-parallel: every rank has all parameters, computes the gradient of other batches, and the sum
 * of all gradients is what everybody's optimiser sees. OpenMPI carries the numbers; in a build
 * without it there is one rank.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_COMM_H
#define MT_COMM_H

#include "mt/train/trainer.h"

/* values [n] become the sum over all ranks, everywhere the same bits. */
bool mt_comm_sum(mt_comm *comm, double *values, size_t n, mt_error *error);
/* bytes [n] become those of rank 0. */
bool mt_comm_broadcast(mt_comm *comm, void *bytes, size_t n, mt_error *error);

/* Begin to sum floats [n], which nobody may touch until mt_comm_wait: while the backward pass goes
 * on with other layers. Every rank begins the same sums in the same order. */
bool mt_comm_begin_sum(mt_comm *comm, float *values, size_t n, mt_error *error);
/* Until all that was begun is done. */
bool mt_comm_wait(mt_comm *comm, mt_error *error);

#endif
