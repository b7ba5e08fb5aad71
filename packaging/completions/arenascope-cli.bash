# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from the program by packaging/generate-docs.
_arenascope_cli() {
  local cur prev words cword options models=
  _init_completion -n : || return
  if [ "$cword" -eq 1 ]; then
    COMPREPLY=($(compgen -W 'devices info compile plan run generate train verify bench convert audit diff query replay report serve attach --help --version' -- "$cur"))
    return
  fi
  case "${words[1]}" in
    devices)
      case "$prev" in
        --cache) _filedir; return ;;
      esac
      options='-h --help --json --tuning --cache'
      models=
      ;;
    info)
      case "$prev" in
        --dim) _filedir; return ;;
        --shape) _filedir; return ;;
        --tokens) _filedir; return ;;
      esac
      options='-h --help --dim --shape --tokens --prefill --training --json --allow-unknown --fuse'
      models=yes
      ;;
    compile)
      case "$prev" in
        --dim) _filedir; return ;;
        --shape) _filedir; return ;;
        --tokens) _filedir; return ;;
        --backend) COMPREPLY=($(compgen -W 'cpu reference opencl cuda' -- "$cur")); return ;;
        --backend-option) _filedir; return ;;
        --host-ops) _filedir; return ;;
        --threads) _filedir; return ;;
        --planner) COMPREPLY=($(compgen -W 'none max-block binary-block two-level best-fit-online greedy-by-size first-fit-by-time first-fit-by-size first-fit-by-area first-fit-by-length best-fit-by-time best-fit-by-area global-decreasing-size-best-fit hybrid search all' -- "$cur")); return ;;
        --order) COMPREPLY=($(compgen -W 'depth-first breadth-first reverse-depth-first ge least-peak-first least-peak-late search all' -- "$cur")); return ;;
        --memory) COMPREPLY=($(compgen -W 'planned eager none' -- "$cur")); return ;;
        --budget) _filedir; return ;;
        --budget-steps) _filedir; return ;;
        --capacity) _filedir; return ;;
        --alignment) _filedir; return ;;
        --prefer) COMPREPLY=($(compgen -W 'time memory' -- "$cur")); return ;;
        --dump-after) _filedir; return ;;
      esac
      options='-h --help --dim --shape --tokens --prefill --training --backend --backend-option --host-ops --threads --planner --order --memory --budget --budget-steps --capacity --alignment --in-place --no-rewrite --no-fusion --no-channels-last --prefer --dump-after --allow-unknown --json'
      models=yes
      ;;
    plan)
      case "$prev" in
        --dim) _filedir; return ;;
        --shape) _filedir; return ;;
        --tokens) _filedir; return ;;
        --backend) COMPREPLY=($(compgen -W 'cpu reference opencl cuda' -- "$cur")); return ;;
        --backend-option) _filedir; return ;;
        --host-ops) _filedir; return ;;
        --planner) COMPREPLY=($(compgen -W 'none max-block binary-block two-level best-fit-online greedy-by-size first-fit-by-time first-fit-by-size first-fit-by-area first-fit-by-length best-fit-by-time best-fit-by-area global-decreasing-size-best-fit hybrid search all' -- "$cur")); return ;;
        --rule) _filedir; return ;;
        --order) COMPREPLY=($(compgen -W 'depth-first breadth-first reverse-depth-first ge least-peak-first least-peak-late search all' -- "$cur")); return ;;
        --space) _filedir; return ;;
        --graph) _filedir; return ;;
        --capacity) _filedir; return ;;
        --budget) _filedir; return ;;
        --budget-steps) _filedir; return ;;
        --threads) _filedir; return ;;
        --prefer) COMPREPLY=($(compgen -W 'time memory' -- "$cur")); return ;;
        --alignment) _filedir; return ;;
        --weight-paths) _filedir; return ;;
        --moves) _filedir; return ;;
        --streams) _filedir; return ;;
        --banks) _filedir; return ;;
        --watch) _filedir; return ;;
        --watch-seconds) _filedir; return ;;
        --why) _filedir; return ;;
        --export) _filedir; return ;;
      esac
      options='-h --help --dim --shape --tokens --prefill --training --backend --backend-option --host-ops --planner --rule --order --space --graph --capacity --budget --budget-steps --threads --in-place --no-rewrite --no-fusion --no-channels-last --prefer --alignment --weight-paths --moves --streams --banks --no-join --free-outputs --watch --watch-seconds --what-if --why --export --allow-unknown --json'
      models=yes
      ;;
    run)
      case "$prev" in
        --dim) _filedir; return ;;
        --shape) _filedir; return ;;
        --tokens) _filedir; return ;;
        --backend) COMPREPLY=($(compgen -W 'cpu reference opencl cuda' -- "$cur")); return ;;
        --backend-option) _filedir; return ;;
        --host-ops) _filedir; return ;;
        --threads) _filedir; return ;;
        --planner) COMPREPLY=($(compgen -W 'none max-block binary-block two-level best-fit-online greedy-by-size first-fit-by-time first-fit-by-size first-fit-by-area first-fit-by-length best-fit-by-time best-fit-by-area global-decreasing-size-best-fit hybrid search all' -- "$cur")); return ;;
        --order) COMPREPLY=($(compgen -W 'depth-first breadth-first reverse-depth-first ge least-peak-first least-peak-late search all' -- "$cur")); return ;;
        --memory) COMPREPLY=($(compgen -W 'planned eager none' -- "$cur")); return ;;
        --allocator) COMPREPLY=($(compgen -W 'caching power-of-two plain' -- "$cur")); return ;;
        --budget) _filedir; return ;;
        --budget-steps) _filedir; return ;;
        --capacity) _filedir; return ;;
        --alignment) _filedir; return ;;
        --input) _filedir; return ;;
        --prefer) COMPREPLY=($(compgen -W 'time memory' -- "$cur")); return ;;
        --processors) _filedir; return ;;
        --nice) _filedir; return ;;
        --spin-percent) _filedir; return ;;
        --output) _filedir; return ;;
        --repeat) _filedir; return ;;
        --record) _filedir; return ;;
      esac
      options='-h --help --dim --shape --tokens --prefill --training --backend --backend-option --host-ops --threads --planner --order --memory --allocator --budget --budget-steps --capacity --alignment --input --in-place --no-rewrite --no-fusion --no-channels-last --prefer --processors --nice --spin-percent --every-barrier --drop-barriers --no-stealing --no-thread-fallback --output --repeat --no-node-times --record --json'
      models=yes
      ;;
    generate)
      case "$prev" in
        --prompt) _filedir; return ;;
        --file) _filedir; return ;;
        --tokens) _filedir; return ;;
        -n|--number) _filedir; return ;;
        --temp) _filedir; return ;;
        --top-k) _filedir; return ;;
        --top-p) _filedir; return ;;
        --seed) _filedir; return ;;
        --batch) _filedir; return ;;
        --copies) _filedir; return ;;
        --cache-type) _filedir; return ;;
        --cache-block) _filedir; return ;;
        --logits) _filedir; return ;;
        --threads) _filedir; return ;;
        --backend) COMPREPLY=($(compgen -W 'cpu reference opencl cuda' -- "$cur")); return ;;
        --backend-option) _filedir; return ;;
        --host-ops) _filedir; return ;;
        --record) _filedir; return ;;
      esac
      options='-h --help --prompt --file --tokens -n --number --temp --top-k --top-p --seed --batch --copies --cache-type --cache-block --context-shift --chat --logits --ignore-eos --no-special-tokens --threads --backend --backend-option --host-ops --record --json'
      models=yes
      ;;
    train)
      case "$prev" in
        --data) _filedir; return ;;
        --test) _filedir; return ;;
        --optimizer) _filedir; return ;;
        --lr) _filedir; return ;;
        --epochs) _filedir; return ;;
        --batch) _filedir; return ;;
        --loss) _filedir; return ;;
        --schedule) _filedir; return ;;
        --warmup) _filedir; return ;;
        --clip) _filedir; return ;;
        --precision) COMPREPLY=($(compgen -W 'high normal low' -- "$cur")); return ;;
        --accumulate) _filedir; return ;;
        --dropout) _filedir; return ;;
        --tokens) _filedir; return ;;
        --seed) _filedir; return ;;
        --weight-decay) _filedir; return ;;
        --weight-decay-of) _filedir; return ;;
        --momentum) _filedir; return ;;
        --beta1) _filedir; return ;;
        --beta2) _filedir; return ;;
        --epsilon) _filedir; return ;;
        --save) _filedir; return ;;
        --resume) _filedir; return ;;
        --save-every) _filedir; return ;;
        --capacity) _filedir; return ;;
        --record) _filedir; return ;;
        --threads) _filedir; return ;;
      esac
      options='-h --help --data --test --optimizer --lr --epochs --batch --loss --schedule --warmup --clip --precision --accumulate --dropout --tokens --seed --weight-decay --weight-decay-of --momentum --beta1 --beta2 --epsilon --save --resume --save-every --capacity --record --threads --json'
      models=yes
      ;;
    verify)
      case "$prev" in
        --dim) _filedir; return ;;
        --shape) _filedir; return ;;
        --tokens) _filedir; return ;;
        --backend) COMPREPLY=($(compgen -W 'cpu reference opencl cuda' -- "$cur")); return ;;
        --backend-option) _filedir; return ;;
        --host-ops) _filedir; return ;;
        --threads) _filedir; return ;;
        --planner) COMPREPLY=($(compgen -W 'none max-block binary-block two-level best-fit-online greedy-by-size first-fit-by-time first-fit-by-size first-fit-by-area first-fit-by-length best-fit-by-time best-fit-by-area global-decreasing-size-best-fit hybrid search all' -- "$cur")); return ;;
        --order) COMPREPLY=($(compgen -W 'depth-first breadth-first reverse-depth-first ge least-peak-first least-peak-late search all' -- "$cur")); return ;;
        --budget) _filedir; return ;;
        --memory) COMPREPLY=($(compgen -W 'planned eager none' -- "$cur")); return ;;
        --only) _filedir; return ;;
        --rtol) _filedir; return ;;
        --atol) _filedir; return ;;
        --relative-to-max) _filedir; return ;;
        --against) _filedir; return ;;
      esac
      options='-h --help --dim --shape --tokens --prefill --training --backend --backend-option --host-ops --recursive --threads --planner --order --budget --memory --in-place --no-channels-last --only --fuse --rtol --atol --relative-to-max --against --json --allow-unknown'
      models=yes
      ;;
    bench)
      case "$prev" in
        --data) _filedir; return ;;
        --model) _filedir; return ;;
        --pairs) _filedir; return ;;
        --only) _filedir; return ;;
        --threads) _filedir; return ;;
      esac
      options='-h --help --data --model --pairs --only --threads --processor-time --quick --json'
      models=
      ;;
    convert)
      case "$prev" in
      esac
      options='-h --help --json --allow-unknown'
      models=
      ;;
    audit)
      case "$prev" in
        --metric) _filedir; return ;;
      esac
      options='-h --help --metric --json --allow-unknown'
      models=
      ;;
    diff)
      case "$prev" in
        --fail-on) _filedir; return ;;
        --top) _filedir; return ;;
        --planner) COMPREPLY=($(compgen -W 'none max-block binary-block two-level best-fit-online greedy-by-size first-fit-by-time first-fit-by-size first-fit-by-area first-fit-by-length best-fit-by-time best-fit-by-area global-decreasing-size-best-fit hybrid search all' -- "$cur")); return ;;
        --order) COMPREPLY=($(compgen -W 'depth-first breadth-first reverse-depth-first ge least-peak-first least-peak-late search all' -- "$cur")); return ;;
        --budget) _filedir; return ;;
        --budget-steps) _filedir; return ;;
      esac
      options='-h --help --fail-on --all --top --markdown --planner --order --budget --budget-steps --json --allow-unknown'
      models=
      ;;
    query)
      case "$prev" in
        --named) _filedir; return ;;
        --planner) COMPREPLY=($(compgen -W 'none max-block binary-block two-level best-fit-online greedy-by-size first-fit-by-time first-fit-by-size first-fit-by-area first-fit-by-length best-fit-by-time best-fit-by-area global-decreasing-size-best-fit hybrid search all' -- "$cur")); return ;;
        --order) COMPREPLY=($(compgen -W 'depth-first breadth-first reverse-depth-first ge least-peak-first least-peak-late search all' -- "$cur")); return ;;
        --budget) _filedir; return ;;
        --budget-steps) _filedir; return ;;
      esac
      options='-h --help --named --list --tables --csv --planner --order --budget --budget-steps --json --allow-unknown'
      models=
      ;;
    replay)
      case "$prev" in
        --set) _filedir; return ;;
        --memory) COMPREPLY=($(compgen -W 'planned eager none' -- "$cur")); return ;;
      esac
      options='-h --help --set --memory --json'
      models=
      ;;
    report)
      case "$prev" in
        -o|--output) _filedir; return ;;
        --top) _filedir; return ;;
        --findings) _filedir; return ;;
        --planner) COMPREPLY=($(compgen -W 'none max-block binary-block two-level best-fit-online greedy-by-size first-fit-by-time first-fit-by-size first-fit-by-area first-fit-by-length best-fit-by-time best-fit-by-area global-decreasing-size-best-fit hybrid search all' -- "$cur")); return ;;
        --order) COMPREPLY=($(compgen -W 'depth-first breadth-first reverse-depth-first ge least-peak-first least-peak-late search all' -- "$cur")); return ;;
        --budget) _filedir; return ;;
        --budget-steps) _filedir; return ;;
      esac
      options='-h --help -o --output --markdown --top --findings --planner --order --budget --budget-steps --json --allow-unknown'
      models=
      ;;
    serve)
      case "$prev" in
        --folder) _filedir; return ;;
        --timeout) _filedir; return ;;
        --memory-limit) _filedir; return ;;
      esac
      options='-h --help --mcp --folder --timeout --memory-limit'
      models=
      ;;
    attach)
      case "$prev" in
        --record) _filedir; return ;;
        --with) _filedir; return ;;
        -n|--ranks) _filedir; return ;;
      esac
      options='-h --help --record --with -n --ranks --include-dir --tcp --json'
      models=
      ;;
    *) return ;;
  esac
  if [[ "$cur" == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
    return
  fi
  _filedir
  if [ -n "$models" ]; then
    COMPREPLY+=($(compgen -W 'zoo:mul_mat zoo:mul_mat_in_pool zoo:mul_mat_add_relu zoo:mnist_fc zoo:mnist_cnn zoo:squeezenet zoo:resnet50 zoo:mobilenet_v2 zoo:unet zoo:bert_base zoo:gpt2 zoo:nano_gpt zoo:llama_7b zoo:llama_13b zoo:baichuan_13b zoo:vit_b16 zoo:yolo zoo:lstm' -- "$cur"))
    __ltrim_colon_completions "$cur"
  fi
}
complete -F _arenascope_cli arenascope-cli
