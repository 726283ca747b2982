import type { QrMatrix } from './qr-matrix';

/** Appearance of a code; colours in the form of `normalColour`. */
export interface QrLook {
  /** Side length in pixels. */
  readonly size: number;
  /** Quiet zone in modules. */
  readonly margin: number;
  readonly dark: string;
  readonly light: string;
}

/** Smaller modules are unreadable on screens and after scaling. */
const MIN_MODULE = 2;

/** Whole pixels per module; null if below the minimum. */
export function modulePixels(
  { size: modules }: Pick<QrMatrix, 'size'>,
  { size, margin }: Pick<QrLook, 'size' | 'margin'>,
): number | null {
  const pixels = Math.floor(size / (modules + 2 * margin));
  return pixels < MIN_MODULE ? null : pixels;
}

/** Minimum side length in pixels. */
export function smallestSize({ size }: Pick<QrMatrix, 'size'>, margin: number): number {
  return MIN_MODULE * (size + 2 * margin);
}
