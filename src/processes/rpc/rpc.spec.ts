import { EventEmitter, once } from 'node:events';
import { RpcHub } from './rpc-hub';
import type { PrimaryCalls, WebCalls } from './primary-calls';
import { RpcChannel, type RpcDispatch, RpcError, RpcHandlers, type RpcTransport } from './rpc';
import { registerRpcError } from './rpc-errors';

class BusyError extends Error {}
registerRpcError(BusyError, 'test.busy', (message) => new BusyError(message));

interface Calls {
  add: { request: { a: number; b: number }; response: number };
  fail: { request: null; response: null };
  silence: { request: null; response: null };
}

/** The two ends of a channel that carries JSON, like Node's IPC. */
class Wire {
  private readonly left = new EventEmitter();
  private readonly right = new EventEmitter();
  connected = true;
  readonly ends: [RpcTransport, RpcTransport] = [
    this.end(this.left, this.right),
    this.end(this.right, this.left),
  ];

  private end(own: EventEmitter, other: EventEmitter): RpcTransport {
    return {
      send: (message) => {
        const text = JSON.stringify(message);
        if (this.connected) setImmediate(() => other.emit('message', JSON.parse(text)));
        return this.connected;
      },
      onMessage: (listener) => void own.on('message', listener),
    };
  }
}

const nothing = () => undefined;

function aPair() {
  const wire = new Wire();
  const handlers = new RpcHandlers<Calls>()
    .handle('add', ({ a, b }) => a + b)
    .handle('fail', () => Promise.reject(new Error('no such thing')))
    .handle('silence', () => new Promise(nothing));
  const [near, far] = wire.ends;
  const channel = new RpcChannel<Calls>('other', near, nothing);
  const back = new RpcChannel<Calls>('first', far, (topic, request) =>
    handlers.dispatch(topic, request),
  );
  return { wire, channel, back };
}

async function errorOf(call: Promise<unknown>): Promise<Pick<RpcError, 'kind' | 'message'>> {
  const error: unknown = await call.catch((thrown: unknown) => thrown);
  if (!(error instanceof RpcError)) throw new Error('no RpcError');
  return { kind: error.kind, message: error.message };
}

describe('a call between processes', () => {
  it('returns a result, and supports many concurrent calls', async () => {
    const { channel } = aPair();
    const sums = [1, 2, 3].map((a) => channel.call('add', { a, b: 40 }, 5000));
    expect(await Promise.all(sums)).toEqual([41, 42, 43]);
  });

  it('fails with the error that the other process threw', async () => {
    const { channel } = aPair();
    expect(await errorOf(channel.call('fail', null, 5000))).toEqual({
      kind: 'failed',
      message: "The other process did not reply to 'fail': no such thing",
    });
  });

  /** Makes a call through two processes. The first one only forwards the call. */
  function overTwoHops(dispatch: RpcDispatch, timeoutMs = 5000): Promise<unknown> {
    const [web, primary, middle, far] = [...new Wire().ends, ...new Wire().ends];
    const onwards = new RpcChannel<Calls>('far', middle);
    new RpcChannel('middle', primary, () => onwards.call('fail', null, timeoutMs));
    new RpcChannel('web', far, dispatch);
    return new RpcChannel<Calls>('primary', web).call('fail', null, 5000);
  }

  it('fails with the original error class if it is registered, even through several processes', async () => {
    const failed = overTwoHops(() => Promise.reject(new BusyError('come again')));
    await expect(failed).rejects.toEqual(new BusyError('come again'));
    await expect(failed).rejects.toBeInstanceOf(BusyError);
    class Unregistered extends BusyError {}
    const other = overTwoHops(() => Promise.reject(new Unregistered('come again')));
    await expect(other).rejects.toBeInstanceOf(RpcError);
  });

  it('fails with an unknown code, and passes the code on', async () => {
    const unknown = new RpcError('far', 'fail', 'failed', 'come again', 'elsewhere');
    await expect(overTwoHops(() => Promise.reject(unknown))).rejects.toMatchObject({
      code: 'elsewhere',
      reason: 'come again',
    });
  });

  it('fails with a timeout or a lost connection if the next process fails in that way', async () => {
    const late = overTwoHops(() => new Promise(nothing), 10);
    await expect(late).rejects.toMatchObject({ kind: 'timeout' });
    const gone = overTwoHops(() =>
      Promise.reject(new RpcError('further', 'fail', 'gone', 'it ended')),
    );
    await expect(gone).rejects.toMatchObject({ kind: 'gone' });
  });

  it('accepts one error class per code', () => {
    expect(() => registerRpcError(Error, 'test.busy', () => new Error())).toThrow('test.busy');
  });

  it('fails if the other process has no handler', async () => {
    const wire = new Wire();
    const [near, far] = wire.ends;
    const channel = new RpcChannel<Calls>('other', near, nothing);
    const none = new RpcHandlers<Calls>();
    new RpcChannel('first', far, (topic, request) => none.dispatch(topic, request));
    const { kind, message } = await errorOf(channel.call('fail', null, 5000));
    expect({ kind, message }).toEqual({
      kind: 'failed',
      message: expect.stringContaining("no handler for 'fail'") as string,
    });
  });

  it('fails at its time limit', async () => {
    const { channel } = aPair();
    expect((await errorOf(channel.call('silence', null, 10))).kind).toBe('timeout');
  });

  it('fails when the other process exits, and immediately after it has exited', async () => {
    const { wire, channel } = aPair();
    const call = errorOf(channel.call('silence', null, 60_000));
    channel.close('it ended (signal SIGKILL)');
    expect(await call).toEqual({
      kind: 'gone',
      message: "The other process did not reply to 'silence': it ended (signal SIGKILL)",
    });
    wire.connected = false;
    expect((await errorOf(channel.call('add', { a: 1, b: 1 }, 60_000))).kind).toBe('gone');
  });

  it('ignores other messages and late replies', async () => {
    const { wire, channel } = aPair();
    const [, far] = wire.ends;
    for (const message of [{}, { curtail: 'ready' }, { curtail: 'response', id: 99, body: 1 }]) {
      far.send(message);
    }
    expect(await channel.call('add', { a: 1, b: 2 }, 5000)).toBe(3);
  });
});

