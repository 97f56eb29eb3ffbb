#include "vm/natives/c_library.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <string_view>

#include "vm/interpreter/thread.hpp"
#include "vm/natives/fragment_natives.hpp"
#include "vm/natives/matrix_natives.hpp"
#include "vm/natives/pair_natives.hpp"
#include "vm/natives/reference_arguments.hpp"
#include "vm/natives/reference_natives.hpp"
#include "vm/natives/ring_natives.hpp"

namespace cairn {

namespace {

thread_local int kept_errno = 0;

template <class T>
void finish(NativeCall& call, T result) {
  kept_errno = errno;
  call.result<T>(result);
}

/// A C string argument: a view of one byte, two slots.
const char* path(const NativeCall& call, std::uint32_t slot) { return call.pointer<const char>(slot); }

/// A file that holds the program's argument list, in place of the machine's own (library, section 27).
int open_argument_list(const std::string& list) {
  const int file = ::memfd_create("cmdline", MFD_CLOEXEC);
  if (file < 0) return file;
  std::size_t done = 0;
  while (done < list.size()) {
    const ssize_t written = ::write(file, list.data() + done, list.size() - done);
    if (written <= 0) break;
    done += static_cast<std::size_t>(written);
  }
  ::lseek(file, 0, SEEK_SET);
  return file;
}

// ------------------------------------------------------------------------------------------------------------- files

void native_open(NativeCall& call) {
  const char* name = path(call, 0);
  const auto flags = call.get<int>(2);
  const int file = std::string_view(name) == "/proc/self/cmdline" && (flags & O_ACCMODE) == O_RDONLY
                       ? open_argument_list(call.thread().instance().argument_list())
                       : ::open(name, flags, call.get<mode_t>(3));
  finish(call, file);
}
void native_read(NativeCall& call) {
  finish(call, static_cast<std::int64_t>(::read(call.get<int>(0), call.pointer<void>(1), call.get<std::size_t>(3))));
}
void native_write(NativeCall& call) {
  finish(call,
         static_cast<std::int64_t>(::write(call.get<int>(0), call.pointer<const void>(1), call.get<std::size_t>(3))));
}
void native_close(NativeCall& call) { finish(call, ::close(call.get<int>(0))); }
void native_lseek(NativeCall& call) {
  finish(call, static_cast<std::int64_t>(::lseek(call.get<int>(0), call.get<std::int64_t>(1), call.get<int>(2))));
}
void native_fsync(NativeCall& call) { finish(call, ::fsync(call.get<int>(0))); }
void native_ftruncate(NativeCall& call) { finish(call, ::ftruncate(call.get<int>(0), call.get<std::int64_t>(1))); }
void native_unlink(NativeCall& call) { finish(call, ::unlink(path(call, 0))); }
void native_rename(NativeCall& call) { finish(call, ::rename(path(call, 0), path(call, 2))); }
void native_access(NativeCall& call) { finish(call, ::access(path(call, 0), call.get<int>(2))); }

// -------------------------------------------------------------------------------------------------------------- time

timespec time_of(const std::int64_t* pair) { return {static_cast<time_t>(pair[0]), static_cast<long>(pair[1])}; }

void native_clock_gettime(NativeCall& call) {
  timespec now{};
  const int status = ::clock_gettime(call.get<clockid_t>(0), &now);
  auto* pair = call.pointer<std::int64_t>(1);
  pair[0] = now.tv_sec;
  pair[1] = now.tv_nsec;
  finish(call, status);
}
void native_nanosleep(NativeCall& call) {
  const timespec wanted = time_of(call.pointer<const std::int64_t>(0));
  timespec left{};
  const int status = ::nanosleep(&wanted, &left);
  auto* pair = call.pointer<std::int64_t>(2);
  pair[0] = left.tv_sec;
  pair[1] = left.tv_nsec;
  finish(call, status);
}

// ----------------------------------------------------------------------------------------------------------- process

void native_errno_location(NativeCall& call) { call.result(reinterpret_cast<std::uint64_t>(&kept_errno)); }
void native_getpid(NativeCall& call) { finish(call, static_cast<int>(::getpid())); }

// ----------------------------------------------------------------------------------------------------------- network

void native_socket(NativeCall& call) { finish(call, ::socket(call.get<int>(0), call.get<int>(1), call.get<int>(2))); }
void native_bind(NativeCall& call) {
  finish(call, ::bind(call.get<int>(0), call.pointer<const sockaddr>(1), call.get<socklen_t>(3)));
}
void native_listen(NativeCall& call) { finish(call, ::listen(call.get<int>(0), call.get<int>(1))); }
void native_accept(NativeCall& call) {
  finish(call, ::accept(call.get<int>(0), call.pointer<sockaddr>(1), call.pointer<socklen_t>(3)));
}
void native_connect(NativeCall& call) {
  finish(call, ::connect(call.get<int>(0), call.pointer<const sockaddr>(1), call.get<socklen_t>(3)));
}
void native_send(NativeCall& call) {
  finish(call, static_cast<std::int64_t>(
                   ::send(call.get<int>(0), call.pointer<const void>(1), call.get<std::size_t>(3), call.get<int>(4))));
}
void native_recv(NativeCall& call) {
  finish(call, static_cast<std::int64_t>(
                   ::recv(call.get<int>(0), call.pointer<void>(1), call.get<std::size_t>(3), call.get<int>(4))));
}
void native_setsockopt(NativeCall& call) {
  finish(call, ::setsockopt(call.get<int>(0), call.get<int>(1), call.get<int>(2), call.pointer<const void>(3),
                            call.get<socklen_t>(5)));
}

// ------------------------------------------------------------------------------------------------------- mathematics

template <double (*Function)(double)>
void unary(NativeCall& call) {
  finish(call, Function(call.get<double>(0)));
}
template <double (*Function)(double, double)>
void binary(NativeCall& call) {
  finish(call, Function(call.get<double>(0), call.get<double>(1)));
}

// -------------------------------------------------------------------------------------------------------------- zlib

void native_compress_bound(NativeCall& call) { finish(call, std::uint64_t{::compressBound(call.get<uLong>(0))}); }
void native_compress2(NativeCall& call) {
  finish(call, ::compress2(call.pointer<Bytef>(0), call.pointer<uLongf>(2), call.pointer<const Bytef>(3),
                           call.get<uLong>(5), call.get<int>(6)));
}
void native_crc32_z(NativeCall& call) {
  finish(call, std::uint64_t{::crc32_z(call.get<uLong>(0), call.pointer<const Bytef>(1), call.get<z_size_t>(3))});
}
void native_adler32_z(NativeCall& call) {
  finish(call, std::uint64_t{::adler32_z(call.get<uLong>(0), call.pointer<const Bytef>(1), call.get<z_size_t>(3))});
}

// ----------------------------------------------------------------------------------------------------- machine access

/// One volatile access of exactly T's width at a numeric address; only `unsafe` code asks for it.
template <class T>
void machine_read(NativeCall& call) {
  call.result(*static_cast<volatile const T*>(call.pointer<T>(0)));
}
template <class T>
void machine_write(NativeCall& call) {
  *static_cast<volatile T*>(call.pointer<T>(0)) = call.get<T>(1);
}

constexpr NativeEntry kLibraryNatives[] = {
    {"machine.read.u8", "(u64) -> u8", Capability::Memory, machine_read<std::uint8_t>},
    {"machine.read.u16", "(u64) -> u16", Capability::Memory, machine_read<std::uint16_t>},
    {"machine.read.u32", "(u64) -> u32", Capability::Memory, machine_read<std::uint32_t>},
    {"machine.read.u64", "(u64) -> u64", Capability::Memory, machine_read<std::uint64_t>},
    {"machine.write.u8", "(u64, u8)", Capability::Memory, machine_write<std::uint8_t>},
    {"machine.write.u16", "(u64, u16)", Capability::Memory, machine_write<std::uint16_t>},
    {"machine.write.u32", "(u64, u32)", Capability::Memory, machine_write<std::uint32_t>},
    {"machine.write.u64", "(u64, u64)", Capability::Memory, machine_write<std::uint64_t>},
    {"open", "(view u8, i32, u32) -> i32", Capability::Files, native_open},
    {"read", "(i32, view mut u8, u64) -> i64", Capability::Input, native_read},
    {"write", "(i32, view u8, u64) -> i64", Capability::Output, native_write},
    {"close", "(i32) -> i32", Capability::Files, native_close},
    {"lseek", "(i32, i64, i32) -> i64", Capability::Files, native_lseek},
    {"fsync", "(i32) -> i32", Capability::Files, native_fsync},
    {"ftruncate", "(i32, i64) -> i32", Capability::Files, native_ftruncate},
    {"unlink", "(view u8) -> i32", Capability::Files, native_unlink},
    {"rename", "(view u8, view u8) -> i32", Capability::Files, native_rename},
    {"access", "(view u8, i32) -> i32", Capability::Files, native_access},
    {"clock_gettime", "(i32, view mut i64) -> i32", Capability::Time, native_clock_gettime},
    {"nanosleep", "(view i64, view mut i64) -> i32", Capability::Time, native_nanosleep},
    {"__errno_location", "() -> u64", Capability::None, native_errno_location},
    {"getpid", "() -> i32", Capability::Process, native_getpid},
    {"socket", "(i32, i32, i32) -> i32", Capability::Network, native_socket},
    {"bind", "(i32, view u8, u32) -> i32", Capability::Network, native_bind},
    {"listen", "(i32, i32) -> i32", Capability::Network, native_listen},
    {"accept", "(i32, view mut u8, ref mut u32) -> i32", Capability::Network, native_accept},
    {"connect", "(i32, view u8, u32) -> i32", Capability::Network, native_connect},
    {"send", "(i32, view u8, u64, i32) -> i64", Capability::Network, native_send},
    {"recv", "(i32, view mut u8, u64, i32) -> i64", Capability::Network, native_recv},
    {"setsockopt", "(i32, i32, i32, view u8, u32) -> i32", Capability::Network, native_setsockopt},
    {"exp", "(f64) -> f64", Capability::None, unary<::exp>},
    {"log", "(f64) -> f64", Capability::None, unary<::log>},
    {"log2", "(f64) -> f64", Capability::None, unary<::log2>},
    {"pow", "(f64, f64) -> f64", Capability::None, binary<::pow>},
    {"sin", "(f64) -> f64", Capability::None, unary<::sin>},
    {"cos", "(f64) -> f64", Capability::None, unary<::cos>},
    {"tan", "(f64) -> f64", Capability::None, unary<::tan>},
    {"atan2", "(f64, f64) -> f64", Capability::None, binary<::atan2>},
    {"compressBound", "(u64) -> u64", Capability::None, native_compress_bound},
    {"compress2", "(view mut u8, ref mut u64, view u8, u64, i32) -> i32", Capability::None, native_compress2},
    {"crc32_z", "(u64, view u8, u64) -> u64", Capability::None, native_crc32_z},
    {"adler32_z", "(u64, view u8, u64) -> u64", Capability::None, native_adler32_z},
};

}  // namespace

const NativeTable& c_library_natives() {
  static const NativeTable table = [] {
    NativeTable natives;
    natives.add(kLibraryNatives);
    natives.add(ring_natives());
    natives.add(matrix_natives());
    natives.add(fragment_natives());
    add_pair_natives(natives);
    natives.add(reference_natives());
    natives.add(reference_call::attention_natives());
    return natives;
  }();
  return table;
}

}  // namespace cairn
