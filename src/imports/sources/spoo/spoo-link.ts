import type { FoundRow } from '../../reading/import-reader';
import { parseSettings } from '../../reading/link-settings';
import { type SourceSettings, withDropped } from '../../reading/source-link';
import { type JsonFields, toFields, toText } from '../../reading/json-answer';
import { linkOfJson, type LinkKeys } from '../../reading/json-link';

const SPOO_KEYS: LinkKeys = {
  long_url: 'long_url',
  alias: 'alias',
  short_url: 'short_url',
  domain: 'domain',
  max_clicks: 'max_clicks',
  clicks: 'total_clicks',
  password: 'password_set',
  created_at: 'created_at',
  expire_after: 'expire_after',
  archived: 'status',
};
const FEATURES = ['geo_rules', 'meta_tags'];

/** A link of spoo.me's list. Times are in UTC. */
export async function spooLink(row: number, item: JsonFields): Promise<FoundRow> {
  const isActive = /^(?:|active)$/i.test(toText(item.status));
  const fields = 'status' in item ? { ...item, status: isActive ? '' : 'yes' } : item;
  const link = linkOfJson(fields, row, SPOO_KEYS, { timezone: 'UTC' });
  if ('problem' in link) return link;
  const settings = await readGeoRules(item);
  const dropped = (settings === null ? FEATURES : ['meta_tags']).filter((name) =>
    isSet(item[name]),
  );
  return {
    ...withDropped(link, item, dropped),
    ...(settings !== null && { settings }),
    blockBots: isYes(item.block_bots),
    privateStats: isYes(item.private_stats ?? true),
  };
}

function isYes(value: unknown): boolean {
  return /^(?:true|yes|1)$/i.test(toText(value));
}

/** Destinations by country; null if missing or invalid. */
async function readGeoRules(item: JsonFields): Promise<SourceSettings | null> {
  const geo_rules = toFields(item.geo_rules);
  const isFlat = Object.values(geo_rules ?? {}).every((value) => typeof value === 'string');
  if (!isFlat || !isSet(geo_rules)) return null;
  const dropped = {};
  const settings = await parseSettings({ geo_rules }, ['geo_rules'], dropped);
  return isSet(dropped) ? null : settings;
}

function isSet(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}
