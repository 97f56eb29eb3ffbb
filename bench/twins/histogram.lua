local ffi = require("ffi")
local n = 6000000
local bytes = ffi.new("uint8_t[?]", n)
local counts = ffi.new("uint32_t[256]")
local x = 12345
for i = 0, n - 1 do
  x = (x * 1664525 + 1013904223) % 4294967296
  bytes[i] = bit.rshift(bit.tobit(x), 24)
end
for _ = 1, 150 do
  for i = 0, n - 1 do counts[bytes[i]] = counts[bytes[i]] + 1 end
end
local sum = 0
for i = 0, 255 do sum = sum + counts[i] * i end
print(string.format("%.0f", sum))
