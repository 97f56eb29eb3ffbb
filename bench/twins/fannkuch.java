final class Main {
  static long sum, most;

  static int flips(int[] p) {
    int count = 0;
    for (int first = p[0]; first != 0; first = p[0]) {
      for (int lo = 0, hi = first; lo < hi; lo++, hi--) {
        int swapped = p[lo];
        p[lo] = p[hi];
        p[hi] = swapped;
      }
      count++;
    }
    return count;
  }

  static void search(int n) {
    int[] order = new int[n], work = new int[n], count = new int[n];
    for (int i = 0; i < n; i++) order[i] = i;
    boolean even = true;
    int r = n;
    while (true) {
      for (; r != 1; r--) count[r - 1] = r;
      for (int i = 0; i < n; i++) work[i] = order[i];
      int taken = flips(work);
      most = Math.max(most, taken);
      sum += even ? taken : -taken;
      even = !even;
      for (;; r++) {
        if (r == n) return;
        int first = order[0];
        for (int i = 0; i < r; i++) order[i] = order[i + 1];
        order[r] = first;
        if (--count[r] > 0) break;
      }
    }
  }

  public static void main(String[] args) {
    for (int round = 0; round < 3; round++) search(10);
    System.out.println(sum + " " + most);
  }
}
