import fc from 'fast-check';
import { parseCampaign } from '../clicks/recorder/enricher';
import { campaignOfUrl, clickCampaign } from './campaign';

/** Generates header values. Node reads each byte as one character. */
const headerText = fc.string({
  unit: fc.oneof(
    fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)),
    fc.constantFrom('/', '?', '#', '@', ':', '\\', '%', '"', '.'),
  ),
  maxLength: 400,
});

describe('the campaign of a visit', () => {
  it('contains only three parameters of the query, and never a password', () => {
    expect(clickCampaign('password=geheim1@&utm_source=a&x=utm_y&utm_term=t&utm_medium=b')).toBe(
      'utm_source=a&utm_medium=b',
    );
    expect(clickCampaign('password=geheim1@')).toBe('');
    expect(clickCampaign('utm_source=&utm_medium=')).toBe('');
    expect(clickCampaign(`utm_id=${'x'.repeat(9000)}`)).toBe('');
  });

  it.each(['&amp;', '&amp;amp;', '&AMP;', '&#38;', '&#038;', '&#x26;', '&amp%3B', '&amp%3bamp;'])(
    'is found after %s in an email that was escaped twice',
    (ampersand) => {
      const query = ['utm_source=x', 'utm_medium=y', 'utm_campaign=z'].join(ampersand);
      expect(clickCampaign(query)).toBe('utm_source=x&utm_medium=y&utm_campaign=z');
    },
  );

  it('is read only from parameters with the exact names', () => {
    expect(clickCampaign('a=1&amp;utm_source=x&utm_source=y')).toBe('utm_source=y');
    expect(clickCampaign('amp;utm_term=x&amp;x=utm_source=y&amputm_medium=z')).toBe('');
  });

  it('is the same in the journal as in the whole query', () => {
    const value = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 300 }).map(encodeURIComponent),
      headerText,
      fc.integer({ min: 95, max: 130 }).map((n) => `${'x'.repeat(n)}%20%20y%26z%2B%25`),
    );
    fc.assert(
      fc.property(fc.record({ source: value, medium: value }), ({ source, medium }) => {
        const query = `utm_source=${source.replaceAll('&', '')}&utm_medium=${medium.replaceAll('&', '')}`;
        expect(parseCampaign(clickCampaign(query))).toEqual(parseCampaign(query));
      }),
    );
  });
});

describe('the campaign of a destination', () => {
  it.each([
    [
      'https://x.test/a?b=1&utm_source=news&utm_medium=e%20mail#c',
      'utm_source=news&utm_medium=e%20mail',
    ],
    ['https://x.test/a?b=?utm_source=x&utm_campaign=y', 'utm_campaign=y'],
    ['https://x.test/a#?utm_source=x', ''],
    ['https://x.test/utm_source=x', ''],
    ['https://x.test/?', ''],
    ['https://x.test', ''],
  ])('%s is read only from the query', (url, campaign) =>
    expect(campaignOfUrl(url)).toBe(campaign),
  );
});
