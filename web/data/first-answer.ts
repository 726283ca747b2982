import type { components } from '../../dist/web-types/schema';
import { Store } from './store';

export type Account = components['schemas']['UserResponse'];

/** This installation's features, embedded in the app's page. */
export interface Features {
  readonly site_name: string;
  readonly home_url: string;
  readonly base_url: string;
  readonly version: string;
  readonly password_sign_in: boolean;
  readonly providers: readonly { readonly name: string; readonly label: string }[];
}

interface FirstAnswer {
  readonly account: Account | null;
  readonly claimable: number;
  readonly features: Features;
}

const first = JSON.parse(
  document.getElementById('first-answer')?.textContent ?? 'null',
) as FirstAnswer;

export const features: Features = first.features;

export const claimable: number = first.claimable;

/** Whether the account is about to be deleted, so that it can only be read or restored. */
export function isLeaving(user: Account | null): boolean {
  return user !== null && user.deletes_at !== null;
}

/** The signed-in account; null until an expired session is renewed. */
export const account = new Store<Account | null>(first.account);
