import { byCreation } from './v8';

describe('Threads in the order of their creation', () => {
  it.each([
    [[7, 5, 6], 5, [5, 6, 7]],
    [[301, 302, 32_767, 32_768], 32_767, [32_767, 32_768, 301, 302]],
  ])('%j, of which %i is the oldest, are %j', (threads, first, ordered) => {
    expect(byCreation(threads, first)).toEqual(ordered);
  });
});
