const n = 64;
const kinds = new Int32Array(n), ks = new Int32Array(n);
function execute(rounds) {
  let a = 1, b = 2, left = rounds, at = 0;
  while (left > 0) {
    const k = ks[at];
    switch (kinds[at]) {
      case 0: a = (a + k) | 0; break;
      case 1: a ^= k; break;
      case 2: a = Math.imul(a, k); break;
      case 3: a = (a << k) | (a >>> (32 - k)); break;
      case 4: { const kept = a; a = b; b = kept; break; }
      case 5: if (a & 1) at++; break;
      case 6: left--; at = 0; continue;
    }
    at++;
  }
  return (a ^ b) >>> 0;
}
let x = 3;
for (let i = 0; i < n - 1; i++) {
  x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
  const k = (x >>> 8) % 65536 + 1;
  kinds[i] = (x >>> 24) % 6;
  ks[i] = [k, k, 2 * k + 1, k % 31 + 1, 0, 0][kinds[i]];
}
kinds[n - 2] = 4;
kinds[n - 1] = 6;
console.log(String(execute(3000000)));
