import { foldKey, soleByFold } from './alias-form';

describe('folded aliases', () => {
  it.each([
    ['Sale-2026_X', 'sale-2026_x'],
    ['0123456789abcdef01234567/Sale', '0123456789abcdef01234567/sale'],
    ['ÄÖ🌸İK', 'ÄÖ🌸İK'.replace('K', 'k')],
    ['\u212a', '\u212a'],
  ])('fold only the letters A to Z: %s', (key, folded) => {
    expect(foldKey(key)).toBe(folded);
  });

  it('omit links whose aliases differ only in case', () => {
    const links = ['Sale', 'sALE', 'SALE', 'Poster'].map((alias) => ({ alias }));
    expect([...soleByFold(links)]).toEqual([['poster', { alias: 'Poster' }]]);
  });
});
