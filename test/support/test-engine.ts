import { rmSync } from 'node:fs';
import type { EmbeddedEngine } from '../../src/infrastructure/mongo/embedded-engine';

interface TestEngine {
  engine: EmbeddedEngine;
  dataDir: string;
}

/** Set-up and teardown are loaded apart from one another; the global object is what they share. */
const shared = globalThis as { curtailTestEngine?: TestEngine };

/** Remembers the engine of this run for {@link stopTestEngine}. */
export function keepTestEngine(engine: EmbeddedEngine, dataDir: string): void {
  if (shared.curtailTestEngine !== undefined) throw new Error('The run has its engine already');
  shared.curtailTestEngine = { engine, dataDir };
}

/** Stops the engine of this run, when there is one, and removes its data. */
export async function stopTestEngine(): Promise<void> {
  const kept = shared.curtailTestEngine;
  if (kept === undefined) return;
  shared.curtailTestEngine = undefined;
  await kept.engine.stop();
  delete process.env.CURTAIL_TEST_MONGO;
  rmSync(kept.dataDir, { recursive: true, force: true });
}
