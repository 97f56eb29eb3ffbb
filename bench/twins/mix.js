let h = 2166136261 | 0;
for (let x = 0; x < 300000000; x++) {
  h = Math.imul(h ^ x, 16777619);
  h ^= h >>> 15;
}
console.log(String(h >>> 0));
