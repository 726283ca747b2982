import { segmentBytes } from './segment';
import type { MergedSegment } from './view';

const DEFAULT_BYTES = 192 * 1024 * 1024;

/** Views in memory by what they are of, the least recently used leaving first. */
export class MergedSegmentCache {
  private readonly views = new Map<string, MergedSegment>();
  private bytes = 0;

  constructor(private readonly capacity = DEFAULT_BYTES) {}

  get(subject: string): MergedSegment | null {
    const view = this.views.get(subject);
    if (view === undefined) return null;
    this.views.delete(subject);
    this.views.set(subject, view);
    return view;
  }

  put(subject: string, view: MergedSegment): void {
    this.drop(subject);
    this.views.set(subject, view);
    this.bytes += viewBytes(view);
    for (const oldest of this.views.keys()) {
      if (this.bytes <= this.capacity) break;
      this.drop(oldest);
    }
  }

  clear(): void {
    this.views.clear();
    this.bytes = 0;
  }

  private drop(subject: string): void {
    const view = this.views.get(subject);
    if (view === undefined) return;
    this.views.delete(subject);
    this.bytes -= viewBytes(view);
  }
}

function viewBytes({ segment, sources, keys }: MergedSegment): number {
  return segmentBytes(segment) + sources.byteLength + keys.length * 100;
}
