export class BulkOperationError extends Error {
  constructor(
    readonly index: number,
    readonly code: number,
    message: string,
  ) {
    super(message);
    // Uses the driver error's name, so that outages are recognised by their codes.
    this.name = 'MongoBulkOperationError';
  }
}

/** Codes of invalid documents and of documents that are too large. */
const REFUSAL_CODES = new Set([2, 9, 14, 121, 10334, 17419, 17420]);

/** Whether the document itself is invalid, so that a retry would fail again. */
export function isRefusal(error: BulkOperationError): boolean {
  return REFUSAL_CODES.has(error.code);
}

/** Returns the failed operations; throws if the whole write failed or is not durable. */
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
