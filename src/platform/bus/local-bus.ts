import { ChangeBus, BusChannel } from './bus';

/** One web process, one machine: publishing is delivering. */
export class LocalBus extends ChangeBus {
  publish(channel: BusChannel, message: unknown): Promise<void> {
    this.deliver({ channel, message });
    return Promise.resolve();
  }
}
