/** Stroke icons on a 24 by 24 grid. They are decorative and always have a label. */
const PATHS = {
  overview: 'M4 13h6V4H4zM14 20h6v-9h-6zM4 20h6v-3H4zM14 7h6V4h-6z',
  links:
    'M10 14a4 4 0 0 0 5.7 0l3-3A4 4 0 0 0 13 5.3l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3A4 4 0 0 0 11 18.7l1-1',
  analytics: 'M4 20V10M10 20V4M16 20v-7M21 20H3',
  tags: 'M4 4h7l9 9-7 7-9-9zM8 8v.01',
  domains: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM3 12h18M12 3c5 5 5 13 0 18M12 3c-5 5-5 13 0 18',
  campaign: 'M4 10v4h3l8 4V6l-8 4zM18 9.500a4 4 0 0 1 0 5',
  route: 'M4 18h6a4 4 0 0 0 4-4v-4a4 4 0 0 1 4-4h2M17 3l3 3-3 3M14 18h6M17 15l3 3-3 3',
  import: 'M12 4v10M8 10.500l4 4 4-4M4 15v5h16v-5',
  admin:
    'M12 3l8 3v6c0 4.500-3.500 7.500-8 9-4.500-1.500-8-4.500-8-9V6zM8.500 12l2.500 2.500 4.500-4.500',
  list: 'M8 6h12M8 12h12M8 18h12M4 6v.01M4 12v.01M4 18v.01',
  keys: 'M15 9a4 4 0 1 0-3.5 4L7 17.5V20h3v-2h2v-2l2.5-3.2A4 4 0 0 0 15 9zM15.5 8.5v.01',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 5v4M9 15v4',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM20 20l-4-4',
  plus: 'M12 5v14M5 12h14',
  more: 'M4 12a1 1 0 1 0 2 0 1 1 0 0 0-2 0zM11 12a1 1 0 1 0 2 0 1 1 0 0 0-2 0zM18 12a1 1 0 1 0 2 0 1 1 0 0 0-2 0z',
  share: 'M12 15V3M7.5 7.500L12 3l4.500 4.500M7 11H5v10h14V11h-2',
  pause: 'M8 5v14M16 5v14',
  play: 'M7 5l12 7-12 7z',
  edit: 'M4 20h4L19.500 8.500l-4-4L4 16zM13 7l4 4',
  sort: 'M8 5v14M4.500 15.500L8 19l3.500-3.500M16 19V5M12.500 8.500L16 5l3.500 3.500',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  open: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5',
  qr: 'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h2v2h-2zM18 18h2v2h-2zM18 14h2M14 18v2',
  eye: 'M2.5 12s3.5-6.5 9.5-6.5 9.5 6.5 9.5 6.5-3.5 6.5-9.5 6.5S2.5 12 2.5 12zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6z',
  back: 'M15 5l-7 7 7 7',
  forward: 'M9 5l7 7-7 7',
  up: 'M12 19V5M6 11l6-6 6 6',
  down: 'M12 5v14M6 13l6 6 6-6',
  close: 'M6 6l12 12M18 6L6 18',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  download: 'M12 4v11M7 11l5 5 5-5M4 20h16',
  filter: 'M4 6h16M7 12h10M10 18h4',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.300 5.300l1.400 1.400M17.300 17.300l1.400 1.400M5.300 18.700l1.400-1.400M17.300 6.700l1.400-1.400',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z',
  warning: 'M12 4L2.5 20h19zM12 10v4.5M12 17.5v.01',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3.5 2',
  account: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 20.5c1-4 4.5-6 8-6s7 2 8 6',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
