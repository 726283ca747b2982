import { segmentBuffers } from '../../engines/click-engine/reading/segment';
import {
  type ShardCalls,
  StatisticsShard,
} from '../../engines/click-engine/shards/statistics-shard';
import { RpcHandlers, Transferred } from '../../processes/rpc/rpc';
import { lowerThreadPriority, serveThread } from '../../processes/worker-thread';
// Registers the engine's errors, so that they can be sent to other threads.
import './statistics.errors';

lowerThreadPriority();
const shard = new StatisticsShard();
const shardHandlers = new RpcHandlers<ShardCalls>()
  .handle('takeSegment', (request) => shard.takeSegment(request))
  .handle('mergeTaken', (request) => shard.mergeTaken(request))
  .handle('keep', (request) => shard.keep(request))
  .handle('drop', (request) => shard.drop(request))
  .handle('count', (request) => shard.count(request))
  .handle('read', (request) => {
    const response = shard.read(request);
    const buffers = response.parts.flatMap((part) => (part === null ? [] : segmentBuffers(part)));
    return new Transferred(response, buffers) as never;
  });

serveThread((topic, request) => shardHandlers.dispatch(topic, request));
