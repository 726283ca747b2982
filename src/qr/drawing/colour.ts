/** Components from 0 to 255. */
export interface Colour {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
  readonly alpha: number;
}

/** 3, 4, 6 or 8 hexadecimal digits, without `#`, which would end a query. */
export const HEX_COLOUR = /^(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i;
export const TRANSPARENT = 'transparent';

/** Returns six lower-case digits, or eight if not opaque. */
export function normalColour(text: string): string {
  const lower = text.toLowerCase();
  if (lower === TRANSPARENT) return lower;
  const long = lower.length <= 4 ? lower.replaceAll(/./g, '$&$&') : lower;
  return long.length === 8 && long.endsWith('ff') ? long.slice(0, 6) : long;
}

/** @param text a colour in the form that `normalColour` returns */
export function readColour(text: string): Colour {
  if (text === TRANSPARENT) return { red: 255, green: 255, blue: 255, alpha: 0 };
  const [red = 0, green = 0, blue = 0, alpha = 255] = Buffer.from(text, 'hex');
  return { red, green, blue, alpha };
}

const WHITE: Colour = { red: 255, green: 255, blue: 255, alpha: 255 };

export function over(upper: Colour, lower: Colour): Colour {
  const share = upper.alpha / 255;
  const rest = (lower.alpha / 255) * (1 - share);
  const alpha = share + rest;
  const mix = (a: number, b: number): number =>
    alpha === 0 ? 255 : Math.round((a * share + b * rest) / alpha);
  return {
    red: mix(upper.red, lower.red),
    green: mix(upper.green, lower.green),
    blue: mix(upper.blue, lower.blue),
    alpha: Math.round(alpha * 255),
  };
}

/** Returns the WCAG 2 contrast ratio on white paper; below 1 if `light` is darker. */
export function contrast(dark: Colour, light: Colour): number {
  const paper = over(light, WHITE);
  return (luminance(paper) + 0.05) / (luminance(over(dark, paper)) + 0.05);
}

function luminance({ red, green, blue }: Colour): number {
  const [r = 0, g = 0, b = 0] = [red, green, blue].map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
