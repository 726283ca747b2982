import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isLocal, MailNotesService } from './account-pages.service';

type MailState = 'ok' | 'error' | 'not_configured';

describe('The note about email delivery', () => {
  it.each<[MailState, boolean, RegExp | null]>([
    ['ok', true, null],
    ['ok', false, null],
    ['error', true, /cannot be sent at the moment/],
    ['error', false, /cannot be sent at the moment/],
    ['not_configured', true, /newest file in \/data\/outbox/],
    ['not_configured', false, /ask the operator of this service/],
  ])('appears for email that is %s, on this machine: %s', async (state, local, text) => {
    const service = new MailNotesService(
      { state: () => Promise.resolve(state) } as never,
      {
        dir: '/data',
      } as never,
    );
    const note = await service.noteFor(local);
    if (text === null) expect(note).toBeNull();
    else expect(note).toMatch(text);
    if (!local) expect(note ?? '').not.toContain('/data');
  });
});

describe('Whether a browser', () => {
  it.each<[string, IncomingHttpHeaders, string, boolean]>([
    ['on this machine', { host: 'localhost:3000' }, '127.0.0.1', true],
    ['on this machine, by its address', { host: '127.0.0.1:3000' }, '::ffff:127.0.0.1', true],
    ['on this machine, by IPv6', { host: '[::1]:3000' }, '::1', true],
    ['on another machine', { host: 'localhost:3000' }, '192.0.2.1', false],
    ['that asks for a public name', { host: 'go.example.com' }, '127.0.0.1', false],
    ['without a host', {}, '127.0.0.1', false],
    ...['x-forwarded-for', 'x-real-ip', 'forwarded', 'via'].map(
      (name): [string, IncomingHttpHeaders, string, boolean] => [
        `behind a proxy that sends ${name}`,
        { host: 'localhost', [name]: '127.0.0.1' },
        '127.0.0.1',
        false,
      ],
    ),
  ])('%s is on this machine', (_, headers, remoteAddress, expected) => {
    expect(isLocal({ headers, socket: { remoteAddress } } as IncomingMessage)).toBe(expected);
  });
});
