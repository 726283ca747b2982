import { primaryHandlers } from '../../runtime/ipc/primary-client';
import type { RpcHub } from '../../runtime/ipc/rpc-hub';

/** How long a worker that hangs can hold up a change. */
export const RELAY_MS = 1000;

/**
 * The primary's part of the bus: passes a worker's message to all other workers and answers, when
 * each has run its listeners, how many failed to.
 */
export function relayBus(hub: RpcHub): void {
  primaryHandlers.handle('bus.publish', async (message, publisher) => {
    const { missing } = await hub.callAll('bus.deliver', message, RELAY_MS, publisher);
    return missing;
  });
}
