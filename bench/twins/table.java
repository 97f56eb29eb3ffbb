final class Main {
  static int slotOf(int[] keys, int key) {
    int slot = (key * 0x9e3779b9) >>> 16;
    while (keys[slot] != key) {
      if (keys[slot] == 0) {
        keys[slot] = key;
        return slot;
      }
      slot = (slot + 1) % keys.length;
    }
    return slot;
  }

  public static void main(String[] args) {
    int n = 65536;
    int[] keys = new int[n], counts = new int[n];
    int x = 1;
    for (int round = 0; round < 120000000; round++) {
      x = x * 1664525 + 1013904223;
      counts[slotOf(keys, (x >>> 8) % 40000 + 1)]++;
    }
    int used = 0, most = 0;
    for (int i = 0; i < n; i++) {
      if (keys[i] != 0) used++;
      most = Math.max(most, counts[i]);
    }
    System.out.println(used + " " + most);
  }
}
