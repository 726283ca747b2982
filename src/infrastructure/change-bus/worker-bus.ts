import type { Logger } from '../../common/log';
import { type PrimaryClient, primaryHandlers } from '../../processes/rpc/primary-client';
import { ChangeBus, BusChannel, type BusMessage } from './bus';
import type { RpcHub } from '../../processes/rpc/rpc-hub';

declare module '../../processes/rpc/primary-calls' {
  interface PrimaryCalls {
    /** Forwards a change to all other web processes; returns how many have not confirmed it. */
    'bus.publish': { request: BusMessage; response: number };
  }
  interface WebCalls {
    'bus.deliver': { request: BusMessage; response: undefined };
  }
}

/** Maximum time to wait for an unresponsive worker. */
export const RELAY_MS = 1000;

export function relayBus(hub: RpcHub): void {
  primaryHandlers.handle('bus.publish', async (message, publisher) => {
    const { missing } = await hub.callAll('bus.deliver', message, RELAY_MS, publisher);
    return missing;
  });
}

/** Used by workers and the jobs process; the primary forwards messages and confirms delivery. */
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
      if (missed !== 0)
        this.log.warn('A web worker did not confirm receipt of a change', { channel });
    } catch (error) {
      this.log.warn('The primary did not forward a change', { channel, err: error });
    }
  }
}
