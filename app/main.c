/* main.c — Regard, the window.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/regard-locale.h"
#include "window/regard-application.h"

#include <mt.h>
#include <signal.h>

int
main(int argc, char **argv)
{
  mt_guard_mapped_files();
  /* A limit on the size of files is an error of writing, like a full disk. */
  signal(SIGXFSZ, SIG_IGN);
  regard_locale_begin();
  g_autoptr(RegardApplication) application = regard_application_new();
  return g_application_run(G_APPLICATION(application), argc, argv);
}
