import type { LinkAddress } from '../stores/domains/link-addresses';
import type { QrStyle } from '../stores/links/link';
import { contrast, normalColour, readColour } from './drawing/colour';
import { QrColoursError } from './drawing/qr.errors';

/** A requested style. The stored style or defaults replace absent and null fields. */
export type RequestedStyle = { readonly [Field in keyof QrStyle]?: QrStyle[Field] | null };

export const USUAL_STYLE: QrStyle = {
  size: 256,
  margin: 4,
  level: 'M',
  dark: '000000',
  light: 'ffffff',
  logo: false,
  track: false,
};

/** Margin in modules that scanners need to find the code. */
export const QUIET_ZONE = 4;
/** Minimum contrast ratio according to WCAG 2. */
const MIN_CONTRAST = 4.5;

/** With a logo, the error correction is at least Q. @throws QrColoursError */
export function toQrStyle(requested: RequestedStyle, kept: QrStyle | null): QrStyle {
  const usual = kept ?? USUAL_STYLE;
  const logo = requested.logo ?? usual.logo;
  const level = requested.level ?? usual.level;
  const style = {
    size: requested.size ?? usual.size,
    margin: requested.margin ?? usual.margin,
    level: logo && (level === 'L' || level === 'M') ? 'Q' : level,
    dark: normalColour(requested.dark ?? usual.dark),
    light: normalColour(requested.light ?? usual.light),
    logo,
    track: requested.track ?? usual.track,
  } as const;
  if (contrast(readColour(style.dark), readColour(style.light)) < MIN_CONTRAST) {
    throw new QrColoursError();
  }
  return style;
}

/** Returns the code's text: the short URL, with emoji percent-encoded as in browsers. */
export function codedText({ shortUrl }: LinkAddress, { track }: QrStyle): string {
  return `${encodedUrl(shortUrl)}${track ? '?qr=1' : ''}`;
}

export function encodedUrl(shortUrl: string): string {
  const end = shortUrl.lastIndexOf('/') + 1;
  return shortUrl.slice(0, end) + encodeURIComponent(shortUrl.slice(end));
}
