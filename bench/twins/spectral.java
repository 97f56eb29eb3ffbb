final class Main {
  static double entry(long i, long j) { return 1.0 / ((i + j) * (i + j + 1) / 2 + i + 1); }

  static void times(double[] v, double[] out) {
    for (int i = 0; i < out.length; i++) {
      double sum = 0;
      for (int j = 0; j < v.length; j++) sum += entry(i, j) * v[j];
      out[i] = sum;
    }
  }

  static void transposed(double[] v, double[] out) {
    for (int i = 0; i < out.length; i++) {
      double sum = 0;
      for (int j = 0; j < v.length; j++) sum += entry(j, i) * v[j];
      out[i] = sum;
    }
  }

  public static void main(String[] args) {
    int n = 4000;
    double[] u = new double[n], v = new double[n], between = new double[n];
    java.util.Arrays.fill(u, 1.0);
    for (int round = 0; round < 10; round++) {
      times(u, between);
      transposed(between, v);
      times(v, between);
      transposed(between, u);
    }
    double uv = 0, vv = 0;
    for (int i = 0; i < n; i++) {
      uv += u[i] * v[i];
      vv += v[i] * v[i];
    }
    System.out.println((long) (Math.sqrt(uv / vv) * 1.0e12));
  }
}
