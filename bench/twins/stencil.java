final class Main {
  static void sweep(float[] from, float[] to) {
    for (int i = 1; i < from.length - 1; i++) to[i] = (from[i - 1] + from[i] + from[i + 1]) * 0.333f;
  }

  public static void main(String[] args) {
    int n = 200000;
    float[] a = new float[n], b = new float[n];
    for (int i = 0; i < n; i++) a[i] = i % 13;
    for (int round = 0; round < 5000; round++) {
      sweep(a, b);
      sweep(b, a);
    }
    System.out.println((long) (a[n / 2] * 1.0e9f));
  }
}
