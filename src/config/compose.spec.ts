import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { readSettings } from './settings';

interface ComposeService {
  image?: string;
  restart?: string;
  ports?: string[];
  network_mode?: string;
  environment?: Record<string, string>;
}

const text = readFileSync(join(__dirname, '../../docker-compose.yml'), 'utf8');
const { services } = load(text) as { services: Record<string, ComposeService> };

/** The environment of a container, as compose fills it in from what is set outside of it. */
function environmentOf(name: string, outside: Record<string, string>): Record<string, string> {
  const entries = Object.entries(services[name]?.environment ?? {}).map(([key, value]) => {
    const filled = value.replace(
      /\$\{(\w+):[-?]([^}]*)\}/g,
      (_, variable: string, fallback: string) => outside[variable] || fallback,
    );
    return [key, filled];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

describe('docker-compose.yml', () => {
  it('publishes nothing but the service to other machines', () => {
    const open = Object.entries(services).flatMap(([name, { ports = [] }]) =>
      ports.filter((port) => !/^127\.0\.0\.1:\d+:\d+$/.test(port)).map((port) => [name, port]),
    );
    expect(open).toEqual([['app', '8000:8000']]);
    expect(Object.values(services).filter(({ network_mode: mode }) => mode)).toEqual([]);
    expect(services.mongo?.ports).toBeUndefined();
    expect(services.redis?.ports).toBeUndefined();
    expect(services.mail?.ports).toEqual(['127.0.0.1:8025:8025']);
  });

  it('starts everything again after a crash or a restart of the machine', () => {
    const policies = Object.values(services).map(({ restart }) => restart);
    expect(new Set(policies)).toEqual(new Set(['unless-stopped']));
  });

  it('names a version of every image', () => {
    for (const { image } of Object.values(services)) {
      if (image !== undefined) expect(image).toMatch(/^[a-z/]+:v?\d[\w.-]*$/);
    }
  });

  it('makes settings that the service takes, with secure cookies behind https', () => {
    const secret = { JWT_SECRET: 'a long random text of a test' };
    expect(readSettings(environmentOf('app', secret)).http.trustProxy).toBe(false);
    const settings = readSettings(
      environmentOf('app', { ...secret, BASE_URL: 'https://go.test', TRUST_PROXY: '10.0.0.0/8' }),
    );
    expect(settings.http).toMatchObject({
      baseUrl: 'https://go.test',
      cookieSecure: true,
      trustProxy: '10.0.0.0/8',
    });
  });
});
