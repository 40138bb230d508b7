#!/bin/bash
# What reaches the loader past the API server, by its container's environment, is refused there too: before anything else, and
# without a word of a secret. `drover agent vacate` on a folder that is not a machine's changes nothing.
# shellcheck disable=SC2016  # nothing is to expand
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
# shellcheck source=test/cli/one_line.sh
source "$(dirname "$0")/one_line.sh"

bad_env() { # TITLE WORDS VARIABLE=VALUE
    refuses "$1" "$2" env -i PATH="$PATH" NODE_NAME=n POD_UID=p DRIVER_CONFIG_DIGEST=d TT_KMD_VERSION=2.8.0 "$3" "$drover" agent load
}
for version in '1.2;rm -rf /' '$(id)' '`id`' ../../etc -oProxyCommand=x 2.8 2.8.0-rc1 $'2.8.0\n' '2․8․0' "$(printf '1%.0s' {1..300}).0.0" ''; do
    bad_env "version ${version:0:20} is refused" 'TT_KMD_VERSION is .*; a version such as 2.8.0 is wanted' "TT_KMD_VERSION=$version"
done
for url in 'ext::sh -c id' file:///etc http://a/b https://user:secret@a/b --upload-pack=id https://a/../b ssh://a/b; do
    bad_env "source ${url%%secret*} is refused" 'TT_KMD_SOURCE is ' "TT_KMD_SOURCE=$url"
done
bad_env "a proxy of two lines is refused" 'HTTPS_PROXY is "\(not shown\)"' "HTTPS_PROXY=http://u:secret@a"$'\n'LD_PRELOAD=x
bad_env "a node that is none is refused" 'NODE_NAME is ' 'NODE_NAME=a/../b'
refuses "without its variables it says which" 'NODE_NAME is not set' env -i PATH="$PATH" "$drover" agent load
refuses "a folder without depmod is not vacated" 'depmod' "$drover" agent vacate --root "$stage"
exit $failed
