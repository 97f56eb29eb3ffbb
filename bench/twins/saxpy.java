final class Main {
  static void saxpy(float a, float[] x, float[] y) {
    for (int i = 0; i < x.length; i++) y[i] += a * x[i];
  }

  public static void main(String[] args) {
    int n = 100000;
    float[] x = new float[n], y = new float[n];
    for (int i = 0; i < n; i++) x[i] = i % 17;
    for (int round = 0; round < 20000; round++) saxpy(0.001f, x, y);
    System.out.println((long) (y[n / 2] * 1000.0f));
  }
}
