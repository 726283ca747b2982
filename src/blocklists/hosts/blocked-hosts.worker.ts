import { RpcHandlers } from '../../processes/rpc/rpc';
import { lowerThreadPriority, serveThread } from '../../processes/worker-thread';
import type { HostListCalls } from './stored-hosts';
import { readHostsFile } from './hosts-file';

// Runs in a thread, because reading half a million lines would delay redirects.
lowerThreadPriority();
const hostHandlers = new RpcHandlers<HostListCalls>().handle('read', (path) => {
  const { state, table, unreadable } = readHostsFile(path);
  return { state, version: table.version, digests: table.digests, unreadable };
});
serveThread((topic, request) => hostHandlers.dispatch(topic, request));
