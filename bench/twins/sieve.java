final class Main {
  static long countPrimes(byte[] composite) {
    long count = 0;
    java.util.Arrays.fill(composite, (byte) 0);
    for (int p = 2; p < composite.length; p++) {
      if (composite[p] != 0) continue;
      count++;
      for (long multiple = (long) p * p; multiple < composite.length; multiple += p) composite[(int) multiple] = 1;
    }
    return count;
  }

  public static void main(String[] args) {
    byte[] composite = new byte[5000000];
    long count = 0;
    for (int round = 0; round < 20; round++) count += countPrimes(composite);
    System.out.println(count);
  }
}
