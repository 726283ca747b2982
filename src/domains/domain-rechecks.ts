import { Injectable, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { AppLog } from '../common/log';
import { MINUTE_MS } from '../common/time';
import { DomainOptions } from '../config/options';
import type { Domain } from '../stores/domains/domain';
import { DomainRegistry } from '../stores/domains/domain-registry';
import { DomainsRepository } from '../stores/domains/domains.repository';
import { DomainCheckService } from './domain-check.service';

/** Nobody else takes a domain for so long, unless its check says when the next one is. */
const RECHECK_LEASE_MS = MINUTE_MS;
const MAX_LOOK_MS = MINUTE_MS;
/** Domains of one look; others wait for the next one, or for another machine. */
const MAX_DUE = 200;
/** Checks at a time, so that those that people wait for have their turn. */
const WIDTH = 8;

/**
 * Checks domains again when their time has come, each on one machine, and gives up those that were
 * pending for too long (docs/contract.md#25.2).
 */
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

  /** Checks what is due; what fails is due again when its lease is over. */
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
      this.log.debug('Domains could not be checked again', { err: error });
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
    // Its links stay with their owner.
    const revoked = await this.repository.revoke(domain.id, now);
    if (revoked !== null) await this.registry.tellChange(revoked);
  }
}
