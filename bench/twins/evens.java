final class Main {
  static int evens(int[] x, int[] out) {
    int kept = 0;
    for (int i = 0; i < x.length; i++) if ((x[i] & 1) == 0) out[kept++] = x[i];
    return kept;
  }

  public static void main(String[] args) {
    int n = 2000000;
    int[] x = new int[n], out = new int[n];
    int seed = 9;
    for (int i = 0; i < n; i++) {
      seed = seed * 1664525 + 1013904223;
      x[i] = seed >>> 8;
    }
    int check = 0;
    for (int round = 0; round < 150; round++) {
      int kept = evens(x, out);
      check = check * 31 + out[kept / 2];
      x[0]++;
    }
    System.out.println(Integer.toUnsignedString(check));
  }
}
