import { Injectable } from '@nestjs/common';
import type { NewAuditEntry } from './audit-entry';
import { AuditTrailRepository } from './audit-trail.repository';

/**
 * Notes down what admins, commands and lists do (docs/contract.md#24.7): after the act, and before
 * it is answered. Nothing takes an entry away.
 *
 * @example await this.trail.add({ actor, act: 'account.role', subject: { kind: 'account', id }, before: { role: 'user' }, after: { role: 'admin' } })
 */
@Injectable()
export class AuditTrailService {
  constructor(private readonly repository: AuditTrailRepository) {}

  /** Resolves once the entries are on the disk. */
  async add(...entries: readonly NewAuditEntry[]): Promise<void> {
    if (entries.length > 0) await this.repository.insert(entries, new Date());
  }
}
