local function escape(re, im, most)
  local x, y = 0, 0
  for n = 0, most - 1 do
    local xx, yy = x * x, y * y
    if xx + yy > 4 then return n end
    y = 2 * x * y + im
    x = xx - yy + re
  end
  return most
end
local total = 0
for row = 0, 1199 do
  for column = 0, 1199 do total = total + escape(column * 3 / 1200 - 2, row * 2.4 / 1200 - 1.2, 500) end
end
print(total)
