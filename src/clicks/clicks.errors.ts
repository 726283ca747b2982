/** A later release wrote this journal file, which is kept for that release. */
export class JournalVersionError extends Error {
  constructor(
    readonly version: number,
    newest: number,
    name: string,
  ) {
    super(
      `Journal file ${name} has format ${version}, which this release cannot read (it reads ` +
        `up to ${newest}): the file stays in the journal until a release that reads ` +
        `format ${version} starts, such as the one that wrote it`,
    );
    this.name = 'JournalVersionError';
  }
}

/** Writing would use disk space that is reserved for the database. */
export class JournalReserveError extends Error {
  readonly code = 'RESERVE';

  constructor() {
    super('The remaining disk space is reserved for the database');
    this.name = 'JournalReserveError';
  }
}

/** The journal was not emptied within the time limit. The remaining clicks stay in it. */
export class DrainTimeoutError extends Error {
  constructor(timeoutMs: number) {
    super(`The journal was not completely recorded within ${timeoutMs} ms`);
    this.name = 'DrainTimeoutError';
  }
}

/**
 * The visitor key has changed. Clicks are not recorded, because all visitors would appear to be
 * new.
 */
export class VisitorKeyError extends Error {
  constructor() {
    super(
      "This machine's visitor key differs from the key used with the database: set " +
        'VISITOR_KEY to the value of the other machines of the installation, or restore ' +
        'DATA_DIR/visitor-key of the first machine. No click is recorded until then',
    );
    this.name = 'VisitorKeyError';
  }
}

/** A batch contains clicks that their link's owner has deleted; record it again without them. */
export class ClicksDeletedError extends Error {
  /** @param since by link id, in milliseconds: the clicks from visits at or before this time are deleted */
  constructor(readonly since: ReadonlyMap<string, number>) {
    super(`Some clicks of ${since.size} links were deleted before they were recorded`);
    this.name = 'ClicksDeletedError';
  }
}

/** The recorder did not pause within the time limit. */
export class PauseTimeoutError extends Error {
  constructor(timeoutMs: number) {
    super(`The service's recorder did not pause within ${timeoutMs / 1000} s`);
    this.name = 'PauseTimeoutError';
  }
}
