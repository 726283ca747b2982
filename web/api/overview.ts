import { ownZone, refuseZone } from '../data/zones';
import { api, bodyOf, type Schemas } from './client';
import { hasRefusedZone } from './failure';

/** Returns the account’s overview: clicks by people, per day in the browser’s time zone. */
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
