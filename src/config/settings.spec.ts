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
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL="loud": must be one of'],
    [{ BASE_URL: 'ftp://x' }, 'BASE_URL="ftp://x": must be a URL starting with http://'],
    [{ TRUST_PROXY: 'everybody' }, 'TRUST_PROXY="everybody": must be a number of hops'],
    [{ MONGODB_URI: 'mongodb://h/db' }, 'JWT_SECRET: must be set when MONGODB_URI is'],
    [{ GEOIP_DB: '/nowhere.mmdb' }, 'GEOIP_DB="/nowhere.mmdb": must name a file that exists'],
    [{ GOOGLE_CLIENT_ID: 'x' }, 'GOOGLE_CLIENT_SECRET: must be set when GOOGLE_CLIENT_ID is'],
    [{ OIDC_CLIENT_ID: 'x' }, 'OIDC_ISSUER: must be set when OIDC_CLIENT_ID is'],
    [{ SECURITY_CONTACT: 'me' }, 'SECURITY_CONTACT="me": must be a mail address'],
    [{ SECURITY_CONTACT: 'http://go.test/' }, 'must be a mail address or a mailto:, https:'],
    [{ SECURITY_CONTACT: 'a@b\nExpires: x' }, 'must be a mail address or a mailto:, https:'],
    [{ CORS_ORIGINS: 'x' }, 'CORS_ORIGINS="x": must be a comma list of http(s) origins'],
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
