import type { ConditionField } from './destinations';

export interface WordedCondition {
  readonly field: ConditionField;
  readonly values?: readonly string[];
  readonly name?: string;
  readonly from?: Date | number;
  readonly to?: Date | number;
  readonly not?: boolean;
}

const NOUNS = {
  device: 'Device',
  os: 'OS',
  browser: 'Browser',
  country: 'Country',
  language: 'Language',
} as const;

const regionNames = new Intl.DisplayNames('en', { type: 'region' });

export function countryWords(code: string): string {
  try {
    return regionNames.of(code) ?? code;
  } catch {
    return code;
  }
}

/** `Device is mobile or tablet`, `Query lacks source`, `Time is before 2030-01-01 00:00 UTC`. */
function conditionWords({ field, values = [], name = '', from, to, not }: WordedCondition): string {
  if (field === 'time') return timeWords(from, to, not === true);
  if (field === 'query') {
    const pair = values.length === 0 ? name : `${name} = ${joinAlternatives(values)}`;
    return `Query ${not === true ? 'lacks' : 'has'} ${pair}`;
  }
  const named = field === 'country' ? values.map(countryWords) : values;
  return `${NOUNS[field]} is ${not === true ? 'not ' : ''}${joinAlternatives(named)}`;
}

export function conditionsInWords(when: readonly WordedCondition[]): string {
  const words = when.map(conditionWords);
  return words
    .map((text, i) => (i === 0 ? text : text.charAt(0).toLowerCase() + text.slice(1)))
    .join(', and ');
}

function timeWords(from: Date | number | undefined, to: Date | number | undefined, not: boolean) {
  const begin = from === undefined ? null : `from ${formatMinute(from)} on`;
  const end = to === undefined ? null : `before ${formatMinute(to)}`;
  const words = [begin, end].filter((text) => text !== null).join(' and ');
  return `Time is ${not ? 'not ' : ''}${words}`;
}

function formatMinute(time: Date | number): string {
  const date = typeof time === 'number' ? new Date(time * 1000) : time;
  return `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function joinAlternatives(values: readonly string[]): string {
  if (values.length < 2) return values.join('');
  return `${values.slice(0, -1).join(', ')} or ${values.at(-1) ?? ''}`;
}
