final class Main {
  static void prefix(long[] x, long[] out) {
    long total = 0;
    for (int i = 0; i < x.length; i++) {
      total += x[i];
      out[i] = total;
    }
  }

  public static void main(String[] args) {
    int n = 1000000;
    long[] x = new long[n], out = new long[n];
    for (int i = 0; i < n; i++) x[i] = i * 7919L % 1000;
    long check = 0;
    for (int round = 0; round < 400; round++) {
      prefix(x, out);
      check = (check * 31 + out[n - 1]) % 1000003;
      x[round]++;
    }
    System.out.println(check + " " + out[n / 2]);
  }
}
