import { texts } from '../texts';
import type { Dimension } from './stats-query';

const WORDS: Partial<Record<Dimension, Readonly<Record<string, string>>>> = {
  audience: texts.stats.audiences,
  trigger: texts.stats.triggers,
  variant: texts.stats.variants,
};

export function labelOf(name: Dimension, value: string): string {
  if (name === 'referrer') return value.replace(/^https?:\/\/(?:www\.)?/, '');
  if (name === 'device') return value.charAt(0).toUpperCase() + value.slice(1);
  return WORDS[name]?.[value] ?? value;
}
