import { createHmac } from 'node:crypto';

const HASH_BYTES = 12;

/**
 * Recognises a visitor without keeping the address: the first 12 bytes of HMAC-SHA256 over client
 * address, NUL and User-Agent, as hex. The key is one secret of the database that all services on
 * it share, so that a visitor is the same one on every machine.
 */
export class VisitorHasher {
  constructor(private readonly key: Buffer) {}

  hash(address: string, userAgent: string): string {
    return createHmac('sha256', this.key)
      .update(`${address}\0${userAgent}`)
      .digest('hex')
      .slice(0, HASH_BYTES * 2);
  }
}
