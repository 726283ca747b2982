import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { AppLog } from '../../common/log';
import { AdminsService } from './admins.service';

/** Between two tries while the database does not answer, or its indexes are being made. */
const RETRY_MS = 1000;

/** Makes those admins at the start whom ADMIN_EMAILS names; a database that is late is waited for. */
@Injectable()
export class AdminEmailsStarter implements OnApplicationBootstrap, OnModuleDestroy {
  private timer?: NodeJS.Timeout;
  private stopped = false;

  constructor(
    private readonly admins: AdminsService,
    private readonly log: AppLog,
  ) {}

  onApplicationBootstrap(): void {
    void this.grant();
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
      if (!this.stopped) this.timer = setTimeout(() => void this.grant(), RETRY_MS).unref();
    }
  }
}
