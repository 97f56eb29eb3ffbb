final class Main {
  static int escape(double re, double im, int most) {
    double x = 0, y = 0;
    for (int n = 0; n < most; n++) {
      double xx = x * x, yy = y * y;
      if (xx + yy > 4) return n;
      y = 2 * x * y + im;
      x = xx - yy + re;
    }
    return most;
  }

  public static void main(String[] args) {
    long total = 0;
    for (int row = 0; row < 1200; row++) {
      for (int column = 0; column < 1200; column++) {
        total += escape(column * 3.0 / 1200.0 - 2.0, row * 2.4 / 1200.0 - 1.2, 500);
      }
    }
    System.out.println(total);
  }
}
