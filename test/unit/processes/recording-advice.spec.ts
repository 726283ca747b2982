import {
  MachineMetricsCollector,
  type MachineProcesses,
} from '../../../src/program/machine-metrics';
import { primaryHandlers } from '../../../src/processes/rpc/primary-client';
import type { RpcHub } from '../../../src/processes/rpc/rpc-hub';

/** Returns the primary's advice for a recorder and the web processes' journals. */
async function advice(
  recorder: { downMs?: number; advice?: string },
  { own = false, others = [] as boolean[] } = {},
): Promise<string | null> {
  const { downMs = null, advice: given = null } = recorder;
  const call = () =>
    downMs === null ? Promise.resolve({ advice: given }) : Promise.reject(new Error('down'));
  const processes = { recorder: { downMs, call } } as unknown as MachineProcesses;
  const responses = new Map(others.map((isFailing, id) => [id, isFailing]));
  const hub = { callAll: () => Promise.resolve({ responses }), onExit: () => undefined };
  new MachineMetricsCollector(processes, hub as unknown as RpcHub);
  return primaryHandlers.call('recording.advice', { isJournalFailing: own });
}

describe('the advice about recording', () => {
  it('is empty while clicks are recorded, and during a restart of the recorder', async () => {
    expect(await advice({})).toBeNull();
    expect(await advice({ downMs: 9_999 })).toBeNull();
  });

  it('contains the reason why clicks are not recorded', async () => {
    expect(await advice({ advice: 'Set CLICKHOUSE_URL' })).toBe('Set CLICKHOUSE_URL');
    expect(await advice({ downMs: 10_000 })).toContain('the recorder does not start');
    expect(await advice({}, { own: true })).toContain('only in memory');
    expect(await advice({}, { others: [false, true] })).toContain('only in memory');
  });
});
