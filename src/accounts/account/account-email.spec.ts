import fc from 'fast-check';
import { readEmail, readNewEmail } from './account';

describe('Account emails', () => {
  it('are compared without surrounding whitespace and with ASCII letters in lower case', () => {
    expect(readEmail('\t Ann@Example.COM \n')).toBe('ann@example.com');
  });

  it.each(['ann+tag@example.co.uk', 'a@box.test', 'a@host.local', 'a@localhost', 'ä@example.com'])(
    'may be %s',
    (email) => expect(readEmail(email)).toBe(email),
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
    'ann\ud800@example.com',
  ])('may not be %j', (email) => expect(readEmail(email)).toBeNull());

  it.each([
    ['ann@example.com/x'],
    ['ann@example.com:80'],
    ['ann@example.com?x'],
    ['ann@example.com#x'],
    ['ann@ex%61mple.com'],
    ['ann@ex\tample.com'],
    ['ann@example.com\\x'],
    ['ann@[127.0.0.1]'],
    ['ann@127.0.0.1'],
    ['ann@xn--a.example'],
    ['ann@ex／ample.com'],
    ['ann@\u202eexample.com\u0000'],
  ])('accepts only a plain domain, not %j', (email) => {
    expect(readEmail(email)).toBeNull();
  });

  it.each([
    ['the Kelvin sign', '\u212Aate@example.com'],
    ['the Kelvin sign in the domain', 'kate@\u212Aex.example'],
    ['the Greek question mark', 'k\u037Eate@example.com'],
    ['the oxia', 'k\u1FEFate@example.com'],
  ])('does not turn into the email of another account: %s', (_, email) => {
    expect(readEmail(email)).toBeNull();
  });

  it('keeps letters distinct that lower-casing would make equal', () => {
    const twins = ['\u0130@example.com', 'i\u0307@example.com', 'I@example.com', 'Ä@example.com'];
    const forms = twins.map(readEmail);
    expect(new Set([...forms, 'ä@example.com']).size).toBe(5);
  });

  it.each([
    ['NFD', 'bu\u0308cher@example.com', 'b\u00fccher@example.com'],
    ['an international domain', 'a@Bücher.example', 'a@xn--bcher-kva.example'],
    ['one that is decomposed', 'a@bu\u0308cher.example', 'a@xn--bcher-kva.example'],
    ['other full stops', 'a@example。com', 'a@example.com'],
    ['full-width letters', 'a@ｅxample.com', 'a@example.com'],
  ])('has one stored form per mailbox: %s', (_, email, form) => {
    expect(readEmail(email)).toBe(form);
  });

  it.each([
    ['a quoted local part', '"ann"@example.com'],
    ['a quoted pair', '"a\\nn"@example.com'],
    ['a quoted space', '"a nn"@example.com'],
    ['full-width letters', '\uff41nn@example.com'],
    ['a ligature', 'o\ufb00ice@example.com'],
    ['a soft hyphen', 'a\u00adnn@example.com'],
    ['a zero-width space', 'a\u200bnn@example.com'],
    ['a space beyond ASCII', 'a\u3000nn@example.com'],
    ['a mark of direction', 'a\u202enn@example.com'],
  ])('is rejected for new accounts if its mailbox has a simpler spelling: %s', (_, email) => {
    expect(readNewEmail(email)).toBeNull();
  });

  it.each(['(c)ann@example.com', 'ann(c)@example.com', 'ann@example.com(c)', 'ann@example.com.'])(
    'has no comment, and no dot at the end: not %s',
    (email) => expect(readEmail(email)).toBeNull(),
  );

  it.each(['ann+tag@example.com', "o'neil@example.com", 'ä@example.com', '用户@example.com'])(
    'is accepted for new accounts in the form %s',
    (email) => expect(readNewEmail(email)).toBe(email),
  );

  it('still works in a quoted spelling that an earlier release accepted', () => {
    expect(readEmail('"ann"@Example.com')).toBe('"ann"@example.com');
  });

  it('has a stored form that stays unchanged when it is read again', () => {
    const part = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(part, part, (local, domain) => {
        const form = readEmail(`${local}@${domain}.example`);
        if (form !== null) expect(readEmail(form)).toBe(form);
      }),
      { numRuns: 5000 },
    );
  });
});
