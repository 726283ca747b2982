/** `--quick` uses sizes for smoke tests, whose figures mean nothing. */
export const quick = process.argv.includes('--quick');

export function size(name: string, full: number, small: number): number {
  const at = process.argv.indexOf(`--${name}`);
  if (at === -1) return quick ? small : full;
  const value = Number(process.argv[at + 1]);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} takes a whole number`);
  return value;
}
