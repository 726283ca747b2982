import { isHttps, parseUrl, serverFromUrl } from './url';

describe('parseUrl', () => {
  it('parses internationalised hosts correctly on every call', () => {
    // Flat strings, as in requests, for which the fast path of URL.canParse is wrong.
    const texts = Array.from({ length: 10_000 }, (_, n) => [
      Buffer.from(`https://münchen.de/${n}`).toString(),
      Buffer.from(`https://café.fr/menü?${n}`).toString(),
    ]).flat();
    const hosts = new Set(['xn--mnchen-3ya.de', 'xn--caf-dma.fr']);
    let unread = 0;
    for (let round = 0; round < 10; round++) {
      for (const text of texts) {
        if (!hosts.has(parseUrl(text)?.hostname ?? '')) unread += 1;
      }
    }
    expect(unread).toBe(0);
  });

  it.each(['', 'münchen.de', 'https://', 'https://[::1', 'https://a:99999/'])(
    'returns null for %j, which is not a URL',
    (text) => {
      expect(parseUrl(text)).toBeNull();
    },
  );
});

describe('serverFromUrl', () => {
  it.each([
    ['redis://redis:6379', 'redis:6379'],
    ['rediss://user:geheim@cache.example.com/0', 'cache.example.com'],
    ['smtp://me%40example.com:ge@heim@mail.example.com:587?x=1', 'mail.example.com:587'],
    ['mongodb://u:geheim@a:1,b:2/curtail?replicaSet=rs0', 'a:1,b:2'],
    ['mongodb://u:geheim@%2Frun%2Fmongo.sock/curtail', '%2Frun%2Fmongo.sock'],
    ['redis://:geheim@[2001:db8::1]:6379', '[2001:db8::1]:6379'],
    ['redis+unix://:geheim@/run/redis.sock?db=1', '/run/redis.sock'],
    ['/run/redis.sock?password=geheim', '/run/redis.sock'],
    ['no url', ''],
    ['geheim', ''],
  ])('for %s returns %s', (url, server) => {
    expect(serverFromUrl(url)).toBe(server);
  });

  it.each([
    'redis://:ge@heim#1@127.0.0.1:6379/0',
    'redis://:geheim#1@127.0.0.1:6379',
    'redis://:ge@heim/1@127.0.0.1:6379',
    'smtp://me:25?geheim@mail.example.com',
    'smtp://me:ge heim',
    'mongodb://u:ge@heim/x@h/curtail',
    'mongodb://h,ge heim/curtail',
  ])('for %s returns no host, because the password is not escaped', (url) => {
    expect(serverFromUrl(url)).toBe('');
  });
});

describe('isHttps', () => {
  it.each([
    ['https://go.example', true],
    ['HTTPS://go.example', true],
    ['hTTps://go.example', true],
    ['http://go.example', false],
    ['https.example', false],
    ['', false],
  ])('for %j is %j', (url, https) => {
    expect(isHttps(url)).toBe(https);
  });
});
