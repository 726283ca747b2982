import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tsProcess } from '../../support/ts-process';
import {
  OutboundClient,
  type OutboundRequest,
  type OutboundTimes,
} from '../../../src/infrastructure/outbound/outbound.client';
import {
  OutboundError,
  type OutboundFailure,
} from '../../../src/infrastructure/outbound/outbound.errors';

const LOOPBACK = { allowedNetworks: [{ address: '127.0.0.0', prefix: 8 }] };
const PATIENT: OutboundTimes = { connectMs: 60_000, totalMs: 60_000 };

const NAMES: Record<string, readonly string[]> = {
  'public.test': ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
  'loopback.test': ['127.0.0.1'],
  'mixed.test': ['93.184.215.14', '10.0.0.1'],
  'mixed6.test': ['93.184.215.14', 'fd00::1'],
  'mapped.test': ['::ffff:192.168.1.1'],
  'nat64.test': ['64:ff9b::a9fe:a9fe'],
  'zone.test': ['fe80::1%eth0'],
  'nothing.test': [],
  'odd.test': ['not an address'],
  'translated-public.test': ['64:ff9b::5db8:d70e'],
};

const resolve = (host: string): Promise<readonly string[]> => {
  const found = NAMES[host];
  return found === undefined ? Promise.reject(new Error('ENOTFOUND')) : Promise.resolve(found);
};

const guarded = (options = { allowedNetworks: [] as typeof LOOPBACK.allowedNetworks }) =>
  new OutboundClient(options, resolve, PATIENT);

async function failureOf(asked: Promise<unknown>): Promise<OutboundError> {
  const error: unknown = await asked.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error instanceof OutboundError) return error;
  throw new Error(`no OutboundError: ${String(error)}`);
}

const HOSTILE: readonly (readonly [url: string, failure: OutboundFailure])[] = [
  ['https://127.0.0.1/', 'not_public'],
  ['https://127.1/', 'not_public'],
  ['https://2130706433/', 'not_public'],
  ['https://0x7f000001/', 'not_public'],
  ['https://0x7f.0.0.1/', 'not_public'],
  ['https://0177.0.0.1/', 'not_public'],
  ['https://017700000001/', 'not_public'],
  ['https://127.0.0.1./', 'not_public'],
  ['https://１２７.０.０.１/', 'not_public'],
  ['https://0/', 'not_public'],
  ['https://0.0.0.0/', 'not_public'],
  ['https://10.255.255.255/', 'not_public'],
  ['https://100.64.0.1/', 'not_public'],
  ['https://169.254.169.254/latest/meta-data/', 'not_public'],
  ['https://172.31.255.254/', 'not_public'],
  ['https://192.0.0.8/', 'not_public'],
  ['https://192.0.2.1/', 'not_public'],
  ['https://192.88.99.1/', 'not_public'],
  ['https://192.168.0.1/', 'not_public'],
  ['https://198.19.255.255/', 'not_public'],
  ['https://198.51.100.7/', 'not_public'],
  ['https://203.0.113.9/', 'not_public'],
  ['https://224.0.0.1/', 'not_public'],
  ['https://255.255.255.255/', 'not_public'],
  ['https://[::1]/', 'not_public'],
  ['https://[::]/', 'not_public'],
  ['https://[::ffff:127.0.0.1]/', 'not_public'],
  ['https://[::ffff:a00:1]/', 'not_public'],
  ['https://[0:0:0:0:0:ffff:7f00:1]/', 'not_public'],
  ['https://[::127.0.0.1]/', 'not_public'],
  ['https://[64:ff9b::7f00:1]/', 'not_public'],
  ['https://[64:ff9b::169.254.169.254]/', 'not_public'],
  ['https://[64:ff9b:1::a00:1]/', 'not_public'],
  ['https://[fe80::1]/', 'not_public'],
  ['https://[fd12:3456::1]/', 'not_public'],
  ['https://[ff02::1]/', 'not_public'],
  ['https://[2001:db8::1]/', 'not_public'],
  ['https://[2001::1]/', 'not_public'],
  ['https://[2002:7f00:1::]/', 'not_public'],
  ['https://loopback.test/', 'not_public'],
  ['https://mixed.test/', 'not_public'],
  ['https://mixed6.test/', 'not_public'],
  ['https://mapped.test/', 'not_public'],
  ['https://nat64.test/', 'not_public'],
  ['https://zone.test/', 'not_public'],
  ['https://odd.test/', 'not_public'],
  ['https://nothing.test/', 'unknown_host'],
  ['https://nobody.test/', 'unknown_host'],
  ['http://public.test/', 'scheme'],
  ['http://93.184.215.14/', 'scheme'],
  ['http://127.0.0.1/', 'not_public'],
  ['ftp://public.test/', 'scheme'],
  ['file:///etc/passwd', 'unreadable'],
  ['gopher://public.test/', 'scheme'],
  ['https://user@public.test/', 'credentials'],
  ['https://user:password@public.test/', 'credentials'],
  ['https://:password@public.test/', 'credentials'],
  ['https://127.0.0.1\\@public.test/', 'not_public'],
  ['https://', 'unreadable'],
  ['public.test', 'unreadable'],
  ['https://[fe80::1%25eth0]/', 'unreadable'],
];

