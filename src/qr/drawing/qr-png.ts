import { crc32, deflateSync } from 'node:zlib';
import { type Colour, over, readColour } from './colour';
import { modulePixels, type QrLook } from './qr-look';
import type { QrMatrix } from './qr-matrix';
import { fitInto, type Raster } from './raster';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const [PALETTE, TRUE_COLOUR_WITH_ALPHA] = [3, 6];
/** How the bytes of a row are written: as they are, or as what differs from the row above. */
const [AS_IT_IS, UP] = [0, 2];

/** Where the code lies in a picture, in pixels. */
interface Placing {
  readonly side: number;
  /** Of a module. */
  readonly pixels: number;
  /** To the first module, from the left and from above. */
  readonly offset: number;
}

/**
 * The code as PNG: two colours, a bit a pixel; with a logo all colours. The rows of one row of
 * modules are equal, and a row that is equal to the one above takes nearly nothing.
 *
 * @throws RangeError for a size that has no room for it; see `modulePixels`
 */
export function qrPng(matrix: QrMatrix, look: QrLook, logo: Raster | null): Buffer {
  const pixels = modulePixels(matrix, look);
  if (pixels === null) throw new RangeError(`No room for ${matrix.size} modules`);
  const free = look.size - pixels * (matrix.size + 2 * look.margin);
  const offset = Math.floor(free / 2) + pixels * look.margin;
  const placing = { side: look.size, pixels, offset };
  const light = readColour(look.light);
  const dark = over(readColour(look.dark), light);
  return logo === null || matrix.hole === null
    ? twoColours(matrix, placing, light, dark)
    : allColours(matrix, placing, light, dark, logo);
}

function twoColours(matrix: QrMatrix, placing: Placing, light: Colour, dark: Colour): Buffer {
  const { side } = placing;
  const width = Math.ceil(side / 8);
  const rows = writeRows(matrix, placing, width, (row, from, to) => {
    for (let x = from; x < to; x++) row[x >> 3] = (row[x >> 3] ?? 0) | (0x80 >> (x & 7));
  });
  const colours = [light, dark];
  const isOpaque = colours.every(({ alpha }) => alpha === 255);
  return png(header(side, 1, PALETTE), [
    chunk('PLTE', Buffer.from(colours.flatMap(({ red, green, blue }) => [red, green, blue]))),
    ...(isOpaque ? [] : [chunk('tRNS', Buffer.from(colours.map(({ alpha }) => alpha)))]),
    chunk('IDAT', deflated(rows)),
  ]);
}

function allColours(
  matrix: QrMatrix,
  placing: Placing,
  light: Colour,
  dark: Colour,
  logo: Raster,
): Buffer {
  const { side, pixels, offset } = placing;
  const [paper, ink] = [light, dark].map(({ red, green, blue, alpha }) =>
    Buffer.from([red, green, blue, alpha]),
  ) as [Buffer, Buffer];
  const width = side * 4;
  const rows = writeRows(
    matrix,
    placing,
    width,
    (row, from, to) => row.fill(ink, from * 4, to * 4),
    Buffer.alloc(width, paper),
  );
  const { hole } = matrix;
  if (hole !== null) {
    const fitted = fitInto(logo, hole.size * pixels);
    const corner = offset + hole.from * pixels;
    const left = corner + ((hole.size * pixels - fitted.width) >> 1);
    const top = corner + ((hole.size * pixels - fitted.height) >> 1);
    drawLogo(rows, width, fitted, { left, top, paper: light });
  }
  return png(header(side, 8, TRUE_COLOUR_WITH_ALPHA), [chunk('IDAT', deflated(rows))]);
}

/** Lays the logo over the rows, which are written as differences and stay so. */
function drawLogo(
  rows: Buffer,
  width: number,
  { width: across, height, data }: Raster,
  { left, top, paper }: { left: number; top: number; paper: Colour },
): void {
  const blank = Buffer.alloc(across * 4, colourBytes(paper));
  const line = (y: number): Buffer => {
    if (y < 0 || y >= height) return blank;
    const from = y * across * 4;
    const drawn = Buffer.from(data.subarray(from, from + across * 4));
    for (let at = 0; at < drawn.length; at += 4) {
      // Most logos are opaque.
      if (drawn[at + 3] === 255) continue;
      const [red = 0, green = 0, blue = 0, alpha = 0] = drawn.subarray(at, at + 4);
      drawn.set(colourBytes(over({ red, green, blue, alpha }, paper)), at);
    }
    return drawn;
  };
  // All around the logo is paper, so that above its first row and in its place below the last one
  // there is nothing but that.
  let above = line(-1);
  for (let y = 0; y <= height; y++) {
    const from = (top + y) * (width + 1);
    const current = line(y);
    const isDifference = rows[from] === UP;
    // The row below is as it was where it is no difference.
    if (y === height && !isDifference) break;
    for (let i = 0; i < current.length; i++) {
      const value = current[i] ?? 0;
      rows[from + 1 + left * 4 + i] = isDifference ? value - (above[i] ?? 0) : value;
    }
    above = current;
  }
}

function colourBytes({ red, green, blue, alpha }: Colour): Buffer {
  return Buffer.from([red, green, blue, alpha]);
}

/** All rows as a PNG has them: a byte that says how, then the bytes. */
function writeRows(
  { size, isDark }: QrMatrix,
  { side, pixels, offset }: Placing,
  width: number,
  darken: (row: Buffer, from: number, to: number) => void,
  empty = Buffer.alloc(width),
): Buffer {
  const rows = Buffer.alloc(side * (width + 1));
  for (let y = 0; y < side; y++) rows[y * (width + 1)] = UP;
  const put = (y: number, row: Buffer): void => {
    rows[y * (width + 1)] = AS_IT_IS;
    row.copy(rows, y * (width + 1) + 1);
  };
  put(0, empty);
  for (let module = 0; module < size; module++) {
    const row = Buffer.from(empty);
    for (let x = 0; x < size; x++) {
      if (isDark(x, module)) darken(row, offset + x * pixels, offset + (x + 1) * pixels);
    }
    put(offset + module * pixels, row);
  }
  const below = offset + size * pixels;
  if (below < side) put(below, empty);
  return rows;
}

function header(side: number, bits: number, colours: number): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(side, 0);
  data.writeUInt32BE(side, 4);
  data[8] = bits;
  data[9] = colours;
  return data;
}

function deflated(rows: Buffer): Buffer {
  return deflateSync(rows, { level: 6, memLevel: 9 });
}

function png(head: Buffer, chunks: readonly Buffer[]): Buffer {
  return Buffer.concat([SIGNATURE, chunk('IHDR', head), ...chunks, chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const whole = Buffer.alloc(data.length + 12);
  whole.writeUInt32BE(data.length, 0);
  typed.copy(whole, 4);
  whole.writeUInt32BE(crc32(typed), data.length + 8);
  return whole;
}
