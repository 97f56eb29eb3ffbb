#include "cuda/writer/function_writer.hpp"
namespace cairn::cuda::writer {
bool FunctionWriter::write_pair(std::string_view, std::uint32_t, const bytecode::Signature&) { return false; }
}  // namespace cairn::cuda::writer
