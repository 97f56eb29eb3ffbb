const n = 10;
function flips(p) {
  let count = 0;
  for (let first = p[0]; first !== 0; first = p[0]) {
    for (let lo = 0, hi = first; lo < hi; lo++, hi--) {
      const swapped = p[lo];
      p[lo] = p[hi];
      p[hi] = swapped;
    }
    count++;
  }
  return count;
}
function search(found) {
  const order = new Int32Array(n), work = new Int32Array(n), count = new Int32Array(n);
  for (let i = 0; i < n; i++) order[i] = i;
  let most = 0, sum = 0, even = true, r = n;
  for (;;) {
    for (; r !== 1; r--) count[r - 1] = r;
    for (let i = 0; i < n; i++) work[i] = order[i];
    const taken = flips(work);
    if (taken > most) most = taken;
    sum += even ? taken : -taken;
    even = !even;
    for (;; r++) {
      if (r === n) {
        found.sum += sum;
        found.most = Math.max(found.most, most);
        return;
      }
      const first = order[0];
      for (let i = 0; i < r; i++) order[i] = order[i + 1];
      order[r] = first;
      if (--count[r] > 0) break;
    }
  }
}
const found = {sum: 0, most: 0};
for (let round = 0; round < 3; round++) search(found);
console.log(`${found.sum} ${found.most}`);
