#include <algorithm>
#include <array>

#include "vm/predict/body_counter.hpp"

namespace cairn::predict {

void BodyCounter::thread_body(const ThreadBody& of, Region made, std::vector<Polynomial> spans, bool is_finish) {
  Cooperation& cooperation = made.cooperation.emplace();
  cooperation.threads = of.threads;
  cooperation.shared_bytes = of.shared_bytes;
  cooperation.is_finish = is_finish;
  for (const PipelineStmt* pipeline : of.pipelines) {
    std::uint32_t in_flight = pipeline->depth;
    for (const PipelineWait& wait : of.waits) {
      if (wait.operation->as<ConcurrentExpr>().receiver->as<LocalExpr>().local == pipeline->local) {
        in_flight = std::min(in_flight, wait.in_flight);
      }
    }
    const double stage = static_cast<double>(bytes_of(pipeline->size, pipeline->element_bytes));
    cooperation.bytes_in_flight += (std::min(in_flight, pipeline->depth - 1) + 1.0) * stage;
  }
  Cooperation* const outer = cooperation_;
  cooperation_ = &cooperation;
  const auto names = of.body->parameters;
  for (std::size_t k = of.block_names; k < names.size(); ++k) of_thread_.insert(names[k]);
  for (const std::uint64_t extent : of.extents) spans.emplace_back(static_cast<double>(extent));
  apart(made.per_index, names, spans, *of.body->body);
  cooperation_ = outer;
  cost_.regions.push_back(std::move(made));
}

void BodyCounter::cooperative(const CooperativeStmt& of) {
  Region made = region_at(RegionKind::Cooperative, of.device, of.position);
  made.count = Polynomial(1.0);
  std::vector<Polynomial> spans;
  for (const LetStmt* extent : of.grid) {
    statement(*extent);
    const auto counted = sizes_.value(*extent->value);
    if (!counted) guess("the number of blocks of a region is not known");
    spans.push_back(counted.value_or(Polynomial(1.0)));
    made.count = made.count * spans.back();
  }
  Region finish = made;
  thread_body(of.blocks, std::move(made), std::move(spans), false);
  if (!of.has_finish) return;
  finish.count = Polynomial(1.0);
  thread_body(of.finish, std::move(finish), {}, true);
}

void BodyCounter::multiply(const ConcurrentExpr& of) {
  std::array<Polynomial, 3> extents;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    const auto known = sizes_.value(*of.arguments[k]);
    if (!known) return guess("the sizes of a matrix product are not known");
    extents[k] = *known;
  }
  const auto& [m, n, k] = extents;
  const Polynomial products = m * n * k;
  const std::array<Polynomial, 3> cells = {m * n, m * k, k * n};
  const bool device = on_device(*of.arguments[3]);
  Region made = region_at(RegionKind::Tensor, device, of.position);
  made.count = Polynomial(1.0);
  made.multiply_adds = products;
  Work& work = made.per_index.bodies[0];
  for (std::size_t each = 0; each < cells.size(); ++each) {
    const Expr& matrix = *of.arguments[3 + each];
    const double bytes = static_cast<double>(size_of(*value_type(matrix.type)->element));
    const Local* root = root_of(matrix);
    Traffic& traffic = work.traffic[root == nullptr ? "_" : name(*root)];
    traffic.read += cells[each] * Polynomial(bytes);
    if (each == 0) traffic.written += cells[each] * Polynomial(bytes);
    traffic.size = cells[each] * Polynomial(bytes);
  }
  if (!device) {  // the host adds product by product
    work.ops["f32"] += products;
    work.ops["f32_fold"] += products;
  }
  cost_.regions.push_back(std::move(made));
}

void BodyCounter::fragment(const FragmentExpr& of) {
  const Type* shaped = nullptr;
  const auto seen = [&](const Expr* each) {
    const Type* type = each == nullptr ? nullptr : value_type(each->type);
    if (shaped == nullptr && type != nullptr && type->is(TypeKind::Fragment)) shaped = type;
  };
  seen(&of);
  for (const Expr* argument : of.arguments) seen(argument);
  if (shaped == nullptr || fragment_family(names_.text(shaped->full_name)) == nullptr) return count("int");
  const FragmentShape shape = fragment_shape(*shaped, names_);
  const double of_a_thread = static_cast<double>(shape.rows * shape.columns) / kWarp;
  switch (of.op) {
    case ConcurrentOp::FragmentMultiply: {
      const FragmentShape left = fragment_shape(*value_type(of.arguments[1]->type), names_);
      const double products = static_cast<double>(shape.rows * shape.columns * left.columns);
      count("int");
      if (cooperation_ != nullptr) {
        cooperation_->multiply_adds += trips() * Polynomial(products * cooperation_->threads / kWarp);
      }
      return;
    }
    case ConcurrentOp::FragmentLoad:
    case ConcurrentOp::FragmentStore: {
      const bool writes = of.op == ConcurrentOp::FragmentStore;
      count(writes ? "store" : "load", of_a_thread);
      const Local* root = root_of(*of.receiver);
      const Type& element = *value_type(of.receiver->type)->element;
      if (is_block_memory(root)) return share(of_a_thread, element);
      Traffic& traffic = here().traffic[root == nullptr ? "_" : name(*root)];
      (writes ? traffic.written : traffic.read) +=
          trips() * Polynomial(of_a_thread * static_cast<double>(size_of(element)));
      return;
    }
    case ConcurrentOp::FragmentFill:
      return count("int", of_a_thread);
    default:
      return count("int");
  }
}

void BodyCounter::wide_access(const ConcurrentExpr& of) {
  const bool writes = of.op == ConcurrentOp::StoreWide;
  const Type& moved = writes ? *value_type(of.arguments[1]->type) : *of.type;
  count(writes ? "store" : "load");
  count("bounds_guard");
  const Local* root = root_of(*of.receiver);
  if (is_block_memory(root)) return share(static_cast<double>(moved.count), *moved.element);
  Traffic& traffic = here().traffic[root == nullptr ? "_" : name(*root)];
  (writes ? traffic.written : traffic.read) += trips() * Polynomial(static_cast<double>(size_of(moved)));
}

void BodyCounter::pipeline(const ConcurrentExpr& of) {
  if (cooperation_ == nullptr) return;
  if (of.op == ConcurrentOp::PipelineWait) cooperation_->barriers += trips();
  if (of.op != ConcurrentOp::PipelineFill) return;
  const Type& element = *value_type(of.arguments[0]->type)->element;
  const Type& stage = *value_type(of.receiver->type);
  auto copied = sizes_.value(*of.arguments[2]);
  if (!copied) {  // at most a stage
    approximate("a copy into a stage counts as a whole one");
    copied = Polynomial(stage.extent.kind == Extent::Kind::Literal ? static_cast<double>(stage.extent.literal) : 1.0);
  }
  cooperation_->copied_bytes += trips() * *copied * Polynomial(static_cast<double>(size_of(element)));
}

void BodyCounter::concurrent(const ConcurrentExpr& of) {
  for (const Expr* argument : of.arguments) {
    if (argument != nullptr) value(*argument);
  }
  if (of.op == ConcurrentOp::MatrixMultiply) return multiply(of);
  if (is_fragment(of.op)) return fragment(static_cast<const FragmentExpr&>(of));
  if (is_wide_access(of.op)) return wide_access(of);
  if (is_pipeline_operation(of.op)) return pipeline(of);
  if (is_warp_exchange(of.op)) return count("int");
  if (is_wait(of.op)) return count("wait");
  count("atomic");
  approximate("it uses atomics, locks or tickets");
}
}  // namespace cairn::predict
