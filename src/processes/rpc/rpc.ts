import { codeOfError, errorOfCode } from './rpc-errors';

/** The calls that one process serves: for each topic what is asked and what is answered. */
export type Contract<C> = { [T in keyof C]: { request: unknown; response: unknown } };
export type Topic<C> = keyof C & string;
export type RpcRequest<C, T extends Topic<C>> = C[T] extends { request: infer R } ? R : never;
export type RpcResponse<C, T extends Topic<C>> = C[T] extends { response: infer R } ? R : never;

/** For processes that serve no calls. */
export type NoCalls = Record<string, never>;

/** Tells callers apart; undefined when the call comes from the serving process itself. */
export type RpcCaller = number | undefined;

type RpcHandler = (request: never, caller: RpcCaller) => unknown;

/**
 * The calls that a process serves, by topic. An error of a handler reaches the caller as an RpcError, or as
 * itself where its class is registered (rpc-errors.ts).
 */
export class RpcHandlers<C extends Contract<C>> {
  private readonly handlers = new Map<string, RpcHandler>();

  /** Sets the handler of a topic from now on. */
  handle<T extends Topic<C>>(
    topic: T,
    handler: (
      request: RpcRequest<C, T>,
      caller: RpcCaller,
    ) => RpcResponse<C, T> | Promise<RpcResponse<C, T>>,
  ): this {
    this.handlers.set(topic, handler);
    return this;
  }

  async call<T extends Topic<C>>(
    topic: T,
    request: RpcRequest<C, T>,
    caller?: RpcCaller,
  ): Promise<RpcResponse<C, T>> {
    return (await this.dispatch(topic, request, caller)) as RpcResponse<C, T>;
  }

  has(topic: string): boolean {
    return this.handlers.has(topic);
  }

  /** The same as `call` for what arrives over a channel. */
  async dispatch(topic: string, request: unknown, caller?: RpcCaller): Promise<unknown> {
    const handler = this.handlers.get(topic);
    if (handler === undefined) throw new Error(`nothing answers '${topic}' here`);
    return await handler(request as never, caller);
  }
}

/** `failed`: the other process threw; `timeout`: it is late; `gone`: it ended or is down. */
export type RpcErrorKind = 'failed' | 'timeout' | 'gone';

/** A call was not answered. */
export class RpcError extends Error {
  constructor(
    peer: string,
    topic: string,
    readonly kind: RpcErrorKind,
    readonly reason: string,
    /** The code of an error whose class is registered elsewhere, but not in this process. */
    readonly code?: string,
  ) {
    super(`The ${peer} process did not answer '${topic}': ${reason}`);
    this.name = 'RpcError';
  }
}

/** A request or response whose memory is handed over to the other thread, not copied. */
export class Transferred<T> {
  constructor(
    readonly body: T,
    readonly buffers: readonly ArrayBuffer[],
  ) {}
}

/** The part of node's IPC or of a worker's port that a channel needs, of either end of it. */
export interface RpcTransport {
  /** False when the other process is not connected any more. */
  send(message: object, buffers?: readonly ArrayBuffer[]): boolean;
  onMessage(listener: (message: unknown) => void): void;
}

/** The IPC channel of a child process, seen from its parent, or of this process to its own. */
export function processTransport(
  channel: Pick<NodeJS.Process, 'connected' | 'send'> & {
    on(event: 'message', listener: (message: unknown) => void): unknown;
  },
): RpcTransport {
  return {
    send: (message) => {
      if (!channel.connected) return false;
      // A channel that breaks here is followed by 'disconnect' or 'exit', which are handled.
      channel.send?.(message, undefined, undefined, () => undefined);
      return true;
    },
    onMessage: (listener) => void channel.on('message', listener),
  };
}

/** The channel of a worker thread, seen from its parent, or of this thread to its own. */
export function threadTransport(port: {
  postMessage(message: object, buffers?: readonly ArrayBuffer[]): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}): RpcTransport {
  return {
    send: (message, buffers) => {
      // A message to a thread that has ended is lost; its 'exit' closes the channel.
      port.postMessage(message, buffers);
      return true;
    },
    onMessage: (listener) => void port.on('message', listener),
  };
}

