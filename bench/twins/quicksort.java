final class Main {
  // Elements with the highest bit flipped, so that signed comparisons order unsigned numbers.
  static void sort(int[] items, int from, int to) {
    if (to - from < 2) return;
    int pivot = items[from + (to - from) / 2];
    int lo = from, hi = to - 1;
    while (true) {
      while (items[lo] < pivot) lo++;
      while (items[hi] > pivot) hi--;
      if (lo >= hi) break;
      int swapped = items[lo];
      items[lo++] = items[hi];
      items[hi--] = swapped;
    }
    sort(items, from, lo);
    sort(items, lo, to);
  }

  public static void main(String[] args) {
    int n = 4000000;
    int[] items = new int[n];
    int x = 1;
    for (int i = 0; i < n; i++) {
      x = x * 1664525 + 1013904223;
      items[i] = x ^ 0x80000000;
    }
    sort(items, 0, n);
    long good = 0;
    for (int i = 1; i < n; i++) if (items[i - 1] <= items[i]) good++;
    System.out.println(good + " " + Integer.toUnsignedString(items[n / 2] ^ 0x80000000));
  }
}
