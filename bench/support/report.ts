import { eventually } from '../../test/support/service';
import type { Stage } from './stage';

const DRAIN_MS = 180_000;

/** The last line of a bench: one JSON object. */
export function report(bench: string, figures: Record<string, unknown>): void {
  console.log(JSON.stringify({ bench, ...figures }));
}

export function rounded(value: number, digits = 2): number {
  return Number(value.toFixed(digits));
}

/** Waits until the recorder has stored everything, so that no round pays for another one's. */
export async function drained(stage: Stage, clicks: number): Promise<void> {
  const all = async (): Promise<boolean> => (await stage.storedClicks()) >= clicks;
  await eventually('every click is stored', all, DRAIN_MS);
}

/** Runs a bench's main function; what it throws is the exit code 1. */
export function runBench(main: () => Promise<void>): void {
  main().catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });
}
