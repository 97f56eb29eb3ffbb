local ffi = require("ffi")
local n = 10
local function flips(p)
  local count = 0
  local first = p[0]
  while first ~= 0 do
    local lo, hi = 0, first
    while lo < hi do
      p[lo], p[hi] = p[hi], p[lo]
      lo = lo + 1
      hi = hi - 1
    end
    count = count + 1
    first = p[0]
  end
  return count
end
local function search(found)
  local order, work, count = ffi.new("int32_t[?]", n), ffi.new("int32_t[?]", n), ffi.new("int32_t[?]", n)
  for i = 0, n - 1 do order[i] = i end
  local most, sum, sign, r = 0, 0, 1, n
  while true do
    while r ~= 1 do
      count[r - 1] = r
      r = r - 1
    end
    for i = 0, n - 1 do work[i] = order[i] end
    local taken = flips(work)
    if taken > most then most = taken end
    sum = sum + sign * taken
    sign = -sign
    while true do
      if r == n then
        found.sum = found.sum + sum
        found.most = math.max(found.most, most)
        return
      end
      local first = order[0]
      for i = 0, r - 1 do order[i] = order[i + 1] end
      order[r] = first
      count[r] = count[r] - 1
      if count[r] > 0 then break end
      r = r + 1
    end
  end
end
local found = {sum = 0, most = 0}
for _ = 1, 3 do search(found) end
print(found.sum .. " " .. found.most)
