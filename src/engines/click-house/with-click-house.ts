import type { ClickHouseOptions } from '../../config/options';
import { ClickHouse } from './click-house';
import { ClickTable } from './click-table';

/** Has the tables of clicks used, or nothing where there are none, and closes them however that ends. */
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
