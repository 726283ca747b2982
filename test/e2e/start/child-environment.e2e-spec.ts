import { readFileSync } from 'node:fs';
import { enginePid, recorderPid } from '../../support/processes';
import { type Service, startService } from '../../support/service';

const SECRETS = {
  JWT_SECRET: 'signing-secret-of-this-test',
  SMTP_URL: 'smtp://mailer:mail-secret-of-this-test@127.0.0.1:9',
  REDIS_URL: 'redis://:redis-secret-of-this-test@127.0.0.1:9',
  GOOGLE_CLIENT_ID: 'google-client',
  GOOGLE_CLIENT_SECRET: 'google-secret-of-this-test',
  OIDC_ISSUER: 'http://127.0.0.1:9',
  OIDC_CLIENT_ID: 'oidc-client',
  OIDC_CLIENT_SECRET: 'oidc-secret-of-this-test',
  // A variable for another program in the same environment.
  SOME_CLOUD_TOKEN: 'cloud-secret-of-this-test',
  HTTPS_PROXY: 'http://me:proxy-secret-of-this-test@127.0.0.1:9',
};
/** Apart from these, a child needs only its IPC channel's variables. */
const HARMLESS =
  /^(PATH|HOME|USER|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|XDG_CACHE_HOME|LD_\w+|NODE_CHANNEL_\w+)$/;

function environmentOf(pid: number): Map<string, string> {
  const entries = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean);
  return new Map(
    entries.map((entry) => [entry.split('=', 1)[0]!, entry.slice(entry.indexOf('=') + 1)]),
  );
}

describe('The environment of child processes', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ embedded: true, env: { ...SECRETS, TZ: 'Europe/Lisbon' } });
  });
  afterAll(() => service.stop());

  it('contains only harmless settings for the database engine', () => {
    const environment = environmentOf(enginePid(service));
    expect([...environment.keys()].filter((name) => !HARMLESS.test(name))).toEqual([]);
    expect(environment.get('PATH')).toBe(process.env.PATH);
    expect(environment.get('TZ')).toBe('Europe/Lisbon');
  });

  it('adds only CURTAIL_RECORDER for the recorder', () => {
    const environment = environmentOf(recorderPid(service));
    expect([...environment.keys()].filter((name) => !HARMLESS.test(name))).toEqual([
      'CURTAIL_RECORDER',
    ]);
    const text = [...environment.values()].join('\n');
    for (const secret of Object.values(SECRETS)) expect(text).not.toContain(secret);
  });
});
