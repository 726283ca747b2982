import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from './shared/eventually';
import type { Service } from './service';

/**
 * Cached emails by path. Emails never change, and a shared service also keeps other files' emails.
 */
const mails = new Map<string, string>();

function mailAt(path: string): string {
  const mail = mails.get(path) ?? readFileSync(path, 'utf8');
  mails.set(path, mail);
  return mail;
}

export function mailsTo(service: Service, email: string): string[] {
  const outbox = join(service.dataDir, 'outbox');
  try {
    return readdirSync(outbox)
      .filter((name) => name.endsWith('.eml'))
      .sort()
      .map((name) => mailAt(join(outbox, name)))
      .filter((mail) => mail.includes(`\r\nTo: ${email}\r\n`));
  } catch {
    return [];
  }
}

export async function newestCode(service: Service, email: string, count = 1): Promise<string> {
  const codes = () => mailsTo(service, email).map((mail) => /^(\d{6})\r$/m.exec(mail)?.[1]);
  await eventually(() => codes().filter((code) => code !== undefined).length >= count);
  return codes().findLast((code) => code !== undefined) ?? '';
}
