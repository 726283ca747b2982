import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cleanClone, replay, type ReplayedStage } from '../../support/dockerfile';
import { eventually, freePort } from '../../support/service';

const REPOSITORY = join(__dirname, '..', '..', '..');

jest.setTimeout(1_200_000);

describe('the image', () => {
  const folder = mkdtempSync(join(tmpdir(), 'curtail-image-'));
  let image: ReplayedStage;
  beforeAll(() => {
    const context = join(folder, 'context');
    cleanClone(REPOSITORY, context);
    image = replay(join(REPOSITORY, 'Dockerfile'), context, folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

  it('runs as an ordinary user and contains neither sources nor build tools', () => {
    expect(image.user).toBe('node');
    const packages = join(image.root, 'app', 'node_modules');
    expect(existsSync(join(packages, '@nestjs', 'core'))).toBe(true);
    for (const path of ['typescript', '@swc/core', '@nestjs/cli', 'jest']) {
      expect([path, existsSync(join(packages, path))]).toEqual([path, false]);
    }
    expect(existsSync(join(image.root, 'app', 'src'))).toBe(false);
  });

  it.each(['this', '20.19'])(
    'runs, is healthy and audits itself with %s Node.js',
    async (release) => {
      const node = release === 'this' ? process.execPath : fetchNode(release);
      const container = await Container.start(image, node);
      try {
        await eventually('it is healthy', () => container.isHealthy());
        const made = await fetch(`${container.url}/api/v1/shorten`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: '{"long_url": "https://example.com/image", "password": "Open-sesame.1"}',
        });
        expect(made.status).toBe(201);
        const { short_url: shortUrl } = (await made.json()) as { short_url: string };
        const followed = await fetch(shortUrl, {
          redirect: 'manual',
          headers: { 'X-Link-Password': 'Open-sesame.1' },
        });
        expect(followed.headers.get('Location')).toBe('https://example.com/image');
        expect((await fetch(`${container.url}/`)).status).toBe(200);
        expect((await fetch(`${container.url}/static/curtail.css`)).status).toBe(200);
        expect(container.run('curtail', '--help').stdout).toContain('verify');
        await eventually('the click is stored', () =>
          container.run('curtail', 'verify').stdout.includes('1 link, 1 click, 0 differences'),
        );
        expect(container.run('curtail', 'verify').status).toBe(0);
        expect(container.run('curtail', 'unknown').status).toBe(2);
      } finally {
        expect(await container.stop()).toBe(0);
      }
      expect(container.isHealthy()).toBe(false);
    },
  );

  function fetchNode(version: string): string {
    const script = join(REPOSITORY, 'scripts', 'fetch-node.mjs');
    const { stdout } = spawnSync(process.execPath, [script, version], { encoding: 'utf8' });
    return stdout.trim();
  }
});

class Container {
  private constructor(
    private readonly image: ReplayedStage,
    private readonly node: string,
    private readonly port: number,
    private readonly process: ChildProcess,
    private readonly ended: Promise<number | null>,
  ) {}

  static async start(image: ReplayedStage, node: string): Promise<Container> {
    const port = await freePort();
    rmSync(join(image.root, 'data'), { recursive: true, force: true });
    mkdirSync(join(image.root, 'data'));
    const [command = '', ...args] = image.cmd;
    const child = spawn(command, args, {
      cwd: join(image.root, image.workdir),
      env: environment(image, node, port),
      stdio: 'inherit',
    });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    return new Container(image, node, port, child, ended);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  isHealthy(): boolean {
    const [command = '', ...args] = this.image.healthcheck;
    return this.run(command, ...args).status === 0;
  }

  run(command: string, ...args: string[]): { status: number | null; stdout: string } {
    const { status, stdout } = spawnSync(command, args, {
      cwd: join(this.image.root, this.image.workdir),
      env: environment(this.image, this.node, this.port),
      encoding: 'utf8',
    });
    return { status, stdout };
  }

  async stop(): Promise<number | null> {
    this.process.kill('SIGTERM');
    return this.ended;
  }
}

function environment(image: ReplayedStage, node: string, port: number): NodeJS.ProcessEnv {
  return {
    ...image.env,
    PATH: [join(image.root, 'usr/local/bin'), dirname(node), process.env.PATH].join(':'),
    HOME: process.env.HOME,
    XDG_CACHE_HOME: process.env.XDG_CACHE_HOME,
    HOST: '127.0.0.1',
    PORT: String(port),
    BASE_URL: `http://127.0.0.1:${port}`,
    LOG_LEVEL: 'warn',
  };
}
