# shellcheck shell=bash
# Words for scripts that start virtual machines: up, run a command, cut the power, down. Nothing here knows Kubernetes or a driver.
#
# A machine is a folder. At rest it holds
#   share/     the machine sees it as /share; /share/boot, a script, is run there once per boot, before anything else
#   console    what the kernel said, over all boots
#   shell      a socket: a root shell in the machine, for vm_run
#   pid        "pid start-time exe" while it is up
#
# One emulated processor (TCG): there is no KVM on most machines that run tests. With two, a machine is not quicker, and one of them can wait
# for an answer of the other for ever: a soft lockup was seen once, never again on purpose. VM_CPUS changes it. A machine dies with the
# script that started it.
# Start one from the script itself, never in $(...): it would die with that.

vm_here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=test/bed/lib.sh
source "$vm_here/../bed/lib.sh"

readonly vm_kernel_words="console=ttyS0 quiet mitigations=off cgroup_no_v1=all net.ifnames=0 random.trust_cpu=on tsc=reliable panic=5"
# How Linux says that something hangs: a processor, for 20 s; RCU, for 21 s or 60 s; a task, for two minutes.
readonly vm_lockup_words='BUG: soft lockup|watchdog: .*LOCKUP|rcu: .*(self-detected stall|detected stalls|kthread starved)|INFO: task .* blocked for more than'

# Runs the calling script again in a network namespace of its own: what it listens on is seen by no other process, and nothing in it can
# reach anything else. Call it first, with the script's arguments.
in_own_network() {
  if [[ -z ${DROVER_OWN_NETWORK:-} ]]; then
    [[ $(id -u) = 0 ]] || cannot "root is needed: for images, network namespaces and virtual disks"
    command -v ip >/dev/null || cannot "there is no ip. On Debian: apt-get install iproute2"
    unshare --net true 2>/dev/null || cannot "no network namespace may be made here (CAP_SYS_ADMIN is missing)"
    DROVER_OWN_NETWORK=1 exec unshare --net -- "$0" "$@"
  fi
  ip link set lo up
}

vm_lives() { # DIR
  local pid start exe
  [[ -s $1/pid ]] && read -r pid start exe <"$1/pid" && lives "$pid" "$start" "$exe"
}

# Starts the machine DIR from the image folder IMAGE; what follows is given to qemu: a root disk as drive id=root, a network.
# Returns when its boot script has run, and the command in the array vm_until, where the caller has one, holds. A machine whose kernel
# says before that that a processor hangs is cut and started once more, and a line that begins with "-- " says so.
vm_up() { # DIR IMAGE [QEMU-ARGUMENT...]
  local dir=$1 status=0
  vm_lives "$dir" && die "$dir is up already"
  mkdir -p "$dir/share"
  vm_start "$@" && vm_await "$dir" 600 vm_has_booted "$dir" || status=$?
  [[ $status = 2 ]] || return $status
  say "-- machine ${dir##*/}: its console shows a lockup; started once more: $(vm_lockup "$dir")"
  vm_cut "$dir"
  vm_start "$@" && vm_await "$dir" 600 vm_has_booted "$dir" && return
  say "the machine ${dir##*/} was started twice: $(vm_lockup "$dir" || echo "its console shows a lockup the first time only")"
  return 1
}

# Starts qemu, and does not wait for what it boots.
vm_start() { # DIR IMAGE [QEMU-ARGUMENT...]
  local dir=$1 image=$2 pid exe
  shift 2
  rm -f "$dir/share/booted" "$dir/shell"
  vm_forget_console "$dir"
  exe=$(realpath "$(command -v qemu-system-x86_64)")
  # It ends when this script does.
  setsid setpriv --pdeathsig KILL \
    "$exe" -name "${dir##*/}" -M q35,i8042=off,vmport=off -accel tcg,thread=multi,tb-size=256 -cpu max,la57=off \
    -smp "${VM_CPUS:-1}" -m "${VM_MEMORY:-1024}" -nodefaults -no-user-config -display none -vga none \
    -kernel "$image/vmlinux" -initrd "$image/initrd" -append "$vm_kernel_words" \
    -device virtio-blk-pci,drive=root \
    -fsdev "local,id=share,path=$dir/share,security_model=none" -device virtio-9p-pci,fsdev=share,mount_tag=share \
    -device virtio-serial-pci -chardev "socket,id=shell,path=$dir/shell,server=on,wait=off" -device virtconsole,chardev=shell \
    -device virtio-rng-pci -chardev "file,id=console,path=$dir/console,append=on" -serial chardev:console "$@" \
    </dev/null >"$dir/qemu.log" 2>&1 &
  pid=$!
  disown "$pid"
  while [[ $(exe_of "$pid") != "$exe" ]]; do
    kill -0 "$pid" 2>/dev/null || { say "qemu did not start: $(tail -n 1 "$dir/qemu.log")"; return 1; }
    sleep 0.02
  done
  echo "$pid $(start_time "$pid") $exe" >"$dir/pid"
}

vm_has_booted() { [[ -s $1/share/booted ]] && "${vm_until[@]:-true}"; } # DIR

# What the console says up to now is of the past.
vm_forget_console() { stat -c %s "$1/console" >"$1/seen" 2>/dev/null || echo 0 >"$1/seen"; } # DIR

# The first line of its console since then that says that a processor or a task hangs; false when there is none.
vm_lockup() { # DIR
  local line
  line=$(tail -c "+$(($(cat "$1/seen") + 1))" "$1/console" 2>/dev/null | grep -m1 -aE "$vm_lockup_words")
  [[ -n $line ]] && echo "${line%$'\r'}"
}

# Waits until the command holds; false when the machine ends first or it takes longer, 2 when the machine's console shows a lockup.
vm_await() { # DIR SECONDS COMMAND...
  local dir=$1 within=$2 began=$SECONDS
  shift 2
  until "$@"; do
    ! vm_lockup "$dir" >/dev/null || return 2
    vm_lives "$dir" || { say "the machine $dir ended while it booted: $(tail -n 2 "$dir/qemu.log" "$dir/console")"; return 1; }
    ((SECONDS - began < within)) || { say "the machine $dir has not booted after $within s ($*); see $dir/console"; return 1; }
    sleep 0.2
  done
}

# Runs a shell command as root in the machine, prints what it says, returns its status; 99 when it takes more than VM_WITHIN (180) s.
vm_run() { # DIR COMMAND
  python3 "$vm_here/shell.py" "$1/shell" "${VM_WITHIN:-180}" "$2"
}

# The power goes: what the machine had not flushed to its disks is gone.
vm_cut() { # DIR
  local pid start exe
  vm_lives "$1" || return 0
  read -r pid start exe <"$1/pid"
  kill -s KILL "$pid"
  while lives "$pid" "$start" "$exe"; do sleep 0.02; done
  until let_go "$pid"; do sleep 0.01; done
  rm -f "$1/pid"
}

# Asks the machine to power itself off, and cuts the power after half a minute.
vm_down() { # DIR
  local began=$SECONDS
  VM_WITHIN=5 vm_run "$1" 'poweroff' >/dev/null 2>&1
  while vm_lives "$1" && ((SECONDS - began < 30)); do sleep 0.1; done
  vm_cut "$1"
}

# ---- what machines are given

# A program of this machine without what only debuggers read, and every library that it needs.
pack_program() { # PROGRAM FILE FOLDER
  mkdir -p "$3"
  strip -o "$2" "$1" && ldd "$1" | awk '$3 ~ /^\// { print $3 }' | xargs -I{} cp -L {} "$3/"
}
