import { workerData } from 'node:worker_threads';
import { RpcHandlers } from '../processes/rpc/rpc';
import { serveThread } from '../processes/worker-thread';
import { nestedUrls } from '../stores/links/nested-urls';
import type { BlocklistCalls } from './blocked-destinations';
import { DestinationPatterns, destinationSpellings } from './destination-patterns';

// Checks destinations one at a time. A slow pattern therefore delays only queued destinations.
const patterns = new DestinationPatterns((workerData as { sources: string[] }).sources);
const destinationHandlers = new RpcHandlers<BlocklistCalls>().handle('judge', (destination) =>
  patterns.judge(
    [destination, ...nestedUrls(destination)].flatMap((url) =>
      destinationSpellings(url, new URL(url)),
    ),
  ),
);
serveThread((topic, request) => destinationHandlers.dispatch(topic, request));
