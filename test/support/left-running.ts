type End = () => unknown;

const ends = new Set<End>();

// Processes left by failed tests would slow down other files. Benches have no such hook.
if (typeof afterAll === 'function') {
  afterAll(async () => {
    await Promise.allSettled([...ends].map((end) => end()));
    ends.clear();
  });
}

export function endAfterFile(end: End): () => void {
  ends.add(end);
  return () => ends.delete(end);
}
