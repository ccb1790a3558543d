/* regard-engine-task.c — what tasks that call the engine in a thread have in common.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-engine-task.h"

bool
regard_engine_is_cancelled(void *cancellable)
{
  return g_cancellable_is_cancelled(cancellable);
}

void
regard_engine_return_error(GTask *task, const mt_error *error)
{
  g_task_return_new_error(task, G_IO_ERROR,
                          error->code == MT_ERROR_CANCELLED ? G_IO_ERROR_CANCELLED
                                                            : G_IO_ERROR_FAILED,
                          "%s", error->message);
}
