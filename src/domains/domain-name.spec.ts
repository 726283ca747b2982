import { readDomainName } from './domain-name';

describe('readDomainName', () => {
  it.each([
    ['Go.Example.', 'go.example'],
    ['MÜNCHEN.example', 'xn--mnchen-3ya.example'],
    ['xn--mnchen-3ya.example', 'xn--mnchen-3ya.example'],
    ['straße.example', 'xn--strae-oqa.example'],
  ])('reads %s', (text, name) => {
    expect(readDomainName(text)).toBe(name);
  });

  it.each(['xn--a.com', 'xn--.com', 'xn--a-.com', 'go.xn--a', 'example', '10.0.0.1', '-a.example'])(
    'rejects %s',
    (text) => {
      expect(readDomainName(text)).toBeNull();
    },
  );
});
