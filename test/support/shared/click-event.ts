import type { ClickEvent } from '../../../src/clicks/click-event';

export function aClickEvent(changes: Partial<ClickEvent> = {}): ClickEvent {
  return {
    at: Date.UTC(2026, 10, 21, 12),
    linkId: '65f0c0ffee65f0c0ffee65f0',
    ip: '203.0.113.77',
    userAgent:
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) ' +
      'Chrome/120.0.0.0 Safari/537.36',
    referer: 'https://news.example.com/item?id=1',
    query: '',
    redirectMs: 1,
    slot: false,
    flags: 0,
    variant: '',
    ...changes,
  };
}
