import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { isDuplicateKey } from '../common/database-fault';
import { DURABLE } from '../infrastructure/mongo/write-barrier';

const VARIANT_KEY = 'variant_key';
const VARIANT_KEY_BYTES = 32;

/** Stores the key that splits visitors among variants, for all services on a database. */
@Injectable()
export class VariantKeyRepository {
  constructor(@InjectConnection() private readonly connection: Connection) {}

  /** Creates the key on first use. */
  async findOrMake(): Promise<Buffer> {
    const settings = this.connection.collection<{ _id: string; value: string }>('settings');
    const which = { _id: VARIANT_KEY };
    const known = await settings.findOne(which);
    if (known !== null) return Buffer.from(known.value, 'hex');
    const value = randomBytes(VARIANT_KEY_BYTES).toString('hex');
    try {
      await settings.updateOne(which, { $setOnInsert: { value } }, { upsert: true, ...DURABLE });
    } catch (error) {
      // Another process created the key first.
      if (!isDuplicateKey(error)) throw error;
    }
    return this.findOrMake();
  }
}
