# shellcheck shell=bash disable=SC2034  # variables belong to the script that sources this
# Sourced by tests in which an agent builds a driver: a forge that has the source of our stand-in for tt-kmd (module/), over https with an
# authority that only this test knows. $stage is a folder of the test's own.

# A repository like the vendor's: a tag per version, each with the version in its source. 3.0.13 builds and refuses to load, 4.0.0
# does not build.
make_repository() {
  local git=(git -C "$stage/source" -c user.name=test -c user.email=test@example.com -c commit.gpgsign=false) version
  mkdir -p "$stage/source" "$stage/forge"
  cp test/kernel/module/* "$stage/source/"
  "${git[@]}" init -q -b main
  for version in 1.0.0 2.0.0 3.0.13 4.0.0; do
    echo "#define DRIVER_VERSION \"$version\"" >"$stage/source/version.h"
    [ $version != 4.0.0 ] || echo '#error "this version does not build"' >>"$stage/source/version.h"
    "${git[@]}" add . && "${git[@]}" commit -q -m "$version" && "${git[@]}" tag "ttkmd-$version" || return 1
  done
  git clone -q --bare "$stage/source" "$stage/forge/tt-kmd.git"
}

# Sets source_url, by which machines reach the repository at ADDRESS, and forge_ca, which they have to trust.
open_forge() { # ADDRESS
  local pki=$stage/pki
  mkdir -p "$pki"
  make_repository || return 1
  (
    # shellcheck source=test/bed/pki.sh
    source test/bed/pki.sh
    authority "$pki" ca
    signed "$pki" forge ca /CN=forge -addext extendedKeyUsage=serverAuth -addext "subjectAltName=IP:$1"
  ) || return 1
  python3 test/kernel/git_server.py "$stage/forge-port" "$stage/forge" "$pki/forge.crt" "$pki/forge.key" 2>"$stage/forge.log" &
  soon 20 test -s "$stage/forge-port" || return 1
  source_url=https://$1:$(cat "$stage/forge-port")/tt-kmd.git forge_ca=$pki/ca.crt
}

# How often the source was fetched: every clone begins with this request.
fetched() { grep -c 'GET /tt-kmd.git/info/refs' "$stage/forge.log"; }
