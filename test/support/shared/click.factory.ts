import fc from 'fast-check';
import {
  type Click,
  NO_REDIRECT_MS,
  NO_VISITOR,
} from '../../../src/engines/click-engine/chunk/click';

export const NOTHING_KNOWN = {
  browser: null,
  os: null,
  device: 'unknown',
  country: null,
  countryCode: null,
  city: null,
} satisfies Partial<Click>;

export function aClick(fields: Partial<Click> = {}): Click {
  return {
    at: Date.UTC(2026, 10, 1, 12),
    visitor: '0123456789abcdef01234567',
    browser: 'Chrome',
    os: 'Windows',
    device: 'desktop',
    country: 'Germany',
    countryCode: 'DE',
    city: 'Berlin',
    referrer: null,
    utmSource: null,
    utmMedium: null,
    utmCampaign: null,
    variant: null,
    botName: null,
    redirectMs: 1,
    slot: false,
    signals: 0,
    ...fields,
  };
}

const value = fc.option(
  fc.oneof(fc.constantFrom('a', 'b', 'Ärger', '日本'), fc.string({ unit: 'grapheme' })),
);

export const clickArbitrary: fc.Arbitrary<Click> = fc.record({
  at: fc.oneof(fc.nat(), fc.integer({ min: 0, max: 2 ** 45 })),
  visitor: fc.oneof(
    fc.constantFrom(
      NO_VISITOR,
      '0000000000000000000000aa',
      '00000000ffffffffffffffff',
      'f'.repeat(24),
    ),
    fc.nat().map((number) => `00000000${number.toString(16).padStart(16, '0')}`),
    fc.uint8Array({ minLength: 12, maxLength: 12 }).map((b) => Buffer.from(b).toString('hex')),
  ),
  browser: value,
  os: value,
  device: fc.constantFrom('mobile', 'tablet', 'desktop', 'unknown'),
  country: value,
  countryCode: value,
  city: value,
  referrer: value,
  utmSource: value,
  utmMedium: value,
  utmCampaign: value,
  variant: value,
  botName: value,
  redirectMs: fc.oneof(
    fc.constant(NO_REDIRECT_MS),
    fc.nat(300),
    fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  ),
  slot: fc.boolean(),
  signals: fc.oneof(fc.constantFrom(0, 1, 2, 16), fc.nat(31), fc.nat(2 ** 32 - 1)),
});
