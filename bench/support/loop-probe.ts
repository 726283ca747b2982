import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

// Preloaded into a service by NODE_OPTIONS: on SIGUSR2, writes the event loop delay in
// milliseconds since the previous signal.
const { LOOP_PROBE_FILE: file } = process.env;

if (isMainThread && file !== undefined) {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  process.on('SIGUSR2', () => {
    const ms = (nanoseconds: number): number => nanoseconds / 1e6;
    writeFileSync(
      file,
      JSON.stringify({ p99: ms(delays.percentile(99)), longest: ms(delays.max), at: Date.now() }),
    );
    delays.reset();
  });
}
