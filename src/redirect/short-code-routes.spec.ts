import { isMeant } from './short-code-routes';

describe('A route for short codes', () => {
  it.each([
    ['/:code', '/abc'],
    ['/:code', '/abc/'],
    ['/:code', '/apis'],
    ['/:code/password', '/abc/password'],
    ['/:code\\+', '/abc+'],
    // These are not short codes, because the first segment is fixed.
    ['/stats/:code', '/stats/abc'],
    ['/result/:code', '/result/stats'],
  ])('%s handles %s', (route, path) => {
    expect(isMeant(route, path)).toBe(true);
  });

  it.each([
    ['/:code', '/api'],
    ['/:code', '/metric/'],
    ['/:code', '/abc+'],
    ['/:code/password', '/stats/password'],
  ])('%s passes %s on', (route, path) => {
    expect(isMeant(route, path)).toBe(false);
  });
});
