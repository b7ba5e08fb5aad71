#!/bin/sh
# SPDX-License-Identifier: MIT
# The real window on a real network, driven as a person would with mouse and keys: opens resnet50, runs it, breaks on the
# third convolution, steps, looks at a selection in every view, replans with everything, compares, and saves.
#   resnet50.sh PROGRAM [DATA]
# Leaves 77 (skipped) where the data, Xvfb or xdotool is missing. KEEP=FOLDER keeps screenshots and tables.
set -u
program=$1
data=${ARENASCOPE_DATA:-${2:-}}
skip() { echo "skipped: $1"; exit 77; }
die() { echo "FAILED: $1"; exit 1; }
for tool in Xvfb xdotool import compare; do command -v $tool >/dev/null 2>&1 || skip "$tool is not installed"; done
model=$data/onnx/light/resnet50/model.onnx
[ -f "$model" ] || skip "no test data: $model"

folder=$(mktemp -d)
[ -n "${KEEP:-}" ] && mkdir -p "$KEEP"
display_file=$folder/display
Xvfb -displayfd 3 -screen 0 1600x900x24 -nolisten tcp >/dev/null 2>&1 3>"$display_file" &
xvfb=$!
window_program=
manager=
finish() {
  status=$?
  [ -n "$window_program" ] && kill "$window_program" 2>/dev/null
  [ -n "$manager" ] && kill "$manager" 2>/dev/null
  kill $xvfb 2>/dev/null
  wait 2>/dev/null
  if [ -n "${KEEP:-}" ]; then cp "$folder"/*.png "$folder"/*.csv "$KEEP" 2>/dev/null; fi
  rm -rf "$folder"
  exit $status
}
trap finish EXIT
trap 'exit 1' INT TERM
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do [ -s "$display_file" ] && break; sleep 0.5; done
[ -s "$display_file" ] || skip "Xvfb does not start"
DISPLAY=:$(cat "$display_file")
export DISPLAY
export HOME="$folder" XDG_CONFIG_HOME="$folder/config" XDG_STATE_HOME="$folder/state" XDG_CACHE_HOME="$folder/cache" LC_ALL=C.UTF-8
unset QT_QPA_PLATFORM
if command -v openbox >/dev/null 2>&1; then openbox >/dev/null 2>&1 & manager=$!; sleep 1; fi

"$program" "$model" >"$folder/log" 2>&1 &
window_program=$!

# title PATTERN SECONDS: waits until the main window's title matches.
window=
title() {
  tries=$(($2 * 5))
  while [ $tries -gt 0 ]; do
    kill -0 $window_program 2>/dev/null || die "the program ended: $(tail -3 "$folder/log")"
    for w in $(xdotool search --onlyvisible --name "Arenascope" 2>/dev/null); do
      name=$(xdotool getwindowname "$w" 2>/dev/null)
      case $name in $1) window=$w; return 0 ;; esac
    done
    tries=$((tries - 1))
    sleep 0.2
  done
  die "no window is called “$1”; the last was “${name:-}”"
}
key() { xdotool windowfocus --sync "$window" 2>/dev/null; xdotool key --clearmodifiers "$@"; sleep 0.4; }
shot() { import -window root "$folder/$1.png"; }
# changed A B X Y W H WHAT: the region differs between two screenshots.
changed() {
  n=$(compare -metric AE -extract "$5x$6+$3+$4" "$folder/$1.png" "$folder/$2.png" null: 2>&1 | sed 's/[^0-9.e+].*//')
  [ "${n%%.*}" != 0 ] || die "nothing changed in the $7"
}
# save KEYS FILE: an action that asks for a file.
save() {
  key "$1"
  tries=50
  while [ $tries -gt 0 ]; do
    dialog=$(xdotool search --onlyvisible --name "^Save" 2>/dev/null | head -1)
    [ -n "$dialog" ] && break
    tries=$((tries - 1)); sleep 0.2
  done
  [ -n "$dialog" ] || die "no dialog asks where to save"
  xdotool windowfocus --sync "$dialog" 2>/dev/null
  sleep 0.5
  xdotool type --delay 5 "$2"
  xdotool key Return
  tries=50
  while [ ! -s "$2" ] && [ $tries -gt 0 ]; do tries=$((tries - 1)); sleep 0.2; done
  [ -s "$2" ] || die "$2 was not written"
  sleep 0.5
}
# command TEXT: an action by its name, from the palette.
run_command() {
  key ctrl+shift+p
  sleep 0.5
  xdotool type --delay 5 "$1"
  sleep 0.3
  xdotool key Return
  sleep 0.6
}

title "*resnet50*Arenascope" 120
xdotool windowsize --sync "$window" 1600 900 2>/dev/null
xdotool windowmove "$window" 0 0 2>/dev/null
sleep 4
shot 1-opened

# A breakpoint on every convolution; the third time the run pauses it stands before the third of them.
key ctrl+F9
xdotool type --delay 5 "CONV"
xdotool key Return
sleep 0.5
key F5
title "*paused before*Arenascope" 60
first=$(xdotool getwindowname "$window")
key F5
sleep 2
title "*paused before*Arenascope" 60
second=$(xdotool getwindowname "$window")
[ "$first" != "$second" ] || die "the second breakpoint is the first: $first"
key F5
sleep 2
title "*paused before*Arenascope" 60
third=$(xdotool getwindowname "$window")
[ "$third" != "$second" ] && [ "$third" != "$first" ] || die "the third breakpoint is an earlier one: $third"
echo "paused before the third convolution: $third"
shot 2-third-convolution
# One node on, without the breakpoints in the way.
key F10
sleep 1
title "*paused before*Arenascope" 60
[ "$(xdotool getwindowname "$window")" != "$third" ] || die "a step leads nowhere"
shot 3-step

# A selection is seen in the graph (left), the drawn views (middle), the inspector (right) and the tables (below).
run_command "Layout: Everything"
xdotool mousemove 550 400 click 1  # r15's rectangle in the arena map
sleep 1
shot 4-one
xdotool mousemove 596 400 click 1  # r25's
sleep 1
shot 5-other
changed 4-one 5-other 370 120 880 520 "drawn views"
changed 4-one 5-other 1290 120 300 520 "inspector"

# Let it run, stop, plan with every planner and order, and compare what ran with what runs then.
key shift+F5
run_command "Compare with the Current State"
sleep 1
save ctrl+shift+e "$folder/compare.csv"
rows=$(wc -l <"$folder/compare.csv")
head -1 "$folder/compare.csv" | grep -q "B" || die "the table of the comparison has no B: $(head -1 "$folder/compare.csv")"
[ "$rows" -ge 170 ] || die "the comparison has $rows rows"
echo "compared: $rows rows"
key ctrl+p
tries=30
while [ $tries -gt 0 ]; do
  rm -f "$folder/planners.csv"
  sleep 2
  save ctrl+shift+e "$folder/planners.csv"
  rows=$(wc -l <"$folder/planners.csv")
  echo "planners: $rows rows"
  [ "$rows" -ge 60 ] && break
  tries=$((tries - 1))
done
head -1 "$folder/planners.csv" | grep -q "Planner" || die "the table of planners is another: $(head -1 "$folder/planners.csv")"
[ "$rows" -ge 60 ] || die "planning with all gave $rows rows"
shot 6-planned
kill -0 $window_program 2>/dev/null || die "the program ended: $(tail -3 "$folder/log")"
echo "all done"
