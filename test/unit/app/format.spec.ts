import { duration, partsOf } from '../../../web/format';

describe('the formatting in the app', () => {
  it.each([
    ['https://www.bücher.example/straße?x=1', 'bücher.example', '/straße?x=1'],
    ['HTTP://Example.COM', 'example.com', ''],
    ['https://example.com/', 'example.com', ''],
    ['https://user:pw@host.example:8080?q=@x', 'host.example:8080', '?q=@x'],
    ['nonsense', 'nonsense', ''],
  ])('a destination %s: letters are not escaped', (url, host, rest) => {
    expect(partsOf(url)).toEqual({ host, rest });
  });

  it.each([
    [1, '1 s'],
    [119, '119 s'],
    [121, '3 min'],
    [7200, '2 h'],
  ])('%i seconds are a duration', (seconds, text) => {
    expect(duration(seconds)).toBe(text);
  });
});
