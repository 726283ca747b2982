import { riskySettings } from './risks';
import { readSettings } from './settings';

/** Returns the risks for a service whose BASE_URL is a public https address. */
const risksOf = (env: Record<string, string>) =>
  riskySettings(readSettings({ BASE_URL: 'https://go.example', ...env }));
const SECRET = 'Zm9yIHRlc3RzIG9ubHkgYW5kIG5vd2hlcmU';

describe('the warnings at startup', () => {
  it.each([
    {},
    { JWT_SECRET: SECRET },
    { JWT_SECRET: '31415926535897932384626433832795' },
    { HOST: '127.0.0.1', TRUST_PROXY: '1' },
    { HOST: '::1', TRUST_PROXY: '2' },
    { HOST: 'localhost', TRUST_PROXY: '1' },
    { TRUST_PROXY: 'loopback, 10.0.0.0/8' },
    { TRUST_PROXY: '0' },
    { TRUST_PROXY: 'false' },
  ])('are empty for %j', (env) => {
    expect(risksOf(env as Record<string, string>)).toEqual([]);
  });

  it('include a generated secret if several machines can share the database', () => {
    const MONGODB_URI = 'mongodb://localhost/curtail';
    expect(risksOf({ MONGODB_URI })).toEqual([
      expect.stringContaining('several machines use this MONGODB_URI, set the same JWT_SECRET'),
    ]);
    expect(risksOf({ MONGODB_URI, JWT_SECRET: SECRET })).toEqual([]);
  });

  it.each(['x'.repeat(40), 'abababababababab', '1234512345123451234512345'])(
    'include the secret %s, without quoting it',
    (secret) => {
      const [line, ...more] = risksOf({ JWT_SECRET: secret });
      expect(line).toContain('JWT_SECRET has fewer than 6 different characters');
      expect(line).not.toContain(secret);
      expect(more).toEqual([]);
    },
  );

  it.each(['3141592653589793', 'the name of our dog is Rex'])(
    'include the secret %s, which is short but has no repeated characters',
    (secret) => {
      const [line, ...more] = risksOf({ JWT_SECRET: secret });
      expect(line).toContain('JWT_SECRET has fewer than 32 characters');
      expect(line).not.toContain(secret);
      expect(more).toEqual([]);
    },
  );

  it('include TRUST_PROXY=true on any host', () => {
    expect(risksOf({ HOST: '127.0.0.1', TRUST_PROXY: 'true' })).toEqual([
      expect.stringContaining('TRUST_PROXY=true lets every client choose its own address'),
    ]);
  });

  it.each(['0.0.0.0', '::', '192.0.2.1', 'intranet'])(
    'include a number of proxies on %s',
    (host) => {
      expect(risksOf({ HOST: host, TRUST_PROXY: '1' })).toEqual([
        expect.stringMatching(
          /^TRUST_PROXY=1 with HOST=.* set HOST to 127\.0\.0\.1, or TRUST_PROXY/,
        ),
      ]);
    },
  );

  it.each(['0.0.0.0', '::', '192.0.2.1'])(
    'include a BASE_URL that only this machine can reach on %s',
    (host) => {
      for (const base of ['http://localhost:8000', 'http://127.0.0.1', 'http://[::1]:8000']) {
        expect(risksOf({ HOST: host, BASE_URL: base })).toEqual([
          expect.stringMatching(
            /^BASE_URL is .* set BASE_URL to the address that visitors use, or HOST/,
          ),
        ]);
      }
      expect(risksOf({ HOST: '127.0.0.1', BASE_URL: 'http://localhost:8000' })).toEqual([]);
    },
  );

  it('include COOKIE_SECURE over plain http, except on the local machine', () => {
    const plain = { BASE_URL: 'http://go.example' };
    expect(risksOf(plain)).toEqual([
      expect.stringContaining(
        'COOKIE_SECURE=true with BASE_URL=http://go.example: browsers do not',
      ),
    ]);
    expect(risksOf({ ...plain, COOKIE_SECURE: 'false' })).toEqual([]);
  });

  it('include every risk', () => {
    expect(risksOf({ JWT_SECRET: 'x'.repeat(16), TRUST_PROXY: '1' })).toHaveLength(2);
  });
});
