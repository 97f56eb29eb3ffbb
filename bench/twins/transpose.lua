local ffi = require("ffi")
local n, tile = 1024, 32
local block = ffi.new("uint32_t[?]", (tile - 1) * (tile + 1) + tile)
local function turn(from, to)
  for ti = 0, n / tile - 1 do
    for tj = 0, n / tile - 1 do
      for r = 0, tile - 1 do
        for c = 0, tile - 1 do block[r * (tile + 1) + c] = from[(ti * tile + r) * n + tj * tile + c] end
      end
      for r = 0, tile - 1 do
        for c = 0, tile - 1 do to[(tj * tile + r) * n + ti * tile + c] = block[c * (tile + 1) + r] end
      end
    end
  end
end
local a, b = ffi.new("uint32_t[?]", n * n), ffi.new("uint32_t[?]", n * n)
local x = 5
for i = 0, n * n - 1 do
  x = (x * 1664525 + 1013904223) % 4294967296
  a[i] = x
end
local check = 0
for round = 0, 199 do
  turn(a, b)
  check = (check * 31 + b[round * 7919 % (n * n)]) % 4294967296
  turn(b, a)
end
print(string.format("%.0f %.0f", check, a[n * n - 2]))
