import type { IncomingMessage } from 'node:http';
import { checkOwnRedirects, notFoundLocation, rootLocation } from './own-host';
import { presentAs } from './site';

const BASE = { baseUrl: 'https://go.test' };
const FOOTER = { imprintUrl: null, termsUrl: null, privacyUrl: null, abuseContact: null };
const OFF = { rootRedirect: null, notFoundRedirect: null };

function present(redirects: Partial<typeof OFF | Record<keyof typeof OFF, string>>): void {
  const site = { name: 'Go', homeUrl: '/', registration: 'open', passwordSignIn: true } as const;
  presentAs({ ...site, ...OFF, ...redirects }, FOOTER, BASE);
}

const asked = (url: string, host = 'go.test', method = 'GET') =>
  ({ url, method, headers: { host } }) as IncomingMessage;

afterAll(() => present({}));

describe('a redirect setting', () => {
  it.each(['https://go.test/', 'https://go.test', 'http://GO.test./?form', 'http://go.test:443/x'])(
    'for the root is a loop: %s',
    (rootRedirect) => {
      expect(() => checkOwnRedirects({ ...OFF, rootRedirect }, BASE)).toThrow(
        /^ROOT_REDIRECT=.*: would cause a redirect loop/,
      );
    },
  );

  it.each([
    'https://go.test/login',
    'http://go.test/docs/',
    'https://go.test:8443/',
    'https://a.test',
  ])('for the root is not a loop: %s', (rootRedirect) => {
    expect(() => checkOwnRedirects({ ...OFF, rootRedirect }, BASE)).not.toThrow();
  });

  it('for unknown codes may lead to the root, but not to a code', () => {
    const check = (notFoundRedirect: string) => () =>
      checkOwnRedirects({ ...OFF, notFoundRedirect }, BASE);
    expect(check('https://go.test/')).not.toThrow();
    expect(check('https://go.test/code')).toThrow(
      /^NOT_FOUND_REDIRECT=.*: would cause a redirect loop/,
    );
  });
});

describe('ROOT_REDIRECT', () => {
  beforeAll(() => present({ rootRedirect: 'https://www.test/' }));

  it.each([
    ['/', 'https://www.test/'],
    ['/?x=1', 'https://www.test/'],
    ['/?form', null],
    ['/?x&form=1', null],
    ['//', null],
    ['/login', null],
  ])('redirects %s to %s', (url, location) => {
    expect(rootLocation(asked(url))).toBe(location);
  });

  it('does not apply to POST, or to the host of its own target', () => {
    expect(rootLocation(asked('/', 'go.test', 'HEAD'))).toBe('https://www.test/');
    expect(rootLocation(asked('/', 'go.test', 'POST'))).toBeNull();
    expect(rootLocation(asked('/', 'other.test'))).toBe('https://www.test/');
    expect(rootLocation(asked('/', 'WWW.test.:8080'))).toBeNull();
  });
});

describe('NOT_FOUND_REDIRECT', () => {
  beforeAll(() => present({ notFoundRedirect: 'https://www.test/gone' }));

  it.each([
    ['/a/b?c', 'https://www.test/gone'],
    ['/%', 'https://www.test/gone'],
    ['/API/x', null],
    ['/.well-known/x', null],
  ])('redirects %s to %s', (url, location) => {
    expect(notFoundLocation(asked(url), url)).toBe(location);
  });
});
