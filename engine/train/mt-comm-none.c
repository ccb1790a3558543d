/* mt-comm-none.c — a build without MPI: one machine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-comm.h"

#include "base/mt-error.h"

mt_comm *
mt_comm_join(mt_error *error)
{
  mt_fail(
      error, MT_ERROR_UNSUPPORTED,
      "This build of regard-train was made without MPI; build it with -Dmpi=enabled to train on "
      "several machines.");
  return NULL;
}

void
mt_comm_leave(mt_comm *comm)
{
}

void
mt_comm_abort(mt_comm *comm)
{
}

unsigned
mt_comm_rank(const mt_comm *comm)
{
  return 0;
}

unsigned
mt_comm_size(const mt_comm *comm)
{
  return 1;
}

bool
mt_comm_sum(mt_comm *comm, double *values, size_t n, mt_error *error)
{
  return true;
}

bool
mt_comm_broadcast(mt_comm *comm, void *bytes, size_t n, mt_error *error)
{
  return true;
}

bool
mt_comm_begin_sum(mt_comm *comm, float *values, size_t n, mt_error *error)
{
  return true;
}

bool
mt_comm_wait(mt_comm *comm, mt_error *error)
{
  return true;
}
