// A kernel's whole translation unit: its headers, its functions, and the entries that launch them (devices, 16 and 20).
#include <algorithm>

#include "cuda/compiler.hpp"
#include "cuda/writer/fold_names.hpp"
#include "cuda/writer/function_writer.hpp"
#include "cuda/writer/product_text.hpp"
#include "cuda/writer/unit.hpp"
#include "vm/bytecode/device_natives.hpp"
#include "vm/bytecode/device_plans.hpp"

namespace cairn::cuda {

namespace {

using bytecode::Op;
using bytecode::RegisterKind;
using writer::cat;
using writer::Unit;

constexpr std::uint32_t kThreads = 256;         // of a region's block, and of a collector's (cuda/kernel/regions.hpp)
constexpr std::uint32_t kTile = 2048;           // indices of a tile there
constexpr std::uint32_t kOffsetThreads = 1024;  // of the one block that makes offsets
constexpr std::uint32_t kMostParameterBytes = 4096 - 64;  // of a kernel, the environment's share

/// How an argument is declared.
std::string_view declaration(Argument argument) {
  switch (argument) {
    case Argument::Environment:
      return "const __grid_constant__ Environment environment";
    case Argument::Count:
      return "U64 count";
    case Argument::Output:
      return "Bytes output";
    case Argument::Staging:
      return "Bytes staging";
    case Argument::Scratch:
      return "Bytes scratch";
    case Argument::Tiles:
      return "U64 tiles";
    case Argument::Total:
      return "Bytes total";
    case Argument::Counter:
      return "U32* counter";
    case Argument::Trap:
      return "TrapRecord* trap";
  }
  return {};
}

class KernelWriter {
 public:
  KernelWriter(const bytecode::Module& module, const KernelUse& use)
      : module_(module), use_(use), function_(module.functions[use.function]), unit_(module) {}

  std::expected<KernelText, std::string> write() {
    const bytecode::Type* const environment =
        function_.environment == bytecode::kNone ? nullptr : &module_.types[function_.environment];
    result_.name = function_.name;
    // An empty structure has no bytes to pass; a kernel always takes one.
    result_.environment_bytes =
        environment == nullptr ? 8 : std::max<std::uint32_t>(8, static_cast<std::uint32_t>(environment->size));
    result_.environment_align = std::max<std::uint32_t>(8, environment == nullptr ? 8 : environment->align);
    if (environment != nullptr && environment->size > kMostParameterBytes) {
      return std::unexpected(cat(function_.name, ": its kernel captures ", environment->size,
                                 " bytes, and a kernel takes at most ", kMostParameterBytes));
    }
    lane_ = unit_.function(use_.function);
    write_entries();
    unit_.write_functions();
    if (!unit_.error().empty()) return std::unexpected(unit_.error());
    result_.sites = std::move(unit_.sites);
    result_.stack_bytes = unit_.stack_bytes();
    result_.text = text();
    return std::move(result_);
  }

 private:
  void write_entries() {
    switch (use_.use) {
      case Use::Region:
        write_region();
        break;
      case Use::Reduce:
        write_reduce();
        break;
      case Use::Scan:
        write_scan();
        break;
      case Use::Compact:
        write_compact();
        break;
      case Use::Cooperative:
        write_cooperative();
        break;
      case Use::Multiply:  // of no function
        break;
    }
  }

  /// As its plan says (concurrency, 13.1): how the grid is cut, and which form the lanes take.
  void write_region() {
    const bytecode::LanePlan plan = bytecode::plan_of(module_, use_.function);
    const std::uint32_t threads = plan.block == 0 ? kThreads : plan.block;
    const std::uint32_t unrolled = std::max(plan.unroll, 1U);
    std::uint32_t shared = 0;
    std::string body = write_runs(plan, unrolled);
    if (body.empty()) body = write_staged(plan, threads, unrolled, shared);
    const bool is_vector = !body.empty() && shared == 0;
    const std::string lane = cat("[&](U64 i) { ", lane_, "(At{trap, i, 0}, i, i + 1, captured(environment)); }");
    if (body.empty() && unrolled > 1) body = cat("  each_index_unrolled<", unrolled, ">(count, ", lane, ");\n");
    if (!body.empty()) unit_.need("plans");
    if (body.empty()) body = cat("  each_index(count, ", lane, ");\n");
    entry("region", Grid::Stride, threads, shared, {Argument::Environment, Argument::Count, Argument::Trap}, body);
    result_.entries.back().per_thread = std::max({plan.per_lane, is_vector ? plan.vector : 1U, 1U});
  }

