#include <cinttypes>
#include <cmath>
#include <cstdint>

#include "guards.hpp"

struct Body {
  double x, y, z, vx, vy, vz, mass;
};

[[gnu::noinline]] static void advance(std::size_t n, Body* bodies, double dt) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = add<std::size_t>(i, 1); j < n; ++j) {
      Body& a = at(bodies, n, i);
      Body& b = at(bodies, n, j);
      const double dx = a.x - b.x;
      const double dy = a.y - b.y;
      const double dz = a.z - b.z;
      const double square = dx * dx + dy * dy + dz * dz;
      const double strength = dt / (square * std::sqrt(square));
      const double pull = b.mass * strength;
      const double push = a.mass * strength;
      a.vx -= dx * pull;
      a.vy -= dy * pull;
      a.vz -= dz * pull;
      b.vx += dx * push;
      b.vy += dy * push;
      b.vz += dz * push;
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    Body& a = at(bodies, n, i);
    a.x += dt * a.vx;
    a.y += dt * a.vy;
    a.z += dt * a.vz;
  }
}

static double energy(std::size_t n, const Body* bodies) {
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Body& b = at(bodies, n, i);
    total += 0.5 * b.mass * (b.vx * b.vx + b.vy * b.vy + b.vz * b.vz);
    for (std::size_t j = i + 1; j < n; ++j) {
      const Body& c = at(bodies, n, j);
      const double dx = b.x - c.x;
      const double dy = b.y - c.y;
      const double dz = b.z - c.z;
      total -= b.mass * c.mass / std::sqrt(dx * dx + dy * dy + dz * dz);
    }
  }
  return total;
}

int main() {
  const std::size_t n = 5;
  Body bodies[n] = {
      {0, 0, 0, 0, 0, 0, 39.47841760435743},
      {4.84143144246472090, -1.16032004402742839, -0.103622044471123109, 0.606326392995832, 2.81198684491626016,
       -0.02521836165988763, 0.03769367487038949},
      {8.34336671824457987, 4.12479856412430479, -0.403523417114321381, -1.01077434617879236, 1.82566237123041186,
       0.008415761376584154, 0.011286326131968767},
      {12.8943695621391310, -15.1111514016986312, -0.223307578892655734, 1.08279100644153536, 0.868713018169608219,
       -0.010832637401363636, 0.0017237240570597112},
      {15.3796971148509165, -25.9193146099879641, 0.179258772950371181, 0.979090732243897976, 0.594698998647676061,
       -0.034755955531255795, 0.0020336868699246304},
  };
  double px = 0, py = 0, pz = 0;
  for (const Body& b : bodies) {
    px += b.vx * b.mass;
    py += b.vy * b.mass;
    pz += b.vz * b.mass;
  }
  bodies[0].vx = -px / bodies[0].mass;
  bodies[0].vy = -py / bodies[0].mass;
  bodies[0].vz = -pz / bodies[0].mass;
  for (int step = 0; step < 5000000; ++step) advance(n, bodies, 0.01);
  std::printf("%" PRId64 "\n", static_cast<std::int64_t>(energy(n, bodies) * 1.0e12));
}
