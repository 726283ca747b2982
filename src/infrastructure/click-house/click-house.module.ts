import { Injectable, Module, OnApplicationShutdown } from '@nestjs/common';
import { ClickHomeOptions } from '../../config/options';
import type { ClickCare, StoredLinkTotals } from '../../engines/click-house/click-care';
import type { ClickHouse } from '../../engines/click-house/click-house';

interface Connected {
  readonly server: ClickHouse;
  readonly care: ClickCare;
}

/** Connection for web and jobs processes, which remove clicks but do not record them. */
@Injectable()
export class ClickHouseConnection implements OnApplicationShutdown {
  private connected?: Promise<Connected>;

  constructor(private readonly options: ClickHomeOptions) {}

  get isUsed(): boolean {
    return this.options.clickHouse !== null;
  }

  async state(): Promise<'ok' | 'error' | 'not_configured'> {
    const connected = await this.open();
    if (connected === null) return 'not_configured';
    return (await connected.server.isHealthy()) ? 'ok' : 'error';
  }

  async removeClicks(linkIds: readonly string[]): Promise<void> {
    await (await this.open())?.care.remove(linkIds);
  }

  /** Removes clicks from visits that began at or before a time. */
  async removeClicksUpTo(links: readonly { id: string; at: Date }[]): Promise<void> {
    await (await this.open())?.care.removeUpTo(links);
  }

  /** Totals of a link's later clicks, in batches that its click store includes. */
  async countLater(
    linkId: string,
    since: Date,
    applied: Readonly<Record<string, number>>,
  ): Promise<StoredLinkTotals | undefined> {
    const deleted = new Map([[linkId, since.getTime()]]);
    const totals = await (await this.open())?.care.totalsByLink(linkId, deleted, applied);
    return totals?.get(linkId);
  }

  async onApplicationShutdown(): Promise<void> {
    await (await this.connected)?.server.close();
  }

  private async open(): Promise<Connected | null> {
    const { clickHouse } = this.options;
    if (clickHouse === null) return null;
    this.connected ??= Promise.all([
      import('../../engines/click-house/click-house.js'),
      import('../../engines/click-house/click-table.js'),
      import('../../engines/click-house/click-care.js'),
    ]).then(([{ ClickHouse: Server }, { ClickTable }, { ClickCare: Care }]) => {
      const server = new Server(clickHouse);
      return { server, care: new Care(new ClickTable(server)) };
    });
    return this.connected;
  }
}

@Module({ providers: [ClickHouseConnection], exports: [ClickHouseConnection] })
export class ClickHouseModule {}
