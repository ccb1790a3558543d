/* main.c — regard-train as a program.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "train/train.h"

#include <mt.h>
#include <signal.h>

int
main(int argc, char **argv)
{
  /* As in regard-cli: a reader that goes away, or a limit on the size of files, is an error to be
   * noticed when writing. */
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  mt_guard_mapped_files();
  return (int) train_main(argc, argv);
}
