local sqrt = math.sqrt
local function body(x, y, z, vx, vy, vz, mass) return {x = x, y = y, z = z, vx = vx, vy = vy, vz = vz, mass = mass} end
local bodies = {
  body(0, 0, 0, 0, 0, 0, 39.47841760435743),
  body(4.84143144246472090, -1.16032004402742839, -0.103622044471123109, 0.606326392995832, 2.81198684491626016,
       -0.02521836165988763, 0.03769367487038949),
  body(8.34336671824457987, 4.12479856412430479, -0.403523417114321381, -1.01077434617879236, 1.82566237123041186,
       0.008415761376584154, 0.011286326131968767),
  body(12.8943695621391310, -15.1111514016986312, -0.223307578892655734, 1.08279100644153536, 0.868713018169608219,
       -0.010832637401363636, 0.0017237240570597112),
  body(15.3796971148509165, -25.9193146099879641, 0.179258772950371181, 0.979090732243897976, 0.594698998647676061,
       -0.034755955531255795, 0.0020336868699246304)}
local n = #bodies
local function advance(dt)
  for i = 1, n do
    local a = bodies[i]
    for j = i + 1, n do
      local b = bodies[j]
      local dx, dy, dz = a.x - b.x, a.y - b.y, a.z - b.z
      local square = dx * dx + dy * dy + dz * dz
      local strength = dt / (square * sqrt(square))
      local pull, push = b.mass * strength, a.mass * strength
      a.vx, a.vy, a.vz = a.vx - dx * pull, a.vy - dy * pull, a.vz - dz * pull
      b.vx, b.vy, b.vz = b.vx + dx * push, b.vy + dy * push, b.vz + dz * push
    end
  end
  for i = 1, n do
    local a = bodies[i]
    a.x, a.y, a.z = a.x + dt * a.vx, a.y + dt * a.vy, a.z + dt * a.vz
  end
end
local function energy()
  local total = 0
  for i = 1, n do
    local b = bodies[i]
    total = total + 0.5 * b.mass * (b.vx * b.vx + b.vy * b.vy + b.vz * b.vz)
    for j = i + 1, n do
      local c = bodies[j]
      local dx, dy, dz = b.x - c.x, b.y - c.y, b.z - c.z
      total = total - b.mass * c.mass / sqrt(dx * dx + dy * dy + dz * dz)
    end
  end
  return total
end
local px, py, pz = 0, 0, 0
for i = 1, n do
  local b = bodies[i]
  px, py, pz = px + b.vx * b.mass, py + b.vy * b.mass, pz + b.vz * b.mass
end
bodies[1].vx, bodies[1].vy, bodies[1].vz = -px / bodies[1].mass, -py / bodies[1].mass, -pz / bodies[1].mass
for _ = 1, 5000000 do advance(0.01) end
print(string.format("%.0f", math.ceil(energy() * 1e12)))
