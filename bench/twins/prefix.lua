-- Sums stay below 2^53, where doubles hold every integer.
local ffi = require("ffi")
local n = 1000000
local x, out = ffi.new("double[?]", n), ffi.new("double[?]", n)
local function prefix()
  local total = 0
  for i = 0, n - 1 do
    total = total + x[i]
    out[i] = total
  end
end
for i = 0, n - 1 do x[i] = i * 7919 % 1000 end
local check = 0
for round = 0, 399 do
  prefix()
  check = (check * 31 + out[n - 1]) % 1000003
  x[round] = x[round] + 1
end
print(check .. " " .. out[n / 2])
