import { setImmediate as nextTurn } from 'node:timers/promises';
import { declaredLength, SMALL_BODY } from '../common/http/taken-body';
import type { RefusalResponder, RequestHandler } from '../common/request-handler';
import type { ClientAddress } from '../infrastructure/client-address/client-address';
import { BodiesBusyError } from '../infrastructure/request-bodies/request-bodies.errors';
import { FairQueue } from '../processes/fair-queue';

/** Maximum number of waiting bodies, of which Node has already read up to 64 KB each. */
const MAX_WAITING_BODIES = 64;
const BODY_WAIT_MS = 5000;

/**
 * Passes on one large request per event loop turn, so that other requests are not delayed.
 * Clients take turns. Requests beyond the limits are refused with a BodiesBusyError.
 */
export function largeBodiesInTurn(
  handle: RequestHandler,
  refuse: RefusalResponder,
  address: Pick<ClientAddress, 'client'>,
): RequestHandler {
  const queue = new FairQueue({
    width: 1,
    maxInARow: 1,
    maxWaiting: MAX_WAITING_BODIES,
    waitMs: BODY_WAIT_MS,
    refuse: () => new BodiesBusyError(),
  });
  return (request, response) => {
    const length = declaredLength(request);
    if (length !== null && length <= SMALL_BODY) {
      handle(request, response);
      return;
    }
    const run = (): Promise<void> => {
      if (!request.socket.destroyed) handle(request, response);
      return nextTurn();
    };
    queue
      .run({ key: address.client(request).key }, { lane: 0, run })
      .catch((error: unknown) => refuse(request, response, error));
  };
}
