function escape(re, im, most) {
  let x = 0, y = 0;
  for (let n = 0; n < most; n++) {
    const xx = x * x, yy = y * y;
    if (xx + yy > 4) return n;
    y = 2 * x * y + im;
    x = xx - yy + re;
  }
  return most;
}
let total = 0;
for (let row = 0; row < 1200; row++) {
  for (let column = 0; column < 1200; column++) total += escape(column * 3 / 1200 - 2, row * 2.4 / 1200 - 1.2, 500);
}
console.log(String(total));
