import { sum } from './metrics';

describe('sum', () => {
  it('adds numbers, lists and objects, and keeps what only one side has', () => {
    const a = { n: 1, list: [1, 2], by: { 'links.create': 3 } as Record<string, number> };
    const b = { n: 4, list: [10, 20], by: { 'auth.login': 1, 'links.create': 1 } };
    expect(sum(a, b)).toEqual({
      n: 5,
      list: [11, 22],
      by: { 'links.create': 4, 'auth.login': 1 },
    });
    expect(a.by).toEqual({ 'links.create': 3 });
  });
});
