import { type Colour, readColour } from './colour';
import type { QrMatrix, QrLook } from './qr-matrix';

/** The only user input is numbers, validated colours and the re-encoded logo. */
export function qrSvg(matrix: QrMatrix, look: QrLook, logo: Uint8Array | null): string {
  const side = matrix.size + 2 * look.margin;
  const [light, dark] = [readColour(look.light), readColour(look.dark)];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${look.size}" height="${look.size}" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges">`,
    light.alpha === 0 ? '' : `<path ${fillAttributes(light)} d="M0 0h${side}v${side}H0z"/>`,
    `<path ${fillAttributes(dark)} d="${runs(matrix, look.margin)}"/>`,
    logo === null ? '' : image(matrix, look.margin, logo),
    '</svg>\n',
  ].join('');
}

function fillAttributes({ red, green, blue, alpha }: Colour): string {
  const hex = [red, green, blue].map((value) => value.toString(16).padStart(2, '0')).join('');
  return `fill="#${hex}"${alpha === 255 ? '' : ` fill-opacity="${(alpha / 255).toFixed(3)}"`}`;
}

function runs({ size, isDark }: QrMatrix, margin: number): string {
  let path = '';
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      if (!isDark(x, y)) continue;
      const from = x;
      while (x < size && isDark(x, y)) x++;
      path += `M${from + margin} ${y + margin}h${x - from}v1h-${x - from}z`;
    }
  }
  return path;
}

function image({ hole }: QrMatrix, margin: number, logo: Uint8Array): string {
  if (hole === null) return '';
  const at = hole.from + margin;
  const data = Buffer.from(logo).toString('base64');
  return `<image x="${at}" y="${at}" width="${hole.size}" height="${hole.size}" href="data:image/png;base64,${data}"/>`;
}
