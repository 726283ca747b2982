import type { Logger } from '../../common/log';
import type { PrimaryClient } from '../../runtime/ipc/primary-client';
import { ChangeBus, BusChannel } from './bus';
import { RELAY_MS } from './relay-bus';

/** One of several workers: the primary passes a message on and answers when all have heard it. */
export class WorkerBus extends ChangeBus {
  constructor(
    private readonly primary: PrimaryClient,
    private readonly log: Logger,
  ) {
    super();
    primary.handlers.handle('bus.deliver', (message) => {
      this.deliver(message);
      return undefined;
    });
  }

  async publish(channel: BusChannel, message: unknown): Promise<void> {
    this.deliver({ channel, message });
    try {
      const missed = await this.primary.call('bus.publish', { channel, message }, RELAY_MS * 2);
      if (missed !== 0) this.log.warn('A worker did not take note of a change', { channel });
    } catch (error) {
      this.log.warn('The primary did not pass a change on', { channel, err: error });
    }
  }
}
