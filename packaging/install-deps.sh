#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs what building, running and testing Palimpsest needs on Debian 12 (from trixie, pinned at 100), Debian 13 and newer,
# Ubuntu 25.04 and newer. Asks on a terminal, proceeds without one. What is there already is looked at and left alone.
set -eu

usage() {
    cat <<'END'
usage: packaging/install-deps.sh [--yes | --check] [--tests]
  --yes    do not ask
  --tests  also what only the tests need: a PostgreSQL server, as the release has it
  --check  change nothing; print what is missing and return 1 if anything is
END
}

# name, or name=lowest version that will do
packages="g++=4:13 cmake=3.25 ninja-build ccache pkgconf qt6-base-dev=6.8 qt6-svg-dev=6.8 libqt6svg6=6.8 libqt6sql6-sqlite=6.8
libkf6syntaxhighlighting-dev nlohmann-json3-dev libmsgpack-cxx-dev libexpected-dev libimmer-dev libbotan-3-dev libpq-dev
libcli11-dev libqcustomplot-dev librapidcheck-dev libsqlite3-dev libqpdf-dev fonts-dejavu-core xvfb"
test_packages=postgresql
# Taken along where the archive has them: a faster linker, checks of the desktop files.
extras="mold desktop-file-utils appstream"

source_file=/etc/apt/sources.list.d/palimpsest-trixie.sources
pin_file=/etc/apt/preferences.d/palimpsest-trixie

say() { echo "install-deps: $*" >&2; }

needs() {
    cat >&2 <<'END'
What is needed, under whatever names your system has it:
  a C++20 compiler (g++ 13 or newer), CMake 3.25, Ninja, pkgconf; ccache and mold if you like them
  Qt 6.8: Core, Gui, Widgets, Network, PrintSupport, Svg, Test, Sql with the SQLite driver
  KDE Frameworks 6 SyntaxHighlighting, QCustomPlot (Qt 6 build), nlohmann-json, msgpack-cxx, tl-expected, immer,
  Botan 3, CLI11, rapidcheck, SQLite 3, libpq, the DejaVu fonts; a PostgreSQL server for the tests
With these in place: cmake --workflow --preset ci
END
}

refuse() {
    say "$1"
    needs
    exit 1
}

ask=auto
only_check=no
tests=no
for argument; do
    case $argument in
    -y | --yes) ask=no ;;
    --check) only_check=yes ;;
    --tests) tests=yes ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
    esac
done

# Lets a test stand on another system's description.
release_file=${PALIMPSEST_OS_RELEASE:-/etc/os-release}
[ -r "$release_file" ] || refuse "no $release_file here: this script knows Debian and Ubuntu only"
ID='' VERSION_ID='' PRETTY_NAME=''
# shellcheck disable=SC1090
. "$release_file"
major=${VERSION_ID%%.*}
pin=no
case $ID in
debian)
    # testing and unstable carry no VERSION_ID and are newer than any release
    [ -n "$VERSION_ID" ] || major=99
    [ "$major" -ge 12 ] || refuse "Debian $VERSION_ID is too old: Debian 12 or newer is needed"
    # With trixie's C library comes trixie's base-files: a Debian 12 that was prepared here calls itself 13 from then on.
    if [ "$major" -eq 12 ] || [ -e "$pin_file" ]; then pin=yes; fi
    ;;
ubuntu)
    minor=${VERSION_ID#*.}
    if [ "$major" -lt 25 ] || { [ "$major" -eq 25 ] && [ "${minor#0}" -lt 4 ]; }; then
        refuse "Ubuntu $VERSION_ID has no KDE Frameworks 6: Ubuntu 25.04 or newer is needed"
    fi
    ;;
*) refuse "${PRETTY_NAME:-this system} is neither Debian nor Ubuntu" ;;
esac

names=''
for entry in $packages; do names="$names ${entry%%=*}"; done

# One question to dpkg for all of them; a package of two architectures answers twice.
[ "$tests" = yes ] || test_packages=''
# shellcheck disable=SC2086
installed=$(dpkg-query -W -f '${Package} ${db:Status-Status} ${Version}\n' $names $test_packages 2>/dev/null || true)
lacking() {
    for entry; do
        name=${entry%%=*}
        version=$(printf '%s\n' "$installed" | sed -n "s/^$name installed //p" | head -n 1)
        if [ -z "$version" ]; then
            printf ' %s' "$name"
        elif [ "$entry" != "$name" ] && ! dpkg --compare-versions "$version" ge "${entry#*=}"; then
            printf ' %s' "$name"
        fi
    done
}
# shellcheck disable=SC2086
missing=$(lacking $packages)
# shellcheck disable=SC2086
missing_tests=$(lacking $test_packages)
[ -n "$missing" ] || names=''
missing="$missing$missing_tests"
if [ -z "$missing" ]; then exit 0; fi
if [ "$only_check" = yes ]; then
    say "missing:$missing"
    exit 1
fi

if [ "$ask" = auto ] && [ -t 0 ]; then ask=yes; else ask=no; fi
question() {
    [ "$ask" = yes ] || return 0
    printf '%s [Y/n] ' "$1" >&2
    answer=n
    read -r answer || true
    case $answer in
    '' | [yYjJ]*) return 0 ;;
    *) say "nothing was changed"; exit 1 ;;
    esac
}

as_root=''
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || refuse "not root, and no sudo to become it; to install:$missing"
    as_root=sudo
    if [ "$ask" = no ] && ! sudo -n true 2>/dev/null; then
        say "sudo wants a password and there is no terminal to ask for it on; run this script on one, or as root"
        exit 1
    fi
