type End = () => unknown;

const ends = new Set<End>();

// Processes that a failed test leaves take time from the tests of other files. Benches have no such hook.
if (typeof afterAll === 'function') {
  afterAll(async () => {
    await Promise.allSettled([...ends].map((end) => end()));
    ends.clear();
  });
}

/** Has `end` called after the tests of this file, unless the answered function is called before. */
export function endAfterFile(end: End): () => void {
  ends.add(end);
  return () => ends.delete(end);
}
