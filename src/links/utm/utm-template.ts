import type { UtmField } from '../../destinations/utm';

export const MAX_UTM_TEMPLATES = 100;

/** At least one value is set. */
export type UtmTemplate = Readonly<Record<UtmField, string | null>> & {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
};

export type NewUtmTemplate = Omit<UtmTemplate, 'createdAt' | 'id'>;

/** Absent keys keep their value; null removes the value. */
export type UtmTemplateChange = Partial<NewUtmTemplate>;