fi

say "Palimpsest needs these packages:$missing"
if [ "$pin" = yes ] && [ ! -e "$source_file" ]; then
    cat >&2 <<END
Debian 12 has neither KDE Frameworks 6 nor a Qt that is new enough. Debian 13 (trixie) is added as a source pinned at 100: its
packages are taken for Palimpsest and what these depend on (the C library among it), nothing else is upgraded from it.
To undo it later, remove $source_file and $pin_file.
END
fi
question "Install them now?"

# From here on something changes. What this run has added is taken away again unless packages came to depend on it.
added=no
keep=no
cleanup() {
    status=$?
    trap - EXIT
    if [ "$added" = yes ] && [ "$keep" = no ]; then
        $as_root rm -f "$source_file" "$pin_file"
        say "nothing was installed; the trixie source was taken away again"
        $as_root apt-get -qq update || true
    fi
    exit "$status"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

if [ -n "$(dpkg --audit 2>/dev/null)" ]; then
    say "an earlier installation was interrupted: finishing it first"
    $as_root env DEBIAN_FRONTEND=noninteractive dpkg --force-confold --configure -a
fi

from=''
if [ "$pin" = yes ]; then
    from='-t trixie'
    if [ ! -e "$source_file" ]; then
        # The archive and key that this machine already uses, so that a mirror or a proxy goes on serving.
        uri=''
        key=''
        for list in /etc/apt/sources.list.d/*.sources /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
            [ -r "$list" ] || continue
            case $list in
            *.sources)
                uri_of='s|^URIs:[[:space:]]*\([^[:space:]]*/debian/\{0,1\}\)\([[:space:]].*\)\{0,1\}$|\1|p'
                key_of='s|^Signed-By:[[:space:]]*\(/[^[:space:]]*\).*$|\1|p'
                ;;
            *)
                uri_of='s|^deb[[:space:]]\{1,\}\(\[[^]]*\][[:space:]]*\)\{0,1\}\([^[:space:]]*/debian/\{0,1\}\)[[:space:]].*$|\2|p'
                key_of='s|^deb[[:space:]]\{1,\}\[.*signed-by=\(/[^] ]*\).*$|\1|p'
                ;;
            esac
            uri=$(sed -n "$uri_of" "$list" | head -n 1)
            key=$(sed -n "$key_of" "$list" | head -n 1)
            [ -z "$uri" ] || break
        done
        [ -n "$uri" ] || refuse "no Debian archive was found under /etc/apt to take trixie from"
        if [ -z "$key" ] && [ -r /usr/share/keyrings/debian-archive-keyring.gpg ]; then
            key=/usr/share/keyrings/debian-archive-keyring.gpg
        fi
        added=yes
        # The pin first: a source without it would offer to upgrade the whole system.
        printf 'Package: *\nPin: release n=trixie\nPin-Priority: 100\n' | $as_root tee "$pin_file" >/dev/null
        {
            printf 'Types: deb\nURIs: %s\nSuites: trixie\nComponents: main\n' "$uri"
            [ -z "$key" ] || printf 'Signed-By: %s\n' "$key"
        } | $as_root tee "$source_file" >/dev/null
    fi
fi

# An archive can be busy for a moment: three tries, then the error is final.
try() {
    for pause in 5 15 0; do
        if "$@"; then return 0; fi
        sleep "$pause"
    done
    return 1
}
apt() {
    # shellcheck disable=SC2086
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends \
        -o Dpkg::Options::=--force-confold -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=120 $from "$@"
}

# A source that cannot be fetched is only a warning to apt: it is tried again, and may be one that is not needed here.
try apt -o APT::Update::Error-Mode=any update || apt update || { say "the package lists could not be fetched"; exit 1; }
if [ "$pin" = yes ] && ! apt-cache policy | grep -q 'n=trixie'; then
    say "the package lists of trixie could not be fetched; apt says why above"
    exit 1
fi
for extra in $extras; do
    if [ -n "$names" ] && [ -n "$(apt-cache show "$extra" 2>/dev/null | head -n 1)" ]; then names="$names $extra"; fi
done

# What would happen, before it does: packages that cannot be had, packages that would go.
install() {
    [ "$#" -gt 0 ] || return 0
    if ! plan=$(apt --simulate install "$@" 2>&1); then
        printf '%s\n' "$plan" >&2
        [ "$ID" != ubuntu ] || say "on Ubuntu most of these are in 'universe': sudo add-apt-repository universe"
        say "apt cannot install these, for the reasons above"
        exit 1
    fi
    gone=$(printf '%s\n' "$plan" | sed -n 's/^Remv \([^ ]*\).*/\1/p' | tr '\n' ' ')
    if [ -n "$gone" ]; then
        say "apt would remove or replace: $gone"
        question "Go on?"
    fi
    try apt --download-only install "$@" || { say "the packages could not be downloaded"; exit 1; }
    keep=yes
    try apt install "$@" || { say "apt did not finish; mend what it says above, then run this script again: it goes on from there"; exit 1; }
}
# shellcheck disable=SC2086
install $names
# The server is this release's own, not trixie's; the locales that it asks for must be those of the C library that is there.
from=''
if [ -n "$missing_tests" ] && [ "$pin" = yes ]; then missing_tests="$missing_tests locales/trixie"; fi
# shellcheck disable=SC2086
install $missing_tests
