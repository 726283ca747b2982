import { badRequest, BusyError } from '../../common/errors';

/** The budget does not allow the body; the rest of it is not read. */
export class BodiesBusyError extends BusyError {
  constructor() {
    super('Too many request bodies at once; try again shortly', 1, { Connection: 'close' });
  }
}

/** The client disconnected while sending the body and gets no response. */
export class BodyCutError extends badRequest(
  'The connection was closed before the whole body had arrived',
) {}
