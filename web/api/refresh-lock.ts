const NAME = 'curtail.refresh';
/** After this time, the tab with the lease is assumed to be closed or frozen. */
const LEASE_MS = 15_000;
/** Wait to detect another tab that takes the lease concurrently. */
const SETTLE_MS = 40;

/**
 * Runs `work` in one tab at a time, because reusing a refresh token ends the session
 * (docs/contract.md#12.5). Without a secure context, a lease in localStorage replaces Web Locks.
 */
export async function oneTabAtATime<T>(work: () => Promise<T>): Promise<T> {
  const locks = (navigator as { locks?: LockManager }).locks;
  if (locks !== undefined) return await locks.request(NAME, work);
  const release = await takeLease();
  try {
    return await work();
  } finally {
    release();
  }
}

interface Lease {
  readonly holder: string;
  readonly until: number;
}

async function takeLease(): Promise<() => void> {
  const holder = Array.from(crypto.getRandomValues(new Uint32Array(4)), String).join('-');
  for (;;) {
    if (isFree(readLease())) {
      writeLease({ holder, until: Date.now() + LEASE_MS });
      await pause(SETTLE_MS * (1 + Math.random()));
      // The tab that wrote last has the lease.
      if (readLease()?.holder === holder) return () => release(holder);
    }
    await pause(SETTLE_MS);
  }
}

function release(holder: string): void {
  if (readLease()?.holder === holder) localStorage.removeItem(NAME);
}

/** Ignores a lease in the far future, which means that the clock was set back. */
function isFree(lease: Lease | null): boolean {
  const now = Date.now();
  return lease === null || lease.until < now || lease.until > now + LEASE_MS;
}

function readLease(): Lease | null {
  try {
    return JSON.parse(localStorage.getItem(NAME) ?? 'null') as Lease | null;
  } catch {
    return null;
  }
}

function writeLease(lease: Lease): void {
  localStorage.setItem(NAME, JSON.stringify(lease));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
