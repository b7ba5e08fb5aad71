# SPDX-License-Identifier: MIT
# Shared by packaging/run and packaging/test: paths, package installation, the build. Sourced by bash.
set -euo pipefail

arenascope_root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
arenascope_build="$arenascope_root/build/release"

say() { printf '%s\n' "$*" >&2; }

# list_packages [SECTION…]: the packages of packages.txt, one per line; without sections, all of them.
list_packages() {
  awk -v sections=" $* " '
    /^# \[/ { section = $2; gsub(/[][]/, "", section) }
    { sub(/#.*/, ""); gsub(/[[:space:]]/, "") }
    $0 != "" && (sections == "  " || index(sections, " " section " "))' "$arenascope_root/packaging/packages.txt"
}

# missing_packages [SECTION…]: those that are not installed.
missing_packages() {
  local package status
  while read -r package; do
    status="$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)"
    [ "$status" = installed ] || printf '%s\n' "$package"
  done < <(list_packages "$@")
}

# install_packages [SECTION…]: installs the missing packages. If none is missing it needs neither network nor root.
install_packages() {
  if ! command -v dpkg-query >/dev/null; then
    say "This is not a Debian system: install the packages listed in packaging/packages.txt with your package manager."
    return 0
  fi
  local missing=() as_root=()
  mapfile -t missing < <(missing_packages "$@")
  [ "${#missing[@]}" -gt 0 ] || return 0
  if ! command -v apt-get >/dev/null; then
    say "Cannot install missing packages: apt-get was not found. Missing: ${missing[*]}"
    return 1
  fi
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      say "Cannot install missing packages without root or sudo. Missing: ${missing[*]}"
      return 1
    fi
    as_root=(sudo)
  fi
  say "Installing ${#missing[@]} packages: ${missing[*]}"
  "${as_root[@]}" apt-get update -q >&2
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}" >&2
}

# Number of parallel compile jobs: one per CPU, with about 1.5 GB of memory each.
build_jobs() {
  local jobs memory
  jobs="$(nproc)"
  memory="$(awk '/^MemAvailable:/ { print int($2 / 1500000) }' /proc/meminfo 2>/dev/null || true)"
  [ -n "$memory" ] || memory="$jobs"
  [ "$memory" -ge 1 ] || memory=1
  [ "$jobs" -le "$memory" ] && printf '%s' "$jobs" || printf '%s' "$memory"
}

# Additional CMake options.
build_options=(-DARENASCOPE_UNITY=ON)

# build_release [TARGET…]: configures and builds the release preset; all targets by default. Uses ccache if it is
# installed (cmake/ArenascopeBuild.cmake).
build_release() {
  local targets=()
  [ $# -eq 0 ] || targets=(--target "$@")
  (
    cd "$arenascope_root"
    mkdir -p build/release
    cmake --preset release "${build_options[@]}" >build/release/configure.log 2>&1 || {
      cat build/release/configure.log >&2
      exit 1
    }
    cmake --build --preset release --parallel "$(build_jobs)" "${targets[@]}" >&2
  )
}

# link_programs: makes the built programs available as commands, by symbolic links in ~/.local/bin. Replaces links only.
link_programs() {
  local folder="${XDG_BIN_HOME:-${HOME:-}/.local/bin}" program target linked=()
  [ -n "${XDG_BIN_HOME:-}${HOME:-}" ] && mkdir -p "$folder" 2>/dev/null && [ -w "$folder" ] || {
    say "Add the programs to your PATH: export PATH=\"$arenascope_build/app/cli:$arenascope_build/app/window:\$PATH\""
    return 0
  }
  for program in window/arenascope cli/arenascope-cli; do
    target="$folder/$(basename "$program")"
    if [ -e "$target" ] && [ ! -L "$target" ]; then
      say "$target was not replaced: it is not a symbolic link."
      continue
    fi
    ln -sfn "$arenascope_build/app/$program" "$target"
    linked+=("$(basename "$program")")
  done
  [ "${#linked[@]}" -gt 0 ] || return 0
  case ":$PATH:" in
    *":$folder:"*) say "Commands in $folder: ${linked[*]}" ;;
    *) say "Commands in $folder: ${linked[*]}. It is not on your PATH yet: export PATH=\"$folder:\$PATH\"" ;;
  esac
}

# timed LABEL COMMAND…: runs the command; with CI=true prints how long it took.
timed() {
  local label="$1" start=$SECONDS
  shift
  "$@"
  [ "${CI:-}" != true ] || printf '%s: %d s\n' "$label" $((SECONDS - start))
}

# make_root_file_system SUITE [MIRROR]: a minimal system made by debootstrap, from the mirror of this machine by default; another
# mirror's signatures are not checked. Sets `work`, a temporary folder, and `root` in it; both are removed when the script ends.
make_root_file_system() {
  local mirror="${2:-}" script="" scripts=/usr/share/debootstrap/scripts
  [[ "$1" =~ ^[a-z]+$ ]] || { say "$0: expected the name of a release, found '$1'"; exit 2; }
  [ "$(id -u)" -eq 0 ] || { say "$0: root is required for a root file system"; exit 2; }
  command -v debootstrap >/dev/null || { say "$0: debootstrap is not installed"; exit 2; }
  work="$(mktemp -d)"
  root="$work/root"
  trap 'umount "$root/proc" 2>/dev/null || true; rm -rf --one-file-system "$work"' EXIT
  [ -n "$mirror" ] || mirror="$(awk '$1 == "deb" { for (i = 2; i <= NF; ++i) if ($i ~ /^http/) { print $i; exit } }
    $1 == "URIs:" { print $2; exit }' /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null || true)"
  [ -e "$scripts/$1" ] || script="$scripts/gutsy"  # of all Ubuntu suites, also of those that are newer than debootstrap
  debootstrap --variant=minbase ${2:+--no-check-gpg --components=main,universe} "$1" "$root" ${mirror:+"$mirror"} \
    ${script:+"$script"} >"$work/debootstrap.log" 2>&1 ||
    { tail -20 "$work/debootstrap.log" >&2; exit 1; }
  cp /etc/resolv.conf "$root/etc/" 2>/dev/null || true
  cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
  mount -t proc proc "$root/proc"  # by which programs find their own folder
}

# within COMMAND…: runs the command in that system.
within() {
  chroot "$root" env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} "$@"
}
