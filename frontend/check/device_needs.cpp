#include "frontend/check/device_needs.hpp"

#include <algorithm>
#include <string>

#include "frontend/check/body_walk.hpp"
#include "frontend/check/checker.hpp"
#include "frontend/check/concurrent_ops.hpp"
#include "frontend/check/cooperative.hpp"
#include "frontend/check/fragments.hpp"
#include "frontend/check/judgement_state.hpp"
#include "frontend/check/rows.hpp"

namespace cairn {

namespace checked {

namespace {

constexpr LabelSet kDeviceLabels = labels(Label::ParDevice, Label::GpuAlloc, Label::AsmPtx, Label::TransferD2D,
                                          Label::TransferD2H, Label::TransferH2D);

}  // namespace

bool has_device_work(const Program& program) {
  return std::ranges::any_of(program.functions, [](const auto& function) {
    return function->row != nullptr && function->row->has_any(kDeviceLabels);
  });
}

namespace {

/// Features without repetition, in the order of the table.
class Needs {
 public:
  void add(std::string_view feature) {
    const DeviceFeature* needed = device_feature(feature);
    const auto at = std::ranges::lower_bound(all, needed);
    if (at == all.end() || *at != needed) all.insert(at, needed);
  }
  std::vector<const DeviceFeature*> all;
};

/// A multiply of matrices of the device, and what fragments of a device region are loaded and multiplied by (numerics,
/// 4 and 9.1).
void add_tensor_needs(const ConcurrentExpr& operation, const NameTable& names, Needs& needs) {
  const auto add_format = [&](const Type& element) {
    if (element.is(TypeKind::BF16)) needs.add("bf16");
  };
  if (operation.op == ConcurrentOp::MatrixMultiply) {
    const Type& factor = *operation.arguments[4]->type;
    if (factor.placement != Placement::Device) return;
    needs.add("wmma");
    return add_format(*factor.element);
  }
  if (!is_fragment(operation.op) || !operation.as<FragmentExpr>().on_device) return;
  const auto add_fragment = [&](const Type& type) {
    if (!type.is(TypeKind::Fragment)) return;
    needs.add(fragment_shape(type, names).family->is_wmma ? "wmma" : "mma_sync");
    add_format(*type.element);
  };
  add_fragment(*operation.type);
  for (const Expr* argument : operation.arguments) add_fragment(*argument->type);
}

/// A pipeline's fills are copies in flight.
void add_pipeline_needs(const CooperativeStmt& region, Needs& needs) {
  const bool has_pipelines = !region.blocks.pipelines.empty() || !region.finish.pipelines.empty();
  if (region.device && has_pipelines) needs.add("cp_async");
}

}  // namespace

std::vector<const DeviceFeature*> device_needs(const Program& program, const NameTable& names) {
  Needs needs;
  for (const auto& function : program.functions) {
    if (function->kind == FunctionKind::Extern || function->row == nullptr) continue;
    if (!function->row->has_any(labels(Label::ParDevice))) continue;
    needs.add("device_lanes");
    walk_body(
        *function,
        [&](const Expr& expression) {
          if (expression.kind == ExprKind::Concurrent) {
            add_tensor_needs(expression.as<ConcurrentExpr>(), names, needs);
          }
        },
        [&](const Stmt& statement) {
          if (statement.kind == StmtKind::Cooperative) add_pipeline_needs(statement.as<CooperativeStmt>(), needs);
        });
  }
  return needs.all;
}

}  // namespace checked

namespace {

constexpr std::string_view kWhyNot =
    " Emulation refuses what the host cannot run as the device would: build for the device to run it.";

class TargetRules {
 public:
  explicit TargetRules(const ProgramJudgement::State& state)
      : state_(state), checker_(state.checker), options_(state.checker.options()) {}

