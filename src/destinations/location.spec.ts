import { toLocation } from './location';

describe('the Location header', () => {
  it.each([
    "https://example.com/a%20b?q='x'&y=[1]#{frag}|\\",
    'HTTPS://User:p%40ss@EXAMPLE.com:0443/A/../b?q=http://b%C3%BCcher.example#@',
    'http://[2001:DB8::1]:8080/@b%C3%BCcher/',
    'https://xn--bcher-kva.example?q#f',
    'http://0x7f.1\\@x',
    'https://localhost',
  ])('is the unchanged destination if a header may contain it: %s', (url) =>
    expect(toLocation(url)).toBe(url),
  );

  it('percent-encodes other characters as browsers do', () => {
    expect(toLocation('https://example.com/ü/🚀?q=%C3%BC')).toBe(
      'https://example.com/%C3%BC/%F0%9F%9A%80?q=%C3%BC',
    );
  });

  it.each([
    ['https://bücher.example/straße?q=ü', 'https://xn--bcher-kva.example/stra%C3%9Fe?q=%C3%BC'],
    [
      'HTTPS://üser:p%40ß@BÜCHER.Example:08443/Ä%2f?u=http://ü.example#@ü',
      'HTTPS://%C3%BCser:p%40%C3%9F@xn--bcher-kva.example:08443/%C3%84%2f?u=http://%C3%BC.example#@%C3%BC',
    ],
    ['https://a@b@bücher.example', 'https://a@b@xn--bcher-kva.example'],
    ['http://bücher.example:80?q', 'http://xn--bcher-kva.example:80?q'],
    ['https://bücher.example#ü', 'https://xn--bcher-kva.example#%C3%BC'],
    ['https://bücher.example\\ü', 'https://xn--bcher-kva.example\\%C3%BC'],
    ['https://b%C3%BCcher.example/%C3%BC', 'https://xn--bcher-kva.example/%C3%BC'],
    ['https://ex%61mple.com/%61', 'https://example.com/%61'],
    ['https://🦊.example/🦊', 'https://xn--9s9h.example/%F0%9F%A6%8A'],
    ['https://faß.example/', 'https://xn--fa-hia.example/'],
    ['https://例え。テスト/', 'https://xn--r8jz45g.xn--zckzah/'],
    ['https://ｅｘａｍｐｌｅ．com/', 'https://example.com/'],
    ['http://１２７.0.0.1/', 'http://127.0.0.1/'],
    ['http://пример.рф./', 'http://xn--e1afmkfd.xn--p1ai./'],
  ])('contains the host %s in its DNS form, and the rest unchanged', (url, location) =>
    expect(toLocation(url)).toBe(location),
  );

  it('is visible ASCII for hosts that current releases reject', () => {
    expect(toLocation('https://a\u2e33ü^b/ü')).toBe('https://a%E2%B8%B3%C3%BC^b/%C3%BC');
    expect(toLocation('https://ex%2Fample/ü')).toBe('https://ex%2Fample/%C3%BC');
  });
});
