import { PNG } from 'pngjs';
import { crc32, inflateSync } from 'node:zlib';
import { LogoError } from './qr.errors';
import { fitInto, type Raster } from './raster';

/** Minimum and maximum side length of an upload, in pixels. */
const [MIN_SIDE, MAX_SIDE] = [32, 1024];
/** Side length of the stored logo in pixels: enough for a large code, and fast to decode. */
const KEPT = 256;
const SIGNATURE = '89504e470d0a1a0a';
const ANIMATED = new Set(['acTL', 'fcTL', 'fdAT']);

/** A re-encoded picture, stripped of everything but pixels. */
export interface Logo {
  readonly png: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** @throws LogoError */
export function toLogo(sent: Uint8Array): Logo {
  const bytes = Buffer.from(sent.buffer, sent.byteOffset, sent.byteLength);
  refuseUnfit(bytes);
  const picture = readLogo(bytes);
  const isLarge = Math.max(picture.width, picture.height) > KEPT;
  const { width, height, data } = isLarge ? fitInto(picture, KEPT) : picture;
  const kept = new PNG({ width, height });
  kept.data = Buffer.from(data);
  return { png: PNG.sync.write(kept), width, height };
}

/** @throws LogoError */
export function readLogo(bytes: Uint8Array): Raster {
  try {
    return PNG.sync.read(Buffer.from(bytes));
  } catch {
    throw new LogoError('it is a PNG that cannot be decoded');
  }
}

/** Validates sizes before decoding, because a few bytes can declare a huge picture. */
function refuseUnfit(bytes: Buffer): void {
  if (bytes.toString('hex', 0, 8) !== SIGNATURE) throw new LogoError('it is not a PNG');
  const pixels: Buffer[] = [];
  let most = 0;
  for (const { type, data } of readPngChunks(bytes)) {
    if (ANIMATED.has(type)) throw new LogoError('it is animated');
    if (type === 'IHDR') most = maxPixelBytes(data);
    if (type === 'IDAT') pixels.push(data);
  }
  if (most === 0) throw new LogoError('it does not contain its size');
  try {
    inflateSync(Buffer.concat(pixels), { maxOutputLength: most });
  } catch {
    throw new LogoError('its pixels cannot be decompressed');
  }
}

/** Returns an upper bound on the decoded size in any format. Also validates the sides. */
function maxPixelBytes(header: Buffer): number {
  if (header.length !== 13) throw new LogoError('its header is damaged');
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const fits = (side: number): boolean => side >= MIN_SIDE && side <= MAX_SIDE;
  if (!fits(width) || !fits(height)) {
    throw new LogoError(`its sides must have ${MIN_SIDE} to ${MAX_SIDE} pixels`);
  }
  const bytesOfPixel = 8;
  // Interlaced pictures have up to twice the rows, each with a filter byte.
  return (width * bytesOfPixel + 8) * height * 2;
}

function* readPngChunks(bytes: Buffer): Generator<{ type: string; data: Buffer }> {
  let at = 8;
  while (at + 12 <= bytes.length) {
    const length = bytes.readUInt32BE(at);
    const end = at + 8 + length;
    if (end + 4 > bytes.length) throw new LogoError('it is truncated');
    if (bytes.readUInt32BE(end) !== crc32(bytes.subarray(at + 4, end))) {
      throw new LogoError('a part of it is damaged');
    }
    const type = bytes.toString('latin1', at + 4, at + 8);
    yield { type, data: bytes.subarray(at + 8, end) };
    if (type === 'IEND') return;
    at = end + 4;
  }
  throw new LogoError('it is truncated');
}
