import { connect, type Socket } from 'node:net';
import request from 'supertest';
import { aLink, type MadeLink } from '../../support/factories/links';
import { clearOfHourEnd } from '../../support/clear-of-hour-end';
import { anAddress } from '../../support/http';
import { eventually, startService, type Service } from '../../support/service';

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0';

interface Answer {
  status: number;
  headers: Map<string, string>;
  /** Response headers, without values that vary. */
  head: string;
}

interface Figures {
  summary: { total_clicks: number; unique_clicks: number };
  metrics: object;
}

class Connection {
  private readonly socket: Socket;
  private received = '';
  private look = (): void => undefined;

  constructor({ port }: Service) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.on('data', (bytes) => {
      this.received += bytes.toString('latin1');
      this.look();
    });
    this.socket.on('error', () => undefined);
  }

  async ask(path: string, lines: readonly string[] = [], method = 'GET'): Promise<Answer> {
    this.received = '';
    this.socket.write([`${method} ${path} HTTP/1.1`, 'Host: a', ...lines, '', ''].join('\r\n'));
    await new Promise<void>((resolve) => {
      this.look = () => {
        if (this.isWhole(method)) resolve();
      };
    });
    const [head = ''] = this.received.split('\r\n\r\n');
    return {
      status: Number(head.slice(9, 12)),
      headers: headersOf(head),
      head: head.replace(/\r\n(?:X-Request-ID|Date): [^\r]+/g, ''),
    };
  }

  end(): void {
    this.socket.destroy();
  }

  private isWhole(method: string): boolean {
    const end = this.received.indexOf('\r\n\r\n');
    if (end === -1 || method === 'HEAD') return end !== -1;
    const length = Number(headersOf(this.received.slice(0, end)).get('content-length') ?? 0);
    return this.received.length >= end + 4 + length;
  }
}

function headersOf(head: string): Map<string, string> {
  const lines = head.split('\r\n').slice(1);
  return new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
}

// The first request on a connection takes a different path from later ones; without the fast path,
// they all do.
describe.each([{ JOURNAL_SYNC: 'interval' }, { JOURNAL_SYNC: 'always' }, { FAST_PATH: 'false' }])(
  'visits on one connection, %p',
  (env) => {
    let service: Service;
    let connections: Connection[];

    beforeAll(async () => {
      service = await startService({ env });
    });
    afterAll(() => service.stop());
    beforeEach(() => (connections = []));
    afterEach(() => {
      for (const connection of connections) connection.end();
    });

    function dial(): Connection {
      const connection = new Connection(service);
      connections.push(connection);
      return connection;
    }

    const figuresOf = async (link: MadeLink): Promise<Figures> => {
      // Uses several clients, because the test polls more often than one client's limit allows.
      const { body } = await request(service.url)
        .get(`/api/v1/public/stats/${link.alias}`)
        .set('X-Forwarded-For', anAddress());
      return (body as { stats: Figures }).stats;
    };
    const recorded = (link: MadeLink, clicks: number): Promise<void> =>
      eventually(
        `${clicks} clicks are stored`,
        async () => (await figuresOf(link)).summary.total_clicks === clicks,
      );

    it('all get the same response', async () => {
      const link = await aLink(service, { long_url: 'https://example.com/ü?a=b#c' });
      const one = dial();
      const answers: Answer[] = [];
      for (let i = 0; i < 10; i++) answers.push(await one.ask(`/${link.alias}`));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 302));
      expect(answers[0]?.headers.get('location')).toBe('https://example.com/%C3%BC?a=b#c');
      expect(new Set(answers.map(({ head }) => head)).size).toBe(1);
      const ids = answers.map(({ headers }) => headers.get('x-request-id'));
      expect(new Set(ids).size).toBe(10);
      for (const id of ids) expect(id).toMatch(/^req_[0-9a-f]{12}$/);
      for (const { headers } of answers) {
        const date = Date.parse(headers.get('date') ?? '');
        expect(Math.abs(Date.now() - date)).toBeLessThan(60_000);
      }
    });

    it('are recorded like visits on separate connections', async () => {
      await clearOfHourEnd();
      const [apart, together] = [await aLink(service), await aLink(service)];
      const one = dial();
      await one.ask('/health');
      const query = '?utm_source=news&utm_medium=mail&utm_campaign=autumn%20sale';
      for (let i = 0; i < 3; i++) {
        const lines = [
          `User-Agent: ${BROWSER}`,
          `Referer: https://news.example/${i}`,
          `X-Forwarded-For: ${anAddress()}`,
        ];
        await dial().ask(`/${apart.alias}${query}`, lines);
        await one.ask(`/${together.alias}${query}`, lines);
        await one.ask(`/${together.alias}`, lines.slice(1).reverse());
        await dial().ask(`/${apart.alias}/`, lines.slice(1));
      }
      await recorded(together, 6);
      await recorded(apart, 6);
      const [found, expected] = [await figuresOf(together), await figuresOf(apart)];
      expect(found.metrics).toEqual(expected.metrics);
      expect([found.summary.unique_clicks, expected.summary.unique_clicks]).toEqual([6, 6]);
      for (const detail of ['Firefox', 'news.example']) {
        expect(JSON.stringify(found.metrics)).toContain(detail);
      }
    });

    it('are rejected, counted and handled by Nest as on any connection', async () => {
      const open = await aLink(service);
      const twice = await aLink(service, { max_clicks: 2 });
      const locked = await aLink(service, { password: 'abc.12345' });
      const noBots = await aLink(service, { block_bots: true });
      const bot = ['User-Agent: Googlebot/2.1 (+http://www.google.com/bot.html)'];
      const one = dial();
      const statuses: number[] = [];
      for (const [path, lines, method] of [
        [`/${open.alias}`],
        [`/${twice.alias}`],
        [`/${open.alias}`, bot],
        [`/${twice.alias}`],
        [`/${locked.alias}`],
        [`/${locked.alias}`, ['X-Link-Password: abc.12345']],
        ['/nobody-has-this'],
        [`/${noBots.alias}`],
        [`/${noBots.alias}`, bot],
        [`/${twice.alias}`],
        [`/${open.alias}`, [], 'HEAD'],
        ['/health'],
        [`/${open.alias}`],
        [`/${open.alias}`, [], 'DELETE'],
        [`/${open.alias}/`],
      ] as [string, string[]?, string?][]) {
        statuses.push((await one.ask(path, lines, method)).status);
      }
      expect(statuses).toEqual([
        302, 302, 302, 302, 401, 302, 404, 302, 403, 410, 302, 200, 302, 405, 302,
      ]);
      await recorded(open, 4);
    });
  },
);
