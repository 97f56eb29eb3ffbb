const n = 5000000;
const composite = new Uint8Array(n);
function countPrimes() {
  let count = 0;
  composite.fill(0);
  for (let p = 2; p < n; p++) {
    if (composite[p] !== 0) continue;
    count++;
    for (let multiple = p * p; multiple < n; multiple += p) composite[multiple] = 1;
  }
  return count;
}
let count = 0;
for (let round = 0; round < 20; round++) count += countPrimes();
console.log(String(count));
