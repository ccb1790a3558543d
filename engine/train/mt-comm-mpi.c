/* mt-comm-mpi.c — several machines, over MPI.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/mt-comm.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <mpi.h>

/* Sums under way; a network has fewer groups of gradients than this, and when it has more, the
 * oldest are waited for. */
#define MAX_REQUESTS 256
/* Numbers of one message: an MPI count is an int, and smaller messages move while others are
 * computed. */
#define MAX_COUNT ((size_t) 1 << 22)

struct mt_comm {
  int rank, size;
  int n_requests;
  MPI_Request requests[MAX_REQUESTS];
};

static bool
check(int result, const char *what, mt_error *error)
{
  if (result == MPI_SUCCESS)
    return true;
  char text[MPI_MAX_ERROR_STRING] = "";
  int n = 0;
  MPI_Error_string(result, text, &n);
  return mt_fail(error, MT_ERROR_IO, "MPI: %s failed (%s).", what, text);
}

mt_comm *
mt_comm_join(mt_error *error)
{
  mt_comm *comm = mt_alloc(1, sizeof *comm);
  int provided;
  if (!comm)
    return mt_fail_no_memory(error), NULL;

  /* Only the thread that trains calls MPI, but others run beside it. */
  if (!check(MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided), "starting", error)) {
    mt_free(comm);
    return NULL;
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &comm->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &comm->size);
  return comm;
}

void
mt_comm_leave(mt_comm *comm)
{
  if (!comm)
    return;
  MPI_Finalize();
  mt_free(comm);
}

void
mt_comm_abort(mt_comm *comm)
{
  if (comm && comm->size > 1)
    MPI_Abort(MPI_COMM_WORLD, 1);
}

unsigned
mt_comm_rank(const mt_comm *comm)
{
  return comm ? (unsigned) comm->rank : 0;
}

unsigned
mt_comm_size(const mt_comm *comm)
{
  return comm ? (unsigned) comm->size : 1;
}

bool
mt_comm_sum(mt_comm *comm, double *values, size_t n, mt_error *error)
{
  return mt_comm_size(comm) < 2 ||
         check(MPI_Allreduce(MPI_IN_PLACE, values, (int) n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD),
               "a sum over all ranks", error);
}

bool
mt_comm_broadcast(mt_comm *comm, void *bytes, size_t n, mt_error *error)
{
  if (mt_comm_size(comm) < 2)
    return true;
  for (size_t at = 0; at < n;) {
    size_t step = n - at < MAX_COUNT ? n - at : MAX_COUNT;
    if (!check(MPI_Bcast((char *) bytes + at, (int) step, MPI_BYTE, 0, MPI_COMM_WORLD),
               "a message to all ranks", error))
      return false;
    at += step;
  }
  return true;
}

bool
mt_comm_wait(mt_comm *comm, mt_error *error)
{
  if (!comm || comm->n_requests == 0)
    return true;
  int n = comm->n_requests;
  comm->n_requests = 0;
  return check(MPI_Waitall(n, comm->requests, MPI_STATUSES_IGNORE), "a sum over all ranks", error);
}

bool
mt_comm_begin_sum(mt_comm *comm, float *values, size_t n, mt_error *error)
{
  if (mt_comm_size(comm) < 2)
    return true;
  for (size_t at = 0; at < n;) {
    size_t step = n - at < MAX_COUNT ? n - at : MAX_COUNT;
    if (comm->n_requests == MAX_REQUESTS && !mt_comm_wait(comm, error))
      return false;
    if (!check(MPI_Iallreduce(MPI_IN_PLACE, values + at, (int) step, MPI_FLOAT, MPI_SUM,
                              MPI_COMM_WORLD, &comm->requests[comm->n_requests]),
               "a sum over all ranks", error))
      return false;
    comm->n_requests++;
    at += step;
  }
  return true;
}
