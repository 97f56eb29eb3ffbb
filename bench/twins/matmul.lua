local ffi = require("ffi")
local n = 1000
local a, b, c = ffi.new("double[?]", n * n), ffi.new("double[?]", n * n), ffi.new("double[?]", n * n)
for i = 0, n * n - 1 do
  a[i] = i % 7 - 3
  b[i] = (i % 5) * 0.5
end
for i = 0, n - 1 do
  for k = 0, n - 1 do
    local x = a[i * n + k]
    for j = 0, n - 1 do c[i * n + j] = c[i * n + j] + x * b[k * n + j] end
  end
end
local sum = 0
for i = 0, n * n - 1 do sum = sum + c[i] * (i % 3) end
print(sum)
