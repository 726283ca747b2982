/** A count for people: `1,234,567`. */
export function grouped(count: number): string {
  return count.toLocaleString('en');
}
