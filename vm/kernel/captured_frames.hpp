// Frames that std.draw.capture writes, seen as they are written: CAIRN_SHOT names a folder of the kernel's own, and
// closing a picture in it hands its bytes on, so that every frame counts, one that another overwrites too.
#pragma once

#include <functional>
#include <string>

#include "vm/interpreter/native.hpp"

namespace cairn::kernel {

class CapturedFrames {
 public:
  /// `folder` as CAIRN_SHOT names it. `taken` is given the bytes of each PNG file closed in it, on whatever thread did.
  /// There is one at a time.
  CapturedFrames(std::string folder, std::function<void(std::string png)> taken);
  ~CapturedFrames();
  CapturedFrames(const CapturedFrames&) = delete;
  CapturedFrames& operator=(const CapturedFrames&) = delete;

  /// Every native of the machine, files closed under the eyes of this.
  [[nodiscard]] const NativeTable& natives() const { return natives_; }
  void closing(int descriptor) const;

 private:
  std::string folder_;
  std::function<void(std::string)> taken_;
  NativeTable natives_;
};

}  // namespace cairn::kernel
