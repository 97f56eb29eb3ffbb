final class Main {
  static long sum(byte[] bytes) {
    long total = 0;
    int i = 0, n = bytes.length;
    while (i < n) {
      while (i < n && bytes[i] == 32) i++;
      long value = 0;
      while (i < n && bytes[i] != 32) value = value * 10 + (bytes[i++] - 48);
      total += value;
    }
    return total;
  }

  public static void main(String[] args) {
    byte[] bytes = new byte[4000000];
    int x = 7, left = 0;
    for (int i = 0; i < bytes.length; i++) {
      x = x * 1664525 + 1013904223;
      if (left == 0) {
        bytes[i] = 32;
        left = (x >>> 28) % 9 + 1;
      } else {
        bytes[i] = (byte) ((x >>> 16) % 10 + 48);
        left--;
      }
    }
    long check = 0;
    for (int round = 0; round < 40; round++) {
      check = (check * 31 + sum(bytes)) % 1000003;
      bytes[round * 11] = 57;
    }
    System.out.println(check);
  }
}
