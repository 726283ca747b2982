import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { eventually } from './shared/eventually';
import { endAfterFile } from './left-running';
import { programPath } from './programs';
import { freePort } from './service';

const CADDYFILE = join(__dirname, '..', '..', 'deploy', 'Caddyfile.on-demand');

export const describeWithCaddy = programPath('caddy') === null ? describe.skip : describe;

export class Caddy {
  private constructor(
    private readonly folder: string,
    readonly port: number,
    private readonly end: () => Promise<void>,
  ) {}

  static async start(servicePort: number, askPort: number): Promise<Caddy> {
    const folder = mkdtempSync(join(tmpdir(), 'curtail-caddy-'));
    const port = await freePort();
    const extras = [
      'admin off',
      'local_certs',
      'skip_install_trust',
      `http_port ${await freePort()}`,
      `https_port ${port}`,
      'auto_https disable_redirects',
      `storage file_system ${folder}`,
    ];
    const config = readFileSync(CADDYFILE, 'utf8')
      .replace('{\n', `{\n\t${extras.join('\n\t')}\n`)
      .replace('https:// {\n', 'https:// {\n\tbind 127.0.0.1\n')
      .replaceAll('127.0.0.1:8001', `127.0.0.1:${askPort}`)
      .replaceAll('127.0.0.1:8000', `127.0.0.1:${servicePort}`);
    const file = join(folder, 'Caddyfile');
    writeFileSync(file, config);
    const child = spawn('caddy', ['run', '--adapter', 'caddyfile', '--config', file], {
      env: { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder },
      stdio: 'ignore',
    });
    const ended = once(child, 'close');
    const end = async (): Promise<void> => {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    };
    endAfterFile(end);
    const caddy = new Caddy(folder, port, end);
    await eventually('the authority', () => existsSync(caddy.authority));
    return caddy;
  }

  stop(): Promise<void> {
    return this.end();
  }

  certificateOf(servername: string): Promise<string | null> {
    return new Promise((resolve) => {
      const ca = readFileSync(this.authority);
      const socket = connect({ host: '127.0.0.1', port: this.port, servername, ca });
      socket.once('secureConnect', () => {
        resolve(socket.getPeerCertificate().subjectaltname ?? '');
        socket.destroy();
      });
      socket.once('error', () => resolve(null));
    });
  }

  private get authority(): string {
    return join(this.folder, 'pki', 'authorities', 'local', 'root.crt');
  }
}
