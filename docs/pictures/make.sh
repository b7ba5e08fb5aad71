#!/bin/sh
# SPDX-License-Identifier: MIT
# Redraws the pictures of the documents with `arenascope --export`.
#   make.sh PROGRAM [MODEL]   MODEL: a ResNet-50 as ONNX; default: the built-in one
# If ImageMagick is installed, colours are reduced to 256, which divides the file size by three. The pictures of README
# and the manual are also drawn at twice the size (NAME@2x.png), for high-density screens.
set -eu
program=$1
model=${2:-zoo:resnet50}
cli=$(dirname "$program")/../cli/arenascope-cli
folder=$(cd "$(dirname "$0")" && pwd)
both() {  # NAME ARGUMENTS...: at 1x and 2x
  draw "$@"
  twice=$1@2x
  shift
  draw "$twice" "$@" --scale 2
}
draw() {  # NAME ARGUMENTS...
  name=$1
  shift
  "$program" -o "$folder/$name.png" "$@"
  if command -v convert >/dev/null 2>&1; then
    convert "$folder/$name.png" +dither -colors 255 "PNG8:$folder/$name.small.png"
    mv "$folder/$name.small.png" "$folder/$name.png"
  fi
}
lesson() {  # NAME ARGUMENTS...: at 1x and 2x, of a window on a screen of twice the pixels
  draw "$@"
  twice=$1@2x
  shift
  export QT_SCALE_FACTOR=2
  draw "$twice" "$@"
  unset QT_SCALE_FACTOR
}
both window --export window --select peak "$model"
both window-dark-zh --export window --theme dark --language zh_CN --layout memory zoo:bert_base
both window-zh --export window --language zh_CN --size 1280x800 zoo:squeezenet
# On two threads, even if one alone would be faster.
recording=$(mktemp --suffix=.arenascope)
"$cli" run zoo:squeezenet --threads 2 --no-thread-fallback --repeat 3 --record "$recording" >/dev/null
both timeline --export timeline --size 1200x260 --time "$recording"
rm -f "$recording"
both findings --export findings --size 1200x260 zoo:mobilenet_v2
both compare-dark --export window --theme dark --layout memory --size 1280x800 --planner two-level zoo:squeezenet zoo:squeezenet
both compare-dark-zh --export window --theme dark --language zh_CN --layout memory --size 1280x800 --planner two-level zoo:squeezenet zoo:squeezenet
for planner in none two-level search; do
  both "arena-$planner" --export arena --size 1000x360 --planner "$planner" "$model"
done
both lifetimes --export lifetimes --size 1000x420 "$model"
draw ggml --export objects --size 1000x100 zoo:mul_mat
draw libtensor-inspector --export inspector --size 560x600 --select y zoo:mul_mat_add_relu
lesson lesson --lesson arena --step 3 --size 1400x875
lesson lesson-zh --lesson arena --step 3 --size 1400x875 --language zh_CN
lesson lesson-dark --lesson two_level --step 7 --size 1400x875 --theme dark
# What allocators did has to be recorded first.
if command -v "${cli:=$(dirname "$program")/arenascope-cli}" >/dev/null 2>&1; then
  recordings=$(mktemp -d)
  "$cli" run zoo:squeezenet --memory eager --record "$recordings/eager.arenascope" >/dev/null
  "$cli" run zoo:mul_mat_in_pool --memory none --record "$recordings/pool.arenascope" >/dev/null
  draw ggml-pool --export objects --size 1000x100 "$recordings/pool.arenascope"
  draw libtensor-arena --export arena --size 1000x300 "$recordings/eager.arenascope"
  if "$cli" run zoo:squeezenet --backend opencl --memory eager --record "$recordings/opencl.arenascope" >/dev/null; then
    draw mnn-arena --export arena --size 1000x300 "$recordings/opencl.arenascope"
    draw mnn-pools --export pools --size 1000x260 "$recordings/opencl.arenascope"
  fi
  rm -r "$recordings"
fi
