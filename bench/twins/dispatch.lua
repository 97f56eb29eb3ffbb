local ffi = require("ffi")
local bxor, bor, band, lshift, rshift, tobit = bit.bxor, bit.bor, bit.band, bit.lshift, bit.rshift, bit.tobit
local n = 64
local kinds, ks = ffi.new("int32_t[?]", n), ffi.new("int32_t[?]", n)
local function execute(rounds)
  local a, b, left, at = 1, 2, rounds, 0
  while left > 0 do
    local kind, k = kinds[at], ks[at]
    if kind == 0 then
      a = tobit(a + k)
    elseif kind == 1 then
      a = bxor(a, k)
    elseif kind == 2 then
      a = tobit(a * k)
    elseif kind == 3 then
      a = bor(lshift(a, k), rshift(a, 32 - k))
    elseif kind == 4 then
      a, b = b, a
    elseif kind == 5 then
      if band(a, 1) == 1 then at = at + 1 end
    else
      left = left - 1
      at = -1
    end
    at = at + 1
  end
  return bxor(a, b) % 4294967296
end
local x = 3
for i = 0, n - 2 do
  x = (x * 1664525 + 1013904223) % 4294967296
  local k = rshift(tobit(x), 8) % 65536 + 1
  kinds[i] = rshift(tobit(x), 24) % 6
  ks[i] = ({[0] = k, k, 2 * k + 1, k % 31 + 1, 0, 0})[kinds[i]]
end
kinds[n - 2] = 4
kinds[n - 1] = 6
print(string.format("%.0f", execute(3000000)))
