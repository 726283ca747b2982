import { safeReason } from './providers/oauth.errors';

describe('the loggable reason for an error', () => {
  it('contains the message, names and codes, but no other properties of the error', () => {
    const cause = Object.assign(new Error('connect 10.0.0.1'), { code: 'ECONNREFUSED' });
    const error = new TypeError('fetch failed', { cause });
    Object.assign(error, { body: { access_token: 'secret' } });
    expect(safeReason(error)).toBe('TypeError: fetch failed < Error ECONNREFUSED');
  });

  it.each(['text', null, { access_token: 'secret' }])('contains nothing from %j', (thrown) => {
    expect(safeReason(thrown)).toBe('unknown');
  });

  it('ends at circular causes, and has a limited length', () => {
    const error = new Error('x'.repeat(500));
    error.cause = error;
    expect(safeReason(error)).toBe(`Error: ${'x'.repeat(200)} < Error < Error < Error`);
  });
});
