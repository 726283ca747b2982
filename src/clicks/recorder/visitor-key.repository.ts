import { hkdfSync, randomBytes } from 'node:crypto';
import type { Collection, Connection } from 'mongoose';
import { DURABLE } from '../../infrastructure/mongo/write-barrier';
import { isDuplicateKey } from '../../common/database-fault';
import { VisitorKeyError } from '../clicks.errors';

const SETTINGS_COLLECTION = 'settings';

interface SettingRecord {
  _id: string;
  value: string;
}

const VISITOR_KEY = 'visitor_key';
const VISITOR_KEY_BYTES = 32;
const CHECK_BYTES = 16;
interface StoredVisitorKey extends SettingRecord {
  /** Verifies the part derived from the secret without revealing it. */
  check: string;
}

/** The key is the XOR of a part in the database and a part derived from a secret. */
export class VisitorKeyRepository {
  constructor(private readonly connection: Connection) {}

  /**
   * The first call creates the key; the secret must be on disk before that.
   * @throws VisitorKeyError if the database was used with a different secret
   */
  async findOrMake(secret: string): Promise<Buffer> {
    const outer = derive(secret, 'curtail visitor key', VISITOR_KEY_BYTES);
    const check = toKeyCheck(secret);
    await this.make(check);
    const setting = await this.read();
    if (setting.check !== check) throw new VisitorKeyError();
    return exclusiveOr(Buffer.from(setting.value, 'hex'), outer);
  }

  /** True if the secret matches the key, or if there is no key. Read-only. */
  async accepts(secret: string): Promise<boolean> {
    const setting = await this.settings.findOne({ _id: VISITOR_KEY });
    return setting === null || setting.check === toKeyCheck(secret);
  }

  private async make(check: string): Promise<void> {
    const fresh = { value: randomBytes(VISITOR_KEY_BYTES).toString('hex'), check };
    try {
      await this.settings.updateOne(
        { _id: VISITOR_KEY },
        { $setOnInsert: fresh },
        { upsert: true, ...DURABLE },
      );
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  }

  private async read(): Promise<StoredVisitorKey> {
    const setting = await this.settings.findOne({ _id: VISITOR_KEY });
    if (setting === null) throw new Error('The visitor key was removed while it was being read');
    return setting;
  }

  private get settings(): Collection<StoredVisitorKey> {
    return this.connection.collection<StoredVisitorKey>(SETTINGS_COLLECTION);
  }
}

function derive(secret: string, purpose: string, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, length));
}

function toKeyCheck(secret: string): string {
  return derive(secret, 'curtail visitor key check', CHECK_BYTES).toString('hex');
}

function exclusiveOr(a: Buffer, b: Buffer): Buffer {
  return Buffer.from(a.map((byte, i) => byte ^ (b[i] ?? 0)));
}
