/** Written by a later release; the file stays until that release reads it. */
export class JournalVersionError extends Error {
  constructor(
    readonly version: number,
    newest: number,
    name: string,
  ) {
    super(
      `Journal file ${name} has format ${version}, of which this release knows nothing (it reads ` +
        `up to ${newest}): the file stays in the journal until a release that reads ` +
        `format ${version} is started, as the one that wrote it`,
    );
    this.name = 'JournalVersionError';
  }
}

/** Writing would use the reserve that the database needs. */
export class JournalReserveError extends Error {
  readonly code = 'RESERVE';

  constructor() {
    super('What is left of the disk is kept for the database');
    this.name = 'JournalReserveError';
  }
}

/** The journal was not emptied within the time limit; remaining clicks stay in it. */
export class DrainTimeoutError extends Error {
  constructor(timeoutMs: number) {
    super(`The journal is not recorded completely after ${timeoutMs} ms`);
    this.name = 'DrainTimeoutError';
  }
}

/** With another key, every visitor would count as new, so clicks stay in the journal. */
export class VisitorKeyError extends Error {
  constructor() {
    super(
      'The visitor key of this machine is not the one that the database was used with: set ' +
        'VISITOR_KEY to what the other machines of the installation have, or bring back ' +
        'DATA_DIR/visitor-key of the machine that was first. No click is recorded until then',
    );
    this.name = 'VisitorKeyError';
  }
}

/** The recorder did not pause within the time limit. */
export class PauseTimeoutError extends Error {
  constructor(timeoutMs: number) {
    super(`The recorder of the service does not pause within ${timeoutMs / 1000} s`);
    this.name = 'PauseTimeoutError';
  }
}
