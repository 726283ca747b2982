import { readFileSync } from 'node:fs';
import { domainToUnicode } from 'node:url';
import vm from 'node:vm';

/** CPU time limit for all patterns on one destination (docs/contract.md#5.2). */
const MAX_PROCESSOR_MS = 100;
/** Wall time limit. It is longer, because the thread may get little CPU time on a busy machine. */
const MAX_WALL_MS = 1000;
/** Percent-encoded unreserved characters, equivalent to the plain form (RFC 3986, 6.2.2.2). */
const NEEDLESSLY_ENCODED = /%(?:2[de]|3\d|[46][1-9a-f]|5[0-9af]|7[0-9ae])/gi;

export interface PatternVerdict {
  /** `unfinished`: the time limit was reached before all patterns were tried. */
  readonly verdict: 'allowed' | 'blocked' | 'unfinished';
  /** Index of the pattern that matched or was running at the time limit; otherwise -1. */
  readonly pattern: number;
}

/** Returns all spellings of a destination, so that no spelling bypasses a pattern. */
export function destinationSpellings(text: string, url: URL): string[] {
  const { protocol, hostname, href } = withoutUserInfo(url);
  const afterHost = href.slice(`${protocol}//${hostname}`.length);
  const ascii = hostname.replace(/\.$/, '');
  const hosts = [hostname, ascii, domainToUnicode(ascii) || ascii];
  const rests = [
    afterHost,
    afterHost.replace(NEEDLESSLY_ENCODED, (code) => decodeURIComponent(code)),
  ];
  if (afterHost.endsWith('/') && url.pathname === '/') rests.push(afterHost.slice(0, -1));
  const parsed = hosts.flatMap((host) => rests.map((rest) => `${protocol}//${host}${rest}`));
  return [...new Set([text, ...parsed])];
}

function withoutUserInfo(url: URL): URL {
  const bare = new URL(url.href);
  bare.username = '';
  bare.password = '';
  return bare;
}

export class DestinationPatterns {
  private readonly sandbox: { patterns: RegExp[]; spellings: readonly string[]; at: number };
  private readonly search = new vm.Script(
    'patterns.findIndex((pattern, index) => ' +
      '{ at = index; return spellings.some((spelling) => pattern.test(spelling)); })',
  );

  constructor(sources: readonly string[]) {
    const patterns = sources.map((source) => new RegExp(source, 'i'));
    // An expression is compiled on first use, separately for one-byte and two-byte strings.
    for (const pattern of patterns) {
      for (const text of ['h', 'h', '\u4e00', '\u4e00']) pattern.test(text);
    }
    this.sandbox = { patterns, spellings: [], at: -1 };
    vm.createContext(this.sandbox);
  }

  judge(spellings: readonly string[]): PatternVerdict {
    this.sandbox.spellings = spellings;
    const startedAt = performance.now();
    for (
      let leftMs = MAX_PROCESSOR_MS;
      leftMs >= 1 && performance.now() - startedAt < MAX_WALL_MS;
    ) {
      const usedBefore = processorMs();
      try {
        const timeout = Math.ceil(leftMs);
        const found = this.search.runInContext(this.sandbox, { timeout }) as number;
        return { verdict: found === -1 ? 'allowed' : 'blocked', pattern: found };
      } catch (error) {
        // Other errors, such as a pattern that becomes too large, would occur again on a retry.
        if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') break;
        leftMs -= usedBefore === null ? leftMs : (processorMs() ?? Infinity) - usedBefore;
      }
    }
    return { verdict: 'unfinished', pattern: this.sandbox.at };
  }
}

/** Returns this thread's CPU time; null on systems other than Linux. */
function processorMs(): number | null {
  try {
    const [nanoseconds] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ');
    return Number(nanoseconds) / 1e6;
  } catch {
    return null;
  }
}
