const n = 4000000;
const bytes = new Uint8Array(n);
function sum() {
  let total = 0, i = 0;
  while (i < n) {
    while (i < n && bytes[i] === 32) i++;
    let value = 0;
    while (i < n && bytes[i] !== 32) value = value * 10 + (bytes[i++] - 48);
    total += value;
  }
  return total;
}
let x = 7, left = 0;
for (let i = 0; i < n; i++) {
  x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
  if (left === 0) {
    bytes[i] = 32;
    left = (x >>> 28) % 9 + 1;
  } else {
    bytes[i] = (x >>> 16) % 10 + 48;
    left--;
  }
}
let check = 0;
for (let round = 0; round < 40; round++) {
  check = (check * 31 + sum()) % 1000003;
  bytes[round * 11] = 57;
}
console.log(String(check));
