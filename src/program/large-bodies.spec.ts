import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { BodiesBusyError } from '../infrastructure/request-bodies/request-bodies.errors';
import { largeBodiesInTurn } from './large-bodies';

const RESPONSE = {} as ServerResponse;

describe('requests with large bodies', () => {
  let handled: string[];
  let refused: unknown[];
  let listener: ReturnType<typeof largeBodiesInTurn>;

  const send = (name: string, headers: Record<string, string>, destroyed = false): void =>
    listener({ url: name, headers, socket: { destroyed } } as unknown as IncomingMessage, RESPONSE);
  const sendLarge = (client: string, name: string): void =>
    send(name, { 'content-length': '900000', 'x-client': client });

  beforeEach(() => {
    // Bodies from an earlier test may still be waiting.
    const [done, failed]: [string[], unknown[]] = [[], []];
    [handled, refused] = [done, failed];
    listener = largeBodiesInTurn(
      ({ url = '' }) => done.push(url),
      (_request, _response, thrown) => failed.push(thrown),
      { client: ({ headers }) => ({ key: String(headers['x-client']) }) as never },
    );
  });

  it('are handled one per event-loop turn, and clients take turns', async () => {
    for (const name of ['a1', 'a2', 'a3']) sendLarge('a', name);
    sendLarge('b', 'b1');
    expect(handled).toEqual(['a1']);
    while (handled.length < 2) await nextTurn();
    expect(handled).toEqual(['a1', 'a2']);
    while (handled.length < 4) await nextTurn();
    expect(handled).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  it('do not delay requests with a small body or without one', () => {
    for (const name of ['a1', 'a2', 'a3']) sendLarge('a', name);
    send('small', { 'content-length': '16384' });
    send('none', {});
    expect(handled).toEqual(['a1', 'small', 'none']);
  });

  it('also wait for their turn if they have no content length', () => {
    for (const name of ['a1', 'a2']) send(name, { 'transfer-encoding': 'chunked' });
    expect(handled).toEqual(['a1']);
  });

  it('are rejected beyond the limit, first those of the client with the most', async () => {
    for (let n = 0; n < 100; n++) sendLarge('a', `a${n}`);
    await nextTurn();
    expect(refused).toHaveLength(35);
    expect(refused[0]).toBeInstanceOf(BodiesBusyError);
    sendLarge('b', 'b1');
    while (handled.length < 65) await nextTurn();
    expect(handled).toContain('b1');
  });

  it('are dropped if the client disconnects', async () => {
    sendLarge('a', 'a1');
    send('gone', { 'content-length': '900000', 'x-client': 'a' }, true);
    sendLarge('a', 'a2');
    while (handled.length < 2) await nextTurn();
    expect(handled).toEqual(['a1', 'a2']);
  });
});
