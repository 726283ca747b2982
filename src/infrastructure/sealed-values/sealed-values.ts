import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { TokenOptions } from '../../config/options';

const CIPHER = 'aes-256-gcm';
const SEALED_FORMAT = 1;
const KEY_ID_BYTES = 4;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + KEY_ID_BYTES;

interface SealingKey {
  readonly id: Buffer;
  readonly key: Buffer;
}

/**
 * Encrypts secrets that the service must be able to read again, such as import credentials
 * (docs/contract.md#17.5). A sealed value consists of format, key id, nonce, text and tag. The key
 * is derived from JWT_SECRET and the purpose. The subject, such as a document id, prevents a value
 * from being copied into another document.
 */
@Injectable()
export class SealedValues {
  private readonly keys = new Map<string, SealingKey>();

  constructor(private readonly tokens: TokenOptions) {}

  seal(purpose: string, subject: string, text: string): Buffer {
    const { id, key } = this.keyFor(purpose);
    const header = Buffer.concat([Buffer.of(SEALED_FORMAT), id]);
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.concat([header, Buffer.from(subject)]));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([header, iv, sealed, cipher.getAuthTag()]);
  }

  /** Null if the value is damaged, or if JWT_SECRET, purpose or subject differ. */
  open(purpose: string, subject: string, value: Uint8Array): string | null {
    const { id, key } = this.keyFor(purpose);
    const bytes = Buffer.from(value);
    const header = bytes.subarray(0, HEADER_BYTES);
    if (bytes.length < HEADER_BYTES + IV_BYTES + TAG_BYTES || header[0] !== SEALED_FORMAT)
      return null;
    if (!id.equals(header.subarray(1))) return null;
    const iv = bytes.subarray(HEADER_BYTES, HEADER_BYTES + IV_BYTES);
    const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.concat([header, Buffer.from(subject)]));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    const sealed = bytes.subarray(HEADER_BYTES + IV_BYTES, -TAG_BYTES);
    try {
      return Buffer.concat([decipher.update(sealed), decipher.final()]).toString('utf8');
    } catch {
      return null;
    }
  }

  private keyFor(purpose: string): SealingKey {
    const known = this.keys.get(purpose);
    if (known !== undefined) return known;
    const info = `curtail sealed ${purpose}`;
    const derived = Buffer.from(
      hkdfSync('sha256', this.tokens.secret, '', info, 32 + KEY_ID_BYTES),
    );
    const purposeKey = { key: derived.subarray(0, 32), id: derived.subarray(32) };
    this.keys.set(purpose, purposeKey);
    return purposeKey;
  }
}
