/** How the database answered one operation of an unordered bulk write. */
export class BulkOperationError extends Error {
  constructor(
    readonly index: number,
    readonly code: number,
    message: string,
  ) {
    super(message);
    // Named like the driver's own errors, by whose codes a database that goes away is known.
    this.name = 'MongoBulkOperationError';
  }
}

/** BadValue, FailedToParse, TypeMismatch, DocumentValidationFailure, three times "too large". */
const REFUSAL_CODES = new Set([2, 9, 14, 121, 10334, 17419, 17420]);

/** Whether the document itself is at fault, so that no repetition would change the answer. */
export function isRefusal(error: BulkOperationError): boolean {
  return REFUSAL_CODES.has(error.code);
}

/**
 * The failed operations of a bulk write that went through as a whole. Throws when it did not, or
 * when what was written is not acknowledged as durable.
 */
export async function collectWriteErrors(write: Promise<unknown>): Promise<BulkOperationError[]> {
  try {
    await write;
    return [];
  } catch (error) {
    if (!isBulkFailure(error) || error.result.getWriteConcernError() !== undefined) throw error;
    const failures = [error.writeErrors].flat();
    if (failures.length === 0) throw error;
    return failures.map(
      ({ index, code, errmsg }) => new BulkOperationError(index, code, errmsg ?? ''),
    );
  }
}

interface BulkFailure {
  writeErrors: OneWriteError | OneWriteError[];
  result: { getWriteConcernError: () => unknown };
}

interface OneWriteError {
  index: number;
  code: number;
  errmsg?: string;
}

function isBulkFailure(error: unknown): error is BulkFailure {
  return error instanceof Error && error.name === 'MongoBulkWriteError';
}
