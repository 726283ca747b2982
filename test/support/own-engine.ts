import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEngine } from '../../src/infrastructure/mongo/embedded-engine';
import { QuietLogger } from './shared/quiet-logger';
import { endAfterFile } from './left-running';

/** A separate MongoDB that can stop and restart, for services with MONGODB_URI. */
export class OwnEngine {
  private readonly dataDir = mkdtempSync(join(tmpdir(), 'curtail-own-'));
  private engine = this.make();

  async start(): Promise<void> {
    endAfterFile(() => this.engine.stop());
    await this.engine.start();
  }

  get uri(): string {
    return this.engine.uri('curtail');
  }

  get pid(): number {
    return this.engine.pid ?? 0;
  }

  /** Stops MongoDB cleanly. `start` restores data and address. */
  async stop(): Promise<void> {
    await this.engine.stop();
    this.engine = this.make();
  }

  async remove(): Promise<void> {
    await this.engine.stop();
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  private make(): EmbeddedEngine {
    return new EmbeddedEngine({ dataDir: this.dataDir, logger: new QuietLogger() });
  }
}
