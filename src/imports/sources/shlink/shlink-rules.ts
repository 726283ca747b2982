import { type JsonFields, parseSettings, toFields, toText } from '../../reading/json-answer';
import type { SourceSettings } from '../../reading/source-link';
import { MAX_RULES } from '../../../destinations/destinations';

const SHLINK_SYSTEMS: Readonly<Record<string, readonly string[]>> = {
  android: ['Android'],
  ios: ['iOS'],
  windows: ['Windows'],
  macos: ['Mac OS X'],
  linux: ['Linux', 'Ubuntu', 'Fedora'],
  chromeos: ['Chrome OS'],
};
const SHLINK_DEVICES: Readonly<Record<string, readonly string[]>> = {
  mobile: ['mobile', 'tablet'],
  desktop: ['desktop'],
};

/** Converts a Shlink condition by its type; null if Curtail has no such condition. */
const CONDITIONS: Readonly<Record<string, (value: string, name: string) => object | null>> = {
  device: (value) => {
    const device = value.toLowerCase();
    const [systems, devices] = [SHLINK_SYSTEMS[device], SHLINK_DEVICES[device]];
    if (systems !== undefined) return { field: 'os', values: systems };
    return devices === undefined ? null : { field: 'device', values: devices };
  },
  language: (value) => ({ field: 'language', values: [value.replace('_', '-')] }),
  'query-param': (value, name) => ({ field: 'query', name, values: [value] }),
  'any-value-query-param': (_value, name) => ({ field: 'query', name }),
  'geolocation-country-code': (value) => ({ field: 'country', values: [value] }),
  'before-date': (to) => ({ field: 'time', to }),
  'after-date': (from) => ({ field: 'time', from }),
};

export async function toRules(
  list: readonly unknown[],
): Promise<{ settings: SourceSettings; lost: readonly unknown[] }> {
  const rulePriority = (rule: unknown): number => Number(toFields(rule)?.priority ?? 0);
  const ordered = [...list].sort((a, b) => rulePriority(a) - rulePriority(b));
  const rules: object[] = [];
  const lost: unknown[] = [];
  for (const given of ordered) {
    const rule = rules.length < MAX_RULES ? await toRule(toFields(given) ?? {}) : null;
    if (rule === null) lost.push(given);
    else rules.push(rule);
  }
  return {
    settings: rules.length === 0 ? {} : await parseSettings({ rules }, ['rules'], {}),
    lost,
  };
}

/** Null if a condition has no equivalent: a rule without it would match more visitors. */
async function toRule({ longUrl, conditions }: JsonFields): Promise<object | null> {
  if (!Array.isArray(conditions)) return null;
  const when = conditions.map((item: unknown) => {
    const { type, matchValue, matchKey } = toFields(item) ?? {};
    const kind = toText(type);
    if (!Object.hasOwn(CONDITIONS, kind)) return null;
    return CONDITIONS[kind]?.(toText(matchValue), toText(matchKey)) ?? null;
  });
  const rule = { when, to: toText(longUrl) };
  const dropped = {};
  if (!when.includes(null)) await parseSettings({ rules: [rule] }, ['rules'], dropped);
  return when.includes(null) || Object.keys(dropped).length > 0 ? null : rule;
}
