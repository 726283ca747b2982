const NAME = 'curtail.refresh';
/** A tab that holds the lease longer than this has been closed or frozen. */
const LEASE_MS = 15_000;
/** How long a tab waits to see whether another one has taken the lease at the same time. */
const SETTLE_MS = 40;

/**
 * Lets one tab at a time do this: a refresh token works once, and presenting a spent one ends the
 * session (docs/contract.md#12.5). Browsers have locks in secure contexts only; on plain http a
 * lease in localStorage takes their place.
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
      // The last writer has it.
      if (readLease()?.holder === holder) return () => release(holder);
    }
    await pause(SETTLE_MS);
  }
}

function release(holder: string): void {
  if (readLease()?.holder === holder) localStorage.removeItem(NAME);
}

/** A lease of the far future is none: somebody's clock was turned back. */
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
