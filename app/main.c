/* main.c — Regard, the window.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "regard-application.h"

#include <mt.h>

int
main(int argc, char **argv)
{
  mt_guard_mapped_files();
  g_autoptr(RegardApplication) application = regard_application_new();
  return g_application_run(G_APPLICATION(application), argc, argv);
}
