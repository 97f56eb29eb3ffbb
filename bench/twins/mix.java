final class Main {
  public static void main(String[] args) {
    int h = 0x811c9dc5;
    for (int x = 0; x < 300000000; x++) {
      h = (h ^ x) * 16777619;
      h ^= h >>> 15;
    }
    System.out.println(Integer.toUnsignedString(h));
  }
}
