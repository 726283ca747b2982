import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isSameProcessAlive } from '../../../src/processes/process-identity';
import { eventually, type Service, startService } from '../../support/service';

const ROOT = join(__dirname, '..', '..', '..');

describe('npm start', () => {
  let dataDir: string;
  let service: Service;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'curtail-npm-'));
  });
  afterEach(async () => {
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function start(): Promise<number> {
    service = await startService({
      dataDir,
      group: true,
      command: ['npm', 'start', '--prefix', ROOT],
    });
    const lock = readFileSync(join(dataDir, 'curtail.lock'), 'utf8');
    return (JSON.parse(lock) as { pid: number }).pid;
  }

  async function expectOrderlyEnd(pid: number): Promise<void> {
    await eventually('the service ends', () => !isSameProcessAlive({ pid, startTime: null }));
    // Waits for the rest of the output.
    await service.stop();
    expect(service.log()).toMatch(/: stopping"/);
    expect(service.log()).toContain('"msg":"Stopped"');
    expect(existsSync(join(dataDir, 'curtail.lock'))).toBe(false);
  }

  it.each(['npm', 'the service'])('shuts down cleanly if SIGTERM is sent to %s', async (whom) => {
    const pid = await start();
    const npm = service.process.pid!;
    // No shell between npm and the service can intercept the signal.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    expect(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]).toBe(String(npm));
    process.kill(whom === 'npm' ? npm : pid, 'SIGTERM');
    await expectOrderlyEnd(pid);
  });

  it('shuts down cleanly, once, if Ctrl-C is sent to the whole process group', async () => {
    const pid = await start();
    await service.signalGroup('SIGINT');
    await expectOrderlyEnd(pid);
    expect(service.log().match(/: stopping"/g)).toHaveLength(1);
  });

  it('shuts down cleanly if npm is killed, which sends no signal to other processes', async () => {
    const pid = await start();
    process.kill(service.process.pid!, 'SIGKILL');
    await expectOrderlyEnd(pid);
  });
});
