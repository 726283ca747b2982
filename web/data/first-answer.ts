import type { components } from '../../dist/web-types/schema';
import { Store } from './store';

export type Account = components['schemas']['UserResponse'];

/** Features that this installation offers; the page that loads the app brings it along. */
export interface Features {
  readonly site_name: string;
  readonly home_url: string;
  readonly base_url: string;
  readonly version: string;
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

/** How many links this browser made without an account and can add to one. */
export const claimable: number = first.claimable;

/** The account that is signed in; null until a session that had run out is renewed. */
export const account = new Store<Account | null>(first.account);
