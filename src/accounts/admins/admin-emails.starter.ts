import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { AppLog } from '../../common/log';
import { AdminsService } from './admins.service';

/** Between two tries while the database does not answer, or its indexes are being made. */
const ADMIN_EMAILS_RETRY_MS = 200;

/** Makes those admins at the start whom ADMIN_EMAILS names; a database that is late is waited for. */
@Injectable()
export class AdminEmailsStarter implements OnModuleDestroy {
  private timer?: NodeJS.Timeout;
  private stopped = false;

  constructor(
    private readonly admins: AdminsService,
    private readonly log: AppLog,
  ) {}

  /** Resolves after the first attempt, which is repeated until there was one that succeeded. */
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
      this.log.debug('The accounts of ADMIN_EMAILS are not known yet', { err });
      if (!this.stopped)
        this.timer = setTimeout(() => void this.grant(), ADMIN_EMAILS_RETRY_MS).unref();
    }
  }
}
