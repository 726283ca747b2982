import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { AppLog } from '../../common/log';
import { AdminsService } from './admins.service';

/** Delay between attempts while the database is unreachable or builds its indexes. */
const ADMIN_EMAILS_RETRY_MS = 200;

/** Grants the admin role to ADMIN_EMAILS at the start, retrying until the database responds. */
@Injectable()
export class AdminEmailsStarter implements OnModuleDestroy {
  private timer?: NodeJS.Timeout;
  private stopped = false;

  constructor(
    private readonly admins: AdminsService,
    private readonly log: AppLog,
  ) {}

  /** Resolves after the first attempt; retries continue in the background. */
  start(): Promise<void> {
    return this.grant();
  }

  onModuleDestroy(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private async grant(): Promise<void> {
    try {
      await this.admins.grantAllListed();
    } catch (err) {
      this.log.debug('Could not grant the admin role to ADMIN_EMAILS; retrying', { err });
      if (!this.stopped)
        this.timer = setTimeout(() => void this.grant(), ADMIN_EMAILS_RETRY_MS).unref();
    }
  }
}