  /// "p_3" of each array's view.
  static std::string views_of(const std::vector<writer::LaneArray>& arrays) {
    std::string text = "  Bytes const own = captured(environment);\n";
    for (const writer::LaneArray& array : arrays) {
      text += cat("  const Pair v_", array.slot, " = load_pair(own + ", array.offset, ");\n");
    }
    return text;
  }

  /// `vector`: adjacent indices at once, where their elements lie on a pack's boundary.
  std::string write_runs(const bytecode::LanePlan& plan, std::uint32_t unrolled) {
    if (plan.vector == 0) return {};
    std::vector<writer::LaneArray> arrays = writer::lane_arrays(function_);
    std::erase_if(arrays, [&](const auto& array) { return !array.at_own_index || array.size * plan.vector > 16; });
    if (arrays.empty()) return {};
    std::string fits, loads, elements, stores;
    for (const writer::LaneArray& array : arrays) {
      const std::string pack =
          cat("<", writer::type_of(array.element), ", ", plan.vector, ">(v_", array.slot, ", first");
      fits += cat(" && has_pack", pack, ")");
      loads += cat("      auto p_", array.slot, " = load_pack", pack, ");\n");
      elements += cat(", p_", array.slot, ".of[k]");
      if (array.is_stored) stores += cat("      store_pack", pack, ", p_", array.slot, ");\n");
    }
    const std::string body = views_of(arrays);
    const std::string planned = unit_.planned(use_.function, {false, std::move(arrays)});
    return cat(body, "  each_run<", plan.vector, ", ", unrolled,
               ">(count, [&](U64 first, U64 end) {\n    if (end - first == ", plan.vector, fits, ") {\n", loads,
               "#pragma unroll\n      for (U32 k = 0; k < ", plan.vector, "; ++k) ", planned,
               "(At{trap, first + k, 0}, first + k, first + k + 1, own", elements, ");\n", stores,
               "      return;\n    }\n    for (U64 i = first; i < end; ++i) ", lane_,
               "(At{trap, i, 0}, i, i + 1, own);\n  });\n");
  }

  /// `stage`: what a block's lanes read around their own index is loaded once.
  std::string write_staged(const bytecode::LanePlan& plan, std::uint32_t threads, std::uint32_t unrolled,
                           std::uint32_t& shared) {
    constexpr std::uint32_t kMostShared = 49152;
    if (plan.stage == 0) return {};
    std::vector<writer::LaneArray> arrays;
    std::string memory, stages, elements;
    for (const writer::LaneArray& array : writer::lane_arrays(function_)) {
      const std::uint32_t bytes = ((threads + 2 * plan.stage) * array.size + 15) / 16 * 16;
      if (array.is_stored || array.at_own_index || shared + bytes > kMostShared) continue;
      shared += bytes;
      memory += cat("  __shared__ __align__(16) unsigned char memory_", array.slot, "[", bytes, "];\n  Staged s_",
                    array.slot, ";\n");
      stages += cat(" s_", array.slot, " = stage_elements<", writer::type_of(array.element), ", ", plan.stage,
                    ">(memory_", array.slot, ", v_", array.slot, ", first);");
      elements += cat(", s_", array.slot);
      arrays.push_back(array);
    }
    if (arrays.empty()) return {};
    const std::string body = views_of(arrays);
    const std::string planned = unit_.planned(use_.function, {true, std::move(arrays)});
    return cat(body, memory, "  each_staged<", unrolled, ">(count, [&](U64 first) {", stages, " }, [&](U64 i) { ",
               planned, "(At{trap, i, 0}, i, i + 1, own", elements, "); });\n");
  }

