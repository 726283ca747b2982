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

  /** Adds a worker. Returns its dispatcher, and a function to call after the worker exits. */
  connect(channel: WebChannel): { dispatch: RpcDispatch; disconnect: () => void } {
    const id = ++this.lastId;
    return {
      dispatch: (topic, request) => {
        // Workers receive changes after their first call. Before that call, they cache nothing.
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

  /** Returns the responses that arrive within `timeoutMs`. Omits workers that fail. */
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
