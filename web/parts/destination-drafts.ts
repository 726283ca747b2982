import type { ConditionField } from '../../src/destinations/destinations';

/** A condition as it is typed; times as the browser's field has them. */
export interface ConditionDraft {
  readonly field: ConditionField;
  readonly values: readonly string[];
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly not: boolean;
}

export interface RuleDraft {
  /** Null until the service has given it one. */
  readonly key: string | null;
  readonly when: readonly ConditionDraft[];
  readonly to: string;
}

export interface CountryDraft {
  readonly code: string;
  readonly url: string;
}

export interface VariantDraft {
  readonly url: string;
  readonly weight: string;
}

/** Where a link leads besides its destination, as it is typed. */
export interface DestinationsDraft {
  readonly rules: readonly RuleDraft[];
  readonly countries: readonly CountryDraft[];
  readonly variants: readonly VariantDraft[];
}

export const NO_DESTINATIONS: DestinationsDraft = { rules: [], countries: [], variants: [] };

export const NEW_CONDITION: ConditionDraft = {
  field: 'device',
  values: [],
  name: '',
  from: '',
  to: '',
  not: false,
};
export const NEW_RULE: RuleDraft = { key: null, when: [NEW_CONDITION], to: '' };
