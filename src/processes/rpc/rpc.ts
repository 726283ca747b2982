import { codeOfError, errorOfCode, toRpcText } from './rpc-errors';

export type Contract<C> = { [T in keyof C]: { request: unknown; response: unknown } };
export type Topic<C> = keyof C & string;
export type RpcRequest<C, T extends Topic<C>> = C[T] extends { request: infer R } ? R : never;
export type RpcResponse<C, T extends Topic<C>> = C[T] extends { response: infer R } ? R : never;

export type NoCalls = Record<string, never>;

/** Identifies the caller; undefined for calls within the same process. */
export type RpcCaller = number | undefined;

type RpcHandler = (request: never, caller: RpcCaller) => unknown;

/** Callers get handler errors as RpcError, unless registered (rpc-errors.ts). */
export class RpcHandlers<C extends Contract<C>> {
  private readonly handlers = new Map<string, RpcHandler>();

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

  async dispatch(topic: string, request: unknown, caller?: RpcCaller): Promise<unknown> {
    const handler = this.handlers.get(topic);
    if (handler === undefined) throw new Error(`no handler for '${topic}'`);
    return await handler(request as never, caller);
  }
}

/** `failed`: the other process threw; `timeout`: no response in time; `gone`: process exited. */
export type RpcErrorKind = 'failed' | 'timeout' | 'gone';

export class RpcError extends Error {
  constructor(
    peer: string,
    topic: string,
    readonly kind: RpcErrorKind,
    readonly reason: string,
    /** Code of an error whose class is not registered in this process. */
    readonly code?: string,
  ) {
    super(`The ${peer} process did not reply to '${topic}': ${reason}`);
    this.name = 'RpcError';
  }
}

/** A value whose buffers are transferred to another thread instead of being copied. */
export class Transferred<T> {
  constructor(
    readonly body: T,
    readonly buffers: readonly ArrayBuffer[],
  ) {}
}

export interface RpcTransport {
  /** Returns false if the other process is disconnected. */
  send(message: object, buffers?: readonly ArrayBuffer[]): boolean;
  onMessage(listener: (message: unknown) => void): void;
}

export function processTransport(
  channel: Pick<NodeJS.Process, 'connected' | 'send'> & {
    on(event: 'message', listener: (message: unknown) => void): unknown;
  },
): RpcTransport {
  return {
    send: (message) => {
      if (!channel.connected) return false;
      // An error is followed by 'disconnect' or 'exit', both of which are handled.
      channel.send?.(message, undefined, undefined, () => undefined);
      return true;
    },
    onMessage: (listener) => void channel.on('message', listener),
  };
}

export function threadTransport(port: {
  postMessage(message: object, buffers?: readonly ArrayBuffer[]): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}): RpcTransport {
  return {
    send: (message, buffers) => {
      // A message to an ended thread is lost. The thread's 'exit' event closes the channel.
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
  code?: string;
  /** Set if the other process forwarded the call and that call failed. */
  kind?: RpcErrorKind;
}

export type RpcDispatch = (topic: string, request: unknown) => unknown;

const servesNothing: RpcDispatch = (topic) => {
  throw new Error(`no handler for '${topic}'`);
};

/** Every call settles with a response, an error, a timeout or the other process's exit. */
export class RpcChannel<Calls extends Contract<Calls>> {
  private readonly pending = new Map<number, PendingCall>();
  private lastId = 0;

  constructor(
    private readonly peer: string,
    private readonly transport: RpcTransport,
    private readonly dispatch: RpcDispatch = servesNothing,
  ) {
    transport.onMessage((message) => {
      if (isRpcMessage(message)) this.receive(message);
    });
  }

  /** @throws RpcError without a response within `timeoutMs` */
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

/** Serialises an error. RpcErrors from a forwarded call stay unchanged. */
function toFailure(thrown: unknown): Pick<RpcMessage, 'error' | 'code' | 'kind'> {
  if (thrown instanceof RpcError) {
    const { kind, code, reason, message } = thrown;
    return { kind, code, error: code === undefined ? message : reason };
  }
  return { error: toRpcText(thrown), code: codeOfError(thrown) };
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
