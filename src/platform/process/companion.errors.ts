/** The companion cannot run here and trying again would not help; the message says why. */
export class ChildFailedError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'CompanionFailedError';
  }
}

/** A question was not answered: the companion is down, went down meanwhile, refused or is late. */
export class ChildUnansweredError extends Error {
  constructor(companion: string, question: string, reason: string) {
    super(`The ${companion} process did not answer '${question}': ${reason}`);
    this.name = 'CompanionUnansweredError';
  }
}
