/* main.c — regard-cli as a program.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli.h"

#include <mt.h>
#include <signal.h>

int
main(int argc, char **argv)
{
  /* A reader that goes away is an error to be noticed when writing, not a reason to die half way
   * through a file. */
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN); /* so is a limit on the size of files */
  mt_guard_mapped_files();
  return (int) cli_main(argc, argv);
}
