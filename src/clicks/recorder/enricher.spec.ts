import { aClickEvent } from '../../../test/support/shared/click-event';
import { GeoReader } from '../../infrastructure/geoip/geo.reader';
import { Enricher, VisitorHasher } from './enricher';

const key = Buffer.alloc(32, 1);

describe('Enriching a visit', () => {
  let enricher: Enricher;
  beforeAll(() => {
    enricher = new Enricher(GeoReader.open(), new VisitorHasher(key));
  });

  it('produces a complete click', () => {
    const visit = aClickEvent({
      ip: '81.2.69.142',
      query: 'utm_source=letter&utm_medium=mail&utm_campaign=may',
      redirectMs: 4,
      slot: true,
      flags: 2,
      variant: 'r1',
    });
    expect(enricher.enrich(visit)).toEqual({
      at: visit.at,
      visitor: expect.stringMatching(/^[0-9a-f]{24}$/) as string,
      browser: 'Chrome',
      os: 'Windows',
      device: 'desktop',
      country: 'United Kingdom',
      countryCode: 'GB',
      city: 'London',
      referrer: 'https://news.example.com',
      utmSource: 'letter',
      utmMedium: 'mail',
      utmCampaign: 'may',
      variant: 'r1',
      botName: null,
      redirectMs: 4,
      slot: true,
      signals: 2,
    });
  });

  it('stores null instead of a label for unknown values', () => {
    const click = enricher.enrich(aClickEvent({ ip: '127.0.0.1', userAgent: '', referer: '' }));
    expect(click).toMatchObject({
      browser: null,
      os: null,
      device: 'unknown',
      country: null,
      countryCode: null,
      city: null,
      referrer: null,
      utmSource: null,
      variant: null,
      botName: null,
    });
  });

  it('stores the name of the bot', () => {
    expect(enricher.enrich(aClickEvent({ userAgent: 'curl/8.4.0' })).botName).toBe('curl');
  });

  it('identifies the same visitor for both notations of an IPv4 address', () => {
    const plain = enricher.enrich(aClickEvent({ ip: '81.2.69.142' }));
    expect(enricher.enrich(aClickEvent({ ip: '::ffff:81.2.69.142' }))).toEqual(plain);
  });
});

describe('A visitor hash', () => {
  const hasher = new VisitorHasher(key);

  it('depends on the key, the address, the User-Agent, and the boundary between them', () => {
    const hashes = [
      hasher.hash('1.2.3.4', 'a'),
      hasher.hash('1.2.3.5', 'a'),
      hasher.hash('1.2.3.4', 'b'),
      hasher.hash('1.2.3.4', ''),
      hasher.hash('1.2.3.', '4a'),
      new VisitorHasher(Buffer.alloc(32, 2)).hash('1.2.3.4', 'a'),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(hasher.hash('1.2.3.4', 'a')).toBe(hashes[0]);
    for (const hash of hashes) expect(hash).toMatch(/^[0-9a-f]{24}$/);
  });
});
