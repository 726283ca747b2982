/** Reasons of links that lists have closed, by list (docs/contract.md#24.6). */
export const LIST_REASONS = {
  hosts: 'On the list of blocked hosts',
  urls: 'On the list of blocked addresses',
} as const;
