import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DOCUMENT_VARIABLE } from './openapi/document';
import { endKeptProcesses } from './kept-processes';
import { stopTestEngine } from './test-engine';

/** Removes all of the run's processes and folders. */
export default async function globalTeardown(): Promise<void> {
  const document = process.env[DOCUMENT_VARIABLE];
  if (document !== undefined) rmSync(dirname(document), { recursive: true, force: true });
  await endKeptProcesses();
  await stopTestEngine();
}
