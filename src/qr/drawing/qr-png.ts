import { PNG } from 'pngjs';
import { type Colour, over, readColour } from './colour';
import { modulePixels, type QrLook, type QrMatrix } from './qr-matrix';
import { fitInto, type Raster } from './raster';

const [RGB, RGBA] = [2, 6] as const;
/** PNG filter that stores differences from the row above, since most rows are equal. */
const UP = 2;

/** @throws RangeError if `size` is too small for the code; see `modulePixels` */
export function qrPng(matrix: QrMatrix, look: QrLook, logo: Raster | null): Buffer {
  const pixels = modulePixels(matrix, look);
  if (pixels === null) throw new RangeError(`There is no room for ${matrix.size} modules`);
  const free = look.size - pixels * (matrix.size + 2 * look.margin);
  const offset = Math.floor(free / 2) + pixels * look.margin;
  const light = readColour(look.light);
  const dark = over(readColour(look.dark), light);
  const inputHasAlpha = light.alpha !== 255 || dark.alpha !== 255;
  const canvas: Canvas = { side: look.size, pixels, offset, pixelBytes: inputHasAlpha ? 4 : 3 };
  const picture = new PNG({ width: look.size, height: look.size });
  picture.data = drawModules(matrix, canvas, light, dark);
  if (logo !== null && matrix.hole !== null) {
    drawLogo(picture.data, canvas, matrix.hole, logo, light);
  }
  const colorType = inputHasAlpha ? RGBA : RGB;
  // The bytes already have the file's format, so no conversion is needed.
  const form = { colorType, inputColorType: colorType, inputHasAlpha };
  return PNG.sync.write(picture, { ...form, filterType: UP, deflateLevel: 6 });
}

interface Canvas {
  readonly side: number;
  readonly pixelBytes: 3 | 4;
  /** Pixels per module. */
  readonly pixels: number;
  /** First module's distance from the left and top. */
  readonly offset: number;
}

function drawModules(
  { size, isDark }: QrMatrix,
  { side, pixels, offset, pixelBytes }: Canvas,
  light: Colour,
  dark: Colour,
): Buffer {
  const width = side * pixelBytes;
  const [paper, ink] = [colourBytes(light, pixelBytes), colourBytes(dark, pixelBytes)];
  const data = Buffer.alloc(side * width, paper);
  for (let y = 0; y < size; y++) {
    const row = Buffer.alloc(width, paper);
    for (let x = 0; x < size; x++) {
      const from = (offset + x * pixels) * pixelBytes;
      if (isDark(x, y)) row.fill(ink, from, from + pixels * pixelBytes);
    }
    for (let i = 0; i < pixels; i++) row.copy(data, (offset + y * pixels + i) * width);
  }
  return data;
}

/** Centres the logo in the hole. The background is visible through transparent pixels. */
function drawLogo(
  picture: Buffer,
  { side, pixels, offset, pixelBytes }: Canvas,
  hole: NonNullable<QrMatrix['hole']>,
  logo: Raster,
  paper: Colour,
): void {
  const room = hole.size * pixels;
  const { width, height, data } = fitInto(logo, room);
  const corner = offset + hole.from * pixels;
  const [left, top] = [corner + ((room - width) >> 1), corner + ((room - height) >> 1)];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const from = (y * width + x) * 4;
      const [red = 0, green = 0, blue = 0, alpha = 0] = data.subarray(from, from + 4);
      const seen = over({ red, green, blue, alpha }, paper);
      colourBytes(seen, pixelBytes).copy(picture, ((top + y) * side + left + x) * pixelBytes);
    }
  }
}

function colourBytes({ red, green, blue, alpha }: Colour, count: 3 | 4): Buffer {
  return Buffer.from([red, green, blue, alpha].slice(0, count));
}
