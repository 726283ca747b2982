import { QuietLogger } from '../../test/support/shared/quiet-logger';
import { ClockWatch } from './clock-watch';

describe('the clock watch', () => {
  let log: QuietLogger;
  let watch: ClockWatch;
  let [wall, steady] = [0, 0];
  const pass = (ms: number, wallMs = ms) => {
    wall += wallMs;
    steady += ms;
    jest.advanceTimersByTime(1000);
  };
  const warnings = () => log.linesAt('warn').map(({ message }) => message);

  beforeEach(() => {
    jest.useFakeTimers();
    [wall, steady] = [Date.UTC(2026, 10, 25), 5];
    log = new QuietLogger();
    watch = new ClockWatch(log, { wall: () => wall, steady: () => steady });
  });
  afterEach(() => {
    watch.stop();
    jest.useRealTimers();
  });

  it('warns once each time the clock is set back', () => {
    pass(1000);
    pass(1000, -3_600_000);
    for (let i = 0; i < 10; i += 1) pass(1000);
    expect(warnings()).toEqual([
      "This machine's clock went back by 3601 s; recent clicks will appear in statistics once the " +
        'clock reaches their time again',
    ]);
    pass(1000, -86_400_000);
    expect(warnings()).toHaveLength(2);
  });

  it('logs nothing if the clock runs normally, is corrected slightly, or jumps ahead', () => {
    for (const wallMs of [1000, 900, 1100, -3900, 86_400_000, 8 * 3_600_000, 1000])
      pass(1000, wallMs);
    // Advances both clocks, as if the process had been suspended for a long time.
    pass(3_600_000);
    expect(warnings()).toEqual([]);
  });
});
