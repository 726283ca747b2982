/** The journal could not be emptied in the time given for it; what is left waits in it. */
export class DrainTimeoutError extends Error {
  constructor(timeoutMs: number) {
    super(`The journal is not recorded completely after ${timeoutMs} ms`);
    this.name = 'DrainTimeoutError';
  }
}

/** Recording on would count every visitor as a new one: the clicks wait in the journal instead. */
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
