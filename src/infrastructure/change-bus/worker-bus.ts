import type { Logger } from '../../common/log';
import type { PrimaryClient } from '../../runtime/ipc/primary-client';
import { ChangeBus, BusChannel, BusMessage } from './bus';
import { BUS_TOPIC, RELAY_MS } from './relay-bus';

/** One of several workers: the primary passes a message on and answers when all have heard it. */
export class WorkerBus extends ChangeBus {
  constructor(
    private readonly line: PrimaryClient,
    private readonly log: Logger,
  ) {
    super();
    line.handle(BUS_TOPIC, (message) => this.deliver(message as BusMessage));
  }

  async publish(channel: BusChannel, message: unknown): Promise<void> {
    this.deliver({ channel, message });
    try {
      const body: BusMessage = { channel, message };
      const missed = await this.line.call(BUS_TOPIC, body, RELAY_MS * 2);
      if (missed !== 0) this.log.warn('A worker did not take note of a change', { channel });
    } catch (error) {
      this.log.warn('The primary did not pass a change on', { channel, err: error });
    }
  }
}
