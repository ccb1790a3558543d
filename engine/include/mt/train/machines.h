/* machines.h — several machines that train one model. Part of mt-train.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_TRAIN_MACHINES_H
#define MT_PUBLIC_TRAIN_MACHINES_H

#include <mt.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mt_comm mt_comm;

/* Join the others that mpirun started; once a process. NULL: MT_ERROR_UNSUPPORTED in a build
 * without MPI, MT_ERROR_IO, MT_ERROR_NO_MEMORY. All functions that take one take NULL for a run of
 * one. */
mt_comm *mt_comm_join(mt_error *error);
/* All ranks together; then the process can end. */
void mt_comm_leave(mt_comm *comm);
/* End all ranks at once, whatever they wait for. Does not return if there are any. */
void mt_comm_abort(mt_comm *comm);

unsigned mt_comm_rank(const mt_comm *comm); /* from 0 */
unsigned mt_comm_size(const mt_comm *comm);

#ifdef __cplusplus
}
#endif
#endif
