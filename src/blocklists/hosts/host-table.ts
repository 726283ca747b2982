import { hash } from 'node:crypto';

const MAX_HOST_LENGTH = 253;

/** Hosts as 8-byte digests. The collision probability is below 1 in 30 million. */
export class HostTable {
  static readonly EMPTY = new HostTable(new BigUint64Array());

  private digestOfAll: string | undefined;

  /** @param digests unique digests in ascending order */
  constructor(readonly digests: BigUint64Array) {}

  get size(): number {
    return this.digests.length;
  }

  get version(): string {
    this.digestOfAll ??= this.size === 0 ? '' : hash('sha256', this.digests, 'hex');
    return this.digestOfAll;
  }

  /**
   * Whether the table contains the host or a parent domain. A name without a dot matches only
   * itself.
   */
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

export class HostTableBuilder {
  private digests = new BigUint64Array(1024);
  private count = 0;

  /** Number of entries, including duplicates. */
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
