final class Main {
  static void multiply(int n, double[] a, double[] b, double[] c) {
    for (int i = 0; i < n; i++) {
      for (int k = 0; k < n; k++) {
        double x = a[i * n + k];
        for (int j = 0; j < n; j++) c[i * n + j] += x * b[k * n + j];
      }
    }
  }

  public static void main(String[] args) {
    int n = 1000;
    double[] a = new double[n * n], b = new double[n * n], c = new double[n * n];
    for (int i = 0; i < n * n; i++) {
      a[i] = i % 7 - 3.0;
      b[i] = i % 5 * 0.5;
    }
    multiply(n, a, b, c);
    double sum = 0;
    for (int i = 0; i < n * n; i++) sum += c[i] * (i % 3);
    System.out.println(sum);
  }
}
