#include "cuda/driver/launching.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace cairn::cuda {

namespace {

constexpr std::uint64_t kMostTiles = (std::uint64_t{1} << 31) - 1;
constexpr std::uint64_t kScratchBoundary = 256;

std::uint64_t parts(std::uint64_t count, std::uint64_t size) { return count / size + (count % size != 0 ? 1 : 0); }

std::uint64_t blocks_of(const LoadedKernel& kernel, std::size_t entry, std::uint64_t count) {
  switch (kernel.code.entries[entry].grid) {
    case Grid::Stride:
      return std::min<std::uint64_t>(
          parts(count, std::uint64_t{kernel.threads[entry]} * kernel.code.entries[entry].per_thread), kMostBlocks);
    case Grid::Partials:
      return std::min<std::uint64_t>(parts(count, kernel.threads[entry]), kMostPartials);
    case Grid::Tiles:
      return parts(count, kernel.code.tile);
    case Grid::Blocks:
      return std::clamp<std::uint64_t>(count, 1, kMostBlocks);
    case Grid::One:
      break;
  }
  return 1;
}

bool takes(const Code& code, Argument argument) {
  return std::ranges::any_of(code.entries, [&](const Entry& entry) {
    return std::ranges::find(entry.arguments, argument) != entry.arguments.end();
  });
}

}  // namespace

std::expected<Room, std::string> room_of(const LoadedKernel& kernel, std::uint64_t count) {
  Room room;
  if (count == 0) return room;
  const Code& code = kernel.code;
  if (code.tile != 0) {
    room.tiles = parts(count, code.tile);
    if (room.tiles > kMostTiles) {
      return std::unexpected(std::to_string(count) + " indices are more than a launch has blocks for");
    }
  } else if (!code.entries.empty() && code.entries.front().grid == Grid::Partials) {
    room.tiles = blocks_of(kernel, 0, count);
  }
  if (takes(code, Argument::Scratch)) room.scratch_bytes = parts(room.tiles * 8, kScratchBoundary) * kScratchBoundary;
  if (takes(code, Argument::Staging)) {
    const std::uint64_t each = std::uint64_t{code.element_bytes} + 1;  // an element, and whether it is kept
    if (count > (UINT64_MAX - room.scratch_bytes) / each) {
      return std::unexpected("no memory holds " + std::to_string(count) + " elements");
    }
    room.staging_bytes = count * each;
  }
  return room;
}

Status launch_entries(const Functions& call, const LoadedKernel& kernel, std::span<const std::uint8_t> environment,
                      const LaunchValues& values, StreamHandle stream) {
  const Code& code = kernel.code;
  // The driver reads as many bytes as the code says.
  std::vector<std::uint64_t> record(parts(std::max<std::uint64_t>(code.environment_bytes, environment.size()), 8) + 1);
  if (!environment.empty()) std::memcpy(record.data(), environment.data(), environment.size());
  std::uint64_t words[] = {0,
                           values.count,
                           values.output,
                           values.staging,
                           values.scratch,
                           values.tiles,
                           values.total,
                           values.counter,
                           reinterpret_cast<std::uint64_t>(kernel.record)};
  std::vector<void*> arguments;
  for (std::size_t k = 0; k < code.entries.size(); ++k) {
    const Entry& entry = code.entries[k];
    arguments.clear();
    for (const Argument argument : entry.arguments) {
      arguments.push_back(argument == Argument::Environment ? static_cast<void*>(record.data())
                                                            : &words[static_cast<std::size_t>(argument)]);
    }
    const auto blocks = static_cast<unsigned>(blocks_of(kernel, k, values.count));
    const Status status =
        call.launch(kernel.functions[k], blocks, 1, 1, kernel.threads[k], 1, 1, 0, stream, arguments.data(), nullptr);
    if (status != Status::Success) return status;
  }
  return Status::Success;
}

}  // namespace cairn::cuda
