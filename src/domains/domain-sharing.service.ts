import { Injectable } from '@nestjs/common';
import { type Account, isAdmin } from '../accounts/account/account';
import { AccountsRepository } from '../accounts/account/accounts.repository';
import type { AuditActor } from '../audit-trail/audit-entry';
import { AuditTrailService } from '../audit-trail/audit-trail.service';
import type { Domain } from '../stores/domains/domain';
import { DomainRegistry } from '../stores/domains/domain-registry';
import { DomainsRepository } from '../stores/domains/domains.repository';
import { DomainMailsService } from './domain-mails.service';
import { SharingRefusedError } from './domains.errors';

/** Limit per installation. */
export const MAX_SHARED = 100;

/** Shares domains with all accounts and ends sharing (docs/contract.md#36). */
@Injectable()
export class DomainSharingService {
  constructor(
    private readonly repository: DomainsRepository,
    private readonly registry: DomainRegistry,
    private readonly accounts: AccountsRepository,
    private readonly mails: DomainMailsService,
    private readonly trail: AuditTrailService,
  ) {}

  /** Idempotent. @throws SharingRefusedError */
  async set(
    domain: Domain,
    isShared: boolean,
    reason: string | null,
    actor: AuditActor,
  ): Promise<Domain> {
    if (domain.isShared === isShared) return domain;
    const changed = isShared
      ? await this.share(domain)
      : await this.repository.unshare(domain.id, new Date());
    if (changed === null) return (await this.repository.findById(domain.id)) ?? domain;
    await this.registry.tellChange(changed);
    await this.trail.add({
      actor,
      act: isShared ? 'domain.share' : 'domain.unshare',
      subject: { kind: 'domain', id: domain.id },
      reason,
      before: { shared: !isShared },
      after: { shared: isShared },
    });
    if (actor.id !== domain.ownerId) this.mails.tell(changed, isShared ? 'shared' : 'unshared');
    return changed;
  }

  /** Null if the domain was shared concurrently. */
  private async share({ id, ownerId }: Domain): Promise<Domain | null> {
    const owner = await this.accounts.findById(ownerId);
    const taken = await this.repository.takenSharedPlaces();
    for (let place = 0; place <= MAX_SHARED; place++) {
      if (taken.has(place)) continue;
      const present = await this.repository.findById(id);
      if (present?.isShared === true) return null;
      const objection = sharingObjection(present, owner);
      if (objection !== null) throw new SharingRefusedError(objection);
      if (place === MAX_SHARED) break;
      const shared = await this.repository.share(id, place, new Date());
      if (shared !== null) return shared;
    }
    throw new SharingRefusedError(`At most ${MAX_SHARED} domains can be shared`);
  }
}

/** Returns why the domain cannot be shared; null if it can. */
export function sharingObjection(
  domain: Pick<Domain, 'status'> | null,
  owner: Pick<Account, 'role' | 'emailVerified' | 'suspended' | 'deletesAt'> | null,
): string | null {
  if (domain?.status !== 'active') return 'Only an active domain can be shared';
  if (owner === null || !isAdmin(owner)) return 'Only a domain of an admin can be shared';
  return null;
}
