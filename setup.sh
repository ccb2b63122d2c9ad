#!/usr/bin/env bash
# Sets Yardstick up on Debian 12 or newer: installs what is missing, builds, leaves ./yardstick.
# Safe to run again. With YARDSTICK_NO_APT=1 nothing is installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

packages=(
  g++ cmake ninja-build pkg-config ca-certificates
  libtorch-dev libdnnl-dev libopenblas0-pthread libtbb-dev
  libyaml-cpp-dev libfmt-dev nlohmann-json3-dev libcli11-dev
  libsqlitecpp-dev libsqlite3-dev libpcre2-dev libutf8proc-dev libssl-dev zlib1g-dev libzstd-dev
  libgtest-dev libgmock-dev libbenchmark-dev sqlite3
)

fail() {
  echo "setup.sh: $*" >&2
  exit 1
}

missing_packages() {
  local package
  for package in "${packages[@]}"; do
    dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || echo "$package"
  done
}

install_missing() {
  command -v apt-get >/dev/null || fail "this is not a Debian system; install: ${packages[*]}"
  local missing
  mapfile -t missing < <(missing_packages)
  if [ "${#missing[@]}" -eq 0 ]; then return; fi
  echo "setup.sh: installing ${#missing[@]} packages: ${missing[*]}"
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "run this as root, or install sudo; missing: ${missing[*]}"
    as_root=(sudo)
  fi
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q ||
    fail "apt-get update failed; see above"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends "${missing[@]}" ||
    fail "apt-get could not install: ${missing[*]}; see above"
}

if [ -z "${YARDSTICK_NO_APT:-}" ]; then install_missing; fi
cmake --preset release
cmake --build --preset release --target yardstick
ln -sf build/release/bin/yardstick yardstick
echo "setup.sh: ready. Try: ./yardstick run configs/quickstart.yaml"
