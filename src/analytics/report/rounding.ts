/** Rounds to two decimals, as all shares and averages are answered. */
export function twoDecimals(value: number): number {
  return Math.round(value * 100) / 100;
}

/** A part of a whole in percent, two decimals; 0 of nothing is 0. */
export function percentage(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part * 10_000) / whole) / 100;
}
