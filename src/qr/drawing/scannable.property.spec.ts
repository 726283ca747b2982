import fc from 'fast-check';
import jsQr from 'jsqr';
import { PNG } from 'pngjs';
import { EMOJI } from '../../links/making/alias';
import { QR_LEVELS, type QrStyle } from '../../stores/links/link';
import { codedText, QUIET_ZONE, toQrStyle, type RequestedStyle } from '../qr-style';
import { QrColoursError, QrTooLongError } from './qr.errors';
import { toLogo, readLogo } from './logo';
import { modulePixels, type QrMatrix, qrMatrix } from './qr-matrix';
import { qrPng } from './qr-png';
import { qrSvg } from './qr-svg';

/** Number of codes. QR_CODES overrides it. Each takes a tenth of a second. */
const CODES = Number(process.env.QR_CODES ?? 30);
/** Maximum number of views per code. jsqr fails to read about one in a thousand valid views. */
const MAX_VIEWS = 8;
/** Codes that jsqr once failed to read: bare, at half the size, and blurred. */
const ONCE_MISSED: [string, RequestedStyle][] = [
  ['_-2o-ty-y6', { size: 249, margin: 0, level: 'M', dark: '56a' }],
  ['bpJwg-', { size: 403, margin: 2, level: 'L', logo: true, track: false }],
  ['3V6q9wUheLh5102S', { size: 417, margin: 0, level: 'L', dark: '123456', light: 'transparent' }],
];
/** With smaller modules, jsqr fails to read a picture at half the size. */
const PIXELS_TO_SPARE = 8;

interface Grey {
  readonly side: number;
  readonly data: Float64Array;
}

/** Returns the picture on white paper. */
function onPaper(png: Buffer): Grey {
  const { width: side, data } = PNG.sync.read(png);
  const grey = new Float64Array(side * side);
  for (let i = 0, at = 0; i < grey.length; i++, at += 4) {
    const [red = 0, green = 0, blue = 0] = [data[at], data[at + 1], data[at + 2]];
    const share = (data[at + 3] ?? 0) / 255;
    grey[i] = (0.2126 * red + 0.7152 * green + 0.0722 * blue) * share + 255 * (1 - share);
  }
  return { side, data: grey };
}

/** Each pixel in the result is the average of a square of pixels. */
function average({ side, data }: Grey, to: number, square: (at: number) => [number, number]): Grey {
  const result = new Float64Array(to * to);
  const spans = Array.from({ length: to }, (_, at) => square(at));
  spans.forEach(([top, bottom], y) => {
    spans.forEach(([left, right], x) => {
      let sum = 0;
      for (let b = top; b < bottom; b++) {
        for (let a = left; a < right; a++) sum += data[b * side + a] ?? 0;
      }
      result[y * to + x] = sum / ((bottom - top) * (right - left));
    });
  });
  return { side: to, data: result };
}

const half = (picture: Grey): Grey =>
  average(picture, picture.side >> 1, (at) => [2 * at, 2 * at + 2]);

/** Blurs a picture by one pixel in all directions. */
const blurred = (picture: Grey): Grey =>
  average(picture, picture.side, (at) => [Math.max(0, at - 1), Math.min(picture.side, at + 2)]);

const blurredHalf = (picture: Grey): Grey => blurred(half(picture));

/** Returns the picture on a page in the code's light colour, with a margin in pixels. */
function onPage({ side, data }: Grey, before: number, behind: number): Grey {
  const to = before + side + behind;
  const page = new Float64Array(to * to).fill(data.reduce((a, b) => Math.max(a, b)));
  for (let y = 0; y < side; y++) {
    page.set(data.subarray(y * side, (y + 1) * side), (before + y) * to + before);
  }
  return { side: to, data: page };
}

function readOnce({ side, data }: Grey): string | null {
  const pixels = new Uint8ClampedArray(side * side * 4).fill(255);
  for (let i = 0, at = 0; i < data.length; i++, at += 4) {
    pixels[at] = pixels[at + 1] = pixels[at + 2] = data[i] ?? 0;
  }
  return jsQr(pixels, side, side, { inversionAttempts: 'dontInvert' })?.data ?? null;
}

/**
 * Reads a code as a camera app does, by trying several pictures: first the bare code, then pages with
 * increasingly wide quiet zones.
 */
function read(picture: Grey, pixels: number): string | null {
  const quiet = Math.ceil(QUIET_ZONE * pixels);
  for (let view = 0; view < MAX_VIEWS; view++) {
    const behind = quiet + ((3 * view) % MAX_VIEWS);
    const text = readOnce(view === 0 ? picture : onPage(picture, quiet + view, behind));
    if (text !== null) return text;
  }
  return null;
}

