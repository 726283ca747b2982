import { BadRequestError, CurtailError, notFound } from '../common/errors';
import { countNoun } from '../common/plain-text';
import type { ImportColumn } from './store/import';

/** 404: the import does not exist, was removed, or belongs to another account. */
export class UnknownImportError extends notFound('Import not found') {}

export class ImportStateError extends CurtailError {
  constructor(message: string) {
    super(409, 'conflict', message);
  }
}

/** 409: the account already has the maximum number of unfinished imports. */
export class UnfinishedImportsError extends ImportStateError {
  constructor(max: number) {
    super(`You have ${max} unfinished imports; wait until one has finished, or cancel one`);
  }
}

/** 409: the number of links that an undo would delete changed after the client read it. */
export class UndoableChangedError extends CurtailError {
  constructor(found: number) {
    super(
      409,
      'conflict',
      `This import has ${countNoun(found, 'link')} to delete: nothing was changed`,
      { details: { found } },
    );
  }
}

/** 413: the file is too large, or the account's import storage is full. */
export class ImportTooLargeError extends CurtailError {
  constructor(message: string) {
    super(413, 'payload_too_large', message);
  }
}

/** 400: required columns are missing; `details` lists the columns for a manual mapping. */
export class MappingError extends BadRequestError {
  constructor(message: string, columns: readonly ImportColumn[]) {
    super(message, 'options.mapping', { columns });
  }
}
