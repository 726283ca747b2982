import { randomBytes } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { DataOptions } from '../../config/options';
import { AppLog } from '../../common/log';

/** Where mails go without a mail server: one `.eml` file each in DATA_DIR/outbox. */
@Injectable()
export class Outbox {
  private readonly dir: string;

  constructor(
    data: DataOptions,
    private readonly log: AppLog,
  ) {
    this.dir = join(data.dir, 'outbox');
  }

  /** Files the message, whole or not at all, and logs its path, never what it says. */
  async file(message: Buffer): Promise<void> {
    const stamp = new Date().toISOString().replace(/[:.]/g, '-');
    const path = join(this.dir, `${stamp}-${randomBytes(4).toString('hex')}.eml`);
    await mkdir(this.dir, { recursive: true, mode: 0o700 });
    await writeFile(`${path}.part`, message, { mode: 0o600 });
    await rename(`${path}.part`, path);
    this.log.info(`SMTP_URL is not set: a mail waits in ${path}`);
  }
}
