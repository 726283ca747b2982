/** `1,234,567`. */
export function groupDigits(count: number): string {
  return count.toLocaleString('en');
}

/** `1 click`, `2 clicks`. */
export function formatCount(count: number, noun: string): string {
  return `${groupDigits(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** `2026-11-21 09:30 UTC`. */
export function utcMinute(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** `12 %` or `< 1 %`, without a line break. */
export function share(part: number, whole: number): string {
  const percent = whole === 0 ? 0 : (part / whole) * 100;
  return percent > 0 && percent < 1 ? '<\u00a01\u00a0%' : `${Math.round(percent)}\u00a0%`;
}
