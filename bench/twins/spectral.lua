local ffi = require("ffi")
local n = 4000
local function entry(i, j) return 1 / ((i + j) * (i + j + 1) / 2 + i + 1) end
local function times(v, out)
  for i = 0, n - 1 do
    local sum = 0
    for j = 0, n - 1 do sum = sum + entry(i, j) * v[j] end
    out[i] = sum
  end
end
local function transposed(v, out)
  for i = 0, n - 1 do
    local sum = 0
    for j = 0, n - 1 do sum = sum + entry(j, i) * v[j] end
    out[i] = sum
  end
end
local u, v, between = ffi.new("double[?]", n), ffi.new("double[?]", n), ffi.new("double[?]", n)
for i = 0, n - 1 do u[i] = 1 end
for _ = 1, 10 do
  times(u, between)
  transposed(between, v)
  times(v, between)
  transposed(between, u)
end
local uv, vv = 0, 0
for i = 0, n - 1 do
  uv = uv + u[i] * v[i]
  vv = vv + v[i] * v[i]
end
print(string.format("%.0f", math.floor(math.sqrt(uv / vv) * 1e12)))
