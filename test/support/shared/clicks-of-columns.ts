import type { Click } from '../../../src/engines/click-engine/chunk/click';
import type { Device } from '../../../src/infrastructure/user-agent/user-agent';
import {
  type ChunkColumns,
  type ChunkDimension,
  VISITOR_BYTES,
} from '../../../src/engines/click-engine/chunk/chunk-columns';

export function* clicksOfColumns(chunk: ChunkColumns): Generator<Click> {
  const value = (name: ChunkDimension, row: number): string | null => {
    const { values, ids } = chunk.columns[name];
    return values[ids[row] ?? 0] ?? null;
  };
  let visitor = 0;
  for (let row = 0; row < chunk.n; row += 1) {
    while (row >= (chunk.visitorRows[visitor + 1] ?? chunk.n)) visitor += 1;
    const byte = visitor * VISITOR_BYTES;
    yield {
      at: chunk.at[row] ?? 0,
      visitor: Buffer.from(chunk.visitors.subarray(byte, byte + VISITOR_BYTES)).toString('hex'),
      browser: value('browser', row),
      os: value('os', row),
      device: value('device', row) as Device,
      country: value('country', row),
      countryCode: chunk.countryCodes[chunk.columns.country.ids[row] ?? 0] ?? null,
      city: value('city', row),
      referrer: value('referrer', row),
      utmSource: value('utmSource', row),
      utmMedium: value('utmMedium', row),
      utmCampaign: value('utmCampaign', row),
      variant: value('variant', row),
      botName: value('botName', row),
      redirectMs: chunk.redirectMs[row] ?? 0,
      slot: chunk.slot[row] === 1,
      signals: chunk.signals[row] ?? 0,
    };
  }
}
