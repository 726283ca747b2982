import {
  type Contract,
  type NoCalls,
  processTransport,
  RpcChannel,
  type RpcHandlers,
} from '../rpc/rpc';
import {
  isLifecycleMessage,
  type LifecycleMessage,
  type Payload,
  failureReason,
} from './child-messages';

/** How long closing may take once the parent is gone; nobody else would end a process that hangs. */
const ORPHAN_CLOSING_MS = 10_000;

/** Actions of a child process that its parent asks for. */
export interface ChildOptions<Served extends Contract<Served>> {
  /** Closes everything; the process exits 0 afterwards. */
  onStop: () => Promise<void>;
  /** Serves the parent's calls; without them somebody else serves the channel. */
  handlers?: RpcHandlers<Served>;
  /** Closes everything when the parent was killed; `onStop` unless given. */
  onOrphaned?: () => Promise<void>;
}

/** Messages of a child process to its parent. */
export interface ParentChannel {
  /** Names the step that the start has reached, for the log of a start that takes long. */
  step: (step: string) => void;
  /** Says that the process does its work from now on. */
  ready: (payload?: Payload) => void;
  /** Says why it cannot and exits 1; `permanent` when another try would end likewise. */
  failed: (message: string, options: { permanent: boolean }) => void;
}

/** The same of a child that serves calls of its parent, and makes some of its own. */
export interface CallingChannel<Calls extends Contract<Calls>> extends ParentChannel {
  calls: Pick<RpcChannel<Calls>, 'call'>;
}

/**
 * Serves the parent that started this process as a child. Signals that service managers and
 * terminals send to everybody at once are ignored: the parent says when to stop, after it has
 * drained. When the parent dies, the channel closes and the process ends by itself.
 */
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
  // With the parent its end of the pipes is gone; a log line must not end an orderly closing.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

  const calls =
    handlers &&
    new RpcChannel<Calls>('parent', processTransport(process), (topic, request) =>
      handlers.dispatch(topic, request),
    );
  process.on('message', (message: unknown) => {
    if (!isLifecycleMessage(message)) return;
    if (message.curtail === 'stop') end(onStop);
    // From the event loop itself: one that hangs does not answer.
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
  // A failing send means that the parent is gone, which 'disconnect' takes care of.
  if (process.connected) process.send?.(message, undefined, undefined, sent);
  else sent();
}
