import { readActivity, type ProcessActivity } from './process-activity';
import { StartWatch } from './start-watch';

jest.mock('./process-activity', () => ({
  ...jest.requireActual<object>('./process-activity'),
  readActivity: jest.fn(),
}));

const LOOK_MS = 1000;
const LOOKS = 5;

/** Returns the number of the check that reports a hanging start; null if none does. */
function lookAtWhichItHangs(activity: (look: number) => ProcessActivity): number | null {
  let [look, hangs] = [0, null as number | null];
  jest.mocked(readActivity).mockImplementation(() => activity(look));
  const logger = { info: jest.fn(), warn: jest.fn(), error: jest.fn() };
  const onIdle = () => (hangs = look);
  const watch = new StartWatch({ name: 'engine', pid: 1, logger, lookMs: LOOK_MS, onIdle });
  for (look = 1; look <= LOOKS && hangs === null; look++) jest.advanceTimersByTime(LOOK_MS);
  watch.stop();
  return hangs;
}

describe('a slow process start', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it.each<[string, ProcessActivity, number | null]>([
    ['does nothing', { state: 'waiting', cpuMs: 0, ioBytes: 0 }, 1],
    ['answers signs of life alone', { state: 'waiting', cpuMs: 190, ioBytes: 60_000 }, 1],
    ['computes', { state: 'busy', cpuMs: 200, ioBytes: 0 }, null],
    ['reads and writes', { state: 'waiting', cpuMs: 0, ioBytes: 65_536 }, null],
    ['waits for a processor', { state: 'busy', cpuMs: 0, ioBytes: 0 }, null],
    ['waits for a slow disk', { state: 'waiting for a disk', cpuMs: 0, ioBytes: 0 }, null],
  ])('and %s hangs, or not', (_, { state, cpuMs, ioBytes }, expected) => {
    const sofar = (look: number) => ({ state, cpuMs: cpuMs * look, ioBytes: ioBytes * look });
    expect(lookAtWhichItHangs(sofar)).toBe(expected);
  });
});
