import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import {
  RpcChannel,
  RpcFailure,
  RpcHandlers,
  threadTransport,
  Transferred,
} from '../../processes/rpc/rpc';
import { CancelledError, EngineBusyError } from '../../click-engine/engine.errors';
import { buffersOf } from '../../click-engine/resident/segment';
import type { ShardCalls } from '../../click-engine/shards/shard.messages';
import { StatisticsShard } from '../../click-engine/shards/statistics-shard';

// Entry of a thread that counts one range of visitors.
if (process.platform === 'linux') {
  // There it holds for this thread alone: redirects come first where processors are few.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
}
const shard = new StatisticsShard();
const handlers = new RpcHandlers<ShardCalls>()
  .handle('take', (request) => shard.take(request))
  .handle('settle', (request) => shard.settle(request))
  .handle('keep', (request) => shard.keep(request))
  .handle('save', (request) => shard.save(request))
  .handle('restore', (request) => shard.restore(request))
  .handle('drop', (request) => shard.drop(request))
  .handle('count', (request) => shard.count(request))
  .handle('beginScan', (request) => shard.beginScan(request))
  .handle('endScan', (request) => shard.endScan(request))
  .handle('read', (request) => {
    const response = shard.read(request);
    const buffers = response.parts.flatMap((part) => (part === null ? [] : buffersOf(part)));
    return new Transferred(response, buffers) as never;
  });

if (parentPort !== null) {
  new RpcChannel('statistics', threadTransport(parentPort), async (topic, request) => {
    try {
      return await handlers.dispatch(topic, request);
    } catch (error) {
      if (!(error instanceof CancelledError) && !(error instanceof EngineBusyError)) throw error;
      throw new RpcFailure('busy', error.message);
    }
  });
}
