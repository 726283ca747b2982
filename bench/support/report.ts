import { eventually } from '../../test/support/service';
import type { Stage } from './stage';

const DRAIN_MS = 180_000;

export function report(bench: string, figures: Record<string, unknown>): void {
  console.log(JSON.stringify({ bench, ...figures }));
}

export function rounded(value: number, digits = 2): number {
  return Number(value.toFixed(digits));
}

export async function drained(stage: Stage, clicks: number): Promise<void> {
  const all = async (): Promise<boolean> => (await stage.storedClicks()) >= clicks;
  await eventually('every click is stored', all, DRAIN_MS);
}

export function runBench(main: () => Promise<void>): void {
  main().catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });
}
