import type { QrMatrix } from './qr-matrix';

/** How a code is drawn; colours in the form of `normalColour`. */
export interface QrLook {
  /** Pixels of a side. */
  readonly size: number;
  /** Modules around the code. */
  readonly margin: number;
  readonly dark: string;
  readonly light: string;
}

/** Smaller modules neither survive any scaling nor are read from a screen. */
const MIN_MODULE = 2;

/** Pixels of a module in a picture of whole pixels; null where they would be too few. */
export function modulePixels(
  { size: modules }: Pick<QrMatrix, 'size'>,
  { size, margin }: Pick<QrLook, 'size' | 'margin'>,
): number | null {
  const pixels = Math.floor(size / (modules + 2 * margin));
  return pixels < MIN_MODULE ? null : pixels;
}

/** The smallest picture that has room for a code. */
export function smallestSize({ size }: Pick<QrMatrix, 'size'>, margin: number): number {
  return MIN_MODULE * (size + 2 * margin);
}
