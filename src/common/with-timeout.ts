/** Settles with the result of `late` on a timeout. The timer does not keep the process alive. */
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
