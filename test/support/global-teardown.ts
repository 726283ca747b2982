import { stopTestEngine } from './test-engine';

/** After the last test of the run: nothing stays behind, neither a process nor a folder. */
export default async function globalTeardown(): Promise<void> {
  await stopTestEngine();
}
