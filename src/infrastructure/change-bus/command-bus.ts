import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { BackgroundTasks } from '../../common/background-tasks';
import { type BusChannel, ChangeBus } from './bus';
import { CommandChangesRepository } from './command-changes.repository';

const CHANGES_POLL_MS = 2000;

/** Used by commands; web processes poll the database for their changes. */
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
export class CommandChangesListener implements OnApplicationBootstrap {
  private heard = 0;

  constructor(
    private readonly changes: CommandChangesRepository,
    private readonly bus: ChangeBus,
    private readonly background: BackgroundTasks,
  ) {}

  onApplicationBootstrap(): void {
    const run = (): Promise<void> => this.look();
    this.background.repeat({ name: 'read changes by commands', everyMs: CHANGES_POLL_MS, run });
  }

  private async look(): Promise<void> {
    const recent = await this.changes.findSince(this.heard);
    const [first, last] = [recent?.at(0)?.n ?? 0, recent?.at(-1)?.n ?? 0];
    if (recent === null || last === 0) return;
    // Older messages were deleted before they were read, or the database was replaced.
    if (first > this.heard + 1 || last < this.heard) this.bus.hearOfGap();
    else for (const each of recent) if (each.n > this.heard) this.bus.hearMessage(each);
    this.heard = last;
  }
}
