import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../src/testing/eventually';
import type { Service } from './service';

/** The mails in the outbox to an address, oldest first. */
export function mailsTo(service: Service, email: string): string[] {
  const outbox = join(service.dataDir, 'outbox');
  try {
    return readdirSync(outbox)
      .filter((name) => name.endsWith('.eml'))
      .sort()
      .map((name) => readFileSync(join(outbox, name), 'utf8'))
      .filter((mail) => mail.includes(`\r\nTo: ${email}\r\n`));
  } catch {
    return [];
  }
}

/** The code in the newest mail to an address; waits for the `count`th such mail. */
export async function newestCode(service: Service, email: string, count = 1): Promise<string> {
  const codes = () => mailsTo(service, email).map((mail) => /^(\d{6})\r$/m.exec(mail)?.[1]);
  await eventually(() => codes().filter((code) => code !== undefined).length >= count);
  return codes().findLast((code) => code !== undefined) ?? '';
}
