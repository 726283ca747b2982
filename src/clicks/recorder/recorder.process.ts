import '../../processes/bundle';
import { constants, setPriority } from 'node:os';
import path from 'node:path';
import { readRecorderSettings } from '../../config/environment';
import type { RecorderSettings } from '../../config/options';
import { GeoDatabaseError, GeoReader } from '../../infrastructure/geoip/geo.reader';
import { dataDirFault } from '../../common/file-fault';
import { ClicksStoredEvents } from '../clicks-stored';
import { JournalReader } from '../journal/journal.reader';
import { PlainLog } from '../../infrastructure/logging/plain-log';
import { failureReason, serveParent } from '../../processes/child-process/parent-channel';
import type { RecorderCalls } from '../journal/journal.calls';
import { RpcHandlers } from '../../processes/rpc/rpc';
import { acquireProcessLock } from '../../processes/process-lock';
import { PendingBatches } from './pending-batch';
import { BatchRecorder } from './batch.recorder';
import { LEASE_TIMES } from './node-lease';
import { Recorder } from './recorder';
import { recorderContext } from './recorder-context';
import { RecordingPause } from './recording-pause';

/** Time for a killed primary's recorder to exit. */
const PREDECESSOR_MS = 10_000;

/** Main function of the recorder process; the primary starts one process per DATA_DIR. */
async function main(): Promise<void> {
  let recorder: Recorder | undefined;
  const parent = serveParent({
    onStop: async () => recorder?.stop(),
    handlers: new RpcHandlers<RecorderCalls>()
      .handle('status', () => started(recorder).status())
      .handle('drain', async ({ timeoutMs }) => {
        await started(recorder).drain(timeoutMs);
        return undefined;
      }),
  });
  const settings = readRecorderSettings();
  try {
    // Lowers the priority, because redirects are more important.
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
    recorder = await makeRecorder(settings);
    recorder.start();
    parent.ready();
  } catch (error) {
    const fault = dataDirFault(settings.dataDir, error);
    const permanent = fault !== null || error instanceof GeoDatabaseError;
    parent.failed(fault ?? failureReason(error), { permanent });
  }
}

function started(recorder: Recorder | undefined): Recorder {
  if (recorder === undefined) throw new Error('The recorder is still starting');
  return recorder;
}

async function makeRecorder(settings: RecorderSettings): Promise<Recorder> {
  const { dataDir, geoipDb, mongo, clickHouse, visitorSecret } = settings;
  const log = new PlainLog();
  await acquireProcessLock(path.join(dataDir, 'recorder.lock'), { waitMs: PREDECESSOR_MS });
  const geo = GeoReader.open(geoipDb ?? undefined);
  const journal = new JournalReader(path.join(dataDir, 'journal'), log);
  const stored = new ClicksStoredEvents(log);
  const batches = new BatchRecorder({
    journal,
    pendingBatches: new PendingBatches(dataDir, log),
    context: recorderContext({
      mongo,
      clickHouse,
      geo,
      visitorSecret,
      stored,
      dataDir,
      journal,
      log,
      lease: mongo.embedded ? null : LEASE_TIMES,
    }),
    log,
  });
  return new Recorder(batches, journal, log, stored, new RecordingPause(dataDir));
}

void main();
