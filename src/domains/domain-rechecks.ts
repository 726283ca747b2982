import { Injectable, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { AppLog } from '../common/log';
import { MINUTE_MS } from '../common/time';
import { DomainOptions } from '../config/options';
import type { Domain } from '../stores/domains/domain';
import { DomainRegistry } from '../stores/domains/domain-registry';
import { DomainsRepository } from '../stores/domains/domains.repository';
import { DomainCheckService } from './domain-check.service';

/** Other machines skip a domain for this time unless its check sets a later one. */
const RECHECK_LEASE_MS = MINUTE_MS;
const MAX_LOOK_MS = MINUTE_MS;
const MAX_DUE = 200;
/** Concurrent checks, low enough to leave room for checks that users wait for. */
const WIDTH = 8;

/** Rechecks due domains, each on one machine; drops expired ones (docs/contract.md#25.2). */
@Injectable()
export class DomainRechecks implements OnApplicationBootstrap, OnModuleDestroy {
  private timer?: NodeJS.Timeout;
  private isLooking = false;

  constructor(
    private readonly repository: DomainsRepository,
    private readonly registry: DomainRegistry,
    private readonly checks: DomainCheckService,
    private readonly options: DomainOptions,
    private readonly log: AppLog,
  ) {}

  onApplicationBootstrap(): void {
    const { everyMs, graceMs } = this.options.recheck;
    const lookMs = Math.max(Math.min(everyMs, graceMs, 2 * MAX_LOOK_MS) / 2, 500);
    this.timer = setInterval(() => void this.look(), lookMs).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** Checks due domains; a failed check is due again when its lease expires. */
  async look(now = new Date()): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    let left = MAX_DUE;
    const takeSome = async (): Promise<void> => {
      while (left-- > 0) {
        const due = await this.repository.takeDue(now, new Date(now.getTime() + RECHECK_LEASE_MS));
        if (due === null) return;
        await this.attend(due, now);
      }
    };
    try {
      await Promise.all(Array.from({ length: WIDTH }, takeSome));
    } catch (error) {
      this.log.debug('Could not recheck the domains', { err: error });
    } finally {
      this.isLooking = false;
    }
  }

  private async attend(domain: Domain, now: Date): Promise<void> {
    if (domain.status !== 'pending') {
      await this.checks.check(domain);
      return;
    }
    if (domain.lastVerifiedAt === null) {
      await this.repository.removeUnproved(domain.id);
      return;
    }
    // The domain's links stay with their owner.
    const revoked = await this.repository.revoke(domain.id, now);
    if (revoked !== null) await this.registry.tellChange(revoked);
  }
}
