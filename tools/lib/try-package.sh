#!/bin/bash
# try-package.sh PACKAGE BEFORE SMOKE: install the package of an older version in a bare system, upgrade, try what came,
# and remove it.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# tools/package calls it in the system that tools/distro makes: it changes the system that it runs in. BEFORE may be the
# same package, or one that was made earlier of the same version: it is given a lower one here.

set -euo pipefail
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
package=$1 before=$2 smoke=$3
person=/tmp/person sentence="Our green house has five windows."
schema=/usr/share/glib-2.0/schemas/io.github.regard.Regard.gschema.xml

say()
{
  printf 'try-package: %s\n' "$*"
}

# Every file of the system, but for those of packages' own records, and what graphics keep for whoever draws.
files()
{
  find / -xdev \( -path /proc -o -path /tmp -o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /var/cache -o \
    -path /var/log -o -path ~root/.cache -o -path /srv -o -path /dev -o -path /sys -o -path /run \) -prune -o -print | sort
}

# version_of: of the package that is installed.
version_of()
{
  dpkg-query -W -f '${Version}' regard
}

# make_older: BEFORE as a lower version, with a setting and a file that later ones do not have.
make_older()
{
  dpkg-deb -R "$before" /tmp/older
  sed -i 's/^Version: .*/Version: 0.0.1/' /tmp/older/DEBIAN/control
  sed -i 's|</schema>|<key name="gone" type="b"><default>false</default></key></schema>|' "/tmp/older$schema"
  touch /tmp/older/usr/share/regard/gone
  dpkg-deb --root-owner-group -b /tmp/older /tmp/older.deb >/dev/null
}

# A person's settings are in dconf, by the schema of the package.
settings()
{
  HOME=$person dbus-run-session -- gsettings "$1" io.github.regard.Regard "${@:2}"
}

# expect WHAT IS SHOULD
expect()
{
  say "$1: $2"
  [ "$2" = "$3" ] || {
    say "expected: $3"
    exit 1
  }
}

apt-get -qq update
# What the package needs and what the trial needs come first, so that only the package itself makes a difference.
apt-get -qq install -y --no-install-recommends xvfb xauth dbus xdotool \
  dconf-gsettings-backend libglib2.0-bin >/dev/null
for deb in "$before" "$package"; do
  apt-get -qq satisfy -y --no-install-recommends "$(dpkg-deb -f "$deb" Depends)" >/dev/null
done
files >/tmp/files-before

# A version before, of which somebody sets this and that, and which remembers what was typed.
make_older
apt-get -qq install -y --no-install-recommends /tmp/older.deb >/dev/null
say "installed: $(version_of)"
mkdir -p "$person"
bash "$smoke" window "$person" "$sentence"
settings set colormap magma
settings set beam-size 3
settings set gone true
expect "remembered" "$(settings get text)" "'$sentence'"

# What was set and what was remembered outlives the upgrade, and a window of the new version.
apt-get -qq install -y --no-install-recommends "$package" >/dev/null
expect "upgraded to" "$(version_of)" "$(dpkg-deb -f "$package" Version)"
expect "files that are gone since" "$(find /usr/share/regard -name gone | wc -l)" 0
bash "$smoke"
bash "$smoke" window "$person"
expect "still remembered" "$(settings get text)" "'$sentence'"
expect "still set, the colours" "$(settings get colormap)" "'magma'"
expect "still set, the beams" "$(settings get beam-size)" "uint32 3"

apt-get -qq purge -y regard >/dev/null
files >/tmp/files-after
if ! diff /tmp/files-before /tmp/files-after >/tmp/left; then
  cat /tmp/left
  say "something is left, or was taken away"
  exit 1
fi
say "removed, and nothing is left"
