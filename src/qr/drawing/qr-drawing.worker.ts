import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import type { QrCalls } from '../qr.calls';
import { RpcChannel, RpcFailure, RpcHandlers, threadTransport } from '../../processes/rpc/rpc';
import { LogoError, logoOf, readLogo } from './logo';
import { qrMatrix } from './qr-matrix';
import { qrPng } from './qr-png';
import { qrSvg } from './qr-svg';

// Entry of the thread that draws codes and decodes logos: either takes milliseconds to tens of them,
// for which redirects would wait.
if (process.platform === 'linux') {
  // There it holds for this thread alone: redirects come first where processors are few.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
}

const handlers = new RpcHandlers<QrCalls>()
  .handle('draw', ({ format, content, look, logo }) => {
    const matrix = qrMatrix(content);
    return format === 'svg'
      ? Buffer.from(qrSvg(matrix, look, logo))
      : qrPng(matrix, look, logo === null ? null : readLogo(logo));
  })
  .handle('logo', (sent) => {
    try {
      return logoOf(sent);
    } catch (error) {
      throw error instanceof LogoError ? new RpcFailure('logo', error.message) : error;
    }
  });

if (parentPort !== null) {
  new RpcChannel('web', threadTransport(parentPort), (topic, request) =>
    handlers.dispatch(topic, request),
  );
}
