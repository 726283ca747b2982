import request from 'supertest';
import { eventually, type Service } from './service';

interface Health {
  code: number;
  status: string;
  checks: { database: string; cache: string; mail: string; clickhouse: string; recording: string };
  hint?: string;
}

export async function health(service: Service): Promise<Health> {
  const answer = await request(service.url).get('/health');
  return { code: answer.status, ...(answer.body as Omit<Health, 'code'>) };
}

/** Waits until a process reports the expected health. Returns that response. */
export async function becomes(service: Service, status: string): Promise<Health> {
  let latest: Health | undefined;
  await eventually(`the service is ${status}`, async () => {
    try {
      latest = await health(service);
      return latest.status === status;
    } catch {
      return false;
    }
  });
  if (latest === undefined) throw new Error('/health was never asked');
  return latest;
}
