import type { Log } from '../../core/log';
import type { PrimaryLine } from '../primary/primary-line';
import { Bus, BusChannel, BusMessage } from './bus';
import { BUS_TOPIC, RELAY_MS } from './relay-bus';

/** One of several workers: the primary passes a message on and answers when all have heard it. */
export class WorkerBus extends Bus {
  constructor(
    private readonly line: PrimaryLine,
    private readonly log: Log,
  ) {
    super();
    line.serve(BUS_TOPIC, (message) => this.deliver(message as BusMessage));
  }

  async publish(channel: BusChannel, message: unknown): Promise<void> {
    this.deliver({ channel, message });
    try {
      const body: BusMessage = { channel, message };
      const missed = await this.line.ask(BUS_TOPIC, body, RELAY_MS * 2);
      if (missed !== 0) this.log.warn('A worker did not take note of a change', { channel });
    } catch (error) {
      this.log.warn('The primary did not pass a change on', { channel, err: error });
    }
  }
}
