-- Storing after each operation gives the bits of f32 arithmetic.
local ffi = require("ffi")
local n = 100000
local x, y = ffi.new("float[?]", n), ffi.new("float[?]", n)
local one, a = ffi.new("float[1]"), ffi.new("float[1]", 0.001)[0]
local function saxpy()
  for i = 0, n - 1 do
    one[0] = a * x[i]
    y[i] = y[i] + one[0]
  end
end
for i = 0, n - 1 do x[i] = i % 17 end
for _ = 1, 20000 do saxpy() end
one[0] = y[n / 2] * 1000
print(string.format("%d", one[0]))
