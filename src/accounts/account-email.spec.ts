import { isWellFormedEmail, normaliseEmail } from './account-email';

describe('Account emails', () => {
  it('are compared trimmed and lower-cased', () => {
    expect(normaliseEmail('\t Ann@Example.COM \n')).toBe('ann@example.com');
  });

  it.each(['ann+tag@example.co.uk', 'a@box.test', 'a@host.local', 'a@localhost', 'ä@example.com'])(
    'may be %s',
    (email) => expect(isWellFormedEmail(email)).toBe(true),
  );

  it.each([
    '',
    'ann',
    'ann@',
    '@example.com',
    'ann@single',
    'ann@example..com',
    'ann@-example.com',
    'a@b@example.com',
    'ann@example.com\nBcc: eve@example.com',
    'ann@example.com,eve@example.com',
    'Ann <ann@example.com>',
    '<ann@example.com>',
    `${'a'.repeat(250)}@example.com`,
  ])('may not be %j', (email) => expect(isWellFormedEmail(email)).toBe(false));
});
