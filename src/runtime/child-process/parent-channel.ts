import { isChildMessage, Payload, reasonOf } from './child-messages';

/** How long closing may take once the parent is gone; nobody else would end a process that hangs. */
const ORPHAN_CLOSING_MS = 10_000;

/** What a child process does when its parent asks for it. */
export interface ParentHandlers {
  /** Closes everything; the process exits 0 afterwards. */
  onStop: () => Promise<void>;
  /** Answers a question; what it throws reaches the asker as the refusal's message. */
  onAsk?: (type: string, payload: Payload) => Promise<Payload>;
  /** Closes everything when the parent was killed; `onStop` unless given. */
  onOrphaned?: () => Promise<void>;
}

/** A child's voice towards its parent. */
export interface ParentChannel {
  /** Says that the process does its work from now on. */
  ready: (payload?: Payload) => void;
  /** Says why it cannot and exits 1; `permanent` when another try would end likewise. */
  failed: (message: string, options: { permanent: boolean }) => void;
}

/**
 * Serves the parent that started this process as a child. Signals that service managers and
 * terminals send to everybody at once are ignored: the parent says when to stop, after it has
 * drained. When the parent dies, the channel closes and the process ends by itself.
 */
export function serveParent({ onStop, onAsk, onOrphaned = onStop }: ParentHandlers): ParentChannel {
  let ending = false;
  const end = (close: () => Promise<void>) => {
    if (ending) return;
    ending = true;
    close().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(`Closing failed: ${reasonOf(error)}`);
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

  process.on('message', (message: unknown) => {
    if (!isChildMessage(message)) return;
    const { type, id, ...payload } = message;
    if (type === 'stop') end(onStop);
    else if (id !== undefined) void reply(id, type, payload, onAsk);
  });
  process.on('disconnect', orphaned);
  if (!process.connected) orphaned();

  return {
    ready: (payload = {}) => tell({ ...payload, type: 'ready' }),
    failed: (message, { permanent }) =>
      tell({ type: 'failed', message, permanent }, () => process.exit(1)),
  };
}

async function reply(
  id: unknown,
  type: string,
  payload: Payload,
  onAsk: ParentHandlers['onAsk'],
): Promise<void> {
  try {
    if (onAsk === undefined) throw new Error(`nothing answers '${type}' here`);
    tell({ ...(await onAsk(type, payload)), type: 'reply', id });
  } catch (error) {
    tell({ type: 'reply', id, error: reasonOf(error) });
  }
}

function tell(message: Payload, sent: () => void = () => undefined): void {
  // A failing send means that the parent is gone, which 'disconnect' takes care of.
  if (process.connected) process.send?.(message, sent);
  else sent();
}
