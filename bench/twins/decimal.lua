local ffi = require("ffi")
local rshift, tobit = bit.rshift, bit.tobit
local n = 4000000
local bytes = ffi.new("uint8_t[?]", n)
local function sum()
  local total, i = 0, 0
  while i < n do
    while i < n and bytes[i] == 32 do i = i + 1 end
    local value = 0
    while i < n and bytes[i] ~= 32 do
      value = value * 10 + (bytes[i] - 48)
      i = i + 1
    end
    total = total + value
  end
  return total
end
local x, left = 7, 0
for i = 0, n - 1 do
  x = (x * 1664525 + 1013904223) % 4294967296
  if left == 0 then
    bytes[i] = 32
    left = rshift(tobit(x), 28) % 9 + 1
  else
    bytes[i] = rshift(tobit(x), 16) % 10 + 48
    left = left - 1
  end
end
local check = 0
for round = 0, 39 do
  check = (check * 31 + sum()) % 1000003
  bytes[round * 11] = 57
end
print(check)
