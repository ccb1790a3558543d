# shellcheck shell=bash
# common.sh: what the commands in tools/ share: packages, building, messages.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Sourced by bash. Sets ROOT (the source tree) and BUILD (the build directory, which the
# environment variable REGARD_BUILD_DIR may move elsewhere).

ROOT=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
BUILD=${REGARD_BUILD_DIR:-$ROOT/build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac

# Meson and the tests want Debian's python3, not one that a version manager put before it.
PATH=/usr/bin:/usr/local/bin:$PATH
export PATH

# Where there is a compiler cache: what it has to be told of headers that are read once for a library.
export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}

say()
{
  printf '%s: %s\n' "${0##*/}" "$*" >&2
}

die()
{
  say "$@"
  exit 1
}

# packages SET...: the package names of these sets in tools/packages.
packages()
{
  local sets=" $* " set name
  while read -r set name; do
    case $sets in *" $set "*) printf '%s\n' "$name" ;; esac
  done <"$ROOT/tools/packages"
}

# missing_packages SET...: those that dpkg does not know as installed. One dpkg-query, no apt.
missing_packages()
{
  local wanted installed
  wanted=$(packages "$@")
  # shellcheck disable=SC2086 # one word for each package is meant
  installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' $wanted 2>/dev/null |
    sed -n 's/^installed //p' || true)
  comm -23 <(sort -u <<<"$wanted") <(sort -u <<<"$installed")
}

# need_packages SET...: install what is missing; without root or sudo say what to type.
need_packages()
{
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "this is not a Debian system: the packages listed in tools/packages are not checked"
    return 0
  fi
  local missing as_root=()
  missing=$(missing_packages "$@" | tr '\n' ' ')
  missing=${missing% }
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null ||
      die "these packages are missing; as root: apt-get install --no-install-recommends $missing"
    as_root=(sudo)
  fi
  say "installing $missing"
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 apt-get -qq
    -o Dpkg::Use-Pty=0 -o Acquire::Retries=3)
  "${apt[@]}" update </dev/null || die "apt-get update failed; is the network reachable?"
  # shellcheck disable=SC2086
  "${apt[@]}" install -y --no-install-recommends $missing </dev/null >/dev/null ||
    die "apt-get could not install: $missing"
}

# installed_packages: those of tools/packages that are installed; nothing where there is no dpkg.
installed_packages()
{
  local names
  names=$(packages build test fuzz)
  # shellcheck disable=SC2086 # one word for each package is meant
  dpkg-query -W -f='${db:Status-Status} ${Package}\n' $names 2>/dev/null |
    sed -n 's/^installed //p' | sort || true
}

# use_option DIR [MESON-OPTION...]: -Dwerror=true also for a build directory that was made without it;
# other options are those that the directory was made with.
use_option()
{
  local dir=$1 option
  shift
  for option; do
    if [ "$option" = -Dwerror=true ] && [ -w "$dir" ] &&
      ! tr -d ' \n' <"$dir/meson-info/intro-buildoptions.json" | grep -q '"werror","value":true'; then
      say "compiling $dir anew: warnings are errors for tests"
      meson configure "$dir" "$option"
    fi
  done
}

