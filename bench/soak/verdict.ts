import { median, percentile } from '../support/load';
import { rounded } from '../support/report';
import type { Sample } from './processes';
import { KINDS, type Minute } from './traffic';

/** A role's allowed memory growth from the second to the last quarter. */
const MEMORY_SHARE = 1.25;
const MEMORY_MB = 32;
/** Allowed slowdown from the first fifth of the minutes to the last fifth. */
const SLOWER = 2;
const SLOWER_MS = 5;
/** Allowed age of the oldest waiting click in the last quarter, despite recorder restarts. */
const OLDEST_S = 60;

export interface Clicks {
  answered: number;
  unanswered: number;
  stored: number;
  linksOff: number;
}

export interface Verdict {
  figures: Record<string, unknown>;
  failures: string[];
}

export function judge(
  samples: readonly Sample[],
  minutes: readonly Minute[],
  clicks: Clicks,
): Verdict {
  const failures: string[] = [];
  const quarters = [0, 1, 2, 3].map((q) =>
    samples.slice((samples.length * q) >> 2, (samples.length * (q + 1)) >> 2),
  );
  const memory = Object.fromEntries(
    rolesOf(samples).map((role) => {
      const byQuarter = quarters.map((some) =>
        Math.round(median(some.map((sample) => sample.memory.get(role) ?? 0))),
      );
      const [, second = 0, , last = 0] = byQuarter;
      if (last > second * MEMORY_SHARE + MEMORY_MB) failures.push(`the memory of ${role} grows`);
      return [role, byQuarter];
    }),
  );
  const journalAge = quarters.map((some) =>
    rounded(Math.max(0, ...some.map((sample) => sample.journalAge)), 1),
  );
  if ((journalAge.at(-1) ?? 0) > OLDEST_S) failures.push('clicks wait in the journal');
  const fifth = Math.max(1, Math.floor(minutes.length / 5));
  // The last minute is incomplete.
  const [first, last] = [minutes.slice(0, fifth), minutes.slice(-fifth)];
  const latency = Object.fromEntries(
    KINDS.map((kind) => {
      const of = (some: readonly Minute[], p: number): number => {
        const all = some.flatMap(({ latencies }) => latencies[kind]).sort((a, b) => a - b);
        return rounded(percentile(all, p));
      };
      const found = {
        p50: [of(first, 0.5), of(last, 0.5)],
        p99: [of(first, 0.99), of(last, 0.99)],
      };
      const [before = 0, after = 0] = found.p50;
      if (Number.isNaN(after)) failures.push(`no ${kind} has a response at the end`);
      if (after > before * SLOWER + SLOWER_MS) failures.push(`${kind} gets slower`);
      return [kind, found];
    }),
  );
  if (clicks.linksOff > 0) failures.push('clicks are lost or duplicated');
  return {
    figures: {
      memory_mb_by_quarter: memory,
      oldest_click_s_by_quarter: journalAge,
      // If other load on the machine rises, latencies are not comparable.
      machine_load_by_quarter: quarters.map((some) =>
        rounded(median(some.map(({ machineLoad }) => machineLoad)), 1),
      ),
      latency_ms_first_and_last_minutes: latency,
      ...clicks,
    },
    failures,
  };
}

function rolesOf(samples: readonly Sample[]): string[] {
  return [...new Set(samples.flatMap(({ memory }) => [...memory.keys()]))].sort();
}

export function minuteLine(i: number, samples: readonly Sample[], minute: Minute): string {
  const roles = rolesOf(samples).map((role) => {
    const mb = median(samples.map((sample) => sample.memory.get(role) ?? 0));
    return `${role} ${mb.toFixed(0)}`;
  });
  const spread = (['redirect', 'list', 'statistics'] as const).map((kind) => {
    const all = [...minute.latencies[kind]].sort((a, b) => a - b);
    const [p50, p99] = [percentile(all, 0.5), percentile(all, 0.99)];
    return `${kind} ${p50.toFixed(1)}/${p99.toFixed(0)}`;
  });
  const age = Math.max(0, ...samples.map(({ journalAge }) => journalAge));
  return (
    `minute ${i + 1}: MB ${roles.join(', ')}; oldest click ${age.toFixed(1)} s; ` +
    `p50/p99 ms ${spread.join(', ')}; ${minute.latencies.redirect.length} redirects, ` +
    `${minute.unanswered} unanswered, ${minute.unexpected} unexpected`
  );
}
