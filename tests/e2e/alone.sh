#!/bin/bash
# alone.sh COMMAND...: run it on a display, a session bus and an accessibility bus of its own.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Sessions have a pointer, a keyboard and a clipboard each, and can run beside other tests. They have a list of
# recent files each, too: what one program adds is lost when another one writes the list in the same moment.

set -euo pipefail
XDG_RUNTIME_DIR=$(mktemp -d)
XDG_DATA_HOME=$(mktemp -d)
export XDG_RUNTIME_DIR XDG_DATA_HOME
unset DISPLAY DBUS_SESSION_BUS_ADDRESS
status=0
# What the bus starts writes to the standard output of the bus; that of the test is TAP. It is opened anew by
# the name that this process has for it, since some releases of dbus-run-session hand on no descriptor.
exec 3>&1
tap=/proc/$$/fd/3
# shellcheck disable=SC2016 # the inner shell expands its own variables
xvfb-run -a -s '-screen 0 1440x900x24 -nolisten tcp -noreset' dbus-run-session -- \
  bash -c 'tap=$1; shift; "$@" >>"$tap"' bash "$tap" "$@" >/dev/null || status=$?
rm -rf "$XDG_RUNTIME_DIR" "$XDG_DATA_HOME"
exit "$status"