# configure DIR [MESON-OPTION...]: make the build directory, once; and anew where other packages are
# there than when it was made, so that what they bring is found (OpenMPI, for example).
configure()
{
  local dir=$1 log packages
  shift
  packages=$(installed_packages)
  if [ -f "$dir/build.ninja" ]; then
    if [ "$packages" != "$(cat "$dir/packages" 2>/dev/null)" ] && [ -w "$dir" ]; then
      say "configuring $dir anew: other packages are installed"
      log=$(meson configure "$dir" --clearcache 2>&1 </dev/null &&
        meson setup --reconfigure "$dir" "$ROOT" 2>&1 </dev/null) || {
        printf '%s\n' "$log" >&2
        die "meson could not configure the build"
      }
      printf '%s\n' "$packages" >"$dir/packages"
    fi
    use_option "$dir" "$@"
    return 0
  fi
  if ! mkdir -p "$dir" 2>/dev/null || [ ! -w "$dir" ]; then
    die "cannot write to $dir: if this source tree is read-only," \
      "set REGARD_BUILD_DIR to a folder that can be written"
  fi
  say "configuring $dir"
  # A fraction of the time of the usual linker, for more than two hundred programs.
  if [ -z "${CC:-}" ] && command -v mold >/dev/null; then
    export CC_LD=${CC_LD:-mold} CXX_LD=${CXX_LD:-mold}
  fi
  # Most of the time that a file with GTK takes is spent on reading the headers (ui/pch).
  log=$(meson setup "$dir" "$ROOT" -Db_pch=true "$@" 2>&1 </dev/null) || {
    printf '%s\n' "$log" >&2
    # A half-made directory would hide the mistake from the next call.
    rm -f "$dir/build.ninja"
    die "meson could not configure the build"
  }
  printf '%s\n' "$packages" >"$dir/packages"
  say "building in $dir (a few minutes the first time)"
}

# build DIR [TARGET...]: build what changed. Quiet, unless it fails: then the whole log.
build()
{
  local dir=$1 log
  shift
  log=$(ninja --quiet -C "$dir" "$@" 2>&1 </dev/null) || {
    printf '%s\n' "$log" >&2
    die "the build in $dir failed"
  }
}

# build_in_spite_of_warnings DIR [TARGET...]: for those who want the program and may have another compiler
# than ours. It is tried as tools/test will build it, so that nothing is compiled twice; where a warning
# stops that, it is no error any more.
build_in_spite_of_warnings()
{
  local dir=$1 log
  shift
  log=$(build "$dir" "$@" 2>&1) && return 0
  if ! grep -q 'error:.*\[-Werror' <<<"$log"; then
    printf '%s\n' "$log" >&2
    exit 1
  fi
  say "this compiler warns of something; building again without taking that for an error"
  meson configure "$dir" -Dwerror=false
  build "$dir" "$@"
}

# private_environment FOLDER: one environment for every machine: no desktop of the caller's, a home
# below FOLDER, English, one renderer.
private_environment()
{
  local scratch=$1
  export HOME=$scratch/home XDG_CONFIG_HOME=$scratch/config XDG_CACHE_HOME=$scratch/cache
  export XDG_DATA_HOME=$scratch/data XDG_STATE_HOME=$scratch/state XDG_RUNTIME_DIR=$scratch/run
  mkdir -p "$HOME" "$XDG_CONFIG_HOME/gtk-4.0" "$XDG_CACHE_HOME" "$XDG_DATA_HOME" \
    "$XDG_STATE_HOME" "$XDG_RUNTIME_DIR"
  chmod 700 "$XDG_RUNTIME_DIR"
  # A blinking cursor and moving widgets make two pictures of one window differ. GTK 4.8 leaks a date
  # whenever it looks for recent files that are too old.
  printf '[Settings]\ngtk-enable-animations=0\ngtk-cursor-blink=0\ngtk-recent-files-max-age=-1\n' \
    >"$XDG_CONFIG_HOME/gtk-4.0/settings.ini"
  unset WAYLAND_DISPLAY DISPLAY DBUS_SESSION_BUS_ADDRESS REGARD_MODEL_DIR G_MESSAGES_DEBUG
  unset LANGUAGE LOCPATH REGARD_LOCALE_DIR
  # Tests already run beside each other: threads of one would wait for cores that the others have. Tests of
  # threads ask for them by number.
  export LC_ALL=C.UTF-8 NO_COLOR=1 GSETTINGS_BACKEND=memory OMP_NUM_THREADS=1
  export GDK_BACKEND=x11 GSK_RENDERER=cairo
  # No OpenGL: its drivers are loaded and unloaded again only to find that cairo draws. GTK 4.16 has a variable
  # of its own for that, and complains of the word in the older one.
  if pkg-config --atleast-version=4.16 gtk4 2>/dev/null; then
    export GDK_DISABLE=gl,vulkan
  else
    export GDK_DEBUG=gl-disable
  fi
}
