import { ownZone, refuseZone } from '../data/zones';
import { api, bodyOf, type Schemas } from './client';
import { hasRefusedZone } from './failure';

/** The account's overview in days of the browser's zone, by human clicks. */
export async function askOverview(): Promise<Schemas['OverviewResponse']> {
  const timezone = ownZone();
  const query = { timezone, audience: 'human' } as const;
  try {
    return await bodyOf(api.GET('/api/v1/overview', { params: { query } }));
  } catch (thrown) {
    if (!hasRefusedZone(thrown) || timezone === 'UTC') throw thrown;
    refuseZone(timezone);
    return askOverview();
  }
}