describe('the hub of the web workers', () => {
  /** Connects a worker that handles deliveries with `deliver`. */
  function aWorker(hub: RpcHub, deliver: () => Promise<undefined>) {
    const [near, far] = new Wire().ends;
    const events = new EventEmitter();
    let dispatch: (topic: string, request: unknown) => unknown = nothing;
    const channel = new RpcChannel<WebCalls>('web worker', near, (topic, request) =>
      dispatch(topic, request),
    );
    const connected = hub.connect(channel);
    dispatch = connected.dispatch;
    const worker = new RpcChannel<PrimaryCalls>('primary', far, () => {
      events.emit('told');
      return deliver();
    });
    return { worker, told: () => once(events, 'told'), disconnect: connected.disconnect };
  }

  const delivery = { channel: 'journal.seal', message: null } as const;
  const done = () => Promise.resolve(undefined);

  it('calls all connected workers except the excluded one, and counts missing ones', async () => {
    const hub = new RpcHub(new RpcHandlers<PrimaryCalls>());
    const [first, second] = [aWorker(hub, done), aWorker(hub, () => Promise.reject(new Error()))];
    aWorker(hub, done);
    await first.worker.call('hello', null, 5000);
    await second.worker.call('hello', null, 5000);
    expect(await hub.callAll('bus.deliver', delivery, 5000, 1)).toMatchObject({ missing: 1 });
    const { responses, missing } = await hub.callAll('bus.deliver', delivery, 5000);
    expect({ answered: [...responses.keys()], missing }).toEqual({ answered: [1], missing: 1 });
  });

  it('does not wait for workers that have exited, and logs this once', async () => {
    const hub = new RpcHub(new RpcHandlers<PrimaryCalls>());
    const gone: number[] = [];
    hub.onExit((id) => gone.push(id));
    const { worker, told, disconnect } = aWorker(hub, () => new Promise(nothing));
    await worker.call('hello', null, 5000);
    const heard = told();
    const call = hub.callAll('bus.deliver', delivery, 60_000);
    await heard;
    disconnect();
    disconnect();
    expect(await call).toMatchObject({ missing: 1 });
    expect(await hub.callAll('bus.deliver', delivery, 60_000)).toMatchObject({ missing: 0 });
    expect(gone).toEqual([1]);
  });
});
