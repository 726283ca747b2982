import { searchWords } from './search-words';

const at = (baseUrl: string) => ({ baseUrl, domains: [] });
const aliasIn = (word: string, base = 'https://sho.rt') => searchWords(word, at(base))[0]?.alias;

describe('The words in a search text', () => {
  it('are separated by white space, distinct and in lower case', () => {
    expect(searchWords('  Spring\u00a0SALE\tSpring \n', at('https://sho.rt'))).toEqual([
      { part: 'spring', alias: null },
      { part: 'sale', alias: null },
    ]);
    expect(searchWords(' ', at('https://sho.rt'))).toEqual([]);
  });

  it.each([
    'https://sho.rt/Spring-1',
    'HTTP://SHO.RT/spring-1',
    'sho.rt/spring-1',
    '//sho.rt/spring-1/',
    'www.sho.rt/spring-1',
    'sho.rt./spring-1',
    'https://sho.rt:443/spring-1',
    'https://sho.rt/spring-1+',
    'https://sho.rt/spring-1+?utm_source=x',
    'https://sho.rt/spring-1?qr=1#top',
    'https://sho.rt/spring%2D1%2B',
    'https://sho.rt/spring-1/qr.svg',
    '<https://sho.rt/spring-1>,',
    '(sho.rt/spring-1).',
  ])('recognise the short URL %s', (word) => {
    expect(aliasIn(word)).toBe('spring-1');
  });

  it('recognise emoji in plain and percent-encoded form, with and without the variation selector', () => {
    const emoji = '❤️🚀';
    for (const code of [emoji, encodeURIComponent(emoji)]) {
      expect(aliasIn(`sho.rt/${code}`)).toBe('❤🚀');
    }
  });

  it.each([
    'spring-1',
    'https://sho.rt',
    'sho.rt/',
    'https://sho.rt:8443/spring-1',
    'https://other.example/spring-1',
    'https://notsho.rt/spring-1',
    'https://sho.rt.example/spring-1',
    'ftp://sho.rt/spring-1',
    'https://',
    'http://[',
    'sho.rt/%0a',
  ])('do not read %s as a short URL', (word) => {
    expect(aliasIn(word)).toBeNull();
  });

  it('match a short URL with a port, whether or not the search includes the port', () => {
    for (const word of ['http://localhost:8000/abc', 'localhost:8000/abc', 'localhost/abc']) {
      expect(aliasIn(word, 'http://localhost:8000')).toBe('abc');
    }
    expect(aliasIn('localhost:3000/abc', 'http://localhost:8000')).toBeNull();
  });

  it('recognise the short URLs of an installation whose host name is not ASCII', () => {
    for (const word of ['https://kürz.example/abc', 'xn--krz-hoa.example/abc']) {
      expect(aliasIn(word, 'https://xn--krz-hoa.example')).toBe('abc');
    }
  });
});

describe('A search word of an account with custom domains', () => {
  const domains = [
    { id: 'a'.repeat(24), fqdn: 'links.example.com' },
    { id: 'b'.repeat(24), fqdn: 'go.example.net' },
  ];
  const [A, B] = domains.map(({ id }) => id);
  const places = { baseUrl: 'https://sho.rt:8000', domains };

  it('can be a short URL on one of the domains, or a part of their names', () => {
    expect(searchWords('https://GO.example.net:8000/Abc+ example sho.rt/x', places)).toEqual([
      { part: 'https://go.example.net:8000/abc+', alias: 'abc', aliasOn: B, domains: [] },
      { part: 'example', alias: null, aliasOn: null, domains: [A, B] },
      { part: 'sho.rt/x', alias: 'x', aliasOn: null, domains: [] },
    ]);
  });
});
