import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';
import proxyAddr from 'proxy-addr';
import { VARIABLE_NAMES } from './environment.schema';
import { readSettings } from './settings';

interface ComposeService {
  image?: string;
  build?: string;
  profiles?: string[];
  restart?: string;
  ports?: string[];
  network_mode?: string;
  networks: string[] | Record<string, { ipv4_address: string }>;
  environment?: Record<string, string>;
  healthcheck?: { test: string[] };
  volumes?: string[];
  depends_on?: string[] | Record<string, object>;
}

interface ComposeFile {
  services: Record<string, ComposeService>;
  networks: Record<
    string,
    { internal?: boolean; ipam?: { config: { subnet: string; ip_range: string }[] } }
  >;
  volumes: Record<string, null>;
}

const fileOf = (name: string) => readFileSync(join(__dirname, '../..', name), 'utf8');
const { services, networks, volumes } = load(fileOf('docker-compose.yml')) as ComposeFile;
const caddyfile = fileOf('Caddyfile');
const dockerfile = fileOf('Dockerfile');

const REFERENCE = /\$\{(\w+):([-?])([^}]*)\}/g;

/** Returns a container's environment after Compose has replaced host variables. */
function environmentOf(name: string, outside: Record<string, string>): Record<string, string> {
  const entries = Object.entries(services[name]?.environment ?? {}).map(([key, value]) => [
    key,
    value.replace(REFERENCE, (_, variable: string, kind: string, fallback: string) => {
      const set = outside[variable] ?? '';
      if (set === '' && kind === '?') throw new Error(`${variable}: ${fallback}`);
      return set === '' ? fallback : set;
    }),
  ]);
  return Object.fromEntries(entries) as Record<string, string>;
}

/** Returns the names of the services that start with this profile or without a profile. */
const started = (profile?: string) =>
  Object.keys(services).filter((name) => {
    const profiles = services[name]?.profiles;
    return profiles === undefined || (profile !== undefined && profiles.includes(profile));
  });

const SECRET = { JWT_SECRET: 'a long random text of a test' };

