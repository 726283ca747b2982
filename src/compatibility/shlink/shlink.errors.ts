import { CurtailError } from '../../common/errors';

/** 501: this service has no Mercure hub. */
export class MercureNotConfiguredError extends CurtailError {
  constructor() {
    super(501, 'not_configured', 'This service does not publish visits in real time');
  }

  override get logLevel(): 'debug' {
    return 'debug';
  }
}
