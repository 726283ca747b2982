import { join } from 'node:path';
import { recorderEnvironment } from '../config/environment';
import type { Settings } from '../config/settings';
import type { AppLog } from '../common/log';
import { spawning } from '../processes/child-process/launch';
import { SupervisedChild } from '../processes/child-process/supervised-child';
import type { RecorderCalls } from '../clicks/journal/journal.calls';
import { visitorSecret } from './secret';

/** Lower priority than redirects; on a busy machine, clicks wait in the journal. */
const RECORDER_NICENESS = 5;

export function recorderChild(
  settings: Settings,
  mongoUri: string,
  log: AppLog,
): SupervisedChild<RecorderCalls> {
  const env = recorderEnvironment({
    mongo: { uri: mongoUri, embedded: settings.mongoUri === null },
    dataDir: settings.data.dir,
    geoipDb: settings.geo.dbPath,
    visitorSecret: visitorSecret(settings),
    clickHouse: settings.clickHouse,
  });
  const script = join(__dirname, '..', 'clicks', 'recorder', 'recorder.process.js');
  return new SupervisedChild({
    name: 'recorder',
    logger: log,
    // Redirects continue without it: clicks wait in the journal, and `/health` is degraded.
    startsInBackground: true,
    prepare: () =>
      spawning({ command: process.execPath, args: [script], env, niceness: RECORDER_NICENESS }),
  });
}
