#compdef arenascope-cli
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated from the program by packaging/generate-docs.
_arenascope_cli_models() {
  _alternative 'models:built-in model:(zoo\:mul_mat zoo\:mul_mat_in_pool zoo\:mul_mat_add_relu zoo\:mnist_fc zoo\:mnist_cnn zoo\:squeezenet zoo\:resnet50 zoo\:mobilenet_v2 zoo\:unet zoo\:bert_base zoo\:gpt2 zoo\:nano_gpt zoo\:llama_7b zoo\:llama_13b zoo\:baichuan_13b zoo\:vit_b16 zoo\:yolo zoo\:lstm)' 'files:file:_files'
}
_arenascope_cli() {
  local -a commands=(
    'devices:Backends and devices, or why each is missing'
    'info:Print what a model contains (ops, tensors, sizes, unsupported ops), or a recording or trace (graphs, plans, runs, memory)'
    'compile:Compile a model and print what each pass did, or the graph after a pass'
    'plan:Plan memory\: arena size, lower bound, ratio and time of each plan'
    'run:Run a model and print times per node and peak memory by kind'
    'generate:Generate tokens from a prompt'
    'train:Train a model on labelled images or texts'
    'verify:Run a model and compare its outputs with expected outputs or the reference backend'
    'bench:Run micro-benchmarks and compare them with their baselines'
    'convert:Convert between recordings and other tools'\'' formats'
    'audit:Recompute every value that the window shows from the raw events of a recording or trace'
    'diff:Compare two recordings, traces or plans, with the tensors, call sites and nodes that explain each change'
    'query:Query the tables of a recording, trace, model or plan with SQL'
    'replay:Replay the requests of a PyTorch memory snapshot with other allocator settings'
    'report:Write a report of a recording, trace, model or plan\: text, Markdown, JSON, or one HTML page to send'
    'serve:Answer questions of an assistant about files\: Model Context Protocol on standard input and output'
    'attach:Start a program and report or record its tensors, buffers and kernels'
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
    devices)
      _arguments \
        '*-h[Print this help message and exit]' \
        '*--help[Print this help message and exit]' \
        '*--json[Print one JSON object]' \
        '*--tuning[Also print the stored tuning results of each OpenCL device]' \
        '*--cache[Folder of the tuning results; default\: the cache folder of the user]:value:_files' \
        '*:file:_files'
      ;;
    info)
      _arguments \
        '*-h[Print this help message and exit]' \
        '*--help[Print this help message and exit]' \
        '*--dim[Size of a symbolic dimension, NAME=N]:value:_files' \
        '*--shape[Shape of an input with dynamic dimensions, NAME=N,N,…]:value:_files' \
        '*--tokens[Sequence length of built-in language models]:value:_files' \
        '*--prefill[Prefill graph of built-in language models (all tokens at once)]' \
        '*--training[Training step of built-in models that have one]' \
        '*--json[Print one JSON object]' \
        '*--allow-unknown[Exit status 0 although some nodes of the model cannot be computed, or the file is damaged]' \
        '*--fuse[List the fused nodes of the CPU backend]' \
        '*:file:_arenascope_cli_models'
      ;;
    compile)
      _arguments \
        '*-h[Print this help message and exit]' \
        '*--help[Print this help message and exit]' \
        '*--dim[Size of a symbolic dimension, NAME=N]:value:_files' \
        '*--shape[Shape of an input with dynamic dimensions, NAME=N,N,…]:value:_files' \
        '*--tokens[Sequence length of built-in language models]:value:_files' \
        '*--prefill[Prefill graph of built-in language models (all tokens at once)]' \
        '*--training[Training step of built-in models that have one]' \
        '*--backend[Backend\: cpu, reference, opencl or cuda; opencl\:1 selects the second OpenCL device]:value:(cpu reference opencl cuda)' \
        '*--backend-option[Backend option NAME=VALUE; the backend documentation lists them]:value:_files' \
        '*--host-ops[Ops to run on the CPU even if the device supports them, e.g. SOFT_MAX]:value:_files' \
        '*--threads[Number of threads; 0\: one per CPU]:value:_files' \
        '*--planner[Memory planner]:value:(none max-block binary-block two-level best-fit-online greedy-by-size first-fit-by-time first-fit-by-size first-fit-by-area first-fit-by-length best-fit-by-time best-fit-by-area global-decreasing-size-best-fit hybrid search all)' \
        '*--order[Execution order]:value:(depth-first breadth-first reverse-depth-first ge least-peak-first least-peak-late search all)' \
        '*--memory[Memory strategy\: planned, eager or none]:value:(planned eager none)' \
        '*--budget[Time limit for search planners, in seconds]:value:_files' \
        '*--budget-steps[Limit of search planners in search steps instead of seconds\: the same plan on every machine and under any load]:value:_files' \
        '*--capacity[Maximum arena size in bytes; if no plan fits, in-place ops, other orders, fusion, rematerialisation and offloading are tried]:value:_files' \
        '*--alignment[Alignment of tensors in the arena, in bytes; CANN GE uses 512]:value:_files' \
        '*--in-place[Compute ops in place of inputs that are used for the last time]' \
        '*--no-rewrite[Disable\: Fuse patterns that exporters expand and fold constant subgraphs; off\: run the model as written]' \
        '*--no-fusion[Disable\: Fuse chains of ops where the backend supports it; off\: one node per op]' \
        '*--no-channels-last[Disable\: Use channels-last (NHWC) layout between fused ops where it is faster; off\: NCHW throughout]' \
        '*--prefer[Trade-off when fusion or layout needs more memory\: time allows up to 15 % more arena, memory none and no packed weights]:value:(time memory)' \
        '*--dump-after[Pass after which the graph is printed as text]:value:_files' \
        '*--allow-unknown[Exit status 0 although some nodes of the model cannot be computed]' \
        '*--json[Print one JSON object]' \
        '*:file:_arenascope_cli_models'
      ;;
    plan)
      _arguments \
        '*-h[Print this help message and exit]' \
        '*--help[Print this help message and exit]' \
        '*--dim[Size of a symbolic dimension, NAME=N]:value:_files' \
        '*--shape[Shape of an input with dynamic dimensions, NAME=N,N,…]:value:_files' \
        '*--tokens[Sequence length of built-in language models]:value:_files' \
        '*--prefill[Prefill graph of built-in language models (all tokens at once)]' \
        '*--training[Training step of built-in models that have one]' \
        '*--backend[Backend\: cpu, reference, opencl or cuda; opencl\:1 selects the second OpenCL device]:value:(cpu reference opencl cuda)' \
        '*--backend-option[Backend option NAME=VALUE; the backend documentation lists them]:value:_files' \
        '*--host-ops[Ops to run on the CPU even if the device supports them, e.g. SOFT_MAX]:value:_files' \
        '*--planner[Planner name, or all]:value:(none max-block binary-block two-level best-fit-online greedy-by-size first-fit-by-time first-fit-by-size first-fit-by-area first-fit-by-length best-fit-by-time best-fit-by-area global-decreasing-size-best-fit hybrid search all)' \
        '*--rule[Planner of your own to compare\: sort keys and a fit, such as '\''sort -size, first; fit tightest'\'']:value:_files' \
        '*--order[Order name, or all]:value:(depth-first breadth-first reverse-depth-first ge least-peak-first least-peak-late search all)' \
        '*--space[Allocator space of a recording to plan; default\: the one with the highest peak]:value:_files' \
        '*--graph[Index of the graph of a recording to plan, from 0, in the order of its program; with --order also in the given orders]:value:_files' \
        '*--capacity[Maximum arena size in bytes; searches stop once it is reached]:value:_files' \
        '*--budget[Time limit for search planners, in seconds]:value:_files' \
        '*--budget-steps[Limit of search planners in search steps instead of seconds\: the same plan on every machine and under any load]:value:_files' \
        '*--threads[Number of threads; 0\: one per CPU]:value:_files' \
        '*--in-place[Compute ops in place of inputs that are used for the last time]' \
        '*--no-rewrite[Disable\: Fuse patterns that exporters expand and fold constant subgraphs; off\: run the model as written]' \
        '*--no-fusion[Disable\: Fuse chains of ops where the backend supports it; off\: one node per op]' \
        '*--no-channels-last[Disable\: Use channels-last (NHWC) layout between fused ops where it is faster; off\: NCHW throughout]' \
        '*--prefer[Trade-off when fusion or layout needs more memory\: time allows up to 15 % more arena, memory none and no packed weights]:value:(time memory)' \
        '*--alignment[Alignment of every buffer in bytes; default\: that of the backend, 64 for recordings]:value:_files' \
        '*--weight-paths[Plan the graph in the form of CANN GE, with casts between weights and matmuls, and gradients reduced after the last one\: cast, cast-shared, trans-data or trans-data-shared]:value:_files' \
        '*--moves[Order to which GE'\''s topological optimisation is applied, with each move and the composition of the peak]:value:_files' \
        '*--streams[Number of concurrent queues; tensors share memory across queues only after an event]:value:_files' \
        '*--banks[Memory tiers, fastest first\: NAME=BYTES,… with K, M or G; the last may omit its size]:value:_files' \
        '*--no-join[Copy the inputs of concatenations instead of placing them next to each other]' \
        '*--free-outputs[Free outputs and gradients after their last use]' \
        '*--watch[Directory to watch; each NAME.csv gets a NAME.plan.csv]:value:_files' \
        '*--watch-seconds[Seconds to watch; 0\: existing files only; default\: until interrupted]:value:_files' \
        '*--what-if[If no plan fits the capacity, try in-place ops, other orders and fusion, then choose tensors to rematerialise or offload to the host]' \
        '*--why[A B\: explain why buffer A cannot share the memory of B]:value:_files' \
        '*--export[Output file (.json or .csv) for the smallest plan]:value:_files' \
        '*--allow-unknown[Exit status 0 although some nodes of the model are not in the plan]' \
        '*--json[Print one JSON object]' \
        '*:file:_arenascope_cli_models'
      ;;
    run)
      _arguments \
        '*-h[Print this help message and exit]' \
        '*--help[Print this help message and exit]' \
        '*--dim[Size of a symbolic dimension, NAME=N]:value:_files' \
        '*--shape[Shape of an input with dynamic dimensions, NAME=N,N,…]:value:_files' \
        '*--tokens[Sequence length of built-in language models]:value:_files' \
        '*--prefill[Prefill graph of built-in language models (all tokens at once)]' \
        '*--training[Training step of built-in models that have one]' \
        '*--backend[Backend\: cpu, reference, opencl or cuda; opencl\:1 selects the second OpenCL device]:value:(cpu reference opencl cuda)' \
        '*--backend-option[Backend option NAME=VALUE; the backend documentation lists them]:value:_files' \
        '*--host-ops[Ops to run on the CPU even if the device supports them, e.g. SOFT_MAX]:value:_files' \
        '*--threads[Number of threads; 0\: one per CPU]:value:_files' \
        '*--planner[Memory planner]:value:(none max-block binary-block two-level best-fit-online greedy-by-size first-fit-by-time first-fit-by-size first-fit-by-area first-fit-by-length best-fit-by-time best-fit-by-area global-decreasing-size-best-fit hybrid search all)' \
        '*--order[Execution order]:value:(depth-first breadth-first reverse-depth-first ge least-peak-first least-peak-late search all)' \
        '*--memory[Memory strategy\: planned, eager or none]:value:(planned eager none)' \
        '*--allocator[Host allocator for eager memory\: caching, power-of-two or plain]:value:(caching power-of-two plain)' \
        '*--budget[Time limit for search planners, in seconds]:value:_files' \
        '*--budget-steps[Limit of search planners in search steps instead of seconds\: the same plan on every machine and under any load]:value:_files' \
        '*--capacity[Maximum arena size in bytes; if no plan fits, in-place ops, other orders, fusion, rematerialisation and offloading are tried]:value:_files' \
        '*--alignment[Alignment of tensors in the arena, in bytes; CANN GE uses 512]:value:_files' \
        '*--input[Input data from a file, NAME=FILE (.npy or .pb); other inputs are randomly generated]:value:_files' \
        '*--in-place[Compute ops in place of inputs that are used for the last time]' \
        '*--no-rewrite[Disable\: Fuse patterns that exporters expand and fold constant subgraphs; off\: run the model as written]' \
        '*--no-fusion[Disable\: Fuse chains of ops where the backend supports it; off\: one node per op]' \
        '*--no-channels-last[Disable\: Use channels-last (NHWC) layout between fused ops where it is faster; off\: NCHW throughout]' \
        '*--prefer[Trade-off when fusion or layout needs more memory\: time allows up to 15 % more arena, memory none and no packed weights]:value:(time memory)' \
        '*--processors[CPU affinity of the threads, as a list 0,1,…]:value:_files' \
        '*--nice[Nice value of the threads; above 0 other processes have priority]:value:_files' \
        '*--spin-percent[Time that a waiting thread spins before it parks (0–100)]:value:_files' \
        '*--every-barrier[Place a barrier after every node, even between consecutive tiny nodes]' \
        '*--drop-barriers[Omit barriers between independent nodes]' \
        '*--no-stealing[Disable work stealing between threads]' \
        '*--no-thread-fallback[Use all threads even if one thread would be faster]' \
        '*--output[Directory for the outputs, one .npy file each]:value:_files' \
        '*--repeat[Number of runs]:value:_files' \
        '*--no-node-times[Do not measure single nodes]' \
        '*--record[Recording file of the runs]:value:_files' \
        '*--json[Print one JSON object]' \
        '*:file:_arenascope_cli_models'
      ;;
    generate)
      _arguments \
        '*-h[Print this help message and exit]' \
        '*--help[Print this help message and exit]' \
        '*--prompt[Prompt]:value:_files' \
        '*--file[File with the prompt]:value:_files' \
        '*--tokens[Token ids of the prompt (1,2,3), or a file with them]:value:_files' \
        '*-n[Number of tokens to generate; default\: 128, or the rest of the context]:value:_files' \
        '*--number[Number of tokens to generate; default\: 128, or the rest of the context]:value:_files' \
        '*--temp[Sampling temperature; 0\: greedy]:value:_files' \
        '*--top-k[Number of most likely tokens to sample from; 0\: all]:value:_files' \
        '*--top-p[Cumulative probability of the most likely tokens to sample from]:value:_files' \
        '*--seed[Random seed for sampling]:value:_files' \
        '*--batch[Prompt tokens per prefill batch]:value:_files' \
        '*--copies[Number of texts to generate from the prompt, each with its own seed]:value:_files' \
        '*--cache-type[Type of the KV cache\: f32, f16 or q8_0]:value:_files' \
        '*--cache-block[Rows per KV cache block]:value:_files' \
        '*--context-shift[When the context is full, discard the older half of the tokens after the first one]' \
        '*--chat[Wrap the prompt as a user message in the chat template of the file]' \
        '*--logits[Output file (.npy) for the logits of each token of the first text]:value:_files' \
        '*--ignore-eos[Continue after an end-of-text token]' \
        '*--no-special-tokens[Tokenise names of special tokens in the prompt as plain text]' \
        '*--threads[Number of threads; 0\: one per CPU]:value:_files' \
        '*--backend[Backend\: cpu, reference, opencl or cuda; opencl\:1 selects the second OpenCL device]:value:(cpu reference opencl cuda)' \
        '*--backend-option[Backend option NAME=VALUE; the backend documentation lists them]:value:_files' \
        '*--host-ops[Ops to run on the CPU even if the device supports them, e.g. SOFT_MAX]:value:_files' \
        '*--record[Recording file of the runs]:value:_files' \
        '*--json[Print one JSON object]' \
        '*:file:_arenascope_cli_models'
      ;;
    train)
      _arguments \
        '*-h[Print this help message and exit]' \
        '*--help[Print this help message and exit]' \
        '*--data[IMAGES,LABELS in the idx format, gzip or not; of language models a file of tokens (16 bits each), or sort\:SEED]:value:_files' \
        '*--test[Held-out data in the same format; accuracy is reported at the end]:value:_files' \
        '*--optimizer[Optimiser\: adamw or sgd]:value:_files' \
        '*--lr[Maximum learning rate of the schedule]:value:_files' \
        '*--epochs[Number of passes over the training data]:value:_files' \
        '*--batch[Examples per training step]:value:_files' \
        '*--loss[Loss function\: cross-entropy, squared-error or binary-cross-entropy]:value:_files' \
        '*--schedule[Learning rate schedule\: constant, cosine, linear or steps]:value:_files' \
        '*--warmup[Number of warm-up steps of the learning rate]:value:_files' \
        '*--clip[Maximum global gradient norm; 0\: unlimited]:value:_files' \
        '*--precision[Precision of stored activations\: f32 or bf16 (half the memory); weights stay f32]:value:(high normal low)' \
        '*--accumulate[Number of micro-batches per batch, with accumulated gradients]:value:_files' \
        '*--dropout[Dropout rate that overrides the rate of the model; in gpt2 and nano_gpt after embeddings, attention and feed-forward layers]:value:_files' \
        '*--tokens[Tokens per sequence of language models; 0\: the context length, at most 512]:value:_files' \
        '*--seed[Random seed for the order of examples and for dropout]:value:_files' \
        '*--weight-decay[Weight decay of parameters without a group]:value:_files' \
        '*--weight-decay-of[Weight decay of parameters by name, PATTERN=DECAY such as '\''*.bias=0'\''; the last match applies]:value:_files' \
        '*--momentum[Momentum of sgd, below 1]:value:_files' \
        '*--beta1[Decay rate of the first moment of adamw, below 1]:value:_files' \
        '*--beta2[Decay rate of the second moment of adamw, below 1]:value:_files' \
        '*--epsilon[Constant added to the root of the second moment in adamw]:value:_files' \
        '*--save[Checkpoint file (.safetensors), written after each epoch; `run` opens it as this model]:value:_files' \
        '*--resume[Checkpoint of --save to resume after its last step; bit-exact on one thread]:value:_files' \
        '*--save-every[Number of steps between additional checkpoints]:value:_files' \
        '*--capacity[Maximum arena size of a step in bytes; activations that do not fit are recomputed]:value:_files' \
        '*--record[Recording file of the steps]:value:_files' \
        '*--threads[Number of threads; 0\: one per CPU]:value:_files' \
        '*--json[Print one JSON object]' \
        '*:file:_arenascope_cli_models'
      ;;
    verify)
      _arguments \
        '*-h[Print this help message and exit]' \
        '*--help[Print this help message and exit]' \
        '*--dim[Size of a symbolic dimension, NAME=N]:value:_files' \
        '*--shape[Shape of an input with dynamic dimensions, NAME=N,N,…]:value:_files' \
        '*--tokens[Sequence length of built-in language models]:value:_files' \
        '*--prefill[Prefill graph of built-in language models (all tokens at once)]' \
        '*--training[Training step of built-in models that have one]' \
        '*--backend[Backend\: cpu, reference, opencl or cuda; opencl\:1 selects the second OpenCL device]:value:(cpu reference opencl cuda)' \
        '*--backend-option[Backend option NAME=VALUE; the backend documentation lists them]:value:_files' \
        '*--host-ops[Ops to run on the CPU even if the device supports them, e.g. SOFT_MAX]:value:_files' \
        '*--recursive[Verify every test case below the directory MODEL]' \
        '*--threads[Number of threads; 0\: one per CPU]:value:_files' \
        '*--planner[Memory planner]:value:(none max-block binary-block two-level best-fit-online greedy-by-size first-fit-by-time first-fit-by-size first-fit-by-area first-fit-by-length best-fit-by-time best-fit-by-area global-decreasing-size-best-fit hybrid search all)' \
        '*--order[Execution order]:value:(depth-first breadth-first reverse-depth-first ge least-peak-first least-peak-late search all)' \
        '*--budget[Time limit for search planners, in seconds]:value:_files' \
        '*--memory[Memory strategy\: planned, eager or none]:value:(planned eager none)' \
        '*--in-place[Compute ops in place of inputs that are used for the last time]' \
        '*--no-channels-last[Disable\: Use channels-last (NHWC) layout between fused ops where it is faster; off\: NCHW throughout]' \
        '*--only[Substring of the names of op cases to run]:value:_files' \
        '*--fuse[Fuse chains of ops where the backend supports it]' \
        '*--rtol[Relative tolerance per element]:value:_files' \
        '*--atol[Absolute tolerance per element]:value:_files' \
        '*--relative-to-max[Maximum error relative to the largest output, instead of --rtol and --atol]:value:_files' \
        '*--against[Backend that computes the expected outputs\: reference, or cpu, which is fast enough for large models]:value:_files' \
        '*--json[Print one JSON object]' \
        '*--allow-unknown[Exit status 0 although some test cases of --recursive cannot be run]' \
        '*:file:_arenascope_cli_models'
      ;;
    bench)
      _arguments \
        '*-h[Print this help message and exit]' \
        '*--help[Print this help message and exit]' \
        '*--data[Directory of test data, for benchmarks that use it]:value:_files' \
        '*--model[Model of the benchmark '\''record'\'']:value:_files' \
        '*--pairs[Interleaved pairs of runs of the benchmark '\''record'\''; 0\: 200, or 20 with --quick]:value:_files' \
        '*--only[Substring of row names (cpu, opencl) or network names (fusion) to run]:value:_files' \
        '*--threads[Number of threads; 0\: one per CPU]:value:_files' \
        '*--processor-time[Measure budgets and durations of the benchmark '\''planning'\'' in CPU time of all threads]' \
        '*--quick[Smaller budgets, as a smoke test]' \
        '*--json[Print one JSON object]' \
        '*:file:_files'
      ;;
    convert)
      _arguments \
        '*-h[Print this help message and exit]' \
        '*--help[Print this help message and exit]' \
        '*--json[Print one JSON object]' \
        '*--allow-unknown[Exit status 0 although some events of the file could not be read]' \
        '*:file:_files'
      ;;
    audit)
      _arguments \
        '*-h[Print this help message and exit]' \
        '*--help[Print this help message and exit]' \
        '*--metric[Id of a metric to print instead of all of them; metrics of an instant, a span or a range are not listed (see arenascope/audit/audit.h). May be repeated]:value:_files' \
        '*--json[Print one JSON object]' \
        '*--allow-unknown[Exit status 0 although some events of the file could not be read]' \
        '*:file:_files'
      ;;
    diff)
      _arguments \
        '*-h[Print this help message and exit]' \
        '*--help[Print this help message and exit]' \
        '*--fail-on[Limits of growth, separated by commas\: METRIC+AMOUNT in %, bytes (64MiB) or time (1ms); the metrics are peak, reserved, arena, node-time and run-time. Exit status 1 if one is exceeded]:value:_files' \
        '*--all[Print all metrics, and print them if nothing changed]' \
        '*--top[Largest contributions printed per metric]:value:_files' \
        '*--markdown[Print Markdown tables, such as for a pull request]' \
        '*--planner[Planner of models and intervals]:value:(none max-block binary-block two-level best-fit-online greedy-by-size first-fit-by-time first-fit-by-size first-fit-by-area first-fit-by-length best-fit-by-time best-fit-by-area global-decreasing-size-best-fit hybrid search all)' \
        '*--order[Execution order of models]:value:(depth-first breadth-first reverse-depth-first ge least-peak-first least-peak-late search all)' \
        '*--budget[Time limit of search planners in seconds]:value:_files' \
        '*--budget-steps[Limit of search planners in steps instead of seconds, so that a loaded machine gives the same answer]:value:_files' \
        '*--json[Print one JSON object]' \
        '*--allow-unknown[Exit status 0 although a part of a file is missing from the comparison]' \
        '*:file:_files'
      ;;
    query)
      _arguments \
        '*-h[Print this help message and exit]' \
        '*--help[Print this help message and exit]' \
        '*--named[Name of a built-in query, or of a file NAME.sql in ~/.config/arenascope/queries; --list prints them]:value:_files' \
        '*--list[Print the named queries]' \
        '*--tables[Print the tables and their columns as Markdown]' \
        '*--csv[Print CSV]' \
        '*--planner[Planner of models and intervals]:value:(none max-block binary-block two-level best-fit-online greedy-by-size first-fit-by-time first-fit-by-size first-fit-by-area first-fit-by-length best-fit-by-time best-fit-by-area global-decreasing-size-best-fit hybrid search all)' \
        '*--order[Execution order of models]:value:(depth-first breadth-first reverse-depth-first ge least-peak-first least-peak-late search all)' \
        '*--budget[Time limit of search planners in seconds]:value:_files' \
        '*--budget-steps[Limit of search planners in steps instead of seconds, so that a loaded machine gives the same answer]:value:_files' \
        '*--json[Print one JSON object]' \
        '*--allow-unknown[Exit status 0 although a part of the file is missing from the tables]' \
        '*:file:_files'
      ;;
    replay)
      _arguments \
        '*-h[Print this help message and exit]' \
        '*--help[Print this help message and exit]' \
        '*--set[Settings in the format of PYTORCH_CUDA_ALLOC_CONF (max_split_size_mb\:128,expandable_segments\:True); may be repeated]:value:_files' \
        '*--memory[Device memory (512MiB, 24GiB); default\: unlimited]:value:(planned eager none)' \
        '*--json[Print one JSON object]' \
        '*:file:_files'
      ;;
    report)
      _arguments \
        '*-h[Print this help message and exit]' \
        '*--help[Print this help message and exit]' \
        '*-o[Output file; the extension selects the form\: .html, .md, .txt or .json; default\: text on standard output]:value:_files' \
        '*--output[Output file; the extension selects the form\: .html, .md, .txt or .json; default\: text on standard output]:value:_files' \
        '*--markdown[Print Markdown instead of text]' \
        '*--top[Rows per table of text and Markdown]:value:_files' \
        '*--findings[Time limit of the search for savings in seconds; 0\: no findings]:value:_files' \
        '*--planner[Planner of models and intervals]:value:(none max-block binary-block two-level best-fit-online greedy-by-size first-fit-by-time first-fit-by-size first-fit-by-area first-fit-by-length best-fit-by-time best-fit-by-area global-decreasing-size-best-fit hybrid search all)' \
        '*--order[Execution order of models]:value:(depth-first breadth-first reverse-depth-first ge least-peak-first least-peak-late search all)' \
        '*--budget[Time limit of search planners in seconds]:value:_files' \
        '*--budget-steps[Limit of search planners in steps instead of seconds, so that a loaded machine gives the same answer]:value:_files' \
        '*--json[Print one JSON object]' \
        '*--allow-unknown[Exit status 0 although a part of the file is missing from the report]' \
        '*:file:_files'
      ;;
    serve)
      _arguments \
        '*-h[Print this help message and exit]' \
        '*--help[Print this help message and exit]' \
        '*--mcp[Serve the Model Context Protocol]' \
        '*--folder[Folder whose files may be read]:value:_files' \
        '*--timeout[Time limit of one answer in seconds]:value:_files' \
        '*--memory-limit[Address space of one answer in GiB]:value:_files' \
        '*:file:_files'
      ;;
    attach)
      _arguments \
        '*-h[Print this help message and exit]' \
        '*--help[Print this help message and exit]' \
        '*--record[Recording file, written while the program runs]:value:_files' \
        '*--with[Comma-separated adapters\: cuda, ggml, malloc (heap blocks), opencl (default), none]:value:_files' \
        '*-n[Number of processes that must attach; fewer are an error]:value:_files' \
        '*--ranks[Number of processes that must attach; fewer are an error]:value:_files' \
        '*--include-dir[Print the include directory of arenascope_client.h and exit]' \
        '*--tcp[Listen on a loopback TCP port with a token instead of a Unix socket]' \
        '*--json[Print one JSON object; the program'\''s standard output goes to standard error]' \
        '*:file:_files'
      ;;
  esac
}
_arenascope_cli "$@"
