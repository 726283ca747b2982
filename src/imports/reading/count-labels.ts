import { countryName } from '../../infrastructure/geoip/geo.reader';

const MAX_LABEL = 200;
const DEVICE_LABELS = ['mobile', 'tablet', 'desktop', 'unknown'];

/** Maps a service's country codes to ours (docs/contract.md#22.4); keeps unknown codes. */
export function countryLabel(code: string): string {
  if (/^(?:|unknown|none)$/i.test(code)) return 'Unknown';
  return countryName(code.toUpperCase()) ?? kept(code);
}

export function sourceReferrerLabel(referrer: string): string {
  return /^(?:|direct)$/i.test(referrer) ? 'Direct' : kept(referrer);
}

export function deviceLabel(device: string): string {
  const known = DEVICE_LABELS.find((word) => word === device.toLowerCase());
  return known ?? (device === '' ? 'unknown' : kept(device));
}

export function valueLabel(value: string): string {
  return value === '' ? 'Unknown' : kept(value);
}

function kept(label: string): string {
  return label.slice(0, MAX_LABEL);
}
