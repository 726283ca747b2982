import { createHmac } from 'node:crypto';
import { LRUCache } from 'lru-cache';

const HASH_BYTES = 12;
const LONGEST_REMEMBERED = 512;

/**
 * Recognises a visitor without keeping the address: the first 12 bytes of HMAC-SHA256 over client
 * address, NUL and User-Agent, as hex. The key is one for all services on a database, so that
 * a visitor is the same one on every machine.
 */
export class VisitorHasher {
  private readonly known = new LRUCache<string, string>({ max: 5000 });

  constructor(private readonly key: Buffer) {}

  hash(address: string, userAgent: string): string {
    const visitor = `${address}\0${userAgent}`;
    if (visitor.length > LONGEST_REMEMBERED) return this.digest(visitor);
    let hash = this.known.get(visitor);
    if (hash === undefined) {
      hash = this.digest(visitor);
      this.known.set(visitor, hash);
    }
    return hash;
  }

  private digest(visitor: string): string {
    return createHmac('sha256', this.key)
      .update(visitor)
      .digest('hex')
      .slice(0, HASH_BYTES * 2);
  }
}
