import { readSettings } from './settings';

describe('the settings', () => {
  it('have the defaults from the contract', () => {
    const settings = readSettings({});
    expect(settings.http).toMatchObject({
      port: 8000,
      host: '0.0.0.0',
      baseUrl: 'http://localhost:8000',
      trustProxy: false,
      cookieSecure: true,
      corsOrigins: ['http://localhost:8000'],
      fastPath: true,
      strictHosts: false,
    });
    expect(settings).toMatchObject({
      mongoUri: null,
      jwtSecret: null,
      visitorKey: null,
      concurrency: 1,
    });
    expect(settings.mail).toEqual({ smtpUrl: null, from: 'Curtail <no-reply@localhost>' });
    expect(settings.oauth).toEqual({ providers: [] });
  });

  it('allow every visitor by default', () => {
    expect(readSettings({}).site).toEqual({
      name: 'Curtail',
      homeUrl: '/',
      registration: 'open',
      anonymousLinks: true,
      passwordSignIn: true,
      rootRedirect: null,
      notFoundRedirect: null,
    });
    expect(readSettings({}).log).toEqual({ level: 'info', format: null });
  });

  it('accept email domains in upper and lower case and in any script', () => {
    const { site } = readSettings({ REGISTRATION: 'Example.com, münchen.de' });
    expect(site.registration).toEqual(['example.com', 'xn--mnchen-3ya.de']);
  });

  it('write public addresses in the same form as DNS resolvers', () => {
    const { domains } = readSettings({ PUBLIC_ADDRESSES: '192.0.2.1, 2001:DB8:0::01' });
    expect(domains.publicAddresses).toEqual(['192.0.2.1', '2001:db8::1']);
  });

  it("use the site's name as the sender of emails", () => {
    const from = (name: string) => readSettings({ SITE_NAME: name }).mail.from;
    expect(from('Example Links')).toBe('Example Links <no-reply@localhost>');
    expect(from('A "B", C')).toBe(String.raw`"A \"B\", C" <no-reply@localhost>`);
  });

  it('accept the origins of browser extensions', () => {
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

  it.each([
    ['https://go.test/', 'https://go.test'],
    ['https://go.test//', 'https://go.test'],
    ['HTTPS://go.test', 'https://go.test'],
    ['http://[::1]:8000', 'http://[::1]:8000'],
  ])('read BASE_URL=%s as %s', (given, baseUrl) => {
    expect(readSettings({ BASE_URL: given }).http.baseUrl).toBe(baseUrl);
  });

  it.each([
    ['[::]', '::'],
    ['::', '::'],
    ['[::1]', '::1'],
    ['0:0:0:0:0:0:0:1', '::1'],
    ['[fe80::1%eth0]', 'fe80::1%eth0'],
    ['localhost', 'localhost'],
    ['127.0.0.1', '127.0.0.1'],
  ])('read HOST=%s as %s', (given, host) => {
    expect(readSettings({ HOST: given }).http.host).toBe(host);
  });

  it.each([
    'links@example.com',
    'Links <no-reply@localhost>',
    'Links, Inc <links@example.com>',
    '"Me @ work" <links@bücher.example>',
  ])('accept MAIL_FROM=%s', (from) => {
    expect(readSettings({ MAIL_FROM: from }).mail.from).toBe(from);
  });

  it('accept byte limits up to the maximum', () => {
    const { imports } = readSettings({ IMPORT_MAX_BYTES: '1099511627776' });
    expect(imports.maxBytes).toBe(2 ** 40);
  });

  it('accept both notations of subnets for TRUST_PROXY', () => {
    const list = 'loopback, 10.0.0.0/8, 192.168.0.0/255.255.0.0, 2001:db8::/32';
    expect(readSettings({ TRUST_PROXY: list }).http.trustProxy).toBe(list);
  });

  it.each([
    ['security@go.test', 'mailto:security@go.test'],
    ['mailto:security@go.test', 'mailto:security@go.test'],
    ['https://go.test/report', 'https://go.test/report'],
    ['tel:+49-30-123456', 'tel:+49-30-123456'],
  ])('read SECURITY_CONTACT=%s as %s', (given, contact) => {
    expect(readSettings({ SECURITY_CONTACT: given }).security.contact).toBe(contact);
    expect(readSettings({}).security.contact).toBeNull();
  });

  it.each([
    ['abuse@go.test', 'mailto:abuse@go.test'],
    ['mailto:abuse@go.test', 'mailto:abuse@go.test'],
    ['http://go.test/report?of=link', 'http://go.test/report?of=link'],
  ])('read ABUSE_CONTACT=%s as %s', (given, abuseContact) => {
    expect(readSettings({ ABUSE_CONTACT: given }).footer.abuseContact).toBe(abuseContact);
    expect(readSettings({}).footer.abuseContact).toBeNull();
  });

  it.each([
    [{ PORT: 'abc' }, 'PORT="abc": must be an integer from 1 to 65535'],
    [{ PORT: '70000' }, 'PORT="70000": must be an integer from 1 to 65535'],
    [
      { IMPORT_MAX_BYTES: '1099511627777' },
      'IMPORT_MAX_BYTES="1099511627777": must be an integer from 65536 to 1099511627776',
    ],
    [{ WEB_CONCURRENCY: '0' }, 'WEB_CONCURRENCY="0": must be an integer from 1 to 64'],
    [{ COOKIE_SECURE: 'yes' }, 'COOKIE_SECURE="yes": must be true or false'],
    [{ ANONYMOUS_LINKS: 'no' }, 'ANONYMOUS_LINKS="no": must be true or false'],
    [{ HOME_URL: 'x' }, 'HOME_URL="x": must be a path'],
    [{ PASSWORD_SIGN_IN: 'no' }, 'PASSWORD_SIGN_IN="no": must be true or false'],
    [{ CASE_INSENSITIVE_ALIASES: '1' }, 'CASE_INSENSITIVE_ALIASES="1": must be true or false'],
    [{ PASSWORD_SIGN_IN: 'false' }, 'PASSWORD_SIGN_IN="false": needs a sign-in provider'],
    [{ ROOT_REDIRECT: '/x' }, 'ROOT_REDIRECT="/x": must be a URL starting with http://'],
    [{ NOT_FOUND_REDIRECT: 'https://me@a.test' }, 'without user name and password'],
    [{ ROOT_REDIRECT: `https://a.test/${'x'.repeat(2048)}` }, 'must have at most 2048 characters'],
    [{ LOG_FORMAT: 'xml' }, 'LOG_FORMAT="xml": must be one of json, pretty'],
    [{ MAIL_FROM: 'Links <no-reply>' }, 'MAIL_FROM="Links <no-reply>": must be an email'],
    [{ BASE_URL: 'http://localhost:8000/s' }, 'must have no path, query'],
    [{ JOURNAL_SYNC: 'yes' }, 'JOURNAL_SYNC="yes": must be one of interval, always, never'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL="loud": must be one of'],
    [{ BASE_URL: 'ftp://x' }, 'BASE_URL="ftp://x": must be a URL starting with http://'],
    [{ TRUST_PROXY: 'everyone' }, 'TRUST_PROXY="everyone": must be a number of hops'],
    [{ GEOIP_DB: '/nowhere.mmdb' }, 'GEOIP_DB="/nowhere.mmdb": must name a file that exists'],
    [{ GOOGLE_CLIENT_ID: 'x' }, 'GOOGLE_CLIENT_SECRET: must be set when GOOGLE_CLIENT_ID is'],
    [{ OIDC_CLIENT_ID: 'x' }, 'OIDC_ISSUER: must be set when OIDC_CLIENT_ID is'],
    [{ SITE_NAME: 'x'.repeat(61) }, 'must be a name of at most 60 characters, on one line'],
    [{ SITE_NAME: 'a\nb' }, 'SITE_NAME="a\\nb": must be a name of at most 60 characters'],
    [{ HOME_URL: '//evil.example' }, 'HOME_URL="//evil.example": must be a path starting with /'],
    [{ HOME_URL: 'javascript:alert(1)' }, 'must be a path starting with / or a URL starting with'],
    [
      { REGISTRATION: 'a.com,b' },
      'REGISTRATION="a.com,b": must be open, closed, or a comma-separated list',
    ],
    [
      { REGISTRATION: 'me@a.com' },
      'must be open, closed, or a comma-separated list of email domains',
    ],
    ...['ada', 'ada@', '@a.com', 'ada@a', 'a@b.com,', 'a@b.com c@d.com', 'a..b@c.com'].map(
      (list): [Record<string, string>, string] => [
        { ADMIN_EMAILS: list },
        `ADMIN_EMAILS=${JSON.stringify(list)}: must be a comma-separated list of email addresses`,
      ],
    ),
    [{ ANONYMOUS_LINKS: 'off' }, 'ANONYMOUS_LINKS="off": must be true or false'],
    [{ LIMITS_FILE: '/nowhere' }, 'LIMITS_FILE="/nowhere": must name a file that exists'],
    [{ LOG_FORMAT: 'text' }, 'LOG_FORMAT="text": must be one of json, pretty'],
    ...['x', 'ftp://x', 'chrome-extension://', 'https://a.test,null', 'file:///x'].map(
      (list): [Record<string, string>, string] => [
        { CORS_ORIGINS: list },
        `CORS_ORIGINS="${list}": must be a comma-separated list of origins`,
      ],
    ),
    ...['https://*.a.test', 'https://a b.test'].map((list): [Record<string, string>, string] => [
      { CORS_ORIGINS: list },
      `CORS_ORIGINS="${list}": must be a comma-separated list of origins`,
    ]),
    ...['/s', '/s/', '?x', '?', '#x', '/#x', '\\x', '/.'].map(
      (rest): [Record<string, string>, string] => [
        { BASE_URL: `https://go.test${rest}` },
        'must have no path, query or fragment',
      ],
    ),
    [
      { BASE_URL: 'https://go.test\n.evil.test' },
      'BASE_URL="https://go.test\\n.evil.test": must be',
    ],
    [
      { HOST: '0.0.0.0:8000' },
      'HOST="0.0.0.0:8000": must be an address or host name of this machine',
    ],
    [{ HOST: '[::' }, 'HOST="[::": must be an address or host name of this machine'],
    ...['1.5', '1000', '-1', 'loopback,', '10.0.0.0/33', '010.0.0.1'].map(
      (value): [Record<string, string>, string] => [
        { TRUST_PROXY: value },
        `TRUST_PROXY="${value}": must be a number of hops`,
      ],
    ),
    ...[
      'no address here',
      'Links <no-reply>',
      'links@',
      '@example.com',
      'a@b.test, c@d.test',
      'a@b.test c@d.test',
      'Links <a@b.test> <c@d.test>',
      'a@b..test',
      'a@b@c',
      'Group: a@b.test;',
      'a@b.test\nBcc: c@d.test',
    ].map((from): [Record<string, string>, string] => [
      { MAIL_FROM: from },
      `MAIL_FROM=${JSON.stringify(from)}: must be an email address`,
    ]),
    ...['https://i.test?x', 'https://i.test#x'].map((issuer): [Record<string, string>, string] => [
      { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: 'x', OIDC_CLIENT_SECRET: 'y' },
      `OIDC_ISSUER="${issuer}": must have no query or fragment`,
    ]),
    [{ HOME_URL: '/a\nb' }, 'HOME_URL="/a\\nb": must be a path starting with /'],
    [{ HOME_URL: 'https://[' }, 'HOME_URL="https://[": must be a path starting with /'],
    [{ SECURITY_CONTACT: 'https://[' }, 'must be an email address or a mailto:, https:'],
    [{ SECURITY_CONTACT: 'tel:-' }, 'must be an email address or a mailto:, https:'],
    ...['IMPRINT_URL', 'TERMS_URL', 'PRIVACY_URL'].flatMap((name) =>
      [
        'go.test/x',
        '/x',
        'javascript:alert(1)',
        'ftp://go.test/x',
        'https://',
        'https://a.b/ c',
      ].map((value): [Record<string, string>, string] => [
        { [name]: value },
        `${name}="${value}": must be a URL starting with http:// or https://`,
      ]),
    ),
    ...['me', 'javascript:alert(1)', 'mailto:me', 'a@b c@d', 'https://go.test/ x'].map(
      (value): [Record<string, string>, string] => [
        { ABUSE_CONTACT: value },
        `ABUSE_CONTACT="${value}": must be an email address or a URL starting with http://`,
      ],
    ),
    ...[
      '10.0.0.0/33',
      'fd00::/129',
      '10.0.0.0/8,',
      'intranet',
      '10.1',
      '10.0.0.0/8/8',
      'fe80::1%lo',
      '10.0.0.0/-1',
    ].map((value): [Record<string, string>, string] => [
      { OUTBOUND_ALLOWED_NETWORKS: value },
      `OUTBOUND_ALLOWED_NETWORKS="${value}": must be a comma-separated list of addresses and networks`,
    ]),
    [{ SECURITY_CONTACT: 'me' }, 'SECURITY_CONTACT="me": must be an email address'],
    [{ SECURITY_CONTACT: 'http://go.test/' }, 'must be an email address or a mailto:, https:'],
    [{ SECURITY_CONTACT: 'a@b\nExpires: x' }, 'must be an email address or a mailto:, https:'],
  ])('reject %p with a single line that lists the allowed values', (env, line) => {
    expect(() => readSettings(env)).toThrow(line);
  });

  it('never contain a secret in an error message', () => {
    expect(() => readSettings({ MONGODB_URI: 'postgres://user:geheim@h' })).toThrow(
      /^(?!.*geheim)/,
    );
    for (const name of [
      'BASE_URL',
      'HOME_URL',
      'OIDC_ISSUER',
      'GOOGLE_TOKEN_URL',
      'CORS_ORIGINS',
    ]) {
      expect(() => readSettings({ [name]: 'https://me:ge/heim@go.test/x y' })).toThrow(
        new RegExp(`^${name}="https://…@go.test(?!.*heim)`),
      );
    }
    expect(() => readSettings({ JWT_SECRET: 'short' })).toThrow(/^(?!.*short).*16 characters/);
    expect(() => readSettings({ VISITOR_KEY: 'short' })).toThrow(
      /^VISITOR_KEY(?!.*short).*32 characters/,
    );
  });
});
