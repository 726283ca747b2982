import { primaryHandlers, type RpcHandlers } from '../../runtime/ipc/rpc-handlers';
import type { RpcHub } from '../../runtime/ipc/rpc-hub';

export const BUS_TOPIC = 'bus';
/** How long a worker that hangs can hold up a change. */
export const RELAY_MS = 1000;

/**
 * The primary's part of the bus: passes a worker's message to all other workers and answers, when
 * each has run its listeners, how many failed to.
 */
export function relayBus(hub: RpcHub, handlers: RpcHandlers = primaryHandlers): void {
  handlers.handle(BUS_TOPIC, (message, asker) => hub.callAll(BUS_TOPIC, message, RELAY_MS, asker));
}
