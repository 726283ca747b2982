/** Collection of what all services on one database share. */
export const SETTINGS = 'settings';

export interface SettingRecord {
  _id: string;
  value: string;
}
