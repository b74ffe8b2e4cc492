#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs what building and testing Palimpsest needs: Debian 12 (with a trixie source pinned at 100),
# Debian 13 and newer, Ubuntu 25.04 and newer. Idempotent; a second run only looks and returns.
set -eu

packages="g++ cmake ninja-build ccache pkgconf qt6-base-dev qt6-svg-dev libqt6svg6 libqt6sql6-sqlite libqt6sql6-psql
libkf6syntaxhighlighting-dev nlohmann-json3-dev libmsgpack-cxx-dev libexpected-dev libimmer-dev libbotan-3-dev
libcli11-dev libqcustomplot-dev librapidcheck-dev libsqlite3-dev fonts-dejavu-core xvfb"

refuse() {
    echo "install-deps: $1" >&2
    echo "install-deps: needed are a C++20 compiler (g++ 13 or newer), CMake 3.25, Ninja, pkgconf, Qt 6.8 (Core, Gui, Widgets," >&2
    echo "  Network, Sql with SQLite and PostgreSQL drivers, Svg, Test), KDE Frameworks 6 SyntaxHighlighting, nlohmann-json," >&2
    echo "  msgpack-cxx, tl-expected, immer, Botan 3, CLI11, QCustomPlot (Qt 6 build), rapidcheck, SQLite 3, the DejaVu fonts." >&2
    exit 1
}

[ -r /etc/os-release ] || refuse "no /etc/os-release here: this script knows Debian and Ubuntu only"
. /etc/os-release
version=${VERSION_ID:-0}
major=${version%%.*}
pin=no
case "${ID:-}" in
debian)
    # testing and unstable carry no VERSION_ID and are newer than any release
    [ -n "${VERSION_ID:-}" ] || major=99
    [ "$major" -ge 12 ] || refuse "Debian $version is too old: Debian 12 or newer is needed"
    [ "$major" -gt 12 ] || pin=yes
    ;;
ubuntu)
    minor=${version#*.}
    { [ "$major" -gt 25 ] || { [ "$major" -eq 25 ] && [ "${minor#0}" -ge 4 ]; }; } ||
        refuse "Ubuntu $version has no KDE Frameworks 6: Ubuntu 25.04 or newer is needed"
    ;;
*) refuse "${PRETTY_NAME:-this system} is not Debian or Ubuntu" ;;
esac

missing=""
for package in $packages; do
    status=$(dpkg-query -W -f '${db:Status-Status} ${Version}' "$package" 2>/dev/null || true)
    case $status in
    "installed "*) ;;
    *) missing="$missing $package" ;;
    esac
done
if [ "$pin" = yes ] && [ -z "$missing" ]; then
    # bookworm's own compiler cannot link against the C++ library of the trixie packages' headers
    gxx=$(g++ -dumpversion)
    [ "${gxx%%.*}" -ge 13 ] || missing=" g++"
fi
[ -n "$missing" ] || exit 0

as_root=""
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || refuse "not root and no sudo; install:$missing"
    as_root=sudo
fi
if [ -t 0 ]; then
    printf 'Palimpsest needs these packages:%s\n' "$missing"
    [ "$pin" = no ] || echo "On Debian 12 they come from Debian 13 (trixie), added as a source pinned at 100, so that nothing else is upgraded from it."
    printf 'Install them now? [Y/n] '
    read -r answer
    case $answer in [nN]*) echo "install-deps: nothing was changed" >&2; exit 1 ;; esac
fi

release=""
if [ "$pin" = yes ]; then
    release="-t trixie"
    if ! [ -e /etc/apt/sources.list.d/palimpsest-trixie.sources ]; then
        uri=""
        keyring=""
        for list in /etc/apt/sources.list.d/*.sources; do
            [ -r "$list" ] || continue
            uri=$(sed -n 's/^URIs:[[:space:]]*\([^[:space:]]*\/debian\/\{0,1\}\)\([[:space:]].*\)\{0,1\}$/\1/p' "$list" | head -n 1)
            if [ -n "$uri" ]; then
                keyring=$(sed -n 's/^Signed-By:[[:space:]]*\(\/[^[:space:]]*\).*$/\1/p' "$list" | head -n 1)
                break
            fi
        done
        if [ -z "$uri" ] && [ -r /etc/apt/sources.list ]; then
            uri=$(sed -n 's/^deb[[:space:]]\(\[[^]]*\][[:space:]]*\)\{0,1\}\([^[:space:]]*\/debian\/\{0,1\}\)[[:space:]].*$/\2/p' /etc/apt/sources.list | head -n 1)
        fi
        [ -n "$uri" ] || refuse "no Debian source was found under /etc/apt to take trixie from"
        [ -n "$keyring" ] || keyring=/usr/share/keyrings/debian-archive-keyring.gpg
        printf 'Types: deb\nURIs: %s\nSuites: trixie\nComponents: main\nSigned-By: %s\n' "$uri" "$keyring" |
            $as_root tee /etc/apt/sources.list.d/palimpsest-trixie.sources >/dev/null
        printf 'Package: *\nPin: release n=trixie\nPin-Priority: 100\n' |
            $as_root tee /etc/apt/preferences.d/palimpsest-trixie >/dev/null
    fi
fi
# A registry can be slow to answer or be busy for a moment: three tries, then the error is final.
try() {
    for pause in 5 15 0; do
        if "$@"; then return 0; fi
        sleep $pause
    done
    return 1
}
try $as_root apt-get -q update
try $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends \
    -o Dpkg::Options::=--force-confold $release $packages
