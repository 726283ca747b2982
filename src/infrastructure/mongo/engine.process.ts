import { dirname } from 'node:path';
import { failureReason, serveParent } from '../../processes/child-process/parent-channel';
import type { Engine } from '../../engines/embedded-mongo/engine';
import { EngineUnavailableError } from '../../engines/embedded-mongo/c-library/engine.errors';

/** Started by EmbeddedEngine as `engine.process.js <directory> <socket path> <wait ms>`. */
const [, , directory = '', socketPath = '', lockWaitMs = ''] = process.argv;

const engine = openEngine();

const parent = serveParent({
  // A stop also waits while the database opens, so that no repair is interrupted.
  onStop: async () => (await engine.catch(() => undefined))?.close(),
});

async function openEngine(): Promise<Engine> {
  // The library creates its socket in TMPDIR; the private folder is safe and has a short path.
  process.env.TMPDIR = dirname(socketPath);
  const { Engine: Opened } = await import('../../engines/embedded-mongo/engine.js');
  const onStep = (step: string): void => parent.step(step);
  return Opened.open({ directory, socketPath, lockWaitMs: Number(lockWaitMs), onStep });
}

engine.then(
  () => parent.ready(),
  (error: unknown) => parent.failed(explain(error), { permanent: true }),
);

function explain(error: unknown): string {
  const reason = failureReason(error);
  if (reason.includes('DBPathInUse')) return `Another process has the database ${directory} open`;
  const missing = /native binding|Cannot find (module|package)/.test(reason);
  return new EngineUnavailableError(missing ? 'its package is not installed' : reason).message;
}
