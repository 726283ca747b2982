import {
  type Contract,
  type NoCalls,
  processTransport,
  RpcChannel,
  type RpcHandlers,
} from '../rpc/rpc';

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

/** Time limit for closing if the parent, which kills hanging processes, has ended. */
const ORPHAN_CLOSING_MS = 10_000;

export interface ChildOptions<Served extends Contract<Served>> {
  /** Closes all resources. The process then exits with 0. */
  onStop: () => Promise<void>;
  /** Handlers for calls from the parent. Omit if other code serves the channel. */
  handlers?: RpcHandlers<Served>;
  /** Closes all resources after the parent has been killed; by default `onStop`. */
  onOrphaned?: () => Promise<void>;
}

export interface ParentChannel {
  /** Reports the current startup step, which the parent logs if startup is slow. */
  step: (step: string) => void;
  ready: (payload?: Payload) => void;
  /** Reports the reason and exits with 1. `permanent` means that a retry would also fail. */
  failed: (message: string, options: { permanent: boolean }) => void;
}

export interface CallingChannel<Calls extends Contract<Calls>> extends ParentChannel {
  calls: Pick<RpcChannel<Calls>, 'call'>;
}

/** Ignores signals to the process group, because the parent requests the stop after draining. */
export function serveParent<Served extends Contract<Served>, Calls extends Contract<Calls>>(
  options: ChildOptions<Served> & { handlers: RpcHandlers<Served> },
): CallingChannel<Calls>;
export function serveParent(options: ChildOptions<NoCalls>): ParentChannel;
export function serveParent<Served extends Contract<Served>, Calls extends Contract<Calls>>({
  onStop,
  handlers,
  onOrphaned = onStop,
}: ChildOptions<Served>): ParentChannel & Partial<CallingChannel<Calls>> {
  let ending = false;
  const end = (close: () => Promise<void>) => {
    if (ending) return;
    ending = true;
    close().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(`Closing failed: ${failureReason(error)}`);
        process.exit(1);
      },
    );
  };
  const orphaned = () => {
    setTimeout(() => process.exit(1), ORPHAN_CLOSING_MS).unref();
    end(onOrphaned);
  };

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
  // The parent has closed its end of the pipes. A log line must not abort the shutdown.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

  const calls =
    handlers &&
    new RpcChannel<Calls>('parent', processTransport(process), (topic, request) =>
      handlers.dispatch(topic, request),
    );
  process.on('message', (message: unknown) => {
    if (!isLifecycleMessage(message)) return;
    if (message.curtail === 'stop') end(onStop);
    // Sent from the event loop, so a process with a blocked event loop does not reply.
    else if (message.curtail === 'ping') tell({ curtail: 'pong' });
  });
  process.on('disconnect', orphaned);
  if (!process.connected) orphaned();

  return {
    ...(calls && { calls }),
    step: (step) => tell({ curtail: 'step', step }),
    ready: (payload = {}) => tell({ curtail: 'ready', payload }),
    failed: (message, { permanent }) =>
      tell({ curtail: 'failed', message, permanent }, () => process.exit(1)),
  };
}

function tell(message: LifecycleMessage, sent: () => void = () => undefined): void {
  // If sending fails, the parent has ended, which 'disconnect' handles.
  if (process.connected) process.send?.(message, undefined, undefined, sent);
  else sent();
}
