import { safeReason } from './providers/oauth.errors';

describe('the reason that may be logged', () => {
  it('contains message, names and codes, but nothing else attached to the error', () => {
    const cause = Object.assign(new Error('connect 10.0.0.1'), { code: 'ECONNREFUSED' });
    const error = new TypeError('fetch failed', { cause });
    Object.assign(error, { body: { access_token: 'secret' } });
    expect(safeReason(error)).toBe('TypeError: fetch failed < Error ECONNREFUSED');
  });

  it.each(['text', null, { access_token: 'secret' }])('says nothing about %j', (thrown) => {
    expect(safeReason(thrown)).toBe('unknown');
  });

  it('ends at circular causes, and truncates long messages', () => {
    const error = new Error('x'.repeat(500));
    error.cause = error;
    expect(safeReason(error)).toBe(`Error: ${'x'.repeat(200)} < Error < Error < Error`);
  });
});
