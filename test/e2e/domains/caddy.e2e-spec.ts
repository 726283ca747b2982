import { ApiClient } from '../../support/api-client';
import { Caddy, describeWithCaddy } from '../../support/caddy';
import { DnsServer } from '../../support/dns-server';
import { limitsFile } from '../../support/limits';
import { freePort, type Service, startService } from '../../support/service';

const DOMAINS = '/api/v1/custom-domains';
/** The acceptance run uses a hundred. */
const COUNT = Number(process.env.DOMAINS_WITH_CADDY ?? 5);
const MAX_OF_ACCOUNT = 20;

describeWithCaddy('Certificates by Caddy', () => {
  let dns: DnsServer;
  let service: Service;
  let caddy: Caddy;
  let askPort: number;
  beforeAll(async () => {
    dns = await DnsServer.start();
    askPort = await freePort();
    service = await startService({
      env: {
        DNS_SERVERS: dns.address,
        TLS_ASK_ADDRESS: `127.0.0.1:${askPort}`,
        WEB_CONCURRENCY: '2',
        LIMITS_FILE: limitsFile({ 'domains.create': 'off', 'domains.verify': 'off' }),
      },
    });
    caddy = await Caddy.start(service.port, askPort);
  });
  afterAll(async () => {
    await caddy.stop();
    await service.stop();
    dns.stop();
  });

  const asked = async (name: string): Promise<number> =>
    (
      await fetch(`http://127.0.0.1:${askPort}/ask?domain=${name}`, {
        headers: { Connection: 'close' },
      })
    ).status;

  async function addAll(names: readonly string[], isProved: boolean): Promise<string[]> {
    const ids: string[] = [];
    for (let at = 0; at < names.length; at += MAX_OF_ACCOUNT) {
      const client = await ApiClient.on(service);
      for (const fqdn of names.slice(at, at + MAX_OF_ACCOUNT)) {
        const { body } = await client.call('post', DOMAINS, { fqdn });
        ids.push(body.id as string);
        if (!isProved) continue;
        dns.prove(fqdn, body.dns_records[0].value as string);
        const checked = await client.call('post', `${DOMAINS}/${body.id}/verify`);
        expect(checked.body.status).toBe('active');
      }
    }
    return ids;
  }

  it('are issued for each active domain at its first visit, and for no other domain', async () => {
    const names = (kind: string) =>
      Array.from({ length: COUNT }, (_, i) => `${kind}${i}.test.example`);
    await addAll(names('active'), true);
    await addAll(names('pending'), false);
    for (const name of names('active')) expect(await caddy.certificateOf(name)).toBe(`DNS:${name}`);
    for (const name of [...names('pending'), 'nobody.example']) {
      expect([name, await caddy.certificateOf(name)]).toEqual([name, null]);
    }
  });

  it('are denied in all processes after a domain is removed', async () => {
    const client = await ApiClient.on(service);
    const fqdn = 'removed.test.example';
    const { body } = await client.call('post', DOMAINS, { fqdn });
    dns.prove(fqdn, body.dns_records[0].value as string);
    await client.call('post', `${DOMAINS}/${body.id}/verify`);
    const all = () => Promise.all(Array.from({ length: 20 }, () => asked(fqdn)));
    expect(new Set(await all())).toEqual(new Set([200]));
    await client.call('delete', `${DOMAINS}/${body.id}`);
    expect(new Set(await all())).toEqual(new Set([404]));
    expect(await caddy.certificateOf(fqdn)).toBeNull();
  });
});
