import { MailerModule, MailerService } from '@nestjs-modules/mailer';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type ParsedMail, simpleParser } from 'mailparser';
import { type Mail, mailerOptions, toMailOptions } from '../../infrastructure/mail/mail-sender';
import {
  deletionMail,
  resetMail,
  suspensionMail,
  verificationMail,
  welcomeMail,
} from './account-mails';
import { noticeMail, plainWords } from './notice-mails';

const AT = { at: new Date('2026-03-04T05:06:07Z'), address: '203.0.113.5' };
const SENDER = { site: 'Curtail', baseUrl: 'https://go.example.com' };
const HOSTILE = { site: "A & <b>“B”</b> {{code}} 's", baseUrl: 'https://go.example.com' };

let application: INestApplicationContext;
let mailer: MailerService;
beforeAll(async () => {
  const options = await mailerOptions({ smtpUrl: null, from: 'Curtail <no-reply@localhost>' });
  const mails = MailerModule.forRoot(options);
  application = await NestFactory.createApplicationContext(mails, { logger: false });
  mailer = application.get(MailerService);
});
afterAll(() => application.close());

/** Sends the email and returns it in parsed form. */
async function sent(mail: Mail): Promise<ParsedMail & { text: string; html: string }> {
  const { message } = (await mailer.sendMail(toMailOptions(mail))) as { message: Buffer };
  const parsed = await simpleParser(message);
  return { ...parsed, text: parsed.text ?? '', html: String(parsed.html) };
}

describe('An email', () => {
  const mails = (sender: typeof SENDER): Mail[] => [
    verificationMail('ann@example.com', '012345', sender),
    resetMail('ann@example.com', '012345', sender),
    welcomeMail('ann@example.com', sender),
    noticeMail('ann@example.com', { what: 'password set' }, AT, sender),
    suspensionMail('ann@example.com', 'Phishing', sender),
    suspensionMail('ann@example.com', null, sender),
    deletionMail('ann@example.com', sender),
  ];

  it('is a complete HTML document with inline styles, and every tag is closed', async () => {
    for (const mail of mails(SENDER)) {
      const { html, text } = await sent(mail);
      expect(html).toMatch(/^<!DOCTYPE html>/i);
      expect(html).toContain('style="max-width: 480px');
      expect(html).not.toMatch(/<link|<style|class=""/);
      for (const words of [text, html]) {
        expect(words).toContain('Hello,');
        expect(words).toContain('Curtail');
        expect(words).not.toMatch(/[{}]|undefined/);
      }
    }
  });

  it('contains the service’s host in its subject', async () => {
    const subjects = await Promise.all(
      mails(SENDER).map(async (mail) => (await sent(mail)).subject),
    );
    expect(subjects).toEqual([
      'Your verification code: 012345 (go.example.com)',
      'Your password reset code: 012345 (go.example.com)',
      'Welcome to Curtail (go.example.com)',
      'A password was set for your account (go.example.com)',
      'Your account is suspended (go.example.com)',
      'Your account is active again (go.example.com)',
      'Your account was deleted (go.example.com)',
    ]);
  });

  it("contains the installation's name and address, and a button that opens its page", async () => {
    for (const mail of mails(SENDER)) {
      const { html, text } = await sent(mail);
      for (const words of [text, html]) expect(words).toContain('Sent by Curtail, go.example.com');
      const url = mail.page && `https://go.example.com${mail.page.path}`;
      expect([...html.matchAll(/href="([^"]*)"/g)].map(([, to]) => to)).toEqual(url ? [url] : []);
      if (url !== undefined) expect(text).toContain(`: ${url}\n`);
    }
  });

  it('says that the service sent it automatically', async () => {
    for (const mail of mails(SENDER)) {
      expect((await sent(mail)).headers.get('auto-submitted')).toBe('auto-generated');
    }
  });

  it('escapes values in its HTML, but not in its text', async () => {
    for (const mail of mails(HOSTILE)) {
      const { html, text } = await sent(mail);
      expect(text.replace(/\s+/g, ' ')).toContain(HOSTILE.site);
      expect(html.replace(/\s+/g, ' ')).toContain('A &amp; &lt;b&gt;“B”&lt;/b&gt; {{code}}');
      expect(html).not.toContain('<b>');
    }
  });

  it('shows a code without spaces on its own line', async () => {
    for (const mail of mails(SENDER).slice(0, 2)) {
      const { html, text } = await sent(mail);
      expect(text).toMatch(/^012345$/m);
      expect(html).toContain('>012345<');
    }
  });
});

describe('A notice', () => {
  it.each([
    { what: 'password set' },
    { what: 'password changed' },
    { what: 'codes locked' },
    { what: 'export requested' },
    { what: 'sign-in link' },
    { what: 'provider linked', provider: 'Google' },
    { what: 'provider unlinked', provider: 'Google' },
    { what: 'key created', name: 'deploy', prefix: 'abcd-_12' },
  ] as const)(
    'says what happened, when, from where and what to do, and contains no link: %j',
    async (event) => {
      const mail = await sent(noticeMail('ann@example.com', event, AT, SENDER));
      expect([mail.to].flat().map((to) => to?.text)).toEqual(['ann@example.com']);
      expect(mail.subject).not.toBe('');
      for (const words of [mail.text, mail.html]) {
        expect(words).toContain('Time: 2026-03-04 05:06 UTC. Client address: 203.0.113.5.');
        expect(words).toContain('If this was not you');
        expect(words).not.toMatch(/https?:|www\.|href|<a\b/i);
      }
    },
  );

  it.each([
    ['evil.example/click', 'evil example click'],
    ['https://evil.example', 'https evil example'],
    ['<img src=x onerror=alert(1)>', 'img src x onerror alert 1'],
    ['a\r\n\r\nDear customer', 'a Dear customer'],
    ['a\u202eb\u200bc\u0000d', 'a b c d'],
    ['ключ 5 – 名前', 'ключ 5 名前'],
    ['\ud800', 'without a name'],
    ['...', 'without a name'],
    ['{{advice}}', 'advice'],
    ['x'.repeat(255), 'x'.repeat(60)],
  ])('shows the user name %j as %s', async (name, shown) => {
    expect(plainWords(name)).toBe(shown);
    const event = { what: 'key created', name, prefix: 'p' } as const;
    const mail = await sent(noticeMail('ann@example.com', event, AT, SENDER));
    expect(mail.text).toContain(`“${shown}”`);
    expect(mail.html).toContain(`“${shown}”`);
  });

  it('omits an invalid address', async () => {
    const forged = { ...AT, address: 'evil.example' };
    const mail = noticeMail('ann@example.com', { what: 'password set' }, forged, SENDER);
    const { text, html } = await sent(mail);
    for (const words of [text, html]) {
      expect(words).toContain('Client address: unknown.');
      expect(words).not.toContain('evil');
    }
  });
});
