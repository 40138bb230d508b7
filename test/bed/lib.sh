# shellcheck shell=bash
# Words that the scripts of this folder share: speaking to people, finding a bed, and starting and stopping its processes.
#
# A bed is a folder. At rest it holds
#   bed           a marker, so that nothing else is ever taken for a bed and removed
#   ports         "name port", one line per component
#   cmd/NAME      the component's command line, a script that can be run by hand
#   pids          "name pid start-time exe", one line per process that is meant to run
#   pki/ token/   certificates, keys, kubeconfigs of the components; one static token per file
#   kubeconfig    the administrator's
#   bin           link to the folder with kubectl, helm and the servers
#   etcd          link to etcd's data
#   log/NAME.log  what the component said, over all its starts
#
# A pid alone proves nothing, as the kernel reuses it: no signal is sent before start time and executable were compared.
#
# Exit codes everywhere: 0 done, 1 it went wrong, 2 called wrongly, 3 cannot run on this machine (a test then says SKIPPED).

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
components=(etcd kube-apiserver kube-controller-manager kube-scheduler)

spoken=''
say() {
  spoken=yes
  printf '%s\n' "$*" >&2
}
die() { say "${0##*/}: $*"; exit 1; }
misuse() { say "${0##*/}: $*"; usage >&2; exit 2; }
cannot() { say "cannot run here: $*"; exit 3; }

# Nothing ends without a word, also where a command failed that says nothing: where it was is said. (A script that calls exit has said
# why.) An EXIT trap of a script's own takes its place; up's calls it first, with $?.
tell_end() {
  [[ $1 = 0 || -n $spoken || $BASH_COMMAND == exit* ]] ||
    say "${0##*/} ended with code $1 at \"$BASH_COMMAND\" in ${FUNCNAME[*]:1}. bash -x $0 shows the way there"
}
trap 'tell_end $?' EXIT
trap 'say "${0##*/}: a signal told it to end; what it had begun may be half done"; exit 130' HUP INT TERM

# Prints the comment block at the top of the calling script.
usage() { sed -n '2,/^[^#]/{s/^# \{0,1\}//p}' "$0"; }

# The version of module $2 that the go.mod in folder $1 pins. Versions are written there and nowhere else.
pinned() { awk -v module="$2" '{ sub(/^require /, "") } $1 == module { print $2; exit }' "$here/$1/go.mod"; }

