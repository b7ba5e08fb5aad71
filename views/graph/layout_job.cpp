// SPDX-License-Identifier: GPL-3.0-or-later
#include "layout_job.h"

namespace arenascope::views {
namespace {

struct Answer {
  std::shared_ptr<const GraphPicture> picture;
  int number = 0;
};

}  // namespace

LayoutJob::LayoutJob(QObject* parent) : QObject(parent) {
  connect(&worker_, &Background::done, this, [this](const Background::Result& result) {
    const auto answer = std::static_pointer_cast<const Answer>(result);
    if (!running_ || answer->number != number_) return;
    running_ = false;
    Q_EMIT ready(answer->picture);
  });
}

void LayoutJob::cancel() {
  worker_.cancel();
  running_ = false;
}

void LayoutJob::start(const GraphRequest& request) {
  cancel();
  running_ = true;
  worker_.request([request, number = ++number_](std::stop_token stop) -> Background::Result {
    auto picture = prepare_graph(request, stop);
    return picture ? std::make_shared<Answer>(Answer{std::move(picture), number}) : nullptr;
  });
}

}  // namespace arenascope::views
