import { parseCampaign } from './enricher';

const source = (query: string) => parseCampaign(query).utmSource;

describe('A campaign', () => {
  it('is read from the three parameters', () => {
    const query = 'a=1&utm_source=news&utm_medium=e%2Dmail&utm_campaign=spring+sale&utm_term=x';
    expect(parseCampaign(query)).toEqual({
      utmSource: 'news',
      utmMedium: 'e-mail',
      utmCampaign: 'spring sale',
    });
  });

  it.each(['', 'utm_source=', 'utm_source=+%20+', 'utm_source=%00%1f%7f%c2%85', 'UTM_SOURCE=x'])(
    'is absent in %j',
    (query) => {
      expect(parseCampaign(query)).toEqual({ utmSource: null, utmMedium: null, utmCampaign: null });
    },
  );

  it('is stored without control characters and surrounding whitespace, and up to 100 characters', () => {
    expect(source('utm_source=%0a%20a%00b%20c%09%20')).toBe('ab c');
    expect(source(`utm_source=${'x'.repeat(101)}`)).toBe('x'.repeat(100));
    expect(source(`utm_source=%20${'x'.repeat(100)}`)).toBe('x'.repeat(100));
  });

  it('is never truncated inside a character', () => {
    expect(source(`utm_source=${encodeURIComponent('🦊'.repeat(120))}`)).toBe('🦊'.repeat(100));
  });

  it('is read even if its escapes are invalid', () => {
    expect(source('utm_source=%&%zz=1&=&&utm_source=2')).toBe('%');
    expect(source('utm_source=%ff')).toBe('\ufffd');
  });
});
