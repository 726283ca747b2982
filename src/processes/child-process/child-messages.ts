/** Messages between a child process and its parent, beside the calls of `rpc/rpc`. */
export type LifecycleMessage =
  | { curtail: 'ready'; payload: Payload }
  | { curtail: 'step'; step: string }
  | { curtail: 'failed'; message: string; permanent: boolean }
  | { curtail: 'stop' }
  | { curtail: 'ping' }
  | { curtail: 'pong' };

const KINDS: ReadonlySet<unknown> = new Set<LifecycleMessage['curtail']>([
  ...(['ready', 'step', 'failed', 'stop', 'ping', 'pong'] as const),
]);

/** The message of a process that is ready: anything that JSON carries. */
export type Payload = Record<string, unknown>;

/** Other messages on the channel are ignored. */
export function isLifecycleMessage(value: unknown): value is LifecycleMessage {
  return (
    typeof value === 'object' && value !== null && 'curtail' in value && KINDS.has(value.curtail)
  );
}

/** The message of an error, or what was thrown instead of one. */
export function failureReason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The part of a log that supervising needs; pino and Nest's loggers are adapted to it by the caller. */
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
