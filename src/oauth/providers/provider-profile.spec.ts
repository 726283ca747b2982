import { profileFrom } from './provider-profile';

describe('a profile from claims', () => {
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

  it.each([undefined, null, 5, '', 'x'.repeat(1025), {}])('needs a sub, not %j', (sub) => {
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

  it('verifies no missing email', () => {
    const profile = profileFrom({ sub: '5', email: 'nobody', email_verified: true });
    expect(profile).toMatchObject({ email: null, emailVerified: false });
  });

  it.each([
    ['a\u0000b\u202ec', 'a b c'],
    [' \n ', null],
    ['x'.repeat(300), 'x'.repeat(255)],
    [`${'x'.repeat(254)}😀`, `${'x'.repeat(254)}\ufffd`],
    [5, null],
  ])('sanitises the name %j', (name, expected) => {
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
