import { ClickHouse, type ClickHouseOptions } from './click-house';
import { ClickTable } from './click-table';

/** Runs `work` with the click tables (null without ClickHouse), and always closes them. */
export async function withClickHouse<T>(
  options: ClickHouseOptions | null,
  use: (table: ClickTable | null) => Promise<T>,
): Promise<T> {
  if (options === null) return use(null);
  const server = new ClickHouse(options);
  try {
    return await use(new ClickTable(server));
  } finally {
    await server.close();
  }
}