describe('docker-compose.yml', () => {
  it('starts the service and its databases, and a proxy or a mail server for tests on request', () => {
    expect(started()).toEqual(['app', 'mongo', 'redis']);
    expect(started('https')).toEqual(['app', 'mongo', 'redis', 'caddy']);
    expect(started('dev')).toEqual(['app', 'mongo', 'redis', 'mail']);
    for (const name of started()) {
      const needed = services[name]?.depends_on ?? {};
      const names = Array.isArray(needed) ? needed : Object.keys(needed);
      expect(started()).toEqual(expect.arrayContaining(names));
    }
  });

  it('publishes only the proxy to other machines', () => {
    const open = Object.entries(services).flatMap(([name, { ports = [] }]) =>
      ports.filter((port) => !/^127\.0\.0\.1:\d+:\d+$/.test(port)).map((port) => [name, port]),
    );
    expect(open).toEqual([
      ['caddy', '80:80'],
      ['caddy', '443:443'],
      ['caddy', '443:443/udp'],
    ]);
    expect(services.app?.ports).toEqual(['127.0.0.1:8000:8000']);
    expect(services.mail?.ports).toEqual(['127.0.0.1:8025:8025']);
    expect(Object.values(services).filter(({ network_mode: mode }) => mode)).toEqual([]);
  });

  it('connects the databases only to their own network, without access to other networks', () => {
    for (const name of ['mongo', 'redis']) {
      expect(services[name]?.networks).toEqual(['back']);
      expect(services[name]?.ports).toBeUndefined();
    }
    expect(networks.back).toEqual({ internal: true });
    expect(services.app?.networks).toEqual(['front', 'back']);
  });

  it('restarts all services after a crash or a reboot, and checks their health', () => {
    for (const [name, { restart, healthcheck }] of Object.entries(services)) {
      expect([name, restart]).toEqual([name, 'unless-stopped']);
      expect([name, (healthcheck?.test.length ?? 0) > 1]).toEqual([name, name !== 'app']);
    }
    expect(dockerfile).toMatch(/^HEALTHCHECK /m);
    expect(services.mongo?.healthcheck?.test.at(-1)).toContain("rs.initiate({ _id: 'rs0'");
  });

  it('specifies at least the minor version of every image', () => {
    for (const { image, build } of Object.values(services)) {
      if (build === undefined) expect(image).toMatch(/^[a-z/]+:v?\d+\.\d+[\w.-]*$/);
    }
  });

  it('passes every setting to the service under the same name', () => {
    const environment = services.app?.environment ?? {};
    expect(Object.keys(environment).sort()).toEqual([...VARIABLE_NAMES].sort());
    const fixed = { PORT: '8000', HOST: '0.0.0.0', DATA_DIR: '/data' };
    expect(environment).toMatchObject(fixed);
    for (const [name, value] of Object.entries(environment)) {
      if (name in fixed) continue;
      const [reference, ...others] = [...value.matchAll(REFERENCE)];
      expect([name, reference?.[1], others]).toEqual([name, name, []]);
      expect(reference?.[0]).toBe(value);
    }
  });

  it('starts without a secret, because the service generates one in its volume', () => {
    const { jwtSecret, data } = readSettings(environmentOf('app', {}));
    expect([jwtSecret, data.dir]).toEqual([null, '/data']);
    expect(services.app?.volumes).toContain('app-data:/data');
  });

  it('also reads the secret from a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'curtail-compose-'));
    const JWT_SECRET_FILE = join(folder, 'jwt-secret');
    writeFileSync(JWT_SECRET_FILE, `${SECRET.JWT_SECRET}\n`);
    const settings = readSettings(environmentOf('app', { JWT_SECRET_FILE }));
    rmSync(folder, { recursive: true });
    expect(settings).toEqual(readSettings(environmentOf('app', SECRET)));
  });

  it("passes valid settings, with the service's defaults for absent ones", () => {
    const settings = readSettings(environmentOf('app', SECRET));
    const alone = {
      ...SECRET,
      TRUST_PROXY: '172.31.255.2',
      DATA_DIR: '/data',
      MONGODB_URI: 'mongodb://mongo:27017/curtail?replicaSet=rs0',
      REDIS_URL: 'redis://redis:6379',
    };
    expect(settings).toEqual(readSettings(alone));
    expect(settings.http.cookieSecure).toBe(true);
    const BASE_URL = 'https://go.test';
    expect(readSettings(environmentOf('app', { ...SECRET, BASE_URL })).http).toMatchObject({
      baseUrl: BASE_URL,
      cookieSecure: true,
    });
  });

  it('trusts the proxy, whose fixed address no other container can get', () => {
    const { trustProxy } = readSettings(environmentOf('app', SECRET)).http;
    const trusts = proxyAddr.compile(String(trustProxy));
    const { front } = services.caddy?.networks as Record<string, { ipv4_address: string }>;
    expect(trusts(front!.ipv4_address, 0)).toBe(true);
    const [config] = networks.front?.ipam?.config ?? [];
    expect(proxyAddr.compile(config!.subnet)(front!.ipv4_address, 0)).toBe(true);
    expect(proxyAddr.compile(config!.ip_range)(front!.ipv4_address, 0)).toBe(false);
    // The gateway, which is the sender address of all traffic through a published port.
    expect(trusts('172.31.255.1', 0)).toBe(false);
  });

  it('keeps persistent data in volumes', () => {
    const kept = Object.values(services).flatMap((service) => service.volumes ?? []);
    const named = kept.filter((volume) => !volume.startsWith('./'));
    expect(named).toEqual([
      'app-data:/data',
      'mongo-data:/data/db',
      'caddy-data:/data',
      'caddy-config:/config',
    ]);
    expect(Object.keys(volumes)).toEqual(named.map((volume) => volume.split(':')[0]));
    const mounted = kept.filter((volume) => volume.startsWith('./'));
    expect(mounted).toEqual(['./config:/config:ro', './Caddyfile:/etc/caddy/Caddyfile:ro']);
  });
});

describe('Caddyfile', () => {
  const lines = caddyfile
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));

  it('forwards requests for the BASE_URL host to the service, except for its metrics', () => {
    expect(lines).toEqual(['{$BASE_URL} {', 'respond /metrics 404', 'reverse_proxy app:8000', '}']);
    expect(Object.keys(services.caddy?.environment ?? {})).toEqual(['BASE_URL']);
    const own = environmentOf('app', SECRET);
    expect(lines).toContain(`reverse_proxy app:${own.PORT ?? ''}`);
    expect(environmentOf('caddy', {}).BASE_URL).toBe(own.BASE_URL);
  });
});

describe('the release workflow', () => {
  it('publishes one image for both architectures for each tag, with provenance and contents', () => {
    const workflow = load(fileOf('.github/workflows/release.yml')) as {
      on: object;
      jobs: { image: { steps: { uses: string; with?: object }[] } };
    };
    expect(workflow.on).toEqual({ push: { tags: ['v*.*.*'] } });
    const build = workflow.jobs.image.steps.find(({ uses }) => uses.includes('build-push-action'));
    expect(build?.with).toMatchObject({
      platforms: 'linux/amd64,linux/arm64',
      push: true,
      provenance: 'mode=max',
      sbom: true,
    });
  });
});
