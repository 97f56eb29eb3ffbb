local bit = require("bit")
local bxor, lshift, rshift, tobit = bit.bxor, bit.lshift, bit.rshift, bit.tobit
local h = tobit(2166136261)
local x = 0
while x < 300000000 do
  h = bxor(h, x)
  -- h * 16777619 modulo 2^32, in steps that a double holds exactly: 16777619 = 2^24 + 403.
  h = tobit(h * 403 + lshift(h, 24))
  h = bxor(h, rshift(h, 15))
  x = x + 1
end
print(h % 4294967296)
