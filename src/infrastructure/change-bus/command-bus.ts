import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { AppLog } from '../../common/log';
import { type BusChannel, ChangeBus } from './bus';
import { CommandChangesRepository } from './command-changes.repository';

const CHANGES_POLL_MS = 2000;

/** For commands: web processes read their changes from the database within seconds. */
export class CommandBus extends ChangeBus {
  constructor(private readonly changes: CommandChangesRepository) {
    super();
  }

  async publish(channel: BusChannel, message: unknown): Promise<void> {
    this.deliver({ channel, message });
    await this.changes.append({ channel, message });
  }
}

@Injectable()
export class CommandChangesListener implements OnApplicationBootstrap, OnModuleDestroy {
  private heard = 0;
  private timer?: NodeJS.Timeout;
  private isLooking = false;

  constructor(
    private readonly changes: CommandChangesRepository,
    private readonly bus: ChangeBus,
    private readonly log: AppLog,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.look(), CHANGES_POLL_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  private async look(): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      const recent = await this.changes.findSince(this.heard);
      const [first, last] = [recent?.at(0)?.n ?? 0, recent?.at(-1)?.n ?? 0];
      if (recent === null || last === 0) return;
      // Messages were trimmed meanwhile, or the database was replaced.
      if (first > this.heard + 1 || last < this.heard) this.bus.hearOfGap();
      else for (const each of recent) if (each.n > this.heard) this.bus.hearMessage(each);
      this.heard = last;
    } catch (err) {
      this.log.debug('Could not read changes by commands', { err });
    } finally {
      this.isLooking = false;
    }
  }
}
