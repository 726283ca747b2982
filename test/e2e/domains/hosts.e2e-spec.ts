import { connect, type Socket } from 'node:net';
import request from 'supertest';
import { aVerifiedAccount, type TestAccount } from '../../support/factories/accounts';
import { storedDomain } from '../../support/factories/domains';
import { anAddress, bearer } from '../../support/http';
import { startService, type Service } from '../../support/service';

const BASE_URL = 'http://go.example.com:8000';
const ONE = 'one.example.net';
const TWO = 'two.example.net';
const TAKEN_OVER = 'sold.example.net';

class Connection {
  private readonly socket: Socket;
  private received = '';
  private isOver = false;
  private look = (): void => undefined;

  constructor({ port }: Service) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.on('data', (bytes) => {
      this.received += bytes.toString('latin1');
      this.look();
    });
    this.socket.on('close', () => {
      this.isOver = true;
      this.look();
    });
    this.socket.on('error', () => undefined);
  }

  async ask(target: string, ...lines: readonly string[]): Promise<string> {
    this.received = '';
    this.socket.write(
      Buffer.from([`GET ${target} HTTP/1.1`, ...lines, '', ''].join('\r\n'), 'latin1'),
    );
    await new Promise<void>((resolve) => {
      this.look = () => {
        if (this.isOver || this.isWhole()) resolve();
      };
      this.look();
    });
    const [, location = ''] = /\r\nLocation: ([^\r]*)/.exec(this.received) ?? [];
    return `${this.received.slice(9, 12)} ${location}`.trim();
  }

  end(): void {
    this.socket.destroy();
  }

  private isWhole(): boolean {
    const end = this.received.indexOf('\r\n\r\n');
    const [, length = '0'] = /\r\nContent-Length: (\d+)/i.exec(this.received) ?? [];
    return end !== -1 && this.received.length >= end + 4 + Number(length);
  }
}

