// SPDX-License-Identifier: MIT
// Another project: it opens a model, plans it, runs it and records the run. `run MODEL RECORDING`
#include <cstdio>

#include <arenascope/run/runner.h>
#include <arenascope/trace/recording.h>

using namespace arenascope;

Status run(const char* file, const char* recording) {
  auto model = models::open_model(file);
  if (!model) return model.error();
  auto devices = open_devices("cpu");
  if (!devices) return devices.error();
  CompileOptions compiling;
  compiling.threads = 2;
  auto program = compile(*model, *devices, compiling);
  if (!program) return program.error();
  std::printf("%zu steps in an arena of %lld bytes\n", program->plan.steps.size(),
              static_cast<long long>(program->plan.memory.arena_bytes));

  auto writer = trace::RecordingWriter::create(recording);
  if (!writer) return writer.error();
  trace::Recorder recorder;
  recorder.add_sink(*writer);
  recorder.start();
  RunnerOptions running;
  running.recorder = &recorder;
  auto runner = Runner::create(std::move(*model), std::move(*program), running);
  if (!runner) return runner.error();
  auto report = (*runner)->run();
  if (!report) return report.error();
  recorder.stop();
  auto output = (*runner)->output(0);
  if (!output) return output.error();
  std::printf("%zu bytes of output after %lld ns\n", output->size(), static_cast<long long>(report->nanoseconds));
  return (*writer)->close();
}

int main(int count, char** arguments) {
  const Status done = count == 3 ? run(arguments[1], arguments[2]) : Error{"usage: run MODEL RECORDING"};
  if (!done) std::fprintf(stderr, "%s\n", done.error().message.c_str());
  return done ? 0 : 1;
}
