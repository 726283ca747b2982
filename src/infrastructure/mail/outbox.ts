import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { DataOptions } from '../../config/options';
import { AppLog } from '../../common/log';

/** Number of bytes within which the recipient header is found. */
const MAX_MESSAGE_HEAD_BYTES = 4096;

/** Stores emails as `.eml` files in DATA_DIR/outbox if no mail server is configured. */
@Injectable()
export class Outbox {
  private readonly dir: string;

  constructor(
    data: DataOptions,
    private readonly log: AppLog,
  ) {
    this.dir = join(data.dir, 'outbox');
  }

  /** Writes the file atomically and logs its path, but never its content. */
  async file(message: Buffer): Promise<void> {
    const stamp = new Date().toISOString().replace(/[:.]/g, '-');
    const path = join(this.dir, `${stamp}-${randomBytes(4).toString('hex')}.eml`);
    await mkdir(this.dir, { recursive: true, mode: 0o700 });
    await writeFile(`${path}.part`, message, { mode: 0o600 });
    await rename(`${path}.part`, path);
    this.log.info(`SMTP_URL is not set; wrote an email to ${path}`);
  }

  async removeMessages(address: string): Promise<void> {
    for (const name of await readdir(this.dir).catch(() => [])) {
      if (!name.endsWith('.eml')) continue;
      const path = join(this.dir, name);
      // Another process may have removed the file.
      const head = await readHead(path).catch(() => '');
      if (parseRecipient(head) === address) await rm(path, { force: true });
    }
  }
}

async function readHead(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(MAX_MESSAGE_HEAD_BYTES));
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

function parseRecipient(head: string): string | null {
  const [, address = null] = /^To: *(?:"" *)?<?(.*?)>?\r?$/im.exec(head) ?? [];
  return address;
}
