import { readDomainName } from './domain-name';

describe('readDomainName', () => {
  it.each([
    ['Go.Example.', 'go.example'],
    ['a-b.c.d.e.f', 'a-b.c.d.e.f'],
    ['MÜNCHEN.example', 'xn--mnchen-3ya.example'],
    ['xn--mnchen-3ya.example', 'xn--mnchen-3ya.example'],
    ['straße.example', 'xn--strae-oqa.example'],
  ])('reads %s', (text, name) => {
    expect(readDomainName(text)).toBe(name);
  });

  it.each([
    ...['xn--a.com', 'xn--.com', 'xn--a-.com', 'go.xn--a', 'example', '10.0.0.1', '-a.example'],
    ...['https://links.example.com', 'links.example.com:8000', 'links.example.com/x'],
    ...['user@links.example.com', 'links.example.com..', '.example.com', 'a..b', 'localhost'],
    ...['0x7f.1', '[::1]', '::1', 'a b.com', 'a-.com', 'under_score.com', 'a.1', 'a%2eb.com'],
    ...[`${'x'.repeat(64)}.com`, '*.example.com', '<b>.example.com'],
  ])('rejects %s', (text) => {
    expect(readDomainName(text)).toBeNull();
  });
});
