import { Injectable, Module, OnApplicationShutdown } from '@nestjs/common';
import { ClickHomeOptions } from '../../config/options';
import type { ClickCare } from '../../engines/click-house/click-care';
import type { ClickHouse } from '../../engines/click-house/click-house';

interface Connected {
  readonly server: ClickHouse;
  readonly care: ClickCare;
}

/** Connection for web processes, which neither write nor count clicks. */
@Injectable()
export class ClickHouseConnection implements OnApplicationShutdown {
  private connected?: Promise<Connected>;

  constructor(private readonly options: ClickHomeOptions) {}

  async state(): Promise<'ok' | 'error' | 'not_configured'> {
    const connected = await this.open();
    if (connected === null) return 'not_configured';
    return (await connected.server.isHealthy()) ? 'ok' : 'error';
  }

  async removeClicks(linkIds: readonly string[]): Promise<void> {
    await (await this.open())?.care.remove(linkIds);
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
