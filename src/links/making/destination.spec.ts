import { refuseAppAddress, refuseDestination } from './destination';
import { DestinationError } from './links.errors';

const accepted = (text: string, baseUrl = 'https://go.example.com'): boolean => {
  try {
    refuseDestination(text, { baseUrl });
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(DestinationError);
    return false;
  }
};

describe('a destination', () => {
  it.each([
    ['example.com/page', 'no scheme'],
    ['//example.com', 'no scheme'],
    ['localhost:3000', 'no scheme'],
    ['http:/example.com', 'no scheme'],
    [' https://example.com', 'no scheme'],
    ['ftp://example.com', 'other scheme'],
    ['javascript:alert(1)', 'other scheme'],
    ['mailto:ann@example.com', 'other scheme'],
    ['httpx://example.com', 'other scheme'],
    ['https://', 'unreadable'],
    ['https://example.com:99999', 'unreadable'],
    ['https://exa mple.com', 'unreadable'],
    ['https://go.example.com/x', 'loop'],
  ])('is rejected with a specific reason: %p for %s', (text, objection) => {
    const refused = { status: 400, field: 'long_url', objection };
    const read = () => refuseDestination(text, { baseUrl: 'https://go.example.com' });
    expect(read).toThrow(expect.objectContaining(refused));
  });

  it.each([
    'https://example.com',
    'HTTP://EXAMPLE.COM/Path?q=1#f',
    'http://192.168.0.1/admin',
    'http://[::1]:3000/',
    'http://intranet/wiki',
    'https://example.com/ünïcode',
    'https://user:secret@example.com/',
    'https://go.example.com:8443/other-service',
    'https://example.com.go.example.com.evil.test/',
  ])('may be %s', (text) => {
    expect(accepted(text)).toBe(true);
  });

  it.each([
    'ftp://example.com',
    'javascript:alert(1)',
    'https://',
    'https:///path',
    'https://exa mple.com',
    'https://example.com/a b',
    'https://example.com/\u0000',
    'https://example.com/\n',
    ' https://example.com',
    'https://example.com:99999',
    '//example.com',
    'https://[::1',
    'https://example.com/\ud800',
  ])('cannot be %p', (text) => {
    expect(accepted(text)).toBe(false);
  });

  it.each([
    'https://go.example.com/x',
    'https://GO.example.com:443/',
    'https://go.example.com./',
    'http://a.go.example.com/',
  ])('must not lead back to this service: %s', (text) => {
    expect(accepted(text)).toBe(false);
  });

  it('is compared only by its port if the service runs on localhost', () => {
    expect(accepted('http://localhost:8000/x', 'http://localhost:8000')).toBe(false);
    expect(accepted('http://app.localhost:8000/x', 'http://localhost:8000')).toBe(false);
    expect(accepted('http://localhost:3000/x', 'http://localhost:8000')).toBe(true);
    expect(accepted('http://app.localhost:3000/x', 'http://localhost:8000')).toBe(true);
  });

  const LOOPBACK = [
    'localhost',
    'LOCALHOST.',
    'app.localhost',
    '127.0.0.1',
    '127.1',
    '127.200.3.4',
    '2130706433',
    '0x7f.0.0.1',
    '0.0.0.0',
    '0',
    '[::1]',
    '[0:0::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
  ];

  it.each(LOOPBACK)('must not lead back through another name of this machine: %s', (host) => {
    for (const base of ['http://localhost:8000', 'http://127.0.0.1:8000', 'http://[::1]:8000']) {
      expect([base, accepted(`http://${host}:8000/x`, base)]).toEqual([base, false]);
      expect([base, accepted(`http://${host}:8001/x`, base)]).toEqual([base, true]);
    }
  });

  it.each(LOOPBACK)("may be on the visitor's machine: %s", (host) => {
    expect(accepted(`http://${host}:8000/x`, 'http://go.example.com:8000')).toBe(true);
  });

  it('may be on another machine with the same port', () => {
    for (const host of ['intranet', '10.0.0.1', '[fe80::1]', 'localhost.example.com']) {
      expect([host, accepted(`http://${host}:8000/`, 'http://localhost:8000')]).toEqual([
        host,
        true,
      ]);
    }
  });

  it('may have an internationalised host, even after many earlier checks', () => {
    let refused = 0;
    for (let n = 0; n < 10_000; n++) {
      // Creates a flat string, like those parsed from a request.
      if (!accepted(Buffer.from(`https://münchen.de/${n}`).toString())) refused += 1;
    }
    expect(refused).toBe(0);
  });
});

describe('an address that opens an app', () => {
  const taken = (text: string): boolean => {
    try {
      refuseAppAddress(text);
      return true;
    } catch (error) {
      expect(error).toBeInstanceOf(DestinationError);
      return false;
    }
  };

  it.each([
    'myapp://open',
    'tel:+491234',
    'spotify:track:11dFghVXANMlKmJXsNCbNl',
    'myapp:file:12',
    'whatsapp://send?text=data:%20x',
    'intent://scan/#Intent;scheme=zxing;package=com.example;S.browser_fallback_url=https%3A%2F%2Fa.example;end',
    'intent://a.example/x#Intent;scheme=https;end',
    'microsoft-edge:https://a.example/',
    'googlechrome://navigate?url=https://a.example/',
    'android-app://com.example/https/a.example',
    'itms-apps://apps.example/app/id1',
  ])('may be %s', (text) => expect(taken(text)).toBe(true));

  it.each([
    ...['chrome://settings', 'content://x/1', 'resource://x', 'jar:https://a.example/x.jar!/'],
    ...['CHROME:x', 'chrome-extension://x/y', 'moz-extension://x', 'javascript:alert(1)'],
    ...['https://a.example', 'a.example/x', 'localhost:80', 'file:///etc/passwd'],
    'feed:javascript:alert(1)',
    'feed:jar:https://a.example',
    'feed://javascript:alert(1)',
    'feed:%6Aavascript:alert(1)',
    'myapp:javascript:alert(1)',
    'myapp://x?next=javascript%3Aalert(1)',
    'microsoft-edge:file:///c:/',
    'googlechrome://navigate?url=chrome://settings',
    'firefox://open-url?url=data:text/html,x',
    'intent:javascript:alert(1)#Intent;end',
    'intent://x#Intent;scheme=javascript;end',
    'intent://x#Intent;scheme=JavaScript%3Bend',
    'intent://x#Intent;action=a;scheme=file;end',
    'intent://x#Intent;S.browser_fallback_url=javascript%3Aalert(1);end',
    'intent://x#Intent;S.browser_fallback_url=ftp://a.example;end',
    'android-app://com.example/javascript/x',
    `myapp://x?u=${'%25'.repeat(1)}${'25'.repeat(12)}41`,
  ])('cannot be %s', (text) => expect(taken(text)).toBe(false));
});
