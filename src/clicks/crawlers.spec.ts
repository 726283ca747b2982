import { isbot } from 'isbot';
import { agentVerdict } from './crawlers';

const crawlerName = (userAgent: string) => agentVerdict(userAgent).name;
const isCrawler = (userAgent: string) => crawlerName(userAgent) !== null;

describe('The crawler list', () => {
  it.each([
    ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'Googlebot'],
    ['Mozilla/5.0 (compatible; GOOGLEBOT/2.1; +HTTP://GOOGLE.COM)', 'Googlebot'],
    ['Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)', 'bingbot'],
    ['curl/8.4.0', 'curl'],
    ['python-requests/2.31.0', 'python-requests'],
    [
      'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
      'facebookexternalhit',
    ],
    ['WhatsApp/2.23.20.0', 'WhatsApp'],
    ['Mozilla/5.0 (compatible; Barracuda Sentinel (EE))', 'Barracuda'],
    ['Dart/3.1 (dart:io)', 'Dart'],
    ['Dart/2.19', 'Dart'],
  ])('recognises %s by %s', (userAgent, name) => {
    expect(crawlerName(userAgent)).toBe(name);
    expect(isCrawler(userAgent)).toBe(true);
    expect(crawlerName(userAgent)).toBe(name);
  });

  it.each([
    '',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.1 Mobile/15E148 Safari/604.1',
    'Mozilla/5.0 (X11; CUBOT) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/80.0 Mobile Safari/537.36',
  ])('does not match a visitor with %j', (userAgent) => {
    expect(isCrawler(userAgent)).toBe(false);
    expect(crawlerName(userAgent)).toBeNull();
  });

  it('handles 16 KB of random text, and limits the name to 100 characters', () => {
    expect(crawlerName('x'.repeat(16_384))).toBe('x'.repeat(100));
    expect(isCrawler('\u00ff '.repeat(8192))).toBe(false);
  });
});

/** User-Agents of people's apps that the list wrongly classifies as crawlers. */
const MISTAKEN = [
  '[FBAN/FB4A;FBAV/330.0.0.30.120;FBBV/1;FBDM/{density=2.0,width=720,height=1456};FBLC/es_LA;FBRV/0;FBCR/Claro;FBMF/HUAWEI;FBBD/HUAWEI;FBPN/com.facebook.katana;FBDV/DRA-L1;FBSV/8.1.0;FBOP/1;FBCA/armeabi-v7a:armeabi;]',
  '[FBAN/EMA;FBBV/1;FBAV/1.0.0.0.1;FBDV/Infinix_X650;FBLC/en_US;FBCX/modulariab;FBDM/{density=2.0}]',
  '[FBAN/MessengerLite;FBAV/60.0.1.8.238;FBBV/1;FBPN/com.facebook.mlite;FBLC/en_US;FBCR/MTN;FBSV/7.0;]',
  '[FBAN/Orca-Android;FBAV/243.0.0.17.115;FBPN/com.facebook.orca;FBLC/es_ES;FBBV/183105387;FBCR/',
  '[FBAN/FBIOS;FBDV/iPhone11,8;FBMD/iPhone;FBSN/iOS;FBSV/13.3.1;FBSS/2;FBID/phone;FBLC/en_US;FBOP/5;FBCR/AT&T]',
  '[FB_IAB/Instagram;FBAV/275.0.0.27.98;FBBV/1;FBLC/pt_BR;FBCR/TIM;FBDV/moto_g;]',
  'Mozilla/5.0 (Linux; Android 13; SM-G991B; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/114.0.5735.196 Mobile Safari/537.36 [FBAN/FB4A;FBAV/420.0.0.32.61;FBCR/Google Fi;]',
  'Instagram 10.2.0 (iPhone7,2; iPhone OS 9_3_2; en_US; en-US; scale=2.00; 750x1334) AppleWebKit/420+',
  'Mozilla/5.0 (Linux; Android 10; V1981A; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/62.0.3202.84 Mobile Safari/537.36 JsSdk/2 NewsArticle/8.3.2 NetType/wifi',
];

describe('In-app browsers', () => {
  it.each([
    ...MISTAKEN,
    'Dalvik/2.1.0 (Linux; U; Android 8.1.0; DRA-L21) [FBAN/Orca-Android;FBAV/243.0.0.17.115;FBCR/null;FBDM/{density=2.0,width=720,height=1358};FB_FW/1;]',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 16_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [FBAN/FBIOS;FBAV/416.0.0.35.85;FBLC/en_US;FBOP/5;IABMV/1]',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 16_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Instagram 286.0.0.16.69 (iPhone14,5; iOS 16_5; en_US; en; scale=3.00; 1170x2532; 479123456)',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 16_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Safari Line/13.9.1',
    'Mozilla/5.0 (Linux; Android 13; wv) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/107.0 Mobile Safari/537.36 MicroMessenger/8.0.33.2320(0x28002151) WeChat/arm64 Weixin NetType/WIFI Language/zh_CN',
    'Mozilla/5.0 (Linux; Android 13; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/114.0 Mobile Safari/537.36 trill_2023004030 JsSdk/1.0 Channel/googleplay AppName/musical_ly BytedanceWebview/d8a21c6',
  ])('count as people: %s', (userAgent) => expect(isCrawler(userAgent)).toBe(false));

  it.each([
    'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
    'facebookexternalhit/1.1 [FBAN/FB4A;FBAV/330.0.0.30.120;]',
    'Mozilla/5.0 (compatible; Googlebot/2.1) [FBAN/FB4A;FBAV/330.0.0.30.120;]',
    'Facebot',
    'meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)',
  ])('do not prevent a crawler from being recognised: %s', (userAgent) =>
    expect(isCrawler(userAgent)).toBe(true),
  );

  it.each(['Mozilla/5.0 (compatible; Barracuda Sentinel (EE))', 'Dart/3.1 (dart:io)'])(
    'need an additional rule until isbot recognises %s',
    (userAgent) => expect(isbot(userAgent)).toBe(false),
  );

  it.each(MISTAKEN)('need an exception until isbot recognises %s', (userAgent) =>
    expect(isbot(userAgent)).toBe(true),
  );
});