interface PendingCall {
  topic: string;
  resolve: (response: unknown) => void;
  reject: (error: Error) => void;
  deadline: NodeJS.Timeout;
}

interface RpcMessage {
  curtail: 'request' | 'response';
  id: number;
  topic?: string;
  body?: unknown;
  error?: string;
  /** Code of the error's class. */
  code?: string;
  /** Set where the other process has passed the call on in vain. */
  kind?: RpcErrorKind;
}

export type RpcDispatch = (topic: string, request: unknown) => unknown;

const servesNothing: RpcDispatch = (topic) => {
  throw new Error(`nothing answers '${topic}' here`);
};

/**
 * One end of a channel on which two processes, or two threads, call each other. Every call ends:
 * with the response, with the other side's error, at its time limit or with the other process.
 */
export class RpcChannel<Calls extends Contract<Calls>> {
  private readonly pending = new Map<number, PendingCall>();
  private lastId = 0;

  /** @param peer names the other process in errors */
  constructor(
    private readonly peer: string,
    private readonly transport: RpcTransport,
    private readonly dispatch: RpcDispatch = servesNothing,
  ) {
    transport.onMessage((message) => {
      if (isRpcMessage(message)) this.receive(message);
    });
  }

  /** @throws RpcError without an answer within `timeoutMs` */
  call<T extends Topic<Calls>>(
    topic: T,
    request: RpcRequest<Calls, T> | Transferred<RpcRequest<Calls, T>>,
    timeoutMs: number,
  ): Promise<RpcResponse<Calls, T>> {
    return new Promise((resolve, reject) => {
      const id = ++this.lastId;
      const deadline = setTimeout(
        () => this.fail(id, 'timeout', `no reply in ${timeoutMs} ms`),
        timeoutMs,
      );
      this.pending.set(id, { topic, resolve: resolve as PendingCall['resolve'], reject, deadline });
      const { body, buffers } = handedOver(request);
      const message: RpcMessage = { curtail: 'request', id, topic, body };
      if (!this.transport.send(message, buffers)) this.fail(id, 'gone', 'it is not connected');
    });
  }

  /** Fails all calls that are not answered yet: the other process is gone. */
  close(reason: string): void {
    for (const id of [...this.pending.keys()]) this.fail(id, 'gone', reason);
  }

  private receive({
    curtail,
    id,
    topic = '',
    body,
    error,
    code,
    kind = 'failed',
  }: RpcMessage): void {
    if (curtail === 'request') void this.reply(id, topic, body);
    else if (error === undefined) this.endCall(id)?.resolve(body);
    else this.fail(id, kind, error, code);
  }

  private async reply(id: number, topic: string, request: unknown): Promise<void> {
    const message: RpcMessage = { curtail: 'response', id };
    let buffers: readonly ArrayBuffer[] | undefined;
    try {
      ({ body: message.body, buffers } = handedOver(await this.dispatch(topic, request)));
    } catch (thrown) {
      Object.assign(message, toFailure(thrown));
    }
    this.transport.send(message, buffers);
  }

  private fail(id: number, kind: RpcErrorKind, reason: string, code?: string): void {
    const call = this.endCall(id);
    call?.reject(
      errorOfCode(code, reason) ?? new RpcError(this.peer, call.topic, kind, reason, code),
    );
  }

  private endCall(id: number): PendingCall | undefined {
    const call = this.pending.get(id);
    this.pending.delete(id);
    clearTimeout(call?.deadline);
    return call;
  }
}

/** Returns an error as the caller is told of it; one met over another hop is passed on as it is. */
function toFailure(thrown: unknown): Pick<RpcMessage, 'error' | 'code' | 'kind'> {
  if (thrown instanceof RpcError) {
    const { kind, code, reason, message } = thrown;
    return { kind, code, error: code === undefined ? message : reason };
  }
  const error = thrown instanceof Error ? thrown.message : String(thrown);
  return { error, code: codeOfError(thrown) };
}

function handedOver(body: unknown): { body: unknown; buffers?: readonly ArrayBuffer[] } {
  return body instanceof Transferred ? body : { body };
}

function isRpcMessage(message: unknown): message is RpcMessage {
  return (
    typeof message === 'object' &&
    message !== null &&
    'curtail' in message &&
    (message.curtail === 'request' || message.curtail === 'response')
  );
}
