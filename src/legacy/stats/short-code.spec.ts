import { typedShortCode } from './legacy-stats.service';
import { ShortCodeMissingError } from '../request/legacy.errors';

describe('shortCode', () => {
  it.each([
    ['abc', 'abc'],
    [' abc ', 'abc'],
    ['http://localhost:8000/abc', 'abc'],
    ['https://sho.rt/abc/', 'abc'],
    ['sho.rt/abc?utm_source=x/y#z', 'abc'],
    ['https://sho.rt/%F0%9F%9A%80', '🚀'],
    ['🚀', '🚀'],
    ['%', '%'],
    ['../a b', 'a b'],
    ['x\ud83d', 'x\ufffd'],
  ])('finds in %j the code %j', (typed, code) => {
    expect(typedShortCode(typed)).toBe(code);
  });

  it.each([null, '', '  ', '/', '?a'])('finds no code in %j', (typed) => {
    expect(() => typedShortCode(typed)).toThrow(ShortCodeMissingError);
  });
});
