local ffi = require("ffi")
local band, rshift, tobit = bit.band, bit.rshift, bit.tobit
local n = 2000000
local x, out = ffi.new("uint32_t[?]", n), ffi.new("uint32_t[?]", n)
local function evens()
  local kept = 0
  for i = 0, n - 1 do
    if band(x[i], 1) == 0 then
      out[kept] = x[i]
      kept = kept + 1
    end
  end
  return kept
end
local seed = 9
for i = 0, n - 1 do
  seed = (seed * 1664525 + 1013904223) % 4294967296
  x[i] = rshift(tobit(seed), 8)
end
local check = 0
for _ = 1, 150 do
  local kept = evens()
  check = (check * 31 + out[rshift(kept, 1)]) % 4294967296
  x[0] = x[0] + 1
end
print(string.format("%.0f", check))
