import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { aLink } from '../support/factories/links';
import { eventually, startService, type Service } from '../support/service';

const MAIN = join(__dirname, '..', '..', 'dist', 'main.js');
const FLOOD = 800;
const VISITS = 200;

const MANNERS: [string, string][] = [
  ['say nothing', ''],
  ['stay after an answer', 'GET /health HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['never end their request', 'GET /health HTTP/1.1\r\nHost: a\r\nX-Slow'],
];

// The descriptor limit applies per web process.
describe.each(['1', '2'])('very many connections, WEB_CONCURRENCY=%s', (WEB_CONCURRENCY) => {
  let service: Service;
  let sockets: Socket[];
  let asked = 0;

  beforeAll(async () => {
    service = await startService({
      command: ['/bin/sh', '-c', `ulimit -n 600; exec "${process.execPath}" "${MAIN}"`],
      env: { WEB_CONCURRENCY, TRUST_PROXY: 'false' },
    });
  });
  afterAll(() => service.stop());
  beforeEach(() => (sockets = []));
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
  });

  function dial(localAddress: string): Promise<Socket> {
    const socket = connect({ port: service.port, host: '127.0.0.1', localAddress });
    sockets.push(socket);
    return new Promise((resolve) => {
      socket.resume();
      socket.on('connect', () => resolve(socket)).on('error', () => resolve(socket));
    });
  }

  async function get(path: string, address = '127.0.0.1'): Promise<string> {
    const socket = await dial(address);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    let received = '';
    socket.on('data', (bytes: Buffer) => (received += bytes.toString('latin1')));
    return new Promise((resolve) => socket.on('close', () => resolve(received)));
  }

  const visit = async (path: string): Promise<string> => (await get(path)).slice(9, 12);

  /** Uses different addresses, because of the rate limit. */
  async function storedClicks(alias: string): Promise<number> {
    const address = `127.0.9.${1 + (asked++ % 250)}`;
    const answer = await get(`/api/v1/public/stats/${alias}`, address);
    return Number(/"total_clicks":(\d+)/.exec(answer)?.[1]);
  }

  it.each(MANNERS)(
    'whose clients %s cause no failed visit and no lost click for other clients',
    async (_, says) => {
      const link = await aLink(service);
      const answers: string[] = [];
      for (let i = 0; i < FLOOD; i++) {
        const address = `127.0.${1 + Math.floor(i / 200)}.${1 + (i % 5)}`;
        const socket = await dial(address);
        if (says !== '') socket.write(says);
        if (i % (FLOOD / VISITS) === 0) answers.push(await visit(`/${link.alias}`));
      }
      expect(answers).toEqual(Array.from({ length: VISITS }, () => '302'));
      for (const socket of sockets) socket.destroy();
      await eventually(
        'every click is stored',
        async () => (await storedClicks(link.alias)) === VISITS,
      );
      expect(service.log()).not.toMatch(/EMFILE|Could not write to the click journal/);
    },
  );

  it('from one client affect only that client', async () => {
    const link = await aLink(service);
    for (let i = 0; i < FLOOD; i++) (await dial('127.0.0.9')).write('GET / HTTP/1.1\r\nHost');
    await eventually('most are refused', () => {
      const open = sockets.filter(({ destroyed }) => !destroyed);
      return open.length <= 200;
    });
    expect(await visit(`/${link.alias}`)).toBe('302');
    expect(service.log()).toContain('Too many connections');
  });
});
