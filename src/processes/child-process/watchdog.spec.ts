import { Watchdog } from './watchdog';

describe('Watchdog', () => {
  const asked = jest.fn();
  const silent = jest.fn();
  let watchdog: Watchdog;

  beforeEach(() => {
    jest.useFakeTimers();
    jest.resetAllMocks();
    watchdog = new Watchdog({ silentMs: 10_000, ask: asked, onSilent: silent });
  });
  afterEach(() => {
    watchdog.stop();
    jest.useRealTimers();
  });

  it('sends a ping immediately and then every second, and accepts occasional replies', () => {
    expect(asked).toHaveBeenCalledTimes(1);
    for (let i = 0; i < 50; i += 1) {
      jest.advanceTimersByTime(9_000);
      watchdog.heard();
    }
    expect(asked).toHaveBeenCalledTimes(451);
    expect(silent).not.toHaveBeenCalled();
  });

  it('reports once that a process has stopped responding', () => {
    watchdog.heard();
    jest.advanceTimersByTime(10_000);
    expect(silent).not.toHaveBeenCalled();
    jest.advanceTimersByTime(60_000);
    expect(silent).toHaveBeenCalledTimes(1);
  });

  it('does not blame a process for the time in which the watchdog itself was suspended', () => {
    for (let night = 0; night < 5; night += 1) {
      jest.advanceTimersByTime(5_000);
      // While the machine sleeps, its clocks continue to run, but its timers do not.
      jest.setSystemTime(Date.now() + 8 * 3_600_000);
      jest.advanceTimersByTime(1_000);
      watchdog.heard();
    }
    expect(silent).not.toHaveBeenCalled();
  });

  it('does nothing after it is stopped', () => {
    watchdog.stop();
    jest.advanceTimersByTime(60_000);
    expect(asked).toHaveBeenCalledTimes(1);
    expect(silent).not.toHaveBeenCalled();
  });
});
