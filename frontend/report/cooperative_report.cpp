#include "frontend/report/cooperative_report.hpp"

#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

#include "frontend/check/body_walk.hpp"
#include "frontend/check/concurrent_ops.hpp"

namespace cairn {

namespace {

using Json = nlohmann::ordered_json;
using namespace checked;

std::string_view exchange_name(ConcurrentOp op) {
  switch (op) {
    case ConcurrentOp::WarpShuffle:
      return "shuffle";
    case ConcurrentOp::WarpShuffleXor:
      return "shuffle_xor";
    case ConcurrentOp::WarpShuffleDown:
      return "shuffle_down";
    case ConcurrentOp::WarpShuffleUp:
      return "shuffle_up";
    case ConcurrentOp::WarpBallot:
      return "warp_ballot";
    case ConcurrentOp::WarpAny:
      return "warp_any";
    case ConcurrentOp::WarpAll:
      return "warp_all";
    default:
      return "warp_match";
  }
}

Json body_record(const ThreadBody& body, const SourceMap& sources, const NameTable& names) {
  const auto line = [&](Position at) { return sources.locate(at).line; };
  Json record;
  record["threads"] = body.threads;
  record["shared_bytes"] = body.shared_bytes;
  Json arrays = Json::array();
  for (const SharedStmt* each : body.arrays) {
    arrays.push_back({{"name", names.text(each->local->name)},
                      {"type", each->local->type->element->name},
                      {"length", each->length},
                      {"zeroed", each->zeroed},
                      {"bytes", bytes_of(*each)},
                      {"line", line(each->position)}});
  }
  record["shared_arrays"] = std::move(arrays);
  Json pipelines = Json::array();
  for (const PipelineStmt* each : body.pipelines) {
    Json waits = Json::array();
    for (const PipelineWait& wait : body.waits) {
      const auto& operation = wait.operation->as<ConcurrentExpr>();
      if (operation.receiver->as<LocalExpr>().local != each->local) continue;
      waits.push_back({{"line", line(operation.position)}, {"in_flight", wait.in_flight}});
    }
    pipelines.push_back({{"name", names.text(each->local->name)},
                         {"type", each->local->type->element->name},
                         {"depth", each->depth},
                         {"stage_bytes", bytes_of(*each) / each->depth},
                         {"waits", std::move(waits)},
                         {"line", line(each->position)}});
  }
  record["pipelines"] = std::move(pipelines);
  Json barriers = Json::array();
  Json exchanges = Json::array();
  walk_body(
      *body.body,
      [&](const Expr& root) {
        if (root.kind != ExprKind::Concurrent || !is_warp_exchange(root.as<ConcurrentExpr>().op)) return;
        exchanges.push_back({{"what", exchange_name(root.as<ConcurrentExpr>().op)}, {"line", line(root.position)}});
      },
      [&](const Stmt& root) {
        if (root.kind == StmtKind::Barrier) barriers.push_back(line(root.position));
        if (root.kind == StmtKind::Reduce && root.as<ReduceStmt>().warp) {
          exchanges.push_back({{"what", "reduce"}, {"line", line(root.position)}});
        }
      });
  record["barriers"] = std::move(barriers);
  record["warp_operations"] = std::move(exchanges);
  return record;
}

}  // namespace

Json cooperative_explanation(const CooperativeStmt& region, const SourceMap& sources, const NameTable& names) {
  Json record;
  record["line"] = sources.locate(region.position).line;
  record["runs_on"] = region.device ? "device" : "host";
  record.update(body_record(region.blocks, sources, names));
  if (region.has_finish) record["finish"] = body_record(region.finish, sources, names);
  return record;
}

std::uint32_t shared_bytes(const CooperativeStmt& region) {
  return std::max(region.blocks.shared_bytes, region.finish.shared_bytes);
}

}  // namespace cairn
