import { parseUrl, serverOf } from './url';

describe('parseUrl', () => {
  it('reads internationalised hosts however often it is called in one process', () => {
    // As they come out of a request: texts in one piece, whose fast path URL.canParse gets wrong.
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
    'answers null for %j, which is no URL',
    (text) => {
      expect(parseUrl(text)).toBeNull();
    },
  );
});

describe('serverOf', () => {
  it.each([
    ['redis://redis:6379', 'redis:6379'],
    ['rediss://user:geheim@cache.example.com/0', 'cache.example.com'],
    ['smtp://me%40example.com:ge@heim@mail.example.com:587?x=1', 'mail.example.com:587'],
    ['mongodb://u:geheim@a:1,b:2/curtail?replicaSet=rs0', 'a:1,b:2'],
    ['no url', ''],
  ])('of %s is %s', (url, server) => {
    expect(serverOf(url)).toBe(server);
  });
});
