/** What a one-time code is for; codes of different purposes do not know each other. */
export type CodePurpose = 'verification' | 'reset';

/** Contract 12.4. */
export const CODE_SECONDS = 600;
export const CODE_TRIES = 5;