describe('a request to another service', () => {
  it('is tested with at least forty hostile targets', () => {
    expect(HOSTILE.length).toBeGreaterThanOrEqual(40);
  });

  it.each(HOSTILE)('is not sent to %s', async (url, failure) => {
    const error = await failureOf(guarded().request({ url, maxBytes: 100 }));
    expect(error.failure).toBe(failure);
    for (const address of NAMES[error.host] ?? []) expect(error.message).not.toContain(address);
  });

  it.each([
    ['https://public.test/', '93.184.215.14'],
    ['https://93.184.215.14:8443/x', '93.184.215.14'],
    ['https://[2606:4700::1111]/', '2606:4700::1111'],
    ['https://translated-public.test/', '64:ff9b::5db8:d70e'],
    ['https://[::ffff:93.184.215.14]/', '::ffff:5db8:d70e'],
  ])('may go to %s', async (url, address) => {
    expect(await guarded().judge(new URL(url))).toMatchObject({ address });
  });

  it('may go to the addresses that the operator allows, in any notation, and to no others', async () => {
    const allowed = [
      { address: '10.1.0.0', prefix: 16 },
      { address: 'fd00::', prefix: 8 },
    ];
    const client = guarded({ allowedNetworks: allowed });
    for (const url of [
      'https://10.1.2.3/',
      'http://0xa010203/',
      'http://[::ffff:10.1.2.3]/',
      'http://[64:ff9b::10.1.2.3]/',
      'http://[fd12::1]/',
    ]) {
      await expect(client.judge(new URL(url))).resolves.toBeDefined();
    }
    for (const url of ['https://10.2.0.1/', 'https://127.0.0.1/', 'https://mixed.test/']) {
      expect((await failureOf(client.judge(new URL(url)))).failure).toBe('not_public');
    }
  });
});