  void judge() {
    if (!options_.emulate && options_.device_target.empty()) return;
    if (!checked::has_device_work(checker_.program())) return;
    const auto target = device_target(options_.device_target);
    if (!target) {
      refuse(Code::Target, {},
             "This program has device work, and no device target is known: name one with --device-target sm_90, or as "
             "device_target in the manifest's [build].");
    }
    target_ = *target;
    require_features();
    require_implementations();
    for_each_assembly([&](const checked::AsmStmt& assembly) { require_satisfied(assembly); });
    if (options_.emulate) require_emulated();
  }

 private:
  void require_features() const {
    for (const DeviceFeature* feature : checked::device_needs(checker_.program(), checker_.names())) {
      if (provides(target_, *feature)) continue;
      refuse(Code::TargetFeature, {},
             "This program needs " + std::string(feature->name) + " (" + std::string(feature->what) + "), which " +
                 text(target_) + " does not provide; it needs " + providers(*feature) + ".");
    }
  }

  /// The needs of what plans selected, in declaration order.
  template <class Visit>
  void for_each_selected_need(Visit visit) const {
    for (const Implementation& implementation : state_.implementations) {
      const auto selected = state_.selected.find(implementation.reference);
      if (selected == state_.selected.end()) continue;
      const checked::Function& instance = *selected->second->function;
      if (instance.declaration != implementation.declaration) continue;
      for (const syntax::EffectLabel& need : implementation.declaration->implements.needs) {
        if (const DeviceFeature* feature = device_feature(need.text)) visit(instance, *feature);
      }
    }
  }

  void require_implementations() const {
    for_each_selected_need([&](const checked::Function& instance, const DeviceFeature& feature) {
      if (provides(target_, feature)) return;
      refuse(Code::ImplTarget, {},
             "The selected implementation " + std::string(instance.name) + " needs " + std::string(feature.name) +
                 ", which " + text(target_) + " does not provide; it needs " + providers(feature) + ".");
    });
  }

  template <class Visit>
  void for_each_assembly(Visit visit) const {
    for (const auto& function : checker_.program().functions) {
      if (function->body == nullptr || function->parent != nullptr) continue;
      checked::walk_body(
          *function, [](const checked::Expr&) {},
          [&](const checked::Stmt& statement) {
            if (statement.kind != checked::StmtKind::Asm) return;
            const auto& assembly = statement.as<checked::AsmStmt>();
            if (assembly.target == checked::AsmTarget::Ptx) visit(assembly);
          });
    }
  }

  void require_satisfied(const checked::AsmStmt& assembly) const {
    const auto wanted = device_target(assembly.capability);
    if (wanted && target_.satisfies(*wanted)) return;
    refuse(Code::AsmTarget, assembly.position,
           "This PTX is written for " + std::string(assembly.capability) + ", which " + text(target_) + " is not.");
  }

  void require_emulated() const {
    for_each_assembly([&](const checked::AsmStmt& assembly) {
      refuse(Code::Emulate, assembly.position, "Typed PTX runs on a device alone." + std::string(kWhyNot));
    });
    for (const auto& function : checker_.program().functions) {
      if (function->kind != checked::FunctionKind::Extern) continue;
      const auto& declaration = function->declaration->as<syntax::ExternDecl>();
      if (!declaration.has_launch) continue;
      refuse(
          Code::Emulate, declaration.position,
          std::string(function->name) + " is a launched CUDA kernel, which has no body here." + std::string(kWhyNot));
    }
    for (const DeviceFeature* feature : checked::device_needs(checker_.program(), checker_.names()))
      require_modelled(*feature);
    for_each_selected_need([&](const checked::Function&, const DeviceFeature& feature) { require_modelled(feature); });
  }

  static void require_modelled(const DeviceFeature& feature) {
    if (feature.emulated) return;
    refuse(Code::Emulate, {},
           "This program needs " + std::string(feature.name) + " (" + std::string(feature.what) +
               "), which host threads do not model." + std::string(kWhyNot));
  }

  const ProgramJudgement::State& state_;
  Checker& checker_;
  const CheckOptions& options_;
  DeviceTarget target_;
};

}  // namespace

void judge_device_target(const ProgramJudgement::State& state) { TargetRules(state).judge(); }

}  // namespace cairn