# Ends with code 3, naming every missing tool and its Debian package at once.
need() {
  local tool missing=()
  for tool in "$@"; do
    command -v "$tool" >/dev/null || missing+=("$tool")
  done
  [[ ${#missing[@]} = 0 ]] || cannot "missing ${missing[*]}. On Debian: apt-get install openssl curl util-linux ca-certificates"
}

# Seconds since $1, an earlier value of EPOCHREALTIME, with one digit.
elapsed() {
  local tenths=$(( (${EPOCHREALTIME/[.,]/} - ${1/[.,]/}) / 100000 ))
  printf '%d.%d s' $((tenths / 10)) $((tenths % 10))
}

# Sets bed to the absolute path of the one that $1 names: its folder or its kubeconfig.
find_bed() {
  local dir=$1
  [[ -f $dir ]] && dir=$(dirname "$dir")
  [[ -f $dir/bed ]] || die "$1 is not a bed: there is no file '$dir/bed'. Give the folder or the kubeconfig that test/bed/up printed"
  bed=$(realpath "$dir")
}

is_component() { [[ " ${components[*]} " == *" $1 "* ]]; }

port_of() { awk -v name="$2" '$1 == name { print $2 }' "$1/ports"; }  # bed, name

# Removes what DIR/etcd points to, if it is a folder that up made.
drop_etcd_data() {
  local data
  data=$(readlink "$1/etcd") || return 0
  case $data in
    /dev/shm/drover-bed-etcd-* | "$1/etcd-data") rm -rf "$data" ;;
  esac
  rm -f "$1/etcd"
}

# ---- processes

# What the kernel says in file $1, if it is still there, goes to `stat`. (Not $(<FILE): under set -e, bash 5.2 ends the whole shell
# when that file is gone, whatever stands behind ||.)
read_stat() { { read -r stat <"$1"; } 2>/dev/null; }

# The start time of process $1 in clock ticks since boot. The second field may hold blanks: count from its closing bracket.
start_time() {
  local stat
  read_stat "/proc/$1/stat" || return 1
  read -ra stat <<<"${stat##*) }"
  echo "${stat[19]}"
}

# The executable of process $1, also when it was deleted since (the cache was emptied).
exe_of() {
  local exe
  exe=$(readlink "/proc/$1/exe" 2>/dev/null) && echo "${exe% (deleted)}"
}

# True while the process that was recorded as (pid, start time, exe) lives. A zombie has no exe and counts as gone.
lives() { [[ $(start_time "$1") = "$2" && $(exe_of "$1") = "$3" ]]; }

# Sets pid, start and exe to what bed $1 recorded for component $2; false when it is not meant to run.
recorded() {
  local name
  while read -r name pid start exe; do
    [[ $name = "$2" ]] && return 0
  done <"$1/pids"
  return 1
}

# True when process $1 holds nothing any more: it has no thread, or only zombies. A dying process loses its exe before it closes its
# sockets, so `lives` is false a moment before its port is free.
let_go() {
  local file stat
  for file in "/proc/$1/task/"*/stat; do
    read_stat "$file" || continue
    [[ ${stat##*) } == [ZX]* ]] || return 1
  done
}

runs() {
  local pid start exe
  recorded "$1" "$2" && lives "$pid" "$start" "$exe"
}

# Replaces the line of component $2 in the records of bed $1 by the line $3, or removes it.
record() {
  (
    flock 8
    { awk -v name="$2" '$1 != name' "$1/pids"; [[ -z ${3:-} ]] || echo "$3"; } >"$1/pids.new"
    mv "$1/pids.new" "$1/pids"
  ) 8>"$1/pids.lock"
}

# Runs DIR/cmd/NAME detached from us, and records it. Does not wait until it is ready.
launch() {
  local bed=$1 name=$2 exe pid
  exe=$(realpath "$bed/bin/$name")
  setsid "$bed/cmd/$name" </dev/null >>"$bed/log/$name.log" 2>&1 &
  pid=$!
  disown "$pid"  # else bash reports its end, however it came
  # The script needs a moment to become the server; only then does its exe identify it.
  while [[ $(exe_of "$pid") != "$exe" ]]; do
    kill -0 "$pid" 2>/dev/null || die "$name did not start. Its last words: $(last_words "$bed" "$name")"
    sleep 0.01
  done
  record "$bed" "$name" "$name $pid $(start_time "$pid") $exe"
}

# Ends component $2 of bed $1 with signal $3 and forgets it. A polite signal is followed by KILL after ten seconds.
halt() {
  local bed=$1 name=$2 signal=${3:-TERM} pid start exe began=$SECONDS
  recorded "$bed" "$name" || return 0
  if lives "$pid" "$start" "$exe"; then
    kill -s "$signal" "$pid" 2>/dev/null || true
    kill -s CONT "$pid" 2>/dev/null || true  # someone may have paused it; a paused process does not see TERM
    while lives "$pid" "$start" "$exe"; do
      if ((SECONDS - began > 10)); then
        say "$name ($pid) still runs 10 s after $signal: killing it"
        kill -s KILL "$pid" 2>/dev/null || true
        began=$SECONDS
      fi
      sleep 0.05
    done
    until let_go "$pid"; do sleep 0.01; done
  fi
  record "$bed" "$name"
}

last_words() { tail -n 1 "$1/log/$2.log" 2>/dev/null | cut -c1-300; }

# One question to a server of the bed, asked with the administrator's certificate (etcd has its own authority).
ask() {
  local bed=$1 name=$2 path=$3 ca=ca client=admin
  [[ $name = etcd ]] && ca=etcd-ca client=etcd-client
  curl -fsS --max-time 2 --noproxy '*' --cacert "$bed/pki/$ca.crt" --cert "$bed/pki/$client.crt" --key "$bed/pki/$client.key" \
    "https://127.0.0.1:$(port_of "$bed" "$name")$path" 2>/dev/null
}

ready_path() {
  case $1 in
    etcd) echo /health ;;
    kube-apiserver) echo /readyz ;;
    *) echo /healthz ;;
  esac
}

# Waits until component $2 of bed $1 is ready, or answers on path $3; false when it dies first or takes more than 90 s.
await() {
  local bed=$1 name=$2 path=${3:-} began=$SECONDS
  [[ -n $path ]] || path=$(ready_path "$name")
  until ask "$bed" "$name" "$path" >/dev/null; do
    if ! runs "$bed" "$name"; then
      say "$name ended before it was ready. Its last words: $(last_words "$bed" "$name"). All of it: $bed/log/$name.log"
      return 1
    fi
    if ((SECONDS - began > 90)); then
      say "$name has no good answer on $path after 90 s. Look into $bed/log; is the machine overloaded?"
      return 1
    fi
    sleep 0.1
  done
}

# ---- what stop, start and restart are told: DIR NAME [--signal SIGNAL]; sets bed, name and signal

parse_component() {
  local words=()
  signal=TERM
  while [[ $# != 0 ]]; do
    case $1 in
      -h | --help) usage; exit 0 ;;
      --signal) signal=${2:?a signal, for example KILL}; shift 2 ;;
      --signal=*) signal=${1#*=}; shift ;;
      -*) misuse "unknown option $1" ;;
      *) words+=("$1"); shift ;;
    esac
  done
  [[ ${#words[@]} = 2 ]] || misuse "a bed and a component are needed"
  [[ $signal =~ ^(TERM|KILL|INT|QUIT)$ ]] || misuse "--signal $signal does not end a process: use TERM, KILL, INT or QUIT"
  find_bed "${words[0]}"
  name=${words[1]}
  is_component "$name" || misuse "unknown component '$name': one of ${components[*]}"
}
