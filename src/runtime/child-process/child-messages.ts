/** The fields of a message besides its `type` and `id`: anything that JSON carries. */
export type Payload = Record<string, unknown>;

/** One message of the channel between a child process and its parent, either way. */
export interface ChildMessage extends Payload {
  type: string;
}

/** True for objects with a `type`; whatever else arrives on the channel is ignored. */
export function isChildMessage(value: unknown): value is ChildMessage {
  return (
    typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
  );
}

/** The message of an error, or what was thrown instead of one. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What supervising needs of a log; pino and Nest's loggers are adapted to it by the caller. */
export interface ProcessLogger {
  info(message: string, extra?: Record<string, unknown>): void;
  warn(message: string, extra?: Record<string, unknown>): void;
  error(message: string, extra?: Record<string, unknown>): void;
}

/** The child cannot run here and trying again would not help; the message says why. */
export class ChildFailedError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'ChildFailedError';
  }
}

/** A question was not answered: the child is down, went down meanwhile, refused or is late. */
export class ChildUnansweredError extends Error {
  constructor(child: string, question: string, reason: string) {
    super(`The ${child} process did not answer '${question}': ${reason}`);
    this.name = 'ChildUnansweredError';
  }
}
