export const LIST_REASONS = {
  hosts: 'On the list of blocked hosts',
  urls: 'On the list of blocked addresses',
} as const;
