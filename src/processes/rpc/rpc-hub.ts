import type { PrimaryCalls, WebCalls } from './primary-calls';
import { primaryHandlers } from './primary-client';
import type { RpcChannel, RpcDispatch, RpcRequest, RpcResponse, Topic } from './rpc';

type WebChannel = RpcChannel<WebCalls>;
type WebResponses<T extends Topic<WebCalls>> = Map<number, RpcResponse<WebCalls, T>>;

export class RpcHub {
  private readonly channels = new Map<number, WebChannel>();
  private readonly exitListeners: ((caller: number) => void)[] = [];
  private lastId = 0;

  constructor(private readonly handlers = primaryHandlers) {}

  onExit(listener: (caller: number) => void): void {
    this.exitListeners.push(listener);
  }

  /** Adds a worker; returns its dispatcher and a function to call after it exits. */
  connect(channel: WebChannel): { dispatch: RpcDispatch; disconnect: () => void } {
    const id = ++this.lastId;
    return {
      dispatch: (topic, request) => {
        // Workers receive changes from their first call on; they cache nothing before it.
        this.channels.set(id, channel);
        const hello: Topic<PrimaryCalls> = 'hello';
        return topic === hello ? undefined : this.handlers.dispatch(topic, request, id);
      },
      disconnect: () => {
        channel.close('it is gone');
        if (this.channels.delete(id)) for (const listener of this.exitListeners) listener(id);
      },
    };
  }

  /** Returns the responses that arrive within `timeoutMs`; failed workers are omitted. */
  async callAll<T extends Topic<WebCalls>>(
    topic: T,
    request: RpcRequest<WebCalls, T>,
    timeoutMs: number,
    except?: number,
  ): Promise<{ responses: WebResponses<T>; missing: number }> {
    const responses: WebResponses<T> = new Map();
    const others = [...this.channels].filter(([id]) => id !== except);
    await Promise.allSettled(
      others.map(async ([id, channel]) =>
        responses.set(id, await channel.call(topic, request, timeoutMs)),
      ),
    );
    return { responses, missing: others.length - responses.size };
  }
}