describe.each([{ FAST_PATH: 'true' }, { FAST_PATH: 'false' }])('a host, %p', (paths) => {
  const env = { BASE_URL, ...paths };
  let service: Service;
  let owner: TestAccount;
  let ids: Record<string, string>;
  let connection: Connection;
  let other: TestAccount;

  async function made(input: object, account = owner): Promise<Record<string, unknown>> {
    const answer = await request(service.url)
      .post('/api/v1/shorten')
      .set(bearer(account.accessToken))
      .set('X-Forwarded-For', anAddress())
      .send(input);
    expect(answer.status).toBe(201);
    return answer.body as Record<string, unknown>;
  }

  beforeAll(async () => {
    const first = await startService({ env });
    owner = await aVerifiedAccount(first);
    other = await aVerifiedAccount(first);
    ids = {
      [ONE]: await storedDomain(first, owner, ONE, { root_redirect: 'https://root.example/ä' }),
      [TWO]: await storedDomain(first, owner, TWO, {
        not_found_redirect: 'https://lost.example/',
        robots: 'User-agent: *\nDisallow: /',
      }),
      former: await storedDomain(first, owner, TAKEN_OVER, { status: 'revoked' }),
      [TAKEN_OVER]: await storedDomain(first, other, TAKEN_OVER),
      suspended: await storedDomain(first, owner, 'idle.example.net', { status: 'suspended' }),
      revoked: await storedDomain(first, owner, 'gone.example.net', { status: 'revoked' }),
      ours: await storedDomain(first, other, 'go.example.com'),
    };
    const { dataDir, database, port } = first;
    await first.kill('SIGTERM');
    service = await startService({ env, dataDir, database, port });
    await made({ long_url: 'https://base.example/', alias: 'same' });
    await made({ long_url: 'https://one.example/', alias: 'same', domain: ONE });
    await made({ long_url: 'https://two.example/', alias: 'same', domain: TWO });
    await made(
      { long_url: 'https://new.example/', alias: 'new-holder', domain: TAKEN_OVER },
      other,
    );
    await made({ long_url: 'https://login.example/', alias: 'login', domain: ONE });
    await made({ long_url: 'https://api.example/', alias: 'api', domain: ONE });
  });
  afterAll(() => service.stop());
  beforeEach(() => (connection = new Connection(service)));
  afterEach(() => connection.end());

  it('has its own destination for an alias, even if each request has another host', async () => {
    const asked = [ONE, TWO, 'go.example.com:8000', ONE, 'go.example.com', TWO, 'localhost', ONE];
    const answers: string[] = [];
    for (const host of asked) answers.push(await connection.ask('/same', `Host: ${host}`));
    const [one, two, base] = ['one', 'two', 'base'].map((name) => `302 https://${name}.example/`);
    expect(answers).toEqual([one, two, base, one, base, two, base, one]);
  });

  const [BASE, FIRST, SECOND] = [
    '302 https://base.example/',
    '302 https://one.example/',
    '302 https://two.example/',
  ];

  // Sends two requests per connection: Node parses the first, the fast path the second.
  it.each([
    ['/same', [`Host: ${ONE.toUpperCase()}`], FIRST],
    ['/same', ['Host: One.Example.Net.'], FIRST],
    ['/same', [`Host: ${ONE}:80`], FIRST],
    ['/same', [`Host: ${ONE}:8000`], FIRST],
    ['/same', [`Host: ${ONE}.:443`], FIRST],
    ['/same', [`Host: ${ONE}:`], FIRST],
    ['/same', [`hOsT:\t${ONE}\t`], FIRST],
    ['/same', [`Host: ${ONE}..`], BASE],
    ['/same', [`Host: .${ONE}`], BASE],
    ['/same', [`Host: www.${ONE}`], BASE],
    ['/same', [`Host: ${ONE}.evil.test`], BASE],
    ['/same', ['Host: example.net'], BASE],
    ['/same', ['Host: one%2Eexample.net'], BASE],
    ['/same', ['Host: %6Fne.example.net'], BASE],
    ['/same', ['Host: xn--one-.example.net'], BASE],
    ['/same', ['Host: xn--mnchen-3ya.example'], BASE],
    ['/same', ['Host: m%C3%BCnchen.example'], BASE],
    ['/same', ['Host: 127.0.0.1'], BASE],
    ['/same', ['Host: 127.1:8000'], BASE],
    ['/same', ['Host: [::1]:8000'], BASE],
    ['/same', ['Host: 0x7f000001'], BASE],
    ['/same', [`Host: ${'a'.repeat(300)}.example.net`], BASE],
    ['/same', ['Host: GO.EXAMPLE.COM.'], BASE],
    ['/same', ['Host: go.example.com:1'], BASE],
    ['/same', ['Host: go.example.com', `X-Forwarded-Host: ${ONE}`], BASE],
    ['/same', ['Host: go.example.com', `X-Original-Host: ${ONE}`], BASE],
    ['/same', ['Host: go.example.com', `Forwarded: host=${ONE}`], BASE],
    ['/same', [`Host: ${ONE}`, 'X-Forwarded-Host: go.example.com'], FIRST],
    ['/same', [`Host: ${ONE}`, `X-Forwarded-Host: ${TWO}`], FIRST],
    ['/same', ['Host:'], BASE],
    ['/same', ['Host: .'], BASE],
    [`http://${TWO}/same`, [`Host: ${ONE}`], SECOND],
    [`HTTP://${TWO.toUpperCase()}.:80/same`, [`Host: ${ONE}`], SECOND],
    ['http://go.example.com/same', [`Host: ${ONE}`], BASE],
    ['http://nobody.test/same', [`Host: ${ONE}`], BASE],
    [`ftp://${TWO}/same`, [`Host: ${ONE}`], SECOND],
    [`/http://${TWO}/same`, [`Host: ${ONE}`], '404'],
    [`//${TWO}/same`, [`Host: ${ONE}`], '404'],
    [`/${ONE}/same`, ['Host: go.example.com'], '404'],
    [`/${ONE}%2Fsame`, ['Host: go.example.com'], '404'],
    [`/${TWO}%2Fsame`, [`Host: ${ONE}`], '404'],
    ['/{one}/same', ['Host: go.example.com'], '404'],
    ['/{one}%2Fsame', ['Host: go.example.com'], '404'],
    ['/{one}%252Fsame', ['Host: go.example.com'], '404'],
    ['/{one}%5Csame', ['Host: go.example.com'], '404'],
    ['/{one}\u00c0\u00afsame', ['Host: go.example.com'], '400'],
    ['/{one}%2Fsame', [`Host: ${TWO}`], '302 https://lost.example/'],
    ['/..%2F{one}%2Fsame', [`Host: ${TWO}`], '302 https://lost.example/'],
    ['/same', ['Host: {one}'], BASE],
    ['/same', [`Host: ${ONE}`, `Host: ${TWO}`], '400'],
    ['/same', [`Host: ${ONE}`, `host: ${ONE}`], '400'],
    ['/same', [`Host: ${ONE},${TWO}`], '400'],
    ['/same', [`Host: ${ONE}, go.example.com`], '400'],
    ['/same', [`Host: u@${ONE}`], '400'],
    ['/same', [`Host: ${ONE}/same`], '400'],
    ['/same', [`Host: ${ONE}?x`], '400'],
    ['/same', [`Host: ${ONE}#x`], '400'],
    ['/same', [`Host: ${ONE}:x`], '400'],
    ['/same', [`Host: ${ONE}:65536`], '400'],
    ['/same', ['Host: [::1'], '400'],
    ['/same', [`Host: ${ONE} ${TWO}`], '400'],
    ['/same', [`Host: ${ONE}\u00e4`], '400'],
    ['/same', [], '400'],
    [`http://u@${ONE}/same`, [`Host: ${ONE}`], '400'],
    [`http://${ONE},${TWO}/same`, [`Host: ${ONE}`], '400'],
    ['http:///same', [`Host: ${ONE}`], '400'],
    ['/new-holder', [`Host: ${TAKEN_OVER}`], '302 https://new.example/'],
    ['/new-holder', ['Host: go.example.com'], '404'],
    ['/same', [`Host: ${TAKEN_OVER}`], '404'],
    ['/same', ['Host: idle.example.net'], '404'],
    ['/', ['Host: idle.example.net'], '404'],
    ['/health', ['Host: gone.example.net'], '404'],
    ['/same', ['Host: gone.example.net'], '404'],
    ['/login', [`Host: ${ONE}`], '302 https://login.example/'],
    ['/LOGIN', [`Host: ${ONE}`], '404'],
    ['/api', [`Host: ${ONE}`], '302 https://api.example/'],
    ['/', [`Host: ${ONE}`], '302 https://root.example/%C3%A4'],
    ['/', [`Host: ${TWO}`], '404'],
    ['/nothing', [`Host: ${ONE}`], '404'],
    ['/nothing', [`Host: ${TWO}`], '302 https://lost.example/'],
    ['/api/v1/urls', [`Host: ${ONE}`], '404'],
    ['/api/v1/urls', [`Host: ${TWO}`], '302 https://lost.example/'],
    ['/health', [`Host: ${ONE}`], '404'],
    ['/login', [`Host: ${TWO}`], '302 https://lost.example/'],
    ['/%6Cogin', [`Host: ${ONE}`], '302 https://login.example/'],
    ['/dashboard', [`Host: ${ONE}`], '404'],
    ['/docs', [`Host: ${ONE}`], '404'],
    ['/stats/same', [`Host: ${ONE}`], '404'],
    ['/static/app/index.js', [`Host: ${ONE}`], '404'],
    ['/static/curtail.css', [`Host: ${ONE}`], '200'],
    ['/STATIC/curtail.css', [`Host: ${ONE}`], '404'],
    ['/favicon.ico', [`Host: ${ONE}`], '200'],
    ['/robots.txt', [`Host: ${TWO}`], '200'],
    ['/.well-known/security.txt', [`Host: ${ONE}`], '404'],
    ['/.well-known/assetlinks.json', [`Host: ${ONE}`], '404'],
    ['/same+', [`Host: ${ONE}`], '200'],
    ['/same/qr.svg', [`Host: ${TWO}`], '200'],
    ['/nothing/qr.svg', [`Host: ${TWO}`], '302 https://lost.example/'],
    ['/nothing+', [`Host: ${TWO}`], '302 https://lost.example/'],
    ['/metrics', [`Host: ${ONE}`], '404'],
  ] as [string, string[], string][])(
    'requested for %s with %j returns %s',
    async (path, lines, expected) => {
      const filled = (text: string): string => text.replaceAll('{one}', ids[ONE] ?? '');
      const [target, ...heads] = [path, ...lines].map(filled) as [string, ...string[]];
      expect(await connection.ask(target, ...heads)).toBe(expected);
      const again = new Connection(service);
      await again.ask('/same', 'Host: go.example.com');
      expect(await again.ask(target, ...heads)).toBe(expected);
      again.end();
    },
  );

  it("is not the host of an alias that contains a domain's id", async () => {
    const names = [`${ids[ONE]}/same`, `${ids[ONE]}%2Fsame`];
    for (const name of names) {
      const code = encodeURIComponent(name);
      for (const path of [
        `/api/v1/public/stats/${code}`,
        `/api/v1/stats?scope=anon&short_code=${code}`,
        `/stats/${code}`,
        `/${code}+`,
        `/${code}/qr.svg`,
      ]) {
        const answer = await request(service.url).get(path).set('X-Forwarded-For', anAddress());
        expect(`${path} ${answer.status}`).toBe(`${path} 404`);
      }
      const { body } = await request(service.url)
        .get(`/api/v1/shorten/check-alias?alias=${code.slice(0, 64)}`)
        .set('X-Forwarded-For', anAddress());
      expect(body).toMatchObject({ available: false });
    }
  });

  it('that is a domain has no cookies, no CORS headers and no pages of the service', async () => {
    const ask = (method: 'get' | 'post' | 'options', path: string) =>
      request(service.url)[method](path).redirects(0).set({
        Host: ONE,
        Origin: 'https://x.example',
        Cookie: owner.cookies,
        Accept: 'text/html',
      });
    const preview = await ask('get', '/same+');
    expect(preview.text).toContain(`http://${ONE}:8000/same`);
    expect(preview.text).toContain(`href="${BASE_URL}/"`);
    expect(preview.text).toContain('href="/same"');
    expect(preview.text).not.toContain(owner.email);
    expect(preview.headers).not.toHaveProperty('set-cookie');
    for (const [method, path, status] of [
      ['options', '/same', 405],
      ['post', '/same', 405],
      ['post', '/', 405],
      ['post', '/api/v1/shorten', 404],
      ['options', '/api/v1/shorten', 404],
    ] as const) {
      const answer = await ask(method, path);
      expect(`${method} ${path} ${answer.status}`).toBe(`${method} ${path} ${status}`);
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    }
    const root = await ask('get', '/');
    expect(root.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex, nofollow',
      'x-content-type-options': 'nosniff',
    });
    const { text } = await request(service.url).get('/robots.txt').set('Host', TWO);
    expect(text).toBe('User-agent: *\nDisallow: /');
    expect((await request(service.url).get('/robots.txt').set('Host', ONE)).status).toBe(200);
  });

  it('that is a domain asks for passwords and accepts them', async () => {
    await made({
      long_url: 'https://secret.example/',
      alias: 'docs',
      domain: ONE,
      password: 'tulips@2030',
    });
    const form = await request(service.url).get('/docs').set({ Host: ONE, Accept: 'text/html' });
    expect(form.status).toBe(401);
    expect(form.text).toContain('action="/docs/password"');
    const opened = await request(service.url)
      .post('/docs/password')
      .redirects(0)
      .set({ Host: ONE, 'X-Forwarded-For': anAddress() })
      .type('form')
      .send({ password: 'tulips@2030' });
    expect([opened.status, opened.headers.location]).toEqual([303, 'https://secret.example/']);
    const elsewhere = await request(service.url).post('/docs/password').set('Host', TWO);
    expect(elsewhere.status).toBe(404);
  });
});

it('that no account has returns 404 with STRICT_HOSTS', async () => {
  const service = await startService({ env: { BASE_URL, STRICT_HOSTS: 'true' } });
  const connection = new Connection(service);
  expect(await connection.ask('/health', 'Host: 10.0.0.1')).toBe('200');
  expect(await connection.ask('/', 'Host: 10.0.0.1')).toBe('404');
  expect(await connection.ask('/', 'Host: nobody.test')).toBe('404');
  expect(await connection.ask('/', 'Host: GO.example.com:1')).toBe('200');
  connection.end();
  await service.stop();
});
