/** `--quick`: sizes that show that a bench works; its figures say nothing. */
export const quick = process.argv.includes('--quick');

/** The number behind `--name`, or what a full or a quick run takes. */
export function size(name: string, full: number, small: number): number {
  const at = process.argv.indexOf(`--${name}`);
  if (at === -1) return quick ? small : full;
  const value = Number(process.argv[at + 1]);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} takes a whole number`);
  return value;
}