  void write_reduce() {
    const std::string fold = writer::fold_type(use_.fold);
    const std::uint32_t site = fold_site();
    const std::uint32_t words = kThreads * 8;
    entry("reduce_partials", Grid::Partials, kThreads, words,
          {Argument::Environment, Argument::Count, Argument::Scratch, Argument::Trap},
          cat("  reduce_partials<", fold, ">(At{trap, 0, 0}, ", site, ", count, scratch, [&](U64 i) { return ", lane_,
              "(At{trap, i, 0}, i, i + 1, captured(environment)); });\n"));
    entry("reduce_total", Grid::One, kThreads, words,
          {Argument::Scratch, Argument::Tiles, Argument::Total, Argument::Trap},
          cat("  reduce_total<", fold, ">(At{trap, 0, 0}, ", site, ", scratch, tiles, total);\n"));
  }

  void write_scan() {
    const std::string fold = writer::fold_type(use_.fold);
    const std::uint32_t site = fold_site();
    const std::string_view exclusive = is_exclusive() ? "true" : "false";
    result_.tile = kTile;
    entry("scan_tiles", Grid::Tiles, kThreads, (kTile + kThreads) * 8,
          {Argument::Environment, Argument::Count, Argument::Output, Argument::Scratch, Argument::Trap},
          cat("  scan_tiles<", fold, ", ", exclusive, ">(At{trap, 0, 0}, ", site,
              ", count, output, scratch, [&](U64 i) { return ", lane_,
              "(At{trap, i, 0}, i, i + 1, captured(environment)); });\n"));
    entry("scan_offsets", Grid::One, kOffsetThreads, kOffsetThreads * 8,
          {Argument::Scratch, Argument::Tiles, Argument::Total, Argument::Trap},
          cat("  scan_offsets<", fold, ">(At{trap, 0, 0}, ", site, ", scratch, tiles, total);\n"));
    entry("scan_add", Grid::Tiles, kThreads, 0, {Argument::Count, Argument::Output, Argument::Scratch, Argument::Trap},
          cat("  scan_add<", fold, ">(At{trap, 0, 0}, ", site, ", count, output, scratch);\n"));
  }

  void write_compact() {
    const bytecode::Signature& signature = module_.signatures[function_.signature];
    const bytecode::Type& element = module_.types[signature.parameters.back().type];
    const auto size = static_cast<std::uint32_t>(element.size);
    result_.tile = kTile;
    result_.element_bytes = size;
    entry("compact_tiles", Grid::Tiles, kThreads, kThreads * 8,
          {Argument::Environment, Argument::Count, Argument::Staging, Argument::Scratch, Argument::Trap},
          cat("  compact_tiles<", size, ">(At{trap, 0, 0}, count, staging, scratch, [&](U64 i, Bytes to) { return ",
              lane_, "(At{trap, i, 0}, i, i + 1, to, 1, captured(environment)); });\n"));
    entry("compact_offsets", Grid::One, kOffsetThreads, kOffsetThreads * 8,
          {Argument::Scratch, Argument::Tiles, Argument::Total, Argument::Trap},
          "  scan_offsets<Fold<FoldKind::AddWrap, U64>>(At{trap, 0, 0}, 0, scratch, tiles, total);\n");
    entry("compact_gather", Grid::Tiles, kThreads, kThreads * 4,
          {Argument::Count, Argument::Output, Argument::Staging, Argument::Scratch, Argument::Trap},
          cat("  compact_gather<", size, ", ", std::min<std::uint32_t>(element.align, 16),
              ">(At{trap, 0, 0}, count, output, staging, scratch);\n"));
  }

  void write_cooperative() {
    const std::uint32_t finish = function_.kernel.finish;
    const bytecode::Function* const after = finish == bytecode::kNone ? nullptr : &module_.functions[finish];
    const std::uint32_t bytes =
        std::max(function_.kernel.shared_bytes, after == nullptr ? 0 : after->kernel.shared_bytes);
    std::string body = cat("  __shared__ __align__(128) unsigned char shared[", std::max(bytes, 16U), "];\n");
    const auto run = [&](const bytecode::Function& kernel, std::string_view name, std::string_view block) {
      return cat(name, "(At{trap, ", block, ", threadIdx.x}, ", block, ", threadIdx.x, captured(environment), shared);",
                 kernel.kernel.pipelines.empty() ? "" : " drain_stages();");
    };
    body += cat("  each_block<", zeroed_bytes(function_), ">(count, shared, [&](U64 b) { ", run(function_, lane_, "b"),
                " });\n");
    if (after != nullptr) {
      body += "  if (!is_last_block(counter)) return;\n";
      body += cat("  clear_shared<", zeroed_bytes(*after), ">(shared);\n  __syncthreads();\n  ",
                  run(*after, unit_.function(finish), "0"), "\n");
    }
    entry("blocks", Grid::Blocks, function_.kernel.threads, bytes,
          {Argument::Environment, Argument::Count, Argument::Counter, Argument::Trap}, body);
  }

