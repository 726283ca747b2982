import { hash } from 'node:crypto';

/** Longer names are none. */
const MAX_HOST_LENGTH = 253;

/**
 * A set of hosts, each of which stands for all hosts below it, too: 8 bytes a host, sorted. Names are kept
 * as the first half of a digest; that two among a million share one is less likely than 1 to 30 million.
 */
export class HostTable {
  static readonly EMPTY = new HostTable(new BigUint64Array());

  /** @param digests ascending, each once */
  constructor(readonly digests: BigUint64Array) {}

  get size(): number {
    return this.digests.length;
  }

  /** Digest of the hosts; empty where there are none. */
  get version(): string {
    return this.size === 0 ? '' : hash('sha256', this.digests, 'hex');
  }

  /** Whether the table has a host or one above it. A name of a single label stands for itself alone. */
  covers(host: string): boolean {
    if (this.size === 0) return false;
    const name = host.endsWith('.') ? host.slice(0, -1) : host;
    if (name.length > MAX_HOST_LENGTH) return false;
    if (this.has(name)) return true;
    for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1)) {
      const above = name.slice(dot + 1);
      if (above.includes('.') && this.has(above)) return true;
    }
    return false;
  }

  private has(name: string): boolean {
    const wanted = hostDigest(name);
    let [from, to] = [0, this.size];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.digests[middle] ?? 0n) < wanted) from = middle + 1;
      else to = middle;
    }
    return this.digests[from] === wanted;
  }
}

/** Collects hosts for a table. */
export class HostTableBuilder {
  private digests = new BigUint64Array(1024);
  private count = 0;

  /** Hosts that were added, also twice. */
  get size(): number {
    return this.count;
  }

  add(host: string): void {
    if (this.count === this.digests.length) {
      const larger = new BigUint64Array(this.count * 2);
      larger.set(this.digests);
      this.digests = larger;
    }
    this.digests[this.count] = hostDigest(host);
    this.count += 1;
  }

  build(): HostTable {
    const sorted = this.digests.slice(0, this.count).sort();
    let kept = 0;
    for (const digest of sorted) {
      if (kept === 0 || sorted[kept - 1] !== digest) sorted[kept++] = digest;
    }
    return new HostTable(sorted.slice(0, kept));
  }
}

function hostDigest(name: string): bigint {
  return hash('sha256', name, 'buffer').readBigUInt64BE(0);
}
