import fc from 'fast-check';
import { aClickEvent } from '../../test/support/shared/click-event';
import { clickCampaign } from '../common/campaign';
import { toReferrer } from '../clicks/recorder/enricher';
import { encodeClickEvent, MAX_LINE_BYTES } from '../clicks/journal/journal.format';
import { clickAddress, clickReferer, clickUserAgent } from './click-details';

/** Generates header values. Node reads each byte as one character. */
const headerText = (maxLength: number) =>
  fc.string({
    unit: fc.oneof(
      fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)),
      fc.constantFrom('/', '?', '#', '@', ':', '\\', '%', '"', '.'),
    ),
    maxLength,
  });

describe('the referer of a visit', () => {
  it.each([
    ['https://news.example.com/item?id=1', 'https://news.example.com'],
    ['https://news.example.com?from=https://x.test/', 'https://news.example.com'],
    ['http://user:secret@example.com:8080/a', 'http://example.com:8080'],
    ['https://example.com', 'https://example.com'],
    ['https://[2001:db8::1]:80/a@b', 'https://[2001:db8::1]:80'],
    ['', ''],
    [`https://${'a'.repeat(600)}/`, ''],
    ['x'.repeat(600), ''],
  ])('with the value %.60j is stored as %j', (referer, kept) =>
    expect(clickReferer(referer)).toBe(kept),
  );

  it('has the same origin as the full referer', () => {
    const parts = fc.tuple(
      fc.constantFrom('https://', 'http://', 'HTTP://', 'android-app://', 'file:///', ''),
      fc.constantFrom('', 'user@', 'user:p%40ss@', 'a@b@'),
      fc.constantFrom('News.example.com', 'b\u00fccher.example', '[::1]', '127.0.0.1', ''),
      fc.constantFrom('', ':8080', ':x'),
      headerText(600).map((rest) => (rest === '' ? '' : `/${rest}`)),
    );
    fc.assert(
      fc.property(parts, (all) => {
        const referer = all.join('');
        expect(toReferrer(clickReferer(referer))).toBe(toReferrer(referer));
      }),
    );
  });
});

describe('the journal line of a visit', () => {
  const lineOf = (address: string, userAgent: string, referer: string, query: string): number =>
    Buffer.byteLength(
      encodeClickEvent(
        aClickEvent({
          at: 8_640_000_000_000_000,
          redirectMs: 8_640_000_000_000_000,
          ip: clickAddress(address),
          userAgent: clickUserAgent(userAgent),
          referer: clickReferer(referer),
          query: clickCampaign(query),
        }),
      ),
    );

  it('has a maximum length, for any request', () => {
    for (const unit of [
      '\u00e9',
      '\xc3\xa9',
      '\xe4\xbe\x8b',
      '\xf0\x9f\xa6\x8a',
      '"',
      '%F0%9F%A6%8A',
      '%22',
      '%5c',
    ]) {
      const long = unit.repeat(16_000 / unit.length);
      const query = `utm_source=${long}&utm_medium=${long}&utm_campaign=${long}`;
      expect(lineOf(long, long, `https://${long}`, query)).toBeLessThanOrEqual(MAX_LINE_BYTES);
      const most = `https://${'"'.repeat(504)}`;
      expect(lineOf(long, long, most, query)).toBeLessThanOrEqual(MAX_LINE_BYTES);
    }
    fc.assert(
      fc.property(headerText(3000), headerText(3000), (text, other) => {
        const query = `utm_source=${text}&utm_medium=${other}&utm_campaign=${text}`;
        expect(lineOf(text, other, text, query)).toBeLessThanOrEqual(MAX_LINE_BYTES);
      }),
    );
  });

  it('contains a User-Agent of ordinary length unchanged', () => {
    expect(clickUserAgent('x'.repeat(512))).toBe('x'.repeat(512));
    expect(clickUserAgent('x'.repeat(513))).toBe('x'.repeat(512));
    expect(clickUserAgent(undefined)).toBe('');
  });
});
