import type { PrimaryCalls, WebCalls } from './primary-calls';
import { primaryHandlers } from './primary-client';
import type { RpcChannel, RpcDispatch, RpcRequest, RpcResponse, Topic } from './rpc';

type WebChannel = RpcChannel<WebCalls>;
type WebResponses<T extends Topic<WebCalls>> = Map<number, RpcResponse<WebCalls, T>>;

/** The primary's end of the channels to its web workers: answers their calls and calls them all. */
export class RpcHub {
  private readonly channels = new Map<number, WebChannel>();
  private readonly exitListeners: ((caller: number) => void)[] = [];
  private lastId = 0;

  constructor(private readonly handlers = primaryHandlers) {}

  /** Runs when a worker is gone. */
  onExit(listener: (caller: number) => void): void {
    this.exitListeners.push(listener);
  }

  /** Takes the channel of a new worker; answers what serves it, and what to do when it is gone. */
  connect(channel: WebChannel): { dispatch: RpcDispatch; disconnect: () => void } {
    const id = ++this.lastId;
    return {
      dispatch: (topic, request) => {
        // A worker is told of changes from its first call on; before, it remembers nothing.
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

  /**
   * Calls every worker but `except`; resolves when each has answered, failed, died or let
   * `timeoutMs` pass, with what those that did answer have said.
   */
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
