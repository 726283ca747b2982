import { parseUserAgent } from './user-agent';

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const IPAD_AS_MAC =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)';
const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)';

describe('A User-Agent header', () => {
  it.each([
    // Desktops
    [`${WINDOWS} ${WEBKIT} Chrome/120.0.0.0 Safari/537.36`, 'Chrome', 'Windows', 'desktop'],
    [
      `${WINDOWS} ${WEBKIT} Chrome/120.0.0.0 Safari/537.36 Edg/120.0.0.0`,
      'Edge',
      'Windows',
      'desktop',
    ],
    [`${WINDOWS} ${WEBKIT} Chrome/64.0 Safari/537.36 Edge/18.17763`, 'Edge', 'Windows', 'desktop'],
    [
      `${WINDOWS} ${WEBKIT} Chrome/119.0 Safari/537.36 OPR/105.0.0.0`,
      'Opera',
      'Windows',
      'desktop',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko',
      'Internet Explorer',
      'Windows',
      'desktop',
    ],
    [
      'Mozilla/5.0 (compatible; MSIE 9.0; Windows NT 6.1; Trident/5.0; Tablet PC 2.0)',
      'Internet Explorer',
      'Windows',
      'desktop',
    ],
    [
      `${MAC} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.1 Safari/605.1.15`,
      'Safari',
      'Mac OS X',
      'desktop',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:121.0) Gecko/20100101 Firefox/121.0',
      'Firefox',
      'Mac OS X',
      'desktop',
    ],
    [
      `Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} Chrome/120.0.0.0 Safari/537.36`,
      'Chrome',
      'Linux',
      'desktop',
    ],
    [
      'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:121.0) Gecko/20100101 Firefox/121.0',
      'Firefox',
      'Ubuntu',
      'desktop',
    ],
    [
      'Mozilla/5.0 (X11; Fedora; Linux x86_64; rv:121.0) Gecko/20100101 Firefox/121.0',
      'Firefox',
      'Fedora',
      'desktop',
    ],
    [
      `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${WEBKIT} Chrome/120.0.0.0 Safari/537.36`,
      'Chrome',
      'Chrome OS',
      'desktop',
    ],
    // iOS
    [`${IPHONE} Version/17.1 Mobile/15E148 Safari/604.1`, 'Mobile Safari', 'iOS', 'mobile'],
    [`${IPHONE} CriOS/120.0.6099.50 Mobile/15E148 Safari/604.1`, 'Mobile Chrome', 'iOS', 'mobile'],
    [`${IPHONE} FxiOS/121.0 Mobile/15E148 Safari/605.1.15`, 'Mobile Firefox', 'iOS', 'mobile'],
    [
      'Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.6 Mobile/15E148 Safari/604.1',
      'Mobile Safari',
      'iOS',
      'tablet',
    ],
    [
      'Mozilla/5.0 (iPod touch; CPU iPhone OS 12_0 like Mac OS X) AppleWebKit/605.1.15 Version/12.0 Mobile/15E148 Safari/604.1',
      'Mobile Safari',
      'iOS',
      'mobile',
    ],
    // iPads that request desktop pages
    [`${IPAD_AS_MAC} Mobile/15E148 [LinkedInApp]`, 'Mobile Safari', 'iOS', 'tablet'],
    [
      `${IPAD_AS_MAC} CriOS/125.0.6422.80 Version/17.4 Safari/605.1.15`,
      'Mobile Chrome',
      'iOS',
      'tablet',
    ],
    [`${IPAD_AS_MAC} FxiOS/125.0 Safari/605.1.15`, 'Mobile Firefox', 'iOS', 'tablet'],
    [`${IPAD_AS_MAC} EdgiOS/120.0 Version/17.0 Safari/605.1.15`, 'Mobile Edge', 'iOS', 'tablet'],
    [`${IPAD_AS_MAC} OPT/4.5 Safari/605.1.15`, null, 'iOS', 'tablet'],
    [`${IPAD_AS_MAC} Version/17.4 Safari/605.1.15 OPX/2.4`, 'Mobile Safari', 'iOS', 'tablet'],
    [
      `${IPAD_AS_MAC} Version/17.4 Safari/605.1.15 (Ecosia ios@11.0)`,
      'Mobile Safari',
      'iOS',
      'tablet',
    ],
    [
      `${IPAD_AS_MAC} Version/17.4 Safari/605.1.15 ExampleiOS/3.1`,
      'Mobile Safari',
      'iOS',
      'tablet',
    ],
    [
      `${IPAD_AS_MAC} Version/17.4 Safari/605.1.15 Example/3.1 iOS/17.4`,
      'Mobile Safari',
      'iOS',
      'tablet',
    ],
    [`${IPAD_AS_MAC} Focus/8.1 Safari/605.1.15`, 'Focus', 'iOS', 'tablet'],
    [
      `${IPAD_AS_MAC} Version/17.5 Safari/605.1.15 axios/1.7 radios/2`,
      'Safari',
      'Mac OS X',
      'desktop',
    ],
    [`${IPAD_AS_MAC} GSA/300 Mobile/15E148 Safari/604.1`, 'Google Search', 'iOS', 'tablet'],
    [`${IPAD_AS_MAC} [FBAN/FBIOS;FBDV/iPad8,1]`, 'Mobile Safari', 'iOS', 'tablet'],
    [`${IPAD_AS_MAC} Version/17.5 Safari/605.1.15`, 'Safari', 'Mac OS X', 'desktop'],
    [`${MAC} ${WEBKIT} Chrome/125.0.0.0 Safari/537.36 Edg/125.0`, 'Edge', 'Mac OS X', 'desktop'],
    // Android
    [
      `Mozilla/5.0 (Linux; Android 14; Pixel 8) ${WEBKIT} Chrome/120.0.0.0 Mobile Safari/537.36`,
      'Mobile Chrome',
      'Android',
      'mobile',
    ],
    [
      `Mozilla/5.0 (Linux; Android 13; SM-X906C) ${WEBKIT} Chrome/120.0.0.0 Safari/537.36`,
      'Mobile Chrome',
      'Android',
      'tablet',
    ],
    [
      `Mozilla/5.0 (Linux; Android 13; SM-S901B) ${WEBKIT} SamsungBrowser/23.0 Chrome/115.0 Mobile Safari/537.36`,
      'Samsung Internet',
      'Android',
      'mobile',
    ],
    [
      'Mozilla/5.0 (Android 13; Mobile; rv:121.0) Gecko/121.0 Firefox/121.0',
      'Mobile Firefox',
      'Android',
      'mobile',
    ],
    [
      'Mozilla/5.0 (Android 13; Tablet; rv:68.0) Gecko/68.0 Firefox/68.0',
      'Mobile Firefox',
      'Android',
      'tablet',
    ],
    [
      `Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X) ${WEBKIT} Chrome/120.0 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)`,
      'Googlebot',
      'Android',
      'mobile',
    ],
    // Other phones and tablets
    [
      'Mozilla/5.0 (Mobile; Nokia_8110_4G; rv:48.0) Gecko/48.0 Firefox/48.0 KAIOS/2.5',
      'Firefox',
      'KaiOS',
      'mobile',
    ],
    ['Mozilla/5.0 (Mobile; rv:26.0) Gecko/26.0 Firefox/26.0', 'Firefox', 'Firefox OS', 'mobile'],
    ['Mozilla/5.0 (Tablet; rv:29.0) Gecko/29.0 Firefox/29.0', 'Firefox', 'Firefox OS', 'tablet'],
    [
      'Mozilla/5.0 (Windows Phone 10.0; Android 6.0.1; Microsoft; Lumia 950) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/52.0 Mobile Safari/537.36 Edge/15.15063',
      'Edge',
      'Windows Phone',
      'mobile',
    ],
    [
      'Mozilla/5.0 (PlayBook; U; RIM Tablet OS 2.1.0; en-US) AppleWebKit/536.2+ (KHTML, like Gecko) Version/7.2.1.0 Safari/536.2+',
      'BlackBerry',
      'BlackBerry',
      'tablet',
    ],
    [
      'Mozilla/5.0 (BB10; Touch) AppleWebKit/537.10+ (KHTML, like Gecko) Version/10.0.9.2372 Mobile Safari/537.10+',
      'BlackBerry',
      'BlackBerry',
      'mobile',
    ],
    // Other clients
    [
      'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
      'Googlebot',
      null,
      'unknown',
    ],
    ['curl/8.4.0', null, null, 'unknown'],
    ['python-requests/2.31.0', null, null, 'unknown'],
    ['My Own Browser/7.0', null, null, 'unknown'],
    ['constructor', null, null, 'unknown'],
    ['__proto__/1.0', null, null, 'unknown'],
    ['', null, null, 'unknown'],
    ['\0\u0001\u00ff', null, null, 'unknown'],
    ['('.repeat(16_384), null, null, 'unknown'],
    ['Gecko '.repeat(2730), null, null, 'unknown'],
  ])('in case %# has these families and this device', (userAgent, browser, os, device) => {
    expect(parseUserAgent(userAgent)).toEqual({ browser, os, device });
    expect(parseUserAgent(userAgent)).toEqual({ browser, os, device });
  });

  it('is parsed only up to 512 characters', () => {
    const chrome = `${WINDOWS} ${WEBKIT} Chrome/120.0.0.0 Safari/537.36`;
    expect(parseUserAgent(chrome + ' padding'.repeat(2000))).toEqual(parseUserAgent(chrome));
    expect(parseUserAgent('x'.repeat(512) + chrome).os).toBeNull();
  });
});
