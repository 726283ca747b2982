/** Lifecycle messages between child and parent. Calls use `rpc/rpc`. */
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

export type Payload = Record<string, unknown>;

export function isLifecycleMessage(value: unknown): value is LifecycleMessage {
  return (
    typeof value === 'object' && value !== null && 'curtail' in value && KINDS.has(value.curtail)
  );
}

export function failureReason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export interface ProcessLogger {
  info(message: string, extra?: Record<string, unknown>): void;
  warn(message: string, extra?: Record<string, unknown>): void;
  error(message: string, extra?: Record<string, unknown>): void;
}
