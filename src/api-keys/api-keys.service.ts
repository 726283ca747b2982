import { Injectable } from '@nestjs/common';
import { AccountMailsService } from '../accounts/mails/account-mails.service';
import type { Principal } from '../auth/access';
import { futureTime, HOUR_MS } from '../common/time';
import type { Attempt } from '../idempotency/attempt';
import type { Client } from '../infrastructure/client-address/client-address';
import { type ApiKey, digestOfKey, isKeyText, toKeyText, MAX_KEYS, prefixOfKey } from './api-key';
import { CreateKeyDto } from './api-key.dto';
import {
  ApiKeyListResponse,
  ApiKeyRemovalResponse,
  CreatedApiKeyResponse,
  toApiKeyResponse,
  toCreatedApiKeyResponse,
} from './api-key.response';
import { ForeignKeyError, KeyCapError, UnknownKeyError } from './api-keys.errors';
import { ApiKeysRepository, NewApiKey } from './api-keys.repository';

export const UNKNOWN_KEY = 'The API key is unknown';

@Injectable()
export class ApiKeysService {
  constructor(
    private readonly repository: ApiKeysRepository,
    private readonly mails: AccountMailsService,
  ) {}

  async create(
    body: CreateKeyDto,
    { userId }: Principal,
    client: Client,
    attempt: Attempt,
  ): Promise<CreatedApiKeyResponse> {
    const now = new Date();
    const { expires_at: expiry = null } = body;
    const token = toKeyText(attempt.secret());
    const key = await this.insert(
      {
        id: attempt.documentId(),
        ownerId: userId,
        name: body.name,
        description: body.description ?? null,
        scopes: [...new Set(body.scopes)],
        digest: digestOfKey(token),
        prefix: prefixOfKey(token),
        expiresAt: expiry === null ? null : futureTime(expiry, 'expires_at', now.getTime()),
      },
      now,
    );
    const { name, prefix } = key;
    this.mails.notify(userId, { what: 'key created', name, prefix }, client);
    return toCreatedApiKeyResponse(key, token);
  }

  async list({ userId }: Principal): Promise<ApiKeyListResponse> {
    return { keys: (await this.repository.findByOwner(userId)).map(toApiKeyResponse) };
  }

  async end(id: string, revoke: boolean, { userId }: Principal): Promise<ApiKeyRemovalResponse> {
    const key = await this.repository.findById(id);
    if (key === null) throw new UnknownKeyError();
    if (key.ownerId !== userId) throw new ForeignKeyError();
    await (revoke ? this.repository.revoke(key.id) : this.repository.remove(key.id));
    return { success: true, action: revoke ? 'revoked' : 'deleted' };
  }

  /** Returns the active key or the reason for refusal. Stores the last use time at most hourly. */
  async identify(text: string): Promise<ApiKey | string> {
    if (!isKeyText(text)) return 'The API key is malformed: it must be svc_ and 43 characters';
    const now = new Date();
    const key = await this.repository.findByDigest(digestOfKey(text));
    if (key === null) return UNKNOWN_KEY;
    if (key.revoked) return 'The API key was revoked';
    if (key.expiresAt !== null && key.expiresAt <= now) return 'The API key has expired';
    const anHourAgo = new Date(now.getTime() - HOUR_MS);
    if (key.lastUsedAt === null || key.lastUsedAt <= anHourAgo) {
      await this.repository.noteUse(key.id, now, anHourAgo);
    }
    return key;
  }

  /** Retries with the next free slot. The key may be stored already by an earlier attempt. */
  private async insert(input: NewApiKey, now: Date): Promise<ApiKey> {
    for (;;) {
      const before = await this.repository.findById(input.id);
      if (before !== null) return before;
      const taken = await this.repository.takenPlaces(input.ownerId);
      const place = Array.from({ length: MAX_KEYS }, (_, i) => i).find((i) => !taken.has(i));
      if (place === undefined) throw new KeyCapError();
      const key = await this.repository.insert(input, place, now);
      if (key !== null) return key;
    }
  }
}
