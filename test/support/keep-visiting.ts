import { visit } from './http';
import { endAfterFile } from './left-running';
import type { Service } from './service';

/**
 * Visits a link until the service has ended or `stop` is called. Returns the number of redirects
 * received.
 */
export function keepVisiting(
  service: Service,
  alias: string,
  width = 16,
): { redirects(): number; stop(): Promise<number> } {
  let going = true;
  let redirects = 0;
  const one = async (): Promise<void> => {
    while (going) {
      try {
        const answer = await visit(service, alias);
        if (answer.status === 302) redirects++;
      } catch {
        going = false; // the connection was cut before a response
      }
    }
  };
  const all = Array.from({ length: width }, one);
  const stop = async (): Promise<number> => {
    going = false;
    await Promise.all(all);
    return redirects;
  };
  endAfterFile(stop);
  return { redirects: () => redirects, stop };
}
