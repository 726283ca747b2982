import { ownZone } from '../format';
import { api, bodyOf, type Schemas } from './client';

/** The account at a glance, in days of the browser's zone. */
export function askOverview(): Promise<Schemas['OverviewResponse']> {
  return bodyOf(api.GET('/api/v1/overview', { params: { query: { timezone: ownZone } } }));
}
