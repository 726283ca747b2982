import fc from 'fast-check';
import { aClickEvent } from '../testing/click-event';
import { campaignOf, referrerOf } from '../clicks/recorder/enricher';
import { encodeClickEvent, MAX_LINE_BYTES } from '../clicks/journal/journal.format';
import { clickAddress, clickCampaign, clickReferer, clickUserAgent } from './click-details';

/** Texts that a header can hold: Node reads each byte as one character. */
const headerText = (maxLength: number) =>
  fc.string({
    unit: fc.oneof(
      fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)),
      fc.constantFrom('/', '?', '#', '@', ':', '\\', '%', '"', '.'),
    ),
    maxLength,
  });

describe('the campaign of a visit', () => {
  it('is three parameters of the query and nothing else, a password above all', () => {
    expect(clickCampaign('password=geheim1@&utm_source=a&x=utm_y&utm_term=t&utm_medium=b')).toBe(
      'utm_source=a&utm_medium=b',
    );
    expect(clickCampaign('password=geheim1@')).toBe('');
    expect(clickCampaign(`utm_id=${'x'.repeat(9000)}`)).toBe('');
  });

  it.each(['&amp;', '&amp;amp;', '&AMP;', '&#38;', '&#038;', '&#x26;', '&amp%3B', '&amp%3bamp;'])(
    'is found behind %s of a mail that was escaped once too often',
    (ampersand) => {
      const query = ['utm_source=x', 'utm_medium=y', 'utm_campaign=z'].join(ampersand);
      expect(clickCampaign(query)).toBe('utm_source=x&utm_medium=y&utm_campaign=z');
    },
  );

  it('is the parameter of that very name where there is one, and none that merely looks so', () => {
    expect(clickCampaign('a=1&amp;utm_source=x&utm_source=y')).toBe('utm_source=y');
    expect(clickCampaign('amp;utm_term=x&amp;x=utm_source=y&amputm_medium=z')).toBe('');
  });

  it('comes out of the journal as it would have come out of the whole query', () => {
    const value = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 300 }).map(encodeURIComponent),
      headerText(400),
      fc.integer({ min: 95, max: 130 }).map((n) => `${'x'.repeat(n)}%20%20y%26z%2B%25`),
    );
    fc.assert(
      fc.property(fc.record({ source: value, medium: value }), ({ source, medium }) => {
        const query = `utm_source=${source.replaceAll('&', '')}&utm_medium=${medium.replaceAll('&', '')}`;
        expect(campaignOf(clickCampaign(query))).toEqual(campaignOf(query));
      }),
    );
  });
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
  ])('of %.60j is kept as %j', (referer, kept) => expect(clickReferer(referer)).toBe(kept));

  it('names the same origin as the whole one', () => {
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
        expect(referrerOf(clickReferer(referer))).toBe(referrerOf(referer));
      }),
    );
  });
});

describe('the line of a visit', () => {
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

  it('has a longest form, whatever is sent', () => {
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

  it('keeps a User-Agent of ordinary length as it is', () => {
    expect(clickUserAgent('x'.repeat(512))).toBe('x'.repeat(512));
    expect(clickUserAgent('x'.repeat(513))).toBe('x'.repeat(512));
    expect(clickUserAgent(undefined)).toBe('');
  });
});
