final class Main {
  static void count(byte[] bytes, long[] counts) {
    for (int i = 0; i < bytes.length; i++) counts[bytes[i] & 255]++;
  }

  public static void main(String[] args) {
    byte[] bytes = new byte[6000000];
    long[] counts = new long[256];
    int x = 12345;
    for (int i = 0; i < bytes.length; i++) {
      x = x * 1664525 + 1013904223;
      bytes[i] = (byte) (x >>> 24);
    }
    for (int round = 0; round < 150; round++) count(bytes, counts);
    long sum = 0;
    for (int i = 0; i < 256; i++) sum += counts[i] * i;
    System.out.println(sum);
  }
}
