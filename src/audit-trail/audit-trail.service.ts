import { Injectable } from '@nestjs/common';
import type { NewAuditEntry } from './audit-entry';
import { AuditTrailRepository } from './audit-trail.repository';

/**
 * Records actions by admins, commands and blocklists before the response (docs/contract.md#24.7).
 *
 * @example await this.trail.add({ actor, act: 'account.role', subject, before, after })
 */
@Injectable()
export class AuditTrailService {
  constructor(private readonly repository: AuditTrailRepository) {}

  /** Resolves once the entries are on disk. */
  async add(...entries: readonly NewAuditEntry[]): Promise<void> {
    if (entries.length > 0) await this.repository.insert(entries, new Date());
  }
}
