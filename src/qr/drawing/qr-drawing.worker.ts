import type { QrCalls } from './qr.calls';
import { RpcHandlers } from '../../processes/rpc/rpc';
import { lowerThreadPriority, serveThread } from '../../processes/worker-thread';
import { toLogo, readLogo } from './logo';
import { qrMatrix } from './qr-matrix';
import { qrPng } from './qr-png';
import { qrSvg } from './qr-svg';

// Runs in a thread, because drawing and decoding would delay redirects by tens of milliseconds.
lowerThreadPriority();

const drawingHandlers = new RpcHandlers<QrCalls>()
  .handle('draw', ({ format, content, look, logo }) => {
    const matrix = qrMatrix(content);
    return format === 'svg'
      ? Buffer.from(qrSvg(matrix, look, logo))
      : qrPng(matrix, look, logo === null ? null : readLogo(logo));
  })
  .handle('logo', toLogo);

serveThread((topic, request) => drawingHandlers.dispatch(topic, request));
