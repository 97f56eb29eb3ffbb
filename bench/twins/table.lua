local ffi = require("ffi")
local rshift, tobit = bit.rshift, bit.tobit
local n = 65536
local keys, counts = ffi.new("uint32_t[?]", n), ffi.new("uint32_t[?]", n)
local function slot_of(key)
  local slot = rshift(tobit(key * 2654435769 % 4294967296), 16)
  while keys[slot] ~= key do
    if keys[slot] == 0 then
      keys[slot] = key
      return slot
    end
    slot = (slot + 1) % n
  end
  return slot
end
local x = 1
for _ = 1, 120000000 do
  x = (x * 1664525 + 1013904223) % 4294967296
  local slot = slot_of(rshift(tobit(x), 8) % 40000 + 1)
  counts[slot] = counts[slot] + 1
end
local used, most = 0, 0
for i = 0, n - 1 do
  if keys[i] ~= 0 then used = used + 1 end
  most = math.max(most, counts[i])
end
print(used .. " " .. most)
