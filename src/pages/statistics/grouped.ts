/** A count for people: `1,234,567`. */
export function groupDigits(count: number): string {
  return count.toLocaleString('en');
}