  /// The leading bytes of a block's shared memory that start zeroed: arrays that say so, and stages.
  static std::uint32_t zeroed_bytes(const bytecode::Function& kernel) {
    std::uint32_t end = 0;
    for (const bytecode::SharedArray& array : kernel.kernel.arrays) {
      if (array.zeroed) end = std::max(end, array.offset + array.count * bytecode::scalar_size(array.element));
    }
    for (const bytecode::Pipeline& pipeline : kernel.kernel.pipelines) {
      const std::uint32_t stage = (pipeline.size * bytecode::scalar_size(pipeline.element) + 15) / 16 * 16;
      end = std::max(end, pipeline.offset + stage * pipeline.depth);
    }
    return end;
  }

  /// What a folding lane gives back is its total, and the one instruction that updates the total is the fold.
  struct LaneFold {
    std::uint32_t word = 0;
    std::vector<std::uint32_t> slots;
    bool stored_before = false;  // an exclusive scan stores the total before it folds the yield in
  };
  LaneFold lane_fold() const {
    std::uint32_t total = bytecode::kNone;
    for_each_instruction([&](std::uint32_t, const bytecode::Word* code) {
      if (bytecode::op_of(code[0]) == Op::ReturnValue) total = bytecode::a_of(code[0]);
    });
    LaneFold fold;
    bool stored = false;
    for_each_instruction([&](std::uint32_t at, const bytecode::Word* code) {
      const bytecode::OpName name = bytecode::split_name(bytecode::info(bytecode::op_of(code[0])).text);
      if (name.verb == "store.at") {
        stored |= bytecode::c_of(code[0]) == total;
      } else if (bytecode::a_of(code[0]) == total && bytecode::b_of(code[0]) == total) {
        fold = {at, {bytecode::b_of(code[0]), bytecode::c_of(code[0])}, stored};
      }
    });
    return fold;
  }

  /// The guard that a fold of two totals fails: the lane's own fold.
  std::uint32_t fold_site() {
    LaneFold fold = lane_fold();
    return unit_.site({use_.function, fold.word, TrapKind::Overflow, std::move(fold.slots), {}});
  }
  [[nodiscard]] bool is_exclusive() const { return lane_fold().stored_before; }

  template <class Visit>
  void for_each_instruction(Visit visit) const {
    const bytecode::Word* const code = function_.code.data();
    for (std::uint32_t at = 0; at < function_.code.size(); at += bytecode::instruction_words(code + at)) {
      visit(at, code + at);
    }
  }

  void entry(std::string_view name, Grid grid, std::uint32_t threads, std::uint32_t shared,
             std::vector<Argument> arguments, const std::string& body) {
    std::string parameters;
    for (const Argument argument : arguments) parameters += cat(parameters.empty() ? "" : ", ", declaration(argument));
    entries_ += cat("\nextern \"C\" __global__ void __launch_bounds__(", threads, ") ", name, "(", parameters, ") {\n",
                    body, "}\n");
    result_.entries.push_back({std::string(name), grid, threads, shared, std::move(arguments)});
  }

  std::string text() const {
    std::string all = cat("// ", writer::identifier(function_.name), "\n");
    const auto include = [&](std::string_view header) { all += cat("#include \"cuda/kernel/", header, ".hpp\"\n"); };
    include(use_.use == Use::Cooperative ? "blocks" : "regions");
    if (use_.use != Use::Cooperative) include("blocks");  // element updates
    for (const auto& [header, wanted] : unit_.headers()) include(header);
    all += "\nusing namespace cairn;\nusing namespace cairn::kernel;\n\n";
    all += cat("struct alignas(", result_.environment_align, ") Environment {  // ", environment_fields(),
               "\n  unsigned char bytes[", result_.environment_bytes, "];\n};\n");
    all +=
        "static __device__ __forceinline__ Bytes captured(const Environment& environment) { return "
        "const_cast<Bytes>(environment.bytes); }\n\n";
    all += unit_.layouts + unit_.declarations + unit_.definitions;
    all += "\n#line 1 \"entries\"" + entries_;
    return all;
  }

