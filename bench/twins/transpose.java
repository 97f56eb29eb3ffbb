final class Main {
  static final int TILE = 32;

  static void turn(int n, int[] from, int[] to) {
    int[] block = new int[(TILE - 1) * (TILE + 1) + TILE];
    for (int ti = 0; ti < n / TILE; ti++) {
      for (int tj = 0; tj < n / TILE; tj++) {
        for (int r = 0; r < TILE; r++) {
          for (int c = 0; c < TILE; c++) block[r * (TILE + 1) + c] = from[(ti * TILE + r) * n + tj * TILE + c];
        }
        for (int r = 0; r < TILE; r++) {
          for (int c = 0; c < TILE; c++) to[(tj * TILE + r) * n + ti * TILE + c] = block[c * (TILE + 1) + r];
        }
      }
    }
  }

  public static void main(String[] args) {
    int n = 1024;
    int[] a = new int[n * n], b = new int[n * n];
    int x = 5;
    for (int i = 0; i < n * n; i++) {
      x = x * 1664525 + 1013904223;
      a[i] = x;
    }
    int check = 0;
    for (int round = 0; round < 200; round++) {
      turn(n, a, b);
      check = check * 31 + b[(round * 7919) % (n * n)];
      turn(n, b, a);
    }
    System.out.println(Integer.toUnsignedString(check) + " " + Integer.toUnsignedString(a[n * n - 2]));
  }
}
