import { EventLoopPauses } from './event-loop';

describe('EventLoopPauses', () => {
  const now = jest.spyOn(performance, 'now');
  afterAll(() => now.mockRestore());

  it('pauses only during long work', async () => {
    now.mockReturnValue(0);
    const pauses = new EventLoopPauses();
    let turns = 0;
    const count = () => {
      turns++;
    };
    setImmediate(count);
    now.mockReturnValue(10);
    await pauses.whenDue();
    expect(turns).toBe(0);
    now.mockReturnValue(100);
    await pauses.whenDue();
    expect(turns).toBe(1);
    setImmediate(count);
    await pauses.whenDue();
    expect(turns).toBe(1);
  });
});
