import { rmSync } from 'node:fs';
import type { EmbeddedEngine } from '../../src/infrastructure/mongo/embedded-engine';

interface TestEngine {
  engine: EmbeddedEngine;
  dataDir: string;
}

interface Removable {
  remove(): Promise<void>;
}

/** On the global object, which is all that the setup and teardown modules share. */
const shared = globalThis as { curtailTestEngine?: TestEngine; curtailTestClickHouse?: Removable };

export function keepTestEngine(engine: EmbeddedEngine, dataDir: string): void {
  if (shared.curtailTestEngine !== undefined) throw new Error('The run has its engine already');
  shared.curtailTestEngine = { engine, dataDir };
}

export function keepTestClickHouse(server: Removable): void {
  shared.curtailTestClickHouse = server;
}

export async function stopTestEngine(): Promise<void> {
  await shared.curtailTestClickHouse?.remove();
  const kept = shared.curtailTestEngine;
  if (kept === undefined) return;
  shared.curtailTestEngine = undefined;
  await kept.engine.stop();
  delete process.env.CURTAIL_TEST_MONGO;
  rmSync(kept.dataDir, { recursive: true, force: true });
}
