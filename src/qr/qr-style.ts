import type { LinkAddress } from '../stores/domains/link-addresses';
import type { QrStyle } from '../stores/links/link';
import { contrast, normalColour, readColour } from './drawing/colour';
import { QrColoursError } from './qr.errors';

/** A style as it is asked for: absent or null fields are as they are kept, or as usual. */
export type AskedStyle = { readonly [Field in keyof QrStyle]?: QrStyle[Field] | null };

export const USUAL_STYLE: QrStyle = {
  size: 256,
  margin: 4,
  level: 'M',
  dark: '000000',
  light: 'ffffff',
  logo: false,
  track: false,
};

/** Fewer modules around a code leave readers to guess where it begins. */
export const QUIET_ZONE = 4;
/** The ratio of WCAG 2: readers tell modules apart as people tell letters from paper. */
const MIN_CONTRAST = 4.5;

/**
 * The style that is asked for, over the one that is kept. A logo needs error correction Q: with less
 * a code with a logo is not read.
 *
 * @throws QrColoursError
 */
export function toQrStyle(requested: AskedStyle, kept: QrStyle | null): QrStyle {
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

/** The text in the code of a link: its short URL, emoji percent-encoded as browsers send them. */
export function codedText({ shortUrl }: LinkAddress, { track }: QrStyle): string {
  return `${encodedUrl(shortUrl)}${track ? '?qr=1' : ''}`;
}

/** A short URL with its alias percent-encoded. */
export function encodedUrl(shortUrl: string): string {
  const end = shortUrl.lastIndexOf('/') + 1;
  return shortUrl.slice(0, end) + encodeURIComponent(shortUrl.slice(end));
}
