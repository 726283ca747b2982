import { crawlerName, isCrawler } from './crawlers';

describe('The crawler list', () => {
  it.each([
    ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'Google'],
    ['Mozilla/5.0 (compatible; GOOGLEBOT/2.1; +HTTP://GOOGLE.COM)', 'GOOGLE'],
    ['Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)', 'bot'],
    ['curl/8.4.0', 'curl/8.4.0'],
    ['python-requests/2.31.0', 'python-requests/2.31.0'],
    ['facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)', 'facebook'],
    ['WhatsApp/2.23.20.0', 'WhatsApp/2.23.20.0'],
  ])('knows %s by %s', (userAgent, name) => {
    expect(crawlerName(userAgent)).toBe(name);
    expect(isCrawler(userAgent)).toBe(true);
    expect(crawlerName(userAgent)).toBe(name);
  });

  it.each([
    '',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.1 Mobile/15E148 Safari/604.1',
    'Mozilla/5.0 (X11; CUBOT) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/80.0 Mobile Safari/537.36',
  ])('lets a visitor with %j be', (userAgent) => {
    expect(isCrawler(userAgent)).toBe(false);
    expect(crawlerName(userAgent)).toBeNull();
  });

  it('answers for 16 KB of garbage, with a name of at most 100 characters', () => {
    expect(crawlerName('x'.repeat(16_384))).toBe('x'.repeat(100));
    expect(isCrawler('\u00ff '.repeat(8192))).toBe(false);
  });
});
