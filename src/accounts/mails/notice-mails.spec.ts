import { noticeMail, plainWords } from './notice-mails';

const AT = { at: new Date('2026-03-04T05:06:07Z'), address: '203.0.113.5' };

describe('A notice', () => {
  it.each([
    { what: 'password set' },
    { what: 'password changed' },
    { what: 'codes locked' },
    { what: 'provider linked', provider: 'Google' },
    { what: 'provider unlinked', provider: 'Google' },
    { what: 'key created', name: 'deploy', prefix: 'abcd-_12' },
  ] as const)('tells what, when, from where and what to do, without a link: %j', (event) => {
    const { to, subject, text, html } = noticeMail('ann@example.com', event, AT);
    expect(to).toBe('ann@example.com');
    expect(subject).not.toBe('');
    for (const words of [text, html]) {
      expect(words).toContain('Time: 2026-03-04 05:06 UTC. Client address: 203.0.113.5.');
      expect(words).toContain('If this was not you');
      expect(words).not.toMatch(/https?:|www\.|href|<a\b/i);
    }
  });

  it.each([
    ['evil.example/click', 'evil example click'],
    ['https://evil.example', 'https evil example'],
    ['<img src=x onerror=alert(1)>', 'img src x onerror alert 1'],
    ['a\r\n\r\nDear customer', 'a Dear customer'],
    ['a\u202eb\u200bc\u0000d', 'a b c d'],
    ['ключ 5 – 名前', 'ключ 5 名前'],
    ['\ud800', 'without a name'],
    ['...', 'without a name'],
    ['x'.repeat(255), 'x'.repeat(60)],
  ])('shows the name %j as %s', (name, shown) => {
    expect(plainWords(name)).toBe(shown);
    const mail = noticeMail('ann@example.com', { what: 'key created', name, prefix: 'p' }, AT);
    expect(mail.text).toContain(`“${shown}”`);
    expect(mail.html).toContain(`“${shown}”`);
  });

  it('shows no address that is none', () => {
    const forged = { ...AT, address: 'evil.example' };
    const { text, html } = noticeMail('ann@example.com', { what: 'password set' }, forged);
    for (const words of [text, html]) {
      expect(words).toContain('Client address: unknown.');
      expect(words).not.toContain('evil');
    }
  });
});
