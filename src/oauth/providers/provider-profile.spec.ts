import { profileFrom } from './oauth-provider';

describe("a profile from a provider's claims", () => {
  it('keeps the usable claims', () => {
    const claims = {
      sub: '5',
      email: ' Ada@Example.com ',
      email_verified: true,
      name: ' Ada ',
      picture: 'https://example.com/a.png',
    };
    expect(profileFrom(claims)).toEqual({
      subject: '5',
      email: 'ada@example.com',
      emailVerified: true,
      name: 'Ada',
      picture: 'https://example.com/a.png',
    });
  });

  it.each([undefined, null, 5, '', 'x'.repeat(1025), {}])('must have a sub, not %j', (sub) => {
    expect(() => profileFrom({ sub })).toThrow('no usable sub');
  });

  it.each([
    [true, true],
    ['true', true],
    [false, false],
    ['false', false],
    [1, false],
    ['yes', false],
    [undefined, false],
  ])('reads email_verified %j as %s', (email_verified, expected) => {
    const claims = { sub: '5', email: 'ada@example.com', email_verified };
    expect(profileFrom(claims).emailVerified).toBe(expected);
  });

  it('does not accept another person’s address', () => {
    const claims = { sub: '5', email: '\u212Aate@example.com', email_verified: true };
    expect(profileFrom(claims)).toMatchObject({ email: null, emailVerified: false });
  });

  it('is not verified without an email', () => {
    const profile = profileFrom({ sub: '5', email: 'nobody', email_verified: true });
    expect(profile).toMatchObject({ email: null, emailVerified: false });
  });

  it.each([
    [{ preferred_username: 'Ada@Example.com' }, 'ada@example.com'],
    [{ upn: 'ada@example.com' }, 'ada@example.com'],
    [{ email: 'nobody', preferred_username: 'ada', upn: 'ada@example.com' }, 'ada@example.com'],
    [{ preferred_username: 'ada', upn: 5 }, null],
  ])('has the unverified email from the user name %j', (names, email) => {
    const profile = profileFrom({ sub: '5', email_verified: true, ...names });
    expect(profile).toMatchObject({ email, emailVerified: false });
  });

  it('prefers the email to the user name', () => {
    const names = { preferred_username: 'eve@example.com', upn: 'eve@example.com' };
    const claims = { sub: '5', email: 'ada@example.com', email_verified: true, ...names };
    expect(profileFrom(claims)).toMatchObject({ email: 'ada@example.com', emailVerified: true });
  });

  it.each([
    ['a\u0000b\u202ec', 'a b c'],
    [' \n ', null],
    ['x'.repeat(300), 'x'.repeat(255)],
    [`${'x'.repeat(254)}😀y`, `${'x'.repeat(254)}😀`],
    ['a\u2028b\u2066c\u200bd', 'a b c d'],
    ['a\ud800', 'a\ufffd'],
    ['\u3164\u2800', null],
    [5, null],
  ])('has a cleaned-up name for %j', (name, expected) => {
    expect(profileFrom({ sub: '5', name }).name).toBe(expected);
  });

  it.each([
    'javascript:alert(1)',
    'data:image/png;base64,',
    '/a.png',
    'https://',
    5,
    'x'.repeat(3000),
  ])('has no picture %j', (picture) => {
    expect(profileFrom({ sub: '5', picture }).picture).toBeNull();
  });
});
