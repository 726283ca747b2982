import { BadRequestError, CurtailError, NotFoundError } from '../common/errors';
import type { ImportColumn } from './import';

/** 404: unknown, removed or another account's. */
export class UnknownImportError extends NotFoundError {
  constructor() {
    super('There is no such import');
  }
}

/** 409: not now. */
export class ImportStateError extends CurtailError {
  constructor(message: string) {
    super(409, 'conflict', message);
  }
}

/** 409: an account has a few unfinished imports at most. */
export class UnfinishedImportsError extends ImportStateError {
  constructor(max: number) {
    super(`${max} imports have not ended yet`);
  }
}

/** 413: the file, or all files of the account, have too many bytes. */
export class ImportTooLargeError extends CurtailError {
  constructor(message: string) {
    super(413, 'payload_too_large', message);
  }
}

/** 400: the columns do not say enough; `details` names them, so that they can be chosen. */
export class MappingError extends BadRequestError {
  constructor(message: string, columns: readonly ImportColumn[]) {
    super(message, 'options.mapping', { columns });
  }
}
