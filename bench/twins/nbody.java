final class Main {
  double x, y, z, vx, vy, vz, mass;

  Main(double x, double y, double z, double vx, double vy, double vz, double mass) {
    this.x = x;
    this.y = y;
    this.z = z;
    this.vx = vx;
    this.vy = vy;
    this.vz = vz;
    this.mass = mass;
  }

  static void advance(Main[] bodies, double dt) {
    for (int i = 0; i < bodies.length; i++) {
      Main a = bodies[i];
      for (int j = i + 1; j < bodies.length; j++) {
        Main b = bodies[j];
        double dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
        double square = dx * dx + dy * dy + dz * dz;
        double strength = dt / (square * Math.sqrt(square));
        double pull = b.mass * strength, push = a.mass * strength;
        a.vx -= dx * pull;
        a.vy -= dy * pull;
        a.vz -= dz * pull;
        b.vx += dx * push;
        b.vy += dy * push;
        b.vz += dz * push;
      }
    }
    for (Main a : bodies) {
      a.x += dt * a.vx;
      a.y += dt * a.vy;
      a.z += dt * a.vz;
    }
  }

  static double energy(Main[] bodies) {
    double total = 0;
    for (int i = 0; i < bodies.length; i++) {
      Main b = bodies[i];
      total += 0.5 * b.mass * (b.vx * b.vx + b.vy * b.vy + b.vz * b.vz);
      for (int j = i + 1; j < bodies.length; j++) {
        Main c = bodies[j];
        double dx = b.x - c.x, dy = b.y - c.y, dz = b.z - c.z;
        total -= b.mass * c.mass / Math.sqrt(dx * dx + dy * dy + dz * dz);
      }
    }
    return total;
  }

  public static void main(String[] args) {
    Main[] bodies = {
      new Main(0, 0, 0, 0, 0, 0, 39.47841760435743),
      new Main(4.84143144246472090, -1.16032004402742839, -0.103622044471123109, 0.606326392995832, 2.81198684491626016,
               -0.02521836165988763, 0.03769367487038949),
      new Main(8.34336671824457987, 4.12479856412430479, -0.403523417114321381, -1.01077434617879236, 1.82566237123041186,
               0.008415761376584154, 0.011286326131968767),
      new Main(12.8943695621391310, -15.1111514016986312, -0.223307578892655734, 1.08279100644153536, 0.868713018169608219,
               -0.010832637401363636, 0.0017237240570597112),
      new Main(15.3796971148509165, -25.9193146099879641, 0.179258772950371181, 0.979090732243897976, 0.594698998647676061,
               -0.034755955531255795, 0.0020336868699246304)};
    double px = 0, py = 0, pz = 0;
    for (Main b : bodies) {
      px += b.vx * b.mass;
      py += b.vy * b.mass;
      pz += b.vz * b.mass;
    }
    bodies[0].vx = -px / bodies[0].mass;
    bodies[0].vy = -py / bodies[0].mass;
    bodies[0].vz = -pz / bodies[0].mass;
    for (int step = 0; step < 5000000; step++) advance(bodies, 0.01);
    System.out.println((long) (energy(bodies) * 1.0e12));
  }
}
