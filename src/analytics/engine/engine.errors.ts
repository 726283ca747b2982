import { CurtailError } from '../../core/errors';

/** 500: figures could not be counted. Never answered with zeros instead. */
export class StatisticsFailedError extends CurtailError {
  constructor(reason: string) {
    super(500, 'internal_error', 'The statistics could not be counted', {
      cause: new Error(reason),
    });
  }
}