  std::string environment_fields() const {
    std::string fields;
    if (function_.environment == bytecode::kNone) return fields;
    for (const bytecode::Field& field : module_.types[function_.environment].fields) {
      fields += cat(fields.empty() ? "" : ", ", writer::identifier(field.name), " at ", field.offset);
    }
    return fields;
  }

  const bytecode::Module& module_;
  KernelUse use_;
  const bytecode::Function& function_;
  Unit unit_;
  std::string lane_;
  std::string entries_;
  KernelText result_;
};

}  // namespace

std::vector<KernelUse> kernels_of(const bytecode::Module& module) {
  std::vector<KernelUse> uses;
  for (const bytecode::Function& function : module.functions) {
    const bytecode::Word* const code = function.code.data();
    for (std::uint32_t at = 0; at < function.code.size(); at += bytecode::instruction_words(code + at)) {
      const bytecode::Word* const pc = code + at;
      KernelUse use;
      switch (bytecode::op_of(pc[0])) {
        case Op::DeviceParallel:
        case Op::QueueParallel:
          use.use = Use::Region;
          break;
        case Op::DeviceReduce:
        case Op::DeviceReduceTo:
          use.use = Use::Reduce;
          use.fold = bytecode::d_of(pc[1]);
          break;
        case Op::DeviceScan:
        case Op::DevicePrefixes:
          use.use = Use::Scan;
          use.fold = bytecode::d_of(pc[1]);
          break;
        case Op::DeviceCompact:
          use.use = Use::Compact;
          break;
        case Op::Cooperative:
          if (bytecode::d_of(pc[1]) == 0) continue;
          use.use = Use::Cooperative;
          break;
        case Op::CallNative: {
          const bytecode::Native& native = module.natives[bytecode::n_of(pc[0])];
          if (!native.name.starts_with(bytecode::kDeviceMultiply)) continue;
          const std::uint32_t factor = module.signatures[native.signature].parameters.back().type;
          use.use = Use::Multiply;
          use.fold = static_cast<std::uint32_t>(module.types[factor].scalar);
          break;
        }
        default:
          continue;
      }
      use.function = use.use == Use::Multiply ? bytecode::kNone : bytecode::m_of(pc[1]);
      if (std::ranges::find(uses, use) == uses.end()) uses.push_back(use);
    }
  }
  return uses;
}

std::expected<KernelText, std::string> write_kernel(const bytecode::Module& module, const KernelUse& use) {
  if (use.use == Use::Multiply) return writer::product_text(use.fold);
  return KernelWriter(module, use).write();
}

DeviceTrap read_trap(const TrapRecord& record, const KernelText& code, const bytecode::Module& module) {
  DeviceTrap trap;
  if (record.state == 0 || record.site >= code.sites.size()) return trap;
  const Site& site = code.sites[record.site];
  const bytecode::Function& function = module.functions[site.function];
  trap.kind = site.kind;
  trap.function = site.function;
  trap.word = site.word;
  trap.frame.assign(function.slots, 0);
  for (std::size_t k = 0; k < site.slots.size(); ++k) trap.frame[site.slots[k]] = record.values[k];
  for (std::size_t k = 0; k < site.detail.size(); ++k) {
    const bool is_value = site.detail[k] == '{' && k + 2 < site.detail.size() && site.detail[k + 2] == '}';
    if (is_value) {
      trap.detail += std::to_string(record.values[static_cast<std::size_t>(site.detail[k + 1] - '0') % 6]);
      k += 2;
    } else {
      trap.detail += site.detail[k];
    }
  }
  const bool in_block = code.entries.front().grid == Grid::Blocks;
  trap.where = in_block ? cat("block ", record.lane, ", thread ", record.thread) : cat("lane ", record.lane);
  return trap;
}

}  // namespace cairn::cuda
