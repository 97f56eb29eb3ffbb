-- LuaJIT rounds a sum of floats as doubles do and again to f32; storing after each operation gives the bits of f32 arithmetic.
local ffi = require("ffi")
local n = 200000
local a, b = ffi.new("float[?]", n), ffi.new("float[?]", n)
local one, third = ffi.new("float[1]"), ffi.new("float[1]", 0.333)[0]
local function sweep(from, to)
  for i = 1, n - 2 do
    one[0] = from[i - 1] + from[i]
    one[0] = one[0] + from[i + 1]
    to[i] = one[0] * third
  end
end
for i = 0, n - 1 do a[i] = i % 13 end
for _ = 1, 5000 do
  sweep(a, b)
  sweep(b, a)
end
one[0] = a[n / 2] * 1e9
print(string.format("%d", one[0]))
