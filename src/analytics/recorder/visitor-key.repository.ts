import { randomBytes } from 'node:crypto';
import type { Connection } from 'mongoose';
import { isDuplicateKey } from '../../core/database-fault';
import { SETTINGS, type StoredSetting } from './setting.schema';

const NAME = 'visitor_key';
const KEY_BYTES = 32;

/** The secret of the visitor hash, one for all services on a database. */
export class VisitorKeyRepository {
  constructor(private readonly connection: Connection) {}

  /** The key; made by whoever asks first. */
  async findOrMake(): Promise<Buffer> {
    const settings = this.connection.collection<StoredSetting>(SETTINGS);
    const fresh = randomBytes(KEY_BYTES).toString('hex');
    try {
      await settings.updateOne({ _id: NAME }, { $setOnInsert: { value: fresh } }, { upsert: true });
    } catch (error) {
      // Somebody was quicker.
      if (!isDuplicateKey(error)) throw error;
    }
    const setting = await settings.findOne({ _id: NAME });
    if (setting === null) throw new Error('The visitor key was removed while it was being read');
    return Buffer.from(setting.value, 'hex');
  }
}