describe('a response of another service', () => {
  const servers: Server[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'curtail-outbound-'));
  afterAll(async () => {
    for (const server of servers) {
      server.close();
      if ('closeAllConnections' in server) (server.closeAllConnections as () => void)();
    }
    rmSync(folder, { recursive: true });
    await Promise.resolve();
  });

  async function portOf(server: Server): Promise<number> {
    servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  async function saying(speak: (socket: Socket) => void) {
    const heard: string[] = [];
    const port = await portOf(
      createServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', (data) => {
          heard.push(data.toString());
          speak(socket);
        });
      }),
    );
    return { url: `http://loopback.test:${port}/`, heard };
  }

  const answering = async (listener: RequestListener) =>
    `http://loopback.test:${await portOf(createHttpServer(listener))}/`;

  const ask = (url: string, more: Partial<OutboundRequest> = {}, times: OutboundTimes = PATIENT) =>
    new OutboundClient(LOOPBACK, resolve, times).request({ url, maxBytes: 1000, ...more });

  it('is returned completely, with any status except a redirect', async () => {
    const url = await answering((request, response) => {
      request.pipe(response.writeHead(429, { 'Retry-After': '7' }));
    });
    const answer = await ask(url, {
      method: 'POST',
      body: '{"a":1}',
      headers: { 'X-Api-Key': 'k' },
    });
    expect(answer).toMatchObject({ status: 429, headers: { 'retry-after': '7' } });
    expect(answer.body.toString()).toBe('{"a":1}');
  });

  it('is requested by host name, over a separate connection', async () => {
    const { url, heard } = await saying((socket) =>
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'),
    );
    process.env.http_proxy = 'http://127.0.0.1:1/';
    try {
      for (let i = 0; i < 2; i++) expect((await ask(url)).body.toString()).toBe('ok');
    } finally {
      delete process.env.http_proxy;
    }
    expect(heard).toHaveLength(2);
    expect(heard[0]).toContain(`Host: ${new URL(url).host}`);
    expect(heard[0]).toContain('Connection: close');
  });

  it('is read after its host name was resolved once', async () => {
    const asked: string[] = [];
    const url = await answering((_, response) => response.end('ok'));
    const rebinding = (host: string) => {
      asked.push(host);
      // The second lookup returns a different address.
      return Promise.resolve([asked.length === 1 ? '127.0.0.1' : '127.0.0.99']);
    };
    const client = new OutboundClient(LOOPBACK, rebinding, PATIENT);
    expect((await client.request({ url, maxBytes: 10 })).body.toString()).toBe('ok');
    expect(asked).toEqual(['loopback.test']);
  });

  it.each([301, 302, 303, 304, 307, 308, 399])(
    'with the status %i is a failure',
    async (status) => {
      const url = await answering((_, response) =>
        response.writeHead(status, { Location: 'http://169.254.169.254/' }).end(),
      );
      expect((await failureOf(ask(url))).failure).toBe('redirect');
    },
  );

  it('may be as long as the limit, and a longer one is aborted', async () => {
    const closed: Promise<unknown>[] = [];
    const url = await answering((request, response) => {
      closed.push(once(response, 'close'));
      const length = Number(request.headers['x-length']);
      response.write('x'.repeat(length));
      if (length === 1000) response.end();
      else setInterval(() => response.write('x'.repeat(65_536)), 1).unref();
    });
    const exact = await ask(url, { headers: { 'X-Length': '1000' } });
    expect(exact.body).toHaveLength(1000);
    const error = await failureOf(ask(url, { headers: { 'X-Length': '1001' } }));
    expect(error.failure).toBe('too_large');
    await closed[1];
  });

  const endless = (socket: Socket, head: string, line: (n: number) => string) => {
    socket.write(head);
    let n = 0;
    const more = () => {
      while (!socket.destroyed && socket.write(line(n++).repeat(50)));
    };
    socket.on('drain', more);
    more();
  };

  it.each<[string, (socket: Socket) => void, OutboundFailure]>([
    [
      'a flood of headers',
      (socket) => endless(socket, 'HTTP/1.1 200 OK\r\n', (n) => `X-${n}: y\r\n`),
      'broken',
    ],
    [
      'one header without end',
      (socket) => endless(socket, 'HTTP/1.1 200 OK\r\nX: ', () => 'yyyyyyyyyyyyyyyy'),
      'broken',
    ],
    [
      'trailers without end',
      (socket) =>
        endless(
          socket,
          'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n',
          (n) => `X-${n}: y\r\n`,
        ),
      'broken',
    ],
    [
      'a chunk extension without end',
      (socket) =>
        endless(
          socket,
          'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;',
          () => 'aaaaaaaaaaaaaaaa',
        ),
      'broken',
    ],
    ['no HTTP', (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'), 'broken'],
    [
      'less than it said',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok'),
      'broken',
    ],
    [
      'a chunk that is cut off',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nok'),
      'broken',
    ],
    ['nothing', (socket) => socket.end(), 'broken'],
    [
      'another protocol',
      (socket) =>
        socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
      'broken',
    ],
    [
      'two lengths',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok'),
      'broken',
    ],
  ])('with %s is a failure', async (_, speak, failure) => {
    const { url } = await saying(speak);
    const error = await failureOf(ask(url));
    expect(error.failure).toBe(failure);
    expect(error.message).not.toMatch(/127\.|SSH|X-0/);
  });

  it.each<[string, (socket: Socket) => void]>([
    ['never comes', () => undefined],
    [
      'comes a byte at a time',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n');
        const drip = setInterval(() => socket.write('x'), 5);
        socket.on('close', () => clearInterval(drip));
      },
    ],
    [
      'is announced for ever',
      (socket) => {
        const drip = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 5);
        socket.on('close', () => clearInterval(drip));
      },
    ],
  ])('that %s is abandoned', async (_, speak) => {
    const { url } = await saying(speak);
    const error = await failureOf(
      ask(url, { maxBytes: 10_000_000 }, { connectMs: 60_000, totalMs: 100 }),
    );
    expect(error.failure).toBe('timeout');
  });

  it('is abandoned if its host name is not resolved in time', async () => {
    const never = () => new Promise<readonly string[]>(() => undefined);
    const client = new OutboundClient(LOOPBACK, never, { connectMs: 20, totalMs: 60_000 });
    const error = await failureOf(client.request({ url: 'https://slow.test/', maxBytes: 1 }));
    expect(error).toMatchObject({ failure: 'timeout', host: 'slow.test' });
  });

  it('is abandoned if the connection is not established in time', async () => {
    const port = await portOf(createServer((socket) => socket.on('error', () => undefined)));
    const url = `https://loopback.test:${port}/`;
    const error = await failureOf(ask(url, {}, { connectMs: 50, totalMs: 60_000 }));
    expect(error.failure).toBe('timeout');
  });

  it('is abandoned if the calling job is cancelled', async () => {
    const { url } = await saying(() => stop.abort());
    const stop = new AbortController();
    expect((await failureOf(ask(url, { signal: stop.signal }))).failure).toBe('cancelled');
    expect((await failureOf(ask(url, { signal: stop.signal }))).failure).toBe('cancelled');
  });

  it('is an error with only the host if the port is closed', async () => {
    const server = createServer();
    const port = await portOf(server);
    await new Promise((closed) => server.close(closed));
    const error = await failureOf(ask(`http://loopback.test:${port}/`));
    expect(error.message).toBe('loopback.test cannot be reached');
  });

  describe('over TLS', () => {
    const withOpenssl = spawnSync('openssl', ['version']).status === 0 ? it : it.skip;

    function aCertificate(name: string) {
      const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.pem`)];
      const made = spawnSync('openssl', [
        ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
        ...[
          '-nodes',
          '-days',
          '2',
          '-subj',
          `/CN=${name}`,
          '-addext',
          `subjectAltName=DNS:${name}`,
        ],
        ...['-keyout', key, '-out', cert],
      ]);
      if (made.status !== 0) throw new Error(made.stderr.toString());
      return { cert, options: { key: readFileSync(key), cert: readFileSync(cert) } };
    }

    withOpenssl('needs a certificate signed by a known authority', async () => {
      const { options } = aCertificate('loopback.test');
      const port = await portOf(createHttpsServer(options, (_, response) => response.end('ok')));
      const error = await failureOf(ask(`https://loopback.test:${port}/`));
      expect(error.message).toBe('loopback.test has no valid certificate');
    });

    withOpenssl('asks by the name in handshake and header, and refuses another one’s', async () => {
      const { cert, options } = aCertificate('loopback.test');
      const port = await portOf(
        createHttpsServer(options, (request, response) => {
          const { servername } = request.socket as unknown as { servername: string };
          response.end(JSON.stringify({ servername, host: request.headers.host }));
        }),
      );
      const { spawn } = await import('node:child_process');
      const urls = ['loopback.test', 'other.test'].map((name) => `https://${name}:${port}/`);
      const child = spawn(process.execPath, tsProcess('outbound.asker', ...urls), {
        env: { PATH: process.env.PATH, NODE_EXTRA_CA_CERTS: cert },
      });
      let printed = '';
      child.stdout.on('data', (data: Buffer) => (printed += data.toString()));
      await once(child, 'close');
      expect(JSON.parse(printed)).toEqual([
        JSON.stringify({ servername: 'loopback.test', host: `loopback.test:${port}` }),
        'other.test has no valid certificate',
      ]);
    });
  });
});
