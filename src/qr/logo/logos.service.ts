import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ChangeBus } from '../../infrastructure/change-bus/bus';
import { QrDrawingThread } from '../drawing/qr-drawing.thread';
import { UnknownLogoError } from '../drawing/qr.errors';
import { type AccountFile, AccountFilesRepository } from './account-files.repository';

const LOGO_FILE = 'qr-logo';
const MAX_LOGOS_BYTES = 16 * 1024 * 1024;
/** Cache lifetime, in case the message about a change is lost. */
const BELIEVED_MS = 30_000;
/** Memory per cache entry in bytes, without the picture. */
const LOGO_ENTRY_BYTES = 200;

export interface LogoSize {
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
}

@Injectable()
export class LogosService {
  private readonly known = new LRUCache<string, { logo: AccountFile | null }>({
    maxSize: MAX_LOGOS_BYTES,
    sizeCalculation: ({ logo }) => LOGO_ENTRY_BYTES + (logo?.data.length ?? 0),
    ttl: BELIEVED_MS,
  });
  /** Incremented on every change. Results of earlier reads are not cached. */
  private changes = 0;

  constructor(
    private readonly files: AccountFilesRepository,
    private readonly thread: QrDrawingThread,
    private readonly bus: ChangeBus,
  ) {
    bus.subscribe('files.changed', (ownerId) => {
      this.changes++;
      this.known.delete(ownerId as string);
    });
    bus.onGap(() => {
      this.changes++;
      this.known.clear();
    });
  }

  /** Returns null if there is no logo or no account. */
  async find(accountId: string | null): Promise<AccountFile | null> {
    if (accountId === null) return null;
    const known = this.bus.isWhole ? this.known.get(accountId) : undefined;
    if (known !== undefined) return known.logo;
    const { changes } = this;
    const logo = await this.files.find(accountId, LOGO_FILE);
    if (changes === this.changes) this.known.set(accountId, { logo });
    return logo;
  }

  async read(ownerId: string): Promise<Buffer> {
    const logo = await this.files.find(ownerId, LOGO_FILE);
    if (logo === null) throw new UnknownLogoError();
    return logo.data;
  }

  /** Re-encodes and stores the picture. Throws 422 if it is unusable. */
  async store(ownerId: string, sent: Buffer): Promise<LogoSize> {
    const { png, width, height } = await this.thread.call('logo', sent);
    await this.files.put(ownerId, LOGO_FILE, { type: 'image/png', data: Buffer.from(png) });
    await this.bus.publish('files.changed', ownerId);
    return { width, height, bytes: png.length };
  }

  async remove(ownerId: string): Promise<void> {
    await this.files.remove(ownerId, LOGO_FILE);
    await this.bus.publish('files.changed', ownerId);
  }
}
