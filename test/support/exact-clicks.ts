import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import mongoose from 'mongoose';
import type { Click } from '../../src/engines/click-engine/chunk/click';
import { decodeChunk } from '../../src/engines/click-engine/chunk/chunk';
import {
  binaryBytes,
  CLICK_BLOCKS,
  type StoredBlock,
} from '../../src/clicks/store/click-store.schema';
import { ClickHouse } from '../../src/engines/click-house/click-house';
import { clickHouseOptionsOf } from './click-house';
import type { Traffic } from './traffic';
import { totalClicks } from './database';
import { storedClickStore } from './click-store-reading';
import { clicksOfColumns } from './shared/clicks-of-columns';
import { eventually, type Service } from './service';

export async function storedTokens(
  connection: mongoose.Connection,
  linkId: string,
): Promise<string[]> {
  return (await storedClicks(connection, linkId)).map((click) => click.utmCampaign ?? '');
}

export async function storedClicks(
  connection: mongoose.Connection,
  linkId: string,
): Promise<Click[]> {
  const store = await storedClickStore(connection, linkId);
  if (store === null) return [];
  const names = store.blocks.map((block) => block.id);
  const blocks = await connection
    .collection<StoredBlock>(CLICK_BLOCKS)
    .find({ _id: { $in: names } })
    .toArray();
  const now = (await storedClickStore(connection, linkId))?.blocks.map((block) => block.id);
  if (!isDeepStrictEqual(now, names)) return storedClicks(connection, linkId);
  return [...store.tail, ...blocks].flatMap(({ data }) => [
    ...clicksOfColumns(decodeChunk(binaryBytes(data))),
  ]);
}

async function clickHouseTokens(url: string, linkId: string): Promise<string[]> {
  const server = new ClickHouse(clickHouseOptionsOf(url));
  const { data } = await server.ask<[string]>(
    `SELECT toString(utm_campaign) FROM ${server.database}.clicks WHERE link = '${linkId}'`,
  );
  await server.close();
  return data.map(([token]) => token);
}

export async function journalEmpty(dataDir: string): Promise<void> {
  const folder = join(dataDir, 'journal');
  await eventually(
    'the journal is empty',
    () => !existsSync(folder) || !readdirSync(folder).some((name) => /\.(open|sealed)$/.test(name)),
  );
}

/**
 * Compares promised traffic with stored data: no acknowledged click is lost or duplicated, no
 * acknowledged link is lost, and totals equal clicks. `others` is the number of visits without
 * a token. Returns the stored clicks.
 */
export async function expectExact(service: Service, traffic: Traffic, others = 0): Promise<number> {
  await traffic.stop();
  await journalEmpty(service.dataDir);
  const connection = await mongoose.createConnection(service.mongoUri).asPromise();
  try {
    const stored =
      service.clickHouse === null
        ? await storedTokens(connection, traffic.link.id)
        : await clickHouseTokens(service.clickHouse, traffic.link.id);
    const tokens = stored.filter((token) => token !== '');
    expect(stored.length - tokens.length).toBe(others);
    const once = new Set(tokens);
    expect([...traffic.redirected].filter((token) => !once.has(token))).toEqual([]);
    expect(tokens.length - once.size).toBe(0);
    expect(tokens.filter((token) => !traffic.sent.has(token))).toEqual([]);
    expect(await totalClicks(connection, traffic.link.id)).toBe(stored.length);
    expect(traffic.redirected.size).toBeGreaterThan(0);
    await expectLinks(connection, traffic);
    return tokens.length;
  } finally {
    await connection.close();
  }
}

async function expectLinks(connection: mongoose.Connection, traffic: Traffic): Promise<void> {
  const found = await connection
    .collection('links')
    .find<{ alias: string; long_url: string }>({ alias: { $in: [...traffic.made] } })
    .toArray();
  const targets = new Map(found.map(({ alias, long_url }) => [alias, long_url]));
  const lost = [...traffic.made].filter(
    (alias) => targets.get(alias) !== `https://example.com/${alias}`,
  );
  expect(lost).toEqual([]);
  expect(traffic.made.size).toBeGreaterThan(0);
}
