final class Main {
  static int execute(int[] kinds, int[] ks, int rounds) {
    int a = 1, b = 2, left = rounds, at = 0;
    while (left > 0) {
      int k = ks[at];
      switch (kinds[at]) {
        case 0: a += k; break;
        case 1: a ^= k; break;
        case 2: a *= k; break;
        case 3: a = (a << k) | (a >>> (32 - k)); break;
        case 4: { int kept = a; a = b; b = kept; break; }
        case 5: if ((a & 1) == 1) at++; break;
        default: left--; at = 0; continue;
      }
      at++;
    }
    return a ^ b;
  }

  public static void main(String[] args) {
    int n = 64;
    int[] kinds = new int[n], ks = new int[n];
    int x = 3;
    for (int i = 0; i < n - 1; i++) {
      x = x * 1664525 + 1013904223;
      int k = (x >>> 8) % 65536 + 1;
      kinds[i] = (x >>> 24) % 6;
      ks[i] = new int[] {k, k, 2 * k + 1, k % 31 + 1, 0, 0}[kinds[i]];
    }
    kinds[n - 2] = 4;
    kinds[n - 1] = 6;
    System.out.println(Integer.toUnsignedString(execute(kinds, ks, 3000000)));
  }
}
