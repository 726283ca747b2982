/**
 * Waits for a promise no longer than that, and resolves to what `late` returns, or rejects with what
 * it throws, when the time is over. The timer keeps no process alive and ends with the promise.
 */
export async function withTimeout<T, L>(
  promise: Promise<T>,
  timeoutMs: number,
  late: () => L,
): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  const overdue = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs).unref();
  });
  try {
    return await Promise.race([promise, overdue.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
