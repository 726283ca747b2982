import { encode } from 'uqr';
import { QR_LEVELS } from '../../stores/links/link';
import { QrTooLongError } from './qr.errors';

/** A code's appearance. Colours are in the form that `normalColour` returns. */
export interface QrLook {
  /** Side length in pixels. */
  readonly size: number;
  /** Quiet zone in modules. */
  readonly margin: number;
  readonly dark: string;
  readonly light: string;
}

/** Pixels per module. Smaller modules are unreadable on screens and after scaling. */
const MIN_MODULE = 2;

/** Returns whole pixels per module; null if below the minimum. */
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

export type QrLevel = (typeof QR_LEVELS)[number];

/** Largest version: modules in larger codes are too small for a phone at arm's length. */
const MAX_VERSION = 10;
/** Share of a side that the logo covers, which error correction Q and H tolerate. */
const LOGO_SHARE = 0.22;

export interface QrMatrix {
  /** The code's version, 1 to 10. */
  readonly version: number;
  /** Side length in modules. */
  readonly size: number;
  readonly isDark: (x: number, y: number) => boolean;
  readonly hole: { readonly from: number; readonly size: number } | null;
}

export interface QrContent {
  readonly text: string;
  readonly level: QrLevel;
  readonly logo: boolean;
}

/** @throws QrTooLongError */
export function qrMatrix({ text, level, logo }: QrContent): QrMatrix {
  const { version, size, data } = encodeText(text, { ecc: level });
  const hole = logo ? logoHole(size) : null;
  const isFree = (x: number, y: number): boolean =>
    hole !== null && inHole(hole, x) && inHole(hole, y);
  return { version, size, hole, isDark: (x, y) => data[y]?.[x] === true && !isFree(x, y) };
}

/** Fast, because it skips the search for the best mask. @throws QrTooLongError */
export function qrMeasure({ text, level }: Omit<QrContent, 'logo'>): {
  version: number;
  size: number;
} {
  const { version, size } = encodeText(text, { ecc: level, maskPattern: 0 });
  return { version, size };
}

function encodeText(text: string, options: { ecc: QrLevel; maskPattern?: number }) {
  try {
    return encode(text, { ...options, border: 0, maxVersion: MAX_VERSION });
  } catch (error) {
    throw error instanceof RangeError ? new QrTooLongError() : error;
  }
}

/** The size is odd, like a code's size, so that the hole is centred. */
function logoHole(size: number): { from: number; size: number } {
  const most = Math.floor(size * LOGO_SHARE);
  const side = most % 2 === 0 ? most - 1 : most;
  return { from: (size - side) / 2, size: side };
}

function inHole({ from, size }: { from: number; size: number }, at: number): boolean {
  return at >= from && at < from + size;
}
