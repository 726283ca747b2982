import { rmSync } from 'node:fs';
import type { EmbeddedEngine } from '../../src/infrastructure/mongo/embedded-engine';

interface TestEngine {
  engine: EmbeddedEngine;
  dataDir: string;
}

/** A server of the run that leaves nothing behind. */
interface Removable {
  remove(): Promise<void>;
}

/** Set-up and teardown are loaded apart from one another; the global object is what they share. */
const shared = globalThis as { curtailTestEngine?: TestEngine; curtailTestClickHouse?: Removable };

/** Remembers the engine of this run for {@link stopTestEngine}. */
export function keepTestEngine(engine: EmbeddedEngine, dataDir: string): void {
  if (shared.curtailTestEngine !== undefined) throw new Error('The run has its engine already');
  shared.curtailTestEngine = { engine, dataDir };
}

/** Remembers the ClickHouse server of this run. */
export function keepTestClickHouse(server: Removable): void {
  shared.curtailTestClickHouse = server;
}

/** Stops what this run has started, and removes its data. */
export async function stopTestEngine(): Promise<void> {
  await shared.curtailTestClickHouse?.remove();
  const kept = shared.curtailTestEngine;
  if (kept === undefined) return;
  shared.curtailTestEngine = undefined;
  await kept.engine.stop();
  delete process.env.CURTAIL_TEST_MONGO;
  rmSync(kept.dataDir, { recursive: true, force: true });
}
