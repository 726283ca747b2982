import { readSettings } from './settings';

describe('the settings', () => {
  it('have the defaults of the contract', () => {
    const settings = readSettings({});
    expect(settings.http).toMatchObject({
      port: 8000,
      host: '0.0.0.0',
      baseUrl: 'http://localhost:8000',
      trustProxy: false,
      cookieSecure: true,
      corsOrigins: ['http://localhost:8000'],
    });
    expect(settings).toMatchObject({
      mongoUri: null,
      jwtSecret: null,
      visitorKey: null,
      concurrency: 1,
    });
    expect(settings.mail).toEqual({ smtpUrl: null, from: 'Curtail <no-reply@localhost>' });
    expect(settings.oauth).toEqual({ google: null, oidc: null });
  });

  it('let everybody in unless they are told otherwise', () => {
    expect(readSettings({}).site).toEqual({
      name: 'Curtail',
      homeUrl: '/',
      registration: 'open',
      anonymousLinks: true,
    });
    expect(readSettings({}).log).toEqual({ level: 'info', format: null });
  });

  it('take mail domains in any case and script', () => {
    const { site } = readSettings({ REGISTRATION: 'Example.com, münchen.de' });
    expect(site.registration).toEqual(['example.com', 'xn--mnchen-3ya.de']);
  });

  it('name the sender of mails after the site', () => {
    const from = (name: string) => readSettings({ SITE_NAME: name }).mail.from;
    expect(from('Example Links')).toBe('Example Links <no-reply@localhost>');
    expect(from('A "B", C')).toBe(String.raw`"A \"B\", C" <no-reply@localhost>`);
  });

  it('take the origins of browser extensions', () => {
    const list = 'https://App.test:443/x, chrome-extension://abcdef/, moz-extension://01-AF';
    expect(readSettings({ CORS_ORIGINS: list }).http.corsOrigins).toEqual([
      'https://app.test',
      'chrome-extension://abcdef',
      'moz-extension://01-af',
    ]);
  });

  it('treat an empty value as unset', () => {
    expect(readSettings({ PORT: '', BASE_URL: ' ' }).http.port).toBe(8000);
  });

  it('take the trailing slash off BASE_URL', () => {
    expect(readSettings({ BASE_URL: 'https://go.test/' }).http.baseUrl).toBe('https://go.test');
  });

  it.each([
    ['security@go.test', 'mailto:security@go.test'],
    ['mailto:security@go.test', 'mailto:security@go.test'],
    ['https://go.test/report', 'https://go.test/report'],
    ['tel:+49-30-123456', 'tel:+49-30-123456'],
  ])('take SECURITY_CONTACT=%s as %s', (given, contact) => {
    expect(readSettings({ SECURITY_CONTACT: given }).security.contact).toBe(contact);
    expect(readSettings({}).security.contact).toBeNull();
  });

  it.each([
    [{ PORT: 'abc' }, 'PORT="abc": must be an integer from 1 to 65535'],
    [{ PORT: '70000' }, 'PORT="70000": must be an integer from 1 to 65535'],
    [{ WEB_CONCURRENCY: '0' }, 'WEB_CONCURRENCY="0": must be an integer from 1 to 64'],
    [{ COOKIE_SECURE: 'yes' }, 'COOKIE_SECURE="yes": must be true or false'],
    [{ JOURNAL_SYNC: 'yes' }, 'JOURNAL_SYNC="yes": must be one of interval, always, never'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL="loud": must be one of'],
    [{ BASE_URL: 'ftp://x' }, 'BASE_URL="ftp://x": must be a URL starting with http://'],
    [{ TRUST_PROXY: 'everybody' }, 'TRUST_PROXY="everybody": must be a number of hops'],
    [{ MONGODB_URI: 'mongodb://h/db' }, 'JWT_SECRET: must be set when MONGODB_URI is'],
    [{ GEOIP_DB: '/nowhere.mmdb' }, 'GEOIP_DB="/nowhere.mmdb": must name a file that exists'],
    [{ GOOGLE_CLIENT_ID: 'x' }, 'GOOGLE_CLIENT_SECRET: must be set when GOOGLE_CLIENT_ID is'],
    [{ OIDC_CLIENT_ID: 'x' }, 'OIDC_ISSUER: must be set when OIDC_CLIENT_ID is'],
    [{ SITE_NAME: 'x'.repeat(61) }, 'must be a name of at most 60 characters, in one line'],
    [{ SITE_NAME: 'a\nb' }, 'SITE_NAME="a\\nb": must be a name of at most 60 characters'],
    [{ HOME_URL: '//evil.example' }, 'HOME_URL="//evil.example": must be a path starting with /'],
    [{ HOME_URL: 'javascript:alert(1)' }, 'must be a path starting with / or a URL starting with'],
    [{ REGISTRATION: 'a.com,b' }, 'REGISTRATION="a.com,b": must be open, closed, or a comma list'],
    [{ REGISTRATION: 'me@a.com' }, 'must be open, closed, or a comma list of mail domains'],
    [{ ANONYMOUS_LINKS: 'off' }, 'ANONYMOUS_LINKS="off": must be true or false'],
    [{ LIMITS_FILE: '/nowhere' }, 'LIMITS_FILE="/nowhere": must name a file that exists'],
    [{ LOG_FORMAT: 'text' }, 'LOG_FORMAT="text": must be one of json, pretty'],
    ...['x', 'ftp://x', 'chrome-extension://', 'https://a.test,null', 'file:///x'].map(
      (list): [Record<string, string>, string] => [
        { CORS_ORIGINS: list },
        `CORS_ORIGINS="${list}": must be a comma list of origins`,
      ],
    ),
    [{ SECURITY_CONTACT: 'me' }, 'SECURITY_CONTACT="me": must be a mail address'],
    [{ SECURITY_CONTACT: 'http://go.test/' }, 'must be a mail address or a mailto:, https:'],
    [{ SECURITY_CONTACT: 'a@b\nExpires: x' }, 'must be a mail address or a mailto:, https:'],
  ])('refuse %p with one line that says what is allowed', (env, line) => {
    expect(() => readSettings(env)).toThrow(line);
  });

  it('never repeat a secret in a refusal', () => {
    expect(() => readSettings({ MONGODB_URI: 'postgres://user:geheim@h' })).toThrow(
      /^(?!.*geheim)/,
    );
    expect(() => readSettings({ JWT_SECRET: 'short' })).toThrow(/^(?!.*short).*16 characters/);
    expect(() => readSettings({ VISITOR_KEY: 'short' })).toThrow(
      /^VISITOR_KEY(?!.*short).*32 characters/,
    );
  });
});
