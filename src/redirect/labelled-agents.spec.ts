import type { IncomingHttpHeaders } from 'node:http';
import { audienceClass, type AudienceClass, SIGNALS } from '../engines/click-engine/chunk/click';
import { agentVerdict } from '../clicks/crawlers';
import { LABELLED_AGENTS } from '../../test/support/shared/labelled-agents';
import { headerFlags } from './visit-flags';

const AGENTS = LABELLED_AGENTS.flatMap(([label, agents]) =>
  agents.map((userAgent) => [label, userAgent] as const),
);

const classOf = (userAgent: string, headers: IncomingHttpHeaders = {}): AudienceClass => {
  const { name, isPreviewer } = agentVerdict(userAgent);
  const signals = headerFlags(headers) | (isPreviewer ? SIGNALS.previewer : 0);
  return audienceClass(signals, name !== null);
};

describe('A labelled request', () => {
  it('has one of at least 200 different User-Agents', () => {
    expect(new Set(AGENTS.map(([, userAgent]) => userAgent)).size).toBeGreaterThanOrEqual(200);
  });

  it('is classified correctly in 99 % of previews and bots, and all but 0.5 % of browsers', () => {
    const asking = [{ 'sec-purpose': 'prefetch;prerender' }, { purpose: 'prefetch' }];
    const requests = Array.from({ length: 1000 }, (_, i) => {
      const [label, userAgent] = AGENTS[i % AGENTS.length]!;
      // Later rounds use other versions, and every tenth request is a prefetch.
      const round = Math.floor(i / AGENTS.length);
      const agent = userAgent.replace(/(?<=\/\d+\.)\d/, String(round));
      const headers = i % 10 === 9 ? asking[i % 2] : undefined;
      return { label: headers === undefined ? label : ('preview' as const), agent, headers };
    });
    const wrong = requests.filter(({ label, agent, headers }) => classOf(agent, headers) !== label);
    const share = (isMeant: (label: AudienceClass) => boolean): number =>
      wrong.filter(({ label }) => isMeant(label)).length /
      requests.filter(({ label }) => isMeant(label)).length;
    expect(share((label) => label !== 'human')).toBeLessThanOrEqual(0.01);
    expect(share((label) => label === 'human')).toBeLessThanOrEqual(0.005);
  });
});
