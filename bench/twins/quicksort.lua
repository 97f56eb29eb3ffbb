local ffi = require("ffi")
local floor = math.floor
local n = 4000000
local items = ffi.new("uint32_t[?]", n)
local function sort(from, to)
  if to - from < 2 then return end
  local pivot = items[from + floor((to - from) / 2)]
  local lo, hi = from, to - 1
  while true do
    while items[lo] < pivot do lo = lo + 1 end
    while items[hi] > pivot do hi = hi - 1 end
    if lo >= hi then break end
    items[lo], items[hi] = items[hi], items[lo]
    lo = lo + 1
    hi = hi - 1
  end
  sort(from, lo)
  return sort(lo, to)
end
local x = 1
for i = 0, n - 1 do
  x = (x * 1664525 + 1013904223) % 4294967296
  items[i] = x
end
sort(0, n)
local good = 0
for i = 1, n - 1 do if items[i - 1] <= items[i] then good = good + 1 end end
print(string.format("%d %.0f", good, items[n / 2]))
