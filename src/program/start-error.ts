import { dataDirFault } from '../common/file-fault';

/** DATA_DIR cannot be used; the message says why and what to do. */
export class DataDirError extends Error {
  constructor(fault: string) {
    super(fault);
    this.name = 'DataDirError';
  }
}

export class DataDirInUseError extends Error {
  constructor(dir: string, pid: number) {
    super(
      `DATA_DIR ${dir} is in use by another Curtail (process ${pid}); set another DATA_DIR for this one`,
    );
    this.name = 'DataDirInUseError';
  }
}

export class ListenError extends Error {
  constructor(host: string, port: number, cause: NodeJS.ErrnoException) {
    super(listenFault(host, port, cause.code ?? cause.message), { cause });
    this.name = 'ListenError';
  }
}

export class AskListenError extends Error {
  constructor(host: string, port: number, cause: NodeJS.ErrnoException) {
    const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    const reason = cause.code === 'EADDRINUSE' ? 'the address is in use' : (cause.code ?? '');
    super(`TLS_ASK_ADDRESS=${address}: cannot listen on it (${reason}); set another address`, {
      cause,
    });
    this.name = 'AskListenError';
  }
}

function listenFault(host: string, port: number, code: string): string {
  switch (code) {
    case 'EADDRINUSE':
      return `PORT=${port}: the address is in use; stop the program that listens there, or set another PORT`;
    case 'EACCES':
      return (
        `PORT=${port}: only root may listen on this port; set PORT to 1024 or more and put a proxy ` +
        'in front, or allow it: sudo setcap cap_net_bind_service=+ep "$(readlink -f "$(which node)")"'
      );
    case 'EADDRNOTAVAIL':
      return `HOST=${host}: this machine has no such address; set HOST to one of its addresses, or to 0.0.0.0 for all of them`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `HOST=${host}: this name has no address; set HOST to an address of this machine, or to 0.0.0.0 for all of them`;
    default:
      return `HOST=${host}, PORT=${port}: cannot listen there (${code}); set HOST to an address of this machine, or to 0.0.0.0 for all of them`;
  }
}

const EXPECTED = new Set([
  'AskListenError',
  'ChildFailedError',
  'ConfigurationError',
  'DataDirError',
  'DataDirInUseError',
  'ListenError',
]);

/** Returns one line for errors that the operator can fix, otherwise the complete error. */
export function startErrorMessage(error: unknown, dataDir?: string): string {
  if (!(error instanceof Error)) return String(error);
  if (EXPECTED.has(error.name)) return error.message;
  const fault = dataDir === undefined ? null : dataDirFault(dataDir, error);
  return fault ?? error.stack ?? error.message;
}
