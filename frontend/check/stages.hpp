// The states of a cooperative body's pipelines (devices, 14.1): which stage is readable where, and that no stage is
// filled while threads may still read it.
#pragma once

#include <vector>

#include "frontend/check/cooperative.hpp"
#include "frontend/check/cooperative_text.hpp"

namespace cairn {

/// What its waits leave in flight. E-STAGE-UNREADY, E-STAGE-BUSY at the operation or read; E-STAGE-LOOP at the loop,
/// branch or jump.
std::vector<checked::PipelineWait> require_stages(const checked::ThreadBody& body, const CooperativeText& text);

}  // namespace cairn
