local ffi = require("ffi")
local n = 5000000
local composite = ffi.new("uint8_t[?]", n)

local function count_primes()
  local count = 0
  ffi.fill(composite, n)
  for p = 2, n - 1 do
    if composite[p] == 0 then
      count = count + 1
      for multiple = p * p, n - 1, p do composite[multiple] = 1 end
    end
  end
  return count
end

local count = 0
for _ = 1, 20 do count = count + count_primes() end
print(count)
