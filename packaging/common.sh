# SPDX-License-Identifier: MIT
# What packaging/run and packaging/test share: where things are, the packages, the build. Sourced by bash.
set -euo pipefail

arenascope_root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
arenascope_build="$arenascope_root/build/release"

say() { printf '%s\n' "$*" >&2; }

# The packages of packages.txt, one a line.
list_packages() { sed -e 's/#.*//' -e 's/[[:space:]]//g' -e '/^$/d' "$arenascope_root/packaging/packages.txt"; }

# Those that are not installed.
missing_packages() {
  local package status
  while read -r package; do
    status="$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)"
    [ "$status" = installed ] || printf '%s\n' "$package"
  done < <(list_packages)
}

# Installs what is missing. With nothing missing it needs neither the network nor rights.
install_packages() {
  if ! command -v dpkg-query >/dev/null; then
    say "This is no Debian system: please install what packaging/packages.txt lists in your system's way."
    return 0
  fi
  local missing=() as_root=()
  mapfile -t missing < <(missing_packages)
  [ "${#missing[@]}" -gt 0 ] || return 0
  if ! command -v apt-get >/dev/null; then
    say "There is no apt-get to install these packages, which are missing: ${missing[*]}"
    return 1
  fi
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      say "Installing packages needs root or sudo. Please install these first: ${missing[*]}"
      return 1
    fi
    as_root=(sudo)
  fi
  say "Installing ${#missing[@]} packages: ${missing[*]}"
  "${as_root[@]}" apt-get update -q >&2
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}" >&2
}

# How many compilers at once: a processor and about 1.5 GB each.
build_jobs() {
  local jobs memory
  jobs="$(nproc)"
  memory="$(awk '/^MemAvailable:/ { print int($2 / 1500000) }' /proc/meminfo 2>/dev/null || true)"
  [ -n "$memory" ] || memory="$jobs"
  [ "$memory" -ge 1 ] || memory=1
  [ "$jobs" -le "$memory" ] && printf '%s' "$jobs" || printf '%s' "$memory"
}

# Further options for CMake.
build_options=(-DARENASCOPE_UNITY=ON)

# build_release [TARGET…]: configures and builds the release preset; everything without targets. The compiler cache is
# used where it is installed (cmake/ArenascopeBuild.cmake).
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

# timed LABEL COMMAND…: runs the command; with CI=true says how long it took.
timed() {
  local label="$1" start=$SECONDS
  shift
  "$@"
  [ "${CI:-}" != true ] || printf '%s: %d s\n' "$label" $((SECONDS - start))
}
