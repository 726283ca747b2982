import '../node-version';
import { ClickCare } from '../../engines/click-house/click-care';
import { withClickHouse } from '../../engines/click-house/with-click-house';
import { AuditRepository } from '../../clicks/audit/audit.repository';
import { ClickAudit } from '../../clicks/audit/click-audit';
import { ClicksElsewhere } from '../../clicks/audit/clicks-elsewhere';
import { ClickHomeRepository } from '../../clicks/store/click-home.repository';
import { DroppedClicksRepository } from '../../clicks/store/dropped-clicks.repository';
import { countNoun } from '../../common/plain-text';
import { processEnvironment } from '../../config/environment';
import { readSettings } from '../../config/settings';
import { assertMongoUri } from '../../infrastructure/mongo/mongo-uri';
import { runCommand } from './command';
import { withDatabase } from './own-database';

const VERIFY_USAGE = `Usage: curtail verify [--repair]

Compares all counters with the stored clicks and prints each difference, whether
or not the service is running.

  --repair   Correct the differences

Exit codes: 0 no differences or all repaired, 1 otherwise.`;

export function runVerify(args: readonly string[]): Promise<number> {
  return runCommand(args, VERIFY_USAGE, () => verify(args.includes('--repair')));
}

async function verify(repair: boolean): Promise<number> {
  const settings = readSettings(processEnvironment());
  if (settings.mongoUri !== null) assertMongoUri(settings.mongoUri);
  return withDatabase(settings, async (connection) => {
    await new ClickHomeRepository(connection).check(settings.clickHouse);
    const repository = new AuditRepository(connection);
    const dropped = new DroppedClicksRepository(connection);
    return withClickHouse(settings.clickHouse, (table) =>
      audit(
        repository,
        repair,
        table && new ClicksElsewhere(new ClickCare(table), () => dropped.boundaries()),
      ),
    );
  });
}

async function audit(
  repository: AuditRepository,
  repair: boolean,
  elsewhere: ClicksElsewhere | null,
): Promise<number> {
  const auditor = new ClickAudit(repository, {
    repair,
    elsewhere,
    report: ({ linkId, what }, repaired) => {
      console.log(`link ${linkId}: ${what}${repaired ? ' (repaired)' : ''}`);
    },
  });
  const { links, clicks, differences, repaired } = await auditor.run();
  console.log(
    `verify: ${countNoun(links, 'link')}, ${countNoun(clicks, 'click')}, ${countNoun(differences, 'difference')}, ${repaired} repaired`,
  );
  return differences > repaired ? 1 : 0;
}

if (require.main === module) {
  void runVerify(process.argv.slice(2)).then((code) => (process.exitCode = code));
}
