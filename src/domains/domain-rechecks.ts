import { Injectable, OnApplicationBootstrap } from '@nestjs/common';
import { BackgroundTasks } from '../common/background-tasks';
import { MINUTE_MS } from '../common/time';
import { DomainOptions } from '../config/options';
import type { Domain } from '../stores/domains/domain';
import { DomainRegistry } from '../stores/domains/domain-registry';
import { DomainsRepository } from '../stores/domains/domains.repository';
import { LinkReads } from '../stores/links/link-reads.repository';
import { DomainCheckService } from './domain-check.service';

/** Other machines skip a domain for this long, unless the check sets a later time. */
const RECHECK_LEASE_MS = MINUTE_MS;
const MAX_LOOK_MS = MINUTE_MS;
const MAX_DUE = 200;
/** Number of concurrent checks, low enough to leave room for checks that users start. */
const WIDTH = 8;

/** Checks due domains again, each on one machine, and revokes expired ones (contract 25.2). */
@Injectable()
export class DomainRechecks implements OnApplicationBootstrap {
  constructor(
    private readonly repository: DomainsRepository,
    private readonly registry: DomainRegistry,
    private readonly checks: DomainCheckService,
    private readonly links: LinkReads,
    private readonly options: DomainOptions,
    private readonly background: BackgroundTasks,
  ) {}

  onApplicationBootstrap(): void {
    const { everyMs, graceMs } = this.options.recheck;
    this.background.repeat({
      name: 'recheck the domains',
      everyMs: Math.max(Math.min(everyMs, graceMs, 2 * MAX_LOOK_MS) / 2, 500),
      run: () => this.look(new Date()),
    });
  }

  /** Checks due domains. A failed check is due again when its lease expires. */
  private async look(now: Date): Promise<void> {
    let left = MAX_DUE;
    const takeSome = async (): Promise<void> => {
      while (left-- > 0) {
        const due = await this.repository.takeDue(now, new Date(now.getTime() + RECHECK_LEASE_MS));
        if (due === null) return;
        await this.attend(due, now);
      }
    };
    await Promise.all(Array.from({ length: WIDTH }, takeSome));
  }

  private async attend(domain: Domain, now: Date): Promise<void> {
    if (domain.status === 'revoked') {
      await this.removeIfUnused(domain);
      return;
    }
    if (domain.status !== 'pending') {
      await this.checks.check(domain);
      return;
    }
    if (domain.lastVerifiedAt === null) {
      await this.repository.removeUnproved(domain.id);
      return;
    }
    // The domain's links stay in the account.
    const revoked = await this.repository.revoke(domain.id, now);
    if (revoked !== null) await this.registry.tellChange(revoked);
  }

  /** For domains whose owner's account was deleted: other accounts' links need the name. */
  private async removeIfUnused({ id }: Domain): Promise<void> {
    if ((await this.links.countIn(id, 1)) > 0) return;
    if (await this.repository.removeRevoked(id)) await this.registry.tellRemoval(id);
  }
}
