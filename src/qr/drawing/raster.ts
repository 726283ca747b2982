/** An RGBA picture with one byte per component, row by row. */
export interface Raster {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** Scales a picture to fit into a square. Keeps the aspect ratio and averages pixels. */
export function fitInto(picture: Raster, side: number): Raster {
  const scale = side / Math.max(picture.width, picture.height);
  const width = Math.max(1, Math.round(picture.width * scale));
  const height = Math.max(1, Math.round(picture.height * scale));
  return resized(picture, width, height);
}

/** Averages by area and opacity, so that transparent pixels do not change colours. */
function resized({ width, height, data }: Raster, toWidth: number, toHeight: number): Raster {
  const columns = spans(width, toWidth);
  const rows = spans(height, toHeight);
  const result = new Uint8Array(toWidth * toHeight * 4);
  let at = 0;
  for (const row of rows) {
    for (const column of columns) {
      let [red, green, blue, alpha, area] = [0, 0, 0, 0, 0];
      for (let y = row.first; y <= row.last; y++) {
        const tall = row.weight(y);
        for (let x = column.first; x <= column.last; x++) {
          const weight = tall * column.weight(x);
          const from = (y * width + x) * 4;
          const seen = (data[from + 3] ?? 0) * weight;
          red += (data[from] ?? 0) * seen;
          green += (data[from + 1] ?? 0) * seen;
          blue += (data[from + 2] ?? 0) * seen;
          alpha += seen;
          area += weight;
        }
      }
      result[at++] = alpha === 0 ? 0 : Math.round(red / alpha);
      result[at++] = alpha === 0 ? 0 : Math.round(green / alpha);
      result[at++] = alpha === 0 ? 0 : Math.round(blue / alpha);
      result[at++] = Math.round(alpha / area);
    }
  }
  return { width: toWidth, height: toHeight, data: result };
}

interface Span {
  readonly first: number;
  readonly last: number;
  /** Returns a source pixel's covered share. */
  weight(pixel: number): number;
}

/** Returns the source pixels that each target pixel covers. */
function spans(from: number, to: number): Span[] {
  const step = from / to;
  return Array.from({ length: to }, (_, i) => {
    const [low, high] = [i * step, (i + 1) * step];
    return {
      first: Math.floor(low),
      last: Math.min(from, Math.ceil(high)) - 1,
      weight: (pixel) => Math.min(high, pixel + 1) - Math.max(low, pixel),
    };
  });
}
