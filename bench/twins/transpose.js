const n = 1024, tile = 32;
const block = new Uint32Array((tile - 1) * (tile + 1) + tile);
function turn(from, to) {
  for (let ti = 0; ti < n / tile; ti++) {
    for (let tj = 0; tj < n / tile; tj++) {
      for (let r = 0; r < tile; r++) {
        for (let c = 0; c < tile; c++) block[r * (tile + 1) + c] = from[(ti * tile + r) * n + tj * tile + c];
      }
      for (let r = 0; r < tile; r++) {
        for (let c = 0; c < tile; c++) to[(tj * tile + r) * n + ti * tile + c] = block[c * (tile + 1) + r];
      }
    }
  }
}
const a = new Uint32Array(n * n), b = new Uint32Array(n * n);
let x = 5;
for (let i = 0; i < n * n; i++) {
  x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
  a[i] = x;
}
let check = 0;
for (let round = 0; round < 200; round++) {
  turn(a, b);
  check = (Math.imul(check, 31) + b[(round * 7919) % (n * n)]) >>> 0;
  turn(b, a);
}
console.log(`${check} ${a[n * n - 2]}`);
