import { toReferrer } from './enricher';

describe('A referrer', () => {
  it.each([
    ['https://News.Example.COM:8443/item?id=1#top', 'https://news.example.com'],
    ['http://user:secret@example.com/', 'http://example.com'],
    ['https://example.com', 'https://example.com'],
    ['android-app://com.Google.android.gm/', 'android-app://com.google.android.gm'],
    ['http://[2001:DB8::1]:80/', 'http://[2001:db8::1]'],
    ['https://b\xfccher.example/', 'https://xn--bcher-kva.example'],
    ['https://b\xc3\xbccher.example/', 'https://xn--bcher-kva.example'],
    ['https://\xe4\xbe\x8b.example', 'https://xn--fsq.example'],
  ])('%s is stored as %s', (referer, referrer) => expect(toReferrer(referer)).toBe(referrer));

  it.each([
    '',
    'example.com/path',
    '/relative',
    'about:blank',
    'data:text/html,hi',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'https:///.',
    'https://',
    'http://exa mple.com/',
    '\0\u0001',
    `https://${'a'.repeat(16_000)}/`,
  ])('%.60j is not stored', (referer) => expect(toReferrer(referer)).toBeNull());
});
