import request from 'supertest';
import type { Service } from './service';
import { eventually } from './service';

interface Health {
  code: number;
  status: string;
  checks: { database: string; cache: string; mail: string };
}

/** GET /health, whatever it says. */
export async function health(service: Service): Promise<Health> {
  const answer = await request(service.url).get('/health');
  return { code: answer.status, ...(answer.body as Omit<Health, 'code'>) };
}

/** Waits until the service calls itself what is asked for. */
export async function becomes(service: Service, status: string, timeoutMs = 30_000): Promise<void> {
  await eventually(
    `the service is ${status}`,
    async () => {
      try {
        return (await health(service)).status === status;
      } catch {
        return false;
      }
    },
    timeoutMs,
  );
}
