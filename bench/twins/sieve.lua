local ffi = require("ffi")
local n = 5000000
local composite = ffi.new("uint8_t[?]", n)
local count = 0
for p = 2, n - 1 do
  if composite[p] == 0 then
    count = count + 1
    local multiple = p * p
    while multiple < n do
      composite[multiple] = 1
      multiple = multiple + p
    end
  end
end
print(count)
