#!/bin/bash
# try-package.sh PACKAGE SMOKE: install a package in a bare system, try it, install it again, and remove it.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# tools/package calls it in the system that tools/distro makes: it changes the system that it runs in.

set -euo pipefail
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
package=$1 smoke=$2

say()
{
  printf 'try-package: %s\n' "$*"
}

# Every file of the system, but for those of packages' own records, and what graphics keep for whoever draws.
files()
{
  find / -xdev \( -path /proc -o -path /tmp -o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /var/cache -o \
    -path /var/log -o -path /root/.cache -o -path /srv -o -path /dev -o -path /sys -o -path /run \) -prune -o -print | sort
}

apt-get -qq update
# What the package needs and what the trial needs come first, so that only the package itself makes a difference.
needs=$(dpkg-deb -f "$package" Depends)
apt-get -qq install -y --no-install-recommends xvfb xauth dbus xdotool \
  dconf-gsettings-backend libglib2.0-bin >/dev/null
apt-get -qq satisfy -y --no-install-recommends "$needs" >/dev/null
files >/tmp/before
apt-get -qq install -y --no-install-recommends "$package" >/dev/null
say "installed: $(dpkg-query -W -f '${Version}, ${Installed-Size} kB' regard)"
bash "$smoke"

# A person's settings outlive an upgrade: the same package over itself does what a newer one does. They are in
# dconf, by the schema of the package.
settings()
{
  HOME=/tmp/person dbus-run-session -- gsettings "$1" io.github.regard.Regard colormap "${@:2}"
}
mkdir -p /tmp/person
settings set magma
apt-get -qq install -y --reinstall --no-install-recommends "$package" >/dev/null
bash "$smoke" >/dev/null
kept=$(settings get)
say "installed once more: it works, and a setting is $kept"
[ "$kept" = "'magma'" ]

apt-get -qq purge -y regard >/dev/null
files >/tmp/after
if ! diff /tmp/before /tmp/after >/tmp/left; then
  cat /tmp/left
  say "something is left, or was taken away"
  exit 1
fi
say "removed, and nothing is left"