function modulesOf({ size, isDark }: QrMatrix): string[] {
  return Array.from({ length: size }, (_, y) =>
    Array.from({ length: size }, (__, x) => (isDark(x, y) ? '#' : ' ')).join(''),
  );
}

/** Returns a drawn code's modules, row by row, by the colour at their centres. */
function modulesOfPng({ side, data }: Grey, { size }: QrMatrix, style: QrStyle): string[] {
  const pixels = modulePixels({ size }, style) ?? 0;
  const from = Math.floor((side - pixels * (size + 2 * style.margin)) / 2) + pixels * style.margin;
  const middle =
    (data.reduce((a, b) => Math.min(a, b)) + data.reduce((a, b) => Math.max(a, b))) / 2;
  return Array.from({ length: size }, (_, y) =>
    Array.from({ length: size }, (__, x) => {
      const at = (n: number): number => from + n * pixels + (pixels >> 1);
      return (data[at(y) * side + at(x)] ?? 0) < middle ? '#' : ' ';
    }).join(''),
  );
}

function modulesOfSvg(svg: string, { size }: QrMatrix, { margin }: QrStyle): string[] {
  const rows = Array.from({ length: size }, () => Array<string>(size).fill(' '));
  for (const [, x, y, run] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
    rows[Number(y) - margin]?.fill('#', Number(x) - margin, Number(x) - margin + Number(run));
  }
  return rows.map((row) => row.join(''));
}

const logo = (() => {
  const picture = new PNG({ width: 60, height: 40 });
  for (let i = 0; i < picture.data.length; i += 4) picture.data.set([200, i % 255, 40, 255], i);
  return toLogo(PNG.sync.write(picture)).png;
})();

const hex = fc.stringMatching(/^[0-9a-f]+$/).filter((text) => [3, 6].includes(text.length));
const aliases = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_-]{3,16}$/),
  fc.stringMatching(/^[A-Za-z0-9]{16}$/),
  fc.array(fc.constantFrom(...EMOJI), { minLength: 1, maxLength: 15 }).map((all) => all.join('')),
);
const styles: fc.Arbitrary<RequestedStyle> = fc.record(
  {
    size: fc.oneof(
      { weight: 7, arbitrary: fc.integer({ min: 64, max: 300 }) },
      { weight: 1, arbitrary: fc.integer({ min: 380, max: 420 }) },
    ),
    margin: fc.integer({ min: 0, max: 16 }),
    level: fc.constantFrom(...QR_LEVELS),
    dark: fc.oneof(hex, fc.constantFrom('000', '123456', '000000cc')),
    light: fc.oneof(hex, fc.constantFrom('fff', 'ffffff', 'transparent', 'fffc')),
    logo: fc.boolean(),
    track: fc.boolean(),
  },
  { requiredKeys: [] },
);

/** Draws a link's QR code in a given style. Returns null if the style is refused. */
function drawn(alias: string, asked: RequestedStyle) {
  try {
    const style = toQrStyle(asked, null);
    const shortUrl = `https://go.example.com/${alias}`;
    const text = codedText({ domain: null, alias, shortUrl }, style);
    const matrix = qrMatrix({ text, level: style.level, logo: style.logo });
    const pixels = modulePixels(matrix, style);
    return pixels === null ? null : { style, text, matrix, pixels };
  } catch (error) {
    if (error instanceof QrColoursError || error instanceof QrTooLongError) return null;
    throw error;
  }
}

describe('A QR code that is not rejected', () => {
  it('contains exactly the short URL, also at half the size and blurred, in both SVG and PNG', () => {
    let codes = 0;
    let spoilt = 0;
    fc.assert(
      fc.property(aliases, styles, (alias, asked) => {
        const code = drawn(alias, asked);
        if (code === null) {
          fc.pre(false);
          return;
        }
        const { style, text, matrix, pixels } = code;
        const png = qrPng(matrix, style, style.logo ? readLogo(logo) : null);
        const picture = onPaper(png);
        expect(picture.side).toBe(style.size);
        expect(read(picture, pixels)).toBe(text);
        codes++;
        if (pixels >= PIXELS_TO_SPARE) {
          expect({
            half: read(half(picture), pixels / 2),
            blurred: read(blurred(picture), pixels),
            blurredHalf: read(blurredHalf(picture), pixels / 2),
          }).toEqual({ half: text, blurred: text, blurredHalf: text });
          spoilt++;
        }
        const modules = modulesOf(matrix);
        expect(modulesOfSvg(qrSvg(matrix, style, null), matrix, style)).toEqual(modules);
        if (!style.logo) expect(modulesOfPng(picture, matrix, style)).toEqual(modules);
      }),
      { numRuns: CODES, endOnFailure: true, examples: ONCE_MISSED },
    );
    expect(codes).toBeGreaterThanOrEqual(CODES);
    expect(spoilt).toBeGreaterThan(CODES / 25);
  }, 600_000);
});
