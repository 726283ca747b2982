/** `--quick`: sizes for smoke tests; the figures are meaningless. */
export const quick = process.argv.includes('--quick');

export function size(name: string, full: number, small: number): number {
  const at = process.argv.indexOf(`--${name}`);
  if (at === -1) return quick ? small : full;
  const value = Number(process.argv[at + 1]);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} takes a whole number`);
  return value;
}
