export type ClickHome = 'mongodb' | 'clickhouse';
/** `moving` means that clicks are being moved to ClickHouse. */
export type ClickState = ClickHome | 'moving';

const WHAT_TO_DO: Readonly<Record<ClickState, string>> = {
  clickhouse:
    'are in ClickHouse: set CLICKHOUSE_URL again, or move them back with ' +
    'curtail copy --clicks mongodb',
  mongodb:
    'are in MongoDB: move them to ClickHouse with curtail copy --clicks clickhouse, or unset ' +
    'CLICKHOUSE_URL',
  moving: 'are being moved: run curtail copy --clicks clickhouse again until it succeeds',
};

/** Clicks are stored in a database other than the configured one; totals would be wrong. */
export class ClicksElsewhereError extends Error {
  constructor(home: ClickState) {
    super(`This database's clicks ${WHAT_TO_DO[home]}`);
    this.name = 'ClicksElsewhereError';
  }
}
