import type { UtmField } from '../../destinations/utm';

/** Templates of one account (docs/contract.md#33.1). */
export const MAX_UTM_TEMPLATES = 100;

/** Values of a campaign under a name, of which at least one is there. */
export type UtmTemplate = Readonly<Record<UtmField, string | null>> & {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
};

export type NewUtmTemplate = Omit<UtmTemplate, 'createdAt' | 'id'>;

/** A change of a template: an absent key stays, null removes the value. */
export type UtmTemplateChange = Partial<NewUtmTemplate>;
