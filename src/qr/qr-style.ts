import type { LinkAddress } from '../stores/domains/link-addresses';
import type { QrStyle } from '../stores/links/link';
import { contrast, normalColour, readColour } from './drawing/colour';
import { QrColoursError } from './drawing/qr.errors';

/** Requested style: absent or null fields use the stored style or defaults. */
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

/** Readers need this margin, in modules, to find the code. */
export const QUIET_ZONE = 4;
/** WCAG 2 contrast ratio. */
const MIN_CONTRAST = 4.5;

/** A logo needs error correction Q or higher to be readable. Throws QrColoursError. */
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

/** Text in the code: the short URL with emoji percent-encoded as browsers do. */
export function codedText({ shortUrl }: LinkAddress, { track }: QrStyle): string {
  return `${encodedUrl(shortUrl)}${track ? '?qr=1' : ''}`;
}

export function encodedUrl(shortUrl: string): string {
  const end = shortUrl.lastIndexOf('/') + 1;
  return shortUrl.slice(0, end) + encodeURIComponent(shortUrl.slice(end));
}
